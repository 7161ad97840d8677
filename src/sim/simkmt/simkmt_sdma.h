/* SDMA packets, apart from the queues that they are in; private to those. */
#ifndef SIMKMT_SDMA_H
#define SIMKMT_SDMA_H

#include "sim_memory.h"

#include <stdbool.h>
#include <stdint.h>

/* Where packets are: bytes of a ring whose size is a power of two, of an engine of a device. */
struct simkmt_sdma_ring {
    int device; /* of sim_memory.h */
    const unsigned char *bytes;
    uint64_t size;
    bool (*stops)(const struct simkmt_sdma_ring *ring); /* asked while a packet takes its time */
};

enum simkmt_sdma_result {
    SIMKMT_SDMA_DONE,
    SIMKMT_SDMA_FAULT,     /* it reaches no memory at an address */
    SIMKMT_SDMA_MALFORMED, /* no packet that is known */
    SIMKMT_SDMA_STOPPED,
};

struct simkmt_sdma_packet {
    uint32_t header, size; /* size: bytes; 0: the packet is invalid */
    uint64_t fault;        /* the address */
    uint64_t changed;      /* by an atomic, the address; 0: it was none */
};

/* Does what the packet says that is at bytes after the start of the first lap of the ring, where
 * packets were written up to end. */
enum simkmt_sdma_result simkmt_sdma_step(const struct simkmt_sdma_ring *ring, uint64_t at,
                                         uint64_t end, struct simkmt_sdma_packet *out_packet);

/* No packet of any engine touches memory between these. */
void simkmt_sdma_suspend(void);
void simkmt_sdma_resume(void);

/* A device sends an interrupt: the event's number, or 0 for all events with mail. All threads that
 * wait for signals check them again. */
void simkmt_interrupt(uint32_t event_id);

#endif
