/* Textures: tex1Dfetch, tex1D, tex2D, tex3D, their layered, cubemap, Lod and Grad forms and
 * tex2Dgather, of texture objects and of texture references (deprecated).
 *
 * NVIDIA: the object is the driver's handle; tex and tld4 (PTX ISA). AMD: the object is the
 * address of an image and a sampler descriptor (docs/kernel-abi.md); image_sample,
 * image_gather4, and buffer_load_format for tex1Dfetch. A GPU without images (MI200, MI300) has
 * no such object either, and its code stops the kernel.
 *
 * A texture reference is a variable of the device that the host keeps the same as its own; only
 * the object in it is read here. */
#ifndef HIP_DEVICE_TEXTURE_H
#define HIP_DEVICE_TEXTURE_H

#include "hip/device/prelude.h"
#include "hip/hip_vector_types.h"
#include "hip/texture_types.h"

/* OpenCL's names for types of elements, which programs know from ROCm's headers. */
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned long long ullong;

#define __AH_FN static __device__ inline __attribute__((always_inline))
#pragma clang diagnostic push
/* where a target has no images */
#pragma clang diagnostic ignored "-Wunused-parameter"
#pragma clang diagnostic ignored "-Wunused-variable"

namespace __ah
{

/* What an image instruction gives: four channels of 32 bits. */
template <typename Register> struct quad {
    Register x, y, z, w;
};

/* Types of elements: which registers a channel of T comes in, and T of a quad. Other types have
 * no texel. */
template <typename Channel> struct channel_register;
#define __AH_CHANNEL(Channel, Register)                                                            \
    template <> struct channel_register<Channel> {                                                 \
        typedef Register type;                                                                     \
    };
__AH_CHANNEL(char, int)
__AH_CHANNEL(signed char, int)
__AH_CHANNEL(unsigned char, unsigned int)
__AH_CHANNEL(short, int)
__AH_CHANNEL(unsigned short, unsigned int)
__AH_CHANNEL(int, int)
__AH_CHANNEL(unsigned int, unsigned int)
__AH_CHANNEL(float, float)
#undef __AH_CHANNEL

template <typename T> struct texel {
    typedef T channel;
    typedef typename channel_register<T>::type in;
    __AH_FN T from(const quad<in> &q) { return static_cast<T>(q.x); }
    __AH_FN quad<in> to(T v) { return {static_cast<in>(v), 0, 0, 0}; }
};
template <typename T, unsigned int n> struct texel<HIP_vector_type<T, n>> {
    static_assert(n != 3, "no texture has three channels");
    typedef T channel;
    typedef typename channel_register<T>::type in;
    __AH_FN HIP_vector_type<T, n> from(const quad<in> &q)
    {
        HIP_vector_type<T, n> v;
        in channels[] = {q.x, q.y, q.z, q.w};
        for (unsigned int i = 0; i < n; i++)
            v.data[i] = static_cast<T>(channels[i]);
        return v;
    }
    __AH_FN quad<in> to(const HIP_vector_type<T, n> &v)
    {
        in channels[4] = {};
        for (unsigned int i = 0; i < n; i++)
            channels[i] = static_cast<in>(v.data[i]);
        return {channels[0], channels[1], channels[2], channels[3]};
    }
};
/* The type of T's channels; nothing for what no texture holds. */
template <typename T> using channel = typename texel<T>::channel;
template <typename T> using in_register = typename texel<T>::in;

/* What a reference of elements T gives. */
template <typename T, hipTextureReadMode mode> struct texture_read {
    typedef T one;
    typedef HIP_vector_type<channel<T>, 4> four;
};
template <typename T> struct texture_read<T, hipReadModeNormalizedFloat> {
    static_assert(sizeof(T) < sizeof(float), "only 8 and 16 bits are read as normalized floats");
    typedef float one;
    typedef float4 four;
};
template <typename T, unsigned int n>
struct texture_read<HIP_vector_type<T, n>, hipReadModeNormalizedFloat> {
    static_assert(sizeof(T) < sizeof(float), "only 8 and 16 bits are read as normalized floats");
    typedef HIP_vector_type<float, n> one;
    typedef float4 four;
};

#if defined(__AMDGCN__)
typedef float image_vector __attribute__((ext_vector_type(4)));
typedef int sampler_vector __attribute__((ext_vector_type(4)));
typedef int descriptor_vector __attribute__((ext_vector_type(8)));
#define __AH_CONSTANT __attribute__((address_space(4)))

template <typename Object> __AH_FN descriptor_vector image_at(Object object)
{
    return *(const __AH_CONSTANT descriptor_vector *)(unsigned long)object;
}
__AH_FN sampler_vector buffer_at(hipTextureObject_t object)
{
    return *(const __AH_CONSTANT sampler_vector *)(unsigned long)object;
}
__AH_FN sampler_vector sampler_at(hipTextureObject_t object)
{
    return *((const __AH_CONSTANT sampler_vector *)(unsigned long)object +
             HIP_SAMPLER_OBJECT_OFFSET_DWORD / 4);
}

/* clang has builtins for most of these, but offers them for no GPU (extended-image-insts). */
#define __AH_INTRINSIC(function, name, types, ...)                                                 \
    __device__ image_vector function(                                                              \
        int channels, __VA_ARGS__, descriptor_vector, sampler_vector, bool unnormalized, int fail, \
        int cache) __asm("llvm.amdgcn.image." name ".v4f32." types ".v8i32.v4i32")
#if defined(__gfx90a__)
#define __AH_LZ "sample" /* it has no other kind */
#else
#define __AH_LZ "sample.lz"
#endif
__AH_INTRINSIC(sample_lz_1d, __AH_LZ ".1d", "f32", float);
__AH_INTRINSIC(sample_lz_2d, __AH_LZ ".2d", "f32", float, float);
__AH_INTRINSIC(sample_lz_3d, __AH_LZ ".3d", "f32", float, float, float);
__AH_INTRINSIC(sample_lz_1darray, __AH_LZ ".1darray", "f32", float, float);
__AH_INTRINSIC(sample_lz_2darray, __AH_LZ ".2darray", "f32", float, float, float);
__AH_INTRINSIC(sample_l_1d, "sample.l.1d", "f32", float, float);
__AH_INTRINSIC(sample_l_2d, "sample.l.2d", "f32", float, float, float);
__AH_INTRINSIC(sample_l_3d, "sample.l.3d", "f32", float, float, float, float);
__AH_INTRINSIC(sample_l_1darray, "sample.l.1darray", "f32", float, float, float);
__AH_INTRINSIC(sample_l_2darray, "sample.l.2darray", "f32", float, float, float, float);
__AH_INTRINSIC(sample_d_1d, "sample.d.1d", "f32.f32", float, float, float);
__AH_INTRINSIC(sample_d_2d, "sample.d.2d", "f32.f32", float, float, float, float, float, float);
__AH_INTRINSIC(sample_d_3d, "sample.d.3d", "f32.f32", float, float, float, float, float, float,
               float, float, float);
__AH_INTRINSIC(sample_d_1darray, "sample.d.1darray", "f32.f32", float, float, float, float);
__AH_INTRINSIC(sample_d_2darray, "sample.d.2darray", "f32.f32", float, float, float, float, float,
               float, float);
__AH_INTRINSIC(gather4_lz_2d, "gather4.lz.2d", "f32", float, float);
#undef __AH_LZ
#undef __AH_INTRINSIC
__device__ image_vector load_buffer(sampler_vector descriptor, int index, int offset,
                                    int scalar_offset,
                                    int cache) __asm("llvm.amdgcn.struct.buffer.load.format.v4f32");

/* A place on a cubemap: the face to which a direction points, and where on it. */
struct cube_place {
    int face;
    float s, t, m; /* across the face, down it, towards it */
    __AH_FN float on(float along, float towards) { return (along / towards + 1) / 2; }
    __device__ float x() const { return on(s, m); }
    __device__ float y() const { return on(t, m); }
};
__AH_FN cube_place on_face(int face, float x, float y, float z)
{
    switch (face) {
    case 0:
        return {face, -z, -y, x};
    case 1:
        return {face, z, -y, -x};
    case 2:
        return {face, x, z, y};
    case 3:
        return {face, x, -z, -y};
    case 4:
        return {face, x, -y, z};
    default:
        return {face, -x, -y, -z};
    }
}
__AH_FN cube_place on_cube(float x, float y, float z)
{
    float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z);
    int axis = az >= ax && az >= ay ? 2 : ay >= ax ? 1 : 0;
    float major = axis == 2 ? z : axis == 1 ? y : x;
    return on_face(2 * axis + (major < 0), x, y, z);
}
/* How x and y change with a change of the direction, on the face that the place is on. */
__AH_FN float2 cube_change(const cube_place &p, const float4 &d)
{
    cube_place c = on_face(p.face, d.x, d.y, d.z);
    float scale = 0.5f / (p.m * p.m);
    return float2((c.s * p.m - p.s * c.m) * scale, (c.t * p.m - p.t * c.m) * scale);
}
#endif

/* The two halves of a function of an image; one of them is there. __AH_AMDGCN_MORE is for what
 * MI200 lacks. The host's compilation sees the functions too and calls none. */
#if defined(__NVPTX__)
#define __AH_NVPTX(form, coordinate, operands, ...)                                                \
    quad<R> q;                                                                                     \
    if constexpr (__is_same(R, float))                                                             \
        asm(form ".v4.f32." coordinate " {%0, %1, %2, %3}, " operands ";"                          \
            : "=f"(q.x), "=f"(q.y), "=f"(q.z), "=f"(q.w)                                           \
            : [o] "l"(object), __VA_ARGS__);                                                       \
    else if constexpr (__is_same(R, int))                                                          \
        asm(form ".v4.s32." coordinate " {%0, %1, %2, %3}, " operands ";"                          \
            : "=r"(q.x), "=r"(q.y), "=r"(q.z), "=r"(q.w)                                           \
            : [o] "l"(object), __VA_ARGS__);                                                       \
    else                                                                                           \
        asm(form ".v4.u32." coordinate " {%0, %1, %2, %3}, " operands ";"                          \
            : "=r"(q.x), "=r"(q.y), "=r"(q.z), "=r"(q.w)                                           \
            : [o] "l"(object), __VA_ARGS__);                                                       \
    return q
#define __AH_AMDGCN(...)
#define __AH_AMDGCN_MORE(...)
#define __AH_CUBE
#define __AH_CUBE_GRAD
#else
#define __AH_NVPTX(...)
#if defined(__AMDGCN__) && __has_builtin(__builtin_amdgcn_image_load_2d_v4f32_i32)
#define __AH_AMDGCN(...)       return __builtin_bit_cast(quad<R>, __VA_ARGS__)
#define __AH_SAMPLE(name, ...) name(__VA_ARGS__, image_at(object), sampler_at(object), false, 0, 0)
#define __AH_CUBE              cube_place p = on_cube(x, y, z)
#define __AH_CUBE_GRAD                                                                             \
    __AH_CUBE;                                                                                     \
    float2 u = cube_change(p, dx), v = cube_change(p, dy)
#elif defined(__AMDGCN__)
#define __AH_AMDGCN(...) __AH_NOT_THERE
#else
#define __AH_AMDGCN(...)                                                                           \
    return {}
#endif
#if defined(__gfx90a__)
#define __AH_AMDGCN_MORE(...) __AH_NOT_THERE
#else
#define __AH_AMDGCN_MORE __AH_AMDGCN
#endif
#if !defined(__AH_CUBE)
#define __AH_CUBE
#define __AH_CUBE_GRAD
#endif
#define __AH_NOT_THERE                                                                             \
    __builtin_trap();                                                                              \
    return {}
#endif

#define __AH_X         [x] "f"(x)
#define __AH_XY        __AH_X, [y] "f"(y)
#define __AH_XYZ       __AH_XY, [z] "f"(z)
#define __AH_LAYER     [l] "r"(layer)
#define __AH_LEVEL     [level] "f"(level)
#define __AH_GRAD_1    [dx] "f"(dx), [dy] "f"(dy)
#define __AH_GRAD_2    [dx] "f"(dx.x), [ex] "f"(dx.y), [dy] "f"(dy.x), [ey] "f"(dy.y)
#define __AH_GRAD_3    __AH_GRAD_2, [fx] "f"(dx.z), [fy] "f"(dy.z)
#define __AH_BY_GRAD_1 ", {%[dx]}, {%[dy]}"
#define __AH_BY_GRAD_2 ", {%[dx], %[ex]}, {%[dy], %[ey]}"
#define __AH_BY_GRAD_3 ", {%[dx], %[ex], %[fx], %[fx]}, {%[dy], %[ey], %[fy], %[fy]}"
#define __AH_BY_LEVEL  ", %[level]"
#define __AH_AT_1D     "[%[o], {%[x]}]"
#define __AH_AT_2D     "[%[o], {%[x], %[y]}]"
#define __AH_AT_3D     "[%[o], {%[x], %[y], %[z], %[z]}]"
#define __AH_AT_A1D    "[%[o], {%[l], %[x]}]"
#define __AH_AT_A2D    "[%[o], {%[l], %[x], %[y], %[y]}]"
#define __AH_AT_ACUBE  "[%[o], {%[l], %[x], %[y], %[z]}]"

template <typename R> __AH_FN quad<R> tex_fetch(hipTextureObject_t object, int x)
{
    __AH_NVPTX("tex.1d", "s32", __AH_AT_1D, [x] "r"(x));
    __AH_AMDGCN(load_buffer(buffer_at(object), x, 0, 0, 0));
}
template <typename R> __AH_FN quad<R> tex_1d(hipTextureObject_t object, float x)
{
    __AH_NVPTX("tex.1d", "f32", __AH_AT_1D, __AH_X);
    __AH_AMDGCN(__AH_SAMPLE(sample_lz_1d, 15, x));
}
template <typename R> __AH_FN quad<R> tex_2d(hipTextureObject_t object, float x, float y)
{
    __AH_NVPTX("tex.2d", "f32", __AH_AT_2D, __AH_XY);
    __AH_AMDGCN(__AH_SAMPLE(sample_lz_2d, 15, x, y));
}
template <typename R> __AH_FN quad<R> tex_3d(hipTextureObject_t object, float x, float y, float z)
{
    __AH_NVPTX("tex.3d", "f32", __AH_AT_3D, __AH_XYZ);
    __AH_AMDGCN(__AH_SAMPLE(sample_lz_3d, 15, x, y, z));
}
template <typename R> __AH_FN quad<R> tex_a1d(hipTextureObject_t object, float x, int layer)
{
    __AH_NVPTX("tex.a1d", "f32", __AH_AT_A1D, __AH_X, __AH_LAYER);
    __AH_AMDGCN(__AH_SAMPLE(sample_lz_1darray, 15, x, (float)layer));
}
template <typename R>
__AH_FN quad<R> tex_a2d(hipTextureObject_t object, float x, float y, int layer)
{
    __AH_NVPTX("tex.a2d", "f32", __AH_AT_A2D, __AH_XY, __AH_LAYER);
    __AH_AMDGCN(__AH_SAMPLE(sample_lz_2darray, 15, x, y, (float)layer));
}
template <typename R> __AH_FN quad<R> tex_cube(hipTextureObject_t object, float x, float y, float z)
{
    __AH_CUBE;
    __AH_NVPTX("tex.cube", "f32", __AH_AT_3D, __AH_XYZ);
    __AH_AMDGCN(__AH_SAMPLE(sample_lz_2darray, 15, p.x(), p.y(), (float)p.face));
}
template <typename R>
__AH_FN quad<R> tex_acube(hipTextureObject_t object, float x, float y, float z, int layer)
{
    __AH_CUBE;
    __AH_NVPTX("tex.acube", "f32", __AH_AT_ACUBE, __AH_XYZ, __AH_LAYER);
    __AH_AMDGCN(__AH_SAMPLE(sample_lz_2darray, 15, p.x(), p.y(), (float)(p.face + 6 * layer)));
}
template <typename R> __AH_FN quad<R> level_1d(hipTextureObject_t object, float x, float level)
{
    __AH_NVPTX("tex.level.1d", "f32", __AH_AT_1D __AH_BY_LEVEL, __AH_X, __AH_LEVEL);
    __AH_AMDGCN_MORE(__AH_SAMPLE(sample_l_1d, 15, x, level));
}
template <typename R>
__AH_FN quad<R> level_2d(hipTextureObject_t object, float x, float y, float level)
{
    __AH_NVPTX("tex.level.2d", "f32", __AH_AT_2D __AH_BY_LEVEL, __AH_XY, __AH_LEVEL);
    __AH_AMDGCN_MORE(__AH_SAMPLE(sample_l_2d, 15, x, y, level));
}
template <typename R>
__AH_FN quad<R> level_3d(hipTextureObject_t object, float x, float y, float z, float level)
{
    __AH_NVPTX("tex.level.3d", "f32", __AH_AT_3D __AH_BY_LEVEL, __AH_XYZ, __AH_LEVEL);
    __AH_AMDGCN_MORE(__AH_SAMPLE(sample_l_3d, 15, x, y, z, level));
}
template <typename R>
__AH_FN quad<R> level_a1d(hipTextureObject_t object, float x, int layer, float level)
{
    __AH_NVPTX("tex.level.a1d", "f32", __AH_AT_A1D __AH_BY_LEVEL, __AH_X, __AH_LAYER, __AH_LEVEL);
    __AH_AMDGCN_MORE(__AH_SAMPLE(sample_l_1darray, 15, x, (float)layer, level));
}
template <typename R>
__AH_FN quad<R> level_a2d(hipTextureObject_t object, float x, float y, int layer, float level)
{
    __AH_NVPTX("tex.level.a2d", "f32", __AH_AT_A2D __AH_BY_LEVEL, __AH_XY, __AH_LAYER, __AH_LEVEL);
    __AH_AMDGCN_MORE(__AH_SAMPLE(sample_l_2darray, 15, x, y, (float)layer, level));
}
template <typename R>
__AH_FN quad<R> level_cube(hipTextureObject_t object, float x, float y, float z, float level)
{
    __AH_CUBE;
    __AH_NVPTX("tex.level.cube", "f32", __AH_AT_3D __AH_BY_LEVEL, __AH_XYZ, __AH_LEVEL);
    __AH_AMDGCN_MORE(__AH_SAMPLE(sample_l_2darray, 15, p.x(), p.y(), (float)p.face, level));
}
template <typename R>
__AH_FN quad<R> level_acube(hipTextureObject_t object, float x, float y, float z, int layer,
                            float level)
{
    __AH_CUBE;
    __AH_NVPTX("tex.level.acube", "f32", __AH_AT_ACUBE __AH_BY_LEVEL, __AH_XYZ, __AH_LAYER,
               __AH_LEVEL);
    __AH_AMDGCN_MORE(
        __AH_SAMPLE(sample_l_2darray, 15, p.x(), p.y(), (float)(p.face + 6 * layer), level));
}
template <typename R>
__AH_FN quad<R> grad_1d(hipTextureObject_t object, float x, float dx, float dy)
{
    __AH_NVPTX("tex.grad.1d", "f32", __AH_AT_1D __AH_BY_GRAD_1, __AH_X, __AH_GRAD_1);
    __AH_AMDGCN_MORE(__AH_SAMPLE(sample_d_1d, 15, dx, dy, x));
}
template <typename R>
__AH_FN quad<R> grad_2d(hipTextureObject_t object, float x, float y, float2 dx, float2 dy)
{
    __AH_NVPTX("tex.grad.2d", "f32", __AH_AT_2D __AH_BY_GRAD_2, __AH_XY, __AH_GRAD_2);
    __AH_AMDGCN_MORE(__AH_SAMPLE(sample_d_2d, 15, dx.x, dx.y, dy.x, dy.y, x, y));
}
template <typename R>
__AH_FN quad<R> grad_3d(hipTextureObject_t object, float x, float y, float z, float4 dx, float4 dy)
{
    __AH_NVPTX("tex.grad.3d", "f32", __AH_AT_3D __AH_BY_GRAD_3, __AH_XYZ, __AH_GRAD_3);
    __AH_AMDGCN_MORE(__AH_SAMPLE(sample_d_3d, 15, dx.x, dx.y, dx.z, dy.x, dy.y, dy.z, x, y, z));
}
template <typename R>
__AH_FN quad<R> grad_a1d(hipTextureObject_t object, float x, int layer, float dx, float dy)
{
    __AH_NVPTX("tex.grad.a1d", "f32", __AH_AT_A1D __AH_BY_GRAD_1, __AH_X, __AH_LAYER, __AH_GRAD_1);
    __AH_AMDGCN_MORE(__AH_SAMPLE(sample_d_1darray, 15, dx, dy, x, (float)layer));
}
template <typename R>
__AH_FN quad<R> grad_a2d(hipTextureObject_t object, float x, float y, int layer, float2 dx,
                         float2 dy)
{
    __AH_NVPTX("tex.grad.a2d", "f32", __AH_AT_A2D __AH_BY_GRAD_2, __AH_XY, __AH_LAYER, __AH_GRAD_2);
    __AH_AMDGCN_MORE(__AH_SAMPLE(sample_d_2darray, 15, dx.x, dx.y, dy.x, dy.y, x, y, (float)layer));
}
template <typename R>
__AH_FN quad<R> grad_cube(hipTextureObject_t object, float x, float y, float z, float4 dx,
                          float4 dy)
{
    __AH_CUBE_GRAD;
    __AH_NVPTX("tex.grad.cube", "f32", __AH_AT_3D __AH_BY_GRAD_3, __AH_XYZ, __AH_GRAD_3);
    __AH_AMDGCN_MORE(
        __AH_SAMPLE(sample_d_2darray, 15, u.x, u.y, v.x, v.y, p.x(), p.y(), (float)p.face));
}
template <typename R>
__AH_FN quad<R> grad_acube(hipTextureObject_t object, float x, float y, float z, int layer,
                           float4 dx, float4 dy)
{
    __AH_CUBE_GRAD;
    __AH_NVPTX("tex.grad.acube", "f32", __AH_AT_ACUBE __AH_BY_GRAD_3, __AH_XYZ, __AH_LAYER,
               __AH_GRAD_3);
    __AH_AMDGCN_MORE(__AH_SAMPLE(sample_d_2darray, 15, u.x, u.y, v.x, v.y, p.x(), p.y(),
                                 (float)(p.face + 6 * layer)));
}
template <typename R> __AH_FN quad<R> gather_r(hipTextureObject_t object, float x, float y)
{
    __AH_NVPTX("tld4.r.2d", "f32", __AH_AT_2D, __AH_XY);
    __AH_AMDGCN_MORE(__AH_SAMPLE(gather4_lz_2d, 1, x, y));
}
template <typename R> __AH_FN quad<R> gather_g(hipTextureObject_t object, float x, float y)
{
    __AH_NVPTX("tld4.g.2d", "f32", __AH_AT_2D, __AH_XY);
    __AH_AMDGCN_MORE(__AH_SAMPLE(gather4_lz_2d, 2, x, y));
}
template <typename R> __AH_FN quad<R> gather_b(hipTextureObject_t object, float x, float y)
{
    __AH_NVPTX("tld4.b.2d", "f32", __AH_AT_2D, __AH_XY);
    __AH_AMDGCN_MORE(__AH_SAMPLE(gather4_lz_2d, 4, x, y));
}
template <typename R> __AH_FN quad<R> gather_a(hipTextureObject_t object, float x, float y)
{
    __AH_NVPTX("tld4.a.2d", "f32", __AH_AT_2D, __AH_XY);
    __AH_AMDGCN_MORE(__AH_SAMPLE(gather4_lz_2d, 8, x, y));
}

} // namespace __ah

/* ---- the functions themselves ---- */

#define __AH_LIST(...) __VA_ARGS__

/* T name(object, ...), name(T *, object, ...) and, for references, T name(texture, ...). */
#define __AH_TEXTURE(name, primitive, shape, parameters, arguments)                                \
    template <typename T, typename = __ah::channel<T>>                                             \
    __AH_FN T name(hipTextureObject_t textureObject, __AH_LIST parameters)                         \
    {                                                                                              \
        return __ah::texel<T>::from(                                                               \
            __ah::primitive<__ah::in_register<T>>(textureObject, __AH_LIST arguments));            \
    }                                                                                              \
    template <typename T, typename = __ah::channel<T>>                                             \
    __AH_FN void name(T *ptr, hipTextureObject_t textureObject, __AH_LIST parameters)              \
    {                                                                                              \
        *ptr = name<T>(textureObject, __AH_LIST arguments);                                        \
    }                                                                                              \
    template <typename T, hipTextureReadMode mode>                                                 \
    __AH_FN typename __ah::texture_read<T, mode>::one name(const texture<T, shape, mode> &t,       \
                                                           __AH_LIST parameters)                   \
    {                                                                                              \
        return name<typename __ah::texture_read<T, mode>::one>(t.textureObject,                    \
                                                               __AH_LIST arguments);               \
    }

/* clang-format off: rows */
__AH_TEXTURE(tex1Dfetch, tex_fetch, hipTextureType1D, (int x), (x))
__AH_TEXTURE(tex1D, tex_1d, hipTextureType1D, (float x), (x))
__AH_TEXTURE(tex2D, tex_2d, hipTextureType2D, (float x, float y), (x, y))
__AH_TEXTURE(tex3D, tex_3d, hipTextureType3D, (float x, float y, float z), (x, y, z))
__AH_TEXTURE(tex1DLayered, tex_a1d, hipTextureType1DLayered, (float x, int layer), (x, layer))
__AH_TEXTURE(tex2DLayered, tex_a2d, hipTextureType2DLayered, (float x, float y, int layer),
             (x, y, layer))
__AH_TEXTURE(texCubemap, tex_cube, hipTextureTypeCubemap, (float x, float y, float z), (x, y, z))
__AH_TEXTURE(texCubemapLayered, tex_acube, hipTextureTypeCubemapLayered,
             (float x, float y, float z, int layer), (x, y, z, layer))
__AH_TEXTURE(tex1DLod, level_1d, hipTextureType1D, (float x, float level), (x, level))
__AH_TEXTURE(tex2DLod, level_2d, hipTextureType2D, (float x, float y, float level), (x, y, level))
__AH_TEXTURE(tex3DLod, level_3d, hipTextureType3D, (float x, float y, float z, float level),
             (x, y, z, level))
__AH_TEXTURE(tex1DLayeredLod, level_a1d, hipTextureType1DLayered, (float x, int layer, float level),
             (x, layer, level))
__AH_TEXTURE(tex2DLayeredLod, level_a2d, hipTextureType2DLayered,
             (float x, float y, int layer, float level), (x, y, layer, level))
__AH_TEXTURE(texCubemapLod, level_cube, hipTextureTypeCubemap,
             (float x, float y, float z, float level), (x, y, z, level))
__AH_TEXTURE(texCubemapLayeredLod, level_acube, hipTextureTypeCubemapLayered,
             (float x, float y, float z, int layer, float level), (x, y, z, layer, level))
__AH_TEXTURE(tex1DGrad, grad_1d, hipTextureType1D, (float x, float dPdx, float dPdy),
             (x, dPdx, dPdy))
__AH_TEXTURE(tex2DGrad, grad_2d, hipTextureType2D, (float x, float y, float2 dPdx, float2 dPdy),
             (x, y, dPdx, dPdy))
__AH_TEXTURE(tex3DGrad, grad_3d, hipTextureType3D,
             (float x, float y, float z, float4 dPdx, float4 dPdy), (x, y, z, dPdx, dPdy))
__AH_TEXTURE(tex1DLayeredGrad, grad_a1d, hipTextureType1DLayered,
             (float x, int layer, float dPdx, float dPdy), (x, layer, dPdx, dPdy))
__AH_TEXTURE(tex2DLayeredGrad, grad_a2d, hipTextureType2DLayered,
             (float x, float y, int layer, float2 dPdx, float2 dPdy), (x, y, layer, dPdx, dPdy))
__AH_TEXTURE(texCubemapGrad, grad_cube, hipTextureTypeCubemap,
             (float x, float y, float z, float4 dPdx, float4 dPdy), (x, y, z, dPdx, dPdy))
__AH_TEXTURE(texCubemapLayeredGrad, grad_acube, hipTextureTypeCubemapLayered,
             (float x, float y, float z, int layer, float4 dPdx, float4 dPdy),
             (x, y, z, layer, dPdx, dPdy))
/* clang-format on */

/* Of the four texels that a linear filter would mix, one channel: those at (x, y+1), (x+1, y+1),
 * (x+1, y) and (x, y). T has four channels. */
template <typename T, typename = __ah::channel<T>>
__AH_FN T tex2Dgather(hipTextureObject_t textureObject, float x, float y, int comp = 0)
{
    typedef __ah::in_register<T> R;
    if (comp == 1)
        return __ah::texel<T>::from(__ah::gather_g<R>(textureObject, x, y));
    if (comp == 2)
        return __ah::texel<T>::from(__ah::gather_b<R>(textureObject, x, y));
    if (comp == 3)
        return __ah::texel<T>::from(__ah::gather_a<R>(textureObject, x, y));
    return __ah::texel<T>::from(__ah::gather_r<R>(textureObject, x, y));
}
template <typename T, typename = __ah::channel<T>>
__AH_FN void tex2Dgather(T *ptr, hipTextureObject_t textureObject, float x, float y, int comp = 0)
{
    *ptr = tex2Dgather<T>(textureObject, x, y, comp);
}
template <typename T, hipTextureReadMode mode>
__AH_FN typename __ah::texture_read<T, mode>::four
tex2Dgather(const texture<T, hipTextureType2D, mode> &t, float x, float y, int comp = 0)
{
    return tex2Dgather<typename __ah::texture_read<T, mode>::four>(t.textureObject, x, y, comp);
}

#undef __AH_FN
#undef __AH_CONSTANT
#undef __AH_NVPTX
#undef __AH_AMDGCN
#undef __AH_AMDGCN_MORE
#undef __AH_CUBE
#undef __AH_CUBE_GRAD
#undef __AH_SAMPLE
#undef __AH_NOT_THERE
#undef __AH_X
#undef __AH_XY
#undef __AH_XYZ
#undef __AH_LAYER
#undef __AH_LEVEL
#undef __AH_GRAD_1
#undef __AH_GRAD_2
#undef __AH_GRAD_3
#undef __AH_BY_GRAD_1
#undef __AH_BY_GRAD_2
#undef __AH_BY_GRAD_3
#undef __AH_BY_LEVEL
#undef __AH_AT_1D
#undef __AH_AT_2D
#undef __AH_AT_3D
#undef __AH_AT_A1D
#undef __AH_AT_A2D
#undef __AH_AT_ACUBE
#undef __AH_LIST
#undef __AH_TEXTURE

#pragma clang diagnostic pop
#endif
