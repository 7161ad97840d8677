/* Owns the functions of the runtime, by the rows of hsa_symbols.def, and its start. */
#include "hsa_runtime.h"
#include "reason.h"

#include <stddef.h>

static const struct ah_dynlib_symbol symbols[] = {
#define REQUIRED               AH_REQUIRED
#define OPTIONAL               AH_OPTIONAL
#define HSA_SYMBOL(need, name) {#name, offsetof(struct ahhsa_api, name), need},
#include "hsa_symbols.def"
#undef HSA_SYMBOL
#undef REQUIRED
#undef OPTIONAL
};

bool ahhsa_runtime_bind(struct ah_backend *backend, struct ah_dynlib *lib)
{
    return ah_dynlib_bind(lib, symbols, sizeof symbols / sizeof *symbols, &backend->api);
}

hipError_t ahhsa_runtime_start(struct ah_backend *backend, char **out_reason)
{
    const struct ahhsa_api *api = &backend->api;
    hsa_status_t status = api->hsa_init();
    if (status == HSA_STATUS_ERROR_OUT_OF_RESOURCES) { /* the result without /dev/kfd */
        *out_reason =
            ah_reason("the runtime does not start: there is no AMD GPU, its kernel driver "
                      "(/dev/kfd) is not loaded, or this user may not use it");
        return hipErrorNoDevice;
    }
    if (status == HSA_STATUS_SUCCESS) {
        backend->started = true;
        status = api->hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &backend->version_major);
    }
    if (status == HSA_STATUS_SUCCESS)
        status = api->hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MINOR, &backend->version_minor);
    if (status == HSA_STATUS_SUCCESS)
        status = api->hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY,
                                          &backend->timestamp_frequency);
    if (status != HSA_STATUS_SUCCESS)
        *out_reason =
            ah_reason("the runtime does not start: %s", ahhsa_status_text(backend, status));
    return ahhsa_error(status);
}
