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
    AMDGPU_END_MEMORY, /* an access to memory that is not there or not the kernel's */
    AMDGPU_END_ALIGNMENT,
    AMDGPU_END_INSTRUCTION, /* unknown, or not for this device */
    AMDGPU_END_TRAP,        /* s_trap; trap: its number (2: abort or assert, 3: debugger) */
    AMDGPU_END_SHARED,      /* beyond the group segment */
    AMDGPU_END_SCRATCH,     /* beyond the private segment */
    AMDGPU_END_HUNG,        /* waits for what never comes */
    AMDGPU_END_PACKET,      /* the dispatch itself: no kernel there, too large a group */
    AMDGPU_END_NO_MEMORY,
    AMDGPU_END_CANCELLED,
    AMDGPU_END_CHECK, /* SIM_CHECK_* found something */
};
struct amdgpu_end {
    enum amdgpu_end_kind kind;
    uint64_t address; /* of the access or the code */
    unsigned trap;
    bool told; /* a trap handler has sent an interrupt about it */
};

/* Memory of private segments that a queue keeps for its kernels to come (amdgpu_private.c). */
struct amdgpu_private;
struct amdgpu_private *amdgpu_private_create(void);       /* NULL: no memory */
void amdgpu_private_destroy(struct amdgpu_private *kept); /* accepts NULL; no kernel runs */

/* Scratch that the owner of a queue provides for the kernels there: memory of the device, so many
 * bytes for each of so many waves. */
struct amdgpu_ring {
    uint64_t address;       /* 0: there is none; memory is made for each group */
    uint32_t descriptor[4]; /* a resource descriptor of it, as kernels find it */
    size_t wave_size;
    unsigned first, waves; /* of a dispatch: those that are its own */
};
enum { AMDGPU_RING_GROUPS = 4096 }; /* of a dispatch that have a part of it at once, at most */

enum { AMDGPU_UNIT_WORDS = 32 }; /* of a mask of compute units */

enum { AMDGPU_MEETINGS = 64 }; /* resources of global wave sync */

/* One kernel in progress. The caller's memory; fields after the first blank are private. */
struct amdgpu_dispatch {
    const struct amdgpu_device *device;
    hsa_kernel_dispatch_packet_t packet; /* a copy */
    uint64_t packet_address;             /* where the kernel sees it */
    uint64_t queue_address;              /* amd_queue_t, as the kernel sees it */
    uint64_t id;                         /* of the dispatch */
    int priority;                        /* lower first */
    bool cooperative;                    /* all groups resident at once */
    struct amdgpu_private *kept;         /* NULL: memory is made for each group */
    struct amdgpu_ring ring;
    unsigned units; /* compute units that its groups are on, 0: all of the device; in the mask */
    uint32_t unit_mask[AMDGPU_UNIT_WORDS];
    uint32_t doorbell; /* the number of its queue's, for trap handlers */
    /* A trap handler sends an interrupt, on the wave's thread; message: M0. NULL: nobody asks. */
    void (*trapped)(struct amdgpu_dispatch *dispatch, uint32_t message);
    /* The kernel has ended, as end says. Called once, on a thread of the pool or of the
     * caller; the dispatch may be freed in it. */
    void (*done)(struct amdgpu_dispatch *dispatch, const struct amdgpu_end *end);
    void *data;

    struct sim_launch launch;
    struct amdgpu_kernel_descriptor descriptor;
    uint64_t entry;                                         /* address of the first instruction */
    unsigned lanes, vgprs, agprs, sgprs, user_sgprs, items; /* items: of a group */
    size_t lds_size, scratch_size, scratch_stride;
    _Atomic(uint64_t) ring_groups[AMDGPU_RING_GROUPS / 64]; /* which parts of the ring are in use */
    const struct amdgpu_shape *shape;                       /* of its waves, of amdgpu_wave.h */
    uint32_t group[3];                                      /* work-items of a whole group */
    _Atomic(bool) failed, reported, cancelled;
    _Atomic(uint64_t) meetings[AMDGPU_MEETINGS];      /* of amdgpu_gws.c, as is the next */
    _Atomic(uint32_t) meeting_sizes[AMDGPU_MEETINGS]; /* how many meet there beside one */
    struct amdgpu_end end;
};

/* Starts it. False: done will not be called, *out_end says why. */
bool amdgpu_dispatch_start(struct amdgpu_dispatch *dispatch, struct amdgpu_end *out_end);
void amdgpu_dispatch_cancel(struct amdgpu_dispatch *dispatch);

/* Sets what is called when a kernel sends an interrupt (s_sendmsg), on its thread: whoever
 * waits for signals is to look again. The argument is 0. NULL: nobody. */
void amdgpu_on_interrupt(void (*interrupt)(uint32_t));

/* Forgets decoded code in [address, address + size): other code may come to lie there. */
void amdgpu_code_forget(uint64_t address, size_t size);

#endif
