/* What a node does, whether it is in a graph or in an executable one.
 *
 * A work owns everything that it points to but objects of HIP (functions, arrays, events) and
 * memory of the application: kernel arguments, operations, arrays of parameters are copied when it
 * is made. Each type of node is a row (struct ah_work_type), and nothing else asks for a type. */
#ifndef AH_WORK_H
#define AH_WORK_H

#include "runtime.h"

#include <stdio.h>

struct ah_graph;
struct ah_graph_memory; /* memory of an allocation node: graph_memory.h */

/* A copy between pointers and arrays, in the form in which it was given. */
struct ah_memcpy_work {
    enum ah_memcpy_form {
        AH_MEMCPY_3D,     /* params */
        AH_MEMCPY_DRIVER, /* driver: of hipDrvGraphAddMemcpyNode; has no kind */
        AH_MEMCPY_ROW,    /* bytes, also to and from variables, whose address is in region */
        AH_MEMCPY_REGION, /* captured; has no kind */
    } form;
    union {
        hipMemcpy3DParms params;
        HIP_MEMCPY3D driver;
    };
    hipMemcpyKind kind;
    struct ah_copy_region region; /* of every form; its arrays are core's: struct ah_array */
    /* Where both ends were when the work was made: their memory may be freed before an update. */
    struct ah_copy_place {
        enum ah_copy_place_kind {
            AH_PLACE_PAGEABLE,
            AH_PLACE_HOST, /* page-locked */
            AH_PLACE_MANAGED,
            AH_PLACE_DEVICE,
            AH_PLACE_ARRAY,
        } kind;
        const struct ah_device *device; /* DEVICE, ARRAY */
    } dst_place, src_place;
};

/* A launch. */
struct ah_kernel_work {
    hipKernelNodeParams given; /* its arrays are in storage */
    struct ah_function *function;
    struct ah_launch launch; /* points into storage */
    void **storage;          /* pointers to the arguments, then the arguments; owned */
    size_t storage_size;
    unsigned pointer_count;
    struct ah_launch_attributes attributes;
    int cooperative; /* as it was given */
};

/* Waits for values in memory, and writes of them. */
struct ah_batch_work {
    hipBatchMemOpNodeParams given; /* its array is this work's copy; owned */
    bool has_mask;                 /* captured: the only operation has a mask */
    uint64_t mask;
};

/* Signals of semaphores of other APIs, or waits for them. Both views are of the same bytes. */
union ah_semaphores_work {
    hipExternalSemaphoreSignalNodeParams signal; /* its arrays are this work's copies; owned */
    hipExternalSemaphoreWaitNodeParams wait;
};

/* A fill. */
struct ah_memset_work {
    hipMemsetParams given;
    const struct ah_device *owner; /* of the memory, which may be freed before an update */
};

struct ah_work {
    const struct ah_work_type *type;
    struct ah_device *device; /* where it runs: the current device when it was made */
    union {
        struct ah_kernel_work kernel;
        struct ah_memcpy_work memcpy;
        struct ah_memset_work memset;
        hipHostNodeParams host;
        struct ah_graph *child;         /* owned */
        struct ah_event *event;         /* retained */
        struct ah_graph_memory *memory; /* of allocation and free */
        struct ah_batch_work batch;
        union ah_semaphores_work semaphores;
    };
};

struct ah_work_type {
    hipGraphNodeType type;
    const char *name; /* "kernel", for messages and DOT */
    bool can_disable; /* hipGraphNodeSetEnabled */
    /* Copies what from owns into to, which has from's bytes already. hipErrorOutOfMemory. NULL:
     * it owns nothing. */
    hipError_t (*copy)(const struct ah_work *from, struct ah_work *to);
    /* Frees what the work owns, not the work. NULL: nothing. */
    void (*free)(struct ah_work *work);
    /* Takes from old, in whose place the work comes, what parameters do not say: the attributes of
     * a launch, the device of a copy. NULL: nothing. */
    void (*inherit)(const struct ah_work *old, struct ah_work *work);
    /* Whether an executable node that does old may do new from its next launch on; the result and
     * one message say why not. Both are of this type. NULL: it always may. */
    hipGraphExecUpdateResult (*update)(const struct ah_work *old, const struct ah_work *work);
    /* The backend's view, which points into the work. hipErrorNotSupported, without a message:
     * backends have no such nodes, or it needs several drivers. NULL: the same always. */
    hipError_t (*view)(const struct ah_work *work, struct ah_graph_node *out_node);
    /* Submits the work to a stream of its device, as the call that it stands for would do. */
    hipError_t (*submit)(const struct ah_work *work, struct ah_stream *stream);
    /* Lines of DOT's label, in the form "key|value" per line; flags: hipGraphDebugDotFlags. Without
     * the flag of its type, or hipGraphDebugDotFlagsVerbose, what tells the node from others: the
     * kernel's name; of a copy "HtoD" (H, D, A for array) and its size. The type's name is not part
     * of it. NULL: there is nothing to say. */
    void (*describe)(const struct ah_work *work, unsigned flags, FILE *out);
};

/* The rows, which live in the file of their type. */
extern const struct ah_work_type ah_work_kernel, ah_work_memcpy, ah_work_memset, ah_work_host,
    ah_work_child, ah_work_empty, ah_work_event_wait, ah_work_event_record, ah_work_mem_alloc,
    ah_work_mem_free, ah_work_batch, ah_work_signal, ah_work_semaphore_wait;

/* The device of a context; NULL: the current device. hipErrorInvalidContext; hipErrorNoDevice. */
hipError_t ah_work_device(hipCtx_t context, struct ah_device **out_device);

/* An empty work of that type on that device. NULL: out of memory. */
struct ah_work *ah_work_create(const struct ah_work_type *type, struct ah_device *device);
/* A copy that is independent of work. hipErrorOutOfMemory. */
hipError_t ah_work_copy(const struct ah_work *work, struct ah_work **out_copy);
/* NULL is accepted. A work with a child graph: the lock of graphs is held; so it is to copy one. */
void ah_work_free(struct ah_work *work);

/* ---- one function per type makes it from the application's parameters ------------------- */

/* Each checks the parameters as the call that adds such a node does, and gives its errors. call is
 * the public function, for messages. The device is the current one, unless a parameter names
 * another. Only ah_work_make_child is called with the lock of graphs held. */
hipError_t ah_work_make_kernel(const hipKernelNodeParams *params, const char *call,
                               struct ah_work **out_work);
hipError_t ah_work_make_memcpy(const hipMemcpy3DParms *params, const char *call,
                               struct ah_work **out_work);
/* The other forms of copies. To change a node, hipGraph*MemcpyNodeSetParams1D refuse dst == src
 * before they call this. */
hipError_t ah_work_make_memcpy_driver(const HIP_MEMCPY3D *params, struct ah_device *device,
                                      const char *call, struct ah_work **out_work);
hipError_t ah_work_make_memcpy_1d(void *dst, const void *src, size_t size, hipMemcpyKind kind,
                                  const char *call, struct ah_work **out_work);
hipError_t ah_work_make_memcpy_to_symbol(const void *symbol, const void *src, size_t size,
                                         size_t offset, hipMemcpyKind kind, const char *call,
                                         struct ah_work **out_work);
hipError_t ah_work_make_memcpy_from_symbol(void *dst, const void *symbol, size_t size,
                                           size_t offset, hipMemcpyKind kind, const char *call,
                                           struct ah_work **out_work);
hipError_t ah_work_make_memset(const hipMemsetParams *params, const char *call,
                               struct ah_work **out_work);
/* In a context, which may be NULL. */
hipError_t ah_work_make_memset_in(const hipMemsetParams *params, hipCtx_t context, const char *call,
                                  struct ah_work **out_work);
hipError_t ah_work_make_host(const hipHostNodeParams *params, const char *call,
                             struct ah_work **out_work);
/* By handle, without the lock. */
hipError_t ah_work_make_child_of(hipGraph_t graph, const char *call, struct ah_work **out_work);
hipError_t ah_work_make_child(const struct ah_graph *graph, const char *call,
                              struct ah_work **out_work);
hipError_t ah_work_make_event(const struct ah_work_type *type, hipEvent_t event, const char *call,
                              struct ah_work **out_work);
/* params->dptr is written. */
hipError_t ah_work_make_alloc(hipMemAllocNodeParams *params, const char *call,
                              struct ah_work **out_work);
hipError_t ah_work_make_free(void *pointer, const char *call, struct ah_work **out_work);
hipError_t ah_work_make_batch(const hipBatchMemOpNodeParams *params, const char *call,
                              struct ah_work **out_work);
hipError_t ah_work_make_signal(const hipExternalSemaphoreSignalNodeParams *params, const char *call,
                               struct ah_work **out_work);
hipError_t ah_work_make_wait(const hipExternalSemaphoreWaitNodeParams *params, const char *call,
                             struct ah_work **out_work);
/* Any type, by params->type: hipGraphAddNode. The lock of graphs is not held. */
hipError_t ah_work_make(hipGraphNodeParams *params, const char *call, struct ah_work **out_work);

/* ---- and one makes it from what a capturing stream is given ---------------------------------- */

/* hipErrorStreamCaptureUnsupported: a graph cannot have such work. */
typedef hipError_t ah_work_capture(const struct ah_stream *stream, const struct ah_command *command,
                                   struct ah_work **out_work);
ah_work_capture ah_work_capture_launch, ah_work_capture_copy, ah_work_capture_region,
    ah_work_capture_fill, ah_work_capture_host, ah_work_capture_callback, ah_work_capture_value,
    ah_work_capture_alloc, ah_work_capture_free, ah_work_capture_semaphores;

#endif
