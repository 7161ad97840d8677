/* Texture references of modules: settings, bindings, and invalid ones. What kernels read through
 * them is tested in tests/kernel. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const hipChannelFormatDesc floats = {32, 0, 0, 0, hipChannelFormatKindFloat};
static const hipChannelFormatDesc words = {32, 0, 0, 0, hipChannelFormatKindUnsigned};
static const hipChannelFormatDesc bytes = {8, 8, 8, 8, hipChannelFormatKindUnsigned};

/* A module with a variable of a reference's size, and one of another. */
static hipModule_t load(textureReference **out_reference)
{
    char ptx[256];
    hipModule_t module;
    snprintf(ptx, sizeof ptx,
             ".version 7.0\n.target sm_70\n.address_size 64\n"
             ".visible .global .align 8 .b8 reference[%zu];\n"
             ".visible .global .align 8 .b8 variable[4];\n",
             sizeof(textureReference));
    ok(hipModuleLoadData(&module, ptx));
    ok(hipModuleGetTexRef(out_reference, module, "reference"));
    return module;
}

/* The device sees the same as the host. */
static void check_published(hipModule_t module, const textureReference *reference)
{
    textureReference seen;
    hipDeviceptr_t address;
    size_t size;
    ok(hipModuleGetGlobal(&address, &size, module, "reference"));
    check(size == sizeof seen);
    ok(hipMemcpy(&seen, address, sizeof seen, hipMemcpyDeviceToHost));
    check(memcmp(&seen, reference, sizeof seen) == 0);
}

static void a_module_has_one_reference_of_a_name(void **state)
{
    textureReference *reference, *again;
    hipModule_t module = load(&reference);
    (void)state;
    ok(hipModuleGetTexRef(&again, module, "reference"));
    check(again == reference);
    check(reference->readMode == hipReadModeNormalizedFloat &&
          reference->addressMode[0] == hipAddressModeClamp &&
          reference->addressMode[2] == hipAddressModeClamp);
    expect(hipModuleGetTexRef(NULL, module, "reference"), hipErrorInvalidValue);
    expect(hipModuleGetTexRef(&again, module, NULL), hipErrorInvalidValue);
    expect(hipModuleGetTexRef(&again, module, ""), hipErrorInvalidValue);
    expect(hipModuleGetTexRef(&again, module, "variable"), hipErrorNotFound);
    expect(hipModuleGetTexRef(&again, module, "nothing"), hipErrorNotFound);
    expect(hipModuleGetTexRef(&again, NULL, "reference"), hipErrorInvalidResourceHandle);
    ok(hipModuleUnload(module));
    expect(hipModuleGetTexRef(&again, module, "reference"), hipErrorInvalidResourceHandle);
}

static void settings_are_kept(void **state)
{
    textureReference *reference;
    hipModule_t module = load(&reference);
    enum hipTextureFilterMode filter;
    enum hipTextureAddressMode mode;
    float bias, low, high, border[4] = {1, 2, 3, 4}, got[4];
    unsigned flags;
    int anisotropy, channels;
    hipArray_Format format;
    (void)state;
    ok(hipTexRefSetFormat(reference, HIP_AD_FORMAT_FLOAT, 4));
    ok(hipTexRefGetFormat(&format, &channels, reference));
    check(format == HIP_AD_FORMAT_FLOAT && channels == 4 && reference->channelDesc.w == 32);
    ok(hipTexRefSetFilterMode(reference, hipFilterModeLinear));
    ok(hipTexRefGetFilterMode(&filter, reference));
    check(filter == hipFilterModeLinear);
    ok(hipTexRefSetMipmapFilterMode(reference, hipFilterModeLinear));
    ok(hipTexRefGetMipmapFilterMode(&filter, reference));
    check(filter == hipFilterModeLinear);
    ok(hipTexRefSetMipmapLevelBias(reference, 0.5f));
    ok(hipTexRefGetMipmapLevelBias(&bias, reference));
    check(bias == 0.5f);
    ok(hipTexRefSetMipmapLevelClamp(reference, 1, 3));
    ok(hipTexRefGetMipmapLevelClamp(&low, &high, reference));
    check(low == 1 && high == 3);
    ok(hipTexRefSetMaxAnisotropy(reference, 8));
    ok(hipTexRefGetMaxAnisotropy(&anisotropy, reference));
    check(anisotropy == 8);
    ok(hipTexRefSetBorderColor(reference, border));
    ok(hipTexRefGetBorderColor(got, reference));
    check(memcmp(got, border, sizeof got) == 0);
    static const unsigned all[] = {0, HIP_TRSF_READ_AS_INTEGER, HIP_TRSF_NORMALIZED_COORDINATES,
                                   HIP_TRSF_SRGB,
                                   HIP_TRSF_READ_AS_INTEGER | HIP_TRSF_NORMALIZED_COORDINATES};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ok(hipTexRefSetFlags(reference, all[i]));
        ok(hipTexRefGetFlags(&flags, reference));
        check(flags == all[i]);
    }
    for (int i = 0; i < 3; i++) {
        ok(hipTexRefSetAddressMode(reference, i, hipAddressModeMirror));
        ok(hipTexRefGetAddressMode(&mode, reference, i));
        check(mode == hipAddressModeMirror);
    }
    ok(hipModuleUnload(module));
}

static void settings_that_do_not_exist_are_refused(void **state)
{
    textureReference *reference;
    hipModule_t module = load(&reference);
    enum hipTextureAddressMode mode;
    enum hipTextureFilterMode filter;
    hipArray_Format format;
    float number;
    unsigned flags;
    int count;
    (void)state;
    expect(hipTexRefSetFormat(reference, HIP_AD_FORMAT_FLOAT, 3), hipErrorInvalidValue);
    expect(hipTexRefSetFormat(reference, (hipArray_Format)0x77, 1), hipErrorInvalidValue);
    expect(hipTexRefSetFilterMode(reference, (enum hipTextureFilterMode)2), hipErrorInvalidValue);
    expect(hipTexRefSetMipmapFilterMode(reference, (enum hipTextureFilterMode)2),
           hipErrorInvalidValue);
    expect(hipTexRefSetAddressMode(reference, -1, hipAddressModeWrap), hipErrorInvalidValue);
    expect(hipTexRefSetAddressMode(reference, 3, hipAddressModeWrap), hipErrorInvalidValue);
    expect(hipTexRefSetAddressMode(reference, 0, (enum hipTextureAddressMode)4),
           hipErrorInvalidValue);
    expect(hipTexRefSetAddressMode(reference, 0, (enum hipTextureAddressMode) - 1),
           hipErrorInvalidValue);
    expect(hipTexRefSetBorderColor(reference, NULL), hipErrorInvalidValue);
    expect(hipTexRefSetFlags(reference, 0x100), hipErrorInvalidValue);
    expect(hipTexRefGetAddressMode(NULL, reference, 0), hipErrorInvalidValue);
    expect(hipTexRefGetAddressMode(&mode, reference, -1), hipErrorInvalidValue);
    expect(hipTexRefGetAddressMode(&mode, reference, 3), hipErrorInvalidValue);
    expect(hipTexRefGetFilterMode(NULL, reference), hipErrorInvalidValue);
    expect(hipTexRefGetMipmapFilterMode(NULL, reference), hipErrorInvalidValue);
    expect(hipTexRefGetMipmapLevelBias(NULL, reference), hipErrorInvalidValue);
    expect(hipTexRefGetMipmapLevelClamp(NULL, &number, reference), hipErrorInvalidValue);
    expect(hipTexRefGetMipmapLevelClamp(&number, NULL, reference), hipErrorInvalidValue);
    expect(hipTexRefGetMaxAnisotropy(NULL, reference), hipErrorInvalidValue);
    expect(hipTexRefGetBorderColor(NULL, reference), hipErrorInvalidValue);
    expect(hipTexRefGetFormat(NULL, &count, reference), hipErrorInvalidValue);
    expect(hipTexRefGetFormat(&format, NULL, reference), hipErrorInvalidValue);
    expect(hipTexRefGetFlags(NULL, reference), hipErrorInvalidValue);
    textureReference unknown;
    memset(&unknown, 0, sizeof unknown);
    expect(hipTexRefGetFlags(&flags, &unknown), hipErrorInvalidValue);
    expect(hipTexRefGetFilterMode(&filter, NULL), hipErrorInvalidValue);
    ok(hipModuleUnload(module));
}

static void a_reference_is_bound_to_one_thing_at_a_time(void **state)
{
    textureReference *reference;
    hipModule_t module = load(&reference);
    hipArray_t array, bound_array;
    hipMipmappedArray_t mipmap, bound_mipmap;
    hipDeviceptr_t memory, address;
    size_t offset = 1;
    (void)state;
    ok(hipMalloc(&memory, 4096));
    ok(hipMallocArray(&array, &floats, 8, 8, 0));
    ok(hipMallocMipmappedArray(&mipmap, &floats, (hipExtent){8, 8, 0}, 2, 0));
    expect(hipTexRefGetAddress(&address, reference), hipErrorInvalidValue);

    ok(hipTexRefSetFlags(reference, HIP_TRSF_NORMALIZED_COORDINATES));
    ok(hipTexRefSetArray(reference, array, HIP_TRSA_OVERRIDE_FORMAT));
    ok(hipTexRefGetArray(&bound_array, reference));
    check(bound_array == array && reference->format == HIP_AD_FORMAT_FLOAT);
    check_published(module, reference);
    expect(hipTexRefGetAddress(&address, reference), hipErrorInvalidValue);
    expect(hipTexRefGetMipMappedArray(&bound_mipmap, reference), hipErrorInvalidValue);

    ok(hipTexRefSetMipmappedArray(reference, mipmap, HIP_TRSA_OVERRIDE_FORMAT));
    ok(hipTexRefGetMipMappedArray(&bound_mipmap, reference));
    check(bound_mipmap == mipmap && reference->numChannels == 1);
    check_published(module, reference);
    expect(hipTexRefGetArray(&bound_array, reference), hipErrorInvalidValue);
    expect(hipTexRefSetMipmappedArray(reference, mipmap, 0), hipErrorInvalidValue);
    expect(hipTexRefSetMipmappedArray(reference, NULL, HIP_TRSA_OVERRIDE_FORMAT),
           hipErrorInvalidValue);

    ok(hipUnbindTexture(reference));
    ok(hipTexRefSetFormat(reference, HIP_AD_FORMAT_UNSIGNED_INT32, 1));
    ok(hipTexRefSetFlags(reference, HIP_TRSF_READ_AS_INTEGER));
    ok(hipTexRefSetAddress(&offset, reference, memory, 4096));
    check(offset == 0);
    ok(hipTexRefGetAddress(&address, reference));
    check(address == memory);
    check_published(module, reference);
    ok(hipUnbindTexture(reference));
    expect(hipTexRefGetAddress(&address, reference), hipErrorInvalidValue);
    expect(hipUnbindTexture(NULL), hipErrorInvalidTexture);
    ok(hipModuleUnload(module));
    ok(hipFreeMipmappedArray(mipmap));
    ok(hipFreeArray(array));
    ok(hipFree(memory));
}

static void memory_that_is_not_aligned_is_bound_with_an_offset(void **state)
{
    textureReference *reference;
    hipModule_t module = load(&reference);
    hipDeviceptr_t address;
    char *memory;
    size_t offset = 99, told = 99;
    (void)state;
    ok(hipMalloc((void **)&memory, 8192));
    ok(hipTexRefSetFlags(reference, HIP_TRSF_READ_AS_INTEGER));
    ok(hipBindTexture(&offset, reference, memory + 16, &words, 1024));
    ok(hipGetTextureAlignmentOffset(&told, reference));
    check(offset == 16 && told == 16);
    ok(hipTexRefGetAddress(&address, reference));
    check(address == (hipDeviceptr_t)memory);
    expect_says(hipBindTexture(NULL, reference, memory + 16, &words, 1024), hipErrorInvalidValue,
                " is not aligned for textures, and there is nowhere to say by how much");
    ok(hipBindTexture(NULL, reference, memory, &words, SIZE_MAX)); /* up to its end */
    ok(hipGetTextureAlignmentOffset(&told, reference));
    check(told == 0);
    expect(hipBindTexture(&offset, reference, NULL, &words, 64), hipErrorInvalidValue);
    expect(hipBindTexture(&offset, reference, memory, NULL, 64), hipErrorInvalidValue);
    ok(hipBindTexture2D(&offset, reference, memory, &words, 16, 8, 512));
    check(offset == 0);
    ok(hipBindTexture2D(&offset, reference, memory + 64, &words, 16, 8, 512));
    check(offset == 64);
    expect(hipBindTexture2D(&offset, reference, NULL, &words, 16, 8, 512), hipErrorInvalidValue);
    expect(hipBindTexture2D(&offset, reference, memory, NULL, 16, 8, 512), hipErrorInvalidValue);
    const HIP_ARRAY_DESCRIPTOR flat = {16, 8, HIP_AD_FORMAT_UNSIGNED_INT32, 1};
    ok(hipTexRefSetAddress2D(reference, &flat, memory, 512));
    expect(hipTexRefSetAddress2D(reference, NULL, memory, 512), hipErrorInvalidValue);
    ok(hipModuleUnload(module));
    ok(hipFree(memory));
}

/* An array can be read as elements of another type that are as large. */
static void an_array_is_bound_as_another_type(void **state)
{
    textureReference *reference;
    hipModule_t module = load(&reference);
    hipArray_t array;
    hipMipmappedArray_t mipmap;
    (void)state;
    ok(hipMallocArray(&array, &bytes, 8, 8, 0));
    ok(hipMallocMipmappedArray(&mipmap, &bytes, (hipExtent){8, 8, 0}, 2, 0));
    ok(hipTexRefSetFlags(reference, HIP_TRSF_READ_AS_INTEGER | HIP_TRSF_NORMALIZED_COORDINATES));
    ok(hipBindTextureToArray(reference, array, &bytes));
    ok(hipBindTextureToArray(reference, array, &words));
    hipResourceDesc resource;
    struct hipResourceViewDesc view;
    ok(hipGetTextureObjectResourceDesc(&resource, reference->textureObject));
    check(resource.resType == hipResourceTypeArray && resource.res.array.array == array);
    ok(hipGetTextureObjectResourceViewDesc(&view, reference->textureObject));
    check(view.format == hipResViewFormatUnsignedInt1 && view.width == 8 && view.height == 8);
    ok(hipBindTextureToMipmappedArray(reference, mipmap, &words));
    ok(hipGetTextureObjectResourceViewDesc(&view, reference->textureObject));
    check(view.format == hipResViewFormatUnsignedInt1 && view.lastMipmapLevel == 1);
    expect(hipBindTextureToArray(reference, NULL, &words), hipErrorInvalidHandle);
    expect(hipBindTextureToMipmappedArray(reference, NULL, &words), hipErrorInvalidHandle);
    ok(hipModuleUnload(module));
    ok(hipFreeMipmappedArray(mipmap));
    ok(hipFreeArray(array));
}

/* What is set after the binding counts too. */
static void settings_of_a_bound_reference_take_effect(void **state)
{
    textureReference *reference;
    hipModule_t module = load(&reference);
    hipArray_t array;
    hipTextureDesc settings;
    (void)state;
    ok(hipMallocArray(&array, &floats, 8, 8, 0));
    ok(hipTexRefSetArray(reference, array, HIP_TRSA_OVERRIDE_FORMAT));
    ok(hipTexRefSetFilterMode(reference, hipFilterModeLinear));
    ok(hipTexRefSetAddressMode(reference, 1, hipAddressModeBorder));
    ok(hipTexRefSetFlags(reference, HIP_TRSF_NORMALIZED_COORDINATES));
    ok(hipTexRefSetMaxAnisotropy(reference, 4));
    ok(hipGetTextureObjectTextureDesc(&settings, reference->textureObject));
    check(settings.filterMode == hipFilterModeLinear && settings.normalizedCoords == 1 &&
          settings.addressMode[1] == hipAddressModeBorder && settings.maxAnisotropy == 4);
    check_published(module, reference);
    ok(hipModuleUnload(module));
    ok(hipFreeArray(array));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_module_has_one_reference_of_a_name),
        TEST(settings_are_kept),
        TEST(settings_that_do_not_exist_are_refused),
        TEST(a_reference_is_bound_to_one_thing_at_a_time),
        TEST(memory_that_is_not_aligned_is_bound_with_an_offset),
        TEST(an_array_is_bound_as_another_type),
        TEST(settings_of_a_bound_reference_take_effect),
    };
    use_fake_cuda("90");
    return run_group("driver.texture_reference", tests);
}
