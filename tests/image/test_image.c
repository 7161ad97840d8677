/* Tests how one image is recognised from its bytes. */
#include "forge.h"
#include "image.h"
#include "support.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* Identified where reading past the end faults. */
static struct ah_image identify(struct ah_forged forged)
{
    struct ah_image image;
    void *guarded = ah_test_guard(forged.data, forged.size);
    ah_image_identify(&image, guarded, forged.size);
    assert_ptr_equal(image.data, guarded);
    assert_true(image.size <= forged.size);
    image.data = NULL;
    ah_test_unguard(guarded, forged.size);
    return image;
}

static struct ah_image identify_text(const char *text)
{
    return identify(ah_forge_text(text));
}

static void assert_amdgpu(int version, unsigned flags, const char *target)
{
    struct ah_image image = identify(ah_forge_amdgpu(version, flags));
    assert_int_equal(image.kind, AH_IMAGE_AMDGPU);
    assert_int_equal(image.code_object_version, version);
    assert_string_equal(image.target, target);
    assert_string_equal(image.processor, ah_test_print("%.*s", (int)strcspn(target, ":"), target));
}

static void amdgpu_features_of_versions_4_to_6_are_two_bits_each(void **state)
{
    (void)state;
    for (int version = 4; version <= 6; version++) {
        assert_amdgpu(version, 0x03f | 0x500, "gfx90a");
        assert_amdgpu(version, 0x03f | 0x600, "gfx90a:xnack-");
        assert_amdgpu(version, 0x03f | 0x700, "gfx90a:xnack+");
        assert_amdgpu(version, 0x03f | 0x900, "gfx90a:sramecc-");
        assert_amdgpu(version, 0x03f | 0xd00, "gfx90a:sramecc+");
        assert_amdgpu(version, 0x03f | 0xe00, "gfx90a:sramecc+:xnack-");
        assert_amdgpu(version, 0x03f | 0xb00, "gfx90a:sramecc-:xnack+");
        assert_amdgpu(version, 0x041, "gfx1100");
        assert_amdgpu(version, 0x04c | 0x500, "gfx942");
    }
}

static void amdgpu_features_say_whether_the_processor_has_them(void **state)
{
    (void)state;
    static const enum ah_image_feature values[] = {AH_FEATURE_UNSUPPORTED, AH_FEATURE_ANY,
                                                   AH_FEATURE_OFF, AH_FEATURE_ON};
    for (unsigned xnack = 0; xnack < 4; xnack++) {
        for (unsigned sramecc = 0; sramecc < 4; sramecc++) {
            struct ah_image image =
                identify(ah_forge_amdgpu(5, 0x03f | xnack << 8 | sramecc << 10));
            assert_int_equal(image.xnack, values[xnack]);
            assert_int_equal(image.sramecc, values[sramecc]);
        }
    }
}

static void amdgpu_features_of_version_3_are_one_bit_where_the_processor_has_them(void **state)
{
    (void)state;
    assert_amdgpu(3, 0x02f, "gfx906:sramecc-:xnack-");
    assert_amdgpu(3, 0x02f | 0x100, "gfx906:sramecc-:xnack+");
    assert_amdgpu(3, 0x030 | 0x300, "gfx908:sramecc+:xnack+");
    assert_amdgpu(3, 0x02c, "gfx900:xnack-");
    assert_amdgpu(3, 0x02c | 0x100, "gfx900:xnack+");
    assert_amdgpu(3, 0x036, "gfx1030");
    struct ah_image image = identify(ah_forge_amdgpu(3, 0x036));
    assert_int_equal(image.xnack, AH_FEATURE_UNSUPPORTED);
    assert_int_equal(image.sramecc, AH_FEATURE_UNSUPPORTED);
}

static void amdgpu_generic_processors_are_named_whatever_their_version(void **state)
{
    (void)state;
    assert_amdgpu(6, 0x01000051 | 0x100, "gfx9-generic");
    assert_amdgpu(6, 0x02000051 | 0x300, "gfx9-generic:xnack+");
    assert_amdgpu(6, 0x0100005f | 0x500, "gfx9-4-generic");
    assert_amdgpu(6, 0x01000052 | 0x200, "gfx10-1-generic:xnack-");
    assert_amdgpu(6, 0x01000053, "gfx10-3-generic");
    assert_amdgpu(6, 0x01000054, "gfx11-generic");
    assert_amdgpu(6, 0x01000059, "gfx12-generic");
}

static void code_for_a_generic_processor_has_the_version_of_it(void **state)
{
    (void)state;
    assert_int_equal(identify(ah_forge_amdgpu(6, 0x01000054)).generic_version, 1);
    assert_int_equal(identify(ah_forge_amdgpu(6, 0xff00005f)).generic_version, 255);
    assert_int_equal(identify(ah_forge_amdgpu(6, 0x041)).generic_version, 0);
    assert_int_equal(identify(ah_forge_amdgpu(5, 0x01000054)).generic_version, 0);
}

static void an_unknown_amdgpu_processor_has_no_name(void **state)
{
    (void)state;
    assert_amdgpu(5, 0x0ff, "");
    assert_amdgpu(5, 0, "");
}

/* Its flags mean something else; the processor is in a note. */
static void an_amdgpu_code_object_of_version_2_has_no_name(void **state)
{
    (void)state;
    assert_amdgpu(2, 0x001, "");
    assert_amdgpu(2, 0x03f, "");
}

static void assert_cubin(unsigned osabi, unsigned abiversion, unsigned flags, unsigned sm)
{
    struct ah_image image = identify(ah_forge_elf(190, osabi, abiversion, flags));
    assert_int_equal(image.kind, AH_IMAGE_CUBIN);
    assert_int_equal(image.sm, sm);
    assert_string_equal(image.target, ah_test_print("sm_%u", sm));
}

static void cubins_until_cuda_12_keep_the_architecture_in_the_low_byte(void **state)
{
    (void)state;
    assert_cubin(51, 7, 0x00460546, 70);
    assert_cubin(51, 7, 0x00500550, 80);
    assert_cubin(51, 7, 0x005a055a, 90);
    assert_cubin(51, 7, 0x005a0d5a, 90);
}

/* Header values as ptxas of CUDA 13.0 writes them. */
static void cubins_since_cuda_13_keep_it_in_the_second_byte(void **state)
{
    (void)state;
    assert_cubin(65, 8, 0x06004b04, 75);
    assert_cubin(65, 8, 0x06005a04, 90);
    assert_cubin(65, 8, 0x06006402, 100);
    assert_cubin(65, 8, 0x06006702, 103);
    assert_cubin(65, 8, 0x06007802, 120);
}

static void an_elf_file_of_another_machine_is_unknown(void **state)
{
    (void)state;
    static const unsigned machines[] = {EM_NONE, EM_386, EM_X86_64, EM_AARCH64, 0xffff};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        assert_int_equal(identify(ah_forge_elf(machines[i], 0, 0, 0x3f)).kind, AH_IMAGE_UNKNOWN);
    struct ah_forged small = ah_forge_amdgpu(5, 0x3f);
    small.data[EI_CLASS] = ELFCLASS32;
    assert_int_equal(identify(small).kind, AH_IMAGE_UNKNOWN);
}

static void an_elf_header_that_is_cut_is_unknown(void **state)
{
    (void)state;
    struct ah_forged elf = ah_forge_amdgpu(5, 0x3f);
    for (elf.size = 1; elf.size < sizeof(Elf64_Ehdr); elf.size++)
        assert_int_equal(identify(elf).kind, AH_IMAGE_UNKNOWN);
}

/* ---- PTX ---------------------------------------------------------------- */

static void assert_ptx(const char *text, unsigned version, const char *target)
{
    struct ah_image image = identify_text(text);
    assert_int_equal(image.kind, AH_IMAGE_PTX);
    assert_int_equal(image.ptx_version, version);
    assert_string_equal(image.target, target);
    assert_int_equal(image.size, strlen(text));
}

static void ptx_is_recognised_by_its_version_and_target(void **state)
{
    (void)state;
    assert_ptx(".version 7.0\n.target sm_70\n.address_size 64\n", 70, "sm_70");
    assert_ptx(".version 8.7\n.target sm_100, texmode_independent\n", 87, "sm_100");
    assert_ptx(".version 6.4\n.target sm_30", 64, "sm_30");
}

static void ptx_targets_of_one_architecture_keep_their_letter(void **state)
{
    (void)state;
    assert_ptx(".version 8.0\n.target sm_90a\n", 80, "sm_90a");
    assert_ptx(".version 8.8\n.target sm_100f\n", 88, "sm_100f");
    assert_int_equal(identify_text(".version 8.0\n.target sm_90a").sm_suffix, 'a');
    assert_int_equal(identify_text(".version 8.8\n.target sm_120f,debug").sm_suffix, 'f');
    assert_int_equal(identify_text(".version 8.0\n.target sm_90,debug").sm_suffix, 0);
    assert_int_equal(identify_text(".version 8.0\n.target sm_90").sm_suffix, 0);
}

static void ptx_may_start_with_comments_and_odd_spacing(void **state)
{
    (void)state;
    assert_ptx("//\n// Generated by LLVM NVPTX Back-End\n//\n\n.version 7.0\n.target sm_70\n", 70,
               "sm_70");
    assert_ptx("/* one\n line */ /**/\t\r\n.version\t8.1\r\n.target\t sm_80\r\n", 81, "sm_80");
    assert_ptx("\v\f .version   7.8 // for now\n /* .target sm_10 */\n\n.target   sm_86", 78,
               "sm_86");
    assert_ptx(".version 7.0/**/.target sm_70", 70, "sm_70");
}

static void ptx_without_a_target_is_ptx_all_the_same(void **state)
{
    (void)state;
    assert_ptx(".version 7.0\n", 70, "");
    assert_ptx(".version 7.0\n.target compute_70\n", 70, "");
    assert_ptx(".version 7.0\n.target sm_\n", 70, "");
    assert_ptx(".version 7.0\n.target sm_-5\n", 70, "");
}

static void text_that_only_resembles_ptx_is_unknown(void **state)
{
    (void)state;
    static const char *const texts[] = {"version 7.0",
                                        ".version",
                                        ".version seven",
                                        ".version 7",
                                        ".version -7.0",
                                        ".version 7.-1",
                                        ".target sm_70",
                                        "// .version 7.0",
                                        "/* .version 7.0\n.target sm_70",
                                        "/.version 7.0",
                                        " ",
                                        "//",
                                        "/*",
                                        "/",
                                        "x\n.version 7.0\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(identify_text(texts[i]).kind, AH_IMAGE_UNKNOWN);
}

static void the_size_of_ptx_is_that_of_its_text(void **state)
{
    (void)state;
    struct ah_forged text = ah_forge_text(".version 7.0\n.target sm_70\n");
    struct ah_forged padded = ah_forge_join(text, ah_forge_text("zzz"), 64);
    assert_int_equal(identify(padded).size, text.size);
}

static void ptx_after_a_very_long_comment_is_unknown_and_survived(void **state)
{
    (void)state;
    assert_int_equal(identify_text(ah_test_print("//%05000d\n.version 7.0\n", 1)).kind,
                     AH_IMAGE_UNKNOWN);
    assert_ptx(ah_test_print("//%04000d\n.version 7.0\n.target sm_70", 1), 70, "sm_70");
}

/* ---- others ------------------------------------------------------------- */

static void a_cuda_fatbin_is_recognised_by_its_magic(void **state)
{
    (void)state;
    struct ah_forged fatbin = ah_forge_cuda_fatbin(100);
    struct ah_image image = identify(fatbin);
    assert_int_equal(image.kind, AH_IMAGE_CUDA_FATBIN);
    assert_int_equal(image.size, 116);
    assert_string_equal(image.target, "");
    for (fatbin.size = 1; fatbin.size < 16; fatbin.size++)
        assert_int_equal(identify(fatbin).kind, AH_IMAGE_UNKNOWN);
}

static void spirv_is_recognised_by_its_magic(void **state)
{
    (void)state;
    assert_int_equal(identify_text("\x03\x02\x23\x07 and more").kind, AH_IMAGE_SPIRV);
    assert_int_equal(identify_text("\x03\x02\x23").kind, AH_IMAGE_UNKNOWN);
}

static void nothing_is_the_hosts_and_anything_else_is_unknown(void **state)
{
    (void)state;
    struct ah_image image;
    ah_image_identify(&image, "x", 0);
    assert_int_equal(image.kind, AH_IMAGE_HOST);
    ah_image_identify(&image, NULL, 0);
    assert_int_equal(image.kind, AH_IMAGE_HOST);
    ah_image_identify(&image, NULL, SIZE_MAX);
    assert_int_equal(image.kind, AH_IMAGE_HOST);
    assert_int_equal(identify_text("x").kind, AH_IMAGE_UNKNOWN);
    assert_int_equal(identify_text("hello, world; this is no image").kind, AH_IMAGE_UNKNOWN);
}

/* ---- images of unknown size ---------------------------------------------- */

/* The size found for an image that other data follows. */
static size_t size_found(struct ah_forged forged)
{
    struct ah_image image;
    struct ah_forged more = ah_forge_join(forged, ah_forge_text("\1\1\1\1 other data"), 1);
    void *guarded = ah_test_guard(more.data, more.size);
    ah_image_identify(&image, guarded, SIZE_MAX);
    ah_test_unguard(guarded, more.size);
    return image.size;
}

static void the_size_of_an_elf_file_comes_from_its_sections_and_segments(void **state)
{
    (void)state;
    static const struct ah_forge_section sections[] = {
        {".text", "machine code", 12}, {".note", "1234", 4}, {NULL, NULL, 0}};
    struct ah_forged elf = ah_forge_sections(224, sections),
                     empty = ah_forge_sections(224, sections);
    assert_int_equal(size_found(elf), elf.size);

    Elf64_Ehdr table;
    Elf64_Shdr section; /* of memory that the file does not have */
    memcpy(&table, empty.data, sizeof table);
    unsigned char *second = empty.data + table.e_shoff + 2 * sizeof section;
    memcpy(&section, second, sizeof section);
    section.sh_type = SHT_NOBITS;
    section.sh_size = empty.size + 4 - section.sh_offset; /* into what follows */
    memcpy(second, &section, sizeof section);
    assert_int_equal(size_found(empty), empty.size);

    struct ah_forged loaded = ah_forge_join(ah_forge_amdgpu(5, 0x3f), ah_forge_text(""), 4096);
    Elf64_Ehdr header;
    Elf64_Phdr segments[2] = {{.p_type = PT_LOAD, .p_offset = 0, .p_filesz = 64},
                              {.p_type = PT_LOAD, .p_offset = 256, .p_filesz = 3000}};
    memcpy(&header, loaded.data, sizeof header);
    header.e_phoff = sizeof header;
    header.e_phnum = 2;
    header.e_phentsize = sizeof *segments;
    memcpy(loaded.data, &header, sizeof header);
    memcpy(loaded.data + sizeof header, segments, sizeof segments);
    assert_int_equal(size_found(loaded), 3256);
}

/* .bss has a size and a place, but no bytes in the file. */
static void a_section_without_bytes_does_not_count(void **state)
{
    (void)state;
    static const struct ah_forge_section sections[] = {
        {".text", "machine code", 12}, {".bss", "1234", 4}, {NULL, NULL, 0}};
    struct ah_forged elf = ah_forge_sections(224, sections);
    Elf64_Ehdr header;
    Elf64_Shdr section;
    unsigned char *const last = elf.data + elf.size;
    size_t changed = 0;
    memcpy(&header, elf.data, sizeof header);
    for (unsigned char *at = elf.data + header.e_shoff; at < last; at += sizeof section) {
        memcpy(&section, at, sizeof section);
        if (section.sh_size != 4)
            continue;
        section.sh_type = SHT_NOBITS;
        section.sh_size = elf.size - section.sh_offset + 4; /* into what follows the file */
        memcpy(at, &section, sizeof section);
        changed++;
    }
    assert_int_equal(changed, 1);
    assert_int_equal(size_found(elf), elf.size);
}

static void an_elf_file_with_false_tables_reaches_as_far_as_memory_does(void **state)
{
    (void)state;
    Elf64_Ehdr header;
    struct ah_forged elf = ah_forge_amdgpu(5, 0x3f);
    size_t all = size_found(elf);
    assert_true(all >= elf.size + 4);
    static const uint64_t offsets[] = {1 << 20, UINT64_MAX, UINT64_MAX - 63, 65};
    memcpy(&header, elf.data, sizeof header);
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        header.e_shoff = offsets[i];
        header.e_shnum = 0xffff;
        header.e_shentsize = sizeof(Elf64_Shdr);
        memcpy(elf.data, &header, sizeof header);
        assert_int_equal(size_found(elf), all);
    }
}

static void the_size_of_a_cuda_fatbin_comes_from_its_header(void **state)
{
    (void)state;
    assert_int_equal(size_found(ah_forge_cuda_fatbin(100)), 116);
    struct ah_forged broken = ah_forge_cuda_fatbin(100);
    memset(broken.data + 8, 0xff, 8);
    assert_true(size_found(broken) >= 116);
}

static void a_cuda_fatbin_may_say_that_it_is_larger(void **state)
{
    uint64_t size;
    (void)state;
    struct ah_forged fatbin = ah_forge_cuda_fatbin(100);
    assert_true(ah_read_fatbin_size(fatbin.data, 16, &size));
    assert_int_equal(size, 116);
    assert_false(ah_read_fatbin_size(fatbin.data, 15, &size));
    assert_false(ah_read_fatbin_size("no fatbin, though long", 22, &size));
    memset(fatbin.data + 8, 0xff, 8);
    assert_true(ah_read_fatbin_size(fatbin.data, 116, &size));
    assert_true(size == UINT64_MAX);
}

static void the_size_of_ptx_comes_from_its_zero(void **state)
{
    (void)state;
    struct ah_forged text = ah_forge_text(".version 7.0\n.target sm_70\n");
    text.size++; /* the zero */
    text.data = memcpy(ah_test_alloc(text.size), text.data, text.size - 1);
    assert_int_equal(size_found(text), text.size - 1);
}

/* ---- words -------------------------------------------------------------- */

static void every_kind_has_a_name(void **state)
{
    (void)state;
    for (int kind = AH_IMAGE_UNKNOWN; kind <= AH_IMAGE_SPIRV; kind++)
        for (int other = AH_IMAGE_UNKNOWN; other < kind; other++)
            assert_string_not_equal(ah_image_kind_name((enum ah_image_kind)kind),
                                    ah_image_kind_name((enum ah_image_kind)other));
    assert_string_equal(ah_image_kind_name((enum ah_image_kind)99), "unknown");
}

static void a_description_names_every_image_but_the_hosts(void **state)
{
    (void)state;
    struct ah_image items[] = {
        {.kind = AH_IMAGE_HOST},
        {.kind = AH_IMAGE_AMDGPU, .target = "gfx90a:xnack-"},
        {.kind = AH_IMAGE_PTX, .target = "sm_90a", .ptx_version = 87},
        {.kind = AH_IMAGE_CUBIN, .target = "sm_90"},
        {.kind = AH_IMAGE_CUDA_FATBIN},
    };
    struct ah_images images = {.items = items, .count = 5};
    char *text = ah_images_describe(&images);
    assert_string_equal(text, "AMDGPU code object gfx90a:xnack-, PTX sm_90a (PTX 8.7), cubin "
                              "sm_90, CUDA fatbin");
    free(text);
    images.count = 1;
    text = ah_images_describe(&images);
    assert_string_equal(text, "no device image");
    free(text);
}

/* The names that ah_image_next_managed finds in a text, each followed by a space. */
static void check_managed(const char *text, const char *want)
{
    struct ah_image image = {
        .kind = AH_IMAGE_PTX, .data = (const unsigned char *)text, .size = strlen(text)};
    char found[200] = "";
    const char *name;
    size_t at = 0, length;
    while (ah_image_next_managed(&image, &at, &name, &length)) {
        strncat(found, name, length);
        strcat(found, " ");
    }
    assert_string_equal(found, want);
    assert_int_equal(at, image.size);
    image.kind = AH_IMAGE_CUBIN;
    at = 0;
    assert_false(ah_image_next_managed(&image, &at, &name, &length));
}

static void managed_variables_are_found_by_their_companions(void **state)
{
    (void)state;
    check_managed("", "");
    check_managed(".global .u32 a.managed = 1;\n.global .u64 a;\n", "a ");
    check_managed(".global .u32 _ZN1a1bE_$_managed;\n.global .u32 $c%.managed", "_ZN1a1bE $c% ");
    check_managed(".global .attribute(.managed) .u32 a;", "");
    check_managed("managed _$_managed .managed a_managed a.managed_ a.unmanaged", "");
}

static void managed_variables_of_code_objects_are_found_in_their_strings(void **state)
{
    (void)state;
    static const char strings[] =
        "\0kernel.kd\0a\0a.managed\0b.managed.c\0_ZN1x1yE.managed\0.managed";
    struct ah_image image = {
        .kind = AH_IMAGE_AMDGPU, .data = (const unsigned char *)strings, .size = sizeof strings};
    const char *name;
    size_t at = 0, length;
    assert_true(ah_image_next_managed(&image, &at, &name, &length));
    assert_memory_equal(name, "a", length);
    assert_int_equal(length, 1);
    assert_true(ah_image_next_managed(&image, &at, &name, &length));
    assert_int_equal(length, strlen("_ZN1x1yE"));
    assert_memory_equal(name, "_ZN1x1yE", length);
    assert_false(ah_image_next_managed(&image, &at, &name, &length));
    at = 0; /* cut within the first one's end */
    image.size =
        (size_t)((const char *)memmem(strings, sizeof strings, "a.managed", 9) - strings) + 9;
    assert_false(ah_image_next_managed(&image, &at, &name, &length));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(amdgpu_features_of_versions_4_to_6_are_two_bits_each),
        AH_TEST(amdgpu_features_say_whether_the_processor_has_them),
        AH_TEST(amdgpu_features_of_version_3_are_one_bit_where_the_processor_has_them),
        AH_TEST(amdgpu_generic_processors_are_named_whatever_their_version),
        AH_TEST(code_for_a_generic_processor_has_the_version_of_it),
        AH_TEST(an_unknown_amdgpu_processor_has_no_name),
        AH_TEST(an_amdgpu_code_object_of_version_2_has_no_name),
        AH_TEST(cubins_until_cuda_12_keep_the_architecture_in_the_low_byte),
        AH_TEST(cubins_since_cuda_13_keep_it_in_the_second_byte),
        AH_TEST(an_elf_file_of_another_machine_is_unknown),
        AH_TEST(an_elf_header_that_is_cut_is_unknown),
        AH_TEST(ptx_is_recognised_by_its_version_and_target),
        AH_TEST(ptx_targets_of_one_architecture_keep_their_letter),
        AH_TEST(ptx_may_start_with_comments_and_odd_spacing),
        AH_TEST(ptx_without_a_target_is_ptx_all_the_same),
        AH_TEST(text_that_only_resembles_ptx_is_unknown),
        AH_TEST(the_size_of_ptx_is_that_of_its_text),
        AH_TEST(ptx_after_a_very_long_comment_is_unknown_and_survived),
        AH_TEST(a_cuda_fatbin_is_recognised_by_its_magic),
        AH_TEST(spirv_is_recognised_by_its_magic),
        AH_TEST(nothing_is_the_hosts_and_anything_else_is_unknown),
        AH_TEST(the_size_of_an_elf_file_comes_from_its_sections_and_segments),
        AH_TEST(a_section_without_bytes_does_not_count),
        AH_TEST(an_elf_file_with_false_tables_reaches_as_far_as_memory_does),
        AH_TEST(the_size_of_a_cuda_fatbin_comes_from_its_header),
        AH_TEST(a_cuda_fatbin_may_say_that_it_is_larger),
        AH_TEST(the_size_of_ptx_comes_from_its_zero),
        AH_TEST(managed_variables_are_found_by_their_companions),
        AH_TEST(managed_variables_of_code_objects_are_found_in_their_strings),
        AH_TEST(every_kind_has_a_name),
        AH_TEST(a_description_names_every_image_but_the_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
