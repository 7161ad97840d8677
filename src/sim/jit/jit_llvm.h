/* Private to jit: the opened libLLVM. */
#ifndef JIT_LLVM_H
#define JIT_LLVM_H

#include "dynlib.h"
#include "llvm_abi.h"

#include <stdbool.h>

/* One pointer per row of jit_llvm.def. */
struct jit_llvm {
#define LLVM_SYMBOL(need, result, name, parameters) result(*name) parameters;
#include "jit_llvm.def"
#undef LLVM_SYMBOL
    struct ah_dynlib library;
    unsigned version; /* 22 */
};

/* Opens libLLVM: the file or folder that path names, unless that is NULL or "", else one of those
 * that read bitcode of the version. False: there is none, and the log says why. */
bool jit_llvm_open(struct jit_llvm *out_llvm, const char *path, unsigned version);

#endif
