/* Symbol names that LLVM writes into PTX although PTX has no such names.
 *
 * clang gives a managed variable `x` a companion `x.managed`, and an internal kernel of
 * relocatable device code a suffix `.intern.<hash>`; a PTX name holds letters, digits,
 * `_`, `$` and `%` only, so ptxas and the driver refuse the module. The functions here
 * spell each dot of such a name `_$_`, as LLVM itself does for local symbols.
 *
 * And clang declares HIP's texture references `.texref`, although code reads them as memory, at
 * `[name+72]`: such declarations become 88 bytes of global memory (docs/kernel-abi.md), and so do
 * those of a text in which nothing uses a reference. Pure: no state, no log; the text may be
 * anything at all. */
#ifndef AH_PTX_NAMES_H
#define AH_PTX_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum ah_ptx_fix {
    AH_PTX_FIX_UNCHANGED, /* every name is a PTX name already */
    AH_PTX_FIX_CHANGED,   /* *out_text holds the corrected text */
    AH_PTX_FIX_CLASH,     /* two names would become one; nothing was changed */
    AH_PTX_FIX_NO_MEMORY,
};

/* Corrects texture references, and the names that text declares, wherever they stand outside of comments and string
 * literals. text need not end in a NUL. On AH_PTX_FIX_CHANGED *out_text is a new string of
 * *out_size bytes and a NUL after them, to be freed by the caller; otherwise it is NULL. */
enum ah_ptx_fix ah_ptx_fix_names(const char *text, size_t size, char **out_text, size_t *out_size);

/* Writes into out how ah_ptx_fix_names spells the symbol name, so that a name registered by the
 * host code finds its symbol. False when name is a PTX name already or out is too small (out is
 * then left alone). */
bool ah_ptx_fix_name(const char *name, char *out, size_t capacity);

/* The first function that text only declares (`.extern .func`) and that no driver supplies.
 * *out_name points into text. False when there is none. */
bool ah_ptx_find_undefined(const char *text, size_t size, const char **out_name,
                           size_t *out_length);

/* One parameter of a kernel, in its argument buffer. */
struct ah_ptx_parameter {
    size_t offset, size;
};

/* The parameters of the kernel name, as text declares them: *out_parameters is an array of
 * *out_count, to be freed by the caller; NULL when there is none. False: text has no such kernel,
 * its declaration is not understood, or there is no memory. */
bool ah_ptx_parameters(const char *text, size_t size, const char *name,
                       struct ah_ptx_parameter **out_parameters, size_t *out_count);

#endif
