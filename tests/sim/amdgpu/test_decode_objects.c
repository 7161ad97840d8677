/* The code of whole files: every instruction that LLVM decodes must be the same here. Arguments:
 * files that contain code objects for AMD's GPUs, at any offset. */
#include "amdgpu_abi.h"
#include "llvm.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int file_count;
static char **files;

/* EF_AMDGPU_MACH_* of what is decoded. */
static bool isa_of(unsigned flags, enum amdgpu_isa *out_isa)
{
    static const unsigned char machines[AMDGPU_ISA_COUNT] = {
        [AMDGPU_GFX900] = 0x2c,  [AMDGPU_GFX906] = 0x2f, [AMDGPU_GFX908] = 0x30,
        [AMDGPU_GFX90A] = 0x3f,  [AMDGPU_GFX942] = 0x4c, [AMDGPU_GFX1010] = 0x33,
        [AMDGPU_GFX1030] = 0x36, [AMDGPU_GFX1100] = 0x41};
    for (unsigned i = 0; i < AMDGPU_ISA_COUNT; i++)
        if ((flags & AMDGPU_EF_MACH) == machines[i]) {
            *out_isa = (enum amdgpu_isa)i;
            return true;
        }
    return false;
}

/* Words that LLVM rejects are data or padding. */
static void compare_code(enum amdgpu_isa isa, const unsigned char *code, size_t size,
                         struct llvm_tally *tally)
{
    unsigned lanes = amdgpu_family_of(isa) == AMDGPU_GFX9 ? 64 : 32;
    void *llvm = llvm_open(isa, lanes);
    assert_non_null(llvm);
    for (size_t at = 0; at + 4 <= size;) {
        size_t length = llvm_compare(isa, lanes, llvm, code + at, size - at, tally);
        at += length ? length : 4;
    }
    llvm_close(llvm);
}

/* An ELF file at the start of size bytes. */
static void compare_elf(const unsigned char *bytes, size_t size, struct llvm_tally *tally)
{
    Elf64_Ehdr header;
    enum amdgpu_isa isa;
    memcpy(&header, bytes, sizeof header);
    if (header.e_machine != AMDGPU_EM || !isa_of(header.e_flags, &isa))
        return;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        size_t at = header.e_shoff + (size_t)i * sizeof section;
        assert_true(at + sizeof section <= size);
        memcpy(&section, bytes + at, sizeof section);
        if (section.sh_type != SHT_PROGBITS || !(section.sh_flags & SHF_EXECINSTR))
            continue;
        assert_true(section.sh_offset + section.sh_size <= size);
        compare_code(isa, bytes + section.sh_offset, section.sh_size, tally);
    }
}

static unsigned char *read_file(const char *name, size_t *out_size)
{
    FILE *file = fopen(name, "rb");
    unsigned char *bytes;
    if (!file)
        fail_msg("no %s", name);
    fseek(file, 0, SEEK_END);
    *out_size = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(*out_size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *out_size, file), *out_size);
    fclose(file);
    return bytes;
}

static void compare_file(const char *name, struct llvm_tally *tally)
{
    size_t size;
    unsigned char *bytes = read_file(name, &size);
    for (size_t at = 0; at + sizeof(Elf64_Ehdr) <= size; at += 4)
        if (memcmp(bytes + at, ELFMAG, SELFMAG) == 0 && bytes[at + EI_CLASS] == ELFCLASS64)
            compare_elf(bytes + at, size - at, tally);
    free(bytes);
}

static void code_of_files_is_decoded_as_llvm_does(void **state)
{
    struct llvm_tally tally = {0};
    (void)state;
    for (int i = 0; i < file_count; i++)
        compare_file(files[i], &tally);
    print_message("%d files: %lu instructions compared, %lu differ; LLVM refuses %lu words\n",
                  file_count, tally.compared, tally.differ, tally.refused);
    assert_true(tally.compared > 0);
    assert_int_equal(tally.differ, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(code_of_files_is_decoded_as_llvm_does)};
    file_count = argc - 1;
    files = argv + 1;
    llvm_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
