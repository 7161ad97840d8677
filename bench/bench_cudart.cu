// The calls of bench.hip through NVIDIA's own runtime. Made where there is an nvcc:
//   nvcc -O2 -shared -Xcompiler -fPIC -cudart shared bench_cudart.cu -o libbench_cudart.so
// Streams and events are the driver's, which both sides share.
#include "bench.h"

#include <cuda_runtime.h>

__global__ void empty(unsigned long long *) {}

static int launch(void *stream, void **arguments)
{
    return cudaLaunchKernel((const void *)empty, dim3(1), dim3(32), arguments, 0,
                            (cudaStream_t)stream);
}

static void launch_chevron(void *stream)
{
    empty<<<1, 32, 0, (cudaStream_t)stream>>>(nullptr);
}

static int copy(void *dst, const void *src, size_t size, void *stream)
{
    return cudaMemcpyAsync(dst, src, size, cudaMemcpyDeviceToDevice, (cudaStream_t)stream);
}

static int record(void *event, void *stream)
{
    return cudaEventRecord((cudaEvent_t)event, (cudaStream_t)stream);
}

static int query(void *stream) { return cudaStreamQuery((cudaStream_t)stream); }

static int alloc_free(size_t size)
{
    void *pointer;
    int error = cudaMalloc(&pointer, size);
    return error ? error : cudaFree(pointer);
}

static int get_device(int *device) { return cudaGetDevice(device); }

static int get_last_error(void) { return cudaGetLastError(); }

extern "C" const bench_cudart *bench_cudart_functions()
{
    static const bench_cudart functions = {launch, launch_chevron, copy,       record,
                                           query,  alloc_free,     get_device, get_last_error};
    return &functions;
}
