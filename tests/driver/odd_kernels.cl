/* Kernels that hipcc does not make, for AMD's devices. LATER: by headers of a later version. */
#ifdef LATER
__global uint __anyhip_device_abi = 99;
#endif

__attribute__((reqd_work_group_size(8, 2, 1))) __kernel void of_one_size(void) {}

struct large {
    char bytes[70000];
};
__kernel void with_many_arguments(struct large unused) {}
