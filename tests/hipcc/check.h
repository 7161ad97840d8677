/* The few lines a unit test of the compile driver needs: CHECK counts and names
 * what failed, RUN names the test. */
#ifndef AH_HIPCC_CHECK_H
#define AH_HIPCC_CHECK_H

#include <stdio.h>
#include <string.h>

static int check_failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, __func__, #condition);          \
            check_failures++;                                                                      \
        }                                                                                          \
    } while (0)

#define CHECK_TEXT(got, want)                                                                      \
    do {                                                                                           \
        const char *got_ = (got), *want_ = (want);                                                 \
        if (!got_ || strcmp(got_, want_)) {                                                        \
            fprintf(stderr, "%s:%d: %s: got «%s», want «%s»\n", __FILE__, __LINE__, __func__,      \
                    got_ ? got_ : "(null)", want_);                                                \
            check_failures++;                                                                      \
        }                                                                                          \
    } while (0)

#define RUN(test)                                                                                  \
    do {                                                                                           \
        int before_ = check_failures;                                                              \
        test();                                                                                    \
        printf("%s %s\n", check_failures == before_ ? "ok  " : "FAIL", #test);                     \
    } while (0)

#endif
