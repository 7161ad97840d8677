// Managed memory: one address for the host and every device. Ranges of all functions here are
// inside allocations of hipMallocManaged(), or, where the device reaches pageable memory
// (hipDeviceAttributePageableMemoryAccess), anywhere.
#ifndef HIP_INCLUDE_HIP_API_MEMORY_MANAGED_H
#define HIP_INCLUDE_HIP_API_MEMORY_MANAGED_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/memory_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/// Allocates managed memory, freed by hipFree().
/// @param [out] dev_ptr  the address
/// @param [in] size  bytes, not 0
/// @param [in] flags  hipMemAttachGlobal or hipMemAttachHost
/// Returns: hipErrorInvalidValue: dev_ptr is NULL, size is 0 or flags is unknown;
/// hipErrorOutOfMemory: not that much memory is free; hipErrorNotSupported: the device has no
/// managed memory; hipErrorStreamCaptureUnsupported (HIP 7): a capture that is not relaxed forbids
/// it.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Managed Memory"; cuMemAllocManaged.
hipError_t hipMallocManaged(void **dev_ptr, size_t size,
                            unsigned int flags __dparm(hipMemAttachGlobal));

/// Moves a range to where it will be used.
/// @param [in] dev_ptr  start
/// @param [in] count  bytes
/// @param [in] device, location  where to
/// @param [in] flags  0
/// @param [in] stream  a stream; NULL for the legacy default stream
/// Returns: hipErrorInvalidValue: dev_ptr is NULL, count is 0, the range is not managed, or flags
/// is not 0; hipErrorInvalidDevice: no such device; hipErrorContextIsDestroyed: not a stream;
/// hipErrorNotSupported: the device cannot migrate pages; hipErrorStreamCaptureUnsupported: the
/// stream is being captured.
/// Thread safety: safe.
/// Stream order: enqueued.
/// Source: HIP "Managed Memory"; cuMemPrefetchAsync.

/// To a device by ordinal, or hipCpuDeviceId.
hipError_t hipMemPrefetchAsync(const void *dev_ptr, size_t count, int device,
                               hipStream_t stream __dparm(0));
/// To a location; flags is 0.
hipError_t hipMemPrefetchAsync_v2(const void *dev_ptr, size_t count, hipMemLocation location,
                                  unsigned int flags, hipStream_t stream __dparm(0));

/// Moves many ranges, each to a location of its own. Of HIP 7.2.
/// @param [in] dev_ptrs  starts
/// @param [in] sizes  bytes of each
/// @param [in] count  ranges; length of both
/// @param [in] prefetch_locs  locations, each for a run of ranges
/// @param [in] prefetch_loc_idxs  index of the first range of each run; rising from 0
/// @param [in] num_prefetch_locs  runs, from 1 to count
/// @param [in] flags  0
/// @param [in] stream  a stream; not NULL
/// Returns: hipErrorInvalidValue: a pointer is NULL, a count is 0 or too large, flags is not 0,
/// there is no such device, stream is NULL, or a range is not managed; hipErrorContextIsDestroyed:
/// not a stream; hipErrorStreamCaptureUnsupported: the stream is being captured. Thread safety:
/// safe. Stream order: enqueued. Source: HIP "Managed Memory"; cuMemPrefetchBatchAsync.
hipError_t hipMemPrefetchBatchAsync(void **dev_ptrs, size_t *sizes, size_t count,
                                    hipMemLocation *prefetch_locs, size_t *prefetch_loc_idxs,
                                    size_t num_prefetch_locs, unsigned long long flags,
                                    hipStream_t stream);

/// Discards the contents of ranges without freeing them. Until they are written, reads return any
/// values: on AMD those that were there, since managed memory is page-locked memory of the host. Of
/// HIP 7.2.
/// @param [in] dev_ptrs, dptrs  starts
/// @param [in] sizes  bytes of each
/// @param [in] count  ranges; length of both
/// @param [in] flags  0
/// @param [in] stream  a stream; not NULL
/// Returns: hipErrorInvalidValue: a pointer is NULL, count is 0, flags is not 0, stream is NULL, or
/// a range is not managed; hipErrorContextIsDestroyed: not a stream; hipErrorNotSupported: an
/// NVIDIA driver before 13.0; hipErrorStreamCaptureUnsupported: the stream is being captured.
/// Thread safety: safe.
/// Stream order: enqueued.
/// Source: HIP "Managed Memory"; cuMemDiscardBatchAsync.

/// Runtime API.
hipError_t hipMemDiscardBatchAsync(void **dev_ptrs, size_t *sizes, size_t count,
                                   unsigned long long flags, hipStream_t stream);
/// Driver API.
hipError_t hipDrvMemDiscardBatchAsync(hipDeviceptr_t *dptrs, size_t *sizes, size_t count,
                                      unsigned long long flags, hipStream_t stream);

/// Discards the contents of ranges and places their memory at the given locations, without copying.
/// Of HIP 7.2.
/// @param [in] dptrs  starts
/// @param [in] sizes  bytes of each
/// @param [in] count  ranges; length of both
/// @param [in] prefetchLocs  locations, each for a run of ranges
/// @param [in] prefetchLocIdxs  index of the first range of each run; rising from 0
/// @param [in] numPrefetchLocs  runs, from 1 to count
/// @param [in] flags  0
/// @param [in] stream  a stream; not NULL
/// Returns: hipErrorInvalidValue: a pointer is NULL, a count is 0 or too large, flags is not 0,
/// there is no such device, stream is NULL, or a range is not managed; hipErrorContextIsDestroyed:
/// not a stream; hipErrorNotSupported: an NVIDIA driver before 13.0;
/// hipErrorStreamCaptureUnsupported: the stream is being captured. Thread safety: safe. Stream
/// order: enqueued. Source: HIP "Managed Memory"; cuMemDiscardAndPrefetchBatchAsync.

/// Runtime API.
hipError_t hipMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                              hipMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                              size_t numPrefetchLocs, unsigned long long flags,
                                              hipStream_t stream);
/// Driver API.
hipError_t hipDrvMemDiscardAndPrefetchBatchAsync(hipDeviceptr_t *dptrs, size_t *sizes, size_t count,
                                                 hipMemLocation *prefetchLocs,
                                                 size_t *prefetchLocIdxs, size_t numPrefetchLocs,
                                                 unsigned long long flags, hipStream_t stream);

/// Advises how a range will be used. Only speed changes, except that hipMemAdviseSetCoarseGrain
/// gives up coherence while kernels run.
/// @param [in] dev_ptr  start
/// @param [in] count  bytes
/// @param [in] advice  the advice
/// @param [in] device, location  for whom; ignored for ReadMostly and for unsetting the preferred
///     location
/// Returns: hipErrorInvalidValue: dev_ptr is NULL, count is 0, advice is unknown, or the range is
/// not managed; hipErrorInvalidDevice: no such device; hipErrorStreamCaptureUnsupported (HIP 7): a
/// capture that is not relaxed forbids it.
/// Thread safety: safe.
/// Stream order: none; applies to pages at once.
/// Source: HIP "Managed Memory"; cuMemAdvise.

/// For a device by ordinal, or hipCpuDeviceId.
hipError_t hipMemAdvise(const void *dev_ptr, size_t count, hipMemoryAdvise advice, int device);
/// For a location.
hipError_t hipMemAdvise_v2(const void *dev_ptr, size_t count, hipMemoryAdvise advice,
                           hipMemLocation location);

/// What has been advised of a range. A value holds only if it is the same for the whole range.
/// @param [out] data  the value, or addresses of values, of the types listed at
///     hipMemRangeAttribute
/// @param [in] data_size, data_sizes  bytes at each
/// @param [in] attribute, attributes  which
/// @param [in] num_attributes  their number
/// @param [in] dev_ptr  start
/// @param [in] count  bytes
/// Returns: hipErrorInvalidValue: a pointer is NULL, a size does not fit, an attribute is unknown,
/// or the range is not managed.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Managed Memory"; cuMemRangeGetAttribute, cuMemRangeGetAttributes.

/// One attribute.
hipError_t hipMemRangeGetAttribute(void *data, size_t data_size, hipMemRangeAttribute attribute,
                                   const void *dev_ptr, size_t count);
/// Several.
hipError_t hipMemRangeGetAttributes(void **data, size_t *data_sizes,
                                    hipMemRangeAttribute *attributes, size_t num_attributes,
                                    const void *dev_ptr, size_t count);

/// Says which streams use a managed allocation, so that others need not wait for it. Without effect
/// where host and device may use it at once.
/// @param [in] stream  a stream; with hipMemAttachSingle not NULL
/// @param [in] dev_ptr  start of an allocation
/// @param [in] length  0 or the allocation's size, bytes
/// @param [in] flags  hipMemAttachGlobal, hipMemAttachHost or hipMemAttachSingle
/// Returns: hipErrorInvalidValue: dev_ptr is NULL or no managed allocation, length is another
/// value, or flags is unknown or without its stream; hipErrorContextIsDestroyed: not a stream.
/// Thread safety: safe.
/// Stream order: enqueued.
/// Source: HIP "Managed Memory"; cuStreamAttachMemAsync.
hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *dev_ptr, size_t length __dparm(0),
                                   unsigned int flags __dparm(hipMemAttachSingle));

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
