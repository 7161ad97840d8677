/* Code and its kernels: loading, launching, and services of the host for running kernels.
 *
 * This room owns modules and functions (hsa_module.h) with the metadata of code objects
 * (hsa_metadata.h), launches, and services for kernels: printing, the heap of malloc, calls of the
 * host, the workspace of cooperative launches (hsa_kernel_services.h), and graphs. A launch fills in
 * a packet of the queue room (ahhsa_dispatch_begin), a graph has packets that were filled in before
 * (ahhsa_run_enqueue), and neither knows how streams keep their order.
 *
 * The user is hsa_backend.c alone; applications use the entries of the backend interface. Any
 * thread may call anything, without a device's lock held. A module has a lock of its own, and the
 * services of a device have three, which hsa_kernel_services.h explains. */
#ifndef AHHSA_CODE_H
#define AHHSA_CODE_H

#include "hsa_device.h"

/* A callback of the device room, called once when a device fails: prints what kernels have printed
 * and returns the error to report, hipErrorAssert where an assertion failed. */
hipError_t ahhsa_kernel_services_examine(struct ah_backend_device *device, hipError_t error);
/* In a reset: frees the services of a device whose work has ended. Accepts a device without any. */
void ahhsa_kernel_services_free(struct ah_backend_device *device);
/* In a reset: frees the modules of the device that are still loaded. */
void ahhsa_modules_free(struct ah_backend_device *device);

#endif
