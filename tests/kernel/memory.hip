// Where variables live: shared, constant, managed and device memory; symbols; the heap; copies
// and fills in device code.
#include "../support/hip_test.h"

#include <hip/hip_fp16.h>

// ---- shared memory ----

__global__ void reverse_static(int *out, const int *in)
{
    __shared__ int tile[128];
    tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}
__global__ void reverse_dynamic(int *out, const int *in)
{
    extern __shared__ int dynamic_tile[];
    int n = blockDim.x;
    dynamic_tile[threadIdx.x] = in[blockIdx.x * n + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * n + threadIdx.x] = dynamic_tile[n - 1 - threadIdx.x];
}
__global__ void reverse_by_macro(int *out, const int *in)
{
    HIP_DYNAMIC_SHARED(int, macro_tile)
    int n = blockDim.x;
    macro_tile[threadIdx.x] = in[blockIdx.x * n + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * n + threadIdx.x] = macro_tile[n - 1 - threadIdx.x];
}
__global__ void reverse_in_both(int *out, const int *in)
{
    __shared__ double ahead[3]; /* moves where the dynamic part begins */
    extern __shared__ char bytes[];
    int *tile = reinterpret_cast<int *>(bytes);
    int n = blockDim.x;
    if (threadIdx.x < 3)
        ahead[threadIdx.x] = threadIdx.x + 0.5;
    tile[threadIdx.x] = in[blockIdx.x * n + threadIdx.x];
    __syncthreads();
    double sum = ahead[0] + ahead[1] + ahead[2]; /* 4.5 */
    out[blockIdx.x * n + threadIdx.x] = tile[n - 1 - threadIdx.x] + static_cast<int>(sum) - 4;
}

static void check_reversed(void (*kernel)(int *, const int *), int threads, std::size_t dynamic)
{
    const int blocks = 3;
    std::vector<int> in;
    for (int i = 0; i < blocks * threads; ++i)
        in.push_back(i * i);
    ah_test::buffer<int> device(in), out(in.size());
    kernel<<<blocks, threads, dynamic>>>(out.device(), device.device());
    CHECK_LAUNCH();
    for (int i = 0; i < blocks * threads; ++i)
        CHECK_EQ(out.read()[i], in[i / threads * threads + threads - 1 - i % threads]);
}

TEST("a block shares an array of fixed size")
{
    check_reversed(reverse_static, 128, 0);
}
TEST("a block shares an array whose size the launch gives")
{
    for (int n : {1, 33, 256, 1000}) {
        check_reversed(reverse_dynamic, n, n * sizeof(int));
        check_reversed(reverse_by_macro, n, n * sizeof(int));
    }
}
TEST("static and dynamic shared memory do not overlap")
{
    check_reversed(reverse_in_both, 200, 200 * sizeof(int));
}

template <typename T> __global__ void shared_of_type(T *out, T value)
{
    __shared__ T box[4];
    __shared__ T single;
    if (threadIdx.x < 4)
        box[threadIdx.x] = value;
    if (threadIdx.x == 0)
        single = value;
    __syncthreads();
    out[threadIdx.x] = box[threadIdx.x % 4] == single ? single : T();
}

TEST("a template shares memory of its own type")
{
    ah_test::buffer<double> d(8);
    shared_of_type<double><<<1, 8>>>(d.device(), 2.5);
    ah_test::buffer<short> s(8);
    shared_of_type<short><<<1, 8>>>(s.device(), short(-7));
    CHECK_LAUNCH();
    for (int i = 0; i < 8; ++i) {
        CHECK_EQ(d.read()[i], 2.5);
        CHECK_EQ(s.read()[i], short(-7));
    }
}

// ---- constant, device and managed variables ----

struct settings {
    int scale;
    double offset;
    float weights[5];
};
__constant__ settings the_settings = {3, 0.25, {1, 2, 3, 4, 5}};
__constant__ int table[64];
__device__ int counter = 10;
__device__ double results[32];
static __device__ unsigned int hidden = 5;
__device__ const float fixed_numbers[4] = {0.5f, 1.5f, 2.5f, 3.5f};
namespace inner
{
__device__ int in_namespace = 77;
}

__global__ void use_variables(double *out)
{
    int i = threadIdx.x;
    out[i] = the_settings.scale * table[i] + the_settings.offset + the_settings.weights[i % 5] +
             fixed_numbers[i % 4];
    results[i] = -out[i];
    if (i == 0) {
        counter += 5;
        hidden *= 2;
        inner::in_namespace += 1;
    }
}
__global__ void read_hidden(unsigned int *out)
{
    *out = hidden;
}

TEST("constant and device variables start as written, and the host reads and writes them")
{
    std::vector<int> numbers;
    for (int i = 0; i < 64; ++i)
        numbers.push_back(i * 3 - 20);
    CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(table), numbers.data(), sizeof(int) * 64));
    int start = 10;
    CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(counter), &start, sizeof start));
    ah_test::buffer<double> out(32);
    use_variables<<<1, 32>>>(out.device());
    CHECK_LAUNCH();
    double back[32];
    CHECK_HIP(hipMemcpyFromSymbol(back, HIP_SYMBOL(results), sizeof back));
    for (int i = 0; i < 32; ++i) {
        double want = 3 * numbers[i] + 0.25 + (i % 5 + 1) + (i % 4 + 0.5);
        CHECK_EQ(out.read()[i], want);
        CHECK_EQ(back[i], -want);
    }
    int count = 0, in_namespace = 0;
    CHECK_HIP(hipMemcpyFromSymbol(&count, HIP_SYMBOL(counter), sizeof count));
    CHECK_EQ(count, 15);
    CHECK_HIP(hipMemcpyFromSymbol(&in_namespace, HIP_SYMBOL(inner::in_namespace), sizeof(int)));
    CHECK_EQ(in_namespace, 78);
    ah_test::buffer<unsigned int> h(1);
    read_hidden<<<1, 1>>>(h.device());
    CHECK_LAUNCH();
    CHECK_EQ(h.read()[0], 10u);
}

TEST("a symbol has an address and a size")
{
    void *address = nullptr;
    std::size_t size = 0;
    CHECK_HIP(hipGetSymbolAddress(&address, HIP_SYMBOL(results)));
    CHECK_HIP(hipGetSymbolSize(&size, HIP_SYMBOL(results)));
    CHECK_EQ(size, sizeof(double) * 32);
    double value = 6.5, back = 0;
    CHECK_HIP(hipMemcpy(static_cast<double *>(address) + 31, &value, sizeof value,
                        hipMemcpyHostToDevice));
    CHECK_HIP(hipMemcpyFromSymbol(&back, HIP_SYMBOL(results), sizeof back, 31 * sizeof(double)));
    CHECK_EQ(back, 6.5);
}

__managed__ int shared_with_host = 40;
__managed__ float managed_array[16];

__global__ void use_managed()
{
    managed_array[threadIdx.x] = threadIdx.x * 0.5f + shared_with_host;
    if (threadIdx.x == 0)
        atomicAdd(&shared_with_host, 2);
}

TEST("a managed variable is one variable on both sides")
{
    CHECK_EQ(shared_with_host, 40);
    shared_with_host = 50;
    use_managed<<<1, 16>>>();
    CHECK_LAUNCH();
    CHECK_EQ(shared_with_host, 52);
    for (int i = 0; i < 16; ++i)
        CHECK(managed_array[i] == i * 0.5f + 50 || managed_array[i] == i * 0.5f + 52);
}

// ---- copies, fills, read-only loads ----

struct odd {
    char bytes[7];
};
__global__ void copy_and_fill(unsigned char *out, const unsigned char *in, int n, odd *odds)
{
    if (threadIdx.x == 0) {
        memcpy(out, in, n);
        memset(out + n, 0xa5, n);
        memmove(out + 2 * n, in, n);
        memmove(out + 2 * n + 3, out + 2 * n, n - 3);
        odd local;
        memcpy(&local, in + 1, sizeof local);
        odds[0] = local;
        odds[1] = odds[0];
    }
}
TEST("memcpy, memset and memmove in device code")
{
    for (int n : {8, 13, 64, 257}) {
        std::vector<unsigned char> bytes(n);
        for (int i = 0; i < n; ++i)
            bytes[i] = static_cast<unsigned char>(i * 7 + 1);
        ah_test::buffer<unsigned char> in(bytes), out(3 * n);
        ah_test::buffer<odd> odds(2);
        copy_and_fill<<<1, 32>>>(out.device(), in.device(), n, odds.device());
        CHECK_LAUNCH();
        for (int i = 0; i < n; ++i) {
            CHECK_EQ(out.read()[i], bytes[i]);
            CHECK_EQ(out.read()[n + i], static_cast<unsigned char>(0xa5));
            CHECK_EQ(out.read()[2 * n + i], bytes[i < 3 ? i : i - 3]);
        }
        CHECK(std::memcmp(&odds.read()[1], &bytes[1], 7) == 0);
    }
}

template <typename T> __global__ void load_read_only(T *out, const T *in)
{
    out[threadIdx.x] = __ldg(in + threadIdx.x);
    out[threadIdx.x + 32] = __ldg(&in[31 - threadIdx.x]);
}
template <typename T> void check_ldg()
{
    std::vector<T> values(32);
    for (std::size_t i = 0; i < values.size() * sizeof(T); ++i)
        reinterpret_cast<unsigned char *>(values.data())[i] = static_cast<unsigned char>(i * 11);
    ah_test::buffer<T> in(values), out(64);
    load_read_only<T><<<1, 32>>>(out.device(), in.device());
    CHECK_LAUNCH();
    for (int i = 0; i < 32; ++i) {
        CHECK(std::memcmp(&out.read()[i], &values[i], sizeof(T)) == 0);
        CHECK(std::memcmp(&out.read()[i + 32], &values[31 - i], sizeof(T)) == 0);
    }
}
TEST("__ldg loads every type")
{
    check_ldg<char>(), check_ldg<unsigned char>(), check_ldg<short>(), check_ldg<int>();
    check_ldg<unsigned int>(), check_ldg<long>(), check_ldg<unsigned long long>();
    check_ldg<float>(), check_ldg<double>(), check_ldg<float2>(), check_ldg<float3>();
    check_ldg<float4>(), check_ldg<double2>(), check_ldg<int4>(), check_ldg<uchar4>();
    check_ldg<short2>(), check_ldg<char3>(), check_ldg<longlong2>(), check_ldg<__half>();
    check_ldg<__half2>();
}

// ---- the heap ----

__global__ void allocate(int **blocks, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int size = 1 + i % 37;
    int *p = static_cast<int *>(malloc(size * sizeof(int)));
    blocks[i] = p;
    if (p)
        for (int j = 0; j < size; ++j)
            p[j] = i * 1000 + j;
}
__global__ void verify_and_free(int **blocks, int n, int *bad)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int size = 1 + i % 37;
    if (!blocks[i]) {
        atomicAdd(bad, 1);
        return;
    }
    for (int j = 0; j < size; ++j)
        if (blocks[i][j] != i * 1000 + j)
            atomicAdd(bad, 1);
    free(blocks[i]);
}
TEST("malloc gives every thread memory of its own that outlives the kernel")
{
    const int n = 600;
    ah_test::buffer<int *> blocks(n);
    ah_test::buffer<int> bad(1);
    for (int round = 0; round < 3; ++round) {
        allocate<<<(n + 63) / 64, 64>>>(blocks.device(), n);
        verify_and_free<<<(n + 63) / 64, 64>>>(blocks.device(), n, bad.device());
        CHECK_LAUNCH();
        CHECK_EQ(bad.read()[0], 0);
    }
}

struct node {
    int value;
    node *next;
    __device__ node(int v, node *n) : value(v), next(n) {}
    __device__ ~node() { value = -1; }
};
__global__ void build_list(int *out)
{
    node *list = nullptr;
    for (int i = 0; i < 10; ++i)
        list = new node(i * (threadIdx.x + 1), list);
    int sum = 0;
    while (list) {
        sum += list->value;
        node *next = list->next;
        delete list;
        list = next;
    }
    double *many = new double[5];
    for (int i = 0; i < 5; ++i)
        many[i] = i + 0.5;
    sum += static_cast<int>(many[4] + many[0]);
    delete[] many;
    alignas(node) char place[sizeof(node)];
    node *placed = new (place) node(7, nullptr);
    sum += placed->value;
    placed->~node();
    out[threadIdx.x] = sum;
}
TEST("new and delete work in device code, in place too")
{
    ah_test::buffer<int> out(40);
    build_list<<<1, 40>>>(out.device());
    CHECK_LAUNCH();
    for (int i = 0; i < 40; ++i)
        CHECK_EQ(out.read()[i], 45 * (i + 1) + 5 + 7);
}

__global__ void allocate_too_much(int *out)
{
    void *volatile p = malloc(1ull << 50); // volatile: clang may leave out what is not used
    out[0] = p == nullptr;
    free(nullptr);
    out[1] = 1;
}
TEST("malloc gives null where there is not enough")
{
    ah_test::buffer<int> out(2);
    allocate_too_much<<<1, 1>>>(out.device());
    CHECK_LAUNCH();
    CHECK_EQ(out.read()[0], 1);
    CHECK_EQ(out.read()[1], 1);
}

HIP_TEST_MAIN
