/* Owns the functions of libdrm that later runtimes use besides those of the kernel driver: a device
 * returns its clock, and buffers, which are imported from dma-bufs, are mapped at its addresses.
 *
 * All devices and the host share one address space here. Mappings of a buffer by several devices at
 * one address are one mapping, which each device accesses with its own rights; the host cannot
 * access memory of devices. */
#include "process.h"
#include "ranges.h"
#include "sim_buffer.h"
#include "simkmt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DRM_EXPORT __attribute__((visibility("default")))

/* What devices' handles point to. The runtime calls libdrm's own amdgpu_device_get_fd, which it
 * does not take from this library: libdrm has the file descriptor at the offset of file. */
struct device {
    uint32_t references, unused;
    void *next;
    int file; /* nothing can be mapped through it */
    const struct simkmt_node *node;
};
_Static_assert(offsetof(struct device, file) == 16, "as in libdrm");

struct buffer {
    struct buffer *next;
    const struct simkmt_node *node; /* the device that it was imported for */
    struct sim_buffer memory;
    uint32_t number;         /* its name for other drivers */
    unsigned char *address;  /* of the host, NULL: not mapped */
    struct sim_memory *host; /* devices access it there */
};

struct mapping {
    struct ah_range range;
    struct sim_memory *sim;
    uint64_t file_id, offset; /* the mapping's size */
    uint64_t devices;         /* bits of the devices that have it mapped */
};

/* All under the lock. */
static struct {
    pthread_mutex_t lock;
    struct device devices[SIMKMT_NODES_MAX];
    struct buffer *buffers;
    uint32_t last_number;
    struct ah_ranges mappings;
} drm = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- devices --------------------------------------------------------------------------- */

HSAKMT_STATUS hsaKmtGetAMDGPUDeviceHandle(uint32_t number, void **out)
{
    SIMKMT_ENTER();
    const struct simkmt_node *node = simkmt_gpu_node(number);
    if (!node)
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    if (!out)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    struct device *device = &drm.devices[number];
    pthread_mutex_lock(&drm.lock);
    if (!device->node)
        *device = (struct device){
            .references = 1, .file = open("/dev/null", O_RDWR | O_CLOEXEC), .node = node};
    pthread_mutex_unlock(&drm.lock);
    *out = device;
    return HSAKMT_STATUS_SUCCESS;
}

/* NULL: the handle is invalid. */
static const struct simkmt_node *node_of(const void *device)
{
    const struct simkmt_node *node = NULL;
    pthread_mutex_lock(&drm.lock);
    for (uint32_t i = 1; i < SIMKMT_NODES_MAX; i++)
        if (device == &drm.devices[i])
            node = drm.devices[i].node;
    pthread_mutex_unlock(&drm.lock);
    return node;
}

DRM_EXPORT int amdgpu_query_gpu_info(void *device, struct amdgpu_gpu_info *information)
{
    const struct simkmt_node *node = node_of(device);
    if (!node || !information)
        return -EINVAL;
    memset(information, 0, sizeof *information);
    information->asic_id = node->gpu.model.chip_id;
    information->max_engine_clk = (uint64_t)node->gpu.model.clock_mhz * 1000;
    information->max_memory_clk = (uint64_t)node->gpu.model.memory_clock_mhz * 1000;
    information->gpu_counter_freq = (uint32_t)(node->gpu.clock_hz / 1000);
    return 0;
}

static int refuse(const char *what)
{
    (void)simkmt_refuse(HSAKMT_STATUS_NOT_SUPPORTED, "%s", what);
    return -ENOSYS;
}

DRM_EXPORT int amdgpu_device_initialize(int file, uint32_t *major, uint32_t *minor, void **device)
{
    (void)file, (void)major, (void)minor, (void)device;
    return refuse("amdgpu_device_initialize: devices are not files");
}

DRM_EXPORT int amdgpu_device_deinitialize(void *device)
{
    return node_of(device) ? 0 : -EINVAL;
}

/* ---- buffers --------------------------------------------------------------------------- */

/* Under the lock: the position of a live buffer in the list; a position with NULL: it is not
 * live. */
static struct buffer **place_of(const void *handle)
{
    struct buffer **place = &drm.buffers;
    while (*place && *place != handle)
        place = &(*place)->next;
    return place;
}

DRM_EXPORT int amdgpu_bo_import(void *device, int type, uint32_t handle,
                                struct amdgpu_bo_import_result *result)
{
    const struct simkmt_node *node = node_of(device);
    if (!node || type != AMDGPU_BO_HANDLE_DMA_BUF_FD || !result || handle > INT32_MAX)
        return -EINVAL;
    struct buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return -ENOMEM;
    if (!simkmt_buffer_open((int)handle, &buffer->memory)) {
        free(buffer);
        return -EINVAL;
    }
    buffer->node = node;
    pthread_mutex_lock(&drm.lock);
    buffer->number = ++drm.last_number;
    buffer->next = drm.buffers;
    drm.buffers = buffer;
    pthread_mutex_unlock(&drm.lock);
    result->buf_handle = buffer;
    result->alloc_size = buffer->memory.size;
    return 0;
}

/* Removes it from the list. */
static void discard(struct buffer *buffer)
{
    sim_memory_destroy(buffer->host);
    if (buffer->address)
        munmap(buffer->address, buffer->memory.size);
    close(buffer->memory.file);
    free(buffer);
}

DRM_EXPORT int amdgpu_bo_free(void *handle)
{
    pthread_mutex_lock(&drm.lock);
    struct buffer **place = place_of(handle), *buffer = *place;
    if (buffer)
        *place = buffer->next;
    pthread_mutex_unlock(&drm.lock);
    if (!buffer)
        return -EINVAL;
    discard(buffer);
    return 0;
}

DRM_EXPORT int amdgpu_bo_export(void *handle, int type, uint32_t *number)
{
    pthread_mutex_lock(&drm.lock);
    const struct buffer *buffer = *place_of(handle);
    if (buffer && number)
        *number = buffer->number;
    pthread_mutex_unlock(&drm.lock);
    return buffer && number && type == AMDGPU_BO_HANDLE_KMS ? 0 : -EINVAL;
}

/* Under the lock. */
static int map_to_host(struct buffer *buffer)
{
    if (buffer->memory.node > 0)
        return refuse("amdgpu_bo_cpu_map: the host cannot access memory of devices");
    void *address = buffer->address;
    if (!address)
        address = simkmt_buffer_map(buffer->memory.file, buffer->memory.size, SIMKMT_PAGE);
    if (address == MAP_FAILED)
        return -ENOMEM;
    buffer->address = address;
    return 0;
}

DRM_EXPORT int amdgpu_bo_cpu_map(void *handle, void **address)
{
    pthread_mutex_lock(&drm.lock);
    struct buffer *buffer = *place_of(handle);
    int result = buffer && address ? map_to_host(buffer) : -EINVAL;
    if (result == 0)
        *address = buffer->address;
    pthread_mutex_unlock(&drm.lock);
    return result;
}

/* The offset at which the host would map a buffer in the device's file: there is none, and mapping
 * it fails. */
DRM_EXPORT int drmCommandWriteRead(int file, unsigned long command, void *data, unsigned long size)
{
    union drm_amdgpu_gem_mmap arguments;
    (void)file;
    if (command != DRM_AMDGPU_GEM_MMAP || !data || size != sizeof arguments)
        return refuse("drmCommandWriteRead: the command is not supported");
    memcpy(&arguments, data, sizeof arguments);
    pthread_mutex_lock(&drm.lock);
    const struct buffer *buffer = drm.buffers;
    while (buffer && buffer->number != arguments.in.handle)
        buffer = buffer->next;
    pthread_mutex_unlock(&drm.lock);
    if (!buffer)
        return -EINVAL;
    memset(data, 0, size);
    return 0;
}

/* ---- addresses ------------------------------------------------------------------------- */

/* Under the lock: maps the buffer at its host address. */
static int change_host(struct buffer *buffer, bool map)
{
    if (map == (buffer->host != NULL))
        return -EINVAL;
    if (map) {
        buffer->host = sim_memory_register(buffer->address, buffer->memory.size);
        return buffer->host ? 0 : -ENOMEM;
    }
    sim_memory_destroy(buffer->host);
    buffer->host = NULL;
    return 0;
}

/* Under the lock. NULL: the addresses are not reserved, or in use. */
static struct mapping *make_mapping(const struct buffer *buffer, uint64_t offset, uint64_t size,
                                    uint64_t address)
{
    struct mapping *mapping = calloc(1, sizeof *mapping);
    if (mapping)
        mapping->sim = sim_memory_map(address, size, buffer->memory.file,
                                      buffer->memory.offset + offset, (int)buffer->memory.node - 1);
    if (!mapping || !mapping->sim) {
        free(mapping);
        return NULL;
    }
    mapping->range.start = address;
    mapping->range.size = size;
    mapping->file_id = ah_sealed_file_id(buffer->memory.file);
    mapping->offset = buffer->memory.offset + offset;
    ah_ranges_insert(&drm.mappings, &mapping->range);
    return mapping;
}

static bool is_of(const struct mapping *mapping, const struct buffer *buffer, uint64_t offset,
                  uint64_t size, uint64_t address)
{
    return mapping->range.start == address && mapping->range.size == size &&
           mapping->offset == buffer->memory.offset + offset &&
           mapping->file_id == ah_sealed_file_id(buffer->memory.file);
}

/* Under the lock. Without any of the flags, the device has a mapping but cannot access it. */
static int map(const struct buffer *buffer, uint64_t offset, uint64_t size, uint64_t address,
               uint64_t flags)
{
    int device = buffer->node->gpu.device;
    struct mapping *mapping = (struct mapping *)(void *)ah_ranges_find(&drm.mappings, address);
    if (mapping &&
        (mapping->devices >> device & 1 || !is_of(mapping, buffer, offset, size, address)))
        return -EINVAL;
    if (!mapping)
        mapping = make_mapping(buffer, offset, size, address);
    if (!mapping)
        return -EINVAL;
    enum sim_access access = flags & AMDGPU_VM_PAGE_WRITEABLE  ? SIM_ACCESS_READ_WRITE
                             : flags & AMDGPU_VM_PAGE_READABLE ? SIM_ACCESS_READ
                                                               : SIM_ACCESS_NONE;
    mapping->devices |= UINT64_C(1) << device;
    sim_memory_set_access(mapping->sim, device, access);
    return 0;
}

/* Under the lock. */
static void end_mapping(struct mapping *mapping)
{
    ah_ranges_remove(&drm.mappings, &mapping->range);
    sim_memory_destroy(mapping->sim);
    free(mapping);
}

/* Under the lock. The last device that unmaps it removes the mapping. */
static int unmap(const struct buffer *buffer, uint64_t offset, uint64_t size, uint64_t address)
{
    int device = buffer->node->gpu.device;
    struct mapping *mapping = (struct mapping *)(void *)ah_ranges_find(&drm.mappings, address);
    if (!mapping || !is_of(mapping, buffer, offset, size, address) ||
        !(mapping->devices >> device & 1))
        return -EINVAL;
    mapping->devices &= ~(UINT64_C(1) << device);
    sim_memory_set_access(mapping->sim, device, SIM_ACCESS_NONE);
    if (mapping->devices == 0)
        end_mapping(mapping);
    return 0;
}

DRM_EXPORT int amdgpu_bo_va_op(void *handle, uint64_t offset, uint64_t size, uint64_t address,
                               uint64_t flags, uint32_t operation)
{
    int result = -EINVAL;
    bool maps = operation == AMDGPU_VA_OP_MAP;
    pthread_mutex_lock(&drm.lock);
    struct buffer *buffer = *place_of(handle);
    bool good = buffer && (maps || operation == AMDGPU_VA_OP_UNMAP) &&
                offset <= buffer->memory.size && size <= buffer->memory.size - offset;
    if (good && buffer->address && address == (uintptr_t)buffer->address)
        result = change_host(buffer, maps);
    else if (good && buffer->memory.node > 0)
        result =
            maps ? map(buffer, offset, size, address, flags) : unmap(buffer, offset, size, address);
    pthread_mutex_unlock(&drm.lock);
    return result;
}

void simkmt_drm_close(void)
{
    pthread_mutex_lock(&drm.lock);
    while (drm.mappings.root)
        end_mapping((struct mapping *)(void *)drm.mappings.root);
    while (drm.buffers) {
        struct buffer *buffer = drm.buffers;
        drm.buffers = buffer->next;
        discard(buffer);
    }
    for (uint32_t i = 1; i < SIMKMT_NODES_MAX; i++) {
        if (drm.devices[i].node && drm.devices[i].file >= 0)
            close(drm.devices[i].file);
        drm.devices[i] = (struct device){.file = -1};
    }
    pthread_mutex_unlock(&drm.lock);
}
