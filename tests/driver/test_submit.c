/* Work enters a stream in one place: src/core's ah_submit. What a stream that is
 * captured is given does not reach the driver, whatever the function. */
#include "support.h"

#include <hip/api/per_thread_default_stream.h>

#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 4096 };

static uint32_t *memory, *other, *managed, host[SIZE / 4];
static hipStream_t stream;
static hipEvent_t event;
static hipArray_t array;
static hipFunction_t function;

static void no_call(void *data)
{
    (void)data;
}

static void no_callback(hipStream_t which, hipError_t status, void *data)
{
    (void)which, (void)status, (void)data;
}

static hipError_t launch(void)
{
    return launch_fill(memory, 1, 1, stream);
}

static hipError_t launch_cooperative(void)
{
    uint32_t value = 1, count = 1;
    void *args[] = {&memory, &value, &count};
    return hipLaunchCooperativeKernel(&fill_kernel, (dim3){1, 1, 1}, (dim3){32, 1, 1}, args, 0,
                                      stream);
}

static hipError_t launch_function(void)
{
    uint32_t value = 1, count = 1;
    void *args[] = {&memory, &value, &count};
    return hipModuleLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, args, NULL);
}

static hipError_t copy(void)
{
    return hipMemcpyAsync(memory, host, SIZE, hipMemcpyHostToDevice, stream);
}

static hipError_t copy_and_wait(void)
{
    return hipMemcpyWithStream(memory, host, SIZE, hipMemcpyHostToDevice, stream);
}

static hipError_t copy_within(void)
{
    return hipMemcpyDtoDAsync(other, memory, SIZE, stream);
}

static hipError_t copy_between_devices(void)
{
    return hipMemcpyPeerAsync(other, 0, memory, 0, SIZE, stream);
}

static hipError_t copy_rows(void)
{
    return hipMemcpy2DAsync(memory, 64, host, 64, 32, 4, hipMemcpyHostToDevice, stream);
}

static hipError_t copy_slices(void)
{
    hipMemcpy3DParms parameters = {
        .srcPtr = {host, 64, 64, 4},
        .dstPtr = {memory, 64, 64, 4},
        .extent = {32, 2, 2},
        .kind = hipMemcpyHostToDevice,
    };
    return hipMemcpy3DAsync(&parameters, stream);
}

static hipError_t copy_to_array(void)
{
    return hipMemcpy2DToArrayAsync(array, 0, 0, host, 64, 64, 4, hipMemcpyHostToDevice, stream);
}

static hipError_t copy_to_symbol(void)
{
    return hipMemcpyToSymbolAsync(&table_variable, host, 4, 0, hipMemcpyHostToDevice, stream);
}

static hipError_t fill(void)
{
    return hipMemsetAsync(memory, 1, SIZE, stream);
}

static hipError_t fill_rows(void)
{
    return hipMemset2DAsync(memory, 64, 1, 32, 4, stream);
}

static hipError_t call_host(void)
{
    return hipLaunchHostFunc(stream, no_call, NULL);
}

static hipError_t call_back(void)
{
    return hipStreamAddCallback(stream, no_callback, NULL, 0);
}

static hipError_t record(void)
{
    return hipEventRecord(event, stream);
}

static hipError_t wait_event(void)
{
    return hipStreamWaitEvent(stream, event, 0);
}

static hipError_t wait_value(void)
{
    return hipStreamWaitValue32(stream, managed, 0, hipStreamWaitValueGte, UINT32_MAX);
}

static hipError_t write_value(void)
{
    return hipStreamWriteValue32(stream, managed, 0, 0);
}

static hipError_t allocate(void)
{
    void *pointer;
    hipError_t error = hipMallocAsync(&pointer, SIZE, stream);
    return error == hipSuccess ? hipFreeAsync(pointer, stream) : error;
}

static hipError_t prefetch(void)
{
    return hipMemPrefetchAsync(managed, SIZE, 0, stream);
}

static hipError_t attach(void)
{
    return hipStreamAttachMemAsync(stream, managed, 0, hipMemAttachGlobal);
}

static hipError_t (*const work[])(void) = {
    launch,          launch_cooperative,
    launch_function, copy,
    copy_and_wait,   copy_within,
    copy_rows,       copy_slices,
    copy_to_array,   fill,
    copy_to_symbol,  fill_rows,
    call_host,       call_back,
    record,          wait_event,
    wait_value,      write_value,
    allocate,        prefetch,
    attach,          copy_between_devices,
};
enum { WORK_COUNT = sizeof work / sizeof *work };

static unsigned driver_calls(void)
{
    unsigned calls = 0;
    for (size_t i = 0; the_fake()->function_at(i); i++)
        calls += the_fake()->calls(the_fake()->function_at(i));
    return calls;
}

static void begin(hipModule_t *out_module)
{
    hipChannelFormatDesc words = {32, 0, 0, 0, hipChannelFormatKindUnsigned};
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipEventCreate(&event));
    ok(hipMalloc((void **)&memory, SIZE));
    ok(hipMalloc((void **)&other, SIZE));
    ok(hipMallocManaged((void **)&managed, SIZE, hipMemAttachGlobal));
    ok(hipMallocArray(&array, &words, 16, 4, 0));
    ok(hipModuleLoadData(out_module, kernels_image()));
    ok(hipModuleGetFunction(&function, *out_module, "fake_fill"));
}

static void end(hipModule_t module)
{
    ok(hipModuleUnload(module));
    ok(hipFreeArray(array));
    ok(hipFree(managed));
    ok(hipFree(other));
    ok(hipFree(memory));
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(stream));
}

/* Each is a node of a graph, or refused. */
static void capture(hipError_t (*call)(void))
{
    hipGraph_t graph;
    ok(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    hipError_t error = call();
    check(error == hipSuccess || error == hipErrorStreamCaptureUnsupported ||
          error == hipErrorStreamCaptureIsolation); /* the event was recorded before */
    expect(hipStreamEndCapture(stream, &graph),
           error == hipSuccess ? hipSuccess : hipErrorStreamCaptureInvalidated);
    if (graph)
        ok(hipGraphDestroy(graph));
}

static void no_work_of_a_stream_that_captures_is_done(void **state)
{
    hipModule_t module;
    (void)state;
    begin(&module);
    for (unsigned i = 0; i < WORK_COUNT; i++)
        ok(work[i]());
    ok(hipStreamSynchronize(stream));
    unsigned launches = (unsigned)the_fake()->launches();
    for (unsigned i = 0; i < WORK_COUNT; i++)
        capture(work[i]);
    check(the_fake()->launches() == launches);
    unsigned before = driver_calls();
    capture(fill_rows);
    capture(record);
    check(driver_calls() == before);
    for (unsigned i = 0; i < WORK_COUNT; i++)
        ok(work[i]());
    ok(hipStreamSynchronize(stream));
    end(module);
}

/* ---- the log ---------------------------------------------------------------------------- */

/* What the commands above are in the log, in their order. */
static const char *const commands[] = {
    "launch",
    "launch",
    "launch",
    "copy",
    "copy",
    "copy",
    "copy of a region",
    "copy of a region",
    "copy of a region",
    "fill",
    "copy",
    "fill",
    "host function",
    "callback",
    "event record",
    "event wait",
    "value wait",
    "value write",
    "allocation",
    "prefetch",
    "attach",
    "copy between devices",
};
_Static_assert(sizeof commands / sizeof *commands == WORK_COUNT, "one for each");

static char *log_of(hipError_t (*submit)(void), size_t mask)
{
    ok(hipExtSetLoggingParams(4, 0, mask));
    begin_log();
    hipError_t error = submit();
    char *text = end_log();
    ok(error);
    ok(hipExtSetLoggingParams(0, 0, 0));
    return text;
}

static void the_log_names_each_command_and_its_stream(void **state)
{
    enum { COMMANDS = 0x2, KERNELS = 0x80 };
    hipModule_t module;
    unsigned long long id;
    char line[128];
    (void)state;
    begin(&module);
    ok(hipStreamGetId(stream, &id));
    for (unsigned i = 0; i < WORK_COUNT; i++) {
        ok(work[i]()); /* loads what it needs */
        snprintf(line, sizeof line, "%s in stream %llu of device 0", commands[i], id);
        char *text = log_of(work[i], COMMANDS);
        check(count_text(text, line) == 1);
        check(count_text(text, "ShaderName") == 0);
        free(text);
    }
    char *text = log_of(launch, KERNELS);
    check(count_text(text, "ShaderName : fake_fill") == 1);
    check(count_text(text, "in stream") == 0);
    free(text);
    ok(hipStreamSynchronize(stream));
    end(module);
}

/* The log does not change what a command does. */
static void an_event_is_recorded_while_commands_are_logged(void **state)
{
    hipModule_t module;
    float ms = -1;
    (void)state;
    begin(&module);
    the_fake()->hold(true);
    free(log_of(record, 0x2));
    hipError_t error = hipEventQuery(event);
    the_fake()->hold(false);
    expect(error, hipErrorNotReady);
    ok(hipEventSynchronize(event));
    ok(hipEventElapsedTime(&ms, event, event));
    check(ms == 0);
    end(module);
}

/* ---- default streams ------------------------------------------------------------------------ */

static void default_streams_have_one_id_on_every_device(void **state)
{
    const hipStream_t streams[] = {NULL, hipStreamLegacy, hipStreamPerThread};
    unsigned long long id;
    int ordinal;
    (void)state;
    for (int device = 0; device < 2; device++) {
        ok(hipSetDevice(device));
        for (unsigned i = 0; i < 3; i++) {
            ok(hipStreamGetId(streams[i], &id));
            check(id == (streams[i] == hipStreamPerThread ? 2 : 1));
            ok(hipStreamGetDevice(streams[i], &ordinal));
            check(ordinal == device);
        }
    }
    ok(hipSetDevice(0));
}

static void default_streams_take_work_after_a_reset(void **state)
{
    const hipStream_t streams[] = {NULL, hipStreamLegacy, hipStreamPerThread};
    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        ok(hipMalloc((void **)&memory, SIZE));
        for (unsigned i = 0; i < 3; i++) {
            ok(hipMemsetAsync(memory, (int)(10 * round + i), SIZE, streams[i]));
            ok(hipMemcpyAsync(host, memory, 4, hipMemcpyDeviceToHost, streams[i]));
            ok(hipStreamSynchronize(streams[i]));
            check(host[0] == 0x01010101u * (10 * round + i));
        }
        if (round == 0)
            ok(hipDeviceReset());
        else
            ok(hipFree(memory));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_work_of_a_stream_that_captures_is_done),
        TEST(the_log_names_each_command_and_its_stream),
        TEST(an_event_is_recorded_while_commands_are_logged),
        TEST(default_streams_have_one_id_on_every_device),
        TEST(default_streams_take_work_after_a_reset),
    };
    use_fake("80,80");
    return run_group("driver_submit", tests);
}
