// Objects of OpenGL: their contents on both sides, and errors. OpenGL is what EGL has without a
// window: a GPU's own, or Mesa's on the CPU, which simulated devices share with.
#include "../support/gl_test.h"
#include "../support/hip_image.h"

#include <thread>

using namespace ah_test;

#define CHECK_ERROR(call, error)                                                                   \
    do {                                                                                           \
        hipError_t got_ = (call);                                                                  \
        if (!ah_test::held(got_ == (error)))                                                       \
            ah_test::fail(__FILE__, __LINE__,                                                      \
                          std::string(#call " gave ") + hipGetErrorName(got_) + ", not " +         \
                              hipGetErrorName(error));                                             \
    } while (0)

// A test is skipped only where a GPU's machine has no OpenGL without a window.
#define NEED_GL()                                                                                  \
    if (gl_display::the().missing()) {                                                             \
        if (!is_simulated())                                                                       \
            SKIP(gl_display::the().missing());                                                     \
        fail(__FILE__, __LINE__, gl_display::the().missing());                                     \
        return;                                                                                    \
    }                                                                                              \
    gl_context gl;                                                                                 \
    CHECK(gl.good())

static bool is_simulated()
{
    int device = 0;
    anyhipBackend backend = anyhipBackendNone;
    const char *name = "";
    check_hip(hipGetDevice(&device), "hipGetDevice", __FILE__, __LINE__);
    check_hip(anyhipDeviceGetBackend(device, &backend, &name), "anyhipDeviceGetBackend", __FILE__,
              __LINE__);
    return std::strncmp(name, "sim", 3) == 0 || std::getenv("ANYHIP_SIM_DEVICES");
}

static const unsigned none = hipGraphicsRegisterFlagsNone;

// A buffer of OpenGL with numbers in it.
struct gl_buffer {
    const gl_context &gl;
    unsigned name = 0;

    gl_buffer(const gl_context &in, const std::vector<int> &values) : gl(in)
    {
        gl->GenBuffers(1, &name);
        gl->BindBuffer(GL_ARRAY_BUFFER, name);
        gl->BufferData(GL_ARRAY_BUFFER, static_cast<std::intptr_t>(values.size() * sizeof(int)),
                       values.data(), GL_STATIC_DRAW);
        gl->BindBuffer(GL_ARRAY_BUFFER, 0);
    }
    ~gl_buffer() { gl->DeleteBuffers(1, &name); }
    void resize(std::size_t bytes)
    {
        gl->BindBuffer(GL_ARRAY_BUFFER, name);
        gl->BufferData(GL_ARRAY_BUFFER, static_cast<std::intptr_t>(bytes), nullptr, GL_STATIC_DRAW);
        gl->BindBuffer(GL_ARRAY_BUFFER, 0);
    }
    std::vector<int> read(std::size_t count) const
    {
        std::vector<int> values(count);
        gl->BindBuffer(GL_ARRAY_BUFFER, name);
        gl->GetBufferSubData(GL_ARRAY_BUFFER, 0, static_cast<std::intptr_t>(count * sizeof(int)),
                             values.data());
        gl->BindBuffer(GL_ARRAY_BUFFER, 0);
        return values;
    }
};

// A texture of OpenGL.
struct gl_texture {
    const gl_context &gl;
    unsigned target, name = 0;

    gl_texture(const gl_context &in, unsigned kind) : gl(in), target(kind)
    {
        gl->GenTextures(1, &name);
        gl->BindTexture(target, name);
    }
    ~gl_texture() { gl->DeleteTextures(1, &name); }
};

// A registration that ends with its scope.
struct resource {
    hipGraphicsResource_t handle = nullptr;

    explicit resource(const gl_buffer &buffer, unsigned flags = none)
    {
        check_hip(hipGraphicsGLRegisterBuffer(&handle, buffer.name, flags),
                  "hipGraphicsGLRegisterBuffer", __FILE__, __LINE__);
    }
    explicit resource(const gl_texture &texture, unsigned flags = none)
    {
        check_hip(hipGraphicsGLRegisterImage(&handle, texture.name, texture.target, flags),
                  "hipGraphicsGLRegisterImage", __FILE__, __LINE__);
    }
    ~resource()
    {
        (void)hipGraphicsUnmapResources(1, &handle, nullptr);
        (void)hipGraphicsUnregisterResource(handle);
    }
    void map(hipStream_t stream = nullptr)
    {
        check_hip(hipGraphicsMapResources(1, &handle, stream), "hipGraphicsMapResources", __FILE__,
                  __LINE__);
    }
    void unmap(hipStream_t stream = nullptr)
    {
        check_hip(hipGraphicsUnmapResources(1, &handle, stream), "hipGraphicsUnmapResources",
                  __FILE__, __LINE__);
    }
    int *pointer(std::size_t *size = nullptr)
    {
        void *memory = nullptr;
        check_hip(hipGraphicsResourceGetMappedPointer(&memory, size, handle),
                  "hipGraphicsResourceGetMappedPointer", __FILE__, __LINE__);
        return static_cast<int *>(memory);
    }
    hipArray_t part(unsigned layer = 0, unsigned level = 0)
    {
        hipArray_t array = nullptr;
        check_hip(hipGraphicsSubResourceGetMappedArray(&array, handle, layer, level),
                  "hipGraphicsSubResourceGetMappedArray", __FILE__, __LINE__);
        return array;
    }
};

static std::vector<int> counted(int count, int first = 0)
{
    std::vector<int> values(count);
    for (int i = 0; i < count; i++)
        values[i] = first + i;
    return values;
}

__global__ void scale(int *values, int count, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        values[i] *= factor;
}

// ---- devices ----

TEST("the device that shares with the thread's OpenGL context is named")
{
    NEED_GL();
    unsigned count = 77;
    int devices[4] = {-1, -1, -1, -1}, all = 0;
    CHECK_HIP(hipGetDeviceCount(&all));
    CHECK_HIP(hipGLGetDevices(&count, devices, 4, hipGLDeviceListAll));
    CHECK_EQ(count, 1u);
    CHECK(devices[0] >= 0 && devices[0] < all);
    CHECK_EQ(devices[1], -1);
    CHECK_HIP(hipGLGetDevices(&count, devices, 1, hipGLDeviceListCurrentFrame));
    CHECK_EQ(count, 1u);
}

TEST("devices of OpenGL are refused for arguments that are missing or unknown")
{
    NEED_GL();
    unsigned count = 77;
    int device = -1;
    CHECK_ERROR(hipGLGetDevices(nullptr, &device, 1, hipGLDeviceListAll), hipErrorInvalidValue);
    CHECK_ERROR(hipGLGetDevices(&count, nullptr, 1, hipGLDeviceListAll), hipErrorInvalidValue);
    CHECK_ERROR(hipGLGetDevices(&count, &device, 0, hipGLDeviceListAll), hipErrorInvalidValue);
    CHECK_ERROR(hipGLGetDevices(&count, &device, 1, static_cast<hipGLDeviceList>(9)),
                hipErrorInvalidValue);
    CHECK_ERROR(hipGLGetDevices(&count, &device, 1, hipGLDeviceListNextFrame),
                hipErrorNotSupported);
    CHECK(count == 77 && device == -1);
}

// ---- buffers ----

TEST("a kernel reads and changes a buffer of OpenGL")
{
    NEED_GL();
    const int count = 1000;
    gl_buffer buffer(gl, counted(count));
    resource shared(buffer);
    hipStream_t streams[] = {nullptr, nullptr};
    CHECK_HIP(hipStreamCreateWithFlags(&streams[1], hipStreamNonBlocking));
    for (hipStream_t stream : streams) {
        std::size_t size = 0;
        shared.map(stream);
        int *values = shared.pointer(&size);
        CHECK_EQ(size, count * sizeof(int));
        scale<<<4, 256, 0, stream>>>(values, count, 3);
        CHECK_HIP(hipGetLastError());
        shared.unmap(stream);
    }
    CHECK_HIP(hipStreamDestroy(streams[1]));
    std::vector<int> got = buffer.read(count);
    for (int i = 0; i < count; i++)
        CHECK_EQ(got[i], 9 * i);
}

TEST("what OpenGL does between two mappings is seen in the second")
{
    NEED_GL();
    gl_buffer buffer(gl, counted(64)), other(gl, counted(64, 500));
    resource shared(buffer);
    int first = -1;
    shared.map();
    CHECK_HIP(hipMemcpy(&first, shared.pointer(), sizeof first, hipMemcpyDeviceToHost));
    CHECK_EQ(first, 0);
    shared.unmap();
    gl->BindBuffer(GL_ARRAY_BUFFER, buffer.name);
    gl->BindBuffer(GL_COPY_READ_BUFFER, other.name);
    gl->CopyBufferSubData(GL_COPY_READ_BUFFER, GL_ARRAY_BUFFER, 0, 0, 64 * sizeof(int));
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
    shared.map();
    CHECK_HIP(hipMemcpy(&first, shared.pointer(), sizeof first, hipMemcpyDeviceToHost));
    CHECK_EQ(first, 500);
}

TEST("several resources are mapped at once, or none")
{
    NEED_GL();
    gl_buffer one(gl, counted(16)), two(gl, counted(16));
    resource first(one), second(two);
    hipGraphicsResource_t both[] = {first.handle, second.handle};
    hipGraphicsResource_t same[] = {first.handle, first.handle};
    CHECK_HIP(hipGraphicsMapResources(2, both, nullptr));
    CHECK(first.pointer() != second.pointer());
    CHECK_HIP(hipGraphicsUnmapResources(2, both, nullptr));
    CHECK_ERROR(hipGraphicsMapResources(2, same, nullptr), hipErrorAlreadyMapped);
    second.map();
    CHECK_ERROR(hipGraphicsMapResources(2, both, nullptr), hipErrorAlreadyMapped);
    CHECK_ERROR(hipGraphicsResourceGetMappedPointer(nullptr, nullptr, first.handle),
                hipErrorNotMapped);
    CHECK_ERROR(hipGraphicsUnmapResources(2, both, nullptr), hipErrorNotMapped);
    CHECK(second.pointer() != nullptr);
}

TEST("a buffer that is written only need not be read, one that is read only is not written")
{
    NEED_GL();
    gl_buffer in(gl, counted(256, 7)), out(gl, counted(256));
    resource read(in, hipGraphicsRegisterFlagsReadOnly);
    resource write(out, hipGraphicsRegisterFlagsWriteDiscard);
    read.map();
    write.map();
    CHECK_HIP(
        hipMemcpy(write.pointer(), read.pointer(), 256 * sizeof(int), hipMemcpyDeviceToDevice));
    read.unmap();
    write.unmap();
    CHECK(in.read(256) == counted(256, 7));
    CHECK(out.read(256) == counted(256, 7));
}

TEST("an object is registered twice, and outlives the first registration")
{
    NEED_GL();
    gl_buffer buffer(gl, counted(8));
    hipGraphicsResource_t first, second;
    CHECK_HIP(hipGraphicsGLRegisterBuffer(&first, buffer.name, none));
    CHECK_HIP(hipGraphicsGLRegisterBuffer(&second, buffer.name, none));
    CHECK(first != second);
    CHECK_HIP(hipGraphicsUnregisterResource(first));
    CHECK_HIP(hipGraphicsMapResources(1, &second, nullptr));
    CHECK_HIP(hipGraphicsUnmapResources(1, &second, nullptr));
    CHECK_HIP(hipGraphicsUnregisterResource(second));
}

// ---- images ----

// Copies an array of 32-bit texels to the host.
static image<unsigned> contents(hipArray_t array, int width, int height, int depth)
{
    image<unsigned> host(width, height, depth);
    ah_test::array::copy(array, host, false);
    return host;
}

static std::vector<unsigned> pattern(int count, unsigned seed)
{
    std::vector<unsigned> texels(count);
    for (int i = 0; i < count; i++)
        texels[i] = 2654435761u * (i + 1) + seed;
    return texels;
}

TEST("levels of an image of OpenGL are arrays with its texels")
{
    NEED_GL();
    const std::vector<unsigned> whole = pattern(8 * 4, 1), half = pattern(4 * 2, 2);
    gl_texture texture(gl, GL_TEXTURE_2D);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 8, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, whole.data());
    gl->TexImage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 4, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, half.data());
    gl->TexImage2D(GL_TEXTURE_2D, 2, GL_RGBA8, 2, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    gl->TexImage2D(GL_TEXTURE_2D, 3, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    resource shared(texture);
    shared.map();
    hipChannelFormatDesc format;
    hipExtent extent;
    CHECK_HIP(hipArrayGetInfo(&format, &extent, nullptr, shared.part()));
    CHECK(format.x == 8 && format.w == 8 && format.f == hipChannelFormatKindUnsigned);
    CHECK(extent.width == 8 && extent.height == 4 && extent.depth == 0);
    CHECK(shared.part() == shared.part(0, 0));
    CHECK(contents(shared.part(), 8, 4, 1).texels == whole);
    CHECK(contents(shared.part(0, 1), 4, 2, 1).texels == half);
    image<unsigned> other(4, 2, 1);
    other.texels = pattern(8, 77);
    ah_test::array::copy(shared.part(0, 1), other, true);
    shared.unmap();
    std::vector<unsigned> got(8);
    gl->BindTexture(GL_TEXTURE_2D, texture.name);
    gl->GetTexImage(GL_TEXTURE_2D, 1, GL_RGBA, GL_UNSIGNED_BYTE, got.data());
    CHECK(got == other.texels);
}

// Faces, layers and slices: how OpenGL is given them, and how many arrays they are.
TEST("layers and faces are arrays of their own, a volume is one array")
{
    NEED_GL();
    const std::vector<unsigned> texels = pattern(4 * 4 * 6, 5);
    gl_texture cube(gl, GL_TEXTURE_CUBE_MAP);
    for (unsigned face = 0; face < 6; face++)
        gl->TexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_R32UI, 4, 4, 0, GL_RED_INTEGER,
                       GL_UNSIGNED_INT, &texels[16 * face]);
    gl_texture layers(gl, GL_TEXTURE_2D_ARRAY), volume(gl, GL_TEXTURE_3D);
    for (const gl_texture *t : {&layers, &volume}) {
        gl->BindTexture(t->target, t->name);
        gl->TexImage3D(t->target, 0, GL_R32UI, 4, 4, 6, 0, GL_RED_INTEGER, GL_UNSIGNED_INT,
                       texels.data());
    }
    resource of_cube(cube), of_layers(layers), of_volume(volume);
    of_cube.map();
    of_layers.map();
    of_volume.map();
    for (int i = 0; i < 6; i++) {
        std::vector<unsigned> part(texels.begin() + 16 * i, texels.begin() + 16 * i + 16);
        CHECK(contents(of_cube.part(i), 4, 4, 1).texels == part);
        CHECK(contents(of_layers.part(i), 4, 4, 1).texels == part);
    }
    CHECK(contents(of_volume.part(), 4, 4, 6).texels == texels);
    hipArray_t array;
    CHECK_ERROR(hipGraphicsSubResourceGetMappedArray(&array, of_cube.handle, 6, 0),
                hipErrorInvalidValue);
    CHECK_ERROR(hipGraphicsSubResourceGetMappedArray(&array, of_volume.handle, 1, 0),
                hipErrorInvalidValue);
    CHECK_ERROR(hipGraphicsSubResourceGetMappedArray(&array, of_layers.handle, 0, 1),
                hipErrorInvalidValue);
    image<unsigned> changed = contents(of_cube.part(3), 4, 4, 1);
    changed.at(2, 1) = 12345;
    ah_test::array::copy(of_cube.part(3), changed, true);
    of_cube.unmap();
    std::vector<unsigned> face(16);
    gl->BindTexture(GL_TEXTURE_CUBE_MAP, cube.name);
    gl->GetTexImage(GL_TEXTURE_CUBE_MAP_POSITIVE_X + 3, 0, GL_RED_INTEGER, GL_UNSIGNED_INT,
                    face.data());
    CHECK(face == changed.texels);
}

__global__ void sharpen(hipTextureObject_t in, hipSurfaceObject_t out)
{
    int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite(2 * tex2D<float>(in, x + 0.5f, y + 0.5f), out, int(x * sizeof(float)), y);
}

TEST("a kernel reads an image of OpenGL as a texture and writes another as a surface")
{
    NEED_GL();
    if (!has_images())
        SKIP("the device has no images");
    std::vector<float> texels(16 * 8);
    for (std::size_t i = 0; i < texels.size(); i++)
        texels[i] = 0.25f * i;
    gl_texture in(gl, GL_TEXTURE_2D);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_R32F, 16, 8, 0, GL_RED, GL_FLOAT, texels.data());
    gl_texture out(gl, GL_TEXTURE_2D);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_R32F, 16, 8, 0, GL_RED, GL_FLOAT, nullptr);
    resource source(in, hipGraphicsRegisterFlagsReadOnly);
    resource target(out, hipGraphicsRegisterFlagsSurfaceLoadStore);
    source.map();
    target.map();
    hipTextureDesc nearest = settings_with(hipAddressModeClamp, hipFilterModePoint, false);
    hipResourceDesc of_source = ah_test::texture::of_array(source.part());
    hipTextureObject_t t;
    hipError_t made = hipCreateTextureObject(&t, &of_source, &nearest, nullptr);
    if (is_amd() && made == hipErrorNotSupported)
        SKIP("the runtime was built without images, as Debian's");
    CHECK_HIP(made);
    hipResourceDesc of_target = ah_test::texture::of_array(target.part());
    hipSurfaceObject_t s;
    CHECK_HIP(hipCreateSurfaceObject(&s, &of_target));
    sharpen<<<1, dim3(16, 8)>>>(t, s);
    CHECK_HIP(hipGetLastError());
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_HIP(hipDestroySurfaceObject(s));
    CHECK_HIP(hipDestroyTextureObject(t));
    source.unmap();
    target.unmap();
    std::vector<float> got(texels.size());
    gl->BindTexture(GL_TEXTURE_2D, out.name);
    gl->GetTexImage(GL_TEXTURE_2D, 0, GL_RED, GL_FLOAT, got.data());
    for (std::size_t i = 0; i < texels.size(); i++)
        CHECK_EQ(got[i], 2 * texels[i]);
}

TEST("a renderbuffer has what was drawn, and keeps what is written")
{
    NEED_GL();
    unsigned render, frame;
    hipGraphicsResource_t shared;
    hipArray_t array;
    gl->GenRenderbuffers(1, &render);
    gl->BindRenderbuffer(GL_RENDERBUFFER, render);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 8, 8);
    gl->GenFramebuffers(1, &frame);
    gl->BindFramebuffer(GL_FRAMEBUFFER, frame);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, render);
    gl->ClearColor(1, 0, 0, 1);
    gl->Clear(GL_COLOR_BUFFER_BIT);
    CHECK_HIP(hipGraphicsGLRegisterImage(&shared, render, GL_RENDERBUFFER, none));
    CHECK_HIP(hipGraphicsMapResources(1, &shared, nullptr));
    CHECK_HIP(hipGraphicsSubResourceGetMappedArray(&array, shared, 0, 0));
    image<unsigned> host = contents(array, 8, 8, 1);
    for (unsigned texel : host.texels)
        CHECK_EQ(texel, 0xff0000ffu);
    host.texels = pattern(64, 9);
    ah_test::array::copy(array, host, true);
    CHECK_HIP(hipGraphicsUnmapResources(1, &shared, nullptr));
    std::vector<unsigned> got(64);
    int bound = 0;
    gl->GetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
    CHECK_EQ(unsigned(bound), frame);
    gl->ReadPixels(0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, got.data());
    CHECK(got == host.texels);
    CHECK_HIP(hipGraphicsUnregisterResource(shared));
    gl->DeleteFramebuffers(1, &frame);
    gl->DeleteRenderbuffers(1, &render);
}

TEST("bindings and pixel settings of the context stay as they are")
{
    NEED_GL();
    const std::vector<unsigned> texels = pattern(5 * 3, 4);
    gl_texture shared_texture(gl, GL_TEXTURE_2D);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 5, 3, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    gl_texture bound_texture(gl, GL_TEXTURE_2D);
    gl_buffer pixels(gl, counted(64));
    gl->BindBuffer(GL_PIXEL_PACK_BUFFER, pixels.name);
    gl->PixelStorei(GL_PACK_ALIGNMENT, 8);
    gl->PixelStorei(GL_UNPACK_ROW_LENGTH, 11);
    {
        resource shared(shared_texture);
        shared.map();
        CHECK(contents(shared.part(), 5, 3, 1).texels == texels);
        shared.unmap();
    }
    int texture = 0, buffer = 0, alignment = 0, length = 0;
    gl->GetIntegerv(GL_TEXTURE_BINDING_2D, &texture);
    gl->GetIntegerv(GL_PIXEL_PACK_BUFFER_BINDING, &buffer);
    gl->GetIntegerv(GL_PACK_ALIGNMENT, &alignment);
    gl->GetIntegerv(GL_UNPACK_ROW_LENGTH, &length);
    CHECK_EQ(unsigned(texture), bound_texture.name);
    CHECK_EQ(unsigned(buffer), pixels.name);
    CHECK_EQ(alignment, 8);
    CHECK_EQ(length, 11);
    CHECK_EQ(gl->GetError(), 0u);
    gl->BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    gl->PixelStorei(GL_PACK_ALIGNMENT, 4);
    gl->PixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    gl->BindTexture(GL_TEXTURE_2D, shared_texture.name);
    std::vector<unsigned> got(15);
    gl->GetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, got.data());
    CHECK(got == texels);
}

// ---- errors ----

TEST("what is no buffer of the context is refused")
{
    NEED_GL();
    gl_buffer buffer(gl, counted(4));
    unsigned empty;
    hipGraphicsResource_t shared;
    CHECK_ERROR(hipGraphicsGLRegisterBuffer(nullptr, buffer.name, none), hipErrorInvalidValue);
    CHECK_ERROR(hipGraphicsGLRegisterBuffer(&shared, 0, none), hipErrorInvalidValue);
    CHECK_ERROR(hipGraphicsGLRegisterBuffer(&shared, buffer.name, ~0u), hipErrorInvalidValue);
    for (unsigned flags :
         {hipGraphicsRegisterFlagsSurfaceLoadStore, hipGraphicsRegisterFlagsTextureGather})
        CHECK_ERROR(hipGraphicsGLRegisterBuffer(&shared, buffer.name, flags), hipErrorInvalidValue);
    gl->GenBuffers(1, &empty);
    CHECK(hipGraphicsGLRegisterBuffer(&shared, empty, none) != hipSuccess);
    gl->BindBuffer(GL_ARRAY_BUFFER, empty);
    CHECK(hipGraphicsGLRegisterBuffer(&shared, empty, none) != hipSuccess);
    gl->DeleteBuffers(1, &empty);
    CHECK(hipGraphicsGLRegisterBuffer(&shared, empty, none) != hipSuccess);
}

TEST("what is no image of the context that can be shared is refused")
{
    NEED_GL();
    gl_texture texture(gl, GL_TEXTURE_2D);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    hipGraphicsResource_t shared;
    auto error_of = [&](const gl_texture &t, unsigned target, unsigned flags = none) {
        return hipGraphicsGLRegisterImage(&shared, t.name, target, flags);
    };
    CHECK_ERROR(hipGraphicsGLRegisterImage(nullptr, texture.name, GL_TEXTURE_2D, none),
                hipErrorInvalidValue);
    CHECK_ERROR(hipGraphicsGLRegisterImage(&shared, 0, GL_TEXTURE_2D, none), hipErrorInvalidValue);
    CHECK_ERROR(error_of(texture, GL_TEXTURE_2D, ~0u), hipErrorInvalidValue);
    CHECK_ERROR(error_of(texture, GL_TEXTURE_2D,
                         hipGraphicsRegisterFlagsReadOnly | hipGraphicsRegisterFlagsWriteDiscard),
                hipErrorInvalidValue);
    CHECK_ERROR(error_of(texture, GL_ARRAY_BUFFER), hipErrorInvalidValue);
    CHECK_ERROR(error_of(texture, GL_RENDERBUFFER), hipErrorInvalidValue);
    CHECK_ERROR(error_of(texture, GL_TEXTURE_3D), hipErrorInvalidValue);
    gl_texture empty(gl, GL_TEXTURE_2D);
    CHECK(error_of(empty, GL_TEXTURE_2D) != hipSuccess);
    gl_texture deep(gl, GL_TEXTURE_2D);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, 4, 4, 0, GL_DEPTH_COMPONENT,
                   GL_UNSIGNED_INT, nullptr);
    CHECK_ERROR(error_of(deep, GL_TEXTURE_2D), hipErrorInvalidValue);
    gl_texture line(gl, GL_TEXTURE_1D);
    gl->TexImage1D(GL_TEXTURE_1D, 0, GL_RGBA8, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    CHECK_ERROR(error_of(line, GL_TEXTURE_1D), hipErrorInvalidValue);
    (void)gl->GetError();
}

TEST("mapping is refused for what is not there, twice, or in a stream that is not")
{
    NEED_GL();
    gl_buffer buffer(gl, counted(4));
    resource shared(buffer);
    hipGraphicsResource_t gone = nullptr;
    hipStream_t stream;
    CHECK_ERROR(hipGraphicsMapResources(0, &shared.handle, nullptr), hipErrorInvalidValue);
    CHECK_ERROR(hipGraphicsMapResources(-1, &shared.handle, nullptr), hipErrorInvalidValue);
    CHECK_ERROR(hipGraphicsMapResources(1, nullptr, nullptr), hipErrorInvalidValue);
    CHECK_ERROR(hipGraphicsUnmapResources(0, &shared.handle, nullptr), hipErrorInvalidValue);
    CHECK_ERROR(hipGraphicsUnmapResources(1, nullptr, nullptr), hipErrorUnknown);
    CHECK_ERROR(hipGraphicsUnmapResources(1, &shared.handle, nullptr), hipErrorNotMapped);
    CHECK_ERROR(hipGraphicsMapResources(1, &gone, nullptr), hipErrorInvalidHandle);
    CHECK_HIP(hipGraphicsGLRegisterBuffer(&gone, buffer.name, none));
    CHECK_HIP(hipGraphicsUnregisterResource(gone));
    CHECK_ERROR(hipGraphicsMapResources(1, &gone, nullptr), hipErrorInvalidHandle);
    CHECK_HIP(hipStreamCreate(&stream));
    CHECK_HIP(hipStreamDestroy(stream));
    CHECK_ERROR(hipGraphicsMapResources(1, &shared.handle, stream), hipErrorContextIsDestroyed);
    shared.map();
    CHECK_ERROR(hipGraphicsMapResources(1, &shared.handle, nullptr), hipErrorAlreadyMapped);
    CHECK_ERROR(hipGraphicsUnmapResources(1, &shared.handle, stream), hipErrorContextIsDestroyed);
    CHECK(shared.pointer() != nullptr);
}

TEST("nothing is mapped or unmapped in a stream that captures")
{
    NEED_GL();
    gl_buffer buffer(gl, counted(4));
    resource shared(buffer);
    hipStream_t stream;
    hipGraph_t graph = nullptr;
    CHECK_HIP(hipStreamCreate(&stream));
    CHECK_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    CHECK_ERROR(hipGraphicsMapResources(1, &shared.handle, stream),
                hipErrorStreamCaptureUnsupported);
    CHECK(hipStreamEndCapture(stream, &graph) != hipSuccess);
    CHECK_HIP(hipStreamDestroy(stream));
    CHECK_ERROR(hipGraphicsUnmapResources(1, &shared.handle, nullptr), hipErrorNotMapped);
}

TEST("a mapped resource is asked for what it is, and not unregistered")
{
    NEED_GL();
    gl_buffer buffer(gl, counted(4));
    gl_texture texture(gl, GL_TEXTURE_2D);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    resource bytes(buffer), texels(texture);
    void *pointer = nullptr;
    std::size_t size = 0;
    hipArray_t array = nullptr;
    CHECK_ERROR(hipGraphicsResourceGetMappedPointer(&pointer, &size, bytes.handle),
                hipErrorNotMapped);
    CHECK_ERROR(hipGraphicsSubResourceGetMappedArray(&array, texels.handle, 0, 0),
                hipErrorNotMapped);
    bytes.map();
    texels.map();
    CHECK_HIP(hipGraphicsResourceGetMappedPointer(nullptr, &size, bytes.handle));
    CHECK_EQ(size, 4 * sizeof(int));
    CHECK_HIP(hipGraphicsResourceGetMappedPointer(&pointer, nullptr, bytes.handle));
    CHECK_HIP(hipGraphicsSubResourceGetMappedArray(nullptr, texels.handle, 0, 0));
    CHECK_ERROR(hipGraphicsResourceGetMappedPointer(&pointer, &size, texels.handle),
                hipErrorNotMappedAsPointer);
    CHECK_ERROR(hipGraphicsSubResourceGetMappedArray(&array, bytes.handle, 0, 0),
                hipErrorNotMappedAsArray);
    CHECK_ERROR(hipGraphicsSubResourceGetMappedArray(&array, texels.handle, 1u << 30, 0),
                hipErrorInvalidValue);
    CHECK_ERROR(hipGraphicsSubResourceGetMappedArray(&array, texels.handle, 0, 1u << 30),
                hipErrorInvalidValue);
    CHECK_ERROR(hipGraphicsUnregisterResource(bytes.handle), hipErrorAlreadyMapped);
    CHECK_HIP(hipGraphicsSubResourceGetMappedArray(&array, texels.handle, 0, 0));
    CHECK_ERROR(hipFreeArray(array), hipErrorArrayIsMapped);
    texels.unmap();
    CHECK_ERROR(hipArrayGetInfo(nullptr, nullptr, nullptr, array), hipErrorInvalidHandle);
    hipGraphicsResource_t gone = nullptr;
    CHECK_ERROR(hipGraphicsUnregisterResource(nullptr), hipErrorInvalidValue);
    CHECK_HIP(hipGraphicsGLRegisterBuffer(&gone, buffer.name, none));
    CHECK_HIP(hipGraphicsUnregisterResource(gone));
    CHECK_ERROR(hipGraphicsUnregisterResource(gone), hipErrorInvalidContext);
    CHECK_ERROR(hipGraphicsResourceGetMappedPointer(&pointer, &size, gone),
                hipErrorContextIsDestroyed);
    CHECK_ERROR(hipGraphicsSubResourceGetMappedArray(&array, gone, 0, 0),
                hipErrorContextIsDestroyed);
}

TEST("nothing is shared by a thread without a context")
{
    NEED_GL();
    gl_buffer buffer(gl, counted(4, 30));
    resource shared(buffer);
    hipGraphicsResource_t other = nullptr;
    unsigned count;
    int device;
    shared.map();
    gl.make_current(nullptr);
    hipError_t devices = hipGLGetDevices(&count, &device, 1, hipGLDeviceListAll);
    hipError_t registered = hipGraphicsGLRegisterBuffer(&other, buffer.name, none);
    hipError_t unmapped = is_simulated() ? hipGraphicsUnmapResources(1, &shared.handle, nullptr)
                                         : hipErrorInvalidGraphicsContext;
    gl.make_current(gl.context());
    CHECK(devices != hipSuccess && registered != hipSuccess);
    CHECK_ERROR(unmapped, hipErrorInvalidGraphicsContext);
    if (is_simulated()) {
        CHECK_ERROR(devices, hipErrorInvalidGraphicsContext);
        CHECK_ERROR(registered, hipErrorInvalidGraphicsContext);
    }
    shared.unmap();
    CHECK(buffer.read(4) == counted(4, 30));
}

TEST("an object is mapped by way of another context that shares it")
{
    NEED_GL();
    gl_buffer buffer(gl, counted(4, 40));
    resource shared(buffer);
    void *second = gl_display::the().create(false, gl.context());
    int first = 0;
    CHECK(second != nullptr);
    gl.make_current(second);
    shared.map();
    CHECK_HIP(hipMemcpy(&first, shared.pointer(), sizeof first, hipMemcpyDeviceToHost));
    CHECK_EQ(first, 40);
    shared.unmap();
    gl.make_current(gl.context());
    gl_display::the().egl().DestroyContext(gl_display::the().display(), second);
}

TEST("an object that changed its size or is gone is not mapped")
{
    NEED_GL();
    if (!is_simulated())
        SKIP("a driver leaves open what happens then");
    gl_buffer buffer(gl, counted(16));
    resource shared(buffer);
    buffer.resize(4096);
    CHECK_ERROR(hipGraphicsMapResources(1, &shared.handle, nullptr), hipErrorMapFailed);
    CHECK_ERROR(hipGraphicsUnmapResources(1, &shared.handle, nullptr), hipErrorNotMapped);
    buffer.resize(16 * sizeof(int));
    shared.map();
    shared.unmap();
    gl->DeleteBuffers(1, &buffer.name);
    CHECK_ERROR(hipGraphicsMapResources(1, &shared.handle, nullptr), hipErrorInvalidValue);
}

TEST("OpenGL ES is refused, since it cannot read textures")
{
    if (!is_simulated())
        SKIP("a GPU's driver may share with it");
    gl_context es(true);
    unsigned name;
    hipGraphicsResource_t shared;
    CHECK(es.good());
    es->GenBuffers(1, &name);
    es->BindBuffer(GL_ARRAY_BUFFER, name);
    es->BufferData(GL_ARRAY_BUFFER, 64, nullptr, GL_STATIC_DRAW);
    CHECK_ERROR(hipGraphicsGLRegisterBuffer(&shared, name, none), hipErrorInvalidGraphicsContext);
    es->DeleteBuffers(1, &name);
}

TEST("several threads share with contexts of their own")
{
    NEED_GL();
    const int threads = 4, count = 500;
    std::vector<std::thread> all;
    bool good[threads] = {};
    for (int t = 0; t < threads; t++)
        all.emplace_back([&good, t] {
            gl_context mine;
            gl_buffer buffer(mine, counted(count, 1000 * t));
            hipGraphicsResource_t shared = nullptr;
            void *pointer = nullptr;
            hipStream_t stream = hipStreamPerThread;
            good[t] = hipGraphicsGLRegisterBuffer(&shared, buffer.name, none) == hipSuccess;
            for (int round = 0; round < 3 && good[t]; round++) {
                good[t] =
                    hipGraphicsMapResources(1, &shared, stream) == hipSuccess &&
                    hipGraphicsResourceGetMappedPointer(&pointer, nullptr, shared) == hipSuccess;
                scale<<<2, 256, 0, stream>>>(static_cast<int *>(pointer), count, 2);
                good[t] = good[t] && hipGetLastError() == hipSuccess &&
                          hipGraphicsUnmapResources(1, &shared, stream) == hipSuccess;
            }
            good[t] = good[t] && hipGraphicsUnregisterResource(shared) == hipSuccess &&
                      buffer.read(count)[1] == 8 * (1000 * t + 1);
        });
    for (std::thread &thread : all)
        thread.join();
    for (bool one : good)
        CHECK(one);
}

TEST("a reset of the device ends registrations")
{
    NEED_GL();
    gl_buffer buffer(gl, counted(4));
    gl_texture texture(gl, GL_TEXTURE_2D);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    hipGraphicsResource_t shared[2];
    hipArray_t array;
    CHECK_HIP(hipGraphicsGLRegisterBuffer(&shared[0], buffer.name, none));
    CHECK_HIP(hipGraphicsGLRegisterImage(&shared[1], texture.name, GL_TEXTURE_2D, none));
    CHECK_HIP(hipGraphicsMapResources(2, shared, nullptr));
    CHECK_HIP(hipGraphicsSubResourceGetMappedArray(&array, shared[1], 0, 0));
    CHECK_HIP(hipDeviceReset());
    CHECK_ERROR(hipGraphicsUnmapResources(1, shared, nullptr), hipErrorInvalidHandle);
    CHECK_ERROR(hipArrayGetInfo(nullptr, nullptr, nullptr, array), hipErrorInvalidHandle);
    CHECK_HIP(hipGraphicsGLRegisterBuffer(&shared[0], buffer.name, none));
    CHECK_HIP(hipGraphicsUnregisterResource(shared[0]));
}

HIP_TEST_MAIN
