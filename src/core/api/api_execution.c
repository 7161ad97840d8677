/* Execution contexts: resources, descriptions, contexts and their streams. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"
#include "runtime.h"
#include "unit_resource.h"

#include <stdlib.h>
#include <string.h>

/* ---- resources -------------------------------------------------------------------------- */

static hipError_t of_device(int ordinal, hipDevResource *out, hipDevResourceType type)
{
    const struct ah_device *device = ah_device_at(ordinal);
    if (!out)
        return hipErrorInvalidValue;
    if (type != hipDevResourceTypeSm)
        return hipErrorInvalidResourceType;
    return device ? ah_unit_resource_of(device, NULL, 0, out) : ah_device_missing_error();
}

hipError_t hipDeviceGetDevResource(hipDevice_t device, hipDevResource *resource,
                                   hipDevResourceType type)
{
    AH_ENTER(hipDeviceGetDevResource);
    return AH_LEAVE(of_device(device, resource, type));
}

static struct ah_execution_context *context_of(hipExecutionCtx_t handle)
{
    return ah_handle_is(handle, AH_HANDLE_EXECUTION_CONTEXT)
               ? (struct ah_execution_context *)(void *)handle
               : NULL;
}

static hipError_t of_context(hipExecutionCtx_t handle, hipDevResource *out, hipDevResourceType type)
{
    const struct ah_execution_context *context = context_of(handle);
    if (!context || !out)
        return hipErrorInvalidValue;
    return type == hipDevResourceTypeSm
               ? ah_unit_resource_of(context->handle.device, context->mask, context->words, out)
               : hipErrorInvalidResourceType;
}

hipError_t hipExecutionCtxGetDevResource(hipExecutionCtx_t ctx, hipDevResource *resource,
                                         hipDevResourceType type)
{
    AH_ENTER(hipExecutionCtxGetDevResource);
    return AH_LEAVE(of_context(ctx, resource, type));
}

static hipError_t of_stream(hipStream_t handle, hipDevResource *out, hipDevResourceType type)
{
    struct ah_stream *stream;
    if (!out)
        return hipErrorInvalidValue;
    if (type != hipDevResourceTypeSm)
        return hipErrorInvalidResourceType;
    hipError_t error = ah_stream_resolve_any(handle, &stream);
    if (error != hipSuccess)
        return error == hipErrorContextIsDestroyed ? hipErrorInvalidHandle : error;
    return ah_unit_resource_of(stream->handle.device, stream->mask, stream->mask_words, out);
}

hipError_t hipStreamGetDevResource(hipStream_t hStream, hipDevResource *resource,
                                   hipDevResourceType type)
{
    AH_ENTER(hipStreamGetDevResource);
    return AH_LEAVE(of_stream(hStream, resource, type));
}

hipError_t hipDevSmResourceSplitByCount(hipDevResource *result, unsigned int *nbGroups,
                                        const hipDevResource *input, hipDevResource *remainder,
                                        unsigned int flags, unsigned int minCount)
{
    AH_ENTER(hipDevSmResourceSplitByCount);
    return AH_LEAVE(nbGroups && input ? ah_unit_split_by_count(input, flags, minCount, nbGroups,
                                                               result, remainder)
                                      : hipErrorInvalidValue);
}

static hipError_t split(hipDevResource *result, unsigned count, const hipDevResource *input,
                        hipDevResource *remainder, unsigned flags,
                        hipDevSmResourceGroupParams *groups)
{
    if (!input || !groups || count == 0)
        return hipErrorInvalidValue;
    if (input->type != hipDevResourceTypeSm)
        return hipErrorInvalidResourceType;
    return flags == 0 ? ah_unit_split(input, groups, count, result, remainder)
                      : hipErrorInvalidValue;
}

hipError_t hipDevSmResourceSplit(hipDevResource *result, unsigned int nbGroups,
                                 const hipDevResource *input, hipDevResource *remainder,
                                 unsigned int flags, hipDevSmResourceGroupParams *groupParams)
{
    AH_ENTER(hipDevSmResourceSplit);
    return AH_LEAVE(split(result, nbGroups, input, remainder, flags, groupParams));
}

/* ---- descriptions ----------------------------------------------------------------------- */

struct description {
    struct ah_handle handle;
    uint32_t mask[AH_UNIT_WORDS];
};
_Static_assert(sizeof(struct description) <= AH_HANDLE_SLOT, "struct description");

/* Guards the search for an equal description. */
static pthread_mutex_t description_lock = PTHREAD_MUTEX_INITIALIZER;

struct search {
    const struct ah_device *device;
    const uint32_t *mask;
    struct description *found;
};

static void compare(void *handle, void *data)
{
    struct description *description = handle;
    struct search *search = data;
    if (description->handle.device == search->device &&
        memcmp(description->mask, search->mask, sizeof description->mask) == 0)
        search->found = description;
}

/* No function destroys descriptions, so that equal ones are one. */
static hipError_t describe(const struct ah_unit_set *set, struct description **out)
{
    struct search search = {ah_device_at(set->ordinal), set->mask, NULL};
    pthread_mutex_lock(&description_lock);
    ah_handle_each(AH_HANDLE_RESOURCES, compare, &search);
    *out = search.found;
    if (!*out) {
        *out = ah_handle_create(AH_HANDLE_RESOURCES, ah_device_at(set->ordinal));
        if (*out)
            memcpy((*out)->mask, set->mask, sizeof set->mask);
    }
    pthread_mutex_unlock(&description_lock);
    return *out ? hipSuccess : hipErrorOutOfMemory;
}

static hipError_t generate(hipDevResourceDesc_t *out_description, const hipDevResource *resources,
                           unsigned count)
{
    struct ah_unit_set set;
    struct description *description;
    if (!out_description || !resources || count == 0)
        return hipErrorInvalidValue;
    hipError_t error = ah_unit_resources_join(resources, count, &set);
    if (error == hipSuccess)
        error = describe(&set, &description);
    if (error == hipSuccess)
        *out_description = (hipDevResourceDesc_t)(void *)description;
    return error;
}

hipError_t hipDevResourceGenerateDesc(hipDevResourceDesc_t *desc, hipDevResource *resources,
                                      unsigned int nbResources)
{
    AH_ENTER(hipDevResourceGenerateDesc);
    return AH_LEAVE(generate(desc, resources, nbResources));
}

/* ---- contexts --------------------------------------------------------------------------- */

static hipError_t create(hipExecutionCtx_t *out_context, hipDevResourceDesc_t desc, int ordinal,
                         unsigned flags)
{
    struct ah_execution_context *context;
    struct ah_device *device = ah_device_at(ordinal);
    const struct description *description = (const struct description *)(void *)desc;
    if (!out_context || !ah_handle_is(desc, AH_HANDLE_RESOURCES) || flags != 0)
        return hipErrorInvalidValue;
    if (!device)
        return ah_device_missing_error();
    if (description->handle.device != device)
        return hipErrorInvalidDevice;
    hipError_t error = ah_execution_create(AH_HANDLE_EXECUTION_CONTEXT, device, description->mask,
                                           AH_UNIT_WORDS, &context);
    if (error == hipSuccess)
        *out_context = (hipExecutionCtx_t)(void *)context;
    return error;
}

hipError_t hipGreenCtxCreate(hipExecutionCtx_t *ctx, hipDevResourceDesc_t desc, int device,
                             unsigned int flags)
{
    AH_ENTER(hipGreenCtxCreate);
    return AH_LEAVE(create(ctx, desc, device, flags));
}

static hipError_t context_of_device(hipExecutionCtx_t *out_context, int ordinal)
{
    struct ah_device *device = ah_device_at(ordinal);
    if (!out_context)
        return hipErrorInvalidValue;
    return device ? ah_execution_of_device(device, out_context) : ah_device_missing_error();
}

hipError_t hipDeviceGetExecutionCtx(hipExecutionCtx_t *ctx, int device)
{
    AH_ENTER(hipDeviceGetExecutionCtx);
    return AH_LEAVE(context_of_device(ctx, device));
}

hipError_t hipExecutionCtxDestroy(hipExecutionCtx_t ctx)
{
    AH_ENTER(hipExecutionCtxDestroy);
    return AH_LEAVE(ah_execution_destroy(ctx));
}

static hipError_t create_stream(hipStream_t *out_stream, hipExecutionCtx_t handle, unsigned flags,
                                int priority)
{
    struct ah_stream *stream;
    struct ah_execution_context *context = context_of(handle);
    if (!out_stream || !context || (flags != hipStreamDefault && flags != hipStreamNonBlocking))
        return hipErrorInvalidValue;
    hipError_t error = ah_execution_stream(context, flags, priority, &stream);
    if (error == hipSuccess)
        *out_stream = (hipStream_t)(void *)stream;
    return error;
}

hipError_t hipExecutionCtxStreamCreate(hipStream_t *stream, hipExecutionCtx_t greenctx,
                                       unsigned int flags, int priority)
{
    AH_ENTER(hipExecutionCtxStreamCreate);
    return AH_LEAVE(create_stream(stream, greenctx, flags, priority));
}

static hipError_t device_of(int *out_ordinal, hipExecutionCtx_t handle)
{
    const struct ah_execution_context *context = context_of(handle);
    if (!out_ordinal || !context)
        return hipErrorInvalidValue;
    *out_ordinal = context->handle.device->ordinal;
    return hipSuccess;
}

hipError_t hipExecutionCtxGetDevice(int *device, hipExecutionCtx_t ctx)
{
    AH_ENTER(hipExecutionCtxGetDevice);
    return AH_LEAVE(device_of(device, ctx));
}

static hipError_t id_of(hipExecutionCtx_t handle, unsigned long long *out_id)
{
    const struct ah_execution_context *context = context_of(handle);
    if (!out_id || !context)
        return hipErrorInvalidValue;
    *out_id = context->id;
    return hipSuccess;
}

hipError_t hipExecutionCtxGetId(hipExecutionCtx_t ctx, unsigned long long *ctxId)
{
    AH_ENTER(hipExecutionCtxGetId);
    return AH_LEAVE(id_of(ctx, ctxId));
}

/* ---- order ------------------------------------------------------------------------------ */

static hipError_t order(hipExecutionCtx_t handle, hipEvent_t event_handle,
                        hipError_t (*apply)(struct ah_execution_context *context,
                                            struct ah_event *event))
{
    struct ah_event *event;
    struct ah_execution_context *context = context_of(handle);
    if (!context)
        return hipErrorInvalidValue;
    hipError_t error = ah_event_check(event_handle, &event);
    return error == hipSuccess ? apply(context, event) : error;
}

hipError_t hipExecutionCtxRecordEvent(hipExecutionCtx_t ctx, hipEvent_t event)
{
    AH_ENTER(hipExecutionCtxRecordEvent);
    return AH_LEAVE(order(ctx, event, ah_execution_record));
}

hipError_t hipExecutionCtxWaitEvent(hipExecutionCtx_t ctx, hipEvent_t event)
{
    AH_ENTER(hipExecutionCtxWaitEvent);
    return AH_LEAVE(order(ctx, event, ah_execution_wait));
}

static hipError_t synchronize(hipExecutionCtx_t handle)
{
    struct ah_execution_context *context = context_of(handle);
    return context ? ah_execution_synchronize(context) : hipErrorInvalidValue;
}

hipError_t hipExecutionCtxSynchronize(hipExecutionCtx_t ctx)
{
    AH_ENTER(hipExecutionCtxSynchronize);
    return AH_LEAVE(synchronize(ctx));
}
