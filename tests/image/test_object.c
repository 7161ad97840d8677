/* Tests that device code in host objects is found, and that no damage leads outside of the object;
 * and what is told of bitcode. */
#include "bitcode.h"
#include "object.h"
#include "support.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BINARY = 160, OBJECT = 1024 };

static void put(unsigned char *at, uint64_t value, size_t size)
{
    memcpy(at, &value, size);
}

/* LLVM's offload binary of BINARY bytes: its image is the 8 bytes "image of". */
static void make_binary(unsigned char *at, const char *arch)
{
    enum { ENTRY = 32, STRINGS = 72, NAMES = 88, IMAGE = 128 };
    memset(at, 0, BINARY);
    memcpy(at, "\x10\xff\x10\xad", 4);
    put(at + 4, 1, 4);
    put(at + 8, BINARY, 8);
    put(at + 16, ENTRY, 8);
    put(at + 24, 40, 8);
    put(at + ENTRY + 8, STRINGS, 8);
    put(at + ENTRY + 16, 1, 8);
    put(at + ENTRY + 24, IMAGE, 8);
    put(at + ENTRY + 32, 8, 8);
    put(at + STRINGS, NAMES, 8);
    put(at + STRINGS + 8, NAMES + 5, 8);
    memcpy((char *)at + NAMES, "arch", 5);
    snprintf((char *)at + NAMES + 5, 16, "%s", arch);
    memcpy(at + IMAGE, "image of", 8);
}

/* A host object of OBJECT bytes with two offload binaries, and a section of a bundle. */
static unsigned char *make_object(unsigned machine)
{
    static const char names[] = "\0.shstrtab\0.llvm.offloading\0"
                                "__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx90a";
    enum { NAMES = 400, BINARIES = 512, PART = BINARIES + 2 * BINARY + 8, SECTIONS = 4 };
    unsigned char *data = calloc(1, OBJECT);
    Elf64_Ehdr header = {.e_type = ET_REL,
                         .e_machine = (Elf64_Half)machine,
                         .e_shoff = sizeof header,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = SECTIONS,
                         .e_shstrndx = 1};
    Elf64_Shdr sections[SECTIONS] = {
        [1] = {.sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = NAMES, .sh_size = sizeof names},
        [2] = {.sh_name = 11,
               .sh_type = SHT_PROGBITS,
               .sh_offset = BINARIES,
               .sh_size = 2 * BINARY + 8},
        [3] = {.sh_name = 28, .sh_type = SHT_PROGBITS, .sh_offset = PART, .sh_size = 4},
    };
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    memcpy(data, &header, sizeof header);
    memcpy(data + sizeof header, sections, sizeof sections);
    memcpy(data + NAMES, names, sizeof names);
    make_binary(data + BINARIES, "gfx1100");
    make_binary(data + BINARIES + BINARY + 8, "sm_70"); /* after padding */
    memcpy(data + PART, "part", 4);
    return data;
}

static void parts_of_both_kinds_are_found(void **state)
{
    struct ah_object object;
    struct ah_object_part part;
    unsigned char *data = make_object(EM_X86_64);
    (void)state;
    assert_true(ah_object_open(&object, data, OBJECT));
    assert_true(ah_object_next(&object, &part));
    assert_string_equal(part.label, "gfx1100");
    assert_int_equal(part.size, 8);
    assert_memory_equal(part.data, "image of", 8);
    assert_true(ah_object_next(&object, &part));
    assert_string_equal(part.label, "sm_70");
    assert_true(ah_object_next(&object, &part));
    assert_string_equal(part.label, "hip-amdgcn-amd-amdhsa--gfx90a");
    assert_memory_equal(part.data, "part", 4);
    assert_false(ah_object_next(&object, &part));
    assert_false(object.damaged);
    const void *section;
    size_t size;
    assert_true(ah_object_section(&object, ".llvm.offloading", &section, &size));
    assert_true(section == data + 512 && size == 2 * BINARY + 8);
    assert_false(ah_object_section(&object, ".text", &section, &size));
    free(data);
}

static void only_files_for_hosts_are_objects(void **state)
{
    struct ah_object object;
    (void)state;
    for (unsigned machine = 190; machine <= 224; machine += 34) {
        unsigned char *data = make_object(machine);
        assert_false(ah_object_open(&object, data, OBJECT));
        free(data);
    }
    assert_false(ah_object_open(&object, "text", 4));
}

static unsigned count_parts(const unsigned char *data, size_t size, bool *out_damaged)
{
    struct ah_object object;
    struct ah_object_part part;
    unsigned count = 0;
    *out_damaged = !ah_object_open(&object, data, size);
    while (!*out_damaged && ah_object_next(&object, &part)) {
        assert_true((const unsigned char *)part.data >= data && part.size <= size);
        assert_true((const unsigned char *)part.data + part.size <= data + size);
        count++;
    }
    *out_damaged |= object.damaged;
    return count;
}

/* Each copy has its own memory, so that a sanitizer sees a read past its end. */
static void damage_is_noticed_and_leads_nowhere(void **state)
{
    bool damaged;
    unsigned char *data = make_object(EM_X86_64);
    (void)state;
    for (size_t size = 0; size < OBJECT; size++) {
        unsigned char *copy = malloc(size + 1);
        memcpy(copy, data, size);
        assert_true(count_parts(copy, size, &damaged) <= 3);
        free(copy);
    }
    for (size_t at = 0; at < OBJECT; at++) {
        unsigned char *copy = malloc(OBJECT);
        memcpy(copy, data, OBJECT);
        for (int bit = 0; bit < 8; bit++) {
            copy[at] ^= (unsigned char)(1 << bit);
            (void)count_parts(copy, OBJECT, &damaged);
            copy[at] ^= (unsigned char)(1 << bit);
        }
        free(copy);
    }
    data[512] = 'x'; /* the first binary's magic */
    assert_int_equal(count_parts(data, OBJECT, &damaged), 1);
    assert_true(damaged);
    free(data);
}

static void containers_are_known_by_their_first_bytes(void **state)
{
    (void)state;
    assert_int_equal(ah_bitcode_container("BC\xc0\xde", 4), AH_CONTAINER_BITCODE);
    assert_int_equal(ah_bitcode_container("BC\xc0\xde", 3), AH_CONTAINER_NONE);
    assert_int_equal(ah_bitcode_container("\xde\xc0\x17\x0b", 4), AH_CONTAINER_BITCODE);
    assert_int_equal(ah_bitcode_container("__CLANG_OFFLOAD_BUNDLE__", 24), AH_CONTAINER_BUNDLE);
    assert_int_equal(ah_bitcode_container("CCOB", 4), AH_CONTAINER_BUNDLE);
    assert_int_equal(ah_bitcode_container("!<arch>\n", 8), AH_CONTAINER_ARCHIVE);
    assert_int_equal(ah_bitcode_container("text", 4), AH_CONTAINER_NONE);
}

/* The characters of a record are 12 bits each, at any bit. */
static void the_target_of_bitcode_is_found_at_every_bit(void **state)
{
    static const char target[] = "amdgcn-";
    (void)state;
    for (unsigned shift = 0; shift < 8; shift++) {
        unsigned char data[64] = "BC\xc0\xde";
        unsigned at = 64 + shift;
        for (const char *c = target; *c; c++) {
            unsigned groups = ((unsigned)*c & 31) | 32 | ((unsigned)*c >> 5) << 6;
            for (unsigned i = 0; i < 12; i++, at++)
                data[at / 8] |= (unsigned char)((groups >> i & 1) << at % 8);
        }
        assert_true(ah_bitcode_names_target(data, sizeof data, target));
        assert_false(ah_bitcode_names_target(data, sizeof data, "nvptx64-"));
        assert_false(ah_bitcode_names_target(data, at / 8 - 1, target));
    }
    static const char text[] = "target triple = \"nvptx64-nvidia-cuda\"";
    assert_true(ah_bitcode_names_target(text, sizeof text, "nvptx64-"));
    assert_false(ah_bitcode_names_target(text, sizeof text, target));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_both_kinds_are_found),
        cmocka_unit_test(only_files_for_hosts_are_objects),
        cmocka_unit_test(damage_is_noticed_and_leads_nowhere),
        cmocka_unit_test(containers_are_known_by_their_first_bytes),
        cmocka_unit_test(the_target_of_bitcode_is_found_at_every_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
