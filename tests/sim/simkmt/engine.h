/* SDMA queues of tests, and the packets that copy. */
#ifndef SIMKMT_ENGINE_H
#define SIMKMT_ENGINE_H

#include "simkmt_test.h"

enum { RING = 16 * PAGE };

struct engine {
    char *ring;
    HsaQueueResource resource;
    _Atomic(uint64_t) *read, *write, *doorbell;
};

static inline struct engine make_engine(uint32_t node)
{
    struct engine engine = {.ring = allocate(0, RING)};
    memset(engine.ring, 0, RING);
    ok(kmt.hsaKmtCreateQueue(node, HSA_QUEUE_SDMA, 100, 3, engine.ring, RING, NULL,
                             &engine.resource));
    engine.read = (_Atomic(uint64_t) *)(uintptr_t)engine.resource.QueueRptrValue;
    engine.write = (_Atomic(uint64_t) *)(uintptr_t)engine.resource.QueueWptrValue;
    engine.doorbell = (_Atomic(uint64_t) *)(uintptr_t)engine.resource.QueueDoorBell;
    return engine;
}

static inline void destroy_engine(struct engine *engine)
{
    ok(kmt.hsaKmtDestroyQueue(engine->resource.QueueId));
    ok(kmt.hsaKmtFreeMemory(engine->ring, 0));
}

static inline void put(struct engine *engine, const uint32_t *words, unsigned count)
{
    uint64_t at = atomic_load(engine->write);
    for (unsigned i = 0; i < count; i++)
        memcpy(engine->ring + (at + 4 * i) % RING, &words[i], 4);
    atomic_store(engine->write, at + 4 * count);
    atomic_store(engine->doorbell, at + 4 * count);
}

static inline void drain(const struct engine *engine)
{
    while (atomic_load(engine->read) != atomic_load(engine->write))
        usleep(50);
}

#define LOW(pointer)  ((uint32_t)(uintptr_t)(pointer))
#define HIGH(pointer) ((uint32_t)((uintptr_t)(pointer) >> 32))

static inline void put_copy(struct engine *engine, void *to, const void *from, uint32_t size)
{
    const uint32_t words[] = {1, size - 1, 0, LOW(from), HIGH(from), LOW(to), HIGH(to)};
    put(engine, words, 7);
}

#endif
