/* Indirect buffers of PM4 packets of any content: each is done or refused, and touches no memory
 * but what it reaches. A word before NAME and that stand for an address. */
#include "fuzz.h"

#include "amdgpu_pm4.h"

#include <string.h>

enum { MEMORY = 40000, TARGET = 32768, NAME = 0xa5a5 };

static struct sim_memory *host;

uint64_t amdgpu_clock(void)
{
    return 77;
}

void amdgpu_code_discard(uint64_t address, size_t size)
{
    fuzz_check(address == 0 && size == SIZE_MAX);
}

static void open_world(void)
{
    static const size_t bytes[] = {64 << 20};
    fuzz_check(sim_space_open(bytes, 1));
    host = sim_memory_create(SIM_MEMORY_HOST, -1, MEMORY, 4096);
    fuzz_check(host);
}

/* Of what is behind the buffer. */
static void name_addresses(size_t size)
{
    for (size_t at = 0; at + 8 <= size; at += 4) {
        uint32_t words[2];
        memcpy(words, host->view + at, sizeof words);
        if (words[1] != NAME)
            continue;
        uint64_t address = host->address + TARGET + (words[0] & 0xffff);
        memcpy(host->view + at, &address, sizeof address);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!host)
        open_world();
    if (size < 4)
        return 0;
    uint32_t count;
    memcpy(&count, data, sizeof count);
    size_t used = size - 4 < TARGET ? (size - 4) / 4 * 4 : TARGET;
    memset(host->view, 0, MEMORY);
    memcpy(host->view, data + 4, used);
    name_addresses(used);
    const char *why = amdgpu_pm4_run(0, host->address, count % 8 ? (unsigned)used / 4 : count);
    fuzz_check(!why || why[0]);
    return 0;
}
