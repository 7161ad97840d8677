/* Owns virtual memory: reserved addresses, physical memory, and mappings. */
#include "process.h"
#include "simhsa_runtime.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };

struct reservation {
    struct reservation *next;
    uint64_t start;
    size_t size;
};

/* Physical memory; its handle and each mapping have a reference. */
struct simhsa_physical {
    struct simhsa_physical *next;
    uint64_t handle; /* 0: released */
    struct simhsa_pool *pool;
    hsa_amd_memory_type_t type;
    int file;
    size_t size;
    bool imported; /* not counted against any device */
    unsigned references, handles;
};

/* All under the lock of memory. */
static struct reservation *reservations;
static struct simhsa_physical *physicals;
static uint64_t last_handle;

/* ---- addresses --------------------------------------------------------------------- */

static struct reservation **reservation_with(uint64_t address)
{
    struct reservation **link = &reservations;
    while (*link && address - (*link)->start >= (*link)->size)
        link = &(*link)->next;
    return link;
}

bool simhsa_reserved(uint64_t address, uint64_t *out_start, size_t *out_size)
{
    const struct reservation *found = *reservation_with(address);
    if (!found)
        return false;
    *out_start = found->start;
    *out_size = found->size;
    return true;
}

unsigned simhsa_reservations_left(void)
{
    unsigned count = 0;
    for (const struct reservation *at = reservations; at; at = at->next)
        count++;
    return count;
}

unsigned simhsa_physicals_left(void)
{
    unsigned count = 0;
    for (const struct simhsa_physical *at = physicals; at; at = at->next)
        count += at->handles > 0;
    return count;
}

hsa_status_t hsa_amd_vmem_address_reserve_align(void **va, size_t size, uint64_t address,
                                                uint64_t alignment, uint64_t flags)
{
    SIMHSA_ENTER();
    if (!va || size == 0 || size % PAGE != 0 || address % PAGE != 0 ||
        (alignment & (alignment - 1)) != 0 || flags & ~(uint64_t)HSA_AMD_VMEM_ADDRESS_NO_REGISTER)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    struct reservation *made = malloc(sizeof *made);
    uint64_t start = made ? sim_address_reserve(size, alignment, address) : 0;
    if (!start) {
        free(made);
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    simhsa_memory_lock();
    *made = (struct reservation){reservations, start, size};
    reservations = made;
    simhsa_memory_unlock();
    *va = (void *)(uintptr_t)start;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_address_reserve(void **va, size_t size, uint64_t address, uint64_t flags)
{
    SIMHSA_ENTER();
    return hsa_amd_vmem_address_reserve_align(va, size, address, 0, flags);
}

hsa_status_t hsa_amd_vmem_address_free(void *va, size_t size)
{
    hsa_status_t result = HSA_STATUS_ERROR_INVALID_ALLOCATION;
    SIMHSA_ENTER();
    if (!va || size == 0)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_memory_lock();
    struct reservation **link = reservation_with((uintptr_t)va), *found = *link;
    if (found && found->start == (uintptr_t)va && found->size == size) {
        result = HSA_STATUS_ERROR_RESOURCE_FREE; /* something is mapped there */
        if (sim_address_free(found->start, found->size)) {
            *link = found->next;
            free(found);
            result = HSA_STATUS_SUCCESS;
        }
    }
    simhsa_memory_unlock();
    return result;
}

/* ---- physical memory --------------------------------------------------------------- */

static struct simhsa_physical *physical_get(hsa_amd_vmem_alloc_handle_t handle)
{
    struct simhsa_physical *physical = physicals;
    while (physical && (physical->handle != handle.handle || handle.handle == 0))
        physical = physical->next;
    if (!physical)
        simhsa_violation("0x%llx is not a handle of memory", (unsigned long long)handle.handle);
    return physical;
}

void simhsa_physical_release(struct simhsa_physical *physical)
{
    if (--physical->references > 0)
        return;
    struct simhsa_physical **link = &physicals;
    while (*link != physical)
        link = &(*link)->next;
    *link = physical->next;
    if (physical->imported)
        close(physical->file);
    else
        sim_physical_close(physical->pool->agent->device, physical->size, physical->file);
    free(physical);
}

/* Takes ownership of file. */
static hsa_status_t add_physical(const struct simhsa_physical *like,
                                 hsa_amd_vmem_alloc_handle_t *out)
{
    struct simhsa_physical *physical = malloc(sizeof *physical);
    if (!physical) {
        if (like->imported)
            close(like->file);
        else
            sim_physical_close(like->pool->agent->device, like->size, like->file);
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    *physical = *like;
    simhsa_memory_lock();
    physical->handle = (UINT64_C(0xfb) << 56) | ++last_handle;
    physical->references = physical->handles = 1;
    physical->next = physicals;
    physicals = physical;
    out->handle = physical->handle;
    simhsa_memory_unlock();
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t handle, size_t size,
                                        hsa_amd_memory_type_t type, uint64_t flags,
                                        hsa_amd_vmem_alloc_handle_t *memory_handle)
{
    SIMHSA_ENTER();
    struct simhsa_pool *pool = simhsa_pool_get(handle.handle);
    if (!memory_handle || size == 0 || size % PAGE != 0 || flags != 0 ||
        (type != MEMORY_TYPE_NONE && type != MEMORY_TYPE_PINNED) || !pool ||
        pool->segment != HSA_AMD_SEGMENT_GLOBAL)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    int device = pool->agent->device;
    if (device < 0) {
        simhsa_violation("memory of the host cannot be mapped");
        return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    }
    int file = sim_fault_allocation(device, size) ? -1 : sim_physical_create(device, size, 0);
    if (file < 0)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    return add_physical(
        &(struct simhsa_physical){.pool = pool, .type = type, .file = file, .size = size},
        memory_handle);
}

hsa_status_t hsa_amd_vmem_handle_release(hsa_amd_vmem_alloc_handle_t memory_handle)
{
    SIMHSA_ENTER();
    simhsa_memory_lock();
    struct simhsa_physical *physical = physical_get(memory_handle);
    if (physical) {
        if (--physical->handles == 0)
            physical->handle = 0;
        simhsa_physical_release(physical);
    }
    simhsa_memory_unlock();
    return physical ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

hsa_status_t hsa_amd_vmem_retain_alloc_handle(hsa_amd_vmem_alloc_handle_t *memory_handle,
                                              void *addr)
{
    SIMHSA_ENTER();
    if (!memory_handle || !addr)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_memory_lock();
    const struct simhsa_memory *memory = simhsa_memory_find((uintptr_t)addr);
    struct simhsa_physical *physical = memory ? memory->physical : NULL;
    if (physical) {
        if (physical->handles++ == 0)
            physical->handle = (UINT64_C(0xfb) << 56) | ++last_handle;
        physical->references++;
        memory_handle->handle = physical->handle;
    }
    simhsa_memory_unlock();
    return physical ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

hsa_status_t
hsa_amd_vmem_get_alloc_properties_from_handle(hsa_amd_vmem_alloc_handle_t memory_handle,
                                              hsa_amd_memory_pool_t *pool,
                                              hsa_amd_memory_type_t *type)
{
    SIMHSA_ENTER();
    if (!pool || !type)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_memory_lock();
    const struct simhsa_physical *physical = physical_get(memory_handle);
    if (physical) {
        pool->handle = (uintptr_t)physical->pool;
        *type = physical->type;
    }
    simhsa_memory_unlock();
    return physical ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

/* ---- mappings ---------------------------------------------------------------------- */

static hsa_status_t map(uint64_t address, size_t size, size_t offset,
                        struct simhsa_physical *physical)
{
    struct reservation *reservation = *reservation_with(address);
    if (!physical || offset > physical->size || size > physical->size - offset)
        return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    if (!reservation || size > reservation->size - (address - reservation->start) ||
        (address | size | offset) % PAGE != 0)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    struct simhsa_memory *memory = simhsa_memory_add(
        SIMHSA_MAPPED,
        sim_memory_map(address, size, physical->file, offset, physical->pool->agent->device),
        physical->pool);
    if (!memory)
        return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    memory->allowed[physical->pool->agent->node] = false; /* created on the first request */
    memory->physical = physical;
    physical->references++;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_map(void *va, size_t size, size_t in_offset,
                              hsa_amd_vmem_alloc_handle_t memory_handle, uint64_t flags)
{
    SIMHSA_ENTER();
    if (!va || size == 0 || flags != 0)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_memory_lock();
    hsa_status_t result = map((uintptr_t)va, size, in_offset, physical_get(memory_handle));
    simhsa_memory_unlock();
    return result;
}

/* The mapping that begins at address and ends before end. */
static struct simhsa_memory *mapping_at(uint64_t address, uint64_t end)
{
    struct simhsa_memory *memory = simhsa_memory_find(address);
    return memory && memory->kind == SIMHSA_MAPPED && memory->sim->address == address &&
                   memory->sim->size <= end - address
               ? memory
               : NULL;
}

static bool is_tiled(uint64_t start, uint64_t end)
{
    const struct simhsa_memory *memory = mapping_at(start, end);
    while (memory && memory->sim->address + memory->sim->size < end)
        memory = mapping_at(memory->sim->address + memory->sim->size, end);
    return memory != NULL;
}

hsa_status_t hsa_amd_vmem_unmap(void *va, size_t size)
{
    SIMHSA_ENTER();
    uint64_t address = (uintptr_t)va, end = address + size;
    if (!va || size == 0 || end < address)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_memory_lock();
    bool good = is_tiled(address, end);
    while (good && address < end) {
        struct simhsa_memory *memory = mapping_at(address, end);
        address += memory->sim->size;
        simhsa_memory_free(memory);
    }
    simhsa_memory_unlock();
    return good ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

/* ---- access
 * -----------------------------------------------------------------------------------------------
 */

static hsa_status_t check_access(const hsa_amd_memory_access_desc_t *desc)
{
    const struct simhsa_agent *agent = simhsa_agent_get(desc->agent_handle);
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (agent->device < 0 && desc->permissions != HSA_ACCESS_PERMISSION_NONE) {
        simhsa_violation("the host cannot have access to memory of a device");
        return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    return desc->permissions == HSA_ACCESS_PERMISSION_WO ||
                   desc->permissions > HSA_ACCESS_PERMISSION_RW
               ? HSA_STATUS_ERROR_INVALID_ARGUMENT
               : HSA_STATUS_SUCCESS;
}

/* Permissions have the numbers of enum sim_access. */
static void set_access(struct simhsa_memory *memory, const hsa_amd_memory_access_desc_t *desc)
{
    const struct simhsa_agent *agent = simhsa_agent_get(desc->agent_handle);
    memory->allowed[agent->node] = desc->permissions != HSA_ACCESS_PERMISSION_NONE;
    if (agent->device >= 0)
        sim_memory_set_access(memory->sim, agent->device, (enum sim_access)desc->permissions);
}

hsa_status_t hsa_amd_vmem_set_access(void *va, size_t size,
                                     const hsa_amd_memory_access_desc_t *desc, size_t desc_cnt)
{
    SIMHSA_ENTER();
    uint64_t address = (uintptr_t)va, end = address + size;
    hsa_status_t result = HSA_STATUS_SUCCESS;
    if (!va || size == 0 || end < address || !desc || desc_cnt == 0)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; i < desc_cnt && result == HSA_STATUS_SUCCESS; i++)
        result = check_access(&desc[i]);
    if (result != HSA_STATUS_SUCCESS)
        return result;
    simhsa_memory_lock();
    bool good = is_tiled(address, end);
    while (good && address < end) {
        struct simhsa_memory *memory = mapping_at(address, end);
        for (size_t i = 0; i < desc_cnt; i++)
            set_access(memory, &desc[i]);
        address += memory->sim->size;
    }
    simhsa_memory_unlock();
    return good ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

hsa_status_t hsa_amd_vmem_get_access(void *va, hsa_access_permission_t *perms,
                                     hsa_agent_t agent_handle)
{
    SIMHSA_ENTER();
    const struct simhsa_agent *agent = simhsa_agent_get(agent_handle);
    if (!va || !perms)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    simhsa_memory_lock();
    const struct simhsa_memory *memory = simhsa_memory_find((uintptr_t)va);
    bool good = memory && memory->kind == SIMHSA_MAPPED;
    if (good)
        *perms = agent->device < 0 ? HSA_ACCESS_PERMISSION_NONE
                                   : (hsa_access_permission_t)memory->sim->access[agent->device];
    simhsa_memory_unlock();
    return good ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

/* ---- sharing
 * ------------------------------------------------------------------------------------------------
 */

/* The file that contains the memory is shared: another process maps the same. */
hsa_status_t hsa_amd_vmem_export_shareable_handle(int *dmabuf_fd,
                                                  hsa_amd_vmem_alloc_handle_t handle,
                                                  uint64_t flags)
{
    SIMHSA_ENTER();
    if (!dmabuf_fd || flags != 0)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_memory_lock();
    const struct simhsa_physical *physical = physical_get(handle);
    int file = physical ? fcntl(physical->file, F_DUPFD_CLOEXEC, 3) : -1;
    simhsa_memory_unlock();
    if (!physical)
        return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    if (file < 0)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *dmabuf_fd = file;
    return HSA_STATUS_SUCCESS;
}

/* A file does not name the device: the memory belongs to the first one, which accesses it like any
 * other. */
hsa_status_t hsa_amd_vmem_import_shareable_handle(int dmabuf_fd,
                                                  hsa_amd_vmem_alloc_handle_t *handle)
{
    struct stat about;
    SIMHSA_ENTER();
    if (!handle || simhsa.agent_count < 2 || fstat(dmabuf_fd, &about) != 0 || about.st_size <= 0 ||
        about.st_size % PAGE != 0 || !ah_sealed_file_check(dmabuf_fd, (uint64_t)about.st_size))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    int file = fcntl(dmabuf_fd, F_DUPFD_CLOEXEC, 3);
    if (file < 0)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    return add_physical(&(struct simhsa_physical){.pool = &simhsa.agents[1].pools[0],
                                                  .type = MEMORY_TYPE_NONE,
                                                  .file = file,
                                                  .size = (size_t)about.st_size,
                                                  .imported = true},
                        handle);
}

/* ---- the end
 * --------------------------------------------------------------------------------------------------
 */

/* Called after all memory, mappings included, was freed. */
void simhsa_virtual_close(void)
{
    simhsa_memory_lock();
    while (physicals) {
        physicals->references = 1;
        simhsa_physical_release(physicals);
    }
    while (reservations) {
        struct reservation *reservation = reservations;
        reservations = reservation->next;
        sim_address_free(reservation->start, reservation->size);
        free(reservation);
    }
    simhsa_memory_unlock();
}
