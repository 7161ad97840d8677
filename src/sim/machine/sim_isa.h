/* Which instruction set of the host simulated arithmetic uses, of those that it is compiled
 * for. */
#ifndef SIM_ISA_H
#define SIM_ISA_H

#include <stdbool.h>

enum sim_isa { SIM_ISA_BASE, SIM_ISA_AVX2, SIM_ISA_AVX512, SIM_ISA_COUNT };

/* How many of them are compiled, from the first on (cmake/AnyHIPSim.cmake), and a row of each. */
#if !defined(SIM_ISAS_COMPILED)
#define SIM_ISAS_COMPILED 1
#endif
#if SIM_ISAS_COMPILED == 1
#define SIM_ISAS(ROW) ROW(BASE, base)
#elif SIM_ISAS_COMPILED == 2
#define SIM_ISAS(ROW) ROW(BASE, base) ROW(AVX2, avx2)
#else
#define SIM_ISAS(ROW) ROW(BASE, base) ROW(AVX2, avx2) ROW(AVX512, avx512)
#endif

/* Whether an instruction set is compiled, and the host has it. */
static inline bool sim_isa_has(enum sim_isa isa)
{
    if (isa == SIM_ISA_BASE || isa >= SIM_ISAS_COMPILED)
        return isa == SIM_ISA_BASE;
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

/* The set that is used: the best, unless ANYHIP_SIM_ISA selects a slower one. Chosen at the first
 * call, the same ever after; may be called by any thread. */
enum sim_isa sim_isa(void);

#endif
