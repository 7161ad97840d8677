/* Owns the devices of a test program. */
#include "work.h"

#include <string.h>

struct ah_backend *backend;
struct ah_backend_device *first, *second;

static struct ah_dynlib lib;

int open_two_devices(void **state)
{
    const char *const files[] = {FAKEHSA_PATH, NULL};
    struct ah_backend_options options = {.name = "hsa", .candidates = files};
    char *reason = NULL;
    (void)state;
    ah_test_setenv("FAKEHSA_DEVICES", "gfx90a,gfx1100");
    if (OPS->open(&options, &lib, &backend, &reason) != hipSuccess) {
        print_error("%s\n", reason ? reason : "no reason");
        return -1;
    }
    first = OPS->device_at(backend, 0);
    second = OPS->device_at(backend, 1);
    return 0;
}

int close_devices(void **state)
{
    (void)state;
    OPS->close(backend);
    ah_dynlib_close(&lib);
    if (*fakehsa_report())
        print_error("left in the runtime:\n%s", fakehsa_report());
    for (size_t i = 0; i < fakehsa_violations(); i++)
        print_error("%s\n", fakehsa_violation_at(i));
    return *fakehsa_report() || fakehsa_violations() ? -1 : 0;
}

struct ah_backend_stream *legacy_stream(struct ah_backend_device *device)
{
    struct ah_backend_stream *stream;
    ok(OPS->stream_legacy(device, &stream));
    return stream;
}

struct ah_backend_stream *stream_of_thread(struct ah_backend_device *device)
{
    struct ah_backend_stream *stream;
    ok(OPS->stream_per_thread(device, &stream));
    return stream;
}

struct ah_backend_stream *new_stream(struct ah_backend_device *device, unsigned flags)
{
    struct ah_backend_stream *stream;
    ok(OPS->stream_create(device, flags, 0, &stream));
    return stream;
}

void *new_memory(struct ah_backend_device *device, size_t size)
{
    void *pointer;
    ok(OPS->memory_alloc(device, size, hipDeviceMallocDefault, &pointer));
    return pointer;
}

uint32_t *new_pinned(size_t size)
{
    void *pointer;
    ok(OPS->host_alloc(first, size, hipHostMallocDefault, &pointer));
    memset(pointer, 0, size);
    return pointer;
}

struct ah_backend_module *new_module(const char *code, size_t size)
{
    struct ah_image image;
    struct ah_backend_module *module;
    ah_image_identify(&image, code, size);
    ok(OPS->module_load(first, &image, 0, NULL, NULL, &module));
    return module;
}

struct ah_backend_function *new_function(struct ah_backend_module *module, const char *name)
{
    struct ah_backend_function *function;
    ok(OPS->module_function(first, module, name, &function));
    return function;
}

struct gate closed_gate(struct ah_backend_device *device, struct ah_backend_stream *stream)
{
    struct gate gate = {new_pinned(64)};
    ok(OPS->stream_wait_value(device, stream, gate.word, 1, UINT32_MAX, AH_WAIT_EQUAL, 32));
    return gate;
}

void open_gate(struct gate gate)
{
    __atomic_store_n(gate.word, 1, __ATOMIC_RELEASE);
}

void free_gate(struct gate gate)
{
    ok(OPS->host_free(first, gate.word));
}

void fill_bytes(struct ah_backend_device *device, void *dst, unsigned value, size_t width,
                struct ah_backend_stream *stream)
{
    struct ah_fill what = {
        .dst = dst, .value = value, .element_size = 1, .pitch = width, .width = width, .height = 1};
    ok(OPS->fill(device, &what, stream));
}

bool all_bytes_are(const unsigned char *bytes, size_t count, int value)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value)
            return false;
    return true;
}
