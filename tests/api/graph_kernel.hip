// Nodes that launch kernels, copy, and operate on values in memory: what they do on a device, by
// themselves and captured.
#include "../support/hip_test.h"

#include <hip/hip_cooperative_groups.h>

#pragma clang diagnostic ignored "-Wdeprecated-declarations" // contexts

// ---- graphs of a test, and what they do ---------------------------------------------------------

// A graph; add_* put a node after all that were added before.
class chain
{
  public:
    chain() { CHECK_HIP(hipGraphCreate(&graph, 0)); }
    explicit chain(hipGraph_t captured) : graph(captured) {}
    chain(const chain &) = delete;
    chain &operator=(const chain &) = delete;
    ~chain()
    {
        if (exec)
            CHECK_HIP(hipGraphExecDestroy(exec));
        CHECK_HIP(hipGraphDestroy(graph));
    }

    // Arguments of a hipGraphAdd*Node function after the dependencies.
    template <typename F, typename... A> hipGraphNode_t add(F *function, A... arguments)
    {
        hipGraphNode_t node = nullptr;
        CHECK_HIP(function(&node, graph, last ? &last : nullptr, last ? 1 : 0, arguments...));
        return last = node;
    }

    void instantiate()
    {
        if (!exec)
            CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    }
    void run()
    {
        instantiate();
        CHECK_HIP(hipGraphLaunch(exec, nullptr));
        CHECK_HIP(hipStreamSynchronize(nullptr));
    }

    hipGraph_t graph = nullptr;
    hipGraphExec_t exec = nullptr;

  private:
    hipGraphNode_t last = nullptr;
};

template <typename F> hipKernelNodeParams params_of(F *kernel, void **arguments, unsigned threads)
{
    hipKernelNodeParams params = {};
    params.func = reinterpret_cast<void *>(kernel);
    params.gridDim = dim3(1);
    params.blockDim = dim3(threads);
    params.kernelParams = arguments;
    return params;
}

static int attribute(hipDeviceAttribute_t which)
{
    int value = 0;
    CHECK_HIP(hipDeviceGetAttribute(&value, which, 0));
    return value;
}

// ---- kernel nodes
// ---------------------------------------------------------------------------------

struct mixed {
    char c;
    double d;
    short s[3];
};

__global__ void collect(double *out, char a, short b, mixed m, long long l, float f)
{
    int i = threadIdx.x;
    double values[] = {double(a),      double(b), double(m.c), m.d,
                       double(m.s[2]), double(l), double(f)};
    if (i < 7)
        out[i] += values[i];
}

static void check_collected(const std::vector<double> &got, double times)
{
    const double wanted[] = {-3, 300, 9, 2.5, -7, 1ll << 40, 0.25};
    for (int i = 0; i < 7; i++)
        CHECK_EQ(got[i], wanted[i] * times);
}

TEST("a kernel node launches with the arguments that it was given")
{
    ah_test::buffer<double> out(7);
    chain c;
    {
        double *p = out.device();
        char a = -3;
        short b = 300;
        mixed m = {9, 2.5, {1, 2, -7}};
        long long l = 1ll << 40;
        float f = 0.25f;
        void *arguments[] = {&p, &a, &b, &m, &l, &f};
        hipKernelNodeParams params = params_of(collect, arguments, 32);
        c.add(hipGraphAddKernelNode, &params);
        p = nullptr, a = 0, b = 0, m = {}, l = 0, f = 0;
    }
    c.run();
    check_collected(out.read(), 1);
    c.run();
    check_collected(out.read(), 2);
}

struct packed {
    double *out;
    char a;
    short b;
    mixed m;
    long long l;
    float f;
};

TEST("the arguments of a kernel node may be in one buffer")
{
    ah_test::buffer<double> out(7);
    chain c;
    {
        packed buffer = {out.device(), -3, 300, {9, 2.5, {1, 2, -7}}, 1ll << 40, 0.25f};
        size_t size = sizeof buffer;
        void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &buffer, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                         &size, HIP_LAUNCH_PARAM_END};
        hipKernelNodeParams params = params_of(collect, nullptr, 32);
        params.extra = extra;
        c.add(hipGraphAddKernelNode, &params);
        std::memset(&buffer, 0, sizeof buffer);
    }
    c.run();
    check_collected(out.read(), 1);
}

__global__ void add_to(int *out, int value)
{
    out[threadIdx.x] += value;
}
__global__ void multiply(int *out, int value)
{
    out[threadIdx.x] *= value;
}

TEST("a kernel node that is changed launches something else")
{
    ah_test::buffer<int> out({1, 2, 3, 4});
    int *p = out.device(), value = 10;
    void *arguments[] = {&p, &value};
    chain c;
    hipKernelNodeParams params = params_of(add_to, arguments, 4);
    hipGraphNode_t node = c.add(hipGraphAddKernelNode, &params);
    params.func = reinterpret_cast<void *>(multiply);
    CHECK_HIP(hipGraphKernelNodeSetParams(node, &params));
    c.run();
    CHECK_EQ(out.read()[3], 40);
    CHECK_HIP(hipGraphKernelNodeGetParams(node, &params));
    params.blockDim.x = 2;
    CHECK_HIP(hipGraphExecKernelNodeSetParams(c.exec, node, &params));
    c.run();
    CHECK_EQ(out.read()[1], 200);
    CHECK_EQ(out.read()[2], 30);
    params = params_of(add_to, arguments, 4);
    value = 1;
    CHECK_HIP(hipGraphExecKernelNodeSetParams(c.exec, node, &params));
    c.run();
    CHECK_EQ(out.read()[1], 201);
    CHECK_EQ(out.read()[2], 31);
}

TEST("a node launches the function of a module, and no more when it is unloaded")
{
    ah_test::buffer<float> numbers({1, 2, 3, 4});
    hipModule_t module;
    hipFunction_t function;
    CHECK_HIP(hipModuleLoad(&module, "module_kernels.hipfb"));
    CHECK_HIP(hipModuleGetFunction(&function, module, "scale"));
    float *p = numbers.device();
    int count = 4;
    void *arguments[] = {&p, &count};
    chain c;
    hipKernelNodeParams params = params_of(function, arguments, 32);
    c.add(hipGraphAddKernelNode, &params);
    c.run();
    CHECK_EQ(numbers.read()[3], 8.0f);
    CHECK_HIP(hipModuleUnload(module));
    chain late(nullptr);
    CHECK_HIP(hipGraphClone(&late.graph, c.graph));
    CHECK(hipGraphInstantiate(&late.exec, late.graph, nullptr, nullptr, 0) != hipSuccess);
    late.exec = nullptr;
    (void)hipGetLastError();
}

__global__ void reverse_in_shared(int *data, int count)
{
    extern __shared__ int copy[];
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        copy[i] = data[i];
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        data[i] = copy[count - 1 - i];
}

TEST("a kernel node gets as much dynamic shared memory as the device has")
{
    int bytes = attribute(hipDeviceAttributeSharedMemPerBlockOptin);
    if (bytes == 0)
        bytes = attribute(hipDeviceAttributeMaxSharedMemoryPerBlock);
    int count = bytes / static_cast<int>(sizeof(int));
    std::vector<int> values(count);
    for (int i = 0; i < count; i++)
        values[i] = i;
    ah_test::buffer<int> data(values);
    int *p = data.device();
    void *arguments[] = {&p, &count};
    chain c;
    hipKernelNodeParams params = params_of(reverse_in_shared, arguments, 64);
    params.sharedMemBytes = static_cast<unsigned>(bytes);
    c.add(hipGraphAddKernelNode, &params);
    c.run();
    bool reversed = true;
    data.read();
    for (int i = 0; i < count; i++)
        reversed = reversed && data.host()[i] == count - 1 - i;
    CHECK(reversed);
}

// Block 0 sums up what the others wrote, after all have.
__global__ void sum_of_blocks(int *parts, int *sum)
{
    if (threadIdx.x == 0)
        parts[blockIdx.x] = blockIdx.x + 1;
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            *sum += parts[i];
    }
}

TEST("the blocks of a cooperative kernel node synchronize")
{
    if (!attribute(hipDeviceAttributeCooperativeLaunch))
        SKIP("the device has no cooperative launches");
    ah_test::buffer<int> parts(4), sum(1);
    int *p = parts.device(), *s = sum.device();
    void *arguments[] = {&p, &s};
    chain c;
    hipKernelNodeParams params = params_of(sum_of_blocks, arguments, 32);
    params.gridDim.x = 4;
    hipGraphNode_t node = c.add(hipGraphAddKernelNode, &params);
    hipLaunchAttributeValue value = {};
    value.cooperative = 1;
    CHECK_HIP(hipGraphKernelNodeSetAttribute(node, hipLaunchAttributeCooperative, &value));
    c.run();
    CHECK_EQ(sum.read()[0], 10);
    // captured, it stays cooperative
    hipStream_t stream;
    hipGraph_t graph;
    CHECK_HIP(hipStreamCreate(&stream));
    CHECK_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    CHECK_HIP(hipLaunchCooperativeKernel(reinterpret_cast<void *>(sum_of_blocks), dim3(3), dim3(32),
                                         arguments, 0, stream));
    CHECK_HIP(hipStreamEndCapture(stream, &graph));
    chain captured(graph);
    captured.run();
    CHECK_EQ(sum.read()[0], 6);
    CHECK_HIP(hipStreamDestroy(stream));
}

// ---- copies of rows
// -------------------------------------------------------------------------------

enum { COUNT = 256, BYTES = COUNT * sizeof(int) };

// Memory of each kind that a copy can have at one end, filled from and compared by the host.
struct memory {
    enum kind { PAGEABLE, LOCKED, MANAGED, DEVICE, KINDS } kind;
    int *pointer = nullptr;
    explicit memory(enum kind k) : kind(k)
    {
        void *p = nullptr;
        if (k == PAGEABLE)
            p = std::malloc(BYTES);
        else if (k == LOCKED)
            CHECK_HIP(hipHostMalloc(&p, BYTES, 0));
        else if (k == MANAGED)
            CHECK_HIP(hipMallocManaged(&p, BYTES, hipMemAttachGlobal));
        else
            CHECK_HIP(hipMalloc(&p, BYTES));
        pointer = static_cast<int *>(p);
    }
    memory(const memory &) = delete;
    ~memory()
    {
        if (kind == PAGEABLE)
            std::free(pointer);
        else if (kind == LOCKED)
            CHECK_HIP(hipHostFree(pointer));
        else
            CHECK_HIP(hipFree(pointer));
    }
    void fill(int first)
    {
        std::vector<int> values(COUNT);
        for (int i = 0; i < COUNT; i++)
            values[i] = first + i;
        CHECK_HIP(hipMemcpy(pointer, values.data(), BYTES, hipMemcpyDefault));
        CHECK_HIP(hipDeviceSynchronize());
    }
    bool holds(int first)
    {
        std::vector<int> values(COUNT);
        CHECK_HIP(hipMemcpy(values.data(), pointer, BYTES, hipMemcpyDefault));
        CHECK_HIP(hipDeviceSynchronize());
        for (int i = 0; i < COUNT; i++)
            if (values[i] != first + i)
                return false;
        return true;
    }
};

static hipMemcpyKind kind_of(enum memory::kind dst, enum memory::kind src)
{
    bool from = src >= memory::MANAGED, to = dst >= memory::MANAGED;
    return from ? (to ? hipMemcpyDeviceToDevice : hipMemcpyDeviceToHost)
                : (to ? hipMemcpyHostToDevice : hipMemcpyHostToHost);
}

TEST("a copy node copies between memory of any two kinds, with the data of its launch")
{
    for (int d = 0; d < memory::KINDS; d++)
        for (int s = 0; s < memory::KINDS; s++)
            for (bool by_address : {false, true}) {
                memory dst(static_cast<enum memory::kind>(d));
                memory src(static_cast<enum memory::kind>(s));
                chain c;
                c.add(hipGraphAddMemcpyNode1D, static_cast<void *>(dst.pointer),
                      static_cast<const void *>(src.pointer), static_cast<size_t>(BYTES),
                      by_address ? hipMemcpyDefault : kind_of(dst.kind, src.kind));
                src.fill(100);
                c.instantiate();
                src.fill(200);
                c.run();
                CHECK_CASE(dst.holds(200), "first launch, to %d from %d", d, s);
                src.fill(300);
                c.run();
                CHECK_CASE(dst.holds(300), "second launch, to %d from %d", d, s);
            }
}

TEST("a copy node of an executable graph can be given other memory of the same kind")
{
    memory one(memory::DEVICE), other(memory::DEVICE), from(memory::LOCKED), to(memory::PAGEABLE);
    chain c;
    hipGraphNode_t in = c.add(hipGraphAddMemcpyNode1D, static_cast<void *>(one.pointer),
                              static_cast<const void *>(from.pointer), static_cast<size_t>(BYTES),
                              hipMemcpyHostToDevice);
    c.instantiate();
    other.fill(1);
    CHECK_HIP(hipGraphExecMemcpyNodeSetParams1D(c.exec, in, other.pointer, from.pointer, BYTES,
                                                hipMemcpyHostToDevice));
    from.fill(50);
    c.run();
    CHECK(other.holds(50));
    // neither the kind nor the kind of memory
    CHECK_EQ(hipGraphExecMemcpyNodeSetParams1D(c.exec, in, other.pointer, from.pointer, BYTES,
                                               hipMemcpyDefault),
             hipErrorInvalidValue);
    CHECK(hipGraphExecMemcpyNodeSetParams1D(c.exec, in, to.pointer, from.pointer, 4,
                                            hipMemcpyHostToHost) != hipSuccess);
    (void)hipGetLastError();
    from.fill(60);
    c.run();
    CHECK(other.holds(60));
}

// ---- copies of variables
// ----------------------------------------------------------------------------

__device__ int table[8];
__constant__ int factors[4];

__global__ void use_variables(int *out)
{
    out[threadIdx.x] = table[threadIdx.x] * factors[threadIdx.x % 4];
}

TEST("copy nodes write and read variables")
{
    ah_test::buffer<int> out(8);
    int values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, scale[4] = {10, 20, 30, 40}, read[3] = {};
    int *p = out.device();
    void *arguments[] = {&p};
    chain c;
    c.add(hipGraphAddMemcpyNodeToSymbol, static_cast<const void *>(HIP_SYMBOL(table)),
          static_cast<const void *>(values), sizeof values, size_t(0), hipMemcpyHostToDevice);
    hipGraphNode_t constant =
        c.add(hipGraphAddMemcpyNodeToSymbol, static_cast<const void *>(HIP_SYMBOL(factors)),
              static_cast<const void *>(scale), sizeof scale, size_t(0), hipMemcpyDefault);
    hipKernelNodeParams params = params_of(use_variables, arguments, 8);
    c.add(hipGraphAddKernelNode, &params);
    c.add(hipGraphAddMemcpyNodeFromSymbol, static_cast<void *>(read),
          static_cast<const void *>(HIP_SYMBOL(table)), sizeof read, 5 * sizeof(int),
          hipMemcpyDeviceToHost);
    c.run();
    CHECK_EQ(out.read()[5], 6 * 20);
    CHECK(read[0] == 6 && read[1] == 7 && read[2] == 8);
    values[6] = 70;
    int other[4] = {1, 1, 1, 1};
    CHECK_HIP(hipGraphExecMemcpyNodeSetParamsToSymbol(c.exec, constant, HIP_SYMBOL(factors), other,
                                                      sizeof other, 0, hipMemcpyDefault));
    c.run();
    CHECK_EQ(out.read()[6], 70);
    CHECK_EQ(read[1], 70);
}

// ---- copies of boxes
// --------------------------------------------------------------------------------

enum { WIDTH = 12, HEIGHT = 5, DEPTH = 3, CELLS = WIDTH * HEIGHT * DEPTH };

static std::vector<unsigned char> numbered_cells()
{
    std::vector<unsigned char> cells(CELLS);
    for (int i = 0; i < CELLS; i++)
        cells[i] = static_cast<unsigned char>(i);
    return cells;
}

TEST("copy nodes copy boxes of pitched memory")
{
    std::vector<unsigned char> in = numbered_cells(), out(CELLS, 0xff);
    hipPitchedPtr device;
    CHECK_HIP(hipMalloc3D(&device, make_hipExtent(WIDTH, HEIGHT, DEPTH)));
    hipMemcpy3DParms up = {}, down = {};
    up.srcPtr = make_hipPitchedPtr(in.data(), WIDTH, WIDTH, HEIGHT);
    up.dstPtr = device;
    up.extent = make_hipExtent(WIDTH, HEIGHT, DEPTH);
    up.kind = hipMemcpyHostToDevice;
    down.srcPtr = device;
    down.srcPos = make_hipPos(2, 1, 1);
    down.dstPtr = make_hipPitchedPtr(out.data(), WIDTH, WIDTH, HEIGHT);
    down.dstPos = make_hipPos(1, 0, 1);
    down.extent = make_hipExtent(7, 3, 2);
    down.kind = hipMemcpyDeviceToHost;
    chain c;
    c.add(hipGraphAddMemcpyNode, static_cast<const hipMemcpy3DParms *>(&up));
    c.add(hipGraphAddMemcpyNode, static_cast<const hipMemcpy3DParms *>(&down));
    c.run();
    bool good = true;
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                bool inside = x >= 1 && x < 8 && y < 3 && z >= 1;
                int wanted = inside ? ((z - 1 + 1) * HEIGHT + y + 1) * WIDTH + x - 1 + 2 : 0xff;
                good = good && out[(z * HEIGHT + y) * WIDTH + x] == wanted;
            }
    CHECK(good);
    CHECK_HIP(hipFree(device.ptr));
}

TEST("copy nodes copy to, between and from arrays")
{
    if (!attribute(hipDeviceAttributeImageSupport))
        SKIP("the device has no arrays");
    std::vector<unsigned char> in = numbered_cells(), out(CELLS);
    const hipChannelFormatDesc format = hipCreateChannelDesc<unsigned char>();
    const hipExtent extent = make_hipExtent(WIDTH, HEIGHT, DEPTH);
    hipArray_t one, other;
    CHECK_HIP(hipMalloc3DArray(&one, &format, extent, hipArrayDefault));
    CHECK_HIP(hipMalloc3DArray(&other, &format, extent, hipArrayDefault));
    hipMemcpy3DParms up = {}, across = {}, down = {};
    up.srcPtr = make_hipPitchedPtr(in.data(), WIDTH, WIDTH, HEIGHT);
    up.dstArray = one;
    up.kind = hipMemcpyHostToDevice;
    across.srcArray = one;
    across.dstArray = other;
    across.kind = hipMemcpyDeviceToDevice;
    down.srcArray = other;
    down.dstPtr = make_hipPitchedPtr(out.data(), WIDTH, WIDTH, HEIGHT);
    down.kind = hipMemcpyDeviceToHost;
    chain c;
    for (hipMemcpy3DParms *params : {&up, &across, &down}) {
        params->extent = extent;
        c.add(hipGraphAddMemcpyNode, static_cast<const hipMemcpy3DParms *>(params));
    }
    c.run();
    CHECK(in == out);
    CHECK_HIP(hipFreeArray(one));
    CHECK_HIP(hipFreeArray(other));
}

TEST("copy nodes of the driver API copy boxes")
{
    std::vector<unsigned char> in = numbered_cells(), out(CELLS);
    hipDeviceptr_t device;
    hipCtx_t context;
    CHECK_HIP(hipMalloc(&device, CELLS));
    CHECK_HIP(hipCtxGetCurrent(&context));
    HIP_MEMCPY3D up = {}, down = {};
    up.srcMemoryType = hipMemoryTypeHost;
    up.srcHost = in.data();
    up.dstMemoryType = hipMemoryTypeDevice;
    up.dstDevice = device;
    up.srcPitch = up.dstPitch = WIDTH;
    up.srcHeight = up.dstHeight = HEIGHT;
    up.WidthInBytes = WIDTH;
    up.Height = HEIGHT;
    up.Depth = DEPTH;
    down = up;
    down.srcMemoryType = hipMemoryTypeDevice;
    down.srcDevice = device;
    down.dstMemoryType = hipMemoryTypeHost;
    down.dstHost = out.data();
    chain c;
    c.add(hipDrvGraphAddMemcpyNode, static_cast<const HIP_MEMCPY3D *>(&up), context);
    hipGraphNode_t last =
        c.add(hipDrvGraphAddMemcpyNode, static_cast<const HIP_MEMCPY3D *>(&down), context);
    c.run();
    CHECK(in == out);
    std::vector<unsigned char> elsewhere(CELLS);
    down.dstHost = elsewhere.data();
    CHECK_HIP(hipDrvGraphExecMemcpyNodeSetParams(c.exec, last, &down, context));
    c.run();
    CHECK(in == elsewhere);
    CHECK_HIP(hipFree(device));
}

// ---- operations on values
// ---------------------------------------------------------------------------

TEST("memory operation nodes write values and wait for them")
{
    if (!attribute(hipDeviceAttributeCanUseStreamWaitValue))
        SKIP("the device cannot wait for values in memory");
    uint32_t *words;
    hipCtx_t context;
    CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&words), 64, 0));
    CHECK_HIP(hipCtxGetCurrent(&context));
    std::memset(words, 0, 64);
    hipStreamBatchMemOpParams operations[3] = {};
    operations[0].writeValue.operation = hipStreamMemOpWriteValue32;
    operations[0].writeValue.address = words;
    operations[0].writeValue.value = 7;
    operations[1].waitValue.operation = hipStreamMemOpWaitValue32;
    operations[1].waitValue.address = words;
    operations[1].waitValue.value = 7;
    operations[1].waitValue.flags = hipStreamWaitValueEq;
    operations[2].writeValue.operation = hipStreamMemOpWriteValue64;
    operations[2].writeValue.address = words + 2;
    operations[2].writeValue.value64 = 0x100000002ull;
    hipBatchMemOpNodeParams params = {};
    params.ctx = context;
    params.count = 3;
    params.paramArray = operations;
    chain c;
    hipGraphNode_t node =
        c.add(hipGraphAddBatchMemOpNode, static_cast<const hipBatchMemOpNodeParams *>(&params));
    c.run();
    CHECK(words[0] == 7 && words[2] == 2 && words[3] == 1);
    operations[0].writeValue.value = operations[1].waitValue.value = 8;
    CHECK_HIP(hipGraphExecBatchMemOpNodeSetParams(c.exec, node, &params));
    words[2] = 0;
    c.run();
    CHECK(words[0] == 8 && words[2] == 2);
    CHECK_HIP(hipHostFree(words));
}

// ---- what is captured
// -------------------------------------------------------------------------------

TEST("captured launches, copies and value operations are done again at each launch")
{
    std::vector<unsigned char> cells = numbered_cells(), back(CELLS);
    hipStream_t stream;
    hipGraph_t graph;
    hipPitchedPtr pitched;
    ah_test::buffer<int> numbers(8), sums(8);
    int in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8] = {}, three = 3, read[2] = {};
    int *p = numbers.device();
    void *arguments[] = {&p, &three};
    CHECK_HIP(hipMalloc3D(&pitched, make_hipExtent(WIDTH, HEIGHT * DEPTH, 1)));
    CHECK_HIP(hipStreamCreate(&stream));
    CHECK_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    CHECK_HIP(hipMemcpyAsync(p, in, sizeof in, hipMemcpyHostToDevice, stream));
    CHECK_HIP(hipLaunchKernel(reinterpret_cast<void *>(multiply), dim3(1), dim3(8), arguments, 0,
                              stream));
    CHECK_HIP(hipMemcpyAsync(sums.device(), p, sizeof in, hipMemcpyDeviceToDevice, stream));
    CHECK_HIP(hipMemcpyAsync(out, sums.device(), sizeof out, hipMemcpyDeviceToHost, stream));
    CHECK_HIP(hipMemcpy2DAsync(pitched.ptr, pitched.pitch, cells.data(), WIDTH, WIDTH,
                               HEIGHT * DEPTH, hipMemcpyHostToDevice, stream));
    CHECK_HIP(hipMemcpy2DAsync(back.data(), WIDTH, pitched.ptr, pitched.pitch, WIDTH,
                               HEIGHT * DEPTH, hipMemcpyDeviceToHost, stream));
    CHECK_HIP(
        hipMemcpyToSymbolAsync(HIP_SYMBOL(table), in, sizeof in, 0, hipMemcpyHostToDevice, stream));
    CHECK_HIP(hipMemcpyFromSymbolAsync(read, HIP_SYMBOL(table), sizeof read, 2 * sizeof(int),
                                       hipMemcpyDeviceToHost, stream));
    CHECK_HIP(hipStreamEndCapture(stream, &graph));
    three = 0;
    CHECK_EQ(out[0], 0);
    chain c(graph);
    c.run();
    CHECK(out[0] == 3 && out[7] == 24 && read[0] == 3 && read[1] == 4);
    CHECK(back == cells);
    in[7] = in[3] = 100;
    cells[5] = 77;
    c.run();
    CHECK(out[7] == 300 && read[1] == 100);
    CHECK(back == cells);
    CHECK_HIP(hipStreamDestroy(stream));
    CHECK_HIP(hipFree(pitched.ptr));
}

TEST("captured value operations keep their masks")
{
    if (!attribute(hipDeviceAttributeCanUseStreamWaitValue))
        SKIP("the device cannot wait for values in memory");
    uint32_t *words;
    hipStream_t stream;
    hipGraph_t graph;
    CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&words), 64, 0));
    std::memset(words, 0, 64);
    CHECK_HIP(hipStreamCreate(&stream));
    CHECK_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    CHECK_HIP(hipStreamWriteValue32(stream, words, 0xf5, 0));
    CHECK_HIP(hipStreamWaitValue32(stream, words, 5, hipStreamWaitValueEq, 0xf));
    CHECK_HIP(hipStreamWriteValue64(stream, words + 2, 1, 0));
    CHECK_HIP(hipStreamEndCapture(stream, &graph));
    chain c(graph);
    c.run();
    CHECK(words[0] == 0xf5 && words[2] == 1);
    CHECK_HIP(hipStreamDestroy(stream));
    CHECK_HIP(hipHostFree(words));
}

HIP_TEST_MAIN
