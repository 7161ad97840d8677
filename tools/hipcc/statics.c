/* Owns the repair of static device variables in LLVM's textual IR. */
#include "statics.h"

#include <string.h>

static const char mark[] = ".static.";

/* The defined symbol that name should be, or NULL. */
static const char *counterpart(const struct ah_strings *defined, const char *name)
{
    for (size_t i = 0; i < defined->count; i++) {
        const char *rest = ah_text_after(defined->at[i], name);
        if (rest && ah_text_starts(rest, mark))
            return defined->at[i];
    }
    return NULL;
}

void ah_statics_find(const char *symbols, struct ah_strings *out_pairs)
{
    struct ah_strings lines = {0}, defined = {0}, undefined = {0};
    ah_strings_split(&lines, symbols, "\n");
    for (size_t i = 0; i < lines.count; i++) {
        size_t length = strcspn(lines.at[i], " ");
        const char *name = ah_text_copy(lines.at[i], length), *type = lines.at[i] + length;
        if (ah_text_starts(type, " U"))
            ah_strings_push(&undefined, name);
        else if (strstr(name, mark))
            ah_strings_push(&defined, name);
    }
    for (size_t i = 0; i < undefined.count; i++) {
        const char *other = counterpart(&defined, undefined.at[i]);
        if (!other)
            continue;
        ah_strings_push(out_pairs, undefined.at[i]);
        ah_strings_push(out_pairs, other);
    }
}

static size_t name_length(const char *p)
{
    static const char characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789_.$-";
    return strspn(p, characters);
}

static const char *replacement(const struct ah_strings *pairs, const char *name, size_t length)
{
    for (size_t i = 0; i + 1 < pairs->count; i += 2)
        if (strlen(pairs->at[i]) == length && !memcmp(pairs->at[i], name, length))
            return pairs->at[i + 1];
    return NULL;
}

/* Whether the line at p declares one of the names: "@x = external ...". */
static bool declares(const char *p, const struct ah_strings *pairs)
{
    size_t length = *p == '@' ? name_length(p + 1) : 0;
    return length && replacement(pairs, p + 1, length) &&
           ah_text_starts(p + 1 + length, " = external ");
}

/* Copies the text to out (when not NULL); returns the length of the result. */
static size_t rewrite(const char *module, const struct ah_strings *pairs, char *out)
{
    size_t n = 0;
    for (const char *p = module; *p;) {
        bool line_start = p == module || p[-1] == '\n';
        if (line_start && declares(p, pairs)) {
            p += strcspn(p, "\n");
            p += *p == '\n';
            continue;
        }
        size_t length = *p == '@' ? name_length(p + 1) : 0;
        const char *name = length ? replacement(pairs, p + 1, length) : NULL;
        size_t step = 1 + length, size = name ? 1 + strlen(name) : step;
        if (out) {
            out[n] = *p;
            memcpy(out + n + 1, name ? name : p + 1, size - 1);
        }
        n += size;
        p += step;
    }
    return n;
}

const char *ah_statics_repair(const char *module, const struct ah_strings *pairs)
{
    char *out = ah_text_alloc(rewrite(module, pairs, NULL) + 1);
    rewrite(module, pairs, out);
    return out;
}
