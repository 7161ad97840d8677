/* Owns the sections of the program whose calls fail. */
#include "fault_program.h"
#include "fakegl.h"

#include <hip/hip_gl_interop.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct told told;
hipIpcEventHandle_t fault_event;
static const dim3 one = {1, 1, 1};
static const hipChannelFormatDesc words = {32, 0, 0, 0, hipChannelFormatKindUnsigned};

hipError_t note(hipError_t error, const char *call)
{
    told.calls++;
    if (error == hipSuccess || error == hipErrorNotReady)
        return error;
    if (told.failures++ == 0)
        snprintf(told.first, sizeof told.first, "%.100s: %s", call, hipGetErrorName(error));
    return error;
}

/* Whether a device has failed with an error. */
static bool a_device_says(hipError_t error)
{
    bool said = false;
    int current = 0, count = 0;
    (void)hipGetDevice(&current);
    (void)hipGetDeviceCount(&count);
    for (int i = 0; i < count; i++)
        said |= hipSetDevice(i) == hipSuccess && hipDeviceSynchronize() == error;
    (void)hipSetDevice(current);
    return said;
}

void check_gone(hipError_t error, const char *call)
{
    if (error == hipSuccess || error == hipErrorInvalidValue || error == hipErrorInvalidHandle ||
        error == hipErrorContextIsDestroyed || error == hipErrorInvalidResourceHandle ||
        error == hipErrorHostMemoryNotRegistered || error == hipErrorPeerAccessNotEnabled ||
        error == hipErrorNoDevice || error == hipErrorNotFound ||
        error == hipErrorInvalidContext) /* the last of a registration with OpenGL */
        return;
    if (a_device_says(error))
        return;
    fprintf(stderr, "%s, called again, returned %s\n", call, hipGetErrorName(error));
    check(error == hipSuccess);
}

/* What follows is about that device. */
static void set_device(int device)
{
    END(hipSetDevice(device));
}

/* ---- the beginning ------------------------------------------------------------------------- */

static void start(void)
{
    hipDeviceProp_t properties;
    int count = 0, value = 0;
    T(hipInit(0));
    T(hipGetDeviceCount(&count));
    for (int i = 0; i < count; i++)
        T(hipGetDeviceProperties(&properties, i));
    T(hipRuntimeGetVersion(&value));
    T(hipDriverGetVersion(&value));
    set_device(0);
    if (load_kernels() != 0)
        note(hipPeekAtLastError() ? hipPeekAtLastError() : hipErrorUnknown, "load_kernels()");
    set_device(0);
}

/* ---- devices and contexts ------------------------------------------------------------------ */

static void ask_devices(void)
{
    char text[64];
    hipUUID uuid;
    hipDevice_t device;
    size_t bytes, more;
    unsigned flags;
    int value, second;
    T(hipDeviceGet(&device, 1));
    T(hipDeviceGetName(text, sizeof text, 1));
    T(hipDeviceGetUuid(&uuid, 1));
    T(hipDeviceTotalMem(&bytes, 1));
    T(hipDeviceGetPCIBusId(text, sizeof text, 0));
    T(hipDeviceComputeCapability(&value, &second, 0));
    T(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
    T(hipDeviceGetAttribute(&value, hipDeviceAttributeClockRate, 0));
    T(hipMemGetInfo(&bytes, &more));
    T(hipDeviceGetStreamPriorityRange(&value, &second));
    T(hipGetDeviceFlags(&flags));
    T(hipDeviceGetLimit(&bytes, hipLimitMallocHeapSize));
    T(hipDeviceSetLimit(hipLimitMallocHeapSize, bytes));
    hipFuncCache_t cache;
    T(hipDeviceGetCacheConfig(&cache));
    T(hipDeviceSetCacheConfig(hipFuncCachePreferNone));
    hipSharedMemConfig shared;
    T(hipDeviceGetSharedMemConfig(&shared));
    T(hipDeviceSetSharedMemConfig(hipSharedMemBankSizeFourByte));
    if (!over_hsa()) {
        T(hipProfilerStart());
        T(hipProfilerStop());
        T(hipDeviceGetTexture1DLinearMaxWidth(&bytes, &words, 0));
    }
    T(hipDeviceSynchronize());
}

static void use_contexts(void)
{
    hipCtx_t context = NULL, current;
    unsigned flags;
    int active;
    T(hipDevicePrimaryCtxGetState(1, &flags, &active));
    if (T(hipDevicePrimaryCtxRetain(&context, 1)) == hipSuccess) {
        T(hipCtxPushCurrent(context));
        T(hipCtxGetCurrent(&current));
        T(hipCtxSynchronize());
        T(hipCtxPopCurrent(&current));
        END(hipDevicePrimaryCtxRelease(1));
    }
    set_device(0);
}

static void reset(void)
{
    void *memory = NULL;
    set_device(1);
    if (T(hipMalloc(&memory, 4096)) == hipSuccess)
        T(hipMemset(memory, 1, 4096));
    END(hipDeviceReset());
    set_device(0);
}

static void use_peers(void)
{
    int can = 0, value;
    void *first = NULL, *second = NULL;
    T(hipDeviceCanAccessPeer(&can, 0, 1));
    T(hipDeviceGetP2PAttribute(&value, hipDevP2PAttrAccessSupported, 0, 1));
    T(hipMalloc(&first, 8192));
    bool enabled = T(hipDeviceEnablePeerAccess(1, 0)) == hipSuccess;
    set_device(1);
    T(hipMalloc(&second, 8192));
    set_device(0);
    if (first && second) {
        T(hipMemcpyPeer(second, 1, first, 0, 8192));
        T(hipMemcpyPeerAsync(first, 0, second, 1, 8192, NULL));
        T(hipMemcpy(second, first, 64, hipMemcpyDeviceToDevice));
        if (enabled)
            T(launch_fill(second, 1, 4, NULL));
        hipMemcpy3DPeerParms box = {.srcPtr = {first, 64, 64, 4},
                                    .srcDevice = 0,
                                    .dstPtr = {second, 64, 64, 4},
                                    .dstDevice = 1,
                                    .extent = {32, 4, 1}};
        T(hipMemcpy3DPeer(&box));
        T(hipMemcpy3DPeerAsync(&box, NULL));
    }
    T(hipDeviceSynchronize());
    if (enabled)
        END(hipDeviceDisablePeerAccess(1));
    if (second)
        END(hipFree(second));
    if (first)
        END(hipFree(first));
}

/* ---- memory -------------------------------------------------------------------------------- */

static char pages[3 << 20] __attribute__((aligned(4096)));

static void allocate(void)
{
    void *plain = NULL, *fine = NULL, *pitched = NULL, *pinned = NULL, *device = NULL;
    hipPitchedPtr box = {0};
    size_t pitch;
    unsigned flags;
    T(hipMalloc(&plain, 1 << 16));
    T(hipExtMallocWithFlags(&fine, 4096, hipDeviceMallocFinegrained));
    T(hipMallocPitch(&pitched, &pitch, 100, 10));
    T(hipMalloc3D(&box, (hipExtent){100, 4, 3}));
    T(hipHostMalloc(&pinned, 8192, hipHostMallocMapped | hipHostMallocPortable));
    if (pinned) {
        T(hipHostGetDevicePointer(&device, pinned, 0));
        T(hipHostGetFlags(&flags, pinned));
    }
    if (T(hipHostRegister(pages, 8192, hipHostRegisterDefault)) == hipSuccess) {
        T(hipHostGetDevicePointer(&device, pages, 0));
        END(hipHostUnregister(pages));
    }
    if (pinned)
        END(hipHostFree(pinned));
    if (box.ptr)
        END(hipFree(box.ptr));
    if (pitched)
        END(hipFree(pitched));
    if (fine)
        END(hipFree(fine));
    if (plain)
        END(hipFree(plain));
}

static void manage(void)
{
    void *memory = NULL;
    hipStream_t stream = NULL;
    size_t size = 8192, first = 0;
    hipMemLocation place = {hipMemLocationTypeDevice, 0};
    int value;
    T(hipStreamCreate(&stream));
    if (T(hipMallocManaged(&memory, 8192, hipMemAttachGlobal)) == hipSuccess) {
        T(hipMemAdvise(memory, 8192, hipMemAdviseSetReadMostly, 0));
        T(hipMemPrefetchAsync(memory, 8192, 0, stream));
        T(hipMemPrefetchBatchAsync(&memory, &size, 1, &place, &first, 1, 0, stream));
        T(hipMemDiscardBatchAsync(&memory, &size, 1, 0, stream));
        T(hipMemDiscardAndPrefetchBatchAsync(&memory, &size, 1, &place, &first, 1, 0, stream));
        T(hipMemRangeGetAttribute(&value, sizeof value, hipMemRangeAttributeReadMostly, memory,
                                  8192));
        T(hipStreamAttachMemAsync(stream, memory, 0, hipMemAttachGlobal));
        T(launch_fill(memory, 5, 16, stream));
        T(hipStreamSynchronize(stream));
        END(hipFree(memory));
    }
    if (stream)
        END(hipStreamDestroy(stream));
}

static void ask_pointers(void)
{
    char *memory = NULL;
    void *start;
    hipPointerAttribute_t attributes;
    size_t size;
    int value;
    unsigned on = 1;
    if (T(hipMalloc((void **)&memory, 4096)) != hipSuccess)
        return;
    T(hipPointerGetAttributes(&attributes, memory + 8));
    T(hipMemGetAddressRange(&start, &size, memory + 8));
    T(hipMemPtrGetInfo(memory, &size));
    T(hipPointerGetAttribute(&value, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, memory));
    void *data[] = {&value};
    hipPointer_attribute which[] = {HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    T(hipDrvPointerGetAttributes(1, which, data, memory));
    T(hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
    END(hipFree(memory));
}

static void use_pools(void)
{
    hipMemPoolProps properties = {.allocType = hipMemAllocationTypePinned,
                                  .location = {hipMemLocationTypeDevice, 0}};
    hipMemAccessDesc access = {{hipMemLocationTypeDevice, 1}, hipMemAccessFlagsProtReadWrite};
    hipMemLocation location = {hipMemLocationTypeDevice, 1};
    hipMemAccessFlags flags;
    hipMemPool_t pool = NULL, other;
    hipStream_t stream = NULL;
    void *queued = NULL, *pooled = NULL;
    uint64_t value = 0;
    T(hipStreamCreate(&stream));
    T(hipDeviceGetDefaultMemPool(&other, 0));
    T(hipDeviceGetMemPool(&other, 0));
    T(hipMallocAsync(&queued, 4096, stream));
    if (T(hipMemPoolCreate(&pool, &properties)) == hipSuccess) {
        T(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &value));
        T(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &value));
        T(hipMallocFromPoolAsync(&pooled, 8192, pool, stream));
        T(hipMemPoolSetAccess(pool, &access, 1));
        T(hipMemPoolGetAccess(&flags, pool, &location));
        T(hipDeviceSetMemPool(0, pool));
        T(hipMemPoolTrimTo(pool, 0));
    }
    if (queued) {
        T(launch_fill(queued, 3, 8, stream));
        END(hipFreeAsync(queued, stream));
    }
    if (pooled)
        END(hipFreeAsync(pooled, stream));
    END(hipStreamSynchronize(stream));
    if (pool)
        END(hipMemPoolDestroy(pool));
    if (stream)
        END(hipStreamDestroy(stream));
}

static void share_pools(void)
{
    hipMemPoolProps properties = {.allocType = hipMemAllocationTypePinned,
                                  .handleTypes = hipMemHandleTypePosixFileDescriptor,
                                  .location = {hipMemLocationTypeDevice, 0}};
    hipMemPool_t pool = NULL, imported = NULL;
    hipMemPoolPtrExportData data;
    void *memory = NULL, *again = NULL;
    int file = -1;
    if (over_hsa() || T(hipMemPoolCreate(&pool, &properties)) != hipSuccess)
        return;
    T(hipMallocFromPoolAsync(&memory, 4096, pool, NULL));
    T(hipStreamSynchronize(NULL));
    if (T(hipMemPoolExportToShareableHandle(&file, pool, hipMemHandleTypePosixFileDescriptor, 0)) ==
        hipSuccess) {
        T(hipMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)file,
                                              hipMemHandleTypePosixFileDescriptor, 0));
        close(file);
    }
    if (imported && memory && T(hipMemPoolExportPointer(&data, memory)) == hipSuccess)
        T(hipMemPoolImportPointer(&again, imported, &data));
    if (again)
        END(hipFreeAsync(again, NULL));
    if (memory)
        END(hipFreeAsync(memory, NULL));
    END(hipStreamSynchronize(NULL));
    if (imported)
        END(hipMemPoolDestroy(imported));
    END(hipMemPoolDestroy(pool));
}

static void map_memory(void)
{
    hipMemAllocationProp physical = {.type = hipMemAllocationTypePinned,
                                     .requestedHandleType = hipMemHandleTypePosixFileDescriptor,
                                     .location = {hipMemLocationTypeDevice, 0}};
    hipMemAccessDesc access = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
    hipMemGenericAllocationHandle_t memory = NULL, imported = NULL, retained = NULL;
    unsigned long long flags;
    void *address = NULL;
    size_t size = 2 << 20, grain;
    int file = -1;
    bool mapped = false;
    T(hipMemGetAllocationGranularity(&grain, &physical, hipMemAllocationGranularityMinimum));
    T(hipMemCreate(&memory, size, &physical, 0));
    T(hipMemAddressReserve(&address, size, 0, NULL, 0));
    if (memory && address)
        mapped = T(hipMemMap(address, size, 0, memory, 0)) == hipSuccess;
    if (mapped && T(hipMemSetAccess(address, size, &access, 1)) == hipSuccess) {
        T(hipMemGetAccess(&flags, &access.location, address));
        T(hipMemset(address, 1, 4096));
        if (T(hipMemRetainAllocationHandle(&retained, address)) == hipSuccess)
            END(hipMemRelease(retained));
    }
    if (memory && T(hipMemExportToShareableHandle(
                      &file, memory, hipMemHandleTypePosixFileDescriptor, 0)) == hipSuccess) {
        if (T(hipMemImportFromShareableHandle(&imported, (void *)(intptr_t)file,
                                              hipMemHandleTypePosixFileDescriptor)) == hipSuccess)
            END(hipMemRelease(imported));
        close(file);
    }
    if (T(hipDeviceSynchronize()) != hipSuccess) /* handles and addresses outlive a reset */
        END(hipDeviceReset());
    if (mapped)
        END(hipMemUnmap(address, size));
    if (address)
        END(hipMemAddressFree(address, size));
    if (memory)
        END(hipMemRelease(memory));
}

/* A semaphore in shared memory: docs/interop.md. */
static int semaphore_file(void)
{
    const struct {
        char mark[8];
        uint32_t kind, turns;
        uint64_t value;
    } content = {.mark = {'A', 'n', 'y', 'H', 'I', 'P', 's', 'm'}, .kind = 2};
    int file = memfd_create("semaphore", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return file >= 0 && write(file, &content, sizeof content) == (ssize_t)sizeof content &&
                   fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) == 0
               ? file
               : -1;
}

static void import_semaphore(void)
{
    hipExternalSemaphoreHandleDesc description = {
        .type = hipExternalSemaphoreHandleTypeTimelineSemaphoreFd, .handle.fd = semaphore_file()};
    const hipExternalSemaphoreSignalParams signal = {.params.fence.value = 1};
    const hipExternalSemaphoreWaitParams wait = {.params.fence.value = 1};
    hipExternalSemaphore_t semaphore;
    if (T(hipImportExternalSemaphore(&semaphore, &description)) != hipSuccess) {
        close(description.handle.fd);
        return;
    }
    if (T(hipSignalExternalSemaphoresAsync(&semaphore, &signal, 1, NULL)) == hipSuccess)
        T(hipWaitExternalSemaphoresAsync(&semaphore, &wait, 1, NULL));
    END(hipStreamSynchronize(NULL)); /* NVIDIA's driver asks that the work has ended */
    END(hipDestroyExternalSemaphore(semaphore));
}

static void import_memory(void)
{
    hipExternalMemoryHandleDesc description = {.type = hipExternalMemoryHandleTypeOpaqueFd,
                                               .size = 2 << 20};
    const hipExternalMemoryBufferDesc part = {.size = 1 << 20};
    hipExternalMemory_t memory;
    void *exported = NULL, *first = NULL, *second = NULL;
    if (T(hipMalloc(&exported, 2 << 20)) != hipSuccess)
        return;
    if (T(hipMemGetHandleForAddressRange(&description.handle.fd, exported, 2 << 20,
                                         hipMemRangeHandleTypeDmaBufFd, 0)) == hipSuccess) {
        if (T(hipImportExternalMemory(&memory, &description)) == hipSuccess) {
            if (T(hipExternalMemoryGetMappedBuffer(&first, memory, &part)) == hipSuccess)
                T(hipMemset(first, 1, 4096));
            T(hipExternalMemoryGetMappedBuffer(&second, memory, &part));
            if (first)
                END(hipFree(first));
            END(hipDestroyExternalMemory(memory));
            if (second)
                END(hipFree(second));
        } else {
            close(description.handle.fd);
        }
    }
    END(hipFree(exported));
}

static void use_external(void)
{
    import_memory();
    import_semaphore();
}

static void share(void)
{
    hipIpcMemHandle_t memory_handle;
    hipIpcEventHandle_t event_handle;
    hipEvent_t event = NULL, opened = NULL;
    void *memory = NULL;
    if (T(hipMalloc(&memory, 1 << 16)) == hipSuccess) {
        T(hipIpcGetMemHandle(&memory_handle, memory));
        END(hipFree(memory));
    }
    if (T(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming)) !=
        hipSuccess)
        return;
    T(hipIpcGetEventHandle(&event_handle, event));
    END(hipEventDestroy(event));
    if (T(hipIpcOpenEventHandle(&opened, fault_event)) == hipSuccess) {
        if (T(hipEventRecord(opened, NULL)) == hipSuccess)
            T(hipEventSynchronize(opened));
        END(hipEventDestroy(opened));
    }
}

/* ---- copies and fills ---------------------------------------------------------------------- */

/* As much as goes through all of the buffers with which AMD's backend copies in pieces. On CUDA the
 * driver does that: there it is more than what the driver copies aside while the stream waits. */
static size_t large(void)
{
    return strcmp(the_fake()->vendor, "hsa") == 0 ? sizeof pages : 128 << 10;
}

static void copy_in_batches(char *first, char *second, char *pinned)
{
    void *dsts[] = {first, pinned}, *srcs[] = {pinned + 64, second};
    size_t sizes[] = {64, 64};
    hipMemcpy3DBatchOp box = {.src = {hipMemcpyOperandTypePointer, {.ptr = {first, 16, 2, {0}}}},
                              .dst = {hipMemcpyOperandTypePointer, {.ptr = {second, 16, 2, {0}}}},
                              .extent = {8, 2, 2},
                              .srcAccessOrder = hipMemcpySrcAccessOrderStream};
    T(hipMemcpyBatchAsync(dsts, srcs, sizes, 2, NULL, NULL, 0, NULL, hipStreamPerThread));
    T(hipMemcpyBatchAsync(dsts, srcs, sizes, 2, NULL, NULL, 0, NULL, NULL));
    T(hipMemcpy3DBatchAsync(1, &box, NULL, 0, NULL));
    T(hipStreamSynchronize(hipStreamPerThread));
}

static void copy(void)
{
    char *first = NULL, *second = NULL, *pinned = NULL;
    void *symbol;
    size_t size = large();
    uint32_t word = 5;
    T(hipMalloc((void **)&first, size));
    T(hipMalloc((void **)&second, size));
    T(hipHostMalloc((void **)&pinned, size, 0));
    if (first && second && pinned) {
        T(hipMemcpy(first, pages, size, hipMemcpyHostToDevice));
        T(hipMemcpy(second, first, size, hipMemcpyDeviceToDevice));
        T(hipMemcpy(pages, second, size, hipMemcpyDeviceToHost));
        T(hipMemcpy(pinned, first, size, hipMemcpyDefault));
        T(hipMemcpy(first, pinned, size, hipMemcpyDefault));
        T(hipMemcpy(pages, pinned, 64, hipMemcpyHostToHost));
        T(hipMemcpyAsync(first, pages, 64, hipMemcpyHostToDevice, NULL));
        T(hipMemcpyAsync(pages, first, 64, hipMemcpyDeviceToHost, NULL));
        T(hipMemcpyAsync(second, first, 64, hipMemcpyDeviceToDevice, NULL));
        T(hipMemcpyAsync(pinned, first, 64, hipMemcpyDeviceToHost, NULL));
        T(hipMemcpyWithStream(first, pinned, 64, hipMemcpyHostToDevice, NULL));
        T(hipMemcpyHtoD(first, pages, 64));
        T(hipMemcpyDtoH(pages, first, 64));
        T(hipMemcpyDtoD(second, first, 64));
        copy_in_batches(first, second, pinned);
        T(hipStreamSynchronize(NULL));
    }
    T(hipMemcpyToSymbol(&counter_variable, &word, 4, 0, hipMemcpyHostToDevice));
    T(hipMemcpyFromSymbol(&word, &counter_variable, 4, 0, hipMemcpyDeviceToHost));
    T(hipGetSymbolAddress(&symbol, &table_variable));
    T(hipGetSymbolSize(&size, &table_variable));
    if (pinned)
        END(hipHostFree(pinned));
    if (second)
        END(hipFree(second));
    if (first)
        END(hipFree(first));
}

static void copy_rows(void)
{
    char *first = NULL, *second = NULL, *pinned = NULL;
    T(hipMalloc((void **)&first, 1 << 16));
    T(hipMalloc((void **)&second, 1 << 16));
    T(hipHostMalloc((void **)&pinned, 1 << 16, 0));
    if (first && second && pinned) {
        T(hipMemcpy2D(first, 256, pages, 64, 64, 8, hipMemcpyHostToDevice));
        T(hipMemcpy2D(pages, 64, first, 256, 64, 8, hipMemcpyDeviceToHost));
        T(hipMemcpy2D(second, 128, first, 256, 64, 8, hipMemcpyDeviceToDevice));
        T(hipMemcpy2DAsync(first, 256, pinned, 64, 64, 8, hipMemcpyHostToDevice, NULL));
        T(hipMemcpy2DAsync(pinned, 64, first, 256, 64, 8, hipMemcpyDeviceToHost, NULL));
        hipMemcpy3DParms box = {.srcPtr = {pages, 64, 64, 8},
                                .dstPtr = {first, 256, 64, 8},
                                .extent = {64, 8, 3},
                                .kind = hipMemcpyHostToDevice};
        T(hipMemcpy3D(&box));
        T(hipMemcpy3DAsync(&box, NULL));
        T(hipStreamSynchronize(NULL));
    }
    if (pinned)
        END(hipHostFree(pinned));
    if (second)
        END(hipFree(second));
    if (first)
        END(hipFree(first));
}

static void fill(void)
{
    char *memory = NULL, *pinned = NULL;
    const size_t size = large();
    T(hipMalloc((void **)&memory, size));
    T(hipHostMalloc((void **)&pinned, 4096, 0));
    if (memory) {
        T(hipMemset(memory, 1, 64));
        T(hipMemset(memory, 1, size));
        T(hipMemsetAsync(memory, 2, size, NULL));
        T(hipMemsetD8(memory, 1, 64));
        T(hipMemsetD16(memory, 1, 64));
        T(hipMemsetD32(memory, 1, 64));
        T(hipMemset2D(memory, 256, 3, 64, 16));
        T(hipMemset2DAsync(memory, 256, 3, 64, 16, NULL));
        T(hipMemset3D((hipPitchedPtr){memory, 256, 64, 8}, 4, (hipExtent){64, 8, 2}));
    }
    if (pinned)
        T(hipMemset(pinned, 1, 4096));
    T(hipStreamSynchronize(NULL));
    if (pinned)
        END(hipHostFree(pinned));
    if (memory)
        END(hipFree(memory));
}

/* ---- arrays and textures ------------------------------------------------------------------- */

static void use_arrays(void)
{
    hipArray_t array = NULL, other = NULL;
    hipChannelFormatDesc format;
    hipExtent extent;
    unsigned flags;
    T(hipMallocArray(&array, &words, 16, 8, 0));
    T(hipMalloc3DArray(&other, &words, (hipExtent){16, 8, 0}, 0));
    if (array && other) {
        T(hipArrayGetInfo(&format, &extent, &flags, array));
        T(hipMemcpy2DToArray(array, 0, 0, pages, 64, 64, 8, hipMemcpyHostToDevice));
        T(hipMemcpy2DFromArray(pages, 64, array, 0, 0, 64, 8, hipMemcpyDeviceToHost));
        T(hipMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, 64, 8, hipMemcpyDeviceToDevice));
        T(hipMemcpyToArray(array, 0, 0, pages, 128, hipMemcpyHostToDevice));
    }
    if (other)
        END(hipFreeArray(other));
    if (array)
        END(hipFreeArray(array));
}

static void use_textures(void)
{
    hipResourceDesc resource = {.resType = hipResourceTypeArray};
    hipTextureDesc texture = {.readMode = hipReadModeElementType};
    hipTextureObject_t object = 0, linear = 0;
    hipSurfaceObject_t surface = 0;
    hipArray_t array = NULL;
    void *memory = NULL;
    if (T(hipMallocArray(&array, &words, 16, 8, hipArraySurfaceLoadStore)) == hipSuccess) {
        resource.res.array.array = array;
        T(hipCreateTextureObject(&object, &resource, &texture, NULL));
        T(hipCreateSurfaceObject(&surface, &resource));
    }
    if (T(hipMalloc(&memory, 4096)) == hipSuccess) {
        hipResourceDesc line = {.resType = hipResourceTypeLinear};
        line.res.linear.devPtr = memory;
        line.res.linear.desc = words;
        line.res.linear.sizeInBytes = 4096;
        T(hipCreateTextureObject(&linear, &line, &texture, NULL));
    }
    if (linear)
        END(hipDestroyTextureObject(linear));
    if (surface)
        END(hipDestroySurfaceObject(surface));
    if (object)
        END(hipDestroyTextureObject(object));
    if (memory)
        END(hipFree(memory));
    if (array)
        END(hipFreeArray(array));
}

static void use_mipmaps(void)
{
    hipMipmappedArray_t mipmap = NULL;
    hipArray_t level;
    hipResourceDesc resource = {.resType = hipResourceTypeMipmappedArray};
    hipTextureDesc texture = {.readMode = hipReadModeElementType, .normalizedCoords = 1};
    hipTextureObject_t object = 0;
    T(hipSetDevice(1)); /* over HSA the first has none */
    if (T(hipMallocMipmappedArray(&mipmap, &words, (hipExtent){16, 16, 0}, 2, 0)) != hipSuccess)
        goto done;
    T(hipGetMipmappedArrayLevel(&level, mipmap, 1));
    resource.res.mipmap.mipmap = mipmap;
    if (T(hipCreateTextureObject(&object, &resource, &texture, NULL)) == hipSuccess)
        END(hipDestroyTextureObject(object));
    END(hipFreeMipmappedArray(mipmap));
done:
    T(hipSetDevice(0));
}

static void use_sparse_arrays(void)
{
    const hipMemAllocationProp properties = {.type = hipMemAllocationTypePinned,
                                             .location = {.type = hipMemLocationTypeDevice}};
    hipMemGenericAllocationHandle_t memory = NULL;
    hipArray_t array = NULL;
    if (over_hsa()) /* has none */
        return;
    T(hipMalloc3DArray(&array, &words, (hipExtent){256, 256, 0}, anyhipArraySparse));
    T(hipMemCreate(&memory, 2 << 20, &properties, 0));
    if (array && memory) {
        hipArrayMapInfo part = {.resourceType = hipResourceTypeArray,
                                .resource.array = array,
                                .memOperationType = hipMemOperationTypeMap,
                                .memHandle.memHandle = memory,
                                .deviceBitMask = 1};
        part.subresource.sparseLevel.extentWidth = 256;
        part.subresource.sparseLevel.extentHeight = 256;
        part.subresource.sparseLevel.extentDepth = 1;
        T(hipMemMapArrayAsync(&part, 1, NULL));
        T(hipMemcpy2DToArray(array, 0, 0, pages, 64, 64, 8, hipMemcpyHostToDevice));
        part.memOperationType = hipMemOperationTypeUnmap;
        T(hipMemMapArrayAsync(&part, 1, NULL));
        T(hipDeviceSynchronize());
    }
    if (array)
        END(hipFreeArray(array));
    if (memory)
        END(hipMemRelease(memory));
}

/* False: they stay mapped, because the device has failed. */
static bool map_and_unmap(hipGraphicsResource_t resources[2])
{
    hipArray_t array;
    void *pointer;
    if (T(hipGraphicsMapResources(2, resources, NULL)) != hipSuccess)
        return true;
    T(hipGraphicsResourceGetMappedPointer(&pointer, NULL, resources[0]));
    T(hipGraphicsSubResourceGetMappedArray(&array, resources[1], 0, 0));
    if (T(hipGraphicsUnmapResources(2, resources, NULL)) == hipSuccess)
        return true;
    hipError_t error = hipGraphicsUnmapResources(2, resources, NULL);
    check_gone(error, "hipGraphicsUnmapResources");
    return error == hipSuccess;
}

/* Objects of the fake OpenGL. */
static void use_graphics(void)
{
    enum { SIZE = 4096, TEXTURE_2D = 0x0DE1 };
    hipGraphicsResource_t resources[2] = {NULL, NULL};
    bool unmapped = true;
    unsigned count;
    int device;
    fakegl_make_current(true);
    unsigned buffer = fakegl_buffer(SIZE), image = fakegl_texture(16, 16);
    T(hipGLGetDevices(&count, &device, 1, hipGLDeviceListAll));
    T(hipGraphicsGLRegisterBuffer(&resources[0], buffer, 0));
    T(hipGraphicsGLRegisterImage(&resources[1], image, TEXTURE_2D, 0));
    if (resources[0] && resources[1])
        unmapped = map_and_unmap(resources);
    for (int i = 0; i < 2; i++)
        if (resources[i] && unmapped)
            END(hipGraphicsUnregisterResource(resources[i]));
    fakegl_delete(buffer);
    fakegl_delete(image);
    fakegl_make_current(false);
}

/* ---- code ---------------------------------------------------------------------------------- */

static void use_modules(void)
{
    hipModule_t module = NULL;
    hipFunction_t function = NULL, functions[32];
    struct hipFuncAttributes attributes;
    hipDeviceptr_t address;
    size_t size;
    unsigned count = 0;
    int blocks, block;
    if (T(hipModuleLoadData(&module, kernels_image())) != hipSuccess)
        return;
    T(hipModuleGetFunction(&function, module, "empty"));
    T(hipModuleGetGlobal(&address, &size, module, "table"));
    if (T(hipModuleGetFunctionCount(&count, module)) == hipSuccess && count <= 32)
        T(hipModuleEnumerateFunctions(functions, count, module));
    if (function) {
        T(hipFuncGetAttributes(&attributes, function));
        T(hipFuncGetAttribute(&block, HIP_FUNC_ATTRIBUTE_NUM_REGS, function));
        T(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 64, 0));
        T(hipModuleOccupancyMaxPotentialBlockSize(&blocks, &block, function, 0, 0));
        T(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    }
    T(hipStreamSynchronize(NULL));
    END(hipModuleUnload(module));
}

static void use_libraries(void)
{
    hipLibrary_t library = NULL;
    hipKernel_t kernel = NULL, kernels[32];
    hipFunction_t function;
    hipModule_t module;
    void *address;
    size_t size;
    unsigned count = 0, milliseconds = 0;
    void *arguments[] = {&milliseconds};
    int value;
    if (T(hipLibraryLoadData(&library, kernels_image(), NULL, NULL, 0, NULL, NULL, 0)) !=
        hipSuccess)
        return;
    T(hipLibraryGetKernel(&kernel, library, "fake_spin"));
    T(hipLibraryGetGlobal(&address, &size, library, "table"));
    T(hipLibraryGetModule(&module, library));
    if (T(hipLibraryGetKernelCount(&count, library)) == hipSuccess && count <= 32)
        T(hipLibraryEnumerateKernels(kernels, count, library));
    if (kernel) {
        T(hipKernelGetFunction(&function, kernel));
        T(hipKernelGetParamInfo(kernel, 0, &size, NULL));
        T(hipKernelGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, kernel, 1));
        T(hipLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0, NULL));
    }
    T(hipStreamSynchronize(NULL));
    END(hipLibraryUnload(library));
}

/* By NVIDIA's driver; the compiler's links are of hiprtc. */
static void use_links(void)
{
    static char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                         ".visible .entry linked()\n{\n    ret;\n}\n";
    hipLinkState_t link = NULL;
    void *image;
    size_t size;
    if (over_hsa() || T(hipLinkCreate(0, NULL, NULL, &link)) != hipSuccess)
        return;
    T(hipLinkAddData(link, hipJitInputPtx, text, sizeof text, NULL, 0, NULL, NULL));
    T(hipLinkComplete(link, &image, &size));
    END(hipLinkDestroy(link));
}

static void use_functions(void)
{
    struct hipFuncAttributes attributes;
    hipFunction_t function;
    int blocks, block;
    T(hipGetFuncBySymbol(&function, &fill_kernel));
    T(hipFuncGetAttributes(&attributes, &shared_kernel));
    T(hipFuncSetAttribute(&bounded_kernel, hipFuncAttributeMaxDynamicSharedMemorySize, 16384));
    T(hipFuncSetCacheConfig(&bounded_kernel, hipFuncCachePreferNone));
    T(hipFuncSetSharedMemConfig(&bounded_kernel, hipSharedMemBankSizeFourByte));
    T(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &fill_kernel, 64, 0));
    T(hipOccupancyMaxPotentialBlockSize(&blocks, &block, &fill_kernel, 0, 0));
}

static void launch(void)
{
    uint32_t *memory = NULL, value = 1, count = 4, milliseconds = 0;
    hipStream_t stream = NULL;
    hipEvent_t before = NULL, after = NULL;
    T(hipMalloc((void **)&memory, 4096));
    T(hipStreamCreate(&stream));
    T(hipEventCreate(&before));
    T(hipEventCreate(&after));
    void *args[] = {&memory, &value, &count}, *spin[] = {&milliseconds};
    if (memory && stream && before && after) {
        T(launch_fill(memory, 1, 4, NULL));
        T(launch_fill(memory, 2, 4, stream));
        T(hipLaunchKernel(&fill_kernel, one, one, args, 60000, stream));
        T(hipLaunchCooperativeKernel(&fill_kernel, one, one, args, 0, stream));
        T(hipExtLaunchKernel(&spin_kernel, one, one, spin, 0, stream, before, after, 0));
        hipLaunchConfig_t config = {.gridDim = one, .blockDim = one, .stream = stream};
        T(hipLaunchKernelExC(&config, &fill_kernel, args));
        if (T(hipConfigureCall(one, one, 0, stream)) == hipSuccess) {
            T(hipSetupArgument(&memory, 8, 0));
            T(hipSetupArgument(&value, 4, 8));
            T(hipSetupArgument(&count, 4, 12));
            T(hipLaunchByPtr(&fill_kernel));
        }
        T(hipStreamSynchronize(stream));
    }
    if (after)
        END(hipEventDestroy(after));
    if (before)
        END(hipEventDestroy(before));
    if (stream)
        END(hipStreamDestroy(stream));
    T(hipDeviceSynchronize());
    if (memory)
        END(hipFree(memory));
}

static void launch_together(void)
{
    hipStream_t streams[2] = {NULL, NULL};
    hipLaunchParams list[2];
    bool good = true;
    for (int i = 0; i < 2; i++) {
        set_device(i);
        good &= T(hipStreamCreate(&streams[i])) == hipSuccess;
        list[i] = (hipLaunchParams){.func = (void *)(uintptr_t)&empty_kernel,
                                    .gridDim = one,
                                    .blockDim = one,
                                    .stream = streams[i]};
    }
    hipFunctionLaunchParams functions[2];
    for (int i = 0; i < 2; i++) {
        hipFunction_t function = NULL;
        set_device(i);
        good &= T(hipGetFuncBySymbol(&function, &empty_kernel)) == hipSuccess;
        functions[i] = (hipFunctionLaunchParams){.function = function,
                                                 .gridDimX = 1,
                                                 .gridDimY = 1,
                                                 .gridDimZ = 1,
                                                 .blockDimX = 1,
                                                 .blockDimY = 1,
                                                 .blockDimZ = 1,
                                                 .hStream = streams[i]};
    }
    set_device(0);
    if (good) {
        T(hipLaunchCooperativeKernelMultiDevice(list, 2, 0));
        T(hipModuleLaunchCooperativeKernelMultiDevice(functions, 2, 0));
    }
    for (int i = 0; i < 2; i++) {
        if (!streams[i])
            continue;
        T(hipStreamSynchronize(streams[i]));
        END(hipStreamDestroy(streams[i]));
    }
}

/* ---- streams and events -------------------------------------------------------------------- */

static void on_callback(hipStream_t stream, hipError_t error, void *data)
{
    (void)stream, (void)error;
    ++*(unsigned *)data;
}

static void on_host(void *data)
{
    ++*(unsigned *)data;
}

static void use_streams(void)
{
    static unsigned callbacks, functions;
    hipStream_t first = NULL, second = NULL, third = NULL;
    hipEvent_t event = NULL;
    uint32_t *flag = NULL;
    unsigned flags;
    int value;
    uint32_t mask = ~0u;
    hipStreamBatchMemOpParams barrier = {.operation = hipStreamMemOpBarrier};
    T(hipStreamCreate(&first));
    T(hipStreamCreateWithPriority(&second, hipStreamNonBlocking, -1));
    T(hipExtStreamCreateWithCUMask(&third, 1, &mask));
    T(hipEventCreate(&event));
    T(hipHostMalloc((void **)&flag, 64, 0));
    if (first && second && event && flag) {
        memset(flag, 0, 64);
        flag[2] = 1;
        T(hipStreamGetFlags(second, &flags));
        T(hipStreamGetPriority(second, &value));
        T(launch_fill(flag + 4, 1, 1, first));
        T(hipEventRecord(event, first));
        T(hipStreamWaitEvent(second, event, 0));
        T(hipStreamWaitEvent(NULL, event, 0));
        T(launch_fill(flag + 5, 1, 1, second));
        T(hipStreamAddCallback(first, on_callback, &callbacks, 0));
        T(hipLaunchHostFunc(first, on_host, &functions));
        T(hipStreamWriteValue32(first, flag, 1, 0));
        T(hipStreamWaitValue32(second, flag + 2, 1, hipStreamWaitValueGte, ~0u));
        T(hipStreamWriteValue64(second, flag + 8, 1, 0));
        T(hipStreamWriteValue32(first, flag, 1, hipExtStreamWriteValueIncrement));
        T(hipStreamBatchMemOp(second, 1, &barrier, 0));
        if (!over_hsa()) /* the simulated device has no registers for it */
            T(hipDeviceFlushGPUDirectRDMAWrites(hipFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                                hipFlushGPUDirectRDMAWritesToOwner));
        T(hipStreamQuery(first));
        T(hipStreamSynchronize(first));
        T(hipStreamSynchronize(second));
        T(hipStreamSynchronize(hipStreamPerThread));
        T(hipDeviceSynchronize());
    }
    if (third) {
        T(hipLaunchKernel(&empty_kernel, one, one, NULL, 0, third));
        END(hipStreamDestroy(third));
    }
    if (event)
        END(hipEventDestroy(event));
    if (second)
        END(hipStreamDestroy(second));
    if (first)
        END(hipStreamDestroy(first));
    T(hipDeviceSynchronize());
    if (flag)
        END(hipHostFree(flag));
}

static void use_attributes(hipStream_t stream)
{
    hipLaunchAttribute attributes[2] = {{.id = hipLaunchAttributePriority},
                                        {.id = hipLaunchAttributeClusterDimension}};
    const hipStreamAttrValue value = {.syncPolicy = hipSyncPolicyYield};
    hipStreamAttrValue got;
    hipLaunchConfig_t config = {
        .gridDim = one, .blockDim = one, .attrs = attributes, .numAttrs = 2, .stream = stream};
    int count;
    attributes[1].val.clusterDim.x = attributes[1].val.clusterDim.y = 1;
    attributes[1].val.clusterDim.z = 1;
    T(hipStreamSetAttribute(stream, hipStreamAttributeSynchronizationPolicy, &value));
    T(hipStreamGetAttribute(stream, hipStreamAttributeSynchronizationPolicy, &got));
    T(hipStreamCopyAttributes(NULL, stream));
    T(hipLaunchKernelExC(&config, &empty_kernel, NULL));
    T(hipStreamSynchronize(stream));
    if (over_hsa()) /* whose devices have no clusters */
        return;
    T(hipOccupancyMaxActiveClusters(&count, &empty_kernel, &config));
    T(hipOccupancyMaxPotentialClusterSize(&count, &empty_kernel, &config));
}

static void use_execution_contexts(void)
{
    hipDevResource all, part, rest;
    hipDevResourceDesc_t description;
    hipExecutionCtx_t context = NULL;
    hipStream_t first = NULL, second = NULL;
    hipEvent_t event = NULL;
    unsigned count = 1;
    if (T(hipDeviceGetDevResource(0, &all, hipDevResourceTypeSm)) != hipSuccess ||
        T(hipDevSmResourceSplitByCount(&part, &count, &all, &rest, 0, 4)) != hipSuccess ||
        T(hipDevResourceGenerateDesc(&description, &part, 1)) != hipSuccess ||
        T(hipGreenCtxCreate(&context, description, 0, 0)) != hipSuccess)
        return;
    T(hipEventCreate(&event));
    T(hipExecutionCtxStreamCreate(&first, context, hipStreamNonBlocking, 0));
    T(hipExecutionCtxStreamCreate(&second, context, hipStreamDefault, 0));
    if (first && second && event) {
        T(hipStreamGetDevResource(first, &rest, hipDevResourceTypeSm));
        T(hipLaunchKernel(&empty_kernel, one, one, NULL, 0, first));
        T(hipLaunchKernel(&empty_kernel, one, one, NULL, 0, second));
        T(hipExecutionCtxRecordEvent(context, event));
        T(hipExecutionCtxWaitEvent(context, event));
        T(hipExecutionCtxSynchronize(context));
        use_attributes(first);
    }
    if (first)
        END(hipStreamDestroy(first));
    END(hipExecutionCtxDestroy(context));
    if (second)
        END(hipStreamDestroy(second));
    if (event)
        END(hipEventDestroy(event));
}

static void use_events(void)
{
    hipEvent_t first = NULL, second = NULL, plain = NULL;
    hipStream_t stream = NULL;
    float milliseconds;
    T(hipStreamCreate(&stream));
    T(hipEventCreate(&first));
    T(hipEventCreate(&second));
    T(hipEventCreateWithFlags(&plain, hipEventDisableTiming | hipEventBlockingSync));
    if (stream && first && second && plain) {
        bool timed = T(hipEventRecord(first, stream)) == hipSuccess;
        T(hipLaunchKernel(&empty_kernel, one, one, NULL, 0, stream));
        timed &= T(hipEventRecord(second, stream)) == hipSuccess;
        T(hipEventRecord(plain, NULL));
        T(hipEventSynchronize(second));
        T(hipEventSynchronize(plain));
        T(hipEventQuery(second));
        if (timed)
            T(hipEventElapsedTime(&milliseconds, first, second));
    }
    if (plain)
        END(hipEventDestroy(plain));
    if (second)
        END(hipEventDestroy(second));
    if (first)
        END(hipEventDestroy(first));
    if (stream)
        END(hipStreamDestroy(stream));
}

/* ---- graphs -------------------------------------------------------------------------------- */

static void on_destroy(void *data)
{
    ++*(unsigned *)data;
}

static void add_nodes(hipGraph_t graph, hipGraph_t child, hipEvent_t event, void *memory)
{
    hipGraphNode_t nodes[6] = {NULL};
    hipHostNodeParams host = {on_host, nodes};
    hipMemsetParams fill = {.dst = memory, .elementSize = 4, .height = 1, .width = 16};
    T(hipGraphAddEmptyNode(&nodes[0], graph, NULL, 0));
    T(hipGraphAddMemsetNode(&nodes[1], graph, nodes, nodes[0] ? 1 : 0, &fill));
    T(hipGraphAddHostNode(&nodes[2], graph, NULL, 0, &host));
    T(hipGraphAddEventRecordNode(&nodes[3], graph, NULL, 0, event));
    T(hipGraphAddEventWaitNode(&nodes[4], graph, NULL, 0, event));
    T(hipGraphAddChildGraphNode(&nodes[5], graph, NULL, 0, child));
    for (size_t i = 2; i + 1 < sizeof nodes / sizeof *nodes; i++)
        if (nodes[i] && nodes[i + 1])
            T(hipGraphAddDependencies(graph, &nodes[i + 1], &nodes[i], 1));
    if (nodes[1])
        T(hipGraphMemsetNodeSetParams(nodes[1], &fill));
}

/* Kernels, copies and memory operations. */
static void add_work(hipGraph_t graph, uint32_t *memory)
{
    static uint32_t host[16];
    uint32_t value = 1, count = 4;
    void *arguments[] = {&memory, &value, &count};
    hipKernelNodeParams kernel = {.func = (void *)(uintptr_t)&fill_kernel,
                                  .gridDim = {1, 1, 1},
                                  .blockDim = {1, 1, 1},
                                  .kernelParams = arguments};
    const hipMemcpy3DParms box = {.dstPtr = {memory, 8, 8, 2},
                                  .srcPtr = {host, 8, 8, 2},
                                  .extent = {8, 2, 1},
                                  .kind = hipMemcpyHostToDevice};
    hipStreamBatchMemOpParams write = {
        .writeValue = {.operation = hipStreamMemOpWriteValue32, .address = memory, .value = 5}};
    const hipBatchMemOpNodeParams batch = {.count = 1, .paramArray = &write};
    const hipLaunchAttributeValue window = {.accessPolicyWindow = {.hitRatio = 0.5f}},
                                  priority = {.priority = 0};
    hipGraphNode_t node = NULL, other;
    T(hipGraphAddKernelNode(&node, graph, NULL, 0, &kernel));
    if (node) {
        T(hipGraphKernelNodeSetParams(node, &kernel));
        T(hipGraphKernelNodeSetAttribute(node, hipLaunchAttributeAccessPolicyWindow, &window));
        T(hipGraphKernelNodeSetAttribute(node, hipLaunchAttributePriority, &priority));
    }
    T(hipGraphAddMemcpyNode(&other, graph, NULL, 0, &box));
    T(hipGraphAddMemcpyNode1D(&other, graph, NULL, 0, host, memory, 64, hipMemcpyDefault));
    T(hipGraphAddMemcpyNodeToSymbol(&other, graph, NULL, 0, &counter_variable, host, 4, 0,
                                    hipMemcpyHostToDevice));
    T(hipGraphAddMemcpyNodeFromSymbol(&other, graph, NULL, 0, host, &table_variable, 4, 4,
                                      hipMemcpyDeviceToHost));
    T(hipGraphAddBatchMemOpNode(&other, graph, NULL, 0, &batch));
}

static void build_graphs(void)
{
    static unsigned destroyed;
    hipGraph_t graph = NULL, child = NULL, clone = NULL;
    hipUserObject_t object = NULL;
    hipGraphNode_t nodes[8];
    hipEvent_t event = NULL;
    void *memory = NULL;
    size_t count = 8;
    T(hipMalloc(&memory, 64));
    T(hipEventCreate(&event));
    T(hipGraphCreate(&graph, 0));
    T(hipGraphCreate(&child, 0));
    T(hipUserObjectCreate(&object, &destroyed, on_destroy, 1, hipUserObjectNoDestructorSync));
    if (memory && event && graph && child && object) {
        T(hipGraphAddEmptyNode(nodes, child, NULL, 0));
        T(hipGraphRetainUserObject(child, object, 1, 0));
        add_nodes(graph, child, event, memory);
        add_work(graph, memory);
        T(hipGraphGetNodes(graph, nodes, &count));
        T(hipGraphDebugDotPrint(graph, "/dev/null", hipGraphDebugDotFlagsVerbose));
        T(hipGraphClone(&clone, graph));
    }
    if (object)
        END(hipUserObjectRelease(object, 1));
    if (clone)
        END(hipGraphDestroy(clone));
    if (child)
        END(hipGraphDestroy(child));
    if (graph)
        END(hipGraphDestroy(graph));
    if (event)
        END(hipEventDestroy(event));
    if (memory)
        END(hipFree(memory));
}

/* A kernel, a fill, a copy to the host and a function of it. */
static void add_launched(hipGraph_t graph, hipGraphNode_t nodes[4], hipKernelNodeParams *kernel,
                         uint32_t *memory, uint32_t *back)
{
    hipMemsetParams set = {
        .dst = memory + 16, .elementSize = 4, .height = 1, .value = 4, .width = 16};
    static unsigned called;
    hipHostNodeParams host = {on_host, &called};
    T(hipGraphAddKernelNode(&nodes[0], graph, NULL, 0, kernel));
    T(hipGraphAddMemsetNode(&nodes[1], graph, NULL, 0, &set));
    if (nodes[0] && nodes[1])
        T(hipGraphAddMemcpyNode1D(&nodes[2], graph, nodes, 2, back, memory, 128,
                                  hipMemcpyDeviceToHost));
    if (nodes[2])
        T(hipGraphAddHostNode(&nodes[3], graph, &nodes[2], 1, &host));
}

/* What a launch that returned no error did is right, whoever did it. */
static void launch_and_check(hipGraphExec_t exec, hipStream_t stream, const uint32_t *back,
                             uint32_t first, uint32_t second)
{
    bool good = T(hipGraphLaunch(exec, stream)) == hipSuccess;
    good &= T(hipStreamSynchronize(stream)) == hipSuccess;
    if (good && told.failures == 0) {
        check_words(back, 16, first);
        check_words(back + 16, 16, second);
    }
}

static void launch_graphs(void)
{
    hipGraph_t graph = NULL;
    hipGraphExec_t exec = NULL;
    hipGraphNode_t nodes[4] = {NULL};
    hipStream_t stream = NULL;
    uint32_t *memory = NULL, *back = NULL, value = 3, count = 16;
    void *arguments[] = {&memory, &value, &count};
    hipKernelNodeParams kernel = {.func = (void *)&fill_kernel,
                                  .gridDim = {1, 1, 1},
                                  .blockDim = {1, 1, 1},
                                  .kernelParams = arguments};
    T(hipMalloc((void **)&memory, 128));
    T(hipHostMalloc((void **)&back, 128, 0));
    T(hipStreamCreate(&stream));
    T(hipGraphCreate(&graph, 0));
    if (memory && back && stream && graph)
        add_launched(graph, nodes, &kernel, memory, back);
    if (nodes[3])
        T(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    if (exec) {
        T(hipGraphUpload(exec, stream));
        launch_and_check(exec, stream, back, 3, 4);
        value = 5;
        T(hipGraphExecKernelNodeSetParams(exec, nodes[0], &kernel));
        launch_and_check(exec, stream, back, 5, 4);
        T(hipGraphNodeSetEnabled(exec, nodes[0], 0));
        T(hipMemset(memory, 0, 128));
        T(hipDeviceSynchronize());
        launch_and_check(exec, stream, back, 0, 4);
        END(hipGraphExecDestroy(exec));
    }
    if (graph)
        END(hipGraphDestroy(graph));
    if (stream)
        END(hipStreamDestroy(stream));
    if (back)
        END(hipHostFree(back));
    if (memory)
        END(hipFree(memory));
}

/* Allocates, fills and frees; NULL nodes are those that could not be added. */
static hipGraphExec_t make_graph_with_memory(hipGraph_t graph)
{
    hipMemAllocNodeParams allocation = {.bytesize = 256};
    hipGraphNode_t nodes[3] = {NULL};
    hipGraphExec_t exec = NULL;
    allocation.poolProps.allocType = hipMemAllocationTypePinned;
    allocation.poolProps.location.type = hipMemLocationTypeDevice;
    T(hipGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &allocation));
    hipMemsetParams fill = {.dst = allocation.dptr, .elementSize = 4, .height = 1, .width = 16};
    if (nodes[0])
        T(hipGraphAddMemsetNode(&nodes[1], graph, nodes, 1, &fill));
    if (nodes[1])
        T(hipGraphAddMemFreeNode(&nodes[2], graph, &nodes[1], 1, allocation.dptr));
    if (nodes[2])
        T(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    return exec;
}

static void allocate_in_graphs(void)
{
    hipGraph_t graph = NULL;
    hipGraphExec_t exec = NULL;
    uint64_t reserved;
    if (T(hipGraphCreate(&graph, 0)) == hipSuccess)
        exec = make_graph_with_memory(graph);
    for (int i = 0; exec && i < 2; i++) {
        T(hipGraphLaunch(exec, NULL));
        T(hipStreamSynchronize(NULL));
        T(hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrReservedMemCurrent, &reserved));
    }
    END(hipDeviceSynchronize());
    if (exec)
        END(hipGraphExecDestroy(exec));
    if (graph)
        END(hipGraphDestroy(graph));
    END(hipDeviceGraphMemTrim(0));
}

/* Work of two streams becomes one graph. After an error the capture may be invalid, or unjoined. */
static void capture_work(hipStream_t stream, hipStream_t side, hipEvent_t fork, hipEvent_t join,
                         uint32_t *memory)
{
    static uint32_t host[16];
    static unsigned called;
    hipGraph_t graph = NULL;
    if (T(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed)) != hipSuccess)
        return;
    T(launch_fill(memory, 1, 16, stream));
    T(hipEventRecord(fork, stream));
    T(hipStreamWaitEvent(side, fork, 0));
    T(hipMemsetAsync(memory, 1, 64, side));
    T(hipMemcpyAsync(host, memory, 64, hipMemcpyDeviceToHost, stream));
    T(hipLaunchHostFunc(stream, on_host, &called));
    T(hipEventRecordWithFlags(fork, stream, hipEventRecordExternal));
    T(hipEventRecord(join, side));
    T(hipStreamWaitEvent(stream, join, 0));
    T(hipStreamWriteValue32(stream, memory, 5, 0));
    T(hipStreamEndCapture(stream, &graph));
    if (graph)
        END(hipGraphDestroy(graph));
}

static void capture_graphs(void)
{
    hipStream_t stream = NULL, side = NULL;
    hipEvent_t fork = NULL, join = NULL;
    uint32_t *memory = NULL;
    T(hipMalloc((void **)&memory, 64));
    T(hipStreamCreate(&stream));
    T(hipStreamCreate(&side));
    T(hipEventCreate(&fork));
    T(hipEventCreate(&join));
    if (memory && stream && side && fork && join)
        capture_work(stream, side, fork, join, memory);
    if (join)
        END(hipEventDestroy(join));
    if (fork)
        END(hipEventDestroy(fork));
    if (side)
        END(hipStreamDestroy(side));
    if (stream)
        END(hipStreamDestroy(stream));
    if (memory)
        END(hipFree(memory));
}

/* Kernels and functions beside each other, so that AMD's devices run them in several streams, which
 * events order. */
static void add_lanes(hipGraph_t graph, uint32_t *back)
{
    static unsigned called;
    hipHostNodeParams host = {on_host, &called};
    hipGraphNode_t first = NULL, wide[5] = {NULL}, last;
    T(hipGraphAddHostNode(&first, graph, NULL, 0, &host));
    for (unsigned i = 0; first && i < 4; i++) {
        uint32_t *out = back + 8 * i, value = 7, count = 8;
        void *arguments[] = {&out, &value, &count};
        const hipKernelNodeParams kernel = {.func = (void *)&fill_kernel,
                                            .gridDim = {1, 1, 1},
                                            .blockDim = {1, 1, 1},
                                            .kernelParams = arguments};
        T(hipGraphAddKernelNode(&wide[i], graph, &first, 1, &kernel));
    }
    if (first)
        T(hipGraphAddHostNode(&wide[4], graph, &first, 1, &host));
    if (wide[0] && wide[1] && wide[2] && wide[3] && wide[4])
        T(hipGraphAddHostNode(&last, graph, wide, 5, &host));
}

/* In two streams, and after another graph of the same shape has taken its place. */
static void launch_lanes(void)
{
    hipGraph_t graph = NULL, same = NULL;
    hipGraphExec_t exec = NULL;
    hipStream_t stream = NULL, other = NULL;
    hipGraphNode_t blamed;
    hipGraphExecUpdateResult result;
    uint32_t *back = NULL;
    T(hipHostMalloc((void **)&back, 128, hipHostMallocPortable));
    T(hipStreamCreate(&stream));
    T(hipStreamCreate(&other));
    T(hipGraphCreate(&graph, 0));
    T(hipGraphCreate(&same, 0));
    if (back && stream && other && graph && same) {
        add_lanes(graph, back);
        add_lanes(same, back);
        T(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    }
    if (exec) {
        launch_and_check(exec, stream, back, 7, 7);
        launch_and_check(exec, other, back, 7, 7);
        T(hipGraphExecUpdate(exec, same, &blamed, &result));
        launch_and_check(exec, stream, back, 7, 7);
        END(hipGraphExecDestroy(exec));
    }
    if (graph)
        END(hipGraphDestroy(graph));
    if (same)
        END(hipGraphDestroy(same));
    if (other)
        END(hipStreamDestroy(other));
    if (stream)
        END(hipStreamDestroy(stream));
    if (back)
        END(hipHostFree(back));
}

/* The first begins with the library's first call; the others when it has started. */
const struct section fault_sections[] = {
    {"start", start},
    {"devices", ask_devices},
    {"contexts", use_contexts},
    {"reset", reset},
    {"peers", use_peers},
    {"memory", allocate},
    {"managed", manage},
    {"pointers", ask_pointers},
    {"pools", use_pools},
    {"shared pools", share_pools},
    {"virtual", map_memory},
    {"ipc", share},
    {"external", use_external},
    {"copies", copy},
    {"rows", copy_rows},
    {"fills", fill},
    {"arrays", use_arrays},
    {"textures", use_textures},
    {"mipmaps", use_mipmaps},
    {"sparse arrays", use_sparse_arrays},
    {"graphics", use_graphics},
    {"modules", use_modules},
    {"libraries", use_libraries},
    {"links", use_links},
    {"functions", use_functions},
    {"launches", launch},
    {"launches together", launch_together},
    {"streams", use_streams},
    {"execution contexts", use_execution_contexts},
    {"events", use_events},
    {"captured graphs", capture_graphs},
    {"launched graphs", launch_graphs},
    {"graphs in lanes", launch_lanes},
    {"graph structure", build_graphs},
    {"memory of graphs", allocate_in_graphs},
};
const size_t fault_section_count = sizeof fault_sections / sizeof *fault_sections;
