/* The kernels of kernels.c for AMD's devices: the same names, arguments and effects as its PTX. */
#define SEEN     __attribute__((visibility("default")))
#define kernel   __attribute__((amdgpu_kernel, visibility("protected")))
#define global   __attribute__((address_space(1)))
#define CONSTANT __attribute__((address_space(4)))
#define SHARED   __attribute__((address_space(3)))

SEEN unsigned fake_counter = 7;
SEEN unsigned table[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
SEEN CONSTANT unsigned limit = 99;

static int is_first(void)
{
    return (__builtin_amdgcn_workgroup_id_x() | __builtin_amdgcn_workitem_id_x()) == 0;
}

kernel void fake_fill(global unsigned *out, unsigned value, unsigned count)
{
    for (unsigned i = 0; is_first() && i < count; i++)
        out[i] = value;
}

kernel void fake_add(global unsigned *out, global unsigned *a, global unsigned *b, unsigned count)
{
    for (unsigned i = 0; is_first() && i < count; i++)
        out[i] = a[i] + b[i];
}

kernel void fake_wait(global volatile unsigned *flag)
{
    while (*flag == 0)
        __builtin_amdgcn_s_sleep(1);
}

kernel void fake_spin(unsigned milliseconds)
{
    unsigned long end = __builtin_readsteadycounter() + milliseconds * 100000ul; /* 100 MHz */
    while (__builtin_readsteadycounter() < end)
        __builtin_amdgcn_s_sleep(1);
}

kernel void fake_fault(void)
{
    *(global volatile unsigned *)16 = 1;
}

/* *out = ++fake_counter */
kernel void fake_count(global unsigned *out)
{
    *out = ++fake_counter;
}

/* limits, shared memory, arguments of every size */
kernel __attribute__((amdgpu_flat_work_group_size(1, 128))) void bounded(unsigned unused) {}

static volatile SHARED unsigned buffer[1024] __attribute__((loader_uninitialized));
kernel void shared(global unsigned *out)
{
    buffer[0] = __builtin_amdgcn_workitem_id_x();
    (void)buffer[0];
}

struct block {
    unsigned long words[3];
};
kernel void structure(unsigned char a, unsigned short b, struct block c, double d, unsigned e) {}

/* What ROCm's code reads of a cooperative launch: the number of blocks. */
kernel void cooperative_blocks(global unsigned *out)
{
    enum { MULTIGRID = 88, BLOCKS = 40 }; /* of the hidden arguments; of what that points to */
    const CONSTANT char *hidden = __builtin_amdgcn_implicitarg_ptr();
    const char *cooperation = *(const char *const CONSTANT *)(hidden + MULTIGRID);
    *out = *(const unsigned *)(cooperation + BLOCKS);
}

/* Where ROCm's code has the memory of its malloc. */
kernel void heap_address(global unsigned long *out)
{
    enum { HEAP = 96 }; /* of the hidden arguments */
    const CONSTANT char *hidden = __builtin_amdgcn_implicitarg_ptr();
    *out = *(const unsigned long CONSTANT *)(hidden + HEAP);
}

kernel void empty(void) {}
