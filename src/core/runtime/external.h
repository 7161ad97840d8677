/* Memory and semaphores of other APIs and processes: their handles. */
#ifndef AH_EXTERNAL_H
#define AH_EXTERNAL_H

#include "handle.h"
#include "registry.h"

/* hipExternalMemory_t */
struct ah_external {
    struct ah_handle handle;
    struct ah_backend_external *native;
    uint64_t size; /* as it was imported */
};

/* hipExternalSemaphore_t */
struct ah_semaphore {
    struct ah_handle handle;
    struct ah_backend_semaphore *native;
};

/* hipErrorInvalidValue, with a message: a value is not a live semaphore. */
hipError_t ah_semaphores_check(const hipExternalSemaphore_t *semaphores, unsigned count);

/* Destroys all of a device that is about to be reset. */
void ah_external_release_device(struct ah_device *device);

#endif
