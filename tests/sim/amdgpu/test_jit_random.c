/* Compiled regions against the interpreter: random programs, which have to leave the same
 * registers, LDS and memory, lane by lane. jit_random.h says how to choose which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../jit_random.h"
#include "amdgpu_alu.h"
#include "amdgpu_jit.h"
#include "amdgpu_jit_region.h"
#include "amdgpu_memory.h"
#include "random_nans.h"
#include "random_program.h"
#include "sim_memory.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGES = 4, CODE = PAGES * AMDGPU_PAGE_SIZE, WORDS = RANDOM_BYTES / 4, OPS_MAX = 1 << 20 };

struct machine {
    struct amdgpu_device device;
    struct amdgpu_dispatch dispatch;
    struct amdgpu_block block;
    struct amdgpu_wave wave;
    uint32_t lds[WORDS], memory[WORDS]; /* memory: what it is afterwards */
    _Alignas(64) uint32_t v[RANDOM_VGPRS * AMDGPU_LANES_MAX];
};

static const struct amdgpu_emitters emitters = {
    .vector = amdgpu_emit_vector, .memory = amdgpu_emit_memory, .matrix = amdgpu_emit_matrix};

/* ---- waves ------------------------------------------------------------------------------- */

/* Mostly numbers of a size that means something, sometimes any bits. */
static uint32_t draw_value(uint64_t *state)
{
    static const uint32_t special[] = {0,          1,          UINT32_MAX, 0x80000000, 0x3f800000,
                                       0x7f800000, 0xbf800000, 0x00000001, 0x7fffffff, 0xffff};
    switch (random_state_below(state, 4)) {
    case 0:
        return special[random_state_below(state, sizeof special / sizeof *special)];
    case 1:
        return random_state_below(state, 256);
    case 2: {
        float x = (float)((int32_t)random_state_below(state, 1 << 16) - (1 << 15)) / 16.0f;
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        return bits;
    }
    default:
        return random_state_below(state, UINT32_MAX) & 0x7f7fffff;
    }
}

static void draw_values(uint64_t *state, uint32_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = draw_value(state);
}

/* A copy's, too. */
static void set_pointers(struct machine *machine)
{
    machine->dispatch.device = &machine->device;
    machine->block.dispatch = &machine->dispatch;
    machine->block.waves = &machine->wave;
    machine->block.wave_count = 1;
    machine->block.lds = (unsigned char *)machine->lds;
    machine->block.lds_size = sizeof machine->lds;
    machine->wave.v = machine->v;
    machine->wave.block = &machine->block;
}

static struct machine *empty_machine(void)
{
    struct machine *machine = aligned_alloc(64, (sizeof *machine + 63) / 64 * 64);
    assert_non_null(machine);
    memset(machine, 0, sizeof *machine);
    set_pointers(machine);
    return machine;
}

static struct machine *make_machine(const struct amdgpu_shape *shape, uint64_t data,
                                    uint64_t *state)
{
    struct machine *machine = empty_machine();
    machine->dispatch.shape = shape;
    machine->dispatch.lanes = shape->lanes;
    struct amdgpu_wave *wave = &machine->wave;
    wave->lanes = shape->lanes;
    wave->vgprs = shape->vgprs;
    wave->m0 = amdgpu_family_of(shape->isa) == AMDGPU_GFX11 ? 125 : 124;
    wave->mode = 0xf0;
    draw_values(state, machine->v, RANDOM_LANE * shape->lanes);
    draw_values(state, wave->s, AMDGPU_SREGS);
    draw_values(state, machine->lds, WORDS);
    draw_values(state, machine->memory, WORDS);
    for (unsigned lane = 0; lane < shape->lanes; lane++)
        machine->v[RANDOM_LANE * shape->lanes + lane] = lane;
    amdgpu_set_s64(wave, RANDOM_BASE, data);
    uint64_t all = amdgpu_all_lanes(wave), some = random_state_below(state, UINT32_MAX);
    some |= (uint64_t)random_state_below(state, UINT32_MAX) << 32;
    amdgpu_set_s64(wave, AMDGPU_EXEC, random_state_below(state, 2) ? all : some & all);
    wave->scc = random_state_below(state, 2);
    wave->left = random_state_below(state, 4) ? OPS_MAX : (int)random_state_below(state, 200);
    return machine;
}

static struct machine *copy_machine(const struct machine *from)
{
    struct machine *machine = empty_machine();
    *machine = *from;
    set_pointers(machine);
    return machine;
}

/* ---- comparison -------------------------------------------------------------------------- */

static void print_program(const struct amdgpu_op *op, const struct amdgpu_shape *shape)
{
    for (;; op = amdgpu_ahead(amdgpu_next(op))) {
        char text[256];
        amdgpu_print(shape->isa, shape->lanes, op->inst, text, sizeof text);
        fprintf(stderr, "    0x%x: %s\n", (unsigned)op->offset, text);
        if (op->inst->row->id == AMDGPU_ID_S_ENDPGM)
            break;
    }
}

/* Words that differed in what the bits of NaNs have made of them. */
static unsigned forgiven;

/* Of words whose name has two numbers: of which there are so many, and within; upper halves of
 * values of 64 bits have the next number. Words that are not 0 in open may be any. */
static unsigned compare_words(const char *name, const uint32_t *want, const uint32_t *got,
                              const uint32_t *open, size_t count, size_t within)
{
    unsigned differences = 0;
    for (size_t i = 0; i < count; i++) {
        size_t upper = i + within < count ? i + within : i;
        if (amdgpu_is_same(want[i], got[i]) || amdgpu_are_nans(want[upper], got[upper]))
            continue;
        forgiven += open[i] != 0;
        if (open[i])
            continue;
        if (differences++ < 4)
            fprintf(stderr, "  %s %zu, %zu: %08x by the interpreter, %08x compiled\n", name,
                    i / within, i % within, want[i], got[i]);
    }
    return differences;
}

static unsigned compare(const struct machine *want, const struct machine *got,
                        const struct machine *open)
{
    unsigned lanes = want->wave.lanes;
    return compare_words("v", want->v, got->v, open->v, RANDOM_VGPRS * lanes, lanes) +
           compare_words("s", want->wave.s, got->wave.s, open->wave.s, AMDGPU_SREGS, 1) +
           compare_words("lds", want->lds, got->lds, open->lds, WORDS, 1) +
           compare_words("memory", want->memory, got->memory, open->memory, WORDS, 1) +
           compare_words("scc", &want->wave.scc, &got->wave.scc, &open->wave.scc, 1, 1);
}

/* ---- both ways --------------------------------------------------------------------------- */

static bool is_end(const struct amdgpu_op *op)
{
    return amdgpu_is_decoded(op) && op->inst && op->inst->row->id == AMDGPU_ID_S_ENDPGM;
}

/* To the end. Returns whether it has come to op left with so much of its budget. */
static bool interpret(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                      const struct amdgpu_op *left, int budget)
{
    bool came = false;
    for (unsigned i = 0; op && i < OPS_MAX; i++) {
        came |= op == left && wave->left == budget;
        if (is_end(op))
            break;
        bool counts = amdgpu_is_decoded(op) && op->inst; /* others are ends of pages */
        op = op->run(wave, op);
        wave->left -= counts;
    }
    return came;
}

/* ---- other NaNs -------------------------------------------------------------------------- */

/* To the end, where NaNs that are computed are others each time. */
static void interpret_others(struct machine *machine, const struct amdgpu_op *op, uint64_t *state)
{
    struct amdgpu_wave *wave = &machine->wave;
    uint32_t *before = malloc(sizeof machine->v);
    assert_non_null(before);
    for (unsigned i = 0; op && i < OPS_MAX && !is_end(op); i++) {
        bool counts = amdgpu_is_decoded(op) && op->inst;
        const struct amdgpu_op *done = op;
        uint64_t exec = amdgpu_exec(wave);
        memcpy(before, machine->v, sizeof machine->v);
        op = op->run(wave, op);
        wave->left -= counts;
        if (counts)
            random_nans_change(wave, done, exec, before, state);
    }
    free(before);
}

static void add_differences(uint32_t *open, const uint32_t *a, const uint32_t *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        open[i] |= a[i] ^ b[i];
}

/* What depends on the bits of NaNs that a program from op on computes: words of a machine of zeros,
 * which are not 0 then. began, ended: the interpreter's before and after it. */
static struct machine *find_open(const struct machine *began, const struct machine *ended,
                                 const struct amdgpu_op *op, struct sim_memory *data)
{
    enum { TIMES = 8 };
    struct machine *open = empty_machine();
    uint64_t state = random_state_of(1);
    for (unsigned i = 0; i < TIMES; i++) {
        struct machine *other = copy_machine(began);
        memcpy(data->view, began->memory, RANDOM_BYTES);
        interpret_others(other, op, &state);
        memcpy(other->memory, data->view, RANDOM_BYTES);
        add_differences(open->v, other->v, ended->v, RANDOM_VGPRS * AMDGPU_LANES_MAX);
        add_differences(open->wave.s, other->wave.s, ended->wave.s, AMDGPU_SREGS);
        add_differences(open->lds, other->lds, ended->lds, WORDS);
        add_differences(open->memory, other->memory, ended->memory, WORDS);
        open->wave.scc |= other->wave.scc ^ ended->wave.scc;
        free(other);
    }
    return open;
}

/* ---- regions ----------------------------------------------------------------------------- */

/* The number of an entry for a wave at op, as its lanes are. UINT32_MAX: there is none. */
static unsigned entry_at(const struct amdgpu_region *region, const struct amdgpu_wave *wave,
                         const struct amdgpu_op *op)
{
    bool full = amdgpu_exec(wave) == amdgpu_all_lanes(wave);
    for (unsigned e = 0; e < region->region.entry_count; e++)
        if (region->entries[e].op == op && region->entries[e].full == full)
            return e;
    return UINT32_MAX;
}

/* To an entry of the region, or to the end. */
static const struct amdgpu_op *go_on(const struct amdgpu_region *region, struct amdgpu_wave *wave,
                                     const struct amdgpu_op *op)
{
    for (unsigned i = 0; op && i < OPS_MAX && !is_end(op); i++) {
        bool counts = amdgpu_is_decoded(op) && op->inst;
        op = op->run(wave, op);
        wave->left -= counts;
        if (op && entry_at(region, wave, op) != UINT32_MAX)
            break;
    }
    return op;
}

/* Executes a program by its region, which waves enter again wherever that is possible, at most so
 * often. Returns the op at which it is left at last, or NULL. */
static const struct amdgpu_op *run_region(const struct amdgpu_region *region, jit_code code,
                                          struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                          unsigned times, bool *out_differs)
{
    *out_differs = false;
    for (unsigned i = 0; i < times && op && !*out_differs; i++) {
        unsigned entry = entry_at(region, wave, op);
        if (entry == UINT32_MAX)
            break;
        wave->entry = entry;
        op = jit_mode() == JIT_COMPARE ? amdgpu_compare(wave, op, code, out_differs) : code(wave);
        if (i + 1 < times)
            op = go_on(region, wave, op);
    }
    return op;
}

/* From op on. Returns as interpret. */
static bool interpret_all(struct machine *machine, struct sim_memory *data,
                          const struct amdgpu_op *op, const struct amdgpu_op *left, int budget)
{
    memcpy(data->view, machine->memory, RANDOM_BYTES);
    bool came = interpret(&machine->wave, op, left, budget);
    memcpy(machine->memory, data->view, RANDOM_BYTES);
    return came;
}

/* Executes a program both ways, where its region is left by the interpreter: which slots the region
 * need not write back shows only at the end. False: they differ. */
static bool check_program(const struct amdgpu_region *region, jit_code code,
                          const struct amdgpu_op *op, const struct machine *began,
                          struct sim_memory *data, unsigned times)
{
    struct machine *interpreted = copy_machine(began), *compiled = copy_machine(began);
    bool differs = false;
    memcpy(data->view, began->memory, RANDOM_BYTES);
    const struct amdgpu_op *left = run_region(region, code, &compiled->wave, op, times, &differs);
    int budget = compiled->wave.left;
    interpret(&compiled->wave, left, NULL, 0);
    memcpy(compiled->memory, data->view, RANDOM_BYTES);
    bool same = interpret_all(interpreted, data, op, left, budget);
    struct machine *open = find_open(began, interpreted, op, data);
    if (!same)
        fprintf(stderr, "  the interpreter does not come to where the region was left\n");
    same = compare(interpreted, compiled, open) == 0 && same && !differs;
    free(open);
    free(interpreted);
    free(compiled);
    return same;
}

/* Where a program begins: sometimes near the end of a page. */
static uint32_t *place(const struct sim_memory *code, unsigned which)
{
    unsigned offset = which % 4 ? 0 : AMDGPU_PAGE_SIZE - 4 * (which / 4 % 32 + 1);
    return (uint32_t *)(void *)(code->view + offset);
}

static const struct amdgpu_shape *shape_of(enum amdgpu_isa isa, unsigned lanes)
{
    const struct amdgpu_shape like = {
        .isa = isa, .lanes = lanes, .vgprs = RANDOM_VGPRS, .emitters = &emitters};
    return amdgpu_shape_of(&like);
}

static bool is_of_none(const void *data, const struct amdgpu_op *op)
{
    (void)data;
    (void)op;
    return false;
}

static struct amdgpu_region *create_region(const struct amdgpu_op *op, uint32_t mode,
                                           enum amdgpu_region_kind kind)
{
    const struct amdgpu_plan plan = {
        .root = op, .kind = kind, .mode = mode, .is_of_another = is_of_none};
    return amdgpu_region_create(&plan);
}

/* Executes the code at start from the state of a machine, by a region of a kind. False: it differs,
 * which is printed. */
static bool check_code(struct machine *machine, const struct sim_memory *memory,
                       const uint32_t *start, struct sim_memory *data, enum amdgpu_region_kind kind,
                       unsigned times)
{
    const struct amdgpu_shape *shape = machine->dispatch.shape;
    forgiven = 0;
    uint64_t entry = memory->address + (uint64_t)((const unsigned char *)start - memory->view);
    const struct amdgpu_op *op = amdgpu_goto(&machine->wave, entry);
    assert_non_null(op);
    op = amdgpu_ahead(op);
    bool same = true;
    struct amdgpu_region *region = create_region(op, machine->wave.mode, kind);
    struct jit_region *made = NULL;
    if (region) /* all registers are compared, though none matters once the wave has ended */
        region->region.live = NULL;
    jit_code code = region ? jit_compile_now(&region->region, &made) : NULL;
    if (code)
        same = check_program(region, code, op, machine, data, times);
    if (!same && getenv("RANDOM_PRINT"))
        print_program(op, shape);
    jit_free(made);
    amdgpu_region_destroy(region);
    amdgpu_code_discard(memory->address, CODE);
    return same;
}

static bool try_on(enum amdgpu_isa isa, unsigned lanes, unsigned which, unsigned length)
{
    struct sim_memory *memory = sim_memory_create(SIM_MEMORY_DEVICE, 0, CODE, AMDGPU_PAGE_SIZE);
    struct sim_memory *data = sim_memory_create(SIM_MEMORY_DEVICE, 0, RANDOM_BYTES, 4096);
    assert_true(memory && data);
    struct random_program program = {.isa = isa,
                                     .lanes = lanes,
                                     .state = random_state_of(which),
                                     .code = place(memory, which),
                                     .room = CODE / 8};
    random_program(&program, length);
    struct machine *machine = make_machine(shape_of(isa, lanes), data->address, &program.state);
    bool full = amdgpu_exec(&machine->wave) == amdgpu_all_lanes(&machine->wave);
    enum amdgpu_region_kind kind = which / 2 % 2 ? AMDGPU_FOR_BOTH
                                   : full        ? AMDGPU_FOR_ALL
                                                 : AMDGPU_FOR_SOME;
    bool same = check_code(machine, memory, program.code, data, kind, which % 3 ? 100 : 1);
    if (!same || forgiven)
        fprintf(stderr, "program %u of %s differs%s\n", which, amdgpu_isa_name(isa),
                same ? " in what it makes of the bits of NaNs" : "");
    sim_memory_destroy(memory);
    sim_memory_destroy(data);
    free(machine);
    return same;
}

static bool try_gfx90a(unsigned which, unsigned length)
{
    return try_on(AMDGPU_GFX90A, 64, which, length);
}

static bool try_gfx1100(unsigned which, unsigned length)
{
    return try_on(AMDGPU_GFX1100, 32, which, length);
}

static void random_programs_do_the_same_compiled_on_gfx90a(void **state)
{
    (void)state;
    jit_random_run(&(struct jit_random){"programs of gfx90a", 12, 20, try_gfx90a});
}

static void random_programs_do_the_same_compiled_on_gfx1100(void **state)
{
    (void)state;
    jit_random_run(&(struct jit_random){"programs of gfx1100", 12, 20, try_gfx1100});
}

/* A machine of gfx90a, the memory of its code, which is these words, and what it accesses. */
static struct machine *machine_of(const uint32_t *words, size_t size, struct sim_memory **out_code,
                                  struct sim_memory **out_data)
{
    uint64_t draws = 1;
    *out_code = sim_memory_create(SIM_MEMORY_DEVICE, 0, CODE, AMDGPU_PAGE_SIZE);
    *out_data = sim_memory_create(SIM_MEMORY_DEVICE, 0, RANDOM_BYTES, 4096);
    assert_true(*out_code && *out_data);
    memcpy((*out_code)->view, words, size);
    return make_machine(shape_of(AMDGPU_GFX90A, 64), (*out_data)->address, &draws);
}

/* Of two NaNs, which one a sum is, and what integers make of it, is open, and nothing else. */
static void only_what_depends_on_the_bits_of_nans_is_open(void **state)
{
    (void)state;
    static const uint32_t words[] = {
        0x7e0002ff, 0x7fc00001, /* v_mov_b32 v0, a NaN */
        0x7e0202ff, 0x7fc00002, /* v_mov_b32 v1, a NaN */
        0x02040300,             /* v_add_f32 v2, v0, v1 */
        0x2a060484,             /* v_xor_b32 v3, 4, v2 */
        0x2a080084,             /* v_xor_b32 v4, 4, v0 */
        0x020a0af2,             /* v_add_f32 v5, 1.0, v5 */
        0xbf810000,             /* s_endpgm */
    };
    struct sim_memory *memory, *data;
    struct machine *began = machine_of(words, sizeof words, &memory, &data);
    const struct amdgpu_op *op = amdgpu_goto(&began->wave, memory->address);
    assert_non_null(op);
    amdgpu_set_s64(&began->wave, AMDGPU_EXEC, 2);
    began->v[5 * 64 + 1] = 0x3f800000;
    struct machine *ended = copy_machine(began);
    interpret_all(ended, data, op, NULL, 0);
    struct machine *open = find_open(began, ended, op, data);
    for (size_t i = 0; i < (size_t)RANDOM_VGPRS * 64; i++)
        assert_int_equal(open->v[i] != 0, i == 2 * 64 + 1 || i == 3 * 64 + 1);
    assert_int_equal(open->v[2 * 64 + 1] & 0x7fc00000, 0);
    amdgpu_code_discard(memory->address, CODE);
    sim_memory_destroy(memory);
    sim_memory_destroy(data);
    free(began);
    free(ended);
    free(open);
}

/* A sum of two NaNs of which the host's compilers have made another one than the interpreter's,
 * and integer instructions other words of that. */
static void a_program_may_make_other_words_of_nans(void **state)
{
    (void)state;
    assert_true(try_gfx90a(501913, 20));
}

/* A loop of all lanes, before which there were some, is left since the budget is spent. */
static void a_loop_that_is_left_keeps_which_lanes_are_live(void **state)
{
    (void)state;
    static const uint32_t words[] = {
        0xbefe01c1, /* s_mov_b64 exec, -1 */
        0xb0520003, /* s_movk_i32 s82, 3 */
        0x68000300, /* v_add_u32 v0, v0, v1 */
        0xb752ffff, /* s_addk_i32 s82, -1 */
        0xbf078052, /* s_cmp_lg_u32 s82, 0 */
        0xbf85fffc, /* s_cbranch_scc1 to v_add_u32 */
        0xbefe0100, /* s_mov_b64 exec, s[0:1] */
        0xbf810000, /* s_endpgm */
    };
    struct sim_memory *memory, *data;
    struct machine *machine = machine_of(words, sizeof words, &memory, &data);
    amdgpu_set_s64(&machine->wave, AMDGPU_EXEC, 8);
    machine->wave.left = 1;
    assert_true(check_code(machine, memory, (const uint32_t *)(const void *)memory->view, data,
                           AMDGPU_FOR_BOTH, 1));
    sim_memory_destroy(memory);
    sim_memory_destroy(data);
    free(machine);
}

/* ---- ANYHIP_SIM_JIT=compare, in a process of its own ------------------------------------- */

static jit_code right_code;

/* Changes what v2 is in lane 5, and a word of LDS. */
static const void *wrong_code(void *state)
{
    struct amdgpu_wave *wave = state;
    const void *left = right_code(state);
    if (wave->scc)
        amdgpu_v(wave, 2)[5] ^= 1;
    else
        wave->block->lds[0] ^= 1;
    return left;
}

/* Compares the wrong code of a few instructions with the interpreter. Returns what was said. */
static const char *compare_wrong(bool scc)
{
    static const uint32_t words[] = {
        0x7e040281, /* v_mov_b32 v2, 1 */
        0x68040484, /* v_add_u32 v2, 4, v2 */
        0x68060502, /* v_add_u32 v3, v2, v2 */
        0xd81a0000, /* ds_write_b32 v33, v3 */
        0x00000321, /* its operands */
        0xbf810000, /* s_endpgm */
    };
    struct sim_memory *memory = sim_memory_create(SIM_MEMORY_DEVICE, 0, CODE, AMDGPU_PAGE_SIZE);
    assert_non_null(memory);
    memcpy(memory->view, words, sizeof words);
    uint64_t draws = 1;
    struct machine *machine = make_machine(shape_of(AMDGPU_GFX90A, 64), memory->address, &draws);
    struct amdgpu_wave *wave = &machine->wave;
    const struct amdgpu_op *op = amdgpu_ahead(amdgpu_goto(wave, memory->address)), *left;
    struct jit_region *made;
    amdgpu_set_s64(wave, AMDGPU_EXEC, UINT64_MAX);
    wave->scc = scc;
    wave->entry = 0;
    struct amdgpu_region *region = create_region(op, wave->mode, AMDGPU_FOR_ALL);
    bool differs;
    assert_non_null(region);
    right_code = jit_compile_now(&region->region, &made);
    assert_non_null(right_code);
    left = amdgpu_compare(wave, op, right_code, &differs);
    assert_true(is_end(left) && !differs);
    ah_test_capture();
    left = amdgpu_compare(wave, op, wrong_code, &differs);
    assert_true(is_end(left) && differs);
    assert_int_equal(amdgpu_v(wave, 2)[5], 5); /* as the interpreter has it */
    assert_int_equal(machine->lds[0], 10);
    jit_free(made);
    amdgpu_region_destroy(region);
    amdgpu_code_discard(memory->address, CODE);
    sim_memory_destroy(memory);
    free(machine);
    return ah_test_captured();
}

static void a_difference_is_reported_with_its_instruction(void **state)
{
    (void)state;
    uint64_t before, differing, made, more;
    amdgpu_jit_comparisons(&before, &differing);
    const char *said = compare_wrong(true);
    assert_contains(said, "Compiled code differs from the interpreter ");
    assert_contains(said, "v_add_u32_e32 v2, 4, v2: wave 0, lane 5: 0x4 and not 0x5");
    said = compare_wrong(false);
    assert_contains(said, "ds_write_b32 v33, v3: wave 0, what is stored");
    amdgpu_jit_comparisons(&made, &more);
    assert_int_equal(made, before + 4);
    assert_int_equal(more, differing + 2);
}

static void random_programs_were_compared(void **state)
{
    (void)state;
    uint64_t made, differing;
    amdgpu_jit_comparisons(&made, &differing);
    assert_true(made > 10);
    assert_int_equal(differing, 0);
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_depends_on_the_bits_of_nans_is_open),
        cmocka_unit_test(a_program_may_make_other_words_of_nans),
        cmocka_unit_test(a_loop_that_is_left_keeps_which_lanes_are_live),
        cmocka_unit_test(random_programs_do_the_same_compiled_on_gfx90a),
        cmocka_unit_test(random_programs_do_the_same_compiled_on_gfx1100),
    };
    const struct CMUnitTest of_compare[] = {
        cmocka_unit_test(random_programs_do_the_same_compiled_on_gfx90a),
        cmocka_unit_test(random_programs_do_the_same_compiled_on_gfx1100),
        cmocka_unit_test(random_programs_were_compared),
        AH_TEST(a_difference_is_reported_with_its_instruction),
    };
    setenv("ANYHIP_SIM_JIT", argc > 1 ? argv[1] : "on", 1);
    setenv("ANYHIP_SIM_JIT_CACHE", "off", 1);
    if (argc > 1)
        return cmocka_run_group_tests(of_compare, space_open, space_close);
    return cmocka_run_group_tests(tests, space_open, space_close);
}
