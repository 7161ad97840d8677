/* Takes formats apart; the host's printf formats each value, so that the text is
 * what the host would print. */
#include "ptx_printf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH_MAX = 1 << 16, /* wider ones are no conversion */
    CHUNK = 64,          /* of strings */
};

/* A conversion: %[flags][width][.precision][length]letter */
struct conversion {
    char flags[6];
    int width, precision; /* -1: none */
    bool star_width, star_precision;
    char length; /* h, l; H: hh; L: 8 bytes however it is spelled; 0: none */
    char letter;
    size_t size; /* of its text */
};

/* ---- text that grows --------------------------------------------------------------- */

/* Room for size more bytes; NULL: no memory. */
static char *reserve(struct ptx_printf *print, size_t size)
{
    size_t need = print->length + size;
    if (need > print->capacity) {
        size_t capacity = need < 128 ? 256 : need * 2;
        char *text = realloc(print->text, capacity);
        if (!text)
            return NULL;
        print->text = text;
        print->capacity = capacity;
    }
    return print->text + print->length;
}

static enum ptx_printf_result append(struct ptx_printf *print, const char *text, size_t size)
{
    char *to = reserve(print, size);
    if (!to)
        return PTX_PRINTF_NO_MEMORY;
    memcpy(to, text, size);
    print->length += size;
    return PTX_PRINTF_OK;
}

/* ---- memory of the device ------------------------------------------------------------ */

static enum ptx_printf_result read_bytes(struct ptx_printf *print, uint64_t address, void *out,
                                         size_t size)
{
    if (print->read(print->data, address, out, size))
        return PTX_PRINTF_OK;
    print->fault_address = address;
    print->fault_size = size;
    return PTX_PRINTF_FAULT;
}

/* Up to a chunk: strings end where memory may end, so less when that is not there. */
static size_t read_some(struct ptx_printf *print, uint64_t address, char *out, size_t limit)
{
    size_t size = CHUNK - address % CHUNK;
    if (size > limit)
        size = limit;
    if (print->read(print->data, address, out, size))
        return size;
    return print->read(print->data, address, out, 1) ? 1 : 0;
}

enum ptx_printf_result ptx_printf_string(struct ptx_printf *print, uint64_t address, size_t limit,
                                         char **out_string, size_t *out_length)
{
    struct ptx_printf string = {0};
    for (;;) {
        char *to = reserve(&string, CHUNK + 1);
        if (!to) {
            free(string.text);
            return PTX_PRINTF_NO_MEMORY;
        }
        size_t left = limit - string.length;
        size_t size = left ? read_some(print, address + string.length, to, left) : 0;
        if (left && !size) {
            print->fault_address = address + string.length;
            print->fault_size = 1;
            free(string.text);
            return PTX_PRINTF_FAULT;
        }
        char *end = memchr(to, 0, size);
        string.length += end ? (size_t)(end - to) : size;
        if (!end && left)
            continue;
        string.text[string.length] = 0;
        *out_string = string.text;
        *out_length = string.length;
        return PTX_PRINTF_OK;
    }
}

/* The next argument, of 4 or 8 bytes. */
static enum ptx_printf_result next_argument(struct ptx_printf *print, uint64_t *address,
                                            size_t size, uint64_t *out_bits)
{
    uint64_t at = (*address + size - 1) & ~(uint64_t)(size - 1);
    *out_bits = 0;
    *address = at + size;
    return read_bytes(print, at, out_bits, size);
}

/* ---- taking apart -------------------------------------------------------------------- */

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

static const char *parse_flags(const char *at, struct conversion *out)
{
    size_t count = 0;
    for (; is_one_of(*at, "-+ #0"); at++)
        if (!memchr(out->flags, *at, count))
            out->flags[count++] = *at;
    return at;
}

/* A number or a star; NULL: too large to be meant. */
static const char *parse_number(const char *at, int *out_value, bool *out_star)
{
    if (*at == '*') {
        *out_star = true;
        return at + 1;
    }
    for (; *at >= '0' && *at <= '9'; at++) {
        *out_value = (*out_value < 0 ? 0 : *out_value * 10) + (*at - '0');
        if (*out_value > WIDTH_MAX)
            return NULL;
    }
    return at;
}

static const char *parse_length(const char *at, struct conversion *out)
{
    if (*at == 'h') {
        out->length = at[1] == 'h' ? 'H' : 'h';
        return at + (at[1] == 'h' ? 2 : 1);
    }
    if (*at == 'l') {
        out->length = 'l';
        return at + (at[1] == 'l' ? 2 : 1);
    }
    if (is_one_of(*at, "zjtLq")) {
        out->length = 'l';
        return at + 1;
    }
    return at;
}

/* Parses what begins with a percent sign. False: it is no conversion. */
static bool parse(const char *text, struct conversion *out)
{
    *out = (struct conversion){.width = -1, .precision = -1};
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
    return is_one_of(out->letter, "diuxXocspfFeEgGaA%");
}

/* ---- printing one ----------------------------------------------------------------------- */

static enum ptx_printf_result print_string(struct ptx_printf *print, const char *spec,
                                           const struct conversion *conversion, const char *string,
                                           size_t length)
{
    /* Neither may be longer than the other says: room for both. */
    size_t width = conversion->width > 0 ? (size_t)conversion->width : 0;
    size_t room = (width > length ? width : length) + 1;
    char *to = reserve(print, room);
    if (!to)
        return PTX_PRINTF_NO_MEMORY;
    print->length += (size_t)snprintf(to, room, spec, conversion->width < 0 ? 0 : conversion->width,
                                      conversion->precision, string);
    return PTX_PRINTF_OK;
}

static enum ptx_printf_result convert_string(struct ptx_printf *print, const char *spec,
                                             const struct conversion *conversion, uint64_t address)
{
    if (!address)
        return print_string(print, spec, conversion, "(null)", 6);
    char *string;
    size_t length, limit = conversion->precision < 0 ? SIZE_MAX : (size_t)conversion->precision;
    enum ptx_printf_result result = ptx_printf_string(print, address, limit, &string, &length);
    if (result != PTX_PRINTF_OK)
        return result;
    result = print_string(print, spec, conversion, string, length);
    free(string);
    return result;
}

static int64_t signed_value(uint64_t bits, char length)
{
    switch (length) {
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

static uint64_t unsigned_value(uint64_t bits, char length)
{
    switch (length) {
    case 'H':
        return (uint8_t)bits;
    case 'h':
        return (uint16_t)bits;
    default:
        return bits; /* of 4 bytes, or 8 */
    }
}

/* The host's conversion of bits with snprintf into room bytes; returns its length. */
static int convert_number(char *to, size_t room, const char *spec,
                          const struct conversion *conversion, uint64_t bits)
{
    int width = conversion->width < 0 ? 0 : conversion->width, precision = conversion->precision;
    double number;
    memcpy(&number, &bits, sizeof(number));
    switch (conversion->letter) {
    case 'd':
    case 'i':
        return snprintf(to, room, spec, width, precision,
                        (long long)signed_value(bits, conversion->length));
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        return snprintf(to, room, spec, width, precision,
                        (unsigned long long)unsigned_value(bits, conversion->length));
    case 'c':
        return snprintf(to, room, spec, width, precision, (int)bits);
    case 'p':
        return snprintf(to, room, spec, width, precision, (void *)(uintptr_t)bits);
    default:
        return snprintf(to, room, spec, width, precision, number);
    }
}

/* The format for the host: width and precision are passed as stars. A precision
 * below zero counts as none. */
static void write_spec(const struct conversion *conversion, char out[24])
{
    const char *length = is_one_of(conversion->letter, "diuxXo") ? "ll" : "";
    snprintf(out, 24, "%%%s*.*%s%c", conversion->flags, length, conversion->letter);
}

static enum ptx_printf_result print_value(struct ptx_printf *print,
                                          const struct conversion *conversion, uint64_t bits)
{
    char spec[24];
    write_spec(conversion, spec);
    if (conversion->letter == 's')
        return convert_string(print, spec, conversion, bits);
    int length = convert_number(NULL, 0, spec, conversion, bits);
    char *to = length < 0 ? NULL : reserve(print, (size_t)length + 1);
    if (!to)
        return PTX_PRINTF_NO_MEMORY;
    convert_number(to, (size_t)length + 1, spec, conversion, bits);
    print->length += (size_t)length;
    return PTX_PRINTF_OK;
}

static int clamp(int value)
{
    return value > WIDTH_MAX ? WIDTH_MAX : value < -WIDTH_MAX ? -WIDTH_MAX : value;
}

/* Width and precision that are arguments. A width below zero is a flag. */
static enum ptx_printf_result fill_stars(struct ptx_printf *print, struct conversion *conversion,
                                         uint64_t *arguments, int *count)
{
    uint64_t bits;
    if (conversion->star_width) {
        enum ptx_printf_result result = next_argument(print, arguments, 4, &bits);
        if (result != PTX_PRINTF_OK)
            return result;
        int width = clamp((int32_t)bits);
        if (width < 0 && !strchr(conversion->flags, '-'))
            conversion->flags[strlen(conversion->flags)] = '-';
        conversion->width = width < 0 ? -width : width;
        ++*count;
    }
    if (conversion->star_precision) {
        enum ptx_printf_result result = next_argument(print, arguments, 4, &bits);
        if (result != PTX_PRINTF_OK)
            return result;
        conversion->precision = clamp((int32_t)bits);
        ++*count;
    }
    return PTX_PRINTF_OK;
}

static size_t argument_size(const struct conversion *conversion)
{
    if (is_one_of(conversion->letter, "diuxXo"))
        return conversion->length == 'l' ? 8 : 4;
    return conversion->letter == 'c' ? 4 : 8;
}

static enum ptx_printf_result convert(struct ptx_printf *print, struct conversion *conversion,
                                      uint64_t *arguments, int *count)
{
    enum ptx_printf_result result = fill_stars(print, conversion, arguments, count);
    if (result != PTX_PRINTF_OK)
        return result;
    if (conversion->letter == '%')
        return append(print, "%", 1);
    uint64_t bits;
    result = next_argument(print, arguments, argument_size(conversion), &bits);
    if (result != PTX_PRINTF_OK)
        return result;
    ++*count;
    return print_value(print, conversion, bits);
}

enum ptx_printf_result ptx_printf_format(struct ptx_printf *print, const char *format,
                                         uint64_t arguments, int *out_count)
{
    *out_count = 0;
    enum ptx_printf_result result = PTX_PRINTF_OK;
    while (*format && result == PTX_PRINTF_OK) {
        size_t plain = strcspn(format, "%");
        struct conversion conversion;
        if (plain > 0) {
            result = append(print, format, plain);
            format += plain;
        } else if (parse(format, &conversion)) {
            result = convert(print, &conversion, &arguments, out_count);
            format += conversion.size;
        } else {
            result = append(print, format++, 1);
        }
    }
    return result;
}
