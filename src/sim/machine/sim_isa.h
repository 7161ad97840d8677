/* Which instruction set of the host simulated arithmetic uses, of those that it is compiled
 * for. Chosen once per table of handlers. */
#ifndef SIM_ISA_H
#define SIM_ISA_H

#include "log.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum sim_isa { SIM_ISA_BASE, SIM_ISA_AVX2, SIM_ISA_AVX512, SIM_ISA_COUNT };

/* Whether the host can run what is compiled for an instruction set. */
static inline bool sim_isa_has(enum sim_isa isa)
{
    if (isa == SIM_ISA_BASE)
        return true;
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
    if (isa == SIM_ISA_AVX2)
        return avx2;
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

/* The best up to limit, unless ANYHIP_SIM_ISA asks for a slower one. */
static inline enum sim_isa sim_isa_choose(enum sim_isa limit)
{
    static const char *const names[SIM_ISA_COUNT] = {"base", "avx2", "avx512"};
    const char *wanted = getenv("ANYHIP_SIM_ISA");
    enum sim_isa best = limit;
    while (best > SIM_ISA_BASE && !sim_isa_has(best))
        best--;
    if (!wanted || !*wanted)
        return best;
    for (enum sim_isa isa = SIM_ISA_BASE; isa <= best; ++isa)
        if (strcmp(wanted, names[isa]) == 0)
            return isa;
    AH_LOG_WARN("ANYHIP_SIM_ISA=%s: this machine has no such instruction set, using %s", wanted,
                names[best]);
    return best;
}

#endif
