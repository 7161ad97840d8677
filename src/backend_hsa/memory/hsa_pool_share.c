/* Owns how processes share pools. The runtime shares allocations, and knows nothing of pools: a
 * pool's handle is a sealed file with its number, and a pointer's data has the runtime's handle of
 * the block and that number. An imported pool has no blocks; what is imported by it is memory of
 * another process. */
#include "hsa_allocation.h"

#include "process.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The contents of the file. */
struct shared_pool {
    char magic[16];
    uint64_t number;
    hipUUID device;
};
static const char magic[16] = "anyhip pool 1";

/* The contents of a hipMemPoolPtrExportData. */
struct shared_block {
    hsa_amd_ipc_memory_t native;
    uint64_t native_size; /* of the runtime's allocation */
    uint64_t size;        /* that was asked for */
    uint64_t pool;
    uint64_t address; /* in the process of the pool */
};
_Static_assert(sizeof(struct shared_block) <= sizeof(hipMemPoolPtrExportData), "pool pointers");

static hipError_t refuse(const char *what)
{
    AH_LOG_ERR("%s", what);
    return hipErrorInvalidValue;
}

static hipUUID uuid_of(struct ah_backend_device *device)
{
    struct ah_device_identity identity;
    ahhsa_device_identify(device, &identity);
    return identity.uuid;
}

hipError_t ahhsa_pool_export(struct ah_backend_device *device, struct ah_backend_pool *pool,
                             hipMemAllocationHandleType type, void *out_handle)
{
    struct shared_pool shared = {.number = ahhsa_pool_number(pool), .device = uuid_of(device)};
    memcpy(shared.magic, magic, sizeof magic);
    if (type != hipMemHandleTypePosixFileDescriptor)
        return refuse("memory pools are shared by file descriptors alone");
    if (shared.number == 0)
        return refuse("the memory pool was not created to be shared");
    int file = ah_sealed_file_create("anyhip pool", sizeof shared, false);
    if (file >= 0 && pwrite(file, &shared, sizeof shared, 0) == (ssize_t)sizeof shared) {
        *(int *)out_handle = file;
        return hipSuccess;
    }
    AH_LOG_ERR("no file for a memory pool: %s", strerror(errno));
    if (file >= 0)
        close(file);
    return hipErrorOutOfMemory;
}

hipError_t ahhsa_pool_import(struct ah_backend_device *device, void *handle,
                             hipMemAllocationHandleType type, struct ah_backend_pool **out_pool)
{
    struct shared_pool shared;
    int file = (int)(intptr_t)handle;
    if (type != hipMemHandleTypePosixFileDescriptor)
        return refuse("memory pools are shared by file descriptors alone");
    if (!ah_sealed_file_check(file, sizeof shared) ||
        pread(file, &shared, sizeof shared, 0) != (ssize_t)sizeof shared ||
        memcmp(shared.magic, magic, sizeof magic) != 0)
        return refuse("the file descriptor is not that of a memory pool");
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    hipUUID own = uuid_of(device);
    if (memcmp(&own, &shared.device, sizeof own) != 0)
        return refuse("the memory pool is of another device than the current one");
    return ahhsa_pool_create_imported(device, shared.number, out_pool);
}

hipError_t ahhsa_pool_export_pointer(struct ah_backend_device *device, void *pointer,
                                     hipMemPoolPtrExportData *out_data)
{
    struct ahhsa_pool_block block;
    struct ahhsa_ipc_ticket ticket;
    struct shared_block shared;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    if (!ahhsa_pool_find(device, pointer, &block) || block.number == 0)
        return refuse("the pointer is not of a memory pool that was created to be shared");
    memset(&shared, 0, sizeof shared);
    error = ahhsa_ipc_export(device, pointer, block.size, &ticket);
    if (error != hipSuccess)
        return error;
    shared.native = ticket.native;
    shared.native_size = ticket.size;
    shared.size = block.used;
    shared.pool = block.number;
    shared.address = (uintptr_t)pointer;
    memset(out_data, 0, sizeof *out_data);
    memcpy(out_data, &shared, sizeof shared);
    return hipSuccess;
}

hipError_t ahhsa_pool_import_pointer(struct ah_backend_device *device, struct ah_backend_pool *pool,
                                     hipMemPoolPtrExportData *data, void **out_pointer)
{
    struct shared_block shared;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    memcpy(&shared, data, sizeof shared);
    if (!ahhsa_pool_is_imported(pool))
        return refuse("the memory pool was not imported");
    if (shared.pool != ahhsa_pool_number(pool) || shared.size == 0 ||
        shared.size > shared.native_size)
        return refuse("the data are not of a pointer of that memory pool");
    if (ahhsa_pool_is_own(device, shared.pool)) { /* the runtime opens memory of others */
        *out_pointer = (void *)(uintptr_t)shared.address;
        return ahhsa_pool_lend_again(device, *out_pointer, shared.pool)
                   ? hipSuccess
                   : refuse("the memory of the pool's pointer was freed");
    }
    const struct ahhsa_ipc_ticket ticket = {.native = shared.native, .size = shared.native_size};
    return ahhsa_ipc_import(device, &ticket, shared.size, out_pointer);
}
