/* Fat binaries as clang's constructors register them: kernels, variables, what
 * happens when they do not fit, go away, or the device is reset. */
#include "fill_ptx.h"
#include "support.h"
#include "thread.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const dim3 one = {1, 1, 1};

static const char fill_ptx[] =
    PTX_HEADER ".visible .global .align 8 .u64 shared_words;\n"
               ".visible .global .align 4 .u32 fake_counter = 40;\n" PTX_FILL
               ".visible .entry fake_count(.param .u64 out)\n{\nret;\n}\n";

static char *text(const char *name)
{
    return (char *)(uintptr_t)name;
}

static void register_kernel(void **handle, const void *host, const char *name)
{
    __hipRegisterFunction(handle, host, text(name), name, 0xffffffffu, NULL, NULL, NULL, NULL,
                          NULL);
}

static hipError_t fill_with(const void *kernel, uint32_t *out, uint32_t value)
{
    uint32_t count = 1;
    void *args[] = {&out, &value, &count};
    return hipLaunchKernel(kernel, one, one, args, 0, NULL);
}

/* ---- images --------------------------------------------------------------------------------- */

static void check_fill(const void *image)
{
    static const char kernel = 0;
    struct wrapper wrapper = wrap_image(image);
    uint32_t *pinned;
    ok(hipHostMalloc((void **)&pinned, 4, 0));
    *pinned = 0;
    void **handle = __hipRegisterFatBinary(&wrapper);
    check(handle != NULL);
    register_kernel(handle, &kernel, "fake_fill");
    ok(fill_with(&kernel, pinned, 77));
    ok(hipDeviceSynchronize());
    check(*pinned == 77);
    __hipUnregisterFatBinary(handle);
    expect(fill_with(&kernel, pinned, 78), hipErrorInvalidDeviceFunction);
    ok(hipHostFree(pinned));
}

static void kernels_of_bundles_plain_and_compressed_are_launched(void **state)
{
    size_t size, packed_size;
    struct entry entries[] = {{"hip-nvptx64-nvidia-cuda--sm_70", fill_ptx, sizeof fill_ptx - 1}};
    (void)state;
    check_fill(fill_ptx);
    void *bundle = make_bundle(entries, 1, &size);
    check_fill(bundle);
    for (int method = ZLIB; method <= ZSTD; method++) {
        void *packed = compress_bundle(bundle, size, (enum compression)method, &packed_size);
        check_fill(packed);
        free(packed);
    }
    free(bundle);
}

static void registering_calls_no_driver_and_a_launch_loads_on_its_device_only(void **state)
{
    static const char kernel = 0, second = 0;
    struct wrapper wrapper = wrap_image(fill_ptx);
    uint32_t *pinned;
    (void)state;
    ok(hipHostMalloc((void **)&pinned, 4, 0));
    unsigned loads = fakecuda_calls("cuModuleLoadDataEx");
    void **handle = __hipRegisterFatBinary(&wrapper);
    register_kernel(handle, &kernel, "fake_fill");
    register_kernel(handle, &second, "fake_count");
    check(fakecuda_calls("cuModuleLoadDataEx") == loads);
    ok(fill_with(&kernel, pinned, 1));
    check(fakecuda_calls("cuModuleLoadDataEx") == loads + 1);
    void *args[] = {&pinned};
    ok(hipLaunchKernel(&second, one, one, args, 0, NULL));
    ok(fill_with(&kernel, pinned, 2));
    check(fakecuda_calls("cuModuleLoadDataEx") == loads + 1);
    ok(hipDeviceSynchronize());
    ok(hipSetDevice(1));
    ok(fill_with(&kernel, pinned, 3));
    check(fakecuda_calls("cuModuleLoadDataEx") == loads + 2);
    ok(hipDeviceSynchronize());
    __hipUnregisterFatBinary(handle);
    ok(hipHostFree(pinned));
}

/* What is logged by two launches of a kernel and a question about a variable, with their errors. */
static char *log_of_use(const void *kernel, hipError_t of_kernel, const void *variable,
                        hipError_t of_variable)
{
    void *address;
    ok(hipExtSetLoggingParams(1, 0, ~0u));
    begin_log();
    hipError_t first = hipLaunchKernel(kernel, one, one, NULL, 0, NULL);
    hipError_t again = hipLaunchKernel(kernel, one, one, NULL, 0, NULL);
    hipError_t symbol = hipGetSymbolAddress(&address, variable);
    char *log = end_log();
    ok(hipExtSetLoggingParams(0, 0, ~0u));
    expect(first, of_kernel);
    expect(again, of_kernel);
    expect(symbol, of_variable);
    return log;
}

static void a_binary_without_code_for_the_device_says_once_what_it_holds(void **state)
{
    static const char kernel = 0;
    static char variable;
    void *address;
    size_t size, amd_size;
    void *amd = make_elf(MACHINE_AMDGPU, 0x3f, "", &amd_size);
    static const char ptx90[] = ".version 7.8\n.target sm_90\n.visible .entry k()\n{\nret;\n}\n"
                                ".visible .global .u32 v;\n";
    struct entry entries[] = {{"hip-amdgcn-amd-amdhsa--gfx90a", amd, amd_size},
                              {"hip-nvptx64-nvidia-cuda--sm_90", ptx90, sizeof ptx90 - 1}};
    (void)state;
    void *bundle = make_bundle(entries, 2, &size);
    struct wrapper wrapper = wrap_image(bundle);
    void **handle = __hipRegisterFatBinary(&wrapper);
    register_kernel(handle, &kernel, "k");
    __hipRegisterVar(handle, &variable, text("v"), text("v"), 0, 4, 0, 0);
    char *log = log_of_use(&kernel, hipErrorNoBinaryForGpu, &variable, hipErrorNoBinaryForGpu);
    check(count_text(log, "\n") == 1);
    check(strstr(log, "gfx90a") && strstr(log, "PTX sm_90"));
    expect(hipGetLastError(), hipErrorNoBinaryForGpu);
    free(log);
    ok(hipSetDevice(1)); /* which is sm_90 */
    ok(hipLaunchKernel(&kernel, one, one, NULL, 0, NULL));
    ok(hipGetSymbolAddress(&address, &variable));
    ok(hipDeviceSynchronize());
    __hipUnregisterFatBinary(handle);
    free(bundle);
    free(amd);
}

static void a_damaged_binary_is_an_invalid_image(void **state)
{
    static const char kernel = 0;
    size_t size, packed_size;
    struct entry entries[] = {{"one", fill_ptx, sizeof fill_ptx - 1}};
    (void)state;
    void *bundle = make_bundle(entries, 1, &size);
    unsigned char *packed = compress_bundle(bundle, size, ZSTD, &packed_size);
    packed[24] ^= 0x55; /* the first byte of what zstd made */
    struct wrapper wrapper = wrap_image(packed);
    void **handle = __hipRegisterFatBinary(&wrapper);
    register_kernel(handle, &kernel, "fake_fill");
    expect(fill_with(&kernel, NULL, 1), hipErrorInvalidImage);
    expect(fill_with(&kernel, NULL, 1), hipErrorInvalidImage);
    __hipUnregisterFatBinary(handle);
    free(packed);
    free(bundle);
}

static void a_driver_that_cannot_load_the_code_is_reported(void **state)
{
    static const char kernel = 0;
    struct wrapper wrapper = wrap_image(fill_ptx);
    uint32_t *pinned;
    (void)state;
    ok(hipHostMalloc((void **)&pinned, 4, 0));
    void **handle = __hipRegisterFatBinary(&wrapper);
    register_kernel(handle, &kernel, "fake_fill");
    fakecuda_fail("cuModuleLoadDataEx", 1, 221); /* JIT_COMPILER_NOT_FOUND */
    expect(fill_with(&kernel, pinned, 1), hipErrorSharedObjectInitFailed);
    __hipUnregisterFatBinary(handle);
    ok(hipHostFree(pinned));
}

static void what_is_not_hips_is_refused_and_harmless(void **state)
{
    static const char kernel = 0;
    struct wrapper wrong_magic = {0x12345678, 1, fill_ptx, NULL};
    struct wrapper wrong_version = {0x48495046, 9, fill_ptx, NULL};
    int local;
    (void)state;
    begin_log();
    check(__hipRegisterFatBinary(NULL) == NULL);
    check(__hipRegisterFatBinary(&wrong_magic) == NULL);
    check(__hipRegisterFatBinary(&wrong_version) == NULL);
    char *log = end_log();
    check(count_text(log, "not HIP's") == 3); /* whatever the log level */
    free(log);
    register_kernel(NULL, &kernel, "fake_fill");
    __hipRegisterVar(NULL, &local, text("v"), text("v"), 0, 4, 0, 0);
    expect(hipLaunchKernel(&kernel, one, one, NULL, 0, NULL), hipErrorInvalidDeviceFunction);
    __hipUnregisterFatBinary(NULL);
    __hipUnregisterFatBinary((void **)(void *)&local);
}

/* ---- symbols --------------------------------------------------------------------------------- */

static void the_first_registration_of_an_address_counts(void **state)
{
    static const char kernel = 0;
    static char variable;
    struct wrapper wrapper = wrap_image(fill_ptx);
    uint32_t *pinned;
    size_t size;
    (void)state;
    ok(hipHostMalloc((void **)&pinned, 4, 0));
    void **handle = __hipRegisterFatBinary(&wrapper);
    register_kernel(handle, &kernel, "fake_fill");
    register_kernel(handle, &kernel, "no such kernel");
    __hipRegisterVar(handle, &variable, text("fake_counter"), text("fake_counter"), 0, 4, 0, 0);
    __hipRegisterVar(handle, &variable, text("nothing"), text("nothing"), 0, 400, 0, 0);
    ok(fill_with(&kernel, pinned, 5));
    check(strcmp(hipKernelNameRefByPtr(&kernel, NULL), "fake_fill") == 0);
    ok(hipGetSymbolSize(&size, &variable));
    check(size == 4);
    ok(hipDeviceSynchronize());
    __hipUnregisterFatBinary(handle);
    ok(hipHostFree(pinned));
}

static void what_the_code_does_not_have_is_named_in_the_log(void **state)
{
    static const char kernel = 0;
    static char variable;
    struct wrapper wrapper = wrap_image(fill_ptx);
    (void)state;
    void **handle = __hipRegisterFatBinary(&wrapper);
    register_kernel(handle, &kernel, "missing_kernel");
    __hipRegisterVar(handle, &variable, text("missing"), text("missing_variable"), 0, 4, 0, 0);
    char *log =
        log_of_use(&kernel, hipErrorInvalidDeviceFunction, &variable, hipErrorInvalidSymbol);
    check(strstr(log, "missing_kernel") && strstr(log, "missing_variable"));
    free(log);
    __hipUnregisterFatBinary(handle);
}

static void textures_and_surfaces_are_registered_without_effect(void **state)
{
    static char texture, surface;
    struct wrapper wrapper = wrap_image(fill_ptx);
    void *address;
    (void)state;
    void **handle = __hipRegisterFatBinary(&wrapper);
    __hipRegisterTexture(handle, &texture, text("t"), text("t"), 0, 0, 0);
    __hipRegisterSurface(handle, &surface, text("s"), text("s"), 0, 0);
    expect(hipGetSymbolAddress(&address, &texture), hipErrorInvalidSymbol);
    expect(hipLaunchKernel(&surface, one, one, NULL, 0, NULL), hipErrorInvalidDeviceFunction);
    __hipUnregisterFatBinary(handle);
}

static void many_kernels_are_found(void **state)
{
    enum { COUNT = 1000 };
    static char kernels[COUNT];
    struct wrapper wrapper = wrap_image(fill_ptx);
    uint32_t *pinned;
    (void)state;
    ok(hipHostMalloc((void **)&pinned, 4, 0));
    for (int round = 0; round < 3; round++) { /* addresses that were there before */
        void **handle = __hipRegisterFatBinary(&wrapper);
        for (int i = 0; i < COUNT; i++)
            register_kernel(handle, &kernels[i], i % 2 ? "fake_fill" : "fake_count");
        for (int i = 1; i < COUNT; i += 100)
            ok(fill_with(&kernels[i], pinned, 1));
        for (int i = 0; i < COUNT; i++)
            check(strcmp(hipKernelNameRefByPtr(&kernels[i], NULL),
                         i % 2 ? "fake_fill" : "fake_count") == 0);
        ok(hipDeviceSynchronize());
        __hipUnregisterFatBinary(handle);
        check(hipKernelNameRefByPtr(&kernels[0], NULL) == NULL);
    }
    ok(hipHostFree(pinned));
}

/* ---- managed variables
 * --------------------------------------------------------------------------- */

static void managed_variables_are_memory_that_host_and_device_share(void **state)
{
    static uint32_t *variable; /* what clang replaces the variable by */
    uint32_t first[4] = {10, 20, 30, 40}, back[4];
    struct wrapper wrapper = wrap_image(fill_ptx);
    hipPointerAttribute_t attributes;
    void *device_pointer, *address;
    size_t size;
    static const char kernel = 0;
    (void)state;
    void **handle = __hipRegisterFatBinary(&wrapper);
    register_kernel(handle, &kernel, "fake_fill");
    __hipRegisterManagedVar(handle, (void **)(void *)&variable, first, "shared_words", sizeof first,
                            4);
    check(variable && variable[0] == 10 && variable[3] == 40);
    ok(hipPointerGetAttributes(&attributes, variable));
    check(attributes.isManaged && attributes.type == hipMemoryTypeManaged);
    ok(fill_with(&kernel, variable + 1, 99));
    ok(hipDeviceSynchronize());
    check(variable[1] == 99);
    /* Device code finds the memory through a pointer of the variable's name. */
    hipModule_t module;
    hipFunction_t function;
    ok(hipGetFuncBySymbol(&function, &kernel));
    ok(hipModuleLoadData(&module, fill_ptx));
    ok(hipModuleUnload(module));
    for (int i = 0; i < 2; i++) { /* by the pointer's address, and as C++ names it */
        const void *symbol = i == 0 ? (const void *)&variable : variable;
        ok(hipGetSymbolAddress(&address, symbol));
        ok(hipGetSymbolSize(&size, symbol));
        check(address == variable && size == sizeof first);
        ok(hipMemcpyFromSymbol(back, symbol, sizeof back, 0, hipMemcpyDeviceToHost));
        check(back[1] == 99 && back[2] == 30);
    }
    (void)device_pointer;
    expect(hipFree(variable), hipErrorInvalidValue); /* not the application's */
    __hipUnregisterFatBinary(handle);
}

static void a_managed_variable_the_code_does_not_use_is_no_error(void **state)
{
    static uint32_t *variable;
    uint32_t first = 3;
    static const char kernel = 0;
    struct wrapper wrapper = wrap_image(fill_ptx);
    uint32_t *pinned;
    (void)state;
    ok(hipHostMalloc((void **)&pinned, 4, 0));
    void **handle = __hipRegisterFatBinary(&wrapper);
    register_kernel(handle, &kernel, "fake_fill");
    __hipRegisterManagedVar(handle, (void **)(void *)&variable, &first, "unused", 4, 4);
    ok(fill_with(&kernel, pinned, 1));
    ok(hipDeviceSynchronize());
    __hipUnregisterFatBinary(handle);
    ok(hipHostFree(pinned));
}

static void a_managed_variable_without_a_first_value_and_without_size_is_made(void **state)
{
    static uint32_t *variable, *empty;
    struct wrapper wrapper = wrap_image(fill_ptx);
    (void)state;
    void **handle = __hipRegisterFatBinary(&wrapper);
    __hipRegisterManagedVar(handle, (void **)(void *)&variable, NULL, "v", 64, 256);
    __hipRegisterManagedVar(handle, (void **)(void *)&empty, NULL, "e", 0, 1);
    check(variable && empty);
    variable[15] = 1;
    __hipUnregisterFatBinary(handle);
}

/* ---- reset
 * --------------------------------------------------------------------------------------------- */

static uint32_t count_once(const void *kernel, uint32_t *pinned)
{
    void *args[] = {&pinned};
    ok(hipLaunchKernel(kernel, one, one, args, 0, NULL));
    ok(hipDeviceSynchronize());
    return *pinned;
}

static void after_a_reset_kernels_load_again_and_variables_start_anew(void **state)
{
    hipFunction_t before, after;
    hipModule_t module;
    hipStream_t stream;
    hipEvent_t event;
    hipMemPool_t pool;
    uint32_t *pinned, word = 0;
    void *memory;
    (void)state;
    ok(hipHostMalloc((void **)&pinned, 4, 0));
    check(count_once(&count_kernel, pinned) == 8); /* the counter starts at 7 */
    check(count_once(&count_kernel, pinned) == 9);
    ok(hipGetFuncBySymbol(&before, &count_kernel));
    ok(hipModuleLoadData(&module, fill_ptx));
    ok(hipStreamCreate(&stream));
    ok(hipEventCreate(&event));
    ok(hipMalloc(&memory, 64));
    ok(hipDeviceGetDefaultMemPool(&pool, 0));
    ok(hipDeviceReset());

    expect(hipModuleLaunchKernel(before, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
           hipErrorInvalidResourceHandle);
    expect(hipModuleUnload(module), hipErrorNotFound);
    expect(hipStreamSynchronize(stream), hipErrorContextIsDestroyed);
    expect(hipStreamDestroy(stream), hipErrorContextIsDestroyed);
    expect(hipEventSynchronize(event), hipErrorInvalidHandle);
    expect(hipFree(memory), hipErrorInvalidValue);
    expect(hipHostFree(pinned), hipErrorInvalidValue);
    expect(hipMemPoolTrimTo(pool, 0), hipErrorInvalidValue);

    ok(hipHostMalloc((void **)&pinned, 4, 0));
    check(count_once(&count_kernel, pinned) == 8);
    ok(hipMemcpyFromSymbol(&word, &counter_variable, 4, 0, hipMemcpyDeviceToHost));
    check(word == 8);
    ok(hipGetFuncBySymbol(&after, &count_kernel));
    ok(hipModuleLaunchKernel(after, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&pinned}, NULL));
    ok(hipDeviceSynchronize());
    check(*pinned == 9);
    ok(hipHostFree(pinned));
}

static void a_reset_of_one_device_leaves_the_other_alone(void **state)
{
    hipStream_t stream;
    void *memory;
    uint32_t *pinned;
    (void)state;
    ok(hipSetDevice(1));
    ok(hipStreamCreate(&stream));
    ok(hipMalloc(&memory, 64));
    ok(hipHostMalloc((void **)&pinned, 4, 0));
    uint32_t before = count_once(&count_kernel, pinned);
    ok(hipSetDevice(0));
    ok(hipDeviceReset());
    ok(hipSetDevice(1));
    ok(hipStreamSynchronize(stream));
    ok(hipMemset(memory, 0, 64));
    check(count_once(&count_kernel, pinned) == before + 1);
    ok(hipHostFree(pinned));
    ok(hipFree(memory));
    ok(hipStreamDestroy(stream));
}

static void arrays_and_virtual_memory_are_forgotten_by_a_reset(void **state)
{
    hipChannelFormatDesc format = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
    hipArray_t array;
    float value = 1;
    (void)state;
    ok(hipMallocArray(&array, &format, 16, 16, 0));
    ok(hipDeviceReset());
    expect(hipFreeArray(array), hipErrorContextIsDestroyed);
    expect(hipMemcpy2DToArray(array, 0, 0, &value, 4, 4, 1, hipMemcpyHostToDevice),
           hipErrorContextIsDestroyed);
    ok(hipMallocArray(&array, &format, 16, 16, 0));
    ok(hipFreeArray(array));
}

static void managed_variables_survive_a_reset_with_their_first_value(void **state)
{
    static uint32_t *variable;
    uint32_t first = 11, back = 0;
    static const char kernel = 0;
    struct wrapper wrapper = wrap_image(fill_ptx);
    (void)state;
    void **handle = __hipRegisterFatBinary(&wrapper);
    register_kernel(handle, &kernel, "fake_fill");
    __hipRegisterManagedVar(handle, (void **)(void *)&variable, &first, "shared_words", 4, 4);
    *variable = 5;
    ok(fill_with(&kernel, variable, 6));
    ok(hipDeviceReset());
    check(*variable == 11);
    ok(fill_with(&kernel, variable, 7));
    ok(hipDeviceSynchronize());
    check(*variable == 7);
    ok(hipMemcpyFromSymbol(&back, &variable, 4, 0, hipMemcpyDeviceToHost));
    check(back == 7);
    ok(hipSetDevice(1));
    ok(fill_with(&kernel, variable, 8));
    ok(hipDeviceSynchronize());
    check(*variable == 8);
    __hipUnregisterFatBinary(handle);
}

/* ---- libraries that go
 * ----------------------------------------------------------------------------- */

static void a_plugin_can_be_unloaded_and_loaded_again(void **state)
{
    uint32_t *pinned;
    (void)state;
    ok(hipHostMalloc((void **)&pinned, 4, 0));
    for (uint32_t round = 1; round <= 3; round++) {
        void *plugin = dlopen(PLUGIN_PATH, RTLD_NOW | RTLD_LOCAL);
        check(plugin != NULL);
        hipError_t (*fill)(uint32_t *, uint32_t, uint32_t, hipStream_t) =
            (hipError_t(*)(uint32_t *, uint32_t, uint32_t, hipStream_t))dlsym(plugin,
                                                                              "plugin_fill");
        const void *(*kernel_of)(void) = (const void *(*)(void))dlsym(plugin, "plugin_kernel");
        const void *kernel = kernel_of();
        ok(fill(pinned, round, 1, NULL));
        ok(hipDeviceSynchronize());
        check(*pinned == round);
        dlclose(plugin);
        expect(fill_with(kernel, pinned, 1), hipErrorInvalidDeviceFunction);
    }
    ok(hipHostFree(pinned));
}

static void a_plugin_that_goes_while_its_kernel_waits_is_waited_for(void **state)
{
    hipStream_t stream;
    uint32_t *pinned, milliseconds = 20;
    void *args[] = {&milliseconds};
    (void)state;
    ok(hipHostMalloc((void **)&pinned, 4, 0));
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    void *plugin = dlopen(PLUGIN_PATH, RTLD_NOW | RTLD_LOCAL);
    check(plugin != NULL);
    hipError_t (*fill)(uint32_t *, uint32_t, uint32_t, hipStream_t) =
        (hipError_t(*)(uint32_t *, uint32_t, uint32_t, hipStream_t))dlsym(plugin, "plugin_fill");
    ok(hipLaunchKernel(&spin_kernel, one, one, args, 0, stream));
    ok(fill(pinned, 31, 1, stream));
    dlclose(plugin);
    check(*pinned == 31);
    ok(hipStreamDestroy(stream));
    ok(hipHostFree(pinned));
}

/* ---- threads ------------------------------------------------------------------------------ */

static const char managed_ptx[] = PTX_HEADER
    ".visible .global .align 8 .u64 shared_words;\n"
    "// write_shared(value): *shared_words = value\n"
    ".visible .entry write_shared(.param .u32 value)\n"
    "{\n"
    "    .reg .b32 %r; .reg .b64 %rd;\n"
    "    ld.param.u32 %r, [value]; ld.global.u64 %rd, [shared_words]; st.global.u32 [%rd], %r;\n"
    "    ret;\n"
    "}\n";

static struct {
    const void *kernel;
    uint32_t *out;
    sem_t loading, may_load;
} slow;

static void in_the_load(void *unused)
{
    (void)unused;
    sem_post(&slow.loading);
    sem_wait(&slow.may_load);
}

static void *use_slow(void *unused)
{
    (void)unused;
    ok(fill_with(slow.kernel, slow.out, 5));
    ok(hipDeviceSynchronize());
    return NULL;
}

/* A thread is blocked in the driver, which loads its code; others continue, on both devices. */
static void code_that_takes_long_to_load_holds_up_no_other(void)
{
    static const char slow_kernel = 0, other_kernel = 0, third_kernel = 0;
    pthread_t thread;
    struct wrapper wrapper = wrap_image(fill_ptx), other = wrap_image(fill_ptx);
    use_fake("80,90");
    ok(hipHostMalloc((void **)&slow.out, 16, hipHostMallocPortable));
    void **handle = __hipRegisterFatBinary(&wrapper);
    register_kernel(handle, &slow_kernel, "fake_fill");
    slow.kernel = &slow_kernel;
    sem_init(&slow.loading, 0, 0);
    sem_init(&slow.may_load, 0, 0);
    fakecuda_hook("cuModuleLoadDataEx", in_the_load, NULL);
    check(pthread_create(&thread, NULL, use_slow, NULL) == 0);
    sem_wait(&slow.loading);

    void **other_handle = __hipRegisterFatBinary(&other);
    register_kernel(other_handle, &other_kernel, "fake_fill");
    register_kernel(other_handle, &third_kernel, "fake_count");
    ok(fill_with(&other_kernel, slow.out + 1, 6));
    ok(hipSetDevice(1));
    ok(fill_with(&other_kernel, slow.out + 2, 7));
    ok(fill_with(&slow_kernel, slow.out + 3, 8)); /* the same code on another device */
    ok(hipDeviceSynchronize());
    ok(hipDeviceReset());
    ok(hipSetDevice(0));
    ok(hipDeviceSynchronize());
    check(slow.out[0] == 0 && slow.out[1] == 6 && slow.out[2] == 7 && slow.out[3] == 8);

    sem_post(&slow.may_load);
    check(pthread_join(thread, NULL) == 0);
    check(slow.out[0] == 5);
    __hipUnregisterFatBinary(other_handle);
    __hipUnregisterFatBinary(handle);
    ok(hipHostFree(slow.out));
}

/* Several threads want the same kernel on the same device; it is loaded once. */
static void *use_once(void *unused)
{
    (void)unused;
    ok(fill_with(slow.kernel, slow.out, 9));
    return NULL;
}

static void code_that_many_threads_want_is_loaded_once(void)
{
    enum { THREADS = 8 };
    static const char kernel = 0;
    pthread_t threads[THREADS];
    struct wrapper wrapper = wrap_image(fill_ptx);
    use_fake("80");
    ok(hipHostMalloc((void **)&slow.out, 16, 0));
    void **handle = __hipRegisterFatBinary(&wrapper);
    register_kernel(handle, &kernel, "fake_fill");
    slow.kernel = &kernel;
    sem_init(&slow.loading, 0, 0);
    sem_init(&slow.may_load, 0, 0);
    fakecuda_hook("cuModuleLoadDataEx", in_the_load, NULL);
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, use_once, NULL) == 0);
    sem_wait(&slow.loading);
    sem_post(&slow.may_load);
    for (int i = 0; i < THREADS; i++)
        check(pthread_join(threads[i], NULL) == 0);
    ok(hipDeviceSynchronize());
    check(slow.out[0] == 9);
    check(fakecuda_calls("cuModuleLoadDataEx") == 1 && fakecuda_calls("cuModuleGetFunction") == 1);
    __hipUnregisterFatBinary(handle);
    ok(hipHostFree(slow.out));
}

/* A library is closed while a thread loads its code, which fails. */
static struct {
    _Atomic(pid_t) thread;
    _Atomic bool done;
    hipError_t error;
} closing;

static void *use_in_vain(void *unused)
{
    (void)unused;
    closing.error = fill_with(slow.kernel, slow.out, 5);
    return NULL;
}

static void *unregister(void *handle)
{
    closing.thread = gettid();
    __hipUnregisterFatBinary(handle);
    closing.done = true;
    return NULL;
}

static void a_library_that_is_closed_waits_for_the_load_of_its_code(void)
{
    static const char kernel = 0;
    pthread_t user, closer;
    struct wrapper wrapper = wrap_image(fill_ptx);
    use_fake("80");
    void **handle = __hipRegisterFatBinary(&wrapper);
    register_kernel(handle, &kernel, "fake_fill");
    slow.kernel = &kernel;
    sem_init(&slow.loading, 0, 0);
    sem_init(&slow.may_load, 0, 0);
    fakecuda_fail("cuModuleLoadDataEx", 1, 218); /* INVALID_PTX */
    fakecuda_hook("cuModuleLoadDataEx", in_the_load, NULL);
    check(pthread_create(&user, NULL, use_in_vain, NULL) == 0);
    sem_wait(&slow.loading);
    check(pthread_create(&closer, NULL, unregister, handle) == 0);
    while (!closing.done && !(closing.thread && ah_test_sleeps(closing.thread)))
        sched_yield();
    bool early = closing.done;
    sem_post(&slow.may_load);
    check(pthread_join(user, NULL) == 0);
    check(pthread_join(closer, NULL) == 0);
    check(!early && closing.error != hipSuccess);
}

/* The first launch of code with managed variables waits for no kernel, and kernels in any stream
 * see the variable. */
static void the_address_of_a_managed_variable_is_there_before_a_kernel_runs(void)
{
    static const char kernel = 0;
    static void *variable;
    hipStream_t stream;
    uint32_t first = 3, value = 44;
    void *args[] = {&value};
    struct wrapper wrapper = wrap_image(managed_ptx);
    use_fake("80");
    check(start_kernels(NULL) == 0);
    void **handle = __hipRegisterFatBinary(&wrapper);
    register_kernel(handle, &kernel, "write_shared");
    __hipRegisterManagedVar(handle, &variable, &first, "shared_words", sizeof first, 4);
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    struct gate gate = close_gate(NULL);
    ok(hipLaunchKernel(&kernel, one, one, args, 0, stream));
    ok(hipStreamSynchronize(stream));
    check(*(const uint32_t *)variable == 44);
    expect(hipStreamQuery(NULL), hipErrorNotReady);
    open_gate(&gate);
    ok(hipDeviceSynchronize());
    free_gate(&gate);
    ok(hipStreamDestroy(stream));
    __hipUnregisterFatBinary(handle);
    check(end_kernels(NULL) == 0);
}

static void threads_load_code_without_waiting_for_each_other(void **state)
{
    (void)state;
    in_child(code_that_takes_long_to_load_holds_up_no_other);
    in_child(code_that_many_threads_want_is_loaded_once);
    in_child(a_library_that_is_closed_waits_for_the_load_of_its_code);
    in_child(the_address_of_a_managed_variable_is_there_before_a_kernel_runs);
}

int main(void)
{
    const struct CMUnitTest of_processes[] = {
        TEST_UNCHECKED(threads_load_code_without_waiting_for_each_other),
    };
    const struct CMUnitTest tests[] = {
        TEST(kernels_of_bundles_plain_and_compressed_are_launched),
        TEST(registering_calls_no_driver_and_a_launch_loads_on_its_device_only),
        TEST(a_binary_without_code_for_the_device_says_once_what_it_holds),
        TEST(a_damaged_binary_is_an_invalid_image),
        TEST(a_driver_that_cannot_load_the_code_is_reported),
        TEST(what_is_not_hips_is_refused_and_harmless),
        TEST(the_first_registration_of_an_address_counts),
        TEST(what_the_code_does_not_have_is_named_in_the_log),
        TEST(textures_and_surfaces_are_registered_without_effect),
        TEST(many_kernels_are_found),
        TEST(managed_variables_are_memory_that_host_and_device_share),
        TEST(a_managed_variable_the_code_does_not_use_is_no_error),
        TEST(a_managed_variable_without_a_first_value_and_without_size_is_made),
        TEST(after_a_reset_kernels_load_again_and_variables_start_anew),
        TEST(a_reset_of_one_device_leaves_the_other_alone),
        TEST(arrays_and_virtual_memory_are_forgotten_by_a_reset),
        TEST(managed_variables_survive_a_reset_with_their_first_value),
        TEST(a_plugin_can_be_unloaded_and_loaded_again),
        TEST(a_plugin_that_goes_while_its_kernel_waits_is_waited_for),
    };
    int failed = cmocka_run_group_tests_name("driver.fatbin, threads", of_processes, NULL, NULL);
    use_fake("80,90");
    return failed + run_group("driver.fatbin", tests);
}
