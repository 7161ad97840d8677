// Another library in place of AnyHIP's headers, for bench_math: with BENCH_OCML AMD's OCML, with
// BENCH_LIBDEVICE NVIDIA's libdevice. Included within the namespace of the rows, whose calls find
// these functions before the global ones; bench/count.sh links the bitcode.
#if defined(BENCH_OCML)
#define LIBRARY_1(name, library)                                                                   \
    extern "C" __device__ __attribute__((const)) float __ocml_##library##_f32(float);              \
    extern "C" __device__ __attribute__((const)) double __ocml_##library##_f64(double);            \
    FN float name##f(float x)                                                                      \
    {                                                                                              \
        return __ocml_##library##_f32(x);                                                          \
    }                                                                                              \
    FN double name(double x)                                                                       \
    {                                                                                              \
        return __ocml_##library##_f64(x);                                                          \
    }
#define LIBRARY_2(name, library)                                                                   \
    extern "C" __device__ __attribute__((const)) float __ocml_##library##_f32(float, float);       \
    extern "C" __device__ __attribute__((const)) double __ocml_##library##_f64(double, double);    \
    FN float name##f(float x, float y)                                                             \
    {                                                                                              \
        return __ocml_##library##_f32(x, y);                                                       \
    }                                                                                              \
    FN double name(double x, double y)                                                             \
    {                                                                                              \
        return __ocml_##library##_f64(x, y);                                                       \
    }
#define LIBRARY_INT(name, library)                                                                 \
    extern "C" __device__ __attribute__((const)) float __ocml_##library##_f32(float, int);         \
    extern "C" __device__ __attribute__((const)) double __ocml_##library##_f64(double, int);       \
    FN float name##f(float x, int n)                                                               \
    {                                                                                              \
        return __ocml_##library##_f32(x, n);                                                       \
    }                                                                                              \
    FN double name(double x, int n)                                                                \
    {                                                                                              \
        return __ocml_##library##_f64(x, n);                                                       \
    }
#define LIBRARY_POINTER __attribute__((address_space(5)))
#define LIBRARY_BOTH(name)                                                                         \
    extern "C" __device__ float __ocml_##name##_f32(float, LIBRARY_POINTER float *);               \
    extern "C" __device__ double __ocml_##name##_f64(double, LIBRARY_POINTER double *);            \
    FN void name##f(float x, float *s, float *c)                                                   \
    {                                                                                              \
        float cosine;                                                                              \
        *s = __ocml_##name##_f32(x, (LIBRARY_POINTER float *)&cosine);                             \
        *c = cosine;                                                                               \
    }                                                                                              \
    FN void name(double x, double *s, double *c)                                                   \
    {                                                                                              \
        double cosine;                                                                             \
        *s = __ocml_##name##_f64(x, (LIBRARY_POINTER double *)&cosine);                            \
        *c = cosine;                                                                               \
    }
#define LIBRARY_NORM(name, n, library)                                                             \
    extern "C" __device__ __attribute__((const)) float __ocml_##library##_f32(NORM_##n(float, ));  \
    extern "C" __device__                                                                          \
        __attribute__((const)) double __ocml_##library##_f64(NORM_##n(double, ));                  \
    FN float name##f(NORM_##n(float, _NAMED))                                                      \
    {                                                                                              \
        return __ocml_##library##_f32(NORM_VALUES_##n);                                            \
    }                                                                                              \
    FN double name(NORM_##n(double, _NAMED))                                                       \
    {                                                                                              \
        return __ocml_##library##_f64(NORM_VALUES_##n);                                            \
    }
#elif defined(BENCH_LIBDEVICE)
#define LIBRARY_1(name, library)                                                                   \
    extern "C" __device__ __attribute__((const)) float __nv_##name##f(float);                      \
    extern "C" __device__ __attribute__((const)) double __nv_##name(double);                       \
    FN float name##f(float x)                                                                      \
    {                                                                                              \
        return __nv_##name##f(x);                                                                  \
    }                                                                                              \
    FN double name(double x)                                                                       \
    {                                                                                              \
        return __nv_##name(x);                                                                     \
    }
#define LIBRARY_2(name, library)                                                                   \
    extern "C" __device__ __attribute__((const)) float __nv_##name##f(float, float);               \
    extern "C" __device__ __attribute__((const)) double __nv_##name(double, double);               \
    FN float name##f(float x, float y)                                                             \
    {                                                                                              \
        return __nv_##name##f(x, y);                                                               \
    }                                                                                              \
    FN double name(double x, double y)                                                             \
    {                                                                                              \
        return __nv_##name(x, y);                                                                  \
    }
#define LIBRARY_INT(name, library)                                                                 \
    extern "C" __device__ __attribute__((const)) float __nv_##name##f(float, int);                 \
    extern "C" __device__ __attribute__((const)) double __nv_##name(double, int);                  \
    FN float name##f(float x, int n)                                                               \
    {                                                                                              \
        return __nv_##name##f(x, n);                                                               \
    }                                                                                              \
    FN double name(double x, int n)                                                                \
    {                                                                                              \
        return __nv_##name(x, n);                                                                  \
    }
#define LIBRARY_BOTH(name)                                                                         \
    extern "C" __device__ void __nv_##name##f(float, float *, float *);                            \
    extern "C" __device__ void __nv_##name(double, double *, double *);                            \
    FN void name##f(float x, float *s, float *c)                                                   \
    {                                                                                              \
        __nv_##name##f(x, s, c);                                                                   \
    }                                                                                              \
    FN void name(double x, double *s, double *c)                                                   \
    {                                                                                              \
        __nv_##name(x, s, c);                                                                      \
    }
#define LIBRARY_NORM(name, n, library)                                                             \
    extern "C" __device__ __attribute__((const)) float __nv_##name##f(NORM_##n(float, ));          \
    extern "C" __device__ __attribute__((const)) double __nv_##name(NORM_##n(double, ));           \
    FN float name##f(NORM_##n(float, _NAMED))                                                      \
    {                                                                                              \
        return __nv_##name##f(NORM_VALUES_##n);                                                    \
    }                                                                                              \
    FN double name(NORM_##n(double, _NAMED))                                                       \
    {                                                                                              \
        return __nv_##name(NORM_VALUES_##n);                                                       \
    }
#endif

#if defined(LIBRARY_1)
#define NORM_3(T, named) T x##named, T y##named, T z##named
#define NORM_4(T, named) T x##named, T y##named, T z##named, T w##named
#define NORM_VALUES_3    x_NAMED, y_NAMED, z_NAMED
#define NORM_VALUES_4    x_NAMED, y_NAMED, z_NAMED, w_NAMED
LIBRARY_1(acos, acos)
LIBRARY_1(acosh, acosh)
LIBRARY_1(asin, asin)
LIBRARY_1(asinh, asinh)
LIBRARY_1(atan, atan)
LIBRARY_1(atanh, atanh)
LIBRARY_1(cbrt, cbrt)
LIBRARY_1(cos, cos)
LIBRARY_1(cosh, cosh)
LIBRARY_1(cospi, cospi)
LIBRARY_1(cyl_bessel_i0, i0)
LIBRARY_1(cyl_bessel_i1, i1)
LIBRARY_1(erf, erf)
LIBRARY_1(erfc, erfc)
LIBRARY_1(erfcinv, erfcinv)
LIBRARY_1(erfcx, erfcx)
LIBRARY_1(erfinv, erfinv)
LIBRARY_1(exp, exp)
LIBRARY_1(exp10, exp10)
LIBRARY_1(exp2, exp2)
LIBRARY_1(expm1, expm1)
LIBRARY_1(j0, j0)
LIBRARY_1(j1, j1)
LIBRARY_1(lgamma, lgamma)
LIBRARY_1(log, log)
LIBRARY_1(log10, log10)
LIBRARY_1(log1p, log1p)
LIBRARY_1(log2, log2)
LIBRARY_1(logb, logb)
LIBRARY_1(normcdf, ncdf)
LIBRARY_1(normcdfinv, ncdfinv)
LIBRARY_1(rcbrt, rcbrt)
LIBRARY_1(round, round)
LIBRARY_1(rsqrt, rsqrt)
LIBRARY_1(sin, sin)
LIBRARY_1(sinh, sinh)
LIBRARY_1(sinpi, sinpi)
LIBRARY_1(sqrt, sqrt)
LIBRARY_1(tan, tan)
LIBRARY_1(tanh, tanh)
LIBRARY_1(tgamma, tgamma)
LIBRARY_1(y0, y0)
LIBRARY_1(y1, y1)
LIBRARY_2(atan2, atan2)
LIBRARY_2(fdim, fdim)
LIBRARY_2(fmod, fmod)
LIBRARY_2(hypot, hypot)
LIBRARY_2(nextafter, nextafter)
LIBRARY_2(pow, pow)
LIBRARY_2(remainder, remainder)
LIBRARY_2(rhypot, rhypot)
LIBRARY_INT(ldexp, ldexp)
LIBRARY_INT(powi, pown)
LIBRARY_BOTH(sincos)
LIBRARY_BOTH(sincospi)
LIBRARY_NORM(norm3d, 3, len3)
LIBRARY_NORM(norm4d, 4, len4)
LIBRARY_NORM(rnorm3d, 3, rlen3)
LIBRARY_NORM(rnorm4d, 4, rlen4)
#endif
