/* Owns parts of devices: resources of multiprocessors, their splits, and green contexts. Sizes are
 * those of NVIDIA's guideline for each compute capability. */
#include "simcuda_driver.h"

#include <string.h>

/* What a resource has in the driver's part of it: neighbouring multiprocessors. */
struct part {
    uint32_t mark, split; /* split 0: not a result of one */
    int32_t device;
    uint32_t first, count;
};
enum { MARK = 0x736d7274 };
_Static_assert(sizeof(struct part) <= sizeof(((CUdevResource *)0)->internal), "struct part");

struct resources {
    struct simcuda_object object;
    struct simcuda_device *device;
    unsigned units;
    uint32_t mask[SIMCUDA_UNIT_WORDS];
};

struct rules {
    unsigned least, alignment;
};

static struct rules rules_of(const struct simcuda_device *device, unsigned flags)
{
    enum { VOLTA = 70, AMPERE = 80, HOPPER = 90 };
    unsigned sm = device->model.sm;
    if (flags & CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING)
        return (struct rules){2, 2};
    return sm >= HOPPER   ? (struct rules){8, 8}
           : sm >= AMPERE ? (struct rules){4, 2}
           : sm >= VOLTA  ? (struct rules){2, 2}
                          : (struct rules){1, 1};
}

static void write_resource(CUdevResource *out, const struct part *part, struct rules rules)
{
    memset(out, 0, sizeof *out);
    if (part->count == 0)
        return; /* of type invalid */
    out->type = CU_DEV_RESOURCE_TYPE_SM;
    memcpy(out->internal, part, sizeof *part);
    out->sm.smCount = part->count;
    out->sm.minSmPartitionSize = rules.least;
    out->sm.smCoscheduledAlignment = rules.alignment;
}

static CUresult read_resource(const CUdevResource *resource, struct part *out)
{
    if (resource->type != CU_DEV_RESOURCE_TYPE_SM)
        return CUDA_ERROR_INVALID_RESOURCE_TYPE;
    memcpy(out, resource->internal, sizeof *out);
    const struct simcuda_device *device = simcuda_device(out->device);
    bool valid = out->mark == MARK && device && out->count == resource->sm.smCount &&
                 out->count > 0 && out->first + out->count <= (unsigned)device->model.units;
    return valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
}

static CUresult of_device(const struct simcuda_device *device, CUdevResource *resource, int type)
{
    if (!device)
        return CUDA_ERROR_INVALID_DEVICE;
    if (!resource)
        return CUDA_ERROR_INVALID_VALUE;
    if (type != CU_DEV_RESOURCE_TYPE_SM)
        return CUDA_ERROR_INVALID_RESOURCE_TYPE;
    const struct part all = {MARK, 0, device->ordinal, 0, (unsigned)device->model.units};
    write_resource(resource, &all, rules_of(device, 0));
    return CUDA_SUCCESS;
}

CUresult simcuda_cuDeviceGetDevResource(CUdevice device, CUdevResource *resource, int type)
{
    SIMCUDA_ENTER(cuDeviceGetDevResource);
    return simcuda_leave(of_device(simcuda_device(device), resource, type));
}

/* Results of a split cannot be split again. */
static CUresult split(CUdevResource *result, unsigned *count, const CUdevResource *input,
                      CUdevResource *remainder, unsigned flags, unsigned least)
{
    enum {
        KNOWN = CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING |
                CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE
    };
    static uint32_t last_split;
    struct part all;
    if (!count || !input || flags & ~(unsigned)KNOWN)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult read = read_resource(input, &all);
    if (read != CUDA_SUCCESS || all.split != 0)
        return read != CUDA_SUCCESS ? read : CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    struct rules rules = rules_of(simcuda_device(all.device), flags);
    least = least < rules.least ? rules.least : least > all.count ? all.count + 1 : least;
    unsigned size = (least + rules.alignment - 1) / rules.alignment * rules.alignment;
    unsigned possible = all.count / size;
    if (possible == 0)
        return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    *count = result && *count < possible ? *count : possible;
    if (!result)
        return CUDA_SUCCESS;
    struct part part = {MARK, ++last_split, all.device, all.first, size};
    for (unsigned i = 0; i < *count; i++, part.first += size)
        write_resource(&result[i], &part, rules);
    part.count = all.first + all.count - part.first;
    if (remainder)
        write_resource(remainder, &part, rules);
    return CUDA_SUCCESS;
}

CUresult simcuda_cuDevSmResourceSplitByCount(CUdevResource *result, unsigned *count,
                                             const CUdevResource *input, CUdevResource *remainder,
                                             unsigned flags, unsigned least)
{
    SIMCUDA_ENTER(cuDevSmResourceSplitByCount);
    return simcuda_leave(split(result, count, input, remainder, flags, least));
}

/* Several resources have to be different results of one split. */
static CUresult add_part(struct resources *resources, const struct part *part,
                         const struct part *first)
{
    if (part->device != first->device || part->split != first->split)
        return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    for (unsigned unit = part->first; unit < part->first + part->count; unit++) {
        if (resources->mask[unit / 32] >> unit % 32 & 1)
            return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
        resources->mask[unit / 32] |= 1u << unit % 32;
    }
    resources->units += part->count;
    return CUDA_SUCCESS;
}

static CUresult describe(CUdevResourceDesc *out, const CUdevResource *list, unsigned count)
{
    struct part first = {0}, part;
    if (!out || !list || count == 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = read_resource(&list[0], &first);
    struct resources *resources =
        result == CUDA_SUCCESS ? simcuda_object_new(SIMCUDA_RESOURCES, sizeof *resources, NULL)
                               : NULL;
    if (!resources)
        return result == CUDA_SUCCESS ? CUDA_ERROR_OUT_OF_MEMORY : result;
    resources->device = simcuda_device(first.device);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++) {
        result = read_resource(&list[i], &part);
        if (result == CUDA_SUCCESS)
            result = add_part(resources, &part, &first);
    }
    if (result == CUDA_SUCCESS)
        *out = (CUdevResourceDesc)(uintptr_t)resources->object.handle;
    else
        simcuda_object_close(&resources->object);
    return result;
}

CUresult simcuda_cuDevResourceGenerateDesc(CUdevResourceDesc *description, CUdevResource *resources,
                                           unsigned count)
{
    SIMCUDA_ENTER(cuDevResourceGenerateDesc);
    return simcuda_leave(describe(description, resources, count));
}

/* ---- green contexts --------------------------------------------------------------------- */

static CUresult create(CUgreenCtx *out, CUdevResourceDesc description, CUdevice ordinal,
                       unsigned flags)
{
    CUcontext primary;
    struct simcuda_device *device = simcuda_device(ordinal);
    if (!device)
        return CUDA_ERROR_INVALID_DEVICE;
    const struct resources *resources =
        simcuda_object_get(description, SIMCUDA_RESOURCES, "cuGreenCtxCreate");
    if (!out || !resources || flags != CU_GREEN_CTX_DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_VALUE;
    if (resources->device != device)
        return CUDA_ERROR_INVALID_DEVICE;
    CUresult result = simcuda_primary_retain(&primary, device);
    if (result != CUDA_SUCCESS)
        return result;
    struct simcuda_green *green = simcuda_object_new(SIMCUDA_GREEN, sizeof *green, NULL);
    if (!green) {
        simcuda_primary_release(device);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    green->device = device;
    green->units = resources->units;
    memcpy(green->mask, resources->mask, sizeof green->mask);
    *out = (CUgreenCtx)(uintptr_t)green->object.handle;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuGreenCtxCreate(CUgreenCtx *context, CUdevResourceDesc description,
                                  CUdevice device, unsigned flags)
{
    SIMCUDA_ENTER(cuGreenCtxCreate);
    return simcuda_leave(create(context, description, device, flags));
}

/* The primary context may have been reset meanwhile. */
CUresult simcuda_cuGreenCtxDestroy(CUgreenCtx context)
{
    SIMCUDA_ENTER(cuGreenCtxDestroy);
    struct simcuda_green *green = simcuda_object_get(context, SIMCUDA_GREEN, "cuGreenCtxDestroy");
    if (!green)
        return simcuda_leave(CUDA_ERROR_INVALID_CONTEXT);
    struct simcuda_device *device = green->device;
    simcuda_object_close(&green->object);
    if (device->primary->retained > 0)
        simcuda_primary_release(device);
    return simcuda_leave(CUDA_SUCCESS);
}

static CUresult create_stream(CUstream *out, CUgreenCtx handle, unsigned flags, int priority)
{
    struct simcuda_stream *stream;
    struct simcuda_green *green = simcuda_object_get(handle, SIMCUDA_GREEN, "a green context");
    if (!green)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!out || flags != CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = simcuda_stream_open(green->device->primary, flags, priority, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    stream->green = green;
    simcuda_object_retain(&green->object);
    *out = (CUstream)(uintptr_t)stream->object.handle;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuGreenCtxStreamCreate(CUstream *stream, CUgreenCtx context, unsigned flags,
                                        int priority)
{
    SIMCUDA_ENTER(cuGreenCtxStreamCreate);
    return simcuda_leave(create_stream(stream, context, flags, priority));
}
