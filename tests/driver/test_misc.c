/* Functions by name, the log, AnyHIP's own functions, and what tools of HIP 5 look for. */
#include "support.h"

#include <hip/api/per_thread_default_stream.h>
#include <hip/hip_deprecated.h>
#include <hip/hiprtc.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* ---- functions by name --------------------------------------------------------------- */

static void functions_are_found_by_name(void **state)
{
    hipError_t (*get_device)(int *);
    hipDriverProcAddressQueryResult status = HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    void *address;
    int device = -1;
    (void)state;
    ok(hipSetDevice(1));
    ok(hipGetProcAddress("hipGetDevice", &address, 702, 0, &status));
    check(status == HIP_GET_PROC_ADDRESS_SUCCESS);
    memcpy(&get_device, &address, sizeof address);
    ok(get_device(&device));
    check(device == 1);
    ok(hipGetProcAddress("hipGetDevice", &address, 702, 0, NULL));
}

static void the_version_chooses_the_structure(void **state)
{
    void *old, *new, *named;
    (void)state;
    ok(hipGetProcAddress("hipGetDeviceProperties", &old, 502, 0, NULL));
    ok(hipGetProcAddress("hipGetDeviceProperties", &new, 600, 0, NULL));
    ok(hipGetProcAddress("hipGetDevicePropertiesR0600", &named, 600, 0, NULL));
    check(old != new &&new == named);
    ok(hipGetProcAddress("hipChooseDevice", &old, 599, 0, NULL));
    ok(hipGetProcAddress("hipChooseDevice", &new, 702, 0, NULL));
    ok(hipGetProcAddress("hipChooseDeviceR0600", &named, 600, 0, NULL));
    check(old != new &&new == named);
}

static void a_flag_chooses_the_per_thread_functions(void **state)
{
    void *plain, *per_thread, *found;
    enum {
        LEGACY = HIP_GET_PROC_ADDRESS_LEGACY_STREAM,
        PER_THREAD = HIP_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
    };
    (void)state;
    ok(hipGetProcAddress("hipMemcpy", &plain, 702, LEGACY, NULL));
    ok(hipGetProcAddress("hipMemcpy_spt", &per_thread, 702, LEGACY, NULL));
    check(plain != per_thread);
    ok(hipGetProcAddress("hipMemcpy", &found, 702, 0, NULL));
    check(found == plain);
    ok(hipGetProcAddress("hipMemcpy", &found, 702, PER_THREAD, NULL));
    check(found == per_thread);
    ok(hipGetProcAddress_spt("hipMemcpy", &found, 702, 0, NULL));
    check(found == per_thread);
    ok(hipGetProcAddress_spt("hipMemcpy", &found, 702, LEGACY, NULL));
    check(found == plain);
    ok(hipGetProcAddress_spt("hipMalloc", &found, 702, 0, NULL)); /* there is only one */
    ok(hipGetProcAddress("hipMalloc", &plain, 702, PER_THREAD, NULL));
    check(found == plain);
    ok(hipGetDriverEntryPoint("hipMemcpy", &found, hipEnablePerThreadDefaultStream, NULL));
    check(found == per_thread);
    ok(hipGetDriverEntryPoint_spt("hipMemcpy", &found, hipEnableDefault, NULL));
    check(found == per_thread);
}

static void a_name_that_is_not_there_is_an_invalid_value(void **state)
{
    hipDriverProcAddressQueryResult status = HIP_GET_PROC_ADDRESS_SUCCESS;
    hipDriverEntryPointQueryResult entry = hipDriverEntryPointSuccess;
    void *address = &address;
    (void)state;
    expect(hipGetProcAddress("hipMakeCoffee", &address, 702, 0, &status), hipErrorInvalidValue);
    check(address == NULL && status == HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    address = &address;
    expect(hipGetDriverEntryPoint("hipMakeCoffee", &address, 0, &entry), hipErrorInvalidValue);
    check(address == NULL && entry == hipDriverEntryPointSymbolNotFound);
    expect(hipGetProcAddress("malloc", &address, 702, 0, NULL), hipErrorInvalidValue);
    expect(hipGetProcAddress("ah_memory_find", &address, 702, 0, NULL), hipErrorInvalidValue);
    expect(hipGetProcAddress(NULL, &address, 702, 0, NULL), hipErrorInvalidValue);
    expect(hipGetProcAddress("", &address, 702, 0, NULL), hipErrorInvalidValue);
    expect(hipGetProcAddress("hipMalloc", NULL, 702, 0, NULL), hipErrorInvalidValue);
    expect(hipGetProcAddress("hipMalloc", &address, 702, 3, NULL), hipErrorInvalidValue);
    expect(hipGetDriverEntryPoint(NULL, &address, 0, NULL), hipErrorInvalidValue);
    expect(hipGetDriverEntryPoint("hipMalloc", NULL, 0, NULL), hipErrorInvalidValue);
    expect(hipGetDriverEntryPoint("hipMalloc", &address, 3, NULL), hipErrorInvalidValue);
}

static void a_driver_entry_point_is_the_function_of_this_version(void **state)
{
    hipDriverEntryPointQueryResult status = hipDriverEntryPointSymbolNotFound;
    void *address, *wanted;
    (void)state;
    ok(hipGetDriverEntryPoint("hipGetDeviceProperties", &address, hipEnableDefault, &status));
    check(status == hipDriverEntryPointSuccess);
    ok(hipGetProcAddress("hipGetDevicePropertiesR0600", &wanted, 702, 0, NULL));
    check(address == wanted);
}

/* ---- the log ---------------------------------------------------------------------------- */

static void the_log_is_changed_while_the_program_runs(void **state)
{
    int device, count;
    (void)state;
    begin_log();
    hipError_t errors[] = {
        hipExtSetLoggingParams(3, 0, 0x1),
        hipGetDevice(&device),
        hipExtDisableLogging(),
        hipExtDisableLogging(), /* what was set is remembered all the same */
        hipGetDeviceCount(&count),
        hipExtEnableLogging(),
        hipGetDevice(&device),
        hipExtSetLoggingParams(3, 0, 0x2), /* not the calls */
        hipGetDeviceCount(&count),
        hipExtSetLoggingParams(0, 0, 0x1),
    };
    char *text = end_log();
    check(count_text(text, "hipGetDevice (") == 2);
    check(count_text(text, "hipGetDevice: Returned hipSuccess") == 2);
    check(count_text(text, "hipGetDeviceCount") == 0);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        ok(errors[i]);
    expect(hipExtSetLoggingParams(6, 0, 0x1), hipErrorInvalidValue);
    free(text);
}

/* ---- AnyHIP's own --------------------------------------------------------------------------- */

static void a_device_says_which_driver_it_is_of(void **state)
{
    enum anyhipBackend backend = anyhipBackendNone;
    const char *name = NULL;
    (void)state;
    ok(anyhipDeviceGetBackend(1, &backend, &name));
    check(backend == (over_hsa() ? anyhipBackendHsa : anyhipBackendCuda) &&
          strcmp(name, the_fake()->vendor) == 0);
    ok(anyhipDeviceGetBackend(0, &backend, NULL));
    expect(anyhipDeviceGetBackend(0, NULL, &name), hipErrorInvalidValue);
    expect(anyhipDeviceGetBackend(2, &backend, &name), hipErrorInvalidDevice);
    expect(anyhipDeviceGetBackend(-1, &backend, &name), hipErrorInvalidDevice);
}

static void native_handles_are_the_drivers(void **state)
{
    CUresult (*query)(CUstream) = (CUresult(*)(CUstream))dlsym(RTLD_DEFAULT, "cuStreamQuery");
    hipStream_t stream;
    hipEvent_t event;
    hipModule_t module;
    hipFunction_t function;
    void *native, *context;
    uint64_t value;
    int local;
    (void)state;
    ok(anyhipDeviceGetNative(1, &value, &context));
    check(value == 1 && context != NULL);
    ok(anyhipDeviceGetNative(0, &value, NULL));
    expect(anyhipDeviceGetNative(0, NULL, &context), hipErrorInvalidValue);
    expect(anyhipDeviceGetNative(2, &value, &context), hipErrorInvalidDevice);

    ok(hipStreamCreate(&stream));
    ok(anyhipStreamGetNative(stream, &native));
    check(query && query(native) == CUDA_SUCCESS);
    ok(anyhipStreamGetNative(NULL, &native));
    ok(anyhipStreamGetNative(hipStreamPerThread, &native));
    expect(anyhipStreamGetNative(stream, NULL), hipErrorInvalidValue);
    expect(anyhipStreamGetNative((hipStream_t)(void *)&local, &native), hipErrorInvalidHandle);
    ok(hipStreamDestroy(stream));
    expect(anyhipStreamGetNative(stream, &native), hipErrorInvalidHandle);

    ok(hipEventCreate(&event));
    ok(anyhipEventGetNative(event, &value));
    check(value != 0);
    expect(anyhipEventGetNative(event, NULL), hipErrorInvalidValue);
    ok(hipEventDestroy(event));
    expect(anyhipEventGetNative(event, &value), hipErrorInvalidHandle);

    ok(hipModuleLoadData(&module, kernels_image()));
    ok(anyhipModuleGetNative(module, &value));
    check(value != 0);
    ok(hipModuleGetFunction(&function, module, "empty"));
    ok(anyhipFunctionGetNative(function, &value));
    check(value != 0);
    expect(anyhipModuleGetNative(module, NULL), hipErrorInvalidValue);
    expect(anyhipFunctionGetNative(function, NULL), hipErrorInvalidValue);
    expect(anyhipModuleGetNative((hipModule_t)(void *)function, &value), hipErrorInvalidHandle);
    ok(hipModuleUnload(module));
    expect(anyhipModuleGetNative(module, &value), hipErrorInvalidHandle);
    expect(anyhipFunctionGetNative(function, &value), hipErrorInvalidHandle);
}

static void a_report_lists_drivers_and_devices(void **state)
{
    char *text = NULL;
    (void)state;
    ok(anyhipGetReport(&text));
    check(strstr(text, "\"available\":\ttrue") != NULL);
    check(strstr(text, over_hsa() ? "libfakehsa.so" : "libfakecuda.so") != NULL);
    check(strstr(text, "\"driver_index\":\t1") != NULL);
    check(strstr(text, over_hsa() ? "\"arch\":\t\"gfx1100" : "\"arch\":\t\"sm_90\"") != NULL);
    check(strstr(text, "\"error\"") == NULL);
    free(text);
    expect(anyhipGetReport(NULL), hipErrorInvalidValue);
}

static void a_device_says_whether_it_can_run_an_image(void **state)
{
    size_t size, bundle_size;
    void *cubin = make_elf(MACHINE_CUDA, 90u << 8 | 90, "", &size);
    void *foreign = make_elf(MACHINE_AMDGPU, 0x4c, "", &size);
    const struct entry entries[] = {
        {"hip-amdgcn-amd-amdhsa--gfx1100", foreign, size},
        {"hip-nvptx64-nvidia-cuda--sm_70", kernels_image(), kernels_image_size()}};
    void *good = make_bundle(entries, 2, &bundle_size);
    (void)state;
    check(anyhipDeviceCanRunImage(0, kernels_image(), kernels_image_size()) == 1);
    check(anyhipDeviceCanRunImage(0, good, bundle_size) == 1);
    check(anyhipDeviceCanRunImage(0, foreign, size) == 0);
    check(anyhipDeviceCanRunImage(0, "nothing", 8) == 0);
    check(anyhipDeviceCanRunImage(0, NULL, 8) == 0);
    check(anyhipDeviceCanRunImage(0, kernels_image(), 0) == 0);
    check(anyhipDeviceCanRunImage(2, kernels_image(), kernels_image_size()) == 0);
    free(good);
    free(foreign);
    free(cubin);
}

/* ---- run-time compilation, without a compiler ------------------------------------------------ */

static void run_time_compilation_says_its_version_and_errors(void **state)
{
    int major = 0, minor = -1;
    (void)state;
    check(hiprtcVersion(&major, &minor) == HIPRTC_SUCCESS && major == 7 && minor >= 0);
    check(hiprtcVersion(NULL, &minor) == HIPRTC_ERROR_INVALID_INPUT);
    check(hiprtcVersion(&major, NULL) == HIPRTC_ERROR_INVALID_INPUT);
    check(strcmp(hiprtcGetErrorString(HIPRTC_SUCCESS), "HIPRTC_SUCCESS") == 0);
    for (int i = HIPRTC_SUCCESS; i <= HIPRTC_ERROR_INTERNAL_ERROR; i++)
        check(strncmp(hiprtcGetErrorString((hiprtcResult)i), "HIPRTC_", 7) == 0);
    check(strcmp(hiprtcGetErrorString(HIPRTC_ERROR_LINKING), "HIPRTC_ERROR_LINKING") == 0);
    check(strcmp(hiprtcGetErrorString((hiprtcResult)99), "Invalid HIPRTC error code") == 0);
}

/* ---- what tools of HIP 5 look for --------------------------------------------------------------
 */

/* Most are in no header. */
static void *symbol(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found)
        print_error("%s is not exported\n", name);
    check(found != NULL);
    return found;
}

static void tracers_of_hip_5_are_refused(void **state)
{
    static const char *const refused[] = {"hipRegisterApiCallback", "hipRemoveApiCallback",
                                          "hipRegisterActivityCallback",
                                          "hipRemoveActivityCallback"};
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        hipError_t (*function)(uint32_t, void *, void *) =
            (hipError_t(*)(uint32_t, void *, void *))symbol(refused[i]);
        expect(function(0, NULL, NULL), hipErrorNotSupported);
    }
    void (*set_up)(void *, void *, void *) =
        (void (*)(void *, void *, void *))symbol("hipInitActivityCallback");
    bool (*enable)(uint32_t, bool) = (bool (*)(uint32_t, bool))symbol("hipEnableActivityCallback");
    void (*trace)(void *) = (void (*)(void *))symbol("hipRegisterTracerCallback");
    set_up(NULL, NULL, NULL);
    check(!enable(0, true));
    trace(NULL);
}

static void tools_find_names_and_versions(void **state)
{
    void (*precompiled)(const char **, unsigned *) =
        (void (*)(const char **, unsigned *))symbol("__hipGetPCH");
    const char *(*build_name)(void) = (const char *(*)(void))symbol("amd_dbgapi_get_build_name");
    const char *(*hash)(void) = (const char *(*)(void))symbol("amd_dbgapi_get_git_hash");
    size_t (*build_id)(void) = (size_t(*)(void))symbol("amd_dbgapi_get_build_id");
    const char *header = "x";
    unsigned size = 1;
    (void)state;
    precompiled(&header, &size);
    check(header == NULL && size == 0);
    check(strstr(build_name(), "AnyHIP") && hash());
    (void)build_id();
}

static void tracers_find_functions_and_work_by_their_numbers(void **state)
{
    static const struct {
        uint32_t number;
        const char *name;
    } rows[] = {
#define AH_TRACER_ID(number, name) {number, #name},
#include "tracer_ids.def"
    };
    const char *(*api)(uint32_t) = (const char *(*)(uint32_t))symbol("hipApiName");
    const char *(*work)(uint32_t) = (const char *(*)(uint32_t))symbol("hipGetCmdName");
    size_t count = sizeof rows / sizeof *rows;
    (void)state;
    for (size_t i = 0; i < count; i++) {
        check(i == 0 || rows[i].number > rows[i - 1].number);
        check(strcmp(api(rows[i].number), rows[i].name) == 0);
        check(symbol(rows[i].name)); /* which the library has */
    }
    check(strcmp(api(1), "__hipPopCallConfiguration") == 0);
    check(strcmp(api(0), "unknown") == 0 && strcmp(api(50), "unknown") == 0); /* no function's */
    check(strcmp(api(rows[count - 1].number + 1), "unknown") == 0);
    check(strcmp(api(UINT32_MAX), "unknown") == 0);
    check(strcmp(work(0), "InternalMarker") == 0 && strcmp(work(0x11f0), "KernelExecution") == 0);
    check(strcmp(work(0x120d), "SvmUnmap") == 0 && strcmp(work(0x4502), "StreamWrite") == 0);
    static const uint32_t none[] = {1, 0x11ef, 0x120e, 0x4500, 0x4503, UINT32_MAX};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        check(strcmp(work(none[i]), "Unknown command kind") == 0);
}

static void halves_are_converted_for_old_binaries(void **state)
{
    float (*widen)(unsigned short) = (float (*)(unsigned short))symbol("__gnu_h2f_ieee");
    unsigned short (*narrow)(float) = (unsigned short (*)(float))symbol("__gnu_f2h_ieee");
    (void)state;
    check(widen(0x3c00) == 1.0f && widen(0xc000) == -2.0f && widen(0x7bff) == 65504.0f);
    check(narrow(1.0f) == 0x3c00 && narrow(-2.0f) == 0xc000 && narrow(1e6f) == 0x7c00);
    for (unsigned bits = 0; bits < 0x7c00; bits++)
        check(narrow(widen((unsigned short)bits)) == bits);
}

/* C++ programs of HIP 5 call these by their mangled names. */
static void cplusplus_names_of_launches_work(void **state)
{
    typedef hipError_t (*ext_launch)(hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t,
                                     uint32_t, uint32_t, size_t, hipStream_t, void **, void **,
                                     hipEvent_t, hipEvent_t, uint32_t);
    ext_launch launch = (ext_launch)symbol("_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjj"
                                           "jjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j");
    ext_launch hcc = (ext_launch)symbol("_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP"
                                        "12ihipStream_tPPvS4_P11ihipEvent_tS6_");
    void (*ggl)(unsigned long, const dim3 *, const dim3 *, uint32_t, hipStream_t, void **) =
        (void (*)(unsigned long, const dim3 *, const dim3 *, uint32_t, hipStream_t, void **))symbol(
            "_ZN8hip_impl22hipLaunchKernelGGLImplEmRK4dim3S2_jP12ihipStream_tPPv");
    hipModule_t module;
    hipFunction_t function;
    uint32_t *memory, value = 3, count = 4, back[4];
    void *args[] = {&memory, &value, &count};
    const dim3 one = {1, 1, 1};
    (void)state;
    ok(hipMalloc((void **)&memory, sizeof back));
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleGetFunction(&function, module, "fake_fill"));
    ok(launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL, NULL, NULL, 0));
    ok(hipMemcpy(back, memory, sizeof back, hipMemcpyDeviceToHost));
    check_words(back, 4, 3);
    value = 4;
    ok(hcc(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL, NULL, NULL, 0));
    ok(hipMemcpy(back, memory, sizeof back, hipMemcpyDeviceToHost));
    check_words(back, 4, 4);
    value = 5;
    ggl((unsigned long)(uintptr_t)&fill_kernel, &one, &one, 0, NULL, args);
    ok(hipMemcpy(back, memory, sizeof back, hipMemcpyDeviceToHost));
    check_words(back, 4, 5);
    ok(hipModuleUnload(module));
    ok(hipFree(memory));
}

static void cplusplus_names_of_surfaces_refuse_as_the_others_do(void **state)
{
    hipError_t (*create)(void *, const void *) = (hipError_t(*)(void *, const void *))symbol(
        "_Z22hipCreateSurfaceObjectPP13__hip_surfacePK15hipResourceDesc");
    hipError_t (*destroy)(void *) =
        (hipError_t(*)(void *))symbol("_Z23hipDestroySurfaceObjectP13__hip_surface");
    hipResourceDesc description;
    hipSurfaceObject_t surface;
    (void)state;
    memset(&description, 0, sizeof description);
    expect(create(&surface, &description), hipCreateSurfaceObject(&surface, &description));
    expect(destroy(NULL), hipDestroySurfaceObject(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(functions_are_found_by_name),
        TEST(the_version_chooses_the_structure),
        TEST(a_flag_chooses_the_per_thread_functions),
        TEST(a_name_that_is_not_there_is_an_invalid_value),
        TEST(a_driver_entry_point_is_the_function_of_this_version),
        TEST(the_log_is_changed_while_the_program_runs),
        TEST(a_device_says_which_driver_it_is_of),
        TEST_OVER("cuda", "it looks up a function of CUDA", native_handles_are_the_drivers),
        TEST(a_report_lists_drivers_and_devices),
        TEST_OVER("cuda", "the images are those of NVIDIA",
                  a_device_says_whether_it_can_run_an_image),
        TEST(run_time_compilation_says_its_version_and_errors),
        TEST(tracers_of_hip_5_are_refused),
        TEST(tools_find_names_and_versions),
        TEST(tracers_find_functions_and_work_by_their_numbers),
        TEST(halves_are_converted_for_old_binaries),
        TEST(cplusplus_names_of_launches_work),
        TEST(cplusplus_names_of_surfaces_refuse_as_the_others_do),
    };
    use_fake("80,90");
    return run_group("driver.misc", tests);
}
