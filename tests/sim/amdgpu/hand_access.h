/* The expected results of loads and stores, lane by lane, for tests of each space. Include after
 * hand.h. */
#ifndef TESTS_SIM_AMDGPU_HAND_ACCESS_H
#define TESTS_SIM_AMDGPU_HAND_ACCESS_H

#include "hand.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct kind {
    const char *old_name, *new_name; /* of gfx9 and of gfx11, after the format's prefix */
    unsigned bytes;
    int half; /* 0: of all the register; 1 the low half, 2 the high */
    bool sign;
};

static inline const char *name_of(const char *prefix, const struct kind *kind)
{
    static char name[64];
    snprintf(name, sizeof name, "%s_%s", prefix,
             hand.isa == AMDGPU_GFX1100 ? kind->new_name : kind->old_name);
    return name;
}

/* The expected value of register i of a load, whose old value is old. */
static inline uint32_t loaded(const struct kind *kind, const unsigned char *bytes, unsigned i,
                              uint32_t old)
{
    int64_t value = 0;
    if (kind->bytes >= 4) {
        uint32_t word;
        memcpy(&word, bytes + 4 * i, 4);
        return word;
    }
    for (unsigned b = 0; b < kind->bytes; b++)
        value += (int64_t)bytes[b] << 8 * b;
    if (kind->sign && bytes[kind->bytes - 1] >= 0x80)
        value -= (int64_t)1 << 8 * kind->bytes;
    if (kind->half == 1)
        return (old & 0xffff0000) | ((uint32_t)value & 0xffff);
    if (kind->half == 2)
        return (old & 0xffff) | (uint32_t)value << 16;
    return (uint32_t)value;
}

static const uint64_t masks[] = {UINT64_MAX,
                                 UINT64_C(0x5a5a00ff12345678),
                                 UINT64_C(0xffff),
                                 UINT64_C(0xfffffffffffffff0),
                                 UINT64_C(1) << 31,
                                 UINT64_C(0x4444111155555555),
                                 0};

static inline bool is_live(unsigned lane)
{
    return amdgpu_exec(hand_wave()) >> lane & 1;
}

static inline unsigned registers_of(const struct kind *kind)
{
    return kind->bytes < 4 ? 1 : kind->bytes / 4;
}

/* Runs a load of lanes whose elements are at bytes[lane], and checks every register. */
static inline void check_load(const struct kind *kind, struct amdgpu_inst *inst,
                              const unsigned char *const bytes[64])
{
    static uint32_t before[HAND_VGPRS * 64];
    memcpy(before, hand_wave()->v, sizeof before);
    if (!hand_run(inst))
        fail_msg("%s: %s at 0x%llx", inst->row->name, hand.what,
                 (unsigned long long)hand.fault.address);
    unsigned lanes = hand_wave()->lanes, first = inst->dst[0].reg;
    for (unsigned reg = 0; reg < HAND_VGPRS; reg++)
        for (unsigned lane = 0; lane < lanes; lane++) {
            uint32_t expected = before[reg * lanes + lane];
            if (is_live(lane) && reg >= first && reg < first + registers_of(kind))
                expected = loaded(kind, bytes[lane], reg - first, expected);
            if (hand_v(reg)[lane] != expected)
                fail_msg("%s: lane %u of v%u is 0x%x, expected 0x%x (EXEC 0x%llx)", inst->row->name,
                         lane, reg, hand_v(reg)[lane], expected,
                         (unsigned long long)amdgpu_exec(hand_wave()));
        }
}

/* Runs a store of lanes to offsets of arena, and checks every byte; if several lanes write one
 * byte, the last one's value is expected. */
static inline void check_store(const struct kind *kind, struct amdgpu_inst *inst,
                               unsigned char *arena, size_t size, const uint32_t offsets[64])
{
    unsigned char *expected = malloc(size);
    assert_non_null(expected);
    memcpy(expected, arena, size);
    for (unsigned lane = 0; lane < hand_wave()->lanes; lane++)
        for (unsigned i = 0; is_live(lane) && i < kind->bytes; i++) {
            uint32_t word = hand_v(inst->data.reg + i / 4)[lane];
            expected[offsets[lane] + i] =
                (unsigned char)(word >> (8 * (i % 4) + (kind->half == 2 ? 16 : 0)));
        }
    if (!hand_run(inst))
        fail_msg("%s: %s", inst->row->name, hand.what);
    for (size_t i = 0; i < size; i++)
        if (arena[i] != expected[i])
            fail_msg("%s: byte %zu is 0x%x, expected 0x%x", inst->row->name, i, arena[i],
                     expected[i]);
    free(expected);
}

struct setting {
    enum amdgpu_isa isa;
    unsigned lanes;
};
static const struct setting settings[] = {
    {AMDGPU_GFX90A, 64}, {AMDGPU_GFX1100, 32}, {AMDGPU_GFX1100, 64}};

#endif
