/* Profiles of launches (ANYHIP_SIM_PROFILE): exact counts of instructions, of what they access, and
 * of branches, added up by kernel and shape of launch, in a file for each process.
 *
 * Counts do not depend on the number of the host's threads, nor on time: blocks count by
 * themselves, and sums do not depend on an order. An exception are kernels whose blocks wait for
 * each other in loops, which take as many rounds as they take.
 *
 * Where profiles are off, nothing of this runs: an engine asks sim_profile_on when it translates
 * code or makes a launch, and executes other ops, or another loop, where it is on. Its blocks have
 * a struct sim_profile_counts each, which one thread at a time writes without a lock; the other
 * functions lock. */
#ifndef SIM_PROFILE_H
#define SIM_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_class {
#define SIM_CLASS(id, ...) SIM_CLASS_##id,
#include "sim_classes.def"
#undef SIM_CLASS
    SIM_CLASS_COUNT,
};

/* What is accessed. Generic addresses count where they lead to. */
enum sim_access_kind {
    SIM_GLOBAL_LOAD,
    SIM_GLOBAL_STORE,
    SIM_GLOBAL_ATOMIC,
    SIM_SHARED_LOAD,
    SIM_SHARED_STORE,
    SIM_SHARED_ATOMIC,
    SIM_LOCAL_LOAD,
    SIM_LOCAL_STORE,
    SIM_ACCESS_KINDS,
};

struct sim_access_counts {
    uint64_t accesses; /* of warps, with at least a lane */
    uint64_t lanes;
    uint64_t bytes; /* that lanes ask for */
    /* Global memory: transactions of sim_profile_kernel.transaction bytes, lines of .line bytes,
     * and the bytes in them that lanes ask for, each of them once. */
    uint64_t transactions, lines, distinct;
    /* Shared memory: passes over the banks, and those that no conflict would need. */
    uint64_t passes, least;
};

struct sim_profile_counts {
    uint64_t executed[SIM_CLASS_COUNT]; /* instructions of warps */
    uint64_t lanes[SIM_CLASS_COUNT];    /* that executed them; 0 for those of the scalar unit */
    uint64_t by_lanes;                  /* instructions that lanes execute */
    uint64_t branches, divergent;       /* executed; those at which lanes of a warp differed */
    struct sim_access_counts accesses[SIM_ACCESS_KINDS];
};

/* What is known of a launch before it runs. */
struct sim_profile_kernel {
    const char *engine; /* "ptx" */
    char model[16];     /* "sm_80" */
    const char *name;   /* as the code has it */
    int device;         /* of sim_memory.h */
    uint32_t grid[3], block[3];
    size_t shared, local;       /* bytes of a block; of a thread */
    unsigned registers;         /* of a thread */
    unsigned lanes;             /* of a warp */
    unsigned transaction, line; /* bytes, of accesses to global memory */
    unsigned warps_per_block;
    /* Occupancy: what a multiprocessor or compute unit (on RDNA, a pair of them) holds. */
    unsigned blocks_per_unit, warps_per_unit_max, simds_per_unit;
    const char *limit; /* what allows no more blocks: "registers" */
};

/* Whether launches are profiled. Constant. */
bool sim_profile_on(void);

/* The launch begins now. NULL: out of memory, and it is not counted, which the file says. */
struct sim_profile_launch *sim_profile_begin(const struct sim_profile_kernel *kernel);
/* Adds what blocks have counted; from any thread. launch may be NULL, also for sim_profile_end. */
void sim_profile_add(struct sim_profile_launch *launch, const struct sim_profile_counts *counts);
/* It has ended. */
void sim_profile_end(struct sim_profile_launch *launch, bool failed);

/* ---- counting: of a block's counts ------------------------------------------------------- */

static inline void sim_profile_instruction(struct sim_profile_counts *counts, enum sim_class kind,
                                           unsigned lanes)
{
    counts->executed[kind]++;
    counts->lanes[kind] += lanes;
    counts->by_lanes++;
}

/* An access of lanes, each of bytes bytes at at[lane]. */
struct sim_profile_access {
    const uint64_t *at;
    uint64_t mask;
    unsigned bytes;
    unsigned transaction, line; /* global memory */
};
/* kind: one of global or of local memory; and one of shared memory. */
void sim_profile_memory(struct sim_profile_counts *counts, enum sim_access_kind kind,
                        const struct sim_profile_access *access);
void sim_profile_banks(struct sim_profile_counts *counts, enum sim_access_kind kind,
                       const struct sim_profile_access *access);

/* ---- the file ------------------------------------------------------------------------------ */

/* Writes what has ended so far. False: the file cannot be written. For tests: it is done in the
 * background, and when the process ends. */
bool sim_profile_write(void);

#endif
