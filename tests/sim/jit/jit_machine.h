/* A small machine for tests of compiled regions: waves of 32 lanes, frames of slots of 4 and 8
 * bytes a lane, scalars in the state. jit_machine.c is compiled twice: for the tests, which execute
 * it as it is, and to bitcode. */
#ifndef JIT_MACHINE_H
#define JIT_MACHINE_H

#include "wave.h"

enum { LANES = 32, SCALARS = 8, WORDS = 256 };

struct state {
    unsigned char *frame;
    uint32_t mask;       /* constant */
    bool whole;          /* constant */
    int32_t ones[LANES]; /* constant */
    uint32_t *memory;    /* copied: WORDS words */
    int64_t budget;      /* kept */
    uint32_t scalars[SCALARS];
    uint32_t entry; /* of regions with several */
    /* What follows is not of the machine. */
    uint32_t calls;   /* of handlers */
    const void *last; /* op of a handler */
};

/* Every function of the machine, the kind of its instructions, and what its arguments are: d and a
 * slots of words that are written and read, D and A wide ones, S and s scalars, m a slot that is
 * both written and read, c a constant. */
#define MACHINE_FUNCTIONS(ROW)                                                                     \
    ROW(add_u32, EFFECT, "daa")                                                                    \
    ROW(mul_u32, EFFECT, "daa")                                                                    \
    ROW(fma_f32, EFFECT, "daaa")                                                                   \
    ROW(add_u64, EFFECT, "DAA")                                                                    \
    ROW(widen, EFFECT, "Da")                                                                       \
    ROW(narrow, EFFECT, "dA")                                                                      \
    ROW(add_low, EFFECT, "maa")                                                                    \
    ROW(test_lt, EFFECT, "Saa")                                                                    \
    ROW(choose, EFFECT, "daas")                                                                    \
    ROW(scalar_add, EFFECT, "Ssc")                                                                 \
    ROW(spread, EFFECT, "ds")                                                                      \
    ROW(gather_lanes, EFFECT, "daa")                                                               \
    ROW(divide_up, EFFECT, "daa")                                                                  \
    ROW(load_row, ATTEMPT, "ds")                                                                   \
    ROW(store_row, ATTEMPT, "as")                                                                  \
    ROW(is_even, GUARD, "s")                                                                       \
    ROW(branch_mask, BRANCH, "s")                                                                  \
    ROW(branch_always, BRANCH, "")

#endif
