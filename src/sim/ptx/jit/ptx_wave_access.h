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

#endif
