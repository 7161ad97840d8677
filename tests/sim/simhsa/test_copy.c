/* Asynchronous copies, and the signals that they wait for. */
#include "simhsa_test.h"

#include <pthread.h>

static unsigned char *host; /* 4 MiB that devices can access */
static char *device, *other;
enum { SIZE = 4 << 20 };

static void copy(void *dst, hsa_agent_t dst_agent, const void *src, hsa_agent_t src_agent,
                 size_t size, const hsa_signal_t *after, unsigned count, hsa_signal_t completion)
{
    ok(rt.hsa_amd_memory_async_copy(dst, dst_agent, src, src_agent, size, count, after,
                                    completion));
}

static void a_copy_completes_its_signal(void **state)
{
    hsa_amd_profiling_async_copy_time_t time = {0};
    (void)state;
    hsa_signal_t signal = new_signal(2), last = new_signal(1);
    memset(host, 0x31, SIZE);
    ok(rt.hsa_amd_profiling_async_copy_enable(true));
    copy(device, here.gpus[0], host, here.cpu, 1000, NULL, 0, signal);
    copy(device + 1000, here.gpus[0], host, here.cpu, SIZE - 1000, NULL, 0, signal);
    assert_true(wait_for(signal));
    assert_int_equal(rt.hsa_signal_load_relaxed(signal), 0);
    copy(other, here.gpus[0], device, here.gpus[0], SIZE, NULL, 0, last);
    assert_true(wait_for(last));
    assert_true(all_bytes(other, SIZE, 0x31));
    ok(rt.hsa_signal_destroy(last));
    ok(rt.hsa_amd_profiling_get_async_copy_time(signal, &time));
    assert_true(time.start != 0 && time.end >= time.start);
    ok(rt.hsa_signal_destroy(signal));
    ok(rt.hsa_amd_profiling_async_copy_enable(false));
}

static void a_copy_has_times_only_when_it_is_profiled(void **state)
{
    (void)state;
    const size_t sizes[] = {256, SIZE}; /* copied by the caller, and by a thread */
    for (int profiled = 0; profiled < 2; profiled++) {
        ok(rt.hsa_amd_profiling_async_copy_enable(profiled));
        for (int i = 0; i < 2; i++) {
            hsa_amd_profiling_async_copy_time_t time = {0};
            hsa_signal_t done = new_signal(1);
            copy(device, here.gpus[0], host, here.cpu, sizes[i], NULL, 0, done);
            assert_true(wait_for(done));
            assert_int_equal(rt.hsa_amd_profiling_get_async_copy_time(done, &time),
                             profiled ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR);
            assert_true(!profiled || (time.start != 0 && time.end >= time.start));
            ok(rt.hsa_signal_destroy(done));
        }
    }
    ok(rt.hsa_amd_profiling_async_copy_enable(false));
}

/* As AMD's runtime notes them, too. */
static void a_copy_within_the_host_has_times(void **state)
{
    (void)state;
    hsa_amd_profiling_async_copy_time_t time = {0};
    hsa_signal_t done = new_signal(1);
    ok(rt.hsa_amd_profiling_async_copy_enable(true));
    copy(host, here.cpu, host + SIZE / 2, here.cpu, SIZE / 2, NULL, 0, done);
    assert_true(wait_for(done));
    ok(rt.hsa_amd_profiling_get_async_copy_time(done, &time));
    assert_true(time.start != 0 && time.end >= time.start);
    ok(rt.hsa_signal_destroy(done));
    ok(rt.hsa_amd_profiling_async_copy_enable(false));
}

static void copies_of_one_direction_keep_their_order(void **state)
{
    (void)state;
    hsa_signal_t first = new_signal(1), last = new_signal(1);
    memset(host, 9, SIZE / 2);
    memset(host + SIZE / 2, 8, SIZE / 2);
    copy(device, here.gpus[0], host, here.cpu, SIZE / 2, NULL, 0, first);
    copy(device, here.gpus[0], host + SIZE / 2, here.cpu, 100, NULL, 0, last);
    assert_true(wait_for(last));
    assert_int_equal(rt.hsa_signal_load_relaxed(first), 0);
    assert_true(all_bytes(device, 100, 8) && all_bytes(device + 100, SIZE / 2 - 100, 9));
    ok(rt.hsa_signal_destroy(first));
    ok(rt.hsa_signal_destroy(last));
}

static void a_copy_waits_for_its_signals(void **state)
{
    (void)state;
    hsa_signal_t after[3] = {new_signal(1), new_signal(0), new_signal(1)}, done = new_signal(1);
    ok(rt.hsa_amd_memory_fill(device, 0, 1024));
    memset(host, 7, 4096);
    copy(device, here.gpus[0], host, here.cpu, 4096, after, 3, done);
    usleep(20000);
    assert_int_equal(rt.hsa_signal_load_relaxed(done), 1);
    rt.hsa_signal_store_relaxed(after[2], 0);
    usleep(20000);
    assert_int_equal(rt.hsa_signal_load_relaxed(done), 1);
    assert_true(all_bytes(device, 4096, 0));
    rt.hsa_signal_subtract_relaxed(after[0], 1);
    assert_true(wait_for(done));
    assert_true(all_bytes(device, 4096, 7));
    for (int i = 0; i < 3; i++)
        ok(rt.hsa_signal_destroy(after[i]));
    ok(rt.hsa_signal_destroy(done));
}

static void copies_chain_over_engines(void **state)
{
    enum { LINKS = 200 };
    hsa_signal_t signals[LINKS + 1];
    (void)state;
    for (int i = 0; i <= LINKS; i++)
        signals[i] = new_signal(1);
    memset(host, 5, SIZE);
    for (int i = 0; i < LINKS; i++) { /* to the device, within it, and back */
        size_t size = i % 7 == 0 ? 100000 : 100;
        if (i % 3 == 0)
            copy(device, here.gpus[0], host, here.cpu, size, &signals[i], 1, signals[i + 1]);
        else if (i % 3 == 1)
            copy(other, here.gpus[0], device, here.gpus[0], size, &signals[i], 1, signals[i + 1]);
        else
            copy(host, here.cpu, other, here.gpus[0], size, &signals[i], 1, signals[i + 1]);
    }
    rt.hsa_signal_store_relaxed(signals[0], 0);
    assert_true(wait_for(signals[LINKS]));
    for (int i = 0; i <= LINKS; i++)
        ok(rt.hsa_signal_destroy(signals[i]));
}

enum { COPIERS = 4, PER_COPIER = 2000 };
static void *copier(void *data)
{
    hsa_signal_t *done = data;
    for (int i = 0; i < PER_COPIER; i++)
        copy(device, here.gpus[0], host, here.cpu, i % 50 ? 256 : 100000, NULL, 0, *done);
    return NULL;
}

/* A copy that is submitted while an engine is busy is executed too. */
static void threads_may_copy_at_the_same_time(void **state)
{
    pthread_t threads[COPIERS];
    (void)state;
    hsa_signal_t done = new_signal(COPIERS * PER_COPIER);
    for (int i = 0; i < COPIERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, copier, &done), 0);
    for (int i = 0; i < COPIERS; i++)
        pthread_join(threads[i], NULL);
    assert_true(wait_for(done));
    assert_int_equal(rt.hsa_signal_load_relaxed(done), 0);
    ok(rt.hsa_signal_destroy(done));
}

static void a_copy_of_freed_memory_fails(void **state)
{
    (void)state;
    hsa_signal_t after = new_signal(1), done = new_signal(1), next = new_signal(1);
    char *memory = allocate(here.memory, 4096);
    copy(memory, here.gpus[0], host, here.cpu, 4096, &after, 1, done);
    copy(device, here.gpus[0], host, here.cpu, 4096, NULL, 0, next);
    ok(rt.hsa_amd_memory_pool_free(memory));
    rt.hsa_signal_store_relaxed(after, 0);
    assert_true(wait_for(done) && wait_for(next));
    assert_int_equal(rt.hsa_signal_load_relaxed(done), -1);
    assert_int_equal(rt.hsa_signal_load_relaxed(next), 0);
    ok(rt.hsa_signal_destroy(after));
    ok(rt.hsa_signal_destroy(done));
    ok(rt.hsa_signal_destroy(next));
}

static void a_copy_with_a_destroyed_signal_fails(void **state)
{
    (void)state;
    hsa_signal_t after = new_signal(1), done = new_signal(1);
    copy(device, here.gpus[0], host, here.cpu, 4096, &after, 1, done);
    ok(rt.hsa_signal_destroy(after));
    assert_true(wait_for(done));
    assert_int_equal(rt.hsa_signal_load_relaxed(done), -1);
    ok(rt.hsa_signal_destroy(done));
}

static void invalid_copies_are_errors(void **state)
{
    char own[64];
    hsa_signal_t signal = new_signal(1), wrong = {8};
    hsa_agent_t gpu = here.gpus[0], nobody = {1};
    (void)state;
    expect(rt.hsa_amd_memory_async_copy(NULL, gpu, host, here.cpu, 64, 0, NULL, signal),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_amd_memory_async_copy(device, gpu, host, here.cpu, 64, 1, NULL, signal),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_amd_memory_async_copy(device, gpu, host, here.cpu, 64, 0, &signal, signal),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_amd_memory_async_copy(device, nobody, host, here.cpu, 64, 0, NULL, signal),
           HSA_STATUS_ERROR_INVALID_AGENT);
    expect(rt.hsa_amd_memory_async_copy(device, gpu, host, here.cpu, 64, 0, NULL, wrong),
           HSA_STATUS_ERROR_INVALID_SIGNAL);
    expect(rt.hsa_amd_memory_async_copy(device, gpu, host, here.cpu, 64, 1, &wrong, signal),
           HSA_STATUS_ERROR_INVALID_SIGNAL);
    expect(rt.hsa_amd_memory_async_copy(device, gpu, own, here.cpu, 64, 0, NULL, signal),
           HSA_STATUS_ERROR_INVALID_ARGUMENT); /* memory is not locked */
    expect(
        rt.hsa_amd_memory_async_copy(device + SIZE - 63, gpu, host, here.cpu, 64, 0, NULL, signal),
        HSA_STATUS_ERROR_INVALID_ARGUMENT);
    assert_int_equal(rt.hsa_signal_load_relaxed(signal), 1);
    ok(rt.hsa_signal_destroy(signal));
}

static void the_host_copies_its_own_memory(void **state)
{
    char from[64], to[64] = {0};
    (void)state;
    hsa_signal_t signal = new_signal(1);
    memset(from, 6, sizeof from);
    copy(to, here.cpu, from, here.cpu, 64, NULL, 0, signal);
    assert_true(wait_for(signal));
    assert_memory_equal(from, to, 64);
    ok(rt.hsa_signal_destroy(signal));
}

static void engines_may_be_chosen(void **state)
{
    uint32_t mask = 0;
    (void)state;
    hsa_signal_t signal = new_signal(1);
    /* the engine may still be finishing its last copy, whose signal is complete */
    while (rt.hsa_amd_memory_copy_engine_status(here.gpus[0], here.cpu, &mask) ==
           HSA_STATUS_ERROR_OUT_OF_RESOURCES)
        usleep(100);
    assert_true(mask != 0);
    ok(rt.hsa_amd_memory_get_preferred_copy_engine(here.gpus[0], here.cpu, &mask));
    hsa_amd_sdma_engine_id_t engine = (hsa_amd_sdma_engine_id_t)(mask & -mask);
    memset(host, 0x44, 100);
    ok(rt.hsa_amd_memory_async_copy_on_engine(device, here.gpus[0], host, here.cpu, 100, 0, NULL,
                                              signal, engine, true));
    assert_true(wait_for(signal));
    assert_true(all_bytes(device, 100, 0x44));
    expect(rt.hsa_amd_memory_async_copy_on_engine(device, here.gpus[0], host, here.cpu, 100, 0,
                                                  NULL, signal, (hsa_amd_sdma_engine_id_t)3, true),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_amd_memory_copy_engine_status(here.cpu, here.cpu, &mask),
           HSA_STATUS_ERROR_INVALID_AGENT);
    ok(rt.hsa_signal_destroy(signal));
}

static void boxes_are_copied_row_by_row(void **state)
{
    enum { WIDTH = 10, HEIGHT = 4, DEPTH = 3, PITCH = 64, SLICE = 1024 };
    hsa_pitched_ptr_t to = {device, PITCH, SLICE}, from = {host, 16, 16 * HEIGHT};
    hsa_dim3_t at = {5, 2, 1}, none = {0, 0, 0}, range = {WIDTH, HEIGHT, DEPTH};
    static unsigned char seen[8 * SLICE];
    (void)state;
    hsa_signal_t signal = new_signal(1);
    ok(rt.hsa_amd_memory_fill(device, 0, sizeof seen / 4));
    for (int i = 0; i < 16 * HEIGHT * DEPTH; i++)
        host[i] = (unsigned char)(i + 1);
    ok(rt.hsa_amd_memory_async_copy_rect(&to, &at, &from, &none, &range, here.gpus[0],
                                         hsaHostToDevice, 0, NULL, signal));
    assert_true(wait_for(signal));
    ok(rt.hsa_memory_copy(seen, device, sizeof seen));
    for (unsigned z = 0; z < 8; z++)
        for (unsigned y = 0; y < SLICE / PITCH; y++)
            for (unsigned x = 0; x < PITCH; x++) {
                bool inside =
                    x >= 5 && x < 5 + WIDTH && y >= 2 && y < 2 + HEIGHT && z >= 1 && z < 1 + DEPTH;
                unsigned expected = inside ? (x - 5) + 16 * (y - 2) + 16 * HEIGHT * (z - 1) + 1 : 0;
                assert_int_equal(seen[z * SLICE + y * PITCH + x], expected & 0xff);
            }
    expect(rt.hsa_amd_memory_async_copy_rect(&to, &at, &from, &none, &range, here.cpu,
                                             hsaHostToDevice, 0, NULL, signal),
           HSA_STATUS_ERROR_INVALID_AGENT);
    expect(rt.hsa_amd_memory_async_copy_rect(&to, &at, &from, &none, &range, here.gpus[0],
                                             hsaHostToHost, 0, NULL, signal),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const hsa_dim3_t many = {WIDTH, UINT32_MAX, UINT32_MAX}; /* more than could ever be copied */
    hsa_pitched_ptr_t flat = {device, 0, 0};
    expect(rt.hsa_amd_memory_async_copy_rect(&flat, &none, &from, &none, &many, here.gpus[0],
                                             hsaHostToDevice, 0, NULL, signal),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    to.slice = PITCH * (HEIGHT - 1) + WIDTH - 1; /* slices overlap */
    expect(rt.hsa_amd_memory_async_copy_rect(&to, &none, &from, &none, &range, here.gpus[0],
                                             hsaHostToDevice, 0, NULL, signal),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    to.slice = SIZE_MAX / 2;
    expect(rt.hsa_amd_memory_async_copy_rect(&to, &none, &from, &none, &range, here.gpus[0],
                                             hsaHostToDevice, 0, NULL, signal),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_signal_destroy(signal));
}

static void memory_of_two_devices_is_copied(void **state)
{
    (void)state;
    static int nothing;
    hsa_amd_memory_pool_t first = here.memory;
    ok(rt.hsa_amd_agent_iterate_memory_pools(here.gpus[1], collect_pool, &nothing));
    char *second = allocate(here.memory, SIZE);
    here.memory = first;
    hsa_signal_t signal = new_signal(1);
    ok(rt.hsa_amd_agents_allow_access(1, &here.gpus[0], NULL, second));
    ok(rt.hsa_amd_memory_fill(device, 0x12121212, SIZE / 4));
    copy(second, here.gpus[1], device, here.gpus[0], SIZE, NULL, 0, signal);
    assert_true(wait_for(signal));
    assert_true(all_bytes(second, SIZE, 0x12));
    ok(rt.hsa_amd_memory_pool_free(second));
    ok(rt.hsa_signal_destroy(signal));
}

static hsa_status_t note_fault(const hsa_amd_event_t *event, void *data)
{
    *(hsa_amd_event_t *)data = *event;
    return HSA_STATUS_SUCCESS;
}

static void copy_without_access(void)
{
    static int nothing;
    static hsa_amd_event_t event;
    void *own = NULL, *others = NULL;
    hsa_signal_t signal;
    child_check(start_with("gfx90a*2") == 0);
    hsa_amd_memory_pool_t first = here.memory;
    child_check(rt.hsa_amd_agent_iterate_memory_pools(here.gpus[1], collect_pool, &nothing) == 0);
    child_check(rt.hsa_amd_memory_pool_allocate(first, SIZE, 0, &own) == 0 &&
                rt.hsa_amd_memory_pool_allocate(here.memory, SIZE, 0, &others) == 0 &&
                rt.hsa_signal_create(1, 0, NULL, &signal) == 0);
    child_check(rt.hsa_amd_register_system_event_handler(note_fault, &event) == 0);
    child_check(rt.hsa_amd_memory_async_copy(others, here.gpus[1], own, here.gpus[0], SIZE, 0, NULL,
                                             signal) == 0);
    child_check(rt.hsa_signal_load_scacquire(signal) == -1);
    child_check(event.event_type == HSA_AMD_GPU_MEMORY_FAULT_EVENT &&
                event.memory_fault.agent.handle == here.gpus[0].handle &&
                event.memory_fault.virtual_address == (uintptr_t)others);
}

/* Before this process opens the runtime. */
static void a_device_without_access_faults(void **state)
{
    (void)state;
    in_a_child(copy_without_access);
}

static int prepare(void **state)
{
    (void)state;
    host = allocate(here.fine, SIZE);
    device = allocate(here.memory, SIZE);
    other = allocate(here.memory, SIZE);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_completes_its_signal),
        cmocka_unit_test(a_copy_has_times_only_when_it_is_profiled),
        cmocka_unit_test(a_copy_within_the_host_has_times),
        cmocka_unit_test(copies_of_one_direction_keep_their_order),
        cmocka_unit_test(a_copy_waits_for_its_signals),
        cmocka_unit_test(copies_chain_over_engines),
        cmocka_unit_test(threads_may_copy_at_the_same_time),
        cmocka_unit_test(a_copy_of_freed_memory_fails),
        cmocka_unit_test(a_copy_with_a_destroyed_signal_fails),
        cmocka_unit_test(invalid_copies_are_errors),
        cmocka_unit_test(the_host_copies_its_own_memory),
        cmocka_unit_test(engines_may_be_chosen),
        cmocka_unit_test(boxes_are_copied_row_by_row),
        cmocka_unit_test(memory_of_two_devices_is_copied),
    };
    const struct CMUnitTest before[] = {cmocka_unit_test(a_device_without_access_faults)};
    if (cmocka_run_group_tests(before, NULL, NULL) || start_with("gfx90a*2"))
        return EXIT_FAILURE;
    return cmocka_run_group_tests(tests, prepare, NULL);
}
