/* Private to backend_hsa, part of hsa_device.h: what a device reports of itself, and what can be
 * set on it. Any thread may call all of this, with any lock or none held. */
#ifndef AHHSA_DEVICE_INFO_H
#define AHHSA_DEVICE_INFO_H

#include "hsa_runtime.h"

/* A processor and its features: "gfx90a:sramecc+:xnack-". */
struct ahhsa_target {
    char processor[24];
    unsigned major, minor; /* 9 and 0 for gfx90a */
    enum ah_image_feature xnack, sramecc;
};

/* Parses the name of an ISA, "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-". A feature that the name
 * does not mention is AH_FEATURE_UNSUPPORTED. False: it is not the name of an ISA. */
bool ahhsa_target_parse(const char *isa, struct ahhsa_target *out_target);

/* How well a device of target runs image: 0 not at all, more is better. */
int ahhsa_target_rank(const struct ahhsa_target *target, const struct ah_image *image);

struct ahhsa_registers {
    unsigned vgprs, vgpr_unit, sgprs, lds_unit; /* hsa_registers.def; 0: not known */
};

/* The register file for waves of `lanes`. */
struct ahhsa_registers ahhsa_registers_of(const char *processor, unsigned lanes);

struct ahhsa_device_info {
#define HSA_DEVICE_INFO(type, field, count, attribute) type field count;
#include "hsa_device_info.def"
#undef HSA_DEVICE_INFO
    struct ahhsa_target target;
    unsigned major, minor;
    enum ah_image_feature sramecc;
    uint64_t memory_size;  /* of the device */
    uint32_t group_memory; /* of a work-group, bytes */
    bool svm, svm_by_default, dmabuf, virtual_memory, host_atomics, large_bar;
    int numa_node;   /* of the nearest CPU */
    bool incomplete; /* during a query: the runtime failed */
    hipDeviceProp_tR0600 properties;

    /* What the application sets; read and written atomically. */
    size_t limits[3]; /* hipLimitStackSize, hipLimitPrintfFifoSize, hipLimitMallocHeapSize */
    hipFuncCache_t cache_config;
};

void ahhsa_device_info_free(struct ah_backend_device *device);

/* Queries the device at the first call. NULL: out of memory, or the runtime failed, which was
 * logged. */
struct ahhsa_device_info *ahhsa_device_info_of(struct ah_backend_device *device);

/* Whether the device has image instructions; the runtime claims them for more devices. */
bool ahhsa_device_has_images(struct ah_backend_device *device);
/* Whether an image can be as large as the array. Without images there is no limit. */
bool ahhsa_device_fits_images(struct ah_backend_device *device, const struct ah_array_shape *shape);

/* Sets the limits to their defaults. */
void ahhsa_limits_init(struct ahhsa_device_info *info);
/* hipLimit*, which must be one of the three. */
size_t ahhsa_limit(struct ah_backend_device *device, enum hipLimit_t limit);

#endif
