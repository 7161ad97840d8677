/* SMEM: scalar loads and stores, their bounds and faults, and clocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hand_access.h"

static const struct {
    const char *old_name, *new_name;
    unsigned count;
} loads[] = {
    {"dword", "b32", 1},    {"dwordx2", "b64", 2},    {"dwordx4", "b128", 4},
    {"dwordx8", "b256", 8}, {"dwordx16", "b512", 16},
};

static struct amdgpu_inst load_of(const char *prefix, size_t k)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%s", prefix,
             hand.isa == AMDGPU_GFX1100 ? loads[k].new_name : loads[k].old_name);
    return hand_inst(name, strstr(prefix, "buffer") ? 4 : 2, false);
}

/* Runs it and checks all scalar registers. */
static void check(struct amdgpu_inst *inst, const unsigned char *bytes, unsigned count)
{
    uint32_t expected[AMDGPU_SREGS];
    memcpy(expected, hand_wave()->s, sizeof expected);
    memcpy(expected + S_DATA, bytes, count * 4);
    if (!hand_run(inst))
        fail_msg("%s: %s", inst->row->name, hand.what);
    assert_memory_equal(expected, hand_wave()->s, sizeof expected);
}

static void loads_return_what_memory_holds(void **state)
{
    static const int32_t offsets[] = {0, 4, 252, 1000, -64};
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++) {
        hand_begin(settings[s].isa, settings[s].lanes);
        struct sim_memory *arena = hand_memory(8192);
        for (size_t k = 0; k < COUNT(loads); k++)
            for (size_t o = 0; o < COUNT(offsets); o++)
                for (unsigned scalar = 0; scalar < 2; scalar++) {
                    struct amdgpu_inst inst = load_of("s_load", k);
                    amdgpu_set_s64(hand_wave(), S_BASE, arena->address + 512);
                    hand_wave()->s[S_OFFSET] = 336;
                    inst.offset = offsets[o];
                    if (scalar)
                        inst.soffset = hand_sregs(S_OFFSET, 1);
                    hand_exec(0); /* the fault belongs to no lane */
                    check(&inst, arena->view + 512 + offsets[o] + 336 * scalar, loads[k].count);
                }
        sim_memory_destroy(arena);
    }
}

static void the_lowest_bits_of_an_address_do_not_matter(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct sim_memory *arena = hand_memory(4096);
    struct amdgpu_inst inst = load_of("s_load", 1);
    amdgpu_set_s64(hand_wave(), S_BASE, arena->address + 7);
    inst.offset = 2; /* 9 in all */
    check(&inst, arena->view + 8, 2);
    sim_memory_destroy(arena);
}

static void a_load_may_overwrite_its_own_base(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX1100, 32);
    struct sim_memory *arena = hand_memory(4096);
    struct amdgpu_inst inst = load_of("s_load", 2);
    inst.dst[0].reg = S_BASE;
    amdgpu_set_s64(hand_wave(), S_BASE, arena->address + 248); /* across the end of a granule */
    assert_true(hand_run(&inst));
    assert_memory_equal(&hand_wave()->s[S_BASE], arena->view + 248, 16);
    sim_memory_destroy(arena);
}

static void a_load_into_no_register_is_executed(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX1100, 32);
    struct sim_memory *arena = hand_memory(4096);
    struct amdgpu_inst inst = load_of("s_load", 0);
    uint32_t before[AMDGPU_SREGS];
    inst.dst[0] = (struct amdgpu_operand){.kind = AMDGPU_NULL, .count = 1, .reg = 124};
    amdgpu_set_s64(hand_wave(), S_BASE, arena->address);
    memcpy(before, hand_wave()->s, sizeof before);
    assert_true(hand_run(&inst));
    assert_memory_equal(before, hand_wave()->s, sizeof before);
    amdgpu_set_s64(hand_wave(), S_BASE, arena->address + 4096);
    assert_false(hand_run(&inst));
    sim_memory_destroy(arena);
}

static void memory_that_is_not_there_is_reported(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct sim_memory *arena = hand_memory(1024);
    for (size_t k = 0; k < COUNT(loads); k++) {
        struct amdgpu_inst inst = load_of("s_load", k);
        uint64_t at = arena->address + 1024 - 4 * loads[k].count;
        amdgpu_set_s64(hand_wave(), S_BASE, at);
        assert_true(hand_run(&inst));
        inst.offset = 4;
        assert_false(hand_run(&inst));
        assert_int_equal(hand.fault.kind, AMDGPU_END_MEMORY);
        assert_int_equal(hand.fault.lane, -1);
        assert_int_equal(hand.fault.address, at + 4);
        char what[64];
        snprintf(what, sizeof what, "reads %u bytes of global memory", 4 * loads[k].count);
        assert_string_equal(hand.what, what);
    }
    struct amdgpu_inst inst = load_of("s_load", 0);
    amdgpu_set_s64(hand_wave(), S_BASE, SIM_SHARED_WINDOW);
    assert_false(hand_run(&inst));
    sim_memory_destroy(arena);
}

/* The new value, and whether the old one is returned. */
static void atomics_swap_and_add(void **state)
{
    static const char *const names[] = {"s_atomic_swap", "s_atomic_swap_x2", "s_atomic_add",
                                        "s_atomic_add_x2"};
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct sim_memory *arena = hand_memory(4096);
    for (size_t i = 0; i < 2 * COUNT(names); i++) {
        struct amdgpu_inst inst = hand_inst(names[i / 2], 2, false);
        uint64_t wide = i / 2 % 2, old = UINT64_C(0x7ffffffffffffff0), data = 0x1000000020, now;
        memcpy(arena->view + 16, &old, sizeof old);
        amdgpu_set_s64(hand_wave(), S_BASE, arena->address + 8);
        amdgpu_set_s64(hand_wave(), S_DATA, data);
        inst.offset = 8;
        inst.glc = i % 2;
        assert_true(hand_run(&inst));
        uint64_t expected = i < 4 ? data : old + data, mask = wide ? UINT64_MAX : UINT32_MAX;
        memcpy(&now, arena->view + 16, sizeof now);
        assert_int_equal(now, (expected & mask) | (old & ~mask));
        uint64_t back = inst.glc ? (old & mask) | (data & ~mask) : data;
        assert_int_equal(amdgpu_s64(hand_wave(), S_DATA), back);
        inst.offset = wide ? 4 : 4096;
        assert_false(hand_run(&inst)); /* misaligned, or not memory */
    }
    sim_memory_destroy(arena);
}

static void buffers_read_as_zero_beyond_their_end(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++) {
        hand_begin(settings[s].isa, settings[s].lanes);
        struct sim_memory *arena = hand_memory(4096);
        uint32_t *v = &hand_wave()->s[S_BASE];
        for (size_t k = 0; k < COUNT(loads); k++)
            for (unsigned stride = 0; stride < 2; stride++) {
                struct amdgpu_inst inst = load_of("s_buffer_load", k);
                unsigned char expected[64] = {0};
                v[0] = (uint32_t)arena->address + 16;
                v[1] = (uint32_t)(arena->address >> 32) | (stride ? 10u << 16 : 0);
                v[2] = stride ? 10 : 100;
                v[3] = 0;
                hand_wave()->s[S_OFFSET] = 80;
                inst.soffset = hand_sregs(S_OFFSET, 1);
                inst.offset = 8;
                memcpy(expected, arena->view + 16 + 88, 12);
                check(&inst, expected, loads[k].count);
                hand_wave()->s[S_OFFSET] = 92;
                memset(expected, 0, sizeof expected);
                check(&inst, expected, loads[k].count);
            }
        sim_memory_destroy(arena);
    }
}

static void check_stores(enum amdgpu_isa isa)
{
    static const char *const prefixes[] = {"s_store", "s_buffer_store", "s_scratch_store"};
    hand_begin(isa, 64);
    struct sim_memory *arena = hand_memory(4096);
    for (unsigned p = 0; p < 3; p++)
        for (size_t k = 0; k < 3; k++) {
            char name[64];
            snprintf(name, sizeof name, "%s_%s", prefixes[p], loads[k].old_name);
            struct amdgpu_inst inst = hand_inst(name, p == 1 ? 4 : 2, false);
            unsigned char expected[4096];
            uint32_t *v = &hand_wave()->s[S_BASE];
            memcpy(expected, arena->view, sizeof expected);
            for (unsigned i = 0; i < 4; i++)
                hand_wave()->s[S_DATA + i] = hand_random();
            amdgpu_set_s64(hand_wave(), S_BASE, arena->address);
            v[2] = 256 + 4; /* of the buffer: one dword fits */
            v[3] = 0;
            inst.offset = 256;
            memcpy(expected + 256, &hand_wave()->s[S_DATA], p == 1 ? 4 : 4 * loads[k].count);
            assert_true(hand_run(&inst));
            assert_memory_equal(expected, arena->view, sizeof expected);
        }
    for (size_t k = 0; k < 3; k++) {
        struct amdgpu_inst load = load_of("s_scratch_load", k);
        load.soffset = hand_sregs(S_OFFSET, 1);
        hand_wave()->s[S_OFFSET] = 2; /* of 64 bytes */
        load.offset = 20;
        check(&load, arena->view + 148, loads[k].count);
    }
    struct amdgpu_inst store = hand_inst("s_store_dword", 2, false);
    store.offset = 4096;
    assert_false(hand_run(&store));
    assert_string_equal(hand.what, "writes 4 bytes of global memory");
    sim_memory_destroy(arena);
}

static void stores_of_gfx9_write_what_registers_hold(void **state)
{
    (void)state;
    check_stores(AMDGPU_GFX906);
    check_stores(AMDGPU_GFX90A);
}

static void clocks_are_read(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct amdgpu_inst inst = hand_inst("s_memtime", 0, false);
    assert_true(hand_run(&inst));
    assert_int_equal(amdgpu_s64(hand_wave(), S_DATA), UINT64_C(0x1122334455667788));
    inst = hand_inst("s_memrealtime", 0, false);
    assert_true(hand_run(&inst));
    assert_int_equal(amdgpu_s64(hand_wave(), S_DATA), UINT64_C(0x99aabbccddeeff00));
}

static void check_nothing(const char *name)
{
    struct hand before = hand;
    struct amdgpu_inst inst = hand_inst(name, 0, false);
    assert_true(hand_run(&inst));
    assert_memory_equal(before.waves[0].s, hand.waves[0].s, sizeof hand.waves[0].s);
    assert_memory_equal(before.v, hand.v, sizeof hand.v);
}

static void cache_instructions_do_nothing(void **state)
{
    static const char *const names[] = {
        "s_dcache_inv",   "s_dcache_wb",      "s_dcache_inv_vol",    "s_dcache_wb_vol",
        "buffer_wbinvl1", "buffer_wbl2",      "buffer_wbinvl1_vol",  "buffer_invl2",
        "s_atc_probe",    "s_dcache_discard", "s_dcache_discard_x2", "s_atc_probe_buffer"};
    static const char *const later[] = {"buffer_gl0_inv", "buffer_gl1_inv", "s_gl1_inv",
                                        "s_dcache_inv",   "s_atc_probe",    "s_atc_probe_buffer"};
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    for (size_t i = 0; i < COUNT(names); i++)
        check_nothing(names[i]);
    hand_begin(AMDGPU_GFX1100, 32);
    for (size_t i = 0; i < COUNT(later); i++)
        check_nothing(later[i]);
}

/* Registers that do not exist. */
static void data_stay_within_the_registers(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct amdgpu_inst inst = load_of("s_load", 4);
    struct amdgpu_op op = {.length = 8, .inst = &inst};
    inst.dst[0].reg = 120;
    assert_false(amdgpu_emit_memory(hand.isa, 64, &inst, &op));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_return_what_memory_holds),
        cmocka_unit_test(the_lowest_bits_of_an_address_do_not_matter),
        cmocka_unit_test(a_load_may_overwrite_its_own_base),
        cmocka_unit_test(a_load_into_no_register_is_executed),
        cmocka_unit_test(memory_that_is_not_there_is_reported),
        cmocka_unit_test(atomics_swap_and_add),
        cmocka_unit_test(buffers_read_as_zero_beyond_their_end),
        cmocka_unit_test(stores_of_gfx9_write_what_registers_hold),
        cmocka_unit_test(clocks_are_read),
        cmocka_unit_test(cache_instructions_do_nothing),
        cmocka_unit_test(data_stay_within_the_registers),
    };
    return cmocka_run_group_tests_name("smem", tests, hand_open, hand_close);
}
