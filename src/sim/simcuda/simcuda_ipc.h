/* How one process names what another may open. */
#ifndef SIMCUDA_IPC_H
#define SIMCUDA_IPC_H

#include <stddef.h>

/* A file of the process that made the handle. */
struct simcuda_shared_file {
    char mark[16]; /* what it is for */
    int pid, file;
};

/* Opens it, when it is there and has at least size bytes; else -1. */
int simcuda_shared_file_open(const struct simcuda_shared_file *shared, size_t size);

#endif
