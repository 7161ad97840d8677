/* Prints the properties of a HIP installation for build scripts: paths, version, platform. Where
 * things are is the compile driver's knowledge (tools/hipcc/toolchain.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobs.h"
#include "temp.h"
#include "text.h"
#include "toolchain.h"

static const char help[] = "usage: hipconfig [OPTIONS]\n"
                           "  --path, -p            installation prefix\n"
                           "  --rocmpath, -R        the same\n"
                           "  --cpp_config, -C      preprocessor options that host code needs\n"
                           "  --compiler, -c        compiler: clang\n"
                           "  --platform, -P        platform: amd\n"
                           "  --runtime, -r         runtime: rocclr\n"
                           "  --hipclangpath, -l    folder of clang\n"
                           "  --full, -f            everything\n"
                           "  --version, -v         version of the HIP API\n"
                           "  --check               check the installation\n"
                           "  --newline, -n         end with a new line\n"
                           "  --help, -h            this text\n";

static const char *cpp_config(const struct ah_toolchain *t)
{
    return ah_text_print(" -D__HIP_PLATFORM_AMD__= -I%s", t->include);
}

static const char *clang_folder(struct ah_toolchain *t)
{
    if (!t->clang && !ah_toolchain_find_clang(t))
        return "";
    return t->bin;
}

/* The first line of what clang says of itself. */
static const char *clang_version(const struct ah_toolchain *t)
{
    struct ah_strings argv = {0};
    ah_strings_push(&argv, t->clang);
    ah_strings_push(&argv, "--version");
    char *answer = ah_jobs_output_of(&argv);
    if (answer)
        answer[strcspn(answer, "\r\n")] = '\0';
    return answer ? answer : "";
}

static void print_full(struct ah_toolchain *t)
{
    static const char *const variables[] = {"PATH",           "LD_LIBRARY_PATH",    "HIP_PATH",
                                            "HIP_CLANG_PATH", "HIP_PLATFORM",       "ANYHIP_CLANG",
                                            "ANYHIP_LIBCLC",  "ANYHIP_OFFLOAD_ARCH"};
    printf("HIP version  : %s\nAnyHIP       : %s\n\n== hipconfig\n", ah_toolchain_hip_version(),
           ah_toolchain_version());
    printf("HIP_PATH     : %s\nROCM_PATH    : %s\n", t->prefix, t->prefix);
    printf("HIP_COMPILER : clang\nHIP_PLATFORM : amd\nHIP_RUNTIME  : rocclr\n");
    printf("CPP_CONFIG   : %s\n", cpp_config(t));
    printf("\n== hip-clang\nHIP_CLANG_PATH   : %s\n", clang_folder(t));
    if (t->clang)
        printf("%s\n", clang_version(t));
    printf("\n=== Environment Variables\n");
    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
        if (getenv(variables[i]))
            printf("%s=%s\n", variables[i], getenv(variables[i]));
}

static int check(struct ah_toolchain *t)
{
    int failures = 0;
    const struct {
        const char *what;
        const char *path;
    } files[] = {
        {"headers", ah_text_print("%s/hip/hip_runtime_api.h", t->include)},
        {"runtime library", ah_text_print("%s/libanyhip.so", t->library)},
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        bool good = ah_path_exists(files[i].path);
        printf("%-16s %-60s %s\n", files[i].what, files[i].path, good ? "good" : "FAIL");
        failures += !good;
    }
    const char *folder = clang_folder(t);
    printf("%-16s %-60s %s\n", "clang", folder, *folder ? "good" : "FAIL");
    return failures || !*folder;
}

static bool is(const char *argument, const char *name, const char *letter)
{
    return !strcmp(argument, name) || (letter && !strcmp(argument, letter));
}

/* Prints the answer to one argument; false when it is none of ours. */
static bool answer(const char *a, struct ah_toolchain *t, int *status)
{
    if (is(a, "--path", "-p") || is(a, "--rocmpath", "-R"))
        fputs(t->prefix, stdout);
    else if (is(a, "--cpp_config", "-C") || is(a, "--cxx_config", NULL))
        fputs(cpp_config(t), stdout);
    else if (is(a, "--compiler", "-c"))
        fputs("clang", stdout);
    else if (is(a, "--platform", "-P"))
        fputs("amd", stdout);
    else if (is(a, "--runtime", "-r"))
        fputs("rocclr", stdout);
    else if (is(a, "--hipclangpath", "-l"))
        fputs(clang_folder(t), stdout);
    else if (is(a, "--version", "-v"))
        fputs(ah_toolchain_hip_version(), stdout);
    else if (is(a, "--full", "-f") || is(a, "--info", NULL))
        print_full(t);
    else if (is(a, "--check", NULL))
        *status = check(t);
    else if (is(a, "--help", "-h"))
        fputs(help, stdout);
    else
        return false;
    return true;
}

static int answer_all(int argc, char **argv, struct ah_toolchain *t)
{
    int status = 0;
    bool newline = false, answered = false;
    for (int i = 1; i < argc; i++) {
        if (is(argv[i], "--newline", "-n")) {
            newline = true;
        } else if (!answer(argv[i], t, &status)) {
            fprintf(stderr, "hipconfig: unknown option '%s'\n%s", argv[i], help);
            return 1;
        } else {
            answered = true;
        }
    }
    if (!answered)
        print_full(t);
    if (newline)
        putchar('\n');
    return status;
}

int main(int argc, char **argv)
{
    struct ah_toolchain toolchain;
    ah_temp_init();
    ah_toolchain_find_self(&toolchain);
    int status = answer_all(argc, argv, &toolchain);
    fflush(stdout);
    ah_temp_fini();
    ah_temp_obey_signal();
    ah_text_release();
    return status;
}
