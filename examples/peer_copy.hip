// Several GPUs that add up their data: each passes what it has to its neighbour, round the ring,
// until all have the sum of all. Where a device can reach its neighbour's memory a kernel reads it
// there; elsewhere, between vendors for example, it is copied from device to device first.
// One device alone is its own neighbour.
#include "check.h"

#include <hip/hip_runtime.h>

#include <vector>

static const int count = 100003;

__global__ void add(const int *other, int *mine, int *sum)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        mine[i] = other[i];
        sum[i] += other[i];
    }
}

struct node {
    hipStream_t stream;
    hipEvent_t done; // the step before is finished on this device
    int *passing[2]; // what goes round: this step's and the next one's
    int *copied;     // the neighbour's, where it cannot be reached
    int *sum;
    bool reaches_left; // can read the memory of the device to the left
};

static node make_node(int device, int left)
{
    node n = {};
    std::vector<int> values(count);
    const size_t bytes = count * sizeof(int);
    for (int i = 0; i < count; i++)
        values[i] = i * (device + 1);
    HIP_CHECK(hipSetDevice(device));
    HIP_CHECK(hipStreamCreateWithFlags(&n.stream, hipStreamNonBlocking));
    HIP_CHECK(hipEventCreateWithFlags(&n.done, hipEventDisableTiming));
    for (int **memory : {&n.passing[0], &n.passing[1], &n.copied, &n.sum})
        HIP_CHECK(hipMalloc(memory, bytes));
    HIP_CHECK(hipMemcpy(n.passing[0], values.data(), bytes, hipMemcpyHostToDevice));
    HIP_CHECK(hipMemcpy(n.sum, values.data(), bytes, hipMemcpyHostToDevice));

    int reaches = device == left;
    if (device != left)
        HIP_CHECK(hipDeviceCanAccessPeer(&reaches, device, left));
    if (reaches && device != left)
        HIP_CHECK(hipDeviceEnablePeerAccess(left, 0));
    n.reaches_left = reaches != 0;
    printf("device %d %s the memory of device %d\n", device, reaches ? "reads" : "copies", left);
    return n;
}

// One step of one device: its neighbour's data of the step before.
static void step(node &mine, int device, const node &theirs, int left, int number)
{
    const int *other = theirs.passing[number % 2];
    HIP_CHECK(hipSetDevice(device));
    if (!mine.reaches_left) {
        HIP_CHECK(
            hipMemcpyPeerAsync(mine.copied, device, other, left, count * sizeof(int), mine.stream));
        other = mine.copied;
    }
    add<<<(count + 255) / 256, 256, 0, mine.stream>>>(other, mine.passing[(number + 1) % 2],
                                                      mine.sum);
    HIP_CHECK(hipGetLastError());
}

int main()
{
    int devices;
    HIP_CHECK(hipGetDeviceCount(&devices));
    std::vector<node> nodes;
    for (int device = 0; device < devices; device++)
        nodes.push_back(make_node(device, (device + devices - 1) % devices));

    for (int number = 0; number + 1 < devices; number++) {
        for (int device = 0; device < devices; device++) {
            const int left = (device + devices - 1) % devices;
            step(nodes[device], device, nodes[left], left, number);
        }
        // The next step reads what the neighbour on the left writes in this one, and writes what
        // the neighbour on the right reads.
        for (int device = 0; device < devices; device++) {
            HIP_CHECK(hipSetDevice(device));
            HIP_CHECK(hipEventRecord(nodes[device].done, nodes[device].stream));
        }
        for (int device = 0; device < devices; device++) {
            const int right = (device + 1) % devices;
            HIP_CHECK(hipSetDevice(device));
            for (int other : {(device + devices - 1) % devices, right})
                HIP_CHECK(hipStreamWaitEvent(nodes[device].stream, nodes[other].done, 0));
        }
    }

    int wrong = 0;
    const int factor = devices * (devices + 1) / 2;
    for (int device = 0; device < devices; device++) {
        node &n = nodes[device];
        std::vector<int> sum(count);
        HIP_CHECK(hipSetDevice(device));
        HIP_CHECK(hipMemcpyAsync(sum.data(), n.sum, count * sizeof(int), hipMemcpyDeviceToHost,
                                 n.stream));
        HIP_CHECK(hipStreamSynchronize(n.stream));
        for (int i = 0; i < count; i++)
            wrong += sum[i] != i * factor;
    }
    for (node &n : nodes) {
        for (int *memory : {n.passing[0], n.passing[1], n.copied, n.sum})
            HIP_CHECK(hipFree(memory));
        HIP_CHECK(hipEventDestroy(n.done));
        HIP_CHECK(hipStreamDestroy(n.stream));
    }
    if (wrong) {
        printf("FAILED: %d sums are wrong\n", wrong);
        return 1;
    }
    printf("PASSED: %d sums on each of %d device%s\n", count, devices, devices == 1 ? "" : "s");
    return 0;
}
