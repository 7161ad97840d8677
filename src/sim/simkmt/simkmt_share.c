/* Owns the handles by which processes share memory. */
#include "simkmt.h"

#include <string.h>

/* What a handle holds. Runtimes keep a part of an allocation in word 6: the low 9 bits and the
 * highest. */
struct handle {
    uint32_t mark, pid;
    uint16_t table, node;
    uint32_t id;
    uint64_t table_id;
    uint32_t kept, pages;
};
enum { MARK = 0x4148494b };
_Static_assert(sizeof(struct handle) == sizeof(HsaSharedMemoryHandle), "a handle has 8 words");

/* Nothing that runs may see the memory move. */
HSAKMT_STATUS simkmt_share_at_rest(const void *address, uint64_t size, uint32_t *out_node,
                                   struct sim_shared *out_shared)
{
    const uint64_t patience_ns = UINT64_C(10000000000);
    if (!amdgpu_queues_quiesce(patience_ns))
        return simkmt_refuse(HSAKMT_STATUS_UNAVAILABLE,
                             "memory cannot be shared: kernels have run for 10 seconds");
    simkmt_sdma_suspend();
    HSAKMT_STATUS result = simkmt_memory_share(address, size, out_node, out_shared);
    simkmt_sdma_resume();
    amdgpu_queues_resume();
    return result;
}

HSAKMT_STATUS hsaKmtShareMemory(void *address, uint64_t size, HsaSharedMemoryHandle *handle)
{
    SIMKMT_ENTER();
    struct sim_shared shared = {.table = -1};
    uint32_t node = 0;
    if (!address || size == 0 || !handle)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    HSAKMT_STATUS result = simkmt_share_at_rest(address, size, &node, &shared);
    if (result == HSAKMT_STATUS_UNAVAILABLE)
        return result;
    if (result != HSAKMT_STATUS_SUCCESS || shared.table > UINT16_MAX)
        return simkmt_refuse(
            HSAKMT_STATUS_INVALID_PARAMETER,
            "%llu bytes at %p cannot be shared: they are not an allocation of a GPU "
            "and no unpaged one of the host",
            (unsigned long long)size, address);
    const struct handle made = {
        .mark = MARK,
        .pid = (uint32_t)shared.process,
        .table = (uint16_t)shared.table,
        .node = (uint16_t)node,
        .id = shared.id,
        .table_id = shared.table_id,
        .pages = (uint32_t)(size / SIMKMT_PAGE),
    };
    memcpy(handle, &made, sizeof made);
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtRegisterSharedHandle(const HsaSharedMemoryHandle *handle, void **address,
                                         uint64_t *size)
{
    SIMKMT_ENTER();
    struct handle given;
    if (!handle || !address || !size)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    memcpy(&given, handle, sizeof given);
    if (given.mark != MARK || given.pages == 0 || !simkmt_node(given.node))
        return HSAKMT_STATUS_INVALID_HANDLE;
    const struct sim_shared shared = {
        .process = (int)given.pid,
        .table = given.table,
        .table_id = given.table_id,
        .id = given.id,
        .size = (uint64_t)given.pages * SIMKMT_PAGE,
    };
    HSAKMT_STATUS result = simkmt_memory_open(given.node, &shared, address);
    if (result == HSAKMT_STATUS_SUCCESS)
        *size = shared.size;
    return result;
}

/* Who may reach it is said when it is mapped. */
HSAKMT_STATUS hsaKmtRegisterSharedHandleToNodes(const HsaSharedMemoryHandle *handle, void **address,
                                                uint64_t *size, uint64_t count, uint32_t *nodes)
{
    SIMKMT_ENTER();
    for (uint64_t i = 0; i < count; i++)
        if (!nodes || !simkmt_gpu_node(nodes[i]))
            return HSAKMT_STATUS_INVALID_NODE_UNIT;
    return hsaKmtRegisterSharedHandle(handle, address, size);
}
