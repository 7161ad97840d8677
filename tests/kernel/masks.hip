// Warp functions under masks: every type and width of a shuffle among some lanes, matches and
// votes of some lanes, reductions of the types that HIP_ENABLE_EXTRA_WARP_SYNC_TYPES adds.
#define HIP_ENABLE_EXTRA_WARP_SYNC_TYPES
#include "../support/hip_test.h"

#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>

typedef unsigned long long mask;

static mask all_lanes()
{
    return ah_test::warp_size() == 64 ? ~0ull : 0xffffffffull;
}
static std::vector<mask> some_masks()
{
    std::vector<mask> masks;
    for (mask m : {0x1ull, 0xffull, 0xfbull, 0xf0ull, 0xaaaaaaaaaaaaaaaaull, 0xffff000000000000ull,
                   0x8000000080000001ull, 0x7ffffffffffffffeull})
        if (m & all_lanes())
            masks.push_back(m & all_lanes());
    return masks;
}

template <typename T> T value_for(int i)
{
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(0x9e3779b97f4a7c15ull * static_cast<mask>(i + 1));
    else
        return T(static_cast<float>(i) * 0.25f - 3.0f);
}
template <> __half2 value_for<__half2>(int i)
{
    return __half2(value_for<__half>(i), value_for<__half>(-i));
}
template <> __hip_bfloat162 value_for<__hip_bfloat162>(int i)
{
    return __hip_bfloat162(value_for<__hip_bfloat16>(i), value_for<__hip_bfloat16>(-i));
}

// ---- shuffles ----

template <typename T> struct moved {
    T from, up, down, across;
};
template <typename T>
__global__ void shuffle_some(moved<T> *out, const T *in, const int *sources, mask members,
                             int width)
{
    int lane = threadIdx.x;
    if (members >> lane & 1) {
        T v = in[lane];
        out[lane].from = __shfl_sync(members, v, sources[lane], width);
        out[lane].up = __shfl_up_sync(members, v, 1, width);
        out[lane].down = __shfl_down_sync(members, v, 1, width);
        out[lane].across = __shfl_xor_sync(members, v, 1, width);
    }
}
template <typename T> bool same_bits(const T &a, const T &b)
{
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}
template <typename T> void check_shuffles(const char *type)
{
    int w = ah_test::warp_size();
    std::vector<T> values;
    for (int i = 0; i < w; ++i)
        values.push_back(value_for<T>(i));
    ah_test::buffer<T> in(values);
    for (mask members : some_masks())
        for (int width = 2; width <= w; width *= 2) {
            /* every lane reads from a member of its own group, where there is one besides */
            std::vector<int> sources(w);
            for (int i = 0; i < w; ++i) {
                int first = i / width * width;
                sources[i] = i % width;
                for (int j = first; j < first + width; ++j)
                    if (members >> j & 1)
                        sources[i] = j - first;
            }
            ah_test::buffer<int> from(sources);
            ah_test::buffer<moved<T>> out(w);
            shuffle_some<<<1, w>>>(out.device(), in.device(), from.device(), members, width);
            CHECK_LAUNCH();
            std::vector<moved<T>> &got = out.read();
            auto member = [&](int lane) { return members >> lane & 1; };
            for (int i = 0; i < w; ++i) {
                if (!member(i))
                    continue;
                int first = i / width * width, last = first + width - 1;
                int up = i > first ? i - 1 : i, down = i < last ? i + 1 : i;
                /* what a lane outside the mask has is undefined */
                CHECK_CASE(same_bits(got[i].from, values[first + sources[i]]) &&
                               (!member(up) || same_bits(got[i].up, values[up])) &&
                               (!member(down) || same_bits(got[i].down, values[down])) &&
                               (!member(i ^ 1) || same_bits(got[i].across, values[i ^ 1])),
                           "%s, mask %llx, width %d, lane %d", type, members, width, i);
            }
        }
}
TEST("shuffles of some lanes move every type in every width")
{
    check_shuffles<int>("int"), check_shuffles<unsigned>("unsigned");
    check_shuffles<long>("long"), check_shuffles<unsigned long>("unsigned long");
    check_shuffles<long long>("long long"), check_shuffles<mask>("unsigned long long");
    check_shuffles<float>("float"), check_shuffles<double>("double");
    check_shuffles<__half>("__half"), check_shuffles<__half2>("__half2");
    check_shuffles<__hip_bfloat16>("__hip_bfloat16");
    check_shuffles<__hip_bfloat162>("__hip_bfloat162");
}

// ---- matches ----

struct matched {
    mask any, all;
    int pred;
};
template <typename T> __global__ void match_some(matched *out, const T *in, mask members)
{
    int lane = threadIdx.x;
    if (members >> lane & 1) {
        out[lane].any = __match_any_sync(members, in[lane]);
        out[lane].all = __match_all_sync(members, in[lane], &out[lane].pred);
    }
}
template <typename T> void check_matches(const char *type)
{
    int w = ah_test::warp_size();
    for (int kinds : {1, 3})
        for (mask members : some_masks()) {
            std::vector<T> values;
            for (int i = 0; i < w; ++i) /* the others have a value of their own */
                values.push_back(value_for<T>(members >> i & 1 ? i % kinds : 100 + i));
            ah_test::buffer<T> in(values);
            ah_test::buffer<matched> out(w);
            match_some<<<1, w>>>(out.device(), in.device(), members);
            CHECK_LAUNCH();
            for (int i = 0; i < w; ++i) {
                if (!(members >> i & 1))
                    continue;
                mask want = 0;
                for (int j = 0; j < w; ++j)
                    want |= static_cast<mask>((members >> j & 1) && values[i] == values[j]) << j;
                const matched &m = out.read()[i];
                CHECK_CASE(m.any == want, "%s, mask %llx, lane %d: %llx, not %llx", type, members,
                           i, m.any, want);
                CHECK_CASE(m.all == (want == members ? members : 0) &&
                               (m.pred != 0) == (want == members),
                           "%s, all, mask %llx, lane %d: %llx", type, members, i, m.all);
            }
        }
}
TEST("matches of some lanes leave the others out")
{
    check_matches<int>("int"), check_matches<unsigned>("unsigned");
    check_matches<long>("long"), check_matches<unsigned long>("unsigned long");
    check_matches<long long>("long long"), check_matches<mask>("unsigned long long");
    check_matches<float>("float"), check_matches<double>("double");
}

template <typename T> __global__ void match_whole(matched *out, const T *in)
{
    matched &m = out[threadIdx.x];
    m.any = __match_any(in[threadIdx.x]);
    m.all = __match_all(in[threadIdx.x], &m.pred);
}
template <typename T> void check_whole()
{
    int w = ah_test::warp_size();
    for (bool alike : {true, false}) {
        std::vector<T> values(w, value_for<T>(1));
        if (!alike)
            values[w - 1] = value_for<T>(2);
        ah_test::buffer<T> in(values);
        ah_test::buffer<matched> out(w);
        match_whole<<<1, w>>>(out.device(), in.device());
        CHECK_LAUNCH();
        mask last = 1ull << (w - 1);
        for (int i = 0; i < w; ++i) {
            const matched &m = out.read()[i];
            CHECK_EQ(m.all, alike ? all_lanes() : 0);
            CHECK_EQ(m.pred != 0, alike);
            CHECK_EQ(m.any, alike ? all_lanes() : i == w - 1 ? last : all_lanes() & ~last);
        }
    }
}
TEST("all lanes match or none")
{
    check_whole<int>(), check_whole<unsigned>(), check_whole<long>(), check_whole<unsigned long>();
    check_whole<long long>(), check_whole<mask>(), check_whole<float>(), check_whole<double>();
}

// ---- reductions ----

template <typename T> struct reduced {
    T sum, least, most, both, either, one;
};
template <typename T> __global__ void reduce_some(reduced<T> *out, const T *in, mask members)
{
    int lane = threadIdx.x;
    if (members >> lane & 1) {
        T v = in[lane];
        out[lane].sum = __reduce_add_sync(members, v);
        out[lane].least = __reduce_min_sync(members, v);
        out[lane].most = __reduce_max_sync(members, v);
        if constexpr (std::is_integral_v<T>) {
            out[lane].both = __reduce_and_sync(members, v);
            out[lane].either = __reduce_or_sync(members, v);
            out[lane].one = __reduce_xor_sync(members, v);
        }
    }
}
template <typename T> void check_reductions(const char *type)
{
    int w = ah_test::warp_size();
    std::vector<T> values;
    std::mt19937 random(17);
    for (int i = 0; i < w; ++i) /* whole numbers, of which a half can add up 64 */
        values.push_back(T(static_cast<float>(random() % 60) - (std::is_unsigned_v<T> ? 0 : 30)));
    ah_test::buffer<T> in(values);
    std::vector<mask> masks = some_masks();
    masks.push_back(all_lanes());
    for (mask members : masks) {
        ah_test::buffer<reduced<T>> out(w);
        reduce_some<<<1, w>>>(out.device(), in.device(), members);
        CHECK_LAUNCH();
        double sum = 0, least = 1e9, most = -1e9;
        mask both = ~0ull, either = 0, one = 0;
        for (int i = 0; i < w; ++i)
            if (members >> i & 1) {
                double v = static_cast<double>(static_cast<float>(values[i]));
                sum += v, least = std::min(least, v), most = std::max(most, v);
                if constexpr (std::is_integral_v<T>)
                    both &= values[i], either |= values[i], one ^= values[i];
            }
        for (int i = 0; i < w; ++i) {
            if (!(members >> i & 1))
                continue;
            const reduced<T> &r = out.read()[i];
            CHECK_CASE(static_cast<float>(r.sum) == sum && static_cast<float>(r.least) == least &&
                           static_cast<float>(r.most) == most,
                       "%s, mask %llx, lane %d", type, members, i);
            if constexpr (std::is_integral_v<T>)
                CHECK_CASE(r.both == static_cast<T>(both) && r.either == static_cast<T>(either) &&
                               r.one == static_cast<T>(one),
                           "bits of %s, mask %llx, lane %d", type, members, i);
        }
    }
}
TEST("reductions take the extra types")
{
    check_reductions<int>("int"), check_reductions<unsigned>("unsigned");
    check_reductions<long long>("long long"), check_reductions<mask>("unsigned long long");
    check_reductions<float>("float"), check_reductions<double>("double");
    check_reductions<__half>("__half");
}

HIP_TEST_MAIN
