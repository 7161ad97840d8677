/* From sources to objects, modules, assembly or text: which passes each source needs,
 * and what becomes of what they make. */
#ifndef AH_HIPCC_COMPILE_H
#define AH_HIPCC_COMPILE_H

#include "passes.h"

/* Adds the steps for every source of the request. out_objects[i] becomes the object made from
 * input i (NULL where none is). False after a message. */
bool ah_compile_plan(struct ah_plan *plan, const char **out_objects);

#endif
