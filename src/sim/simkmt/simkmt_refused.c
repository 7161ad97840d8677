/* Owns what this driver does not do, each with its reason. */
#include "simkmt.h"

/* A handle is a file that another driver exports (dma-buf); no such file is of a simulated device.
 * The kernel driver says the same of a file of others. */
HSAKMT_STATUS hsaKmtRegisterGraphicsHandleToNodes(uint64_t handle, HsaGraphicsResourceInfo *info,
                                                  uint64_t count, uint32_t *nodes)
{
    SIMKMT_ENTER();
    if (!info)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    for (uint64_t i = 0; i < count; i++)
        if (!nodes || !simkmt_gpu_node(nodes[i]))
            return HSAKMT_STATUS_INVALID_NODE_UNIT;
    return simkmt_refuse(HSAKMT_STATUS_ERROR, "%llu is no buffer of an AMD device",
                         (unsigned long long)handle);
}
