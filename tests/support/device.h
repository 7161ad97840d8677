/* Whether a test program has a device to run on. For C and C++. */
#ifndef AH_TESTS_DEVICE_H
#define AH_TESTS_DEVICE_H

#include <hip/hip_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The exit status to end with at once: 77 (skipped) when there is no device, 1 when the devices
 * cannot be counted or simulated ones, which are always there, were asked for; 0: go on. Says what
 * it is. */
static inline int status_without_device(void)
{
    int devices = 0;
    hipError_t error = hipGetDeviceCount(&devices);
    if (error == hipSuccess && devices > 0)
        return 0;
    const char *wanted = getenv("ANYHIP_BACKEND");
    int simulated = wanted && strncmp(wanted, "sim", 3) == 0;
    int none = !simulated && (error == hipSuccess || error == hipErrorNoDevice);
    printf("%s: %d devices (%s)\n", none ? "skipped" : "FAILED", devices, hipGetErrorName(error));
    return none ? 77 : 1;
}

#endif
