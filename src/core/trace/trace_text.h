/* Text of events in JSON, in a buffer of a fixed size. What does not fit is cut: an event asks for
 * space first. */
#ifndef AH_TRACE_TEXT_H
#define AH_TRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ah_trace_text {
    char *data;
    size_t used, size;
};

/* Appends text as it is; a string in quotes, escaped, of at most max bytes of UTF-8 (what is no
 * UTF-8 becomes U+FFFD); numbers; microseconds with three decimals of nanoseconds; "0x..." in
 * quotes. */
void ah_trace_put(struct ah_trace_text *out, const char *text);
void ah_trace_put_string(struct ah_trace_text *out, const char *text, size_t max);
void ah_trace_put_unsigned(struct ah_trace_text *out, uint64_t value);
void ah_trace_put_signed(struct ah_trace_text *out, int64_t value);
void ah_trace_put_time(struct ah_trace_text *out, uint64_t ns);
void ah_trace_put_pointer(struct ah_trace_text *out, uint64_t value);
void ah_trace_put_float(struct ah_trace_text *out, double value);

#endif
