/* Runs programs with arguments written as one text, for tests whose programs have many. */
#ifndef AH_TEST_CHILD_H
#define AH_TEST_CHILD_H

#include "support.h"

#include <string.h>

enum { AH_CHILD_ARGS_MAX = 16 };

/* The arguments are separated by blanks. */
static inline struct ah_test_run ah_child_run(const char *program, const char *arguments)
{
    const char *argv[AH_CHILD_ARGS_MAX + 2] = {program};
    char *copy = ah_test_print("%s", arguments), *rest = NULL;
    int count = 1;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        assert_true(count <= AH_CHILD_ARGS_MAX);
        argv[count++] = word;
    }
    return ah_test_execute(argv);
}

/* The same; it succeeds and has nothing to say. */
static inline void ah_child_run_well(const char *program, const char *arguments)
{
    struct ah_test_run done = ah_child_run(program, arguments);
    assert_string_equal(done.err, "");
    assert_int_equal(done.status, 0);
}

#endif
