/* Private to jit: a region as a function of LLVM, and as code. */
#ifndef JIT_BUILD_H
#define JIT_BUILD_H

#include "jit.h"
#include "jit_key.h"
#include "jit_llvm.h"
#include "jit_object.h"

enum { JIT_REASON = 256 };

/* What is compiled, with everything that LLVM has of it. */
struct jit_build {
    const struct jit_llvm *llvm;
    const struct wave_region *region;
    bool all_live;           /* write back all slots */
    bool keep;               /* the code, for the next process */
    char reason[JIT_REASON]; /* why it failed */
    struct wave_flow flow;
    struct jit_addresses addresses;
    struct jit_key key;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMValueRef function;
    bool in_memory; /* LLVM could not keep the slots in registers */
};

/* Finds flow, addresses and the key, without LLVM. What it takes is freed by jit_build_fini. */
bool jit_build_begin(struct jit_build *build);

/* A number for what the passes are. */
uint64_t jit_code_salt(void);

/* Makes the function of the region, in a module with the functions of the bitcode that it calls. */
bool jit_build_function(struct jit_build *build);

/* Compiles the module and makes its code executable. */
bool jit_build_code(struct jit_build *build, struct jit_object *out_object);

void jit_build_fini(struct jit_build *build);

/* Sets the reason, unless there is one. Returns false. */
bool jit_build_failed(struct jit_build *build, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define JIT_FRAME "frame" /* the name of the copy of the frame */

#endif
