/* Private to the code room: what kernels of one device need in addition to their code and their
 * arguments.
 */
#ifndef AHHSA_KERNEL_SERVICES_H
#define AHHSA_KERNEL_SERVICES_H

#include "hsa_module.h"

struct ahhsa_kernel_services {
    /* Guards the lists of print buffers. It may be taken under the device's lock, and no other lock
     * is taken under it. */
    pthread_mutex_t lock;
    struct ahhsa_print_buffer *prints; /* that launches print into, oldest first */
    struct ahhsa_print_buffer **last_print;
    struct ahhsa_print_buffer *free_prints;
    unsigned print_count; /* of all print buffers */

    /* Held while text is written, and so while a buffer leaves `prints`. Not under the device's
     * lock. */
    pthread_mutex_t printing;
    /* Held while one of those below is created. Not under the device's lock. */
    pthread_mutex_t creating;
    void *heap;
    void *rocm_heap;               /* of code that is linked with ROCm's device library */
    struct ahhsa_hostcalls *calls; /* likewise */
    void *workspace;               /* of cooperative launches, of which one runs at a time */
};

/* The device's services, created at the first call. NULL: out of memory. */
struct ahhsa_kernel_services *ahhsa_kernel_services_of(struct ah_backend_device *device);

/* What a kernel needs in addition to its arguments. */
enum ahhsa_needs {
    AHHSA_NEEDS_OUTPUT = 1, /* it prints or asserts */
    AHHSA_NEEDS_HEAP = 2,
    AHHSA_NEEDS_ROCM_HEAP = 4,
    AHHSA_NEEDS_HOSTCALLS = 8,
    AHHSA_NEEDS_WORKSPACE = 16, /* in a cooperative launch */
};
unsigned ahhsa_kernel_services_needed(const struct ah_backend_function *function);

struct ahhsa_print_buffer;

/* Provides for a launch of function what `needs` says, which is not 0. Where *out_print is written,
 * ahhsa_print_buffer_launched or _cancelled must follow. Waits for no kernel. */
hipError_t ahhsa_kernel_services_provide(struct ah_backend_device *device,
                                         struct ah_backend_stream *stream,
                                         const struct ah_backend_function *function, unsigned needs,
                                         struct ahhsa_implicit *out_implicit,
                                         struct ahhsa_print_buffer **out_print);

/* ---- what kernels print: hsa_output.c --------------------------------------------------- */

/* A buffer for a launch of function in the stream, which ahhsa_print_buffer_launched or _cancelled
 * follows. Waits for no kernel. */
hipError_t ahhsa_print_buffer_acquire(struct ahhsa_kernel_services *services,
                                      struct ah_backend_stream *stream,
                                      const struct ah_backend_function *function,
                                      struct ahhsa_print_buffer **out_print);
void *ahhsa_print_buffer_memory(const struct ahhsa_print_buffer *print);
/* Flags for ahhsa_dispatch_begin. */
unsigned ahhsa_print_buffer_flags(const struct ahhsa_print_buffer *print);
/* Between ahhsa_dispatch_begin and _end. */
void ahhsa_print_buffer_launched(struct ah_backend_stream *stream,
                                 struct ahhsa_print_buffer *print);
/* Not under the device's lock. Accepts NULL. */
void ahhsa_print_buffer_cancelled(struct ahhsa_print_buffer *print);
/* The device has failed: writes out what kernels have printed. Whether an assertion failed. */
bool ahhsa_print_buffers_flush(struct ahhsa_kernel_services *services);
/* No launch prints any more. */
void ahhsa_print_buffers_free(struct ahhsa_kernel_services *services);

#endif
