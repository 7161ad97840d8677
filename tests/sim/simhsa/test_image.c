/* Images and samplers: formats, sizes, descriptors, and copies. */
#include "simhsa_test.h"

enum { FORMAT_UNSUPPORTED = 0x3000, SIZE_UNSUPPORTED, PITCH_UNSUPPORTED };

static const hsa_ext_image_format_t rgba8 = {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8,
                                             HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA};
static const hsa_ext_image_format_t r32 = {HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32,
                                           HSA_EXT_IMAGE_CHANNEL_ORDER_R};

static hsa_ext_image_descriptor_t form(hsa_ext_image_geometry_t geometry,
                                       hsa_ext_image_format_t format, size_t width, size_t height,
                                       size_t depth, size_t layers)
{
    return (hsa_ext_image_descriptor_t){geometry, width, height, depth, layers, format};
}

static uint32_t capability(unsigned gpu, hsa_ext_image_geometry_t geometry, unsigned type,
                           unsigned order)
{
    hsa_ext_image_format_t format = {type, order};
    uint32_t mask = 0xdead;
    ok(rt.hsa_ext_image_get_capability(here.gpus[gpu], geometry, &format, &mask));
    return mask;
}

/* A device per index: gfx90a, gfx1100, gfx942. */
enum { GFX90A, GFX1100, GFX942 };

static void formats_have_the_capabilities_of_devices(void **state)
{
    (void)state;
    enum { RO = 1, RW = 7, WO = 3 };
    for (unsigned gpu = 0; gpu < 2; gpu++) {
        assert_int_equal(capability(gpu, HSA_EXT_IMAGE_GEOMETRY_2D,
                                    HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8,
                                    HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA),
                         RW);
        assert_int_equal(capability(gpu, HSA_EXT_IMAGE_GEOMETRY_3D,
                                    HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT,
                                    HSA_EXT_IMAGE_CHANNEL_ORDER_R),
                         RW);
        assert_int_equal(capability(gpu, HSA_EXT_IMAGE_GEOMETRY_2D,
                                    HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8,
                                    HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA),
                         RO);
        assert_int_equal(capability(gpu, HSA_EXT_IMAGE_GEOMETRY_2DDEPTH,
                                    HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT,
                                    HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH),
                         WO);
        assert_int_equal(capability(gpu, HSA_EXT_IMAGE_GEOMETRY_2D,
                                    HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565,
                                    HSA_EXT_IMAGE_CHANNEL_ORDER_RGB),
                         RW);
        /* formats that they do not support */
        assert_int_equal(capability(gpu, HSA_EXT_IMAGE_GEOMETRY_2D,
                                    HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16,
                                    HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA),
                         0);
        assert_int_equal(capability(gpu, HSA_EXT_IMAGE_GEOMETRY_1DB,
                                    HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8,
                                    HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA),
                         0);
        assert_int_equal(capability(gpu, HSA_EXT_IMAGE_GEOMETRY_2D, 99, 99), 0);
    }
    assert_int_equal(capability(GFX942, HSA_EXT_IMAGE_GEOMETRY_2D,
                                HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8,
                                HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA),
                     0);
}

static void agents_have_limits_of_image_sizes(void **state)
{
    (void)state;
    uint32_t size[3] = {0}, layers;
    ok(rt.hsa_agent_get_info(here.gpus[0],
                             (hsa_agent_info_t)HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS, size));
    assert_true(size[0] == 16384 && size[1] == 16384 && size[2] == 8192);
    ok(rt.hsa_amd_image_get_info_max_dim(
        here.gpus[1], (hsa_agent_info_t)HSA_EXT_AGENT_INFO_IMAGE_2DA_MAX_ELEMENTS, size));
    assert_true(size[0] == 16384 && size[1] == 16384);
    ok(rt.hsa_amd_image_get_info_max_dim(
        here.gpus[1], (hsa_agent_info_t)HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS, &layers));
    assert_int_equal(layers, 8192);
    ok(rt.hsa_agent_get_info(
        here.gpus[0], (hsa_agent_info_t)HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT, size));
    assert_int_equal(size[0], 256);
    ok(rt.hsa_agent_get_info(here.gpus[GFX942],
                             (hsa_agent_info_t)HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS, size));
    assert_true(size[0] == 0 && size[1] == 0);
    expect(rt.hsa_amd_image_get_info_max_dim(
               here.gpus[0], (hsa_agent_info_t)HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS, size),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

static void sizes_are_of_rows_at_multiples_of_256(void **state)
{
    (void)state;
    hsa_ext_image_data_info_t info;
    hsa_ext_image_descriptor_t image = form(HSA_EXT_IMAGE_GEOMETRY_2D, rgba8, 65, 3, 1, 1);
    ok(rt.hsa_ext_image_data_get_info(here.gpus[0], &image, HSA_ACCESS_PERMISSION_RW, &info));
    assert_true(info.size == 512 * 3 && info.alignment == 256);
    image = form(HSA_EXT_IMAGE_GEOMETRY_2DA, rgba8, 64, 3, 1, 5);
    ok(rt.hsa_ext_image_data_get_info(here.gpus[1], &image, HSA_ACCESS_PERMISSION_RO, &info));
    assert_int_equal(info.size, 256 * 3 * 5);
    image = form(HSA_EXT_IMAGE_GEOMETRY_2D, rgba8, 64, 3, 1, 1);
    ok(rt.hsa_ext_image_data_get_info_with_layout(here.gpus[0], &image, HSA_ACCESS_PERMISSION_RW,
                                                  HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, 1024, 0,
                                                  &info));
    assert_int_equal(info.size, 1024 * 3);
    static const size_t pitches[][2] = {{128, 0}, {300, 0}, {512, 512}};
    for (size_t i = 0; i < 3; i++)
        expect(rt.hsa_ext_image_data_get_info_with_layout(
                   here.gpus[0], &image, HSA_ACCESS_PERMISSION_RW, HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR,
                   pitches[i][0], pitches[i][1], &info),
               PITCH_UNSUPPORTED);
    expect(
        rt.hsa_ext_image_data_get_info_with_layout(here.gpus[0], &image, HSA_ACCESS_PERMISSION_RW,
                                                   HSA_EXT_IMAGE_DATA_LAYOUT_OPAQUE, 512, 0, &info),
        HSA_STATUS_ERROR_INVALID_ARGUMENT);
    image.width = 16385;
    expect(rt.hsa_ext_image_data_get_info(here.gpus[0], &image, HSA_ACCESS_PERMISSION_RW, &info),
           SIZE_UNSUPPORTED);
    image = form(HSA_EXT_IMAGE_GEOMETRY_2D, rgba8, 64, 3, 2, 1);
    expect(rt.hsa_ext_image_data_get_info(here.gpus[0], &image, HSA_ACCESS_PERMISSION_RW, &info),
           SIZE_UNSUPPORTED);
    expect(
        rt.hsa_ext_image_data_get_info(here.gpus[GFX942], &image, HSA_ACCESS_PERMISSION_RW, &info),
        FORMAT_UNSUPPORTED);
    expect(rt.hsa_ext_image_data_get_info(here.cpu, &image, HSA_ACCESS_PERMISSION_RW, &info),
           FORMAT_UNSUPPORTED);
    expect(
        rt.hsa_ext_image_data_get_info((hsa_agent_t){0}, &image, HSA_ACCESS_PERMISSION_RW, &info),
        HSA_STATUS_ERROR_INVALID_AGENT);
}

static void a_handle_points_to_the_registers_of_the_image(void **state)
{
    (void)state;
    void *memory = allocate(here.memory, 65536);
    uint64_t address = (uintptr_t)memory;
    hsa_ext_image_t image;
    hsa_ext_image_descriptor_t two = form(HSA_EXT_IMAGE_GEOMETRY_2D, rgba8, 65, 3, 1, 1);
    for (unsigned gpu = 0; gpu < 2; gpu++) {
        ok(rt.hsa_ext_image_create_with_layout(here.gpus[gpu], &two, memory,
                                               HSA_ACCESS_PERMISSION_RW,
                                               HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, 768, 0, &image));
        const uint32_t *words = (const uint32_t *)(uintptr_t)image.handle;
        assert_int_equal(words[0], (uint32_t)(address >> 8));
        assert_int_equal(words[1] & 0xff, address >> 40);
        if (gpu == GFX90A) { /* 8_8_8_8 UNORM; 65 by 3; xyzw, 2D; pitch 192 */
            assert_int_equal(words[1] >> 20, 10);
            assert_int_equal(words[2], 64 | 2 << 14);
            assert_int_equal(words[4], 191 << 13);
        } else {
            assert_int_equal(words[1] >> 20, 42 | 0u << 10);
            assert_int_equal(words[2], 16 | 2 << 14);
            assert_int_equal(words[4], 191);
        }
        assert_int_equal(words[3], 0x90000fac);
        assert_int_equal(words[8], rgba8.channel_type);
        assert_int_equal(words[9], rgba8.channel_order);
        assert_int_equal(words[10], 65);
        ok(rt.hsa_ext_image_destroy(here.gpus[gpu], image));
        expect(rt.hsa_ext_image_destroy(here.gpus[gpu], image), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    }
    /* A buffer: stride 4, 100 elements, R. */
    hsa_ext_image_descriptor_t buffer = form(HSA_EXT_IMAGE_GEOMETRY_1DB, r32, 100, 1, 1, 1);
    for (unsigned gpu = 0; gpu < 2; gpu++) {
        ok(rt.hsa_ext_image_create(here.gpus[gpu], &buffer, memory, HSA_ACCESS_PERMISSION_RO,
                                   &image));
        const uint32_t *words = (const uint32_t *)(uintptr_t)image.handle;
        assert_int_equal(words[0], (uint32_t)address);
        assert_int_equal(words[1], (uint32_t)(address >> 32) | 4 << 16);
        assert_int_equal(words[2], 400);
        assert_int_equal(words[3], (4 | 1 << 9) | (gpu == GFX90A ? 4 << 12 | 4 << 15 : 20 << 12));
        ok(rt.hsa_ext_image_destroy(here.gpus[gpu], image));
    }
    expect(rt.hsa_ext_image_create(here.gpus[0], &two, (char *)memory + 16,
                                   HSA_ACCESS_PERMISSION_RW, &image),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_ext_image_create(here.gpus[0], &two, NULL, HSA_ACCESS_PERMISSION_RW, &image),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(
        rt.hsa_ext_image_create(here.gpus[GFX942], &two, memory, HSA_ACCESS_PERMISSION_RW, &image),
        FORMAT_UNSUPPORTED);
    ok(rt.hsa_amd_memory_pool_free(memory));
}

static void samplers_are_four_words(void **state)
{
    (void)state;
    hsa_ext_sampler_descriptor_v2_t each = {HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED,
                                            HSA_EXT_SAMPLER_FILTER_MODE_LINEAR,
                                            {HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE,
                                             HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER,
                                             HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT}};
    hsa_ext_sampler_descriptor_t one = {HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED,
                                        HSA_EXT_SAMPLER_FILTER_MODE_NEAREST,
                                        HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT};
    hsa_ext_sampler_t sampler, other;
    ok(rt.hsa_ext_sampler_create_v2(here.gpus[0], &each, &sampler));
    const uint32_t *words = (const uint32_t *)(uintptr_t)sampler.handle;
    assert_int_equal(words[0], 2 | 6 << 3 | 1 << 6 | 1 << 15);
    assert_int_equal(words[1], 0xfff << 12);
    assert_int_equal(words[2], 1 << 20 | 1 << 22);
    assert_int_equal(words[3], 0);
    ok(rt.hsa_ext_sampler_create(here.gpus[1], &one, &other));
    words = (const uint32_t *)(uintptr_t)other.handle;
    assert_int_equal(words[0], 0);
    assert_int_equal(words[2], 0);
    /* A sampler is not an image, and the reverse. */
    expect(rt.hsa_ext_image_destroy(here.gpus[0], (hsa_ext_image_t){sampler.handle}),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_ext_sampler_destroy(here.gpus[0], sampler));
    expect(rt.hsa_ext_sampler_destroy(here.gpus[0], sampler), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_ext_sampler_destroy(here.gpus[1], other));
    expect(rt.hsa_ext_sampler_destroy(here.gpus[1], (hsa_ext_sampler_t){other.handle + 8}),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    each.address_modes[1] = 9;
    expect(rt.hsa_ext_sampler_create_v2(here.gpus[0], &each, &sampler),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

static void texels_are_imported_copied_cleared_and_exported(void **state)
{
    (void)state;
    enum { WIDTH = 5, HEIGHT = 4, LAYERS = 3 };
    unsigned char *memory = allocate(here.memory, 65536), *target = memory + 32768;
    uint32_t in[LAYERS][HEIGHT][WIDTH + 2], out[LAYERS][HEIGHT][WIDTH];
    hsa_ext_image_descriptor_t layers =
        form(HSA_EXT_IMAGE_GEOMETRY_2DA, r32, WIDTH, HEIGHT, 1, LAYERS);
    hsa_ext_image_t image, other;
    for (unsigned i = 0; i < sizeof in / 4; i++)
        ((uint32_t *)in)[i] = i * 3 + 1;
    ok(rt.hsa_ext_image_create(here.gpus[0], &layers, memory, HSA_ACCESS_PERMISSION_RW, &image));
    ok(rt.hsa_ext_image_create(here.gpus[0], &layers, target, HSA_ACCESS_PERMISSION_RW, &other));
    hsa_ext_image_region_t all = {{0, 0, 0}, {WIDTH, HEIGHT, LAYERS}};
    ok(rt.hsa_ext_image_import(here.gpus[0], in, sizeof in[0][0], 0, image, &all));
    uint32_t texel; /* rows are 256 bytes apart */
    ok(rt.hsa_memory_copy(&texel, memory + (2 * HEIGHT + 1) * 256 + 3 * 4, 4));
    assert_int_equal(texel, in[2][1][3]);
    uint32_t zeros[4] = {0}, value[4] = {77, 1, 2, 3};
    ok(rt.hsa_ext_image_clear(here.gpus[0], other, zeros, &all));
    hsa_ext_image_region_t part = {{1, 1, 1}, {2, 1, 1}};
    ok(rt.hsa_ext_image_clear(here.gpus[0], other, value, &part));
    hsa_dim3_t from = {2, 0, 0}, to = {0, 2, 1}, range = {3, 2, 2};
    ok(rt.hsa_ext_image_copy(here.gpus[0], image, &from, other, &to, &range));
    ok(rt.hsa_ext_image_export(here.gpus[0], other, out, 0, 0, &all));
    for (unsigned z = 0; z < LAYERS; z++)
        for (unsigned y = 0; y < HEIGHT; y++)
            for (unsigned x = 0; x < WIDTH; x++) {
                bool copied = z >= 1 && y >= 2 && x < 3;
                bool cleared = z == 1 && y == 1 && (x == 1 || x == 2);
                assert_int_equal(out[z][y][x], copied ? in[z - 1][y - 2][x + 2] : cleared ? 77 : 0);
            }
    /* Regions that are not within the image are refused. */
    part.range.x = WIDTH;
    expect(rt.hsa_ext_image_clear(here.gpus[0], other, value, &part),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_ext_image_import(here.gpus[0], in, 0, 0, other, &part),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    range.y = HEIGHT;
    expect(rt.hsa_ext_image_copy(here.gpus[0], image, &from, other, &to, &range),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_ext_image_export(here.gpus[0], (hsa_ext_image_t){12}, out, 0, 0, &all),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_ext_image_export(here.gpus[0], other, memory + 65536, 0, 0, &all),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_ext_image_destroy(here.gpus[0], image));
    ok(rt.hsa_ext_image_destroy(here.gpus[0], other));
    ok(rt.hsa_amd_memory_pool_free(memory));
}

static void floats_are_converted_to_the_format_when_images_are_cleared(void **state)
{
    (void)state;
    unsigned char *memory = allocate(here.memory, 4096), texel[4];
    hsa_ext_image_descriptor_t line =
        form(HSA_EXT_IMAGE_GEOMETRY_1D,
             (hsa_ext_image_format_t){HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8,
                                      HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA},
             8, 1, 1, 1);
    hsa_ext_image_t image;
    hsa_ext_image_region_t one = {{3, 0, 0}, {1, 1, 1}};
    float value[4] = {1, 0.2f, 0, 0.4f};
    ok(rt.hsa_ext_image_create(here.gpus[1], &line, memory, HSA_ACCESS_PERMISSION_RW, &image));
    ok(rt.hsa_ext_image_clear(here.gpus[1], image, value, &one));
    ok(rt.hsa_memory_copy(texel, memory + 12, 4));
    assert_true(texel[0] == 0 && texel[1] == 51 && texel[2] == 255 && texel[3] == 102);
    ok(rt.hsa_ext_image_destroy(here.gpus[1], image));
    ok(rt.hsa_amd_memory_pool_free(memory));
}

static void descriptors_of_other_drivers_are_accepted_if_linear(void **state)
{
    (void)state;
    unsigned char *memory = allocate(here.memory, 4096);
    uint32_t chip, words[10] = {1};
    ok(rt.hsa_agent_get_info(here.gpus[0], (hsa_agent_info_t)HSA_AMD_AGENT_INFO_CHIP_ID, &chip));
    hsa_ext_image_descriptor_t two = form(HSA_EXT_IMAGE_GEOMETRY_2D, rgba8, 4, 4, 1, 1);
    hsa_ext_image_t image;
    words[1] = 0x1002u << 16 | chip;
    words[2 + 1] = 10 << 20;
    words[2 + 2] = 3 | 3 << 14;
    words[2 + 3] = 9u << 28;
    words[2 + 4] = 63 << 13;
    const hsa_amd_image_descriptor_t *layout = (const hsa_amd_image_descriptor_t *)words;
    ok(rt.hsa_amd_image_create(here.gpus[0], &two, layout, memory, HSA_ACCESS_PERMISSION_RW,
                               &image));
    const uint32_t *made = (const uint32_t *)(uintptr_t)image.handle;
    assert_int_equal(made[0], (uint32_t)((uintptr_t)memory >> 8));
    assert_int_equal(made[3], 0x90000fac);
    ok(rt.hsa_ext_image_destroy(here.gpus[0], image));
    words[2 + 3] |= 9 << 20; /* tiled */
    expect(rt.hsa_amd_image_create(here.gpus[0], &two, layout, memory, HSA_ACCESS_PERMISSION_RW,
                                   &image),
           FORMAT_UNSUPPORTED);
    ok(rt.hsa_amd_memory_pool_free(memory));
}

static void the_extension_is_available(void **state)
{
    (void)state;
    void *table[14] = {0}, *old[12] = {0};
    const char *name;
    bool supported;
    uint16_t minor = 9;
    ok(rt.hsa_extension_get_name(HSA_EXTENSION_IMAGES, &name));
    assert_string_equal(name, "HSA_EXTENSION_IMAGES");
    ok(rt.hsa_system_major_extension_supported(HSA_EXTENSION_IMAGES, 1, &minor, &supported));
    assert_true(supported && minor == 0);
    ok(rt.hsa_system_get_major_extension_table(HSA_EXTENSION_IMAGES, 1, sizeof table, table));
    assert_ptr_equal(table[0], (void *)rt.hsa_ext_image_get_capability);
    assert_ptr_equal(table[7], (void *)rt.hsa_ext_image_clear);
    assert_ptr_equal(table[12], (void *)rt.hsa_ext_image_create_with_layout);
    ok(rt.hsa_system_get_extension_table(HSA_EXTENSION_IMAGES, 1, 0, old));
    assert_ptr_equal(old[9], (void *)rt.hsa_ext_sampler_destroy);
    assert_null(old[10]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_have_the_capabilities_of_devices),
        cmocka_unit_test(agents_have_limits_of_image_sizes),
        cmocka_unit_test(sizes_are_of_rows_at_multiples_of_256),
        cmocka_unit_test(a_handle_points_to_the_registers_of_the_image),
        cmocka_unit_test(samplers_are_four_words),
        cmocka_unit_test(texels_are_imported_copied_cleared_and_exported),
        cmocka_unit_test(floats_are_converted_to_the_format_when_images_are_cleared),
        cmocka_unit_test(descriptors_of_other_drivers_are_accepted_if_linear),
        cmocka_unit_test(the_extension_is_available),
    };
    return start_with("gfx90a,gfx1100,gfx942") ? EXIT_FAILURE
                                               : cmocka_run_group_tests(tests, NULL, NULL);
}
