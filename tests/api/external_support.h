// Memory and semaphores to import: what tests of external resources share.
#ifndef AH_TESTS_API_EXTERNAL_SUPPORT_H
#define AH_TESTS_API_EXTERNAL_SUPPORT_H

#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

// A semaphore in shared memory, as docs/interop.md describes it.
struct semaphore_words {
    char mark[8];
    uint32_t kind, turns;
    uint64_t value;
};
enum { BINARY = 1, TIMELINE = 2 };

// The file of a new semaphore, -1: there is none.
inline int semaphore_file(uint32_t kind, uint64_t value = 0)
{
    semaphore_words words = {{'A', 'n', 'y', 'H', 'I', 'P', 's', 'm'}, kind, 0, value};
    int file = memfd_create("semaphore", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file >= 0 && write(file, &words, sizeof words) == static_cast<ssize_t>(sizeof words) &&
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) == 0)
        return file;
    return -1;
}

inline hipError_t import_semaphore(int file, uint32_t kind, hipExternalSemaphore_t *out)
{
    hipExternalSemaphoreHandleDesc desc = {};
    desc.type = kind == TIMELINE ? hipExternalSemaphoreHandleTypeTimelineSemaphoreFd
                                 : hipExternalSemaphoreHandleTypeOpaqueFd;
    desc.handle.fd = file;
    return hipImportExternalSemaphore(out, &desc);
}

inline hipError_t import_memory(int file, uint64_t size, hipExternalMemory_t *out)
{
    hipExternalMemoryHandleDesc desc = {};
    desc.type = hipExternalMemoryHandleTypeOpaqueFd;
    desc.handle.fd = file;
    desc.size = size;
    return hipImportExternalMemory(out, &desc);
}

inline hipError_t map_buffer(hipExternalMemory_t memory, uint64_t offset, uint64_t size, void *out)
{
    hipExternalMemoryBufferDesc desc = {};
    desc.offset = offset;
    desc.size = size;
    return hipExternalMemoryGetMappedBuffer(static_cast<void **>(out), memory, &desc);
}

inline hipError_t signal_at(hipExternalSemaphore_t semaphore, uint64_t value, hipStream_t stream)
{
    hipExternalSemaphoreSignalParams params = {};
    params.params.fence.value = value;
    return hipSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream);
}

inline hipError_t wait_at(hipExternalSemaphore_t semaphore, uint64_t value, hipStream_t stream)
{
    hipExternalSemaphoreWaitParams params = {};
    params.params.fence.value = value;
    return hipWaitExternalSemaphoresAsync(&semaphore, &params, 1, stream);
}

// Memory of the current device that can be exported, mapped in this process.
struct shareable {
    hipMemGenericAllocationHandle_t handle = {};
    void *address = nullptr;
    size_t size = 0;

    hipError_t create(size_t at_least)
    {
        hipMemAllocationProp prop = {};
        int device = 0;
        size_t grain = 0;
        hipError_t error = hipGetDevice(&device);
        prop.type = hipMemAllocationTypePinned;
        prop.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
        prop.location = {hipMemLocationTypeDevice, device};
        hipMemAccessDesc access = {prop.location, hipMemAccessFlagsProtReadWrite};
        if (error == hipSuccess)
            error = hipMemGetAllocationGranularity(&grain, &prop,
                                                   hipMemAllocationGranularityRecommended);
        if (error == hipSuccess)
            size = (at_least + grain - 1) / grain * grain;
        if (error == hipSuccess)
            error = hipMemCreate(&handle, size, &prop, 0);
        if (error == hipSuccess)
            error = hipMemAddressReserve(&address, size, 0, nullptr, 0);
        if (error == hipSuccess)
            error = hipMemMap(address, size, 0, handle, 0);
        return error == hipSuccess ? hipMemSetAccess(address, size, &access, 1) : error;
    }
    // A new file descriptor.
    hipError_t file(int *out) const
    {
        return hipMemExportToShareableHandle(out, handle, hipMemHandleTypePosixFileDescriptor, 0);
    }
    hipError_t destroy()
    {
        hipError_t error = hipMemUnmap(address, size);
        if (error == hipSuccess)
            error = hipMemRelease(handle);
        return error == hipSuccess ? hipMemAddressFree(address, size) : error;
    }
};

#endif
