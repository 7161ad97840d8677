/* The two hipGetDeviceProperties of HIP: the one that a program's source means, by link and by
 * dlsym, and the one that old objects mean. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <hip/hip_runtime_api.h>

#include "../support/device.h"

/* The fields of the struct of HIP 5 and older that this test reads: its name, then its size. */
struct old_properties {
    char name[256];
    size_t total_memory;
    char rest[4096];
};

static int failures;

static void check(int good, const char *what)
{
    printf("%s %s\n", good ? "ok    " : "FAILED", what);
    failures += !good;
}

int main(void)
{
    int status = status_without_device();
    if (status != 0)
        return status;
    hipDeviceProp_t linked, looked_up;
    struct old_properties old;
    memset(&old, 0x55, sizeof old);
    check(hipGetDeviceProperties(&linked, 0) == hipSuccess, "the linked function");
    hipError_t (*r0600)(hipDeviceProp_t *, int) =
        (hipError_t(*)(hipDeviceProp_t *, int))dlsym(RTLD_DEFAULT, "hipGetDevicePropertiesR0600");
    hipError_t (*plain)(struct old_properties *, int) =
        (hipError_t(*)(struct old_properties *, int))dlsym(RTLD_DEFAULT, "hipGetDeviceProperties");
    check(r0600 && plain, "both are found by dlsym");
    if (!r0600 || !plain)
        return 1;
    check(r0600(&looked_up, 0) == hipSuccess, "R0600 by dlsym");
    check(memcmp(&linked, &looked_up, sizeof linked) == 0, "it is what source code means");
    check(plain(&old, 0) == hipSuccess, "the old one by dlsym");
    check(strcmp(old.name, linked.name) == 0, "it knows the name");
    check(old.total_memory == linked.totalGlobalMem, "and the memory, where old objects look");
    check(old.rest[4000] == 0x55, "and writes no more than the old struct");
    check(linked.warpSize == 32 || linked.warpSize == 64, "the new struct has a warp");
    return failures != 0;
}
