/* Short kernels compiled and interpreted. Include after cmocka.h. */
#ifndef TESTS_SIM_PTX_JIT_SAME_H
#define TESTS_SIM_PTX_JIT_SAME_H

#include "jit.h"
#include "one_kernel.h"
#include "ptx_jit.h"

static inline struct jit_statistics statistics(void)
{
    struct jit_statistics now;
    jit_statistics_get(&now);
    return now;
}

static inline uint64_t compiled(void)
{
    return statistics().compiled;
}

/* A body for some threads, compiled and interpreted: words are the same, and some region was
 * compiled. */
static inline void expect_same_of(unsigned threads, const char *body, uint32_t *words, size_t count)
{
    uint32_t *expected = calloc(count, sizeof *expected);
    memcpy(expected, words, count * sizeof *words);
    ptx_jit_suspend(true);
    one_body(body, threads, expected, count);
    ptx_jit_suspend(false);
    uint64_t before = compiled();
    one_body(body, threads, words, count);
    assert_true(compiled() > before);
    assert_memory_equal(expected, words, count * sizeof *words);
    free(expected);
}

static inline void expect_same(const char *body, uint32_t *words, size_t count)
{
    expect_same_of(64, body, words, count);
}

#endif
