/* atom and red. In shared memory (and in a thread's local memory, which generic addresses can be
 * in) they are ordinary operations, since a block runs on one thread of the host; in other memory
 * they are atomics of the host, which host code and other devices may use at the same time. */
#include "ptx_memory.h"
#include "sim_half.h"
#include "sim_lines.h"

#include <math.h>
#include <string.h>

/* ---- arithmetic ---------------------------------------------------------------------- */

/* As PTX has it: of all NaNs one. */
static uint32_t bits_of(float value)
{
    return value != value ? 0x7fffffff : sim_bits_of(value);
}

static uint32_t flushed(uint32_t bits)
{
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

/* Global memory flushes subnormals, shared memory does not. */
static uint32_t add_f32(uint32_t a, uint32_t b, bool flush)
{
    if (!flush)
        return bits_of(sim_float_of(a) + sim_float_of(b));
    return flushed(bits_of(sim_float_of(flushed(a)) + sim_float_of(flushed(b))));
}

/* Of NaNs the second is the result, or else the first; in shared memory quiet. */
static uint64_t add_f64(uint64_t a, uint64_t b, bool shared)
{
    double x = sim_double_of(a), y = sim_double_of(b), sum = x + y;
    uint64_t quiet = shared ? UINT64_C(1) << 51 : 0;
    if (x != x || y != y)
        return (y != y ? b : a) | quiet;
    return sum != sum ? UINT64_C(0xfff8000000000000) : sim_bits_of_double(sum);
}

static uint16_t narrow_f16(float value)
{
    return value != value ? 0x7fff : sim_narrow_half(value);
}

static uint16_t narrow_bf16(float value)
{
    return value != value ? 0x7fff : sim_narrow_bfloat(value);
}

/* min and max prefer numbers to NaNs; -0 is less than +0. */
static float combined(float a, float b, char how)
{
    if (how == '+')
        return a + b;
    if (a != a || b != b)
        return a != a ? b : a;
    bool less = a < b || (a == b && signbit(a) && !signbit(b));
    return less == (how == '<') ? a : b;
}

static uint16_t combine_f16(uint16_t a, uint16_t b, char how)
{
    return narrow_f16(combined(sim_widen_half(a), sim_widen_half(b), how));
}

static uint16_t combine_bf16(uint16_t a, uint16_t b, char how)
{
    return narrow_bf16(combined(sim_widen_bfloat(a), sim_widen_bfloat(b), how));
}

static uint32_t combine_pair(uint32_t a, uint32_t b, char how,
                             uint16_t (*combine)(uint16_t a, uint16_t b, char how))
{
    uint32_t high = combine((uint16_t)(a >> 16), (uint16_t)(b >> 16), how);
    return high << 16 | combine((uint16_t)a, (uint16_t)b, how);
}

/* ---- one place --------------------------------------------------------------------------- */

/* Lanes with one address in the order of their numbers: each sees what the one before it has left,
 * and memory sees one exchange. */
#define ATOMIC(id, operation, ptx_type, value, effect)                                             \
    __attribute__((no_sanitize("thread"))) static void element_##id(                               \
        unsigned char *where, uint32_t lanes, const unsigned char *b_slot,                         \
        const unsigned char *c_slot, unsigned char *out_old, bool shared)                          \
    {                                                                                              \
        value *place = (value *)(void *)where, *olds = (value *)(void *)out_old, found, next;      \
        const value *values = (const value *)(const void *)b_slot;                                 \
        (void)c_slot;                                                                              \
        found = __atomic_load_n(place, __ATOMIC_RELAXED);                                          \
        do {                                                                                       \
            next = found;                                                                          \
            for (uint32_t left = lanes; left; left &= left - 1) {                                  \
                unsigned lane = (unsigned)__builtin_ctz(left);                                     \
                value old = next, b = values[lane];                                                \
                olds[lane] = old;                                                                  \
                next = (value)(effect);                                                            \
            }                                                                                      \
        } while (!shared && !__atomic_compare_exchange_n(place, &found, next, false,               \
                                                         __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));     \
        if (shared)                                                                                \
            __atomic_store_n(place, next, __ATOMIC_RELAXED);                                       \
    }
#include "ptx_atomic.def"
#undef ATOMIC

/* One that fails does not write. */
#define COMPARE_AND_SWAP(value)                                                                    \
    const value *b = (const value *)(const void *)b_slot;                                          \
    const value *c = (const value *)(const void *)c_slot;                                          \
    value *olds = (value *)(void *)out_old;                                                        \
    (void)shared;                                                                                  \
    for (uint32_t left = lanes; left; left &= left - 1) {                                          \
        unsigned lane = (unsigned)__builtin_ctz(left);                                             \
        olds[lane] = b[lane];                                                                      \
        __atomic_compare_exchange_n((value *)(void *)where, &olds[lane], c[lane], false,           \
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                           \
    }

static void cas_2(unsigned char *where, uint32_t lanes, const unsigned char *b_slot,
                  const unsigned char *c_slot, unsigned char *out_old, bool shared)
{
    COMPARE_AND_SWAP(uint16_t)
}

static void cas_4(unsigned char *where, uint32_t lanes, const unsigned char *b_slot,
                  const unsigned char *c_slot, unsigned char *out_old, bool shared)
{
    COMPARE_AND_SWAP(uint32_t)
}

static void cas_8(unsigned char *where, uint32_t lanes, const unsigned char *b_slot,
                  const unsigned char *c_slot, unsigned char *out_old, bool shared)
{
    COMPARE_AND_SWAP(uint64_t)
}
#undef COMPARE_AND_SWAP

/* Every x86-64 that runs this has cmpxchg16b, which the compiler does not assume. */
#ifdef __x86_64__
__attribute__((target("cx16")))
#endif
static void
swap_16(unsigned char *where, const unsigned char *b, const unsigned char *c,
        unsigned char *out_old)
{
    unsigned __int128 expected, next, old;
    memcpy(&expected, b, sizeof expected);
    memcpy(&next, c, sizeof next);
    old = __sync_val_compare_and_swap((unsigned __int128 *)(void *)where, expected, next);
    memcpy(out_old, &old, sizeof old);
}

static void cas_16(unsigned char *where, uint32_t lanes, const unsigned char *b_slot,
                   const unsigned char *c_slot, unsigned char *out_old, bool shared)
{
    (void)shared;
    for (uint32_t left = lanes; left; left &= left - 1) {
        size_t column = (size_t)__builtin_ctz(left) * 16;
        swap_16(where, b_slot + column, c_slot + column, out_old + column);
    }
}

static void exchange_16(unsigned char *where, const unsigned char *b, unsigned char *out_old)
{
    unsigned char expected[16] = {0};
    for (;;) {
        swap_16(where, expected, b, out_old);
        if (memcmp(out_old, expected, sizeof expected) == 0)
            return;
        memcpy(expected, out_old, sizeof expected);
    }
}

static void exch_16(unsigned char *where, uint32_t lanes, const unsigned char *b_slot,
                    const unsigned char *c_slot, unsigned char *out_old, bool shared)
{
    (void)c_slot;
    (void)shared;
    for (uint32_t left = lanes; left; left &= left - 1) {
        size_t column = (size_t)__builtin_ctz(left) * 16;
        exchange_16(where, b_slot + column, out_old + column);
    }
}

/* What contention is worth one instruction of the host for, which cannot fail: olds follow from the
 * sums of the lanes before. */
#define EXACT_ADD(value)                                                                           \
    const value *values = (const value *)(const void *)b_slot;                                     \
    value *olds = (value *)(void *)out_old, sum = 0;                                               \
    for (uint32_t left = lanes; left; left &= left - 1) {                                          \
        unsigned lane = (unsigned)__builtin_ctz(left);                                             \
        olds[lane] = sum;                                                                          \
        sum += values[lane];                                                                       \
    }                                                                                              \
    value found = __atomic_fetch_add((value *)(void *)where, sum, __ATOMIC_SEQ_CST);               \
    for (uint32_t left = lanes; left; left &= left - 1)                                            \
        olds[__builtin_ctz(left)] += found;

static void exact_add_4(unsigned char *where, uint32_t lanes, const unsigned char *b_slot,
                        const unsigned char *c_slot, unsigned char *out_old, bool shared)
{
    if (shared) {
        element_ADD_U32(where, lanes, b_slot, c_slot, out_old, shared);
        return;
    }
    EXACT_ADD(uint32_t)
}

static void exact_add_8(unsigned char *where, uint32_t lanes, const unsigned char *b_slot,
                        const unsigned char *c_slot, unsigned char *out_old, bool shared)
{
    if (shared) {
        element_ADD_U64(where, lanes, b_slot, c_slot, out_old, shared);
        return;
    }
    EXACT_ADD(uint64_t)
}
#undef EXACT_ADD

/* ---- sums of several lanes at one place --------------------------------------------------------
 *
 * Each sum waits for the one before it. In a register of its own kind that is the addition alone,
 * without the rare cases: a NaN remains one to the last sum, and a subnormal is found beside the
 * additions. Those are left to what adds one by one. */

static bool is_subnormal(uint32_t bits)
{
    return (bits << 1) - 1 < 0x00ffffff;
}

static bool sums_f32(uint32_t found, uint32_t lanes, const uint32_t *values, uint32_t *olds,
                     bool flush, uint32_t *out_next)
{
    float sum = sim_float_of(found);
    bool rare = is_subnormal(found);
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        olds[lane] = sim_bits_of(sum);
        sum += sim_float_of(values[lane]);
        rare |= is_subnormal(values[lane]) | is_subnormal(sim_bits_of(sum));
    }
    *out_next = sim_bits_of(sum);
    return sum == sum && !(flush && rare);
}

static bool sums_f64(uint64_t found, uint32_t lanes, const uint64_t *values, uint64_t *olds,
                     bool flush, uint64_t *out_next)
{
    double sum = sim_double_of(found);
    (void)flush;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        olds[lane] = sim_bits_of_double(sum);
        sum += sim_double_of(values[lane]);
    }
    *out_next = sim_bits_of_double(sum);
    return sum == sum;
}

#define SEVERAL(id, value, sums)                                                                   \
    __attribute__((no_sanitize("thread"))) static void several_##id(                               \
        unsigned char *where, uint32_t lanes, const unsigned char *b_slot,                         \
        const unsigned char *c_slot, unsigned char *out_old, bool shared)                          \
    {                                                                                              \
        value *place = (value *)(void *)where, *olds = (value *)(void *)out_old, found, next;      \
        const value *values = (const value *)(const void *)b_slot;                                 \
        found = __atomic_load_n(place, __ATOMIC_RELAXED);                                          \
        do {                                                                                       \
            if ((lanes & (lanes - 1)) == 0 || !sums(found, lanes, values, olds, !shared, &next)) { \
                element_##id(where, lanes, b_slot, c_slot, out_old, shared);                       \
                return;                                                                            \
            }                                                                                      \
        } while (!shared && !__atomic_compare_exchange_n(place, &found, next, false,               \
                                                         __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));     \
        if (shared)                                                                                \
            __atomic_store_n(place, next, __ATOMIC_RELAXED);                                       \
    }
SEVERAL(ADD_F32, uint32_t, sums_f32)
SEVERAL(ADD_F64, uint64_t, sums_f64)
#undef SEVERAL

/* ---- places of their own, in shared memory ------------------------------------------------------
 */

/* effect: what is written, of old, b and c. */
#define EACH(id, value, effect)                                                                    \
    __attribute__((no_sanitize("thread"))) static void each_##id(                                  \
        unsigned char *const *where, size_t shift, uint32_t lanes, const unsigned char *b_slot,    \
        const unsigned char *c_slot, unsigned char *out_old)                                       \
    {                                                                                              \
        const value *b_values = (const value *)(const void *)b_slot;                               \
        const value *c_values = (const value *)(const void *)c_slot;                               \
        const bool shared = true;                                                                  \
        (void)shared, (void)c_values;                                                              \
        for (; lanes; lanes &= lanes - 1) {                                                        \
            unsigned lane = (unsigned)__builtin_ctz(lanes);                                        \
            value *place = (value *)(void *)(where[lane] + shift), old = *place;                   \
            const value b = b_values[lane];                                                        \
            *place = (value)(effect);                                                              \
            ((value *)(void *)out_old)[lane] = old;                                                \
        }                                                                                          \
    }
#define ATOMIC(id, operation, ptx_type, value, effect) EACH(id, value, effect)
#include "ptx_atomic.def"
#undef ATOMIC
EACH(CAS_B16, uint16_t, old == b ? c_values[lane] : old)
EACH(CAS_B32, uint32_t, old == b ? c_values[lane] : old)
EACH(CAS_B64, uint64_t, old == b ? c_values[lane] : old)
#undef EACH

/* ---- the op -------------------------------------------------------------------------------- */

static bool is_within(const unsigned char *where, const unsigned char *start, size_t size)
{
    return (uintptr_t)where - (uintptr_t)start < size;
}

static bool is_shared(const struct ptx_warp *warp, const struct ptx_access *access,
                      const unsigned char *where)
{
    return access->space == PTX_SHARED ||
           (access->space == PTX_GENERIC &&
            (is_within(where, warp->shared, warp->shared_size) ||
             is_within(where, warp->local, ptx_local_size(warp->local_stride))));
}

static void write_old(struct ptx_warp *warp, uint32_t slot, unsigned width,
                      const unsigned char *old)
{
    if (warp->mask == UINT32_MAX) {
        memcpy(warp->regs + slot, old, (size_t)PTX_LANES * width);
        return;
    }
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        size_t column = (size_t)__builtin_ctz(left) * width;
        memcpy(warp->regs + slot + column, old + column, width);
    }
}

/* Lanes with one address that follow each other together. */
static void run_elements(const struct ptx_warp *warp, const struct ptx_atomic *atomic,
                         unsigned char *const *where, unsigned char old[][PTX_LANES * 16])
{
    const struct ptx_access *access = &atomic->access;
    for (uint32_t left = warp->mask, lanes; left; left &= ~lanes) {
        lanes = (uint32_t)sim_neighbours(where, left);
        unsigned char *place = where[__builtin_ctz(lanes)];
        bool shared = is_shared(warp, access, place);
        for (unsigned i = 0; i < access->count; i++)
            atomic->element(place + i * access->size, lanes, warp->regs + access->slots[i],
                            warp->regs + atomic->c, old[i], shared);
    }
}

const struct ptx_op *ptx_run_atomic(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_atomic *atomic = op->extra;
    const struct ptx_access *access = &atomic->access;
    uint64_t at[PTX_LANES];
    unsigned char *where[PTX_LANES];
    _Alignas(64) unsigned char old[PTX_VECTOR_MAX][PTX_LANES * 16];
    ptx_access_addresses(warp, access, at);
    if (!ptx_access_pointers(warp, op, access, at, where))
        return NULL;
    const uint32_t first = (uint32_t)sim_neighbours(where, warp->mask);
    if (access->space != PTX_SHARED && first != warp->mask)
        sim_fetch_lines(where, warp->mask);
    if (access->space == PTX_SHARED && atomic->each && !(first & (first - 1)))
        for (unsigned i = 0; i < access->count; i++)
            atomic->each(where, i * access->size, warp->mask, warp->regs + access->slots[i],
                         warp->regs + atomic->c, old[i]);
    else
        run_elements(warp, atomic, where, old);
    /* A destination may be the register of a later element's operand. */
    for (unsigned i = 0; atomic->returns && i < access->count; i++)
        write_old(warp, atomic->d[i], atomic->width, old[i]);
    return op + 1;
}

/* ---- by name ------------------------------------------------------------------------ */

static const struct {
    const char *operation;
    enum ptx_type type;
    ptx_element element;
    ptx_each_element each;
} elements[] = {
    {"add", PTX_U32, exact_add_4, each_ADD_U32},
    {"add", PTX_S32, exact_add_4, each_ADD_U32},
    {"add", PTX_U64, exact_add_8, each_ADD_U64},
    {"add", PTX_S64, exact_add_8, each_ADD_U64},
    {"add", PTX_F32, several_ADD_F32, each_ADD_F32},
    {"add", PTX_F64, several_ADD_F64, each_ADD_F64},
    {"exch", PTX_U32, element_EXCH_B32, each_EXCH_B32},
    {"exch", PTX_S32, element_EXCH_B32, each_EXCH_B32},
    {"exch", PTX_F32, element_EXCH_B32, each_EXCH_B32},
    {"exch", PTX_U64, element_EXCH_B64, each_EXCH_B64},
    {"exch", PTX_B128, exch_16, NULL},
    {"cas", PTX_B16, cas_2, each_CAS_B16},
    {"cas", PTX_B32, cas_4, each_CAS_B32},
    {"cas", PTX_U32, cas_4, each_CAS_B32},
    {"cas", PTX_S32, cas_4, each_CAS_B32},
    {"cas", PTX_B64, cas_8, each_CAS_B64},
    {"cas", PTX_U64, cas_8, each_CAS_B64},
    {"cas", PTX_B128, cas_16, NULL},
#define ATOMIC(id, operation, type, value, effect) {operation, type, element_##id, each_##id},
#include "ptx_atomic.def"
#undef ATOMIC
};

bool ptx_atomic_find(const char *operation, enum ptx_type type, struct ptx_atomic *atomic)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (elements[i].type == type && strcmp(elements[i].operation, operation) == 0) {
            atomic->element = elements[i].element;
            atomic->each = elements[i].each;
            return true;
        }
    return false;
}
