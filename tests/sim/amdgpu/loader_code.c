/* Device code for test_loader.c: symbols and relocations of every kind that linkers leave. */
#define SEEN __attribute__((visibility("default")))

static int hidden = 5;
SEEN int counter = 7;
SEEN __attribute__((address_space(4))) const int table[4] = {1, 2, 3, 4};
SEEN int *to_hidden = &hidden;   /* relative */
SEEN int *to_counter = &counter; /* absolute */
extern SEEN int elsewhere;
SEEN int *to_elsewhere = &elsewhere + 2;
extern SEEN __attribute__((weak)) int nowhere;
SEEN int *to_nowhere = &nowhere;
SEEN int zeros[1000];

SEEN __attribute__((amdgpu_kernel)) void add(int *sum, long step)
{
    hidden++;
    *sum += counter + table[*sum & 3] + zeros[step];
}

SEEN __attribute__((amdgpu_kernel)) void group(int *out)
{
    static __attribute__((address_space(3), loader_uninitialized)) int shared[64];
    shared[__builtin_amdgcn_workitem_id_x() & 63] = *out;
    __builtin_amdgcn_s_barrier();
    *out = shared[*out & 63];
}
