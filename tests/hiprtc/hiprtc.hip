// Run-time compilation on a device: programs, their names, headers, options and logs, and links.
#include "../support/hip_test.h"

#include <hip/hiprtc.h>

#include <dirent.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

typedef std::vector<const char *> words;

// What is wrong is counted, with the log of the compiler where there is one.
static void check_rtc(hiprtcResult result, const char *expression, int line)
{
    if (ah_test::held(result == HIPRTC_SUCCESS))
        return;
    ah_test::fail(__FILE__, line,
                  std::string(expression) + " gave " + hiprtcGetErrorString(result));
    throw ah_test::give_up();
}
#define CHECK_RTC(call) check_rtc((call), #call, __LINE__)

// A variable of the environment, which has its old value again after the scope.
struct variable {
    std::string name, before;
    bool was_set;

    variable(const char *name_, const std::string &value) : name(name_)
    {
        const char *old = std::getenv(name_);
        was_set = old != nullptr;
        before = was_set ? old : "";
        setenv(name_, value.c_str(), 1);
    }
    ~variable()
    {
        if (was_set)
            setenv(name.c_str(), before.c_str(), 1);
        else
            unsetenv(name.c_str());
    }
    variable(const variable &) = delete;
    variable &operator=(const variable &) = delete;
};

// A program that ends with its scope.
struct program {
    hiprtcProgram p = nullptr;

    explicit program(const char *source, const char *name = "program.cu", words headers = {},
                     words names = {})
    {
        CHECK_RTC(hiprtcCreateProgram(&p, source, name, static_cast<int>(headers.size()),
                                      headers.data(), names.data()));
    }
    ~program() { (void)hiprtcDestroyProgram(&p); }
    program(const program &) = delete;
    program &operator=(const program &) = delete;

    hiprtcResult compile(words options = {})
    {
        return hiprtcCompileProgram(p, static_cast<int>(options.size()), options.data());
    }
    std::string log()
    {
        size_t size = 0;
        CHECK_RTC(hiprtcGetProgramLogSize(p, &size));
        std::string text(size, '\0');
        if (size)
            CHECK_RTC(hiprtcGetProgramLog(p, &text[0]));
        return text.c_str();
    }
    // Compiles what must compile.
    void made(words options = {})
    {
        hiprtcResult result = compile(options);
        if (result != HIPRTC_SUCCESS)
            std::printf("%s", log().c_str());
        check_rtc(result, "compile", __LINE__);
    }
    std::vector<char> code()
    {
        size_t size = 0;
        CHECK_RTC(hiprtcGetCodeSize(p, &size));
        std::vector<char> image(size);
        CHECK_RTC(hiprtcGetCode(p, image.data()));
        return image;
    }
    std::vector<char> bitcode()
    {
        size_t size = 0;
        CHECK_RTC(hiprtcGetBitcodeSize(p, &size));
        std::vector<char> image(size);
        CHECK_RTC(hiprtcGetBitcode(p, image.data()));
        return image;
    }
    std::string lowered(const char *expression)
    {
        const char *name = nullptr;
        CHECK_RTC(hiprtcGetLoweredName(p, expression, &name));
        return name;
    }
};

// Code that is loaded, and its functions that take one pointer.
struct loaded {
    hipModule_t m = nullptr;

    explicit loaded(const void *image) { CHECK_HIP(hipModuleLoadData(&m, image)); }
    explicit loaded(program &p) : loaded(p.code().data()) {}
    ~loaded() { (void)hipModuleUnload(m); }
    loaded(const loaded &) = delete;
    loaded &operator=(const loaded &) = delete;

    template <typename T> std::vector<T> run(const std::string &name, std::vector<T> values)
    {
        hipFunction_t f = nullptr;
        CHECK_HIP(hipModuleGetFunction(&f, m, name.c_str()));
        ah_test::buffer<T> memory(values);
        T *p = memory.device();
        void *arguments[] = {&p};
        CHECK_HIP(hipModuleLaunchKernel(f, 1, 1, 1, static_cast<unsigned>(values.size()), 1, 1, 0,
                                        nullptr, arguments, nullptr));
        return memory.read();
    }
};

static bool contains(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

TEST("a kernel is compiled for the current device without any include")
{
    program p("extern \"C\" __global__ void scale(float *x)\n"
              "{\n"
              "    size_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
              "    uint32_t two = 2;\n"
              "    x[i] = sqrtf(x[i]) * two + std::fabs(-1.0f);\n"
              "}\n");
    p.made();
    CHECK(p.log().empty());
    CHECK(loaded(p).run<float>("scale", {4, 9, 16}) == (std::vector<float>{5, 7, 9}));
}

TEST("the runtime's headers can be included, and __HIPCC_RTC__ tells who compiles")
{
    program p("#include <hip/hip_runtime.h>\n"
              "#include <hip/hip_fp16.h>\n"
              "#include <hip/hip_bfloat16.h>\n"
              "#include <hip/hip_cooperative_groups.h>\n"
              "#include <hip/hip_complex.h>\n"
              "#if !defined(__HIPCC_RTC__)\n"
              "#error not told\n"
              "#endif\n"
              "extern \"C\" __global__ void k(int *x)\n"
              "{\n"
              "    cooperative_groups::this_thread_block().sync();\n"
              "    __half h = __float2half(1.5f) + __float2half(0.5f);\n"
              "    hipFloatComplex z = make_hipFloatComplex(3, 4);\n"
              "    float4 v = make_float4(1, 2, 3, 4);\n"
              "    *x = (int)__half2float(h) + (int)hipCabsf(z) + (int)v.w + INT_MAX % 2;\n"
              "    assert(*x == 12);\n"
              "}\n");
    p.made();
    CHECK(loaded(p).run<int>("k", {0}) == std::vector<int>{12});
}

TEST("type traits are there under HIP's own name")
{
    program p("template <typename T> __device__ int kind()\n"
              "{\n"
              "    return __hip_internal::is_integral<T>::value +\n"
              "           2 * __hip_internal::is_floating_point<T>::value +\n"
              "           4 * __hip_internal::is_same<T, ptrdiff_t>::value;\n"
              "}\n"
              "extern \"C\" __global__ void k(int *x)\n"
              "{\n"
              "    *x = kind<int>() + 10 * kind<float>() + 100 * kind<long>() +\n"
              "         1000 * kind<long long>();\n"
              "}\n");
    p.made();
    CHECK(loaded(p).run<int>("k", {0}) == std::vector<int>{1521});
    p.made({"-D__HIPRTC_PTRDIFF_T_IS_LONG_LONG__=1"});
    CHECK(loaded(p).run<int>("k", {0}) == std::vector<int>{5121});
}

TEST("the log of an error names the program's file and line, and no other file")
{
    program p("__global__ void k(int *x)\n"
              "{\n"
              "    *x = nothing;\n"
              "}\n",
              "folder/my \"program\".cu");
    CHECK_EQ(p.compile(), HIPRTC_ERROR_COMPILATION);
    std::string log = p.log();
    CHECK_CASE(contains(log, "folder/my \"program\".cu:3:10: error:"), "%s", log.c_str());
    CHECK(contains(log, "nothing"));
    CHECK(!contains(log, "/hiprtc-"));
    size_t size = 0;
    std::vector<char> room(1);
    CHECK_EQ(hiprtcGetCodeSize(p.p, &size), HIPRTC_ERROR_INVALID_PROGRAM);
    CHECK_EQ(hiprtcGetCode(p.p, room.data()), HIPRTC_ERROR_INVALID_PROGRAM);
}

TEST("a warning is in the log of a program that compiles")
{
    program p("#warning look here\nextern \"C\" __global__ void k(int *x) { *x = 1; }\n", nullptr);
    p.made();
    CHECK(contains(p.log(), "look here"));
    p.made({"-w"});
    CHECK(p.log().empty());
}

TEST("name expressions give the symbols of kernels, templates and variables")
{
    program p("namespace a { namespace b {\n"
              "__global__ void plain(int *x) { *x += 1; }\n"
              "__device__ int moved = 40;\n"
              "} }\n"
              "struct pair { int x, y; };\n"
              "template <typename T> struct box { T value; };\n"
              "template <int n, typename T> __global__ void add(T *x)\n"
              "{\n"
              "    *x += (T)n + (T)a::b::moved;\n"
              "}\n"
              "template <typename T> __global__ void size(int *x) { *x = sizeof(T); }\n"
              "static __global__ void local(int *x) { *x += 100; }\n"
              "__global__ void twice(int *x) { *x *= 2; }\n"
              "__global__ void twice(float *x) { *x *= 2; }\n"
              "extern \"C\" __global__ void c(int *x) { *x = 7; }\n"
              "__constant__ int table[4] = {1, 2, 3, 4};\n"
              "extern \"C\" __constant__ int c_table[2] = {8, 9};\n"
              "template <typename T> __device__ T of_a_template = 5;\n");
    words names = {"a::b::plain",
                   "&a::b::moved",
                   "add<3, float>",
                   "&add<(int) 4, int>",
                   "size<box<pair> >",
                   "size< box< box<double>>>",
                   "local",
                   "(void (*)(float *))twice",
                   "c",
                   "&table",
                   "c_table",
                   "&of_a_template<long>"};
    for (const char *name : names)
        CHECK_EQ(hiprtcAddNameExpression(p.p, name), HIPRTC_SUCCESS);
    p.made();
    CHECK_EQ(p.lowered("a::b::plain"), std::string("_ZN1a1b5plainEPi"));
    CHECK_EQ(p.lowered("&a::b::moved"), std::string("_ZN1a1b5movedE"));
    CHECK_EQ(p.lowered("add<3, float>"), std::string("_Z3addILi3EfEvPT0_"));
    CHECK_EQ(p.lowered("&add<(int) 4, int>"), std::string("_Z3addILi4EiEvPT0_"));
    CHECK_EQ(p.lowered("(void (*)(float *))twice"), std::string("_Z5twicePf"));
    CHECK_EQ(p.lowered("c"), std::string("c"));
    CHECK_EQ(p.lowered("&table"), std::string("table"));
    CHECK_EQ(p.lowered("c_table"), std::string("c_table"));
    // as they may be written elsewhere
    CHECK_EQ(p.lowered("add<3,float>"), p.lowered("add<3, float>"));
    CHECK_EQ(p.lowered("&c"), std::string("c"));

    loaded l(p);
    CHECK(l.run<int>(p.lowered("a::b::plain"), {1}) == std::vector<int>{2});
    CHECK(l.run<float>(p.lowered("add<3, float>"), {0.5f}) == std::vector<float>{43.5f});
    CHECK(l.run<int>(p.lowered("&add<(int) 4, int>"), {1}) == std::vector<int>{45});
    CHECK(l.run<int>(p.lowered("size<box<pair> >"), {0}) == std::vector<int>{8});
    CHECK(l.run<int>(p.lowered("size< box< box<double>>>"), {0}) == std::vector<int>{8});
    CHECK(l.run<int>(p.lowered("local"), {1}) == std::vector<int>{101});
    CHECK(l.run<float>(p.lowered("(void (*)(float *))twice"), {3}) == std::vector<float>{6});

    void *address = nullptr;
    size_t size = 0;
    int values[4] = {};
    CHECK_HIP(hipModuleGetGlobal(&address, &size, l.m, p.lowered("&table").c_str()));
    CHECK_EQ(size, sizeof values);
    CHECK_HIP(hipMemcpy(values, address, size, hipMemcpyDeviceToHost));
    CHECK_EQ(values[3], 4);
    CHECK_HIP(hipModuleGetGlobal(&address, &size, l.m, p.lowered("&a::b::moved").c_str()));
    int moved = 10;
    CHECK_HIP(hipMemcpy(address, &moved, sizeof moved, hipMemcpyHostToDevice));
    CHECK(l.run<int>(p.lowered("&add<(int) 4, int>"), {1}) == std::vector<int>{15});
    long of_template = 0;
    CHECK_HIP(hipModuleGetGlobal(&address, &size, l.m, p.lowered("&of_a_template<long>").c_str()));
    CHECK_EQ(size, sizeof of_template);
    CHECK_HIP(hipMemcpy(&of_template, address, size, hipMemcpyDeviceToHost));
    CHECK_EQ(of_template, 5);
}

TEST("name expressions are added before compilation and asked for after it")
{
    const char *name = nullptr;
    program p("template <typename T> __global__ void k(T *x) { *x = 1; }\n");
    CHECK_EQ(hiprtcGetLoweredName(p.p, "k<int>", &name),
             HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    CHECK_EQ(hiprtcAddNameExpression(p.p, "k<int>"), HIPRTC_SUCCESS);
    p.made();
    CHECK_EQ(hiprtcAddNameExpression(p.p, "k<float>"),
             HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    CHECK_EQ(hiprtcGetLoweredName(p.p, "k<float>", &name), HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    CHECK_EQ(hiprtcGetLoweredName(p.p, "k<int>", &name), HIPRTC_SUCCESS);
}

TEST("a name expression that names nothing is an error in the log")
{
    program p("extern \"C\" __global__ void k(int *x) { *x = 1; }\n");
    CHECK_EQ(hiprtcAddNameExpression(p.p, "no_such_kernel<int>"), HIPRTC_SUCCESS);
    CHECK_EQ(p.compile(), HIPRTC_ERROR_COMPILATION);
    CHECK(contains(p.log(), "name expression 0"));
    CHECK(contains(p.log(), "no_such_kernel"));

    program q("extern \"C\" __global__ void k(int *x) { *x = 1; }\n");
    CHECK_EQ(hiprtcAddNameExpression(q.p, "6 * 7"), HIPRTC_SUCCESS);
    CHECK_EQ(q.compile(), HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
}

TEST("headers are found by the names by which they are included")
{
    program p("#include \"plain.h\"\n"
              "#include <folder/deep/inner.h>\n"
              "#include \"../above.h\"\n"
              "#include \"stdint.h\"\n"
              "extern \"C\" __global__ void k(int *x) { *x = PLAIN + INNER + ABOVE + MINE; }\n",
              "main.cu",
              {"#define PLAIN 1\n", "#include \"beside.h\"\n", "#define INNER 10\n",
               "#define ABOVE 100\n", "#define MINE 1000\n"},
              {"plain.h", "folder/deep/inner.h", "folder/deep/beside.h", "../above.h", "stdint.h"});
    p.made();
    CHECK(loaded(p).run<int>("k", {0}) == std::vector<int>{1111});

    program q("#include \"wrong.h\"\n", "main.cu", {"\nint x = ;\n"}, {"wrong.h"});
    CHECK_EQ(q.compile(), HIPRTC_ERROR_COMPILATION);
    std::string log = q.log();
    CHECK_CASE(contains(log, "wrong.h:2:9: error:"), "%s", log.c_str());
    CHECK(contains(log, "In file included from main.cu:1"));
    CHECK(!contains(log, "/hiprtc-"));
}

TEST("a header whose name leads out of the program's folder is refused")
{
    for (const char *name : {"/etc/passwd", "../../../../../../x.h", "", "folder/"}) {
        hiprtcProgram p = nullptr;
        const char *text = "";
        CHECK_EQ(hiprtcCreateProgram(&p, "int x;", "p.cu", 1, &text, &name),
                 HIPRTC_ERROR_INVALID_INPUT);
        CHECK(p == nullptr);
    }
}

TEST("options reach the compiler, in HIP's and in NVIDIA's spelling")
{
    program p("#if defined(GONE)\n"
              "#error still there\n"
              "#endif\n"
              "extern \"C\" __global__ void k(int *x)\n"
              "{\n"
              "    if (int n = VALUE; n)\n"
              "        *x = n + OTHER + EARLY + __cplusplus / 100 % 100;\n"
              "}\n",
              "p.cu", {"#define EARLY 1000\n"}, {"early.h"});
    p.made({"-DVALUE=5", "-D", "OTHER=10", "-DGONE", "-UGONE", "-std=c++17", "-O1",
            "-include early.h", "--fmad=false", "-I /nowhere", "-default-device"});
    CHECK_CASE(p.log().empty(), "%s", p.log().c_str());
    CHECK(loaded(p).run<int>("k", {0}) == std::vector<int>{1032});
    p.made({"--define-macro=VALUE=6", "--define-macro", "OTHER=20", "--std=c++20",
            "--pre-include=early.h", "-ffast-math", "-Werror"});
    CHECK(loaded(p).run<int>("k", {0}) == std::vector<int>{1046});
}

TEST("a program's macros may be names that the runtime's header uses")
{
    program p("extern \"C\" __global__ void k(T *x) { *x = N + A(2) + B + (int)sizeof(_x); }\n");
    p.made({"-DT=int", "-DN=4", "-DA(x)=x*10", "-DB", "-D_x=char", "-Dx=y"});
    CHECK(loaded(p).run<int>("k", {0}) == std::vector<int>{26});
}

TEST("products and sums are fused as the options say")
{
    program p("extern \"C\" __global__ void k(float *x) { *x = x[1] * x[1] - x[2]; }\n");
    // the product is 1 + 2^-11 + 2^-24, whose last part is lost by rounding
    std::vector<float> values = {0, 1 + 0x1p-12f, 1 + 0x1p-11f};
    p.made();
    CHECK_EQ(loaded(p).run<float>("k", values)[0], 0x1p-24f);
    p.made({"-ffp-contract=off"});
    CHECK_EQ(loaded(p).run<float>("k", values)[0], 0.0f);
}

TEST("what LLVM is asked to print is in the log")
{
    program p("extern \"C\" __global__ void k(int *x) { *x = 1; }\n");
    p.made({"-mllvm", "-print-after=constmerge"});
    CHECK(contains(p.log(), "IR Dump After ConstantMerge"));
}

TEST("complex numbers, constants and dot products need no include")
{
    program p("extern \"C\" __global__ void k(float *x)\n"
              "{\n"
              "    x[0] = hipCabsf(make_hipFloatComplex(3, 4)) + HIP_ONE_F;\n"
              "    x[1] = amd_mixed_dot(short2{10, -20}, short2{3, 4}, 100, false);\n"
              "    x[2] = amd_mixed_dot(ushort2{10, 20}, ushort2{3, 4}, 100u, false);\n"
              "    x[3] = amd_mixed_dot(char4{1, -2, 3, 4}, char4{5, 6, 7, 8}, 9, false);\n"
              "    x[4] = amd_mixed_dot(uchar4{200, 2, 3, 4}, uchar4{200, 6, 7, 8}, 9u, false);\n"
              "    x[5] = amd_mixed_dot(0xa7, 0x27, 30, false);\n"
              "    x[6] = amd_mixed_dot(0xa7u, 0x27u, 30u, false);\n"
              "    x[7] = amd_mixed_dot(short2{32767, 32767}, short2{32767, 32767},\n"
              "                         0x7fffffff, true) == 0x7fffffff;\n"
              "    x[8] = amd_mixed_dot(1u, 1u, 0xffffffffu, true) == 0xffffffffu;\n"
              "    x[9] = amd_mixed_dot(1u, 1u, 0xffffffffu, false) == 0;\n"
              "    x[10] = __half2float(__clamp_01(__half(2.5f))) + "
              "__half2float(__clamp_01(__half(-1)));\n"
              "    x[11] = __ldcg(x + 11) + __ldca(x + 11) + __ldcs(x + 11);\n"
              "}\n");
    p.made();
    CHECK(loaded(p).run<float>("k", std::vector<float>(12, 2.0f)) ==
          (std::vector<float>{6, 50, 210, 55, 40074, 67, 99, 1, 1, 1, 1, 6}));
}

TEST("options from the environment come after the program's own")
{
    program p("extern \"C\" __global__ void k(int *x) { *x = A + B; }\n");
    variable options("HIPRTC_COMPILE_OPTIONS_APPEND", "-DB=20  -UA -DA=3");
    check_rtc(p.compile({"-DA=1"}), "compile", __LINE__);
    CHECK(loaded(p).run<int>("k", {0}) == std::vector<int>{23});
}

TEST("options that would make something else are refused, unknown ones are the compiler's error")
{
    program p("extern \"C\" __global__ void k(int *x) { *x = 1; }\n");
    for (const char *option : {"-S", "-o", "-E", "-c", "--offload-arch"}) {
        CHECK_EQ(p.compile({option}), HIPRTC_ERROR_INVALID_OPTION);
        CHECK(contains(p.log(), option));
    }
    CHECK_EQ(p.compile({"--no-such-option"}), HIPRTC_ERROR_COMPILATION);
    CHECK(contains(p.log(), "--no-such-option"));
    CHECK_EQ(p.compile({"--gpu-architecture=gfx1"}), HIPRTC_ERROR_COMPILATION);
    p.made();
}

TEST("a program is compiled for any architecture, and for several in one bundle")
{
    program p("extern \"C\" __global__ void k(int *x) { *x = 3; }\n");
    p.made({"--gpu-architecture=gfx90a"});
    CHECK(std::memcmp(p.code().data(), "\177ELF", 4) == 0);
    p.made({"--offload-arch=sm_70"});
    std::vector<char> ptx = p.code();
    CHECK(ptx.back() == '\0');
    CHECK(contains(ptx.data(), ".target sm_70"));
    p.made({"-arch", "compute_80"});
    CHECK(contains(p.code().data(), ".target sm_80"));
    p.made({"--offload-arch=gfx90a,gfx9-4-generic,gfx11-generic", "--offload-arch=sm_70"});
    CHECK(loaded(p).run<int>("k", {0}) == std::vector<int>{3});
}

static const char *const caller = "__device__ int helper(int);\n"
                                  "template <typename T> __global__ void call(T *x)\n"
                                  "{\n"
                                  "    *x = helper(*x);\n"
                                  "}\n";
static const char *const callee = "__device__ int factor = 3;\n"
                                  "__device__ int helper(int x) { return x * factor; }\n";

static hiprtcResult add(hiprtcLinkState link, hiprtcJITInputType type, std::vector<char> &data)
{
    return hiprtcLinkAddData(link, type, data.data(), data.size(), "input", 0, nullptr, nullptr);
}

TEST("two programs of relocatable device code are linked")
{
    program a(caller), b(callee);
    CHECK_EQ(hiprtcAddNameExpression(a.p, "call<int>"), HIPRTC_SUCCESS);
    a.made({"-fgpu-rdc"});
    b.made({"--device-c"});
    size_t size = 0;
    CHECK_EQ(hiprtcGetCodeSize(a.p, &size), HIPRTC_ERROR_INVALID_PROGRAM);
    std::vector<char> first = a.bitcode(), second = b.bitcode();
    CHECK(std::memcmp(first.data(), "BC\xc0\xde", 4) == 0);

    hiprtcLinkState link = nullptr;
    void *image = nullptr;
    CHECK_RTC(hiprtcLinkCreate(0, nullptr, nullptr, &link));
    CHECK_RTC(add(link, HIPRTC_JIT_INPUT_LLVM_BITCODE, first));
    CHECK_RTC(add(link, HIPRTC_JIT_INPUT_LLVM_BITCODE, second));
    CHECK_RTC(hiprtcLinkComplete(link, &image, &size));
    CHECK(size > 0);
    CHECK(loaded(image).run<int>(a.lowered("call<int>"), {14}) == std::vector<int>{42});
    CHECK_RTC(hiprtcLinkDestroy(link));
    CHECK_EQ(hiprtcLinkDestroy(link), HIPRTC_ERROR_INVALID_INPUT);
}

TEST("a link takes options, and tells what was missing in the caller's buffer")
{
    program a(caller);
    CHECK_EQ(hiprtcAddNameExpression(a.p, "call<int>"), HIPRTC_SUCCESS);
    a.made({"-fgpu-rdc"});
    std::vector<char> first = a.bitcode();
    const char *extra[] = {"-mllvm", "-inline-threshold=1"};
    char errors[2048] = "before", notes[64] = "before";
    hiprtcJIT_option options[] = {
        HIPRTC_JIT_OPTIMIZATION_LEVEL, HIPRTC_JIT_MAX_REGISTERS,
        HIPRTC_JIT_ERROR_LOG_BUFFER,   HIPRTC_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        HIPRTC_JIT_INFO_LOG_BUFFER,    HIPRTC_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
        HIPRTC_JIT_IR_TO_ISA_OPT_EXT,  HIPRTC_JIT_IR_TO_ISA_OPT_COUNT_EXT};
    void *values[] = {reinterpret_cast<void *>(2),
                      reinterpret_cast<void *>(32),
                      errors,
                      reinterpret_cast<void *>(sizeof errors),
                      notes,
                      reinterpret_cast<void *>(sizeof notes),
                      extra,
                      reinterpret_cast<void *>(2)};
    hiprtcLinkState link = nullptr;
    void *image = nullptr;
    size_t size = 0;
    CHECK_RTC(hiprtcLinkCreate(8, options, values, &link));
    CHECK_EQ(hiprtcLinkComplete(link, &image, &size), HIPRTC_ERROR_LINKING); // nothing to link
    CHECK_RTC(add(link, HIPRTC_JIT_INPUT_LLVM_BITCODE, first));
    CHECK_EQ(hiprtcLinkComplete(link, &image, &size), HIPRTC_ERROR_LINKING);
    CHECK_CASE(contains(errors, "helper"), "%s", errors);
    program b(callee);
    b.made({"-fgpu-rdc"});
    std::vector<char> second = b.bitcode();
    CHECK_RTC(add(link, HIPRTC_JIT_INPUT_LLVM_BITCODE, second));
    CHECK_RTC(hiprtcLinkComplete(link, &image, &size));
    CHECK(errors[0] == '\0' && notes[0] == '\0');
    CHECK(loaded(image).run<int>(a.lowered("call<int>"), {2}) == std::vector<int>{6});
    CHECK_RTC(hiprtcLinkDestroy(link));

    hiprtcJIT_option unknown = static_cast<hiprtcJIT_option>(4711);
    CHECK_EQ(hiprtcLinkCreate(1, &unknown, values, &link), HIPRTC_ERROR_INVALID_OPTION);
    void *none = nullptr;
    CHECK_EQ(hiprtcLinkCreate(1, &options[2], &none, &link), HIPRTC_ERROR_INVALID_OPTION);
}

// The program's bitcode for several architectures in a bundle.
static std::vector<char> bundle_of(program &p)
{
    p.made({"-fgpu-rdc", "--offload-arch=gfx90a,gfx942,gfx1100,sm_50,sm_70"});
    std::vector<char> bundle = p.bitcode();
    CHECK(std::memcmp(bundle.data(), "__CLANG_OFFLOAD_BUNDLE__", 24) == 0);
    return bundle;
}

TEST("bundles of bitcode and archives of bundles are linked")
{
    program a(caller), b(callee);
    CHECK_EQ(hiprtcAddNameExpression(a.p, "call<int>"), HIPRTC_SUCCESS);
    std::vector<char> first = bundle_of(a), second = bundle_of(b);

    // an archive of one member
    char header[61];
    std::snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", "second.bc/", 0, 0, 0,
                  0644, second.size());
    std::string archive =
        "!<arch>\n" + std::string(header) + std::string(second.data(), second.size());
    std::string name = "hiprtc_test_archive." + std::to_string(getpid()); // a test for each device
    const char *file = name.c_str();
    FILE *out = std::fopen(file, "wb");
    CHECK(out && std::fwrite(archive.data(), 1, archive.size(), out) == archive.size());
    if (out)
        std::fclose(out);

    hiprtcLinkState link = nullptr;
    void *image = nullptr;
    size_t size = 0;
    CHECK_RTC(hiprtcLinkCreate(0, nullptr, nullptr, &link));
    CHECK_RTC(add(link, HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE, first));
    CHECK_RTC(hiprtcLinkAddFile(link, HIPRTC_JIT_INPUT_LLVM_ARCHIVES_OF_BUNDLED_BITCODE, file, 0,
                                nullptr, nullptr));
    std::remove(file);
    CHECK_RTC(hiprtcLinkComplete(link, &image, &size));
    CHECK(loaded(image).run<int>(a.lowered("call<int>"), {5}) == std::vector<int>{15});
    CHECK_RTC(hiprtcLinkDestroy(link));
}

TEST("inputs that hold nothing to link are refused")
{
    hiprtcLinkState link = nullptr, none = nullptr;
    program p(callee);
    p.made({"-fgpu-rdc", "--offload-arch=gfx906,gfx908"});
    std::vector<char> others = p.bitcode(), text = {'t', 'e', 'x', 't'};
    CHECK_RTC(hiprtcLinkCreate(0, nullptr, nullptr, &link));
    CHECK_EQ(add(link, HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE, others),
             HIPRTC_ERROR_PROGRAM_CREATION_FAILURE);
    CHECK_EQ(add(link, HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE, text),
             HIPRTC_ERROR_PROGRAM_CREATION_FAILURE);
    CHECK_EQ(add(link, HIPRTC_JIT_INPUT_LLVM_ARCHIVES_OF_BUNDLED_BITCODE, text),
             HIPRTC_ERROR_PROGRAM_CREATION_FAILURE);
    CHECK_EQ(
        hiprtcLinkAddFile(link, HIPRTC_JIT_INPUT_LLVM_BITCODE, "no_such_file", 0, nullptr, nullptr),
        HIPRTC_ERROR_PROGRAM_CREATION_FAILURE);
    for (hiprtcJITInputType type :
         {HIPRTC_JIT_INPUT_CUBIN, HIPRTC_JIT_INPUT_PTX, HIPRTC_JIT_INPUT_NVVM})
        CHECK_EQ(add(link, type, text), HIPRTC_ERROR_INVALID_INPUT);
    CHECK_EQ(add(none, HIPRTC_JIT_INPUT_LLVM_BITCODE, text), HIPRTC_ERROR_INVALID_INPUT);
    CHECK_RTC(add(link, HIPRTC_JIT_INPUT_LLVM_BITCODE, text));
    void *image = nullptr;
    size_t size = 0;
    CHECK_EQ(hiprtcLinkComplete(link, &image, &size), HIPRTC_ERROR_LINKING);
    CHECK_RTC(hiprtcLinkDestroy(link));
}

TEST("arguments that are wrong give the errors that HIP documents")
{
    hiprtcProgram p = nullptr, never = reinterpret_cast<hiprtcProgram>(0x1000);
    const char *text = "int x;", *name = nullptr;
    size_t size = 0;
    char room[1];
    CHECK_EQ(hiprtcCreateProgram(nullptr, text, "", 0, nullptr, nullptr),
             HIPRTC_ERROR_INVALID_PROGRAM);
    CHECK_EQ(hiprtcCreateProgram(&p, nullptr, "", 0, nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
    CHECK_EQ(hiprtcCreateProgram(&p, text, "", -1, nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
    CHECK_EQ(hiprtcCreateProgram(&p, text, "", 1, &text, nullptr), HIPRTC_ERROR_INVALID_INPUT);
    CHECK_EQ(hiprtcCompileProgram(never, 0, nullptr), HIPRTC_ERROR_INVALID_PROGRAM);
    CHECK_EQ(hiprtcAddNameExpression(never, "x"), HIPRTC_ERROR_INVALID_PROGRAM);
    CHECK_EQ(hiprtcAddNameExpression(never, nullptr), HIPRTC_ERROR_INVALID_INPUT);
    CHECK_EQ(hiprtcGetLoweredName(never, "x", &name), HIPRTC_ERROR_INVALID_PROGRAM);
    CHECK_EQ(hiprtcGetLoweredName(never, nullptr, &name), HIPRTC_ERROR_INVALID_INPUT);
    CHECK_EQ(hiprtcGetProgramLogSize(never, &size), HIPRTC_ERROR_INVALID_PROGRAM);
    CHECK_EQ(hiprtcGetProgramLog(never, nullptr), HIPRTC_ERROR_INVALID_INPUT);
    CHECK_EQ(hiprtcGetCode(never, room), HIPRTC_ERROR_INVALID_PROGRAM);
    CHECK_EQ(hiprtcGetBitcodeSize(never, nullptr), HIPRTC_ERROR_INVALID_INPUT);
    CHECK_EQ(hiprtcDestroyProgram(nullptr), HIPRTC_ERROR_INVALID_INPUT);
    CHECK_EQ(hiprtcDestroyProgram(&never), HIPRTC_ERROR_INVALID_PROGRAM);

    CHECK_RTC(hiprtcCreateProgram(&p, text, nullptr, 0, nullptr, nullptr));
    CHECK_EQ(hiprtcCompileProgram(p, -1, nullptr), HIPRTC_ERROR_INVALID_INPUT);
    CHECK_EQ(hiprtcCompileProgram(p, 1, &name), HIPRTC_ERROR_INVALID_INPUT);
    CHECK_EQ(hiprtcGetCodeSize(p, &size), HIPRTC_ERROR_INVALID_PROGRAM);
    CHECK_EQ(hiprtcGetProgramLogSize(p, &size), HIPRTC_SUCCESS);
    CHECK_EQ(size, 0u);
    hiprtcProgram again = p;
    CHECK_RTC(hiprtcDestroyProgram(&p));
    CHECK(p == nullptr);
    CHECK_EQ(hiprtcDestroyProgram(&again), HIPRTC_ERROR_INVALID_PROGRAM);

    int major = 0, minor = -1;
    CHECK_EQ(hiprtcVersion(&major, nullptr), HIPRTC_ERROR_INVALID_INPUT);
    CHECK_RTC(hiprtcVersion(&major, &minor));
    CHECK_EQ(major, HIP_VERSION_MAJOR);
    CHECK_EQ(minor, HIP_VERSION_MINOR);
    CHECK_EQ(std::string(hiprtcGetErrorString(HIPRTC_ERROR_LINKING)),
             std::string("HIPRTC_ERROR_LINKING"));
}

TEST("without a compiler the log tells what to install")
{
    program p("extern \"C\" __global__ void k(int *x) { *x = 1; }\n");
    {
        variable clang("ANYHIP_CLANG", "/no/such/clang");
        CHECK_EQ(p.compile(), HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE);
        CHECK(contains(p.log(), "clang-22"));
    }
    {
        variable hipcc("ANYHIP_HIPCC", "/no/such/hipcc");
        CHECK_EQ(p.compile(), HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE);
        CHECK(contains(p.log(), "/no/such/hipcc"));
    }
    p.made();
}

static size_t entries(const std::string &folder)
{
    size_t count = 0;
    DIR *open = opendir(folder.c_str());
    while (open && readdir(open))
        count++;
    if (open)
        closedir(open);
    return count;
}

TEST("nothing is left of the files of a compilation, whatever its end")
{
    char folder[] = "/tmp/hiprtc-test-XXXXXX";
    CHECK(mkdtemp(folder) != nullptr);
    variable files("TMPDIR", folder);
    program good("extern \"C\" __global__ void k(int *x) { *x = 1; }\n", "p.cu", {"", ""},
                 {"a/b/c.h", "../d.h"});
    good.made();
    program bad("wrong");
    CHECK_EQ(bad.compile(), HIPRTC_ERROR_COMPILATION);
    CHECK_EQ(entries(folder), 2u); // itself and its parent
    {
        variable none("TMPDIR", std::string(folder) + "/missing");
        CHECK_EQ(good.compile(), HIPRTC_ERROR_INTERNAL_ERROR);
    }
    rmdir(folder);
}

TEST("programs are compiled by several threads at a time")
{
    std::vector<std::thread> threads;
    std::vector<std::vector<char>> codes(4);
    for (size_t i = 0; i < codes.size(); i++)
        threads.emplace_back([i, &codes] {
            std::string source =
                "extern \"C\" __global__ void k(int *x) { *x = " + std::to_string(i + 1) + "; }\n";
            program p(source.c_str());
            if (p.compile() == HIPRTC_SUCCESS)
                codes[i] = p.code();
        });
    for (std::thread &t : threads)
        t.join();
    for (size_t i = 0; i < codes.size(); i++) {
        CHECK(!codes[i].empty());
        if (!codes[i].empty())
            CHECK(loaded(codes[i].data()).run<int>("k", {0}) ==
                  std::vector<int>{static_cast<int>(i) + 1});
    }
}

HIP_TEST_MAIN
