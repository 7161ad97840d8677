/* The library's exports, and functions by name. */
#include "simcuda_test.h"

static void every_row_of_the_driver_is_exported(void **state)
{
    (void)state;
#define SIMCUDA_SYMBOL(field, name, parameters) assert_non_null(dlsym(library, name));
#include "simcuda_symbols.def"
#undef SIMCUDA_SYMBOL
#define SIMCUDA_ALIAS(name, field, parameters, arguments) assert_non_null(dlsym(library, #name));
#include "simcuda_aliases.def"
#undef SIMCUDA_ALIAS
}

static void everything_that_the_backend_binds_is_exported(void **state)
{
    (void)state;
#define CUDA_SYMBOL(need, field, name, parameters)                                                 \
    if (!dlsym(library, name))                                                                     \
        fail_msg("%s is not exported", name);
#include "cuda_symbols.def"
#undef CUDA_SYMBOL
}

/* The names that LLVM's offload plugin for CUDA looks up; it does not use a driver that lacks one
 * of them. */
static void everything_that_llvms_offload_plugin_binds_is_exported(void **state)
{
    static const char *const names[] = {
        "cuInit",
        "cuCtxGetDevice",
        "cuDeviceGet",
        "cuDeviceGetAttribute",
        "cuDeviceGetCount",
        "cuFuncGetAttribute",
        "cuFuncSetAttribute",
        "cuDeviceGetName",
        "cuDeviceGetUuid",
        "cuDeviceTotalMem_v2",
        "cuDriverGetVersion",
        "cuGetErrorString",
        "cuLaunchKernel",
        "cuLaunchKernelEx",
        "cuLaunchHostFunc",
        "cuMemAlloc_v2",
        "cuMemAllocHost_v2",
        "cuMemAllocManaged",
        "cuMemAllocAsync",
        "cuMemcpyDtoDAsync_v2",
        "cuMemcpyDtoH_v2",
        "cuMemcpyDtoHAsync_v2",
        "cuMemcpyHtoD_v2",
        "cuMemcpyHtoDAsync_v2",
        "cuMemsetD8Async",
        "cuMemsetD16Async",
        "cuMemsetD32Async",
        "cuMemsetD2D8Async",
        "cuMemsetD2D16Async",
        "cuMemsetD2D32Async",
        "cuMemFree_v2",
        "cuMemFreeHost",
        "cuMemFreeAsync",
        "cuModuleGetFunction",
        "cuModuleGetGlobal_v2",
        "cuModuleUnload",
        "cuStreamCreate",
        "cuStreamDestroy_v2",
        "cuStreamSynchronize",
        "cuStreamQuery",
        "cuStreamAddCallback",
        "cuCtxSetCurrent",
        "cuDevicePrimaryCtxRelease_v2",
        "cuDevicePrimaryCtxGetState",
        "cuDevicePrimaryCtxSetFlags_v2",
        "cuDevicePrimaryCtxRetain",
        "cuModuleLoadDataEx",
        "cuOccupancyMaxPotentialBlockSize",
        "cuOccupancyMaxActiveBlocksPerMultiprocessor",
        "cuFuncGetParamInfo",
        "cuDeviceCanAccessPeer",
        "cuCtxEnablePeerAccess",
        "cuMemcpyPeerAsync",
        "cuCtxGetLimit",
        "cuCtxSetLimit",
        "cuEventCreate",
        "cuEventRecord",
        "cuEventQuery",
        "cuStreamWaitEvent",
        "cuEventSynchronize",
        "cuEventDestroy",
        "cuMemUnmap",
        "cuMemRelease",
        "cuMemAddressFree",
        "cuMemGetInfo_v2",
        "cuMemAddressReserve",
        "cuMemMap",
        "cuMemCreate",
        "cuMemSetAccess",
        "cuMemGetAllocationGranularity",
        "cuStreamDestroy",
        "cuEventDestroy_v2",
        "cuMemcpyDtoDAsync",
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!dlsym(library, names[i]))
            fail_msg("%s is not exported", names[i]);
}

static void a_function_is_found_by_its_name_without_a_version(void **state)
{
    void *function = NULL;
    int status = -1;
    (void)state;
    ok(cu.cuGetProcAddress("cuMemAlloc", &function, 12000, 0, &status));
    assert_ptr_equal(function, dlsym(library, "cuMemAlloc_v2"));
    assert_int_equal(status, CU_GET_PROC_ADDRESS_SUCCESS);
    ok(cu.cuGetProcAddress("cuCtxCreate", &function, 13000, 0, &status));
    assert_ptr_equal(function, dlsym(library, "cuCtxCreate_v4"));
    ok(cu.cuGetProcAddress("cuCtxCreate", &function, 10000, 0, &status));
    assert_ptr_equal(function, dlsym(library, "cuCtxCreate_v2"));
}

static void the_flag_chooses_whose_default_stream_is_meant(void **state)
{
    void *function = NULL;
    (void)state;
    ok(cu.cuGetProcAddress("cuLaunchKernel", &function, 12000, 2, NULL));
    assert_ptr_equal(function, dlsym(library, "cuLaunchKernel_ptsz"));
    ok(cu.cuGetProcAddress("cuLaunchKernel", &function, 12000, 1, NULL));
    assert_ptr_equal(function, dlsym(library, "cuLaunchKernel"));
    expect(cu.cuGetProcAddress("cuLaunchKernel", &function, 12000, 3, NULL),
           CUDA_ERROR_INVALID_VALUE);
}

static void a_function_that_does_not_exist_is_not_found(void **state)
{
    void *function = &function;
    int status = -1;
    (void)state;
    ok(cu.cuGetProcAddress("cuNothing", &function, 12000, 0, &status));
    assert_null(function);
    assert_int_equal(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    expect(cu.cuGetProcAddress("cuNothing", &function, 12000, 0, NULL), CUDA_ERROR_NOT_FOUND);
    expect(cu.cuGetProcAddress(NULL, &function, 12000, 0, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void private_tables_are_refused(void **state)
{
    const void *table = &table;
    CUuuid id = {{0}};
    (void)state;
    expect(cu.cuGetExportTable(&table, &id), CUDA_ERROR_NOT_SUPPORTED);
    assert_null(table);
}

static void the_drop_in_folder_has_the_library_under_nvidias_names(void **state)
{
    char *library_file = realpath(SIMCUDA_PATH, NULL);
    static const char *const names[] = {"libcuda.so.1", "libcuda.so"};
    (void)state;
    assert_non_null(library_file);
    for (size_t i = 0; i < 2; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", SIMCUDA_DROP_IN, names[i]);
        char *file = realpath(path, NULL);
        assert_non_null(file);
        assert_string_equal(file, library_file);
        free(file);
    }
    free(library_file);
}

static int setup(void **state)
{
    (void)state;
    return start_with("sm_80");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_the_driver_is_exported),
        cmocka_unit_test(everything_that_the_backend_binds_is_exported),
        cmocka_unit_test(everything_that_llvms_offload_plugin_binds_is_exported),
        cmocka_unit_test(a_function_is_found_by_its_name_without_a_version),
        cmocka_unit_test(the_flag_chooses_whose_default_stream_is_meant),
        cmocka_unit_test(a_function_that_does_not_exist_is_not_found),
        cmocka_unit_test(private_tables_are_refused),
        cmocka_unit_test(the_drop_in_folder_has_the_library_under_nvidias_names),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
