/* Shared by backends whose driver is a simulated one. */
#ifndef AH_SIMULATED_H
#define AH_SIMULATED_H

#include <stdbool.h>

/* Gives a driver the devices that the user chose (NULL: the driver's default), which only a
 * simulated one can be given: configure is its function for that, NULL where it has none. kind:
 * "driver" or "runtime"; name: of the backend. False: *out_reason says why, the caller's to free.
 */
bool ah_simulated_configure(int (*configure)(const char *devices), const char *devices,
                            const char *kind, const char *name, char **out_reason);

#endif
