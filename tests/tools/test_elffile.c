/* Tests that sections and symbols are read, and that no damage leads outside of the file. */
#include "elffile.h"
#include "forge.h"
#include "support.h"

#include <string.h>

static const struct ah_forge_section two[] = {
    {".text", "machine code", 12}, {".hip_fatbin", "bundle", 6}, {NULL, NULL, 0}};

/* Everything that can be asked of a file. */
static size_t read_all(const void *data, size_t size)
{
    struct ah_elf elf;
    struct ah_elf_section section;
    struct ah_elf_symbol symbol;
    size_t total = 0;
    if (!ah_elf_open(&elf, data, size))
        return 0;
    total += strlen(ah_elf_kind(&elf));
    for (uint64_t i = 0; i < elf.section_count && i < 70000; i++) {
        if (!ah_elf_section(&elf, i, &section))
            continue;
        total += strlen(section.name);
        for (size_t k = 0; k < section.size; k++)
            total += section.data[k];
        for (uint64_t s = 0; s < 100 && ah_elf_symbol(&elf, &section, s, &symbol); s++)
            total += strlen(symbol.name);
    }
    return total;
}

static void sections_have_names_and_contents(void **state)
{
    (void)state;
    struct ah_forged forged = ah_forge_sections(62, two);
    struct ah_elf elf;
    struct ah_elf_section section;
    assert_true(ah_elf_open(&elf, forged.data, forged.size));
    assert_int_equal(elf.section_count, 4);
    assert_true(ah_elf_section(&elf, 2, &section));
    assert_string_equal(section.name, ".hip_fatbin");
    assert_int_equal(section.size, 6);
    assert_memory_equal(section.data, "bundle", 6);
    assert_false(ah_elf_section(&elf, 4, &section));
    assert_false(ah_elf_section(&elf, UINT64_MAX, &section));
}

static void other_files_are_not_opened(void **state)
{
    (void)state;
    struct ah_elf elf;
    struct ah_forged forged = ah_forge_sections(62, two);
    assert_false(ah_elf_open(&elf, "", 0));
    assert_false(ah_elf_open(&elf, forged.data, sizeof(Elf64_Ehdr) - 1));
    forged.data[EI_DATA] = ELFDATA2MSB;
    assert_false(ah_elf_open(&elf, forged.data, forged.size));
    forged.data[EI_DATA] = ELFDATA2LSB;
    forged.data[EI_CLASS] = ELFCLASS32;
    assert_false(ah_elf_open(&elf, forged.data, forged.size));
}

static void this_program_has_symbols(void **state)
{
    (void)state;
    size_t size, found = 0;
    struct ah_elf elf;
    struct ah_elf_section section;
    struct ah_elf_symbol symbol;
    char *self = ah_test_read_file("/proc/self/exe", &size);
    assert_true(ah_elf_open(&elf, self, size));
    assert_string_equal(ah_elf_kind(&elf), "program");
    for (uint64_t i = 0; i < elf.section_count; i++) {
        if (!ah_elf_section(&elf, i, &section) || section.type != SHT_SYMTAB)
            continue;
        for (uint64_t s = 0; ah_elf_symbol(&elf, &section, s, &symbol); s++)
            found += strcmp(symbol.name, "main") == 0 && symbol.type == STT_FUNC && symbol.defined;
    }
    assert_int_equal(found, 1);
}

static void more_sections_than_the_header_counts_are_read(void **state)
{
    (void)state;
    struct ah_forged forged = ah_forge_sections(62, two);
    Elf64_Ehdr header;
    Elf64_Shdr first = {0};
    memcpy(&header, forged.data, sizeof header);
    first.sh_size = header.e_shnum;
    first.sh_link = header.e_shstrndx;
    header.e_shnum = 0;
    header.e_shstrndx = SHN_XINDEX;
    memcpy(forged.data, &header, sizeof header);
    memcpy(forged.data + header.e_shoff, &first, sizeof first);
    struct ah_elf elf;
    struct ah_elf_section section;
    assert_true(ah_elf_open(&elf, forged.data, forged.size));
    assert_int_equal(elf.section_count, 4);
    assert_true(ah_elf_section(&elf, 2, &section));
    assert_string_equal(section.name, ".hip_fatbin");
}

static void a_count_of_sections_beyond_the_file_is_not_believed(void **state)
{
    (void)state;
    struct ah_forged forged = ah_forge_sections(62, two);
    Elf64_Ehdr header;
    Elf64_Shdr first = {.sh_size = UINT64_MAX};
    memcpy(&header, forged.data, sizeof header);
    header.e_shnum = 0;
    memcpy(forged.data, &header, sizeof header);
    memcpy(forged.data + header.e_shoff, &first, sizeof first);
    struct ah_elf elf;
    assert_true(ah_elf_open(&elf, forged.data, forged.size));
    assert_int_equal(elf.section_count, 4);
}

static void every_truncation_is_survived(void **state)
{
    (void)state;
    struct ah_forged forged = ah_forge_sections(62, two);
    for (size_t size = 1; size <= forged.size; size += size < 70 || size > 8200 ? 1 : 61) {
        void *guarded = ah_test_guard(forged.data, size);
        read_all(guarded, size);
        ah_test_unguard(guarded, size);
    }
}

static void every_changed_byte_of_the_tables_is_survived(void **state)
{
    (void)state;
    static const unsigned char values[] = {0, 1, 0x3f, 0x40, 0x7f, 0x80, 0xff};
    struct ah_forged forged = ah_forge_sections(62, two);
    unsigned char *data = ah_test_guard(forged.data, forged.size);
    for (size_t at = 0; at < forged.size; at++) {
        if (at >= sizeof(Elf64_Ehdr) && at < forged.size - 4 * sizeof(Elf64_Shdr) - 64)
            continue;
        for (size_t i = 0; i < sizeof values; i++) {
            data[at] = values[i];
            read_all(data, forged.size);
        }
        data[at] = forged.data[at];
    }
    ah_test_unguard(data, forged.size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(sections_have_names_and_contents),
        AH_TEST(other_files_are_not_opened),
        AH_TEST(this_program_has_symbols),
        AH_TEST(more_sections_than_the_header_counts_are_read),
        AH_TEST(a_count_of_sections_beyond_the_file_is_not_believed),
        AH_TEST(every_truncation_is_survived),
        AH_TEST(every_changed_byte_of_the_tables_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
