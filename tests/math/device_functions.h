// The functions of include/hip/device/math/ as they are compiled for the host, over arrays. One
// object for each vendor, because headers decide by the preprocessor: device_functions.cpp.
#ifndef AH_TESTS_MATH_DEVICE_FUNCTIONS_H
#define AH_TESTS_MATH_DEVICE_FUNCTIONS_H

#include <cstddef>

// Either pointer is null if the headers have no such function. y is null for one argument.
struct device_function {
    const char *name;
    void (*f32)(float *out, const float *x, const float *y, std::size_t n);
    void (*f64)(double *out, const double *x, const double *y, std::size_t n);
};

// End with a row whose name is null.
extern const device_function nvidia_functions[];
extern const device_function amd_functions[];

#endif
