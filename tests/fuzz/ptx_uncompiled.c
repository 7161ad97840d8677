/* In the place of what compiles regions, for programs that do not need it: the interpreter executes
 * everything. */
#include "jit.h"

const struct wave_bitcode *ptx_wave_bitcode(void);

const struct wave_bitcode *ptx_wave_bitcode(void)
{
    return NULL;
}

enum jit_mode jit_mode(void)
{
    return JIT_OFF;
}

bool jit_is_eager(void)
{
    return false;
}

uint64_t jit_enough(uint64_t instructions)
{
    (void)instructions;
    return UINT64_MAX;
}

struct jit_region *jit_request(const struct wave_region *region,
                               void (*done)(void *data, jit_code code), void (*release)(void *data),
                               void *data)
{
    (void)region, (void)done, (void)release, (void)data;
    return NULL;
}

void jit_free(struct jit_region *region)
{
    (void)region;
}

void jit_finish(void) {}
