/* What the tests of times share: the CUDA backend over the fake driver, opened once for all of a
 * program's tests, and work of its first device, traced by recorder.h or not. */
#ifndef AH_TESTS_TRACED_H
#define AH_TESTS_TRACED_H

#include "support.h"

#include "../backend/recorder.h"
#include "../driver/fill_ptx.h"
#include "cuda_backend.h"
#include "fakecuda.h"

#include <stdlib.h>

#define OPS              (&ahcuda_ops)
#define ok(call)         assert_int_equal((call), hipSuccess)
#define expect(call, to) assert_int_equal((call), (to))

enum { WORDS = 1024, BYTES = 4 * WORDS };

static const char ptx[] = PTX_HEADER PTX_FILL
    ".visible .entry fake_spin(.param .u32 milliseconds)\n"
    "{\n"
    "    .reg .pred %p; .reg .b32 %r<2>; .reg .b64 %rd<4>;\n"
    "    ld.param.u32 %r0, [milliseconds];\n"
    "    mul.wide.u32 %rd0, %r0, 1000000; mov.u64 %rd1, %globaltimer; add.u64 %rd0, %rd0, %rd1;\n"
    "loop: mov.u64 %rd1, %globaltimer; setp.lt.u64 %p, %rd1, %rd0; @%p bra loop;\n"
    "    ret;\n"
    "}\n";

static struct ah_dynlib lib;
static struct ah_backend *backend;
static struct ah_backend_device *first;
static struct ah_backend_module *module;
static struct ah_backend_function *fill, *spin;
static struct ah_backend_stream *stream;
static uint32_t *words; /* page-locked */
static char *memory;    /* of the device */

/* ---- work ----------------------------------------------------------------------------------- */

static inline hipError_t launch(struct ah_backend_function *function, void **params,
                                struct ah_backend_stream *to)
{
    struct ah_launch sizes = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .params = params};
    return OPS->launch(first, function, &sizes, to);
}

static inline hipError_t launch_fill(struct ah_backend_stream *to)
{
    unsigned value = 7, count = 4;
    void *params[] = {&words, &value, &count};
    return launch(fill, params, to);
}

static inline uint64_t traced_fill(struct ah_backend_stream *to)
{
    uint64_t id = recorder_begin(to, AH_TRACE_KERNEL);
    ok(launch_fill(to));
    recorder_end(to);
    return id;
}

static inline uint64_t traced_copy(void)
{
    uint64_t id = recorder_begin(stream, AH_TRACE_COPY);
    ok(OPS->copy_async(first, memory, words, BYTES, stream));
    recorder_end(stream);
    return id;
}

/* Closes the stream until the word is 1. */
static inline void close_gate(void)
{
    __atomic_store_n(&words[WORDS - 1], 0, __ATOMIC_RELEASE);
    ok(OPS->stream_wait_value(first, stream, &words[WORDS - 1], 1, UINT32_MAX, AH_WAIT_GEQUAL, 32));
}

static inline void open_gate(void)
{
    __atomic_store_n(&words[WORDS - 1], 1, __ATOMIC_RELEASE);
}

/* ---- beginning and end ---------------------------------------------------------------------- */

/* Also after a reset of the device. */
static inline void load(void)
{
    struct ah_image image;
    void *pointer;
    ah_image_identify(&image, ptx, sizeof ptx);
    ok(OPS->module_load(first, &image, 0, NULL, NULL, &module));
    ok(OPS->module_function(first, module, "fake_fill", &fill));
    ok(OPS->module_function(first, module, "fake_spin", &spin));
    ok(OPS->host_alloc(first, BYTES, 0, &pointer));
    words = pointer;
    ok(OPS->memory_alloc(first, BYTES, 0, &pointer));
    memory = pointer;
    ok(OPS->stream_create(first, hipStreamNonBlocking, 0, &stream));
}

/* For cmocka's groups. There are two devices. */
static inline int open_all(void **state)
{
    const char *const files[] = {FAKECUDA_PATH, NULL};
    const struct ah_backend_options options = {.name = "cuda", .candidates = files};
    char *reason = NULL;
    (void)state;
    ah_test_setenv("FAKECUDA_DEVICES", "80,80");
    ah_log_configure(&(struct ah_log_settings){.level = AH_LOG_WARNING, .mask = AH_LOG_ALWAYS});
    if (OPS->open(&options, &lib, &backend, &reason) != hipSuccess) {
        print_error("%s\n", reason ? reason : "no reason");
        return -1;
    }
    first = OPS->device_at(backend, 0);
    load();
    return 0;
}

static inline int close_all(void **state)
{
    (void)state;
    ok(OPS->stream_destroy(first, stream));
    ok(OPS->memory_free(first, memory));
    ok(OPS->host_free(first, words));
    ok(OPS->module_unload(first, module));
    OPS->close(backend);
    ah_dynlib_close(&lib);
    return fakecuda_finish();
}

/* ---- many threads --------------------------------------------------------------------------- */

enum { ROUNDS = 200 };

static inline void *work_in_a_stream(void *data)
{
    struct ah_backend_stream *own;
    uint64_t id = *(uint64_t *)data;
    ok(OPS->stream_create(first, hipStreamNonBlocking, 0, &own));
    for (int i = 0; i < ROUNDS; i++, id++) {
        OPS->trace_begin(first, own, id, AH_TRACE_KERNEL);
        ok(launch_fill(own));
        OPS->trace_end(first, own, id);
    }
    ok(OPS->stream_synchronize(first, own));
    ok(OPS->stream_destroy(first, own));
    return NULL;
}

/* While another one collects, several threads work: each command has its record, in the order of
 * its stream. */
static inline void check_threads(void)
{
    recorder_run_threads(work_in_a_stream, ROUNDS);
    for (uint64_t i = 0; i < RECORDER_THREADS; i++) {
        uint64_t last = 0;
        for (uint64_t id = i * ROUNDS + 1; id <= (i + 1) * ROUNDS; id++) {
            const struct ah_trace_record *record = recorder_only(id, AH_TRACE_KERNEL);
            assert_true(record->begin >= last);
            last = record->end;
        }
    }
    recorder.next_id = RECORDER_THREADS * ROUNDS;
}

#endif
