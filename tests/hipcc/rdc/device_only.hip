// Only device code: nothing of the host part makes a linker take this in.
#include <hip/hip_runtime.h>

__device__ int plus_one(int x)
{
    return x + 1;
}
