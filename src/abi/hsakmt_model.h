/* A model of GPUs for AMD's HSA runtime of ROCm 7: with HSA_MODEL_TOPOLOGY set, the runtime's own
 * kernel interface goes without a kernel driver. It reads what devices there are from a folder of
 * that name, in the form of /sys/devices/virtual/kfd/kfd/topology, keeps memory and events itself,
 * and leaves the queues to the library that HSA_MODEL_LIB names.
 *
 * Source: hsakmtmodeliface.h and hsakmtmodel.c of rocr-runtime, ROCm/rocm-systems, August 2025
 * (interface 0.4). Names of structures and fields are AMD's. */
#ifndef HSAKMT_MODEL_H
#define HSAKMT_MODEL_H

#include <stdint.h>

enum { HSAKMT_MODEL_MAJOR = 0, HSAKMT_MODEL_MINOR = 4 };

typedef struct hsakmt_model hsakmt_model_t;             /* of one device */
typedef struct hsakmt_model_queue hsakmt_model_queue_t; /* of one of its queues */

struct hsakmt_model_queue_info {
    /* as the device has them; indices of AQL queues are fields of an amd_queue_t */
    uint64_t ring_base_address, write_pointer_address, read_pointer_address;
    uint64_t *doorbell; /* NULL: there is no notification, and the model polls the write index */
    uint32_t ring_size; /* bytes */
    uint32_t queue_type;
};
enum { HSAKMT_MODEL_QUEUE_SDMA = 1, HSAKMT_MODEL_QUEUE_AQL = 2 };

enum { /* flags of memory */
       HSAKMT_MODEL_VRAM = 1u << 0,
       HSAKMT_MODEL_GTT = 1u << 1, /* of the host */
       HSAKMT_MODEL_DOORBELL = 1u << 3,
       HSAKMT_MODEL_REGISTERS = 1u << 4,
       HSAKMT_MODEL_PUBLIC = 1u << 29, /* VRAM that the host reaches */
};

struct hsakmt_model_functions {
    uint32_t version_major, version_minor;
    /* One call for each GPU of the topology, in their order. NULL ends the process. */
    hsakmt_model_t *(*create)(void);
    void (*destroy)(hsakmt_model_t *model);
    /* What is mapped to the device at an address lies at base plus that address. */
    void (*set_global_aperture)(hsakmt_model_t *model, void *base, uint64_t size);
    /* base: the address, which is that of the host as well where the host reaches the memory. It is
     * called before the memory is mapped anywhere. */
    void (*alloced_memory)(hsakmt_model_t *model, void *base, uint64_t size, uint32_t flags);
    void (*freed_memory)(hsakmt_model_t *model, void *base, uint64_t size);
    void (*set_notify_event)(hsakmt_model_t *model, void (*notify)(void *data), void *data);
    void (*set_wait_event)(hsakmt_model_t *model,
                           void (*wait)(void *data, uint64_t address, uint64_t age), void *data);
    hsakmt_model_queue_t *(*register_queue)(hsakmt_model_t *model,
                                            struct hsakmt_model_queue_info *info);
    /* set is to be called with the event_id of a signal that was completed. It ends the process if
     * there is no such event. */
    void (*set_set_event)(hsakmt_model_t *model, void (*set)(void *data, unsigned event_id),
                          void *data);
    void (*destroy_queue)(hsakmt_model_t *model, hsakmt_model_queue_t *queue);
};

/* The one function that the library exports. */
const struct hsakmt_model_functions *get_hsakmt_model_functions(void);

#endif
