/* Owns the start and the end of the runtime, and the properties of the system. */
#include "simhsa_image.h"
#include "config.h"
#include "jit_exit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct simhsa simhsa;
struct simhsa_script simhsa_script;
_Thread_local bool simhsa_own_thread;

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER; /* of init and shut_down */

void simhsa_violation(const char *format, ...)
{
    char text[256];
    va_list args;
    if (!simhsa_script.violation && !ah_log_on(AH_LOG_WARNING, AH_LOG_ALWAYS))
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    AH_LOG_WARN("simulated HSA runtime: %s", text);
    if (simhsa_script.violation)
        simhsa_script.violation(text);
}

/* ---- start and end ------------------------------------------------------------------------ */

/* A child does not have the threads of the runtime. */
static void in_child(void)
{
    atomic_store(&simhsa.forked, true);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

/* The first call of the process. */
static hsa_status_t open_runtime(void)
{
    static bool tried;
    static hsa_status_t result;
    if (tried)
        return result;
    tried = true;
    ah_config_start_log();
    jit_wait_at_exit();
    result = simhsa_agents_open();
    if (result == HSA_STATUS_SUCCESS && !(simhsa_signals_open() && simhsa_queues_open()))
        result = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    return result;
}

hsa_status_t hsa_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    hsa_status_t result = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    pthread_once(&once, watch_forks);
    if (atomic_load(&simhsa.forked)) {
        simhsa_violation("hsa_init in a child of the process that called it before");
        return result;
    }
    hsa_status_t scripted = simhsa_script.call ? simhsa_script.call(__func__) : HSA_STATUS_SUCCESS;
    if (scripted != HSA_STATUS_SUCCESS)
        return scripted;
    pthread_mutex_lock(&start_lock);
    unsigned references = atomic_load(&simhsa.references);
    if (references > 0)
        result = references == INT32_MAX ? HSA_STATUS_ERROR_REFCOUNT_OVERFLOW : HSA_STATUS_SUCCESS;
    else
        result = open_runtime();
    if (result == HSA_STATUS_SUCCESS)
        atomic_store_explicit(&simhsa.references, references + 1, memory_order_release);
    pthread_mutex_unlock(&start_lock);
    return result;
}

/* Frees everything that the program left; the agents remain. */
static void close_runtime(void)
{
    simhsa_queues_close();
    simhsa_copies_close();
    simhsa_watchers_close();
    simhsa_events_close();
    simhsa_executables_close();
    simhsa_images_close();
    simhsa_memory_close();
    simhsa_virtual_close();
    simhsa_signals_close();
}

hsa_status_t hsa_shut_down(void)
{
    SIMHSA_ENTER();
    pthread_mutex_lock(&start_lock);
    unsigned references = atomic_load(&simhsa.references);
    if (references == 1 && simhsa_own_thread) {
        pthread_mutex_unlock(&start_lock);
        simhsa_violation("the last hsa_shut_down, from a callback");
        return HSA_STATUS_ERROR_INVALID_RUNTIME_STATE;
    }
    if (references == 1)
        close_runtime();
    if (references > 0)
        atomic_store(&simhsa.references, references - 1);
    pthread_mutex_unlock(&start_lock);
    return references > 0 ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_NOT_INITIALIZED;
}

hsa_status_t hsa_status_string(hsa_status_t status, const char **status_string)
{
    static const struct {
        int status;
        const char *text;
    } rows[] = {
#define SIMHSA_STATUS(status, words) {status, #status ": " words},
#include "simhsa_status.def"
#undef SIMHSA_STATUS
    };
    hsa_status_t scripted = simhsa_script.call ? simhsa_script.call(__func__) : HSA_STATUS_SUCCESS;
    if (scripted != HSA_STATUS_SUCCESS)
        return scripted;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status_string; i++) {
        if (rows[i].status == (int)status) {
            *status_string = rows[i].text;
            return HSA_STATUS_SUCCESS;
        }
    }
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* ---- questions ------------------------------------------------------------------------------- */

/* Writes the value of an attribute, of any type. */
#define ANSWER(type, ...)                                                                          \
    do {                                                                                           \
        *(type *)value = (type)__VA_ARGS__;                                                        \
        return HSA_STATUS_SUCCESS;                                                                 \
    } while (0)

_Static_assert(SIMHSA_SYSTEM_HZ == 1000000000, "ticks of the system are nanoseconds");

uint64_t simhsa_system_time(uint64_t ticks)
{
    const uint64_t each = SIMHSA_SYSTEM_HZ / AMDGPU_CLOCK_HZ;
    return ticks > UINT64_MAX / each ? UINT64_MAX : ticks * each;
}

static void extensions(void *value)
{
    unsigned char *bits = value;
    memset(bits, 0, 128);
    bits[HSA_EXTENSION_IMAGES / 8] |= 1 << HSA_EXTENSION_IMAGES % 8;
    bits[HSA_EXTENSION_AMD_LOADER / 8] |= 1 << HSA_EXTENSION_AMD_LOADER % 8;
}

hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void *value)
{
    SIMHSA_ENTER();
    if (!value)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    switch (attribute) {
    case HSA_SYSTEM_INFO_VERSION_MAJOR:
    case HSA_SYSTEM_INFO_VERSION_MINOR:
        ANSWER(uint16_t, 1);
    case HSA_SYSTEM_INFO_TIMESTAMP:
        ANSWER(uint64_t, simhsa_system_time(amdgpu_clock()));
    case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY:
        ANSWER(uint64_t, SIMHSA_SYSTEM_HZ);
    case HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT:
        ANSWER(uint64_t, UINT64_MAX);
    case HSA_SYSTEM_INFO_ENDIANNESS:
        ANSWER(hsa_endianness_t, HSA_ENDIANNESS_LITTLE);
    case HSA_SYSTEM_INFO_MACHINE_MODEL:
        ANSWER(hsa_machine_model_t, HSA_MACHINE_MODEL_LARGE);
    case HSA_SYSTEM_INFO_EXTENSIONS:
        extensions(value);
        return HSA_STATUS_SUCCESS;
    case HSA_AMD_SYSTEM_INFO_BUILD_VERSION:
        ANSWER(const char *, "AnyHIP simulated HSA runtime");
    case HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED:
    case HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED:
    case HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED:
        ANSWER(bool, true);
    case HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT:
    case HSA_AMD_SYSTEM_INFO_MWAITX_ENABLED:
    case HSA_AMD_SYSTEM_INFO_XNACK_ENABLED:
        ANSWER(bool, false);
    case HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR:
        ANSWER(uint16_t, 1);
    case HSA_AMD_SYSTEM_INFO_EXT_VERSION_MINOR:
        ANSWER(uint16_t, 6);
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

/* ---- extensions -------------------------------------------------------------------- */

/* False: there is no such extension of that major version. Accepts NULL. */
static bool latest_minor(uint16_t extension, uint16_t major, uint16_t *out_minor)
{
    bool images = extension == HSA_EXTENSION_IMAGES;
    if (major != 1 || (!images && extension != HSA_EXTENSION_AMD_LOADER))
        return false;
    if (out_minor)
        *out_minor = images ? 0 : SIMHSA_LOADER_MINOR;
    return true;
}
_Static_assert(SIMHSA_LOADER_MAJOR == 1, "the extensions that there are have one major version");

hsa_status_t hsa_extension_get_name(uint16_t extension, const char **name)
{
    static const struct {
        uint16_t extension;
        const char *name;
    } known[] = {
        {HSA_EXTENSION_FINALIZER, "HSA_EXTENSION_FINALIZER"},
        {HSA_EXTENSION_IMAGES, "HSA_EXTENSION_IMAGES"},
        {HSA_EXTENSION_PERFORMANCE_COUNTERS, "HSA_EXTENSION_PERFORMANCE_COUNTERS"},
        {HSA_EXTENSION_PROFILING_EVENTS, "HSA_EXTENSION_PROFILING_EVENTS"},
        {HSA_EXTENSION_AMD_PROFILER, "HSA_EXTENSION_AMD_PROFILER"},
        {HSA_EXTENSION_AMD_LOADER, "HSA_EXTENSION_AMD_LOADER"},
        {HSA_EXTENSION_AMD_AQLPROFILE, "HSA_EXTENSION_AMD_AQLPROFILE"},
    };
    SIMHSA_ENTER();
    if (!name)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].extension == extension) {
            *name = known[i].name;
            return HSA_STATUS_SUCCESS;
        }
    *name = "HSA_EXTENSION_INVALID";
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

static bool is_known(uint16_t extension)
{
    return extension <= HSA_EXTENSION_STD_LAST ||
           (extension >= HSA_AMD_FIRST_EXTENSION && extension <= HSA_AMD_LAST_EXTENSION);
}

hsa_status_t hsa_system_extension_supported(uint16_t extension, uint16_t version_major,
                                            uint16_t version_minor, bool *result)
{
    SIMHSA_ENTER();
    if (!result || !is_known(extension))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint16_t latest;
    *result = latest_minor(extension, version_major, &latest) && version_minor <= latest;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_major_extension_supported(uint16_t extension, uint16_t version_major,
                                                  uint16_t *version_minor, bool *result)
{
    SIMHSA_ENTER();
    if (!version_minor || !result)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = latest_minor(extension, version_major, version_minor);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_agent_extension_supported(uint16_t extension, hsa_agent_t agent,
                                           uint16_t version_major, uint16_t version_minor,
                                           bool *result)
{
    SIMHSA_ENTER();
    if (!result || !is_known(extension))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = false;
    if (!simhsa_agent_get(agent))
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!simhsa_gpu_get(agent)) /* the CPU has none */
        return HSA_STATUS_SUCCESS;
    return hsa_system_extension_supported(extension, version_major, version_minor, result);
}

hsa_status_t hsa_agent_major_extension_supported(uint16_t extension, hsa_agent_t agent,
                                                 uint16_t version_major, uint16_t *version_minor,
                                                 bool *result)
{
    SIMHSA_ENTER();
    if (!result || !is_known(extension))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = false;
    if (!simhsa_agent_get(agent))
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!simhsa_gpu_get(agent))
        return HSA_STATUS_SUCCESS;
    return hsa_system_major_extension_supported(extension, version_major, version_minor, result);
}

hsa_status_t hsa_system_get_extension_table(uint16_t extension, uint16_t version_major,
                                            uint16_t version_minor, void *table)
{
    SIMHSA_ENTER();
    if (!table || !is_known(extension))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint16_t latest;
    if (!latest_minor(extension, version_major, &latest) || version_minor > latest) {
        simhsa_violation("extension %u of version %u.%u is not supported", extension, version_major,
                         version_minor);
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    if (extension == HSA_EXTENSION_IMAGES)
        simhsa_image_table(0, table);
    else
        simhsa_loader_table(version_minor, 0, table);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_get_major_extension_table(uint16_t extension, uint16_t version_major,
                                                  size_t table_length, void *table)
{
    SIMHSA_ENTER();
    if (!table || table_length == 0)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!latest_minor(extension, version_major, NULL)) {
        simhsa_violation("extension %u of version %u is not supported", extension, version_major);
        return HSA_STATUS_ERROR;
    }
    if (extension == HSA_EXTENSION_IMAGES)
        simhsa_image_table(table_length, table);
    else
        simhsa_loader_table(SIMHSA_LOADER_MINOR, table_length, table);
    return HSA_STATUS_SUCCESS;
}
