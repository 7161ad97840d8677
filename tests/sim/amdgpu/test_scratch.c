/* Scratch: SCRATCH and MUBUF with the resource descriptor of scratch; each work-item has its own
 * bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hand_access.h"

static const struct kind loads[] = {
    {"load_ubyte", "load_u8", 1, 0, false},
    {"load_sbyte", "load_i8", 1, 0, true},
    {"load_ushort", "load_u16", 2, 0, false},
    {"load_sshort", "load_i16", 2, 0, true},
    {"load_dword", "load_b32", 4, 0, false},
    {"load_dwordx2", "load_b64", 8, 0, false},
    {"load_dwordx3", "load_b96", 12, 0, false},
    {"load_dwordx4", "load_b128", 16, 0, false},
    {"load_ubyte_d16", "load_d16_u8", 1, 1, false},
    {"load_ubyte_d16_hi", "load_d16_hi_u8", 1, 2, false},
    {"load_sbyte_d16", "load_d16_i8", 1, 1, true},
    {"load_sbyte_d16_hi", "load_d16_hi_i8", 1, 2, true},
    {"load_short_d16", "load_d16_b16", 2, 1, false},
    {"load_short_d16_hi", "load_d16_hi_b16", 2, 2, false},
};
static const struct kind stores[] = {
    {"store_byte", "store_b8", 1, 0, false},
    {"store_short", "store_b16", 2, 0, false},
    {"store_dword", "store_b32", 4, 0, false},
    {"store_dwordx2", "store_b64", 8, 0, false},
    {"store_dwordx3", "store_b96", 12, 0, false},
    {"store_dwordx4", "store_b128", 16, 0, false},
    {"store_byte_d16_hi", "store_d16_hi_b8", 1, 2, false},
    {"store_short_d16_hi", "store_d16_hi_b16", 2, 2, false},
};

/* How an instruction addresses scratch: all forms have the address at(lane). */
enum form { LANES, SCALAR, BOTH, NEITHER, BUFFER, BUFFER_LANES, FORMS };

static bool varies(enum form form)
{
    return form == LANES || form == BOTH || form == BUFFER_LANES;
}

static uint32_t at(enum form form, unsigned lane)
{
    return 40 + (varies(form) ? lane % 9 * 5 : 0);
}

static struct amdgpu_inst make(enum form form, const struct kind *kind)
{
    bool buffer = form >= BUFFER;
    bool base = form == SCALAR || form == BOTH || buffer, lanes = varies(form);
    struct amdgpu_inst inst = hand_inst(name_of(buffer ? "buffer" : "scratch", kind), lanes, base);
    uint32_t *s = &hand_wave()->s[S_BASE];
    if (base && !buffer)
        inst.saddr.count = 1;
    for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
        hand_v(V_ADDRESS)[lane] = lane % 9 * 5 + 30;
    inst.offset = lanes ? 10 - 6 : 40 - 6;
    if (base) {
        s[0] = 6;
    } else {
        inst.offset += 6;
    }
    if (buffer) {
        s[0] = (uint32_t)HAND_SCRATCH_ADDRESS;
        s[1] = (uint32_t)(HAND_SCRATCH_ADDRESS >> 32) | UINT32_C(0x80000000);
        s[2] = UINT32_MAX;
        s[3] = 0x00e00000;
        hand_wave()->s[S_OFFSET] =
            4 * hand_wave()->lanes; /* of the whole wave: 4 bytes of each lane */
        inst.soffset = hand_sregs(S_OFFSET, 1);
        inst.offset += 2;
        inst.offen = lanes;
    }
    return inst;
}

static bool has(enum form form)
{
    return form >= BUFFER || hand.isa != AMDGPU_GFX90A || form != BOTH;
}

static void loads_return_the_work_items_bytes(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++)
        for (size_t k = 0; k < COUNT(loads); k++)
            for (enum form form = 0; form < FORMS; form++)
                for (size_t m = 0; m < COUNT(masks); m++) {
                    hand_begin(settings[s].isa, settings[s].lanes);
                    if (!has(form))
                        continue;
                    struct amdgpu_inst inst = make(form, &loads[k]);
                    const unsigned char *bytes[64];
                    for (unsigned lane = 0; lane < 64; lane++)
                        bytes[lane] = hand.scratch + lane * HAND_STRIDE + at(form, lane);
                    hand_exec(masks[m]);
                    check_load(&loads[k], &inst, bytes);
                }
}

static void stores_write_what_registers_hold(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++)
        for (size_t k = 0; k < COUNT(stores); k++)
            for (enum form form = 0; form < FORMS; form++)
                for (size_t m = 0; m < COUNT(masks); m++) {
                    hand_begin(settings[s].isa, settings[s].lanes);
                    if (!has(form))
                        continue;
                    struct amdgpu_inst inst = make(form, &stores[k]);
                    uint32_t offsets[64];
                    for (unsigned lane = 0; lane < 64; lane++)
                        offsets[lane] = lane * HAND_STRIDE + at(form, lane);
                    hand_exec(masks[m]);
                    check_store(&stores[k], &inst, hand.scratch, sizeof hand.scratch, offsets);
                }
}

static void waves_have_their_own(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++)
        for (enum form form = 0; form < FORMS; form++) {
            hand_begin(settings[s].isa, settings[s].lanes);
            if (!has(form))
                continue;
            struct amdgpu_inst inst = make(form, &loads[5]);
            struct amdgpu_wave *wave = &hand.waves[1];
            memcpy(wave->s, hand_wave()->s, sizeof wave->s);
            if (form >= BUFFER)
                wave->s[S_BASE] += wave->lanes * HAND_STRIDE;
            memcpy(amdgpu_v(wave, V_ADDRESS), hand_v(V_ADDRESS), 4 * wave->lanes);
            assert_true(hand_run_on(wave, &inst));
            for (unsigned lane = 0; lane < wave->lanes; lane++) {
                const unsigned char *own =
                    hand.scratch + (wave->lanes + lane) * HAND_STRIDE + at(form, lane);
                assert_memory_equal(&amdgpu_v(wave, V_DST)[lane], own, 4);
                assert_memory_equal(&amdgpu_v(wave, V_DST + 1)[lane], own + 4, 4);
            }
        }
}

static void scratch_ends_where_the_work_item_s_does(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++)
        for (enum form form = 0; form < FORMS; form++) {
            hand_begin(settings[s].isa, settings[s].lanes);
            if (!has(form))
                continue;
            struct amdgpu_inst load = make(form, &loads[4]), store = make(form, &stores[2]);
            int32_t last = HAND_SCRATCH - 4 - (int32_t)at(form, 8);
            load.offset += last;
            store.offset += last;
            assert_true(hand_run(&load));
            load.offset++;
            store.offset++;
            assert_false(hand_run(&load));
            assert_int_equal(hand.fault.kind, AMDGPU_END_SCRATCH);
            assert_int_equal(hand.fault.lane, varies(form) ? 8 : 0);
            assert_int_equal(hand.fault.address, HAND_SCRATCH - 3);
            assert_string_equal(hand.what, "reads 4 bytes of local memory (of 256 bytes)");
            assert_false(hand_run(&store));
            assert_string_equal(hand.what, "writes 4 bytes of local memory (of 256 bytes)");
        }
}

/* The descriptor's base may have been increased, and so may the scalar offset. */
static void a_wave_s_offset_counts_for_all_its_lanes(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct amdgpu_inst load = make(BUFFER, &loads[4]);
    const unsigned char *bytes[64];
    hand_wave()->s[S_BASE] += 256 * 3;
    for (unsigned lane = 0; lane < 64; lane++)
        bytes[lane] = hand.scratch + lane * HAND_STRIDE + at(BUFFER, lane) + 12;
    check_load(&loads[4], &load, bytes);
    hand_wave()->s[S_OFFSET] += 4; /* another lane's */
    assert_false(hand_run(&load));
    assert_int_equal(hand.fault.kind, AMDGPU_END_SCRATCH);
    hand_wave()->s[S_OFFSET] = 64 * HAND_STRIDE; /* another wave's */
    assert_false(hand_run(&load));
    assert_int_equal(hand.fault.kind, AMDGPU_END_SCRATCH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_return_the_work_items_bytes),
        cmocka_unit_test(stores_write_what_registers_hold),
        cmocka_unit_test(waves_have_their_own),
        cmocka_unit_test(scratch_ends_where_the_work_item_s_does),
        cmocka_unit_test(a_wave_s_offset_counts_for_all_its_lanes),
    };
    return cmocka_run_group_tests_name("scratch", tests, hand_open, hand_close);
}
