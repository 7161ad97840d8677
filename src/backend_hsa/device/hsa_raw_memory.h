/* Private to backend_hsa, part of hsa_device.h: memory straight from the runtime, which is in no
 * map of allocations, in no stream, and not freed by device_reset. Any thread may call all of this,
 * also with a device's lock held. */
#ifndef AHHSA_RAW_MEMORY_H
#define AHHSA_RAW_MEMORY_H

#include "hsa_runtime.h"

/* Memory of one of the device's pools: of the device's own, accessible to it and its peers, or of
 * the host's, accessible to all devices. */
hipError_t ahhsa_raw_alloc(struct ah_backend_device *device, hsa_amd_memory_pool_t pool,
                           size_t size, void **out_pointer);
/* The same of the device's own memory, with flags of hsa_amd_memory_pool_allocate. */
hipError_t ahhsa_raw_alloc_device(struct ah_backend_device *device, hsa_amd_memory_pool_t pool,
                                  size_t size, uint32_t flags, void **out_pointer);
/* The same of the host's memory. */
hipError_t ahhsa_raw_alloc_shared(struct ah_backend_device *device, hsa_amd_memory_pool_t pool,
                                  size_t size, void **out_pointer);
/* On failure, which is logged, the memory is still allocated. Accepts NULL. */
hipError_t ahhsa_raw_free(struct ah_backend_device *device, void *pointer);

/* Gives the device, its peers and `more` (devices by index) access to memory of the device. */
hipError_t ahhsa_raw_allow_access(struct ah_backend_device *device, void *pointer, uint64_t more);
/* All devices of the backend. Returns how many. */
int ahhsa_all_agents(struct ah_backend *backend, hsa_agent_t agents[AHHSA_DEVICES_MAX]);

/* Synchronous, between host memory of any kind and memory of the device. */
hipError_t ahhsa_raw_write(struct ah_backend_device *device, void *dst, const void *src,
                           size_t size);
hipError_t ahhsa_raw_read(struct ah_backend_device *device, void *dst, const void *src,
                          size_t size);
hipError_t ahhsa_raw_zero(struct ah_backend_device *device, void *dst, size_t size);

#endif
