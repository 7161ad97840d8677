/* An OpenMP program that clang compiled for AMD's devices: regions without a device runtime,
 * which Debian has none of, on LLVM's libomptarget. */
#include "check.h"

#include <omp.h>

enum { GROUPS = 20, ITEMS = 64, COUNT = GROUPS * ITEMS };

#pragma omp begin declare target
unsigned factor = 3;
static unsigned item(void)
{
#ifdef __AMDGCN__
    return __builtin_amdgcn_workgroup_id_x() * ITEMS + __builtin_amdgcn_workitem_id_x();
#else
    return COUNT;
#endif
}
#pragma omp end declare target

static unsigned in[COUNT], out[COUNT];

int main(void)
{
    int devices = omp_get_num_devices();
    for (int device = 0; device < devices; device++) {
        for (unsigned i = 0; i < COUNT; i++)
            in[i] = i * 2654435761u;
        factor = 3 + (unsigned)device;
#pragma omp target update to(factor) device(device)
#pragma omp target enter data map(to : in) map(alloc : out) device(device)
#pragma omp target teams ompx_bare num_teams(GROUPS) thread_limit(ITEMS) device(device)
        {
            unsigned own[8];
            for (unsigned i = 0; i < 8; i++)
                own[i * 3 % 8] = in[item()] + i;
            out[item()] = own[in[item()] % 8] * factor;
        }
#pragma omp target exit data map(from : out) map(delete : in) device(device)
        for (unsigned i = 0; i < COUNT; i++)
            CHECK(out[i] == (in[i] + in[i] % 8 * 3 % 8) * factor);
    }
    printf("used %d devices\n", devices);
    return EXIT_SUCCESS;
}
