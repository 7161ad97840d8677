/* Signals: values, waiting, handlers. */
#include "simhsa_test.h"

#include <pthread.h>

static void values_are_changed_by_each_operation(void **state)
{
    (void)state;
    hsa_signal_t signal = new_signal(5);
    assert_int_equal(rt.hsa_signal_load_relaxed(signal), 5);
    rt.hsa_signal_store_screlease(signal, -3);
    assert_int_equal(rt.hsa_signal_load_scacquire(signal), -3);
    rt.hsa_signal_add_acq_rel(signal, 10);
    rt.hsa_signal_subtract_relaxed(signal, 2);
    assert_int_equal(rt.hsa_signal_load_acquire(signal), 5);
    rt.hsa_signal_or_release(signal, 8);
    rt.hsa_signal_and_scacquire(signal, 12);
    rt.hsa_signal_xor_scacq_screl(signal, 1);
    assert_int_equal(rt.hsa_signal_exchange_screlease(signal, 100), 13);
    assert_int_equal(rt.hsa_signal_cas_relaxed(signal, 99, 1), 100);
    assert_int_equal(rt.hsa_signal_cas_acq_rel(signal, 100, 1), 100);
    assert_int_equal(rt.hsa_signal_load_relaxed(signal), 1);
    rt.hsa_signal_silent_store_relaxed(signal, 42);
    assert_int_equal(rt.hsa_signal_load_relaxed(signal), 42);
    ok(rt.hsa_signal_destroy(signal));
}

static void invalid_signals_are_errors(void **state)
{
    hsa_signal_t signal = new_signal(5), gone = signal;
    int64_t own[16] = {0};
    hsa_signal_t wrong[] = {{0}, {1}, {signal.handle + 8}, {UINT64_MAX}, {(uintptr_t)own}, gone};
    volatile hsa_signal_value_t *pointer;
    (void)state;
    ok(rt.hsa_signal_destroy(signal));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(rt.hsa_signal_load_relaxed(wrong[i]), 0);
        rt.hsa_signal_store_relaxed(wrong[i], 1);
        rt.hsa_signal_add_relaxed(wrong[i], 1);
        assert_int_equal(rt.hsa_signal_exchange_relaxed(wrong[i], 1), 0);
        assert_int_equal(rt.hsa_signal_wait_acquire(wrong[i], HSA_SIGNAL_CONDITION_EQ, 7,
                                                    UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
                         0);
        expect(rt.hsa_amd_signal_value_pointer(wrong[i], &pointer),
               wrong[i].handle ? HSA_STATUS_ERROR_INVALID_SIGNAL
                               : HSA_STATUS_ERROR_INVALID_ARGUMENT);
        expect(rt.hsa_signal_destroy(wrong[i]), wrong[i].handle
                                                    ? HSA_STATUS_ERROR_INVALID_SIGNAL
                                                    : HSA_STATUS_ERROR_INVALID_ARGUMENT);
    }
    for (int i = 0; i < 16; i++)
        assert_int_equal(own[i], 0);
    expect(rt.hsa_signal_create(0, 0, NULL, NULL), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_signal_create(0, 1, NULL, &signal), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_signal_create(0, 2, (hsa_agent_t[]){here.cpu, here.cpu}, &signal),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_signal_create(0, 1, here.gpus, &signal));
    ok(rt.hsa_signal_destroy(signal));
    expect(rt.hsa_amd_signal_create(0, 0, NULL, 0x80, &signal), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_amd_signal_create(0, 0, NULL, HSA_AMD_SIGNAL_IPC, &signal));
    expect(rt.hsa_amd_ipc_signal_create(signal, NULL), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_amd_ipc_signal_attach(NULL, &signal), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_signal_destroy(signal));
    ok(rt.hsa_amd_signal_create(3, 0, NULL, HSA_AMD_SIGNAL_AMD_GPU_ONLY, &signal));
    ok(rt.hsa_signal_destroy(signal));
}

static void values_may_be_changed_in_memory(void **state)
{
    volatile hsa_signal_value_t *pointer = NULL;
    (void)state;
    hsa_signal_t signal = new_signal(5); /* for the host, which sleeps */
    expect(rt.hsa_amd_signal_value_pointer(signal, &pointer), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_signal_destroy(signal));
    ok(rt.hsa_signal_create(5, 1, here.gpus, &signal));
    ok(rt.hsa_amd_signal_value_pointer(signal, &pointer));
    *pointer = 6;
    assert_int_equal(rt.hsa_signal_load_relaxed(signal), 6);
    assert_int_equal((uintptr_t)pointer - signal.handle, 8);
    ok(rt.hsa_signal_destroy(signal));
}

/* ---- waiting
 * ---------------------------------------------------------------------------------------- */

static void a_wait_ends_at_its_condition(void **state)
{
    static const struct {
        hsa_signal_condition_t condition;
        int64_t compare;
    } met[] = {{HSA_SIGNAL_CONDITION_EQ, 5},
               {HSA_SIGNAL_CONDITION_NE, 4},
               {HSA_SIGNAL_CONDITION_LT, 6},
               {HSA_SIGNAL_CONDITION_GTE, 5}};
    (void)state;
    hsa_signal_t signal = new_signal(5);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(rt.hsa_signal_wait_scacquire(signal, met[i].condition, met[i].compare,
                                                      UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
                         5);
    ok(rt.hsa_signal_destroy(signal));
}

static void a_wait_ends_at_its_timeout(void **state)
{
    uint64_t before, after;
    (void)state;
    hsa_signal_t signal = new_signal(5);
    ok(rt.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before));
    assert_int_equal(rt.hsa_signal_wait_relaxed(signal, HSA_SIGNAL_CONDITION_EQ, 0, SECOND / 20,
                                                HSA_WAIT_STATE_ACTIVE),
                     5);
    ok(rt.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after));
    assert_true(after - before >= SECOND / 20);
    ok(rt.hsa_signal_destroy(signal));
}

static void *store_soon(void *data)
{
    usleep(20000);
    rt.hsa_signal_store_relaxed(*(hsa_signal_t *)data, 0);
    return NULL;
}

static void a_thread_that_waits_is_woken_by_another(void **state)
{
    pthread_t thread;
    (void)state;
    hsa_signal_t signal = new_signal(1);
    assert_int_equal(pthread_create(&thread, NULL, store_soon, &signal), 0);
    assert_true(wait_for(signal));
    pthread_join(thread, NULL);
    ok(rt.hsa_signal_destroy(signal));
}

static void a_wait_for_any_returns_which_signal(void **state)
{
    enum { COUNT = 100 };
    hsa_signal_t signals[COUNT];
    hsa_signal_condition_t conditions[COUNT];
    hsa_signal_value_t compare[COUNT], value = 0;
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        signals[i] = new_signal(1);
        conditions[i] = HSA_SIGNAL_CONDITION_EQ;
        compare[i] = 0;
    }
    assert_int_equal(rt.hsa_amd_signal_wait_any(COUNT, signals, conditions, compare, SECOND / 100,
                                                HSA_WAIT_STATE_BLOCKED, &value),
                     UINT32_MAX);
    rt.hsa_signal_store_relaxed(signals[77], 0);
    assert_int_equal(rt.hsa_amd_signal_wait_any(COUNT, signals, conditions, compare, UINT64_MAX,
                                                HSA_WAIT_STATE_BLOCKED, &value),
                     77);
    assert_int_equal(value, 0);
    assert_int_equal(rt.hsa_amd_signal_wait_all(COUNT, signals, conditions, compare, SECOND / 100,
                                                HSA_WAIT_STATE_BLOCKED, NULL),
                     UINT32_MAX);
    for (int i = 0; i < COUNT; i++)
        rt.hsa_signal_store_relaxed(signals[i], 0);
    assert_int_equal(rt.hsa_amd_signal_wait_all(COUNT, signals, conditions, compare, UINT64_MAX,
                                                HSA_WAIT_STATE_BLOCKED, NULL),
                     0);
    for (int i = 0; i < COUNT; i++)
        ok(rt.hsa_signal_destroy(signals[i]));
    assert_int_equal(rt.hsa_amd_signal_wait_any(COUNT, signals, conditions, compare, UINT64_MAX,
                                                HSA_WAIT_STATE_BLOCKED, &value),
                     UINT32_MAX);
}

static void a_group_waits_for_any_of_it(void **state)
{
    hsa_signal_t signals[2] = {new_signal(1), new_signal(0)}, met = {0};
    hsa_signal_condition_t conditions[2] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ};
    hsa_signal_value_t compare[2] = {0, 0}, value = 9;
    hsa_signal_group_t group;
    (void)state;
    ok(rt.hsa_signal_group_create(2, signals, 0, NULL, &group));
    ok(rt.hsa_signal_group_wait_any_relaxed(group, conditions, compare, HSA_WAIT_STATE_BLOCKED,
                                            &met, &value));
    assert_true(met.handle == signals[1].handle && value == 0);
    ok(rt.hsa_signal_group_destroy(group));
    expect(rt.hsa_signal_group_destroy(group), HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);
    ok(rt.hsa_signal_destroy(signals[0]));
    ok(rt.hsa_signal_destroy(signals[1]));
}

/* ---- handlers
 * ------------------------------------------------------------------------------------------ */

struct calls {
    _Atomic(int) count;
    hsa_signal_value_t seen;
    hsa_signal_t signal; /* decremented by each call */
    bool again;
};

static bool note(hsa_signal_value_t value, void *data)
{
    struct calls *calls = data;
    bool again = calls->again; /* the waiting thread may return after this, and calls is gone */
    calls->seen = value;
    calls->count++;
    rt.hsa_signal_subtract_screlease(calls->signal, 1);
    return again;
}

static void a_handler_is_called_when_its_condition_is_met(void **state)
{
    struct calls calls = {.signal = new_signal(1)};
    (void)state;
    hsa_signal_t signal = new_signal(3);
    ok(rt.hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_LT, 1, note, &calls));
    usleep(20000);
    assert_int_equal(calls.count, 0);
    rt.hsa_signal_store_relaxed(signal, -4);
    assert_true(wait_for(calls.signal));
    assert_int_equal(calls.count, 1);
    assert_int_equal(calls.seen, -4);
    rt.hsa_signal_store_relaxed(signal, 3);
    rt.hsa_signal_store_relaxed(signal, -5);
    usleep(20000);
    assert_int_equal(calls.count, 1); /* it returned false */
    ok(rt.hsa_signal_destroy(signal));
    ok(rt.hsa_signal_destroy(calls.signal));
}

static void a_handler_that_returns_true_is_called_again(void **state)
{
    struct calls calls = {.signal = new_signal(3), .again = true};
    (void)state;
    hsa_signal_t signal = new_signal(0);
    ok(rt.hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_EQ, 0, note, &calls));
    assert_true(wait_for(calls.signal));
    ok(rt.hsa_signal_destroy(signal));
    usleep(50000);
    int before = calls.count;
    usleep(50000);
    assert_int_equal(calls.count, before); /* the signal is gone */
    ok(rt.hsa_signal_destroy(calls.signal));
}

static bool ask_in_a_handler(hsa_signal_value_t value, void *data)
{
    struct calls *calls = data;
    hsa_signal_t signal;
    void *memory = NULL;
    (void)value;
    if (rt.hsa_signal_create(0, 0, NULL, &signal) == HSA_STATUS_SUCCESS &&
        rt.hsa_amd_memory_pool_allocate(here.memory, 64, 0, &memory) == HSA_STATUS_SUCCESS &&
        rt.hsa_amd_memory_pool_free(memory) == HSA_STATUS_SUCCESS &&
        rt.hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_EQ, 0, note, calls) ==
            HSA_STATUS_SUCCESS)
        calls->seen = 1234;
    return false;
}

static void a_handler_may_call_the_runtime(void **state)
{
    struct calls calls = {.signal = new_signal(1)};
    (void)state;
    hsa_signal_t signal = new_signal(0);
    ok(rt.hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_EQ, 0, ask_in_a_handler,
                                       &calls));
    assert_true(wait_for(calls.signal));
    assert_int_equal(calls.count, 1);
    ok(rt.hsa_signal_destroy(signal));
    ok(rt.hsa_signal_destroy(calls.signal));
}

static void many_handlers_are_all_called(void **state)
{
    enum { COUNT = 500 };
    static struct calls calls[COUNT];
    hsa_signal_t signals[COUNT], all = new_signal(COUNT);
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        signals[i] = new_signal(1);
        calls[i].signal = all;
        ok(rt.hsa_amd_signal_async_handler(signals[i], HSA_SIGNAL_CONDITION_LT, 1, note,
                                           &calls[i]));
    }
    for (int i = COUNT - 1; i >= 0; i--)
        rt.hsa_signal_store_relaxed(signals[i], 0);
    assert_true(wait_for(all));
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(calls[i].count, 1);
        ok(rt.hsa_signal_destroy(signals[i]));
    }
    ok(rt.hsa_signal_destroy(all));
}

static void call_once(void *data)
{
    rt.hsa_signal_store_relaxed(*(hsa_signal_t *)data, 0);
}

static void a_function_is_called_later(void **state)
{
    (void)state;
    hsa_signal_t signal = new_signal(1);
    ok(rt.hsa_amd_async_function(call_once, &signal));
    assert_true(wait_for(signal));
    ok(rt.hsa_signal_destroy(signal));
    expect(rt.hsa_amd_async_function(NULL, NULL), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_EQ, 0, note, NULL),
           HSA_STATUS_ERROR_INVALID_SIGNAL);
}

/* ---- threads
 * --------------------------------------------------------------------------------------------- */

static void *make_and_end(void *data)
{
    (void)data;
    for (int i = 0; i < 3000; i++) {
        hsa_signal_t signal;
        if (rt.hsa_signal_create(i, 0, NULL, &signal) != HSA_STATUS_SUCCESS ||
            rt.hsa_signal_load_relaxed(signal) != i ||
            rt.hsa_signal_destroy(signal) != HSA_STATUS_SUCCESS)
            return (void *)1;
    }
    return NULL;
}

static void threads_create_and_destroy_signals(void **state)
{
    pthread_t threads[4];
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, make_and_end, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_changed_by_each_operation),
        cmocka_unit_test(invalid_signals_are_errors),
        cmocka_unit_test(values_may_be_changed_in_memory),
        cmocka_unit_test(a_wait_ends_at_its_condition),
        cmocka_unit_test(a_wait_ends_at_its_timeout),
        cmocka_unit_test(a_thread_that_waits_is_woken_by_another),
        cmocka_unit_test(a_wait_for_any_returns_which_signal),
        cmocka_unit_test(a_group_waits_for_any_of_it),
        cmocka_unit_test(a_handler_is_called_when_its_condition_is_met),
        cmocka_unit_test(a_handler_that_returns_true_is_called_again),
        cmocka_unit_test(a_handler_may_call_the_runtime),
        cmocka_unit_test(many_handlers_are_all_called),
        cmocka_unit_test(a_function_is_called_later),
        cmocka_unit_test(threads_create_and_destroy_signals),
    };
    return start_with("gfx90a") ? EXIT_FAILURE : cmocka_run_group_tests(tests, NULL, NULL);
}
