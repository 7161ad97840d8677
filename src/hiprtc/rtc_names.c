/* Owns the variables that stand for name expressions. */
#include "rtc_names.h"

#include "log.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "__hiprtc_name_";

void ah_rtc_names_write(FILE *out, const struct ah_rtc_program *program, bool variables)
{
    const char *kind = variables ? "extern \"C\" __attribute__((used)) __device__"
                                 : "__attribute__((unused)) static";
    for (size_t i = 0; i < program->name_count; i++)
        fprintf(out, "#line 1 \"name expression %zu\"\n%s const auto %s%zu =\n%s\n;\n", i, kind,
                prefix, i, program->names[i].expression);
}

/* The line of the variable: "@name = addrspace(1) constant ptr ...". */
static const char *find_definition(const char *text, size_t index)
{
    char start[64];
    int length = snprintf(start, sizeof start, "\n@%s%zu = ", prefix, index);
    const char *at = strstr(text, start);
    return at ? at + length : NULL;
}

static int hex(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : toupper((unsigned char)c) - 'A' + 10;
}

/* A symbol as LLVM writes it after '@': plain, or in quotes with \xx for some characters. */
static char *read_symbol(const char *at)
{
    bool quoted = *at == '"';
    const char *end = quoted ? strchr(++at, '"') : at;
    if (!quoted)
        while (isalnum((unsigned char)*end) || (*end && strchr("-$._", *end)))
            end++;
    char *symbol = end && end > at ? malloc((size_t)(end - at) + 1) : NULL;
    size_t n = 0;
    for (; symbol && at < end; at++) {
        if (*at == '\\' && isxdigit((unsigned char)at[1]) && isxdigit((unsigned char)at[2])) {
            symbol[n++] = (char)(hex(at[1]) * 16 + hex(at[2]));
            at += 2;
        } else {
            symbol[n++] = *at;
        }
    }
    if (symbol)
        symbol[n] = '\0';
    return symbol;
}

hiprtcResult ah_rtc_names_read(struct ah_rtc_program *program, const char *text)
{
    for (size_t i = 0; i < program->name_count; i++) {
        struct ah_rtc_name *name = &program->names[i];
        const char *definition = find_definition(text, i);
        const char *at = definition ? strpbrk(definition, "@\n") : NULL;
        free(name->lowered);
        name->lowered = at && *at == '@' ? read_symbol(at + 1) : NULL;
        if (!name->lowered) {
            AH_LOG_ERR("the name expression \"%s\" is not the address of a kernel or of a variable "
                       "of the device",
                       name->expression);
            return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
        }
    }
    return HIPRTC_SUCCESS;
}
