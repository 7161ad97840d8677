/* Owns the queues of SDMA engines: rings of packets that copy, fill, wait and signal.
 *
 * Source of the packets: sdma_registers.h of AMD's runtime and the register headers of the Linux
 * driver for gfx9 (SDMA 4) and gfx10 and later (SDMA 5, 6). Sizes are in words of 32 bits. */
#include "simkmt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { /* the low byte of a header, and the next one */
       OP_NOP = 0,
       OP_COPY = 1,
       OP_WRITE = 2,
       OP_FENCE = 5,
       OP_TRAP = 6,
       OP_POLL = 8,
       OP_ATOMIC = 10,
       OP_FILL = 11,
       OP_TIMESTAMP = 13,
       OP_GCR = 17,
       SUB_COPY_LINEAR = 0,
       SUB_COPY_RECT = 4,
       SUB_TIMESTAMP_GLOBAL = 2,
       WORDS_MAX = 13,
};
enum { /* operations of atomics */
       ATOMIC_SWAP_32 = 7,
       ATOMIC_ADD_32 = 15,
       ATOMIC_SUB_32 = 16,
       ATOMIC_SWAP_64 = 39,
       ATOMIC_ADD_64 = 47,
       ATOMIC_SUB_64 = 48,
};
enum { LOOK_MIN_NS = 10000, LOOK_MAX_NS = 1000000 };

struct simkmt_sdma {
    _Alignas(64) struct { /* what programs reach */
        _Atomic(uint64_t) read, write;
    } * indices;
    struct sim_memory *memory; /* of the indices */
    const struct simkmt_node *node;
    const unsigned char *ring;
    uint64_t size;
    struct simkmt_doorbell doorbell;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t rung;       /* bytes that were announced; under the lock */
    _Atomic(bool) ends;  /* set under the lock */
    bool paused, failed; /* under the lock */
};

struct packet {
    uint32_t words[WORDS_MAX];
};

static uint64_t address_at(const struct packet *packet, unsigned word)
{
    return packet->words[word] | (uint64_t)packet->words[word + 1] << 32;
}

static uint32_t bits(uint32_t word, unsigned first, unsigned count)
{
    return word >> first & ((1u << count) - 1);
}

/* Held for reading while a packet touches memory. */
static pthread_rwlock_t moving = PTHREAD_RWLOCK_INITIALIZER;

void simkmt_sdma_hold(void)
{
    pthread_rwlock_wrlock(&moving);
}

void simkmt_sdma_resume(void)
{
    pthread_rwlock_unlock(&moving);
}

/* ---- what packets do ------------------------------------------------------------------- */

/* How a packet ended: the address that could not be reached is in *out_fault. */
enum result { DONE, FAULT, MALFORMED, STOPPED };

static unsigned char *reach(const struct simkmt_sdma *sdma, uint64_t address, uint64_t size,
                            bool write, uint64_t *out_fault)
{
    unsigned char *view = sim_reach_range(sdma->node->gpu.device, address, size, write);
    if (!view)
        *out_fault = address;
    else if (write && sim_memory_tracking)
        sim_memory_wrote(address, size);
    return view;
}

static enum result copy_linear(const struct simkmt_sdma *sdma, const struct packet *packet,
                               uint64_t *out_fault)
{
    uint64_t size = (uint64_t)bits(packet->words[1], 0, 30) + 1;
    const unsigned char *from = reach(sdma, address_at(packet, 3), size, false, out_fault);
    unsigned char *to = from ? reach(sdma, address_at(packet, 5), size, true, out_fault) : NULL;
    if (!to)
        return FAULT;
    memmove(to, from, size);
    return DONE;
}

/* One side of a copy of a box, in bytes. */
struct side {
    uint64_t start, pitch, slice;
};

static struct side side_of(const struct packet *packet, unsigned word, unsigned element)
{
    const uint32_t *words = packet->words + word;
    struct side side = {
        .pitch = ((uint64_t)bits(words[3], 13, 19) + 1) << element,
        .slice = ((uint64_t)bits(words[4], 0, 28) + 1) << element,
    };
    side.start = address_at(packet, word) + ((uint64_t)bits(words[2], 0, 14) << element) +
                 bits(words[2], 16, 14) * side.pitch + bits(words[3], 0, 11) * side.slice;
    return side;
}

static enum result copy_box(const struct simkmt_sdma *sdma, const struct packet *packet,
                            uint64_t *out_fault)
{
    unsigned element = bits(packet->words[0], 29, 3);
    struct side from = side_of(packet, 1, element), to = side_of(packet, 6, element);
    uint64_t width = ((uint64_t)bits(packet->words[11], 0, 14) + 1) << element;
    uint32_t height = bits(packet->words[11], 16, 14) + 1,
             depth = bits(packet->words[12], 0, 11) + 1;
    if (element > 4)
        return MALFORMED;
    for (uint32_t z = 0; z < depth; z++)
        for (uint32_t y = 0; y < height; y++) {
            const unsigned char *source =
                reach(sdma, from.start + z * from.slice + y * from.pitch, width, false, out_fault);
            unsigned char *target =
                source ? reach(sdma, to.start + z * to.slice + y * to.pitch, width, true, out_fault)
                       : NULL;
            if (!target)
                return FAULT;
            memmove(target, source, width);
        }
    return DONE;
}

/* Fills are of bytes (size code 0) or of words (2); the count is of bytes, less one unit. */
static enum result fill(const struct simkmt_sdma *sdma, const struct packet *packet,
                        uint64_t *out_fault)
{
    unsigned code = bits(packet->words[0], 30, 2);
    uint64_t unit = code == 2 ? 4 : 1, size = (uint64_t)bits(packet->words[4], 0, 30) + unit;
    if ((code != 0 && code != 2) || size % unit != 0)
        return MALFORMED;
    unsigned char *to = reach(sdma, address_at(packet, 1), size, true, out_fault);
    if (!to)
        return FAULT;
    for (uint64_t i = 0; i < size; i += unit)
        memcpy(to + i, &packet->words[3], unit);
    return DONE;
}

static enum result store(const struct simkmt_sdma *sdma, uint64_t address, uint64_t value,
                         size_t size, uint64_t *out_fault)
{
    unsigned char *to = address % size == 0 ? reach(sdma, address, size, true, out_fault) : NULL;
    if (!to) {
        *out_fault = address;
        return FAULT;
    }
    if (size == 8)
        __atomic_store_n((uint64_t *)(void *)to, value, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n((uint32_t *)(void *)to, (uint32_t)value, __ATOMIC_SEQ_CST);
    return DONE;
}

static enum result run_atomic(const struct simkmt_sdma *sdma, const struct packet *packet,
                              uint64_t *out_fault)
{
    unsigned operation = bits(packet->words[0], 25, 7);
    uint64_t address = address_at(packet, 1), operand = address_at(packet, 3);
    size_t size = operation >= ATOMIC_SWAP_64 - 7 ? 8 : 4;
    unsigned char *to = address % size == 0 ? reach(sdma, address, size, true, out_fault) : NULL;
    if (!to) {
        *out_fault = address;
        return FAULT;
    }
    uint64_t *wide = (uint64_t *)(void *)to;
    uint32_t *narrow = (uint32_t *)(void *)to;
    switch (operation) {
    case ATOMIC_SWAP_32:
        __atomic_exchange_n(narrow, (uint32_t)operand, __ATOMIC_SEQ_CST);
        break;
    case ATOMIC_ADD_32:
        __atomic_fetch_add(narrow, (uint32_t)operand, __ATOMIC_SEQ_CST);
        break;
    case ATOMIC_SUB_32:
        __atomic_fetch_sub(narrow, (uint32_t)operand, __ATOMIC_SEQ_CST);
        break;
    case ATOMIC_SWAP_64:
        __atomic_exchange_n(wide, operand, __ATOMIC_SEQ_CST);
        break;
    case ATOMIC_ADD_64:
        __atomic_fetch_add(wide, operand, __ATOMIC_SEQ_CST);
        break;
    case ATOMIC_SUB_64:
        __atomic_fetch_sub(wide, operand, __ATOMIC_SEQ_CST);
        break;
    default:
        return MALFORMED;
    }
    amdgpu_signals_changed();
    return DONE;
}

static bool holds(uint32_t value, unsigned function, uint32_t reference)
{
    switch (function) {
    case 1:
        return value < reference;
    case 2:
        return value <= reference;
    case 3:
        return value == reference;
    case 4:
        return value != reference;
    case 5:
        return value >= reference;
    case 6:
        return value > reference;
    default:
        return true;
    }
}

static bool read_word(const struct simkmt_sdma *sdma, uint64_t address, uint32_t *out_value)
{
    pthread_rwlock_rdlock(&moving);
    const unsigned char *from =
        address % 4 == 0 ? sim_reach_range(sdma->node->gpu.device, address, 4, false) : NULL;
    if (from)
        *out_value = __atomic_load_n((const uint32_t *)(const void *)from, __ATOMIC_SEQ_CST);
    pthread_rwlock_unlock(&moving);
    return from != NULL;
}

/* Whoever stores to the word tells nobody: it is looked at again and again, less and less. */
static enum result poll_word(const struct simkmt_sdma *sdma, const struct packet *packet,
                             uint64_t *out_fault)
{
    unsigned function = bits(packet->words[0], 28, 3);
    uint64_t address = address_at(packet, 1);
    struct timespec pause = {0, LOOK_MIN_NS};
    if (!bits(packet->words[0], 31, 1) || function == 0)
        return DONE; /* a register, for caches of the host's bus: they are coherent */
    while (!atomic_load_explicit(&sdma->ends, memory_order_relaxed)) {
        uint32_t value;
        if (!read_word(sdma, address, &value)) {
            *out_fault = address;
            return FAULT;
        }
        if (holds(value & packet->words[4], function, packet->words[3]))
            return DONE;
        nanosleep(&pause, NULL);
        pause.tv_nsec = pause.tv_nsec < LOOK_MAX_NS ? 2 * pause.tv_nsec : pause.tv_nsec;
    }
    return STOPPED;
}

static enum result access_memory(const struct simkmt_sdma *sdma, const struct packet *packet,
                                 uint64_t *out_fault)
{
    switch (bits(packet->words[0], 0, 8)) {
    case OP_COPY:
        return bits(packet->words[0], 8, 8) == SUB_COPY_RECT ? copy_box(sdma, packet, out_fault)
                                                             : copy_linear(sdma, packet, out_fault);
    case OP_FENCE:
        return store(sdma, address_at(packet, 1), packet->words[3], 4, out_fault);
    case OP_ATOMIC:
        return run_atomic(sdma, packet, out_fault);
    case OP_FILL:
        return fill(sdma, packet, out_fault);
    case OP_TIMESTAMP:
        return store(sdma, address_at(packet, 1), amdgpu_clock(), 8, out_fault);
    default:
        return DONE; /* NOP; GCR: caches are coherent */
    }
}

static enum result run(const struct simkmt_sdma *sdma, const struct packet *packet,
                       uint64_t *out_fault)
{
    enum result result = DONE;
    switch (bits(packet->words[0], 0, 8)) {
    case OP_TRAP:
        simkmt_interrupt(bits(packet->words[1], 0, 28));
        break;
    case OP_POLL:
        result = poll_word(sdma, packet, out_fault);
        break;
    default:
        pthread_rwlock_rdlock(&moving);
        result = access_memory(sdma, packet, out_fault);
        pthread_rwlock_unlock(&moving);
    }
    return result;
}

/* ---- the ring -------------------------------------------------------------------------- */

/* Words of the packet that begins with header; 0: it is none. */
static unsigned words_of(uint32_t header)
{
    unsigned sub = bits(header, 8, 8);
    switch (bits(header, 0, 8)) {
    case OP_NOP:
        return 1 + bits(header, 16, 14);
    case OP_COPY:
        return sub == SUB_COPY_LINEAR ? 7 : sub == SUB_COPY_RECT ? 13 : 0;
    case OP_FENCE:
        return 4;
    case OP_TRAP:
        return 2;
    case OP_POLL:
        return 6;
    case OP_ATOMIC:
        return 8;
    case OP_FILL:
        return 5;
    case OP_TIMESTAMP:
        return sub == SUB_TIMESTAMP_GLOBAL ? 3 : 0;
    case OP_GCR:
        return 5;
    default:
        return 0;
    }
}

static void read_words(const struct simkmt_sdma *sdma, uint64_t at, unsigned count,
                       uint32_t *out_words)
{
    for (unsigned i = 0; i < count; i++)
        memcpy(&out_words[i], sdma->ring + ((at + 4 * i) & (sdma->size - 1)), 4);
}

static void report(const struct simkmt_sdma *sdma, uint64_t at, uint32_t header, enum result result,
                   uint64_t fault)
{
    if (result == FAULT)
        AH_LOG_ERR("simulated kernel driver: SDMA packet %08" PRIx32 " of node %" PRIu32
                   " reaches no memory at 0x%" PRIx64,
                   header, sdma->node->number, fault);
    else
        AH_LOG_ERR("simulated kernel driver: %08" PRIx32 " at 0x%" PRIx64
                   " in the ring of node %" PRIu32 " is no SDMA packet that is known",
                   header, at & (sdma->size - 1), sdma->node->number);
    simkmt_memory_fault(sdma->node, fault);
}

/* Takes one packet. False: the engine stops. */
static bool step(struct simkmt_sdma *sdma, uint64_t end)
{
    struct packet packet = {{0}};
    uint64_t fault = 0, at = atomic_load(&sdma->indices->read);
    enum result result = MALFORMED;
    read_words(sdma, at, 1, packet.words);
    unsigned words = words_of(packet.words[0]);
    if (words > 0 && at + 4 * words <= end) {
        read_words(sdma, at, words < WORDS_MAX ? words : WORDS_MAX, packet.words);
        result = run(sdma, &packet, &fault);
    }
    if (result == FAULT || result == MALFORMED)
        report(sdma, at, packet.words[0], result, fault);
    if (result == DONE)
        atomic_store(&sdma->indices->read, at + 4 * words);
    return result == DONE;
}

/* Bytes up to which packets may be taken, once there are any. False: it ends. */
static bool wait_for_packets(struct simkmt_sdma *sdma, uint64_t *out_end)
{
    uint64_t read = atomic_load(&sdma->indices->read);
    pthread_mutex_lock(&sdma->lock);
    while (!sdma->ends && (sdma->paused || sdma->failed || sdma->rung <= read))
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
        while (atomic_load(&sdma->indices->read) < end && !atomic_load(&sdma->ends))
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
    uint64_t read = atomic_load(&sdma->indices->read);
    pthread_mutex_lock(&sdma->lock);
    if (value - read <= sdma->size && value > sdma->rung)
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
    sdma->ring = ring;
    sdma->size = size;
    sdma->doorbell.ring = ring_sdma;
    sdma->memory = sim_memory_create(SIM_MEMORY_HOST, -1, SIMKMT_PAGE, SIMKMT_PAGE);
    if (!sdma->memory) {
        free_sdma(sdma);
        return NULL;
    }
    sdma->memory->label = "indices of an SDMA queue";
    sdma->indices = (void *)sdma->memory->view;
    atomic_store(&sdma->indices->read, 0);
    atomic_store(&sdma->indices->write, 0);
    if (!simkmt_doorbell_open(&sdma->doorbell)) {
        free_sdma(sdma);
        return NULL;
    }
    if (pthread_create(&sdma->thread, NULL, process, sdma) != 0) {
        simkmt_doorbell_close(&sdma->doorbell);
        free_sdma(sdma);
        return NULL;
    }
    resource->QueueDoorBell = (uintptr_t)sdma->doorbell.place;
    resource->QueueRptrValue = (uintptr_t)&sdma->indices->read;
    resource->QueueWptrValue = (uintptr_t)&sdma->indices->write;
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
