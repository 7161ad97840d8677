/* A host program in C (and, compiled as C++, in C++): calls the API. There is always a device, if
 * only a simulated one. */
#include <hip/hip_runtime_api.h>
#include <stdio.h>

int main(void)
{
    int count = 0, version = 0;
    hipError_t error = hipGetDeviceCount(&count);
    if (hipRuntimeGetVersion(&version) != hipSuccess)
        return 1;
    printf("%d devices (%d), runtime %d\n", count, (int)error, version);
    return count < 1;
}
