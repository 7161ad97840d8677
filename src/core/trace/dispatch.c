/* Owns the tables of functions that rocprofiler-register passes to AMD's profilers, which put
 * functions of their own into them.
 *
 * A table begins with our own functions: each of them calls the public function and marks the
 * thread, so that this call is not redirected (api.h). A public function whose place in the table
 * has another function calls that. */
#include "api.h"
#include "api_ids.h"
#include "dynlib.h"

#include <hip/anyhip.h>
#include <hip/hip_deprecated.h>
#include <hip/hip_ext.h>
#include <hip/hip_gl_interop.h>
#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>
#include <hip/api/per_thread_default_stream.h>
#include <hip/api/profiler.h>
#include <hip/api/registration.h>

#undef hipGetDeviceProperties
#undef hipChooseDevice

#include "direct_functions.h"

typedef void any_function(void);

enum {
#define AH_SLOT(name) SLOT_##name,
#include "dispatch.def"
    SLOT_COUNT
};
enum {
#define AH_COMPILER_SLOT(name) COMPILER_SLOT_##name,
#include "dispatch.def"
    COMPILER_SLOT_COUNT
};

static struct {
    size_t size;
    any_function *_Atomic functions[SLOT_COUNT];
} table = {sizeof table,
           {
#define AH_SLOT(name) (any_function *)direct_##name,
#include "dispatch.def"
           }};

static struct {
    size_t size;
    any_function *_Atomic functions[COMPILER_SLOT_COUNT];
} compiler_table = {sizeof compiler_table,
                    {
#define AH_COMPILER_SLOT(name) (any_function *)direct_##name,
#include "dispatch.def"
                    }};

_Static_assert(sizeof(any_function *_Atomic) == sizeof(any_function *),
               "a table of plain pointers");

/* By enum ah_api_id: the place in either table, and what we have put there. */
static const struct {
    any_function *_Atomic *place;
    any_function *ours;
} places[AH_API_ID_COUNT] = {
#define AH_SLOT(name)                                                                              \
    [AH_API_ID_##name] = {&table.functions[SLOT_##name], (any_function *)direct_##name},
#define AH_COMPILER_SLOT(name)                                                                     \
    [AH_API_ID_##                                                                                  \
        name] = {&compiler_table.functions[COMPILER_SLOT_##name], (any_function *)direct_##name},
#include "dispatch.def"
};

static any_function *redirect(int id)
{
    if (id < 0 || !places[id].place)
        return NULL;
    if (ah_thread.direct == id + 1) {
        ah_thread.direct = 0;
        return NULL;
    }
    any_function *found = atomic_load_explicit(places[id].place, memory_order_relaxed);
    return found == places[id].ours ? NULL : found;
}

/* ---- rocprofiler-register -------------------------------------------------------------------- */

enum { REGISTERED, NO_TOOLS };
typedef int register_table(const char *name, uint32_t (*import)(void), uint32_t version,
                           void **tables, uint64_t count, uint64_t *out_id);

static uint32_t version(void)
{
    return 10000 * HIP_VERSION_MAJOR + 100 * HIP_VERSION_MINOR + HIP_VERSION_PATCH;
}

static bool add(struct ah_dynlib *library, register_table *function, const char *name, void *tables)
{
    uint64_t id = 0;
    int answer = function(name, version, version(), &tables, 1, &id);
    if (answer != REGISTERED && answer != NO_TOOLS)
        AH_LOG_WARN("%s does not take the table of functions \"%s\": error %d", library->path, name,
                    answer);
    return answer == REGISTERED;
}

/* Once, at the end of the initialisation. The library looks for profilers by itself. */
static void register_tables(void)
{
    static const char *const names[] = {"librocprofiler-register.so.0", NULL};
    static const struct ah_dynlib_symbol symbol = {"rocprofiler_register_library_api_table", 0,
                                                   AH_REQUIRED};
    static struct ah_dynlib library; // stays open
    register_table *function;
    bool found = ah_dynlib_open(&library, names);
    if (!found || !ah_dynlib_bind(&library, &symbol, 1, &function)) {
        if (found)
            AH_LOG_WARN("%s gets no table of functions: it has no %s", library.path, symbol.name);
        ah_dynlib_close(&library);
        return;
    }
    bool compiler = add(&library, function, "hip_compiler", &compiler_table);
    if (add(&library, function, "hip", &table) || compiler)
        ah_api_redirect(redirect);
}

__attribute__((constructor)) static void begin(void)
{
    ah_api_at_start(register_tables);
}
