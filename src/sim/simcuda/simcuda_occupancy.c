/* Owns occupancy: how many blocks can be resident on a multiprocessor, by the limits that the CUDA
 * C Programming Guide gives for each compute capability. */
#include "simcuda_driver.h"

enum { WARP = 32, REGISTERS = 65536, REGISTER_UNIT = 256, WARP_UNIT = 4, SHARED_UNIT = 128 };

unsigned simcuda_shared_optin(const struct simcuda_device *device)
{
    return (unsigned)device->model.shared_optin;
}

/* Registers are allocated to warps in units, and a multiprocessor has four partitions of them. */
static int by_registers(const struct simcuda_function *function, int warps)
{
    unsigned registers = function->info.registers > 0 ? function->info.registers : 1;
    unsigned of_warp = (registers * WARP + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
    unsigned resident = REGISTERS / of_warp / WARP_UNIT * WARP_UNIT;
    return (int)resident / warps;
}

static void limit_to(int blocks, const char *limit, int *least, const char **out_limit)
{
    if (blocks >= *least)
        return;
    *least = blocks;
    *out_limit = limit;
}

int simcuda_occupancy_limit(const struct simcuda_function *function, int block_size, size_t dynamic,
                            const char **out_limit)
{
    const struct simcuda_model *model = &function->object.context->device->model;
    size_t shared = dynamic + function->info.shared_size;
    int warps = (block_size + WARP - 1) / WARP, blocks = model->blocks_per_unit;
    *out_limit = "blocks";
    if (dynamic > (size_t)model->shared_optin || shared > (size_t)model->shared_optin) {
        *out_limit = "shared memory";
        return 0;
    }
    shared =
        (shared + (size_t)model->shared_reserved + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT;
    limit_to(model->threads_per_unit / (warps * WARP), "warps", &blocks, out_limit);
    if (shared > 0)
        limit_to((int)((size_t)model->shared_per_unit / shared), "shared memory", &blocks,
                 out_limit);
    limit_to(by_registers(function, warps), "registers", &blocks, out_limit);
    return blocks;
}

int simcuda_occupancy(const struct simcuda_function *function, int block_size, size_t dynamic)
{
    const char *limit;
    return simcuda_occupancy_limit(function, block_size, dynamic, &limit);
}

static CUresult active_blocks(int *blocks, CUfunction handle, int block_size, size_t shared,
                              unsigned flags)
{
    struct simcuda_function *function;
    CUresult result = simcuda_function_get(handle, "occupancy", &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (!blocks || flags > 1 || block_size <= 0 || block_size > (int)function->info.max_threads)
        return CUDA_ERROR_INVALID_VALUE;
    *blocks = simcuda_occupancy(function, block_size, shared);
    return CUDA_SUCCESS;
}

CUresult simcuda_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                      CUfunction function,
                                                                      int block_size, size_t shared,
                                                                      unsigned flags)
{
    SIMCUDA_ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);
    return simcuda_leave(active_blocks(blocks, function, block_size, shared, flags));
}

CUresult simcuda_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                             int block_size, size_t shared)
{
    SIMCUDA_ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessor);
    return simcuda_leave(active_blocks(blocks, function, block_size, shared, 0));
}

/* The size of block that fills a multiprocessor best, the largest of the best. The
 * program's function is called without the lock. */
static CUresult potential(int *grid, int *block, CUfunction handle,
                          CUoccupancyB2DSize shared_for_block, size_t shared, int limit)
{
    struct simcuda_function *function;
    int best = 0, best_blocks = 0;
    CUresult result = simcuda_function_get(handle, "occupancy", &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (!grid || !block || limit < 0)
        return CUDA_ERROR_INVALID_VALUE;
    int most = (int)function->info.max_threads;
    int top = limit > 0 && limit < most ? limit : most;
    simcuda_object_retain(&function->object);
    simcuda_object_retain(&function->module->object);
    *block = top;
    for (int size = top; size > 0; size -= size % WARP ? size % WARP : WARP) {
        if (shared_for_block) {
            pthread_mutex_unlock(&simcuda.lock);
            shared = shared_for_block(size);
            pthread_mutex_lock(&simcuda.lock);
        }
        int blocks = simcuda_occupancy(function, size, shared);
        if (blocks * size > best) {
            best = blocks * size;
            best_blocks = blocks;
            *block = size;
        }
    }
    *grid = best_blocks * function->object.context->device->model.units;
    simcuda_object_release(&function->module->object);
    simcuda_object_release(&function->object);
    return CUDA_SUCCESS;
}

CUresult simcuda_cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block,
                                                           CUfunction function,
                                                           CUoccupancyB2DSize shared_for_block,
                                                           size_t shared, int limit, unsigned flags)
{
    SIMCUDA_ENTER(cuOccupancyMaxPotentialBlockSizeWithFlags);
    return simcuda_leave(flags > 1
                             ? CUDA_ERROR_INVALID_VALUE
                             : potential(grid, block, function, shared_for_block, shared, limit));
}

CUresult simcuda_cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                                  CUoccupancyB2DSize shared_for_block,
                                                  size_t shared, int limit)
{
    SIMCUDA_ENTER(cuOccupancyMaxPotentialBlockSize);
    return simcuda_leave(potential(grid, block, function, shared_for_block, shared, limit));
}

/* The shared memory that is left for each of so many blocks of a multiprocessor. */
CUresult simcuda_cuOccupancyAvailableDynamicSMemPerBlock(size_t *shared, CUfunction handle,
                                                         int blocks, int block_size)
{
    struct simcuda_function *function;
    SIMCUDA_ENTER(cuOccupancyAvailableDynamicSMemPerBlock);
    CUresult result = simcuda_function_get(handle, "occupancy", &function);
    if (result == CUDA_SUCCESS && (!shared || blocks <= 0 || block_size <= 0 ||
                                   block_size > (int)function->info.max_threads ||
                                   simcuda_occupancy(function, block_size, 0) < blocks))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    const struct simcuda_model *model = &function->object.context->device->model;
    size_t share = (size_t)(model->shared_per_unit / blocks) / SHARED_UNIT * SHARED_UNIT;
    size_t taken = (size_t)model->shared_reserved + function->info.shared_size;
    size_t most = (size_t)model->shared_optin - function->info.shared_size;
    *shared = share > taken ? share - taken : 0;
    *shared = *shared < most ? *shared : most;
    return simcuda_leave(CUDA_SUCCESS);
}

/* ---- clusters --------------------------------------------------------------------------- */

enum { CLUSTERS_SINCE = 90, PORTABLE = 8, UNITS_TOGETHER = 16 };

static unsigned cluster_of(const CUlaunchConfig *config)
{
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            return config->attrs[i].value.clusterDim.x * config->attrs[i].value.clusterDim.y *
                   config->attrs[i].value.clusterDim.z;
    return 0;
}

/* The blocks of such a launch that a multiprocessor holds: none on devices without clusters. */
static CUresult blocks_of(CUfunction handle, const CUlaunchConfig *config,
                          struct simcuda_function **out_function, int *out_blocks)
{
    CUresult result = simcuda_function_get(handle, "occupancy", out_function);
    if (result != CUDA_SUCCESS)
        return result;
    if (!config || (config->numAttrs > 0 && !config->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    uint64_t threads = (uint64_t)config->blockDimX * config->blockDimY * config->blockDimZ;
    if (threads == 0 || threads > (*out_function)->info.max_threads)
        return CUDA_ERROR_INVALID_VALUE;
    bool has = (*out_function)->object.context->device->model.sm >= CLUSTERS_SINCE;
    *out_blocks = has ? simcuda_occupancy(*out_function, (int)threads, config->sharedMemBytes) : 0;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuOccupancyMaxPotentialClusterSize(int *size, CUfunction handle,
                                                    const CUlaunchConfig *config)
{
    struct simcuda_function *function;
    int blocks = 0;
    SIMCUDA_ENTER(cuOccupancyMaxPotentialClusterSize);
    CUresult result =
        size ? blocks_of(handle, config, &function, &blocks) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *size = blocks > 0 ? PORTABLE : 0;
    return simcuda_leave(result);
}

/* The blocks of a cluster run on the multiprocessors of one group. */
CUresult simcuda_cuOccupancyMaxActiveClusters(int *count, CUfunction handle,
                                              const CUlaunchConfig *config)
{
    struct simcuda_function *function;
    int blocks = 0;
    SIMCUDA_ENTER(cuOccupancyMaxActiveClusters);
    CUresult result =
        count ? blocks_of(handle, config, &function, &blocks) : CUDA_ERROR_INVALID_VALUE;
    unsigned cluster = result == CUDA_SUCCESS ? cluster_of(config) : 0;
    if (result == CUDA_SUCCESS && (cluster == 0 || cluster > PORTABLE))
        result = CUDA_ERROR_INVALID_CLUSTER_SIZE;
    if (result == CUDA_SUCCESS) {
        int groups = function->object.context->device->model.units / UNITS_TOGETHER;
        *count = groups * (UNITS_TOGETHER * blocks / (int)cluster);
    }
    return simcuda_leave(result);
}
