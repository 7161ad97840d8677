/* The fake HSA runtime: fake.h says what a fake driver is.
 *
 * Read when hsa_init is called:
 *   FAKEHSA_DEVICES    models, "gfx90a,gfx1100" (default "gfx90a"), "" for none
 *   FAKEHSA_QUEUE_PACKETS  the most packets that a queue can have
 *   ROCR_VISIBLE_DEVICES  as AMD's runtime reads it
 *
 * Beside the exported functions that return a status, these can fail, which is seen later:
 *   "dispatch"   a queue has taken a kernel: the queue stops with the status, which its callback
 *                gets, and completion signals stay as they are. With
 *                HSA_STATUS_ERROR_MEMORY_FAULT handlers of system events are told first.
 *   "copy"       an asynchronous copy, when it begins: its completion signal becomes negative */
#ifndef FAKEHSA_H
#define FAKEHSA_H

#include "fake.h"

#pragma GCC visibility push(default)

/* For tests of either vendor. */
const struct fake *fakehsa(void);

/* ---- faults ---------------------------------------------------------------- */

/* The nth call from now (1: the next one) of the function returns status and does nothing; nth 0:
 * every call until fakehsa_clear_faults. */
void fakehsa_fail(const char *function, unsigned nth, int status);
void fakehsa_clear_faults(void);

/* Stops all queues of a device with status, as "dispatch" does. */
void fakehsa_break(int device, int status);
/* The same for one queue (the stream of a struct fake_launch). */
void fakehsa_break_queue(int device, const void *queue, int status);
/* Handlers of system events are told, on a thread of the runtime, of a memory fault of the device
 * at address; its queues go on. */
void fakehsa_memory_fault(int device, const void *address);

/* From now on every call that returns a status returns HSA_STATUS_ERROR_NOT_INITIALIZED. */
void fakehsa_deinitialise(void);

/* From now on the runtime's pools of global memory of a device (-1: of the CPU) have these flags
 * (hsa_amd_memory_pool_global_flag_t). Not before hsa_init has returned. */
void fakehsa_set_pool_flags(int device, unsigned flags);

/* The host can access the memory of devices, whose registers that flush it are these two; before
 * the first call. */
void fakehsa_use_large_bar(unsigned flush_registers[2]);

/* Holds queues and asynchronous copies: what is enqueued starts when they are let go. */
void fakehsa_hold(bool hold);

/* ---- what happened ---------------------------------------------------------- */

/* Calls of a function that returns a status so far, failed ones included. */
unsigned fakehsa_calls(const char *function);

/* Launches since the last fakehsa_forget, in the order in which queues took them. */
size_t fakehsa_launches(void);
bool fakehsa_launch_at(size_t index, struct fake_launch *out);

size_t fakehsa_violations(void);
const char *fakehsa_violation_at(size_t index);
void fakehsa_forget(void);

/* What is there and would have to be freed:
 *   signals     without the runtime's own
 *   allocations of pools; device: of a device's, host: of the CPU's
 *   locks       of the program's memory
 *   opened      memory of other processes
 *   physical    handles of hsa_amd_vmem_handle_create that are not released */
#define FAKEHSA_COUNTS(COUNT)                                                                      \
    COUNT(signals)                                                                                 \
    COUNT(queues)                                                                                  \
    COUNT(device_allocations)                                                                      \
    COUNT(host_allocations)                                                                        \
    COUNT(locks)                                                                                   \
    COUNT(opened)                                                                                  \
    COUNT(physical)                                                                                \
    COUNT(reservations)                                                                            \
    COUNT(mappings)                                                                                \
    COUNT(readers)                                                                                 \
    COUNT(executables)                                                                             \
    COUNT(images)                                                                                  \
    COUNT(samplers)
struct fakehsa_counts {
#define COUNT(field) unsigned field;
    FAKEHSA_COUNTS(COUNT)
#undef COUNT
};
void fakehsa_count(struct fakehsa_counts *out);

/* The same as text, one line for each kind of which something is left, ""
 * without any. Valid until the next call. */
const char *fakehsa_report(void);

#pragma GCC visibility pop

#endif
