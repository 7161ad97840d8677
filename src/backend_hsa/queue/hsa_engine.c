/* Owns the submission of copies to copy engines: a box in one command where the engine can, and
 * row by row where it cannot. */
#include "hsa_stream.h"

enum { X, Y, Z };

static hsa_amd_copy_direction_t direction(const struct ahhsa_location *dst,
                                          const struct ahhsa_location *src)
{
    return dst->device ? (src->device ? hsaDeviceToDevice : hsaHostToDevice)
                       : (src->device ? hsaDeviceToHost : hsaHostToHost);
}

/* False: the engine or its driver cannot copy this box. */
static bool start_box(struct ah_backend_device *device, const struct ahhsa_transfer *transfer,
                      uint32_t count, const hsa_signal_t *before, hsa_signal_t after)
{
    const struct ahhsa_box *dst = &transfer->dst, *src = &transfer->src;
    const size_t *size = transfer->size;
    hsa_pitched_ptr_t to = {dst->location.pointer, dst->pitch, dst->slice};
    hsa_pitched_ptr_t from = {src->location.pointer, src->pitch, src->slice};
    const hsa_dim3_t start = {0, 0, 0};
    if (!device->api->hsa_amd_memory_async_copy_rect || size[X] > UINT32_MAX ||
        size[Y] > UINT32_MAX || size[Z] > UINT32_MAX ||
        (!dst->location.device && !src->location.device))
        return false;
    hsa_dim3_t range = {(uint32_t)size[X], (uint32_t)size[Y], (uint32_t)size[Z]};
    return device->api->hsa_amd_memory_async_copy_rect(&to, &start, &from, &start, &range,
                                                       dst->location.device ? dst->location.agent
                                                                            : src->location.agent,
                                                       direction(&dst->location, &src->location),
                                                       count, before, after) == HSA_STATUS_SUCCESS;
}

/* Engines note on a signal when the latest copy of it began. Of work that is reported, the first
 * row therefore has a signal of its own, for which all others wait. NULL: it has none. */
static struct ahhsa_signal *signal_of_first_row(struct ah_backend_device *device,
                                                struct ahhsa_signal *after, size_t rows)
{
    if (rows == 1 || !atomic_load_explicit(&after->timed, memory_order_relaxed))
        return NULL;
    after->part = ahhsa_signal_acquire(device);
    if (after->part)
        atomic_store_explicit(&after->part->copying, true, memory_order_release);
    return after->part;
}

/* Every row subtracts one from a signal, which no engine has been given before. */
static hipError_t start_rows(struct ah_backend_device *device,
                             const struct ahhsa_transfer *transfer, uint32_t count,
                             const hsa_signal_t *before, struct ahhsa_signal *after)
{
    const struct ahhsa_box *dst = &transfer->dst, *src = &transfer->src;
    const size_t *size = transfer->size;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    size_t rows = size[Y] * size[Z], started = 0;
    struct ahhsa_signal *part = signal_of_first_row(device, after, rows);
    hsa_signal_t completion = part ? part->hsa : after->hsa;
    size_t left = part ? rows - 1 : rows; /* which the signal counts */
    __atomic_store_n(&ahhsa_signal_memory(after)->value, (int64_t)left, __ATOMIC_RELEASE);
    while (started < rows) {
        size_t y = started % size[Y], z = started / size[Y];
        status = device->api->hsa_amd_memory_async_copy(
            dst->location.pointer + z * dst->slice + y * dst->pitch, dst->location.agent,
            src->location.pointer + z * src->slice + y * src->pitch, src->location.agent, size[X],
            count, before, completion);
        if (status != HSA_STATUS_SUCCESS)
            break;
        if (completion.handle == after->hsa.handle)
            left--;
        if (part && started == 0) {
            count = 1;
            before = &part->hsa;
            completion = after->hsa;
        }
        started++;
    }
    if (status == HSA_STATUS_SUCCESS)
        return hipSuccess;
    if (left > 1)
        ahhsa_signal_subtract(after, left - 1);
    return ahhsa_report(device, "hsa_amd_memory_async_copy", status);
}

hipError_t ahhsa_transfer_start(struct ah_backend_device *device,
                                const struct ahhsa_transfer *transfer,
                                const struct ahhsa_signal *before, struct ahhsa_signal *after)
{
    const hsa_signal_t *native = before ? &before->hsa : NULL;
    bool rows = transfer->size[Y] * transfer->size[Z] > 1;
    atomic_store_explicit(&after->copying, true, memory_order_release);
    if (rows && start_box(device, transfer, before != NULL, native, after->hsa))
        return hipSuccess;
    return start_rows(device, transfer, before != NULL, native, after);
}
