/* printf of device code: a format and an argument buffer in the device's memory,
 * as text. Knows nothing about warps: memory is read through a function. */
#ifndef PTX_PRINTF_H
#define PTX_PRINTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ptx_printf {
    /* Set by the caller. */
    bool (*read)(void *data, uint64_t address, void *out, size_t size);
    void *data;
    /* What was printed, to be freed; not terminated. */
    char *text;
    size_t length, capacity;
    /* Of PTX_PRINTF_FAULT: what could not be read. */
    uint64_t fault_address;
    size_t fault_size;
};

enum ptx_printf_result { PTX_PRINTF_OK, PTX_PRINTF_FAULT, PTX_PRINTF_NO_MEMORY };

/* Reads a string up to its NUL, at most limit bytes. *out_string is terminated and
 * to be freed; *out_length is without the NUL. */
enum ptx_printf_result ptx_printf_string(struct ptx_printf *print, uint64_t address, size_t limit,
                                         char **out_string, size_t *out_length);

/* Appends format with the arguments that lie at address, one after the other at
 * their natural alignment: integers up to int take 4 bytes, long, double and pointers
 * 8. Text that is not a conversion is printed unchanged. *out_count: arguments used. */
enum ptx_printf_result ptx_printf_format(struct ptx_printf *print, const char *format,
                                         uint64_t arguments, int *out_count);

#endif
