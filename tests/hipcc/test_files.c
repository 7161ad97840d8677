/* Tests what the driver reads and writes by itself: dependency rules, the container of
 * device bitcode, objects and archives, damaged ones included. */
#include "check.h"
#include "depend.h"
#include "objfile.h"
#include "offload.h"
#include "statics.h"
#include "text.h"

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static void rules_of_several_passes_become_one(void)
{
    struct ah_strings targets = {0}, prerequisites = {0};
    ah_strings_push(&targets, "a.o");
    ah_depend_read("x: a.hip b\\ c.h \\\n  d.h\n", &prerequisites);
    ah_depend_read("x: a.hip \\\r\n d.h \\\n e$$.h\nb\\ c.h:\n", &prerequisites);
    CHECK_TEXT(ah_depend_rule(&targets, &prerequisites, false),
               "a.o: \\\n  a.hip \\\n  b\\ c.h \\\n  d.h \\\n  e$$.h\n");
    CHECK_TEXT(ah_depend_rule(&targets, &prerequisites, true),
               "a.o: \\\n  a.hip \\\n  b\\ c.h \\\n  d.h \\\n  e$$.h\nb\\ c.h:\nd.h:\ne$$.h:\n");
    CHECK_TEXT(ah_depend_quote("a b#c$d"), "a\\ b\\#c$$d");
}

static void broken_rules_are_survived(void)
{
    static const char *const texts[] = {
        "", ":", "\\", "a", "a:", "a:\\", "a: \\\n", "a:b\\", "\n\n:"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        struct ah_strings prerequisites = {0};
        ah_depend_read(texts[i], &prerequisites);
    }
}

static void *container(size_t *size)
{
    struct ah_offload_images images = {0};
    ah_offload_push(&images, (struct ah_offload_image){"amdgcn-amd-amdhsa", "gfx90a", "BC one", 6});
    ah_offload_push(&images,
                    (struct ah_offload_image){"nvptx64-nvidia-cuda", "sm_70", "BC two!", 7});
    return ah_offload_write(&images, size);
}

static void images_come_back_from_their_container(void)
{
    size_t size;
    void *data = container(&size);
    struct ah_offload_images images = {0};
    CHECK(size % 8 == 0);
    CHECK(ah_offload_read(data, size, &images) && images.count == 2);
    CHECK_TEXT(images.at[0].arch, "gfx90a");
    CHECK_TEXT(images.at[1].triple, "nvptx64-nvidia-cuda");
    CHECK(images.at[1].size == 7 && !memcmp(images.at[1].data, "BC two!", 7));
    CHECK((uintptr_t)images.at[1].data % 8 == (uintptr_t)data % 8);
}

/* Every cut and every changed byte must be read without a fault. */
static void damaged_containers_are_survived(void)
{
    size_t size;
    unsigned char *data = container(&size);
    for (size_t n = 0; n < size; n++) {
        struct ah_offload_images images = {0};
        unsigned char *cut = malloc(n ? n : 1);
        memcpy(cut, data, n);
        ah_offload_read(cut, n, &images);
        free(cut);
    }
    for (size_t i = 0; i < size; i++) {
        static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
        for (size_t k = 0; k < sizeof(values); k++) {
            struct ah_offload_images images = {0};
            unsigned char *changed = malloc(size);
            memcpy(changed, data, size);
            changed[i] = values[k];
            ah_offload_read(changed, size, &images);
            free(changed);
        }
    }
}

static char scratch[] = "/tmp/ah-files-XXXXXX";

static const char *write_file(const char *name, const void *data, size_t size)
{
    const char *path = ah_text_print("%s/%s", scratch, name);
    CHECK(ah_file_write(path, data, size));
    return path;
}

/* This program itself is an ELF file; no device code is in it. */
static void an_object_without_device_code_is_passed_over(void)
{
    struct ah_objects objects = {0};
    CHECK(ah_objfile_scan("/proc/self/exe", &objects) && objects.count == 0);
    CHECK(ah_objfile_scan("/nonexistent", &objects) && objects.count == 0);
    CHECK(ah_objfile_scan(write_file("empty", "", 0), &objects) && objects.count == 0);
}

static void damaged_objects_and_archives_are_survived(void)
{
    size_t size;
    char *self = ah_file_read("/proc/self/exe", &size);
    struct ah_objects objects = {0};
    CHECK(self != NULL);
    uint32_t seed = 7;
    for (int round = 0; round < 200; round++) {
        char *copy = ah_text_copy(self, 4096);
        for (int k = 0; k < 8; k++) {
            seed = seed * 1664525u + 1013904223u;
            copy[(seed >> 8) % 64] = (char)(seed >> 24);
        }
        ah_objfile_scan(write_file("damaged", copy, 4096), &objects);
    }
    static const char *const archives[] = {
        "!<arch>\n",
        "!<arch>\nx",
        "!<thin>\n",
        "!<arch>\n/999            0           0     0     644     10        `\n",
        "!<arch>\na.o/            0           0     0     644     9999999999`\nxx",
        "!<arch>\n//              0           0     0     644     4         `\na.o/"
        "/2              0           0     0     644     0         `\n",
        "!<thin>\n//              0           0     0     644     8         `\nno.o/\n  "
        "/0              0           0     0     644     99        `\n",
    };
    for (size_t i = 0; i < sizeof(archives) / sizeof(*archives); i++)
        ah_objfile_scan(write_file("damaged.a", archives[i], strlen(archives[i])), &objects);
    CHECK(objects.count == 0);
}

/* As one that was cut short: the header counts three sections, the file has two. */
static void a_section_table_that_goes_on_past_the_end_is_survived(void)
{
    struct {
        Elf64_Ehdr header;
        Elf64_Shdr sections[2];
    } file = {.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
                         .e_shoff = sizeof(Elf64_Ehdr),
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = 3}};
    struct ah_objects objects = {0};
    struct ah_strings names = {0};
    const char *path = write_file("damaged", &file, sizeof(file));
    CHECK(ah_objfile_scan(path, &objects) && objects.count == 0);
    ah_objfile_sections(path, ".x", &names);
    CHECK(names.count == 0);
}

static void files_appear_whole(void)
{
    const char *path = write_file("whole", "one", 3);
    size_t size;
    CHECK_TEXT(ah_file_read(path, &size), "one");
    CHECK(ah_file_write(path, "longer text", 11));
    CHECK_TEXT(ah_file_read(path, &size), "longer text");
    CHECK(ah_file_write("/dev/null", "x", 1));
    CHECK(!ah_file_write("/nonexistent/x", "x", 1));
}

static void static_variables_get_one_name(void)
{
    struct ah_strings pairs = {0};
    ah_statics_find("_ZL1x U \n_ZL1x.static.0a D 0 0\n_ZL1xy U \nf T 0 0\n_ZL1z.static.0a D 0\n",
                    &pairs);
    CHECK(pairs.count == 2);
    CHECK_TEXT(ah_statics_repair("@_ZL1x = external global i32\n@_ZL1x.static.0a = global i32 0\n"
                                 "store i32 7, ptr @_ZL1x, align 4\nload ptr @_ZL1xy, @_ZL1x",
                                 &pairs),
               "@_ZL1x.static.0a = global i32 0\n"
               "store i32 7, ptr @_ZL1x.static.0a, align 4\nload ptr @_ZL1xy, @_ZL1x.static.0a");
    CHECK_TEXT(ah_statics_repair("", &pairs), "");
    CHECK_TEXT(ah_statics_repair("@_ZL1x = external", &pairs), "@_ZL1x.static.0a = external");
    CHECK_TEXT(ah_statics_repair("@_ZL1x = external ", &pairs), "");
}

static void words_are_quoted_for_a_shell(void)
{
    CHECK_TEXT(ah_text_quote("plain-1.0"), "plain-1.0");
    CHECK_TEXT(ah_text_quote("a b"), "'a b'");
    CHECK_TEXT(ah_text_quote("it's"), "'it'\\''s'");
    CHECK_TEXT(ah_text_quote(""), "''");
    CHECK_TEXT(ah_text_replace("a/b/a", "a", "xyz"), "xyz/b/xyz");
    CHECK_TEXT(ah_path_with("a.b/c", ".o"), "a.b/c.o");
    CHECK_TEXT(ah_path_stem(".hidden"), ".hidden");
}

int main(void)
{
    CHECK(mkdtemp(scratch) != NULL);
    RUN(rules_of_several_passes_become_one);
    RUN(broken_rules_are_survived);
    RUN(images_come_back_from_their_container);
    RUN(damaged_containers_are_survived);
    RUN(an_object_without_device_code_is_passed_over);
    RUN(damaged_objects_and_archives_are_survived);
    RUN(a_section_table_that_goes_on_past_the_end_is_survived);
    RUN(files_appear_whole);
    RUN(static_variables_get_one_name);
    RUN(words_are_quoted_for_a_shell);
    static const char *const names[] = {"empty", "damaged", "damaged.a", "whole"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        unlink(ah_text_print("%s/%s", scratch, names[i]));
    rmdir(scratch);
    ah_text_release();
    return check_failures != 0;
}
