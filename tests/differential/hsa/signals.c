/* Signals: making them, their values in all memory orders, waiting, handlers, groups. */
#include "calls.h"

#include <stdatomic.h>
#include <sys/wait.h>

static void create(const char *key, uint32_t count, const hsa_agent_t *agents, uint64_t attributes)
{
    hsa_signal_t signal = {0};
    int status = (int)rt.hsa_amd_signal_create(5, count, agents, attributes, &signal);
    say(key, "%s%s", status_name(status), signal.handle ? " signal" : "");
    if (status != HSA_STATUS_SUCCESS)
        return;
    volatile hsa_signal_value_t *value = NULL;
    char pointer_key[64];
    int got = (int)rt.hsa_amd_signal_value_pointer(signal, &value);
    snprintf(pointer_key, sizeof pointer_key, "%s.pointer", key);
    say(pointer_key, "%s %d", status_name(got), value ? (int)*value : -1);
    must(rt.hsa_signal_destroy(signal));
}

static void creating(void)
{
    hsa_agent_t none = {0}, nothing = {ZEROS};
    hsa_agent_t cpu_gpu[] = {here.cpu, here.gpu}, twice[] = {here.gpu, here.gpu};
    hsa_signal_t signal = {0};
    create("no_consumers", 0, NULL, 0);
    create("cpu", 1, &here.cpu, 0);
    create("gpu", 1, &here.gpu, 0);
    create("cpu_and_gpu", 2, cpu_gpu, 0);
    create("twice", 2, twice, 0);
    create("none", 1, &none, 0);
    create("zeros", 1, &nothing, 0);
    create("count_without_agents", 1, NULL, 0);
    create("agents_without_count", 0, cpu_gpu, 0);
    create("gpu_only", 0, NULL, HSA_AMD_SIGNAL_AMD_GPU_ONLY);
    create("gpu_only.count_without_agents", 1, NULL, HSA_AMD_SIGNAL_AMD_GPU_ONLY);
    create("unknown_attribute", 0, NULL, 64);
    say_status("null", rt.hsa_signal_create(0, 0, NULL, NULL));
    say_status("amd.null", rt.hsa_amd_signal_create(0, 0, NULL, 0, NULL));
    say_status("null_with_consumers", rt.hsa_signal_create(0, 1, &here.cpu, NULL));
    must(rt.hsa_signal_create(-3, 0, NULL, &signal));
    say("value", "%d", (int)rt.hsa_signal_load_relaxed(signal));
    say_status("pointer.null", rt.hsa_amd_signal_value_pointer(signal, NULL));
    say_status("destroy", rt.hsa_signal_destroy(signal));
    say_status("destroy.none", rt.hsa_signal_destroy((hsa_signal_t){0}));
}

static hsa_signal_t new_shared_signal(hsa_signal_value_t value)
{
    hsa_signal_t signal = {0};
    must(rt.hsa_amd_signal_create(value, 0, NULL, HSA_AMD_SIGNAL_IPC, &signal));
    return signal;
}

static void sharing(void)
{
    hsa_signal_t signal = new_shared_signal(7), usual = new_signal(0), none = {0};
    hsa_amd_ipc_signal_t handle;
    create("ipc", 0, NULL, HSA_AMD_SIGNAL_IPC);
    create("ipc.cpu", 1, &here.cpu, HSA_AMD_SIGNAL_IPC);
    create("ipc.count_without_agents", 1, NULL, HSA_AMD_SIGNAL_IPC);
    say_status("create.null", rt.hsa_amd_signal_create(0, 0, NULL, HSA_AMD_SIGNAL_IPC, NULL));
    say_status("handle.null", rt.hsa_amd_ipc_signal_create(signal, NULL));
    say_status("handle.usual", rt.hsa_amd_ipc_signal_create(usual, &handle));
    say_status("handle.none", rt.hsa_amd_ipc_signal_create(none, &handle));
    say_status("handle", rt.hsa_amd_ipc_signal_create(signal, &handle));
    say_status("handle.again", rt.hsa_amd_ipc_signal_create(signal, &handle));
    say_status("attach.null", rt.hsa_amd_ipc_signal_attach(NULL, &signal));
    say_status("attach.null_signal", rt.hsa_amd_ipc_signal_attach(&handle, NULL));
    must(rt.hsa_signal_destroy(signal));
    say_status("attach.destroyed", rt.hsa_amd_ipc_signal_attach(&handle, &signal));
    memset(&handle, 0, sizeof handle);
    say_status("attach.zeros", rt.hsa_amd_ipc_signal_attach(&handle, &signal));
}

enum { TURNS = 10 };

/* Two processes count one signal up in turns: each waits until the other has. */
static void take_turns(const char *who, hsa_signal_t signal, int first)
{
    for (int turn = first; turn < TURNS; turn += 2) {
        hsa_signal_value_t value =
            rt.hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_GTE, turn,
                                         3 * (uint64_t)TICKS_10S, HSA_WAIT_STATE_BLOCKED);
        within("sharing_signals_between_processes.%s.turn%d", who, turn);
        say("value", "%d", (int)value);
        rt.hsa_signal_add_screlease(signal, 1);
    }
}

static void say_pointer(hsa_signal_t signal)
{
    volatile hsa_signal_value_t *value = NULL;
    int status = (int)rt.hsa_amd_signal_value_pointer(signal, &value);
    say("pointer", "%s %d", status_name(status), value != NULL);
}

/* A device completes a packet by such a signal. */
static void complete_packet(hsa_signal_t signal)
{
    uint64_t index;
    hsa_queue_t *queue = new_queue(here.gpu);
    hsa_barrier_and_packet_t *packet = next_packet(queue, &index);
    packet->completion_signal = signal;
    ring(queue, packet, HSA_PACKET_TYPE_BARRIER_AND | 1 << HSA_PACKET_HEADER_BARRIER, index);
    say("completion", "%d",
        (int)rt.hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, TURNS,
                                          3 * (uint64_t)TICKS_10S, HSA_WAIT_STATE_BLOCKED));
    must(rt.hsa_queue_destroy(queue));
}

static void take_signal(int from, int to)
{
    hsa_signal_t signal = {0}, again = {0};
    hsa_amd_ipc_signal_t handle;
    must(rt.hsa_init());
    look_around();
    if (read(from, &handle, sizeof handle) != (ssize_t)sizeof handle)
        fail("no handle came");
    within("sharing_signals_between_processes.taker");
    int status = (int)rt.hsa_amd_ipc_signal_attach(&handle, &signal);
    say("attach", "%s, value %d", status_name(status), (int)rt.hsa_signal_load_relaxed(signal));
    status = (int)rt.hsa_amd_ipc_signal_attach(&handle, &again);
    say("attach.again", "%s, value %d", status_name(status),
        (int)rt.hsa_signal_load_relaxed(again));
    say_pointer(signal);
    say_status("handle", rt.hsa_amd_ipc_signal_create(signal, &handle));
    say_status("destroy.again", rt.hsa_signal_destroy(again));
    rt.hsa_signal_store_screlease(signal, 0);
    take_turns("taker", signal, 1);
    within("sharing_signals_between_processes.taker");
    complete_packet(signal);
    say_status("destroy", rt.hsa_signal_destroy(signal));
    if (write(to, "x", 1) != 1)
        fail("no word went");
}

static void between_processes(void)
{
    int to_taker[2], to_giver[2], status = 0;
    hsa_amd_ipc_signal_t handle;
    char word;
    if (pipe(to_taker) != 0 || pipe(to_giver) != 0)
        fail("no pipes");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        take_signal(to_taker[0], to_giver[1]);
        fflush(stdout);
        _exit(EXIT_SUCCESS);
    }
    must(rt.hsa_init());
    look_around();
    hsa_signal_t signal = new_shared_signal(-1);
    must(rt.hsa_amd_ipc_signal_create(signal, &handle));
    if (write(to_taker[1], &handle, sizeof handle) != (ssize_t)sizeof handle)
        fail("no handle went");
    take_turns("giver", signal, 0);
    within("sharing_signals_between_processes.giver");
    if (read(to_giver[0], &word, 1) != 1 || waitpid(child, &status, 0) != child)
        fail("the other process has gone");
    say("value", "%d", (int)rt.hsa_signal_load_scacquire(signal));
    say_status("destroy", rt.hsa_signal_destroy(signal));
    say("taker", "%d", status);
}

/* ---- values ------------------------------------------------------------------------ */

#define SAY_VALUE(call)                                                                            \
    do {                                                                                           \
        rt.hsa_signal_store_relaxed(signal, 0x5a);                                                 \
        call;                                                                                      \
        say(#call, "%lld", (long long)rt.hsa_signal_load_scacquire(signal));                       \
    } while (0)
#define SAY_OLD(call)                                                                              \
    do {                                                                                           \
        rt.hsa_signal_store_relaxed(signal, 0x5a);                                                 \
        long long old = (long long)(call);                                                         \
        say(#call, "%lld %lld", old, (long long)rt.hsa_signal_load_scacquire(signal));             \
    } while (0)
#define SAY_ORDER(order)                                                                           \
    SAY_VALUE(rt.hsa_signal_add_##order(signal, 7));                                               \
    SAY_VALUE(rt.hsa_signal_subtract_##order(signal, 100));                                        \
    SAY_VALUE(rt.hsa_signal_and_##order(signal, 0xf0));                                            \
    SAY_VALUE(rt.hsa_signal_or_##order(signal, 0x3));                                              \
    SAY_VALUE(rt.hsa_signal_xor_##order(signal, -1));                                              \
    SAY_OLD(rt.hsa_signal_exchange_##order(signal, INT64_MIN));                                    \
    SAY_OLD(rt.hsa_signal_cas_##order(signal, 0x5a, 9));                                           \
    SAY_OLD(rt.hsa_signal_cas_##order(signal, 0x5b, 9));

static void say_values(hsa_signal_t signal)
{
    SAY_VALUE(rt.hsa_signal_store_relaxed(signal, 1));
    SAY_VALUE(rt.hsa_signal_store_screlease(signal, 2));
    SAY_VALUE(rt.hsa_signal_store_release(signal, INT64_MAX));
    SAY_VALUE(rt.hsa_signal_silent_store_relaxed(signal, 3));
    SAY_VALUE(rt.hsa_signal_silent_store_screlease(signal, 4));
    SAY_OLD(rt.hsa_signal_load_relaxed(signal));
    SAY_OLD(rt.hsa_signal_load_acquire(signal));
    SAY_ORDER(relaxed)
    SAY_ORDER(scacquire)
    SAY_ORDER(acquire)
    SAY_ORDER(screlease)
    SAY_ORDER(release)
    SAY_ORDER(scacq_screl)
    SAY_ORDER(acq_rel)
}

static void values(void)
{
    hsa_signal_t busy;
    within("values.interrupt");
    say_values(new_signal(0));
    within("values.busy");
    must(rt.hsa_signal_create(0, 1, &here.gpu, &busy));
    say_values(busy);
}

/* ---- waiting ----------------------------------------------------------------------- */

static void waits(void)
{
    static const int64_t compares[] = {4, 5, 6};
    hsa_signal_t signal = new_signal(5);
    for (int condition = 0; condition < 4; condition++)
        for (size_t i = 0; i < 3; i++) {
            char key[32];
            snprintf(key, sizeof key, "condition%d.%d", condition, (int)compares[i]);
            say(key, "%d",
                (int)rt.hsa_signal_wait_scacquire(signal, condition, compares[i], 0,
                                                  HSA_WAIT_STATE_BLOCKED));
        }
    say("timeout", "%d",
        (int)rt.hsa_signal_wait_relaxed(signal, HSA_SIGNAL_CONDITION_EQ, 9, 1000,
                                        HSA_WAIT_STATE_ACTIVE));
    say("met", "%d",
        (int)rt.hsa_signal_wait_acquire(signal, HSA_SIGNAL_CONDITION_EQ, 5, UINT64_MAX,
                                        HSA_WAIT_STATE_ACTIVE));
}

static void several(void)
{
    hsa_signal_t signals[3] = {new_signal(1), new_signal(2), new_signal(3)}, found = {0};
    hsa_signal_condition_t conditions[3] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_GTE,
                                            HSA_SIGNAL_CONDITION_EQ};
    hsa_signal_value_t values[3] = {9, 2, 3}, value = -1;
    hsa_signal_group_t group = {0};
    uint32_t index = rt.hsa_amd_signal_wait_any(3, signals, conditions, values, UINT64_MAX,
                                                HSA_WAIT_STATE_BLOCKED, &value);
    say("any", "%u %d", index, (int)value);
    index = rt.hsa_amd_signal_wait_any(1, signals, conditions, values, 1000, HSA_WAIT_STATE_BLOCKED,
                                       &value);
    say("any.timeout", "%d", (int)index);
    say_status("group", rt.hsa_signal_group_create(3, signals, 0, NULL, &group));
    int status = (int)rt.hsa_signal_group_wait_any_scacquire(
        group, conditions, values, HSA_WAIT_STATE_BLOCKED, &found, &value);
    say("group.any", "%s %d %d", status_name(status), found.handle == signals[1].handle,
        (int)value);
    values[0] = 1;
    status = (int)rt.hsa_signal_group_wait_any_relaxed(group, conditions, values,
                                                       HSA_WAIT_STATE_ACTIVE, &found, &value);
    say("group.first", "%s %d %d", status_name(status), found.handle == signals[0].handle,
        (int)value);
    say_status("group.destroy", rt.hsa_signal_group_destroy(group));
    say_status("group.nothing", rt.hsa_signal_group_create(0, signals, 0, NULL, &group));
    say_status("group.no_signal",
               rt.hsa_signal_group_create(1, &(hsa_signal_t){0}, 0, NULL, &group));
    say_status("group.no_agent",
               rt.hsa_signal_group_create(1, signals, 1, &(hsa_agent_t){0}, &group));
    say_status("group.destroy.none", rt.hsa_signal_group_destroy((hsa_signal_group_t){0}));
    say_status("group.destroy.zeros", rt.hsa_signal_group_destroy((hsa_signal_group_t){ZEROS}));
}

/* ---- handlers ---------------------------------------------------------------------- */

static _Atomic(int) called;
static _Atomic(int64_t) seen;

static bool note(hsa_signal_value_t value, void *data)
{
    atomic_store(&seen, value);
    return atomic_fetch_add(&called, 1) + 1 < (int)(intptr_t)data;
}

static void call_me(void *data)
{
    atomic_store((_Atomic(int) *)data, 1);
}

static void wait_until(const _Atomic(int) *count, int least)
{
    for (int i = 0; i < 30000 && atomic_load(count) < least; i++)
        usleep(1000);
}

static void handlers(void)
{
    hsa_signal_t signal = new_signal(5), busy;
    static _Atomic(int) done;
    say_status("add", rt.hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_LT, 1, note,
                                                      (void *)1));
    rt.hsa_signal_store_screlease(signal, -2);
    wait_until(&called, 1);
    say("seen", "%d %d", atomic_load(&called), (int)atomic_load(&seen));
    atomic_store(&called, 0);
    say_status("add.three_times", rt.hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_LT,
                                                                  1, note, (void *)3));
    wait_until(&called, 3);
    say("three_times", "%d", atomic_load(&called));
    say_status("null",
               rt.hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_LT, 1, NULL, NULL));
    say_status("zeros", rt.hsa_amd_signal_async_handler((hsa_signal_t){ZEROS},
                                                        HSA_SIGNAL_CONDITION_LT, 1, note, NULL));
    must(rt.hsa_signal_create(0, 1, &here.gpu, &busy));
    say_status("busy",
               rt.hsa_amd_signal_async_handler(busy, HSA_SIGNAL_CONDITION_LT, 1, note, (void *)1));
    say_status("function", rt.hsa_amd_async_function(call_me, &done));
    wait_until(&done, 1);
    say("function.called", "%d", atomic_load(&done));
    say_status("function.null", rt.hsa_amd_async_function(NULL, NULL));
}

const struct part parts_of_signals[] = {
    {"creating_signals", creating, ONE_MODEL},
    {"sharing_signals", sharing, ONE_MODEL},
    {"sharing_signals_between_processes", between_processes, RAW | ONE_MODEL},
    {"values", values, ONE_MODEL},
    {"waits", waits, ONE_MODEL},
    {"several", several, ONE_MODEL},
    {"handlers", handlers, ONE_MODEL},
    {NULL, NULL, 0},
};
