/* Owns launches: their checks, and the contents of the packet. */
#include "hsa_kernel_services.h"
#include "demangle.h"

#include <string.h>

/* ---- checks ----------------------------------------------------------------------------- */

/* A packet counts work-items in 32 bits. */
static inline __attribute__((always_inline)) hipError_t
check_grid(const struct ah_backend_function *function, const struct ah_launch *launch)
{
    for (int i = 0; i < 3; i++) {
        uint32_t required = function->kernel->required[i];
        if ((uint64_t)launch->grid[i] * launch->block[i] > UINT32_MAX) {
            AH_LOG_ERR("%u blocks of %u threads are more than 2^32 threads in one dimension for "
                       "kernel %s",
                       launch->grid[i], launch->block[i], ah_demangle(function->kernel->name));
            return hipErrorInvalidConfiguration;
        }
        if (required && launch->block[i] != required) {
            AH_LOG_ERR("kernel %s was compiled for blocks of %u x %u x %u threads, not %u x %u x "
                       "%u",
                       ah_demangle(function->kernel->name), function->kernel->required[0],
                       function->kernel->required[1], function->kernel->required[2],
                       launch->block[0], launch->block[1], launch->block[2]);
            return hipErrorInvalidConfiguration;
        }
    }
    return hipSuccess;
}

static inline __attribute__((always_inline)) hipError_t
check_arguments(const struct ah_backend_function *function, const struct ah_launch *launch)
{
    if (function->kernel->explicit_count == 0 || launch->params)
        return hipSuccess;
    size_t size = launch->extra ? *(const size_t *)launch->extra[3] : 0;
    if (size >= function->explicit_end)
        return hipSuccess;
    AH_LOG_ERR("kernel %s takes %u bytes of arguments, and %zu are given",
               ah_demangle(function->kernel->name), function->explicit_end, size);
    return hipErrorInvalidValue;
}

/* All blocks must be resident at the same time, or a grid barrier would never complete. */
static hipError_t check_cooperative(struct ah_backend_device *device,
                                    const struct ah_backend_function *function,
                                    const struct ah_launch *launch)
{
    const struct ahhsa_device_info *info = ahhsa_device_info_of(device);
    if (!info)
        return hipErrorOutOfMemory;
    if (!info->cooperative)
        return ahhsa_refuse(device, "a cooperative launch", "the device has no such queues");
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    unsigned threads = launch->block[0] * launch->block[1] * launch->block[2];
    unsigned units = info->cooperative_units ? info->cooperative_units : info->units;
    uint64_t resident =
        (uint64_t)ahhsa_resident_blocks(device, function, threads, launch->shared) * units;
    if (blocks <= resident)
        return hipSuccess;
    AH_LOG_ERR("%llu blocks of kernel %s cannot all be resident for a cooperative launch: there is "
               "room for %llu",
               (unsigned long long)blocks, ah_demangle(function->kernel->name),
               (unsigned long long)resident);
    return hipErrorCooperativeLaunchTooLarge;
}

static inline __attribute__((always_inline)) hipError_t
check(struct ah_backend_device *device, const struct ah_backend_function *function,
      const struct ah_launch *launch)
{
    hipError_t error = check_grid(function, launch);
    if (error == hipSuccess)
        error = check_arguments(function, launch);
    if (error == hipSuccess && (launch->flags & AH_LAUNCH_COOPERATIVE))
        error = check_cooperative(device, function, launch);
    return error;
}

/* ---- the packet ------------------------------------------------------------------------- */

/* Bytes for a thread. A kernel with a dynamic stack gets the limit. */
static uint32_t stack_size(struct ah_backend_device *device,
                           const struct ah_backend_function *function)
{
    size_t limit = function->kernel->dynamic_stack ? ahhsa_limit(device, hipLimitStackSize) : 0;
    return limit > function->private_size ? (uint32_t)limit : function->private_size;
}

static void fill_packet(hsa_kernel_dispatch_packet_t *packet,
                        const struct ah_backend_function *function, const struct ah_launch *launch,
                        uint32_t stack, void *arguments)
{
    const unsigned *grid = launch->grid, *block = launch->block;
    packet->setup = 3 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
    packet->workgroup_size_x = (uint16_t)block[0];
    packet->workgroup_size_y = (uint16_t)block[1];
    packet->workgroup_size_z = (uint16_t)block[2];
    packet->grid_size_x = grid[0] * block[0];
    packet->grid_size_y = grid[1] * block[1];
    packet->grid_size_z = grid[2] * block[2];
    packet->private_segment_size = stack;
    packet->group_segment_size = function->group_size + launch->shared;
    packet->kernel_object = function->object;
    packet->kernarg_address = arguments;
}

/* Between ahhsa_dispatch_begin and _end. */
static void fill(struct ahhsa_dispatch *dispatch, const struct ah_backend_function *function,
                 const struct ah_launch *launch, struct ahhsa_implicit *implicit, uint32_t stack)
{
    implicit->queue = dispatch->queue;
    fill_packet(dispatch->packet, function, launch, stack, dispatch->arguments);
    if (dispatch->arguments)
        ahhsa_arguments_write(dispatch->arguments, function, launch, implicit);
}

/* What hidden_multigrid_sync_arg of a cooperative launch points to (docs/kernel-abi.md). The
 * first 48 bytes are as ROCm's device library reads them. */
struct cooperation {
    struct ah_multi_grid place;
    uint32_t grid_barrier[2]; /* of code that follows ROCm's ABI */
    uint32_t blocks, unused;
    void *workspace; /* of code compiled with this project's headers */
    uint64_t unused_too;
};

_Static_assert(sizeof(struct cooperation) == AHHSA_COOPERATION_SIZE, "struct cooperation");

/* Writes the struct behind the arguments. */
static void fill_cooperation(unsigned char *arguments, const struct ah_backend_function *function,
                             const struct ah_launch *launch, struct ahhsa_implicit *implicit)
{
    struct cooperation *to = (struct cooperation *)(void *)(arguments + function->arguments_size);
    *to = (struct cooperation){
        .blocks = launch->grid[0] * launch->grid[1] * launch->grid[2],
        .workspace = implicit->workspace,
    };
    if (launch->place)
        to->place = *launch->place;
    implicit->multigrid_sync = to;
}

/* ---- anything unusual ------------------------------------------------------------------- */

/* A kernel that prints, allocates, calls the host, or may synchronise its grid. */
static hipError_t launch_with_services(struct ah_backend_device *device,
                                       struct ah_backend_function *function,
                                       const struct ah_launch *launch,
                                       struct ah_backend_stream *stream, unsigned needs)
{
    struct ahhsa_implicit implicit = {0};
    struct ahhsa_print_buffer *print = NULL;
    struct ahhsa_dispatch dispatch;
    uint32_t size = function->arguments_size;
    unsigned flags = 0;
    hipError_t error = hipSuccess;
    if (needs != 0)
        error = ahhsa_kernel_services_provide(device, stream, function, needs, &implicit, &print);
    if (error != hipSuccess)
        return error;
    uint32_t stack = stack_size(device, function);
    if (implicit.workspace)
        size += AHHSA_COOPERATION_SIZE;
    if (launch->flags & AH_LAUNCH_COOPERATIVE)
        flags = AHHSA_DISPATCH_COOPERATIVE | AHHSA_DISPATCH_SIGNAL;
    if (print)
        flags |= ahhsa_print_buffer_flags(print);
    error = ahhsa_dispatch_begin(stream, size, flags, &dispatch);
    if (error != hipSuccess) {
        ahhsa_print_buffer_cancelled(print);
        return error;
    }
    if (implicit.workspace)
        fill_cooperation(dispatch.arguments, function, launch, &implicit);
    fill(&dispatch, function, launch, &implicit, stack);
    if (print)
        ahhsa_print_buffer_launched(stream, print);
    ahhsa_dispatch_end(&dispatch);
    return hipSuccess;
}

/* ---- the entry -------------------------------------------------------------------------- */

AH_LAUNCH_CODE hipError_t ahhsa_launch(struct ah_backend_device *device,
                                       struct ah_backend_function *function,
                                       const struct ah_launch *launch,
                                       struct ah_backend_stream *stream)
{
    struct ahhsa_implicit implicit = {0};
    struct ahhsa_dispatch dispatch;
    bool cooperative = (launch->flags & AH_LAUNCH_COOPERATIVE) != 0;
    unsigned needs = cooperative ? function->needs : function->needs & ~AHHSA_NEEDS_WORKSPACE;
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = check(device, function, launch);
    if (error != hipSuccess)
        return error;
    if (__builtin_expect(needs != 0 || cooperative, 0))
        return launch_with_services(device, function, launch, stream, needs);
    uint32_t stack = stack_size(device, function);
    error = ahhsa_dispatch_begin(stream, function->arguments_size, 0, &dispatch);
    if (error != hipSuccess)
        return error;
    fill(&dispatch, function, launch, &implicit, stack);
    ahhsa_dispatch_end(&dispatch);
    return hipSuccess;
}

/* ---- launches that are prepared ----------------------------------------------------------- */

hipError_t ahhsa_launch_check(struct ah_backend_device *device,
                              const struct ah_backend_function *function,
                              const struct ah_launch *launch)
{
    return check(device, function, launch);
}

void ahhsa_launch_fill(struct ah_backend_device *device, const struct ah_backend_function *function,
                       const struct ah_launch *launch, const struct ahhsa_implicit *implicit,
                       void *arguments, hsa_kernel_dispatch_packet_t *out_packet)
{
    fill_packet(out_packet, function, launch, stack_size(device, function), arguments);
    if (arguments)
        ahhsa_arguments_write(arguments, function, launch, implicit);
}
