/* Owns the queues of SDMA engines: their rings, threads and indices. What packets do is in
 * simkmt_sdma_packet.c. */
#include "simkmt_sdma.h"

#include "simkmt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct simkmt_sdma {
    _Atomic(uint64_t) *read, *write; /* indices, which programs reach */
    struct simkmt_sdma_ring ring;
    struct sim_memory *memory; /* of the indices; NULL: they are their owner's */
    const struct simkmt_node *node;
    struct simkmt_doorbell doorbell;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    _Atomic(uint64_t) taken; /* bytes; programs can write what indices say */
    uint64_t rung;           /* bytes that were announced; under the lock */
    _Atomic(bool) ends;      /* set under the lock */
    bool paused, failed;     /* under the lock */
};

/* ---- taking packets -------------------------------------------------------------------- */

static bool stops(const struct simkmt_sdma_ring *ring)
{
    const struct simkmt_sdma *sdma =
        (const struct simkmt_sdma *)(const void *)((const char *)ring -
                                                   offsetof(struct simkmt_sdma, ring));
    return atomic_load_explicit(&sdma->ends, memory_order_relaxed);
}

static void report(const struct simkmt_sdma *sdma, uint64_t at,
                   const struct simkmt_sdma_packet *packet, enum simkmt_sdma_result result)
{
    if (result == SIMKMT_SDMA_FAULT)
        AH_LOG_ERR("simulated kernel driver: SDMA packet %08" PRIx32 " of node %" PRIu32
                   " reaches no memory at 0x%" PRIx64,
                   packet->header, sdma->node->number, packet->fault);
    else
        AH_LOG_ERR("simulated kernel driver: %08" PRIx32 " at 0x%" PRIx64
                   " in the ring of node %" PRIu32 " is no SDMA packet that is known",
                   packet->header, at & (sdma->ring.size - 1), sdma->node->number);
    if (!simkmt_memory_fault(sdma->node, packet->fault) && !simkmt.model)
        simkmt_queues_fault(sdma->node);
}

/* Takes one packet. False: the engine stops. */
static bool step(struct simkmt_sdma *sdma, uint64_t end)
{
    struct simkmt_sdma_packet packet;
    uint64_t at = atomic_load(&sdma->taken);
    enum simkmt_sdma_result result = SIMKMT_SDMA_FAULT;
    uint64_t place = (uintptr_t)sdma->ring.bytes + (at & (sdma->ring.size - 1));
    if (sim_translate(sdma->ring.device, place, sizeof(uint32_t), false))
        result = simkmt_sdma_step(&sdma->ring, at, end, &packet);
    else /* the ring was freed */
        packet = (struct simkmt_sdma_packet){.fault = place};
    if (result == SIMKMT_SDMA_FAULT || result == SIMKMT_SDMA_MALFORMED)
        report(sdma, at, &packet, result);
    if (result == SIMKMT_SDMA_DONE) {
        atomic_store(&sdma->taken, at + packet.size);
        atomic_store(sdma->read, at + packet.size);
        if (simkmt.model && packet.changed)
            simkmt_model_changed(sdma->node, packet.changed);
    }
    return result == SIMKMT_SDMA_DONE;
}

/* Bytes up to which packets may be taken, once there are any. False: it ends. */
static bool wait_for_packets(struct simkmt_sdma *sdma, uint64_t *out_end)
{
    uint64_t taken = atomic_load(&sdma->taken);
    pthread_mutex_lock(&sdma->lock);
    while (!sdma->ends && (sdma->paused || sdma->failed || sdma->rung <= taken))
        pthread_cond_wait(&sdma->changed, &sdma->lock);
    *out_end = sdma->rung;
    pthread_mutex_unlock(&sdma->lock);
    return !atomic_load(&sdma->ends);
}

static void *process(void *data)
{
    struct simkmt_sdma *sdma = data;
    uint64_t end;
    while (wait_for_packets(sdma, &end))
        while (atomic_load(&sdma->taken) < end && !atomic_load(&sdma->ends))
            if (!step(sdma, end)) {
                pthread_mutex_lock(&sdma->lock);
                sdma->failed = true;
                pthread_mutex_unlock(&sdma->lock);
                break;
            }
    return NULL;
}

/* The doorbell's value is the index to which packets were written. */
static void ring_sdma(struct simkmt_doorbell *doorbell, uint64_t value)
{
    struct simkmt_sdma *sdma =
        (struct simkmt_sdma *)(void *)((char *)doorbell - offsetof(struct simkmt_sdma, doorbell));
    uint64_t taken = atomic_load(&sdma->taken);
    pthread_mutex_lock(&sdma->lock);
    if (value - taken <= sdma->ring.size && value > sdma->rung)
        sdma->rung = value;
    pthread_cond_signal(&sdma->changed);
    pthread_mutex_unlock(&sdma->lock);
}

/* ---- making ---------------------------------------------------------------------------- */

static void free_sdma(struct simkmt_sdma *sdma)
{
    sim_memory_destroy(sdma->memory);
    pthread_cond_destroy(&sdma->changed);
    pthread_mutex_destroy(&sdma->lock);
    free(sdma);
}

static bool make_indices(struct simkmt_sdma *sdma, HsaQueueResource *resource)
{
    sdma->memory = sim_memory_create(SIM_MEMORY_HOST, -1, SIMKMT_PAGE, SIMKMT_PAGE);
    if (!sdma->memory)
        return false;
    sim_memory_name(sdma->memory, "indices of an SDMA queue");
    sdma->read = (_Atomic(uint64_t) *)(void *)sdma->memory->view;
    sdma->write = sdma->read + 1;
    atomic_store(sdma->read, 0);
    atomic_store(sdma->write, 0);
    if (!simkmt_doorbell_open(&sdma->doorbell))
        return false;
    resource->QueueDoorBell = (uintptr_t)sdma->doorbell.place;
    resource->QueueRptrValue = (uintptr_t)sdma->read;
    resource->QueueWptrValue = (uintptr_t)sdma->write;
    return true;
}

static bool init_indices(struct simkmt_sdma *sdma, HsaQueueResource *resource)
{
    int device = sdma->node->gpu.device;
    sdma->read =
        (void *)sim_translate_range(device, resource->QueueRptrValue, sizeof(uint64_t), true);
    sdma->write =
        (void *)sim_translate_range(device, resource->QueueWptrValue, sizeof(uint64_t), true);
    if (!sdma->read || !sdma->write)
        return false;
    sdma->doorbell.place = sdma->write;
    return simkmt_doorbell_watch(&sdma->doorbell);
}

struct simkmt_sdma *simkmt_sdma_create(const struct simkmt_node *node, void *ring, uint64_t size,
                                       HsaQueueResource *resource)
{
    struct simkmt_sdma *sdma = aligned_alloc(_Alignof(struct simkmt_sdma), sizeof *sdma);
    if (!sdma)
        return NULL;
    memset(sdma, 0, sizeof *sdma);
    pthread_mutex_init(&sdma->lock, NULL);
    pthread_cond_init(&sdma->changed, NULL);
    sdma->node = node;
    sdma->ring = (struct simkmt_sdma_ring){node->gpu.device, ring, size, stops};
    sdma->doorbell.ring = ring_sdma;
    if (!(simkmt.model ? init_indices : make_indices)(sdma, resource)) {
        free_sdma(sdma);
        return NULL;
    }
    if (pthread_create(&sdma->thread, NULL, process, sdma) != 0) {
        simkmt_doorbell_close(&sdma->doorbell);
        free_sdma(sdma);
        return NULL;
    }
    return sdma;
}

void simkmt_sdma_pause(struct simkmt_sdma *sdma, bool pause)
{
    pthread_mutex_lock(&sdma->lock);
    sdma->paused = pause;
    pthread_cond_signal(&sdma->changed);
    pthread_mutex_unlock(&sdma->lock);
}

void simkmt_sdma_destroy(struct simkmt_sdma *sdma)
{
    simkmt_doorbell_close(&sdma->doorbell);
    pthread_mutex_lock(&sdma->lock);
    atomic_store(&sdma->ends, true);
    pthread_cond_signal(&sdma->changed);
    pthread_mutex_unlock(&sdma->lock);
    pthread_join(sdma->thread, NULL);
    free_sdma(sdma);
}
