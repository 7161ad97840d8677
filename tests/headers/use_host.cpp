// What host programs write with the host API alone, for any C++11 compiler.
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

static int variable;
static void kernel_stub(int *, float) {}

hipError_t typed_pointers_need_no_casts()
{
    float *device = nullptr, *host = nullptr, *managed = nullptr;
    size_t pitch = 0;
    hipError_t error = hipMalloc(&device, 4);
    error = error == hipSuccess ? hipHostMalloc(&host, 4) : error;
    error = error == hipSuccess ? hipHostAlloc(&host, 4, hipHostAllocMapped) : error;
    error = error == hipSuccess ? hipMallocManaged(&managed, 4) : error;
    error = error == hipSuccess ? hipMallocPitch(&device, &pitch, 4, 4) : error;
    error = error == hipSuccess ? hipMallocAsync(&device, 4, hipStreamPerThread) : error;
    return error == hipSuccess ? hipMemcpy(host, device, 4, hipMemcpyDefault) : error;
}

hipError_t defaults_are_those_of_hip(hipEvent_t event, hipStream_t stream)
{
    hipError_t error = hipEventRecord(event);
    error = error == hipSuccess ? hipStreamWaitEvent(stream, event) : error;
    error = error == hipSuccess ? hipMemcpyAsync(&variable, &variable, 4, hipMemcpyDefault) : error;
    error = error == hipSuccess ? hipMemsetAsync(&variable, 0, 4) : error;
    return error == hipSuccess ? hipMemcpyToSymbol(HIP_SYMBOL(variable), &event, 4) : error;
}

hipError_t kernels_need_no_casts()
{
    int grid = 0, block = 0;
    hipError_t error = hipOccupancyMaxActiveBlocksPerMultiprocessor(&block, kernel_stub, 64, 0);
    error = error == hipSuccess
                ? hipOccupancyMaxPotentialBlockSizeVariableSMem(
                      &grid, &block, kernel_stub, [](int threads) { return size_t(threads); })
                : error;
    hipLaunchConfig_t config = {};
    config.gridDim = dim3(2, 3);
    error = error == hipSuccess ? hipLaunchKernelEx(&config, kernel_stub, nullptr, 1) : error;
    return error == hipSuccess
               ? hipLaunchCooperativeKernel(kernel_stub, dim3(1), dim3(64), nullptr, 0, nullptr)
               : error;
}

hipError_t properties_have_their_plain_names(hipDeviceProp_t &properties, int &device)
{
    hipError_t error = hipGetDeviceProperties(&properties, 0);
    return error == hipSuccess ? hipChooseDevice(&device, &properties) : error;
}

static_assert(dim3().x == 1 && dim3(7).y == 1 && sizeof(dim3) == 12, "dim3 defaults to 1");
hipChannelFormatDesc descriptor = hipCreateChannelDesc<float>();
