/* atom and red. In shared memory (and in a thread's local memory, which generic addresses can be
 * in) they are ordinary operations, since a block runs on one thread of the host; in other memory
 * they are atomics of the host, which host code and other devices may use at the same time. */
#include "ptx_memory.h"
#include "sim_half.h"

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

/* ---- one element ------------------------------------------------------------------------ */

#define ATOMIC(id, operation, ptx_type, value, effect)                                             \
    __attribute__((no_sanitize("thread"))) static void element_##id(                               \
        unsigned char *where, const unsigned char *b_bytes, const unsigned char *c_bytes,          \
        unsigned char *out_old, bool shared)                                                       \
    {                                                                                              \
        value *place = (value *)(void *)where, b, old, next;                                       \
        (void)c_bytes;                                                                             \
        memcpy(&b, b_bytes, sizeof b);                                                             \
        old = __atomic_load_n(place, __ATOMIC_RELAXED);                                            \
        do                                                                                         \
            next = (value)(effect);                                                                \
        while (!shared && !__atomic_compare_exchange_n(place, &old, next, false, __ATOMIC_SEQ_CST, \
                                                       __ATOMIC_RELAXED));                         \
        if (shared)                                                                                \
            __atomic_store_n(place, next, __ATOMIC_RELAXED);                                       \
        memcpy(out_old, &old, sizeof old);                                                         \
    }
#include "ptx_atomic.def"
#undef ATOMIC

static void cas_2(unsigned char *where, const unsigned char *b, const unsigned char *c,
                  unsigned char *out_old, bool shared)
{
    uint16_t old, next;
    (void)shared;
    memcpy(&old, b, sizeof old);
    memcpy(&next, c, sizeof next);
    __atomic_compare_exchange_n((uint16_t *)(void *)where, &old, next, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    memcpy(out_old, &old, sizeof old);
}

static void cas_4(unsigned char *where, const unsigned char *b, const unsigned char *c,
                  unsigned char *out_old, bool shared)
{
    uint32_t old, next;
    (void)shared;
    memcpy(&old, b, sizeof old);
    memcpy(&next, c, sizeof next);
    __atomic_compare_exchange_n((uint32_t *)(void *)where, &old, next, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    memcpy(out_old, &old, sizeof old);
}

static void cas_8(unsigned char *where, const unsigned char *b, const unsigned char *c,
                  unsigned char *out_old, bool shared)
{
    uint64_t old, next;
    (void)shared;
    memcpy(&old, b, sizeof old);
    memcpy(&next, c, sizeof next);
    __atomic_compare_exchange_n((uint64_t *)(void *)where, &old, next, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    memcpy(out_old, &old, sizeof old);
}

/* Every x86-64 that runs this has cmpxchg16b, which the compiler does not assume. */
#ifdef __x86_64__
__attribute__((target("cx16")))
#endif
static void
cas_16(unsigned char *where, const unsigned char *b, const unsigned char *c, unsigned char *out_old,
       bool shared)
{
    unsigned __int128 expected, next, old;
    (void)shared;
    memcpy(&expected, b, sizeof expected);
    memcpy(&next, c, sizeof next);
    old = __sync_val_compare_and_swap((unsigned __int128 *)(void *)where, expected, next);
    memcpy(out_old, &old, sizeof old);
}

static void exch_16(unsigned char *where, const unsigned char *b, const unsigned char *c,
                    unsigned char *out_old, bool shared)
{
    unsigned char expected[16] = {0};
    (void)c;
    for (;;) {
        cas_16(where, expected, b, out_old, shared);
        if (memcmp(out_old, expected, sizeof expected) == 0)
            return;
        memcpy(expected, out_old, sizeof expected);
    }
}

/* What contention is worth one instruction of the host for. */
static void exact_add_4(unsigned char *where, const unsigned char *b, const unsigned char *c,
                        unsigned char *out_old, bool shared)
{
    uint32_t addend, old;
    memcpy(&addend, b, sizeof addend);
    if (shared) {
        element_ADD_U32(where, b, c, out_old, shared);
        return;
    }
    old = __atomic_fetch_add((uint32_t *)(void *)where, addend, __ATOMIC_SEQ_CST);
    memcpy(out_old, &old, sizeof old);
}

static void exact_add_8(unsigned char *where, const unsigned char *b, const unsigned char *c,
                        unsigned char *out_old, bool shared)
{
    uint64_t addend, old;
    memcpy(&addend, b, sizeof addend);
    if (shared) {
        element_ADD_U64(where, b, c, out_old, shared);
        return;
    }
    old = __atomic_fetch_add((uint64_t *)(void *)where, addend, __ATOMIC_SEQ_CST);
    memcpy(out_old, &old, sizeof old);
}

/* ---- the op -------------------------------------------------------------------------------- */

static bool is_within(const unsigned char *where, const unsigned char *start, size_t size)
{
    return (uintptr_t)where - (uintptr_t)start < size;
}

static void one_lane(struct ptx_warp *warp, const struct ptx_atomic *atomic, unsigned lane,
                     unsigned char *where)
{
    bool shared = atomic->access.space == PTX_SHARED ||
                  (atomic->access.space == PTX_GENERIC &&
                   (is_within(where, warp->shared, warp->shared_size) ||
                    is_within(where, warp->local, ptx_local_size(warp->local_stride))));
    size_t column = (size_t)lane * atomic->width, size = atomic->access.size;
    unsigned char old[PTX_VECTOR_MAX][16];
    for (unsigned i = 0; i < atomic->access.count; i++)
        atomic->element(where + i * size, warp->regs + atomic->access.slots[i] + column,
                        warp->regs + atomic->c + column, old[i], shared);
    /* A destination may be the register of a later element's operand. */
    for (unsigned i = 0; atomic->returns && i < atomic->access.count; i++)
        memcpy(warp->regs + atomic->d[i] + column, old[i], size);
}

/* All lanes add to one address and none uses the previous value. */
static bool add_up(struct ptx_warp *warp, const struct ptx_atomic *atomic,
                   unsigned char *const where[PTX_LANES])
{
    unsigned first = (unsigned)__builtin_ctz(warp->mask), size = atomic->width;
    uint64_t sum = 0;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (where[lane] != where[first])
            return false;
        uint64_t value = 0;
        memcpy(&value, warp->regs + atomic->access.slots[0] + lane * size, size);
        sum += value;
    }
    unsigned char bytes[8], old[8];
    memcpy(bytes, &sum, sizeof bytes); /* little-endian: the low bytes come first */
    atomic->element(where[first], bytes, bytes, old, atomic->access.space == PTX_SHARED);
    return true;
}

const struct ptx_op *ptx_run_atomic(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_atomic *atomic = op->extra;
    uint64_t at[PTX_LANES];
    unsigned char *where[PTX_LANES];
    ptx_access_addresses(warp, &atomic->access, at);
    if (!ptx_access_pointers(warp, op, &atomic->access, at, where))
        return NULL;
    if (atomic->sums && !atomic->returns && add_up(warp, atomic, where))
        return op + 1;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        one_lane(warp, atomic, lane, where[lane]);
    }
    return op + 1;
}

/* ---- by name ------------------------------------------------------------------------ */

static const struct {
    const char *operation;
    enum ptx_type type;
    ptx_element element;
} elements[] = {
    {"add", PTX_U32, exact_add_4},
    {"add", PTX_S32, exact_add_4},
    {"add", PTX_U64, exact_add_8},
    {"add", PTX_S64, exact_add_8},
    {"exch", PTX_U32, element_EXCH_B32},
    {"exch", PTX_S32, element_EXCH_B32},
    {"exch", PTX_F32, element_EXCH_B32},
    {"exch", PTX_U64, element_EXCH_B64},
    {"exch", PTX_B128, exch_16},
    {"cas", PTX_B16, cas_2},
    {"cas", PTX_B32, cas_4},
    {"cas", PTX_U32, cas_4},
    {"cas", PTX_S32, cas_4},
    {"cas", PTX_B64, cas_8},
    {"cas", PTX_U64, cas_8},
    {"cas", PTX_B128, cas_16},
#define ATOMIC(id, operation, type, value, effect) {operation, type, element_##id},
#include "ptx_atomic.def"
#undef ATOMIC
};

bool ptx_atomic_find(const char *operation, enum ptx_type type, struct ptx_atomic *atomic)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (elements[i].type == type && strcmp(elements[i].operation, operation) == 0) {
            atomic->element = elements[i].element;
            atomic->sums = elements[i].element == exact_add_4 || elements[i].element == exact_add_8;
            return true;
        }
    return false;
}
