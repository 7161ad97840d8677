/* Why a driver cannot be used, in words: what backends say when they are opened. */
#ifndef AH_REASON_H
#define AH_REASON_H

#include <stdbool.h>

/* The caller's to free. NULL: no memory. */
__attribute__((format(printf, 1, 2))) char *ah_reason(const char *format, ...);

/* Makes a driver have the devices that were asked for (NULL: none were), which only a simulated
 * one can: configure is its function for that, NULL: it is none. what: "driver" or "runtime", and
 * the name of its library. False: *out_reason says why. */
bool ah_choose_devices(int (*configure)(const char *devices), const char *devices, const char *what,
                       const char *name, char **out_reason);

#endif
