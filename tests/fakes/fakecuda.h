/* What tests say to the fake CUDA driver, and what it tells them.
 *
 * libfakecuda.so is the simulated driver with a script: it fails, waits and counts as a
 * test tells it to. It is reached like any driver, by its path.
 *
 * Read when cuInit is called (libfakesimcuda.so, the same driver under another
 * name, reads FAKESIMCUDA_* instead):
 *   FAKECUDA_DEVICES    compute capabilities, "80,90" (default "80"), "" for none
 *   FAKECUDA_VERSION    what cuDriverGetVersion says (13000)
 *   FAKECUDA_PEERS      0: no device can reach another
 *   FAKECUDA_FAULTS     "cuMemAlloc_v2:3:2,...": as fakecuda_fail
 *   FAKECUDA_REPORT     a file that gets fakecuda_report's text at exit
 *   CUDA_VISIBLE_DEVICES  as NVIDIA's driver reads it */
#ifndef FAKECUDA_H
#define FAKECUDA_H

#include "cuda_abi.h"

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(default)

/* ---- faults ---------------------------------------------------------------- */

/* The nth call from now (1: the next one) of the exported function returns
 * result and does nothing; nth 0: every call until fakecuda_clear_faults. */
void fakecuda_fail(const char *function, unsigned nth, int result);
void fakecuda_clear_faults(void);

/* Puts the device's context into the state after a kernel that failed: calls
 * return result until the context is reset. 0 heals it. */
void fakecuda_break(int device, int result);

/* From now on every call returns CUDA_ERROR_DEINITIALIZED, as at exit. */
void fakecuda_deinitialise(void);

/* Holds all queues: what is enqueued starts when they are let go. */
void fakecuda_hold(bool hold);

/* ---- what happened ---------------------------------------------------------- */

/* Calls of an exported function so far, failed ones included. */
unsigned fakecuda_calls(const char *function);

struct fakecuda_launch {
    char kernel[128];
    unsigned grid[3], block[3], shared;
    bool cooperative;
    CUstream stream; /* as it was given */
    int device;
    size_t argument_size;
    unsigned char arguments[512];
};

/* Launches since the last fakecuda_forget, in the order of the calls. */
size_t fakecuda_launches(void);
bool fakecuda_launch_at(size_t index, struct fakecuda_launch *out);

/* What a correct program never does: a handle that is not live, a call from a
 * callback, a free in the wrong place. Each is a line of text. */
size_t fakecuda_violations(void);
const char *fakecuda_violation_at(size_t index);

/* Forgets launches and violations. */
void fakecuda_forget(void);

/* What is there and would have to be freed. */
struct fakecuda_counts {
    unsigned contexts;    /* primary contexts in use */
    unsigned allocations; /* of device memory, of any kind */
    unsigned pinned, registered, managed;
    unsigned streams, events, modules, arrays, pools; /* without default streams and pools */
    unsigned physical, reservations, mappings;
};
void fakecuda_count(struct fakecuda_counts *out);

/* The same as text, one line for each kind of which something is left, ""
 * without any. Valid until the next call. */
const char *fakecuda_report(void);

/* Whether the calling thread is inside a function of the driver. */
bool fakecuda_inside(void);

#pragma GCC visibility pop

#endif
