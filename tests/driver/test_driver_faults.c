/* Drivers that are too old, broken or empty, and calls of the driver that fail. Each driver is
 * looked at in a child process. */
#include "support.h"

#include <hip/hip_gl_interop.h>

#include <hip/hip_ext.h>
#include <hip/hiprtc.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum need { REQUIRED, OPTIONAL };
static const struct {
    enum need need;
    const char *name;
} symbols[] = {
#define CUDA_SYMBOL(need, field, name, parameters) {need, name},
#include "cuda_symbols.def"
#undef CUDA_SYMBOL
};
/* Sanitizers look at one symbol in SAMPLE: what they would find at one they find at many. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SAMPLE = 7 };
#else
enum { SAMPLE = 1 };
#endif
enum { SYMBOLS = sizeof symbols / sizeof *symbols };

/* ---- drivers without a function ------------------------------------------------------------ */

static unsigned char *fake_image;
static size_t fake_size;

static void read_fake(void)
{
    struct stat status;
    int file = open(FAKECUDA_PATH, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0)
        abort();
    fake_size = (size_t)status.st_size;
    fake_image = mmap(NULL, fake_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
}

/* The driver with one of its dynamic symbols renamed. The first occurrence of the name alone is in
 * the table of dynamic names. */
static void use_fake_without(const char *name)
{
    char path[64], text[80] = "";
    size_t length = strlen(name);
    memcpy(text + 1, name, length + 1); /* between two zeros */
    const unsigned char *at = memmem(fake_image, fake_size, text, length + 2);
    int file = memfd_create("libcuda.so.1", 0);
    if (!at || file < 0 || write(file, fake_image, fake_size) != (ssize_t)fake_size ||
        pwrite(file, "x", 1, at + 1 - fake_image) != 1)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    clean_environment();
    use_configuration("{\"backends\": [\"cuda\"], \"drivers\": {\"cuda\": {\"library\": \"%s\"}}}",
                      path);
}

static size_t tested;

static void the_driver_is_refused_by_name(void)
{
    int count = 7;
    char *report, lacks[128];
    use_fake_without(symbols[tested].name);
    expect(hipGetDeviceCount(&count), hipErrorNoDevice);
    check(count == 0);
    ok(anyhipGetReport(&report));
    snprintf(lacks, sizeof lacks, "it lacks %s\"", symbols[tested].name);
    check(strstr(report, "hipErrorInsufficientDriver") != NULL);
    check(strstr(report, lacks) != NULL);
    free(report);
}

static void a_driver_without_a_required_function_is_refused(void **state)
{
    (void)state;
    for (tested = 0; tested < SYMBOLS; tested += SAMPLE)
        if (symbols[tested].need == REQUIRED)
            in_child_quickly(the_driver_is_refused_by_name);
}

/* What each optional function of the driver is needed for. */
static hipError_t texture_width(void)
{
    const hipChannelFormatDesc words = {32, 0, 0, 0, hipChannelFormatKindUnsigned};
    size_t width;
    return hipDeviceGetTexture1DLinearMaxWidth(&width, &words, 0);
}

static hipError_t get_banks(void)
{
    hipSharedMemConfig config;
    return hipDeviceGetSharedMemConfig(&config);
}

static hipError_t set_banks(void)
{
    return hipDeviceSetSharedMemConfig(hipSharedMemBankSizeFourByte);
}

static hipError_t value_call(bool wait, bool wide)
{
    uint64_t *word;
    ok(hipHostMalloc((void **)&word, 8, 0));
    *word = 0;
    hipError_t error =
        wait ? (wide ? hipStreamWaitValue64(NULL, word, 0, hipStreamWaitValueEq, ~0ull)
                     : hipStreamWaitValue32(NULL, word, 0, hipStreamWaitValueEq, ~0u))
             : (wide ? hipStreamWriteValue64(NULL, word, 1, 0)
                     : hipStreamWriteValue32(NULL, word, 1, 0));
    ok(hipDeviceSynchronize());
    ok(hipHostFree(word));
    return error;
}

static hipError_t wait_32(void)
{
    return value_call(true, false);
}

static hipError_t wait_64(void)
{
    return value_call(true, true);
}

static hipError_t write_32(void)
{
    return value_call(false, false);
}

static hipError_t write_64(void)
{
    return value_call(false, true);
}

static hipError_t count_functions(void)
{
    hipModule_t module;
    unsigned count;
    ok(hipModuleLoadData(&module, kernels_image()));
    hipError_t error = hipModuleGetFunctionCount(&count, module);
    ok(hipModuleUnload(module));
    return error;
}

static hipError_t list_functions(void)
{
    hipModule_t module;
    hipFunction_t functions[2];
    ok(hipModuleLoadData(&module, kernels_image()));
    hipError_t error = hipModuleEnumerateFunctions(functions, 2, module);
    ok(hipModuleUnload(module));
    return error;
}

/* The size of the arguments is not checked then. */
static hipError_t packed_arguments(void)
{
    hipModule_t module;
    hipFunction_t function;
    uint32_t milliseconds = 0;
    size_t size = sizeof milliseconds;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &milliseconds, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                     &size, HIP_LAUNCH_PARAM_END};
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleGetFunction(&function, module, "fake_spin"));
    hipError_t error = hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra);
    ok(hipModuleUnload(module));
    return error;
}

/* A cooperative launch with its arguments in a buffer. */
static hipError_t cooperative_buffer(void)
{
    hipFunction_t function;
    uint32_t milliseconds = 0;
    size_t size = sizeof milliseconds;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &milliseconds, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                     &size, HIP_LAUNCH_PARAM_END};
    hipLaunchAttribute attribute = {.id = hipLaunchAttributeCooperative, .val.cooperative = 1};
    const HIP_LAUNCH_CONFIG config = {.gridDimX = 1,
                                      .gridDimY = 1,
                                      .gridDimZ = 1,
                                      .blockDimX = 1,
                                      .blockDimY = 1,
                                      .blockDimZ = 1,
                                      .attrs = &attribute,
                                      .numAttrs = 1};
    ok(hipGetFuncBySymbol(&function, &spin_kernel));
    hipError_t error = hipDrvLaunchKernelEx(&config, function, NULL, extra);
    ok(hipDeviceSynchronize());
    return error;
}

static hipError_t function_banks(void)
{
    return hipFuncSetSharedMemConfig(&fill_kernel, hipSharedMemBankSizeFourByte);
}

static hipError_t available_shared(void)
{
    size_t size;
    return hipOccupancyAvailableDynamicSMemPerBlock(&size, &fill_kernel, 1, 32);
}

static hipError_t clusters(void)
{
    hipLaunchAttribute attribute = {.id = hipLaunchAttributeClusterDimension};
    hipLaunchConfig_t config = {
        .gridDim = {1, 1, 1}, .blockDim = {32, 1, 1}, .attrs = &attribute, .numAttrs = 1};
    int count = -1;
    attribute.val.clusterDim.x = attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    hipError_t error = hipOccupancyMaxActiveClusters(&count, &fill_kernel, &config);
    check(error != hipSuccess || count == 0); /* a device of compute capability 8 */
    return error;
}

static hipError_t green_context(void)
{
    const uint32_t mask = 3;
    hipStream_t stream;
    hipError_t error = hipExtStreamCreateWithCUMask(&stream, 1, &mask);
    if (error == hipSuccess)
        ok(hipStreamDestroy(stream));
    return error;
}

static hipError_t set_policy(void)
{
    const hipStreamAttrValue value = {.syncPolicy = hipSyncPolicySpin};
    return hipStreamSetAttribute(NULL, hipStreamAttributeSynchronizationPolicy, &value);
}


/* A batch of one range of managed memory. */
static hipError_t managed_batch(bool discards, bool prefetches)
{
    void *memory;
    size_t size = 4096, first = 0;
    hipMemLocation place = {hipMemLocationTypeDevice, 0};
    ok(hipMallocManaged(&memory, size, hipMemAttachGlobal));
    hipError_t error =
        discards && prefetches ? hipMemDiscardAndPrefetchBatchAsync(
                                     &memory, &size, 1, &place, &first, 1, 0, hipStreamPerThread)
        : discards
            ? hipMemDiscardBatchAsync(&memory, &size, 1, 0, hipStreamPerThread)
            : hipMemPrefetchBatchAsync(&memory, &size, 1, &place, &first, 1, 0, hipStreamPerThread);
    ok(hipDeviceSynchronize());
    ok(hipFree(memory));
    return error;
}

static hipError_t prefetch_batch(void)
{
    return managed_batch(false, true);
}

static hipError_t discard_batch(void)
{
    return managed_batch(true, false);
}

static hipError_t discard_and_prefetch(void)
{
    return managed_batch(true, true);
}

static hipError_t copy_batch(void)
{
    uint32_t *host, *memory, value = 0;
    size_t size = sizeof value;
    ok(hipHostMalloc((void **)&host, size, 0));
    ok(hipMalloc((void **)&memory, size));
    *host = 5;
    void *dst = memory, *src = host;
    hipError_t error =
        hipMemcpyBatchAsync(&dst, &src, &size, 1, NULL, NULL, 0, NULL, hipStreamPerThread);
    ok(hipStreamSynchronize(hipStreamPerThread));
    ok(hipMemcpy(&value, memory, size, hipMemcpyDeviceToHost));
    check(value == 5);
    ok(hipFree(memory));
    ok(hipHostFree(host));
    return error;
}

static hipError_t stream_barrier(void)
{
    hipStreamBatchMemOpParams barrier = {.operation = hipStreamMemOpBarrier};
    return hipStreamBatchMemOp(NULL, 1, &barrier, 0);
}

static hipError_t flush_writes(void)
{
    return hipDeviceFlushGPUDirectRDMAWrites(hipFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                             hipFlushGPUDirectRDMAWritesToOwner);
}

static hipError_t uuid(void)
{
    hipUUID id;
    return hipDeviceGetUuid(&id, 0);
}

static hipError_t mipmap_requirements(void)
{
    const hipChannelFormatDesc words = {32, 0, 0, 0, hipChannelFormatKindUnsigned};
    hipArrayMemoryRequirements needed;
    hipMipmappedArray_t mipmap;
    ok(hipMallocMipmappedArray(&mipmap, &words, (hipExtent){8, 8, 0}, 2,
                               anyhipArrayDeferredMapping));
    hipError_t error = hipMipmappedArrayGetMemoryRequirements(&needed, mipmap, 0);
    ok(hipFreeMipmappedArray(mipmap));
    return error;
}

/* ---- memory and semaphores of others: what an import needs has rows of its own -------------- */

static hipExternalMemory_t imported;

static hipError_t import_memory(void)
{
    int file = memfd_create("memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    const hipExternalMemoryHandleDesc description = {
        .type = hipExternalMemoryHandleTypeOpaqueFd, .handle.fd = file, .size = 1 << 16};
    check(ftruncate(file, 1 << 16) == 0 && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    imported = NULL;
    hipError_t error = hipImportExternalMemory(&imported, &description);
    if (error != hipSuccess)
        close(file);
    return error;
}

static hipError_t import_and_end(void)
{
    hipError_t error = import_memory();
    return error == hipSuccess ? hipDestroyExternalMemory(imported) : error;
}

static hipError_t map_buffer(void)
{
    const hipExternalMemoryBufferDesc part = {.size = 4096};
    void *pointer = NULL;
    if (import_memory() != hipSuccess)
        return hipSuccess;
    hipError_t error = hipExternalMemoryGetMappedBuffer(&pointer, imported, &part);
    ok(hipFree(pointer));
    ok(hipDestroyExternalMemory(imported));
    return error;
}

static hipError_t map_levels(void)
{
    const hipExternalMemoryMipmappedArrayDesc levels = {
        .formatDesc = {32, 0, 0, 0, hipChannelFormatKindUnsigned},
        .extent = {8, 8, 0},
        .numLevels = 2};
    hipMipmappedArray_t mipmap;
    if (import_memory() != hipSuccess)
        return hipSuccess;
    hipError_t error = hipExternalMemoryGetMappedMipmappedArray(&mipmap, imported, &levels);
    if (error == hipSuccess)
        ok(hipFreeMipmappedArray(mipmap));
    ok(hipDestroyExternalMemory(imported));
    return error;
}

/* A file that is no semaphore: the driver says so, if it has the functions. */
static hipError_t import_semaphore(void)
{
    hipExternalSemaphore_t semaphore;
    const hipExternalSemaphoreHandleDesc description = {
        .type = hipExternalSemaphoreHandleTypeOpaqueFd, .handle.fd = 0};
    hipError_t error = hipImportExternalSemaphore(&semaphore, &description);
    return error == hipErrorOperatingSystem ? hipSuccess : error;
}

static hipError_t export_range(void)
{
    enum { SIZE = 2 << 20 };
    int file;
    void *memory;
    ok(hipMalloc(&memory, SIZE));
    hipError_t error =
        hipMemGetHandleForAddressRange(&file, memory, SIZE, hipMemRangeHandleTypeDmaBufFd, 0);
    if (error == hipSuccess)
        close(file);
    ok(hipFree(memory));
    return error;
}

static const struct {
    const char *name;
    hipError_t (*use)(void);
    hipError_t without;
} uses[] = {
    {"cuMemGetHandleForAddressRange", export_range, hipErrorNotSupported},
    {"cuImportExternalMemory", import_and_end, hipErrorNotSupported},
    {"cuDestroyExternalMemory", import_and_end, hipErrorNotSupported},
    {"cuExternalMemoryGetMappedBuffer", map_buffer, hipErrorNotSupported},
    {"cuExternalMemoryGetMappedMipmappedArray", map_levels, hipErrorNotSupported},
    {"cuImportExternalSemaphore", import_semaphore, hipErrorNotSupported},
    {"cuDestroyExternalSemaphore", import_semaphore, hipErrorNotSupported},
    {"cuSignalExternalSemaphoresAsync", import_semaphore, hipErrorNotSupported},
    {"cuWaitExternalSemaphoresAsync", import_semaphore, hipErrorNotSupported},
    {"cuDeviceGetUuid_v2", uuid, hipSuccess}, /* there is an older one */
    {"cuDeviceGetTexture1DLinearMaxWidth", texture_width, hipErrorNotSupported},
    {"cuCtxGetSharedMemConfig", get_banks, hipErrorNotSupported},
    {"cuCtxSetSharedMemConfig", set_banks, hipErrorNotSupported},
    {"cuStreamWaitValue32_v2", wait_32, hipErrorNotSupported},
    {"cuStreamWaitValue64_v2", wait_64, hipErrorNotSupported},
    {"cuStreamWriteValue32_v2", write_32, hipErrorNotSupported},
    {"cuStreamWriteValue64_v2", write_64, hipErrorNotSupported},
    {"cuMemPrefetchBatchAsync", prefetch_batch, hipSuccess}, /* one by one */
    {"cuMemDiscardBatchAsync", discard_batch, hipErrorNotSupported},
    {"cuMemDiscardAndPrefetchBatchAsync", discard_and_prefetch, hipErrorNotSupported},
    {"cuMemcpyBatchAsync_v2", copy_batch, hipSuccess}, /* one by one */
    {"cuStreamBatchMemOp_v2", stream_barrier, hipErrorNotSupported},
    {"cuFlushGPUDirectRDMAWrites", flush_writes, hipErrorNotSupported},
    {"cuMipmappedArrayGetMemoryRequirements", mipmap_requirements, hipErrorNotSupported},
    {"cuModuleGetFunctionCount", count_functions, hipErrorNotSupported},
    {"cuModuleEnumerateFunctions", list_functions, hipErrorNotSupported},
    {"cuFuncGetName", list_functions, hipErrorNotSupported},
    {"cuFuncLoad", list_functions, hipSuccess},
    {"cuFuncGetParamInfo", packed_arguments, hipSuccess},
    {"cuFuncSetSharedMemConfig", function_banks, hipErrorNotSupported},
    {"cuLaunchKernelEx", cooperative_buffer, hipErrorNotSupported},
    {"cuOccupancyAvailableDynamicSMemPerBlock", available_shared, hipErrorNotSupported},
    {"cuOccupancyMaxPotentialClusterSize", clusters, hipErrorNotSupported},
    {"cuOccupancyMaxActiveClusters", clusters, hipErrorNotSupported},
    {"cuDeviceGetDevResource", green_context, hipErrorNotSupported},
    {"cuDevSmResourceSplitByCount", green_context, hipErrorNotSupported},
    {"cuDevResourceGenerateDesc", green_context, hipErrorNotSupported},
    {"cuGreenCtxCreate", green_context, hipErrorNotSupported},
    {"cuGreenCtxDestroy", green_context, hipErrorNotSupported},
    {"cuGreenCtxStreamCreate", green_context, hipErrorNotSupported},
    {"cuStreamSetAttribute", set_policy, hipErrorNotSupported},
};
enum { USES = sizeof uses / sizeof *uses };

static void a_program_runs(void)
{
    uint32_t *memory, back[8];
    ok(hipMalloc((void **)&memory, sizeof back));
    ok(launch_fill(memory, 3, 8, NULL));
    ok(hipMemcpy(back, memory, sizeof back, hipMemcpyDeviceToHost));
    check_words(back, 8, 3);
    ok(hipFree(memory));
}

/* 32 and 64 bits of a kind come together, and to list functions they are counted. */
static bool needs(size_t use, const char *name)
{
    if (strncmp(name, "cuStreamW", 9) == 0)
        return strncmp(uses[use].name, name, 13) == 0;
    if (strcmp(name, "cuModuleGetFunctionCount") == 0 && uses[use].use == list_functions)
        return true;
    for (size_t i = 0; i < USES; i++)
        if (strcmp(uses[i].name, name) == 0)
            return uses[i].use == uses[use].use;
    return false;
}

static void only_what_needs_the_function_is_refused(void)
{
    use_fake_without(uses[tested].name);
    start_kernels(NULL);
    a_program_runs();
    for (size_t i = 0; i < USES; i++) {
        bool refused = needs(i, uses[tested].name) && uses[tested].without != hipSuccess;
        if (refused)
            expect_says(uses[i].use(), hipErrorNotSupported,
                        " is not in this driver (CUDA 13.0): update the NVIDIA driver to use it");
        else
            expect(uses[i].use(), hipSuccess);
    }
}

static bool is_of_opengl(const char *name)
{
    return strncmp(name, "cuGL", 4) == 0 || strncmp(name, "cuGraphics", 10) == 0;
}

static void nothing_is_shared_with_opengl(void)
{
    unsigned count;
    int device;
    use_fake_without(symbols[tested].name);
    expect_says(hipGLGetDevices(&count, &device, 1, hipGLDeviceListAll), hipErrorNotSupported,
                " is not in this driver (CUDA 13.0): update the NVIDIA driver to use it");
}

static void a_driver_without_a_function_for_opengl_shares_nothing(void **state)
{
    (void)state;
    for (tested = 0; tested < SYMBOLS; tested++)
        if (is_of_opengl(symbols[tested].name))
            in_child_quickly(nothing_is_shared_with_opengl);
}

static void a_driver_without_an_optional_function_refuses_what_needs_it(void **state)
{
    size_t optional = 0;
    (void)state;
    for (size_t i = 0; i < SYMBOLS; i++) /* anyhip: of simulated drivers */
        optional += symbols[i].need == OPTIONAL && strncmp(symbols[i].name, "cu", 2) == 0 &&
                    strncmp(symbols[i].name, "cuGraph", 7) != 0 && /* tests/backend_cuda */
                    !is_of_opengl(symbols[i].name);
    check(optional == USES);
    for (tested = 0; tested < USES; tested += SAMPLE)
        in_child_quickly(only_what_needs_the_function_is_refused);
}

/* ---- parameters of kernels ----------------------------------------------------------------- */

/* A graph that fills memory, made of a function of a module or of the kernel of the program. */
static void fill_in_a_graph(void *function, uint32_t value)
{
    const uint32_t wanted = value;
    uint32_t *memory, count = 4, back[4];
    void *arguments[] = {&memory, &value, &count};
    const hipKernelNodeParams params = {
        .func = function, .gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .kernelParams = arguments};
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t node;
    ok(hipMalloc((void **)&memory, sizeof back));
    ok(hipGraphCreate(&graph, 0));
    ok(hipGraphAddKernelNode(&node, graph, NULL, 0, &params));
    ok(hipGraphAddMemcpyNode1D(&node, graph, &node, 1, back, memory, sizeof back,
                               hipMemcpyDeviceToHost));
    value = count = 0; /* they were copied */
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    ok(hipGraphLaunch(exec, NULL));
    ok(hipDeviceSynchronize());
    check_words(back, 4, wanted);
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    ok(hipFree(memory));
}

static void arguments_are_copied_by_what_ptx_declares(void)
{
    hipModule_t module;
    hipFunction_t function;
    use_fake_without("cuFuncGetParamInfo");
    start_kernels(NULL);
    for (uint32_t round = 1; round <= 2; round++) {
        fill_in_a_graph((void *)(uintptr_t)&fill_kernel, 10 * round);
        ok(hipModuleLoadData(&module, kernels_image()));
        ok(hipModuleGetFunction(&function, module, "fake_fill"));
        fill_in_a_graph(function, 10 * round + 1);
        ok(hipModuleUnload(module));
        ok(hipDeviceReset());
    }
}

static void a_driver_that_does_not_list_parameters_can_have_kernels_in_graphs(void **state)
{
    (void)state;
    in_child_quickly(arguments_are_copied_by_what_ptx_declares);
}

/* ---- drivers that do not start -------------------------------------------------------------- */

static const struct start {
    const char *variable, *value;
    const char *error, *reason; /* in the report */
} starts[] = {
    {"FAKECUDA_FAULTS", "cuInit:0:100", "hipErrorNoDevice", "the driver reports no device"},
    {"FAKECUDA_FAULTS", "cuInit:0:999", "hipErrorUnknown", "CUDA_ERROR_UNKNOWN"},
    {"FAKECUDA_FAULTS", "cuInit:0:34", "hipErrorInsufficientDriver", "CUDA_ERROR_STUB_LIBRARY"},
    {"FAKECUDA_FAULTS", "cuInit:0:803", "hipErrorInsufficientDriver",
     "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
    {"FAKECUDA_FAULTS", "cuInit:0:4711", "hipErrorUnknown", "unknown error"},
    {"FAKECUDA_FAULTS", "cuDriverGetVersion:0:3", "hipErrorNotInitialized",
     "CUDA_ERROR_NOT_INITIALIZED"},
    {"FAKECUDA_FAULTS", "cuDeviceGetCount:0:2", "hipErrorOutOfMemory", "CUDA_ERROR_OUT_OF_MEMORY"},
    {"FAKECUDA_FAULTS", "cuDeviceGet:2:101", "hipErrorInvalidDevice", ""},
    {"FAKECUDA_VERSION", "11030", "hipErrorInsufficientDriver", "older than CUDA 11.4"},
    {"FAKECUDA_DEVICES", "", "hipErrorNoDevice", "the driver reports no device"},
    {"CUDA_VISIBLE_DEVICES", "", "hipErrorNoDevice", "CUDA_VISIBLE_DEVICES is set"},
};

static void the_driver_does_not_start(void)
{
    const struct start *start = &starts[tested];
    int count = 7;
    char *report;
    void *memory;
    use_fake("80,90");
    setenv(start->variable, start->value, 1);
    setenv("AMD_LOG_LEVEL", "1", 1);
    begin_log();
    hipError_t error = hipGetDeviceCount(&count);
    char *log = end_log();
    expect(error, hipErrorNoDevice);
    check(count == 0);
    check(count_text(log, "cuda is not available: ") == 1);
    if (!strstr(log, start->error) || !strstr(log, start->reason))
        fprintf(stderr, "%s=%s: %s", start->variable, start->value, log);
    check(strstr(log, start->error) && strstr(log, start->reason));
    ok(anyhipGetReport(&report));
    check(strstr(report, start->error) && strstr(report, start->reason));
    expect(hipMalloc(&memory, 64), hipErrorNoDevice);
    free(report);
    free(log);
}

static void a_driver_that_does_not_start_is_reported_once(void **state)
{
    (void)state;
    for (tested = 0; tested < sizeof starts / sizeof *starts; tested++)
        in_child(the_driver_does_not_start);
}

static void nothing_is_linked(void)
{
    const hiprtcJITInputType bundle = HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE;
    char text[] = "an input";
    hiprtcLinkState link;
    void *image;
    size_t size;
    use_fake_cuda("");
    expect(hiprtcLinkCreate(0, NULL, NULL, &link), HIPRTC_SUCCESS);
    expect_says(hiprtcLinkAddData(link, bundle, text, sizeof text, "x", 0, NULL, NULL),
                HIPRTC_ERROR_PROGRAM_CREATION_FAILURE,
                "x is not linked: there is no device to link for");
    expect(hiprtcLinkAddData(link, HIPRTC_JIT_INPUT_LLVM_BITCODE, text, sizeof text, "x", 0, NULL,
                             NULL),
           HIPRTC_SUCCESS);
    expect_says(hiprtcLinkComplete(link, &image, &size), HIPRTC_ERROR_LINKING,
                " there is no device to link for");
    expect(hiprtcLinkDestroy(link), HIPRTC_SUCCESS);
}

static void without_a_device_there_is_nothing_to_link_for(void **state)
{
    (void)state;
    in_child(nothing_is_linked);
}

/* ---- contexts that cannot be made ------------------------------------------------------------ */

static void a_context_fails_once(void)
{
    void *memory;
    int device;
    use_fake("80,90");
    ok(hipInit(0)); /* makes no context */
    check(fakecuda_calls("cuDevicePrimaryCtxRetain") == 0);
    fakecuda_fail("cuDevicePrimaryCtxRetain", 1, 46);
    expect(hipMalloc(&memory, 64), hipErrorInvalidDevice);
    ok(hipMalloc(&memory, 64)); /* it was asked for again */
    ok(hipFree(memory));
    fakecuda_fail("cuCtxSetCurrent", 1, 2);
    expect(hipSetDevice(1), hipErrorOutOfMemory);
    ok(hipGetDevice(&device));
    check(device == 0);
    ok(hipSetDevice(1));
    ok(hipMalloc(&memory, 64));
    ok(hipFree(memory));
}

static void a_context_that_cannot_be_made_is_asked_for_again(void **state)
{
    (void)state;
    in_child(a_context_fails_once);
}

/* ---- devices that do not reach each other ------------------------------------------------------
 */

static void no_device_reaches_another(void)
{
    int can = 9, value = 9;
    uint32_t *first, *second, word = 0;
    use_fake("80,90");
    setenv("FAKECUDA_PEERS", "0", 1);
    start_kernels(NULL);
    ok(hipSetDevice(0));
    ok(hipDeviceCanAccessPeer(&can, 0, 1));
    check(can == 0);
    ok(hipDeviceGetP2PAttribute(&value, hipDevP2PAttrAccessSupported, 0, 1));
    check(value == 0);
    expect_says(hipDeviceEnablePeerAccess(1, 0), hipErrorInvalidDevice,
                "device 0 cannot reach the memory of device 1");
    expect(hipDeviceDisablePeerAccess(1), hipErrorInvalidDevice);
    expect(hipDeviceEnablePeerAccess(0, 0), hipErrorInvalidDevice); /* itself */

    ok(hipMalloc((void **)&first, 4)); /* copies go through the host then */
    ok(launch_fill(first, 5, 1, NULL));
    ok(hipSetDevice(1));
    ok(hipMalloc((void **)&second, 4));
    ok(hipMemcpyPeer(second, 1, first, 0, 4));
    ok(hipMemcpy(&word, second, 4, hipMemcpyDeviceToHost));
    check(word == 5);
    ok(hipMemset(second, 0, 4));
    ok(hipMemcpy(second, first, 4, hipMemcpyDeviceToDevice));
    ok(hipMemcpy(&word, second, 4, hipMemcpyDefault));
    check(word == 5);
    ok(hipFree(first));
    ok(hipFree(second));
    check(end_kernels(NULL) == 0);
    check(fakecuda_violations() == 0);
}

static void devices_that_do_not_reach_each_other_say_so(void **state)
{
    (void)state;
    in_child(no_device_reaches_another);
}

/* Rows and slices with gaps, too, go through the host. */
static void boxes_go_through_the_host(void)
{
    enum { SIDE = 4, PITCH = 8, BOX = PITCH * SIDE * SIDE };
    unsigned char from[BOX], to[BOX], *first, *second;
    setenv("DRIVER_TESTS_VENDOR", "hsa", 1);
    use_fake("80,90");
    setenv("FAKEHSA_PEERS", "0", 1);
    for (int i = 0; i < BOX; i++)
        from[i] = (unsigned char)i;
    ok(hipMalloc((void **)&first, BOX));
    ok(hipMemcpy(first, from, BOX, hipMemcpyHostToDevice));
    ok(hipSetDevice(1));
    ok(hipMalloc((void **)&second, BOX));
    ok(hipMemcpyPeer(second, 1, first, 0, BOX));
    ok(hipMemcpy(to, second, BOX, hipMemcpyDeviceToHost));
    check(memcmp(from, to, BOX) == 0);
    ok(hipMemset(second, 0xee, BOX));
    hipMemcpy3DPeerParms box = {.srcPtr = {first, PITCH, SIDE, SIDE},
                                .dstPtr = {second, PITCH, SIDE, SIDE},
                                .dstDevice = 1,
                                .extent = {SIDE, SIDE, SIDE - 1}};
    ok(hipMemcpy3DPeer(&box));
    ok(hipMemcpy(to, second, BOX, hipMemcpyDeviceToHost));
    for (int i = 0; i < BOX; i++)
        check(to[i] == (i % PITCH < SIDE && i < PITCH * SIDE * (SIDE - 1) ? from[i] : 0xee));
    ok(hipFree(first));
    ok(hipFree(second));
}

static void boxes_are_copied_between_devices_that_do_not_reach_each_other(void **state)
{
    (void)state;
    in_child(boxes_go_through_the_host);
}

/* ---- a runtime of AMD without devices ----------------------------------------------------------
 */

static void one_device_is_enough(void)
{
    int count = 0;
    setenv("DRIVER_TESTS_VENDOR", "hsa", 1);
    use_fake("80");
    ok(hipGetDeviceCount(&count));
    check(count == 1);
}

static void no_device_is_reported(void)
{
    char *report;
    int count = 7;
    setenv("DRIVER_TESTS_VENDOR", "hsa", 1);
    use_fake("");
    expect(hipGetDeviceCount(&count), hipErrorNoDevice);
    check(count == 0);
    ok(anyhipGetReport(&report));
    check(strstr(report, "hipErrorNoDevice") != NULL);
    free(report);
}

static void a_runtime_of_amd_needs_one_device(void **state)
{
    (void)state;
    in_child(one_device_is_enough);
    in_child(no_device_is_reported);
}

/* ---- which devices are shown
 * --------------------------------------------------------------------- */

static const struct shown {
    const char *hip, *cuda, *configuration; /* NULL: not set */
    const char *capabilities;               /* of the devices that are shown */
} views[] = {
    {NULL, NULL, NULL, "70,80,90"},
    {"2,0", NULL, NULL, "90,70"},
    {"1", NULL, NULL, "80"},
    {"1,7,2", NULL, NULL, "80"}, /* it ends with the first that is not there */
    {"", NULL, NULL, ""},
    {"-1", NULL, NULL, ""},
    {NULL, "2,1", NULL, "90,80"}, /* the driver applies it */
    {NULL, "", NULL, ""},
    {"1", "2,1", NULL, "80"}, /* counts within it */
    {NULL, NULL, "\"2\",\"1\"", "90,80"},
    {"1", NULL, "\"2\",\"1\"", "80"},
    {NULL, NULL, "\"cuda:1\"", "80"},
    {"GPU-416e7948-4950-2073-696d-756c61745002", NULL, "\"1\",\"2\"", "80"},
};

static void the_view_is_right(void)
{
    const struct shown *view = &views[tested];
    char capabilities[64] = "";
    int count = 0;
    clean_environment();
    setenv("FAKECUDA_DEVICES", "70,80,90", 1);
    use_configuration("{\"backends\": [\"cuda\"], \"devices\": [%s], \"drivers\": {\"cuda\": "
                      "{\"library\": \"%s\"}}}",
                      view->configuration ? view->configuration : "", FAKECUDA_PATH);
    if (view->hip)
        setenv("HIP_VISIBLE_DEVICES", view->hip, 1);
    if (view->cuda)
        setenv("CUDA_VISIBLE_DEVICES", view->cuda, 1);
    expect(hipGetDeviceCount(&count), *view->capabilities ? hipSuccess : hipErrorNoDevice);
    for (int i = 0; i < count; i++) {
        int major, minor;
        size_t used = strlen(capabilities);
        ok(hipDeviceComputeCapability(&major, &minor, i));
        snprintf(capabilities + used, sizeof capabilities - used, "%s%d%d", i ? "," : "", major,
                 minor);
    }
    if (strcmp(capabilities, view->capabilities) != 0)
        fprintf(stderr, "shown are \"%s\", not \"%s\"\n", capabilities, view->capabilities);
    check(strcmp(capabilities, view->capabilities) == 0);
    if (count > 0) { /* and they are the ones that are used */
        void *memory;
        hipDevice_t device;
        hipPointerAttribute_t attributes;
        ok(hipSetDevice(count - 1));
        ok(hipMalloc(&memory, 64));
        ok(hipPointerGetAttributes(&attributes, memory));
        check(attributes.device == count - 1);
        ok(hipDeviceGet(&device, count - 1));
        expect(hipSetDevice(count), hipErrorInvalidDevice);
        ok(hipFree(memory));
    }
}

static void the_environment_and_the_configuration_choose_devices(void **state)
{
    (void)state;
    for (tested = 0; tested < sizeof views / sizeof *views; tested++)
        in_child(the_view_is_right);
}

/* ---- no device at all
 * ------------------------------------------------------------------------------ */

static int local;

static void nothing_works_without_a_device(void)
{
    static const hipChannelFormatDesc words = {32, 0, 0, 0, hipChannelFormatKindUnsigned};
    hipMemAllocationProp physical = {.type = hipMemAllocationTypePinned,
                                     .location = {hipMemLocationTypeDevice, 0}};
    hipMemPoolProps pool_properties = {.allocType = hipMemAllocationTypePinned,
                                       .location = {hipMemLocationTypeDevice, 0}};
    hipDeviceProp_t properties;
    hipStream_t stream;
    hipEvent_t event;
    hipArray_t array;
    hipModule_t module;
    hipMemPool_t pool;
    hipMemGenericAllocationHandle_t memory;
    hipPointerAttribute_t attributes;
    hipCtx_t context;
    void *pointer;
    char host[16];
    size_t size, total;
    int value;
    use_fake("");
    start_kernels(NULL);
    expect(hipInit(0), hipErrorNoDevice);
    expect(hipGetDeviceCount(&value), hipErrorNoDevice);
    expect(hipGetDevice(&value), hipErrorNoDevice);
    expect(hipSetDevice(0), hipErrorNoDevice);
    expect(hipGetDeviceProperties(&properties, 0), hipErrorNoDevice);
    expect(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0), hipErrorNoDevice);
    expect(hipDeviceSynchronize(), hipErrorNoDevice);
    expect(hipDeviceReset(), hipErrorNoDevice);
    expect(hipCtxGetCurrent(&context), hipErrorNoDevice);
    expect(hipMemGetInfo(&size, &total), hipErrorNoDevice);
    expect(hipMalloc(&pointer, 64), hipErrorNoDevice);
    expect(hipMallocManaged(&pointer, 64, hipMemAttachGlobal), hipErrorNoDevice);
    expect(hipHostMalloc(&pointer, 64, 0), hipErrorNoDevice);
    expect(hipHostRegister(host, sizeof host, 0), hipErrorNoDevice);
    expect(hipMallocPitch(&pointer, &size, 64, 4), hipErrorNoDevice);
    expect(hipMallocArray(&array, &words, 8, 8, 0), hipErrorNoDevice);
    expect(hipMallocAsync(&pointer, 64, NULL), hipErrorNoDevice);
    expect(hipMemPoolCreate(&pool, &pool_properties), hipErrorNoDevice);
    expect(hipDeviceGetDefaultMemPool(&pool, 0), hipErrorNoDevice);
    expect(hipMemAddressReserve(&pointer, 1 << 21, 0, NULL, 0), hipErrorNoDevice);
    expect(hipMemCreate(&memory, 1 << 21, &physical, 0), hipErrorInvalidValue);
    expect(hipFree(&local), hipErrorNoDevice);
    ok(hipFree(NULL));
    expect(hipMemcpy(host, &local, 4, hipMemcpyDefault), hipErrorNoDevice);
    expect(hipMemset(&local, 0, 4), hipErrorNoDevice);
    expect(hipPointerGetAttributes(&attributes, &local), hipErrorNoDevice);
    expect(hipStreamCreate(&stream), hipErrorNoDevice);
    expect(hipStreamSynchronize(NULL), hipErrorNoDevice);
    expect(hipStreamQuery(NULL), hipErrorNoDevice);
    expect(hipEventCreate(&event), hipErrorNoDevice);
    expect(hipModuleLoadData(&module, kernels_image()), hipErrorNoDevice);
    expect(launch_fill(NULL, 0, 0, NULL), hipErrorNoDevice);
    expect(hipGetSymbolAddress(&pointer, &counter_variable), hipErrorNoDevice);
    expect(hipCtxCreate(&context, 0, 0), hipErrorNoDevice);
    expect(hipDeviceCanAccessPeer(&value, 0, 1), hipErrorNoDevice);
}

static void without_a_device_everything_says_so(void **state)
{
    (void)state;
    in_child(nothing_works_without_a_device);
}

/* ---- any call of the driver may fail
 * ------------------------------------------------------------------ */

/* Uses a bit of everything, and undoes what was done. */
static void use_everything(void)
{
    static const hipChannelFormatDesc words = {32, 0, 0, 0, hipChannelFormatKindUnsigned};
    static char pages[8192] __attribute__((aligned(4096)));
    hipMemAllocationProp physical = {.type = hipMemAllocationTypePinned,
                                     .location = {hipMemLocationTypeDevice, 0}};
    hipMemPoolProps properties = {.allocType = hipMemAllocationTypePinned,
                                  .location = {hipMemLocationTypeDevice, 0}};
    hipMemAccessDesc access = {.location = {hipMemLocationTypeDevice, 0},
                               .flags = hipMemAccessFlagsProtReadWrite};
    const size_t size = 2 << 20;
    hipStream_t stream = NULL;
    hipEvent_t event = NULL;
    hipArray_t array = NULL;
    hipModule_t module = NULL;
    hipFunction_t function;
    hipMemPool_t pool = NULL, current;
    hipMemGenericAllocationHandle_t memory = NULL;
    hipDeviceProp_t device;
    char host[64];
    void *plain = NULL, *pinned = NULL, *managed = NULL, *pooled = NULL, *queued = NULL;
    void *address = NULL, *symbol;
    (void)hipGetDeviceProperties(&device, 0);
    (void)hipStreamCreate(&stream);
    (void)hipEventCreate(&event);
    (void)hipMalloc(&plain, 4096);
    (void)hipHostMalloc(&pinned, 4096, 0);
    (void)hipMallocManaged(&managed, 4096, hipMemAttachGlobal);
    (void)hipHostRegister(pages, sizeof pages, 0);
    (void)hipMallocArray(&array, &words, 8, 8, 0);
    (void)hipMemPoolCreate(&pool, &properties);
    (void)hipMallocFromPoolAsync(&pooled, 64, pool, stream);
    (void)hipMallocAsync(&queued, 64, stream);
    (void)hipDeviceGetDefaultMemPool(&current, 0);
    (void)hipModuleLoadData(&module, kernels_image());
    hipFunction_t functions[32];
    unsigned count = 0;
    if (module && hipModuleGetFunctionCount(&count, module) == hipSuccess)
        (void)hipModuleEnumerateFunctions(functions, count, module);
    if (module && hipModuleGetFunction(&function, module, "empty") == hipSuccess)
        (void)hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL);
    (void)hipMemCreate(&memory, size, &physical, 0);
    (void)hipMemAddressReserve(&address, size, 0, NULL, 0);
    bool mapped = memory && address && hipMemMap(address, size, 0, memory, 0) == hipSuccess;
    if (mapped)
        (void)hipMemSetAccess(address, size, &access, 1);
    if (plain) {
        (void)hipMemset(plain, 0, 64);
        (void)hipMemcpy(host, plain, 64, hipMemcpyDeviceToHost);
        (void)hipMemcpyAsync(plain, pages, 64, hipMemcpyHostToDevice, stream);
        (void)hipMemcpy2D(host, 8, plain, 16, 8, 4, hipMemcpyDeviceToHost);
        (void)launch_fill(plain, 1, 4, stream);
    }
    if (array)
        (void)hipMemcpy2DToArray(array, 0, 0, host, 32, 32, 2, hipMemcpyHostToDevice);
    (void)hipGetSymbolAddress(&symbol, &counter_variable);
    if (event)
        (void)hipEventRecord(event, stream);
    (void)hipStreamWaitEvent(stream, event, 0);
    (void)hipStreamSynchronize(stream);
    (void)hipDeviceSynchronize();

    fakecuda_clear_faults();
    if (mapped)
        ok(hipMemUnmap(address, size));
    if (address)
        ok(hipMemAddressFree(address, size));
    if (memory)
        ok(hipMemRelease(memory));
    if (module)
        ok(hipModuleUnload(module));
    if (queued)
        ok(hipFreeAsync(queued, stream));
    if (pooled)
        ok(hipFreeAsync(pooled, stream));
    ok(hipDeviceSynchronize());
    if (pool)
        ok(hipMemPoolDestroy(pool));
    if (array)
        ok(hipFreeArray(array));
    (void)hipHostUnregister(pages);
    ok(hipFree(managed));
    ok(hipHostFree(pinned));
    ok(hipFree(plain));
    if (event)
        ok(hipEventDestroy(event));
    if (stream)
        ok(hipStreamDestroy(stream));
}

static const char *const results[] = {"2", "999"}; /* out of memory, unknown */

static void one_call_fails_and_nothing_is_left(void)
{
    use_fake("80");
    start_kernels(NULL);
    use_everything();
    for (size_t i = 0; i < SYMBOLS; i++) {
        for (size_t k = 0; k < sizeof results / sizeof *results; k++) {
            struct fakecuda_counts before, now;
            fakecuda_count(&before);
            fakecuda_fail(symbols[i].name, 1, atoi(results[k]));
            use_everything();
            fakecuda_count(&now);
            if (memcmp(&before, &now, sizeof now) != 0)
                fprintf(stderr, "after %s failed there is left:\n%s", symbols[i].name,
                        fakecuda_report());
            check(memcmp(&before, &now, sizeof now) == 0);
        }
    }
    for (size_t i = 0; i < fakecuda_violations(); i++)
        fprintf(stderr, "violation: %s\n", fakecuda_violation_at(i));
    check(fakecuda_violations() == 0);
    check(end_kernels(NULL) == 0);
}

static void nothing_is_left_after_any_call_of_the_driver_fails(void **state)
{
    (void)state;
    in_child(one_call_fails_and_nothing_is_left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_UNCHECKED(a_driver_without_a_required_function_is_refused),
        TEST_UNCHECKED(a_driver_without_an_optional_function_refuses_what_needs_it),
        TEST_UNCHECKED(a_driver_without_a_function_for_opengl_shares_nothing),
        TEST_UNCHECKED(a_driver_that_does_not_list_parameters_can_have_kernels_in_graphs),
        TEST_UNCHECKED(a_driver_that_does_not_start_is_reported_once),
        TEST_UNCHECKED(without_a_device_there_is_nothing_to_link_for),
        TEST_UNCHECKED(a_context_that_cannot_be_made_is_asked_for_again),
        TEST_UNCHECKED(devices_that_do_not_reach_each_other_say_so),
        TEST_UNCHECKED(boxes_are_copied_between_devices_that_do_not_reach_each_other),
        TEST_UNCHECKED(a_runtime_of_amd_needs_one_device),
        TEST_UNCHECKED(the_environment_and_the_configuration_choose_devices),
        TEST_UNCHECKED(without_a_device_everything_says_so),
        TEST_UNCHECKED(nothing_is_left_after_any_call_of_the_driver_fails),
    };
    read_fake();
    return cmocka_run_group_tests_name("driver.driver_faults", tests, NULL, NULL);
}
