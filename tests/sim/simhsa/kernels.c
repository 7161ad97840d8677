/* Device code of the tests. */
#define SEEN   __attribute__((visibility("default")))
#define kernel __attribute__((amdgpu_kernel, visibility("protected")))
#define global __attribute__((address_space(1)))

struct packet {
    unsigned short header, setup, group[3], reserved;
    unsigned grid[3];
};
typedef __attribute__((address_space(4))) const struct packet *packet_pointer;

SEEN unsigned counter = 7;
SEEN __attribute__((address_space(4))) const unsigned table[4] = {1, 2, 3, 4};

static unsigned item(void)
{
    packet_pointer packet = (packet_pointer)__builtin_amdgcn_dispatch_ptr();
    return __builtin_amdgcn_workgroup_id_x() * packet->group[0] + __builtin_amdgcn_workitem_id_x();
}

kernel void fill(global unsigned *out, unsigned value, unsigned count)
{
    if (item() < count)
        out[item()] = value + counter - 7;
}

kernel void await(global volatile unsigned *flag)
{
    while (*flag == 0)
        __builtin_amdgcn_s_sleep(1);
}

kernel void store(global volatile long *value, long what)
{
    *value = what;
}

kernel void fault(void)
{
    *(global volatile unsigned *)16 = 1;
}

kernel void trap(void)
{
    __builtin_trap();
}
