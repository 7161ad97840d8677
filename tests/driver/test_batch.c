/* Batches: copies of rows and boxes, prefetches and discards. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 4096, PLACES = 6 };

/* Memories of every kind, of BYTES each. */
struct memories {
    unsigned char *at[PLACES]; /* device 0 twice, device 1, page-locked twice, pageable */
};

static struct memories make_memories(void)
{
    struct memories made;
    for (int i = 0; i < PLACES; i++) {
        if (i == 2)
            ok(hipSetDevice(1));
        if (i < 3)
            ok(hipMalloc((void **)&made.at[i], BYTES));
        else if (i < 5)
            ok(hipHostMalloc((void **)&made.at[i], BYTES, 0));
        else
            check((made.at[i] = malloc(BYTES)) != NULL);
        ok(hipSetDevice(0));
    }
    return made;
}

static void free_memories(struct memories *made)
{
    for (int i = 0; i < 3; i++)
        ok(hipFree(made->at[i]));
    for (int i = 3; i < 5; i++)
        ok(hipHostFree(made->at[i]));
    free(made->at[5]);
}

static void fill(void *memory, int value)
{
    unsigned char bytes[BYTES];
    memset(bytes, value, BYTES);
    ok(hipMemcpy(memory, bytes, BYTES, hipMemcpyDefault));
}

static bool has(const void *memory, size_t offset, size_t size, int value)
{
    unsigned char bytes[BYTES];
    ok(hipMemcpy(bytes, memory, BYTES, hipMemcpyDefault));
    for (size_t i = offset; i < offset + size; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

/* ---- rows -------------------------------------------------------------------------------- */

/* From each memory to each, all at once; each pair has 64 bytes of both. */
static void copy_every_pair(hipStream_t stream, bool pageable)
{
    enum { PIECE = 64 };
    void *dsts[PLACES * PLACES], *srcs[PLACES * PLACES];
    size_t sizes[PLACES * PLACES], count = 0, failed = 0;
    int places = pageable ? PLACES : PLACES - 1;
    struct memories from = make_memories(), to = make_memories();
    for (int s = 0; s < places; s++) {
        fill(from.at[s], 10 + s);
        fill(to.at[s], 0);
    }
    for (int s = 0; s < places; s++)
        for (int d = 0; d < places; d++, count++) {
            srcs[count] = from.at[s] + PIECE * d;
            dsts[count] = to.at[d] + PIECE * s;
            sizes[count] = PIECE;
        }
    ok(hipMemcpyBatchAsync(dsts, srcs, sizes, count, NULL, NULL, 0, &failed, stream));
    check(failed == SIZE_MAX);
    ok(hipStreamSynchronize(stream));
    for (int s = 0; s < places; s++)
        for (int d = 0; d < places; d++)
            check(has(to.at[d], (size_t)(PIECE * s), PIECE, 10 + s));
    for (int d = 0; d < places; d++)
        check(has(to.at[d], (size_t)(PIECE * places), PIECE, 0));
    free_memories(&to);
    free_memories(&from);
}

static void a_batch_copies_between_memories_of_every_kind(void **state)
{
    hipStream_t stream;
    (void)state;
    ok(hipStreamCreate(&stream));
    for (int pageable = 0; pageable < 2; pageable++) {
        copy_every_pair(stream, pageable);
        copy_every_pair(NULL, pageable);
        copy_every_pair(hipStreamPerThread, pageable);
    }
    ok(hipStreamDestroy(stream));
}

static void a_batch_is_done_in_the_order_of_its_stream(void **state)
{
    enum { COPIES = 8 };
    void *dsts[COPIES], *srcs[COPIES];
    size_t sizes[COPIES];
    unsigned char *memory, *host;
    hipStream_t stream;
    (void)state;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipMalloc((void **)&memory, BYTES));
    ok(hipHostMalloc((void **)&host, BYTES, 0));
    ok(hipMemset(memory, 1, BYTES));
    ok(hipDeviceSynchronize()); /* for which the stream does not wait */
    memset(host, 0, BYTES);
    for (size_t i = 0; i < COPIES; i++) {
        dsts[i] = host + 100 * i;
        srcs[i] = memory + 50 * i;
        sizes[i] = 100;
    }
    struct gate gate = close_gate(stream);
    ok(hipMemsetAsync(memory, 2, BYTES, stream));
    ok(hipMemcpyBatchAsync(dsts, srcs, sizes, COPIES, NULL, NULL, 0, NULL, stream));
    ok(hipMemsetAsync(memory, 3, BYTES, stream));
    expect(hipStreamQuery(stream), hipErrorNotReady);
    the_fake()->hold(true); /* whose lock orders this look before the copies, for sanitizers */
    check(host[0] == 0);
    the_fake()->hold(false);
    open_gate(&gate);
    ok(hipStreamSynchronize(stream));
    free_gate(&gate);
    check(has(host, 0, 100 * COPIES, 2));
    check(has(memory, 0, BYTES, 3));
    ok(hipHostFree(host));
    ok(hipFree(memory));
    ok(hipStreamDestroy(stream));
}

/* A copy of a batch that is wrong is named, and no copy of the batch is done. */
static void a_batch_with_a_wrong_copy_copies_nothing(void **state)
{
    struct memories from = make_memories(), to = make_memories();
    void *dsts[2] = {to.at[0], to.at[3]}, *srcs[2] = {from.at[0], from.at[3]};
    size_t sizes[2] = {BYTES, BYTES}, failed = 7;
    hipStream_t stream;
    (void)state;
    ok(hipStreamCreate(&stream));
    fill(from.at[0], 1);
    fill(to.at[0], 0);
#define COPY() hipMemcpyBatchAsync(dsts, srcs, sizes, 2, NULL, NULL, 0, &failed, stream)
    expect(hipMemcpyBatchAsync(NULL, srcs, sizes, 2, NULL, NULL, 0, &failed, stream),
           hipErrorInvalidValue);
    check(failed == SIZE_MAX);
    expect(hipMemcpyBatchAsync(dsts, NULL, sizes, 2, NULL, NULL, 0, NULL, stream),
           hipErrorInvalidValue);
    expect(hipMemcpyBatchAsync(dsts, srcs, NULL, 2, NULL, NULL, 0, NULL, stream),
           hipErrorInvalidValue);
    expect(hipMemcpyBatchAsync(dsts, srcs, sizes, 0, NULL, NULL, 0, NULL, stream),
           hipErrorInvalidValue);
    expect(hipMemcpyBatchAsync(dsts, srcs, sizes, 2, NULL, NULL, 0, NULL,
                               (hipStream_t)(void *)&failed),
           hipErrorContextIsDestroyed);
    sizes[1] = 0;
    expect(COPY(), hipErrorInvalidValue);
    check(failed == 1);
    sizes[1] = BYTES;
    srcs[1] = NULL;
    failed = 7;
    expect(COPY(), hipErrorInvalidValue);
    check(failed == 1);
    srcs[1] = from.at[3] + 1;
    failed = 7;
    expect(COPY(), hipErrorInvalidValue);
    check(failed == 1);
    ok(hipStreamSynchronize(stream));
    check(has(to.at[0], 0, BYTES, 0));
    srcs[1] = from.at[3];
    ok(COPY());
    check(failed == SIZE_MAX);
    ok(hipStreamSynchronize(stream));
    check(has(to.at[0], 0, BYTES, 1));
#undef COPY
    ok(hipStreamDestroy(stream));
    free_memories(&to);
    free_memories(&from);
}

static void attributes_of_batches_are_checked(void **state)
{
    struct memories from = make_memories(), to = make_memories();
    void *dsts[3] = {to.at[0], to.at[1], to.at[3]}, *srcs[3] = {from.at[0], from.at[1], from.at[3]};
    size_t sizes[3] = {BYTES, BYTES, BYTES};
    hipMemcpyAttributes good = {.srcAccessOrder = hipMemcpySrcAccessOrderStream};
    hipMemcpyAttributes attributes[3] = {good, good, good};
    const struct {
        size_t count, first[3];
    } wrong[] = {{1, {1, 0, 0}}, {4, {0, 1, 2}}, {2, {0, 0, 0}}, {2, {0, 3, 0}}, {3, {0, 2, 1}}};
    hipStream_t stream;
    (void)state;
    ok(hipStreamCreate(&stream));
#define COPY(count, first)                                                                         \
    hipMemcpyBatchAsync(dsts, srcs, sizes, 3, attributes, first, count, NULL, stream)
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect(COPY(wrong[i].count, (size_t *)(uintptr_t)wrong[i].first), hipErrorInvalidValue);
    size_t first[3] = {0, 1, 2};
    expect(COPY(1, NULL), hipErrorInvalidValue);
    expect(hipMemcpyBatchAsync(dsts, srcs, sizes, 3, NULL, first, 1, NULL, stream),
           hipErrorInvalidValue);
    attributes[2].srcAccessOrder = hipMemcpySrcAccessOrderInvalid;
    expect(COPY(3, first), hipErrorInvalidValue);
    attributes[2].srcAccessOrder = (hipMemcpySrcAccessOrder)4;
    expect(COPY(3, first), hipErrorInvalidValue);
    attributes[2] = good;
    attributes[1].flags = 0x4000;
    expect(COPY(3, first), hipErrorInvalidValue);
    attributes[1].flags = hipMemcpyFlagPreferOverlapWithCompute | hipMemcpyFlagExtPreferCE;
    attributes[1].srcAccessOrder = hipMemcpySrcAccessOrderAny;
    attributes[1].srcLocHint = (hipMemLocation){hipMemLocationTypeDevice, 99};
    ok(COPY(3, first));
    ok(hipStreamSynchronize(stream));
#undef COPY
    ok(hipStreamDestroy(stream));
    free_memories(&to);
    free_memories(&from);
}

/* Page-locked memory, which a copy in stream order would read later, may be written at once. */
static void a_source_that_is_read_during_the_call_may_change_after_it(void **state)
{
    unsigned char *host, *memory;
    hipMemcpyAttributes attributes = {.srcAccessOrder = hipMemcpySrcAccessOrderDuringApiCall};
    size_t first = 0, size = BYTES;
    hipStream_t stream;
    (void)state;
    ok(hipStreamCreate(&stream));
    ok(hipHostMalloc((void **)&host, BYTES, 0));
    ok(hipMalloc((void **)&memory, BYTES));
    for (int i = 1; i < 20; i++) {
        void *dst = memory, *src = host;
        memset(host, i, BYTES);
        ok(hipMemcpyBatchAsync(&dst, &src, &size, 1, &attributes, &first, 1, NULL,
                               i % 2 ? stream : NULL));
        memset(host, 0, BYTES);
        ok(hipDeviceSynchronize());
        check(has(memory, 0, BYTES, i));
    }
    ok(hipFree(memory));
    ok(hipHostFree(host));
    ok(hipStreamDestroy(stream));
}

static void batches_become_nodes_of_a_graph(void **state)
{
    struct memories from = make_memories(), to = make_memories();
    void *dsts[2] = {to.at[0], to.at[3]}, *srcs[2] = {from.at[1], from.at[0]};
    size_t sizes[2] = {BYTES, BYTES}, first = 0, count = 0;
    hipMemcpyAttributes now = {.srcAccessOrder = hipMemcpySrcAccessOrderDuringApiCall};
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphExec_t exec;
    (void)state;
    ok(hipStreamCreate(&stream));
    ok(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
    expect_says(hipMemcpyBatchAsync(dsts, srcs, sizes, 2, &now, &first, 1, NULL, stream),
                hipErrorStreamCaptureUnsupported,
                "hipMemcpySrcAccessOrderDuringApiCall in a stream that captures");
    ok(hipMemcpyBatchAsync(dsts, srcs, sizes, 2, NULL, NULL, 0, NULL, stream));
    hipMemcpy3DBatchOp box = {
        .src = {hipMemcpyOperandTypePointer, {.ptr = {to.at[0], BYTES, 1, {0}}}},
        .dst = {hipMemcpyOperandTypePointer, {.ptr = {to.at[4], BYTES, 1, {0}}}},
        .extent = {BYTES, 1, 1},
        .srcAccessOrder = hipMemcpySrcAccessOrderStream};
    ok(hipMemcpy3DBatchAsync(1, &box, NULL, 0, stream));
    ok(hipStreamEndCapture(stream, &graph));
    ok(hipGraphGetNodes(graph, NULL, &count));
    check(count == 3);
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    for (int round = 1; round < 3; round++) {
        fill(from.at[0], round);
        fill(from.at[1], round + 10);
        ok(hipGraphLaunch(exec, stream));
        ok(hipStreamSynchronize(stream));
        check(has(to.at[0], 0, BYTES, round + 10) && has(to.at[3], 0, BYTES, round) &&
              has(to.at[4], 0, BYTES, round + 10));
    }
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    ok(hipStreamDestroy(stream));
    free_memories(&to);
    free_memories(&from);
}

static void devices_whose_engines_exchange_nothing_say_so(void **state)
{
    struct memories made = make_memories();
    void *dsts[1] = {made.at[0]}, *srcs[1] = {made.at[1]};
    size_t sizes[1] = {BYTES}, first = 0, failed = 7;
    hipMemcpyAttributes swap = {.srcAccessOrder = hipMemcpySrcAccessOrderStream,
                                .flags = hipMemcpyFlagExtOpSwap};
    hipStream_t stream;
    (void)state;
    ok(hipStreamCreate(&stream));
    expect_says(hipMemcpyBatchAsync(dsts, srcs, sizes, 1, &swap, &first, 1, &failed, stream),
                hipErrorNotSupported, "are not memory that a copy engine can exchange");
    check(failed == 0);
    ok(hipStreamDestroy(stream));
    free_memories(&made);
}

/* ---- boxes ------------------------------------------------------------------------------- */

static hipMemcpy3DOperand plain(void *pointer, size_t row, size_t layer)
{
    return (hipMemcpy3DOperand){hipMemcpyOperandTypePointer,
                                {.ptr = {.ptr = pointer, .rowLength = row, .layerHeight = layer}}};
}

static hipMemcpy3DOperand inside(hipArray_t array, size_t x, size_t y, size_t z)
{
    return (hipMemcpy3DOperand){hipMemcpyOperandTypeArray,
                                {.array = {.array = array, .offset = {x, y, z}}}};
}

static hipMemcpy3DBatchOp box(hipMemcpy3DOperand src, hipMemcpy3DOperand dst, size_t width,
                              size_t height, size_t depth)
{
    return (hipMemcpy3DBatchOp){.src = src,
                                .dst = dst,
                                .extent = {width, height, depth},
                                .srcAccessOrder = hipMemcpySrcAccessOrderStream};
}

/* Rows of 10 bytes at a distance of 16, slices of 3 rows at one of 4. */
static void boxes_have_rows_and_slices_with_space_between_them(void **state)
{
    unsigned char in[128], out[128], *memory;
    size_t failed = 7;
    (void)state;
    for (int i = 0; i < 128; i++)
        in[i] = (unsigned char)i;
    memset(out, 0xff, sizeof out);
    ok(hipMalloc((void **)&memory, 128));
    ok(hipMemset(memory, 0, 128));
    hipMemcpy3DBatchOp ops[2] = {box(plain(in, 16, 4), plain(memory, 16, 4), 10, 3, 2),
                                 box(plain(memory, 16, 4), plain(out, 0, 0), 10, 3, 2)};
    ok(hipMemcpy3DBatchAsync(2, ops, &failed, 0, NULL));
    check(failed == SIZE_MAX);
    ok(hipDeviceSynchronize());
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 3; y++)
            check(memcmp(out + 30 * z + 10 * y, in + 64 * z + 16 * y, 10) == 0);
    check(out[60] == 0xff);
    ok(hipMemcpy(out, memory, 128, hipMemcpyDeviceToHost));
    check(out[10] == 0 && out[15] == 0 && out[16 * 3] == 0 && out[64] == 64);
    ok(hipFree(memory));
}

/* Each box reads what the one before it wrote; lengths count elements. */
static void boxes_go_through_arrays_in_their_order(void **state)
{
    enum { W = 8, H = 4, D = 2, COUNT = W * H * D };
    float in[COUNT], out[COUNT], *memory;
    hipChannelFormatDesc format = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
    hipArray_t one, other;
    (void)state;
    for (int i = 0; i < COUNT; i++)
        in[i] = (float)i;
    memset(out, 0, sizeof out);
    ok(hipMalloc((void **)&memory, sizeof in));
    ok(hipMalloc3DArray(&one, &format, (hipExtent){W, H, D}, 0));
    ok(hipMalloc3DArray(&other, &format, (hipExtent){W + 2, H, D}, 0));
    hipMemcpy3DBatchOp ops[] = {box(plain(in, W, H), inside(one, 0, 0, 0), W, H, D),
                                box(inside(one, 0, 0, 0), plain(memory, 0, 0), W, H, D),
                                box(plain(memory, W, H), inside(other, 2, 0, 0), W, H, D),
                                box(inside(other, 4, 1, 1), inside(one, 0, 0, 0), 2, 2, 1),
                                box(inside(one, 0, 0, 0), plain(out, W, H), W, H, D)};
    ok(hipMemcpy3DBatchAsync(5, ops, NULL, 0, hipStreamPerThread));
    ok(hipStreamSynchronize(hipStreamPerThread));
    check(out[0] == in[W * H + W + 2] && out[1] == in[W * H + W + 3]);
    check(out[W] == in[W * H + 2 * W + 2] && out[2] == in[2] && out[COUNT - 1] == in[COUNT - 1]);
    ok(hipFreeArray(other));
    ok(hipFreeArray(one));
    ok(hipFree(memory));
}

static void a_batch_of_boxes_is_checked_before_any_is_copied(void **state)
{
    unsigned char *memory, *host;
    size_t failed = 7;
    hipChannelFormatDesc bytes = hipCreateChannelDesc(8, 0, 0, 0, hipChannelFormatKindUnsigned),
                         words = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindUnsigned);
    hipArray_t narrow, wide;
    (void)state;
    ok(hipMalloc((void **)&memory, BYTES));
    ok(hipHostMalloc((void **)&host, BYTES, 0));
    ok(hipMallocArray(&narrow, &bytes, 8, 8, 0));
    ok(hipMallocArray(&wide, &words, 8, 8, 0));
    ok(hipMemset(memory, 0, BYTES));
    memset(host, 1, BYTES);
    const hipMemcpy3DBatchOp good = box(plain(host, 64, 8), plain(memory, 64, 8), 64, 8, 8);
    hipMemcpy3DBatchOp ops[2] = {good, good};
#define COPY() hipMemcpy3DBatchAsync(2, ops, &failed, 0, NULL)
#define WRONG(change)                                                                              \
    do {                                                                                           \
        ops[1] = good;                                                                             \
        change;                                                                                    \
        failed = 7;                                                                                \
        expect(COPY(), hipErrorInvalidValue);                                                      \
        check(failed == 1);                                                                        \
    } while (0)
    expect(hipMemcpy3DBatchAsync(0, ops, NULL, 0, NULL), hipErrorInvalidValue);
    expect(hipMemcpy3DBatchAsync(2, NULL, NULL, 0, NULL), hipErrorInvalidValue);
    expect(hipMemcpy3DBatchAsync(2, ops, NULL, 2, NULL), hipErrorInvalidValue);
    expect(hipMemcpy3DBatchAsync(2, ops, NULL, 0, (hipStream_t)(void *)&failed),
           hipErrorContextIsDestroyed);
    WRONG(ops[1].src.type = (hipMemcpy3DOperandType)3);
    WRONG(ops[1].srcAccessOrder = hipMemcpySrcAccessOrderInvalid);
    WRONG(ops[1].flags = hipMemcpyFlagExtOpSwap);
    WRONG(ops[1].src.op.ptr.ptr = NULL);
    WRONG(ops[1].dst.op.ptr.rowLength = 63);
    WRONG(ops[1].extent.depth = 9);
    WRONG(ops[1].extent.width = SIZE_MAX);
    WRONG(ops[1] = box(inside(narrow, 0, 0, 0), inside(wide, 0, 0, 0), 2, 2, 1));
    WRONG(ops[1] = box(inside(wide, 7, 0, 0), plain(host, 0, 0), 2, 2, 1));
    WRONG(ops[1] = box(inside(wide, SIZE_MAX / 2, 0, 0), plain(host, 0, 0), 2, 2, 1));
    ops[1] = box(inside((hipArray_t)(void *)&failed, 0, 0, 0), plain(host, 0, 0), 2, 2, 1);
    check(COPY() != hipSuccess && failed == 1);
    ok(hipDeviceSynchronize());
    check(has(memory, 0, BYTES, 0));
    ops[1] = good;
    ops[1].extent.height = 0; /* an empty box */
    ops[0].srcAccessOrder = hipMemcpySrcAccessOrderDuringApiCall;
    ok(COPY());
    check(has(memory, 0, BYTES, 1));
#undef WRONG
#undef COPY
    ok(hipFreeArray(wide));
    ok(hipFreeArray(narrow));
    ok(hipHostFree(host));
    ok(hipFree(memory));
}

/* ---- managed memory ---------------------------------------------------------------------- */

static int prefetched_to(const void *memory)
{
    int where = 77;
    ok(hipMemRangeGetAttribute(&where, sizeof where, hipMemRangeAttributeLastPrefetchLocation,
                               memory, BYTES));
    return where;
}

static void ranges_are_prefetched_to_places_of_their_own(void **state)
{
    enum { RANGES = 5 };
    void *ranges[RANGES];
    size_t sizes[RANGES], first[3] = {0, 2, 4};
    hipMemLocation places[3] = {
        {hipMemLocationTypeDevice, 1}, {hipMemLocationTypeHost, 99}, {hipMemLocationTypeDevice, 0}};
    static const int wanted[RANGES] = {1, 1, hipCpuDeviceId, hipCpuDeviceId, 0};
    hipStream_t stream;
    (void)state;
    ok(hipStreamCreate(&stream));
    for (int i = 0; i < RANGES; i++) {
        ok(hipMallocManaged(&ranges[i], BYTES, hipMemAttachGlobal));
        memset(ranges[i], i, BYTES);
        sizes[i] = BYTES;
    }
    ok(hipMemPrefetchBatchAsync(ranges, sizes, RANGES, places, first, 3, 0, stream));
    ok(hipStreamSynchronize(stream));
    for (int i = 0; i < RANGES; i++)
        check(prefetched_to(ranges[i]) == wanted[i] && has(ranges[i], 0, BYTES, i));
    for (int twice = 0; twice < 2; twice++) {
        for (int i = 0; i < RANGES; i++)
            places[i % 3] = (hipMemLocation){hipMemLocationTypeDevice, twice};
        ok(twice ? hipDrvMemDiscardAndPrefetchBatchAsync(ranges, sizes, RANGES, places, first, 3, 0,
                                                         stream)
                 : hipMemDiscardAndPrefetchBatchAsync(ranges, sizes, RANGES, places, first, 3, 0,
                                                      stream));
        ok(hipMemsetAsync(ranges[0], 40 + twice, BYTES, stream));
        ok(hipStreamSynchronize(stream));
        check(prefetched_to(ranges[3]) == twice && has(ranges[0], 0, BYTES, 40 + twice));
    }
    for (int i = 0; i < RANGES; i++)
        ok(hipFree(ranges[i]));
    ok(hipStreamDestroy(stream));
}

/* What is discarded may be written again, and its neighbours keep what they have; the simulated
 * driver of NVIDIA overwrites it, in the stream's order. */
static void contents_are_discarded_in_stream_order(void **state)
{
    unsigned char *memory;
    hipStream_t stream;
    (void)state;
    ok(hipStreamCreate(&stream));
    ok(hipMallocManaged((void **)&memory, 2 * BYTES, hipMemAttachGlobal));
    memset(memory, 1, 2 * BYTES);
    void *ranges[] = {memory};
    size_t sizes[] = {BYTES};
    struct gate gate = close_gate(stream);
    ok(hipMemDiscardBatchAsync(ranges, sizes, 1, 0, stream));
    the_fake()->hold(true); /* whose lock orders this look before the discard, for sanitizers */
    check(memory[0] == 1);
    the_fake()->hold(false);
    open_gate(&gate);
    ok(hipStreamSynchronize(stream));
    free_gate(&gate);
    check(has(memory, 0, BYTES, over_hsa() ? 1 : 0xdd) && has(memory + BYTES, 0, BYTES, 1));
    ok(hipMemsetAsync(memory, 2, BYTES, stream));
    ok(hipStreamSynchronize(stream));
    check(has(memory, 0, BYTES, 2));
    ok(hipDrvMemDiscardBatchAsync(ranges, sizes, 1, 0, stream));
    ok(hipStreamSynchronize(stream));
    ok(hipFree(memory));
    ok(hipStreamDestroy(stream));
}

static void batches_of_managed_memory_are_checked(void **state)
{
    void *managed, *device, *local = &state;
    size_t sizes[2] = {BYTES, BYTES}, first[2] = {0, 1};
    hipMemLocation places[2] = {{hipMemLocationTypeDevice, 0}, {hipMemLocationTypeHost, 0}};
    hipStream_t stream;
    ok(hipStreamCreate(&stream));
    ok(hipMallocManaged(&managed, BYTES, hipMemAttachGlobal));
    ok(hipMalloc(&device, BYTES));
    void *ranges[2] = {managed, managed};
#define PREFETCH() hipMemPrefetchBatchAsync(ranges, sizes, 2, places, first, 2, 0, stream)
#define BAD(call)  expect(call, hipErrorInvalidValue)
    BAD(hipMemPrefetchBatchAsync(NULL, sizes, 2, places, first, 2, 0, stream));
    BAD(hipMemPrefetchBatchAsync(ranges, NULL, 2, places, first, 2, 0, stream));
    BAD(hipMemPrefetchBatchAsync(ranges, sizes, 0, places, first, 2, 0, stream));
    BAD(hipMemPrefetchBatchAsync(ranges, sizes, SIZE_MAX, places, first, 2, 0, stream));
    BAD(hipMemPrefetchBatchAsync(ranges, sizes, 2, NULL, first, 2, 0, stream));
    BAD(hipMemPrefetchBatchAsync(ranges, sizes, 2, places, NULL, 2, 0, stream));
    BAD(hipMemPrefetchBatchAsync(ranges, sizes, 2, places, first, 0, 0, stream));
    BAD(hipMemPrefetchBatchAsync(ranges, sizes, 2, places, first, 3, 0, stream));
    BAD(hipMemPrefetchBatchAsync(ranges, sizes, 2, places, first, 2, 1, stream));
    BAD(hipMemPrefetchBatchAsync(ranges, sizes, 2, places, first, 2, 0, NULL));
    BAD(hipMemDiscardBatchAsync(ranges, sizes, 2, 0, NULL));
    BAD(hipMemDiscardBatchAsync(ranges, sizes, 2, 1, stream));
    BAD(hipDrvMemDiscardBatchAsync(NULL, sizes, 2, 0, stream));
    BAD(hipMemDiscardAndPrefetchBatchAsync(ranges, sizes, 2, NULL, first, 2, 0, stream));
    expect(hipMemDiscardBatchAsync(ranges, sizes, 2, 0, (hipStream_t)(void *)&stream),
           hipErrorContextIsDestroyed);
    first[0] = 1;
    BAD(PREFETCH());
    first[0] = 0, first[1] = 0;
    BAD(PREFETCH());
    first[1] = 2;
    BAD(PREFETCH());
    first[1] = 1, sizes[1] = 2 * BYTES;
    BAD(PREFETCH());
    sizes[1] = 0;
    BAD(PREFETCH());
    sizes[1] = BYTES, ranges[1] = device;
    BAD(PREFETCH());
    BAD(hipMemDiscardBatchAsync(ranges, sizes, 2, 0, stream));
    ranges[1] = local;
    BAD(PREFETCH());
    ranges[1] = NULL;
    BAD(PREFETCH());
    ranges[1] = managed, places[1] = (hipMemLocation){hipMemLocationTypeDevice, -5};
    BAD(PREFETCH());
    places[1].id = 2;
    BAD(PREFETCH());
    places[1].type = hipMemLocationTypeInvalid;
    BAD(PREFETCH());
    places[1] = (hipMemLocation){hipMemLocationTypeHostNumaCurrent, 0};
    ok(PREFETCH());
    ok(hipStreamSynchronize(stream));
#undef BAD
#undef PREFETCH
    ok(hipFree(device));
    ok(hipFree(managed));
    ok(hipStreamDestroy(stream));
}

static void batches_of_managed_memory_are_no_part_of_a_graph(void **state)
{
    void *managed;
    size_t size = BYTES;
    hipStream_t stream;
    hipGraph_t graph;
    (void)state;
    ok(hipStreamCreate(&stream));
    ok(hipMallocManaged(&managed, BYTES, hipMemAttachGlobal));
    ok(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
    expect(hipMemDiscardBatchAsync(&managed, &size, 1, 0, stream),
           hipErrorStreamCaptureUnsupported);
    expect(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
    ok(hipFree(managed));
    ok(hipStreamDestroy(stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_batch_copies_between_memories_of_every_kind),
        TEST(a_batch_is_done_in_the_order_of_its_stream),
        TEST(a_batch_with_a_wrong_copy_copies_nothing),
        TEST(attributes_of_batches_are_checked),
        TEST(a_source_that_is_read_during_the_call_may_change_after_it),
        TEST(batches_become_nodes_of_a_graph),
        TEST(devices_whose_engines_exchange_nothing_say_so),
        TEST(boxes_have_rows_and_slices_with_space_between_them),
        TEST(boxes_go_through_arrays_in_their_order),
        TEST(a_batch_of_boxes_is_checked_before_any_is_copied),
        TEST(ranges_are_prefetched_to_places_of_their_own),
        TEST(contents_are_discarded_in_stream_order),
        TEST(batches_of_managed_memory_are_checked),
        TEST(batches_of_managed_memory_are_no_part_of_a_graph),
    };
    use_fake("80,90");
    return run_group("driver.batch", tests);
}
