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

/* The rows of a transfer, or those of a batch. */
struct rows {
    const struct ahhsa_transfer *transfer; /* NULL: list */
    const struct ahhsa_row *list;
    size_t count;
};

static struct ahhsa_row row_at(const struct rows *rows, size_t i)
{
    const struct ahhsa_transfer *transfer = rows->transfer;
    if (!transfer)
        return rows->list[i];
    const struct ahhsa_box *dst = &transfer->dst, *src = &transfer->src;
    size_t y = i % transfer->size[Y], z = i / transfer->size[Y];
    struct ahhsa_row row = {dst->location, src->location, transfer->size[X]};
    row.dst.pointer += z * dst->slice + y * dst->pitch;
    row.src.pointer += z * src->slice + y * src->pitch;
    return row;
}

/* Every row subtracts one from a signal, which no engine has been given before. */
static hipError_t start_rows(struct ah_backend_device *device, const struct rows *rows,
                             uint32_t count, const hsa_signal_t *before, struct ahhsa_signal *after)
{
    hsa_status_t status = HSA_STATUS_SUCCESS;
    struct ahhsa_signal *part = signal_of_first_row(device, after, rows->count);
    hsa_signal_t completion = part ? part->hsa : after->hsa;
    size_t left = part ? rows->count - 1 : rows->count; /* which the signal counts */
    __atomic_store_n(&ahhsa_signal_memory(after)->value, (int64_t)left, __ATOMIC_RELEASE);
    for (size_t started = 0; started < rows->count; started++) {
        const struct ahhsa_row row = row_at(rows, started);
        status = device->api->hsa_amd_memory_async_copy(row.dst.pointer, row.dst.agent,
                                                        row.src.pointer, row.src.agent, row.size,
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
    }
    if (status == HSA_STATUS_SUCCESS)
        return hipSuccess;
    if (left > 1)
        ahhsa_signal_subtract(after, left - 1);
    return ahhsa_report(device, "hsa_amd_memory_async_copy", status);
}

hipError_t ahhsa_rows_start(struct ah_backend_device *device, const struct ahhsa_row *list,
                            size_t count, const struct ahhsa_signal *before,
                            struct ahhsa_signal *after)
{
    const struct rows rows = {.list = list, .count = count};
    atomic_store_explicit(&after->copying, true, memory_order_release);
    return start_rows(device, &rows, before != NULL, before ? &before->hsa : NULL, after);
}

hipError_t ahhsa_transfer_start(struct ah_backend_device *device,
                                const struct ahhsa_transfer *transfer,
                                const struct ahhsa_signal *before, struct ahhsa_signal *after)
{
    const hsa_signal_t *native = before ? &before->hsa : NULL;
    const struct rows rows = {.transfer = transfer, .count = transfer->size[Y] * transfer->size[Z]};
    atomic_store_explicit(&after->copying, true, memory_order_release);
    if (rows.count > 1 && start_box(device, transfer, before != NULL, native, after->hsa))
        return hipSuccess;
    return start_rows(device, &rows, before != NULL, native, after);
}
