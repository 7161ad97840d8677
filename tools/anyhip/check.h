/* `anyhip check`: whether each device does what the simplest program needs. */
#ifndef AH_ANYHIP_CHECK_H
#define AH_ANYHIP_CHECK_H

/* Prints one line for each device. Returns the exit status: 0 when there are devices and all are
 * good, else 1. */
int ah_check(void);

#endif
