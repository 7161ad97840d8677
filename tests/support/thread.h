/* The state of another thread, for tests that wait until it waits. */
#ifndef AH_TESTS_THREAD_H
#define AH_TESTS_THREAD_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

/* Whether a thread of this process sleeps in the kernel; a thread that is merely not scheduled does
 * not, nor does one that has ended. */
static inline bool ah_test_sleeps(pid_t thread)
{
    char path[64], line[512] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)thread);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    line[fread(line, 1, sizeof line - 1, file)] = '\0';
    fclose(file);
    const char *state = strrchr(line, ')'); /* the name before it may contain anything */
    return state && state[1] == ' ' && state[2] == 'S';
}

#endif
