/* Accesses of any addresses (ptx_wave_any.h) as bitcode, like ptx_wave.c: two functions for each
 * space, size and count of ptx_wave_any.def. ANY is inlined as a whole. CALLED calls a function of
 * the library (ptx_movers.c), which need not be compiled with the region, and takes a little
 * longer. */
#include "ptx_wave_any.h"
#include "ptx_wave_some.h"

#if SIM_LANES_VECTOR
#define CALL_MOVER(space, size, count, name) return ptx_move_##name(ANY_VALUES);
#else
#undef DO_ANY
#define DO_ANY(space, size, count, writes)                                                         \
    (void)warp, (void)base, (void)address_size, (void)offset, (void)slots0, (void)slots1;          \
    (void)table, (void)how, (void)span, (void)form, (void)guard, (void)inverted;                   \
    return 0;
#define CALL_MOVER(space, size, count, name) DO_ANY(space, size, count, false)
#endif

#define BOTH(name, space, size, count, writes)                                                     \
    uint32_t ptx_wave_##name##_ANY(ANY_ARGUMENTS);                                                 \
    uint32_t ptx_wave_##name##_ANY(ANY_ARGUMENTS){                                                 \
        DO_ANY(space, size, count, writes)} uint32_t ptx_move_##name(ANY_ARGUMENTS);               \
    uint32_t ptx_wave_##name##_CALLED(ANY_ARGUMENTS);                                              \
    ASIDE uint32_t ptx_wave_##name##_CALLED(ANY_ARGUMENTS)                                         \
    {                                                                                              \
        CALL_MOVER(space, size, count, name)                                                       \
    }
#define ANY(space, size, count)                                                                    \
    BOTH(load_##space##_##size##_##count, space, size, count, false)                               \
    BOTH(store_##space##_##size##_##count, space, size, count, true)
#include "ptx_wave_any.def"
