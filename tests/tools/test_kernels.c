/* Tests that kernels are distinguished from other symbols. */
#include "elffile.h"
#include "forge.h"
#include "image.h"
#include "kernels.h"
#include "support.h"

#include <string.h>

static void append(void *data, const char *name, size_t length)
{
    const char **text = data;
    *text = ah_test_print("%s%.*s ", *text, (int)length, name);
}

/* The names of an image's kernels, each followed by a blank. */
static const char *kernels_of(const void *data, size_t size)
{
    struct ah_image image;
    const char *text = "";
    void *guarded = ah_test_guard(data, size);
    ah_image_identify(&image, guarded, size);
    ah_kernels_each(&image, append, &text);
    ah_test_unguard(guarded, size);
    return text;
}

static const char *kernels_of_ptx(const char *body)
{
    const char *text = ah_test_print(".version 7.0\n.target sm_70\n%s", body);
    return kernels_of(text, strlen(text));
}

static void entries_of_ptx_are_kernels(void **state)
{
    (void)state;
    assert_string_equal(kernels_of_ptx(".visible .entry add(\n.param .u64 p) { ret; }\n"
                                       ".func (.reg .u32 r) helper() { ret; }\n"
                                       ".weak .entry\n\t_Z3mulPf\n(\n)\n{\n}"),
                        "add _Z3mulPf ");
    assert_string_equal(kernels_of_ptx(".entry a.managed$_%x()"), "a.managed$_%x ");
    assert_string_equal(kernels_of_ptx(".entry /* c */ b // d\n()"), "b ");
    assert_string_equal(kernels_of_ptx(".entry last"), "last ");
}

static void entries_in_comments_strings_and_other_words_are_none(void **state)
{
    (void)state;
    assert_string_equal(kernels_of_ptx("// .entry a\n/* .entry b\n */ .file 1 \".entry c\"\n"
                                       ".entryx d\nx.entry e\n \"\\\".entry f\" "),
                        "");
    assert_string_equal(kernels_of_ptx(".entry"), "");
    assert_string_equal(kernels_of_ptx(".entry \""), "");
    assert_string_equal(kernels_of_ptx(".entry (/"), "");
    assert_string_equal(kernels_of_ptx("\"\\"), "");
    assert_string_equal(kernels_of_ptx("/*"), "");
}

/* An ELF file with a symbol table. */
static struct ah_forged with_symbols(unsigned machine)
{
    static const char names[] = "\0add.kd\0add\0.kd\0helper\0old\0undefined.kd";
    enum { ADD_KD = 1, ADD = 8, KD = 12, HELPER = 16, OLD = 23, UNDEFINED = 27 };
    static const Elf64_Sym symbols[] = {
        {0},
        {.st_name = ADD_KD, .st_info = STT_OBJECT, .st_shndx = 1},
        {.st_name = ADD, .st_info = STT_FUNC, .st_other = 0x10, .st_shndx = 1},
        {.st_name = KD, .st_info = STT_OBJECT, .st_shndx = 1},
        {.st_name = HELPER, .st_info = STT_FUNC, .st_shndx = 1},
        {.st_name = OLD, .st_info = 10, .st_shndx = 1},
        {.st_name = UNDEFINED, .st_info = STT_OBJECT},
    };
    const struct ah_forge_section sections[] = {
        {".symtab", symbols, sizeof symbols}, {".strtab", names, sizeof names}, {NULL, NULL, 0}};
    struct ah_forged forged = ah_forge_sections(machine, sections);
    Elf64_Ehdr header;
    Elf64_Shdr table;
    memcpy(&header, forged.data, sizeof header);
    memcpy(&table, forged.data + header.e_shoff + sizeof table, sizeof table);
    table.sh_type = SHT_SYMTAB;
    table.sh_link = 2;
    memcpy(forged.data + header.e_shoff + sizeof table, &table, sizeof table);
    return forged;
}

static void amdgpu_kernels_have_descriptors_or_the_old_type(void **state)
{
    (void)state;
    struct ah_forged forged = with_symbols(224);
    assert_string_equal(kernels_of(forged.data, forged.size), "add old ");
}

static void cuda_kernels_are_functions_marked_as_entries(void **state)
{
    (void)state;
    struct ah_forged forged = with_symbols(190);
    assert_string_equal(kernels_of(forged.data, forged.size), "add ");
}

static void other_images_tell_of_no_kernels(void **state)
{
    (void)state;
    struct ah_forged fatbin = ah_forge_cuda_fatbin(100);
    assert_string_equal(kernels_of(fatbin.data, fatbin.size), "");
    assert_string_equal(kernels_of("\x03\x02\x23\x07.entry x", 12), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(entries_of_ptx_are_kernels),
        AH_TEST(entries_in_comments_strings_and_other_words_are_none),
        AH_TEST(amdgpu_kernels_have_descriptors_or_the_old_type),
        AH_TEST(cuda_kernels_are_functions_marked_as_entries),
        AH_TEST(other_images_tell_of_no_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
