// How fast simulated devices are: warp instructions per second, of loops in PTX whose instructions
// are counted where they are written, in one thread of the host and in as many as it has.
//
//   bench_sim                the table; each figure is taken in a process of its own
//   bench_sim --rate MIX     the figure of one mix with the threads that ANYHIP_SIM_THREADS says
//
// A figure is the best of several runs: what else the machine does can only make it smaller. It
// runs on whatever device is chosen; ANYHIP_BACKEND is simcuda unless it is set.
#include "../examples/check.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>

namespace
{

// A mix is the body of a loop: every instruction in it is executed once by each warp, the two
// sides of a branch each by the lanes that take it. A line is an instruction or ends with a colon.
struct Mix {
    const char *name;
    const char *body;
};

// %f are numbers of the lane, %r words, %a its place in memory, %s in shared memory.
const Mix mixes[] = {
    {"arithmetic",
     R"(fma.rn.f32 %f0, %f0, %f4, %f5;
        fma.rn.f32 %f1, %f1, %f4, %f5;
        add.s32 %r0, %r0, %r4;
        fma.rn.f32 %f2, %f2, %f4, %f5;
        xor.b32 %r1, %r1, %r0;
        mul.rn.f32 %f3, %f0, %f4;
        shl.b32 %r2, %r1, 3;
        fma.rn.f32 %f0, %f0, %f5, %f3;
        mad.lo.s32 %r0, %r2, %r4, %r1;
        max.f32 %f1, %f1, %f3;
        and.b32 %r3, %r0, %r1;
        setp.lt.s32 %p1, %r3, %r2;
        selp.b32 %r1, %r3, %r1, %p1;
        add.rn.f32 %f2, %f2, %f3;
        sub.s32 %r2, %r2, %r1;
        fma.rn.f32 %f3, %f1, %f4, %f2;)"},
    {"memory",
     R"(ld.global.f32 %f0, [%a0];
        ld.global.f32 %f1, [%a0+32768];
        add.rn.f32 %f0, %f0, %f1;
        st.shared.f32 [%s0], %f0;
        ld.shared.f32 %f2, [%s1];
        add.rn.f32 %f1, %f1, %f2;
        st.global.f32 [%a0], %f1;
        ld.global.v2.u32 {%r0, %r1}, [%a1];
        add.s32 %r0, %r0, %r1;
        st.global.u32 [%a1], %r0;)"},
    {"divergent",
     R"(and.b32 %r3, %lane, %i;
        setp.ne.s32 %p1, %r3, 0;
        @%p1 bra odd;
        add.s32 %r0, %r0, %r4;
        fma.rn.f32 %f0, %f0, %f4, %f5;
        shl.b32 %r1, %r0, 1;
        bra.uni meet;
        odd:
        xor.b32 %r1, %r1, %r0;
        fma.rn.f32 %f1, %f1, %f4, %f5;
        sub.s32 %r0, %r0, %r4;
        meet:
        add.s32 %r2, %r2, %r1;)"},
};

// What is around each mix: a loop that every warp runs as often as it is told.
const char head[] = R"(.version 6.0
.target sm_70
.address_size 64
.visible .entry mix(.param .u64 memory, .param .u32 rounds)
{
.reg .pred %p<2>;
.reg .f32 %f<6>;
.reg .b32 %r<8>;
.reg .b32 %i, %n, %lane, %s0, %s1;
.reg .b64 %a<4>;
.shared .align 4 .b32 tile[1024];
ld.param.u64 %a0, [memory];
ld.param.u32 %n, [rounds];
cvta.to.global.u64 %a0, %a0;
mov.u32 %lane, %tid.x;
mov.u32 %r5, %ctaid.x;
mov.u32 %r6, %ntid.x;
mad.lo.s32 %r7, %r5, %r6, %lane;
and.b32 %r7, %r7, 4095;
mul.wide.u32 %a2, %r7, 8;
add.s64 %a1, %a0, %a2;
add.s64 %a1, %a1, 65536;
shr.u64 %a2, %a2, 1;
add.s64 %a0, %a0, %a2;
mov.u32 %s0, tile;
shl.b32 %r5, %lane, 2;
add.s32 %s0, %s0, %r5;
mov.u32 %s1, %s0;
cvt.rn.f32.u32 %f0, %r7;
mov.f32 %f1, %f0;
mov.f32 %f2, %f0;
mov.f32 %f3, %f0;
mov.f32 %f4, 0f3F7FF972;
mov.f32 %f5, 0f3A83126F;
mov.u32 %r0, %r7;
mov.u32 %r1, 1;
mov.u32 %r2, 2;
mov.u32 %r4, 77;
mov.u32 %i, 0;
again:
)";
const char loop_end[] = R"(add.s32 %i, %i, 1;
setp.lt.u32 %p0, %i, %n;
@%p0 bra again;
)";
const char tail[] = R"(add.rn.f32 %f0, %f0, %f1;
add.rn.f32 %f2, %f2, %f3;
add.rn.f32 %f0, %f0, %f2;
st.global.f32 [%a0], %f0;
add.s32 %r0, %r0, %r1;
add.s32 %r0, %r0, %r2;
st.global.u32 [%a1], %r0;
ret;
}
)";

double instructions(const char *text)
{
    return static_cast<double>(std::count(text, text + std::strlen(text), ';'));
}

double seconds()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

const unsigned blocks = 64, block = 256, warps = blocks * block / 32;

double run_once(hipFunction_t function, void *memory, unsigned rounds)
{
    void *arguments[] = {&memory, &rounds};
    const double start = seconds();
    HIP_CHECK(
        hipModuleLaunchKernel(function, blocks, 1, 1, block, 1, 1, 0, nullptr, arguments, nullptr));
    HIP_CHECK(hipDeviceSynchronize());
    return seconds() - start;
}

// Warp instructions per second.
double rate(const Mix &mix)
{
    const std::string text = std::string(head) + mix.body + "\n" + loop_end + tail;
    hipModule_t module;
    hipFunction_t function;
    void *memory;
    HIP_CHECK(hipModuleLoadData(&module, text.c_str()));
    HIP_CHECK(hipModuleGetFunction(&function, module, "mix"));
    HIP_CHECK(hipMalloc(&memory, 1 << 17));
    HIP_CHECK(hipMemset(memory, 0, 1 << 17));
    unsigned rounds = 100;
    while (run_once(function, memory, rounds) < 0.3 && rounds < 1u << 28)
        rounds *= 2;
    double best = run_once(function, memory, rounds);
    for (int i = 0; i < 4; i++)
        best = std::min(best, run_once(function, memory, rounds));
    HIP_CHECK(hipFree(memory));
    HIP_CHECK(hipModuleUnload(module));
    return warps * (rounds * (instructions(mix.body) + instructions(loop_end))) / best;
}

// The rate of a mix in a process of its own; 0 where it could not be had.
double rate_with_threads(const char *program, const char *mix, unsigned threads)
{
    int ends[2];
    double number = 0;
    if (pipe(ends) != 0)
        return 0;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        setenv("ANYHIP_SIM_THREADS", std::to_string(threads).c_str(), 1);
        dup2(ends[1], 1);
        execl(program, program, "--rate", mix, static_cast<char *>(nullptr));
        _exit(1);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    if (!in || fscanf(in, "%lf", &number) != 1)
        number = 0;
    if (in)
        fclose(in);
    waitpid(child, nullptr, 0);
    return number;
}

int print_rate(const char *name)
{
    for (const Mix &mix : mixes) {
        if (std::strcmp(mix.name, name) != 0)
            continue;
        printf("%.0f\n", rate(mix));
        return 0;
    }
    fprintf(stderr, "there is no mix \"%s\"\n", name);
    return 2;
}

} // namespace

int main(int argc, char **argv)
{
    setenv("ANYHIP_BACKEND", "simcuda", 0);
    if (argc == 3 && std::strcmp(argv[1], "--rate") == 0)
        return print_rate(argv[2]);
    const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    printf("%-12s %22s %14s %22s %8s\n", "mix", "1 thread, M warp i/s", "M lane i/s",
           (std::to_string(threads) + " threads, M warp i/s").c_str(), "scaling");
    bool good = true;
    for (const Mix &mix : mixes) {
        const double one = rate_with_threads("/proc/self/exe", mix.name, 1);
        const double all = rate_with_threads("/proc/self/exe", mix.name, threads);
        good = good && one > 0 && all > 0;
        printf("%-12s %22.1f %14.0f %22.1f %8.2f\n", mix.name, one / 1e6, one * 32 / 1e6, all / 1e6,
               one > 0 ? all / one : 0.0);
    }
    return good ? 0 : 1;
}
