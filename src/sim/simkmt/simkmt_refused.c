/* Owns what this driver does not do, each with its reason. */
#include "simkmt.h"

HSAKMT_STATUS hsaKmtRegisterGraphicsHandleToNodes(uint64_t handle, HsaGraphicsResourceInfo *info,
                                                  uint64_t count, uint32_t *nodes)
{
    SIMKMT_ENTER();
    (void)handle, (void)info, (void)count, (void)nodes;
    return simkmt_refuse(HSAKMT_STATUS_NOT_SUPPORTED,
                         "a graphics resource: simulated devices have no graphics");
}

HSAKMT_STATUS hsaKmtSVMSetAttr(void *address, uint64_t size, unsigned count,
                               HSA_SVM_ATTRIBUTE *attributes)
{
    SIMKMT_ENTER();
    (void)count, (void)attributes;
    return simkmt_refuse(HSAKMT_STATUS_NOT_SUPPORTED,
                         "attributes of %llu bytes at %p: this driver has no shared virtual memory",
                         (unsigned long long)size, address);
}

HSAKMT_STATUS hsaKmtSVMGetAttr(void *address, uint64_t size, unsigned count,
                               HSA_SVM_ATTRIBUTE *attributes)
{
    return hsaKmtSVMSetAttr(address, size, count, attributes);
}
