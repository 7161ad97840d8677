/* Owns the state of a device: its start at the first use, and its failure, which the runtime
 * reports or this backend finds. */
#include "hsa_runtime.h"

#include <stdio.h>

void ahhsa_fail(struct ah_backend_device *device, hipError_t error, const char *what)
{
    if (atomic_flag_test_and_set(&device->failing))
        return;
    AH_LOG_ERR("%s:%d has failed: %s", device->backend->name, device->index, what);
    error = device->backend->callbacks->examine_failure(
        device, error != hipSuccess ? error : hipErrorUnknown);
    ahhsa_lock(device);
    atomic_store(&device->error, (int)error);
    device->backend->callbacks->complete_signals(device);
    ahhsa_unlock(device);
}

/* The runtime reports memory faults and hardware exceptions once for all queues of an agent. */
static hsa_status_t system_event(const hsa_amd_event_t *event, void *data)
{
    struct ah_backend *backend = data;
    bool fault = event->event_type == HSA_AMD_GPU_MEMORY_FAULT_EVENT;
    hsa_agent_t agent = fault ? event->memory_fault.agent : event->hw_exception.agent;
    char what[96];
    if (event->event_type == HSA_AMD_GPU_MEMORY_ERROR_EVENT)
        agent = event->memory_error.agent;
    snprintf(what, sizeof what, fault ? "a memory fault at 0x%llx" : "a hardware exception",
             (unsigned long long)event->memory_fault.virtual_address);
    for (int i = 0; i < backend->device_count; i++)
        if (backend->devices[i].agent.handle == agent.handle)
            ahhsa_fail(&backend->devices[i], fault ? hipErrorIllegalAddress : hipErrorLaunchFailure,
                       what);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t ahhsa_watch_devices(struct ah_backend *backend)
{
    if (!backend->api.hsa_amd_register_system_event_handler)
        return HSA_STATUS_SUCCESS;
    return backend->api.hsa_amd_register_system_event_handler(system_event, backend);
}

hipError_t ahhsa_start(struct ah_backend_device *device)
{
    pthread_mutex_lock(&device->backend->start_lock);
    hipError_t error = device->backend->callbacks->start(device);
    pthread_mutex_unlock(&device->backend->start_lock);
    return error == hipSuccess ? ahhsa_device_error(device) : error;
}
