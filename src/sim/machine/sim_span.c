/* The one place where spans are filled. What ends or changes an allocation counts sim_space.epoch
 * up under the lock. */
#include "sim_span.h"

#include "sim_space.h"

/* A program with pointers into many allocations at one place fills its span each time: from then on
 * the lock is seldom worth taking. */
static bool is_worth_it(struct sim_span *span)
{
    enum { OFTEN = 64 };
    span->fills++;
    return span->fills < OFTEN || span->fills % OFTEN == 0;
}

static bool may_access(const struct sim_record *record, int device)
{
    const struct sim_memory *memory = &record->memory;
    bool of_host = memory->kind == SIM_MEMORY_HOST || memory->kind == SIM_MEMORY_MANAGED;
    return record->taken && (of_host || sim_peer_get(device, memory->device));
}

bool sim_span_fill(struct sim_span *span, int device, uint64_t address)
{
    if (device < 0 || !is_worth_it(span))
        return false;
    pthread_mutex_lock(&sim_state.lock);
    uint64_t stamp = sim_span_stamp(&sim_space, device);
    const struct sim_record *record = sim_record_find(address);
    bool found = record && may_access(record, device);
    if (found) {
        span->stamp = stamp;
        span->start = record->memory.address;
        span->size = record->memory.size;
        span->where = record->memory.view;
    }
    pthread_mutex_unlock(&sim_state.lock);
    return found;
}
