// Every math function of the kernel language, in float and double, without any header of HIP:
// what device code calls is there although nothing includes hip_runtime.h. Only compiled and
// linked; tests/kernel has the results.
#include <cmath>

template <typename T> __device__ T names_of_cpp(T x, T y, T z)
{
    T whole, sum = 0;
    int n;
    sum += acos(x) + acosh(x) + asin(x) + asinh(x) + atan(x) + atanh(x) + cbrt(x) + ceil(x);
    sum += cos(x) + cosh(x) + erf(x) + erfc(x) + exp(x) + exp2(x) + expm1(x) + fabs(x) + floor(x);
    sum += lgamma(x) + log(x) + log10(x) + log1p(x) + log2(x) + logb(x) + nearbyint(x) + rint(x);
    sum += round(x) + sin(x) + sinh(x) + sqrt(x) + tan(x) + tanh(x) + tgamma(x) + trunc(x) + abs(x);
    sum += atan2(x, y) + copysign(x, y) + fdim(x, y) + fmax(x, y) + fmin(x, y) + fmod(x, y);
    sum += hypot(x, y) + hypot(x, y, z) + nextafter(x, y) + pow(x, y) + pow(x, 3) + remainder(x, y);
    sum += ldexp(x, 3) + scalbn(x, 3) + scalbln(x, 3L) + ilogb(x) + lrint(x) + lround(x);
    sum += llrint(x) + llround(x) + fma(x, y, z) + frexp(x, &n) + modf(x, &whole) + whole + n;
    sum += remquo(x, y, &n) + n + min(x, y) + max(x, y);
    sum += isfinite(x) + isinf(x) + isnan(x) + isnormal(x) + signbit(x) + fpclassify(x);
    sum += isgreater(x, y) + isgreaterequal(x, y) + isless(x, y) + islessequal(x, y);
    sum += islessgreater(x, y) + isunordered(x, y);
    return sum + std::abs(x) + std::fabs(x) + std::sqrt(x) + std::pow(x, y) + std::fma(x, y, z);
}

__device__ double names_of_integers(int i, long l, long long ll)
{
    return abs(i) + abs(l) + abs(ll) + labs(l) + llabs(ll) + sqrt(i) + pow(i, 2) + std::sin(l) +
           fmax(i, 2.5) + ldexp(i, 3) + isnan(i) + ilogb(l) + std::abs(i) + min(i, 3) + max(ll, 3LL);
}

// The names that end in f for float and in nothing for double.
#define NAMES_OF_C(function, T, f)                                                                 \
    __device__ T function(T x, T y, T z, const T *v)                                               \
    {                                                                                              \
        T a, b, sum = nan##f("1");                                                                 \
        int n;                                                                                     \
        sum += acos##f(x) + acosh##f(x) + asin##f(x) + asinh##f(x) + atan##f(x) + atanh##f(x);     \
        sum += cbrt##f(x) + ceil##f(x) + cos##f(x) + cosh##f(x) + cospi##f(x) + erf##f(x);         \
        sum += erfc##f(x) + erfcinv##f(x) + erfcx##f(x) + erfinv##f(x) + exp##f(x) + exp10##f(x);  \
        sum += exp2##f(x) + expm1##f(x) + fabs##f(x) + floor##f(x) + j0##f(x) + j1##f(x);          \
        sum += jn##f(3, x) + lgamma##f(x) + log##f(x) + log10##f(x) + log1p##f(x) + log2##f(x);    \
        sum += logb##f(x) + nearbyint##f(x) + normcdf##f(x) + normcdfinv##f(x) + rcbrt##f(x);      \
        sum += rint##f(x) + round##f(x) + rsqrt##f(x) + sin##f(x) + sinh##f(x) + sinpi##f(x);      \
        sum += sqrt##f(x) + tan##f(x) + tanh##f(x) + tgamma##f(x) + trunc##f(x) + y0##f(x);        \
        sum += y1##f(x) + yn##f(3, x) + cyl_bessel_i0##f(x) + cyl_bessel_i1##f(x);                 \
        sum += atan2##f(x, y) + copysign##f(x, y) + fdim##f(x, y) + fmax##f(x, y) + fmin##f(x, y); \
        sum += fmod##f(x, y) + hypot##f(x, y) + nextafter##f(x, y) + pow##f(x, y);                 \
        sum += powi##f(x, 3) + remainder##f(x, y) + rhypot##f(x, y) + ldexp##f(x, 3);              \
        sum += scalbn##f(x, 3) + scalbln##f(x, 3) + ilogb##f(x) + lrint##f(x) + lround##f(x);      \
        sum += llrint##f(x) + llround##f(x) + fma##f(x, y, z) + frexp##f(x, &n);                   \
        sum += modf##f(x, &a) + a + remquo##f(x, y, &n) + n;                                       \
        sincos##f(x, &a, &b);                                                                      \
        sum += a + b;                                                                              \
        sincospi##f(x, &a, &b);                                                                    \
        sum += a + b + norm##f(3, v) + norm3d##f(x, y, z) + norm4d##f(x, y, z, x);                 \
        return sum + rnorm##f(3, v) + rnorm3d##f(x, y, z) + rnorm4d##f(x, y, z, x);                \
    }
NAMES_OF_C(names_of_float, float, f)
NAMES_OF_C(names_of_double, double, )

__device__ float fast_and_rounded(float x, float y, float z)
{
    float a, b, sum = fdividef(x, y);
    __sincosf(x, &a, &b);
    sum += a + b + __cosf(x) + __exp10f(x) + __expf(x) + __fdividef(x, y) + __log10f(x) + __log2f(x);
    sum += __logf(x) + __powf(x, y) + __saturatef(x) + __sinf(x) + __tanf(x) + __fadd_rn(x, y);
    sum += __fdiv_rn(x, y) + __fmul_rn(x, y) + __frcp_rn(x) + __frsqrt_rn(x) + __fsqrt_rn(x);
    sum += __finitef(x) + __isinff(x) + __isnanf(x) + __signbitf(x);
    sum += __finite(1.0 * x) + __isinf(1.0 * x) + __isnan(1.0 * x) + __signbit(1.0 * x);
    return sum + __fsub_rn(x, y) + __fmaf_rn(x, y, z);
}

__global__ void all_of_them(double *d, float *f, long *l)
{
    d[0] = names_of_cpp<double>(d[1], d[2], d[3]) + names_of_double(d[1], d[2], d[3], d + 4);
    d[0] += names_of_integers((int)l[0], l[1], l[2]);
    f[0] = names_of_cpp<float>(f[1], f[2], f[3]) + names_of_float(f[1], f[2], f[3], f + 4);
    f[0] += fast_and_rounded(f[1], f[2], f[3]);
}
