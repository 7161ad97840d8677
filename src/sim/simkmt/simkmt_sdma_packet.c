/* Owns SDMA packets: which there are, and what each does.
 *
 * Source: sdma_registers.h of AMD's runtime and the register headers of the Linux driver for gfx9
 * (SDMA 4) and gfx10 and later (SDMA 5, 6). Sizes are in words of 32 bits. */
#include "simkmt_sdma.h"

#include "amdgpu_queue.h"

#include <pthread.h>
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

void simkmt_sdma_suspend(void)
{
    pthread_rwlock_wrlock(&moving);
}

void simkmt_sdma_resume(void)
{
    pthread_rwlock_unlock(&moving);
}

/* ---- what packets do ------------------------------------------------------------------- */

static unsigned char *translate(const struct simkmt_sdma_ring *ring, uint64_t address,
                                uint64_t size, bool write, uint64_t *out_fault)
{
    unsigned char *view = sim_translate_range(ring->device, address, size, write);
    if (!view)
        *out_fault = address;
    else if (write && sim_memory_tracking)
        sim_memory_wrote(address, size);
    return view;
}

static enum simkmt_sdma_result copy_linear(const struct simkmt_sdma_ring *ring,
                                           const struct packet *packet, uint64_t *out_fault)
{
    uint64_t size = (uint64_t)bits(packet->words[1], 0, 30) + 1;
    const unsigned char *from = translate(ring, address_at(packet, 3), size, false, out_fault);
    unsigned char *to = from ? translate(ring, address_at(packet, 5), size, true, out_fault) : NULL;
    if (!to)
        return SIMKMT_SDMA_FAULT;
    memmove(to, from, size);
    return SIMKMT_SDMA_DONE;
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

static enum simkmt_sdma_result copy_box(const struct simkmt_sdma_ring *ring,
                                        const struct packet *packet, uint64_t *out_fault)
{
    unsigned element = bits(packet->words[0], 29, 3);
    struct side from = side_of(packet, 1, element), to = side_of(packet, 6, element);
    uint64_t width = ((uint64_t)bits(packet->words[11], 0, 14) + 1) << element;
    uint32_t height = bits(packet->words[11], 16, 14) + 1,
             depth = bits(packet->words[12], 0, 11) + 1;
    if (element > 4)
        return SIMKMT_SDMA_MALFORMED;
    for (uint32_t z = 0; z < depth; z++)
        for (uint32_t y = 0; y < height; y++) {
            if (ring->stops(ring)) /* overlapping rows may take very long */
                return SIMKMT_SDMA_STOPPED;
            const unsigned char *source = translate(
                ring, from.start + z * from.slice + y * from.pitch, width, false, out_fault);
            unsigned char *target = source ? translate(ring, to.start + z * to.slice + y * to.pitch,
                                                       width, true, out_fault)
                                           : NULL;
            if (!target)
                return SIMKMT_SDMA_FAULT;
            memmove(target, source, width);
        }
    return SIMKMT_SDMA_DONE;
}

/* Fills are of bytes (size code 0) or of words (2); the count is of bytes, less one unit. */
static enum simkmt_sdma_result fill(const struct simkmt_sdma_ring *ring,
                                    const struct packet *packet, uint64_t *out_fault)
{
    unsigned code = bits(packet->words[0], 30, 2);
    uint64_t unit = code == 2 ? 4 : 1, size = (uint64_t)bits(packet->words[4], 0, 30) + unit;
    if ((code != 0 && code != 2) || size % unit != 0)
        return SIMKMT_SDMA_MALFORMED;
    unsigned char *to = translate(ring, address_at(packet, 1), size, true, out_fault);
    if (!to)
        return SIMKMT_SDMA_FAULT;
    for (uint64_t i = 0; i < size; i += unit)
        memcpy(to + i, &packet->words[3], unit);
    return SIMKMT_SDMA_DONE;
}

static enum simkmt_sdma_result store(const struct simkmt_sdma_ring *ring, uint64_t address,
                                     uint64_t value, size_t size, uint64_t *out_fault)
{
    unsigned char *to =
        address % size == 0 ? translate(ring, address, size, true, out_fault) : NULL;
    if (!to) {
        *out_fault = address;
        return SIMKMT_SDMA_FAULT;
    }
    if (size == 8)
        __atomic_store_n((uint64_t *)(void *)to, value, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n((uint32_t *)(void *)to, (uint32_t)value, __ATOMIC_SEQ_CST);
    return SIMKMT_SDMA_DONE;
}

static enum simkmt_sdma_result run_atomic(const struct simkmt_sdma_ring *ring,
                                          const struct packet *packet, uint64_t *out_fault)
{
    unsigned operation = bits(packet->words[0], 25, 7);
    uint64_t address = address_at(packet, 1), operand = address_at(packet, 3);
    size_t size = operation >= ATOMIC_SWAP_64 - 7 ? 8 : 4;
    unsigned char *to =
        address % size == 0 ? translate(ring, address, size, true, out_fault) : NULL;
    if (!to) {
        *out_fault = address;
        return SIMKMT_SDMA_FAULT;
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
        return SIMKMT_SDMA_MALFORMED;
    }
    amdgpu_signals_changed();
    return SIMKMT_SDMA_DONE;
}

static bool condition_holds(uint32_t value, unsigned function, uint32_t reference)
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

static bool read_word(const struct simkmt_sdma_ring *ring, uint64_t address, uint32_t *out_value)
{
    pthread_rwlock_rdlock(&moving);
    const unsigned char *from =
        address % 4 == 0 ? sim_translate_range(ring->device, address, 4, false) : NULL;
    if (from)
        *out_value = __atomic_load_n((const uint32_t *)(const void *)from, __ATOMIC_SEQ_CST);
    pthread_rwlock_unlock(&moving);
    return from != NULL;
}

/* A store to the word wakes no thread, so it is polled at increasing intervals. */
static enum simkmt_sdma_result poll_word(const struct simkmt_sdma_ring *ring,
                                         const struct packet *packet, uint64_t *out_fault)
{
    unsigned function = bits(packet->words[0], 28, 3);
    uint64_t address = address_at(packet, 1);
    struct timespec pause = {0, LOOK_MIN_NS};
    if (!bits(packet->words[0], 31, 1) || function == 0)
        return SIMKMT_SDMA_DONE; /* a register, for caches of the host's bus: they are coherent */
    do {
        uint32_t value;
        if (!read_word(ring, address, &value)) {
            *out_fault = address;
            return SIMKMT_SDMA_FAULT;
        }
        if (condition_holds(value & packet->words[4], function, packet->words[3]))
            return SIMKMT_SDMA_DONE;
        nanosleep(&pause, NULL);
        pause.tv_nsec = pause.tv_nsec < LOOK_MAX_NS ? 2 * pause.tv_nsec : pause.tv_nsec;
    } while (!ring->stops(ring));
    return SIMKMT_SDMA_STOPPED;
}

static enum simkmt_sdma_result access_memory(const struct simkmt_sdma_ring *ring,
                                             const struct packet *packet, uint64_t *out_fault)
{
    switch (bits(packet->words[0], 0, 8)) {
    case OP_COPY:
        return bits(packet->words[0], 8, 8) == SUB_COPY_RECT ? copy_box(ring, packet, out_fault)
                                                             : copy_linear(ring, packet, out_fault);
    case OP_FENCE:
        return store(ring, address_at(packet, 1), packet->words[3], 4, out_fault);
    case OP_ATOMIC:
        return run_atomic(ring, packet, out_fault);
    case OP_FILL:
        return fill(ring, packet, out_fault);
    case OP_TIMESTAMP:
        return store(ring, address_at(packet, 1), amdgpu_clock(), 8, out_fault);
    default:
        return SIMKMT_SDMA_DONE; /* NOP; GCR: caches are coherent */
    }
}

static enum simkmt_sdma_result run(const struct simkmt_sdma_ring *ring, const struct packet *packet,
                                   uint64_t *out_fault)
{
    enum simkmt_sdma_result result = SIMKMT_SDMA_DONE;
    switch (bits(packet->words[0], 0, 8)) {
    case OP_TRAP:
        simkmt_interrupt(bits(packet->words[1], 0, 28));
        break;
    case OP_POLL:
        result = poll_word(ring, packet, out_fault);
        break;
    default:
        pthread_rwlock_rdlock(&moving);
        result = access_memory(ring, packet, out_fault);
        pthread_rwlock_unlock(&moving);
    }
    return result;
}

/* ---- the ring -------------------------------------------------------------------------- */

/* The number of words of the packet that begins with header; 0: the packet is invalid. */
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

static void read_words(const struct simkmt_sdma_ring *ring, uint64_t at, unsigned count,
                       uint32_t *out_words)
{
    for (unsigned i = 0; i < count; i++)
        memcpy(&out_words[i], ring->bytes + ((at + 4 * i) & (ring->size - 1)), 4);
}

enum simkmt_sdma_result simkmt_sdma_step(const struct simkmt_sdma_ring *ring, uint64_t at,
                                         uint64_t end, struct simkmt_sdma_packet *out_packet)
{
    struct packet packet = {{0}};
    *out_packet = (struct simkmt_sdma_packet){.size = 0};
    if (at % 4 != 0 || at > end || end - at < 4)
        return SIMKMT_SDMA_MALFORMED;
    read_words(ring, at, 1, packet.words);
    unsigned words = words_of(packet.words[0]);
    out_packet->header = packet.words[0];
    if (words == 0 || 4 * words > end - at)
        return SIMKMT_SDMA_MALFORMED;
    out_packet->size = 4 * words;
    read_words(ring, at, words < WORDS_MAX ? words : WORDS_MAX, packet.words);
    enum simkmt_sdma_result result = run(ring, &packet, &out_packet->fault);
    if (result == SIMKMT_SDMA_DONE && bits(packet.words[0], 0, 8) == OP_ATOMIC)
        out_packet->changed = address_at(&packet, 1);
    return result;
}
