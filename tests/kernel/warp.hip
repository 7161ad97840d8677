// Votes, matches, shuffles and reductions across the lanes of a warp, of 32 or 64 lanes.
#include "../support/hip_test.h"

#include <hip/hip_fp16.h>
#include <hip/hip_bf16.h>

typedef unsigned long long mask;

static mask all_lanes()
{
    return ah_test::warp_size() == 64 ? ~0ull : 0xffffffffull;
}

// ---- shuffles ----

enum pattern { from, up, down, across };

template <typename T> struct shuffled {
    T plain, masked;
};

template <typename T>
__global__ void shuffle(shuffled<T> *out, const T *in, const int *arguments, int width, pattern p)
{
    int i = threadIdx.x;
    T v = in[i];
    int a = arguments[i % warpSize];
    unsigned long long m = ~0ull;
    switch (p) {
    case from:
        out[i] = {__shfl(v, a, width), __shfl_sync(m, v, a, width)};
        break;
    case up:
        out[i] = {__shfl_up(v, a, width), __shfl_up_sync(m, v, a, width)};
        break;
    case down:
        out[i] = {__shfl_down(v, a, width), __shfl_down_sync(m, v, a, width)};
        break;
    case across:
        out[i] = {__shfl_xor(v, a, width), __shfl_xor_sync(m, v, a, width)};
        break;
    }
}

// The lane whose value a lane gets.
static int source(pattern p, int lane, int a, int width)
{
    int group = lane / width * width, in_group = lane % width;
    switch (p) {
    case from:
        return group + (a & (width - 1));
    case up:
        return a > in_group ? lane : lane - a;
    case down:
        return in_group + a >= width ? lane : lane + a;
    default:
        return (lane ^ a) >= group + width ? lane : lane ^ a;
    }
}

template <typename T> T value_for(int i)
{
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(0x9e3779b97f4a7c15ull * static_cast<unsigned long long>(i + 1));
    else
        return T(static_cast<float>(i) * 0.25f - 3.0f);
}

template <typename T> bool same_bits(const T &a, const T &b)
{
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <typename T> void check_shuffles(const char *type)
{
    int w = ah_test::warp_size(), n = 3 * w;
    std::vector<T> values;
    for (int i = 0; i < n; ++i)
        values.push_back(value_for<T>(i));
    ah_test::buffer<T> in(values);
    for (int width = 1; width <= w; width *= 2)
        for (pattern p : {from, up, down, across}) {
            std::vector<int> arguments(w);
            for (int round = 0; round < 3; ++round) {
                for (int lane = 0; lane < w; ++lane)
                    arguments[lane] = p == from ? (round == 0   ? 0
                                                   : round == 1 ? (lane * 5 + 3) % width
                                                                : width - 1)
                                      /* every lane the same distance: 1, half, past the end */
                                      : round == 0 ? 1
                                      : round == 1 ? (width + 1) / 2
                                                   : (p == across ? w - 1 : width + 1);
                ah_test::buffer<int> a(arguments);
                ah_test::buffer<shuffled<T>> out(n);
                shuffle<<<1, n>>>(out.device(), in.device(), a.device(), width, p);
                CHECK_LAUNCH();
                std::vector<shuffled<T>> &got = out.read();
                for (int i = 0; i < n; ++i) {
                    int s = i / w * w + source(p, i % w, arguments[i % w], width);
                    CHECK_CASE(same_bits(got[i].plain, values[s]),
                               "%s, pattern %d, width %d, argument %d, lane %d", type, p, width,
                               arguments[i % w], i % w);
                    CHECK_CASE(same_bits(got[i].masked, values[s]),
                               "_sync %s, pattern %d, width %d, argument %d, lane %d", type, p,
                               width, arguments[i % w], i % w);
                }
            }
        }
}

TEST("shuffles move 32-bit values")
{
    check_shuffles<int>("int"), check_shuffles<unsigned>("unsigned");
}
TEST("shuffles move floats")
{
    check_shuffles<float>("float");
}
TEST("shuffles move 64-bit integers")
{
    check_shuffles<long>("long");
    check_shuffles<unsigned long>("unsigned long");
    check_shuffles<long long>("long long");
    check_shuffles<unsigned long long>("unsigned long long");
}
TEST("shuffles move doubles")
{
    check_shuffles<double>("double");
}
TEST("shuffles move half precision numbers and pairs of them")
{
    check_shuffles<__half>("__half");
    check_shuffles<__hip_bfloat16>("__hip_bfloat16");
}

__global__ void move_pairs(__half2 *out, __hip_bfloat162 *bout)
{
    int lane = threadIdx.x;
    __half2 h = __floats2half2_rn(static_cast<float>(lane), static_cast<float>(-lane));
    __hip_bfloat162 b = __floats2bfloat162_rn(static_cast<float>(lane), static_cast<float>(-lane));
    out[lane] = __shfl_xor(h, 1);
    bout[lane] = __shfl_down(b, 1);
}

TEST("shuffles move pairs of half precision numbers")
{
    int w = ah_test::warp_size();
    ah_test::buffer<__half2> out(w);
    ah_test::buffer<__hip_bfloat162> bout(w);
    move_pairs<<<1, w>>>(out.device(), bout.device());
    CHECK_LAUNCH();
    for (int i = 0; i < w; ++i) {
        CHECK_EQ(__low2float(out.read()[i]), static_cast<float>(i ^ 1));
        CHECK_EQ(__high2float(out.read()[i]), static_cast<float>(-(i ^ 1)));
        int next = i + 1 < w ? i + 1 : i;
        CHECK_EQ(__low2float(bout.read()[i]), static_cast<float>(next));
        CHECK_EQ(__high2float(bout.read()[i]), static_cast<float>(-next));
    }
}

__global__ void sum_warps(const double *in, double *out)
{
    double v = in[threadIdx.x];
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        v += __shfl_down(v, offset);
    if (threadIdx.x % warpSize == 0)
        out[threadIdx.x / warpSize] = v;
}

TEST("a warp adds up its values with __shfl_down")
{
    int w = ah_test::warp_size(), warps = 4;
    std::vector<double> values;
    for (int i = 0; i < w * warps; ++i)
        values.push_back(i * 0.5);
    ah_test::buffer<double> in(values), out(warps);
    sum_warps<<<1, w * warps>>>(in.device(), out.device());
    CHECK_LAUNCH();
    for (int i = 0; i < warps; ++i) {
        double want = 0;
        for (int j = 0; j < w; ++j)
            want += values[i * w + j];
        CHECK_EQ(out.read()[i], want);
    }
}

// ---- votes ----

struct votes {
    mask ballot, ballot_sync, active;
    int any, all, any_sync, all_sync;
    mask above, below, self;
    unsigned int before;
};

__global__ void vote(votes *out, const int *predicates)
{
    int i = threadIdx.x, p = predicates[i];
    unsigned long long every = ~0ull >> (64 - warpSize);
    votes &v = out[i];
    v.ballot = __ballot(p);
    v.ballot_sync = __ballot_sync(every, p);
    v.active = __activemask();
    v.any = __any(p) != 0;
    v.all = __all(p) != 0;
    v.any_sync = __any_sync(every, p) != 0;
    v.all_sync = __all_sync(every, p) != 0;
    v.above = __lanemask_gt();
    v.below = __lanemask_lt();
    v.self = __lanemask_eq();
    mask b = v.ballot;
    v.before = __mbcnt_hi(static_cast<unsigned>(b >> 32), __mbcnt_lo(static_cast<unsigned>(b), 0));
}

TEST("votes see the predicate of every lane")
{
    int w = ah_test::warp_size();
    std::mt19937 random(3);
    for (int round = 0; round < 8; ++round) {
        std::vector<int> predicates(2 * w);
        for (int i = 0; i < 2 * w; ++i)
            predicates[i] = round == 0   ? 0
                            : round == 1 ? 256
                            : round == 2 ? (i % w == w - 1) * -1
                            : round == 3 ? i % w != 0
                                         : static_cast<int>(random() % 2) * 8;
        ah_test::buffer<int> in(predicates);
        ah_test::buffer<votes> out(2 * w);
        vote<<<1, 2 * w>>>(out.device(), in.device());
        CHECK_LAUNCH();
        for (int i = 0; i < 2 * w; ++i) {
            mask want = 0;
            for (int j = 0; j < w; ++j)
                want |= static_cast<mask>(predicates[i / w * w + j] != 0) << j;
            const votes &v = out.read()[i];
            int lane = i % w;
            CHECK_EQ(v.ballot, want);
            CHECK_EQ(v.ballot_sync, want);
            CHECK_EQ(v.active, all_lanes());
            CHECK_EQ(v.any, want != 0);
            CHECK_EQ(v.any_sync, want != 0);
            CHECK_EQ(v.all, want == all_lanes());
            CHECK_EQ(v.all_sync, want == all_lanes());
            CHECK_EQ(v.self, 1ull << lane);
            CHECK_EQ(v.below, (1ull << lane) - 1);
            CHECK_EQ(v.above, all_lanes() & ~((1ull << lane) | ((1ull << lane) - 1)));
            CHECK_EQ(v.before,
                     static_cast<unsigned>(__builtin_popcountll(want & ((1ull << lane) - 1))));
        }
    }
}

__global__ void vote_in_part(mask *active, mask *ballot, int *any, int *all, mask members)
{
    int lane = threadIdx.x;
    active[lane] = ballot[lane] = 0;
    any[lane] = all[lane] = -1;
    if (members >> lane & 1) {
        active[lane] = __activemask();
        ballot[lane] = __ballot_sync(members, lane % 3 == 0);
        any[lane] = __any_sync(members, lane % 3 == 0) != 0;
        all[lane] = __all_sync(members, lane < 1000) != 0;
    }
}

TEST("votes of some lanes leave the others out")
{
    int w = ah_test::warp_size();
    for (mask members : {0x1ull, 0x6ull, 0xaaaaaaaaaaaaaaaaull, 0x00000000ffff0001ull}) {
        members &= all_lanes();
        ah_test::buffer<mask> active(w), ballot(w);
        ah_test::buffer<int> any(w), all(w);
        vote_in_part<<<1, w>>>(active.device(), ballot.device(), any.device(), all.device(),
                               members);
        CHECK_LAUNCH();
        mask want = 0;
        for (int j = 0; j < w; j += 3)
            want |= 1ull << j;
        want &= members;
        for (int i = 0; i < w; ++i) {
            bool in = members >> i & 1;
            CHECK_EQ(ballot.read()[i], in ? want : 0);
            CHECK_EQ(any.read()[i], in ? want != 0 : -1);
            CHECK_EQ(all.read()[i], in ? 1 : -1);
            /* the lanes active together are some of the members, the lane itself among them */
            mask a = active.read()[i];
            CHECK((a & ~members) == 0 && (!in || (a >> i & 1)));
        }
    }
}

// ---- matches ----

template <typename T> struct matches {
    mask any, any_sync, all;
    int pred;
};

template <typename T> __global__ void match(matches<T> *out, const T *in)
{
    int i = threadIdx.x;
    unsigned long long every = ~0ull >> (64 - warpSize);
    matches<T> &m = out[i];
    m.any = __match_any(in[i]);
    m.any_sync = __match_any_sync(every, in[i]);
    m.all = __match_all_sync(every, in[i], &m.pred);
}

template <typename T> void check_matches()
{
    int w = ah_test::warp_size();
    std::mt19937 random(9);
    for (int kinds : {1, 2, 5, 1000}) {
        std::vector<T> values(w);
        for (T &v : values)
            v = value_for<T>(static_cast<int>(random() % kinds));
        ah_test::buffer<T> in(values);
        ah_test::buffer<matches<T>> out(w);
        match<<<1, w>>>(out.device(), in.device());
        CHECK_LAUNCH();
        for (int i = 0; i < w; ++i) {
            mask want = 0;
            for (int j = 0; j < w; ++j)
                want |= static_cast<mask>(values[i] == values[j]) << j;
            const matches<T> &m = out.read()[i];
            CHECK_EQ(m.any, want);
            CHECK_EQ(m.any_sync, want);
            CHECK_EQ(m.all, want == all_lanes() ? want : 0);
            CHECK_EQ(m.pred != 0, want == all_lanes());
        }
    }
}

TEST("matches find the lanes with the same value")
{
    check_matches<int>();
    check_matches<unsigned>();
    check_matches<long long>();
    check_matches<unsigned long>();
    check_matches<float>();
    check_matches<double>();
}

// ---- reductions ----

template <typename T> struct reduced {
    T sum, least, most;
};
template <typename T> __global__ void reduce(reduced<T> *out, const T *in, mask members)
{
    int lane = threadIdx.x;
    if (members >> lane & 1)
        out[lane] = {__reduce_add_sync(members, in[lane]), __reduce_min_sync(members, in[lane]),
                     __reduce_max_sync(members, in[lane])};
}
__global__ void reduce_bits(unsigned *out, const unsigned *in, mask members)
{
    int lane = threadIdx.x;
    if (members >> lane & 1) {
        out[3 * lane] = __reduce_and_sync(members, in[lane]);
        out[3 * lane + 1] = __reduce_or_sync(members, in[lane]);
        out[3 * lane + 2] = __reduce_xor_sync(members, in[lane]);
    }
}

template <typename T> void check_reductions()
{
    int w = ah_test::warp_size();
    std::vector<T> values;
    std::mt19937 random(17);
    for (int i = 0; i < w; ++i)
        values.push_back(static_cast<T>(static_cast<int>(random() % 2000)) -
                         (std::is_signed_v<T> ? T(1000) : T(0)));
    ah_test::buffer<T> in(values);
    for (mask members :
         {~0ull, 0xffull, 0xfbull, 0x8000000000000001ull, 0x10ull, 0x0f0f0f0f0f0f0f0full}) {
        members &= all_lanes();
        ah_test::buffer<reduced<T>> out(w);
        reduce<<<1, w>>>(out.device(), in.device(), members);
        CHECK_LAUNCH();
        T sum = 0, least = std::numeric_limits<T>::max(), most = std::numeric_limits<T>::lowest();
        for (int i = 0; i < w; ++i)
            if (members >> i & 1) {
                sum += values[i]; /* whole numbers: exact in any order */
                least = std::min(least, values[i]);
                most = std::max(most, values[i]);
            }
        for (int i = 0; i < w; ++i)
            if (members >> i & 1) {
                CHECK_EQ(out.read()[i].sum, sum);
                CHECK_EQ(out.read()[i].least, least);
                CHECK_EQ(out.read()[i].most, most);
            }
    }
}

TEST("reductions combine the values of the lanes in a mask")
{
    check_reductions<int>();
    check_reductions<unsigned>();
    check_reductions<long long>();
    check_reductions<unsigned long long>();
    check_reductions<float>();
    check_reductions<double>();
}
TEST("reductions combine the bits of the lanes in a mask")
{
    int w = ah_test::warp_size();
    std::vector<unsigned> values;
    std::mt19937 random(23);
    for (int i = 0; i < w; ++i)
        values.push_back(static_cast<unsigned>(random() | 0x10001000u));
    ah_test::buffer<unsigned> in(values);
    for (mask members : {~0ull, 0x7ull, 0xaaaaaaaaaaaaaaaaull}) {
        members &= all_lanes();
        ah_test::buffer<unsigned> out(3 * w);
        reduce_bits<<<1, w>>>(out.device(), in.device(), members);
        CHECK_LAUNCH();
        unsigned both = ~0u, either = 0, one = 0;
        for (int i = 0; i < w; ++i)
            if (members >> i & 1)
                both &= values[i], either |= values[i], one ^= values[i];
        for (int i = 0; i < w; ++i)
            if (members >> i & 1) {
                CHECK_EQ(out.read()[3 * i], both);
                CHECK_EQ(out.read()[3 * i + 1], either);
                CHECK_EQ(out.read()[3 * i + 2], one);
            }
    }
}

HIP_TEST_MAIN
