/* Owns make's rule syntax, as far as compilers write it. */
#include "depend.h"

#include <string.h>

const char *ah_depend_quote(const char *name)
{
    char *out = ah_text_alloc(strlen(name) * 2 + 1), *q = out;
    for (; *name; name++) {
        if (*name == ' ' || *name == '\t' || *name == '#')
            *q++ = '\\';
        else if (*name == '$')
            *q++ = '$';
        *q++ = *name;
    }
    return out;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The length of the backslash and line end at p, or 0. */
static size_t continuation(const char *p)
{
    if (p[0] != '\\')
        return 0;
    return p[1] == '\n' ? 2 : p[1] == '\r' && p[2] == '\n' ? 3 : 0;
}

static const char *skip_space(const char *p)
{
    for (;;) {
        if (is_space(*p))
            p++;
        else if (continuation(p))
            p += continuation(p);
        else
            return p;
    }
}

static const char *word_end(const char *p)
{
    while (*p && *p != '\n' && !is_space(*p) && !continuation(p))
        p += p[0] == '\\' && p[1] && p[1] != '\n' ? 2 : 1;
    return p;
}

void ah_depend_read(const char *text, struct ah_strings *prerequisites)
{
    bool after_colon = false;
    for (const char *p = skip_space(text); *p; p = skip_space(p)) {
        if (*p == '\n') {
            after_colon = false;
            p++;
            continue;
        }
        const char *end = word_end(p);
        if (after_colon) {
            const char *name = ah_text_copy(p, (size_t)(end - p));
            if (!ah_strings_contain(prerequisites, name))
                ah_strings_push(prerequisites, name);
        } else {
            after_colon = end[-1] == ':';
        }
        p = end;
    }
}

const char *ah_depend_rule(const struct ah_strings *targets, const struct ah_strings *prerequisites,
                           bool phony)
{
    size_t size = 16;
    for (size_t i = 0; i < targets->count; i++)
        size += strlen(targets->at[i]) + 8;
    for (size_t i = 0; i < prerequisites->count; i++)
        size += 2 * strlen(prerequisites->at[i]) + 16;
    char *text = ah_text_alloc(size), *q = text;
    for (size_t i = 0; i < targets->count; i++) {
        if (i)
            q = stpcpy(q, " ");
        q = stpcpy(q, targets->at[i]);
    }
    q = stpcpy(q, ":");
    for (size_t i = 0; i < prerequisites->count; i++)
        q = stpcpy(stpcpy(q, " \\\n  "), prerequisites->at[i]);
    q = stpcpy(q, "\n");
    for (size_t i = 1; i < prerequisites->count && phony; i++)
        q = stpcpy(stpcpy(q, prerequisites->at[i]), ":\n");
    return text;
}
