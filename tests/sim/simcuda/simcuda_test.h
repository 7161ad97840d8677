/* Shared by the tests of the simulated driver: the library, opened as a program opens it, and
 * kernels. */
#ifndef SIMCUDA_TEST_H
#define SIMCUDA_TEST_H

#include "simcuda_abi.h"
#include "simcuda.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct {
#define SIMCUDA_SYMBOL(field, name, parameters) CUresult(*field) parameters;
#include "simcuda_symbols.def"
#undef SIMCUDA_SYMBOL
} cu;

static void *library;

/* Another library, to run the tests on it by hand. */
static inline const char *library_path(void)
{
    const char *path = getenv("SIMCUDA_TEST_LIBRARY");
    return path ? path : SIMCUDA_PATH;
}

static inline void open_library(void)
{
    library = dlopen(library_path(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(EXIT_FAILURE);
    }
#define SIMCUDA_SYMBOL(field, name, parameters) *(void **)&cu.field = dlsym(library, name);
#include "simcuda_symbols.def"
#undef SIMCUDA_SYMBOL
}

#define ok(call)               assert_int_equal(call, CUDA_SUCCESS)
#define expect(call, expected) assert_int_equal(call, expected)

/* A driver with these devices, whose first context is current. */
static inline int start_with(const char *devices)
{
    CUcontext context;
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("ANYHIP_SIM_FAULTS");
    setenv("ANYHIP_SIM_MEMORY", "1GiB", 1);
    open_library();
    return cu.anyhipSimConfigure(devices) || cu.cuInit(0) ||
           cu.cuDevicePrimaryCtxRetain(&context, 0) || cu.cuCtxSetCurrent(context);
}

/* Runs body in a process of its own, which has not opened the driver yet. */
static inline void in_a_child(void (*body)(void))
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        body();
        exit(EXIT_SUCCESS);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* A check for such processes, where cmocka's have no effect. */
#define child_check(condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

/* fill(out, value, count): every word; wait(flag): until it is not 0; spin(ms); fault();
 * envreg(out): %envreg1 and %envreg2; trap(). */
static const char kernels[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .global .u32 counter;\n"
    ".visible .global .align 8 .u32 table[4] = {1, 2, 3, 4};\n"
    ".visible .const .u32 constant = 42;\n"
    ".visible .entry fill(.param .u64 out, .param .u32 value, .param .u32 count)\n"
    "{\n"
    "    .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd<3>;\n"
    "    ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [value]; ld.param.u32 %r1, [count];\n"
    "    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "    mad.lo.u32 %r5, %r2, %r3, %r4;\n"
    "    setp.ge.u32 %p, %r5, %r1; @%p bra done;\n"
    "    mul.wide.u32 %rd1, %r5, 4; add.u64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r0;\n"
    "done: ret;\n"
    "}\n"
    ".visible .entry wait(.param .u64 flag)\n"
    "{\n"
    "    .reg .pred %p; .reg .b32 %r; .reg .b64 %rd;\n"
    "    ld.param.u64 %rd, [flag];\n"
    "again: ld.volatile.global.u32 %r, [%rd]; setp.eq.u32 %p, %r, 0; @%p bra again;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry spin(.param .u32 milliseconds)\n"
    "{\n"
    "    .reg .pred %p; .reg .b32 %r; .reg .b64 %rd<2>;\n"
    "    ld.param.u32 %r, [milliseconds]; mul.wide.u32 %rd0, %r, 1000000;\n"
    "    mov.u64 %rd1, %globaltimer; add.u64 %rd0, %rd0, %rd1;\n"
    "again: mov.u64 %rd1, %globaltimer; setp.lt.u64 %p, %rd1, %rd0; @%p bra again;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry fault()\n"
    "{\n"
    "    .reg .b64 %rd;\n"
    "    mov.u64 %rd, 16; st.global.u32 [%rd], 1;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry envreg(.param .u64 out)\n"
    "{\n"
    "    .reg .b32 %r; .reg .b64 %rd;\n"
    "    ld.param.u64 %rd, [out];\n"
    "    mov.u32 %r, %envreg1; st.global.u32 [%rd], %r;\n"
    "    mov.u32 %r, %envreg2; st.global.u32 [%rd+4], %r;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry bounded(.param .u64 out)\n"
    ".maxntid 64, 2, 1\n"
    "{\n"
    "    ret;\n"
    "}\n"
    ".visible .entry shared()\n"
    "{\n"
    "    .shared .align 4 .b8 buffer[4096];\n"
    "    .reg .b32 %r;\n"
    "    mov.u32 %r, %tid.x; st.shared.u32 [buffer], %r;\n"
    "    ret;\n"
    "}\n";

static inline CUfunction kernel(CUmodule module, const char *name)
{
    CUfunction function = NULL;
    ok(cu.cuModuleGetFunction(&function, module, name));
    return function;
}

static inline CUmodule load_kernels(void)
{
    CUmodule module = NULL;
    ok(cu.cuModuleLoadData(&module, kernels));
    return module;
}

/* One thread of a kernel with one argument of 8 bytes at most. */
static inline CUresult launch_one(CUfunction function, CUstream stream, const void *argument)
{
    void *params[] = {(void *)(uintptr_t)argument};
    return cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL);
}

static inline CUresult launch_fill(CUfunction function, CUstream stream, CUdeviceptr out,
                                   uint32_t value, uint32_t count)
{
    void *params[] = {&out, &value, &count};
    return cu.cuLaunchKernel(function, (count + 63) / 64, 1, 1, 64, 1, 1, 0, stream, params, NULL);
}

static inline CUdeviceptr allocate(size_t size)
{
    CUdeviceptr pointer = 0;
    ok(cu.cuMemAlloc(&pointer, size));
    return pointer;
}

/* Returns whether size bytes of device memory all have value. */
static inline bool all_bytes(CUdeviceptr pointer, size_t size, unsigned char value)
{
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    ok(cu.cuMemcpyDtoH(bytes, pointer, size));
    size_t same = 0;
    while (same < size && bytes[same] == value)
        same++;
    free(bytes);
    return same == size;
}

#endif
