/* Texels: the layouts of their components, and how they are loaded and stored. */
#include "amdgpu_texel.h"
#include "sim_half.h"

#include <math.h>

/* Bits of the parts from the lowest on. */
static const unsigned char parts_bits[AMDGPU_PARTS_COUNT][4] = {
    [AMDGPU_PARTS_8] = {8},
    [AMDGPU_PARTS_16] = {16},
    [AMDGPU_PARTS_8_8] = {8, 8},
    [AMDGPU_PARTS_32] = {32},
    [AMDGPU_PARTS_16_16] = {16, 16},
    [AMDGPU_PARTS_10_11_11] = {11, 11, 10},
    [AMDGPU_PARTS_11_11_10] = {10, 11, 11},
    [AMDGPU_PARTS_10_10_10_2] = {2, 10, 10, 10},
    [AMDGPU_PARTS_2_10_10_10] = {10, 10, 10, 2},
    [AMDGPU_PARTS_8_8_8_8] = {8, 8, 8, 8},
    [AMDGPU_PARTS_32_32] = {32, 32},
    [AMDGPU_PARTS_16_16_16_16] = {16, 16, 16, 16},
    [AMDGPU_PARTS_32_32_32] = {32, 32, 32},
    [AMDGPU_PARTS_32_32_32_32] = {32, 32, 32, 32},
    [AMDGPU_PARTS_5_6_5] = {5, 6, 5},
    [AMDGPU_PARTS_1_5_5_5] = {5, 5, 5, 1},
    [AMDGPU_PARTS_5_5_5_1] = {1, 5, 5, 5},
    [AMDGPU_PARTS_4_4_4_4] = {4, 4, 4, 4},
};

/* ---- formats -------------------------------------------------------------------------- */

static const struct {
    struct amdgpu_texel_format format;
    signed char numbers[2]; /* of gfx10, of gfx11 */
} formats[] = {
#define TEXEL(parts, number, number10, number11)                                                   \
    {{AMDGPU_PARTS_##parts, AMDGPU_NUMBER_##number}, {number10, number11}},
#include "amdgpu_texel.def"
};
enum { FORMATS = sizeof formats / sizeof *formats };

bool amdgpu_texel_numbered(enum amdgpu_family family, unsigned number,
                           struct amdgpu_texel_format *out_format)
{
    for (size_t i = 0; number != 0 && i < FORMATS; i++)
        if ((unsigned)formats[i].numbers[family == AMDGPU_GFX11] == number) {
            *out_format = formats[i].format;
            return true;
        }
    return false;
}

int amdgpu_texel_number(enum amdgpu_family family, struct amdgpu_texel_format format)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].format.parts == format.parts && formats[i].format.number == format.number)
            return formats[i].numbers[family == AMDGPU_GFX11];
    return -1;
}

/* Floats of fewer than 16 bits, and normalised components that a float cannot represent, are not
 * supported. */
static bool is_simulated(struct amdgpu_texel_format format)
{
    if (format.parts >= AMDGPU_PARTS_COUNT || format.number >= AMDGPU_NUMBER_COUNT)
        return false;
    unsigned bits = parts_bits[format.parts][0];
    switch (format.number) {
    case AMDGPU_NUMBER_FLOAT:
        return bits == 16 || bits == 32;
    case AMDGPU_NUMBER_SRGB:
        return bits == 8;
    case AMDGPU_NUMBER_UINT:
    case AMDGPU_NUMBER_SINT:
        return bits != 0;
    default:
        return bits != 0 && bits < 32 && format.number <= AMDGPU_NUMBER_SSCALED;
    }
}

unsigned amdgpu_texel_components(struct amdgpu_texel_format format)
{
    unsigned count = 0;
    while (is_simulated(format) && count < 4 && parts_bits[format.parts][count])
        count++;
    return count;
}

unsigned amdgpu_texel_bytes(struct amdgpu_texel_format format)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < amdgpu_texel_components(format); i++)
        bits += parts_bits[format.parts][i];
    return bits / 8;
}

/* ---- parts ---------------------------------------------------------------------------- */

static uint32_t most_of(unsigned bits)
{
    return bits == 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
}

static int32_t signed_part(uint32_t part, unsigned bits)
{
    return (int32_t)(part << (32 - bits)) >> (32 - bits);
}

static float from_srgb(float value)
{
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

static float to_srgb(float value)
{
    return value <= 0.0031308f ? value * 12.92f : 1.055f * powf(value, 1 / 2.4f) - 0.055f;
}

static uint32_t load_part(uint32_t part, unsigned bits, enum amdgpu_number number, bool linear)
{
    float most = (float)most_of(bits), signed_most = (float)most_of(bits - 1), value;
    switch (number) {
    case AMDGPU_NUMBER_UNORM:
        return sim_bits_of((float)part / most);
    case AMDGPU_NUMBER_SNORM:
        value = (float)signed_part(part, bits) / signed_most;
        return sim_bits_of(value < -1 ? -1 : value);
    case AMDGPU_NUMBER_USCALED:
        return sim_bits_of((float)part);
    case AMDGPU_NUMBER_SSCALED:
        return sim_bits_of((float)signed_part(part, bits));
    case AMDGPU_NUMBER_SINT:
        return (uint32_t)signed_part(part, bits);
    case AMDGPU_NUMBER_FLOAT:
        return bits == 16 ? sim_bits_of(sim_widen_half((uint16_t)part)) : part;
    case AMDGPU_NUMBER_SRGB:
        value = (float)part / most;
        return sim_bits_of(linear ? value : from_srgb(value));
    default:
        return part;
    }
}

/* NaN becomes 0. */
static double within(double value, double least, double most)
{
    return value >= most ? most : value > least ? value : value <= least ? least : 0;
}

static uint32_t store_part(uint32_t bits_of_value, unsigned bits, enum amdgpu_number number,
                           bool linear)
{
    double value = (double)sim_float_of(bits_of_value);
    double most = most_of(bits), signed_most = most_of(bits - 1);
    int64_t integer = (int32_t)bits_of_value, limit = (int64_t)1 << (bits - 1);
    switch (number) {
    case AMDGPU_NUMBER_UNORM:
        return (uint32_t)rint(within(value, 0, 1) * most);
    case AMDGPU_NUMBER_SNORM:
        return (uint32_t)(int32_t)rint(within(value, -1, 1) * signed_most);
    case AMDGPU_NUMBER_USCALED:
        return (uint32_t)within(value, 0, most);
    case AMDGPU_NUMBER_SSCALED:
        return (uint32_t)(int32_t)within(value, -signed_most - 1, signed_most);
    case AMDGPU_NUMBER_SINT:
        return (uint32_t)(integer < -limit ? -limit : integer >= limit ? limit - 1 : integer);
    case AMDGPU_NUMBER_FLOAT:
        return bits == 16 ? sim_narrow_half(sim_float_of(bits_of_value)) : bits_of_value;
    case AMDGPU_NUMBER_SRGB:
        value = within(value, 0, 1);
        return (uint32_t)rint((linear ? value : (double)to_srgb((float)value)) * most);
    default:
        return bits_of_value > most_of(bits) ? most_of(bits) : bits_of_value;
    }
}

/* ---- texels ---------------------------------------------------------------------------- */

/* The fourth component is not a colour, so it is linear. */
static bool is_linear(unsigned component)
{
    return component == 3;
}

void amdgpu_texel_load(struct amdgpu_texel_format format, const unsigned char *texel,
                       uint32_t out_components[4])
{
    unsigned count = amdgpu_texel_components(format), bytes = amdgpu_texel_bytes(format), at = 0;
    uint64_t words[3] = {0};
    memcpy(words, texel, bytes);
    for (unsigned i = 0; i < count; i++) {
        unsigned bits = parts_bits[format.parts][i];
        uint32_t part = (uint32_t)(words[at / 64] >> at % 64) & most_of(bits);
        out_components[i] = load_part(part, bits, format.number, is_linear(i));
        at += bits;
    }
    for (unsigned i = count; i < 4; i++)
        out_components[i] = i < 3 ? 0 : amdgpu_texel_is_integer(format) ? 1 : sim_bits_of(1);
}

void amdgpu_texel_store(struct amdgpu_texel_format format, const uint32_t components[4],
                        unsigned char *out_texel)
{
    unsigned count = amdgpu_texel_components(format), at = 0;
    uint64_t words[3] = {0};
    for (unsigned i = 0; i < count; i++) {
        unsigned bits = parts_bits[format.parts][i];
        uint64_t part = store_part(components[i], bits, format.number, is_linear(i));
        words[at / 64] |= (part & most_of(bits)) << at % 64;
        at += bits;
    }
    memcpy(out_texel, words, at / 8);
}

void amdgpu_texel_select(const unsigned char selects[4], bool integer, const uint32_t texel[4],
                         uint32_t out_result[4])
{
    uint32_t one = integer ? 1 : sim_bits_of(1);
    for (unsigned i = 0; i < 4; i++)
        out_result[i] = selects[i] >= AMDGPU_SELECT_X   ? texel[selects[i] & 3]
                        : selects[i] == AMDGPU_SELECT_1 ? one
                                                        : 0;
}

void amdgpu_texel_unselect(const unsigned char selects[4], const uint32_t result[4],
                           uint32_t out_texel[4])
{
    for (unsigned i = 4; i-- > 0;)
        out_texel[i] = 0;
    for (unsigned i = 4; i-- > 0;)
        if (selects[i] >= AMDGPU_SELECT_X)
            out_texel[selects[i] & 3] = result[i];
}
