/* The calls of the library to the C library that can fail beside allocations: files, folders,
 * processes, formatted text. They are counted with fault_memory.h's and fail with them, in the way
 * that the system's do: what fails has changed nothing, but for fclose, which closes, and waitpid,
 * where somebody else has taken the child. */
#ifndef FAULT_CALLS_H
#define FAULT_CALLS_H

/* The function that failed last, "" where it allocates. */
const char *fault_calls_name(void);

#endif
