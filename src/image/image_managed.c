/* Finds managed variables in device code. */
#include "image.h"

#include <ctype.h>
#include <string.h>

static bool in_identifier(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

/* The separator between a variable's name and "managed": a dot as clang writes it, or the dot as
 * ah_ptx_fix_names spells it. 0: the word at `word` is not a companion's end. */
static size_t separator_before(const char *text, size_t word)
{
    if (word >= 3 && memcmp(text + word - 3, "_$_", 3) == 0)
        return 3;
    return word >= 1 && text[word - 1] == '.' ? 1 : 0;
}

bool ah_image_next_managed(const struct ah_image *image, size_t *at, const char **out_name,
                           size_t *out_length)
{
    static const char word[] = "managed";
    const size_t length = sizeof word - 1;
    const char *text = (const char *)image->data;
    bool elf = image->kind == AH_IMAGE_AMDGPU; /* then names are those of its string tables */
    if (!elf && image->kind != AH_IMAGE_PTX)
        return false;
    while (*at < image->size) {
        const char *found = memmem(text + *at, image->size - *at, word, length);
        if (!found)
            break;
        size_t start = (size_t)(found - text), separator = separator_before(text, start);
        *at = start + length;
        if (separator == 0 || (*at < image->size && in_identifier(text[*at])) ||
            (elf && (*at == image->size || text[*at] != '\0')))
            continue;
        size_t end = start - separator, begin = end;
        while (begin > 0 && in_identifier(text[begin - 1]))
            --begin;
        if (begin == end) /* PTX's own directive, .attribute(.managed) */
            continue;
        *out_name = text + begin;
        *out_length = end - begin;
        return true;
    }
    *at = image->size;
    return false;
}
