/* Owns the alignment of local arrays. It knows how LLVM prints an alloca. */
#include "arrays.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { WIDE = 16 }; /* bytes of the widest access */

/* The bytes of a type that is no array; 1 at least of those whose size is not in their name. */
static size_t element_size(const char *type)
{
    static const struct {
        const char *name;
        size_t size;
    } known[] = {{"i64", 8},   {"double", 8}, {"ptr", 8},  {"i32", 4},
                 {"float", 4}, {"i16", 2},    {"half", 2}, {"bfloat", 2}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ah_text_starts(type, known[i].name))
            return known[i].size;
    return 1;
}

/* The bytes at least of "[4 x [8 x float]]". */
static size_t array_size(const char *type)
{
    size_t size = 1;
    while (*type == '[') {
        char *end;
        size *= strtoul(type + 1, &end, 10);
        if (!ah_text_starts(end, " x "))
            return 0;
        type = end + strlen(" x ");
    }
    return size * element_size(type);
}

/* The number after "align" of the next array at or after p that is to be aligned more, or NULL. */
static const char *next_alignment(const char *p)
{
    static const char definition[] = " = alloca [", align[] = ", align ";
    while ((p = strstr(p, definition))) {
        const char *type = p + strlen(definition) - 1, *end = p + strcspn(p, "\n");
        const char *number = strstr(p, align);
        p = end;
        if (number && number < end && array_size(type) >= WIDE &&
            strtoul(number + strlen(align), NULL, 10) < WIDE)
            return number + strlen(align);
    }
    return NULL;
}

const char *ah_arrays_align(const char *module)
{
    char *text = NULL;
    size_t size;
    const char *rest = module, *number = next_alignment(module);
    FILE *out = number ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    for (; number; number = next_alignment(rest)) {
        fwrite(rest, 1, (size_t)(number - rest), out);
        fprintf(out, "%d", WIDE);
        rest = number + strspn(number, "0123456789");
    }
    fputs(rest, out);
    const char *changed = fclose(out) == 0 ? ah_text_copy(text, size) : NULL;
    free(text);
    return changed;
}
