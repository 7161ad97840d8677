/* Owns the kernels of the test programs and how they are registered and launched. */
#include "fill_ptx.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char kernels_ptx[] = PTX_HEADER
    ".visible .global .align 4 .u32 fake_counter = 7;\n"
    ".visible .global .align 4 .b32 table[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, "
    "15, "
    "16};\n"
    ".visible .const .align 4 .u32 limit = 99;\n"
    "\n" PTX_FILL "// fake_add(out, a, b, count)\n"
    ".visible .entry fake_add(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 count)\n"
    "{\n"
    "    .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<7>;\n"
    "    ld.param.u64 %rd0, [out]; cvta.to.global.u64 %rd0, %rd0;\n"
    "    ld.param.u64 %rd1, [a]; cvta.to.global.u64 %rd1, %rd1;\n"
    "    ld.param.u64 %rd2, [b]; cvta.to.global.u64 %rd2, %rd2;\n"
    "    ld.param.u32 %r1, [count];\n"
    "    mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; or.b32 %r2, %r2, %r3;\n"
    "    setp.ne.u32 %p, %r2, 0; @%p ret;\n"
    "    mov.u32 %r4, 0;\n"
    "loop: setp.ge.u32 %p, %r4, %r1; @%p ret;\n"
    "    mul.wide.u32 %rd3, %r4, 4;\n"
    "    add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r5, [%rd4];\n"
    "    add.u64 %rd4, %rd2, %rd3; ld.global.u32 %r6, [%rd4];\n"
    "    add.u32 %r5, %r5, %r6; add.u64 %rd4, %rd0, %rd3; st.global.u32 [%rd4], %r5;\n"
    "    add.u32 %r4, %r4, 1; bra loop;\n"
    "}\n"
    "// fake_wait(flag)\n"
    ".visible .entry fake_wait(.param .u64 flag)\n"
    "{\n"
    "    .reg .pred %p; .reg .b32 %r; .reg .b64 %rd;\n"
    "    ld.param.u64 %rd, [flag]; cvta.to.global.u64 %rd, %rd;\n"
    "again: ld.volatile.global.u32 %r, [%rd]; setp.eq.u32 %p, %r, 0; @%p bra again;\n"
    "    ret;\n"
    "}\n"
    "// fake_spin(milliseconds)\n"
    ".visible .entry fake_spin(.param .u32 milliseconds)\n"
    "{\n"
    "    .reg .pred %p; .reg .b32 %r; .reg .b64 %rd<3>;\n"
    "    ld.param.u32 %r, [milliseconds]; mul.wide.u32 %rd0, %r, 1000000;\n"
    "    mov.u64 %rd1, %globaltimer; add.u64 %rd0, %rd0, %rd1;\n"
    "again: mov.u64 %rd1, %globaltimer; setp.lt.u64 %p, %rd1, %rd0; @%p bra again;\n"
    "    ret;\n"
    "}\n"
    "// fake_fault()\n"
    ".visible .entry fake_fault()\n"
    "{\n"
    "    .reg .b64 %rd;\n"
    "    mov.u64 %rd, 16; st.global.u32 [%rd], 1;\n"
    "    ret;\n"
    "}\n"
    "// fake_count(out): *out = ++fake_counter\n"
    ".visible .entry fake_count(.param .u64 out)\n"
    "{\n"
    "    .reg .b32 %r; .reg .b64 %rd;\n"
    "    ld.param.u64 %rd, [out]; cvta.to.global.u64 %rd, %rd;\n"
    "    ld.global.u32 %r, [fake_counter]; add.u32 %r, %r, 1;\n"
    "    st.global.u32 [fake_counter], %r; st.global.u32 [%rd], %r;\n"
    "    ret;\n"
    "}\n"
    "/* limits, shared memory, arguments of every size */\n"
    ".visible .entry bounded(.param .u32 unused)\n"
    ".maxntid 64, 2, 1\n"
    "{\n"
    "    ret;\n"
    "}\n"
    ".visible .entry shared(.param .u64 out)\n"
    "{\n"
    "    .shared .align 4 .b8 buffer[4096];\n"
    "    .reg .b32 %r; .reg .b64 %rd;\n"
    "    ld.param.u64 %rd, [out]; cvta.to.global.u64 %rd, %rd;\n"
    "    mov.u32 %r, %tid.x; st.shared.u32 [buffer], %r; ld.shared.u32 %r, [buffer];\n"
    "    ret;\n"
    "}\n"
    ".visible .entry structure(.param .u8 a, .param .u16 b, .param .align 8 .b8 c[24], .param .f64 "
    "d,\n"
    "    .param .u32 e)\n"
    "{\n"
    "    ret;\n"
    "}\n"
    ".visible .entry empty()\n"
    "{\n"
    "    ret;\n"
    "}\n";

const char fill_kernel = 0, add_kernel = 0, wait_kernel = 0, spin_kernel = 0, fault_kernel = 0,
           count_kernel = 0, bounded_kernel = 0, shared_kernel = 0, struct_kernel = 0,
           empty_kernel = 0;
char counter_variable, table_variable, constant_variable;

static const struct {
    const char *host, *name;
} kernels[] = {
    {&fill_kernel, "fake_fill"},  {&add_kernel, "fake_add"},     {&wait_kernel, "fake_wait"},
    {&spin_kernel, "fake_spin"},  {&fault_kernel, "fake_fault"}, {&count_kernel, "fake_count"},
    {&bounded_kernel, "bounded"}, {&shared_kernel, "shared"},    {&struct_kernel, "structure"},
    {&empty_kernel, "empty"},
};

struct wrapper wrap_image(const void *image)
{
    return (struct wrapper){0x48495046, 1, image, NULL};
}

/* ---- images ------------------------------------------------------------------------------ */

#define CODE_OBJECT(name, file)                                                                    \
    extern const char name[], name##_end[];                                                        \
    __asm__(".pushsection .rodata\n.balign 4096\n" #name ": .incbin \"" file "\"\n" #name          \
            "_end:\n"                                                                              \
            ".popsection\n")
CODE_OBJECT(code_gfx90a, KERNELS_GFX90A);
CODE_OBJECT(code_gfx1100, KERNELS_GFX1100);

static void *bundle;
static size_t bundle_size;

__attribute__((destructor)) static void free_bundle(void)
{
    free(bundle);
}

static void have_bundle(void)
{
    const struct entry entries[] = {
        {"hipv4-amdgcn-amd-amdhsa--gfx90a", code_gfx90a, (size_t)(code_gfx90a_end - code_gfx90a)},
        {"hipv4-amdgcn-amd-amdhsa--gfx1100", code_gfx1100,
         (size_t)(code_gfx1100_end - code_gfx1100)},
        {"hip-nvptx64-nvidia-cuda--sm_70", kernels_ptx, strlen(kernels_ptx)},
    };
    if (!bundle)
        bundle = make_bundle(entries, over_both() ? 3 : 2, &bundle_size);
}

const void *kernels_image(void)
{
    if (!over_hsa() && !over_both())
        return kernels_ptx;
    have_bundle();
    return bundle;
}

size_t kernels_image_size(void)
{
    if (over_hsa())
        have_bundle();
    return over_hsa() ? bundle_size : sizeof kernels_ptx;
}

/* ---- registration ------------------------------------------------------------------------ */

static struct wrapper wrapper;
static void **handle;

void register_kernels(void)
{
    wrapper = wrap_image(kernels_image());
    handle = __hipRegisterFatBinary(&wrapper);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        __hipRegisterFunction(handle, kernels[i].host, (char *)(uintptr_t)kernels[i].name,
                              kernels[i].name, 0xffffffffu, NULL, NULL, NULL, NULL, NULL);
    static const struct {
        char *host;
        const char *name;
        size_t size;
        int constant;
    } variables[] = {{&counter_variable, "fake_counter", 4, 0},
                     {&table_variable, "table", 64, 0},
                     {&constant_variable, "limit", 4, 1}};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        __hipRegisterVar(handle, variables[i].host, (char *)(uintptr_t)variables[i].name,
                         (char *)(uintptr_t)variables[i].name, 0, variables[i].size,
                         variables[i].constant, 0);
}

int load_kernels(void)
{
    int devices = 0;
    if (!handle || hipGetDeviceCount(&devices) != hipSuccess)
        return 0;
    for (int i = devices - 1; i >= 0; i--) {
        if (hipSetDevice(i) != hipSuccess ||
            hipLaunchKernel(&empty_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL) !=
                hipSuccess ||
            hipDeviceSynchronize() != hipSuccess)
            return -1;
    }
    return 0;
}

int start_kernels(void **state)
{
    (void)state;
    register_kernels();
    return load_kernels();
}

int unregister_kernels(void)
{
    int devices = 0;
    __hipUnregisterFatBinary(handle);
    handle = NULL;
    (void)hipGetDeviceCount(&devices);
    for (int i = 0; i < devices; i++)
        if (hipSetDevice(i) != hipSuccess || hipDeviceReset() != hipSuccess)
            return -1;
    return 0;
}

int end_kernels(void **state)
{
    (void)state;
    return unregister_kernels() == 0 && nothing_is_left() ? 0 : -1;
}

hipError_t launch_fill(uint32_t *out, uint32_t value, uint32_t count, hipStream_t stream)
{
    void *args[] = {&out, &value, &count};
    return hipLaunchKernel(&fill_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, stream);
}

hipError_t launch_wait(const uint32_t *flag, hipStream_t stream)
{
    void *args[] = {&flag};
    return hipLaunchKernel(&wait_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, stream);
}

hipError_t launch_fault(hipStream_t stream)
{
    return hipLaunchKernel(&fault_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, stream);
}

struct gate close_gate(hipStream_t stream)
{
    struct gate gate;
    ok(hipHostMalloc((void **)&gate.flag, sizeof *gate.flag, hipHostMallocDefault));
    *gate.flag = 0;
    ok(launch_wait(gate.flag, stream));
    return gate;
}

void open_gate(struct gate *gate)
{
    __atomic_store_n(gate->flag, 1, __ATOMIC_RELEASE);
}

void free_gate(struct gate *gate)
{
    ok(hipHostFree(gate->flag));
}
