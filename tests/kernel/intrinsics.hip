// Integer intrinsics against plain arithmetic on the host.
#include "../support/hip_test.h"

typedef unsigned int u32;
typedef unsigned long long u64;

struct input {
    u32 a, b, c;
    u64 x, y;
};
struct output {
    long long v[64];
};

__global__ void evaluate(output *out, const input *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    input p = in[i];
    int sa = static_cast<int>(p.a), sb = static_cast<int>(p.b), sc = static_cast<int>(p.c);
    long long sx = static_cast<long long>(p.x), sy = static_cast<long long>(p.y);
    output &o = out[i];
    int k = 0;
    o.v[k++] = __popc(p.a);
    o.v[k++] = __popcll(p.x);
    o.v[k++] = __clz(sa);
    o.v[k++] = __clzll(sx);
    o.v[k++] = __ffs(sa);
    o.v[k++] = __ffs(p.a);
    o.v[k++] = __ffsll(sx);
    o.v[k++] = __ffsll(p.x);
    o.v[k++] = __brev(p.a);
    o.v[k++] = static_cast<long long>(__brevll(p.x));
    o.v[k++] = __byte_perm(p.a, p.b, p.c);
    o.v[k++] = __funnelshift_l(p.a, p.b, p.c);
    o.v[k++] = __funnelshift_lc(p.a, p.b, p.c % 48);
    o.v[k++] = __funnelshift_r(p.a, p.b, p.c);
    o.v[k++] = __funnelshift_rc(p.a, p.b, p.c % 48);
    o.v[k++] = __mul24(sa, sb);
    o.v[k++] = __umul24(p.a, p.b);
    o.v[k++] = __mulhi(sa, sb);
    o.v[k++] = __umulhi(p.a, p.b);
    o.v[k++] = __mul64hi(sx, sy);
    o.v[k++] = static_cast<long long>(__umul64hi(p.x, p.y));
    o.v[k++] = __hadd(sa, sb);
    o.v[k++] = __rhadd(sa, sb);
    o.v[k++] = __uhadd(p.a, p.b);
    o.v[k++] = __urhadd(p.a, p.b);
    o.v[k++] = __sad(sa, sb, p.c);
    o.v[k++] = __usad(p.a, p.b, p.c);
    o.v[k++] = __dp4a(sa, sb, sc);
    o.v[k++] = __dp4a(p.a, p.b, p.c);
    o.v[k++] = __dp2a_lo(sa, sb, sc);
    o.v[k++] = __dp2a_hi(p.a, p.b, p.c);
    o.v[k++] = __fns(p.a, p.c % 32, static_cast<int>(p.b % 9) - 4);
    o.v[k++] = __bitextract_u32(p.a, p.b, p.c);
    o.v[k++] = static_cast<long long>(__bitextract_u64(p.x, p.b, p.c));
    o.v[k++] = __bitinsert_u32(p.a, p.b, p.c, p.c >> 8);
    o.v[k++] = min(sa, sb);
    o.v[k++] = max(sa, sb);
    o.v[k++] = min(p.a, p.b);
    o.v[k++] = max(p.a, p.b);
    o.v[k++] = min(sx, sy);
    o.v[k++] = static_cast<long long>(max(p.x, p.y));
    o.v[k++] = min(sa, p.b);
    o.v[k++] = static_cast<long long>(max(sa, p.b));
    o.v[k++] = min(p.a, sx);
    o.v[k++] = abs(sa == -2147483647 - 1 ? 0 : sa);
    o.v[k++] = llabs(p.x >> 63 && !(p.x << 1) ? 0 : sx);
}

static u32 permuted(u32 a, u32 b, u32 s)
{
    u64 bytes = static_cast<u64>(b) << 32 | a;
    u32 r = 0;
    for (int i = 0; i < 4; ++i)
        r |= static_cast<u32>(bytes >> (s >> (4 * i) & 7) * 8 & 0xff) << 8 * i;
    return r;
}
static int nth_set(u32 m, int base, int n)
{
    if (n == 0)
        return m >> base & 1 ? base : -1;
    for (int at = base; at >= 0 && at<32; at += n> 0 ? 1 : -1)
        if (m >> at & 1)
            if ((n > 0 ? --n : ++n) == 0)
                return at;
    return -1;
}
static int trailing(u64 x)
{
    return x ? __builtin_ctzll(x) + 1 : 0;
}
static u64 reversed(u64 x, int bits)
{
    u64 r = 0;
    for (int i = 0; i < bits; ++i)
        r |= (x >> i & 1) << (bits - 1 - i);
    return r;
}
static int low24(u32 x)
{
    return static_cast<int>(x << 8) >> 8;
}
static u32 distance(long long a, long long b, u32 c)
{
    return static_cast<u32>((a > b ? a - b : b - a)) + c;
}

static std::vector<long long> expected(const input &p)
{
    int sa = static_cast<int>(p.a), sb = static_cast<int>(p.b);
    long long sx = static_cast<long long>(p.x), sy = static_cast<long long>(p.y);
    u64 pair = static_cast<u64>(p.b) << 32 | p.a;
    u32 n = p.c % 32, nc = std::min(p.c % 48, 32u);
    u32 dot_s = p.c, dot_u = p.c;
    for (int i = 0; i < 32; i += 8) {
        dot_s += static_cast<u32>(static_cast<signed char>(p.a >> i) *
                                  static_cast<signed char>(p.b >> i));
        dot_u += (p.a >> i & 255) * (p.b >> i & 255);
    }
    u32 dp2_lo =
        p.c + static_cast<u32>(static_cast<short>(p.a) * static_cast<signed char>(p.b)) +
        static_cast<u32>(static_cast<short>(p.a >> 16) * static_cast<signed char>(p.b >> 8));
    u32 dp2_hi = p.c + (p.a & 0xffff) * (p.b >> 16 & 255) + (p.a >> 16) * (p.b >> 24);
    u32 width = p.c % 32, width64 = p.c % 64, field = (1u << (p.c >> 8) % 32) - 1, at = p.c % 32;
    return {
        __builtin_popcount(p.a),
        __builtin_popcountll(p.x),
        p.a ? __builtin_clz(p.a) : 32,
        p.x ? __builtin_clzll(p.x) : 64,
        trailing(p.a),
        trailing(p.a),
        trailing(p.x),
        trailing(p.x),
        static_cast<long long>(reversed(p.a, 32)),
        static_cast<long long>(reversed(p.x, 64)),
        permuted(p.a, p.b, p.c),
        static_cast<u32>(pair << n >> 32),
        nc == 32 ? p.a : static_cast<u32>(pair << nc >> 32),
        static_cast<u32>(pair >> n),
        static_cast<u32>(pair >> nc),
        static_cast<int>(static_cast<u32>(low24(p.a)) * static_cast<u32>(low24(p.b))),
        (p.a & 0xffffff) * (p.b & 0xffffff),
        static_cast<int>(static_cast<long long>(sa) * sb >> 32),
        static_cast<u32>(static_cast<u64>(p.a) * p.b >> 32),
        static_cast<long long>(static_cast<__int128>(sx) * sy >> 64),
        static_cast<long long>(static_cast<unsigned __int128>(p.x) * p.y >> 64),
        static_cast<int>((static_cast<long long>(sa) + sb) >> 1),
        static_cast<int>((static_cast<long long>(sa) + sb + 1) >> 1),
        static_cast<u32>((static_cast<u64>(p.a) + p.b) >> 1),
        static_cast<u32>((static_cast<u64>(p.a) + p.b + 1) >> 1),
        distance(sa, sb, p.c),
        distance(p.a, p.b, p.c),
        static_cast<int>(dot_s),
        dot_u,
        static_cast<int>(dp2_lo),
        dp2_hi,
        nth_set(p.a, static_cast<int>(p.c % 32), static_cast<int>(p.b % 9) - 4),
        width ? p.a << (64 - width - p.b % 32) % 32 >> (32 - width) : 0,
        static_cast<long long>(width64 ? p.x << (128 - width64 - p.b % 64) % 64 >> (64 - width64)
                                       : 0),
        (p.a & ~(field << at)) | (p.b & field) << at,
        sa < sb ? sa : sb,
        sa > sb ? sa : sb,
        p.a < p.b ? p.a : p.b,
        p.a > p.b ? p.a : p.b,
        sx < sy ? sx : sy,
        static_cast<long long>(p.x > p.y ? p.x : p.y),
        std::min<long long>(sa, p.b),
        std::max<long long>(sa, p.b),
        std::min<long long>(p.a, sx),
        sa == -2147483647 - 1 ? 0 : std::abs(sa),
        sx == std::numeric_limits<long long>::min() ? 0 : (sx < 0 ? -sx : sx),
    };
}

TEST("integer intrinsics agree with arithmetic on the host")
{
    std::mt19937_64 random(1);
    std::vector<input> inputs;
    const u32 special[] = {0,          1,          2,          0x7fffffff, 0x80000000,
                           0xffffffff, 0x00800000, 0x007fffff, 31,         32};
    for (u32 a : special)
        for (u32 b : special)
            for (u32 c : {0u, 1u, 0x3210u, 0x7654u, 31u, 32u, 40u})
                inputs.push_back(
                    {a, b, c, static_cast<u64>(a) << 32 | b, static_cast<u64>(b) << 32 | c});
    for (int i = 0; i < 4000; ++i)
        inputs.push_back({static_cast<u32>(random() >> random() % 32), static_cast<u32>(random()),
                          static_cast<u32>(random()), random() >> random() % 64, random()});
    int n = static_cast<int>(inputs.size());
    ah_test::buffer<input> in(inputs);
    ah_test::buffer<output> out(n);
    evaluate<<<(n + 127) / 128, 128>>>(out.device(), in.device(), n);
    CHECK_LAUNCH();
    out.read();
    for (int i = 0; i < n; ++i) {
        std::vector<long long> want = expected(inputs[i]);
        for (std::size_t k = 0; k < want.size(); ++k)
            CHECK_CASE(out.host()[i].v[k] == want[k],
                       "row %zu of (%#x, %#x, %#x, %#llx, %#llx): %#llx, not %#llx", k, inputs[i].a,
                       inputs[i].b, inputs[i].c, inputs[i].x, inputs[i].y, out.host()[i].v[k],
                       want[k]);
    }
}

__global__ void dot_of_vectors(int *out, char4 a, char4 b, uchar4 c, uchar4 d)
{
    out[0] = __dp4a(a, b, 10);
    out[1] = static_cast<int>(__dp4a(c, d, 10u));
}

TEST("__dp4a takes vectors of four bytes")
{
    ah_test::buffer<int> out(2);
    dot_of_vectors<<<1, 1>>>(out.device(), make_char4(1, -2, 3, -128), make_char4(5, 6, -7, 127),
                             make_uchar4(1, 2, 255, 255), make_uchar4(3, 4, 255, 1));
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[0], 10 + 5 - 12 - 21 - 128 * 127);
    CHECK_EQ(out.read()[1], 10 + 3 + 8 + 255 * 255 + 255);
}

__global__ void read_clocks(long long *out)
{
    long long c = clock64(), w = wall_clock64();
    for (int i = 0; i < 50; ++i)
        __nanosleep(1000);
    out[0] = clock64() - c;
#if defined(__GFX11__)
    out[0] &= 0xfffff; /* its counter has 20 bits */
#endif
    out[1] = wall_clock64() - w;
    out[2] = clock() != 0;
}

TEST("the clocks go on while a kernel waits")
{
    ah_test::buffer<long long> out(3);
    read_clocks<<<1, 1>>>(out.device());
    CHECK_LAUNCH();
    CHECK(out.read()[0] > 0);
    CHECK(out.read()[1] > 0);
}

struct found {
    int fns32, fns64;
    unsigned int last32, last64;
};
__global__ void find_bits(found *out, const u64 *masks, const int *offsets, int n)
{
    int i = threadIdx.x;
    if (i < n)
        out[i] = {static_cast<int>(__fns32(masks[i], i % 32, offsets[i])),
                  static_cast<int>(__fns64(masks[i], i % 64, offsets[i])),
                  __lastbit_u32_u32(static_cast<u32>(masks[i])), __lastbit_u32_u64(masks[i])};
}
// Position of the n-th bit from base upwards (n > 0) or downwards (n < 0); of base itself for 0.
static int nth_bit(u64 mask, int base, int n, int bits)
{
    if (n == 0)
        return mask >> base & 1 ? base : -1;
    int step = n > 0 ? 1 : -1, left = n > 0 ? n : -n;
    for (int at = base; at >= 0 && at < bits; at += step)
        if ((mask >> at & 1) && --left == 0)
            return at;
    return -1;
}
TEST("the nth bit and the last bit are found in 32 and in 64 bits")
{
    std::vector<u64> masks = {
        0, 1, ~0ull, 0x8000000000000000ull, 0x100000000ull, 0xf0f0f0f0f0f0f0f0ull};
    std::vector<int> offsets;
    std::mt19937_64 random(4);
    while (masks.size() < 256)
        masks.push_back(random() & random());
    for (int i = 0; i < 256; ++i)
        offsets.push_back(i % 11 - 5);
    ah_test::buffer<u64> in(masks);
    ah_test::buffer<int> by(offsets);
    ah_test::buffer<found> out(256);
    find_bits<<<1, 256>>>(out.device(), in.device(), by.device(), 256);
    CHECK_LAUNCH();
    for (int i = 0; i < 256; ++i) {
        const found &f = out.read()[i];
        u32 low = static_cast<u32>(masks[i]);
        CHECK_EQ(f.fns32, nth_bit(low, i % 32, offsets[i], 32));
        CHECK_EQ(f.fns64, nth_bit(masks[i], i % 64, offsets[i], 64));
        CHECK_EQ(f.last32, low ? static_cast<u32>(__builtin_ctz(low)) : ~0u);
        CHECK_EQ(f.last64, masks[i] ? static_cast<u32>(__builtin_ctzll(masks[i])) : ~0u);
    }
}

struct counted {
    u32 bits32, bits64, once;
};
// hipcc makes the instruction that counts bits of such loops on NVIDIA.
template <typename T> __device__ u32 bits_in(T word)
{
    u32 bits = 0;
    for (; word; word &= word - 1)
        ++bits;
    return bits;
}
__global__ void count_bits(counted *out, const u64 *words, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    u64 word = words[i];
    u32 once = 7;
    do { /* also where there are none */
        word &= word - 1;
        ++once;
    } while (word);
    out[i] = {bits_in(static_cast<u32>(words[i])), bits_in(words[i]), once};
}
TEST("loops that clear one bit after another count them")
{
    std::vector<u64> words = {
        0, 1, ~0ull, 0x8000000000000000ull, 0x100000000ull, 0xf0f0f0f0f0f0f0f0ull};
    std::mt19937_64 random(5);
    while (words.size() < 256)
        words.push_back(random() & random());
    ah_test::buffer<u64> in(words);
    ah_test::buffer<counted> out(256);
    count_bits<<<1, 256>>>(out.device(), in.device(), 256);
    CHECK_LAUNCH();
    for (int i = 0; i < 256; ++i) {
        const u32 bits = static_cast<u32>(__builtin_popcountll(words[i]));
        const u32 low = static_cast<u32>(__builtin_popcount(static_cast<u32>(words[i])));
        CHECK_EQ(out.read()[i].bits32, low);
        CHECK_EQ(out.read()[i].bits64, bits);
        CHECK_EQ(out.read()[i].once, 7 + (bits ? bits : 1));
    }
}

HIP_TEST_MAIN
