/* Set-user-id and set-group-id programs: whoever starts one chooses its environment, and must not
 * choose by that what it runs, loads or writes with its own rights. The test runs a copy of itself
 * that has such a bit, beside one that has not, which shows that everything named would be used. */
#include "support.h"

#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOBODY = 65534 };

/* ---- the program ---------------------------------------------------------------------------- */

/* Starts the library and compiles; standard output says what became of it. */
static int use_library(void)
{
    const char *const options[] = {"--offload-arch=gfx90a"};
    hiprtcProgram program;
    int devices = 0;
    size_t size = 0;
    printf("secure %lu\n", getauxval(AT_SECURE));
    printf("devices %d\n", hipGetDeviceCount(&devices));
    if (hiprtcCreateProgram(&program, "__global__ void k() {}", "k", 0, NULL, NULL) !=
        HIPRTC_SUCCESS)
        return 1;
    printf("%s\n", hiprtcGetErrorString(hiprtcCompileProgram(program, 1, options)));
    hiprtcGetProgramLogSize(program, &size);
    char *log = calloc(1, size + 1);
    hiprtcGetProgramLog(program, log);
    printf("%s\n", log);
    free(log);
    return hiprtcDestroyProgram(&program) == HIPRTC_SUCCESS ? 0 : 1;
}

/* ---- who starts it ----------------------------------------------------------------------------
 */

/* A group other than the first that this user is in; 0: none. */
static gid_t another_group(void)
{
    gid_t groups[64];
    int count = getgroups(64, groups);
    for (int i = 0; i < count; i++)
        if (groups[i] != getegid() && groups[i] != 0)
            return groups[i];
    return 0;
}

/* A copy of this program, which its user's group or everybody may start. */
static const char *copy_of_program(const char *name, mode_t mode, gid_t group)
{
    size_t size;
    const char *bytes = ah_test_read_file("/proc/self/exe", &size);
    const char *path = ah_test_write_file(name, bytes, size);
    if (group != 0)
        assert_int_equal(chown(path, (uid_t)-1, group), 0);
    assert_int_equal(chmod(path, mode), 0);
    return path;
}

/* What somebody might name, in a folder that everybody may use. */
static void tempt(void)
{
    const char *script = "#!/bin/sh\necho the wrong compiler; echo x >>$MARKER\n";
    const char *tools[] = {"evil/hipcc", "evil/anyhip-clang++", "evil/clang++", "evil/clang"};
    const char *folder;
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        assert_int_equal(chmod(ah_test_write_text(tools[i], script), 0755), 0);
    ah_test_write_text("evil/libcuda.so.1", "no library");
    ah_test_write_text("evil/libhsa-runtime64.so.1", "no library");
    ah_test_write_text("evil/anyhip/anyhip.json", "{\"log\": {\"level\": 4}}");
    folder = ah_test_path("evil");
    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(chmod(ah_test_path(""), 0755), 0);
    ah_test_setenv("MARKER", ah_test_print("%s/marker", folder));
    ah_test_setenv("ANYHIP_HIPCC", ah_test_print("%s/hipcc", folder));
    ah_test_setenv("ANYHIP_CLANG", ah_test_print("%s/clang++", folder));
    ah_test_setenv("HIPRTC_COMPILE_OPTIONS_APPEND", "-DEVIL");
    ah_test_setenv("PATH", folder);
    ah_test_setenv("TMPDIR", folder);
    ah_test_setenv("LD_LIBRARY_PATH", folder);
    ah_test_setenv("XDG_CONFIG_HOME", folder);
    ah_test_setenv("HOME", folder);
    ah_test_setenv("ANYHIP_TRACE", ah_test_print("%s/trace", folder));
    ah_test_setenv("ANYHIP_BACKEND", "cuda,hsa");
    ah_test_setenv("AMD_LOG_LEVEL", "4");
}

static struct ah_test_run start(const char *path, bool as_nobody)
{
    const char *const by_nobody[] = {"/usr/bin/setpriv",
                                     "--reuid=65534",
                                     "--regid=65534",
                                     "--clear-groups",
                                     path,
                                     "--use-library",
                                     NULL};
    const char *const by_us[] = {path, "--use-library", NULL};
    return ah_test_execute(as_nobody ? by_nobody : by_us);
}

static bool there_is(const char *name)
{
    return access(ah_test_path(name), F_OK) == 0;
}

static void what_the_environment_names_is_used_by_a_program_without_privileges(void **state)
{
    (void)state;
    tempt();
    struct ah_test_run run = start(copy_of_program("plain", 0755, 0), false);
    assert_contains(run.out, "secure 0\n");
    assert_true(there_is("evil/marker"));
    assert_true(there_is("evil/trace"));
    assert_contains(run.out, "the wrong compiler");
    assert_contains(run.err, "evil/libcuda.so.1: file too short");
}

/* The same program with a bit that makes it another user's or group's. */
static void check_privileged(const char *path, bool as_nobody)
{
    struct ah_test_run run = start(path, as_nobody);
    if (ah_test_count(run.out, "secure 1\n") == 0) {
        print_message("set-id bits have no effect here (nosuid, or no_new_privs): %s %s\n", run.out,
                      run.err);
        skip();
    }
    assert_int_equal(run.status, 0);
    assert_false(there_is("evil/marker"));
    assert_false(there_is("evil/trace"));
    assert_contains(run.out, "HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE\n");
    assert_contains(run.out, "error: hiprtc does not start a compiler in a set-user-id");
    assert_contains(run.err, "hiprtc does not start a compiler in a set-user-id");
    assert_lacks(run.out, "the wrong compiler");
    assert_lacks(run.err, "/evil");
    ah_test_setenv("AMD_LOG_LEVEL_FILE", ah_test_path("evil/log"));
    ah_test_setenv("ANYHIP_CONFIG", ah_test_path("evil/anyhip/anyhip.json"));
    run = start(path, as_nobody); /* the log is on standard error all the same */
    assert_contains(run.err, "hiprtc does not start a compiler in a set-user-id");
    assert_lacks(run.err, "/evil");
}

static void it_is_not_by_a_program_that_runs_as_another_user(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        print_message("only root can make a program that others run as another user\n");
        skip();
    }
    tempt();
    check_privileged(copy_of_program("set_user_id", 04755, 0), true);
}

static void it_is_not_by_a_program_that_runs_as_another_group(void **state)
{
    gid_t group = geteuid() == 0 ? 1 : another_group();
    (void)state;
    if (group == 0) {
        print_message("this user is in one group only\n");
        skip();
    }
    tempt();
    check_privileged(copy_of_program("set_group_id", 02755, group), geteuid() == 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(what_the_environment_names_is_used_by_a_program_without_privileges),
        AH_TEST(it_is_not_by_a_program_that_runs_as_another_user),
        AH_TEST(it_is_not_by_a_program_that_runs_as_another_group),
    };
    if (argc > 1 && strcmp(argv[1], "--use-library") == 0) {
        int status = use_library();
        fflush(stdout);
        _exit(status); /* a process with privileges cannot be searched for leaks */
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
