/* The part of shuffles that is compiled once per instruction set of the host. */
#ifndef PTX_SHUFFLE_H
#define PTX_SHUFFLE_H

#include "ptx_exec.h"

#include <stdbool.h>
#include <stdint.h>

/* The lane whose value a lane gets, which is its own where the one that it asks for is out of
 * range; whether that is in range. mode: 'u' up, 'd' down, 'b' butterfly, 'i' index. */
static inline __attribute__((always_inline)) bool
ptx_shuffle_source(char mode, unsigned lane, unsigned b, unsigned c, unsigned *out_source)
{
    enum { ALL_LANES = 0x1f };
    unsigned segment = c >> 8 & ALL_LANES, clamp = c & ALL_LANES;
    unsigned shift = b & ALL_LANES, low = lane & segment;
    unsigned limit = low | (clamp & ~segment);
    int source;
    switch (mode) {
    case 'u':
        source = (int)lane - (int)shift;
        break;
    case 'd':
        source = (int)(lane + shift);
        break;
    case 'b':
        source = (int)(lane ^ shift);
        break;
    default:
        source = (int)(low | (shift & ~segment));
    }
    bool in_range = mode == 'u' ? source >= (int)limit : source <= (int)limit;
    *out_source = in_range ? (unsigned)source & ALL_LANES : lane;
    return in_range;
}

/* The values of all lanes, whether they execute or not; returns a bit for each source in range. */
typedef uint32_t (*ptx_shuffle_function)(const uint32_t *a, const uint32_t *b, const uint32_t *c,
                                         uint32_t result[PTX_LANES]);

struct ptx_shuffle_functions {
    ptx_shuffle_function up, down, bfly, idx;
};
extern const struct ptx_shuffle_functions ptx_shuffle_base, ptx_shuffle_avx2, ptx_shuffle_avx512;

#endif
