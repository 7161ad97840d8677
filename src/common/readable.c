/* Finds how far memory of unknown size can be read, in the kernel's list of mappings. */
#include "readable.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

size_t ah_memory_readable(const void *address)
{
    uintptr_t at = (uintptr_t)address, end = 0;
    char line[512];
    if (!address)
        return 0;
    FILE *maps = fopen("/proc/thread-self/maps", "re");
    if (!maps) /* no way to know: believe the sizes that the data declares */
        return SIZE_MAX / 2;
    for (bool whole = true; fgets(line, sizeof line, maps);) {
        uintptr_t low, high;
        char readable;
        bool start = whole;
        whole = strchr(line, '\n') != NULL;
        if (!start || sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %c", &low, &high, &readable) != 3)
            continue; /* the rest of a long line */
        if (end ? low != end || readable != 'r' : at < low)
            break;
        if (!end && at >= high)
            continue;
        if (readable != 'r')
            break;
        end = high;
    }
    fclose(maps);
    return end ? end - at : 0;
}
