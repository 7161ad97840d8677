/* Owns what the driver cannot do to values in memory, by kernels of one thread: waiting for some of
 * the bits, since it compares whole values only, and adding. */
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

/* ah_add(pointer, value, wide): adds value to 64 bits when wide is not 0, and to 32 else. */
static const char add_ptx[] =
    ".version 6.0\n"
    ".target sm_60\n"
    ".address_size 64\n"
    ".visible .entry ah_add(.param .u64 p, .param .u64 v, .param .u32 w)\n"
    "{\n"
    "    .reg .b64 %p, %v;\n"
    "    .reg .b32 %w, %n;\n"
    "    .reg .pred %wide;\n"
    "    ld.param.u64 %p, [p];\n"
    "    ld.param.u64 %v, [v];\n"
    "    ld.param.u32 %w, [w];\n"
    "    setp.ne.u32 %wide, %w, 0;\n"
    "    cvt.u32.u64 %n, %v;\n"
    "    @%wide red.sys.add.u64 [%p], %v;\n"
    "    @!%wide red.sys.add.u32 [%p], %n;\n"
    "    ret;\n"
    "}\n";

/* A kernel of this file, and where a device keeps it. */
struct value_kernel {
    const char *ptx, *name, *does, *needs;
    _Atomic(CUfunction) *kept;
};

/* The kernel on the device, loaded at its first use. */
static hipError_t load(struct ah_backend_device *device, const struct value_kernel *wanted,
                       CUfunction *out_kernel)
{
    CUmodule module = NULL;
    CUfunction kernel, first = NULL;
    *out_kernel = atomic_load(wanted->kept);
    if (*out_kernel)
        return hipSuccess;
    CUresult result = device->api->cuModuleLoadDataEx(&module, wanted->ptx, 0, NULL, NULL);
    if (result == CUDA_SUCCESS)
        result = device->api->cuModuleGetFunction(&kernel, module, wanted->name);
    if (result != CUDA_SUCCESS) {
        if (module)
            device->api->cuModuleUnload(module);
        AH_LOG_ERR("the kernel that %s cannot be loaded; it needs a GPU of compute capability %s "
                   "or newer",
                   wanted->does, wanted->needs);
        return ahcuda_done(device, "cuModuleLoadDataEx", result);
    }
    if (atomic_compare_exchange_strong(wanted->kept, &first, kernel)) {
        *out_kernel = kernel;
    } else { /* another thread has loaded it first */
        device->api->cuModuleUnload(module);
        *out_kernel = first;
    }
    return hipSuccess;
}

/* The device's address of a value. hipErrorInvalidValue: it is not aligned, or not the device's to
 * access. */
static hipError_t find_value(struct ah_backend_device *device, const void *pointer, int bits,
                             uint64_t *out_address)
{
    struct ah_pointer_info info;
    ahcuda_pointer_info(device, pointer, &info);
    if ((uintptr_t)pointer % (unsigned)(bits / 8) != 0 || !info.device_pointer)
        return hipErrorInvalidValue;
    *out_address = (uintptr_t)info.device_pointer;
    return hipSuccess;
}

static hipError_t launch(struct ah_backend_device *device, const struct value_kernel *wanted,
                         struct ah_backend_stream *stream, void **arguments)
{
    CUfunction kernel;
    hipError_t error = ahcuda_enter(device);
    if (error == hipSuccess)
        error = load(device, wanted, &kernel);
    if (error != hipSuccess)
        return error;
    return ahcuda_done(device, "cuLaunchKernel",
                       device->api->cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0,
                                                   ahcuda_stream(stream), arguments, NULL));
}

hipError_t ahcuda_stream_wait_masked(struct ah_backend_device *device,
                                     struct ah_backend_stream *stream, void *pointer,
                                     uint64_t value, uint64_t mask,
                                     enum ah_wait_condition condition, int bits)
{
    const struct value_kernel wait = {wait_ptx, "ah_wait", "waits for a masked value", "7.0",
                                      &device->wait_kernel};
    uint64_t address;
    uint32_t native_condition = condition, wide = bits == 64;
    void *arguments[] = {&address, &value, &mask, &native_condition, &wide};
    if (!wide) {
        value = (uint32_t)value;
        mask = (uint32_t)mask;
    }
    hipError_t error = find_value(device, pointer, bits, &address);
    return error == hipSuccess ? launch(device, &wait, stream, arguments) : error;
}

hipError_t ahcuda_stream_add_value(struct ah_backend_device *device,
                                   struct ah_backend_stream *stream, void *pointer, uint64_t value,
                                   int bits)
{
    const struct value_kernel add = {add_ptx, "ah_add", "adds to a value", "6.0",
                                     &device->add_kernel};
    uint64_t address;
    uint32_t wide = bits == 64;
    void *arguments[] = {&address, &value, &wide};
    hipError_t error = find_value(device, pointer, bits, &address);
    return error == hipSuccess ? launch(device, &add, stream, arguments) : error;
}
