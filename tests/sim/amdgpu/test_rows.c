/* Every row that gfx90a and gfx1100 execute is executed by a test; rows that they refuse are listed
 * here, with the reason. The test programs of this folder record the rows that they execute
 * (rows.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "amdgpu_alu.h"
#include "amdgpu_memory.h"
#include "encode_random.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 4096, TRIES = 2000 };
static bool executed[AMDGPU_ISA_COUNT][MOST];

/* ---- what is refused ---------------------------------------------------------------------- */

/* Patterns of names; src/sim/README.md gives the reasons to users of the simulator. */
static const struct {
    const char *names, *reason;
} refused[] = {
    {"s_rfe_restore_b64", "returns from a context switch, of which there is none"},
    {"s_cbranch_join", "needs the stack of branches that gfx9 was the last to have"},
    {"s_cbranch_[gi]_fork", "the same"},
    {"s_setvskip", "skips vector instructions by a mode that no compiler uses"},
    {"s_subvector_loop_*", "runs a wave of 64 by halves, which no compiler asks for"},
    {"s_setkill", "ends a wave as a debugger does"},
    {"s_endpgm_saved", "ends a wave whose state a trap handler has saved"},
    {"s_endpgm_ordered_ps_done", "graphics"},
    {"s_atomic_[!as]*", "atomics of scalars, which no compiler and no trap handler uses"},
    {"s_atomic_and*", "the same"},
    {"s_atomic_s[!w]*", "the same"},
    {"s_buffer_atomic_*", "the same"},
    {"v_screen_partition_4se_b32", "graphics"},
    {"exp", "graphics"},
    {"ds_gws_sema_*", "semaphores of global wave sync, which no compiler uses"},
    {"ds_ordered_count", "counters of the global data share"},
    {"ds_*_gs_reg_rtn", "the same"},
    {"ds_bvh_stack_rtn_b32", "ray tracing"},
    {"image", "all that are no rows: ray tracing"},
    {"image_*_pck*", "texels without their format, which no compiler asks for"},
    {"image_gather4h", "gathers of four texels in a row, which no compiler asks for"},
    {"image_msaa_load", "images with samples"},
};
enum { REFUSED = sizeof refused / sizeof *refused };
static bool met[REFUSED];

static const char *reason_for(const char *name)
{
    for (size_t i = 0; i < REFUSED; i++)
        if (fnmatch(refused[i].names, name, 0) == 0) {
            met[i] = true;
            return refused[i].reason;
        }
    return NULL;
}

/* ---- what the simulator takes ------------------------------------------------------------- */

static bool emit(enum amdgpu_isa isa, unsigned lanes, const struct amdgpu_inst *inst)
{
    struct amdgpu_op op = {.inst = (struct amdgpu_inst *)(uintptr_t)inst, .length = inst->length};
    op.count = inst->dst[0].count;
    if (inst->row->format <= AMDGPU_SOPP)
        return amdgpu_emit_scalar(isa, lanes, inst, &op);
    if (inst->row->format < AMDGPU_VOP1 || inst->row->format > AMDGPU_VOPD)
        return amdgpu_emit_memory(isa, lanes, inst, &op);
    return amdgpu_emit_matrix(isa, inst, &op) || amdgpu_emit_vector(isa, lanes, inst, &op);
}

/* Returns whether one of many encodings is decoded and emitted. */
static bool accepts(enum amdgpu_isa isa, const struct amdgpu_row *row)
{
    struct random_form form = {isa, row, row->opcode[amdgpu_family_of(isa)] < 0};
    unsigned lanes = amdgpu_family_of(isa) == AMDGPU_GFX9 ? 64 : 32;
    uint64_t seed = 1;
    for (unsigned i = 0; i < TRIES; i++) {
        uint32_t words[RANDOM_WORDS] = {0};
        struct amdgpu_inst inst;
        encode_random(&form, &seed, words);
        if (amdgpu_decode(isa, lanes, words, sizeof words, &inst) == AMDGPU_DECODED &&
            (inst.row == row || inst.row_y == row) && emit(isa, lanes, &inst))
            return true;
    }
    return false;
}

/* ---- what programs executed --------------------------------------------------------------- */

static bool note(const char *isa_name, unsigned format, const char *name)
{
    const struct amdgpu_row *row;
    for (unsigned isa = 0; isa < AMDGPU_ISA_COUNT; isa++)
        for (size_t i = 0; (row = amdgpu_row_at(i)); i++)
            if (row->format == format && row->isas >> isa & 1 && strcmp(row->name, name) == 0 &&
                strcmp(amdgpu_isa_name((enum amdgpu_isa)isa), isa_name) == 0)
                return executed[isa][i] = true;
    return false;
}

static void read_file(const char *program)
{
    char path[1000], isa[16], name[64];
    unsigned format;
    snprintf(path, sizeof path, "%s/%s.rows", ROWS_FOLDER, program);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("there is no %s: ctest runs sim.amdgpu_%s first", path, program);
    while (fscanf(file, "%15s %u %63s", isa, &format, name) == 3)
        if (!note(isa, format, name))
            fail_msg("%s: there is no row %s %u %s", path, isa, format, name);
    fclose(file);
}

static int read_files(void **state)
{
    char names[] = ROWS_NAMES, *rest = names;
    (void)state;
    for (char *name; (name = strsep(&rest, " "));)
        read_file(name);
    return 0;
}

/* ---- the tests ------------------------------------------------------------------------------ */

/* Returns what is wrong with a row; NULL: nothing. */
static const char *wrong_with(enum amdgpu_isa isa, const struct amdgpu_row *row, bool ran)
{
    bool accepted = accepts(isa, row), listed = reason_for(row->name);
    if (accepted && listed)
        return "executed, and listed as refused";
    if (!accepted && !listed)
        return "refused, and not listed";
    return accepted && !ran ? "executed by no test" : NULL;
}

static void check_rows(enum amdgpu_isa isa)
{
    const struct amdgpu_row *row;
    unsigned ran = 0, listed = 0, wrong = 0;
    for (size_t i = 0; (row = amdgpu_row_at(i)); i++) {
        if (!(row->isas >> isa & 1))
            continue;
        const char *why = wrong_with(isa, row, executed[isa][i]);
        if (why)
            print_error("%s of %s is %s\n", row->name, amdgpu_isa_name(isa), why);
        wrong += !!why;
        ran += executed[isa][i];
        listed += !!reason_for(row->name);
    }
    print_message("%s: tests execute %u rows, %u are refused\n", amdgpu_isa_name(isa), ran, listed);
    assert_int_equal(wrong, 0);
    assert_true(ran > 1000);
}

static void every_row_of_gfx90a_is_executed_by_a_test(void **state)
{
    (void)state;
    check_rows(AMDGPU_GFX90A);
}

static void every_row_of_gfx1100_is_executed_by_a_test(void **state)
{
    (void)state;
    check_rows(AMDGPU_GFX1100);
}

static void what_is_listed_as_refused_is_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < REFUSED; i++)
        if (!met[i])
            fail_msg("no row of either is %s", refused[i].names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_gfx90a_is_executed_by_a_test),
        cmocka_unit_test(every_row_of_gfx1100_is_executed_by_a_test),
        cmocka_unit_test(what_is_listed_as_refused_is_there),
    };
    return cmocka_run_group_tests(tests, read_files, NULL);
}
