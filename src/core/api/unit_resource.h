/* Resources of execution contexts: sets of a device's units in the form of hipDevResource. */
#ifndef AH_UNIT_RESOURCE_H
#define AH_UNIT_RESOURCE_H

#include "runtime.h"

/* What a resource has in its padding, so that a copy of it is all that is needed. */
enum { AH_UNIT_WORDS = 18 };
struct ah_unit_set {
    uint64_t magic;
    int32_t ordinal; /* of the device */
    uint32_t split;  /* the split that it comes from; 0: the device, a context or a stream */
    uint32_t mask[AH_UNIT_WORDS];
};

/* The units of a device. mask NULL: all of them. hipErrorNotSupported: they cannot be divided. */
hipError_t ah_unit_resource_of(const struct ah_device *device, const uint32_t *mask, unsigned words,
                               hipDevResource *out_resource);
/* hipErrorInvalidResourceType: not of units; hipErrorInvalidResourceConfiguration: not one that HIP
 * has made, or changed since. */
hipError_t ah_unit_resource_read(const hipDevResource *resource, struct ah_unit_set *out_set);

/* As hipDevSmResourceSplitByCount and hipDevSmResourceSplit, whose pointers are valid; result and
 * out_remainder may be NULL. */
hipError_t ah_unit_split_by_count(const hipDevResource *input, unsigned flags, unsigned least,
                                  unsigned *count, hipDevResource *result,
                                  hipDevResource *out_remainder);
hipError_t ah_unit_split(const hipDevResource *input, hipDevSmResourceGroupParams *groups,
                         unsigned count, hipDevResource *result, hipDevResource *out_remainder);

/* The union of resources of one device and one split, as a set.
 * hipErrorInvalidResourceConfiguration: they are not. */
hipError_t ah_unit_resources_join(const hipDevResource *resources, unsigned count,
                                  struct ah_unit_set *out_set);

#endif
