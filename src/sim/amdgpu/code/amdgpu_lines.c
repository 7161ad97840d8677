/* Reads DWARF line tables (chapter 6.2 of the standard), as far as the line of one address
 * requires. A cursor with the end of the data checks every read. */
#include "amdgpu_lines.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct cursor {
    const unsigned char *at, *end;
    bool failed; /* a read went beyond the end; such reads return 0 */
};

/* ---- bytes --------------------------------------------------------------------------- */

static uint64_t read_bytes(struct cursor *cursor, size_t count)
{
    uint64_t value = 0;
    if ((size_t)(cursor->end - cursor->at) < count) {
        cursor->failed = true;
        cursor->at = cursor->end;
        return 0;
    }
    for (size_t i = 0; i < count && i < 8; i++)
        value |= (uint64_t)cursor->at[i] << (8 * i);
    cursor->at += count;
    return value;
}

static void skip(struct cursor *cursor, uint64_t count)
{
    if ((uint64_t)(cursor->end - cursor->at) < count)
        read_bytes(cursor, SIZE_MAX);
    else
        cursor->at += count;
}

static uint64_t read_leb(struct cursor *cursor, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0, byte;
    do {
        byte = (unsigned)read_bytes(cursor, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (is_signed && (byte & 0x40) && shift < 64)
        value |= UINT64_MAX << shift;
    return value;
}

static const char *read_string(struct cursor *cursor)
{
    const unsigned char *start = cursor->at;
    const unsigned char *end = memchr(start, 0, (size_t)(cursor->end - start));
    if (!end) {
        read_bytes(cursor, SIZE_MAX);
        return "";
    }
    cursor->at = end + 1;
    return (const char *)start;
}

static const char *string_at(const unsigned char *strings, size_t size, uint64_t offset)
{
    if (!strings || offset >= size || !memchr(strings + offset, 0, size - offset))
        return "";
    return (const char *)strings + offset;
}

/* ---- a table's header ------------------------------------------------------------------- */

enum { FORMATS_MAX = 16 };
enum { DW_LNCT_PATH = 1 };
enum {
    DW_FORM_BLOCK = 0x09,
    DW_FORM_DATA1 = 0x0b,
    DW_FORM_DATA2 = 0x05,
    DW_FORM_DATA4 = 0x06,
    DW_FORM_DATA8 = 0x07,
    DW_FORM_DATA16 = 0x1e,
    DW_FORM_STRING = 0x08,
    DW_FORM_STRP = 0x0e,
    DW_FORM_UDATA = 0x0f,
    DW_FORM_LINE_STRP = 0x1f,
};

struct table {
    const struct amdgpu_line_sections *sections;
    unsigned version, offset_size;
    unsigned min_length, line_range, opcode_base;
    int line_base;
    bool default_is_stmt;
    unsigned char lengths[256]; /* operands of standard opcodes */
    struct cursor names;        /* directories and files */
    struct cursor program;
};

static bool read_header(struct table *table, struct cursor *unit)
{
    table->version = (unsigned)read_bytes(unit, 2);
    if (table->version < 2 || table->version > 5)
        return false;
    if (table->version == 5)
        skip(unit, 2); /* sizes of addresses and segment selectors */
    uint64_t header_length = read_bytes(unit, table->offset_size);
    if ((uint64_t)(unit->end - unit->at) < header_length)
        return false;
    table->names = (struct cursor){unit->at, unit->at + header_length, false};
    table->program = (struct cursor){unit->at + header_length, unit->end, false};
    table->min_length = (unsigned)read_bytes(&table->names, 1);
    if (table->version >= 4)
        skip(&table->names, 1); /* operations of an instruction: one */
    table->default_is_stmt = read_bytes(&table->names, 1);
    table->line_base = (int8_t)read_bytes(&table->names, 1);
    table->line_range = (unsigned)read_bytes(&table->names, 1);
    table->opcode_base = (unsigned)read_bytes(&table->names, 1);
    for (unsigned i = 1; i < table->opcode_base; i++)
        table->lengths[i] = (unsigned char)read_bytes(&table->names, 1);
    return !table->names.failed && table->line_range && table->opcode_base;
}

/* ---- file names ---------------------------------------------------------------------------- */

static const char *read_form(const struct table *table, struct cursor *cursor, uint64_t form)
{
    const struct amdgpu_line_sections *sections = table->sections;
    switch (form) {
    case DW_FORM_STRING:
        return read_string(cursor);
    case DW_FORM_LINE_STRP:
        return string_at(sections->line_strings, sections->line_strings_size,
                         read_bytes(cursor, table->offset_size));
    case DW_FORM_STRP:
        return string_at(sections->strings, sections->strings_size,
                         read_bytes(cursor, table->offset_size));
    case DW_FORM_UDATA:
        read_leb(cursor, false);
        break;
    case DW_FORM_BLOCK:
        skip(cursor, read_leb(cursor, false));
        break;
    case DW_FORM_DATA1:
        skip(cursor, 1);
        break;
    case DW_FORM_DATA2:
        skip(cursor, 2);
        break;
    case DW_FORM_DATA4:
        skip(cursor, 4);
        break;
    case DW_FORM_DATA8:
        skip(cursor, 8);
        break;
    case DW_FORM_DATA16:
        skip(cursor, 16);
        break;
    default:
        cursor->failed = true;
    }
    return "";
}

/* Reads a list of directories or files (version 5) up to the one wanted. */
static const char *read_entries(const struct table *table, struct cursor *cursor, uint64_t wanted)
{
    uint64_t content[FORMATS_MAX], form[FORMATS_MAX];
    unsigned formats = (unsigned)read_bytes(cursor, 1);
    const char *found = "";
    if (formats > FORMATS_MAX)
        cursor->failed = true;
    for (unsigned i = 0; i < formats && !cursor->failed; i++) {
        content[i] = read_leb(cursor, false);
        form[i] = read_leb(cursor, false);
    }
    uint64_t count = read_leb(cursor, false);
    for (uint64_t entry = 0; entry < count && formats && !cursor->failed; entry++)
        for (unsigned i = 0; i < formats && !cursor->failed; i++) {
            const char *text = read_form(table, cursor, form[i]);
            if (entry == wanted && content[i] == DW_LNCT_PATH)
                found = text;
        }
    return found;
}

/* Before version 5: directories, then files with three numbers each, from 1 on. */
static const char *read_old_names(struct cursor *cursor, uint64_t wanted)
{
    while (read_string(cursor)[0] && !cursor->failed)
        ;
    for (uint64_t file = 1; !cursor->failed; file++) {
        const char *name = read_string(cursor);
        if (!name[0])
            break;
        if (file == wanted)
            return name;
        for (unsigned i = 0; i < 3; i++)
            read_leb(cursor, false);
    }
    return "";
}

static const char *file_name(const struct table *table, uint64_t file)
{
    struct cursor names = table->names;
    if (table->version < 5)
        return read_old_names(&names, file);
    read_entries(table, &names, UINT64_MAX);
    return read_entries(table, &names, file);
}

/* ---- the program of lines ---------------------------------------------------------- */

struct row {
    uint64_t address, file, line;
    bool is_end;
};

struct search {
    uint64_t address;
    struct row last;
    bool has_last;
    struct row found; /* line 0: not found */
};

/* Whether the previous row is the one that is looked for. */
static void add_row(struct search *search, const struct row *row)
{
    if (search->has_last && search->last.line && search->address >= search->last.address &&
        search->address < row->address)
        search->found = search->last;
    search->last = *row;
    search->has_last = !row->is_end;
}

static struct row first_row(void)
{
    return (struct row){.file = 1, .line = 1};
}

enum {
    DW_LNS_COPY = 1,
    DW_LNS_ADVANCE_PC,
    DW_LNS_ADVANCE_LINE,
    DW_LNS_SET_FILE,
    DW_LNS_CONST_ADD_PC = 8,
    DW_LNS_FIXED_ADVANCE_PC,
};
enum { DW_LNE_END_SEQUENCE = 1, DW_LNE_SET_ADDRESS };

static void run_extended(struct cursor *program, struct row *row, struct search *search)
{
    uint64_t length = read_leb(program, false);
    if (length == 0 || program->failed)
        return;
    const unsigned char *start = program->at;
    unsigned opcode = (unsigned)read_bytes(program, 1);
    if (opcode == DW_LNE_END_SEQUENCE) {
        row->is_end = true;
        add_row(search, row);
        *row = first_row();
    } else if (opcode == DW_LNE_SET_ADDRESS && length == 9) {
        row->address = read_bytes(program, 8);
    }
    program->at = start;
    skip(program, length);
}

static void run_special(const struct table *table, unsigned opcode, struct row *row)
{
    unsigned adjusted = opcode - table->opcode_base;
    row->address += (uint64_t)(adjusted / table->line_range) * table->min_length;
    row->line += (uint64_t)(int64_t)(table->line_base + (int)(adjusted % table->line_range));
}

static void run_standard(const struct table *table, struct cursor *program, unsigned opcode,
                         struct row *row, struct search *search)
{
    switch (opcode) {
    case DW_LNS_COPY:
        add_row(search, row);
        break;
    case DW_LNS_ADVANCE_PC:
        row->address += read_leb(program, false) * table->min_length;
        break;
    case DW_LNS_ADVANCE_LINE:
        row->line += read_leb(program, true);
        break;
    case DW_LNS_SET_FILE:
        row->file = read_leb(program, false);
        break;
    case DW_LNS_CONST_ADD_PC:
        row->address +=
            (uint64_t)((255 - table->opcode_base) / table->line_range) * table->min_length;
        break;
    case DW_LNS_FIXED_ADVANCE_PC:
        row->address += read_bytes(program, 2);
        break;
    default:
        for (unsigned i = 0; i < table->lengths[opcode]; i++)
            read_leb(program, false);
    }
}

static void run_program(const struct table *table, struct search *search)
{
    struct cursor program = table->program;
    struct row row = first_row();
    while (program.at < program.end && !program.failed && !search->found.line) {
        unsigned opcode = (unsigned)read_bytes(&program, 1);
        if (opcode >= table->opcode_base) {
            run_special(table, opcode, &row);
            add_row(search, &row);
        } else if (opcode == 0) {
            run_extended(&program, &row, search);
        } else {
            run_standard(table, &program, opcode, &row, search);
        }
    }
}

/* ---- all tables -------------------------------------------------------------------- */

void amdgpu_find_line(const struct amdgpu_line_sections *sections, uint64_t address, char *out,
                      size_t out_size)
{
    struct cursor all = {sections->lines, sections->lines + sections->lines_size, false};
    while (sections->lines && all.at < all.end && !all.failed) {
        struct table table = {.sections = sections, .offset_size = 4};
        struct search search = {.address = address};
        uint64_t length = read_bytes(&all, 4);
        if (length == 0xffffffff) {
            table.offset_size = 8;
            length = read_bytes(&all, 8);
        }
        if (all.failed || length > (uint64_t)(all.end - all.at))
            return;
        struct cursor unit = {all.at, all.at + length, false};
        all.at = unit.end;
        if (!read_header(&table, &unit))
            continue;
        run_program(&table, &search);
        const char *name = search.found.line ? file_name(&table, search.found.file) : "";
        if (name[0]) {
            snprintf(out, out_size, "%s:%llu", name, (unsigned long long)search.found.line);
            return;
        }
    }
}
