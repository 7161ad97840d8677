/* The functions by which AMD's tracers register themselves and ask for names. */
#include "tracer.h"

#include "api.h"
#include "api_arguments.h"
#include "api_ids.h"

#include <hip/api/profiler.h>
#include <hip/api/registration.h>

#include <dlfcn.h>
#include <pthread.h>

/* ---- the tracer ---------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* changes of what follows */
static roctracer_callback *_Atomic callback;
static _Atomic(uint32_t) last_number;
static _Atomic(bool) reports_work;

roctracer_callback *ah_tracer_callback(void)
{
    return atomic_load_explicit(&callback, memory_order_acquire);
}

uint32_t ah_tracer_last_number(void)
{
    return atomic_load_explicit(&last_number, memory_order_relaxed);
}

static const struct ah_observer of_work = {
    .command_begins = ah_tracer_command_begins,
    .device_did = ah_tracer_device_did,
};

static bool wants_work(roctracer_callback *tracer)
{
    for (uint32_t operation = 0; operation < ROCTRACER_OP_COUNT; operation++)
        if (tracer(ROCTRACER_HIP_OPS, operation, NULL) == 0)
            return true;
    return false;
}

static void begin_work(roctracer_callback *tracer)
{
    pthread_mutex_lock(&lock);
    /* It may have been unregistered while it was asked. */
    if (ah_tracer_callback() == tracer && !atomic_load(&reports_work)) {
        atomic_store_explicit(&reports_work, true, memory_order_relaxed);
        if (!ah_observe_add(&of_work))
            AH_LOG_ERR("a tracer is told of no work: there are %d observers already",
                       AH_OBSERVERS_MAX);
        ah_api_update_state();
    }
    pthread_mutex_unlock(&lock);
}

/* The tracer does not say when it begins to want records of work: it is asked at every call. */
static void begin_work_if_wanted(void)
{
    roctracer_callback *tracer = ah_tracer_callback();
    if (tracer && !atomic_load_explicit(&reports_work, memory_order_relaxed) &&
        wants_work(tracer) && ah_tracer_work_init())
        begin_work(tracer);
}

static void call_enters(const struct ah_call *call)
{
    begin_work_if_wanted();
    ah_tracer_call_enters(call);
}

/* Tracers expect that work has been reported after the call that waited for it. */
static void deliver_after(const struct ah_call *call)
{
    bool due = ah_tracer_delivery_is_due();
    switch (call->result == hipSuccess ? call->id : -1) {
    case AH_API_ID_hipDeviceSynchronize:
    case AH_API_ID_hipCtxSynchronize:
        ah_tracer_deliver(AH_TRACER_THIS_DEVICE);
        return;
    case AH_API_ID_hipStreamQuery:
    case AH_API_ID_hipStreamQuery_spt:
    case AH_API_ID_hipEventQuery:
    case AH_API_ID_hipStreamSynchronize:
    case AH_API_ID_hipStreamSynchronize_spt:
    case AH_API_ID_hipEventSynchronize:
    case AH_API_ID_hipMemcpy:
    case AH_API_ID_hipMemcpy_spt:
    case AH_API_ID_hipMemcpyDtoH:
    case AH_API_ID_hipMemcpyHtoD:
    case AH_API_ID_hipFree:
        due = true;
        break;
    default:
        break;
    }
    if (due)
        ah_tracer_deliver(AH_TRACER_NO_WAIT);
}

static void call_leaves(const struct ah_call *call)
{
    if (atomic_load_explicit(&reports_work, memory_order_relaxed))
        deliver_after(call);
    ah_tracer_call_leaves(call);
}

static const struct ah_observer of_calls = {
    .call_enters = call_enters,
    .call_leaves = call_leaves,
};

static void end_reports(void)
{
    if (atomic_exchange(&reports_work, false))
        ah_observe_remove(&of_work);
    atomic_store_explicit(&callback, NULL, memory_order_release);
    ah_observe_remove(&of_calls);
    ah_observe_release_devices();
}

/* AMD's library has tables of the functions that it was compiled with, and ends the process for
 * others. It tells which it knows. */
static uint32_t ask_last_number(const void *tracer)
{
    static const struct {
        uint32_t number;
        const char *name;
    } functions[] = {
#define AH_TRACER_ID(number, name) {number, #name},
#include "tracer_ids.def"
    };
    enum { EVERY_VERSION_KNOWS = 379, COUNT = sizeof functions / sizeof *functions };
    Dl_info info;
    void *library = dladdr(tracer, &info) ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
    int (*code)(uint32_t domain, const char *name, uint32_t *number, uint32_t *kind) = NULL;
    if (library)
        *(void **)&code = dlsym(library, "roctracer_op_code");
    uint32_t last = functions[COUNT - 1].number;
    for (int i = 0; code && i < COUNT; i++) {
        uint32_t number = 0, kind;
        if (functions[i].number > EVERY_VERSION_KNOWS &&
            (code(ROCTRACER_HIP_API, functions[i].name, &number, &kind) != 0 ||
             number != functions[i].number)) {
            last = functions[i].number - 1;
            break;
        }
    }
    if (library)
        dlclose(library);
    return last;
}

static void begin_reports(roctracer_callback *tracer)
{
    atomic_store(&last_number, ask_last_number(*(void **)&tracer));
    atomic_store_explicit(&callback, tracer, memory_order_release);
    if (!ah_observe_add(&of_calls))
        AH_LOG_ERR("a tracer is told of no calls: there are %d observers already",
                   AH_OBSERVERS_MAX);
}

void hipRegisterTracerCallback(int (*function)(unsigned int domain, uint32_t operation_id,
                                               void *data))
{
    if (ah_api_forked())
        return;
    if (!function && atomic_load(&reports_work))
        ah_tracer_deliver(AH_TRACER_ALL); // it may call this function too
    pthread_mutex_lock(&lock);
    if (function)
        begin_reports(function);
    else
        end_reports();
    if (atomic_load(&ah_api_state) != AH_API_UNINITIALISED)
        ah_api_update_state(); // otherwise the first call does so
    pthread_mutex_unlock(&lock);
}

/* ---- tracers of HIP 5.2 and older ------------------------------------------------------------ */

hipError_t hipRegisterApiCallback(uint32_t id, void *fun, void *arg)
{
    (void)id, (void)fun, (void)arg;
    AH_LOG_ERR("hipRegisterApiCallback: tracers of HIP 5 are not called");
    return hipErrorNotSupported;
}

hipError_t hipRemoveApiCallback(uint32_t id)
{
    (void)id;
    return hipErrorNotSupported;
}

hipError_t hipRegisterActivityCallback(uint32_t id, void *fun, void *arg)
{
    (void)id, (void)fun, (void)arg;
    AH_LOG_ERR("hipRegisterActivityCallback: tracers of HIP 5 are not called");
    return hipErrorNotSupported;
}

hipError_t hipRemoveActivityCallback(uint32_t id)
{
    (void)id;
    return hipErrorNotSupported;
}

void hipInitActivityCallback(void *id_callback, void *op_callback, void *arg)
{
    (void)id_callback, (void)op_callback, (void)arg;
}

bool hipEnableActivityCallback(uint32_t op, bool enable)
{
    (void)op, (void)enable;
    return false;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Kinds of work have OpenCL's numbers of commands. */
const char *hipGetCmdName(uint32_t op)
{
    enum { FIRST = 0x11f0, STREAM_WAIT = 0x4501, STREAM_WRITE };
    static const char *const names[] = {
        "KernelExecution",
        "Task",
        "NativeKernel",
        "CopyDeviceToHost",
        "CopyHostToDevice",
        "CopyDeviceToDevice",
        "ReadImage",
        "WriteImage",
        "CopyImage",
        "CopyImageToBuffer",
        "CopyBufferToImage",
        "MapBuffer",
        "MapImage",
        "UnmapMemObject",
        "Marker",
        "AcquireGLObjects",
        "ReleaseGLObjects",
        "CopyDeviceToHost2D",
        "CopyHostToDevice2D",
        "CopyDeviceToDevice2D",
        "User",
        "Barrier",
        "MigrateMemObjects",
        "FillBuffer",
        "FillImage",
        "SvmFree",
        "SvmMemcpy",
        "SvmMemFill",
        "SvmMap",
        "SvmUnmap",
    };
    if (op - FIRST < sizeof names / sizeof *names)
        return names[op - FIRST];
    return op == 0              ? "InternalMarker"
           : op == STREAM_WAIT  ? "StreamWait"
           : op == STREAM_WRITE ? "StreamWrite"
                                : "Unknown command kind";
}

const char *hipApiName(uint32_t id)
{
    AH_CALL_INSTEAD(hipApiName);
    static const char *const names[] = {
#define AH_TRACER_ID(number, name) [number] = #name,
#include "tracer_ids.def"
    };
    const char *name = id < sizeof names / sizeof *names ? names[id] : NULL;
    return name ? name : "unknown";
}
