/* Owns launches, and what the few kernels do that do something. */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK_MAX = 1024, BLOCK_Z_MAX = 64, GRID_YZ_MAX = 65535, POLL_US = 50 };

struct launch_op {
    struct fake_op op;
    struct fake_function *function; /* retained, and its module */
    unsigned char arguments[];
};

/* ---- arguments ------------------------------------------------------------------------ */

static CUresult copy_extra(unsigned char *out, size_t size, void **extra)
{
    const void *buffer = NULL;
    size_t given = 0;
    for (; *extra; extra += 2) {
        if (extra[0] == (void *)1)
            buffer = extra[1];
        else if (extra[0] == (void *)2)
            given = *(size_t *)extra[1];
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (!buffer || given < size)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(out, buffer, size);
    return CUDA_SUCCESS;
}

static CUresult copy_arguments(unsigned char *out, const struct fake_function *function,
                               void **params, void **extra)
{
    if (params && extra)
        return CUDA_ERROR_INVALID_VALUE;
    if (function->parameter_count == 0)
        return CUDA_SUCCESS;
    if (extra)
        return copy_extra(out, function->argument_size, extra);
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < function->parameter_count; i++)
        memcpy(out + function->parameters[i].offset, params[i], function->parameters[i].size);
    return CUDA_SUCCESS;
}

/* ---- launches ------------------------------------------------------------------------------ */

static CUresult check_size(const struct fakecuda_launch *launch,
                           const struct fake_function *function)
{
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    if (threads == 0 || blocks == 0 || threads > BLOCK_MAX || launch->block[2] > BLOCK_Z_MAX ||
        launch->grid[0] > 0x7fffffff || launch->grid[1] > GRID_YZ_MAX ||
        launch->grid[2] > GRID_YZ_MAX || launch->shared > function->max_dynamic)
        return CUDA_ERROR_INVALID_VALUE;
    if (threads > function->max_threads)
        return FAKE_OUT_OF_RESOURCES;
    if (launch->cooperative &&
        blocks > (uint64_t)fake_occupancy(function, (int)threads, launch->shared) *
                     (uint64_t)fake_processors())
        return FAKE_COOPERATIVE_TOO_LARGE;
    return CUDA_SUCCESS;
}

static CUresult run_launch(struct fake_op *op, struct fake_context *context)
{
    const struct launch_op *launch = (const struct launch_op *)(const void *)op;
    return fake_kernel_run(launch->function, context, launch->arguments);
}

static void fini_launch(struct fake_op *op)
{
    struct fake_function *function = ((struct launch_op *)(void *)op)->function;
    fake_object_release(&function->module->object);
    fake_object_release(&function->object);
}

static CUresult start(CUfunction handle, struct fakecuda_launch *launch, void **params,
                      void **extra)
{
    struct fake_stream *stream;
    CUresult result = fake_stream_get(launch->stream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    struct fake_function *function = fake_object_get(handle, FAKE_FUNCTION, "cuLaunchKernel");
    if (!function)
        return CUDA_ERROR_INVALID_HANDLE;
    if (function->object.context != stream->object.context) {
        fake_violation("a kernel is launched in a stream of another context");
        return CUDA_ERROR_INVALID_HANDLE;
    }
    result = check_size(launch, function);
    struct launch_op *op = calloc(1, sizeof *op + function->argument_size);
    if (!op)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS)
        result = copy_arguments(op->arguments, function, params, extra);
    if (result != CUDA_SUCCESS) {
        free(op);
        return result;
    }
    snprintf(launch->kernel, sizeof launch->kernel, "%s", function->name);
    launch->device = function->object.context->device->ordinal;
    launch->argument_size = function->argument_size;
    memcpy(launch->arguments, op->arguments,
           function->argument_size < sizeof launch->arguments ? function->argument_size
                                                              : sizeof launch->arguments);
    fake_log_launch(launch);
    op->op = (struct fake_op){.run = run_launch, .fini = fini_launch};
    op->function = function;
    fake_object_retain(&function->object);
    fake_object_retain(&function->module->object);
    return fake_stream_push(stream, &op->op);
}

CUresult fake_cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                             CUstream stream, void **params, void **extra)
{
    FAKE_ENTER(cuLaunchKernel);
    struct fakecuda_launch launch = {
        .grid = {grid_x, grid_y, grid_z},
        .block = {block_x, block_y, block_z},
        .shared = shared,
        .stream = stream,
    };
    return fake_leave(start(function, &launch, params, extra));
}

CUresult fake_cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                        unsigned grid_z, unsigned block_x, unsigned block_y,
                                        unsigned block_z, unsigned shared, CUstream stream,
                                        void **params)
{
    FAKE_ENTER(cuLaunchCooperativeKernel);
    struct fakecuda_launch launch = {
        .grid = {grid_x, grid_y, grid_z},
        .block = {block_x, block_y, block_z},
        .shared = shared,
        .cooperative = true,
        .stream = stream,
    };
    return fake_leave(start(function, &launch, params, NULL));
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* A kernel's view of size bytes; NULL: it would fault. */
static void *kernel_view(struct fake_context *context, uint64_t address, size_t size)
{
    unsigned char *view = NULL;
    struct fake_memory *memory;
    pthread_mutex_lock(&fake.lock);
    bool good = fake_reach(context, address, size, &view, &memory) == CUDA_SUCCESS && memory;
    if (good && memory->kind != FAKE_PINNED && memory->kind != FAKE_REGISTERED &&
        memory->kind != FAKE_MANAGED)
        good = fake_reaches(context, memory->device);
    pthread_mutex_unlock(&fake.lock);
    return good ? view : NULL;
}

static bool given_up(struct fake_context *context)
{
    pthread_mutex_lock(&fake.lock);
    bool given = context->aborting;
    pthread_mutex_unlock(&fake.lock);
    return given;
}

struct kernel {
    struct fake_context *context;
    const struct fake_function *function;
    const unsigned char *arguments;
};

static uint64_t argument(const struct kernel *kernel, size_t index)
{
    const struct fake_parameter *parameter = &kernel->function->parameters[index];
    uint64_t value = 0;
    memcpy(&value, kernel->arguments + parameter->offset,
           parameter->size < sizeof value ? parameter->size : sizeof value);
    return value;
}

/* fake_fill(uint32_t *out, uint32_t value, uint32_t count) */
static CUresult run_fill(const struct kernel *kernel)
{
    uint32_t value = (uint32_t)argument(kernel, 1), count = (uint32_t)argument(kernel, 2);
    uint32_t *out = kernel_view(kernel->context, argument(kernel, 0), count * sizeof *out);
    if (!out)
        return FAKE_ILLEGAL_ADDRESS;
    for (uint32_t i = 0; i < count; i++)
        out[i] = value;
    return CUDA_SUCCESS;
}

/* fake_add(uint32_t *out, const uint32_t *a, const uint32_t *b, uint32_t count) */
static CUresult run_add(const struct kernel *kernel)
{
    uint32_t count = (uint32_t)argument(kernel, 3);
    uint32_t *out = kernel_view(kernel->context, argument(kernel, 0), count * sizeof *out);
    const uint32_t *a = kernel_view(kernel->context, argument(kernel, 1), count * sizeof *a);
    const uint32_t *b = kernel_view(kernel->context, argument(kernel, 2), count * sizeof *b);
    if (!out || !a || !b)
        return FAKE_ILLEGAL_ADDRESS;
    for (uint32_t i = 0; i < count; i++)
        out[i] = a[i] + b[i];
    return CUDA_SUCCESS;
}

/* fake_wait(const uint32_t *flag): until it is not 0 */
static CUresult run_wait(const struct kernel *kernel)
{
    uint32_t *flag = kernel_view(kernel->context, argument(kernel, 0), sizeof *flag);
    if (!flag)
        return FAKE_ILLEGAL_ADDRESS;
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0 && !given_up(kernel->context))
        usleep(POLL_US);
    return CUDA_SUCCESS;
}

/* ah_wait(pointer, value, mask, condition, wide), the runtime's own kernel */
static CUresult run_masked_wait(const struct kernel *kernel)
{
    uint64_t value = argument(kernel, 1), mask = argument(kernel, 2), seen;
    bool wide = argument(kernel, 4) != 0, met = false;
    void *memory = kernel_view(kernel->context, argument(kernel, 0), wide ? 8 : 4);
    if (!memory)
        return FAKE_ILLEGAL_ADDRESS;
    while (!met && !given_up(kernel->context)) {
        seen = wide ? __atomic_load_n((uint64_t *)memory, __ATOMIC_ACQUIRE)
                    : __atomic_load_n((uint32_t *)memory, __ATOMIC_ACQUIRE);
        seen &= mask;
        switch (argument(kernel, 3)) {
        case 0:
            met = seen >= value;
            break;
        case 1:
            met = seen == value;
            break;
        case 2:
            met = (seen & value) != 0;
            break;
        default:
            met = (~(seen | value) & mask) != 0;
            break;
        }
        usleep(POLL_US);
    }
    return CUDA_SUCCESS;
}

/* fake_spin(uint32_t milliseconds) */
static CUresult run_spin(const struct kernel *kernel)
{
    usleep((useconds_t)argument(kernel, 0) * 1000);
    return CUDA_SUCCESS;
}

/* fake_fault() */
static CUresult run_fault(const struct kernel *kernel)
{
    (void)kernel;
    return FAKE_ILLEGAL_ADDRESS;
}

/* fake_count(uint32_t *out): ++fake_counter, the module's variable; *out = fake_counter */
static CUresult run_count(const struct kernel *kernel)
{
    const struct fake_global *global = kernel->function->module->globals;
    while (global && strcmp(global->name, "fake_counter") != 0)
        global = global->next;
    uint32_t *out = kernel_view(kernel->context, argument(kernel, 0), sizeof *out);
    if (!global || !out)
        return FAKE_ILLEGAL_ADDRESS;
    uint32_t *counter = (uint32_t *)(void *)global->memory->view;
    *out = ++*counter;
    return CUDA_SUCCESS;
}

static const struct {
    const char *name;
    size_t parameters;
    CUresult (*run)(const struct kernel *kernel);
} kernels[] = {
    {"fake_fill", 3, run_fill},      {"fake_add", 4, run_add},     {"fake_wait", 1, run_wait},
    {"fake_spin", 1, run_spin},      {"fake_fault", 0, run_fault}, {"fake_count", 1, run_count},
    {"ah_wait", 5, run_masked_wait},
};

CUresult fake_kernel_run(const struct fake_function *function, struct fake_context *context,
                         const unsigned char *arguments)
{
    struct kernel kernel = {context, function, arguments};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, function->name) == 0 &&
            kernels[i].parameters == function->parameter_count)
            return kernels[i].run(&kernel);
    return CUDA_SUCCESS;
}
