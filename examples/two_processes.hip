// Two processes that work on the same memory of a device: one makes it and passes a file descriptor
// on, as it would to another API or get from one, and the other imports it. Each runs a kernel on
// it, in turn; bytes in a socket say whose turn it is.
#include "check.h"

#include <hip/hip_runtime.h>

#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

static const int count = 100000, rounds = 4;

__global__ void step(unsigned *numbers, unsigned factor, unsigned summand)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        numbers[i] = numbers[i] * factor + summand;
}

static void run(unsigned *numbers, unsigned factor, unsigned summand)
{
    step<<<(count + 255) / 256, 256>>>(numbers, factor, summand);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize()); // the other process begins when this is done
}

// ---- the socket -----------------------------------------------------------------------------

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

// A number, and with it a file descriptor, unless it is -1.
static void send_to(int socket, size_t number, int file)
{
    char space[CMSG_SPACE(sizeof file)] = {};
    iovec body = {&number, sizeof number};
    msghdr message = {};
    message.msg_iov = &body;
    message.msg_iovlen = 1;
    if (file >= 0) {
        message.msg_control = space;
        message.msg_controllen = sizeof space;
        cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof file);
        memcpy(CMSG_DATA(header), &file, sizeof file);
    }
    if (sendmsg(socket, &message, 0) != sizeof number)
        fail("sendmsg");
}

static size_t receive_from(int socket, int *file)
{
    size_t number = 0;
    char space[CMSG_SPACE(sizeof *file)];
    iovec body = {&number, sizeof number};
    msghdr message = {};
    message.msg_iov = &body;
    message.msg_iovlen = 1;
    message.msg_control = space;
    message.msg_controllen = sizeof space;
    const ssize_t size = recvmsg(socket, &message, MSG_WAITALL);
    if (size == 0)
        exit(1); // the other process has ended, and said why
    if (size != sizeof number)
        fail("recvmsg");
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (file && header)
        memcpy(file, CMSG_DATA(header), sizeof *file);
    return number;
}

// ---- the process that makes the memory --------------------------------------------------------

struct memory {
    hipMemGenericAllocationHandle_t handle;
    void *address;
    size_t size;
};

static memory make_memory()
{
    memory made = {};
    hipMemAllocationProp properties = {};
    size_t unit = 0;
    properties.type = hipMemAllocationTypePinned;
    properties.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
    properties.location = {hipMemLocationTypeDevice, 0};
    HIP_CHECK(
        hipMemGetAllocationGranularity(&unit, &properties, hipMemAllocationGranularityRecommended));
    made.size = (count * sizeof(unsigned) + unit - 1) / unit * unit;
    const hipError_t error = hipMemCreate(&made.handle, made.size, &properties, 0);
    if (error == hipErrorNotSupported) {
        printf("the device has no memory that processes can share by file descriptors\n");
        exit(77);
    }
    HIP_CHECK(error);
    const hipMemAccessDesc access = {properties.location, hipMemAccessFlagsProtReadWrite};
    HIP_CHECK(hipMemAddressReserve(&made.address, made.size, 0, nullptr, 0));
    HIP_CHECK(hipMemMap(made.address, made.size, 0, made.handle, 0));
    HIP_CHECK(hipMemSetAccess(made.address, made.size, &access, 1));
    return made;
}

static bool is_right(const unsigned *numbers)
{
    std::vector<unsigned> result(count);
    unsigned expected = 0;
    for (int i = 0; i < rounds; i++)
        expected = (expected + 3) * 2; // what the one adds and the other doubles
    HIP_CHECK(hipMemcpy(result.data(), numbers, count * sizeof(unsigned), hipMemcpyDeviceToHost));
    for (unsigned number : result)
        if (number != expected)
            return false;
    return true;
}

static bool owner(int socket)
{
    int file = -1;
    print_device();
    memory own = make_memory();
    unsigned *numbers = static_cast<unsigned *>(own.address);
    HIP_CHECK(hipMemset(numbers, 0, own.size));
    HIP_CHECK(hipDeviceSynchronize());
    HIP_CHECK(
        hipMemExportToShareableHandle(&file, own.handle, hipMemHandleTypePosixFileDescriptor, 0));
    send_to(socket, own.size, file);
    close(file); // the message has it
    for (int i = 0; i < rounds; i++) {
        run(numbers, 1, 3);
        send_to(socket, 0, -1);
        receive_from(socket, nullptr);
    }
    const bool right = is_right(numbers);
    HIP_CHECK(hipMemUnmap(own.address, own.size));
    HIP_CHECK(hipMemRelease(own.handle));
    HIP_CHECK(hipMemAddressFree(own.address, own.size));
    return right;
}

// ---- the process that imports it --------------------------------------------------------------

static void guest(int socket)
{
    hipExternalMemory_t imported;
    hipExternalMemoryHandleDesc handle = {};
    hipExternalMemoryBufferDesc buffer = {};
    void *numbers;
    handle.type = hipExternalMemoryHandleTypeOpaqueFd;
    handle.handle.fd = -1;
    handle.size = buffer.size = receive_from(socket, &handle.handle.fd);
    HIP_CHECK(hipImportExternalMemory(&imported, &handle)); // which now has the file
    HIP_CHECK(hipExternalMemoryGetMappedBuffer(&numbers, imported, &buffer));
    for (int i = 0; i < rounds; i++) {
        receive_from(socket, nullptr);
        run(static_cast<unsigned *>(numbers), 2, 0);
        send_to(socket, 0, -1);
    }
    HIP_CHECK(hipFree(numbers));
    HIP_CHECK(hipDestroyExternalMemory(imported));
}

// The processes part before the first call: a child cannot go on with its parent's devices.
int main()
{
    int ends[2], status = -1;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        fail("socketpair");
    const pid_t child = fork();
    if (child < 0)
        fail("fork");
    close(ends[child != 0]);
    if (child == 0) {
        guest(ends[1]);
        return 0;
    }
    const bool right = owner(ends[0]);
    close(ends[0]);
    if (waitpid(child, &status, 0) != child || status != 0 || !right) {
        printf("FAILED\n");
        return 1;
    }
    printf("PASSED: %d numbers, changed by two processes in turn\n", count);
    return 0;
}
