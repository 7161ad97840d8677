/* Copies and fills: at once, behind signals, boxes; memory of other processes. */
#include "calls.h"

#include <sys/wait.h>

enum { SIZE = 64 << 10 };
static unsigned char *host, *device, *device2, *own;

static void prepare(void)
{
    hsa_agent_t both[] = {here.gpu, here.other};
    host = new_memory(here.host, SIZE);
    device = new_memory(here.device, SIZE);
    device2 = new_memory(here.device2, SIZE);
    own = malloc(SIZE);
    must(rt.hsa_amd_agents_allow_access(2, both, NULL, host));
    must(rt.hsa_amd_agents_allow_access(2, both, NULL, device2));
    for (unsigned i = 0; i < SIZE; i++)
        host[i] = (unsigned char)(i * 7 + i / 256);
}

/* A sum that tells contents apart. */
static unsigned sum(const void *memory, size_t size)
{
    unsigned char *bytes = malloc(size);
    unsigned total = 0;
    must(rt.hsa_memory_copy(bytes, memory, size));
    for (size_t i = 0; i < size; i++)
        total = total * 31 + bytes[i];
    free(bytes);
    return total;
}

/* ---- at once ----------------------------------------------------------------------- */

static void copies(void)
{
    prepare();
    say_status("to_device", rt.hsa_memory_copy(device, host, SIZE));
    say("sum", "%u", sum(device, SIZE));
    say_status("between", rt.hsa_memory_copy(device2, device, SIZE));
    say("between.sum", "%u", sum(device2, SIZE));
    say_status("to_program", rt.hsa_memory_copy(own, device, 1001));
    say("to_program.sum", "%u", sum(own, 1001));
    say_status("from_program", rt.hsa_memory_copy(device + 3, own, 1001));
    say("from_program.sum", "%u", sum(device, SIZE));
    say_status("on_host", rt.hsa_memory_copy(own, host, SIZE));
    say_status("on_device", rt.hsa_memory_copy(device + SIZE / 2, device, SIZE / 2));
    say("on_device.sum", "%u", sum(device, SIZE));
    say_status("nothing", rt.hsa_memory_copy(device, host, 0));
    say_status("to_null", rt.hsa_memory_copy(NULL, host, 8));
    say_status("from_null", rt.hsa_memory_copy(device, NULL, 8));
    say_status("null_nothing", rt.hsa_memory_copy(NULL, NULL, 0));
}

static void fills(void)
{
    prepare();
    say_status("device", rt.hsa_amd_memory_fill(device, 0x12345678, SIZE / 4));
    say("device.sum", "%u", sum(device, SIZE));
    say_status("part", rt.hsa_amd_memory_fill(device + 400, 0xff, 10));
    say("part.sum", "%u", sum(device, SIZE));
    say_status("host", rt.hsa_amd_memory_fill(host, 0x01010101, SIZE / 4));
    say("host.sum", "%u", sum(host, SIZE));
    say_status("host.word", rt.hsa_amd_memory_fill(host, 0x12345678, SIZE / 4));
    say("host.word.sum", "%u", sum(host, SIZE));
    say_status("odd", rt.hsa_amd_memory_fill(device + 2, 0, 1));
    say_status("null", rt.hsa_amd_memory_fill(NULL, 0, 1));
    say_status("null_nothing", rt.hsa_amd_memory_fill(NULL, 0, 0));
    say_status("nothing", rt.hsa_amd_memory_fill(device, 0, 0));
    say_status("beyond", rt.hsa_amd_memory_fill(device, 0, SIZE));
    say_status("program", rt.hsa_amd_memory_fill(zeros, 0, 1));
}

/* ---- behind signals ---------------------------------------------------------------- */

static void copy(const char *key, void *to, hsa_agent_t to_agent, const void *from,
                 hsa_agent_t from_agent, size_t size)
{
    hsa_signal_t signal = new_signal(1);
    int status =
        (int)rt.hsa_amd_memory_async_copy(to, to_agent, from, from_agent, size, 0, NULL, signal);
    int value = status == HSA_STATUS_SUCCESS && size > 0 ? (int)finish(signal) : -77;
    say(key, "%s %d %u", status_name(status), value,
        status == HSA_STATUS_SUCCESS && size > 0 ? sum(to, size) : 0);
    must(rt.hsa_signal_destroy(signal));
}

static void async_copies(void)
{
    hsa_agent_t none = {0}, nothing = {ZEROS};
    prepare();
    copy("to_device", device, here.gpu, host, here.cpu, SIZE);
    copy("to_device.by_device", device, here.gpu, host, here.gpu, SIZE);
    copy("between", device2, here.other, device, here.gpu, SIZE);
    copy("to_host", host, here.cpu, device2, here.other, SIZE / 2);
    copy("on_device", device + SIZE / 2, here.gpu, device, here.gpu, 1001);
    copy("on_host", host + SIZE / 2, here.cpu, host, here.cpu, 1001);
    copy("one_byte", device, here.gpu, host + 5, here.cpu, 1);
    copy("nothing", device, here.gpu, host, here.cpu, 0);
    copy("to_null", NULL, here.gpu, host, here.cpu, SIZE);
    copy("from_null", device, here.gpu, NULL, here.cpu, SIZE);
    copy("to_none", device, none, host, here.cpu, SIZE);
    copy("from_none", device, here.gpu, host, none, SIZE);
    copy("to_zeros", device, nothing, host, here.cpu, SIZE);
    copy("from_zeros", device, here.gpu, host, nothing, SIZE);
}

static void copy_without_access(void)
{
    void *from = new_memory(here.device, PAGE), *to = new_memory(here.device2, PAGE);
    hsa_signal_t signal = new_signal(1);
    close(STDERR_FILENO);
    must(rt.hsa_amd_memory_async_copy(to, here.other, from, here.gpu, PAGE, 0, NULL, signal));
    say("finished", "%d", (int)finish(signal)); /* which does not come to be */
}

static void dependencies(void)
{
    hsa_signal_t done = new_signal(2), after[6], none = {0}, nothing = {ZEROS};
    prepare();
    for (int i = 0; i < 6; i++)
        after[i] = new_signal(1);
    must(rt.hsa_amd_memory_async_copy(device, here.gpu, host, here.cpu, SIZE, 6, after, done));
    for (int i = 0; i < 6; i++) {
        char key[16];
        snprintf(key, sizeof key, "before%d", i);
        say(key, "%d", (int)rt.hsa_signal_load_scacquire(done));
        rt.hsa_signal_subtract_screlease(after[i], 1);
    }
    rt.hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 1, TICKS_10S,
                                 HSA_WAIT_STATE_BLOCKED);
    say("done", "%d %u", (int)rt.hsa_signal_load_scacquire(done), sum(device, SIZE));
    say_status("count_without_signals",
               rt.hsa_amd_memory_async_copy(device, here.gpu, host, here.cpu, 8, 1, NULL, done));
    say_status("signals_without_count",
               rt.hsa_amd_memory_async_copy(device, here.gpu, host, here.cpu, 8, 0, after, done));
    say_status("no_completion",
               rt.hsa_amd_memory_async_copy(device, here.gpu, host, here.cpu, 8, 0, NULL, none));
    say_status("zeros_as_completion",
               rt.hsa_amd_memory_async_copy(device, here.gpu, host, here.cpu, 8, 0, NULL, nothing));
    say_status("after_none",
               rt.hsa_amd_memory_async_copy(device, here.gpu, host, here.cpu, 8, 1, &none, done));
    say_status("after_zeros", rt.hsa_amd_memory_async_copy(device, here.gpu, host, here.cpu, 8, 1,
                                                           &nothing, done));
}

static void times(void)
{
    hsa_signal_t signal = new_signal(1), other = new_signal(1);
    hsa_amd_profiling_async_copy_time_t time = {0};
    prepare();
    must(rt.hsa_amd_profiling_async_copy_enable(true));
    must(rt.hsa_amd_memory_async_copy(device, here.gpu, host, here.cpu, SIZE, 0, NULL, signal));
    finish(signal);
    int status = (int)rt.hsa_amd_profiling_get_async_copy_time(signal, &time);
    say("to_device", "%s %d %d", status_name(status), time.start > 0, time.end >= time.start);
    say_status("null", rt.hsa_amd_profiling_get_async_copy_time(signal, NULL));
    say_status("none", rt.hsa_amd_profiling_get_async_copy_time((hsa_signal_t){0}, &time));
    say_status("not_of_copy", rt.hsa_amd_profiling_get_async_copy_time(other, &time));
    must(rt.hsa_amd_memory_async_copy(host + 8, here.cpu, host, here.cpu, 8, 0, NULL, other));
    finish(other);
    status = (int)rt.hsa_amd_profiling_get_async_copy_time(other, &time);
    say("on_host", "%s %d %d", status_name(status), time.start > 0, time.end >= time.start);
}

/* ---- boxes ------------------------------------------------------------------------- */

static int copy_box(const hsa_pitched_ptr_t *to, hsa_dim3_t to_at, const hsa_pitched_ptr_t *from,
                    hsa_dim3_t from_at, hsa_dim3_t range, hsa_agent_t agent, int direction,
                    hsa_signal_t signal)
{
    return (int)rt.hsa_amd_memory_async_copy_rect(to, &to_at, from, &from_at, &range, agent,
                                                  direction, 0, NULL, signal);
}

static void box(const char *key, const hsa_pitched_ptr_t *to, hsa_dim3_t to_at,
                const hsa_pitched_ptr_t *from, hsa_dim3_t from_at, hsa_dim3_t range,
                hsa_agent_t agent, int direction)
{
    hsa_signal_t signal = new_signal(1);
    int status = copy_box(to, to_at, from, from_at, range, agent, direction, signal);
    bool copied = status == HSA_STATUS_SUCCESS && range.x && range.y && range.z;
    int value = copied ? (int)finish(signal) : -77;
    say(key, "%s %d %u", status_name(status), value, copied ? sum(to->base, SIZE / 2) : 0);
    must(rt.hsa_signal_destroy(signal));
}

static void boxes(void)
{
    prepare();
    must(rt.hsa_amd_memory_fill(device, 0, SIZE / 4));
    hsa_pitched_ptr_t from = {host, 256, 256 * 16}, to = {device, 512, 512 * 8};
    hsa_pitched_ptr_t odd = {host + 4, 252, 252 * 16}, far = {device2, 256, 256 * 16};
    hsa_dim3_t zero = {0, 0, 0}, at = {4, 2, 1}, range = {100, 5, 3}, row = {64, 1, 1};
    hsa_dim3_t bytes = {33, 3, 2}, at_byte = {1, 1, 1};
    box("to_device", &to, at, &from, zero, range, here.gpu, hsaHostToDevice);
    box("to_host", &from, at, &to, at, range, here.gpu, hsaDeviceToHost);
    box("on_device", &to, zero, &to, at, row, here.gpu, hsaDeviceToDevice);
    box("between", &far, zero, &to, zero, range, here.gpu, hsaDeviceToDevice);
    box("bytes", &to, at_byte, &from, at_byte, bytes, here.gpu, hsaHostToDevice);
    box("odd_pitch", &to, zero, &odd, at, range, here.gpu, hsaHostToDevice);
    box("no_width", &to, zero, &from, zero, (hsa_dim3_t){0, 1, 1}, here.gpu, hsaHostToDevice);
    box("no_height", &to, zero, &from, zero, (hsa_dim3_t){8, 0, 1}, here.gpu, hsaHostToDevice);
    box("no_depth", &to, zero, &from, zero, (hsa_dim3_t){8, 1, 0}, here.gpu, hsaHostToDevice);
    box("host_to_host", &from, zero, &from, at, range, here.gpu, hsaHostToHost);
    box("cpu", &to, zero, &from, zero, range, here.cpu, hsaHostToDevice);
    box("none", &to, zero, &from, zero, range, (hsa_agent_t){0}, hsaHostToDevice);
}

static void bad_boxes(void)
{
    hsa_signal_t signal = new_signal(1), none = {0};
    prepare();
    hsa_pitched_ptr_t from = {host, 256, 256 * 16}, to = {device, 512, 512 * 8};
    hsa_dim3_t zero = {0, 0, 0}, range = {100, 5, 3};
    const hsa_dim3_t *at = &zero;
#define RECT rt.hsa_amd_memory_async_copy_rect
    say_status("to_null", RECT(NULL, at, &from, at, &range, here.gpu, 1, 0, NULL, signal));
    say_status("to_null_at", RECT(&to, NULL, &from, at, &range, here.gpu, 1, 0, NULL, signal));
    say_status("from_null", RECT(&to, at, NULL, at, &range, here.gpu, 1, 0, NULL, signal));
    say_status("from_null_at", RECT(&to, at, &from, NULL, &range, here.gpu, 1, 0, NULL, signal));
    say_status("no_range", RECT(&to, at, &from, at, NULL, here.gpu, 1, 0, NULL, signal));
    say_status("no_signals", RECT(&to, at, &from, at, &range, here.gpu, 1, 1, NULL, signal));
    say_status("no_count", RECT(&to, at, &from, at, &range, here.gpu, 1, 0, &signal, signal));
    say_status("after_none", RECT(&to, at, &from, at, &range, here.gpu, 1, 1, &none, signal));
    say_status("no_completion", RECT(&to, at, &from, at, &range, here.gpu, 1, 0, NULL, none));
    say_status("cpu_to_null", RECT(NULL, at, &from, at, &range, here.cpu, 1, 0, NULL, signal));
#undef RECT
    say_status("wide", copy_box(&to, zero, &from, zero, (hsa_dim3_t){20000, 2, 1}, here.gpu,
                                hsaHostToDevice, signal));
}

/* ---- sharing ----------------------------------------------------------------------- */

static void sharing(void)
{
    hsa_amd_ipc_memory_t handle, bad;
    void *pointer = NULL;
    hsa_agent_t none = {0};
    prepare();
    say_status("create", rt.hsa_amd_ipc_memory_create(device, SIZE, &handle));
    say_status("create.again", rt.hsa_amd_ipc_memory_create(device, SIZE, &handle));
    say_status("create.null", rt.hsa_amd_ipc_memory_create(NULL, SIZE, &handle));
    say_status("create.null_handle", rt.hsa_amd_ipc_memory_create(device, SIZE, NULL));
    say_status("create.size0", rt.hsa_amd_ipc_memory_create(device, 0, &bad));
    say_status("create.part", rt.hsa_amd_ipc_memory_create(device, SIZE / 2, &bad));
    say_status("create.inside", rt.hsa_amd_ipc_memory_create(device + PAGE, SIZE - PAGE, &bad));
    say_status("create.large", rt.hsa_amd_ipc_memory_create(device, SIZE_MAX, &bad));
    say_status("attach.null_pointer", rt.hsa_amd_ipc_memory_attach(&handle, SIZE, 0, NULL, NULL));
    say_status("attach.no_agents", rt.hsa_amd_ipc_memory_attach(&handle, SIZE, 1, NULL, &pointer));
    say_status("attach.none", rt.hsa_amd_ipc_memory_attach(&handle, SIZE, 1, &none, &pointer));
    say_status("attach.cpu", rt.hsa_amd_ipc_memory_attach(&handle, SIZE, 1, &here.cpu, &pointer));
    memset(&bad, 0, sizeof bad);
    say_status("attach.zeros", rt.hsa_amd_ipc_memory_attach(&bad, SIZE, 0, NULL, &pointer));
    say_status("detach.null", rt.hsa_amd_ipc_memory_detach(NULL));
    say_status("detach.program", rt.hsa_amd_ipc_memory_detach(zeros));
}

/* The other process has a runtime of its own: its lines go through the same output. */
static void taking(const hsa_amd_ipc_memory_t *handle)
{
    void *pointer = NULL, *again = NULL;
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    say_status("attach", rt.hsa_amd_ipc_memory_attach(handle, SIZE, 1, &here.gpu, &pointer));
    if (!pointer)
        return;
    say("sum", "%u", sum(pointer, SIZE));
    must(rt.hsa_amd_pointer_info(pointer, &info, NULL, NULL, NULL));
    say("info", "type %d, agent %s, %zu bytes, owner %s", (int)info.type,
        place(info.agentBaseAddress, pointer, SIZE), info.sizeInBytes, agent_name(info.agentOwner));
    must(rt.hsa_amd_memory_fill(pointer, 0x01020304, SIZE / 4));
    say_status("attach.again", rt.hsa_amd_ipc_memory_attach(handle, SIZE, 0, NULL, &again));
    if (again)
        say_status("detach.again", rt.hsa_amd_ipc_memory_detach(again));
    say_status("detach", rt.hsa_amd_ipc_memory_detach(pointer));
}

static void processes(void)
{
    int way[2], status;
    hsa_amd_ipc_memory_t handle;
    if (pipe(way))
        fail("no pipe");
    fflush(stdout);
    pid_t child = fork();
    must(rt.hsa_init());
    look_around();
    within("processes");
    if (child == 0) {
        if (read(way[0], &handle, sizeof handle) != sizeof handle)
            fail("no handle");
        taking(&handle);
        fflush(stdout);
        _exit(EXIT_SUCCESS);
    }
    prepare();
    must(rt.hsa_memory_copy(device, host, SIZE));
    must(rt.hsa_amd_ipc_memory_create(device, SIZE, &handle));
    if (write(way[1], &handle, sizeof handle) != sizeof handle ||
        waitpid(child, &status, 0) != child)
        fail("no child");
    say("child", "%d", status);
    say("changed.sum", "%u", sum(device, SIZE));
}

const struct part parts_of_copies[] = {
    {"copies", copies, 0},
    {"fills", fills, ONE_MODEL},
    {"async_copies", async_copies, 0},
    {"copy_without_access", copy_without_access, ONE_MODEL},
    {"dependencies", dependencies, ONE_MODEL},
    {"times", times, ONE_MODEL},
    {"boxes", boxes, 0},
    {"bad_boxes", bad_boxes, ONE_MODEL},
    {"sharing", sharing, ONE_MODEL},
    {"processes", processes, RAW | ONE_MODEL},
    {NULL, NULL, 0},
};
