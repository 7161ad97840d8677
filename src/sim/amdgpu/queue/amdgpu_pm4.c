/* Owns indirect buffers of PM4 packets, which runtimes send in vendor packets to control caches.
 * Simulated devices have no caches but that of decoded code.
 *
 * Source: "PM4 Type-3 packets" of AMD's register documentation, as its runtime builds them. */
#include "amdgpu_pm4.h"

#include <string.h>

enum { /* opcodes of type-3 packets */
       IT_NOP = 0x10,
       IT_RELEASE_MEM = 0x49,
       IT_ACQUIRE_MEM = 0x58,
       ACQUIRE_WORDS_GFX9 = 7,
       RELEASE_WORDS = 7,
       WORDS_MAX = 1 << 12,
};
enum { STORE_NOTHING, STORE_32, STORE_64, STORE_CLOCK }; /* of RELEASE_MEM */

#define COHER_ICACHE    (1u << 29) /* ACQUIRE_MEM, word 1: gfx9 and older */
#define GCR_ICACHE_MASK 3u         /* ACQUIRE_MEM, word 7: gfx10 and newer */

static const char *acquire(const uint32_t *words, unsigned count)
{
    if (count < ACQUIRE_WORDS_GFX9)
        return "an ACQUIRE_MEM packet is too short";
    bool invalidate = words[1] & COHER_ICACHE;
    if (count > ACQUIRE_WORDS_GFX9)
        invalidate |= (words[7] & GCR_ICACHE_MASK) != 0;
    if (invalidate)
        amdgpu_code_discard(0, SIZE_MAX);
    return NULL;
}

static const char *release(int device, const uint32_t *words, unsigned count)
{
    unsigned store = count >= RELEASE_WORDS ? words[2] >> 29 : STORE_NOTHING;
    uint64_t address, value;
    if (store == STORE_NOTHING)
        return NULL;
    address = words[3] | (uint64_t)words[4] << 32;
    value = store == STORE_CLOCK ? amdgpu_clock() : words[5] | (uint64_t)words[6] << 32;
    size_t size = store == STORE_32 ? 4 : 8;
    unsigned char *view = address % size == 0 && store <= STORE_CLOCK
                              ? sim_translate(device, address, size, true)
                              : NULL;
    if (!view)
        return "a RELEASE_MEM packet writes to memory that does not exist";
    if (size == 4)
        __atomic_store_n((uint32_t *)(void *)view, (uint32_t)value, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n((uint64_t *)(void *)view, value, __ATOMIC_SEQ_CST);
    return NULL;
}

const char *amdgpu_pm4_run(int device, uint64_t address, unsigned count)
{
    uint32_t words[WORDS_MAX];
    const unsigned char *view = NULL;
    if (address % 4 == 0 && count <= WORDS_MAX)
        view = sim_translate_range(device, address, 4 * (size_t)count, false);
    if (!view)
        return "an indirect buffer is too long, or not in memory that the device can read";
    memcpy(words, view, 4 * (size_t)count);
    for (unsigned at = 0, size; at < count; at += size) {
        const char *why = NULL;
        size = (words[at] >> 16 & 0x3fff) + 2;
        if (words[at] >> 30 != 3 || size > count - at)
            return "a PM4 packet is too long, or not of type 3";
        switch (words[at] >> 8 & 0xff) {
        case IT_NOP:
            break;
        case IT_ACQUIRE_MEM:
            why = acquire(words + at, size);
            break;
        case IT_RELEASE_MEM:
            why = release(device, words + at, size);
            break;
        default:
            why = "a PM4 packet has an unsupported opcode";
        }
        if (why)
            return why;
    }
    return NULL;
}
