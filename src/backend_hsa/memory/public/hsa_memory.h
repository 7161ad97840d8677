/* Private to backend_hsa: the map of allocations, staging memory, and how copies are put into
 * a stream. */
#ifndef AHHSA_MEMORY_H
#define AHHSA_MEMORY_H

#include "hsa_queue.h"

/* ---- allocations: hsa_memory.c ---------------------------------------------------------- */

/* Puts an allocation into the map; the rest of it is set. False: it overlaps another. */
bool ahhsa_memory_add(struct ah_backend *backend, struct ahhsa_allocation *allocation);
/* Takes out and returns what starts at pointer and has one of the origins (bits by enum
 * ahhsa_origin); NULL: there is none. */
struct ahhsa_allocation *ahhsa_memory_take(struct ah_backend *backend, const void *pointer,
                                           unsigned origins);
/* An allocation for the map, with the next number; NULL: no memory. */
struct ahhsa_allocation *ahhsa_memory_record(struct ah_backend_device *device, void *pointer,
                                             size_t size, enum ah_memory_kind kind,
                                             enum ahhsa_origin origin);
/* Changes what lies around pointer, under the lock of the map. False: nothing does. */
bool ahhsa_memory_change(struct ah_backend *backend, const void *pointer,
                         void (*change)(struct ahhsa_allocation *allocation, void *data),
                         void *data);
/* ahhsa_pointer_info of several, with one look at the map. */
void ahhsa_pointer_infos(struct ah_backend_device *device, const void *const *pointers,
                         unsigned count, struct ah_pointer_info *out_infos);
/* Whether size bytes from pointer on are all in allocations, which may lie side by side. */
bool ahhsa_memory_holds(struct ah_backend_device *device, const void *pointer, size_t size);
/* Bytes of the device's memory that this process has allocated. */
size_t ahhsa_memory_used(const struct ah_backend_device *device);
/* Whether the host may read and write there. */
bool ahhsa_host_reaches(struct ah_backend *backend, const void *pointer);
/* Lets the device, its peers and `more` (by index) reach memory of the device. */
hipError_t ahhsa_memory_share(struct ah_backend_device *device, void *pointer, uint64_t more);
/* All devices of the backend. Returns how many. */
int ahhsa_all_agents(struct ah_backend *backend, hsa_agent_t agents[AHHSA_DEVICES_MAX]);
/* Memory of pool that every device reaches. */
hipError_t ahhsa_shared_alloc(struct ah_backend_device *device, hsa_amd_memory_pool_t pool,
                              size_t size, void **out_pointer);
/* Lets peers reach what the device has, after device->peers changed. */
hipError_t ahhsa_memory_share_all(struct ah_backend_device *device);
/* Frees everything that the device has, in a reset. */
void ahhsa_memory_close(struct ah_backend_device *device);

/* ---- managed memory: hsa_managed.c ------------------------------------------------------ */

void ahhsa_managed_destroy(struct ahhsa_managed *managed); /* accepts NULL */

/* ---- arrays: hsa_array.c ---------------------------------------------------------------- */

struct ah_backend_array {
    struct ah_backend_array *next;
    struct ah_backend_device *device;
    char *memory;
    size_t pitch, slice; /* bytes from row to row, and from slice to slice */
};
void ahhsa_arrays_close(struct ah_backend_device *device);

/* ---- textures and surfaces: hsa_texture.c ------------------------------------------------ */

void ahhsa_textures_close(struct ah_backend_device *device);

/* ---- pools: hsa_pool.c ------------------------------------------------------------------ */

/* Gives back what pools of the device keep beyond their thresholds and nobody uses. */
void ahhsa_pools_trim(struct ah_backend_device *device);
/* Frees pools. */
void ahhsa_pools_close(struct ah_backend_device *device);
/* memory_free of what pool_alloc gave: all work has ended. */
hipError_t ahhsa_pool_give(struct ah_backend_device *device, void *pointer);

/* ---- peers: hsa_peer.c ------------------------------------------------------------------ */

/* Whether copies between memories of the two devices can be made by either; lets both reach
 * what lies at the two addresses. */
bool ahhsa_peer_reaches(struct ah_backend_device *dst_device, const void *dst,
                        struct ah_backend_device *src_device, const void *src);

/* ---- copies: hsa_copy.c ----------------------------------------------------------------- */

/* What lies at pointer. */
struct ahhsa_place ahhsa_place_of(struct ah_backend_device *device, const void *pointer);

static inline struct ahhsa_place ahhsa_place_plus(struct ahhsa_place place, size_t bytes)
{
    place.pointer += bytes;
    place.host = place.host ? place.host + bytes : NULL;
    return place;
}

/* Host memory that engines reach, for what is on its way. */
enum {
    AHHSA_BOUNCE = 1 << 20,
    AHHSA_BRIEF = 64 << 10, /* what the host writes so much of keeps no caller waiting */
};
struct ahhsa_bounce;
struct ahhsa_piece {
    struct ahhsa_place place;
    struct ahhsa_bounce *bounce;
};
/* Room for size bytes (at most AHHSA_BOUNCE), for which it waits if it must (hipErrorNotReady:
 * it may not); not under the lock. */
hipError_t ahhsa_staging_take(struct ah_backend_device *device, size_t size, bool wait,
                              struct ahhsa_piece *out_piece);
/* One more is to give the piece back before it serves others. */
void ahhsa_staging_hold(struct ahhsa_bounce *bounce);
/* Gives a piece back, by its bounce. */
void ahhsa_staging_give(void *bounce);
void ahhsa_staging_close(struct ah_backend_device *device);

/* Copies in stream order; neither end is pageable. bounce, unless it is NULL, is given back when
 * nothing of the copy is under way any more, also if this fails. out_signal, unless it is NULL:
 * its end, held. */
hipError_t ahhsa_copy_queue(struct ah_backend_stream *stream, const struct ahhsa_place *dst,
                            const struct ahhsa_place *src, size_t size, struct ahhsa_bounce *bounce,
                            struct ahhsa_signal **out_signal);
/* As above, for rows. */
hipError_t ahhsa_transfer_queue(struct ah_backend_stream *stream,
                                const struct ahhsa_transfer *transfer, struct ahhsa_bounce *bounce,
                                struct ahhsa_signal **out_signal);
/* Starts it on a copy engine: when before (NULL: nothing) is done, and then completes after. On
 * failure the caller takes one from after, which is done then when what was started is. */
hipError_t ahhsa_transfer_start(struct ah_backend_device *device,
                                const struct ahhsa_transfer *transfer,
                                const struct ahhsa_signal *before, struct ahhsa_signal *after);
/* Any two ends. Returns when it is queued; with a pageable end, when the host's memory may be
 * used again. */
hipError_t ahhsa_copy_put(struct ah_backend_stream *stream, const struct ahhsa_place *dst,
                          const struct ahhsa_place *src, size_t size);

/* Calls function(data) in stream order, now if it is brief and the stream is idle, and on the
 * stream's thread otherwise; exactly once, with the device's error if it has failed, also when
 * this fails. */
hipError_t ahhsa_host_run(struct ah_backend_stream *stream, bool brief,
                          void (*function)(void *data, hipError_t status), void *data);

#endif
