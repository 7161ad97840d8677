/* What goes when a device is reset or a module unloaded. Subsystems above the runtime that keep
 * something of either register themselves here; those of the runtime are named in lifetime.c. */
#ifndef AH_LIFETIME_H
#define AH_LIFETIME_H

#include "code.h"
#include "registry.h"

struct ah_dependent {
    /* Frees what is kept of a device that is about to be reset; calls no driver. NULL: nothing. */
    void (*device_resets)(struct ah_device *device);
    /* The module is unloaded. NULL: nothing is kept of modules. */
    void (*module_ends)(const struct ah_module *module);
};

enum { AH_DEPENDENTS_MAX = 8 };

/* Before the first device is used: while the library is initialised. The row stays the caller's
 * and is never freed. */
void ah_lifetime_add(const struct ah_dependent *dependent);

/* hipDeviceReset. */
hipError_t ah_device_reset(struct ah_device *device);

/* Tells the dependents that a module ends. */
void ah_module_ends(const struct ah_module *module);

#endif
