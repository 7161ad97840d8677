/* Handles: the place of an object that is gone is used again, so that a program may make and
 * destroy as many as it likes. */
#include "support.h"

#include <hip/hiprtc.h>

#include <stdlib.h>

/* A place is used again when some 256 others have been left, so that stale handles are seen. */
enum { ROUNDS = 320 };

/* ---- a way to make and destroy each type of handle --------------------------------------- */

static void *make_stream(void)
{
    hipStream_t stream;
    ok(hipStreamCreate(&stream));
    return stream;
}

static void destroy_stream(void *handle)
{
    ok(hipStreamDestroy(handle));
}

static void *make_event(void)
{
    hipEvent_t event;
    ok(hipEventCreate(&event));
    return event;
}

static void destroy_event(void *handle)
{
    ok(hipEventDestroy(handle));
}

static void *make_module(void)
{
    hipModule_t module;
    ok(hipModuleLoadData(&module, kernels_image()));
    return module;
}

static void destroy_module(void *handle)
{
    ok(hipModuleUnload(handle));
}

static hipModule_t module_of_function;

static void *make_function(void)
{
    hipFunction_t function;
    module_of_function = make_module();
    ok(hipModuleGetFunction(&function, module_of_function, "fake_fill"));
    return function;
}

static void destroy_function(void *handle)
{
    (void)handle;
    destroy_module(module_of_function);
}

static void *make_context(void)
{
    hipCtx_t context;
    ok(hipCtxCreate(&context, 0, 0));
    return context;
}

static void destroy_context(void *handle)
{
    ok(hipCtxDestroy(handle));
}

static void *make_pool(void)
{
    hipMemPool_t pool;
    const hipMemPoolProps properties = {.allocType = hipMemAllocationTypePinned,
                                        .location = {.type = hipMemLocationTypeDevice}};
    ok(hipMemPoolCreate(&pool, &properties));
    return pool;
}

static void destroy_pool(void *handle)
{
    ok(hipMemPoolDestroy(handle));
}

static void *make_array(void)
{
    const hipChannelFormatDesc format = {32, 0, 0, 0, hipChannelFormatKindFloat};
    hipArray_t array;
    ok(hipMallocArray(&array, &format, 4, 4, 0));
    return array;
}

static void destroy_array(void *handle)
{
    ok(hipFreeArray(handle));
}

static void *make_mipmap(void)
{
    const hipChannelFormatDesc format = {32, 0, 0, 0, hipChannelFormatKindFloat};
    hipMipmappedArray_t mipmap;
    ok(hipMallocMipmappedArray(&mipmap, &format, (hipExtent){4, 4, 0}, 2, 0));
    return mipmap;
}

static void destroy_mipmap(void *handle)
{
    ok(hipFreeMipmappedArray(handle));
}

/* A level is an array whose handle becomes invalid with that of the mipmapped array. */
static hipMipmappedArray_t mipmap_of_level;

static void *make_level(void)
{
    hipArray_t level;
    mipmap_of_level = make_mipmap();
    ok(hipGetMipmappedArrayLevel(&level, mipmap_of_level, 1));
    return level;
}

static void destroy_level(void *handle)
{
    (void)handle;
    destroy_mipmap(mipmap_of_level);
}

static void *make_memory(void)
{
    hipMemAllocationProp properties = {.type = hipMemAllocationTypePinned,
                                       .location = {.type = hipMemLocationTypeDevice}};
    hipMemGenericAllocationHandle_t memory;
    size_t grain;
    ok(hipMemGetAllocationGranularity(&grain, &properties, hipMemAllocationGranularityMinimum));
    ok(hipMemCreate(&memory, grain, &properties, 0));
    return memory;
}

static void destroy_memory(void *handle)
{
    ok(hipMemRelease(handle));
}

static void *make_program(void)
{
    hiprtcProgram program;
    check(hiprtcCreateProgram(&program, "\n", "name", 0, NULL, NULL) == HIPRTC_SUCCESS);
    return program;
}

static void destroy_program(void *handle)
{
    hiprtcProgram program = handle;
    check(hiprtcDestroyProgram(&program) == HIPRTC_SUCCESS);
}

static void *make_link(void)
{
    hiprtcLinkState state;
    check(hiprtcLinkCreate(0, NULL, NULL, &state) == HIPRTC_SUCCESS);
    return state;
}

static void destroy_link(void *handle)
{
    check(hiprtcLinkDestroy(handle) == HIPRTC_SUCCESS);
}

/* ---- tests -------------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t) * (void *const *)a, y = (uintptr_t) * (void *const *)b;
    return x < y ? -1 : x > y;
}

static void check_reused(void *(*make)(void), void (*destroy)(void *handle))
{
    void *seen[ROUNDS];
    bool again = false;
    for (int i = 0; i < ROUNDS; i++) {
        seen[i] = make();
        destroy(seen[i]);
    }
    qsort(seen, ROUNDS, sizeof *seen, by_address);
    for (int i = 1; i < ROUNDS; i++)
        again = again || seen[i] == seen[i - 1];
    check(again);
}

static void places_of_streams_events_and_contexts_are_used_again(void **state)
{
    (void)state;
    check_reused(make_stream, destroy_stream);
    check_reused(make_event, destroy_event);
    check_reused(make_context, destroy_context);
}

static void places_of_modules_and_functions_are_used_again(void **state)
{
    (void)state;
    check_reused(make_module, destroy_module);
    check_reused(make_function, destroy_function);
}

static void places_of_pools_arrays_and_memory_are_used_again(void **state)
{
    (void)state;
    check_reused(make_pool, destroy_pool);
    check_reused(make_array, destroy_array);
    check_reused(make_memory, destroy_memory);
}

static void places_of_mipmapped_arrays_and_their_levels_are_used_again(void **state)
{
    (void)state;
    check_reused(make_mipmap, destroy_mipmap);
    check_reused(make_level, destroy_level);
}

static void places_of_compilations_are_used_again(void **state)
{
    (void)state;
    check_reused(make_program, destroy_program);
    check_reused(make_link, destroy_link);
}

/* Destroyed handles whose slots are not reused yet are distinguished from live ones. */
static void a_handle_is_stale_while_others_come_and_go(void **state)
{
    hipEvent_t stale = make_event();
    (void)state;
    destroy_event(stale);
    for (int i = 0; i < 200; i++) {
        void *other = make_event();
        check(other != stale);
        expect(hipEventSynchronize(stale), hipErrorInvalidHandle);
        destroy_event(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(places_of_streams_events_and_contexts_are_used_again),
        TEST(places_of_modules_and_functions_are_used_again),
        TEST(places_of_pools_arrays_and_memory_are_used_again),
        TEST_OVER("cuda", "AMD's devices have no mipmapped arrays on Linux",
                  places_of_mipmapped_arrays_and_their_levels_are_used_again),
        TEST(places_of_compilations_are_used_again),
        TEST(a_handle_is_stale_while_others_come_and_go),
    };
    use_fake("80,90");
    return run_group("driver.handle", tests);
}
