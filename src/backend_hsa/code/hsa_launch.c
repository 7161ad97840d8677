/* Owns launches: what is checked, and the packet. */
#include "hsa_facts.h"
#include "hsa_code.h"

#include <string.h>

/* ---- checks ----------------------------------------------------------------------------- */

/* A packet counts work-items in 32 bits. */
static hipError_t check_grid(const struct ah_backend_function *function,
                             const struct ah_launch *launch)
{
    for (int i = 0; i < 3; i++) {
        uint32_t required = function->kernel->required[i];
        if ((uint64_t)launch->grid[i] * launch->block[i] > UINT32_MAX) {
            AH_LOG_ERR("%u blocks of %u threads are more than 2^32 threads in one dimension for "
                       "kernel %s",
                       launch->grid[i], launch->block[i], function->kernel->name);
            return hipErrorInvalidConfiguration;
        }
        if (required && launch->block[i] != required) {
            AH_LOG_ERR("kernel %s was compiled for blocks of %u x %u x %u threads, not %u x %u x "
                       "%u",
                       function->kernel->name, function->kernel->required[0],
                       function->kernel->required[1], function->kernel->required[2],
                       launch->block[0], launch->block[1], launch->block[2]);
            return hipErrorInvalidConfiguration;
        }
    }
    return hipSuccess;
}

static hipError_t check_arguments(const struct ah_backend_function *function,
                                  const struct ah_launch *launch)
{
    if (function->kernel->explicit_count == 0 || launch->params)
        return hipSuccess;
    size_t size = launch->extra ? *(const size_t *)launch->extra[3] : 0;
    if (size >= function->explicit_end)
        return hipSuccess;
    AH_LOG_ERR("kernel %s takes %u bytes of arguments, and %zu are given", function->kernel->name,
               function->explicit_end, size);
    return hipErrorInvalidValue;
}

/* All blocks must be resident at once, or a barrier of the grid would wait for ever. */
static hipError_t check_cooperative(struct ah_backend_device *device,
                                    const struct ah_backend_function *function,
                                    const struct ah_launch *launch)
{
    const struct ahhsa_facts *facts = ahhsa_facts_of(device);
    if (!facts)
        return hipErrorOutOfMemory;
    if (!facts->cooperative)
        return ahhsa_refuse(device, "a cooperative launch", "the device has no such queues");
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    unsigned threads = launch->block[0] * launch->block[1] * launch->block[2];
    unsigned units = facts->cooperative_units ? facts->cooperative_units : facts->units;
    uint64_t resident =
        (uint64_t)ahhsa_resident_blocks(device, function, threads, launch->shared) * units;
    if (blocks <= resident)
        return hipSuccess;
    AH_LOG_ERR("%llu blocks of kernel %s cannot all be resident for a cooperative launch: there is "
               "room for %llu",
               (unsigned long long)blocks, function->kernel->name, (unsigned long long)resident);
    return hipErrorCooperativeLaunchTooLarge;
}

static hipError_t check(struct ah_backend_device *device,
                        const struct ah_backend_function *function, const struct ah_launch *launch)
{
    hipError_t error = check_grid(function, launch);
    if (error == hipSuccess)
        error = check_arguments(function, launch);
    if (error == hipSuccess && (launch->flags & AH_LAUNCH_COOPERATIVE))
        error = check_cooperative(device, function, launch);
    return error;
}

/* ---- the packet ------------------------------------------------------------------------- */

/* Of a thread. Kernels whose stack is not known before they run get the limit. */
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

/* What hidden_multigrid_sync_arg of a cooperative launch points to (docs/kernel-abi.md). The
 * first 48 bytes are as ROCm's device library reads them. */
struct cooperation {
    struct ah_multi_grid place;
    uint32_t grid_barrier[2]; /* of ROCm's code */
    uint32_t blocks, unused;
    void *workspace; /* of code compiled with this project's headers */
    uint64_t unused_too;
};

_Static_assert(sizeof(struct cooperation) == AHHSA_COOPERATION_SIZE, "struct cooperation");

static size_t arguments_size(const struct ah_backend_function *function,
                             const struct ahhsa_implicit *implicit)
{
    return implicit->workspace
               ? ahhsa_kernarg_padded(function->kernarg_size) + AHHSA_COOPERATION_SIZE
               : function->kernarg_size;
}

/* Behind the arguments. */
static void fill_cooperation(unsigned char *arguments, const struct ah_backend_function *function,
                             const struct ah_launch *launch, struct ahhsa_implicit *implicit)
{
    struct cooperation *to =
        (struct cooperation *)(void *)(arguments + ahhsa_kernarg_padded(function->kernarg_size));
    *to = (struct cooperation){
        .blocks = launch->grid[0] * launch->grid[1] * launch->grid[2],
        .workspace = implicit->workspace,
    };
    if (launch->place)
        to->place = *launch->place;
    implicit->multigrid_sync = to;
}

/* Between packet_begin and packet_end. */
static hipError_t fill(struct ahhsa_slot *slot, const struct ah_backend_function *function,
                       const struct ah_launch *launch, struct ahhsa_implicit *implicit,
                       uint32_t stack)
{
    void *arguments = NULL;
    implicit->queue = slot->queue->hsa;
    if (function->kernarg_size > 0) {
        arguments = ahhsa_kernarg_take(slot, arguments_size(function, implicit));
        if (!arguments)
            return hipErrorOutOfMemory;
        if (implicit->workspace)
            fill_cooperation(arguments, function, launch, implicit);
        ahhsa_kernarg_fill(arguments, function, launch, implicit);
    }
    fill_packet(slot->packet, function, launch, stack, arguments);
    return hipSuccess;
}

hipError_t ahhsa_launch(struct ah_backend_device *device, struct ah_backend_function *function,
                        const struct ah_launch *launch, struct ah_backend_stream *stream)
{
    struct ahhsa_implicit implicit = {0};
    struct ahhsa_print *print = NULL;
    struct ahhsa_slot slot;
    bool cooperative = (launch->flags & AH_LAUNCH_COOPERATIVE) != 0;
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = check(device, function, launch);
    if (error != hipSuccess)
        return error;
    unsigned needs = cooperative ? function->needs : function->needs & ~AHHSA_NEEDS_WORKSPACE;
    if (__builtin_expect(needs != 0, 0))
        error = ahhsa_services_provide(device, stream, function, needs, &implicit, &print);
    if (error != hipSuccess)
        return error;
    uint32_t stack = stack_size(device, function);
    unsigned flags = ahhsa_kernarg_flags(stream, arguments_size(function, &implicit));
    if (cooperative)
        flags |= AHHSA_PACKET_COOPERATIVE | AHHSA_PACKET_SIGNAL;
    if (print)
        flags |= ahhsa_print_flags(print);
    error = ahhsa_packet_begin(stream, flags, &slot);
    if (error != hipSuccess) {
        ahhsa_print_cancelled(print);
        return error;
    }
    error = fill(&slot, function, launch, &implicit, stack);
    if (error == hipSuccess) {
        ahhsa_print_launched(&slot, print);
        ahhsa_packet_end(&slot);
        return hipSuccess;
    }
    ahhsa_packet_drop(&slot);
    ahhsa_print_cancelled(print);
    return error;
}
