/* The memory of applications: allocations of every kind, copies and fills.
 *
 * This room owns the map of allocations with their addresses, managed memory, pools, virtual
 * memory, memory of other processes, access between peers, arrays with textures and surfaces over
 * them, staging memory, and copies and fills of any two ends. It knows nothing of kernels. Copies
 * become work of the queue room, and memory is allocated by the device room.
 *
 * Users are the room code, for the variables of modules, and hsa_backend.c; applications use the
 * entries of the backend interface. Any thread may call anything, without a device's lock held. The
 * map has a lock of its own (memory_lock), and so have a pool and the staging memory of a device.
 * Order: import_lock and a pool's lock before memory_lock; a device's lock before those of pools
 * (trylock only) and of staging memory. */
#ifndef AHHSA_MEMORY_H
#define AHHSA_MEMORY_H

#include "hsa_device.h"

/* Puts memory that a code object has into the map, so that copies know whose it is, and takes it
 * out again; size may not be 0. */
hipError_t ahhsa_memory_register(struct ah_backend_device *device, void *pointer, size_t size,
                                 enum ah_memory_kind kind);
void ahhsa_memory_unregister(struct ah_backend_device *device, void *pointer);

/* A callback of the device room: frees what pools of the device hold beyond their thresholds and
 * no allocation uses. */
void ahhsa_pools_trim(struct ah_backend_device *device);

/* In a reset: frees textures, surfaces, arrays, pools and staging memory. */
void ahhsa_device_memory_stop(struct ah_backend_device *device);
/* Later in a reset: frees all allocations of the device, but virtual memory. */
void ahhsa_memory_free_all(struct ah_backend_device *device);

#endif
