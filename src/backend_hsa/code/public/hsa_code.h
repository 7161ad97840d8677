/* Code that is loaded on a device, and its kernels. */
#ifndef AHHSA_MODULE_H
#define AHHSA_MODULE_H

#include "hsa_device.h"
#include "hsa_metadata.h"

struct ah_backend_function {
    struct ah_backend_module *module;
    const struct ahhsa_kernel_metadata *kernel;
    uint64_t object; /* address of the kernel's descriptor, 0 until it is asked for */
    uint32_t group_size, private_size, kernarg_size; /* as loaded, bytes */
    uint32_t explicit_end;                           /* where the caller's arguments end */
    uint32_t max_threads;                            /* of a block */
    int max_dynamic; /* dynamic shared memory that was opted in to */
    int carveout;
    uint32_t uses;  /* a bit for each enum ahhsa_value that it has */
    unsigned needs; /* enum ahhsa_needs */
};

/* The value of __anyhip_device_abi in the code: what its implicit arguments mean
 * (docs/kernel-abi.md). Code without it is foreign: not compiled with this project's headers. */
enum { AHHSA_ABI_FOREIGN = 0, AHHSA_ABI_NOW = 2 };

struct ah_backend_module {
    struct ah_backend_device *device;
    struct ah_backend_module *next; /* of all that are loaded */
    hsa_executable_t executable;
    hsa_code_object_reader_t reader;
    void *image; /* what was loaded: debuggers find it through the runtime */
    struct ahhsa_metadata metadata;
    unsigned abi;                          /* AHHSA_ABI_FOREIGN, or a version */
    struct ah_backend_function *functions; /* one per kernel of the metadata */
    void **variables;                      /* that were asked for */
    size_t variable_count;
    pthread_mutex_t lock; /* of functions that are asked for first, and of variables */
};

static inline bool ahhsa_function_uses(const struct ah_backend_function *function,
                                       enum ahhsa_value value)
{
    return (function->uses >> value & 1) != 0;
}

/* ---- kernel arguments: hsa_arguments.c, hsa_kernarg.c ----------------------------------- */

/* What the runtime supplies, beside the sizes of the launch. */
struct ahhsa_implicit {
    void *printf_buffer, *hostcall_buffer, *multigrid_sync, *heap;
    void *workspace; /* which multigrid_sync leads to */
    const hsa_queue_t *queue;
};

/* Writes the arguments of a launch to `to`, kernarg_size bytes. */
void ahhsa_kernarg_fill(unsigned char *to, const struct ah_backend_function *function,
                        const struct ah_launch *launch, const struct ahhsa_implicit *implicit);

/* Flags for ahhsa_packet_begin: whether this launch will let go of earlier ones' memory. */
unsigned ahhsa_kernarg_flags(const struct ah_backend_stream *stream, size_t size);
/* Memory for the arguments of the launch in slot, which is let go when it has ended. Between
 * packet_begin and packet_end. NULL: there is none. */
void *ahhsa_kernarg_take(struct ahhsa_slot *slot, size_t size);

enum { AHHSA_KERNARG_MAX = 64 << 10, AHHSA_COOPERATION_SIZE = 64 };

/* Arguments lie at multiples of this. */
static inline size_t ahhsa_kernarg_padded(size_t size)
{
    enum { ALIGNMENT = 64 };
    return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

/* ---- services: hsa_services.c ----------------------------------------------------------- */

/* What a kernel asks for beside its arguments. */
enum ahhsa_needs {
    AHHSA_NEEDS_OUTPUT = 1, /* it prints or asserts */
    AHHSA_NEEDS_HEAP = 2,
    AHHSA_NEEDS_FOREIGN_HEAP = 4,
    AHHSA_NEEDS_CALLS = 8,
    AHHSA_NEEDS_WORKSPACE = 16, /* in a cooperative launch */
};
unsigned ahhsa_services_needed(const struct ah_backend_function *function);

struct ahhsa_print; /* a buffer that kernels print into */

/* Provides for a launch of function what `needs` has, which is not 0. *out_print, where it is
 * written, is to be given to ahhsa_print_launched or _cancelled. Waits for no kernel. */
hipError_t ahhsa_services_provide(struct ah_backend_device *device,
                                  struct ah_backend_stream *stream,
                                  const struct ah_backend_function *function, unsigned needs,
                                  struct ahhsa_implicit *out_implicit,
                                  struct ahhsa_print **out_print);
/* Flags for ahhsa_packet_begin. */
unsigned ahhsa_print_flags(const struct ahhsa_print *print);
/* Between packet_begin and packet_end. Accepts NULL. */
void ahhsa_print_launched(struct ahhsa_slot *slot, struct ahhsa_print *print);
/* Not under the device's lock. Accepts NULL. */
void ahhsa_print_cancelled(struct ahhsa_print *print);

/* Blocks of function that a compute unit holds at once. */
unsigned ahhsa_resident_blocks(struct ah_backend_device *device,
                               const struct ah_backend_function *function, unsigned threads,
                               size_t dynamic);

#endif
