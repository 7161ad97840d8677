/* The interface of exec, which runs translated functions: the executable form of a function, the
 * part of a warp that handlers use, and launches (ptx.h).
 *
 * exec owns warps and blocks while a kernel runs, the handlers of everything but arithmetic, the
 * built-in functions of the driver and the reports of kernels that fail. It does not know how PTX
 * is translated into ops, and calls neither front's parser nor translate. translate fills struct
 * ptx_code and refers to handlers (ptx_handlers.h); alu has handlers of its own, which use struct
 * ptx_warp.
 *
 * A function is an array of ops; an op's handler executes it for all lanes of the warp's current
 * mask and returns the op to continue with. Registers are arrays over lanes: a slot is 32 elements
 * of 2, 4, 8 or 16 bytes (8-bit registers take 2), or one 32-bit mask for a predicate; op operands
 * are byte offsets from warp->regs. Constants are slots that are filled once.
 *
 * Two registers may share a slot only if they have the same element size: lanes of a diverged warp
 * are at different places in the code, and only with equal layouts does each lane have its own
 * bytes of a slot.
 *
 * Threads: code is read-only once it is translated, and any number of threads may run it. A block
 * with its warps belongs to the one thread that runs it at the time (sim_run.h), so that nothing
 * here takes a lock except the kernels' heap (ptx_builtin.c). */
#ifndef PTX_EXEC_H
#define PTX_EXEC_H

#include "ptx.h"
#include "ptx_front.h"
#include "sim_isa.h"
#include "sim_span.h"

enum { PTX_LANES = 32, PTX_SLOT_ALIGN = 64 };

struct ptx_warp;
struct ptx_op;
typedef const struct ptx_op *(*ptx_handler)(struct ptx_warp *warp, const struct ptx_op *op);

struct ptx_op {
    ptx_handler run;
    uint32_t d, a, b, c, e; /* slots, whose meaning depends on the handler */
    uint32_t inst;          /* index of the instruction */
    uint64_t mods;          /* of the instruction */
    union {
        uint64_t bits;
        const struct ptx_op *target;
        const void *extra; /* depends on the handler; valid as long as the code */
    };
};

/* The handler, which a thread that compiles regions may replace, after the op's extra. */
static inline ptx_handler ptx_op_handler(const struct ptx_op *op)
{
    return __atomic_load_n(&op->run, __ATOMIC_ACQUIRE);
}

/* A formal parameter or a return variable: a slot, or bytes in local memory. */
struct ptx_formal {
    bool slot;
    uint8_t width; /* of the slot's elements */
    uint32_t offset;
    uint32_t size;
};

struct ptx_code {
    const struct ptx_function *function;
    const struct ptx_code_table *table; /* the module's functions, this one among them */
    unsigned number;                    /* in the table */
    struct ptx_op *ops;
    struct ptx_op *once; /* run first, when a warp's memory is made; ends with an op without a
                            handler */
    uint32_t *orders;    /* of each op: the number of its block in reverse postorder */
    uint32_t op_count;
    size_t frame_size;              /* bytes of warp->regs for one activation, constants included */
    const unsigned char *constants; /* the initial contents of the frame from constants_offset on */
    size_t constants_offset, constants_size;
    struct ptx_formal *params, *returns;
    unsigned param_count, return_count;
    size_t local_size;  /* bytes of local memory of a thread for one activation */
    size_t param_size;  /* entry: of the parameters */
    size_t shared_size; /* entry: static shared memory, including that of all functions that it may
                           call */
    size_t stack_need;  /* entry: local memory of the deepest chain of calls; SIZE_MAX: unknown */
    bool dynamic;       /* entry: it, or a function that it may call, uses "extern .shared" */
    size_t dynamic_offset; /* entry: the offset of "extern .shared" */
    unsigned registers;    /* 32-bit registers live at once, at most */
    uint32_t *temporaries; /* slots among the constants that instructions write */
    unsigned temporary_count;
    struct ptx_jit *jit; /* its compiled regions (ptx_jit.h); NULL: none yet */
};

/* The functions of a module that have code, by address: function i has first_address +
 * i * PTX_FUNCTION_STEP. */
struct ptx_code_table {
    uint64_t first_address;
    const struct ptx_code **codes;
    unsigned count;
};
enum { PTX_FUNCTION_STEP = 16 };

struct ptx_block; /* ptx_warp.h */

struct ptx_warp {
    /* Read by handlers. */
    uint32_t mask; /* lanes that execute */
    bool whole; /* lanes outside of mask have ended or do not exist, so that handlers may write them
                   too */
    unsigned char *regs; /* registers of the current activation, 64-byte aligned */
    int32_t lanes[PTX_LANES]
        __attribute__((aligned(64))); /* -1: the lane is in mask, otherwise 0 */
    uint32_t alive;                   /* lanes that have not ended */
    uint32_t carry;                   /* the condition code register CC.CF, a bit per lane */
    unsigned number;                  /* within the block */
    int device;                       /* of sim_memory.h */
    struct sim_span *spans;           /* the thread's, PTX_SPANS of them: see ptx_span_of */
    struct ptx_block *block;
    struct ptx_launch *launch;
    unsigned char *shared; /* the block's shared memory */
    size_t shared_size;
    unsigned char *local;              /* of all lanes: see ptx_local_place */
    size_t local_stride, local_offset; /* bytes of a lane; where the current activation's begin */
    const unsigned char *params;       /* the launch's */
    size_t param_size;
    struct sim_shadow *shadow; /* the block's, of sim_shadow.h; NULL: nothing is checked */
    int budget;                /* steps left: ops that may loop count it down */
    uint64_t steps;            /* warp-instructions so far, for statistics */
    /* Used by compiled regions: lanes that execute; those that are apart from them, by the number
     * of the place in the region, and a bit for each place that has some. */
    uint32_t now, *waiting;
    uint64_t apart;
    /* The rest is private to ptx_warp.c: fragments of the warp that have diverged. */
    struct ptx_fragment *fragment, *fragments;
    void *private;
};

/* Where the byte at an offset of lane's local memory lies from warp->local on. The lanes' memory
 * lies crosswise: PTX_LOCAL_UNIT bytes of each lane, then the next ones of each. An element of at
 * most so many bytes whose offset is a multiple of its size is contiguous. */
enum { PTX_LOCAL_UNIT = 32 };
static inline size_t ptx_local_place(unsigned lane, uint64_t offset)
{
    return offset / PTX_LOCAL_UNIT * (PTX_LOCAL_UNIT * PTX_LANES) + lane * PTX_LOCAL_UNIT +
           offset % PTX_LOCAL_UNIT;
}
/* Bytes of the local memory of a warp's lanes, which have stride bytes each. */
static inline size_t ptx_local_size(size_t stride)
{
    return (stride + PTX_LOCAL_UNIT - 1) / PTX_LOCAL_UNIT * PTX_LOCAL_UNIT * PTX_LANES;
}

/* Which of the spans an access at a line of the program uses. */
enum { PTX_SPANS = 256 };
static inline unsigned ptx_span_of(unsigned line)
{
    return line % PTX_SPANS;
}

/* Whether accesses are checked: if so, translate emits ptx_run_check before each. */
bool ptx_checks_on(void);

#endif
