/* Owns the ring of records. Memory that is free consists of zeros, so that the length of a record
 * which has been begun and not ended reads as 0. */
#include "trace_ring.h"

#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 16, SIZE_MIN = 64 << 10 };
static const uint32_t PADDING = UINT32_MAX; /* instead of a kind */

struct head {
    _Atomic(uint32_t) length; /* with this head; 0: not ended */
    uint32_t kind;
    uint32_t begun; /* the length, for the end */
    uint32_t unused;
};
_Static_assert(sizeof(struct head) == ALIGNMENT, "records are aligned by their heads");

bool ah_trace_ring_open(struct ah_trace_ring *ring, size_t size)
{
    size_t whole = SIZE_MIN;
    while (whole < size)
        whole *= 2;
    void *data = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *ring = (struct ah_trace_ring){0};
    if (data == MAP_FAILED)
        return false;
    ring->data = data;
    ring->size = whole;
    return true;
}

void ah_trace_ring_close(struct ah_trace_ring *ring)
{
    if (ring->data)
        munmap(ring->data, ring->size);
    ring->data = NULL;
}

static struct head *at(struct ah_trace_ring *ring, uint64_t position)
{
    return (struct head *)(void *)(ring->data + (position & (ring->size - 1)));
}

static void end(struct head *head)
{
    atomic_store_explicit(&head->length, head->begun, memory_order_release);
}

/* A record does not go round the end: what is left there becomes padding. */
void *ah_trace_ring_begin(struct ah_trace_ring *ring, unsigned kind, size_t size)
{
    size_t length = (size + sizeof(struct head) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint64_t padding, tail;
    if (length > ring->size / 4) {
        atomic_fetch_add_explicit(&ring->lost, 1, memory_order_relaxed);
        return NULL;
    }
    do {
        uint64_t left = ring->size - (head & (ring->size - 1));
        padding = left < length ? left : 0;
        tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
        if (head + padding + length - tail > ring->size) {
            atomic_fetch_add_explicit(&ring->lost, 1, memory_order_relaxed);
            return NULL;
        }
    } while (!atomic_compare_exchange_weak_explicit(&ring->head, &head, head + padding + length,
                                                    memory_order_relaxed, memory_order_relaxed));
    if (padding) {
        struct head *filler = at(ring, head);
        filler->kind = PADDING;
        filler->begun = (uint32_t)padding;
        end(filler);
    }
    struct head *record = at(ring, head + padding);
    record->kind = kind;
    record->begun = (uint32_t)length;
    return record + 1;
}

void ah_trace_ring_end(void *record)
{
    end((struct head *)record - 1);
}

static struct head *first(struct ah_trace_ring *ring)
{
    struct head *head = at(ring, atomic_load_explicit(&ring->tail, memory_order_relaxed));
    return atomic_load_explicit(&head->length, memory_order_acquire) ? head : NULL;
}

void ah_trace_ring_done(struct ah_trace_ring *ring)
{
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    struct head *head = at(ring, tail);
    uint32_t length = head->begun;
    memset(head + 1, 0, length - sizeof *head);
    head->kind = head->begun = 0;
    atomic_store_explicit(&head->length, 0, memory_order_relaxed);
    atomic_store_explicit(&ring->tail, tail + length, memory_order_release);
}

const void *ah_trace_ring_next(struct ah_trace_ring *ring, unsigned *out_kind)
{
    struct head *head = first(ring);
    if (head && head->kind == PADDING) {
        ah_trace_ring_done(ring);
        head = first(ring);
    }
    if (!head)
        return NULL;
    *out_kind = head->kind;
    return head + 1;
}
