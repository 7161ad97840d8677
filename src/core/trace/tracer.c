/* The functions by which AMD's tracers register themselves and ask for names. Nothing is reported
 * to them yet, and the functions say so. */
#include "api.h"

#include <hip/api/profiler.h>
#include <hip/api/registration.h>

void hipRegisterTracerCallback(int (*function)(unsigned int domain, uint32_t operation_id,
                                               void *data))
{
    if (function)
        AH_LOG_WARN("a tracer has registered itself: nothing will be reported to it");
}

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
    static const char *const names[] = {
#define AH_TRACER_ID(number, name) [number] = #name,
#include "tracer_ids.def"
    };
    const char *name = id < sizeof names / sizeof *names ? names[id] : NULL;
    return name ? name : "unknown";
}
