// Memory and semaphores that two processes share by file descriptors, each with a device of its
// own: they part before the first call. An argument is the guest's ANYHIP_BACKEND.
#include "../support/device.h"
#include "external_support.h"

#include <cstdio>
#include <cstdlib>
#include <sys/socket.h>
#include <sys/wait.h>
#include <vector>

static int peer;        // a socket to the other process
static const char *who; // for messages

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::printf("FAILED %s:%d: %s: %s\n", __FILE__, __LINE__, who, #condition);            \
            std::fflush(stdout);                                                                   \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)
#define CHECK_HIP(call)                                                                            \
    do {                                                                                           \
        hipError_t error = (call);                                                                 \
        if (error != hipSuccess)                                                                   \
            std::printf("%s: %s\n", #call, hipGetErrorName(error));                                \
        CHECK(error == hipSuccess);                                                                \
    } while (0)

static constexpr int count = 5000, rounds = 6;

__global__ void add(int *p, int n, int value)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] += value;
}

// What the owner makes, and the guest imports.
struct shared {
    size_t size;
    int memory, timeline, binary;
};
enum { FILES = 3 };

static void send_shared(const shared &what)
{
    int files[FILES] = {what.memory, what.timeline, what.binary};
    char space[CMSG_SPACE(sizeof files)] = {};
    iovec body = {const_cast<size_t *>(&what.size), sizeof what.size};
    msghdr message = {};
    message.msg_iov = &body;
    message.msg_iovlen = 1;
    message.msg_control = space;
    message.msg_controllen = sizeof space;
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof files);
    std::memcpy(CMSG_DATA(header), files, sizeof files);
    CHECK(sendmsg(peer, &message, 0) == static_cast<ssize_t>(sizeof what.size));
}

static shared hear_shared()
{
    shared what = {};
    int files[FILES];
    char space[CMSG_SPACE(sizeof files)];
    iovec body = {&what.size, sizeof what.size};
    msghdr message = {};
    message.msg_iov = &body;
    message.msg_iovlen = 1;
    message.msg_control = space;
    message.msg_controllen = sizeof space;
    const ssize_t got = recvmsg(peer, &message, MSG_WAITALL);
    if (got == 0)
        _exit(0); // the owner has ended: its status tells how
    CHECK(got == static_cast<ssize_t>(sizeof what.size));
    const cmsghdr *header = CMSG_FIRSTHDR(&message);
    CHECK(header && header->cmsg_type == SCM_RIGHTS);
    std::memcpy(files, CMSG_DATA(header), sizeof files);
    what.memory = files[0];
    what.timeline = files[1];
    what.binary = files[2];
    return what;
}

// The memory is at least as large as the guest's device needs.
static void owner()
{
    shareable own;
    shared made = {};
    hipStream_t stream;
    hipExternalSemaphore_t timeline, binary;
    std::vector<int> host(count);
    if (own.create(4 << 20) == hipErrorNotSupported) {
        printf("refused: the driver has no memory that can be shared by file descriptors\n");
        fflush(stdout);
        _exit(0);
    }
    CHECK(own.address != nullptr);
    made.size = own.size;
    CHECK_HIP(own.file(&made.memory));
    made.timeline = semaphore_file(TIMELINE);
    made.binary = semaphore_file(BINARY);
    CHECK(made.timeline >= 0 && made.binary >= 0);
    int *p = static_cast<int *>(own.address);
    CHECK_HIP(hipMemset(p, 0, own.size));
    CHECK_HIP(hipDeviceSynchronize());
    send_shared(made);
    close(made.memory);
    CHECK_HIP(import_semaphore(made.timeline, TIMELINE, &timeline));
    CHECK_HIP(import_semaphore(made.binary, BINARY, &binary));
    CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    for (int i = 0; i < rounds; i++) { // the host waits for nothing
        add<<<4, 64, 0, stream>>>(p, count, 1);
        CHECK_HIP(hipGetLastError());
        CHECK_HIP(signal_at(timeline, 2 * i + 1, stream));
        CHECK_HIP(wait_at(timeline, 2 * i + 2, stream));
    }
    CHECK_HIP(wait_at(binary, 0, stream));
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK_HIP(hipMemcpy(host.data(), p, count * sizeof(int), hipMemcpyDeviceToHost));
    // value -> (value + 1) * 2 in each round, which tells the order
    int value = 0;
    for (int i = 0; i < rounds; i++)
        value = (value + 1) * 2;
    CHECK(host == std::vector<int>(count, value));
    CHECK_HIP(hipDestroyExternalSemaphore(timeline));
    CHECK_HIP(hipDestroyExternalSemaphore(binary));
    CHECK_HIP(hipStreamDestroy(stream));
    CHECK_HIP(own.destroy());
}

__global__ void twice(int *p, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] *= 2;
}

static void guest()
{
    int *p;
    hipStream_t stream;
    hipExternalMemory_t memory;
    hipExternalSemaphore_t timeline, binary;
    const shared given = hear_shared();
    CHECK_HIP(import_memory(given.memory, given.size, &memory));
    CHECK_HIP(map_buffer(memory, 0, given.size, &p));
    CHECK_HIP(import_semaphore(given.timeline, TIMELINE, &timeline));
    CHECK_HIP(import_semaphore(given.binary, BINARY, &binary));
    CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    for (int i = 0; i < rounds; i++) {
        CHECK_HIP(wait_at(timeline, 2 * i + 1, stream));
        twice<<<4, 64, 0, stream>>>(p, count);
        CHECK_HIP(hipGetLastError());
        CHECK_HIP(signal_at(timeline, 2 * i + 2, stream));
    }
    CHECK_HIP(signal_at(binary, 0, stream));
    CHECK_HIP(hipDestroyExternalSemaphore(timeline)); // the work keeps it
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK_HIP(hipDestroyExternalSemaphore(binary));
    CHECK_HIP(hipFree(p));
    CHECK_HIP(hipDestroyExternalMemory(memory));
    CHECK_HIP(hipStreamDestroy(stream));
}

static pid_t start(int socket, int other, const char *name, void (*body)())
{
    pid_t child = fork();
    if (child == 0) {
        close(other);
        peer = socket;
        who = name;
        if (int status = status_without_device())
            _exit(status);
        const char *backend = std::getenv("ANYHIP_BACKEND");
        if (!backend || std::strcmp(backend, "cuda") == 0) {
            std::printf("skipped: the driver takes semaphores of Vulkan only\n");
            std::fflush(stdout);
            _exit(77);
        }
        body();
        _exit(0);
    }
    return child;
}

static int end_of(pid_t child)
{
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int count_of_arguments, char **arguments)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 1;
    pid_t owns = start(ends[0], ends[1], "the owner", owner);
    if (count_of_arguments > 1)
        setenv("ANYHIP_BACKEND", arguments[1], 1);
    pid_t opens = start(ends[1], ends[0], "the guest", guest);
    close(ends[0]);
    close(ends[1]);
    int owned = end_of(owns), opened = end_of(opens);
    return owned ? owned : opened;
}
