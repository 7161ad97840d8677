/* The device half of a link with relocatable device code. */
#ifndef AH_HIPCC_DEVLINK_H
#define AH_HIPCC_DEVLINK_H

#include "objfile.h"
#include "passes.h"

/* The host link of the moment: returns its command line with extra arguments put before all other
 * inputs and another output. What devlink.c needs to find out which archive members are used. */
struct ah_host_link {
    struct ah_strings (*command)(void *context, const struct ah_strings *extra, const char *output);
    void *context;
};

/* What the host link must add to its inputs. */
struct ah_device_result {
    struct ah_strings objects; /* to link before the user's */
};

/* Links the device code of the objects, as far as the program uses it. Returns an exit status. */
int ah_devlink_run(struct ah_plan *plan, const struct ah_objects *objects,
                   const struct ah_host_link *host, const struct ah_jobs_options *options,
                   struct ah_device_result *out_result);

#endif
