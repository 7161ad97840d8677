// Memory and semaphores that Vulkan has made and HIP imports: both write and read, in the order
// that the semaphores give. Skipped where Vulkan has no device, and of another device only what is
// to be refused.
#include "../support/hip_test.h"
#include "../support/vulkan_test.h"
#include "external_support.h"

#include <cstdlib>
#include <cstring>

using ah_test::vulkan;
using ah_test::vulkan_buffer;
using ah_test::vulkan_commands;
using ah_test::vulkan_semaphore;

enum { WORDS = 1 << 16, BYTES = 4 * WORDS, ROUNDS = 20 };

// words[i] = 2 * words[i] + i + more
__global__ void step(unsigned *words, unsigned more)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    words[i] = 2 * words[i] + i + more;
}

static void launch_step(unsigned *words, unsigned more, hipStream_t stream)
{
    step<<<WORDS / 256, 256, 0, stream>>>(words, more);
    CHECK_HIP(hipGetLastError());
}

// Keeps what goes when the test ends, before Vulkan's device does.
struct shared_buffer {
    vulkan_buffer buffer;
    hipExternalMemory_t memory = nullptr;
    unsigned *words = nullptr;

    explicit shared_buffer(const vulkan &v) : buffer(v, BYTES, true)
    {
        CHECK(buffer.made);
        int file = buffer.file();
        CHECK(file >= 0);
        CHECK_HIP(import_memory(file, buffer.size, &memory));
        CHECK(fcntl(file, F_GETFD) < 0); // it is HIP's
        CHECK_HIP(map_buffer(memory, 0, BYTES, &words));
    }
    ~shared_buffer()
    {
        if (words)
            (void)hipFree(words);
        if (memory)
            (void)hipDestroyExternalMemory(memory);
    }
};

struct shared_semaphore {
    vulkan_semaphore semaphore;
    hipExternalSemaphore_t handle = nullptr;

    shared_semaphore(const vulkan &v, bool timeline) : semaphore(v, timeline)
    {
        CHECK(semaphore.semaphore != nullptr);
        int file = semaphore.file();
        CHECK(file >= 0);
        CHECK_HIP(import_semaphore(file, timeline ? TIMELINE : BINARY, &handle));
    }
    ~shared_semaphore()
    {
        if (handle)
            (void)hipDestroyExternalSemaphore(handle);
    }
};

static bool over_nvidias_driver()
{
    const char *backend = std::getenv("ANYHIP_BACKEND");
    return !backend || std::strcmp(backend, "cuda") == 0;
}

static const char *uuid_of_device()
{
    static hipDeviceProp_t properties;
    CHECK_HIP(hipGetDeviceProperties(&properties, 0));
    return properties.uuid.bytes;
}

#define NEED_VULKAN(v)                                                                             \
    vulkan v(uuid_of_device());                                                                    \
    if ((v).missing)                                                                               \
        SKIP((v).missing);                                                                         \
    if (!(v).is_same_gpu)                                                                          \
    SKIP("Vulkan does not have this device")

#define NEED_SEMAPHORES(v)                                                                         \
    NEED_VULKAN(v);                                                                                \
    if (!(v).exports_semaphores)                                                                   \
    SKIP("Vulkan exports no semaphores as file descriptors")

TEST("memory of Vulkan is written and read by kernels and by Vulkan")
{
    NEED_VULKAN(v);
    shared_buffer shared(v);
    vulkan_buffer host(v, BYTES, false);
    CHECK(host.made);
    vulkan_commands fill(v), back(v);
    fill.fill(shared.buffer, BYTES, 5);
    CHECK(fill.submit() && v.call.QueueWaitIdle(v.queue) == 0);
    launch_step(shared.words, 3, nullptr);
    CHECK_HIP(hipDeviceSynchronize());
    back.copy(shared.buffer, host, BYTES);
    CHECK(back.submit() && v.call.QueueWaitIdle(v.queue) == 0);
    const unsigned *words = static_cast<const unsigned *>(host.mapped);
    std::vector<unsigned> copied(WORDS);
    CHECK_HIP(hipMemcpy(copied.data(), shared.words, BYTES, hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < WORDS; i++)
        CHECK(words[i] == 13 + i && copied[i] == 13 + i);
}

// In each round Vulkan fills, a kernel changes what it finds, and Vulkan copies it out, all
// submitted at once.
TEST("a timeline puts the work of both into order")
{
    NEED_SEMAPHORES(v);
    shared_buffer shared(v);
    shared_semaphore timeline(v, true);
    vulkan_buffer host(v, BYTES, false);
    CHECK(host.made);
    hipStream_t stream;
    CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t at = 3 * round;
        vulkan_commands fill(v), back(v);
        CHECK_HIP(wait_at(timeline.handle, at + 1, stream));
        launch_step(shared.words, round, stream);
        CHECK_HIP(signal_at(timeline.handle, at + 2, stream));
        fill.fill(shared.buffer, BYTES, round);
        CHECK(fill.submit(&timeline.semaphore, at, &timeline.semaphore, at + 1));
        back.copy(shared.buffer, host, BYTES);
        CHECK(back.submit(&timeline.semaphore, at + 2, &timeline.semaphore, at + 3));
        CHECK_HIP(hipStreamSynchronize(stream));
        CHECK(v.call.QueueWaitIdle(v.queue) == 0);
        const unsigned *words = static_cast<const unsigned *>(host.mapped);
        unsigned wrong = 0;
        for (unsigned i = 0; i < WORDS; i++)
            wrong += words[i] != 3 * round + i;
        CHECK_EQ(wrong, 0u);
    }
    CHECK_HIP(hipStreamDestroy(stream));
}

TEST("a binary semaphore of each direction puts the work of both into order")
{
    NEED_SEMAPHORES(v);
    shared_buffer shared(v);
    shared_semaphore filled(v, false), stepped(v, false);
    vulkan_buffer host(v, BYTES, false);
    CHECK(host.made);
    hipStream_t stream;
    CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    for (unsigned round = 0; round < ROUNDS; round++) {
        vulkan_commands fill(v), back(v);
        fill.fill(shared.buffer, BYTES, round);
        CHECK(fill.submit(nullptr, 0, &filled.semaphore));
        CHECK_HIP(wait_at(filled.handle, 0, stream));
        launch_step(shared.words, round, stream);
        CHECK_HIP(signal_at(stepped.handle, 0, stream));
        back.copy(shared.buffer, host, BYTES);
        CHECK(back.submit(&stepped.semaphore));
        CHECK(v.call.QueueWaitIdle(v.queue) == 0);
        const unsigned *words = static_cast<const unsigned *>(host.mapped);
        unsigned wrong = 0;
        for (unsigned i = 0; i < WORDS; i++)
            wrong += words[i] != 3 * round + i;
        CHECK_EQ(wrong, 0u);
    }
    CHECK_HIP(hipStreamDestroy(stream));
}

TEST("nodes of a graph wait for Vulkan and signal it")
{
    NEED_SEMAPHORES(v);
    shared_buffer shared(v);
    shared_semaphore timeline(v, true);
    vulkan_buffer host(v, BYTES, false);
    CHECK(host.made);
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphExec_t exec;
    CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    CHECK_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    CHECK_HIP(wait_at(timeline.handle, 1, stream));
    launch_step(shared.words, 7, stream);
    CHECK_HIP(signal_at(timeline.handle, 2, stream));
    CHECK_HIP(hipStreamEndCapture(stream, &graph));
    CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    CHECK_HIP(hipGraphLaunch(exec, stream));
    vulkan_commands fill(v), back(v);
    fill.fill(shared.buffer, BYTES, 4);
    CHECK(fill.submit(nullptr, 0, &timeline.semaphore, 1));
    back.copy(shared.buffer, host, BYTES);
    CHECK(back.submit(&timeline.semaphore, 2));
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK(v.call.QueueWaitIdle(v.queue) == 0);
    const unsigned *words = static_cast<const unsigned *>(host.mapped);
    for (unsigned i = 0; i < WORDS; i++)
        CHECK(words[i] == 15 + i);
    CHECK_HIP(hipGraphExecDestroy(exec));
    CHECK_HIP(hipGraphDestroy(graph));
    CHECK_HIP(hipStreamDestroy(stream));
}

TEST("memory of another device is refused, and its file stays the program's")
{
    vulkan v(uuid_of_device());
    hipExternalMemory_t memory = nullptr;
    if (v.missing)
        SKIP(v.missing);
    if (v.is_same_gpu)
        SKIP("Vulkan has this device");
    vulkan_buffer buffer(v, BYTES, true);
    CHECK(buffer.made);
    int file = buffer.file();
    CHECK(file >= 0);
    CHECK(import_memory(file, buffer.size, &memory) != hipSuccess);
    CHECK(fcntl(file, F_GETFD) >= 0 && close(file) == 0);
    CHECK(!memory);
    (void)hipGetLastError();
}

TEST("a semaphore is no memory, memory is no semaphore, and the files stay the program's")
{
    NEED_SEMAPHORES(v);
    if (over_nvidias_driver())
        SKIP("NVIDIA's driver takes either for the other");
    hipExternalMemory_t memory = nullptr;
    hipExternalSemaphore_t imported = nullptr;
    vulkan_buffer buffer(v, BYTES, true);
    vulkan_semaphore semaphore(v, true);
    CHECK(buffer.made && semaphore.semaphore);
    int files[] = {semaphore.file(), buffer.file()};
    CHECK(files[0] >= 0 && files[1] >= 0);
    CHECK(import_memory(files[0], BYTES, &memory) != hipSuccess);
    CHECK(import_semaphore(files[1], TIMELINE, &imported) != hipSuccess);
    for (int file : files)
        CHECK(fcntl(file, F_GETFD) >= 0 && close(file) == 0);
    CHECK(!memory && !imported);
    (void)hipGetLastError();
}

HIP_TEST_MAIN
