/* Copies of linear memory, rows and boxes, to and from variables, between devices. */
#include "support.h"
#include "thread.h"

#include <hip/api/per_thread_default_stream.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 256, SIZE = WORDS * 4 };

/* ---- every function that copies a range ------------------------------------------------ */

enum direction { ANY, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE };

struct copy {
    const char *name;
    enum direction direction;
    bool with_stream;
    hipError_t (*call)(void *dst, void *src, size_t size, hipStream_t stream);
};

#define COPY(function, expression)                                                                 \
    static hipError_t function(void *dst, void *src, size_t size, hipStream_t stream)              \
    {                                                                                              \
        (void)stream;                                                                              \
        return expression;                                                                         \
    }
COPY(copy, hipMemcpy(dst, src, size, hipMemcpyDefault))
COPY(copy_with_stream, hipMemcpyWithStream(dst, src, size, hipMemcpyDefault, stream))
COPY(copy_async, hipMemcpyAsync(dst, src, size, hipMemcpyDefault, stream))
COPY(copy_spt, hipMemcpy_spt(dst, src, size, hipMemcpyDefault))
COPY(copy_async_spt, hipMemcpyAsync_spt(dst, src, size, hipMemcpyDefault, stream))
COPY(copy_htod, hipMemcpyHtoD(dst, src, size))
COPY(copy_dtoh, hipMemcpyDtoH(dst, src, size))
COPY(copy_dtod, hipMemcpyDtoD(dst, src, size))
COPY(copy_htod_async, hipMemcpyHtoDAsync(dst, src, size, stream))
COPY(copy_dtoh_async, hipMemcpyDtoHAsync(dst, src, size, stream))
COPY(copy_dtod_async, hipMemcpyDtoDAsync(dst, src, size, stream))
COPY(copy_peer, hipMemcpyPeer(dst, 0, src, 0, size))
COPY(copy_peer_async, hipMemcpyPeerAsync(dst, 0, src, 0, size, stream))

static const struct copy copies[] = {
    {"hipMemcpy", ANY, false, copy},
    {"hipMemcpyWithStream", ANY, true, copy_with_stream},
    {"hipMemcpyAsync", ANY, true, copy_async},
    {"hipMemcpy_spt", ANY, false, copy_spt},
    {"hipMemcpyAsync_spt", ANY, true, copy_async_spt},
    {"hipMemcpyHtoD", HOST_TO_DEVICE, false, copy_htod},
    {"hipMemcpyDtoH", DEVICE_TO_HOST, false, copy_dtoh},
    {"hipMemcpyDtoD", DEVICE_TO_DEVICE, false, copy_dtod},
    {"hipMemcpyHtoDAsync", HOST_TO_DEVICE, true, copy_htod_async},
    {"hipMemcpyDtoHAsync", DEVICE_TO_HOST, true, copy_dtoh_async},
    {"hipMemcpyDtoDAsync", DEVICE_TO_DEVICE, true, copy_dtod_async},
    {"hipMemcpyPeer", DEVICE_TO_DEVICE, false, copy_peer},
    {"hipMemcpyPeerAsync", DEVICE_TO_DEVICE, true, copy_peer_async},
};
enum { COPIES = sizeof copies / sizeof *copies };

struct ends {
    uint32_t *device, *other, host[WORDS], back[WORDS];
};

static void make_ends(struct ends *ends)
{
    ok(hipMalloc((void **)&ends->device, SIZE));
    ok(hipMalloc((void **)&ends->other, SIZE));
}

static void free_ends(struct ends *ends)
{
    ok(hipFree(ends->device));
    ok(hipFree(ends->other));
}

static void fill_host(uint32_t *words, uint32_t seed)
{
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = seed + i;
}

static bool moves(const struct copy *tried, enum direction direction)
{
    return tried->direction == ANY || tried->direction == direction;
}

static void every_copy_moves_the_data(void **state)
{
    struct ends ends;
    hipStream_t streams[3] = {NULL, hipStreamPerThread, NULL};
    (void)state;
    make_ends(&ends);
    ok(hipStreamCreate(&streams[2]));
    for (uint32_t i = 0; i < 3 * COPIES; i++) {
        const struct copy *tried = &copies[i % COPIES];
        hipStream_t stream = streams[i / COPIES];
        fill_host(ends.host, i * 1000);
        memset(ends.back, 0, SIZE);
        ok(hipMemset(ends.device, 0, SIZE));
        ok(hipMemset(ends.other, 0, SIZE));
        ok(moves(tried, HOST_TO_DEVICE) ? tried->call(ends.device, ends.host, SIZE, stream)
                                        : copy(ends.device, ends.host, SIZE, NULL));
        ok(hipDeviceSynchronize());
        ok(moves(tried, DEVICE_TO_DEVICE) ? tried->call(ends.other, ends.device, SIZE, stream)
                                          : copy(ends.other, ends.device, SIZE, NULL));
        ok(hipDeviceSynchronize());
        ok(moves(tried, DEVICE_TO_HOST) ? tried->call(ends.back, ends.other, SIZE, stream)
                                        : copy(ends.back, ends.other, SIZE, NULL));
        ok(hipDeviceSynchronize());
        if (memcmp(ends.back, ends.host, SIZE) != 0)
            fail_msg("%s lost data", tried->name);
    }
    ok(hipStreamDestroy(streams[2]));
    free_ends(&ends);
}

static void every_copy_checks_addresses_and_ranges(void **state)
{
    struct ends ends;
    (void)state;
    make_ends(&ends);
    for (size_t i = 0; i < COPIES; i++) {
        const struct copy *tried = &copies[i];
        void *dst = moves(tried, DEVICE_TO_HOST) ? (void *)ends.host : (void *)ends.device;
        void *src = moves(tried, HOST_TO_DEVICE) && tried->direction != ANY ? (void *)ends.host
                                                                            : (void *)ends.other;
        ok(tried->call(dst, src, 0, NULL));
        ok(tried->call(NULL, NULL, 0, NULL));
        expect(tried->call(NULL, src, SIZE, NULL), hipErrorInvalidValue);
        expect(tried->call(dst, NULL, SIZE, NULL), hipErrorInvalidValue);
        ok(tried->call(dst, src, SIZE, NULL));
        if (src == ends.other) {
            expect(tried->call(dst, src, SIZE + 1, NULL), hipErrorInvalidValue);
            expect(tried->call(dst, (char *)src + 1, SIZE, NULL), hipErrorInvalidValue);
            expect(tried->call(dst, src, SIZE_MAX, NULL), hipErrorInvalidValue);
        }
        if (dst == ends.device) {
            expect(tried->call((char *)dst + SIZE / 2, src, SIZE, NULL), hipErrorInvalidValue);
            expect(tried->call(dst, src, SIZE_MAX - 8, NULL), hipErrorInvalidValue);
        }
    }
    ok(hipDeviceSynchronize());
    free_ends(&ends);
}

/* Between the allocations of the copy before it a copy takes a shorter way. */
static void copies_one_after_the_other_are_each_checked(void **state)
{
    enum { LARGE = 2 * SIZE };
    static const char too_long[] = " reaches past the end of an allocation";
    char *small, *large, *later;
    hipStream_t stream;
    (void)state;
    ok(hipStreamCreate(&stream));
    for (int round = 0; round < 4; round++) {
        hipStream_t in = round % 2 ? stream : NULL;
        ok(hipMalloc((void **)&small, SIZE));
        ok(hipHostMalloc((void **)&large, LARGE, 0));
        memset(large, round, LARGE);
        for (int again = 0; again < 2; again++) {
            ok(hipMemcpyAsync(small, large + SIZE, SIZE, hipMemcpyHostToDevice, in));
            ok(hipMemcpyAsync(large, small, SIZE, hipMemcpyDeviceToHost, in));
            ok(hipMemcpyAsync(large, large + SIZE, SIZE, hipMemcpyDefault, in));
            expect_says(hipMemcpyAsync(large, small, SIZE + 1, hipMemcpyDefault, in),
                        hipErrorInvalidValue, too_long);
            expect_says(hipMemcpyAsync(large, small + 1, SIZE, hipMemcpyDefault, in),
                        hipErrorInvalidValue, too_long);
            expect_says(hipMemcpyAsync(small + SIZE - 8, large, 9, hipMemcpyDefault, in),
                        hipErrorInvalidValue, too_long);
            expect_says(hipMemcpyAsync(large + SIZE, large, SIZE + 1, hipMemcpyDefault, in),
                        hipErrorInvalidValue, too_long);
            expect(hipMemcpyAsync(NULL, small, 1, hipMemcpyDefault, in), hipErrorInvalidValue);
            expect(hipMemcpyAsync(large, small, SIZE, (hipMemcpyKind)99, in),
                   hipErrorInvalidMemcpyDirection);
        }
        ok(hipStreamSynchronize(in));
        check(large[0] == round && large[SIZE - 1] == round);
        ok(hipFree(small));
        ok(hipMalloc((void **)&later, SIZE / 2)); /* usually where the other was */
        ok(hipMemcpyAsync(later, large, SIZE / 2, hipMemcpyDefault, in));
        expect_says(hipMemcpyAsync(later, large, SIZE, hipMemcpyDefault, in), hipErrorInvalidValue,
                    too_long);
        ok(hipStreamSynchronize(in));
        ok(hipFree(later));
        ok(hipHostFree(large));
    }
    ok(hipStreamDestroy(stream));
}

static void an_unknown_direction_is_refused(void **state)
{
    struct ends ends;
    hipMemcpyKind wrong[] = {(hipMemcpyKind)-1, (hipMemcpyKind)5, (hipMemcpyKind)99};
    (void)state;
    make_ends(&ends);
    for (size_t i = 0; i < 3; i++) {
        expect(hipMemcpy(ends.device, ends.host, SIZE, wrong[i]), hipErrorInvalidMemcpyDirection);
        expect(hipMemcpyAsync(ends.device, ends.host, SIZE, wrong[i], NULL),
               hipErrorInvalidMemcpyDirection);
        expect(hipMemcpyWithStream(ends.device, ends.host, SIZE, wrong[i], NULL),
               hipErrorInvalidMemcpyDirection);
        expect(hipMemcpy_spt(ends.device, ends.host, SIZE, wrong[i]),
               hipErrorInvalidMemcpyDirection);
        expect(hipMemcpy2D(ends.device, 16, ends.host, 16, 16, 4, wrong[i]),
               hipErrorInvalidMemcpyDirection);
        expect(hipMemcpy2DAsync(ends.device, 16, ends.host, 16, 16, 4, wrong[i], NULL),
               hipErrorInvalidMemcpyDirection);
    }
    ok(hipMemcpy(ends.device, ends.other, SIZE, hipMemcpyDeviceToDeviceNoCU));
    free_ends(&ends);
}

static void a_direction_that_names_a_device_needs_memory_of_one(void **state)
{
    uint32_t from[4] = {1, 2, 3, 4}, to[4] = {0};
    (void)state;
    expect(hipMemcpy(to, from, sizeof to, hipMemcpyHostToDevice), hipErrorInvalidValue);
    expect(hipMemcpy(to, from, sizeof to, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    expect(hipMemcpy(to, from, sizeof to, hipMemcpyDeviceToDevice), hipErrorInvalidValue);
    check(to[3] == 0);
    ok(hipMemcpy(to, from, sizeof to, hipMemcpyDefault));
    check(to[3] == 4);
    to[3] = 0;
    ok(hipMemcpy(to, from, sizeof to, hipMemcpyHostToHost));
    check(to[3] == 4);
}

/* ---- when it happens --------------------------------------------------------------------- */

static void an_async_copy_from_page_locked_memory_reads_it_in_stream_order(void **state)
{
    uint32_t *pinned, *device, back;
    hipStream_t stream;
    (void)state;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipHostMalloc((void **)&pinned, 4, 0));
    ok(hipMalloc((void **)&device, 4));
    *pinned = 1;
    the_fake()->hold(true);
    ok(hipMemcpyAsync(device, pinned, 4, hipMemcpyHostToDevice, stream));
    expect(hipStreamQuery(stream), hipErrorNotReady);
    *pinned = 2;
    the_fake()->hold(false);
    ok(hipStreamSynchronize(stream));
    ok(hipMemcpy(&back, device, 4, hipMemcpyDeviceToHost));
    check(back == 2);
    ok(hipFree(device));
    ok(hipHostFree(pinned));
    ok(hipStreamDestroy(stream));
}

static void an_async_copy_from_pageable_memory_has_read_it_when_it_returns(void **state)
{
    uint32_t source = 1, *device, back;
    hipStream_t stream;
    (void)state;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipMalloc((void **)&device, 4));
    the_fake()->hold(true);
    ok(hipMemcpyAsync(device, &source, 4, hipMemcpyHostToDevice, stream));
    source = 2;
    the_fake()->hold(false);
    ok(hipStreamSynchronize(stream));
    ok(hipMemcpy(&back, device, 4, hipMemcpyDeviceToHost));
    check(back == 1);
    ok(hipFree(device));
    ok(hipStreamDestroy(stream));
}

static void a_blocking_copy_waits_for_the_stream_it_is_in(void **state)
{
    uint32_t *device, *pinned;
    hipStream_t stream;
    (void)state;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipMalloc((void **)&device, SIZE));
    ok(hipHostMalloc((void **)&pinned, SIZE, 0));
    for (uint32_t round = 1; round < 20; round++) {
        ok(launch_fill(device, round, WORDS, stream));
        ok(hipMemcpyWithStream(pinned, device, SIZE, hipMemcpyDeviceToHost, stream));
        check_words(pinned, WORDS, round);
    }
    ok(hipHostFree(pinned));
    ok(hipFree(device));
    ok(hipStreamDestroy(stream));
}

static void a_copy_within_a_device_does_not_block_the_host(void **state)
{
    struct ends ends;
    (void)state;
    make_ends(&ends);
    ok(hipMemset(ends.other, 9, SIZE));
    ok(hipDeviceSynchronize());
    the_fake()->hold(true);
    ok(hipMemcpy(ends.device, ends.other, SIZE, hipMemcpyDeviceToDevice));
    ok(hipMemcpyDtoD(ends.device, ends.other, SIZE));
    expect(hipStreamQuery(NULL), hipErrorNotReady);
    the_fake()->hold(false);
    ok(hipDeviceSynchronize());
    free_ends(&ends);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static void rows_are_copied_between_pitches(void **state)
{
    unsigned char *device, host[3][10], back[3][12];
    (void)state;
    ok(hipMalloc((void **)&device, 3 * 32));
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 10; x++)
            host[y][x] = (unsigned char)(16 * y + x);
    for (int async = 0; async < 2; async++) {
        memset(back, 0xee, sizeof back);
        ok(hipMemset(device, 0, 3 * 32));
        ok(async ? hipMemcpy2DAsync(device, 32, host, 10, 10, 3, hipMemcpyHostToDevice, NULL)
                 : hipMemcpy2D(device, 32, host, 10, 10, 3, hipMemcpyHostToDevice));
        ok(async ? hipMemcpy2DAsync_spt(back, 12, device, 32, 10, 3, hipMemcpyDeviceToHost, NULL)
                 : hipMemcpy2D_spt(back, 12, device, 32, 10, 3, hipMemcpyDeviceToHost));
        ok(hipDeviceSynchronize());
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 12; x++)
                check(back[y][x] == (x < 10 ? 16 * y + x : 0xee));
    }
    ok(hipFree(device));
}

enum { BOX_WIDTH = 40, BOX_HEIGHT = 5, BOX_DEPTH = 3, BOX_PITCH = 64, BOX_ROWS = 7 };
enum { BOX_BYTES = BOX_PITCH * BOX_ROWS * BOX_DEPTH };

static hipMemcpy3DParms box_copy(void *dst, void *src, hipMemcpyKind kind)
{
    return (hipMemcpy3DParms){
        .srcPtr = {src, BOX_PITCH, BOX_WIDTH, BOX_ROWS},
        .dstPtr = {dst, BOX_PITCH, BOX_WIDTH, BOX_ROWS},
        .extent = {BOX_WIDTH, BOX_HEIGHT, BOX_DEPTH},
        .kind = kind,
    };
}

/* What lies between the rows and the slices stays as it is. */
static void check_box(const unsigned char *got)
{
    for (size_t i = 0; i < BOX_BYTES; i++) {
        bool inside = i % BOX_PITCH < BOX_WIDTH && i / BOX_PITCH % BOX_ROWS < BOX_HEIGHT;
        check(got[i] == (inside ? (unsigned char)(i * 7) : 0xee));
    }
}

static void check_boxes(void *first, void *second)
{
    unsigned char host[BOX_BYTES], back[BOX_BYTES];
    for (size_t i = 0; i < BOX_BYTES; i++)
        host[i] = (unsigned char)(i * 7);
    memset(back, 0xee, sizeof back);
    ok(hipMemset(first, 0, BOX_BYTES));
    ok(hipMemset(second, 0, BOX_BYTES));
    hipMemcpy3DParms in = box_copy(first, host, hipMemcpyDefault);
    hipMemcpy3DParms across = box_copy(second, first, hipMemcpyDefault);
    hipMemcpy3DParms out = box_copy(back, second, hipMemcpyDefault);
    ok(hipMemcpy3D(&in));
    ok(hipMemcpy3D(&across));
    ok(hipMemcpy3D(&out));
    check_box(back);
}

/* If an engine cannot copy boxes, rows are copied one by one. */
static void boxes_are_copied_between_every_two_places(void **state)
{
    void *memory[2], *pinned;
    (void)state;
    ok(hipMalloc(&memory[0], BOX_BYTES));
    ok(hipMalloc(&memory[1], BOX_BYTES));
    ok(hipHostMalloc(&pinned, BOX_BYTES, 0));
    for (int rows = 0; rows < 2; rows++) {
        if (rows && over_hsa())
            fakehsa_fail("hsa_amd_memory_async_copy_rect", 0, HSA_OUT_OF_RESOURCES);
        check_boxes(memory[0], memory[1]);
        check_boxes(memory[0], pinned);
        check_boxes(pinned, memory[1]);
    }
    if (over_hsa())
        fakehsa_clear_faults();
    ok(hipHostFree(pinned));
    ok(hipFree(memory[0]));
    ok(hipFree(memory[1]));
}

/* More rows than fit into one piece, and a row that does not fit into any. */
static void many_and_long_rows_of_pageable_memory_are_copied(void **state)
{
    static const struct {
        size_t width, pitch, rows;
    } cases[] = {{1000, 1024, 5000}, {3 << 20, (3 << 20) + 256, 2}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t width = cases[c].width, pitch = cases[c].pitch, rows = cases[c].rows;
        size_t bytes = pitch * (rows + 2); /* two more, which stay as they are */
        unsigned char *host = malloc(bytes), *back = malloc(bytes), *memory;
        for (size_t i = 0; i < bytes; i++)
            host[i] = (unsigned char)(i * 31 >> 3);
        memset(back, 0xee, bytes);
        ok(hipMalloc((void **)&memory, bytes));
        ok(hipMemset(memory, 0xdd, bytes));
        ok(hipMemcpy2D(memory, pitch, host, pitch, width, rows, hipMemcpyHostToDevice));
        ok(hipMemcpy2D(back, pitch, memory, pitch, width, rows, hipMemcpyDeviceToHost));
        for (size_t y = 0; y < rows; y++)
            check(memcmp(back + y * pitch, host + y * pitch, width) == 0 &&
                  back[y * pitch + width] == 0xee);
        for (size_t i = rows * pitch; i < bytes; i++)
            check(back[i] == 0xee);
        ok(hipMemcpy(back, memory, bytes, hipMemcpyDeviceToHost));
        for (size_t i = rows * pitch; i < bytes; i++)
            check(back[i] == 0xdd);
        ok(hipFree(memory));
        free(host);
        free(back);
    }
}

/* A thread that copies to pageable memory. The copy has been made when it returns. */
struct copier {
    hipError_t (*copy)(struct copier *copier);
    hipStream_t stream;
    char *from, *to;
    _Atomic(pid_t) thread;
    _Atomic(bool) done;
    hipError_t error;
    bool complete; /* when the copy had returned */
};

enum { COPIED_ROW = 1000, COPIED_PITCH = 1024, COPIED_ROWS = 128 };

static void *run_copier(void *data)
{
    struct copier *copier = data;
    copier->thread = gettid();
    copier->error = copier->copy(copier);
    copier->complete = true;
    for (size_t y = 0; y < COPIED_ROWS; y++)
        for (size_t x = 0; x < COPIED_ROW; x++)
            copier->complete &= copier->to[y * COPIED_PITCH + x] == 5;
    copier->done = true;
    return NULL;
}

/* Returns when the copy waits, or is done. */
static pthread_t start_copier(struct copier *copier)
{
    pthread_t thread;
    check(pthread_create(&thread, NULL, run_copier, copier) == 0);
    while (!copier->done && !ah_test_sleeps(copier->thread))
        usleep(1000);
    return thread;
}

static hipError_t copy_the_rows(struct copier *copier)
{
    return hipMemcpy2DAsync(copier->to, COPIED_PITCH, copier->from, COPIED_PITCH, COPIED_ROW,
                            COPIED_ROWS, hipMemcpyDefault, copier->stream);
}

static void
rows_of_page_locked_memory_are_there_when_the_copy_to_pageable_memory_returns(void **state)
{
    struct copier copier = {.copy = copy_the_rows};
    (void)state;
    copier.to = calloc(COPIED_ROWS, COPIED_PITCH);
    ok(hipHostMalloc((void **)&copier.from, COPIED_ROWS * COPIED_PITCH, 0));
    memset(copier.from, 5, COPIED_ROWS * COPIED_PITCH);
    ok(hipStreamCreateWithFlags(&copier.stream, hipStreamNonBlocking));
    struct gate gate = close_gate(copier.stream);
    pthread_t thread = start_copier(&copier);
    open_gate(&gate);
    pthread_join(thread, NULL);
    ok(copier.error);
    check(copier.complete);
    ok(hipStreamSynchronize(copier.stream));
    free_gate(&gate);
    ok(hipStreamDestroy(copier.stream));
    ok(hipHostFree(copier.from));
    free(copier.to);
}

enum { STAGED = 8 << 20 }; /* all staging memory of a device, over HSA */

static hipError_t copy_behind_others(struct copier *copier)
{
    static char pageable[STAGED];
    hipError_t error = hipMemcpyAsync(copier->from + COPIED_ROWS * COPIED_PITCH, pageable, STAGED,
                                      hipMemcpyHostToDevice, copier->stream);
    if (error != hipSuccess)
        return error;
    return hipMemcpy(copier->to, copier->from, COPIED_ROWS * COPIED_PITCH, hipMemcpyDeviceToHost);
}

static void a_copy_waits_for_staging_memory_that_others_use(void **state)
{
    struct copier copier = {.copy = copy_behind_others};
    (void)state;
    copier.to = calloc(COPIED_ROWS, COPIED_PITCH);
    ok(hipMalloc((void **)&copier.from, COPIED_ROWS * COPIED_PITCH + STAGED));
    ok(hipMemset(copier.from, 5, COPIED_ROWS * COPIED_PITCH));
    ok(hipDeviceSynchronize());
    ok(hipStreamCreateWithFlags(&copier.stream, hipStreamNonBlocking));
    the_fake()->hold(true);
    pthread_t thread = start_copier(&copier);
    the_fake()->hold(false);
    pthread_join(thread, NULL);
    ok(copier.error);
    check(copier.complete);
    ok(hipStreamSynchronize(copier.stream));
    ok(hipStreamDestroy(copier.stream));
    ok(hipFree(copier.from));
    free(copier.to);
}

static void copies_of_rows_check_pitches_and_ranges(void **state)
{
    unsigned char *device, host[4 * 64] = {0};
    (void)state;
    ok(hipMalloc((void **)&device, 4 * 64));
    ok(hipMemcpy2D(device, 64, host, 64, 64, 4, hipMemcpyHostToDevice));
    ok(hipMemcpy2D(device, 64, host, 64, 0, 4, hipMemcpyHostToDevice));
    ok(hipMemcpy2D(NULL, 64, NULL, 64, 16, 0, hipMemcpyHostToDevice));
    expect(hipMemcpy2D(NULL, 64, host, 64, 64, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
    expect(hipMemcpy2D(device, 64, NULL, 64, 64, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
    expect(hipMemcpy2D(device, 63, host, 64, 64, 4, hipMemcpyHostToDevice),
           hipErrorInvalidPitchValue);
    expect(hipMemcpy2D(device, 64, host, 63, 64, 4, hipMemcpyHostToDevice),
           hipErrorInvalidPitchValue);
    expect(hipMemcpy2D(device, 64, host, 64, 64, 5, hipMemcpyHostToDevice), hipErrorInvalidValue);
    expect(hipMemcpy2D(device + 1, 64, host, 64, 64, 4, hipMemcpyHostToDevice),
           hipErrorInvalidValue);
    expect(hipMemcpy2D(host, 64, device, 80, 64, 4, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    expect(hipMemcpy2D(host, SIZE_MAX, device, SIZE_MAX, 64, SIZE_MAX, hipMemcpyDeviceToHost),
           hipErrorInvalidValue);
    /* The last row needs no room beyond its width. */
    ok(hipMemcpy2D(device, 80, host, 64, 16, 4, hipMemcpyHostToDevice));
    ok(hipFree(device));
}

/* ---- boxes --------------------------------------------------------------------------------- */

enum { BOX = 4 }; /* of every side */

static void make_box(unsigned char *box, size_t size)
{
    for (size_t i = 0; i < size; i++)
        box[i] = (unsigned char)i;
}

static hipError_t copy_box(const hipMemcpy3DParms *params, int way)
{
    hipMemcpy3DPeerParms peer = {
        .srcArray = params->srcArray,
        .srcPos = params->srcPos,
        .srcPtr = params->srcPtr,
        .dstArray = params->dstArray,
        .dstPos = params->dstPos,
        .dstPtr = params->dstPtr,
        .extent = params->extent,
    };
    switch (way) {
    case 0:
        return hipMemcpy3D(params);
    case 1:
        return hipMemcpy3DAsync(params, NULL);
    case 2:
        return hipMemcpy3D_spt(params);
    case 3:
        return hipMemcpy3DAsync_spt(params, NULL);
    case 4:
        return hipMemcpy3DPeer(&peer);
    default:
        return hipMemcpy3DPeerAsync(&peer, NULL);
    }
}

static void a_part_of_a_box_is_copied_to_its_place_in_another(void **state)
{
    unsigned char host[BOX * BOX * BOX], back[BOX * BOX * BOX];
    hipPitchedPtr device;
    (void)state;
    make_box(host, sizeof host);
    ok(hipMalloc3D(&device, (hipExtent){BOX, BOX, BOX}));
    for (int way = 0; way < 6; way++) {
        ok(hipMemset3D(device, 0xee, (hipExtent){BOX, BOX, BOX}));
        hipMemcpy3DParms to = {
            .srcPtr = {host, BOX, BOX, BOX},
            .srcPos = {1, 0, 2},
            .dstPtr = device,
            .dstPos = {0, 2, 1},
            .extent = {3, 2, 2},
            .kind = hipMemcpyHostToDevice,
        };
        hipMemcpy3DParms from = {
            .srcPtr = device,
            .dstPtr = {back, BOX, BOX, BOX},
            .extent = {BOX, BOX, BOX},
            .kind = hipMemcpyDeviceToHost,
        };
        ok(copy_box(&to, way));
        ok(copy_box(&from, way));
        ok(hipDeviceSynchronize());
        for (int z = 0; z < BOX; z++)
            for (int y = 0; y < BOX; y++)
                for (int x = 0; x < BOX; x++) {
                    bool in = x < 3 && y >= 2 && z >= 1 && z < 3;
                    int source = ((z - 1 + 2) * BOX + (y - 2)) * BOX + x + 1;
                    check(back[(z * BOX + y) * BOX + x] == (in ? source : 0xee));
                }
    }
    ok(hipFree(device.ptr));
}

static void copies_of_boxes_check_their_description(void **state)
{
    unsigned char host[BOX * BOX * BOX] = {0};
    hipPitchedPtr device;
    (void)state;
    ok(hipMalloc3D(&device, (hipExtent){BOX, BOX, BOX}));
    const hipMemcpy3DParms good = {
        .srcPtr = {host, BOX, BOX, BOX},
        .dstPtr = device,
        .extent = {BOX, BOX, BOX},
        .kind = hipMemcpyHostToDevice,
    };
    hipMemcpy3DParms bad;
    ok(hipMemcpy3D(&good));
    expect(hipMemcpy3D(NULL), hipErrorInvalidValue);
    expect(hipMemcpy3DAsync(NULL, NULL), hipErrorInvalidValue);
    expect(hipMemcpy3DPeer(NULL), hipErrorInvalidValue);
    expect(hipMemcpy3DPeerAsync(NULL, NULL), hipErrorInvalidValue);
#define BAD(field, value, error)                                                                   \
    bad = good;                                                                                    \
    bad.field = value;                                                                             \
    expect(hipMemcpy3D(&bad), error);                                                              \
    expect(hipMemcpy3DAsync(&bad, NULL), error)
    BAD(srcPtr.ptr, NULL, hipErrorInvalidValue);
    BAD(dstPtr.ptr, NULL, hipErrorInvalidValue);
    BAD(srcPtr.pitch, BOX - 1, hipErrorInvalidPitchValue);
    BAD(dstPtr.pitch, BOX - 1, hipErrorInvalidPitchValue);
    BAD(kind, (hipMemcpyKind)77, hipErrorInvalidMemcpyDirection);
    BAD(extent.width, BOX + 1, hipErrorInvalidValue);
    BAD(extent.depth, BOX + 1, hipErrorInvalidValue);
    BAD(extent.height, 3 * BOX, hipErrorInvalidValue);
    BAD(dstPos.z, 1, hipErrorInvalidValue);
    BAD(dstPos.z, SIZE_MAX, hipErrorInvalidValue);
    BAD(dstPos.x, SIZE_MAX, hipErrorInvalidValue);
    BAD(dstPos.x, device.pitch, hipErrorInvalidValue);
    BAD(extent.width, 0, hipSuccess);
    BAD(extent.height, 0, hipSuccess);
    BAD(extent.depth, 0, hipSuccess);
#undef BAD
    hipMemcpy3DPeerParms peer = {
        .srcPtr = good.srcPtr, .dstPtr = good.dstPtr, .extent = good.extent};
    ok(hipMemcpy3DPeer(&peer));
    peer.dstDevice = 2;
    expect(hipMemcpy3DPeer(&peer), hipErrorInvalidDevice);
    peer.dstDevice = 0;
    peer.srcDevice = -1;
    expect(hipMemcpy3DPeerAsync(&peer, NULL), hipErrorInvalidDevice);
    ok(hipFree(device.ptr));
}

/* ---- the driver's descriptions --------------------------------------------------------------- */

static hipError_t copy_param_2d(const hip_Memcpy2D *copy, int way)
{
    return way == 0   ? hipMemcpyParam2D(copy)
           : way == 1 ? hipMemcpyParam2DAsync(copy, NULL)
                      : hipDrvMemcpy2DUnaligned(copy);
}

static void rows_described_as_the_driver_does_are_copied(void **state)
{
    unsigned char host[4 * 16], back[4 * 16];
    unsigned char *device;
    (void)state;
    make_box(host, sizeof host);
    ok(hipMalloc((void **)&device, sizeof host));
    for (int way = 0; way < 3; way++) {
        ok(hipMemset(device, 0xee, sizeof host));
        hip_Memcpy2D to = {
            .srcMemoryType = hipMemoryTypeHost,
            .srcHost = host,
            .srcPitch = 16,
            .srcXInBytes = 2,
            .srcY = 1,
            .dstMemoryType = hipMemoryTypeDevice,
            .dstDevice = device,
            .dstPitch = 16,
            .dstXInBytes = 4,
            .dstY = 0,
            .WidthInBytes = 8,
            .Height = 3,
        };
        hip_Memcpy2D from = {
            .srcMemoryType = hipMemoryTypeUnified,
            .srcDevice = device,
            .dstMemoryType = hipMemoryTypeHost,
            .dstHost = back,
            .WidthInBytes = 16, /* pitches of 0 are the width */
            .Height = 4,
        };
        ok(copy_param_2d(&to, way));
        ok(copy_param_2d(&from, way));
        ok(hipDeviceSynchronize());
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 16; x++) {
                bool in = y < 3 && x >= 4 && x < 12;
                check(back[y * 16 + x] == (in ? (y + 1) * 16 + x - 2 : 0xee));
            }
    }
    ok(hipFree(device));
}

static void the_drivers_descriptions_are_checked(void **state)
{
    unsigned char host[4 * 16] = {0};
    unsigned char *device;
    (void)state;
    ok(hipMalloc((void **)&device, sizeof host));
    const hip_Memcpy2D good = {
        .srcMemoryType = hipMemoryTypeHost,
        .srcHost = host,
        .srcPitch = 16,
        .dstMemoryType = hipMemoryTypeDevice,
        .dstDevice = device,
        .dstPitch = 16,
        .WidthInBytes = 16,
        .Height = 4,
    };
    hip_Memcpy2D bad;
    for (int way = 0; way < 3; way++) {
        ok(copy_param_2d(&good, way));
        expect(copy_param_2d(NULL, way), hipErrorInvalidValue);
#define BAD(field, value, error)                                                                   \
    bad = good;                                                                                    \
    bad.field = value;                                                                             \
    expect(copy_param_2d(&bad, way), error)
        BAD(srcMemoryType, (hipMemoryType)77, hipErrorInvalidValue);
        BAD(dstMemoryType, (hipMemoryType)77, hipErrorInvalidValue);
        BAD(srcHost, NULL, hipErrorInvalidValue);
        BAD(dstDevice, NULL, hipErrorInvalidValue);
        BAD(Height, 5, hipErrorInvalidValue);
        BAD(dstY, 1, hipErrorInvalidValue);
        BAD(srcPitch, 15, hipErrorInvalidValue);
        BAD(dstPitch, 15, hipErrorInvalidValue);
        BAD(dstXInBytes, 1, hipErrorInvalidValue);
        BAD(Height, 0, hipSuccess);
        BAD(WidthInBytes, 0, hipSuccess);
#undef BAD
    }
    ok(hipFree(device));
}

static void boxes_described_as_the_driver_does_are_copied(void **state)
{
    unsigned char host[BOX * BOX * BOX], back[BOX * BOX * BOX];
    unsigned char *device;
    (void)state;
    make_box(host, sizeof host);
    ok(hipMalloc((void **)&device, sizeof host));
    HIP_MEMCPY3D to = {
        .srcMemoryType = hipMemoryTypeHost,
        .srcHost = host,
        .srcPitch = BOX,
        .srcHeight = BOX,
        .dstMemoryType = hipMemoryTypeDevice,
        .dstDevice = device,
        .dstPitch = BOX,
        .dstHeight = BOX,
        .WidthInBytes = BOX,
        .Height = BOX,
        .Depth = BOX,
    };
    HIP_MEMCPY3D from = {
        .srcMemoryType = hipMemoryTypeDevice,
        .srcDevice = device,
        .dstMemoryType = hipMemoryTypeHost,
        .dstHost = back,
        .WidthInBytes = BOX,
        .Height = BOX,
        .Depth = BOX,
    };
    ok(hipDrvMemcpy3D(&to));
    ok(hipDrvMemcpy3DAsync(&from, NULL));
    ok(hipDeviceSynchronize());
    check(memcmp(host, back, sizeof host) == 0);
    expect(hipDrvMemcpy3D(NULL), hipErrorInvalidValue);
    expect(hipDrvMemcpy3DAsync(NULL, NULL), hipErrorInvalidValue);
    to.dstZ = 1;
    expect(hipDrvMemcpy3D(&to), hipErrorInvalidValue);
    to.dstZ = 0;
    to.dstMemoryType = (hipMemoryType)77;
    expect(hipDrvMemcpy3DAsync(&to, NULL), hipErrorInvalidValue);
    ok(hipFree(device));
}

/* ---- variables ----------------------------------------------------------------------------------
 */

static hipError_t copy_to_symbol(const void *symbol, const void *src, size_t size, size_t offset,
                                 hipMemcpyKind kind, int way)
{
    return way == 0   ? hipMemcpyToSymbol(symbol, src, size, offset, kind)
           : way == 1 ? hipMemcpyToSymbolAsync(symbol, src, size, offset, kind, NULL)
           : way == 2 ? hipMemcpyToSymbol_spt(symbol, src, size, offset, kind)
                      : hipMemcpyToSymbolAsync_spt(symbol, src, size, offset, kind, NULL);
}

static hipError_t copy_from_symbol(void *dst, const void *symbol, size_t size, size_t offset,
                                   hipMemcpyKind kind, int way)
{
    return way == 0   ? hipMemcpyFromSymbol(dst, symbol, size, offset, kind)
           : way == 1 ? hipMemcpyFromSymbolAsync(dst, symbol, size, offset, kind, NULL)
           : way == 2 ? hipMemcpyFromSymbol_spt(dst, symbol, size, offset, kind)
                      : hipMemcpyFromSymbolAsync_spt(dst, symbol, size, offset, kind, NULL);
}

static void variables_are_copied_to_and_from(void **state)
{
    uint32_t words[16], back[16], *device;
    (void)state;
    ok(hipMalloc((void **)&device, sizeof words));
    for (int way = 0; way < 4; way++) {
        for (uint32_t i = 0; i < 16; i++)
            words[i] = 100 * (uint32_t)way + i;
        ok(copy_to_symbol(&table_variable, words, sizeof words, 0, hipMemcpyHostToDevice, way));
        ok(copy_to_symbol(&table_variable, words, 8, 16, hipMemcpyDefault, way));
        ok(hipDeviceSynchronize());
        ok(copy_from_symbol(back, &table_variable, sizeof back, 0, hipMemcpyDeviceToHost, way));
        ok(hipDeviceSynchronize());
        check(back[3] == words[3] && back[4] == words[0] && back[5] == words[1] &&
              back[15] == words[15]);
        ok(copy_from_symbol(device, &table_variable, sizeof back, 0, hipMemcpyDeviceToDevice, way));
        ok(copy_to_symbol(&table_variable, device, sizeof back, 0, hipMemcpyDeviceToDevice, way));
        ok(hipDeviceSynchronize());
    }
    ok(hipFree(device));
}

static void copies_of_variables_check_variable_range_and_direction(void **state)
{
    uint32_t word = 0;
    int local;
    (void)state;
    for (int way = 0; way < 4; way++) {
        expect(copy_to_symbol(NULL, &word, 4, 0, hipMemcpyHostToDevice, way),
               hipErrorInvalidSymbol);
        expect(copy_to_symbol(&local, &word, 4, 0, hipMemcpyHostToDevice, way),
               hipErrorInvalidSymbol);
        expect(copy_to_symbol(&fill_kernel, &word, 4, 0, hipMemcpyHostToDevice, way),
               hipErrorInvalidSymbol);
        expect(copy_to_symbol(&counter_variable, NULL, 4, 0, hipMemcpyHostToDevice, way),
               hipErrorInvalidValue);
        expect(copy_to_symbol(&counter_variable, &word, 5, 0, hipMemcpyHostToDevice, way),
               hipErrorInvalidValue);
        expect(copy_to_symbol(&counter_variable, &word, 1, 4, hipMemcpyHostToDevice, way),
               hipErrorInvalidValue);
        expect(copy_to_symbol(&counter_variable, &word, 4, SIZE_MAX, hipMemcpyHostToDevice, way),
               hipErrorInvalidValue);
        expect(copy_to_symbol(&counter_variable, &word, 4, 0, hipMemcpyDeviceToHost, way),
               hipErrorInvalidMemcpyDirection);
        expect(copy_to_symbol(&counter_variable, &word, 4, 0, hipMemcpyHostToHost, way),
               hipErrorInvalidMemcpyDirection);
        expect(copy_to_symbol(&counter_variable, &word, 4, 0, (hipMemcpyKind)77, way),
               hipErrorInvalidMemcpyDirection);
        expect(copy_from_symbol(&word, NULL, 4, 0, hipMemcpyDeviceToHost, way),
               hipErrorInvalidSymbol);
        expect(copy_from_symbol(&word, &local, 4, 0, hipMemcpyDeviceToHost, way),
               hipErrorInvalidSymbol);
        expect(copy_from_symbol(NULL, &counter_variable, 4, 0, hipMemcpyDeviceToHost, way),
               hipErrorInvalidValue);
        expect(copy_from_symbol(&word, &counter_variable, 4, 1, hipMemcpyDeviceToHost, way),
               hipErrorInvalidValue);
        expect(copy_from_symbol(&word, &counter_variable, 4, 0, hipMemcpyHostToDevice, way),
               hipErrorInvalidMemcpyDirection);
    }
}

static void a_variable_has_an_address_and_a_size_on_each_device(void **state)
{
    void *address[2];
    size_t size;
    int local;
    (void)state;
    for (int device = 0; device < 2; device++) {
        hipPointerAttribute_t attributes;
        ok(hipSetDevice(device));
        ok(hipGetSymbolAddress(&address[device], &table_variable));
        ok(hipGetSymbolSize(&size, &table_variable));
        check(size == 64);
        ok(hipPointerGetAttributes(&attributes, address[device]));
        check(attributes.device == device && attributes.type == hipMemoryTypeDevice);
    }
    check(address[0] != address[1]);
    expect(hipGetSymbolAddress(NULL, &table_variable), hipErrorInvalidValue);
    expect(hipGetSymbolAddress(&address[0], NULL), hipErrorInvalidSymbol);
    expect(hipGetSymbolAddress(&address[0], &local), hipErrorInvalidSymbol);
    expect(hipGetSymbolAddress(&address[0], &fill_kernel), hipErrorInvalidSymbol);
    expect(hipGetSymbolSize(NULL, &table_variable), hipErrorInvalidValue);
    expect(hipGetSymbolSize(&size, NULL), hipErrorInvalidSymbol);
    expect(hipGetSymbolSize(&size, &local), hipErrorInvalidSymbol);
}

/* ---- two devices
 * ---------------------------------------------------------------------------------- */

static void memory_is_copied_between_devices(void **state)
{
    uint32_t *first, *second, back[WORDS];
    hipStream_t stream;
    (void)state;
    ok(hipMalloc((void **)&first, SIZE));
    ok(hipStreamCreate(&stream));
    ok(hipSetDevice(1));
    ok(hipMalloc((void **)&second, SIZE));
    ok(hipMemsetD32(second, 5, WORDS));
    ok(hipDeviceSynchronize());
    ok(hipSetDevice(0));
    ok(hipMemcpyPeer(first, 0, second, 1, SIZE));
    ok(hipMemcpy(back, first, SIZE, hipMemcpyDeviceToHost));
    check_words(back, WORDS, 5);
    ok(hipMemsetD32Async(first, 6, WORDS, stream));
    ok(hipMemcpyPeerAsync(second, 1, first, 0, SIZE, stream));
    ok(hipStreamSynchronize(stream));
    ok(hipMemcpy(back, second, SIZE, hipMemcpyDefault));
    check_words(back, WORDS, 6);
    ok(hipMemset(first, 0, SIZE));
    ok(hipMemcpy(first, second, SIZE, hipMemcpyDeviceToDevice));
    ok(hipMemcpy(back, first, SIZE, hipMemcpyDeviceToHost));
    check_words(back, WORDS, 6);
    ok(hipMemcpy2D(second, 64, first, 64, 64, 16, hipMemcpyDeviceToDevice));
    expect(hipMemcpyPeer(first, 2, second, 1, SIZE), hipErrorInvalidDevice);
    expect(hipMemcpyPeer(first, 0, second, -1, SIZE), hipErrorInvalidDevice);
    expect(hipMemcpyPeerAsync(first, 0, second, 7, SIZE, stream), hipErrorInvalidDevice);
    ok(hipStreamDestroy(stream));
    ok(hipFree(second));
    ok(hipFree(first));
}

static void a_copy_between_devices_in_a_stream_does_not_block_the_host(void **state)
{
    uint32_t *first, *second, back[WORDS];
    hipStream_t stream;
    (void)state;
    ok(hipMalloc((void **)&first, SIZE));
    ok(hipMemsetD32(first, 7, WORDS));
    ok(hipSetDevice(1));
    ok(hipMalloc((void **)&second, SIZE));
    ok(hipSetDevice(0));
    ok(hipDeviceSynchronize());
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    struct gate gate = close_gate(stream);
    ok(hipMemcpyPeerAsync(second, 1, first, 0, SIZE, stream));
    expect(hipStreamQuery(stream), hipErrorNotReady);
    open_gate(&gate);
    ok(hipStreamSynchronize(stream));
    free_gate(&gate);
    ok(hipMemcpy(back, second, SIZE, hipMemcpyDefault));
    check_words(back, WORDS, 7);
    ok(hipStreamDestroy(stream));
    ok(hipFree(second));
    ok(hipFree(first));
}

/* Fills the memory of the current device after a while. */
static void fill_late(uint32_t *memory, uint32_t value)
{
    uint32_t milliseconds = 30;
    void *args[] = {&milliseconds};
    ok(hipLaunchKernel(&spin_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL));
    ok(launch_fill(memory, value, WORDS, NULL));
}

static void copies_between_devices_come_after_the_work_of_both(void **state)
{
    uint32_t *first, *second, back[WORDS];
    (void)state;
    ok(hipMalloc((void **)&first, SIZE));
    ok(hipSetDevice(1));
    ok(hipMalloc((void **)&second, SIZE));
    for (uint32_t way = 1; way <= 4; way++) {
        hipMemcpy3DPeerParms box = {
            .srcPtr = {first, SIZE, SIZE, 1},
            .srcDevice = 0,
            .dstPtr = {second, SIZE, SIZE, 1},
            .dstDevice = 1,
            .extent = {SIZE, 1, 1},
        };
        ok(hipSetDevice(0));
        fill_late(first, way);
        ok(hipSetDevice(1));
        switch (way) {
        case 1:
            ok(hipMemcpyPeer(second, 1, first, 0, SIZE));
            break;
        case 2:
            ok(hipMemcpy(second, first, SIZE, hipMemcpyDeviceToDevice));
            break;
        case 3:
            ok(hipMemcpy2D(second, SIZE, first, SIZE, SIZE, 1, hipMemcpyDefault));
            break;
        default:
            ok(hipMemcpy3DPeer(&box));
        }
        ok(hipMemcpy(back, second, SIZE, hipMemcpyDeviceToHost));
        check_words(back, WORDS, way);
    }
    ok(hipFree(second));
    ok(hipFree(first));
}

static void copies_in_a_stream_of_another_device_than_the_current_one_work(void **state)
{
    uint32_t *second, back[WORDS];
    hipStream_t stream;
    (void)state;
    ok(hipSetDevice(1));
    ok(hipStreamCreate(&stream));
    ok(hipMalloc((void **)&second, SIZE));
    ok(hipSetDevice(0));
    ok(hipMemsetD32Async(second, 8, WORDS, stream));
    ok(hipMemcpyAsync(back, second, SIZE, hipMemcpyDeviceToHost, stream));
    ok(hipStreamSynchronize(stream));
    check_words(back, WORDS, 8);
    ok(hipFree(second));
    ok(hipStreamDestroy(stream));
}

/* ---- AMD_SERIALIZE_COPY --------------------------------------------------------------------- */

static struct {
    struct gate gate;
    unsigned copies_before; /* how many the driver had been asked for when it was to wait */
    bool waited;
} serial;

static void let_go(void *unused)
{
    (void)unused;
    serial.waited = true;
    serial.copies_before = fakecuda_calls("cuMemcpyAsync");
    open_gate(&serial.gate);
}

/* 1: the host waits for the stream before the copy, 2: after it, 3: both. */
static void check_serialized(const char *setting, bool before, bool after)
{
    uint32_t *from, *to;
    hipStream_t stream;
    use_fake("80");
    setenv("AMD_SERIALIZE_COPY", setting, 1);
    check(start_kernels(NULL) == 0);
    ok(hipMalloc((void **)&from, SIZE));
    ok(hipMalloc((void **)&to, SIZE));
    ok(hipStreamCreate(&stream));
    unsigned asked = fakecuda_calls("cuMemcpyAsync"), waits = fakecuda_calls("cuStreamSynchronize");
    serial.gate = close_gate(stream);
    fakecuda_hook("cuStreamSynchronize", let_go, NULL);
    ok(hipMemcpyAsync(to, from, SIZE, hipMemcpyDeviceToDevice, stream));
    check(fakecuda_calls("cuMemcpyAsync") == asked + 1);
    check(fakecuda_calls("cuStreamSynchronize") == waits + before + after);
    check(serial.waited == (before || after));
    check(!serial.waited || serial.copies_before == asked + !before);
    if (after)
        ok(hipStreamQuery(stream));
    else if (!before)
        expect(hipStreamQuery(stream), hipErrorNotReady);
    open_gate(&serial.gate);
    ok(hipStreamSynchronize(stream));
    free_gate(&serial.gate);
    ok(hipStreamDestroy(stream));
    ok(hipFree(from));
    ok(hipFree(to));
    check(end_kernels(NULL) == 0);
}

static void not_serialized(void)
{
    check_serialized("0", false, false);
}

static void serialized_before(void)
{
    check_serialized("1", true, false);
}

static void serialized_after(void)
{
    check_serialized("2", false, true);
}

static void serialized_twice(void)
{
    check_serialized("3", true, true);
}

static void the_host_waits_before_and_after_copies_when_it_is_asked_to(void **state)
{
    (void)state;
    in_child(not_serialized);
    in_child(serialized_before);
    in_child(serialized_after);
    in_child(serialized_twice);
}

int main(void)
{
    const struct CMUnitTest of_processes[] = {
        TEST_UNCHECKED(the_host_waits_before_and_after_copies_when_it_is_asked_to),
    };
    const struct CMUnitTest tests[] = {
        TEST(every_copy_moves_the_data),
        TEST(every_copy_checks_addresses_and_ranges),
        TEST(copies_one_after_the_other_are_each_checked),
        TEST(an_unknown_direction_is_refused),
        TEST(a_direction_that_names_a_device_needs_memory_of_one),
        TEST(an_async_copy_from_page_locked_memory_reads_it_in_stream_order),
        TEST(an_async_copy_from_pageable_memory_has_read_it_when_it_returns),
        TEST(a_blocking_copy_waits_for_the_stream_it_is_in),
        TEST(a_copy_within_a_device_does_not_block_the_host),
        TEST(rows_are_copied_between_pitches),
        TEST(boxes_are_copied_between_every_two_places),
        TEST(many_and_long_rows_of_pageable_memory_are_copied),
        TEST(rows_of_page_locked_memory_are_there_when_the_copy_to_pageable_memory_returns),
        TEST(a_copy_waits_for_staging_memory_that_others_use),
        TEST(copies_of_rows_check_pitches_and_ranges),
        TEST(a_part_of_a_box_is_copied_to_its_place_in_another),
        TEST(copies_of_boxes_check_their_description),
        TEST(rows_described_as_the_driver_does_are_copied),
        TEST(the_drivers_descriptions_are_checked),
        TEST(boxes_described_as_the_driver_does_are_copied),
        TEST(variables_are_copied_to_and_from),
        TEST(copies_of_variables_check_variable_range_and_direction),
        TEST(a_variable_has_an_address_and_a_size_on_each_device),
        TEST(memory_is_copied_between_devices),
        TEST(a_copy_between_devices_in_a_stream_does_not_block_the_host),
        TEST(copies_between_devices_come_after_the_work_of_both),
        TEST(copies_in_a_stream_of_another_device_than_the_current_one_work),
    };
    int failed = 0; /* it counts calls of CUDA */
    if (!over_hsa())
        failed = cmocka_run_group_tests_name("driver.copy, serialized", of_processes, NULL, NULL);
    use_fake("80,90");
    return failed + run_group("driver.copy", tests);
}
