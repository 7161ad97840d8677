/* Owns the life of works of any type. */
#include "work.h"

#include "log.h"

#include <stdlib.h>

struct ah_work *ah_work_create(const struct ah_work_type *type, struct ah_device *device)
{
    struct ah_work *work = calloc(1, sizeof *work);
    if (work) {
        work->type = type;
        work->device = device;
    }
    return work;
}

hipError_t ah_work_copy(const struct ah_work *work, struct ah_work **out_copy)
{
    struct ah_work *copy = malloc(sizeof *copy);
    if (!copy)
        return hipErrorOutOfMemory;
    *copy = *work;
    hipError_t error = work->type->copy ? work->type->copy(work, copy) : hipSuccess;
    if (error != hipSuccess) {
        free(copy);
        return error;
    }
    *out_copy = copy;
    return hipSuccess;
}

void ah_work_free(struct ah_work *work)
{
    if (work && work->type->free)
        work->type->free(work);
    free(work);
}

hipError_t ah_work_device(hipCtx_t context, struct ah_device **out_device)
{
    if (context && !ah_handle_is(context, AH_HANDLE_CONTEXT))
        return hipErrorInvalidContext;
    *out_device =
        context ? ((const struct ah_handle *)(const void *)context)->device : ah_device_current();
    return *out_device ? hipSuccess : hipErrorNoDevice;
}
