/* From objects to a program, a shared library or an archive, relocatable device code
 * included: its bitcode is taken out of the objects, linked per architecture, bundled
 * once for the whole program, and the symbols that the objects expect are supplied. */
#ifndef AH_HIPCC_LINK_H
#define AH_HIPCC_LINK_H

#include "passes.h"

/* Links the inputs of the request; objects[i] stands for input i where it was a source. Returns
 * the exit status. */
int ah_link_program(struct ah_plan *plan, const char *const *objects,
                    const struct ah_jobs_options *options);

/* Puts the objects into an archive, for --emit-static-lib. */
int ah_link_archive(struct ah_plan *plan, const char *const *objects,
                    const struct ah_jobs_options *options);

#endif
