/* Owns the translation of the runtime's errors, and what is logged of them. */
#include "hsa_runtime.h"

hipError_t ahhsa_error(hsa_status_t status)
{
    switch ((int)status) {
#define HSA_ERROR_ROW(name, error)                                                                 \
    case HSA_STATUS_##name:                                                                        \
        return error;
#include "hsa_errors.def"
#undef HSA_ERROR_ROW
    default:
        return hipErrorUnknown;
    }
}

const char *ahhsa_status_text(const struct ah_backend *backend, hsa_status_t status)
{
    const char *text = NULL;
    if (backend->api.hsa_status_string(status, &text) != HSA_STATUS_SUCCESS || !text)
        return "unknown result";
    return text;
}

hipError_t ahhsa_report(const struct ah_backend_device *device, const char *what,
                        hsa_status_t status)
{
    if (ahhsa_error(status) != hipSuccess)
        AH_LOG_ERR("%s on %s:%d failed: %s (0x%x)", what, device->backend->name, device->index,
                   ahhsa_status_text(device->backend, status), (unsigned)status);
    return ahhsa_error(status);
}

hipError_t ahhsa_missing(const struct ah_backend_device *device, const char *function)
{
    AH_LOG_ERR("%s is not in this HSA runtime (%u.%u of %s): update ROCm to use it", function,
               device->backend->version_major, device->backend->version_minor,
               device->backend->name);
    return hipErrorNotSupported;
}

hipError_t ahhsa_refuse(const struct ah_backend_device *device, const char *what, const char *why)
{
    AH_LOG_ERR("%s on %s:%d: %s", what, device->backend->name, device->index, why);
    return hipErrorNotSupported;
}
