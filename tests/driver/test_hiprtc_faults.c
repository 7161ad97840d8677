/* Run-time compilation when a call to the system fails: every allocation of the library, and every
 * call for a file, a folder or a process, fails once while a program is compiled and code is
 * linked. The caller sees an error, which is not one of the program's name expressions, and nothing
 * is left: memory, files, folders, children. The compiler is fake_hipcc.c. A number as the argument
 * is the one case to run. */
#include "fault_calls.h"
#include "fault_memory.h"
#include "support.h"

#include <hip/hiprtc.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/anyhip-hiprtc-XXXXXX";
static char bitcode[64];
static unsigned first_case = 1, last_case = 100000, wrong;

/* ---- what is done ---------------------------------------------------------------------------- */

static hiprtcResult read_results(hiprtcProgram program)
{
    static const char wanted[] = ".version 7.0";
    const char *name;
    size_t code_size = 0, log_size = 0;
    char code[256] = "", log[256] = "";
    hiprtcResult result = hiprtcGetLoweredName(program, "kernel", &name);
    if (result == HIPRTC_SUCCESS)
        result = hiprtcGetCodeSize(program, &code_size);
    check(code_size < sizeof code);
    if (result == HIPRTC_SUCCESS)
        result = hiprtcGetCode(program, code);
    if (result == HIPRTC_SUCCESS)
        result = hiprtcGetProgramLogSize(program, &log_size);
    check(log_size < sizeof log);
    if (result == HIPRTC_SUCCESS)
        result = hiprtcGetProgramLog(program, log);
    if (result == HIPRTC_SUCCESS)
        check(strcmp(name, "_Z6kernelv") == 0 && strncmp(code, wanted, strlen(wanted)) == 0);
    return result;
}

static hiprtcResult compile_program(void)
{
    static const char *const texts[] = {"#define A 1\n", "#define B 2\n"};
    static const char *const names[] = {"a.h", "inner/b.h"};
    static const char *const options[] = {"--offload-arch=sm_70", "-DC=3", "-UD",
                                          "--gpu-architecture=compute_75", "-O2"};
    hiprtcProgram program;
    hiprtcResult result =
        hiprtcCreateProgram(&program, "__global__ void kernel() {}", "program", 2,
                            (const char **)(uintptr_t)texts, (const char **)(uintptr_t)names);
    if (result != HIPRTC_SUCCESS)
        return result;
    result = hiprtcAddNameExpression(program, "kernel");
    if (result == HIPRTC_SUCCESS)
        result = hiprtcCompileProgram(program, 5, (const char **)(uintptr_t)options);
    if (result == HIPRTC_SUCCESS)
        result = read_results(program);
    check(hiprtcDestroyProgram(&program) == HIPRTC_SUCCESS);
    return result;
}

static hiprtcResult link_inputs(void)
{
    static char data[] = "bitcode";
    hiprtcJIT_option option = HIPRTC_JIT_OPTIMIZATION_LEVEL;
    void *value = (void *)2, *image;
    hiprtcLinkState link;
    size_t size;
    hiprtcResult result = hiprtcLinkCreate(1, &option, &value, &link);
    if (result != HIPRTC_SUCCESS)
        return result;
    result = hiprtcLinkAddData(link, HIPRTC_JIT_INPUT_LLVM_BITCODE, data, sizeof data, "data", 0,
                               NULL, NULL);
    if (result == HIPRTC_SUCCESS)
        result = hiprtcLinkAddFile(link, HIPRTC_JIT_INPUT_LLVM_BITCODE, bitcode, 0, NULL, NULL);
    if (result == HIPRTC_SUCCESS)
        result = hiprtcLinkComplete(link, &image, &size);
    if (result == HIPRTC_SUCCESS)
        check(size > 12 && memcmp(image, ".version 7.0", 12) == 0);
    check(hiprtcLinkDestroy(link) == HIPRTC_SUCCESS);
    return result;
}

static hipError_t add_all(hipLinkState_t link)
{
    static char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n", data[] = "bitcode";
    char archive[128];
    int length =
        snprintf(archive, sizeof archive, "!<arch>\n%-16s%-12d%-6d%-6d%-8o%-10d`\nBC\xc0\xde",
                 "a.bc/", 0, 0, 0, 0644, 4);
    hipError_t error =
        hipLinkAddData(link, hipJitInputLLVMBitcode, data, sizeof data, "data", 0, NULL, NULL);
    if (error == hipSuccess)
        error =
            hipLinkAddData(link, hipJitInputLibrary, archive, (size_t)length, NULL, 0, NULL, NULL);
    if (error == hipSuccess)
        error = hipLinkAddFile(link, hipJitInputLLVMBitcode, bitcode, 0, NULL, NULL);
    if (error == hipSuccess)
        error = hipLinkAddData(link, hipJitInputPtx, text, sizeof text, "text", 0, NULL, NULL);
    return error;
}

/* By the compiler and the driver: the result of hipLink* as hiprtc's. */
static hiprtcResult link_with_the_driver(void)
{
    static const char *const words[] = {"-O2"};
    hipJitOption options[] = {hipJitOptionOptimizationLevel, hipJitOptionIRtoISAOptExt,
                              hipJitOptionIRtoISAOptCountExt};
    void *values[] = {(void *)2, (void *)(uintptr_t)words, (void *)1}, *image;
    hipLinkState_t link;
    size_t size;
    if (hipLinkCreate(3, options, values, &link) != hipSuccess)
        return HIPRTC_ERROR_INTERNAL_ERROR;
    hipError_t error = add_all(link);
    if (error == hipSuccess)
        error = hipLinkComplete(link, &image, &size);
    if (error == hipSuccess)
        check(size > 12 && memcmp(image, ".version 7.0", 12) == 0);
    check(hipLinkDestroy(link) == hipSuccess);
    return error == hipSuccess ? HIPRTC_SUCCESS : HIPRTC_ERROR_INTERNAL_ERROR;
}

/* ---- what is left ---------------------------------------------------------------------------- */

static unsigned entries_of(const char *path)
{
    unsigned count = 0;
    DIR *entries = opendir(path);
    check(entries != NULL);
    while (readdir(entries))
        count++;
    closedir(entries);
    return count;
}

struct left {
    unsigned files, folders;
    long blocks;
};

static struct left look(void)
{
    return (struct left){entries_of("/proc/self/fd"), entries_of(folder), fault_memory_live()};
}

/* What the library cannot remove stays, and its log says so. */
static void remove_folders(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s/*", folder);
    check(system(command) == 0);
}

/* ---- cases ------------------------------------------------------------------------------------
 */

/* Failures after which the call succeeds all the same. */
static bool need_not_be_told(const char *name)
{
    static const char *const names[] = {
        "nftw",    /* the folder cannot be removed: the log says so */
        "waitpid", /* the program took the child itself; what it made is there */
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* The compiler has made nothing, as far as the library can see, which is how it refuses a name. */
static bool seems_refused(const char *name)
{
    return strcmp(name, "access") == 0;
}

static bool run_case(hiprtcResult (*function)(void), unsigned number)
{
    struct left before = look();
    fault_memory_fail(number);
    hiprtcResult result = function();
    bool failed = fault_memory_has_failed();
    fault_memory_fail(0);
    const char *name = failed ? fault_calls_name() : "";
    if (strcmp(name, "nftw") == 0)
        remove_folders();
    struct left after = look();
    bool told =
        failed ? result != HIPRTC_SUCCESS || need_not_be_told(name) : result == HIPRTC_SUCCESS;
    told &= result != HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID || seems_refused(name);
    bool clean = after.files == before.files && after.folders == before.folders &&
                 after.blocks == before.blocks && waitpid(-1, NULL, WNOHANG) == -1 &&
                 errno == ECHILD;
    if (!told || !clean)
        print_error("call %u (%s at 0x%lx): %s; files %u, %u; folders %u, %u; blocks %ld, %ld\n",
                    number, name, fault_memory_where(), hiprtcGetErrorString(result), before.files,
                    after.files, before.folders, after.folders, before.blocks, after.blocks);
    wrong += !told || !clean;
    return failed;
}

static void fail_each_call(hiprtcResult (*function)(void))
{
    unsigned number = first_case;
    wrong = 0;
    while (run_case(function, number) && number < last_case)
        number++;
    print_message("%u calls\n", number - first_case);
    check(wrong == 0);
    check(number - first_case > 30 || first_case == last_case);
    check(function() == HIPRTC_SUCCESS);
}

static void every_call_of_a_compilation_fails_once(void **state)
{
    (void)state;
    fail_each_call(compile_program);
}

static void every_call_of_a_link_fails_once(void **state)
{
    (void)state;
    fail_each_call(link_inputs);
}

static void every_call_of_a_link_with_the_driver_fails_once(void **state)
{
    (void)state;
    fail_each_call(link_with_the_driver);
}

static int begin(void **state)
{
    (void)state;
    clean_environment();
    use_fake("80");
    check(mkdtemp(folder) != NULL);
    setenv("TMPDIR", folder, 1);
    setenv("ANYHIP_HIPCC", FAKE_HIPCC, 1);
    setenv("HIPRTC_COMPILE_OPTIONS_APPEND", "-DE=4 -DF=5", 1);
    setenv("HIPRTC_LINK_OPTIONS_APPEND", "-O3", 1);
    setenv("AMD_LOG_LEVEL", "0", 1);
    snprintf(bitcode, sizeof bitcode, "%s.bc", folder);
    FILE *file = fopen(bitcode, "w");
    check(file && fputs("bitcode of a file", file) >= 0 && fclose(file) == 0);
    /* What is made once. */
    check(compile_program() == HIPRTC_SUCCESS && link_inputs() == HIPRTC_SUCCESS);
    check(link_with_the_driver() == HIPRTC_SUCCESS);
    return 0;
}

static int end(void **state)
{
    (void)state;
    return unlink(bitcode) || rmdir(folder);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_of_a_compilation_fails_once),
        cmocka_unit_test(every_call_of_a_link_fails_once),
        cmocka_unit_test(every_call_of_a_link_with_the_driver_fails_once),
    };
    if (argc > 1)
        first_case = last_case = (unsigned)atoi(argv[1]);
    return cmocka_run_group_tests(tests, begin, end);
}
