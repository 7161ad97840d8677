/* Tests how code for a generic target becomes code for one processor. */
#include "amdgpu_abi.h"
#include "hsa_generic.h"
#include "support.h"

#include <elf.h>
#include <string.h>

enum { GFX906 = 0x2f, GFX942 = 0x4c, GFX1010 = 0x33, GFX1100 = 0x41, GFX11_GENERIC = 0x54 };
enum { GFX9_GENERIC = 0x51, GFX9_4_GENERIC = 0x5f, VERSION_1 = 0x01000000 };

static Elf64_Ehdr header_of(unsigned abi, unsigned flags)
{
    Elf64_Ehdr header = {.e_machine = AMDGPU_EM, .e_version = 77, .e_flags = flags};
    header.e_ident[EI_ABIVERSION] = (unsigned char)abi;
    return header;
}

/* The flags of the converted code. */
static unsigned converted(unsigned flags, const char *processor)
{
    Elf64_Ehdr header = header_of(AMDGPU_ABI_V6, flags);
    assert_true(ahhsa_make_specific((unsigned char *)&header, sizeof header, processor));
    assert_int_equal(header.e_ident[EI_ABIVERSION], AMDGPU_ABI_V5);
    assert_int_equal(header.e_version, 77);
    return header.e_flags;
}

static void generic_code_becomes_code_for_the_processor(void **state)
{
    (void)state;
    assert_int_equal(converted(VERSION_1 | GFX11_GENERIC, "gfx1100"), GFX1100);
    assert_int_equal(converted(0x02000000 | GFX11_GENERIC, "gfx1100"), GFX1100);
}

static void features_stay_what_they_are(void **state)
{
    (void)state;
    unsigned any = AMDGPU_EF_XNACK_ANY | AMDGPU_EF_SRAMECC_ANY;
    unsigned set = AMDGPU_EF_XNACK_OFF | AMDGPU_EF_SRAMECC_ON;
    assert_int_equal(converted(VERSION_1 | GFX9_4_GENERIC | any, "gfx942"), GFX942 | any);
    assert_int_equal(converted(VERSION_1 | GFX9_4_GENERIC | set, "gfx942"), GFX942 | set);
}

static void a_feature_that_the_generic_target_lacks_may_be_on_or_off(void **state)
{
    (void)state;
    assert_int_equal(converted(VERSION_1 | GFX9_GENERIC | AMDGPU_EF_XNACK_OFF, "gfx906"),
                     GFX906 | AMDGPU_EF_XNACK_OFF | AMDGPU_EF_SRAMECC_ANY);
    assert_int_equal(converted(VERSION_1 | GFX9_GENERIC, "gfx1010"), GFX1010 | AMDGPU_EF_XNACK_ANY);
}

static void refused(Elf64_Ehdr header, size_t size, const char *processor)
{
    Elf64_Ehdr before = header;
    assert_false(ahhsa_make_specific((unsigned char *)&header, size, processor));
    assert_memory_equal(&header, &before, sizeof header);
}

static void other_code_is_left_alone(void **state)
{
    (void)state;
    Elf64_Ehdr generic = header_of(AMDGPU_ABI_V6, VERSION_1 | GFX11_GENERIC);
    refused(header_of(AMDGPU_ABI_V6, GFX1100), sizeof(Elf64_Ehdr), "gfx1100");
    refused(header_of(AMDGPU_ABI_V5, VERSION_1 | GFX11_GENERIC), sizeof(Elf64_Ehdr), "gfx1100");
    refused(generic, sizeof(Elf64_Ehdr), "gfx11000");
    refused(generic, sizeof(Elf64_Ehdr), "");
    refused(generic, sizeof(Elf64_Ehdr) - 1, "gfx1100");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generic_code_becomes_code_for_the_processor),
        cmocka_unit_test(features_stay_what_they_are),
        cmocka_unit_test(a_feature_that_the_generic_target_lacks_may_be_on_or_off),
        cmocka_unit_test(other_code_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
