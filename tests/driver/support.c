/* Owns the environment, the checks, and other processes. */
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_child;

/* ---- vendors ------------------------------------------------------------------------- */

bool over_hsa(void)
{
    const char *vendor = getenv("DRIVER_TESTS_VENDOR");
    return vendor && strcmp(vendor, "hsa") == 0;
}

const struct fake *the_fake(void)
{
    return over_hsa() ? fakehsa() : fakecuda();
}

/* "80,90" as the fake HSA runtime has it. */
static void name_models(const char *capabilities, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (const char *at = capabilities; *at && used < size; at += strcspn(at, ",")) {
        at += *at == ',';
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? "," : "",
                                 strncmp(at, "90", 2) == 0 ? "gfx1100" : "gfx90a");
    }
}

/* ---- drivers ------------------------------------------------------------------------- */

void clean_environment(void)
{
    static const char *const names[] = {
        "ANYHIP_BACKEND",       "ANYHIP_CONFIG",         "HIP_VISIBLE_DEVICES",
        "CUDA_VISIBLE_DEVICES", "AMD_LOG_LEVEL",         "AMD_LOG_MASK",
        "AMD_LOG_LEVEL_FILE",   "HIP_LAUNCH_BLOCKING",   "AMD_SERIALIZE_KERNEL",
        "AMD_SERIALIZE_COPY",   "FAKECUDA_DEVICES",      "FAKECUDA_VERSION",
        "FAKECUDA_PEERS",       "FAKECUDA_FAULTS",       "FAKECUDA_REPORT",
        "FAKESIMCUDA_DEVICES",  "FAKECUDA_HOST_THREAD",  "FAKESIMCUDA_HOST_THREAD",
        "FAKEHSA_DEVICES",      "FAKEHSA_PEERS",         "FAKEHSA_FAULTS",
        "FAKEHSA_REPORT",       "FAKEHSA_QUEUE_PACKETS", "ROCR_VISIBLE_DEVICES",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    setenv("ANYHIP_SIM_MEMORY", "512MiB", 1); /* so that it can be exhausted */
}

void use_configuration(const char *format, ...)
{
    char text[2048], path[64];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    int file = memfd_create("anyhip.json", 0);
    if (file < 0 || length >= (int)sizeof text || write(file, text, (size_t)length) != length)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    setenv("ANYHIP_CONFIG", path, 1);
}

static void use_fake_hsa(const char *devices)
{
    char models[256];
    clean_environment();
    name_models(devices, models, sizeof models);
    setenv("FAKEHSA_DEVICES", models, 1);
    use_configuration("{\"backends\": [\"hsa\"], \"drivers\": {\"hsa\": {\"library\": \"%s\"}}}",
                      FAKEHSA_PATH);
}

void use_fake(const char *devices)
{
    if (over_hsa())
        use_fake_hsa(devices);
    else
        use_fake_cuda(devices);
}

void use_fake_cuda(const char *devices)
{
    const char *real = getenv("DRIVER_TESTS_LIBRARY"); /* to run them on a real driver by hand */
    const char *version = getenv("DRIVER_TESTS_VERSION");
    clean_environment();
    if (version)
        setenv("FAKECUDA_VERSION", version, 1);
    setenv("FAKECUDA_DEVICES", devices, 1);
    use_configuration("{\"backends\": [\"cuda\"], \"drivers\": {\"cuda\": {\"library\": \"%s\"}}}",
                      real ? real : FAKECUDA_PATH);
}

void use_two_fakes(const char *cuda_devices, const char *simcuda_devices)
{
    clean_environment();
    setenv("FAKECUDA_DEVICES", cuda_devices, 1);
    setenv("FAKESIMCUDA_DEVICES", simcuda_devices, 1);
    use_configuration("{\"backends\": [\"cuda\", \"simcuda\"], \"drivers\": {"
                      "\"cuda\": {\"library\": \"%s\"}, \"simcuda\": {\"library\": \"%s\"}}}",
                      FAKECUDA_PATH, FAKESIMCUDA_PATH);
}

bool over_both(void)
{
    const char *vendor = getenv("DRIVER_TESTS_VENDOR");
    return vendor && strcmp(vendor, "cuda+hsa") == 0;
}

void use_both_fakes(const char *cuda_devices, const char *hsa_devices)
{
    char models[256];
    clean_environment();
    name_models(hsa_devices, models, sizeof models);
    setenv("FAKECUDA_DEVICES", cuda_devices, 1);
    setenv("FAKEHSA_DEVICES", models, 1);
    use_configuration("{\"backends\": [\"cuda\", \"hsa\"], \"drivers\": {"
                      "\"cuda\": {\"library\": \"%s\"}, \"hsa\": {\"library\": \"%s\"}}}",
                      FAKECUDA_PATH, FAKEHSA_PATH);
}

/* ---- checks -------------------------------------------------------------------------------- */

static void fail_at(const char *file, int line)
{
    if (!is_child)
        _fail(file, line);
    fprintf(stderr, "%s:%d: a check failed in a child process\n", file, line);
    _exit(EXIT_FAILURE);
}

void expect_at(int got, int wanted, const char *call, const char *file, int line)
{
    if (got == wanted)
        return;
    fprintf(stderr, "%s returned %s (%d), not %s\n", call, hipGetErrorName((hipError_t)got), got,
            hipGetErrorName((hipError_t)wanted));
    fail_at(file, line);
}

void check_at(bool good, const char *condition, const char *file, int line)
{
    if (good)
        return;
    fprintf(stderr, "not so: %s\n", condition);
    fail_at(file, line);
}

void check_words(const uint32_t *words, size_t count, uint32_t value)
{
    for (size_t i = 0; i < count; i++) {
        if (words[i] == value)
            continue;
        fprintf(stderr, "word %zu of %zu is 0x%x, not 0x%x\n", i, count, words[i], value);
        check(words[i] == value);
    }
}

/* ---- groups ------------------------------------------------------------------------------------
 */

static struct fake_count before[FAKE_COUNTS_MAX];

void forget_violations(void)
{
    the_fake()->forget();
}

int before_each(void **state)
{
    (void)state;
    the_fake()->clear_faults();
    if (load_kernels() != 0) /* a reset may have unloaded them */
        return -1;
    (void)hipSetDevice(0);
    (void)hipGetLastError();
    the_fake()->forget();
    the_fake()->count(before);
    return 0;
}

/* What backend_hsa makes once and uses again: queues and their memory until the device is reset,
 * signals as long as the process lives. */
bool is_kept(const char *what)
{
    return over_hsa() && (strcmp(what, "signals") == 0 || strcmp(what, "queues") == 0 ||
                          strcmp(what, "host_allocations") == 0);
}

static int more(const char *what, unsigned now, unsigned then)
{
    if (is_kept(what))
        return 0;
    if (now > then)
        fprintf(stderr, "%u %s are left\n", now - then, what);
    return now > then;
}

int after_each(void **state)
{
    const struct fake *fake = the_fake();
    struct fake_count now[FAKE_COUNTS_MAX];
    int wrong = 0;
    (void)state;
    fake->hold(false);
    fake->clear_faults();
    size_t count = fake->count(now);
    for (size_t i = 0; i < fake->violations(); i++, wrong++)
        fprintf(stderr, "violation: %s\n", fake->violation_at(i));
    for (size_t i = 0; i < count; i++)
        wrong += more(now[i].what, now[i].count, before[i].count);
    return wrong ? -1 : 0;
}

bool nothing_is_left(void)
{
    struct fake_count counts[FAKE_COUNTS_MAX];
    size_t count = the_fake()->count(counts);
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        if (counts[i].count == 0 || (over_hsa() && strcmp(counts[i].what, "signals") == 0))
            continue;
        fprintf(stderr, "the driver still has %u %s\n", counts[i].count, counts[i].what);
        good = false;
    }
    return good;
}

int run_tests_of(const char *name, const struct CMUnitTest *tests, size_t count,
                 CMFixtureFunction start, CMFixtureFunction end)
{
    const char *vendor = the_fake()->vendor;
    struct CMUnitTest *chosen = calloc(count, sizeof *chosen);
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const struct only *only = tests[i].initial_state;
        if (only && strcmp(only->vendor, vendor) != 0) {
            printf("%s is of %s alone: %s\n", tests[i].name, only->vendor, only->why);
            continue;
        }
        chosen[used++] = tests[i];
    }
    int failed = _cmocka_run_group_tests(name, chosen, used, start, end);
    free(chosen);
    return failed;
}

/* ---- other processes ---------------------------------------------------------------------------
 */

enum { CHILD_SECONDS = 100 };

static char *read_all(int file)
{
    size_t size = 0, capacity = 4096;
    char *text = malloc(capacity);
    ssize_t got;
    while (text && (got = read(file, text + size, capacity - size - 1)) != 0) {
        if (got < 0 && errno != EINTR)
            break;
        size += got > 0 ? (size_t)got : 0;
        if (capacity - size < 1024) {
            capacity *= 2;
            text = realloc(text, capacity);
        }
    }
    if (text)
        text[size] = '\0';
    return text;
}

static void child_main(void (*function)(void), bool quickly)
{
    is_child = true;
    alarm(CHILD_SECONDS);
    function();
    fflush(NULL);
    if (quickly)
        _exit(EXIT_SUCCESS);
    exit(EXIT_SUCCESS);
}

static int run_child(void (*function)(void), bool quickly, char **out_text)
{
    int pipe_ends[2], status;
    if (out_text && pipe(pipe_ends) != 0)
        abort();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (out_text)
            dup2(pipe_ends[1], STDERR_FILENO);
        if (out_text)
            close(pipe_ends[0]), close(pipe_ends[1]);
        child_main(function, quickly);
    }
    if (out_text) {
        close(pipe_ends[1]);
        *out_text = read_all(pipe_ends[0]);
        close(pipe_ends[0]);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int child_status(void (*function)(void), char **out_text)
{
    return run_child(function, false, out_text);
}

static void must_end_well(int status)
{
    if (status == -SIGALRM)
        fprintf(stderr, "the child did not end\n");
    assert_int_equal(status, EXIT_SUCCESS);
}

void is_in_child(void)
{
    is_child = true;
}

void in_child(void (*function)(void))
{
    must_end_well(run_child(function, false, NULL));
}

void in_child_quickly(void (*function)(void))
{
    must_end_well(run_child(function, true, NULL));
}

struct sharer start_sharer(void (*share)(int end))
{
    int ends[2];
    char byte;
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        is_in_child();
        close(ends[0]);
        use_fake("80");
        share(ends[1]);
        _exit(read(ends[1], &byte, 1) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    close(ends[1]);
    return (struct sharer){child, ends[0]};
}

bool end_sharer(const struct sharer *sharer)
{
    int status = -1;
    close(sharer->end);
    return waitpid(sharer->process, &status, 0) == sharer->process && status == 0;
}

void share_event(int end)
{
    hipEvent_t event;
    hipIpcEventHandle_t handle;
    ok(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
    ok(hipIpcGetEventHandle(&handle, event));
    check(write(end, &handle, sizeof handle) == sizeof handle);
}

/* ---- the log
 * --------------------------------------------------------------------------------------- */

static int real_stderr = -1, log_file = -1;

void begin_log(void)
{
    fflush(stderr);
    real_stderr = dup(STDERR_FILENO);
    log_file = memfd_create("stderr", 0);
    dup2(log_file, STDERR_FILENO);
}

char *end_log(void)
{
    fflush(stderr);
    dup2(real_stderr, STDERR_FILENO);
    close(real_stderr);
    lseek(log_file, 0, SEEK_SET);
    char *text = read_all(log_file);
    close(log_file);
    return text;
}

size_t count_text(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

void begin_says(void)
{
    enum { WARNINGS = 2 };
    ok(hipExtSetLoggingParams(WARNINGS, 0, ~0u));
    begin_log();
}

void expect_said(int got, int wanted, const char *said, const char *call, const char *file,
                 int line)
{
    char *text = end_log();
    size_t count = count_text(text, said);
    ok(hipExtSetLoggingParams(0, 0, ~0u));
    if (count != 1)
        fprintf(stderr, "\"%s\" is in the log of %s %zu times: %s\n", said, call, count, text);
    free(text);
    expect_at(got, wanted, call, file, line);
    check_at(count == 1, "the log says it once", file, line);
}
