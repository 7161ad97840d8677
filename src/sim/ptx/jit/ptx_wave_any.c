/* Accesses of any addresses (ptx_wave_any.h) as bitcode, like ptx_wave.c: two functions for each
 * space, size and count of ptx_wave_any.def. ANY is inlined as a whole; not all have it.
 * CALLED calls a function of the library (ptx_movers.c), which need not be compiled with the
 * region, and takes a little longer. */
#include "ptx_wave_any.h"
#include "ptx_wave_some.h"

#define ANY_FUNCTION(name) uint32_t name(ANY_ARGUMENTS)

#define INLINED(name, space, size, count, writes)                                                  \
    ANY_FUNCTION(ptx_wave_##name##_ANY);                                                           \
    ANY_FUNCTION(ptx_wave_##name##_ANY)                                                            \
    {                                                                                              \
        DO_ANY(space, size, count, writes, false)                                                  \
    }
#define CALLED(name)                                                                               \
    ANY_FUNCTION(ptx_move_##name);                                                                 \
    ANY_FUNCTION(ptx_wave_##name##_CALLED);                                                        \
    ASIDE ANY_FUNCTION(ptx_wave_##name##_CALLED)                                                   \
    {                                                                                              \
        return ptx_move_##name(ANY_VALUES);                                                        \
    }
#define CALL(space, size, count)                                                                   \
    CALLED(load_##space##_##size##_##count)                                                        \
    CALLED(store_##space##_##size##_##count)
#define ANY(space, size, count)                                                                    \
    INLINED(load_##space##_##size##_##count, space, size, count, false)                            \
    INLINED(store_##space##_##size##_##count, space, size, count, true)                            \
    CALL(space, size, count)
#include "ptx_wave_any.def"
