/* A library as clang makes it from a file with one kernel: it registers its fat binary when it is
 * loaded and unregisters it when it is unloaded. */
#include "fill_ptx.h"

#include <hip/api/registration.h>
#include <hip/hip_runtime_api.h>

#include <stdint.h>

static const char ptx[] = PTX_HEADER PTX_FILL;
static const struct {
    uint32_t magic, version;
    const void *binary;
    void *unused;
} wrapper = {0x48495046, 1, ptx, NULL};
static void **handle;
static const char kernel = 0;

hipError_t plugin_fill(uint32_t *out, uint32_t value, uint32_t count, hipStream_t stream);
const void *plugin_kernel(void);

__attribute__((visibility("default"))) hipError_t plugin_fill(uint32_t *out, uint32_t value,
                                                              uint32_t count, hipStream_t stream)
{
    void *args[] = {&out, &value, &count};
    return hipLaunchKernel(&kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, stream);
}

__attribute__((visibility("default"))) const void *plugin_kernel(void)
{
    return &kernel;
}

__attribute__((constructor)) static void enter(void)
{
    handle = __hipRegisterFatBinary(&wrapper);
    __hipRegisterFunction(handle, &kernel, (char *)(uintptr_t) "fake_fill", "fake_fill",
                          0xffffffffu, NULL, NULL, NULL, NULL, NULL);
}

__attribute__((destructor)) static void leave(void)
{
    __hipUnregisterFatBinary(handle);
}
