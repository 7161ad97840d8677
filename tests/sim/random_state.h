/* Numbers by which random programs are made, always the same ones. */
#ifndef TESTS_SIM_RANDOM_STATE_H
#define TESTS_SIM_RANDOM_STATE_H

#include <stdint.h>

/* From 0 to limit - 1; changes the state, which the number of a program begins. */
static inline uint32_t random_state_below(uint64_t *state, uint32_t limit)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(((*state >> 33) * limit) >> 31);
}

static inline uint64_t random_state_of(unsigned which)
{
    uint64_t state = which * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (unsigned i = 0; i < 8; i++)
        random_state_below(&state, 2);
    return state;
}

#endif
