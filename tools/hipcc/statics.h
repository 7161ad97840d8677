/* Static device variables in relocatable device code.
 *
 * clang gives a static device variable that host code names (hipMemcpyToSymbol) a name of its own
 * for the whole program, x.static.<hash>. It learns of the host's use too late for code that it
 * emitted before: such code still says x, which nothing defines. The repair is to let that code
 * say x.static.<hash>. */
#ifndef AH_HIPCC_STATICS_H
#define AH_HIPCC_STATICS_H

#include "text.h"

/* The pairs (x, x.static.<hash>) to be repaired in a module, from what `llvm-nm --format=posix`
 * says of it: x is undefined and the other defined. out_pairs alternates between the two. */
void ah_statics_find(const char *symbols, struct ah_strings *out_pairs);

/* The module's text with every x replaced and its declaration left out. */
const char *ah_statics_repair(const char *module, const struct ah_strings *pairs);

#endif
