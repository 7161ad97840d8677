/* Copies and fills of the HSA backend: staging areas, rows, what callers wait for, and what
 * happens when one of them fails. */
#include "work.h"

#include "hsa_allocation.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 1 << 20, ROW = 300, PITCH = 512, ROWS = 16 };

/* Rows between memory of a device and other memory, packed there. */
static hipError_t copy_rows(void *device_memory, void *other, size_t width, size_t height,
                            bool to_device, struct ah_backend_stream *stream)
{
    struct ah_copy_end device = {
        .kind = AH_END_POINTER, .pointer = device_memory, .pitch = width + 64, .rows = height};
    struct ah_copy_end rest = {
        .kind = AH_END_POINTER, .pointer = other, .pitch = width, .rows = height};
    struct ah_copy_region region = {
        .dst = to_device ? device : rest,
        .src = to_device ? rest : device,
        .width = width,
        .height = height,
        .depth = 1,
    };
    return OPS->copy_region(first, &region, stream);
}

static hipError_t fill_rows(void *memory, unsigned value, size_t pitch, size_t width, size_t height,
                            struct ah_backend_stream *stream)
{
    struct ah_fill what = {.dst = memory,
                           .pitch = pitch,
                           .value = value,
                           .element_size = 1,
                           .width = width,
                           .height = height};
    return OPS->fill(first, &what, stream);
}

static unsigned char *numbered(size_t size)
{
    unsigned char *bytes = malloc(size);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 251);
    return bytes;
}

/* ---- more than one piece ---------------------------------------------------------------- */

static void rows_of_any_size_are_copied_there_and_back(void **state)
{
    static const struct {
        size_t width, height;
    } sizes[] = {{1, 5}, {700, 4000}, {PIECE - 8, 3}, {PIECE + 40, 3}, {3 * PIECE + 1, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t width = sizes[i].width, height = sizes[i].height;
        unsigned char *in = numbered(width * height), *out = calloc(width, height);
        void *memory = new_memory(first, (width + 64) * height);
        ok(copy_rows(memory, in, width, height, true, legacy_stream(first)));
        ok(copy_rows(memory, out, width, height, false, legacy_stream(first)));
        assert_memory_equal(in, out, width * height);
        ok(OPS->memory_free(first, memory));
        free(in);
        free(out);
    }
}

static void fills_of_rows_change_nothing_between_them(void **state)
{
    static const struct {
        size_t width, height;
    } sizes[] = {{1, 1000}, {300, 3}, {300, 5000}, {65536, 5}, {65537, 7}, {PIECE + 3, 3}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t width = sizes[i].width, height = sizes[i].height, pitch = width + 29;
        unsigned char *out = malloc(pitch * height);
        void *memory = new_memory(first, pitch * height);
        fill_bytes(first, memory, 1, pitch * height, legacy_stream(first));
        ok(fill_rows(memory, 0xcd, pitch, width, height, legacy_stream(first)));
        ok(OPS->copy(first, out, memory, pitch * height));
        for (size_t y = 0; y < height; y++) {
            assert_true(all_bytes_are(out + y * pitch, width, 0xcd));
            assert_true(all_bytes_are(out + y * pitch + width, pitch - width, 1));
        }
        ok(OPS->memory_free(first, memory));
        free(out);
    }
}

/* ---- callers go on ---------------------------------------------------------------------- */

static void a_fill_of_an_idle_stream_is_queued(void **state)
{
    enum { SIZE = 5 * PIECE };
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    unsigned char *out = malloc(SIZE);
    void *memory = new_memory(first, SIZE);
    (void)state;
    fill_bytes(first, memory, 1, SIZE, stream);
    ok(OPS->stream_synchronize(first, stream));
    fakehsa_hold(true);
    fill_bytes(first, memory, 2, SIZE, stream);
    assert_int_equal(OPS->stream_query(first, stream), hipErrorNotReady);
    fakehsa_hold(false);
    ok(OPS->stream_synchronize(first, stream));
    ok(OPS->copy(first, out, memory, SIZE));
    assert_true(all_bytes_are(out, SIZE, 2));
    ok(OPS->memory_free(first, memory));
    ok(OPS->stream_destroy(first, stream));
    free(out);
}

static double processor_seconds(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

/* Of several: what a busy host takes of a processor may be counted as the thread's. */
static void the_caller_does_not_execute_large_fills_of_host_memory(void **state)
{
    enum { SIZE = 64 * PIECE, TIMES = 4 };
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    unsigned char *memory = (unsigned char *)new_pinned(SIZE);
    double whole = 1e9, call = 1e9;
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        double start = processor_seconds();
        memset(memory, 1, SIZE);
        double middle = processor_seconds();
        fill_bytes(first, memory, 2, SIZE, stream);
        double end = processor_seconds();
        ok(OPS->stream_synchronize(first, stream));
        whole = middle - start < whole ? middle - start : whole;
        call = end - middle < call ? end - middle : call;
        assert_true(all_bytes_are(memory, SIZE, 2));
    }
    assert_true(call < whole / 2);
    ok(OPS->host_free(first, memory));
    ok(OPS->stream_destroy(first, stream));
}

/* ---- failures --------------------------------------------------------------------------- */

/* Copies of rows are many copies, of which number nth fails. */
static void fail_row(unsigned nth)
{
    fakehsa_fail("hsa_amd_memory_async_copy_rect", 0, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    fakehsa_fail("hsa_amd_memory_async_copy", nth, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
}

static void rows_in_flight_when_a_copy_fails_are_waited_for(void **state)
{
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    unsigned char *host = (unsigned char *)new_pinned(ROW * ROWS);
    void *memory = new_memory(first, (ROW + 64) * ROWS);
    (void)state;
    memset(host, 3, ROW * ROWS);
    for (unsigned nth = 1; nth <= ROWS; nth += 5) {
        fakehsa_hold(true);
        fail_row(nth);
        assert_int_equal(copy_rows(memory, host, ROW, ROWS, true, stream), hipErrorOutOfMemory);
        assert_int_equal(OPS->stream_query(first, stream), nth > 1 ? hipErrorNotReady : hipSuccess);
        fakehsa_clear_faults();
        fakehsa_hold(false);
        ok(OPS->stream_synchronize(first, stream));
        ok(copy_rows(memory, host, ROW, ROWS, true, stream)); /* the device has not failed */
        ok(OPS->stream_synchronize(first, stream));
    }
    ok(OPS->memory_free(first, memory));
    ok(OPS->host_free(first, host));
    ok(OPS->stream_destroy(first, stream));
}

static void later_work_does_not_overtake_the_work_before_a_failed_copy(void **state)
{
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    uint32_t *host = new_pinned(64);
    void *memory = new_memory(first, 64);
    (void)state;
    fakehsa_hold(true);
    ok(OPS->copy_async(first, memory, host, 64, stream));
    fakehsa_fail("hsa_amd_memory_async_copy", 1, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    assert_int_equal(OPS->copy_async(first, memory, host, 64, stream), hipErrorOutOfMemory);
    assert_int_equal(OPS->stream_query(first, stream), hipErrorNotReady);
    fakehsa_hold(false);
    ok(OPS->stream_synchronize(first, stream));
    ok(OPS->memory_free(first, memory));
    ok(OPS->host_free(first, host));
    ok(OPS->stream_destroy(first, stream));
}

/* The areas of both streams would be in the same memory, if one were released too early. */
static void a_staging_area_is_not_reused_while_rows_of_a_failed_copy_use_it(void **state)
{
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking),
                             *other = new_stream(first, hipStreamNonBlocking);
    unsigned char *nines = malloc(PIECE), *out = malloc(PIECE);
    unsigned char *memory = new_memory(first, PITCH * ROWS), *large = new_memory(first, PIECE);
    (void)state;
    memset(nines, 9, PIECE);
    for (int fills = 0; fills < 2; fills++) {
        fill_bytes(first, memory, 1, PITCH * ROWS, stream);
        ok(OPS->device_synchronize(first));
        fakehsa_hold(true);
        fail_row(10);
        hipError_t error = fills ? fill_rows(memory, 2, PITCH, ROW, ROWS, stream)
                                 : copy_rows(memory, out, PITCH - 64, ROWS, false, stream);
        assert_int_equal(error, hipErrorOutOfMemory);
        fakehsa_clear_faults();
        ok(OPS->copy_async(first, large, nines, PIECE, other));
        fakehsa_hold(false);
        ok(OPS->device_synchronize(first));
        ok(OPS->copy(first, out, large, PIECE));
        assert_true(all_bytes_are(out, PIECE, 9));
        ok(OPS->copy(first, out, memory, PITCH * ROWS));
        assert_true(all_bytes_are(out, ROW, fills ? 2 : 1));
    }
    ok(OPS->memory_free(first, memory));
    ok(OPS->memory_free(first, large));
    ok(OPS->stream_destroy(first, stream));
    ok(OPS->stream_destroy(first, other));
    free(nines);
    free(out);
}

/* An area that leaks is missed when there are no others. */
static void the_error_of_one_piece_is_returned_and_no_memory_leaks(void **state)
{
    enum { SIZE = 7 * PIECE };
    unsigned char *host = numbered(SIZE), *out = malloc(SIZE);
    void *memory = new_memory(first, SIZE);
    (void)state;
    for (unsigned round = 0; round < 24; round++) { /* more than there is staging memory for */
        fakehsa_fail("hsa_amd_memory_async_copy", 1 + round % 7, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
        assert_int_equal(round % 2 ? OPS->copy(first, memory, host, SIZE)
                                   : OPS->copy(first, out, memory, SIZE),
                         hipErrorOutOfMemory);
        ok(OPS->device_synchronize(first));
    }
    ok(OPS->copy(first, memory, host, SIZE));
    ok(OPS->copy(first, out, memory, SIZE));
    assert_memory_equal(host, out, SIZE);
    ok(OPS->memory_free(first, memory));
    free(host);
    free(out);
}

static void a_piece_that_fails_in_flight_fails_the_copy(void **state)
{
    enum { SIZE = 7 * PIECE };
    unsigned char *out = calloc(1, SIZE);
    (void)state;
    for (unsigned nth = 1; nth <= 7; nth += 3) {
        void *memory = new_memory(first, SIZE);
        fakehsa_fail("copy", nth, HSA_STATUS_ERROR_EXCEPTION);
        assert_int_equal(OPS->copy(first, out, memory, SIZE), hipErrorIllegalAddress);
        ok(OPS->device_reset(first));
    }
    free(out);
}

static void a_queued_copy_that_cannot_be_started_fails_the_device(void **state)
{
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    uint32_t *host = new_pinned(64);
    void *memory = new_memory(first, 64);
    struct gate gate = closed_gate(first, stream);
    (void)state;
    ok(OPS->copy_async(first, memory, host, 64, stream)); /* of the stream's thread, then */
    fakehsa_fail("hsa_amd_memory_async_copy", 1, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    open_gate(gate);
    assert_int_equal(OPS->stream_synchronize(first, stream), hipErrorOutOfMemory);
    assert_int_equal(OPS->device_synchronize(first), hipErrorOutOfMemory);
    ok(OPS->device_reset(first));
    memory = new_memory(first, 64);
    ok(OPS->copy(first, memory, &gate, sizeof gate));
    ok(OPS->memory_free(first, memory));
}

static void memory_to_which_devices_get_no_access_is_freed(void **state)
{
    static const unsigned flags[] = {hipDeviceMallocDefault, hipDeviceMallocContiguous,
                                     hipDeviceMallocFinegrained};
    struct fakehsa_counts before, after;
    void *memory;
    (void)state;
    ok(OPS->peer_enable(second, first));
    fakehsa_count(&before);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        fakehsa_fail("hsa_amd_agents_allow_access", 1, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
        assert_int_equal(OPS->memory_alloc(first, 4096, flags[i], &memory), hipErrorOutOfMemory);
        fakehsa_count(&after);
        assert_int_equal(after.device_allocations, before.device_allocations);
    }
    fakehsa_fail("hsa_amd_agents_allow_access", 1, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    assert_int_equal(OPS->host_alloc(first, 4096, hipHostMallocDefault, &memory),
                     hipErrorOutOfMemory);
    fakehsa_count(&after);
    assert_int_equal(after.host_allocations, before.host_allocations);
    ok(OPS->peer_disable(second, first));
}

/* ---- waiting ---------------------------------------------------------------------------- */

struct copier {
    struct ah_backend_stream *stream;
    void *dst;
    const void *src;
    unsigned copies;
    _Atomic unsigned done;
    hipError_t error;
};

/* Copies of whole staging areas. */
static void *copy_pieces(void *data)
{
    struct copier *copier = data;
    for (unsigned i = 0; i < copier->copies && copier->error == hipSuccess; i++) {
        copier->error = OPS->copy_async(first, copier->dst, copier->src, PIECE, copier->stream);
        atomic_fetch_add(&copier->done, 1);
    }
    return NULL;
}

/* Until the copier waits, or its thread gets no processor, in which case the test may miss a
 * defect. */
static void wait_until_it_stands(struct copier *copier)
{
    unsigned before = 0;
    for (int quiet = 0; quiet < 10;) {
        usleep(2000);
        unsigned done = atomic_load(&copier->done);
        quiet = done > 0 && done == before ? quiet + 1 : 0;
        before = done;
    }
}

static void a_copy_without_staging_memory_waits_for_some(void **state)
{
    struct copier copier = {.stream = new_stream(first, hipStreamNonBlocking), .copies = 20};
    unsigned char *host = numbered(PIECE), *out = malloc(PIECE);
    void *memory = new_memory(first, PIECE);
    pthread_t thread;
    (void)state;
    copier.dst = memory;
    copier.src = host;
    fakehsa_hold(true);
    assert_int_equal(pthread_create(&thread, NULL, copy_pieces, &copier), 0);
    wait_until_it_stands(&copier);
    assert_true(copier.done < copier.copies);
    fakehsa_hold(false);
    pthread_join(thread, NULL);
    ok(copier.error);
    ok(OPS->stream_synchronize(first, copier.stream));
    ok(OPS->copy(first, out, memory, PIECE));
    assert_memory_equal(host, out, PIECE);
    ok(OPS->memory_free(first, memory));
    ok(OPS->stream_destroy(first, copier.stream));
    free(host);
    free(out);
}

static void *copy_words(void *data)
{
    struct copier *copier = data;
    atomic_store(&copier->done, 1);
    copier->error = OPS->copy_async(first, copier->dst, copier->src, 64, copier->stream);
    return NULL;
}

static void a_copy_within_the_host_waits_for_its_stream(void **state)
{
    struct copier copier = {.stream = new_stream(first, hipStreamNonBlocking)};
    struct gate gate = closed_gate(first, copier.stream);
    unsigned char src[64], dst[64];
    pthread_t thread;
    (void)state;
    memset(src, 1, sizeof src);
    memset(dst, 0, sizeof dst);
    copier.dst = dst;
    copier.src = src;
    assert_int_equal(pthread_create(&thread, NULL, copy_words, &copier), 0);
    wait_until_it_stands(&copier);
    assert_true(all_bytes_are(dst, sizeof dst, 0));
    open_gate(gate);
    pthread_join(thread, NULL);
    ok(copier.error);
    assert_true(all_bytes_are(dst, sizeof dst, 1));
    ok(OPS->stream_synchronize(first, copier.stream));
    ok(OPS->stream_destroy(first, copier.stream));
    free_gate(gate);
}

/* Copies until there are no more signals, which the driver refuses too. */
static unsigned copies_until_signals_end(struct ah_backend_stream *stream, void *memory)
{
    enum { MOST = 100000 };
    unsigned char byte = 0;
    unsigned copies = 0;
    fakehsa_fail("hsa_signal_create", 0, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    fakehsa_fail("hsa_amd_signal_create", 0, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    while (copies < MOST && OPS->copy_async(first, memory, &byte, 1, stream) == hipSuccess)
        copies++;
    return copies < MOST ? copies : 0;
}

static void a_copy_that_cannot_be_queued_releases_its_staging_memory(void **state)
{
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    unsigned char *host = numbered(PIECE);
    void *memory = new_memory(first, PIECE);
    (void)state;
    ok(OPS->copy(first, memory, host, PIECE)); /* so that there is some */
    for (int round = 0; round < 20; round++) {
        fakehsa_hold(true);
        assert_true(copies_until_signals_end(stream, memory) > 0);
        assert_int_equal(OPS->copy_async(first, memory, host, PIECE - 4096, stream),
                         hipErrorOutOfMemory);
        fakehsa_clear_faults();
        fakehsa_hold(false);
        ok(OPS->stream_synchronize(first, stream));
    }
    for (int i = 0; i < 16; i++)
        ok(OPS->copy_async(first, memory, host, PIECE, stream));
    ok(OPS->stream_synchronize(first, stream));
    ok(OPS->memory_free(first, memory));
    ok(OPS->stream_destroy(first, stream));
    free(host);
}

static void memory_with_another_device_address_is_found_by_its_host_address(void **state)
{
    static char host[4096], native[4096];
    struct ahhsa_allocation *allocation = ahhsa_allocation_create(first, host, sizeof host,
                                                                  AH_MEMORY_HOST, AHHSA_REGISTERED),
                            *taken;
    (void)state;
    assert_non_null(allocation);
    allocation->device_pointer = native;
    assert_true(ahhsa_memory_add(backend, allocation));
    taken = ahhsa_memory_remove(backend, host, 1u << AHHSA_REGISTERED);
    assert_ptr_equal(taken, allocation);
    free(taken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_any_size_are_copied_there_and_back),
        cmocka_unit_test(fills_of_rows_change_nothing_between_them),
        cmocka_unit_test(a_fill_of_an_idle_stream_is_queued),
        cmocka_unit_test(the_caller_does_not_execute_large_fills_of_host_memory),
        cmocka_unit_test(rows_in_flight_when_a_copy_fails_are_waited_for),
        cmocka_unit_test(later_work_does_not_overtake_the_work_before_a_failed_copy),
        cmocka_unit_test(a_staging_area_is_not_reused_while_rows_of_a_failed_copy_use_it),
        cmocka_unit_test(the_error_of_one_piece_is_returned_and_no_memory_leaks),
        cmocka_unit_test(a_piece_that_fails_in_flight_fails_the_copy),
        cmocka_unit_test(a_queued_copy_that_cannot_be_started_fails_the_device),
        cmocka_unit_test(memory_to_which_devices_get_no_access_is_freed),
        cmocka_unit_test(a_copy_without_staging_memory_waits_for_some),
        cmocka_unit_test(a_copy_within_the_host_waits_for_its_stream),
        cmocka_unit_test(a_copy_that_cannot_be_queued_releases_its_staging_memory),
        cmocka_unit_test(memory_with_another_device_address_is_found_by_its_host_address),
    };
    return cmocka_run_group_tests(tests, open_two_devices, close_devices);
}
