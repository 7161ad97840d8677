/* The barrier of a cooperative launch's grid. */
#include "sim_grid.h"

#include "sim_memory.h"

/* Its word is the second of the workspace. Block 0 adds 2^31 - (blocks - 1) to it and the others 1:
 * but for its top bit it is 0 unless some have arrived and others have not. */
bool sim_grid_waits(int device, uint64_t workspace)
{
    const unsigned char *word =
        workspace ? sim_translate_range(device, workspace + 4, 4, false) : NULL;
    return word && __atomic_load_n((const uint32_t *)(const void *)word, __ATOMIC_RELAXED) << 1;
}
