// Checks for programs of several processes: a failed one prints what it was and ends its process.
#ifndef AH_TESTS_PROCESS_CHECK_H
#define AH_TESTS_PROCESS_CHECK_H

#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            dprintf(STDOUT_FILENO, "FAILED %s:%d, process %d: %s\n", __FILE__, __LINE__,           \
                    static_cast<int>(getpid()), #condition);                                       \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)
#define CHECK_HIP(call) CHECK_RESULT(call, hipSuccess)
#define CHECK_RESULT(call, wanted)                                                                 \
    do {                                                                                           \
        const hipError_t ah_got = (call);                                                          \
        if (ah_got != (wanted)) {                                                                  \
            dprintf(STDOUT_FILENO, "FAILED %s:%d, process %d: %s is %s\n", __FILE__, __LINE__,     \
                    static_cast<int>(getpid()), #call, hipGetErrorName(ah_got));                   \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/// Waits for a child: its exit status, or 128 and the signal that ended it, as shells have it.
inline int end_of(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#endif
