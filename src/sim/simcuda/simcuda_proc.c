/* Owns functions by name: other names of the exported ones, and cuGetProcAddress. */
#include "simcuda_driver.h"

#include <stdio.h>
#include <string.h>

/* ---- other names ---------------------------------------------------------------------- */

/* The stream that a program with per-thread default streams means. */
static CUstream own(CUstream stream)
{
    return stream ? stream : CU_STREAM_PER_THREAD;
}

#define SIMCUDA_ALIAS(name, field, parameters, arguments)                                          \
    SIMCUDA_EXPORT CUresult alias_##name parameters __asm__(#name);                                \
    CUresult alias_##name parameters                                                               \
    {                                                                                              \
        return simcuda_##field arguments;                                                          \
    }
#include "simcuda_aliases.def"
#undef SIMCUDA_ALIAS

/* ---- functions by name ------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*function)(void);
} exported[] = {
#define SIMCUDA_SYMBOL(field, name, parameters) {name, (void (*)(void))simcuda_##field},
#include "simcuda_symbols.def"
#undef SIMCUDA_SYMBOL
#define SIMCUDA_ALIAS(name, field, parameters, arguments) {#name, (void (*)(void))alias_##name},
#include "simcuda_aliases.def"
#undef SIMCUDA_ALIAS
};

static void *find(const char *name, const char *suffix)
{
    char full[128];
    snprintf(full, sizeof full, "%s%s", name, suffix);
    for (size_t i = 0; i < sizeof exported / sizeof *exported; i++)
        if (strcmp(exported[i].name, full) == 0)
            return (void *)exported[i].function;
    return NULL;
}

/* The newest version of a function that a program for a version of CUDA knows: all versions of a
 * name have the same parameters here, except those of cuCtxCreate and cuGraphInstantiate. */
static void *find_version(const char *name, int version, bool per_thread)
{
    enum { CUDA_11_4 = 11040, CUDA_12 = 12000, CUDA_12_5 = 12050 };
    static const char *const suffixes[] = {"_v2", ""};
    void *function = NULL;
    if (strcmp(name, "cuCtxCreate") == 0 && version >= CUDA_11_4)
        return find(name, version >= CUDA_12_5 ? "_v4" : "_v3");
    if (strcmp(name, "cuGraphInstantiate") == 0 && version >= CUDA_12)
        return find(name, "WithFlags");
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !function && per_thread; i++) {
        char suffix[16];
        snprintf(suffix, sizeof suffix, "%s_ptsz", suffixes[i]);
        function = find(name, suffix);
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !function; i++)
        function = find(name, suffixes[i]);
    return function;
}

static CUresult get_address(const char *name, void **function, int version, uint64_t flags,
                            int *status)
{
    enum {
        FLAGS = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
    };
    if (!name || !function || (flags & ~(uint64_t)FLAGS) != 0 || flags == FLAGS)
        return CUDA_ERROR_INVALID_VALUE;
    *function = find_version(name, version, flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    if (status)
        *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    if (!*function)
        AH_LOG_WARN("simulated CUDA driver: there is no function %s", name);
    return *function || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult simcuda_cuGetProcAddress(const char *name, void **function, int version, uint64_t flags,
                                  int *status)
{
    SIMCUDA_ENTER(cuGetProcAddress);
    return simcuda_leave(get_address(name, function, version, flags, status));
}

/* NVIDIA's own libraries request tables of functions that are not documented. */
CUresult simcuda_cuGetExportTable(const void **table, const CUuuid *id)
{
    SIMCUDA_ENTER(cuGetExportTable);
    if (!table || !id)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    *table = NULL;
    AH_LOG_WARN("simulated CUDA driver: private tables of functions are not supported: NVIDIA's "
                "runtime library cannot run on it");
    return simcuda_leave(CUDA_ERROR_NOT_SUPPORTED);
}
