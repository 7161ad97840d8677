/* Signals: their values, and that waiting threads sleep and are woken. The system calls by which
 * they sleep and are woken are counted. */
#include "amdgpu_queue.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

enum { MS = 1000000 };

static _Atomic(int) sleeps, wakes;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* Signals make no other system calls than futex. */
long __wrap_syscall(long number, ...)
{
    va_list list;
    va_start(list, number);
    void *word = va_arg(list, void *);
    int operation = va_arg(list, int), value = va_arg(list, int);
    void *time = va_arg(list, void *);
    va_end(list);
    atomic_fetch_add(operation == FUTEX_WAIT_PRIVATE ? &sleeps : &wakes, 1);
    return __real_syscall(number, word, operation, value, time, NULL, 0);
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * MS}, NULL);
}

/* ---- values ---------------------------------------------------------------------------- */

static void every_operation_changes_the_value_as_it_says(void **state)
{
    _Alignas(64) amd_signal_t signal;
    (void)state;
    amdgpu_signal_init(&signal, 5);
    assert_int_equal(signal.kind, AMD_SIGNAL_KIND_USER);
    assert_int_equal(amdgpu_signal_load(&signal), 5);
    amdgpu_signal_store(&signal, -7);
    assert_int_equal(amdgpu_signal_load(&signal), -7);
    amdgpu_signal_add(&signal, 10);
    assert_int_equal(amdgpu_signal_load(&signal), 3);
    amdgpu_signal_add(&signal, -4);
    assert_int_equal(amdgpu_signal_load(&signal), -1);
    assert_int_equal(amdgpu_signal_exchange(&signal, 0xf0), -1);
    amdgpu_signal_and(&signal, 0x3c);
    assert_int_equal(amdgpu_signal_load(&signal), 0x30);
    amdgpu_signal_or(&signal, 0x03);
    assert_int_equal(amdgpu_signal_load(&signal), 0x33);
    amdgpu_signal_xor(&signal, 0xff);
    assert_int_equal(amdgpu_signal_load(&signal), 0xcc);
    assert_int_equal(amdgpu_signal_cas(&signal, 1, 2), 0xcc);
    assert_int_equal(amdgpu_signal_load(&signal), 0xcc);
    assert_int_equal(amdgpu_signal_cas(&signal, 0xcc, INT64_MIN), 0xcc);
    assert_true(amdgpu_signal_load(&signal) == INT64_MIN);
}

static void a_signal_has_a_mailbox_of_its_own(void **state)
{
    _Alignas(64) amd_signal_t signal;
    (void)state;
    amdgpu_signal_init(&signal, 0);
    uint64_t mailbox = signal.event_mailbox_ptr, start = (uintptr_t)&signal;
    assert_true(mailbox >= start && mailbox + sizeof(uint64_t) <= start + sizeof signal);
    assert_true(mailbox >=
                start + offsetof(amd_signal_t, reserved3)); /* it overlaps no other field */
}

static void conditions_compare_signed(void **state)
{
    (void)state;
    assert_true(amdgpu_signal_satisfies(-1, HSA_SIGNAL_CONDITION_LT, 0));
    assert_false(amdgpu_signal_satisfies(0, HSA_SIGNAL_CONDITION_LT, 0));
    assert_true(amdgpu_signal_satisfies(0, HSA_SIGNAL_CONDITION_GTE, 0));
    assert_false(amdgpu_signal_satisfies(INT64_MIN, HSA_SIGNAL_CONDITION_GTE, 0));
    assert_true(amdgpu_signal_satisfies(7, HSA_SIGNAL_CONDITION_EQ, 7));
    assert_false(amdgpu_signal_satisfies(8, HSA_SIGNAL_CONDITION_EQ, 7));
    assert_true(amdgpu_signal_satisfies(8, HSA_SIGNAL_CONDITION_NE, 7));
    assert_false(amdgpu_signal_satisfies(7, HSA_SIGNAL_CONDITION_NE, 7));
    assert_false(amdgpu_signal_satisfies(7, (hsa_signal_condition_t)4, 7));
}

/* ---- waiting ------------------------------------------------------------------------------ */

static size_t wait_for(amd_signal_t *signal, hsa_signal_condition_t condition, int64_t compare,
                       uint64_t timeout, int64_t *out_value)
{
    return amdgpu_signal_wait(&signal, &condition, &compare, 1, timeout, out_value);
}

static void a_condition_that_holds_is_not_waited_for(void **state)
{
    _Alignas(64) amd_signal_t signal;
    int64_t value = 0;
    (void)state;
    amdgpu_signal_init(&signal, 9);
    atomic_store(&sleeps, 0);
    assert_int_equal(wait_for(&signal, HSA_SIGNAL_CONDITION_GTE, 9, UINT64_MAX, &value), 0);
    assert_int_equal(value, 9);
    assert_int_equal(wait_for(&signal, HSA_SIGNAL_CONDITION_EQ, 1, 0, &value), 1);
    assert_int_equal(value, 9);
    assert_int_equal(atomic_load(&sleeps), 0);
}

static void a_wait_ends_at_its_timeout(void **state)
{
    _Alignas(64) amd_signal_t signal;
    struct timespec start, end;
    int64_t value = 0;
    (void)state;
    amdgpu_signal_init(&signal, 3);
    clock_gettime(CLOCK_MONOTONIC, &start);
    assert_int_equal(wait_for(&signal, HSA_SIGNAL_CONDITION_EQ, 0, 20 * MS, &value), 1);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_int_equal(value, 3);
    assert_true((end.tv_sec - start.tv_sec) * 1000 * MS + end.tv_nsec - start.tv_nsec >= 20 * MS);
}

struct waiter {
    pthread_t thread;
    amd_signal_t **signals;
    size_t count, met;
    int64_t compare, value;
};

static void *run_waiter(void *data)
{
    struct waiter *waiter = data;
    hsa_signal_condition_t *conditions = calloc(waiter->count, sizeof *conditions);
    int64_t *compare = calloc(waiter->count, sizeof *compare);
    for (size_t i = 0; i < waiter->count; i++) {
        conditions[i] = HSA_SIGNAL_CONDITION_EQ;
        compare[i] = waiter->compare;
    }
    waiter->met = amdgpu_signal_wait(waiter->signals, conditions, compare, waiter->count,
                                     UINT64_MAX, &waiter->value);
    free(conditions);
    free(compare);
    return NULL;
}

/* Starts a thread that waits until one of count signals is compare, and lets it fall asleep. */
static void start_waiter(struct waiter *waiter, amd_signal_t **signals, size_t count,
                         int64_t compare)
{
    *waiter = (struct waiter){.signals = signals, .count = count, .compare = compare};
    atomic_store(&sleeps, 0);
    assert_int_equal(pthread_create(&waiter->thread, NULL, run_waiter, waiter), 0);
    while (atomic_load(&sleeps) <
           6) /* its timeouts grow, so that it does not wake up soon without being woken */
        pause_ms(1);
    atomic_store(&wakes, 0);
}

static void end_waiter(struct waiter *waiter, size_t met)
{
    pthread_join(waiter->thread, NULL);
    assert_int_equal(waiter->met, met);
    assert_int_equal(waiter->value, waiter->compare);
}

enum change { STORE, ADD, EXCHANGE, CAS, AND, OR, XOR, CHANGES };

static void change(amd_signal_t *signal, enum change how) /* from 2 to 0 */
{
    switch (how) {
    case STORE:
        amdgpu_signal_store(signal, 0);
        break;
    case ADD:
        amdgpu_signal_add(signal, -2);
        break;
    case EXCHANGE:
        (void)amdgpu_signal_exchange(signal, 0);
        break;
    case CAS:
        (void)amdgpu_signal_cas(signal, 2, 0);
        break;
    case AND:
        amdgpu_signal_and(signal, 1);
        break;
    case OR: /* an OR cannot result in 0: see below */
        (void)amdgpu_signal_exchange(signal, -4);
        amdgpu_signal_or(signal, 3);
        break;
    default:
        amdgpu_signal_xor(signal, 2);
    }
}

static void every_change_wakes_the_waiting_threads(void **state)
{
    _Alignas(64) amd_signal_t signal;
    amd_signal_t *one = &signal;
    struct waiter waiter;
    (void)state;
    for (int how = 0; how < CHANGES; how++) {
        amdgpu_signal_init(&signal, 2);
        start_waiter(&waiter, &one, 1, how == OR ? -1 : 0);
        change(&signal, (enum change)how);
        end_waiter(&waiter, 0);
        assert_in_range(atomic_load(&wakes), 1, how == OR ? 2 : 1);
    }
}

static void a_signal_wakes_only_threads_that_wait_for_it(void **state)
{
    _Alignas(64) amd_signal_t signals[65]; /* more than there are buckets, so that some share one */
    amd_signal_t *first = &signals[0];
    struct waiter waiter;
    (void)state;
    for (int i = 0; i < 65; i++)
        amdgpu_signal_init(&signals[i], 1);
    start_waiter(&waiter, &first, 1, 0);
    for (int i = 1; i < 65; i++)
        amdgpu_signal_store(&signals[i], 0);
    assert_int_equal(atomic_load(&wakes), 0);
    amdgpu_signal_store(first, 0);
    end_waiter(&waiter, 0);
    assert_int_equal(atomic_load(&wakes), 1);
}

static void a_thread_may_wait_for_many_signals(void **state)
{
    enum { COUNT = 100 };
    amd_signal_t *memory = aligned_alloc(64, COUNT * sizeof *memory), *signals[COUNT];
    struct waiter waiter;
    (void)state;
    for (int i = 0; i < COUNT; i++)
        amdgpu_signal_init(signals[i] = &memory[i], 1);
    for (size_t met = 3; met < COUNT; met += 48) {
        start_waiter(&waiter, signals, COUNT, 0);
        amdgpu_signal_store(signals[met], 0);
        end_waiter(&waiter, met);
        amdgpu_signal_store(signals[met], 1);
    }
    free(memory);
}

static void an_interrupt_wakes_threads_that_wait_for_a_value_of_a_kernel(void **state)
{
    _Alignas(64) amd_signal_t signal;
    amd_signal_t *one = &signal;
    struct waiter waiter;
    (void)state;
    amdgpu_signal_init(&signal, 1);
    start_waiter(&waiter, &one, 1, 0);
    __atomic_store_n(&signal.value, 0, __ATOMIC_RELEASE);
    amdgpu_signals_changed();
    end_waiter(&waiter, 0);
}

static void a_value_written_without_a_wake_is_seen_too(void **state)
{
    _Alignas(64) amd_signal_t signal;
    amd_signal_t *one = &signal;
    struct waiter waiter;
    (void)state;
    amdgpu_signal_init(&signal, 1);
    start_waiter(&waiter, &one, 1, 0);
    __atomic_store_n(&signal.value, 0, __ATOMIC_RELEASE);
    end_waiter(&waiter, 0);
    assert_int_equal(atomic_load(&wakes), 0);
}

/* ---- threads -------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 2000 };

static _Alignas(64) amd_signal_t turn, total;

static void *take_turns(void *data)
{
    int64_t own = *(int *)data, value;
    for (int round = 0; round < ROUNDS; round++) {
        (void)wait_for(&turn, HSA_SIGNAL_CONDITION_EQ, own, UINT64_MAX, &value);
        amdgpu_signal_add(&total, 1);
        amdgpu_signal_store(&turn, (own + 1) % THREADS);
    }
    return NULL;
}

static void threads_take_turns_without_missing_one(void **state)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    (void)state;
    amdgpu_signal_init(&turn, 0);
    amdgpu_signal_init(&total, 0);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, take_turns, &numbers[i]), 0);
    }
    int64_t value = 0;
    assert_int_equal(
        wait_for(&total, HSA_SIGNAL_CONDITION_GTE, THREADS * ROUNDS, UINT64_MAX, &value), 0);
    assert_int_equal(value, THREADS * ROUNDS);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_changes_the_value_as_it_says),
        cmocka_unit_test(a_signal_has_a_mailbox_of_its_own),
        cmocka_unit_test(conditions_compare_signed),
        cmocka_unit_test(a_condition_that_holds_is_not_waited_for),
        cmocka_unit_test(a_wait_ends_at_its_timeout),
        cmocka_unit_test(every_change_wakes_the_waiting_threads),
        cmocka_unit_test(a_signal_wakes_only_threads_that_wait_for_it),
        cmocka_unit_test(a_thread_may_wait_for_many_signals),
        cmocka_unit_test(an_interrupt_wakes_threads_that_wait_for_a_value_of_a_kernel),
        cmocka_unit_test(a_value_written_without_a_wake_is_seen_too),
        cmocka_unit_test(threads_take_turns_without_missing_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
