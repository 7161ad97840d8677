/* Tests the parser of AMDGPU metadata, on valid and damaged notes. */
#include "amdgpu_abi.h"
#include "hsa_metadata.h"
#include "support.h"

#include <elf.h>
#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

static msgpack_sbuffer packed;
static msgpack_packer packer;

static void start(void)
{
    msgpack_sbuffer_destroy(&packed);
    msgpack_sbuffer_init(&packed);
    msgpack_packer_init(&packer, &packed, msgpack_sbuffer_write);
}

static void text(const char *value)
{
    msgpack_pack_str(&packer, strlen(value));
    msgpack_pack_str_body(&packer, value, strlen(value));
}

static void pair_text(const char *key, const char *value)
{
    text(key);
    text(value);
}

static void pair_number(const char *key, uint64_t value)
{
    text(key);
    msgpack_pack_uint64(&packer, value);
}

static void pair_truth(const char *key, bool value)
{
    text(key);
    if (value)
        msgpack_pack_true(&packer);
    else
        msgpack_pack_false(&packer);
}

static void argument(uint64_t offset, uint64_t size, const char *kind)
{
    msgpack_pack_map(&packer, 3);
    pair_number(".offset", offset);
    pair_number(".size", size);
    pair_text(".value_kind", kind);
}

static void version(unsigned minor)
{
    text("amdhsa.version");
    msgpack_pack_array(&packer, 2);
    msgpack_pack_int(&packer, 1);
    msgpack_pack_int(&packer, (int)minor);
}

/* A kernel as clang writes it. */
static void whole(void)
{
    start();
    msgpack_pack_map(&packer, 3);
    text("amdhsa.kernels");
    msgpack_pack_array(&packer, 1);
    msgpack_pack_map(&packer, 12);
    pair_text(".name", "kernel");
    pair_text(".symbol", "kernel.kd");
    pair_number(".kernarg_segment_size", 272);
    pair_number(".group_segment_fixed_size", 1024);
    pair_number(".private_segment_fixed_size", 16);
    pair_number(".max_flat_workgroup_size", 256);
    pair_number(".wavefront_size", 64);
    pair_number(".sgpr_count", 37);
    pair_number(".vgpr_count", 10);
    pair_truth(".uses_dynamic_stack", true);
    text(".reqd_workgroup_size");
    msgpack_pack_array(&packer, 3);
    for (int i = 0; i < 3; i++)
        msgpack_pack_int(&packer, 4 << i);
    text(".args");
    msgpack_pack_array(&packer, 4);
    argument(0, 8, "global_buffer");
    argument(8, 1, "by_value");
    argument(16, 4, "hidden_block_count_x");
    argument(88, 8, "hidden_something_new");
    text("amdhsa.printf");
    msgpack_pack_array(&packer, 3);
    text("0:0:d3e1b03bc04075f4,%d, %s\n");
    text("1:2:4:8:an older kind of format");
    text("0:0:,");
    version(2);
}

static bool parse(struct ahhsa_metadata *out, const char **out_reason)
{
    void *guarded = ah_test_guard(packed.data, packed.size);
    bool read = ahhsa_metadata_parse(out, guarded, packed.size, out_reason);
    ah_test_unguard(guarded, packed.size);
    return read;
}

static void the_metadata_of_a_kernel_is_read(void **state)
{
    (void)state;
    struct ahhsa_metadata metadata;
    const char *reason;
    whole();
    assert_true(parse(&metadata, &reason));
    assert_int_equal(metadata.minor, 2);
    assert_int_equal(metadata.kernel_count, 1);
    assert_null(ahhsa_metadata_kernel(&metadata, "kernel.kd"));
    const struct ahhsa_kernel_metadata *kernel = ahhsa_metadata_kernel(&metadata, "kernel");
    assert_non_null(kernel);
    assert_string_equal(kernel->symbol, "kernel.kd");
    assert_int_equal(kernel->kernarg_size, 272);
    assert_int_equal(kernel->group_size, 1024);
    assert_int_equal(kernel->private_size, 16);
    assert_int_equal(kernel->max_threads, 256);
    assert_int_equal(kernel->lanes, 64);
    assert_int_equal(kernel->sgprs, 37);
    assert_int_equal(kernel->vgprs, 10);
    assert_int_equal(kernel->agprs, 0);
    assert_true(kernel->dynamic_stack);
    assert_int_equal(kernel->required[0] + kernel->required[1] + kernel->required[2], 28);
    ahhsa_metadata_fini(&metadata);
}

static void arguments_are_explicit_or_implicit(void **state)
{
    (void)state;
    struct ahhsa_metadata metadata;
    const char *reason;
    whole();
    assert_true(parse(&metadata, &reason));
    const struct ahhsa_kernel_metadata *kernel = &metadata.kernels[0];
    assert_int_equal(kernel->argument_count, 4);
    assert_int_equal(kernel->explicit_count, 2);
    assert_int_equal(kernel->arguments[1].offset, 8);
    assert_int_equal(kernel->arguments[1].size, 1);
    assert_int_equal(kernel->arguments[2].value, AHHSA_VALUE_BLOCK_COUNT_X);
    assert_int_equal(kernel->arguments[3].value, AHHSA_VALUE_NONE); /* unknown, but hidden */
    ahhsa_metadata_fini(&metadata);
}

static void formats_are_found_by_the_id_in_records(void **state)
{
    (void)state;
    struct ahhsa_metadata metadata;
    const char *reason;
    whole();
    assert_true(parse(&metadata, &reason));
    struct ahhsa_formats *formats = ahhsa_formats_retain(metadata.formats);
    ahhsa_metadata_fini(&metadata); /* which the formats outlive */
    assert_int_equal(formats->count, 1);
    assert_true(formats->list[0].id == 0xd3e1b03bc04075f4u);
    assert_string_equal(formats->list[0].text, "%d, %s\n");
    ahhsa_formats_release(formats);
}

static void one_kernel(uint64_t offset, uint64_t size, uint64_t segment)
{
    start();
    msgpack_pack_map(&packer, 2);
    version(1);
    text("amdhsa.kernels");
    msgpack_pack_array(&packer, 1);
    msgpack_pack_map(&packer, 4);
    pair_text(".name", "kernel");
    pair_text(".symbol", "kernel.kd");
    pair_number(".kernarg_segment_size", segment);
    text(".args");
    msgpack_pack_array(&packer, 1);
    argument(offset, size, "by_value");
}

static void arguments_outside_of_the_segment_are_refused(void **state)
{
    (void)state;
    static const uint64_t cases[][3] = {{0, 9, 8},          {8, 1, 8},          {UINT32_MAX, 2, 8},
                                        {UINT64_MAX, 8, 8}, {0, 8, UINT32_MAX}, {0, 8, UINT64_MAX}};
    struct ahhsa_metadata metadata;
    const char *reason;
    one_kernel(0, 8, 8);
    assert_true(parse(&metadata, &reason));
    ahhsa_metadata_fini(&metadata);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        one_kernel(cases[i][0], cases[i][1], cases[i][2]);
        assert_false(parse(&metadata, &reason));
        assert_non_null(reason);
        assert_null(metadata.kernels);
    }
}

static void invalid_metadata_is_refused(void **state)
{
    (void)state;
    struct ahhsa_metadata metadata;
    const char *reason;
    start();
    msgpack_pack_array(&packer, 0);
    assert_false(parse(&metadata, &reason));
    start();
    msgpack_pack_map(&packer, 1);
    text("amdhsa.version");
    msgpack_pack_array(&packer, 2);
    msgpack_pack_int(&packer, 9);
    msgpack_pack_int(&packer, 0);
    assert_false(parse(&metadata, &reason));
    assert_contains(reason, "version");
    assert_false(ahhsa_metadata_parse(&metadata, "", 0, &reason));
    assert_false(ahhsa_metadata_read(&metadata, "\177ELF", 4, &reason));
}

static void counts_beyond_the_note_allocate_no_memory(void **state)
{
    (void)state;
    static const char *const notes[] = {"\xdd\xff\xff\xff\xff",
                                        "\xdf\xff\xff\xff\xff",
                                        "\x91\xdd\x7f\xff\xff\xff",
                                        "\xdc\xff\xff\x01\x02",
                                        "\xdb\xff\xff\xff\xff"
                                        "abc",
                                        "\xc9\xff\xff\xff\xff\x01"};
    struct ahhsa_metadata metadata;
    const char *reason;
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        assert_false(ahhsa_metadata_parse(&metadata, notes[i], strlen(notes[i]), &reason));
        assert_contains(reason, "damaged");
    }
}

/* Strings and binaries with every encoding of the length, whose contents look like a huge map. */
static void bytes_of_strings_are_not_taken_for_counts(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        size_t size;
    } heads[] = {
        {"\xa5", 1},       {"\xd9\5", 2},         {"\xda\0\5", 3},     {"\xdb\0\0\0\5", 5},
        {"\xc4\5", 2},     {"\xc5\0\5", 3},       {"\xc6\0\0\0\5", 5}, {"\xc7\5\1", 3},
        {"\xc8\0\5\1", 4}, {"\xc9\0\0\0\5\1", 6},
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct ahhsa_metadata metadata;
        const char *reason;
        start();
        msgpack_pack_map(&packer, 6);
        text("x");
        msgpack_sbuffer_write(&packed, heads[i].head, heads[i].size);
        msgpack_sbuffer_write(&packed, "\xdf\xff\xff\xff\xff", 5);
        version(2);
        text("amdhsa.kernels");
        msgpack_pack_array(&packer, 0);
        for (int more = 0; more < 3; more++) /* so that none of the five is the last object */
            pair_number("y", (uint64_t)more);
        assert_true(parse(&metadata, &reason));
        ahhsa_metadata_fini(&metadata);
    }
}

static void damaged_notes_do_no_harm(void **state)
{
    (void)state;
    struct ahhsa_metadata metadata;
    const char *reason;
    srand(7);
    whole();
    for (size_t size = 0; size < packed.size; size++)
        if (ahhsa_metadata_parse(&metadata, packed.data, size, &reason))
            ahhsa_metadata_fini(&metadata);
    for (int round = 0; round < 5000; round++) {
        whole();
        for (int i = 0; i < 1 + round % 3; i++)
            packed.data[(size_t)rand() % packed.size] = (char)rand();
        if (parse(&metadata, &reason))
            ahhsa_metadata_fini(&metadata);
    }
}

/* An ELF file with nothing but the note, in a segment or in a section. */
static void *elf_file(bool section, size_t *out_size)
{
    enum { TABLE = 64, NOTE = 128, CONTENT = NOTE + 12 + 8 };
    static const Elf64_Nhdr head = {.n_namesz = 7, .n_type = AMDGPU_NT_METADATA};
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT,
                                     AMDGPU_ELFOSABI_HSA, AMDGPU_ABI_V5},
                         .e_machine = AMDGPU_EM};
    Elf64_Nhdr note = head;
    size_t size = CONTENT + packed.size + 8;
    unsigned char *file = calloc(1, size);
    assert_non_null(file);
    note.n_descsz = (Elf64_Word)packed.size;
    Elf64_Phdr segment = {.p_type = PT_NOTE, .p_offset = NOTE, .p_filesz = size - NOTE};
    Elf64_Shdr shdr = {.sh_type = SHT_NOTE, .sh_offset = NOTE, .sh_size = size - NOTE};
    if (section) {
        header.e_shoff = TABLE;
        header.e_shnum = 1;
        header.e_shentsize = sizeof shdr;
        memcpy(file + TABLE, &shdr, sizeof shdr);
    } else {
        header.e_phoff = TABLE;
        header.e_phnum = 1;
        header.e_phentsize = sizeof segment;
        memcpy(file + TABLE, &segment, sizeof segment);
    }
    memcpy(file, &header, sizeof header);
    memcpy(file + NOTE, &note, sizeof note);
    memcpy(file + NOTE + sizeof note, "AMDGPU", 7);
    memcpy(file + CONTENT, packed.data, packed.size);
    *out_size = size;
    return file;
}

static void a_note_that_extends_past_its_segment_is_not_read(void **state)
{
    (void)state;
    enum { TABLE = 64, NOTE = 128, PADDING = 8 };
    for (unsigned more = 1; more <= 20; more++) {
        struct ahhsa_metadata metadata;
        const char *reason;
        Elf64_Phdr segment;
        Elf64_Nhdr note;
        size_t size;
        whole();
        unsigned char *file = elf_file(false, &size);
        size -= PADDING;
        memcpy(&segment, file + TABLE, sizeof segment);
        memcpy(&note, file + NOTE, sizeof note);
        segment.p_filesz -= PADDING;
        note.n_descsz += more;
        memcpy(file + TABLE, &segment, sizeof segment);
        memcpy(file + NOTE, &note, sizeof note);
        void *guarded = ah_test_guard(file, size);
        assert_false(ahhsa_metadata_read(&metadata, guarded, size, &reason));
        ah_test_unguard(guarded, size);
        free(file);
    }
}

static void the_note_is_found_in_segments_and_sections(void **state)
{
    (void)state;
    for (int section = 0; section < 2; section++) {
        struct ahhsa_metadata metadata;
        const char *reason = "";
        size_t size;
        whole();
        void *file = elf_file(section, &size), *guarded = ah_test_guard(file, size);
        assert_true(ahhsa_metadata_read(&metadata, guarded, size, &reason));
        assert_int_equal(metadata.kernel_count, 1);
        ahhsa_metadata_fini(&metadata);
        ah_test_unguard(guarded, size);
        for (size_t cut = 0; cut < size; cut++) {
            guarded = ah_test_guard(file, cut);
            if (ahhsa_metadata_read(&metadata, guarded, cut, &reason))
                ahhsa_metadata_fini(&metadata);
            ah_test_unguard(guarded, cut);
        }
        free(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_metadata_of_a_kernel_is_read),
        cmocka_unit_test(arguments_are_explicit_or_implicit),
        cmocka_unit_test(formats_are_found_by_the_id_in_records),
        cmocka_unit_test(arguments_outside_of_the_segment_are_refused),
        cmocka_unit_test(invalid_metadata_is_refused),
        cmocka_unit_test(counts_beyond_the_note_allocate_no_memory),
        cmocka_unit_test(bytes_of_strings_are_not_taken_for_counts),
        cmocka_unit_test(damaged_notes_do_no_harm),
        cmocka_unit_test(a_note_that_extends_past_its_segment_is_not_read),
        cmocka_unit_test(the_note_is_found_in_segments_and_sections),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    msgpack_sbuffer_destroy(&packed);
    return failed;
}
