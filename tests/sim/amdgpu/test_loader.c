/* Code objects: real ones of clang, changed ones, and corrupted ones. */
#include "amdgpu_code.h"

#include <elf.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#define ADDRESS   UINT64_C(0x7fff12345000)
#define ELSEWHERE UINT64_C(0x600000001000)

static const struct amdgpu_model gfx90a = {.name = "gfx90a", .sramecc = true};
static const struct amdgpu_model gfx1100 = {.name = "gfx1100"};

struct file {
    unsigned char *bytes;
    size_t size;
};

/* A program of CODE_FOLDER, compiled from loader_code.c. */
static struct file read_file(const char *name)
{
    char path[1024];
    struct file file;
    snprintf(path, sizeof path, "%s/loader_%s.co", CODE_FOLDER, name);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, 0, SEEK_END), 0);
    file.size = (size_t)ftell(stream);
    rewind(stream);
    file.bytes = malloc(file.size);
    assert_non_null(file.bytes);
    assert_int_equal(fread(file.bytes, 1, file.size, stream), file.size);
    fclose(stream);
    return file;
}

static struct amdgpu_code_object *read_object(const struct file *file)
{
    const char *why = "";
    struct amdgpu_code_object *object = amdgpu_code_object_read(file->bytes, file->size, &why);
    if (!object)
        fail_msg("%s", why);
    assert_null(why);
    return object;
}

static void expect_refused(const struct file *file)
{
    const char *why = NULL;
    assert_null(amdgpu_code_object_read(file->bytes, file->size, &why));
    assert_non_null(why);
}

static const struct amdgpu_code_symbol *find(const struct amdgpu_code_object *object,
                                             const char *name)
{
    for (size_t i = 0; i < amdgpu_code_object_symbol_count(object); i++)
        if (strcmp(amdgpu_code_object_symbol(object, i)->name, name) == 0)
            return amdgpu_code_object_symbol(object, i);
    return NULL;
}

static bool define(void *data, const char *name, uint64_t *out_address)
{
    int *asked = data;
    (*asked)++;
    *out_address = ELSEWHERE;
    return strcmp(name, "elsewhere") == 0;
}

struct loaded {
    struct amdgpu_code_object *object;
    unsigned char *view;
};

static struct loaded load(const struct file *file)
{
    struct loaded loaded = {.object = read_object(file)};
    size_t span = amdgpu_code_object_span(loaded.object);
    const char *why = "";
    int asked = 0;
    loaded.view = malloc(span);
    assert_non_null(loaded.view);
    memset(loaded.view, 0xee, span);
    if (!amdgpu_code_object_load(loaded.object, loaded.view, ADDRESS, define, &asked, &why))
        fail_msg("%s", why);
    assert_null(why);
    assert_int_equal(asked, 2);
    return loaded;
}

static void unload(struct loaded *loaded)
{
    free(loaded->view);
    amdgpu_code_object_destroy(loaded->object);
}

static uint64_t value_at(const struct loaded *loaded, const char *name, size_t size)
{
    const struct amdgpu_code_symbol *symbol = find(loaded->object, name);
    uint64_t value = 0;
    assert_non_null(symbol);
    assert_true(symbol->value + size <= amdgpu_code_object_span(loaded->object));
    memcpy(&value, loaded->view + symbol->value, size);
    return value;
}

/* ---- whole files ---------------------------------------------------------------------- */

static const struct {
    const char *name, *target;
    unsigned version;
    enum amdgpu_feature xnack, sramecc;
} files[] = {
    {"gfx90a_v4", "gfx90a", 4, AMDGPU_FEATURE_ANY, AMDGPU_FEATURE_ANY},
    {"gfx90a_v5", "gfx90a", 5, AMDGPU_FEATURE_ANY, AMDGPU_FEATURE_ANY},
    {"gfx90a_v6", "gfx90a", 6, AMDGPU_FEATURE_ANY, AMDGPU_FEATURE_ANY},
    {"gfx90a_features", "gfx90a", 6, AMDGPU_FEATURE_ON, AMDGPU_FEATURE_OFF},
    {"gfx1100", "gfx1100", 6, AMDGPU_FEATURE_UNSUPPORTED, AMDGPU_FEATURE_UNSUPPORTED},
    {"gfx11-generic", "gfx11-generic", 6, AMDGPU_FEATURE_UNSUPPORTED, AMDGPU_FEATURE_UNSUPPORTED},
};
enum { FILES = sizeof files / sizeof *files };

static void files_say_what_they_are_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        struct file file = read_file(files[i].name);
        struct amdgpu_code_object *object = read_object(&file);
        assert_string_equal(amdgpu_code_object_target(object), files[i].target);
        assert_int_equal(amdgpu_code_object_version(object), files[i].version);
        assert_int_equal(amdgpu_code_object_xnack(object), files[i].xnack);
        assert_int_equal(amdgpu_code_object_sramecc(object), files[i].sramecc);
        assert_int_equal(amdgpu_code_object_span(object) % 4096, 0);
        amdgpu_code_object_destroy(object);
        free(file.bytes);
    }
}

static void kernels_have_their_descriptors(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        struct file file = read_file(files[i].name);
        struct loaded loaded = load(&file);
        const struct amdgpu_code_symbol *add = find(loaded.object, "add.kd");
        const struct amdgpu_code_symbol *group = find(loaded.object, "group.kd");
        assert_true(add && add->kernel && add->defined && add->global && add->constant);
        assert_true(group && group->kernel);
        assert_int_equal(add->size, 64);
        assert_int_equal(add->value % 64, 0);
        assert_int_equal(add->align, 64);
        assert_true(add->descriptor.kernarg_size >= 16);
        assert_int_equal(add->descriptor.group_segment_fixed_size, 0);
        assert_int_equal(group->descriptor.group_segment_fixed_size, 256);
        assert_memory_equal(&group->descriptor, loaded.view + group->value, 64);
        bool wave32 = add->descriptor.kernel_code_properties & AMDGPU_PROPERTY_WAVEFRONT_SIZE32;
        assert_int_equal(wave32, strncmp(files[i].target, "gfx11", 5) == 0);
        /* the code is where the descriptor says: it begins with an instruction, not zeros */
        uint64_t entry = add->value + (uint64_t)add->descriptor.kernel_code_entry_byte_offset;
        assert_true(entry % 256 == 0 && entry < amdgpu_code_object_span(loaded.object));
        assert_int_not_equal(memcmp(loaded.view + entry, "\0\0\0\0", 4), 0);
        unload(&loaded);
        free(file.bytes);
    }
}

static void variables_have_their_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        struct file file = read_file(files[i].name);
        struct loaded loaded = load(&file);
        const struct amdgpu_code_symbol *zeros = find(loaded.object, "zeros");
        assert_int_equal(value_at(&loaded, "counter", 4), 7);
        assert_int_equal(value_at(&loaded, "table", 8), UINT64_C(2) << 32 | 1);
        assert_true(find(loaded.object, "table")->constant);
        assert_false(find(loaded.object, "counter")->constant);
        assert_int_equal(zeros->size, 4000);
        assert_false(zeros->kernel);
        for (size_t at = 0; at < zeros->size; at++)
            assert_int_equal(loaded.view[zeros->value + at], 0);
        assert_null(find(loaded.object, "add")); /* functions are not variables */
        assert_null(find(loaded.object, "hidden"));
        unload(&loaded);
        free(file.bytes);
    }
}

static void pointers_are_relocated(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        struct file file = read_file(files[i].name);
        struct loaded loaded = load(&file);
        const struct amdgpu_code_symbol *counter = find(loaded.object, "counter");
        uint64_t hidden = value_at(&loaded, "to_hidden", 8) - ADDRESS;
        assert_true(hidden < amdgpu_code_object_span(loaded.object));
        assert_int_equal(loaded.view[hidden], 5);
        assert_int_equal(value_at(&loaded, "to_counter", 8), ADDRESS + counter->value);
        assert_int_equal(value_at(&loaded, "to_elsewhere", 8), ELSEWHERE + 8);
        assert_int_equal(value_at(&loaded, "to_nowhere", 8), 0);
        unload(&loaded);
        free(file.bytes);
    }
}

static bool define_nothing(void *data, const char *name, uint64_t *out_address)
{
    (void)data;
    (void)name;
    (void)out_address;
    return false;
}

static void undefined_symbols_fail(void **state)
{
    struct file file = read_file("gfx90a_v6");
    struct amdgpu_code_object *object = read_object(&file);
    const struct amdgpu_code_symbol *elsewhere = find(object, "elsewhere");
    unsigned char *view = malloc(amdgpu_code_object_span(object));
    const char *why = NULL;
    (void)state;
    assert_true(elsewhere && !elsewhere->defined && elsewhere->global && !elsewhere->kernel);
    assert_false(amdgpu_code_object_load(object, view, ADDRESS, define_nothing, NULL, &why));
    assert_non_null(why);
    why = NULL;
    assert_false(amdgpu_code_object_load(object, view, ADDRESS, NULL, NULL, &why));
    assert_non_null(why);
    assert_null(amdgpu_code_object_symbol(object, amdgpu_code_object_symbol_count(object)));
    free(view);
    amdgpu_code_object_destroy(object);
    amdgpu_code_object_destroy(NULL);
    free(file.bytes);
}

/* ---- changed files ----------------------------------------------------------------------- */

static Elf64_Ehdr *header_of(const struct file *file)
{
    return (Elf64_Ehdr *)(void *)file->bytes;
}

static Elf64_Shdr *section_of(const struct file *file, unsigned type)
{
    Elf64_Shdr *sections = (Elf64_Shdr *)(void *)(file->bytes + header_of(file)->e_shoff);
    for (int i = 0; i < header_of(file)->e_shnum; i++)
        if (sections[i].sh_type == type)
            return &sections[i];
    fail();
    return NULL;
}

/* The relocation of the pointer of that name. */
static Elf64_Rela *relocation_of(const struct file *file, const char *name)
{
    struct amdgpu_code_object *object = read_object(file);
    uint64_t offset = find(object, name)->value;
    const Elf64_Shdr *section = section_of(file, SHT_RELA);
    Elf64_Rela *at = (Elf64_Rela *)(void *)(file->bytes + section->sh_offset);
    while (at->r_offset != offset)
        at++;
    amdgpu_code_object_destroy(object);
    return at;
}

static bool fits(const struct file *file, const struct amdgpu_model *model)
{
    struct amdgpu_code_object *object = read_object(file);
    bool does = amdgpu_code_object_fits(object, model);
    amdgpu_code_object_destroy(object);
    return does;
}

static void code_runs_on_what_it_is_for(void **state)
{
    struct amdgpu_model other = gfx90a;
    (void)state;
    struct file file = read_file("gfx90a_v5");
    assert_true(fits(&file, &gfx90a));
    assert_false(fits(&file, &gfx1100));
    header_of(&file)->e_flags = 0xff; /* an unknown processor */
    assert_false(fits(&file, &gfx90a));
    free(file.bytes);
    file = read_file("gfx90a_features");
    assert_false(fits(&file, &gfx90a));
    other.xnack = true;
    assert_false(fits(&file, &other));
    other.sramecc = false;
    assert_true(fits(&file, &other));
    free(file.bytes);
    file = read_file("gfx11-generic");
    assert_true(fits(&file, &gfx1100));
    assert_false(fits(&file, &gfx90a));
    other.name = "gfx1153";
    assert_true(fits(&file, &other));
    other.name = "gfx1200";
    assert_false(fits(&file, &other));
    header_of(&file)->e_flags &= 0xffffff; /* version 0 does not exist */
    assert_false(fits(&file, &gfx1100));
    free(file.bytes);
}

static void version_3_has_a_bit_for_each_feature(void **state)
{
    struct file file = read_file("gfx90a_v4");
    (void)state;
    header_of(&file)->e_ident[EI_ABIVERSION] = 1;
    header_of(&file)->e_flags = 0x03f | 0x100;
    struct amdgpu_code_object *object = read_object(&file);
    assert_int_equal(amdgpu_code_object_version(object), 3);
    assert_int_equal(amdgpu_code_object_xnack(object), AMDGPU_FEATURE_ON);
    assert_int_equal(amdgpu_code_object_sramecc(object), AMDGPU_FEATURE_OFF);
    assert_false(amdgpu_code_object_fits(object, &gfx90a));
    amdgpu_code_object_destroy(object);
    header_of(&file)->e_flags = 0x03f | 0x200;
    assert_true(fits(&file, &gfx90a));
    free(file.bytes);
}

static void expect_relocated(unsigned type, uint64_t expected)
{
    struct file file = read_file("gfx90a_v6");
    Elf64_Rela *relocation = relocation_of(&file, "to_counter");
    relocation->r_info = ELF64_R_INFO(ELF64_R_SYM(relocation->r_info), type);
    relocation->r_addend = 16;
    struct loaded loaded = load(&file);
    uint64_t value = value_at(&loaded, "to_counter", 8);
    uint64_t symbol = find(loaded.object, "counter")->value + 16;
    uint64_t place = find(loaded.object, "to_counter")->value;
    assert_int_equal(value, expected == 1   ? (uint32_t)(ADDRESS + symbol)
                            : expected == 2 ? (ADDRESS + symbol) >> 32
                            : expected == 3 ? (uint32_t)(symbol - place)
                            : expected == 4 ? symbol - place
                                            : ADDRESS + symbol);
    unload(&loaded);
    free(file.bytes);
}

static void every_type_of_relocation_has_its_value(void **state)
{
    (void)state;
    expect_relocated(R_AMDGPU_ABS64, 0);
    expect_relocated(R_AMDGPU_ABS32, 1);
    expect_relocated(R_AMDGPU_ABS32_LO, 1);
    expect_relocated(R_AMDGPU_ABS32_HI, 2);
    expect_relocated(R_AMDGPU_REL32, 3);
    expect_relocated(R_AMDGPU_REL64, 4);
}

static void expect_not_loaded(struct file *file)
{
    struct amdgpu_code_object *object = read_object(file);
    unsigned char *view = malloc(amdgpu_code_object_span(object));
    const char *why = NULL;
    int asked = 0;
    assert_false(amdgpu_code_object_load(object, view, ADDRESS, define, &asked, &why));
    assert_non_null(why);
    free(view);
    amdgpu_code_object_destroy(object);
    free(file->bytes);
}

static void relocations_of_nothing_fail(void **state)
{
    (void)state;
    struct file file = read_file("gfx90a_v6");
    relocation_of(&file, "to_counter")->r_info = ELF64_R_INFO(1, 99);
    expect_not_loaded(&file);
    file = read_file("gfx90a_v6");
    relocation_of(&file, "to_counter")->r_info = ELF64_R_INFO(1000000, R_AMDGPU_ABS64);
    expect_not_loaded(&file);
    file = read_file("gfx90a_v6");
    struct amdgpu_code_object *object = read_object(&file);
    relocation_of(&file, "to_counter")->r_offset = amdgpu_code_object_span(object) - 7;
    amdgpu_code_object_destroy(object);
    expect_not_loaded(&file);
    file = read_file("gfx90a_v6");
    relocation_of(&file, "to_counter")->r_offset = UINT64_MAX - 3;
    expect_not_loaded(&file);
}

#define EXPECT_REFUSED(change)                                                                     \
    do {                                                                                           \
        struct file file = read_file("gfx90a_v6");                                                 \
        Elf64_Ehdr *header = header_of(&file);                                                     \
        Elf64_Phdr *load = (Elf64_Phdr *)(void *)(file.bytes + header->e_phoff) + 1;               \
        Elf64_Shdr *symbols = section_of(&file, SHT_DYNSYM);                                       \
        Elf64_Shdr *relocations = section_of(&file, SHT_RELA);                                     \
        Elf64_Sym *symbol = (Elf64_Sym *)(void *)(file.bytes + symbols->sh_offset) + 3;            \
        (void)load, (void)relocations, (void)symbol;                                               \
        change;                                                                                    \
        expect_refused(&file);                                                                     \
        free(file.bytes);                                                                          \
    } while (0)

static void invalid_code_objects_are_refused(void **state)
{
    (void)state;
    EXPECT_REFUSED(header->e_ident[0] = 0);
    EXPECT_REFUSED(header->e_ident[EI_CLASS] = ELFCLASS32);
    EXPECT_REFUSED(header->e_ident[EI_DATA] = ELFDATA2MSB);
    EXPECT_REFUSED(header->e_ident[EI_OSABI] = 0);
    EXPECT_REFUSED(header->e_ident[EI_ABIVERSION] = 0);
    EXPECT_REFUSED(header->e_ident[EI_ABIVERSION] = 5);
    EXPECT_REFUSED(header->e_machine = EM_X86_64);
    EXPECT_REFUSED(header->e_type = ET_REL);
    EXPECT_REFUSED(header->e_phnum = 0);
    EXPECT_REFUSED(header->e_phnum = 0xffff);
    EXPECT_REFUSED(header->e_phentsize = 55);
    EXPECT_REFUSED(header->e_shnum = 0xffff);
    EXPECT_REFUSED(header->e_shentsize = 63);
    EXPECT_REFUSED(header->e_shoff = UINT64_MAX - 10);
    EXPECT_REFUSED(load->p_offset = UINT64_MAX);
    EXPECT_REFUSED(load->p_filesz = file.size);
    EXPECT_REFUSED(load->p_memsz = load->p_filesz - 1);
    EXPECT_REFUSED(load->p_memsz = UINT64_MAX);
    EXPECT_REFUSED(load->p_vaddr = UINT64_MAX);
    EXPECT_REFUSED(symbols->sh_offset = file.size);
    EXPECT_REFUSED(symbols->sh_entsize = 23);
    EXPECT_REFUSED(symbols->sh_link = 10000);
    EXPECT_REFUSED(symbols->sh_link = 0);
    EXPECT_REFUSED(symbol->st_name = UINT32_MAX);
    EXPECT_REFUSED(relocations->sh_entsize = 16);
    EXPECT_REFUSED(relocations->sh_type = SHT_REL);
    EXPECT_REFUSED(relocations->sh_link = 1);
}

static void symbols_lie_within_the_code(void **state)
{
    (void)state;
    for (int change = 0; change < 3; change++) {
        struct file file = read_file("gfx90a_v6");
        const Elf64_Shdr *section = section_of(&file, SHT_DYNSYM);
        Elf64_Sym *symbol = (Elf64_Sym *)(void *)(file.bytes + section->sh_offset) + 1;
        while (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT)
            symbol++;
        if (change == 0)
            symbol->st_value = UINT64_MAX - 8;
        else if (change == 1)
            symbol->st_size = UINT64_MAX;
        else
            symbol->st_value = 1 << 20;
        expect_refused(&file);
        free(file.bytes);
    }
}

/* ---- damaged files -------------------------------------------------------------------------- */

/* A code object that was read is complete: all of it can be inspected and loaded. */
static void use(const unsigned char *bytes, size_t size)
{
    enum { VIEW_MAX = 1 << 20 };
    unsigned char *copy = malloc(size ? size : 1); /* so that a sanitizer detects reads beyond it */
    const char *why = NULL;
    memcpy(copy, bytes, size);
    struct amdgpu_code_object *object = amdgpu_code_object_read(copy, size, &why);
    assert_int_equal(object == NULL, why != NULL);
    for (size_t i = 0; object && i < amdgpu_code_object_symbol_count(object); i++) {
        const struct amdgpu_code_symbol *symbol = amdgpu_code_object_symbol(object, i);
        assert_true(strlen(symbol->name) < size);
        assert_true(!symbol->defined ||
                    symbol->value + symbol->size <= amdgpu_code_object_span(object));
    }
    if (object && amdgpu_code_object_span(object) <= VIEW_MAX) {
        unsigned char *view = malloc(amdgpu_code_object_span(object));
        int asked = 0;
        bool good = amdgpu_code_object_load(object, view, ADDRESS, define, &asked, &why);
        assert_int_equal(good, why == NULL);
        free(view);
    }
    if (object) {
        (void)amdgpu_code_object_fits(object, &gfx90a);
        amdgpu_code_object_destroy(object);
    }
    free(copy);
}

static void a_file_may_end_anywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        struct file file = read_file(files[i].name);
        for (size_t size = 0; size < file.size; size++)
            use(file.bytes, size);
        free(file.bytes);
    }
}

static void every_byte_may_be_damaged(void **state)
{
    static const unsigned char changes[] = {0xff, 0x80, 0x01};
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        struct file file = read_file(files[i].name);
        for (size_t at = 0; at < file.size; at++) {
            for (size_t c = 0; c < sizeof changes; c++) {
                file.bytes[at] ^= changes[c];
                use(file.bytes, file.size);
                file.bytes[at] ^= changes[c];
            }
        }
        free(file.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_say_what_they_are_for),
        cmocka_unit_test(kernels_have_their_descriptors),
        cmocka_unit_test(variables_have_their_values),
        cmocka_unit_test(pointers_are_relocated),
        cmocka_unit_test(undefined_symbols_fail),
        cmocka_unit_test(code_runs_on_what_it_is_for),
        cmocka_unit_test(version_3_has_a_bit_for_each_feature),
        cmocka_unit_test(every_type_of_relocation_has_its_value),
        cmocka_unit_test(relocations_of_nothing_fail),
        cmocka_unit_test(invalid_code_objects_are_refused),
        cmocka_unit_test(symbols_lie_within_the_code),
        cmocka_unit_test(a_file_may_end_anywhere),
        cmocka_unit_test(every_byte_may_be_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
