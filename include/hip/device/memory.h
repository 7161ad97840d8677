/* Memory in device code: memcpy and its kin, malloc and free, the names of dynamic shared
 * memory. new and delete are in prelude.h and end here. */
#ifndef HIP_DEVICE_MEMORY_H
#define HIP_DEVICE_MEMORY_H

#include "hip/device/prelude.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

/* `HIP_DYNAMIC_SHARED(float, tile)` is `extern __shared__ float tile[];`: the shared memory
 * whose size the launch gives. */
#define HIP_DYNAMIC_SHARED(type, var) extern __shared__ type var[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE

/* Where that memory begins. */
#if defined(__NVPTX__)
__AH_FN void *__get_dynamicgroupbaseptr()
{
    extern __shared__ unsigned char __ah_dynamic_shared[];
    return __ah_dynamic_shared;
}
#elif defined(__HIP_DEVICE_COMPILE__)
__AH_FN void *__get_dynamicgroupbaseptr()
{
    typedef __attribute__((address_space(3))) void local;
    return (void *)(local *)__builtin_amdgcn_groupstaticsize();
}
#else
__device__ void *__get_dynamicgroupbaseptr();
__host__ inline void *__get_dynamicgroupbaseptr() { return nullptr; }
#endif

/* The compiler expands these into loads and stores. */
__AH_FN void *memcpy(void *to, const void *from, __SIZE_TYPE__ n)
{
    return __builtin_memcpy(to, from, n);
}
__AH_FN void *memmove(void *to, const void *from, __SIZE_TYPE__ n)
{
    return __builtin_memmove(to, from, n);
}
__AH_FN void *memset(void *to, int value, __SIZE_TYPE__ n)
{
    return __builtin_memset(to, value, n);
}

/* ---- malloc and free ---- */

/* On NVIDIA both belong to the CUDA driver (heap of cuCtxSetLimit, CU_LIMIT_MALLOC_HEAP_SIZE).
 *
 * On AMD the runtime passes a heap in the implicit arguments; docs/kernel-abi.md has its
 * layout. A block is 2^k bytes, k from 5 on, of which the first 16 are its header. Freed
 * blocks wait in one list for each k; a block comes from its list, else from the arena's
 * unused end. Lists are stacks whose head holds, beside the block, a count that changes
 * with every removal, so that a head that looks the same is the same. */
#if defined(__HIP_DEVICE_COMPILE__) && !defined(__NVPTX__)

/* Shows the runtime which implicit arguments this code reads, and that its heap is the one below,
 * not that of ROCm's device library (docs/kernel-abi.md). */
extern "C" __device__ __attribute__((weak, used)) unsigned int __anyhip_device_abi = 2;

namespace __ah
{
struct heap {
    unsigned long long capacity;      /* bytes of the arena, which begins after this structure */
    unsigned long long used;          /* bytes given out from its beginning */
    unsigned long long free_list[40]; /* for blocks of 2^k bytes: count << 40 | offset / 16 */
    unsigned long long reserved[22];  /* to 512 bytes */
};
struct heap_block {
    unsigned long long next; /* of a free block: offset / 16 of the one below, 0 for none */
    unsigned int order;      /* k */
    unsigned int reserved;
};
static_assert(sizeof(heap) == 512 && sizeof(heap_block) == 16, "docs/kernel-abi.md");

/* hidden_heap_v1 */
__AH_FN heap *the_heap()
{
    typedef const __attribute__((address_space(4))) unsigned char *implicit_arguments;
    typedef heap *const __attribute__((address_space(4))) * heap_argument;
    return *(heap_argument)((implicit_arguments)__builtin_amdgcn_implicitarg_ptr() + 96);
}
/* Offset 0 means no block, so offsets count from the structure, never from the arena. */
__AH_FN heap_block *block_at(heap *h, unsigned long long offset)
{
    return (heap_block *)((unsigned char *)h + offset * 16);
}
} // namespace __ah

extern "C" __device__ __attribute__((weak, noinline)) void *malloc(__SIZE_TYPE__ size)
{
    __ah::heap *h = __ah::the_heap();
    if (!h || size > (1ull << 38))
        return nullptr;
    unsigned int order = 64 - __builtin_clzll((unsigned long long)size + 15 | 31);
    unsigned long long *list = &h->free_list[order];
    constexpr unsigned long long offset_bits = (1ull << 40) - 1;
    unsigned long long head = __hip_atomic_load(list, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
    while (head & offset_bits) {
        __ah::heap_block *b = __ah::block_at(h, head & offset_bits);
        /* another thread may take b meanwhile; what is read here then goes unused */
        unsigned long long next =
            __hip_atomic_load(&b->next, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        unsigned long long changed = ((head & ~offset_bits) + (1ull << 40)) | (next & offset_bits);
        if (__hip_atomic_compare_exchange_strong(list, &head, changed, __ATOMIC_ACQUIRE,
                                                 __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT))
            return b + 1;
    }
    unsigned long long bytes = 1ull << order;
    unsigned long long used =
        __hip_atomic_load(&h->used, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    do {
        if (h->capacity < bytes || used > h->capacity - bytes)
            return nullptr;
    } while (!__hip_atomic_compare_exchange_strong(&h->used, &used, used + bytes, __ATOMIC_RELAXED,
                                                   __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT));
    __ah::heap_block *b = __ah::block_at(h, (sizeof(__ah::heap) + used) / 16);
    b->order = order;
    return b + 1;
}

extern "C" __device__ __attribute__((weak, noinline)) void free(void *pointer)
{
    __ah::heap *h = __ah::the_heap();
    if (!pointer || !h)
        return;
    __ah::heap_block *b = (__ah::heap_block *)pointer - 1;
    unsigned long long *list = &h->free_list[b->order];
    unsigned long long offset = (unsigned long long)((unsigned char *)b - (unsigned char *)h) / 16;
    constexpr unsigned long long offset_bits = (1ull << 40) - 1;
    unsigned long long head = __hip_atomic_load(list, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    do {
        __hip_atomic_store(&b->next, head & offset_bits, __ATOMIC_RELAXED,
                           __HIP_MEMORY_SCOPE_AGENT);
    } while (!__hip_atomic_compare_exchange_strong(list, &head, (head & ~offset_bits) | offset,
                                                   __ATOMIC_RELEASE, __ATOMIC_RELAXED,
                                                   __HIP_MEMORY_SCOPE_AGENT));
}

#endif

#undef __AH_FN
#endif
