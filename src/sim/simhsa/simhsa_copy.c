/* Owns the functions that copy and fill memory, and the moving of bytes. */
#include "simhsa_copy.h"

#include <stdlib.h>
#include <string.h>

/* ---- boxes ------------------------------------------------------------------------- */

/* The number of bytes from the first to the last of a side. False: it exceeds the address space, or
 * rows or slices overlap, so that there may be more to copy than there is memory. */
static bool extent(const struct simhsa_box *box, const struct simhsa_side *side, size_t *out)
{
    size_t rows, slice, slices;
    if (__builtin_mul_overflow(box->height - 1, side->row, &rows) ||
        __builtin_add_overflow(rows, box->width, &slice) ||
        __builtin_mul_overflow(box->depth - 1, side->slice, &slices))
        return false;
    bool overlap =
        (box->height > 1 && side->row < box->width) || (box->depth > 1 && side->slice < slice);
    return !overlap && !__builtin_add_overflow(slices, slice, out);
}

static unsigned char *view_of(const struct simhsa_box *box, const struct simhsa_side *side,
                              bool write)
{
    size_t size;
    if (!extent(box, side, &size))
        return NULL;
    return box->by_host ? simhsa_translate_any(side->address, size, write)
                        : simhsa_translate(side->address, size, write);
}

bool simhsa_box_is_good(const struct simhsa_box *box)
{
    return view_of(box, &box->dst, true) && view_of(box, &box->src, false);
}

/* A word is copied in one access, as hardware does: another thread may read it or wait for it
 * meanwhile. */
static void move(void *to, const void *from, size_t size)
{
    uintptr_t places = (uintptr_t)to | (uintptr_t)from;
    if (size == sizeof(uint64_t) && places % sizeof(uint64_t) == 0)
        __atomic_store_n((uint64_t *)to, __atomic_load_n((const uint64_t *)from, __ATOMIC_ACQUIRE),
                         __ATOMIC_RELEASE);
    else if (size == sizeof(uint32_t) && places % sizeof(uint32_t) == 0)
        __atomic_store_n((uint32_t *)to, __atomic_load_n((const uint32_t *)from, __ATOMIC_ACQUIRE),
                         __ATOMIC_RELEASE);
    else
        memmove(to, from, size);
}

bool simhsa_box_copy(const struct simhsa_box *box)
{
    unsigned char *to = view_of(box, &box->dst, true);
    const unsigned char *from = view_of(box, &box->src, false);
    if (!to || !from)
        return false;
    for (size_t z = 0; z < box->depth; z++) {
        for (size_t y = 0; y < box->height; y++) {
            size_t at = z * box->dst.slice + y * box->dst.row;
            move(to + at, from + z * box->src.slice + y * box->src.row, box->width);
            if (sim_memory_tracking)
                sim_memory_wrote(box->dst.address + at, box->width);
        }
    }
    return true;
}

static struct simhsa_box line(const void *dst, const void *src, size_t size, bool by_host)
{
    return (struct simhsa_box){
        .by_host = by_host,
        .dst.address = (uintptr_t)dst,
        .src.address = (uintptr_t)src,
        .width = size,
        .height = 1,
        .depth = 1,
    };
}

/* ---- at once ----------------------------------------------------------------------- */

hsa_status_t hsa_memory_copy(void *dst, const void *src, size_t size)
{
    SIMHSA_ENTER();
    if (!dst || !src)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (size == 0)
        return HSA_STATUS_SUCCESS;
    struct simhsa_box box = line(dst, src, size, true);
    if (simhsa_box_copy(&box))
        return HSA_STATUS_SUCCESS;
    simhsa_violation("hsa_memory_copy of %zu bytes from %p to %p, which does not exist completely",
                     size, src, dst);
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_amd_memory_fill(void *ptr, uint32_t value, size_t count)
{
    SIMHSA_ENTER();
    if (!ptr || (uintptr_t)ptr % sizeof value != 0 || count > SIZE_MAX / sizeof value)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (count == 0)
        return HSA_STATUS_SUCCESS;
    uint32_t *words =
        (uint32_t *)(void *)simhsa_translate((uintptr_t)ptr, count * sizeof value, true);
    if (!words) {
        simhsa_violation("hsa_amd_memory_fill of %zu words at %p, which does not exist completely",
                         count, ptr);
        return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    }
    for (size_t i = 0; i < count; i++)
        words[i] = value;
    if (sim_memory_tracking)
        sim_memory_wrote((uintptr_t)ptr, count * sizeof value);
    return HSA_STATUS_SUCCESS;
}

/* ---- after signals ----------------------------------------------------------------- */

static enum simhsa_engine engine_between(const struct simhsa_agent *dst,
                                         const struct simhsa_agent *src)
{
    if (dst->device < 0)
        return SIMHSA_TO_HOST;
    return src->device < 0 ? SIMHSA_TO_DEVICE : SIMHSA_ON_DEVICE;
}

/* Whether a side is memory that the agent can access, or memory of no agent. */
static bool has_access(const struct simhsa_agent *agent, const struct simhsa_box *box,
                       const struct simhsa_side *side, bool write)
{
    size_t size;
    if (agent->device < 0 || box->by_host || !extent(box, side, &size))
        return true;
    return sim_translate_range(agent->device, side->address, size, write) ||
           !sim_translate_range(-1, side->address, size, write);
}

/* Copying inaccessible memory is a fault of the device, like that of a kernel: it is reported as a
 * system event, and a program without a handler is terminated. */
static hsa_status_t fault(const struct simhsa_agent *agent, uint64_t address,
                          hsa_signal_t completion)
{
    const hsa_amd_event_t event = {
        .event_type = HSA_AMD_GPU_MEMORY_FAULT_EVENT,
        .memory_fault = {simhsa_agent_handle(agent), address,
                         HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT},
    };
    AH_LOG_ERR("simulated HSA runtime: %s copies memory at 0x%llx, to which it has no access",
               agent->name, (unsigned long long)address);
    if (!simhsa_event(&event))
        abort();
    amd_signal_t *signal = simhsa_signal_get(completion);
    if (signal)
        amdgpu_signal_store(signal, -1);
    return HSA_STATUS_SUCCESS;
}

/* A copy by a device must be between addresses that it can access. */
static hsa_status_t submit(const struct simhsa_agent *agent, enum simhsa_engine engine,
                           const struct simhsa_box *box, const struct simhsa_after *after)
{
    if (!simhsa_box_is_good(box)) {
        simhsa_violation(
            "a copy from 0x%llx to 0x%llx, which is not all in memory that devices can access",
            (unsigned long long)box->src.address, (unsigned long long)box->dst.address);
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    if (!has_access(agent, box, &box->dst, true))
        return fault(agent, box->dst.address, after->completion);
    if (!has_access(agent, box, &box->src, false))
        return fault(agent, box->src.address, after->completion);
    return simhsa_copy_submit(agent, engine, box, after);
}

/* engine SIMHSA_ENGINES: the default for such copies. */
static hsa_status_t copy_line(void *dst, hsa_agent_t dst_agent, const void *src,
                              hsa_agent_t src_agent, size_t size, enum simhsa_engine engine,
                              const struct simhsa_after *after)
{
    const struct simhsa_agent *to = simhsa_agent_get(dst_agent),
                              *from = simhsa_agent_get(src_agent);
    if (!dst || !src || (after->count > 0) != (after->signals != NULL))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!to || !from)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!simhsa_signal_get(after->completion))
        return simhsa_signal_error(after->completion);
    if (size == 0) /* as in AMD's runtime: the signal is not changed */
        return HSA_STATUS_SUCCESS;
    struct simhsa_box box = line(dst, src, size, to->device < 0 && from->device < 0);
    if (engine == SIMHSA_ENGINES)
        engine = engine_between(to, from);
    return submit(from->device >= 0 ? from : to, engine, &box, after);
}

hsa_status_t hsa_amd_memory_async_copy(void *dst, hsa_agent_t dst_agent, const void *src,
                                       hsa_agent_t src_agent, size_t size, uint32_t num_dep_signals,
                                       const hsa_signal_t *dep_signals,
                                       hsa_signal_t completion_signal)
{
    SIMHSA_ENTER();
    const struct simhsa_after after = {dep_signals, num_dep_signals, completion_signal};
    return copy_line(dst, dst_agent, src, src_agent, size, SIMHSA_ENGINES, &after);
}

hsa_status_t
hsa_amd_memory_async_copy_on_engine(void *dst, hsa_agent_t dst_agent, const void *src,
                                    hsa_agent_t src_agent, size_t size, uint32_t num_dep_signals,
                                    const hsa_signal_t *dep_signals, hsa_signal_t completion_signal,
                                    hsa_amd_sdma_engine_id_t engine_id, bool force_copy_on_sdma)
{
    SIMHSA_ENTER();
    (void)force_copy_on_sdma;
    if (engine_id == 0 || (engine_id & (engine_id - 1)) != 0 || engine_id >= 1 << SIMHSA_ENGINES)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const struct simhsa_after after = {dep_signals, num_dep_signals, completion_signal};
    enum simhsa_engine engine = (enum simhsa_engine)__builtin_ctz((unsigned)engine_id);
    return copy_line(dst, dst_agent, src, src_agent, size, engine, &after);
}

static struct simhsa_side side_of(const hsa_pitched_ptr_t *pointer, const hsa_dim3_t *offset)
{
    return (struct simhsa_side){
        .address = (uintptr_t)pointer->base + offset->x + offset->y * pointer->pitch +
                   offset->z * pointer->slice,
        .row = pointer->pitch,
        .slice = pointer->slice,
    };
}

hsa_status_t
hsa_amd_memory_async_copy_rect(const hsa_pitched_ptr_t *dst, const hsa_dim3_t *dst_offset,
                               const hsa_pitched_ptr_t *src, const hsa_dim3_t *src_offset,
                               const hsa_dim3_t *range, hsa_agent_t copy_agent,
                               hsa_amd_copy_direction_t dir, uint32_t num_dep_signals,
                               const hsa_signal_t *dep_signals, hsa_signal_t completion_signal)
{
    static const enum simhsa_engine engines[] = {
        [hsaHostToDevice] = SIMHSA_TO_DEVICE,
        [hsaDeviceToHost] = SIMHSA_TO_HOST,
        [hsaDeviceToDevice] = SIMHSA_ON_DEVICE,
    };
    SIMHSA_ENTER();
    const struct simhsa_agent *agent = simhsa_gpu_get(copy_agent);
    if (!dst || !dst_offset || !src || !src_offset || !range || !dst->base || !src->base ||
        (num_dep_signals > 0) != (dep_signals != NULL) || dir < hsaHostToDevice ||
        dir > hsaDeviceToDevice)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!simhsa_signal_get(completion_signal))
        return simhsa_signal_error(completion_signal);
    if (range->x == 0 || range->y == 0 || range->z == 0)
        return HSA_STATUS_SUCCESS;
    struct simhsa_box box = {
        side_of(dst, dst_offset), side_of(src, src_offset), range->x, range->y, range->z, false};
    const struct simhsa_after after = {dep_signals, num_dep_signals, completion_signal};
    return submit(agent, engines[dir], &box, &after);
}

/* ---- engines ----------------------------------------------------------------------- */

/* The agent whose engines copy; NULL: there is none. */
static const struct simhsa_agent *copier(hsa_agent_t dst_agent, hsa_agent_t src_agent,
                                         enum simhsa_engine *out_engine)
{
    const struct simhsa_agent *to = simhsa_agent_get(dst_agent),
                              *from = simhsa_agent_get(src_agent);
    if (!to || !from || (to->device < 0 && from->device < 0))
        return NULL;
    *out_engine = engine_between(to, from);
    return from->device >= 0 ? from : to;
}

hsa_status_t hsa_amd_memory_copy_engine_status(hsa_agent_t dst_agent, hsa_agent_t src_agent,
                                               uint32_t *engine_ids_mask)
{
    enum simhsa_engine engine;
    SIMHSA_ENTER();
    const struct simhsa_agent *agent = copier(dst_agent, src_agent, &engine);
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!engine_ids_mask)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *engine_ids_mask = simhsa_engine_is_idle(agent, engine) ? 1u << engine : 0;
    return *engine_ids_mask ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t hsa_amd_memory_get_preferred_copy_engine(hsa_agent_t dst_agent, hsa_agent_t src_agent,
                                                      uint32_t *recommended_ids_mask)
{
    enum simhsa_engine engine;
    SIMHSA_ENTER();
    if (!copier(dst_agent, src_agent, &engine))
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!recommended_ids_mask)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *recommended_ids_mask = 1u << engine;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_async_copy_enable(bool enable)
{
    SIMHSA_ENTER();
    simhsa_copies_profile(enable);
    return HSA_STATUS_SUCCESS;
}
