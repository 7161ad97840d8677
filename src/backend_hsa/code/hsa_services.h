/* Private to hsa_services.c, hsa_output.c and hsa_kernarg.c: what kernels of one device need beside
 * their code. */
#ifndef AHHSA_SERVICES_H
#define AHHSA_SERVICES_H

#include "hsa_code.h"

/* Memory for arguments of kernels of one stream, from its beginning to its end. */
struct ahhsa_chunk {
    struct ah_backend_device *device;
    unsigned char *memory;
    _Atomic uint32_t used;    /* bytes */
    struct ahhsa_chunk *next; /* free ones */
    struct ahhsa_chunk *also; /* all of them */
};

struct ahhsa_services {
    /* Of lists; taken under the device's lock, and nothing is called under it. */
    pthread_mutex_t lock;
    struct ahhsa_chunk *free_chunks, *all_chunks;
    struct ahhsa_print *prints; /* that launches print into, oldest first */
    struct ahhsa_print **last_print;
    struct ahhsa_print *free_prints;
    unsigned print_count; /* of all that there are */

    pthread_mutex_t printing; /* held by who prints, and so by who takes from prints */
    pthread_mutex_t making;   /* of those below while they are made; neither under the device's */
    void *heap;
    void *foreign_heap;            /* of code that is linked with ROCm's device library */
    struct ahhsa_hostcalls *calls; /* likewise */
    void *workspace;               /* of cooperative launches, of which one runs at a time */
};

/* The device's services, made at the first call. NULL: no memory. */
struct ahhsa_services *ahhsa_services_of(struct ah_backend_device *device);
void ahhsa_chunks_drop(struct ahhsa_services *services);

/* ---- what is printed: hsa_output.c ------------------------------------------------------ */

/* A buffer for a launch of function in the stream, which ahhsa_print_launched or _cancelled
 * follows. Waits for no kernel. */
hipError_t ahhsa_print_prepare(struct ahhsa_services *services, struct ah_backend_stream *stream,
                               const struct ah_backend_function *function,
                               struct ahhsa_print **out_print);
void *ahhsa_print_memory(const struct ahhsa_print *print);
/* The device has failed: prints all that kernels have printed. Whether an assertion failed. */
bool ahhsa_prints_asserted(struct ahhsa_services *services);
/* No launch prints any more. */
void ahhsa_prints_drop(struct ahhsa_services *services);

#endif
