// HIP from plain C, without a HIP compiler for the host: the module API loads device code from a
// file, finds its kernel and its variables by name, and launches.
//   usage: module_api MODULE, a file made by `hipcc --genco kernels.hip`
#include "../check.h"

enum { COUNT = 10000, BLOCK = 128 };

int main(int argc, char **argv)
{
    hipModule_t module;
    hipFunction_t shift;
    hipDeviceptr_t data, offset, launches;
    size_t size;
    static int host[COUNT];
    int value = 1000, count = COUNT;
    unsigned counted = 0;

    if (argc != 2) {
        fprintf(stderr, "usage: %s MODULE\n", argv[0]);
        return 2;
    }
    HIP_CHECK(hipInit(0));
    print_device();
    HIP_CHECK(hipModuleLoad(&module, argv[1]));
    HIP_CHECK(hipModuleGetFunction(&shift, module, "shift"));
    HIP_CHECK(hipModuleGetGlobal(&offset, &size, module, "offset"));
    HIP_CHECK(hipMemcpyHtoD(offset, &value, size));
    HIP_CHECK(hipModuleGetGlobal(&launches, &size, module, "launches"));

    for (int i = 0; i < COUNT; i++)
        host[i] = i;
    HIP_CHECK(hipMalloc(&data, sizeof host));
    HIP_CHECK(hipMemcpyHtoD(data, host, sizeof host));

    void *arguments[] = {&data, &count};
    HIP_CHECK(hipModuleLaunchKernel(shift, (COUNT + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL,
                                    arguments, NULL));

    // The same launch with the arguments packed in a buffer, as the kernel lays them out.
    struct {
        hipDeviceptr_t data;
        int count;
    } packed = {data, count};
    size_t packed_size = sizeof packed;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                     &packed_size, HIP_LAUNCH_PARAM_END};
    HIP_CHECK(hipModuleLaunchKernel(shift, (COUNT + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL,
                                    NULL, extra));

    HIP_CHECK(hipMemcpyDtoH(host, data, sizeof host));
    HIP_CHECK(hipMemcpyDtoH(&counted, launches, sizeof counted));
    HIP_CHECK(hipFree(data));
    HIP_CHECK(hipModuleUnload(module));

    for (int i = 0; i < COUNT; i++) {
        if (host[i] != i + 2 * value) {
            printf("FAILED: element %d is %d, not %d\n", i, host[i], i + 2 * value);
            return 1;
        }
    }
    if (counted != 2) {
        printf("FAILED: the kernel counted %u launches, not 2\n", counted);
        return 1;
    }
    printf("PASSED: two launches of a kernel from %s\n", argv[1]);
    return 0;
}
