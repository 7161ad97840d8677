/* Owns the functions that are exported and not implemented yet: each is a row of unsupported.def.
 * They ignore their arguments, so the prototypes are not repeated here; the symbol names are given
 * to the assembler. */
#include "api.h"

static hipError_t refuse(const char *function, const char *reason)
{
    AH_LOG_ERR("%s: %s", function, reason);
    ah_thread.last_result = ah_thread.last_error = hipErrorNotSupported;
    if (atomic_load_explicit(&ah_api_state, memory_order_relaxed) != AH_API_QUIET)
        ah_observe_leave(function, hipErrorNotSupported, true);
    return hipErrorNotSupported;
}

#define AH_UNSUPPORTED(name, reason)                                                               \
    __attribute__((visibility("default"))) hipError_t unsupported_##name(void) __asm__(#name);     \
    hipError_t unsupported_##name(void)                                                            \
    {                                                                                              \
        if (atomic_load_explicit(&ah_api_state, memory_order_acquire) != AH_API_QUIET &&           \
            !ah_api_enter(#name, NULL, 0))                                                         \
            return AH_LEAVE(hipErrorNotInitialized);                                               \
        return refuse(#name, reason);                                                              \
    }
#include "unsupported.def"
