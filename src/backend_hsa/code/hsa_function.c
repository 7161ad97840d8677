/* Owns the attributes and settings of kernels, and their occupancy. */
#include "hsa_module.h"

#include <string.h>

/* ---- attributes ------------------------------------------------------------------------- */

static unsigned max_threads(const struct ah_backend_function *function,
                            const struct ahhsa_device_info *info)
{
    unsigned own = function->max_threads;
    return own && own < info->group_max ? own : info->group_max;
}

static unsigned dynamic_room(const struct ah_backend_function *function,
                             const struct ahhsa_device_info *info)
{
    return info->group_memory > function->group_size ? info->group_memory - function->group_size
                                                     : 0;
}

hipError_t ahhsa_function_attributes(struct ah_backend_device *device,
                                     struct ah_backend_function *function, hipFuncAttributes *out)
{
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess || !info)
        return error != hipSuccess ? error : hipErrorOutOfMemory;
    int version = (int)(info->major * 10 + info->minor);
    int dynamic = __atomic_load_n(&function->max_dynamic, __ATOMIC_RELAXED);
    *out = (hipFuncAttributes){
        .binaryVersion = version,
        .ptxVersion = version,
        .localSizeBytes = function->private_size,
        .maxDynamicSharedSizeBytes = dynamic >= 0 ? dynamic : (int)dynamic_room(function, info),
        .maxThreadsPerBlock = (int)max_threads(function, info),
        .numRegs = (int)function->kernel->vgprs,
        .preferredShmemCarveout = __atomic_load_n(&function->carveout, __ATOMIC_RELAXED),
        .sharedSizeBytes = function->group_size,
    };
    return hipSuccess;
}

hipError_t ahhsa_function_set_attribute(struct ah_backend_device *device,
                                        struct ah_backend_function *function,
                                        hipFuncAttribute attribute, int value)
{
    enum { PERCENT = 100 };
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess || !info)
        return error != hipSuccess ? error : hipErrorOutOfMemory;
    switch ((int)attribute) {
    case hipFuncAttributeMaxDynamicSharedMemorySize: /* all of it may be used without opting in */
        if (value < 0 || (unsigned)value > dynamic_room(function, info))
            return hipErrorInvalidValue;
        __atomic_store_n(&function->max_dynamic, value, __ATOMIC_RELAXED);
        return hipSuccess;
    case hipFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > PERCENT)
            return hipErrorInvalidValue;
        __atomic_store_n(&function->carveout, value, __ATOMIC_RELAXED);
        return hipSuccess;
    default:
        return hipErrorInvalidValue;
    }
}

/* Preferences without effect: see hsa_settings.c. */

hipError_t ahhsa_function_set_cache_config(struct ah_backend_device *device,
                                           struct ah_backend_function *function,
                                           hipFuncCache_t config)
{
    (void)function;
    (void)config;
    return ahhsa_enter(device);
}

hipError_t ahhsa_function_set_shared_config(struct ah_backend_device *device,
                                            struct ah_backend_function *function,
                                            hipSharedMemConfig config)
{
    (void)function;
    (void)config;
    return ahhsa_enter(device);
}

hipError_t ahhsa_function_parameter(struct ah_backend_device *device,
                                    struct ah_backend_function *function, size_t index,
                                    struct ah_parameter *out_parameter)
{
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    if (index >= function->kernel->explicit_count)
        return hipErrorInvalidValue;
    out_parameter->offset = function->kernel->arguments[index].offset;
    out_parameter->size = function->kernel->arguments[index].size;
    return hipSuccess;
}

/* ---- occupancy -------------------------------------------------------------------------- */

static size_t round_up(size_t value, size_t unit)
{
    return unit ? (value + unit - 1) / unit * unit : value;
}

static unsigned min_unsigned(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* How many waves the registers of one SIMD can hold. */
static unsigned waves_of_registers(const struct ahhsa_kernel_metadata *kernel,
                                   const struct ahhsa_registers *registers, unsigned most)
{
    enum { SGPR_UNIT = 16 };
    unsigned vgprs = kernel->vgprs > kernel->agprs ? kernel->vgprs : kernel->agprs;
    if (registers->vgprs && vgprs)
        most =
            min_unsigned(most, registers->vgprs / (unsigned)round_up(vgprs, registers->vgpr_unit));
    if (registers->sgprs && kernel->sgprs)
        most = min_unsigned(most, registers->sgprs / (unsigned)round_up(kernel->sgprs, SGPR_UNIT));
    return most;
}

unsigned ahhsa_resident_blocks(struct ah_backend_device *device,
                               const struct ah_backend_function *function, unsigned threads,
                               size_t dynamic)
{
    enum { BARRIERS = 16 }; /* of a compute unit; a block of one wave needs none */
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    if (!info || threads == 0 || info->simds == 0 || dynamic > info->group_memory)
        return 0;
    unsigned lanes = function->kernel->lanes ? function->kernel->lanes : info->lanes;
    struct ahhsa_registers registers = ahhsa_registers_of(info->target.processor, lanes);
    unsigned waves = (threads + lanes - 1) / lanes;
    unsigned per_simd = waves_of_registers(function->kernel, &registers, info->waves / info->simds);
    unsigned blocks = per_simd * info->simds / waves;
    size_t shared = round_up(function->group_size + dynamic, registers.lds_unit);
    if (waves > 1)
        blocks = min_unsigned(blocks, BARRIERS);
    if (shared > info->group_memory)
        return 0;
    return shared ? min_unsigned(blocks, info->group_memory / (unsigned)shared) : blocks;
}

hipError_t ahhsa_occupancy_blocks(struct ah_backend_device *device,
                                  struct ah_backend_function *function, int block_size,
                                  size_t shared, unsigned flags, int *out_blocks)
{
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    hipError_t error = ahhsa_enter(device);
    (void)flags;
    if (error != hipSuccess || !info)
        return error != hipSuccess ? error : hipErrorOutOfMemory;
    if (block_size <= 0)
        return hipErrorInvalidValue;
    *out_blocks = (unsigned)block_size > max_threads(function, info)
                      ? 0
                      : (int)ahhsa_resident_blocks(device, function, (unsigned)block_size, shared);
    return hipSuccess;
}

/* The largest of the block sizes with the most resident threads. */
hipError_t ahhsa_occupancy_block_size(struct ah_backend_device *device,
                                      struct ah_backend_function *function, size_t shared,
                                      int limit, unsigned flags, int *out_grid, int *out_block)
{
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    hipError_t error = ahhsa_enter(device);
    (void)flags;
    if (error != hipSuccess || !info)
        return error != hipSuccess ? error : hipErrorOutOfMemory;
    unsigned lanes = function->kernel->lanes ? function->kernel->lanes : info->lanes;
    unsigned most = max_threads(function, info), best = 0, best_blocks = 0;
    if (limit > 0)
        most = min_unsigned(most, (unsigned)limit);
    for (unsigned threads = most; threads > 0 && lanes > 0;
         threads = threads > lanes ? (threads - 1) / lanes * lanes : 0) {
        unsigned blocks = ahhsa_resident_blocks(device, function, threads, shared);
        if (blocks * threads > best_blocks * best) {
            best = threads;
            best_blocks = blocks;
        }
    }
    if (best == 0)
        return hipErrorInvalidConfiguration; /* there is not so much shared memory */
    *out_block = (int)best;
    *out_grid = (int)(best_blocks * info->units);
    return hipSuccess;
}

hipError_t ahhsa_occupancy_shared(struct ah_backend_device *device,
                                  struct ah_backend_function *function, int blocks, int block_size,
                                  size_t *out_shared)
{
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess || !info)
        return error != hipSuccess ? error : hipErrorOutOfMemory;
    if (blocks <= 0 || block_size <= 0 || (unsigned)block_size > max_threads(function, info) ||
        (unsigned)blocks > ahhsa_resident_blocks(device, function, (unsigned)block_size, 0))
        return hipErrorInvalidValue;
    struct ahhsa_registers registers =
        ahhsa_registers_of(info->target.processor, function->kernel->lanes);
    size_t share = info->group_memory / (unsigned)blocks;
    if (registers.lds_unit)
        share -= share % registers.lds_unit;
    *out_shared = share > function->group_size ? share - function->group_size : 0;
    return hipSuccess;
}
