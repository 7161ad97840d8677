/* The end of devices and modules. Subsystems above the runtime that have state of a device or a
 * module register themselves here as dependents; those of the runtime are named in lifetime.c. */
#ifndef AH_LIFETIME_H
#define AH_LIFETIME_H

#include "code.h"
#include "registry.h"

struct ah_dependent {
    /* Frees the state of a device that is about to be reset; calls no driver. NULL: there is
     * none. */
    void (*device_resets)(struct ah_device *device);
    /* The module is unloaded. NULL: there is no state of modules. */
    void (*module_ends)(const struct ah_module *module);
    /* Functions of a module or of a fat binary were destroyed: what is not a live handle any more
     * is one of them. NULL: there is no state of functions. */
    void (*functions_end)(void);
};

enum { AH_DEPENDENTS_MAX = 8 };

/* Before the first device is used: while the library is initialised. The row belongs to the caller
 * and is never freed. */
void ah_lifetime_add(const struct ah_dependent *dependent);

/* hipDeviceReset. */
hipError_t ah_device_reset(struct ah_device *device);

/* Notifies the dependents that a module ends. */
void ah_module_ends(const struct ah_module *module);
/* Notifies them that functions were destroyed. No lock is held. */
void ah_functions_end(void);

#endif
