/* Owns the passes over a region's function, and the way to machine code. */
#include "jit_build.h"
#include "jit_store.h"

#include <string.h>

/* The functions of the bitcode have been optimised and made vectors of. What is left is to inline
 * them, to make values of slots, and what constant operands and neighbours then allow. Addresses
 * that depend on constant operands in a roundabout way are constant after the first instcombine:
 * without another sroa, one of them keeps the whole frame in memory. There is no gvn and no dse:
 * they took more than a third of the passes' time, and code was as large and as fast without. */
static const char passes[] =
    "always-inline,globaldce,"
    "function(sroa<modify-cfg>,early-cse,sroa<modify-cfg>,instcombine<no-verify-fixpoint>,"
    "sroa<modify-cfg>,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(loop-rotate,licm),"
    "early-cse<memssa>,simplifycfg),globaldce";

uint64_t jit_code_salt(void)
{
    enum { FORMAT = 1 }; /* of what jit_build.c makes of a region: to be changed with it */
    return jit_hash(passes, sizeof passes) + FORMAT;
}

static bool run_passes(struct jit_build *build, LLVMTargetMachineRef machine)
{
    const struct jit_llvm *llvm = build->llvm;
    LLVMPassBuilderOptionsRef options = llvm->LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = llvm->LLVMRunPasses(build->module, passes, machine, options);
    llvm->LLVMDisposePassBuilderOptions(options);
    if (!error)
        return true;
    char *text = llvm->LLVMGetErrorMessage(error);
    jit_build_failed(build, "%s", text);
    llvm->LLVMDisposeErrorMessage(text);
    return false;
}

/* Whether the copy of the frame is still memory. */
static bool frame_is_left(const struct jit_build *build)
{
    const struct jit_llvm *llvm = build->llvm;
    LLVMBasicBlockRef entry = llvm->LLVMGetFirstBasicBlock(build->function);
    for (LLVMValueRef inst = llvm->LLVMGetFirstInstruction(entry); inst;
         inst = llvm->LLVMGetNextInstruction(inst)) {
        size_t size;
        if (llvm->LLVMGetInstructionOpcode(inst) == LLVMAlloca &&
            strncmp(llvm->LLVMGetValueName2(inst, &size), JIT_FRAME, strlen(JIT_FRAME)) == 0)
            return true;
    }
    return false;
}

static LLVMTargetMachineRef make_machine(struct jit_build *build)
{
    const struct jit_llvm *llvm = build->llvm;
    const char *triple = llvm->LLVMGetTarget(build->module);
    LLVMTargetRef target;
    char *message = NULL;
    if (llvm->LLVMGetTargetFromTriple(triple, &target, &message)) {
        jit_build_failed(build, "%s: %s", triple, message ? message : "no such target");
        llvm->LLVMDisposeMessage(message);
        return NULL;
    }
    /* Functions name their processor and its features themselves. */
    LLVMTargetMachineRef machine = llvm->LLVMCreateTargetMachine(
        target, triple, "", "", LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelSmall);
    if (!machine)
        jit_build_failed(build, "%s: no machine", triple);
    return machine;
}

static bool emit(struct jit_build *build, LLVMTargetMachineRef machine,
                 struct jit_object *out_object)
{
    const struct jit_llvm *llvm = build->llvm;
    LLVMMemoryBufferRef file = NULL;
    char *message = NULL;
    if (llvm->LLVMTargetMachineEmitToMemoryBuffer(machine, build->module, LLVMObjectFile, &message,
                                                  &file)) {
        jit_build_failed(build, "%s", message ? message : "no code");
        llvm->LLVMDisposeMessage(message);
        return false;
    }
    bool loaded = !build->reason[0] &&
                  jit_object_load(out_object, llvm->LLVMGetBufferStart(file),
                                  llvm->LLVMGetBufferSize(file), build->region->machine,
                                  &build->addresses, build->reason, sizeof build->reason);
    if (loaded && build->keep)
        jit_store_write(&build->key, llvm->LLVMGetBufferStart(file), llvm->LLVMGetBufferSize(file));
    llvm->LLVMDisposeMemoryBuffer(file);
    return loaded;
}

bool jit_build_code(struct jit_build *build, struct jit_object *out_object)
{
    LLVMTargetMachineRef machine = make_machine(build);
    if (!machine)
        return false;
    bool made = run_passes(build, machine);
    if (made)
        build->in_memory = frame_is_left(build);
    made = made && emit(build, machine, out_object);
    build->llvm->LLVMDisposeTargetMachine(machine);
    return made;
}
