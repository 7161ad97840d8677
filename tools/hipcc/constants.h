/* Constant variables beyond what NVIDIA's constant memory holds.
 *
 * The variables of a module in constant memory (`.const`) may have 64 KiB; a driver refuses more.
 * AMD's GPUs, where such variables are ordinary memory, have no bound, so HIP programs go beyond
 * it. Here the largest of them are moved to global memory, in LLVM's textual IR: as many as it
 * takes for the others to fit. A host finds a variable by its name wherever it is. Pure: no state,
 * no message. */
#ifndef AH_HIPCC_CONSTANTS_H
#define AH_HIPCC_CONSTANTS_H

#include <stddef.h>

#include "text.h"

enum { AH_CONSTANTS_MAX = 65536 };

/* The bytes that the variables take which PTX declares in constant memory. */
size_t ah_constants_size(const char *ptx);

/* The module from which the PTX was made, with variables moved so that the rest takes no more than
 * AH_CONSTANTS_MAX bytes; out_moved receives their names. NULL when that cannot be done: a variable
 * that code reads as constant memory, not through a generic pointer, stays where it is. */
const char *ah_constants_move(const char *module, const char *ptx, struct ah_strings *out_moved);

#endif
