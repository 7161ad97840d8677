/* The fake CUDA driver: fake.h says what a fake driver is.
 *
 * Read when cuInit is called (libfakesimcuda.so, the same driver under another name for processes
 * that use two, reads FAKESIMCUDA_* instead):
 *   FAKECUDA_DEVICES    compute capabilities, "80,90" (default "80"), "" for none
 *   FAKECUDA_VERSION    what cuDriverGetVersion says (13000)
 *   FAKECUDA_HOST_THREAD  1: host functions and callbacks of all streams run one at a time, as
 *                       in a driver that has one thread for them
 *   CUDA_VISIBLE_DEVICES  as NVIDIA's driver reads it */
#ifndef FAKECUDA_H
#define FAKECUDA_H

#include "cuda_abi.h"
#include "fake.h"

#pragma GCC visibility push(default)

/* For tests of either vendor. */
const struct fake *fakecuda(void);

/* ---- faults ---------------------------------------------------------------- */

/* The nth call from now (1: the next one) of the exported function returns
 * result and does nothing; nth 0: every call until fakecuda_clear_faults. */
void fakecuda_fail(const char *function, unsigned nth, int result);
void fakecuda_clear_faults(void);

/* Calls hook(data), once, at the beginning of the next call of the exported function, on the
 * thread that calls it. The hook may call HIP. NULL: no hook. */
void fakecuda_hook(const char *function, void (*hook)(void *data), void *data);

/* Puts the device's context into the state after a kernel that failed: calls
 * return result until the context is reset. 0 heals it. */
void fakecuda_break(int device, int result);

/* From now on every call returns CUDA_ERROR_DEINITIALIZED, as at exit. */
void fakecuda_deinitialise(void);

/* An import that is refused closes the file descriptor, as NVIDIA's driver does. */
void fakecuda_close_files(bool close);

/* Holds all queues: what is enqueued starts when they are let go. */
void fakecuda_hold(bool hold);

/* ---- what happened ---------------------------------------------------------- */

/* Calls of an exported function so far, failed ones included. */
unsigned fakecuda_calls(const char *function);

/* Launches since the last fakecuda_forget, in the order of the calls. */
size_t fakecuda_launches(void);
bool fakecuda_launch_at(size_t index, struct fake_launch *out);

/* What a correct program never does: a handle that is not live, a call from a
 * callback, a free in the wrong place. Each is a line of text. */
size_t fakecuda_violations(void);
const char *fakecuda_violation_at(size_t index);

/* Forgets launches and violations. */
void fakecuda_forget(void);

/* What is there and would have to be freed:
 *   contexts     primary contexts in use
 *   allocations  of device memory, of any kind
 *   streams, pools  without default ones */
#define FAKECUDA_COUNTS(COUNT)                                                                     \
    COUNT(contexts)                                                                                \
    COUNT(allocations)                                                                             \
    COUNT(pinned)                                                                                  \
    COUNT(registered)                                                                              \
    COUNT(managed)                                                                                 \
    COUNT(streams)                                                                                 \
    COUNT(events)                                                                                  \
    COUNT(modules)                                                                                 \
    COUNT(links)                                                                                   \
    COUNT(arrays)                                                                                  \
    COUNT(pools)                                                                                   \
    COUNT(physical)                                                                                \
    COUNT(reservations)                                                                            \
    COUNT(mappings)                                                                                \
    COUNT(graphs)                                                                                  \
    COUNT(executable_graphs)                                                                       \
    COUNT(external_memories)                                                                       \
    COUNT(semaphores)
struct fakecuda_counts {
#define COUNT(field) unsigned field;
    FAKECUDA_COUNTS(COUNT)
#undef COUNT
};
void fakecuda_count(struct fakecuda_counts *out);

/* The same as text, one line for each kind of which something is left, ""
 * without any. Valid until the next call. */
const char *fakecuda_report(void);

/* For the end of a group of tests: prints the report and the violations. Returns -1 if there are
 * any, else 0. */
int fakecuda_finish(void);

/* Whether the calling thread is inside a function of the driver. */
bool fakecuda_inside(void);

#pragma GCC visibility pop

#endif
