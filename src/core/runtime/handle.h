/* Handles: the objects behind hipStream_t, hipEvent_t, hipModule_t and the like.
 *
 * All handles live in one range of addresses in slots of one size that is never released, so that
 * two comparisons show whether any value that an application passes is a live handle of the right
 * type, without touching other memory. A destroyed slot is used again only after many others. */
#ifndef AH_HANDLE_H
#define AH_HANDLE_H

#include <hip/hip_runtime_api.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ah_device;

enum ah_handle_type {
    AH_HANDLE_FREE, /* an unused slot */
    AH_HANDLE_STREAM,
    AH_HANDLE_DETACHED_STREAM, /* its execution context was destroyed */
    AH_HANDLE_HIDDEN_STREAM,   /* of an execution context; applications never see its address */
    AH_HANDLE_THREAD_STREAM,   /* a thread's default stream; applications never see its address */
    AH_HANDLE_EVENT,
    AH_HANDLE_KEPT_EVENT, /* destroyed by the application, and still used by graphs */
    AH_HANDLE_EXECUTION_CONTEXT,
    AH_HANDLE_HIDDEN_CONTEXT, /* of a stream with a mask of units */
    AH_HANDLE_RESOURCES,      /* hipDevResourceDesc_t */
    AH_HANDLE_MODULE,
    AH_HANDLE_FUNCTION,
    AH_HANDLE_LIBRARY,
    AH_HANDLE_KERNEL,
    AH_HANDLE_CONTEXT,
    AH_HANDLE_POOL,
    AH_HANDLE_ARRAY,
    AH_HANDLE_MIPMAP,
    AH_HANDLE_GRAPHICS,
    AH_HANDLE_MEMORY,
    AH_HANDLE_EXTERNAL,
    AH_HANDLE_SEMAPHORE,
    AH_HANDLE_GRAPH,
    AH_HANDLE_GRAPH_NODE,
    AH_HANDLE_GRAPH_EXEC,
    AH_HANDLE_USER_OBJECT,
    AH_HANDLE_RTC_PROGRAM,
    AH_HANDLE_RTC_LINK,
    AH_HANDLE_LINK,
};

enum { AH_HANDLE_SLOT = 128 };

/* The first member of every handle's struct, which is at most AH_HANDLE_SLOT bytes. */
struct ah_handle {
    _Atomic(uint32_t) type; /* ah_handle_type */
    uint32_t next;          /* in the list of free slots */
    struct ah_device *device;
};

/* Start of the range and bytes of it in use; written by ah_handle_create only, in this order. */
extern _Atomic(char *) ah_handle_base;
extern _Atomic(size_t) ah_handle_used;

/* A zeroed object of the given type, of at most AH_HANDLE_SLOT bytes. NULL: no memory. */
void *ah_handle_create(enum ah_handle_type type, struct ah_device *device);

/* Makes the handle invalid. The caller has freed what it owned. NULL is accepted. */
void ah_handle_destroy(void *handle);

/* Makes the handle invalid and returns whether this call did: of several
 * threads that destroy one handle, one wins. ah_handle_destroy must follow. */
bool ah_handle_retire(void *handle, enum ah_handle_type type);

/* Gives a handle another type, and returns whether it had the first one. */
bool ah_handle_change(void *handle, enum ah_handle_type from, enum ah_handle_type to);

/* Completes a destruction after ah_handle_retire; error is the driver's result. Where the driver
 * failed to destroy the object, the handle becomes valid again, so that the application can try
 * once more; otherwise this is ah_handle_destroy. Returns error. */
hipError_t ah_handle_finish_destroy(void *handle, enum ah_handle_type type, hipError_t error);
/* Whether an attempt to free something that ended with this error left it allocated. */
bool ah_free_failed(hipError_t error);

/* Calls visit for every live handle of type. Handles that are created at the same time may be
 * missed. */
void ah_handle_each(enum ah_handle_type type, void (*visit)(void *handle, void *data), void *data);

/* Whether value is a live handle of type. value may be anything. */
static inline bool ah_handle_is(const void *value, enum ah_handle_type type)
{
    size_t used = atomic_load_explicit(&ah_handle_used, memory_order_acquire);
    const char *base = atomic_load_explicit(&ah_handle_base, memory_order_relaxed);
    uintptr_t offset = (uintptr_t)value - (uintptr_t)base;
    if (offset >= used || offset % AH_HANDLE_SLOT != 0)
        return false;
    const struct ah_handle *handle = value;
    return atomic_load_explicit(&handle->type, memory_order_acquire) == (uint32_t)type;
}

#endif
