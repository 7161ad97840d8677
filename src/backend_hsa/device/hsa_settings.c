/* Owns what applications set on a device: limits, cache and bank preferences, flags. */
#include "hsa_device_info.h"

/* The hardware counts the private memory of a wave in 13 bits of 1 KiB, which is less than 128
 * KiB for each of 64 threads. */
enum { STACK_MAX = (128 << 10) - 16, PRINTF_MIN = 4096, HEAP_MIN = 4096 };

void ahhsa_limits_init(struct ahhsa_device_info *info)
{
    enum { STACK = 1024, PRINTF_FIFO = 1 << 20, HEAP = 8 << 20 };
    __atomic_store_n(&info->limits[hipLimitStackSize], STACK, __ATOMIC_RELAXED);
    __atomic_store_n(&info->limits[hipLimitPrintfFifoSize], PRINTF_FIFO, __ATOMIC_RELAXED);
    __atomic_store_n(&info->limits[hipLimitMallocHeapSize], HEAP, __ATOMIC_RELAXED);
    __atomic_store_n(&info->cache_config, hipFuncCachePreferNone, __ATOMIC_RELAXED);
}

static bool has_limit(enum hipLimit_t limit)
{
    return (int)limit >= hipLimitStackSize && (int)limit <= hipLimitMallocHeapSize;
}

size_t ahhsa_limit(struct ah_backend_device *device, enum hipLimit_t limit)
{
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    return info ? __atomic_load_n(&info->limits[limit], __ATOMIC_RELAXED) : 0;
}

hipError_t ahhsa_device_get_limit(struct ah_backend_device *device, enum hipLimit_t limit,
                                  size_t *out_value)
{
    if (!has_limit(limit))
        return hipErrorUnsupportedLimit;
    if (!ahhsa_device_info_of(device))
        return hipErrorOutOfMemory;
    *out_value = ahhsa_limit(device, limit);
    return hipSuccess;
}

/* The header of a printf buffer has a size of 32 bits, and the heap counts units of 16 bytes. */
static size_t within_bounds(enum hipLimit_t limit, size_t value)
{
    size_t least = limit == hipLimitStackSize        ? 0
                   : limit == hipLimitPrintfFifoSize ? PRINTF_MIN
                                                     : HEAP_MIN;
    value = value < least ? least : value;
    return (value + 15) & ~(size_t)15;
}

hipError_t ahhsa_device_set_limit(struct ah_backend_device *device, enum hipLimit_t limit,
                                  size_t value)
{
    struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    if (!has_limit(limit))
        return hipErrorUnsupportedLimit;
    if (!info)
        return hipErrorOutOfMemory;
    if ((limit == hipLimitStackSize && value > STACK_MAX) ||
        (limit == hipLimitPrintfFifoSize && value > UINT32_MAX / 2) || value > info->memory_size)
        return hipErrorInvalidValue;
    value = within_bounds(limit, value);
    if (limit == hipLimitMallocHeapSize && value != ahhsa_limit(device, limit) &&
        atomic_load(&device->heap_in_use)) { /* kernels may hold blocks of it */
        AH_LOG_ERR(
            "%s:%d: the heap cannot be resized to %zu bytes, because kernels that use it were "
            "launched: set hipLimitMallocHeapSize before the first of them",
            device->backend->name, device->index, value);
        return hipErrorInvalidValue;
    }
    __atomic_store_n(&info->limits[limit], value, __ATOMIC_RELAXED);
    return hipSuccess;
}

/* L1 and group memory are separate on AMD's GPUs, and banks have one width: a preference has no
 * effect, and is stored only for the program that reads it back. */

hipError_t ahhsa_device_get_cache_config(struct ah_backend_device *device,
                                         hipFuncCache_t *out_config)
{
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    if (!info)
        return hipErrorOutOfMemory;
    *out_config = __atomic_load_n(&info->cache_config, __ATOMIC_RELAXED);
    return hipSuccess;
}

hipError_t ahhsa_device_set_cache_config(struct ah_backend_device *device, hipFuncCache_t config)
{
    struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    if (!info)
        return hipErrorOutOfMemory;
    __atomic_store_n(&info->cache_config, config, __ATOMIC_RELAXED);
    return hipSuccess;
}

hipError_t ahhsa_device_get_shared_config(struct ah_backend_device *device,
                                          hipSharedMemConfig *out_config)
{
    (void)device;
    *out_config = hipSharedMemBankSizeFourByte;
    return hipSuccess;
}

hipError_t ahhsa_device_set_shared_config(struct ah_backend_device *device,
                                          hipSharedMemConfig config)
{
    (void)device;
    (void)config; /* no effect, as on current NVIDIA devices */
    return hipSuccess;
}

hipError_t ahhsa_device_get_flags(struct ah_backend_device *device, unsigned *out_flags,
                                  bool *out_active)
{
    *out_flags = __atomic_load_n(&device->flags, __ATOMIC_RELAXED);
    *out_active = atomic_load_explicit(&device->ready, memory_order_acquire);
    return hipSuccess;
}

hipError_t ahhsa_device_set_flags(struct ah_backend_device *device, unsigned flags)
{
    __atomic_store_n(&device->flags, flags, __ATOMIC_RELAXED);
    return hipSuccess;
}
