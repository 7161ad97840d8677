/* Queues: packets, indices, kernels, and what happens when something fails. */
#include "simhsa_test.h"

#include <signal.h>

struct failure {
    hsa_status_t status;
    hsa_queue_t *queue;
    hsa_signal_t notified;
    int order; /* 1: first, 2: second */
};
static _Atomic(int) told_count;

static void note_error(hsa_status_t status, hsa_queue_t *queue, void *data)
{
    struct failure *failure = data;
    failure->status = status;
    failure->queue = queue;
    failure->order = ++told_count;
    rt.hsa_signal_store_screlease(failure->notified, 0);
}

static hsa_queue_t *new_queue(struct failure *failure)
{
    hsa_queue_t *queue = NULL;
    if (failure)
        failure->notified = new_signal(1);
    ok(rt.hsa_queue_create(here.gpus[0], 256, HSA_QUEUE_TYPE_MULTI, failure ? note_error : NULL,
                           failure, UINT32_MAX, UINT32_MAX, &queue));
    assert_non_null(queue);
    return queue;
}

static void a_queue_has_the_requested_properties(void **state)
{
    (void)state;
    hsa_queue_t *queue = new_queue(NULL);
    hsa_agent_t agent = {0};
    assert_int_equal(queue->size, 256);
    assert_int_equal(queue->type, HSA_QUEUE_TYPE_MULTI);
    assert_int_equal(queue->features, HSA_QUEUE_FEATURE_KERNEL_DISPATCH);
    assert_non_null(queue->base_address);
    assert_int_equal((uintptr_t)queue->base_address % 64, 0);
    assert_int_equal(((const uint16_t *)queue->base_address)[0], HSA_PACKET_TYPE_INVALID);
    ok(rt.hsa_amd_queue_get_info(queue, HSA_AMD_QUEUE_INFO_AGENT, &agent));
    assert_true(agent.handle == here.gpus[0].handle);
    hsa_queue_t *second = new_queue(NULL);
    assert_int_not_equal(second->id, queue->id);
    ok(rt.hsa_queue_destroy(second));
    ok(rt.hsa_queue_destroy(queue));
    expect(rt.hsa_queue_destroy(queue), HSA_STATUS_ERROR_INVALID_QUEUE);
}

static void invalid_queues_are_errors(void **state)
{
    hsa_queue_t *queue = NULL, fake;
    hsa_agent_t gpu = here.gpus[0];
    (void)state;
    expect(rt.hsa_queue_create((hsa_agent_t){1}, 64, 0, NULL, NULL, 0, 0, &queue),
           HSA_STATUS_ERROR_INVALID_AGENT);
    expect(rt.hsa_queue_create(here.cpu, 64, 0, NULL, NULL, 0, 0, &queue), HSA_STATUS_ERROR);
    expect(rt.hsa_queue_create(gpu, 64, 0, NULL, NULL, 262144, 0, &queue),
           HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    expect(rt.hsa_queue_create(gpu, 64, 0, NULL, NULL, 65536, 0, &queue),
           HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    expect(rt.hsa_queue_create(gpu, 100, 0, NULL, NULL, 0, 0, &queue),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_queue_create(gpu, 0, 0, NULL, NULL, 0, 0, &queue),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_queue_create(gpu, 64, 9, NULL, NULL, 0, 0, &queue),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_queue_create(gpu, 64, 0, NULL, NULL, 0, 0, NULL),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_queue_create(gpu, 1 << 20, 0, NULL, NULL, 0, 0, &queue),
           HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    hsa_queue_t *wrong[] = {&fake, (hsa_queue_t *)8, (hsa_queue_t *)UINTPTR_MAX};
    for (size_t i = 0; i < 3; i++) {
        expect(rt.hsa_queue_destroy(wrong[i]), HSA_STATUS_ERROR_INVALID_QUEUE);
        expect(rt.hsa_queue_inactivate(wrong[i]), HSA_STATUS_ERROR_INVALID_QUEUE);
        expect(rt.hsa_amd_queue_set_priority(wrong[i], 0), HSA_STATUS_ERROR_INVALID_QUEUE);
        expect(rt.hsa_amd_profiling_set_profiler_enabled(wrong[i], 1),
               HSA_STATUS_ERROR_INVALID_QUEUE);
        assert_int_equal(rt.hsa_queue_add_write_index_relaxed(wrong[i], 1), 0);
        assert_int_equal(rt.hsa_queue_load_read_index_acquire(wrong[i]), 0);
        rt.hsa_queue_store_write_index_release(wrong[i], 7);
    }
    expect(rt.hsa_queue_destroy(NULL), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

static void indices_can_be_read_and_written(void **state)
{
    (void)state;
    hsa_queue_t *queue = new_queue(NULL);
    assert_int_equal(rt.hsa_queue_add_write_index_acq_rel(queue, 2), 0);
    assert_int_equal(rt.hsa_queue_load_write_index_relaxed(queue), 2);
    assert_int_equal(rt.hsa_queue_cas_write_index_scacquire(queue, 1, 9), 2);
    assert_int_equal(rt.hsa_queue_cas_write_index_release(queue, 2, 9), 2);
    assert_int_equal(rt.hsa_queue_load_write_index_scacquire(queue), 9);
    rt.hsa_queue_store_write_index_screlease(queue, 0);
    assert_int_equal(rt.hsa_queue_load_write_index_acquire(queue), 0);
    assert_int_equal(rt.hsa_queue_load_read_index_relaxed(queue), 0);
    ok(rt.hsa_queue_destroy(queue));
}

static void a_soft_queue_is_processed_by_the_program(void **state)
{
    hsa_queue_t *queue = NULL;
    hsa_agent_t agent;
    hsa_region_t region = {here.fine.handle}, of_device = {here.memory.handle};
    hsa_signal_t doorbell = new_signal(0);
    (void)state;
    expect(rt.hsa_soft_queue_create(region, 64, 0, 0, doorbell, &queue),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_soft_queue_create((hsa_region_t){7}, 64, 0, 1, doorbell, &queue),
           HSA_STATUS_ERROR_INVALID_REGION);
    expect(rt.hsa_soft_queue_create(of_device, 64, 0, 1, doorbell, &queue),
           HSA_STATUS_ERROR_INVALID_REGION);
    expect(rt.hsa_soft_queue_create(region, 64, 0, 1, (hsa_signal_t){7}, &queue),
           HSA_STATUS_ERROR_INVALID_SIGNAL);
    ok(rt.hsa_soft_queue_create(region, 64, 0, HSA_QUEUE_FEATURE_AGENT_DISPATCH, doorbell, &queue));
    rt.hsa_queue_store_read_index_screlease(queue, 5); /* the simulator does not change it */
    assert_int_equal(rt.hsa_queue_load_read_index_scacquire(queue), 5);
    expect(rt.hsa_amd_queue_get_info(queue, HSA_AMD_QUEUE_INFO_AGENT, &agent),
           HSA_STATUS_ERROR_INVALID_QUEUE);
    ok(rt.hsa_queue_inactivate(queue));
    ok(rt.hsa_queue_destroy(queue));
    expect(rt.hsa_queue_destroy(queue), HSA_STATUS_ERROR_INVALID_QUEUE);
    ok(rt.hsa_signal_destroy(doorbell));
}

static void barriers_wait_for_signals(void **state)
{
    (void)state;
    hsa_queue_t *queue = new_queue(NULL);
    hsa_signal_t before[2] = {new_signal(1), new_signal(1)}, both = new_signal(1),
                 any = new_signal(1);
    barrier_after(queue, HSA_PACKET_TYPE_BARRIER_OR, before, 2, any);
    barrier_after(queue, HSA_PACKET_TYPE_BARRIER_AND, before, 2, both);
    usleep(20000);
    assert_int_equal(rt.hsa_signal_load_relaxed(any), 1);
    rt.hsa_signal_store_relaxed(before[1], 0);
    assert_true(wait_for(any));
    usleep(20000);
    assert_int_equal(rt.hsa_signal_load_relaxed(both), 1);
    rt.hsa_signal_store_relaxed(before[0], 0);
    assert_true(wait_for(both));
    assert_int_equal(rt.hsa_queue_load_read_index_acquire(queue), 2);
    ok(rt.hsa_queue_destroy(queue));
    for (int i = 0; i < 2; i++)
        ok(rt.hsa_signal_destroy(before[i]));
    ok(rt.hsa_signal_destroy(both));
    ok(rt.hsa_signal_destroy(any));
}

static void a_ring_is_used_again_and_again(void **state)
{
    enum { PACKETS = 2000 };
    (void)state;
    hsa_queue_t *queue = new_queue(NULL);
    hsa_signal_t done = new_signal(PACKETS);
    for (int i = 0; i < PACKETS; i++)
        barrier_after(queue, HSA_PACKET_TYPE_BARRIER_AND, NULL, 0, done);
    assert_true(wait_for(done));
    assert_int_equal(rt.hsa_signal_load_relaxed(done), 0);
    ok(rt.hsa_queue_destroy(queue));
    ok(rt.hsa_signal_destroy(done));
}

static void a_queue_may_be_destroyed_while_packets_wait(void **state)
{
    (void)state;
    hsa_queue_t *queue = new_queue(NULL);
    hsa_signal_t never = new_signal(1), done = new_signal(1);
    barrier_after(queue, HSA_PACKET_TYPE_BARRIER_AND, &never, 1, done);
    ok(rt.hsa_queue_destroy(queue));
    assert_int_equal(rt.hsa_signal_load_relaxed(done), 1);
    queue = new_queue(NULL);
    barrier_after(queue, HSA_PACKET_TYPE_BARRIER_AND, &never, 1, done);
    ok(rt.hsa_queue_inactivate(queue));
    rt.hsa_signal_store_relaxed(never, 0);
    usleep(20000);
    assert_int_equal(rt.hsa_signal_load_relaxed(done), 1);
    ok(rt.hsa_queue_destroy(queue));
    ok(rt.hsa_signal_destroy(never));
    ok(rt.hsa_signal_destroy(done));
}

static void units_may_be_masked(void **state)
{
    uint32_t mask[4] = {0xffff, 0, 0, 0}, seen[4] = {0};
    (void)state;
    hsa_queue_t *queue = new_queue(NULL);
    ok(rt.hsa_amd_queue_cu_get_mask(queue, 128, seen));
    assert_true(seen[0] == UINT32_MAX && seen[3] == 0xff); /* of 104 */
    ok(rt.hsa_amd_queue_cu_set_mask(queue, 128, mask));
    ok(rt.hsa_amd_queue_cu_get_mask(queue, 128, seen));
    assert_memory_equal(mask, seen, sizeof mask);
    expect(rt.hsa_amd_queue_cu_set_mask(queue, 33, mask), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_amd_queue_cu_set_mask(queue, 0, NULL));
    ok(rt.hsa_amd_queue_cu_get_mask(queue, 32, seen));
    assert_int_equal(seen[0], UINT32_MAX);
    ok(rt.hsa_amd_queue_set_priority(queue, HSA_AMD_QUEUE_PRIORITY_HIGH));
    expect(rt.hsa_amd_queue_set_priority(queue, (hsa_amd_queue_priority_t)7),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_queue_destroy(queue));
}

/* The two compute units of a work-group processor have to be in the mask together. */
static void units_of_gfx1100_are_masked_in_pairs(void **state)
{
    const uint32_t pairs[3] = {0xc, 0, 3u << 30}, halves[3] = {0xf, 0, 1u << 30};
    uint32_t seen[3] = {0};
    hsa_queue_t *queue = NULL;
    (void)state;
    ok(rt.hsa_queue_create(here.gpus[1], 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue));
    ok(rt.hsa_amd_queue_cu_set_mask(queue, 96, pairs));
    expect(rt.hsa_amd_queue_cu_set_mask(queue, 96, halves), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_amd_queue_cu_get_mask(queue, 96, seen));
    assert_memory_equal(pairs, seen, sizeof pairs);
    ok(rt.hsa_queue_destroy(queue));
}

static void an_invalid_packet_stops_the_queue(void **state)
{
    uint64_t index;
    struct failure failure = {0};
    (void)state;
    hsa_queue_t *queue = new_queue(&failure);
    hsa_signal_t done = new_signal(1);
    void *packet = next_packet(queue, &index);
    memset((char *)packet + 4, 0, 60);
    ring(queue, packet, 77, index);
    assert_true(wait_for(failure.notified));
    assert_int_equal(failure.status, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
    assert_ptr_equal(failure.queue, queue);
    barrier_after(queue, HSA_PACKET_TYPE_BARRIER_AND, NULL, 0, done);
    usleep(20000);
    assert_int_equal(rt.hsa_signal_load_relaxed(done), 1);
    ok(rt.hsa_queue_destroy(queue));
    ok(rt.hsa_signal_destroy(done));
    ok(rt.hsa_signal_destroy(failure.notified));
}

static hsa_queue_t *new_cooperative(struct failure *failure)
{
    hsa_queue_t *queue = NULL;
    failure->notified = new_signal(1);
    ok(rt.hsa_queue_create(here.gpus[0], 256, HSA_QUEUE_TYPE_COOPERATIVE, note_error, failure, 0, 0,
                           &queue));
    return queue;
}

static void all_users_of_the_cooperative_queue_are_notified_of_its_failure(void **state)
{
    uint64_t index;
    struct failure first = {0}, second = {0};
    (void)state;
    hsa_queue_t *queue = new_cooperative(&first);
    assert_ptr_equal(new_cooperative(&second), queue);
    void *packet = next_packet(queue, &index);
    memset((char *)packet + 4, 0, 60);
    ring(queue, packet, 77, index);
    assert_true(wait_for(first.notified));
    assert_true(wait_for(second.notified));
    assert_int_equal(first.status, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
    assert_int_equal(second.status, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
    ok(rt.hsa_queue_destroy(queue));
    ok(rt.hsa_queue_destroy(queue));
    expect(rt.hsa_queue_destroy(queue), HSA_STATUS_ERROR_INVALID_QUEUE);
    ok(rt.hsa_signal_destroy(first.notified));
    ok(rt.hsa_signal_destroy(second.notified));
}

static void destroy_in_callback(hsa_status_t status, hsa_queue_t *queue, void *data)
{
    struct failure *failure = data;
    (void)status;
    failure->status = rt.hsa_queue_destroy(queue);
    rt.hsa_signal_store_screlease(failure->notified, 0);
}

static void a_queue_may_be_destroyed_in_its_own_callback(void **state)
{
    uint64_t index;
    hsa_queue_t *queue;
    struct failure failure = {.notified = new_signal(1), .status = HSA_STATUS_ERROR};
    (void)state;
    ok(rt.hsa_queue_create(here.gpus[0], 64, 0, destroy_in_callback, &failure, 0, 0, &queue));
    void *packet = next_packet(queue, &index);
    memset((char *)packet + 4, 0, 60);
    ring(queue, packet, 77, index);
    assert_true(wait_for(failure.notified));
    ok(failure.status);
    expect(rt.hsa_queue_destroy(queue), HSA_STATUS_ERROR_INVALID_QUEUE);
    ok(rt.hsa_signal_destroy(failure.notified));
}

/* ---- kernels ------------------------------------------------------------------------------------
 */

static hsa_executable_t executable;

static uint64_t kernel(const char *name)
{
    return kernel_of(executable, here.gpus[0], name);
}

struct fill_arguments {
    void *out;
    uint32_t value, count;
};

static void a_kernel_writes_memory(void **state)
{
    enum { COUNT = 1000 };
    static uint32_t words[COUNT];
    hsa_amd_profiling_dispatch_time_t time = {0};
    (void)state;
    hsa_queue_t *queue = new_queue(NULL);
    hsa_signal_t done = new_signal(1);
    uint32_t *memory = allocate(here.memory, COUNT * 4);
    struct fill_arguments *arguments = allocate(here.kernarg, sizeof *arguments);
    *arguments = (struct fill_arguments){memory, 1234, COUNT - 1};
    ok(rt.hsa_amd_memory_fill(memory, 5, COUNT));
    ok(rt.hsa_amd_profiling_set_profiler_enabled(queue, 1));
    dispatch(queue, kernel("fill.kd"), COUNT, arguments, done);
    assert_true(wait_for(done));
    ok(rt.hsa_memory_copy(words, memory, sizeof words));
    for (int i = 0; i < COUNT - 1; i++)
        assert_int_equal(words[i], 1234);
    assert_int_equal(words[COUNT - 1], 5);
    ok(rt.hsa_amd_profiling_get_dispatch_time(here.gpus[0], done, &time));
    assert_true(time.start > 0 && time.end >= time.start);
    ok(rt.hsa_queue_destroy(queue));
    ok(rt.hsa_signal_destroy(done));
    ok(rt.hsa_amd_memory_pool_free(memory));
    ok(rt.hsa_amd_memory_pool_free(arguments));
}

static void a_kernel_waits_for_the_host(void **state)
{
    (void)state;
    hsa_queue_t *queue = new_queue(NULL);
    hsa_signal_t done = new_signal(1);
    volatile uint32_t *flag = allocate(here.fine, 4096);
    void **arguments = allocate(here.kernarg, 64);
    *flag = 0;
    *arguments = (void *)(uintptr_t)flag;
    dispatch(queue, kernel("await.kd"), 1, arguments, done);
    usleep(20000);
    assert_int_equal(rt.hsa_signal_load_relaxed(done), 1);
    *flag = 1;
    assert_true(wait_for(done));
    ok(rt.hsa_queue_destroy(queue));
    ok(rt.hsa_signal_destroy(done));
    ok(rt.hsa_amd_memory_pool_free((void *)(uintptr_t)flag));
    ok(rt.hsa_amd_memory_pool_free(arguments));
}

static void a_signal_that_a_kernel_changes_wakes_the_host(void **state)
{
    struct arguments {
        volatile hsa_signal_value_t *value;
        int64_t what;
    } *arguments = allocate(here.kernarg, sizeof *arguments);
    (void)state;
    hsa_queue_t *queue = new_queue(NULL);
    hsa_signal_t done = new_signal(1), changed;
    ok(rt.hsa_signal_create(1, 1, here.gpus, &changed));
    ok(rt.hsa_amd_signal_value_pointer(changed, &arguments->value));
    arguments->what = -77;
    dispatch(queue, kernel("store.kd"), 1, arguments, done);
    assert_int_equal(rt.hsa_signal_wait_scacquire(changed, HSA_SIGNAL_CONDITION_LT, 0,
                                                  30ull * SECOND, HSA_WAIT_STATE_BLOCKED),
                     -77);
    assert_true(wait_for(done));
    ok(rt.hsa_queue_destroy(queue));
    ok(rt.hsa_signal_destroy(done));
    ok(rt.hsa_signal_destroy(changed));
    ok(rt.hsa_amd_memory_pool_free(arguments));
}

static struct failure system_event;
static hsa_amd_event_t last_event;

static hsa_status_t note_event(const hsa_amd_event_t *event, void *data)
{
    struct failure *failure = data;
    last_event = *event;
    failure->order = ++told_count;
    return HSA_STATUS_SUCCESS;
}

static void a_fault_is_reported_as_a_system_event_first(void **state)
{
    struct failure failure = {0};
    (void)state;
    ok(rt.hsa_amd_register_system_event_handler(note_event, &system_event));
    hsa_queue_t *queue = new_queue(&failure);
    hsa_signal_t done = new_signal(1);
    void *arguments = allocate(here.kernarg, 64);
    told_count = 0;
    dispatch(queue, kernel("fault.kd"), 1, arguments, done);
    assert_true(wait_for(failure.notified));
    print_message("a fault is status %#x\n", failure.status);
    if (failure.status == (hsa_status_t)HSA_STATUS_ERROR_MEMORY_FAULT) {
        assert_int_equal(system_event.order, 1);
        assert_int_equal(failure.order, 2);
        assert_int_equal(last_event.event_type, HSA_AMD_GPU_MEMORY_FAULT_EVENT);
        assert_true(last_event.memory_fault.agent.handle == here.gpus[0].handle);
        assert_int_equal(last_event.memory_fault.virtual_address & ~4095ull, 0);
    } else {
        assert_int_equal(failure.status, HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION);
    }
    assert_int_equal(rt.hsa_signal_load_relaxed(done), 1);
    ok(rt.hsa_queue_destroy(queue));
    ok(rt.hsa_signal_destroy(done));
    ok(rt.hsa_signal_destroy(failure.notified));
    ok(rt.hsa_amd_memory_pool_free(arguments));
}

static void a_trap_stops_the_queue(void **state)
{
    struct failure failure = {0};
    (void)state;
    hsa_queue_t *queue = new_queue(&failure);
    void *arguments = allocate(here.kernarg, 64);
    dispatch(queue, kernel("trap.kd"), 1, arguments, (hsa_signal_t){0});
    assert_true(wait_for(failure.notified));
    assert_int_equal(failure.status, HSA_STATUS_ERROR_EXCEPTION);
    ok(rt.hsa_queue_destroy(queue));
    ok(rt.hsa_signal_destroy(failure.notified));
    ok(rt.hsa_amd_memory_pool_free(arguments));
}

static void a_kernel_ends_with_its_queue(void **state)
{
    (void)state;
    hsa_queue_t *queue = new_queue(NULL);
    volatile uint32_t *flag = allocate(here.fine, 4096);
    void **arguments = allocate(here.kernarg, 64);
    *flag = 0;
    *arguments = (void *)(uintptr_t)flag;
    dispatch(queue, kernel("await.kd"), 1, arguments, (hsa_signal_t){0});
    usleep(20000);
    ok(rt.hsa_queue_destroy(queue));
    ok(rt.hsa_amd_memory_pool_free((void *)(uintptr_t)flag));
    ok(rt.hsa_amd_memory_pool_free(arguments));
}

/* A program without handlers is terminated, because it would wait indefinitely. */
static void fail_alone(void)
{
    uint64_t index;
    hsa_queue_t *queue;
    open_library();
    child_check(rt.hsa_init() == 0 && rt.hsa_iterate_agents(collect_agent, NULL) == 0);
    child_check(rt.hsa_queue_create(here.gpus[0], 64, 0, NULL, NULL, 0, 0, &queue) == 0);
    void *packet = next_packet(queue, &index);
    ring(queue, packet, 77, index);
    sleep(30);
}

static void a_failure_without_a_handler_ends_the_program(void **state)
{
    int status = 0;
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        fail_alone();
        exit(EXIT_SUCCESS);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void wait_for_another(hsa_status_t status, hsa_queue_t *queue, void *data)
{
    uint64_t index;
    const hsa_signal_t *done = data;
    void *packet = next_packet(queue, &index);
    (void)status;
    memset((char *)packet + 4, 0, 60);
    memcpy((char *)packet + 56, done, sizeof *done);
    ring(queue, packet, HSA_PACKET_TYPE_BARRIER_AND, index);
    rt.hsa_signal_wait_scacquire(*done, HSA_SIGNAL_CONDITION_LT, 1, 1000, HSA_WAIT_STATE_BLOCKED);
}

/* A program that runs a last kernel when it exits, and exits when a kernel fails. */
static void wait_in_callback(void)
{
    uint64_t index;
    hsa_queue_t *queue;
    open_library();
    child_check(rt.hsa_init() == 0 && rt.hsa_iterate_agents(collect_agent, NULL) == 0);
    hsa_signal_t done = new_signal(1);
    child_check(rt.hsa_queue_create(here.gpus[0], 64, 0, wait_for_another, &done, 0, 0, &queue) ==
                0);
    void *packet = next_packet(queue, &index);
    memset((char *)packet + 4, 0, 60);
    ring(queue, packet, 77, index);
    sleep(30);
}

static void a_wait_for_a_failed_queue_in_its_callback_ends_the_program(void **state)
{
    int status = 0;
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        wait_in_callback();
        exit(EXIT_SUCCESS);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

/* Users have the same handle, so that it is not known whose callback is left: none is called, and
 * the program is terminated. */
static void fail_after_one_user_has_ended(void)
{
    uint64_t index;
    struct failure first = {0}, second = {0};
    child_check(start_with("gfx90a") == 0);
    hsa_queue_t *queue = new_cooperative(&first);
    child_check(new_cooperative(&second) == queue && rt.hsa_queue_destroy(queue) == 0);
    void *packet = next_packet(queue, &index);
    memset((char *)packet + 4, 0, 60);
    ring(queue, packet, 77, index);
    wait_for(first.notified);
}

static void former_users_of_the_cooperative_queue_are_not_notified(void **state)
{
    int status;
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        fail_after_one_user_has_ended();
        exit(EXIT_SUCCESS);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static int load(void **state)
{
    (void)state;
    executable = load_kernels(here.gpus[0], "gfx90a");
    return 0;
}

int main(void)
{
    const struct CMUnitTest before[] = {
        cmocka_unit_test(a_failure_without_a_handler_ends_the_program),
        cmocka_unit_test(a_wait_for_a_failed_queue_in_its_callback_ends_the_program),
        cmocka_unit_test(former_users_of_the_cooperative_queue_are_not_notified),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queue_has_the_requested_properties),
        cmocka_unit_test(invalid_queues_are_errors),
        cmocka_unit_test(indices_can_be_read_and_written),
        cmocka_unit_test(a_soft_queue_is_processed_by_the_program),
        cmocka_unit_test(barriers_wait_for_signals),
        cmocka_unit_test(a_ring_is_used_again_and_again),
        cmocka_unit_test(a_queue_may_be_destroyed_while_packets_wait),
        cmocka_unit_test(units_may_be_masked),
        cmocka_unit_test(units_of_gfx1100_are_masked_in_pairs),
        cmocka_unit_test(an_invalid_packet_stops_the_queue),
        cmocka_unit_test(all_users_of_the_cooperative_queue_are_notified_of_its_failure),
        cmocka_unit_test(a_queue_may_be_destroyed_in_its_own_callback),
        cmocka_unit_test(a_kernel_writes_memory),
        cmocka_unit_test(a_kernel_waits_for_the_host),
        cmocka_unit_test(a_signal_that_a_kernel_changes_wakes_the_host),
        cmocka_unit_test(a_fault_is_reported_as_a_system_event_first),
        cmocka_unit_test(a_trap_stops_the_queue),
        cmocka_unit_test(a_kernel_ends_with_its_queue),
    };
    int failures = cmocka_run_group_tests(before, NULL, NULL);
    return start_with("gfx90a,gfx1100") ? EXIT_FAILURE
                                        : failures + cmocka_run_group_tests(tests, load, NULL);
}
