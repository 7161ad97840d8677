/* The seam between a module as written and its executable form: ptx_module_load
 * checks a module, then has it translated here. */
#ifndef PTX_CODE_H
#define PTX_CODE_H

#include "ptx.h"
#include "ptx_log.h"

/* Gives every function of a checked module that has a body its code, and every
 * function symbol the address that a pointer to it holds (symbol->address), for
 * a device of compute capability sm. What cannot be translated is logged. */
enum ptx_result ptx_code_translate(struct ptx_module *module, unsigned sm, struct ptx_log *log);

/* Puts the addresses that .global and .const variables were given
 * (symbol->address) into the code: called by ptx_module_place, once. */
void ptx_code_place(struct ptx_module *module);

/* Frees what ptx_code_translate made; also after it failed, or was never called. */
void ptx_code_free(struct ptx_module *module);

#endif
