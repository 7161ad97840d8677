/* Owns the opening of AMD's HSA runtime (or of its simulated twin), which devices there are
 * and where their memory comes from, their failure and their reset, and the translation of
 * the runtime's errors. */
#include "env.h"
#include "hsa_memory.h"

#include "reason.h"
#include "simulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUES_DEFAULT = 4, VERSION_MAJOR_UNIT = 10000000, VERSION_MINOR_UNIT = 100000 };

const struct ah_backend_ops ahhsa_ops = {
#define AH_OP(name) .name = ahhsa_##name,
#include "backend_ops.def"
#undef AH_OP
};

static const struct ah_dynlib_symbol symbols[] = {
#define REQUIRED               AH_REQUIRED
#define OPTIONAL               AH_OPTIONAL
#define HSA_SYMBOL(need, name) {#name, offsetof(struct ahhsa_api, name), need},
#include "hsa_symbols.def"
#undef HSA_SYMBOL
#undef REQUIRED
#undef OPTIONAL
};

/* ---- errors ----------------------------------------------------------------------------- */

hipError_t ahhsa_error(hsa_status_t status)
{
    switch ((int)status) {
#define HSA_ERROR_ROW(name, error)                                                                 \
    case HSA_STATUS_##name:                                                                        \
        return error;
#include "hsa_errors.def"
#undef HSA_ERROR_ROW
    default:
        return hipErrorUnknown;
    }
}

static const char *words_of(const struct ah_backend *backend, hsa_status_t status)
{
    const char *text = NULL;
    if (backend->api.hsa_status_string(status, &text) != HSA_STATUS_SUCCESS || !text)
        return "unknown result";
    return text;
}

hipError_t ahhsa_report(const struct ah_backend_device *device, const char *what,
                        hsa_status_t status)
{
    if (ahhsa_error(status) != hipSuccess)
        AH_LOG_ERR("%s on %s:%d failed: %s (0x%x)", what, device->backend->name, device->index,
                   words_of(device->backend, status), (unsigned)status);
    return ahhsa_error(status);
}

hipError_t ahhsa_missing(const struct ah_backend_device *device, const char *function)
{
    AH_LOG_ERR("%s is not in this HSA runtime (%u.%u of %s): update ROCm to use it", function,
               device->backend->version_major, device->backend->version_minor,
               device->backend->name);
    return hipErrorNotSupported;
}

hipError_t ahhsa_refuse(const struct ah_backend_device *device, const char *what, const char *why)
{
    AH_LOG_ERR("%s on %s:%d: %s", what, device->backend->name, device->index, why);
    return hipErrorNotSupported;
}

/* ---- failure of a device ---------------------------------------------------------------- */

void ahhsa_fail(struct ah_backend_device *device, hipError_t error, const char *what)
{
    if (atomic_flag_test_and_set(&device->failing))
        return;
    AH_LOG_ERR("%s:%d has failed: %s", device->backend->name, device->index, what);
    error = ahhsa_services_examine(device, error != hipSuccess ? error : hipErrorUnknown);
    ahhsa_lock(device);
    atomic_store(&device->error, (int)error);
    if (device->signals)
        ahhsa_signals_complete_all(device->signals);
    ahhsa_unlock(device);
}

/* Memory faults and hangs, which the runtime tells of once for all queues of an agent. */
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

/* ---- starting and ending a device ------------------------------------------------------- */

static unsigned queue_limit(void)
{
    long long limit = ah_env_integer("GPU_MAX_HW_QUEUES", QUEUES_DEFAULT);
    return limit < 1 ? 1 : limit > AHHSA_QUEUES_MAX / 2 ? AHHSA_QUEUES_MAX / 2 : (unsigned)limit;
}

/* Under the backend's lock of starts. */
static hipError_t make_ready(struct ah_backend_device *device)
{
    if (atomic_load(&device->ready))
        return hipSuccess;
    device->queue_limit = queue_limit();
    if (!device->signals && !(device->signals = ahhsa_signals_create(device)))
        return hipErrorOutOfMemory;
    if (!device->legacy) {
        hipError_t error = ahhsa_stream_open(device, false, 0, &device->legacy);
        if (error != hipSuccess)
            return error;
        device->legacy->legacy = true;
    }
    atomic_store_explicit(&device->ready, true, memory_order_release);
    return hipSuccess;
}

hipError_t ahhsa_start(struct ah_backend_device *device)
{
    pthread_mutex_lock(&device->backend->start_lock);
    hipError_t error = make_ready(device);
    pthread_mutex_unlock(&device->backend->start_lock);
    return error == hipSuccess ? ahhsa_device_error(device) : error;
}

hipError_t ahhsa_device_make_current(struct ah_backend_device *device)
{
    hipError_t error = ahhsa_enter(device);
    /* A device that has failed is made current all the same: nothing else resets it. */
    return atomic_load(&device->ready) ? hipSuccess : error;
}

/* Under the lock of starts. All work has ended, or never will. */
static void end_device(struct ah_backend_device *device)
{
    atomic_store(&device->ready, false);
    atomic_fetch_add(&device->generation, 1);
    ahhsa_streams_close(device);
    ahhsa_events_close(device);
    ahhsa_lock(device);
    ahhsa_queues_close(device);
    ahhsa_unlock(device);
    ahhsa_textures_close(device);
    ahhsa_arrays_close(device);
    ahhsa_pools_close(device);
    ahhsa_staging_close(device);
    ahhsa_modules_drop(device);
    ahhsa_services_drop(device);
    ahhsa_memory_close(device);
    device->legacy_work = 0;
    /* Signals stay: streams of other devices may hold some. */
}

hipError_t ahhsa_device_reset(struct ah_backend_device *device)
{
    struct ah_backend *backend = device->backend;
    atomic_store(&device->resetting, true); /* nobody may write what a stream waits for */
    if (atomic_load(&device->ready))
        ahhsa_device_drain(device); /* whatever it says: the device begins anew */
    ahhsa_workers_end(device);      /* before the lock, which a host function may want */
    ahhsa_signals_await_copies(device->signals);
    pthread_mutex_lock(&backend->start_lock);
    end_device(device);
    if (device->signals) /* others may hold some, and shall not find that they failed */
        ahhsa_signals_complete_all(device->signals);
    for (int i = 0; i < backend->device_count; i++) /* it was a peer of */
        atomic_fetch_and(&backend->devices[i].peers, ~((uint64_t)1 << device->index));
    atomic_store(&device->error, hipSuccess);
    atomic_flag_clear(&device->failing);
    atomic_store(&device->resetting, false);
    pthread_mutex_unlock(&backend->start_lock);
    return ahhsa_device_set_flags(device, hipDeviceScheduleAuto);
}

/* ---- which devices there are ------------------------------------------------------------ */

struct search { /* for the runtime's callbacks */
    struct ah_backend *backend;
    struct ah_backend_device *device;
    hsa_agent_t cpus[AHHSA_DEVICES_MAX];
    hsa_agent_t gpus[AHHSA_DEVICES_MAX];
    int cpu_count, gpu_count;
    bool host_pools; /* those that are looked at are the host's */
};

static hsa_status_t sort_agent(hsa_agent_t agent, void *data)
{
    struct search *search = data;
    const struct ahhsa_api *api = &search->backend->api;
    hsa_device_type_t type;
    hsa_agent_feature_t features = 0;
    hsa_status_t status = api->hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (status == HSA_STATUS_SUCCESS)
        status = api->hsa_agent_get_info(agent, HSA_AGENT_INFO_FEATURE, &features);
    if (status != HSA_STATUS_SUCCESS)
        return status;
    if (type == HSA_DEVICE_TYPE_CPU && search->cpu_count < AHHSA_DEVICES_MAX)
        search->cpus[search->cpu_count++] = agent;
    if (type == HSA_DEVICE_TYPE_GPU && (features & HSA_AGENT_FEATURE_KERNEL_DISPATCH) &&
        search->gpu_count < AHHSA_DEVICES_MAX)
        search->gpus[search->gpu_count++] = agent;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t sort_pool(hsa_amd_memory_pool_t pool, void *data)
{
    struct search *search = data;
    const struct ahhsa_api *api = &search->backend->api;
    struct ahhsa_pools *pools = &search->device->pools;
    hsa_amd_segment_t segment;
    bool allowed = false;
    uint32_t flags = 0;
    bool host = search->host_pools;
    hsa_status_t status =
        api->hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
    if (status != HSA_STATUS_SUCCESS || segment != HSA_AMD_SEGMENT_GLOBAL)
        return status;
    status = api->hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED,
                                               &allowed);
    if (status == HSA_STATUS_SUCCESS && allowed)
        status =
            api->hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
    if (status != HSA_STATUS_SUCCESS || !allowed)
        return status;
    hsa_amd_memory_pool_t *to = flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT
                                    ? (host ? &pools->kernarg : NULL)
                                : flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED
                                    ? (host ? &pools->host_fine : &pools->device_fine)
                                : flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED
                                    ? (host ? &pools->host_coarse : &pools->device_coarse)
                                    : NULL;
    if (to && to->handle == 0)
        *to = pool;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_pools(struct search *search, hsa_agent_t agent, bool host)
{
    search->host_pools = host;
    return search->backend->api.hsa_amd_agent_iterate_memory_pools(agent, sort_pool, search);
}

static hsa_status_t first_isa(hsa_isa_t isa, void *data)
{
    struct search *search = data;
    const struct ahhsa_api *api = &search->backend->api;
    char name[256] = "";
    uint32_t length = 0;
    hsa_status_t status = api->hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length);
    if (status == HSA_STATUS_SUCCESS && length < sizeof name)
        status = api->hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name);
    if (status != HSA_STATUS_SUCCESS)
        return status;
    snprintf(search->device->isa, sizeof search->device->isa, "%.*s",
             (int)sizeof search->device->isa - 1, name);
    return HSA_STATUS_INFO_BREAK;
}

/* The CPU whose memory is nearest, where the runtime knows. */
static hsa_agent_t nearest_cpu(const struct search *search, hsa_agent_t gpu)
{
    hsa_agent_t nearest = {0};
    if (search->backend->api.hsa_agent_get_info(
            gpu, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_NEAREST_CPU, &nearest) == HSA_STATUS_SUCCESS)
        for (int i = 0; i < search->cpu_count; i++)
            if (search->cpus[i].handle == nearest.handle)
                return nearest;
    return search->cpus[0];
}

/* Kernel arguments and coarse-grained host memory can be ordinary host memory. */
static void fill_gaps(struct ahhsa_pools *pools)
{
    if (pools->host_fine.handle == 0)
        pools->host_fine = pools->kernarg.handle ? pools->kernarg : pools->host_coarse;
    if (pools->kernarg.handle == 0)
        pools->kernarg = pools->host_fine;
}

static hsa_status_t describe(struct search *search, struct ah_backend_device *device,
                             hsa_agent_t agent)
{
    const struct ahhsa_api *api = &search->backend->api;
    uint32_t units = 0, wave = 0;
    device->backend = search->backend;
    device->api = api;
    device->agent = agent;
    device->host = nearest_cpu(search, agent);
    pthread_mutex_init(&device->lock, NULL);
    ahhsa_workers_open(device);
    atomic_flag_clear(&device->failing);
    search->device = device;
    hsa_status_t status = api->hsa_agent_get_info(agent, HSA_AGENT_INFO_WAVEFRONT_SIZE, &wave);
    if (status == HSA_STATUS_SUCCESS)
        status = api->hsa_agent_get_info(
            agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, &units);
    device->wavefront_size = wave;
    device->compute_units = units;
    if (status == HSA_STATUS_SUCCESS)
        status = api->hsa_agent_iterate_isas(agent, first_isa, search);
    if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK)
        status = find_pools(search, agent, false);
    if (status == HSA_STATUS_SUCCESS)
        status = find_pools(search, device->host, true);
    fill_gaps(&device->pools);
    if (status == HSA_STATUS_SUCCESS &&
        (device->pools.device_coarse.handle == 0 || device->pools.host_fine.handle == 0))
        status = (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    return status;
}

/* ---- opening ---------------------------------------------------------------------------- */

static hipError_t no_device(char **out_reason)
{
    *out_reason = ah_reason("the runtime shows no GPU%s",
                            getenv("ROCR_VISIBLE_DEVICES") ? " (ROCR_VISIBLE_DEVICES is set)" : "");
    return hipErrorNoDevice;
}

static hipError_t start_runtime(struct ah_backend *backend, char **out_reason)
{
    const struct ahhsa_api *api = &backend->api;
    hsa_status_t status = api->hsa_init();
    if (status == HSA_STATUS_ERROR_OUT_OF_RESOURCES) { /* what it says without /dev/kfd */
        *out_reason =
            ah_reason("the runtime does not start: there is no AMD GPU, its kernel driver "
                      "(/dev/kfd) is not loaded, or this user may not use it");
        return hipErrorNoDevice;
    }
    if (status == HSA_STATUS_SUCCESS) {
        backend->started = true;
        status = api->hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &backend->version_major);
    }
    if (status == HSA_STATUS_SUCCESS)
        status = api->hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MINOR, &backend->version_minor);
    if (status == HSA_STATUS_SUCCESS)
        status = api->hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY,
                                          &backend->timestamp_frequency);
    if (status != HSA_STATUS_SUCCESS)
        *out_reason = ah_reason("the runtime does not start: %s", words_of(backend, status));
    return ahhsa_error(status);
}

static hipError_t list_devices(struct ah_backend *backend, char **out_reason)
{
    struct search search = {.backend = backend};
    hsa_status_t status = backend->api.hsa_iterate_agents(sort_agent, &search);
    if (status == HSA_STATUS_SUCCESS && (search.gpu_count == 0 || search.cpu_count == 0))
        return no_device(out_reason);
    backend->host = search.cpus[0];
    backend->devices = calloc((size_t)search.gpu_count + 1, sizeof *backend->devices);
    if (!backend->devices)
        return hipErrorOutOfMemory;
    for (int i = 0; i < search.gpu_count && status == HSA_STATUS_SUCCESS; i++) {
        backend->devices[i].index = i;
        backend->device_count = i + 1;
        status = describe(&search, &backend->devices[i], search.gpus[i]);
    }
    if (status == HSA_STATUS_SUCCESS && backend->api.hsa_amd_register_system_event_handler)
        status = backend->api.hsa_amd_register_system_event_handler(system_event, backend);
    if (status != HSA_STATUS_SUCCESS)
        *out_reason =
            ah_reason("the runtime's devices cannot be used: %s", words_of(backend, status));
    return ahhsa_error(status);
}

hipError_t ahhsa_open(const struct ah_backend_options *options, struct ah_dynlib *lib,
                      struct ah_backend **out_backend, char **out_reason)
{
    *out_reason = NULL;
    if (!ah_dynlib_open(lib, options->candidates)) {
        *out_reason = ah_reason("no runtime library could be opened");
        return hipErrorSharedObjectInitFailed;
    }
    struct ah_backend *backend = calloc(1, sizeof *backend);
    if (!backend)
        return hipErrorOutOfMemory;
    backend->name = options->name;
    pthread_rwlock_init(&backend->memory_lock, NULL);
    pthread_mutex_init(&backend->start_lock, NULL);
    hipError_t error;
    if (!ah_dynlib_bind(lib, symbols, sizeof symbols / sizeof *symbols, &backend->api)) {
        *out_reason =
            ah_reason("%s is too old, or not AMD's: it lacks %s", lib->path, lib->missing);
        error = hipErrorInsufficientDriver;
    } else {
        error = ah_simulated_configure(backend->api.anyhipSimConfigure, options->devices, "runtime",
                                       backend->name, out_reason)
                    ? hipSuccess
                    : hipErrorInvalidValue;
        if (error == hipSuccess)
            error = start_runtime(backend, out_reason);
        if (error == hipSuccess)
            error = list_devices(backend, out_reason);
    }
    if (error != hipSuccess) {
        ahhsa_close(backend);
        return error;
    }
    *out_backend = backend;
    return hipSuccess;
}

void ahhsa_close(struct ah_backend *backend)
{
    for (int i = 0; i < backend->device_count; i++) {
        struct ah_backend_device *device = &backend->devices[i];
        if (atomic_load(&device->ready)) {
            ahhsa_device_drain(device);
            end_device(device);
        }
    }
    for (int i = 0; i < backend->device_count; i++) {
        struct ah_backend_device *device = &backend->devices[i];
        ahhsa_signals_destroy(device->signals);
        ahhsa_facts_drop(device);
        ahhsa_workers_close(device);
        pthread_mutex_destroy(&device->lock);
    }
    if (backend->started)
        backend->api.hsa_shut_down();
    pthread_rwlock_destroy(&backend->memory_lock);
    pthread_mutex_destroy(&backend->start_lock);
    free(backend->devices);
    free(backend);
}

int ahhsa_device_count(struct ah_backend *backend)
{
    return backend->device_count;
}

struct ah_backend_device *ahhsa_device_at(struct ah_backend *backend, int index)
{
    return &backend->devices[index];
}

/* HIP's way of counting, of the version of HSA that the runtime implements. */
hipError_t ahhsa_driver_version(struct ah_backend *backend, int *out_version)
{
    *out_version =
        backend->version_major * VERSION_MAJOR_UNIT + backend->version_minor * VERSION_MINOR_UNIT;
    return hipSuccess;
}
