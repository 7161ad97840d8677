/* Semaphores that processes share by a file descriptor, without a kernel driver.
 *
 * The file is a memfd that cannot shrink (F_SEAL_SHRINK) and begins with struct ah_semaphore_words.
 * Whoever writes such a file has made a semaphore; docs/interop.md has the layout for programs that
 * do. Simulated devices of both vendors take these files, and so do AMD's, where the host waits. */
#ifndef AH_SEMAPHORE_FILE_H
#define AH_SEMAPHORE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#define AH_SEMAPHORE_MARK "AnyHIPsm"

enum ah_semaphore_kind { AH_SEMAPHORE_BINARY = 1, AH_SEMAPHORE_TIMELINE = 2 };

struct ah_semaphore_words {
    char mark[8];   /* AH_SEMAPHORE_MARK, without its end */
    uint32_t kind;  /* enum ah_semaphore_kind */
    uint32_t turns; /* changes with each signal: a futex, for those who wait */
    uint64_t value; /* binary: 1 when it is signalled; timeline: its value */
};

/* A semaphore of that value as a new file. -1 with errno. */
int ah_semaphore_create(enum ah_semaphore_kind kind, uint64_t value);
/* Maps the semaphore in file, which may be closed afterwards. NULL: it is no such file. */
struct ah_semaphore_words *ah_semaphore_open(int file, enum ah_semaphore_kind kind);
void ah_semaphore_close(struct ah_semaphore_words *semaphore); /* accepts NULL */

/* Sets a timeline to value, which is greater than its value, or signals a binary semaphore, where
 * value has no meaning; wakes who waits. False: the timeline is there already, and stays. */
bool ah_semaphore_signal(struct ah_semaphore_words *semaphore, uint64_t value);
/* Waits at most that many milliseconds until a timeline has at least value, or a binary semaphore
 * is signalled, which this then unsignals: of several who wait, one returns true. */
bool ah_semaphore_wait(struct ah_semaphore_words *semaphore, uint64_t value, unsigned milliseconds);

#endif
