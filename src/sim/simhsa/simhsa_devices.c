/* Owns the list of devices: the one that the user wrote, the visible ones among them, and the
 * agents, pools and caches that are created for these. */
#include "simhsa_runtime.h"

#include "amdgpu_device.h"
#include "env.h"
#include "simhsa.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static char configured[1024]; /* by anyhipSimConfigure */

/* ---- the list --------------------------------------------------------------------------- */

__attribute__((visibility("default"))) int anyhipSimConfigure(const char *devices)
{
    const struct amdgpu_model *models[SIM_DEVICES_MAX];
    if (simhsa.agent_count > 0)
        return HSA_STATUS_ERROR_INVALID_RUNTIME_STATE;
    if (!devices || !*devices || strlen(devices) >= sizeof configured)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    int count = amdgpu_list_read(devices, models);
    if (count == 0) /* all of them another vendor's */
        amdgpu_list_refuse(devices, devices);
    if (count <= 0)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    snprintf(configured, sizeof configured, "%s", devices);
    return HSA_STATUS_SUCCESS;
}

/* ---- what is visible ------------------------------------------------------------------------ */

/* The identity of a device is the same in every process: its model and its position. */
static void make_uuid(char uuid[24], int position, const struct amdgpu_model *model)
{
    snprintf(uuid, 24, "GPU-a5%06x%08x", model->chip_id & 0xffffff, position + 1);
}

/* The position that an element of the variable selects, -1: none. */
static int visible_position(const struct amdgpu_model *const *models, int count,
                            const char *element)
{
    char *end, uuid[24];
    for (int i = 0; i < count; i++) {
        make_uuid(uuid, i, models[i]);
        if (strncasecmp(element, "GPU-", 4) == 0 && strcasecmp(uuid, element) == 0)
            return i;
    }
    long position = strtol(element, &end, 10);
    while (isspace((unsigned char)*end))
        end++;
    return end == element || *end || position < 0 || position >= count ? -1 : (int)position;
}

/* Positions of devices in the order in which the program sees them. The variable ends at the first
 * element that selects no device, or one for the second time. */
static int find_visible(const struct amdgpu_model *const *models, int count, int *out_positions)
{
    char *list = ah_env_string("ROCR_VISIBLE_DEVICES"), *rest, *element;
    bool seen[SIM_DEVICES_MAX] = {false};
    int left = 0, position;
    if (!list)
        list = ah_env_string("HSA_VISIBLE_DEVICES");
    for (int i = 0; i < count; i++)
        out_positions[i] = i;
    if (!list)
        return count;
    rest = list;
    while ((element = strsep(&rest, ",")) &&
           (position = visible_position(models, count, element)) >= 0 && !seen[position]) {
        seen[position] = true;
        out_positions[left++] = position;
    }
    free(list);
    return left;
}

/* ---- agents ---------------------------------------------------------------------------------- */

static void add_pool(struct simhsa_agent *agent, hsa_amd_segment_t segment, uint32_t flags,
                     size_t size)
{
    agent->pools[agent->pool_count++] = (struct simhsa_pool){agent, segment, flags, size};
}

static void add_cache(struct simhsa_agent *agent, unsigned level, unsigned kib)
{
    if (kib == 0)
        return;
    struct simhsa_cache *cache = &agent->caches[agent->cache_count++];
    *cache = (struct simhsa_cache){.level = (uint8_t)level, .size = kib << 10};
    snprintf(cache->name, sizeof cache->name, "%s L%u", agent->name, level);
}

static void make_cpu(struct simhsa_agent *agent)
{
    enum {
        FINE = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED,
        KERNARG = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT,
        COARSE = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED,
    };
    *agent = (struct simhsa_agent){.device = -1};
    amdgpu_host_name(agent->name, sizeof agent->name);
    memcpy(agent->product, agent->name, sizeof agent->product);
    snprintf(agent->uuid, sizeof agent->uuid, "CPU-XX");
    agent->memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    add_pool(agent, HSA_AMD_SEGMENT_GLOBAL, FINE, agent->memory);
    add_pool(agent, HSA_AMD_SEGMENT_GLOBAL, KERNARG | FINE, agent->memory);
    add_pool(agent, HSA_AMD_SEGMENT_GLOBAL, COARSE, agent->memory);
    add_cache(agent, 2, amdgpu_host_cache_kib());
}

static void make_isa(struct simhsa_agent *agent, const struct amdgpu_model *model)
{
    char name[64];
    const char *xnack = model->xnack ? ":xnack+" : ":xnack-";
    snprintf(name, sizeof name, "amdgcn-amd-amdhsa--%s%s%s", model->name,
             model->sramecc ? ":sramecc+" : "", simhsa_has_xnack(model) ? xnack : "");
    agent->isa = simhsa_isa_named(name);
}

static void make_gpu(struct simhsa_agent *agent, uint32_t node, int position,
                     const struct amdgpu_model *model)
{
    const struct sim_options *options = sim_options();
    *agent = (struct simhsa_agent){.node = node, .device = position, .memory = options->memory};
    atomic_store(&agent->coherency, HSA_AMD_COHERENCY_TYPE_NONCOHERENT);
    agent->gpu =
        (struct amdgpu_device){.device = position, .model = *model, .clock_hz = AMDGPU_CLOCK_HZ};
    if (options->compute_units > 0)
        agent->gpu.model.units = options->compute_units;
    snprintf(agent->name, sizeof agent->name, "%s", model->name);
    snprintf(agent->product, sizeof agent->product, "AnyHIP simulated %s", model->name);
    make_uuid(agent->uuid, position, model);
    make_isa(agent, model);
    add_pool(agent, HSA_AMD_SEGMENT_GLOBAL, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED,
             agent->memory);
    if (amdgpu_has_xgmi(model)) /* through which it is fine-grained for others too */
        add_pool(agent, HSA_AMD_SEGMENT_GLOBAL, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED,
                 agent->memory);
    add_pool(agent, HSA_AMD_SEGMENT_GROUP, 0, amdgpu_lds_limit());
    add_cache(agent, 1, model->l1_kib);
    add_cache(agent, 2, model->l2_kib);
    add_cache(agent, 3, model->l3_kib);
}

hsa_status_t simhsa_agents_open(void)
{
    const struct amdgpu_model *models[SIM_DEVICES_MAX];
    size_t memory[SIM_DEVICES_MAX];
    int positions[SIM_DEVICES_MAX];
    const struct sim_options *options = sim_options();
    const char *list = *configured ? configured : options->devices;
    int count = amdgpu_list_read(list, models);
    if (count <= 0) {
        AH_LOG_ERR("there are no simulated AMD devices in \"%s\"", list);
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    for (int i = 0; i < count; i++)
        memory[i] = options->memory;
    sim_memory_track_writes((options->checks & SIM_CHECK_UNINITIALISED) != 0);
    sim_memory_widen_guards((options->checks & SIM_CHECK_GUARDS) != 0);
    if (!sim_space_open(memory, count))
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    sim_run_configure(&options->run);
    make_cpu(&simhsa.agents[0]);
    int visible = find_visible(models, count, positions);
    for (int i = 0; i < visible; i++)
        make_gpu(&simhsa.agents[1 + i], 1 + (uint32_t)i, positions[i], models[positions[i]]);
    simhsa.agent_count = 1 + (unsigned)visible;
    return HSA_STATUS_SUCCESS;
}
