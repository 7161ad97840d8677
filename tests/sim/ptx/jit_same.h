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

static bool is_long __attribute__((unused));

/* Where bodies are to be of long functions, which have other functions for accesses: with an end
 * that no lane comes to. To be freed. */
static inline char *lengthen(const char *body)
{
    enum { COUNT = 260, SIZE = 24 };
    char *text = malloc(strlen(body) + 64 + COUNT * SIZE), *at = text;
    at += sprintf(at, "%s", body);
    if (is_long)
        at += sprintf(at, "setp.lt.u32 %%p7, %%r0, 4096; @%%p7 ret;\n");
    for (int i = 0; is_long && i < COUNT; i++)
        at += sprintf(at, "mov.u32 %%r31, %d;\n", i);
    return text;
}

/* A body for some threads, compiled and interpreted: words are the same, and some region was
 * compiled. */
static inline void expect_same_of(unsigned threads, const char *given, uint32_t *words,
                                  size_t count)
{
    char *body = lengthen(given);
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
    free(body);
}

static inline void expect_same(const char *body, uint32_t *words, size_t count)
{
    expect_same_of(64, body, words, count);
}

#endif
