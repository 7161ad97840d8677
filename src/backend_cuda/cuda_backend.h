/* Private to backend_cuda: the opened driver, its devices, and how every entry
 * begins and ends. */
#ifndef AHCUDA_BACKEND_H
#define AHCUDA_BACKEND_H

#include "backend.h"
#include "cuda_abi.h"
#include "log.h"

#include <pthread.h>
#include <stdatomic.h>

/* One pointer per row of cuda_symbols.def. */
struct ahcuda_api {
#define CUDA_SYMBOL(need, field, name, parameters) CUresult(*field) parameters;
#include "cuda_symbols.def"
#undef CUDA_SYMBOL
};

struct ah_backend {
    struct ahcuda_api api;
    const char *name;
    int driver_version; /* 13000 for CUDA 13.0 */
    int device_count;
    struct ah_backend_device *devices;
};

struct ahcuda_trace; /* cuda_trace.h */
enum { AHCUDA_TRACE_METHODS = 2 };

struct ah_backend_device {
    /* One line of the cache has what a launch reads, since the driver uses most of the first level
     * between two launches. */
    _Alignas(64) struct ah_backend *backend;
    const struct ahcuda_api *api; /* the backend's, to save a load */
    /* Of api, to save another; NULL where the driver is older. */
    __typeof__(((struct ahcuda_api *)0)->cuLaunchKernelEx) launch;
    __typeof__(((struct ahcuda_api *)0)->cuGraphLaunch) graph_launch;
    __typeof__(((struct ahcuda_api *)0)->cuMemcpyAsync) copy;
    CUdevice ordinal;           /* the driver's number, and the index in the backend */
    unsigned sm;                /* 90 for compute capability 9.0 */
    bool streams_carry_context; /* see ahcuda_enter_stream */
    _Atomic(CUcontext) context; /* the primary context, NULL until it is needed */
    pthread_mutex_t lock;       /* guards the creation and release of the context, and placed */
    CUevent placed;             /* after the last kernel launched with a place, or NULL */
    _Atomic(CUfunction) wait_kernel, add_kernel; /* of cuda_value.c, NULL until they are needed */
    _Atomic(struct ahcuda_trace *) trace;        /* NULL: nothing was ever traced */
    struct ahcuda_trace *traces[AHCUDA_TRACE_METHODS]; /* one of which that is, or was */
};
_Static_assert(offsetof(struct ah_backend_device, lock) <= 64, "a launch reads one line");

/* HIP's name for the driver's result. Logs nothing. */
hipError_t ahcuda_error(CUresult result);

/* As ahcuda_error, and logs a failure with the driver's own text. */
hipError_t ahcuda_report(const struct ah_backend_device *device, const char *what, CUresult result);

/* For an OPTIONAL function that this driver does not have. */
hipError_t ahcuda_missing(const struct ah_backend_device *device, const char *function);

/* Retains the primary context; the slow half of ahcuda_enter. */
hipError_t ahcuda_retain(struct ah_backend_device *device);

/* Makes the device's primary context the calling thread's. Another library may have changed it
 * since the last call, so it is queried each time (11 ns). */
static inline hipError_t ahcuda_enter(struct ah_backend_device *device)
{
    CUcontext wanted = atomic_load_explicit(&device->context, memory_order_acquire);
    CUcontext current;
    if (__builtin_expect(!wanted, 0)) {
        hipError_t error = ahcuda_retain(device);
        if (error != hipSuccess)
            return error;
        wanted = atomic_load_explicit(&device->context, memory_order_acquire);
    }
    CUresult result = device->api->cuCtxGetCurrent(&current);
    if (result == CUDA_SUCCESS && __builtin_expect(current != wanted, 0))
        result = device->api->cuCtxSetCurrent(wanted);
    return result == CUDA_SUCCESS ? hipSuccess : ahcuda_report(device, "cuCtxSetCurrent", result);
}

/* From CUDA 13 on the driver takes the context from the stream's handle, whatever the thread's is
 * (measured), so that only the default streams need this query. */
static inline bool ahcuda_carries_context(const struct ah_backend_device *device,
                                          const struct ah_backend_stream *stream)
{
    return device->streams_carry_context & ((uintptr_t)stream > (uintptr_t)CU_STREAM_PER_THREAD);
}

/* As ahcuda_enter, for the entries that are called most and name a stream. */
static inline hipError_t ahcuda_enter_stream(struct ah_backend_device *device,
                                             const struct ah_backend_stream *stream)
{
    return ahcuda_carries_context(device, stream) ? hipSuccess : ahcuda_enter(device);
}

/* The end of an entry: hipSuccess, or the failure logged and translated. */
static inline hipError_t ahcuda_done(const struct ah_backend_device *device, const char *what,
                                     CUresult result)
{
    return __builtin_expect(result == CUDA_SUCCESS, 1) ? hipSuccess
                                                       : ahcuda_report(device, what, result);
}

/* An attribute of the device; 0 if the driver does not know it, which is not an error. */
hipError_t ahcuda_attribute(const struct ah_backend_device *device, int attribute, int *out_value);

/* Every entry of the backend interface is a function named ahcuda_<entry>. */
#define AH_OP(name) extern __typeof__(*((struct ah_backend_ops *)0)->name) ahcuda_##name;
#include "backend_ops.def"
#undef AH_OP

static inline CUdeviceptr ahcuda_pointer(const void *pointer)
{
    return (CUdeviceptr)(uintptr_t)pointer;
}

static inline CUstream ahcuda_stream(struct ah_backend_stream *stream)
{
    return (CUstream)(void *)stream;
}

/* A list of HIP_LAUNCH_PARAM_* as the driver has it, in copy and size. */
void **ahcuda_extra(const struct ah_backend_device *device, CUfunction function, void **extra,
                    void *copy[5], size_t *size);

CUDA_MEMCPY3D ahcuda_copy_parameters(const struct ah_copy_region *region);

/* The driver's value for a condition. */
unsigned ahcuda_wait_flag(enum ah_wait_condition condition);

/* As stream_wait_value, for a mask that leaves out bits. */
hipError_t ahcuda_stream_wait_masked(struct ah_backend_device *device,
                                     struct ah_backend_stream *stream, void *pointer,
                                     uint64_t value, uint64_t mask,
                                     enum ah_wait_condition condition, int bits);

#endif
