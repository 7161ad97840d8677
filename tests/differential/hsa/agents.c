/* What agents, their caches, instruction sets, pools and regions say of themselves. */
#include "calls.h"

/* ---- agents ------------------------------------------------------------------------ */

static hsa_status_t agent_info(uint64_t object, int attribute, void *value)
{
    return rt.hsa_agent_get_info((hsa_agent_t){object}, (hsa_agent_info_t)attribute, value);
}

static const struct attribute of_agents[] = {
    ATTRIBUTE(TEXT, HSA_AGENT_INFO_NAME),
    ATTRIBUTE(TEXT, HSA_AGENT_INFO_VENDOR_NAME),
    ATTRIBUTE(NUMBER, HSA_AGENT_INFO_FEATURE),
    ATTRIBUTE(NUMBER, HSA_AGENT_INFO_MACHINE_MODEL),
    ATTRIBUTE(NUMBER, HSA_AGENT_INFO_PROFILE),
    ATTRIBUTE(NUMBER, HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE),
    ATTRIBUTE(NUMBER, HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES),
    ATTRIBUTE(NUMBER, HSA_AGENT_INFO_FAST_F16_OPERATION),
    ATTRIBUTE(NUMBER, HSA_AGENT_INFO_WAVEFRONT_SIZE),
    ATTRIBUTE(HALVES, HSA_AGENT_INFO_WORKGROUP_MAX_DIM),
    ATTRIBUTE(NUMBER, HSA_AGENT_INFO_WORKGROUP_MAX_SIZE),
    ATTRIBUTE(NUMBERS, HSA_AGENT_INFO_GRID_MAX_DIM),
    ATTRIBUTE(NUMBER, HSA_AGENT_INFO_GRID_MAX_SIZE),
    ATTRIBUTE(NUMBER, HSA_AGENT_INFO_FBARRIER_MAX_SIZE),
    ATTRIBUTE(NUMBER, HSA_AGENT_INFO_QUEUES_MAX),
    ATTRIBUTE(NUMBER, HSA_AGENT_INFO_QUEUE_MIN_SIZE),
    ATTRIBUTE(NUMBER, HSA_AGENT_INFO_QUEUE_MAX_SIZE),
    ATTRIBUTE(NUMBER, HSA_AGENT_INFO_QUEUE_TYPE),
    ATTRIBUTE(NUMBER, HSA_AGENT_INFO_NODE),
    ATTRIBUTE(NUMBER, HSA_AGENT_INFO_DEVICE),
    ATTRIBUTE(NUMBERS, HSA_AGENT_INFO_CACHE_SIZE),
    ATTRIBUTE(ZERO_OR_NOT, HSA_AGENT_INFO_ISA),
    ATTRIBUTE(BITS, HSA_AGENT_INFO_EXTENSIONS),
    ATTRIBUTE(NUMBER, HSA_AGENT_INFO_VERSION_MAJOR),
    ATTRIBUTE(NUMBER, HSA_AGENT_INFO_VERSION_MINOR),
    ATTRIBUTE(NUMBERS, HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS),
    ATTRIBUTE(NUMBERS, HSA_EXT_AGENT_INFO_IMAGE_1DA_MAX_ELEMENTS),
    ATTRIBUTE(NUMBERS, HSA_EXT_AGENT_INFO_IMAGE_1DB_MAX_ELEMENTS),
    ATTRIBUTE(NUMBERS, HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS),
    ATTRIBUTE(NUMBERS, HSA_EXT_AGENT_INFO_IMAGE_2DA_MAX_ELEMENTS),
    ATTRIBUTE(NUMBERS, HSA_EXT_AGENT_INFO_IMAGE_2DDEPTH_MAX_ELEMENTS),
    ATTRIBUTE(NUMBERS, HSA_EXT_AGENT_INFO_IMAGE_2DADEPTH_MAX_ELEMENTS),
    ATTRIBUTE(NUMBERS, HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS),
    ATTRIBUTE(NUMBER, HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS),
    ATTRIBUTE(NUMBER, HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES),
    ATTRIBUTE(NUMBER, HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES),
    ATTRIBUTE(NUMBER, HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS),
    ATTRIBUTE(NUMBER, HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_CHIP_ID),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_CACHELINE_SIZE),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_DRIVER_NODE_ID),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_BDFID),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_MEMORY_WIDTH),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY),
    ATTRIBUTE(TEXT, HSA_AMD_AGENT_INFO_PRODUCT_NAME),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE),
    ATTRIBUTE(BITS, HSA_AMD_AGENT_INFO_HDP_FLUSH),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_DOMAIN),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES),
    ATTRIBUTE(TEXT, HSA_AMD_AGENT_INFO_UUID),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_ASIC_REVISION),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT),
    ATTRIBUTE(ZERO_OR_NOT, HSA_AMD_AGENT_INFO_MEMORY_AVAIL),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_UCODE_VERSION),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_NUM_SDMA_ENG),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_IOMMU_SUPPORT),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_NUM_XCC),
    ATTRIBUTE(NUMBER, HSA_AMD_AGENT_INFO_DRIVER_UID),
    ATTRIBUTE(AGENT, HSA_AMD_AGENT_INFO_NEAREST_CPU),
    ATTRIBUTE(BITS, HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES),
    {25, NUMBER, "unknown25"},
    {0xa0ff, NUMBER, "unknown0xa0ff"},
};

static void agents(void)
{
    for (unsigned i = 0; i < here.agent_count; i++) {
        uint16_t mask = 7;
        hsa_amd_coherency_type_t type = 7;
        hsa_agent_t agent = here.agents[i].handle;
        within("agents.%s", here.agents[i].name);
        SAY_ATTRIBUTES(agent_info, agent.handle, of_agents);
        int status = (int)rt.hsa_agent_get_exception_policies(agent, HSA_PROFILE_BASE, &mask);
        say("exceptions.base", "%s %u", status_name(status), mask);
        say_status("exceptions.full",
                   rt.hsa_agent_get_exception_policies(agent, HSA_PROFILE_FULL, &mask));
        say_status("exceptions.unknown", rt.hsa_agent_get_exception_policies(agent, 2, &mask));
        status = (int)rt.hsa_amd_coherency_get_type(agent, &type);
        say("coherency", "%s %d", status_name(status), (int)type);
        say_status("coherency.set",
                   rt.hsa_amd_coherency_set_type(agent, HSA_AMD_COHERENCY_TYPE_NONCOHERENT));
        status = (int)rt.hsa_amd_coherency_get_type(agent, &type);
        say("coherency.changed", "%s %d", status_name(status), (int)type);
        say_status("coherency.unknown", rt.hsa_amd_coherency_set_type(agent, 2));
    }
}

/* ---- caches ------------------------------------------------------------------------ */

static hsa_status_t cache_info(uint64_t object, int attribute, void *value)
{
    return rt.hsa_cache_get_info((hsa_cache_t){object}, (hsa_cache_info_t)attribute, value);
}

static hsa_status_t say_cache(hsa_cache_t cache, void *data)
{
    static const struct attribute table[] = {
        ATTRIBUTE(NUMBER, HSA_CACHE_INFO_NAME_LENGTH),
        ATTRIBUTE(ZERO_OR_NOT, HSA_CACHE_INFO_NAME),
        ATTRIBUTE(NUMBER, HSA_CACHE_INFO_LEVEL),
        ATTRIBUTE(NUMBER, HSA_CACHE_INFO_SIZE),
        {4, NUMBER, "unknown4"},
    };
    unsigned *number = data;
    char key[16];
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char name[64];
        snprintf(name, sizeof name, "cache%u.%s", *number, table[i].name);
        const struct attribute one = {table[i].id, table[i].type, name};
        say_attributes(cache_info, cache.handle, &one, 1);
    }
    snprintf(key, sizeof key, "cache%u.null", *number);
    say_status(key, rt.hsa_cache_get_info(cache, HSA_CACHE_INFO_LEVEL, NULL));
    ++*number;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t stop_at_cache(hsa_cache_t cache, void *data)
{
    (void)cache, (void)data;
    return HSA_STATUS_INFO_BREAK;
}

static void caches(void)
{
    uint32_t size;
    for (unsigned i = 0; i < here.agent_count; i++) {
        unsigned number = 0;
        within("caches.%s", here.agents[i].name);
        say_status("all", rt.hsa_agent_iterate_caches(here.agents[i].handle, say_cache, &number));
        say_status("stop", rt.hsa_agent_iterate_caches(here.agents[i].handle, stop_at_cache, NULL));
        say_status("null", rt.hsa_agent_iterate_caches(here.agents[i].handle, NULL, NULL));
    }
    within("caches");
    say_status("none", rt.hsa_cache_get_info((hsa_cache_t){0}, HSA_CACHE_INFO_SIZE, &size));
    say_status("zeros", rt.hsa_cache_get_info((hsa_cache_t){ZEROS}, HSA_CACHE_INFO_SIZE, &size));
    say_status("no_agent", rt.hsa_agent_iterate_caches((hsa_agent_t){0}, stop_at_cache, NULL));
}

/* ---- instruction sets -------------------------------------------------------------- */

static hsa_status_t isa_info(uint64_t object, int attribute, void *value)
{
    return rt.hsa_isa_get_info_alt((hsa_isa_t){object}, (hsa_isa_info_t)attribute, value);
}

static hsa_status_t wavefront_info(uint64_t object, int attribute, void *value)
{
    return rt.hsa_wavefront_get_info((hsa_wavefront_t){object}, (hsa_wavefront_info_t)attribute,
                                     value);
}

static hsa_status_t say_wavefront(hsa_wavefront_t wavefront, void *data)
{
    static const struct attribute table[] = {
        {HSA_WAVEFRONT_INFO_SIZE, NUMBER, "wavefront.size"},
        {1, NUMBER, "wavefront.unknown1"},
    };
    (void)data;
    SAY_ATTRIBUTES(wavefront_info, wavefront.handle, table);
    say_status("wavefront.null",
               rt.hsa_wavefront_get_info(wavefront, HSA_WAVEFRONT_INFO_SIZE, NULL));
    return HSA_STATUS_SUCCESS;
}

static void say_rounding(hsa_isa_t isa)
{
    static const struct {
        const char *key;
        int fp, flush;
    } asked[] = {{"round.16.ftz", 1, 1}, {"round.32.ftz", 2, 1}, {"round.64.keep", 4, 2},
                 {"round.0.ftz", 0, 1},  {"round.3.ftz", 3, 1},  {"round.32.0", 2, 0},
                 {"round.8.ftz", 8, 1},  {"round.32.4", 2, 4}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        hsa_round_method_t method = 0;
        int status = (int)rt.hsa_isa_get_round_method(isa, asked[i].fp, asked[i].flush, &method);
        say(asked[i].key, "%s %d", status_name(status), (int)method);
    }
    say_status("round.null", rt.hsa_isa_get_round_method(isa, HSA_FP_TYPE_32, 1, NULL));
}

static hsa_status_t say_isa(hsa_isa_t isa, void *data)
{
    static const struct attribute table[] = {
        ATTRIBUTE(NUMBER, HSA_ISA_INFO_NAME_LENGTH),
        ATTRIBUTE(TEXT, HSA_ISA_INFO_NAME),
        ATTRIBUTE(NUMBER, HSA_ISA_INFO_CALL_CONVENTION_COUNT),
        ATTRIBUTE(NUMBER, HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE),
        ATTRIBUTE(NUMBER, HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT),
        ATTRIBUTE(BITS, HSA_ISA_INFO_MACHINE_MODELS),
        ATTRIBUTE(BITS, HSA_ISA_INFO_PROFILES),
        ATTRIBUTE(BITS, HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES),
        ATTRIBUTE(BITS, HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES),
        ATTRIBUTE(NUMBER, HSA_ISA_INFO_FAST_F16_OPERATION),
        ATTRIBUTE(HALVES, HSA_ISA_INFO_WORKGROUP_MAX_DIM),
        ATTRIBUTE(NUMBER, HSA_ISA_INFO_WORKGROUP_MAX_SIZE),
        ATTRIBUTE(NUMBERS, HSA_ISA_INFO_GRID_MAX_DIM),
        ATTRIBUTE(NUMBER, HSA_ISA_INFO_GRID_MAX_SIZE),
        ATTRIBUTE(NUMBER, HSA_ISA_INFO_FBARRIER_MAX_SIZE),
        {18, NUMBER, "unknown18"},
    };
    uint16_t mask = 7;
    uint32_t word;
    unsigned *count = data;
    SAY_ATTRIBUTES(isa_info, isa.handle, table);
    say_status("null", rt.hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, NULL));
    say_status("index0", rt.hsa_isa_get_info(isa, HSA_ISA_INFO_NAME_LENGTH, 0, &word));
    say_status("index1", rt.hsa_isa_get_info(isa, HSA_ISA_INFO_NAME_LENGTH, 1, &word));
    int status = (int)rt.hsa_isa_get_exception_policies(isa, HSA_PROFILE_BASE, &mask);
    say("exceptions", "%s %u", status_name(status), mask);
    say_status("exceptions.unknown", rt.hsa_isa_get_exception_policies(isa, 2, &mask));
    say_status("exceptions.null", rt.hsa_isa_get_exception_policies(isa, HSA_PROFILE_BASE, NULL));
    say_rounding(isa);
    say_status("wavefronts", rt.hsa_isa_iterate_wavefronts(isa, say_wavefront, NULL));
    say_status("wavefronts.null", rt.hsa_isa_iterate_wavefronts(isa, NULL, NULL));
    ++*count;
    return HSA_STATUS_SUCCESS;
}

static void isas(void)
{
    for (unsigned i = 0; i < here.agent_count; i++) {
        unsigned count = 0;
        within("isas.%s", here.agents[i].name);
        say_status("all", rt.hsa_agent_iterate_isas(here.agents[i].handle, say_isa, &count));
        say("count", "%u", count);
        say_status("all.null", rt.hsa_agent_iterate_isas(here.agents[i].handle, NULL, NULL));
    }
}

static const char *const isa_names[] = {"amdgcn-amd-amdhsa--gfx90a",
                                        "amdgcn-amd-amdhsa--gfx90a:xnack-",
                                        "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
                                        "amdgcn-amd-amdhsa--gfx90a:sramecc-:xnack+",
                                        "amdgcn-amd-amdhsa--gfx90a:xnack-:sramecc+",
                                        "amdgcn-amd-amdhsa--gfx906",
                                        "amdgcn-amd-amdhsa--gfx906:sramecc-:xnack-",
                                        "amdgcn-amd-amdhsa--gfx906:xnack+",
                                        "amdgcn-amd-amdhsa--gfx900",
                                        "amdgcn-amd-amdhsa--gfx900:xnack-",
                                        "amdgcn-amd-amdhsa--gfx900:sramecc+",
                                        "amdgcn-amd-amdhsa--gfx1030",
                                        "amdgcn-amd-amdhsa--gfx1030:xnack-",
                                        "amdgcn-amd-amdhsa--gfx9999",
                                        "amdgcn-amd-amdhsa--",
                                        "amdgcn-amd-amdhsa--gfx90a:",
                                        "amdgcn-amd-amdhsa--gfx90a:xnack",
                                        "gfx90a",
                                        "",
                                        "AMD:AMDGPU:9:0:6"};
enum { ISA_NAMES = sizeof isa_names / sizeof *isa_names };

static void isas_by_name(void)
{
    hsa_isa_t found[ISA_NAMES] = {{0}}, isa;
    for (size_t i = 0; i < ISA_NAMES; i++)
        say_status(*isa_names[i] ? isa_names[i] : "empty",
                   rt.hsa_isa_from_name(isa_names[i], &found[i]));
    say_status("null", rt.hsa_isa_from_name(NULL, &isa));
    say_status("null_isa", rt.hsa_isa_from_name(isa_names[0], NULL));
    say_status("info.none", rt.hsa_isa_get_info_alt((hsa_isa_t){0}, HSA_ISA_INFO_NAME, zeros));
    say_status("wavefront.none",
               rt.hsa_wavefront_get_info((hsa_wavefront_t){0}, HSA_WAVEFRONT_INFO_SIZE, zeros));
}

/* What runs on agents, which have every feature either on or off. */
static void compatible_isas(void)
{
    static const char *const agents[] = {"gfx90a:sramecc+:xnack-", "gfx906:sramecc-:xnack-",
                                         "gfx900:xnack-", "gfx1030"};
    hsa_isa_t found[ISA_NAMES] = {{0}};
    bool yes = false;
    for (size_t i = 0; i < ISA_NAMES; i++)
        for (size_t k = 0; k < 4 && rt.hsa_isa_from_name(isa_names[i], &found[i]) == 0; k++) {
            char key[128], name[64];
            hsa_isa_t agent;
            snprintf(name, sizeof name, "amdgcn-amd-amdhsa--%s", agents[k]);
            must(rt.hsa_isa_from_name(name, &agent));
            snprintf(key, sizeof key, "%s.on.%s", isa_names[i] + 19, agents[k]);
            must(rt.hsa_isa_compatible(found[i], agent, &yes));
            say(key, "%d", yes);
        }
    say_status("none", rt.hsa_isa_compatible((hsa_isa_t){0}, found[0], &yes));
    say_status("with_none", rt.hsa_isa_compatible(found[0], (hsa_isa_t){0}, &yes));
    say_status("null", rt.hsa_isa_compatible(found[0], found[0], NULL));
}

const struct part parts_of_agents[] = {
    {"agents", agents, 0},
    {"caches", caches, 0},
    {"isas", isas, 0},
    {"isas_by_name", isas_by_name, ONE_MODEL},
    {"compatible_isas", compatible_isas, ONE_MODEL},
    {NULL, NULL, 0},
};
