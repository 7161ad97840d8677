// Memory and events that two processes share. Each process has the device by itself: they
// part before the first call.
#include "../support/device.h"

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
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
#define CHECK_HIP(call) CHECK_ERROR(call, hipSuccess)
#define CHECK_ERROR(call, wanted)                                                                  \
    do {                                                                                           \
        hipError_t error = (call);                                                                 \
        if (error != (wanted))                                                                     \
            std::printf("%s: %s\n", #call, hipGetErrorName(error));                                \
        CHECK(error == (wanted));                                                                  \
        (void)hipGetLastError();                                                                   \
    } while (0)

template <typename T> static void send_value(const T &what)
{
    CHECK(write(peer, &what, sizeof what) == static_cast<ssize_t>(sizeof what));
}
template <typename T> static void hear(T *what)
{
    CHECK(recv(peer, what, sizeof *what, MSG_WAITALL) == static_cast<ssize_t>(sizeof *what));
}
static void go_on()
{
    send_value('x');
}
static void wait_for_peer()
{
    char byte;
    hear(&byte);
}

static constexpr int count = 10000;

__global__ void add(int *p, int n, int value)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] += value;
}
__global__ void hold(volatile int *flag)
{
    while (*flag == 0) {
    }
}

static bool all_are(const int *p, int value)
{
    std::vector<int> host(count);
    CHECK_HIP(hipMemcpy(host.data(), p, count * sizeof(int), hipMemcpyDeviceToHost));
    int same = 0;
    while (same < count && host[same] == value)
        same++;
    return same == count;
}

struct shared {
    hipIpcMemHandle_t memory;
    hipIpcEventHandle_t event;
};

static void owner()
{
    int *p, *other, *flag;
    shared handles;
    hipEvent_t event, plain;
    hipStream_t stream;
    CHECK_HIP(hipMalloc(&other, count * sizeof(int)));
    CHECK_HIP(hipMalloc(&p, count * sizeof(int)));
    CHECK_HIP(hipHostMalloc(&flag, sizeof *flag));
    *static_cast<volatile int *>(flag) = 0;
    CHECK_HIP(hipMemset(p, 0, count * sizeof(int)));
    CHECK_HIP(hipMemset(other, 0, count * sizeof(int)));
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_HIP(hipEventCreate(&plain));
    CHECK_ERROR(hipIpcGetEventHandle(&handles.event, plain), hipErrorInvalidConfiguration);
    CHECK_HIP(hipEventDestroy(plain));
    CHECK_HIP(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
    CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    CHECK_HIP(hipIpcGetMemHandle(&handles.memory, p));
    void *again; // of this very process
    CHECK_ERROR(hipIpcOpenMemHandle(&again, handles.memory, hipIpcMemLazyEnablePeerAccess),
                hipErrorInvalidContext);
    CHECK_HIP(hipIpcGetEventHandle(&handles.event, event));
    hipEvent_t same;
    CHECK_ERROR(hipIpcOpenEventHandle(&same, handles.event), hipErrorInvalidContext);
    add<<<8, 64, 0, stream>>>(p, count, 1);
    CHECK_HIP(hipStreamSynchronize(stream));
    wait_for_peer(); // its code is loaded, for which the device must not be held
    hold<<<1, 1, 0, stream>>>(flag);
    add<<<8, 64, 0, stream>>>(p, count, 2);
    CHECK_HIP(hipGetLastError());
    CHECK_HIP(hipEventRecord(event, stream));
    CHECK_ERROR(hipEventQuery(event), hipErrorNotReady);
    send_value(handles);
    wait_for_peer(); // its work waits for the event
    *static_cast<volatile int *>(flag) = 1;
    CHECK_HIP(hipEventSynchronize(event));
    wait_for_peer(); // it has added
    CHECK(all_are(p, 13) && all_are(other, 0));
    CHECK_HIP(hipFree(p));
    CHECK_HIP(hipFree(other));
    CHECK_HIP(hipHostFree(flag));
    CHECK_HIP(hipEventDestroy(event));
    CHECK_HIP(hipStreamDestroy(stream));
}

static void guest()
{
    int *own, *p, *again;
    shared handles;
    hipEvent_t event;
    hipStream_t stream;
    CHECK_HIP(hipStreamCreate(&stream));
    CHECK_HIP(hipMalloc(&own, count * sizeof(int)));
    CHECK_HIP(hipMemsetAsync(own, 0, count * sizeof(int), stream));
    add<<<8, 64, 0, stream>>>(own, count, 1);
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK(all_are(own, 1));
    go_on();
    hear(&handles);
    CHECK_ERROR(hipIpcOpenMemHandle(nullptr, handles.memory, hipIpcMemLazyEnablePeerAccess),
                hipErrorInvalidValue);
    CHECK_ERROR(hipIpcOpenMemHandle(reinterpret_cast<void **>(&p), handles.memory, 77),
                hipErrorInvalidValue);
    CHECK_HIP(hipIpcOpenMemHandle(reinterpret_cast<void **>(&p), handles.memory,
                                  hipIpcMemLazyEnablePeerAccess));
    CHECK_HIP(hipIpcOpenMemHandle(reinterpret_cast<void **>(&again), handles.memory,
                                  hipIpcMemLazyEnablePeerAccess));
    CHECK_HIP(hipIpcCloseMemHandle(again));
    CHECK_HIP(hipIpcOpenEventHandle(&event, handles.event));
    CHECK_ERROR(hipEventQuery(event), hipErrorNotReady);
    CHECK_HIP(hipStreamWaitEvent(stream, event, 0));
    add<<<8, 64, 0, stream>>>(p, count, 10);
    CHECK_HIP(hipGetLastError());
    CHECK_ERROR(hipStreamQuery(stream), hipErrorNotReady);
    go_on();
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK_HIP(hipEventQuery(event));
    CHECK(all_are(p, 13));
    CHECK_HIP(hipFree(own));
    CHECK_HIP(hipIpcCloseMemHandle(p));
    CHECK_ERROR(hipIpcCloseMemHandle(p), hipErrorInvalidValue);
    hipPointerAttribute_t attributes;
    CHECK(hipPointerGetAttributes(&attributes, p) != hipSuccess ||
          attributes.type == hipMemoryTypeUnregistered);
    CHECK_HIP(hipEventDestroy(event));
    CHECK_HIP(hipStreamDestroy(stream));
    go_on();
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

int main()
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 1;
    pid_t children[2] = {start(ends[0], ends[1], "the owner", owner),
                         start(ends[1], ends[0], "the guest", guest)};
    close(ends[0]);
    close(ends[1]);
    int owned = end_of(children[0]), opened = end_of(children[1]);
    return owned ? owned : opened;
}
