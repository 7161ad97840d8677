/* The addresses of a warp's lanes as vectors of eight, and what accesses of compiled regions do
 * with them (ptx_wave_any.c), on hosts that have it. Included by ptx_wave_any.c only; everything is
 * static. */
#ifndef PTX_WAVE_EIGHTS_H
#define PTX_WAVE_EIGHTS_H

#include "ptx_access_lanes.h"
#include "ptx_exec.h"
#include "ptx_wave_access.h"

#define UNROLLED      _Pragma("clang loop unroll(full)")
#define EACH_EIGHT(i) UNROLLED for (unsigned i = 0; i < PTX_LANES / 8; i++)

struct any {
    enum ptx_space space;
    unsigned size, count, width; /* width: bytes of an element in a slot */
    bool write, sign, kept;
    u32 mask;
    u32 slots[4];
};

struct window {
    u64 start, last; /* addresses of an access's first byte, of which the last one is relative */
    unsigned char *where;
    bool crosswise; /* it is the lanes' local memory */
    u32 mask;       /* lanes that access it */
};

#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define PTX_HAS_EIGHTS 1
#include "ptx_wave_eights_avx512.h"
#elif defined(__AVX2__)
#define PTX_HAS_EIGHTS 1
#include "ptx_wave_eights_avx2.h"
#else
#define PTX_HAS_EIGHTS 0
#endif

#endif
