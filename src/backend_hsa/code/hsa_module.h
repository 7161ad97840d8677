/* Private to the code room: code that is loaded on a device, its kernels, and their arguments. */
#ifndef AHHSA_MODULE_H
#define AHHSA_MODULE_H

#include "hsa_code.h"
#include "hsa_metadata.h"
#include "hsa_queue.h"

struct ah_backend_function {
    struct ah_backend_module *module;
    const struct ahhsa_kernel_metadata *kernel;
    uint64_t object; /* address of the kernel's descriptor, 0 until the function is looked up */
    uint32_t group_size, private_size, kernarg_size; /* as loaded, bytes */
    uint32_t arguments_size;                         /* kernarg_size, padded */
    uint32_t explicit_end;                           /* where the caller's arguments end */
    uint32_t max_threads;                            /* of a block */
    int max_dynamic; /* dynamic shared memory, as it was set; -1: all that there is */
    int carveout;
    uint32_t uses;  /* a bit for each enum ahhsa_value that it has */
    unsigned needs; /* enum ahhsa_needs */
};

/* The value of __anyhip_device_abi in the code: what its implicit arguments mean
 * (docs/kernel-abi.md). Code without it follows ROCm's conventions: it was not
 * compiled with this project's headers. */
enum { AHHSA_ABI_ROCM = 0, AHHSA_ABI_CURRENT = 2 };

struct ahhsa_variable {
    void *memory;
    size_t size;
};

struct ah_backend_module {
    struct ah_backend_device *device;
    struct ah_backend_module *next; /* of all loaded modules */
    hsa_executable_t executable;
    hsa_code_object_reader_t reader;
    void *image; /* the image that was loaded, which debuggers read through the runtime */
    struct ahhsa_metadata metadata;
    unsigned abi;                          /* AHHSA_ABI_ROCM, or a version */
    struct ah_backend_function *functions; /* one per kernel of the metadata */
    struct ahhsa_variable *variables;      /* that were looked up */
    size_t variable_count;
    pthread_mutex_t lock; /* guards the lookup of functions, and variables */
};

static inline bool ahhsa_function_uses(const struct ah_backend_function *function,
                                       enum ahhsa_value value)
{
    return (function->uses >> value & 1) != 0;
}

/* ---- kernel arguments: hsa_arguments.c -------------------------------------------------- */

/* What the runtime supplies, in addition to the sizes of the launch. */
struct ahhsa_implicit {
    void *printf_buffer, *hostcall_buffer, *multigrid_sync, *heap;
    void *workspace; /* to which multigrid_sync points */
    const hsa_queue_t *queue;
};

/* Writes the arguments of a launch to `to`, kernarg_size bytes. */
void ahhsa_arguments_write(unsigned char *to, const struct ah_backend_function *function,
                           const struct ah_launch *launch, const struct ahhsa_implicit *implicit);

/* The size of a kernel's arguments, and of what a cooperative launch has behind them. */
enum { AHHSA_KERNARG_MAX = 64 << 10, AHHSA_COOPERATION_SIZE = 64 };
_Static_assert(AHHSA_KERNARG_MAX + AHHSA_COOPERATION_SIZE <= AHHSA_ARGUMENTS_MAX, "one chunk");

/* ---- launches that are prepared, not begun: hsa_launch.c ---------------------------------- */

/* The errors that a launch has before it enters a queue. */
hipError_t ahhsa_launch_check(struct ah_backend_device *device,
                              const struct ah_backend_function *function,
                              const struct ah_launch *launch);
/* Fills in a packet, which is all 0, but for its header, and its arguments (NULL: none). */
void ahhsa_launch_fill(struct ah_backend_device *device,
                       const struct ah_backend_function *function, const struct ah_launch *launch,
                       const struct ahhsa_implicit *implicit, void *arguments,
                       hsa_kernel_dispatch_packet_t *out_packet);

/* ---- functions: hsa_function.c ---------------------------------------------------------- */

/* Blocks of function that a compute unit holds at once. */
unsigned ahhsa_resident_blocks(struct ah_backend_device *device,
                               const struct ah_backend_function *function, unsigned threads,
                               size_t dynamic);

#endif
