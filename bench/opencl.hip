// Whole small programs on simulated devices and, written in OpenCL C, on an OpenCL driver for the
// CPU (PoCL), in one process and in turns, so that both see the same machine. A figure is the
// median of several runs of the whole: copy in, kernels, copy out. The results are compared, and
// only that is a failure. PoCL compiles kernels to code of this CPU before their first run; a
// simulated device executes PTX an instruction at a time and checks every access, and compiles in
// the background what it executes often, but with ANYHIP_SIM_JIT=off. Both run for a while before
// anything is measured; the time of the device's first run, and what it has spent on compiling, are
// printed beside the figures.
#define CL_TARGET_OPENCL_VERSION 120
#include "../examples/check.h"

#include <CL/cl.h>
#include <hip/hip_runtime.h>

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define CL_CHECK(call)                                                                             \
    do {                                                                                           \
        cl_int cl_check_error = (call);                                                            \
        if (cl_check_error != CL_SUCCESS) {                                                        \
            fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, cl_check_error);         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// ---- the kernels, twice

const int tile = 16;

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void stencil(const float *from, float *to, int width, int height)
{
    __shared__ float cells[tile + 2][tile + 2];
    const int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
    for (int i = threadIdx.y * tile + threadIdx.x; i < (tile + 2) * (tile + 2); i += tile * tile) {
        const int cx = blockIdx.x * tile + i % (tile + 2) - 1;
        const int cy = blockIdx.y * tile + i / (tile + 2) - 1;
        const bool inside = cx >= 0 && cx < width && cy >= 0 && cy < height;
        cells[i / (tile + 2)][i % (tile + 2)] = inside ? from[cy * width + cx] : 0.0f;
    }
    __syncthreads();
    if (x >= width || y >= height)
        return;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const float around =
        (cells[ty][tx - 1] + cells[ty][tx + 1]) + (cells[ty - 1][tx] + cells[ty + 1][tx]);
    to[y * width + x] = fmaf(0.125f, around, 0.5f * cells[ty][tx]);
}

__global__ void block_sums(const float *input, float *sums, int n)
{
    __shared__ float partial[256];
    float value = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        value += input[i];
    partial[threadIdx.x] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = partial[0];
}

__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[tile][tile], right[tile][tile];
    const int column = blockIdx.x * tile + threadIdx.x, row = blockIdx.y * tile + threadIdx.y;
    float sum = 0;
    for (int at = 0; at < n; at += tile) {
        left[threadIdx.y][threadIdx.x] = a[row * n + at + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(at + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < tile; k++)
            sum = fmaf(left[threadIdx.y][k], right[k][threadIdx.x], sum);
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void bodies(const float4 *body, float4 *pull, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 self = body[i];
    float x = 0, y = 0, z = 0;
    for (int k = 0; k < n; k++) {
        const float4 other = body[k];
        const float dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
        const float inverse = 1.0f / sqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.01f))));
        const float weight = other.w * inverse * inverse * inverse;
        x = fmaf(weight, dx, x);
        y = fmaf(weight, dy, y);
        z = fmaf(weight, dz, z);
    }
    pull[i] = make_float4(x, y, z, 0);
}

const char cl_source[] = R"(
#define TILE 16
__kernel void vector_add(__global const float *a, __global const float *b, __global float *c, int n)
{
    int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}

__kernel void stencil(__global const float *from, __global float *to, int width, int height)
{
    __local float cells[TILE + 2][TILE + 2];
    int bx = get_group_id(0) * TILE, by = get_group_id(1) * TILE;
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = bx + lx, y = by + ly;
    for (int i = ly * TILE + lx; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
        int cx = bx + i % (TILE + 2) - 1, cy = by + i / (TILE + 2) - 1;
        bool inside = cx >= 0 && cx < width && cy >= 0 && cy < height;
        cells[i / (TILE + 2)][i % (TILE + 2)] = inside ? from[cy * width + cx] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= width || y >= height)
        return;
    int tx = lx + 1, ty = ly + 1;
    float around =
        (cells[ty][tx - 1] + cells[ty][tx + 1]) + (cells[ty - 1][tx] + cells[ty + 1][tx]);
    to[y * width + x] = fma(0.125f, around, 0.5f * cells[ty][tx]);
}

__kernel void block_sums(__global const float *input, __global float *sums, int n)
{
    __local float partial[256];
    int me = get_local_id(0);
    float value = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        value += input[i];
    partial[me] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int part = get_local_size(0) / 2; part > 0; part /= 2) {
        if (me < part)
            partial[me] += partial[me + part];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0)
        sums[get_group_id(0)] = partial[0];
}

__kernel void multiply(__global const float *a, __global const float *b, __global float *c, int n)
{
    __local float left[TILE][TILE], right[TILE][TILE];
    int column = get_global_id(0), row = get_global_id(1);
    int lx = get_local_id(0), ly = get_local_id(1);
    float sum = 0;
    for (int at = 0; at < n; at += TILE) {
        left[ly][lx] = a[row * n + at + lx];
        right[ly][lx] = b[(at + ly) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum = fma(left[ly][k], right[k][lx], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

__kernel void bodies(__global const float4 *body, __global float4 *pull, int n)
{
    int i = get_global_id(0);
    float4 self = body[i];
    float x = 0, y = 0, z = 0;
    for (int k = 0; k < n; k++) {
        float4 other = body[k];
        float dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
        float inverse = 1.0f / sqrt(fma(dx, dx, fma(dy, dy, fma(dz, dz, 0.01f))));
        float weight = other.w * inverse * inverse * inverse;
        x = fma(weight, dx, x);
        y = fma(weight, dy, y);
        z = fma(weight, dz, z);
    }
    pull[i] = (float4)(x, y, z, 0);
}
)";

namespace
{

// ---- what is run

// Launches in order; each reads and writes the buffers of the problem by number.
struct Launch {
    const char *kernel;
    unsigned grid[2], block[2]; // blocks and threads
    std::vector<int> buffers;
    std::vector<int> numbers; // arguments after the buffers
};

struct Problem {
    const char *name;
    std::vector<std::vector<float>> buffers; // as they are at the start
    int result;                              // the buffer that is compared
    std::vector<Launch> launches;
};

typedef std::vector<float> Result;

std::vector<float> noise(size_t n, unsigned seed)
{
    std::vector<float> v(n);
    for (size_t i = 0; i < n; i++)
        v[i] = ((i + seed) * 2654435761u >> 8 & 0xffff) / 65536.0f;
    return v;
}

std::vector<Problem> problems()
{
    const unsigned n = 1u << 22, side = 1024, order = 384, stars = 2048;
    const unsigned tiles = side / tile, order_tiles = order / tile;
    const unsigned t = tile;
    std::vector<Launch> steps;
    for (int i = 0; i < 8; i++)
        steps.push_back({"stencil", {tiles, tiles}, {t, t}, {i % 2, 1 - i % 2}, {side, side}});
    return {
        {"vector_add",
         {noise(n, 1), noise(n, 2), Result(n)},
         2,
         {{"vector_add", {n / 256, 1}, {256, 1}, {0, 1, 2}, {int(n)}}}},
        {"stencil", {noise(side * side, 3), Result(side * side)}, 0, steps},
        {"reduction",
         {noise(n, 4), Result(64)},
         1,
         {{"block_sums", {64, 1}, {256, 1}, {0, 1}, {int(n)}}}},
        {"multiply",
         {noise(order * order, 5), noise(order * order, 6), Result(order * order)},
         2,
         {{"multiply", {order_tiles, order_tiles}, {t, t}, {0, 1, 2}, {int(order)}}}},
        {"bodies",
         {noise(4 * stars, 7), Result(4 * stars)},
         1,
         {{"bodies", {stars / 128, 1}, {128, 1}, {0, 1}, {int(stars)}}}},
    };
}

double seconds(clockid_t clock = CLOCK_MONOTONIC)
{
    timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

// ---- with HIP

const void *hip_kernel(const std::string &name)
{
    return name == "vector_add"   ? reinterpret_cast<const void *>(vector_add)
           : name == "stencil"    ? reinterpret_cast<const void *>(stencil)
           : name == "block_sums" ? reinterpret_cast<const void *>(block_sums)
           : name == "multiply"   ? reinterpret_cast<const void *>(multiply)
                                  : reinterpret_cast<const void *>(bodies);
}

Result with_hip(const Problem &problem)
{
    std::vector<void *> memory;
    for (const Result &buffer : problem.buffers) {
        void *p;
        HIP_CHECK(hipMalloc(&p, buffer.size() * sizeof(float)));
        HIP_CHECK(
            hipMemcpy(p, buffer.data(), buffer.size() * sizeof(float), hipMemcpyHostToDevice));
        memory.push_back(p);
    }
    for (const Launch &launch : problem.launches) {
        std::vector<void *> arguments;
        for (int buffer : launch.buffers)
            arguments.push_back(&memory[buffer]);
        for (const int &number : launch.numbers)
            arguments.push_back(const_cast<int *>(&number));
        HIP_CHECK(hipLaunchKernel(hip_kernel(launch.kernel), dim3(launch.grid[0], launch.grid[1]),
                                  dim3(launch.block[0], launch.block[1]), arguments.data(), 0,
                                  nullptr));
    }
    Result result(problem.buffers[problem.result].size());
    HIP_CHECK(hipMemcpy(result.data(), memory[problem.result], result.size() * sizeof(float),
                        hipMemcpyDeviceToHost));
    for (void *p : memory)
        HIP_CHECK(hipFree(p));
    return result;
}

// ---- with OpenCL

struct OpenCL {
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    cl_program program = nullptr;
    char name[256] = "";

    // The first device for CPUs of any driver.
    bool open()
    {
        cl_platform_id platforms[8];
        cl_uint count = 0;
        cl_device_id device = nullptr;
        if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS)
            return false;
        for (cl_uint i = 0; i < std::min(count, 8u) && !device; i++)
            if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, nullptr) != CL_SUCCESS)
                device = nullptr;
        if (!device)
            return false;
        cl_int error;
        const char *text = cl_source;
        CL_CHECK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, nullptr));
        context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
        CL_CHECK(error);
        queue = clCreateCommandQueue(context, device, 0, &error);
        CL_CHECK(error);
        program = clCreateProgramWithSource(context, 1, &text, nullptr, &error);
        CL_CHECK(error);
        CL_CHECK(clBuildProgram(program, 1, &device, "", nullptr, nullptr));
        return true;
    }

    Result run(const Problem &problem) const
    {
        std::vector<cl_mem> memory;
        cl_int error;
        for (const Result &buffer : problem.buffers) {
            const size_t bytes = buffer.size() * sizeof(float);
            memory.push_back(clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &error));
            CL_CHECK(error);
            CL_CHECK(clEnqueueWriteBuffer(queue, memory.back(), CL_TRUE, 0, bytes, buffer.data(), 0,
                                          nullptr, nullptr));
        }
        for (const Launch &launch : problem.launches)
            enqueue(launch, memory);
        Result result(problem.buffers[problem.result].size());
        CL_CHECK(clEnqueueReadBuffer(queue, memory[problem.result], CL_TRUE, 0,
                                     result.size() * sizeof(float), result.data(), 0, nullptr,
                                     nullptr));
        for (cl_mem buffer : memory)
            CL_CHECK(clReleaseMemObject(buffer));
        return result;
    }

    void enqueue(const Launch &launch, const std::vector<cl_mem> &memory) const
    {
        cl_int error;
        cl_uint at = 0;
        cl_kernel kernel = clCreateKernel(program, launch.kernel, &error);
        CL_CHECK(error);
        for (int buffer : launch.buffers)
            CL_CHECK(clSetKernelArg(kernel, at++, sizeof(cl_mem), &memory[buffer]));
        for (int number : launch.numbers)
            CL_CHECK(clSetKernelArg(kernel, at++, sizeof number, &number));
        const size_t local[] = {launch.block[0], launch.block[1]};
        const size_t global[] = {launch.grid[0] * local[0], launch.grid[1] * local[1]};
        CL_CHECK(
            clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global, local, 0, nullptr, nullptr));
        CL_CHECK(clReleaseKernel(kernel));
    }
};

bool same(const Result &a, const Result &b)
{
    for (size_t i = 0; i < a.size(); i++)
        if (!(std::fabs(a[i] - b[i]) <= 1e-3f * (1 + std::fabs(b[i]))))
            return false;
    return a.size() == b.size();
}

// ---- what the device compiles

// Regions compiled so far, and the milliseconds that took: the last line of each that the device
// prints, "14 instructions, 4096 bytes of code, 27.9 ms".
struct Compiled {
    char path[64] = "";
    int regions = 0;
    double ms = 0;

    void open()
    {
        const char *mode = getenv("ANYHIP_SIM_JIT");
        if ((mode && strcmp(mode, "on") != 0) || getenv("ANYHIP_SIM_JIT_PRINT"))
            return;
        snprintf(path, sizeof path, "/tmp/bench_opencl.%d", static_cast<int>(getpid()));
        setenv("ANYHIP_SIM_JIT_PRINT", path, 1);
        setenv("ANYHIP_SIM_JIT_CACHE", "off", 0); // what is compiled is measured
    }

    // Returns whether there are more than before.
    bool read()
    {
        const int before = regions;
        char line[1024];
        FILE *file = *path ? fopen(path, "r") : nullptr;
        regions = 0;
        ms = 0;
        while (file && fgets(line, sizeof line, file)) {
            const char *last = strstr(line, " bytes of code, ");
            if (last) {
                regions++;
                ms += atof(last + strlen(" bytes of code, "));
            }
        }
        if (file)
            fclose(file);
        return regions > before;
    }
};

double median(std::vector<double> values)
{
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

// Runs a problem until nothing has been compiled for a while, which is longer than a region takes
// on a slow host. Returns the milliseconds of the first run.
double warm_up(const Problem &problem, Compiled &compiled)
{
    const double quiet = *compiled.path ? 3 : 0, start = seconds();
    with_hip(problem);
    const double first = seconds() - start;
    for (double last = seconds(); seconds() - last < quiet;) {
        with_hip(problem);
        if (compiled.read())
            last = seconds();
    }
    return first * 1e3;
}

// Milliseconds of several runs: by the clock, and of all threads' processor time, of which other
// programs take nothing.
struct Times {
    std::vector<double> wall, cpu;

    template <typename Function> Result run(const Function &function)
    {
        const double start = seconds(), cpu_start = seconds(CLOCK_PROCESS_CPUTIME_ID);
        Result result = function();
        wall.push_back((seconds() - start) * 1e3);
        cpu.push_back((seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_start) * 1e3);
        return result;
    }
};

// Returns whether the results agree.
bool compare(const Problem &problem, const OpenCL &opencl, Compiled &compiled)
{
    const Compiled before = compiled;
    const double first = warm_up(problem, compiled);
    bool good = same(with_hip(problem), opencl.run(problem)); // and warms up
    Times hip, cl;
    for (int i = 0; i < 9; i++) {
        const Result result = hip.run([&] { return with_hip(problem); });
        const Result other = cl.run([&] { return opencl.run(problem); });
        good = same(result, other) && good;
    }
    printf("%-12s %10.2f %8d %12.1f %10.2f %12.2f %8.2f %8.2f%s\n", problem.name, first,
           compiled.regions - before.regions, compiled.ms - before.ms, median(hip.wall),
           median(cl.wall), median(hip.wall) / median(cl.wall), median(hip.cpu) / median(cl.cpu),
           good ? "" : "  the results differ");
    return good;
}

} // namespace

// Arguments: names of programs; all of them, if there are none.
int main(int argc, char **argv)
{
    OpenCL opencl;
    Compiled compiled;
    setenv("ANYHIP_BACKEND", "simcuda", 0);
    compiled.open();
    print_device();
    if (!opencl.open()) {
        printf("there is no OpenCL driver for the CPU to compare with (pocl-opencl-icd)\n");
        return 77;
    }
    printf("OpenCL: %s\n", opencl.name);
    printf("%-12s %10s %8s %12s %10s %12s %8s %8s\n", "program", "first, ms", "regions",
           "compiled, ms", "HIP, ms", "OpenCL, ms", "ratio", "of CPU");
    bool good = true;
    for (const Problem &problem : problems())
        if (argc < 2 || std::find(argv + 1, argv + argc, std::string(problem.name)) != argv + argc)
            good = compare(problem, opencl, compiled) && good;
    if (*compiled.path)
        unlink(compiled.path);
    return good ? 0 : 1;
}
