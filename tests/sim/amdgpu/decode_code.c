/* Device code of many kinds for test_decode_objects.c. It is never run. */
#define KERNEL __attribute__((amdgpu_kernel, visibility("default"))) void
#define GROUP  static __attribute__((address_space(3), loader_uninitialized))

typedef _Float16 half;
typedef half half2 __attribute__((ext_vector_type(2)));
typedef short short2 __attribute__((ext_vector_type(2)));
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef unsigned long ulong;

static unsigned item(void)
{
    return __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
}

#define ARITHMETIC(name, T)                                                                        \
    KERNEL name(T *x, T *y, T a, T b)                                                              \
    {                                                                                              \
        unsigned i = item();                                                                       \
        T s = 0;                                                                                   \
        for (unsigned k = 0; k < 17; k++) {                                                        \
            T v = x[i + k * 64], w = y[i ^ k];                                                     \
            s += v * w + a;                                                                        \
            s = v < w ? s - v : s / (w + b);                                                       \
            if (s == a && v != b)                                                                  \
                s = s > v ? s * (T)3 : -s;                                                         \
        }                                                                                          \
        y[i] = s;                                                                                  \
    }
ARITHMETIC(of_float, float)
ARITHMETIC(of_double, double)
ARITHMETIC(of_half, half)
ARITHMETIC(of_int, int)
ARITHMETIC(of_unsigned, unsigned)
ARITHMETIC(of_long, long)
ARITHMETIC(of_ulong, ulong)
ARITHMETIC(of_short, short)
ARITHMETIC(of_ushort, unsigned short)
ARITHMETIC(of_char, signed char)
ARITHMETIC(of_uchar, unsigned char)

#undef ARITHMETIC
#define BITS(name, T)                                                                              \
    KERNEL name(T *x, T a, int n)                                                                  \
    {                                                                                              \
        unsigned i = item();                                                                       \
        T v = x[i];                                                                                \
        v = (v << (n & 7)) ^ (v >> 3) | (v & a);                                                   \
        v += (T)__builtin_popcountl((ulong)v) + (T)__builtin_ctzl((ulong)v | 1);                   \
        v ^= (T)__builtin_clzl((ulong)v | 1) * ~a;                                                 \
        x[i] = (v >> (n & 3)) % (a | 1);                                                           \
    }
BITS(bits_of_int, int)
BITS(bits_of_unsigned, unsigned)
BITS(bits_of_long, long)
BITS(bits_of_ulong, ulong)
BITS(bits_of_short, short)

KERNEL conversions(float *f, double *d, half *h, int *i, long *l, unsigned char *c)
{
    unsigned k = item();
    f[k] = (float)d[k] + (float)h[k] + (float)i[k] + (float)c[k] + (float)l[k];
    d[k] = (double)f[k + 1] + i[k + 1] + (double)(unsigned)i[k + 2];
    h[k] = (half)f[k + 2] + (half)i[k + 3];
    i[k] = (int)f[k + 3] + (int)d[k + 3] + (int)h[k + 3];
    l[k] = (long)f[k + 4] + (long)d[k + 4];
    c[k] = (unsigned char)f[k + 5];
}

KERNEL functions(float *f, double *d, half *h)
{
    unsigned k = item();
    float v = f[k];
    f[k] = __builtin_sqrtf(v) + __builtin_floorf(v) + __builtin_fmaf(v, v, 2) +
           __builtin_fabsf(-v) + __builtin_truncf(v) + __builtin_rintf(v) +
           __builtin_fminf(v, 3) * __builtin_fmaxf(v, -3) + __builtin_ldexpf(v, 5) +
           __builtin_amdgcn_rcpf(v) + __builtin_amdgcn_rsqf(v) + __builtin_amdgcn_fractf(v) +
           __builtin_amdgcn_sinf(v) + __builtin_amdgcn_frexp_mantf(v) +
           (float)__builtin_amdgcn_frexp_expf(v) + __builtin_amdgcn_fmed3f(v, 1, 2) +
           __builtin_copysignf(v, f[k + 1]);
    d[k] = __builtin_sqrt(d[k]) + __builtin_ceil(d[k]) + __builtin_fma(d[k], 2, 1.5);
    h[k] = __builtin_amdgcn_rcph(h[k]) + __builtin_fabsf16(h[k]);
}

KERNEL group_memory(float *out, unsigned char *bytes, ulong *words)
{
    GROUP float values[256];
    GROUP ulong sums[64];
    GROUP unsigned char small[512];
    unsigned i = __builtin_amdgcn_workitem_id_x() & 255;
    values[i] = out[i];
    small[i] = bytes[i];
    sums[i & 63] = words[i];
    __builtin_amdgcn_s_barrier();
    out[i] = values[255 - i] + values[i ^ 1] + small[i * 2 & 511];
    __atomic_fetch_add(&sums[i & 3], words[i], __ATOMIC_RELAXED);
    __atomic_fetch_max((__attribute__((address_space(3))) int *)&values[i & 7], 5,
                       __ATOMIC_RELAXED);
    __builtin_amdgcn_s_barrier();
    words[i] = sums[i & 7] + sums[i & 31];
}

KERNEL atomics(int *i, unsigned *u, ulong *l, float *f)
{
    unsigned k = item();
    i[k] = __atomic_fetch_add(&i[0], 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_min(&i[1], (int)k, __ATOMIC_RELAXED);
    __atomic_fetch_max(&u[2], k, __ATOMIC_RELAXED);
    __atomic_fetch_xor(&u[3], k, __ATOMIC_ACQUIRE);
    u[k] = __atomic_exchange_n(&u[4], k, __ATOMIC_RELEASE);
    l[k] = __atomic_fetch_or(&l[1], k, __ATOMIC_RELAXED);
    __atomic_compare_exchange_n(&l[2], &l[k + 1], 7, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    __atomic_fetch_add(f, 1.5f, __ATOMIC_RELAXED);
}

KERNEL private_memory(int *out, int n)
{
    int values[40];
    unsigned char bytes[64];
    for (int i = 0; i < 40; i++)
        values[i] = out[i] * n;
    for (int i = 0; i < 64; i++)
        bytes[i] = (unsigned char)out[i];
    out[item()] = values[n % 40] + bytes[n & 63] + values[(n + 7) % 40];
}

KERNEL generic_memory(int *global, int n)
{
    GROUP int group[64];
    int own[8] = {n};
    int *p = n & 1 ? (int *)group : n & 2 ? own : global;
    *p += n;
    __atomic_fetch_add(p + 1, n, __ATOMIC_RELAXED);
    global[n] = own[n & 7] + group[n & 63];
}

KERNEL lanes(int *out, int n)
{
    int v = out[item()];
    v += __builtin_amdgcn_update_dpp(0, v, 0x111, 0xf, 0xf, 1);
    v += __builtin_amdgcn_update_dpp(v, v, 0xb1, 0x3, 0x5, 0);
    v += __builtin_amdgcn_readfirstlane(v) + __builtin_amdgcn_readlane(v, n);
    v += __builtin_amdgcn_ds_bpermute(v, n) + __builtin_amdgcn_ds_swizzle(v, 0x401f);
    v += (int)__builtin_amdgcn_mbcnt_lo(~0u, 0) + (int)__builtin_amdgcn_alignbit(v, n, 5);
    out[item()] = v + (int)__builtin_amdgcn_perm(v, n, 0x05040100);
}

KERNEL packed(float2 *f, half2 *h, short2 *s)
{
    unsigned i = item();
    f[i] = f[i] * f[i + 1] + f[i + 2];
    h[i] = h[i] * h[i + 1].yx + h[i + 2].xx;
    s[i] = s[i] * s[i + 1].yx - s[i + 2];
}

#if defined __gfx90a__ || defined __gfx942__
KERNEL matrices(float4 *c, float *a, float *b)
{
    unsigned i = item();
    c[i] = __builtin_amdgcn_mfma_f32_16x16x4f32(a[i], b[i], c[i], 0, 0, 0);
}
#endif

KERNEL branches(int *out, int n)
{
    unsigned i = item();
    switch (out[i] & 7) {
    case 0:
        out[i] = n;
        break;
    case 3:
        while (out[i] < n && out[i + 1] != 0)
            out[i] += out[i + 1];
        break;
    case 5:
        __builtin_trap();
    default:
        out[i] = n > 5 ? out[n] : (int)i;
    }
}
