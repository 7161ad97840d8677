/* Owns the variables that are added for name expressions. */
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

/* The length of a symbol as LLVM writes it after '@', plain or in quotes; 0: there is none. */
static size_t measure_symbol(const char *at)
{
    size_t length = 0;
    if (*at == '"') {
        const char *end = strchr(at + 1, '"');
        return end > at + 1 ? (size_t)(end + 1 - at) : 0;
    }
    while (isalnum((unsigned char)at[length]) || (at[length] && strchr("-$._", at[length])))
        length++;
    return length;
}

/* A symbol of that length, > 0, without quotes, in which some characters are \xx. */
static char *read_symbol(const char *at, size_t length)
{
    const char *end = at + length;
    char *symbol = malloc(length + 1);
    size_t n = 0;
    if (*at == '"')
        at++, end--;
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
        size_t length = at && *at == '@' ? measure_symbol(at + 1) : 0;
        free(name->lowered);
        name->lowered = length ? read_symbol(at + 1, length) : NULL;
        if (length && !name->lowered)
            return HIPRTC_ERROR_OUT_OF_MEMORY;
        if (!length) {
            AH_LOG_ERR("the name expression \"%s\" is not the address of a kernel or of a variable "
                       "of the device",
                       name->expression);
            return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
        }
    }
    return HIPRTC_SUCCESS;
}
