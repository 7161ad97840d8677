/* Owns launches: their validation, their arguments, and the ends of kernels. */
#include "simcuda_ops.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_MAX = 1024, BLOCK_Z_MAX = 64, GRID_YZ_MAX = 65535, REGISTERS = 65536, WARP = 32 };
/* The workspace of a cooperative launch's grid, which contains the barrier. */
enum { WORKSPACE_SIZE = 256, ENVREG_HIGH = 1, ENVREG_LOW = 2 };

struct launch_op {
    struct simcuda_op op;
    struct simcuda_function *function; /* retained, and its module */
    struct ptx_launch launch;
    bool cooperative;
    bool ended;             /* under the lock */
    struct launch_op *next; /* of those that run */
    unsigned char arguments[] __attribute__((aligned(16)));
};

/* ---- arguments ------------------------------------------------------------------------ */

static CUresult copy_extra(unsigned char *out, size_t size, void **extra)
{
    enum { END = 0, BUFFER_POINTER = 1, BUFFER_SIZE = 2 }; /* CU_LAUNCH_PARAM_* */
    const void *buffer = NULL;
    size_t given = 0;
    for (; (uintptr_t)*extra != END; extra += 2) {
        if ((uintptr_t)*extra == BUFFER_POINTER)
            buffer = extra[1];
        else if ((uintptr_t)*extra == BUFFER_SIZE && extra[1])
            memcpy(&given, extra[1], sizeof given);
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (!buffer || given != size) /* the driver refuses padding behind the last one, too */
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(out, buffer, size);
    return CUDA_SUCCESS;
}

static CUresult copy_arguments(unsigned char *out, const struct simcuda_function *function,
                               void **params, void **extra)
{
    size_t offset, size;
    if (params && extra)
        return CUDA_ERROR_INVALID_VALUE;
    if (function->info.param_count == 0)
        return CUDA_SUCCESS;
    if (extra)
        return copy_extra(out, function->info.param_size, extra);
    for (unsigned i = 0; ptx_kernel_param(function->kernel, i, &offset, &size); i++) {
        if (!params || !params[i])
            return CUDA_ERROR_INVALID_VALUE;
        memcpy(out + offset, params[i], size);
    }
    return CUDA_SUCCESS;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static CUresult check_shape(const struct simcuda_shape *shape,
                            const struct simcuda_function *function)
{
    const unsigned *grid = shape->grid, *block = shape->block;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (threads == 0 || block[0] > BLOCK_MAX || block[1] > BLOCK_MAX || block[2] > BLOCK_Z_MAX ||
        threads > BLOCK_MAX || grid[0] == 0 || grid[1] == 0 || grid[2] == 0 ||
        grid[0] > 0x7fffffff || grid[1] > GRID_YZ_MAX || grid[2] > GRID_YZ_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    if (shape->shared > function->max_dynamic) {
        AH_LOG_WARN("simulated CUDA driver: %s requests %u bytes of dynamic shared memory, %u are "
                    "allowed",
                    function->info.name, shape->shared, function->max_dynamic);
        return CUDA_ERROR_INVALID_VALUE;
    }
    const unsigned *required = function->info.required_threads;
    for (int i = 0; i < 3 && required[0] > 0; i++)
        if (block[i] != (required[i] > 0 ? required[i] : 1))
            return CUDA_ERROR_INVALID_VALUE;
    uint64_t warps = (threads + WARP - 1) / WARP;
    if (threads > function->info.max_threads || warps * WARP * function->info.registers > REGISTERS)
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    return CUDA_SUCCESS;
}

/* Blocks that the device holds at once. */
static uint64_t resident_blocks(const struct simcuda_shape *shape,
                                const struct simcuda_function *function)
{
    int threads = (int)(shape->block[0] * shape->block[1] * shape->block[2]);
    int blocks = simcuda_occupancy(function, threads, shape->shared);
    unsigned units = shape->green ? shape->green->units
                                  : (unsigned)function->object.context->device->model.units;
    return (uint64_t)(blocks > 0 ? blocks : 0) * units;
}

static CUresult check(const struct simcuda_shape *shape, const struct simcuda_function *function)
{
    CUresult result = check_shape(shape, function);
    if (result != CUDA_SUCCESS)
        return result;
    uint64_t resident = resident_blocks(shape, function);
    if (resident == 0)
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    uint64_t blocks = (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
    return shape->cooperative && blocks > resident ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
                                                   : CUDA_SUCCESS;
}

/* ---- running ------------------------------------------------------------------------------------
 */

static struct launch_op *running;

static CUresult result_of(enum ptx_end end)
{
    switch (end) {
    case PTX_END_OK:
        return CUDA_SUCCESS;
    case PTX_END_ILLEGAL_ADDRESS:
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    case PTX_END_MISALIGNED:
        return CUDA_ERROR_MISALIGNED_ADDRESS;
    case PTX_END_ILLEGAL_INSTRUCTION:
        return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case PTX_END_ASSERT:
        return CUDA_ERROR_ASSERT;
    case PTX_END_TIMEOUT:
        return CUDA_ERROR_LAUNCH_TIMEOUT;
    case PTX_END_STACK:
        return CUDA_ERROR_HARDWARE_STACK_ERROR;
    case PTX_END_NO_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    case PTX_END_TRAP:
    case PTX_END_HUNG: /* hardware would hang; an error is more useful to a program */
    case PTX_END_CANCELLED:
        break;
    }
    return CUDA_ERROR_LAUNCH_FAILED;
}

/* Called on a thread of the pool, or on the stream's own where that helps; that continues. */
static void launch_ended(struct sim_launch *launch, bool failed)
{
    struct launch_op *op = launch->data;
    (void)failed;
    pthread_mutex_lock(&simcuda.lock);
    op->ended = true;
    pthread_cond_signal(&op->op.stream->wake);
    pthread_mutex_unlock(&simcuda.lock);
}

void simcuda_launches_cancel(struct simcuda_context *context)
{
    for (struct launch_op *at = running; at; at = at->next)
        if (at->function->object.context == context && context->aborting && !at->ended)
            sim_run_cancel(&at->launch.run);
}

static void leave_running(struct launch_op *op)
{
    struct launch_op **link = &running;
    while (*link != op)
        link = &(*link)->next;
    *link = op->next;
}

static bool run_on_pool(struct launch_op *op)
{
    struct simcuda_context *context = op->function->object.context;
    op->launch.run.helped = true;
    if (!ptx_launch(&op->launch))
        return false;
    pthread_mutex_lock(&simcuda.lock);
    op->next = running;
    running = op;
    simcuda_launches_cancel(context);
    pthread_mutex_unlock(&simcuda.lock);
    sim_run_help(&op->launch.run);
    pthread_mutex_lock(&simcuda.lock);
    while (!op->ended)
        pthread_cond_wait(&op->op.stream->wake, &simcuda.lock);
    leave_running(op);
    simcuda_print_flush(context);
    pthread_mutex_unlock(&simcuda.lock);
    return true;
}

static struct sim_memory *make_workspace(int device)
{
    struct sim_memory *memory = sim_memory_create(SIM_MEMORY_HEAP, device, WORKSPACE_SIZE, 0);
    if (!memory)
        return NULL;
    sim_memory_name(memory, "the workspace of a cooperative launch");
    memset(memory->view, 0, WORKSPACE_SIZE);
    if (sim_memory_tracking)
        sim_memory_wrote(memory->address, WORKSPACE_SIZE);
    return memory;
}

static CUresult lose(struct simcuda_context *context)
{
    AH_LOG_ERR("simulated CUDA driver: device %d is lost", context->device->ordinal);
    pthread_mutex_lock(&simcuda.lock);
    context->device->lost = true;
    pthread_mutex_unlock(&simcuda.lock);
    return CUDA_ERROR_LAUNCH_FAILED;
}

static CUresult run_launch(struct simcuda_op *base, struct simcuda_context *context)
{
    struct launch_op *op = (struct launch_op *)(void *)base;
    struct sim_memory *workspace = NULL;
    enum sim_fault fault = sim_fault_launch(op->function->info.name);
    if (fault == SIM_FAULT_LOST)
        return lose(context);
    if (fault == SIM_FAULT_LAUNCH)
        return CUDA_ERROR_LAUNCH_FAILED;
    if (op->cooperative) {
        workspace = make_workspace(context->device->ordinal);
        if (!workspace)
            return CUDA_ERROR_OUT_OF_MEMORY;
        op->launch.envregs[ENVREG_HIGH] = (uint32_t)(workspace->address >> 32);
        op->launch.envregs[ENVREG_LOW] = (uint32_t)workspace->address;
    }
    bool started = run_on_pool(op);
    sim_memory_destroy(workspace);
    return started ? result_of((enum ptx_end)atomic_load(&op->launch.end))
                   : CUDA_ERROR_OUT_OF_MEMORY;
}

static void fini_launch(struct simcuda_op *base)
{
    struct simcuda_function *function = ((struct launch_op *)(void *)base)->function;
    simcuda_object_release(&function->module->object);
    simcuda_object_release(&function->object);
}

/* ---- starting -----------------------------------------------------------------------------------
 */

/* What profiles say of it. */
static void note_occupancy(struct ptx_launch *launch, const struct simcuda_shape *shape,
                           const struct simcuda_function *function)
{
    enum { LANES = 32 };
    int threads = (int)(shape->block[0] * shape->block[1] * shape->block[2]);
    launch->occupancy.blocks = (unsigned)simcuda_occupancy_limit(function, threads, shape->shared,
                                                                 &launch->occupancy.limit);
    launch->occupancy.warps_max =
        (unsigned)function->object.context->device->model.threads_per_unit / LANES;
}

static struct launch_op *make_op(struct simcuda_function *function,
                                 const struct simcuda_shape *shape, int priority)
{
    static uint64_t last_id;
    struct launch_op *op = simcuda_op_new(sizeof *op + function->info.param_size);
    if (!op)
        return NULL;
    op->op.run = run_launch;
    op->op.fini = fini_launch;
    op->op.note.kind = SIMCUDA_DOES_KERNEL;
    op->op.note.kernel = function->info.name;
    op->function = function;
    op->cooperative = shape->cooperative;
    op->launch.run.priority = shape->has_priority ? shape->priority : priority;
    op->launch.run.resident_max = resident_blocks(shape, function);
    op->launch.run.done = launch_ended;
    op->launch.run.data = op;
    op->launch.context = &function->object.context->ptx;
    op->launch.kernel = function->kernel;
    op->launch.dynamic_shared = shape->shared;
    op->launch.params = op->arguments;
    op->launch.id = ++last_id;
    if (sim_profile_on())
        note_occupancy(&op->launch, shape, function);
    if (shape->green) { /* which the stream keeps */
        op->launch.units = shape->green->units;
        op->launch.unit_mask = shape->green->mask;
    }
    for (int i = 0; i < 3; i++) {
        op->launch.run.grid[i] = shape->grid[i];
        op->launch.block[i] = shape->block[i];
    }
    return op;
}

void simcuda_launch_show(const struct simcuda_op *launch, const struct simcuda_shape *shape,
                         CUstream stream)
{
    const struct launch_op *op = (const struct launch_op *)(const void *)launch;
    const struct simcuda_function *function = op->function;
    if (!simcuda_script.launch)
        return;
    simcuda_script.launch(&(struct simcuda_launched){
        .kernel = function->info.name,
        .grid = shape->grid,
        .block = shape->block,
        .shared = shape->shared,
        .cooperative = shape->cooperative,
        .attributes = shape->attributes,
        .window = shape->window,
        .priority = shape->priority,
        .domain = shape->domain,
        .stream = stream,
        .device = function->object.context->device->ordinal,
        .arguments = op->arguments,
        .argument_size = function->info.param_size,
    });
}

const unsigned char *simcuda_launch_arguments(const struct simcuda_op *launch)
{
    return ((const struct launch_op *)(const void *)launch)->arguments;
}

CUresult simcuda_launch_op(struct simcuda_function *function, const struct simcuda_shape *shape,
                           int priority, void **params, void **extra, struct simcuda_op **out)
{
    CUresult result = check(shape, function);
    if (result != CUDA_SUCCESS)
        return result;
    struct launch_op *op = make_op(function, shape, priority);
    if (!op)
        return CUDA_ERROR_OUT_OF_MEMORY;
    result = copy_arguments(op->arguments, function, params, extra);
    if (result != CUDA_SUCCESS) {
        simcuda_op_free(&op->op);
        return result;
    }
    simcuda_object_retain(&function->object);
    simcuda_object_retain(&function->module->object);
    *out = &op->op;
    return CUDA_SUCCESS;
}

static CUresult start(CUfunction handle, const struct simcuda_shape *shape, CUstream stream_handle,
                      void **params, void **extra)
{
    struct simcuda_stream *stream;
    struct simcuda_op *op;
    CUresult result = simcuda_stream_get(stream_handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    struct simcuda_function *function =
        simcuda_object_get(handle, SIMCUDA_FUNCTION, "cuLaunchKernel");
    if (!function)
        return CUDA_ERROR_INVALID_HANDLE;
    if (function->object.context != stream->object.context) {
        simcuda_violation("a kernel is launched in a stream of another context");
        return CUDA_ERROR_INVALID_HANDLE;
    }
    struct simcuda_shape placed = *shape;
    placed.green = stream->green;
    result = simcuda_launch_op(function, &placed, stream->priority, params, extra, &op);
    if (result != CUDA_SUCCESS)
        return result;
    simcuda_launch_show(op, shape, stream_handle);
    return simcuda_stream_push(stream, op);
}

CUresult simcuda_cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                unsigned grid_z, unsigned block_x, unsigned block_y,
                                unsigned block_z, unsigned shared, CUstream stream, void **params,
                                void **extra)
{
    SIMCUDA_ENTER(cuLaunchKernel);
    struct simcuda_shape shape = {
        {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, .shared = shared};
    return simcuda_leave(start(function, &shape, stream, params, extra));
}

CUresult simcuda_cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                           unsigned grid_z, unsigned block_x, unsigned block_y,
                                           unsigned block_z, unsigned shared, CUstream stream,
                                           void **params)
{
    SIMCUDA_ENTER(cuLaunchCooperativeKernel);
    struct simcuda_shape shape = {{grid_x, grid_y, grid_z},
                                  {block_x, block_y, block_z},
                                  .shared = shared,
                                  .cooperative = true};
    return simcuda_leave(start(function, &shape, stream, params, NULL));
}

static CUresult check_cluster(const CUlaunchAttributeValue *value)
{
    if (value->clusterDim.x <= 1 && value->clusterDim.y <= 1 && value->clusterDim.z <= 1)
        return CUDA_SUCCESS;
    AH_LOG_WARN("simulated CUDA driver: clusters of blocks are not supported");
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* Attributes that have no effect without caches and overlap are accepted. */
CUresult simcuda_shape_add(struct simcuda_shape *shape, int attribute,
                           const CUlaunchAttributeValue *value)
{
    CUresult result = CUDA_SUCCESS;
    switch (attribute) {
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        break;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        shape->window = value->accessPolicyWindow.base_ptr;
        break;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        shape->domain = value->memSyncDomain;
        break;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        shape->cooperative = value->cooperative != 0;
        break;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        shape->priority = value->priority;
        shape->has_priority = true;
        break;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        result = check_cluster(value);
        break;
    default:
        AH_LOG_WARN("simulated CUDA driver: launch attribute %d is not supported", attribute);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    shape->attributes |= 1u << attribute;
    return result;
}

static CUresult start_with(const CUlaunchConfig *config, CUfunction function, void **params,
                           void **extra)
{
    CUresult result = CUDA_SUCCESS;
    if (!config || (config->numAttrs > 0 && !config->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    struct simcuda_shape shape = {
        {config->gridDimX, config->gridDimY, config->gridDimZ},
        {config->blockDimX, config->blockDimY, config->blockDimZ},
        .shared = config->sharedMemBytes,
    };
    for (unsigned i = 0; i < config->numAttrs && result == CUDA_SUCCESS; i++)
        result = simcuda_shape_add(&shape, config->attrs[i].id, &config->attrs[i].value);
    return result == CUDA_SUCCESS ? start(function, &shape, config->hStream, params, extra)
                                  : result;
}

CUresult simcuda_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
                                  void **extra)
{
    SIMCUDA_ENTER(cuLaunchKernelEx);
    return simcuda_leave(start_with(config, function, params, extra));
}
