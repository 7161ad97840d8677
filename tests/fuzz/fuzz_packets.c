/* Packets of any content in the ring of a simulated AMD queue, over dispatches that execute
 * nothing: whatever they say, the queue ends when it is destroyed, nothing runs then, and it has
 * told of one error at most.
 *
 * The first bytes say how kernels end, what scratch the queue has, of which nobody gives more, and
 * what the host does meanwhile; what follows are packets of 64 bytes. In their handles small
 * numbers stand for signals and for a kernel. */
#include "amdgpu_queue.h"
#include "fake_dispatch.h"
#include "fuzz.h"
#include "sim_memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 16, SIGNALS = 8, PLAN = 8, PACKET = 64, PATIENCE_US = 500 };

struct world {
    unsigned char ring[RING][PACKET];
    amd_signal_t doorbell, inactive, signals[SIGNALS];
    struct amdgpu_kernel_descriptor descriptor;
    _Alignas(64) amd_queue_t queue;
    unsigned char scratch[16 << 10];
};

static struct world *world;
static struct amdgpu_device device = {.clock_hz = 100000000};
static _Atomic(int) errors;

static void count_error(void *data, const struct amdgpu_queue_error *error)
{
    (void)data;
    fuzz_check(error->status != HSA_STATUS_SUCCESS);
    atomic_fetch_add(&errors, 1);
}

static void take_agent(void *data, const hsa_agent_dispatch_packet_t *packet)
{
    (void)data;
    fuzz_check((packet->header & 0xff) == HSA_PACKET_TYPE_AGENT_DISPATCH);
}

static void open_world(void)
{
    static const size_t bytes[] = {64 << 20};
    fuzz_check(fake_open() && sim_space_open(bytes, 1));
    struct sim_memory *memory = sim_memory_create(SIM_MEMORY_HOST, -1, sizeof *world, 4096);
    fuzz_check(memory != NULL);
    world = (struct world *)(void *)memory->view;
}

/* Some, of a size that may be too little or no memory. */
static void give_scratch(unsigned size)
{
    world->queue.compute_tmpring_size = (size & 15) | (1 + (size >> 4 & 3)) << 12;
    world->queue.scratch_backing_memory_location = (uintptr_t)world->scratch;
    world->queue.scratch_backing_memory_byte_size = size & 64 ? 1 << 20 : sizeof world->scratch;
    world->queue.queue_properties = size & 128 ? AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE : 0;
}

static struct amdgpu_queue *open_queue(const uint8_t *plan)
{
    struct amdgpu_queue_settings settings = {
        .device = &device, .queue = &world->queue, .error = count_error};
    fake_reset();
    memset(world, 0, sizeof *world);
    atomic_store(&errors, 0);
    amdgpu_signal_init(&world->doorbell, 0);
    amdgpu_signal_init(&world->inactive, 0);
    for (int i = 0; i < SIGNALS; i++)
        amdgpu_signal_init(&world->signals[i], i % 4);
    world->queue.hsa_queue.base_address = world->ring;
    world->queue.hsa_queue.size = RING;
    world->queue.hsa_queue.doorbell_signal.handle = (uintptr_t)&world->doorbell;
    world->queue.queue_inactive_signal.handle = (uintptr_t)&world->inactive;
    fake.at_once = plan[0] & 1;
    fake.refusal =
        plan[0] & 2 ? (enum amdgpu_end_kind)(plan[1] % (AMDGPU_END_CHECK + 1)) : AMDGPU_END_OK;
    settings.agent_dispatch = plan[0] & 4 ? take_agent : NULL;
    settings.owner_scratch = plan[0] & 32;
    if (settings.owner_scratch && plan[0] & 64)
        give_scratch(plan[1]);
    struct amdgpu_queue *queue = amdgpu_queue_create(&settings);
    fuzz_check(queue != NULL);
    amdgpu_queue_profile(queue, plan[0] & 8);
    return queue;
}

/* Handles lie at multiples of 8 in all packets; kernels have theirs at 32. */
static void name_things(unsigned char *packet)
{
    uint64_t word;
    for (size_t at = 8; at < PACKET; at += sizeof word) {
        memcpy(&word, packet + at, sizeof word);
        if (word >= 1 && word <= SIGNALS)
            word = (uintptr_t)&world->signals[word - 1];
        else if (word == SIGNALS + 1)
            word = (uintptr_t)&world->descriptor;
        memcpy(packet + at, &word, sizeof word);
    }
}

static bool is_over(void)
{
    return amdgpu_signal_load(&world->inactive) != 0;
}

/* Until the condition of a place in the ring holds; false: the queue goes no further. */
static bool wait_read(uint64_t number)
{
    for (int i = 0; i < PATIENCE_US / 10; i++) {
        if (__atomic_load_n(&world->queue.read_dispatch_id, __ATOMIC_ACQUIRE) >= number)
            return true;
        if (is_over())
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
    }
    return false;
}

static void end_some(const uint8_t *plan, unsigned *ended)
{
    while (*ended < fake_started()) {
        struct amdgpu_end end = {.kind = AMDGPU_END_OK};
        unsigned step = plan[2 + *ended % (PLAN - 2)];
        if (step % 16 == 15)
            return; /* it runs on */
        if (step % 16 == 14)
            end.kind = (enum amdgpu_end_kind)(step / 16 % (AMDGPU_END_CHECK + 1));
        fake_end((*ended)++, end);
    }
}

static void submit(const uint8_t *data, uint64_t number)
{
    unsigned char packet[PACKET], *place = world->ring[number % RING];
    uint16_t header;
    memcpy(packet, data, sizeof packet);
    name_things(packet);
    memcpy(&header, packet, sizeof header);
    memcpy(place + sizeof header, packet + sizeof header, sizeof packet - sizeof header);
    __atomic_store_n((uint16_t *)(void *)place, header, __ATOMIC_RELEASE);
    amdgpu_signal_store(&world->doorbell, (int64_t)number);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t count = size >= PLAN ? (size - PLAN) / PACKET : 0;
    unsigned ended = 0;
    if (!world)
        open_world();
    if (count == 0)
        return 0;
    struct amdgpu_queue *queue = open_queue(data);
    for (uint64_t i = 0; i < count && (i < RING || wait_read(i - RING + 1)); i++) {
        submit(data + PLAN + i * PACKET, i);
        end_some(data, &ended);
    }
    if (!wait_read(count) && data[0] & 16) { /* what barriers wait for comes after all */
        for (int i = 0; i < SIGNALS; i++)
            amdgpu_signal_store(&world->signals[i], 0);
        if (amdgpu_signal_load(&world->inactive) > 0)
            amdgpu_signal_store(&world->inactive, 0); /* as if there were scratch now */
        (void)wait_read(count);
    }
    end_some(data, &ended);
    uint64_t read = __atomic_load_n(&world->queue.read_dispatch_id, __ATOMIC_ACQUIRE);
    fuzz_check(read <= count);
    amdgpu_queue_destroy(queue);
    fuzz_check(fake.running == 0 && atomic_load(&errors) <= 1);
    fuzz_check(is_over());
    return 0;
}
