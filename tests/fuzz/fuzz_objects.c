/* Objects and archives of any content, as the compile driver reads them. Its functions take files;
 * this one is in memory. */
#include "fuzz.h"
#include "objfile.c"

void ah_report_error(const char *format, ...)
{
    (void)format; /* writing it would cost more than all the rest */
}

static void check_object(const struct ah_object *object, const uint8_t *data, size_t size)
{
    const uint8_t *at = object->data;
    fuzz_check(at >= data && object->size <= size && (size_t)(at - data) <= size - object->size);
    fuzz_check(object->images.count > 0);
    for (size_t i = 0; i < object->images.count; i++)
        fuzz_check(object->images.at[i].triple && object->images.at[i].arch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char archive[] = "!<arch>\n"; /* thin ones name files, which are opened */
    struct bytes file = {data, size};
    struct ah_objects objects = {0};
    size_t count;
    if (size >= 8 && memcmp(data, archive, 8) == 0) {
        scan_archive(file, "file", false, &objects);
    } else {
        scan_object(file, "file", NULL, &objects);
        struct section *sections = read_sections(file, &count);
        for (size_t i = 0; i < count; i++)
            ah_text_starts(sections[i].name, "x");
    }
    for (size_t i = 0; i < objects.count; i++)
        check_object(&objects.at[i], data, size);
    ah_text_release();
    return 0;
}
