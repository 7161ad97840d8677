/* Owns memory of a device that is mapped in a part of reserved addresses: runtimes reserve
 * addresses for all their scratch, and have memory put to some of them when a queue needs it. */
#include "simkmt.h"

#include <stdlib.h>

struct simkmt_part {
    struct sim_memory *sim;
    int file, device;
    struct simkmt_part *next;
};

static void destroy(struct simkmt_part *part)
{
    size_t size = part->sim->size;
    sim_memory_destroy(part->sim);
    sim_physical_close(part->device, size, part->file);
    free(part);
}

bool simkmt_part_map(struct simkmt_part **parts, int device, uint64_t address, uint64_t size)
{
    struct simkmt_part *part = calloc(1, sizeof *part);
    if (!part)
        return false;
    part->device = device;
    part->file = sim_physical_create(device, size, 0);
    if (part->file >= 0)
        part->sim = sim_memory_map(address, size, part->file, 0, device);
    if (!part->sim) {
        if (part->file >= 0)
            sim_physical_close(device, size, part->file);
        free(part);
        return false;
    }
    sim_memory_set_access(part->sim, device, SIM_ACCESS_READ_WRITE);
    part->next = *parts;
    *parts = part;
    return true;
}

bool simkmt_part_unmap(struct simkmt_part **parts, uint64_t address)
{
    while (*parts && (*parts)->sim->address != address)
        parts = &(*parts)->next;
    struct simkmt_part *part = *parts;
    if (!part)
        return false;
    *parts = part->next;
    destroy(part);
    return true;
}

void simkmt_parts_enable_access(struct simkmt_part *parts, int device)
{
    for (struct simkmt_part *part = parts; part; part = part->next)
        sim_memory_set_access(part->sim, device, SIM_ACCESS_READ_WRITE);
}

void simkmt_parts_destroy(struct simkmt_part **parts)
{
    while (*parts)
        (void)simkmt_part_unmap(parts, (*parts)->sim->address);
}
