/* Owns shared virtual memory of the program: the attributes of ranges of pages, and the access of
 * devices to them.
 *
 * As in the Linux driver (kfd_svm.c): pages whose attributes were never set have none; a query of a
 * range is answered from those of its pages that have some. Pages do not migrate: a location is
 * stored and has no effect. If one device may access pages, all devices can. */
#include "simkmt.h"

#include <stdlib.h>
#include <string.h>

enum { GRANULARITY = 9, GRANULARITY_MAX = 0x3f };

struct attributes {
    uint64_t access, in_place; /* a bit of each GPU, from node 1 on */
    uint32_t preferred, prefetched, flags, granularity;
};

/* Pages with the same attributes. */
struct span {
    struct span *next;
    uint64_t start, end;
    bool accessible;
    struct attributes attributes;
};

static struct {
    pthread_mutex_t lock; /* held while the lock of memory is taken */
    struct span *first;   /* in order; they do not overlap */
} spans = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const struct attributes usual = {.preferred = HSA_INVALID_NODE,
                                        .prefetched = HSA_INVALID_NODE,
                                        .flags = HSA_SVM_FLAG_HOST_ACCESS | HSA_SVM_FLAG_COHERENT,
                                        .granularity = GRANULARITY};

/* ---- checks ---------------------------------------------------------------------------- */

static HSAKMT_STATUS check_range(const void *address, uint64_t size, uint64_t *out_end)
{
    uint64_t start = (uintptr_t)address;
    if (!address || size == 0 || start % SIMKMT_PAGE != 0 || size % SIMKMT_PAGE != 0 ||
        __builtin_add_overflow(start, size, out_end))
        return HSAKMT_STATUS_INVALID_PARAMETER;
    return HSAKMT_STATUS_SUCCESS;
}

static HSAKMT_STATUS check_to_set(const HSA_SVM_ATTRIBUTE *attribute)
{
    switch (attribute->type) {
    case HSA_SVM_ATTR_PREFERRED_LOC:
        return attribute->value == HSA_INVALID_NODE || simkmt_node(attribute->value)
                   ? HSAKMT_STATUS_SUCCESS
                   : HSAKMT_STATUS_INVALID_NODE_UNIT;
    case HSA_SVM_ATTR_PREFETCH_LOC:
        return simkmt_node(attribute->value) ? HSAKMT_STATUS_SUCCESS
                                             : HSAKMT_STATUS_INVALID_NODE_UNIT;
    case HSA_SVM_ATTR_ACCESS:
    case HSA_SVM_ATTR_ACCESS_IN_PLACE:
    case HSA_SVM_ATTR_NO_ACCESS:
        return simkmt_gpu_node(attribute->value) ? HSAKMT_STATUS_SUCCESS
                                                 : HSAKMT_STATUS_INVALID_NODE_UNIT;
    case HSA_SVM_ATTR_SET_FLAGS:
    case HSA_SVM_ATTR_CLR_FLAGS:
    case HSA_SVM_ATTR_GRANULARITY:
        return HSAKMT_STATUS_SUCCESS;
    default:
        return HSAKMT_STATUS_ERROR;
    }
}

static HSAKMT_STATUS check_to_get(const HSA_SVM_ATTRIBUTE *attribute)
{
    switch (attribute->type) {
    case HSA_SVM_ATTR_ACCESS:
        return check_to_set(attribute);
    case HSA_SVM_ATTR_PREFERRED_LOC:
    case HSA_SVM_ATTR_PREFETCH_LOC:
    case HSA_SVM_ATTR_SET_FLAGS:
    case HSA_SVM_ATTR_CLR_FLAGS:
    case HSA_SVM_ATTR_GRANULARITY:
        return HSAKMT_STATUS_SUCCESS;
    default:
        return HSAKMT_STATUS_ERROR;
    }
}

static HSAKMT_STATUS check(const void *address, uint64_t size, unsigned count,
                           const HSA_SVM_ATTRIBUTE *attributes,
                           HSAKMT_STATUS (*check_one)(const HSA_SVM_ATTRIBUTE *), uint64_t *out_end)
{
    HSAKMT_STATUS result = check_range(address, size, out_end);
    if (result == HSAKMT_STATUS_SUCCESS && count > 0 && !attributes)
        result = HSAKMT_STATUS_INVALID_PARAMETER;
    for (unsigned i = 0; i < count && result == HSAKMT_STATUS_SUCCESS; i++)
        result = check_one(&attributes[i]);
    if (result == HSAKMT_STATUS_SUCCESS && !simkmt_memory_is_programs((uintptr_t)address, *out_end))
        result = simkmt_refuse(HSAKMT_STATUS_ERROR,
                               "attributes of %llu bytes at %p: they are not all the program's own",
                               (unsigned long long)size, address);
    return result;
}

/* ---- spans ----------------------------------------------------------------------------- */

/* Splits a span so that one starts at address. Devices can use the memory meanwhile. */
static bool split(uint64_t address)
{
    struct span *span = spans.first;
    while (span && (address <= span->start || address >= span->end))
        span = span->next;
    if (!span)
        return true;
    struct span *rest = malloc(sizeof *rest);
    if (!rest)
        return false;
    *rest = *span;
    rest->start = address;
    if (span->accessible) {
        rest->accessible = simkmt_memory_enable_access(rest->start, rest->end);
        span->accessible = simkmt_memory_enable_access(span->start, address);
        simkmt_memory_disable_access(span->start, span->end);
    }
    span->next = rest;
    span->end = address;
    return true;
}

/* Splits spans at start and end; returns the first one in between, NULL: out of memory. */
static struct span *make_spans(uint64_t start, uint64_t end)
{
    struct span **link = &spans.first;
    if (!split(start) || !split(end))
        return NULL;
    while (*link && (*link)->end <= start)
        link = &(*link)->next;
    struct span **first = link;
    for (; start < end; link = &(*link)->next) {
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
    return *first;
}

static bool update_access(struct span *span)
{
    bool wanted = span->attributes.access || span->attributes.in_place;
    if (span->accessible && !wanted) {
        simkmt_memory_disable_access(span->start, span->end);
        span->accessible = false;
    } else if (wanted && !span->accessible) {
        span->accessible = simkmt_memory_enable_access(span->start, span->end);
    }
    return span->accessible == wanted;
}

void simkmt_attributes_close(void)
{
    pthread_mutex_lock(&spans.lock);
    while (spans.first) {
        struct span *span = spans.first;
        spans.first = span->next;
        if (span->accessible)
            simkmt_memory_disable_access(span->start, span->end);
        free(span);
    }
    pthread_mutex_unlock(&spans.lock);
}

/* ---- setting --------------------------------------------------------------------------- */

static void set_one(struct attributes *attributes, const HSA_SVM_ATTRIBUTE *attribute)
{
    uint32_t value = attribute->value;
    uint64_t node = UINT64_C(1) << (value - 1) % 64;
    switch (attribute->type) {
    case HSA_SVM_ATTR_PREFERRED_LOC:
        attributes->preferred = value;
        break;
    case HSA_SVM_ATTR_PREFETCH_LOC:
        attributes->prefetched = value;
        break;
    case HSA_SVM_ATTR_ACCESS:
    case HSA_SVM_ATTR_ACCESS_IN_PLACE:
    case HSA_SVM_ATTR_NO_ACCESS:
        attributes->access &= ~node;
        attributes->in_place &= ~node;
        attributes->access |= attribute->type == HSA_SVM_ATTR_ACCESS ? node : 0;
        attributes->in_place |= attribute->type == HSA_SVM_ATTR_ACCESS_IN_PLACE ? node : 0;
        break;
    case HSA_SVM_ATTR_SET_FLAGS:
        attributes->flags |= value;
        break;
    case HSA_SVM_ATTR_CLR_FLAGS:
        attributes->flags &= ~value;
        break;
    default: /* HSA_SVM_ATTR_GRANULARITY */
        attributes->granularity = value < GRANULARITY_MAX ? value : GRANULARITY_MAX;
    }
}

HSAKMT_STATUS hsaKmtSVMSetAttr(void *address, uint64_t size, unsigned count,
                               HSA_SVM_ATTRIBUTE *attributes)
{
    SIMKMT_ENTER();
    uint64_t end;
    HSAKMT_STATUS result = check(address, size, count, attributes, check_to_set, &end);
    if (result != HSAKMT_STATUS_SUCCESS)
        return result;
    pthread_mutex_lock(&spans.lock);
    struct span *span = make_spans((uintptr_t)address, end);
    if (!span)
        result = HSAKMT_STATUS_NO_MEMORY;
    for (; span && span->start < end; span = span->next) {
        for (unsigned i = 0; i < count; i++)
            set_one(&span->attributes, &attributes[i]);
        if (!update_access(span))
            result = HSAKMT_STATUS_ERROR;
    }
    pthread_mutex_unlock(&spans.lock);
    return result;
}

/* ---- getting --------------------------------------------------------------------------- */

/* The attributes that all pages have in common. */
struct common {
    struct attributes all; /* flags that all pages have */
    uint32_t some_flags;   /* flags that some pages have */
};

static void add_span(struct common *common, const struct attributes *next)
{
    struct attributes *all = &common->all;
    if (all->preferred != next->preferred)
        all->preferred = HSA_INVALID_NODE;
    if (all->prefetched != next->prefetched)
        all->prefetched = HSA_INVALID_NODE;
    all->access &= next->access;
    all->in_place &= next->in_place;
    all->flags &= next->flags;
    common->some_flags |= next->flags;
    if (all->granularity > next->granularity)
        all->granularity = next->granularity;
}

/* Under the lock. */
static struct common common_of(uint64_t start, uint64_t end)
{
    struct common common = {usual, usual.flags};
    bool any = false;
    for (const struct span *span = spans.first; span && span->start < end; span = span->next) {
        if (span->end <= start)
            continue;
        if (any)
            add_span(&common, &span->attributes);
        else
            common = (struct common){span->attributes, span->attributes.flags};
        any = true;
    }
    return common;
}

static void get_one(const struct common *common, HSA_SVM_ATTRIBUTE *attribute)
{
    uint64_t node = UINT64_C(1) << (attribute->value - 1) % 64;
    switch (attribute->type) {
    case HSA_SVM_ATTR_PREFERRED_LOC:
        attribute->value = common->all.preferred;
        break;
    case HSA_SVM_ATTR_PREFETCH_LOC:
        attribute->value = common->all.prefetched;
        break;
    case HSA_SVM_ATTR_ACCESS:
        attribute->type = common->all.in_place & node ? HSA_SVM_ATTR_ACCESS_IN_PLACE
                          : common->all.access & node ? HSA_SVM_ATTR_ACCESS
                                                      : HSA_SVM_ATTR_NO_ACCESS;
        break;
    case HSA_SVM_ATTR_SET_FLAGS:
        attribute->value = common->all.flags;
        break;
    case HSA_SVM_ATTR_CLR_FLAGS:
        attribute->value = ~common->some_flags;
        break;
    default: /* HSA_SVM_ATTR_GRANULARITY */
        attribute->value = common->all.granularity;
    }
}

HSAKMT_STATUS hsaKmtSVMGetAttr(void *address, uint64_t size, unsigned count,
                               HSA_SVM_ATTRIBUTE *attributes)
{
    SIMKMT_ENTER();
    uint64_t end;
    HSAKMT_STATUS result = check(address, size, count, attributes, check_to_get, &end);
    if (result != HSAKMT_STATUS_SUCCESS)
        return result;
    pthread_mutex_lock(&spans.lock);
    struct common common = common_of((uintptr_t)address, end);
    pthread_mutex_unlock(&spans.lock);
    for (unsigned i = 0; i < count; i++)
        get_one(&common, &attributes[i]);
    return HSAKMT_STATUS_SUCCESS;
}
