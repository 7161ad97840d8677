// The second translation unit of managed.hip.
#include <hip/hip_runtime.h>

#include "managed.h"

__managed__ counters other_counters = {7, 1.5, {1, 2, 3, 4}};

counters &other()
{
    return other_counters;
}

__global__ void add_to_other(int n)
{
    other_counters.count += n;
    other_counters.sum += n;
    for (int i = 0; i < 4; ++i)
        other_counters.table[i] += n;
}

void launch_other(int n, hipStream_t stream)
{
    add_to_other<<<1, 1, 0, stream>>>(n);
}
