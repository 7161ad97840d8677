/* Cooperative groups. Groups within a warp are masks of lanes over the functions of warp.h;
 * the block is __syncthreads; the grid is a barrier in memory that a cooperative launch
 * provides, and so are the grids of a launch on several devices.
 *
 * What a launch passes to its kernels (docs/kernel-abi.md): on NVIDIA the driver gives the address
 * of the grid's workspace in %envreg1:%envreg2, and the runtime writes the place among several
 * grids into a variable; on AMD the implicit argument hidden_multigrid_sync_arg leads to both.
 * The second word of the workspace is the grid's barrier, zero at first. What a launch does not
 * have is null, or a place of zeros. */
#ifndef HIP_DEVICE_COOPERATIVE_GROUPS_H
#define HIP_DEVICE_COOPERATIVE_GROUPS_H

#include "hip/device/atomics.h"
#include "hip/device/clock.h"
#include "hip/device/index.h"
#include "hip/device/intrinsics.h"
#include "hip/device/sync.h"
#include "hip/device/warp.h"

#define __AH_FN     __device__ inline __attribute__((always_inline))
#define __AH_STATIC static __device__ inline __attribute__((always_inline))

namespace __ah
{
__AH_STATIC unsigned int block_size() { return threads_x() * threads_y() * threads_z(); }
__AH_STATIC unsigned int rank_in_block()
{
    return (thread_z() * threads_y() + thread_y()) * threads_x() + thread_x();
}
__AH_STATIC unsigned int grid_blocks() { return blocks_x() * blocks_y() * blocks_z(); }
__AH_STATIC unsigned int block_rank()
{
    return (block_z() * blocks_y() + block_y()) * blocks_x() + block_x();
}
__AH_STATIC unsigned int rank_in_grid() { return block_rank() * block_size() + rank_in_block(); }

/* The threads in the caller's tile of the block: the last tile may have fewer than its size. */
__AH_STATIC unsigned int tile_members(unsigned int tile_size)
{
    unsigned int rest = block_size() - (rank_in_block() & ~(tile_size - 1));
    return rest < tile_size ? rest : tile_size;
}

/* A grid's place in a launch on several devices. */
struct multi_grid {
    unsigned long long barrier; /* address of memory that all devices see */
    unsigned int rank, count;   /* of grids */
    unsigned long long before;  /* threads of the grids of lower rank */
    unsigned long long all;     /* threads of all grids */
};

#if defined(__NVPTX__)
/* Not always inline, and not static: the runtime looks for this variable by its name. */
__device__ inline const multi_grid *multi_grid_var()
{
    static __device__ multi_grid place;
    return &place;
}
#elif defined(__AMDGCN__)
/* Behind the address are 48 bytes as ROCm's device library reads them. */
struct cooperation {
    multi_grid place;
    unsigned int of_rocm[4];
    unsigned int *workspace;
};
__AH_STATIC const cooperation *cooperation_of_launch()
{
    typedef const __attribute__((address_space(4))) unsigned char *implicit_arguments;
    typedef const cooperation *const __attribute__((address_space(4))) * argument;
    return *(argument)((implicit_arguments)__builtin_amdgcn_implicitarg_ptr() + 88);
}
#endif

/* Zeros in a launch on one device. */
__AH_STATIC multi_grid multi_grid_place()
{
#if defined(__NVPTX__)
    return *multi_grid_var();
#elif defined(__AMDGCN__)
    const cooperation *launch = cooperation_of_launch();
    return launch ? launch->place : multi_grid();
#else
    return multi_grid();
#endif
}

__AH_STATIC unsigned int *grid_workspace()
{
#if defined(__NVPTX__)
    unsigned int low, high;
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    return reinterpret_cast<unsigned int *>(static_cast<unsigned long long>(high) << 32 | low);
#elif defined(__AMDGCN__)
    const cooperation *launch = cooperation_of_launch();
    return launch ? launch->workspace : nullptr;
#else
    return nullptr;
#endif
}

/* One thread of each block adds to the word: all blocks together 2^31, which turns its top
 * bit over and leaves the others as they were. Everyone waits for the turn. */
static __device__ inline void grid_barrier()
{
    unsigned int *workspace = grid_workspace();
    if (!workspace)
        __trap<>(); /* not a cooperative launch */
    __syncthreads();
    if (rank_in_block() == 0) {
        unsigned int *word = workspace + 1;
        unsigned int share = block_rank() == 0 ? 0x80000000u - (grid_blocks() - 1) : 1u;
        __threadfence();
        unsigned int before =
            __hip_atomic_fetch_add(word, share, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        while (((__hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) ^ before) &
                0x80000000u) == 0)
            __nanosleep<>(64);
        __threadfence();
    }
    __syncthreads();
}

/* Each grid has a word, 64 bytes apart from 128 on, which it alone writes: devices need not be
 * able to add to memory of the host. It counts the barriers that the grid has come to; who has
 * come waits for all others. The host sets all bits for a grid that will not come. */
static __device__ inline void multi_grid_wait(const multi_grid &place)
{
    char *words = reinterpret_cast<char *>(place.barrier) + 128;
    unsigned long long *own = reinterpret_cast<unsigned long long *>(words + place.rank * 64ull);
    __threadfence_system();
    unsigned long long round =
        __hip_atomic_load(own, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM) + 1;
    if (round == 0)
        return;
    __hip_atomic_store(own, round, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    for (unsigned int rank = 0; rank < place.count; ++rank) {
        unsigned long long *word = reinterpret_cast<unsigned long long *>(words + rank * 64ull);
        while (__hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM) < round)
            __nanosleep<>(256);
    }
    __threadfence_system();
}

/* The first thread of each grid waits for the other grids while its own grid waits for it. */
static __device__ inline void multi_grid_barrier()
{
    const multi_grid place = multi_grid_place();
    if (place.count == 0)
        __trap<>(); /* not launched on several devices */
    grid_barrier();
    if (rank_in_grid() == 0)
        multi_grid_wait(place);
    grid_barrier();
}

/* The n-th member of a mask, counted from 0. */
__AH_STATIC unsigned int nth_lane(unsigned long long mask, unsigned int n)
{
    for (; n > 0; --n)
        mask &= mask - 1;
    return static_cast<unsigned int>(__builtin_ctzll(mask | 1ull << 63));
}
__AH_STATIC unsigned int rank_in(unsigned long long mask)
{
    return static_cast<unsigned int>(__builtin_popcountll(mask & ((1ull << lane()) - 1)));
}
/* The bits of a mask's members, in their order, as the lowest bits. */
__AH_STATIC unsigned long long packed(unsigned long long bits, unsigned long long mask)
{
    unsigned long long result = 0;
    for (unsigned int n = 0; mask; ++n, mask &= mask - 1)
        result |= (bits >> __builtin_ctzll(mask) & 1) << n;
    return result;
}
/* The members whose rank divided by the size is the caller's. */
__AH_STATIC unsigned long long part_of(unsigned long long mask, unsigned int size)
{
    unsigned int part = rank_in(mask) / size;
    unsigned long long members = 0;
    for (unsigned int n = 0; mask; ++n, mask &= mask - 1)
        members |= n / size == part ? mask & -mask : 0;
    return members;
}
__AH_STATIC unsigned long long low_bits(unsigned int n)
{
    return n >= 64 ? ~0ull : (1ull << n) - 1;
}
/* The lanes that are the first of their part of a mask, each lane giving its part. */
__AH_STATIC unsigned long long first_members(unsigned long long mask, unsigned long long part)
{
    return ballot(mask, __builtin_ctzll(part) == static_cast<int>(lane()));
}
/* How many of these lanes are below the first of a part. */
__AH_STATIC unsigned int rank_below(unsigned long long of, unsigned long long part)
{
    return static_cast<unsigned int>(__builtin_popcountll(of & ((part & -part) - 1)));
}
/* The lanes of this thread's tile of a warp. */
__AH_STATIC unsigned long long tile_mask(unsigned int size)
{
    if (size > static_cast<unsigned int>(lanes()))
        __trap<>(); /* a tile does not span warps */
    return low_bits(size) << (lane() & ~(size - 1));
}
} // namespace __ah

namespace cooperative_groups
{

class thread_block;
class tiled_group;
class coalesced_group;
template <unsigned int size, class ParentCGTy = void> class thread_block_tile;

/* What all groups are. A group of any kind can be handled as a thread_group. */
class thread_group
{
  protected:
    enum kind { of_multi_grid, of_grid, of_block, of_tile, of_lanes };

    kind type_;
    unsigned int size_;
    unsigned long long mask_;            /* tile and lanes: the members */
    unsigned int meta_rank_, meta_size_; /* lanes: this group among its siblings */

    __AH_FN thread_group(kind type, unsigned int size, unsigned long long mask = 0,
                         unsigned int meta_rank = 0, unsigned int meta_size = 1)
        : type_(type), size_(size), mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size)
    {
    }

    friend __AH_FN thread_group this_thread();
    friend __AH_FN thread_group tiled_partition(const thread_group &parent, unsigned int tile_size);
    friend __AH_FN thread_group tiled_partition(const thread_block &parent, unsigned int tile_size);

  public:
    __AH_FN unsigned int size() const { return size_; }
    __AH_FN unsigned int num_threads() const { return size_; }
    __AH_FN unsigned int cg_type() const { return static_cast<unsigned int>(type_); }
    __AH_FN unsigned int thread_rank() const
    {
        switch (type_) {
        case of_multi_grid:
            return size_ > 0 ? static_cast<unsigned int>(__ah::multi_grid_place().before) +
                                   __ah::rank_in_grid()
                             : 0;
        case of_grid:
            return __ah::rank_in_grid();
        case of_block:
            return __ah::rank_in_block();
        case of_tile:
        case of_lanes:
            return __ah::rank_in(mask_);
        default:
            return 0;
        }
    }
    __AH_FN bool is_valid() const
    {
        if (type_ == of_multi_grid)
            return size_ > 0;
        return type_ != of_grid || __ah::grid_workspace() != nullptr;
    }
    __AH_FN void sync() const
    {
        switch (type_) {
        case of_multi_grid:
            __ah::multi_grid_barrier();
            break;
        case of_grid:
            __ah::grid_barrier();
            break;
        case of_block:
            __syncthreads();
            break;
        case of_tile:
        case of_lanes:
            __syncwarp<>(mask_);
            break;
        default:
            __trap<>();
        }
    }
};

/* The grids of one launch on several devices, hipLaunchCooperativeKernelMultiDevice(). In any
 * other launch it has no threads and is not valid, and its barrier ends the kernel. */
class multi_grid_group : public thread_group
{
    __AH_FN multi_grid_group()
        : thread_group(of_multi_grid, static_cast<unsigned int>(__ah::multi_grid_place().all))
    {
    }
    friend __AH_FN multi_grid_group this_multi_grid();

  public:
    __AH_FN unsigned int num_grids() const { return __ah::multi_grid_place().count; }
    __AH_FN unsigned int grid_rank() const { return __ah::multi_grid_place().rank; }
};
__AH_FN multi_grid_group this_multi_grid() { return multi_grid_group(); }

/* All threads of the kernel; a cooperative launch is needed for sync(). */
class grid_group : public thread_group
{
    __AH_FN grid_group() : thread_group(of_grid, __ah::grid_blocks() * __ah::block_size()) {}
    friend __AH_FN grid_group this_grid();

  public:
    __AH_FN unsigned int thread_rank() const { return __ah::rank_in_grid(); }
    __AH_FN bool is_valid() const { return __ah::grid_workspace() != nullptr; }
    __AH_FN void sync() const { __ah::grid_barrier(); }
    __AH_FN dim3 group_dim() const { return blockDim; }
    __AH_FN unsigned int num_blocks() const { return __ah::grid_blocks(); }
    __AH_FN unsigned int block_rank() const { return __ah::block_rank(); }
    __AH_FN dim3 block_index() const { return blockIdx; }
    __AH_FN dim3 dim_blocks() const { return gridDim; }
};
__AH_FN grid_group this_grid() { return grid_group(); }

/* The threads of a block. */
class thread_block : public thread_group
{
    __AH_FN thread_block() : thread_group(of_block, __ah::block_size()) {}
    friend __AH_FN thread_block this_thread_block();

  public:
    __AH_STATIC dim3 group_index() { return blockIdx; }
    __AH_STATIC dim3 thread_index() { return threadIdx; }
    __AH_STATIC unsigned int thread_rank() { return __ah::rank_in_block(); }
    __AH_STATIC unsigned int size() { return __ah::block_size(); }
    __AH_STATIC unsigned int num_threads() { return __ah::block_size(); }
    __AH_STATIC dim3 group_dim() { return blockDim; }
    __AH_STATIC dim3 dim_threads() { return blockDim; }
    __AH_STATIC bool is_valid() { return true; }
    __AH_STATIC void sync() { __syncthreads(); }
};
__AH_FN thread_block this_thread_block() { return thread_block(); }

/* A group of one. */
__AH_FN thread_group this_thread()
{
    return thread_group(thread_group::of_tile, 1, 1ull << __ah::lane());
}

/* A tile whose size is known at run time: 2^k neighbouring threads of one warp. */
class tiled_group : public thread_group
{
  protected:
    __AH_FN explicit tiled_group(unsigned int size)
        : thread_group(of_tile, size, __ah::tile_mask(size))
    {
    }
    friend __AH_FN tiled_group tiled_partition(const tiled_group &parent, unsigned int tile_size);
    friend class thread_group;

  public:
    __AH_FN unsigned int thread_rank() const { return __ah::lane() & (size_ - 1); }
    __AH_FN void sync() const { __syncwarp<>(mask_); }
};

/* The threads of a warp that run together at one place. */
class coalesced_group : public thread_group
{
    __AH_FN explicit coalesced_group(unsigned long long mask, unsigned int meta_rank = 0,
                                     unsigned int meta_size = 1)
        : thread_group(of_lanes, static_cast<unsigned int>(__builtin_popcountll(mask)), mask,
                       meta_rank, meta_size)
    {
    }
    friend __AH_FN coalesced_group coalesced_threads();
    friend __AH_FN coalesced_group tiled_partition(const coalesced_group &parent,
                                                   unsigned int tile_size);
    friend __AH_FN coalesced_group binary_partition(const coalesced_group &group, bool pred);
    template <typename Label>
    friend __AH_FN coalesced_group labeled_partition(const coalesced_group &group, Label label);
    template <unsigned int size, class Parent, typename Label>
    friend __AH_FN coalesced_group labeled_partition(const thread_block_tile<size, Parent> &tile,
                                                     Label label);
    template <unsigned int size, class Parent>
    friend __AH_FN coalesced_group binary_partition(const thread_block_tile<size, Parent> &tile,
                                                    bool pred);

  public:
    __AH_FN unsigned int thread_rank() const { return __ah::rank_in(mask_); }
    __AH_FN void sync() const { __syncwarp<>(mask_); }
    __AH_FN unsigned int meta_group_rank() const { return meta_rank_; }
    __AH_FN unsigned int meta_group_size() const { return meta_size_; }

    /* the value of a member; ranks are taken modulo the size */
    template <class T> __AH_FN T shfl(T var, int srcRank) const
    {
        unsigned int source = __ah::nth_lane(mask_, static_cast<unsigned int>(srcRank) % size_);
        return __ah::shuffle(mask_, var, static_cast<int>(source), __ah::lanes());
    }
    /* the value of the member so many ranks above or below; the own where there is none */
    template <class T> __AH_FN T shfl_down(T var, unsigned int lane_delta) const
    {
        unsigned int rank = thread_rank();
        bool inside = lane_delta < size_ - rank;
        unsigned int source = inside ? __ah::nth_lane(mask_, rank + lane_delta) : __ah::lane();
        return __ah::shuffle(mask_, var, static_cast<int>(source), __ah::lanes());
    }
    template <class T> __AH_FN T shfl_up(T var, unsigned int lane_delta) const
    {
        unsigned int rank = thread_rank();
        bool inside = lane_delta <= rank;
        unsigned int source = inside ? __ah::nth_lane(mask_, rank - lane_delta) : __ah::lane();
        return __ah::shuffle(mask_, var, static_cast<int>(source), __ah::lanes());
    }
    /* votes and matches; in the masks they give, bit n is the member of rank n */
    __AH_FN int any(int pred) const { return __ah::any(mask_, pred); }
    __AH_FN int all(int pred) const { return __ah::all(mask_, pred); }
    __AH_FN unsigned long long ballot(int pred) const
    {
        return __ah::packed(__ah::ballot(mask_, pred), mask_);
    }
    template <typename T> __AH_FN unsigned long long match_any(T value) const
    {
        return __ah::packed(__ah::match_any(mask_, value), mask_);
    }
    template <typename T> __AH_FN unsigned long long match_all(T value, int &pred) const
    {
        return __ah::packed(__ah::match_all(mask_, value, &pred), mask_);
    }
};
__AH_FN coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/* A tile whose size is known to the compiler. */
template <unsigned int tile_size> class tile_base : public tiled_group
{
    static_assert(tile_size > 0 && (tile_size & (tile_size - 1)) == 0 && tile_size <= 64,
                  "a tile has a power of two threads, at most those of a warp");

  protected:
    __AH_FN tile_base() : tiled_group(tile_size) {}

  public:
    static constexpr unsigned int numThreads = tile_size;
    __AH_STATIC unsigned int size() { return tile_size; }
    __AH_STATIC unsigned int num_threads() { return tile_size; }
    __AH_STATIC unsigned int thread_rank() { return __ah::lane() & (tile_size - 1); }
    __AH_STATIC bool is_valid() { return true; }

    template <class T> __AH_FN T shfl(T var, int srcRank) const
    {
        return __ah::shuffle(this->mask_, var, srcRank, static_cast<int>(tile_size));
    }
    template <class T> __AH_FN T shfl_down(T var, unsigned int lane_delta) const
    {
        return __ah::shuffle_down(this->mask_, var, lane_delta, static_cast<int>(tile_size));
    }
    template <class T> __AH_FN T shfl_up(T var, unsigned int lane_delta) const
    {
        return __ah::shuffle_up(this->mask_, var, lane_delta, static_cast<int>(tile_size));
    }
    template <class T> __AH_FN T shfl_xor(T var, unsigned int laneMask) const
    {
        return __ah::shuffle_xor(this->mask_, var, static_cast<int>(laneMask),
                                 static_cast<int>(tile_size));
    }
    /* bit n of these masks is the tile's thread of rank n */
    __AH_FN int any(int pred) const { return __ah::any(this->mask_, pred); }
    __AH_FN int all(int pred) const { return __ah::all(this->mask_, pred); }
    __AH_FN unsigned long long ballot(int pred) const
    {
        return __ah::ballot(this->mask_, pred) >> first();
    }
    template <typename T> __AH_FN unsigned long long match_any(T value) const
    {
        return __ah::match_any(this->mask_, value) >> first();
    }
    template <typename T> __AH_FN unsigned long long match_all(T value, int &pred) const
    {
        return __ah::match_all(this->mask_, value, &pred) >> first();
    }

  private:
    __AH_STATIC unsigned int first() { return __ah::lane() & ~(tile_size - 1); }
};

/* A tile and the group it is a part of. */
template <unsigned int size, class ParentCGTy> class thread_block_tile : public tile_base<size>
{
    __AH_FN thread_block_tile() {}
    template <unsigned int n, class Parent>
    friend __AH_FN thread_block_tile<n, Parent> tiled_partition(const Parent &parent);

  public:
    __AH_FN unsigned int meta_group_rank() const { return ParentCGTy::thread_rank() / size; }
    __AH_FN unsigned int meta_group_size() const { return (ParentCGTy::size() + size - 1) / size; }
    __AH_FN operator thread_block_tile<size, void>() const
    {
        return thread_block_tile<size, void>(meta_group_rank(), meta_group_size());
    }
};
template <unsigned int size> class thread_block_tile<size, void> : public tile_base<size>
{
    __AH_FN thread_block_tile(unsigned int meta_rank, unsigned int meta_size)
    {
        this->meta_rank_ = meta_rank;
        this->meta_size_ = meta_size;
    }
    template <unsigned int n, class Parent> friend class thread_block_tile;

  public:
    __AH_FN unsigned int meta_group_rank() const { return this->meta_rank_; }
    __AH_FN unsigned int meta_group_size() const { return this->meta_size_; }
};

/* ---- making tiles and parts ---- */

template <unsigned int size, class ParentCGTy>
__AH_FN thread_block_tile<size, ParentCGTy> tiled_partition(const ParentCGTy &)
{
    return thread_block_tile<size, ParentCGTy>();
}
__AH_FN tiled_group tiled_partition(const tiled_group &, unsigned int tile_size)
{
    return tiled_group(tile_size);
}
__AH_FN thread_group tiled_partition(const thread_block &, unsigned int tile_size)
{
    unsigned int count = __ah::tile_members(tile_size);
    return thread_group(thread_group::of_tile, count, __ah::tile_mask(tile_size));
}
__AH_FN coalesced_group tiled_partition(const coalesced_group &parent, unsigned int tile_size)
{
    return coalesced_group(__ah::part_of(parent.mask_, tile_size), parent.thread_rank() / tile_size,
                           (parent.size_ + tile_size - 1) / tile_size);
}
__AH_FN thread_group tiled_partition(const thread_group &parent, unsigned int tile_size)
{
    if (parent.type_ == thread_group::of_lanes) {
        unsigned long long members = __ah::part_of(parent.mask_, tile_size);
        return thread_group(thread_group::of_lanes,
                            static_cast<unsigned int>(__builtin_popcountll(members)), members);
    }
    unsigned int count = __ah::tile_members(tile_size);
    return thread_group(thread_group::of_tile, count, __ah::tile_mask(tile_size));
}

/* The members for which the predicate is the same as for the caller. */
__AH_FN coalesced_group binary_partition(const coalesced_group &group, bool pred)
{
    unsigned long long yes = __ah::ballot(group.mask_, pred);
    return coalesced_group(pred ? yes : group.mask_ & ~yes, pred ? 1 : 0, 2);
}
template <unsigned int size, class Parent>
__AH_FN coalesced_group binary_partition(const thread_block_tile<size, Parent> &, bool pred)
{
    unsigned long long members = __ah::tile_mask(size);
    unsigned long long yes = __ah::ballot(members, pred);
    return coalesced_group(pred ? yes : members & ~yes, pred ? 1 : 0, 2);
}

/* The members with the caller's label: an integer, or a value that can be matched. Groups are
 * counted in the order of their first members. */
template <typename Label>
__AH_FN coalesced_group labeled_partition(const coalesced_group &group, Label label)
{
    unsigned long long mine = __ah::match_any(group.mask_, label);
    unsigned long long firsts = __ah::first_members(group.mask_, mine);
    return coalesced_group(mine, __ah::rank_below(firsts, mine),
                           static_cast<unsigned int>(__builtin_popcountll(firsts)));
}
template <unsigned int size, class Parent, typename Label>
__AH_FN coalesced_group labeled_partition(const thread_block_tile<size, Parent> &, Label label)
{
    unsigned long long members = __ah::tile_mask(size);
    unsigned long long mine = __ah::match_any(members, label);
    unsigned long long firsts = __ah::first_members(members, mine);
    return coalesced_group(mine, __ah::rank_below(firsts, mine),
                           static_cast<unsigned int>(__builtin_popcountll(firsts)));
}

/* ---- the same as free functions ---- */

template <class CGTy> __AH_FN unsigned int group_size(const CGTy &g) { return g.size(); }
template <class CGTy> __AH_FN unsigned int thread_rank(const CGTy &g) { return g.thread_rank(); }
template <class CGTy> __AH_FN bool is_valid(const CGTy &g) { return g.is_valid(); }
template <class CGTy> __AH_FN void sync(const CGTy &g) { g.sync(); }

} // namespace cooperative_groups

#undef __AH_FN
#undef __AH_STATIC
#endif
