// OpenGL without a window, for tests: contexts by EGL, and the functions that tests call. All are
// looked up when the program runs, so that it needs no OpenGL to be built, and is skipped where a
// GPU's machine has none.
#ifndef AH_TESTS_GL_TEST_H
#define AH_TESTS_GL_TEST_H

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

#include <hip/hip_gl_interop.h>

namespace ah_test
{

// Values of OpenGL's and EGL's constants, under their own names without the prefix.
enum gl_constant : unsigned {
    GL_UNSIGNED_BYTE = 0x1401,
    GL_UNSIGNED_INT = 0x1405,
    GL_FLOAT = 0x1406,
    GL_HALF_FLOAT = 0x140B,
    GL_DEPTH_COMPONENT = 0x1902,
    GL_RED = 0x1903,
    GL_RGBA = 0x1908,
    GL_COLOR_BUFFER_BIT = 0x4000,
    GL_RENDERER = 0x1F01,
    GL_RGBA8 = 0x8058,
    GL_RGB8 = 0x8051,
    GL_DEPTH_COMPONENT24 = 0x81A6,
    GL_RGBA32F = 0x8814,
    GL_R32F = 0x822E,
    GL_R32UI = 0x8236,
    GL_RED_INTEGER = 0x8D94,
    GL_TEXTURE_2D = 0x0DE1,
    GL_TEXTURE_3D = 0x806F,
    GL_TEXTURE_1D = 0x0DE0,
    GL_TEXTURE_CUBE_MAP = 0x8513,
    GL_TEXTURE_CUBE_MAP_POSITIVE_X = 0x8515,
    GL_TEXTURE_2D_ARRAY = 0x8C1A,
    GL_TEXTURE_BINDING_2D = 0x8069,
    GL_ARRAY_BUFFER = 0x8892,
    GL_PIXEL_PACK_BUFFER = 0x88EB,
    GL_PIXEL_PACK_BUFFER_BINDING = 0x88ED,
    GL_COPY_READ_BUFFER = 0x8F36,
    GL_STATIC_DRAW = 0x88E4,
    GL_PACK_ALIGNMENT = 0x0D05,
    GL_UNPACK_ROW_LENGTH = 0x0CF2,
    GL_FRAMEBUFFER = 0x8D40,
    GL_RENDERBUFFER = 0x8D41,
    GL_COLOR_ATTACHMENT0 = 0x8CE0,
    GL_DRAW_FRAMEBUFFER_BINDING = 0x8CA6,
};

struct gl_functions {
#define GL_ROW(result, name, parameters) result(*name) parameters;
#define GL_ROWS                                                                                    \
    GL_ROW(unsigned, GetError, ())                                                                 \
    GL_ROW(const char *, GetString, (unsigned))                                                    \
    GL_ROW(void, GetIntegerv, (unsigned, int *))                                                   \
    GL_ROW(void, PixelStorei, (unsigned, int))                                                     \
    GL_ROW(void, GenBuffers, (int, unsigned *))                                                    \
    GL_ROW(void, DeleteBuffers, (int, const unsigned *))                                           \
    GL_ROW(void, BindBuffer, (unsigned, unsigned))                                                 \
    GL_ROW(void, BufferData, (unsigned, std::intptr_t, const void *, unsigned))                    \
    GL_ROW(void, BufferSubData, (unsigned, std::intptr_t, std::intptr_t, const void *))            \
    GL_ROW(void, GetBufferSubData, (unsigned, std::intptr_t, std::intptr_t, void *))               \
    GL_ROW(void, CopyBufferSubData,                                                                \
           (unsigned, unsigned, std::intptr_t, std::intptr_t, std::intptr_t))                      \
    GL_ROW(void, GenTextures, (int, unsigned *))                                                   \
    GL_ROW(void, DeleteTextures, (int, const unsigned *))                                          \
    GL_ROW(void, BindTexture, (unsigned, unsigned))                                                \
    GL_ROW(void, TexImage1D, (unsigned, int, int, int, int, unsigned, unsigned, const void *))     \
    GL_ROW(void, TexImage2D,                                                                       \
           (unsigned, int, int, int, int, int, unsigned, unsigned, const void *))                  \
    GL_ROW(void, TexImage3D,                                                                       \
           (unsigned, int, int, int, int, int, int, unsigned, unsigned, const void *))             \
    GL_ROW(void, GetTexImage, (unsigned, int, unsigned, unsigned, void *))                         \
    GL_ROW(void, GenRenderbuffers, (int, unsigned *))                                              \
    GL_ROW(void, DeleteRenderbuffers, (int, const unsigned *))                                     \
    GL_ROW(void, BindRenderbuffer, (unsigned, unsigned))                                           \
    GL_ROW(void, RenderbufferStorage, (unsigned, unsigned, int, int))                              \
    GL_ROW(void, GenFramebuffers, (int, unsigned *))                                               \
    GL_ROW(void, DeleteFramebuffers, (int, const unsigned *))                                      \
    GL_ROW(void, BindFramebuffer, (unsigned, unsigned))                                            \
    GL_ROW(void, FramebufferRenderbuffer, (unsigned, unsigned, unsigned, unsigned))                \
    GL_ROW(void, ClearColor, (float, float, float, float))                                         \
    GL_ROW(void, Clear, (unsigned))                                                                \
    GL_ROW(void, ReadPixels, (int, int, int, int, unsigned, unsigned, void *))
    GL_ROWS
#undef GL_ROW
};

struct egl_functions {
#define EGL_ROW(result, name, parameters) result(*name) parameters;
#define EGL_ROWS                                                                                   \
    EGL_ROW(void *, GetProcAddress, (const char *))                                                \
    EGL_ROW(void *, GetPlatformDisplay, (unsigned, void *, const std::intptr_t *))                 \
    EGL_ROW(unsigned, Initialize, (void *, int *, int *))                                          \
    EGL_ROW(unsigned, Terminate, (void *))                                                         \
    EGL_ROW(unsigned, BindAPI, (unsigned))                                                         \
    EGL_ROW(unsigned, ChooseConfig, (void *, const int *, void **, int, int *))                    \
    EGL_ROW(void *, CreateContext, (void *, void *, void *, const int *))                          \
    EGL_ROW(unsigned, DestroyContext, (void *, void *))                                            \
    EGL_ROW(unsigned, MakeCurrent, (void *, void *, void *, void *))                               \
    EGL_ROW(int, GetError, ())
    EGL_ROWS
#undef EGL_ROW
};

// The process's EGL and a display of it; every context is made there.
class gl_display
{
  public:
    static gl_display &the()
    {
        static gl_display it;
        return it;
    }

    // Why there is none, or NULL.
    const char *missing() const { return missing_; }
    const egl_functions &egl() const { return egl_; }
    const gl_functions &gl() const { return gl_; }
    void *display() const { return display_; }

    // A context of OpenGL, or of OpenGL ES.
    void *create(bool embedded = false, void *shared = nullptr) const
    {
        enum { OPENGL_ES_API = 0x30A0, OPENGL_API = 0x30A2, RENDERABLE_TYPE = 0x3040 };
        enum { OPENGL_ES3_BIT = 0x40, OPENGL_BIT = 8, SURFACE_TYPE = 0x3033, PBUFFER_BIT = 1 };
        enum { NONE = 0x3038, MAJOR_VERSION = 0x3098 };
        const int wanted[] = {SURFACE_TYPE, PBUFFER_BIT, RENDERABLE_TYPE,
                              embedded ? OPENGL_ES3_BIT : OPENGL_BIT, NONE};
        const int version[] = {MAJOR_VERSION, 3, NONE};
        void *config = nullptr;
        int count = 0;
        egl_.BindAPI(embedded ? OPENGL_ES_API : OPENGL_API);
        egl_.ChooseConfig(display_, wanted, &config, 1, &count);
        return egl_.CreateContext(display_, config, shared, version);
    }

  private:
    gl_display()
    {
        enum { PLATFORM_DEVICE = 0x313F, PLATFORM_SURFACELESS = 0x31DD };
        void *library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
        missing_ = library ? nullptr : "there is no libEGL.so.1";
        if (!missing_ && !bind(library))
            missing_ = "libEGL.so.1 lacks a function";
        if (!missing_ && !open(PLATFORM_SURFACELESS, nullptr) && !open_devices(PLATFORM_DEVICE))
            missing_ = "EGL has no display without a window";
    }

    bool bind(void *library)
    {
        bool all = true;
#define EGL_ROW(result, name, parameters)                                                          \
    egl_.name = reinterpret_cast<decltype(egl_.name)>(dlsym(library, "egl" #name));                \
    all = all && egl_.name;
        EGL_ROWS
#undef EGL_ROW
#define GL_ROW(result, name, parameters)                                                           \
    gl_.name =                                                                                     \
        all ? reinterpret_cast<decltype(gl_.name)>(egl_.GetProcAddress("gl" #name)) : nullptr;     \
    all = all && gl_.name;
        GL_ROWS
#undef GL_ROW
        return all;
    }

    // A display whose contexts HIP can share with.
    bool open(unsigned platform, void *device)
    {
        int major, minor, hip_device;
        unsigned count = 0;
        display_ = egl_.GetPlatformDisplay(platform, device, nullptr);
        if (!display_ || !egl_.Initialize(display_, &major, &minor))
            return false;
        void *context = create();
        bool shares = context && egl_.MakeCurrent(display_, nullptr, nullptr, context) &&
                      hipGLGetDevices(&count, &hip_device, 1, hipGLDeviceListAll) == hipSuccess;
        (void)hipGetLastError();
        if (context) {
            egl_.MakeCurrent(display_, nullptr, nullptr, nullptr);
            egl_.DestroyContext(display_, context);
        }
        if (!shares)
            egl_.Terminate(display_);
        return shares;
    }

    bool open_devices(unsigned platform)
    {
        void *devices[16];
        int count = 0;
        auto query = reinterpret_cast<unsigned (*)(int, void **, int *)>(
            egl_.GetProcAddress("eglQueryDevicesEXT"));
        if (!query || !query(16, devices, &count))
            return false;
        for (int i = 0; i < count; i++)
            if (open(platform, devices[i]))
                return true;
        return false;
    }

    egl_functions egl_ = {};
    gl_functions gl_ = {};
    void *display_ = nullptr;
    const char *missing_ = nullptr;
};

// A context that is the calling thread's while this lives.
class gl_context
{
  public:
    explicit gl_context(bool embedded = false)
        : at_(gl_display::the()), context_(at_.create(embedded))
    {
        good_ = context_ && at_.egl().MakeCurrent(at_.display(), nullptr, nullptr, context_);
    }
    ~gl_context()
    {
        at_.egl().MakeCurrent(at_.display(), nullptr, nullptr, nullptr);
        if (context_)
            at_.egl().DestroyContext(at_.display(), context_);
    }
    gl_context(const gl_context &) = delete;
    gl_context &operator=(const gl_context &) = delete;

    bool good() const { return good_; }
    void *context() const { return context_; }
    void make_current(void *context) const
    {
        at_.egl().MakeCurrent(at_.display(), nullptr, nullptr, context);
    }
    const gl_functions *operator->() const { return &at_.gl(); }

  private:
    const gl_display &at_;
    void *context_;
    bool good_;
};

} // namespace ah_test

#endif
