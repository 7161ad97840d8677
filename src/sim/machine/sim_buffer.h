/* Files that represent memory of simulated devices, for other processes and drivers: what dma-bufs
 * and opaque file descriptors of memory are here.
 *
 * Such a file is sealed, and its last page describes it. Before that page is the memory itself, if
 * it was allocated in a file of its own. Memory that lies elsewhere is in one file of the process
 * that allocated it, and the page refers to that: it can be opened as long as the process has it. A
 * sealed file of whole pages without such a description is memory too: physical memory that
 * simulated CUDA and HSA drivers export. */
#ifndef SIM_BUFFER_H
#define SIM_BUFFER_H

#include "sim_memory.h"

/* The memory that a file represents. */
struct sim_buffer {
    int file; /* the file that contains it, which the caller closes */
    uint64_t offset, size;
    uint32_t node; /* 0: the host's, or unknown; else the device's number in its process, plus 1 */
};

/* Writes the description of the size bytes before the last page of file. */
bool sim_buffer_describe(int file, uint64_t size, uint32_t node);
/* A new file that refers to size bytes, from start on, of memory that this process shares. -1 with
 * errno. */
int sim_buffer_refer(const struct sim_shared *shared, uint64_t start, uint64_t size, uint32_t node);

/* Opens the memory of a file with a description. False: it has none, or the process that has the
 * memory has ended. */
bool sim_buffer_open(int file, struct sim_buffer *out);
/* The same, also for a file without a description. */
bool sim_buffer_open_any(int file, struct sim_buffer *out);

#endif
