/* Bessel functions: of the first kind j0, j1 and jn, of the second y0, y1 and yn, and the modified ones
 * cyl_bessel_i0 and cyl_bessel_i1. */
#ifndef HIP_DEVICE_BESSEL_H
#define HIP_DEVICE_BESSEL_H

#include "hip/device/math/bessel_f32.h"
#include "hip/device/math/bessel_f64.h"
#include "hip/device/math/bessel_i_f32.h"
#include "hip/device/math/bessel_i_f64.h"

#define __AH_FN static __device__ inline __attribute__((always_inline))

__AH_FN double j0(double x) { return __ah::j0_f64(x); }
__AH_FN double j1(double x) { return __ah::j1_f64(x); }
__AH_FN double jn(int n, double x) { return __ah::jn_f64(n, x); }
__AH_FN double y0(double x) { return __ah::y0_f64(x); }
__AH_FN double y1(double x) { return __ah::y1_f64(x); }
__AH_FN double yn(int n, double x) { return __ah::yn_f64(n, x); }
__AH_FN double cyl_bessel_i0(double x) { return __ah::cyl_bessel_i0_f64(x); }
__AH_FN double cyl_bessel_i1(double x) { return __ah::cyl_bessel_i1_f64(x); }

__AH_FN float j0f(float x) { return __ah::j0_f32(x); }
__AH_FN float j1f(float x) { return __ah::j1_f32(x); }
__AH_FN float jnf(int n, float x) { return __ah::jn_f32(n, x); }
__AH_FN float y0f(float x) { return __ah::y0_f32(x); }
__AH_FN float y1f(float x) { return __ah::y1_f32(x); }
__AH_FN float ynf(int n, float x) { return __ah::yn_f32(n, x); }
__AH_FN float cyl_bessel_i0f(float x) { return __ah::cyl_bessel_i0_f32(x); }
__AH_FN float cyl_bessel_i1f(float x) { return __ah::cyl_bessel_i1_f32(x); }

#undef __AH_FN
#endif
