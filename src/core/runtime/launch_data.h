/* Where the variables lie that every launch reads. Between two launches the driver uses most of the
 * first-level cache, so that what a launch costs is how many lines of the cache it reads. The
 * functions are AH_LAUNCH_CODE (backend.h). */
#ifndef AH_LAUNCH_DATA_H
#define AH_LAUNCH_DATA_H

/* For the definition of such a variable: the linker puts them next to each other. */
#define AH_LAUNCH_DATA __attribute__((section("ah_launch_data")))

#endif
