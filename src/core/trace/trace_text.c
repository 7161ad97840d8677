/* Owns how values look in JSON. */
#include "trace_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_bytes(struct ah_trace_text *out, const char *bytes, size_t count)
{
    if (count > out->size - out->used)
        count = out->size - out->used;
    memcpy(out->data + out->used, bytes, count);
    out->used += count;
}

void ah_trace_put(struct ah_trace_text *out, const char *text)
{
    put_bytes(out, text, strlen(text));
}

/* Bytes of the character that begins at text, 0: it is no UTF-8. */
static size_t utf8_length(const unsigned char *text)
{
    static const struct {
        unsigned char mask, lead;
        size_t length;
        uint32_t least;
    } forms[] = {
        {0x80, 0, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        if ((text[0] & forms[f].mask) != forms[f].lead)
            continue;
        uint32_t code = text[0] & (unsigned char)~forms[f].mask;
        for (size_t i = 1; i < forms[f].length; i++) {
            if ((text[i] & 0xc0) != 0x80)
                return 0;
            code = code << 6 | (text[i] & 0x3f);
        }
        bool surrogate = code >= 0xd800 && code <= 0xdfff;
        return code >= forms[f].least && code <= 0x10ffff && !surrogate ? forms[f].length : 0;
    }
    return 0;
}

static void put_control(struct ah_trace_text *out, unsigned char c)
{
    char text[8];
    if (c == '"' || c == '\\')
        snprintf(text, sizeof text, "\\%c", c);
    else if (c == '\n')
        snprintf(text, sizeof text, "\\n");
    else
        snprintf(text, sizeof text, "\\u%04x", c);
    ah_trace_put(out, text);
}

void ah_trace_put_string(struct ah_trace_text *out, const char *text, size_t max)
{
    const char *end = text + strnlen(text, max);
    ah_trace_put(out, "\"");
    while (text < end) {
        size_t plain = 0;
        while (text + plain < end && text[plain] >= ' ' && text[plain] != '"' &&
               text[plain] != '\\' && text[plain] != 0x7f)
            plain++;
        put_bytes(out, text, plain);
        text += plain;
        if (text >= end)
            break;
        size_t length = utf8_length((const unsigned char *)text);
        if (length == 1) {
            put_control(out, (unsigned char)*text);
        } else if (length == 0 || text + length > end) {
            ah_trace_put(out, "\\ufffd");
            length = 1;
        } else {
            put_bytes(out, text, length);
        }
        text += length;
    }
    ah_trace_put(out, *end ? "...\"" : "\"");
}

void ah_trace_put_unsigned(struct ah_trace_text *out, uint64_t value)
{
    char digits[24], *at = digits + sizeof digits;
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    put_bytes(out, at, (size_t)(digits + sizeof digits - at));
}

void ah_trace_put_signed(struct ah_trace_text *out, int64_t value)
{
    if (value < 0)
        ah_trace_put(out, "-");
    ah_trace_put_unsigned(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void ah_trace_put_time(struct ah_trace_text *out, uint64_t ns)
{
    char part[4] = {'.', (char)('0' + ns / 100 % 10), (char)('0' + ns / 10 % 10),
                    (char)('0' + ns % 10)};
    ah_trace_put_unsigned(out, ns / 1000);
    put_bytes(out, part, sizeof part);
}

void ah_trace_put_pointer(struct ah_trace_text *out, uint64_t value)
{
    char text[24];
    char *at = text + sizeof text;
    *--at = '"';
    do {
        *--at = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value);
    *--at = 'x';
    *--at = '0';
    *--at = '"';
    put_bytes(out, at, (size_t)(text + sizeof text - at));
}

/* JSON has no numbers for infinity and for what is no number. */
void ah_trace_put_float(struct ah_trace_text *out, double value)
{
    char text[32];
    snprintf(text, sizeof text, isfinite(value) ? "%.9g" : "\"%g\"", value);
    ah_trace_put(out, text);
}
