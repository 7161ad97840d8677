/* Owns the functions on indices of queues. */
#include "simhsa_runtime.h"

static amd_queue_t *indices_of(const hsa_queue_t *pointer)
{
    amd_queue_t *amd = simhsa_queue_get(pointer);
    if (!amd)
        simhsa_violation("an index of %p, which is not a queue", (const void *)pointer);
    return amd;
}

static uint64_t load_read(const hsa_queue_t *pointer)
{
    const amd_queue_t *amd = indices_of(pointer);
    return amd ? __atomic_load_n(&amd->read_dispatch_id, __ATOMIC_SEQ_CST) : 0;
}

static uint64_t load_write(const hsa_queue_t *pointer)
{
    const amd_queue_t *amd = indices_of(pointer);
    return amd ? __atomic_load_n(&amd->write_dispatch_id, __ATOMIC_SEQ_CST) : 0;
}

static void store_write(const hsa_queue_t *pointer, uint64_t value)
{
    amd_queue_t *amd = indices_of(pointer);
    if (amd)
        __atomic_store_n(&amd->write_dispatch_id, value, __ATOMIC_SEQ_CST);
}

/* The packet processor owns it, unless the program takes the packets. */
static void store_read(const hsa_queue_t *pointer, uint64_t value)
{
    amd_queue_t *amd = indices_of(pointer);
    if (amd && simhsa_queue_is_soft(pointer))
        __atomic_store_n(&amd->read_dispatch_id, value, __ATOMIC_SEQ_CST);
    else if (amd)
        simhsa_violation("the read index of %p is stored, which only the device may do",
                         (const void *)pointer);
}

static uint64_t add_write(const hsa_queue_t *pointer, uint64_t value)
{
    amd_queue_t *amd = indices_of(pointer);
    return amd ? __atomic_fetch_add(&amd->write_dispatch_id, value, __ATOMIC_SEQ_CST) : 0;
}

static uint64_t cas_write(const hsa_queue_t *pointer, uint64_t expected, uint64_t value)
{
    amd_queue_t *amd = indices_of(pointer);
    if (amd)
        __atomic_compare_exchange_n(&amd->write_dispatch_id, &expected, value, false,
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

#define SIMHSA_ORDER(order)                                                                        \
    uint64_t hsa_queue_add_write_index_##order(const hsa_queue_t *queue, uint64_t value)           \
    {                                                                                              \
        return add_write(queue, value);                                                            \
    }                                                                                              \
    uint64_t hsa_queue_cas_write_index_##order(const hsa_queue_t *queue, uint64_t expected,        \
                                               uint64_t value)                                     \
    {                                                                                              \
        return cas_write(queue, expected, value);                                                  \
    }
#include "simhsa_orders.def"
#undef SIMHSA_ORDER

uint64_t hsa_queue_load_read_index_relaxed(const hsa_queue_t *queue)
{
    return load_read(queue);
}

uint64_t hsa_queue_load_read_index_acquire(const hsa_queue_t *queue)
{
    return load_read(queue);
}

uint64_t hsa_queue_load_read_index_scacquire(const hsa_queue_t *queue)
{
    return load_read(queue);
}

uint64_t hsa_queue_load_write_index_relaxed(const hsa_queue_t *queue)
{
    return load_write(queue);
}

uint64_t hsa_queue_load_write_index_acquire(const hsa_queue_t *queue)
{
    return load_write(queue);
}

uint64_t hsa_queue_load_write_index_scacquire(const hsa_queue_t *queue)
{
    return load_write(queue);
}

void hsa_queue_store_write_index_relaxed(const hsa_queue_t *queue, uint64_t value)
{
    store_write(queue, value);
}

void hsa_queue_store_write_index_release(const hsa_queue_t *queue, uint64_t value)
{
    store_write(queue, value);
}

void hsa_queue_store_write_index_screlease(const hsa_queue_t *queue, uint64_t value)
{
    store_write(queue, value);
}

void hsa_queue_store_read_index_relaxed(const hsa_queue_t *queue, uint64_t value)
{
    store_read(queue, value);
}

void hsa_queue_store_read_index_release(const hsa_queue_t *queue, uint64_t value)
{
    store_read(queue, value);
}

void hsa_queue_store_read_index_screlease(const hsa_queue_t *queue, uint64_t value)
{
    store_read(queue, value);
}
