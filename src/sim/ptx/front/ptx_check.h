/* Checks of a parsed module against the instruction table. */
#ifndef PTX_CHECK_H
#define PTX_CHECK_H

#include "ptx_log.h"

/* Finds every instruction's row (row, mods) and checks its operands; checks that every
 * declaration has a definition, is a built-in function, or is not used. At most errors_max
 * errors are logged. */
enum ptx_result ptx_check_module(struct ptx_module *module, struct ptx_log *log,
                                 unsigned errors_max);

#endif
