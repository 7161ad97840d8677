/* Owns the parser of records; the host's printf formats each value, so that the text is what the
 * host would print. */
#include "hsa_printf.h"

#include "conversion.h"

#include <string.h>

enum {
    RECORDS = 12,       /* the offset of the first record in the buffer */
    RECORDS_PACKED = 8, /* as ROCm's device library places them, without gaps */
    CONSTANT = 2,       /* bits of the control word */
    TO_ERROR = 1,
    SIZE_SHIFT = 2,
};

/* The rest of a record. Words past its end read as 0. */
struct record {
    const unsigned char *at, *end;
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

/* A string with its zero byte, padded to 8 bytes; "" past the end, or if there is no zero byte. */
static const char *next_text(struct record *record)
{
    const unsigned char *text = record->at;
    size_t left = (size_t)(record->end - text);
    size_t length = left > 0 ? strnlen((const char *)text, left) : 0;
    if (length == left) {
        record->at = record->end;
        return "";
    }
    size_t padded = (length + sizeof(uint64_t)) & ~(sizeof(uint64_t) - 1);
    record->at += padded < left ? padded : left;
    return (const char *)text;
}

/* ---- formats ---------------------------------------------------------------------------- */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void print_number(const struct ah_conversion *conversion, uint64_t bits, FILE *out)
{
    int width = ah_conversion_width(conversion), precision = conversion->precision;
    double number;
    char format[AH_CONVERSION_FORMAT];
    memcpy(&number, &bits, sizeof number);
    ah_conversion_format(conversion, format);
    if (ah_is_one_of(conversion->letter, "di"))
        fprintf(out, format, width, precision, (long long)ah_conversion_signed(conversion, bits));
    else if (ah_is_one_of(conversion->letter, "uxXo"))
        fprintf(out, format, width, precision,
                (unsigned long long)ah_conversion_unsigned(conversion, bits));
    else if (conversion->letter == 'c')
        fprintf(out, format, width, precision, (int)bits);
    else if (conversion->letter == 'p')
        fprintf(out, format, width, precision, (void *)(uintptr_t)bits);
    else
        fprintf(out, format, width, precision, number);
}

static void print_text(const struct ah_conversion *conversion, const char *text, FILE *out)
{
    char format[AH_CONVERSION_FORMAT];
    ah_conversion_format(conversion, format);
    fprintf(out, format, ah_conversion_width(conversion), conversion->precision, text);
}
#pragma GCC diagnostic pop

static void print_one(struct ah_conversion *conversion, struct record *record, FILE *out)
{
    if (conversion->star_width)
        ah_conversion_set_width(conversion, (int32_t)next_bits(record));
    if (conversion->star_precision)
        ah_conversion_set_precision(conversion, (int32_t)next_bits(record));
    if (conversion->letter == '%')
        fputc('%', out);
    else if (conversion->letter == 's')
        print_text(conversion, next_text(record), out);
    else if (conversion->letter == 'n')
        next_bits(record); /* %n does not write to the kernel's memory */
    else
        print_number(conversion, next_bits(record), out);
}

static void print_record(const char *format, struct record *record, FILE *out)
{
    struct ah_conversion conversion;
    while (*format) {
        size_t plain = strcspn(format, "%");
        fwrite(format, 1, plain, out);
        format += plain;
        if (!*format)
            break;
        if (ah_conversion_parse(format, "diuxXocspfFeEgGaAn%", &conversion)) {
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
    /* A record begins 4 bytes after the offset that was reserved. */
    return AHHSA_PRINTF_HEADER + (asked + 4 < capacity ? asked + 4 : capacity);
}

struct tables {
    struct ahhsa_formats *const *formats;
    size_t count;
};

static const char *format_of(uint64_t id, const struct tables *tables)
{
    for (size_t i = 0; i < tables->count; i++)
        for (size_t k = 0; k < tables->formats[i]->count; k++)
            if (tables->formats[i]->list[k].id == id)
                return tables->formats[i]->list[k].text;
    return NULL;
}

/* The beginnings of the messages of assert, in this project's headers and in ROCm's. */
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
                         const struct tables *tables, FILE *out, FILE *error,
                         struct ahhsa_printed *printed)
{
    struct record record = {data + sizeof control, data + record_size};
    const char *format =
        control & CONSTANT ? format_of(next_bits(&record), tables) : next_text(&record);
    if (format)
        write_formatted(format, &record, control & TO_ERROR, out, error, printed);
    else
        printed->unknown = true;
}

/* This project's device code does not write at the offset of a packed buffer's first record. */
static bool is_packed(const unsigned char *data)
{
    return word_at(data + RECORDS_PACKED) != 0;
}

struct ahhsa_printed ahhsa_printf_write(const void *buffer, size_t size,
                                        struct ahhsa_formats *const *formats, size_t count,
                                        FILE *out, FILE *error)
{
    struct ahhsa_printed printed = {0};
    const struct tables tables = {formats, count};
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
        write_record(data + at, control, record_size, &tables, out, error, &printed);
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
