// Allocation, copies, fills and what is known about a pointer.
#include "../support/hip_test.h"

#include <numeric>
#include <sys/mman.h>
#include <unistd.h>

__global__ void add_one(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += 1;
}

static std::vector<int> counting(int n, int first = 0)
{
    std::vector<int> v(n);
    std::iota(v.begin(), v.end(), first);
    return v;
}

TEST("memory on the device holds what was copied to it")
{
    const int n = 1 << 20;
    std::vector<int> in = counting(n), out(n, -1);
    int *a = nullptr, *b = nullptr;
    CHECK_HIP(hipMalloc(&a, n * sizeof *a));
    CHECK_HIP(hipMalloc(&b, n * sizeof *b));
    CHECK_HIP(hipMemcpy(a, in.data(), n * sizeof *a, hipMemcpyHostToDevice));
    CHECK_HIP(hipMemcpy(b, a, n * sizeof *a, hipMemcpyDeviceToDevice));
    CHECK_HIP(hipMemcpy(out.data(), b, n * sizeof *a, hipMemcpyDefault));
    CHECK(in == out);
    // inside an allocation, at odd places
    CHECK_HIP(hipMemcpy(reinterpret_cast<char *>(a) + 3, in.data(), 5, hipMemcpyHostToDevice));
    char five[5];
    CHECK_HIP(hipMemcpy(five, reinterpret_cast<char *>(a) + 3, 5, hipMemcpyDeviceToHost));
    CHECK(memcmp(five, in.data(), 5) == 0);
    CHECK_HIP(hipFree(a));
    CHECK_HIP(hipFree(b));
}

TEST("a copy within host memory is an ordinary copy")
{
    std::vector<int> in = counting(1000), out(1000);
    CHECK_HIP(hipMemcpy(out.data(), in.data(), 4000, hipMemcpyHostToHost));
    CHECK(in == out);
    std::fill(out.begin(), out.end(), 0);
    CHECK_HIP(hipMemcpy(out.data(), in.data(), 4000, hipMemcpyDefault));
    CHECK(in == out);
}

TEST("nothing is copied when the size is zero")
{
    CHECK_EQ(hipMemcpy(nullptr, nullptr, 0, hipMemcpyHostToDevice), hipSuccess);
    CHECK_EQ(hipMemcpyAsync(nullptr, nullptr, 0, hipMemcpyDefault, nullptr), hipSuccess);
    void *p = reinterpret_cast<void *>(1);
    CHECK_EQ(hipMalloc(&p, 0), hipSuccess);
    CHECK(p == nullptr);
    CHECK_EQ(hipFree(nullptr), hipSuccess);
}

TEST("wrong arguments of memory functions give the documented errors")
{
    int *p = nullptr, host = 0;
    CHECK_HIP(hipMalloc(&p, 256));
    CHECK_EQ(hipMalloc(static_cast<void **>(nullptr), 4), hipErrorInvalidValue);
    CHECK_EQ(hipMemcpy(p, nullptr, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
    CHECK_EQ(hipMemcpy(nullptr, &host, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
    CHECK_EQ(hipMemcpy(p, &host, 4, static_cast<hipMemcpyKind>(77)),
             hipErrorInvalidMemcpyDirection);
    std::vector<char> large(512);
    CHECK_EQ(hipMemcpy(p, large.data(), 512, hipMemcpyHostToDevice), hipErrorInvalidValue);
    CHECK_EQ(hipMemset(p, 0, 512), hipErrorInvalidValue);
    CHECK_EQ(hipMemset(nullptr, 0, 4), hipErrorInvalidValue);
    CHECK_EQ(hipFree(reinterpret_cast<char *>(p) + 8), hipErrorInvalidValue);
    CHECK_EQ(hipFree(p), hipSuccess);
    CHECK_EQ(hipFree(p), hipErrorInvalidValue);
    void *q = nullptr;
    CHECK_EQ(hipMalloc(&q, SIZE_MAX / 2), hipErrorOutOfMemory);
    CHECK(q == nullptr);
    (void)hipGetLastError();
}

TEST("memory that was exhausted and freed can be allocated again")
{
    size_t available = 0, total = 0;
    CHECK_HIP(hipMemGetInfo(&available, &total));
    CHECK(available > 0 && available <= total);
    void *most = nullptr;
    CHECK_HIP(hipMalloc(&most, available / 4 * 3));
    void *more = nullptr;
    CHECK_EQ(hipMalloc(&more, total), hipErrorOutOfMemory);
    CHECK_EQ(hipGetLastError(), hipErrorOutOfMemory);
    CHECK_HIP(hipFree(most));
    CHECK_HIP(hipMalloc(&most, available / 4 * 3));
    CHECK_HIP(hipFree(most));
}

TEST("pinned memory is the device's too")
{
    const int n = 1000;
    int *p = nullptr, *seen = nullptr;
    CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&p), n * sizeof *p, hipHostMallocMapped));
    std::vector<int> in = counting(n);
    memcpy(p, in.data(), n * sizeof *p);
    CHECK_HIP(hipHostGetDevicePointer(reinterpret_cast<void **>(&seen), p, 0));
    add_one<<<(n + 255) / 256, 256>>>(seen, n);
    CHECK_LAUNCH();
    CHECK(std::vector<int>(p, p + n) == counting(n, 1));
    unsigned flags = 0;
    CHECK_HIP(hipHostGetFlags(&flags, p));
    CHECK(flags & hipHostMallocMapped);
    CHECK_EQ(hipHostGetFlags(&flags, p + n + 100000), hipErrorInvalidValue);
    CHECK_HIP(hipHostFree(p));
    CHECK_EQ(hipHostFree(p), hipErrorInvalidValue);
    CHECK_EQ(hipHostFree(nullptr), hipSuccess);
    (void)hipGetLastError();
}

TEST("registered host memory is pinned until it is unregistered")
{
    const int n = 4096;
    std::vector<int> v = counting(n);
    CHECK_HIP(hipHostRegister(v.data(), n * sizeof(int), hipHostRegisterDefault));
    CHECK_EQ(hipHostRegister(v.data(), n * sizeof(int), hipHostRegisterDefault),
             hipErrorHostMemoryAlreadyRegistered);
    (void)hipGetLastError();
    int *seen = nullptr;
    CHECK_HIP(hipHostGetDevicePointer(reinterpret_cast<void **>(&seen), v.data(), 0));
    add_one<<<n / 256, 256>>>(seen, n);
    CHECK_LAUNCH();
    CHECK(v == counting(n, 1));
    CHECK_HIP(hipHostUnregister(v.data()));
    CHECK_EQ(hipHostUnregister(v.data()), hipErrorHostMemoryNotRegistered);
    CHECK_EQ(hipHostRegister(nullptr, 8, 0), hipErrorInvalidValue);
    size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE)); // one that is there, one that is not
    void *pages =
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    CHECK(munmap(static_cast<char *>(pages) + page, page) == 0);
    CHECK_EQ(hipHostRegister(pages, 2 * page, 0), hipErrorInvalidValue);
    CHECK(munmap(pages, page) == 0);
    (void)hipGetLastError();
}

TEST("fills write bytes, half words and words")
{
    const int n = 1001;
    ah_test::buffer<unsigned char> bytes(n);
    CHECK_HIP(hipMemset(bytes.device(), 0x1ab, n));
    CHECK(bytes.read() == std::vector<unsigned char>(n, 0xab));
    ah_test::buffer<unsigned short> halves(n);
    CHECK_HIP(hipMemsetD16(halves.device(), 0x1234, n));
    CHECK(halves.read() == std::vector<unsigned short>(n, 0x1234));
    ah_test::buffer<int> words(n);
    CHECK_HIP(hipMemsetD32(words.device(), 0x12345678, n));
    CHECK(words.read() == std::vector<int>(n, 0x12345678));
    CHECK_HIP(hipMemsetD32Async(words.device(), -2, n - 1, nullptr));
    CHECK_HIP(hipMemsetD8(words.device(), 0, 8));
    CHECK_EQ(words.read()[0], 0);
    CHECK_EQ(words.read()[2], -2);
    CHECK_EQ(words.read()[n - 1], 0x12345678);
}

TEST("fills of rectangles change nothing outside of them")
{
    size_t pitch = 0;
    unsigned char *p = nullptr;
    const size_t width = 100, height = 7;
    CHECK_HIP(hipMallocPitch(reinterpret_cast<void **>(&p), &pitch, width, height));
    CHECK(pitch >= width);
    CHECK_HIP(hipMemset(p, 1, pitch * height));
    CHECK_HIP(hipMemset2D(p, pitch, 9, width / 2, height - 1));
    std::vector<unsigned char> out(pitch * height);
    CHECK_HIP(hipMemcpy(out.data(), p, out.size(), hipMemcpyDeviceToHost));
    for (size_t y = 0; y < height; ++y)
        for (size_t x = 0; x < width; ++x)
            CHECK_CASE(out[y * pitch + x] == (x < width / 2 && y < height - 1 ? 9 : 1),
                       "x %zu y %zu: %d", x, y, out[y * pitch + x]);
    CHECK_HIP(hipFree(p));

    hipPitchedPtr volume;
    hipExtent extent = make_hipExtent(30, 5, 4);
    CHECK_HIP(hipMalloc3D(&volume, extent));
    CHECK_HIP(hipMemset(volume.ptr, 3, volume.pitch * 5 * 4));
    CHECK_HIP(hipMemset3D(volume, 8, make_hipExtent(10, 3, 2)));
    out.resize(volume.pitch * 5 * 4);
    CHECK_HIP(hipMemcpy(out.data(), volume.ptr, out.size(), hipMemcpyDeviceToHost));
    for (size_t z = 0; z < 4; ++z)
        for (size_t y = 0; y < 5; ++y)
            for (size_t x = 0; x < 30; ++x)
                CHECK_CASE(out[(z * 5 + y) * volume.pitch + x] ==
                               (x < 10 && y < 3 && z < 2 ? 8 : 3),
                           "x %zu y %zu z %zu", x, y, z);
    CHECK_HIP(hipFree(volume.ptr));
}

TEST("rectangles are copied row by row")
{
    const size_t width = 33, height = 11, host_pitch = 50;
    std::vector<unsigned char> in(host_pitch * height), out(host_pitch * height, 0xee);
    for (size_t i = 0; i < in.size(); ++i)
        in[i] = static_cast<unsigned char>(i * 7);
    unsigned char *p = nullptr;
    size_t pitch = 0;
    CHECK_HIP(hipMallocPitch(reinterpret_cast<void **>(&p), &pitch, width, height));
    CHECK_HIP(hipMemcpy2D(p, pitch, in.data(), host_pitch, width, height, hipMemcpyHostToDevice));
    CHECK_HIP(hipMemcpy2DAsync(out.data(), host_pitch, p, pitch, width, height,
                               hipMemcpyDeviceToHost, nullptr));
    CHECK_HIP(hipDeviceSynchronize());
    for (size_t y = 0; y < height; ++y)
        for (size_t x = 0; x < host_pitch; ++x) {
            size_t i = y * host_pitch + x;
            CHECK_CASE(out[i] == (x < width ? in[i] : 0xee), "x %zu y %zu", x, y);
        }
    CHECK_EQ(hipMemcpy2D(p, width - 1, in.data(), host_pitch, width, height, hipMemcpyHostToDevice),
             hipErrorInvalidPitchValue);
    CHECK_HIP(hipFree(p));
    (void)hipGetLastError();
}

TEST("boxes and parts of them are copied between host and device")
{
    const size_t w = 16, h = 6, d = 5;
    std::vector<int> in = counting(w * h * d), out(w * h * d, -1);
    hipPitchedPtr volume;
    CHECK_HIP(hipMalloc3D(&volume, make_hipExtent(w * sizeof(int), h, d)));
    hipMemcpy3DParms copy = {};
    copy.srcPtr = make_hipPitchedPtr(in.data(), w * sizeof(int), w, h);
    copy.dstPtr = volume;
    copy.extent = make_hipExtent(w * sizeof(int), h, d);
    copy.kind = hipMemcpyHostToDevice;
    CHECK_HIP(hipMemcpy3D(&copy));
    // an inner box back: x from 4, y from 2, z from 1
    hipMemcpy3DParms back = {};
    back.srcPtr = volume;
    back.srcPos = make_hipPos(4 * sizeof(int), 2, 1);
    back.dstPtr = make_hipPitchedPtr(out.data(), w * sizeof(int), w, h);
    back.dstPos = make_hipPos(4 * sizeof(int), 2, 1);
    back.extent = make_hipExtent(8 * sizeof(int), 3, 2);
    back.kind = hipMemcpyDeviceToHost;
    CHECK_HIP(hipMemcpy3DAsync(&back, nullptr));
    CHECK_HIP(hipDeviceSynchronize());
    for (size_t z = 0; z < d; ++z)
        for (size_t y = 0; y < h; ++y)
            for (size_t x = 0; x < w; ++x) {
                size_t i = (z * h + y) * w + x;
                bool inside = x >= 4 && x < 12 && y >= 2 && y < 5 && z >= 1 && z < 3;
                CHECK_CASE(out[i] == (inside ? in[i] : -1), "x %zu y %zu z %zu: %d", x, y, z,
                           out[i]);
            }
    CHECK_EQ(hipMemcpy3D(nullptr), hipErrorInvalidValue);
    CHECK_HIP(hipFree(volume.ptr));
    (void)hipGetLastError();
}

TEST("the attributes of a pointer can be queried")
{
    int *device = nullptr, *pinned = nullptr, *managed = nullptr, plain = 0;
    CHECK_HIP(hipMalloc(&device, 4096));
    CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&pinned), 4096, 0));
    CHECK_HIP(hipMallocManaged(&managed, 4096));
    hipPointerAttribute_t a;
    CHECK_HIP(hipPointerGetAttributes(&a, device + 5));
    CHECK_EQ(a.type, hipMemoryTypeDevice);
    CHECK(a.devicePointer == device + 5);
    CHECK(a.hostPointer == nullptr);
    CHECK_EQ(a.isManaged, 0);
    CHECK_HIP(hipPointerGetAttributes(&a, pinned + 5));
    CHECK_EQ(a.type, hipMemoryTypeHost);
    CHECK(a.hostPointer == pinned + 5);
    CHECK_HIP(hipPointerGetAttributes(&a, managed + 1));
    CHECK_EQ(a.type, hipMemoryTypeManaged);
    CHECK_EQ(a.isManaged, 1);
    CHECK_HIP(hipPointerGetAttributes(&a, &plain));
    CHECK_EQ(a.type, hipMemoryTypeUnregistered);

    void *base = nullptr;
    size_t size = 0;
    CHECK_HIP(hipMemGetAddressRange(&base, &size, device + 100));
    CHECK(base == device);
    CHECK_EQ(size, size_t(4096));
    size_t pointer_size = 0;
    CHECK_HIP(hipMemPtrGetInfo(device, &pointer_size));
    CHECK_EQ(pointer_size, size_t(4096));
    hipMemoryType type;
    CHECK_HIP(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, device));
    CHECK_EQ(type, hipMemoryTypeDevice);
    int ordinal = -1;
    CHECK_HIP(hipPointerGetAttribute(&ordinal, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pinned));
    CHECK_EQ(ordinal, 0);
    CHECK_HIP(hipFree(device));
    CHECK_EQ(hipMemGetAddressRange(&base, &size, device), hipErrorNotFound);
    CHECK_HIP(hipHostFree(pinned));
    CHECK_HIP(hipFree(managed));
    (void)hipGetLastError();
}

TEST("managed memory is one memory for host and device")
{
    const int n = 10000;
    int *p = nullptr;
    CHECK_HIP(hipMallocManaged(&p, n * sizeof *p));
    for (int i = 0; i < n; ++i)
        p[i] = i;
    CHECK_HIP(hipMemPrefetchAsync(p, n * sizeof *p, 0, nullptr));
    add_one<<<(n + 255) / 256, 256>>>(p, n);
    CHECK_LAUNCH();
    CHECK(std::vector<int>(p, p + n) == counting(n, 1));
    CHECK_HIP(hipMemAdvise(p, n * sizeof *p, hipMemAdviseSetReadMostly, 0));
    int read_mostly = 0;
    CHECK_HIP(hipMemRangeGetAttribute(&read_mostly, sizeof read_mostly,
                                      hipMemRangeAttributeReadMostly, p, n * sizeof *p));
    CHECK_EQ(read_mostly, 1);
    CHECK_HIP(hipMemPrefetchAsync(p, n * sizeof *p, hipCpuDeviceId, nullptr));
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_EQ(p[n - 1], n);
    CHECK_HIP(hipFree(p));
}

TEST("stream-ordered memory comes from a pool that keeps it")
{
    hipStream_t stream;
    CHECK_HIP(hipStreamCreate(&stream));
    hipMemPool_t pool;
    CHECK_HIP(hipDeviceGetDefaultMemPool(&pool, 0));
    uint64_t keep = UINT64_MAX, kept = 0;
    CHECK_HIP(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &keep));
    const int n = 1 << 16;
    std::vector<int> in = counting(n), out(n);
    for (int round = 0; round < 3; ++round) {
        int *p = nullptr;
        CHECK_HIP(hipMallocAsync(reinterpret_cast<void **>(&p), n * sizeof *p, stream));
        CHECK_HIP(hipMemcpyAsync(p, in.data(), n * sizeof *p, hipMemcpyHostToDevice, stream));
        add_one<<<n / 256, 256, 0, stream>>>(p, n);
        CHECK_HIP(hipMemcpyAsync(out.data(), p, n * sizeof *p, hipMemcpyDeviceToHost, stream));
        CHECK_HIP(hipFreeAsync(p, stream));
        CHECK_HIP(hipStreamSynchronize(stream));
        CHECK(out == counting(n, 1));
    }
    CHECK_HIP(hipMemPoolGetAttribute(pool, hipMemPoolAttrReservedMemCurrent, &kept));
    CHECK(kept >= n * sizeof(int));
    CHECK_HIP(hipMemPoolTrimTo(pool, 0));
    CHECK_HIP(hipMemPoolGetAttribute(pool, hipMemPoolAttrReservedMemCurrent, &kept));
    CHECK_EQ(kept, uint64_t(0));
    keep = 0;
    CHECK_HIP(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &keep));

    hipMemPoolProps props = {};
    props.allocType = hipMemAllocationTypePinned;
    props.location = {hipMemLocationTypeDevice, 0};
    hipMemPool_t own;
    CHECK_HIP(hipMemPoolCreate(&own, &props));
    int *p = nullptr;
    CHECK_HIP(hipMallocFromPoolAsync(reinterpret_cast<void **>(&p), 4096, own, stream));
    CHECK_HIP(hipMemsetAsync(p, 1, 4096, stream));
    CHECK_HIP(hipFreeAsync(p, stream));
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK_HIP(hipMemPoolDestroy(own));
    CHECK_EQ(hipMemPoolDestroy(own), hipErrorInvalidValue);
    CHECK_HIP(hipStreamDestroy(stream));
    (void)hipGetLastError();
}

TEST("addresses can be reserved, mapped to memory, and freed")
{
    int supported = 0;
    CHECK_HIP(
        hipDeviceGetAttribute(&supported, hipDeviceAttributeVirtualMemoryManagementSupported, 0));
    if (!supported)
        SKIP("the device has no virtual memory management");
    hipMemAllocationProp prop = {};
    prop.type = hipMemAllocationTypePinned;
    prop.location = {hipMemLocationTypeDevice, 0};
    size_t grain = 0;
    CHECK_HIP(hipMemGetAllocationGranularity(&grain, &prop, hipMemAllocationGranularityMinimum));
    CHECK(grain > 0);
    void *base = nullptr;
    CHECK_HIP(hipMemAddressReserve(&base, 2 * grain, 0, nullptr, 0));
    hipMemGenericAllocationHandle_t block[2];
    hipMemAccessDesc access = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
    for (int i = 0; i < 2; ++i) {
        void *at = static_cast<char *>(base) + i * grain;
        CHECK_HIP(hipMemCreate(&block[i], grain, &prop, 0));
        CHECK_HIP(hipMemMap(at, grain, 0, block[i], 0));
        CHECK_HIP(hipMemSetAccess(at, grain, &access, 1));
    }
    // one range over both blocks
    CHECK_HIP(hipMemset(base, 0x5a, 2 * grain));
    std::vector<unsigned char> out(2 * grain);
    CHECK_HIP(hipMemcpy(out.data(), base, 2 * grain, hipMemcpyDeviceToHost));
    CHECK(out == std::vector<unsigned char>(2 * grain, 0x5a));
    int file = -1; // the memory was not created to be shared, in this way or another
    for (hipMemAllocationHandleType type :
         {hipMemHandleTypePosixFileDescriptor, hipMemHandleTypeWin32})
        CHECK_EQ(hipMemExportToShareableHandle(&file, block[0], type, 0), hipErrorInvalidValue);
    CHECK_HIP(hipMemUnmap(base, grain));
    CHECK_HIP(hipMemUnmap(static_cast<char *>(base) + grain, grain));
    CHECK_HIP(hipMemRelease(block[0]));
    CHECK_HIP(hipMemRelease(block[1]));
    CHECK_HIP(hipMemAddressFree(base, 2 * grain));
    CHECK(hipMemCreate(&block[0], grain + 1, &prop, 0) == hipErrorInvalidValue);
    (void)hipGetLastError();
}

TEST("arrays keep rows of elements")
{
    const size_t w = 40, h = 9;
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    hipArray_t array;
    CHECK_HIP(hipMallocArray(&array, &format, w, h, hipArrayDefault));
    std::vector<float> in(w * h), out(w * h);
    std::iota(in.begin(), in.end(), 0.5f);
    CHECK_HIP(hipMemcpy2DToArray(array, 0, 0, in.data(), w * 4, w * 4, h, hipMemcpyHostToDevice));
    CHECK_HIP(
        hipMemcpy2DFromArray(out.data(), w * 4, array, 0, 0, w * 4, h, hipMemcpyDeviceToHost));
    CHECK(in == out);
    hipChannelFormatDesc asked;
    hipExtent extent;
    unsigned flags = 1;
    CHECK_HIP(hipArrayGetInfo(&asked, &extent, &flags, array));
    CHECK_EQ(asked.x, 32);
    CHECK_EQ(extent.width, w);
    CHECK_EQ(extent.height, h);
    CHECK_EQ(flags, 0u);
    CHECK_HIP(hipFreeArray(array));
    CHECK_EQ(hipFreeArray(array), hipErrorContextIsDestroyed);
    (void)hipGetLastError();
}

HIP_TEST_MAIN
