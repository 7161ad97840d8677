/* Owns waiting for signals on the caller's thread: one, several, groups; and the timestamps of
 * signals. */
#include "simhsa_runtime.h"

#include <stdlib.h>
#include <string.h>

/* ---- one ----------------------------------------------------------------------------------- */

static hsa_signal_value_t wait(hsa_signal_t handle, hsa_signal_condition_t condition,
                               hsa_signal_value_t compare, uint64_t timeout)
{
    int64_t value = 0;
    amd_signal_t *signal =
        condition <= HSA_SIGNAL_CONDITION_GTE ? simhsa_signal_retain(handle) : NULL;
    if (!signal) {
        simhsa_violation("a wait for 0x%llx, which is not a signal, or for an invalid condition",
                         (unsigned long long)handle.handle);
        return 0;
    }
    value = amdgpu_signal_load(signal);
    if (!amdgpu_signal_satisfies(value, condition, compare)) {
        simhsa_queue_wait_for(handle);
        amdgpu_signal_wait(&signal, &condition, &compare, 1, timeout, &value);
    }
    simhsa_signal_release(signal);
    return value;
}

hsa_signal_value_t hsa_signal_wait_relaxed(hsa_signal_t signal, hsa_signal_condition_t condition,
                                           hsa_signal_value_t compare_value, uint64_t timeout_hint,
                                           hsa_wait_state_t wait_state_hint)
{
    (void)wait_state_hint;
    return wait(signal, condition, compare_value, timeout_hint);
}

hsa_signal_value_t hsa_signal_wait_acquire(hsa_signal_t signal, hsa_signal_condition_t condition,
                                           hsa_signal_value_t compare_value, uint64_t timeout_hint,
                                           hsa_wait_state_t wait_state_hint)
{
    (void)wait_state_hint;
    return wait(signal, condition, compare_value, timeout_hint);
}

hsa_signal_value_t hsa_signal_wait_scacquire(hsa_signal_t signal, hsa_signal_condition_t condition,
                                             hsa_signal_value_t compare_value,
                                             uint64_t timeout_hint,
                                             hsa_wait_state_t wait_state_hint)
{
    (void)wait_state_hint;
    return wait(signal, condition, compare_value, timeout_hint);
}

/* ---- several --------------------------------------------------------------------------------- */

enum { USUAL = 64 }; /* up to this count, no memory is allocated */

/* References to signals while a thread waits for them. */
struct several {
    amd_signal_t *few[USUAL], **signals;
    uint32_t count;
};

static void release(struct several *several)
{
    for (uint32_t i = 0; i < several->count; i++)
        simhsa_signal_release(several->signals[i]);
    if (several->signals != several->few)
        free(several->signals);
}

/* False: a signal is invalid, or out of memory. */
static bool retain(const hsa_signal_t *handles, uint32_t count, struct several *out)
{
    out->count = 0;
    out->signals = count <= USUAL ? out->few : malloc(count * sizeof *out->signals);
    if (!out->signals)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        amd_signal_t *signal = simhsa_signal_retain(handles[i]);
        if (!signal) {
            simhsa_violation("a wait for 0x%llx, which is not a signal",
                             (unsigned long long)handles[i].handle);
            release(out);
            return false;
        }
        out->signals[out->count++] = signal;
    }
    return true;
}

static bool conditions_are_good(const hsa_signal_condition_t *conditions, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (conditions[i] > HSA_SIGNAL_CONDITION_GTE)
            return false;
    return true;
}

uint32_t hsa_amd_signal_wait_any(uint32_t signal_count, hsa_signal_t *signals,
                                 hsa_signal_condition_t *conds, hsa_signal_value_t *values,
                                 uint64_t timeout_hint, hsa_wait_state_t wait_hint,
                                 hsa_signal_value_t *satisfying_value)
{
    struct several several;
    int64_t value = 0;
    (void)wait_hint;
    if (!simhsa_is_running() || signal_count == 0 || !signals || !conds || !values ||
        !conditions_are_good(conds, signal_count) || !retain(signals, signal_count, &several))
        return UINT32_MAX;
    size_t index =
        amdgpu_signal_wait(several.signals, conds, values, signal_count, timeout_hint, &value);
    release(&several);
    if (index >= signal_count)
        return UINT32_MAX;
    if (satisfying_value)
        *satisfying_value = value;
    return (uint32_t)index;
}

/* Each condition was met at some time: 0. After the timeout: UINT32_MAX. */
uint32_t hsa_amd_signal_wait_all(uint32_t signal_count, hsa_signal_t *signals,
                                 hsa_signal_condition_t *conds, hsa_signal_value_t *values,
                                 uint64_t timeout_hint, hsa_wait_state_t wait_hint,
                                 hsa_signal_value_t *satisfying_values)
{
    struct several several;
    (void)wait_hint;
    if (!simhsa_is_running() || signal_count == 0 || !signals || !conds || !values ||
        !conditions_are_good(conds, signal_count) || !retain(signals, signal_count, &several))
        return UINT32_MAX;
    uint64_t start = simhsa_system_time(amdgpu_clock());
    uint32_t result = 0;
    for (uint32_t i = 0; i < signal_count && result == 0; i++) {
        uint64_t passed = simhsa_system_time(amdgpu_clock()) - start;
        uint64_t left = timeout_hint > passed ? timeout_hint - passed : 0;
        int64_t value = 0;
        if (timeout_hint == UINT64_MAX)
            left = UINT64_MAX;
        if (amdgpu_signal_wait(&several.signals[i], &conds[i], &values[i], 1, left, &value) != 0)
            result = UINT32_MAX;
        else if (satisfying_values)
            satisfying_values[i] = value;
    }
    release(&several);
    return result;
}

/* ---- groups ------------------------------------------------------------------------ */

struct group {
    struct simhsa_object object;
    uint32_t count;
    hsa_signal_t signals[];
};

hsa_status_t hsa_signal_group_create(uint32_t num_signals, const hsa_signal_t *signals,
                                     uint32_t num_consumers, const hsa_agent_t *consumers,
                                     hsa_signal_group_t *signal_group)
{
    SIMHSA_ENTER();
    if (num_signals == 0 || !signals || !signal_group || (num_consumers > 0 && !consumers))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < num_consumers; i++)
        if (!simhsa_agent_get(consumers[i]))
            return HSA_STATUS_ERROR_INVALID_AGENT;
    for (uint32_t i = 0; i < num_signals; i++)
        if (!simhsa_signal_get(signals[i]))
            return simhsa_signal_error(signals[i]);
    simhsa_objects_lock();
    struct group *group =
        simhsa_object_new(SIMHSA_GROUP, sizeof *group + num_signals * sizeof *signals);
    if (group) {
        group->count = num_signals;
        memcpy(group->signals, signals, num_signals * sizeof *signals);
        signal_group->handle = group->object.handle;
    }
    simhsa_objects_unlock();
    return group ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t hsa_signal_group_destroy(hsa_signal_group_t signal_group)
{
    SIMHSA_ENTER();
    simhsa_objects_lock();
    struct group *group = simhsa_object_get(signal_group.handle, SIMHSA_GROUP);
    simhsa_object_free(group);
    simhsa_objects_unlock();
    return group ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP;
}

static hsa_status_t wait_group(hsa_signal_group_t handle, const hsa_signal_condition_t *conditions,
                               const hsa_signal_value_t *compare_values, hsa_signal_t *signal,
                               hsa_signal_value_t *value)
{
    struct several several = {.count = 0, .signals = several.few};
    if (!conditions || !compare_values || !signal || !value)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_objects_lock();
    const struct group *group = simhsa_object_get(handle.handle, SIMHSA_GROUP);
    bool held = group && retain(group->signals, group->count, &several);
    simhsa_objects_unlock();
    if (!held)
        return group ? HSA_STATUS_ERROR_INVALID_SIGNAL : HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP;
    bool good = conditions_are_good(conditions, several.count);
    if (good) {
        size_t index = amdgpu_signal_wait(several.signals, conditions, compare_values,
                                          several.count, UINT64_MAX, value);
        good = index < several.count;
        if (good)
            *signal = simhsa_signal_handle(several.signals[index]);
    }
    release(&several);
    return good ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_signal_group_wait_any_scacquire(hsa_signal_group_t signal_group,
                                                 const hsa_signal_condition_t *conditions,
                                                 const hsa_signal_value_t *compare_values,
                                                 hsa_wait_state_t wait_state_hint,
                                                 hsa_signal_t *signal, hsa_signal_value_t *value)
{
    SIMHSA_ENTER();
    (void)wait_state_hint;
    return wait_group(signal_group, conditions, compare_values, signal, value);
}

hsa_status_t hsa_signal_group_wait_any_relaxed(hsa_signal_group_t signal_group,
                                               const hsa_signal_condition_t *conditions,
                                               const hsa_signal_value_t *compare_values,
                                               hsa_wait_state_t wait_state_hint,
                                               hsa_signal_t *signal, hsa_signal_value_t *value)
{
    SIMHSA_ENTER();
    (void)wait_state_hint;
    return wait_group(signal_group, conditions, compare_values, signal, value);
}

/* ---- times ------------------------------------------------------------------------- */

hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t handle,
                                                 hsa_amd_profiling_dispatch_time_t *time)
{
    SIMHSA_ENTER();
    if (!time)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!simhsa_gpu_get(agent))
        return HSA_STATUS_ERROR_INVALID_AGENT;
    const amd_signal_t *signal = simhsa_signal_get(handle);
    if (!signal)
        return simhsa_signal_error(handle);
    time->start = simhsa_system_time(signal->start_ts);
    time->end = simhsa_system_time(signal->end_ts);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t handle,
                                                   hsa_amd_profiling_async_copy_time_t *time)
{
    SIMHSA_ENTER();
    if (!time)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const amd_signal_t *signal = simhsa_signal_get(handle);
    if (!signal)
        return simhsa_signal_error(handle);
    if (!simhsa_signal_copied(signal)) {
        simhsa_violation("the time of a copy that no device made, or while profiling was off");
        return HSA_STATUS_ERROR;
    }
    time->start = simhsa_system_time(signal->start_ts);
    time->end = simhsa_system_time(signal->end_ts);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_convert_tick_to_system_domain(hsa_agent_t agent, uint64_t agent_tick,
                                                             uint64_t *system_tick)
{
    SIMHSA_ENTER();
    if (!simhsa_gpu_get(agent))
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!system_tick)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *system_tick = simhsa_system_time(agent_tick);
    return HSA_STATUS_SUCCESS;
}
