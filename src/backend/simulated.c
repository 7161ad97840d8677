/* Owns the choice of simulated devices, which is the same for every backend. */
#include "simulated.h"
#include "reason.h"

bool ah_simulated_configure(int (*configure)(const char *devices), const char *devices,
                            const char *kind, const char *name, char **out_reason)
{
    if (!devices)
        return true;
    if (!configure) {
        *out_reason = ah_reason("the devices \"%s\" cannot be chosen: %s is not a simulated %s",
                                devices, name, kind);
        return false;
    }
    if (configure(devices) == 0)
        return true;
    *out_reason = ah_reason("there are no simulated devices \"%s\"", devices);
    return false;
}
