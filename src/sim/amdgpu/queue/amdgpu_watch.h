/* Waiting for conditions on signals, compared whole or in part; private to queues and signals. */
#ifndef AMDGPU_WATCH_H
#define AMDGPU_WATCH_H

#include "hsa_abi.h"

#include <stddef.h>
#include <stdint.h>

/* Conditions on count signals. */
struct amdgpu_watch {
    amd_signal_t *const *signals;
    const hsa_signal_condition_t *conditions;
    const int64_t *compare;
    const int64_t *masks; /* bits of the value that are compared; NULL: all */
    size_t count;
};

/* Waits until one of the conditions is met, or until timeout_ns has passed (UINT64_MAX: no
 * timeout). Returns its index, or count after the timeout; *out_value: the signal's whole value,
 * may be NULL. */
size_t amdgpu_watch_wait(const struct amdgpu_watch *watch, uint64_t timeout_ns, int64_t *out_value);

#endif
