// What a process may do to another one that shares memory or an event with it: end, lie, and try to
// take the memory away. tests/api/ipc.hip has two processes that keep to the rules.
//     process_ipc [number of the only test to run]
#include "../support/device.h"
#include "check.h"
#include "kernels.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <dirent.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>

namespace
{

int peer; // a socket to the other process

template <typename T> void tell(const T &what)
{
    CHECK(write(peer, &what, sizeof what) == static_cast<ssize_t>(sizeof what));
}
template <typename T> void hear(T *what)
{
    CHECK(recv(peer, what, sizeof *what, MSG_WAITALL) == static_cast<ssize_t>(sizeof *what));
}
template <typename T> T heard()
{
    T what;
    hear(&what);
    return what;
}

// Each body in a process with a device of its own. The first is killed when it says so by ending
// its words, and its status does not count then.
int in_two_processes(void (*first)(), void (*second)(), bool first_is_killed)
{
    void (*const bodies[])() = {first, second};
    int ends[2];
    pid_t children[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    for (int i = 0; i < 2; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            alarm(100); // instead of a hang
            close(ends[1 - i]);
            peer = ends[i];
            if (int status = status_without_device())
                _exit(status);
            bodies[i]();
            _exit(0);
        }
    }
    close(ends[0]);
    close(ends[1]);
    const int second_ended = end_of(children[1]);
    if (first_is_killed)
        kill(children[0], SIGKILL); // where it is not dead yet
    const int first_ended = end_of(children[0]);
    return second_ended ? second_ended : first_is_killed ? 0 : first_ended;
}

int *device_words(size_t count)
{
    void *p;
    CHECK_HIP(hipMalloc(&p, count * sizeof(int)));
    CHECK_HIP(hipMemset(p, 0, count * sizeof(int)));
    CHECK_HIP(hipDeviceSynchronize());
    return static_cast<int *>(p);
}

// ---- an event whose recorder ends --------------------------------------------------------------

// Records an event that is never reached, and waits to be killed.
void record_and_die()
{
    const kernel_library kernels = open_kernels();
    int *flags;
    hipEvent_t event;
    hipStream_t stream;
    hipIpcEventHandle_t handle;
    CHECK_HIP(hipHostMalloc(reinterpret_cast<void **>(&flags), 2 * sizeof *flags));
    flags[0] = flags[1] = 0;
    CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    CHECK_HIP(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
    CHECK_HIP(kernels.hold(&flags[0], &flags[1], stream));
    CHECK_HIP(hipEventRecord(event, stream));
    CHECK_HIP(hipIpcGetEventHandle(&handle, event));
    tell(getpid());
    tell(handle);
    pause();
}

hipEvent_t event_of_peer()
{
    hipEvent_t event;
    const pid_t owner = heard<pid_t>();
    const hipIpcEventHandle_t handle = heard<hipIpcEventHandle_t>();
    CHECK_HIP(hipIpcOpenEventHandle(&event, handle));
    CHECK_RESULT(hipEventQuery(event), hipErrorNotReady);
    CHECK(kill(owner, SIGKILL) == 0);
    return event;
}

void wait_for_the_dead()
{
    hipEvent_t event = event_of_peer();
    CHECK_RESULT(hipEventSynchronize(event), hipErrorIllegalState);
    CHECK_RESULT(hipEventQuery(event), hipErrorIllegalState);
    CHECK_HIP(hipDeviceSynchronize()); // nothing else is wrong
    CHECK_HIP(hipEventDestroy(event));
}

void put_a_stream_behind_the_dead()
{
    hipEvent_t event = event_of_peer();
    hipStream_t stream;
    CHECK_HIP(hipStreamCreate(&stream));
    (void)hipStreamWaitEvent(stream, event, 0); // it may be known already
    CHECK_RESULT(hipStreamSynchronize(stream), hipErrorIllegalState);
}

// ---- files that are taken away -----------------------------------------------------------------

// Every file in memory that the process has open.
template <typename T> int for_shared_files(pid_t process, const T &visit)
{
    const std::string folder = "/proc/" + std::to_string(process) + "/fd";
    int count = 0;
    DIR *open_files = opendir(folder.c_str());
    CHECK(open_files);
    while (const dirent *entry = readdir(open_files)) {
        char target[256] = "";
        const std::string path = folder + "/" + entry->d_name;
        if (readlink(path.c_str(), target, sizeof target - 1) > 0 &&
            std::strncmp(target, "/memfd:", 7) == 0) {
            visit(path.c_str());
            count++;
        }
    }
    closedir(open_files);
    return count;
}

void lend()
{
    int *memory = device_words(1 << 20);
    hipEvent_t event;
    hipIpcMemHandle_t memory_handle;
    hipIpcEventHandle_t event_handle;
    CHECK_HIP(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
    CHECK_HIP(hipIpcGetMemHandle(&memory_handle, memory));
    CHECK_HIP(hipIpcGetEventHandle(&event_handle, event));
    tell(getpid());
    tell(memory_handle);
    tell(event_handle);
    (void)heard<char>(); // it has done what it could
    int word = 1;
    CHECK_HIP(hipEventRecord(event, nullptr));
    CHECK_HIP(hipEventSynchronize(event));
    CHECK_HIP(hipMemcpy(&word, memory + (1 << 20) - 1, sizeof word, hipMemcpyDeviceToHost));
    CHECK(word == 0);
    CHECK_HIP(hipFree(memory));
    tell('x'); // it is freed
    (void)heard<char>();
    CHECK_HIP(hipEventDestroy(event));
}

void take_away()
{
    void *memory;
    hipEvent_t event;
    const pid_t owner = heard<pid_t>();
    const hipIpcMemHandle_t memory_handle = heard<hipIpcMemHandle_t>();
    const hipIpcEventHandle_t event_handle = heard<hipIpcEventHandle_t>();
    CHECK_HIP(hipIpcOpenMemHandle(&memory, memory_handle, hipIpcMemLazyEnablePeerAccess));
    CHECK_HIP(hipIpcOpenEventHandle(&event, event_handle));
    const int files = for_shared_files(owner, [](const char *path) {
        struct stat about;
        if (stat(path, &about) == 0 && about.st_size > 0)
            CHECK(truncate(path, 0) != 0 && errno == EPERM);
    });
    CHECK(files >= 1);
    CHECK_HIP(hipMemset(memory, 0, 1 << 22));
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_HIP(hipEventQuery(event));
    CHECK_HIP(hipIpcCloseMemHandle(memory));
    tell('x');
    (void)heard<char>();
    CHECK(hipIpcOpenMemHandle(&memory, memory_handle, hipIpcMemLazyEnablePeerAccess) !=
          hipSuccess);                                  // it is freed
    for (size_t i = 0; i < sizeof memory_handle; i++) { // no other memory or file is taken for it
        hipIpcMemHandle_t wrong = memory_handle;
        wrong.reserved[i] = static_cast<char>(wrong.reserved[i] ^ 1);
        CHECK(hipIpcOpenMemHandle(&memory, wrong, hipIpcMemLazyEnablePeerAccess) != hipSuccess);
    }
    tell('x');
}

} // namespace

int main(int argc, char **argv)
{
    const int only = argc > 1 ? std::atoi(argv[1]) : -1;
    int number = 0;
    const struct {
        const char *what;
        void (*first)(), (*second)();
        bool first_is_killed;
    } tests[] = {
        {"waiting for an event whose recorder is dead is an error", record_and_die,
         wait_for_the_dead, true},
        {"a stream that waits for one has an error", record_and_die, put_a_stream_behind_the_dead,
         true},
        {"nobody can take shared memory away, and what is freed is gone", lend, take_away, false},
    };
    for (const auto &test : tests) {
        if (only >= 0 && only != number++)
            continue;
        const int status = in_two_processes(test.first, test.second, test.first_is_killed);
        std::printf("%s: %s\n", test.what, status ? "FAILED" : "ok");
        std::fflush(stdout);
        if (status)
            return status;
    }
    return 0;
}
