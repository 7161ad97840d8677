/* Owns memory of other APIs, and device memory as dma-bufs for other drivers. A mapping of the
 * runtime is always one of the whole memory, at an address of its own; each buffer gets one. */
#include "hsa_allocation.h"

#include <stdlib.h>
#include <unistd.h>

struct ah_backend_external {
    int file;
    size_t size;       /* of the memory, as the runtime has it */
    uint64_t imported; /* as the program has it, which may be less */
    void *spare; /* the mapping of the import, until a buffer has it; under the device's lock */
};

/* ---- dma-bufs -------------------------------------------------------------------------- */

static hipError_t export_dmabuf(struct ah_backend_device *device, void *pointer, size_t size,
                                unsigned long long flags, int *out_file, uint64_t *out_offset)
{
    const struct ahhsa_api *api = device->api;
    if (flags == 0 && api->hsa_amd_portable_export_dmabuf)
        return ahhsa_done(device, "hsa_amd_portable_export_dmabuf",
                          api->hsa_amd_portable_export_dmabuf(pointer, size, out_file, out_offset));
    if (!api->hsa_amd_portable_export_dmabuf_v2)
        return ahhsa_missing(device, flags ? "hsa_amd_portable_export_dmabuf_v2"
                                           : "hsa_amd_portable_export_dmabuf");
    return ahhsa_done(device, "hsa_amd_portable_export_dmabuf_v2",
                      api->hsa_amd_portable_export_dmabuf_v2(pointer, size, out_file, out_offset,
                                                             HSA_AMD_DMABUF_MAPPING_TYPE_PCIE));
}

/* A dma-buf of AMD's is of a whole allocation, and HIP has no offset into it. */
hipError_t ahhsa_memory_range_handle(struct ah_backend_device *device, void *pointer, size_t size,
                                     hipMemRangeHandleType type, unsigned long long flags,
                                     void *out_handle)
{
    int file = -1;
    uint64_t offset = 0;
    hipError_t error = ahhsa_enter(device);
    (void)type;
    if (error != hipSuccess)
        return error;
    if (!ahhsa_memory_contains(device, pointer, size)) {
        AH_LOG_ERR("%zu bytes at %p are not all in an allocation", size, pointer);
        return hipErrorInvalidValue;
    }
    error = export_dmabuf(device, pointer, size, flags, &file, &offset);
    if (error != hipSuccess)
        return error;
    if (offset == 0) {
        *(int *)out_handle = file;
        return hipSuccess;
    }
    close(file);
    return ahhsa_refuse(device, "a dma-buf of a part of memory",
                        "the kernel driver makes them of whole allocations, and the range does not "
                        "begin where one does");
}

/* ---- importing ------------------------------------------------------------------------- */

static hipError_t map_whole(struct ah_backend_device *device, int file, size_t *out_size,
                            void **out_pointer)
{
    return ahhsa_done(device, "hsa_amd_interop_map_buffer",
                      device->api->hsa_amd_interop_map_buffer(1, &device->agent, file, 0, out_size,
                                                              out_pointer, NULL, NULL));
}

static void unmap_whole(struct ah_backend_device *device, void *mapping)
{
    if (mapping)
        (void)ahhsa_done(device, "hsa_amd_interop_unmap_buffer",
                         device->api->hsa_amd_interop_unmap_buffer(mapping));
}

hipError_t ahhsa_external_import(struct ah_backend_device *device,
                                 const hipExternalMemoryHandleDesc *description,
                                 struct ah_backend_external **out_external)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    if (!device->api->hsa_amd_interop_map_buffer || !device->api->hsa_amd_interop_unmap_buffer)
        return ahhsa_missing(device, "hsa_amd_interop_map_buffer");
    struct ah_backend_external *external = calloc(1, sizeof *external);
    if (!external)
        return hipErrorOutOfMemory;
    external->file = description->handle.fd;
    external->imported = description->size;
    if (map_whole(device, external->file, &external->size, &external->spare) != hipSuccess) {
        AH_LOG_ERR("file descriptor %d is not memory that the device can use", external->file);
        error = hipErrorInvalidValue;
    } else if (external->size < description->size) {
        AH_LOG_ERR("imported memory has %zu bytes and not %llu", external->size, description->size);
        unmap_whole(device, external->spare);
        error = hipErrorInvalidValue;
    }
    if (error == hipSuccess)
        *out_external = external;
    else
        free(external);
    return error;
}

static void *take_spare(struct ah_backend_device *device, struct ah_backend_external *external)
{
    ahhsa_lock(device);
    void *spare = external->spare;
    external->spare = NULL;
    ahhsa_unlock(device);
    return spare;
}

hipError_t ahhsa_external_destroy(struct ah_backend_device *device,
                                  struct ah_backend_external *external)
{
    unmap_whole(device, take_spare(device, external));
    close(external->file);
    free(external);
    return hipSuccess;
}

/* ---- mapping --------------------------------------------------------------------------- */

hipError_t ahhsa_external_map(struct ah_backend_device *device,
                              struct ah_backend_external *external, uint64_t offset, uint64_t size,
                              void **out_pointer)
{
    size_t whole;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    void *mapping = take_spare(device, external);
    if (!mapping)
        error = map_whole(device, external->file, &whole, &mapping);
    if (error != hipSuccess)
        return error;
    void *pointer = (char *)mapping + offset;
    struct ahhsa_allocation *allocation =
        ahhsa_allocation_create(device, pointer, size, AH_MEMORY_DEVICE, AHHSA_EXTERNAL);
    if (allocation)
        allocation->mapping = mapping;
    if (allocation && ahhsa_memory_add(device->backend, allocation)) {
        *out_pointer = pointer;
        return hipSuccess;
    }
    error = allocation ? hipErrorInvalidValue : hipErrorOutOfMemory;
    free(allocation);
    unmap_whole(device, mapping);
    return error;
}

hipError_t ahhsa_external_map_checked(struct ah_backend_device *device,
                                      struct ah_backend_external *external, uint64_t offset,
                                      uint64_t size, void **out_pointer)
{
    if (offset <= external->imported && size <= external->imported - offset)
        return ahhsa_external_map(device, external, offset, size, out_pointer);
    AH_LOG_ERR("%llu bytes from %llu on reach beyond imported memory of %llu bytes",
               (unsigned long long)size, (unsigned long long)offset,
               (unsigned long long)external->imported);
    return hipErrorInvalidValue;
}

hipError_t ahhsa_external_unmap(struct ah_backend_device *device, void *pointer)
{
    struct ahhsa_allocation *allocation =
        ahhsa_memory_remove(device->backend, pointer, 1u << AHHSA_EXTERNAL);
    if (!allocation)
        return hipErrorInvalidValue; /* a reset has ended it */
    hipError_t error = ahhsa_done(device, "hsa_amd_interop_unmap_buffer",
                                  device->api->hsa_amd_interop_unmap_buffer(allocation->mapping));
    if (error == hipSuccess || !ahhsa_memory_add(device->backend, allocation))
        free(allocation);
    return error;
}
