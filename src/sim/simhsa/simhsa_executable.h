/* What the files of executables share. All of it is under the lock of objects. */
#ifndef SIMHSA_EXECUTABLE_H
#define SIMHSA_EXECUTABLE_H

#include "amdgpu_code.h"
#include "simhsa_runtime.h"

/* The bytes of a code object, from a reader or a hsa_code_object_t. */
struct simhsa_bytes {
    const void *start; /* the program's, or a copy */
    size_t size;
    void *copy; /* NULL: none */
    int file;   /* the file that they come from, -1: memory */
    size_t offset;
};

struct simhsa_reader {
    struct simhsa_object object;
    struct simhsa_bytes bytes;
};

struct simhsa_code {
    struct simhsa_object object;
    struct simhsa_bytes bytes;
    struct amdgpu_code_object *read;
    struct simhsa_code_symbol {
        struct simhsa_object object;
        struct simhsa_code_symbol *next;
        const struct amdgpu_code_symbol *symbol;
    } * symbols;
};

struct simhsa_symbol {
    struct simhsa_object object;
    struct simhsa_symbol *next; /* of the executable, in the order of the code object */
    struct simhsa_executable *executable;
    struct simhsa_agent *agent;     /* NULL: of the program */
    struct amdgpu_code_symbol code; /* name is a copy of its own */
    uint64_t address;
    bool external; /* defined by the program */
};

struct simhsa_loaded {
    struct simhsa_object object;
    struct simhsa_loaded *next;
    struct simhsa_executable *executable;
    struct simhsa_agent *agent;
    struct sim_memory *memory; /* all of it */
    size_t end;                /* of its last segment */
    struct amdgpu_symbols *symbols;
    struct simhsa_bytes bytes; /* without the copy */
    char uri[160];
};

struct simhsa_executable {
    struct simhsa_object object;
    hsa_profile_t profile;
    hsa_default_float_rounding_mode_t rounding;
    bool frozen;
    struct simhsa_symbol *symbols, **symbols_end;
    struct simhsa_loaded *loaded, **loaded_end;
};

/* NULL: the handle is invalid. */
static inline struct simhsa_executable *simhsa_executable_get(hsa_executable_t handle)
{
    return simhsa_object_get(handle.handle, SIMHSA_EXECUTABLE);
}
/* Loads bytes for an agent. *out is the new object. */
hsa_status_t simhsa_load(struct simhsa_executable *executable, struct simhsa_agent *agent,
                         const struct simhsa_bytes *bytes, struct simhsa_loaded **out);
/* Adds a symbol; false: no memory. */
bool simhsa_symbol_add(struct simhsa_executable *executable, struct simhsa_agent *agent,
                       const struct amdgpu_code_symbol *code, uint64_t address, bool external);
/* Of the agent, NULL: of the program. */
struct simhsa_symbol *simhsa_symbol_find(const struct simhsa_executable *executable,
                                         const struct simhsa_agent *agent, const char *name);

#endif
