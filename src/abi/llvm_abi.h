/* Facts about the binary interface of libLLVM: the types and constants of its C API that
 * src/sim/jit uses, names as LLVM has them. No code. The same from version 17 to 22. */
#ifndef AH_LLVM_ABI_H
#define AH_LLVM_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef int LLVMBool;
typedef struct LLVMOpaqueContext *LLVMContextRef;
typedef struct LLVMOpaqueModule *LLVMModuleRef;
typedef struct LLVMOpaqueType *LLVMTypeRef;
typedef struct LLVMOpaqueValue *LLVMValueRef;
typedef struct LLVMOpaqueBasicBlock *LLVMBasicBlockRef;
typedef struct LLVMOpaqueMetadata *LLVMMetadataRef;
typedef struct LLVMOpaqueBuilder *LLVMBuilderRef;
typedef struct LLVMOpaqueMemoryBuffer *LLVMMemoryBufferRef;
typedef struct LLVMOpaqueAttributeRef *LLVMAttributeRef;
typedef struct LLVMOpaqueDiagnosticInfo *LLVMDiagnosticInfoRef;
typedef struct LLVMOpaqueError *LLVMErrorRef;
typedef struct LLVMOpaquePassBuilderOptions *LLVMPassBuilderOptionsRef;
typedef struct LLVMTarget *LLVMTargetRef;
typedef struct LLVMOpaqueTargetMachine *LLVMTargetMachineRef;
typedef unsigned LLVMAttributeIndex;

typedef void (*LLVMDiagnosticHandler)(LLVMDiagnosticInfoRef info, void *data);
typedef void (*LLVMFatalErrorHandler)(const char *reason);

enum { LLVMExternalLinkage = 0, LLVMLinkOnceODRLinkage = 3, LLVMInternalLinkage = 8 };
enum { LLVMIntEQ = 32, LLVMIntNE = 33 };
enum { LLVMDSError = 0 };
enum { LLVMAlloca = 26 };
enum { LLVMCodeGenLevelNone, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault };
enum { LLVMRelocPIC = 2 };
enum { LLVMCodeModelDefault = 0, LLVMCodeModelSmall = 3 };
enum { LLVMObjectFile = 1 };
/* -1 in LLVM's own header. */
#define LLVMAttributeFunctionIndex ((LLVMAttributeIndex)-1)

#endif
