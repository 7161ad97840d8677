/* Queues: packets as programs write them, and dispatches that end when the test ends them. */
#include "fake_dispatch.h"

#include "amdgpu_queue.h"
#include "log.h"
#include "sim_memory.h"
#include "sim_options.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

enum { SIGNALS = 16, RING_MAX = 256, MIB = 1 << 20, ENTRY = 256 };
enum { BARRIER = 1 << HSA_PACKET_HEADER_BARRIER };

/* In host memory that the device can access. */
struct world {
    union {
        hsa_kernel_dispatch_packet_t kernel;
        hsa_barrier_and_packet_t barrier;
        hsa_agent_dispatch_packet_t agent;
        hsa_amd_barrier_value_packet_t value;
        uint16_t header;
    } ring[RING_MAX];
    amd_signal_t doorbell, inactive, signals[SIGNALS];
    struct amdgpu_kernel_descriptor descriptor;
    _Alignas(64) amd_queue_t queue;
};
_Static_assert(offsetof(struct world, descriptor) % 64 == 0, "as kernels lie");

static struct sim_memory *memory;
static struct world *world;
static struct amdgpu_device devices[2];
static struct amdgpu_queue *queue;
static struct amdgpu_queue_settings settings;
static struct amdgpu_queue_error first_error;
static _Atomic(int) errors, agents;

/* The first one of several queues. */
static void note_error(void *data, const struct amdgpu_queue_error *error)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    assert_ptr_equal(data, world);
    pthread_mutex_lock(&lock);
    if (atomic_load(&errors) == 0)
        first_error = *error;
    atomic_fetch_add(&errors, 1);
    pthread_mutex_unlock(&lock);
}

static void open_queue_on(int device, uint32_t size)
{
    fake_reset();
    memset(world, 0, sizeof *world);
    memset(&first_error, 0, sizeof first_error);
    atomic_store(&errors, 0);
    atomic_store(&agents, 0);
    amdgpu_signal_init(&world->doorbell, 0);
    amdgpu_signal_init(&world->inactive, 0);
    for (int i = 0; i < SIGNALS; i++)
        amdgpu_signal_init(&world->signals[i], 1);
    world->descriptor.kernel_code_entry_byte_offset = ENTRY;
    world->queue.hsa_queue.base_address = world->ring;
    world->queue.hsa_queue.size = size;
    world->queue.hsa_queue.doorbell_signal.handle = (uintptr_t)&world->doorbell;
    world->queue.queue_inactive_signal.handle = (uintptr_t)&world->inactive;
    settings = (struct amdgpu_queue_settings){.device = &devices[device],
                                              .queue = &world->queue,
                                              .queue_address = (uintptr_t)&world->queue,
                                              .error = note_error,
                                              .data = world};
}

static void open_queue(uint32_t size)
{
    open_queue_on(0, size);
    queue = amdgpu_queue_create(&settings);
    assert_non_null(queue);
}

static void close_queue(void)
{
    amdgpu_queue_destroy(queue);
    queue = NULL;
}

/* ---- packets ---------------------------------------------------------------------------- */

static hsa_signal_t handle_of(int signal)
{
    return (hsa_signal_t){signal < 0 ? 0 : (uintptr_t)&world->signals[signal]};
}

static uint64_t read_index(void)
{
    return __atomic_load_n(&world->queue.read_dispatch_id, __ATOMIC_ACQUIRE);
}

/* Reserves a slot of the ring; waits until one is free. */
static uint64_t reserve(void)
{
    uint64_t index = __atomic_fetch_add(&world->queue.write_dispatch_id, 1, __ATOMIC_RELAXED);
    while (index - read_index() >= world->queue.hsa_queue.size)
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    return index;
}

static void ring(uint64_t index)
{
    amdgpu_signal_store(&world->doorbell, (int64_t)index);
}

/* packet: of 64 bytes; its header is published last. */
static void publish(uint64_t index, const void *packet, unsigned header)
{
    unsigned char *place = (unsigned char *)&world->ring[index & (world->queue.hsa_queue.size - 1)];
    memcpy(place + sizeof(uint16_t), (const unsigned char *)packet + sizeof(uint16_t),
           64 - sizeof(uint16_t));
    __atomic_store_n((uint16_t *)(void *)place, (uint16_t)header, __ATOMIC_RELEASE);
}

static uint64_t submit(const void *packet, unsigned header)
{
    uint64_t index = reserve();
    publish(index, packet, header);
    ring(index);
    return index;
}

static hsa_kernel_dispatch_packet_t kernel_packet(int completion)
{
    return (hsa_kernel_dispatch_packet_t){
        .setup = 1,
        .workgroup_size_x = 64,
        .workgroup_size_y = 1,
        .workgroup_size_z = 1,
        .grid_size_x = 256,
        .grid_size_y = 1,
        .grid_size_z = 1,
        .kernel_object = (uintptr_t)&world->descriptor,
        .completion_signal = handle_of(completion),
    };
}

static uint64_t submit_kernel(int completion, unsigned bits)
{
    hsa_kernel_dispatch_packet_t packet = kernel_packet(completion);
    return submit(&packet, HSA_PACKET_TYPE_KERNEL_DISPATCH | bits);
}

enum barrier { ALL = HSA_PACKET_TYPE_BARRIER_AND, ANY = HSA_PACKET_TYPE_BARRIER_OR };

static uint64_t submit_barrier(enum barrier type, int first, int second, int completion)
{
    hsa_barrier_and_packet_t packet = {
        .dep_signal = {[1] = handle_of(first), [4] = handle_of(second)},
        .completion_signal = handle_of(completion),
    };
    return submit(&packet, (unsigned)type);
}

/* ---- waiting ------------------------------------------------------------------------------ */

static int64_t signal_value(int signal)
{
    return amdgpu_signal_load(&world->signals[signal]);
}

static void wait_until(amd_signal_t *signal, hsa_signal_condition_t condition, int64_t compare)
{
    int64_t value = 0;
    size_t met = amdgpu_signal_wait(&signal, &condition, &compare, 1, UINT64_MAX, &value);
    assert_int_equal(met, 0);
}

static void wait_complete(int signal)
{
    wait_until(&world->signals[signal], HSA_SIGNAL_CONDITION_LT, 1);
    assert_int_equal(signal_value(signal), 0);
}

static void wait_read(uint64_t index)
{
    while (read_index() < index)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

/* Gives the queue time to do what it must not do. */
static void wait_briefly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

/* The queue has stopped for status. */
static void expect_error(hsa_status_t status)
{
    wait_until(&world->inactive, HSA_SIGNAL_CONDITION_NE, 0);
    while (atomic_load(&errors) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    assert_int_equal(first_error.status, status);
    assert_int_equal(amdgpu_signal_load(&world->inactive), -1);
}

/* ---- kernels ------------------------------------------------------------------------------ */

static void a_kernel_is_dispatched_and_completes_its_signal(void **state)
{
    (void)state;
    open_queue(16);
    assert_int_equal(submit_kernel(0, BARRIER), 0);
    struct amdgpu_dispatch seen = fake_seen(0);
    assert_ptr_equal(seen.device, &devices[0]);
    assert_int_equal(seen.packet.grid_size_x, 256);
    assert_int_equal(seen.packet.kernel_object, (uintptr_t)&world->descriptor);
    assert_int_equal(seen.queue_address, (uintptr_t)&world->queue);
    wait_briefly();
    assert_int_equal(signal_value(0), 1);
    fake_end_well(0);
    wait_complete(0);
    assert_int_equal(world->signals[0].end_ts, 0); /* profiling is off */
    close_queue();
    assert_int_equal(atomic_load(&errors), 0);
}

static void a_packet_slot_is_free_while_its_kernel_runs(void **state)
{
    (void)state;
    open_queue(4);
    hsa_kernel_dispatch_packet_t packet = kernel_packet(-1);
    packet.reserved2 = 77;
    submit(&packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
    struct amdgpu_dispatch seen = fake_seen(0);
    wait_read(1);
    assert_int_equal(world->ring[0].header & 0xff, HSA_PACKET_TYPE_INVALID);
    memset(&world->ring[0].kernel.setup, 0xff, 62); /* what the kernel sees is a copy */
    const hsa_kernel_dispatch_packet_t *copy =
        (void *)sim_translate(0, seen.packet_address, sizeof *copy, false);
    assert_non_null(copy);
    assert_int_equal(copy->reserved2, 77);
    assert_int_equal(copy->header, HSA_PACKET_TYPE_KERNEL_DISPATCH);
    fake_end_well(0);
    close_queue();
}

static void a_packet_without_a_signal_completes_too(void **state)
{
    (void)state;
    open_queue(4);
    submit_kernel(-1, 0);
    fake_seen(0);
    fake_end_well(0);
    submit_kernel(3, BARRIER);
    fake_seen(1);
    fake_end_well(1);
    wait_complete(3);
    close_queue();
}

static void a_ring_is_used_again_and_again(void **state)
{
    (void)state;
    open_queue(4);
    fake.at_once = true;
    amdgpu_signal_store(&world->signals[0], 1000);
    for (int i = 0; i < 1000; i++)
        submit_kernel(0, i % 3 ? 0 : BARRIER);
    wait_complete(0);
    assert_int_equal(read_index(), 1000);
    assert_int_equal(fake_seen(999).id, 999);
    close_queue();
}

/* The simulator keeps its own copy of these fields. */
static void a_queue_whose_fields_were_overwritten_continues(void **state)
{
    (void)state;
    open_queue(16);
    world->queue.hsa_queue.base_address = (void *)8;
    world->queue.hsa_queue.doorbell_signal.handle = 8;
    submit_kernel(0, BARRIER);
    fake_wait_started(1);
    fake_end_well(0);
    wait_complete(0);
    close_queue();
}

static void kernels_overlap_unless_they_have_the_barrier_bit(void **state)
{
    (void)state;
    open_queue(16);
    submit_kernel(0, 0);
    submit_kernel(1, 0);
    submit_kernel(2, BARRIER);
    submit_kernel(3, 0);
    fake_wait_started(2);
    fake_end_well(1);
    wait_complete(1);
    wait_briefly();
    assert_int_equal(fake_started(), 2);
    assert_int_equal(read_index(), 2);
    fake_end_well(0);
    fake_wait_started(4);
    fake_end_well(3);
    fake_end_well(2);
    wait_complete(2);
    wait_complete(3);
    close_queue();
}

/* Submits a kernel, which ends at once. Whether the queue's thread helps it. */
static bool helps_another(void)
{
    unsigned number = fake_started();
    submit_kernel(-1, BARRIER);
    bool helped = fake_seen(number).helped;
    fake_end_well(number);
    return helped;
}

static void the_queue_s_thread_helps_unless_packets_overlap(void **state)
{
    enum { APART = 64 };
    (void)state;
    open_queue(256);
    assert_true(helps_another());
    /* One that is there already, and waits for the kernel before it, or does not. */
    for (unsigned bits = 0; bits <= BARRIER; bits += BARRIER) {
        hsa_kernel_dispatch_packet_t packet = kernel_packet(-1);
        unsigned number = fake_started();
        uint64_t first = reserve(), second = reserve();
        publish(second, &packet, HSA_PACKET_TYPE_KERNEL_DISPATCH | bits);
        publish(first, &packet, HSA_PACKET_TYPE_KERNEL_DISPATCH | BARRIER);
        ring(second);
        assert_int_equal(fake_seen(number).helped, bits == BARRIER);
        fake_end_well(number);
        assert_int_equal(fake_seen(number + 1).helped, bits == BARRIER);
        fake_end_well(number + 1);
        for (int i = 2; i < APART && bits != BARRIER; i++)
            assert_false(helps_another());
    }
    assert_true(helps_another());
    close_queue();
}

static void the_queue_s_thread_notices_packets_that_come_while_it_helps(void **state)
{
    (void)state;
    open_queue(16);
    fake.helps = true;
    submit_kernel(-1, 0);
    assert_true(fake_seen(0).helped);
    submit_kernel(-1, 0);
    wait_briefly();
    assert_int_equal(fake_started(), 1);
    fake_end_well(0);
    assert_false(fake_seen(1).helped);
    fake_end_well(1);
    assert_false(helps_another());
    close_queue();
}

static void more_kernels_than_can_be_in_progress_wait_for_others(void **state)
{
    enum { COUNT = 200, AT_ONCE = 128 };
    (void)state;
    open_queue(256);
    amdgpu_signal_store(&world->signals[0], COUNT);
    for (int i = 0; i < COUNT; i++)
        submit_kernel(0, 0);
    fake_wait_started(AT_ONCE);
    wait_briefly();
    assert_int_equal(fake_started(), AT_ONCE);
    for (unsigned i = 0; i < COUNT; i++) {
        fake_wait_started(i + 1);
        fake_end_well(i);
    }
    wait_complete(0);
    assert_int_equal(fake.most, AT_ONCE);
    close_queue();
}

static void priority_and_cooperation_are_passed_on(void **state)
{
    (void)state;
    open_queue_on(0, 4);
    settings.priority = -3;
    settings.cooperative = true;
    queue = amdgpu_queue_create(&settings);
    submit_kernel(0, 0);
    assert_int_equal(fake_seen(0).priority, -3);
    assert_true(fake_seen(0).cooperative);
    amdgpu_queue_set_priority(queue, 2);
    submit_kernel(1, 0);
    assert_int_equal(fake_seen(1).priority, 2);
    fake_end_well(0);
    fake_end_well(1);
    close_queue();
}

/* Scratch for ten waves; each kernel has four. */
static void kernels_in_progress_have_separate_parts_of_the_queues_scratch(void **state)
{
    enum { WAVE = 1024, WAVES = 10 };
    (void)state;
    open_queue_on(0, 8);
    struct sim_memory *scratch = sim_memory_create(SIM_MEMORY_HOST, -1, WAVES * WAVE, 4096);
    world->queue.compute_tmpring_size = WAVES | 1 << 12;
    world->queue.scratch_backing_memory_location = scratch->address;
    world->queue.scratch_backing_memory_byte_size = WAVES * WAVE;
    settings.owner_scratch = true;
    queue = amdgpu_queue_create(&settings);
    hsa_kernel_dispatch_packet_t packet = kernel_packet(-1);
    packet.private_segment_size = 16;
    for (int i = 0; i < 3; i++)
        submit(&packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
    assert_int_equal(fake_seen(0).scratch_ring.first, 0);
    assert_int_equal(fake_seen(0).scratch_ring.waves, 4);
    assert_int_equal(fake_seen(0).scratch_ring.wave_size, WAVE);
    assert_int_equal(fake_seen(1).scratch_ring.first, 4);
    wait_briefly();
    assert_int_equal(fake_started(), 2);
    packet.private_segment_size = 0;
    submit(&packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
    fake_end_well(1);
    assert_int_equal(fake_seen(2).scratch_ring.first, 4);
    assert_int_equal(fake_seen(3).scratch_ring.address, 0);
    fake_end_well(0);
    fake_end_well(2);
    fake_end_well(3);
    close_queue();
    sim_memory_destroy(scratch);
    assert_int_equal(atomic_load(&errors), 0);
}

static void profiled_packets_have_timestamps(void **state)
{
    (void)state;
    open_queue(4);
    amdgpu_queue_profile(queue, true);
    submit_kernel(0, 0);
    fake_seen(0);
    fake_end_well(0);
    wait_complete(0);
    assert_true(world->signals[0].start_ts > 0);
    assert_true(world->signals[0].end_ts > world->signals[0].start_ts);
    submit_barrier(ALL, -1, -1, 1);
    wait_complete(1);
    assert_true(world->signals[1].start_ts > world->signals[0].end_ts);
    assert_true(world->signals[1].end_ts > world->signals[1].start_ts);
    amdgpu_queue_profile(queue, false);
    submit_barrier(ALL, -1, -1, 2);
    wait_complete(2);
    assert_int_equal(world->signals[2].start_ts, 0);
    close_queue();
}

static void queues_are_notified_of_interrupts(void **state)
{
    (void)state;
    fake.interrupt = NULL;
    open_queue(4);
    assert_non_null(fake.interrupt);
    fake.interrupt(0); /* waiting threads compare again, and nothing has changed */
    close_queue();
}

/* ---- producers ---------------------------------------------------------------------------- */

static void packets_that_are_ready_wait_for_those_before_them(void **state)
{
    (void)state;
    open_queue(8);
    hsa_kernel_dispatch_packet_t packet = kernel_packet(-1);
    uint64_t first = reserve(), second = reserve();
    packet.reserved2 = 2;
    publish(second, &packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
    ring(second);
    wait_briefly();
    assert_int_equal(fake_started(), 0);
    packet.reserved2 = 1;
    publish(first, &packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
    ring(first);
    assert_int_equal(fake_seen(0).packet.reserved2, 1);
    assert_int_equal(fake_seen(1).packet.reserved2, 2);
    fake_end_well(0);
    fake_end_well(1);
    close_queue();
}

static void a_packet_may_be_published_after_its_doorbell(void **state)
{
    (void)state;
    open_queue(8);
    hsa_kernel_dispatch_packet_t packet = kernel_packet(0);
    uint64_t index = reserve();
    ring(index);
    wait_briefly();
    publish(index, &packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
    fake_seen(0);
    fake_end_well(0);
    wait_complete(0);
    close_queue();
}

enum { PRODUCERS = 4, EACH = 2000 };

static void *produce(void *data)
{
    (void)data;
    for (int i = 0; i < EACH; i++) {
        if (i % 5 == 4)
            submit_barrier(ALL, -1, -1, 0);
        else
            submit_kernel(0, i % 3 ? 0 : BARRIER);
    }
    return NULL;
}

static void many_threads_write_one_queue(void **state)
{
    pthread_t threads[PRODUCERS];
    (void)state;
    open_queue(64);
    fake.at_once = true;
    amdgpu_signal_store(&world->signals[0], PRODUCERS * EACH);
    for (int i = 0; i < PRODUCERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, produce, NULL), 0);
    wait_complete(0);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(read_index(), PRODUCERS * EACH);
    assert_int_equal(fake_started(), PRODUCERS * EACH * 4 / 5);
    close_queue();
}

/* ---- barriers ----------------------------------------------------------------------------- */

static void a_barrier_and_waits_for_all_its_signals(void **state)
{
    (void)state;
    open_queue(8);
    submit_barrier(ALL, 0, 1, 2);
    submit_kernel(3, 0);
    amdgpu_signal_store(&world->signals[1], 0);
    wait_briefly();
    assert_int_equal(signal_value(2), 1);
    assert_int_equal(fake_started(), 0);
    amdgpu_signal_add(&world->signals[0], -1);
    wait_complete(2);
    fake_seen(0);
    fake_end_well(0);
    wait_complete(3);
    close_queue();
}

static void a_barrier_or_waits_for_one_of_its_signals(void **state)
{
    (void)state;
    open_queue(8);
    submit_barrier(ANY, 0, 1, 2);
    wait_briefly();
    assert_int_equal(signal_value(2), 1);
    amdgpu_signal_store(&world->signals[1], 0);
    wait_complete(2);
    submit_barrier(ANY, -1, -1, 3); /* without signals: there is nothing to wait for */
    wait_complete(3);
    close_queue();
}

static void a_barrier_waits_for_a_value_under_a_mask(void **state)
{
    (void)state;
    open_queue(8);
    hsa_amd_barrier_value_packet_t packet = {
        .header.AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE,
        .signal = handle_of(0),
        .value = 0x20,
        .mask = 0xf0,
        .cond = HSA_SIGNAL_CONDITION_EQ,
        .completion_signal = handle_of(1),
    };
    submit(&packet, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
    amdgpu_signal_store(&world->signals[0], 0x3f);
    wait_briefly();
    assert_int_equal(signal_value(1), 1);
    amdgpu_signal_store(&world->signals[0], 0x12f);
    wait_complete(1);
    packet.cond = HSA_SIGNAL_CONDITION_GTE;
    packet.value = 0;
    packet.completion_signal = handle_of(2);
    submit(&packet, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
    wait_complete(2);
    packet.cond = 4;
    submit(&packet, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
    expect_error(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
    close_queue();
}

static void a_barrier_without_the_bit_does_not_wait_for_kernels(void **state)
{
    (void)state;
    open_queue(8);
    submit_kernel(0, 0);
    submit_barrier(ALL, -1, -1, 1);
    wait_complete(1);
    hsa_barrier_and_packet_t packet = {.completion_signal = handle_of(2)};
    submit(&packet, HSA_PACKET_TYPE_BARRIER_AND | BARRIER);
    wait_briefly();
    assert_int_equal(signal_value(2), 1);
    fake_wait_started(1);
    fake_end_well(0);
    wait_complete(2);
    close_queue();
}

static void take_agent(void *data, const hsa_agent_dispatch_packet_t *packet)
{
    assert_ptr_equal(data, world);
    assert_int_equal(packet->type, 0x8001);
    assert_int_equal(packet->arg[3], 44);
    atomic_fetch_add(&agents, 1);
}

static void agent_dispatches_are_passed_to_the_callback(void **state)
{
    (void)state;
    hsa_agent_dispatch_packet_t packet = {.type = 0x8001, .arg = {[3] = 44}};
    open_queue_on(0, 8);
    settings.agent_dispatch = take_agent;
    queue = amdgpu_queue_create(&settings);
    packet.completion_signal = handle_of(0);
    submit(&packet, HSA_PACKET_TYPE_AGENT_DISPATCH);
    wait_complete(0);
    assert_int_equal(atomic_load(&agents), 1);
    close_queue();
    open_queue(8);
    submit(&packet, HSA_PACKET_TYPE_AGENT_DISPATCH);
    expect_error(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
    close_queue();
}

/* ---- errors ------------------------------------------------------------------------------- */

static void an_invalid_packet_stops_the_queue(void **state)
{
    static const struct {
        unsigned header, format;
    } rows[] = {
        {HSA_PACKET_TYPE_VENDOR_SPECIFIC, 0}, /* a ring of zeros */
        {HSA_PACKET_TYPE_VENDOR_SPECIFIC, 1}, /* PM4 */
        {HSA_PACKET_TYPE_VENDOR_SPECIFIC, 3}, {6, 0}, {0xff, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        open_queue(8);
        hsa_amd_barrier_value_packet_t packet = {.completion_signal = handle_of(0)};
        packet.header.AmdFormat = (uint8_t)rows[i].format;
        submit(&packet, rows[i].header);
        expect_error(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
        assert_int_equal(first_error.end.kind, AMDGPU_END_OK);
        submit_kernel(1, 0); /* the queue does not support cooperative kernels */
        wait_briefly();
        assert_int_equal(fake_started(), 0);
        assert_int_equal(signal_value(0), 1);
        assert_int_equal(atomic_load(&errors), 1);
        close_queue();
    }
}

static void expect_rejected(const hsa_kernel_dispatch_packet_t *packet, hsa_status_t status)
{
    submit(packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
    expect_error(status);
    assert_int_equal(fake_started(), 0);
    close_queue();
}

#define EXPECT_REJECTED(change, status)                                                            \
    do {                                                                                           \
        open_queue(8);                                                                             \
        hsa_kernel_dispatch_packet_t packet = kernel_packet(0);                                    \
        packet.change;                                                                             \
        expect_rejected(&packet, (hsa_status_t)(status));                                          \
    } while (0)

static void a_kernel_packet_is_checked(void **state)
{
    (void)state;
    EXPECT_REJECTED(setup = 0, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
    EXPECT_REJECTED(workgroup_size_x = 0, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
    EXPECT_REJECTED(grid_size_x = 0, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
    EXPECT_REJECTED(grid_size_y = 2, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
    EXPECT_REJECTED(workgroup_size_z = 0, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
    EXPECT_REJECTED(workgroup_size_x = 1025, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_REJECTED(group_segment_size = 65537, HSA_STATUS_ERROR_INVALID_ALLOCATION);
    EXPECT_REJECTED(kernel_object = 0, HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    EXPECT_REJECTED(kernel_object += 8, HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    EXPECT_REJECTED(kernel_object = UINT64_MAX - 63, HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    EXPECT_REJECTED(completion_signal.handle = 64, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
    EXPECT_REJECTED(completion_signal.handle += 8, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
}

static void an_invalid_signal_is_not_a_dependency(void **state)
{
    hsa_signal_t own = {(uintptr_t)&devices & ~(uintptr_t)63}; /* not memory of the device */
    hsa_barrier_and_packet_t barrier = {.dep_signal[2] = own};
    hsa_amd_barrier_value_packet_t value = {.header.AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE,
                                            .signal = own};
    (void)state;
    open_queue(8);
    submit(&barrier, HSA_PACKET_TYPE_BARRIER_AND);
    expect_error(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
    close_queue();
    open_queue(8);
    submit(&barrier, HSA_PACKET_TYPE_BARRIER_OR);
    expect_error(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
    close_queue();
    open_queue(8);
    submit(&value, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
    expect_error(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
    close_queue();
}

static const struct {
    struct amdgpu_end end;
    unsigned status;
} ends[] = {
    {{AMDGPU_END_MEMORY, 0, 0, false}, HSA_STATUS_ERROR_MEMORY_FAULT},
    {{AMDGPU_END_MEMORY, 0x7fffffffffff, 0, false}, HSA_STATUS_ERROR_MEMORY_FAULT},
    {{AMDGPU_END_MEMORY, UINT64_MAX, 0, false}, HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION},
    {{AMDGPU_END_ALIGNMENT, 1, 0, false}, HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION},
    {{AMDGPU_END_SHARED, 1, 0, false}, HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION},
    {{AMDGPU_END_SCRATCH, 1, 0, false}, HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION},
    {{AMDGPU_END_INSTRUCTION, 0x1000, 0, false}, HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION},
    {{AMDGPU_END_TRAP, 0x1000, 2, false}, HSA_STATUS_ERROR_EXCEPTION},
    {{AMDGPU_END_HUNG, 0, 0, false}, HSA_STATUS_ERROR_EXCEPTION},
    {{AMDGPU_END_CHECK, 0, 0, false}, HSA_STATUS_ERROR_EXCEPTION},
    {{AMDGPU_END_PACKET, 0, 0, false}, HSA_STATUS_ERROR_INVALID_CODE_OBJECT},
    {{AMDGPU_END_NO_MEMORY, 0, 0, false}, HSA_STATUS_ERROR_OUT_OF_RESOURCES},
};

static void each_result_of_a_kernel_has_its_status(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        open_queue(8);
        submit_kernel(0, 0);
        fake_wait_started(1);
        fake_end(0, ends[i].end);
        expect_error((hsa_status_t)ends[i].status);
        assert_memory_equal(&first_error.end, &ends[i].end, sizeof first_error.end);
        assert_int_equal(signal_value(0), 1);
        close_queue();
    }
}

static void a_kernel_that_does_not_start_is_an_error(void **state)
{
    (void)state;
    open_queue(8);
    fake.refusal = AMDGPU_END_NO_MEMORY;
    submit_kernel(0, 0);
    expect_error(HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    assert_int_equal(signal_value(0), 1);
    close_queue();
}

static void the_first_error_counts_and_cancels_the_rest(void **state)
{
    (void)state;
    open_queue(8);
    for (int i = 0; i < 3; i++)
        submit_kernel(i, 0);
    submit_kernel(3, BARRIER);
    fake_wait_started(3);
    fake_end(1, (struct amdgpu_end){.kind = AMDGPU_END_TRAP, .trap = 2});
    expect_error(HSA_STATUS_ERROR_EXCEPTION);
    assert_int_equal(first_error.end.trap, 2);
    assert_int_equal(fake.running, 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(signal_value(i), 1);
    assert_int_equal(fake_started(), 3);
    close_queue();
    assert_int_equal(atomic_load(&errors), 1);
}

/* ---- ends of queues ----------------------------------------------------------------------- */

static void a_queue_can_be_destroyed_at_any_time(void **state)
{
    hsa_amd_barrier_value_packet_t value = {
        .header.AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE, .value = 1234, .mask = -1};
    (void)state;
    open_queue(8); /* empty */
    close_queue();
    open_queue(8); /* a kernel, and a second one that waits for it */
    submit_kernel(0, 0);
    submit_kernel(0, BARRIER);
    fake_wait_started(1);
    close_queue();
    assert_int_equal(fake.running, 0);
    assert_int_equal(signal_value(0), 1);
    open_queue(8); /* a barrier that waits */
    submit_barrier(ALL, 0, 1, 2);
    wait_read(1);
    close_queue();
    assert_int_equal(signal_value(2), 1);
    open_queue(8);
    submit_barrier(ANY, 0, 1, 2);
    wait_read(1);
    close_queue();
    assert_int_equal(signal_value(2), 1);
    open_queue(8);
    value.signal = handle_of(0);
    submit(&value, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
    wait_read(1);
    close_queue();
    open_queue(8); /* a packet that is never published */
    ring(reserve());
    wait_briefly();
    close_queue();
    assert_int_equal(atomic_load(&errors), 0);
    amdgpu_queue_destroy(NULL);
}

static void an_inactive_queue_processes_no_packets(void **state)
{
    (void)state;
    open_queue(8);
    submit_kernel(0, 0);
    fake_wait_started(1);
    amdgpu_queue_inactivate(queue, HSA_STATUS_SUCCESS);
    assert_int_equal(fake.running, 0);
    wait_until(&world->inactive, HSA_SIGNAL_CONDITION_EQ, -1);
    submit_kernel(1, 0);
    wait_briefly();
    assert_int_equal(fake_started(), 1);
    assert_int_equal(signal_value(0), 1);
    close_queue();
    assert_int_equal(atomic_load(&errors), 0);
    open_queue(8);
    amdgpu_queue_inactivate(queue, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    expect_error(HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    amdgpu_queue_inactivate(queue, HSA_STATUS_ERROR_EXCEPTION); /* it is already inactive */
    close_queue();
    assert_int_equal(atomic_load(&errors), 1);
}

static void destroy_on_error(void *data, const struct amdgpu_queue_error *error)
{
    (void)data;
    (void)error;
    close_queue();
    atomic_fetch_add(&errors, 1);
}

static void destroy_on_agent(void *data, const hsa_agent_dispatch_packet_t *packet)
{
    (void)data;
    (void)packet;
    close_queue();
    assert_int_equal(fake.running, 0);
    memset(world->ring, 0xff, sizeof world->ring); /* it is no longer read */
    atomic_fetch_add(&agents, 1);
}

static void a_callback_may_destroy_its_queue(void **state)
{
    hsa_agent_dispatch_packet_t packet = {.type = 1};
    (void)state;
    open_queue_on(0, 8);
    settings.error = destroy_on_error;
    queue = amdgpu_queue_create(&settings);
    submit(&packet, HSA_PACKET_TYPE_AGENT_DISPATCH);
    while (atomic_load(&errors) == 0)
        wait_briefly();
    assert_null(queue);
    open_queue_on(0, 8);
    settings.agent_dispatch = destroy_on_agent;
    queue = amdgpu_queue_create(&settings);
    submit_kernel(0, 0);
    submit(&packet, HSA_PACKET_TYPE_AGENT_DISPATCH);
    while (atomic_load(&agents) == 0)
        wait_briefly();
    assert_null(queue);
    wait_briefly();
    assert_int_equal(atomic_load(&errors), 0);
}

static void an_invalid_ring_is_refused(void **state)
{
    (void)state;
    open_queue_on(0, 0);
    assert_null(amdgpu_queue_create(&settings));
    open_queue_on(0, 12);
    assert_null(amdgpu_queue_create(&settings));
    open_queue_on(0, 8);
    world->queue.hsa_queue.base_address = (char *)world->ring + 8;
    assert_null(amdgpu_queue_create(&settings));
    open_queue_on(0, 8);
    world->queue.hsa_queue.doorbell_signal.handle = 0;
    assert_null(amdgpu_queue_create(&settings));
}

/* ---- faults on demand --------------------------------------------------------------------- */

static void launches_fail_as_configured(void **state)
{
    char text[64];
    (void)state;
    open_queue(8);
    assert_true(sim_fault_set("launch:2"));
    fake.at_once = true;
    submit_kernel(0, 0);
    wait_complete(0);
    submit_kernel(1, 0);
    expect_error(HSA_STATUS_ERROR_EXCEPTION);
    assert_int_equal(signal_value(1), 1);
    close_queue();
    open_queue(8);
    snprintf(text, sizeof text, "kernel:kernel_%" PRIxPTR, (uintptr_t)&world->descriptor + ENTRY);
    assert_true(sim_fault_set(text));
    submit_kernel(0, 0);
    expect_error(HSA_STATUS_ERROR_EXCEPTION);
    close_queue();
    assert_true(sim_fault_set(NULL));
}

static void a_slow_device_takes_its_time(void **state)
{
    struct timespec start, end;
    (void)state;
    open_queue(8);
    assert_true(sim_fault_set("slow:20ms"));
    fake.at_once = true;
    clock_gettime(CLOCK_MONOTONIC, &start);
    submit_kernel(0, 0);
    wait_complete(0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true((end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec - start.tv_nsec >= 20000000);
    assert_true(sim_fault_set("slow:100s"));
    submit_kernel(1, 0);
    wait_read(2);
    close_queue(); /* at once */
    assert_true(sim_fault_set(NULL));
}

/* The last test: the device stays lost. */
static void a_lost_device_stops_all_its_queues(void **state)
{
    (void)state;
    assert_false(amdgpu_device_lost(1));
    open_queue_on(1, 8);
    assert_true(sim_fault_set("lost:1"));
    struct amdgpu_queue *other;
    amd_queue_t other_queue = world->queue;
    other_queue.hsa_queue.base_address = &world->ring[128];
    other_queue.hsa_queue.doorbell_signal = handle_of(15);
    other_queue.queue_inactive_signal = handle_of(14);
    settings.queue = &other_queue;
    other = amdgpu_queue_create(&settings);
    settings.queue = &world->queue;
    queue = amdgpu_queue_create(&settings);
    submit_kernel(0, 0);
    expect_error(HSA_STATUS_ERROR);
    wait_until(&world->signals[14], HSA_SIGNAL_CONDITION_EQ, -1);
    amdgpu_queue_destroy(other);
    close_queue();
    assert_int_equal(atomic_load(&errors), 2);
    assert_true(amdgpu_device_lost(1));
    assert_false(amdgpu_device_lost(0));
    assert_null(amdgpu_queue_create(&settings));
    assert_true(sim_fault_set(NULL));
}

static int open_world(void **state)
{
    static const size_t bytes[] = {64 * MIB, 64 * MIB};
    (void)state;
    for (int i = 0; i < 2; i++)
        devices[i] = (struct amdgpu_device){.device = i, .clock_hz = 100000000};
    if (!fake_open() || !sim_space_open(bytes, 2))
        return -1;
    memory = sim_memory_create(SIM_MEMORY_HOST, -1, sizeof *world, 4096);
    world = memory ? (struct world *)(void *)memory->view : NULL;
    return world ? 0 : -1;
}

static int close_world(void **state)
{
    (void)state;
    sim_memory_destroy(memory);
    sim_space_close();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_is_dispatched_and_completes_its_signal),
        cmocka_unit_test(a_packet_slot_is_free_while_its_kernel_runs),
        cmocka_unit_test(a_packet_without_a_signal_completes_too),
        cmocka_unit_test(a_ring_is_used_again_and_again),
        cmocka_unit_test(a_queue_whose_fields_were_overwritten_continues),
        cmocka_unit_test(kernels_overlap_unless_they_have_the_barrier_bit),
        cmocka_unit_test(the_queue_s_thread_helps_unless_packets_overlap),
        cmocka_unit_test(the_queue_s_thread_notices_packets_that_come_while_it_helps),
        cmocka_unit_test(more_kernels_than_can_be_in_progress_wait_for_others),
        cmocka_unit_test(priority_and_cooperation_are_passed_on),
        cmocka_unit_test(kernels_in_progress_have_separate_parts_of_the_queues_scratch),
        cmocka_unit_test(profiled_packets_have_timestamps),
        cmocka_unit_test(queues_are_notified_of_interrupts),
        cmocka_unit_test(packets_that_are_ready_wait_for_those_before_them),
        cmocka_unit_test(a_packet_may_be_published_after_its_doorbell),
        cmocka_unit_test(many_threads_write_one_queue),
        cmocka_unit_test(a_barrier_and_waits_for_all_its_signals),
        cmocka_unit_test(a_barrier_or_waits_for_one_of_its_signals),
        cmocka_unit_test(a_barrier_waits_for_a_value_under_a_mask),
        cmocka_unit_test(a_barrier_without_the_bit_does_not_wait_for_kernels),
        cmocka_unit_test(agent_dispatches_are_passed_to_the_callback),
        cmocka_unit_test(an_invalid_packet_stops_the_queue),
        cmocka_unit_test(a_kernel_packet_is_checked),
        cmocka_unit_test(an_invalid_signal_is_not_a_dependency),
        cmocka_unit_test(each_result_of_a_kernel_has_its_status),
        cmocka_unit_test(a_kernel_that_does_not_start_is_an_error),
        cmocka_unit_test(the_first_error_counts_and_cancels_the_rest),
        cmocka_unit_test(a_queue_can_be_destroyed_at_any_time),
        cmocka_unit_test(an_inactive_queue_processes_no_packets),
        cmocka_unit_test(a_callback_may_destroy_its_queue),
        cmocka_unit_test(an_invalid_ring_is_refused),
        cmocka_unit_test(launches_fail_as_configured),
        cmocka_unit_test(a_slow_device_takes_its_time),
        cmocka_unit_test(a_lost_device_stops_all_its_queues),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
