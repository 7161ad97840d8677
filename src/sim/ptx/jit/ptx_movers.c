/* Accesses of any addresses (ptx_wave_any.h) that regions call. Compiled once per instruction set
 * of the host (PTX_ISA_NAME), by the clang that makes the bitcode. Where there is none, nothing
 * calls them. */
#include "ptx_movers.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

#ifdef __clang__

#include "ptx_wave_any.h"

#define MOVER(name, space, size, count, writes)                                                    \
    static uint32_t name(ANY_ARGUMENTS)                                                            \
    {                                                                                              \
        DO_ANY(space, size, count, writes, true)                                                   \
    }
#define ANY(space, size, count)                                                                    \
    MOVER(load_##space##_##size##_##count, space, size, count, false)                              \
    MOVER(store_##space##_##size##_##count, space, size, count, true)
#define CALL ANY
#include "ptx_wave_any.def"

static const struct wave_symbol symbols[] = {
#define SYMBOL(name)                                                                               \
    {                                                                                              \
        "ptx_move_" #name, (void (*)(void))name                                                    \
    }
#define ANY(space, size, count)                                                                    \
    SYMBOL(load_##space##_##size##_##count), SYMBOL(store_##space##_##size##_##count),
#define CALL ANY
#include "ptx_wave_any.def"
};

const struct ptx_movers JOIN(ptx_movers_, PTX_ISA_NAME) = {symbols,
                                                           sizeof symbols / sizeof *symbols};

#else

const struct ptx_movers JOIN(ptx_movers_, PTX_ISA_NAME) = {NULL, 0};

#endif
