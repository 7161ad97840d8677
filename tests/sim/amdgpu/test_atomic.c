/* Atomics of every format and type, against what each is to do; alignment, threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hand_access.h"

#include <math.h>
#include <pthread.h>

/* ---- what each does ------------------------------------------------------------------- */

enum effect {
    ADD,
    SUB,
    RSUB,
    CSUB,
    INC,
    DEC,
    MINS,
    MINU,
    MAXS,
    MAXU,
    AND,
    OR,
    XOR,
    SWAP,
    CMPSWAP,
    MSKOR,
    WRAP,
    CONDXCHG,
    FADD,
    FMIN,
    FMAX,
    FCMPSWAP,
    PKADD16,
    PKADDBF
};

/* old_name: of gfx9 and gfx10; NULL where they have none. ds: without ds_ and _rtn. */
static const struct row {
    enum effect effect;
    unsigned bytes;
    const char *old_name, *new_name, *old_ds, *new_ds;
} rows[] = {
    {ADD, 4, "add", "add_u32", "add_u32", "add_u32"},
    {ADD, 8, "add_x2", "add_u64", "add_u64", "add_u64"},
    {SUB, 4, "sub", "sub_u32", "sub_u32", "sub_u32"},
    {SUB, 8, "sub_x2", "sub_u64", "sub_u64", "sub_u64"},
    {RSUB, 4, NULL, NULL, "rsub_u32", "rsub_u32"},
    {RSUB, 8, NULL, NULL, "rsub_u64", "rsub_u64"},
    {CSUB, 4, "csub", "csub_u32", NULL, NULL},
    {INC, 4, "inc", "inc_u32", "inc_u32", "inc_u32"},
    {INC, 8, "inc_x2", "inc_u64", "inc_u64", "inc_u64"},
    {DEC, 4, "dec", "dec_u32", "dec_u32", "dec_u32"},
    {DEC, 8, "dec_x2", "dec_u64", "dec_u64", "dec_u64"},
    {MINS, 4, "smin", "min_i32", "min_i32", "min_i32"},
    {MINS, 8, "smin_x2", "min_i64", "min_i64", "min_i64"},
    {MINU, 4, "umin", "min_u32", "min_u32", "min_u32"},
    {MINU, 8, "umin_x2", "min_u64", "min_u64", "min_u64"},
    {MAXS, 4, "smax", "max_i32", "max_i32", "max_i32"},
    {MAXS, 8, "smax_x2", "max_i64", "max_i64", "max_i64"},
    {MAXU, 4, "umax", "max_u32", "max_u32", "max_u32"},
    {MAXU, 8, "umax_x2", "max_u64", "max_u64", "max_u64"},
    {AND, 4, "and", "and_b32", "and_b32", "and_b32"},
    {AND, 8, "and_x2", "and_b64", "and_b64", "and_b64"},
    {OR, 4, "or", "or_b32", "or_b32", "or_b32"},
    {OR, 8, "or_x2", "or_b64", "or_b64", "or_b64"},
    {XOR, 4, "xor", "xor_b32", "xor_b32", "xor_b32"},
    {XOR, 8, "xor_x2", "xor_b64", "xor_b64", "xor_b64"},
    {SWAP, 4, "swap", "swap_b32", "wrxchg_b32", "storexchg_b32"},
    {SWAP, 8, "swap_x2", "swap_b64", "wrxchg_b64", "storexchg_b64"},
    {CMPSWAP, 4, "cmpswap", "cmpswap_b32", "cmpst_b32", "cmpstore_b32"},
    {CMPSWAP, 8, "cmpswap_x2", "cmpswap_b64", "cmpst_b64", "cmpstore_b64"},
    {MSKOR, 4, NULL, NULL, "mskor_b32", "mskor_b32"},
    {MSKOR, 8, NULL, NULL, "mskor_b64", "mskor_b64"},
    {WRAP, 4, NULL, NULL, "wrap_b32", "wrap_b32"},
    {CONDXCHG, 8, NULL, NULL, "condxchg32_b64", "condxchg32_b64"},
    {FADD, 4, "add_f32", "add_f32", "add_f32", "add_f32"},
    {FADD, 8, "add_f64", NULL, "add_f64", NULL},
    {FMIN, 4, "fmin", "min_f32", "min_f32", "min_f32"},
    {FMIN, 8, "min_f64", NULL, "min_f64", "min_f64"},
    {FMIN, 8, "fmin_x2", NULL, NULL, NULL},
    {FMAX, 4, "fmax", "max_f32", "max_f32", "max_f32"},
    {FMAX, 8, "max_f64", NULL, "max_f64", "max_f64"},
    {FMAX, 8, "fmax_x2", NULL, NULL, NULL},
    {FCMPSWAP, 4, "fcmpswap", "cmpswap_f32", "cmpst_f32", "cmpstore_f32"},
    {FCMPSWAP, 8, "fcmpswap_x2", NULL, "cmpst_f64", "cmpstore_f64"},
    {PKADD16, 4, "pk_add_f16", NULL, "pk_add_f16", NULL},
    {PKADDBF, 4, "pk_add_bf16", NULL, "pk_add_bf16", NULL},
};

static double number(uint64_t bits, unsigned bytes)
{
    double wide;
    float narrow;
    uint32_t low = (uint32_t)bits;
    memcpy(&wide, &bits, 8);
    memcpy(&narrow, &low, 4);
    return bytes == 8 ? wide : (double)narrow;
}

static uint64_t bits_of(double value, unsigned bytes)
{
    uint64_t wide;
    uint32_t narrow;
    float rounded = (float)value;
    memcpy(&wide, &value, 8);
    memcpy(&narrow, &rounded, 4);
    return bytes == 8 ? wide : narrow;
}

/* The expected contents of memory; b: the data, c: the value to compare with, or the second data.
 * Floats have values whose sums are exact. */
static uint64_t after(enum effect effect, unsigned bytes, uint64_t old, uint64_t b, uint64_t c)
{
    unsigned bits = bytes * 8;
    int64_t sold = (int64_t)(old << (64 - bits)), sb = (int64_t)(b << (64 - bits));
    double x = number(old, bytes), y = number(b, bytes);
    switch (effect) {
    case ADD:
        return old + b;
    case SUB:
        return old - b;
    case RSUB:
        return b - old;
    case CSUB:
        return b > old ? 0 : old - b;
    case INC:
        return old < b ? old + 1 : 0;
    case DEC:
        return old && old <= b ? old - 1 : b;
    case MINS:
        return sold < sb ? old : b;
    case MINU:
        return old < b ? old : b;
    case MAXS:
        return sold > sb ? old : b;
    case MAXU:
        return old > b ? old : b;
    case AND:
        return old & b;
    case OR:
        return old | b;
    case XOR:
        return old ^ b;
    case SWAP:
        return b;
    case CMPSWAP:
        return old == c ? b : old;
    case MSKOR:
        return (old & ~b) | c;
    case WRAP:
        return old >= b ? old - b : old + c;
    case CONDXCHG: {
        uint64_t low = b >> 31 & 1 ? b & 0x7fffffff : old & 0xffffffff;
        uint64_t high = b >> 63 ? b >> 32 & 0x7fffffff : old >> 32;
        return high << 32 | low;
    }
    case FADD:
        return bits_of(x + y, bytes);
    case FMIN:
        return bits_of(fmin(x, y), bytes);
    case FMAX:
        return bits_of(fmax(x, y), bytes);
    case FCMPSWAP:
        return x == number(c, bytes) ? b : old;
    default:
        return 0; /* of pairs: below */
    }
}

/* Halves of small whole numbers, and the bits they have: 0 to 4. */
static const uint16_t halves[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
static const uint16_t bfloats[] = {0, 0x3f80, 0x4000, 0x4040, 0x4080};

/* ---- one atomic on all lanes ---------------------------------------------------------- */

static uint64_t value_for(const struct row *row, unsigned i)
{
    const uint16_t *of = row->effect == PKADD16 ? halves : bfloats;
    switch (row->effect) {
    case FADD:
    case FMIN:
    case FMAX:
    case FCMPSWAP:
        return bits_of((double)(int32_t)(hand_random() % 64) - 32, row->bytes);
    case PKADD16:
    case PKADDBF:
        return of[i % 3] | (uint32_t)of[(i + 1) % 3] << 16;
    default:
        return hand_random() % 4 ? hand_random() % 8 | (row->bytes == 8 ? UINT64_C(1) << 40 : 0)
                                 : (hand_random() | (uint64_t)hand_random() << 32) &
                                       (row->bytes == 8 ? UINT64_MAX : UINT32_MAX);
    }
}

static uint64_t pair_sum(const struct row *row, uint64_t old, uint64_t b)
{
    const uint16_t *of = row->effect == PKADD16 ? halves : bfloats;
    uint64_t sum = 0;
    for (unsigned shift = 0; shift < 32; shift += 16)
        for (unsigned i = 0; i < 5; i++)
            for (unsigned j = 0; i + j < 5; j++)
                if (of[i] == (old >> shift & 0xffff) && of[j] == (b >> shift & 0xffff))
                    sum |= (uint64_t)of[i + j] << shift;
    return sum;
}

static void put_register(unsigned reg, unsigned lane, unsigned bytes, uint64_t value)
{
    hand_v(reg)[lane] = (uint32_t)value;
    if (bytes == 8)
        hand_v(reg + 1)[lane] = (uint32_t)(value >> 32);
}

static uint64_t get_register(unsigned reg, unsigned lane, unsigned bytes)
{
    return hand_v(reg)[lane] | (bytes == 8 ? (uint64_t)hand_v(reg + 1)[lane] << 32 : 0);
}

enum space { GLOBAL, GLOBAL_BASE, FLAT, FLAT_LDS, FLAT_SCRATCH, BUFFER, DS, SPACES };

/* The instruction for a row in a space, NULL: there is none. */
static const char *name_for(const struct row *row, enum space space, bool returns)
{
    static char name[64];
    bool new = hand.isa == AMDGPU_GFX1100;
    const char *stem =
        space == DS ? (new ? row->new_ds : row->old_ds) : (new ? row->new_name : row->old_name);
    if (!stem)
        return NULL;
    const char *type = strrchr(stem, '_');
    if (space == DS && returns)
        snprintf(name, sizeof name, "ds_%.*s_rtn%s", (int)(type - stem), stem, type);
    else if (space == DS)
        snprintf(name, sizeof name, "ds_%s", stem);
    else
        snprintf(name, sizeof name, "%s_atomic_%s",
                 space <= GLOBAL_BASE ? "global"
                 : space == BUFFER    ? "buffer"
                                      : "flat",
                 stem);
    return hand_row(name) ? name : NULL;
}

static unsigned char *place(enum space space, unsigned char *view, unsigned lane, unsigned bytes)
{
    return space == FLAT_SCRATCH              ? hand.scratch + lane * HAND_STRIDE + 32
           : space == DS || space == FLAT_LDS ? hand.lds + lane * bytes
                                              : view + lane * bytes;
}

static void aim(enum space space, struct amdgpu_inst *inst, uint64_t address, unsigned bytes)
{
    uint64_t at[64];
    for (unsigned lane = 0; lane < 64; lane++)
        at[lane] = (space == GLOBAL || space == FLAT ? address
                    : space == FLAT_LDS              ? SIM_SHARED_WINDOW
                    : space == FLAT_SCRATCH          ? SIM_LOCAL_WINDOW + 32 - lane * bytes
                                                     : 0) +
                   lane * bytes;
    hand_addresses(at);
    amdgpu_set_s64(hand_wave(), S_BASE, address);
    hand_wave()->s[S_BASE + 2] = 4096;
    hand_wave()->s[S_BASE + 3] = hand.isa == AMDGPU_GFX90A ? 0x00020000 : 0x31004000;
    inst->offen = space == BUFFER;
}

/* Compare-and-swap instructions order their two data differently: those on memory have the new
 * value first. */
static void give(const struct row *row, enum space space, unsigned lane, uint64_t b, uint64_t c)
{
    bool swaps = space == DS && hand.isa != AMDGPU_GFX1100 &&
                 (row->effect == CMPSWAP || row->effect == FCMPSWAP);
    put_register(V_DATA, lane, row->bytes, swaps ? c : b);
    put_register(space == DS ? V_DATA1 : V_DATA + row->bytes / 4, lane, row->bytes, swaps ? b : c);
}

static bool try_row(const struct row *row, enum space space, bool returns, uint64_t exec,
                    struct sim_memory *arena)
{
    const char *name = name_for(row, space, returns);
    if (!name)
        return false;
    bool base = space == GLOBAL_BASE || space == BUFFER;
    struct amdgpu_inst inst = hand_inst(name, base || space == DS ? 1 : 2, base);
    uint64_t expected[64], olds[64];
    if (returns && space != DS) {
        inst.glc = true;
        inst.dst[0] = hand_vregs(space == BUFFER ? V_DATA : V_DST, row->bytes / 4);
    }
    unsigned dst = inst.dst[0].kind ? inst.dst[0].reg : V_DST;
    hand_exec(exec);
    aim(space, &inst, arena->address, row->bytes);
    for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
        uint64_t old = value_for(row, lane), b = value_for(row, lane + 1);
        uint64_t c = lane % 2 ? old : value_for(row, lane + 2);
        unsigned char *where = place(space, arena->view, lane, row->bytes);
        memcpy(where, &old, row->bytes);
        give(row, space, lane, b, c);
        expected[lane] = row->effect >= PKADD16 ? pair_sum(row, old, b)
                                                : after(row->effect, row->bytes, old, b, c);
        olds[lane] = returns ? old : get_register(V_DST, lane, row->bytes);
        if (!is_live(lane)) {
            expected[lane] = old;
            olds[lane] = get_register(dst, lane, row->bytes);
        }
    }
    if (!hand_run(&inst))
        fail_msg("%s: %s", name, hand.what);
    for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
        uint64_t now = 0;
        memcpy(&now, place(space, arena->view, lane, row->bytes), row->bytes);
        uint64_t expected_now = expected[lane] & (row->bytes == 8 ? UINT64_MAX : UINT32_MAX);
        if (now != expected_now)
            fail_msg("%s: lane %u leaves 0x%llx, expected 0x%llx", name, lane,
                     (unsigned long long)now, (unsigned long long)expected_now);
        uint64_t got = get_register(dst, lane, row->bytes);
        if (got != olds[lane])
            fail_msg("%s: lane %u got 0x%llx, expected 0x%llx", name, lane, (unsigned long long)got,
                     (unsigned long long)olds[lane]);
    }
    return true;
}

static void every_atomic_does_what_it_says(void **state)
{
    static const struct setting all[] = {{AMDGPU_GFX90A, 64},
                                         {AMDGPU_GFX942, 64},
                                         {AMDGPU_GFX1030, 32},
                                         {AMDGPU_GFX1100, 32},
                                         {AMDGPU_GFX1100, 64}};
    bool tried[COUNT(rows)] = {false};
    (void)state;
    for (size_t s = 0; s < COUNT(all); s++) {
        hand_begin(all[s].isa, all[s].lanes);
        struct sim_memory *arena = hand_memory(4096);
        for (size_t r = 0; r < COUNT(rows); r++)
            for (enum space space = 0; space < SPACES; space++)
                for (unsigned returns = 0; returns < 2; returns++)
                    for (size_t m = 0; m < COUNT(masks); m++)
                        tried[r] |= try_row(&rows[r], space, returns, masks[m], arena);
        sim_memory_destroy(arena);
    }
    for (size_t r = 0; r < COUNT(rows); r++)
        if (!tried[r])
            fail_msg("nobody has %s", rows[r].old_name ? rows[r].old_name : rows[r].old_ds);
}

/* ---- floats --------------------------------------------------------------------------- */

static uint32_t once(const char *name, bool ds, uint32_t old, uint32_t data,
                     struct sim_memory *arena)
{
    struct amdgpu_inst inst = hand_inst(name, ds ? 1 : 2, false);
    unsigned char *where = ds ? hand.lds : arena->view;
    uint64_t at[64];
    for (unsigned lane = 0; lane < 64; lane++)
        at[lane] = ds ? 0 : arena->address;
    hand_addresses(at);
    memcpy(where, &old, 4);
    hand_v(V_DATA)[0] = data;
    hand_exec(1);
    assert_true(hand_run(&inst));
    memcpy(&old, where, 4);
    return old;
}

static void subnormal_floats_are_flushed_where_they_are(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct sim_memory *arena = hand_memory(256);
    assert_int_equal(once("global_atomic_add_f32", false, 0x00000001, 0, arena), 0);
    assert_int_equal(once("global_atomic_add_f32", false, 0x00800001, 0x80800000, arena), 0);
    assert_int_equal(once("ds_add_f32", true, 1, 2, arena), 3);
    hand_wave()->mode = 0xc0; /* floats of 32 bits: neither in nor out */
    assert_int_equal(once("ds_add_f32", true, 1, 2, arena), 0);
    hand_wave()->mode = 0xd0; /* in, not out */
    assert_int_equal(once("ds_add_f32", true, 1, 0x00800000, arena), 0x00800001);
    assert_int_equal(once("ds_add_f32", true, 1, 2, arena), 0);
    sim_memory_destroy(arena);
    hand_begin(AMDGPU_GFX1100, 32);
    arena = hand_memory(256);
    assert_int_equal(once("global_atomic_add_f32", false, 1, 2, arena), 3);
    sim_memory_destroy(arena);
}

/* The bus to the host has none; gfx90a does not report this, and later devices do not need it. */
static void atomics_of_floats_leave_fine_grained_memory_of_gfx90a_alone(void **state)
{
    (void)state;
    const uint32_t one = 0x3f800000, two = 0x40000000, three = 0x40400000;
    hand_begin(AMDGPU_GFX90A, 64);
    struct sim_memory *arena = hand_memory(8192);
    assert_int_equal(once("global_atomic_add_f32", false, one, two, arena), three);
    arena->fine = true;
    assert_int_equal(once("global_atomic_add_f32", false, one, two, arena), one);
    assert_int_equal(once("global_atomic_add", false, 1, 2, arena), 3);
    assert_int_equal(once("ds_add_f32", true, one, two, arena), three);

    struct amdgpu_inst inst = hand_inst("global_atomic_max_f64", 2, false);
    inst.glc = true;
    inst.dst[0] = hand_vregs(V_DST, 2);
    uint64_t at[64];
    for (unsigned lane = 0; lane < 64; lane++)
        at[lane] = arena->address + 128 * lane;
    hand_addresses(at);
    hand_exec(UINT64_MAX);
    put_register(V_DATA, 63, 8, bits_of(2.0, 8));
    put_register(V_DST, 63, 8, 7);
    uint64_t old = bits_of(1.0, 8);
    memcpy(arena->view + 128 * 63, &old, 8);
    assert_true(hand_run(&inst));
    assert_memory_equal(arena->view + 128 * 63, &old, 8);
    assert_int_equal(get_register(V_DST, 63, 8), 0);
    sim_memory_destroy(arena);

    hand_begin(AMDGPU_GFX1100, 32);
    arena = hand_memory(256);
    arena->fine = true;
    assert_int_equal(once("global_atomic_add_f32", false, one, two, arena), three);
    sim_memory_destroy(arena);
}

static void of_a_number_and_a_nan_the_number_stays(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX1100, 32);
    struct sim_memory *arena = hand_memory(256);
    uint32_t nan_bits = 0x7fc00000, one = 0x3f800000;
    assert_int_equal(once("ds_min_f32", true, nan_bits, one, arena), one);
    assert_int_equal(once("ds_max_f32", true, one, nan_bits, arena), one);
    assert_int_equal(once("global_atomic_min_f32", false, 0, 0x80000000, arena), 0x80000000);
    assert_int_equal(once("global_atomic_max_f32", false, 0x80000000, 0, arena), 0);
    assert_int_equal(once("global_atomic_add_f32", false, nan_bits, one, arena), nan_bits);
    sim_memory_destroy(arena);
}

static void sums_of_halves_are_rounded_to_even(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct sim_memory *arena = hand_memory(256);
    /* 2048 + 1 is 2048, 2048 + 3 is 2052; the largest and as much again is infinite */
    assert_int_equal(once("global_atomic_pk_add_f16", false, 0x68006800, 0x42003c00, arena),
                     0x68026800);
    assert_int_equal(once("global_atomic_pk_add_f16", false, 0x7bff0001, 0x7bff0001, arena),
                     0x7c000002);
    sim_memory_destroy(arena);
}

/* ---- places --------------------------------------------------------------------------- */

static void lanes_of_one_place_go_one_after_the_other(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++) {
        hand_begin(settings[s].isa, settings[s].lanes);
        struct sim_memory *arena = hand_memory(256);
        bool new = hand.isa == AMDGPU_GFX1100;
        struct amdgpu_inst add =
            hand_inst(new ? "global_atomic_add_u64" : "global_atomic_add_x2", 2, false);
        struct amdgpu_inst returns = add;
        uint64_t at[64], sum = 0, now = 77;
        for (unsigned lane = 0; lane < 64; lane++)
            at[lane] = arena->address + 16;
        hand_addresses(at);
        memcpy(arena->view + 16, &now, 8);
        for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
            sum += get_register(V_DATA, lane, 8);
        assert_true(hand_run(&add));
        memcpy(&now, arena->view + 16, 8);
        assert_int_equal(now, 77 + sum);
        returns.glc = true;
        returns.dst[0] = hand_vregs(V_DST, 2);
        assert_true(hand_run(&returns));
        for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
            assert_int_equal(get_register(V_DST, lane, 8), now);
            now += get_register(V_DATA, lane, 8);
        }
        sim_memory_destroy(arena);
    }
}

static void a_misaligned_atomic_is_reported(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++) {
        hand_begin(settings[s].isa, settings[s].lanes);
        struct sim_memory *arena = hand_memory(1024);
        bool new = hand.isa == AMDGPU_GFX1100;
        struct amdgpu_inst global =
            hand_inst(new ? "global_atomic_add_u64" : "global_atomic_add_x2", 2, false);
        struct amdgpu_inst ds = hand_inst("ds_add_u32", 1, false);
        uint64_t at[64];
        for (unsigned lane = 0; lane < 64; lane++)
            at[lane] = arena->address + 4 + 8 * lane;
        hand_addresses(at);
        assert_false(hand_run(&global));
        assert_int_equal(hand.fault.kind, AMDGPU_END_ALIGNMENT);
        assert_int_equal(hand.fault.address, arena->address + 4);
        for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
            hand_v(V_ADDRESS)[lane] = lane == 3 ? 2 : 4 * lane;
        assert_false(hand_run(&ds));
        assert_int_equal(hand.fault.kind, AMDGPU_END_ALIGNMENT);
        assert_int_equal(hand.fault.lane, 3);
        assert_int_equal(hand.fault.address, 2);
        sim_memory_destroy(arena);
    }
}

static void an_atomic_out_of_reach_is_reported(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct sim_memory *arena = hand_memory(256);
    struct amdgpu_inst global = hand_inst("global_atomic_or", 2, false);
    struct amdgpu_inst ds = hand_inst("ds_or_b32", 1, false);
    uint64_t at[64];
    for (unsigned lane = 0; lane < 64; lane++)
        at[lane] = arena->address + 4 * lane + (lane >= 60 ? 16 : 0);
    hand_addresses(at);
    assert_false(hand_run(&global));
    assert_int_equal(hand.fault.kind, AMDGPU_END_MEMORY);
    assert_int_equal(hand.fault.lane, 60);
    assert_string_equal(hand.what, "changes 4 bytes of global memory");
    for (unsigned lane = 0; lane < 64; lane++)
        hand_v(V_ADDRESS)[lane] = HAND_LDS - 4 + 4 * (lane == 2);
    assert_false(hand_run(&ds));
    assert_int_equal(hand.fault.kind, AMDGPU_END_SHARED);
    assert_int_equal(hand.fault.lane, 2);
    sim_memory_destroy(arena);
}

static void an_atomic_out_of_a_buffer_s_bounds_does_nothing(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct sim_memory *arena = hand_memory(1024);
    struct amdgpu_inst inst = hand_inst("buffer_atomic_swap_x2", 1, true);
    unsigned char expected[1024];
    memcpy(expected, arena->view, sizeof expected);
    aim(BUFFER, &inst, arena->address, 8);
    hand_wave()->s[S_BASE + 2] = 8 * 10 + 4;
    inst.glc = true;
    inst.dst[0] = hand_vregs(V_DATA, 2);
    for (unsigned lane = 0; lane < 10; lane++) {
        uint64_t data = get_register(V_DATA, lane, 8);
        memcpy(expected + 8 * lane, &data, 8);
    }
    uint64_t old;
    memcpy(&old, arena->view + 72, 8);
    assert_true(hand_run(&inst));
    assert_memory_equal(expected, arena->view, sizeof expected);
    assert_int_equal(get_register(V_DATA, 9, 8), old);
    assert_int_equal(get_register(V_DATA, 10, 8), 0);
    sim_memory_destroy(arena);
}

static void two_places_are_exchanged(void **state)
{
    static const struct {
        const char *old_name, *new_name;
        unsigned bytes, unit;
    } twos[] = {
        {"ds_wrxchg2_rtn_b32", "ds_storexchg_2addr_rtn_b32", 4, 4},
        {"ds_wrxchg2_rtn_b64", "ds_storexchg_2addr_rtn_b64", 8, 8},
        {"ds_wrxchg2st64_rtn_b32", "ds_storexchg_2addr_stride64_rtn_b32", 4, 256},
        {"ds_wrxchg2st64_rtn_b64", "ds_storexchg_2addr_stride64_rtn_b64", 8, 512},
    };
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++)
        for (size_t k = 0; k < COUNT(twos); k++) {
            hand_begin(settings[s].isa, settings[s].lanes);
            struct amdgpu_inst inst = hand_inst(
                hand.isa == AMDGPU_GFX1100 ? twos[k].new_name : twos[k].old_name, 1, false);
            unsigned bytes = twos[k].bytes;
            unsigned char before[HAND_LDS];
            memcpy(before, hand.lds, sizeof before);
            inst.offset = 1;
            inst.offset1 = 2;
            for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
                hand_v(V_ADDRESS)[lane] = lane * 2 * bytes;
            hand_exec(0xfffff);
            assert_true(hand_run(&inst));
            for (unsigned lane = 0; lane < 20; lane++)
                for (unsigned place = 0; place < 2; place++) {
                    size_t at = lane * 2 * bytes + (place + 1) * twos[k].unit;
                    uint64_t old = 0, now = 0;
                    memcpy(&old, before + at, bytes);
                    memcpy(&now, hand.lds + at, bytes);
                    assert_int_equal(get_register(V_DST + place * bytes / 4, lane, bytes), old);
                    assert_int_equal(now, get_register(place ? V_DATA1 : V_DATA, lane, bytes));
                }
            inst.offset1 = 255;
            hand.block.lds_size = 512;
            assert_false(hand_run(&inst));
            assert_int_equal(hand.fault.kind, AMDGPU_END_SHARED);
        }
}

/* ---- threads -------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 5000 };

static struct sim_memory *contended;

/* Adds ones to three counters in three ways, from a wave per thread. */
static void *add_ones(void *data)
{
    struct amdgpu_wave *wave = data;
    struct amdgpu_inst insts[] = {hand_inst("global_atomic_add", 2, false),
                                  hand_inst("global_atomic_add_f32", 2, false),
                                  hand_inst("global_atomic_inc_x2", 2, false)};
    struct amdgpu_op ops[3][3];
    memset(ops, 0, sizeof ops);
    for (unsigned i = 0; i < 3; i++) {
        ops[i][0].length = 8;
        ops[i][0].inst = &insts[i];
        if (!amdgpu_emit_memory(AMDGPU_GFX90A, 64, &insts[i], &ops[i][0]))
            return NULL;
    }
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < 3; i++) {
            for (unsigned lane = 0; lane < 64; lane++) {
                uint64_t at = contended->address + 64 * i;
                amdgpu_v(wave, V_ADDRESS)[lane] = (uint32_t)at;
                amdgpu_v(wave, V_ADDRESS + 1)[lane] = (uint32_t)(at >> 32);
                amdgpu_v(wave, V_DATA)[lane] = i == 0 ? 1 : i == 1 ? 0x3f800000 : UINT32_MAX;
                amdgpu_v(wave, V_DATA + 1)[lane] = UINT32_MAX;
            }
            if (!ops[i][0].run(wave, &ops[i][0]))
                return NULL;
        }
    return wave;
}

static void threads_lose_no_update(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    contended = hand_memory(4096);
    memset(contended->view, 0, 4096);
    static struct amdgpu_wave waves[THREADS];
    static uint32_t registers[THREADS][HAND_VGPRS * 64];
    pthread_t threads[THREADS];
    for (unsigned t = 0; t < THREADS; t++) {
        waves[t] = *hand_wave();
        waves[t].v = registers[t];
        amdgpu_set_s64(&waves[t], AMDGPU_EXEC, 0xf); /* so that floats stay exact */
        assert_int_equal(pthread_create(&threads[t], NULL, add_ones, &waves[t]), 0);
    }
    for (unsigned t = 0; t < THREADS; t++) {
        void *result;
        pthread_join(threads[t], &result);
        assert_ptr_equal(result, &waves[t]);
    }
    uint32_t whole, bits;
    uint64_t wide;
    float sum;
    memcpy(&whole, contended->view, 4);
    memcpy(&bits, contended->view + 64, 4);
    memcpy(&wide, contended->view + 128, 8);
    memcpy(&sum, &bits, 4);
    assert_int_equal(whole, THREADS * ROUNDS * 4);
    assert_true(sum == (float)(THREADS * ROUNDS * 4));
    assert_int_equal(wide, THREADS * ROUNDS * 4);
    sim_memory_destroy(contended);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_atomic_does_what_it_says),
        cmocka_unit_test(subnormal_floats_are_flushed_where_they_are),
        cmocka_unit_test(atomics_of_floats_leave_fine_grained_memory_of_gfx90a_alone),
        cmocka_unit_test(of_a_number_and_a_nan_the_number_stays),
        cmocka_unit_test(sums_of_halves_are_rounded_to_even),
        cmocka_unit_test(lanes_of_one_place_go_one_after_the_other),
        cmocka_unit_test(a_misaligned_atomic_is_reported),
        cmocka_unit_test(an_atomic_out_of_reach_is_reported),
        cmocka_unit_test(an_atomic_out_of_a_buffer_s_bounds_does_nothing),
        cmocka_unit_test(two_places_are_exchanged),
        cmocka_unit_test(threads_lose_no_update),
    };
    return cmocka_run_group_tests_name("atomic", tests, hand_open, hand_close);
}
