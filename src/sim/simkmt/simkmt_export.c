/* Owns memory that others can open, and the files that represent it: dma-bufs of simulated devices
 * (sim_buffer.h). Memory of a device without an address and the driver's memory of the host are in
 * files of their own; other memory of a device gets a file that refers to it. */
#include "process.h"
#include "sim_buffer.h"
#include "simkmt_memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ----------------------------------------------------------------------------- */

/* A device that the file names has to be one of this process. */
bool simkmt_buffer_open(int file, struct sim_buffer *out)
{
    if (!sim_buffer_open(file, out))
        return false;
    if (out->node == 0 || simkmt_gpu_node(out->node))
        return true;
    close(out->file);
    return false;
}

/* Maps size bytes of a file at a multiple of alignment. MAP_FAILED: they cannot be mapped. */
void *simkmt_buffer_map(int file, uint64_t size, uint64_t alignment)
{
    uint64_t room = size + alignment - SIMKMT_PAGE;
    char *start = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return MAP_FAILED;
    uint64_t ahead = -(uintptr_t)start & (alignment - 1);
    char *address =
        mmap(start + ahead, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
    if (address == MAP_FAILED) {
        munmap(start, room);
        return MAP_FAILED;
    }
    if (ahead > 0)
        munmap(start, ahead);
    if (room > ahead + size)
        munmap(address + size, room - ahead - size);
    return address;
}

/* ---- memory in files of its own -------------------------------------------------------- */

bool simkmt_export_place(struct memory *memory, uint64_t size, uint64_t alignment)
{
    void *address = MAP_FAILED;
    memory->file = ah_sealed_file_create("simulated memory of the host", size + SIMKMT_PAGE, false);
    if (memory->file >= 0 && sim_buffer_describe(memory->file, size, 0))
        address = simkmt_buffer_map(memory->file, size, alignment);
    if (address != MAP_FAILED && simkmt_memory_adopt(memory, address, size))
        return true;
    if (memory->file >= 0)
        close(memory->file);
    memory->file = -1;
    return false;
}

bool simkmt_export_place_physical(struct memory *memory, uint64_t size)
{
    int device = (int)memory->node - 1;
    memory->file = sim_physical_create(device, size, SIMKMT_PAGE);
    if (memory->file >= 0 && sim_buffer_describe(memory->file, size, memory->node))
        memory->range.start = sim_address_reserve(size, SIMKMT_PAGE, 0);
    if (memory->range.start)
        return true;
    if (memory->file >= 0)
        sim_physical_close(device, size, memory->file);
    memory->file = -1;
    return false;
}

/* ---- sharing by handle ----------------------------------------------------------------- */

/* Of the host: others open the file itself. */
static void share_file(const struct memory *memory, struct sim_shared *out_shared)
{
    out_shared->table = memory->file;
    out_shared->table_id = ah_sealed_file_id(memory->file);
}

static void share_of_device(const struct memory *memory, struct sim_shared *out_shared)
{
    uint64_t offset;
    int file = sim_memory_share(memory->sim, &offset);
    out_shared->id = (uint32_t)memory->sim->id;
    out_shared->table = file >= 0 ? sim_shared_table(&out_shared->table_id) : -1;
}

HSAKMT_STATUS simkmt_memory_share(const void *address, uint64_t size, uint32_t *out_node,
                                  struct sim_shared *out_shared)
{
    *out_shared = (struct sim_shared){.process = getpid(), .table = -1, .size = size};
    simkmt_memory_lock();
    const struct memory *memory = simkmt_memory_at(address);
    if (memory && memory->range.start == (uintptr_t)address && memory->range.size == size) {
        *out_node = memory->node;
        if (memory->node == 0 && memory->file >= 0)
            share_file(memory, out_shared);
        else if (memory->kind == ALLOCATED && memory->node > 0)
            share_of_device(memory, out_shared);
    }
    simkmt_memory_unlock();
    return out_shared->table >= 0 ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
}

static bool open_of_host(struct memory *memory, const struct sim_shared *shared)
{
    memory->file =
        ah_sealed_file_open(shared->process, shared->table, shared->table_id, shared->size);
    void *address =
        memory->file >= 0 ? simkmt_buffer_map(memory->file, shared->size, SIMKMT_PAGE) : MAP_FAILED;
    return address != MAP_FAILED && simkmt_memory_adopt(memory, address, shared->size);
}

static bool open_of_device(struct memory *memory, int file, uint64_t offset, uint64_t size)
{
    memory->sim = sim_memory_open(file, offset, size, (int)memory->node - 1);
    memory->range.start = memory->sim ? memory->sim->address : 0;
    memory->range.size = size;
    return memory->sim != NULL;
}

static bool open_shared(struct memory *memory, const struct sim_shared *shared)
{
    uint64_t offset;
    if (memory->node == 0)
        return open_of_host(memory, shared);
    int file = sim_shared_open(shared, &offset);
    bool good = file >= 0 && open_of_device(memory, file, offset, shared->size);
    if (file >= 0)
        close(file);
    return good;
}

static void enter(struct memory *memory)
{
    simkmt_memory_lock();
    simkmt_memory_enter(memory);
    simkmt_memory_unlock();
}

HSAKMT_STATUS simkmt_memory_open(uint32_t node, const struct sim_shared *shared, void **out_address)
{
    struct memory *memory = simkmt_memory_new(OPENED, node, (HsaMemFlags){.Value = 0});
    if (!memory)
        return HSAKMT_STATUS_NO_MEMORY;
    if (!open_shared(memory, shared)) {
        simkmt_memory_free(memory);
        return HSAKMT_STATUS_INVALID_HANDLE;
    }
    *out_address = (void *)memory->range.start;
    enter(memory);
    return HSAKMT_STATUS_SUCCESS;
}

/* ---- dma-bufs -------------------------------------------------------------------------- */

/* The memory to export. */
struct exported {
    uint64_t start, size;
    uint32_t node;
    bool lies_elsewhere; /* it has no dma-buf yet, and can have one */
    int file;            /* another descriptor of its dma-buf, -1: none */
};

/* False: they are not all in one allocation. */
static bool look_up(uint64_t address, uint64_t size, struct exported *out)
{
    simkmt_memory_lock();
    const struct memory *memory = simkmt_memory_at((void *)address);
    bool good = memory && memory->kind != USER &&
                size <= memory->range.size - (address - memory->range.start);
    if (good)
        *out = (struct exported){
            .start = memory->range.start,
            .size = memory->range.size,
            .node = memory->node,
            .lies_elsewhere = memory->kind == ALLOCATED && memory->node > 0 && memory->file < 0,
            .file = memory->file < 0 ? -1 : fcntl(memory->file, F_DUPFD_CLOEXEC, 3),
        };
    simkmt_memory_unlock();
    return good;
}

/* Creates the dma-buf of memory of a device in a shared file, unless another thread has done so.
 * False: it cannot be shared. */
static bool describe(const struct exported *exported)
{
    struct sim_shared shared;
    uint32_t node = exported->node;
    if (simkmt_share_at_rest((void *)exported->start, exported->size, &node, &shared) !=
        HSAKMT_STATUS_SUCCESS)
        return false;
    int file = sim_buffer_refer(&shared, 0, exported->size, node);
    bool good = file >= 0;
    simkmt_memory_lock();
    struct memory *memory = simkmt_memory_at((void *)exported->start);
    if (good && memory && memory->range.start == exported->start && memory->file < 0) {
        memory->file = file;
        file = -1;
    }
    simkmt_memory_unlock();
    if (file >= 0)
        close(file);
    return good;
}

HSAKMT_STATUS hsaKmtExportDMABufHandle(void *address, uint64_t size, int *file, uint64_t *offset)
{
    SIMKMT_ENTER();
    struct exported exported;
    if (!address || size == 0 || !file || !offset || !look_up((uintptr_t)address, size, &exported))
        return HSAKMT_STATUS_INVALID_PARAMETER;
    if (exported.lies_elsewhere &&
        (!describe(&exported) || !look_up((uintptr_t)address, size, &exported)))
        return HSAKMT_STATUS_ERROR;
    if (exported.file < 0)
        return simkmt_refuse(HSAKMT_STATUS_ERROR,
                             "memory at %p has no file: it is the program's, scratch, or at an "
                             "address that was chosen",
                             address);
    *file = exported.file;
    *offset = (uintptr_t)address - exported.start;
    return HSAKMT_STATUS_SUCCESS;
}

static bool import(struct memory *memory, int file, const struct sim_buffer *buffer)
{
    memory->imported = true;
    memory->file = fcntl(file, F_DUPFD_CLOEXEC, 3);
    if (memory->file < 0)
        return false;
    if (buffer->node > 0)
        return open_of_device(memory, buffer->file, buffer->offset, buffer->size);
    void *address = simkmt_buffer_map(buffer->file, buffer->size, SIMKMT_PAGE);
    return address != MAP_FAILED && simkmt_memory_adopt(memory, address, buffer->size);
}

/* Every import has an address of its own. For other drivers' files, the kernel driver returns the
 * same error. */
HSAKMT_STATUS hsaKmtRegisterGraphicsHandleToNodes(uint64_t handle, HsaGraphicsResourceInfo *info,
                                                  uint64_t count, uint32_t *nodes)
{
    SIMKMT_ENTER();
    struct sim_buffer buffer;
    if (!info)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    for (uint64_t i = 0; i < count; i++)
        if (!nodes || !simkmt_gpu_node(nodes[i]))
            return HSAKMT_STATUS_INVALID_NODE_UNIT;
    if (handle > INT32_MAX || !simkmt_buffer_open((int)handle, &buffer))
        return simkmt_refuse(HSAKMT_STATUS_ERROR, "%llu is not a buffer of an AMD device",
                             (unsigned long long)handle);
    struct memory *memory = simkmt_memory_new(OPENED, buffer.node, (HsaMemFlags){.Value = 0});
    bool good = memory && import(memory, (int)handle, &buffer);
    close(buffer.file);
    if (!good) {
        if (memory)
            simkmt_memory_free(memory);
        return HSAKMT_STATUS_NO_MEMORY;
    }
    *info = (HsaGraphicsResourceInfo){.MemoryAddress = (void *)memory->range.start,
                                      .SizeInBytes = memory->range.size};
    if (simkmt.later) /* a GPU; for memory of the host the first one */
        info->NodeId = buffer.node > 0 ? buffer.node : 1;
    enter(memory);
    return HSAKMT_STATUS_SUCCESS;
}

/* It gets an address even if it does not need one. */
HSAKMT_STATUS hsaKmtRegisterGraphicsHandleToNodesExt(uint64_t handle, HsaGraphicsResourceInfo *info,
                                                     uint64_t count, uint32_t *nodes,
                                                     uint32_t flags)
{
    (void)flags;
    return hsaKmtRegisterGraphicsHandleToNodes(handle, info, count, nodes);
}
