/* Owns the functions that are exported and not there yet: each is a row of
 * unsupported.def. They take no notice of their arguments, so the prototypes are
 * not repeated here; the symbol names are given to the assembler. */
#include "api.h"

#include <hip/hiprtc.h>

static hipError_t refuse(const char *function, const char *reason)
{
    AH_LOG_ERR("%s: %s", function, reason);
    ah_thread.last_result = ah_thread.last_error = hipErrorNotSupported;
    return hipErrorNotSupported;
}

static hiprtcResult refuse_compilation(const char *function, const char *reason)
{
    AH_LOG_ERR("%s: %s", function, reason);
    return HIPRTC_ERROR_INTERNAL_ERROR;
}

#define AH_UNSUPPORTED(name, reason)                                                               \
    __attribute__((visibility("default"))) hipError_t unsupported_##name(void) __asm__(#name);     \
    hipError_t unsupported_##name(void)                                                            \
    {                                                                                              \
        if (atomic_load_explicit(&ah_api_state, memory_order_acquire) != AH_API_QUIET)             \
            ah_api_enter(#name, NULL, 0);                                                          \
        return refuse(#name, reason);                                                              \
    }
#define AH_UNSUPPORTED_RTC(name, reason)                                                           \
    __attribute__((visibility("default"))) hiprtcResult unsupported_##name(void) __asm__(#name);   \
    hiprtcResult unsupported_##name(void)                                                          \
    {                                                                                              \
        if (atomic_load_explicit(&ah_api_state, memory_order_acquire) == AH_API_UNINITIALISED)     \
            ah_api_enter(#name, NULL, 0);                                                          \
        return refuse_compilation(#name, reason);                                                  \
    }
#include "unsupported.def"
