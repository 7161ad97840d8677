/* The interface of front, which reads PTX text: a module as written (ptx_ir.h), the instruction
 * table (ptx_rows.h) and the built-in functions that device code may call.
 *
 * front owns the lexer, the parser, the arena that a module lives in and the checks of every
 * instruction against the table. It knows nothing of how instructions are translated or run, and
 * calls no other room. ptx_module.c loads modules with it; translate and exec read what it made. A
 * module is made by one thread and read-only afterwards, except for the addresses of symbols that
 * translate and ptx_module_place fill in before any kernel runs; nothing here takes a lock. */
#ifndef PTX_FRONT_H
#define PTX_FRONT_H

#include "ptx_ir.h"
#include "ptx_log.h"
#include "ptx_rows.h"

/* Parses and checks size bytes of text (a NUL ends it early) for a device of compute capability sm:
 * every instruction then has its row and mods, and every declaration has a definition, is a
 * built-in function or is unused. Errors are in the log. On PTX_OK the module is the caller's, to
 * be freed with ptx_front_free; otherwise *out_module is NULL. */
enum ptx_result ptx_front_read(const char *text, size_t size, unsigned sm, struct ptx_log *log,
                               struct ptx_module **out_module);
void ptx_front_free(struct ptx_module *module); /* accepts NULL */

/* Bytes of all variables of the module in a space. */
size_t ptx_module_space_size(const struct ptx_module *module, enum ptx_space space);

/* A function that the driver defines (ptx_builtins.def). */
enum ptx_builtin_number {
#define PTX_BUILTIN(id, name, result, noreturn, ...) PTX_BUILTIN_##id,
#include "ptx_builtins.def"
#undef PTX_BUILTIN
    PTX_BUILTIN_COUNT,
};
enum { PTX_BUILTIN_PARAMS_MAX = 5 };

struct ptx_builtin {
    enum ptx_builtin_number number;
    const char *name;
    unsigned result_size; /* bytes, 0: returns nothing */
    bool noreturn;
    unsigned char param_sizes[PTX_BUILTIN_PARAMS_MAX]; /* bytes */
    unsigned param_count;
};

/* The built-in function of a name; NULL: there is none. */
const struct ptx_builtin *ptx_builtin_find(const char *name);

#endif
