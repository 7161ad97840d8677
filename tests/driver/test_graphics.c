/* Objects of OpenGL over the fake one: contexts that cannot be used, calls of OpenGL that fail, and
 * what is read and written when. What Mesa's and a GPU's own OpenGL share is tested in
 * tests/api/graphics.hip. */
#include "fakegl.h"
#include "support.h"

#include <hip/hip_gl_interop.h>

#include <stdio.h>
#include <string.h>

enum { SIZE = 4096, TEXTURE_2D = 0x0DE1, NONE = hipGraphicsRegisterFlagsNone };

#define of_mesa "NVIDIA's driver shares with its own OpenGL"

static unsigned buffer;

static hipGraphicsResource_t share_buffer(unsigned flags)
{
    hipGraphicsResource_t resource;
    fakegl_make_current(true);
    buffer = fakegl_buffer(SIZE);
    memset(fakegl_contents(buffer), 7, SIZE);
    ok(hipGraphicsGLRegisterBuffer(&resource, buffer, flags));
    return resource;
}

static void end_sharing(hipGraphicsResource_t resource)
{
    ok(hipGraphicsUnregisterResource(resource));
    fakegl_delete(buffer);
    fakegl_make_current(false);
}

static void *map(hipGraphicsResource_t resource)
{
    void *pointer;
    ok(hipGraphicsMapResources(1, &resource, NULL));
    ok(hipGraphicsResourceGetMappedPointer(&pointer, NULL, resource));
    return pointer;
}

/* The log has the backend's words or, over CUDA, the driver's. */
static const char *words(const char *of_backend, const char *of_driver)
{
    return over_hsa() ? of_backend : of_driver;
}

/* ---- contexts ------------------------------------------------------------------------------ */

static void expect_no_context(unsigned name)
{
    hipGraphicsResource_t resource;
    unsigned count;
    int device;
    const char *said =
        words("the thread has no context of OpenGL 3.0 or newer", "INVALID_GRAPHICS_CONTEXT");
    expect_says(hipGLGetDevices(&count, &device, 1, hipGLDeviceListAll),
                hipErrorInvalidGraphicsContext, said);
    expect_says(hipGraphicsGLRegisterBuffer(&resource, name, NONE), hipErrorInvalidGraphicsContext,
                said);
    expect_says(hipGraphicsGLRegisterImage(&resource, name, TEXTURE_2D, NONE),
                hipErrorInvalidGraphicsContext, said);
}

static void a_thread_shares_only_with_a_context_of_its_own(void **state)
{
    (void)state;
    fakegl_make_current(true);
    unsigned name = fakegl_buffer(SIZE);
    fakegl_make_current(false);
    expect_no_context(name);
    fakegl_delete(name);
}

static void old_and_embedded_versions_are_refused(void **state)
{
    static const char *const versions[] = {"2.1 Old", "OpenGL ES 3.2", "OpenGL ES-CM 1.1"};
    (void)state;
    fakegl_make_current(true);
    unsigned name = fakegl_buffer(SIZE);
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        fakegl_set_version(versions[i]);
        expect_no_context(name);
    }
    fakegl_set_version(NULL);
    fakegl_delete(name);
    fakegl_make_current(false);
}

static void a_lost_context_shares_nothing(void **state)
{
    hipGraphicsResource_t resource = share_buffer(NONE);
    (void)state;
    fakegl_lose(true);
    expect_says(hipGraphicsMapResources(1, &resource, NULL), hipErrorUnknown,
                words("OpenGL reported an error", "CUDA_ERROR_UNKNOWN"));
    fakegl_lose(false);
    (void)map(resource);
    ok(hipGraphicsUnmapResources(1, &resource, NULL));
    end_sharing(resource);
}

/* ---- objects ------------------------------------------------------------------------------- */

static void what_cannot_be_shared_is_named(void **state)
{
    hipGraphicsResource_t resource;
    (void)state;
    fakegl_make_current(true);
    unsigned empty = fakegl_buffer(0), texture = fakegl_texture(8, 8);
    expect_says(hipGraphicsGLRegisterBuffer(&resource, empty, NONE), hipErrorInvalidValue,
                words("the OpenGL object has no storage", "CUDA_ERROR_INVALID_VALUE"));
    expect_says(
        hipGraphicsGLRegisterBuffer(&resource, texture, NONE), hipErrorInvalidValue,
        words("the OpenGL context has no such object of that target", "CUDA_ERROR_INVALID_VALUE"));
    unsigned calls = fakecuda_calls("cuGraphicsGLRegisterImage");
    expect_says(hipGraphicsGLRegisterImage(&resource, texture, 0x806F, NONE), hipErrorInvalidValue,
                "the OpenGL context has no such object of that target");
    check(fakecuda_calls("cuGraphicsGLRegisterImage") == calls); /* which may take it */
    expect_says(hipGraphicsGLRegisterImage(&resource, texture, 1234, NONE), hipErrorInvalidValue,
                words("OpenGL objects of this format or target cannot be shared",
                      "CUDA_ERROR_INVALID_VALUE"));
    fakegl_fail("glGetTexLevelParameteriv");
    expect(hipGraphicsGLRegisterImage(&resource, texture, TEXTURE_2D, NONE), hipErrorInvalidValue);
    fakegl_fail("glGetBufferParameteri64v");
    expect_says(hipGraphicsGLRegisterBuffer(&resource, empty, NONE), hipErrorUnknown,
                words("OpenGL reported an error", "CUDA_ERROR_UNKNOWN"));
    fakegl_fail(NULL);
    fakegl_delete(empty);
    fakegl_delete(texture);
    fakegl_make_current(false);
}

static void an_object_that_changed_its_size_is_not_mapped(void **state)
{
    hipGraphicsResource_t resource = share_buffer(NONE);
    (void)state;
    fakegl_resize(buffer, 2 * SIZE);
    expect_says(hipGraphicsMapResources(1, &resource, NULL), hipErrorMapFailed,
                words("the OpenGL object has another size or format than when it was registered",
                      "CUDA_ERROR_MAP_FAILED"));
    expect(hipGraphicsUnmapResources(1, &resource, NULL), hipErrorNotMapped);
    end_sharing(resource);
}

/* ---- contents ------------------------------------------------------------------------------ */

static void contents_are_read_and_written_when_they_must_be(void **state)
{
    static const struct {
        unsigned flags, reads, writes;
    } rows[] = {{NONE, 1, 1},
                {hipGraphicsRegisterFlagsReadOnly, 1, 0},
                {hipGraphicsRegisterFlagsWriteDiscard, 0, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hipGraphicsResource_t resource = share_buffer(rows[i].flags);
        unsigned reads = fakegl_reads(), writes = fakegl_writes();
        void *pointer = map(resource);
        check(fakegl_reads() == reads + rows[i].reads && fakegl_writes() == writes);
        ok(hipMemset(pointer, 9, SIZE));
        ok(hipGraphicsUnmapResources(1, &resource, NULL));
        check(fakegl_reads() == reads + rows[i].reads);
        check(fakegl_writes() == writes + rows[i].writes);
        check(*(const char *)fakegl_contents(buffer) == (rows[i].writes ? 9 : 7));
        end_sharing(resource);
    }
}

static void what_fails_to_be_read_is_not_mapped(void **state)
{
    hipGraphicsResource_t resource = share_buffer(NONE);
    (void)state;
    fakegl_fail("glGetBufferSubData");
    expect_says(hipGraphicsMapResources(1, &resource, NULL), hipErrorUnknown,
                words("OpenGL reported an error", "CUDA_ERROR_UNKNOWN"));
    fakegl_fail(NULL);
    expect(hipGraphicsUnmapResources(1, &resource, NULL), hipErrorNotMapped);
    (void)map(resource);
    ok(hipGraphicsUnmapResources(1, &resource, NULL));
    end_sharing(resource);
}

static void what_fails_to_be_written_stays_mapped(void **state)
{
    hipGraphicsResource_t resource = share_buffer(NONE);
    (void)state;
    ok(hipMemset(map(resource), 5, SIZE));
    fakegl_fail("glBufferSubData");
    expect_says(hipGraphicsUnmapResources(1, &resource, NULL), hipErrorUnknown,
                words("OpenGL reported an error", "CUDA_ERROR_UNKNOWN"));
    fakegl_fail(NULL);
    check(*(const char *)fakegl_contents(buffer) == 7);
    ok(hipGraphicsResourceGetMappedPointer(NULL, NULL, resource));
    ok(hipGraphicsUnmapResources(1, &resource, NULL));
    check(*(const char *)fakegl_contents(buffer) == 5);
    end_sharing(resource);
}

static void an_image_is_moved_as_a_whole(void **state)
{
    hipGraphicsResource_t resource;
    hipArray_t array;
    unsigned texels[8 * 4], got[8 * 4];
    (void)state;
    fakegl_make_current(true);
    unsigned texture = fakegl_texture(8, 4);
    for (unsigned i = 0; i < 32; i++)
        texels[i] = 1000 + i;
    memcpy(fakegl_contents(texture), texels, sizeof texels);
    ok(hipGraphicsGLRegisterImage(&resource, texture, TEXTURE_2D, NONE));
    for (int round = 0; round < 2; round++) {
        fakegl_fail(round ? NULL : "glGetTexImage");
        expect(hipGraphicsMapResources(1, &resource, NULL), round ? hipSuccess : hipErrorUnknown);
    }
    ok(hipGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
    ok(hipMemcpy2DFromArray(got, 32, array, 0, 0, 32, 4, hipMemcpyDeviceToHost));
    check(memcmp(got, texels, sizeof texels) == 0);
    got[31] = 5;
    ok(hipMemcpy2DToArray(array, 0, 0, got, 32, 32, 4, hipMemcpyHostToDevice));
    for (int round = 0; round < 2; round++) {
        fakegl_fail(round ? NULL : "glTexSubImage2D");
        expect(hipGraphicsUnmapResources(1, &resource, NULL), round ? hipSuccess : hipErrorUnknown);
    }
    check(memcmp(fakegl_contents(texture), got, sizeof got) == 0);
    ok(hipGraphicsUnregisterResource(resource));
    fakegl_delete(texture);
    fakegl_make_current(false);
}

/* Work of the stream that was queued before. */
static void unmapping_waits_for_the_work_of_its_stream(void **state)
{
    hipGraphicsResource_t resource = share_buffer(NONE);
    hipStream_t stream;
    void *pointer;
    (void)state;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipGraphicsMapResources(1, &resource, stream));
    ok(hipGraphicsResourceGetMappedPointer(&pointer, NULL, resource));
    for (uint32_t i = 0; i < 20; i++)
        ok(launch_fill(pointer, i, SIZE / 4, stream));
    ok(hipGraphicsUnmapResources(1, &resource, stream));
    check_words(fakegl_contents(buffer), SIZE / 4, 19);
    ok(hipStreamDestroy(stream));
    end_sharing(resource);
}

static void a_resource_belongs_to_its_device(void **state)
{
    hipGraphicsResource_t resource = share_buffer(NONE);
    (void)state;
    ok(hipSetDevice(1));
    expect_says(hipGraphicsMapResources(1, &resource, NULL), hipErrorInvalidHandle,
                "a resource that was registered for device 0 is used in a stream of device 1");
    ok(hipSetDevice(0));
    (void)map(resource);
    ok(hipGraphicsUnmapResources(1, &resource, NULL));
    end_sharing(resource);
}

/* ---- Mesa, over HSA ------------------------------------------------------------------------- */

/* Device 1 draws. */
static void set_mesa(int error)
{
    char place[64];
    struct fakegl_mesa mesa = {.present = true, .error = error, .offset = 512};
    ok(hipDeviceGetPCIBusId(place, sizeof place, 1));
    check(sscanf(place, "%x:%x:%x", &mesa.domain, &mesa.bus, &mesa.device) == 3);
    fakegl_set_mesa(&mesa);
}

static void no_mesa(void)
{
    fakegl_set_mesa(&(struct fakegl_mesa){.present = false});
}

static void the_device_that_draws_is_the_one_of_mesa(void **state)
{
    unsigned count = 0;
    int device = -1;
    (void)state;
    set_mesa(0);
    fakegl_make_current(true);
    ok(hipGLGetDevices(&count, &device, 1, hipGLDeviceListAll));
    check(count == 1 && device == 1);
    no_mesa();
    ok(hipGLGetDevices(&count, &device, 1, hipGLDeviceListAll));
    check(count == 1 && device == 0);
    fakegl_make_current(false);
}

static void check_copies(hipGraphicsResource_t resource)
{
    unsigned writes = fakegl_writes();
    ok(hipMemset(map(resource), 3, SIZE));
    ok(hipGraphicsUnmapResources(1, &resource, NULL));
    check(fakegl_writes() == writes + 1 && *(char *)fakegl_contents(buffer) == 3);
    end_sharing(resource);
}

static void a_device_that_does_not_draw_has_copies(void **state)
{
    (void)state;
    set_mesa(0);
    check_copies(share_buffer(NONE));
    no_mesa();
}

/* Of device 1. */
static hipGraphicsResource_t share_exported(size_t shrink)
{
    hipGraphicsResource_t resource;
    char place[64];
    struct fakegl_mesa mesa = {.present = true, .offset = 512, .shrink = shrink};
    ok(hipDeviceGetPCIBusId(place, sizeof place, 1));
    check(sscanf(place, "%x:%x:%x", &mesa.domain, &mesa.bus, &mesa.device) == 3);
    fakegl_set_mesa(&mesa);
    ok(hipSetDevice(1));
    fakegl_make_current(true);
    buffer = fakegl_buffer(SIZE);
    ok(hipGraphicsGLRegisterBuffer(&resource, buffer, NONE));
    return resource;
}

static void a_buffer_that_mesa_exports_is_the_same_memory(void **state)
{
    hipGraphicsResource_t resource = share_exported(0);
    unsigned reads = fakegl_reads(), writes = fakegl_writes();
    uint32_t first = 0;
    (void)state;
    memset(fakegl_contents(buffer), 1, SIZE);
    void *pointer = map(resource);
    ok(hipMemcpy(&first, pointer, sizeof first, hipMemcpyDeviceToHost));
    check(first == 0x01010101);
    ok(launch_fill(pointer, 77, SIZE / 4, NULL));
    ok(hipGraphicsUnmapResources(1, &resource, NULL));
    check_words(fakegl_contents(buffer), SIZE / 4, 77);
    check(fakegl_reads() == reads && fakegl_writes() == writes);
    end_sharing(resource);
    no_mesa();
    ok(hipSetDevice(0));
}

static void an_exported_file_that_is_too_short_is_not_used(void **state)
{
    (void)state;
    check_copies(share_exported(4096));
    no_mesa();
    ok(hipSetDevice(0));
}

static void what_mesa_does_not_export_is_shared_by_copies(void **state)
{
    hipGraphicsResource_t resource;
    (void)state;
    set_mesa(10);
    ok(hipSetDevice(1));
    fakegl_make_current(true);
    buffer = fakegl_buffer(SIZE);
    expect_says(hipGraphicsGLRegisterBuffer(&resource, buffer, NONE), hipSuccess,
                "Mesa does not export buffer 1 of OpenGL (its error 10): it is shared by copies");
    check_copies(resource);
    no_mesa();
    ok(hipSetDevice(0));
}

static void the_next_frame_has_no_devices(void **state)
{
    unsigned count;
    int device;
    (void)state;
    expect_says(hipGLGetDevices(&count, &device, 1, hipGLDeviceListNextFrame), hipErrorNotSupported,
                "no driver says which device draws the next frame");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_thread_shares_only_with_a_context_of_its_own),
        TEST(old_and_embedded_versions_are_refused),
        TEST(a_lost_context_shares_nothing),
        TEST(what_cannot_be_shared_is_named),
        TEST(an_object_that_changed_its_size_is_not_mapped),
        TEST(contents_are_read_and_written_when_they_must_be),
        TEST(what_fails_to_be_read_is_not_mapped),
        TEST(what_fails_to_be_written_stays_mapped),
        TEST(an_image_is_moved_as_a_whole),
        TEST(unmapping_waits_for_the_work_of_its_stream),
        TEST(a_resource_belongs_to_its_device),
        TEST(the_next_frame_has_no_devices),
        TEST_OVER("hsa", of_mesa, the_device_that_draws_is_the_one_of_mesa),
        TEST_OVER("hsa", of_mesa, a_device_that_does_not_draw_has_copies),
        TEST_OVER("hsa", of_mesa, a_buffer_that_mesa_exports_is_the_same_memory),
        TEST_OVER("hsa", of_mesa, an_exported_file_that_is_too_short_is_not_used),
        TEST_OVER("hsa", of_mesa, what_mesa_does_not_export_is_shared_by_copies),
    };
    use_fake("80,80");
    return run_group("graphics", tests);
}
