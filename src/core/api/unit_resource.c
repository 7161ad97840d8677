/* Owns resources of execution contexts: the sets of units behind them, and their division. A
 * resource carries its set with it, so that nothing has to be kept for it. */
#include "unit_resource.h"

#include <string.h>

#define MAGIC UINT64_C(0x616e7968756e6974)

_Static_assert(sizeof(struct ah_unit_set) <= sizeof(((hipDevResource *)0)->_internal_padding),
               "a set of units fits into the padding of a resource");

/* ---- sets ------------------------------------------------------------------------------- */

static unsigned count_units(const struct ah_unit_set *set)
{
    unsigned count = 0;
    for (int i = 0; i < AH_UNIT_WORDS; i++)
        count += (unsigned)__builtin_popcount(set->mask[i]);
    return count;
}

/* Takes the first units out of a set. */
static struct ah_unit_set take(struct ah_unit_set *from, unsigned count, uint32_t split)
{
    struct ah_unit_set taken = {.magic = MAGIC, .ordinal = from->ordinal, .split = split};
    for (unsigned i = 0; i < 32 * AH_UNIT_WORDS && count > 0; i++) {
        uint32_t bit = UINT32_C(1) << i % 32;
        if (!(from->mask[i / 32] & bit))
            continue;
        taken.mask[i / 32] |= bit;
        from->mask[i / 32] &= ~bit;
        count--;
    }
    return taken;
}

static void write_resource(hipDevResource *out, const struct ah_unit_set *set, unsigned alignment,
                           unsigned least, unsigned flags)
{
    memset(out, 0, sizeof *out);
    out->sm.smCount = count_units(set);
    if (out->sm.smCount == 0)
        return; /* of type invalid */
    out->type = hipDevResourceTypeSm;
    out->sm.minSmPartitionSize = least;
    out->sm.smCoscheduledAlignment = alignment;
    out->sm.flags = flags;
    memcpy(out->_internal_padding, set, sizeof *set);
}

hipError_t ah_unit_resource_of(const struct ah_device *device, const uint32_t *mask, unsigned words,
                               hipDevResource *out_resource)
{
    unsigned units, group;
    struct ah_unit_set set = {.magic = MAGIC, .ordinal = device->ordinal};
    hipError_t error = device->ops->device_units(device->native, &units, &group);
    if (error != hipSuccess)
        return error;
    if (units > 32 * AH_UNIT_WORDS) {
        AH_LOG_ERR("device %d has %u units, and resources describe %d at most", device->ordinal,
                   units, 32 * AH_UNIT_WORDS);
        return hipErrorNotSupported;
    }
    for (unsigned i = 0; i < units; i++)
        if (!mask || (i / 32 < words && mask[i / 32] >> i % 32 & 1))
            set.mask[i / 32] |= UINT32_C(1) << i % 32;
    write_resource(out_resource, &set, group, group, hipDevSmResourceGroupDefault);
    return hipSuccess;
}

hipError_t ah_unit_resource_read(const hipDevResource *resource, struct ah_unit_set *out_set)
{
    if (resource->type != hipDevResourceTypeSm)
        return hipErrorInvalidResourceType;
    memcpy(out_set, resource->_internal_padding, sizeof *out_set);
    if (out_set->magic == MAGIC && ah_device_at(out_set->ordinal) &&
        count_units(out_set) == resource->sm.smCount && resource->sm.smCount > 0 &&
        resource->sm.smCoscheduledAlignment > 0)
        return hipSuccess;
    AH_LOG_ERR("a resource of %u units is not one that HIP has made: use hipDeviceGetDevResource "
               "and the functions that split its result",
               resource->sm.smCount);
    return hipErrorInvalidResourceConfiguration;
}

/* ---- splits ----------------------------------------------------------------------------- */

static uint32_t new_split(void)
{
    static _Atomic(uint32_t) last;
    return atomic_fetch_add(&last, 1) + 1;
}

static void write_remainder(hipDevResource *out, const hipDevResource *input,
                            const struct ah_unit_set *left, uint32_t split)
{
    struct ah_unit_set set = *left;
    set.split = split;
    if (out)
        write_resource(out, &set, input->sm.smCoscheduledAlignment, input->sm.minSmPartitionSize,
                       hipDevSmResourceGroupDefault);
}

hipError_t ah_unit_split_by_count(const hipDevResource *input, unsigned flags, unsigned least,
                                  unsigned *count, hipDevResource *result,
                                  hipDevResource *out_remainder)
{
    enum {
        KNOWN =
            hipDevSmResourceSplitIgnoreSmCoscheduling | hipDevSmResourceSplitMaxPotentialClusterSize
    };
    struct ah_unit_set set;
    hipError_t error = ah_unit_resource_read(input, &set);
    if (error != hipSuccess)
        return error;
    if (flags & ~(unsigned)KNOWN)
        return hipErrorInvalidValue;
    if (flags & hipDevSmResourceSplitIgnoreSmCoscheduling) {
        AH_LOG_ERR("hipDevSmResourceSplitIgnoreSmCoscheduling is not supported, as in AMD's HIP: "
                   "groups are as small as the device allows without it");
        return hipErrorNotSupported;
    }
    unsigned alignment = input->sm.smCoscheduledAlignment, all = input->sm.smCount;
    least = least > all ? all + 1 : least; /* rounding up may not wrap around */
    unsigned size = least == 0 ? alignment : (least + alignment - 1) / alignment * alignment;
    unsigned possible = all / size;
    *count = result && *count < possible ? *count : possible;
    if (!result)
        return hipSuccess;
    uint32_t split = new_split();
    for (unsigned i = 0; i < *count; i++) {
        struct ah_unit_set group = take(&set, size, split);
        write_resource(&result[i], &group, alignment, alignment, hipDevSmResourceGroupDefault);
    }
    write_remainder(out_remainder, input, &set, split);
    return hipSuccess;
}

/* Fills in what a group leaves to HIP, with so many units left. */
static hipError_t complete_group(hipDevSmResourceGroupParams *group, const hipDevResource *input,
                                 unsigned left)
{
    unsigned alignment = input->sm.smCoscheduledAlignment;
    if (group->coscheduledSmCount == 0)
        group->coscheduledSmCount = alignment;
    if (group->preferredCoscheduledSmCount == 0)
        group->preferredCoscheduledSmCount = group->coscheduledSmCount;
    if (group->smCount != 0)
        return group->smCount >= alignment && group->smCount <= left
                   ? hipSuccess
                   : hipErrorInvalidResourceConfiguration;
    group->smCount = group->flags & hipDevSmResourceGroupBackfill
                         ? left
                         : left / group->coscheduledSmCount * group->coscheduledSmCount;
    return hipSuccess;
}

static bool group_exists(const hipDevSmResourceGroupParams *group, unsigned alignment)
{
    unsigned count = group->smCount, together = group->coscheduledSmCount;
    return count > 0 && count >= together &&
           (group->flags & hipDevSmResourceGroupBackfill ||
            (count % together == 0 && count % alignment == 0));
}

hipError_t ah_unit_split(const hipDevResource *input, hipDevSmResourceGroupParams *groups,
                         unsigned count, hipDevResource *result, hipDevResource *out_remainder)
{
    struct ah_unit_set set;
    hipError_t error = ah_unit_resource_read(input, &set);
    unsigned alignment = input->sm.smCoscheduledAlignment, left = input->sm.smCount;
    for (unsigned i = 0; i < count && error == hipSuccess; i++) {
        error = complete_group(&groups[i], input, left);
        if (error == hipSuccess && result && !group_exists(&groups[i], alignment))
            error = hipErrorInvalidResourceConfiguration;
        left -= error == hipSuccess ? groups[i].smCount : 0;
    }
    if (error != hipSuccess || !result)
        return error;
    uint32_t split = new_split();
    for (unsigned i = 0; i < count; i++) {
        struct ah_unit_set group = take(&set, groups[i].smCount, split);
        write_resource(&result[i], &group, groups[i].coscheduledSmCount, alignment,
                       groups[i].flags & hipDevSmResourceGroupBackfill);
    }
    write_remainder(out_remainder, input, &set, split);
    return hipSuccess;
}

/* ---- descriptions ----------------------------------------------------------------------- */

static bool overlap(const struct ah_unit_set *a, const struct ah_unit_set *b)
{
    uint32_t both = 0;
    for (int i = 0; i < AH_UNIT_WORDS; i++)
        both |= a->mask[i] & b->mask[i];
    return both != 0;
}

hipError_t ah_unit_resources_join(const hipDevResource *resources, unsigned count,
                                  struct ah_unit_set *out_set)
{
    for (unsigned i = 0; i < count; i++) {
        struct ah_unit_set set;
        hipError_t error = ah_unit_resource_read(&resources[i], &set);
        if (error != hipSuccess)
            return error;
        if (i == 0) {
            *out_set = set;
            continue;
        }
        if (set.ordinal != out_set->ordinal || set.split != out_set->split ||
            resources[i].sm.smCoscheduledAlignment != resources[0].sm.smCoscheduledAlignment ||
            overlap(&set, out_set)) {
            AH_LOG_ERR("resources 0 and %u are not different results of one split", i);
            return hipErrorInvalidResourceConfiguration;
        }
        for (int word = 0; word < AH_UNIT_WORDS; word++)
            out_set->mask[word] |= set.mask[word];
    }
    return hipSuccess;
}
