/* Device code of offload.c, for AMD's devices. */
#define SEEN   __attribute__((visibility("default")))
#define global __attribute__((address_space(1)))

SEEN unsigned scale = 3;

/* Groups of 64. */
SEEN __attribute__((amdgpu_kernel)) void scaled(global unsigned *out, global const unsigned *in,
                                                unsigned count)
{
    unsigned item = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
    if (item < count)
        out[item] = in[item] * scale;
}
