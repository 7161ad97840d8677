/* Owns parts of a device: the driver's green contexts. The driver chooses which multiprocessors a
 * result of a split has, and says it of no other split. So units are numbered by the one split into
 * the smallest groups that the driver makes, which is the same each time, and a mask becomes a list
 * of groups. */
#include "cuda_backend.h"

#include <stdlib.h>

/* A split of the whole device. */
struct parts {
    CUdevResource all, rest; /* rest: of type invalid if there is none */
    CUdevResource *groups;   /* owned */
    unsigned count;
    unsigned size; /* multiprocessors of each */
};

static const char *missing_symbol(const struct ahcuda_api *api)
{
    return !api->cuDeviceGetDevResource        ? "cuDeviceGetDevResource"
           : !api->cuDevSmResourceSplitByCount ? "cuDevSmResourceSplitByCount"
           : !api->cuDevResourceGenerateDesc   ? "cuDevResourceGenerateDesc"
           : !api->cuGreenCtxCreate            ? "cuGreenCtxCreate"
           : !api->cuGreenCtxDestroy           ? "cuGreenCtxDestroy"
           : !api->cuGreenCtxStreamCreate      ? "cuGreenCtxStreamCreate"
                                               : NULL;
}

/* The smallest groups are those for which clusters do not matter. */
static CUresult split(const struct ahcuda_api *api, struct parts *parts)
{
    enum { FLAGS = CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, LEAST = 1 };
    CUresult result =
        api->cuDevSmResourceSplitByCount(NULL, &parts->count, &parts->all, NULL, FLAGS, LEAST);
    if (result != CUDA_SUCCESS || parts->count == 0)
        return result != CUDA_SUCCESS ? result : CUDA_ERROR_NOT_SUPPORTED;
    parts->groups = calloc(parts->count, sizeof *parts->groups);
    if (!parts->groups)
        return CUDA_ERROR_OUT_OF_MEMORY;
    result = api->cuDevSmResourceSplitByCount(parts->groups, &parts->count, &parts->all,
                                              &parts->rest, FLAGS, LEAST);
    if (result == CUDA_SUCCESS)
        parts->size = parts->groups[0].sm.smCount;
    return result == CUDA_SUCCESS && parts->size == 0 ? CUDA_ERROR_NOT_SUPPORTED : result;
}

/* The caller frees out->groups, also after an error. */
static hipError_t find_parts(struct ah_backend_device *device, struct parts *out)
{
    const struct ahcuda_api *api = device->api;
    const char *missing = missing_symbol(api);
    *out = (struct parts){.count = 0};
    if (missing)
        return ahcuda_missing(device, missing);
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    CUresult result =
        api->cuDeviceGetDevResource(device->ordinal, &out->all, CU_DEV_RESOURCE_TYPE_SM);
    if (result != CUDA_SUCCESS)
        return ahcuda_report(device, "cuDeviceGetDevResource", result);
    return ahcuda_done(device, "cuDevSmResourceSplitByCount", split(api, out));
}

hipError_t ahcuda_device_units(struct ah_backend_device *device, unsigned *out_units,
                               unsigned *out_group)
{
    struct parts parts;
    hipError_t error = find_parts(device, &parts);
    if (error == hipSuccess) {
        *out_units = parts.all.sm.smCount;
        *out_group = parts.size;
    }
    free(parts.groups);
    return error;
}

/* ---- contexts --------------------------------------------------------------------------- */

static bool has_unit(const uint32_t *mask, unsigned words, unsigned unit)
{
    return unit / 32 < words && mask[unit / 32] >> unit % 32 & 1;
}

/* Counts the units of the mask from first on, up to end. */
static unsigned count_units(const uint32_t *mask, unsigned words, unsigned first, unsigned end)
{
    unsigned count = 0;
    for (unsigned i = first; i < end; i++)
        count += has_unit(mask, words, i);
    return count;
}

/* Moves the resources that the mask names to the front of the list, which has a place for the rest
 * too. Units behind the last group are the rest. False: the mask names a part of a group. */
static bool choose(struct parts *parts, const uint32_t *mask, unsigned words,
                   CUdevResource *out_list, unsigned *out_count)
{
    unsigned size = parts->size, end = parts->all.sm.smCount;
    *out_count = 0;
    for (unsigned i = 0; i < parts->count; i++) {
        unsigned named = count_units(mask, words, i * size, (i + 1) * size);
        if (named == size)
            out_list[(*out_count)++] = parts->groups[i];
        else if (named > 0)
            return false;
    }
    unsigned grouped = parts->count * size;
    unsigned named = count_units(mask, words, grouped, end);
    if (named > 0 && named == end - grouped)
        out_list[(*out_count)++] = parts->rest;
    return named == 0 || named == end - grouped;
}

static CUresult create(struct ah_backend_device *device, CUdevResource *list, unsigned count,
                       CUgreenCtx *out_context)
{
    const struct ahcuda_api *api = device->api;
    CUdevResourceDesc description;
    CUresult result = api->cuDevResourceGenerateDesc(&description, list, count);
    return result == CUDA_SUCCESS ? api->cuGreenCtxCreate(out_context, description, device->ordinal,
                                                          CU_GREEN_CTX_DEFAULT_STREAM)
                                  : result;
}

static hipError_t create_of(struct ah_backend_device *device, struct parts *parts,
                            const uint32_t *mask, unsigned words, CUgreenCtx *out_context)
{
    unsigned count = 0;
    bool whole = count_units(mask, words, 0, parts->all.sm.smCount) == parts->all.sm.smCount;
    CUdevResource *list = calloc(parts->count + 1, sizeof *list);
    if (!list)
        return hipErrorOutOfMemory;
    if (whole)
        list[count++] = parts->all;
    else if (!choose(parts, mask, words, list, &count)) {
        AH_LOG_ERR(
            "%s:%d: the driver gives multiprocessors to contexts in groups of %u, from 0 on, "
            "and the mask names a part of one",
            device->backend->name, device->ordinal, parts->size);
        free(list);
        return hipErrorNotSupported;
    }
    hipError_t error =
        ahcuda_done(device, "cuGreenCtxCreate", create(device, list, count, out_context));
    free(list);
    return error;
}

hipError_t ahcuda_context_create(struct ah_backend_device *device, const uint32_t *mask,
                                 unsigned words, struct ah_backend_context **out_context)
{
    struct parts parts;
    CUgreenCtx context = NULL;
    hipError_t error = find_parts(device, &parts);
    if (error == hipSuccess)
        error = create_of(device, &parts, mask, words, &context);
    free(parts.groups);
    if (error == hipSuccess)
        *out_context = (struct ah_backend_context *)(void *)context;
    return error;
}

hipError_t ahcuda_context_destroy(struct ah_backend_device *device,
                                  struct ah_backend_context *context)
{
    hipError_t error = ahcuda_enter(device);
    return error == hipSuccess
               ? ahcuda_done(device, "cuGreenCtxDestroy",
                             device->api->cuGreenCtxDestroy((CUgreenCtx)(void *)context))
               : error;
}

hipError_t ahcuda_context_stream_create(struct ah_backend_device *device,
                                        struct ah_backend_context *context, unsigned flags,
                                        int priority, struct ah_backend_stream **out_stream)
{
    if (flags != hipStreamNonBlocking)
        return hipErrorNotSupported;
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuGreenCtxStreamCreate",
                       device->api->cuGreenCtxStreamCreate((CUstream *)(void *)out_stream,
                                                           (CUgreenCtx)(void *)context, flags,
                                                           priority));
}
