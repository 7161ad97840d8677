/* Execution of AMDGPU machine code on simulated devices, as queues and drivers see it: dispatches,
 * and decoded code that has to be discarded. exec implements it; amdgpu.c joins the rooms.
 *
 * Code is bytes in device memory, wherever they are; the simulator decodes what it executes. Every
 * function may be called from any thread. */
#ifndef AMDGPU_H
#define AMDGPU_H

#include "amdgpu_abi.h"
#include "amdgpu_device.h"
#include "hsa_abi.h"
#include "sim_run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- dispatches ------------------------------------------------------------------------ */

enum amdgpu_end_kind {
    AMDGPU_END_OK,
    AMDGPU_END_MEMORY, /* an access to memory that does not exist or that the kernel may not use */
    AMDGPU_END_ALIGNMENT,
    AMDGPU_END_INSTRUCTION, /* unknown, or not for this device */
    AMDGPU_END_TRAP,        /* s_trap; trap: its number (2: abort or assert, 3: debugger) */
    AMDGPU_END_SHARED,      /* beyond the group segment */
    AMDGPU_END_SCRATCH,     /* beyond the private segment */
    AMDGPU_END_HUNG,        /* waits for something that can never happen */
    AMDGPU_END_PACKET, /* the dispatch itself is invalid: no kernel at the address, or a group that
                          is too large */
    AMDGPU_END_NO_MEMORY,
    AMDGPU_END_CANCELLED,
    AMDGPU_END_CHECK, /* SIM_CHECK_* reported a finding */
};
struct amdgpu_end {
    enum amdgpu_end_kind kind;
    uint64_t address; /* of the access or the code */
    unsigned trap;
    bool interrupt_sent; /* a trap handler has sent an interrupt about it */
};

/* The scratch memory (private segments) that a queue keeps for its later kernels
 * (amdgpu_scratch_pool.c). */
struct amdgpu_scratch_pool;
struct amdgpu_scratch_pool *amdgpu_scratch_pool_create(void); /* NULL: no memory */
/* Accepts NULL. No kernel may be running. */
void amdgpu_scratch_pool_destroy(struct amdgpu_scratch_pool *pool);

/* The scratch that the owner of a queue provides for its kernels: device memory, with the same
 * number of bytes for each of a number of waves. */
struct amdgpu_scratch_ring {
    uint64_t address;       /* 0: there is none, and memory is allocated for each group */
    uint32_t descriptor[4]; /* its resource descriptor, which kernels read */
    size_t wave_size;
    unsigned first, waves; /* the waves that belong to one dispatch */
};
/* The most groups of a dispatch that can use it at once. */
enum { AMDGPU_SCRATCH_RING_GROUPS = 4096 };

enum { AMDGPU_UNIT_WORDS = 32 }; /* of a mask of compute units */

enum { AMDGPU_GWS_RESOURCES = 64 }; /* resources of global wave sync */

/* A kernel in progress. The caller provides the memory; the fields after the first blank line are
 * private. */
struct amdgpu_dispatch {
    const struct amdgpu_device *device;
    hsa_kernel_dispatch_packet_t packet; /* a copy */
    uint64_t packet_address;             /* where the kernel sees it */
    uint64_t queue_address;              /* amd_queue_t, as the kernel sees it */
    uint64_t id;                         /* of the dispatch */
    int priority;                        /* lower first */
    bool cooperative;                    /* all groups resident at once */
    bool helped; /* the caller calls amdgpu_dispatch_help as soon as it is started */
    struct amdgpu_scratch_pool *scratch_pool; /* NULL: memory is allocated for each group */
    struct amdgpu_scratch_ring scratch_ring;
    unsigned units; /* compute units that its groups run on, 0: all of the device's; in the mask */
    uint32_t unit_mask[AMDGPU_UNIT_WORDS];
    uint32_t doorbell; /* number of its queue's doorbell, for trap handlers */
    /* Called when a trap handler sends an interrupt, on the wave's thread; message is M0. May be
     * NULL. */
    void (*trapped)(struct amdgpu_dispatch *dispatch, uint32_t message);
    /* Called once when the kernel has ended, with the result in end, on a thread of the pool or of
     * the caller. It may free the dispatch, unless it is helped. */
    void (*done)(struct amdgpu_dispatch *dispatch, const struct amdgpu_end *end);
    void *data;

    struct sim_launch launch;
    struct amdgpu_kernel_descriptor descriptor;
    uint64_t entry;                                         /* address of the first instruction */
    unsigned lanes, vgprs, agprs, sgprs, user_sgprs, items; /* items: of a group */
    size_t lds_size, scratch_size, scratch_stride;
    /* Which parts of the ring are in use. */
    _Atomic(uint64_t) scratch_parts[AMDGPU_SCRATCH_RING_GROUPS / 64];
    const struct amdgpu_shape *shape; /* of its waves, of amdgpu_wave.h */
    uint32_t group[3];                /* work-items of a whole group */
    struct {                          /* of a compute unit, on gfx10 and later a pair of them */
        uint64_t groups;              /* that it holds */
        const char *limit;            /* what allows no more: "registers" */
        unsigned waves_max, simds;    /* that it can hold; that it has */
    } occupancy;
    struct sim_profile_launch *profile; /* NULL: it is not profiled */
    _Atomic(bool) failed, reported, cancelled;
    /* Of each resource, for amdgpu_gws.c: its state, and how many waves it expects besides the
     * first. */
    _Atomic(uint64_t) gws_states[AMDGPU_GWS_RESOURCES];
    _Atomic(uint32_t) gws_counts[AMDGPU_GWS_RESOURCES];
    struct amdgpu_end end;
};

/* Starts a dispatch. False: done will not be called, and *out_end says why. */
bool amdgpu_dispatch_start(struct amdgpu_dispatch *dispatch, struct amdgpu_end *out_end);
/* Executes the kernel on the caller's thread while nothing else waits to be executed: sim_run_help.
 */
void amdgpu_dispatch_help(struct amdgpu_dispatch *dispatch);
void amdgpu_dispatch_cancel(struct amdgpu_dispatch *dispatch);

/* Sets the function that is called when a kernel sends an interrupt (s_sendmsg), on the kernel's
 * thread, so that threads which wait for signals check them again. Its argument is 0. NULL:
 * none. */
void amdgpu_on_interrupt(void (*interrupt)(uint32_t));

/* Discards decoded code in [address, address + size). It has to be called before other code can be
 * there. */
void amdgpu_code_discard(uint64_t address, size_t size);

#endif
