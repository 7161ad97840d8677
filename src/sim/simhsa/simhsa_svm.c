/* Owns the attributes of shared virtual memory that a program sets for ranges of its own memory,
 * and the access of devices to them. */
#include "simhsa_copy.h"

#include <stdlib.h>

enum { PAGE = 4096, GRANULARITY = 9, GRANULARITY_MAX = 18 };

enum access { UNSAID, ACCESSIBLE, IN_PLACE, NO_ACCESS };

struct attributes {
    unsigned char access[SIMHSA_AGENTS_MAX]; /* enum access */
    uint64_t preferred, prefetched;          /* handles of agents, 0: none */
    uint32_t global, read_only, hive_local, read_mostly, execute, granularity;
};

/* Pages with the same attributes; in order, without overlap. Under the lock of memory. */
struct span {
    struct span *next;
    uint64_t start, end;
    bool registered; /* devices can access it */
    struct attributes attributes;
};
static struct span *spans;

static const struct attributes usual = {.global = HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED,
                                        .granularity = GRANULARITY};

/* ---- spans ----------------------------------------------------------------------------------- */

static bool is_reached(const struct attributes *attributes)
{
    for (uint32_t i = 1; i < simhsa.agent_count; i++)
        if (attributes->access[i] == ACCESSIBLE || attributes->access[i] == IN_PLACE)
            return true;
    return false;
}

/* Splits a span so that one starts at address. */
static bool split(uint64_t address)
{
    struct span *span = spans;
    while (span && (address <= span->start || address >= span->end))
        span = span->next;
    if (!span)
        return true;
    struct span *rest = malloc(sizeof *rest);
    if (!rest)
        return false;
    *rest = *span;
    rest->start = address;
    if (span->registered) { /* it stays accessible meanwhile, for kernels that use it: both spans
                               share one piece of memory, which counts them */
        simhsa_host_add(rest->start, rest->end - rest->start, NULL);
        simhsa_host_remove(span->start, span->end - span->start, NULL);
        span->registered = simhsa_host_add(span->start, address - span->start, NULL);
    }
    span->next = rest;
    span->end = address;
    return true;
}

/* Splits spans at start and end; returns the link to the first one in between, NULL: out of
 * memory. */
static struct span **cover(uint64_t start, uint64_t end)
{
    struct span **first = &spans;
    if (!split(start) || !split(end))
        return NULL;
    while (*first && (*first)->end <= start)
        first = &(*first)->next;
    for (struct span **link = first; start < end; link = &(*link)->next) {
        if (!*link || (*link)->start > start) {
            struct span *gap = malloc(sizeof *gap);
            if (!gap)
                return NULL;
            uint64_t stop = *link && (*link)->start < end ? (*link)->start : end;
            *gap = (struct span){*link, start, stop, false, usual};
            *link = gap;
        }
        start = (*link)->end;
    }
    return first;
}

static void update_access(struct span *span)
{
    bool wanted = is_reached(&span->attributes);
    size_t size = span->end - span->start;
    if (span->registered && !wanted) {
        simhsa_host_remove(span->start, size, NULL);
        span->registered = false;
    } else if (wanted && !span->registered) {
        span->registered = simhsa_host_add(span->start, size, NULL);
    }
}

void simhsa_attributes_close(void)
{
    while (spans) {
        struct span *span = spans;
        spans = span->next;
        if (span->registered)
            simhsa_host_remove(span->start, span->end - span->start, NULL);
        free(span);
    }
}

/* ---- setting ----------------------------------------------------------------------- */

static bool is_agent_or_none(uint64_t handle)
{
    return handle == 0 || simhsa_agent_get((hsa_agent_t){handle});
}

static hsa_status_t set_access(struct attributes *attributes, uint64_t handle, enum access access)
{
    const struct simhsa_agent *agent = simhsa_agent_get((hsa_agent_t){handle});
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    attributes->access[agent->node] = (unsigned char)access;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t set_one(struct attributes *attributes, const hsa_amd_svm_attribute_pair_t *pair)
{
    uint64_t value = pair->value;
    switch (pair->attribute) {
    case HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG:
        attributes->global = (uint32_t)value;
        return value <= HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED ? HSA_STATUS_SUCCESS
                                                               : HSA_STATUS_ERROR_INVALID_ARGUMENT;
    case HSA_AMD_SVM_ATTRIB_READ_ONLY:
        attributes->read_only = value != 0;
        return HSA_STATUS_SUCCESS;
    case HSA_AMD_SVM_ATTRIB_HIVE_LOCAL:
        attributes->hive_local = value != 0;
        return HSA_STATUS_SUCCESS;
    case HSA_AMD_SVM_ATTRIB_READ_MOSTLY:
        attributes->read_mostly = value != 0;
        return HSA_STATUS_SUCCESS;
    case HSA_AMD_SVM_ATTRIB_GPU_EXEC:
        attributes->execute = value != 0;
        return HSA_STATUS_SUCCESS;
    case HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY:
        attributes->granularity = value > GRANULARITY_MAX ? GRANULARITY_MAX : (uint32_t)value;
        return HSA_STATUS_SUCCESS;
    case HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION:
        attributes->preferred = value;
        return is_agent_or_none(value) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_AGENT;
    case HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE:
        return set_access(attributes, value, ACCESSIBLE);
    case HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE:
        return set_access(attributes, value, IN_PLACE);
    case HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS:
        return set_access(attributes, value, NO_ACCESS);
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

static hsa_status_t set_all(struct attributes *attributes, const hsa_amd_svm_attribute_pair_t *list,
                            size_t count)
{
    hsa_status_t result = HSA_STATUS_SUCCESS;
    for (size_t i = 0; i < count && result == HSA_STATUS_SUCCESS; i++)
        result = set_one(attributes, &list[i]);
    return result;
}

/* The whole pages around a range of the program's own memory. */
static bool pages_of(const void *pointer, size_t size, uint64_t *out_start, uint64_t *out_end)
{
    uint64_t start = (uintptr_t)pointer, end = start + size;
    if (!pointer || size == 0 || end < start || end > UINT64_MAX - PAGE)
        return false;
    *out_start = start & -(uint64_t)PAGE;
    *out_end = (end + PAGE - 1) & -(uint64_t)PAGE;
    return *out_end <= sim_space.base || *out_start >= sim_space.base + sim_space.size;
}

hsa_status_t hsa_amd_svm_attributes_set(void *ptr, size_t size,
                                        hsa_amd_svm_attribute_pair_t *attribute_list,
                                        size_t attribute_count)
{
    uint64_t start, end;
    struct attributes tried = usual;
    SIMHSA_ENTER();
    if (!pages_of(ptr, size, &start, &end) || (attribute_count > 0 && !attribute_list))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t result = set_all(&tried, attribute_list, attribute_count);
    if (result != HSA_STATUS_SUCCESS)
        return result;
    simhsa_memory_lock();
    struct span **link = cover(start, end);
    for (struct span *span = link ? *link : NULL; span && span->start < end; span = span->next) {
        set_all(&span->attributes, attribute_list, attribute_count);
        update_access(span);
        if (is_reached(&span->attributes) && !span->registered)
            result = HSA_STATUS_ERROR;
    }
    simhsa_memory_unlock();
    return link ? result : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

/* ---- getting ----------------------------------------------------------------------- */

static hsa_status_t get_access(const struct attributes *attributes,
                               hsa_amd_svm_attribute_pair_t *pair)
{
    const struct simhsa_agent *agent = simhsa_agent_get((hsa_agent_t){pair->value});
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    switch (attributes->access[agent->node]) {
    case ACCESSIBLE:
        pair->attribute = HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE;
        break;
    case IN_PLACE:
        pair->attribute = HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE;
        break;
    case UNSAID: /* the host can access it in any case */
        pair->attribute = agent->device < 0 ? HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE
                                            : HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
        break;
    default:
        pair->attribute = HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
    }
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t get_one(const struct attributes *attributes, hsa_amd_svm_attribute_pair_t *pair)
{
    switch (pair->attribute) {
    case HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG:
        pair->value = attributes->global;
        return HSA_STATUS_SUCCESS;
    case HSA_AMD_SVM_ATTRIB_READ_ONLY:
        pair->value = attributes->read_only;
        return HSA_STATUS_SUCCESS;
    case HSA_AMD_SVM_ATTRIB_HIVE_LOCAL:
        pair->value = attributes->hive_local;
        return HSA_STATUS_SUCCESS;
    case HSA_AMD_SVM_ATTRIB_READ_MOSTLY:
        pair->value = attributes->read_mostly;
        return HSA_STATUS_SUCCESS;
    case HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY:
        pair->value = attributes->granularity;
        return HSA_STATUS_SUCCESS;
    case HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION:
        pair->value = attributes->preferred;
        return HSA_STATUS_SUCCESS;
    case HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION:
        pair->value = attributes->prefetched;
        return HSA_STATUS_SUCCESS;
    case HSA_AMD_SVM_ATTRIB_ACCESS_QUERY:
        return get_access(attributes, pair);
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

/* Attributes that are the same in both are kept; others become unset. */
static void merge(struct attributes *into, const struct attributes *other)
{
    if (into->global != other->global)
        into->global = HSA_AMD_SVM_GLOBAL_FLAG_INDETERMINATE;
    into->read_only &= other->read_only;
    into->hive_local &= other->hive_local;
    into->read_mostly &= other->read_mostly;
    if (into->granularity > other->granularity)
        into->granularity = other->granularity;
    if (into->preferred != other->preferred)
        into->preferred = 0;
    if (into->prefetched != other->prefetched)
        into->prefetched = 0;
    for (uint32_t i = 0; i < simhsa.agent_count; i++)
        if (into->access[i] != other->access[i])
            into->access[i] = NO_ACCESS;
}

/* The common attributes of all of the pages. Under the lock. */
static struct attributes attributes_of(uint64_t start, uint64_t end)
{
    struct attributes all = usual;
    bool any = false;
    for (const struct span *span = spans; span && start < end; span = span->next) {
        if (span->end <= start)
            continue;
        const struct attributes *next = span->start <= start ? &span->attributes : &usual;
        if (any)
            merge(&all, next);
        else
            all = *next;
        any = true;
        if (span->start > start && span->start < end)
            merge(&all, &span->attributes);
        start = span->end;
    }
    if (any && start < end)
        merge(&all, &usual);
    return all;
}

hsa_status_t hsa_amd_svm_attributes_get(void *ptr, size_t size,
                                        hsa_amd_svm_attribute_pair_t *attribute_list,
                                        size_t attribute_count)
{
    uint64_t start, end;
    SIMHSA_ENTER();
    if (!pages_of(ptr, size, &start, &end) || (attribute_count > 0 && !attribute_list))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_memory_lock();
    struct attributes all = attributes_of(start, end);
    simhsa_memory_unlock();
    hsa_status_t result = HSA_STATUS_SUCCESS;
    for (size_t i = 0; i < attribute_count && result == HSA_STATUS_SUCCESS; i++)
        result = get_one(&all, &attribute_list[i]);
    return result;
}

/* ---- prefetching ------------------------------------------------------------------- */

/* Memory does not move: the requested location is only stored. */
hsa_status_t hsa_amd_svm_prefetch_async(void *ptr, size_t size, hsa_agent_t agent,
                                        uint32_t num_dep_signals, const hsa_signal_t *dep_signals,
                                        hsa_signal_t completion_signal)
{
    uint64_t start, end;
    SIMHSA_ENTER();
    if (!pages_of(ptr, size, &start, &end) || (num_dep_signals > 0) != (dep_signals != NULL))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!simhsa_agent_get(agent))
        return HSA_STATUS_ERROR_INVALID_AGENT;
    const struct simhsa_after after = {dep_signals, num_dep_signals, completion_signal};
    hsa_status_t result = simhsa_copy_submit(simhsa_cpu(), SIMHSA_TO_HOST, NULL, &after);
    if (result != HSA_STATUS_SUCCESS)
        return result;
    simhsa_memory_lock();
    struct span **link = cover(start, end);
    for (struct span *span = link ? *link : NULL; span && span->start < end; span = span->next)
        span->attributes.prefetched = agent.handle;
    simhsa_memory_unlock();
    return HSA_STATUS_SUCCESS;
}
