// The C++ side of the host API: overloads that take typed pointers, kernels and device
// variables as they are. All are inline and end in the C function of the same name, whose
// description holds; with HIP_API_PER_THREAD_DEFAULT_STREAM both are the _spt ones.
// __HIP_DISABLE_CPP_FUNCTIONS__ leaves out the allocation overloads, for programs that take
// decltype of those functions.
#ifndef HIP_INCLUDE_HIP_API_CXX_H
#define HIP_INCLUDE_HIP_API_CXX_H

#ifndef __cplusplus
#error "hip/api/cxx.h is for C++"
#endif

#include <hip/api/device.h>
#include <hip/api/launch.h>
#include <hip/api/memory.h>
#include <hip/api/memory_managed.h>
#include <hip/api/memory_pool.h>
#include <hip/api/module.h>
#include <hip/api/occupancy.h>
#include <hip/api/texture.h>
#include <hip/api/per_thread_default_stream.h>

extern "C++" {

// Device variables: the argument is the variable itself, as HIP_SYMBOL(variable).

template <typename T> hipError_t hipGetSymbolAddress(void **devPtr, const T &symbol)
{
    return ::hipGetSymbolAddress(devPtr, (const void *)&symbol);
}

template <typename T> hipError_t hipGetSymbolSize(size_t *size, const T &symbol)
{
    return ::hipGetSymbolSize(size, (const void *)&symbol);
}

template <typename T>
hipError_t hipMemcpyToSymbol(const T &symbol, const void *src, size_t sizeBytes, size_t offset = 0,
                             hipMemcpyKind kind = hipMemcpyHostToDevice)
{
    return ::hipMemcpyToSymbol((const void *)&symbol, src, sizeBytes, offset, kind);
}

template <typename T>
hipError_t hipMemcpyToSymbolAsync(const T &symbol, const void *src, size_t sizeBytes, size_t offset,
                                  hipMemcpyKind kind, hipStream_t stream = 0)
{
    return ::hipMemcpyToSymbolAsync((const void *)&symbol, src, sizeBytes, offset, kind, stream);
}

template <typename T>
hipError_t hipMemcpyFromSymbol(void *dst, const T &symbol, size_t sizeBytes, size_t offset = 0,
                               hipMemcpyKind kind = hipMemcpyDeviceToHost)
{
    return ::hipMemcpyFromSymbol(dst, (const void *)&symbol, sizeBytes, offset, kind);
}

template <typename T>
hipError_t hipMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t sizeBytes, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream = 0)
{
    return ::hipMemcpyFromSymbolAsync(dst, (const void *)&symbol, sizeBytes, offset, kind, stream);
}

// Occupancy and launches: the kernel is the function itself.

template <class T>
inline hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, T f, int blockSize,
                                                               size_t dynSharedMemPerBlk)
{
    return ::hipOccupancyMaxActiveBlocksPerMultiprocessor(
        numBlocks, reinterpret_cast<const void *>(f), blockSize, dynSharedMemPerBlk);
}

template <class T>
inline hipError_t
hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, T f, int blockSize,
                                                      size_t dynSharedMemPerBlk, unsigned int flags)
{
    return ::hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, reinterpret_cast<const void *>(f), blockSize, dynSharedMemPerBlk, flags);
}

#if defined(__clang__) && defined(__HIP__)
template <typename T>
static inline hipError_t hipOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, T f,
                                                           size_t dynSharedMemPerBlk = 0,
                                                           int blockSizeLimit = 0)
{
    return ::hipOccupancyMaxPotentialBlockSize(
        gridSize, blockSize, reinterpret_cast<const void *>(f), dynSharedMemPerBlk, blockSizeLimit);
}

template <typename T>
static inline hipError_t
hipOccupancyMaxPotentialBlockSizeWithFlags(int *gridSize, int *blockSize, T f,
                                           size_t dynSharedMemPerBlk = 0, int blockSizeLimit = 0,
                                           unsigned int flags = 0)
{
    (void)flags;
    return ::hipOccupancyMaxPotentialBlockSize(
        gridSize, blockSize, reinterpret_cast<const void *>(f), dynSharedMemPerBlk, blockSizeLimit);
}
#endif

template <typename F>
inline hipError_t hipOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, F kernel,
                                                    size_t dynSharedMemPerBlk,
                                                    uint32_t blockSizeLimit)
{
    return ::hipOccupancyMaxPotentialBlockSize(
        gridSize, blockSize, reinterpret_cast<const void *>(kernel), dynSharedMemPerBlk,
        static_cast<int>(blockSizeLimit));
}

template <typename F>
inline hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, F f,
                                                           int numBlocks, int blockSize)
{
    return ::hipOccupancyAvailableDynamicSMemPerBlock(
        dynamicSmemSize, reinterpret_cast<const void *>(f), numBlocks, blockSize);
}

/// As hipOccupancyMaxPotentialBlockSize() for a kernel whose dynamic shared memory depends on
/// the block size: tries block sizes from the largest down, a warp at a time, and keeps the one
/// with the most resident threads.
/// @param [out] min_grid_size  blocks that fill the device
/// @param [out] block_size     threads
/// @param [in]  func           the kernel
/// @param [in]  block_size_to_dynamic_smem_size  callable: threads to bytes
/// @param [in]  block_size_limit  threads at most, 0 for the kernel's own limit
/// @param [in]  flags          hipOccupancyDefault
template <typename UnaryFunction, class T>
static inline hipError_t hipOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *min_grid_size, int *block_size, T func, UnaryFunction block_size_to_dynamic_smem_size,
    int block_size_limit = 0, unsigned int flags = 0)
{
    const void *kernel = reinterpret_cast<const void *>(func);
    if (min_grid_size == nullptr || block_size == nullptr || kernel == nullptr) {
        return hipErrorInvalidValue;
    }
    int device = 0, warp = 0, processors = 0, resident = 0;
    hipFuncAttributes attributes;
    hipError_t error = hipGetDevice(&device);
    if (error == hipSuccess) {
        error = hipDeviceGetAttribute(&warp, hipDeviceAttributeWarpSize, device);
    }
    if (error == hipSuccess) {
        error = hipDeviceGetAttribute(&processors, hipDeviceAttributeMultiprocessorCount, device);
    }
    if (error == hipSuccess) {
        error =
            hipDeviceGetAttribute(&resident, hipDeviceAttributeMaxThreadsPerMultiProcessor, device);
    }
    if (error == hipSuccess) {
        error = hipFuncGetAttributes(&attributes, kernel);
    }
    if (error != hipSuccess) {
        return error;
    }
    int limit = attributes.maxThreadsPerBlock;
    if (block_size_limit > 0 && block_size_limit < limit) {
        limit = block_size_limit;
    }
    int best_threads = 0, best_block = 0, best_blocks = 0;
    for (int whole = (limit + warp - 1) / warp * warp; whole > 0 && best_threads < resident;
         whole -= warp) {
        const int block = whole < limit ? whole : limit;
        int blocks = 0;
        error = ::hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, kernel, block, block_size_to_dynamic_smem_size(block), flags);
        if (error != hipSuccess) {
            return error;
        }
        if (blocks * block > best_threads) {
            best_threads = blocks * block;
            best_block = block;
            best_blocks = blocks;
        }
    }
    *min_grid_size = best_blocks * processors;
    *block_size = best_block;
    return hipSuccess;
}

template <typename UnaryFunction, class T>
static inline hipError_t
hipOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid_size, int *block_size, T func,
                                              UnaryFunction block_size_to_dynamic_smem_size,
                                              int block_size_limit = 0)
{
    return hipOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        min_grid_size, block_size, func, block_size_to_dynamic_smem_size, block_size_limit);
}

template <class T>
inline hipError_t hipLaunchCooperativeKernel(T f, dim3 gridDim, dim3 blockDim, void **kernelParams,
                                             unsigned int sharedMemBytes, hipStream_t stream)
{
    return ::hipLaunchCooperativeKernel(reinterpret_cast<const void *>(f), gridDim, blockDim,
                                        kernelParams, sharedMemBytes, stream);
}

template <class T>
inline hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams *launchParamsList,
                                                        unsigned int numDevices,
                                                        unsigned int flags = 0)
{
    return ::hipLaunchCooperativeKernelMultiDevice(launchParamsList, static_cast<int>(numDevices),
                                                   flags);
}

template <class T>
inline hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams *launchParamsList,
                                                     unsigned int numDevices,
                                                     unsigned int flags = 0)
{
    return ::hipExtLaunchMultiKernelMultiDevice(launchParamsList, static_cast<int>(numDevices),
                                                flags);
}

/// hipLaunchKernelExC() with the kernel's arguments as they are: each is converted to the type
/// of the kernel's parameter.
template <typename... Formals, typename... Actuals>
static inline hipError_t hipLaunchKernelEx(const hipLaunchConfig_t *config,
                                           void (*kernel)(Formals...), Actuals &&...args)
{
    static_assert(sizeof...(Formals) == sizeof...(Actuals),
                  "the number of arguments differs from the kernel's");
    return [&](Formals... formals) {
        void *pointers[sizeof...(Formals) + 1] = {
            const_cast<void *>(static_cast<const volatile void *>(&formals))...};
        return ::hipLaunchKernelExC(config, reinterpret_cast<const void *>(kernel), pointers);
    }(static_cast<Actuals &&>(args)...);
}

// Texture references (deprecated): the argument is the texture<> variable itself.

template <class T, int dim, enum hipTextureReadMode readMode>
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
static inline hipError_t hipBindTexture(size_t *offset, const struct texture<T, dim, readMode> &tex,
                                        const void *devPtr, size_t size = UINT_MAX)
{
    return ::hipBindTexture(offset, &tex, devPtr, &tex.channelDesc, size);
}

template <class T, int dim, enum hipTextureReadMode readMode>
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
static inline hipError_t
    hipBindTexture(size_t *offset, const struct texture<T, dim, readMode> &tex, const void *devPtr,
                   const struct hipChannelFormatDesc &desc, size_t size = UINT_MAX)
{
    return ::hipBindTexture(offset, &tex, devPtr, &desc, size);
}

template <class T, int dim, enum hipTextureReadMode readMode>
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
static inline hipError_t
    hipBindTexture2D(size_t *offset, const struct texture<T, dim, readMode> &tex,
                     const void *devPtr, size_t width, size_t height, size_t pitch)
{
    return ::hipBindTexture2D(offset, &tex, devPtr, &tex.channelDesc, width, height, pitch);
}

template <class T, int dim, enum hipTextureReadMode readMode>
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
static inline hipError_t
    hipBindTexture2D(size_t *offset, const struct texture<T, dim, readMode> &tex,
                     const void *devPtr, const struct hipChannelFormatDesc &desc, size_t width,
                     size_t height, size_t pitch)
{
    return ::hipBindTexture2D(offset, &tex, devPtr, &desc, width, height, pitch);
}

template <class T, int dim, enum hipTextureReadMode readMode>
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
static inline hipError_t
    hipBindTextureToArray(const struct texture<T, dim, readMode> &tex, hipArray_const_t array,
                          const struct hipChannelFormatDesc &desc)
{
    return ::hipBindTextureToArray(&tex, array, &desc);
}

template <class T, int dim, enum hipTextureReadMode readMode>
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
static inline hipError_t
    hipBindTextureToArray(const struct texture<T, dim, readMode> &tex, hipArray_const_t array)
{
    struct hipChannelFormatDesc desc;
    hipError_t error = hipGetChannelDesc(&desc, array);
    return error == hipSuccess ? ::hipBindTextureToArray(&tex, array, &desc) : error;
}

template <class T, int dim, enum hipTextureReadMode readMode>
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
static inline hipError_t hipBindTextureToMipmappedArray(const struct texture<T, dim, readMode> &tex,
                                                        hipMipmappedArray_const_t mipmappedArray,
                                                        const struct hipChannelFormatDesc &desc)
{
    return ::hipBindTextureToMipmappedArray(&tex, mipmappedArray, &desc);
}

template <class T, int dim, enum hipTextureReadMode readMode>
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
static inline hipError_t hipBindTextureToMipmappedArray(const struct texture<T, dim, readMode> &tex,
                                                        hipMipmappedArray_const_t mipmappedArray)
{
    struct hipChannelFormatDesc desc;
    hipArray_t level;
    hipError_t error = hipGetMipmappedArrayLevel(&level, mipmappedArray, 0);
    if (error == hipSuccess) {
        error = hipGetChannelDesc(&desc, level);
    }
    return error == hipSuccess ? ::hipBindTextureToMipmappedArray(&tex, mipmappedArray, &desc)
                               : error;
}

template <class T, int dim, enum hipTextureReadMode readMode>
HIP_DEPRECATED(HIP_DEPRECATED_MSG)
static inline hipError_t hipUnbindTexture(const struct texture<T, dim, readMode> &tex)
{
    return ::hipUnbindTexture(&tex);
}

// Stream-ordered allocation: typed pointers, and a pool as an argument of hipMallocAsync.

static inline hipError_t hipMallocAsync(void **dev_ptr, size_t size, hipMemPool_t mem_pool,
                                        hipStream_t stream)
{
    return ::hipMallocFromPoolAsync(dev_ptr, size, mem_pool, stream);
}

template <class T>
static inline hipError_t hipMallocAsync(T **dev_ptr, size_t size, hipMemPool_t mem_pool,
                                        hipStream_t stream)
{
    return ::hipMallocFromPoolAsync(reinterpret_cast<void **>(dev_ptr), size, mem_pool, stream);
}

template <class T>
static inline hipError_t hipMallocAsync(T **dev_ptr, size_t size, hipStream_t stream)
{
    return ::hipMallocAsync(reinterpret_cast<void **>(dev_ptr), size, stream);
}

template <class T>
static inline hipError_t hipMallocFromPoolAsync(T **dev_ptr, size_t size, hipMemPool_t mem_pool,
                                                hipStream_t stream)
{
    return ::hipMallocFromPoolAsync(reinterpret_cast<void **>(dev_ptr), size, mem_pool, stream);
}

#if !defined(__HIP_DISABLE_CPP_FUNCTIONS__)

// Allocation: typed pointers, and flags by default.

template <class T> static inline hipError_t hipMalloc(T **devPtr, size_t size)
{
    return ::hipMalloc((void **)devPtr, size);
}

template <class T>
static inline hipError_t hipMallocPitch(T **devPtr, size_t *pitch, size_t width, size_t height)
{
    return ::hipMallocPitch((void **)devPtr, pitch, width, height);
}

template <class T>
static inline hipError_t hipHostMalloc(T **ptr, size_t size,
                                       unsigned int flags = hipHostMallocDefault)
{
    return ::hipHostMalloc((void **)ptr, size, flags);
}

template <class T>
static inline hipError_t hipHostAlloc(T **ptr, size_t size,
                                      unsigned int flags = hipHostAllocDefault)
{
    return ::hipHostAlloc((void **)ptr, size, flags);
}

template <class T>
static inline hipError_t hipExtHostAlloc(T **ptr, size_t size,
                                         unsigned int flags = hipHostAllocDefault)
{
    return ::hipExtHostAlloc((void **)ptr, size, flags);
}

template <class T>
static inline hipError_t hipMallocManaged(T **devPtr, size_t size,
                                          unsigned int flags = hipMemAttachGlobal)
{
    return ::hipMallocManaged((void **)devPtr, size, flags);
}

#endif // !__HIP_DISABLE_CPP_FUNCTIONS__

} // extern "C++"

#endif
