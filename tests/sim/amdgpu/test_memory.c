/* FLAT, GLOBAL and MUBUF: the results of loads and stores, lane by lane, compared with the bytes of
 * memory; inaccessible addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hand_access.h"

/* ---- what is expected ----------------------------------------------------------------- */

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
    {"load_sbyte_d16", "load_d16_i8", 1, 1, true},
    {"load_short_d16", "load_d16_b16", 2, 1, false},
    {"load_ubyte_d16_hi", "load_d16_hi_u8", 1, 2, false},
    {"load_sbyte_d16_hi", "load_d16_hi_i8", 1, 2, true},
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

/* ---- ways in which lanes' addresses may lie ------------------------------------------- */

enum { ARENA = 65536, WAYS = 11 };

/* Offsets in an arena; bytes of an element. */
static void offsets_of(unsigned way, unsigned bytes, uint32_t out_offsets[64])
{
    for (unsigned lane = 0; lane < 64; lane++) {
        static const uint32_t starts[] = {1024, 1027, 252};
        switch (way) {
        case 0: /* one after the other: aligned, unaligned, and across a granule */
        case 1:
        case 2:
            out_offsets[lane] = starts[way] + lane * bytes;
            break;
        case 3:
            out_offsets[lane] = 4096 - lane * bytes;
            break;
        case 4:
            out_offsets[lane] = 512;
            break;
        case 5:
            out_offsets[lane] = 256 + lane * 3 * bytes;
            break;
        case 6:
            out_offsets[lane] = (lane * 7919u * 16) % (ARENA - 16);
            break;
        case 7: /* rows of 16 lanes; one address for each row; and a mixture */
            out_offsets[lane] = 2048 + lane / 16 * 644 + lane % 16 * bytes;
            break;
        case 8:
            out_offsets[lane] = 2048 + lane / 16 * 644;
            break;
        case 9:
            out_offsets[lane] = 2048 + lane / 16 * 5000 + lane % 16 * bytes * (lane / 16);
            break;
        default:
            out_offsets[lane] = (lane * 7919u * 13 + lane) % (ARENA - 16);
        }
    }
}

/* How an instruction of a format addresses memory. */
struct form {
    const char *prefix;
    unsigned address; /* VGPRs */
    bool base;
    int32_t offset;
};
static const struct form forms[] = {
    {"global", 2, false, 0}, {"global", 2, false, -16}, {"global", 1, true, 0},
    {"global", 1, true, 40}, {"flat", 2, false, 0},     {"buffer", 1, true, 0},
    {"buffer", 1, true, 64},
};

/* Sets registers so that lanes access arena plus their offset. */
static void aim(const struct form *form, struct amdgpu_inst *inst, uint64_t arena,
                const uint32_t offsets[64])
{
    uint64_t at[64];
    inst->offset = form->offset;
    for (unsigned lane = 0; lane < 64; lane++)
        at[lane] = (form->base ? 4096 : arena) + offsets[lane] - (uint64_t)(int64_t)form->offset;
    hand_addresses(at);
    uint64_t base = arena - 4096;
    amdgpu_set_s64(hand_wave(), S_BASE, base);
    if (strcmp(form->prefix, "buffer") == 0) {
        hand_wave()->s[S_BASE + 2] = 4096 + ARENA;
        hand_wave()->s[S_BASE + 3] = hand.isa == AMDGPU_GFX1100 ? 0x31004000 : 0x00020000;
        inst->offen = true;
    }
}

static void loads_bring_what_memory_holds(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++) {
        hand_begin(settings[s].isa, settings[s].lanes);
        struct sim_memory *arena = hand_memory(ARENA);
        for (size_t f = 0; f < COUNT(forms); f++)
            for (size_t k = 0; k < COUNT(loads); k++)
                for (unsigned way = 0; way < WAYS; way++)
                    for (size_t m = 0; m < COUNT(masks); m++) {
                        struct amdgpu_inst inst = hand_inst(name_of(forms[f].prefix, &loads[k]),
                                                            forms[f].address, forms[f].base);
                        uint32_t offsets[64];
                        const unsigned char *bytes[64];
                        offsets_of(way, loads[k].bytes, offsets);
                        for (unsigned lane = 0; lane < 64; lane++)
                            bytes[lane] = arena->view + offsets[lane];
                        hand_exec(masks[m]);
                        aim(&forms[f], &inst, arena->address, offsets);
                        check_load(&loads[k], &inst, bytes);
                    }
        sim_memory_destroy(arena);
    }
}

static void stores_leave_what_registers_hold(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++) {
        hand_begin(settings[s].isa, settings[s].lanes);
        struct sim_memory *arena = hand_memory(ARENA);
        for (size_t f = 0; f < COUNT(forms); f++)
            for (size_t k = 0; k < COUNT(stores); k++)
                for (unsigned way = 0; way < WAYS; way++)
                    for (size_t m = 0; m < COUNT(masks); m++) {
                        struct amdgpu_inst inst = hand_inst(name_of(forms[f].prefix, &stores[k]),
                                                            forms[f].address, forms[f].base);
                        uint32_t offsets[64];
                        offsets_of(way, stores[k].bytes, offsets);
                        hand_exec(masks[m]);
                        aim(&forms[f], &inst, arena->address, offsets);
                        check_store(&stores[k], &inst, arena->view, ARENA, offsets);
                    }
        sim_memory_destroy(arena);
    }
}

static void a_load_may_go_over_its_own_address(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct sim_memory *arena = hand_memory(ARENA);
    for (unsigned way = 0; way < WAYS; way++) {
        struct amdgpu_inst inst = hand_inst("global_load_dwordx4", 2, false);
        uint32_t offsets[64];
        const unsigned char *bytes[64];
        inst.dst[0].reg = V_ADDRESS;
        offsets_of(way, 16, offsets);
        for (unsigned lane = 0; lane < 64; lane++)
            bytes[lane] = arena->view + offsets[lane];
        aim(&forms[0], &inst, arena->address, offsets);
        check_load(&loads[7], &inst, bytes);
    }
    sim_memory_destroy(arena);
}

static void accumulation_registers_load_and_store_too(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct sim_memory *arena = hand_memory(ARENA);
    struct amdgpu_inst load = hand_inst("global_load_dwordx2", 2, false);
    struct amdgpu_inst store = hand_inst("global_store_dwordx2", 2, false);
    uint32_t offsets[64];
    load.dst[0].reg = 256 + 4;
    store.data.reg = 256 + 4;
    offsets_of(0, 8, offsets);
    aim(&forms[0], &load, arena->address, offsets);
    assert_true(hand_run(&load));
    for (unsigned lane = 0; lane < 64; lane++) {
        uint32_t words[2];
        memcpy(words, arena->view + offsets[lane], 8);
        assert_int_equal(hand_wave()->v[(HAND_VGPRS + 4) * 64 + lane], words[0]);
        assert_int_equal(hand_wave()->v[(HAND_VGPRS + 5) * 64 + lane], words[1]);
    }
    offsets_of(5, 8, offsets);
    aim(&forms[0], &store, arena->address, offsets);
    check_store(&stores[3], &store, arena->view, ARENA, offsets);
    sim_memory_destroy(arena);
}

/* ---- flat addresses ------------------------------------------------------------------- */

static void flat_addresses_lead_to_lds_and_scratch(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++) {
        hand_begin(settings[s].isa, settings[s].lanes);
        struct sim_memory *arena = hand_memory(ARENA);
        struct amdgpu_wave *wave = &hand.waves[1];
        struct amdgpu_inst inst = hand_inst(name_of("flat", &loads[4]), 2, false);
        uint32_t expected[64];
        for (unsigned lane = 0; lane < wave->lanes; lane++) {
            uint64_t at = lane % 3 == 0   ? arena->address + 4 * lane
                          : lane % 3 == 1 ? SIM_SHARED_WINDOW + 8 * lane
                                          : SIM_LOCAL_WINDOW + 2 * lane;
            const unsigned char *bytes =
                lane % 3 == 0   ? arena->view + 4 * lane
                : lane % 3 == 1 ? hand.lds + 8 * lane
                                : hand.scratch + (wave->lanes + lane) * HAND_STRIDE + 2 * lane;
            memcpy(&expected[lane], bytes, 4);
            amdgpu_v(wave, V_ADDRESS)[lane] = (uint32_t)at - 12;
            amdgpu_v(wave, V_ADDRESS + 1)[lane] = (uint32_t)(at >> 32);
            if ((uint32_t)at < 12) /* before the window, and into it by the offset */
                amdgpu_v(wave, V_ADDRESS + 1)[lane] -= 1;
        }
        inst.offset = 12;
        assert_true(hand_run_on(wave, &inst));
        for (unsigned lane = 0; lane < wave->lanes; lane++)
            assert_int_equal(amdgpu_v(wave, V_DST)[lane], expected[lane]);
        sim_memory_destroy(arena);
    }
}

static void all_lanes_may_go_through_one_window(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX1100, 32);
    for (unsigned window = 0; window < 2; window++) {
        struct amdgpu_inst load = hand_inst("flat_load_b64", 2, false);
        struct amdgpu_inst store = hand_inst("flat_store_b64", 2, false);
        uint64_t at[64], expected;
        for (unsigned lane = 0; lane < 32; lane++)
            at[lane] = window ? SIM_LOCAL_WINDOW + 16 : SIM_SHARED_WINDOW + 8 * lane;
        hand_addresses(at);
        assert_true(hand_run(&store));
        assert_true(hand_run(&load));
        for (unsigned lane = 0; lane < 32; lane++) {
            memcpy(&expected, window ? hand.scratch + lane * HAND_STRIDE + 16 : hand.lds + 8 * lane,
                   8);
            assert_int_equal(hand_v(V_DST)[lane], (uint32_t)expected);
            assert_int_equal(hand_v(V_DST + 1)[lane], expected >> 32);
            assert_int_equal(hand_v(V_DATA)[lane], (uint32_t)expected);
        }
    }
}

/* ---- out of reach --------------------------------------------------------------------- */

static void expect_fault(struct amdgpu_inst *inst, enum amdgpu_end_kind kind, int lane,
                         uint64_t address, const char *what)
{
    static uint32_t before[HAND_VGPRS * 64];
    memcpy(before, hand_wave()->v, sizeof before);
    if (hand_run(inst))
        fail_msg("%s goes on", inst->row->name);
    assert_int_equal(hand.fault.kind, kind);
    assert_int_equal(hand.fault.lane, lane);
    assert_true(hand.fault.has_address);
    assert_int_equal(hand.fault.address, address);
    assert_string_equal(hand.what, what);
    assert_memory_equal(before, hand_wave()->v, sizeof before);
}

static void memory_that_is_not_there_is_reported(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct sim_memory *arena = hand_memory(1000);
    struct amdgpu_inst load = hand_inst("global_load_dword", 2, false);
    struct amdgpu_inst store = hand_inst("global_store_dwordx2", 1, true);
    uint64_t at[64];
    /* one after the other: the last one that fits is lane 49 */
    for (unsigned lane = 0; lane < 64; lane++)
        at[lane] = arena->address + 800 + 4 * lane;
    hand_addresses(at);
    expect_fault(&load, AMDGPU_END_MEMORY, 50, arena->address + 1000,
                 "reads 4 bytes of global memory");
    hand_exec(((UINT64_C(1) << 50) - 1) & ~UINT64_C(1));
    assert_true(hand_run(&load));
    hand_exec(UINT64_MAX);
    /* the upper half differs */
    at[7] += UINT64_C(1) << 33;
    hand_addresses(at);
    expect_fault(&load, AMDGPU_END_MEMORY, 7, at[7], "reads 4 bytes of global memory");
    amdgpu_set_s64(hand_wave(), S_BASE, arena->address);
    for (unsigned lane = 0; lane < 64; lane++)
        hand_v(V_ADDRESS)[lane] = 8 * (63 - lane);
    hand_v(V_ADDRESS)[20] = 993;
    unsigned char before[1000];
    memcpy(before, arena->view, sizeof before);
    expect_fault(&store, AMDGPU_END_MEMORY, 20, arena->address + 993,
                 "writes 8 bytes of global memory");
    assert_memory_equal(before, arena->view, sizeof before);
    sim_memory_destroy(arena);
    assert_false(hand_run(&load)); /* freed */
}

static void another_device_s_memory_takes_peer_access(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct sim_memory *arena = sim_memory_create(SIM_MEMORY_DEVICE, 1, 4096, 0);
    assert_non_null(arena);
    struct amdgpu_inst load = hand_inst("global_load_dword", 2, false);
    uint64_t at[64];
    for (unsigned lane = 0; lane < 64; lane++)
        at[lane] = arena->address + 4 * lane;
    hand_addresses(at);
    assert_false(hand_run(&load));
    sim_peer_set(0, 1, true);
    assert_true(hand_run(&load));
    sim_peer_set(0, 1, false);
    sim_memory_destroy(arena);
}

static void windows_are_not_global_memory(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct amdgpu_inst load = hand_inst("global_load_dword", 2, false);
    struct amdgpu_inst flat = hand_inst("flat_load_dword", 2, false);
    uint64_t at[64];
    for (unsigned lane = 0; lane < 64; lane++)
        at[lane] = SIM_SHARED_WINDOW + 4 * lane;
    hand_addresses(at);
    expect_fault(&load, AMDGPU_END_MEMORY, 0, SIM_SHARED_WINDOW, "reads 4 bytes of global memory");
    at[3] = SIM_SHARED_WINDOW + HAND_LDS - 3;
    hand_addresses(at);
    expect_fault(&flat, AMDGPU_END_SHARED, 3, HAND_LDS - 3,
                 "reads 4 bytes of shared memory (of 4096 bytes)");
    at[3] = SIM_LOCAL_WINDOW + HAND_SCRATCH;
    hand_addresses(at);
    expect_fault(&flat, AMDGPU_END_SCRATCH, 3, HAND_SCRATCH,
                 "reads 4 bytes of local memory (of 256 bytes)");
}

/* Two allocations that are adjacent for kernels, and apart on the host. */
static void an_element_may_lie_in_two_mappings(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    enum { PIECE = 2 << 20 };
    uint64_t address = sim_address_reserve(2 * PIECE, PIECE, 0);
    assert_int_not_equal(address, 0);
    int file = sim_physical_create(0, 3 * PIECE, 0);
    assert_true(file >= 0);
    struct sim_memory *low = sim_memory_map(address, PIECE, file, 2 * PIECE, 0);
    struct sim_memory *high = sim_memory_map(address + PIECE, PIECE, file, 0, 0);
    assert_non_null(low);
    assert_non_null(high);
    sim_memory_set_access(low, 0, SIM_ACCESS_READ_WRITE);
    sim_memory_set_access(high, 0, SIM_ACCESS_READ_WRITE);
    struct amdgpu_inst load = hand_inst("global_load_dwordx4", 2, false);
    struct amdgpu_inst store = hand_inst("global_store_dwordx4", 2, false);
    uint64_t at[64];
    for (unsigned lane = 0; lane < 64; lane++)
        at[lane] = address + PIECE - 512 - 8 + 16 * lane;
    hand_addresses(at);
    assert_true(hand_run(&store));
    assert_true(hand_run(&load));
    for (unsigned lane = 0; lane < 64; lane++)
        for (unsigned i = 0; i < 4; i++) {
            uint64_t offset = at[lane] + 4 * i - address;
            uint32_t word;
            memcpy(&word, offset < PIECE ? low->view + offset : high->view + (offset - PIECE), 4);
            assert_int_equal(word, hand_v(V_DATA + i)[lane]);
            assert_int_equal(word, hand_v(V_DST + i)[lane]);
        }
    sim_memory_set_access(high, 0, SIM_ACCESS_READ);
    assert_true(hand_run(&load));
    assert_false(hand_run(&store));
    assert_int_equal(hand.fault.lane, 32);
    sim_memory_destroy(low);
    sim_memory_destroy(high);
    sim_physical_close(0, 3 * PIECE, file);
    sim_address_free(address, 2 * PIECE);
}

static void writes_are_reported_while_they_are_tracked(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct sim_memory *arena = sim_memory_create(SIM_MEMORY_DEVICE, 0, 4096, 0);
    struct amdgpu_inst store = hand_inst("global_store_short", 2, false);
    uint64_t at[64];
    for (unsigned lane = 0; lane < 64; lane++)
        at[lane] = arena->address + 16 + 2 * lane;
    hand_addresses(at);
    hand_exec(UINT64_C(0xff));
    assert_false(sim_memory_written(arena->address + 16, 1));
    assert_true(hand_run(&store));
    assert_true(sim_memory_written(arena->address + 16, 16));
    assert_false(sim_memory_written(arena->address + 15, 1));
    assert_false(sim_memory_written(arena->address + 32, 1));
    sim_memory_destroy(arena);
}

static void memory_must_be_written_before_it_is_read(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct sim_memory *arena = sim_memory_create(SIM_MEMORY_DEVICE, 0, 4096, 0);
    struct amdgpu_inst load = hand_inst("global_load_dword", 2, false);
    struct amdgpu_inst add = hand_inst("global_atomic_add", 2, false);
    struct amdgpu_inst store = hand_inst("global_store_dword", 2, false);
    uint64_t at[64];
    for (unsigned lane = 0; lane < 64; lane++)
        at[lane] = arena->address + 4 * lane;
    hand_addresses(at);
    hand_exec(~UINT64_C(0x10));
    assert_true(hand_run(&store));
    assert_true(hand_run(&load));
    assert_true(hand_run(&add));
    hand_exec(UINT64_MAX);
    expect_fault(&load, AMDGPU_END_CHECK, 4, at[4],
                 "reads 4 bytes of global memory which nothing has written");
    expect_fault(&add, AMDGPU_END_CHECK, 4, at[4],
                 "reads 4 bytes of global memory which nothing has written");
    sim_memory_destroy(arena);
}

/* ---- global_load_addtid --------------------------------------------------------------- */

static void addtid_adds_an_offset_for_each_lane(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX1100, 32);
    struct sim_memory *arena = hand_memory(ARENA);
    struct amdgpu_inst load = hand_inst("global_load_addtid_b32", 0, true);
    struct amdgpu_inst store = hand_inst("global_store_addtid_b32", 0, true);
    const unsigned char *bytes[64];
    uint32_t offsets[64];
    amdgpu_set_s64(hand_wave(), S_BASE, arena->address);
    load.offset = store.offset = 20;
    for (unsigned lane = 0; lane < 64; lane++) {
        offsets[lane] = 20 + 4 * lane;
        bytes[lane] = arena->view + offsets[lane];
    }
    check_load(&loads[4], &load, bytes);
    hand_exec(0xf0f0);
    check_store(&stores[2], &store, arena->view, ARENA, offsets);
    sim_memory_destroy(arena);
}

/* ---- resource descriptors ------------------------------------------------------------- */

static void describe(uint64_t base, uint32_t stride, uint32_t records, uint32_t word1,
                     uint32_t word3)
{
    uint32_t *s = &hand_wave()->s[S_BASE];
    s[0] = (uint32_t)base;
    s[1] = (uint32_t)(base >> 32) | stride << 16 | word1;
    s[2] = records;
    s[3] = word3;
}

static void buffers_have_bounds_of_bytes(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++) {
        hand_begin(settings[s].isa, settings[s].lanes);
        bool gfx11 = hand.isa == AMDGPU_GFX1100;
        struct sim_memory *arena = hand_memory(ARENA);
        struct amdgpu_inst load =
            hand_inst(gfx11 ? "buffer_load_b128" : "buffer_load_dwordx4", 1, true);
        struct amdgpu_inst store =
            hand_inst(gfx11 ? "buffer_store_b128" : "buffer_store_dwordx4", 1, true);
        describe(arena->address + 100, 0, 300, 0, gfx11 ? 0x31004000 : 0x00020000);
        hand_wave()->s[S_OFFSET] = 20;
        load.offen = store.offen = true;
        load.soffset = store.soffset = hand_sregs(S_OFFSET, 1);
        load.offset = store.offset = 8;
        for (unsigned lane = 0; lane < 64; lane++)
            hand_v(V_ADDRESS)[lane % hand_wave()->lanes] = lane * 8;
        hand_v(V_ADDRESS)[1] = UINT32_MAX - 20; /* wraps nowhere */
        assert_true(hand_run(&load));
        for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
            for (unsigned i = 0; i < 4; i++) {
                uint64_t offset = hand_v(V_ADDRESS)[lane] + UINT64_C(8) + 4 * i;
                uint32_t expected = 0;
                if (offset + 4 + 20 <= 300 && offset <= UINT32_MAX)
                    memcpy(&expected, arena->view + 100 + 20 + offset, 4);
                assert_int_equal(hand_v(V_DST + i)[lane], lane == 1 ? 0 : expected);
            }
        unsigned char *before = malloc(ARENA);
        memcpy(before, arena->view, ARENA);
        for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
            for (unsigned i = 0; i < 4; i++) {
                uint64_t offset = hand_v(V_ADDRESS)[lane] + UINT64_C(8) + 4 * i;
                if (lane != 1 && offset + 4 + 20 <= 300)
                    memcpy(before + 120 + offset, &hand_v(V_DATA + i)[lane], 4);
            }
        assert_true(hand_run(&store));
        assert_memory_equal(before, arena->view, ARENA);
        free(before);
        sim_memory_destroy(arena);
    }
}

static void buffers_have_bounds_of_records(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++) {
        hand_begin(settings[s].isa, settings[s].lanes);
        bool gfx11 = hand.isa == AMDGPU_GFX1100;
        struct sim_memory *arena = hand_memory(ARENA);
        struct amdgpu_inst load =
            hand_inst(gfx11 ? "buffer_load_b32" : "buffer_load_dword", 2, true);
        describe(arena->address, 24, 10, 0, 0); /* structured in gfx11 */
        load.offen = load.idxen = true;
        load.offset = 4;
        for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
            hand_v(V_ADDRESS)[lane] = lane % 13;
            hand_v(V_ADDRESS + 1)[lane] = lane / 13 * 8;
        }
        assert_true(hand_run(&load));
        for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
            unsigned index = lane % 13, offset = lane / 13 * 8 + 4;
            uint32_t expected = 0;
            if (index < 10 && (!gfx11 || offset + 4 <= 24))
                memcpy(&expected, arena->view + index * 24 + offset, 4);
            assert_int_equal(hand_v(V_DST)[lane], expected);
        }
        sim_memory_destroy(arena);
    }
}

static void bounds_of_gfx11_can_be_chosen(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX1100, 32);
    struct sim_memory *arena = hand_memory(ARENA);
    struct amdgpu_inst load = hand_inst("buffer_load_b32", 1, true);
    load.offen = true;
    for (unsigned lane = 0; lane < 32; lane++)
        hand_v(V_ADDRESS)[lane] = 100 * lane;
    describe(arena->address, 0, 1, 0, 2u << 28); /* none, when there are any */
    assert_true(hand_run(&load));
    for (unsigned lane = 0; lane < 32; lane++)
        assert_memory_equal(&hand_v(V_DST)[lane], arena->view + 100 * lane, 4);
    describe(arena->address, 0, 0, 0, 2u << 28);
    assert_true(hand_run(&load));
    assert_int_equal(hand_v(V_DST)[0], 0);
    describe(arena->address, 0, 1, 0, 1u << 28); /* by index alone */
    assert_true(hand_run(&load));
    assert_memory_equal(&hand_v(V_DST)[31], arena->view + 3100, 4);
    sim_memory_destroy(arena);
}

/* Structures of 16 bytes whose dwords lie together for 8 work-items. */
static void swizzled_buffers_lie_crosswise(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++) {
        hand_begin(settings[s].isa, settings[s].lanes);
        bool gfx11 = hand.isa == AMDGPU_GFX1100;
        struct sim_memory *arena = hand_memory(ARENA);
        struct amdgpu_inst load =
            hand_inst(gfx11 ? "buffer_load_b64" : "buffer_load_dwordx2", 1, true);
        describe(arena->address, 16, 1000, gfx11 ? 1u << 30 : UINT32_C(1) << 31, 0);
        load.idxen = true;
        load.offset = 4;
        for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
            hand_v(V_ADDRESS)[lane] = lane * 5;
        assert_true(hand_run(&load));
        for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
            for (unsigned i = 0; i < 2; i++) {
                unsigned index = lane * 5, dword = 1 + i;
                unsigned at = (index / 8 * 16 + dword * 4) * 8 + index % 8 * 4;
                assert_memory_equal(&hand_v(V_DST + i)[lane], arena->view + at, 4);
            }
        sim_memory_destroy(arena);
    }
}

static void what_is_in_bounds_must_be_there(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct sim_memory *arena = hand_memory(256);
    struct amdgpu_inst load = hand_inst("buffer_load_dword", 1, true);
    describe(arena->address, 0, 1024, 0, 0x00020000);
    load.offen = true;
    for (unsigned lane = 0; lane < 64; lane++)
        hand_v(V_ADDRESS)[lane] = lane == 9 ? 256 : 0;
    expect_fault(&load, AMDGPU_END_MEMORY, 9, arena->address + 256,
                 "reads 4 bytes of global memory");
    describe(SIM_SHARED_WINDOW, 0, 1024, 0, 0x00020000);
    expect_fault(&load, AMDGPU_END_MEMORY, 0, SIM_SHARED_WINDOW, "reads 4 bytes of global memory");
    sim_memory_destroy(arena);
}

/* ---- to LDS --------------------------------------------------------------------------- */

/* The word that a lane's element is extended to. */
static uint32_t word_of(const unsigned char *from, unsigned bytes, bool sign)
{
    uint32_t value = 0;
    memcpy(&value, from, bytes);
    if (sign && from[bytes - 1] >= 0x80)
        value |= UINT32_MAX << 8 * bytes;
    return value;
}

/* Runs a load of lanes whose elements are at from[lane], and checks all of LDS. */
static void check_to_lds(struct amdgpu_inst *inst, const unsigned char *const from[64],
                         unsigned bytes, bool sign)
{
    enum { AT = 100 };
    unsigned char expected[HAND_LDS];
    hand_wave()->s[hand_wave()->m0] = 0x70000 + AT;
    inst->dst[0] = (struct amdgpu_operand){0};
    memcpy(expected, hand.lds, sizeof expected);
    for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
        uint32_t word = word_of(from[lane], bytes, sign);
        if (is_live(lane))
            memcpy(expected + AT + (uint32_t)inst->offset + 4 * lane, &word, 4);
    }
    if (!hand_run(inst))
        fail_msg("%s: %s", inst->row->name, hand.what);
    assert_memory_equal(hand.lds, expected, sizeof expected);
}

static void loads_may_go_to_lds(void **state)
{
    static const struct {
        const char *name;
        unsigned bytes;
        bool sign;
    } kinds[] = {{"ubyte", 1, false},
                 {"sbyte", 1, true},
                 {"ushort", 2, false},
                 {"sshort", 2, true},
                 {"dword", 4, false}};
    (void)state;
    for (size_t m = 0; m < COUNT(masks); m++)
        for (size_t k = 0; k < COUNT(kinds); k++)
            for (unsigned form = 0; form < 3; form++) {
                static const char *const prefixes[] = {"buffer_load_", "global_load_",
                                                       "global_load_lds_"};
                char name[40];
                const unsigned char *from[64];
                hand_begin(form == 2 ? AMDGPU_GFX942 : AMDGPU_GFX90A, 64);
                snprintf(name, sizeof name, "%s%s", prefixes[form], kinds[k].name);
                struct sim_memory *arena = hand_memory(4096);
                struct amdgpu_inst inst = hand_inst(name, 1, true);
                inst.offset = 16;
                inst.lds = form < 2;
                if (form == 0) {
                    describe(arena->address, 0, 4096, 0, 0x00020000);
                    inst.offen = true;
                } else {
                    amdgpu_set_s64(hand_wave(), S_BASE, arena->address);
                }
                for (unsigned lane = 0; lane < 64; lane++) {
                    hand_v(V_ADDRESS)[lane] = lane * 37 + 5;
                    from[lane] = arena->view + 16 + lane * 37 + 5;
                }
                hand_exec(masks[m]);
                check_to_lds(&inst, from, kinds[k].bytes, kinds[k].sign);
                sim_memory_destroy(arena);
            }
}

static void loads_to_lds_stay_within_it(void **state)
{
    (void)state;
    hand_begin(AMDGPU_GFX90A, 64);
    struct sim_memory *arena = hand_memory(4096);
    struct amdgpu_inst inst = hand_inst("buffer_load_dword", 0, true);
    inst.lds = true;
    inst.dst[0] = (struct amdgpu_operand){0};
    describe(arena->address, 0, 4096, 0, 0x00020000);
    hand_wave()->s[hand_wave()->m0] = HAND_LDS - 63 * 4;
    hand_exec(UINT64_MAX >> 1);
    assert_true(hand_run(&inst));
    hand_exec(UINT64_MAX);
    assert_false(hand_run(&inst));
    assert_int_equal(hand.fault.kind, AMDGPU_END_SHARED);
    assert_int_equal(hand.fault.address, HAND_LDS);
    assert_int_equal(hand.fault.lane, 63);
    hand_wave()->s[hand_wave()->m0] = 2;
    assert_false(hand_run(&inst));
    assert_int_equal(hand.fault.kind, AMDGPU_END_ALIGNMENT);
    hand_exec(0);
    assert_true(hand_run(&inst));
    sim_memory_destroy(arena);
}

/* Wider ones, stores and atomics have no such form. */
static void only_words_go_to_lds(void **state)
{
    static const char *const names[] = {"buffer_load_dwordx2", "buffer_load_short_d16",
                                        "buffer_store_dword", "buffer_atomic_add",
                                        "buffer_load_format_xy"};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        hand_begin(AMDGPU_GFX90A, 64);
        struct amdgpu_inst inst = hand_inst(names[i], 1, true);
        struct amdgpu_op op = {.length = 8, .inst = &inst};
        inst.lds = true;
        assert_false(amdgpu_emit_memory(AMDGPU_GFX90A, 64, &inst, &op));
    }
}

/* ---- rows ----------------------------------------------------------------------------- */

/* Rows that are not simulated: global counters; legacy instructions with two addresses in LDS; ray
 * tracing; atomics of SMEM except those of trap handlers. */
static bool is_refused(const struct amdgpu_row *row)
{
    static const char *const parts[] = {"gws_sema", "ordered",         "src2",  "gs_reg", "bvh",
                                        "s_atomic", "s_buffer_atomic", "waveid"};
    if (strncmp(row->name, "s_atomic_swap", 13) == 0 || strcmp(row->name, "s_atomic_add") == 0 ||
        strcmp(row->name, "s_atomic_add_x2") == 0)
        return false;
    for (size_t i = 0; i < COUNT(parts); i++)
        if (strstr(row->name, parts[i]))
            return true;
    return false;
}

static void every_row_of_memory_is_there_or_known_not_to_be(void **state)
{
    (void)state;
    const struct amdgpu_row *row;
    unsigned seen = 0;
    for (size_t i = 0; (row = amdgpu_row_at(i)); i++) {
        if (row->format < AMDGPU_SMEM || (row->format > AMDGPU_SMEM && row->format < AMDGPU_DS) ||
            row->format >= AMDGPU_MIMG || strstr(row->name, "_format")) /* test_image.c */
            continue;
        for (unsigned isa = 0; isa < AMDGPU_ISA_COUNT; isa++) {
            if (!(row->isas >> isa & 1))
                continue;
            hand_begin((enum amdgpu_isa)isa, 64);
            struct amdgpu_inst inst = hand_inst(
                row->name, 2, row->format == AMDGPU_MUBUF || row->format == AMDGPU_GLOBAL);
            struct amdgpu_op op = {.length = 8, .inst = &inst};
            bool there = amdgpu_emit_memory((enum amdgpu_isa)isa, 64, &inst, &op);
            if (there == is_refused(row))
                fail_msg("%s is %s", row->name, there ? "there" : "refused");
            seen++;
        }
    }
    assert_true(seen > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_bring_what_memory_holds),
        cmocka_unit_test(stores_leave_what_registers_hold),
        cmocka_unit_test(a_load_may_go_over_its_own_address),
        cmocka_unit_test(accumulation_registers_load_and_store_too),
        cmocka_unit_test(flat_addresses_lead_to_lds_and_scratch),
        cmocka_unit_test(all_lanes_may_go_through_one_window),
        cmocka_unit_test(memory_that_is_not_there_is_reported),
        cmocka_unit_test(another_device_s_memory_takes_peer_access),
        cmocka_unit_test(windows_are_not_global_memory),
        cmocka_unit_test(an_element_may_lie_in_two_mappings),
        cmocka_unit_test(addtid_adds_an_offset_for_each_lane),
        cmocka_unit_test(buffers_have_bounds_of_bytes),
        cmocka_unit_test(buffers_have_bounds_of_records),
        cmocka_unit_test(bounds_of_gfx11_can_be_chosen),
        cmocka_unit_test(swizzled_buffers_lie_crosswise),
        cmocka_unit_test(what_is_in_bounds_must_be_there),
        cmocka_unit_test(loads_may_go_to_lds),
        cmocka_unit_test(loads_to_lds_stay_within_it),
        cmocka_unit_test(only_words_go_to_lds),
        cmocka_unit_test(every_row_of_memory_is_there_or_known_not_to_be),
    };
    const struct CMUnitTest tracked[] = {
        cmocka_unit_test(writes_are_reported_while_they_are_tracked),
        cmocka_unit_test(memory_must_be_written_before_it_is_read),
    };
    int failed = cmocka_run_group_tests_name("memory", tests, hand_open, hand_close);
    sim_memory_track_writes(true);
    return failed + cmocka_run_group_tests_name("tracked", tracked, hand_open, hand_close);
}
