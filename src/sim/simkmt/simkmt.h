/* Private to the simulated kernel driver: its state, and what its files ask of each other.
 *
 * libsimkmt.so.1 has the ABI of libhsakmt.so.1. Node 0 is the host; nodes from 1 on are simulated
 * GPUs. Memory, events and queues have a lock each, of their file; no two are held at once but
 * where a comment says so. */
#ifndef SIMKMT_H
#define SIMKMT_H

#include "amdgpu.h"
#include "amdgpu_queue.h"
#include "hsakmt_later.h"
#include "log.h"
#include "sim_memory.h"
#include "simkmt_sdma.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rest of the library is hidden. */
#define HSAKMT_FUNCTION(name, parameters)                                                          \
    extern __typeof__(name) name __attribute__((visibility("default")));
#include "hsakmt_functions.def"
#include "hsakmt_later.def"
#undef HSAKMT_FUNCTION
extern __typeof__(DtifCreate) DtifCreate __attribute__((visibility("default")));
extern __typeof__(DtifDestroy) DtifDestroy __attribute__((visibility("default")));

enum { SIMKMT_NODES_MAX = SIM_DEVICES_MAX + 1, SIMKMT_PAGE = 4096 };

/* ---- nodes ----------------------------------------------------------------------------- */

struct simkmt_node {
    uint32_t number;
    struct amdgpu_device gpu; /* of every node but the first; gpu.device is number - 1 */
    size_t memory;            /* bytes */
};

struct simkmt {
    pthread_mutex_t lock;         /* of opening and closing */
    unsigned opened;              /* how often */
    _Atomic(bool) forked;         /* this is a child of the process that opened it */
    bool model;                   /* there is no such caller: simkmt_model.c serves queues alone */
    bool later;                   /* the caller has the structures of hsakmt_later.h; set before
                                     anything else is called */
    _Atomic(unsigned) node_count; /* 0: never opened */
    struct simkmt_node nodes[SIMKMT_NODES_MAX];
};
extern struct simkmt simkmt;

/* Makes the nodes; with the lock, once. A failure is logged. */
HSAKMT_STATUS simkmt_nodes_open(void);
/* Makes the nodes of these models; space: bytes of each that the simulator allocates itself. */
HSAKMT_STATUS simkmt_nodes_create(const struct amdgpu_model *const *models, int count,
                                  size_t space);
struct simkmt_node *simkmt_node(uint32_t number);     /* NULL: there is none */
struct simkmt_node *simkmt_gpu_node(uint32_t number); /* NULL: there is none, or it is the host */

/* The same in the structures of later runtimes. */
void simkmt_later_node(const struct simkmt_node *node, const HsaNodeProperties *properties,
                       HsaNodePropertiesLater *out_later);
void simkmt_later_link(const HsaIoLinkProperties *properties, HsaIoLinkPropertiesLater *out_later);

/* How functions begin that need the driver to be open. */
bool simkmt_is_open(void);
#define SIMKMT_ENTER()                                                                             \
    do {                                                                                           \
        if (!simkmt_is_open())                                                                     \
            return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;                                     \
    } while (0)

/* A call that a correct runtime never makes: a line in the log. Returns status. */
__attribute__((format(printf, 2, 3))) HSAKMT_STATUS simkmt_refuse(HSAKMT_STATUS status,
                                                                  const char *format, ...);

/* ---- events ---------------------------------------------------------------------------- */

/* Reports a fault to all events of type HSA_EVENTTYPE_MEMORY. False: there is no such event. */
bool simkmt_memory_fault(const struct simkmt_node *node, uint64_t address);
void simkmt_events_close(void);

/* ---- models ---------------------------------------------------------------------------- */

/* With simkmt.model, the indices of all queues are their owner's, and are looked at instead of
 * doorbells. */

/* A kernel is to begin: what was found of the program's memory is looked for anew. */
hsa_status_t simkmt_model_begin(void *data, const hsa_kernel_dispatch_packet_t *packet);
/* What interrupts are there: the event of a signal that was completed. */
void simkmt_model_interrupt(uint32_t event_id);
/* The value of a signal may have been at an address that was changed. */
void simkmt_model_changed(const struct simkmt_node *node, uint64_t address);
/* A queue has failed: its owner learns it from queue_inactive_signal. */
void simkmt_model_failed(const struct simkmt_node *node, const amd_queue_t *queue,
                         const struct amdgpu_queue_error *error);

/* The devices of a folder in the form of the kernel driver's topology (simkmt_sysfs.c): reads their
 * models into out_models, which has room for SIM_DEVICES_MAX. Returns how many; 0: there is no such
 * folder; -1: it has others, and the log says which. */
int simkmt_sysfs_read(const char *folder, const struct amdgpu_model **out_models);
/* Makes such a folder, of the nodes that there are. False: it cannot be made, and the log says so.
 */
bool simkmt_sysfs_write(const char *folder);

/* ---- queues and doorbells -------------------------------------------------------------- */

/* What a doorbell rings. */
struct simkmt_doorbell {
    _Atomic(uint64_t) *place; /* where programs store */
    uint64_t seen;
    void (*ring)(struct simkmt_doorbell *doorbell, uint64_t value);
};
/* Gives it a place, and calls ring on the doorbells' thread whenever the value there changes. No
 * locks are held when ring is called but the doorbells' own. False: no memory, thread or place. */
bool simkmt_doorbell_open(struct simkmt_doorbell *doorbell);
/* The same for an existing word, whose last value was value. */
bool simkmt_doorbell_watch(struct simkmt_doorbell *doorbell);
/* ring is not called any more when this returns. */
void simkmt_doorbell_close(struct simkmt_doorbell *doorbell);

void simkmt_queues_close(void);
bool simkmt_queues_exist(void);

/* ---- SDMA ------------------------------------------------------------------------------ */

struct simkmt_sdma;
/* An engine's queue over a ring of size bytes (a power of two). The addresses of its indices, which
 * count bytes, are in resource: afterwards, or with simkmt.model before. NULL: no memory or no
 * thread, or the node does not reach the indices. */
struct simkmt_sdma *simkmt_sdma_create(const struct simkmt_node *node, void *ring, uint64_t size,
                                       HsaQueueResource *resource);
/* Ends it; a packet in progress is finished, others are not begun. */
void simkmt_sdma_destroy(struct simkmt_sdma *sdma);
void simkmt_sdma_pause(struct simkmt_sdma *sdma, bool pause);

/* ---- memory ---------------------------------------------------------------------------- */

void simkmt_memory_close(void);

/* Memory of a device in reserved addresses; a list of what is mapped there. */
struct simkmt_part;
/* False: no memory, or the addresses are not reserved or not free. */
bool simkmt_part_map(struct simkmt_part **parts, int device, uint64_t address, uint64_t size);
/* False: none starts at address. */
bool simkmt_part_unmap(struct simkmt_part **parts, uint64_t address);
void simkmt_parts_reach(struct simkmt_part *parts, int device); /* from now on */
void simkmt_parts_destroy(struct simkmt_part **parts);

/* Pages that are the program's own: devices reach them until as many calls have taken it back.
 * False: they are not all there, or something of them was allocated here. */
bool simkmt_memory_reach(uint64_t start, uint64_t end);
void simkmt_memory_unreach(uint64_t start, uint64_t end);
bool simkmt_memory_exists(uint64_t address); /* any memory of the process */
bool simkmt_memory_is_programs(uint64_t start, uint64_t end);
void simkmt_attributes_close(void); /* of shared virtual memory */

/* Moves what starts at address to a file, which others may open as *out_shared says. Nothing may
 * run or copy meanwhile. */
HSAKMT_STATUS simkmt_memory_share(const void *address, uint64_t size, uint32_t *out_node,
                                  struct sim_shared *out_shared);
/* The same when nothing runs or copies; HSAKMT_STATUS_UNAVAILABLE: that takes too long. */
HSAKMT_STATUS simkmt_share_at_rest(const void *address, uint64_t size, uint32_t *out_node,
                                   struct sim_shared *out_shared);
/* Opens such memory of another process's node, at addresses of its own; hsaKmtDeregisterMemory
 * closes it. */
HSAKMT_STATUS simkmt_memory_open(uint32_t node, const struct sim_shared *shared,
                                 void **out_address);

/* What a dma-buf is of. */
struct simkmt_buffer {
    int file; /* where it lies, for the caller to close */
    uint64_t offset, size;
    uint32_t node; /* 0: of the host; offset is 0 then */
};
/* False: file is no dma-buf of a simulated device, or who has the memory is gone. */
bool simkmt_buffer_open(int file, struct simkmt_buffer *out);
/* The first size bytes of file, for the host, at a multiple of alignment. MAP_FAILED: they cannot
 * be mapped. */
void *simkmt_buffer_map(int file, uint64_t size, uint64_t alignment);
void simkmt_drm_close(void);

#endif
