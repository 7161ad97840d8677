/* Owns the range of addresses in which handles live, and its free slots. */
#include "handle.h"
#include "launch_data.h"
#include "log.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum {
    RANGE_SIZE = 1 << 29,  /* address space: four million handles */
    COMMIT_STEP = 1 << 16, /* made accessible at a time */
    QUARANTINE = 256,      /* free slots kept before the oldest is used again */
};
static const uint32_t no_slot = UINT32_MAX;

AH_LAUNCH_DATA _Atomic(char *) ah_handle_base;
AH_LAUNCH_DATA _Atomic(size_t) ah_handle_used;

/* Free slots in the order in which they were freed. */
static struct {
    pthread_mutex_t lock;
    size_t committed;
    uint32_t oldest, newest, count;
} slots = {.lock = PTHREAD_MUTEX_INITIALIZER, .oldest = UINT32_MAX, .newest = UINT32_MAX};

static char *range_start(void)
{
    return atomic_load_explicit(&ah_handle_base, memory_order_relaxed);
}

static struct ah_handle *slot_at(uint32_t index)
{
    return (struct ah_handle *)(void *)(range_start() + (size_t)index * AH_HANDLE_SLOT);
}

static bool reserve_range(void)
{
    if (range_start())
        return true;
    void *range =
        mmap(NULL, RANGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) {
        AH_LOG_ERR("cannot reserve %d MiB of address space for handles: raise the limit on virtual "
                   "memory (ulimit -v)",
                   RANGE_SIZE >> 20);
        return false;
    }
    atomic_store_explicit(&ah_handle_base, range, memory_order_relaxed);
    return true;
}

static struct ah_handle *fresh_slot(void)
{
    size_t used = atomic_load_explicit(&ah_handle_used, memory_order_relaxed);
    if (!reserve_range() || used + AH_HANDLE_SLOT > RANGE_SIZE)
        return NULL;
    if (used + AH_HANDLE_SLOT > slots.committed) {
        if (mprotect(range_start() + slots.committed, COMMIT_STEP, PROT_READ | PROT_WRITE) != 0)
            return NULL;
        slots.committed += COMMIT_STEP;
    }
    atomic_store_explicit(&ah_handle_used, used + AH_HANDLE_SLOT, memory_order_release);
    return slot_at((uint32_t)(used / AH_HANDLE_SLOT));
}

static struct ah_handle *oldest_free_slot(void)
{
    struct ah_handle *slot = slot_at(slots.oldest);
    slots.oldest = slot->next;
    if (slots.oldest == no_slot)
        slots.newest = no_slot;
    slots.count--;
    return slot;
}

void *ah_handle_create(enum ah_handle_type type, struct ah_device *device)
{
    pthread_mutex_lock(&slots.lock);
    struct ah_handle *slot = slots.count > QUARANTINE ? oldest_free_slot() : fresh_slot();
    if (!slot && slots.count > 0)
        slot = oldest_free_slot();
    pthread_mutex_unlock(&slots.lock);
    if (!slot)
        return NULL;
    memset((char *)slot + sizeof *slot, 0, AH_HANDLE_SLOT - sizeof *slot);
    slot->device = device;
    atomic_store_explicit(&slot->type, (uint32_t)type, memory_order_release);
    return slot;
}

bool ah_handle_change(void *handle, enum ah_handle_type from, enum ah_handle_type to)
{
    uint32_t expected = (uint32_t)from;
    struct ah_handle *slot = handle;
    return ah_handle_is(handle, from) &&
           atomic_compare_exchange_strong(&slot->type, &expected, (uint32_t)to);
}

bool ah_handle_retire(void *handle, enum ah_handle_type type)
{
    return ah_handle_change(handle, type, AH_HANDLE_FREE);
}

void ah_handle_destroy(void *handle)
{
    struct ah_handle *slot = handle;
    if (!slot)
        return;
    uint32_t index = (uint32_t)((size_t)((char *)handle - range_start()) / AH_HANDLE_SLOT);
    atomic_store_explicit(&slot->type, AH_HANDLE_FREE, memory_order_release);
    pthread_mutex_lock(&slots.lock);
    slot->next = no_slot;
    if (slots.newest == no_slot)
        slots.oldest = index;
    else
        slot_at(slots.newest)->next = index;
    slots.newest = index;
    slots.count++;
    pthread_mutex_unlock(&slots.lock);
}

bool ah_free_failed(hipError_t error)
{
    switch (error) {
    case hipSuccess:
    case hipErrorInvalidValue: /* it does not exist, or another caller has freed it */
    case hipErrorInvalidHandle:
    case hipErrorInvalidContext:
    case hipErrorContextIsDestroyed:
    case hipErrorDeinitialized:
    case hipErrorNotFound:
    case hipErrorHostMemoryNotRegistered:
        return false;
    default:
        return true;
    }
}

hipError_t ah_handle_finish_destroy(void *handle, enum ah_handle_type type, hipError_t error)
{
    struct ah_handle *slot = handle;
    if (ah_free_failed(error))
        atomic_store_explicit(&slot->type, (uint32_t)type, memory_order_release);
    else
        ah_handle_destroy(handle);
    return error;
}

void ah_handle_each(enum ah_handle_type type, void (*visit)(void *handle, void *data), void *data)
{
    size_t used = atomic_load_explicit(&ah_handle_used, memory_order_acquire);
    for (size_t offset = 0; offset < used; offset += AH_HANDLE_SLOT)
        if (ah_handle_is(range_start() + offset, type))
            visit(range_start() + offset, data);
}
