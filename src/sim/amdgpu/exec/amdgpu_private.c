/* Owns the memory of private segments, scratch: real memory of the device, at addresses that a
 * resource descriptor names and programs may use as any other. A queue keeps some of it for
 * the groups to come, or its owner provides a ring, of which groups have parts. */
#include "amdgpu_wave.h"

#include <pthread.h>
#include <stdlib.h>

enum { KEPT_MAX = 64, KEPT_SIZE_MAX = 2 << 20 }; /* pieces, and bytes of one */

struct amdgpu_private {
    pthread_mutex_t lock;
    struct sim_memory *kept[KEPT_MAX]; /* of the device of the queue */
    unsigned next;                     /* to make room, when there is none */
};

struct amdgpu_private *amdgpu_private_create(void)
{
    struct amdgpu_private *private = calloc(1, sizeof *private);
    if (private)
        pthread_mutex_init(&private->lock, NULL);
    return private;
}

void amdgpu_private_destroy(struct amdgpu_private *private)
{
    if (!private)
        return;
    for (unsigned i = 0; i < KEPT_MAX; i++)
        sim_memory_destroy(private->kept[i]);
    pthread_mutex_destroy(&private->lock);
    free(private);
}

/* Pieces are used for their own size only, so that what lies beyond is out of reach. */
static struct sim_memory *take_kept(struct amdgpu_private *private, size_t size)
{
    struct sim_memory *found = NULL;
    pthread_mutex_lock(&private->lock);
    for (unsigned i = 0; i < KEPT_MAX && !found; i++)
        if (private->kept[i] && private->kept[i]->size == size) {
            found = private->kept[i];
            private->kept[i] = NULL;
        }
    pthread_mutex_unlock(&private->lock);
    return found;
}

struct sim_memory *amdgpu_private_take(struct amdgpu_private *private, int device, size_t size)
{
    struct sim_memory *memory = private ? take_kept(private, size) : NULL;
    if (!memory)
        memory = sim_memory_create(SIM_MEMORY_DEVICE, device, size, 0);
    if (memory)
        sim_memory_name(memory, "scratch of a work-group");
    return memory;
}

void amdgpu_private_give(struct amdgpu_private *private, struct sim_memory *memory)
{
    if (private && memory && memory->size <= KEPT_SIZE_MAX) {
        pthread_mutex_lock(&private->lock);
        unsigned place = 0;
        while (place < KEPT_MAX && private->kept[place])
            place++;
        if (place == KEPT_MAX)
            place = private->next++ % KEPT_MAX;
        struct sim_memory *old = private->kept[place];
        private->kept[place] = memory;
        memory = old;
        pthread_mutex_unlock(&private->lock);
    }
    sim_memory_destroy(memory);
}

/* ---- rings ------------------------------------------------------------------------- */

bool amdgpu_ring_take(struct amdgpu_dispatch *dispatch, unsigned *out_group)
{
    unsigned groups = dispatch->ring.waves / dispatch->launch.waves_per_block;
    for (unsigned group = 0; group < groups && group < AMDGPU_RING_GROUPS; group++) {
        uint64_t bit = UINT64_C(1) << group % 64;
        if (!(atomic_fetch_or(&dispatch->ring_groups[group / 64], bit) & bit)) {
            *out_group = group;
            return true;
        }
    }
    return false;
}

void amdgpu_ring_give(struct amdgpu_dispatch *dispatch, unsigned group)
{
    atomic_fetch_and(&dispatch->ring_groups[group / 64], ~(UINT64_C(1) << group % 64));
}
