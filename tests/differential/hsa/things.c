/* Owns what the parts need of a runtime: agents and pools, memory, signals, queues, kernels. */
#include "calls.h"

/* ---- agents ------------------------------------------------------------------------ */

static hsa_status_t add_pool(hsa_amd_memory_pool_t pool, void *data)
{
    struct agent *agent = data;
    if (agent->pool_count == POOLS_MAX)
        fail("too many pools");
    agent->pools[agent->pool_count++] = pool;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t add_region(hsa_region_t region, void *data)
{
    struct agent *agent = data;
    if (agent->region_count == POOLS_MAX)
        fail("too many regions");
    agent->regions[agent->region_count++] = region;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t add_agent(hsa_agent_t handle, void *data)
{
    static const char *const names[] = {"gpu0", "gpu1", "gpu2", "gpu3"};
    hsa_device_type_t type;
    unsigned *gpus = data;
    if (here.agent_count == AGENTS_MAX)
        fail("too many agents");
    struct agent *agent = &here.agents[here.agent_count++];
    must(rt.hsa_agent_get_info(handle, HSA_AGENT_INFO_DEVICE, &type));
    agent->handle = handle;
    agent->name = type == HSA_DEVICE_TYPE_CPU ? "cpu" : names[(*gpus)++];
    must(rt.hsa_amd_agent_iterate_memory_pools(handle, add_pool, agent));
    must(rt.hsa_agent_iterate_regions(handle, add_region, agent));
    return HSA_STATUS_SUCCESS;
}

/* An agent's first global pool that has these flags and not those. */
static hsa_amd_memory_pool_t pool_of(const struct agent *agent, uint32_t with, uint32_t without)
{
    for (unsigned i = 0; i < agent->pool_count; i++) {
        hsa_amd_segment_t segment;
        uint32_t flags;
        must(rt.hsa_amd_memory_pool_get_info(agent->pools[i], HSA_AMD_MEMORY_POOL_INFO_SEGMENT,
                                             &segment));
        if (segment != HSA_AMD_SEGMENT_GLOBAL)
            continue;
        must(rt.hsa_amd_memory_pool_get_info(agent->pools[i], HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS,
                                             &flags));
        if ((flags & with) == with && !(flags & without))
            return agent->pools[i];
    }
    fail("%s has no pool of flags %u", agent->name, with);
}

void look_around(void)
{
    enum {
        KERNARG = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT,
        FINE = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED,
        COARSE = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED
    };
    unsigned gpus = 0;
    must(rt.hsa_iterate_agents(add_agent, &gpus));
    if (here.agent_count != 3 || strcmp(here.agents[0].name, "cpu") != 0)
        fail("there are other agents than a CPU and two GPUs");
    here.cpu = here.agents[0].handle;
    here.gpu = here.agents[1].handle;
    here.other = here.agents[2].handle;
    here.host = pool_of(&here.agents[0], FINE, KERNARG);
    here.kernarg = pool_of(&here.agents[0], KERNARG, 0);
    here.device = pool_of(&here.agents[1], COARSE, 0);
    here.device2 = pool_of(&here.agents[2], COARSE, 0);
}

/* ---- signals and memory ------------------------------------------------------------ */

hsa_signal_t new_signal(hsa_signal_value_t value)
{
    hsa_signal_t signal = {0};
    must(rt.hsa_signal_create(value, 0, NULL, &signal));
    return signal;
}

hsa_signal_value_t finish(hsa_signal_t signal)
{
    return rt.hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, 3 * (uint64_t)TICKS_10S,
                                        HSA_WAIT_STATE_BLOCKED);
}

void *new_memory(hsa_amd_memory_pool_t pool, size_t size)
{
    void *memory = NULL;
    must(rt.hsa_amd_memory_pool_allocate(pool, size, 0, &memory));
    return memory;
}

/* ---- code -------------------------------------------------------------------------- */

void *read_code(const char *name, size_t *out_size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s_%s.co", here.code_folder, name, here.model);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        fail("%s cannot be read", path);
    *out_size = (size_t)ftell(file);
    void *bytes = malloc(*out_size);
    rewind(file);
    if (!bytes || fread(bytes, 1, *out_size, file) != *out_size)
        fail("%s cannot be read", path);
    fclose(file);
    return bytes;
}

hsa_executable_t load_kernels(hsa_agent_t agent)
{
    size_t size;
    hsa_executable_t executable = {0};
    hsa_code_object_reader_t reader;
    const void *code = read_code("kernels", &size);
    must(rt.hsa_code_object_reader_create_from_memory(code, size, &reader));
    must(rt.hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
                                      NULL, &executable));
    must(rt.hsa_executable_load_agent_code_object(executable, agent, reader, NULL, NULL));
    must(rt.hsa_executable_freeze(executable, NULL));
    return executable;
}

uint64_t kernel_of(hsa_executable_t executable, hsa_agent_t agent, const char *name)
{
    char symbol_name[64];
    hsa_executable_symbol_t symbol;
    uint64_t object = 0;
    snprintf(symbol_name, sizeof symbol_name, "%s.kd", name);
    must(rt.hsa_executable_get_symbol_by_name(executable, symbol_name, &agent, &symbol));
    must(rt.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
                                           &object));
    return object;
}

/* ---- queues ------------------------------------------------------------------------ */

hsa_queue_t *new_queue(hsa_agent_t agent)
{
    hsa_queue_t *queue = NULL;
    must(rt.hsa_queue_create(agent, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX,
                             &queue));
    return queue;
}

void *next_packet(hsa_queue_t *queue, uint64_t *out_index)
{
    *out_index = rt.hsa_queue_add_write_index_screlease(queue, 1);
    while (*out_index - rt.hsa_queue_load_read_index_scacquire(queue) >= queue->size)
        usleep(100);
    char *packet = (char *)queue->base_address + *out_index % queue->size * 64;
    memset(packet + 4, 0, 60);
    return packet;
}

void ring(hsa_queue_t *queue, void *packet, uint16_t header, uint64_t index)
{
    __atomic_store_n((uint16_t *)packet, header, __ATOMIC_RELEASE);
    rt.hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
}

void dispatch(hsa_queue_t *queue, uint64_t kernel, void *arguments, hsa_signal_t completion)
{
    uint64_t index;
    hsa_kernel_dispatch_packet_t *packet = next_packet(queue, &index);
    packet->setup = 1;
    packet->workgroup_size_x = 64;
    packet->workgroup_size_y = packet->workgroup_size_z = 1;
    packet->grid_size_x = 64;
    packet->grid_size_y = packet->grid_size_z = 1;
    packet->kernel_object = kernel;
    packet->kernarg_address = arguments;
    packet->completion_signal = completion;
    ring(queue, packet,
         HSA_PACKET_TYPE_KERNEL_DISPATCH | 1 << HSA_PACKET_HEADER_BARRIER |
             HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
             HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
         index);
}
