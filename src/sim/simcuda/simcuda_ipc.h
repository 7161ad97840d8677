/* How one process names what another may open: only files that no process can shorten
 * (process.h), since a process that maps one relies on its size. */
#ifndef SIMCUDA_IPC_H
#define SIMCUDA_IPC_H

#include <stddef.h>
#include <stdint.h>

/* A file of the process that made the handle. */
struct simcuda_shared_file {
    char mark[8]; /* what it is for */
    int pid, file;
    uint64_t id; /* of the file: the descriptor may be another one's by now */
};

/* Opens it, when its process has not ended and it has at least size bytes; else -1. */
int simcuda_shared_file_open(const struct simcuda_shared_file *shared, size_t size);

#endif
