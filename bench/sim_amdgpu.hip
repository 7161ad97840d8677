// How fast simulated AMD devices are: wave instructions per second, of loops in assembly whose
// instructions are counted where they are written (waits are not counted), in one thread of the
// host and in as many as it has. gfx90a has waves of 64 lanes, gfx1100 of 32.
//
//   bench_sim_amdgpu                    the table; each figure is taken in a process of its own
//   bench_sim_amdgpu --rate DEVICE:MIX  one figure, with the threads that ANYHIP_SIM_THREADS says
#include "sim_rate.h"

#include <hip/hip_runtime.h>

#if defined(__GFX11__)
#define ADD        "v_add_nc_u32"
#define SUB        "v_sub_nc_u32"
#define LOAD       "global_load_b32"
#define LOAD2      "global_load_b64"
#define STORE      "global_store_b32"
#define LDS_LOAD   "ds_load_b32"
#define LDS_STORE  "ds_store_b32"
#define AND_SAVE   "s_and_saveexec_b32 %[save], vcc_lo\n"
#define OTHER_SIDE "s_xor_b32 exec_lo, exec_lo, %[save]\n"
#define BOTH_SIDES "s_mov_b32 exec_lo, %[save]\n"
#define VCC        "vcc_lo"
typedef unsigned lane_mask;
#else
#define ADD        "v_add_u32"
#define SUB        "v_sub_u32"
#define LOAD       "global_load_dword"
#define LOAD2      "global_load_dwordx2"
#define STORE      "global_store_dword"
#define LDS_LOAD   "ds_read_b32"
#define LDS_STORE  "ds_write_b32"
#define AND_SAVE   "s_and_saveexec_b64 %[save], vcc\n"
#define OTHER_SIDE "s_xor_b64 exec, exec, %[save]\n"
#define BOTH_SIDES "s_mov_b64 exec, %[save]\n"
#define VCC        "vcc"
typedef unsigned long lane_mask;
#endif

#define ARITHMETIC                                                                                 \
    "v_fma_f32 %[f0], %[f0], %[f4], %[f5]\n"                                                       \
    "v_fma_f32 %[f1], %[f1], %[f4], %[f5]\n" ADD " %[r0], %[r0], %[r4]\n"                          \
    "v_fma_f32 %[f2], %[f2], %[f4], %[f5]\n"                                                       \
    "v_xor_b32 %[r1], %[r1], %[r0]\n"                                                              \
    "v_mul_f32 %[f3], %[f0], %[f4]\n"                                                              \
    "v_lshlrev_b32 %[r2], 3, %[r1]\n"                                                              \
    "v_fma_f32 %[f0], %[f0], %[f5], %[f3]\n"                                                       \
    "v_mad_u32_u24 %[r0], %[r2], %[r4], %[r1]\n"                                                   \
    "v_max_f32 %[f1], %[f1], %[f3]\n"                                                              \
    "v_and_b32 %[r3], %[r0], %[r1]\n"                                                              \
    "v_cmp_lt_i32 " VCC ", %[r3], %[r2]\n"                                                         \
    "v_cndmask_b32 %[r1], %[r1], %[r3], " VCC "\n"                                                 \
    "v_add_f32 %[f2], %[f2], %[f3]\n" SUB " %[r2], %[r2], %[r1]\n"                                 \
    "v_fma_f32 %[f3], %[f1], %[f4], %[f2]\n"

#define MEMORY                                                                                     \
    LOAD " %[f0], %[a0], off\n" LOAD " %[f1], %[a1], off\n"                                        \
         "s_waitcnt vmcnt(0)\n"                                                                    \
         "v_add_f32 %[f0], %[f0], %[f1]\n" LDS_STORE " %[s0], %[f0]\n" LDS_LOAD " %[f2], %[s0]\n"  \
         "s_waitcnt lgkmcnt(0)\n"                                                                  \
         "v_add_f32 %[f1], %[f1], %[f2]\n" STORE " %[a0], %[f1], off\n" LOAD2                      \
         " %[pair], %[a2], off\n"                                                                  \
         "s_waitcnt vmcnt(0)\n" ADD " %[r0], %[r0], %[r4]\n" STORE " %[a2], %[r0], off\n"

#define DIVERGENT                                                                                  \
    "v_and_b32 %[r3], %[n], %[lane]\n"                                                             \
    "v_cmp_eq_u32 " VCC ", 0, %[r3]\n" AND_SAVE ADD " %[r0], %[r0], %[r4]\n"                       \
    "v_fma_f32 %[f0], %[f0], %[f4], %[f5]\n"                                                       \
    "v_lshlrev_b32 %[r1], 1, %[r0]\n" OTHER_SIDE "s_cbranch_execz meet_%=\n"                       \
    "v_xor_b32 %[r1], %[r1], %[r0]\n"                                                              \
    "v_fma_f32 %[f1], %[f1], %[f4], %[f5]\n" SUB " %[r0], %[r0], %[r4]\n"                          \
    "meet_%=:\n" BOTH_SIDES ADD " %[r2], %[r2], %[r1]\n"

#define LOOP(body)                                                                                 \
    "again_%=:\n" body "s_sub_u32 %[n], %[n], 1\n"                                                 \
    "s_cmp_lg_u32 %[n], 0\n"                                                                       \
    "s_cbranch_scc1 again_%=\n"

// What all mixes have: numbers and words of the lane, and its places in memory.
#define LANE                                                                                       \
    const unsigned lane = threadIdx.x, item = (blockIdx.x * blockDim.x + lane) & 4095;             \
    float f0 = item, f1 = f0, f2 = f0, f3 = f0;                                                    \
    const float f4 = 0.9999f, f5 = 1e-3f;                                                          \
    unsigned r0 = item, r1 = 1, r2 = 2, r3 = 0;                                                    \
    const unsigned r4 = 77
#define END memory[item] = f0 + f1 + f2 + f3 + static_cast<float>(r0 + r1 + r2 + r3)

extern "C" __global__ void arithmetic(float *memory, unsigned n)
{
    LANE;
    asm volatile(LOOP(ARITHMETIC)
                 : [f0] "+v"(f0), [f1] "+v"(f1), [f2] "+v"(f2), [f3] "+v"(f3), [r0] "+v"(r0),
                   [r1] "+v"(r1), [r2] "+v"(r2), [r3] "+v"(r3), [n] "+s"(n)
                 : [f4] "v"(f4), [f5] "v"(f5), [r4] "v"(r4)
                 : "vcc", "scc");
    END;
}

extern "C" __global__ void memory(float *memory, unsigned n)
{
    __shared__ float tile[256];
    LANE;
    const float *a0 = memory + item, *a1 = memory + 8192 + item;
    const float *a2 = memory + 16384 + 2 * item;
    const auto s0 = (__attribute__((address_space(3))) float *)&tile[lane];
    unsigned long pair = 0;
    asm volatile(
        LOOP(MEMORY)
        : [f0] "+v"(f0), [f1] "+v"(f1), [f2] "+v"(f2), [r0] "+v"(r0), [pair] "+v"(pair), [n] "+s"(n)
        : [a0] "v"(a0), [a1] "v"(a1), [a2] "v"(a2), [s0] "v"(s0), [r4] "v"(r4)
        : "scc", "memory");
    r1 += static_cast<unsigned>(pair);
    END;
}

extern "C" __global__ void divergent(float *memory, unsigned n)
{
    LANE;
    lane_mask save = 0;
    asm volatile(LOOP(DIVERGENT)
                 : [f0] "+v"(f0), [f1] "+v"(f1), [r0] "+v"(r0), [r1] "+v"(r1), [r2] "+v"(r2),
                   [r3] "+v"(r3), [n] "+s"(n), [save] "+s"(save)
                 : [f4] "v"(f4), [f5] "v"(f5), [r4] "v"(r4), [lane] "v"(lane)
                 : "vcc", "scc");
    END;
}

namespace
{

// Lines that are instructions, without waits. Where both sides of a branch are taken by some
// lanes, as here, a wave executes them all.
double instructions(const char *text)
{
    double count = 0;
    for (const char *line = text; *line; line = std::strchr(line, '\n') + 1) {
        const char *end = std::strchr(line, '\n');
        count += end[-1] != ':' && std::strncmp(line, "s_waitcnt", 9) != 0;
    }
    return count;
}

struct Mix {
    const char *name;
    const void *kernel;
    const char *text;
};
const Mix mixes[] = {
    {"arithmetic", reinterpret_cast<const void *>(arithmetic), LOOP(ARITHMETIC)},
    {"memory", reinterpret_cast<const void *>(memory), LOOP(MEMORY)},
    {"divergent", reinterpret_cast<const void *>(divergent), LOOP(DIVERGENT)},
};

int print_rate(const std::string &name)
{
    const size_t colon = name.find(':');
    setenv("ANYHIP_BACKEND", ("simhsa:" + name.substr(0, colon)).c_str(), 1);
    for (const Mix &mix : mixes) {
        if (colon == std::string::npos || name.substr(colon + 1) != mix.name)
            continue;
        hipDeviceProp_t properties;
        hipFunction_t function;
        HIP_CHECK(hipGetDeviceProperties(&properties, 0));
        HIP_CHECK(hipGetFuncBySymbol(&function, mix.kernel));
        const double waves = sim_rate::blocks * sim_rate::block / properties.warpSize;
        printf("%.0f\n", waves * sim_rate::rounds_per_second(function) * instructions(mix.text));
        return 0;
    }
    fprintf(stderr, "there is no \"%s\"\n", name.c_str());
    return 2;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc == 3 && std::strcmp(argv[1], "--rate") == 0)
        return print_rate(argv[2]);
    bool good = true;
    for (const char *device : {"gfx90a", "gfx1100"}) {
        sim_rate::print_head(device);
        for (const Mix &mix : mixes) {
            const std::string name = std::string(device) + ":" + mix.name;
            good =
                sim_rate::print_row(name.c_str(), std::strcmp(device, "gfx90a") == 0 ? 64 : 32) &&
                good;
        }
    }
    return good ? 0 : 1;
}
