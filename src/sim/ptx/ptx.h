/* PTX for simulated devices: load a module, launch its kernels.
 *
 * This is all that a simulated driver sees; front, translate, exec and alu implement it
 * (CMakeLists.txt says which may call which). Loading is parse and check against the instruction
 * table (front) and translation (translate); a loaded module is read-only and may be used by any
 * number of threads. */
#ifndef PTX_H
#define PTX_H

#include "sim_profile.h"
#include "sim_run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text that grows and is cut off, whole lines kept, when it reaches capacity. */
struct ptx_log {
    char *text; /* the caller's, may be NULL */
    size_t capacity, length;
    unsigned errors, warnings;
};

struct ptx_module;

enum ptx_result {
    PTX_OK,
    PTX_INVALID,     /* the text is not PTX, or an instruction is wrong: the log says where */
    PTX_UNSUPPORTED, /* well-formed, but not supported by this simulator or target */
    PTX_UNRESOLVED,  /* an .extern without a definition */
    PTX_NO_MEMORY,
};

/* Loads size bytes of text (a terminating NUL ends it early) for a device of
 * compute capability sm (80 for 8.0): a module for a newer target is
 * PTX_UNSUPPORTED. Every error is a line "line 12: error: ..." in the log; there
 * may be several. */
enum ptx_result ptx_module_load(const char *text, size_t size, unsigned sm, struct ptx_log *log,
                                struct ptx_module **out_module);
void ptx_module_destroy(struct ptx_module *module); /* accepts NULL */

/* Links texts, each of which ends with a NUL and can be loaded but for symbols that others define,
 * to one text, to be freed. PTX_INVALID: a symbol has several definitions. That every symbol has one
 * is found when the text is loaded. */
enum ptx_result ptx_link(const char *const *texts, size_t count, struct ptx_log *log,
                         char **out_text);

/* Variables in .global and .const, each of which needs an address in memory that devices can
 * access. Returns their total size in bytes, and the alignment of the whole. */
size_t ptx_module_size(const struct ptx_module *module, size_t *out_align);
/* Assigns each an address from base on, and resolves addresses in the code. To be called once,
 * before the first launch. */
void ptx_module_place(struct ptx_module *module, uint64_t base);
/* Writes the initial contents, ptx_module_size bytes. */
void ptx_module_initialise(const struct ptx_module *module, unsigned char *out_image);

/* A variable in .global or .const by name. False: the module has none of that name. */
bool ptx_module_variable(const struct ptx_module *module, const char *name, uint64_t *out_address,
                         size_t *out_size);

struct ptx_function;
struct ptx_kernel_info {
    const char *name;
    size_t shared_size; /* static, bytes of a block */
    size_t local_size;  /* bytes of a thread */
    size_t const_size;  /* bytes of the module's constants */
    size_t param_size;  /* bytes of all parameters */
    unsigned param_count;
    unsigned registers;           /* an estimate of what a GPU would use, in 32-bit registers */
    unsigned max_threads;         /* per block: .maxntid or .reqntid, else 1024 */
    unsigned required_threads[3]; /* .reqntid; 0: not given */
    unsigned ptx_version;         /* 70 for 7.0 */
    unsigned target;              /* of the module, 70 for sm_70 */
};

/* A kernel by name; NULL: the module has none of that name. */
struct ptx_function *ptx_module_kernel(const struct ptx_module *module, const char *name);
/* The kernel after one of the module's, or the first, after NULL; NULL: there are no more. */
const struct ptx_function *ptx_module_next_kernel(const struct ptx_module *module,
                                                  const struct ptx_function *kernel);
void ptx_kernel_info(const struct ptx_function *kernel, struct ptx_kernel_info *out_info);
/* The offset of parameter index. False: there is no such parameter. */
bool ptx_kernel_param(const struct ptx_function *kernel, unsigned index, size_t *out_offset,
                      size_t *out_size);

/* Shared by the launches of a context: the output of printf, the kernels' heap. */
struct sim_texture;
struct sim_image;
struct ptx_context {
    int device;        /* of sim_memory.h */
    unsigned sm;       /* compute capability, 80 for 8.0 */
    unsigned units;    /* multiprocessors: %nsmid */
    size_t stack_size; /* bytes of local memory of a thread for calls whose depth is not known */
    size_t heap_size;  /* bytes that kernels may malloc in all */
    /* Gets the output of printf, of whole calls; called from any thread, in order per thread. */
    void (*print)(struct ptx_context *context, const char *text, size_t size);
    /* The live object of that handle, NULL: there is none. From any thread; the object exists until
     * work that was queued before its destruction is done. */
    const struct sim_texture *(*texture)(struct ptx_context *context, uint64_t handle);
    const struct sim_image *(*surface)(struct ptx_context *context, uint64_t handle);
    void *data;
    _Atomic(size_t) heap_used;
};

enum ptx_end {
    PTX_END_OK,
    PTX_END_ILLEGAL_ADDRESS,
    PTX_END_MISALIGNED,
    PTX_END_ILLEGAL_INSTRUCTION,
    PTX_END_TRAP, /* trap, or an abort */
    PTX_END_ASSERT,
    PTX_END_HUNG,      /* a barrier or a warp operation that can never complete */
    PTX_END_TIMEOUT,   /* it ran for longer than ANYHIP_SIM_TIMEOUT allows */
    PTX_END_STACK,     /* out of local memory */
    PTX_END_NO_MEMORY, /* the host's */
    PTX_END_CANCELLED,
};

struct ptx_launch {
    /* Set by the caller. run: grid, resident_max, priority, done, data; the rest
     * of it is filled in by ptx_launch. */
    struct sim_launch run;
    struct ptx_context *context;
    const struct ptx_function *kernel;
    uint32_t block[3];
    uint32_t cluster[3]; /* 0 or 1: none */
    size_t dynamic_shared;
    const unsigned char *params; /* param_size bytes, valid until done */
    uint32_t envregs[32];
    uint64_t id; /* %gridid */
    /* The multiprocessors that its blocks run on, as %smid names them: those whose bits are set, of
     * which there are so many. 0: all of the context's. */
    unsigned units;
    const uint32_t *unit_mask; /* valid until done */
    /* For profiles: the blocks that a multiprocessor holds, and what allows no more; the warps that
     * it can hold. */
    struct {
        unsigned blocks, warps_max;
        const char *limit;
    } occupancy;
    /* Private to the executor. */
    _Atomic(int) end; /* enum ptx_end: of the first failure */
    void *private;
};

/* Starts a launch; the caller has checked shape and resources. False: no memory
 * or no thread; run.done is then not called. The failure of a kernel is reported
 * in the log where it happens, and is launch->end when run.done is called. */
bool ptx_launch(struct ptx_launch *launch);

#endif
