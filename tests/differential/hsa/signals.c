/* Signals: making them, their values in all memory orders, waiting, handlers, groups. */
#include "calls.h"

#include <stdatomic.h>

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

static void sharing(void)
{
    hsa_signal_t signal = {0};
    hsa_amd_ipc_signal_t handle;
    create("ipc", 0, NULL, HSA_AMD_SIGNAL_IPC);
    say_status("create.null", rt.hsa_amd_signal_create(0, 0, NULL, HSA_AMD_SIGNAL_IPC, NULL));
    say_status("handle.null", rt.hsa_amd_ipc_signal_create(signal, NULL));
    say_status("attach.null", rt.hsa_amd_ipc_signal_attach(NULL, &signal));
    memset(&handle, 0, sizeof handle);
    say_status("attach.null_signal", rt.hsa_amd_ipc_signal_attach(&handle, NULL));
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
    {"values", values, ONE_MODEL},
    {"waits", waits, ONE_MODEL},
    {"several", several, ONE_MODEL},
    {"handlers", handlers, ONE_MODEL},
    {NULL, NULL, 0},
};
