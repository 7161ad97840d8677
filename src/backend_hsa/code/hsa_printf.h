/* Private to the code room: the records of a printf buffer (docs/kernel-abi.md) as text. */
#ifndef AHHSA_PRINTF_H
#define AHHSA_PRINTF_H

#include "hsa_metadata.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { AHHSA_PRINTF_HEADER = 8 }; /* bytes that the capacity does not count */

struct ahhsa_printed {
    uint32_t lost;  /* bytes that kernels reserved beyond the capacity */
    bool assertion; /* there is a record of a failed assert */
    bool unknown;   /* a format is in none of the tables */
};

/* The bytes of the buffer that hold records, the header included, according to its first two
 * words. */
size_t ahhsa_printf_used(const void *buffer, size_t size);

/* Writes every record of the buffer to out, or to error where the record says so; an assertion
 * always to error. Constant formats are looked up in `count` tables. The buffer may hold anything
 * at all, also records as ROCm's device library places them (docs/kernel-abi.md). */
struct ahhsa_printed ahhsa_printf_write(const void *buffer, size_t size,
                                        struct ahhsa_formats *const *formats, size_t count,
                                        FILE *out, FILE *error);

/* The same of one message that a kernel sent by hostcalls: a word of which bit 0 says that it
 * is for error, the format, and arguments as in a record. Adds to *out_printed. */
void ahhsa_printf_message(const void *message, size_t size, FILE *out, FILE *error,
                          struct ahhsa_printed *out_printed);

#endif
