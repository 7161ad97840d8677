/* Tests of compiled regions by random programs, each of which a number makes. RANDOM_FIRST,
 * RANDOM_COUNT and RANDOM_LENGTH (environment) say which programs are tried, and how long they are.
 * Include after cmocka.h. */
#ifndef TESTS_SIM_JIT_RANDOM_H
#define TESTS_SIM_JIT_RANDOM_H

#include "jit.h"
#include "random_state.h"

#include <stdio.h>
#include <stdlib.h>

static inline unsigned jit_random_setting(const char *variable, unsigned otherwise)
{
    const char *text = getenv(variable);
    return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

struct jit_random {
    const char *what;       /* "kernels" */
    unsigned count, length; /* unless the environment says otherwise */
    /* False: the program does not do the same compiled, which was printed. */
    bool (*try)(unsigned which, unsigned length);
};

/* Fails the test if a program differs, or if hardly any was compiled. */
static inline void jit_random_run(const struct jit_random *random)
{
    unsigned first = jit_random_setting("RANDOM_FIRST", 1), failed = 0;
    unsigned count = jit_random_setting("RANDOM_COUNT", random->count);
    unsigned length = jit_random_setting("RANDOM_LENGTH", random->length);
    struct jit_statistics before, after;
    jit_statistics_get(&before);
    for (unsigned i = 0; i < count; i++)
        failed += !random->try(first + i, length);
    jit_statistics_get(&after);
    print_message("%u %s, %llu regions compiled in %.1f s, %u differ\n", count, random->what,
                  (unsigned long long)(after.compiled - before.compiled),
                  (double)(after.nanoseconds - before.nanoseconds) / 1e9, failed);
    assert_int_equal(failed, 0);
    assert_true(after.compiled - before.compiled > count / 2);
}

#endif
