/* Owns the parsing of printf conversions, and their formats for the host. */
#include "conversion.h"

#include <stdio.h>

enum { NUMBER_MAX = 1 << 16 }; /* wider ones are not conversions */

/* ---- taking apart ----------------------------------------------------------------------- */

static const char *parse_flags(const char *at, struct ah_conversion *out)
{
    size_t count = 0;
    for (; ah_is_one_of(*at, "-+ #0"); at++)
        if (!memchr(out->flags, *at, count))
            out->flags[count++] = *at;
    return at;
}

/* A number or a star; NULL: unreasonably large. */
static const char *parse_number(const char *at, int *out_value, bool *out_star)
{
    if (*at == '*') {
        *out_star = true;
        return at + 1;
    }
    for (; *at >= '0' && *at <= '9'; at++) {
        *out_value = (*out_value < 0 ? 0 : *out_value * 10) + (*at - '0');
        if (*out_value > NUMBER_MAX)
            return NULL;
    }
    return at;
}

static const char *parse_length(const char *at, struct ah_conversion *out)
{
    bool twice = (*at == 'h' || *at == 'l') && at[1] == *at;
    if (*at == 'h')
        out->length = twice ? 'H' : 'h';
    else if (ah_is_one_of(*at, "lzjtLq"))
        out->length = 'l';
    else
        return at;
    return at + (twice ? 2 : 1);
}

bool ah_conversion_parse(const char *text, const char *letters, struct ah_conversion *out)
{
    *out = (struct ah_conversion){.width = -1, .precision = -1};
    const char *at = parse_flags(text + 1, out);
    at = parse_number(at, &out->width, &out->star_width);
    if (at && *at == '.') {
        out->precision = 0;
        at = parse_number(at + 1, &out->precision, &out->star_precision);
    }
    if (!at)
        return false;
    at = parse_length(at, out);
    out->letter = *at;
    out->size = (size_t)(at + 1 - text);
    return ah_is_one_of(out->letter, letters);
}

/* ---- arguments -------------------------------------------------------------------------- */

static int clamp(int32_t value)
{
    return value > NUMBER_MAX ? NUMBER_MAX : value < -NUMBER_MAX ? -NUMBER_MAX : value;
}

void ah_conversion_set_width(struct ah_conversion *conversion, int32_t width)
{
    int value = clamp(width);
    if (value < 0 && !strchr(conversion->flags, '-'))
        conversion->flags[strlen(conversion->flags)] = '-'; /* there are five at most */
    conversion->width = value < 0 ? -value : value;
}

void ah_conversion_set_precision(struct ah_conversion *conversion, int32_t precision)
{
    conversion->precision = clamp(precision);
}

int64_t ah_conversion_signed(const struct ah_conversion *conversion, uint64_t bits)
{
    switch (conversion->length) {
    case 'H':
        return (int8_t)bits;
    case 'h':
        return (int16_t)bits;
    case 'l':
        return (int64_t)bits;
    default:
        return (int32_t)bits;
    }
}

uint64_t ah_conversion_unsigned(const struct ah_conversion *conversion, uint64_t bits)
{
    switch (conversion->length) {
    case 'H':
        return (uint8_t)bits;
    case 'h':
        return (uint16_t)bits;
    case 'l':
        return bits;
    default:
        return (uint32_t)bits;
    }
}

/* ---- for the host ----------------------------------------------------------------------- */

/* A precision below zero counts as none. */
void ah_conversion_format(const struct ah_conversion *conversion, char out[AH_CONVERSION_FORMAT])
{
    const char *length = ah_is_one_of(conversion->letter, "diuxXo") ? "ll" : "";
    snprintf(out, AH_CONVERSION_FORMAT, "%%%s*.*%s%c", conversion->flags, length,
             conversion->letter);
}
