/* Mistakes of runtimes: they result in errors or in events of faults, and never terminate the
 * process. Functions with invalid arguments are tested with their other behaviour. */
#include "kernels.h"

static void store_doorbell(const HsaQueueResource *resource, uint64_t value)
{
    atomic_store((_Atomic(uint64_t) *)(uintptr_t)resource->QueueDoorBell, value);
}

static void finish_barrier(struct queue *queue)
{
    amd_signal_t *after = new_signal(NULL);
    put_barrier(queue, NULL, after);
    while (value_of(after) != 0)
        usleep(100);
    ok(kmt.hsaKmtFreeMemory(after, 0));
}

/* The next queue may have the same doorbell, and must not see packets that were announced to the
 * destroyed one. */
static void the_doorbell_of_a_destroyed_queue_has_no_effect(void **state)
{
    (void)state;
    struct queue queue = make_queue(GPU);
    HsaQueueResource gone = queue.resource;
    finish_barrier(&queue);
    destroy_queue(&queue);
    store_doorbell(&gone, 0);
    usleep(1000);
    queue = make_queue(GPU);
    finish_barrier(&queue);
    assert_int_equal(queue.amd->read_dispatch_id, 1);
    destroy_queue(&queue);
}

static void doorbells_may_be_rung_with_any_number(void **state)
{
    static const uint64_t numbers[] = {UINT64_MAX, UINT64_MAX - 1, 1000000, 1, 0};
    (void)state;
    struct queue queue = make_queue(GPU);
    for (int i = 0; i < 5; i++) {
        store_doorbell(&queue.resource, numbers[i]);
        usleep(1000);
        finish_barrier(&queue);
    }
    assert_int_equal(queue.amd->read_dispatch_id, 5);
    assert_int_equal(*queue.reason, 0);
    destroy_queue(&queue);
}

static void a_queue_whose_kernel_never_ends_is_destroyed(void **state)
{
    (void)state;
    struct queue queue = make_queue(GPU);
    amd_signal_t *done = new_signal(NULL);
    hsa_kernel_dispatch_packet_t packet = packet_of(SPINS, 100, 64, NULL, done);
    put_kernel(&queue, &packet);
    while (__atomic_load_n(&queue.amd->read_dispatch_id, __ATOMIC_ACQUIRE) == 0)
        usleep(100);
    destroy_queue(&queue);
    assert_int_equal(value_of(done), 1);
    ok(kmt.hsaKmtFreeMemory(done, 0));
}

/* ---- engines ----------------------------------------------------------------------------- */

enum { RING = 16 * PAGE };

static uint32_t *make_engine(HsaQueueResource *out_resource)
{
    uint32_t *ring = allocate(0, RING);
    memset(ring, 0, RING);
    *out_resource = (HsaQueueResource){.QueueId = 0};
    ok(kmt.hsaKmtCreateQueue(GPU, HSA_QUEUE_SDMA, 100, 0, ring, RING, NULL, out_resource));
    return ring;
}

/* A copy of 2^25 rows to the same address, which would take minutes. */
static void an_engine_in_a_long_copy_is_destroyed(void **state)
{
    (void)state;
    HsaQueueResource resource;
    uint32_t *ring = make_engine(&resource);
    char *memory = allocate(0, 64 * PAGE);
    uint32_t low = (uint32_t)(uintptr_t)memory, high = (uint32_t)((uintptr_t)memory >> 32);
    const uint32_t copy[13] = {
        1 | 4 << 8, low, high, 0, 0, 0, low, high, 0, 0, 0, 0x3fff | 0x3fffu << 16, 0x7ff};
    memcpy(ring, copy, sizeof copy);
    store_doorbell(&resource, sizeof copy);
    usleep(10000);
    ok(kmt.hsaKmtDestroyQueue(resource.QueueId));
    ok(kmt.hsaKmtFreeMemory(ring, 0));
    ok(kmt.hsaKmtFreeMemory(memory, 0));
}

/* 64 bytes, the first packet of the ring. */
static void put_copy(const HsaQueueResource *resource, uint32_t *ring, uint64_t from, uint64_t to)
{
    const uint32_t copy[] = {
        1, 63, 0, (uint32_t)from, (uint32_t)(from >> 32), (uint32_t)to, (uint32_t)(to >> 32)};
    memcpy(ring, copy, sizeof copy);
    store_doorbell(resource, sizeof copy);
}

static void packets_do_not_access_memory_beyond_allocations(void **state)
{
    (void)state;
    HsaEvent *fault = new_event(HSA_EVENTTYPE_MEMORY, false);
    char *memory = allocate(GPU, 4 * PAGE), *host = allocate(0, PAGE);
    uint64_t end = (uintptr_t)memory + 4 * PAGE, from = (uintptr_t)host;
    memset(host, 1, PAGE);
    const uint64_t targets[] = {end - 8, (uintptr_t)memory - 8, end, UINT64_MAX - 8,
                                UINT64_C(1) << 47};
    for (int i = 0; i < 5; i++) {
        HsaQueueResource resource;
        uint32_t *ring = make_engine(&resource);
        put_copy(&resource, ring, from, targets[i]);
        ok(kmt.hsaKmtWaitOnEvent(fault, SECONDS_10));
        assert_int_equal(fault->EventData.EventData.MemoryAccessFault.VirtualAddress,
                         targets[i] & -(uint64_t)PAGE);
        ok(kmt.hsaKmtDestroyQueue(resource.QueueId));
        ok(kmt.hsaKmtFreeMemory(ring, 0));
    }
    ok(kmt.hsaKmtDestroyEvent(fault));
    ok(kmt.hsaKmtFreeMemory(memory, 0));
    ok(kmt.hsaKmtFreeMemory(host, 0));
}

/* AMD's present runtime creates no such event for a libdtif.so. */
static void without_an_event_compute_queues_report_the_fault_of_an_engine(void **state)
{
    (void)state;
    struct queue queue = make_queue(GPU), other = make_queue(SECOND_GPU);
    char *host = allocate(0, PAGE);
    HsaQueueResource resource;
    uint32_t *ring = make_engine(&resource);
    put_copy(&resource, ring, (uintptr_t)host, UINT64_C(1) << 47);
    ok(kmt.hsaKmtWaitOnEvent(queue.event, SECONDS_10));
    assert_int_equal(*queue.reason, INT64_C(1) << (KFD_EC_QUEUE_WAVE_APERTURE_VIOLATION - 1));
    assert_int_equal(*other.reason, 0);
    ok(kmt.hsaKmtDestroyQueue(resource.QueueId));
    ok(kmt.hsaKmtFreeMemory(ring, 0));
    ok(kmt.hsaKmtFreeMemory(host, 0));
    destroy_queue(&queue);
    destroy_queue(&other);
}

/* ---- memory of queues -------------------------------------------------------------------- */

static void expect_fault(HsaEvent *fault, const void *address)
{
    ok(kmt.hsaKmtWaitOnEvent(fault, SECONDS_10));
    assert_int_equal(fault->EventData.EventData.MemoryAccessFault.VirtualAddress,
                     (uintptr_t)address & -(uint64_t)PAGE);
}

static void a_ring_that_was_freed_is_a_fault(void **state)
{
    (void)state;
    HsaEvent *fault = new_event(HSA_EVENTTYPE_MEMORY, false);
    struct queue queue = make_queue(GPU);
    finish_barrier(&queue);
    ok(kmt.hsaKmtFreeMemory(queue.ring, 0));
    store_doorbell(&queue.resource, 1);
    expect_fault(fault, queue.ring);
    ok(kmt.hsaKmtDestroyQueue(queue.resource.QueueId));
    HsaQueueResource resource;
    uint32_t *ring = make_engine(&resource);
    ok(kmt.hsaKmtFreeMemory(ring, 0));
    store_doorbell(&resource, 8);
    expect_fault(fault, ring);
    ok(kmt.hsaKmtDestroyQueue(resource.QueueId));
    ok(kmt.hsaKmtFreeMemory(queue.amd, 0));
    ok(kmt.hsaKmtDestroyEvent(queue.event));
    ok(kmt.hsaKmtDestroyEvent(fault));
}

static void a_queue_whose_indices_were_freed_is_a_fault(void **state)
{
    (void)state;
    HsaEvent *fault = new_event(HSA_EVENTTYPE_MEMORY, false);
    struct queue queue = make_queue(GPU);
    ok(kmt.hsaKmtFreeMemory(queue.amd, 0));
    __atomic_store_n(&queue.ring[0].header, HSA_PACKET_TYPE_BARRIER_AND, __ATOMIC_RELEASE);
    store_doorbell(&queue.resource, 0);
    expect_fault(fault, queue.amd);
    ok(kmt.hsaKmtDestroyQueue(queue.resource.QueueId));
    ok(kmt.hsaKmtFreeMemory(queue.ring, 0));
    ok(kmt.hsaKmtDestroyEvent(queue.event));
    ok(kmt.hsaKmtDestroyEvent(fault));
}

/* The memory to which a failure is reported may have been freed. */
static void a_failure_that_cannot_be_reported_is_kept(void **state)
{
    (void)state;
    volatile int64_t *const places[] = {(volatile int64_t *)64, NULL};
    for (int i = 0; i < 2; i++) {
        struct queue queue = make_queue(GPU);
        HsaQueueResource resource = queue.resource;
        ok(kmt.hsaKmtDestroyQueue(resource.QueueId));
        resource.ErrorReason = places[i];
        HsaEvent *event = new_event(HSA_EVENTTYPE_SIGNAL, false);
        ok(kmt.hsaKmtCreateQueue(GPU, HSA_QUEUE_COMPUTE_AQL, 100, 0, queue.ring, PACKETS * 64,
                                 event, &resource));
        ok(kmt.hsaKmtDestroyEvent(event));
        __atomic_store_n(&queue.ring[0].header, 99, __ATOMIC_RELEASE);
        store_doorbell(&resource, 0);
        while (__atomic_load_n(&queue.amd->read_dispatch_id, __ATOMIC_ACQUIRE) == 0)
            usleep(100);
        usleep(1000);
        ok(kmt.hsaKmtDestroyQueue(resource.QueueId));
        ok(kmt.hsaKmtFreeMemory(queue.amd, 0));
        ok(kmt.hsaKmtFreeMemory(queue.ring, 0));
        ok(kmt.hsaKmtDestroyEvent(queue.event));
    }
}

/* ---- processes --------------------------------------------------------------------------- */

/* The child has neither the driver nor its threads, and its parent continues. */
static void a_process_forks_while_it_has_queues(void **state)
{
    int status;
    void *address = NULL;
    (void)state;
    struct queue queue = make_queue(GPU);
    finish_barrier(&queue);
    pid_t child = fork();
    if (child == 0) {
        const HSAKMT_STATUS closed = HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
        bool good = kmt.hsaKmtDestroyQueue(queue.resource.QueueId) == closed &&
                    kmt.hsaKmtAllocMemory(0, PAGE, (HsaMemFlags){.Value = 0}, &address) == closed &&
                    kmt.hsaKmtSetEvent(queue.event) == closed &&
                    kmt.hsaKmtWaitOnEvent(queue.event, 1) == closed;
        _exit(good ? 0 : 1);
    }
    finish_barrier(&queue);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    finish_barrier(&queue);
    destroy_queue(&queue);
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
        cmocka_unit_test(the_doorbell_of_a_destroyed_queue_has_no_effect),
        cmocka_unit_test(doorbells_may_be_rung_with_any_number),
        cmocka_unit_test(a_queue_whose_kernel_never_ends_is_destroyed),
        cmocka_unit_test(an_engine_in_a_long_copy_is_destroyed),
        cmocka_unit_test(packets_do_not_access_memory_beyond_allocations),
        cmocka_unit_test(without_an_event_compute_queues_report_the_fault_of_an_engine),
        cmocka_unit_test(a_ring_that_was_freed_is_a_fault),
        cmocka_unit_test(a_queue_whose_indices_were_freed_is_a_fault),
        cmocka_unit_test(a_failure_that_cannot_be_reported_is_kept),
        cmocka_unit_test(a_process_forks_while_it_has_queues),
    };
    return cmocka_run_group_tests_name("simulated kernel driver: misuse", tests, open_all,
                                       close_driver);
}
