/* Private to the memory room: the map of allocations, and what belongs to a device. */
#ifndef AHHSA_ALLOCATION_H
#define AHHSA_ALLOCATION_H

#include "hsa_device.h"
#include "hsa_memory.h"
#include "hsa_queue.h"

/* ---- allocations: hsa_memory.c ---------------------------------------------------------- */

/* How memory came to be known, and so how it is freed. */
enum ahhsa_origin {
    AHHSA_PLAIN,      /* an allocation of its own */
    AHHSA_REGISTERED, /* memory of the application, which is page-locked */
    AHHSA_POOLED,     /* a block of a pool */
    AHHSA_IMPORTED,   /* memory of another process */
    AHHSA_MAPPED,     /* virtual memory */
    AHHSA_EXTERNAL,   /* a buffer of another API's memory */
    AHHSA_INTERNAL,   /* an array, or memory of a code object: freed by its owner */
};

/* Guarded by memory_lock while it is in the map. */
struct ahhsa_allocation {
    struct ah_range range;        /* as the host sees it; as devices do, when the host does not */
    struct ah_range device_range; /* as devices see it, where that is another */
    struct ah_backend_device *device;
    enum ah_memory_kind kind;
    enum ahhsa_origin origin;
    void *device_pointer;
    unsigned flags;
    uint64_t buffer_id;
    bool sync_memops;
    unsigned opened; /* AHHSA_IMPORTED: how often; AHHSA_POOLED: how often by its own process */
    void *mapping;   /* AHHSA_EXTERNAL: the runtime's mapping that it lies in */
    /* Devices (by index) with access: of AHHSA_MAPPED all of them, of others those that copies gave
     * access, in addition to its own and peers. */
    uint64_t accessible_by;
    struct ahhsa_managed *managed;
    struct ah_backend_pool *pool;
};

/* The allocation around pointer, copied. False: none. */
bool ahhsa_memory_find(struct ah_backend *backend, const void *pointer,
                       struct ahhsa_allocation *out_allocation);
/* Puts an allocation into the map. False: it overlaps another. */
bool ahhsa_memory_add(struct ah_backend *backend, struct ahhsa_allocation *allocation);
/* Removes from the map and returns the allocation that starts at pointer and has one of the origins
 * (bits by enum ahhsa_origin); NULL: there is none. */
struct ahhsa_allocation *ahhsa_memory_remove(struct ah_backend *backend, const void *pointer,
                                             unsigned origins);
/* Frees memory that was allocated and then registered with ahhsa_memory_register; it stays in the
 * map when the runtime does not take it back. */
hipError_t ahhsa_memory_free_internal(struct ah_backend_device *device, void *pointer);
/* An allocation for the map, with the next number; NULL: out of memory. */
struct ahhsa_allocation *ahhsa_allocation_create(struct ah_backend_device *device, void *pointer,
                                                 size_t size, enum ah_memory_kind kind,
                                                 enum ahhsa_origin origin);
/* Calls change for the allocation around pointer, under memory_lock. False: there is none. */
bool ahhsa_memory_update(struct ah_backend *backend, const void *pointer,
                         void (*change)(struct ahhsa_allocation *allocation, void *data),
                         void *data);
/* ahhsa_pointer_info of several pointers, with memory_lock taken once. */
void ahhsa_pointer_infos(struct ah_backend_device *device, const void *const *pointers,
                         unsigned count, struct ah_pointer_info *out_infos);
/* Whether size bytes from pointer on are all in allocations, which may be adjacent. */
bool ahhsa_memory_contains(struct ah_backend_device *device, const void *pointer, size_t size);
/* Whether the host may read and write there. */
bool ahhsa_memory_is_host_accessible(struct ah_backend *backend, const void *pointer);
/* Gives peers access to the allocations of the device, or takes it, after device->peers changed. */
hipError_t ahhsa_memory_update_access(struct ah_backend_device *device);

/* ---- managed memory: hsa_managed.c ------------------------------------------------------ */

void ahhsa_managed_destroy(struct ahhsa_managed *managed); /* accepts NULL */

/* ---- memory of other APIs: hsa_external.c ------------------------------------------------ */

/* external_map, for a part that may reach beyond the memory: hipErrorInvalidValue. */
hipError_t ahhsa_external_map_checked(struct ah_backend_device *device,
                                      struct ah_backend_external *external, uint64_t offset,
                                      uint64_t size, void **out_pointer);
/* memory_free of a buffer: all work has ended. */
hipError_t ahhsa_external_unmap(struct ah_backend_device *device, void *pointer);

/* ---- arrays: hsa_array.c ---------------------------------------------------------------- */

struct ah_backend_array {
    struct ah_backend_array *next;
    struct ah_backend_device *device;
    char *memory;
    size_t pitch, slice;                /* bytes from row to row, and from slice to slice */
    struct ah_backend_mipmap *level_of; /* whose memory it is in, NULL: its own */
    unsigned level;
};
size_t ahhsa_format_size(hipArray_Format format); /* of a channel, 0: not known */
void ahhsa_arrays_destroy(struct ah_backend_device *device);
/* hipErrorNotSupported, for arrays whose memory would be bound part by part. */
hipError_t ahhsa_refuse_parts(struct ah_backend_device *device, const char *what);

/* ---- arrays with levels: hsa_mipmap.c ------------------------------------------------------ */

struct ah_backend_mipmap {
    struct ah_backend_mipmap *next;
    struct ah_backend_device *device;
    char *memory;     /* every slice has all levels, the smallest first */
    bool is_external; /* the memory is another API's */
    struct ah_array_shape shape;
    unsigned level_count;
    struct ah_backend_array levels[];
};
void ahhsa_mipmaps_destroy(struct ah_backend_device *device);

/* ---- objects of OpenGL: hsa_graphics.c ---------------------------------------------------- */

void ahhsa_graphics_destroy(struct ah_backend_device *device);

/* ---- buffers that Mesa exports: hsa_mesa.c ------------------------------------------------ */

struct ah_gl_object;
/* The device that draws for the thread's context. NULL: none of the backend's, or Mesa does not
 * say. */
struct ah_backend_device *ahhsa_mesa_device(struct ah_backend *backend);
/* Maps the memory of a buffer of the thread's context. False: the device does not draw for it, or
 * Mesa does not export it, which the log has. */
bool ahhsa_mesa_map(struct ah_backend_device *device, const struct ah_gl_object *buffer,
                    void **out_mapping, void **out_memory);
hipError_t ahhsa_mesa_unmap(struct ah_backend_device *device, void *mapping, void *memory);

/* ---- textures and surfaces: hsa_texture.c ------------------------------------------------ */

void ahhsa_textures_destroy(struct ah_backend_device *device);

/* ---- pools: hsa_pool.c ------------------------------------------------------------------ */

/* Frees all pools. */
void ahhsa_pools_destroy(struct ah_backend_device *device);
/* memory_free of an allocation from a pool: all work has ended. */
hipError_t ahhsa_pool_release(struct ah_backend_device *device, void *pointer);
/* What a pool is called in other processes; 0: it is not shared. */
uint64_t ahhsa_pool_number(const struct ah_backend_pool *pool);
/* A pool of another process, from which nothing is allocated. */
hipError_t ahhsa_pool_create_imported(struct ah_backend_device *device, uint64_t number,
                                      struct ah_backend_pool **out_pool);
bool ahhsa_pool_is_imported(const struct ah_backend_pool *pool);
struct ahhsa_pool_block {
    const void *start;
    size_t size, used; /* of the runtime's allocation; that were asked for */
    uint64_t number;   /* of its pool */
};
/* The block that starts at pointer. False: there is none. */
bool ahhsa_pool_find(struct ah_backend_device *device, const void *pointer,
                     struct ahhsa_pool_block *out_block);

/* Whether the pool with that number was created by this process, on the device. */
bool ahhsa_pool_is_own(struct ah_backend_device *device, uint64_t number);
/* The allocation that starts at pointer, of the pool with that number, is freed once more before it
 * returns to the pool. False: there is none. */
bool ahhsa_pool_lend_again(struct ah_backend_device *device, const void *pointer, uint64_t number);

/* ---- memory of other processes: hsa_ipc.c ------------------------------------------------ */

/* What another process opens an allocation by. */
struct ahhsa_ipc_ticket {
    hsa_amd_ipc_memory_t native;
    uint64_t size; /* of the runtime's allocation */
    pid_t owner;   /* who cannot open its own memory; 0: anyone can */
};
/* size: of the runtime's allocation that starts at pointer, unless that knows better. */
hipError_t ahhsa_ipc_export(struct ah_backend_device *device, void *pointer, size_t size,
                            struct ahhsa_ipc_ticket *out_ticket);
/* The first size bytes are an allocation from now on; memory_free closes it. */
hipError_t ahhsa_ipc_import(struct ah_backend_device *device, const struct ahhsa_ipc_ticket *ticket,
                            size_t size, void **out_pointer);

/* ---- peers: hsa_peer.c ------------------------------------------------------------------ */

/* Whether copies between memories of the two devices can be made by either; gives both access to
 * what lies at the two addresses. */
bool ahhsa_peer_enable_copy(struct ah_backend_device *dst_device, const void *dst,
                            struct ah_backend_device *src_device, const void *src);

/* ---- staging memory: hsa_staging.c ------------------------------------------------------ */

enum {
    AHHSA_BOUNCE_SIZE = 1 << 20,
    AHHSA_INLINE_LIMIT = 64 << 10, /* bytes that the calling thread may write or copy itself */
};

/* Page-locked host memory of which copies use one area after the other. */
struct ahhsa_bounce_buffer;
struct ahhsa_staging_area {
    struct ahhsa_location location;
    struct ahhsa_bounce_buffer *buffer;
};
/* Room for size bytes (at most AHHSA_BOUNCE_SIZE), for which it waits if `wait` (otherwise it
 * returns hipErrorNotReady where it would have to); not under the lock. */
hipError_t ahhsa_staging_acquire(struct ah_backend_device *device, size_t size, bool wait,
                                 struct ahhsa_staging_area *out_area);
/* One more release is to follow. */
void ahhsa_staging_retain(struct ahhsa_bounce_buffer *buffer);
/* Releases an area, by its buffer. A completion callback. */
void ahhsa_staging_release(void *buffer);
/* A copy through an area of the buffer, which ends with `after`: the buffer may be waited for.
 * Under the lock. */
void ahhsa_staging_used(struct ahhsa_bounce_buffer *buffer, struct ahhsa_signal *after);
void ahhsa_staging_destroy(struct ah_backend_device *device);

/* ---- copies: hsa_copy.c ----------------------------------------------------------------- */

/* What lies at pointer. */
struct ahhsa_location ahhsa_location_of(struct ah_backend_device *device, const void *pointer);

static inline struct ahhsa_location ahhsa_location_offset(struct ahhsa_location location,
                                                          size_t bytes)
{
    location.pointer += bytes;
    location.host = location.host ? location.host + bytes : NULL;
    return location;
}

/* Copies in stream order; neither end is pageable. buffer, unless it is NULL, is released when the
 * copy has ended, also if this fails. out_signal, unless it is NULL: its end, retained. */
hipError_t ahhsa_copy_enqueue(struct ah_backend_stream *stream, const struct ahhsa_location *dst,
                              const struct ahhsa_location *src, size_t size,
                              struct ahhsa_bounce_buffer *buffer, struct ahhsa_signal **out_signal);
/* As above, for rows. */
hipError_t ahhsa_transfer_enqueue(struct ah_backend_stream *stream,
                                  const struct ahhsa_transfer *transfer,
                                  struct ahhsa_bounce_buffer *buffer,
                                  struct ahhsa_signal **out_signal);
/* Any two ends. Returns when it is queued; with a pageable end, when the host's memory may be
 * used again. */
hipError_t ahhsa_copy_enqueue_any(struct ah_backend_stream *stream,
                                  const struct ahhsa_location *dst,
                                  const struct ahhsa_location *src, size_t size);

#endif
