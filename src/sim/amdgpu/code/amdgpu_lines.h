/* Source lines of addresses: DWARF line tables of versions 4 and 5. */
#ifndef AMDGPU_LINES_H
#define AMDGPU_LINES_H

#include <stddef.h>
#include <stdint.h>

struct amdgpu_line_sections { /* NULL: not there */
    const unsigned char *lines;
    size_t lines_size; /* .debug_line */
    const unsigned char *line_strings;
    size_t line_strings_size; /* .debug_line_str */
    const unsigned char *strings;
    size_t strings_size; /* .debug_str */
};

/* Writes "file.hip:12", or nothing. Safe for any input. */
void amdgpu_find_line(const struct amdgpu_line_sections *sections, uint64_t address, char *out,
                      size_t out_size);

#endif
