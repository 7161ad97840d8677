/* Owns the self test: memory of each device is allocated, copied, filled and compared. */
#include "check.h"

#include <hip/anyhip.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = (1 << 20) + 13, FILLED = 4099 }; /* odd, so that no part is a whole page */

/* What a device's test owns. */
struct check {
    unsigned char *expected, *got;
    void *first, *second;
    hipStream_t stream;
    hipEvent_t event;
    const char *step; /* that failed */
    hipError_t error;
};

static bool step(struct check *check, const char *name, hipError_t error)
{
    check->step = name;
    check->error = error;
    return error == hipSuccess;
}

static bool prepare(struct check *check)
{
    check->expected = malloc(SIZE);
    check->got = calloc(1, SIZE);
    if (!check->expected || !check->got)
        return step(check, "malloc", hipErrorOutOfMemory);
    for (unsigned i = 0; i < SIZE; i++)
        check->expected[i] = (unsigned char)(i * 2654435761u >> 24);
    return step(check, "hipMalloc", hipMalloc(&check->first, SIZE)) &&
           step(check, "hipMalloc", hipMalloc(&check->second, SIZE)) &&
           step(check, "hipStreamCreate", hipStreamCreate(&check->stream)) &&
           step(check, "hipEventCreate", hipEventCreate(&check->event));
}

static bool compare(struct check *check)
{
    for (size_t i = 0; i < SIZE; i++) {
        if (check->got[i] != check->expected[i]) {
            check->step = "comparison";
            check->error = hipErrorUnknown;
            return false;
        }
    }
    return true;
}

/* Host to device to device to host, and part of it filled. */
static bool work(struct check *check)
{
    bool good = step(check, "hipMemcpy to the device",
                     hipMemcpy(check->first, check->expected, SIZE, hipMemcpyHostToDevice)) &&
                step(check, "hipMemcpyAsync on the device",
                     hipMemcpyAsync(check->second, check->first, SIZE, hipMemcpyDeviceToDevice,
                                    check->stream)) &&
                step(check, "hipMemsetAsync",
                     hipMemsetAsync((char *)check->second + FILLED, 0xa5, FILLED, check->stream)) &&
                step(check, "hipEventRecord", hipEventRecord(check->event, check->stream)) &&
                step(check, "hipEventSynchronize", hipEventSynchronize(check->event)) &&
                step(check, "hipMemcpy to the host",
                     hipMemcpy(check->got, check->second, SIZE, hipMemcpyDeviceToHost));
    if (!good)
        return false;
    memset(check->expected + FILLED, 0xa5, FILLED);
    return compare(check);
}

static bool finish(struct check *check, bool good)
{
    hipError_t errors[] = {
        check->event ? hipEventDestroy(check->event) : hipSuccess,
        check->stream ? hipStreamDestroy(check->stream) : hipSuccess,
        hipFree(check->second),
        hipFree(check->first),
    };
    free(check->expected);
    free(check->got);
    for (size_t i = 0; good && i < sizeof errors / sizeof *errors; i++)
        good = step(check, "release", errors[i]);
    return good;
}

static bool check_device(int device)
{
    struct check check = {0};
    char name[256] = "?";
    enum anyhipBackend backend;
    const char *driver = "?";
    anyhipDeviceGetBackend(device, &backend, &driver);
    bool good = step(&check, "hipDeviceGetName", hipDeviceGetName(name, sizeof name, device)) &&
                step(&check, "hipSetDevice", hipSetDevice(device)) && prepare(&check) &&
                work(&check);
    good = finish(&check, good);
    printf("device %d, %s (%s): ", device, name, driver);
    if (good)
        puts("good");
    else
        printf("FAILED: %s: %s (%s)\n", check.step, hipGetErrorName(check.error),
               hipGetErrorString(check.error));
    fflush(stdout);
    return good;
}

int ah_check(void)
{
    int count = 0;
    bool good = true;
    hipError_t error = hipGetDeviceCount(&count);
    if (error != hipSuccess || count == 0) {
        fprintf(stderr, "anyhip: %s: `anyhip info` lists the drivers that were tried\n",
                hipGetErrorString(error));
        return 1;
    }
    for (int device = 0; device < count; device++)
        good = check_device(device) && good;
    return good ? 0 : 1;
}
