/* Shapes of accesses, of which ptx_wave_memory.c has functions. */
#ifndef PTX_WAVE_ACCESS_H
#define PTX_WAVE_ACCESS_H

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
 * whether waiting lanes keep what they have. */
enum { PTX_ACCESS_TABLE = 5, PTX_ACCESS_KEEPS = 6, PTX_ACCESS_ARGUMENTS = 7 };

/* Of a branch: lanes may part there; what is behind it begins with a join, too; those that take it
 * go first where lanes part; the region is left unless lanes agree. Where they do not part, they
 * are known to agree. */
enum { PTX_WAVE_PARTS = 1, PTX_WAVE_JOINED = 2, PTX_WAVE_TAKEN_FIRST = 4, PTX_WAVE_AGREE = 8 };

/* Instead of the slot of a guard's predicate: all lanes that execute. */
enum { PTX_NO_GUARD = 0x7fffffff };

#endif
