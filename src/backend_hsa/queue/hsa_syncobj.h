/* Synchronisation objects of the kernel's graphics drivers, through libdrm.so.2, which AMD's
 * runtime needs too. They are of no particular device: any driver's render node serves, and the
 * first one that has them is opened once. Any thread may call. */
#ifndef AHHSA_SYNCOBJ_H
#define AHHSA_SYNCOBJ_H

#include <hip/hip_runtime_api.h>

#include <stdbool.h>
#include <stdint.h>

/* The object that a file descriptor stands for, which stays the caller's. hipErrorInvalidValue: it
 * is none; hipErrorNotSupported: there is no libdrm.so.2 or no render node, or no driver that has
 * timelines. */
hipError_t ahhsa_syncobj_open(int file, bool timeline, uint32_t *out_object);
void ahhsa_syncobj_close(uint32_t object);

/* False: the kernel did not accept it. value: of a timeline. */
bool ahhsa_syncobj_signal(uint32_t object, bool timeline, uint64_t value);
/* Waits at most that long; a binary object is reset then. */
bool ahhsa_syncobj_wait(uint32_t object, bool timeline, uint64_t value, unsigned milliseconds);

#endif
