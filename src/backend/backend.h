/* The backend interface, through which core calls a vendor's driver: read this first.
 *
 * A backend is one driver library (real or simulated) opened in this process; a
 * backend device is one of its GPUs. Core calls a backend only through struct
 * ah_backend_ops; a backend calls only its driver, src/common and src/image. Every
 * entry exists in every backend: what a driver cannot do is a function that
 * logs why and returns hipErrorNotSupported.
 *
 * Conventions, for all entries unless said otherwise:
 *  - Arguments are already checked: no NULL where a pointer is required, flags
 *    and enumerators known to HIP, handles live and of this backend.
 *  - Any thread may call; entries of one device may run at the same time.
 *  - Asynchronous entries return when the work is queued; an error of earlier
 *    asynchronous work may be returned by any entry.
 *  - Memory sizes are bytes. Out parameters are written on success only.
 *  - A stream argument is a stream of the same device, which stream_create,
 *    context_stream_create, stream_legacy or stream_per_thread gave. */
#ifndef AH_BACKEND_H
#define AH_BACKEND_H

#include "dynlib.h"
#include "image.h"

#include <hip/hip_runtime_api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For the definition of a function that every launch goes through: the linker puts them next to each
 * other. Between two launches the driver uses most of the first-level caches, so that what a launch
 * costs is how many of their lines it needs. */
#define AH_LAUNCH_CODE __attribute__((hot, aligned(64)))

/* Defined by each backend; core only carries pointers to them. */
struct ah_backend;
struct ah_backend_device;
struct ah_backend_stream;
struct ah_backend_event;
struct ah_backend_module;
struct ah_backend_link;
struct ah_backend_function;
struct ah_backend_pool;
struct ah_backend_array;
struct ah_backend_mipmap; /* a mipmapped array */
struct ah_backend_graphics; /* an object of OpenGL that was registered */
struct ah_backend_memory; /* physical memory of the virtual memory management functions */
struct ah_backend_graph;  /* nodes that were made ready to run, hipGraphExec_t */
struct ah_backend_context; /* a part of a device's units, on which work of its streams runs */
struct ah_backend_external;  /* imported memory of another API or process */
struct ah_backend_semaphore; /* an imported semaphore */

/* How a backend is to be opened. */
struct ah_backend_options {
    const char *name;              /* "cuda", "simcuda", "hsa", "simhsa": for messages */
    const char *const *candidates; /* library files to try, NULL at the end */
    const char *devices;           /* simulators: "sm_80*2,sm_90", NULL: the default device */
};

/* The identity of a device, which is known before anything is initialised on it. */
struct ah_device_identity {
    char name[256];
    hipUUID uuid;
    int pci_domain, pci_bus, pci_device; /* -1 when there is none */
};

enum ah_memory_kind {
    AH_MEMORY_UNKNOWN,    /* nothing this backend allocated or registered: pageable host memory */
    AH_MEMORY_DEVICE,     /* on the device */
    AH_MEMORY_HOST,       /* page-locked host memory, allocated by the backend */
    AH_MEMORY_REGISTERED, /* page-locked host memory of the application */
    AH_MEMORY_MANAGED,    /* migrates between host and devices */
};

struct ah_pointer_info {
    enum ah_memory_kind kind;
    int device_index; /* in the backend's numbering, -1 when unknown */
    void *base;       /* the allocation */
    size_t size;
    void *host_pointer;   /* the address by which the host accesses it, or NULL */
    void *device_pointer; /* the address by which the device accesses it, or NULL */
};

/* One end of a rectangular copy. */
struct ah_copy_end {
    enum ah_copy_end_kind { AH_END_POINTER, AH_END_ARRAY } kind;
    void *pointer;                  /* AH_END_POINTER: host or device, found by address */
    struct ah_backend_array *array; /* AH_END_ARRAY */
    size_t pitch;                   /* bytes from row to row (pointer) */
    size_t rows;                    /* rows from slice to slice (pointer) */
    size_t x;                       /* bytes into the row */
    size_t y, z;                    /* rows and slices in */
};

struct ah_copy_region {
    struct ah_copy_end dst, src;
    size_t width; /* bytes */
    size_t height, depth;
};

/* Copies of bytes that are queued at one call, and may be done in any order among themselves. */
struct ah_copy_batch {
    void *const *dsts;
    void *const *srcs;
    const size_t *sizes; /* none 0 */
    size_t count;
    /* Attributes, each of the copies from its entry in `first` on; none: the sources are read in
     * stream order. */
    const hipMemcpyAttributes *attributes;
    const size_t *first;
    size_t attribute_count;
};

/* Ranges of managed memory whose contents are discarded, whose memory is brought to a place, or
 * both. */
struct ah_managed_batch {
    void *const *pointers;
    const size_t *sizes;
    size_t count;
    bool discards, prefetches;
    struct ah_backend_device *const *locations; /* of each range; NULL: the host */
};

/* Rows of equal elements. */
struct ah_fill {
    void *dst;
    size_t pitch;          /* bytes from row to row */
    unsigned value;        /* its low element_size bytes */
    unsigned element_size; /* 1, 2 or 4 */
    size_t width;          /* elements */
    size_t height;         /* rows */
};

struct ah_array_shape {
    size_t width, height, depth; /* elements; 0 where the array has no such dimension */
    hipArray_Format format;
    unsigned channels; /* 1, 2 or 4 */
    unsigned element;  /* bytes of an element: all its channels */
    unsigned flags;    /* hipArray* flags, and anyhip's */
};

/* A part of an array, and the memory that it gets or loses. */
struct ah_array_mapping {
    const hipArrayMapInfo *info;      /* known values; its handles are HIP's, those below count */
    struct ah_backend_array *array;   /* NULL: it is a mipmapped array */
    struct ah_backend_mipmap *mipmap; /* NULL: it is an array */
    struct ah_backend_memory *memory; /* NULL: it loses its memory */
};

/* The memory of a texture. */
struct ah_texture_source {
    enum ah_texture_source_kind {
        AH_SOURCE_ARRAY,
        AH_SOURCE_MIPMAP,
        AH_SOURCE_LINEAR, /* elements in a row: tex1Dfetch */
        AH_SOURCE_PITCH,  /* rows of elements: tex2D */
    } kind;
    struct ah_backend_array *array;   /* AH_SOURCE_ARRAY */
    struct ah_backend_mipmap *mipmap; /* AH_SOURCE_MIPMAP */
    void *pointer;                    /* LINEAR, PITCH: device memory, aligned as the device's
                                         hipDeviceAttributeTextureAlignment asks */
    size_t pitch;                     /* PITCH: bytes from row to row */
    /* Of every kind: the array's (level 0 of a mipmap), or what was described. LINEAR has
     * width alone, PITCH width and height; both have no flags. */
    struct ah_array_shape shape;
};

enum ah_launch_flags {
    AH_LAUNCH_COOPERATIVE = 1, /* all blocks resident at once */
    AH_LAUNCH_ATTRIBUTES = 2,  /* attributes is not NULL */
};

/* What else a launch asks for; a device without such a thing ignores it, and core has refused what
 * may not be ignored. given: bits of hipLaunchAttributeID. */
struct ah_launch_attributes {
    unsigned given;
    int priority; /* of the device's range */
    hipAccessPolicyWindow window;
    unsigned cluster[3]; /* blocks */
    hipClusterSchedulingPolicy cluster_policy;
    hipLaunchMemSyncDomainMap domain_map;
    hipLaunchMemSyncDomain domain;
};

/* A grid's place in a launch on several devices, as kernels read it (docs/kernel-abi.md). */
struct ah_multi_grid {
    uint64_t barrier;     /* the device's address of host memory that all grids can access */
    uint32_t rank, count; /* of grids */
    uint64_t before, all; /* threads: of the grids of lower rank, and of all grids */
};

struct ah_launch {
    unsigned grid[3];                  /* blocks */
    unsigned block[3];                 /* threads */
    unsigned shared;                   /* dynamic shared memory, bytes */
    unsigned flags;                    /* ah_launch_flags */
    void **params;                     /* one pointer per kernel parameter, or NULL */
    void **extra;                      /* HIP_LAUNCH_PARAM_* list, or NULL */
    const struct ah_multi_grid *place; /* NULL: the kernel is launched on one device */
    const struct ah_launch_attributes *attributes; /* read if AH_LAUNCH_ATTRIBUTES is set */
};

/* One kernel parameter in the argument buffer. */
struct ah_parameter {
    size_t offset, size;
};

enum ah_wait_condition { AH_WAIT_GEQUAL, AH_WAIT_EQUAL, AH_WAIT_AND, AH_WAIT_NOR };

/* What a barrier in a stream makes visible to the work after it. */
enum ah_barrier {
    AH_BARRIER_SYSTEM,        /* what earlier work wrote, also to the host and to other devices */
    AH_BARRIER_DEVICE,        /* what earlier work wrote, to the device alone */
    AH_BARRIER_REMOTE_WRITES, /* what other devices wrote to the device's memory over the bus */
};

/* A node of a graph: the work of one of the entries for streams. */
enum ah_graph_node_kind {
    AH_GRAPH_EMPTY,
    AH_GRAPH_LAUNCH,
    AH_GRAPH_COPY,
    AH_GRAPH_FILL,
    AH_GRAPH_HOST_FUNCTION,
    AH_GRAPH_EVENT_RECORD,
    AH_GRAPH_EVENT_WAIT,
    AH_GRAPH_VALUE_WAIT,
    AH_GRAPH_VALUE_WRITE,
};

struct ah_graph_node {
    enum ah_graph_node_kind kind;
    bool enabled;                     /* else it does what an empty node does */
    struct ah_backend_device *device; /* where it runs; all of one backend */
    const unsigned *dependencies;     /* indices of nodes, all lower than this one's */
    unsigned dependency_count;
    union {
        struct {
            struct ah_backend_function *function;
            const struct ah_launch *sizes;
        } launch;
        struct ah_copy_region copy; /* of plain bytes too: one row */
        struct ah_fill fill;
        struct {
            void (*function)(void *data);
            void *data;
        } host;
        struct ah_backend_event *event;
        struct {
            void *pointer;
            uint64_t value, mask;
            enum ah_wait_condition condition; /* of waits */
            int bits;                         /* 32 or 64 */
        } value;
    };
};

/* What a device did for a command of core's, between two times of CLOCK_MONOTONIC in nanoseconds. */
enum ah_trace_kind {
    AH_TRACE_KERNEL,
    AH_TRACE_COPY,
    AH_TRACE_FILL,
    AH_TRACE_BARRIER, /* a wait for other work: events, values, barriers between graphs' nodes */
    AH_TRACE_HOST,    /* a host function; the times are those of the host's thread */
    AH_TRACE_OTHER,
};

struct ah_trace_record {
    uint64_t id; /* of trace_begin */
    enum ah_trace_kind kind;
    int node; /* the index of the node that graph_create was given, -1: of no graph */
    uint64_t begin, end;
    uint64_t bytes;     /* of copies and fills, 0: not known */
    const char *engine; /* what did it where there is a choice, as "SDMA 1"; lasts as long as the
                           process; NULL: not known */
    const char *kernel; /* the name, not demangled, of one of a graph's kernels whose node is not
                           known, as that of a graph made before the trace; NULL: not known */
};

/* Takes records. Any thread, several at once; it calls no backend, and does not keep the record. */
struct ah_trace_sink {
    void (*record)(void *user, const struct ah_trace_record *record);
    void *user;
};

/* An input of a link; data is read during the call only. */
struct ah_link_input {
    hipJitInputType type; /* one of CUDA's */
    const void *data;
    size_t size;
    const char *name; /* for messages, may be NULL */
    unsigned option_count;
    const hipJitOption *options;
    void **option_values;
};

struct ah_backend_ops {
    /* ---- the driver ---------------------------------------------------- */

    /* Opens the driver and counts its devices. lib receives the report of which
     * files were tried, also on failure, and stays owned by the caller, who
     * closes it after `close`. out_reason gets words for the user on failure.
     * hipErrorSharedObjectInitFailed: no library could be opened;
     * hipErrorInsufficientDriver: it is too old (a symbol is missing);
     * hipErrorNoDevice; or what the driver's initialisation returned. */
    hipError_t (*open)(const struct ah_backend_options *options, struct ah_dynlib *lib,
                       struct ah_backend **out_backend, char **out_reason);
    /* Frees the backend. None of its objects may be in use. */
    void (*close)(struct ah_backend *backend);
    int (*device_count)(struct ah_backend *backend);
    struct ah_backend_device *(*device_at)(struct ah_backend *backend, int index);
    /* As hipDriverGetVersion counts it for this driver. */
    hipError_t (*driver_version)(struct ah_backend *backend, int *out_version);

    /* ---- devices ------------------------------------------------------- */

    hipError_t (*device_identify)(struct ah_backend_device *device,
                                  struct ah_device_identity *out_identity);
    hipError_t (*device_properties)(struct ah_backend_device *device,
                                    hipDeviceProp_tR0600 *out_properties);
    /* hipErrorInvalidValue: an attribute that does not exist. */
    hipError_t (*device_attribute)(struct ah_backend_device *device, hipDeviceAttribute_t attribute,
                                   int *out_value);
    /* Initialises the device if need be and makes its native context the calling
     * thread's, so that the vendor's own libraries work on it. */
    hipError_t (*device_make_current)(struct ah_backend_device *device);
    hipError_t (*device_synchronize)(struct ah_backend_device *device);
    /* Destroys everything allocated on the device in this process. */
    hipError_t (*device_reset)(struct ah_backend_device *device);
    hipError_t (*device_memory_info)(struct ah_backend_device *device, size_t *out_free,
                                     size_t *out_total);
    hipError_t (*device_get_limit)(struct ah_backend_device *device, enum hipLimit_t limit,
                                   size_t *out_value);
    hipError_t (*device_set_limit)(struct ah_backend_device *device, enum hipLimit_t limit,
                                   size_t value);
    hipError_t (*device_get_cache_config)(struct ah_backend_device *device,
                                          hipFuncCache_t *out_config);
    hipError_t (*device_set_cache_config)(struct ah_backend_device *device, hipFuncCache_t config);
    hipError_t (*device_get_shared_config)(struct ah_backend_device *device,
                                           hipSharedMemConfig *out_config);
    hipError_t (*device_set_shared_config)(struct ah_backend_device *device,
                                           hipSharedMemConfig config);
    hipError_t (*device_get_flags)(struct ah_backend_device *device, unsigned *out_flags,
                                   bool *out_active);
    hipError_t (*device_set_flags)(struct ah_backend_device *device, unsigned flags);
    /* Lower numbers are greater priorities. */
    hipError_t (*device_priority_range)(struct ah_backend_device *device, int *out_least,
                                        int *out_greatest);
    /* Elements of a one-dimensional texture over linear memory. */
    hipError_t (*device_texture_1d_width)(struct ah_backend_device *device, hipArray_Format format,
                                          unsigned channels, size_t *out_elements);
    /* How well this device can run image: 0 not at all, more is better. */
    int (*device_rank_image)(struct ah_backend_device *device, const struct ah_image *image);
    /* On return, what other devices have written to the device's memory over the bus is visible in
     * the scope; waits for no stream. The caller has seen in the device's attributes that it can.
     */
    hipError_t (*device_flush_remote_writes)(struct ah_backend_device *device,
                                             hipFlushGPUDirectRDMAWritesScope scope);
    /* The native handle (CUcontext, hsa_agent_t handle) for anyhip's accessors. */
    hipError_t (*device_native)(struct ah_backend_device *device, void **out_device,
                                void **out_context);

    /* Two devices of one backend. */
    hipError_t (*peer_can_access)(struct ah_backend_device *device, struct ah_backend_device *peer,
                                  int *out_can);
    hipError_t (*peer_enable)(struct ah_backend_device *device, struct ah_backend_device *peer);
    hipError_t (*peer_disable)(struct ah_backend_device *device, struct ah_backend_device *peer);
    hipError_t (*peer_attribute)(struct ah_backend_device *device, struct ah_backend_device *peer,
                                 hipDeviceP2PAttr attribute, int *out_value);
    hipError_t (*peer_link)(struct ah_backend_device *device, struct ah_backend_device *peer,
                            uint32_t *out_type, uint32_t *out_hops);

    /* ---- memory -------------------------------------------------------- */

    /* size > 0. flags: hipDeviceMalloc* of hipExtMallocWithFlags but the one for signals. */
    hipError_t (*memory_alloc)(struct ah_backend_device *device, size_t size, unsigned flags,
                               void **out_pointer);
    /* Waits for the device's work that may use it. hipErrorInvalidValue: not an allocation. */
    hipError_t (*memory_free)(struct ah_backend_device *device, void *pointer);
    /* The row alignment that suits the device, a power of two. */
    size_t (*memory_pitch_alignment)(struct ah_backend_device *device);
    /* flags: hipHostMalloc*. */
    hipError_t (*host_alloc)(struct ah_backend_device *device, size_t size, unsigned flags,
                             void **out_pointer);
    hipError_t (*host_free)(struct ah_backend_device *device, void *pointer);
    /* flags: hipHostRegister*. hipErrorHostMemoryAlreadyRegistered. */
    hipError_t (*host_register)(struct ah_backend_device *device, void *pointer, size_t size,
                                unsigned flags);
    hipError_t (*host_unregister)(struct ah_backend_device *device, void *pointer);
    /* The device's address of page-locked host memory. */
    hipError_t (*host_device_pointer)(struct ah_backend_device *device, void *host_pointer,
                                      void **out_pointer);
    /* flags: hipMemAttachGlobal or hipMemAttachHost. */
    hipError_t (*managed_alloc)(struct ah_backend_device *device, size_t size, unsigned flags,
                                void **out_pointer);
    /* location NULL: the host. */
    hipError_t (*managed_prefetch)(struct ah_backend_device *device, const void *pointer,
                                   size_t size, struct ah_backend_device *location,
                                   struct ah_backend_stream *stream);
    /* Discarded contents are lost, or stay, until they are written anew; what is prefetched as well
     * has its memory there. hipErrorNotSupported: the driver cannot discard. */
    hipError_t (*managed_batch)(struct ah_backend_device *device,
                                const struct ah_managed_batch *batch,
                                struct ah_backend_stream *stream);
    hipError_t (*managed_advise)(struct ah_backend_device *device, const void *pointer, size_t size,
                                 hipMemoryAdvise advice, struct ah_backend_device *location);
    /* Devices in the answer are in the backend's numbering, hipCpuDeviceId for
     * the host, hipInvalidDeviceId for none or several. */
    hipError_t (*managed_attribute)(struct ah_backend_device *device, void *out_data,
                                    size_t data_size, hipMemRangeAttribute attribute,
                                    const void *pointer, size_t size);
    hipError_t (*managed_attach)(struct ah_backend_device *device, struct ah_backend_stream *stream,
                                 void *pointer, size_t size, unsigned flags);
    /* Never fails: memory that the backend does not know is AH_MEMORY_UNKNOWN. */
    void (*pointer_info)(struct ah_backend_device *device, const void *pointer,
                         struct ah_pointer_info *out_info);
    /* The attributes that only the driver knows (buffer id, sync memops, ...).
     * hipErrorInvalidValue for a pointer it does not know or an unknown attribute. */
    hipError_t (*pointer_attribute)(struct ah_backend_device *device, void *out_data,
                                    hipPointer_attribute attribute, const void *pointer);
    hipError_t (*pointer_set_attribute)(struct ah_backend_device *device, const void *value,
                                        hipPointer_attribute attribute, void *pointer);

    /* Memory shared between processes. */
    hipError_t (*ipc_export_memory)(struct ah_backend_device *device, void *pointer,
                                    hipIpcMemHandle_t *out_handle);
    hipError_t (*ipc_import_memory)(struct ah_backend_device *device,
                                    const hipIpcMemHandle_t *handle, unsigned flags,
                                    void **out_pointer);
    hipError_t (*ipc_close_memory)(struct ah_backend_device *device, void *pointer);
    hipError_t (*ipc_export_event)(struct ah_backend_device *device, struct ah_backend_event *event,
                                   hipIpcEventHandle_t *out_handle);
    hipError_t (*ipc_import_event)(struct ah_backend_device *device,
                                   const hipIpcEventHandle_t *handle,
                                   struct ah_backend_event **out_event);

    /* Stream-ordered allocation. pool NULL: the device's current pool. */
    hipError_t (*pool_alloc)(struct ah_backend_device *device, struct ah_backend_pool *pool,
                             size_t size, struct ah_backend_stream *stream, void **out_pointer);
    hipError_t (*pool_free)(struct ah_backend_device *device, void *pointer,
                            struct ah_backend_stream *stream);
    hipError_t (*pool_default)(struct ah_backend_device *device, struct ah_backend_pool **out_pool);
    hipError_t (*pool_set_current)(struct ah_backend_device *device, struct ah_backend_pool *pool);
    hipError_t (*pool_create)(struct ah_backend_device *device, const hipMemPoolProps *properties,
                              struct ah_backend_pool **out_pool);
    hipError_t (*pool_destroy)(struct ah_backend_device *device, struct ah_backend_pool *pool);
    hipError_t (*pool_trim)(struct ah_backend_device *device, struct ah_backend_pool *pool,
                            size_t keep);
    hipError_t (*pool_get_attribute)(struct ah_backend_device *device, struct ah_backend_pool *pool,
                                     hipMemPoolAttr attribute, void *out_value);
    hipError_t (*pool_set_attribute)(struct ah_backend_device *device, struct ah_backend_pool *pool,
                                     hipMemPoolAttr attribute, void *value);
    hipError_t (*pool_get_access)(struct ah_backend_device *device, struct ah_backend_pool *pool,
                                  struct ah_backend_device *location,
                                  hipMemAccessFlags *out_access);
    hipError_t (*pool_set_access)(struct ah_backend_device *device, struct ah_backend_pool *pool,
                                  struct ah_backend_device *location, hipMemAccessFlags access);
    hipError_t (*pool_export)(struct ah_backend_device *device, struct ah_backend_pool *pool,
                              hipMemAllocationHandleType type, void *out_handle);
    hipError_t (*pool_import)(struct ah_backend_device *device, void *handle,
                              hipMemAllocationHandleType type, struct ah_backend_pool **out_pool);
    hipError_t (*pool_export_pointer)(struct ah_backend_device *device, void *pointer,
                                      hipMemPoolPtrExportData *out_data);
    hipError_t (*pool_import_pointer)(struct ah_backend_device *device,
                                      struct ah_backend_pool *pool, hipMemPoolPtrExportData *data,
                                      void **out_pointer);

    /* Virtual memory management: address ranges and physical memory apart. */
    hipError_t (*virtual_granularity)(struct ah_backend_device *device,
                                      hipMemAllocationGranularity_flags which, size_t *out_size);
    hipError_t (*virtual_reserve)(struct ah_backend_device *device, size_t size, size_t alignment,
                                  void *hint, void **out_pointer);
    hipError_t (*virtual_release)(struct ah_backend_device *device, void *pointer, size_t size);
    hipError_t (*virtual_create)(struct ah_backend_device *device, size_t size,
                                 const hipMemAllocationProp *properties,
                                 struct ah_backend_memory **out_memory);
    hipError_t (*virtual_destroy)(struct ah_backend_device *device,
                                  struct ah_backend_memory *memory);
    hipError_t (*virtual_map)(struct ah_backend_device *device, void *pointer, size_t size,
                              size_t offset, struct ah_backend_memory *memory);
    hipError_t (*virtual_unmap)(struct ah_backend_device *device, void *pointer, size_t size);
    hipError_t (*virtual_set_access)(struct ah_backend_device *device, void *pointer, size_t size,
                                     struct ah_backend_device *location, hipMemAccessFlags access);
    hipError_t (*virtual_get_access)(struct ah_backend_device *device, void *pointer,
                                     struct ah_backend_device *location,
                                     hipMemAccessFlags *out_access);
    hipError_t (*virtual_export)(struct ah_backend_device *device, struct ah_backend_memory *memory,
                                 hipMemAllocationHandleType type, void *out_handle);
    hipError_t (*virtual_import)(struct ah_backend_device *device, void *handle,
                                 hipMemAllocationHandleType type,
                                 struct ah_backend_memory **out_memory);

    /* Device memory as a handle for other drivers; pointer and size are multiples of the page size.
     * type: hipMemRangeHandleTypeDmaBufFd, whose out_handle is an int. flags: 0 or
     * hipMemRangeFlagDmaBufMappingTypePcie. hipErrorInvalidValue: it is not memory of the device
     * that can be shared. */
    hipError_t (*memory_range_handle)(struct ah_backend_device *device, void *pointer, size_t size,
                                      hipMemRangeHandleType type, unsigned long long flags,
                                      void *out_handle);

    /* Memory of other APIs and processes. description: hipExternalMemoryHandleTypeOpaqueFd with an
     * open file descriptor, which belongs to the backend after success only; its flags are 0 or
     * hipExternalMemoryDedicated. hipErrorInvalidValue: the file is not of such memory, or is
     * smaller than description->size (a vendor's driver may have other errors for it). */
    hipError_t (*external_import)(struct ah_backend_device *device,
                                  const hipExternalMemoryHandleDesc *description,
                                  struct ah_backend_external **out_external);
    /* What was mapped stays. */
    hipError_t (*external_destroy)(struct ah_backend_device *device,
                                   struct ah_backend_external *external);
    /* size bytes from offset on, all in the memory, at addresses of their own; memory_free ends
     * it. */
    hipError_t (*external_map)(struct ah_backend_device *device,
                               struct ah_backend_external *external, uint64_t offset, uint64_t size,
                               void **out_pointer);
    /* As a mipmapped array, that begins at offset; mipmap_destroy ends it. hipErrorNotSupported:
     * the device has no such arrays. */
    hipError_t (*external_map_mipmap)(struct ah_backend_device *device,
                                      struct ah_backend_external *external, uint64_t offset,
                                      const struct ah_array_shape *shape, unsigned levels,
                                      struct ah_backend_mipmap **out_mipmap);

    /* Semaphores of other APIs and processes. description: an open file descriptor of type
     * hipExternalSemaphoreHandleTypeOpaqueFd or ...TimelineSemaphoreFd, which belongs to the
     * backend after success only. hipErrorInvalidValue: the file is not of such a semaphore (a
     * vendor's driver may have other errors for it). */
    hipError_t (*semaphore_import)(struct ah_backend_device *device,
                                   const hipExternalSemaphoreHandleDesc *description,
                                   struct ah_backend_semaphore **out_semaphore);
    /* Work that is queued still uses it; NVIDIA's driver asks that such work has ended. */
    hipError_t (*semaphore_destroy)(struct ah_backend_device *device,
                                    struct ah_backend_semaphore *semaphore);

    /* Arrays: memory in the layout for textures. */
    hipError_t (*array_create)(struct ah_backend_device *device, const struct ah_array_shape *shape,
                               struct ah_backend_array **out_array);
    hipError_t (*array_destroy)(struct ah_backend_device *device, struct ah_backend_array *array);

    /* Arrays with levels, each half the size of the one before it. levels is from 1 to the maximum
     * for the size. hipErrorNotSupported: the device has none. */
    hipError_t (*mipmap_create)(struct ah_backend_device *device,
                                const struct ah_array_shape *shape, unsigned levels,
                                struct ah_backend_mipmap **out_mipmap);
    hipError_t (*mipmap_destroy)(struct ah_backend_device *device,
                                 struct ah_backend_mipmap *mipmap);
    /* One level as an array, for copies, surfaces and textures, the same each time. It
     * belongs to the mipmapped array and is never given to array_destroy. */
    hipError_t (*mipmap_level)(struct ah_backend_device *device, struct ah_backend_mipmap *mipmap,
                               unsigned level, struct ah_backend_array **out_array);

    /* The memory that a mipmapped array made with anyhipArrayDeferredMapping needs.
     * hipErrorInvalidValue: it was not; hipErrorNotSupported. */
    hipError_t (*mipmap_requirements)(struct ah_backend_device *device,
                                      struct ah_backend_mipmap *mipmap, size_t *out_size,
                                      size_t *out_alignment);
    /* Binds memory to parts of arrays made with anyhipArraySparse, or takes it away, in stream
     * order. hipErrorNotSupported: the device has no such arrays. */
    hipError_t (*array_map)(struct ah_backend_device *device, struct ah_backend_stream *stream,
                            unsigned count, const struct ah_array_mapping *mappings);

    /* ---- textures and surfaces ------------------------------------------ */

    /* An object is the 64 bits that kernels are given and hand to the functions of
     * include/hip/device/texture.h and surface.h; it is not 0. What it means is the device's:
     *  - NVIDIA: the driver's CUtexObject or CUsurfObject.
     *  - AMD: the address of HIP_TEXTURE_OBJECT_SIZE_DWORD words of memory that the device can
     *    read, at a multiple of 64, as ROCm's device libraries read it:
     *      words 0 to 7    the image descriptor of the instruction set (of AH_SOURCE_LINEAR the
     *                      buffer descriptor, in words 0 to 3)
     *      word 8          hsa_ext_image_channel_type_t of an element
     *      word 9          hsa_ext_image_channel_order_t of an element
     *      word 10         width in elements
     *      words 12 to 15  the sampler descriptor (HIP_SAMPLER_OBJECT_OFFSET_DWORD); 0 in
     *                      surface objects
     *    1D and 2D sources of textures and surfaces are images of HSA's geometries 1D and 2D,
     *    layered ones 1DA and 2DA, cubemaps 2DA of 6 times as many layers, whose face and layer
     *    device code folds into one index. A channel that the format lacks reads as 0, and w as 1.
     *    Elements are integers of their size (SIGNED_INT8 ...), unless settings->flags lack
     *    HIP_TRSF_READ_AS_INTEGER and they have 8 or 16 bits: then they are NORM formats.
     * Work that uses an object is finished before the object is destroyed. */

    /* settings: HIP_TRSF_* flags, modes known. view NULL: all of it, as it is; otherwise its format
     * has the element size of the source. hipErrorNotSupported: the device has no images, or not
     * this filter, format or mode; hipErrorInvalidValue: the driver does not accept it. */
    hipError_t (*texture_create)(struct ah_backend_device *device,
                                 const struct ah_texture_source *source,
                                 const HIP_TEXTURE_DESC *settings,
                                 const HIP_RESOURCE_VIEW_DESC *view, uint64_t *out_object);
    hipError_t (*texture_destroy)(struct ah_backend_device *device, uint64_t object);
    /* The array has hipArraySurfaceLoadStore, or no flags at all. hipErrorInvalidValue: it is too
     * large. shape is the array's. */
    hipError_t (*surface_create)(struct ah_backend_device *device, struct ah_backend_array *array,
                                 const struct ah_array_shape *shape, uint64_t *out_object);
    hipError_t (*surface_destroy)(struct ah_backend_device *device, uint64_t object);

    /* ---- OpenGL ----------------------------------------------------------- */

    /* The driver's devices that draw for the calling thread's OpenGL context, by their numbers in
     * the backend; device is any of the driver's, and the answer where a driver shares with a
     * context that no device draws for. list: hipGLDeviceListAll or CurrentFrame.
     * hipErrorNoDevice: none; hipErrorInvalidGraphicsContext: the thread has no context. */
    hipError_t (*gl_devices)(struct ah_backend_device *device, int list, unsigned capacity,
                             int *out_indices, unsigned *out_count);
    /* Objects of the calling thread's context. flags: hipGraphicsRegisterFlags*, known and right
     * for the kind. hipErrorInvalidValue: there is no such object, it has no storage, or it cannot
     * be shared; hipErrorInvalidGraphicsContext; hipErrorNotSupported: the driver does not share
     * with OpenGL. */
    hipError_t (*gl_register_buffer)(struct ah_backend_device *device, unsigned buffer,
                                     unsigned flags, struct ah_backend_graphics **out_graphics);
    hipError_t (*gl_register_image)(struct ah_backend_device *device, unsigned image,
                                    unsigned target, unsigned flags,
                                    struct ah_backend_graphics **out_graphics);
    /* Not mapped. */
    hipError_t (*graphics_unregister)(struct ah_backend_device *device,
                                      struct ah_backend_graphics *graphics);
    /* All of them or none: those that are not mapped are mapped, and the reverse. What OpenGL was
     * told before is done before the stream's later work, and the stream's earlier work before
     * what OpenGL is told after unmapping. The context must be the calling thread's. */
    hipError_t (*graphics_map)(struct ah_backend_device *device, struct ah_backend_stream *stream,
                               unsigned count, struct ah_backend_graphics *const *graphics);
    hipError_t (*graphics_unmap)(struct ah_backend_device *device, struct ah_backend_stream *stream,
                                 unsigned count, struct ah_backend_graphics *const *graphics);
    /* Of a mapped buffer and a mapped image. The array is the same each time until it is unmapped,
     * and never given to array_destroy. hipErrorInvalidValue: there is no such layer or level. */
    hipError_t (*graphics_pointer)(struct ah_backend_device *device,
                                   struct ah_backend_graphics *graphics, void **out_pointer,
                                   size_t *out_size);
    hipError_t (*graphics_array)(struct ah_backend_device *device,
                                 struct ah_backend_graphics *graphics, unsigned layer,
                                 unsigned level, struct ah_backend_array **out_array,
                                 struct ah_array_shape *out_shape);

    /* Of everything that frees or destroys something: what fails leaves it as it was, to be tried
     * again, or to go with the reset of the device. */

    /* ---- copies and fills ---------------------------------------------- */

    /* Pointers are host or device, found by address. copy, which works in the legacy default
     * stream, returns when the data has arrived, from pageable memory when the source may be
     * reused, and from device to device when it is queued; copy_async when it is queued, or for
     * pageable memory when the source may be reused. */
    hipError_t (*copy)(struct ah_backend_device *device, void *dst, const void *src, size_t size);
    hipError_t (*copy_async)(struct ah_backend_device *device, void *dst, const void *src,
                             size_t size, struct ah_backend_stream *stream);
    /* As copy_async of each, between memories that the driver knows. Sources whose attributes say
     * hipMemcpySrcAccessOrderDuringApiCall have been read on return. hipErrorNotSupported, without
     * a message: the driver has no function for this batch, and nothing was queued. */
    hipError_t (*copy_batch)(struct ah_backend_device *device, const struct ah_copy_batch *batch,
                             struct ah_backend_stream *stream);
    /* Between two devices of the backend, in a stream of a third that may be one of them. */
    hipError_t (*copy_peer)(struct ah_backend_device *device, struct ah_backend_device *dst_device,
                            void *dst, struct ah_backend_device *src_device, const void *src,
                            size_t size, struct ah_backend_stream *stream);
    hipError_t (*copy_region)(struct ah_backend_device *device, const struct ah_copy_region *region,
                              struct ah_backend_stream *stream);
    hipError_t (*copy_region_peer)(struct ah_backend_device *device,
                                   struct ah_backend_device *dst_device,
                                   struct ah_backend_device *src_device,
                                   const struct ah_copy_region *region,
                                   struct ah_backend_stream *stream);
    hipError_t (*fill)(struct ah_backend_device *device, const struct ah_fill *fill,
                       struct ah_backend_stream *stream);

    /* ---- streams and events -------------------------------------------- */

    /* flags: hipStreamDefault or hipStreamNonBlocking. */
    hipError_t (*stream_create)(struct ah_backend_device *device, unsigned flags, int priority,
                                struct ah_backend_stream **out_stream);
    /* An attribute of a stream, as its later work and waits for it find it: the synchronization
     * policy, the access policy window, the memory domain and its map. hipErrorNotSupported, with a
     * message: the device has no such attribute. */
    hipError_t (*stream_set_attribute)(struct ah_backend_device *device,
                                       struct ah_backend_stream *stream,
                                       hipLaunchAttributeID attribute,
                                       const hipLaunchAttributeValue *value);
    /* What the attribute is as long as nobody has set it. */
    hipError_t (*stream_default_attribute)(struct ah_backend_device *device,
                                           hipLaunchAttributeID attribute,
                                           hipLaunchAttributeValue *out_value);
    /* How the device's units (compute units, multiprocessors) can be divided: in groups of so many
     * that follow each other. hipErrorNotSupported, with a message: not at all. */
    hipError_t (*device_units)(struct ah_backend_device *device, unsigned *out_units,
                               unsigned *out_group);
    /* The units whose bits are set in mask (32 per word): at least one, and whole groups.
     * hipErrorNotSupported, with a message: the driver cannot make a context of these.
     * hipErrorOutOfMemory. */
    hipError_t (*context_create)(struct ah_backend_device *device, const uint32_t *mask,
                                 unsigned words, struct ah_backend_context **out_context);
    /* Its streams still have to be destroyed, and nothing else may be done with them. */
    hipError_t (*context_destroy)(struct ah_backend_device *device,
                                  struct ah_backend_context *context);
    /* As stream_create; the stream's kernels run on the context's units only.
     * hipErrorNotSupported, without a message: the driver has no such streams that are ordered with
     * the legacy default stream. */
    hipError_t (*context_stream_create)(struct ah_backend_device *device,
                                        struct ah_backend_context *context, unsigned flags,
                                        int priority, struct ah_backend_stream **out_stream);
    /* The device's legacy default stream, the same each time until a reset of the device. It is
     * never given to stream_destroy. */
    hipError_t (*stream_legacy)(struct ah_backend_device *device,
                                struct ah_backend_stream **out_stream);
    /* The calling thread's default stream, which core requests once for each thread and device and
     * after each reset, and gives to stream_destroy when the thread ends. */
    hipError_t (*stream_per_thread)(struct ah_backend_device *device,
                                    struct ah_backend_stream **out_stream);
    /* Work already queued still completes. */
    hipError_t (*stream_destroy)(struct ah_backend_device *device,
                                 struct ah_backend_stream *stream);
    /* hipSuccess or hipErrorNotReady. */
    hipError_t (*stream_query)(struct ah_backend_device *device, struct ah_backend_stream *stream);
    hipError_t (*stream_synchronize)(struct ah_backend_device *device,
                                     struct ah_backend_stream *stream);
    /* event may belong to another device of the same backend. */
    hipError_t (*stream_wait_event)(struct ah_backend_device *device,
                                    struct ah_backend_stream *stream,
                                    struct ah_backend_event *event);
    /* Calls function(data) in stream order on a thread of the driver. Later work
     * of the stream waits for it. function may not call the backend, and may not wait for
     * anything that other streams or other host functions do: a driver may have one thread
     * for the host functions of all streams. Not called when the device has failed. */
    hipError_t (*stream_host_function)(struct ah_backend_device *device,
                                       struct ah_backend_stream *stream,
                                       void (*function)(void *data), void *data);
    /* As above, but function is also called when the device has failed, with its error. A reset may
     * cancel the call. */
    hipError_t (*stream_callback)(struct ah_backend_device *device,
                                  struct ah_backend_stream *stream,
                                  void (*function)(void *data, hipError_t status), void *data);
    /* pointer: the device's address of memory that it can access. bits: 32 or 64. A wait that has
     * not ended ends with the device's failure or reset. hipErrorNotSupported: the driver has no
     * such operation. */
    hipError_t (*stream_wait_value)(struct ah_backend_device *device,
                                    struct ah_backend_stream *stream, void *pointer, uint64_t value,
                                    uint64_t mask, enum ah_wait_condition condition, int bits);
    hipError_t (*stream_write_value)(struct ah_backend_device *device,
                                     struct ah_backend_stream *stream, void *pointer,
                                     uint64_t value, int bits);
    /* Adds value, modulo 2 to the power of bits; atomic towards other additions in streams and,
     * where the host can access the memory, towards the host. */
    hipError_t (*stream_add_value)(struct ah_backend_device *device,
                                   struct ah_backend_stream *stream, void *pointer, uint64_t value,
                                   int bits);
    /* hipErrorNotSupported: the driver has no such operation, or the device cannot flush writes of
     * others. */
    hipError_t (*stream_barrier)(struct ah_backend_device *device, struct ah_backend_stream *stream,
                                 enum ah_barrier barrier);

    /* Signals semaphores, or waits for all of them, in stream order; neither array is kept, and
     * count > 0. A wait that has not ended ends with the device's failure or reset. */
    hipError_t (*stream_signal_semaphores)(struct ah_backend_device *device,
                                           struct ah_backend_stream *stream,
                                           struct ah_backend_semaphore *const *semaphores,
                                           const hipExternalSemaphoreSignalParams *params,
                                           unsigned count);
    hipError_t (*stream_wait_semaphores)(struct ah_backend_device *device,
                                         struct ah_backend_stream *stream,
                                         struct ah_backend_semaphore *const *semaphores,
                                         const hipExternalSemaphoreWaitParams *params,
                                         unsigned count);

    /* flags: hipEvent*. */
    hipError_t (*event_create)(struct ah_backend_device *device, unsigned flags,
                               struct ah_backend_event **out_event);
    hipError_t (*event_destroy)(struct ah_backend_device *device, struct ah_backend_event *event);
    hipError_t (*event_record)(struct ah_backend_device *device, struct ah_backend_event *event,
                               struct ah_backend_stream *stream);
    /* hipSuccess (also when it was never recorded) or hipErrorNotReady. */
    hipError_t (*event_query)(struct ah_backend_device *device, struct ah_backend_event *event);
    hipError_t (*event_synchronize)(struct ah_backend_device *device,
                                    struct ah_backend_event *event);
    /* Milliseconds. hipErrorNotReady; hipErrorInvalidHandle: never recorded, or no timing. */
    hipError_t (*event_elapsed)(struct ah_backend_device *device, struct ah_backend_event *start,
                                struct ah_backend_event *stop, float *out_milliseconds);

    /* ---- code ---------------------------------------------------------- */

    /* options may be NULL with count 0. hipErrorNoBinaryForGpu, hipErrorInvalidImage,
     * hipErrorInvalidKernelFile (PTX that does not compile: the log has why). */
    hipError_t (*module_load)(struct ah_backend_device *device, const struct ah_image *image,
                              unsigned option_count, const hipJitOption *options,
                              void **option_values, struct ah_backend_module **out_module);
    hipError_t (*module_unload)(struct ah_backend_device *device, struct ah_backend_module *module);
    /* Links of the driver's own linker. hipErrorNotSupported, without a message: the driver has none,
     * and the other three are not called. The options' values may be written to until the link is
     * destroyed. */
    hipError_t (*link_create)(struct ah_backend_device *device, unsigned option_count,
                              const hipJitOption *options, void **option_values,
                              struct ah_backend_link **out_link);
    /* hipErrorInvalidKernelFile: PTX that does not compile; hipErrorInvalidImage,
     * hipErrorNoBinaryForGpu; the log has why. */
    hipError_t (*link_add)(struct ah_backend_device *device, struct ah_backend_link *link,
                           const struct ah_link_input *input);
    /* The image is there until the link is destroyed. */
    hipError_t (*link_complete)(struct ah_backend_device *device, struct ah_backend_link *link,
                                void **out_image, size_t *out_size);
    /* An error leaves the link. ends: the device is about to be reset, with which the driver's link
     * ends; no driver is called then. */
    hipError_t (*link_destroy)(struct ah_backend_device *device, struct ah_backend_link *link,
                               bool ends);
    /* hipErrorNotFound. */
    hipError_t (*module_function)(struct ah_backend_device *device,
                                  struct ah_backend_module *module, const char *name,
                                  struct ah_backend_function **out_function);
    hipError_t (*module_global)(struct ah_backend_device *device, struct ah_backend_module *module,
                                const char *name, void **out_pointer, size_t *out_size);
    hipError_t (*module_function_count)(struct ah_backend_device *device,
                                        struct ah_backend_module *module, unsigned *out_count);
    /* Names are the caller's to free; none after an error. */
    hipError_t (*module_function_names)(struct ah_backend_device *device,
                                        struct ah_backend_module *module, unsigned count,
                                        char **out_names);
    hipError_t (*function_attributes)(struct ah_backend_device *device,
                                      struct ah_backend_function *function,
                                      hipFuncAttributes *out_attributes);
    hipError_t (*function_set_attribute)(struct ah_backend_device *device,
                                         struct ah_backend_function *function,
                                         hipFuncAttribute attribute, int value);
    hipError_t (*function_set_cache_config)(struct ah_backend_device *device,
                                            struct ah_backend_function *function,
                                            hipFuncCache_t config);
    hipError_t (*function_set_shared_config)(struct ah_backend_device *device,
                                             struct ah_backend_function *function,
                                             hipSharedMemConfig config);
    /* hipErrorInvalidValue: there are not that many parameters. */
    hipError_t (*function_parameter)(struct ah_backend_device *device,
                                     struct ah_backend_function *function, size_t index,
                                     struct ah_parameter *out_parameter);

    /* The block fits the device's and the function's limits. Waits only for space in a full queue.
     * In a program that repeats itself this allocates nothing after a while; a backend that does
     * the work of a driver may take its device's lock. */
    hipError_t (*launch)(struct ah_backend_device *device, struct ah_backend_function *function,
                         const struct ah_launch *launch, struct ah_backend_stream *stream);

    /* ---- graphs ----------------------------------------------------------- */

    /* Makes nodes ready to be launched together, again and again, in an order in which each comes
     * after its dependencies; count > 0. Everything that the nodes point to is copied, kernel
     * arguments included, but objects (functions, events, arrays) stay the caller's.
     * hipErrorNotSupported, without a message: the driver has no graphs, or none with such nodes;
     * the caller then submits them to streams one by one, or tries fewer of them. */
    hipError_t (*graph_create)(struct ah_backend_device *device, const struct ah_graph_node *nodes,
                               unsigned count, struct ah_backend_graph **out_graph);
    /* Changes what a node does in later launches: the new node has the old one's kind,
     * device and dependencies, and the latter are not read. hipErrorNotSupported, without a
     * message: the graph has to be created anew. */
    hipError_t (*graph_update)(struct ah_backend_device *device, struct ah_backend_graph *graph,
                               unsigned index, const struct ah_graph_node *node);
    /* Brings to the device what a launch needs, in stream order, so that the first launch costs
     * what later ones do. */
    hipError_t (*graph_upload)(struct ah_backend_device *device, struct ah_backend_graph *graph,
                               struct ah_backend_stream *stream);
    /* Queues the nodes as one piece of work of the stream. Launches of one graph are done one after
     * the other, in whatever streams they are; the caller makes one call for a graph at a time. */
    hipError_t (*graph_launch)(struct ah_backend_device *device, struct ah_backend_graph *graph,
                               struct ah_backend_stream *stream);
    /* Launches that are queued still complete. A reset of the device leaves its graphs, which can
     * be destroyed then and nothing else. */
    hipError_t (*graph_destroy)(struct ah_backend_device *device, struct ah_backend_graph *graph);

    hipError_t (*occupancy_blocks)(struct ah_backend_device *device,
                                   struct ah_backend_function *function, int block_size,
                                   size_t shared, unsigned flags, int *out_blocks);
    /* The block size that fills the device best. limit 0: none. */
    hipError_t (*occupancy_block_size)(struct ah_backend_device *device,
                                       struct ah_backend_function *function, size_t shared,
                                       int limit, unsigned flags, int *out_grid, int *out_block);
    /* The most blocks that a cluster of such a launch can have, and the clusters of
     * launch->attributes' size that can be resident at once on the units of stream (NULL: of the
     * device). Either out parameter may be NULL. hipErrorInvalidClusterSize: the device has no
     * clusters, or none of that size. */
    hipError_t (*occupancy_clusters)(struct ah_backend_device *device,
                                     struct ah_backend_function *function,
                                     const struct ah_launch *launch,
                                     struct ah_backend_stream *stream, int *out_size,
                                     int *out_count);
    hipError_t (*occupancy_shared)(struct ah_backend_device *device,
                                   struct ah_backend_function *function, int blocks, int block_size,
                                   size_t *out_shared);

    /* ---- the driver's own handles, for anyhip's accessors --------------- */

    /* CUstream; hsa_queue_t *, which the stream may share with others. */
    hipError_t (*stream_native)(struct ah_backend_device *device, struct ah_backend_stream *stream,
                                uint64_t *out_native);
    /* CUevent; the hsa_signal_t of the last record, 0 when there is none. */
    hipError_t (*event_native)(struct ah_backend_device *device, struct ah_backend_event *event,
                               uint64_t *out_native);
    /* CUmodule; hsa_executable_t. */
    hipError_t (*module_native)(struct ah_backend_device *device, struct ah_backend_module *module,
                                uint64_t *out_native);
    /* CUfunction; the kernel object. */
    hipError_t (*function_native)(struct ah_backend_device *device,
                                  struct ah_backend_function *function, uint64_t *out_native);

    /* ---- profiling ----------------------------------------------------- */

    hipError_t (*profiler_start)(struct ah_backend_device *device);
    hipError_t (*profiler_stop)(struct ah_backend_device *device);

    /* The device begins to report what it does between trace_begin and trace_end. *out_method says
     * how times are taken ("HSA profiled signals", "event pairs") and lasts as long as the
     * process. Called before the first trace_begin, and after trace_stop again, with a lock of core's
     * held: it may initialise the device, and does not wait for it. A reset of the device loses the records of
     * what it ends, and the device goes on reporting. hipErrorNotSupported, with a message: the
     * driver gives no times; no other entry for traces is then called. */
    hipError_t (*trace_start)(struct ah_backend_device *device, const struct ah_trace_sink *sink,
                              const char **out_method);
    /* What the calling thread submits to the stream until trace_end belongs to the command id,
     * which is given once. One command may have no record, or several: pieces of a copy, nodes of a
     * graph. Pairs of one thread may be nested, for different streams. kind: of a record that cannot
     * tell what it was. These two cannot fail: where memory or signals run out, records are lost and
     * work is not. */
    void (*trace_begin)(struct ah_backend_device *device, struct ah_backend_stream *stream,
                        uint64_t id, enum ah_trace_kind kind);
    void (*trace_end)(struct ah_backend_device *device, struct ah_backend_stream *stream,
                      uint64_t id);
    /* Gives the sink the records of what is done; wait: waits for what has been submitted first,
     * but no longer than a second for what does not end. Records may come in another order than
     * that of the work. Called every few milliseconds by one thread at a time. Never fails; what a
     * backend has lost since the last call it adds to *out_lost. */
    void (*trace_collect)(struct ah_backend_device *device, bool wait, uint64_t *out_lost);
    /* Ends what trace_start began, after a last trace_collect. No thread is between trace_begin and
     * trace_end or in trace_collect, and a lock of core's is held. Work that is still under way has
     * no records. */
    void (*trace_stop)(struct ah_backend_device *device);
};

/* One row per entry of struct ah_backend_ops is in backend_ops.def; each backend's instance is
 * built from the rows by pasting names, so an entry that is not listed fails this assertion and a
 * function that is missing does not compile. */
enum {
#define AH_OP(name) AH_OP_INDEX_##name,
#include "backend_ops.def"
#undef AH_OP
    AH_OP_COUNT
};
_Static_assert(sizeof(struct ah_backend_ops) == AH_OP_COUNT * sizeof(void (*)(void)),
               "backend_ops.def does not list every entry of struct ah_backend_ops");

extern const struct ah_backend_ops ahcuda_ops, ahhsa_ops;

#endif
