// Run-time compilation of device code from source text, and linking of the results.
//
// A program is created, compiled and destroyed; hipModuleLoadData() loads its code.
// The compiler is AnyHIP's hipcc with clang behind it, started as a process of its own; its files
// are in a folder that is private to the call and removed by it. docs/hiprtc.md has more.
//
// No call sets the error that hipGetLastError() returns. Wherever a program or a link is expected,
// any value may be passed: an invalid one is an error. Every error is a line in the log at level 1.
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
    HIPRTC_ERROR_COMPILATION = 6,               ///< see the program's log
    HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7, ///< there is no compiler; see the log
    HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
    HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
    HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
    HIPRTC_ERROR_INTERNAL_ERROR = 11, ///< files cannot be written
    HIPRTC_ERROR_LINKING = 100        ///< see the link's error log
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

/// A program: source text, then the results of its compilation.
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
/// @param [in] name  its name in messages and in __FILE__; may be NULL or ""
/// @param [in] numHeaders  headers; length of both arrays
/// @param [in] headers  their texts; may be NULL if there are none
/// @param [in] includeNames  the names by which the source includes them, as "a/b.h" or "../c.h";
///     may be NULL if there are none. Where <...> asks for a name, headers of the system come
///     before them
/// Returns: HIPRTC_ERROR_INVALID_PROGRAM: prog is NULL; HIPRTC_ERROR_INVALID_INPUT: src is NULL or
/// "", numHeaders does not fit, a text or name is NULL, or a name is absolute, empty or leads up
/// more than three folders; HIPRTC_ERROR_PROGRAM_CREATION_FAILURE, HIPRTC_ERROR_OUT_OF_MEMORY: no
/// memory.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Runtime Compilation"; nvrtcCreateProgram.
hiprtcResult hiprtcCreateProgram(hiprtcProgram *prog, const char *src, const char *name,
                                 int numHeaders, const char *const *headers,
                                 const char *const *includeNames);

/// Ends a program.
/// @param [in,out] prog  the program; then NULL
/// Returns: HIPRTC_ERROR_INVALID_INPUT: prog is NULL; HIPRTC_ERROR_INVALID_PROGRAM: not a program.
/// Thread safety: no other call may use the program at the same time or later.
/// Stream order: none.
/// Source: HIP "Runtime Compilation"; nvrtcDestroyProgram.
hiprtcResult hiprtcDestroyProgram(hiprtcProgram *prog);

/// Requests the name in the object file of a kernel or variable, and makes the compiler keep it:
/// this instantiates templates. Before compilation.
/// @param [in] prog  a program
/// @param [in] name_expression  its address in C++: "add<float>", "&space::counter",
///     "(void (*)(int))overloaded"
/// Returns: HIPRTC_ERROR_INVALID_PROGRAM: not a program; HIPRTC_ERROR_INVALID_INPUT: the name is
/// NULL or ""; HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION: too late;
/// HIPRTC_ERROR_OUT_OF_MEMORY. The compilation finds whether it names anything.
/// Thread safety: not with the same program at the same time.
/// Stream order: none.
/// Source: HIP "Runtime Compilation"; nvrtcAddNameExpression.
hiprtcResult hiprtcAddNameExpression(hiprtcProgram prog, const char *name_expression);

/// Compiles a program, for the current device unless an option names an architecture. The log has
/// the messages. May be called again, with other options; earlier results are then gone.
/// @param [in] prog  a program
/// @param [in] numOptions  options
/// @param [in] options  as hipcc takes them: "--offload-arch=gfx90a", "-O1", "-DN=4", "-I", "dir",
///     "-std=c++20", "-fgpu-rdc", ...; --gpu-architecture= and other spellings of NVIDIA's run-time
///     compiler; options that neither knows are errors of the compiler. Those of the environment
///     variable HIPRTC_COMPILE_OPTIONS_APPEND follow. With -fgpu-rdc the result is bitcode, not
///     code; with several architectures, a bundle of either. May be NULL if there are none
/// Returns: HIPRTC_ERROR_INVALID_INPUT: numOptions does not fit, or an option is NULL;
/// HIPRTC_ERROR_INVALID_PROGRAM: not a program; HIPRTC_ERROR_INVALID_OPTION: an option would make
/// something else (-c, -E, -S, -o, -x, ...) or lacks its value; HIPRTC_ERROR_COMPILATION: the
/// compiler refused the program or an option, or there is no device to compile for;
/// HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID: a name expression is not the address of a kernel or
/// variable; HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE: hipcc, clang or what they need is not
/// installed, or the program is set-user-id, set-group-id or has file capabilities;
/// HIPRTC_ERROR_INTERNAL_ERROR: files cannot be written; HIPRTC_ERROR_OUT_OF_MEMORY.
/// Thread safety: not with the same program at the same time; different programs are compiled side
/// by side.
/// Stream order: none.
/// Source: HIP "Runtime Compilation"; nvrtcCompileProgram.
hiprtcResult hiprtcCompileProgram(hiprtcProgram prog, int numOptions, const char *const *options);

/// The name in the object file, after compilation.
/// @param [in] prog  a compiled program
/// @param [in] name_expression  as given to hiprtcAddNameExpression(); spaces and a leading &
///     are ignored
/// @param [out] lowered_name  the name, valid as long as the program is not compiled again or ended
/// Returns: HIPRTC_ERROR_INVALID_PROGRAM: not a program; HIPRTC_ERROR_INVALID_INPUT: a pointer is
/// NULL; HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION: it is not compiled, or has failed to be;
/// HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID: it was not given.
/// Thread safety: safe.
/// Stream order: none.
/// Source: HIP "Runtime Compilation"; nvrtcGetLoweredName.
hiprtcResult hiprtcGetLoweredName(hiprtcProgram prog, const char *name_expression,
                                  const char **lowered_name);

/// The results of a compilation.
/// @param [in] prog  a compiled program
/// @param [out] logSizeRet, codeSizeRet, bitcode_size  bytes
/// @param [out] log, code, bitcode  room for that many bytes
/// Returns: HIPRTC_ERROR_INVALID_INPUT: the result is NULL; HIPRTC_ERROR_INVALID_PROGRAM: not a
/// program; of code and bitcode also: the program has none of the kind, because it is not compiled,
/// has failed to be, or was compiled with -fgpu-rdc (bitcode) or without (code).
/// Thread safety: safe, but not while the program is compiled.
/// Stream order: none.
/// Source: HIP "Runtime Compilation"; nvrtcGetProgramLogSize and its relatives.

/// Bytes of the log, its terminating 0 included; 0 if there were no messages.
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram prog, size_t *logSizeRet);
/// The log.
hiprtcResult hiprtcGetProgramLog(hiprtcProgram prog, char *log);
/// Bytes of the code; of PTX, which is text, its terminating 0 included.
hiprtcResult hiprtcGetCodeSize(hiprtcProgram prog, size_t *codeSizeRet);
/// The code, for hipModuleLoadData().
hiprtcResult hiprtcGetCode(hiprtcProgram prog, char *code);
/// Bytes of the bitcode.
hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram prog, size_t *bitcode_size);
/// LLVM bitcode, for hiprtcLinkAddData().
hiprtcResult hiprtcGetBitcode(hiprtcProgram prog, char *bitcode);

/// Links LLVM bitcode into code for the current device.
/// @param [out] hip_link_state_ptr  the link
/// @param [in] hip_link_state  the link
/// @param [in] input_type  what the input is: HIPRTC_JIT_INPUT_LLVM_BITCODE,
///     HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE (clang's bundle, of which the current device's part is
///     taken) or HIPRTC_JIT_INPUT_LLVM_ARCHIVES_OF_BUNDLED_BITCODE (an ar archive, all members)
/// @param [in] file_path  of the file
/// @param [in] image  the input
/// @param [in] image_size  its bytes
/// @param [in] name  for messages; may be NULL
/// @param [in] num_options  options; length of both arrays
/// @param [in] option_ptr, options_ptr  which; may be NULL if there are none. All are the link's,
///     also those given with an input: INFO_LOG_BUFFER and ERROR_LOG_BUFFER with their sizes,
///     OPTIMIZATION_LEVEL, GENERATE_DEBUG_INFO, IR_TO_ISA_OPT_EXT with its count; the others are
///     advice to NVIDIA's linker and change nothing
/// @param [in] option_vals_pptr, option_values  their values; may be NULL if there are none
/// @param [out] bin_out  the image
/// @param [out] size_out  its bytes
/// Returns: HIPRTC_ERROR_INVALID_INPUT: a pointer is NULL, not a link, or inputs of the type are
/// not linked; HIPRTC_ERROR_INVALID_OPTION: one is unknown, or its buffer is NULL;
/// HIPRTC_ERROR_PROGRAM_CREATION_FAILURE: the input cannot be read, or a bundle has nothing for the
/// current device; HIPRTC_ERROR_LINKING: the linker refused, there is nothing to link, or no device
/// to link for; HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE, HIPRTC_ERROR_INTERNAL_ERROR,
/// HIPRTC_ERROR_OUT_OF_MEMORY: as of hiprtcCompileProgram().
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
/// Links; the image is valid until the link is completed again or ended.
hiprtcResult hiprtcLinkComplete(hiprtcLinkState hip_link_state, void **bin_out, size_t *size_out);
/// Ends.
hiprtcResult hiprtcLinkDestroy(hiprtcLinkState hip_link_state);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
