// Modules: device code from files and memory, its functions and its variables.
//     module [FILE]
#include "../support/hip_test.h"
#include "../support/output.h"

#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

static const char *file = "module_kernels.hipfb";

static std::vector<char> contents(const char *name)
{
    std::ifstream in(name, std::ios::binary);
    return std::vector<char>(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

// A module that is unloaded at the end of a test.
struct module {
    hipModule_t m = nullptr;
    explicit module(const char *name) { CHECK_HIP(hipModuleLoad(&m, name)); }
    ~module() { (void)hipModuleUnload(m); }
    hipFunction_t function(const char *name)
    {
        hipFunction_t f = nullptr;
        CHECK_HIP(hipModuleGetFunction(&f, m, name));
        return f;
    }
};

TEST("functions of a module are found by name and run")
{
    module m(file);
    ah_test::buffer<float> values(std::vector<float>(100, 1.5f));
    float *p = values.device();
    int n = 100;
    void *arguments[] = {&p, &n};
    CHECK_HIP(hipModuleLaunchKernel(m.function("scale"), 4, 1, 1, 32, 1, 1, 0, nullptr, arguments,
                                    nullptr));
    CHECK(values.read() == std::vector<float>(100, 3.0f));

    unsigned count = 0;
    CHECK_HIP(hipModuleGetFunctionCount(&count, m.m));
    CHECK(count >= 5);
    hipFunction_t f = m.function("scale");
    CHECK(f == m.function("scale"));
    CHECK_EQ(hipModuleGetFunction(&f, m.m, "no_such_kernel"), hipErrorNotFound);
    CHECK_EQ(hipModuleGetFunction(&f, m.m, ""), hipErrorInvalidValue);
    CHECK_EQ(hipModuleGetFunction(nullptr, m.m, "scale"), hipErrorInvalidValue);
    CHECK_EQ(hipModuleGetFunction(&f, m.m, nullptr), hipErrorInvalidValue);
    (void)hipGetLastError();
}

__global__ void say_here(int n)
{
    printf("program %d\n", n);
}

TEST("kernels of several modules print in the order of their stream, however many there are")
{
    const int launches = 100;
    module m(file);
    unsigned *gate = nullptr; // closed while they are launched
    std::string want;
    CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&gate), sizeof *gate, hipHostMallocCoherent));
    *gate = 0;
    hipFunction_t say = m.function("say");
    (void)ah_test::output_of(stdout, [&] { // NVIDIA's driver loads code when nothing waits
        int i = -1;
        void *arguments[] = {&i};
        say_here<<<1, 1>>>(i);
        CHECK_HIP(hipModuleLaunchKernel(say, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
        CHECK_HIP(hipDeviceSynchronize());
    });
    std::string got = ah_test::output_of(stdout, [&] {
        CHECK_HIP(hipStreamWaitValue32(nullptr, gate, 1, hipStreamWaitValueGte));
        for (int i = 0; i < launches; ++i) {
            void *arguments[] = {&i};
            if (i % 2 == 0)
                say_here<<<1, 1>>>(i);
            else
                CHECK_HIP(
                    hipModuleLaunchKernel(say, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
            want += (i % 2 == 0 ? "program " : "module ") + std::to_string(i) + "\n";
        }
        __atomic_store_n(gate, 1u, __ATOMIC_RELEASE);
        CHECK_HIP(hipDeviceSynchronize());
    });
    CHECK(got == want);
    CHECK_HIP(hipHostFree(gate));
}

TEST("arguments can be one packed buffer")
{
    module m(file);
    ah_test::buffer<long> out(4);
    struct {
        long *out;
        char a;
        char b[3];
        double c;
        short d;
    } packed = {out.device(), -7, {1, 2, 3}, 12.5, -9};
    size_t size = sizeof packed;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     HIP_LAUNCH_PARAM_END};
    hipFunction_t f = m.function("pack");
    CHECK_HIP(hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    CHECK(out.read() == std::vector<long>({-7, 321, 12, -9}));
    // without the padding at its end
    CHECK_HIP(hipMemset(out.device(), 0, 32));
    size = offsetof(decltype(packed), d) + sizeof packed.d;
    CHECK_HIP(hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    CHECK(out.read() == std::vector<long>({-7, 321, 12, -9}));

    void *arguments[] = {&packed.out, &packed.a, &packed.b, &packed.c, &packed.d};
    CHECK_EQ(hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, extra),
             hipErrorInvalidValue);
    void *bad[] = {HIP_LAUNCH_PARAM_END};
    CHECK_EQ(hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, bad),
             hipErrorInvalidValue);
    (void)hipGetLastError();
}

TEST("variables of a module have addresses and sizes")
{
    module m(file);
    void *p = nullptr;
    size_t size = 0;
    int values[4];
    CHECK_HIP(hipModuleGetGlobal(&p, &size, m.m, "table"));
    CHECK_EQ(size, sizeof values);
    CHECK_HIP(hipMemcpy(values, p, size, hipMemcpyDeviceToHost));
    CHECK_EQ(values[3], 4);
    int changed[4] = {10, 20, 30, 40};
    CHECK_HIP(hipMemcpy(p, changed, size, hipMemcpyHostToDevice));
    ah_test::buffer<int> out(4);
    int *q = out.device();
    void *arguments[] = {&q};
    CHECK_HIP(hipModuleLaunchKernel(m.function("add_table"), 1, 1, 1, 4, 1, 1, 0, nullptr,
                                    arguments, nullptr));
    CHECK(out.read() == std::vector<int>({10, 20, 30, 40}));
    CHECK_HIP(hipModuleGetGlobal(&p, &size, m.m, "factor"));
    CHECK_EQ(size, sizeof(float));
    CHECK_EQ(hipModuleGetGlobal(&p, &size, m.m, "nothing"), hipErrorNotFound);
    CHECK_EQ(hipModuleGetGlobal(&p, &size, m.m, nullptr), hipErrorInvalidValue);
    textureReference *reference = nullptr;
    CHECK_EQ(hipModuleGetTexRef(&reference, m.m, "nothing"), hipErrorNotFound);
    CHECK_EQ(hipModuleGetTexRef(&reference, m.m, ""), hipErrorInvalidValue);
    (void)hipGetLastError();
}

TEST("managed variables of a module work")
{
    module m(file);
    ah_test::buffer<int> out({1});
    int *q = out.device();
    void *arguments[] = {&q};
    CHECK_HIP(hipModuleLaunchKernel(m.function("add_managed"), 1, 1, 1, 1, 1, 1, 0, nullptr,
                                    arguments, nullptr));
    CHECK_EQ(out.read()[0], 7);
    void *p = nullptr;
    size_t size = 0;
    CHECK_HIP(hipModuleGetGlobal(&p, &size, m.m, "managed_word"));
    CHECK_EQ(size, sizeof(int));
    CHECK_EQ(*static_cast<int *>(p), 6);
    *static_cast<int *>(p) = 100;
    CHECK_HIP(hipModuleLaunchKernel(m.function("add_managed"), 1, 1, 1, 1, 1, 1, 0, nullptr,
                                    arguments, nullptr));
    CHECK_EQ(out.read()[0], 107);
}

TEST("launch bounds hold for module functions too")
{
    module m(file);
    ah_test::buffer<int> out({0});
    int *q = out.device();
    void *arguments[] = {&q};
    hipFunction_t f = m.function("small_blocks");
    CHECK_EQ(hipModuleLaunchKernel(f, 1, 1, 1, 33, 1, 1, 0, nullptr, arguments, nullptr),
             hipErrorLaunchFailure);
    CHECK_HIP(hipModuleLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK_EQ(out.read()[0], 1);
    (void)hipGetLastError();
}

TEST("too much shared memory is an invalid value for module functions")
{
    module m(file);
    ah_test::buffer<int> out({0});
    int *q = out.device();
    void *arguments[] = {&q};
    hipFunction_t f = m.function("small_blocks");
    unsigned most = 0x7fffffff;
    CHECK_EQ(hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, most, nullptr, arguments, nullptr),
             hipErrorInvalidValue);
    CHECK_EQ(hipModuleLaunchCooperativeKernel(f, 1, 1, 1, 1, 1, 1, most, nullptr, arguments),
             hipErrorInvalidValue);
    CHECK_EQ(out.read()[0], 0);
    (void)hipGetLastError();
}

TEST("a module can come from memory, and several of it live side by side")
{
    std::vector<char> image = contents(file);
    CHECK(!image.empty());
    hipModule_t a = nullptr, b = nullptr;
    CHECK_HIP(hipModuleLoadData(&a, image.data()));
    CHECK_HIP(hipModuleLoadDataEx(&b, image.data(), 0, nullptr, nullptr));
    std::fill(image.begin(), image.end(), 0); // the module does not need it any more
    void *pa = nullptr, *pb = nullptr;
    CHECK_HIP(hipModuleGetGlobal(&pa, nullptr, a, "table"));
    CHECK_HIP(hipModuleGetGlobal(&pb, nullptr, b, "table"));
    CHECK(pa != pb);
    CHECK_HIP(hipModuleUnload(a));
    int values[4];
    CHECK_HIP(hipMemcpy(values, pb, sizeof values, hipMemcpyDeviceToHost));
    CHECK_EQ(values[2], 3);
    CHECK_HIP(hipModuleUnload(b));
    CHECK_EQ(hipModuleUnload(b), hipErrorNotFound);
    (void)hipGetLastError();
}

TEST("images that are damaged or for no device are refused")
{
    std::vector<char> image = contents(file);
    hipModule_t m = nullptr;
    CHECK_EQ(hipModuleLoad(&m, "no such file"), hipErrorFileNotFound);
    CHECK_EQ(hipModuleLoad(nullptr, file), hipErrorInvalidValue);
    CHECK_EQ(hipModuleLoad(&m, nullptr), hipErrorInvalidValue);
    CHECK_EQ(hipModuleLoadData(&m, nullptr), hipErrorInvalidValue);
    char text[64] = "this is no device code";
    CHECK_EQ(hipModuleLoadData(&m, text), hipErrorInvalidImage);
    std::string name = "module_damaged." + std::to_string(getpid()); // one test for each device
    // shortened at many places: never a crash, and success only if what is left is whole
    for (size_t keep = 0; keep < image.size(); keep += image.size() / 61 + 1) {
        std::ofstream(name, std::ios::binary).write(image.data(), std::streamsize(keep));
        hipError_t error = hipModuleLoad(&m, name.c_str());
        if (error == hipSuccess)
            CHECK_HIP(hipModuleUnload(m));
        else
            CHECK_CASE(error == hipErrorInvalidImage || error == hipErrorNoBinaryForGpu ||
                           error == hipErrorInvalidKernelFile,
                       "%zu bytes: %s", keep, hipGetErrorName(error));
        std::remove(name.c_str());
    }
    (void)hipGetLastError();
}

HIP_TEST_MAIN
