/* Warps: their fragments, frames and waits; and the block that a warp belongs to.
 *
 * A fragment is a set of lanes at one place in the code: an op and a frame. The one that is running
 * has its state in struct ptx_warp; the others are in warp->fragments. */
#ifndef PTX_WARP_H
#define PTX_WARP_H

#include "ptx_handlers.h"
#include "sim_run.h"

/* An activation of a function. */
struct ptx_frame {
    const struct ptx_code *code;
    unsigned char *regs;
    size_t local_offset;
    struct ptx_frame *caller;  /* NULL: the kernel's own */
    const struct ptx_op *call; /* in the caller */
    uint32_t lanes;            /* that are in it */
    unsigned depth;
    struct ptx_frame *next; /* of those not in use, by function; constants are in place */
};

struct ptx_frame_chunk { /* memory of frames, freed with the warp */
    struct ptx_frame_chunk *next;
};

enum ptx_wait { PTX_WAIT_NONE, PTX_WAIT_LANES, PTX_WAIT_BARRIER, PTX_WAIT_CLUSTER };

struct ptx_fragment {
    uint32_t mask;
    enum ptx_wait wait;
    bool yielded;     /* it ran for long, and the others run first */
    unsigned barrier; /* PTX_WAIT_BARRIER */
    uint32_t members; /* PTX_WAIT_LANES: of its first lane */
    const struct ptx_op *op;
    struct ptx_frame *frame;
    struct ptx_fragment *next;
};

enum { PTX_BARRIERS = 16 };
enum { PTX_PLACES = 64 }; /* of a region, at which lanes may wait for others of the warp */

/* Why a handler returned NULL. */
enum ptx_stop { PTX_STOP_BUG, PTX_STOP_SWITCH, PTX_STOP_REST, PTX_STOP_FAILED };

struct ptx_wave {
    struct ptx_warp warp; /* first: what handlers get */
    /* What each run needs follows, in few lines of the host's cache. */
    enum ptx_stop stop;
    bool strict;     /* SIM_CHECK_SYNC */
    bool rests;      /* all lanes may be waiting for other warps */
    bool uneven;     /* one that may wait for others yields to them */
    int left, slice; /* of the budget of this run; given to the fragment that runs */
    int share;       /* steps until a fragment that may wait yields to others */
    uint64_t noted;  /* steps that have made code hot already, or that regions executed */
    struct ptx_fragment *unused;
    struct ptx_frame frame;
    struct ptx_fragment pool[PTX_LANES]; /* the first are used first */
    struct ptx_frame **frames; /* not in use, by function number; made at the first call */
    struct ptx_frame_chunk *chunks;
    uint32_t started;               /* lanes that ever lived */
    uint32_t guarded;               /* the mask outside of a guarded instruction */
    uint32_t cluster_pending;       /* lanes that arrived at the cluster's barrier */
    uint32_t arrived[PTX_BARRIERS]; /* strict: lanes that arrived in this phase of each */
    uint32_t tid[3][PTX_LANES];
    uint32_t waiting[PTX_PLACES]; /* warp.waiting; zero outside of regions */
};

struct ptx_barrier {
    unsigned arrived;  /* threads */
    unsigned expected; /* 0: all that have not ended */
    uint32_t warps;    /* that have arrived with at least a lane */
    unsigned count;    /* of true predicates */
    bool all, any;
};

struct ptx_block {
    struct sim_block *sim;
    struct ptx_launch *launch;
    struct ptx_wave *waves;
    unsigned wave_count, thread_count;
    unsigned alive; /* threads that have not ended */
    unsigned smid;
    bool may_be_together;
    bool together; /* all warps that have not ended are READY at one op, with all their lanes */
    uint32_t open; /* barriers at which somebody has arrived */
    uint64_t heat, ended; /* of warps that have ended: ops for ptx_jit_end, which is not told yet */
    struct ptx_barrier barriers[PTX_BARRIERS];
    struct ptx_barrier cluster;
    struct sim_profile_counts *counts; /* NULL: launches are not profiled */
};

/* Of a launch (ptx_launch.private): how a block's memory is divided. */
struct ptx_shape_of_block {
    size_t waves, regs, regs_stride, shared, shared_size, local, local_stride, size;
    void (*done)(struct sim_launch *launch, bool failed); /* the caller's */
    struct sim_profile_launch *profile;                   /* NULL: it is not profiled */
};

static inline struct ptx_wave *ptx_wave_of(struct ptx_warp *warp)
{
    return (struct ptx_wave *)(void *)warp;
}

/* Nearly always those of a whole warp: hosts without an instruction count bits by a call. */
static inline unsigned ptx_count_lanes(uint32_t mask)
{
    return mask == UINT32_MAX ? PTX_LANES : (unsigned)__builtin_popcount(mask);
}

/* ---- running ---------------------------------------------------------------------- */

/* Once for the memory of a warp: computes what is the same in all blocks of the launch. */
void ptx_warp_prepare(struct ptx_wave *wave);
/* All lanes of the mask begin the kernel. */
void ptx_warp_start(struct ptx_wave *wave, uint32_t mask);
enum sim_wave ptx_warp_run(struct ptx_wave *wave, unsigned budget);
/* Spans of the calling thread. */
struct sim_span *ptx_warp_spans(void);
/* The same as ptx_warp_run, with the thread's spans, up to a barrier at which all lanes are that
 * have not ended: that op is then in *at, otherwise NULL. A warp at a barrier is READY to continue,
 * but still has its running fragment: what follows is either this function again, with *at where it
 * continues (NULL: where it is READY to), or ptx_warp_park_at. */
enum sim_wave ptx_warp_run_to_barrier(struct ptx_wave *wave, unsigned budget,
                                      struct sim_span *spans, const struct ptx_op **at);
void ptx_warp_park_at(struct ptx_wave *wave, const struct ptx_op *op);
void ptx_warp_fini(struct ptx_wave *wave);

/* Makes mask the executing lanes. */
void ptx_warp_mask(struct ptx_warp *warp, uint32_t mask);
/* Adds lanes at a place, to the fragment that is there if there is one. */
void ptx_warp_add(struct ptx_warp *warp, uint32_t mask, const struct ptx_op *op,
                  struct ptx_frame *frame);
/* Takes the lanes that are ready at a place out of the list of fragments; returns them. */
uint32_t ptx_warp_take(struct ptx_warp *warp, const struct ptx_op *op, struct ptx_frame *frame);
/* The fragment that is to run next runs, after one has left for others: for executing ops without
 * ptx_warp_run. Returns its op. */
const struct ptx_op *ptx_warp_next(struct ptx_warp *warp);
/* Called where lanes may reconverge, if there are other fragments. Returns the op to continue with:
 * op, unless others run first. */
const struct ptx_op *ptx_warp_reconverge(struct ptx_warp *warp, const struct ptx_op *op);
/* The budget is used up: the running fragment continues at op later. spins: it is in a loop that
 * may wait for others, which run first if it has been there for long. */
const struct ptx_op *ptx_warp_yield(struct ptx_warp *warp, const struct ptx_op *op, bool spins);
/* The running fragment continues at op when all others, also those of other warps, have had a
 * turn. */
const struct ptx_op *ptx_warp_sleep(struct ptx_warp *warp, const struct ptx_op *op);
/* The running fragment stops at op until whatever it waits for. Returns NULL. */
const struct ptx_op *ptx_warp_wait(struct ptx_warp *warp, const struct ptx_op *op,
                                   enum ptx_wait wait);
/* Whether all lanes that live are at op, a barrier which they are to execute together. Else the
 * running fragment waits there for the others; where some of them are at another such barrier,
 * that is reported. */
bool ptx_warp_align(struct ptx_warp *warp, const struct ptx_op *op);
/* The running fragment has no lanes left: all are in other fragments. Returns NULL. */
const struct ptx_op *ptx_warp_retire(struct ptx_warp *warp);
/* The running fragment's lanes end. Returns NULL. */
const struct ptx_op *ptx_warp_exit(struct ptx_warp *warp);
/* Puts the running fragment into a new activation of a function. NULL: fault. */
struct ptx_frame *ptx_warp_enter(struct ptx_warp *warp, const struct ptx_op *call,
                                 const struct ptx_code *code);
void ptx_warp_return(struct ptx_warp *warp);

/* ---- barriers (ptx_barrier.c) ------------------------------------------------------- */

/* Nobody has arrived anywhere. fresh: the block's memory was not used yet. */
void ptx_barrier_begin(struct ptx_block *block, bool fresh);
/* Threads have ended: barriers may be complete without them. */
void ptx_barrier_exit(struct ptx_block *block);
/* All warps that have not ended are READY to continue at op, a barrier, with all their lanes.
 * Whether nothing but their arrival is needed to complete it, so that they may continue behind it
 * without executing it. */
bool ptx_barrier_is_passed(const struct ptx_block *block, const struct ptx_op *op);
/* Whether op is a barrier that all lanes of a warp are to execute together. */
bool ptx_barrier_is_aligned(const struct ptx_op *op);

/* ---- profiles (ptx_profile.c) -------------------------------------------------------- */

/* A launch that is profiled begins. shape: how its blocks are laid out. */
struct sim_profile_launch *ptx_profile_begin(const struct ptx_launch *launch,
                                             const struct ptx_shape_of_block *shape);

/* ---- rendezvous of a warp's lanes ------------------------------------------------------ */

/* For .sync operations: members is each executing lane's membermask slot. True: all live lanes of
 * the mask have arrived, and execution continues. False: some have not; the fragment waits, and
 * this op runs again when they have, so the handler returns NULL without any effect (or with a
 * fault reported). */
bool ptx_warp_gather(struct ptx_warp *warp, const struct ptx_op *op, uint32_t members_slot);

/* ---- launches, reports ------------------------------------------------------------- */

/* Ends the launch: reports kernel, PTX line and source line of op, block, thread
 * of lane, and the message; the rest of the lanes are abandoned. Returns NULL,
 * for handlers to return. */
const struct ptx_op *ptx_fault(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                               enum ptx_end end, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The same for an access to shared memory that another one should not have preceded. */
struct ptx_other {
    const char *what; /* "write" */
    unsigned line;    /* of the PTX */
    unsigned thread;  /* of the block */
    uint64_t offset;  /* of shared memory */
};
const struct ptx_op *ptx_fault_shared(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                                      const char *what, const struct ptx_other *other);

/* The same for an access that sim_translate refused, or one that is misaligned: adds
 * the nearest allocation. space: as the kernel named it. */
const struct ptx_op *ptx_fault_access(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                                      uint64_t address, size_t size, bool write,
                                      enum ptx_space space);

/* No thread of the block can continue. */
void ptx_report_stuck(struct ptx_block *block);
/* For reports on launches in progress: what a launch is, and what the threads of a place do, whose
 * what is a fragment. */
void ptx_report_launch(const struct ptx_launch *launch, struct sim_report *text);
void ptx_report_place(const struct sim_place *place, struct sim_report *text);
/* Blocks wait at the grid's barrier for others, of which some have ended. */
void ptx_report_grid(struct ptx_launch *launch, uint64_t ended);

#endif
