// How fast simulated devices are: warp instructions per second, of loops in PTX whose instructions
// are counted where they are written, in one thread of the host and in as many as it has.
//
//   bench_sim                the table; each figure is taken in a process of its own
//   bench_sim --rate MIX     the figure of one mix with the threads that ANYHIP_SIM_THREADS says
//
// It runs on whatever device is chosen; ANYHIP_BACKEND is simcuda unless it is set.
#include "sim_rate.h"

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

const unsigned warps = sim_rate::blocks * sim_rate::block / 32;

// Warp instructions per second.
double rate(const Mix &mix)
{
    const std::string text = std::string(head) + mix.body + "\n" + loop_end + tail;
    hipModule_t module;
    hipFunction_t function;
    HIP_CHECK(hipModuleLoadData(&module, text.c_str()));
    HIP_CHECK(hipModuleGetFunction(&function, module, "mix"));
    const double rounds = sim_rate::rounds_per_second(function);
    HIP_CHECK(hipModuleUnload(module));
    return warps * rounds * (instructions(mix.body) + instructions(loop_end));
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
    sim_rate::print_head("mix");
    bool good = true;
    for (const Mix &mix : mixes)
        good = sim_rate::print_row(mix.name, 32) && good;
    return good ? 0 : 1;
}
