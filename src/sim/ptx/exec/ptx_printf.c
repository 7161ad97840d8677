/* Finds what formats request; the host's printf formats each value, so that the text is
 * what the host would print. */
#include "ptx_printf.h"

#include "conversion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 }; /* of strings */

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

/* ---- printing one ----------------------------------------------------------------------- */

static enum ptx_printf_result print_string(struct ptx_printf *print, const char *spec,
                                           const struct ah_conversion *conversion,
                                           const char *string, size_t length)
{
    /* Neither may be longer than the other says: room for both. */
    size_t width = conversion->width > 0 ? (size_t)conversion->width : 0;
    size_t room = (width > length ? width : length) + 1;
    char *to = reserve(print, room);
    if (!to)
        return PTX_PRINTF_NO_MEMORY;
    print->length += (size_t)snprintf(to, room, spec, ah_conversion_width(conversion),
                                      conversion->precision, string);
    return PTX_PRINTF_OK;
}

static enum ptx_printf_result convert_string(struct ptx_printf *print, const char *spec,
                                             const struct ah_conversion *conversion,
                                             uint64_t address)
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

/* The host's conversion of bits with snprintf into room bytes; returns its length. */
static int convert_number(char *to, size_t room, const char *spec,
                          const struct ah_conversion *conversion, uint64_t bits)
{
    int width = ah_conversion_width(conversion), precision = conversion->precision;
    double number;
    memcpy(&number, &bits, sizeof(number));
    switch (conversion->letter) {
    case 'd':
    case 'i':
        return snprintf(to, room, spec, width, precision,
                        (long long)ah_conversion_signed(conversion, bits));
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        return snprintf(to, room, spec, width, precision,
                        (unsigned long long)ah_conversion_unsigned(conversion, bits));
    case 'c':
        return snprintf(to, room, spec, width, precision, (int)bits);
    case 'p':
        return snprintf(to, room, spec, width, precision, (void *)(uintptr_t)bits);
    default:
        return snprintf(to, room, spec, width, precision, number);
    }
}

static enum ptx_printf_result print_value(struct ptx_printf *print,
                                          const struct ah_conversion *conversion, uint64_t bits)
{
    char spec[AH_CONVERSION_FORMAT];
    ah_conversion_format(conversion, spec);
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

/* Width and precision that are arguments. */
static enum ptx_printf_result fill_stars(struct ptx_printf *print, struct ah_conversion *conversion,
                                         uint64_t *arguments, int *count)
{
    uint64_t bits;
    if (conversion->star_width) {
        enum ptx_printf_result result = next_argument(print, arguments, 4, &bits);
        if (result != PTX_PRINTF_OK)
            return result;
        ah_conversion_set_width(conversion, (int32_t)bits);
        ++*count;
    }
    if (conversion->star_precision) {
        enum ptx_printf_result result = next_argument(print, arguments, 4, &bits);
        if (result != PTX_PRINTF_OK)
            return result;
        ah_conversion_set_precision(conversion, (int32_t)bits);
        ++*count;
    }
    return PTX_PRINTF_OK;
}

static size_t argument_size(const struct ah_conversion *conversion)
{
    if (ah_is_one_of(conversion->letter, "diuxXo"))
        return conversion->length == 'l' ? 8 : 4;
    return conversion->letter == 'c' ? 4 : 8;
}

static enum ptx_printf_result convert(struct ptx_printf *print, struct ah_conversion *conversion,
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
        struct ah_conversion conversion;
        if (plain > 0) {
            result = append(print, format, plain);
            format += plain;
        } else if (ah_conversion_parse(format, "diuxXocspfFeEgGaA%", &conversion)) {
            result = convert(print, &conversion, &arguments, out_count);
            format += conversion.size;
        } else {
            result = append(print, format++, 1);
        }
    }
    return result;
}
