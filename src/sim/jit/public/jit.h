/* Compiled regions: code of the host for the regions that front ends describe (wave.h), made by
 * LLVM in the background.
 *
 * libLLVM is opened at run time, when the first region is requested, and is optional: where it is
 * missing, too old or fails, one line of the log says so, and everything stays with the
 * interpreter. A few threads compile; requests wait in a queue of bounded length, and one that does
 * not fit is refused, to be made again later. ANYHIP_SIM_JIT=off|on|compare,
 * ANYHIP_SIM_JIT_THREADS, ANYHIP_SIM_JIT_THRESHOLD and ANYHIP_SIM_JIT_PRINT (a file for printed
 * regions) are settings of sim_options.h; launches with checks, with a seed or profiled never enter
 * a region, which the front ends see to. In JIT_COMPARE all slots that a region has written are
 * written back, whether they are live or not.
 *
 * Code is kept in files for the next process (jit_store.h), but what is compiled at once, or before
 * it is executed, as tests do.
 *
 * All functions may be called from any thread. */
#ifndef JIT_H
#define JIT_H

#include "wave.h"

enum jit_mode { JIT_OFF, JIT_ON, JIT_COMPARE };

/* As configured, or JIT_OFF once it is known that regions cannot be compiled. Costs one load. */
enum jit_mode jit_mode(void);

/* How many ops the interpreter is to have executed before it is worth compiling so many
 * instructions of a region: one takes LLVM about as long as the interpreter takes for 100000 to
 * 200000 ops. ANYHIP_SIM_JIT_THRESHOLD for each, and for one more. */
uint64_t jit_enough(uint64_t instructions);
/* How many ops before it is worth looking how long a region is, and whether its code is kept. */
uint64_t jit_enough_to_look(void);
/* Whether code is kept for the next process. */
bool jit_keeps(void);
/* Whether an earlier process has kept the code of a region, or began to make it, so that it is
 * worth requesting at once. */
bool jit_is_kept(const struct wave_region *region);
/* Whether everything is to be compiled before it is executed, and jit_enough() is 1: a threshold of
 * 1, for tests. */
bool jit_is_eager(void);
enum { JIT_REGION_MAX = 4096 }; /* instructions */

/* A region's code: executes from the entry on, and returns the op at which the interpreter goes on,
 * or NULL where a handler returned NULL. All lanes of the wave execute; the state is in place then,
 * as if the interpreter had come to that op. */
typedef const void *(*jit_code)(void *state);

/* A region that was requested. */
struct jit_region;

/* Takes over a region, to be compiled in the background. done(data, code) is called on a
 * compiling thread when its code is there, or with NULL if it could not be compiled, which was
 * logged; release(data) once, after done, or in jit_free() of a region that was still waiting:
 * nothing refers to the region's description any more. NULL: refused, now or for good (jit_mode()
 * is JIT_OFF); neither is called. */
struct jit_region *jit_request(const struct wave_region *region,
                               void (*done)(void *data, jit_code code), void (*release)(void *data),
                               void *data);

/* Frees a region and its code, which nobody executes any more: the front end knows when, from its
 * own reference counts of code objects. Waits if it is being compiled, and must not be called with
 * a lock that done or release takes, nor by them. Accepts NULL. */
void jit_free(struct jit_region *region);

/* Compiles a region at once, before those that wait, and waits for it: for comparing regions, and
 * for tests. The region's memory is the caller's until jit_free(*out_region). NULL: it could not be
 * compiled, which was logged, and there is nothing to free. */
jit_code jit_compile_now(const struct wave_region *region, struct jit_region **out_region);

/* Waits until the queue is empty; for tests and benchmarks. */
void jit_finish(void);

/* What was compiled so far: for the log at exit, tests and benchmarks. */
struct jit_statistics {
    uint64_t requested, compiled, refused, failed; /* regions */
    uint64_t loaded;      /* of the compiled ones, those whose code was kept */
    uint64_t in_memory;   /* compiled regions whose slots are not in registers of the host */
    uint64_t nanoseconds; /* spent compiling */
    uint64_t bytes;       /* of code */
};
void jit_statistics_get(struct jit_statistics *out_statistics);

#endif
