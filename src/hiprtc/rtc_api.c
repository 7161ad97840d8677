/* hiprtc's public functions: what they check, and what they answer. */
#include "api.h"

#include "rtc_link.h"
#include "rtc_program.h"

#include <stdint.h>
#include <string.h>

/* The result, logged as every API function's is. The thread's last HIP error is not touched. */
#define RTC_LEAVE(result) leave(__func__, result)

/* The child of a fork cannot compile: locks and handles are as its parent's threads left them. */
#define RTC_ENTER(...) AH_ENTER_ELSE(RTC_LEAVE(HIPRTC_ERROR_INTERNAL_ERROR), __VA_ARGS__)

static hiprtcResult leave(const char *function, hiprtcResult result)
{
    AH_LOG(AH_LOG_INFO, AH_LOG_API, "%s: Returned %s : ", function, ah_rtc_result_text(result));
    AH_LEAVE_SILENTLY_AS(function);
    return result;
}

static bool is_program(hiprtcProgram handle, struct ah_rtc_program **out_program)
{
    *out_program = (struct ah_rtc_program *)(void *)handle;
    return ah_handle_is(handle, AH_HANDLE_RTC_PROGRAM);
}

static bool is_link(hiprtcLinkState handle, struct ah_rtc_link **out_link)
{
    *out_link = (struct ah_rtc_link *)(void *)handle;
    return ah_handle_is(handle, AH_HANDLE_RTC_LINK);
}

/* ---- what needs no program ---------------------------------------------------------- */

const char *hiprtcGetErrorString(hiprtcResult result)
{
    return ah_rtc_result_text(result);
}

hiprtcResult hiprtcVersion(int *major, int *minor)
{
    RTC_ENTER(major, minor);
    if (!major || !minor)
        return RTC_LEAVE(HIPRTC_ERROR_INVALID_INPUT);
    *major = HIP_VERSION_MAJOR;
    *minor = HIP_VERSION_MINOR;
    return RTC_LEAVE(HIPRTC_SUCCESS);
}

/* ---- programs ------------------------------------------------------------------------ */

static bool headers_valid(int count, const char *const *texts, const char *const *names)
{
    if (count < 0 || (count > 0 && (!texts || !names)))
        return false;
    for (int i = 0; i < count; i++) {
        if (!texts[i] || !names[i])
            return false;
        if (!ah_rtc_work_name_valid(names[i])) {
            AH_LOG_ERR("a header cannot be called \"%s\": give it the name by which the source "
                       "includes it, relative and not too far up",
                       names[i]);
            return false;
        }
    }
    return true;
}

static hiprtcResult create(hiprtcProgram *out_program, const char *source, const char *name,
                           int count, const char *const *texts, const char *const *names)
{
    if (!out_program)
        return HIPRTC_ERROR_INVALID_PROGRAM;
    if (!source || !*source || !headers_valid(count, texts, names))
        return HIPRTC_ERROR_INVALID_INPUT;
    struct ah_rtc_program *program = ah_rtc_program_create(source, name);
    if (!program)
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < count; i++) {
        if (!ah_rtc_program_add_header(program, names[i], texts[i])) {
            ah_rtc_program_destroy(program);
            return HIPRTC_ERROR_OUT_OF_MEMORY;
        }
    }
    *out_program = (hiprtcProgram)(void *)program;
    return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcCreateProgram(hiprtcProgram *prog, const char *src, const char *name,
                                 int numHeaders, const char *const *headers,
                                 const char *const *includeNames)
{
    RTC_ENTER(prog, (const void *)src, name, numHeaders, headers, includeNames);
    return RTC_LEAVE(create(prog, src, name, numHeaders, headers, includeNames));
}

hiprtcResult hiprtcDestroyProgram(hiprtcProgram *prog)
{
    RTC_ENTER(prog);
    if (!prog)
        return RTC_LEAVE(HIPRTC_ERROR_INVALID_INPUT);
    if (!ah_handle_retire(*prog, AH_HANDLE_RTC_PROGRAM))
        return RTC_LEAVE(HIPRTC_ERROR_INVALID_PROGRAM);
    ah_rtc_program_destroy((struct ah_rtc_program *)(void *)*prog);
    *prog = NULL;
    return RTC_LEAVE(HIPRTC_SUCCESS);
}

static hiprtcResult add_name(hiprtcProgram handle, const char *expression)
{
    struct ah_rtc_program *program;
    if (!expression || !*expression)
        return HIPRTC_ERROR_INVALID_INPUT;
    if (!is_program(handle, &program))
        return HIPRTC_ERROR_INVALID_PROGRAM;
    if (program->compiled)
        return HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    return ah_rtc_program_add_name(program, expression) ? HIPRTC_SUCCESS
                                                        : HIPRTC_ERROR_OUT_OF_MEMORY;
}

hiprtcResult hiprtcAddNameExpression(hiprtcProgram prog, const char *name_expression)
{
    RTC_ENTER(prog, name_expression);
    return RTC_LEAVE(add_name(prog, name_expression));
}

static hiprtcResult compile(hiprtcProgram handle, int count, const char *const *options)
{
    struct ah_rtc_program *program;
    if (count < 0 || (count > 0 && !options))
        return HIPRTC_ERROR_INVALID_INPUT;
    for (int i = 0; i < count; i++)
        if (!options[i])
            return HIPRTC_ERROR_INVALID_INPUT;
    if (!is_program(handle, &program))
        return HIPRTC_ERROR_INVALID_PROGRAM;
    return ah_rtc_program_compile(program, count, options);
}

hiprtcResult hiprtcCompileProgram(hiprtcProgram prog, int numOptions, const char *const *options)
{
    RTC_ENTER(prog, numOptions, options);
    return RTC_LEAVE(compile(prog, numOptions, options));
}

static hiprtcResult lowered(hiprtcProgram handle, const char *expression, const char **out_name)
{
    struct ah_rtc_program *program;
    if (!expression || !out_name)
        return HIPRTC_ERROR_INVALID_INPUT;
    if (!is_program(handle, &program))
        return HIPRTC_ERROR_INVALID_PROGRAM;
    if (!program->compiled)
        return HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    const struct ah_rtc_name *name = ah_rtc_program_name(program, expression);
    if (!name)
        return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    *out_name = name->lowered;
    return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcGetLoweredName(hiprtcProgram prog, const char *name_expression,
                                  const char **lowered_name)
{
    RTC_ENTER(prog, name_expression, lowered_name);
    return RTC_LEAVE(lowered(prog, name_expression, lowered_name));
}

/* ---- what a compilation gave --------------------------------------------------------- */

/* Before a compilation, and after one that said nothing, the log is empty: no byte of it. */
static hiprtcResult copy_log(hiprtcProgram handle, size_t *out_size, char *out_log)
{
    struct ah_rtc_program *program;
    if (!out_size && !out_log)
        return HIPRTC_ERROR_INVALID_INPUT;
    if (!is_program(handle, &program))
        return HIPRTC_ERROR_INVALID_PROGRAM;
    size_t size = program->log ? strlen(program->log) + 1 : 0;
    if (out_size)
        *out_size = size;
    if (out_log && size)
        memcpy(out_log, program->log, size);
    return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram prog, size_t *logSizeRet)
{
    RTC_ENTER(prog, logSizeRet);
    return RTC_LEAVE(copy_log(prog, logSizeRet, NULL));
}

hiprtcResult hiprtcGetProgramLog(hiprtcProgram prog, char *log)
{
    RTC_ENTER(prog, (void *)log);
    return RTC_LEAVE(copy_log(prog, NULL, log));
}

/* A program gives either code or, of relocatable device code, bitcode. */
static hiprtcResult give_image(hiprtcProgram handle, bool relocatable, size_t *out_size,
                               char *out_image)
{
    struct ah_rtc_program *program;
    if (!out_size && !out_image)
        return HIPRTC_ERROR_INVALID_INPUT;
    if (!is_program(handle, &program) || !program->compiled || program->relocatable != relocatable)
        return HIPRTC_ERROR_INVALID_PROGRAM;
    if (out_size)
        *out_size = program->image.size;
    if (out_image)
        memcpy(out_image, program->image.data, program->image.size);
    return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcGetCodeSize(hiprtcProgram prog, size_t *codeSizeRet)
{
    RTC_ENTER(prog, codeSizeRet);
    return RTC_LEAVE(give_image(prog, false, codeSizeRet, NULL));
}

hiprtcResult hiprtcGetCode(hiprtcProgram prog, char *code)
{
    RTC_ENTER(prog, (void *)code);
    return RTC_LEAVE(give_image(prog, false, NULL, code));
}

hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram prog, size_t *bitcode_size)
{
    RTC_ENTER(prog, bitcode_size);
    return RTC_LEAVE(give_image(prog, true, bitcode_size, NULL));
}

hiprtcResult hiprtcGetBitcode(hiprtcProgram prog, char *bitcode)
{
    RTC_ENTER(prog, (void *)bitcode);
    return RTC_LEAVE(give_image(prog, true, NULL, bitcode));
}

/* ---- links ----------------------------------------------------------------------------- */

static bool options_given(unsigned count, const hiprtcJIT_option *options, void *const *values)
{
    return count == 0 || (options && values);
}

static hiprtcResult create_link(unsigned count, const hiprtcJIT_option *options,
                                void *const *values, hiprtcLinkState *out_link)
{
    if (!out_link || !options_given(count, options, values))
        return HIPRTC_ERROR_INVALID_INPUT;
    struct ah_rtc_link *link = ah_rtc_link_create(NULL);
    if (!link)
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    hiprtcResult result = ah_rtc_link_set(link, count, options, values);
    if (result == HIPRTC_SUCCESS)
        *out_link = (hiprtcLinkState)(void *)link;
    else
        ah_rtc_link_destroy(link);
    return result;
}

hiprtcResult hiprtcLinkCreate(unsigned int num_options, hiprtcJIT_option *option_ptr,
                              void **option_vals_pptr, hiprtcLinkState *hip_link_state_ptr)
{
    RTC_ENTER(num_options, option_ptr, option_vals_pptr, hip_link_state_ptr);
    return RTC_LEAVE(create_link(num_options, option_ptr, option_vals_pptr, hip_link_state_ptr));
}

/* Checks that are the same for files and data. */
static hiprtcResult check_input(hiprtcLinkState handle, hiprtcJITInputType type, unsigned count,
                                const hiprtcJIT_option *options, void *const *values,
                                struct ah_rtc_link **out_link)
{
    if (!is_link(handle, out_link) || !options_given(count, options, values))
        return HIPRTC_ERROR_INVALID_INPUT;
    if (!ah_rtc_link_takes(type)) {
        AH_LOG_ERR("inputs of type %d are not linked: HIP links LLVM bitcode, bundles of it and "
                   "archives of bundles",
                   (int)type);
        return HIPRTC_ERROR_INVALID_INPUT;
    }
    return ah_rtc_link_set(*out_link, count, options, values);
}

hiprtcResult hiprtcLinkAddFile(hiprtcLinkState hip_link_state, hiprtcJITInputType input_type,
                               const char *file_path, unsigned int num_options,
                               hiprtcJIT_option *options_ptr, void **option_values)
{
    struct ah_rtc_link *link;
    RTC_ENTER(hip_link_state, (int)input_type, file_path, num_options, options_ptr, option_values);
    if (!file_path)
        return RTC_LEAVE(HIPRTC_ERROR_INVALID_INPUT);
    hiprtcResult result =
        check_input(hip_link_state, input_type, num_options, options_ptr, option_values, &link);
    return RTC_LEAVE(result == HIPRTC_SUCCESS ? ah_rtc_link_add_file(link, input_type, file_path)
                                              : result);
}

hiprtcResult hiprtcLinkAddData(hiprtcLinkState hip_link_state, hiprtcJITInputType input_type,
                               void *image, size_t image_size, const char *name,
                               unsigned int num_options, hiprtcJIT_option *options_ptr,
                               void **option_values)
{
    struct ah_rtc_link *link;
    RTC_ENTER(hip_link_state, (int)input_type, image, image_size, name, num_options, options_ptr,
              option_values);
    if (!image || image_size == 0)
        return RTC_LEAVE(HIPRTC_ERROR_INVALID_INPUT);
    hiprtcResult result =
        check_input(hip_link_state, input_type, num_options, options_ptr, option_values, &link);
    return RTC_LEAVE(result == HIPRTC_SUCCESS
                         ? ah_rtc_link_add(link, input_type, image, image_size, name)
                         : result);
}

static hiprtcResult complete(hiprtcLinkState handle, void **out_image, size_t *out_size)
{
    struct ah_rtc_link *link;
    if (!out_image || !out_size || !is_link(handle, &link))
        return HIPRTC_ERROR_INVALID_INPUT;
    hiprtcResult result = ah_rtc_link_complete(link);
    if (result == HIPRTC_SUCCESS) {
        *out_image = link->image.data;
        *out_size = link->image.size;
    }
    return result;
}

hiprtcResult hiprtcLinkComplete(hiprtcLinkState hip_link_state, void **bin_out, size_t *size_out)
{
    RTC_ENTER(hip_link_state, bin_out, size_out);
    return RTC_LEAVE(complete(hip_link_state, bin_out, size_out));
}

hiprtcResult hiprtcLinkDestroy(hiprtcLinkState hip_link_state)
{
    RTC_ENTER(hip_link_state);
    if (!ah_handle_retire(hip_link_state, AH_HANDLE_RTC_LINK))
        return RTC_LEAVE(HIPRTC_ERROR_INVALID_INPUT);
    ah_rtc_link_destroy((struct ah_rtc_link *)(void *)hip_link_state);
    return RTC_LEAVE(HIPRTC_SUCCESS);
}
