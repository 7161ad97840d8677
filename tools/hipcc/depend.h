/* Dependency rules for make: one source is read by several passes, each with its own
 * includes, and the user wants one rule. Names stay in make's spelling throughout. */
#ifndef AH_HIPCC_DEPEND_H
#define AH_HIPCC_DEPEND_H

#include <stdbool.h>

#include "text.h"

/* Pushes the prerequisites of every rule in text that are not yet in the list. */
void ah_depend_read(const char *text, struct ah_strings *prerequisites);

/* The rule "targets: prerequisites"; phony adds an empty rule for each prerequisite but the first,
 * so that a header that is gone does not stop make. */
const char *ah_depend_rule(const struct ah_strings *targets, const struct ah_strings *prerequisites,
                           bool phony);

/* name in make's spelling. */
const char *ah_depend_quote(const char *name);

#endif
