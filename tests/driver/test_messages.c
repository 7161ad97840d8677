/* What the log says when a call fails: what happened, to what, and what to do. Only the text is
 * tested here; the tests of each group of functions have the errors. */
#include "support.h"

#include "fill_ptx.h"

#include <hip/hiprtc.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const dim3 one = {1, 1, 1};

/* ---- devices ------------------------------------------------------------------------------ */

static void what_a_device_does_not_have_is_named(void **state)
{
    int value;
    (void)state;
    expect_says(hipDeviceGetAttribute(&value, hipDeviceAttributeHdpMemFlushCntl, 0),
                hipErrorNotSupported,
                over_hsa() ? "the device has no HDP flush registers"
                           : "NVIDIA devices have no HDP flush registers");
}

static void what_a_driver_does_not_report_is_named(void **state)
{
    uint32_t type, hops;
    void *memory;
    (void)state;
    expect_says(hipExtGetLinkTypeAndHopCount(0, 1, &type, &hops), hipErrorNotSupported,
                "NVIDIA's driver does not report the kind of link between cuda:0 and cuda:1");
    expect_says(hipExtMallocWithFlags(&memory, 16, hipDeviceMallocContiguous), hipErrorNotSupported,
                "NVIDIA's driver does not report whether memory is physically contiguous");
}

/* ---- modules ------------------------------------------------------------------------------ */

static void a_module_of_ptx_that_cannot_be_loaded_is_explained(void **state)
{
    static const char broken[] = ".version 7.0\n.target sm_70\nthis is no PTX\n";
    static const char too_new[] = ".version 99.0\n.target sm_70\n.visible .entry e()\n{\nret;\n}\n";
    static const char managed[] = PTX_HEADER ".visible .global .align 4 .u32 value.managed = 5;\n"
                                             ".visible .global .align 8 .u64 value;\n";
    hipModule_t module;
    (void)state;
    expect_says(hipModuleLoadData(&module, broken), hipErrorInvalidKernelFile,
                "cuda:0 rejects the PTX: line 3: error: expected a directive, found 'this'");
    expect_says(hipModuleLoadData(&module, too_new), hipErrorInvalidKernelFile,
                "PTX 99.0 is newer than this driver (CUDA 13.0) knows: update the driver, or "
                "compile for a lower PTX version");
    fakecuda_fail("cuMemAllocManaged", 1, 2);
    expect_says(hipModuleLoadData(&module, managed), hipErrorOutOfMemory,
                "managed variables of the module: hipErrorOutOfMemory");
}

static void a_code_object_that_cannot_be_loaded_is_explained(void **state)
{
    enum { INVALID_CODE_OBJECT = 0x1010 };
    hipModule_t module;
    (void)state;
    fakehsa_fail("hsa_executable_load_agent_code_object", 1, HSA_OUT_OF_RESOURCES);
    expect_says(hipModuleLoadData(&module, kernels_image()), hipErrorOutOfMemory,
                "hsa:0 cannot load code for gfx90a (code object version");
    fakehsa_fail("hsa_executable_load_agent_code_object", 1, INVALID_CODE_OBJECT);
    expect_says(hipModuleLoadData(&module, kernels_image()), hipErrorInvalidImage,
                "the HSA runtime may be too old for this version of code objects: update ROCm, or "
                "compile with -mcode-object-version=4");
}

static void a_code_object_that_the_library_cannot_use_is_explained(void **state)
{
    static const char key[] = "amdhsa.kernels";
    size_t size = kernels_image_size();
    char *damaged = malloc(size);
    hipModule_t module;
    hipFunction_t function;
    (void)state;
    memcpy(damaged, kernels_image(), size);
    for (char *at = damaged; (at = memmem(at, (size_t)(damaged + size - at), key, strlen(key)));
         at++)
        at[-1] = (char)0xc1; /* which begins nothing in MessagePack */
    expect_says(hipModuleLoadData(&module, damaged), hipErrorInvalidImage,
                "hsa:0 cannot load a code object: its metadata ");
    free(damaged);
    expect_says(hipModuleLoad(&module, LATER_KERNELS), hipErrorInvalidImage,
                "code was compiled with headers of a later version (99, this library has ");
    ok(hipModuleLoad(&module, ODD_KERNELS));
    expect_says(hipModuleGetFunction(&function, module, "with_many_arguments"),
                hipErrorInvalidImage,
                "kernel with_many_arguments has 70000 bytes of arguments, more than 65536");
    ok(hipModuleGetFunction(&function, module, "of_one_size"));
    expect_says(hipModuleLaunchKernel(function, 1, 1, 1, 8, 1, 1, 0, NULL, NULL, NULL),
                hipErrorInvalidConfiguration,
                "kernel of_one_size was compiled for blocks of 8 x 2 x 1 threads, not 8 x 1 x 1");
    ok(hipModuleLaunchKernel(function, 1, 1, 1, 8, 2, 1, 0, NULL, NULL, NULL));
    ok(hipDeviceSynchronize());
    ok(hipModuleUnload(module));
}

static void names_that_a_module_does_not_have_are_named(void **state)
{
    static const char nonsense[64] = "no code"; /* of any header, the first bytes are read */
    hipModule_t module;
    hipFunction_t function;
    hipDeviceptr_t address;
    size_t size;
    (void)state;
    ok(hipModuleLoadData(&module, kernels_image()));
    expect_says(hipModuleGetFunction(&function, module, "absent"), hipErrorNotFound,
                "the module has no function absent");
    expect_says(hipModuleGetGlobal(&address, &size, module, "absent"), hipErrorNotFound,
                "the module has no variable absent");
    ok(hipModuleUnload(module));
    expect_says(hipModuleLoad(&module, "/no such file"), hipErrorFileNotFound,
                "cannot read device code from /no such file: No such file or directory");
    expect_says(hipModuleLoadData(&module, nonsense), hipErrorInvalidImage,
                "cannot load the module: this is not an offload bundle, AMDGPU or CUDA ELF, PTX "
                "text or CUDA fatbin");
}

static void memory_without_code_is_told(void **state)
{
    hipModule_t module;
    (void)state;
    expect_says(hipModuleLoadData(&module, (const void *)16), hipErrorInvalidImage,
                ": there is no data at 0x10");
}

static void names_that_a_program_does_not_have_are_named(void **state)
{
    static const char kernel = 0;
    static char variable, text[] = "missing_variable";
    struct wrapper wrapper = wrap_image(kernels_image());
    void *address;
    (void)state;
    void **handle = __hipRegisterFatBinary(&wrapper);
    __hipRegisterFunction(handle, &kernel, text, "missing_kernel", 0, NULL, NULL, NULL, NULL, NULL);
    __hipRegisterVar(handle, &variable, text, text, 0, 4, 0, 0);
    expect_says(hipLaunchKernel(&kernel, one, one, NULL, 0, NULL), hipErrorInvalidDeviceFunction,
                "kernel missing_kernel is not in the code for device 0");
    expect_says(hipGetSymbolAddress(&address, &variable), hipErrorInvalidSymbol,
                "variable missing_variable is not in the code for device 0");
    __hipUnregisterFatBinary(handle);
    expect_says(hipLaunchKernel(&kernel, one, one, NULL, 0, NULL), hipErrorInvalidDeviceFunction,
                "is not the address of a kernel of this program");
    expect_says(hipGetSymbolAddress(&address, &variable), hipErrorInvalidSymbol,
                "is not the address of a device variable of this program");
}

/* ---- launches ----------------------------------------------------------------------------- */

static void a_launch_that_is_refused_is_explained(void **state)
{
    hipLaunchAttribute attribute = {.id = hipLaunchAttributeClusterDimension};
    hipLaunchConfig_t config = {
        .gridDim = one, .blockDim = one, .attrs = &attribute, .numAttrs = 1};
    hipModule_t module;
    hipFunction_t function;
    hipStream_t stream;
    (void)state;
    expect_says(hipLaunchKernel(&empty_kernel, (dim3){1, 0, 1}, one, NULL, 0, NULL),
                hipErrorInvalidValue,
                "a dimension of grid (1, 0, 1) or block (1, 1, 1) is 0 for kernel empty");
    expect_says(hipLaunchKernel(&empty_kernel, (dim3){1, 1u << 30, 1}, one, NULL, 0, NULL),
                hipErrorInvalidConfiguration, "grid (1, 1073741824, 1) is larger than device 0");
    expect_says(hipLaunchKernel(&empty_kernel, one, (dim3){1025, 1, 1}, NULL, 0, NULL),
                hipErrorInvalidConfiguration,
                "Launch params (1025, 1, 1) are larger than the block limit of device 0 (1024 "
                "threads, 1024 x 1024 x ");
    expect_says(hipLaunchKernel(&bounded_kernel, one, (dim3){129, 1, 1}, NULL, 0, NULL),
                hipErrorLaunchFailure,
                "Launch params (129, 1, 1) are larger than launch bounds (128) for kernel bounded");
    expect_says(hipLaunchKernel(&shared_kernel, one, one, NULL, 1 << 20, NULL), hipErrorOutOfMemory,
                "1048576 bytes of dynamic and 4096 of static shared memory are more than the ");
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    expect_says(hipLaunchKernelExC(&config, &empty_kernel, NULL), hipErrorInvalidClusterSize,
                "hipLaunchKernelExC: device 0 has no clusters of blocks (2, 1, 1)");
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleGetFunction(&function, module, "empty"));
    ok(hipSetDevice(1));
    ok(hipStreamCreate(&stream));
    expect_says(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL),
                hipErrorInvalidDevice,
                "kernel empty is loaded on device 0 and cannot run in a stream of device 1");
    ok(hipStreamDestroy(stream));
    ok(hipSetDevice(0));
    ok(hipModuleUnload(module));
}

static void what_a_packet_of_hsa_cannot_hold_is_explained(void **state)
{
    size_t size = 4;
    uint32_t buffer = 0;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &buffer, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     HIP_LAUNCH_PARAM_END};
    hipFunction_t function;
    (void)state;
    ok(hipGetFuncBySymbol(&function, &fill_kernel));
    expect_says(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra),
                hipErrorInvalidValue,
                "kernel fake_fill takes 16 bytes of arguments, and 4 are given");
    expect_says(
        hipLaunchKernel(&empty_kernel, (dim3){1u << 23, 1, 1}, (dim3){1024, 1, 1}, NULL, 0, NULL),
        hipErrorInvalidConfiguration,
        "8388608 blocks of 1024 threads are more than 2^32 threads in one dimension for "
        "kernel empty");
}

/* ---- memory ------------------------------------------------------------------------------- */

static void memory_that_is_not_what_a_call_needs_is_named(void **state)
{
    hipIpcMemHandle_t handle;
    char local[16], *memory;
    void *base;
    (void)state;
    ok(hipMalloc((void **)&memory, 4096));
    expect_says(hipMalloc(&base, (size_t)1 << 50), hipErrorOutOfMemory,
                "Allocation failed : Device memory : required :1125899906842624 | free :");
    expect_says(hipFree(memory + 8), hipErrorInvalidValue,
                "is not the start of an allocation that can be freed");
    expect_says(hipHostFree(memory), hipErrorInvalidValue,
                "was not allocated as page-locked host memory");
    expect_says(hipMemset(local, 0, sizeof local), hipErrorInvalidValue,
                "is not memory that a device can fill");
    expect_says(hipMemset(memory + 4000, 0, 97), hipErrorInvalidValue, "a fill of 97 bytes at ");
    expect_says(hipMemcpy(local, local + 8, 8, hipMemcpyDeviceToHost), hipErrorInvalidValue,
                ": neither is memory of a device");
    expect_says(hipMemcpy(memory + 4090, local, 16, hipMemcpyHostToDevice), hipErrorInvalidValue,
                " reaches past the end of an allocation");
    expect_says(hipIpcGetMemHandle(&handle, local), hipErrorInvalidValue,
                "is not device memory that can be shared");
    expect_says(hipHostGetDevicePointer(&base, memory, 0), hipErrorInvalidValue,
                "is not page-locked memory");
    expect_says(hipHostUnregister(memory), hipErrorHostMemoryNotRegistered, "is not registered");
    expect_says(hipMemcpy2D(memory, 64, local, 16, 16, 65, hipMemcpyHostToDevice),
                hipErrorInvalidValue, "a copy of 16 x 65 x 1 bytes at ");
    ok(hipFree(memory));
}

static void memory_of_a_pool_of_hsa_is_not_shared(void **state)
{
    hipIpcMemHandle_t handle;
    void *pooled;
    (void)state;
    ok(hipMallocAsync(&pooled, 4096, NULL));
    expect_says(hipIpcGetMemHandle(&handle, pooled), hipErrorInvalidValue,
                "is not device memory that can be shared");
    ok(hipFreeAsync(pooled, NULL));
    ok(hipDeviceSynchronize());
}

static void virtual_memory_that_is_not_all_there_is_named(void **state)
{
    const hipMemAllocationProp properties = {.type = hipMemAllocationTypePinned,
                                             .location = {hipMemLocationTypeDevice, 0}};
    hipMemGenericAllocationHandle_t memory;
    size_t grain;
    char *address;
    (void)state;
    ok(hipMemGetAllocationGranularity(&grain, &properties, hipMemAllocationGranularityMinimum));
    if (over_hsa())
        expect_says(hipMemCreate(&memory, grain + 1, &properties, 0), hipErrorInvalidValue,
                    " bytes is not a multiple of the granularity, ");
    ok(hipMemCreate(&memory, 2 * grain, &properties, 0));
    ok(hipMemAddressReserve((void **)&address, 2 * grain, 0, NULL, 0));
    ok(hipMemMap(address, 2 * grain, 0, memory, 0));
    expect_says(hipMemUnmap(address, grain), hipErrorInvalidValue, "no mapping begins at ");
    if (over_hsa())
        expect_says(hipMemset(address, 0, 2 * grain + 1), hipErrorInvalidValue,
                    " extend past the end of their allocation");
    ok(hipMemUnmap(address, 2 * grain));
    ok(hipMemAddressFree(address, 2 * grain));
    ok(hipMemRelease(memory));
}

/* ---- streams and events -------------------------------------------------------------------- */

static void work_that_a_stream_cannot_take_is_named(void **state)
{
    hipIpcEventHandle_t handle;
    char luid[8] = {0};
    unsigned mask = 7;
    hipStream_t stream;
    hipEvent_t event;
    (void)state;
    expect_says(hipDeviceGetLuid(luid, &mask, 0), hipErrorNotSupported,
                "only adapters of Windows have a LUID; hipDeviceGetUuid names the device");
    check(luid[0] == 0 && mask == 7);
    ok(hipEventCreate(&event));
    expect_says(hipIpcGetEventHandle(&handle, event), hipErrorInvalidConfiguration,
                "the event was not created with hipEventInterprocess");
    ok(hipSetDevice(1));
    ok(hipStreamCreate(&stream));
    expect_says(hipEventRecord(event, stream), hipErrorInvalidHandle,
                "an event of device 0 cannot be recorded in a stream of device 1");
    ok(hipStreamDestroy(stream));
    ok(hipEventDestroy(event));
}

static void work_that_a_stream_of_one_vendor_cannot_take_is_named(void **state)
{
    hipStream_t stream;
    uint32_t *flag, local = 0, mask = 1;
    (void)state;
    ok(hipHostMalloc((void **)&flag, 8, 0));
    if (over_hsa()) {
        expect_says(hipStreamWriteValue32(NULL, &local, 0, 0), hipErrorInvalidValue,
                    ": use memory that HIP allocated or registered");
        expect_says(hipStreamWaitValue32(NULL, (char *)flag + 1, 0, 0, ~0u), hipErrorInvalidValue,
                    "a value of 32 bits at ");
    } else {
        expect_says(hipExtStreamCreateWithCUMask(&stream, 1, &mask), hipErrorNotSupported,
                    "the driver gives multiprocessors to contexts in groups of 2, from 0 on");
    }
    ok(hipHostFree(flag));
}

static void a_surface_that_the_driver_refuses_is_explained(void **state)
{
    const hipChannelFormatDesc floats = {32, 0, 0, 0, hipChannelFormatKindFloat};
    hipResourceDesc resource = {.resType = hipResourceTypeArray};
    hipSurfaceObject_t surface;
    hipArray_t array;
    (void)state;
    ok(hipMallocArray(&array, &floats, 8, 8, hipArrayDefault));
    resource.res.array.array = array;
    fakecuda_fail("cuSurfObjectCreate", 1, 1);
    expect_says(hipCreateSurfaceObject(&surface, &resource), hipErrorInvalidValue,
                "the array is too large for a surface");
    ok(hipFreeArray(array));
}

static void an_event_for_which_there_is_no_file_is_explained(void **state)
{
    struct rlimit limit, none;
    hipEvent_t event;
    (void)state;
    check(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    ok(hipExtSetLoggingParams(2, 0, ~0u));
    begin_log();
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    hipError_t error =
        hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming);
    setrlimit(RLIMIT_NOFILE, &limit);
    expect_said((int)error, hipErrorOutOfMemory,
                "memory for an interprocess event could not be created: Too many open files",
                "hipEventCreateWithFlags", __FILE__, __LINE__);
}

/* ---- graphs --------------------------------------------------------------------------------- */

static void never_runs(hipStream_t stream, hipError_t status, void *data)
{
    (void)stream, (void)status, (void)data;
}

static void what_a_graph_cannot_hold_is_named(void **state)
{
    hipLaunchAttributeValue window = {.accessPolicyWindow = {.num_bytes = (size_t)1 << 40}};
    hipKernelNodeParams params = {.blockDim = {1, 1, 1}, .gridDim = {1, 1, 1}};
    hipGraph_t graph, other;
    hipGraphNode_t first, second, third, kernel;
    hipStream_t stream;
    (void)state;
    params.func = (void *)(uintptr_t)&empty_kernel;
    ok(hipGraphCreate(&graph, 0));
    ok(hipGraphAddEmptyNode(&first, graph, NULL, 0));
    ok(hipGraphAddEmptyNode(&second, graph, &first, 1));
    expect_says(hipGraphAddDependencies(graph, &first, &second, 1), hipErrorInvalidValue,
                " depends on node ");
    ok(hipGraphCreate(&other, 0));
    expect_says(hipGraphAddEmptyNode(&third, other, &first, 1), hipErrorInvalidValue,
                "dependency 0 of the new node (");
    ok(hipGraphAddKernelNode(&kernel, graph, NULL, 0, &params));
    expect_says(
        hipGraphKernelNodeSetAttribute(kernel, hipLaunchAttributeAccessPolicyWindow, &window),
        hipErrorInvalidValue, ": a window of 1099511627776 bytes is larger than the ");
    ok(hipGraphDestroy(other));
    ok(hipGraphDestroy(graph));
    ok(hipStreamCreate(&stream));
    ok(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    expect_says(hipStreamAddCallback(stream, never_runs, NULL, 0), hipErrorStreamCaptureUnsupported,
                "hipStreamAddCallback cannot be captured, since its function is called once: use "
                "hipLaunchHostFunc");
    (void)hipStreamEndCapture(stream, &graph);
    ok(hipStreamDestroy(stream));
}

static void what_an_executable_graph_keeps_is_named(void **state)
{
    hipMemsetParams fill = {.elementSize = 1, .width = 8, .height = 4, .pitch = 64};
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t filling, copying;
    char *memory;
    (void)state;
    ok(hipMalloc((void **)&memory, 4096));
    fill.dst = memory;
    ok(hipGraphCreate(&graph, 0));
    ok(hipGraphAddMemsetNode(&filling, graph, NULL, 0, &fill));
    ok(hipGraphAddMemcpyNode1D(&copying, graph, NULL, 0, memory + 1024, memory, 8,
                               hipMemcpyDeviceToDevice));
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    fill.height = 3;
    expect_says(hipGraphExecMemsetNodeSetParams(exec, filling, &fill), hipErrorInvalidValue,
                "a memset node of an executable graph keeps its size if it has several rows");
    expect_says(hipGraphExecMemcpyNodeSetParams1D(exec, copying, memory, memory, 8,
                                                  hipMemcpyDeviceToDevice),
                hipErrorInvalidValue,
                "hipGraphExecMemcpyNodeSetParams1D: source and destination are the same (");
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    ok(hipFree(memory));
}

static void a_graph_of_a_device_that_was_reset_is_named(void **state)
{
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t node;
    hipEvent_t event;
    (void)state;
    ok(hipEventCreate(&event));
    ok(hipGraphCreate(&graph, 0));
    ok(hipGraphAddEventRecordNode(&node, graph, NULL, 0, event));
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    ok(hipDeviceReset());
    expect_says(hipGraphLaunch(exec, NULL), hipErrorInvalidValue,
                "hipGraphLaunch: the executable graph cannot run any more: one of its devices was "
                "reset; instantiate a graph again");
    ok(hipGraphExecDestroy(exec));
    expect_says(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), hipErrorInvalidHandle,
                "the event of a graph went when its device was reset");
    ok(hipGraphDestroy(graph));
}

/* ---- compilation at run time ---------------------------------------------------------------- */

static void options_and_headers_that_hiprtc_refuses_are_named(void **state)
{
    const char *texts[] = {"", ""}, *names[] = {"x", "x/y.h"};
    const char *text = "int x;", *header = "/x.h";
    hiprtcJIT_option unknown = (hiprtcJIT_option)99;
    void *value = NULL;
    hiprtcProgram program;
    hiprtcLinkState link;
    (void)state;
    expect_says(hiprtcCreateProgram(&program, text, "p", 1, &text, &header),
                HIPRTC_ERROR_INVALID_INPUT,
                "give it the name by which the source includes it, relative and not too far up");
    expect(hiprtcCreateProgram(&program, text, "p", 2, texts, names), HIPRTC_SUCCESS);
    expect_says(hiprtcCompileProgram(program, 0, NULL), HIPRTC_ERROR_INTERNAL_ERROR,
                "x/y.h: Not a directory");
    expect(hiprtcDestroyProgram(&program), HIPRTC_SUCCESS);
    expect_says(hiprtcLinkCreate(1, &unknown, &value, &link), HIPRTC_ERROR_INVALID_OPTION,
                "option 99 of a link is unknown, or its value is a NULL pointer");
}

static void inputs_that_hiprtc_cannot_link_are_named(void **state)
{
    const hiprtcJITInputType bundled = HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE;
    const hiprtcJITInputType archived = HIPRTC_JIT_INPUT_LLVM_ARCHIVES_OF_BUNDLED_BITCODE;
    enum { REFUSED = HIPRTC_ERROR_PROGRAM_CREATION_FAILURE };
    char text[] = "nothing that could be linked";
    const struct entry other = {"hip-amdgcn-amd-amdhsa--gfx803", text, sizeof text};
    size_t size;
    void *bundle = make_bundle(&other, 1, &size), *image;
    hiprtcLinkState link;
    (void)state;
    expect(hiprtcLinkCreate(0, NULL, NULL, &link), HIPRTC_SUCCESS);
    expect_says(hiprtcLinkComplete(link, &image, &size), HIPRTC_ERROR_LINKING,
                "the link has no inputs");
    expect_says(
        hiprtcLinkAddData(link, HIPRTC_JIT_INPUT_PTX, text, sizeof text, "x", 0, NULL, NULL),
        HIPRTC_ERROR_INVALID_INPUT,
        "are not linked: HIP links LLVM bitcode, bundles of it and archives of bundles");
    expect_says(hiprtcLinkAddData(link, bundled, text, sizeof text, "x", 0, NULL, NULL), REFUSED,
                "x is not linked: this is not an offload bundle");
    expect_says(hiprtcLinkAddData(link, archived, text, sizeof text, "x", 0, NULL, NULL), REFUSED,
                "x is not an archive, or it is damaged, or thin");
    expect_says(hiprtcLinkAddData(link, bundled, bundle, size, "x", 0, NULL, NULL), REFUSED,
                over_hsa() ? "x has nothing for gfx90a" : "x has nothing for sm_80; it holds ");
    expect_says(hiprtcLinkAddFile(link, bundled, "/no such file", 0, NULL, NULL), REFUSED,
                "cannot read /no such file: No such file or directory");
    expect(hiprtcLinkDestroy(link), HIPRTC_SUCCESS);
    free(bundle);
}

/* With this compile driver and this folder for temporary files. */
static void compile_and_link_say(const char *driver, const char *folder, hiprtcResult compiled,
                                 const char *of_compiling, hiprtcResult linked,
                                 const char *of_linking)
{
    char text[] = "__global__ void k() {}";
    hiprtcProgram program;
    hiprtcLinkState link;
    size_t size;
    void *image;
    setenv("ANYHIP_HIPCC", driver, 1);
    setenv("TMPDIR", folder, 1);
    expect(hiprtcCreateProgram(&program, text, "p", 0, NULL, NULL), HIPRTC_SUCCESS);
    expect_says(hiprtcCompileProgram(program, 0, NULL), compiled, of_compiling);
    expect(hiprtcDestroyProgram(&program), HIPRTC_SUCCESS);
    expect(hiprtcLinkCreate(0, NULL, NULL, &link), HIPRTC_SUCCESS);
    expect(hiprtcLinkAddData(link, HIPRTC_JIT_INPUT_LLVM_BITCODE, text, sizeof text, "x", 0, NULL,
                             NULL),
           HIPRTC_SUCCESS);
    expect_says(hiprtcLinkComplete(link, &image, &size), linked, of_linking);
    expect(hiprtcLinkDestroy(link), HIPRTC_SUCCESS);
    unsetenv("ANYHIP_HIPCC");
    unsetenv("TMPDIR");
}

static void a_compiler_that_cannot_be_used_is_told(void **state)
{
    (void)state;
    compile_and_link_say("/no such compiler", "/tmp", HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE,
                         "hiprtc has no compiler: error: ", HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE,
                         "; install AnyHIP's hipcc, or name it in ANYHIP_HIPCC");
    compile_and_link_say("/bin/false", "/tmp", HIPRTC_ERROR_COMPILATION,
                         "hiprtc: p is not compiled (HIPRTC_ERROR_COMPILATION)",
                         HIPRTC_ERROR_LINKING, "hiprtc: the link failed: ");
    compile_and_link_say("/bin/false", "/no such folder", HIPRTC_ERROR_INTERNAL_ERROR,
                         "cannot make a folder for hiprtc's files in /no such folder: No such file "
                         "or directory; name another folder in TMPDIR",
                         HIPRTC_ERROR_INTERNAL_ERROR,
                         "cannot make a folder for hiprtc's files in /no such folder: ");
}

/* ---- tracers ------------------------------------------------------------------------------ */

static void tracers_of_old_versions_are_refused(void **state)
{
    (void)state;
    expect_says(hipRegisterApiCallback(1, NULL, NULL), hipErrorNotSupported,
                "hipRegisterApiCallback: tracers of HIP 5 are not called");
    expect_says(hipRegisterActivityCallback(1, NULL, NULL), hipErrorNotSupported,
                "hipRegisterActivityCallback: tracers of HIP 5 are not called");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_a_device_does_not_have_is_named),
        TEST_OVER("cuda", "HSA reports both", what_a_driver_does_not_report_is_named),
        TEST_OVER("cuda", "HSA loads no PTX", a_module_of_ptx_that_cannot_be_loaded_is_explained),
        TEST_OVER("hsa", "CUDA loads no code objects",
                  a_code_object_that_cannot_be_loaded_is_explained),
        TEST_OVER("hsa", "CUDA loads no code objects",
                  a_code_object_that_the_library_cannot_use_is_explained),
        TEST(names_that_a_module_does_not_have_are_named),
        TEST(memory_without_code_is_told),
        TEST(names_that_a_program_does_not_have_are_named),
        TEST(a_launch_that_is_refused_is_explained),
        TEST_OVER("hsa", "CUDA's driver has these limits by itself",
                  what_a_packet_of_hsa_cannot_hold_is_explained),
        TEST(memory_that_is_not_what_a_call_needs_is_named),
        TEST_OVER("hsa", "CUDA's driver refuses it with a code alone",
                  memory_of_a_pool_of_hsa_is_not_shared),
        TEST(virtual_memory_that_is_not_all_there_is_named),
        TEST(work_that_a_stream_cannot_take_is_named),
        TEST(work_that_a_stream_of_one_vendor_cannot_take_is_named),
        TEST_OVER("cuda", "HSA knows what a surface can hold",
                  a_surface_that_the_driver_refuses_is_explained),
        TEST_OVER("hsa", "CUDA's driver shares events by itself",
                  an_event_for_which_there_is_no_file_is_explained),
        TEST(what_a_graph_cannot_hold_is_named),
        TEST(what_an_executable_graph_keeps_is_named),
        TEST(a_graph_of_a_device_that_was_reset_is_named),
        TEST(options_and_headers_that_hiprtc_refuses_are_named),
        TEST(inputs_that_hiprtc_cannot_link_are_named),
        TEST(a_compiler_that_cannot_be_used_is_told),
        TEST(tracers_of_old_versions_are_refused),
    };
    use_fake("80,90");
    return run_group("driver.messages", tests);
}
