/* The allocations of the library, which it makes through functions that this program has instead of
 * the C library's: each can fail, and those that were not freed are counted. Other callers',
 * drivers and the C library itself among them, go through. Sanitizers have functions of their own:
 * there nothing is counted and nothing fails. */
#ifndef FAULT_MEMORY_H
#define FAULT_MEMORY_H

#include <stdbool.h>

/* The nth call from now (1: the next one) of malloc and its kin, mmap or pthread_create fails. */
void fault_memory_fail(unsigned nth);
/* Whether that call has been made. */
bool fault_memory_has_failed(void);
/* Where in the library the call is that failed, for addr2line. */
unsigned long fault_memory_where(void);
/* Calls so far that could have failed. */
unsigned fault_memory_calls(void);
/* Blocks that the library has allocated and not freed. */
long fault_memory_live(void);

/* For functions of other kinds that shall fail in the same way: whether a call from there does,
 * which counts it, and a block that it allocated. */
bool fault_memory_fails(const void *caller);
void fault_memory_add(void *block, const void *caller);

#endif
