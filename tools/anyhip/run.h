/* `anyhip run`: starts a program with the library's environment variables set. */
#ifndef ANYHIP_RUN_H
#define ANYHIP_RUN_H

#include <stdbool.h>
#include <stddef.h>

/* Reads options, a program and its arguments; in their place is the program when this succeeds, so
 * that it returns only when it fails: with 2 when the command line is wrong, 127 when there is no
 * such program and 126 when it cannot be started, and what was wrong on standard error. */
int ah_run(int count, char **arguments);

/* Adds the devices of an option --device of some command to a list, of at most size bytes, as
 * ANYHIP_BACKEND has it. False: after a message. */
bool ah_run_devices(const char *of_command, const char *value, char *devices, size_t size);

#endif
