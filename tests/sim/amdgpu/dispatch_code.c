/* Kernels of test_dispatch.c. */
#define kernel __attribute__((amdgpu_kernel, visibility("protected")))
#define lds    __attribute__((address_space(3)))
#define global __attribute__((address_space(1)))
typedef unsigned int uint;
typedef unsigned long ulong;

struct packet {
    unsigned short header, setup, group[3], reserved;
    uint grid[3];
};
typedef __attribute__((address_space(4))) const struct packet *packet_pointer;

static uint item(int i)
{
    return i == 0   ? __builtin_amdgcn_workitem_id_x()
           : i == 1 ? __builtin_amdgcn_workitem_id_y()
                    : __builtin_amdgcn_workitem_id_z();
}
static uint group(int i)
{
    return i == 0   ? __builtin_amdgcn_workgroup_id_x()
           : i == 1 ? __builtin_amdgcn_workgroup_id_y()
                    : __builtin_amdgcn_workgroup_id_z();
}
static packet_pointer packet(void)
{
    return (packet_pointer)__builtin_amdgcn_dispatch_ptr();
}
static uint global_id(int i)
{
    return group(i) * packet()->group[i] + item(i);
}
static void barrier(void)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/* Each work-item stores its ids and counts itself. */
kernel void ids(uint *out)
{
    ulong place =
        global_id(0) + (ulong)packet()->grid[0] * (global_id(1) + packet()->grid[1] * global_id(2));
    uint *mine = out + place * 4;
    mine[0] = item(0) | item(1) << 10 | item(2) << 20;
    mine[1] = group(0) | group(1) << 10 | group(2) << 20;
    __atomic_fetch_add(&mine[2], 1, __ATOMIC_RELAXED);
    mine[3] = (uint)__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}

#if defined __gfx908__ || defined __gfx90a__ || defined __gfx942__
/* A product of matrices of 16 x 4 ones and of 4 x 16 numbers of lanes. */
kernel void product(float *out)
{
    typedef float four __attribute__((ext_vector_type(4)));
    four sum = {0, 0, 0, 0};
    sum = __builtin_amdgcn_mfma_f32_16x16x4f32(1, (float)item(0), sum, 0, 0, 0);
    for (int i = 0; i < 4; i++)
        out[item(0) * 4 + (uint)i] = sum[i];
}
#endif

/* As many registers as an instruction can name. */
kernel void wide(uint *out)
{
    uint last;
    __asm__("v_mov_b32 v255, %1\n v_mov_b32 %0, v255" : "=v"(last) : "v"(item(0)) : "v255");
    out[item(0)] = last + 1;
}

/* One dimension: the others are not used. */
kernel void nothing(void)
{
}

kernel void line(uint *out)
{
    out[global_id(0)] = item(0) + 1000 * group(0);
}

/* Goes round a loop of a few instructions, n times for each group before. */
kernel void counts(uint *out, uint n)
{
    uint rounds = 1 + n * group(0);
    for (uint i = 0; i < rounds; i++)
        __asm__ volatile("" : "+s"(i));
    out[group(0)] = rounds;
}

/* Stores the initial contents of LDS, and changes them. */
kernel void leaves(uint *out)
{
    static lds uint all[64] __attribute__((loader_uninitialized));
    volatile lds uint *mine = &all[item(0)];
    out[global_id(0)] = *mine;
    *mine = group(0) + 1;
}

/* A group's numbers in reverse, and once more. */
kernel void reverse(uint *data, uint count)
{
    static lds uint all[1024] __attribute__((loader_uninitialized));
    uint me = item(0), size = count;
    for (int i = 0; i < 3; i++) {
        all[me] = data[group(0) * size + me];
        barrier();
        data[group(0) * size + me] = all[size - 1 - me] + 1;
        barrier();
    }
}

/* Waves that end before the others reach the barrier. */
kernel void some_leave(uint *out, uint stay)
{
    uint me = item(0);
    if (me >= stay)
        return;
    static lds uint all[1024] __attribute__((loader_uninitialized));
    all[me] = me;
    barrier();
    out[me] = all[stay - 1 - me];
}

/* Private memory with an index that is known at run time only. */
kernel void scratch(uint *out, uint step)
{
    uint mine[64];
    uint me = global_id(0);
    for (uint i = 0; i < 64; i++)
        mine[i * step % 64] = me * 100 + i;
    uint sum = 0;
    for (uint i = 0; i < 64; i++)
        sum = sum * 3 + mine[(i * 7 + me) % 64];
    out[me] = sum;
}

__attribute__((noinline)) static uint fibonacci(uint n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
kernel void recursion(uint *out)
{
    out[global_id(0)] = fibonacci(global_id(0) % 12);
}

__attribute__((noinline)) static uint twice(uint x)
{
    return 2 * x;
}
__attribute__((noinline)) static uint square(uint x)
{
    return x * x;
}
kernel void pointers(uint *out, uint which)
{
    uint (*volatile functions[2])(uint) = {twice, square};
    out[global_id(0)] = functions[(which + group(0)) % 2](global_id(0));
}

kernel void preloaded(uint *out, ulong a, uint b, uint c)
{
    out[global_id(0)] = (uint)a + b * 10 + c * 100;
}

kernel void many_registers(float *data)
{
    float v[150];
    uint me = global_id(0);
    for (int i = 0; i < 150; i++)
        v[i] = data[me * 150 + i];
    __builtin_amdgcn_s_barrier();
    __asm volatile("" ::: "memory");
    float sum = 0;
    for (int i = 0; i < 150; i++)
        sum += v[i] * v[(i * 77 + 13) % 150];
    data[me * 150] = sum;
}

kernel void aborts(uint *out)
{
    if (global_id(0) == 70)
        __builtin_trap();
    out[0] = 1;
}

kernel void writes(global uint *at, uint who)
{
    if (item(0) == who)
        at[0] = 1; /* the line that is written */
}

kernel void spins(uint *flag)
{
    while (__atomic_load_n(flag, __ATOMIC_RELAXED) == 0)
        ;
}

/* All groups wait for each other. */
kernel void meets(uint *count, uint groups)
{
    if (item(0) == 0) {
        __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
        while (__atomic_load_n(count, __ATOMIC_RELAXED) < groups)
            __builtin_amdgcn_s_sleep(1);
    }
}

/* The same without a rest. */
kernel void meets_busily(uint *count, uint groups)
{
    if (item(0) == 0) {
        __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
        while (__atomic_load_n(count, __ATOMIC_RELAXED) < groups)
            ;
    }
}

/* Groups acquire a lock in turn. */
kernel void locks(uint *state, uint rounds)
{
    if (item(0) != 0)
        return;
    for (uint i = 0; i < rounds; i++) {
        uint expected;
        do
            expected = 0;
        while (!__atomic_compare_exchange_n(&state[0], &expected, 1, 0, __ATOMIC_ACQUIRE,
                                            __ATOMIC_RELAXED));
        __atomic_store_n(&state[1], __atomic_load_n(&state[1], __ATOMIC_RELAXED) + 1,
                         __ATOMIC_RELAXED);
        __atomic_store_n(&state[0], 0, __ATOMIC_RELEASE);
    }
}

/* The grid's barrier of this project's headers, for grids of one dimension; group leaves ends
 * before it reaches the barrier. */
kernel void meets_as_a_grid(uint groups, uint leaves)
{
    typedef uint *__attribute__((address_space(4))) const *workspaces;
    typedef const __attribute__((address_space(4))) workspaces *implicit;
    if (group(0) == leaves)
        return;
    uint *word = ((implicit)__builtin_amdgcn_implicitarg_ptr())[11][6] + 1;
    for (int i = 0; i < 20; i++) {
        uint share = group(0) == 0 ? 0x80000000u - (groups - 1) : 1u;
        uint before = __atomic_fetch_add(word, share, __ATOMIC_RELAXED);
        while (((__atomic_load_n(word, __ATOMIC_RELAXED) ^ before) & 0x80000000u) == 0)
            __builtin_amdgcn_s_sleep(1);
    }
}

kernel void queues(ulong *out)
{
    out[0] = (ulong)__builtin_amdgcn_queue_ptr();
    out[1] = (ulong)__builtin_amdgcn_dispatch_ptr();
}

/* Uses all of the LDS in the packet: its last byte, and the one after it. */
kernel void dynamic(uint *out, uint at)
{
    extern lds uint shared[];
    shared[at] = 5;
    barrier();
    out[0] = shared[at];
}
