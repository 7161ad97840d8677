/* Owns the layout of archives: headers of 60 bytes, each followed by its member. */
#include "archive.h"

#include <ar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char thin_magic[] = "!<thin>\n";

bool ah_archive_open(struct ah_archive *archive, const void *data, size_t size)
{
    *archive = (struct ah_archive){.data = data, .size = size, .at = SARMAG};
    if (size < SARMAG)
        return false;
    archive->thin = memcmp(data, thin_magic, SARMAG) == 0;
    return archive->thin || memcmp(data, ARMAG, SARMAG) == 0;
}

/* A decimal field, padded with blanks. */
static bool read_number(const char *field, size_t width, size_t *out)
{
    char text[32], *end;
    snprintf(text, sizeof text, "%.*s", (int)width, field);
    if (*text < '0' || *text > '9')
        return false;
    *out = strtoul(text, &end, 10);
    return *end == '\0' || *end == ' ';
}

static void set_name(struct ah_member *member, const char *name, size_t length)
{
    snprintf(member->name, sizeof member->name, "%.*s", (int)strnlen(name, length), name);
}

/* GNU: "/17" is a position in the table of long names, where a name ends with "/\n". */
static bool set_long_name(struct ah_archive *archive, struct ah_member *member, const char *field)
{
    size_t at;
    if (!read_number(field + 1, 15, &at) || at >= archive->names_size)
        return false;
    const char *name = archive->names + at;
    size_t left = archive->names_size - at, length = 0;
    while (length < left && name[length] != '\n')
        length++;
    if (length > 0 && name[length - 1] == '/')
        length--;
    if (length >= sizeof member->name)
        return false;
    set_name(member, name, length);
    return true;
}

/* BSD: "#1/20" says that the name is the first 20 bytes of the member. */
static bool set_inner_name(struct ah_member *member, const char *field)
{
    size_t length;
    if (!read_number(field + 3, 13, &length) || length > member->size)
        return false;
    set_name(member, member->data, length < sizeof member->name ? length : sizeof member->name - 1);
    member->data = (const char *)member->data + length;
    member->size -= length;
    return true;
}

static bool starts(const char *field, const char *text)
{
    return strncmp(field, text, strlen(text)) == 0;
}

/* "/" and "/SYM64/" are symbol tables, "//" the long names: *out_names is true. */
static bool is_bookkeeping(const char *field, bool *out_names)
{
    *out_names = starts(field, "// ");
    return *out_names || starts(field, "/ ") || starts(field, "/SYM64/ ") ||
           starts(field, "__.SYMDEF");
}

static bool set_any_name(struct ah_archive *archive, struct ah_member *member, const char *field)
{
    if (field[0] == '/')
        return set_long_name(archive, member, field);
    if (!archive->thin && starts(field, "#1/"))
        return set_inner_name(member, field);
    size_t length = strcspn(field, "/");
    if (length >= 16) /* BSD: blanks alone end it */
        for (length = 16; length > 0 && field[length - 1] == ' ';)
            length--;
    set_name(member, field, length);
    return true;
}

enum ah_archive_step ah_archive_next(struct ah_archive *archive, struct ah_member *out)
{
    while (archive->at < archive->size) {
        struct ar_hdr header;
        char field[sizeof header.ar_name + 1] = "";
        bool names;
        if (archive->size - archive->at < sizeof header)
            return AH_ARCHIVE_DAMAGED;
        memcpy(&header, archive->data + archive->at, sizeof header);
        memcpy(field, header.ar_name, sizeof header.ar_name);
        archive->at += sizeof header;
        *out = (struct ah_member){.data = archive->data + archive->at};
        if (memcmp(header.ar_fmag, ARFMAG, sizeof header.ar_fmag) != 0 ||
            !read_number(header.ar_size, sizeof header.ar_size, &out->size))
            return AH_ARCHIVE_DAMAGED;
        bool own = is_bookkeeping(field, &names), inside = own || !archive->thin;
        if (inside && out->size > archive->size - archive->at)
            return AH_ARCHIVE_DAMAGED;
        archive->at += inside ? out->size + (out->size & 1) : 0;
        if (names) {
            archive->names = out->data;
            archive->names_size = out->size;
        }
        if (own)
            continue;
        if (!set_any_name(archive, out, field))
            return AH_ARCHIVE_DAMAGED;
        if (starts(out->name, "__.SYMDEF"))
            continue;
        if (!inside)
            out->data = NULL;
        return AH_ARCHIVE_MEMBER;
    }
    return AH_ARCHIVE_END;
}
