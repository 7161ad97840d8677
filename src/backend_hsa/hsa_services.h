/* Private to hsa_services.c and hsa_kernarg.c: what kernels of one device need beside their code.
 */
#ifndef AHHSA_SERVICES_H
#define AHHSA_SERVICES_H

#include "hsa_module.h"

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
    struct ahhsa_print *prints; /* launches whose text is not printed yet, oldest first */
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

#endif
