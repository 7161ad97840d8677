/* Compiled regions against the interpreter: programs of random instructions on random registers,
 * which have to leave the same registers, lane by lane. JIT_PROGRAMS says how many, JIT_SEED with
 * which one to begin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "amdgpu_alu.h"
#include "amdgpu_jit_region.h"
#include "amdgpu_memory.h"
#include "encode_random.h"
#include "amdgpu_jit.h"
#include "jit.h"
#include "sim_memory.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VGPRS = 64, INSTRUCTIONS = 24, CODE = 4096 };

struct machine {
    struct amdgpu_device device;
    struct amdgpu_dispatch dispatch;
    struct amdgpu_block block;
    struct amdgpu_wave wave;
    _Alignas(64) uint32_t v[2 * VGPRS * AMDGPU_LANES_MAX];
};

static const struct amdgpu_emitters emitters = {
    .vector = amdgpu_emit_vector, .memory = amdgpu_emit_memory, .matrix = amdgpu_emit_matrix};

static uint64_t seed;

static uint32_t draw(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 32);
}

/* ---- waves ------------------------------------------------------------------------------- */

/* Mostly numbers of a size that means something, sometimes any bits. */
static uint32_t draw_value(void)
{
    static const uint32_t special[] = {0,          1,          UINT32_MAX, 0x80000000, 0x3f800000,
                                       0x7f800000, 0xbf800000, 0x00000001, 0x7fffffff, 0xffff};
    switch (draw() % 4) {
    case 0:
        return special[draw() % (sizeof special / sizeof *special)];
    case 1:
        return draw() % 256;
    case 2: {
        float x = (float)((int32_t)draw() / 65536) / 16.0f;
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        return bits;
    }
    default:
        return draw() & 0x7f7fffff;
    }
}

static struct machine *make_machine(const struct amdgpu_shape *shape, bool full)
{
    struct machine *machine = aligned_alloc(64, (sizeof *machine + 63) / 64 * 64);
    assert_non_null(machine);
    memset(machine, 0, sizeof *machine);
    machine->dispatch.device = &machine->device;
    machine->dispatch.shape = shape;
    machine->dispatch.lanes = shape->lanes;
    machine->block.dispatch = &machine->dispatch;
    struct amdgpu_wave *wave = &machine->wave;
    wave->v = machine->v;
    wave->lanes = shape->lanes;
    wave->vgprs = shape->vgprs;
    wave->agprs = shape->agprs;
    wave->m0 = amdgpu_family_of(shape->isa) == AMDGPU_GFX11 ? 125 : 124;
    wave->mode = 0xf0;
    wave->block = &machine->block;
    for (size_t i = 0; i < sizeof machine->v / sizeof *machine->v; i++)
        machine->v[i] = draw_value();
    for (unsigned i = 0; i < AMDGPU_SREGS; i++)
        wave->s[i] = draw_value();
    uint64_t all = amdgpu_all_lanes(wave), some = ((uint64_t)draw() << 32 | draw()) & all;
    amdgpu_set_s64(wave, AMDGPU_EXEC, full ? all : some);
    wave->live_for = ~amdgpu_exec(wave);
    wave->scc = draw() & 1;
    wave->left = 1 << 20;
    return machine;
}

static struct machine *copy_machine(const struct machine *from)
{
    struct machine *machine = aligned_alloc(64, (sizeof *machine + 63) / 64 * 64);
    assert_non_null(machine);
    *machine = *from;
    machine->wave.v = machine->v;
    machine->wave.block = &machine->block;
    machine->block.dispatch = &machine->dispatch;
    machine->dispatch.device = &machine->device;
    return machine;
}

/* ---- programs ---------------------------------------------------------------------------- */

static const struct amdgpu_row *draw_row(enum amdgpu_isa isa)
{
    static size_t count;
    while (amdgpu_row_at(count))
        count++;
    for (;;) {
        const struct amdgpu_row *row = amdgpu_row_at(draw() % count);
        if (!(row->isas >> isa & 1) || row->flags & (AMDGPU_ROW_BRANCH | AMDGPU_ROW_MATRIX))
            continue;
        if (row->format == AMDGPU_SOP1 || row->format == AMDGPU_SOP2 ||
            row->format == AMDGPU_SOPK || row->format == AMDGPU_SOPC ||
            row->format == AMDGPU_VOPD ||
            (row->format >= AMDGPU_VOP1 && row->format <= AMDGPU_VOP3P))
            return row;
    }
}

/* Whether a wave can execute it, and a region too: otherwise what follows is never reached. */
static bool is_usable(const struct amdgpu_shape *shape, const uint32_t *words, unsigned *out_words)
{
    struct amdgpu_inst inst = {0};
    struct amdgpu_op op = {0};
    if (amdgpu_decode(shape->isa, shape->lanes, words, 24, &inst) != AMDGPU_DECODED)
        return false;
    *out_words = inst.length / 4;
    const struct amdgpu_operand *operands[] = {
        &inst.dst[0], &inst.dst[1], &inst.src[0],   &inst.src[1],   &inst.src[2],
        &inst.src[3], &inst.dst_y,  &inst.src_y[0], &inst.src_y[1], &inst.src_y[2]};
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++) {
        unsigned end = operands[i]->reg + operands[i]->count;
        if (operands[i]->kind == AMDGPU_VREG && end > shape->vgprs)
            return false;
        if (operands[i]->kind == AMDGPU_SREG && end > 124 && operands[i]->reg != AMDGPU_EXEC)
            return false;
    }
    bool scalar = inst.row->format <= AMDGPU_SOPP;
    const char *name = inst.row->name;
    if (strstr(name, "getpc") || strstr(name, "setpc") || strstr(name, "swappc") ||
        strstr(name, "call") || strstr(name, "rfe") || strstr(name, "getreg") ||
        strstr(name, "setreg") || strstr(name, "gpr_idx") || strstr(name, "movrel") ||
        strstr(name, "sendmsg") || strstr(name, "swap"))
        return false;
    if (scalar)
        return amdgpu_emit_scalar(shape->isa, shape->lanes, &inst, &op);
    return amdgpu_emit_matrix(shape->isa, &inst, &op) ||
           amdgpu_emit_vector(shape->isa, shape->lanes, &inst, &op);
}

/* Fills code with random instructions, and s_endpgm. Registers are mostly among few. */
static void draw_program(const struct amdgpu_shape *shape, uint32_t *code)
{
    unsigned at = 0, words = 0;
    for (unsigned i = 0; i < INSTRUCTIONS;) {
        uint32_t encoded[RANDOM_WORDS] = {0};
        struct random_form form = {
            .isa = shape->isa, .row = draw_row(shape->isa), .vop3 = draw() & 1};
        encode_random(&form, &seed, encoded);
        if (!is_usable(shape, encoded, &words))
            continue;
        memcpy(code + at, encoded, words * sizeof *code);
        at += words;
        i++;
    }
    code[at] = amdgpu_family_of(shape->isa) == AMDGPU_GFX11 ? 0xbfb00000 : 0xbf810000;
}

/* ---- comparison -------------------------------------------------------------------------- */

static void print_program(const struct amdgpu_op *op, const struct amdgpu_shape *shape)
{
    for (;; op = amdgpu_next(op)) {
        char text[256];
        amdgpu_print(shape->isa, shape->lanes, op->inst, text, sizeof text);
        fprintf(stderr, "    %s\n", text);
        if (op->inst->row->id == AMDGPU_ID_S_ENDPGM)
            break;
    }
}

/* Which of several NaNs a sum is, the host's compilers are free to choose. */
static bool is_nan(uint32_t bits)
{
    return (bits & INT32_MAX) > 0x7f800000;
}

static bool differ(uint32_t want, uint32_t got)
{
    return want != got && !(is_nan(want) && is_nan(got));
}

static unsigned compare(const struct machine *want, const struct machine *got)
{
    unsigned differences = 0;
    unsigned lanes = want->wave.lanes;
    for (size_t i = 0; i < sizeof want->v / sizeof *want->v; i++)
        if (differ(want->v[i], got->v[i]) && differences++ < 4)
            fprintf(stderr, "  v%zu, lane %zu: %08x by the interpreter, %08x compiled\n", i / lanes,
                    i % lanes, want->v[i], got->v[i]);
    for (unsigned i = 0; i < AMDGPU_SREGS; i++)
        if (want->wave.s[i] != got->wave.s[i] && differences++ < 8)
            fprintf(stderr, "  s%u: %08x by the interpreter, %08x compiled\n", i, want->wave.s[i],
                    got->wave.s[i]);
    if (want->wave.scc != got->wave.scc && ++differences)
        fprintf(stderr, "  scc: %u by the interpreter, %u compiled\n", want->wave.scc,
                got->wave.scc);
    if (want->wave.left != got->wave.left && ++differences)
        fprintf(stderr, "  left: %d by the interpreter, %d compiled\n", want->wave.left,
                got->wave.left);
    return differences;
}

/* Whether a region was compiled, and differences. */
static bool check_program(const struct amdgpu_shape *shape, bool full, unsigned *out_differences)
{
    struct sim_memory *memory = sim_memory_create(SIM_MEMORY_DEVICE, 0, CODE, CODE);
    assert_non_null(memory);
    draw_program(shape, (uint32_t *)(void *)memory->view);
    struct machine *interpreted = make_machine(shape, full);
    const struct amdgpu_op *op = amdgpu_goto(&interpreted->wave, memory->address);
    assert_non_null(op);
    op = amdgpu_ahead(op);
    struct machine *compiled = copy_machine(interpreted);
    struct amdgpu_region *region = amdgpu_region_create(op, full, interpreted->wave.mode);
    struct jit_region *made = NULL;
    if (region) /* all registers are compared, though none matters once the wave has ended */
        region->region.live = NULL;
    jit_code code = region ? jit_compile_now(&region->region, &made) : NULL;
    if (code) {
        const struct amdgpu_op *end = code(&compiled->wave), *at = op;
        int ops = 0;
        for (; at && at != end; ops++) {
            uint64_t steps = interpreted->wave.steps;
            at = at->run(&interpreted->wave, at);
            ops -= interpreted->wave.steps != steps;
        }
        interpreted->wave.left -= ops;
        *out_differences = compare(interpreted, compiled);
        if (*out_differences)
            print_program(op, shape);
    }
    jit_free(made);
    amdgpu_region_destroy(region);
    amdgpu_code_discard(memory->address, CODE);
    sim_memory_destroy(memory);
    free(interpreted);
    free(compiled);
    return code;
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void check_programs(enum amdgpu_isa isa, unsigned lanes)
{
    const struct amdgpu_shape like = {
        .isa = isa, .lanes = lanes, .vgprs = VGPRS, .emitters = &emitters};
    const struct amdgpu_shape *shape = amdgpu_shape_of(&like);
    uint64_t count = setting("JIT_PROGRAMS", 20), first = setting("JIT_SEED", 1), bad = 0, done = 0;
    for (uint64_t i = 0; i < count; i++) {
        unsigned differences = 0;
        seed = first + i;
        done += check_program(shape, i % 2 == 0, &differences);
        if (differences) {
            fprintf(stderr, "seed %llu of %s: %u differences\n", (unsigned long long)(first + i),
                    amdgpu_isa_name(isa), differences);
            bad++;
        }
    }
    struct jit_statistics statistics;
    jit_statistics_get(&statistics);
    print_message("%llu programs of %s compiled, %llu ms each\n", (unsigned long long)done,
                  amdgpu_isa_name(isa),
                  (unsigned long long)(statistics.nanoseconds / 1000000 /
                                       (statistics.compiled ? statistics.compiled : 1)));
    assert_int_equal(bad, 0);
    assert_true(done > count / 2);
}

static void random_programs_leave_the_same_registers_on_gfx90a(void **state)
{
    (void)state;
    check_programs(AMDGPU_GFX90A, 64);
}

static void random_programs_leave_the_same_registers_on_gfx1100(void **state)
{
    (void)state;
    check_programs(AMDGPU_GFX1100, 32);
}

/* In a process of its own, since the mode is read once. */
static int begin_a_wave(void)
{
    const struct amdgpu_shape like = {
        .isa = AMDGPU_GFX90A, .lanes = 64, .vgprs = VGPRS, .emitters = &emitters};
    struct machine *machine = make_machine(amdgpu_shape_of(&like), true);
    amdgpu_jit_begin(&machine->wave);
    amdgpu_jit_begin(&machine->wave);
    free(machine);
    return 0;
}

static void comparing_is_off_and_one_line_says_so(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_SIM_JIT", "compare");
    struct ah_test_run run =
        ah_test_execute((const char *const[]){"/proc/self/exe", "begin", NULL});
    assert_int_equal(run.status, 0);
    assert_contains(run.err,
                    "Simulated AMD devices do not compare compiled kernels with interpreted ones");
    assert_int_equal(ah_test_count_lines(run.err), 1);
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
    if (argc > 1 && strcmp(argv[1], "begin") == 0)
        return begin_a_wave();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_leave_the_same_registers_on_gfx90a),
        cmocka_unit_test(random_programs_leave_the_same_registers_on_gfx1100),
        AH_TEST(comparing_is_off_and_one_line_says_so),
    };
    setenv("ANYHIP_SIM_JIT", "on", 1);
    return cmocka_run_group_tests(tests, space_open, space_close);
}
