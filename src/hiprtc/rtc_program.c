/* Owns programs: their parts, and their compilation. */
#include "rtc_program.h"

#include "image.h"
#include "log.h"
#include "rtc_names.h"
#include "rtc_options.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ah_rtc_result_text(hiprtcResult result)
{
    switch ((int)result) {
#define RESULT(name)                                                                               \
    case name:                                                                                     \
        return #name;
        RESULT(HIPRTC_SUCCESS)
        RESULT(HIPRTC_ERROR_OUT_OF_MEMORY)
        RESULT(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE)
        RESULT(HIPRTC_ERROR_INVALID_INPUT)
        RESULT(HIPRTC_ERROR_INVALID_PROGRAM)
        RESULT(HIPRTC_ERROR_INVALID_OPTION)
        RESULT(HIPRTC_ERROR_COMPILATION)
        RESULT(HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE)
        RESULT(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION)
        RESULT(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION)
        RESULT(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
        RESULT(HIPRTC_ERROR_INTERNAL_ERROR)
        RESULT(HIPRTC_ERROR_LINKING)
#undef RESULT
    default:
        return "Invalid HIPRTC error code";
    }
}

/* No header of a caller may have these names. */
static const char source_file[] = "hiprtc_source.hip", names_file[] = "hiprtc_names.hip";
static const char macros_file[] = "hiprtc_macros.h";
/* The outputs of the driver, in the work's folder. */
static const char image_file[] = "image", names_text[] = "names.ll";
static const char said_file[] = "said", names_said[] = "names-said";

/* ---- programs ------------------------------------------------------------------- */

struct ah_rtc_program *ah_rtc_program_create(const char *source, const char *name)
{
    struct ah_rtc_program *program = ah_handle_create(AH_HANDLE_RTC_PROGRAM, NULL);
    if (!program)
        return NULL;
    program->source = strdup(source);
    program->name = strdup(name && *name ? name : "hiprtc_program");
    if (program->source && program->name)
        return program;
    ah_rtc_program_destroy(program);
    return NULL;
}

static void free_results(struct ah_rtc_program *program)
{
    free(program->log);
    free(program->image.data);
    program->log = NULL;
    program->image = (struct ah_rtc_bytes){0};
    program->compiled = false;
}

void ah_rtc_program_destroy(struct ah_rtc_program *program)
{
    free_results(program);
    for (size_t i = 0; i < program->header_count; i++) {
        free(program->headers[i].name);
        free(program->headers[i].text);
    }
    for (size_t i = 0; i < program->name_count; i++) {
        free(program->names[i].expression);
        free(program->names[i].lowered);
    }
    free(program->headers);
    free(program->names);
    free(program->source);
    free(program->name);
    ah_handle_destroy(program);
}

bool ah_rtc_program_add_header(struct ah_rtc_program *program, const char *name, const char *text)
{
    struct ah_rtc_header *headers =
        reallocarray(program->headers, program->header_count + 1, sizeof *headers);
    if (!headers)
        return false;
    program->headers = headers;
    struct ah_rtc_header *header = &headers[program->header_count++];
    *header = (struct ah_rtc_header){strdup(name), strdup(text)};
    return header->name && header->text;
}

bool ah_rtc_program_add_name(struct ah_rtc_program *program, const char *expression)
{
    struct ah_rtc_name *names =
        reallocarray(program->names, program->name_count + 1, sizeof *names);
    if (!names)
        return false;
    program->names = names;
    char *copy = strdup(expression);
    if (!copy)
        return false;
    names[program->name_count++] = (struct ah_rtc_name){.expression = copy};
    return true;
}

/* The next significant character when expressions are compared. */
static char significant(const char **at)
{
    *at += strspn(*at, " \t\n");
    return **at ? *(*at)++ : '\0';
}

static bool same_expression(const char *a, const char *b)
{
    char x = significant(&a), y = significant(&b);
    if (x == '&')
        x = significant(&a);
    if (y == '&')
        y = significant(&b);
    for (; x && x == y; y = significant(&b))
        x = significant(&a);
    return x == y;
}

const struct ah_rtc_name *ah_rtc_program_name(const struct ah_rtc_program *program,
                                              const char *expression)
{
    for (size_t i = 0; i < program->name_count; i++)
        if (same_expression(program->names[i].expression, expression))
            return &program->names[i];
    return NULL;
}

void ah_rtc_end_ptx(struct ah_rtc_bytes *image)
{
    struct ah_image known;
    ah_image_identify(&known, image->data, image->size);
    image->size += known.kind == AH_IMAGE_PTX;
}

/* ---- compilation ----------------------------------------------------------------- */

/* The text under its own name: messages and __FILE__ show that, not our file's. */
static void write_named(FILE *out, const char *name, const char *text)
{
    fputs("#line 1 \"", out);
    for (const char *c = name; *c; c++) {
        if (*c == '"' || *c == '\\')
            fputc('\\', out);
        fputc(*c == '\n' ? ' ' : *c, out);
    }
    fprintf(out, "\"\n%s\n", text);
}

/* A text in memory is whole unless there was no memory for some of it. */
static bool close_text(FILE *text)
{
    bool whole = !ferror(text);
    return fclose(text) == 0 && whole;
}

/* Writes one file of sources: a header, or the program's source with (variables or not) the lines
 * for its name expressions. */
static bool write_source(const struct ah_rtc_work *work, const struct ah_rtc_program *program,
                         const struct ah_rtc_header *header, bool variables)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return false;
    if (header) {
        write_named(out, header->name, header->text);
    } else {
        write_named(out, program->name, program->source);
        ah_rtc_names_write(out, program, variables);
    }
    const char *file = header ? header->name : variables ? names_file : source_file;
    bool written = close_text(out) && ah_rtc_work_write(work, file, text, size);
    free(text);
    return written;
}

/* "-DNAME=VALUE" and "-UNAME" as lines that do the same. */
static bool write_macros(const struct ah_rtc_work *work, const struct ah_rtc_arguments *macros)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return false;
    fputs("#line 1 \"<options>\"\n", out);
    for (size_t i = 0; i < macros->count; i++) {
        const char *macro = macros->at[i] + 2, *value = strchr(macro, '=');
        int length = (int)(value ? (size_t)(value - macro) : strlen(macro));
        if (macros->at[i][1] == 'U')
            fprintf(out, "#undef %s\n", macro);
        else
            fprintf(out, "#define %.*s %s\n", length, macro, value ? value + 1 : "1");
    }
    bool written = close_text(out) && ah_rtc_work_write(work, macros_file, text, size);
    free(text);
    return written;
}

static bool write_sources(const struct ah_rtc_work *work, const struct ah_rtc_program *program,
                          const struct ah_rtc_options *options)
{
    if (!write_macros(work, &options->macros))
        return false;
    for (size_t i = 0; i < program->header_count; i++)
        if (!write_source(work, program, &program->headers[i], false))
            return false;
    return write_source(work, program, NULL, false) &&
           (!program->name_count || write_source(work, program, NULL, true));
}

/* Names that clang makes up for what is local to a source contain this: no two programs that are
 * linked may have the same. */
static uint64_t identity(const struct ah_rtc_program *program)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const char *texts[] = {program->name, program->source};
    for (size_t i = 0; i < 2; i++)
        for (const char *c = texts[i]; *c; c++)
            hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return hash;
}

static void push_common(struct ah_rtc_arguments *out, const struct ah_rtc_work *work,
                        const struct ah_rtc_program *program, const struct ah_rtc_options *options)
{
    ah_rtc_push(out, "--genco");
    ah_rtc_push(out, "-fno-color-diagnostics");
    ah_rtc_push(out, "-cuid=%016llx", (unsigned long long)identity(program));
    ah_rtc_push(out, "-D__HIPCC_RTC__=1");
    ah_rtc_push(out, "-include");
    ah_rtc_push(out, "hip/hip_runtime.h");
    ah_rtc_push(out, "-include");
    ah_rtc_push(out, "%s/%s", work->sources, macros_file);
    /* The caller's headers come first for "..." and last for <...>, since the header above includes
     * the system's. */
    ah_rtc_push(out, "-iquote");
    ah_rtc_push(out, "%s", work->sources);
    ah_rtc_push_all(out, &options->arguments);
    ah_rtc_push(out, "-idirafter");
    ah_rtc_push(out, "%s", work->sources);
    ah_rtc_push(out, "--offload-arch=%s", options->architectures);
    /* Code for one architecture is returned as it is, for several in a bundle. */
    if (!strchr(options->architectures, ','))
        ah_rtc_push(out, "--no-gpu-bundle-output");
    if (options->relocatable)
        ah_rtc_push(out, "-fgpu-rdc");
}

static void push_output(struct ah_rtc_arguments *out, const struct ah_rtc_work *work,
                        const char *made, const char *source)
{
    ah_rtc_push(out, "-o");
    ah_rtc_push(out, "%s/%s", work->folder, made);
    ah_rtc_push(out, "%s/%s", work->sources, source);
}

static void start_compilation(struct ah_rtc_run *run, const struct ah_rtc_work *work,
                              const struct ah_rtc_program *program,
                              const struct ah_rtc_options *options, struct ah_rtc_arguments *out)
{
    push_common(out, work, program, options);
    if (options->relocatable)
        ah_rtc_push(out, "-c");
    push_output(out, work, image_file, source_file);
    ah_rtc_run_start(run, work, out, said_file);
}

/* The second pass for name expressions; one architecture's names are every architecture's. */
static void start_names(struct ah_rtc_run *run, const struct ah_rtc_work *work,
                        const struct ah_rtc_program *program, const struct ah_rtc_options *options,
                        struct ah_rtc_arguments *out)
{
    static const char *const quick[] = {"-w", "-O0",       "-Xclang", "-disable-llvm-passes",
                                        "-S", "-emit-llvm"};
    struct ah_rtc_options one = *options;
    char *first = strndup(options->architectures, strcspn(options->architectures, ","));
    if (!first) {
        out->failed = true;
        return;
    }
    one.architectures = first;
    push_common(out, work, program, &one);
    for (size_t i = 0; i < sizeof quick / sizeof *quick; i++)
        ah_rtc_push(out, "%s", quick[i]);
    push_output(out, work, names_text, names_file);
    ah_rtc_run_start(run, work, out, names_said);
    free(first);
}

/* Reads the compiler's messages into the log, if there are any. */
static bool keep_log(struct ah_rtc_program *program, const struct ah_rtc_work *work,
                     const char *said)
{
    struct ah_rtc_bytes text;
    if (!ah_rtc_work_read(work, said, &text))
        return false;
    free(program->log);
    program->log = text.size ? text.data : NULL;
    if (!text.size)
        free(text.data);
    return true;
}

static hiprtcResult read_names(struct ah_rtc_program *program, const struct ah_rtc_work *work,
                               enum ah_rtc_outcome outcome)
{
    struct ah_rtc_bytes text;
    if (outcome != AH_RTC_DONE) {
        keep_log(program, work, names_said);
        return outcome == AH_RTC_NO_COMPILER ? HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE
                                             : HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    }
    if (!ah_rtc_work_read(work, names_text, &text))
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    hiprtcResult result = ah_rtc_names_read(program, text.data);
    free(text.data);
    return result;
}

/* The program and its names are compiled side by side. */
static hiprtcResult run_compiler(struct ah_rtc_program *program, const struct ah_rtc_work *work,
                                 const struct ah_rtc_options *options)
{
    struct ah_rtc_run run = {0}, names = {0};
    struct ah_rtc_arguments arguments = {0}, names_arguments = {0};
    enum ah_rtc_outcome names_outcome = AH_RTC_NO_COMPILER;
    start_compilation(&run, work, program, options, &arguments);
    if (program->name_count && run.pid)
        start_names(&names, work, program, options, &names_arguments);
    enum ah_rtc_outcome outcome = ah_rtc_run_finish(&run, work, image_file);
    if (names.pid)
        names_outcome = ah_rtc_run_finish(&names, work, names_text);
    bool no_memory = arguments.failed || names_arguments.failed;
    ah_rtc_arguments_fini(&arguments);
    ah_rtc_arguments_fini(&names_arguments);
    bool has_log = keep_log(program, work, said_file);
    if (options->prints && program->log)
        fputs(program->log, stderr);
    if (no_memory)
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    if (outcome == AH_RTC_NO_COMPILER) {
        AH_LOG_ERR("hiprtc has no compiler: %s", program->log ? program->log : "");
        return HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
    if (outcome != AH_RTC_DONE)
        return HIPRTC_ERROR_COMPILATION;
    if (!has_log || !ah_rtc_work_read(work, image_file, &program->image))
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    ah_rtc_end_ptx(&program->image);
    return program->name_count ? read_names(program, work, names_outcome) : HIPRTC_SUCCESS;
}

/* The default architecture is that of the current device. */
static hiprtcResult choose_architecture(struct ah_rtc_program *program,
                                        struct ah_rtc_options *options)
{
    if (!options->architectures)
        options->architectures = ah_rtc_current_architecture();
    if (options->architectures)
        return HIPRTC_SUCCESS;
    program->log = strdup("error: there is no device to compile for: name an architecture "
                          "(--offload-arch=gfx90a, --offload-arch=sm_70)\n");
    return HIPRTC_ERROR_COMPILATION;
}

static hiprtcResult compile(struct ah_rtc_program *program, struct ah_rtc_options *options)
{
    struct ah_rtc_work work;
    hiprtcResult result = choose_architecture(program, options);
    if (result != HIPRTC_SUCCESS)
        return result;
    if (!ah_rtc_work_open(&work))
        return HIPRTC_ERROR_INTERNAL_ERROR;
    result = write_sources(&work, program, options) ? run_compiler(program, &work, options)
                                                    : HIPRTC_ERROR_INTERNAL_ERROR;
    ah_rtc_work_close(&work);
    return result;
}

hiprtcResult ah_rtc_program_compile(struct ah_rtc_program *program, int count,
                                    const char *const *options)
{
    struct ah_rtc_options read;
    free_results(program);
    hiprtcResult result = ah_rtc_options_read(&read, count, options, &program->log);
    if (result == HIPRTC_SUCCESS)
        result = compile(program, &read);
    program->relocatable = read.relocatable;
    program->compiled = result == HIPRTC_SUCCESS;
    if (result != HIPRTC_SUCCESS)
        AH_LOG_ERR("hiprtc: %s is not compiled (%s)%s%s", program->name,
                   ah_rtc_result_text(result), program->log ? ": " : "",
                   program->log ? program->log : "");
    ah_rtc_options_fini(&read);
    return result;
}
