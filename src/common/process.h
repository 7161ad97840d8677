/* What processes that share memory may believe of one another.
 *
 * A process is named so that no later one with its number is taken for it. A file
 * that they share is a memfd that cannot be truncated, so that what is mapped
 * of it stays there: to touch it never raises SIGBUS. */
#ifndef AH_PROCESS_H
#define AH_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The calling process, not 0. */
uint64_t ah_process_self(void);
/* Whether it has not ended. 0 counts as alive, since it is unknown. */
bool ah_process_is_alive(uint64_t process);

/* A file of size bytes of zeros; grows: it may be made longer later. -1 with errno. */
int ah_sealed_file_create(const char *name, size_t size, bool grows);
/* Whether it is such a file, and has at least size bytes. */
bool ah_sealed_file_check(int file, uint64_t size);
/* What tells it from every other file while it is open anywhere. */
uint64_t ah_sealed_file_id(int file);
/* Opens another process's descriptor of the file with that id, which has at least size bytes.
 * -1: the process has ended, or has no such file there. */
int ah_sealed_file_open(int process, int descriptor, uint64_t id, uint64_t size);

#endif
