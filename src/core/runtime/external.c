/* Owns the handles of memory and semaphores of other APIs. */
#include "external.h"
#include "log.h"

_Static_assert(sizeof(struct ah_external) <= AH_HANDLE_SLOT, "struct ah_external");
_Static_assert(sizeof(struct ah_semaphore) <= AH_HANDLE_SLOT, "struct ah_semaphore");

hipError_t ah_semaphores_check(const hipExternalSemaphore_t *semaphores, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!ah_handle_is(semaphores[i], AH_HANDLE_SEMAPHORE)) {
            AH_LOG_ERR("%p is not a semaphore; it may have been destroyed", semaphores[i]);
            return hipErrorInvalidValue;
        }
    return hipSuccess;
}

/* The driver's objects go with the reset of the device, unless they are the process's: they are
 * destroyed before. */
static void release_external(void *handle, void *device)
{
    struct ah_external *external = handle;
    struct ah_device *owner = external->handle.device;
    if (owner != device || !ah_handle_retire(handle, AH_HANDLE_EXTERNAL))
        return;
    (void)owner->ops->external_destroy(owner->native, external->native);
    ah_handle_destroy(handle);
}

static void release_semaphore(void *handle, void *device)
{
    struct ah_semaphore *semaphore = handle;
    struct ah_device *owner = semaphore->handle.device;
    if (owner != device || !ah_handle_retire(handle, AH_HANDLE_SEMAPHORE))
        return;
    (void)owner->ops->semaphore_destroy(owner->native, semaphore->native);
    ah_handle_destroy(handle);
}

void ah_external_release_device(struct ah_device *device)
{
    ah_handle_each(AH_HANDLE_EXTERNAL, release_external, device);
    ah_handle_each(AH_HANDLE_SEMAPHORE, release_semaphore, device);
}
