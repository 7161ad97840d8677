/* AQL queues: doorbells that are stores to memory, packets that complete signals, interrupts, and
 * invalid queues. */
#include "kernels.h"

#include <time.h>

static void packets_complete_signals_and_send_interrupts(void **state)
{
    (void)state;
    struct queue queue = make_queue(GPU);
    HsaEvent *event = new_event(HSA_EVENTTYPE_SIGNAL, false);
    amd_signal_t *signal = new_signal(event);
    for (int i = 0; i < 3 * PACKETS; i++) {
        signal->value = 1;
        put_barrier(&queue, NULL, signal);
        ok(kmt.hsaKmtWaitOnEvent(event, SECONDS_10));
        assert_int_equal(value_of(signal), 0);
    }
    assert_int_equal(queue.amd->read_dispatch_id, 3 * PACKETS);
    ok(kmt.hsaKmtDestroyEvent(event));
    destroy_queue(&queue);
    ok(kmt.hsaKmtFreeMemory(signal, 0));
}

/* The packet processor sleeps by then, and only a store to memory wakes it. */
static void a_doorbell_wakes_a_queue_that_was_long_idle(void **state)
{
    (void)state;
    struct queue queue = make_queue(SECOND_GPU);
    HsaEvent *event = new_event(HSA_EVENTTYPE_SIGNAL, false);
    amd_signal_t *signal = new_signal(event);
    for (int i = 0; i < 3; i++) {
        usleep(200000);
        signal->value = 1;
        put_barrier(&queue, NULL, signal);
        ok(kmt.hsaKmtWaitOnEvent(event, SECONDS_10));
    }
    ok(kmt.hsaKmtDestroyEvent(event));
    destroy_queue(&queue);
    ok(kmt.hsaKmtFreeMemory(signal, 0));
}

static void an_idle_driver_uses_no_processor_time(void **state)
{
    (void)state;
    struct queue queue = make_queue(GPU);
    amd_signal_t *signal = new_signal(NULL);
    put_barrier(&queue, NULL, signal);
    while (value_of(signal) != 0)
        usleep(100);
    /* A busy host adds to one measurement; a driver that polls spends time in every one. */
    bool is_idle = false;
    for (int i = 0; i < 20 && !is_idle; i++) {
        usleep(100000);
        clock_t start = clock();
        usleep(500000);
        is_idle = clock() - start < CLOCKS_PER_SEC / 100;
    }
    assert_true(is_idle);
    destroy_queue(&queue);
    ok(kmt.hsaKmtFreeMemory(signal, 0));
}

static void a_barrier_waits_for_a_signal_that_the_host_stores(void **state)
{
    (void)state;
    struct queue queue = make_queue(GPU);
    HsaEvent *event = new_event(HSA_EVENTTYPE_SIGNAL, false);
    amd_signal_t *before = new_signal(NULL), *after = new_signal(event);
    put_barrier(&queue, before, after);
    expect(kmt.hsaKmtWaitOnEvent(event, 20), HSAKMT_STATUS_WAIT_TIMEOUT);
    __atomic_store_n(&before->value, 0, __ATOMIC_RELEASE);
    ok(kmt.hsaKmtWaitOnEvent(event, SECONDS_10));
    assert_int_equal(value_of(after), 0);
    ok(kmt.hsaKmtDestroyEvent(event));
    destroy_queue(&queue);
    ok(kmt.hsaKmtFreeMemory(before, 0));
    ok(kmt.hsaKmtFreeMemory(after, 0));
}

static void a_paused_queue_takes_no_packets_until_it_is_resumed(void **state)
{
    (void)state;
    struct queue queue = make_queue(GPU);
    HsaEvent *event = new_event(HSA_EVENTTYPE_SIGNAL, false);
    amd_signal_t *signal = new_signal(event);
    ok(kmt.hsaKmtUpdateQueue(queue.resource.QueueId, 0, 0, NULL, 0, NULL));
    put_barrier(&queue, NULL, signal);
    expect(kmt.hsaKmtWaitOnEvent(event, 20), HSAKMT_STATUS_WAIT_TIMEOUT);
    ok(kmt.hsaKmtUpdateQueue(queue.resource.QueueId, 100, 1, NULL, 0, NULL));
    ok(kmt.hsaKmtWaitOnEvent(event, SECONDS_10));
    ok(kmt.hsaKmtDestroyEvent(event));
    destroy_queue(&queue);
    ok(kmt.hsaKmtFreeMemory(signal, 0));
}

static void a_busy_queue_is_destroyed(void **state)
{
    (void)state;
    struct queue queue = make_queue(GPU);
    amd_signal_t *never = new_signal(NULL), *after = new_signal(NULL);
    for (int i = 0; i < PACKETS; i++)
        put_barrier(&queue, never, after);
    destroy_queue(&queue);
    assert_int_equal(value_of(after), 1);
    ok(kmt.hsaKmtFreeMemory(never, 0));
    ok(kmt.hsaKmtFreeMemory(after, 0));
}

/* Vendor packets of format 1: an indirect buffer of count words. */
static void put_buffer(struct queue *queue, const uint32_t *words, uint32_t count)
{
    hsa_barrier_and_packet_t packet;
    uint32_t *slot = (uint32_t *)(void *)&packet;
    memset(&packet, 0, sizeof packet);
    slot[0] = 1 << 16;
    slot[1] = 0xc0023f00;
    slot[2] = (uint32_t)(uintptr_t)words;
    slot[3] = (uint32_t)((uintptr_t)words >> 32);
    slot[4] = count | 1 << 23;
    put(queue, &packet, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
    atomic_store(queue->doorbell, queue->written - 1);
}

static void caches_are_controlled_by_buffers_of_packets(void **state)
{
    (void)state;
    struct queue queue = make_queue(GPU);
    uint32_t *words = allocate(0, PAGE);
    uint64_t *target = (uint64_t *)(void *)(words + 64);
    const uint32_t acquire[] = {0xc0055800, 1u << 29, UINT32_MAX, 0xff, 0, 0, 0};
    const uint32_t release[] = {
        0xc0054900, 0, 2u << 29, (uint32_t)(uintptr_t)target, (uint32_t)((uintptr_t)target >> 32),
        7,          8};
    *target = 0;
    memcpy(words, acquire, sizeof acquire);
    memcpy(words + 7, release, sizeof release);
    put_buffer(&queue, words, 14);
    while (__atomic_load_n(&queue.amd->read_dispatch_id, __ATOMIC_ACQUIRE) == 0)
        usleep(100);
    assert_int_equal(*target, UINT64_C(8) << 32 | 7); /* it is done when its slot is free */
    destroy_queue(&queue);
    ok(kmt.hsaKmtFreeMemory(words, 0));
}

static int64_t reason_for(void (*spoil)(struct queue *queue, uint32_t *words))
{
    struct queue queue = make_queue(GPU);
    uint32_t *words = allocate(0, PAGE);
    spoil(&queue, words);
    ok(kmt.hsaKmtWaitOnEvent(queue.event, SECONDS_10));
    int64_t reason = *queue.reason;
    destroy_queue(&queue);
    ok(kmt.hsaKmtFreeMemory(words, 0));
    return reason;
}

static void put_nonsense(struct queue *queue, uint32_t *words)
{
    (void)words;
    put(queue, &(hsa_barrier_and_packet_t){.header = 0}, 99);
    atomic_store(queue->doorbell, 0);
}

static void put_far_buffer(struct queue *queue, uint32_t *words)
{
    (void)words;
    put_buffer(queue, (const uint32_t *)64, 8);
}

static void put_unknown_packet(struct queue *queue, uint32_t *words)
{
    words[0] = 0xc0007700;
    put_buffer(queue, words, 2);
}

static void put_long_packet(struct queue *queue, uint32_t *words)
{
    words[0] = 0xffff1000;
    put_buffer(queue, words, 2);
}

static void put_wrong_signal(struct queue *queue, uint32_t *words)
{
    (void)words;
    put_barrier(queue, (const amd_signal_t *)65, NULL);
}

static void put_no_kernel(struct queue *queue, uint32_t *words)
{
    hsa_kernel_dispatch_packet_t kernel = {.setup = 1,
                                           .workgroup_size_x = 1,
                                           .workgroup_size_y = 1,
                                           .workgroup_size_z = 1,
                                           .grid_size_x = 1,
                                           .grid_size_y = 1,
                                           .grid_size_z = 1,
                                           .kernel_object = 64};
    hsa_barrier_and_packet_t packet;
    (void)words;
    memcpy(&packet, &kernel, sizeof packet);
    put(queue, &packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
    atomic_store(queue->doorbell, 0);
}

static void invalid_packets_are_reported_to_the_runtime(void **state)
{
    (void)state;
    const int64_t unsupported = 1 << (KFD_EC_QUEUE_PACKET_UNSUPPORTED - 1);
    assert_int_equal(reason_for(put_nonsense), unsupported);
    assert_int_equal(reason_for(put_far_buffer), unsupported);
    assert_int_equal(reason_for(put_unknown_packet), unsupported);
    assert_int_equal(reason_for(put_long_packet), unsupported);
    assert_int_equal(reason_for(put_wrong_signal), unsupported);
    assert_int_equal(reason_for(put_no_kernel),
                     1 << (KFD_EC_QUEUE_PACKET_DISPATCH_CODE_INVALID - 1));
}

static void invalid_queues_are_errors(void **state)
{
    HsaQueueResource resource = {0};
    uint32_t first, mask = 1;
    (void)state;
    void *ring = allocate(0, 4 * PAGE);
    amd_queue_t *amd = allocate(0, PAGE);
    resource.QueueRptrValue = (uintptr_t)&amd->read_dispatch_id;
#define CREATE(node, type, percentage, priority, address, size)                                    \
    kmt.hsaKmtCreateQueue(node, type, percentage, priority, address, size, NULL, &resource)
    expect(CREATE(0, HSA_QUEUE_COMPUTE_AQL, 100, 0, ring, PAGE), HSAKMT_STATUS_INVALID_NODE_UNIT);
    expect(CREATE(NODES, HSA_QUEUE_SDMA, 100, 0, ring, PAGE), HSAKMT_STATUS_INVALID_NODE_UNIT);
    expect(CREATE(GPU, HSA_QUEUE_COMPUTE, 100, 0, ring, PAGE), HSAKMT_STATUS_NOT_SUPPORTED);
    expect(CREATE(GPU, HSA_QUEUE_COMPUTE_AQL, 101, 0, ring, PAGE), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(CREATE(GPU, HSA_QUEUE_COMPUTE_AQL, 100, 4, ring, PAGE), HSAKMT_STATUS_INVALID_PARAMETER);
    const uint64_t sizes[] = {0, 64, 3 * PAGE, UINT64_C(1) << 40, UINT64_MAX};
    for (int i = 0; i < 5; i++) {
        expect(CREATE(GPU, HSA_QUEUE_COMPUTE_AQL, 100, 0, ring, sizes[i]),
               HSAKMT_STATUS_INVALID_PARAMETER);
        expect(CREATE(GPU, HSA_QUEUE_SDMA, 100, 0, ring, sizes[i]),
               HSAKMT_STATUS_INVALID_PARAMETER);
    }
    expect(CREATE(GPU, HSA_QUEUE_COMPUTE_AQL, 100, 0, NULL, PAGE), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(CREATE(GPU, HSA_QUEUE_COMPUTE_AQL, 100, 0, ring, 8 * PAGE),
           HSAKMT_STATUS_INVALID_PARAMETER);
    expect(CREATE(GPU, HSA_QUEUE_SDMA, 100, 0, &resource, PAGE), HSAKMT_STATUS_INVALID_PARAMETER);
    resource.QueueRptrValue = 64;
    expect(CREATE(GPU, HSA_QUEUE_COMPUTE_AQL, 100, 0, ring, PAGE), HSAKMT_STATUS_INVALID_PARAMETER);
#undef CREATE
    const HSA_QUEUEID wrong[] = {0, 12345, UINT64_MAX};
    for (int i = 0; i < 3; i++) {
        expect(kmt.hsaKmtDestroyQueue(wrong[i]), HSAKMT_STATUS_INVALID_HANDLE);
        expect(kmt.hsaKmtUpdateQueue(wrong[i], 100, 0, NULL, 0, NULL),
               HSAKMT_STATUS_INVALID_HANDLE);
        expect(kmt.hsaKmtSetQueueCUMask(wrong[i], 32, &mask), HSAKMT_STATUS_INVALID_HANDLE);
        expect(kmt.hsaKmtAllocQueueGWS(wrong[i], 1, &first), HSAKMT_STATUS_INVALID_HANDLE);
    }
    struct queue queue = make_queue(GPU);
    expect(kmt.hsaKmtSetQueueCUMask(queue.resource.QueueId, 7, &mask),
           HSAKMT_STATUS_INVALID_PARAMETER);
    ok(kmt.hsaKmtSetQueueCUMask(queue.resource.QueueId, 32, &mask));
    expect(kmt.hsaKmtAllocQueueGWS(queue.resource.QueueId, 100000, &first),
           HSAKMT_STATUS_OUT_OF_RESOURCES);
    expect(kmt.hsaKmtAllocQueueGWS(queue.resource.QueueId, 0, &first),
           HSAKMT_STATUS_INVALID_PARAMETER);
    uint32_t none = 0;
    expect(kmt.hsaKmtSetQueueCUMask(queue.resource.QueueId, 32, &none), HSAKMT_STATUS_ERROR);
    expect(kmt.hsaKmtSetXNACKMode(0), HSAKMT_STATUS_ERROR); /* while there are queues */
    destroy_queue(&queue);
    ok(kmt.hsaKmtFreeMemory(ring, 0));
    ok(kmt.hsaKmtFreeMemory(amd, 0));
}

/* ---- kernels ----------------------------------------------------------------------------- */

static void run_kernel(struct queue *queue, enum kernel kernel, uint32_t groups, uint32_t *out)
{
    uint32_t **argument = allocate(0, PAGE);
    amd_signal_t *done = new_signal(NULL);
    *argument = out;
    hsa_kernel_dispatch_packet_t packet = packet_of(kernel, groups, 64, argument, done);
    put_kernel(queue, &packet);
    while (value_of(done) != 0)
        usleep(100);
    ok(kmt.hsaKmtFreeMemory(argument, 0));
    ok(kmt.hsaKmtFreeMemory(done, 0));
}

static void groups_are_on_the_units_of_the_queues_mask(void **state)
{
    enum { GROUPS = 8 };
    (void)state;
    struct queue queue = make_queue(GPU);
    uint32_t *out = allocate(0, PAGE), mask[4] = {1u << 3 | 1u << 17, 0, 0, 1};
    static const uint32_t units[] = {3, 17, 96};
    run_kernel(&queue, UNIT, GROUPS, out);
    for (uint32_t i = 0; i < GROUPS; i++)
        assert_int_equal(out[4 * i], i);
    ok(kmt.hsaKmtSetQueueCUMask(queue.resource.QueueId, 128, mask));
    run_kernel(&queue, UNIT, GROUPS, out);
    for (uint32_t i = 0; i < GROUPS; i++)
        assert_int_equal(out[4 * i], units[i % 3]);
    destroy_queue(&queue);
    ok(kmt.hsaKmtFreeMemory(out, 0));
}

/* Only one queue of a device has it at a time. */
static void waves_of_a_queue_with_global_wave_sync_wait_for_each_other(void **state)
{
    enum { GROUPS = 8 };
    (void)state;
    struct queue queue = make_queue(GPU), other = make_queue(GPU), far = make_queue(SECOND_GPU);
    uint32_t *out = allocate(0, PAGE), first = 99;
    memset(out, 0, PAGE);
    ok(kmt.hsaKmtAllocQueueGWS(queue.resource.QueueId, 1, &first));
    assert_int_equal(first, 0);
    expect(kmt.hsaKmtAllocQueueGWS(queue.resource.QueueId, 1, &first),
           HSAKMT_STATUS_OUT_OF_RESOURCES);
    expect(kmt.hsaKmtAllocQueueGWS(other.resource.QueueId, 1, &first),
           HSAKMT_STATUS_OUT_OF_RESOURCES);
    ok(kmt.hsaKmtAllocQueueGWS(far.resource.QueueId, 1, &first));
    run_kernel(&queue, GLOBAL_BARRIER, GROUPS, out);
    for (uint32_t i = 0; i < GROUPS; i++)
        assert_int_equal(out[16 + i], GROUPS);
    ok(kmt.hsaKmtAllocQueueGWS(queue.resource.QueueId, 0, NULL));
    ok(kmt.hsaKmtAllocQueueGWS(other.resource.QueueId, 64, &first));
    destroy_queue(&other);
    ok(kmt.hsaKmtAllocQueueGWS(queue.resource.QueueId, 64, &first));
    destroy_queue(&queue);
    destroy_queue(&far);
    ok(kmt.hsaKmtFreeMemory(out, 0));
}

static int open_all(void **state)
{
    int result = open_driver(state);
    load_kernels();
    return result;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_complete_signals_and_send_interrupts),
        cmocka_unit_test(a_doorbell_wakes_a_queue_that_was_long_idle),
        cmocka_unit_test(an_idle_driver_uses_no_processor_time),
        cmocka_unit_test(a_barrier_waits_for_a_signal_that_the_host_stores),
        cmocka_unit_test(a_paused_queue_takes_no_packets_until_it_is_resumed),
        cmocka_unit_test(a_busy_queue_is_destroyed),
        cmocka_unit_test(caches_are_controlled_by_buffers_of_packets),
        cmocka_unit_test(invalid_packets_are_reported_to_the_runtime),
        cmocka_unit_test(invalid_queues_are_errors),
        cmocka_unit_test(groups_are_on_the_units_of_the_queues_mask),
        cmocka_unit_test(waves_of_a_queue_with_global_wave_sync_wait_for_each_other),
    };
    return cmocka_run_group_tests_name("simulated kernel driver: queues", tests, open_all,
                                       close_driver);
}
