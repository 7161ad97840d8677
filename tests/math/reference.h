// What the functions of functions.def should give: quickly, for sweeps, and correctly rounded.
#ifndef AH_TESTS_MATH_REFERENCE_H
#define AH_TESTS_MATH_REFERENCE_H

#include <mpfr.h>

struct reference_function {
    const char *name;
    int arguments;
    double limit32, limit64;         /* the largest distance from the correctly rounded result */
    double low, high, low_y, high_y; /* arguments that are looked at densely */
    double (*quick)(double x, double y); /* for float: an error below 2^-45 except near zeros */
    long double (*careful)(long double x, long double y); /* for double: 2^-60, the same */
    void (*exact)(mpfr_t out, mpfr_srcptr x, mpfr_srcptr y);
    double (*floor)(double x); /* the unit of the error is that of this number if it is larger */
};

// Ends with a row whose name is null.
extern const reference_function reference_functions[];

#endif
