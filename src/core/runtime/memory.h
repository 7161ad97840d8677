/* Every allocation made through HIP, by address: its owner and kind. */
#ifndef AH_MEMORY_H
#define AH_MEMORY_H

#include "ranges.h"
#include "registry.h"

struct ah_stream;

enum ah_allocation_origin {
    AH_ORIGIN_PLAIN,  /* hipMalloc and its kin, hipHostMalloc, hipHostRegister */
    AH_ORIGIN_POOL,   /* hipMallocAsync */
    AH_ORIGIN_IPC,    /* hipIpcOpenMemHandle */
    AH_ORIGIN_STATIC, /* a managed variable: not the application's to free */
    AH_ORIGIN_GRAPH,  /* a graph's, which may be allocated now or not */
};

struct ah_allocation {
    struct ah_range range; /* first, so that a range is its allocation */
    struct ah_device *device;
    enum ah_memory_kind kind;
    enum ah_allocation_origin origin;
    unsigned flags;       /* as given when it was made */
    void *device_pointer; /* of host memory: its address on devices */
    bool imported;        /* AH_ORIGIN_POOL: by hipMemPoolImportPointer */
    unsigned reopened;    /* how often it was opened or imported when it was known already */
    /* AH_ORIGIN_GRAPH: frees it, in the stream's order, or when the device has done its work
     * (stream NULL). hipErrorInvalidValue: it is not allocated now. */
    hipError_t (*free)(void *pointer, struct ah_stream *stream);
};

/* Registers an allocation, or counts one more opening or import of one that is known.
 * hipErrorOutOfMemory; hipErrorHostMemoryAlreadyRegistered: it overlaps a known one. */
hipError_t ah_memory_register(const struct ah_allocation *allocation);

/* The bytes of the device's memory that graphs have, for observers. */
void ah_memory_count_graphs(struct ah_device *device, uint64_t bytes);

/* Copies the allocation that contains pointer. False: there is none. */
bool ah_memory_find(const void *pointer, struct ah_allocation *out);

/* Whether size bytes at both ends of a copy are within the allocations around them, where there
 * are any; out_known: there is one around either. */
bool ah_memory_holds(const void *dst, const void *src, size_t size, bool *out_known);

/* The allocations at both ends of the thread's latest copy, so that another one between the two
 * needs no lock and reads one line of the cache. */
struct ah_memory_latest {
    _Alignas(64) uint64_t removals; /* before the copy */
    struct {
        uintptr_t start;
        size_t size; /* 0: none */
    } ends[2];
};
extern _Thread_local struct ah_memory_latest ah_memory_latest
    __attribute__((tls_model("initial-exec")));
extern _Atomic(uint64_t) ah_memory_removals; /* of allocations, so far */

/* True: ah_memory_holds is, both ends are known, and there is one driver. Otherwise it has to be
 * asked. */
static inline bool ah_memory_holds_again(const void *dst, const void *src, size_t size)
{
    const struct ah_memory_latest *latest = &ah_memory_latest;
    uintptr_t to = (uintptr_t)dst, from = (uintptr_t)src;
    int d = to - latest->ends[0].start >= latest->ends[0].size;
    int s = from - latest->ends[0].start >= latest->ends[0].size;
    size_t at = to - latest->ends[d].start, of = from - latest->ends[s].start;
    return (latest->removals == atomic_load_explicit(&ah_memory_removals, memory_order_relaxed)) &
           (at < latest->ends[d].size) & (size <= latest->ends[d].size - at) &
           (of < latest->ends[s].size) & (size <= latest->ends[s].size - of);
}

/* Removes the allocation that starts at pointer, and copies it. One that was opened several times
 * is removed with the last call. */
bool ah_memory_unregister(const void *pointer, struct ah_allocation *out);

/* Completes a free after ah_memory_unregister; error is the driver's result. Memory that the driver
 * failed to free is registered again. Returns error. */
hipError_t ah_memory_finish_free(const struct ah_allocation *allocation, hipError_t error);

/* Removes all allocations of a device that is about to be reset. */
void ah_memory_release_device(struct ah_device *device);

/* The device whose memory pointer is in; NULL for host memory. Searches HIP's allocations, then
 * queries the drivers. */
struct ah_device *ah_memory_owner(const void *pointer);

/* Whether the host waits for copies and fills within a device, by calls that are not asynchronous,
 * where this memory takes part: HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS. */
bool ah_memory_is_synchronous(const void *pointer);
/* An allocation got that attribute, which the drivers keep; before, none is looked for. */
void ah_memory_has_synchronous(void);

/* What is known about pointer from HIP's allocations, else from the drivers.
 * Returns NULL, with kind AH_MEMORY_UNKNOWN, for pageable memory. */
struct ah_device *ah_memory_describe(const void *pointer, struct ah_pointer_info *out_info);

#endif
