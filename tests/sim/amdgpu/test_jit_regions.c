/* What regions of AMDGPU code consist of, where waves enter them, and when they do not any more. */
#include "amdgpu_alu.h"
#include "amdgpu_jit.h"
#include "amdgpu_jit_sites.h"
#include "amdgpu_memory.h"
#include "sim_memory.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum {
    S_ADDK = 0xb752ffff,    /* s_addk_i32 s82, -1 */
    S_CMP = 0xbf078052,     /* s_cmp_lg_u32 s82, 0 */
    S_LOOP = 0xbf85fffc,    /* s_cbranch_scc1 to the fourth instruction before the next */
    S_BARRIER = 0xbf8a0000, /* s_barrier */
    S_ENDPGM = 0xbf810000,  /* s_endpgm */
    S_SAVE = 0xbe80206a,    /* s_and_saveexec_b64 s[0:1], vcc */
    S_SKIP = 0xbf880001,    /* s_cbranch_execz over an instruction */
    S_RESTORE = 0x87fe007e, /* s_or_b64 exec, exec, s[0:1] */
    V_ADD = 0x68000300,     /* v_add_u32 v0, v0, v1 */
    V_MOV = 0x7e040281,     /* v_mov_b32 v2, 1 */
    MODE = 0xf0,
    PAGES = 4,
    SIZE = PAGES * AMDGPU_PAGE_SIZE
};

static const struct amdgpu_emitters emitters = {.vector = amdgpu_emit_vector,
                                                .memory = amdgpu_emit_memory,
                                                .matrix = amdgpu_emit_matrix,
                                                .free = amdgpu_jit_free};

static struct machine {
    struct amdgpu_device device;
    struct amdgpu_dispatch dispatch;
    struct amdgpu_block block;
    struct amdgpu_wave wave;
    struct sim_memory *memory;
    _Alignas(64) uint32_t v[8 * 64];
} m;

/* Puts code into memory. Returns its first op. */
static const struct amdgpu_op *load(const uint32_t *words, size_t size)
{
    static const struct amdgpu_shape like = {
        .isa = AMDGPU_GFX90A, .lanes = 64, .vgprs = 8, .emitters = &emitters};
    memset(&m, 0, sizeof m);
    m.memory = sim_memory_create(SIM_MEMORY_DEVICE, 0, SIZE, AMDGPU_PAGE_SIZE);
    assert_non_null(m.memory);
    memcpy(m.memory->view, words, size);
    m.dispatch.device = &m.device;
    m.dispatch.shape = amdgpu_shape_of(&like);
    m.block.dispatch = &m.dispatch;
    m.wave.block = &m.block;
    m.wave.v = m.v;
    m.wave.lanes = 64;
    m.wave.vgprs = 8;
    m.wave.m0 = 124;
    m.wave.mode = MODE;
    amdgpu_set_s64(&m.wave, AMDGPU_EXEC, UINT64_MAX);
    const struct amdgpu_op *op = amdgpu_goto(&m.wave, m.memory->address);
    assert_non_null(op);
    return amdgpu_ahead(op);
}

static void unload(void)
{
    amdgpu_code_discard(m.memory->address, SIZE);
    sim_memory_destroy(m.memory);
}

/* data: an op, or NULL. */
static bool is_op(const void *data, const struct amdgpu_op *op)
{
    return op == data;
}

static struct amdgpu_region *create(const struct amdgpu_op *op, enum amdgpu_region_kind kind,
                                    const struct amdgpu_op *other)
{
    const struct amdgpu_plan plan = {
        .root = op, .kind = kind, .mode = MODE, .is_of_another = is_op, .data = other};
    return amdgpu_region_create(&plan);
}

/* How often additions are in the region. */
static unsigned additions(const struct amdgpu_region *region)
{
    unsigned count = 0;
    for (unsigned b = 0; b < region->region.block_count; b++)
        for (unsigned n = 0; n < region->region.blocks[b].inst_count; n++)
            count += strstr(region->region.blocks[b].insts[n].function, "_V_ADD_") != NULL;
    return count;
}

/* Two loops, and what follows a barrier. */
static const uint32_t loops[] = {V_ADD,  S_ADDK,    S_CMP, S_LOOP, V_ADD, S_ADDK,  S_CMP,
                                 S_LOOP, S_BARRIER, V_ADD, V_MOV,  V_ADD, S_ENDPGM};

static void loops_and_what_follows_barriers_are_entries_of_one_region(void **state)
{
    (void)state;
    const struct amdgpu_op *op = load(loops, sizeof loops);
    struct amdgpu_region *region = create(op, AMDGPU_FOR_ALL, NULL);
    assert_non_null(region);
    assert_int_equal(additions(region), 4);
    assert_int_equal(region->region.entry_count, 3);
    assert_ptr_equal(region->entries[0].op, op);
    for (unsigned e = 0; e < 3; e++) {
        assert_true(region->entries[e].full);
        assert_true(region->entries[e].op == op || region->entries[e].op == op + 4 ||
                    region->entries[e].op == op + 9);
    }
    amdgpu_region_destroy(region);
    unload();
}

static void a_region_is_left_where_another_begins(void **state)
{
    (void)state;
    const struct amdgpu_op *op = load(loops, sizeof loops);
    struct amdgpu_region *region = create(op, AMDGPU_FOR_ALL, op + 4);
    assert_non_null(region);
    assert_int_equal(additions(region), 1);
    assert_int_equal(region->region.entry_count, 1);
    amdgpu_region_destroy(region);
    unload();
}

/* Lanes may part at the first instruction, and come together at the last. */
static void only_regions_for_both_kinds_of_waves_have_code_twice(void **state)
{
    (void)state;
    static const uint32_t words[] = {S_SAVE, S_SKIP, V_ADD, S_RESTORE, V_ADD, V_MOV, S_ENDPGM};
    static const unsigned expected[] = {
        [AMDGPU_FOR_ALL] = 2, [AMDGPU_FOR_SOME] = 2, [AMDGPU_FOR_BOTH] = 4};
    const struct amdgpu_op *op = load(words, sizeof words);
    for (int kind = 0; kind < AMDGPU_REGION_KINDS; kind++) {
        struct amdgpu_region *region = create(op, (enum amdgpu_region_kind)kind, NULL);
        assert_non_null(region);
        assert_int_equal(additions(region), expected[kind]);
        amdgpu_region_destroy(region);
    }
    unload();
}

static void what_is_too_long_continues_in_another_region(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    uint32_t *words = malloc((COUNT + 1) * sizeof *words);
    for (unsigned i = 0; i < COUNT; i++)
        words[i] = V_ADD;
    words[COUNT] = S_ENDPGM;
    const struct amdgpu_op *op = load(words, (COUNT + 1) * sizeof *words);
    struct amdgpu_region *region = create(op, AMDGPU_FOR_ALL, NULL);
    assert_non_null(region);
    assert_int_equal(region->cut_count, 1);
    struct amdgpu_region *rest = create(region->cuts[0], AMDGPU_FOR_ALL, NULL);
    assert_non_null(rest);
    assert_int_equal(additions(region) + additions(rest), COUNT);
    assert_int_equal(rest->cut_count, 0);
    amdgpu_region_destroy(region);
    amdgpu_region_destroy(rest);
    free(words);
    unload();
}

/* ---- entering ---------------------------------------------------------------------------- */

/* The op, whose region is compiled now. */
static const struct amdgpu_op *load_compiled(const uint32_t *words, size_t size)
{
    const struct amdgpu_op *op = load(words, size);
    struct amdgpu_unit *unit = amdgpu_unit_at(op, MODE);
    assert_non_null(unit);
    amdgpu_unit_request(unit, AMDGPU_FOR_ALL);
    jit_finish();
    assert_ptr_equal(op->run, amdgpu_jit_enter);
    return op;
}

static void enter_often(const struct amdgpu_op *op)
{
    for (unsigned i = 0; i < 1000; i++) {
        m.wave.left = 1000;
        op->run(&m.wave, op);
    }
}

static void a_region_that_is_left_after_few_ops_is_not_entered_any_more(void **state)
{
    (void)state;
    static const uint32_t brief[] = {V_ADD, V_MOV, V_ADD, S_BARRIER, S_ENDPGM};
    uint32_t longer[20];
    for (unsigned i = 0; i < 19; i++)
        longer[i] = V_ADD;
    longer[19] = S_ENDPGM;
    const struct amdgpu_op *op = load_compiled(brief, sizeof brief);
    enter_often(op);
    assert_ptr_not_equal(op->run, amdgpu_jit_enter);
    assert_ptr_equal(op->run, amdgpu_jit_handler(op));
    unload();
    op = load_compiled(longer, sizeof longer);
    enter_often(op);
    assert_ptr_equal(op->run, amdgpu_jit_enter);
    unload();
}

static int space_open(void **state)
{
    (void)state;
    size_t bytes = (size_t)1 << 30;
    return sim_space_open(&bytes, 1) ? 0 : -1;
}

static int space_close(void **state)
{
    (void)state;
    sim_space_close();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(loops_and_what_follows_barriers_are_entries_of_one_region),
        AH_TEST(a_region_is_left_where_another_begins),
        AH_TEST(only_regions_for_both_kinds_of_waves_have_code_twice),
        AH_TEST(what_is_too_long_continues_in_another_region),
        AH_TEST(a_region_that_is_left_after_few_ops_is_not_entered_any_more),
    };
    setenv("ANYHIP_SIM_JIT", "on", 1);
    setenv("ANYHIP_SIM_JIT_CACHE", "off", 1);
    return cmocka_run_group_tests(tests, space_open, space_close);
}
