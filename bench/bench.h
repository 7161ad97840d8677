/* The functions of NVIDIA's runtime that are measured, behind a table so that
 * bench.hip needs neither its headers nor its library. */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>

struct bench_cudart {
    int (*launch)(void *stream, void **arguments);
    void (*launch_chevron)(void *stream);
    int (*copy)(void *dst, const void *src, size_t size, void *stream);
    int (*record)(void *event, void *stream);
    int (*query)(void *stream);
    int (*alloc_free)(size_t size);
    int (*get_device)(int *device);
    int (*get_last_error)(void);
    /* An executable graph of that many kernels, and a launch of it. */
    void *(*graph_make)(unsigned count, int wide);
    int (*graph_launch)(void *exec, void *stream);
};

#endif
