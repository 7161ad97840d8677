/* Private to this room: code for generic targets on HSA runtimes that do not know them. */
#ifndef AHHSA_GENERIC_H
#define AHHSA_GENERIC_H

#include <stdbool.h>
#include <stddef.h>

/* Turns the header of code for a generic target (code object version 6, which runtimes before ROCm
 * 6.3 refuse) into that of version 5 for the processor, one of those the code was compiled for.
 * The versions differ in nothing else. elf is a complete code object. False: it is not such code,
 * and was left alone. */
bool ahhsa_make_specific(unsigned char *elf, size_t size, const char *processor);

#endif
