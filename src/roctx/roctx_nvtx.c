/* Owns the way to a tool for NVTX 3: its library, the functions that it attaches, and the numbers
 * that it gave to ranges of the process. */
#include "roctx_private.h"

#include "env.h"
#include "log.h"
#include "nvtx_abi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* ---- tables ---------------------------------------------------------------------------- */

enum { SIZE_MAX_OF_MODULE = 16 };
static const unsigned sizes[NVTX_MODULE_COUNT] = {
    [NVTX_MODULE_CORE] = NVTX_CORE_SIZE,     [NVTX_MODULE_CUDA] = NVTX_CUDA_SIZE,
    [NVTX_MODULE_OPENCL] = NVTX_OPENCL_SIZE, [NVTX_MODULE_CUDART] = NVTX_CUDART_SIZE,
    [NVTX_MODULE_CORE2] = NVTX_CORE2_SIZE,   [NVTX_MODULE_SYNC] = NVTX_SYNC_SIZE,
};
static nvtx_any_function *functions[NVTX_MODULE_COUNT][SIZE_MAX_OF_MODULE];
static nvtx_any_function **tables[NVTX_MODULE_COUNT][SIZE_MAX_OF_MODULE + 1];

static void fill_tables(void)
{
    for (unsigned module = 1; module < NVTX_MODULE_COUNT; module++)
        for (unsigned i = 1; i < sizes[module]; i++)
            tables[module][i] = &functions[module][i];
}

static int get_module(uint32_t module, nvtx_any_function ***out_table, unsigned *out_size)
{
    if (module == 0 || module >= NVTX_MODULE_COUNT)
        return 0;
    if (out_size)
        *out_size = sizes[module];
    if (out_table)
        *(nvtx_any_function ****)out_table = tables[module];
    return 1;
}

static void set_tool_version(uint32_t version)
{
    (void)version;
}

static const void *export_table(uint32_t id)
{
    static const struct nvtx_callbacks callbacks = {sizeof callbacks, get_module};
    static const struct nvtx_version version = {sizeof version, NVTX_ABI_VERSION, 0,
                                                set_tool_version};
    return id == NVTX_TABLE_CALLBACKS ? (const void *)&callbacks
           : id == NVTX_TABLE_VERSION ? (const void *)&version
                                      : NULL;
}

/* ---- the tool -------------------------------------------------------------------------- */

static bool attached; // written once
static _Thread_local bool attaching;

/* NULL: it attaches itself. */
static const char *attach(void *library)
{
    nvtx_initialize *initialize = NULL;
    *(void **)&initialize = dlsym(library, "InitializeInjectionNvtx2");
    if (!initialize)
        return "it has no function InitializeInjectionNvtx2";
    fill_tables();
    return initialize(export_table) ? NULL : "it refuses";
}

static void load_tool(void)
{
    char *path = ah_env_path("NVTX_INJECTION64_PATH");
    if (!path || !*path) {
        free(path);
        return;
    }
    void *library = dlopen(path, RTLD_LAZY);
    const char *problem = library ? attach(library) : dlerror();
    if (problem)
        AH_LOG_WARN("no marks and ranges for the tool %s: %s", path, problem);
    attached = !problem;
    free(path);
}

static bool is_attached(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (attaching)
        return false; // the tool makes a mark while it is loaded
    attaching = true;
    pthread_once(&once, load_tool);
    attaching = false;
    return attached;
}

/* ---- ranges of the process --------------------------------------------------------------- */

struct range {
    struct range *next;
    uint64_t id, of_tool;
};
enum { LISTS = 256 };
static struct range *ranges[LISTS]; // that have begun
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void keep_range(uint64_t id, uint64_t of_tool)
{
    struct range *range = malloc(sizeof *range);
    if (!range)
        return; // it does not end for the tool
    pthread_mutex_lock(&lock);
    *range = (struct range){ranges[id % LISTS], id, of_tool};
    ranges[id % LISTS] = range;
    pthread_mutex_unlock(&lock);
}

static bool take_range(uint64_t id, uint64_t *out_of_tool)
{
    pthread_mutex_lock(&lock);
    struct range **place = &ranges[id % LISTS];
    while (*place && (*place)->id != id)
        place = &(*place)->next;
    struct range *range = *place;
    if (range)
        *place = range->next;
    pthread_mutex_unlock(&lock);
    if (range)
        *out_of_tool = range->of_tool;
    free(range);
    return range;
}

/* ---- events ---------------------------------------------------------------------------- */

static nvtx_any_function *core(unsigned entry)
{
    return functions[NVTX_MODULE_CORE][entry];
}

static void start(const struct ah_roctx_event *event, const char *message)
{
    nvtx_range_start *function = (nvtx_range_start *)core(NVTX_RANGE_START);
    if (function)
        keep_range(event->id, function(message));
}

static void stop(const struct ah_roctx_event *event)
{
    nvtx_range_end *function = (nvtx_range_end *)core(NVTX_RANGE_END);
    uint64_t of_tool;
    if (take_range(event->id, &of_tool) && function)
        function(of_tool);
}

void ah_roctx_nvtx(const struct ah_roctx_event *event)
{
    const char *message = event->message ? event->message : "(null)";
    if (!is_attached())
        return;
    switch (event->kind) {
    case AH_ROCTX_MARK:
        if (core(NVTX_MARK))
            ((nvtx_mark *)core(NVTX_MARK))(message);
        break;
    case AH_ROCTX_PUSH:
        if (core(NVTX_RANGE_PUSH))
            ((nvtx_range_push *)core(NVTX_RANGE_PUSH))(message);
        break;
    case AH_ROCTX_POP:
        if (core(NVTX_RANGE_POP))
            ((nvtx_range_pop *)core(NVTX_RANGE_POP))();
        break;
    case AH_ROCTX_START:
        start(event, message);
        break;
    case AH_ROCTX_STOP:
        stop(event);
        break;
    case AH_ROCTX_PAUSE:
    case AH_ROCTX_RESUME:
        break;
    }
}

void ah_roctx_nvtx_name_thread(uint32_t thread, const char *name)
{
    if (is_attached() && core(NVTX_NAME_OS_THREAD))
        ((nvtx_name_os_thread *)core(NVTX_NAME_OS_THREAD))(thread, name);
}
