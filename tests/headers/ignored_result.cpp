// Must not compile as C++17 with -Werror: hipError_t is [[nodiscard]] there.
#include <hip/hip_runtime_api.h>

void ignores_a_result()
{
    hipDeviceSynchronize();
}
