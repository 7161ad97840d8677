// Types of just-in-time compilation and linking: hipModuleLoadDataEx, hipLink*, hipLibrary*,
// and hiprtcLink*.
#ifndef HIP_INCLUDE_HIP_LINKER_TYPES_H
#define HIP_INCLUDE_HIP_LINKER_TYPES_H

#include <hip/hip_common.h>

/// Options of the JIT compiler. Each is paired with a `void *` value: an integer or float is
/// stored in the pointer itself (its low bits), a buffer is pointed to.
typedef enum hipJitOption {
    hipJitOptionMaxRegisters = 0,        ///< [in] unsigned: registers per thread at most
    hipJitOptionThreadsPerBlock,         ///< [in,out] unsigned: threads per block to aim for
    hipJitOptionWallTime,                ///< [out] float: time spent, milliseconds
    hipJitOptionInfoLogBuffer,           ///< [in] char *: receives informational messages
    hipJitOptionInfoLogBufferSizeBytes,  ///< [in,out] unsigned: its size; then bytes written
    hipJitOptionErrorLogBuffer,          ///< [in] char *: receives error messages
    hipJitOptionErrorLogBufferSizeBytes, ///< [in,out] unsigned: its size; then bytes written
    hipJitOptionOptimizationLevel,       ///< [in] unsigned: 0 to 4
    hipJitOptionTargetFromContext,       ///< no value: compile for the current device
    hipJitOptionTarget,                  ///< [in] unsigned: architecture to compile for
    hipJitOptionFallbackStrategy,        ///< [in] hipJitFallback
    hipJitOptionGenerateDebugInfo,       ///< [in] int: 0 or 1
    hipJitOptionLogVerbose,              ///< [in] int: 0 or 1
    hipJitOptionGenerateLineInfo,        ///< [in] int: 0 or 1
    hipJitOptionCacheMode,               ///< [in] hipJitCacheMode
    hipJitOptionSm3xOpt,                 ///< obsolete, ignored
    hipJitOptionFastCompile,             ///< [in] int: obsolete
    hipJitOptionGlobalSymbolNames,       ///< [in] char **: symbols to relocate
    hipJitOptionGlobalSymbolAddresses,   ///< [in] void **: host addresses of those symbols
    hipJitOptionGlobalSymbolCount,       ///< [in] unsigned: how many
    hipJitOptionLto,                     ///< obsolete
    hipJitOptionFtz,                     ///< obsolete
    hipJitOptionPrecDiv,                 ///< obsolete
    hipJitOptionPrecSqrt,                ///< obsolete
    hipJitOptionFma,                     ///< obsolete
    hipJitOptionPositionIndependentCode, ///< [in] int: 0 or 1
    hipJitOptionMinCTAPerSM,             ///< [in] unsigned: blocks per multiprocessor
    hipJitOptionMaxThreadsPerBlock,      ///< [in] unsigned: launch bound of the kernels
    hipJitOptionOverrideDirectiveValues, ///< [in] int: options win over the source's bounds
    hipJitOptionNumOptions,              ///< how many CUDA-compatible options there are
    hipJitOptionIRtoISAOptExt = 10000,   ///< [in] const char **: extra options, bitcode to ISA
    hipJitOptionIRtoISAOptCountExt,      ///< [in] size: how many of those
} hipJitOption;

/// What a piece of linker input holds.
typedef enum hipJitInputType {
    hipJitInputCubin = 0,                          ///< NVIDIA machine code
    hipJitInputPtx,                                ///< PTX text
    hipJitInputFatBinary,                          ///< bundle of images
    hipJitInputObject,                             ///< host object with device code inside
    hipJitInputLibrary,                            ///< archive of such objects
    hipJitInputNvvm,                               ///< obsolete
    hipJitNumLegacyInputTypes,                     ///< how many CUDA-compatible types there are
    hipJitInputLLVMBitcode = 100,                  ///< LLVM bitcode or IR text
    hipJitInputLLVMBundledBitcode = 101,           ///< clang offload bundle of bitcode
    hipJitInputLLVMArchivesOfBundledBitcode = 102, ///< archive of such bundles
    hipJitInputSpirv = 103,                        ///< SPIR-V
    hipJitNumInputTypes = 10                       ///< how many types there are
} hipJitInputType;

/// Values of hipJitOptionCacheMode: which global loads the L1 cache keeps.
typedef enum hipJitCacheMode {
    hipJitCacheOptionNone = 0, ///< no preference
    hipJitCacheOptionCG,       ///< L2 only
    hipJitCacheOptionCA        ///< L1 and L2
} hipJitCacheMode;

/// Values of hipJitOptionFallbackStrategy: what to take when there is no exact image.
typedef enum hipJitFallback {
    hipJitPreferPTX = 0, ///< compile PTX
    hipJitPreferBinary,  ///< take a compatible binary
} hipJitFallback;

/// Options of hipLibraryLoadData() and hipLibraryLoadFromFile().
typedef enum hipLibraryOption_e {
    hipLibraryHostUniversalFunctionAndDataTable = 0,
    hipLibraryBinaryIsPreserved = 1 ///< the caller keeps the image alive: no copy is made
} hipLibraryOption;

#endif
