/* What copies and fills of every shape share. */
#ifndef SIMCUDA_COPY_H
#define SIMCUDA_COPY_H

#include "simcuda_driver.h"

/* Rows of bytes: linear memory or an array. */
struct simcuda_end {
    unsigned char *view;
    size_t row, slice;           /* bytes from row to row, from slice to slice */
    uint64_t memory;             /* id of the allocation, 0: none */
    uint64_t base;               /* of the allocation */
    uint64_t address;            /* of view, as devices have it; 0: the host's or an array's */
    struct simcuda_array *array; /* retained */
    size_t x, y, z; /* where the end begins in a sparse array, whose tiles view is of */
    bool pageable;
};

/* Whether the memory that existed when the work was enqueued still exists. */
bool simcuda_end_is_there(const struct simcuda_end *end);
/* Marks what was written, while writes are tracked. */
void simcuda_end_wrote(const struct simcuda_end *end, size_t width, size_t height, size_t depth);
/* size bytes of linear memory; the rows are the caller's to set. */
CUresult simcuda_end_linear(struct simcuda_end *end, const struct simcuda_context *context,
                            uint64_t address, size_t size, bool write);

struct simcuda_copy {
    struct simcuda_op op;
    struct simcuda_end dst, src;
    size_t width, height, depth;
    void *staging; /* what was read of a pageable source, owned */
};
/* Makes the operation; what request holds is its own in any case. NULL: out of memory. */
struct simcuda_copy *simcuda_copy_new(const struct simcuda_copy *request);
/* Enqueues a copy of request, and waits where the host's memory demands it. */
CUresult simcuda_copy_push(struct simcuda_stream *stream, const struct simcuda_copy *request);
void simcuda_copy_fini(struct simcuda_op *op);

#endif
