/* Memory as files: dma-bufs, the buffers that libdrm's functions make of them, and the addresses at
 * which devices access them. */
#include "engine.h"
#include "hsakmt_later.h"

#include <errno.h>
#include <sys/mman.h>

static struct {
#define HSAKMT_FUNCTION(name, parameters) HSAKMT_STATUS(*name) parameters;
#include "hsakmt_later.def"
#undef HSAKMT_FUNCTION
    void *(*DtifCreate)(const char *name);
    __typeof__(amdgpu_bo_import) *import;
    __typeof__(amdgpu_bo_free) *free;
    __typeof__(amdgpu_bo_export) *export;
    __typeof__(amdgpu_bo_cpu_map) *cpu_map;
    __typeof__(amdgpu_bo_va_op) *va_op;
    __typeof__(drmCommandWriteRead) *command;
} later;

enum { SIZE = 4 * PAGE, READ = AMDGPU_VM_PAGE_READABLE, WRITE = AMDGPU_VM_PAGE_WRITEABLE };

static void *devices[NODES];

static int open_later(void **state)
{
    (void)state;
    open_library("gfx90a*2");
    void *library = dlopen(SIMKMT_PATH, RTLD_LAZY);
#define HSAKMT_FUNCTION(name, parameters) *(void **)&later.name = dlsym(library, #name);
#include "hsakmt_later.def"
#undef HSAKMT_FUNCTION
    *(void **)&later.DtifCreate = dlsym(library, "DtifCreate");
    *(void **)&later.import = dlsym(library, "amdgpu_bo_import");
    *(void **)&later.free = dlsym(library, "amdgpu_bo_free");
    *(void **)&later.export = dlsym(library, "amdgpu_bo_export");
    *(void **)&later.cpu_map = dlsym(library, "amdgpu_bo_cpu_map");
    *(void **)&later.va_op = dlsym(library, "amdgpu_bo_va_op");
    *(void **)&later.command = dlsym(library, "drmCommandWriteRead");
    if (!later.DtifCreate("HSA") || kmt.hsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS)
        return 1;
    for (uint32_t node = GPU; node < NODES; node++)
        if (later.hsaKmtGetAMDGPUDeviceHandle(node, &devices[node]) != HSAKMT_STATUS_SUCCESS)
            return 1;
    return 0;
}

/* ---- helpers ------------------------------------------------------------------- */

/* Memory of the first device without addresses: only a handle. */
static void *allocate_physical(void)
{
    void *name = NULL;
    HsaMemFlags flags = {.Value = 0};
    flags.ui32.NoAddress = 1;
    ok(kmt.hsaKmtAllocMemory(GPU, SIZE, flags, &name));
    return name;
}

static void *reserve(void)
{
    void *address = NULL;
    HsaMemFlags flags = {.Value = 0};
    flags.ui32.OnlyAddress = 1;
    ok(later.hsaKmtAllocMemoryAlign(0, SIZE, 0, flags, &address));
    return address;
}

static int export_whole(void *memory)
{
    int file = -1;
    uint64_t offset = 1;
    ok(later.hsaKmtExportDMABufHandle(memory, SIZE, &file, &offset));
    assert_int_equal(offset, 0);
    return file;
}

static void *import_for(uint32_t node, int file)
{
    struct amdgpu_bo_import_result result = {NULL, 0};
    assert_int_equal(
        later.import(devices[node], AMDGPU_BO_HANDLE_DMA_BUF_FD, (uint32_t)file, &result), 0);
    assert_int_equal(result.alloc_size, SIZE);
    return result.buf_handle;
}

static int change(void *buffer, void *address, uint64_t flags, uint32_t operation)
{
    return later.va_op(buffer, 0, SIZE, (uintptr_t)address, flags, operation);
}

/* Copies by a device's engine. */
static void copy(uint32_t node, void *to, const void *from)
{
    struct engine engine = make_engine(node);
    put_copy(&engine, to, from, SIZE);
    drain(&engine);
    destroy_engine(&engine);
}

static void copy_faults(uint32_t node, void *to, const void *from)
{
    struct engine engine = make_engine(node);
    HsaEvent *event = new_event(HSA_EVENTTYPE_MEMORY, true);
    put_copy(&engine, to, from, SIZE);
    ok(kmt.hsaKmtWaitOnEvent(event, SECONDS_10));
    destroy_engine(&engine);
    ok(kmt.hsaKmtDestroyEvent(event));
}

static unsigned char *host_bytes(int seed)
{
    unsigned char *bytes = allocate(0, SIZE);
    for (int i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)(i * 5 + seed);
    return bytes;
}

/* ---- tests ----------------------------------------------------------------------------- */

static void memory_is_mapped_at_an_address_per_device(void **state)
{
    (void)state;
    unsigned char *from = host_bytes(1), *to = host_bytes(2);
    void *memory = allocate_physical(), *address = reserve(), *again = reserve();
    int file = export_whole(memory);
    void *first = import_for(GPU, file), *second = import_for(SECOND_GPU, file);
    close(file);
    assert_int_equal(change(first, address, READ | WRITE, AMDGPU_VA_OP_MAP), 0);
    copy(GPU, address, from);
    copy_faults(SECOND_GPU, to, address);
    assert_int_equal(change(second, address, READ, AMDGPU_VA_OP_MAP), 0);
    assert_int_equal(change(second, address, READ, AMDGPU_VA_OP_MAP), -EINVAL);
    copy(SECOND_GPU, to, address);
    assert_memory_equal(from, to, SIZE);
    copy_faults(SECOND_GPU, address, to);
    /* the same bytes at another address */
    memset(to, 0, SIZE);
    assert_int_equal(change(first, again, READ, AMDGPU_VA_OP_MAP), 0);
    copy(GPU, to, again);
    assert_memory_equal(from, to, SIZE);
    /* it stays mapped for one device when the other unmaps it */
    assert_int_equal(change(first, address, 0, AMDGPU_VA_OP_UNMAP), 0);
    copy_faults(GPU, to, address);
    memset(to, 0, SIZE);
    copy(SECOND_GPU, to, address);
    assert_memory_equal(from, to, SIZE);
    assert_int_equal(change(second, address, 0, AMDGPU_VA_OP_UNMAP), 0);
    assert_int_equal(change(second, address, 0, AMDGPU_VA_OP_UNMAP), -EINVAL);
    assert_int_equal(change(first, again, 0, AMDGPU_VA_OP_UNMAP), 0);
    assert_int_equal(later.free(first), 0);
    assert_int_equal(later.free(first), -EINVAL);
    assert_int_equal(later.free(second), 0);
    ok(kmt.hsaKmtFreeMemory(memory, SIZE));
    ok(kmt.hsaKmtFreeMemory(address, SIZE));
    ok(kmt.hsaKmtFreeMemory(again, SIZE));
    ok(kmt.hsaKmtFreeMemory(from, 0));
    ok(kmt.hsaKmtFreeMemory(to, 0));
}

static void a_mapping_without_rights_gives_no_access(void **state)
{
    (void)state;
    unsigned char *bytes = host_bytes(3);
    void *memory = allocate_physical(), *address = reserve();
    int file = export_whole(memory);
    void *buffer = import_for(GPU, file);
    close(file);
    assert_int_equal(change(buffer, address, 0, AMDGPU_VA_OP_MAP), 0);
    copy_faults(GPU, bytes, address);
    assert_int_equal(change(buffer, address, 0, AMDGPU_VA_OP_UNMAP), 0);
    assert_int_equal(later.free(buffer), 0);
    ok(kmt.hsaKmtFreeMemory(memory, SIZE));
    ok(kmt.hsaKmtFreeMemory(address, SIZE));
    ok(kmt.hsaKmtFreeMemory(bytes, 0));
}

/* Memory is freed with its last reference, which may be a dma-buf. */
static void a_file_outlives_the_memory_that_it_came_from(void **state)
{
    (void)state;
    HsaGraphicsResourceInfo info;
    HsaPointerInfo about;
    unsigned char *from = host_bytes(4), *to = host_bytes(5);
    void *memory = allocate_physical();
    int file = export_whole(memory);
    ok(kmt.hsaKmtFreeMemory(memory, SIZE));
    ok(kmt.hsaKmtRegisterGraphicsHandleToNodes((uint64_t)file, &info, 0, NULL));
    close(file);
    assert_int_equal(info.SizeInBytes, SIZE);
    assert_int_equal(info.NodeId, GPU);
    ok(kmt.hsaKmtQueryPointerInfo(info.MemoryAddress, &about));
    assert_int_equal(about.Type, HSA_POINTER_REGISTERED_GRAPHICS);
    ok(kmt.hsaKmtMapMemoryToGPU(info.MemoryAddress, SIZE, NULL));
    copy(GPU, info.MemoryAddress, from);
    /* imported memory is exported again */
    HsaGraphicsResourceInfo second;
    file = export_whole(info.MemoryAddress);
    ok(later.hsaKmtRegisterGraphicsHandleToNodesExt((uint64_t)file, &second, 1,
                                                    (uint32_t[]){SECOND_GPU}, 1));
    close(file);
    assert_ptr_not_equal(second.MemoryAddress, info.MemoryAddress);
    ok(kmt.hsaKmtMapMemoryToGPUNodes(second.MemoryAddress, SIZE, NULL, (HsaMemMapFlags){.Value = 0},
                                     1, (uint32_t[]){SECOND_GPU}));
    copy(SECOND_GPU, to, second.MemoryAddress);
    assert_memory_equal(from, to, SIZE);
    ok(kmt.hsaKmtFreeMemory(info.MemoryAddress, SIZE));
    ok(kmt.hsaKmtDeregisterMemory(second.MemoryAddress));
    ok(kmt.hsaKmtFreeMemory(from, 0));
    ok(kmt.hsaKmtFreeMemory(to, 0));
}

static void any_memory_of_a_device_has_a_file(void **state)
{
    (void)state;
    HsaGraphicsResourceInfo info;
    uint64_t offset = 0;
    int file = -1;
    unsigned char *from = host_bytes(6), *to = host_bytes(7), *memory = allocate(GPU, SIZE);
    copy(GPU, memory, from);
    ok(later.hsaKmtExportDMABufHandle(memory + PAGE, PAGE, &file, &offset));
    assert_int_equal(offset, PAGE);
    ok(kmt.hsaKmtRegisterGraphicsHandleToNodes((uint64_t)file, &info, 0, NULL));
    assert_int_equal(info.SizeInBytes, SIZE);
    ok(kmt.hsaKmtMapMemoryToGPU(info.MemoryAddress, SIZE, NULL));
    copy(GPU, to, info.MemoryAddress);
    assert_memory_equal(from, to, SIZE);
    ok(kmt.hsaKmtDeregisterMemory(info.MemoryAddress));
    ok(kmt.hsaKmtFreeMemory(memory, SIZE));
    expect(kmt.hsaKmtRegisterGraphicsHandleToNodes((uint64_t)file, &info, 0, NULL),
           HSAKMT_STATUS_ERROR);
    close(file);
    ok(kmt.hsaKmtFreeMemory(from, 0));
    ok(kmt.hsaKmtFreeMemory(to, 0));
}

/* Runtimes share signals in this way. */
static void host_memory_is_the_same_for_all_devices(void **state)
{
    (void)state;
    HsaMemFlags flags = {.Value = 0};
    void *memory = NULL, *view = NULL, *device = allocate(GPU, SIZE);
    unsigned char *bytes = host_bytes(8);
    flags.ui32.HostAccess = flags.ui32.NonPaged = 1;
    ok(kmt.hsaKmtAllocMemory(0, SIZE, flags, &memory));
    int file = export_whole(memory);
    void *buffer = import_for(GPU, file);
    close(file);
    assert_int_equal(later.cpu_map(buffer, &view), 0);
    assert_ptr_not_equal(view, memory);
    assert_int_equal(change(buffer, view, 0, AMDGPU_VA_OP_MAP), 0);
    assert_int_equal(change(buffer, view, 0, AMDGPU_VA_OP_MAP), -EINVAL);
    memcpy(memory, bytes, SIZE);
    copy(GPU, device, view);
    memset(memory, 0, SIZE);
    copy(GPU, view, device);
    assert_memory_equal(memory, bytes, SIZE);
    assert_int_equal(change(buffer, view, 0, AMDGPU_VA_OP_UNMAP), 0);
    assert_int_equal(change(buffer, view, 0, AMDGPU_VA_OP_UNMAP), -EINVAL);
    assert_int_equal(later.free(buffer), 0);
    ok(kmt.hsaKmtFreeMemory(memory, SIZE));
    ok(kmt.hsaKmtFreeMemory(device, SIZE));
    ok(kmt.hsaKmtFreeMemory(bytes, 0));
}

static void physical_memory_is_counted(void **state)
{
    (void)state;
    uint64_t before = 0, with = 0, after = 0;
    ok(later.hsaKmtAvailableMemory(GPU, &before));
    void *memory = allocate_physical();
    ok(later.hsaKmtAvailableMemory(GPU, &with));
    ok(kmt.hsaKmtFreeMemory(memory, SIZE));
    ok(later.hsaKmtAvailableMemory(GPU, &after));
    assert_int_equal(with, before - SIZE);
    assert_int_equal(after, before);
}

static void files_that_are_not_buffers_are_refused(void **state)
{
    (void)state;
    HsaMemFlags flags = {.Value = 0};
    HsaGraphicsResourceInfo info;
    struct amdgpu_bo_import_result result;
    uint64_t offset;
    int file = -1, other = memfd_create("no dma-buf", MFD_CLOEXEC);
    void *host = allocate(0, SIZE), *name = NULL;
    flags.ui32.NoAddress = 1;
    expect(kmt.hsaKmtAllocMemory(0, SIZE, flags, &name), HSAKMT_STATUS_NOT_SUPPORTED);
    assert_int_equal(ftruncate(other, SIZE), 0);
    expect(kmt.hsaKmtRegisterGraphicsHandleToNodes((uint64_t)other, &info, 0, NULL),
           HSAKMT_STATUS_ERROR);
    expect(kmt.hsaKmtRegisterGraphicsHandleToNodes(UINT64_MAX, &info, 0, NULL),
           HSAKMT_STATUS_ERROR);
    expect(later.hsaKmtExportDMABufHandle(host, SIZE, &file, &offset), HSAKMT_STATUS_ERROR);
    expect(later.hsaKmtExportDMABufHandle(&flags, SIZE, &file, &offset),
           HSAKMT_STATUS_INVALID_PARAMETER);
    void *memory = allocate_physical(), *address = reserve();
    expect(later.hsaKmtExportDMABufHandle(memory, SIZE + 1, &file, &offset),
           HSAKMT_STATUS_INVALID_PARAMETER);
    file = export_whole(memory);
    uint32_t dma_buf = (uint32_t)file;
    assert_int_equal(
        later.import(devices[GPU], AMDGPU_BO_HANDLE_DMA_BUF_FD, (uint32_t)other, &result), -EINVAL);
    assert_int_equal(later.import(devices[GPU], AMDGPU_BO_HANDLE_KMS, dma_buf, &result), -EINVAL);
    assert_int_equal(later.import(&result, AMDGPU_BO_HANDLE_DMA_BUF_FD, dma_buf, &result), -EINVAL);
    void *buffer = import_for(GPU, file);
    assert_int_equal(later.cpu_map(buffer, &name), -ENOSYS);
    assert_int_equal(later.va_op(buffer, PAGE, SIZE, (uintptr_t)address, READ, AMDGPU_VA_OP_MAP),
                     -EINVAL);
    assert_int_equal(change(buffer, host, READ, AMDGPU_VA_OP_MAP), -EINVAL);
    assert_int_equal(change(buffer, address, READ, 3), -EINVAL);
    assert_int_equal(change(&result, address, READ, AMDGPU_VA_OP_MAP), -EINVAL);
    close(other);
    close(file);
    assert_int_equal(later.free(buffer), 0);
    ok(kmt.hsaKmtFreeMemory(memory, SIZE));
    ok(kmt.hsaKmtFreeMemory(address, SIZE));
    ok(kmt.hsaKmtFreeMemory(host, SIZE));
}

/* The runtime queries the offset of a buffer in a device's file, and maps the file for the host:
 * this fails, since the host has no access to memory of devices. */
static void the_host_cannot_map_memory_of_devices(void **state)
{
    (void)state;
    union drm_amdgpu_gem_mmap arguments;
    void *memory = allocate_physical();
    int file = export_whole(memory), of_device;
    void *buffer = import_for(GPU, file);
    memset(&arguments, 0, sizeof arguments);
    assert_int_equal(later.export(buffer, AMDGPU_BO_HANDLE_KMS, &arguments.in.handle), 0);
    assert_int_equal(later.export(buffer, AMDGPU_BO_HANDLE_DMA_BUF_FD, &arguments.in.handle),
                     -EINVAL);
    memcpy(&of_device, (const char *)devices[GPU] + 16, sizeof of_device); /* as libdrm does */
    assert_int_equal(later.command(of_device, DRM_AMDGPU_GEM_MMAP, &arguments, sizeof arguments),
                     0);
    assert_ptr_equal(
        mmap(NULL, SIZE, PROT_READ, MAP_SHARED, of_device, (off_t)arguments.out.addr_ptr),
        MAP_FAILED);
    arguments.in.handle = 77777;
    assert_int_equal(later.command(of_device, DRM_AMDGPU_GEM_MMAP, &arguments, sizeof arguments),
                     -EINVAL);
    assert_int_equal(later.command(of_device, 99, &arguments, sizeof arguments), -ENOSYS);
    close(file);
    assert_int_equal(later.free(buffer), 0);
    ok(kmt.hsaKmtFreeMemory(memory, SIZE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_mapped_at_an_address_per_device),
        cmocka_unit_test(a_mapping_without_rights_gives_no_access),
        cmocka_unit_test(a_file_outlives_the_memory_that_it_came_from),
        cmocka_unit_test(any_memory_of_a_device_has_a_file),
        cmocka_unit_test(host_memory_is_the_same_for_all_devices),
        cmocka_unit_test(physical_memory_is_counted),
        cmocka_unit_test(files_that_are_not_buffers_are_refused),
        cmocka_unit_test(the_host_cannot_map_memory_of_devices),
    };
    return cmocka_run_group_tests_name("simulated kernel driver: buffers", tests, open_later,
                                       close_driver);
}
