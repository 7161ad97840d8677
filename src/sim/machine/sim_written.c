/* Owns which bytes of device memory were written: a bit for each. */
#include "sim_space.h"

bool sim_memory_tracking;
static _Atomic(uint64_t) *words; /* of the devices' part; a bit per byte */

void sim_memory_track_writes(bool on)
{
    sim_memory_tracking = on;
}

size_t sim_written_size(uint64_t device_size)
{
    return sim_memory_tracking ? device_size / 8 : 0;
}

void sim_written_open(void *memory)
{
    words = memory;
}

/* The bits of a word from first on, up to the end of size bytes; how many they are. */
static uint64_t bits_of(unsigned first, uint64_t size, uint64_t *out_count)
{
    uint64_t count = 64 - first < size ? 64 - first : size;
    *out_count = count;
    return (count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1) << first;
}

static bool tracked(uint64_t address, size_t size)
{
    return words && sim_is_device_address(address) &&
           size <= sim_space.device_size - (address - sim_space.base);
}

void sim_memory_wrote(uint64_t address, size_t size)
{
    if (!tracked(address, size))
        return;
    uint64_t at = address - sim_space.base, count;
    for (; size > 0; at += count, size -= count) {
        uint64_t bits = bits_of(at % 64, size, &count);
        if (~atomic_load_explicit(&words[at / 64], memory_order_relaxed) & bits)
            atomic_fetch_or_explicit(&words[at / 64], bits, memory_order_relaxed);
    }
}

bool sim_memory_written(uint64_t address, size_t size)
{
    if (!tracked(address, size))
        return true;
    uint64_t at = address - sim_space.base, count;
    for (; size > 0; at += count, size -= count) {
        uint64_t bits = bits_of(at % 64, size, &count);
        if (~atomic_load_explicit(&words[at / 64], memory_order_relaxed) & bits)
            return false;
    }
    return true;
}

/* address is a multiple of a granule, and the rest of the last one belongs to no allocation. */
void sim_written_clear(uint64_t address, uint64_t size)
{
    uint64_t first = address - sim_space.base;
    if (words && sim_is_device_address(address))
        sim_table_zero((void *)&words[first / 64], sim_round_up(size, SIM_GRANULE) / 8);
}
