// Libraries: device code without a device, its kernels and variables, on every device there is.
#include "../support/hip_test.h"

#include <string>
#include <thread>

static const char *file = "module_kernels.hipfb";

// A library that is unloaded at the end of a test.
struct library {
    hipLibrary_t l = nullptr;
    explicit library(const char *name = file)
    {
        CHECK_HIP(hipLibraryLoadFromFile(&l, name, nullptr, nullptr, 0, nullptr, nullptr, 0));
    }
    ~library() { (void)hipLibraryUnload(l); }
    hipKernel_t kernel(const char *name)
    {
        hipKernel_t k = nullptr;
        CHECK_HIP(hipLibraryGetKernel(&k, l, name));
        return k;
    }
    int *managed()
    {
        void *p = nullptr;
        size_t size = 0;
        CHECK_HIP(hipLibraryGetManaged(&p, &size, l, "managed_word"));
        CHECK_EQ(size, sizeof(int));
        return static_cast<int *>(p);
    }
};

static int device_count()
{
    int count = 0;
    CHECK_HIP(hipGetDeviceCount(&count));
    return count;
}

static bool is_of_nvidia(int device)
{
    hipDeviceProp_t properties;
    CHECK_HIP(hipGetDeviceProperties(&properties, device));
    return std::strncmp(properties.gcnArchName, "sm_", 3) == 0;
}

// The sum of *p and the managed variable, as the current device sees it.
static int add_managed(library &l, int value)
{
    ah_test::buffer<int> sum({value});
    int *p = sum.device();
    void *arguments[] = {&p};
    CHECK_HIP(hipLaunchKernel(l.kernel("add_managed"), dim3(1), dim3(1), arguments, 0, nullptr));
    return sum.read()[0];
}

TEST("a kernel of a library runs on every device, under one handle")
{
    library l;
    hipKernel_t scale = l.kernel("scale");
    CHECK(scale == l.kernel("scale"));
    for (int device = 0; device < device_count(); ++device) {
        CHECK_HIP(hipSetDevice(device));
        ah_test::buffer<float> values(std::vector<float>(100, 1.5f));
        float *p = values.device();
        int n = 100;
        void *arguments[] = {&p, &n};
        hipStream_t stream;
        CHECK_HIP(hipStreamCreate(&stream));
        CHECK_HIP(hipLaunchKernel(scale, dim3(4), dim3(32), arguments, 0, stream));
        CHECK_HIP(hipModuleLaunchKernel(reinterpret_cast<hipFunction_t>(scale), 4, 1, 1, 32, 1, 1,
                                        0, stream, arguments, nullptr));
        hipFunction_t f;
        CHECK_HIP(hipKernelGetFunction(&f, scale));
        CHECK_HIP(hipModuleLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
        CHECK_HIP(hipStreamSynchronize(stream));
        CHECK(values.read() == std::vector<float>(100, 12.0f));
        CHECK_HIP(hipStreamDestroy(stream));
    }
    CHECK_HIP(hipSetDevice(0));
}

TEST("a library tells its kernels with their parameters and attributes")
{
    library l;
    unsigned count = 0;
    CHECK_HIP(hipLibraryGetKernelCount(&count, l.l));
    std::vector<hipKernel_t> kernels(count);
    CHECK_HIP(hipLibraryEnumerateKernels(kernels.data(), count, l.l));
    std::string names;
    for (hipKernel_t k : kernels) {
        const char *name = nullptr;
        hipLibrary_t owner = nullptr;
        CHECK_HIP(hipKernelGetName(&name, k));
        CHECK_HIP(hipKernelGetLibrary(&owner, k));
        CHECK(owner == l.l);
        CHECK(l.kernel(name) == k);
        names += std::string(name) + " ";
    }
    CHECK(names.find("scale ") != names.npos && names.find("add_table ") != names.npos);
    size_t offset = 0, size = 0;
    const size_t offsets[] = {0, 8, 9, 16, 24}, sizes[] = {8, 1, 3, 8, 2};
    for (size_t i = 0; i < 5; ++i) {
        CHECK_HIP(hipKernelGetParamInfo(l.kernel("pack"), i, &offset, &size));
        CHECK_EQ(offset, offsets[i]);
        CHECK_EQ(size, sizes[i]);
    }
    CHECK_EQ(hipKernelGetParamInfo(l.kernel("pack"), 5, &offset, &size), hipErrorInvalidValue);
    (void)hipGetLastError();
    for (int device = 0; device < device_count(); ++device) {
        int threads = 0;
        CHECK_HIP(hipKernelGetAttribute(&threads, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                        l.kernel("small_blocks"), device));
        CHECK_EQ(threads, 32);
    }
}

TEST("a variable of a library is a variable of its module")
{
    library l;
    void *address = nullptr, *same = nullptr;
    size_t size = 0;
    hipModule_t m = nullptr;
    CHECK_HIP(hipLibraryGetGlobal(&address, &size, l.l, "table"));
    CHECK_EQ(size, 4 * sizeof(int));
    CHECK_HIP(hipLibraryGetModule(&m, l.l));
    CHECK_HIP(hipModuleGetGlobal(reinterpret_cast<hipDeviceptr_t *>(&same), nullptr, m, "table"));
    CHECK(same == address);
    const int words[] = {10, 20, 30, 40};
    CHECK_HIP(hipMemcpy(address, words, sizeof words, hipMemcpyHostToDevice));
    ah_test::buffer<int> sums(std::vector<int>(4, 1));
    int *p = sums.device();
    void *arguments[] = {&p};
    CHECK_HIP(hipLaunchKernel(l.kernel("add_table"), dim3(1), dim3(4), arguments, 0, nullptr));
    CHECK(sums.read() == std::vector<int>({11, 21, 31, 41}));
    CHECK_EQ(hipModuleUnload(m), hipErrorIllegalState);
    (void)hipGetLastError();
}

TEST("two libraries of the same code have variables of their own")
{
    library first, second;
    void *one = nullptr, *two = nullptr;
    CHECK_HIP(hipLibraryGetGlobal(&one, nullptr, first.l, "table"));
    CHECK_HIP(hipLibraryGetGlobal(&two, nullptr, second.l, "table"));
    CHECK(one != two);
    CHECK(first.kernel("scale") != second.kernel("scale"));
}

TEST("all devices of a driver share a library's managed variable")
{
    library l;
    int *word = l.managed();
    CHECK_EQ(*word, 6);
    for (int device = 0; device < device_count(); ++device) {
        CHECK_HIP(hipSetDevice(device));
        bool shared = is_of_nvidia(device) == is_of_nvidia(0);
        CHECK((l.managed() == word) == shared);
        *word = 100 * (device + 1);
        CHECK_EQ(add_managed(l, 5), shared ? 100 * (device + 1) + 5 : 11);
    }
    CHECK_HIP(hipSetDevice(0));
}

TEST("a reset of the device that owns a managed variable gives the others a new one")
{
    library l;
    if (device_count() < 2 || is_of_nvidia(0) != is_of_nvidia(1))
        SKIP("there is one device of the driver");
    *l.managed() = 50;
    CHECK_HIP(hipSetDevice(1));
    CHECK_EQ(add_managed(l, 1), 51);
    CHECK_HIP(hipSetDevice(0));
    CHECK_HIP(hipDeviceReset());
    CHECK_HIP(hipSetDevice(1));
    int *word = l.managed();
    CHECK_EQ(*word, 6); // its first value again
    *word = 70;
    CHECK_EQ(add_managed(l, 1), 71);
    CHECK_HIP(hipSetDevice(0));
    CHECK_EQ(add_managed(l, 2), 72);
    CHECK(l.managed() == word);
}

TEST("a kernel of a library is a node of a graph, and is captured")
{
    library l;
    ah_test::buffer<int> sums(std::vector<int>(4, 0));
    int *p = sums.device();
    void *arguments[] = {&p};
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t node;
    CHECK_HIP(hipStreamCreate(&stream));
    CHECK_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    CHECK_HIP(hipLaunchKernel(l.kernel("add_table"), dim3(1), dim3(4), arguments, 0, stream));
    CHECK_HIP(hipStreamEndCapture(stream, &graph));
    hipKernelNodeParams params = {};
    params.func = l.kernel("add_table");
    params.gridDim = dim3(1);
    params.blockDim = dim3(2);
    params.kernelParams = arguments;
    size_t count = 1;
    hipGraphNode_t captured;
    CHECK_HIP(hipGraphGetNodes(graph, &captured, &count));
    CHECK_HIP(hipGraphAddKernelNode(&node, graph, &captured, 1, &params));
    CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    CHECK_HIP(hipGraphLaunch(exec, stream));
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK(sums.read() == std::vector<int>({2, 4, 3, 4}));
    CHECK_HIP(hipGraphExecDestroy(exec));
    CHECK_HIP(hipGraphDestroy(graph));
    CHECK_HIP(hipStreamDestroy(stream));
}

TEST("threads use a library from the first call on")
{
    library l;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&l, i] {
            CHECK_HIP(hipSetDevice(i % device_count()));
            ah_test::buffer<int> sums(std::vector<int>(4, i));
            int *p = sums.device();
            void *arguments[] = {&p};
            CHECK_HIP(
                hipLaunchKernel(l.kernel("add_table"), dim3(1), dim3(4), arguments, 0, nullptr));
            CHECK(sums.read() == std::vector<int>({i + 1, i + 2, i + 3, i + 4}));
        });
    for (std::thread &t : threads)
        t.join();
}

HIP_TEST_MAIN
