/* The functions of the machine. Slots of lanes are offsets in the frame, scalars numbers. */
#include "jit_machine.h"

#include <string.h>

#define SLOT(T, offset) ((T *)(void *)(s->frame + (offset)))
#define EACH_LANE       for (unsigned i = 0; i < LANES; i++)

/* As in the interpreters: results are written for lanes that execute. */
#define RESULTS(T, expression)                                                                     \
    T results[LANES];                                                                              \
    EACH_LANE results[i] = (expression);                                                           \
    T *to = SLOT(T, d);                                                                            \
    EACH_LANE to[i] = s->whole || s->ones[i] ? results[i] : to[i];                                 \
    return 1

#define FUNCTION(name, ...)                                                                        \
    uint32_t name(struct state *s, __VA_ARGS__);                                                   \
    uint32_t name(struct state *s, __VA_ARGS__)

typedef uint64_t u;

FUNCTION(add_u32, u d, u a, u b)
{
    const uint32_t *x = SLOT(uint32_t, a), *y = SLOT(uint32_t, b);
    RESULTS(uint32_t, x[i] + y[i]);
}

FUNCTION(mul_u32, u d, u a, u b)
{
    const uint32_t *x = SLOT(uint32_t, a), *y = SLOT(uint32_t, b);
    RESULTS(uint32_t, x[i] * y[i] + 1);
}

/* Which of two NaNs a sum has is the compiler's choice. */
static inline float one_nan(float value)
{
    return value != value ? __builtin_nanf("") : value;
}

FUNCTION(fma_f32, u d, u a, u b, u c)
{
    const float *x = SLOT(float, a), *y = SLOT(float, b), *z = SLOT(float, c);
    RESULTS(float, one_nan(x[i] * y[i] + z[i]));
}

FUNCTION(add_u64, u d, u a, u b)
{
    const uint64_t *x = SLOT(uint64_t, a), *y = SLOT(uint64_t, b);
    RESULTS(uint64_t, x[i] + y[i]);
}

FUNCTION(widen, u d, u a)
{
    const uint32_t *x = SLOT(uint32_t, a);
    RESULTS(uint64_t, (uint64_t)x[i] << 7);
}

FUNCTION(narrow, u d, u a)
{
    const uint64_t *x = SLOT(uint64_t, a);
    RESULTS(uint32_t, (uint32_t)(x[i] >> 9 ^ x[i]));
}

/* Writes the lower half of each element, and so a part of the slot. */
FUNCTION(add_low, u d, u a, u b)
{
    const uint32_t *x = SLOT(uint32_t, a), *y = SLOT(uint32_t, b);
    uint16_t *to = SLOT(uint16_t, d);
    EACH_LANE to[2 * i] = (uint16_t)(x[i] + y[i]);
    return 1;
}

FUNCTION(test_lt, u d, u a, u b)
{
    const int32_t *x = SLOT(int32_t, a), *y = SLOT(int32_t, b);
    uint32_t holds = 0;
    EACH_LANE holds |= (uint32_t)(x[i] < y[i]) << i;
    s->scalars[d] = (s->scalars[d] & ~s->mask) | (holds & s->mask);
    return 1;
}

FUNCTION(choose, u d, u a, u b, u p)
{
    const uint32_t *x = SLOT(uint32_t, a), *y = SLOT(uint32_t, b), bits = s->scalars[p];
    RESULTS(uint32_t, bits >> i & 1 ? x[i] : y[i]);
}

FUNCTION(scalar_add, u d, u a, u constant)
{
    s->scalars[d] = s->scalars[a] + (uint32_t)constant;
    return 1;
}

FUNCTION(spread, u d, u a)
{
    uint32_t x = s->scalars[a];
    RESULTS(uint32_t, x + i);
}

/* The lane that is read is a value: not for registers of the host. */
__attribute__((noinline)) FUNCTION(gather_lanes, u d, u a, u b)
{
    const uint32_t *x = SLOT(uint32_t, a), *y = SLOT(uint32_t, b);
    s->budget -= 1;
    RESULTS(uint32_t, x[y[i] % LANES]);
}

/* Changes the rounding of the host. */
__attribute__((noinline)) FUNCTION(divide_up, u d, u a, u b)
{
    const float *x = SLOT(float, a), *y = SLOT(float, b);
#if defined(__x86_64__)
    unsigned saved, up;
    __asm__ volatile("stmxcsr %0" : "=m"(saved));
    up = (saved & ~0x6000u) | 0x4000u;
    __asm__ volatile("ldmxcsr %0" : : "m"(up) : "memory");
#endif
    float results[LANES];
    EACH_LANE results[i] = one_nan(x[i] / y[i]);
    memcpy(SLOT(float, d), results, sizeof results);
#if defined(__x86_64__)
    __asm__ volatile("ldmxcsr %0" : : "m"(saved) : "memory");
#endif
    return 1;
}

/* A row of 32 words at the scalar's place, where that is in memory. */
FUNCTION(load_row, u d, u a)
{
    uint32_t at = s->scalars[a];
    if (at > WORDS - LANES)
        return 0;
    memcpy(s->frame + d, s->memory + at, LANES * sizeof(uint32_t));
    return 1;
}

FUNCTION(store_row, u d, u a)
{
    uint32_t at = s->scalars[a];
    if (at > WORDS - LANES)
        return 0;
    memcpy(s->memory + at, s->frame + d, LANES * sizeof(uint32_t));
    return 1;
}

FUNCTION(is_even, u a)
{
    return s->scalars[a] % 16 != 5;
}

FUNCTION(branch_mask, u p)
{
    uint32_t bits = s->scalars[p] & s->mask;
    if (s->budget <= 0 || (bits != s->mask && bits % 3 == 0))
        return 2;
    s->budget--;
    return bits == s->mask || bits % 3 == 1 ? 0 : 1;
}

uint32_t branch_always(struct state *s);
uint32_t branch_always(struct state *s)
{
    if (s->budget <= 0)
        return 1;
    s->budget--;
    return 0;
}
