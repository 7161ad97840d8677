/* What a process may use, and checks between processes that share memory.
 *
 * The identifier of a process differs from that of any later one with the same number. A shared
 * file is a memfd that cannot be truncated, so that accesses to mappings of it never raise SIGBUS.
 */
#ifndef AH_PROCESS_H
#define AH_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The calling process, not 0. */
uint64_t ah_process_self(void);
/* Whether it has not ended. 0 counts as alive, since it is unknown. */
bool ah_process_is_alive(uint64_t process);
/* On how many cores the calling process may run, at least 1. */
unsigned ah_process_cores(void);

/* A file of size bytes of zeros; grows: it may be made longer later. -1 with errno. */
int ah_sealed_file_create(const char *name, size_t size, bool grows);
/* Whether it is such a file, and has at least size bytes. */
bool ah_sealed_file_check(int file, uint64_t size);
/* A number that no other file has while this one is open anywhere. */
uint64_t ah_sealed_file_id(int file);
/* Opens another process's descriptor of the file with that id, which has at least size bytes.
 * -1: the process has ended, or has no such file there. */
int ah_sealed_file_open(int process, int descriptor, uint64_t id, uint64_t size);

#endif
