/* Execution contexts, the resources that they are made of, streams with masks of units, and the
 * attributes of streams and launches. */
#include "support.h"

#include <string.h>

static hipDevResource all_units(void)
{
    hipDevResource resource;
    ok(hipDeviceGetDevResource(0, &resource, hipDevResourceTypeSm));
    return resource;
}

/* A context of the first units of device 0. */
static hipExecutionCtx_t new_context(unsigned units)
{
    hipDevSmResourceGroupParams group = {.smCount = units};
    hipDevResource all = all_units(), part;
    hipDevResourceDesc_t description;
    hipExecutionCtx_t context;
    ok(hipDevSmResourceSplit(&part, 1, &all, NULL, 0, &group));
    ok(hipDevResourceGenerateDesc(&description, &part, 1));
    ok(hipGreenCtxCreate(&context, description, 0, 0));
    return context;
}

static hipStream_t new_stream(hipExecutionCtx_t context, unsigned flags)
{
    hipStream_t stream;
    ok(hipExecutionCtxStreamCreate(&stream, context, flags, 0));
    return stream;
}

/* ---- resources -------------------------------------------------------------------------- */

static void a_device_has_its_units_as_a_resource(void **state)
{
    hipDevResource resource = all_units(), other;
    int units;
    (void)state;
    ok(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, 0));
    check(resource.type == hipDevResourceTypeSm && resource.sm.smCount == (unsigned)units);
    check(resource.sm.smCoscheduledAlignment == (over_hsa() ? 1 : 2));
    check(resource.sm.minSmPartitionSize == resource.sm.smCoscheduledAlignment);
    check(resource.nextResource == NULL && resource.sm.flags == 0);
    ok(hipStreamGetDevResource(NULL, &other, hipDevResourceTypeSm));
    check(other.sm.smCount == (unsigned)units);
    expect(hipDeviceGetDevResource(0, NULL, hipDevResourceTypeSm), hipErrorInvalidValue);
    expect(hipDeviceGetDevResource(0, &other, hipDevResourceTypeWorkqueue),
           hipErrorInvalidResourceType);
    expect(hipDeviceGetDevResource(0, &other, hipDevResourceTypeWorkqueueConfig),
           hipErrorInvalidResourceType);
    expect(hipDeviceGetDevResource(-1, &other, hipDevResourceTypeSm), hipErrorInvalidDevice);
    expect(hipDeviceGetDevResource(99, &other, hipDevResourceTypeSm), hipErrorInvalidDevice);
    expect(hipStreamGetDevResource(NULL, NULL, hipDevResourceTypeSm), hipErrorInvalidValue);
    expect(hipStreamGetDevResource(NULL, &other, hipDevResourceTypeInvalid),
           hipErrorInvalidResourceType);
    expect(hipStreamGetDevResource((hipStream_t)-1, &other, hipDevResourceTypeSm),
           hipErrorInvalidHandle);
}

static void units_are_split_into_equal_groups(void **state)
{
    hipDevResource all = all_units(), groups[8], rest;
    unsigned count = 0, third = all.sm.smCount / 3;
    (void)state;
    ok(hipDevSmResourceSplitByCount(NULL, &count, &all, NULL, 0, third));
    check(count == 3 || count == 2); /* where a third is rounded up */
    count = 2;
    ok(hipDevSmResourceSplitByCount(groups, &count, &all, &rest, 0, third));
    check(count == 2 && groups[0].sm.smCount >= third);
    check(groups[0].sm.smCount == groups[1].sm.smCount && rest.type == hipDevResourceTypeSm);
    check(2 * groups[0].sm.smCount + rest.sm.smCount == all.sm.smCount);
    count = 8;
    ok(hipDevSmResourceSplitByCount(groups, &count, &all, &rest, 0, all.sm.smCount));
    check(count == 1 && rest.type == hipDevResourceTypeInvalid && rest.sm.smCount == 0);
    ok(hipDevSmResourceSplitByCount(NULL, &count, &all, NULL, 0, ~0u));
    check(count == 0);
    ok(hipDevSmResourceSplitByCount(NULL, &count, &all, NULL,
                                    hipDevSmResourceSplitMaxPotentialClusterSize, 0));
    check(count == all.sm.smCount / all.sm.smCoscheduledAlignment);
    expect(hipDevSmResourceSplitByCount(groups, NULL, &all, NULL, 0, 2), hipErrorInvalidValue);
    expect(hipDevSmResourceSplitByCount(groups, &count, NULL, NULL, 0, 2), hipErrorInvalidValue);
    expect(hipDevSmResourceSplitByCount(groups, &count, &all, NULL, 4, 2), hipErrorInvalidValue);
    expect_says(hipDevSmResourceSplitByCount(groups, &count, &all, NULL,
                                             hipDevSmResourceSplitIgnoreSmCoscheduling, 2),
                hipErrorNotSupported, "hipDevSmResourceSplitIgnoreSmCoscheduling is not supported");
}

static void units_are_split_into_groups_of_given_sizes(void **state)
{
    hipDevResource all = all_units(), groups[2], rest;
    unsigned alignment = all.sm.smCoscheduledAlignment, units = all.sm.smCount;
    hipDevSmResourceGroupParams wishes[2] = {
        {.smCount = 4}, {.smCount = 0, .flags = hipDevSmResourceGroupBackfill}};
    (void)state;
    ok(hipDevSmResourceSplit(groups, 2, &all, &rest, 0, wishes));
    check(groups[0].sm.smCount == 4 && groups[1].sm.smCount == units - 4);
    check(wishes[1].smCount == units - 4 && wishes[0].coscheduledSmCount == alignment);
    check(groups[1].sm.flags == hipDevSmResourceGroupBackfill);
    check(rest.type == hipDevResourceTypeInvalid);
    memset(wishes, 0, sizeof wishes);
    wishes[0].smCount = units;
    wishes[1].smCount = 2;
    expect(hipDevSmResourceSplit(groups, 2, &all, &rest, 0, wishes),
           hipErrorInvalidResourceConfiguration);
    memset(wishes, 0, sizeof wishes);
    wishes[0].smCount = units + 2;
    expect(hipDevSmResourceSplit(groups, 1, &all, &rest, 0, wishes),
           hipErrorInvalidResourceConfiguration);
    memset(wishes, 0, sizeof wishes);
    wishes[0].smCount = 10;
    wishes[0].coscheduledSmCount = 4;
    expect(hipDevSmResourceSplit(groups, 1, &all, &rest, 0, wishes),
           hipErrorInvalidResourceConfiguration);
    ok(hipDevSmResourceSplit(NULL, 1, &all, NULL, 0, wishes));
    expect(hipDevSmResourceSplit(groups, 1, NULL, &rest, 0, wishes), hipErrorInvalidValue);
    expect(hipDevSmResourceSplit(groups, 1, &all, &rest, 0, NULL), hipErrorInvalidValue);
    expect(hipDevSmResourceSplit(groups, 0, &all, &rest, 0, wishes), hipErrorInvalidValue);
    expect(hipDevSmResourceSplit(groups, 1, &all, &rest, 1, wishes), hipErrorInvalidValue);
}

static void a_resource_that_was_changed_is_refused(void **state)
{
    hipDevResource all = all_units(), forged = all, out;
    hipDevSmResourceGroupParams wish = {.smCount = 4};
    hipDevResourceDesc_t description;
    unsigned count = 1;
    (void)state;
    forged.type = hipDevResourceTypeInvalid;
    expect(hipDevSmResourceSplit(&out, 1, &forged, NULL, 0, &wish), hipErrorInvalidResourceType);
    expect(hipDevSmResourceSplitByCount(&out, &count, &forged, NULL, 0, 2),
           hipErrorInvalidResourceType);
    expect(hipDevResourceGenerateDesc(&description, &forged, 1), hipErrorInvalidResourceType);
    forged = all;
    forged.sm.smCount += 2;
    expect_says(hipDevSmResourceSplit(&out, 1, &forged, NULL, 0, &wish),
                hipErrorInvalidResourceConfiguration, "is not one that HIP has made");
    memset(&forged, 0xff, sizeof forged);
    forged.type = hipDevResourceTypeSm;
    expect(hipDevResourceGenerateDesc(&description, &forged, 1),
           hipErrorInvalidResourceConfiguration);
}

static void a_description_has_results_of_one_split(void **state)
{
    hipDevResource all = all_units(), first[2], second[2];
    hipDevSmResourceGroupParams wishes[2] = {{.smCount = 4}, {.smCount = 4}};
    hipDevResourceDesc_t description, same;
    (void)state;
    ok(hipDevSmResourceSplit(first, 2, &all, NULL, 0, wishes));
    ok(hipDevSmResourceSplit(second, 2, &all, NULL, 0, wishes));
    ok(hipDevResourceGenerateDesc(&description, first, 2));
    ok(hipDevResourceGenerateDesc(&same, second, 2));
    check(description == same);
    second[0] = first[1];
    expect_says(hipDevResourceGenerateDesc(&description, second, 2),
                hipErrorInvalidResourceConfiguration, "are not different results of one split");
    first[0] = first[1];
    expect(hipDevResourceGenerateDesc(&description, first, 2),
           hipErrorInvalidResourceConfiguration);
    expect(hipDevResourceGenerateDesc(NULL, first, 1), hipErrorInvalidValue);
    expect(hipDevResourceGenerateDesc(&description, NULL, 1), hipErrorInvalidValue);
    expect(hipDevResourceGenerateDesc(&description, first, 0), hipErrorInvalidValue);
}

/* ---- contexts --------------------------------------------------------------------------- */

static void contexts_are_checked_and_say_what_they_are(void **state)
{
    hipDevResource all = all_units(), got;
    hipDevResourceDesc_t description;
    hipExecutionCtx_t context, own, again;
    unsigned long long id, own_id;
    int device = -1;
    (void)state;
    ok(hipDevResourceGenerateDesc(&description, &all, 1));
    expect(hipGreenCtxCreate(NULL, description, 0, 0), hipErrorInvalidValue);
    expect(hipGreenCtxCreate(&context, NULL, 0, 0), hipErrorInvalidValue);
    expect(hipGreenCtxCreate(&context, (hipDevResourceDesc_t)&all, 0, 0), hipErrorInvalidValue);
    expect(hipGreenCtxCreate(&context, description, 0, 1), hipErrorInvalidValue);
    expect(hipGreenCtxCreate(&context, description, -1, 0), hipErrorInvalidDevice);
    expect(hipGreenCtxCreate(&context, description, 1, 0), hipErrorInvalidDevice);
    ok(hipGreenCtxCreate(&context, description, 0, 0)); /* of all units */
    ok(hipExecutionCtxGetDevResource(context, &got, hipDevResourceTypeSm));
    check(got.sm.smCount == all.sm.smCount);
    ok(hipExecutionCtxDestroy(context));
    expect(hipExecutionCtxDestroy(context), hipErrorInvalidValue);
    expect(hipExecutionCtxDestroy(NULL), hipErrorInvalidValue);
    context = new_context(4);
    ok(hipExecutionCtxGetDevResource(context, &got, hipDevResourceTypeSm));
    check(got.sm.smCount == 4);
    expect(hipExecutionCtxGetDevResource(context, NULL, hipDevResourceTypeSm),
           hipErrorInvalidValue);
    expect(hipExecutionCtxGetDevResource(NULL, &got, hipDevResourceTypeSm), hipErrorInvalidValue);
    expect(hipExecutionCtxGetDevResource(context, &got, hipDevResourceTypeWorkqueue),
           hipErrorInvalidResourceType);
    ok(hipDeviceGetExecutionCtx(&own, 0));
    ok(hipDeviceGetExecutionCtx(&again, 0));
    check(own == again && own != context);
    expect(hipDeviceGetExecutionCtx(NULL, 0), hipErrorInvalidValue);
    expect(hipDeviceGetExecutionCtx(&again, -1), hipErrorInvalidDevice);
    expect(hipExecutionCtxDestroy(own), hipErrorInvalidValue);
    ok(hipExecutionCtxGetId(context, &id));
    ok(hipExecutionCtxGetId(own, &own_id));
    check(id != 0 && own_id != 0 && id != own_id);
    expect(hipExecutionCtxGetId(NULL, &id), hipErrorInvalidValue);
    expect(hipExecutionCtxGetId(own, NULL), hipErrorInvalidValue);
    ok(hipExecutionCtxGetDevice(&device, context));
    check(device == 0);
    expect(hipExecutionCtxGetDevice(NULL, context), hipErrorInvalidValue);
    expect(hipExecutionCtxGetDevice(&device, NULL), hipErrorInvalidValue);
    ok(hipExecutionCtxDestroy(context));
}

static void streams_of_a_context_have_its_units(void **state)
{
    hipExecutionCtx_t context = new_context(4), own;
    hipStream_t stream, plain;
    hipDevResource got;
    uint32_t mask[32], *pinned;
    unsigned flags;
    (void)state;
    expect(hipExecutionCtxStreamCreate(NULL, context, hipStreamNonBlocking, 0),
           hipErrorInvalidValue);
    expect(hipExecutionCtxStreamCreate(&stream, NULL, hipStreamNonBlocking, 0),
           hipErrorInvalidValue);
    expect(hipExecutionCtxStreamCreate(&stream, context, 6, 0), hipErrorInvalidValue);
    stream = new_stream(context, hipStreamNonBlocking);
    ok(hipStreamGetDevResource(stream, &got, hipDevResourceTypeSm));
    check(got.sm.smCount == 4);
    ok(hipExtStreamGetCUMask(stream, 32, mask));
    check(mask[0] == 0xf && mask[1] == 0 && mask[31] == 0);
    ok(hipStreamGetFlags(stream, &flags));
    check(flags == hipStreamNonBlocking);
    ok(hipHostMalloc((void **)&pinned, 64, 0));
    ok(launch_fill(pinned, 5, 16, stream));
    ok(hipStreamSynchronize(stream));
    check_words(pinned, 16, 5);
    ok(hipStreamDestroy(stream));
    ok(hipDeviceGetExecutionCtx(&own, 0));
    plain = new_stream(own, hipStreamDefault);
    ok(launch_fill(pinned, 6, 16, plain));
    ok(hipExecutionCtxSynchronize(own));
    check_words(pinned, 16, 6);
    ok(hipStreamDestroy(plain));
    ok(hipHostFree(pinned));
    ok(hipExecutionCtxDestroy(context));
}

static void on_host(void *data)
{
    (void)data;
}

static void on_callback(hipStream_t stream, hipError_t error, void *data)
{
    (void)stream, (void)error, (void)data;
}

static void expect_no_work(hipStream_t stream)
{
    hipMemcpy3DParms nothing;
    HIP_MEMCPY3D none;
    uint32_t *memory;
    hipGraph_t graph;
    hipEvent_t event;
    memset(&nothing, 0, sizeof nothing);
    memset(&none, 0, sizeof none);
    ok(hipMalloc((void **)&memory, 64));
    ok(hipEventCreate(&event));
    expect(hipStreamSynchronize(stream), hipErrorStreamDetached);
    expect(hipStreamQuery(stream), hipErrorStreamDetached);
    expect(hipStreamWaitEvent(stream, event, 0), hipErrorStreamDetached);
    expect(hipEventRecord(event, stream), hipErrorStreamDetached);
    expect(hipEventRecordWithFlags(event, stream, 0), hipErrorStreamDetached);
    expect(hipStreamAddCallback(stream, on_callback, NULL, 0), hipErrorStreamDetached);
    expect(hipLaunchHostFunc(stream, on_host, NULL), hipErrorStreamDetached);
    expect(launch_fill(memory, 1, 1, stream), hipErrorStreamDetached);
    expect(hipMemcpyAsync(memory, memory + 8, 4, hipMemcpyDeviceToDevice, stream),
           hipErrorStreamDetached);
    expect(hipMemcpy3DAsync(&nothing, stream), hipErrorStreamDetached);
    expect(hipDrvMemcpy3DAsync(&none, stream), hipErrorStreamDetached);
    expect(hipMemsetAsync(memory, 0, 4, stream), hipErrorStreamDetached);
    expect(hipStreamWriteValue32(stream, memory, 0, 0), hipErrorStreamDetached);
    expect(hipMallocAsync((void **)&memory, 64, stream), hipErrorStreamDetached);
    expect(hipFreeAsync(memory, stream), hipErrorStreamDetached);
    expect(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipErrorStreamDetached);
    expect(hipStreamEndCapture(stream, &graph), hipErrorStreamDetached);
    ok(hipEventDestroy(event));
    ok(hipFree(memory));
}

static void a_stream_outlives_its_context_and_takes_no_work(void **state)
{
    hipExecutionCtx_t context = new_context(4);
    hipStream_t stream = new_stream(context, hipStreamNonBlocking), regular;
    hipStreamAttrValue value = {.syncPolicy = hipSyncPolicyYield};
    unsigned long long before, after;
    uint32_t mask[32];
    hipDevice_t device;
    unsigned flags;
    int priority;
    (void)state;
    ok(hipStreamGetId(stream, &before));
    ok(hipStreamSetAttribute(stream, hipStreamAttributeSynchronizationPolicy, &value));
    ok(hipExecutionCtxDestroy(context));
    expect_no_work(stream);
    ok(hipStreamGetFlags(stream, &flags));
    ok(hipStreamGetPriority(stream, &priority));
    ok(hipStreamGetDevice(stream, &device));
    ok(hipStreamGetId(stream, &after));
    check(flags == hipStreamNonBlocking && priority == 0 && device == 0 && after == before);
    ok(hipExtStreamGetCUMask(stream, 32, mask));
    check(mask[0] == 0xf);
    value.syncPolicy = hipSyncPolicyAuto;
    ok(hipStreamGetAttribute(stream, hipStreamAttributeSynchronizationPolicy, &value));
    check(value.syncPolicy == hipSyncPolicyYield);
    ok(hipStreamSetAttribute(stream, hipStreamAttributeSynchronizationPolicy, &value));
    ok(hipStreamCreate(&regular));
    ok(hipStreamCopyAttributes(regular, stream));
    ok(hipStreamGetAttribute(regular, hipStreamAttributeSynchronizationPolicy, &value));
    check(value.syncPolicy == hipSyncPolicyYield);
    ok(hipStreamDestroy(regular));
    ok(hipStreamDestroy(stream));
    expect(hipStreamDestroy(stream), hipErrorContextIsDestroyed);
}

static void the_end_of_a_context_ends_captures_of_its_streams(void **state)
{
    hipExecutionCtx_t context = new_context(4);
    hipStream_t origin = new_stream(context, hipStreamNonBlocking);
    hipStream_t fork = new_stream(context, hipStreamNonBlocking);
    hipStreamCaptureStatus status;
    hipEvent_t event;
    hipGraph_t graph;
    (void)state;
    ok(hipEventCreate(&event));
    ok(hipStreamBeginCapture(origin, hipStreamCaptureModeRelaxed));
    ok(hipEventRecord(event, origin));
    ok(hipStreamWaitEvent(fork, event, 0));
    expect(hipExecutionCtxRecordEvent(context, event), hipErrorStreamCaptureUnsupported);
    ok(hipExecutionCtxDestroy(context));
    ok(hipStreamIsCapturing(origin, &status));
    check(status == hipStreamCaptureStatusInvalidated);
    ok(hipStreamGetCaptureInfo(fork, &status, NULL));
    check(status == hipStreamCaptureStatusInvalidated);
    expect(hipStreamEndCapture(origin, &graph), hipErrorStreamDetached);
    ok(hipStreamDestroy(fork));
    ok(hipStreamDestroy(origin));
    ok(hipEventDestroy(event));
}

static void an_event_of_a_context_is_after_the_work_of_all_its_streams(void **state)
{
    hipExecutionCtx_t context = new_context(4), other = new_context(8);
    hipStream_t first = new_stream(context, hipStreamNonBlocking);
    hipStream_t second = new_stream(context, hipStreamNonBlocking);
    hipStream_t waiting = new_stream(other, hipStreamNonBlocking);
    hipEvent_t event;
    uint32_t *pinned;
    (void)state;
    ok(hipEventCreate(&event));
    ok(hipHostMalloc((void **)&pinned, 64, 0));
    struct gate gate = close_gate(second);
    ok(launch_fill(pinned, 3, 1, first));
    ok(hipExecutionCtxRecordEvent(context, event));
    ok(hipExecutionCtxWaitEvent(other, event));
    ok(launch_fill(pinned + 1, 4, 1, waiting));
    expect(hipEventQuery(event), hipErrorNotReady);
    ok(hipStreamSynchronize(first)); /* the event waits for it, and not the reverse */
    expect(hipStreamQuery(waiting), hipErrorNotReady);
    open_gate(&gate);
    ok(hipExecutionCtxSynchronize(other));
    ok(hipExecutionCtxSynchronize(context));
    ok(hipEventQuery(event));
    check(pinned[0] == 3 && pinned[1] == 4);
    expect(hipExecutionCtxRecordEvent(NULL, event), hipErrorInvalidValue);
    expect(hipExecutionCtxWaitEvent(NULL, event), hipErrorInvalidValue);
    expect(hipExecutionCtxSynchronize(NULL), hipErrorInvalidValue);
    expect(hipExecutionCtxRecordEvent(context, NULL), hipErrorInvalidHandle);
    expect(hipExecutionCtxWaitEvent(context, NULL), hipErrorInvalidHandle);
    free_gate(&gate);
    ok(hipHostFree(pinned));
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(first));
    ok(hipExecutionCtxDestroy(context));
    ok(hipExecutionCtxDestroy(other));
    ok(hipStreamDestroy(second));
    ok(hipStreamDestroy(waiting));
}

/* NVIDIA's driver has no such streams of contexts: events order them. */
static void a_stream_with_a_mask_is_ordered_with_the_default_stream(void **state)
{
    const uint32_t mask = 3;
    hipStream_t stream;
    uint32_t *pinned;
    (void)state;
    ok(hipExtStreamCreateWithCUMask(&stream, 1, &mask));
    ok(hipHostMalloc((void **)&pinned, 64, 0));
    struct gate gate = close_gate(stream);
    ok(launch_fill(pinned, 1, 1, NULL));
    expect(hipStreamQuery(NULL), hipErrorNotReady);
    open_gate(&gate);
    ok(hipStreamSynchronize(NULL));
    free_gate(&gate);
    gate = close_gate(NULL);
    ok(launch_fill(pinned + 1, 2, 1, stream));
    expect(hipStreamQuery(stream), hipErrorNotReady);
    open_gate(&gate);
    ok(hipStreamSynchronize(stream));
    check(pinned[0] == 1 && pinned[1] == 2);
    free_gate(&gate);
    ok(hipHostFree(pinned));
    ok(hipStreamDestroy(stream));
}

static void a_reset_ends_contexts_and_their_streams(void **state)
{
    hipExecutionCtx_t context = new_context(4), own, again;
    hipStream_t stream = new_stream(context, hipStreamNonBlocking);
    unsigned long long id;
    (void)state;
    ok(hipDeviceGetExecutionCtx(&own, 0));
    ok(hipDeviceReset());
    expect(hipExecutionCtxGetId(context, &id), hipErrorInvalidValue);
    expect(hipStreamQuery(stream), hipErrorContextIsDestroyed);
    ok(hipDeviceGetExecutionCtx(&again, 0));
    check(own == again);
    context = new_context(4);
    stream = new_stream(context, hipStreamNonBlocking);
    ok(hipStreamSynchronize(stream));
    ok(hipStreamDestroy(stream));
    ok(hipExecutionCtxDestroy(context));
}

static void a_driver_that_refuses_a_context_is_heard(void **state)
{
    hipDevResource all = all_units();
    hipDevResourceDesc_t description;
    hipExecutionCtx_t context;
    hipStream_t stream;
    (void)state;
    ok(hipDevResourceGenerateDesc(&description, &all, 1));
    fakecuda_fail("cuGreenCtxCreate", 1, 2);
    expect(hipGreenCtxCreate(&context, description, 0, 0), hipErrorOutOfMemory);
    fakecuda_fail("cuDevSmResourceSplitByCount", 1, 915);
    expect(hipGreenCtxCreate(&context, description, 0, 0), hipErrorInvalidResourceConfiguration);
    ok(hipGreenCtxCreate(&context, description, 0, 0));
    fakecuda_fail("cuGreenCtxStreamCreate", 1, 2);
    expect(hipExecutionCtxStreamCreate(&stream, context, hipStreamNonBlocking, 0),
           hipErrorOutOfMemory);
    ok(hipExecutionCtxDestroy(context));
}

/* ---- attributes ------------------------------------------------------------------------- */

static void the_policy_of_a_stream_is_set_and_copied(void **state)
{
    const hipStream_t nobody = (hipStream_t)-1;
    hipStreamAttrValue value = {.syncPolicy = hipSyncPolicySpin}, got;
    hipStream_t first, second;
    (void)state;
    ok(hipStreamCreateWithPriority(&first, hipStreamNonBlocking, -1));
    ok(hipStreamCreate(&second));
    ok(hipStreamGetAttribute(first, hipStreamAttributeSynchronizationPolicy, &got));
    check(got.syncPolicy == hipSyncPolicyAuto);
    ok(hipStreamGetAttribute(first, hipStreamAttributePriority, &got));
    check(got.priority == -1);
    ok(hipStreamSetAttribute(first, hipStreamAttributeSynchronizationPolicy, &value));
    ok(hipStreamSynchronize(first));
    ok(hipStreamCopyAttributes(second, first));
    ok(hipStreamGetAttribute(second, hipStreamAttributeSynchronizationPolicy, &got));
    check(got.syncPolicy == hipSyncPolicySpin);
    ok(hipStreamSetAttribute(NULL, hipStreamAttributeSynchronizationPolicy, &value));
    ok(hipStreamGetAttribute(hipStreamLegacy, hipStreamAttributeSynchronizationPolicy, &got));
    check(got.syncPolicy == hipSyncPolicySpin);
    ok(hipStreamCopyAttributes(hipStreamPerThread, second));
    value.syncPolicy = (hipSynchronizationPolicy)5;
    expect(hipStreamSetAttribute(first, hipStreamAttributeSynchronizationPolicy, &value),
           hipErrorInvalidValue);
    expect(hipStreamSetAttribute(first, hipStreamAttributePriority, &value), hipErrorInvalidValue);
    expect(hipStreamSetAttribute(first, (hipStreamAttrID)-1, &value), hipErrorInvalidValue);
    expect(hipStreamSetAttribute(first, hipStreamAttributeSynchronizationPolicy, NULL),
           hipErrorInvalidValue);
    expect(hipStreamGetAttribute(first, hipStreamAttributeSynchronizationPolicy, NULL),
           hipErrorInvalidValue);
    expect(hipStreamGetAttribute(first, (hipStreamAttrID)-1, &got), hipErrorInvalidValue);
    expect(hipStreamSetAttribute(nobody, hipStreamAttributeSynchronizationPolicy, &value),
           hipErrorInvalidResourceHandle);
    expect(hipStreamGetAttribute(nobody, hipStreamAttributeSynchronizationPolicy, &got),
           hipErrorInvalidResourceHandle);
    expect(hipStreamCopyAttributes(nobody, first), hipErrorInvalidResourceHandle);
    expect(hipStreamCopyAttributes(first, nobody), hipErrorInvalidResourceHandle);
    ok(hipStreamDestroy(first));
    ok(hipStreamDestroy(second));
}

static void a_stream_that_captures_keeps_its_attributes(void **state)
{
    const hipStreamAttrValue value = {.syncPolicy = hipSyncPolicySpin};
    hipStream_t stream;
    hipGraph_t graph;
    (void)state;
    ok(hipStreamCreate(&stream));
    ok(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    expect(hipStreamSetAttribute(stream, hipStreamAttributeSynchronizationPolicy, &value),
           hipErrorStreamCaptureUnsupported);
    ok(hipStreamEndCapture(stream, &graph));
    ok(hipGraphDestroy(graph));
    ok(hipStreamDestroy(stream));
}

static void amds_streams_have_no_windows_and_domains(void **state)
{
    const hipStreamAttrValue value = {.pad = {0}};
    (void)state;
    expect_says(hipStreamSetAttribute(NULL, hipStreamAttributeAccessPolicyWindow, &value),
                hipErrorInvalidValue, "AMD's devices have no windows of their L2 cache");
    expect(hipStreamSetAttribute(NULL, hipStreamAttributeMemSyncDomain, &value),
           hipErrorInvalidValue);
}

static struct fake_launch last_launch(void)
{
    struct fake_launch launch = {.shared = 0};
    check(the_fake()->launch_at(the_fake()->launches() - 1, &launch));
    return launch;
}

static bool has(const struct fake_launch *launch, hipLaunchAttributeID id)
{
    return launch->attributes >> id & 1;
}

static void attributes_of_launches_reach_the_driver(void **state)
{
    hipLaunchAttribute attributes[4] = {{.id = hipLaunchAttributePriority},
                                        {.id = hipLaunchAttributeAccessPolicyWindow},
                                        {.id = hipLaunchAttributeMemSyncDomain},
                                        {.id = hipLaunchAttributeMemSyncDomainMap}};
    hipLaunchConfig_t config = {
        .gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .attrs = attributes, .numAttrs = 4};
    uint32_t *memory;
    (void)state;
    ok(hipMalloc((void **)&memory, 4096));
    attributes[0].val.priority = -100; /* brought into the range */
    attributes[1].val.accessPolicyWindow = (hipAccessPolicyWindow){
        memory, hipAccessPropertyPersisting, 1, hipAccessPropertyStreaming, 4096};
    attributes[2].val.memSyncDomain = hipLaunchMemSyncDomainRemote;
    ok(hipLaunchKernelExC(&config, &empty_kernel, NULL));
    struct fake_launch launch = last_launch();
    check(has(&launch, hipLaunchAttributePriority) && launch.priority == -5);
    check(has(&launch, hipLaunchAttributeAccessPolicyWindow) && launch.window == memory);
    check(has(&launch, hipLaunchAttributeMemSyncDomain) && launch.domain == 1);
    check(has(&launch, hipLaunchAttributeMemSyncDomainMap));
    attributes[1].val.accessPolicyWindow.num_bytes = (size_t)1 << 40;
    expect(hipLaunchKernelExC(&config, &empty_kernel, NULL), hipErrorInvalidValue);
    ok(hipFree(memory));
}

static void launch_graph(hipGraph_t graph)
{
    hipGraphExec_t exec;
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    ok(hipGraphLaunch(exec, NULL));
    ok(hipStreamSynchronize(NULL));
    ok(hipGraphExecDestroy(exec));
}

static void attributes_of_kernel_nodes_reach_the_driver(void **state)
{
    hipKernelNodeParams params = {.blockDim = {1, 1, 1}, .gridDim = {1, 1, 1}};
    hipLaunchAttributeValue value = {.priority = -2};
    hipGraphNode_t node;
    hipGraph_t graph, copy;
    uint32_t *memory;
    (void)state;
    ok(hipMalloc((void **)&memory, 4096));
    params.func = (void *)(uintptr_t)&empty_kernel;
    ok(hipGraphCreate(&graph, 0));
    ok(hipGraphAddKernelNode(&node, graph, NULL, 0, &params));
    ok(hipGraphKernelNodeSetAttribute(node, hipLaunchAttributePriority, &value));
    value.accessPolicyWindow = (hipAccessPolicyWindow){memory, hipAccessPropertyPersisting, 1,
                                                       hipAccessPropertyStreaming, 4096};
    ok(hipGraphKernelNodeSetAttribute(node, hipLaunchAttributeAccessPolicyWindow, &value));
    ok(hipGraphClone(&copy, graph));
    ok(hipGraphDestroy(graph)); /* the copy has attributes of its own */
    launch_graph(copy);
    struct fake_launch launch = last_launch();
    check(has(&launch, hipLaunchAttributePriority) && launch.priority == -2);
    check(launch.window == memory);
    ok(hipGraphDestroy(copy));
    ok(hipFree(memory));
}

/* A node may run in any stream. */
static void a_captured_launch_has_the_attributes_of_its_stream(void **state)
{
    hipStreamAttrValue value = {.memSyncDomain = hipLaunchMemSyncDomainRemote};
    hipStream_t stream;
    hipGraph_t graph;
    (void)state;
    ok(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, -3));
    ok(hipStreamSetAttribute(stream, hipStreamAttributeMemSyncDomain, &value));
    ok(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    ok(hipLaunchKernel(&empty_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, stream));
    ok(hipStreamEndCapture(stream, &graph));
    launch_graph(graph);
    struct fake_launch launch = last_launch();
    check(launch.priority == -3 && launch.domain == 1);
    ok(hipGraphDestroy(graph));
    ok(hipStreamDestroy(stream));
}

static void clusters_need_a_device_that_has_them(void **state)
{
    hipLaunchAttribute attribute = {.id = hipLaunchAttributeClusterDimension};
    hipLaunchConfig_t config = {
        .gridDim = {2, 1, 1}, .blockDim = {32, 1, 1}, .attrs = &attribute, .numAttrs = 1};
    int count;
    (void)state;
    expect(hipOccupancyMaxActiveClusters(&count, &empty_kernel, &config),
           hipErrorInvalidClusterSize);
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    expect(hipOccupancyMaxActiveClusters(&count, &empty_kernel, &config),
           hipErrorInvalidClusterSize);
    expect(hipOccupancyMaxPotentialClusterSize(&count, &empty_kernel, &config),
           hipErrorInvalidClusterSize);
    attribute.id = hipLaunchAttributeIgnore;
    config.blockDim.x = 1 << 20;
    expect(hipOccupancyMaxPotentialClusterSize(&count, &empty_kernel, &config),
           hipErrorInvalidValue);
    expect(hipOccupancyMaxActiveClusters(NULL, &empty_kernel, &config), hipErrorInvalidValue);
    expect(hipOccupancyMaxActiveClusters(&count, &empty_kernel, NULL), hipErrorInvalidValue);
    config.blockDim.x = 32;
    expect(hipOccupancyMaxActiveClusters(&count, &count, &config), hipErrorInvalidDeviceFunction);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_device_has_its_units_as_a_resource),
        TEST(units_are_split_into_equal_groups),
        TEST(units_are_split_into_groups_of_given_sizes),
        TEST(a_resource_that_was_changed_is_refused),
        TEST(a_description_has_results_of_one_split),
        TEST(contexts_are_checked_and_say_what_they_are),
        TEST(streams_of_a_context_have_its_units),
        TEST(a_stream_outlives_its_context_and_takes_no_work),
        TEST(the_end_of_a_context_ends_captures_of_its_streams),
        TEST(an_event_of_a_context_is_after_the_work_of_all_its_streams),
        TEST(a_stream_with_a_mask_is_ordered_with_the_default_stream),
        TEST(a_reset_ends_contexts_and_their_streams),
        TEST_OVER("cuda", "AMD's contexts are masks of queues",
                  a_driver_that_refuses_a_context_is_heard),
        TEST(the_policy_of_a_stream_is_set_and_copied),
        TEST(a_stream_that_captures_keeps_its_attributes),
        TEST_OVER("hsa", "NVIDIA's streams have them", amds_streams_have_no_windows_and_domains),
        TEST_OVER("cuda", "packets of AMD's queues have no such fields",
                  attributes_of_launches_reach_the_driver),
        TEST_OVER("cuda", "packets of AMD's queues have no such fields",
                  attributes_of_kernel_nodes_reach_the_driver),
        TEST_OVER("cuda", "packets of AMD's queues have no such fields",
                  a_captured_launch_has_the_attributes_of_its_stream),
        TEST(clusters_need_a_device_that_has_them),
    };
    use_fake("80,90");
    return run_group("execution contexts", tests);
}
