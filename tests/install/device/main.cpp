// Launches the kernel; there is always a device, if only a simulated one.
#include "kernel.h"
#include <stdio.h>

int main()
{
    float host[64], *device = nullptr;
    int count = 0;
    if (hipGetDeviceCount(&count) != hipSuccess || count == 0) {
        printf("no device\n");
        return 1;
    }
    for (int i = 0; i < 64; i++)
        host[i] = (float)i;
    if (hipMalloc((void **)&device, sizeof(host)) != hipSuccess ||
        hipMemcpy(device, host, sizeof(host), hipMemcpyHostToDevice) != hipSuccess ||
        launch_twice(device, 64) != hipSuccess ||
        hipMemcpy(host, device, sizeof(host), hipMemcpyDeviceToHost) != hipSuccess ||
        hipFree(device) != hipSuccess)
        return 1;
    for (int i = 0; i < 64; i++)
        if (host[i] != 2 * (float)i)
            return 1;
    printf("right\n");
    return 0;
}
