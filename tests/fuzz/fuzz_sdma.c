/* SDMA packets of any content in a ring, with a device's memory and the host's to name: whatever
 * they say, each is done, refused or stopped, and touches no other memory.
 *
 * The first byte says how long packets may take. What follows is the ring: a word before NAME and
 * that stand for an address. */
#include "fuzz.h"
#include "simkmt_sdma.h"

#include "amdgpu.h"
#include "amdgpu_queue.h"

#include <string.h>

enum { RING = 4096, MEMORY = 40000, PACKETS = 64, NAME = 0xa5a5 };

static unsigned char ring_bytes[RING];
static struct sim_memory *host, *device;
static unsigned patience, interrupts, changes;

uint64_t amdgpu_clock(void)
{
    return 77;
}

void amdgpu_signals_changed(void)
{
    changes++;
}

void simkmt_interrupt(uint32_t event)
{
    fuzz_check(event < 1u << 28);
    interrupts++;
}

static bool stops(const struct simkmt_sdma_ring *ring)
{
    fuzz_check(ring->bytes == ring_bytes);
    return patience == 0 || --patience == 0;
}

static void open_world(void)
{
    static const size_t bytes[] = {64 << 20};
    fuzz_check(sim_space_open(bytes, 1));
    host = sim_memory_create(SIM_MEMORY_HOST, -1, MEMORY, 4096);
    device = sim_memory_create(SIM_MEMORY_DEVICE, 0, MEMORY, 4096);
    fuzz_check(host && device);
}

/* Numbers above 64 KiB are of the device's memory. */
static void name_addresses(void)
{
    for (size_t at = 0; at + 8 <= RING; at += 4) {
        uint32_t words[2];
        memcpy(words, ring_bytes + at, sizeof words);
        if (words[1] != NAME)
            continue;
        uint64_t address = (words[0] >> 16 ? device : host)->address + (words[0] & 0xffff);
        memcpy(ring_bytes + at, &address, sizeof address);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!host)
        open_world();
    if (size < 5)
        return 0;
    patience = data[0] % 8;
    size_t used = size - 1 < RING ? (size - 1) / 4 * 4 : RING;
    memset(ring_bytes, 0, sizeof ring_bytes);
    memcpy(ring_bytes, data + 1, used);
    name_addresses();
    struct simkmt_sdma_ring ring = {0, ring_bytes, RING, stops};
    uint64_t at = 0, end = used + (data[0] & 0x80 ? RING : 0);
    for (int i = 0; i < PACKETS && at < end; i++) {
        struct simkmt_sdma_packet packet;
        enum simkmt_sdma_result result = simkmt_sdma_step(&ring, at, end, &packet);
        if (result != SIMKMT_SDMA_DONE)
            break;
        fuzz_check(packet.size >= 4 && packet.size % 4 == 0 && packet.size <= end - at);
        at += packet.size;
    }
    simkmt_sdma_suspend(); /* which a packet that kept the lock would make hang */
    simkmt_sdma_resume();
    return 0;
}
