/* The fake CUPTI: the functions of NVIDIA's library for profilers that this project uses, for the
 * work of the fake CUDA driver, in whose file they are. Times are those of the simulated devices'
 * threads. What a caller does wrong is a violation of the driver's script. */
#ifndef FAKECUPTI_H
#define FAKECUPTI_H

#include "cupti_abi.h"

#include <stdbool.h>

#pragma GCC visibility push(default)

/* The nth call from now (1: the next one) of the function returns result and does nothing; nth 0:
 * every call until fakecupti_reset. */
void fakecupti_fail(const char *function, unsigned nth, int result);
/* Another program is the subscriber. */
void fakecupti_take(bool taken);
/* Records of devices come before those that say what they belong to. */
void fakecupti_reverse(bool reverse);
/* The next records of devices have no times. */
void fakecupti_no_times(unsigned count);
/* A buffer has at most that many records, and none is completed before all are full; 0: as usual.
 */
void fakecupti_hold(unsigned most);
/* As after the beginning. Nothing may be subscribed. */
void fakecupti_reset(void);
/* Forgets the external ids that the calling thread has pushed and not popped. */
void fakecupti_clear_ids(void);
/* Of which version it is: 130001, CUDA 13.0, until the next fakecupti_reset. */
void fakecupti_version(unsigned version);
/* How often it has left the driver. */
unsigned fakecupti_finalized(void);
/* Kinds of records that are enabled. */
unsigned fakecupti_enabled(void);
/* Buffers that were requested and not completed, since the beginning. */
unsigned fakecupti_buffers(void);

#pragma GCC visibility pop

/* For fakecuda.c: the beginning, and each call of the driver. */
void fakecupti_open(void);
void fakecupti_call(const char *name);

#endif
