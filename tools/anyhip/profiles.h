/* Profiles as JSON: what simulated drivers write, one object for each process, and what
 * `anyhip profile` makes of them; anyhip(1) describes the form. */
#ifndef AH_ANYHIP_PROFILES_H
#define AH_ANYHIP_PROFILES_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

enum { AH_PROFILE_VERSION = 1 };

/* An array with what is in the files of a folder, in the order of their names. NULL: after a
 * message. */
cJSON *ah_profiles_collect(const char *folder);

/* A profile that `anyhip profile` wrote. NULL: it cannot be used, after a message. */
cJSON *ah_profile_read(const char *file);

/* How many kernels are in a profile. */
size_t ah_profile_kernels(const cJSON *profile);

/* Prints a profile for people. */
void ah_profile_print(const cJSON *profile);

/* Prints what changed since the old profile of that file. Returns whether anything did, or 1 after
 * a message. */
bool ah_profile_compare(const cJSON *old, const cJSON *new, const char *file);

#endif
