/* Owns the reset of devices, and the list of dependents. The list is written while the library is
 * initialised, and only read after that. */
#include "lifetime.h"
#include "array.h"
#include "execution.h"
#include "external.h"
#include "library.h"
#include "memory.h"
#include "stream.h"

#include <assert.h>

static const struct ah_dependent *dependents[AH_DEPENDENTS_MAX];
static int dependent_count;

void ah_lifetime_add(const struct ah_dependent *dependent)
{
    assert(dependent_count < AH_DEPENDENTS_MAX);
    dependents[dependent_count++] = dependent;
}

void ah_module_ends(const struct ah_module *module)
{
    for (int i = 0; i < dependent_count; i++)
        if (dependents[i]->module_ends)
            dependents[i]->module_ends(module);
}

void ah_functions_end(void)
{
    for (int i = 0; i < dependent_count; i++)
        if (dependents[i]->functions_end)
            dependents[i]->functions_end();
}

hipError_t ah_device_reset(struct ah_device *device)
{
    if (!device)
        return ah_device_missing_error();
    for (int i = 0; i < dependent_count; i++)
        if (dependents[i]->device_resets)
            dependents[i]->device_resets(device);
    ah_execution_release_device(device);
    ah_stream_release_device(device);
    ah_library_release_device(device);
    ah_module_release_device(device);
    ah_fatbin_release_device(device);
    ah_memory_release_device(device);
    ah_array_release_device(device);
    ah_external_release_device(device);
    hipError_t error = device->ops->device_reset(device->native);
    ah_stream_close_defaults(device);
    atomic_store(&device->context_flags, 0);
    if (error == hipSuccess) {
        ah_fatbin_recreate_managed(device);
        ah_library_recreate_managed(device);
    }
    return error;
}
