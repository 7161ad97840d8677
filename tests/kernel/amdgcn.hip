// clang's names for single AMDGPU instructions, which mean the same on every GPU. One block of 32
// threads; expected values follow the AMDGPU ISA documents.
#include "../support/hip_test.h"

typedef unsigned int u32;

static const int lanes = 32;

enum across {
    READFIRSTLANE,
    READLANE,
    BPERMUTE,
    PERMUTE,
    SWIZZLE_REVERSE_4,
    SWIZZLE_BROADCAST_8,
    SWIZZLE_XOR_16,
    DPP_QUAD_PERM,
    DPP_ROW_SHR_BOUND,
    DPP_ROW_SHR_OLD,
    DPP_ROW_SHL,
    DPP_ROW_ROR,
    DPP_ROW_MIRROR,
    DPP_ROW_HALF_MIRROR,
    DPP_BANKS,
    DPP_ROWS,
    MBCNT,
    ACROSS
};

__global__ void across_lanes(int *out)
{
    int lane = static_cast<int>(__builtin_amdgcn_workitem_id_x()), value = 100 + lane;
    int result[ACROSS];
    __builtin_amdgcn_s_sleep(1);
    result[READFIRSTLANE] = __builtin_amdgcn_readfirstlane(value);
    result[READLANE] = __builtin_amdgcn_readlane(value, 5);
    result[BPERMUTE] = __builtin_amdgcn_ds_bpermute(((lane * 7 + 3) & 31) * 4, value);
    result[PERMUTE] = __builtin_amdgcn_ds_permute(((lane + 9) & 31) * 4, value);
    result[SWIZZLE_REVERSE_4] = __builtin_amdgcn_ds_swizzle(value, 0x801b);
    result[SWIZZLE_BROADCAST_8] = __builtin_amdgcn_ds_swizzle(value, 3 << 5 | 0x18);
    result[SWIZZLE_XOR_16] = __builtin_amdgcn_ds_swizzle(value, 16 << 10 | 0x1f);
    result[DPP_QUAD_PERM] = __builtin_amdgcn_update_dpp(-1, value, 0x4e, 0xf, 0xf, false);
    result[DPP_ROW_SHR_BOUND] = __builtin_amdgcn_mov_dpp(value, 0x113, 0xf, 0xf, true);
    result[DPP_ROW_SHR_OLD] = __builtin_amdgcn_update_dpp(-1, value, 0x113, 0xf, 0xf, false);
    result[DPP_ROW_SHL] = __builtin_amdgcn_update_dpp(-1, value, 0x101, 0xf, 0xf, false);
    result[DPP_ROW_ROR] = __builtin_amdgcn_update_dpp(-1, value, 0x124, 0xf, 0xf, false);
    result[DPP_ROW_MIRROR] = __builtin_amdgcn_update_dpp(-1, value, 0x140, 0xf, 0xf, false);
    result[DPP_ROW_HALF_MIRROR] = __builtin_amdgcn_update_dpp(-1, value, 0x141, 0xf, 0xf, false);
    result[DPP_BANKS] = __builtin_amdgcn_update_dpp(-1, value, 0x140, 0xf, 0xa, false);
    result[DPP_ROWS] = __builtin_amdgcn_update_dpp(-1, value, 0x140, 0x2, 0xf, false);
    result[MBCNT] =
        static_cast<int>(__builtin_amdgcn_mbcnt_hi(0, __builtin_amdgcn_mbcnt_lo(0x0f0f0f0f, 1)));
    for (int i = 0; i < ACROSS; ++i)
        out[i * lanes + lane] = result[i];
}

static int expected_across(int function, int lane)
{
    int row = lane & ~15, at = lane & 15, source = -1;
    switch (function) {
    case READFIRSTLANE:
        source = 0;
        break;
    case READLANE:
        source = 5;
        break;
    case BPERMUTE:
        source = (lane * 7 + 3) & 31;
        break;
    case PERMUTE:
        source = (lane + 23) & 31;
        break;
    case SWIZZLE_REVERSE_4:
        source = lane ^ 3;
        break;
    case SWIZZLE_BROADCAST_8:
        source = (lane & ~7) | 3;
        break;
    case SWIZZLE_XOR_16:
        source = lane ^ 16;
        break;
    case DPP_QUAD_PERM:
        source = lane ^ 2;
        break;
    case DPP_ROW_SHR_BOUND:
        if (at < 3)
            return 0;
        source = lane - 3;
        break;
    case DPP_ROW_SHR_OLD:
        source = at < 3 ? -1 : lane - 3;
        break;
    case DPP_ROW_SHL:
        source = at == 15 ? -1 : lane + 1;
        break;
    case DPP_ROW_ROR:
        source = row | ((at + 12) & 15);
        break;
    case DPP_ROW_MIRROR:
        source = row | (15 - at);
        break;
    case DPP_ROW_HALF_MIRROR:
        source = (lane & ~7) | (7 - (lane & 7));
        break;
    case DPP_BANKS:
        source = at / 4 % 2 ? row | (15 - at) : -1;
        break;
    case DPP_ROWS:
        source = row ? row | (15 - at) : -1;
        break;
    case MBCNT:
        return 1 + lane / 8 * 4 + (lane % 8 < 4 ? lane % 8 : 4);
    }
    return source < 0 ? -1 : 100 + source;
}

struct input {
    u32 a, b, c;
};

enum arithmetic { UBFE, SBFE, ALIGNBIT, ALIGNBYTE, PERM, SAD_U8, FMED3, FRACT, ARITHMETIC };

__global__ void compute(u32 *out, const input *in, int n)
{
    int i = static_cast<int>(threadIdx.x);
    if (i >= n)
        return;
    u32 a = in[i].a, b = in[i].b, c = in[i].c, *o = out + i * ARITHMETIC;
    float x = static_cast<float>(a) / 256, y = static_cast<float>(b), z = static_cast<float>(c);
    o[UBFE] = __builtin_amdgcn_ubfe(a, b, c);
    o[SBFE] = static_cast<u32>(__builtin_amdgcn_sbfe(static_cast<int>(a), b, c));
    o[ALIGNBIT] = __builtin_amdgcn_alignbit(a, b, c);
    o[ALIGNBYTE] = __builtin_amdgcn_alignbyte(a, b, c);
    o[PERM] = __builtin_amdgcn_perm(a, b, c);
    o[SAD_U8] = __builtin_amdgcn_sad_u8(a, b, c);
    o[FMED3] = __float_as_uint(__builtin_amdgcn_fmed3f(x, y, z));
    o[FRACT] = __float_as_uint(__builtin_amdgcn_fractf(x));
}

static u32 selected(u32 a, u32 b, u32 selector)
{
    if (selector > 12)
        return 0xff;
    if (selector == 12)
        return 0;
    if (selector >= 8) { // the signs of the four halves
        u32 word = selector >= 10 ? a : b;
        return word >> (selector % 2 ? 31 : 15) & 1 ? 0xff : 0;
    }
    return (selector >= 4 ? a : b) >> selector % 4 * 8 & 0xff;
}

static u32 bits(float x)
{
    u32 result;
    memcpy(&result, &x, sizeof result);
    return result;
}

static u32 expected_compute(int function, const input &in)
{
    u32 a = in.a, b = in.b, c = in.c, sum = c;
    unsigned long long both = static_cast<unsigned long long>(a) << 32 | b;
    float x = static_cast<float>(a) / 256, y = static_cast<float>(b), z = static_cast<float>(c);
    switch (function) {
    case UBFE:
        return a >> b % 32 & ((1u << c % 32) - 1);
    case SBFE: {
        u32 field = static_cast<u32>(static_cast<int>(a) >> b % 32) & ((1u << c % 32) - 1);
        return c % 32 && field >> (c % 32 - 1) ? field | ~0u << c % 32 : field;
    }
    case ALIGNBIT:
        return static_cast<u32>(both >> c % 32);
    case ALIGNBYTE:
        return static_cast<u32>(both >> c % 4 * 8);
    case PERM:
        return selected(a, b, c & 0xff) | selected(a, b, c >> 8 & 0xff) << 8 |
               selected(a, b, c >> 16 & 0xff) << 16 | selected(a, b, c >> 24) << 24;
    case SAD_U8:
        for (int i = 0; i < 32; i += 8)
            sum += static_cast<u32>(
                std::abs(static_cast<int>(a >> i & 0xff) - static_cast<int>(b >> i & 0xff)));
        return sum;
    case FMED3:
        return bits(fmaxf(fminf(x, y), fminf(fmaxf(x, y), z)));
    default:
        return bits(x - floorf(x));
    }
}

// A barrier and fences that one wavefront writes before and another reads after.
__global__ void exchange(int *out, u32 *counts)
{
    __shared__ int box[256];
    int i = static_cast<int>(threadIdx.x);
    box[i] = i * 3;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    out[i] = box[255 - i];
    __builtin_amdgcn_atomic_inc32(&counts[0], 99, __ATOMIC_SEQ_CST, "agent");
    __builtin_amdgcn_atomic_inc32(&counts[1], 99, __ATOMIC_RELAXED, "");
    __builtin_amdgcn_atomic_dec32(&counts[2], 99, __ATOMIC_RELAXED, "workgroup");
}

TEST("values move between the lanes of a wavefront as the instructions say")
{
    ah_test::buffer<int> out(ACROSS * lanes);
    across_lanes<<<1, lanes>>>(out.device());
    CHECK_LAUNCH();
    std::vector<int> &v = out.read();
    for (int f = 0; f < ACROSS; ++f)
        for (int lane = 0; lane < lanes; ++lane)
            CHECK_CASE(v[f * lanes + lane] == expected_across(f, lane), "function %d, lane %d: %d",
                       f, lane, v[f * lanes + lane]);
}

TEST("instructions that compute give the values of the ISA documents")
{
    std::vector<input> values = {
        {0x12345678, 0x9abcdef0, 0x07050301},
        {0xffffffff, 4, 9},
        {0x80000001, 0, 31},
        {0x80007fff, 31, 1},
        {0xff00ff80, 0x7f80807f, 0x0c0b0a09},
        {0, 0xffffffff, 0x0d0e0f08},
        {0xdeadbeef, 0xcafebabe, 0x00020406},
        {5, 12, 0},
        {257, 7, 33},
        {1u << 31, 1u << 30, 8},
    };
    int n = static_cast<int>(values.size());
    ah_test::buffer<input> in(values);
    ah_test::buffer<u32> out(values.size() * ARITHMETIC);
    compute<<<1, lanes>>>(out.device(), in.device(), n);
    CHECK_LAUNCH();
    std::vector<u32> &v = out.read();
    for (int i = 0; i < n; ++i)
        for (int f = 0; f < ARITHMETIC; ++f) {
            u32 want = expected_compute(f, values[i]);
            CHECK_CASE(v[i * ARITHMETIC + f] == want, "function %d, input %d: %#x, not %#x", f, i,
                       v[i * ARITHMETIC + f], want);
        }
}

TEST("fences and a barrier order shared memory between wavefronts")
{
    ah_test::buffer<int> out(256);
    std::vector<u32> none(3, 0);
    ah_test::buffer<u32> counts(none);
    exchange<<<1, 256>>>(out.device(), counts.device());
    CHECK_LAUNCH();
    for (int i = 0; i < 256; ++i)
        CHECK_EQ(out.read()[i], (255 - i) * 3);
    const u32 want[] = {56, 56, 44}; // 256 steps from 0 through 100 values
    for (int i = 0; i < 3; ++i)
        CHECK_EQ(counts.read()[i], want[i]);
}

HIP_TEST_MAIN
