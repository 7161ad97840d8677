// Complex numbers: HIP's structures and functions, and std::complex, in device code.
#include <complex>

#include "../support/hip_test.h"

#include <hip/hip_complex.h>

typedef std::complex<float> cf;
typedef std::complex<double> cd;
typedef std::complex<long double> cl;

// ---- hipFloatComplex, hipDoubleComplex ----

template <typename C> struct hip_results {
    C sum, difference, product, quotient, conjugate, fused;
    decltype(C().x) real, imaginary, absolute, squared;
};
__host__ __device__ hip_results<hipFloatComplex> all(hipFloatComplex a, hipFloatComplex b)
{
    return {hipCaddf(a, b),    hipCsubf(a, b), hipCmulf(a, b), hipCdivf(a, b), hipConjf(a),
            hipCfmaf(a, b, a), hipCrealf(a),   hipCimagf(a),   hipCabsf(a),    hipCsqabsf(a)};
}
__host__ __device__ hip_results<hipDoubleComplex> all(hipDoubleComplex a, hipDoubleComplex b)
{
    return {hipCadd(a, b),    hipCsub(a, b), hipCmul(a, b), hipCdiv(a, b), hipConj(a),
            hipCfma(a, b, a), hipCreal(a),   hipCimag(a),   hipCabs(a),    hipCsqabs(a)};
}
template <typename C>
__global__ void compute_hip(hip_results<C> *out, const C *a, const C *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = all(a[i], b[i]);
}

// Within some ULP of the larger part.
template <typename T> static bool near(T real, T imaginary, cl want, double limit)
{
    long double unit = std::max(std::fabs(want.real()), std::fabs(want.imag())) *
                       std::numeric_limits<T>::epsilon();
    return std::fabs(real - want.real()) <= limit * unit &&
           std::fabs(imaginary - want.imag()) <= limit * unit;
}

template <typename C> void check_hip()
{
    typedef decltype(C().x) T;
    std::mt19937 random(41);
    std::uniform_real_distribution<double> unit(-10, 10);
    std::vector<C> a, b;
    for (int i = 0; i < 500; ++i) {
        a.push_back(C(static_cast<T>(unit(random)), static_cast<T>(unit(random))));
        b.push_back(C(static_cast<T>(unit(random)), static_cast<T>(unit(random))));
    }
    int n = static_cast<int>(a.size());
    ah_test::buffer<C> da(a), db(b);
    ah_test::buffer<hip_results<C>> out(n);
    compute_hip<C><<<(n + 63) / 64, 64>>>(out.device(), da.device(), db.device(), n);
    CHECK_LAUNCH();
    for (int i = 0; i < n; ++i) {
        cl x(a[i].x, a[i].y), y(b[i].x, b[i].y);
        /* a component may cancel: as large as the operands' product is what counts */
        cl scale(std::abs(x) * std::abs(y) + std::abs(x), 0);
        const hip_results<C> &r = out.read()[i];
        auto close = [&](C got, cl want) {
            long double unit_ = scale.real() * std::numeric_limits<T>::epsilon();
            return std::fabs(got.x - want.real()) <= 2 * unit_ &&
                   std::fabs(got.y - want.imag()) <= 2 * unit_;
        };
        CHECK(close(r.sum, x + y));
        CHECK(close(r.difference, x - y));
        CHECK(close(r.product, x * y));
        CHECK(close(r.fused, x * y + x));
        CHECK(near(r.quotient.x, r.quotient.y, x / y, 8));
        CHECK(r.conjugate.x == a[i].x && r.conjugate.y == -a[i].y);
        CHECK(r.real == a[i].x && r.imaginary == a[i].y);
        CHECK_NEAR_ULP(r.absolute, std::abs(x), 4);
        CHECK_NEAR_ULP(r.squared, std::norm(x), 4);
    }
}
TEST("functions of hipFloatComplex")
{
    check_hip<hipFloatComplex>();
}
TEST("functions of hipDoubleComplex")
{
    check_hip<hipDoubleComplex>();
}

__global__ void extreme_hip(float *out)
{
    hipFloatComplex big = make_hipFloatComplex(3e30f, 4e30f),
                    small = make_hipFloatComplex(3e-30f, 4e-30f);
    out[0] = hipCabsf(big);
    out[1] = hipCabsf(small);
    hipFloatComplex q = hipCdivf(big, big);
    out[2] = q.x, out[3] = q.y;
    q = hipCdivf(small, small);
    out[4] = q.x, out[5] = q.y;
    hipDoubleComplex d = hipComplexFloatToDouble(make_hipComplex(1.5f, -2));
    hipFloatComplex f = hipComplexDoubleToFloat(make_hipDoubleComplex(d.x, d.y));
    out[6] = f.x, out[7] = f.y;
}
TEST("absolute values and quotients of extreme complex numbers stay finite")
{
    ah_test::buffer<float> out(8);
    extreme_hip<<<1, 1>>>(out.device());
    CHECK_LAUNCH();
    const std::vector<float> &v = out.read();
    CHECK_NEAR_ULP(v[0], 5e30L, 4);
    CHECK_NEAR_ULP(v[1], 5e-30L, 4);
    CHECK_NEAR_ULP(v[2], 1.0L, 4);
    CHECK(std::fabs(v[3]) < 1e-6f);
    CHECK_NEAR_ULP(v[4], 1.0L, 4);
    CHECK(std::fabs(v[5]) < 1e-6f);
    CHECK(v[6] == 1.5f && v[7] == -2.0f);
}

// ---- std::complex ----

enum { function_count = 16 };
template <typename T>
__host__ __device__ void functions(std::complex<T> z, std::complex<T> w, std::complex<T> *r)
{
    typedef std::complex<T> C;
    int k = 0;
    r[k++] = z + w;
    r[k++] = z - w;
    r[k++] = z * w;
    r[k++] = z / w;
    r[k++] = std::conj(z) + T(2) * z - w / T(3);
    r[k++] = std::exp(z);
    r[k++] = std::log(z);
    r[k++] = std::sqrt(z);
    r[k++] = std::sin(z);
    r[k++] = std::cosh(z);
    r[k++] = std::tanh(z);
    r[k++] = std::pow(z, w);
    r[k++] = std::polar(std::abs(z), std::arg(z));
    C m = z;
    m += w;
    m *= z;
    m -= T(1);
    m /= w;
    r[k++] = m;
    r[k++] = C(std::norm(z), z.real() + w.imag());
    r[k++] = C(z == w, z != w);
}
template <typename T>
__global__ void compute_std(std::complex<T> *out, const std::complex<T> *z,
                            const std::complex<T> *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        functions(z[i], w[i], out + i * function_count);
}
template <typename T> void check_std()
{
    typedef std::complex<T> C;
    std::mt19937 random(43);
    std::uniform_real_distribution<double> unit(-2, 2);
    std::vector<C> z, w;
    for (int i = 0; i < 400; ++i) {
        z.push_back(C(static_cast<T>(unit(random)), static_cast<T>(unit(random))));
        w.push_back(i % 50 == 0 ? z.back()
                                : C(static_cast<T>(unit(random)), static_cast<T>(unit(random))));
    }
    int n = static_cast<int>(z.size());
    ah_test::buffer<C> dz(z), dw(w), out(n * function_count);
    compute_std<T><<<(n + 63) / 64, 64>>>(out.device(), dz.device(), dw.device(), n);
    CHECK_LAUNCH();
    for (int i = 0; i < n; ++i) {
        cl want[function_count];
        functions<long double>(cl(z[i].real(), z[i].imag()), cl(w[i].real(), w[i].imag()), want);
        for (int k = 0; k < function_count; ++k) {
            C g = out.read()[i * function_count + k];
            /* sums and products may cancel; powers multiply the logarithm's error */
            long double size = std::abs(want[k]) + (k < 5 || k == 13 ? 20 : 0.05L);
            long double unit_ = size * std::numeric_limits<T>::epsilon() * (k == 11 ? 20 : 6);
            CHECK_CASE(std::abs(cl(g.real(), g.imag()) - want[k]) <= unit_,
                       "function %d of (%g, %g), (%g, %g) is (%g, %g), not (%Lg, %Lg)", k,
                       static_cast<double>(z[i].real()), static_cast<double>(z[i].imag()),
                       static_cast<double>(w[i].real()), static_cast<double>(w[i].imag()),
                       static_cast<double>(g.real()), static_cast<double>(g.imag()), want[k].real(),
                       want[k].imag());
        }
    }
}
TEST("std::complex<float> in device code")
{
    check_std<float>();
}
TEST("std::complex<double> in device code")
{
    check_std<double>();
}

__global__ void infinities(cd *out)
{
    const double inf = INFINITY, nan = NAN;
    out[0] = cd(inf, nan) * cd(1, 1);
    out[1] = cd(1, 1) / cd(0, 0);
    out[2] = cd(1, 1) / cd(inf, inf);
    out[3] = cd(1e300, 1e300) / cd(1e300, 1e300);
}
TEST("products and quotients of infinite complex numbers follow annex G of C")
{
    ah_test::buffer<cd> out(4);
    infinities<<<1, 1>>>(out.device());
    CHECK_LAUNCH();
    const std::vector<cd> &v = out.read();
    CHECK(std::isinf(v[0].real()) || std::isinf(v[0].imag()));
    CHECK(std::isinf(v[1].real()) || std::isinf(v[1].imag()));
    CHECK(v[2].real() == 0 && v[2].imag() == 0);
    CHECK(std::abs(v[3] - cd(1, 0)) < 1e-15);
}

HIP_TEST_MAIN
