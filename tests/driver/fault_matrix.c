/* The fault matrix: each call of the driver that the program of fault_program.c makes fails once,
 * with a code that the driver documents. After each:
 *   - some call of the program returned an error, or fault_codes.c has a row that says why not;
 *   - what the driver still has is what it has without the fault;
 *   - the next calls work on every device, after a reset where the device has failed;
 *   - when all devices are reset the driver has nothing left, no rule of its was broken, and no
 *     file and no memory of the library is lost.
 * The same for each allocation of the library.
 * Each case runs in a process of its own, which has some seconds to end.
 *
 *   test_driver_fault_matrix [full] [of=I/N] [only=SECTION[:FUNCTION[:NTH[:CODE]]]] [-v]
 *
 * Without `full` each call fails with one of its codes, which take turns. of: every Nth case, and
 * every Nth section repeatedly. The FUNCTION "allocation" is every allocation, and "none" runs the
 * section without a fault, once and repeatedly.
 * DRIVER_TESTS_VENDOR chooses the driver, as for all tests of this folder. */
#include "fault_codes.h"
#include "fault_memory.h"
#include "fault_program.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS_MAX = 512, CASE_SECONDS = 100, CALLS_MAX = 4096 };

struct fault {
    size_t section;
    const char *function; /* NULL: nothing fails */
    unsigned nth;
    int code;
};

/* The function of faults that are the library's own allocations. */
static const char allocation[] = "allocation";
/* No function, where the section is run without a fault. */
static const char none[] = "none";

/* What a process has to say, in memory that it shares with its parent. */
struct outcome {
    bool finished, reached, device_failed;
    struct told told;
    struct fake_count counts[FAKE_COUNTS_MAX];
    size_t count_count;
    unsigned calls[ROWS_MAX];    /* of the section, by row */
    unsigned files, allocations; /* allocations: calls of the library, in the section */
    long live;                   /* blocks of the library that are left */
    unsigned long where;         /* in the library, of the allocation that failed */
};
static struct outcome *outcome;
static long expected_live = -1; /* blocks that are or may be left; -1: not known yet */
static unsigned more_rounds;    /* of a section, before the one that counts */

static struct settings {
    bool full, verbose;
    unsigned share, shares;
    char section[32], function[64];
    unsigned nth;
    int code;
} settings = {.shares = 1};

/* ---- one case, in its process -------------------------------------------------------------- */

static void not_so(const char *what)
{
    fprintf(stderr, "%s\n", what);
    _exit(EXIT_FAILURE);
}

static unsigned count_entries(const char *path)
{
    unsigned count = 0;
    DIR *folder = opendir(path);
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

/* Whether the library has no device to work with since it began. */
static bool has_no_device(void)
{
    int count = 0;
    hipError_t error = hipGetDeviceCount(&count);
    return error != hipSuccess || count == 0;
}

/* Without memory for the configuration the library starts with the defaults, which the log says:
 * other drivers and other devices than the program's code is for. */
static bool is_of_settings(const struct fault *fault)
{
    return fault->function == allocation && fault->section == 0;
}

/* believed: the driver's word on the program's code stays what it is. */
static void next_call_works_on(int device, bool believed)
{
    uint32_t *memory = NULL, word = 0;
    hipStream_t stream;
    ok(hipSetDevice(device));
    ok(hipStreamCreate(&stream));
    ok(hipMalloc((void **)&memory, 64));
    hipError_t error = launch_fill(memory, 77, 1, stream);
    if (!believed)
        ok(error);
    ok(hipStreamSynchronize(stream));
    ok(hipMemcpy(&word, memory, 4, hipMemcpyDeviceToHost));
    check(word == 77 || error != hipSuccess);
    ok(hipFree(memory));
    ok(hipStreamDestroy(stream));
}

/* A device that has failed says so until it is reset. */
static void reset_if_failed(int device)
{
    void *memory;
    if (hipSetDevice(device) == hipSuccess && hipDeviceSynchronize() == hipSuccess)
        return;
    outcome->device_failed = true;
    if (hipMalloc(&memory, 64) == hipSuccess)
        not_so("a device that has failed gives memory");
    ok(hipDeviceReset());
    ok(hipDeviceSynchronize());
}

static void next_calls_work(const struct fault *fault)
{
    bool believed =
        fault->function && (is_of_settings(fault) || fault_is_answer(fault->function, fault->code));
    int count = 0;
    if (has_no_device()) {
        void *memory;
        if (hipMalloc(&memory, 64) == hipSuccess)
            not_so("there is no device, and it gives memory");
        return;
    }
    ok(hipGetDeviceCount(&count));
    for (int i = 0; i < count; i++)
        reset_if_failed(i);
    for (int i = 0; i < count; i++)
        next_call_works_on(i, believed);
    ok(hipSetDevice(0));
}

static void note_calls(unsigned calls[ROWS_MAX], int sign)
{
    const char *name;
    for (size_t i = 0; (name = the_fake()->function_at(i)); i++)
        calls[i] += (unsigned)sign * the_fake()->calls(name);
}

static void run_section(const struct fault *fault)
{
    const struct fake *fake = the_fake();
    note_calls(outcome->calls, -1);
    told = (struct told){0};
    unsigned before = fault_memory_calls();
    if (fault->function == allocation)
        fault_memory_fail(fault->nth);
    else if (fault->function)
        fake->fail_call(fault->function, fault->nth, fault->code);
    fault_sections[fault->section].run();
    outcome->told = told;
    outcome->reached =
        fault->function == allocation ? fault_memory_has_failed() : !fake->has_faults();
    outcome->allocations = fault_memory_calls() - before;
    outcome->where = fault_memory_where();
    fault_memory_fail(0);
    fake->clear_faults();
    note_calls(outcome->calls, 1);
}

static bool may_lose(const struct fault *fault)
{
    return fault->function &&
           (fault_is_denial(fault->function, fault->code) ||
            fault_is_of_reset(fault->function, fault_sections[fault->section].name));
}

static bool may_leave_blocks(const struct fault *fault)
{
    return may_lose(fault) || is_of_settings(fault);
}

/* Threads of the library that are ending may still own a block or two. */
static long settled_live(const struct fault *fault)
{
    enum { TRIES = 2000, NAP_US = 1000 };
    bool waits = expected_live >= 0 && !may_leave_blocks(fault);
    for (int i = 0; i < TRIES && waits && fault_memory_live() > expected_live; i++)
        usleep(NAP_US);
    return fault_memory_live();
}

static void end_library(const struct fault *fault)
{
    for (int i = 0; i < 2; i++) /* mappings outlive a reset */
        (void)hipDeviceGraphMemTrim(i);
    if (unregister_kernels() != 0)
        not_so("a device cannot be reset");
    outcome->files = count_entries("/proc/self/fd");
    outcome->live = settled_live(fault);
    const struct fake *fake = the_fake();
    for (size_t i = 0; i < fake->violations(); i++)
        fprintf(stderr, "violation: %s\n", fake->violation_at(i));
    check(fake->violations() == 0);
    check(may_lose(fault) || nothing_is_left());
}

static void run_case(const struct fault *fault)
{
    const struct fake *fake = the_fake();
    alarm(CASE_SECONDS);
    use_fake("80,90");
    /* No section has more in flight, and each process would write to whole rings. */
    setenv("FAKEHSA_QUEUE_PACKETS", "256", 1);
    setenv("AMD_LOG_LEVEL", settings.verbose ? "3" : "0", 1);
    register_kernels();
    if (fault->section > 0) {
        fault_sections[0].run();
        if (told.failures > 0)
            not_so(told.first);
    }
    for (unsigned i = 0; i < more_rounds; i++)
        fault_sections[fault->section].run();
    run_section(fault);
    if (fault->section > 0) /* sections begin and end with what was there */
        outcome->count_count = fake->count(outcome->counts);
    next_calls_work(fault);
    end_library(fault);
    outcome->finished = true;
    _exit(EXIT_SUCCESS);
}

/* ---- cases, from outside ------------------------------------------------------------------- */

static char *take_text(int file)
{
    static char text[2048];
    ssize_t size = pread(file, text, sizeof text - 1, 0);
    text[size > 0 ? size : 0] = '\0';
    return text;
}

/* NULL, or what is wrong. */
static const char *run_child(const struct fault *fault)
{
    static char words[2304];
    int status, file = memfd_create("stderr", MFD_CLOEXEC);
    *outcome = (struct outcome){0};
    pid_t child = fork();
    if (child == 0) {
        is_in_child();
        if (!settings.verbose)
            dup2(file, STDERR_FILENO);
        run_case(fault);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    const char *text = take_text(file);
    close(file);
    if (outcome->finished)
        return NULL;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(words, sizeof words, "it hangs\n%s", text);
    else if (WIFSIGNALED(status))
        snprintf(words, sizeof words, "it ended with signal %d\n%s", WTERMSIG(status), text);
    else
        snprintf(words, sizeof words, "%s", text);
    return words;
}

/* Kinds that a backend keeps vary with what was made first; the rest may not. */
static const char *compare(const struct fault *fault, const struct outcome *clean)
{
    static char words[160];
    bool counts = !outcome->device_failed && !may_lose(fault) &&
                  !fault_is_put_off(fault->function, fault_sections[fault->section].name);
    for (size_t i = 0; i < clean->count_count && counts; i++) {
        unsigned now = outcome->counts[i].count, then = clean->counts[i].count;
        snprintf(words, sizeof words, "the driver has %u %s more than without the fault",
                 now - then, clean->counts[i].what);
        bool kept =
            is_kept(clean->counts[i].what) || strcmp(clean->counts[i].what, "contexts") == 0;
        if (now > then && !kept)
            return words;
    }
    snprintf(words, sizeof words, "%u files are open, %u without the fault", outcome->files,
             clean->files);
    if (outcome->files > clean->files && !may_lose(fault))
        return words;
    snprintf(words, sizeof words, "%ld blocks are left, %ld without the fault", outcome->live,
             clean->live);
    if (outcome->live > clean->live && !may_leave_blocks(fault))
        return words;
    return NULL;
}

static struct {
    unsigned sections, cases, wrong, quiet, unreached;
} totals;

static void run_fault(const struct fault *fault, const struct outcome *clean)
{
    static unsigned number;
    if (number++ % settings.shares != settings.share)
        return;
    const char *section = fault_sections[fault->section].name;
    const char *wrong = run_child(fault);
    if (!wrong)
        wrong = compare(fault, clean);
    totals.cases++;
    totals.unreached += !outcome->reached && !wrong;
    bool silent = !wrong && outcome->reached && outcome->told.failures == 0;
    bool excused = silent && (fault_is_quiet(fault->function, section, fault->code) ||
                              fault_is_of_reset(fault->function, section));
    if (silent && !excused)
        wrong = "nobody was told";
    totals.quiet += excused;
    totals.wrong += wrong != NULL;
    if (wrong || settings.verbose)
        printf("%s: only=%s:%s:%u:%d: %s (0x%lx)%s%s\n", wrong ? "WRONG" : "right", section,
               fault->function, fault->nth, fault->code, wrong ? wrong : "", outcome->where,
               *outcome->told.first ? " | " : "", outcome->told.first);
    fflush(stdout);
}

static void fail_call(struct fault *fault, const struct outcome *clean, unsigned turn)
{
    int codes[FAULT_CODES_MAX];
    size_t count = fault_codes(the_fake()->vendor, fault->function, codes);
    if (settings.code != 0) {
        fault->code = settings.code;
        run_fault(fault, clean);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        fault->code = codes[settings.full ? i : turn % count];
        run_fault(fault, clean);
        if (!settings.full)
            break;
    }
}

static void fail_allocations(struct fault *fault, const struct outcome *clean)
{
    fault->function = allocation;
    fault->code = 0;
    if (*settings.function && strcmp(settings.function, allocation) != 0)
        return;
    for (fault->nth = 1; fault->nth <= clean->allocations; fault->nth++)
        if (settings.nth == 0 || settings.nth == fault->nth)
            run_fault(fault, clean);
}

/* What a section does often leaves no more than what it does once. */
static void repeat(const struct fault *fault, const struct outcome *clean)
{
    enum { ROUNDS = 20 };
    if (fault->section % settings.shares != settings.share)
        return;
    more_rounds = ROUNDS;
    expected_live = clean->live + ROUNDS - 1;
    const char *wrong = run_child(fault);
    more_rounds = 0;
    expected_live = clean->live;
    if (!wrong && (outcome->live >= clean->live + ROUNDS || outcome->files > clean->files))
        wrong = "each time more is left";
    if (wrong)
        printf("WRONG: %s, repeated: %s: %ld blocks are left, %ld after one time\n",
               fault_sections[fault->section].name, wrong, outcome->live, clean->live);
    totals.wrong += wrong != NULL;
}

static void fail_calls_of(size_t section)
{
    static struct outcome clean;
    struct fault fault = {.section = section};
    expected_live = -1;
    const char *wrong = run_child(&fault);
    clean = *outcome;
    expected_live = clean.live;
    if (wrong || clean.told.failures > 0) {
        printf("WRONG: %s without a fault: %s%s\n", fault_sections[section].name,
               wrong ? wrong : "", clean.told.first);
        totals.wrong++;
        return;
    }
    repeat(&fault, &clean);
    totals.sections++;
    fail_allocations(&fault, &clean);
    for (size_t row = 0; (fault.function = the_fake()->function_at(row)); row++) {
        if (*settings.function && strcmp(settings.function, fault.function) != 0)
            continue;
        for (fault.nth = 1; fault.nth <= clean.calls[row]; fault.nth++)
            if (settings.nth == 0 || settings.nth == fault.nth)
                fail_call(&fault, &clean, (unsigned)row + fault.nth);
    }
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void read_argument(const char *argument)
{
    if (strcmp(argument, "full") == 0)
        settings.full = true;
    else if (strcmp(argument, "-v") == 0)
        settings.verbose = true;
    else if (sscanf(argument, "of=%u/%u", &settings.share, &settings.shares) == 2)
        settings.share = (settings.share - 1) % settings.shares;
    else if (sscanf(argument, "only=%31[^:]:%63[^:]:%u:%i", settings.section, settings.function,
                    &settings.nth, &settings.code) < 1) {
        fprintf(stderr, "what is %s?\n", argument);
        exit(2);
    }
}

/* Libraries that each process would look for, load and bind; the ones that are missing leave the
 * dynamic linker with the folders that there are not. */
static void load_libraries(void)
{
    static const char *const names[] = {"libstdc++.so.6", "librocprofiler-register.so.0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        read_argument(argv[i]);
    load_libraries();
    outcome =
        mmap(NULL, sizeof *outcome, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const struct sharer sharer = start_sharer(share_event);
    if (outcome == MAP_FAILED ||
        read(sharer.end, &fault_event, sizeof fault_event) != sizeof fault_event)
        return EXIT_FAILURE;
    for (size_t i = 0; i < fault_section_count; i++)
        if (!*settings.section || strcmp(settings.section, fault_sections[i].name) == 0)
            fail_calls_of(i);
    printf("%s: %u cases, %u wrong, %u of which callers need not be told, %u not reached\n",
           the_fake()->vendor, totals.cases, totals.wrong, totals.quiet, totals.unreached);
    unsigned tests = strcmp(settings.function, none) == 0 ? totals.sections : totals.cases;
    return end_sharer(&sharer) && totals.wrong == 0 && tests > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
