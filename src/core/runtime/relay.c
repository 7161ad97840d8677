/* Owns waits across drivers. A gate is a word in page-locked memory of the waiting device: the
 * waiting stream waits for the word's value, and a callback of the event's driver, which never
 * blocks, writes it. No driver is called with the lock held, since callbacks take it. */
#include "relay.h"
#include "log.h"

#include <stdlib.h>

enum { BLOCK_GATES = 64, GATE_STRIDE = 64, LOOKS = 4, CLOSED = 0, OPEN = 1 };

struct gate {
    struct block *block;
    uint32_t *word;                  /* the host's address; NULL: a reset has freed it */
    void *native;                    /* the waiting device's address */
    struct ah_backend_event *passed; /* recorded behind the last wait; NULL: there was none */
    const struct ah_device *opener;  /* the device whose callback is pending, or NULL */
    bool taken; /* a thread prepares a wait with it, or there is no event that shows when its stream
                   has passed */
};

/* The gates of one allocation. */
struct block {
    struct block *next;
    const struct ah_device *waiter; /* NULL: it was reset */
    unsigned cursor;                /* the gate to try next */
    struct gate gates[BLOCK_GATES];
};

static struct {
    pthread_mutex_t lock;
    struct block *blocks;
} relay = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- which gate ------------------------------------------------------------------------- */

/* The next gate of the block that no callback will write to. The caller holds the lock. */
static struct gate *next_unwritten(struct block *block)
{
    for (unsigned i = 0; i < BLOCK_GATES; i++) {
        struct gate *gate = &block->gates[block->cursor++ % BLOCK_GATES];
        if (!gate->opener && !gate->taken)
            return gate;
    }
    return NULL;
}

/* Takes a gate that no callback will write to from the waiter's block of that number; its last wait
 * may not have ended. NULL: all are in use. False: the waiter has no such block. */
static bool acquire_candidate(const struct ah_device *waiter, unsigned number,
                              struct gate **out_gate)
{
    *out_gate = NULL;
    pthread_mutex_lock(&relay.lock);
    struct block *block = relay.blocks;
    while (block && (block->waiter != waiter || number-- > 0))
        block = block->next;
    if (block)
        *out_gate = next_unwritten(block);
    if (*out_gate)
        (*out_gate)->taken = true;
    pthread_mutex_unlock(&relay.lock);
    return block != NULL;
}

static void release_gate(struct gate *gate)
{
    pthread_mutex_lock(&relay.lock);
    gate->taken = false;
    pthread_mutex_unlock(&relay.lock);
}

static bool is_passed(struct ah_device *waiter, const struct gate *gate)
{
    return !gate->passed ||
           waiter->ops->event_query(waiter->native, gate->passed) != hipErrorNotReady;
}

static hipError_t make_block(struct ah_device *waiter, struct block **out_block)
{
    void *memory, *native;
    struct block *block = calloc(1, sizeof *block);
    if (!block)
        return hipErrorOutOfMemory;
    hipError_t error = waiter->ops->host_alloc(
        waiter->native, BLOCK_GATES * GATE_STRIDE,
        hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent, &memory);
    if (error == hipSuccess) {
        error = waiter->ops->host_device_pointer(waiter->native, memory, &native);
        if (error != hipSuccess)
            waiter->ops->host_free(waiter->native, memory);
    }
    if (error != hipSuccess) {
        free(block);
        return error;
    }
    for (size_t i = 0; i < BLOCK_GATES; i++)
        block->gates[i] = (struct gate){
            .block = block,
            .word = (uint32_t *)(void *)((char *)memory + i * GATE_STRIDE),
            .native = (char *)native + i * GATE_STRIDE,
        };
    block->waiter = waiter;
    *out_block = block;
    return hipSuccess;
}

/* Tries some gates of each block: the next ones, which have been in use the longest. */
static hipError_t acquire_gate(struct ah_device *waiter, struct gate **out_gate)
{
    struct block *block;
    struct gate *gate;
    for (unsigned look = 0; acquire_candidate(waiter, look / LOOKS, &gate); look++) {
        if (gate && is_passed(waiter, gate)) {
            *out_gate = gate;
            return hipSuccess;
        }
        if (gate)
            release_gate(gate);
    }
    hipError_t error = make_block(waiter, &block);
    if (error != hipSuccess)
        return error;
    *out_gate = &block->gates[block->cursor++];
    (*out_gate)->taken = true;
    pthread_mutex_lock(&relay.lock);
    block->next = relay.blocks;
    relay.blocks = block;
    pthread_mutex_unlock(&relay.lock);
    return hipSuccess;
}

/* False: the waiting device is being reset. */
static bool close_gate(struct gate *gate, const struct ah_device *opener)
{
    pthread_mutex_lock(&relay.lock);
    bool there = gate->word != NULL;
    if (there) {
        __atomic_store_n(gate->word, CLOSED, __ATOMIC_RELEASE);
        gate->opener = opener;
    }
    pthread_mutex_unlock(&relay.lock);
    return there;
}

/* ---- the event's side --------------------------------------------------------------------- */

/* The caller holds the lock. */
static void write_open(struct gate *gate)
{
    if (gate->word)
        __atomic_store_n(gate->word, OPEN, __ATOMIC_RELEASE);
}

/* Frees a block whose device was reset, once no callback is pending. The caller holds the lock. */
static void free_unused(struct block *block)
{
    struct block **link = &relay.blocks;
    for (unsigned i = 0; i < BLOCK_GATES; i++)
        if (block->gates[i].opener || block->gates[i].taken)
            return;
    while (*link != block)
        link = &(*link)->next;
    *link = block->next;
    free(block);
}

static void open_gate(void *data, hipError_t status)
{
    struct gate *gate = data;
    (void)status; /* a failure of the event's device is not the waiting stream's */
    pthread_mutex_lock(&relay.lock);
    write_open(gate);
    gate->opener = NULL;
    if (!gate->block->waiter)
        free_unused(gate->block);
    pthread_mutex_unlock(&relay.lock);
}

/* A separate stream, so that waits do not wait for each other; its work is done although it is
 * destroyed at once. */
static hipError_t open_after_event(struct ah_device *device, const struct ah_event *event,
                                   struct gate *gate)
{
    struct ah_backend_stream *stream;
    hipError_t error = device->ops->stream_create(device->native, hipStreamNonBlocking, 0, &stream);
    if (error != hipSuccess)
        return error;
    error = device->ops->stream_wait_event(device->native, stream, event->native);
    if (error == hipSuccess)
        error = device->ops->stream_callback(device->native, stream, open_gate, gate);
    device->ops->stream_destroy(device->native, stream);
    return error;
}

/* ---- the waiting side ----------------------------------------------------------------------- */

static hipError_t wait_on_host(struct ah_device *opener, const struct ah_event *event)
{
    AH_LOG(AH_LOG_INFO, AH_LOG_WAIT,
           "the driver of the stream cannot wait for a value: the host waits for the event");
    return opener->ops->event_synchronize(opener->native, event->native);
}

/* *out_known: an event shows when the stream has passed, so that the gate can be reused. */
static hipError_t wait_at_gate(struct ah_device *device, struct ah_backend_stream *stream,
                               const struct ah_event *event, const struct gate *gate,
                               bool *out_known)
{
    hipError_t error = device->ops->stream_wait_value(device->native, stream, gate->native, OPEN,
                                                      UINT32_MAX, AH_WAIT_EQUAL, 32);
    if (error == hipErrorNotSupported)
        return wait_on_host(event->handle.device, event);
    if (error != hipSuccess)
        return error;
    error = device->ops->event_record(device->native, gate->passed, stream);
    *out_known = error == hipSuccess;
    return error;
}

static hipError_t wait_through_gate(struct ah_device *device, struct ah_backend_stream *stream,
                                    const struct ah_event *event, struct gate *gate,
                                    bool *out_known)
{
    struct ah_device *opener = event->handle.device;
    hipError_t error = hipSuccess;
    if (!gate->passed)
        error = device->ops->event_create(device->native, hipEventDisableTiming, &gate->passed);
    if (error == hipSuccess && !close_gate(gate, opener))
        error = hipErrorContextIsDestroyed;
    if (error != hipSuccess)
        return error;
    error = open_after_event(opener, event, gate);
    if (error == hipSuccess)
        return wait_at_gate(device, stream, event, gate, out_known);
    open_gate(gate, error); /* for the callback */
    return error;
}

hipError_t ah_relay_wait(struct ah_device *device, struct ah_backend_stream *stream,
                         const struct ah_event *event)
{
    struct gate *gate;
    bool known = true;
    hipError_t error = acquire_gate(device, &gate);
    if (error != hipSuccess)
        return error;
    error = wait_through_gate(device, stream, event, gate, &known);
    if (known)
        release_gate(gate);
    return error;
}

/* ---- reset ---------------------------------------------------------------------------------- */

/* The memory and the events of the gates are freed with their device. The gates are opened before,
 * since a reset may wait for the device's work. */
static void detach_waiter(struct block *block)
{
    block->waiter = NULL;
    for (unsigned i = 0; i < BLOCK_GATES; i++) {
        write_open(&block->gates[i]);
        block->gates[i].word = NULL;
        block->gates[i].passed = NULL;
    }
    free_unused(block);
}

/* The driver may drop callbacks in the reset or call them later, so these gates are opened now and
 * not used again. */
static void detach_opener(struct block *block, const struct ah_device *device)
{
    for (unsigned i = 0; i < BLOCK_GATES; i++)
        if (block->gates[i].opener == device)
            write_open(&block->gates[i]);
}

void ah_relay_detach_device(const struct ah_device *device)
{
    struct block *next;
    pthread_mutex_lock(&relay.lock);
    for (struct block *block = relay.blocks; block; block = next) {
        next = block->next;
        if (block->waiter == device)
            detach_waiter(block);
        else
            detach_opener(block, device);
    }
    pthread_mutex_unlock(&relay.lock);
}
