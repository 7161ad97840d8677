/* Queues: making them, their indices and settings, packets, and how they fail. */
#include "calls.h"

#include <pthread.h>
#include <stdatomic.h>

static _Atomic(int) failed;
static _Atomic(int) failed_status;
static _Atomic(hsa_queue_t *) failed_queue;

static void on_failure(hsa_status_t status, hsa_queue_t *queue, void *data)
{
    atomic_store(&failed_status, (int)status);
    atomic_store(&failed_queue, queue);
    atomic_fetch_add(&failed, (int)(intptr_t)data);
}

/* ---- making them ------------------------------------------------------------------- */

static void create(const char *key, hsa_agent_t agent, uint32_t size, uint32_t type,
                   uint32_t private_size, uint32_t group_size)
{
    hsa_queue_t *queue = NULL;
    int status =
        (int)rt.hsa_queue_create(agent, size, type, NULL, NULL, private_size, group_size, &queue);
    if (status == HSA_STATUS_SUCCESS)
        say(key, "SUCCESS type %u, features %u, %u packets, doorbell %d, ring %d", queue->type,
            queue->features, queue->size, queue->doorbell_signal.handle != 0,
            queue->base_address != NULL);
    else
        say_status(key, status);
    if (status == HSA_STATUS_SUCCESS)
        must(rt.hsa_queue_destroy(queue));
}

static void creating(void)
{
    const hsa_agent_t none = {0}, nothing = {ZEROS};
    for (uint32_t size = 1; size <= 1 << 18; size *= 4) {
        char key[32];
        snprintf(key, sizeof key, "size%u", size);
        create(key, here.gpu, size, HSA_QUEUE_TYPE_MULTI, UINT32_MAX, UINT32_MAX);
    }
    create("size0", here.gpu, 0, HSA_QUEUE_TYPE_MULTI, 0, 0);
    create("size100", here.gpu, 100, HSA_QUEUE_TYPE_MULTI, 0, 0);
    create("size131072", here.gpu, 131072, HSA_QUEUE_TYPE_MULTI, 0, 0);
    create("single", here.gpu, 64, HSA_QUEUE_TYPE_SINGLE, 0, 0);
    create("cooperative", here.gpu, 64, HSA_QUEUE_TYPE_COOPERATIVE, 0, 0);
    create("cooperative.again", here.gpu, 256, HSA_QUEUE_TYPE_COOPERATIVE, 0, 0);
    create("type3", here.gpu, 64, 3, 0, 0);
    create("private256", here.gpu, 64, HSA_QUEUE_TYPE_MULTI, 256, 0);
    create("private1024", here.gpu, 64, HSA_QUEUE_TYPE_MULTI, 1024, 0);
    create("private65536", here.gpu, 64, HSA_QUEUE_TYPE_MULTI, 65536, 0);
    create("private262128", here.gpu, 64, HSA_QUEUE_TYPE_MULTI, 262128, 0);
    create("private262144", here.gpu, 64, HSA_QUEUE_TYPE_MULTI, 262144, 0);
    create("group65536", here.gpu, 64, HSA_QUEUE_TYPE_MULTI, 0, 65536);
    create("group1GiB", here.gpu, 64, HSA_QUEUE_TYPE_MULTI, 0, 1 << 30);
    create("cpu", here.cpu, 64, HSA_QUEUE_TYPE_MULTI, 0, 0);
    create("none", none, 64, HSA_QUEUE_TYPE_MULTI, 0, 0);
    create("zeros", nothing, 64, HSA_QUEUE_TYPE_MULTI, 0, 0);
    say_status("null",
               rt.hsa_queue_create(here.gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, NULL));
    say_status("destroy.null", rt.hsa_queue_destroy(NULL));
    say_status("inactivate.null", rt.hsa_queue_inactivate(NULL));
}

static void say_ring(const hsa_queue_t *queue)
{
    const hsa_barrier_and_packet_t *ring = queue->base_address;
    unsigned invalid = 0;
    for (uint32_t i = 0; i < queue->size; i++)
        invalid += (ring[i].header & 0xff) == HSA_PACKET_TYPE_INVALID;
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    int status = (int)rt.hsa_amd_pointer_info(ring, &info, NULL, NULL, NULL);
    say("ring", "%u invalid packets, %s, type %d, %zu bytes", invalid, status_name(status),
        info.type, info.sizeInBytes);
}

static void soft_queues(void)
{
    uint32_t mask = 1;
    hsa_queue_t *queue = NULL;
    hsa_signal_t doorbell = new_signal(0);
    hsa_region_t region = here.agents[0].regions[0], none = {0};
    hsa_signal_t no_signal = {0};
    say_status("null", rt.hsa_soft_queue_create(region, 64, 0, 1, doorbell, NULL));
    say_status("no_region", rt.hsa_soft_queue_create(none, 64, 0, 1, doorbell, &queue));
    say_status("no_doorbell", rt.hsa_soft_queue_create(region, 64, 0, 1, no_signal, &queue));
    say_status("size0", rt.hsa_soft_queue_create(region, 0, 0, 1, doorbell, &queue));
    say_status("size100", rt.hsa_soft_queue_create(region, 100, 0, 1, doorbell, &queue));
    say_status("type2", rt.hsa_soft_queue_create(region, 64, 2, 1, doorbell, &queue));
    say_status("no_features", rt.hsa_soft_queue_create(region, 64, 0, 0, doorbell, &queue));
    int status = (int)rt.hsa_soft_queue_create(region, 64, 0, 2, doorbell, &queue);
    say_status("queue", status);
    if (status != HSA_STATUS_SUCCESS)
        return;
    say("fields", "type %u, features %u, %u packets, doorbell %d", queue->type, queue->features,
        queue->size, queue->doorbell_signal.handle == doorbell.handle);
    say_ring(queue);
    say("write_index", "%d", (int)rt.hsa_queue_add_write_index_relaxed(queue, 3));
    rt.hsa_queue_store_read_index_relaxed(queue, 2);
    say("indices", "%d %d", (int)rt.hsa_queue_load_read_index_relaxed(queue),
        (int)rt.hsa_queue_load_write_index_relaxed(queue));
    say_status("priority", rt.hsa_amd_queue_set_priority(queue, HSA_AMD_QUEUE_PRIORITY_HIGH));
    say_status("set_mask", rt.hsa_amd_queue_cu_set_mask(queue, 32, &mask));
    say_status("get_mask", rt.hsa_amd_queue_cu_get_mask(queue, 32, &mask));
    say_status("profile", rt.hsa_amd_profiling_set_profiler_enabled(queue, 1));
    say_status("inactivate", rt.hsa_queue_inactivate(queue));
    say_status("destroy", rt.hsa_queue_destroy(queue));
    say_status("doorbell", rt.hsa_signal_destroy(doorbell));
}

/* The program is the agent that takes the packets of its queue. */
static void *serve(void *data)
{
    hsa_queue_t *queue = data;
    for (uint64_t index = 0; index < 3; index++) {
        hsa_agent_dispatch_packet_t *packet =
            (hsa_agent_dispatch_packet_t *)queue->base_address + index % queue->size;
        rt.hsa_signal_wait_scacquire(queue->doorbell_signal, HSA_SIGNAL_CONDITION_GTE,
                                     (hsa_signal_value_t)index, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
        *(uint64_t *)packet->return_address = packet->arg[0] + packet->arg[1] + packet->type;
        rt.hsa_queue_store_read_index_screlease(queue, index + 1);
        rt.hsa_signal_subtract_screlease(packet->completion_signal, 1);
    }
    return NULL;
}

static void serving_a_soft_queue(void)
{
    hsa_queue_t *queue = NULL;
    hsa_signal_t doorbell = new_signal(-1), done = new_signal(3);
    pthread_t server;
    uint64_t results[3] = {0}, index;
    must(rt.hsa_soft_queue_create(here.agents[0].regions[0], 2, HSA_QUEUE_TYPE_MULTI,
                                  HSA_QUEUE_FEATURE_AGENT_DISPATCH, doorbell, &queue));
    if (pthread_create(&server, NULL, serve, queue) != 0)
        fail("no thread");
    for (unsigned i = 0; i < 3; i++) {
        hsa_agent_dispatch_packet_t *packet = next_packet(queue, &index);
        packet->type = (uint16_t)(0x8000 + i);
        packet->return_address = &results[i];
        packet->arg[0] = 100 * i;
        packet->arg[1] = 7;
        packet->completion_signal = done;
        ring(queue, packet, HSA_PACKET_TYPE_AGENT_DISPATCH, index);
    }
    say("completion", "%d", (int)finish(done));
    pthread_join(server, NULL);
    say("results", "%d %d %d", (int)results[0], (int)results[1], (int)results[2]);
    say("indices", "%d %d", (int)rt.hsa_queue_load_read_index_scacquire(queue),
        (int)rt.hsa_queue_load_write_index_scacquire(queue));
    must(rt.hsa_queue_destroy(queue));
}

static void barrier(hsa_queue_t *queue, int type, const hsa_signal_t *signals, unsigned count,
                    hsa_signal_t completion)
{
    uint64_t index;
    hsa_barrier_and_packet_t *packet = next_packet(queue, &index);
    for (unsigned i = 0; i < count; i++)
        packet->dep_signal[i] = signals[i];
    packet->completion_signal = completion;
    ring(queue, packet, (uint16_t)(type | 1 << HSA_PACKET_HEADER_BARRIER), index);
}

/* ---- the cooperative queue --------------------------------------------------------- */

static hsa_queue_t *new_cooperative(hsa_agent_t agent, uint32_t size)
{
    hsa_queue_t *queue = NULL;
    must(rt.hsa_queue_create(agent, size, HSA_QUEUE_TYPE_COOPERATIVE, NULL, NULL, 0, 0, &queue));
    return queue;
}

static void cooperative(void)
{
    hsa_queue_t *first = new_cooperative(here.gpu, 64), *second = new_cooperative(here.gpu, 256),
                *others = new_cooperative(here.other, 64);
    hsa_signal_t done = new_signal(1);
    say("same", "%d %d", first == second, first == others);
    create("size4", here.gpu, 4, HSA_QUEUE_TYPE_COOPERATIVE, 0, 0);
    create("size100", here.gpu, 100, HSA_QUEUE_TYPE_COOPERATIVE, 0, 0);
    create("size1048576", here.gpu, 1 << 20, HSA_QUEUE_TYPE_COOPERATIVE, 0, 0);
    create("private262144", here.gpu, 64, HSA_QUEUE_TYPE_COOPERATIVE, 262144, 0);
    create("cpu", here.cpu, 64, HSA_QUEUE_TYPE_COOPERATIVE, 0, 0);
    say_status("destroy.first", rt.hsa_queue_destroy(first));
    barrier(second, HSA_PACKET_TYPE_BARRIER_AND, NULL, 0, done);
    say("completion", "%d", (int)finish(done));
    say("write_index", "%d", (int)rt.hsa_queue_load_write_index_relaxed(second));
    say_status("destroy.second", rt.hsa_queue_destroy(second));
    first = new_cooperative(here.gpu, 64);
    say("anew", "%d", (int)rt.hsa_queue_load_write_index_relaxed(first));
    say_status("destroy", rt.hsa_queue_destroy(first));
    say_status("destroy.others", rt.hsa_queue_destroy(others));
}

/* ---- indices and settings ---------------------------------------------------------- */

#define SAY_INDEX(order)                                                                           \
    say("add_" #order, "%d", (int)rt.hsa_queue_add_write_index_##order(queue, 2));                 \
    say("cas_" #order, "%d", (int)rt.hsa_queue_cas_write_index_##order(queue, 1, 7));              \
    say("cas_more_" #order, "%d",                                                                  \
        (int)rt.hsa_queue_cas_write_index_##order(                                                 \
            queue, rt.hsa_queue_load_write_index_relaxed(queue), 1));                              \
    say("write_" #order, "%d", (int)rt.hsa_queue_load_write_index_acquire(queue));

static void indices(void)
{
    hsa_queue_t *queue = new_queue(here.gpu);
    say("read", "%d %d %d", (int)rt.hsa_queue_load_read_index_relaxed(queue),
        (int)rt.hsa_queue_load_read_index_acquire(queue),
        (int)rt.hsa_queue_load_read_index_scacquire(queue));
    SAY_INDEX(relaxed)
    SAY_INDEX(acquire)
    SAY_INDEX(scacquire)
    SAY_INDEX(release)
    SAY_INDEX(screlease)
    SAY_INDEX(acq_rel)
    SAY_INDEX(scacq_screl)
    rt.hsa_queue_store_write_index_relaxed(queue, 5);
    say("stored_relaxed", "%d", (int)rt.hsa_queue_load_write_index_scacquire(queue));
    rt.hsa_queue_store_write_index_release(queue, 6);
    say("stored_release", "%d", (int)rt.hsa_queue_load_write_index_scacquire(queue));
    rt.hsa_queue_store_write_index_screlease(queue, 0);
    say("stored_screlease", "%d", (int)rt.hsa_queue_load_write_index_scacquire(queue));
    must(rt.hsa_queue_destroy(queue));
}

static void say_mask(const char *key, const hsa_queue_t *queue, uint32_t count)
{
    uint32_t mask[8];
    memset(mask, 0x77, sizeof mask);
    int status = (int)rt.hsa_amd_queue_cu_get_mask(queue, count, mask);
    say(key, "%s %x %x %x %x %x", status_name(status), mask[0], mask[1], mask[2], mask[3], mask[4]);
}

static void masks(void)
{
    hsa_queue_t *queue = new_queue(here.gpu);
    uint32_t mask[8] = {0xf0f, 0xff, UINT32_MAX, UINT32_MAX, UINT32_MAX, 1};
    say_mask("all", queue, 160);
    say_status("set32", rt.hsa_amd_queue_cu_set_mask(queue, 32, mask));
    say_mask("get32", queue, 32);
    say_mask("get160", queue, 160);
    say_status("set128", rt.hsa_amd_queue_cu_set_mask(queue, 128, mask));
    say_mask("get128", queue, 128);
    say_status("set192", rt.hsa_amd_queue_cu_set_mask(queue, 192, mask));
    say_mask("get192", queue, 192);
    say_status("reset", rt.hsa_amd_queue_cu_set_mask(queue, 0, NULL));
    say_mask("reset.get", queue, 160);
    say_status("set33", rt.hsa_amd_queue_cu_set_mask(queue, 33, mask));
    say_status("set.null", rt.hsa_amd_queue_cu_set_mask(queue, 32, NULL));
    say_status("get0", rt.hsa_amd_queue_cu_get_mask(queue, 0, mask));
    say_status("get33", rt.hsa_amd_queue_cu_get_mask(queue, 33, mask));
    say_status("get.null", rt.hsa_amd_queue_cu_get_mask(queue, 32, NULL));
    must(rt.hsa_queue_destroy(queue));
}

static void settings(void)
{
    hsa_queue_t *queue = new_queue(here.gpu);
    for (int priority = -1; priority < 5; priority++) {
        char key[32];
        snprintf(key, sizeof key, "priority%d", priority);
        say_status(key, rt.hsa_amd_queue_set_priority(queue, priority));
    }
    say_status("priority.null", rt.hsa_amd_queue_set_priority(NULL, 1));
    say_status("profile", rt.hsa_amd_profiling_set_profiler_enabled(queue, 1));
    say_status("profile.off", rt.hsa_amd_profiling_set_profiler_enabled(queue, 0));
    say_status("profile.copies", rt.hsa_amd_profiling_async_copy_enable(true));
    say_status("profile.copies.off", rt.hsa_amd_profiling_async_copy_enable(false));
    say_status("inactivate", rt.hsa_queue_inactivate(queue));
    say_status("inactivate.again", rt.hsa_queue_inactivate(queue));
    say_status("destroy", rt.hsa_queue_destroy(queue));
}

/* ---- packets ----------------------------------------------------------------------- */

static bool is_filled(const uint32_t *memory, uint32_t from, uint32_t to, uint32_t value)
{
    for (uint32_t i = from; i < to; i++)
        if (memory[i] != value)
            return false;
    return true;
}

struct fill_arguments {
    uint32_t *out;
    uint32_t value, count;
};

/* The kernel began at a time of the agent's clock, which is another time of the system's. */
static void say_ticks(hsa_signal_t signal, uint64_t start)
{
    const amd_signal_t *times = (const amd_signal_t *)(uintptr_t)signal.handle;
    uint64_t tick = 0, frequency = 1;
    must(rt.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
    int status =
        (int)rt.hsa_amd_profiling_convert_tick_to_system_domain(here.gpu, times->start_ts, &tick);
    int64_t apart = (int64_t)(tick - start);
    say("tick", "%s %d", status_name(status), llabs(apart) < (int64_t)frequency / 1000);
    say_status("tick.cpu",
               rt.hsa_amd_profiling_convert_tick_to_system_domain(here.cpu, 1000, &tick));
    say_status("tick.null",
               rt.hsa_amd_profiling_convert_tick_to_system_domain(here.gpu, 1000, NULL));
}

static void kernels(void)
{
    hsa_queue_t *queue = new_queue(here.gpu);
    hsa_executable_t executable = load_kernels(here.gpu);
    uint32_t *host = new_memory(here.host, PAGE);
    struct fill_arguments *arguments = new_memory(here.kernarg, PAGE);
    hsa_amd_profiling_dispatch_time_t time = {0};
    hsa_signal_t signal = new_signal(1);
    hsa_agent_t agents[] = {here.gpu};
    must(rt.hsa_amd_agents_allow_access(1, agents, NULL, host));
    must(rt.hsa_amd_agents_allow_access(1, agents, NULL, arguments));
    memset(host, 0, PAGE);
    *arguments = (struct fill_arguments){host, 42, 60};
    must(rt.hsa_amd_profiling_set_profiler_enabled(queue, 1));
    dispatch(queue, kernel_of(executable, here.gpu, "fill"), arguments, signal);
    say("completion", "%d", (int)finish(signal));
    say("result", "%d %d", is_filled(host, 0, 60, 42), is_filled(host, 60, 64, 0));
    while (rt.hsa_queue_load_read_index_scacquire(queue) < 1)
        usleep(100);
    say("indices", "%d %d", (int)rt.hsa_queue_load_read_index_scacquire(queue),
        (int)rt.hsa_queue_load_write_index_scacquire(queue));
    int status = (int)rt.hsa_amd_profiling_get_dispatch_time(here.gpu, signal, &time);
    say("time", "%s %d %d", status_name(status), time.start > 0, time.end >= time.start);
    say_status("time.null", rt.hsa_amd_profiling_get_dispatch_time(here.gpu, signal, NULL));
    say_status("time.cpu", rt.hsa_amd_profiling_get_dispatch_time(here.cpu, signal, &time));
    say_status("time.no_agent",
               rt.hsa_amd_profiling_get_dispatch_time((hsa_agent_t){0}, signal, &time));
    say_status("time.of_copy", rt.hsa_amd_profiling_get_async_copy_time(signal, (void *)&time));
    say_ticks(signal, time.start);
    must(rt.hsa_queue_destroy(queue));
}

static void barriers(void)
{
    hsa_queue_t *queue = new_queue(here.gpu);
    hsa_signal_t done = new_signal(1), after[2] = {new_signal(1), new_signal(1)};
    barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, NULL, 0, done);
    say("and.nothing", "%d", (int)finish(done));
    rt.hsa_signal_store_relaxed(done, 1);
    barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, after, 2, done);
    rt.hsa_signal_store_screlease(after[0], 0);
    say("and.one", "%d", (int)rt.hsa_signal_load_scacquire(done));
    rt.hsa_signal_store_screlease(after[1], 0);
    say("and.both", "%d", (int)finish(done));
    rt.hsa_signal_store_relaxed(done, 1);
    rt.hsa_signal_store_relaxed(after[0], 1);
    rt.hsa_signal_store_relaxed(after[1], 1);
    barrier(queue, HSA_PACKET_TYPE_BARRIER_OR, after, 2, done);
    say("or.none", "%d", (int)rt.hsa_signal_load_scacquire(done));
    rt.hsa_signal_store_screlease(after[1], 0);
    say("or.one", "%d", (int)finish(done));
    rt.hsa_signal_store_relaxed(done, 5);
    barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, NULL, 0, done);
    while (rt.hsa_queue_load_read_index_scacquire(queue) < 4)
        usleep(100);
    rt.hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 5, TICKS_10S,
                                 HSA_WAIT_STATE_BLOCKED);
    say("one_less", "%d", (int)rt.hsa_signal_load_scacquire(done));
    must(rt.hsa_queue_destroy(queue));
}

/* ---- failures ---------------------------------------------------------------------- */

static hsa_queue_t *queue_that_fails(void)
{
    hsa_queue_t *queue = NULL;
    atomic_store(&failed, 0);
    must(rt.hsa_queue_create(here.gpu, 64, HSA_QUEUE_TYPE_MULTI, on_failure, (void *)1, UINT32_MAX,
                             UINT32_MAX, &queue));
    return queue;
}

static void say_failure(const char *key, hsa_queue_t *queue)
{
    char destroyed[64];
    for (int i = 0; i < 20000 && !atomic_load(&failed); i++)
        usleep(1000);
    say(key, "%d times, %s, %s", atomic_load(&failed), status_name(atomic_load(&failed_status)),
        atomic_load(&failed_queue) == queue ? "its queue" : "another queue");
    snprintf(destroyed, sizeof destroyed, "%s.destroy", key);
    say_status(destroyed, rt.hsa_queue_destroy(queue));
}

/* A dispatch of fill that one thing is wrong with. */
static void bad_dispatch(const char *key, void (*spoil)(hsa_kernel_dispatch_packet_t *packet),
                         uint64_t kernel, void *arguments)
{
    uint64_t index;
    hsa_queue_t *queue = queue_that_fails();
    hsa_kernel_dispatch_packet_t *packet = next_packet(queue, &index);
    packet->setup = 1;
    packet->workgroup_size_x = 64;
    packet->workgroup_size_y = packet->workgroup_size_z = 1;
    packet->grid_size_x = 64;
    packet->grid_size_y = packet->grid_size_z = 1;
    packet->kernel_object = kernel;
    packet->kernarg_address = arguments;
    spoil(packet);
    ring(queue, packet, HSA_PACKET_TYPE_KERNEL_DISPATCH | 1 << HSA_PACKET_HEADER_BARRIER, index);
    say_failure(key, queue);
}

static void no_items(hsa_kernel_dispatch_packet_t *packet)
{
    packet->grid_size_x = 0;
}

static void no_group(hsa_kernel_dispatch_packet_t *packet)
{
    packet->workgroup_size_x = 0;
}

static void no_code(hsa_kernel_dispatch_packet_t *packet)
{
    packet->kernel_object = 0;
}

static void large_group(hsa_kernel_dispatch_packet_t *packet)
{
    packet->workgroup_size_x = 1024;
    packet->workgroup_size_y = 2;
}

static void large_local(hsa_kernel_dispatch_packet_t *packet)
{
    packet->group_segment_size = 65537;
}

static void bad_packets(void)
{
    struct fill_arguments *arguments = new_memory(here.kernarg, PAGE);
    hsa_executable_t executable = load_kernels(here.gpu);
    uint64_t index, kernel = kernel_of(executable, here.gpu, "fill");
    must(rt.hsa_amd_agents_allow_access(1, &here.gpu, NULL, arguments));
    memset(arguments, 0, PAGE); /* nothing to fill */
    bad_dispatch("no_items", no_items, kernel, arguments);
    bad_dispatch("no_group", no_group, kernel, arguments);
    bad_dispatch("no_code", no_code, kernel, arguments);
    bad_dispatch("large_group", large_group, kernel, arguments);
    bad_dispatch("large_local", large_local, kernel, arguments);
    for (uint16_t type = 6; type < 8; type++) {
        char key[32];
        hsa_queue_t *queue = queue_that_fails();
        ring(queue, next_packet(queue, &index), type | 1 << HSA_PACKET_HEADER_BARRIER, index);
        snprintf(key, sizeof key, "type%u", type);
        say_failure(key, queue);
    }
}

static void trap(void)
{
    hsa_executable_t executable = load_kernels(here.gpu);
    hsa_queue_t *queue = queue_that_fails();
    dispatch(queue, kernel_of(executable, here.gpu, "trap"), NULL, (hsa_signal_t){0});
    say_failure("queue", queue);
}

static hsa_amd_event_t event;
static _Atomic(int) events;

static hsa_status_t on_event(const hsa_amd_event_t *which, void *data)
{
    event = *which;
    atomic_fetch_add(&events, (int)(intptr_t)data);
    return HSA_STATUS_SUCCESS;
}

static void fault(void)
{
    hsa_executable_t executable = load_kernels(here.gpu);
    hsa_queue_t *queue = queue_that_fails();
    say_status("handler", rt.hsa_amd_register_system_event_handler(on_event, (void *)1));
    say_status("handler.again", rt.hsa_amd_register_system_event_handler(on_event, (void *)2));
    dispatch(queue, kernel_of(executable, here.gpu, "fault"), NULL, (hsa_signal_t){0});
    for (int i = 0; i < 20000 && !atomic_load(&events); i++)
        usleep(1000);
    say("event", "%d times, type %d, %s, page %llx, reason %x", atomic_load(&events),
        (int)event.event_type, agent_name(event.memory_fault.agent),
        (unsigned long long)event.memory_fault.virtual_address >> 12,
        event.memory_fault.fault_reason_mask);
    say_status("destroy", rt.hsa_queue_destroy(queue));
}

static void no_event_handler(void)
{
    say_status("handler", rt.hsa_amd_register_system_event_handler(NULL, NULL));
}

static void fault_without_handler(void)
{
    hsa_executable_t executable = load_kernels(here.gpu);
    hsa_queue_t *queue = new_queue(here.gpu);
    close(STDERR_FILENO);
    dispatch(queue, kernel_of(executable, here.gpu, "fault"), NULL, (hsa_signal_t){0});
    pause(); /* until the runtime ends the process */
}

const struct part parts_of_queues[] = {
    {"creating_queues", creating, ONE_MODEL},
    {"soft_queues", soft_queues, ONE_MODEL},
    {"serving_a_soft_queue", serving_a_soft_queue, ONE_MODEL},
    {"cooperative_queue", cooperative, ONE_MODEL},
    {"indices", indices, ONE_MODEL},
    {"masks", masks, 0},
    {"settings", settings, ONE_MODEL},
    {"kernels", kernels, 0},
    {"barriers", barriers, ONE_MODEL},
    {"bad_packets", bad_packets, ONE_MODEL},
    {"trap", trap, 0},
    {"fault", fault, 0},
    {"no_event_handler", no_event_handler, ONE_MODEL},
    {"fault_without_handler", fault_without_handler, ONE_MODEL},
    {NULL, NULL, 0},
};
