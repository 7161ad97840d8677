/* Owns libdrm's functions, as far as later runtimes ask for them beside those of the kernel
 * driver: a device tells its clock; buffers, by which memory goes to other drivers, there are
 * none. */
#include "simkmt.h"

#include <errno.h>
#include <string.h>

#define DRM_EXPORT __attribute__((visibility("default")))

HSAKMT_STATUS hsaKmtGetAMDGPUDeviceHandle(uint32_t number, void **device)
{
    SIMKMT_ENTER();
    struct simkmt_node *node = simkmt_gpu_node(number);
    if (!node)
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    if (!device)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    *device = node;
    return HSAKMT_STATUS_SUCCESS;
}

/* NULL: it is none that was handed out. */
static const struct simkmt_node *node_of(const void *device)
{
    for (uint32_t i = 1; i < atomic_load(&simkmt.node_count); i++)
        if (device == &simkmt.nodes[i])
            return &simkmt.nodes[i];
    return NULL;
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

/* ---- what there is not ----------------------------------------------------------------- */

static int refuse(const char *name)
{
    (void)simkmt_refuse(HSAKMT_STATUS_NOT_SUPPORTED, "%s: memory of other drivers", name);
    return -ENOSYS;
}

DRM_EXPORT int amdgpu_device_initialize(int file, uint32_t *major, uint32_t *minor, void **device)
{
    (void)file, (void)major, (void)minor, (void)device;
    return refuse("amdgpu_device_initialize");
}

DRM_EXPORT int amdgpu_device_deinitialize(void *device)
{
    return node_of(device) ? 0 : -EINVAL;
}

DRM_EXPORT int amdgpu_bo_cpu_map(void *buffer, void **address)
{
    (void)buffer, (void)address;
    return refuse("amdgpu_bo_cpu_map");
}

DRM_EXPORT int amdgpu_bo_free(void *buffer)
{
    (void)buffer;
    return refuse("amdgpu_bo_free");
}

DRM_EXPORT int amdgpu_bo_export(void *buffer, int type, uint32_t *handle)
{
    (void)buffer, (void)type, (void)handle;
    return refuse("amdgpu_bo_export");
}

DRM_EXPORT int amdgpu_bo_import(void *device, int type, uint32_t handle, void *result)
{
    (void)device, (void)type, (void)handle, (void)result;
    return refuse("amdgpu_bo_import");
}

DRM_EXPORT int amdgpu_bo_va_op(void *buffer, uint64_t offset, uint64_t size, uint64_t address,
                               uint64_t flags, uint32_t operation)
{
    (void)buffer, (void)offset, (void)size, (void)address, (void)flags, (void)operation;
    return refuse("amdgpu_bo_va_op");
}

DRM_EXPORT int drmCommandWriteRead(int file, unsigned long command, void *data, unsigned long size)
{
    (void)file, (void)command, (void)data, (void)size;
    return refuse("drmCommandWriteRead");
}
