/* Owns waiting for some bits of a value in memory. The driver compares whole values only, so that
 * a kernel of one thread waits. */
#include "cuda_backend.h"

/* ah_wait(pointer, value, mask, condition, wide): until the bits of mask, read as 64 bits when
 * wide is not 0 and as 32 else, satisfy enum ah_wait_condition. mask has no other bits. */
static const char wait_ptx[] =
    ".version 6.3\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry ah_wait(.param .u64 p, .param .u64 v, .param .u64 m, .param .u32 c,\n"
    "                        .param .u32 w)\n"
    "{\n"
    "    .reg .b64 %p, %v, %m, %x, %t;\n"
    "    .reg .b32 %c, %w, %n;\n"
    "    .reg .pred %wide, %nor, %and, %equal, %done;\n"
    "    ld.param.u64 %p, [p];\n"
    "    ld.param.u64 %v, [v];\n"
    "    ld.param.u64 %m, [m];\n"
    "    ld.param.u32 %c, [c];\n"
    "    ld.param.u32 %w, [w];\n"
    "    setp.ne.u32 %wide, %w, 0;\n"
    "    setp.eq.u32 %equal, %c, 1;\n"
    "    setp.eq.u32 %and, %c, 2;\n"
    "    setp.eq.u32 %nor, %c, 3;\n"
    "again:\n"
    "    @%wide ld.acquire.sys.u64 %x, [%p];\n"
    "    @!%wide ld.acquire.sys.u32 %n, [%p];\n"
    "    @!%wide cvt.u64.u32 %x, %n;\n"
    "    and.b64 %x, %x, %m;\n"
    "    @%equal bra is_equal;\n"
    "    @%and bra has_one;\n"
    "    @%nor bra lacks_one;\n"
    "    setp.ge.u64 %done, %x, %v;\n"
    "    bra decide;\n"
    "is_equal:\n"
    "    setp.eq.u64 %done, %x, %v;\n"
    "    bra decide;\n"
    "has_one:\n"
    "    and.b64 %t, %x, %v;\n"
    "    setp.ne.u64 %done, %t, 0;\n"
    "    bra decide;\n"
    "lacks_one:\n"
    "    or.b64 %t, %x, %v;\n"
    "    not.b64 %t, %t;\n"
    "    and.b64 %t, %t, %m;\n"
    "    setp.ne.u64 %done, %t, 0;\n"
    "decide:\n"
    "    @%done ret;\n"
    "    nanosleep.u32 1000;\n"
    "    bra again;\n"
    "}\n";

_Static_assert(AH_WAIT_GEQUAL == 0 && AH_WAIT_EQUAL == 1 && AH_WAIT_AND == 2 && AH_WAIT_NOR == 3,
               "the kernel's conditions");

/* The kernel on the device, loaded at its first use. */
static hipError_t wait_kernel(struct ah_backend_device *device, CUfunction *out_kernel)
{
    CUmodule module = NULL;
    CUfunction kernel, first = NULL;
    *out_kernel = atomic_load(&device->wait_kernel);
    if (*out_kernel)
        return hipSuccess;
    CUresult result = device->api->cuModuleLoadDataEx(&module, wait_ptx, 0, NULL, NULL);
    if (result == CUDA_SUCCESS)
        result = device->api->cuModuleGetFunction(&kernel, module, "ah_wait");
    if (result != CUDA_SUCCESS) {
        if (module)
            device->api->cuModuleUnload(module);
        AH_LOG_ERR("the kernel that waits for a masked value cannot be loaded; it needs a GPU of "
                   "compute capability 7.0 or newer");
        return ahcuda_done(device, "cuModuleLoadDataEx", result);
    }
    if (atomic_compare_exchange_strong(&device->wait_kernel, &first, kernel)) {
        *out_kernel = kernel;
    } else { /* another thread has loaded it first */
        device->api->cuModuleUnload(module);
        *out_kernel = first;
    }
    return hipSuccess;
}

hipError_t ahcuda_stream_wait_masked(struct ah_backend_device *device,
                                     struct ah_backend_stream *stream, void *pointer,
                                     uint64_t value, uint64_t mask,
                                     enum ah_wait_condition condition, int bits)
{
    CUfunction kernel;
    struct ah_pointer_info info;
    uint64_t native_pointer;
    uint32_t native_condition = condition, wide = bits == 64;
    void *arguments[] = {&native_pointer, &value, &mask, &native_condition, &wide};
    ahcuda_pointer_info(device, pointer, &info);
    if ((uintptr_t)pointer % (unsigned)(bits / 8) != 0 || !info.device_pointer)
        return hipErrorInvalidValue;
    native_pointer = (uintptr_t)info.device_pointer;
    if (!wide) {
        value = (uint32_t)value;
        mask = (uint32_t)mask;
    }
    hipError_t error = ahcuda_enter(device);
    if (error == hipSuccess)
        error = wait_kernel(device, &kernel);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuLaunchKernel",
                       device->api->cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0,
                                                   ahcuda_stream(stream), arguments, NULL));
}
