/* The architectures that there are: by their names in clang, and the nearest one to a name that
 * is none. */
#ifndef AH_HIPCC_KNOWN_H
#define AH_HIPCC_KNOWN_H

#include <stdbool.h>

#include "text.h"
#include "toolchain.h"

/* The PTX level of an NVIDIA architecture, 70 for PTX 7.0; 0: there is no such architecture. */
int ah_known_ptx_level(const char *arch);

/* Whether there is such an AMD processor; features may follow its name. A name that clang 22 does
 * not have is looked up in the clang that is there (NULL: in none). */
bool ah_known_processor(const char *arch, const struct ah_toolchain *toolchain);

/* Pushes all for which every header compiles, AMD's first. */
void ah_known_all(const struct ah_toolchain *toolchain, struct ah_strings *out_archs);

/* Says which architecture was probably meant by a name that is none, and which there are. */
void ah_known_suggest(const char *arch, const struct ah_toolchain *toolchain);

#endif
