/* DS without atomics: loads and stores of all widths, of two places, lanes that read each
 * other, counters, and the checks of LDS. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hand_access.h"

static const struct kind loads[] = {
    {"read_u8", "load_u8", 1, 0, false},
    {"read_i8", "load_i8", 1, 0, true},
    {"read_u16", "load_u16", 2, 0, false},
    {"read_i16", "load_i16", 2, 0, true},
    {"read_b32", "load_b32", 4, 0, false},
    {"read_b64", "load_b64", 8, 0, false},
    {"read_b96", "load_b96", 12, 0, false},
    {"read_b128", "load_b128", 16, 0, false},
    {"read_u8_d16", "load_u8_d16", 1, 1, false},
    {"read_i8_d16", "load_i8_d16", 1, 1, true},
    {"read_u16_d16", "load_u16_d16", 2, 1, false},
    {"read_u8_d16_hi", "load_u8_d16_hi", 1, 2, false},
    {"read_i8_d16_hi", "load_i8_d16_hi", 1, 2, true},
    {"read_u16_d16_hi", "load_u16_d16_hi", 2, 2, false},
};

static const struct kind stores[] = {
    {"write_b8", "store_b8", 1, 0, false},
    {"write_b16", "store_b16", 2, 0, false},
    {"write_b32", "store_b32", 4, 0, false},
    {"write_b64", "store_b64", 8, 0, false},
    {"write_b96", "store_b96", 12, 0, false},
    {"write_b128", "store_b128", 16, 0, false},
    {"write_b8_d16_hi", "store_b8_d16_hi", 1, 2, false},
    {"write_b16_d16_hi", "store_b16_d16_hi", 2, 2, false},
};

enum { WAYS = 8, OFFSET = 24 };

/* Addresses; with OFFSET they are where the element is. */
static void offsets_of(unsigned way, unsigned bytes, uint32_t out_offsets[64])
{
    for (unsigned lane = 0; lane < 64; lane++)
        out_offsets[lane] = way == 0   ? OFFSET + lane * bytes
                            : way == 1 ? 1024 + 3 - lane * bytes % 1024
                            : way == 2 ? 8 /* OFFSET is too much: the sum wraps */
                            : way == 3 ? lane * 3 * bytes % 1021
                            : way == 4 ? OFFSET + lane / 16 * 500 + lane % 16 * bytes
                            : way == 5 ? OFFSET + lane / 16 * 500 /* each 16 lanes at one */
                            : way == 6 ? lane / 16 * 900 + lane % 16 * bytes * (lane / 16)
                                       : HAND_LDS - 16 - lane * 7919 % 4000;
}

static void aim(struct amdgpu_inst *inst, const uint32_t offsets[64])
{
    inst->offset = OFFSET;
    for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
        hand_v(V_ADDRESS)[lane] = offsets[lane] - OFFSET;
}

static void loads_bring_what_lds_holds(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++)
        for (size_t k = 0; k < COUNT(loads); k++)
            for (unsigned way = 0; way < WAYS; way++)
                for (size_t m = 0; m < COUNT(masks); m++) {
                    hand_begin(settings[s].isa, settings[s].lanes);
                    struct amdgpu_inst inst = hand_inst(name_of("ds", &loads[k]), 1, false);
                    uint32_t offsets[64];
                    const unsigned char *bytes[64];
                    offsets_of(way, loads[k].bytes, offsets);
                    for (unsigned lane = 0; lane < 64; lane++)
                        bytes[lane] = hand.lds + offsets[lane];
                    hand_exec(masks[m]);
                    aim(&inst, offsets);
                    check_load(&loads[k], &inst, bytes);
                }
}

static void stores_leave_what_registers_hold(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++)
        for (size_t k = 0; k < COUNT(stores); k++)
            for (unsigned way = 0; way < WAYS; way++)
                for (size_t m = 0; m < COUNT(masks); m++) {
                    hand_begin(settings[s].isa, settings[s].lanes);
                    struct amdgpu_inst inst = hand_inst(name_of("ds", &stores[k]), 1, false);
                    uint32_t offsets[64];
                    offsets_of(way, stores[k].bytes, offsets);
                    hand_exec(masks[m]);
                    aim(&inst, offsets);
                    check_store(&stores[k], &inst, hand.lds, HAND_LDS, offsets);
                }
}

/* ---- two places ----------------------------------------------------------------------- */

static const struct {
    const char *old_load, *new_load, *old_store, *new_store;
    unsigned bytes, unit;
} twos[] = {
    {"ds_read2_b32", "ds_load_2addr_b32", "ds_write2_b32", "ds_store_2addr_b32", 4, 4},
    {"ds_read2_b64", "ds_load_2addr_b64", "ds_write2_b64", "ds_store_2addr_b64", 8, 8},
    {"ds_read2st64_b32", "ds_load_2addr_stride64_b32", "ds_write2st64_b32",
     "ds_store_2addr_stride64_b32", 4, 256},
    {"ds_read2st64_b64", "ds_load_2addr_stride64_b64", "ds_write2st64_b64",
     "ds_store_2addr_stride64_b64", 8, 512},
};

static void two_places_are_loaded_at_once(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++)
        for (size_t k = 0; k < COUNT(twos); k++)
            for (unsigned swap = 0; swap < 2; swap++) {
                hand_begin(settings[s].isa, settings[s].lanes);
                bool new = hand.isa == AMDGPU_GFX1100;
                struct amdgpu_inst inst =
                    hand_inst(new ? twos[k].new_load : twos[k].old_load, 1, false);
                unsigned words = twos[k].bytes / 4;
                uint32_t address[64];
                inst.offset = swap ? 3 : 1;
                inst.offset1 = swap ? 0 : 4;
                inst.dst[0].reg = V_ADDRESS; /* over the address */
                for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
                    hand_v(V_ADDRESS)[lane] = address[lane] = lane * (4 + twos[k].bytes * swap);
                hand_exec(UINT64_C(0xfffffffffffffff7));
                uint32_t kept = hand_v(V_ADDRESS)[3];
                assert_true(hand_run(&inst));
                for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
                    for (unsigned i = 0; lane != 3 && i < 2 * words; i++) {
                        unsigned offset = i < words ? (unsigned)inst.offset : inst.offset1;
                        assert_memory_equal(
                            &hand_v(V_ADDRESS + i)[lane],
                            hand.lds + address[lane] + offset * twos[k].unit + i % words * 4, 4);
                    }
                assert_int_equal(hand_v(V_ADDRESS)[3], kept);
            }
}

static void two_places_are_stored_at_once(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++)
        for (size_t k = 0; k < COUNT(twos); k++) {
            hand_begin(settings[s].isa, settings[s].lanes);
            bool new = hand.isa == AMDGPU_GFX1100;
            struct amdgpu_inst inst =
                hand_inst(new ? twos[k].new_store : twos[k].old_store, 1, false);
            unsigned words = twos[k].bytes / 4;
            unsigned char expected[HAND_LDS];
            inst.offset = 1;
            inst.offset1 = 3;
            memcpy(expected, hand.lds, HAND_LDS);
            for (unsigned place = 0; place < 2; place++)
                for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
                    hand_v(V_ADDRESS)[lane] = lane * 2 * twos[k].bytes;
                    for (unsigned i = 0; i < words && lane != 5; i++)
                        memcpy(expected + lane * 2 * twos[k].bytes +
                                   (place ? 3 : 1) * twos[k].unit + 4 * i,
                               &hand_v((place ? V_DATA1 : V_DATA) + i)[lane], 4);
                }
            hand_exec(~UINT64_C(0x20));
            assert_true(hand_run(&inst));
            assert_memory_equal(expected, hand.lds, HAND_LDS);
        }
}

static void either_place_may_be_out_of_reach(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct amdgpu_inst inst = hand_inst("ds_read2st64_b32", 1, false);
    for (unsigned lane = 0; lane < 64; lane++)
        hand_v(V_ADDRESS)[lane] = 4 * lane;
    inst.offset = 0;
    inst.offset1 = 15;
    assert_true(hand_run(&inst));
    inst.offset1 = 16;
    assert_false(hand_run(&inst));
    assert_int_equal(hand.fault.kind, AMDGPU_END_SHARED);
    assert_int_equal(hand.fault.address, HAND_LDS);
    assert_int_equal(hand.fault.lane, 0);
    inst.offset = 16;
    inst.offset1 = 0;
    assert_false(hand_run(&inst));
    assert_int_equal(hand.fault.address, HAND_LDS);
}

/* ---- bounds --------------------------------------------------------------------------- */

static void lds_ends_where_the_group_s_does(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct amdgpu_inst load = hand_inst("ds_read_b64", 1, false);
    struct amdgpu_inst store = hand_inst("ds_write_b8", 1, false);
    for (unsigned lane = 0; lane < 64; lane++)
        hand_v(V_ADDRESS)[lane] = 8 * lane;
    hand.block.lds_size = 8 * 63 + 7;
    assert_false(hand_run(&load));
    assert_int_equal(hand.fault.kind, AMDGPU_END_SHARED);
    assert_int_equal(hand.fault.lane, 63);
    assert_int_equal(hand.fault.address, 8 * 63);
    assert_string_equal(hand.what, "reads 8 bytes of shared memory (of 511 bytes)");
    hand_exec(UINT64_MAX >> 1);
    assert_true(hand_run(&load));
    store.offset = 7;
    hand_exec(UINT64_MAX);
    assert_false(hand_run(&store));
    assert_string_equal(hand.what, "writes 1 bytes of shared memory (of 511 bytes)");
    store.offset = 6;
    assert_true(hand_run(&store));
    hand.block.lds_size = 0;
    assert_false(hand_run(&store));
    hand_exec(0);
    assert_true(hand_run(&store));
}

static void addtid_adds_m0_and_an_offset_for_each_lane(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++) {
        hand_begin(settings[s].isa, settings[s].lanes);
        bool new = hand.isa == AMDGPU_GFX1100;
        struct amdgpu_inst load =
            hand_inst(new ? "ds_load_addtid_b32" : "ds_read_addtid_b32", 0, false);
        struct amdgpu_inst store =
            hand_inst(new ? "ds_store_addtid_b32" : "ds_write_addtid_b32", 0, false);
        const struct kind word = {"", "", 4, 0, false};
        const unsigned char *bytes[64];
        uint32_t offsets[64];
        hand_wave()->s[hand_wave()->m0] = 0x70000 + 100;
        load.offset = store.offset = 12;
        for (unsigned lane = 0; lane < 64; lane++) {
            offsets[lane] = 112 + 4 * lane;
            bytes[lane] = hand.lds + offsets[lane];
        }
        check_load(&word, &load, bytes);
        check_store(&word, &store, hand.lds, HAND_LDS, offsets);
    }
}

/* ---- lanes ---------------------------------------------------------------------------- */

static void bpermute_reads_other_lanes(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++)
        for (size_t m = 0; m < COUNT(masks); m++) {
            hand_begin(settings[s].isa, settings[s].lanes);
            struct amdgpu_inst inst = hand_inst("ds_bpermute_b32", 1, false);
            unsigned lanes = hand_wave()->lanes, group = hand.isa == AMDGPU_GFX90A ? 64 : 32;
            uint32_t expected[64], address[64];
            inst.offset = 8;
            hand_exec(masks[m]);
            for (unsigned lane = 0; lane < lanes; lane++) {
                address[lane] = hand_v(V_ADDRESS)[lane] = lane % 2 ? lane * 28 : hand_random();
                unsigned from = (uint32_t)(address[lane] + 8) / 4 % group + lane / group * group;
                expected[lane] = masks[m] >> from & 1 ? hand_v(V_DATA)[from] : 0;
                if (!is_live(lane))
                    expected[lane] = hand_v(V_DST)[lane];
            }
            assert_true(hand_run(&inst));
            for (unsigned lane = 0; lane < lanes; lane++)
                assert_int_equal(hand_v(V_DST)[lane], expected[lane]);
        }
}

static void permute_sends_to_other_lanes(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++)
        for (size_t m = 0; m < COUNT(masks); m++) {
            hand_begin(settings[s].isa, settings[s].lanes);
            struct amdgpu_inst inst = hand_inst("ds_permute_b32", 1, false);
            unsigned lanes = hand_wave()->lanes, group = hand.isa == AMDGPU_GFX90A ? 64 : 32;
            uint32_t expected[64] = {0};
            inst.dst[0].reg = V_DATA;
            hand_exec(masks[m]);
            for (unsigned lane = 0; lane < lanes; lane++) {
                hand_v(V_ADDRESS)[lane] = lane * 12;
                if (is_live(lane))
                    expected[lane * 3 % group + lane / group * group] = hand_v(V_DATA)[lane];
            }
            for (unsigned lane = 0; lane < lanes; lane++)
                if (!is_live(lane))
                    expected[lane] = hand_v(V_DATA)[lane];
            assert_true(hand_run(&inst));
            for (unsigned lane = 0; lane < lanes; lane++)
                assert_int_equal(hand_v(V_DATA)[lane], expected[lane]);
        }
}

/* If several lanes send to one lane, the last one counts. */
static void the_last_of_several_senders_wins(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++)
        for (size_t m = 0; m < COUNT(masks); m++)
            for (unsigned fold = 1; fold <= 64; fold *= 4) {
                hand_begin(settings[s].isa, settings[s].lanes);
                struct amdgpu_inst inst = hand_inst("ds_permute_b32", 1, false);
                unsigned lanes = hand_wave()->lanes, group = hand.isa == AMDGPU_GFX90A ? 64 : 32;
                uint32_t expected[64];
                inst.offset = 4;
                hand_exec(masks[m]);
                for (unsigned lane = 0; lane < lanes; lane++)
                    expected[lane] = is_live(lane) ? 0 : hand_v(V_DST)[lane];
                for (unsigned lane = 0; lane < lanes; lane++) {
                    unsigned to = (lane / fold * fold + 1) % group + lane / group * group;
                    hand_v(V_ADDRESS)[lane] = lane / fold * fold * 4;
                    if (is_live(lane) && is_live(to))
                        expected[to] = hand_v(V_DATA)[lane];
                }
                assert_true(hand_run(&inst));
                for (unsigned lane = 0; lane < lanes; lane++)
                    assert_int_equal(hand_v(V_DST)[lane], expected[lane]);
            }
}

/* The lane that lane reads, for some offsets. */
static unsigned swizzle_source(unsigned offset, unsigned lane)
{
    static const unsigned char fft[8] = {0, 4, 2, 6, 1, 5, 3, 7};
    switch (offset) {
    case 0x041f: /* SWAPX1: xor 1 */
        return lane ^ 1;
    case 0x7c1f: /* xor 31 */
        return lane ^ 31;
    case 0x0018: /* and 0x18: broadcasts the first of eight */
        return lane & ~7u;
    case 0x00b8: /* ... or 5: the sixth of eight */
        return (lane & ~7u) | 5;
    case 0x801b: /* fours reversed: [3,2,1,0] */
        return (lane & ~3u) | (3 - (lane & 3));
    case 0x80aa: /* the third of four */
        return (lane & ~3u) | 2;
    case 0xc020: /* all rotate by one */
        return (lane & ~31u) | ((lane + 1) & 31);
    case 0xc420: /* the other way */
        return (lane & ~31u) | ((lane - 1) & 31);
    case 0xc078: /* eights rotate by three */
        return (lane & ~7u) | ((lane + 3) & 7);
    case 0xe018: /* eights in reversed order of bits */
        return (lane & ~7u) | fft[lane & 7];
    default:
        return lane; /* 0xe01f: all bits stay */
    }
}

static void swizzle_has_four_modes(void **state)
{
    static const unsigned offsets[] = {0x041f, 0x7c1f, 0x0018, 0x00b8, 0x801b, 0x80aa,
                                       0xc020, 0xc420, 0xc078, 0xe018, 0xe01f, 0x001f};
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++)
        for (size_t o = 0; o < COUNT(offsets); o++)
            for (size_t m = 0; m < COUNT(masks); m++) {
                hand_begin(settings[s].isa, settings[s].lanes);
                struct amdgpu_inst inst = hand_inst("ds_swizzle_b32", 1, false);
                uint32_t expected[64];
                hand_exec(masks[m]);
                inst.offset = (int32_t)offsets[o];
                for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
                    unsigned from = swizzle_source(offsets[o], lane);
                    expected[lane] = is_live(from) ? hand_v(V_ADDRESS)[from] : 0;
                    if (!is_live(lane))
                        expected[lane] = hand_v(V_DST)[lane];
                }
                assert_true(hand_run(&inst));
                for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
                    if (hand_v(V_DST)[lane] != expected[lane])
                        fail_msg("offset 0x%x: lane %u", offsets[o], lane);
            }
}

static void a_swizzle_by_eights_keeps_them(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct amdgpu_inst inst = hand_inst("ds_swizzle_b32", 1, false);
    inst.offset = 0xe000; /* all five bits reversed */
    assert_true(hand_run(&inst));
    assert_int_equal(hand_v(V_DST)[1], hand_v(V_ADDRESS)[16]);
    assert_int_equal(hand_v(V_DST)[32 + 6], hand_v(V_ADDRESS)[32 + 12]);
}

/* ---- counters ------------------------------------------------------------------------- */

static void count_live_lanes(enum amdgpu_isa isa, unsigned lanes)
{
    hand_begin(isa, lanes);
    struct amdgpu_inst append = hand_inst("ds_append", 0, false);
    struct amdgpu_inst consume = hand_inst("ds_consume", 0, false);
    append.dst[0] = consume.dst[0] = hand_vregs(V_DST, 1);
    uint32_t count = 1000, kept = hand_v(V_DST)[4];
    hand_wave()->s[hand_wave()->m0] = 64;
    append.offset = consume.offset = 16;
    memcpy(hand.lds + 80, &count, 4);
    hand_exec(0xff0f);
    assert_true(hand_run(&append));
    assert_int_equal(hand_v(V_DST)[0], 1000);
    assert_int_equal(hand_v(V_DST)[15], 1000);
    assert_int_equal(hand_v(V_DST)[4], kept);
    assert_true(hand_run(&append));
    assert_int_equal(hand_v(V_DST)[3], 1012);
    hand_exec(7);
    assert_true(hand_run(&consume));
    assert_int_equal(hand_v(V_DST)[2], 1024);
    memcpy(&count, hand.lds + 80, 4);
    assert_int_equal(count, 1021);
    append.offset = HAND_LDS;
    assert_false(hand_run(&append));
    assert_int_equal(hand.fault.kind, AMDGPU_END_SHARED);
    append.offset = 2;
    assert_false(hand_run(&append));
    assert_int_equal(hand.fault.kind, AMDGPU_END_ALIGNMENT);
}

/* Every live lane counts, and only live lanes get the old value. */
static void count_all_lanes(enum amdgpu_isa isa, unsigned lanes, uint64_t exec)
{
    static const char *const names[] = {"ds_append", "ds_consume"};
    for (unsigned n = 0; n < 2; n++) {
        uint32_t count = 5000, live = 0, before[64];
        hand_begin(isa, lanes);
        struct amdgpu_inst inst = hand_inst(names[n], 0, false);
        inst.dst[0] = hand_vregs(V_DST, 1);
        hand_wave()->s[hand_wave()->m0] = 0xabc0000;
        memcpy(hand.lds, &count, 4);
        memcpy(before, hand_v(V_DST), lanes * 4);
        hand_exec(exec);
        assert_true(hand_run(&inst));
        for (unsigned lane = 0; lane < lanes; lane++) {
            assert_int_equal(hand_v(V_DST)[lane], is_live(lane) ? 5000 : before[lane]);
            live += is_live(lane);
        }
        memcpy(&count, hand.lds, 4);
        assert_int_equal(count, n ? 5000 - live : 5000 + live);
    }
}

static void lanes_above_31_count_too(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++) {
        for (size_t m = 0; m < COUNT(masks); m++)
            count_all_lanes(settings[s].isa, settings[s].lanes, masks[m]);
        count_all_lanes(settings[s].isa, settings[s].lanes, UINT64_C(0xf0f00000) << 32);
    }
}

static void append_and_consume_count_live_lanes(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++)
        count_live_lanes(settings[s].isa, settings[s].lanes);
}

static void a_pause_of_lds_changes_nothing(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++) {
        hand_begin(settings[s].isa, settings[s].lanes);
        struct amdgpu_inst inst = hand_inst("ds_nop", 0, false);
        struct hand before = hand;
        assert_true(hand_run(&inst));
        assert_memory_equal(before.lds, hand.lds, sizeof hand.lds);
        assert_memory_equal(before.v, hand.v, sizeof hand.v);
        assert_memory_equal(before.waves[0].s, hand.waves[0].s, sizeof hand.waves[0].s);
    }
}

/* ---- checks --------------------------------------------------------------------------- */

static void begin_checked(void)
{
    hand_begin(AMDGPU_GFX90A, 64);
    hand.block.checks = amdgpu_checks_create(&hand.block);
    assert_non_null(hand.block.checks);
    amdgpu_checks_begin(hand.block.checks);
    for (unsigned w = 0; w < 2; w++)
        for (unsigned lane = 0; lane < 64; lane++)
            amdgpu_v(&hand.waves[w], V_ADDRESS)[lane] = 4 * lane;
}

static void lds_must_be_written_before_it_is_read(void **state)
{
    (void)state;
    begin_checked();
    struct amdgpu_inst load = hand_inst("ds_read_b32", 1, false);
    struct amdgpu_inst two = hand_inst("ds_read2_b32", 1, false);
    struct amdgpu_inst store = hand_inst("ds_write_b32", 1, false);
    hand_exec(~UINT64_C(0x100));
    assert_true(hand_run(&store));
    assert_true(hand_run(&load));
    hand_exec(0xff);
    two.offset1 = 1;
    assert_false(hand_run(&two));
    assert_int_equal(hand.fault.address, 32);
    hand_exec(UINT64_MAX);
    assert_false(hand_run(&load));
    assert_int_equal(hand.fault.kind, AMDGPU_END_CHECK);
    assert_int_equal(hand.fault.lane, 8);
    assert_string_equal(hand.what, "reads 4 bytes of shared memory which nothing has written");
    amdgpu_checks_destroy(hand.block.checks);
}

static void waves_race_unless_they_meet(void **state)
{
    (void)state;
    begin_checked();
    struct amdgpu_inst load = hand_inst("ds_read_b32", 1, false);
    struct amdgpu_inst store = hand_inst("ds_write_b32", 1, false);
    struct amdgpu_inst add = hand_inst("ds_add_u32", 1, false);
    assert_true(hand_run(&store));
    assert_true(hand_run(&load)); /* the accesses of one wave are in order */
    assert_false(hand_run_on(&hand.waves[1], &load));
    assert_int_equal(hand.fault.kind, AMDGPU_END_CHECK);
    assert_string_equal(hand.what, "races: reads shared memory which another thread wrote, with no "
                                   "barrier between");
    assert_int_equal(hand.fault.other, 0x1008);
    assert_int_equal(hand.fault.other_thread, 0);
    assert_true(hand.fault.other_wrote);
    amdgpu_checks_barrier(hand.block.checks);
    assert_true(hand_run(&load));
    assert_true(hand_run_on(&hand.waves[1], &load));
    assert_false(hand_run(&store));
    assert_string_equal(hand.what, "races: writes shared memory which another thread read, with no "
                                   "barrier between");
    assert_int_equal(hand.fault.other_thread, 64);
    assert_false(hand.fault.other_wrote);
    amdgpu_checks_barrier(hand.block.checks);
    assert_true(hand_run(&add));
    assert_true(hand_run_on(&hand.waves[1], &add));
    amdgpu_checks_destroy(hand.block.checks);
}

static void lanes_of_a_wave_go_on_together(void **state)
{
    (void)state;
    begin_checked();
    struct amdgpu_inst load = hand_inst("ds_read_b32", 1, false);
    struct amdgpu_inst store = hand_inst("ds_write_b32", 1, false);
    assert_true(hand_run(&store));
    for (unsigned lane = 0; lane < 64; lane++)
        hand_v(V_ADDRESS)[lane] = 4 * (63 - lane);
    assert_true(hand_run(&load));
    assert_true(hand_run(&store));
    for (unsigned lane = 0; lane < 64; lane++)
        hand_v(V_ADDRESS)[lane] = 0;
    assert_true(hand_run(&store)); /* to one address: one of the lanes wins */
    amdgpu_checks_destroy(hand.block.checks);
}

static void scratch_must_be_written_before_it_is_read(void **state)
{
    (void)state;
    begin_checked();
    struct amdgpu_inst load = hand_inst("flat_load_dword", 2, false);
    struct amdgpu_inst store = hand_inst("flat_store_dword", 2, false);
    uint64_t at[64];
    for (unsigned lane = 0; lane < 64; lane++)
        at[lane] = SIM_LOCAL_WINDOW + 4;
    hand_addresses(at);
    hand_exec(~UINT64_C(2));
    assert_true(hand_run(&store));
    assert_true(hand_run(&load));
    hand_exec(UINT64_MAX);
    assert_false(hand_run(&load));
    assert_int_equal(hand.fault.lane, 1);
    assert_string_equal(hand.what, "reads 4 bytes of local memory which nothing has written");
    amdgpu_checks_destroy(hand.block.checks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_bring_what_lds_holds),
        cmocka_unit_test(stores_leave_what_registers_hold),
        cmocka_unit_test(two_places_are_loaded_at_once),
        cmocka_unit_test(two_places_are_stored_at_once),
        cmocka_unit_test(either_place_may_be_out_of_reach),
        cmocka_unit_test(lds_ends_where_the_group_s_does),
        cmocka_unit_test(addtid_adds_m0_and_an_offset_for_each_lane),
        cmocka_unit_test(bpermute_reads_other_lanes),
        cmocka_unit_test(permute_sends_to_other_lanes),
        cmocka_unit_test(the_last_of_several_senders_wins),
        cmocka_unit_test(swizzle_has_four_modes),
        cmocka_unit_test(a_swizzle_by_eights_keeps_them),
        cmocka_unit_test(append_and_consume_count_live_lanes),
        cmocka_unit_test(lanes_above_31_count_too),
        cmocka_unit_test(a_pause_of_lds_changes_nothing),
        cmocka_unit_test(lds_must_be_written_before_it_is_read),
        cmocka_unit_test(waves_race_unless_they_meet),
        cmocka_unit_test(lanes_of_a_wave_go_on_together),
        cmocka_unit_test(scratch_must_be_written_before_it_is_read),
    };
    setenv("ANYHIP_SIM_CHECK", "uninitialised,races", 1);
    return cmocka_run_group_tests_name("lds", tests, hand_open, hand_close);
}
