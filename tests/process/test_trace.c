/* The trace of a program that works on its devices, however it ends: ANYHIP_BACKEND says on which.
 * The test runs itself as that program. tests/core/test_trace.c has what needs no device. */
#include "child.h"
#include "trace_file.h"

#include <hip/hip_runtime_api.h>
#include <rocprofiler-sdk-roctx/roctx.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 1 << 20, DEVICES_MAX = 8, US = 1000 };

/* ---- the program ---------------------------------------------------------------------------- */

static void ok(hipError_t error)
{
    if (error != hipSuccess) {
        fprintf(stderr, "%s\n", hipGetErrorName(error));
        _exit(3);
    }
}

static void sleep_ms(int ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static void sleep_in_stream(void *ms)
{
    sleep_ms((int)(intptr_t)ms);
}

struct work {
    hipStream_t stream;
    hipEvent_t event;
    void *host, *device;
};

static void open_work(struct work *work)
{
    ok(hipStreamCreateWithFlags(&work->stream, hipStreamNonBlocking));
    ok(hipEventCreate(&work->event));
    ok(hipHostMalloc(&work->host, SIZE, 0));
    ok(hipMalloc(&work->device, 2 * SIZE));
}

static void close_work(struct work *work)
{
    ok(hipFree(work->device));
    ok(hipHostFree(work->host));
    ok(hipEventDestroy(work->event));
    ok(hipStreamDestroy(work->stream));
}

/* A copy each way and on the device, a fill, an event and a function of the host. */
static void submit(const struct work *work)
{
    char *device = work->device;
    ok(hipMemcpyAsync(device, work->host, SIZE, hipMemcpyHostToDevice, work->stream));
    ok(hipMemsetAsync(device + SIZE, 7, SIZE, work->stream));
    ok(hipMemcpyAsync(device, device + SIZE, SIZE, hipMemcpyDeviceToDevice, work->stream));
    ok(hipEventRecord(work->event, work->stream));
    ok(hipLaunchHostFunc(work->stream, sleep_in_stream, NULL));
    ok(hipMemcpyAsync(work->host, device, SIZE, hipMemcpyDeviceToHost, work->stream));
    ok(hipStreamSynchronize(work->stream));
}

static void work_on_all(void)
{
    int devices;
    struct work work;
    ok(hipGetDeviceCount(&devices));
    for (int i = 0; i < devices; i++) {
        ok(hipSetDevice(i));
        open_work(&work);
        submit(&work);
        if (*(char *)work.host != 7)
            _exit(4);
        close_work(&work);
        sleep_ms(50); /* so that the next device's work is later by any clock */
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

/* Prints how many microseconds the first call took. */
static void call_once(void)
{
    int devices;
    double begin = now();
    ok(hipGetDeviceCount(&devices));
    printf("%f\n", now() - begin);
}

/* A fill and a copy in a graph, with memory of its own: two launches. */
static void launch_graph(void)
{
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t alloc, fill, release;
    struct work work;
    hipMemAllocNodeParams memory = {
        .poolProps = {.allocType = hipMemAllocationTypePinned,
                      .location = {.type = hipMemLocationTypeDevice, .id = 0}},
        .bytesize = SIZE,
    };
    open_work(&work);
    ok(hipGraphCreate(&graph, 0));
    ok(hipGraphAddMemAllocNode(&alloc, graph, NULL, 0, &memory));
    hipMemsetParams filled = {
        .dst = memory.dptr, .elementSize = 1, .width = SIZE, .height = 1, .value = 3};
    ok(hipGraphAddMemsetNode(&fill, graph, &alloc, 1, &filled));
    ok(hipGraphAddMemFreeNode(&release, graph, &fill, 1, memory.dptr));
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    for (int i = 0; i < 2; i++) {
        ok(hipGraphLaunch(exec, work.stream));
        ok(hipStreamSynchronize(work.stream));
    }
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    ok(hipDeviceGraphMemTrim(0));
    close_work(&work);
}

#define COPY "\"copy device to host\""

static size_t occurrences(const char *text, const char *word)
{
    size_t found = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        found++;
    return found;
}

/* Until the file has that word so many times, and is a complete list. While it is written it is
 * not, and who kills the process because of what he has read so far would cut it off there. */
static void wait_for(const char *word, size_t count)
{
    static char text[16 << 20];
    size_t size;
    do {
        FILE *file = fopen(getenv("ANYHIP_TRACE"), "re");
        size = file ? fread(text, 1, sizeof text - 1, file) : 0;
        if (file)
            fclose(file);
        text[size] = '\0';
        sleep_ms(1);
    } while (occurrences(text, word) < count || strcmp(text + size - 3, "\n]\n") != 0);
}

/* A graph that drivers run by themselves, if they do that: two fills, one after the other. */
static void launch_fills(bool is_killed)
{
    hipGraph_t graph;
    hipGraphExec_t exec;
    struct work work;
    open_work(&work);
    ok(hipStreamBeginCapture(work.stream, hipStreamCaptureModeGlobal));
    ok(hipMemsetAsync(work.device, 1, SIZE, work.stream));
    ok(hipMemsetAsync((char *)work.device + SIZE, 2, SIZE, work.stream));
    ok(hipStreamEndCapture(work.stream, &graph));
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    for (int i = 0; i < 3; i++)
        ok(hipGraphLaunch(exec, work.stream));
    ok(hipStreamSynchronize(work.stream));
    if (is_killed) {
        wait_for("\"graph launch\"", 6); /* of three slices, or of nodes */
        raise(SIGKILL);
    }
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    close_work(&work);
}

/* Ends while the device works. */
static void leave_early(void)
{
    struct work work;
    open_work(&work);
    ok(hipMemsetAsync(work.device, 0, SIZE, work.stream));
    ok(hipLaunchHostFunc(work.stream, sleep_in_stream, (void *)(intptr_t)300));
    ok(hipMemcpyAsync(work.device, work.host, SIZE, hipMemcpyHostToDevice, work.stream));
    exit(0);
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* hipProfilerStart, hipProfilerStop */

static void pause_and_resume(void)
{
    struct work work;
    open_work(&work);
    submit(&work);
    ok(hipProfilerStop());
    ok(hipProfilerStop());
    for (int i = 0; i < 20; i++)
        submit(&work);
    ok(hipProfilerStart());
    ok(hipProfilerStart());
    submit(&work);
    close_work(&work);
}

static void *submit_in_thread(void *work)
{
    submit(work);
    return NULL;
}

/* By ROCTX, and in the middle of a pause of hipProfilerStop: each has to end. */
static void pause_by_roctx(void)
{
    struct work work;
    open_work(&work);
    submit(&work);
    if (roctxProfilerPause(0) != 0 || roctxProfilerPause(0) != 0)
        _exit(7);
    for (int i = 0; i < 20; i++)
        submit(&work);
    ok(hipProfilerStop());
    if (roctxProfilerResume(0) != 0)
        _exit(7);
    submit(&work);
    ok(hipProfilerStart());
    submit(&work);
    close_work(&work);
}

/* Of one of two threads. */
static void pause_thread_by_roctx(void)
{
    struct work work;
    pthread_t thread;
    roctx_thread_id_t self;
    open_work(&work);
    if (roctxGetThreadId(&self) != 0 || roctxProfilerPause(self) != 0)
        _exit(7);
    submit(&work);
    if (pthread_create(&thread, NULL, submit_in_thread, &work) != 0)
        _exit(8);
    pthread_join(thread, NULL);
    submit(&work);
    if (roctxProfilerResume(self) != 0)
        _exit(7);
    submit(&work);
    close_work(&work);
}

static void work_until_killed(int signal)
{
    struct work work;
    open_work(&work);
    submit(&work);
    submit(&work);
    wait_for(COPY, 2);
    submit(&work);
    raise(signal);
}

/* A file that does not take any more, and then work. */
static void fill_disk(void)
{
    struct work work;
    struct rlimit limit = {20000, 20000};
    signal(SIGXFSZ, SIG_IGN);
    open_work(&work);
    submit(&work);
    wait_for(COPY, 1);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        _exit(5);
    for (int i = 0; i < 50; i++)
        submit(&work);
    close_work(&work);
}

/* A sanitizer that looks for leaks at the end asks for this. A child has one thread, and memory of
 * the others looks leaked. */
static _Atomic(int) is_child;
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return is_child;
}

static void fork_child(void)
{
    int status = -1;
    struct work work;
    open_work(&work);
    submit(&work);
    pid_t child = fork();
    if (child == 0) {
        is_child = 1;
        exit(hipDeviceSynchronize() == hipErrorNotInitialized ? 0 : 1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        _exit(6);
    submit(&work);
    close_work(&work);
}

static int run_program(const char *what)
{
    if (strcmp(what, "work") == 0)
        work_on_all();
    else if (strcmp(what, "graph") == 0)
        launch_graph();
    else if (strcmp(what, "first") == 0)
        call_once();
    else if (strcmp(what, "fills") == 0)
        launch_fills(false);
    else if (strcmp(what, "killed") == 0)
        launch_fills(true);
    else if (strcmp(what, "leave") == 0)
        leave_early();
    else if (strcmp(what, "pause") == 0)
        pause_and_resume();
    else if (strcmp(what, "roctx") == 0)
        pause_by_roctx();
    else if (strcmp(what, "roctx_thread") == 0)
        pause_thread_by_roctx();
    else if (strcmp(what, "full") == 0)
        fill_disk();
    else if (strcmp(what, "fork") == 0)
        fork_child();
    else
        work_until_killed(atoi(what));
    return 0;
}

/* ---- reading what it wrote --------------------------------------------------------------------
 */

static int set_up(void **state)
{
    int error = ah_test_set_up(state);
    ah_test_setenv("ANYHIP_TRACE", trace_path());
    return error;
}

#define TRACE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, ah_test_tear_down)

static struct ah_test_run run(const char *what)
{
    return ah_child_run("/proc/self/exe", ah_test_print("--program %s", what));
}

static void run_well(const char *what)
{
    ah_child_run_well("/proc/self/exe", ah_test_print("--program %s", what));
}

/* Of commands, which may be done in several pieces. */
static int count_commands(const cJSON *list, const char *name, double *out_bytes)
{
    int found = 0;
    double last = -1;
    const cJSON *event;
    *out_bytes = 0;
    cJSON_ArrayForEach(event, list)
    {
        if (!is_event(event, "X", name))
            continue;
        found += number_if_any(args_of(event), "command") != last;
        last = number_if_any(args_of(event), "command");
        *out_bytes += number_if_any(args_of(event), "bytes");
    }
    return found;
}

static double end_of(const cJSON *slice)
{
    return number_if_any(slice, "ts") + number_if_any(slice, "dur");
}

/* The slice of a call that the work names, NULL: there is none. */
static const cJSON *call_of(const cJSON *list, const cJSON *work)
{
    const cJSON *event;
    cJSON_ArrayForEach(event, list) if (strcmp(text_of(event, "cat"), "hip") == 0 &&
                                        number_if_any(args_of(event), "call") ==
                                            number_if_any(args_of(work), "call")) return event;
    return NULL;
}

static int devices_of(const cJSON *list)
{
    int devices = 0;
    const cJSON *event;
    cJSON_ArrayForEach(event, list) devices +=
        is_event(event, "M", "process_name") &&
        strncmp(text_of(args_of(event), "name"), "GPU ", 4) == 0;
    return devices;
}

/* ---- what devices did ----------------------------------------------------------------------- */

/* Work is later than the call that submitted it, as exactly as clocks are compared on a machine
 * that is busy. */
static void expect_after_call(const cJSON *list, const cJSON *work, const char *name)
{
    const cJSON *call = call_of(list, work);
    if (number_if_any(args_of(work), "call") == 0)
        return; /* a further piece */
    assert_non_null(call);
    assert_string_equal(text_of(call, "name"), name);
    assert_true(number_if_any(work, "ts") > number_if_any(call, "ts") - 20 * US);
    assert_true(number_if_any(work, "ts") < end_of(call) + 60e6);
}

static void each_device_has_its_work_with_times(void **state)
{
    (void)state;
    static const struct {
        const char *name, *call;
    } works[] = {{"copy host to device", "hipMemcpyAsync"},
                 {"fill", "hipMemsetAsync"},
                 {"copy on device", "hipMemcpyAsync"},
                 {"copy device to host", "hipMemcpyAsync"}};
    run_well("work");
    cJSON *list = trace_read(trace_path());
    const cJSON *event;
    double bytes;
    int devices = devices_of(list);
    assert_true(devices >= 1);
    assert_int_equal(count_events(list, "M", "process_labels"), devices);
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        assert_int_equal(count_commands(list, works[i].name, &bytes), devices);
        assert_float_equal(bytes, (double)devices * SIZE, 0);
        cJSON_ArrayForEach(event, list) if (is_event(event, "X", works[i].name))
            expect_after_call(list, event, works[i].call);
    }
    assert_int_equal(count_events(list, "s", "submitted"), count_events(list, "f", "submitted"));
    assert_int_equal(number_if_any(args_of(cJSON_GetArrayItem(list, cJSON_GetArraySize(list) - 1)),
                                   "lost_by_devices"),
                     0);
    cJSON_Delete(list);
}

/* AH_TEST_METHODS: of the first device and the second, or of all. */
static void the_trace_says_how_times_are_taken(void **state)
{
    (void)state;
    run_well("work");
    cJSON *list = trace_read(trace_path());
    const cJSON *event;
    char *rest = NULL, *methods = ah_test_print("%s", getenv("AH_TEST_METHODS"));
    const char *method = strtok_r(methods, ",", &rest);
    for (int device = 0; device < devices_of(list); device++) {
        const char *label = "";
        cJSON_ArrayForEach(event, list) if (is_event(event, "M", "process_labels") &&
                                            number_of(event, "pid") == 100000000 + device) label =
            text_of(args_of(event), "labels");
        assert_string_equal(label, ah_test_print("times: %s", method));
        const char *next = strtok_r(NULL, ",", &rest);
        method = next ? next : method;
    }
    cJSON_Delete(list);
}

/* The program works on one device after the other, whosever they are. */
static void devices_share_one_time_line(void **state)
{
    (void)state;
    run_well("work");
    cJSON *list = trace_read(trace_path());
    const cJSON *event;
    double first[DEVICES_MAX], last[DEVICES_MAX];
    int devices = devices_of(list);
    assert_true(devices <= DEVICES_MAX);
    for (int i = 0; i < devices; i++) {
        first[i] = 1e300;
        last[i] = 0;
    }
    cJSON_ArrayForEach(event, list)
    {
        int device = (int)(number_if_any(event, "pid") - 100000000);
        if (strcmp(text_of(event, "ph"), "X") != 0 || device < 0)
            continue;
        assert_true(device < devices);
        if (number_if_any(event, "ts") < first[device])
            first[device] = number_if_any(event, "ts");
        if (end_of(event) > last[device])
            last[device] = end_of(event);
    }
    for (int i = 1; i < devices; i++)
        assert_true(first[i] > last[i - 1]);
    cJSON_Delete(list);
}

/* The share of the first call of a program, by the program's clock, that its slice has. */
static double traced_share_of_the_first_call(void)
{
    struct ah_test_run done = run("first");
    cJSON *list = trace_read(trace_path());
    const cJSON *event;
    double whole = strtod(done.out, NULL), traced = 0;
    cJSON_ArrayForEach(event, list)
    {
        if (is_event(event, "B", "hipGetDeviceCount"))
            traced -= number_of(event, "ts");
        else if (is_call(event, "hipGetDeviceCount"))
            traced += is_event(event, "X", "hipGetDeviceCount") ? number_of(event, "dur")
                                                                : number_of(event, "ts");
    }
    cJSON_Delete(list);
    assert_true(traced > 0 && traced <= whole);
    return traced / whole;
}

/* It takes milliseconds, and hardly anything is between the program's clock and the trace's, unless
 * the host does something else just then. */
static void the_first_call_includes_the_initialisation(void **state)
{
    (void)state;
    enum { TRIES = 10 };
    double share = 0;
    for (int i = 0; i < TRIES && share <= 0.5; i++)
        share = traced_share_of_the_first_call();
    assert_true(share > 0.5);
}

static void work_under_way_at_the_end_is_recorded(void **state)
{
    (void)state;
    double bytes;
    run_well("leave");
    cJSON *list = trace_read(trace_path());
    assert_int_equal(count_commands(list, "fill", &bytes), 1);
    assert_int_equal(count_commands(list, "copy host to device", &bytes), 1);
    assert_float_equal(bytes, SIZE, 0);
    cJSON_Delete(list);
}

static void a_launch_of_a_graph_has_its_nodes(void **state)
{
    (void)state;
    double bytes;
    run_well("graph");
    cJSON *list = trace_read(trace_path());
    const cJSON *event;
    assert_int_equal(count_events(list, "X", "graph launch"), 2);
    assert_int_equal(count_commands(list, "fill", &bytes), 2);
    assert_float_equal(bytes, 2 * SIZE, 0);
    cJSON_ArrayForEach(event, list)
    {
        if (!is_event(event, "X", "graph launch"))
            continue;
        assert_int_equal(number_if_any(args_of(event), "nodes"), 1);
        assert_int_equal((int)number_if_any(event, "tid") % 16, 0); /* in the row of the stream */
        expect_after_call(list, event, "hipGraphLaunch");
    }
    cJSON_Delete(list);
}

/* Whether nodes have times of their own depends on the driver; without, the launch is all there is.
 */
static void a_graph_that_the_driver_runs_is_one_slice_and_its_nodes(void **state)
{
    (void)state;
    run_well("fills");
    cJSON *list = trace_read(trace_path());
    const cJSON *event;
    int launches = 0, others = 0, with_nodes = 0;
    cJSON_ArrayForEach(event, list)
    {
        bool is_launch = is_event(event, "X", "graph launch");
        bool of_device =
            strcmp(text_of(event, "ph"), "X") == 0 && number_if_any(event, "pid") >= 1e8;
        launches += is_launch;
        with_nodes += is_launch && number_if_any(args_of(event), "nodes") == 2;
        others += of_device && !is_launch;
        if (is_launch)
            expect_after_call(list, event, "hipGraphLaunch");
    }
    assert_int_equal(launches, 3);
    assert_true(with_nodes == 0 ? others == 0 : with_nodes == 3 && others >= 6);
    cJSON_Delete(list);
}

/* The last launch too, which no work comes behind: as a slice of its own, or by its nodes, whose
 * names are those of commands or of nodes. */
static void launches_are_there_after_a_sudden_end(void **state)
{
    (void)state;
    assert_int_equal(run("killed").status, 128 + SIGKILL);
    cJSON *list = trace_read(trace_path());
    const cJSON *event;
    int launches = count_events(list, "X", "graph launch"), fills = 0;
    cJSON_ArrayForEach(event, list) fills += strcmp(text_of(event, "cat"), "fill") == 0;
    assert_true(launches == 3 || fills > 0);
    cJSON_Delete(list);
}

static void memory_of_graphs_is_counted(void **state)
{
    (void)state;
    run_well("graph");
    cJSON *list = trace_read(trace_path());
    const cJSON *event;
    double most = 0, last = -1;
    cJSON_ArrayForEach(event, list)
    {
        if (!is_event(event, "C", "memory in use"))
            continue;
        last = number_if_any(args_of(event), "graphs");
        most = last > most ? last : most;
    }
    assert_true(most >= SIZE && most < 64 * SIZE);
    assert_float_equal(last, 0, 0);
    cJSON_Delete(list);
}

static void what_happens_between_stop_and_start_is_left_out(void **state)
{
    (void)state;
    run_well("pause");
    cJSON *list = trace_read(trace_path());
    assert_int_equal(count_events(list, "X", "copy device to host"), 2);
    assert_int_equal(count_calls(list, "hipMemcpyAsync"), 6);
    assert_int_equal(count_calls(list, "hipProfilerStop"), 1);
    assert_int_equal(count_calls(list, "hipStreamDestroy"), 1);
    cJSON_Delete(list);
}

static void pauses_by_roctx_leave_out_calls_and_work(void **state)
{
    (void)state;
    run_well("roctx");
    cJSON *list = trace_read(trace_path());
    double bytes;
    assert_int_equal(count_commands(list, "copy device to host", &bytes), 2);
    assert_int_equal(count_calls(list, "hipMemcpyAsync"), 6);
    assert_int_equal(count_calls(list, "hipStreamDestroy"), 1);
    cJSON_Delete(list);
}

static void a_thread_may_pause_by_itself(void **state)
{
    (void)state;
    run_well("roctx_thread");
    cJSON *list = trace_read(trace_path());
    const cJSON *event;
    double bytes, first = 0;
    int other = 0;
    assert_int_equal(count_commands(list, "copy device to host", &bytes), 2);
    assert_int_equal(count_calls(list, "hipMemcpyAsync"), 6);
    cJSON_ArrayForEach(event, list)
    {
        if (!is_call(event, "hipMemcpyAsync"))
            continue;
        first = first == 0 ? number_of(event, "tid") : first;
        other += number_of(event, "tid") != first;
    }
    assert_int_equal(other, 3);
    cJSON_Delete(list);
}

/* Of a fake driver whose questions about times fail. */
static void a_driver_that_does_not_tell_times_costs_slices_and_no_work(void **state)
{
    (void)state;
    run_well("work");
    cJSON *list = trace_read(trace_path());
    const cJSON *event, *end = find_event(list, "M", "anyhip_trace_end");
    int calls = 0, slices = 0;
    cJSON_ArrayForEach(event, list)
    {
        const char *category = text_of(event, "cat");
        bool has_result = strcmp(category, "hip") == 0 && strcmp(text_of(event, "ph"), "B") != 0;
        slices += strcmp(category, "copy") == 0 || strcmp(category, "fill") == 0;
        calls += has_result;
        if (has_result)
            assert_string_equal(text_of(args_of(event), "result"), "hipSuccess");
    }
    assert_true(calls > 0);
    assert_int_equal(slices, 0);
    assert_true(number_of(args_of(end), "lost_by_devices") > 0);
    cJSON_Delete(list);
}

/* ---- ends -------------------------------------------------------------------------------------
 */

static void a_sudden_end_leaves_what_was_written(void **state)
{
    (void)state;
    static const int signals[] = {SIGKILL, SIGSEGV, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct ah_test_run done = run(ah_test_print("%d", signals[i]));
        assert_int_not_equal(done.status, 0);
        cJSON *list = trace_read_left(trace_path());
        assert_true(count_events(list, "X", "copy device to host") >= 2);
        assert_int_equal(count_events(list, "M", "anyhip_trace_end"), 0);
        cJSON_Delete(list);
    }
}

static void a_full_disk_leaves_a_whole_file(void **state)
{
    (void)state;
    struct stat about;
    struct ah_test_run done = run("full");
    assert_int_equal(done.status, 0);
    assert_int_equal(ah_test_count_lines(done.err), 1);
    assert_contains(done.err, "ends before the program does: File too large");
    assert_int_equal(stat(trace_path(), &about), 0);
    assert_true(about.st_size <= 20000);
    cJSON *list = trace_read(trace_path());
    assert_true(count_events(list, "X", "copy device to host") >= 1);
    cJSON_Delete(list);
}

static void a_child_leaves_the_trace_to_its_parent(void **state)
{
    (void)state;
    run_well("fork");
    cJSON *list = trace_read(trace_path());
    assert_int_equal(count_events(list, "X", "copy device to host"), 2);
    assert_int_equal(count_calls(list, "hipDeviceSynchronize"), 0);
    cJSON_Delete(list);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TRACE_TEST(each_device_has_its_work_with_times),
        TRACE_TEST(the_trace_says_how_times_are_taken),
        TRACE_TEST(devices_share_one_time_line),
        TRACE_TEST(the_first_call_includes_the_initialisation),
        TRACE_TEST(work_under_way_at_the_end_is_recorded),
        TRACE_TEST(a_launch_of_a_graph_has_its_nodes),
        TRACE_TEST(a_graph_that_the_driver_runs_is_one_slice_and_its_nodes),
        TRACE_TEST(launches_are_there_after_a_sudden_end),
        TRACE_TEST(memory_of_graphs_is_counted),
        TRACE_TEST(what_happens_between_stop_and_start_is_left_out),
        TRACE_TEST(pauses_by_roctx_leave_out_calls_and_work),
        TRACE_TEST(a_thread_may_pause_by_itself),
        TRACE_TEST(a_sudden_end_leaves_what_was_written),
        TRACE_TEST(a_full_disk_leaves_a_whole_file),
        TRACE_TEST(a_child_leaves_the_trace_to_its_parent),
    };
    const struct CMUnitTest without_times[] = {
        TRACE_TEST(a_driver_that_does_not_tell_times_costs_slices_and_no_work),
    };
    if (argc == 3 && strcmp(argv[1], "--program") == 0)
        return run_program(argv[2]);
    if (argc == 2 && strcmp(argv[1], "--without-times") == 0)
        return cmocka_run_group_tests_name("trace", without_times, NULL, NULL);
    return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
