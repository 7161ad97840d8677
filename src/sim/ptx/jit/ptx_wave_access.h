/* Shapes of accesses, of which ptx_wave_memory.c has functions. */
#ifndef PTX_WAVE_ACCESS_H
#define PTX_WAVE_ACCESS_H

#include <stdint.h>

/* What is known about the addresses of a warp's lanes: one address, or elements in a row; of all
 * lanes, or of each half. */
enum ptx_wave_shape {
    PTX_WAVE_UNKNOWN,
    PTX_WAVE_ALL_SAME,
    PTX_WAVE_ALL_ROW,
    PTX_WAVE_HALVES_SAME,
    PTX_WAVE_HALVES_ROW,
    PTX_WAVE_SHAPES,
};

/* Arguments of an access's function, of which one is the table of device memory, and the last says
 * how: whether waiting lanes keep what they have; whether other threads may wait for it, or it for
 * them: then it is neither left out nor moved across other accesses; and whether the sign of what
 * is shorter than its slot is extended. */
enum { PTX_ACCESS_TABLE = 5, PTX_ACCESS_HOW = 6, PTX_ACCESS_ARGUMENTS = 7 };
enum { PTX_ACCESS_KEEPS = 1, PTX_ACCESS_ORDERED = 2, PTX_ACCESS_SIGNED = 4 };

/* Before and behind an access: the compiler keeps it in its place. The host's own order is that of
 * accesses in the interpreter, which are as plain. */
static inline __attribute__((always_inline, unused)) void ptx_in_order(uint64_t how)
{
    if (how & PTX_ACCESS_ORDERED)
        __asm__ volatile("" ::: "memory");
}

/* Where nothing is known, the number of its span follows, a word with the bytes of an element in
 * its slot, and whether addresses are relative to the activation's local memory; and the slot of a
 * guard, or PTX_NO_GUARD, and its inversion. */
enum {
    PTX_ANY_SPAN = 7,
    PTX_ANY_FORM = 8,
    PTX_ANY_GUARD = 9,
    PTX_ANY_INVERTED = 10,
    PTX_ANY_ARGUMENTS = 11
};
enum { PTX_ANY_WIDTH = 0xff, PTX_ANY_FRAME = 0x100 };

/* Of a branch: lanes may part there; what is behind it begins with a join, too; those that take it
 * go first where lanes part; the region is left unless lanes agree. Where they do not part, they
 * are known to agree. */
enum { PTX_WAVE_PARTS = 1, PTX_WAVE_JOINED = 2, PTX_WAVE_TAKEN_FIRST = 4, PTX_WAVE_AGREE = 8 };

/* Instead of the slot of a guard's predicate: all lanes that execute. */
enum { PTX_NO_GUARD = 0x7fffffff };

#endif
