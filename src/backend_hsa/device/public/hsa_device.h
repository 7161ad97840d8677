/* The devices of an HSA runtime, which all other rooms of this backend use.
 *
 * This room owns the functions of the opened runtime and the translation of its errors
 * (hsa_runtime.h), the search for devices, struct ah_backend_device with the lock that guards what
 * is queued on a device, the failure of a device (hsa_state.c), the properties and settings of
 * devices (hsa_device_info.h), and memory directly from the runtime (hsa_raw_memory.h). It knows
 * nothing of streams, allocations of the application and modules: the fields of struct
 * ah_backend_device that belong to other rooms are pointers to types which those define.
 *
 * Users are the rooms queue, memory and code, and hsa_backend.c. What has to happen in them when a
 * device starts, fails or becomes idle is called through struct ahhsa_device_callbacks.
 *
 * Any thread may call anything here. A thread that holds a device's lock may only call functions
 * whose comment allows it. */
#ifndef AHHSA_DEVICE_H
#define AHHSA_DEVICE_H

#include "../hsa_device_info.h"
#include "../hsa_raw_memory.h"
#include "../hsa_runtime.h"

#endif
