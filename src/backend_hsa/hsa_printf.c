/* Owns how records are walked and formats taken apart; the host's printf formats each value, so
 * that the text is what the host would print. */
#include "hsa_printf.h"

#include <string.h>

enum {
    RECORDS = 12,         /* the first record's place in the buffer */
    RECORDS_PACKED = 8,   /* as ROCm's device library places them, without gaps */
    NUMBER_MAX = 1 << 16, /* wider ones are no conversion */
    CONSTANT = 2,         /* bits of the control word */
    TO_ERROR = 1,
    SIZE_SHIFT = 2,
};

/* What is left of a record. Past its end everything is 0. */
struct record {
    const unsigned char *at, *end;
};

/* A conversion: %[flags][width][.precision][length]letter */
struct conversion {
    char flags[6];
    int width, precision; /* -1: none */
    bool star_width, star_precision;
    char length; /* h, l; H: hh; 0: none. l is everything of 8 bytes */
    char letter;
    size_t size; /* of its text */
};

static uint32_t word_at(const unsigned char *data)
{
    uint32_t word;
    memcpy(&word, data, sizeof word);
    return word;
}

/* ---- records ---------------------------------------------------------------------------- */

static uint64_t next_bits(struct record *record)
{
    uint64_t bits = 0;
    if ((size_t)(record->end - record->at) < sizeof bits) {
        record->at = record->end;
        return 0;
    }
    memcpy(&bits, record->at, sizeof bits);
    record->at += sizeof bits;
    return bits;
}

/* Text with its zero byte, padded to 8; "" past the end and where there is no zero byte. */
static const char *next_text(struct record *record)
{
    const unsigned char *text = record->at;
    size_t left = (size_t)(record->end - text), length = strnlen((const char *)text, left);
    if (length == left) {
        record->at = record->end;
        return "";
    }
    size_t padded = (length + sizeof(uint64_t)) & ~(sizeof(uint64_t) - 1);
    record->at += padded < left ? padded : left;
    return (const char *)text;
}

/* ---- formats ---------------------------------------------------------------------------- */

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
        if (*out_value > NUMBER_MAX)
            return NULL;
    }
    return at;
}

static const char *parse_length(const char *at, struct conversion *out)
{
    bool twice = (*at == 'h' || *at == 'l') && at[1] == *at;
    if (*at == 'h')
        out->length = twice ? 'H' : 'h';
    else if (is_one_of(*at, "lzjtLq"))
        out->length = 'l';
    else
        return at;
    return at + (twice ? 2 : 1);
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
    return is_one_of(out->letter, "diuxXocspfFeEgGaAn%");
}

static int64_t signed_value(uint64_t bits, char length)
{
    return length == 'H'   ? (int8_t)bits
           : length == 'h' ? (int16_t)bits
           : length == 'l' ? (int64_t)bits
                           : (int32_t)bits;
}

static uint64_t unsigned_value(uint64_t bits, char length)
{
    return length == 'H'   ? (uint8_t)bits
           : length == 'h' ? (uint16_t)bits
           : length == 'l' ? bits
                           : (uint32_t)bits;
}

/* The format of one conversion for the host: its flags, then width and precision from arguments
 * (a negative precision is none), then a length that suits what is passed. */
static void host_format(const struct conversion *conversion, const char *length, char out[24])
{
    snprintf(out, 24, "%%%s*.*%s%c", conversion->flags, length, conversion->letter);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void print_number(const struct conversion *conversion, uint64_t bits, FILE *out)
{
    int width = conversion->width < 0 ? 0 : conversion->width, precision = conversion->precision;
    double number;
    char format[24];
    memcpy(&number, &bits, sizeof number);
    host_format(conversion, is_one_of(conversion->letter, "diuxXo") ? "ll" : "", format);
    if (is_one_of(conversion->letter, "di"))
        fprintf(out, format, width, precision, (long long)signed_value(bits, conversion->length));
    else if (is_one_of(conversion->letter, "uxXo"))
        fprintf(out, format, width, precision,
                (unsigned long long)unsigned_value(bits, conversion->length));
    else if (conversion->letter == 'c')
        fprintf(out, format, width, precision, (int)bits);
    else if (conversion->letter == 'p')
        fprintf(out, format, width, precision, (void *)(uintptr_t)bits);
    else
        fprintf(out, format, width, precision, number);
}

static void print_text(const struct conversion *conversion, const char *text, FILE *out)
{
    char format[24];
    host_format(conversion, "", format);
    fprintf(out, format, conversion->width < 0 ? 0 : conversion->width, conversion->precision,
            text);
}
#pragma GCC diagnostic pop

/* A width or precision from the arguments, within reason. */
static int next_number(struct record *record)
{
    int value = (int)(int32_t)next_bits(record);
    return value > NUMBER_MAX ? NUMBER_MAX : value < -NUMBER_MAX ? -NUMBER_MAX : value;
}

static void print_one(struct conversion *conversion, struct record *record, FILE *out)
{
    size_t flags = strlen(conversion->flags);
    if (conversion->star_width)
        conversion->width = next_number(record);
    if (conversion->width < -1) { /* as after the flag "-" */
        conversion->width = -conversion->width;
        if (!strchr(conversion->flags, '-') && flags < sizeof conversion->flags - 1)
            conversion->flags[flags] = '-';
    }
    if (conversion->star_precision)
        conversion->precision = next_number(record);
    if (conversion->letter == '%')
        fputc('%', out);
    else if (conversion->letter == 's')
        print_text(conversion, next_text(record), out);
    else if (conversion->letter == 'n')
        next_bits(record); /* the kernel's memory is not written */
    else
        print_number(conversion, next_bits(record), out);
}

static void print_record(const char *format, struct record *record, FILE *out)
{
    struct conversion conversion;
    while (*format) {
        size_t plain = strcspn(format, "%");
        fwrite(format, 1, plain, out);
        format += plain;
        if (!*format)
            break;
        if (parse(format, &conversion)) {
            print_one(&conversion, record, out);
            format += conversion.size;
        } else {
            fputc(*format++, out);
        }
    }
}

/* ---- the buffer ------------------------------------------------------------------------- */

size_t ahhsa_printf_used(const void *buffer, size_t size)
{
    if (size < RECORDS)
        return 0;
    size_t asked = word_at(buffer), room = size - AHHSA_PRINTF_HEADER;
    size_t capacity = word_at((const unsigned char *)buffer + 4);
    if (capacity > room)
        capacity = room;
    if (asked == 0)
        return 0;
    /* Records lie 4 bytes behind the place that was asked for. */
    return AHHSA_PRINTF_HEADER + (asked + 4 < capacity ? asked + 4 : capacity);
}

static const char *format_of(uint64_t id, const struct ahhsa_metadata *metadata)
{
    for (size_t i = 0; i < metadata->format_count; i++)
        if (metadata->formats[i].id == id)
            return metadata->formats[i].text;
    return NULL;
}

/* As the assert of this project's headers, and that of ROCm's, begin. */
static bool is_assertion(const char *format)
{
    static const char *const beginnings[] = {
        "%s:%u: %s: Assertion `%s' failed",
        "%s:%u: %s: Device-side assertion `%s' failed",
    };
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(format, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static void write_formatted(const char *format, struct record *record, bool to_error, FILE *out,
                            FILE *error, struct ahhsa_printed *printed)
{
    bool asserts = is_assertion(format);
    printed->assertion |= asserts;
    print_record(format, record, asserts || to_error ? error : out);
}

static void write_record(const unsigned char *data, uint32_t control, size_t record_size,
                         const struct ahhsa_metadata *metadata, FILE *out, FILE *error,
                         struct ahhsa_printed *printed)
{
    struct record record = {data + sizeof control, data + record_size};
    const char *format =
        control & CONSTANT ? format_of(next_bits(&record), metadata) : next_text(&record);
    if (format)
        write_formatted(format, &record, control & TO_ERROR, out, error, printed);
    else
        printed->unknown = true;
}

/* Our device code leaves the place of a packed buffer's first record alone. */
static bool is_packed(const unsigned char *data)
{
    return word_at(data + RECORDS_PACKED) != 0;
}

struct ahhsa_printed ahhsa_printf_write(const void *buffer, size_t size,
                                        const struct ahhsa_metadata *metadata, FILE *out,
                                        FILE *error)
{
    struct ahhsa_printed printed = {0};
    const unsigned char *data = buffer;
    size_t used = ahhsa_printf_used(buffer, size);
    if (used < RECORDS)
        return printed;
    bool packed = is_packed(data);
    size_t first = packed ? RECORDS_PACKED : RECORDS, at = first, gap = packed ? 3 : 7;
    while (used - at >= sizeof(uint32_t)) {
        uint32_t control = word_at(data + at);
        size_t record_size = control >> SIZE_SHIFT;
        if (record_size < sizeof control || record_size > used - at)
            break;
        write_record(data + at, control, record_size, metadata, out, error, &printed);
        at += (record_size + gap) & ~gap;
        if (at > used)
            at = used;
    }
    size_t asked = word_at(data);
    if (asked > at - first)
        printed.lost = (uint32_t)(asked - (at - first));
    return printed;
}

void ahhsa_printf_message(const void *message, size_t size, FILE *out, FILE *error,
                          struct ahhsa_printed *out_printed)
{
    struct record record = {message, (const unsigned char *)message + size};
    uint64_t control = next_bits(&record);
    write_formatted(next_text(&record), &record, control & TO_ERROR, out, error, out_printed);
}
