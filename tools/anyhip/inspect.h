/* `anyhip inspect`: the device images that a file holds, each with what can be told of it. */
#ifndef AH_ANYHIP_INSPECT_H
#define AH_ANYHIP_INSPECT_H

#include <stdbool.h>

/* Prints what the file holds. False, after a message on standard error, when it cannot be read, is
 * no file that may hold device code, or part of it is damaged. */
bool ah_inspect(const char *path);

#endif
