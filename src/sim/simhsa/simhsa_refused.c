/* Owns functions that are exported for programs that are linked with them, but are not supported;
 * and the check that all functions of the tables exist. */
#include "simhsa_runtime.h"

static hsa_status_t refuse(const char *name, int status, const char *why)
{
    if (!simhsa_is_running())
        return HSA_STATUS_ERROR_NOT_INITIALIZED;
    simhsa_violation("%s is not supported: %s", name, why);
    return (hsa_status_t)status;
}

/* The functions ignore their arguments, so that none are declared. */
#define SIMHSA_REFUSED(name, status, why)                                                          \
    __attribute__((visibility("default"))) hsa_status_t refused_##name(void) __asm__(#name);       \
    hsa_status_t refused_##name(void)                                                              \
    {                                                                                              \
        return refuse(#name, status, why);                                                         \
    }
#include "simhsa_refused.def"
#undef SIMHSA_REFUSED

/* Takes every function's address, so that a missing one does not link. */
__attribute__((used)) static void (*const functions[])(void) = {
#define SIMHSA_SYMBOL(name) (void (*)(void)) name,
#include "simhsa_symbols.def"
#undef SIMHSA_SYMBOL
};
