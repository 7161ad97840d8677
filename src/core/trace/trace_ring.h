/* Records on their way from the threads of the application to the one that writes them: a ring of a
 * fixed size. Any thread puts records in, without a lock and without waiting; one takes them out,
 * in the order in which they were begun. A record that finds no space is counted and lost. */
#ifndef AH_TRACE_RING_H
#define AH_TRACE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ah_trace_ring {
    unsigned char *data;
    size_t size;            /* a power of two */
    _Atomic(uint64_t) head; /* where the next record begins; bytes since the start */
    _Atomic(uint64_t) tail; /* what is before it has been taken out */
    _Atomic(uint64_t) lost;
};

/* size: at least so many bytes, and 64 KiB. False: there is no memory. */
bool ah_trace_ring_open(struct ah_trace_ring *ring, size_t size);
void ah_trace_ring_close(struct ah_trace_ring *ring);

/* Space for a record of size bytes, aligned to 8; NULL: there is none, or the record has more than
 * a quarter of the ring. Everything behind a record that was begun waits for its end. */
void *ah_trace_ring_begin(struct ah_trace_ring *ring, unsigned kind, size_t size);
void ah_trace_ring_end(void *record);

/* The next record that has ended; NULL: there is none. It is valid until ah_trace_ring_done. */
const void *ah_trace_ring_next(struct ah_trace_ring *ring, unsigned *out_kind);
void ah_trace_ring_done(struct ah_trace_ring *ring);

/* More than half of it is in use. */
static inline bool ah_trace_ring_is_filling(const struct ah_trace_ring *ring)
{
    return atomic_load_explicit(&ring->head, memory_order_relaxed) -
               atomic_load_explicit(&ring->tail, memory_order_relaxed) >
           ring->size / 2;
}

#endif
