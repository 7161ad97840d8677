// Memory and semaphores of others, by file descriptors: imports, mappings, signals and waits in the
// order of streams and as nodes of graphs, and what is refused.
#include "../support/hip_test.h"
#include "external_support.h"

#include <atomic>
#include <cstdlib>
#include <linux/futex.h>
#include <sys/syscall.h>

__global__ void add(int *p, int n, int value)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] += value;
}

static const int count = 1000;

static void need_shareable()
{
    int supported = 0;
    CHECK_HIP(
        hipDeviceGetAttribute(&supported, hipDeviceAttributeVirtualMemoryManagementSupported, 0));
    if (!supported)
        SKIP("the device has no virtual memory management");
}

static bool all_are(const int *p, int value)
{
    std::vector<int> host(count);
    CHECK_HIP(hipMemcpy(host.data(), p, count * sizeof(int), hipMemcpyDeviceToHost));
    return host == std::vector<int>(count, value);
}

static bool over_nvidias_driver()
{
    const char *backend = std::getenv("ANYHIP_BACKEND");
    return !backend || std::strcmp(backend, "cuda") == 0;
}

// NVIDIA's own driver takes semaphores of its Vulkan alone.
static void need_semaphores()
{
    if (over_nvidias_driver())
        SKIP("the driver takes semaphores of Vulkan only: see vulkan_interop");
}

// One semaphore, imported, and the same seen by the host.
struct semaphore {
    semaphore_words *words = nullptr;
    hipExternalSemaphore_t handle = nullptr;

    explicit semaphore(uint32_t kind, uint64_t value = 0)
    {
        int file = semaphore_file(kind, value);
        void *seen = mmap(nullptr, sizeof *words, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        CHECK(file >= 0 && seen != MAP_FAILED);
        words = static_cast<semaphore_words *>(seen);
        CHECK_HIP(import_semaphore(file, kind, &handle));
        CHECK(fcntl(file, F_GETFD) < 0); // it is HIP's
    }
    ~semaphore()
    {
        if (handle)
            (void)hipDestroyExternalSemaphore(handle);
        munmap(words, sizeof *words);
    }
    semaphore(const semaphore &) = delete;
    semaphore &operator=(const semaphore &) = delete;

    uint64_t value() const { return __atomic_load_n(&words->value, __ATOMIC_ACQUIRE); }
    // What another process does.
    void set(uint64_t value)
    {
        __atomic_store_n(&words->value, value, __ATOMIC_RELEASE);
        __atomic_fetch_add(&words->turns, 1, __ATOMIC_RELEASE);
        syscall(SYS_futex, &words->turns, FUTEX_WAKE, 1 << 30, nullptr, nullptr, 0);
    }
};

TEST("exported memory is imported, and both addresses are the same bytes")
{
    need_shareable();
    shareable own;
    hipExternalMemory_t memory;
    int file = -1, *p = nullptr, *again = nullptr;
    CHECK_HIP(own.create(count * sizeof(int)));
    CHECK_HIP(own.file(&file));
    CHECK_HIP(hipMemset(own.address, 0, own.size));
    CHECK_HIP(import_memory(file, own.size, &memory));
    CHECK_HIP(map_buffer(memory, 0, own.size, &p));
    CHECK(static_cast<void *>(p) != own.address);
    add<<<4, 64>>>(p, count, 5);
    CHECK_LAUNCH();
    CHECK(all_are(static_cast<int *>(own.address), 5));
    add<<<4, 64>>>(static_cast<int *>(own.address), count, 6);
    CHECK_LAUNCH();
    CHECK(all_are(p, 11));
    hipPointerAttribute_t attributes;
    CHECK_HIP(hipPointerGetAttributes(&attributes, p + 1));
    CHECK_EQ(attributes.type, hipMemoryTypeDevice);
    CHECK_HIP(map_buffer(memory, 0, own.size, &again));
    CHECK_HIP(hipDestroyExternalMemory(memory)); // what is mapped stays
    CHECK(all_are(p, 11) && all_are(again, 11));
    CHECK_HIP(hipFree(p));
    CHECK(all_are(again, 11));
    CHECK_HIP(hipFree(again));
    CHECK_EQ(hipFree(p), hipErrorInvalidValue);
    CHECK_EQ(hipDestroyExternalMemory(memory), hipErrorInvalidValue);
    CHECK_HIP(own.destroy());
    (void)hipGetLastError();
}

TEST("a part of imported memory is mapped from any byte on")
{
    need_shareable();
    shareable own;
    hipExternalMemory_t memory;
    int file = -1;
    unsigned char *parts[3] = {}, byte = 0;
    const uint64_t offsets[3] = {1, 4096, 100000};
    CHECK_HIP(own.create(200000));
    CHECK_HIP(own.file(&file));
    std::vector<unsigned char> bytes(own.size);
    for (size_t i = 0; i < own.size; i++)
        bytes[i] = static_cast<unsigned char>(i % 251);
    CHECK_HIP(hipMemcpy(own.address, bytes.data(), own.size, hipMemcpyHostToDevice));
    CHECK_HIP(import_memory(file, own.size, &memory));
    for (int i = 0; i < 3; i++) {
        CHECK_HIP(map_buffer(memory, offsets[i], own.size - offsets[i], &parts[i]));
        CHECK_HIP(hipMemcpy(&byte, parts[i], 1, hipMemcpyDeviceToHost));
        CHECK_EQ(byte, bytes[offsets[i]]);
        CHECK_HIP(hipMemset(parts[i] + 7, 200 + i, 1));
    }
    CHECK_HIP(hipDeviceSynchronize());
    for (int i = 0; i < 3; i++) {
        CHECK_HIP(hipMemcpy(&byte, static_cast<unsigned char *>(own.address) + offsets[i] + 7, 1,
                            hipMemcpyDeviceToHost));
        CHECK_EQ(byte, 200 + i);
    }
    for (unsigned char *part : parts)
        CHECK_HIP(hipFree(part));
    CHECK_HIP(hipDestroyExternalMemory(memory));
    CHECK_HIP(own.destroy());
}

static hipExternalMemoryMipmappedArrayDesc levels_of_floats(size_t width, size_t height,
                                                            unsigned levels)
{
    hipExternalMemoryMipmappedArrayDesc desc = {};
    desc.formatDesc = hipCreateChannelDesc<float>();
    desc.extent = make_hipExtent(width, height, 0);
    desc.numLevels = levels;
    return desc;
}

TEST("imported memory is a mipmapped array, whose levels are the same bytes for all who import it")
{
    need_shareable();
    const size_t width = 64, height = 16;
    shareable own;
    hipExternalMemory_t memory[2];
    hipMipmappedArray_t arrays[2] = {};
    hipArray_t level;
    int file = -1;
    CHECK_HIP(own.create(1 << 20));
    CHECK_HIP(hipMemset(own.address, 0, own.size));
    hipExternalMemoryMipmappedArrayDesc desc = levels_of_floats(width, height, 3);
    desc.offset = 4096;
    for (int i = 0; i < 2; i++) {
        CHECK_HIP(own.file(&file));
        CHECK_HIP(import_memory(file, own.size, &memory[i]));
        hipError_t error = hipExternalMemoryGetMappedMipmappedArray(&arrays[i], memory[i], &desc);
        if (error == hipErrorNotSupported) {
            CHECK_HIP(hipDestroyExternalMemory(memory[i]));
            CHECK_HIP(own.destroy());
            (void)hipGetLastError();
            SKIP("the device has no mipmapped arrays");
        }
        CHECK_HIP(error);
    }
    for (unsigned i = 0; i < 3; i++) {
        size_t w = width >> i, h = height >> i;
        std::vector<float> in(w * h), out(w * h);
        for (size_t k = 0; k < w * h; k++)
            in[k] = static_cast<float>(1000 * i + k);
        CHECK_HIP(hipGetMipmappedArrayLevel(&level, arrays[0], i));
        CHECK_HIP(
            hipMemcpy2DToArray(level, 0, 0, in.data(), w * 4, w * 4, h, hipMemcpyHostToDevice));
        CHECK_HIP(hipGetMipmappedArrayLevel(&level, arrays[1], i));
        CHECK_HIP(
            hipMemcpy2DFromArray(out.data(), w * 4, level, 0, 0, w * 4, h, hipMemcpyDeviceToHost));
        CHECK(in == out);
    }
    std::vector<unsigned char> before(4096), zero(4096);
    CHECK_HIP(hipMemcpy(before.data(), own.address, 4096, hipMemcpyDeviceToHost));
    CHECK(before == zero); // the array begins behind it
    CHECK_HIP(hipDestroyExternalMemory(memory[0]));
    CHECK_HIP(hipFreeMipmappedArray(arrays[0]));
    CHECK_HIP(hipMipmappedArrayDestroy(arrays[1]));
    hipMipmappedArray_t none = nullptr;
    auto refused = [&](hipExternalMemory_t from, const hipExternalMemoryMipmappedArrayDesc *with) {
        CHECK_EQ(hipExternalMemoryGetMappedMipmappedArray(&none, from, with), hipErrorInvalidValue);
    };
    CHECK_EQ(hipExternalMemoryGetMappedMipmappedArray(nullptr, memory[1], &desc),
             hipErrorInvalidValue);
    refused(memory[1], nullptr);
    refused(memory[0], &desc); // destroyed
    refused(nullptr, &desc);
    desc = levels_of_floats(width, height, 0);
    refused(memory[1], &desc);
    desc = levels_of_floats(width, height, 8); // 7 are the most
    refused(memory[1], &desc);
    desc = levels_of_floats(width, height, 1);
    desc.offset = own.size - 4096 / 2;
    refused(memory[1], &desc);
    desc.offset = 100;
    if (!over_nvidias_driver()) // which takes any offset
        refused(memory[1], &desc);
    desc.offset = 0;
    desc.formatDesc.x = 7;
    CHECK(hipExternalMemoryGetMappedMipmappedArray(&none, memory[1], &desc) != hipSuccess);
    CHECK(none == nullptr);
    CHECK_HIP(hipDestroyExternalMemory(memory[1]));
    CHECK_HIP(own.destroy());
    (void)hipGetLastError();
}

TEST("an allocation is exported as a dma-buf and imported")
{
    int supported = 0, file = -1, *p = nullptr, *seen = nullptr;
    const size_t size = 2 << 20;
    hipExternalMemory_t memory;
    CHECK_HIP(hipDeviceGetAttribute(&supported, hipDeviceAttributeDmaBufSupported, 0));
    CHECK_HIP(hipMalloc(&p, size));
    if (!supported) {
        CHECK_EQ(hipMemGetHandleForAddressRange(&file, p, size, hipMemRangeHandleTypeDmaBufFd, 0),
                 hipErrorNotSupported);
        CHECK_HIP(hipFree(p));
        (void)hipGetLastError();
        return;
    }
    CHECK_HIP(hipMemset(p, 0, size));
    CHECK_HIP(hipMemGetHandleForAddressRange(&file, p, size, hipMemRangeHandleTypeDmaBufFd, 0));
    CHECK(file >= 0);
    const char *backend = std::getenv("ANYHIP_BACKEND");
    if (backend && std::strcmp(backend, "cuda") != 0) { // NVIDIA's driver imports none
        CHECK_HIP(import_memory(file, size, &memory));
        CHECK_HIP(map_buffer(memory, 0, size, &seen));
        add<<<4, 64>>>(p, count, 3);
        CHECK_LAUNCH();
        CHECK(all_are(seen, 3));
        CHECK_HIP(hipFree(seen));
        CHECK_HIP(hipDestroyExternalMemory(memory));
    } else {
        CHECK_EQ(close(file), 0);
    }
    CHECK_HIP(hipFree(p));
}

TEST("a range that cannot be exported is refused")
{
    int file = -1, on_host = 0, *p;
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const hipMemRangeHandleType type = hipMemRangeHandleTypeDmaBufFd;
    CHECK_HIP(hipMalloc(&p, 2 << 20));
    char *bytes = reinterpret_cast<char *>(p);
    CHECK_EQ(hipMemGetHandleForAddressRange(nullptr, p, page, type, 0), hipErrorInvalidValue);
    CHECK_EQ(hipMemGetHandleForAddressRange(&file, nullptr, page, type, 0), hipErrorInvalidValue);
    CHECK_EQ(hipMemGetHandleForAddressRange(&file, p, 0, type, 0), hipErrorInvalidValue);
    CHECK_EQ(hipMemGetHandleForAddressRange(&file, p, page + 1, type, 0), hipErrorInvalidValue);
    CHECK_EQ(hipMemGetHandleForAddressRange(&file, bytes + 1, page, type, 0), hipErrorInvalidValue);
    CHECK_EQ(hipMemGetHandleForAddressRange(&file, p, page, hipMemRangeHandleTypeMax, 0),
             hipErrorInvalidValue);
    CHECK_EQ(hipMemGetHandleForAddressRange(&file, p, page, type, 8), hipErrorInvalidValue);
    void *host = reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(&on_host) / page * page);
    CHECK_EQ(hipMemGetHandleForAddressRange(&file, host, page, type, 0), hipErrorInvalidValue);
    CHECK_EQ(file, -1);
    CHECK_HIP(hipFree(p));
    (void)hipGetLastError();
}

TEST("a stream waits for a timeline, and what it does later sees what was done before the signal")
{
    need_semaphores();
    hipStream_t first, second;
    int *p;
    semaphore timeline(TIMELINE, 3);
    CHECK_HIP(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
    CHECK_HIP(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    CHECK_HIP(hipMalloc(&p, count * sizeof(int)));
    CHECK_HIP(hipMemset(p, 0, count * sizeof(int)));
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_HIP(wait_at(timeline.handle, 3, second)); // it is there
    CHECK_HIP(hipStreamSynchronize(second));
    CHECK_HIP(wait_at(timeline.handle, 5, second));
    add<<<4, 64, 0, second>>>(p, count, 10);
    CHECK_EQ(hipStreamQuery(second), hipErrorNotReady);
    CHECK_HIP(signal_at(timeline.handle, 4, first));
    CHECK_HIP(hipStreamSynchronize(first));
    CHECK_EQ(timeline.value(), 4u);
    CHECK_EQ(hipStreamQuery(second), hipErrorNotReady);
    CHECK(all_are(p, 0));
    add<<<4, 64, 0, first>>>(p, count, 1);
    CHECK_HIP(signal_at(timeline.handle, 7, first));
    CHECK_HIP(hipStreamSynchronize(second));
    CHECK_EQ(timeline.value(), 7u);
    CHECK(all_are(p, 11));
    CHECK_HIP(wait_at(timeline.handle, 20, second)); // another process signals it
    CHECK_EQ(hipStreamQuery(second), hipErrorNotReady);
    timeline.set(21);
    CHECK_HIP(hipStreamSynchronize(second));
    CHECK_HIP(hipStreamDestroy(first));
    CHECK_HIP(hipStreamDestroy(second));
    CHECK_HIP(hipFree(p));
}

TEST("each wait for a binary semaphore takes one signal")
{
    need_semaphores();
    hipStream_t waits, signals;
    semaphore binary(BINARY);
    CHECK_HIP(hipStreamCreateWithFlags(&waits, hipStreamNonBlocking));
    CHECK_HIP(hipStreamCreateWithFlags(&signals, hipStreamNonBlocking));
    for (int i = 0; i < 5; i++) {
        CHECK_HIP(wait_at(binary.handle, 0, waits));
        CHECK_EQ(hipStreamQuery(waits), hipErrorNotReady);
        CHECK_HIP(signal_at(binary.handle, 0, signals));
        CHECK_HIP(hipStreamSynchronize(waits));
        CHECK_EQ(binary.value(), 0u);
    }
    CHECK_HIP(signal_at(binary.handle, 0, waits));
    CHECK_HIP(wait_at(binary.handle, 0, waits));
    CHECK_HIP(hipStreamSynchronize(waits));
    CHECK_HIP(hipStreamDestroy(waits));
    CHECK_HIP(hipStreamDestroy(signals));
}

TEST("one call signals or waits for several semaphores, however many")
{
    need_semaphores();
    const unsigned n = 20;
    hipStream_t waits, signals;
    std::vector<semaphore *> made;
    hipExternalSemaphore_t list[n];
    hipExternalSemaphoreSignalParams signal[n] = {};
    hipExternalSemaphoreWaitParams wait[n] = {};
    for (unsigned i = 0; i < n; i++) {
        made.push_back(new semaphore(i % 2 ? TIMELINE : BINARY));
        list[i] = made[i]->handle;
        signal[i].params.fence.value = wait[i].params.fence.value = i + 1;
    }
    CHECK_HIP(hipStreamCreateWithFlags(&waits, hipStreamNonBlocking));
    CHECK_HIP(hipStreamCreateWithFlags(&signals, hipStreamNonBlocking));
    CHECK_HIP(hipWaitExternalSemaphoresAsync(list, wait, n, waits));
    CHECK_HIP(hipSignalExternalSemaphoresAsync(list, signal, n - 1, signals));
    CHECK_HIP(hipStreamSynchronize(signals));
    CHECK_EQ(hipStreamQuery(waits), hipErrorNotReady); // for the last of them
    CHECK_HIP(hipSignalExternalSemaphoresAsync(list + n - 1, signal + n - 1, 1, signals));
    CHECK_HIP(hipStreamSynchronize(waits));
    CHECK_HIP(hipWaitExternalSemaphoresAsync(list, wait, 0, waits)); // for none
    CHECK_HIP(hipStreamDestroy(waits));
    CHECK_HIP(hipStreamDestroy(signals));
    for (unsigned i = 0; i < n; i++) {
        CHECK_EQ(made[i]->value(), i % 2 ? i + 1 : 0);
        delete made[i];
    }
}

TEST("captured signals and waits are done at each launch")
{
    need_semaphores();
    hipStream_t stream, signals;
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t nodes[4];
    size_t found = 4;
    int *p;
    semaphore go(BINARY), done(BINARY);
    CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    CHECK_HIP(hipStreamCreateWithFlags(&signals, hipStreamNonBlocking));
    CHECK_HIP(hipMalloc(&p, count * sizeof(int)));
    CHECK_HIP(hipMemset(p, 0, count * sizeof(int)));
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    CHECK_HIP(wait_at(go.handle, 0, stream));
    add<<<4, 64, 0, stream>>>(p, count, 1);
    CHECK_HIP(signal_at(done.handle, 0, stream));
    CHECK_HIP(hipStreamEndCapture(stream, &graph));
    CHECK_HIP(hipGraphGetNodes(graph, nodes, &found));
    CHECK_EQ(found, 3u);
    hipGraphNodeType type;
    CHECK_HIP(hipGraphNodeGetType(nodes[0], &type));
    CHECK_EQ(type, hipGraphNodeTypeExtSemaphoreWait);
    CHECK_HIP(hipGraphNodeGetType(nodes[2], &type));
    CHECK_EQ(type, hipGraphNodeTypeExtSemaphoreSignal);
    CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    for (int i = 0; i < 3; i++) {
        CHECK_HIP(hipGraphLaunch(exec, stream));
        CHECK_EQ(hipStreamQuery(stream), hipErrorNotReady);
        CHECK_HIP(signal_at(go.handle, 0, signals));
        CHECK_HIP(wait_at(done.handle, 0, signals));
        CHECK_HIP(hipStreamSynchronize(signals));
        CHECK(all_are(p, i + 1));
    }
    CHECK_HIP(hipGraphExecDestroy(exec));
    CHECK_HIP(hipGraphDestroy(graph));
    CHECK_HIP(hipStreamDestroy(stream));
    CHECK_HIP(hipStreamDestroy(signals));
    CHECK_HIP(hipFree(p));
}

TEST("nodes of semaphores are added, read, changed, and changed in executable graphs")
{
    need_semaphores();
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t wait_node, signal_node;
    semaphore one(TIMELINE), other(TIMELINE);
    hipExternalSemaphore_t list[2] = {one.handle, other.handle};
    hipExternalSemaphoreSignalParams signals[2] = {};
    hipExternalSemaphoreWaitParams waits[1] = {};
    signals[0].params.fence.value = 10;
    signals[1].params.fence.value = 20;
    waits[0].params.fence.value = 0;
    hipExternalSemaphoreSignalNodeParams signal = {list, signals, 2}, got_signal;
    hipExternalSemaphoreWaitNodeParams wait = {list, waits, 1}, got_wait;
    CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    CHECK_HIP(hipGraphCreate(&graph, 0));
    CHECK_HIP(hipGraphAddExternalSemaphoresWaitNode(&wait_node, graph, nullptr, 0, &wait));
    CHECK_HIP(hipGraphAddExternalSemaphoresSignalNode(&signal_node, graph, &wait_node, 1, &signal));
    signals[0].params.fence.value = 77; // the node has a copy
    CHECK_HIP(hipGraphExternalSemaphoresSignalNodeGetParams(signal_node, &got_signal));
    CHECK_EQ(got_signal.numExtSems, 2u);
    CHECK(got_signal.extSemArray[0] == one.handle && got_signal.extSemArray[1] == other.handle);
    CHECK_EQ(got_signal.paramsArray[0].params.fence.value, 10u);
    CHECK_HIP(hipGraphExternalSemaphoresWaitNodeGetParams(wait_node, &got_wait));
    CHECK(got_wait.numExtSems == 1 && got_wait.extSemArray[0] == one.handle);
    signals[0].params.fence.value = 11;
    CHECK_HIP(hipGraphExternalSemaphoresSignalNodeSetParams(signal_node, &signal));
    CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    CHECK_HIP(hipGraphLaunch(exec, stream));
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK(one.value() == 11 && other.value() == 20);
    signals[0].params.fence.value = 12;
    signals[1].params.fence.value = 21;
    waits[0].params.fence.value = 15;
    CHECK_HIP(hipGraphExecExternalSemaphoresSignalNodeSetParams(exec, signal_node, &signal));
    CHECK_HIP(hipGraphExecExternalSemaphoresWaitNodeSetParams(exec, wait_node, &wait));
    CHECK_HIP(hipGraphLaunch(exec, stream));
    CHECK_EQ(hipStreamQuery(stream), hipErrorNotReady);
    one.set(11); // wakes without a change that matters
    CHECK_EQ(hipStreamQuery(stream), hipErrorNotReady);
    CHECK_EQ(other.value(), 20u);
    one.set(15);
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK(one.value() == 15 && other.value() == 21); // 12 is behind it
    CHECK_HIP(hipDestroyExternalSemaphore(other.handle));
    CHECK_EQ(hipGraphLaunch(exec, stream), hipErrorInvalidValue); // a node signals it
    other.handle = nullptr;
    CHECK_HIP(hipGraphExecDestroy(exec));
    CHECK_HIP(hipGraphDestroy(graph));
    (void)hipStreamSynchronize(stream);
    CHECK_HIP(hipStreamDestroy(stream));
    (void)hipGetLastError();
}

TEST("a semaphore that is destroyed while streams use it goes when they have")
{
    need_semaphores();
    hipStream_t stream;
    CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    semaphore timeline(TIMELINE), after(TIMELINE);
    CHECK_HIP(wait_at(timeline.handle, 5, stream));
    CHECK_HIP(signal_at(after.handle, 1, stream));
    CHECK_HIP(hipDestroyExternalSemaphore(timeline.handle));
    CHECK_HIP(hipDestroyExternalSemaphore(after.handle));
    CHECK_EQ(wait_at(timeline.handle, 5, stream), hipErrorInvalidValue);
    CHECK_EQ(hipDestroyExternalSemaphore(timeline.handle), hipErrorInvalidValue);
    timeline.handle = after.handle = nullptr;
    CHECK_EQ(hipStreamQuery(stream), hipErrorNotReady);
    timeline.set(5);
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK_EQ(after.value(), 1u);
    CHECK_HIP(hipStreamDestroy(stream));
    (void)hipGetLastError();
}

TEST("a file that is not of memory, or not of that size, stays the program's")
{
    hipExternalMemory_t memory = nullptr;
    int pipes[2], closed = dup(0);
    CHECK(closed >= 0 && pipe(pipes) == 0 && close(closed) == 0);
    CHECK_EQ(import_memory(closed, 4096, &memory), hipErrorInvalidValue);
    CHECK_EQ(import_memory(-1, 4096, &memory), hipErrorInvalidValue);
    int small = memfd_create("small", MFD_CLOEXEC); // it may shrink
    CHECK(small >= 0 && ftruncate(small, 4096) == 0);
    for (int file : {pipes[0], small}) {
        CHECK(import_memory(file, 4096, &memory) != hipSuccess);
        CHECK(fcntl(file, F_GETFD) >= 0 && close(file) == 0);
    }
    CHECK_EQ(close(pipes[1]), 0);
    int words = semaphore_file(TIMELINE);
    CHECK(words >= 0);
    CHECK(import_memory(words, 8, &memory) != hipSuccess);
    CHECK_EQ(close(words), 0);
    CHECK(memory == nullptr);
    (void)hipGetLastError();
}

TEST("descriptions and handles of memory are checked")
{
    need_shareable();
    shareable own;
    int file = -1;
    void *p = nullptr;
    hipExternalMemory_t memory = nullptr;
    hipExternalMemoryHandleDesc desc = {};
    CHECK_HIP(own.create(4096));
    CHECK_HIP(own.file(&file));
    desc.type = hipExternalMemoryHandleTypeOpaqueFd;
    desc.handle.fd = file;
    desc.size = own.size;
    CHECK_EQ(hipImportExternalMemory(nullptr, &desc), hipErrorInvalidValue);
    CHECK_EQ(hipImportExternalMemory(&memory, nullptr), hipErrorInvalidValue);
    desc.flags = 2;
    CHECK_EQ(hipImportExternalMemory(&memory, &desc), hipErrorInvalidValue);
    desc.flags = 0;
    desc.type = static_cast<hipExternalMemoryHandleType>(-1);
    CHECK_EQ(hipImportExternalMemory(&memory, &desc), hipErrorInvalidValue);
    desc.type = hipExternalMemoryHandleTypeD3D12Heap;
    CHECK_EQ(hipImportExternalMemory(&memory, &desc), hipErrorNotSupported);
    CHECK_EQ(import_memory(file, 0, &memory), hipErrorInvalidValue);
    if (!over_nvidias_driver()) // which does not compare sizes
        CHECK(import_memory(file, own.size + 1, &memory) != hipSuccess);
    CHECK(fcntl(file, F_GETFD) >= 0);
    CHECK_HIP(import_memory(file, own.size, &memory));
    CHECK_EQ(map_buffer(memory, 1, own.size, &p), hipErrorInvalidValue);
    CHECK_EQ(map_buffer(memory, UINT64_MAX, 2, &p), hipErrorInvalidValue);
    CHECK_EQ(map_buffer(memory, 0, 0, &p), hipErrorInvalidValue);
    CHECK_EQ(map_buffer(memory, 0, own.size, nullptr), hipErrorInvalidValue);
    CHECK_EQ(map_buffer(nullptr, 0, own.size, &p), hipErrorInvalidValue);
    CHECK_EQ(map_buffer(&desc, 0, own.size, &p), hipErrorInvalidValue);
    CHECK_EQ(hipExternalMemoryGetMappedBuffer(&p, memory, nullptr), hipErrorInvalidValue);
    hipExternalMemoryBufferDesc part = {};
    part.size = own.size;
    part.flags = 1;
    CHECK_EQ(hipExternalMemoryGetMappedBuffer(&p, memory, &part), hipErrorInvalidValue);
    CHECK_EQ(p, nullptr);
    CHECK_HIP(hipDestroyExternalMemory(memory));
    CHECK_EQ(map_buffer(memory, 0, own.size, &p), hipErrorInvalidValue);
    CHECK_EQ(hipDestroyExternalMemory(nullptr), hipErrorInvalidValue);
    CHECK_HIP(own.destroy());
    (void)hipGetLastError();
}

TEST("descriptions and handles of semaphores are checked")
{
    hipExternalSemaphore_t handle = nullptr;
    hipExternalSemaphoreHandleDesc desc = {};
    hipExternalSemaphoreSignalParams signal = {};
    hipExternalSemaphoreWaitParams wait = {};
    int file = semaphore_file(BINARY), pipes[2];
    CHECK(file >= 0 && pipe(pipes) == 0);
    desc.type = hipExternalSemaphoreHandleTypeOpaqueFd;
    desc.handle.fd = file;
    CHECK_EQ(hipImportExternalSemaphore(nullptr, &desc), hipErrorInvalidValue);
    CHECK_EQ(hipImportExternalSemaphore(&handle, nullptr), hipErrorInvalidValue);
    desc.type = static_cast<hipExternalSemaphoreHandleType>(-1);
    CHECK_EQ(hipImportExternalSemaphore(&handle, &desc), hipErrorInvalidValue);
    desc.type = hipExternalSemaphoreHandleTypeKeyedMutex;
    CHECK_EQ(hipImportExternalSemaphore(&handle, &desc), hipErrorNotSupported);
    CHECK(import_semaphore(file, TIMELINE, &handle) != hipSuccess); // it is binary
    CHECK(import_semaphore(pipes[0], BINARY, &handle) != hipSuccess);
    CHECK_EQ(import_semaphore(-1, BINARY, &handle), hipErrorInvalidValue);
    CHECK(close(file) == 0 && close(pipes[0]) == 0 && close(pipes[1]) == 0);
    CHECK_EQ(import_semaphore(file, BINARY, &handle), hipErrorInvalidValue);
    CHECK(handle == nullptr);
    CHECK_EQ(hipDestroyExternalSemaphore(nullptr), hipErrorInvalidValue);
    CHECK_EQ(hipSignalExternalSemaphoresAsync(nullptr, &signal, 1, nullptr), hipErrorInvalidValue);
    CHECK_EQ(hipSignalExternalSemaphoresAsync(&handle, nullptr, 1, nullptr), hipErrorInvalidValue);
    CHECK_EQ(hipSignalExternalSemaphoresAsync(&handle, &signal, 1, nullptr), hipErrorInvalidValue);
    CHECK_EQ(hipWaitExternalSemaphoresAsync(nullptr, &wait, 1, nullptr), hipErrorInvalidValue);
    CHECK_EQ(hipWaitExternalSemaphoresAsync(&handle, nullptr, 1, nullptr), hipErrorInvalidValue);
    CHECK_EQ(hipWaitExternalSemaphoresAsync(&handle, &wait, 1, nullptr), hipErrorInvalidValue);
    (void)hipGetLastError();
}

TEST("a reset ends waits for semaphores, and imports")
{
    need_semaphores();
    hipStream_t stream;
    CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    semaphore timeline(TIMELINE);
    CHECK_HIP(wait_at(timeline.handle, 1, stream));
    CHECK_HIP(hipDeviceReset());
    CHECK_EQ(hipDestroyExternalSemaphore(timeline.handle), hipErrorInvalidValue);
    timeline.handle = nullptr;
    (void)hipGetLastError();
}

HIP_TEST_MAIN
