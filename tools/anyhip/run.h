/* `anyhip run`: starts a program with the library's environment variables set. */
#ifndef ANYHIP_RUN_H
#define ANYHIP_RUN_H

/* Reads options, a program and its arguments; in their place is the program when this succeeds, so
 * that it returns only when it fails: with 2 when the command line is wrong, 127 when there is no
 * such program and 126 when it cannot be started, and what was wrong on standard error. */
int ah_run(int count, char **arguments);

#endif
