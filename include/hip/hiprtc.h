// Run-time compilation of device code from source text.
#ifndef HIP_INCLUDE_HIP_HIPRTC_H
#define HIP_INCLUDE_HIP_HIPRTC_H

#include <stddef.h>
#include <stdlib.h>

#include <hip/hip_common.h>
#include <hip/linker_types.h>

/// Result of a call.
typedef enum hiprtcResult {
    HIPRTC_SUCCESS = 0,
    HIPRTC_ERROR_OUT_OF_MEMORY = 1,
    HIPRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
    HIPRTC_ERROR_INVALID_INPUT = 3,
    HIPRTC_ERROR_INVALID_PROGRAM = 4,
    HIPRTC_ERROR_INVALID_OPTION = 5,
    HIPRTC_ERROR_COMPILATION = 6, ///< see the log
    HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
    HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
    HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
    HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
    HIPRTC_ERROR_INTERNAL_ERROR = 11,
    HIPRTC_ERROR_LINKING = 100
} hiprtcResult;

// From HIP 7 on the link options and input types are those of hipLink*. HIP 6 had enums of its
// own with the same values, except that its NUM_OPTIONS was 25 and its NUM_INPUT_TYPES 9.
#define hiprtcJIT_option                                  hipJitOption
#define HIPRTC_JIT_MAX_REGISTERS                          hipJitOptionMaxRegisters
#define HIPRTC_JIT_THREADS_PER_BLOCK                      hipJitOptionThreadsPerBlock
#define HIPRTC_JIT_WALL_TIME                              hipJitOptionWallTime
#define HIPRTC_JIT_INFO_LOG_BUFFER                        hipJitOptionInfoLogBuffer
#define HIPRTC_JIT_INFO_LOG_BUFFER_SIZE_BYTES             hipJitOptionInfoLogBufferSizeBytes
#define HIPRTC_JIT_ERROR_LOG_BUFFER                       hipJitOptionErrorLogBuffer
#define HIPRTC_JIT_ERROR_LOG_BUFFER_SIZE_BYTES            hipJitOptionErrorLogBufferSizeBytes
#define HIPRTC_JIT_OPTIMIZATION_LEVEL                     hipJitOptionOptimizationLevel
#define HIPRTC_JIT_TARGET_FROM_HIPCONTEXT                 hipJitOptionTargetFromContext
#define HIPRTC_JIT_TARGET                                 hipJitOptionTarget
#define HIPRTC_JIT_FALLBACK_STRATEGY                      hipJitOptionFallbackStrategy
#define HIPRTC_JIT_GENERATE_DEBUG_INFO                    hipJitOptionGenerateDebugInfo
#define HIPRTC_JIT_LOG_VERBOSE                            hipJitOptionLogVerbose
#define HIPRTC_JIT_GENERATE_LINE_INFO                     hipJitOptionGenerateLineInfo
#define HIPRTC_JIT_CACHE_MODE                             hipJitOptionCacheMode
#define HIPRTC_JIT_NEW_SM3X_OPT                           hipJitOptionSm3xOpt
#define HIPRTC_JIT_FAST_COMPILE                           hipJitOptionFastCompile
#define HIPRTC_JIT_GLOBAL_SYMBOL_NAMES                    hipJitOptionGlobalSymbolNames
#define HIPRTC_JIT_GLOBAL_SYMBOL_ADDRESS                  hipJitOptionGlobalSymbolAddresses
#define HIPRTC_JIT_GLOBAL_SYMBOL_COUNT                    hipJitOptionGlobalSymbolCount
#define HIPRTC_JIT_LTO                                    hipJitOptionLto
#define HIPRTC_JIT_FTZ                                    hipJitOptionFtz
#define HIPRTC_JIT_PREC_DIV                               hipJitOptionPrecDiv
#define HIPRTC_JIT_PREC_SQRT                              hipJitOptionPrecSqrt
#define HIPRTC_JIT_FMA                                    hipJitOptionFma
#define HIPRTC_JIT_POSITION_INDEPENDENT_CODE              hipJitOptionPositionIndependentCode
#define HIPRTC_JIT_MIN_CTA_PER_SM                         hipJitOptionMinCTAPerSM
#define HIPRTC_JIT_MAX_THREADS_PER_BLOCK                  hipJitOptionMaxThreadsPerBlock
#define HIPRTC_JIT_OVERRIDE_DIRECT_VALUES                 hipJitOptionOverrideDirectiveValues
#define HIPRTC_JIT_NUM_OPTIONS                            hipJitOptionNumOptions
#define HIPRTC_JIT_IR_TO_ISA_OPT_EXT                      hipJitOptionIRtoISAOptExt
#define HIPRTC_JIT_IR_TO_ISA_OPT_COUNT_EXT                hipJitOptionIRtoISAOptCountExt

#define hiprtcJITInputType                                hipJitInputType
#define HIPRTC_JIT_INPUT_CUBIN                            hipJitInputCubin
#define HIPRTC_JIT_INPUT_PTX                              hipJitInputPtx
#define HIPRTC_JIT_INPUT_FATBINARY                        hipJitInputFatBinary
#define HIPRTC_JIT_INPUT_OBJECT                           hipJitInputObject
#define HIPRTC_JIT_INPUT_LIBRARY                          hipJitInputLibrary
#define HIPRTC_JIT_INPUT_NVVM                             hipJitInputNvvm
#define HIPRTC_JIT_NUM_LEGACY_INPUT_TYPES                 hipJitNumLegacyInputTypes
#define HIPRTC_JIT_INPUT_LLVM_BITCODE                     hipJitInputLLVMBitcode
#define HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE             hipJitInputLLVMBundledBitcode
#define HIPRTC_JIT_INPUT_LLVM_ARCHIVES_OF_BUNDLED_BITCODE hipJitInputLLVMArchivesOfBundledBitcode
#define HIPRTC_JIT_INPUT_SPIRV                            hipJitInputSpirv
#define HIPRTC_JIT_NUM_INPUT_TYPES                        hipJitNumInputTypes

/// A program: source text, then what was made of it.
typedef struct _hiprtcProgram *hiprtcProgram;
/// A link in progress.
typedef struct ihiprtcLinkState *hiprtcLinkState;

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/// A description of a result.
/// @param [in] result  any value
/// Returns: a string valid for the process's lifetime; never NULL.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Runtime Compilation"; nvrtcGetErrorString.
const char *hiprtcGetErrorString(hiprtcResult result);

/// The version of the compiler's interface: HIP's.
/// @param [out] major  as HIP_VERSION_MAJOR
/// @param [out] minor  as HIP_VERSION_MINOR
/// Returns: HIPRTC_ERROR_INVALID_INPUT: a pointer is NULL.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Runtime Compilation"; nvrtcVersion.
hiprtcResult hiprtcVersion(int *major, int *minor);

/// Makes a program of source text. Up to HIP 6 the arrays were const char **.
/// @param [out] prog  the program, ended by hiprtcDestroyProgram()
/// @param [in] src  the source; copied, as all strings are
/// @param [in] name  its name in messages; may be NULL
/// @param [in] numHeaders  headers; length of both arrays
/// @param [in] headers  their texts; may be NULL if there are none
/// @param [in] includeNames  the names by which the source includes them; may be NULL if there are
///     none
/// Returns: HIPRTC_ERROR_INVALID_INPUT: prog or src is NULL, or numHeaders does not fit;
/// HIPRTC_ERROR_OUT_OF_MEMORY; HIPRTC_ERROR_PROGRAM_CREATION_FAILURE.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Runtime Compilation"; nvrtcCreateProgram.
hiprtcResult hiprtcCreateProgram(hiprtcProgram *prog, const char *src, const char *name,
                                 int numHeaders, const char *const *headers,
                                 const char *const *includeNames);

/// Ends a program.
/// @param [in,out] prog  the program; then NULL
/// Returns: HIPRTC_ERROR_INVALID_PROGRAM: not a program.
/// Thread safety: no other call may use the program at the same time or later.
/// Stream order: none.
/// Source: HIP "Runtime Compilation"; nvrtcDestroyProgram.
hiprtcResult hiprtcDestroyProgram(hiprtcProgram *prog);

/// Asks for the name in the object file of a kernel or variable, and keeps it. Before compilation.
/// @param [in] prog  a program
/// @param [in] name_expression  as C++ names it: "add<float>", "&counter"
/// Returns: HIPRTC_ERROR_INVALID_PROGRAM: not a program; HIPRTC_ERROR_INVALID_INPUT: the name is
/// NULL; HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION: too late.
/// Thread safety: not with the same program at the same time.
/// Stream order: none.
/// Source: HIP "Runtime Compilation"; nvrtcAddNameExpression.
hiprtcResult hiprtcAddNameExpression(hiprtcProgram prog, const char *name_expression);

/// Compiles a program, for the current device unless an option says otherwise. The log has the
/// messages.
/// @param [in] prog  a program
/// @param [in] numOptions  options
/// @param [in] options  as clang's: "-O3", "--gpu-architecture=gfx90a", "-DN=4"; may be NULL if
///     there are none
/// Returns: HIPRTC_ERROR_INVALID_PROGRAM: not a program; HIPRTC_ERROR_INVALID_OPTION: one is
/// unknown; HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID; HIPRTC_ERROR_COMPILATION: see the log;
/// HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE: the built-in headers are not found;
/// HIPRTC_ERROR_INTERNAL_ERROR: the compiler cannot be started.
/// Thread safety: not with the same program at the same time.
/// Stream order: none.
/// Source: HIP "Runtime Compilation"; nvrtcCompileProgram.
hiprtcResult hiprtcCompileProgram(hiprtcProgram prog, int numOptions, const char *const *options);

/// The name in the object file, after compilation.
/// @param [in] prog  a compiled program
/// @param [in] name_expression  as given to hiprtcAddNameExpression()
/// @param [out] lowered_name  the name, valid as long as the program
/// Returns: HIPRTC_ERROR_INVALID_PROGRAM: not a program; HIPRTC_ERROR_INVALID_INPUT: a pointer is
/// NULL; HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION: too early;
/// HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID: it was not given.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Runtime Compilation"; nvrtcGetLoweredName.
hiprtcResult hiprtcGetLoweredName(hiprtcProgram prog, const char *name_expression,
                                  const char **lowered_name);

/// What a compilation gave.
/// @param [in] prog  a compiled program
/// @param [out] logSizeRet, codeSizeRet, bitcode_size  bytes
/// @param [out] log, code, bitcode  room for that many bytes
/// Returns: HIPRTC_ERROR_INVALID_PROGRAM: not a program, or not compiled;
/// HIPRTC_ERROR_INVALID_INPUT: the result is NULL.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Runtime Compilation"; nvrtcGetProgramLogSize and its relatives.

/// Bytes of the log, its terminating 0 included.
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram prog, size_t *logSizeRet);
/// The log.
hiprtcResult hiprtcGetProgramLog(hiprtcProgram prog, char *log);
/// Bytes of the code.
hiprtcResult hiprtcGetCodeSize(hiprtcProgram prog, size_t *codeSizeRet);
/// The code, for hipModuleLoadData().
hiprtcResult hiprtcGetCode(hiprtcProgram prog, char *code);
/// Bytes of the bitcode.
hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram prog, size_t *bitcode_size);
/// LLVM bitcode, for hiprtcLinkAddData(); only of a program compiled with -fgpu-rdc.
hiprtcResult hiprtcGetBitcode(hiprtcProgram prog, char *bitcode);

/// Links device code, as the hipLink functions of hip/api/library.h.
/// @param [out] hip_link_state_ptr  the link
/// @param [in] hip_link_state  the link
/// @param [in] input_type  what the input is
/// @param [in] file_path  of the file
/// @param [in] image  the input
/// @param [in] image_size  its bytes
/// @param [in] name  for messages; may be NULL
/// @param [in] num_options  options; length of both arrays
/// @param [in] option_ptr, options_ptr  which; may be NULL if there are none
/// @param [in] option_vals_pptr, option_values  their values; may be NULL if there are none
/// @param [out] bin_out  the image
/// @param [out] size_out  its bytes
/// Returns: HIPRTC_ERROR_INVALID_INPUT: a pointer is NULL, not a link, or the type is not linked
/// here; HIPRTC_ERROR_INVALID_OPTION: one is unknown; HIPRTC_ERROR_PROGRAM_CREATION_FAILURE: the
/// input cannot be read; HIPRTC_ERROR_OUT_OF_MEMORY; HIPRTC_ERROR_LINKING: see the log options.
/// Thread safety: not with the same link at the same time.
/// Stream order: none.
/// Source: HIP "Runtime Compilation"; no nvrtc counterpart; cuLinkCreate and its relatives.

/// Begins.
hiprtcResult hiprtcLinkCreate(unsigned int num_options, hiprtcJIT_option *option_ptr,
                              void **option_vals_pptr, hiprtcLinkState *hip_link_state_ptr);
/// Adds input from a file.
hiprtcResult hiprtcLinkAddFile(hiprtcLinkState hip_link_state, hiprtcJITInputType input_type,
                               const char *file_path, unsigned int num_options,
                               hiprtcJIT_option *options_ptr, void **option_values);
/// Adds input from memory; copied.
hiprtcResult hiprtcLinkAddData(hiprtcLinkState hip_link_state, hiprtcJITInputType input_type,
                               void *image, size_t image_size, const char *name,
                               unsigned int num_options, hiprtcJIT_option *options_ptr,
                               void **option_values);
/// Links; the image is valid until hiprtcLinkDestroy().
hiprtcResult hiprtcLinkComplete(hiprtcLinkState hip_link_state, void **bin_out, size_t *size_out);
/// Ends.
hiprtcResult hiprtcLinkDestroy(hiprtcLinkState hip_link_state);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
