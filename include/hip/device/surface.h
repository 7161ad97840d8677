/* Surfaces: surf1Dread, surf1Dwrite, their 2D, 3D, layered and cubemap forms. x counts bytes, y and
 * z rows and slices.
 *
 * NVIDIA: suld.b and sust.b move the bytes of a T, whatever the elements are. AMD: image_load and
 * image_store convert, so that a T has the channels of an element and x is a multiple of its size;
 * the boundary mode is always hipBoundaryModeZero. GPUs without images: see texture.h. */
#ifndef HIP_DEVICE_SURFACE_H
#define HIP_DEVICE_SURFACE_H

#include "hip/device/prelude.h"
#include "hip/device/texture.h"
#include "hip/surface_types.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))
#pragma clang diagnostic push
/* where a target has no images */
#pragma clang diagnostic ignored "-Wunused-parameter"
#pragma clang diagnostic ignored "-Wunused-variable"

namespace __ah
{

#if defined(__NVPTX__)
/* One access of each size in bytes. */
#define __AH_LOAD_AS(geometry, mode, at, ...)                                                      \
    if constexpr (sizeof(T) <= 2) {                                                                \
        if constexpr (sizeof(T) == 1)                                                              \
            asm volatile("suld.b." geometry ".b8." mode " %0, " at ";"                             \
                         : "=h"(b.u16)                                                             \
                         : [o] "l"(object), [x] "r"(x), ##__VA_ARGS__                              \
                         : "memory");                                                              \
        else                                                                                       \
            asm volatile("suld.b." geometry ".b16." mode " %0, " at ";"                            \
                         : "=h"(b.u16)                                                             \
                         : [o] "l"(object), [x] "r"(x), ##__VA_ARGS__                              \
                         : "memory");                                                              \
    } else if constexpr (sizeof(T) == 4) {                                                         \
        asm volatile("suld.b." geometry ".b32." mode " %0, " at ";"                                \
                     : "=r"(b.u32)                                                                 \
                     : [o] "l"(object), [x] "r"(x), ##__VA_ARGS__                                  \
                     : "memory");                                                                  \
    } else if constexpr (sizeof(T) == 8) {                                                         \
        asm volatile("suld.b." geometry ".b64." mode " %0, " at ";"                                \
                     : "=l"(b.u64[0])                                                              \
                     : [o] "l"(object), [x] "r"(x), ##__VA_ARGS__                                  \
                     : "memory");                                                                  \
    } else {                                                                                       \
        asm volatile("suld.b." geometry ".v2.b64." mode " {%0, %1}, " at ";"                       \
                     : "=l"(b.u64[0]), "=l"(b.u64[1])                                              \
                     : [o] "l"(object), [x] "r"(x), ##__VA_ARGS__                                  \
                     : "memory");                                                                  \
    }
#define __AH_STORE_AS(geometry, mode, at, ...)                                                     \
    if constexpr (sizeof(T) <= 2) {                                                                \
        if constexpr (sizeof(T) == 1)                                                              \
            asm volatile("sust.b." geometry ".b8." mode " " at ", %[v];" ::[v] "h"(b.u16),         \
                         [o] "l"(object), [x] "r"(x), ##__VA_ARGS__                                \
                         : "memory");                                                              \
        else                                                                                       \
            asm volatile("sust.b." geometry ".b16." mode " " at ", %[v];" ::[v] "h"(b.u16),        \
                         [o] "l"(object), [x] "r"(x), ##__VA_ARGS__                                \
                         : "memory");                                                              \
    } else if constexpr (sizeof(T) == 4) {                                                         \
        asm volatile("sust.b." geometry ".b32." mode " " at ", %[v];" ::[v] "r"(b.u32),            \
                     [o] "l"(object), [x] "r"(x), ##__VA_ARGS__                                    \
                     : "memory");                                                                  \
    } else if constexpr (sizeof(T) == 8) {                                                         \
        asm volatile("sust.b." geometry ".b64." mode " " at ", %[v];" ::[v] "l"(b.u64[0]),         \
                     [o] "l"(object), [x] "r"(x), ##__VA_ARGS__                                    \
                     : "memory");                                                                  \
    } else {                                                                                       \
        asm volatile("sust.b." geometry ".v2.b64." mode " " at                                     \
                     ", {%[v], %[w]};" ::[v] "l"(b.u64[0]),                                        \
                     [w] "l"(b.u64[1]), [o] "l"(object), [x] "r"(x), ##__VA_ARGS__                 \
                     : "memory");                                                                  \
    }
template <typename T> union surface_bytes {
    unsigned short u16;
    unsigned int u32;
    unsigned long u64[2];
    T value;
    __device__ surface_bytes() : u64{} {}
};
#define __AH_BY_MODE(access, ...)                                                                  \
    if (mode == hipBoundaryModeClamp) {                                                            \
        __AH_MODE(access, "clamp", __VA_ARGS__)                                                    \
    } else if (mode == hipBoundaryModeTrap) {                                                      \
        __AH_MODE(access, "trap", __VA_ARGS__)                                                     \
    } else {                                                                                       \
        __AH_MODE(access, "zero", __VA_ARGS__)                                                     \
    }
#define __AH_MODE(access, mode, geometry, ...) access(geometry, mode, __VA_ARGS__)
#define __AH_NVPTX_LOAD(...)                                                                       \
    surface_bytes<T> b;                                                                            \
    __AH_BY_MODE(__AH_LOAD_AS, __VA_ARGS__)                                                        \
    return b.value
#define __AH_NVPTX_STORE(...)                                                                      \
    surface_bytes<T> b;                                                                            \
    b.value = value;                                                                               \
    __AH_BY_MODE(__AH_STORE_AS, __VA_ARGS__)
#define __AH_AMDGCN_LOAD(...)
#define __AH_AMDGCN_STORE(...)
#else
#define __AH_NVPTX_LOAD(...)
#define __AH_NVPTX_STORE(...)
#if defined(__AMDGCN__) && __has_builtin(__builtin_amdgcn_image_load_2d_v4f32_i32)
/* Through their names in LLVM, since clang's builtins want an image of a type of its own. */
#define __AH_INTRINSIC(dimension, ...)                                                             \
    __device__ image_vector load_##dimension(                                                      \
        int channels, __VA_ARGS__, descriptor_vector, int fail,                                    \
        int cache) __asm("llvm.amdgcn.image.load." #dimension ".v4f32.i32.v8i32");                 \
    __device__ void store_##dimension(                                                             \
        image_vector, int channels, __VA_ARGS__, descriptor_vector, int fail,                      \
        int cache) __asm("llvm.amdgcn.image.store." #dimension ".v4f32.i32.v8i32")
__AH_INTRINSIC(1d, int);
__AH_INTRINSIC(2d, int, int);
__AH_INTRINSIC(3d, int, int, int);
__AH_INTRINSIC(1darray, int, int);
__AH_INTRINSIC(2darray, int, int, int);
#undef __AH_INTRINSIC
/* The element at byte x; sizes are powers of two, and what lies before the row stays there. */
template <typename T> __AH_FN int element_at(int x) { return x >> __builtin_ctz(sizeof(T)); }
#define __AH_AMDGCN_LOAD(name, ...)                                                                \
    return texel<T>::from(__builtin_bit_cast(                                                      \
        quad<in_register<T>>, name(15, element_at<T>(x), ##__VA_ARGS__, image_at(object), 0, 0)))
#define __AH_AMDGCN_STORE(name, ...)                                                               \
    name(__builtin_bit_cast(image_vector, texel<T>::to(value)), 15, element_at<T>(x),              \
         ##__VA_ARGS__, image_at(object), 0, 0)
#elif defined(__AMDGCN__)
#define __AH_AMDGCN_LOAD(...)                                                                      \
    __builtin_trap();                                                                              \
    return T()
#define __AH_AMDGCN_STORE(...) __builtin_trap()
#else
#define __AH_AMDGCN_LOAD(...) return T()
#define __AH_AMDGCN_STORE(...)
#endif
#endif

#define __AH_Y [y] "r"(y)
#define __AH_Z [z] "r"(z)
#define __AH_L [l] "r"(layer)

template <typename T> __AH_FN T surf_load_1d(hipSurfaceObject_t object, int x, int mode)
{
    __AH_NVPTX_LOAD("1d", "[%[o], {%[x]}]");
    __AH_AMDGCN_LOAD(load_1d);
}
template <typename T>
__AH_FN void surf_store_1d(T value, hipSurfaceObject_t object, int x, int mode)
{
    __AH_NVPTX_STORE("1d", "[%[o], {%[x]}]");
    __AH_AMDGCN_STORE(store_1d);
}
template <typename T> __AH_FN T surf_load_2d(hipSurfaceObject_t object, int x, int y, int mode)
{
    __AH_NVPTX_LOAD("2d", "[%[o], {%[x], %[y]}]", __AH_Y);
    __AH_AMDGCN_LOAD(load_2d, y);
}
template <typename T>
__AH_FN void surf_store_2d(T value, hipSurfaceObject_t object, int x, int y, int mode)
{
    __AH_NVPTX_STORE("2d", "[%[o], {%[x], %[y]}]", __AH_Y);
    __AH_AMDGCN_STORE(store_2d, y);
}
template <typename T>
__AH_FN T surf_load_3d(hipSurfaceObject_t object, int x, int y, int z, int mode)
{
    __AH_NVPTX_LOAD("3d", "[%[o], {%[x], %[y], %[z], %[z]}]", __AH_Y, __AH_Z);
    __AH_AMDGCN_LOAD(load_3d, y, z);
}
template <typename T>
__AH_FN void surf_store_3d(T value, hipSurfaceObject_t object, int x, int y, int z, int mode)
{
    __AH_NVPTX_STORE("3d", "[%[o], {%[x], %[y], %[z], %[z]}]", __AH_Y, __AH_Z);
    __AH_AMDGCN_STORE(store_3d, y, z);
}
template <typename T> __AH_FN T surf_load_a1d(hipSurfaceObject_t object, int x, int layer, int mode)
{
    __AH_NVPTX_LOAD("a1d", "[%[o], {%[l], %[x]}]", __AH_L);
    __AH_AMDGCN_LOAD(load_1darray, layer);
}
template <typename T>
__AH_FN void surf_store_a1d(T value, hipSurfaceObject_t object, int x, int layer, int mode)
{
    __AH_NVPTX_STORE("a1d", "[%[o], {%[l], %[x]}]", __AH_L);
    __AH_AMDGCN_STORE(store_1darray, layer);
}
template <typename T>
__AH_FN T surf_load_a2d(hipSurfaceObject_t object, int x, int y, int layer, int mode)
{
    __AH_NVPTX_LOAD("a2d", "[%[o], {%[l], %[x], %[y], %[y]}]", __AH_Y, __AH_L);
    __AH_AMDGCN_LOAD(load_2darray, y, layer);
}
template <typename T>
__AH_FN void surf_store_a2d(T value, hipSurfaceObject_t object, int x, int y, int layer, int mode)
{
    __AH_NVPTX_STORE("a2d", "[%[o], {%[l], %[x], %[y], %[y]}]", __AH_Y, __AH_L);
    __AH_AMDGCN_STORE(store_2darray, y, layer);
}

} // namespace __ah

/* ---- the functions themselves ---- */

#define __AH_LIST(...) __VA_ARGS__

/* name##read(T *, object, ...), T name##read(object, ...) and name##write(T, object, ...). A
 * cubemap is an array of faces. */
#define __AH_SURFACE(name, primitive, parameters, arguments)                                       \
    template <typename T, typename = __ah::channel<T>>                                             \
    __AH_FN T name##read(hipSurfaceObject_t surfObj, __AH_LIST parameters,                         \
                         int boundaryMode = hipBoundaryModeZero)                                   \
    {                                                                                              \
        return __ah::surf_load_##primitive<T>(surfObj, __AH_LIST arguments, boundaryMode);         \
    }                                                                                              \
    template <typename T, typename = __ah::channel<T>>                                             \
    __AH_FN void name##read(T *data, hipSurfaceObject_t surfObj, __AH_LIST parameters,             \
                            int boundaryMode = hipBoundaryModeZero)                                \
    {                                                                                              \
        *data = __ah::surf_load_##primitive<T>(surfObj, __AH_LIST arguments, boundaryMode);        \
    }                                                                                              \
    template <typename T, typename = __ah::channel<T>>                                             \
    __AH_FN void name##write(T data, hipSurfaceObject_t surfObj, __AH_LIST parameters,             \
                             int boundaryMode = hipBoundaryModeZero)                               \
    {                                                                                              \
        __ah::surf_store_##primitive<T>(data, surfObj, __AH_LIST arguments, boundaryMode);         \
    }

/* clang-format off: rows */
__AH_SURFACE(surf1D, 1d, (int x), (x))
__AH_SURFACE(surf2D, 2d, (int x, int y), (x, y))
__AH_SURFACE(surf3D, 3d, (int x, int y, int z), (x, y, z))
__AH_SURFACE(surf1DLayered, a1d, (int x, int layer), (x, layer))
__AH_SURFACE(surf2DLayered, a2d, (int x, int y, int layer), (x, y, layer))
__AH_SURFACE(surfCubemap, a2d, (int x, int y, int face), (x, y, face))
__AH_SURFACE(surfCubemapLayered, a2d, (int x, int y, int face, int layer), (x, y, face + 6 * layer))
/* clang-format on */

/* The same with one number for both, 6 * layer + face, as CUDA has it. */
template <typename T, typename = __ah::channel<T>>
__AH_FN void surfCubemapLayeredread(T *data, hipSurfaceObject_t surfObj, int x, int y,
                                    int layerFace)
{
    *data = __ah::surf_load_a2d<T>(surfObj, x, y, layerFace, hipBoundaryModeZero);
}
template <typename T, typename = __ah::channel<T>>
__AH_FN void surfCubemapLayeredwrite(T data, hipSurfaceObject_t surfObj, int x, int y,
                                     int layerFace)
{
    __ah::surf_store_a2d<T>(data, surfObj, x, y, layerFace, hipBoundaryModeZero);
}

#undef __AH_FN
#undef __AH_LOAD_AS
#undef __AH_STORE_AS
#undef __AH_BY_MODE
#undef __AH_MODE
#undef __AH_NVPTX_LOAD
#undef __AH_NVPTX_STORE
#undef __AH_AMDGCN_LOAD
#undef __AH_AMDGCN_STORE
#undef __AH_Y
#undef __AH_Z
#undef __AH_L
#undef __AH_LIST
#undef __AH_SURFACE

#pragma clang diagnostic pop
#endif
