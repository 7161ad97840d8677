/* The interface of translate, which translates a module that front has read and checked into its
 * executable form (ptx_exec.h). Only ptx_module.c calls it.
 *
 * translate owns the flow of functions, the slots of registers, the layout of variables, and one
 * emitter per kind of instruction, which refers to handlers of exec and alu, but never runs them. A
 * module is translated by one thread, without locks, and its code is read-only once ptx_code_place
 * has returned. */
#ifndef PTX_TRANSLATE_H
#define PTX_TRANSLATE_H

#include "ptx_front.h"

/* Gives every function of a checked module that has a body its code, and every function symbol the
 * address that pointers to it have (symbol->address), for a device of compute capability sm. Errors
 * are logged. */
enum ptx_result ptx_code_translate(struct ptx_module *module, unsigned sm, struct ptx_log *log);

/* Writes the addresses of .global and .const variables (symbol->address) into the code.
 * ptx_module_place calls it once. */
void ptx_code_place(struct ptx_module *module);

/* Frees the code of ptx_code_translate, which may have failed or never been called. */
void ptx_code_free(struct ptx_module *module);

#endif
