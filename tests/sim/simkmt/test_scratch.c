/* Scratch of queues: a queue requests it from the runtime, kernels use the memory that the runtime
 * provides, and the queue returns it. The tests do what AMD's runtime does in its handler. */
#include "kernels.h"

enum {
    NEEDS_SCRATCH = 1, /* values of queue_inactive_signal */
    RETURNS_SCRATCH = 512,
    ITEMS = 128, /* work-items of a group: two waves */
    GROUPS = 6,
    POOL = 64 << 20,
    WAVES = 8, /* the number of waves that the scratch is large enough for */
};

/* A queue whose owner provides its scratch. */
struct owner {
    struct queue queue;
    HsaEvent *event;
    amd_signal_t *inactive;
    char *pool;
};

static struct owner make_owner(void)
{
    struct owner owner = {.event = new_event(HSA_EVENTTYPE_SIGNAL, false)};
    HsaMemFlags flags = {.Value = 0};
    flags.ui32.Scratch = 1;
    ok(kmt.hsaKmtAllocMemory(GPU, POOL, flags, (void **)&owner.pool));
    owner.inactive = new_signal(owner.event);
    owner.inactive->value = 0;
    owner.queue = make_queue(GPU);
    owner.queue.amd->queue_inactive_signal.handle = (uintptr_t)owner.inactive;
    return owner;
}

static void destroy_owner(struct owner *owner)
{
    destroy_queue(&owner->queue);
    ok(kmt.hsaKmtDestroyEvent(owner->event));
    ok(kmt.hsaKmtFreeMemory(owner->inactive, 0));
    ok(kmt.hsaKmtFreeMemory(owner->pool, 0));
}

static void wait_for_value(struct owner *owner, int64_t value)
{
    while (value_of(owner->inactive) != value)
        ok(kmt.hsaKmtWaitOnEvent(owner->event, SECONDS_10));
}

/* Describes scratch of that many bytes for each work-item of WAVES waves, at offset of the pool. */
static void describe_scratch(struct owner *owner, uint64_t offset, uint32_t bytes)
{
    amd_queue_t *amd = owner->queue.amd;
    uint64_t address = (uintptr_t)owner->pool + offset;
    amd->scratch_backing_memory_location = address;
    amd->scratch_backing_memory_byte_size = (uint64_t)WAVES * 64 * bytes;
    amd->scratch_wave64_lane_byte_size = bytes;
    amd->compute_tmpring_size = WAVES | 64 * bytes / 1024 << 12;
    amd->scratch_resource_descriptor[0] = (uint32_t)address;
    amd->scratch_resource_descriptor[1] = (uint32_t)(address >> 32) | 1u << 31;
    amd->scratch_resource_descriptor[2] = WAVES * 64 * bytes;
    amd->scratch_resource_descriptor[3] = 1 << 23 | 3 << 21 | 1 << 19;
}

static void resume(struct owner *owner)
{
    __atomic_store_n(&owner->inactive->value, 0, __ATOMIC_RELEASE);
}

static void provide_scratch(struct owner *owner, uint64_t offset, uint32_t bytes)
{
    ok(kmt.hsaKmtMapMemoryToGPU(owner->pool + offset, (uint64_t)WAVES * 64 * bytes, NULL));
    describe_scratch(owner, offset, bytes);
    resume(owner);
}

/* The kernel's results for each work-item. */
struct slice {
    uint64_t address;
    uint32_t by_aperture, by_address;
};

struct work {
    struct slice *slices;
    struct slice **argument;
    amd_signal_t *done;
    HsaEvent *event;
};

static struct work make_work(void)
{
    struct work work = {.event = new_event(HSA_EVENTTYPE_SIGNAL, false)};
    work.slices = allocate(0, GROUPS * ITEMS * sizeof *work.slices / PAGE * PAGE + PAGE);
    work.argument = allocate(0, PAGE);
    *work.argument = work.slices;
    work.done = new_signal(work.event);
    return work;
}

static void destroy_work(struct work *work)
{
    ok(kmt.hsaKmtDestroyEvent(work->event));
    ok(kmt.hsaKmtFreeMemory(work->slices, 0));
    ok(kmt.hsaKmtFreeMemory(work->argument, 0));
    ok(kmt.hsaKmtFreeMemory(work->done, 0));
}

static void start(struct owner *owner, struct work *work, uint32_t scratch)
{
    hsa_kernel_dispatch_packet_t packet =
        packet_of(SLICES, GROUPS, ITEMS, work->argument, work->done);
    packet.private_segment_size = scratch;
    work->done->value = 1;
    memset(work->slices, 0, GROUPS * ITEMS * sizeof *work->slices);
    put_kernel(&owner->queue, &packet);
}

static void finish(struct work *work)
{
    while (value_of(work->done) != 0)
        ok(kmt.hsaKmtWaitOnEvent(work->event, SECONDS_10));
}

/* Checks that each wave of a group has used a separate part of the scratch. */
static void check_slices(const struct owner *owner, const struct work *work, uint64_t offset,
                         uint32_t bytes)
{
    uint64_t base = (uintptr_t)owner->pool + offset;
    for (uint32_t i = 0; i < GROUPS * ITEMS; i++) {
        const struct slice *slice = &work->slices[i];
        uint64_t from = slice->address - base;
        assert_int_equal(slice->by_aperture, i);
        assert_int_equal(slice->by_address, i & ~63u); /* of the wave's first lane */
        assert_int_equal(from % (64 * bytes), 0);
        assert_true(from < (uint64_t)WAVES * 64 * bytes);
        if (i % ITEMS >= 64)
            assert_int_equal(slice->address - slice[-64].address, 64 * bytes);
    }
}

static void a_kernel_uses_scratch_that_the_runtime_provides_on_request(void **state)
{
    (void)state;
    struct owner owner = make_owner();
    struct work work = make_work();
    start(&owner, &work, 100);
    wait_for_value(&owner, NEEDS_SCRATCH);
    assert_int_equal(owner.queue.amd->read_dispatch_id, 0); /* the runtime reads the packet */
    assert_int_equal(owner.queue.ring[0].header & 0xff, HSA_PACKET_TYPE_KERNEL_DISPATCH);
    provide_scratch(&owner, 0, 112);
    finish(&work);
    check_slices(&owner, &work, 0, 112);
    start(&owner, &work, 16); /* there is enough scratch now */
    finish(&work);
    check_slices(&owner, &work, 0, 112);
    start(&owner, &work, 1000);
    wait_for_value(&owner, NEEDS_SCRATCH);
    ok(kmt.hsaKmtUnmapMemoryToGPU(owner.pool));
    provide_scratch(&owner, 1 << 20, 1008);
    finish(&work);
    check_slices(&owner, &work, 1 << 20, 1008);
    destroy_work(&work);
    destroy_owner(&owner);
}

/* Runtimes of ROCm 7 no longer write scratch_backing_memory_byte_size. */
static void the_descriptor_has_the_size_if_no_other_field_has_it(void **state)
{
    (void)state;
    struct owner owner = make_owner();
    struct work work = make_work();
    start(&owner, &work, 112);
    wait_for_value(&owner, NEEDS_SCRATCH);
    ok(kmt.hsaKmtMapMemoryToGPU(owner.pool, (uint64_t)WAVES * 64 * 112, NULL));
    describe_scratch(&owner, 0, 112);
    owner.queue.amd->scratch_backing_memory_byte_size = 0;
    resume(&owner);
    finish(&work);
    check_slices(&owner, &work, 0, 112);
    destroy_work(&work);
    destroy_owner(&owner);
}

static void scratch_for_one_kernel_is_returned_after_it(void **state)
{
    (void)state;
    struct owner owner = make_owner();
    struct work work = make_work();
    amd_signal_t *after = new_signal(NULL);
    start(&owner, &work, 64);
    put_barrier(&owner.queue, NULL, after);
    wait_for_value(&owner, NEEDS_SCRATCH);
    owner.queue.amd->queue_properties |= AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE;
    provide_scratch(&owner, 0, 64);
    wait_for_value(&owner, RETURNS_SCRATCH);
    assert_int_equal(value_of(work.done), 0);
    assert_int_equal(value_of(after), 1); /* the queue is waiting */
    ok(kmt.hsaKmtUnmapMemoryToGPU(owner.pool));
    owner.queue.amd->compute_tmpring_size = 0;
    resume(&owner);
    __atomic_fetch_and(&owner.queue.amd->queue_properties,
                       ~(uint32_t)AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE, __ATOMIC_RELEASE);
    while (value_of(after) != 0)
        usleep(100);
    check_slices(&owner, &work, 0, 64);
    start(&owner, &work, 64);
    wait_for_value(&owner, NEEDS_SCRATCH);
    provide_scratch(&owner, 4 * PAGE, 64);
    finish(&work);
    check_slices(&owner, &work, 4 * PAGE, 64);
    ok(kmt.hsaKmtFreeMemory(after, 0));
    destroy_work(&work);
    destroy_owner(&owner);
}

/* Like a runtime that has no memory left and suspends the queue. */
static void a_queue_that_waits_for_scratch_is_destroyed(void **state)
{
    (void)state;
    struct owner owner = make_owner();
    struct work work = make_work();
    start(&owner, &work, 64);
    wait_for_value(&owner, NEEDS_SCRATCH);
    ok(kmt.hsaKmtUpdateQueue(owner.queue.resource.QueueId, 0, 0, NULL, 0, NULL));
    destroy_owner(&owner);
    assert_int_equal(value_of(work.done), 1);
    destroy_work(&work);
}

static void scratch_at_an_invalid_address_is_a_fault(void **state)
{
    (void)state;
    struct owner owner = make_owner();
    struct work work = make_work();
    HsaEvent *fault = new_event(HSA_EVENTTYPE_MEMORY, true);
    start(&owner, &work, 64);
    wait_for_value(&owner, NEEDS_SCRATCH);
    describe_scratch(&owner, PAGE, 64);
    resume(&owner);
    ok(kmt.hsaKmtWaitOnEvent(fault, SECONDS_10));
    assert_int_equal(fault->EventData.EventData.MemoryAccessFault.VirtualAddress,
                     (uintptr_t)owner.pool + PAGE);
    ok(kmt.hsaKmtDestroyEvent(fault));
    destroy_owner(&owner);
    destroy_work(&work);
}

/* A runtime that uses no interrupts creates no events of memory faults. */
static void a_fault_without_an_event_is_a_queue_error(void **state)
{
    (void)state;
    struct owner owner = make_owner();
    struct work work = make_work();
    start(&owner, &work, 64);
    wait_for_value(&owner, NEEDS_SCRATCH);
    describe_scratch(&owner, PAGE, 64);
    resume(&owner);
    ok(kmt.hsaKmtWaitOnEvent(owner.queue.event, SECONDS_10));
    assert_int_equal(*owner.queue.reason, 1 << (KFD_EC_QUEUE_WAVE_APERTURE_VIOLATION - 1));
    destroy_owner(&owner);
    destroy_work(&work);
}

static void too_little_scratch_stops_the_queue(void **state)
{
    (void)state;
    struct owner owner = make_owner();
    struct work work = make_work();
    start(&owner, &work, 64);
    wait_for_value(&owner, NEEDS_SCRATCH);
    provide_scratch(&owner, 0, 16);
    ok(kmt.hsaKmtWaitOnEvent(owner.queue.event, SECONDS_10));
    assert_int_not_equal(*owner.queue.reason, 0);
    destroy_owner(&owner);
    destroy_work(&work);
}

static void parts_of_scratch_are_mapped_and_unmapped(void **state)
{
    HsaMemFlags flags = {.Value = 0};
    char *pool;
    (void)state;
    flags.ui32.Scratch = 1;
    ok(kmt.hsaKmtAllocMemory(GPU, POOL, flags, (void **)&pool));
    ok(kmt.hsaKmtMapMemoryToGPU(pool + PAGE, 2 * PAGE, NULL));
    expect(kmt.hsaKmtMapMemoryToGPU(pool, 2 * PAGE, NULL), HSAKMT_STATUS_NO_MEMORY);
    expect(kmt.hsaKmtMapMemoryToGPU(pool + 7, PAGE, NULL), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtMapMemoryToGPU(pool + POOL - PAGE, 2 * PAGE, NULL),
           HSAKMT_STATUS_INVALID_PARAMETER);
    ok(kmt.hsaKmtMapMemoryToGPU(pool, PAGE, NULL));
    ok(kmt.hsaKmtUnmapMemoryToGPU(pool + PAGE));
    ok(kmt.hsaKmtMapMemoryToGPU(pool + PAGE, PAGE, NULL));
    ok(kmt.hsaKmtFreeMemory(pool, POOL));
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
        cmocka_unit_test(a_kernel_uses_scratch_that_the_runtime_provides_on_request),
        cmocka_unit_test(the_descriptor_has_the_size_if_no_other_field_has_it),
        cmocka_unit_test(scratch_for_one_kernel_is_returned_after_it),
        cmocka_unit_test(a_queue_that_waits_for_scratch_is_destroyed),
        cmocka_unit_test(scratch_at_an_invalid_address_is_a_fault),
        cmocka_unit_test(a_fault_without_an_event_is_a_queue_error),
        cmocka_unit_test(too_little_scratch_stops_the_queue),
        cmocka_unit_test(parts_of_scratch_are_mapped_and_unmapped),
    };
    return cmocka_run_group_tests_name("simulated kernel driver: scratch", tests, open_all,
                                       close_driver);
}
