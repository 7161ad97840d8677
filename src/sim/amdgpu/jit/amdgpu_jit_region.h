/* What the files of jit share: regions while they are described. */
#ifndef AMDGPU_JIT_REGION_H
#define AMDGPU_JIT_REGION_H

#include "amdgpu_bitcode.h"
#include "amdgpu_wave.h"
#include "jit.h"
#include "sim_isa.h"
#include "wave.h"

/* ---- memory of a region ------------------------------------------------------------------ */

struct amdgpu_arena {
    struct amdgpu_chunk *chunks;
    bool failed; /* no memory; what was taken since must not be used */
};
/* NULL: no memory, and failed is set. */
void *amdgpu_arena_take(struct amdgpu_arena *arena, size_t size);
void amdgpu_arena_free(struct amdgpu_arena *arena);

/* ---- descriptions ------------------------------------------------------------------------ */

enum { AMDGPU_SLOTS_MAX = 256, AMDGPU_ARGUMENTS_MAX = 12 };

struct amdgpu_slots {
    unsigned count;
    struct wave_slot at[AMDGPU_SLOTS_MAX];
};

/* A region while it is described: the block in progress, and its next instruction. */
struct amdgpu_describer {
    struct amdgpu_arena *arena;
    const struct amdgpu_shape *shape;
    bool full;                  /* all lanes are live here */
    const struct amdgpu_op *op; /* that is described, with its handler */
    const struct amdgpu_op *next;
    amdgpu_handler run;
    struct wave_inst *insts;
    unsigned inst_count, inst_room;
    struct amdgpu_slots reads, writes;
    unsigned argument_count;
    uint64_t arguments[AMDGPU_ARGUMENTS_MAX];
    uint64_t addresses; /* as of struct wave_inst */
};

/* Registers that the next instruction reads or writes. */
void amdgpu_read_scalars(struct amdgpu_describer *d, unsigned reg, unsigned count);
void amdgpu_write_scalars(struct amdgpu_describer *d, unsigned reg, unsigned count);
void amdgpu_read_vectors(struct amdgpu_describer *d, unsigned reg, unsigned count);
void amdgpu_write_vectors(struct amdgpu_describer *d, unsigned reg, unsigned count);
void amdgpu_read_mask(struct amdgpu_describer *d, unsigned reg);
void amdgpu_write_mask(struct amdgpu_describer *d, unsigned reg);
void amdgpu_read_scc(struct amdgpu_describer *d);
void amdgpu_write_scc(struct amdgpu_describer *d);
void amdgpu_read_source(struct amdgpu_describer *d, const struct amdgpu_source *source);
/* EXEC, which functions set where all lanes are live, and otherwise read. */
void amdgpu_use_exec(struct amdgpu_describer *d);
/* Its arguments. */
void amdgpu_argue(struct amdgpu_describer *d, uint64_t argument);
void amdgpu_argue_address(struct amdgpu_describer *d, const void *address);
void amdgpu_argue_source(struct amdgpu_describer *d, const struct amdgpu_source *source);
/* Ends it: the function's name is formatted, NULL for HANDLER. */
void amdgpu_describe(struct amdgpu_describer *d, enum wave_kind kind, const char *function, ...)
    __attribute__((format(printf, 3, 4)));
void amdgpu_describe_handler(struct amdgpu_describer *d);

/* Describes an op of a group. False: it is none, or cannot be in a region. */
bool amdgpu_describe_vector(struct amdgpu_describer *d);
bool amdgpu_describe_scalar(struct amdgpu_describer *d);
bool amdgpu_describe_memory(struct amdgpu_describer *d);

/* Describes an op that does not end a block. False: it is in no region. */
bool amdgpu_describe_op(struct amdgpu_describer *d, const struct amdgpu_op *op);

/* Drops the instructions from one on that do nothing where no lane is live. */
void amdgpu_drop_idle(struct amdgpu_describer *d, unsigned first);

/* How an op ends a block. */
enum amdgpu_flow {
    AMDGPU_FLOW_NONE,    /* it does not */
    AMDGPU_FLOW_NOTHING, /* it does nothing at all */
    AMDGPU_FLOW_BRANCH,  /* condition: the name of its function */
    AMDGPU_FLOW_LEAVE,   /* it is not in any region */
};
enum amdgpu_flow amdgpu_flow_of(unsigned id, const char **out_condition);
/* Whether a wave comes back behind an op at which regions are left. */
bool amdgpu_comes_back(unsigned id);
/* Whether an op that was described may have changed EXEC. */
bool amdgpu_changes_exec(const struct amdgpu_describer *d);

/* For accesses that are not a row of words (amdgpu_jit_access.c), and those for this host. */
struct amdgpu_jit_functions {
    bool (*load)(const struct amdgpu_scattered *scattered);
    bool (*store)(const struct amdgpu_scattered *scattered);
};
#define AMDGPU_JIT_FUNCTIONS(isa, name)                                                            \
    extern const struct amdgpu_jit_functions amdgpu_jit_functions_##name;
SIM_ISAS(AMDGPU_JIT_FUNCTIONS)
#undef AMDGPU_JIT_FUNCTIONS
const struct amdgpu_jit_functions *amdgpu_jit_functions(void);

/* The bitcode for this host; NULL: there is none, and nothing is compiled. */
const struct wave_bitcode *sim_amdgpu_bitcode(void);

/* ---- regions ----------------------------------------------------------------------------- */

/* The waves that a region is for. */
enum amdgpu_region_kind {
    AMDGPU_FOR_ALL,  /* all lanes are live; it is left where lanes part, unless none is left */
    AMDGPU_FOR_SOME, /* any lanes, which are always looked at */
    AMDGPU_FOR_BOTH, /* each op may be in it twice, and waves change from one kind to the other */
    AMDGPU_REGION_KINDS,
};

/* Where it may begin, for waves all of whose lanes are live or for others. */
struct amdgpu_entry {
    const struct amdgpu_op *op;
    bool full;
};

enum { AMDGPU_CUTS_MAX = 16 };

struct amdgpu_region {
    struct wave_region region;
    struct wave_machine machine;
    struct amdgpu_arena arena;
    enum amdgpu_region_kind kind;
    uint32_t mode;
    const struct amdgpu_entry
        *entries; /* those of the region: the root comes first, if it is one */
    /* Ops at which it is left because it would become too long. */
    const struct amdgpu_op *cuts[AMDGPU_CUTS_MAX];
    unsigned cut_count;
};

/* What is compiled as one region: the code that is reached from root, on which waves come back
 * behind barriers and in loops. */
struct amdgpu_plan {
    const struct amdgpu_op *root;
    enum amdgpu_region_kind kind;
    uint32_t mode;
    /* Whether another region begins at an op, so that this one is left there. */
    bool (*is_of_another)(const void *data, const struct amdgpu_op *op);
    const void *data;
};
/* NULL: it is not worth it, or no memory. */
struct amdgpu_region *amdgpu_region_create(const struct amdgpu_plan *plan);
void amdgpu_region_destroy(struct amdgpu_region *region); /* accepts NULL */

/* Fills in what does not depend on the code, once kind and mode are set (amdgpu_jit_machine.c). */
void amdgpu_region_describe(struct amdgpu_region *region, const struct amdgpu_op *root);

/* The handler of an op, also if it was replaced. */
amdgpu_handler amdgpu_jit_handler(const struct amdgpu_op *op);

/* ---- comparing --------------------------------------------------------------------------- */

/* Whether a decoded op can be executed again from the same registers and memory, with the same
 * effect; and whether it is a store whose effect is a struct amdgpu_access. */
bool amdgpu_repeats(const struct amdgpu_op *op);
bool amdgpu_is_plain_store(const struct amdgpu_op *op);
/* The slots that an op may write, at most so many. */
unsigned amdgpu_writes(const struct amdgpu_op *op, struct wave_slot *out_slots, unsigned max);

/* Whether words of registers are the same, or have a NaN both, in the word or in a half: which of
 * several NaNs a sum is, the host's compilers are free to choose. */
static inline bool amdgpu_is_same(uint32_t a, uint32_t b)
{
    enum { WORD = 0x7f800000, HALF = 0x7c00 };
    bool halves = true;
    for (unsigned shift = 0; shift < 32; shift += 16) {
        uint32_t x = a >> shift & 0xffff, y = b >> shift & 0xffff;
        halves &= x == y || ((x & INT16_MAX) > HALF && (y & INT16_MAX) > HALF);
    }
    return halves || ((a & INT32_MAX) > WORD && (b & INT32_MAX) > WORD);
}

/* The same of the lower halves of values of 64 bits with these upper halves: both are a NaN. */
static inline bool amdgpu_are_nans(uint32_t a, uint32_t b)
{
    enum { WIDE = 0x7ff00000 };
    return (a & INT32_MAX) > WIDE && (b & INT32_MAX) > WIDE;
}

/* Executes a region's code and, from a copy of the state, the interpreter up to the op at which the
 * region was left. Registers and what either has stored have to be the same; the first difference
 * is an error of the log, with the instruction whose result it is, and *out_differs. The state is
 * then the interpreter's. Returns the op to go on with: op, where nothing has happened, as for a
 * region that does more than can be undone. NULL: an access has failed, which was reported.
 *
 * The interpreter goes first, to know what is stored, then the region, then the interpreter again.
 * What other blocks write meanwhile may look like a difference. */
const struct amdgpu_op *amdgpu_compare(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                       jit_code code, bool *out_differs);

#endif
