/* Parses the conversions of printf's formats from kernels, so that the host's printf can format
 * each value. */
#ifndef AH_CONVERSION_H
#define AH_CONVERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* %[flags][width][.precision][length]letter */
struct ah_conversion {
    char flags[6];
    int width, precision;            /* -1: none */
    bool star_width, star_precision; /* they are arguments */
    char length;                     /* h, l; H: hh; 0: none. l is everything of 8 bytes */
    char letter;
    size_t size; /* of its text */
};
enum { AH_CONVERSION_FORMAT = 24 }; /* bytes of a format for the host */

/* Parses a conversion that begins with a percent sign; letters: the valid ones. False: it is not a
 * conversion, or its width is unreasonably large. */
bool ah_conversion_parse(const char *text, const char *letters, struct ah_conversion *out);

/* Sets the width from an argument, within limits. A negative width is a flag, a negative precision
 * means none. */
void ah_conversion_set_width(struct ah_conversion *conversion, int32_t width);
void ah_conversion_set_precision(struct ah_conversion *conversion, int32_t precision);

/* The format of one conversion for the host, whose arguments are width, precision and a value: long
 * long for integers, otherwise the type of the letter. */
void ah_conversion_format(const struct ah_conversion *conversion, char out[AH_CONVERSION_FORMAT]);
/* The width argument; 0 for none. */
static inline int ah_conversion_width(const struct ah_conversion *conversion)
{
    return conversion->width < 0 ? 0 : conversion->width;
}

/* The value of bits as an integer of the conversion's length. */
int64_t ah_conversion_signed(const struct ah_conversion *conversion, uint64_t bits);
uint64_t ah_conversion_unsigned(const struct ah_conversion *conversion, uint64_t bits);

/* Whether c is a character of set. */
static inline bool ah_is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

#endif
