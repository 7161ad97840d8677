/* Private to jit: object files that LLVM writes, loaded. */
#ifndef JIT_OBJECT_H
#define JIT_OBJECT_H

#include "wave.h"

/* Loaded code: one mapping, readable and executable. */
struct jit_object {
    void *memory;
    size_t size;
    void *entry;
};

/* Loads an ELF file for x86-64 that is in memory: its sections of code and constants, and stubs for
 * functions of others, which are those of the machine and a few of the C library. entry: the name
 * of a function. False: out_reason says why; the file is not trusted to be well-formed. */
bool jit_object_load(struct jit_object *out_object, const void *file, size_t size,
                     const char *entry, const struct wave_machine *machine, char *out_reason,
                     size_t reason_size);

/* Accepts a zeroed struct. */
void jit_object_unload(struct jit_object *object);

#endif
