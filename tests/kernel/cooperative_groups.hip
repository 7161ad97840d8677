// Cooperative groups: sizes, ranks, barriers and collective functions of blocks, tiles,
// coalesced threads and grids.
#include "../support/hip_test.h"

#include <algorithm>

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;
typedef unsigned long long mask;

static int linear(dim3 d)
{
    return static_cast<int>(d.x * d.y * d.z);
}

// ---- the block ----

struct block_facts {
    unsigned int size, rank, threads, free_size, free_rank, generic_size, generic_rank;
    unsigned int index[3], thread[3], dim[3];
    bool valid;
};
__global__ void describe_block(block_facts *out)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_group generic = block;
    int n = blockDim.x * blockDim.y * blockDim.z;
    int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    dim3 g = block.group_index(), t = block.thread_index(), d = block.group_dim();
    out[b * n + block.thread_rank()] = {block.size(),
                                        block.thread_rank(),
                                        block.num_threads(),
                                        cg::group_size(block),
                                        cg::thread_rank(block),
                                        generic.size(),
                                        generic.thread_rank(),
                                        {g.x, g.y, g.z},
                                        {t.x, t.y, t.z},
                                        {d.x, d.y, d.z},
                                        block.is_valid() && cg::is_valid(generic)};
}
TEST("a block knows its size and each thread its rank")
{
    for (dim3 threads : {dim3(100), dim3(8, 6, 3)}) {
        dim3 blocks(2, 2);
        int n = linear(threads);
        ah_test::buffer<block_facts> out(n * 4);
        describe_block<<<blocks, threads>>>(out.device());
        CHECK_LAUNCH();
        for (int i = 0; i < 4 * n; ++i) {
            const block_facts &f = out.read()[i];
            unsigned r = static_cast<unsigned>(i % n), size = static_cast<unsigned>(n);
            CHECK(f.size == size && f.threads == size && f.free_size == size &&
                  f.generic_size == size);
            CHECK(f.rank == r && f.free_rank == r && f.generic_rank == r && f.valid);
            CHECK(f.index[0] == static_cast<unsigned>(i / n % 2) &&
                  f.index[1] == static_cast<unsigned>(i / n / 2));
            CHECK(f.thread[0] == r % threads.x && f.thread[1] == r / threads.x % threads.y);
            CHECK(f.dim[0] == threads.x && f.dim[1] == threads.y && f.dim[2] == threads.z);
        }
    }
}

// Adds up over any group, in shared memory.
__device__ int sum_over(const cg::thread_group &g, int *scratch, int value)
{
    unsigned rank = g.thread_rank();
    for (unsigned step = g.size() / 2; step > 0; step /= 2) {
        scratch[rank] = value;
        g.sync();
        if (rank < step)
            value += scratch[rank + step];
        g.sync();
    }
    return value; /* of the first */
}
__global__ void sum_groups(int *block_sum, int *tile_sums, const int *in, int tile)
{
    __shared__ int scratch[256];
    cg::thread_block block = cg::this_thread_block();
    int v = in[block.thread_rank()];
    int whole = sum_over(block, scratch, v);
    if (block.thread_rank() == 0)
        *block_sum = whole;
    cg::sync(block);
    cg::thread_group part = cg::tiled_partition(block, tile);
    int first = block.thread_rank() / tile * tile;
    int of_part = sum_over(part, scratch + first, v);
    if (part.thread_rank() == 0)
        tile_sums[block.thread_rank() / tile] = of_part;
}
TEST("a block and the tiles of a block add up with their own barriers")
{
    std::vector<int> numbers(256);
    for (int i = 0; i < 256; ++i)
        numbers[i] = i * i - 1000;
    ah_test::buffer<int> in(numbers);
    for (int tile = 1; tile <= ah_test::warp_size(); tile *= 2) {
        ah_test::buffer<int> block_sum(1), tile_sums(256 / tile);
        sum_groups<<<1, 256>>>(block_sum.device(), tile_sums.device(), in.device(), tile);
        CHECK_LAUNCH();
        int all = 0;
        for (int t = 0; t < 256 / tile; ++t) {
            int want = 0;
            for (int i = 0; i < tile; ++i)
                want += numbers[t * tile + i];
            CHECK_EQ(tile_sums.read()[t], want);
            all += want;
        }
        CHECK_EQ(block_sum.read()[0], all);
    }
}

// ---- tiles known to the compiler ----

struct tile_facts {
    unsigned size, rank, meta_rank, meta_size;
    int down, up, across, from;
    mask ballot, match, match_all;
    int any, all, pred;
};
template <unsigned n> __global__ void use_tile(tile_facts *out)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<n> tile = cg::tiled_partition<n>(block);
    int r = static_cast<int>(block.thread_rank());
    tile_facts f;
    f.size = tile.size();
    f.rank = tile.thread_rank();
    f.meta_rank = tile.meta_group_rank();
    f.meta_size = tile.meta_group_size();
    f.down = tile.shfl_down(r, 1);
    f.up = tile.shfl_up(r, 1);
    f.across = tile.shfl_xor(r, n / 2);
    f.from = tile.shfl(r, n - 1);
    f.ballot = tile.ballot(r % 3 == 0);
    f.any = tile.any(r == 5) != 0;
    f.all = tile.all(r < 40) != 0;
    f.match = tile.match_any(r % 2);
    f.match_all = tile.match_all(r / static_cast<int>(n), f.pred);
    tile.sync();
    out[r] = f;
}
template <unsigned n> void check_tile()
{
    if (n > static_cast<unsigned>(ah_test::warp_size()))
        return;
    const int threads = 128, size = n;
    ah_test::buffer<tile_facts> out(threads);
    use_tile<n><<<1, threads>>>(out.device());
    CHECK_LAUNCH();
    for (int i = 0; i < threads; ++i) {
        const tile_facts &f = out.read()[i];
        int first = i / size * size, rank = i % size;
        mask ballot = 0, match = 0;
        int any = 0, all = 1;
        for (int j = 0; j < size; ++j) {
            ballot |= static_cast<mask>((first + j) % 3 == 0) << j;
            match |= static_cast<mask>((first + j) % 2 == i % 2) << j;
            any |= first + j == 5;
            all &= first + j < 40;
        }
        CHECK(f.size == n && f.rank == static_cast<unsigned>(rank));
        CHECK(f.meta_rank == static_cast<unsigned>(i / size) && f.meta_size == threads / n);
        CHECK_EQ(f.down, rank + 1 < size ? i + 1 : i);
        CHECK_EQ(f.up, rank > 0 ? i - 1 : i);
        CHECK_EQ(f.across, size > 1 ? first + (rank ^ (size / 2)) : i);
        CHECK_EQ(f.from, first + size - 1);
        CHECK_EQ(f.ballot, ballot);
        CHECK_EQ(f.any, any);
        CHECK_EQ(f.all, all);
        CHECK_EQ(f.match, match);
        CHECK_EQ(f.match_all, size == 64 ? ~0ull : (1ull << size) - 1);
        CHECK(f.pred != 0);
    }
}
TEST("tiles of every size shuffle, vote and match among themselves")
{
    check_tile<1>(), check_tile<2>(), check_tile<4>(), check_tile<8>();
    check_tile<16>(), check_tile<32>(), check_tile<64>();
}

__global__ void nest_tiles(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile16 = cg::tiled_partition<16>(block);
    auto tile4 = cg::tiled_partition<4>(tile16);
    cg::thread_block_tile<4> plain = tile4;
    int sum = threadIdx.x;
    for (unsigned i = tile4.size() / 2; i > 0; i /= 2)
        sum += tile4.shfl_down(sum, i);
    sum = plain.shfl(sum, 0);
    out[threadIdx.x] =
        sum * 1000 + static_cast<int>(tile4.meta_group_rank() * 100 + tile4.meta_group_size() * 10 +
                                      plain.meta_group_rank());
}
TEST("a tile of a tile counts among its siblings")
{
    ah_test::buffer<int> out(64);
    nest_tiles<<<1, 64>>>(out.device());
    CHECK_LAUNCH();
    for (int i = 0; i < 64; ++i) {
        int first = i / 4 * 4, sum = 4 * first + 6, meta = i % 16 / 4;
        CHECK_EQ(out.read()[i], sum * 1000 + meta * 100 + 40 + meta);
    }
}

// ---- coalesced threads ----

struct lane_facts {
    unsigned size, rank;
    int from_first, down, up;
    mask ballot, match;
    int any, all;
    unsigned part_size, part_rank, tile_size, tile_rank, tile_meta;
};
__global__ void use_lanes(lane_facts *out, int modulus)
{
    int i = threadIdx.x;
    out[i].size = 0;
    if (i % modulus == 1 % modulus) {
        cg::coalesced_group g = cg::coalesced_threads();
        lane_facts f;
        f.size = g.size();
        f.rank = g.thread_rank();
        f.from_first = g.shfl(i, 0);
        f.down = g.shfl_down(i, 1);
        f.up = g.shfl_up(i, 2);
        f.ballot = g.ballot(i % 2);
        f.match = g.match_any(i / 8);
        f.any = g.any(i == 1) != 0;
        f.all = g.all(i < 30) != 0;
        g.sync();
        cg::coalesced_group part = cg::binary_partition(g, g.thread_rank() % 2 == 0);
        f.part_size = part.size();
        f.part_rank = part.thread_rank();
        cg::coalesced_group tile = cg::tiled_partition(g, 4);
        f.tile_size = tile.size();
        f.tile_rank = tile.thread_rank();
        f.tile_meta = tile.meta_group_rank();
        out[i] = f;
    }
}
TEST("the threads that run together form a group")
{
    int w = ah_test::warp_size();
    for (int modulus : {1, 2, 3, 7}) {
        ah_test::buffer<lane_facts> out(w);
        use_lanes<<<1, w>>>(out.device(), modulus);
        CHECK_LAUNCH();
        std::vector<int> members;
        for (int i = 0; i < w; ++i)
            if (i % modulus == 1 % modulus)
                members.push_back(i);
        unsigned n = static_cast<unsigned>(members.size());
        /* lanes may run in several groups; where they ran as one, check it all */
        if (out.read()[members[0]].size != n)
            continue;
        for (unsigned r = 0; r < n; ++r) {
            const lane_facts &f = out.read()[members[r]];
            mask ballot = 0, match = 0;
            int any = 0, all = 1;
            for (unsigned j = 0; j < n; ++j) {
                ballot |= static_cast<mask>(members[j] % 2) << j;
                match |= static_cast<mask>(members[j] / 8 == members[r] / 8) << j;
                any |= members[j] == 1;
                all &= members[j] < 30;
            }
            CHECK(f.size == n && f.rank == r);
            CHECK_EQ(f.from_first, members[0]);
            CHECK_EQ(f.down, r + 1 < n ? members[r + 1] : members[r]);
            CHECK_EQ(f.up, r >= 2 ? members[r - 2] : members[r]);
            CHECK_EQ(f.ballot, ballot);
            CHECK_EQ(f.match, match);
            CHECK_EQ(f.any, any);
            CHECK_EQ(f.all, all);
            CHECK_EQ(f.part_size, r % 2 == 0 ? (n + 1) / 2 : n / 2);
            CHECK_EQ(f.part_rank, r / 2);
            CHECK_EQ(f.tile_size, std::min(4u, n - r / 4 * 4));
            CHECK_EQ(f.tile_rank, r % 4);
            CHECK_EQ(f.tile_meta, r / 4);
        }
    }
}

__global__ void count_by_group(int *counter, int *handed_out, int modulus)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % modulus == 0) {
        cg::coalesced_group g = cg::coalesced_threads();
        int base = 0;
        if (g.thread_rank() == 0)
            base = atomicAdd(counter, static_cast<int>(g.size()));
        handed_out[i] = g.shfl(base, 0) + static_cast<int>(g.thread_rank());
    }
}
TEST("one addition for a group gives each of its threads a number")
{
    const int n = 2000;
    for (int modulus : {1, 2, 5}) {
        ah_test::buffer<int> counter(1), out(n);
        count_by_group<<<n / 100, 100>>>(counter.device(), out.device(), modulus);
        CHECK_LAUNCH();
        std::vector<int> seen((n + modulus - 1) / modulus);
        CHECK_EQ(counter.read()[0], static_cast<int>(seen.size()));
        for (int i = 0; i < n; i += modulus) {
            int got = out.read()[i];
            CHECK(got >= 0 && got < static_cast<int>(seen.size()));
            if (got >= 0 && got < static_cast<int>(seen.size()))
                ++seen[got];
        }
        for (int s : seen)
            CHECK_EQ(s, 1);
    }
}

__global__ void single_thread_group(int *out)
{
    cg::thread_group me = cg::this_thread();
    me.sync();
    out[threadIdx.x] = static_cast<int>(me.size() * 10 + me.thread_rank());
}
TEST("a thread is a group of one")
{
    ah_test::buffer<int> out(40);
    single_thread_group<<<1, 40>>>(out.device());
    CHECK_LAUNCH();
    for (int v : out.read())
        CHECK_EQ(v, 10);
}

__global__ void size_of_tiles(int *out, unsigned int tile)
{
    cg::thread_group part = cg::tiled_partition(cg::this_thread_block(), tile);
    out[threadIdx.x] = static_cast<int>(part.size());
}
TEST("the last tile of a block may have fewer threads")
{
    for (int n : {1, 5, 32, 37}) {
        ah_test::buffer<int> out(n);
        size_of_tiles<<<1, n>>>(out.device(), 8);
        CHECK_LAUNCH();
        std::vector<int> &v = out.read();
        for (int i = 0; i < n; ++i)
            CHECK_CASE(v[i] == std::min(8, n - i / 8 * 8), "thread %d of %d: %d", i, n, v[i]);
    }
}

// ---- parts by label, reductions and scans ----

struct part_facts {
    unsigned size, rank, meta_rank, meta_size;
};
__global__ void part_by_label(part_facts *of_lanes, part_facts *of_tile, const int *labels, int odd)
{
    int i = threadIdx.x;
    if (i % odd == 0) {
        cg::coalesced_group part = cg::labeled_partition(cg::coalesced_threads(), labels[i]);
        part.sync();
        of_lanes[i] = {part.size(), part.thread_rank(), part.meta_group_rank(),
                       part.meta_group_size()};
    }
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    cg::coalesced_group part = cg::labeled_partition(tile, labels[i]);
    of_tile[i] = {part.size(), part.thread_rank(), part.meta_group_rank(), part.meta_group_size()};
}
// The facts of one thread, from the labels of the threads that take part.
static part_facts facts_of(const std::vector<int> &labels, const std::vector<int> &members, int i)
{
    part_facts f = {0, 0, 0, 0};
    std::vector<int> seen;
    for (int j : members) {
        bool mine = labels[j] == labels[i];
        if (std::find(seen.begin(), seen.end(), labels[j]) == seen.end()) {
            if (mine)
                f.meta_rank = static_cast<unsigned>(seen.size());
            seen.push_back(labels[j]);
        }
        f.size += mine;
        f.rank += mine && j < i;
    }
    f.meta_size = static_cast<unsigned>(seen.size());
    return f;
}
TEST("threads of one label form a group")
{
    int w = ah_test::warp_size();
    for (int odd : {1, 3}) {
        std::vector<int> labels(w), lanes;
        for (int i = 0; i < w; ++i)
            labels[i] = 70 - i * i % 5;
        for (int i = 0; i < w; i += odd)
            lanes.push_back(i);
        ah_test::buffer<int> in(labels);
        ah_test::buffer<part_facts> of_lanes(w), of_tile(w);
        part_by_label<<<1, w>>>(of_lanes.device(), of_tile.device(), in.device(), odd);
        CHECK_LAUNCH();
        auto same = [](const part_facts &a, const part_facts &b) {
            return a.size == b.size && a.rank == b.rank && a.meta_rank == b.meta_rank &&
                   a.meta_size == b.meta_size;
        };
        for (int i = 0; i < w; ++i) {
            std::vector<int> tile;
            for (int j = i / 16 * 16; j < i / 16 * 16 + 16; ++j)
                tile.push_back(j);
            CHECK_CASE(same(of_tile.read()[i], facts_of(labels, tile, i)), "tile, lane %d", i);
            CHECK_CASE(i % odd != 0 || same(of_lanes.read()[i], facts_of(labels, lanes, i)),
                       "lanes, lane %d", i);
        }
    }
}

struct collected {
    int sum, least, bits, inclusive, exclusive, greatest_so_far;
    double real;
};
template <class Group> __device__ collected collect(const Group &g, int v)
{
    return {cg::reduce(g, v, cg::plus<int>()),
            cg::reduce(g, v, cg::less<int>()),
            cg::reduce(g, v, cg::bit_xor<int>()),
            cg::inclusive_scan(g, v),
            cg::exclusive_scan(g, v),
            cg::inclusive_scan(g, v, cg::greater<int>()),
            cg::reduce(g, v * 0.5, [](double a, double b) { return a + b; })};
}
__global__ void collect_all(collected *tiles, collected *lanes, const int *in)
{
    int i = threadIdx.x;
    tiles[i] = collect(cg::tiled_partition<8>(cg::this_thread_block()), in[i]);
    if (i % 3 == 1)
        lanes[i] = collect(cg::coalesced_threads(), in[i]);
}
TEST("groups reduce and scan")
{
    int w = ah_test::warp_size();
    std::vector<int> numbers;
    for (int i = 0; i < w; ++i)
        numbers.push_back((i * 37 + 11) % 64 - 20);
    ah_test::buffer<int> in(numbers);
    ah_test::buffer<collected> tiles(w), lanes(w);
    collect_all<<<1, w>>>(tiles.device(), lanes.device(), in.device());
    CHECK_LAUNCH();
    for (int i = 0; i < w; ++i)
        for (bool tile : {true, false}) {
            if (!tile && i % 3 != 1)
                continue;
            collected want = {0, 1000, 0, 0, 0, -1000, 0};
            for (int j = tile ? i / 8 * 8 : 1; j < (tile ? i / 8 * 8 + 8 : w); j += tile ? 1 : 3) {
                int v = numbers[j];
                want.sum += v, want.least = std::min(want.least, v), want.bits ^= v;
                want.inclusive += j <= i ? v : 0;
                want.exclusive += j < i ? v : 0;
                want.greatest_so_far = std::max(want.greatest_so_far, j <= i ? v : -1000);
                want.real += v * 0.5;
            }
            const collected &got = (tile ? tiles : lanes).read()[i];
            CHECK_CASE(got.sum == want.sum && got.least == want.least && got.bits == want.bits &&
                           got.real == want.real,
                       "reductions of a %s, lane %d", tile ? "tile" : "group", i);
            CHECK_CASE(got.inclusive == want.inclusive && got.exclusive == want.exclusive &&
                           got.greatest_so_far == want.greatest_so_far,
                       "scans of a %s, lane %d", tile ? "tile" : "group", i);
        }
}

// ---- the grid ----

__global__ void ask_multi_grid(unsigned *out)
{
    cg::multi_grid_group all = cg::this_multi_grid();
    cg::thread_group group = all;
    out[0] = all.is_valid() || cg::is_valid(group);
    out[1] = all.size() + all.thread_rank() + all.num_grids() + all.grid_rank();
}
TEST("a multi-grid group says that it is not valid")
{
    ah_test::buffer<unsigned> out({7, 7});
    ask_multi_grid<<<1, 1>>>(out.device());
    CHECK_LAUNCH();
    CHECK(out.read()[0] == 0 && out.read()[1] == 0);
}

__global__ void ask_ordinary_grid(int *out)
{
    *out = cg::this_grid().is_valid() || cg::this_multi_grid().is_valid();
}
// First, since NVIDIA's driver leaves the workspace of a cooperative launch to those after it.
TEST("the grid of an ordinary launch is not valid as a group")
{
    ah_test::buffer<int> out({7});
    ask_ordinary_grid<<<1, 1>>>(out.device());
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[0], 0);
}

__global__ void pass_through_grid(int *data, int *valid, int rounds)
{
    cg::grid_group grid = cg::this_grid();
    int n = static_cast<int>(grid.size()), me = static_cast<int>(grid.thread_rank());
    valid[me] = grid.is_valid() && cg::group_size(grid) == grid.size();
    int *from = data, *to = data + n;
    for (int i = 0; i < rounds; ++i) {
        to[me] = from[(me + 1) % n] + 1; /* a neighbour in another block now and then */
        grid.sync();
        int *other = from;
        from = to;
        to = other;
    }
}
TEST("a cooperative launch lets the whole grid wait for itself")
{
    int cooperative = 0;
    CHECK_HIP(hipDeviceGetAttribute(&cooperative, hipDeviceAttributeCooperativeLaunch, 0));
    CHECK(cooperative != 0);
    if (!cooperative)
        SKIP("the device has no cooperative launches");
    const int blocks = 4, threads = 96, n = blocks * threads;
    for (int rounds : {1, 2, 7}) {
        std::vector<int> start(2 * n);
        for (int i = 0; i < n; ++i)
            start[i] = i * 10;
        ah_test::buffer<int> data(start), valid(n);
        int *d = data.device(), *v = valid.device(), r = rounds;
        void *arguments[] = {&d, &v, &r};
        CHECK_HIP(hipLaunchCooperativeKernel(reinterpret_cast<const void *>(pass_through_grid),
                                             dim3(blocks), dim3(threads), arguments, 0, nullptr));
        CHECK_LAUNCH();
        const std::vector<int> &out = data.read();
        for (int i = 0; i < n; ++i) {
            CHECK_EQ(out[(rounds % 2 ? n : 0) + i], (i + rounds) % n * 10 + rounds);
            CHECK_EQ(valid.read()[i], 1);
        }
    }
}

HIP_TEST_MAIN
