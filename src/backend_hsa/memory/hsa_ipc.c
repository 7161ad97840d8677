/* Owns memory that processes share, by handles of the runtime. */
#include "hsa_allocation.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The contents of a hipIpcMemHandle_t. */
_Static_assert(sizeof(struct ahhsa_ipc_ticket) <= sizeof(hipIpcMemHandle_t), "IPC memory handles");

/* The size of an allocation in the runtime: AMD's rounds sizes up, and shares whole allocations
 * only. */
static hipError_t native_size(struct ah_backend_device *device, void *pointer, size_t size,
                              uint64_t *out_size)
{
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    *out_size = size;
    if (!device->api->hsa_amd_pointer_info)
        return hipSuccess;
    hipError_t error =
        ahhsa_done(device, "hsa_amd_pointer_info",
                   device->api->hsa_amd_pointer_info(pointer, &info, NULL, NULL, NULL));
    if (error == hipSuccess && info.sizeInBytes > size)
        *out_size = info.sizeInBytes;
    return error;
}

hipError_t ahhsa_ipc_export(struct ah_backend_device *device, void *pointer, size_t size,
                            struct ahhsa_ipc_ticket *out_ticket)
{
    if (!device->api->hsa_amd_ipc_memory_create)
        return ahhsa_missing(device, "hsa_amd_ipc_memory_create");
    hipError_t error = native_size(device, pointer, size, &out_ticket->size);
    if (error == hipSuccess)
        error = ahhsa_done(
            device, "hsa_amd_ipc_memory_create",
            device->api->hsa_amd_ipc_memory_create(pointer, out_ticket->size, &out_ticket->native));
    out_ticket->owner = getpid();
    return error;
}

hipError_t ahhsa_ipc_export_memory(struct ah_backend_device *device, void *pointer,
                                   hipIpcMemHandle_t *out_handle)
{
    struct ahhsa_allocation it;
    struct ahhsa_ipc_ticket ticket;
    hipError_t error = ahhsa_enter(device);
    memset(&ticket, 0, sizeof ticket);
    if (error != hipSuccess)
        return error;
    if (!ahhsa_memory_find(device->backend, pointer, &it) || it.kind != AH_MEMORY_DEVICE ||
        it.origin != AHHSA_PLAIN) {
        AH_LOG_ERR("%p is not device memory that can be shared", pointer);
        return hipErrorInvalidValue;
    }
    error = ahhsa_ipc_export(device, (void *)it.range.start, it.range.size, &ticket);
    if (error != hipSuccess)
        return error;
    memset(out_handle, 0, sizeof *out_handle);
    memcpy(out_handle, &ticket, sizeof ticket);
    return hipSuccess;
}

static void count_reopen(struct ahhsa_allocation *allocation, void *data)
{
    *(bool *)data = allocation->origin == AHHSA_IMPORTED;
    if (*(bool *)data)
        allocation->opened++;
}

/* The runtime may give the same address for memory that is open already. */
static hipError_t add_to_map(struct ah_backend_device *device, void *pointer, size_t size)
{
    bool again = false;
    if (ahhsa_memory_update(device->backend, pointer, count_reopen, &again))
        return again ? hipSuccess : hipErrorInvalidValue;
    struct ahhsa_allocation *allocation =
        ahhsa_allocation_create(device, pointer, size, AH_MEMORY_DEVICE, AHHSA_IMPORTED);
    if (!allocation)
        return hipErrorOutOfMemory;
    allocation->opened = 1;
    if (ahhsa_memory_add(device->backend, allocation))
        return hipSuccess;
    free(allocation);
    return hipErrorInvalidValue;
}

hipError_t ahhsa_ipc_import(struct ah_backend_device *device, const struct ahhsa_ipc_ticket *ticket,
                            size_t size, void **out_pointer)
{
    void *pointer = NULL;
    if (!device->api->hsa_amd_ipc_memory_attach || !device->api->hsa_amd_ipc_memory_detach)
        return ahhsa_missing(device, "hsa_amd_ipc_memory_attach");
    if (ticket->owner == getpid()) {
        AH_LOG_ERR("the handle is of this process: use the pointer it was made from");
        return hipErrorInvalidContext;
    }
    pthread_mutex_lock(&device->backend->import_lock);
    hipError_t error = ahhsa_done(device, "hsa_amd_ipc_memory_attach",
                                  device->api->hsa_amd_ipc_memory_attach(
                                      &ticket->native, ticket->size, 1, &device->agent, &pointer));
    if (error == hipSuccess) {
        error = add_to_map(device, pointer, size);
        if (error != hipSuccess)
            device->api->hsa_amd_ipc_memory_detach(pointer);
    }
    pthread_mutex_unlock(&device->backend->import_lock);
    if (error == hipSuccess)
        *out_pointer = pointer;
    return error;
}

hipError_t ahhsa_ipc_import_memory(struct ah_backend_device *device,
                                   const hipIpcMemHandle_t *handle, unsigned flags,
                                   void **out_pointer)
{
    struct ahhsa_ipc_ticket ticket;
    hipError_t error = ahhsa_enter(device);
    (void)flags; /* peers of the device get access at their first use of it */
    if (error != hipSuccess)
        return error;
    memcpy(&ticket, handle, sizeof ticket);
    return ahhsa_ipc_import(device, &ticket, ticket.size, out_pointer);
}

static void count_close(struct ahhsa_allocation *allocation, void *data)
{
    (void)data;
    allocation->opened--;
}

static void undo_close(struct ahhsa_allocation *allocation, void *data)
{
    (void)data;
    allocation->opened++;
}

/* Under import_lock. The last one takes the memory out of the map before the runtime has it back,
 * which may use its address for something else at once. */
static hipError_t close_once(struct ah_backend_device *device, void *pointer, bool last)
{
    struct ah_backend *backend = device->backend;
    struct ahhsa_allocation *allocation = NULL;
    if (last)
        allocation = ahhsa_memory_remove(backend, pointer, 1u << AHHSA_IMPORTED);
    else
        ahhsa_memory_update(backend, pointer, count_close, NULL);
    if (last && !allocation)
        return hipErrorInvalidValue; /* a reset has closed it */
    hipError_t error = ahhsa_done(device, "hsa_amd_ipc_memory_detach",
                                  device->api->hsa_amd_ipc_memory_detach(pointer));
    if (error != hipSuccess && !last)
        ahhsa_memory_update(backend, pointer, undo_close, NULL);
    if (error == hipSuccess || (last && !ahhsa_memory_add(backend, allocation)))
        free(allocation);
    return error;
}

hipError_t ahhsa_ipc_close_memory(struct ah_backend_device *device, void *pointer)
{
    struct ahhsa_allocation it;
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = ahhsa_device_drain(device);
    if (error != hipSuccess)
        return error;
    pthread_mutex_lock(&device->backend->import_lock);
    if (ahhsa_memory_find(device->backend, pointer, &it) && it.range.start == (uintptr_t)pointer &&
        it.origin == AHHSA_IMPORTED) {
        error = close_once(device, pointer, it.opened == 1);
    } else {
        AH_LOG_ERR("%p is not the start of memory of another process", pointer);
        error = hipErrorInvalidValue;
    }
    pthread_mutex_unlock(&device->backend->import_lock);
    return error;
}
