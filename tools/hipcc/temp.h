/* The folder of temporary files, the running children, and what a signal does to both.
 *
 * The folder is made when first asked for and is gone when the program ends, also when a
 * signal ends it: the children are told, waited for, the folder is removed, and then the
 * signal takes its usual course. */
#ifndef AH_HIPCC_TEMP_H
#define AH_HIPCC_TEMP_H

#include <stdbool.h>
#include <sys/types.h>

/* Catches the signals that end a program. */
void ah_temp_init(void);

/* Removes the folder with its files. */
void ah_temp_fini(void);

/* A path in the folder; the same name gives the same path. NULL when no folder can be made (said
 * on standard error). When dry is set the folder is not made and the path only shown. */
const char *ah_temp_path(const char *name, bool dry);

/* The children that a signal is passed on to, each the leader of its process group; at most
 * AH_TEMP_CHILDREN at a time. */
enum { AH_TEMP_CHILDREN = 256 };
void ah_temp_child_started(pid_t pid);
void ah_temp_child_ended(pid_t pid);

/* The signal by which the program is to end, or 0. */
int ah_temp_signal(void);

/* Cleans up and lets the signal end the program; returns when there was none. */
void ah_temp_obey_signal(void);

#endif
