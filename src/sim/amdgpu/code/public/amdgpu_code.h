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
    bool defined;   /* else it is to be defined before the code is frozen */
    bool global;    /* else local to the code object */
    uint64_t value; /* of a kernel: its descriptor; relative to the code object's base */
    uint64_t size;
    uint64_t align;
    struct amdgpu_kernel_descriptor descriptor; /* of a kernel */
    bool constant;                              /* in memory that is only read */
};

struct amdgpu_code_object;

/* Reads an ELF file, which must stay until amdgpu_code_object_destroy. *out_reason: words for
 * the log. NULL: it is none, or damaged, or of a version this does not know. */
struct amdgpu_code_object *amdgpu_code_object_read(const void *elf, size_t size,
                                                   const char **out_reason);
void amdgpu_code_object_destroy(struct amdgpu_code_object *object); /* accepts NULL */

const char *amdgpu_code_object_target(const struct amdgpu_code_object *object); /* "gfx90a", NULL:
                                                                                    unknown */
enum amdgpu_feature amdgpu_code_object_xnack(const struct amdgpu_code_object *object);
enum amdgpu_feature amdgpu_code_object_sramecc(const struct amdgpu_code_object *object);
unsigned amdgpu_code_object_version(const struct amdgpu_code_object *object); /* 3 to 6 */
/* Whether a device of model can run it: target and features agree. */
bool amdgpu_code_object_fits(const struct amdgpu_code_object *object,
                             const struct amdgpu_model *model);

size_t amdgpu_code_object_symbol_count(const struct amdgpu_code_object *object);
const struct amdgpu_code_symbol *amdgpu_code_object_symbol(const struct amdgpu_code_object *object,
                                                           size_t index);

/* Bytes of memory that it takes when it is loaded, a multiple of 4096. */
size_t amdgpu_code_object_span(const struct amdgpu_code_object *object);
/* Bytes to the end of the last segment: the span without what fills its last page. */
size_t amdgpu_code_object_end(const struct amdgpu_code_object *object);
/* Writes all segments to view, where span bytes at address will be found by kernels, and
 * relocates them. define: the address of a symbol that the object does not define; false: nobody
 * does, which fails. */
bool amdgpu_code_object_load(const struct amdgpu_code_object *object, unsigned char *view,
                             uint64_t address,
                             bool (*define)(void *data, const char *name, uint64_t *out_address),
                             void *data, const char **out_reason);

/* ---- symbols by address ------------------------------------------------------------------ */

/* What a code object's loader says of code, for reports: names of kernels and functions,
 * lines of the source. Looked up by address; see amdgpu_symbols.c. */
struct amdgpu_symbols;
/* Remembers a loaded code object (its ELF is copied as far as it is needed): base is what its
 * addresses are relative to. NULL: no memory. */
struct amdgpu_symbols *amdgpu_symbols_add(const void *elf, size_t size, uint64_t base,
                                          uint64_t span);
void amdgpu_symbols_remove(struct amdgpu_symbols *symbols); /* accepts NULL */
/* The name of the function or kernel at address, "" when it is not known. */
void amdgpu_symbols_name(uint64_t address, char *out, size_t out_size);
/* "file.hip:12", "" when it is not known. */
void amdgpu_symbols_line(uint64_t address, char *out, size_t out_size);

#endif
