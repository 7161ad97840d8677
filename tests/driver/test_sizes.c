/* Every size argument of the API at its limits: no crash, no endless loop, and the documented
 * error. sizes.def lists the calls, their sizes and their results. */
#include "support.h"

#include <hip/hiprtc.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE_C(number) ((size_t)number)

/* One of two errors: which one depends on the machine or the vendor. */
#define UNTRIED            ((hipError_t)-1)
#define EITHER(one, other) ((int)(one) | (int)(other) << 16)

static const dim3 one = {1, 1, 1};

/* ---- what the calls use ---------------------------------------------------------------------- */

static struct {
    unsigned char host[8192];
    unsigned char *a, *b; /* 4096 bytes of device 0 */
    unsigned char *far;   /* of device 1 */
    void *page;           /* 4096 bytes of the host */
    void *managed;        /* 4096 bytes */
    hipStream_t stream;
    hipMemPool_t pool;
    hipChannelFormatDesc format;
    hipArray_t array, other; /* 16 x 16 elements of 4 bytes */
    hipArray_t line;         /* 64 elements */
    hipPitchedPtr box;       /* 64 x 8 x 8 bytes */
    size_t grain;            /* of virtual memory */
    hipMemAllocationProp properties;
    hipMemAccessDesc access;
    hipMemGenericAllocationHandle_t memory; /* of a grain */
    void *range;                            /* 2 grains, nothing is mapped */
    void *mapped;                           /* 1 grain, which memory is behind */
    hipModule_t module;
    hipFunction_t function; /* takes no arguments and returns at once */
} objects;

static void make_objects(void)
{
    hipMemPoolProps pool = {.allocType = hipMemAllocationTypePinned,
                            .location = {.type = hipMemLocationTypeDevice, .id = 0}};
    objects.format = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
    objects.properties =
        (hipMemAllocationProp){.type = hipMemAllocationTypePinned,
                               .location = {.type = hipMemLocationTypeDevice, .id = 0}};
    objects.access = (hipMemAccessDesc){.location = {.type = hipMemLocationTypeDevice, .id = 0},
                                        .flags = hipMemAccessFlagsProtReadWrite};
    ok(hipSetDevice(1));
    ok(hipMalloc((void **)&objects.far, 4096));
    ok(hipSetDevice(0));
    ok(hipMalloc((void **)&objects.a, 4096));
    ok(hipMalloc((void **)&objects.b, 4096));
    check(posix_memalign(&objects.page, 4096, 4096) == 0);
    ok(hipMallocManaged(&objects.managed, 4096, hipMemAttachGlobal));
    ok(hipStreamCreate(&objects.stream));
    ok(hipMemPoolCreate(&objects.pool, &pool));
    ok(hipMallocArray(&objects.array, &objects.format, 16, 16, 0));
    ok(hipMallocArray(&objects.other, &objects.format, 16, 16, 0));
    ok(hipMallocArray(&objects.line, &objects.format, 64, 0, 0));
    objects.box = make_hipPitchedPtr(objects.a, 64, 64, 8);
    ok(hipMemGetAllocationGranularity(&objects.grain, &objects.properties,
                                      hipMemAllocationGranularityMinimum));
    ok(hipMemCreate(&objects.memory, objects.grain, &objects.properties, 0));
    ok(hipMemAddressReserve(&objects.range, 2 * objects.grain, 0, NULL, 0));
    ok(hipMemAddressReserve(&objects.mapped, objects.grain, 0, NULL, 0));
    ok(hipMemMap(objects.mapped, objects.grain, 0, objects.memory, 0));
    ok(hipModuleLoadData(&objects.module, kernels_image()));
    ok(hipModuleGetFunction(&objects.function, objects.module, "empty"));
}

static void free_objects(void)
{
    ok(hipDeviceSynchronize());
    ok(hipModuleUnload(objects.module));
    ok(hipMemUnmap(objects.mapped, objects.grain));
    ok(hipMemAddressFree(objects.mapped, objects.grain));
    ok(hipMemAddressFree(objects.range, 2 * objects.grain));
    ok(hipMemRelease(objects.memory));
    ok(hipFreeArray(objects.array));
    ok(hipFreeArray(objects.other));
    ok(hipFreeArray(objects.line));
    ok(hipMemPoolDestroy(objects.pool));
    ok(hipStreamDestroy(objects.stream));
    ok(hipFree(objects.managed));
    free(objects.page);
    ok(hipFree(objects.a));
    ok(hipFree(objects.b));
    ok(hipFree(objects.far));
}

/* ---- the calls --------------------------------------------------------------------------------
 */

/* What succeeded is undone. */
#define FREED(call, undo)                                                                          \
    hipError_t error = call;                                                                       \
    if (error == hipSuccess)                                                                       \
        ok(undo);                                                                                  \
    return error;

static size_t times(size_t count, size_t size)
{
    size_t product;
    return __builtin_mul_overflow(count, size, &product) ? SIZE_MAX - SIZE_MAX % size : product;
}

static unsigned narrow(size_t value)
{
    return value > UINT_MAX ? UINT_MAX : (unsigned)value;
}

static hipError_t range_attributes(size_t attributes, size_t size)
{
    int32_t value;
    void *data[] = {&value};
    size_t sizes[] = {sizeof value};
    hipMemRangeAttribute which[] = {hipMemRangeAttributeReadMostly};
    return hipMemRangeGetAttributes(data, sizes, which, attributes, objects.managed, size);
}

static hipMemcpy3DParms box_copy(void)
{
    return (hipMemcpy3DParms){.srcPtr = {objects.b, 64, 64, 8},
                              .dstPtr = objects.box,
                              .extent = {64, 8, 8},
                              .kind = hipMemcpyDefault};
}

static hipMemcpy3DParms array_copy(void)
{
    return (hipMemcpy3DParms){.srcPtr = {objects.b, 64, 64, 16},
                              .dstArray = objects.array,
                              .extent = {16, 16, 1},
                              .kind = hipMemcpyDefault};
}

static hipError_t copy_both(const hipMemcpy3DParms *copy)
{
    hipError_t error = hipMemcpy3D(copy);
    expect(hipMemcpy3DAsync(copy, NULL), error);
    return error;
}

#define COPY_3D(field)                                                                             \
    hipMemcpy3DParms copy = box_copy();                                                            \
    copy.field = v;                                                                                \
    return copy_both(&copy);
#define COPY_ARRAY_3D(field)                                                                       \
    hipMemcpy3DParms copy = array_copy();                                                          \
    copy.field = v;                                                                                \
    return copy_both(&copy);

/* From the other device. */
#define COPY_PEER(field)                                                                           \
    hipMemcpy3DPeerParms copy = {.srcPtr = {objects.far, 64, 64, 8},                               \
                                 .srcDevice = 1,                                                   \
                                 .dstPtr = objects.box,                                            \
                                 .extent = {64, 8, 8}};                                            \
    copy.field = v;                                                                                \
    hipError_t error = hipMemcpy3DPeer(&copy);                                                     \
    expect(hipMemcpy3DPeerAsync(&copy, NULL), error);                                              \
    return error;

static HIP_MEMCPY3D driver_copy(void)
{
    return (HIP_MEMCPY3D){.srcMemoryType = hipMemoryTypeDevice,
                          .srcDevice = objects.b,
                          .srcPitch = 64,
                          .srcHeight = 8,
                          .dstMemoryType = hipMemoryTypeDevice,
                          .dstDevice = objects.a,
                          .dstPitch = 64,
                          .dstHeight = 8,
                          .WidthInBytes = 64,
                          .Height = 8,
                          .Depth = 8};
}

#define COPY_DRIVER(field)                                                                         \
    HIP_MEMCPY3D copy = driver_copy();                                                             \
    copy.field = v;                                                                                \
    hipError_t error = hipDrvMemcpy3D(&copy);                                                      \
    expect(hipDrvMemcpy3DAsync(&copy, NULL), error);                                               \
    return error;

static hip_Memcpy2D param_copy(void)
{
    return (hip_Memcpy2D){.srcMemoryType = hipMemoryTypeDevice,
                          .srcDevice = objects.b,
                          .srcPitch = 64,
                          .dstMemoryType = hipMemoryTypeDevice,
                          .dstDevice = objects.a,
                          .dstPitch = 64,
                          .WidthInBytes = 64,
                          .Height = 64};
}

#define COPY_PARAM(field)                                                                          \
    hip_Memcpy2D copy = param_copy();                                                              \
    copy.field = v;                                                                                \
    hipError_t error = hipMemcpyParam2D(&copy);                                                    \
    expect(hipMemcpyParam2DAsync(&copy, NULL), error);                                             \
    expect(hipDrvMemcpy2DUnaligned(&copy), error);                                                 \
    return error;

#define LAUNCH(grid_x, block_x, block_y, block_z, shared)                                          \
    return hipLaunchKernel(&empty_kernel, (dim3){grid_x, 1, 1}, (dim3){block_x, block_y, block_z}, \
                           NULL, shared, NULL);
#define LAUNCH_Y(y) return hipLaunchKernel(&empty_kernel, (dim3){1, y, 1}, one, NULL, 0, NULL);
#define LAUNCH_Z(z) return hipLaunchKernel(&empty_kernel, (dim3){1, 1, z}, one, NULL, 0, NULL);

static void drop_configuration(void)
{
    dim3 grid, block;
    size_t shared;
    hipStream_t stream;
    ok(__hipPopCallConfiguration(&grid, &block, &shared, &stream));
}

static hipError_t make_texture(const hipResourceDesc *resource)
{
    hipTextureDesc settings = {.readMode = hipReadModeElementType};
    hipTextureObject_t texture;
    hipError_t error = hipCreateTextureObject(&texture, resource, &settings, NULL);
    if (error == hipSuccess)
        ok(hipDestroyTextureObject(texture));
    return error;
}

static hipError_t make_mipmap(size_t width, size_t height, size_t depth, unsigned levels)
{
    hipMipmappedArray_t mipmap;
    hipError_t error = hipMallocMipmappedArray(&mipmap, &objects.format,
                                               (hipExtent){width, height, depth}, levels, 0);
    if (error == hipSuccess)
        ok(hipFreeMipmappedArray(mipmap));
    return error == hipErrorNotSupported && over_hsa() ? UNTRIED : error;
}

#define MIPMAP(width, height, depth, levels) return make_mipmap(width, height, depth, levels);

#define LINEAR_TEXTURE(size)                                                                       \
    const hipResourceDesc resource = {                                                             \
        .resType = hipResourceTypeLinear,                                                          \
        .res.linear = {.devPtr = objects.a, .desc = objects.format, .sizeInBytes = size}};         \
    return make_texture(&resource);
#define PITCH_TEXTURE(field, size)                                                                 \
    hipResourceDesc resource = {.resType = hipResourceTypePitch2D,                                 \
                                .res.pitch2D = {.devPtr = objects.a,                               \
                                                .desc = objects.format,                            \
                                                .width = 64,                                       \
                                                .height = 16,                                      \
                                                .pitchInBytes = 256}};                             \
    resource.res.pitch2D.field = size;                                                             \
    return make_texture(&resource);

#define SIZE(name, zero, most, first, beyond, ...)                                                 \
    static hipError_t call_##name(size_t v)                                                        \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define BETWEEN(name, least, below, most, beyond, ...)                                             \
    static hipError_t call_##name(size_t v)                                                        \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#include "sizes.def"

/* ---- the table ---------------------------------------------------------------------------------
 */

struct row {
    const char *name;
    hipError_t (*call)(size_t size);
    int zero;
    size_t least;
    int below;
    size_t most, first;
    int beyond;
};

/* The limits of small objects, and the numbers at which sizes, sums and products wrap: 64 times
 * 2^58 is 0, and 8 times 2^61 + 1 is 8. */
#define POWER(of_two) (SIZE_C(1) << of_two)
/* clang-format off */
static const size_t numbers[] = {
    0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1024, 1025,
    4095, 4096, 4097, 65535, 65536, INT_MAX, POWER(31), UINT_MAX, POWER(32), POWER(32) + 1,
    POWER(40), POWER(58), POWER(58) + 1, POWER(60), POWER(61) + 1, POWER(62), SIZE_MAX / 2,
    POWER(63), SIZE_MAX - 65535, SIZE_MAX - 4095, SIZE_MAX - 63, SIZE_MAX - 7, SIZE_MAX - 1,
    SIZE_MAX,
};
/* clang-format on */

static int wanted(const struct row *row, size_t size)
{
    return size == 0           ? row->zero
           : size < row->least ? row->below
           : size <= row->most ? hipSuccess
                               : row->beyond;
}

static bool is_one_of(hipError_t error, int wanted)
{
    return (int)error == (wanted & 0xffff) || (wanted >> 16 && (int)error == wanted >> 16);
}

static unsigned try(const struct row *row, size_t size)
{
    if (size > row->most && size < row->first)
        return 0;
    int expected = wanted(row, size);
    hipError_t error = row->call(size);
    if (error == UNTRIED || is_one_of(error, expected))
        return 0;
    fprintf(stderr, "%s with %zu (0x%zx): %s, not %s\n", row->name, size, size,
            hipGetErrorName(error), hipGetErrorName((hipError_t)(expected & 0xffff)));
    return 1;
}

static void every_size_is_taken_or_refused(void **state)
{
    static const struct row rows[] = {
#define SIZE(name, zero, most, first, beyond, ...)                                                 \
    {#name, call_##name, zero, 0, 0, most, first, beyond},
#define BETWEEN(name, least, below, most, beyond, ...)                                             \
    {#name, call_##name, below, least, below, most, most, beyond},
#include "sizes.def"
    };
    unsigned wrong = 0;
    (void)state;
    make_objects();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++)
            wrong += try(&rows[i], numbers[j]);
        hipError_t error = hipDeviceSynchronize();
        if (error != hipSuccess)
            fprintf(stderr, "after %s: %s\n", rows[i].name, hipGetErrorName(error));
        ok(error);
    }
    free_objects();
    forget_violations(); /* of hipHostRegister, with more than there is */
    check(wrong == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_size_is_taken_or_refused),
    };
    use_fake("80,90");
    return run_group("driver.sizes", tests);
}
