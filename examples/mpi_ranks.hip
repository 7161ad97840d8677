// MPI with one device per process: the processes of a machine share its devices out, each computes
// its part of a sum on its own, and MPI adds the parts up.
//   usage: mpiexec -n 2 mpi_ranks
#include "check.h"

#include <hip/hip_runtime.h>

// MPI's C functions, without the C++ classes that it had once.
#define OMPI_SKIP_MPICXX  1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

static const long long count = 1 << 20;

// The sum of i * i for i from first to last - 1, modulo 2^64: exact, in whatever order.
__global__ void sum_of_squares(unsigned long long first, unsigned long long last,
                               unsigned long long *sum)
{
    __shared__ unsigned long long of_block;
    if (threadIdx.x == 0)
        of_block = 0;
    __syncthreads();
    unsigned long long mine = 0;
    for (unsigned long long i = first + blockIdx.x * blockDim.x + threadIdx.x; i < last;
         i += gridDim.x * blockDim.x)
        mine += i * i;
    atomicAdd(&of_block, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(sum, of_block);
}

// The processes on this machine are numbered among themselves, and take the devices in turn.
static int choose_device()
{
    MPI_Comm here;
    int rank, devices;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_rank(here, &rank);
    MPI_Comm_free(&here);
    HIP_CHECK(hipGetDeviceCount(&devices));
    HIP_CHECK(hipSetDevice(rank % devices));
    return rank % devices;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int device = choose_device();

    unsigned long long *memory, part, sum = 0;
    HIP_CHECK(hipMalloc(&memory, sizeof *memory));
    HIP_CHECK(hipMemset(memory, 0, sizeof *memory));
    sum_of_squares<<<16, 256>>>(count * rank / size, count * (rank + 1) / size, memory);
    HIP_CHECK(hipGetLastError());
    // MPI is given host memory: Debian's MPI libraries do not know devices' memory.
    HIP_CHECK(hipMemcpy(&part, memory, sizeof part, hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(memory));
    printf("process %d of %d used device %d\n", rank, size, device);
    fflush(stdout);
    MPI_Allreduce(&part, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);

    // 0 + 1 + 4 + ... + (n - 1)^2
    const unsigned long long expected = (count - 1) * count / 2 * (2 * count - 1) / 3;
    if (rank == 0 && sum == expected)
        printf("PASSED: %d processes found %llu\n", size, sum);
    else if (sum != expected)
        printf("FAILED: process %d has %llu, not %llu\n", rank, sum, expected);
    MPI_Finalize();
    return sum == expected ? 0 : 1;
}
