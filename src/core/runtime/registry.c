/* Owns the start of the library: configuration and environment, the drivers
 * that are opened, the list of devices. */
#include "registry.h"
#include "code.h"
#include "demangle.h"
#include "env.h"
#include "error.h"
#include "log.h"
#include "select.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ah_registry ah_registry;

/* The backends that this build has, in the default order of preference. */
static const struct backend_kind {
    const char *name;
    enum anyhipBackend id;
    const struct ah_backend_ops *ops;
    const char *files[4]; /* tried in order */
    bool simulated;       /* installed next to this library; opened when it is requested, or when
                           * nothing is requested and no real driver has a device */
} backend_kinds[] = {
    {"cuda",
     anyhipBackendCuda,
     &ahcuda_ops,
     {"libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1"},
     false},
    {"hsa",
     anyhipBackendHsa,
     &ahhsa_ops,
     {"libhsa-runtime64.so.1", "libhsa-runtime64.so", "/opt/rocm/lib/libhsa-runtime64.so.1",
      "/opt/rocm/lib/libhsa-runtime64.so"},
     false},
    {"simcuda", anyhipBackendSimCuda, &ahcuda_ops, {"libsimcuda.so.1"}, true},
    {"simhsa", anyhipBackendSimHsa, &ahhsa_ops, {"libsimhsa.so.1"}, true},
};
enum { BACKEND_KIND_COUNT = sizeof backend_kinds / sizeof *backend_kinds, CANDIDATES_MAX = 8 };

static const struct backend_kind *kind_named(const char *name)
{
    for (int i = 0; i < BACKEND_KIND_COUNT; i++)
        if (strcmp(backend_kinds[i].name, name) == 0)
            return &backend_kinds[i];
    return NULL;
}

static void refuse_kind(const char *name)
{
    char known[64] = "";
    for (int i = 0; i < BACKEND_KIND_COUNT; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 backend_kinds[i].name);
    AH_LOG_NOTICE(AH_LOG_ERROR, "there is no backend \"%s\" in this build; it has: %s", name,
                  known);
}

/* ---- configuration and environment ------------------------------------- */

static void read_settings(struct ah_settings *settings)
{
    settings->serialize_kernel =
        (int)ah_env_integer("AMD_SERIALIZE_KERNEL", 0) |
        (ah_env_bool("HIP_LAUNCH_BLOCKING", false) ? AH_SERIALIZE_AFTER : 0);
    settings->serialize_copy = (int)ah_env_integer("AMD_SERIALIZE_COPY", 0);
}

/* ---- drivers ------------------------------------------------------------ */

static const char *configured_library(const struct ah_config *config, const char *name)
{
    for (int i = 0; i < AH_CONFIG_DRIVER_COUNT; i++)
        if (strcmp(ah_config_driver_names[i], name) == 0)
            return config->driver_library[i];
    return NULL;
}

/* A simulated driver is installed next to this library, never on a search path. The loader knows
 * the library by the name under which it found it, which may be a link in another folder. */
static char *path_next_to_library(const char *file)
{
    Dl_info self;
    char *path = NULL;
    if (!dladdr((const void *)&ah_registry, &self) || !self.dli_fname)
        return NULL;
    char *library = realpath(self.dli_fname, NULL);
    const char *slash = library ? strrchr(library, '/') : NULL;
    if (slash && asprintf(&path, "%.*s/%s", (int)(slash - library), library, file) < 0)
        path = NULL;
    free(library);
    return path;
}

static void open_driver(struct ah_driver *driver, const struct backend_kind *kind,
                        const struct ah_config *config)
{
    const char *candidates[CANDIDATES_MAX] = {0};
    size_t count = 0;
    char *bundled = kind->simulated ? path_next_to_library(kind->files[0]) : NULL;
    const char *configured = configured_library(config, kind->name);
    if (configured)
        candidates[count++] = configured;
    if (bundled)
        candidates[count++] = bundled;
    for (int i = 0; !kind->simulated && i < 4 && kind->files[i]; i++)
        candidates[count++] = kind->files[i];
    struct ah_backend_options options = {
        .name = kind->name,
        .candidates = candidates,
        .devices = driver->devices,
    };
    driver->error = kind->ops->open(&options, &driver->lib, &driver->backend, &driver->reason);
    free(bundled);
}

static void close_driver(struct ah_driver *driver)
{
    ah_dynlib_close(&driver->lib);
    free(driver->reason);
    free(driver->devices);
    *driver = (struct ah_driver){0};
}

/* missing: the level at which the absence of the driver is worth a line. */
static void report_driver(const struct ah_driver *driver, enum ah_log_level missing)
{
    if (driver->backend) {
        AH_LOG(AH_LOG_INFO, AH_LOG_INIT, "%s: %s, %d device(s)", driver->name, driver->lib.path,
               driver->ops->device_count(driver->backend));
        return;
    }
    AH_LOG(missing, AH_LOG_ALWAYS, "%s is not available: %s (%s)", driver->name,
           driver->reason ? driver->reason : "it could not be opened",
           ah_error_name(driver->error));
    for (size_t i = 0; i < driver->lib.attempt_count; i++)
        if (driver->lib.attempts[i].error)
            AH_LOG(missing, AH_LOG_ALWAYS, "%s: tried %s", driver->name,
                   driver->lib.attempts[i].error);
}

static size_t default_requests(struct ah_backend_request out[AH_BACKEND_REQUEST_MAX])
{
    size_t count = 0;
    for (int i = 0; i < BACKEND_KIND_COUNT; i++) {
        if (backend_kinds[i].simulated)
            continue;
        out[count] = (struct ah_backend_request){0};
        snprintf(out[count++].name, sizeof out->name, "%s", backend_kinds[i].name);
    }
    return count;
}

static char *joined(const struct ah_config_strings *strings)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < strings->count; i++)
        fprintf(out, "%s%s", i ? "," : "", strings->items[i]);
    if (out)
        fclose(out);
    return text;
}

/* ANYHIP_BACKEND, else the configuration's list, otherwise every real driver: *out_asked is whether
 * it was one of the first two. */
static size_t backend_requests(const struct ah_config *config,
                               struct ah_backend_request out[AH_BACKEND_REQUEST_MAX],
                               bool *out_asked)
{
    size_t count = 0;
    char *variable = ah_env_string("ANYHIP_BACKEND");
    *out_asked = (variable && *variable) || config->backends.count > 0;
    if (variable && *variable) {
        count = ah_select_parse_backends(variable, "ANYHIP_BACKEND", out);
    } else if (config->backends.count > 0) {
        char *list = joined(&config->backends);
        count = list ? ah_select_parse_backends(list, "configuration, backends", out) : 0;
        free(list);
    } else {
        count = default_requests(out);
    }
    free(variable);
    return count;
}

static struct ah_driver *add_driver(struct ah_registry *registry, const struct backend_kind *kind,
                                    const char *devices)
{
    struct ah_driver *driver = &registry->drivers[registry->driver_count++];
    driver->name = kind->name;
    driver->id = kind->id;
    driver->ops = kind->ops;
    driver->simulated = kind->simulated;
    driver->devices = *devices ? strdup(devices) : NULL;
    open_driver(driver, kind, &registry->config);
    return driver;
}

static size_t count_all(const struct ah_registry *registry)
{
    size_t count = 0;
    for (size_t i = 0; i < registry->driver_count; i++)
        if (registry->drivers[i].backend)
            count += (size_t)registry->drivers[i].ops->device_count(registry->drivers[i].backend);
    return count;
}

static bool is_nvidia(const struct ah_driver *driver)
{
    return driver->id == anyhipBackendCuda || driver->id == anyhipBackendSimCuda;
}

/* A driver may have no devices because a variable hides them. */
static bool devices_are_hidden(const struct ah_registry *registry)
{
    for (size_t i = 0; i < registry->driver_count; i++) {
        const struct ah_driver *driver = &registry->drivers[i];
        if (driver->error == hipErrorNoDevice &&
            getenv(is_nvidia(driver) ? "CUDA_VISIBLE_DEVICES" : "ROCR_VISIBLE_DEVICES"))
            return true;
    }
    return false;
}

static bool simulator_is_there(const struct backend_kind *kind, const struct ah_config *config)
{
    if (configured_library(config, kind->name))
        return true;
    char *bundled = path_next_to_library(kind->files[0]);
    bool there = bundled && access(bundled, F_OK) == 0;
    free(bundled);
    return there;
}

/* What ANYHIP_BACKEND calls the driver, with the model of its first device if that was chosen:
 * "simhsa:gfx942". */
static void name_simulated(const struct ah_driver *driver, bool chosen, char out[64])
{
    hipDeviceProp_tR0600 properties = {0};
    if (chosen)
        (void)driver->ops->device_properties(driver->ops->device_at(driver->backend, 0),
                                             &properties);
    const char *model = properties.gcnArchName;
    snprintf(out, 64, "%s%s%.*s", driver->name, *model ? ":" : "", (int)strcspn(model, ":"), model);
}

/* Whether the driver could be opened; one that could not is listed only if report is set. */
static bool try_simulator(struct ah_registry *registry, const struct backend_kind *kind,
                          const char *devices, bool report)
{
    struct ah_driver *driver = add_driver(registry, kind, devices);
    if (driver->backend || report)
        report_driver(driver, AH_LOG_ERROR);
    if (!driver->backend) {
        if (!report) {
            close_driver(driver);
            registry->driver_count--;
        }
        return false;
    }
    char name[64] = "";
    name_simulated(driver, *devices != '\0', name);
    AH_LOG_NOTICE(AH_LOG_WARNING,
                  "no GPU driver with a device was found (AMD_LOG_LEVEL=1 says why): kernels run, "
                  "slowly, on simulated devices (%s); ANYHIP_BACKEND=%s asks for them without this "
                  "line, ANYHIP_BACKEND=cuda or hsa refuses them",
                  name, name);
    return true;
}

/* A device of the first of AMD's processors that can be simulated. */
static bool simulate_processor(struct ah_registry *registry, const struct backend_kind *kind,
                               const struct ah_program_code *code)
{
    char names[sizeof code->processors] = "";
    size_t length = 0;
    for (size_t i = 0; i < code->processor_count; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? "|" : "",
                                   code->processors[i]);
    return *names && try_simulator(registry, kind, names, false);
}

/* For a machine without a GPU where the user requested nothing: devices of the vendor that the
 * program has code for; of NVIDIA where it has code for both, or none yet. */
static void simulate(struct ah_registry *registry)
{
    struct ah_program_code code;
    ah_fatbin_survey(&code);
    for (int i = 0; i < BACKEND_KIND_COUNT; i++) {
        const struct backend_kind *kind = &backend_kinds[i];
        if (kind->ops == &ahhsa_ops && kind->simulated && code.any && code.amd && !code.nvidia &&
            simulator_is_there(kind, &registry->config) &&
            simulate_processor(registry, kind, &code))
            return;
    }
    for (int i = 0; i < BACKEND_KIND_COUNT; i++) {
        const struct backend_kind *kind = &backend_kinds[i];
        if (kind->simulated && simulator_is_there(kind, &registry->config) &&
            try_simulator(registry, kind, "", true))
            return;
    }
}

static void open_drivers(struct ah_registry *registry)
{
    struct ah_backend_request requests[AH_BACKEND_REQUEST_MAX];
    bool asked;
    size_t count = backend_requests(&registry->config, requests, &asked);
    registry->drivers = calloc(count + BACKEND_KIND_COUNT, sizeof *registry->drivers);
    for (size_t i = 0; registry->drivers && i < count; i++) {
        const struct backend_kind *kind = kind_named(requests[i].name);
        if (kind)
            add_driver(registry, kind, requests[i].devices);
        else
            refuse_kind(requests[i].name);
    }
    /* The absence of a driver that was not requested matters only where no other has devices. */
    bool missed = asked || count_all(registry) == 0;
    for (size_t i = 0; registry->drivers && i < registry->driver_count; i++)
        report_driver(&registry->drivers[i], missed ? AH_LOG_ERROR : AH_LOG_INFO);
    if (registry->drivers && !asked && count_all(registry) == 0 && !devices_are_hidden(registry))
        simulate(registry);
}

/* ---- devices ------------------------------------------------------------ */

static size_t list_all(struct ah_registry *registry, struct ah_device *out)
{
    size_t count = 0;
    for (size_t i = 0; i < registry->driver_count; i++) {
        struct ah_driver *driver = &registry->drivers[i];
        int devices = driver->backend ? driver->ops->device_count(driver->backend) : 0;
        for (int index = 0; index < devices; index++) {
            struct ah_device *device = &out[count++];
            device->ops = driver->ops;
            device->launch = driver->ops->launch;
            device->copy_async = driver->ops->copy_async;
            device->native = driver->ops->device_at(driver->backend, index);
            device->driver = driver;
            device->index = index;
            device->ops->device_identify(device->native, &device->identity);
        }
    }
    return count;
}

static void fill_candidates(struct ah_candidate *out, const struct ah_device *devices,
                            const size_t *chosen, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct ah_device *device = &devices[chosen ? chosen[i] : i];
        out[i] = (struct ah_candidate){device->driver->name, device->index, &device->identity};
    }
}

/* HIP_VISIBLE_DEVICES; without it, ROCm uses CUDA_VISIBLE_DEVICES. NVIDIA's driver has applied that
 * variable already, so it is used here only if no device is NVIDIA's. ROCR_VISIBLE_DEVICES is
 * always applied by AMD's driver. */
static char *visibility_list(const struct ah_registry *registry, const char **out_variable)
{
    char *list = ah_env_string("HIP_VISIBLE_DEVICES");
    *out_variable = list ? "HIP_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES";
    if (list)
        return list;
    for (size_t i = 0; i < registry->driver_count; i++)
        if (registry->drivers[i].backend && is_nvidia(&registry->drivers[i]))
            return NULL;
    return ah_env_string("CUDA_VISIBLE_DEVICES");
}

/* Applies the configuration's selectors, then the visibility list to their result. chosen has space
 * for all devices; returns how many are left. */
static size_t choose(const struct ah_registry *registry, const struct ah_device *all, size_t count,
                     struct ah_candidate *candidates, size_t *chosen, size_t *visible)
{
    const struct ah_config_strings *selectors = &registry->config.devices;
    fill_candidates(candidates, all, NULL, count);
    size_t left = ah_select_devices(candidates, count, selectors->items, selectors->count, chosen);
    const char *variable;
    char *list = visibility_list(registry, &variable);
    if (!list)
        return left;
    fill_candidates(candidates, all, chosen, left);
    left = ah_select_visible(candidates, left, variable, list, visible);
    free(list);
    for (size_t i = 0; i < left; i++)
        visible[i] = chosen[visible[i]];
    memcpy(chosen, visible, left * sizeof *chosen);
    return left;
}

static struct ah_device *allocate_devices(size_t count)
{
    size_t size = count * sizeof(struct ah_device);
    void *devices = aligned_alloc(_Alignof(struct ah_device), size);
    return devices ? memset(devices, 0, size) : NULL;
}

static void list_devices(struct ah_registry *registry)
{
    size_t count = count_all(registry);
    struct ah_device *all = allocate_devices(count + 1);
    struct ah_device *shown = allocate_devices(count + 1);
    struct ah_candidate *candidates = calloc(count + 1, sizeof *candidates);
    size_t *chosen = calloc(2 * (count + 1), sizeof *chosen);
    if (all && shown && candidates && chosen) {
        list_all(registry, all);
        size_t left = choose(registry, all, count, candidates, chosen, chosen + count + 1);
        for (size_t i = 0; i < left; i++) {
            shown[i] = all[chosen[i]];
            shown[i].ordinal = (int)i;
            shown[i].legacy = (struct ah_stream){
                .handle = {.device = &shown[i]}, .state = AH_STREAM_CLOSED, .id = 1};
            pthread_mutex_init(&shown[i].lock, NULL);
            AH_LOG(AH_LOG_INFO, AH_LOG_INIT, "device %zu: %s (%s:%d)", i, shown[i].identity.name,
                   shown[i].driver->name, shown[i].index);
        }
        registry->devices = shown;
        registry->device_count = (int)left;
        for (size_t i = 1; i < left; i++)
            registry->mixed_drivers |= registry->devices[i].driver != registry->devices[0].driver;
        shown = NULL;
    }
    free(all);
    free(shown);
    free(candidates);
    free(chosen);
}

static void init_once(void)
{
    ah_config_init(&ah_registry.config);
    ah_config_load(&ah_registry.config, true);
    ah_config_check_variables();
    ah_config_set_log(&ah_registry.config, true);
    ah_config_set_trace(&ah_registry.config);
    if (ah_log_on(AH_LOG_ERROR, AH_LOG_ALWAYS))
        ah_demangle_prepare();
    read_settings(&ah_registry.settings);
    open_drivers(&ah_registry);
    list_devices(&ah_registry);
    atomic_store_explicit(&ah_registry.listed, true, memory_order_release);
}

void ah_registry_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_once);
}

hipError_t ah_device_missing_error(void)
{
    return ah_registry.device_count == 0 ? hipErrorNoDevice : hipErrorInvalidDevice;
}

struct ah_device *ah_device_of_driver(const struct ah_driver *driver, int index)
{
    for (int i = 0; i < ah_registry.device_count; i++)
        if (ah_registry.devices[i].driver == driver && ah_registry.devices[i].index == index)
            return &ah_registry.devices[i];
    return NULL;
}

static unsigned limit_of(struct ah_device *device, int attribute, hipError_t *error)
{
    int value = 0;
    if (*error == hipSuccess)
        *error =
            device->ops->device_attribute(device->native, (hipDeviceAttribute_t)attribute, &value);
    return value < 0 ? 0 : (unsigned)value;
}

hipError_t ah_device_read_limits(struct ah_device *device)
{
    hipError_t error = hipSuccess;
    pthread_mutex_lock(&device->lock);
    /* Another thread may have read them meanwhile, and launches read what it has written. */
    if (atomic_load_explicit(&device->limits_known, memory_order_relaxed)) {
        pthread_mutex_unlock(&device->lock);
        return hipSuccess;
    }
    device->max_threads = limit_of(device, hipDeviceAttributeMaxThreadsPerBlock, &error);
    for (int i = 0; i < 3; i++) {
        device->max_block[i] = limit_of(device, hipDeviceAttributeMaxBlockDimX + i, &error);
        device->max_grid[i] = limit_of(device, hipDeviceAttributeMaxGridDimX + i, &error);
    }
    device->max_shared = limit_of(device, hipDeviceAttributeSharedMemPerBlockOptin, &error);
    if (device->max_shared == 0)
        device->max_shared = limit_of(device, hipDeviceAttributeMaxSharedMemoryPerBlock, &error);
    if (error == hipSuccess)
        atomic_store_explicit(&device->limits_known, true, memory_order_release);
    pthread_mutex_unlock(&device->lock);
    return error;
}
