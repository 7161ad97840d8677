/* Numbers of single (suffix _F) and double precision, for host and device. _HI is the number
 * rounded to its type, _LO what is missing from there. */
#ifndef HIP_INCLUDE_HIP_HIP_MATH_CONSTANTS_H
#define HIP_INCLUDE_HIP_HIP_MATH_CONSTANTS_H

/* ---- single precision ---- */

#define HIP_INF_F            __builtin_inff()
#define HIP_NAN_F            __builtin_nanf("0x3fffff") /* 0x7fffffff */
#define HIP_MIN_DENORM_F     1.40129846e-45f            /* 2^-149 */
#define HIP_MAX_NORMAL_F     3.40282347e+38f
#define HIP_NEG_ZERO_F       (-0.0f)
#define HIP_ZERO_F           0.0f
#define HIP_ONE_F            1.0f
#define HIP_SQRT_HALF_F      0.707106769f /* sqrt(1/2) */
#define HIP_SQRT_TWO_F       1.41421354f  /* sqrt(2) */
#define HIP_THIRD_F          0.333333343f /* 1/3 */
#define HIP_PIO4_F           0.785398185f /* pi/4 */
#define HIP_PIO2_F           1.57079637f  /* pi/2 */
#define HIP_3PIO4_F          2.3561945f   /* 3 pi/4 */
#define HIP_2_OVER_PI_F      0.636619747f /* 2/pi */
#define HIP_SQRT_2_OVER_PI_F 0.797884583f /* sqrt(2/pi) */
#define HIP_PI_F             3.14159274f  /* pi */
#define HIP_L2E_F            1.44269502f  /* log2(e) */
#define HIP_L2T_F            3.32192802f  /* log2(10) */
#define HIP_LG2_F            0.30103001f  /* log10(2) */
#define HIP_LGE_F            0.434294492f /* log10(e) */
#define HIP_LN2_F            0.693147182f /* ln(2) */
#define HIP_LNT_F            2.30258512f  /* ln(10) */
#define HIP_LNPI_F           1.14472985f  /* ln(pi) */
#define HIP_SQRT_HALF_HI_F   0.707106769f
#define HIP_SQRT_HALF_LO_F   1.21016175e-08f
#define HIP_TWO_TO_M126_F    1.17549435e-38f
#define HIP_TWO_TO_126_F     8.50705917e+37f
#define HIP_NORM_HUGE_F      3.40282347e+38f
#define HIP_TWO_TO_23_F      8388608.0f
#define HIP_TWO_TO_24_F      16777216.0f
#define HIP_TWO_TO_31_F      2147483648.0f
#define HIP_TWO_TO_32_F      4294967296.0f
#define HIP_REMQUO_BITS_F    3u /* bits of the quotient that remquo gives */
#define HIP_REMQUO_MASK_F    (~((~0u) << HIP_REMQUO_BITS_F))
#define HIP_TRIG_PLOSS_F     105615.0f

/* ---- double precision ---- */

#define HIP_INF          __builtin_inf()
#define HIP_NAN          (-__builtin_nan("")) /* 0xfff8000000000000 */
#define HIP_NEG_ZERO     (-0.0)
#define HIP_MIN_DENORM   4.9406564584124654e-324 /* 2^-1074 */
#define HIP_ZERO         0.0
#define HIP_ONE          1.0
#define HIP_SQRT_HALF    0.70710678118654757 /* sqrt(1/2) */
#define HIP_SQRT_HALF_HI 0.70710678118654757
#define HIP_SQRT_HALF_LO (-4.8336466567264567e-17)
#define HIP_SQRT_TWO     1.4142135623730951  /* sqrt(2) */
#define HIP_THIRD        0.33333333333333331 /* 1/3 */
#define HIP_TWOTHIRD     0.66666666666666663 /* 2/3 */
#define HIP_PIO4         0.78539816339744828 /* pi/4 */
#define HIP_PIO4_HI      0.78539816339744828
#define HIP_PIO4_LO      3.061616997868383e-17
#define HIP_PIO2         1.5707963267948966 /* pi/2 */
#define HIP_PIO2_HI      1.5707963267948966
#define HIP_PIO2_LO      6.123233995736766e-17
#define HIP_3PIO4        2.3561944901923448  /* 3 pi/4 */
#define HIP_2_OVER_PI    0.63661977236758138 /* 2/pi */
#define HIP_SQRT_2OPI    0.79788456080286541 /* sqrt(2/pi) */
#define HIP_PI           3.1415926535897931  /* pi */
#define HIP_PI_HI        3.1415926535897931
#define HIP_PI_LO        1.2246467991473532e-16
#define HIP_SQRT_2PI     2.5066282746310007 /* sqrt(2 pi) */
#define HIP_SQRT_2PI_HI  2.5066282746310007
#define HIP_SQRT_2PI_LO  (-1.8328579980459167e-16)
#define HIP_SQRT_PIO2    1.2533141373155003 /* sqrt(pi/2) */
#define HIP_SQRT_PIO2_HI 1.2533141373155003
#define HIP_SQRT_PIO2_LO (-9.1642899902295834e-17)
#define HIP_L2E          1.4426950408889634 /* log2(e) */
#define HIP_L2E_HI       1.4426950408889634
#define HIP_L2E_LO       2.0355273740931033e-17
#define HIP_L2T          3.3219280948873622 /* log2(10) */
#define HIP_LG2          0.3010299956639812 /* log10(2) */
#define HIP_LG2_HI       0.3010299956639812
#define HIP_LG2_LO       (-2.8037281277851704e-18)
#define HIP_LGE          0.43429448190325182 /* log10(e) */
#define HIP_LGE_HI       0.43429448190325182
#define HIP_LGE_LO       1.0983196502167651e-17
#define HIP_LN2          0.69314718055994529 /* ln(2) */
#define HIP_LN2_HI       0.69314718055994529
#define HIP_LN2_LO       2.3190468138462996e-17
#define HIP_LNT          2.3025850929940459 /* ln(10) */
#define HIP_LNT_HI       2.3025850929940459
#define HIP_LNT_LO       (-2.1707562233822494e-16)
#define HIP_LNPI         1.1447298858494002 /* ln(pi) */
#define HIP_LN2_X_1024   709.78271289338397 /* 1024 ln(2) */
#define HIP_LN2_X_1025   710.47586007394398 /* 1025 ln(2) */
#define HIP_LN2_X_1075   745.13321910194122 /* 1075 ln(2) */
#define HIP_LG2_X_1024   308.25471555991675 /* 1024 log10(2) */
#define HIP_LG2_X_1075   323.60724533877976 /* 1075 log10(2) */
#define HIP_TWO_TO_23    8388608.0
#define HIP_TWO_TO_52    4503599627370496.0
#define HIP_TWO_TO_53    9007199254740992.0
#define HIP_TWO_TO_54    18014398509481984.0
#define HIP_TWO_TO_M54   5.5511151231257827e-17
#define HIP_TWO_TO_M1022 2.2250738585072014e-308
#define HIP_TRIG_PLOSS   2147483648.0
#define HIP_DBL2INT_CVT  6755399441055744.0 /* 1.5 times 2^52: added, it leaves an integer */

#endif
