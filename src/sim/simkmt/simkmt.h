/* Private to the simulated kernel driver: its state, and the functions that its files share.
 *
 * libsimkmt.so.1 has the ABI of libhsakmt.so.1. Node 0 is the host; nodes from 1 on are simulated
 * GPUs. Memory, events and queues each have a lock in their file; no two are held at once except
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
    struct amdgpu_device gpu; /* of every node except the first; gpu.device is number - 1 */
    size_t memory;            /* bytes */
};

struct simkmt {
    pthread_mutex_t lock; /* of opening and closing */
    unsigned opened;      /* the number of times */
    _Atomic(bool) forked; /* this is a child of the process that opened it */
    bool model;           /* there is no such caller: simkmt_model.c provides queues only */
    bool later; /* the caller uses the structures of hsakmt_later.h; set before any other call */
    _Atomic(unsigned) node_count; /* 0: never opened */
    struct simkmt_node nodes[SIMKMT_NODES_MAX];
};
extern struct simkmt simkmt;

/* Creates the nodes; once, under the lock. A failure is logged. */
HSAKMT_STATUS simkmt_nodes_open(void);
/* Creates the nodes of these models; space: bytes of each that the simulator allocates itself. */
HSAKMT_STATUS simkmt_nodes_create(const struct amdgpu_model *const *models, int count,
                                  size_t space);
struct simkmt_node *simkmt_node(uint32_t number);     /* NULL: there is none */
struct simkmt_node *simkmt_gpu_node(uint32_t number); /* NULL: there is none, or it is the host */

/* The same in the structures of later runtimes. */
void simkmt_later_node(const struct simkmt_node *node, const HsaNodeProperties *properties,
                       HsaNodePropertiesLater *out_later);
void simkmt_later_link(const HsaIoLinkProperties *properties, HsaIoLinkPropertiesLater *out_later);

/* The checks with which functions begin that need the driver to be open. */
bool simkmt_is_open(void);
#define SIMKMT_ENTER()                                                                             \
    do {                                                                                           \
        if (!simkmt_is_open())                                                                     \
            return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;                                     \
    } while (0)

/* Logs a call that a correct runtime never makes. Returns status. */
__attribute__((format(printf, 2, 3))) HSAKMT_STATUS simkmt_refuse(HSAKMT_STATUS status,
                                                                  const char *format, ...);

/* ---- events ---------------------------------------------------------------------------- */

/* Reports a fault to all events of type HSA_EVENTTYPE_MEMORY. False: there is no such event. */
bool simkmt_memory_fault(const struct simkmt_node *node, uint64_t address);
void simkmt_events_close(void);

/* ---- models ---------------------------------------------------------------------------- */

/* With simkmt.model, the owners have the indices of all queues, and these are polled instead of
 * doorbells. */

/* Called when a kernel is about to begin: memory of the program that was found before is looked up
 * again. */
hsa_status_t simkmt_model_begin(void *data, const hsa_kernel_dispatch_packet_t *packet);
/* The possible interrupts: the event of a signal that was completed. */
void simkmt_model_interrupt(uint32_t event_id);
/* A signal may have its value at an address that was changed. */
void simkmt_model_changed(const struct simkmt_node *node, uint64_t address);
/* A queue has failed; its owner is notified through queue_inactive_signal. */
void simkmt_model_failed(const struct simkmt_node *node, const amd_queue_t *queue,
                         const struct amdgpu_queue_error *error);

/* The devices in a folder that has the format of the kernel driver's topology (simkmt_sysfs.c):
 * reads their models into out_models, which has room for SIM_DEVICES_MAX. Returns how many; 0: the
 * folder does not exist; -1: it has unknown devices, which are logged. */
int simkmt_sysfs_read(const char *folder, const struct amdgpu_model **out_models);
/* Creates such a folder, for the present nodes. False: it cannot be created, which is logged. */
bool simkmt_sysfs_write(const char *folder);

/* ---- queues and doorbells -------------------------------------------------------------- */

/* A doorbell, and its callback. */
struct simkmt_doorbell {
    _Atomic(uint64_t) *place; /* where programs store */
    uint64_t seen;
    void (*ring)(struct simkmt_doorbell *doorbell, uint64_t value);
};
/* Allocates a doorbell, and calls ring on the doorbells' thread whenever its value changes. Only
 * the doorbells' own lock is held during the call. False: out of memory, threads or doorbells. */
bool simkmt_doorbell_open(struct simkmt_doorbell *doorbell);
/* The same for an existing word, whose last value was value. */
bool simkmt_doorbell_watch(struct simkmt_doorbell *doorbell);
/* When this returns, ring is not called any more. */
void simkmt_doorbell_close(struct simkmt_doorbell *doorbell);

/* Reports an aperture violation to the AQL queues of the node: for a memory fault of an SDMA
 * engine, if there is no event of memory faults. Runtimes take no reasons of SDMA queues. */
void simkmt_queues_fault(const struct simkmt_node *node);
void simkmt_queues_close(void);
bool simkmt_queues_exist(void);

/* ---- SDMA ------------------------------------------------------------------------------ */

struct simkmt_sdma;
/* The queue of an SDMA engine, over a ring of size bytes (a power of two). The addresses of its
 * indices, which count bytes, are in resource: on return, or with simkmt.model on entry. NULL: out
 * of memory or threads, or the node cannot access the indices. */
struct simkmt_sdma *simkmt_sdma_create(const struct simkmt_node *node, void *ring, uint64_t size,
                                       HsaQueueResource *resource);
/* Destroys it; a packet in progress is finished, and no other begins. */
void simkmt_sdma_destroy(struct simkmt_sdma *sdma);
void simkmt_sdma_pause(struct simkmt_sdma *sdma, bool pause);

/* ---- memory ---------------------------------------------------------------------------- */

void simkmt_memory_close(void);

/* Memory of a device in reserved addresses: a list of mappings. */
struct simkmt_part;
/* False: out of memory, or the addresses are not reserved or in use. */
bool simkmt_part_map(struct simkmt_part **parts, int device, uint64_t address, uint64_t size);
/* False: no mapping starts at address. */
bool simkmt_part_unmap(struct simkmt_part **parts, uint64_t address);
void simkmt_parts_enable_access(struct simkmt_part *parts,
                                int device); /* for mappings that exist or are added later */
void simkmt_parts_destroy(struct simkmt_part **parts);

/* Makes pages of the program accessible to devices, until as many calls have revoked that. False:
 * they do not all exist, or some of them were allocated here. */
bool simkmt_memory_enable_access(uint64_t start, uint64_t end);
void simkmt_memory_disable_access(uint64_t start, uint64_t end);
bool simkmt_memory_exists(uint64_t address); /* any memory of the process */
bool simkmt_memory_is_programs(uint64_t start, uint64_t end);
void simkmt_attributes_close(void); /* of shared virtual memory */

/* Moves the allocation that starts at address to a file, which others can open with *out_shared. No
 * kernel or copy may be running. */
HSAKMT_STATUS simkmt_memory_share(const void *address, uint64_t size, uint32_t *out_node,
                                  struct sim_shared *out_shared);
/* The same, after waiting for kernels and copies; HSAKMT_STATUS_UNAVAILABLE: that takes too
 * long. */
HSAKMT_STATUS simkmt_share_at_rest(const void *address, uint64_t size, uint32_t *out_node,
                                   struct sim_shared *out_shared);
/* Opens such memory of another process's node, at an address of its own; hsaKmtDeregisterMemory
 * closes it. */
HSAKMT_STATUS simkmt_memory_open(uint32_t node, const struct sim_shared *shared,
                                 void **out_address);

struct sim_buffer;
/* False: file is not a dma-buf of a simulated device, or the process that has the memory has
 * ended. */
bool simkmt_buffer_open(int file, struct sim_buffer *out);
/* Maps the first size bytes of file for the host, at a multiple of alignment. MAP_FAILED: they
 * cannot be mapped. */
void *simkmt_buffer_map(int file, uint64_t size, uint64_t alignment);
void simkmt_drm_close(void);

#endif
