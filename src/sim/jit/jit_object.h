/* Private to jit: object files that LLVM writes, loaded. */
#ifndef JIT_OBJECT_H
#define JIT_OBJECT_H

#include "jit_key.h"

/* Loaded code: one mapping, readable and executable. */
struct jit_object {
    void *memory;
    size_t size;
    void *entry;
};

/* Loads an ELF file for x86-64 that is in memory: its sections of code and constants, and stubs for
 * functions and addresses of others: those of the machine, a few of the C library, and addresses
 * that the region names. Its function is JIT_ENTRY. False: out_reason says why; the file is not
 * trusted to be well-formed. */
bool jit_object_load(struct jit_object *out_object, const void *file, size_t size,
                     const struct wave_machine *machine, const struct jit_addresses *addresses,
                     char *out_reason, size_t reason_size);

#define JIT_ENTRY "region"

/* Accepts a zeroed struct. */
void jit_object_unload(struct jit_object *object);

#endif
