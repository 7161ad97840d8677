/* Owns buffers of OpenGL that Mesa exports: a device maps the memory that OpenGL draws from. */
#include "hsa_allocation.h"

#include "gl.h"
#include "mesa_abi.h"

#include <string.h>
#include <unistd.h>

struct mesa {
    void *display, *context;
    mesa_glinterop_query_device query;
    mesa_glinterop_export_object export;
};

/* The functions have one name where eglGetProcAddress finds them, which newer versions have, and
 * another where the library exports them. */
static void *mesa_function(const char *published, const char *exported)
{
    void *found = ah_gl_function(published);
    return found ? found : ah_gl_library_function("libEGL_mesa.so.0", exported);
}

/* The thread's context by way of Mesa's interface. False: it is of another OpenGL. */
static bool open_mesa(struct mesa *mesa)
{
    if (!ah_gl_egl_context(&mesa->display, &mesa->context))
        return false;
    *(void **)&mesa->query =
        mesa_function("eglGLInteropQueryDeviceInfoMESA", "MesaGLInteropEGLQueryDeviceInfo");
    *(void **)&mesa->export =
        mesa_function("eglGLInteropExportObjectMESA", "MesaGLInteropEGLExportObject");
    return mesa->query && mesa->export;
}

/* The backend's device at a place of the PCI bus, or NULL. */
static struct ah_backend_device *device_at(struct ah_backend *backend,
                                           const struct mesa_glinterop_device_info *info)
{
    for (int i = 0; i < backend->device_count; i++) {
        struct ah_device_identity identity;
        struct ah_backend_device *device = &backend->devices[i];
        if (ahhsa_device_identify(device, &identity) == hipSuccess &&
            identity.pci_domain == (int)info->pci_segment_group &&
            identity.pci_bus == (int)info->pci_bus && identity.pci_device == (int)info->pci_device)
            return device;
    }
    return NULL;
}

static struct ah_backend_device *drawing_device(const struct mesa *mesa, struct ah_backend *backend)
{
    struct mesa_glinterop_device_info info = {.version = MESA_GLINTEROP_VERSION};
    int result = mesa->query(mesa->display, mesa->context, &info);
    if (result == MESA_GLINTEROP_SUCCESS)
        return device_at(backend, &info);
    AH_LOG(AH_LOG_INFO, AH_LOG_RESOURCE, "Mesa does not say which device draws: its error %d",
           result);
    return NULL;
}

struct ah_backend_device *ahhsa_mesa_device(struct ah_backend *backend)
{
    struct mesa mesa;
    return open_mesa(&mesa) ? drawing_device(&mesa, backend) : NULL;
}

/* A dma-buf of the buffer's memory, or -1. */
static int export_buffer(const struct mesa *mesa, const struct ah_gl_object *buffer,
                         struct mesa_glinterop_export_out *out)
{
    struct mesa_glinterop_export_in in = {.version = MESA_GLINTEROP_VERSION,
                                          .target = MESA_GLINTEROP_ARRAY_BUFFER,
                                          .obj = buffer->name,
                                          .access = MESA_GLINTEROP_ACCESS_READ_WRITE};
    *out = (struct mesa_glinterop_export_out){.version = MESA_GLINTEROP_VERSION, .dmabuf_fd = -1};
    int result = mesa->export(mesa->display, mesa->context, &in, out);
    if (result == MESA_GLINTEROP_SUCCESS && out->dmabuf_fd >= 0)
        return out->dmabuf_fd;
    AH_LOG(AH_LOG_WARNING, AH_LOG_RESOURCE,
           "Mesa does not export buffer %u of OpenGL (its error %d): it is shared by copies",
           buffer->name, result);
    return -1;
}

/* Maps the dma-buf, and closes it. NULL: the runtime cannot. */
static void *map_file(struct ah_backend_device *device, int file, size_t *out_size)
{
    void *mapping = NULL, *metadata;
    size_t metadata_size = 0;
    hsa_status_t status = device->api->hsa_amd_interop_map_buffer(
        1, &device->agent, file, 0, out_size, &mapping, &metadata_size, (const void **)&metadata);
    close(file);
    if (status == HSA_STATUS_SUCCESS)
        return mapping;
    (void)ahhsa_done(device, "hsa_amd_interop_map_buffer", status);
    return NULL;
}

bool ahhsa_mesa_map(struct ah_backend_device *device, const struct ah_gl_object *buffer,
                    void **out_mapping, void **out_memory)
{
    struct mesa mesa;
    struct mesa_glinterop_export_out exported;
    size_t size = 0;
    if (!device->api->hsa_amd_interop_map_buffer || !device->api->hsa_amd_interop_unmap_buffer ||
        !open_mesa(&mesa) || drawing_device(&mesa, device->backend) != device)
        return false;
    int file = export_buffer(&mesa, buffer, &exported);
    char *mapping = file >= 0 ? map_file(device, file, &size) : NULL;
    if (!mapping)
        return false;
    bool fits = exported.buf_offset >= 0 && (size_t)exported.buf_offset <= size &&
                buffer->size <= size - (size_t)exported.buf_offset;
    *out_mapping = mapping;
    *out_memory = mapping + exported.buf_offset;
    if (fits &&
        ahhsa_memory_register(device, *out_memory, buffer->size, AH_MEMORY_DEVICE) == hipSuccess)
        return true;
    (void)ahhsa_done(device, "hsa_amd_interop_unmap_buffer",
                     device->api->hsa_amd_interop_unmap_buffer(mapping));
    *out_mapping = *out_memory = NULL;
    return false;
}

hipError_t ahhsa_mesa_unmap(struct ah_backend_device *device, void *mapping, void *memory)
{
    hipError_t error = ahhsa_done(device, "hsa_amd_interop_unmap_buffer",
                                  device->api->hsa_amd_interop_unmap_buffer(mapping));
    if (error == hipSuccess)
        ahhsa_memory_unregister(device, memory);
    return error;
}
