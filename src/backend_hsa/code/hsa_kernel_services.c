/* Owns what kernels need from the host in addition to their arguments: which services a kernel
 * needs, the heap of malloc, and the workspace of cooperative launches. hsa_output.c has the print
 * buffers. */
#include "hsa_kernel_services.h"
#include "amdgpu_abi.h"
#include "hsa_hostcall.h"

#include <stdlib.h>

enum { HEAP_HEAD = 512, WORKSPACE_SIZE = 8 };

static void destroy(struct ahhsa_kernel_services *services)
{
    pthread_mutex_destroy(&services->lock);
    pthread_mutex_destroy(&services->printing);
    pthread_mutex_destroy(&services->creating);
    free(services);
}

static struct ahhsa_kernel_services *create(void)
{
    struct ahhsa_kernel_services *services = calloc(1, sizeof *services);
    if (!services)
        return NULL;
    pthread_mutex_init(&services->lock, NULL);
    pthread_mutex_init(&services->printing, NULL);
    pthread_mutex_init(&services->creating, NULL);
    services->last_print = &services->prints;
    return services;
}

struct ahhsa_kernel_services *ahhsa_kernel_services_of(struct ah_backend_device *device)
{
    struct ahhsa_kernel_services *there = __atomic_load_n(&device->services, __ATOMIC_ACQUIRE);
    if (there)
        return there;
    struct ahhsa_kernel_services *services = create();
    if (services && !__atomic_compare_exchange_n(&device->services, &there, services, false,
                                                 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        destroy(services);
        services = there;
    }
    return services;
}

hipError_t ahhsa_kernel_services_examine(struct ah_backend_device *device, hipError_t error)
{
    struct ahhsa_kernel_services *services = __atomic_load_n(&device->services, __ATOMIC_ACQUIRE);
    if (!services)
        return error;
    bool asserted = ahhsa_print_buffers_flush(services);
    pthread_mutex_lock(&services->creating);
    asserted |= services->calls && ahhsa_hostcalls_asserted(services->calls);
    pthread_mutex_unlock(&services->creating);
    return asserted ? hipErrorAssert : error;
}

/* ---- heap and workspace ----------------------------------------------------------------- */

/* Device memory of which the first bytes are zeroed. */
static hipError_t alloc_zeroed(struct ah_backend_device *device, size_t size, size_t zeroed,
                               void **out_memory)
{
    hipError_t error = ahhsa_raw_alloc(device, device->pools.device_coarse, size, out_memory);
    if (error != hipSuccess)
        return error;
    error = ahhsa_raw_zero(device, *out_memory, zeroed);
    if (error != hipSuccess) {
        ahhsa_raw_free(device, *out_memory);
        *out_memory = NULL;
    }
    return error;
}

static hipError_t create_heap(struct ah_backend_device *device,
                              struct ahhsa_kernel_services *services)
{
    uint64_t capacity = ahhsa_limit(device, hipLimitMallocHeapSize);
    void *heap = NULL;
    hipError_t error = alloc_zeroed(device, HEAP_HEAD + capacity, HEAP_HEAD, &heap);
    if (error == hipSuccess)
        error = ahhsa_raw_write(device, heap, &capacity, sizeof capacity);
    if (error == hipSuccess) {
        services->heap = heap;
        atomic_store(&device->heap_in_use, true);
    } else if (heap) {
        ahhsa_raw_free(device, heap);
    }
    return error;
}

/* ---- who needs what --------------------------------------------------------------------- */

unsigned ahhsa_kernel_services_needed(const struct ah_backend_function *function)
{
    bool rocm_abi = function->module->abi == AHHSA_ABI_ROCM;
    bool calls = ahhsa_function_uses(function, AHHSA_VALUE_HOSTCALL_BUFFER);
    bool prints = function->module->abi == AHHSA_ABI_CURRENT
                      ? calls
                      : ahhsa_function_uses(function, AHHSA_VALUE_PRINTF_BUFFER);
    unsigned needs = prints ? AHHSA_NEEDS_OUTPUT : 0;
    if (ahhsa_function_uses(function, AHHSA_VALUE_HEAP))
        needs |= rocm_abi ? AHHSA_NEEDS_ROCM_HEAP : AHHSA_NEEDS_HEAP;
    if (rocm_abi && calls)
        needs |= AHHSA_NEEDS_HOSTCALLS;
    if (ahhsa_function_uses(function, AHHSA_VALUE_MULTIGRID_SYNC))
        needs |= AHHSA_NEEDS_WORKSPACE;
    return needs;
}

/* Creates the services that are created at their first use. */
static hipError_t create_services(struct ah_backend_device *device,
                                  struct ahhsa_kernel_services *services, unsigned needs)
{
    hipError_t error = hipSuccess;
    pthread_mutex_lock(&services->creating);
    if ((needs & AHHSA_NEEDS_HEAP) && !services->heap)
        error = create_heap(device, services);
    if (error == hipSuccess && (needs & AHHSA_NEEDS_ROCM_HEAP) && !services->rocm_heap)
        error = alloc_zeroed(device, AMDGPU_HEAP_SIZE, AMDGPU_HEAP_SIZE, &services->rocm_heap);
    if (error == hipSuccess && (needs & AHHSA_NEEDS_HOSTCALLS) && !services->calls)
        error = ahhsa_hostcalls_start(device, &services->calls);
    if (error == hipSuccess && (needs & AHHSA_NEEDS_WORKSPACE) && !services->workspace)
        error = alloc_zeroed(device, WORKSPACE_SIZE, WORKSPACE_SIZE, &services->workspace);
    pthread_mutex_unlock(&services->creating);
    return error;
}

static void fill_implicit(const struct ahhsa_kernel_services *services, unsigned needs,
                          struct ahhsa_implicit *out_implicit)
{
    if (needs & AHHSA_NEEDS_HEAP)
        out_implicit->heap = services->heap;
    if (needs & AHHSA_NEEDS_ROCM_HEAP)
        out_implicit->heap = services->rocm_heap;
    if (needs & AHHSA_NEEDS_HOSTCALLS)
        out_implicit->hostcall_buffer = ahhsa_hostcalls_buffer(services->calls);
    if (needs & AHHSA_NEEDS_WORKSPACE)
        out_implicit->workspace = services->workspace;
}

/* The implicit argument in which kernels look for it depends on their ABI (docs/kernel-abi.md). */
static void fill_print_buffer(const struct ah_backend_function *function,
                              const struct ahhsa_print_buffer *print,
                              struct ahhsa_implicit *out_implicit)
{
    if (function->module->abi == AHHSA_ABI_CURRENT)
        out_implicit->hostcall_buffer = ahhsa_print_buffer_memory(print);
    else
        out_implicit->printf_buffer = ahhsa_print_buffer_memory(print);
}

hipError_t ahhsa_kernel_services_provide(struct ah_backend_device *device,
                                         struct ah_backend_stream *stream,
                                         const struct ah_backend_function *function, unsigned needs,
                                         struct ahhsa_implicit *out_implicit,
                                         struct ahhsa_print_buffer **out_print)
{
    hipError_t error = hipSuccess;
    struct ahhsa_kernel_services *services = ahhsa_kernel_services_of(device);
    if (!services)
        return hipErrorOutOfMemory;
    if (needs & ~(unsigned)AHHSA_NEEDS_OUTPUT)
        error = create_services(device, services, needs);
    if (error != hipSuccess)
        return error;
    fill_implicit(services, needs, out_implicit);
    if (!(needs & AHHSA_NEEDS_OUTPUT))
        return hipSuccess;
    error = ahhsa_print_buffer_acquire(services, stream, function, out_print);
    if (error == hipSuccess)
        fill_print_buffer(function, *out_print, out_implicit);
    return error;
}

void ahhsa_kernel_services_free(struct ah_backend_device *device)
{
    struct ahhsa_kernel_services *services = device->services;
    if (device->info)
        ahhsa_limits_init(device->info);
    if (!services)
        return;
    ahhsa_print_buffers_free(services);
    ahhsa_hostcalls_stop(services->calls);
    ahhsa_raw_free(device, services->heap);
    ahhsa_raw_free(device, services->rocm_heap);
    ahhsa_raw_free(device, services->workspace);
    atomic_store(&device->heap_in_use, false);
    destroy(services);
    device->services = NULL;
}
