/* Device code of hip.c, for AMD's devices: groups of 64. */
#define SEEN   __attribute__((visibility("default"), used))
#define KERNEL SEEN __attribute__((amdgpu_kernel))
#define global __attribute__((address_space(1)))
#define shared __attribute__((address_space(3)))

SEEN unsigned scale = 3;

static unsigned item(void)
{
    return __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
}

KERNEL void scaled(global unsigned *out, global const unsigned *in, unsigned count)
{
    if (item() < count)
        out[item()] = in[item()] * scale;
}

/* Each group's sum, by way of LDS. */
KERNEL void sums(global unsigned *out, global const unsigned *in)
{
    static shared unsigned parts[64] __attribute__((loader_uninitialized));
    unsigned me = __builtin_amdgcn_workitem_id_x();
    parts[me] = in[item()];
    for (unsigned half = 32; half > 0; half /= 2) {
        __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
        __builtin_amdgcn_s_barrier();
        if (me < half)
            parts[me] += parts[me + half];
    }
    if (me == 0)
        out[__builtin_amdgcn_workgroup_id_x()] = parts[0];
}

/* By way of scratch. */
KERNEL void picked(global unsigned *out, global const unsigned *in)
{
    unsigned own[16];
    for (unsigned i = 0; i < 16; i++)
        own[i * 5 % 16] = in[item()] + i;
    out[item()] = own[in[item()] % 16];
}
