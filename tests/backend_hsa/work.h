/* The HSA backend over the fake runtime with two devices, for tests of its parts. */
#ifndef AH_TESTS_HSA_WORK_H
#define AH_TESTS_HSA_WORK_H

#include "support.h"

#include "backend.h"
#include "fakehsa.h"
#include "hsa_abi.h"

#define OPS      (&ahhsa_ops)
#define ok(call) assert_int_equal((call), hipSuccess)

extern struct ah_backend *backend;
extern struct ah_backend_device *first, *second; /* gfx90a, gfx1100 */

/* For a group of tests. At the end nothing is left in the runtime, and no rule was broken. */
int open_two_devices(void **state);
int close_devices(void **state);

struct ah_backend_stream *legacy_stream(struct ah_backend_device *device);
struct ah_backend_stream *stream_of_thread(struct ah_backend_device *device); /* a new one */
struct ah_backend_stream *new_stream(struct ah_backend_device *device, unsigned flags);
void *new_memory(struct ah_backend_device *device, size_t size);
uint32_t *new_pinned(size_t size); /* zeroed */

/* Code for first, of size bytes, and one of its kernels. */
struct ah_backend_module *new_module(const char *code, size_t size);
struct ah_backend_function *new_function(struct ah_backend_module *module, const char *name);

/* A value that streams wait for until it is set. */
struct gate {
    uint32_t *word;
};
struct gate closed_gate(struct ah_backend_device *device, struct ah_backend_stream *stream);
void open_gate(struct gate gate);
void free_gate(struct gate gate); /* which is open */

void fill_bytes(struct ah_backend_device *device, void *dst, unsigned value, size_t width,
                struct ah_backend_stream *stream);
bool all_bytes_are(const unsigned char *bytes, size_t count, int value);

#endif
