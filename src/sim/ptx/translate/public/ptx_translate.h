/* The interface of translate, which makes the executable form (ptx_exec.h) of a module that front
 * has read and checked: called by ptx_module.c alone.
 *
 * translate owns the flow of functions, the slots of registers, the layout of variables, and one
 * emit function per kind of instruction, which names the handlers of exec and alu. It runs none of
 * them. A module is translated by one thread, without locks, and its code is read-only once
 * ptx_code_place has returned. */
#ifndef PTX_TRANSLATE_H
#define PTX_TRANSLATE_H

#include "ptx_front.h"

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
