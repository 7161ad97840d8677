/* The HIP compile driver: reads the command line, plans the steps, runs them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "link.h"
#include "query.h"
#include "report.h"
#include "request.h"
#include "temp.h"

/* The exit status where clang or a tool beside it is missing, as a shell has it. */
enum { STATUS_NOT_FOUND = 127 };

/* Bits of HIPCC_VERBOSE. */
enum { SHOW_COMMANDS = 1, SHOW_PATHS = 2, SHOW_ARGUMENTS = 4 };

static int verbosity(void)
{
    const char *value = getenv("HIPCC_VERBOSE");
    return value ? atoi(value) : 0;
}

static void push_setting(struct ah_strings *arguments, const char *name)
{
    const char *value = getenv(name);
    if (value)
        ah_strings_split_quoted(arguments, value);
}

/* The link flags are only for commands that link. */
static bool only_compiles(const struct ah_strings *arguments)
{
    static const char *const modes[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--genco"};
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
        if (ah_strings_contain(arguments, modes[i]))
            return true;
    return false;
}

static void show_environment(const struct ah_toolchain *t, const struct ah_strings *arguments)
{
    int bits = verbosity();
    if (bits & SHOW_PATHS)
        fprintf(stderr,
                "HIP_PATH=%s\nHIP_PLATFORM=amd\nHIP_COMPILER=clang\nHIP_RUNTIME=rocclr\n"
                "HIP_CLANG_PATH=%s\nHIP_INCLUDE_PATH=%s\nHIP_LIB_PATH=%s\n",
                t->prefix, t->bin, t->include, t->library);
    if (bits & SHOW_ARGUMENTS)
        fprintf(stderr, "hipcc-args: %s\n", ah_jobs_command(arguments));
}

static int run(const struct ah_request *request, const struct ah_toolchain *toolchain)
{
    struct ah_plan plan = {.request = request, .toolchain = toolchain};
    unsigned parallel = request->parallel ? request->parallel : ah_jobs_processors();
    struct ah_jobs_options options = {
        .parallel = parallel < AH_TEMP_CHILDREN ? parallel : AH_TEMP_CHILDREN,
        .dry_run = request->dry_run,
        .verbose = request->verbose || (verbosity() & SHOW_COMMANDS),
    };
    const char **objects = ah_text_alloc((request->input_count + 1) * sizeof(*objects));
    if (!ah_compile_plan(&plan, objects))
        return 1;
    int status = ah_jobs_run(&plan.jobs, &options);
    if (status || request->side == AH_SIDE_DEVICE)
        return status;
    plan.jobs = (struct ah_jobs){0};
    if (request->mode == AH_MODE_LINK)
        return ah_link_program(&plan, objects, &options);
    if (request->mode == AH_MODE_STATIC_LIBRARY)
        return ah_link_archive(&plan, objects, &options);
    return 0;
}

static int compile(const struct ah_strings *arguments, struct ah_toolchain *toolchain)
{
    struct ah_request request;
    size_t files = 0;
    if (!ah_request_read(arguments, &request))
        return 1;
    for (size_t i = 0; i < request.input_count; i++)
        files += request.inputs[i].is_file || ah_text_starts(request.inputs[i].path, "-l");
    if (!files) {
        ah_report_error("no input files");
        return 1;
    }
    if (!ah_toolchain_find_clang(toolchain))
        return 1;
    show_environment(toolchain, arguments);
    return run(&request, toolchain);
}

static int drive(int argc, char **argv)
{
    struct ah_strings given = {0}, arguments = {0};
    struct ah_toolchain toolchain;
    int status;
    for (int i = 1; i < argc; i++)
        ah_strings_push(&given, argv[i]);
    if (!ah_request_expand(&given, &arguments))
        return 1;
    ah_toolchain_find_self(&toolchain);
    if (ah_query_answer(&arguments, &toolchain, &status))
        return status;
    push_setting(&arguments, "HIPCC_COMPILE_FLAGS_APPEND");
    if (!only_compiles(&arguments))
        push_setting(&arguments, "HIPCC_LINK_FLAGS_APPEND");
    return compile(&arguments, &toolchain);
}

int main(int argc, char **argv)
{
    ah_temp_init();
    int status = drive(argc, argv);
    if (status && ah_toolchain_incomplete())
        status = STATUS_NOT_FOUND;
    fflush(stdout);
    ah_temp_fini();
    ah_temp_obey_signal();
    ah_text_release();
    return status;
}
