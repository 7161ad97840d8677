/* HIP's short vector types (char1 .. double4) and their make_ functions, for host and
 * device. Sizes and alignments are those of HIP on AMD: one, three components align
 * like the element, two and four components align to their size. In C they are plain
 * structs of the same layout; in C++ they are HIP_vector_type<T, n>, whose name is part
 * of the mangled names of kernels. Includes no other part of HIP. */
#ifndef HIP_VECTOR_TYPES_H
#define HIP_VECTOR_TYPES_H

#include "hip/device/qualifiers.h"

#if !defined(__cplusplus)

#define __HIP_VECTOR_C(name, T)                                                                    \
    typedef struct {                                                                               \
        T x;                                                                                       \
    } name##1;                                                                                     \
    typedef struct {                                                                               \
        T x, y;                                                                                    \
    } __attribute__((aligned(2 * sizeof(T)))) name##2;                                             \
    typedef struct {                                                                               \
        T x, y, z;                                                                                 \
    } name##3;                                                                                     \
    typedef struct {                                                                               \
        T x, y, z, w;                                                                              \
    } __attribute__((aligned(4 * sizeof(T)))) name##4;                                             \
    static inline __host__ __device__ name##1 make_##name##1(T x)                                  \
    {                                                                                              \
        name##1 v = {x};                                                                           \
        return v;                                                                                  \
    }                                                                                              \
    static inline __host__ __device__ name##2 make_##name##2(T x, T y)                             \
    {                                                                                              \
        name##2 v = {x, y};                                                                        \
        return v;                                                                                  \
    }                                                                                              \
    static inline __host__ __device__ name##3 make_##name##3(T x, T y, T z)                        \
    {                                                                                              \
        name##3 v = {x, y, z};                                                                     \
        return v;                                                                                  \
    }                                                                                              \
    static inline __host__ __device__ name##4 make_##name##4(T x, T y, T z, T w)                   \
    {                                                                                              \
        name##4 v = {x, y, z, w};                                                                  \
        return v;                                                                                  \
    }

__HIP_VECTOR_C(char, char)
__HIP_VECTOR_C(uchar, unsigned char)
__HIP_VECTOR_C(short, short)
__HIP_VECTOR_C(ushort, unsigned short)
__HIP_VECTOR_C(int, int)
__HIP_VECTOR_C(uint, unsigned int)
__HIP_VECTOR_C(long, long)
__HIP_VECTOR_C(ulong, unsigned long)
__HIP_VECTOR_C(longlong, long long)
__HIP_VECTOR_C(ulonglong, unsigned long long)
__HIP_VECTOR_C(float, float)
__HIP_VECTOR_C(double, double)
#undef __HIP_VECTOR_C

#else /* C++ */

/* In C++11 a constexpr function is one return statement and does not assign. */
#if __cplusplus >= 201402L
#define __HIP_VECTOR_FN __host__ __device__ constexpr
#else
#define __HIP_VECTOR_FN __host__ __device__ inline
#endif

/* `data` is the whole vector at once: clang's vector type where there is one (loads and
 * stores of it become one wide instruction), an array elsewhere. */
#if defined(__has_attribute)
#if __has_attribute(ext_vector_type)
#define __HIP_VECTOR_DATA(T, n) T __attribute__((ext_vector_type(n)))
#endif
#endif
#if !defined(__HIP_VECTOR_DATA)
#define __HIP_VECTOR_PLAIN_ARRAY 1
#endif

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnested-anon-types"
#endif

template <typename T, unsigned int n> struct HIP_vector_base;

template <typename T> struct HIP_vector_base<T, 1> {
    typedef T value_type;
#if __HIP_VECTOR_PLAIN_ARRAY
    typedef T Native_vec_[1];
#else
    typedef __HIP_VECTOR_DATA(T, 1) Native_vec_;
#endif
    union {
        Native_vec_ data;
        __extension__ struct {
            T x;
        };
    };

    HIP_vector_base() = default;
    __host__ __device__ explicit constexpr HIP_vector_base(T all) noexcept : x(all) {}

    /* f(this component, that component) on every component; the operators' one engine */
    template <typename F> __HIP_VECTOR_FN void __each(const HIP_vector_base &b, F f)
    {
        f(x, b.x);
    }
    __HIP_VECTOR_FN bool __same(const HIP_vector_base &b) const
    {
        return x == b.x;
    }
};

template <typename T> struct HIP_vector_base<T, 2> {
    typedef T value_type;
#if __HIP_VECTOR_PLAIN_ARRAY
    typedef T Native_vec_[2];
    union alignas(2 * sizeof(T)) {
#else
    typedef __HIP_VECTOR_DATA(T, 2) Native_vec_;
    union {
#endif
        Native_vec_ data;
        __extension__ struct {
            T x, y;
        };
    };

    HIP_vector_base() = default;
    __host__ __device__ explicit constexpr HIP_vector_base(T all) noexcept : x(all), y(all) {}
    __host__ __device__ constexpr HIP_vector_base(T x_, T y_) noexcept : x(x_), y(y_) {}

    template <typename F> __HIP_VECTOR_FN void __each(const HIP_vector_base &b, F f)
    {
        f(x, b.x);
        f(y, b.y);
    }
    __HIP_VECTOR_FN bool __same(const HIP_vector_base &b) const
    {
        return x == b.x && y == b.y;
    }
};

template <typename T> struct HIP_vector_base<T, 3> {
    typedef T value_type;
    typedef T Native_vec_[3];
    union {
        Native_vec_ data;
        __extension__ struct {
            T x, y, z;
        };
    };

    HIP_vector_base() = default;
    __host__ __device__ explicit constexpr HIP_vector_base(T all) noexcept : x(all), y(all), z(all)
    {
    }
    __host__ __device__ constexpr HIP_vector_base(T x_, T y_, T z_) noexcept : x(x_), y(y_), z(z_)
    {
    }

    template <typename F> __HIP_VECTOR_FN void __each(const HIP_vector_base &b, F f)
    {
        f(x, b.x);
        f(y, b.y);
        f(z, b.z);
    }
    __HIP_VECTOR_FN bool __same(const HIP_vector_base &b) const
    {
        return x == b.x && y == b.y && z == b.z;
    }
};

template <typename T> struct HIP_vector_base<T, 4> {
    typedef T value_type;
#if __HIP_VECTOR_PLAIN_ARRAY
    typedef T Native_vec_[4];
    union alignas(4 * sizeof(T)) {
#else
    typedef __HIP_VECTOR_DATA(T, 4) Native_vec_;
    union {
#endif
        Native_vec_ data;
        __extension__ struct {
            T x, y, z, w;
        };
    };

    HIP_vector_base() = default;
    __host__ __device__ explicit constexpr HIP_vector_base(T all) noexcept
        : x(all), y(all), z(all), w(all)
    {
    }
    __host__ __device__ constexpr HIP_vector_base(T x_, T y_, T z_, T w_) noexcept
        : x(x_), y(y_), z(z_), w(w_)
    {
    }

    template <typename F> __HIP_VECTOR_FN void __each(const HIP_vector_base &b, F f)
    {
        f(x, b.x);
        f(y, b.y);
        f(z, b.z);
        f(w, b.w);
    }
    __HIP_VECTOR_FN bool __same(const HIP_vector_base &b) const
    {
        return x == b.x && y == b.y && z == b.z && w == b.w;
    }
};

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
#undef __HIP_VECTOR_DATA
#undef __HIP_VECTOR_PLAIN_ARRAY

/* What the operators below need of <type_traits>, small enough not to include it. */
namespace __hip_vector
{
template <bool cond, typename T = void> struct enable_if {
};
template <typename T> struct enable_if<true, T> {
    typedef T type;
};
template <typename T> struct is_integral {
    static constexpr bool value = T(1) / T(2) == T(0);
};
template <typename T> T &&declval() noexcept;
/* names R where a U can become a T */
template <typename T, typename U, typename R, typename = decltype(static_cast<T>(declval<U>()))>
struct if_converts {
    typedef R type;
};

struct assign_add {
    template <typename T> __HIP_VECTOR_FN void operator()(T &a, T b) const { a = T(a + b); }
};
struct assign_sub {
    template <typename T> __HIP_VECTOR_FN void operator()(T &a, T b) const { a = T(a - b); }
};
struct assign_mul {
    template <typename T> __HIP_VECTOR_FN void operator()(T &a, T b) const { a = T(a * b); }
};
struct assign_div {
    template <typename T> __HIP_VECTOR_FN void operator()(T &a, T b) const { a = T(a / b); }
};
struct assign_mod {
    template <typename T> __HIP_VECTOR_FN void operator()(T &a, T b) const { a = T(a % b); }
};
struct assign_xor {
    template <typename T> __HIP_VECTOR_FN void operator()(T &a, T b) const { a = T(a ^ b); }
};
struct assign_or {
    template <typename T> __HIP_VECTOR_FN void operator()(T &a, T b) const { a = T(a | b); }
};
struct assign_and {
    template <typename T> __HIP_VECTOR_FN void operator()(T &a, T b) const { a = T(a & b); }
};
struct assign_shl {
    template <typename T> __HIP_VECTOR_FN void operator()(T &a, T b) const { a = T(a << b); }
};
struct assign_shr {
    template <typename T> __HIP_VECTOR_FN void operator()(T &a, T b) const { a = T(a >> b); }
};
struct assign_negated {
    template <typename T> __HIP_VECTOR_FN void operator()(T &a, T b) const { a = T(-b); }
};
struct assign_inverted {
    template <typename T> __HIP_VECTOR_FN void operator()(T &a, T b) const { a = T(~b); }
};
} // namespace __hip_vector

template <typename T, unsigned int rank> struct HIP_vector_type : public HIP_vector_base<T, rank> {
    using HIP_vector_base<T, rank>::data;
    using typename HIP_vector_base<T, rank>::Native_vec_;

    HIP_vector_type() = default;

    /* float4(1): every component gets the value */
    template <typename U, typename = typename __hip_vector::if_converts<T, U, void>::type>
    __host__ __device__ explicit constexpr HIP_vector_type(U all) noexcept
        : HIP_vector_base<T, rank>(static_cast<T>(all))
    {
    }

    /* float4(1, 2, 3, 4) and {1, 2, 3, 4}: exactly as many values as components */
    template <typename U, typename V, typename... Us,
              typename __hip_vector::enable_if<sizeof...(Us) + 2 == rank, int>::type = 0>
    __host__ __device__ constexpr HIP_vector_type(U first, V second, Us... rest) noexcept
        : HIP_vector_base<T, rank>(static_cast<T>(first), static_cast<T>(second),
                                   static_cast<T>(rest)...)
    {
    }
};

/* Operators are free function templates: a program's own operator for, say, float3 is
 * not a template and is preferred. Each works component by component; a scalar operand
 * stands for a vector of that value. */
#define __HIP_VECTOR_OPERATOR(op, effect, condition)                                               \
    template <typename T, unsigned int n,                                                          \
              typename __hip_vector::enable_if<condition, int>::type = 0>                          \
    __HIP_VECTOR_FN HIP_vector_type<T, n> &operator op##=(HIP_vector_type<T, n> &a,                \
                                                          const HIP_vector_type<T, n> &b) noexcept \
    {                                                                                              \
        a.__each(b, __hip_vector::effect());                                                       \
        return a;                                                                                  \
    }                                                                                              \
    template <typename T, unsigned int n, typename U,                                              \
              typename __hip_vector::enable_if<condition, int>::type = 0>                          \
    __HIP_VECTOR_FN typename __hip_vector::if_converts<T, U, HIP_vector_type<T, n> &>::type        \
    operator op##=(HIP_vector_type<T, n> &a, U b) noexcept                                         \
    {                                                                                              \
        a.__each(HIP_vector_type<T, n>(b), __hip_vector::effect());                                \
        return a;                                                                                  \
    }                                                                                              \
    template <typename T, unsigned int n,                                                          \
              typename __hip_vector::enable_if<condition, int>::type = 0>                          \
    __HIP_VECTOR_FN HIP_vector_type<T, n> operator op(const HIP_vector_type<T, n> &a,              \
                                                      const HIP_vector_type<T, n> &b) noexcept     \
    {                                                                                              \
        HIP_vector_type<T, n> r(a);                                                                \
        r.__each(b, __hip_vector::effect());                                                       \
        return r;                                                                                  \
    }                                                                                              \
    template <typename T, unsigned int n, typename U,                                              \
              typename __hip_vector::enable_if<condition, int>::type = 0>                          \
    __HIP_VECTOR_FN typename __hip_vector::if_converts<T, U, HIP_vector_type<T, n>>::type          \
    operator op(const HIP_vector_type<T, n> &a, U b) noexcept                                      \
    {                                                                                              \
        HIP_vector_type<T, n> r(a);                                                                \
        r.__each(HIP_vector_type<T, n>(b), __hip_vector::effect());                                \
        return r;                                                                                  \
    }                                                                                              \
    template <typename T, unsigned int n, typename U,                                              \
              typename __hip_vector::enable_if<condition, int>::type = 0>                          \
    __HIP_VECTOR_FN typename __hip_vector::if_converts<T, U, HIP_vector_type<T, n>>::type          \
    operator op(U a, const HIP_vector_type<T, n> &b) noexcept                                      \
    {                                                                                              \
        HIP_vector_type<T, n> r(a);                                                                \
        r.__each(b, __hip_vector::effect());                                                       \
        return r;                                                                                  \
    }

__HIP_VECTOR_OPERATOR(+, assign_add, true)
__HIP_VECTOR_OPERATOR(-, assign_sub, true)
__HIP_VECTOR_OPERATOR(*, assign_mul, true)
__HIP_VECTOR_OPERATOR(/, assign_div, true)
__HIP_VECTOR_OPERATOR(%, assign_mod, __hip_vector::is_integral<T>::value)
__HIP_VECTOR_OPERATOR(^, assign_xor, __hip_vector::is_integral<T>::value)
__HIP_VECTOR_OPERATOR(|, assign_or, __hip_vector::is_integral<T>::value)
__HIP_VECTOR_OPERATOR(&, assign_and, __hip_vector::is_integral<T>::value)
__HIP_VECTOR_OPERATOR(<<, assign_shl, __hip_vector::is_integral<T>::value)
__HIP_VECTOR_OPERATOR(>>, assign_shr, __hip_vector::is_integral<T>::value)
#undef __HIP_VECTOR_OPERATOR

template <typename T, unsigned int n>
__HIP_VECTOR_FN HIP_vector_type<T, n> operator-(const HIP_vector_type<T, n> &a) noexcept
{
    HIP_vector_type<T, n> r(a);
    r.__each(a, __hip_vector::assign_negated());
    return r;
}
template <typename T, unsigned int n>
__HIP_VECTOR_FN HIP_vector_type<T, n> operator+(const HIP_vector_type<T, n> &a) noexcept
{
    return a;
}
template <typename T, unsigned int n,
          typename __hip_vector::enable_if<__hip_vector::is_integral<T>::value, int>::type = 0>
__HIP_VECTOR_FN HIP_vector_type<T, n> operator~(const HIP_vector_type<T, n> &a) noexcept
{
    HIP_vector_type<T, n> r(a);
    r.__each(a, __hip_vector::assign_inverted());
    return r;
}
template <typename T, unsigned int n>
__HIP_VECTOR_FN HIP_vector_type<T, n> &operator++(HIP_vector_type<T, n> &a) noexcept
{
    return a += T(1);
}
template <typename T, unsigned int n>
__HIP_VECTOR_FN HIP_vector_type<T, n> operator++(HIP_vector_type<T, n> &a, int) noexcept
{
    HIP_vector_type<T, n> before(a);
    a += T(1);
    return before;
}
template <typename T, unsigned int n>
__HIP_VECTOR_FN HIP_vector_type<T, n> &operator--(HIP_vector_type<T, n> &a) noexcept
{
    return a -= T(1);
}
template <typename T, unsigned int n>
__HIP_VECTOR_FN HIP_vector_type<T, n> operator--(HIP_vector_type<T, n> &a, int) noexcept
{
    HIP_vector_type<T, n> before(a);
    a -= T(1);
    return before;
}

template <typename T, unsigned int n>
__HIP_VECTOR_FN bool operator==(const HIP_vector_type<T, n> &a,
                                const HIP_vector_type<T, n> &b) noexcept
{
    return a.__same(b);
}
template <typename T, unsigned int n, typename U>
__HIP_VECTOR_FN typename __hip_vector::if_converts<T, U, bool>::type
operator==(const HIP_vector_type<T, n> &a, U b) noexcept
{
    return a.__same(HIP_vector_type<T, n>(b));
}
template <typename T, unsigned int n, typename U>
__HIP_VECTOR_FN typename __hip_vector::if_converts<T, U, bool>::type
operator==(U a, const HIP_vector_type<T, n> &b) noexcept
{
    return b.__same(HIP_vector_type<T, n>(a));
}
template <typename T, unsigned int n>
__HIP_VECTOR_FN bool operator!=(const HIP_vector_type<T, n> &a,
                                const HIP_vector_type<T, n> &b) noexcept
{
    return !a.__same(b);
}
template <typename T, unsigned int n, typename U>
__HIP_VECTOR_FN typename __hip_vector::if_converts<T, U, bool>::type
operator!=(const HIP_vector_type<T, n> &a, U b) noexcept
{
    return !a.__same(HIP_vector_type<T, n>(b));
}
template <typename T, unsigned int n, typename U>
__HIP_VECTOR_FN typename __hip_vector::if_converts<T, U, bool>::type
operator!=(U a, const HIP_vector_type<T, n> &b) noexcept
{
    return !b.__same(HIP_vector_type<T, n>(a));
}

#define __HIP_VECTOR_TYPES(name, T)                                                                \
    typedef HIP_vector_type<T, 1> name##1;                                                         \
    typedef HIP_vector_type<T, 2> name##2;                                                         \
    typedef HIP_vector_type<T, 3> name##3;                                                         \
    typedef HIP_vector_type<T, 4> name##4;                                                         \
    static inline __host__ __device__ constexpr name##1 make_##name##1(T x)                        \
    {                                                                                              \
        return name##1(x);                                                                         \
    }                                                                                              \
    static inline __host__ __device__ constexpr name##2 make_##name##2(T x, T y)                   \
    {                                                                                              \
        return name##2(x, y);                                                                      \
    }                                                                                              \
    static inline __host__ __device__ constexpr name##3 make_##name##3(T x, T y, T z)              \
    {                                                                                              \
        return name##3(x, y, z);                                                                   \
    }                                                                                              \
    static inline __host__ __device__ constexpr name##4 make_##name##4(T x, T y, T z, T w)         \
    {                                                                                              \
        return name##4(x, y, z, w);                                                                \
    }

__HIP_VECTOR_TYPES(char, char)
__HIP_VECTOR_TYPES(uchar, unsigned char)
__HIP_VECTOR_TYPES(short, short)
__HIP_VECTOR_TYPES(ushort, unsigned short)
__HIP_VECTOR_TYPES(int, int)
__HIP_VECTOR_TYPES(uint, unsigned int)
__HIP_VECTOR_TYPES(long, long)
__HIP_VECTOR_TYPES(ulong, unsigned long)
__HIP_VECTOR_TYPES(longlong, long long)
__HIP_VECTOR_TYPES(ulonglong, unsigned long long)
__HIP_VECTOR_TYPES(float, float)
__HIP_VECTOR_TYPES(double, double)
#undef __HIP_VECTOR_TYPES
#undef __HIP_VECTOR_FN

#endif /* C++ */
#endif
