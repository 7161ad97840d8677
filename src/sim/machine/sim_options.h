/* The settings of simulated devices, and the faults that tests inject.
 *
 * From the configuration file ("sim") and from ANYHIP_SIM_* variables, which
 * override it; config/README.md lists them. Read once. */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include "sim_run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_check {
    SIM_CHECK_UNINITIALISED = 1, /* reads of memory that has not been written */
    SIM_CHECK_RACES = 2,         /* of threads of a block in shared memory, between barriers */
    SIM_CHECK_SYNC = 4,          /* misuse of barriers and warp operations, missing waits */
    SIM_CHECK_GUARDS = 8,        /* accesses far beyond the end of an allocation */
    SIM_CHECK_ALL = 15,
};

/* Whether kernels are compiled (src/sim/jit). COMPARE: and executed by the interpreter too. */
enum sim_jit { SIM_JIT_OFF, SIM_JIT_ON, SIM_JIT_COMPARE };
enum { SIM_JIT_THREADS_MAX = 16 };

struct sim_options {
    char devices[256]; /* ANYHIP_SIM_DEVICES: "sm_80*2,sm_90"; "" for the library's default */
    size_t memory;     /* ANYHIP_SIM_MEMORY: bytes of each device ("16GiB") */
    struct sim_run_settings run; /* ANYHIP_SIM_THREADS, ANYHIP_SIM_SEED (set: deterministic),
                                    ANYHIP_SIM_TIMEOUT, ANYHIP_SIM_PROGRESS */
    unsigned checks;             /* ANYHIP_SIM_CHECK: "uninitialised,races,sync,guards" or "all" */
    unsigned compute_units;      /* ANYHIP_SIM_UNITS: multiprocessors of each device, 0: default */
    size_t shared_per_block;     /* ANYHIP_SIM_SHARED: bytes, 0: as the model has */
    enum sim_jit jit;            /* ANYHIP_SIM_JIT: "off", "on", "compare" */
    unsigned jit_threads; /* ANYHIP_SIM_JIT_THREADS: at most so many compile, 0: by the cores */
    uint64_t
        jit_threshold;    /* ANYHIP_SIM_JIT_THRESHOLD: ops that code costs before it is compiled */
    char jit_print[1024]; /* ANYHIP_SIM_JIT_PRINT: a file for compiled regions, or "" */
    char jit_cache[1024]; /* ANYHIP_SIM_JIT_CACHE: a folder for compiled regions, "off", or "": the
                             usual folder */
    char llvm[1024];      /* ANYHIP_LLVM: the file or the folder of libLLVM, or "" */
    char faults[1024];    /* ANYHIP_SIM_FAULTS, as it is written; sim_faults.c reads it */
    char profile[4096];   /* ANYHIP_SIM_PROFILE: a folder, "": nothing is profiled */
};

/* Reads them on the first call; the log names what does not parse. */
const struct sim_options *sim_options(void);
/* Reads them anew into out_options; for tests. */
void sim_options_read(struct sim_options *out_options);

/* The whole of text as bytes: "4096", "48KiB", "16 GiB", "2G". False: it is not a size. */
bool sim_parse_size(const char *text, size_t *out_size);

/* ---- faults on demand --------------------------------------------------------- */

/* ANYHIP_SIM_FAULTS, a comma list:
 *   alloc:N       the Nth allocation of device memory fails (1: the first)
 *   memory:SIZE   devices have SIZE bytes left
 *   launch:N      the Nth launch fails with a launch failure
 *   kernel:NAME   launches of this kernel fail
 *   lost:N        the device of the Nth launch is lost: nothing works there until the process ends
 *   slow:TIME     everything in a stream takes TIME longer ("5ms", "200us")
 * NAME is as the module has it, or the plain name of a C++ function. Each N counts over the
 * process. Text that does not parse is logged by name. */
enum sim_fault { SIM_FAULT_NONE, SIM_FAULT_LAUNCH, SIM_FAULT_LOST };

/* Whether any fault is configured; otherwise the functions below need not be called. */
bool sim_fault_armed(void);
/* Called for every allocation of device memory: whether it has to fail. */
bool sim_fault_allocation(int device, size_t size);
/* Called for every launch. */
enum sim_fault sim_fault_launch(const char *kernel);
/* Nanoseconds by which work of a stream has to be delayed. */
uint64_t sim_fault_delay(void);
/* Replaces the faults in force and starts to count anew; for tests. NULL: none.
 * Returns false and logs when the text does not parse. */
bool sim_fault_set(const char *text);

#endif
