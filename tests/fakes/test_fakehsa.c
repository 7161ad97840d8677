/* The fake HSA runtime does what a test tells it to: every function that returns a status can
 * fail, failures can come later, what is enqueued is held, and what is left is counted. */
#include "fakehsa.h"
#include "hsa_abi.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
/* cmocka wants the two above */
#include <cmocka.h>

#define HSA_FUNCTION(result, name, parameters) result name parameters;
#include "hsa_functions.def"
#undef HSA_FUNCTION

#define ok(call) assert_int_equal((int)(call), HSA_STATUS_SUCCESS)

static hsa_agent_t gpu;
static hsa_amd_memory_pool_t pool;

static hsa_status_t find_gpu(hsa_agent_t agent, void *data)
{
    hsa_device_type_t type;
    (void)data;
    ok(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    if (type == HSA_DEVICE_TYPE_GPU)
        gpu = agent;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t first_pool(hsa_amd_memory_pool_t found, void *data)
{
    (void)data;
    pool = found;
    return (hsa_status_t)HSA_STATUS_INFO_BREAK;
}

static int start(void **state)
{
    (void)state;
    assert_int_equal(setenv("FAKEHSA_QUEUE_PACKETS", "512", 1), 0);
    ok(hsa_init());
    ok(hsa_iterate_agents(find_gpu, NULL));
    (void)hsa_amd_agent_iterate_memory_pools(gpu, first_pool, NULL);
    return 0;
}

/* ---- calls ------------------------------------------------------------------------------ */

typedef hsa_status_t any_function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                                  uintptr_t, uintptr_t);

#define RETURNS_STATUS(type)                                                                       \
    _Generic((type(*)(void))NULL, hsa_status_t(*)(void) : true, default : false)
enum {
#define HSA_FUNCTION(result, name, parameters) status_of_##name = RETURNS_STATUS(result),
#include "hsa_functions.def"
#undef HSA_FUNCTION
};
static const struct {
    const char *name;
    void (*function)(void);
    bool has_status;
} functions[] = {
#define SIMHSA_SYMBOL(name) {#name, (void (*)(void))name, status_of_##name},
#include "simhsa_symbols.def"
#undef SIMHSA_SYMBOL
};

/* hsa_amd_signal_wait_any and _all: to C an enumeration is a uint32_t. */
static const char returns_index[] = "hsa_amd_signal_wait_a";

static void every_function_with_a_status_fails_when_it_is_told_to(void **state)
{
    size_t failed = 0;
    (void)state;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const char *name = functions[i].name;
        any_function *call = (any_function *)functions[i].function;
        if (!functions[i].has_status || strncmp(name, returns_index, strlen(returns_index)) == 0)
            continue;
        unsigned before = fakehsa_calls(name);
        fakehsa_fail(name, 1, HSA_STATUS_ERROR_REFCOUNT_OVERFLOW);
        int status = (int)call(0, 0, 0, 0, 0, 0, 0, 0);
        if (status != HSA_STATUS_ERROR_REFCOUNT_OVERFLOW)
            print_error("%s returned 0x%x\n", name, status);
        assert_int_equal(status, HSA_STATUS_ERROR_REFCOUNT_OVERFLOW);
        assert_int_equal(fakehsa_calls(name), before + 1);
        assert_false(fakehsa()->has_faults());
        failed++;
    }
    assert_true(failed > 100);
    assert_int_equal(fakehsa_violations(), 0); /* it did nothing */
}

static void the_nth_call_fails(void **state)
{
    hsa_signal_t signals[3];
    (void)state;
    fakehsa_fail("hsa_signal_create", 2, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    ok(hsa_signal_create(1, 0, NULL, &signals[0]));
    assert_int_equal(hsa_signal_create(1, 0, NULL, &signals[1]), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    ok(hsa_signal_create(1, 0, NULL, &signals[2]));
    ok(hsa_signal_destroy(signals[0]));
    ok(hsa_signal_destroy(signals[2]));
}

static void every_fault_of_a_function_counts_its_calls(void **state)
{
    static const int wanted[] = {HSA_STATUS_SUCCESS, HSA_STATUS_ERROR_OUT_OF_RESOURCES,
                                 HSA_STATUS_ERROR, HSA_STATUS_SUCCESS};
    hsa_signal_t signal;
    (void)state;
    fakehsa_fail("hsa_signal_create", 2, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    fakehsa_fail("hsa_signal_create", 3, HSA_STATUS_ERROR);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_int_equal(hsa_signal_create(1, 0, NULL, &signal), wanted[i]);
        if (wanted[i] == HSA_STATUS_SUCCESS)
            ok(hsa_signal_destroy(signal));
    }
}

static void queues_are_as_long_as_it_was_told(void **state)
{
    uint32_t most = 0;
    (void)state;
    ok(hsa_agent_get_info(gpu, HSA_AGENT_INFO_QUEUE_MAX_SIZE, &most));
    assert_int_equal(most, 512);
}

/* ---- what is left, and violations ------------------------------------------------------- */

static void what_is_left_is_counted(void **state)
{
    struct fakehsa_counts before, now;
    static char page[4096];
    hsa_signal_t signal;
    hsa_queue_t *queue;
    void *memory, *locked, *reserved;
    (void)state;
    fakehsa_count(&before);
    ok(hsa_signal_create(1, 0, NULL, &signal));
    ok(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue));
    ok(hsa_amd_memory_pool_allocate(pool, 4096, 0, &memory));
    ok(hsa_amd_memory_lock(page, sizeof page, NULL, 0, &locked));
    ok(hsa_amd_vmem_address_reserve(&reserved, 1 << 21, 0, 0));
    fakehsa_count(&now);
    assert_int_equal(now.signals, before.signals + 1);
    assert_int_equal(now.queues, before.queues + 1);
    assert_int_equal(now.device_allocations, before.device_allocations + 1);
    assert_int_equal(now.locks, before.locks + 1);
    assert_int_equal(now.reservations, before.reservations + 1);
    assert_non_null(strstr(fakehsa_report(), "1 queues\n"));
    ok(hsa_amd_vmem_address_free(reserved, 1 << 21));
    ok(hsa_amd_memory_unlock(page));
    ok(hsa_amd_memory_pool_free(memory));
    ok(hsa_queue_destroy(queue));
    ok(hsa_signal_destroy(signal));
    fakehsa_count(&now);
    assert_memory_equal(&before, &now, sizeof now);
}

static void a_destroyed_handle_is_a_violation(void **state)
{
    hsa_signal_t signal;
    (void)state;
    ok(hsa_signal_create(1, 0, NULL, &signal));
    ok(hsa_signal_destroy(signal));
    assert_int_equal(hsa_signal_destroy(signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
    assert_int_equal(fakehsa_violations(), 1);
    fakehsa_forget();
    assert_int_equal(fakehsa_violations(), 0);
}

/* ---- failures that come later ----------------------------------------------------------- */

static _Atomic(int) queue_status, event_type;

static void on_error(hsa_status_t status, hsa_queue_t *queue, void *data)
{
    (void)queue, (void)data;
    atomic_store(&queue_status, (int)status);
}

static hsa_status_t on_event(const hsa_amd_event_t *event, void *data)
{
    (void)data;
    atomic_store(&event_type, 1 + (int)event->event_type);
    return HSA_STATUS_SUCCESS;
}

static void await(_Atomic(int) *word)
{
    while (atomic_load(word) == 0)
        sched_yield();
}

static void a_device_that_breaks_tells_the_callbacks_of_its_queues(void **state)
{
    hsa_queue_t *queue;
    (void)state;
    ok(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, on_error, NULL, 0, 0, &queue));
    fakehsa_break(0, HSA_STATUS_ERROR_INVALID_ISA);
    await(&queue_status);
    assert_int_equal(atomic_load(&queue_status), HSA_STATUS_ERROR_INVALID_ISA);
    ok(hsa_queue_destroy(queue));
}

static void a_memory_fault_tells_the_handlers_of_events(void **state)
{
    (void)state;
    ok(hsa_amd_register_system_event_handler(on_event, NULL));
    fakehsa_memory_fault(0, (void *)64);
    await(&event_type);
    assert_int_equal(atomic_load(&event_type), 1 + HSA_AMD_GPU_MEMORY_FAULT_EVENT);
}

static int64_t copied(hsa_signal_t signal)
{
    return hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_NE, 1, UINT64_MAX,
                                     HSA_WAIT_STATE_BLOCKED);
}

static void a_copy_that_fails_makes_its_signal_negative(void **state)
{
    void *memory;
    hsa_signal_t signal;
    (void)state;
    ok(hsa_amd_memory_pool_allocate(pool, 8192, 0, &memory));
    ok(hsa_signal_create(1, 0, NULL, &signal));
    fakehsa_fail("copy", 1, HSA_STATUS_ERROR);
    ok(hsa_amd_memory_async_copy((char *)memory + 4096, gpu, memory, gpu, 4096, 0, NULL, signal));
    assert_true(copied(signal) < 0);
    hsa_signal_store_relaxed(signal, 1);
    ok(hsa_amd_memory_async_copy((char *)memory + 4096, gpu, memory, gpu, 4096, 0, NULL, signal));
    assert_int_equal(copied(signal), 0);
    ok(hsa_signal_destroy(signal));
    ok(hsa_amd_memory_pool_free(memory));
}

static void what_is_held_begins_when_it_is_let_go(void **state)
{
    void *memory;
    hsa_signal_t signal, barrier;
    hsa_queue_t *queue;
    (void)state;
    ok(hsa_amd_memory_pool_allocate(pool, 8192, 0, &memory));
    ok(hsa_signal_create(1, 0, NULL, &signal));
    ok(hsa_signal_create(1, 0, NULL, &barrier));
    ok(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, on_error, NULL, 0, 0, &queue));
    fakehsa_hold(true);
    ok(hsa_amd_memory_async_copy((char *)memory + 4096, gpu, memory, gpu, 4096, 0, NULL, signal));
    hsa_barrier_and_packet_t *packet = queue->base_address;
    uint64_t at = hsa_queue_add_write_index_relaxed(queue, 1);
    packet[at].completion_signal = barrier;
    __atomic_store_n(&packet[at].header, HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE,
                     __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, (int64_t)at);
    assert_int_equal(hsa_signal_wait_scacquire(barrier, HSA_SIGNAL_CONDITION_EQ, 0, 1000000,
                                               HSA_WAIT_STATE_BLOCKED),
                     1);
    assert_int_equal(hsa_signal_load_scacquire(signal), 1);
    fakehsa_hold(false);
    assert_int_equal(copied(signal), 0);
    assert_int_equal(copied(barrier), 0);
    ok(hsa_queue_destroy(queue));
    ok(hsa_signal_destroy(barrier));
    ok(hsa_signal_destroy(signal));
    ok(hsa_amd_memory_pool_free(memory));
}

/* ---- the end ---------------------------------------------------------------------------- */

static void at_the_end_nothing_works(void **state)
{
    hsa_signal_t signal;
    (void)state;
    fakehsa_deinitialise();
    assert_int_equal(hsa_signal_create(1, 0, NULL, &signal), HSA_STATUS_ERROR_NOT_INITIALIZED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_with_a_status_fails_when_it_is_told_to),
        cmocka_unit_test(the_nth_call_fails),
        cmocka_unit_test(every_fault_of_a_function_counts_its_calls),
        cmocka_unit_test(queues_are_as_long_as_it_was_told),
        cmocka_unit_test(what_is_left_is_counted),
        cmocka_unit_test(a_destroyed_handle_is_a_violation),
        cmocka_unit_test(a_device_that_breaks_tells_the_callbacks_of_its_queues),
        cmocka_unit_test(a_memory_fault_tells_the_handlers_of_events),
        cmocka_unit_test(a_copy_that_fails_makes_its_signal_negative),
        cmocka_unit_test(what_is_held_begins_when_it_is_let_go),
        cmocka_unit_test(at_the_end_nothing_works),
    };
    return cmocka_run_group_tests_name("fakes.hsa", tests, start, NULL);
}
