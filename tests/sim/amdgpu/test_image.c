/* Images and typed buffers: the results of loads and stores, with descriptors that are built here
 * from the layouts of the registers, and expected values that are computed here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hand_access.h"
#include "sim_half.h"

#include <math.h>

static const struct setting images[] = {
    {AMDGPU_GFX90A, 64}, {AMDGPU_GFX900, 64}, {AMDGPU_GFX1100, 32}, {AMDGPU_GFX1100, 64}};

/* ---- descriptors ------------------------------------------------------------------------ */

enum type { T1D = 8, T2D = 9, T3D = 10, T1D_ARRAY = 12, T2D_ARRAY = 13 };
enum { S_SAMPLER = 48 };

/* A format by its two numbers of gfx9 and the one of gfx11. */
struct format {
    unsigned data, number, gfx11, bytes;
};
static const struct format rgba8_unorm = {10, 0, 42, 4}, r32_uint = {4, 4, 20, 4},
                           r32_float = {4, 7, 22, 4}, rgba32_float = {14, 7, 63, 16},
                           rgba32_uint = {14, 4, 61, 16}, rg32_uint = {11, 4, 48, 8};

struct picture {
    enum type type;
    struct format format;
    unsigned width, height, depth, pitch; /* pitch: texels; of gfx11's with layers not given */
    unsigned selects;                     /* 0: xyzw */
    struct sim_memory *memory;
};

static bool is_new(void)
{
    return hand.isa == AMDGPU_GFX1100;
}

static unsigned pitch_of(const struct picture *picture)
{
    bool layered = picture->type == T3D || picture->type >= T1D_ARRAY;
    unsigned bytes = picture->format.bytes;
    return is_new() && layered ? (picture->width * bytes + 255) / 256 * 256 / bytes
                               : picture->pitch;
}

static size_t texel_at(const struct picture *picture, unsigned x, unsigned y, unsigned z)
{
    return ((size_t)(z * picture->height + y) * pitch_of(picture) + x) * picture->format.bytes;
}

static uint32_t *describe(const struct picture *picture)
{
    uint32_t *s = &hand_wave()->s[S_BASE];
    uint64_t address = picture->memory->address;
    unsigned selects = picture->selects ? picture->selects : 4 | 5 << 3 | 6 << 6 | 7 << 9;
    unsigned last = picture->depth - 1, row = pitch_of(picture) - 1;
    bool layered = picture->type == T3D || picture->type >= T1D_ARRAY;
    memset(s, 0, 32);
    s[0] = (uint32_t)(address >> 8);
    s[1] = (uint32_t)(address >> 40) & 0xff;
    s[3] = selects | (uint32_t)picture->type << 28;
    if (is_new()) {
        s[1] |= picture->format.gfx11 << 20 | (picture->width - 1) << 30;
        s[2] = (picture->width - 1) >> 2 | (picture->height - 1) << 14;
        s[4] = layered ? last : row;
    } else {
        s[1] |= picture->format.data << 20 | picture->format.number << 26;
        s[2] = (picture->width - 1) | (picture->height - 1) << 14;
        s[4] = (layered ? last : 0) | row << 13;
    }
    return s;
}

static void begin(const struct setting *setting, struct picture *picture, size_t size)
{
    hand_begin(setting->isa, setting->lanes);
    picture->memory = hand_memory(size);
    describe(picture);
}

static void end(struct picture *picture)
{
    sim_memory_destroy(picture->memory);
}

/* ---- instructions ------------------------------------------------------------------------ */

/* dim: of gfx11; gfx9 looks at da instead. */
static struct amdgpu_inst image_inst(const char *name, unsigned dmask, enum type type)
{
    static const unsigned char dims[] = {[T1D] = AMDGPU_DIM_1D,
                                         [T2D] = AMDGPU_DIM_2D,
                                         [T3D] = AMDGPU_DIM_3D,
                                         [T1D_ARRAY] = AMDGPU_DIM_1D_ARRAY,
                                         [T2D_ARRAY] = AMDGPU_DIM_2D_ARRAY};
    const struct amdgpu_row *row = hand_row(name);
    if (!row)
        fail_msg("no row %s", name);
    struct amdgpu_inst inst = {.row = row, .format = AMDGPU_MIMG, .length = 8};
    unsigned count = (unsigned)__builtin_popcount(dmask);
    inst.dmask = (unsigned char)dmask;
    if (row->flags & AMDGPU_ROW_GATHER)
        count = 4;
    if (row->src[0] != AMDGPU_NOTYPE)
        inst.data = hand_vregs(V_DATA, count);
    else
        inst.dst[0] = hand_vregs(V_DST, count);
    inst.addr = hand_vregs(V_ADDRESS, 1);
    inst.saddr = hand_sregs(S_BASE, 8);
    if (row->flags & AMDGPU_ROW_SAMPLER)
        inst.soffset = hand_sregs(S_SAMPLER, 4);
    inst.dim = is_new() ? dims[type] : 0;
    inst.da = !is_new() && type >= T1D_ARRAY;
    return inst;
}

static void run(struct amdgpu_inst *inst)
{
    if (!hand_run(inst))
        fail_msg("%s: %s at 0x%llx", inst->row->name, hand.what,
                 (unsigned long long)hand.fault.address);
}

static void run_refused(struct amdgpu_inst *inst, const char *why)
{
    assert_false(hand_run(inst));
    if (!strstr(hand.what, why))
        fail_msg("%s: '%s' is not in '%s'", inst->row->name, why, hand.what);
}

static void assert_bits(const struct amdgpu_inst *inst, unsigned reg, unsigned lane,
                        uint32_t expected)
{
    if (hand_v(reg)[lane] != expected)
        fail_msg("%s: lane %u of v%u is 0x%x, not 0x%x", inst->row->name, lane, reg,
                 hand_v(reg)[lane], expected);
}

static uint32_t bits(float value)
{
    return sim_bits_of(value);
}

/* ---- loads and stores by coordinates ------------------------------------------------------ */

static void loads_find_texels_of_every_kind_of_image(void **state)
{
    (void)state;
    static const enum type types[] = {T1D, T2D, T3D, T1D_ARRAY, T2D_ARRAY};
    for (size_t s = 0; s < COUNT(images); s++)
        for (size_t t = 0; t < COUNT(types); t++) {
            bool flat = types[t] == T1D || types[t] == T1D_ARRAY;
            bool layered = types[t] == T3D || types[t] >= T1D_ARRAY;
            struct picture picture = {.type = types[t],
                                      .format = r32_uint,
                                      .width = 5,
                                      .height = flat ? 1 : 3,
                                      .depth = layered ? 4 : 1,
                                      .pitch = 64};
            begin(&images[s], &picture, 4096);
            struct amdgpu_inst inst = image_inst("image_load", 1, types[t]);
            uint32_t at[64][3];
            for (unsigned lane = 0; lane < 64; lane++) {
                at[lane][0] = lane % 7, at[lane][1] = flat ? 0 : lane / 7 % 4;
                at[lane][2] = layered ? lane / 14 % 5 : 0;
                if (lane == 11)
                    at[lane][0] = UINT32_MAX;
            }
            for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
                unsigned reg = V_ADDRESS;
                hand_v(reg++)[lane] = at[lane][0];
                if (!flat)
                    hand_v(reg++)[lane] = at[lane][1];
                if (layered)
                    hand_v(reg++)[lane] = at[lane][2];
            }
            run(&inst);
            for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
                uint32_t expected = 0;
                if (at[lane][0] < 5 && at[lane][1] < picture.height && at[lane][2] < picture.depth)
                    memcpy(&expected,
                           picture.memory->view +
                               texel_at(&picture, at[lane][0], at[lane][1], at[lane][2]),
                           4);
                assert_bits(&inst, V_DST, lane, expected);
            }
            end(&picture);
        }
}

/* gfx9 and gfx11 know the level that the image does not have. */
static void levels_beyond_the_one_read_as_nothing(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(images); s++) {
        struct picture picture = {T2D, r32_uint, 8, 8, 1, 64, 0, NULL};
        begin(&images[s], &picture, 4096);
        struct amdgpu_inst load = image_inst("image_load_mip", 1, T2D);
        for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
            hand_v(V_ADDRESS)[lane] = lane % 8;
            hand_v(V_ADDRESS + 1)[lane] = 2;
            hand_v(V_ADDRESS + 2)[lane] = lane % 2;
        }
        run(&load);
        for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
            uint32_t expected;
            memcpy(&expected, picture.memory->view + texel_at(&picture, lane % 8, 2, 0), 4);
            assert_bits(&load, V_DST, lane, lane % 2 ? 0 : expected);
        }
        end(&picture);
    }
}

static void stores_to_levels_beyond_the_one_are_dropped(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(images); s++) {
        struct picture picture = {T2D, r32_uint, 8, 8, 1, 64, 0, NULL};
        static unsigned char expected[4096];
        begin(&images[s], &picture, sizeof expected);
        memcpy(expected, picture.memory->view, sizeof expected);
        struct amdgpu_inst store = image_inst("image_store_mip", 1, T2D);
        hand_exec(UINT64_C(0x7fffffff7fffffff));
        for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
            unsigned x = lane % 10, y = lane / 10, level = lane % 3 == 2 ? 1u << lane % 32 : 0;
            hand_v(V_ADDRESS)[lane] = x;
            hand_v(V_ADDRESS + 1)[lane] = y;
            hand_v(V_ADDRESS + 2)[lane] = level;
            if (is_live(lane) && x < 8 && y < 8 && level == 0)
                memcpy(expected + texel_at(&picture, x, y, 0), &hand_v(V_DATA)[lane], 4);
        }
        run(&store);
        assert_memory_equal(picture.memory->view, expected, sizeof expected);
        end(&picture);
    }
}

/* 5x3 texels in two layers: levels of 5x3, 2x1 and 1x1, which take 3, 2 and 1 rows of a layer, the
 * smallest first. */
enum { LEVEL_ROW = 256, LEVELS_LAYER = 6 * LEVEL_ROW };
static const struct {
    unsigned width, height, offset;
} levels[] = {{5, 3, 3 * LEVEL_ROW}, {2, 1, LEVEL_ROW}, {1, 1, 0}};

/* Shows some of the three levels; only gfx11's are simulated. */
static void begin_levels(struct picture *picture, enum type type, unsigned lanes, unsigned first,
                         unsigned last)
{
    const struct setting setting = {AMDGPU_GFX1100, lanes};
    *picture = (struct picture){type, r32_uint, 5, 3, 2, 64, 0, NULL};
    begin(&setting, picture, 2 * LEVELS_LAYER);
    hand_wave()->s[S_BASE + 1] |= 2u << 16;
    hand_wave()->s[S_BASE + 3] |= first << 12 | last << 16;
    for (uint32_t i = 0; i < 2 * LEVELS_LAYER / 4; i++)
        memcpy(picture->memory->view + i * 4, &i, 4);
}

/* The number of the word of a texel. */
static uint32_t level_word(unsigned level, unsigned x, unsigned y, unsigned layer)
{
    return (layer * LEVELS_LAYER + levels[level].offset + y * LEVEL_ROW) / 4 + x;
}

static void each_level_lies_behind_the_smaller_ones(void **state)
{
    (void)state;
    for (unsigned lanes = 32; lanes <= 64; lanes += 32)
        for (unsigned first = 0; first < 3; first++) {
            struct picture picture;
            begin_levels(&picture, T2D_ARRAY, lanes, first, 2);
            struct amdgpu_inst load = image_inst("image_load_mip", 1, T2D_ARRAY);
            for (unsigned lane = 0; lane < lanes; lane++) {
                hand_v(V_ADDRESS)[lane] = lane % 6;
                hand_v(V_ADDRESS + 1)[lane] = lane / 6 % 4;
                hand_v(V_ADDRESS + 2)[lane] = lane % 2;
                hand_v(V_ADDRESS + 3)[lane] = lane % 4;
            }
            run(&load);
            for (unsigned lane = 0; lane < lanes; lane++) {
                unsigned x = lane % 6, y = lane / 6 % 4, level = lane % 4 + first;
                bool there = level < 3 && x < levels[level].width && y < levels[level].height;
                assert_bits(&load, V_DST, lane, there ? level_word(level, x, y, lane % 2) : 0);
            }
            struct amdgpu_inst size = image_inst("image_get_resinfo", 15, T2D_ARRAY);
            for (unsigned lane = 0; lane < lanes; lane++)
                hand_v(V_ADDRESS)[lane] = 1;
            run(&size);
            assert_bits(&size, V_DST, 0, first < 2 ? levels[first + 1].width : 0);
            assert_bits(&size, V_DST + 2, 0, first < 2 ? 2 : 0);
            assert_bits(&size, V_DST + 3, 0, 3 - first);
            end(&picture);
        }
}

static void levels_that_are_not_there_are_refused(void **state)
{
    static const struct {
        unsigned first, last;
    } shown[] = {{0, 3}, {2, 1}, {3, 3}};
    struct picture picture;
    (void)state;
    for (size_t i = 0; i < COUNT(shown); i++) {
        begin_levels(&picture, T2D_ARRAY, 32, shown[i].first, shown[i].last);
        struct amdgpu_inst load = image_inst("image_load", 1, T2D_ARRAY);
        run_refused(&load, "shows levels that it does not have");
        end(&picture);
    }
    struct picture old = {T2D, r32_uint, 8, 8, 1, 64, 0, NULL};
    begin(&images[1], &old, 4096);
    hand_wave()->s[S_BASE + 3] |= 1u << 16;
    struct amdgpu_inst load = image_inst("image_load", 1, T2D);
    run_refused(&load, "has mipmap levels, which are not simulated");
    end(&old);
}

static void addresses_may_be_halves_or_lie_apart(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(images); s++)
        for (unsigned apart = 0; apart <= is_new(); apart++) {
            struct picture picture = {T2D_ARRAY, r32_uint, 6, 3, 4, 64, 0, NULL};
            begin(&images[s], &picture, 4096);
            struct amdgpu_inst inst = image_inst("image_load", 1, T2D_ARRAY);
            inst.a16 = !apart;
            if (apart) {
                inst.vaddr_count = 3;
                inst.vaddr[0] = 40, inst.vaddr[1] = 33, inst.vaddr[2] = 37;
            }
            for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
                unsigned x = lane % 6, y = lane / 6 % 3, z = lane % 4;
                if (apart)
                    hand_v(40)[lane] = x, hand_v(33)[lane] = y, hand_v(37)[lane] = z;
                else
                    hand_v(V_ADDRESS)[lane] = x | y << 16,
                    hand_v(V_ADDRESS + 1)[lane] = z | 0xabcd0000;
            }
            run(&inst);
            for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
                uint32_t expected;
                memcpy(&expected,
                       picture.memory->view + texel_at(&picture, lane % 6, lane / 6 % 3, lane % 4),
                       4);
                assert_bits(&inst, V_DST, lane, expected);
            }
            end(&picture);
        }
}

/* The components of a texel of bytes, and the bytes of stored values. */
struct conversion {
    struct format format;
    unsigned char bytes[16];
    uint32_t components[4];
};
static const struct conversion conversions[] = {
    {{1, 0, 1, 1}, {0xff}, {0x3f800000, 0, 0, 0x3f800000}},
    {{1, 0, 1, 1}, {0x33}, {0x3e4ccccd, 0, 0, 0x3f800000}}, /* 51 / 255 is 0.2 */
    {{1, 1, 2, 1}, {0x81}, {0xbf800000, 0, 0, 0x3f800000}},
    {{1, 4, 5, 1}, {0xfe}, {254, 0, 0, 1}},
    {{1, 5, 6, 1}, {0xfe}, {(uint32_t)-2, 0, 0, 1}},
    {{2, 0, 7, 2}, {0xff, 0xff}, {0x3f800000, 0, 0, 0x3f800000}},
    {{2, 1, 8, 2}, {0x01, 0x80}, {0xbf800000, 0, 0, 0x3f800000}},
    {{2, 4, 11, 2}, {0x34, 0x12}, {0x1234, 0, 0, 1}},
    {{2, 5, 12, 2}, {0x00, 0x80}, {0xffff8000, 0, 0, 1}},
    {{2, 7, 13, 2}, {0x00, 0xc5}, {0xc0a00000, 0, 0, 0x3f800000}}, /* -5 */
    {{3, 4, 18, 2}, {1, 2}, {1, 2, 0, 1}},
    {{3, 5, 19, 2}, {0xff, 2}, {0xffffffff, 2, 0, 1}},
    {{4, 4, 20, 4}, {1, 2, 3, 0xf4}, {0xf4030201, 0, 0, 1}},
    {{4, 7, 22, 4}, {0, 0, 0x20, 0xc1}, {0xc1200000, 0, 0, 0x3f800000}},
    {{5, 7, 29, 4}, {0x00, 0x3c, 0x01, 0x00}, {0x3f800000, 0x33800000, 0, 0x3f800000}},
    {{9, 4, 40, 4}, {0x01, 0x08, 0x30, 0xc0}, {1, 2, 3, 3}},
    {{10, 0, 42, 4}, {0, 51, 255, 102}, {0, 0x3e4ccccd, 0x3f800000, 0x3ecccccd}},
    {{10, 2, 44, 4}, {0, 51, 255, 102}, {0, 0x424c0000, 0x437f0000, 0x42cc0000}},
    {{10, 5, 47, 4}, {0, 51, 255, 128}, {0, 51, 0xffffffff, 0xffffff80}},
    {{11, 5, 49, 8}, {1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, {1, 0xffffffff, 0, 1}},
    {{12, 7, 57, 8},
     {0, 0x3c, 0, 0x40, 0, 0xbc, 0, 0x7c},
     {0x3f800000, 0x40000000, 0xbf800000, 0x7f800000}},
    {{12, 4, 55, 8}, {1, 0, 2, 0, 3, 0, 0xff, 0xff}, {1, 2, 3, 0xffff}},
    {{14, 4, 61, 16}, {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0x80}, {1, 2, 3, 0x80000004}},
    {{16, 0, 68, 2}, {0x1f, 0xf8}, {0x3f800000, 0, 0x3f800000, 0x3f800000}}, /* 5_6_5 */
    {{17, 0, 69, 2}, {0xe0, 0x83}, {0, 0x3f800000, 0, 0x3f800000}},          /* 1_5_5_5 */
};

static void texels_of_every_format_are_read_and_written(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(images); s++)
        for (size_t c = 0; c < COUNT(conversions); c++) {
            const struct conversion *conversion = &conversions[c];
            unsigned size = conversion->format.bytes;
            struct picture picture = {T2D, conversion->format, 4, 4, 1, 256 / size, 0, NULL};
            begin(&images[s], &picture, 1024);
            hand_exec(1);
            hand_v(V_ADDRESS)[0] = 3, hand_v(V_ADDRESS + 1)[0] = 2;
            unsigned char *texel = picture.memory->view + texel_at(&picture, 3, 2, 0);
            memcpy(texel, conversion->bytes, size);
            struct amdgpu_inst load = image_inst("image_load", 15, T2D);
            run(&load);
            for (unsigned i = 0; i < 4; i++)
                if (hand_v(V_DST + i)[0] != conversion->components[i])
                    fail_msg("conversion %zu: component %u is 0x%x, not 0x%x", c, i,
                             hand_v(V_DST + i)[0], conversion->components[i]);
            unsigned char before = texel[size];
            memset(texel, 0x5a, size);
            struct amdgpu_inst store = image_inst("image_store", 15, T2D);
            for (unsigned i = 0; i < 4; i++)
                hand_v(V_DATA + i)[0] = conversion->components[i];
            run(&store);
            if (memcmp(texel, conversion->bytes, size) != 0)
                fail_msg("conversion %zu: wrote %02x %02x %02x %02x", c, texel[0], texel[1],
                         texel[2], texel[3]);
            assert_int_equal(texel[size], before);
            end(&picture);
        }
}

static void out_of_range_values_are_stored_saturated(void **state)
{
    (void)state;
    static const struct {
        struct format format;
        uint32_t value, stored;
    } cases[] = {
        {{1, 0, 1, 1}, 0x40000000, 0xff},    {{1, 0, 1, 1}, 0xbf800000, 0},
        {{1, 0, 1, 1}, 0x7fc00000, 0},       {{1, 0, 1, 1}, 0x3f000000, 0x80}, /* 127.5 */
        {{1, 1, 2, 1}, 0xc0000000, 0x81},    {{1, 4, 5, 1}, 300, 0xff},
        {{1, 5, 6, 1}, 300, 0x7f},           {{1, 5, 6, 1}, (uint32_t)-300, 0x80},
        {{2, 7, 13, 2}, 0x7f000000, 0x7c00},
    };
    for (size_t s = 0; s < COUNT(images); s++)
        for (size_t c = 0; c < COUNT(cases); c++) {
            struct picture picture = {T2D, cases[c].format, 4, 4, 1, 256, 0, NULL};
            begin(&images[s], &picture, 4096);
            hand_exec(1);
            hand_v(V_ADDRESS)[0] = 0, hand_v(V_ADDRESS + 1)[0] = 0;
            hand_v(V_DATA)[0] = cases[c].value;
            memset(picture.memory->view, 0, 4);
            struct amdgpu_inst store = image_inst("image_store", 1, T2D);
            run(&store);
            uint32_t stored;
            memcpy(&stored, picture.memory->view, 4);
            if (stored != cases[c].stored)
                fail_msg("case %zu: 0x%x, not 0x%x", c, stored, cases[c].stored);
            end(&picture);
        }
}

static void srgb_is_read_as_what_it_means(void **state)
{
    (void)state;
    struct picture picture = {T2D, {10, 9, 66, 4}, 4, 4, 1, 64, 0, NULL};
    static const unsigned char values[4] = {0, 10, 188, 128};
    for (size_t s = 0; s < COUNT(images); s++) {
        begin(&images[s], &picture, 1024);
        memcpy(picture.memory->view, values, 4);
        hand_exec(1);
        hand_v(V_ADDRESS)[0] = hand_v(V_ADDRESS + 1)[0] = 0;
        struct amdgpu_inst load = image_inst("image_load", 15, T2D);
        run(&load);
        for (unsigned i = 0; i < 4; i++) {
            double value = values[i] / 255.0;
            double expected = i == 3             ? value
                              : value <= 0.04045 ? value / 12.92
                                                 : pow((value + 0.055) / 1.055, 2.4);
            assert_true(fabs((double)sim_float_of(hand_v(V_DST + i)[0]) - expected) < 1e-6);
        }
        end(&picture);
    }
}

static void dmask_and_selects_say_which_components(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(images); s++)
        for (unsigned dmask = 1; dmask < 16; dmask++) {
            /* as of BGRA with alpha 1: z, y, 0, 1 */
            struct picture picture = {T2D, rgba32_uint, 2, 1, 1, 16, 6 | 5 << 3 | 0 << 6 | 1 << 9,
                                      NULL};
            uint32_t texel[4] = {11, 22, 33, 44}, seen[4] = {33, 22, 0, 1};
            begin(&images[s], &picture, 256);
            memcpy(picture.memory->view, texel, 16);
            hand_exec(1);
            hand_v(V_ADDRESS)[0] = hand_v(V_ADDRESS + 1)[0] = 0;
            struct amdgpu_inst load = image_inst("image_load", dmask, T2D);
            unsigned count = 0, guard = hand_v(V_DST + load.dst[0].count)[0];
            run(&load);
            for (unsigned i = 0; i < 4; i++)
                if (dmask >> i & 1)
                    assert_bits(&load, V_DST + count++, 0, seen[i]);
            assert_bits(&load, V_DST + count, 0, guard);
            /* Stores do the reverse; components without a selector are 0. */
            struct amdgpu_inst store = image_inst("image_store", dmask, T2D);
            for (unsigned i = 0; i < 4; i++)
                hand_v(V_DATA + i)[0] = 100 + i;
            run(&store);
            uint32_t given[4] = {0}, got[4];
            for (unsigned i = 0, at = 0; i < 4; i++)
                if (dmask >> i & 1)
                    given[i] = 100 + at++;
            memcpy(got, picture.memory->view, 16);
            assert_int_equal(got[0], 0);
            assert_int_equal(got[1], given[1]);
            assert_int_equal(got[2], given[0]);
            assert_int_equal(got[3], 0);
            end(&picture);
        }
}

static void halves_are_packed_two_to_a_register(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(images); s++) {
        struct picture picture = {T2D, rgba32_float, 2, 1, 1, 16, 0, NULL};
        float texel[4] = {1, -2, 0.5f, 65504};
        begin(&images[s], &picture, 256);
        memcpy(picture.memory->view, texel, 16);
        hand_exec(1);
        hand_v(V_ADDRESS)[0] = hand_v(V_ADDRESS + 1)[0] = 0;
        struct amdgpu_inst load = image_inst("image_load", 7, T2D);
        load.d16 = true;
        run(&load);
        assert_bits(&load, V_DST, 0, 0xc0003c00);
        assert_bits(&load, V_DST + 1, 0, 0x3800);
        struct amdgpu_inst store = image_inst("image_store", 15, T2D);
        store.d16 = true;
        hand_v(V_DATA)[0] = 0x7c003c00, hand_v(V_DATA + 1)[0] = 0x0001bc00;
        run(&store);
        memcpy(texel, picture.memory->view, 16);
        assert_true(texel[0] == 1 && isinf(texel[1]) && texel[2] == -1 && texel[3] == 0x1p-24f);
        end(&picture);
    }
}

static void stores_outside_are_dropped(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(images); s++) {
        struct picture picture = {T2D, r32_uint, 5, 3, 1, 64, 0, NULL};
        static unsigned char expected[1024];
        begin(&images[s], &picture, sizeof expected);
        memcpy(expected, picture.memory->view, sizeof expected);
        struct amdgpu_inst store = image_inst("image_store", 1, T2D);
        hand_exec(UINT64_C(0x5555aaaaffff));
        for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
            hand_v(V_ADDRESS)[lane] = lane % 7;
            hand_v(V_ADDRESS + 1)[lane] = lane / 7 == 3 ? UINT32_MAX : lane / 7;
            if (is_live(lane) && lane % 7 < 5 && lane / 7 < 3)
                memcpy(expected + texel_at(&picture, lane % 7, lane / 7, 0), &hand_v(V_DATA)[lane],
                       4);
        }
        run(&store);
        assert_memory_equal(picture.memory->view, expected, sizeof expected);
        end(&picture);
    }
}

/* ---- sizes and atomics -------------------------------------------------------------------- */

static void an_image_knows_its_size(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(images); s++) {
        struct picture picture = {T2D_ARRAY, r32_uint, 5, 3, 4, 64, 0, NULL};
        begin(&images[s], &picture, 4096);
        struct amdgpu_inst inst = image_inst("image_get_resinfo", 15, T2D_ARRAY);
        for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
            hand_v(V_ADDRESS)[lane] = lane == 3;
        run(&inst);
        for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
            assert_bits(&inst, V_DST, lane, lane == 3 ? 0 : 5);
            assert_bits(&inst, V_DST + 1, lane, lane == 3 ? 0 : 3);
            assert_bits(&inst, V_DST + 2, lane, lane == 3 ? 0 : 4);
            assert_bits(&inst, V_DST + 3, lane, 1);
        }
        end(&picture);
    }
}

static void atomics_change_texels(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t old, data, compare, left;
    } cases[] = {
        {"image_atomic_swap", 7, 9, 0, 9},
        {"image_atomic_add", 7, 9, 0, 16},
        {"image_atomic_sub", 7, 9, 0, 0xfffffffe},
        {"image_atomic_smin", 7, 0xfffffff0, 0, 0xfffffff0},
        {"image_atomic_umin", 7, 0xfffffff0, 0, 7},
        {"image_atomic_smax", 7, 0xfffffff0, 0, 7},
        {"image_atomic_umax", 7, 0xfffffff0, 0, 0xfffffff0},
        {"image_atomic_and", 7, 10, 0, 2},
        {"image_atomic_or", 7, 10, 0, 15},
        {"image_atomic_xor", 7, 10, 0, 13},
        {"image_atomic_inc", 7, 7, 0, 0},
        {"image_atomic_dec", 0, 7, 0, 7},
        {"image_atomic_cmpswap", 7, 9, 7, 9},
        {"image_atomic_cmpswap", 7, 9, 8, 7},
    };
    for (size_t s = 0; s < COUNT(images); s++)
        for (size_t c = 0; c < COUNT(cases); c++)
            for (unsigned wide = 0; wide < 2; wide++) {
                struct picture picture = {T2D, wide ? rg32_uint : r32_uint, 4, 4, 1, 64, 0, NULL};
                bool compares = strstr(cases[c].name, "cmpswap");
                begin(&images[s], &picture, 4096);
                unsigned char *texel = picture.memory->view + texel_at(&picture, 2, 1, 0);
                memcpy(texel, &cases[c].old, 4);
                if (wide)
                    memset(texel + 4, 0, 4);
                hand_exec(9); /* lane 3 is outside */
                hand_v(V_ADDRESS)[0] = 2, hand_v(V_ADDRESS + 1)[0] = 1;
                hand_v(V_ADDRESS)[3] = 2, hand_v(V_ADDRESS + 1)[3] = 4;
                struct amdgpu_inst inst =
                    image_inst(cases[c].name, (wide ? 3 : 1) | (compares ? wide ? 12 : 2 : 0), T2D);
                inst.glc = true;
                inst.dst[0] = inst.data;
                for (unsigned i = 0; i < 4; i++)
                    hand_v(V_DATA + i)[0] = 0;
                hand_v(V_DATA)[0] = cases[c].data;
                hand_v(V_DATA + 1 + wide)[0] = compares ? cases[c].compare : 0;
                run(&inst);
                uint32_t left;
                memcpy(&left, texel, 4);
                uint32_t expected = cases[c].left;
                if (wide && strcmp(cases[c].name, "image_atomic_smin") == 0)
                    expected = 7; /* 64 bits of data are positive */
                if (wide && strcmp(cases[c].name, "image_atomic_smax") == 0)
                    expected = cases[c].data;
                if (left != expected)
                    fail_msg("%s left %u, not %u", cases[c].name, left, expected);
                assert_bits(&inst, V_DATA, 0, cases[c].old);
                assert_bits(&inst, V_DATA, 3, 0);
                end(&picture);
            }
}

/* ---- samplers ------------------------------------------------------------------------------ */

static void set_sampler(unsigned clamp, unsigned border, bool unnormalized, bool linear)
{
    uint32_t *s = &hand_wave()->s[S_SAMPLER];
    s[0] = clamp | clamp << 3 | clamp << 6 | (uint32_t)unnormalized << 15;
    s[1] = 0xfffu << 12;
    s[2] = linear ? 1u << 20 | 1u << 22 : 0;
    s[3] = border << 30;
}

/* The texel of an index, -1: the border; by unrolling the row. */
static int meant(int index, int size, unsigned clamp)
{
    switch (clamp) {
    case 0:
        while (index < 0)
            index += size;
        return index % size;
    case 1:
        while (index < 0)
            index += 2 * size;
        index %= 2 * size;
        return index < size ? index : 2 * size - 1 - index;
    case 3:
        index = index < 0 ? -index - 1 : index;
        return index < size ? index : size - 1;
    case 6:
        return index < 0 || index >= size ? -1 : index;
    case 7:
        index = index < 0 ? -index - 1 : index;
        return index < size ? index : -1;
    default:
        return index < 0 ? 0 : index < size ? index : size - 1;
    }
}

static float picture_value(const struct picture *picture, int x, int y, float border)
{
    float value;
    if (x < 0 || y < 0)
        return border;
    memcpy(&value, picture->memory->view + texel_at(picture, (unsigned)x, (unsigned)y, 0), 4);
    return value;
}

static double expected_sample(const struct picture *picture, double x, double y, unsigned clamp,
                              bool linear, float border)
{
    double shift = linear ? 0.5 : 0, sum = 0;
    int left = (int)floor(x - shift), top = (int)floor(y - shift);
    double right = rint((x - shift - left) * 256) / 256, low = rint((y - shift - top) * 256) / 256;
    for (int i = 0; i < (linear ? 4 : 1); i++) {
        double weight = !linear ? 1 : (i & 1 ? right : 1 - right) * (i & 2 ? low : 1 - low);
        sum += weight * (double)picture_value(picture, meant(left + (i & 1), 6, clamp),
                                              meant(top + (i >> 1), 4, clamp), border);
    }
    return sum;
}

static void samples_are_filtered_and_addressed(void **state)
{
    (void)state;
    static const unsigned clamps[] = {0, 1, 2, 3, 6, 7};
    for (size_t s = 0; s < COUNT(images); s++)
        for (size_t c = 0; c < COUNT(clamps) * 8; c++) {
            unsigned clamp = clamps[c / 8];
            bool linear = c & 1, unnormalized = c & 2, unorm = c & 4;
            struct picture picture = {T2D, r32_float, 6, 4, 1, 64, 0, NULL};
            begin(&images[s], &picture, 1024);
            for (unsigned i = 0; i < 256; i++)
                ((float *)(void *)picture.memory->view)[i] = (float)(i % 64 * i % 37) - 11;
            set_sampler(clamp, 2, unnormalized, linear);
            struct amdgpu_inst inst = image_inst("image_sample", 1, T2D);
            inst.unorm = unorm;
            float scale_x = unorm || unnormalized ? 1 : 6, scale_y = unorm || unnormalized ? 1 : 4;
            float x[64], y[64];
            for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
                x[lane] = ((float)lane * 0.7f - 9.3f) / scale_x;
                y[lane] = ((float)(lane % 11) - 3.2f) / scale_y;
                hand_v(V_ADDRESS)[lane] = bits(x[lane]);
                hand_v(V_ADDRESS + 1)[lane] = bits(y[lane]);
            }
            hand_exec(UINT64_C(0xfffffffff7ffffef));
            run(&inst);
            for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
                double expected =
                    expected_sample(&picture, (double)x[lane] * (double)scale_x,
                                    (double)y[lane] * (double)scale_y, clamp, linear, 1);
                double got = (double)sim_float_of(hand_v(V_DST)[lane]);
                if (is_live(lane) && fabs(got - expected) > 1e-4)
                    fail_msg("clamp %u, linear %d, lane %u at %g, %g: %g, not %g", clamp, linear,
                             lane, (double)x[lane], (double)y[lane], got, expected);
            }
            end(&picture);
        }
}

static void half_borders_go_halfway(void **state)
{
    (void)state;
    static const struct {
        float at, value;
    } cases[] = {{-7, 0.5f}, {0, 0.5f}, {0.5f, 1}, {0.25f, 0.75f}, {4, 2}, {9, 2}, {3.5f, 4}};
    for (size_t s = 0; s < COUNT(images); s++)
        for (size_t c = 0; c < COUNT(cases); c++) {
            struct picture picture = {T1D, r32_float, 4, 1, 1, 64, 0, NULL};
            static const float row[] = {1, 2, 3, 4};
            begin(&images[s], &picture, 256);
            memcpy(picture.memory->view, row, sizeof row);
            set_sampler(4, 0, true, true);
            hand_exec(1);
            hand_v(V_ADDRESS)[0] = bits(cases[c].at);
            struct amdgpu_inst inst = image_inst("image_sample", 1, T1D);
            run(&inst);
            assert_bits(&inst, V_DST, 0, bits(cases[c].value));
            end(&picture);
        }
}

static void borders_have_their_colours(void **state)
{
    (void)state;
    static const uint32_t colours[][4] = {
        {0, 0, 0, 0}, {0, 0, 0, 0x3f800000}, {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000}};
    for (size_t s = 0; s < COUNT(images); s++)
        for (unsigned border = 0; border < 3; border++)
            for (unsigned select = 0; select < 2; select++) {
                unsigned selects = select ? 4 | 0 << 3 | 0 << 6 | 1 << 9 : 0;
                struct picture picture = {T2D, rgba8_unorm, 4, 4, 1, 64, selects, NULL};
                begin(&images[s], &picture, 1024);
                set_sampler(6, border, true, false);
                hand_exec(1);
                hand_v(V_ADDRESS)[0] = bits(-1), hand_v(V_ADDRESS + 1)[0] = bits(2);
                struct amdgpu_inst inst = image_inst("image_sample", 15, T2D);
                run(&inst);
                for (unsigned i = 0; i < 4; i++)
                    assert_bits(&inst, V_DST + i, 0,
                                !select  ? colours[border][i]
                                : i == 0 ? colours[border][0]
                                : i == 3 ? 0x3f800000
                                         : 0);
                end(&picture);
            }
    /* Instructions that are neither are refused. */
    hand_begin(AMDGPU_GFX90A, 64);
    struct picture picture = {T2D, rgba8_unorm, 4, 4, 1, 64, 0, NULL};
    begin(&images[0], &picture, 1024);
    set_sampler(6, 3, true, false);
    struct amdgpu_inst inst = image_inst("image_sample", 15, T2D);
    run_refused(&inst, "border");
    end(&picture);
}

static void layers_are_rounded_and_clamped_and_depth_is_filtered(void **state)
{
    (void)state;
    static const struct {
        float at, array, volume;
    } cases[] = {{-5, 0, 0},        {0.5f, 0, 0}, {1.25f, 1, 0.75f}, {1.5f, 2, 1},
                 {2.75f, 3, 2.25f}, {90, 3, 3},   {NAN, 0, 0}};
    for (size_t s = 0; s < COUNT(images); s++)
        for (size_t c = 0; c < COUNT(cases) * 2; c++) {
            bool volume = c & 1;
            struct picture picture = {volume ? T3D : T2D_ARRAY, r32_float, 2, 2, 4, 64, 0, NULL};
            begin(&images[s], &picture, 4096);
            for (unsigned z = 0; z < 4; z++)
                for (unsigned i = 0; i < 4; i++)
                    *(float *)(void *)(picture.memory->view +
                                       texel_at(&picture, i & 1, i >> 1, z)) = (float)z;
            set_sampler(2, 0, true, true);
            hand_exec(1);
            hand_v(V_ADDRESS)[0] = hand_v(V_ADDRESS + 1)[0] = bits(0.8f);
            hand_v(V_ADDRESS + 2)[0] = bits(cases[c / 2].at);
            struct amdgpu_inst inst = image_inst("image_sample", 1, picture.type);
            run(&inst);
            assert_bits(&inst, V_DST, 0, bits(volume ? cases[c / 2].volume : cases[c / 2].array));
            end(&picture);
        }
}

static void integers_are_not_mixed(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(images); s++) {
        struct picture picture = {T1D, r32_uint, 4, 1, 1, 64, 0, NULL};
        static const uint32_t row[] = {10, 0xfffffff0, 30, 40};
        begin(&images[s], &picture, 256);
        memcpy(picture.memory->view, row, sizeof row);
        set_sampler(2, 0, true, true);
        hand_exec(1);
        hand_v(V_ADDRESS)[0] = bits(1.75f);
        struct amdgpu_inst inst = image_inst("image_sample", 1, T1D);
        run(&inst);
        assert_bits(&inst, V_DST, 0, 0xfffffff0);
        end(&picture);
    }
}

/* gfx900 and gfx1100: forms that gfx90a does not have. */
static void begin_rows(size_t setting, struct picture *picture)
{
    *picture = (struct picture){T2D, r32_float, 8, 8, 1, 64, 0, NULL};
    begin(&images[setting], picture, 4096);
    for (unsigned y = 0; y < 8; y++)
        for (unsigned x = 0; x < 8; x++)
            *(float *)(void *)(picture->memory->view + texel_at(picture, x, y, 0)) =
                (float)(10 * y + x);
    set_sampler(2, 0, true, false);
    hand_exec(1);
}

static void address(float first, float second, float third, float fourth)
{
    hand_v(V_ADDRESS)[0] = bits(first), hand_v(V_ADDRESS + 1)[0] = bits(second);
    hand_v(V_ADDRESS + 2)[0] = bits(third), hand_v(V_ADDRESS + 3)[0] = bits(fourth);
}

static void expect_sample(const char *name, float expected)
{
    struct amdgpu_inst inst = image_inst(name, 1, T2D);
    run(&inst);
    float got = sim_float_of(hand_v(V_DST)[0]);
    if (got != expected)
        fail_msg("%s: %g, not %g", name, (double)got, (double)expected);
}

static void what_comes_before_coordinates_is_understood(void **state)
{
    (void)state;
    for (size_t s = 1; s < COUNT(images); s++) {
        struct picture picture;
        begin_rows(s, &picture);
        address(3.5f, 2.5f, 0, 0);
        expect_sample("image_sample_lz", 23);
        address(3.5f, 2.5f, 7, 0);
        expect_sample("image_sample_l", 23);
        address(3.5f, 2.5f, 1, 0);
        expect_sample("image_sample_cl", 23);
        address(0, 3.5f, 2.5f, 0); /* bias */
        expect_sample("image_sample_b", 23);
        address(0, 3.5f, 2.5f, 0);
        hand_v(V_ADDRESS)[0] = 0x3f02; /* 2 and -1 */
        expect_sample("image_sample_lz_o", 15);
        address(22, 3.5f, 2.5f, 0);
        hand_wave()->s[S_SAMPLER] |= 3 << 12; /* <= */
        expect_sample("image_sample_c_lz", 1);
        address(24, 3.5f, 2.5f, 0);
        expect_sample("image_sample_c_lz", 0);
        end(&picture);
    }
}

static void a_level_says_which_filter(void **state)
{
    (void)state;
    for (size_t s = 1; s < COUNT(images); s++) {
        struct picture picture;
        begin_rows(s, &picture);
        hand_wave()->s[S_SAMPLER + 2] = 1u << 22; /* only what is made smaller is filtered */
        address(3.75f, 2.5f, -1, 0);
        expect_sample("image_sample_l", 23);
        address(3.75f, 2.5f, 1, 0);
        expect_sample("image_sample_l", 23.25f);
        static const float steps[][4] = {{0.5f, 0, 0, 0.5f}, {0, 3, 0.1f, 0}};
        for (unsigned i = 0; i < 2; i++) {
            for (unsigned word = 0; word < 4; word++)
                hand_v(V_ADDRESS + word)[0] = bits(steps[i][word]);
            hand_v(V_ADDRESS + 4)[0] = bits(3.75f), hand_v(V_ADDRESS + 5)[0] = bits(2.5f);
            expect_sample("image_sample_d", i ? 23.25f : 23);
        }
        /* of neighbours */
        hand_exec(15);
        for (unsigned lane = 0; lane < 4; lane++) {
            hand_v(V_ADDRESS)[lane] = bits(3.75f + 2 * (float)(lane & 1));
            hand_v(V_ADDRESS + 1)[lane] = bits(2.5f + (float)(lane >> 1));
        }
        expect_sample("image_sample", 23.25f);
        for (unsigned lane = 0; lane < 4; lane++)
            hand_v(V_ADDRESS)[lane] = bits(3.75f + 0.5f * (float)(lane & 1));
        expect_sample("image_sample", 23);
        for (unsigned lane = 0; lane < 4; lane++)
            hand_v(V_ADDRESS)[lane] = bits(8 * (float)(lane & 1));
        struct amdgpu_inst inst = image_inst("image_get_lod", 3, T2D);
        run(&inst);
        assert_bits(&inst, V_DST, 0, 0);
        assert_bits(&inst, V_DST + 1, 0, bits(3));
        end(&picture);
    }
}

/* Point filters within a level: the first texel of each. */
static void samples_choose_levels_or_mix_two(void **state)
{
    static const struct {
        unsigned filter;
        float level, bias, least, expected;
    } cases[] = {
        {0, 2, 0, 0, 10},    {1, 0.4f, 0, 0, 10},     {1, 0.5f, 0, 0, 20}, {1, 9, 0, 0, 30},
        {1, -1, 0, 0, 10},   {2, 0.25f, 0, 0, 12.5f}, {2, 1.5f, 0, 0, 25}, {2, 2, 0, 0, 30},
        {2, 1, 0.5f, 0, 25}, {2, 1.5f, -1, 0, 15},    {2, 0, 0, 1.5f, 25},
    };
    struct picture picture;
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        begin_levels(&picture, T2D, 32, 0, 2);
        picture.format = r32_float;
        uint32_t *s = describe(&picture);
        s[1] |= 2u << 16;
        s[3] |= 2u << 16;
        for (unsigned i = 0; i < 3; i++) {
            float value = 10 * (float)(i + 1);
            memcpy(picture.memory->view + levels[i].offset, &value, 4);
        }
        set_sampler(2, 0, false, false);
        s = &hand_wave()->s[S_SAMPLER];
        s[1] |= (uint32_t)(cases[c].least * 256);
        s[2] |= cases[c].filter << 26 | ((uint32_t)(int32_t)(cases[c].bias * 256) & 0x3fff);
        hand_exec(1);
        hand_v(V_ADDRESS)[0] = hand_v(V_ADDRESS + 1)[0] = 0;
        hand_v(V_ADDRESS + 2)[0] = bits(cases[c].level);
        struct amdgpu_inst inst = image_inst("image_sample_l", 1, T2D);
        run(&inst);
        assert_bits(&inst, V_DST, 0, bits(cases[c].expected));
        end(&picture);
    }
    begin_levels(&picture, T2D, 32, 0, 2);
    set_sampler(2, 0, false, false);
    hand_wave()->s[S_SAMPLER + 2] |= 3u << 26;
    struct amdgpu_inst inst = image_inst("image_sample_l", 1, T2D);
    run_refused(&inst, "chooses levels for an anisotropic filter");
    end(&picture);
}

static void gathers_take_one_component_of_four_texels(void **state)
{
    (void)state;
    for (size_t s = 1; s < COUNT(images); s++) {
        struct picture picture;
        begin_rows(s, &picture);
        address(3.75f, 2.75f, 0, 0);
        struct amdgpu_inst inst = image_inst("image_gather4_lz", 1, T2D);
        run(&inst);
        assert_bits(&inst, V_DST, 0, bits(33));
        assert_bits(&inst, V_DST + 1, 0, bits(34));
        assert_bits(&inst, V_DST + 2, 0, bits(24));
        assert_bits(&inst, V_DST + 3, 0, bits(23));
        inst = image_inst("image_gather4_lz", 8, T2D); /* which the format lacks */
        run(&inst);
        for (unsigned i = 0; i < 4; i++)
            assert_bits(&inst, V_DST + i, 0, bits(1));
        end(&picture);
    }
}

/* ---- every form of a sample ---------------------------------------------------------------- */

/* The components of an address, besides coordinates, that an instruction's name lists. */
struct form {
    bool gathers, offset, bias, reference, gradients, half_gradients, level, clamp, zero;
};

static bool form_of(const char *name, struct form *out_form)
{
    char parts[64], *rest = parts;
    *out_form = (struct form){.gathers = strncmp(name, "image_gather4", 13) == 0};
    if (!out_form->gathers && strncmp(name, "image_sample", 12) != 0)
        return false;
    snprintf(parts, sizeof parts, "%s", name + (out_form->gathers ? 13 : 12));
    for (char *part; (part = strsep(&rest, "_"));) {
        out_form->offset |= strcmp(part, "o") == 0;
        out_form->bias |= strcmp(part, "b") == 0;
        out_form->reference |= strcmp(part, "c") == 0;
        out_form->gradients |= strcmp(part, "d") == 0 || strcmp(part, "cd") == 0;
        out_form->half_gradients |= strcmp(part, "g16") == 0;
        out_form->level |= strcmp(part, "l") == 0;
        out_form->clamp |= strcmp(part, "cl") == 0;
        out_form->zero |= strcmp(part, "lz") == 0;
        if (strcmp(part, "h") == 0)
            return false;
    }
    return true;
}

/* The texel at the upper left of what a lane of the first four samples, by its value. */
static float asked_for(const struct form *form, unsigned lane)
{
    float x = form->offset ? 5 : 3, y = form->offset ? 1 : 2;
    return 10 * (y + (float)(lane / 2)) + x;
}

/* small: the image is minified, by any of the means that the instruction has. */
static void address_of_form(const struct form *form, unsigned lane, float reference, bool small)
{
    static const float steps[2][4] = {{0.5f, 0, 0, 0.5f}, {0, 3, 0.1f, 0}};
    static const uint32_t half_steps[2][2] = {{0x00003800, 0x38000000}, {0x42000000, 0x00002e66}};
    bool explicit = form->bias || form->gradients || form->level || form->clamp;
    bool steep = small && !form->clamp;
    float step = form->zero ? 4 : steep && !explicit ? 2 : 1;
    unsigned reg = V_ADDRESS;
    if (form->offset)
        hand_v(reg++)[lane] = 0x3f02; /* 2 and -1 */
    if (form->bias)
        hand_v(reg++)[lane] = bits(steep);
    if (form->reference)
        hand_v(reg++)[lane] = bits(reference);
    for (unsigned i = 0; form->half_gradients && i < 2; i++)
        hand_v(reg++)[lane] = half_steps[steep][i];
    for (unsigned i = 0; form->gradients && !form->half_gradients && i < 4; i++)
        hand_v(reg++)[lane] = bits(steps[steep][i]);
    hand_v(reg++)[lane] = bits(3.75f + step * (float)(lane & 1));
    hand_v(reg++)[lane] = bits((form->gathers ? 2.75f : 2.5f) + (float)(lane / 2));
    if (form->level || form->clamp)
        hand_v(reg++)[lane] = bits(small ? 1 : form->clamp ? 0 : -1);
}

static void check_form(const char *name, const struct form *form, bool small, float above)
{
    struct amdgpu_inst inst = image_inst(name, 1, T2D);
    hand_wave()->s[S_SAMPLER] |= 3 << 12;     /* <= */
    hand_wave()->s[S_SAMPLER + 2] = 1u << 22; /* only what is made smaller is filtered */
    hand_exec(15);
    for (unsigned lane = 0; lane < 4; lane++)
        address_of_form(form, lane, asked_for(form, lane) + above, small);
    run(&inst);
    for (unsigned lane = 0; lane < 4; lane += 2) {
        const float value = asked_for(form, lane);
        const float taps[] = {value + 10, value + 11, value + 1, value};
        bool filtered = small && !form->zero;
        float expected = form->reference ? (filtered && above == 0.5f ? 0.25f : above < 0)
                                         : value + (filtered ? 0.25f : 0);
        for (unsigned i = 0; form->gathers && i < 4; i++)
            assert_bits(&inst, V_DST + i, lane,
                        bits(!form->reference ? taps[i] : value + above <= taps[i]));
        if (!form->gathers)
            assert_bits(&inst, V_DST, lane, bits(expected));
    }
}

static void every_form_of_a_sample_takes_what_its_name_says(void **state)
{
    (void)state;
    unsigned count = 0;
    for (size_t s = 1; s < COUNT(images); s++) {
        const struct amdgpu_row *row;
        for (size_t i = 0; (row = amdgpu_row_at(i)); i++) {
            struct form form;
            if (!(row->isas >> images[s].isa & 1) || !form_of(row->name, &form))
                continue;
            for (unsigned c = 0; c < 4; c++) {
                struct picture picture;
                begin_rows(s, &picture);
                check_form(row->name, &form, c & 1, c & 2 ? 0.5f : -0.5f);
                end(&picture);
            }
            count++;
        }
    }
    assert_true(count > 150);
}

/* ---- what is refused ----------------------------------------------------------------------- */

static void descriptors_of_other_images_are_refused(void **state)
{
    (void)state;
    static const struct {
        unsigned word;
        uint32_t clear, set;
        const char *why;
    } cases[] = {
        {3, 0, 27u << 20, "tiled"},           {3, 0, 3u << 16, "levels"},
        {3, 15u << 28, 11u << 28, "cube"},    {3, 15u << 28, 14u << 28, "samples"},
        {3, 15u << 28, 0, "of another type"}, {6, 0, 1u << 21, "compressed"},
        {1, 0x3ffu << 20, 0, "format"},
    };
    for (size_t s = 0; s < COUNT(images); s++)
        for (size_t c = 0; c < COUNT(cases); c++) {
            struct picture picture = {T2D, r32_uint, 4, 4, 1, 64, 0, NULL};
            begin(&images[s], &picture, 1024);
            uint32_t *word = describe(&picture) + cases[c].word;
            *word = (*word & ~cases[c].clear) | cases[c].set;
            struct amdgpu_inst inst = image_inst("image_load", 1, T2D);
            run_refused(&inst, cases[c].why);
            hand_exec(0); /* there is no report to check */
            run(&inst);
            end(&picture);
        }
}

static void memory_that_is_not_there_is_a_fault(void **state)
{
    (void)state;
    static const char *const names[] = {"image_load", "image_store", "image_atomic_add",
                                        "image_sample"};
    for (size_t s = 0; s < COUNT(images); s++)
        for (size_t n = 0; n < COUNT(names); n++) {
            struct picture picture = {T2D, r32_uint, 64, 4096, 1, 64, 0, NULL};
            begin(&images[s], &picture, 1024);
            set_sampler(2, 0, true, false);
            bool floats = n == 3;
            for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
                hand_v(V_ADDRESS)[lane] = 0;
                hand_v(V_ADDRESS + 1)[lane] = lane != 5 ? 0 : floats ? bits(4095) : 4095;
            }
            struct amdgpu_inst inst = image_inst(names[n], 1, T2D);
            run_refused(&inst, n == 0 || n == 3 ? "reads 4 bytes"
                               : n == 1         ? "writes 4"
                                                : "changes 4");
            assert_int_equal(hand.fault.lane, 5);
            assert_int_equal(hand.fault.address, picture.memory->address + 4095 * 256);
            end(&picture);
        }
}

static void what_is_not_simulated_is_not_emitted(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 5; c++) {
        hand_begin(AMDGPU_GFX1100, 32);
        struct amdgpu_inst inst = image_inst(c == 4 ? "image_load_pck" : "image_load", 1, T2D);
        struct amdgpu_op op = {.inst = &inst};
        inst.tfe = c == 0, inst.lwe = c == 1, inst.r128 = c == 2;
        if (c == 3)
            inst.dim = AMDGPU_DIM_CUBE;
        assert_false(amdgpu_emit_memory(hand.isa, 32, &inst, &op));
    }
    /* A register of the address that was not allocated. */
    struct picture picture = {T2D, r32_uint, 4, 4, 1, 64, 0, NULL};
    for (size_t s = 0; s < COUNT(images); s++) {
        begin(&images[s], &picture, 1024);
        struct amdgpu_inst inst = image_inst("image_load", 1, T2D);
        inst.addr.reg = HAND_VGPRS - 1;
        run_refused(&inst, "register");
        end(&picture);
    }
}

/* Random descriptors end in a fault, or in accesses within the memory that exists. */
static void descriptors_at_random_do_no_harm(void **state)
{
    (void)state;
    static const char *const names[] = {"image_load",       "image_store",
                                        "image_sample",     "image_get_resinfo",
                                        "image_atomic_add", "buffer_load_format_xyzw"};
    for (size_t s = 0; s < COUNT(images); s++)
        for (unsigned round = 0; round < 20000; round++) {
            if (round == 0)
                hand_begin(images[s].isa, images[s].lanes);
            hand_exec(0x8001);
            const char *name = names[hand_random() % COUNT(names)];
            bool typed = *name == 'b';
            struct amdgpu_inst inst =
                typed ? hand_inst(name, 1, true) : image_inst(name, 1, T2D + hand_random() % 2);
            if (typed)
                inst.soffset = (struct amdgpu_operand){.kind = AMDGPU_CONST, .count = 1};
            inst.idxen = typed;
            for (unsigned i = 0; i < 8; i++)
                hand_wave()->s[S_BASE + i] = hand_random();
            for (unsigned i = 0; i < 4; i++)
                hand_wave()->s[S_SAMPLER + i] = hand_random();
            for (unsigned i = 0; i < 4; i++)
                hand_v(V_ADDRESS + i)[0] = hand_random();
            if (round % 4) { /* values that often are valid */
                hand_wave()->s[S_BASE + 3] &= 0x7e000fff;
                hand_wave()->s[S_BASE + 3] |= 0x80000000;
                hand_wave()->s[S_BASE + 6] &= ~(1u << 21);
                hand_wave()->s[S_SAMPLER] &= ~(7u << 9 | 1u << 20 | 3u << 29 | 1u << 31);
                hand_wave()->s[S_SAMPLER + 3] &= 0x7fffefff;
            }
            hand_run(&inst);
        }
}

/* ---- typed buffers -------------------------------------------------------------------------- */

static void begin_buffer(const struct setting *setting, const struct format *format,
                         struct sim_memory **out_memory)
{
    hand_begin(setting->isa, setting->lanes);
    *out_memory = hand_memory(1024);
    uint32_t *s = &hand_wave()->s[S_BASE];
    s[0] = (uint32_t)(*out_memory)->address;
    s[1] = (uint32_t)((*out_memory)->address >> 32) | format->bytes << 16;
    s[2] = is_new() ? 16 : 16;
    s[3] = 6 | 5 << 3 | 4 << 6 | 7 << 9; /* zyxw */
    s[3] |= is_new() ? format->gfx11 << 12 | 1u << 28 : format->number << 12 | format->data << 15;
}

static struct amdgpu_inst typed_inst(const char *name)
{
    struct amdgpu_inst inst = hand_inst(name, 1, true);
    inst.saddr = hand_sregs(S_BASE, 4);
    inst.soffset = (struct amdgpu_operand){.kind = AMDGPU_CONST, .count = 1};
    inst.idxen = true;
    return inst;
}

static void buffers_have_formats_too(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(images); s++)
        for (unsigned own = 0; own < 2; own++) {
            struct sim_memory *memory;
            begin_buffer(&images[s], &rgba8_unorm, &memory);
            struct amdgpu_inst load =
                typed_inst(own ? "tbuffer_load_format_xyzw" : "buffer_load_format_xyzw");
            struct amdgpu_inst store =
                typed_inst(own ? "tbuffer_store_format_xyzw" : "buffer_store_format_xyzw");
            if (own)
                load.dfmt = store.dfmt = is_new() ? 42 : 10;
            for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
                hand_v(V_ADDRESS)[lane] = lane % 20;
            run(&load);
            for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
                for (unsigned i = 0; i < 4; i++) {
                    unsigned part = own || i % 2 ? i : 2 - i;
                    float expected = memory->view[lane % 20 * 4 + part] / 255.0f;
                    assert_bits(&load, V_DST + i, lane, lane % 20 < 16 ? bits(expected) : 0);
                }
            memset(memory->view, 0, 80);
            hand_exec(UINT64_C(0xfffff));
            for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
                for (unsigned i = 0; i < 4; i++)
                    hand_v(V_DATA + i)[lane] = bits((float)(lane * 4 + i) / 255);
            run(&store);
            for (unsigned i = 0; i < 80; i++) {
                unsigned part = own || i % 2 ? i % 4 : 2 - i % 4;
                assert_int_equal(memory->view[i], i / 4 < 16 ? i / 4 * 4 + part : 0);
            }
            sim_memory_destroy(memory);
        }
}

static void halves_of_typed_buffers(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(images); s++) {
        struct sim_memory *memory;
        begin_buffer(&images[s], &r32_float, &memory);
        hand_wave()->s[S_BASE + 3] =
            (hand_wave()->s[S_BASE + 3] & ~07777u) | 4 | 0 << 3 | 0 << 6 | 1 << 9;
        struct amdgpu_inst load =
            typed_inst(is_new() ? "buffer_load_d16_format_xyzw" : "buffer_load_format_d16_xyzw");
        float value = -2;
        memcpy(memory->view, &value, 4);
        hand_exec(1);
        hand_v(V_ADDRESS)[0] = 0;
        run(&load);
        assert_bits(&load, V_DST, 0, 0xc000);
        assert_bits(&load, V_DST + 1, 0, 0x3c000000);
        load = typed_inst(is_new() ? "buffer_load_d16_hi_format_x" : "buffer_load_format_d16_hi_x");
        hand_v(V_DST)[0] = 0x12345678;
        run(&load);
        assert_bits(&load, V_DST, 0, 0xc0005678);
        sim_memory_destroy(memory);
    }
}

static const char *typed_name(bool own, bool store, bool halves, unsigned count)
{
    static char name[64];
    static const char *const components[] = {"x", "xy", "xyz", "xyzw"};
    const char *old = halves ? "format_d16" : "format", *new = halves ? "d16_format" : "format";
    snprintf(name, sizeof name, "%sbuffer_%s_%s_%s", own ? "t" : "", store ? "store" : "load",
             is_new() ? new : old, components[count - 1]);
    return name;
}

/* Each format has as many components as the instruction. */
static const struct format counted_floats[] = {
    {4, 7, 22, 4}, {11, 7, 50, 8}, {13, 7, 60, 12}, {14, 7, 63, 16}};
static const struct format counted_integers[] = {
    {4, 4, 20, 4}, {11, 4, 48, 8}, {13, 4, 58, 12}, {14, 4, 61, 16}};

static struct amdgpu_inst begin_counted(const struct setting *setting, const struct format *format,
                                        const char *name, struct sim_memory **out_memory)
{
    begin_buffer(setting, format, out_memory);
    uint32_t *word = &hand_wave()->s[S_BASE + 3];
    *word = (*word & ~07777u) | 4 | 5 << 3 | 6 << 6 | 7 << 9;
    struct amdgpu_inst inst = typed_inst(name);
    if (*name == 't') { /* the format is the instruction's own */
        *word &= 07777u | 1u << 28;
        inst.dfmt = (unsigned char)(is_new() ? format->gfx11 : format->data);
        inst.nfmt = is_new() ? 0 : (unsigned char)format->number;
    }
    hand_exec(UINT64_C(0xfedcba9876543210));
    for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
        hand_v(V_ADDRESS)[lane] = lane == 4 ? UINT32_MAX : lane % 20; /* of 16 */
    return inst;
}

static uint32_t word_of(const struct sim_memory *memory, unsigned lane, unsigned count, unsigned i)
{
    uint32_t word = 0;
    if (lane != 4 && lane % 20 < 16)
        memcpy(&word, memory->view + (lane % 20 * count + i) * 4, 4);
    return word;
}

static void check_typed_load(size_t s, bool own, unsigned count)
{
    struct sim_memory *memory;
    hand.isa = images[s].isa;
    struct amdgpu_inst load = begin_counted(&images[s], &counted_integers[count - 1],
                                            typed_name(own, false, false, count), &memory);
    static uint32_t before[HAND_VGPRS * 64];
    memcpy(before, hand_wave()->v, sizeof before);
    run(&load);
    for (unsigned reg = 0; reg < HAND_VGPRS; reg++)
        for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
            assert_bits(&load, reg, lane,
                        is_live(lane) && reg >= V_DST && reg < V_DST + count
                            ? word_of(memory, lane, count, reg - V_DST)
                            : before[reg * hand_wave()->lanes + lane]);
    sim_memory_destroy(memory);
}

static void check_typed_store(size_t s, bool own, unsigned count)
{
    struct sim_memory *memory;
    unsigned char expected[1024];
    hand.isa = images[s].isa;
    struct amdgpu_inst store = begin_counted(&images[s], &counted_integers[count - 1],
                                             typed_name(own, true, false, count), &memory);
    memcpy(expected, memory->view, sizeof expected);
    for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
        for (unsigned i = 0; is_live(lane) && lane != 4 && lane % 20 < 16 && i < count; i++)
            memcpy(expected + (lane % 20 * count + i) * 4, &hand_v(V_DATA + i)[lane], 4);
    run(&store);
    assert_memory_equal(memory->view, expected, sizeof expected);
    sim_memory_destroy(memory);
}

static void with_every_count(void (*load)(size_t, bool, unsigned),
                             void (*store)(size_t, bool, unsigned))
{
    for (size_t s = 0; s < COUNT(images); s++)
        for (unsigned own = 0; own < 2; own++)
            for (unsigned count = 1; count <= 4; count++) {
                load(s, own, count);
                store(s, own, count);
            }
}

static void typed_buffers_have_one_to_four_components(void **state)
{
    (void)state;
    with_every_count(check_typed_load, check_typed_store);
}

/* The same number in 32 and in 16 bits. */
static const struct {
    uint32_t whole;
    uint16_t half;
} numbers[] = {
    {0x3f800000, 0x3c00}, {0xc0000000, 0xc000}, {0x80000000, 0x8000}, {0x477fe000, 0x7bff},
    {0x33800000, 0x0001}, {0x387fc000, 0x03ff}, {0x7f800000, 0x7c00}, {0xff800000, 0xfc00},
    {0x3eaaa000, 0x3555}, {0x38800000, 0x0400}, {0x7fc00000, 0x7e00},
};

static unsigned number_at(unsigned lane, unsigned i)
{
    return (lane % 20 * 3 + i) % COUNT(numbers);
}

static void check_half_load(size_t s, bool own, unsigned count)
{
    struct sim_memory *memory;
    hand.isa = images[s].isa;
    struct amdgpu_inst load = begin_counted(&images[s], &counted_floats[count - 1],
                                            typed_name(own, false, true, count), &memory);
    for (unsigned lane = 0; lane < 16; lane++)
        for (unsigned i = 0; i < count; i++)
            memcpy(memory->view + (lane * count + i) * 4, &numbers[number_at(lane, i)].whole, 4);
    uint32_t beyond = hand_v(V_DST + (count + 1) / 2)[8], dead = hand_v(V_DST)[0];
    run(&load);
    for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
        for (unsigned i = 0; is_live(lane) && i < count; i++) {
            uint16_t got = (uint16_t)(hand_v(V_DST + i / 2)[lane] >> i % 2 * 16);
            bool inside = lane != 4 && lane % 20 < 16;
            assert_int_equal(got, inside ? numbers[number_at(lane, i)].half : 0);
        }
    assert_bits(&load, V_DST + (count + 1) / 2, 8, beyond);
    assert_bits(&load, V_DST, 0, dead);
    sim_memory_destroy(memory);
}

static void check_half_store(size_t s, bool own, unsigned count)
{
    struct sim_memory *memory;
    unsigned char expected[1024];
    hand.isa = images[s].isa;
    struct amdgpu_inst store = begin_counted(&images[s], &counted_floats[count - 1],
                                             typed_name(own, true, true, count), &memory);
    memcpy(expected, memory->view, sizeof expected);
    for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
        for (unsigned i = 0; i < count; i++) {
            unsigned number = number_at(lane, i);
            uint32_t *word = &hand_v(V_DATA + i / 2)[lane];
            *word = i % 2 ? (*word & 0xffff) | (uint32_t)numbers[number].half << 16
                          : (*word & 0xffff0000) | numbers[number].half;
            if (is_live(lane) && lane != 4 && lane % 20 < 16)
                memcpy(expected + (lane % 20 * count + i) * 4, &numbers[number].whole, 4);
        }
    run(&store);
    assert_memory_equal(memory->view, expected, sizeof expected);
    sim_memory_destroy(memory);
}

static void typed_buffers_pack_halves_two_to_a_register(void **state)
{
    (void)state;
    with_every_count(check_half_load, check_half_store);
}

static void upper_halves_are_stored_to_typed_buffers(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(images); s++) {
        struct sim_memory *memory;
        hand.isa = images[s].isa;
        struct amdgpu_inst store = begin_counted(
            &images[s], &counted_floats[0],
            is_new() ? "buffer_store_d16_hi_format_x" : "buffer_store_format_d16_hi_x", &memory);
        hand_exec(1u << 7);
        for (size_t i = 0; i < COUNT(numbers); i++) {
            uint32_t stored;
            hand_v(V_DATA)[7] = (uint32_t)numbers[i].half << 16 | 0x1234;
            run(&store);
            memcpy(&stored, memory->view + 7 * 4, 4);
            assert_int_equal(stored, numbers[i].whole);
        }
        sim_memory_destroy(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_find_texels_of_every_kind_of_image),
        cmocka_unit_test(levels_beyond_the_one_read_as_nothing),
        cmocka_unit_test(stores_to_levels_beyond_the_one_are_dropped),
        cmocka_unit_test(each_level_lies_behind_the_smaller_ones),
        cmocka_unit_test(levels_that_are_not_there_are_refused),
        cmocka_unit_test(addresses_may_be_halves_or_lie_apart),
        cmocka_unit_test(texels_of_every_format_are_read_and_written),
        cmocka_unit_test(out_of_range_values_are_stored_saturated),
        cmocka_unit_test(srgb_is_read_as_what_it_means),
        cmocka_unit_test(dmask_and_selects_say_which_components),
        cmocka_unit_test(halves_are_packed_two_to_a_register),
        cmocka_unit_test(stores_outside_are_dropped),
        cmocka_unit_test(an_image_knows_its_size),
        cmocka_unit_test(atomics_change_texels),
        cmocka_unit_test(samples_are_filtered_and_addressed),
        cmocka_unit_test(half_borders_go_halfway),
        cmocka_unit_test(borders_have_their_colours),
        cmocka_unit_test(layers_are_rounded_and_clamped_and_depth_is_filtered),
        cmocka_unit_test(integers_are_not_mixed),
        cmocka_unit_test(what_comes_before_coordinates_is_understood),
        cmocka_unit_test(a_level_says_which_filter),
        cmocka_unit_test(samples_choose_levels_or_mix_two),
        cmocka_unit_test(gathers_take_one_component_of_four_texels),
        cmocka_unit_test(every_form_of_a_sample_takes_what_its_name_says),
        cmocka_unit_test(descriptors_of_other_images_are_refused),
        cmocka_unit_test(memory_that_is_not_there_is_a_fault),
        cmocka_unit_test(what_is_not_simulated_is_not_emitted),
        cmocka_unit_test(descriptors_at_random_do_no_harm),
        cmocka_unit_test(buffers_have_formats_too),
        cmocka_unit_test(halves_of_typed_buffers),
        cmocka_unit_test(typed_buffers_have_one_to_four_components),
        cmocka_unit_test(typed_buffers_pack_halves_two_to_a_register),
        cmocka_unit_test(upper_halves_are_stored_to_typed_buffers),
    };
    return cmocka_run_group_tests(tests, hand_open, hand_close);
}
