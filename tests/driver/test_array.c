/* Arrays: creation, queries, copies to and from them. */
#include "support.h"

#include <hip/api/per_thread_default_stream.h>

#include <stdlib.h>
#include <string.h>

static hipChannelFormatDesc floats(void)
{
    return hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
}

static hipArray_t make_array(size_t width, size_t height)
{
    hipChannelFormatDesc format = floats();
    hipArray_t array;
    ok(hipMallocArray(&array, &format, width, height, hipArrayDefault));
    return array;
}

/* ---- creation --------------------------------------------------------------------------- */

static void every_format_of_one_two_and_four_channels_can_be_made(void **state)
{
    static const int bits[] = {8, 16, 32}, channels[] = {1, 2, 4};
    static const hipChannelFormatKind kinds[] = {
        hipChannelFormatKindSigned, hipChannelFormatKindUnsigned, hipChannelFormatKindFloat};
    hipArray_t array;
    (void)state;
    for (int i = 0; i < 27; i++) {
        int size = bits[i % 3], count = channels[i / 3 % 3];
        hipChannelFormatKind kind = kinds[i / 9];
        hipChannelFormatDesc format = hipCreateChannelDesc(
            size, count > 1 ? size : 0, count > 2 ? size : 0, count > 3 ? size : 0, kind);
        hipChannelFormatDesc told;
        bool possible = kind != hipChannelFormatKindFloat || size > 8;
        expect(hipMallocArray(&array, &format, 8, 4, 0),
               possible ? hipSuccess : hipErrorInvalidValue);
        if (!possible)
            continue;
        ok(hipGetChannelDesc(&told, array));
        check(memcmp(&told, &format, sizeof told) == 0);
        ok(hipFreeArray(array));
    }
}

static void impossible_arrays_are_refused(void **state)
{
    hipArray_t array;
    hipChannelFormatDesc good = floats();
    const struct {
        int x, y, z, w;
        hipChannelFormatKind kind;
    } formats[] = {
        {0, 0, 0, 0, hipChannelFormatKindFloat},   {32, 32, 32, 0, hipChannelFormatKindFloat},
        {32, 16, 0, 0, hipChannelFormatKindFloat}, {32, 0, 32, 0, hipChannelFormatKindFloat},
        {12, 0, 0, 0, hipChannelFormatKindSigned}, {64, 0, 0, 0, hipChannelFormatKindUnsigned},
        {32, 0, 0, 0, hipChannelFormatKindNone},   {32, 0, 0, 0, (hipChannelFormatKind)77},
        {-8, 0, 0, 0, hipChannelFormatKindSigned},
    };
    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        hipChannelFormatDesc bad = hipCreateChannelDesc(formats[i].x, formats[i].y, formats[i].z,
                                                        formats[i].w, formats[i].kind);
        expect(hipMallocArray(&array, &bad, 8, 8, 0), hipErrorInvalidValue);
    }
    expect(hipMallocArray(NULL, &good, 8, 8, 0), hipErrorInvalidValue);
    expect(hipMallocArray(&array, NULL, 8, 8, 0), hipErrorInvalidValue);
    expect(hipMallocArray(&array, &good, 0, 8, 0), hipErrorInvalidValue);
    expect(hipMallocArray(&array, &good, 0, 0, 0), hipErrorInvalidValue);
    expect(hipMallocArray(&array, &good, 8, 8, 0x1000), hipErrorInvalidValue);
    expect(hipMallocArray(&array, &good, 8, 0, hipArrayTextureGather), hipErrorInvalidValue);
    expect(hipMallocArray(&array, &good, 8, 0, hipArrayLayered), hipErrorInvalidValue);
    expect(hipMallocArray(&array, &good, 8, 8, hipArrayLayered), hipErrorInvalidValue);
    expect(hipMallocArray(&array, &good, (size_t)1 << 40, 8, 0), hipErrorInvalidValue);
    expect(hipMalloc3DArray(NULL, &good, (hipExtent){8, 8, 8}, 0), hipErrorInvalidValue);
    expect(hipMalloc3DArray(&array, NULL, (hipExtent){8, 8, 8}, 0), hipErrorInvalidValue);
    expect(hipMalloc3DArray(&array, &good, (hipExtent){0, 8, 8}, 0), hipErrorInvalidValue);
    expect(hipMalloc3DArray(&array, &good, (hipExtent){8, 0, 8}, 0), hipErrorInvalidValue);
    expect(hipMalloc3DArray(&array, &good, (hipExtent){8, 8, 8}, hipArrayTextureGather),
           hipErrorInvalidValue);
}

static void an_array_is_no_larger_than_textures_are(void **state)
{
    hipDeviceProp_t most;
    hipChannelFormatDesc format = floats();
    hipArray_t array;
    (void)state;
    ok(hipGetDeviceProperties(&most, 0));
    const size_t layers = (size_t)most.maxTexture2DLayered[2];
    const size_t line = (size_t)most.maxTexture1D, width = (size_t)most.maxTexture2D[0];
    const size_t height = (size_t)most.maxTexture2D[1], depth = (size_t)most.maxTexture3D[2];
    const struct {
        hipExtent good, bad;
        unsigned flags;
    } cases[] = {
        {{line, 0, 0}, {line + 1, 0, 0}, 0},
        {{width, 1, 0}, {width + 1, 1, 0}, 0},
        {{1, height, 0}, {1, height + 1, 0}, 0},
        {{1, 1, depth}, {1, 1, depth + 1}, 0},
        {{1, 1, 1}, {(size_t)most.maxTexture3D[0] + 1, 1, 1}, 0},
        {{1, 1, 1}, {1, (size_t)most.maxTexture3D[1] + 1, 1}, 0},
        {{1, 0, layers}, {1, 0, layers + 1}, hipArrayLayered},
        {{1, 1, layers}, {width + 1, 1, layers}, hipArrayLayered},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ok(hipMalloc3DArray(&array, &format, cases[i].good, cases[i].flags));
        ok(hipFreeArray(array));
        expect(hipMalloc3DArray(&array, &format, cases[i].bad, cases[i].flags),
               hipErrorInvalidValue);
    }
}

static void arrays_of_the_drivers_descriptions_are_made_and_checked(void **state)
{
    HIP_ARRAY_DESCRIPTOR flat = {16, 8, HIP_AD_FORMAT_UNSIGNED_INT16, 2}, told_flat;
    HIP_ARRAY3D_DESCRIPTOR deep = {.Width = 16,
                                   .Height = 8,
                                   .Depth = 4,
                                   .Format = HIP_AD_FORMAT_FLOAT,
                                   .NumChannels = 4,
                                   .Flags = hipArraySurfaceLoadStore},
                           told, bad;
    hipArray_t array;
    (void)state;
    ok(hipArrayCreate(&array, &flat));
    ok(hipArrayGetDescriptor(&told_flat, array));
    check(told_flat.Width == 16 && told_flat.Height == 8 && told_flat.NumChannels == 2 &&
          told_flat.Format == HIP_AD_FORMAT_UNSIGNED_INT16);
    ok(hipArrayDestroy(array));
    ok(hipArray3DCreate(&array, &deep));
    ok(hipArray3DGetDescriptor(&told, array));
    check(told.Width == 16 && told.Height == 8 && told.Depth == 4 && told.NumChannels == 4 &&
          told.Format == HIP_AD_FORMAT_FLOAT && told.Flags == hipArraySurfaceLoadStore);
    ok(hipArrayDestroy(array));
    expect(hipArrayCreate(NULL, &flat), hipErrorInvalidValue);
    expect(hipArrayCreate(&array, NULL), hipErrorInvalidValue);
    flat.NumChannels = 3;
    expect(hipArrayCreate(&array, &flat), hipErrorInvalidValue);
    flat.NumChannels = 1;
    flat.Format = (hipArray_Format)0x77;
    expect(hipArrayCreate(&array, &flat), hipErrorInvalidValue);
    expect(hipArray3DCreate(NULL, &deep), hipErrorInvalidValue);
    expect(hipArray3DCreate(&array, NULL), hipErrorInvalidValue);
    bad = deep;
    bad.Width = 0;
    expect(hipArray3DCreate(&array, &bad), hipErrorInvalidValue);
    bad = deep;
    bad.Flags = 0x4000;
    expect(hipArray3DCreate(&array, &bad), hipErrorInvalidValue);
}

static void every_format_of_the_driver_has_a_description(void **state)
{
    static const struct {
        hipArray_Format format;
        int bits;
        hipChannelFormatKind kind;
    } formats[] = {
        {HIP_AD_FORMAT_UNSIGNED_INT8, 8, hipChannelFormatKindUnsigned},
        {HIP_AD_FORMAT_UNSIGNED_INT16, 16, hipChannelFormatKindUnsigned},
        {HIP_AD_FORMAT_UNSIGNED_INT32, 32, hipChannelFormatKindUnsigned},
        {HIP_AD_FORMAT_SIGNED_INT8, 8, hipChannelFormatKindSigned},
        {HIP_AD_FORMAT_SIGNED_INT16, 16, hipChannelFormatKindSigned},
        {HIP_AD_FORMAT_SIGNED_INT32, 32, hipChannelFormatKindSigned},
        {HIP_AD_FORMAT_HALF, 16, hipChannelFormatKindFloat},
        {HIP_AD_FORMAT_FLOAT, 32, hipChannelFormatKindFloat},
    };
    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const HIP_ARRAY_DESCRIPTOR descriptor = {16, 8, formats[i].format, 2};
        hipChannelFormatDesc told;
        hipExtent extent;
        unsigned flags;
        hipArray_t array;
        ok(hipArrayCreate(&array, &descriptor));
        ok(hipArrayGetInfo(&told, &extent, &flags, array));
        check(told.x == formats[i].bits && told.y == formats[i].bits && told.z == 0 &&
              told.w == 0 && told.f == formats[i].kind);
        check(extent.width == 16 && extent.height == 8);
        ok(hipArrayDestroy(array));
    }
}

static void an_array_tells_what_it_is(void **state)
{
    hipChannelFormatDesc format = hipCreateChannelDesc(8, 8, 0, 0, hipChannelFormatKindUnsigned),
                         told;
    hipExtent extent;
    unsigned flags;
    hipArray_t array;
    (void)state;
    ok(hipMalloc3DArray(&array, &format, (hipExtent){5, 6, 7}, hipArrayLayered));
    ok(hipArrayGetInfo(&told, &extent, &flags, array));
    check(told.x == 8 && told.y == 8 && told.z == 0 && told.f == hipChannelFormatKindUnsigned);
    check(extent.width == 5 && extent.height == 6 && extent.depth == 7);
    check(flags == hipArrayLayered);
    ok(hipArrayGetInfo(NULL, NULL, NULL, array));
    ok(hipFreeArray(array));
}

static void values_that_are_no_arrays_are_refused(void **state)
{
    hipArray_t array = make_array(4, 4), freed = make_array(4, 4);
    HIP_ARRAY_DESCRIPTOR flat;
    HIP_ARRAY3D_DESCRIPTOR deep;
    hipChannelFormatDesc format;
    hipStream_t stream;
    float row[4] = {0};
    (void)state;
    ok(hipStreamCreate(&stream));
    ok(hipFreeArray(freed));
    expect(hipFreeArray(NULL), hipErrorInvalidValue);
    expect(hipArrayDestroy(NULL), hipErrorInvalidValue);
    hipArray_t wrong[] = {freed, (hipArray_t)(void *)stream, (hipArray_t)(void *)row,
                          (hipArray_t)16};
    for (size_t i = 0; i < 4; i++) {
        expect(hipFreeArray(wrong[i]), hipErrorContextIsDestroyed);
        expect(hipArrayDestroy(wrong[i]), hipErrorContextIsDestroyed);
        expect(hipMemcpy2DToArray(wrong[i], 0, 0, row, 16, 16, 1, hipMemcpyHostToDevice),
               hipErrorContextIsDestroyed);
        expect(hipMemcpy2DFromArray(row, 16, wrong[i], 0, 0, 16, 1, hipMemcpyDeviceToHost),
               hipErrorContextIsDestroyed);
        expect(hipArrayGetInfo(NULL, NULL, NULL, wrong[i]), hipErrorInvalidHandle);
        expect(hipArrayGetDescriptor(&flat, wrong[i]), hipErrorInvalidHandle);
        expect(hipArray3DGetDescriptor(&deep, wrong[i]), hipErrorInvalidHandle);
        expect(hipGetChannelDesc(&format, wrong[i]), hipErrorInvalidHandle);
    }
    expect(hipArrayGetInfo(NULL, NULL, NULL, NULL), hipErrorInvalidHandle);
    expect(hipArrayGetDescriptor(NULL, array), hipErrorInvalidValue);
    expect(hipArrayGetDescriptor(&flat, NULL), hipErrorInvalidHandle);
    expect(hipArray3DGetDescriptor(NULL, array), hipErrorInvalidValue);
    expect(hipArray3DGetDescriptor(&deep, NULL), hipErrorInvalidHandle);
    expect(hipGetChannelDesc(NULL, array), hipErrorInvalidValue);
    expect(hipGetChannelDesc(&format, NULL), hipErrorInvalidHandle);
    ok(hipStreamDestroy(stream));
    ok(hipFreeArray(array));
}

static void an_array_that_does_not_fit_is_out_of_memory(void **state)
{
    hipChannelFormatDesc format = hipCreateChannelDesc(32, 32, 32, 32, hipChannelFormatKindFloat);
    hipArray_t array = NULL;
    (void)state;
    expect(hipMalloc3DArray(&array, &format, (hipExtent){16384, 16384, 16}, 0),
           hipErrorOutOfMemory);
    check(array == NULL);
}

/* ---- copies of rows ------------------------------------------------------------------------- */

static hipError_t to_array(hipArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
                           size_t width, size_t height, hipMemcpyKind kind, int way)
{
    switch (way) {
    case 0:
        return hipMemcpy2DToArray(dst, x, y, src, pitch, width, height, kind);
    case 1:
        return hipMemcpy2DToArrayAsync(dst, x, y, src, pitch, width, height, kind, NULL);
    case 2:
        return hipMemcpy2DToArray_spt(dst, x, y, src, pitch, width, height, kind);
    default:
        return hipMemcpy2DToArrayAsync_spt(dst, x, y, src, pitch, width, height, kind, NULL);
    }
}

static hipError_t from_array(void *dst, size_t pitch, hipArray_t src, size_t x, size_t y,
                             size_t width, size_t height, hipMemcpyKind kind, int way)
{
    switch (way) {
    case 0:
        return hipMemcpy2DFromArray(dst, pitch, src, x, y, width, height, kind);
    case 1:
        return hipMemcpy2DFromArrayAsync(dst, pitch, src, x, y, width, height, kind, NULL);
    case 2:
        return hipMemcpy2DFromArray_spt(dst, pitch, src, x, y, width, height, kind);
    default:
        return hipMemcpy2DFromArrayAsync_spt(dst, pitch, src, x, y, width, height, kind, NULL);
    }
}

static void rows_are_copied_to_an_array_and_back(void **state)
{
    float host[6][8], back[6][8];
    (void)state;
    for (int i = 0; i < 48; i++)
        host[i / 8][i % 8] = (float)i;
    for (int way = 0; way < 4; way++) {
        hipArray_t array = make_array(8, 6);
        memset(back, 0, sizeof back);
        ok(to_array(array, 0, 0, host, 32, 32, 6, hipMemcpyHostToDevice, way));
        ok(to_array(array, 8, 1, host, 32, 16, 2, hipMemcpyHostToDevice, way));
        ok(from_array(back, 32, array, 0, 0, 32, 6, hipMemcpyDeviceToHost, way));
        ok(hipDeviceSynchronize());
        check(back[0][0] == 0 && back[0][7] == 7 && back[5][7] == 47);
        check(back[1][1] == 9 && back[1][2] == 0 && back[1][5] == 3 && back[1][6] == 14);
        check(back[2][2] == 8 && back[2][5] == 11);
        ok(hipFreeArray(array));
    }
}

static void copies_of_rows_of_arrays_are_checked(void **state)
{
    float host[6][8] = {{0}};
    hipArray_t array = make_array(8, 6);
    unsigned calls = fakecuda_calls("cuMemcpy3DAsync_v2");
    (void)state;
    for (int way = 0; way < 4; way++) {
        hipMemcpyKind kind = hipMemcpyHostToDevice;
        expect(to_array(NULL, 0, 0, host, 32, 32, 6, kind, way), hipErrorInvalidHandle);
        expect(to_array(array, 0, 0, NULL, 32, 32, 6, kind, way), hipErrorInvalidValue);
        expect(to_array(array, 0, 0, host, 31, 32, 6, kind, way), hipErrorInvalidPitchValue);
        expect(to_array(array, 0, 0, host, 0, 32, 6, kind, way), hipErrorInvalidPitchValue);
        expect(to_array(array, 4, 0, host, 32, 32, 6, kind, way), hipErrorInvalidValue);
        expect(to_array(array, 0, 1, host, 32, 32, 6, kind, way), hipErrorInvalidValue);
        expect(to_array(array, SIZE_MAX - 3, 0, host, 32, 32, 6, kind, way), hipErrorInvalidValue);
        expect(to_array(array, 0, SIZE_MAX - 3, host, 32, 32, 6, kind, way), hipErrorInvalidValue);
        expect(to_array(array, 0, 0, host, 32, 32, 6, (hipMemcpyKind)77, way),
               hipErrorInvalidMemcpyDirection);
        ok(to_array(array, 0, 0, host, 32, 0, 6, kind, way));
        kind = hipMemcpyDeviceToHost;
        expect(from_array(NULL, 32, array, 0, 0, 32, 6, kind, way), hipErrorInvalidValue);
        expect(from_array(host, 32, NULL, 0, 0, 32, 6, kind, way), hipErrorInvalidHandle);
        expect(from_array(host, 31, array, 0, 0, 32, 6, kind, way), hipErrorInvalidPitchValue);
        expect(from_array(host, 32, array, 4, 0, 32, 6, kind, way), hipErrorInvalidValue);
        expect(from_array(host, 32, array, 0, 6, 32, 1, kind, way), hipErrorInvalidValue);
        expect(from_array(host, 32, array, 0, 0, 32, 6, (hipMemcpyKind)-1, way),
               hipErrorInvalidMemcpyDirection);
        ok(from_array(host, 32, array, 0, 0, 32, 0, kind, way));
    }
    check(fakecuda_calls("cuMemcpy3DAsync_v2") == calls); /* all without the driver */
    ok(hipFreeArray(array));
}

static void rows_are_copied_from_array_to_array(void **state)
{
    float host[4][4], back[4][4];
    hipArray_t first = make_array(4, 4), second = make_array(4, 4);
    (void)state;
    for (int i = 0; i < 16; i++)
        host[i / 4][i % 4] = (float)i;
    ok(hipMemcpy2DToArray(first, 0, 0, host, 16, 16, 4, hipMemcpyHostToDevice));
    ok(hipMemcpy2DToArray(second, 0, 0, host, 16, 16, 4, hipMemcpyHostToDevice));
    ok(hipMemcpy2DArrayToArray(second, 8, 2, first, 0, 0, 8, 2, hipMemcpyDeviceToDevice));
    ok(hipMemcpy2DFromArray(back, 16, second, 0, 0, 16, 4, hipMemcpyDeviceToHost));
    check(back[0][0] == 0 && back[2][1] == 9 && back[2][2] == 0 && back[3][3] == 5);
    expect(hipMemcpy2DArrayToArray(second, 8, 3, first, 0, 0, 8, 2, hipMemcpyDeviceToDevice),
           hipErrorInvalidValue);
    expect(hipMemcpy2DArrayToArray(NULL, 0, 0, first, 0, 0, 8, 2, hipMemcpyDeviceToDevice),
           hipErrorInvalidHandle);
    expect(hipMemcpy2DArrayToArray(second, 0, 0, NULL, 0, 0, 8, 2, hipMemcpyDeviceToDevice),
           hipErrorInvalidHandle);
    expect(hipMemcpy2DArrayToArray(second, 0, 0, first, 0, 0, 8, 2, (hipMemcpyKind)9),
           hipErrorInvalidMemcpyDirection);
    ok(hipFreeArray(first));
    ok(hipFreeArray(second));
}

/* ---- runs of bytes ------------------------------------------------------------------------------
 */

static void runs_of_bytes_go_on_in_the_next_row(void **state)
{
    float host[16], back[16];
    hipArray_t array = make_array(4, 4);
    (void)state;
    for (int i = 0; i < 16; i++)
        host[i] = (float)(i + 1);
    ok(hipMemcpyToArray(array, 0, 0, host, 64, hipMemcpyHostToDevice));
    ok(hipMemcpyToArray(array, 8, 1, host, 24, hipMemcpyHostToDevice));
    ok(hipMemcpyFromArray(back, array, 0, 0, 64, hipMemcpyDeviceToHost));
    check(back[0] == 1 && back[5] == 6 && back[6] == 1 && back[7] == 2 && back[8] == 3 &&
          back[11] == 6 && back[12] == 13);
    memset(back, 0, sizeof back);
    ok(hipMemcpyFromArray_spt(back, array, 8, 1, 24, hipMemcpyDeviceToHost));
    check(back[0] == 1 && back[5] == 6 && back[6] == 0);
    expect(hipMemcpyToArray(NULL, 0, 0, host, 64, hipMemcpyHostToDevice), hipErrorInvalidValue);
    expect(hipMemcpyToArray(array, 0, 0, NULL, 64, hipMemcpyHostToDevice), hipErrorInvalidValue);
    expect(hipMemcpyToArray(array, 0, 0, host, 68, hipMemcpyHostToDevice), hipErrorInvalidValue);
    expect(hipMemcpyToArray(array, 17, 0, host, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
    expect(hipMemcpyToArray(array, 0, 4, host, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
    expect(hipMemcpyToArray(array, 0, 0, host, 64, (hipMemcpyKind)9),
           hipErrorInvalidMemcpyDirection);
    expect(hipMemcpyFromArray(NULL, array, 0, 0, 64, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    expect(hipMemcpyFromArray(back, NULL, 0, 0, 64, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    expect(hipMemcpyFromArray(back, array, 0, 0, 65, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    ok(hipFreeArray(array));
}

static void a_run_that_does_not_fit_changes_nothing(void **state)
{
    float host[16] = {0}, back[16];
    hipArray_t array = make_array(4, 4);
    (void)state;
    for (int i = 0; i < 16; i++)
        host[i] = 1;
    ok(hipMemcpyToArray(array, 0, 0, host, 64, hipMemcpyHostToDevice));
    for (int i = 0; i < 16; i++)
        host[i] = 2;
    expect(hipMemcpyToArray(array, 0, 2, host, 64, hipMemcpyHostToDevice), hipErrorInvalidValue);
    ok(hipMemcpyFromArray(back, array, 0, 0, 64, hipMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++)
        check(back[i] == 1);
    ok(hipFreeArray(array));
}

static void one_dimensional_arrays_are_copied_between_host_device_and_each_other(void **state)
{
    float host[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8], *device;
    hipArray_t array = make_array(8, 0), other = make_array(8, 0);
    (void)state;
    ok(hipMalloc((void **)&device, sizeof host));
    ok(hipMemcpyHtoA(array, 0, host, 32));
    ok(hipMemcpyHtoAAsync(array, 16, host, 8, NULL));
    ok(hipMemcpyAtoD(device, array, 0, 32));
    ok(hipMemcpyDtoA(other, 0, device, 32));
    ok(hipMemcpyAtoA(other, 0, array, 16, 8));
    ok(hipMemcpyAtoH(back, other, 0, 32));
    check(back[0] == 1 && back[1] == 2 && back[2] == 3 && back[4] == 1 && back[5] == 2 &&
          back[6] == 7);
    memset(back, 0, sizeof back);
    ok(hipMemcpyAtoHAsync(back, other, 8, 4, NULL));
    ok(hipDeviceSynchronize());
    check(back[0] == 3 && back[1] == 0);
    expect(hipMemcpyHtoA(array, 8, host, 32), hipErrorInvalidValue);
    expect(hipMemcpyHtoA(array, 0, NULL, 32), hipErrorInvalidValue);
    expect(hipMemcpyHtoA(NULL, 0, host, 32), hipErrorInvalidValue);
    expect(hipMemcpyHtoAAsync(array, 40, host, 4, NULL), hipErrorInvalidValue);
    expect(hipMemcpyAtoH(back, array, 8, 32), hipErrorInvalidValue);
    expect(hipMemcpyAtoH(NULL, array, 0, 32), hipErrorInvalidValue);
    expect(hipMemcpyAtoH(back, NULL, 0, 32), hipErrorInvalidValue);
    expect(hipMemcpyAtoHAsync(back, array, 8, 32, NULL), hipErrorInvalidValue);
    expect(hipMemcpyAtoD(device, array, 8, 32), hipErrorInvalidValue);
    expect(hipMemcpyAtoD(device + 4, array, 0, 32), hipErrorInvalidValue);
    expect(hipMemcpyDtoA(array, 8, device, 32), hipErrorInvalidValue);
    expect(hipMemcpyAtoA(array, 8, other, 0, 32), hipErrorInvalidValue);
    expect(hipMemcpyAtoA(array, 0, NULL, 0, 32), hipErrorInvalidValue);
    expect(hipMemcpyAtoA(array, SIZE_MAX - 3, other, 0, 8), hipErrorInvalidValue);
    ok(hipFree(device));
    ok(hipFreeArray(array));
    ok(hipFreeArray(other));
}

static void the_first_row_of_an_array_is_copied_as_a_line(void **state)
{
    float host[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {0};
    hipArray_t array = make_array(4, 2);
    (void)state;
    ok(hipMemcpyHtoA(array, 0, host, 16));
    ok(hipMemcpyHtoA(array, 12, host, 4));
    ok(hipMemcpyAtoH(back, array, 4, 12));
    check(back[0] == 2 && back[1] == 3 && back[2] == 1 && back[3] == 0);
    expect(hipMemcpyHtoA(array, 0, host, 20), hipErrorInvalidValue);
    expect(hipMemcpyAtoH(back, array, 8, 12), hipErrorInvalidValue);
    expect(hipMemcpyAtoH(back, array, 20, 4), hipErrorInvalidValue);
    ok(hipMemcpyHtoA(array, 16, host, 0)); /* nothing, at the end of the row */
    ok(hipFreeArray(array));
}

/* ---- boxes
 * ------------------------------------------------------------------------------------------ */

static void boxes_are_copied_to_arrays_counted_in_elements(void **state)
{
    float host[2][3][4], back[2][3][4];
    hipChannelFormatDesc format = floats();
    hipArray_t array;
    (void)state;
    for (int i = 0; i < 24; i++)
        host[i / 12][i / 4 % 3][i % 4] = (float)i;
    memset(back, 0, sizeof back);
    ok(hipMalloc3DArray(&array, &format, (hipExtent){4, 3, 2}, 0));
    hipMemcpy3DParms to = {
        .srcPtr = {host, 16, 16, 3},
        .dstArray = array,
        .extent = {4, 3, 2},
        .kind = hipMemcpyHostToDevice,
    };
    hipMemcpy3DParms from = {
        .srcArray = array,
        .srcPos = {1, 1, 1},
        .dstPtr = {back, 16, 16, 3},
        .extent = {2, 2, 1},
        .kind = hipMemcpyDeviceToHost,
    };
    ok(hipMemcpy3D(&to));
    ok(hipMemcpy3D(&from));
    check(back[0][0][0] == 17 && back[0][0][1] == 18 && back[0][0][2] == 0);
    check(back[0][1][0] == 21 && back[0][1][1] == 22);
    to.extent.width = 5;
    expect(hipMemcpy3D(&to), hipErrorInvalidValue);
    from.srcPos.z = 2;
    expect(hipMemcpy3D(&from), hipErrorInvalidValue);
    to.extent.width = 4;
    to.dstPtr = (hipPitchedPtr){back, 16, 16, 3}; /* both */
    expect(hipMemcpy3D(&to), hipErrorInvalidValue);
    ok(hipFreeArray(array));
}

static void boxes_of_arrays_with_different_elements_are_refused(void **state)
{
    hipChannelFormatDesc format = floats(),
                         wide = hipCreateChannelDesc(32, 32, 0, 0, hipChannelFormatKindFloat);
    hipArray_t array, other;
    (void)state;
    ok(hipMalloc3DArray(&array, &format, (hipExtent){4, 3, 2}, 0));
    ok(hipMalloc3DArray(&other, &wide, (hipExtent){4, 3, 2}, 0));
    hipMemcpy3DParms params = {
        .srcArray = array, .dstArray = other, .extent = {2, 2, 2}, .kind = hipMemcpyDeviceToDevice};
    expect(hipMemcpy3D(&params), hipErrorInvalidValue);
    params.dstArray = array;
    params.dstPos.x = 2;
    ok(hipMemcpy3D(&params));
    ok(hipFreeArray(array));
    ok(hipFreeArray(other));
}

static void the_drivers_descriptions_take_arrays(void **state)
{
    float host[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}, back[3][4];
    hipArray_t array = make_array(4, 3);
    (void)state;
    hip_Memcpy2D to = {
        .srcMemoryType = hipMemoryTypeHost,
        .srcHost = host,
        .srcPitch = 16,
        .dstMemoryType = hipMemoryTypeArray,
        .dstArray = array,
        .WidthInBytes = 16,
        .Height = 3,
    };
    hip_Memcpy2D from = {
        .srcMemoryType = hipMemoryTypeArray,
        .srcArray = array,
        .srcXInBytes = 4,
        .srcY = 1,
        .dstMemoryType = hipMemoryTypeHost,
        .dstHost = back,
        .dstPitch = 16,
        .WidthInBytes = 8,
        .Height = 2,
    };
    ok(hipMemcpyParam2D(&to));
    ok(hipMemcpyParam2D(&from));
    check(back[0][0] == 6 && back[0][1] == 7 && back[1][0] == 10);
    to.dstArray = NULL;
    expect(hipMemcpyParam2D(&to), hipErrorInvalidValue);
    from.srcXInBytes = 12;
    expect(hipMemcpyParam2D(&from), hipErrorInvalidValue);
    ok(hipFreeArray(array));
}

static void arrays_of_another_device_are_copied(void **state)
{
    float host[4] = {1, 2, 3, 4}, back[4] = {0};
    hipArray_t first = make_array(4, 1), second;
    (void)state;
    ok(hipSetDevice(1));
    second = make_array(4, 1);
    ok(hipSetDevice(0));
    ok(hipMemcpy2DToArray(first, 0, 0, host, 16, 16, 1, hipMemcpyHostToDevice));
    ok(hipMemcpy2DArrayToArray(second, 0, 0, first, 0, 0, 16, 1, hipMemcpyDeviceToDevice));
    ok(hipMemcpy2DFromArray(back, 16, second, 0, 0, 16, 1, hipMemcpyDeviceToHost));
    check(back[3] == 4);
    ok(hipFreeArray(first));
    ok(hipFreeArray(second));
}

static void freeing_an_array_waits_for_work_with_it(void **state)
{
    float *pinned;
    hipStream_t stream;
    hipArray_t array = make_array(1024, 0);
    (void)state;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipHostMalloc((void **)&pinned, 4096, 0));
    uint32_t milliseconds = 20;
    void *args[] = {&milliseconds};
    ok(hipLaunchKernel(&spin_kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, stream));
    ok(hipMemcpyHtoAAsync(array, 0, pinned, 4096, stream));
    ok(hipFreeArray(array));
    ok(hipStreamQuery(stream));
    ok(hipStreamDestroy(stream));
    ok(hipHostFree(pinned));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_format_of_one_two_and_four_channels_can_be_made),
        TEST(impossible_arrays_are_refused),
        TEST_OVER("hsa", "NVIDIA's driver knows its limits by itself",
                  an_array_is_no_larger_than_textures_are),
        TEST(arrays_of_the_drivers_descriptions_are_made_and_checked),
        TEST(every_format_of_the_driver_has_a_description),
        TEST(an_array_tells_what_it_is),
        TEST(values_that_are_no_arrays_are_refused),
        TEST(an_array_that_does_not_fit_is_out_of_memory),
        TEST(rows_are_copied_to_an_array_and_back),
        TEST(copies_of_rows_of_arrays_are_checked),
        TEST(rows_are_copied_from_array_to_array),
        TEST(runs_of_bytes_go_on_in_the_next_row),
        TEST(a_run_that_does_not_fit_changes_nothing),
        TEST(one_dimensional_arrays_are_copied_between_host_device_and_each_other),
        TEST(the_first_row_of_an_array_is_copied_as_a_line),
        TEST(boxes_are_copied_to_arrays_counted_in_elements),
        TEST(boxes_of_arrays_with_different_elements_are_refused),
        TEST(the_drivers_descriptions_take_arrays),
        TEST(arrays_of_another_device_are_copied),
        TEST(freeing_an_array_waits_for_work_with_it),
    };
    use_fake("80,90");
    return run_group("driver.array", tests);
}
