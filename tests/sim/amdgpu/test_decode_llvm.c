/* Every row in every form, with operands at random: LLVM must see the same instruction. The
 * first argument: how many of each, instead of the usual number. */
#include "encode_random.h"
#include "llvm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static unsigned times = 100;

/* Not formats that have no more than a name, nor an immediate that LLVM writes as a sum. */
static bool covered(const struct amdgpu_row *row)
{
    return row->id != AMDGPU_ID_IMAGE && row->format != AMDGPU_EXP &&
           row->id != AMDGPU_ID_S_VERSION;
}

static void compare_form(const struct random_form *form, unsigned lanes, void *llvm,
                         struct llvm_tally *tally)
{
    uint64_t seed = (uint64_t)form->row->id * 977 + form->isa;
    unsigned long before = tally->compared;
    uint32_t words[RANDOM_WORDS];
    for (unsigned i = 0; i < times; i++) {
        encode_random(form, &seed, words);
        llvm_compare(form->isa, lanes, llvm, words, sizeof words, tally);
    }
    if (tally->compared == before)
        fail_msg("LLVM knows no %s in %s", form->row->name, amdgpu_isa_name(form->isa));
}

static void compare_rows(enum amdgpu_isa isa, unsigned lanes)
{
    void *llvm = llvm_open(isa, lanes);
    struct llvm_tally tally = {0};
    const struct amdgpu_row *row;
    assert_non_null(llvm);
    for (size_t i = 0; (row = amdgpu_row_at(i)); i++) {
        struct random_form form = {isa, row, false};
        if (!(row->isas >> isa & 1) || !covered(row) || (row->format == AMDGPU_VOPD && lanes == 64))
            continue;
        compare_form(&form, lanes, llvm, &tally);
        form.vop3 = row->vop3[amdgpu_family_of(isa)] >= 0;
        if (form.vop3)
            compare_form(&form, lanes, llvm, &tally);
    }
    llvm_close(llvm);
    print_message("%s, waves of %u: %lu compared, %lu differ; LLVM refuses %lu\n",
                  amdgpu_isa_name(isa), lanes, tally.compared, tally.differ, tally.refused);
    assert_int_equal(tally.differ, 0);
}

static void gfx900_is_decoded_as_llvm_does(void **state)
{
    (void)state;
    compare_rows(AMDGPU_GFX900, 64);
}

static void gfx906_is_decoded_as_llvm_does(void **state)
{
    (void)state;
    compare_rows(AMDGPU_GFX906, 64);
}

static void gfx908_is_decoded_as_llvm_does(void **state)
{
    (void)state;
    compare_rows(AMDGPU_GFX908, 64);
}

static void gfx90a_is_decoded_as_llvm_does(void **state)
{
    (void)state;
    compare_rows(AMDGPU_GFX90A, 64);
}

static void gfx942_is_decoded_as_llvm_does(void **state)
{
    (void)state;
    compare_rows(AMDGPU_GFX942, 64);
}

static void gfx1010_is_decoded_as_llvm_does(void **state)
{
    (void)state;
    compare_rows(AMDGPU_GFX1010, 32);
    compare_rows(AMDGPU_GFX1010, 64);
}

static void gfx1030_is_decoded_as_llvm_does(void **state)
{
    (void)state;
    compare_rows(AMDGPU_GFX1030, 32);
    compare_rows(AMDGPU_GFX1030, 64);
}

static void gfx1100_is_decoded_as_llvm_does(void **state)
{
    (void)state;
    compare_rows(AMDGPU_GFX1100, 32);
    compare_rows(AMDGPU_GFX1100, 64);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gfx900_is_decoded_as_llvm_does),
        cmocka_unit_test(gfx906_is_decoded_as_llvm_does),
        cmocka_unit_test(gfx908_is_decoded_as_llvm_does),
        cmocka_unit_test(gfx90a_is_decoded_as_llvm_does),
        cmocka_unit_test(gfx942_is_decoded_as_llvm_does),
        cmocka_unit_test(gfx1010_is_decoded_as_llvm_does),
        cmocka_unit_test(gfx1030_is_decoded_as_llvm_does),
        cmocka_unit_test(gfx1100_is_decoded_as_llvm_does),
    };
    if (argc > 1)
        times = (unsigned)atoi(argv[1]);
    llvm_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
