/* Owns instruction sets by name, and their properties. */
#include "simhsa_runtime.h"

#include <stdio.h>
#include <string.h>

enum { ISAS_MAX = 128 }; /* models times features, with room */

static const char prefix[] = "amdgcn-amd-amdhsa--";

static struct {
    pthread_mutex_t lock;
    struct simhsa_isa isas[ISAS_MAX]; /* those that a program has used; never freed */
    unsigned count;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool simhsa_has_xnack(const struct amdgpu_model *model)
{
    return amdgpu_family_of(model->isa) == AMDGPU_GFX9;
}

/* Parses ":sramecc+" and similar; returns the rest of the text, NULL: the feature is unknown. */
static const char *read_feature(const char *text, struct simhsa_isa *isa)
{
    static const char sramecc[] = ":sramecc", xnack[] = ":xnack";
    enum simhsa_feature *feature = NULL;
    size_t size = 0;
    bool first = isa->xnack == SIMHSA_ANY; /* features come in the order of the alphabet */
    if (strncmp(text, sramecc, sizeof sramecc - 1) == 0 && isa->model->sramecc && first) {
        feature = &isa->sramecc;
        size = sizeof sramecc - 1;
    } else if (strncmp(text, xnack, sizeof xnack - 1) == 0 && simhsa_has_xnack(isa->model)) {
        feature = &isa->xnack;
        size = sizeof xnack - 1;
    }
    if (!feature || *feature != SIMHSA_ANY || (text[size] != '+' && text[size] != '-'))
        return NULL;
    *feature = text[size] == '+' ? SIMHSA_ON : SIMHSA_OFF;
    return text + size + 1;
}

static bool read_name(const char *name, struct simhsa_isa *out)
{
    char target[32];
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 || strlen(name) >= sizeof out->name)
        return false;
    const char *at = name + sizeof prefix - 1;
    size_t size = strcspn(at, ":");
    if (size == 0 || size >= sizeof target)
        return false;
    snprintf(target, sizeof target, "%.*s", (int)size, at);
    *out = (struct simhsa_isa){.model = amdgpu_model(target)};
    if (!out->model)
        return false;
    for (at += size; *at;)
        if (!(at = read_feature(at, out)))
            return false;
    snprintf(out->name, sizeof out->name, "%s", name);
    out->lanes = out->model->lanes;
    return true;
}

struct simhsa_isa *simhsa_isa_named(const char *name)
{
    struct simhsa_isa isa, *found = NULL;
    if (!read_name(name, &isa))
        return NULL;
    pthread_mutex_lock(&known.lock);
    for (unsigned i = 0; i < known.count && !found; i++)
        if (known.isas[i].model == isa.model && known.isas[i].sramecc == isa.sramecc &&
            known.isas[i].xnack == isa.xnack)
            found = &known.isas[i];
    if (!found && known.count < ISAS_MAX) {
        found = &known.isas[known.count++];
        *found = isa;
    }
    pthread_mutex_unlock(&known.lock);
    return found;
}

struct simhsa_isa *simhsa_isa_get(hsa_isa_t handle)
{
    uint64_t offset = handle.handle - (uintptr_t)known.isas;
    if (offset % sizeof *known.isas != 0 || offset / sizeof *known.isas >= ISAS_MAX)
        return NULL;
    struct simhsa_isa *isa = &known.isas[offset / sizeof *known.isas];
    return isa->model ? isa : NULL;
}

hsa_status_t hsa_isa_from_name(const char *name, hsa_isa_t *isa)
{
    SIMHSA_ENTER();
    if (!name || !isa)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    isa->handle = (uintptr_t)simhsa_isa_named(name);
    return isa->handle ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ISA_NAME;
}

hsa_status_t hsa_agent_iterate_isas(hsa_agent_t handle, hsa_status_t (*callback)(hsa_isa_t, void *),
                                    void *data)
{
    SIMHSA_ENTER();
    const struct simhsa_agent *agent = simhsa_agent_get(handle);
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!callback)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return agent->isa ? callback((hsa_isa_t){(uintptr_t)agent->isa}, data) : HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_isa_get_info_alt(hsa_isa_t handle, hsa_isa_info_t attribute, void *value)
{
    static const bool models[2] = {false, true}, profiles[2] = {true, false};
    static const bool rounding[3] = {false, false, true}, yes = true;
    static const uint16_t group[3] = {1024, 1024, 1024};
    static const hsa_dim3_t grid = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    static const uint64_t grid_size = UINT64_MAX;
    SIMHSA_ENTER();
    const struct simhsa_isa *isa = simhsa_isa_get(handle);
    if (!isa)
        return HSA_STATUS_ERROR_INVALID_ISA;
    if (!value)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    switch (attribute) {
    case HSA_ISA_INFO_NAME_LENGTH: /* with the zero byte, as AMD's runtime */
        return simhsa_put_word(value, (uint32_t)strlen(isa->name) + 1);
    case HSA_ISA_INFO_NAME:
        return simhsa_put(value, isa->name, strlen(isa->name) + 1);
    case HSA_ISA_INFO_CALL_CONVENTION_COUNT:
        return simhsa_put_word(value, 1);
    case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE:
        return simhsa_put_word(value, isa->lanes);
    case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT:
        return simhsa_put_word(value, 40); /* of every instruction set, as AMD's runtime */
    case HSA_ISA_INFO_MACHINE_MODELS:
        return simhsa_put(value, models, sizeof models);
    case HSA_ISA_INFO_PROFILES:
        return simhsa_put(value, profiles, sizeof profiles);
    case HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES:
    case HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
        return simhsa_put(value, rounding, sizeof rounding);
    case HSA_ISA_INFO_FAST_F16_OPERATION:
        return simhsa_put(value, &yes, sizeof yes);
    case HSA_ISA_INFO_WORKGROUP_MAX_DIM:
        return simhsa_put(value, group, sizeof group);
    case HSA_ISA_INFO_WORKGROUP_MAX_SIZE:
        return simhsa_put_word(value, 1024);
    case HSA_ISA_INFO_GRID_MAX_DIM:
        return simhsa_put(value, &grid, sizeof grid);
    case HSA_ISA_INFO_GRID_MAX_SIZE:
        return simhsa_put(value, &grid_size, sizeof grid_size);
    case HSA_ISA_INFO_FBARRIER_MAX_SIZE:
        return simhsa_put_word(value, 32);
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

hsa_status_t hsa_isa_get_info(hsa_isa_t isa, hsa_isa_info_t attribute, uint32_t index, void *value)
{
    SIMHSA_ENTER();
    return index == 0 ? hsa_isa_get_info_alt(isa, attribute, value)
                      : HSA_STATUS_ERROR_INVALID_INDEX;
}

hsa_status_t hsa_isa_get_exception_policies(hsa_isa_t isa, hsa_profile_t profile, uint16_t *mask)
{
    SIMHSA_ENTER();
    if (!simhsa_isa_get(isa))
        return HSA_STATUS_ERROR_INVALID_ISA;
    if (!mask || profile > HSA_PROFILE_FULL)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *mask = 0;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_isa_get_round_method(hsa_isa_t isa, hsa_fp_type_t fp_type,
                                      hsa_flush_mode_t flush_mode, hsa_round_method_t *round_method)
{
    SIMHSA_ENTER();
    if (!simhsa_isa_get(isa))
        return HSA_STATUS_ERROR_INVALID_ISA;
    bool is_type =
        fp_type == HSA_FP_TYPE_16 || fp_type == HSA_FP_TYPE_32 || fp_type == HSA_FP_TYPE_64;
    if (!round_method || !is_type ||
        (flush_mode != HSA_FLUSH_MODE_FTZ && flush_mode != HSA_FLUSH_MODE_NON_FTZ))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *round_method = HSA_ROUND_METHOD_SINGLE;
    return HSA_STATUS_SUCCESS;
}

/* Whether code for one runs on agents of the other: code that requires no features runs on all. */
hsa_status_t hsa_isa_compatible(hsa_isa_t code_object_isa, hsa_isa_t agent_isa, bool *result)
{
    SIMHSA_ENTER();
    const struct simhsa_isa *code = simhsa_isa_get(code_object_isa);
    const struct simhsa_isa *agent = simhsa_isa_get(agent_isa);
    if (!code || !agent)
        return HSA_STATUS_ERROR_INVALID_ISA;
    if (!result)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = code->model == agent->model &&
              (code->sramecc == SIMHSA_ANY || code->sramecc == agent->sramecc) &&
              (code->xnack == SIMHSA_ANY || code->xnack == agent->xnack);
    return HSA_STATUS_SUCCESS;
}

/* ---- wavefronts --------------------------------------------------------------------------- */

hsa_status_t hsa_isa_iterate_wavefronts(hsa_isa_t handle,
                                        hsa_status_t (*callback)(hsa_wavefront_t, void *),
                                        void *data)
{
    SIMHSA_ENTER();
    const struct simhsa_isa *isa = simhsa_isa_get(handle);
    if (!isa)
        return HSA_STATUS_ERROR_INVALID_ISA;
    if (!callback)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return callback((hsa_wavefront_t){(uintptr_t)&isa->lanes}, data);
}

hsa_status_t hsa_wavefront_get_info(hsa_wavefront_t wavefront, hsa_wavefront_info_t attribute,
                                    void *value)
{
    SIMHSA_ENTER();
    const struct simhsa_isa *isa =
        simhsa_isa_get((hsa_isa_t){wavefront.handle - offsetof(struct simhsa_isa, lanes)});
    if (!isa)
        return HSA_STATUS_ERROR_INVALID_WAVEFRONT;
    if (!value || attribute != HSA_WAVEFRONT_INFO_SIZE)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return simhsa_put_word(value, isa->lanes);
}
