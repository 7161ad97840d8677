/* Timers: cycles of the processor (clock, clock64), a clock of constant rate
 * (wall_clock64, whose rate is hipDeviceAttributeWallClockRate), and waiting.
 *
 * NVIDIA: %clock64; %globaltimer in nanoseconds; nanosleep. AMD: s_memtime, on gfx11 the
 * shader cycle counter, which wraps after 2^20 cycles; s_memrealtime, 100 MHz on most
 * processors; s_sleep. */
#ifndef HIP_DEVICE_CLOCK_H
#define HIP_DEVICE_CLOCK_H

#include "hip/device/prelude.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

#if defined(__NVPTX__)
__AH_FN long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
__AH_FN long long wall_clock64() { return __nvvm_read_ptx_sreg_globaltimer(); }
/* about so many nanoseconds, at most twice that and a millisecond */
__AH_YIELDING __AH_FN void __nanosleep(unsigned int nanoseconds) { __nvvm_nanosleep(nanoseconds); }
#else
__AH_FN long long clock64() { return static_cast<long long>(__builtin_readcyclecounter()); }
__AH_FN long long wall_clock64() { return static_cast<long long>(__builtin_readsteadycounter()); }
/* s_sleep counts 64 cycles, taken for 32 ns; at most a thousand rounds, about 4 ms */
__AH_YIELDING __AH_FN void __nanosleep(unsigned int nanoseconds)
{
    unsigned int rounds = nanoseconds / 4096;
    for (unsigned int i = 0; i < (rounds < 1000 ? rounds : 1000); ++i)
        __builtin_amdgcn_s_sleep(127);
    for (unsigned int i = nanoseconds % 4096 / 32; i > 0; --i)
        __builtin_amdgcn_s_sleep(1);
}
#endif
__AH_FN long clock() { return static_cast<long>(clock64()); }
__AH_FN long long __clock64() { return clock64(); }
__AH_FN long long __clock() { return clock64(); }

#undef __AH_FN
#endif
