// Memory that host and device share under one address: a list whose elements point at each other is
// built by the host, changed by the device and read by the host, and nothing is copied.
#include "check.h"

#include <hip/hip_runtime.h>

static const int count = 1000;

struct element {
    long long value;
    element *next;
};

// A variable of the program, for both sides too.
__managed__ int visited;

__global__ void square_all(element *list, int every, int chains)
{
    const int chain = blockIdx.x * blockDim.x + threadIdx.x;
    if (chain >= chains)
        return;
    // Each thread follows the pointers from an element of its own.
    element *e = &list[chain * every];
    for (int i = 0; i < every && e; i++, e = e->next) {
        e->value *= e->value;
        atomicAdd(&visited, 1);
    }
}

int main()
{
    element *list;
    print_device();
    HIP_CHECK(hipMallocManaged(&list, count * sizeof *list));
    for (int i = 0; i < count; i++) {
        list[i].value = i;
        list[i].next = i + 1 < count ? &list[i + 1] : nullptr;
    }
    visited = 0;

    const int every = 10, chains = count / every;
    square_all<<<(chains + 63) / 64, 64>>>(list, every, chains);
    HIP_CHECK(hipGetLastError());
    // The host must not look before the device has finished.
    HIP_CHECK(hipDeviceSynchronize());

    int seen = 0, wrong = 0;
    for (const element *e = list; e; e = e->next, seen++)
        wrong += e->value != (long long)seen * seen;
    const int counted = visited;
    HIP_CHECK(hipFree(list));
    if (wrong || seen != count || counted != count) {
        printf("FAILED: %d of %d elements are wrong; the device counted %d\n", wrong, seen,
               counted);
        return 1;
    }
    printf("PASSED: the device changed a list of %d elements in place\n", count);
    return 0;
}
