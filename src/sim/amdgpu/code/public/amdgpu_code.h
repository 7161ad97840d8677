/* The interface of code: code objects, which are ELF files for AMDGPU of versions 3 to 6.
 *
 * code owns the parsing of these files, their relocation into device memory, and the names and
 * source lines that reports and logs look up by address. It does not decode or execute
 * instructions, and it knows nothing of the HSA runtime's functions. The drivers load code objects
 * with it; exec and queue look up names. Parsing is safe for any input, however it is corrupted.
 *
 * A code object belongs to its caller, who synchronises its use. The symbols of loaded code objects
 * are in one list of the process under a lock of its own, and may be looked up on any thread. */
#ifndef AMDGPU_CODE_H
#define AMDGPU_CODE_H

#include "amdgpu_abi.h"
#include "amdgpu_device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum amdgpu_feature {
    AMDGPU_FEATURE_UNSUPPORTED,
    AMDGPU_FEATURE_ANY,
    AMDGPU_FEATURE_OFF,
    AMDGPU_FEATURE_ON
};

struct amdgpu_code_symbol {
    const char *name; /* "kernel.kd", "variable" */
    bool kernel;
    bool defined;   /* false: it has to be defined before the code object is loaded */
    bool global;    /* false: local to the code object */
    uint64_t value; /* of a kernel: its descriptor; relative to the code object's base */
    uint64_t size;
    uint64_t align;
    struct amdgpu_kernel_descriptor descriptor; /* of a kernel */
    bool constant;                              /* in read-only memory */
};

struct amdgpu_code_object;

/* Parses an ELF file, which must exist until amdgpu_code_object_destroy. NULL: it is not a code
 * object, it is corrupted, or its version is unknown; *out_reason is a message for the log. */
struct amdgpu_code_object *amdgpu_code_object_read(const void *elf, size_t size,
                                                   const char **out_reason);
void amdgpu_code_object_destroy(struct amdgpu_code_object *object); /* accepts NULL */

const char *amdgpu_code_object_target(const struct amdgpu_code_object *object); /* "gfx90a", NULL:
                                                                                    unknown */
enum amdgpu_feature amdgpu_code_object_xnack(const struct amdgpu_code_object *object);
enum amdgpu_feature amdgpu_code_object_sramecc(const struct amdgpu_code_object *object);
unsigned amdgpu_code_object_version(const struct amdgpu_code_object *object); /* 3 to 6 */
/* Whether a device of model can run it, which depends on its target and features. */
bool amdgpu_code_object_fits(const struct amdgpu_code_object *object,
                             const struct amdgpu_model *model);

size_t amdgpu_code_object_symbol_count(const struct amdgpu_code_object *object);
const struct amdgpu_code_symbol *amdgpu_code_object_symbol(const struct amdgpu_code_object *object,
                                                           size_t index);

/* Bytes of memory that the loaded code object occupies, a multiple of 4096. */
size_t amdgpu_code_object_span(const struct amdgpu_code_object *object);
/* Bytes up to the end of the last segment: the span without the padding of its last page. */
size_t amdgpu_code_object_end(const struct amdgpu_code_object *object);
/* Writes all segments to view, which kernels see as span bytes at address, and relocates them.
 * define returns the address of a symbol that the object does not define; loading fails when it
 * returns false. */
bool amdgpu_code_object_load(const struct amdgpu_code_object *object, unsigned char *view,
                             uint64_t address,
                             bool (*define)(void *data, const char *name, uint64_t *out_address),
                             void *data, const char **out_reason);

/* ---- symbols by address ------------------------------------------------------------------ */

/* The symbols and line tables of a loaded code object, which reports look up by address. */
struct amdgpu_symbols;
/* Registers a loaded code object, copying what is needed of its ELF file; its addresses are
 * relative to base. NULL: out of memory. */
struct amdgpu_symbols *amdgpu_symbols_add(const void *elf, size_t size, uint64_t base,
                                          uint64_t span);
void amdgpu_symbols_remove(struct amdgpu_symbols *symbols); /* accepts NULL */
/* Writes the name of the function or kernel at address, "" if it is unknown. */
void amdgpu_symbols_name(uint64_t address, char *out, size_t out_size);
/* Writes "file.hip:12", or "" if the line is unknown. */
void amdgpu_symbols_line(uint64_t address, char *out, size_t out_size);

#endif
