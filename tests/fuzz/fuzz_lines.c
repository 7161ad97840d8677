/* DWARF's line tables of any content. Two bytes give the address that is looked for, two and two
 * the sizes of .debug_line_str and .debug_str, which follow; the rest is .debug_line. */
#include "amdgpu_lines.h"
#include "fuzz.h"

#include <string.h>

enum { HEADER = 6 };

static size_t size_at(const uint8_t *data, size_t left)
{
    size_t size = (size_t)data[0] | (size_t)data[1] << 8;
    return size < left ? size : left;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char out[64];
    if (size < HEADER)
        return 0;
    size_t left = size - HEADER;
    uint64_t address = (uint64_t)data[0] | (uint64_t)data[1] << 8;
    struct amdgpu_line_sections sections = {.line_strings = data + HEADER};
    sections.line_strings_size = size_at(data + 2, left);
    left -= sections.line_strings_size;
    sections.strings = sections.line_strings + sections.line_strings_size;
    sections.strings_size = size_at(data + 4, left);
    left -= sections.strings_size;
    sections.lines = sections.strings + sections.strings_size;
    sections.lines_size = left;
    memset(out, 'x', sizeof out);
    out[0] = '\0';
    amdgpu_find_line(&sections, address, out, sizeof out);
    fuzz_check(memchr(out, '\0', sizeof out));
    fuzz_check(!*out || strchr(out, ':'));
    return 0;
}
