/* Owns the answers of the compiler about itself. */
#include "query.h"

#include <stdio.h>
#include <string.h>

#include "jobs.h"
#include "report.h"
#include "request.h"

static const char help[] =
    "Usage: hipcc [options] file...\n"
    "\n"
    "Compiles HIP programs for AMD and NVIDIA GPUs at once with an unmodified clang.\n"
    "C++ and .hip and .cu sources are HIP, .c sources are C; objects and libraries are linked.\n"
    "\n"
    "  --offload-arch=<arch>[,...]  GPUs to compile for: gfx90a, gfx90a:xnack+, sm_70; native: "
    "those\n"
    "                               of this machine; all: every one; default: ANYHIP_OFFLOAD_ARCH\n"
    "                               or AMD since Vega and NVIDIA since Volta\n"
    "  --genco                      only device code, for hipModuleLoad\n"
    "  --offload-host-only          only host code\n"
    "  -fgpu-rdc                    device code that calls device code of other sources\n"
    "  --emit-static-lib            put the objects into an archive\n"
    "  --offload-compress           compress the device code\n"
    "  -x hip|c++|c|none            the language of the sources that follow\n"
    "  -parallel-jobs=<n>           steps at the same time (default: number of processors)\n"
    "  -Xarch_host, -Xarch_device, -Xarch_<arch> <arg>\n"
    "                               an argument for some of the passes\n"
    "  --no-hip-rt                  do not link the runtime library\n"
    "  --no-rpath                   do not record where the runtime library is\n"
    "  -nogpulib, -nogpuinc         no device functions of libclc, no device header\n"
    "  -###                         print every step and run none\n"
    "  --version, --short-version, --cxxflags, --ldflags, --help\n"
    "\n"
    "Every other option is clang's and goes to the steps it concerns.\n"
    "Environment: HIPCC_COMPILE_FLAGS_APPEND, HIPCC_LINK_FLAGS_APPEND, HIPCC_VERBOSE,\n"
    "HIP_CLANG_PATH, ANYHIP_CLANG, ANYHIP_LIBCLC, ANYHIP_OFFLOAD_ARCH.\n";

static bool is_question(const char *argument)
{
    static const char *const questions[] = {"-dumpversion", "-dumpmachine", "--version-info"};
    for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++)
        if (!strcmp(argument, questions[i]))
            return true;
    return ah_text_starts(argument, "-print-") || ah_text_starts(argument, "--print-") ||
           ah_text_starts(argument, "--autocomplete") || ah_text_starts(argument, "--help-");
}

static bool asks_clang(const struct ah_strings *arguments)
{
    bool input = false, verbose = false;
    for (size_t i = 0; i < arguments->count; i++) {
        if (!strcmp(arguments->at[i], "-mllvm")) { /* "-mllvm -print-after-all" is no question */
            i++;
            continue;
        }
        if (is_question(arguments->at[i]))
            return true;
        input = input || *arguments->at[i] != '-';
        verbose = verbose || !strcmp(arguments->at[i], "-v");
    }
    return verbose && !input;
}

static int run_clang(const struct ah_toolchain *t, const struct ah_strings *arguments)
{
    struct ah_jobs jobs = {0};
    struct ah_jobs_options options = {.parallel = 1};
    struct ah_job *job = ah_jobs_add(&jobs);
    ah_toolchain_push_clang(t, false, &job->argv);
    for (size_t i = 0; i < arguments->count; i++)
        if (!ah_text_starts(arguments->at[i], "--rocm-path") &&
            !ah_text_starts(arguments->at[i], "--hip-path"))
            ah_strings_push(&job->argv, arguments->at[i]);
    return ah_jobs_run(&jobs, &options);
}

static int answer_version(struct ah_toolchain *t)
{
    struct ah_strings version = {0};
    printf("HIP version: %s-anyhip%s\n", ah_toolchain_hip_version(), ah_toolchain_version());
    fflush(stdout);
    ah_strings_push(&version, "--version");
    return ah_toolchain_find_clang(t) ? run_clang(t, &version) : 1;
}

static int answer_clang(struct ah_toolchain *t, const struct ah_strings *arguments)
{
    if (!ah_toolchain_find_clang(t))
        return 1;
    /* Build systems look for this line to learn where HIP is. */
    if (ah_strings_contain(arguments, "-v"))
        fprintf(stderr, "Found HIP installation: %s, version %s\n", t->prefix,
                ah_toolchain_hip_version());
    return run_clang(t, arguments);
}

static void print_flags(const struct ah_toolchain *t, bool compile)
{
    if (compile)
        printf("-D__HIP_PLATFORM_AMD__=1 -isystem %s -O3", ah_text_quote(t->include));
    else
        printf("-L%s -Wl,-rpath=%s -lanyhip -O3", ah_text_quote(t->library),
               ah_text_quote(t->library));
}

bool ah_query_answer(const struct ah_strings *arguments, struct ah_toolchain *t, int *out_status)
{
    *out_status = 0;
    if (ah_strings_contain(arguments, "--help") || ah_strings_contain(arguments, "-help")) {
        fputs(help, stdout);
    } else if (ah_strings_contain(arguments, "--version")) {
        *out_status = answer_version(t);
    } else if (ah_strings_contain(arguments, "--short-version")) {
        printf("%s\n", ah_toolchain_hip_version());
    } else if (ah_strings_contain(arguments, "--cxxflags") ||
               ah_strings_contain(arguments, "--ldflags")) {
        if (ah_strings_contain(arguments, "--cxxflags"))
            print_flags(t, true);
        if (ah_strings_contain(arguments, "--ldflags"))
            print_flags(t, false);
    } else if (asks_clang(arguments)) {
        *out_status = answer_clang(t, arguments);
    } else {
        return false;
    }
    return true;
}
