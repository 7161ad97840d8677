// Managed variables: the host and every device write and read them in turn, in two translation
// units. Compiled a second time with -fgpu-rdc, where device code of one unit uses those of the
// other.
#include "../support/hip_test.h"

#include "managed.h"

__managed__ int scalar = 42;
__managed__ int zeroed[1000];
static __managed__ long hidden = -5;

__global__ void add_to_all(int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1000)
        zeroed[i] += n * i;
    if (i == 0) {
        scalar += n;
        hidden += n;
    }
}

static int device_count()
{
    int devices = 0;
    CHECK_HIP(hipGetDeviceCount(&devices));
    return devices;
}

TEST("managed variables begin as they were written")
{
    CHECK_EQ(scalar, 42);
    CHECK_EQ(hidden, -5l);
    CHECK_EQ(zeroed[999], 0);
    CHECK_EQ(other().count, 7);
    CHECK_EQ(other().sum, 1.5);
    CHECK_EQ(other().table[3], 4);
}

TEST("host and devices write managed variables in turn")
{
    int s = scalar, z = zeroed[10], c = other().count;
    long h = hidden;
    for (int round = 0; round < 3; ++round)
        for (int device = 0; device < device_count(); ++device) {
            CHECK_HIP(hipSetDevice(device));
            add_to_all<<<8, 128>>>(2);
            launch_other(3, nullptr);
            CHECK_LAUNCH();
            CHECK_EQ(scalar, s += 2);
            CHECK_EQ(hidden, h += 2);
            CHECK_EQ(zeroed[10], z += 20);
            CHECK_EQ(other().count, c += 3);
            scalar = s += 100;
            zeroed[10] = z += 1000;
            other().count = c -= 1;
        }
    CHECK_HIP(hipSetDevice(0));
}

TEST("a managed variable is managed memory at one address")
{
    void *address = nullptr;
    std::size_t size = 0;
    hipPointerAttribute_t attributes;
    CHECK_HIP(hipGetSymbolAddress(&address, HIP_SYMBOL(zeroed)));
    CHECK_HIP(hipGetSymbolSize(&size, HIP_SYMBOL(zeroed)));
    CHECK(address == static_cast<void *>(zeroed));
    CHECK_EQ(size, sizeof zeroed);
    CHECK_HIP(hipPointerGetAttributes(&attributes, address));
    CHECK(attributes.isManaged);
    int value = 17, back = 0;
    CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(scalar), &value, sizeof value));
    CHECK_EQ(scalar, 17);
    scalar = 18;
    CHECK_HIP(hipMemcpyFromSymbol(&back, HIP_SYMBOL(scalar), sizeof back));
    CHECK_EQ(back, 18);
}

TEST("advice and prefetching change no value of managed variables")
{
    const std::size_t size = sizeof zeroed;
    zeroed[500] = 5;
    CHECK_HIP(hipMemAdvise(zeroed, size, hipMemAdviseSetReadMostly, 0));
    CHECK_HIP(hipMemPrefetchAsync(zeroed, size, 0, nullptr));
    add_to_all<<<8, 128>>>(1);
    CHECK_LAUNCH();
    CHECK_EQ(zeroed[500], 505);
    CHECK_HIP(hipMemPrefetchAsync(zeroed, size, hipCpuDeviceId, nullptr));
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_EQ(zeroed[500], 505);
    int mostly = 0;
    CHECK_HIP(hipMemRangeGetAttribute(&mostly, sizeof mostly, hipMemRangeAttributeReadMostly,
                                      zeroed, size));
    CHECK_EQ(mostly, 1);
    CHECK_HIP(hipMemAdvise(zeroed, size, hipMemAdviseUnsetReadMostly, 0));
    for (int device = 0; device < device_count(); ++device) {
        CHECK_HIP(hipMemAdvise(zeroed, size, hipMemAdviseSetPreferredLocation, device));
        CHECK_HIP(hipMemAdvise(zeroed, size, hipMemAdviseSetAccessedBy, device));
        CHECK_HIP(hipMemPrefetchAsync(zeroed, size, device, nullptr));
    }
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_EQ(zeroed[500], 505);
}

#ifdef RDC
__global__ void add_to_the_others(int n)
{
    other_counters.count += n * scalar;
}
TEST("device code uses a managed variable of another translation unit")
{
    for (int device = 0; device < device_count(); ++device) {
        CHECK_HIP(hipSetDevice(device));
        scalar = 10;
        other().count = 1;
        add_to_the_others<<<1, 1>>>(4);
        CHECK_LAUNCH();
        CHECK_EQ(other().count, 41);
    }
    CHECK_HIP(hipSetDevice(0));
}
#endif

HIP_TEST_MAIN
