// ANYHIP_CHECK_WARP_MASKS: right masks do no harm, wrong ones end the kernel with an error.
#define ANYHIP_CHECK_WARP_MASKS
#include "../support/hip_test.h"
#include "../support/output.h"

#include <cstdlib>
#include <cstring>

__global__ void use_masks(int *out, unsigned long long members, unsigned long long named)
{
    int lane = threadIdx.x;
    if (members >> lane & 1)
        out[lane] = __shfl_sync(named, lane, __builtin_ctzll(members)) +
                    __popcll(__ballot_sync(named, 1)) + (__any_sync(named, lane == 1) ? 100 : 0);
}
TEST("right masks change nothing")
{
    int w = ah_test::warp_size();
    for (unsigned long long members : {~0ull, 0xfeull, 0x6ull}) {
        members &= ~0ull >> (64 - w);
        ah_test::buffer<int> out(w);
        use_masks<<<1, w>>>(out.device(), members, members);
        CHECK_LAUNCH();
        for (int i = 0; i < w; ++i)
            if (members >> i & 1)
                CHECK_EQ(out.read()[i],
                         __builtin_ctzll(members) + __builtin_popcountll(members) + 100);
    }
}
/* In a process of its own: the error stays with the device. */
static int use_wrong_mask()
{
    ah_test::buffer<int> out(64);
    use_masks<<<1, ah_test::warp_size()>>>(out.device(), 0xf0, 0xf1);
    hipError_t error = hipDeviceSynchronize();
    std::printf("%s\n", hipGetErrorName(error));
    std::fflush(stdout);
    std::_Exit(error != hipSuccess ? 42 : 0);
}
TEST("a mask that names an inactive lane ends the kernel")
{
    int status;
    std::string text = ah_test::output_of_self("--use-wrong-mask", &status);
    CHECK_CASE(WIFEXITED(status) && WEXITSTATUS(status) == 42, "it printed: %.300s", text.c_str());
}

int main(int argc, char **argv)
{
    if (argc == 2 && std::strcmp(argv[1], "--use-wrong-mask") == 0)
        return use_wrong_mask();
    return ah_test::run(argc, argv);
}
