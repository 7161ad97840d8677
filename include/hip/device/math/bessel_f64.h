/* Double precision Bessel functions of the first and second kind, of all orders. The coefficients
 * are from tools/math/bessel_f64.py.
 *
 * The first kind below 8: a polynomial in t = 64 - x x, whose coefficients are positive, is
 * multiplied by x x - z z for the two zeros z there, with z z in two parts, so that the result
 * keeps its digits around them. Both kinds from 8 on: sqrt(2 / (pi x)) (P cos w - Q / x sin w), w =
 * x - pi/4 - n pi/2, or P sin w + Q / x cos w, with P and Q as polynomials in 64 / (x x): an
 * absolute error of some 2^-52 of that root. Other orders by recurrence. */
#ifndef HIP_DEVICE_MATH_BESSEL_F64_H
#define HIP_DEVICE_MATH_BESSEL_F64_H

#include "hip/device/math/bessel_orders.h"
#include "hip/device/math/log_f64.h"
#include "hip/device/math/root_f64.h"
#include "hip/device/math/trig_f64.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

namespace __ah
{
/* J0 and J1 / x over the two factors; relative errors */
__AH_FN double j0_ratio(double t) /* error 2^-54.1 */
{
    double p = 0x1.c10bd4ea67b47p-122;
    p = fma_f64(p, t, 0x1.fa3934c3e5e87p-113);
    p = fma_f64(p, t, 0x1.de81885d8b452p-103);
    p = fma_f64(p, t, 0x1.50a06f035fb02p-93);
    p = fma_f64(p, t, 0x1.9c2ec81538dd2p-84);
    p = fma_f64(p, t, 0x1.a7dd3952cf285p-75);
    p = fma_f64(p, t, 0x1.689329aa3c7f3p-66);
    p = fma_f64(p, t, 0x1.f0aff51abea1ap-58);
    p = fma_f64(p, t, 0x1.0d97875f4f9cap-49);
    p = fma_f64(p, t, 0x1.bd3c2ed7a9617p-42);
    p = fma_f64(p, t, 0x1.0a698d0a0fc2dp-34);
    p = fma_f64(p, t, 0x1.ae528ba67a8fdp-28);
    p = fma_f64(p, t, 0x1.a1fee49614f82p-22);
    p = fma_f64(p, t, 0x1.86c89ec148fc5p-17);
    p = fma_f64(p, t, 0x1.70d77f560145cp-14);
    return p;
}
__AH_FN double j1_ratio(double t) /* error 2^-55.0 */
{
    double p = 0x1.b96c1ad41ffe6p-117;
    p = fma_f64(p, t, 0x1.cd7e35a7944dfp-108);
    p = fma_f64(p, t, 0x1.974347001f3f1p-98);
    p = fma_f64(p, t, 0x1.08cc72e61f517p-88);
    p = fma_f64(p, t, 0x1.29c99b6e6ce92p-79);
    p = fma_f64(p, t, 0x1.16e66d5e295afp-70);
    p = fma_f64(p, t, 0x1.abca86e6cb8adp-62);
    p = fma_f64(p, t, 0x1.0641508c960d9p-53);
    p = fma_f64(p, t, 0x1.f27e2f24ce7fp-46);
    p = fma_f64(p, t, 0x1.606db3357bcefp-38);
    p = fma_f64(p, t, 0x1.5dc281b89464dp-31);
    p = fma_f64(p, t, 0x1.bdc3954972329p-25);
    p = fma_f64(p, t, 0x1.3848b9914d38dp-19);
    p = fma_f64(p, t, 0x1.517f30234baa5p-15);
    return p;
}
__AH_FN double j0_near(double x)
{
    __AH_EXACT
    double first = fma_f64(x, x, -0x1.721fb80462bbbp+2) - 0x1.db60c816c15d3p-52;
    double second = fma_f64(x, x, -0x1.e78a4a621dd6fp+4) + 0x1.10d7c5048826bp-52;
    return j0_ratio(fma_f64(-x, x, 64.0)) * first * second;
}
__AH_FN double j1_near(double x)
{
    __AH_EXACT
    double first = fma_f64(x, x, -0x1.d5d2b4189822cp+3) + 0x1.c6a0d245172bap-54;
    double second = fma_f64(x, x, -0x1.89bf66072a432p+5) - 0x1.25355661cb79cp-51;
    return j1_ratio(fma_f64(-x, x, 64.0)) * first * second * x;
}

/* P = 1 + w p and Q for w = 64 / (x x), of order 0 and 1; errors of P and Q / x */
__AH_FN double p0_of(double w) /* error 2^-55.6 */
{
    double p = -0x1.e519e6508fbap-33;
    p = fma_f64(p, w, 0x1.aeff0d55a0f29p-30);
    p = fma_f64(p, w, -0x1.6d8d9d2bd5b99p-28);
    p = fma_f64(p, w, 0x1.9dd603f2b2305p-27);
    p = fma_f64(p, w, -0x1.81e1964fda672p-26);
    p = fma_f64(p, w, 0x1.6eb2b3acec01ep-25);
    p = fma_f64(p, w, -0x1.b68c2021ea44bp-24);
    p = fma_f64(p, w, 0x1.84ae4ca50d989p-22);
    p = fma_f64(p, w, -0x1.251ebd2db0c3ep-19);
    p = fma_f64(p, w, 0x1.cb5fffc1631cap-16);
    p = fma_f64(p, w, -0x1.1ffffffffbfe3p-10);
    return p;
}
__AH_FN double q0_of(double w) /* error 2^-54.4 */
{
    double p = -0x1.30086d3eebf3ap-29;
    p = fma_f64(p, w, 0x1.09317478cb54fp-26);
    p = fma_f64(p, w, -0x1.bdfa1c163a26dp-25);
    p = fma_f64(p, w, 0x1.ffce4c8dcbb9bp-24);
    p = fma_f64(p, w, -0x1.f905b6fdc52a1p-23);
    p = fma_f64(p, w, 0x1.0e85ad5f60ae4p-21);
    p = fma_f64(p, w, -0x1.858a43959e66dp-20);
    p = fma_f64(p, w, 0x1.ba47a10aaf5b1p-18);
    p = fma_f64(p, w, -0x1.d11df47dc7adp-15);
    p = fma_f64(p, w, 0x1.2bfffffcb9d22p-10);
    p = fma_f64(p, w, -0x1.ffffffffffdc9p-4);
    return p;
}
__AH_FN double p1_of(double w) /* error 2^-55.5 */
{
    double p = 0x1.026013520e7e6p-32;
    p = fma_f64(p, w, -0x1.cb9699ace2993p-30);
    p = fma_f64(p, w, 0x1.867860ecd33f5p-28);
    p = fma_f64(p, w, -0x1.bb625b6080383p-27);
    p = fma_f64(p, w, 0x1.9fbacbdae1b8fp-26);
    p = fma_f64(p, w, -0x1.8ef36341ddcb1p-25);
    p = fma_f64(p, w, 0x1.e4c796d950e4cp-24);
    p = fma_f64(p, w, -0x1.b8825b2fc8854p-22);
    p = fma_f64(p, w, 0x1.5a6a2a961ea76p-19);
    p = fma_f64(p, w, -0x1.274fffdec9d9fp-15);
    p = fma_f64(p, w, 0x1.dffffffffbbf7p-10);
    return p;
}
__AH_FN double q1_of(double w) /* error 2^-54.3 */
{
    double p = 0x1.448e93e86f331p-29;
    p = fma_f64(p, w, -0x1.1b708ccd15d5dp-26);
    p = fma_f64(p, w, 0x1.dda6e0c767adp-25);
    p = fma_f64(p, w, -0x1.131cce42e1f9dp-23);
    p = fma_f64(p, w, 0x1.115d67e4e3486p-22);
    p = fma_f64(p, w, -0x1.287652d2669dfp-21);
    p = fma_f64(p, w, 0x1.b366265e1d513p-20);
    p = fma_f64(p, w, -0x1.fe5314e4e612bp-18);
    p = fma_f64(p, w, 0x1.1c3cf9e2b6b7ep-14);
    p = fma_f64(p, w, -0x1.a3fffffc8519p-10);
    p = fma_f64(p, w, 0x1.7ffffffffff69p-2);
    return p;
}
/* What all functions share from 8 on: sqrt(1 / (pi x)), 1 / x, sine and cosine of x. */
struct bessel_far {
    double amplitude, inverse, w, sine, cosine;
};
__AH_FN bessel_far far_parts(double x)
{
    __AH_EXACT
    bessel_far f;
    double r = inverse_root(x);
    f.amplitude = r * 0x1.20dd750429b6dp-1;
    f.inverse = r * r;
    f.w = f.inverse * f.inverse * 64.0;
    turned_f64 t = quarters(x);
    double z = t.r * t.r, s = sine_part(t.r, z), c = cosine_part(z);
    f.sine = by_quarter(s, c, t.n);
    f.cosine = by_quarter(s, c, t.n + 1);
    return f;
}
/* cos(x - pi/4) is (cos x + sin x) / sqrt 2, sin(x - pi/4) is (sin x - cos x) / sqrt 2; for order 1
 * the cosine is (sin x - cos x) / sqrt 2 and the sine -(sin x + cos x) / sqrt 2. */
__AH_FN double j0_far(bessel_far f)
{
    double plus = f.cosine + f.sine, minus = f.sine - f.cosine;
    double p = fma_f64(p0_of(f.w) * f.w, plus, plus);
    return f.amplitude * fma_f64(q0_of(f.w) * -f.inverse, minus, p);
}
__AH_FN double y0_far(bessel_far f)
{
    double plus = f.cosine + f.sine, minus = f.sine - f.cosine;
    double p = fma_f64(p0_of(f.w) * f.w, minus, minus);
    return f.amplitude * fma_f64(q0_of(f.w) * f.inverse, plus, p);
}
__AH_FN double j1_far(bessel_far f)
{
    double plus = f.cosine + f.sine, minus = f.sine - f.cosine;
    double p = fma_f64(p1_of(f.w) * f.w, minus, minus);
    return f.amplitude * fma_f64(q1_of(f.w) * f.inverse, plus, p);
}
__AH_FN double y1_far(bessel_far f)
{
    double plus = f.cosine + f.sine, minus = f.sine - f.cosine;
    double p = fma_f64(p1_of(f.w) * f.w, plus, plus);
    return f.amplitude * fma_f64(q1_of(f.w) * f.inverse, minus, -p);
}

__AH_FN double j0_f64(double x) /* 4 ULP below 8 */
{
    double a = __builtin_fabs(x);
    if (a < 8.0)
        return j0_near(a);
    return a == __builtin_inf() ? 0.0 : j0_far(far_parts(a));
}
__AH_FN double j1_f64(double x) /* 4 ULP below 8 */
{
    double a = __builtin_fabs(x);
    if (a < 8.0)
        return j1_near(x);
    double r = a == __builtin_inf() ? 0.0 : j1_far(far_parts(a));
    return x < 0.0 ? -r : r;
}

/* The second kind. Below 3 for order 0 and 3.25 for order 1, with z the first zero and s = x x, it
 * is 2 / pi ln(x / z) J + (s - z z) T(s), divided by x for order 1: both terms keep their digits
 * around z. J and T are polynomials in u, which is s less a constant. From there to 8 a polynomial
 * is multiplied by x - z for each zero z. Relative errors. */
__AH_FN double j0_low(double u) /* error 2^-54.4 */
{
    double p = 0x1.26e55431c3b76p-82;
    p = fma_f64(p, u, -0x1.495be3f844682p-73);
    p = fma_f64(p, u, 0x1.349f0f33bcf2bp-64);
    p = fma_f64(p, u, -0x1.dd3f0e0a1cbacp-56);
    p = fma_f64(p, u, 0x1.2a31680ef5859p-47);
    p = fma_f64(p, u, -0x1.257960719f2bfp-39);
    p = fma_f64(p, u, 0x1.b835969a7f5ccp-32);
    p = fma_f64(p, u, -0x1.e1b19faa91532p-25);
    p = fma_f64(p, u, 0x1.69d0809689f6ap-18);
    p = fma_f64(p, u, -0x1.54a572524b13cp-12);
    p = fma_f64(p, u, 0x1.5911230cb3e93p-7);
    p = fma_f64(p, u, -0x1.11363cef5813p-3);
    p = fma_f64(p, u, 0x1.3c7264e0cb7f7p-3);
    return p;
}
__AH_FN double y0_low(double u) /* error 2^-54.5 */
{
    double p = 0x1.e88c95fda1425p-91;
    p = fma_f64(p, u, -0x1.39deeb1e86edp-81);
    p = fma_f64(p, u, 0x1.55eea3f19419ap-72);
    p = fma_f64(p, u, -0x1.37b937fb6d524p-63);
    p = fma_f64(p, u, 0x1.d33b6c323fd1ap-55);
    p = fma_f64(p, u, -0x1.19b141701eefdp-46);
    p = fma_f64(p, u, 0x1.09f291e55d5ebp-38);
    p = fma_f64(p, u, -0x1.7bb0a113fb4dap-31);
    p = fma_f64(p, u, 0x1.871f595a9c5e2p-24);
    p = fma_f64(p, u, -0x1.10142463ff9c1p-17);
    p = fma_f64(p, u, 0x1.ce0346eae9d0ap-12);
    p = fma_f64(p, u, -0x1.9178b1dd77779p-7);
    p = fma_f64(p, u, 0x1.e0812c72a76a9p-4);
    return p;
}
__AH_FN double j1_low(double u) /* error 2^-55.7 */
{
    double p = 0x1.6823a70694282p-87;
    p = fma_f64(p, u, -0x1.b3fde10eb536dp-78);
    p = fma_f64(p, u, 0x1.bdb7477f53b7fp-69);
    p = fma_f64(p, u, -0x1.7b32279024335p-60);
    p = fma_f64(p, u, 0x1.07689b99e004cp-51);
    p = fma_f64(p, u, -0x1.23f5deee24033p-43);
    p = fma_f64(p, u, 0x1.f57a350b1d348p-36);
    p = fma_f64(p, u, -0x1.413c689b2a647p-28);
    p = fma_f64(p, u, 0x1.23846c94650aep-21);
    p = fma_f64(p, u, -0x1.5bed4edc89c13p-15);
    p = fma_f64(p, u, 0x1.e6052aee8c32ep-10);
    p = fma_f64(p, u, -0x1.41b42cfec632fp-5);
    p = fma_f64(p, u, 0x1.e3eea7e746652p-3);
    return p;
}
__AH_FN double y1_low(double u) /* error 2^-53.9 */
{
    double p = -0x1.189bd77fc1cc9p-86;
    p = fma_f64(p, u, 0x1.47ef104c6655dp-77);
    p = fma_f64(p, u, -0x1.4247bb4efe4b3p-68);
    p = fma_f64(p, u, 0x1.0603354a6b273p-59);
    p = fma_f64(p, u, -0x1.59262eefc4a4fp-51);
    p = fma_f64(p, u, 0x1.66e76f57408bcp-43);
    p = fma_f64(p, u, -0x1.1cd49486f2a5cp-35);
    p = fma_f64(p, u, 0x1.498d6d48ae17ep-28);
    p = fma_f64(p, u, -0x1.03f04f35473a8p-21);
    p = fma_f64(p, u, 0x1.f4ddd7ff1ac54p-16);
    p = fma_f64(p, u, -0x1.d402773668d4bp-11);
    p = fma_f64(p, u, 0x1.fd7a4ab9d4813p-9);
    p = fma_f64(p, u, 0x1.73e76f574f87p-3);
    return p;
}
__AH_FN double y0_middle(double t) /* error 2^-52.9 */
{
    double p = 0x1.2462da850e2dcp-65;
    p = fma_f64(p, t, -0x1.8acacc128253dp-63);
    p = fma_f64(p, t, -0x1.073f577b3b44cp-62);
    p = fma_f64(p, t, 0x1.1095fca7f4b8ep-60);
    p = fma_f64(p, t, 0x1.09be0b60b5a83p-56);
    p = fma_f64(p, t, -0x1.6447c73adbffcp-54);
    p = fma_f64(p, t, 0x1.256630a1712c6p-52);
    p = fma_f64(p, t, -0x1.b129b1eb5677p-50);
    p = fma_f64(p, t, 0x1.72e4aeac6340dp-47);
    p = fma_f64(p, t, -0x1.245f2c9d169fcp-44);
    p = fma_f64(p, t, 0x1.10cda186102a5p-42);
    p = fma_f64(p, t, -0x1.426ae75305f87p-45);
    p = fma_f64(p, t, 0x1.09ec4cd13846fp-35);
    p = fma_f64(p, t, -0x1.e1ccae5fb5a73p-32);
    p = fma_f64(p, t, -0x1.6bacbd0bee109p-29);
    p = fma_f64(p, t, 0x1.ba800d5a2d878p-25);
    p = fma_f64(p, t, 0x1.79af46c85f0d1p-22);
    p = fma_f64(p, t, -0x1.6de9d9f63d1b3p-18);
    p = fma_f64(p, t, -0x1.8acc8eaf38b9p-16);
    p = fma_f64(p, t, 0x1.5fd3a0a49819ap-12);
    p = fma_f64(p, t, 0x1.ec6357fe02353p-11);
    p = fma_f64(p, t, -0x1.7aab9a11315aap-7);
    p = fma_f64(p, t, -0x1.8f8bc8df6129ep-7);
    p = fma_f64(p, t, 0x1.1c38036545cfbp-3);
    return p;
}
__AH_FN double y1_middle(double t) /* error 2^-53.3 */
{
    double p = -0x1.e57c0b36e9a6bp-67;
    p = fma_f64(p, t, 0x1.567e9ec8cc381p-64);
    p = fma_f64(p, t, 0x1.62a3f6707dbfap-64);
    p = fma_f64(p, t, -0x1.0063d364319b9p-61);
    p = fma_f64(p, t, -0x1.9bba3525d757ap-58);
    p = fma_f64(p, t, 0x1.225f3dc63587fp-55);
    p = fma_f64(p, t, -0x1.c7842d3a3824fp-54);
    p = fma_f64(p, t, 0x1.3e7183bf07712p-51);
    p = fma_f64(p, t, -0x1.00295dfa42551p-48);
    p = fma_f64(p, t, 0x1.61a8775499357p-46);
    p = fma_f64(p, t, -0x1.04c8bb0cb2de1p-43);
    p = fma_f64(p, t, 0x1.959f8f3d1d387p-41);
    p = fma_f64(p, t, -0x1.0c42ff1977dfp-39);
    p = fma_f64(p, t, -0x1.84302464a3ff1p-38);
    p = fma_f64(p, t, -0x1.ad7b3a6ee1d7fp-32);
    p = fma_f64(p, t, 0x1.479e48ff2be46p-28);
    p = fma_f64(p, t, 0x1.320efb9500c6ap-25);
    p = fma_f64(p, t, -0x1.0864addaeee4ep-21);
    p = fma_f64(p, t, -0x1.eda23a943cf58p-19);
    p = fma_f64(p, t, 0x1.6020ff1781505p-15);
    p = fma_f64(p, t, 0x1.a063445980706p-13);
    p = fma_f64(p, t, -0x1.05c10e6aac5e7p-9);
    p = fma_f64(p, t, -0x1.7b6e4754a0f47p-8);
    p = fma_f64(p, t, 0x1.896eb50b9924ep-5);
    p = fma_f64(p, t, 0x1.9f586bf2b973bp-5);
    p = fma_f64(p, t, -0x1.54432b080e173p-2);
    return p;
}

/* 2 / pi ln(x / z) with z = high + low and x > 0, inverse = 1 / z. x = 2^e m with m near z. */
__AH_FN double log_of_quotient(double x, double high, double low, double inverse)
{
    __AH_EXACT
    bool small = high_word(x) < 0x00100000u;
    double whole = small ? x * 0x1p54 : x;
    unsigned int power = (high_word(whole) - high_word(high * 0x1.6a09ep-1)) & 0xfff00000u;
    double m = from_words(high_word(whole) - power, low_word(whole));
    double e = to_f64((static_cast<int>(power) >> 20) - (small ? 54 : 0));
    return log_of_parts(log_parts_from(e, ((m - high) - low) * inverse)) * 0x1.45f306dc9c883p-1;
}
__AH_FN double y0_near(double x)
{
    __AH_EXACT
    if (x < 3.0) {
        double u = fma_f64(x, x, -4.5),
               l = log_of_quotient(x, 0x1.c982eb8d417eap-1, 0x1.ea9d270347f83p-56,
                                   0x1.1e7d3131dd6bap+0);
        double distance = fma_f64(x, x, -0x1.98d257f93404ap-1) - 0x1.b7acb8a94e405p-55;
        return fma_f64(l, j0_low(u), distance * y0_low(u));
    }
    double second = (x - 0x1.fa9534d98569cp+1) + 0x1.f06ae7804384ep-54;
    double third = (x - 0x1.c581dc4e72103p+2) + 0x1.9774a495f56cfp-54;
    return y0_middle(x - 5.5) * second * third;
}
/* 1 / x is infinity where the result is. */
__AH_FN double y1_near(double x)
{
    __AH_EXACT
    if (x < 3.25) {
        double u = fma_f64(x, x, -5.25),
               l = log_of_quotient(x, 0x1.193bed4dff243p+1, -0x1.bd1e50d219bfdp-55,
                                   0x1.d20f658382cf2p-2);
        double distance = fma_f64(x, x, -0x1.34f49cfc780a9p+2) + 0x1.65d88128c73dfp-52;
        return fma_f64(l, x * j1_low(u), distance * y1_low(u) / x);
    }
    return y1_middle(x - 5.625) * ((x - 0x1.5b7fe4e87b02ep+2) - 0x1.dfe7bac228e8cp-52);
}
__AH_FN double y0_f64(double x) /* 4 ULP below 8 */
{
    if (__builtin_expect(!(x > 0.0 && x < __builtin_inf()), 0))
        return y_special(x);
    return x < 8.0 ? y0_near(x) : y0_far(far_parts(x));
}
__AH_FN double y1_f64(double x) /* 4 ULP below 8 */
{
    if (__builtin_expect(!(x > 0.0 && x < __builtin_inf()), 0))
        return y_special(x);
    return x < 8.0 ? y1_near(x) : y1_far(far_parts(x));
}

/* Of other orders both kinds are within 2 n + 6 ULP where x is below n, and elsewhere
 * within 1.3e-15 up to order 128 and 5e-15 at order 500. */
template <> struct bessel_type<double> {
    static constexpr bool infinite_is_nothing = false;
    static constexpr double small = 0x1p-20, scale = 0x1p+500;
    static constexpr float start_factor = 8.0f;
    static constexpr unsigned int start = 6;
    __AH_FN double quotient(double x, double y) { return x / y; }
    __AH_FN double y0_and_y1(double x, double *y1)
    {
        double y0;
        if (x < 8.0) {
            y0 = y0_near(x);
            *y1 = y1_near(x);
        } else {
            bessel_far f = far_parts(x);
            y0 = y0_far(f);
            *y1 = y1_far(f);
        }
        return y0;
    }
    __AH_FN double j0_and_j1(double a, double *j1)
    {
        if (a < 8.0) {
            *j1 = j1_near(a);
            return j0_near(a);
        }
        bessel_far f = far_parts(a);
        *j1 = j1_far(f);
        return j0_far(f);
    }
    __AH_FN bool is_nothing(double order, double a)
    {
        __AH_EXACT
        return a < order && order * log2_f64(1.36 * a / order) < -1100.0;
    }
};
__AH_FN double yn_f64(int n, double x) { return yn_of(n, x); }
__AH_FN double jn_f64(int n, double x) { return jn_of(n, x); }
} // namespace __ah

#undef __AH_FN
#endif
