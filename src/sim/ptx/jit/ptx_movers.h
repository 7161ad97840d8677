/* Private to jit: the functions that regions call to move elements. */
#ifndef PTX_MOVERS_H
#define PTX_MOVERS_H

#include "wave.h"

/* For one instruction set of the host: their names, as the bitcode has them, and where they are. */
struct ptx_movers {
    const struct wave_symbol *symbols;
    size_t count;
};

extern const struct ptx_movers ptx_movers_base, ptx_movers_avx2, ptx_movers_avx512;

#endif
