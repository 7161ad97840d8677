// What every example needs: stop with a message when a HIP call fails, and say so plainly when
// there is no device to run on (exit code 77, which test runners know as "skipped").
#pragma once

#include <hip/hip_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>

#define HIP_CHECK(call)                                                                            \
    do {                                                                                           \
        hipError_t hip_check_error = (call);                                                       \
        if (hip_check_error != hipSuccess) {                                                       \
            fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call,                     \
                    hipGetErrorString(hip_check_error), hipGetErrorName(hip_check_error));         \
            exit(hip_check_error == hipErrorNoDevice ? 77 : 1);                                    \
        }                                                                                          \
    } while (0)

static inline void print_device(void)
{
    hipDeviceProp_t properties;
    int device;
    HIP_CHECK(hipGetDevice(&device));
    HIP_CHECK(hipGetDeviceProperties(&properties, device));
    printf("device %d: %s (%s, warps of %d lanes)\n", device, properties.name,
           properties.gcnArchName, properties.warpSize);
}
