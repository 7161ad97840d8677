/* Short kernels: a body in a kernel k with registers prepared, and the words that it stores.
 * Include after cmocka.h. */
#ifndef TESTS_SIM_PTX_ONE_KERNEL_H
#define TESTS_SIM_PTX_ONE_KERNEL_H

#include "run.h"

/* %rd0: the parameter p; %r0: the thread's number; %rd1: p + 4 * %r0, %rd2: p + 8 * %r0. */
static inline const char *one_kernel(const char *variables, const char *body)
{
    static char text[16384];
    snprintf(text, sizeof text,
             ".version 8.6\n.target sm_90\n.address_size 64\n%s\n"
             ".visible .entry k(.param .u64 p)\n{\n"
             ".reg .pred %%p<8>;\n.reg .b16 %%rs<16>;\n.reg .b32 %%r<32>;\n.reg .b64 %%rd<32>;\n"
             ".reg .b128 %%rq<4>;\n.reg .f32 %%f<16>;\n.reg .f64 %%fd<16>;\n"
             "ld.param.u64 %%rd0, [p];\nmov.u32 %%r0, %%tid.x;\n"
             "mad.wide.u32 %%rd1, %%r0, 4, %%rd0;\nmad.wide.u32 %%rd2, %%r0, 8, %%rd0;\n"
             "%s\nret;\n}\n",
             variables, body);
    return text;
}

/* Runs body for threads threads over words, count of them; p points to them. */
static inline enum ptx_end one_run(const char *variables, const char *body, uint32_t threads,
                                   uint32_t *words, size_t count)
{
    return run_once(one_kernel(variables, body), "k", threads, words, count * sizeof *words);
}

/* The same; the kernel must succeed. */
static inline void one_body(const char *body, uint32_t threads, uint32_t *words, size_t count)
{
    assert_int_equal(one_run("", body, threads, words, count), PTX_END_OK);
}

#endif
