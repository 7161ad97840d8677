/* Events: waiting, signaling, resetting, and invalid events. */
#include "simkmt_test.h"
#include "thread.h"

#include <pthread.h>

static void an_event_is_signaled_once_for_each_wait(void **state)
{
    (void)state;
    HsaEvent *event = new_event(HSA_EVENTTYPE_SIGNAL, false);
    expect(kmt.hsaKmtWaitOnEvent(event, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
    ok(kmt.hsaKmtSetEvent(event));
    ok(kmt.hsaKmtSetEvent(event));
    ok(kmt.hsaKmtWaitOnEvent(event, SECONDS_10));
    expect(kmt.hsaKmtWaitOnEvent(event, 1), HSAKMT_STATUS_WAIT_TIMEOUT);
    ok(kmt.hsaKmtDestroyEvent(event));
}

static void a_manual_event_stays_signaled(void **state)
{
    (void)state;
    HsaEvent *event = new_event(HSA_EVENTTYPE_SIGNAL, true);
    ok(kmt.hsaKmtSetEvent(event));
    ok(kmt.hsaKmtWaitOnEvent(event, 0));
    ok(kmt.hsaKmtWaitOnEvent(event, 0));
    ok(kmt.hsaKmtDestroyEvent(event));
}

static void one_of_several_events_or_all_are_waited_for(void **state)
{
    HsaEvent *events[3];
    (void)state;
    for (int i = 0; i < 3; i++)
        events[i] = new_event(HSA_EVENTTYPE_SIGNAL, false);
    ok(kmt.hsaKmtSetEvent(events[1]));
    ok(kmt.hsaKmtWaitOnMultipleEvents(events, 3, false, SECONDS_10));
    ok(kmt.hsaKmtSetEvent(events[1]));
    expect(kmt.hsaKmtWaitOnMultipleEvents(events, 3, true, 1), HSAKMT_STATUS_WAIT_TIMEOUT);
    expect(kmt.hsaKmtWaitOnEvent(events[1], 0),
           HSAKMT_STATUS_WAIT_TIMEOUT); // that call has reset it
    for (int i = 0; i < 3; i++)
        ok(kmt.hsaKmtSetEvent(events[i]));
    ok(kmt.hsaKmtWaitOnMultipleEvents(events, 3, true, SECONDS_10));
    expect(kmt.hsaKmtWaitOnMultipleEvents(events, 3, false, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
    for (int i = 0; i < 3; i++)
        ok(kmt.hsaKmtDestroyEvent(events[i]));
}

static _Atomic(pid_t) waits; /* the thread that is going to wait */

static void *wait_for_event(void *event)
{
    atomic_store(&waits, gettid());
    return (void *)(intptr_t)kmt.hsaKmtWaitOnEvent(event, HSA_EVENTTIMEOUT_INFINITE);
}

static void start_waiting(pthread_t *thread, HsaEvent *event)
{
    pid_t id;
    atomic_store(&waits, 0);
    assert_int_equal(pthread_create(thread, NULL, wait_for_event, event), 0);
    while ((id = atomic_load(&waits)) == 0 || !ah_test_sleeps(id))
        usleep(100);
}

static void a_waiting_thread_is_woken(void **state)
{
    pthread_t thread;
    void *result;
    (void)state;
    HsaEvent *event = new_event(HSA_EVENTTYPE_SIGNAL, false);
    start_waiting(&thread, event);
    ok(kmt.hsaKmtSetEvent(event));
    pthread_join(thread, &result);
    ok((intptr_t)result);
    ok(kmt.hsaKmtDestroyEvent(event));
}

/* A thread that starts to wait after the signal does not take the event from those that were
 * waiting before. */
static void every_waiting_thread_is_woken_and_the_event_is_reset(void **state)
{
    pthread_t threads[3];
    (void)state;
    HsaEvent *event = new_event(HSA_EVENTTYPE_SIGNAL, false);
    for (int i = 0; i < 3; i++)
        start_waiting(&threads[i], event);
    ok(kmt.hsaKmtSetEvent(event));
    expect(kmt.hsaKmtWaitOnEvent(event, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        ok((intptr_t)result);
    }
    ok(kmt.hsaKmtDestroyEvent(event));
}

static void a_wait_ends_when_its_event_is_destroyed(void **state)
{
    pthread_t thread;
    void *result;
    (void)state;
    HsaEvent *event = new_event(HSA_EVENTTYPE_SIGNAL, false);
    start_waiting(&thread, event);
    ok(kmt.hsaKmtDestroyEvent(event));
    pthread_join(thread, &result);
    expect((intptr_t)result, HSAKMT_STATUS_WAIT_FAILURE);
}

static void only_signal_events_have_mailboxes(void **state)
{
    (void)state;
    HsaEvent *signal = new_event(HSA_EVENTTYPE_SIGNAL, false);
    HsaEvent *memory = new_event(HSA_EVENTTYPE_MEMORY, true);
    assert_int_not_equal(signal->EventId, 0);
    assert_int_not_equal(signal->EventId, memory->EventId);
    assert_int_not_equal(signal->EventData.HWData2, 0);
    assert_int_equal(memory->EventData.HWData2, 0);
    ok(kmt.hsaKmtDestroyEvent(signal));
    ok(kmt.hsaKmtDestroyEvent(memory));
}

static void there_are_as_many_events_as_in_the_kernel_driver(void **state)
{
    enum { MOST = 4095 };
    static HsaEvent *events[MOST];
    HsaEventDescriptor descriptor = {.EventType = HSA_EVENTTYPE_SIGNAL};
    HsaEvent *more = NULL;
    (void)state;
    for (int i = 0; i < MOST; i++)
        events[i] = new_event(HSA_EVENTTYPE_SIGNAL, false);
    expect(kmt.hsaKmtCreateEvent(&descriptor, false, false, &more), HSAKMT_STATUS_ERROR);
    assert_null(more);
    for (int i = 0; i < MOST; i++)
        ok(kmt.hsaKmtDestroyEvent(events[i]));
    ok(kmt.hsaKmtDestroyEvent(new_event(HSA_EVENTTYPE_SIGNAL, false)));
}

static void an_invalid_event_is_an_error(void **state)
{
    HsaEvent stray = {.EventId = 7}, *none[] = {NULL}, *strays[] = {&stray};
    HsaEventDescriptor descriptor = {.EventType = HSA_EVENTTYPE_MAXID};
    HsaEvent *event = NULL;
    (void)state;
    expect(kmt.hsaKmtCreateEvent(&descriptor, false, false, &event),
           HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtCreateEvent(NULL, false, false, &event), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtSetEvent(NULL), HSAKMT_STATUS_INVALID_HANDLE);
    expect(kmt.hsaKmtSetEvent(&stray), HSAKMT_STATUS_INVALID_HANDLE);
    expect(kmt.hsaKmtDestroyEvent(&stray), HSAKMT_STATUS_INVALID_HANDLE);
    expect(kmt.hsaKmtWaitOnMultipleEvents(NULL, 1, true, 0), HSAKMT_STATUS_INVALID_HANDLE);
    expect(kmt.hsaKmtWaitOnMultipleEvents(none, 0, true, 0), HSAKMT_STATUS_INVALID_HANDLE);
    expect(kmt.hsaKmtWaitOnMultipleEvents(none, 1, true, 0), HSAKMT_STATUS_WAIT_FAILURE);
    expect(kmt.hsaKmtWaitOnMultipleEvents(strays, 1, false, 0), HSAKMT_STATUS_WAIT_FAILURE);
    event = new_event(HSA_EVENTTYPE_SIGNAL, false);
    ok(kmt.hsaKmtDestroyEvent(event));
    expect(kmt.hsaKmtDestroyEvent(NULL), HSAKMT_STATUS_INVALID_HANDLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_is_signaled_once_for_each_wait),
        cmocka_unit_test(a_manual_event_stays_signaled),
        cmocka_unit_test(one_of_several_events_or_all_are_waited_for),
        cmocka_unit_test(a_waiting_thread_is_woken),
        cmocka_unit_test(every_waiting_thread_is_woken_and_the_event_is_reset),
        cmocka_unit_test(a_wait_ends_when_its_event_is_destroyed),
        cmocka_unit_test(only_signal_events_have_mailboxes),
        cmocka_unit_test(there_are_as_many_events_as_in_the_kernel_driver),
        cmocka_unit_test(an_invalid_event_is_an_error),
    };
    return cmocka_run_group_tests_name("simulated kernel driver: events", tests, open_driver,
                                       close_driver);
}
