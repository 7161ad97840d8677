/* What kernel, copy and memory operation nodes check and keep of their parameters, what an update
 * may change of them, and copies between devices. */
#include "graph_support.h"

#include <unistd.h>

static hipGraph_t graph;

static int begin_graph(void **state)
{
    int failed = before_each(state);
    graph = new_graph();
    return failed;
}

static int end_graph(void **state)
{
    ok(hipGraphDestroy(graph));
    return after_each(state);
}

#define GRAPH_TEST(function) cmocka_unit_test_setup_teardown(function, begin_graph, end_graph)

static size_t node_count(void)
{
    size_t count;
    ok(hipGraphGetNodes(graph, NULL, &count));
    return count;
}

/* ---- kernel nodes ----------------------------------------------------------------------- */

/* The arguments of the kernel "structure". */
struct words {
    uint64_t words[3];
};
struct arguments {
    uint8_t a;
    uint16_t b;
    struct words c;
    double d;
    uint32_t e;
    void *pointers[5];
};

static void set_arguments(struct arguments *arguments)
{
    *arguments = (struct arguments){0x11, 0x2222, {{1, 2, 3}}, 4.5, 0x55555555, {NULL}};
    void *pointers[] = {&arguments->a, &arguments->b, &arguments->c, &arguments->d, &arguments->e};
    memcpy(arguments->pointers, pointers, sizeof pointers);
}

static hipKernelNodeParams structure_params(struct arguments *arguments)
{
    set_arguments(arguments);
    return (hipKernelNodeParams){.func = (void *)(uintptr_t)&struct_kernel,
                                 .gridDim = {5, 6, 7},
                                 .blockDim = {8, 4, 2},
                                 .sharedMemBytes = 64,
                                 .kernelParams = arguments->pointers};
}

static hipGraphNode_t add_structure(void)
{
    struct arguments arguments;
    hipGraphNode_t node;
    hipKernelNodeParams params = structure_params(&arguments);
    ok(hipGraphAddKernelNode(&node, graph, NULL, 0, &params));
    memset(&arguments, 0, sizeof arguments); /* they were copied */
    return node;
}

static void check_structure(const hipKernelNodeParams *got)
{
    struct arguments wanted;
    set_arguments(&wanted);
    check(got->gridDim.x == 5 && got->gridDim.y == 6 && got->gridDim.z == 7);
    check(got->blockDim.x == 8 && got->blockDim.y == 4 && got->blockDim.z == 2);
    check(got->sharedMemBytes == 64 && !got->extra);
    check(*(const uint8_t *)got->kernelParams[0] == wanted.a);
    check(*(const uint16_t *)got->kernelParams[1] == wanted.b);
    check(memcmp(got->kernelParams[2], &wanted.c, sizeof wanted.c) == 0);
    check(*(const double *)got->kernelParams[3] == wanted.d);
    check(*(const uint32_t *)got->kernelParams[4] == wanted.e);
}

static void a_kernel_node_has_copies_of_its_arguments(void **state)
{
    hipKernelNodeParams got;
    hipGraphNode_t node = add_structure();
    (void)state;
    ok(hipGraphKernelNodeGetParams(node, &got));
    check(got.func == (const void *)&struct_kernel);
    check_structure(&got);
    got.gridDim.x = 9; /* what was read may be written again */
    ok(hipGraphKernelNodeSetParams(node, &got));
    ok(hipGraphKernelNodeGetParams(node, &got));
    check(got.gridDim.x == 9);
    got.gridDim.x = 5;
    check_structure(&got);
}

/* Programs look for the name of a kernel as the compiler made it. */
static void a_picture_has_the_symbol_of_a_kernel(void **state)
{
    char path[] = "/tmp/graph-XXXXXX", text[4096];
    int file = mkstemp(path);
    (void)state;
    check(file >= 0);
    add_structure();
    ok(hipGraphDebugDotPrint(graph, path, hipGraphDebugDotFlagsKernelNodeParams));
    ssize_t size = read(file, text, sizeof text - 1);
    check(size > 0);
    text[size] = '\0';
    check(strstr(text, "{symbol|structure}") != NULL);
    close(file);
    unlink(path);
}

static void a_clone_has_copies_of_its_own(void **state)
{
    hipGraph_t clone;
    hipGraphNode_t node = add_structure(), copy;
    hipKernelNodeParams got, original;
    (void)state;
    ok(hipGraphClone(&clone, graph));
    ok(hipGraphNodeFindInClone(&copy, node, clone));
    ok(hipGraphKernelNodeGetParams(node, &original));
    ok(hipGraphKernelNodeGetParams(copy, &got));
    for (int i = 0; i < 5; i++)
        check(got.kernelParams[i] != original.kernelParams[i]);
    ok(hipGraphDestroyNode(node));
    check_structure(&got);
    ok(hipGraphDestroy(clone));
}

/* The arguments of fake_fill. */
struct fill_arguments {
    uint32_t *out;
    uint32_t value, count;
};

static void arguments_may_be_in_one_buffer(void **state)
{
    struct fill_arguments buffer = {(uint32_t *)0x1000, 7, 8};
    size_t size = sizeof buffer;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &buffer, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     HIP_LAUNCH_PARAM_END};
    hipKernelNodeParams got, params = {.func = (void *)(uintptr_t)&fill_kernel,
                                       .gridDim = {1, 1, 1},
                                       .blockDim = {1, 1, 1},
                                       .extra = extra};
    hipGraph_t clone;
    hipGraphNode_t node, copy;
    (void)state;
    ok(hipGraphAddKernelNode(&node, graph, NULL, 0, &params));
    buffer.value = 0;
    ok(hipGraphClone(&clone, graph));
    ok(hipGraphNodeFindInClone(&copy, node, clone));
    ok(hipGraphDestroyNode(node));
    ok(hipGraphKernelNodeGetParams(copy, &got));
    check(!got.kernelParams && got.extra[0] == HIP_LAUNCH_PARAM_BUFFER_POINTER &&
          got.extra[2] == HIP_LAUNCH_PARAM_BUFFER_SIZE && got.extra[4] == HIP_LAUNCH_PARAM_END);
    check(*(const size_t *)got.extra[3] == size);
    const struct fill_arguments *kept = got.extra[1];
    check(kept->out == buffer.out && kept->value == 7 && kept->count == 8);
    ok(hipGraphDestroy(clone));
    extra[1] = NULL;
    expect(hipGraphAddKernelNode(&node, graph, NULL, 0, &params), hipErrorInvalidValue);
    extra[1] = &buffer;
    extra[4] = NULL;
    expect(hipGraphAddKernelNode(&node, graph, NULL, 0, &params), hipErrorInvalidValue);
}

static void a_function_of_a_module_is_a_kernel_too(void **state)
{
    hipModule_t module;
    hipFunction_t function;
    hipGraphNode_t node;
    hipKernelNodeParams got, params = {.gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}};
    (void)state;
    ok(hipSetDevice(1));
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleGetFunction(&function, module, "empty"));
    ok(hipSetDevice(0));
    params.func = function;
    ok(hipGraphAddKernelNode(&node, graph, NULL, 0, &params));
    ok(hipGraphKernelNodeGetParams(node, &got));
    check(got.func == (const void *)function && !got.kernelParams && !got.extra);
    ok(hipModuleUnload(module));
    ok(hipGraphKernelNodeGetParams(node, &got));
}

static void kernel_nodes_check_their_parameters(void **state)
{
    struct arguments arguments;
    hipGraphNode_t node;
    const hipKernelNodeParams good = structure_params(&arguments);
    hipKernelNodeParams params = good;
    int limit;
    (void)state;
    expect(hipGraphAddKernelNode(&node, graph, NULL, 0, NULL), hipErrorInvalidValue);
    expect(hipGraphAddKernelNode(NULL, graph, NULL, 0, &good), hipErrorInvalidValue);
    expect(hipGraphAddKernelNode(&node, NULL, NULL, 0, &good), hipErrorInvalidValue);
    expect(hipGraphAddKernelNode(&node, graph, NULL, 1, &good), hipErrorInvalidValue);
    params.func = NULL;
    expect(hipGraphAddKernelNode(&node, graph, NULL, 0, &params), hipErrorInvalidValue);
    params.func = &params;
    refused(hipGraphAddKernelNode(&node, graph, NULL, 0, &params), hipErrorInvalidDeviceFunction,
            "is not the address of a kernel");
    params = good;
    params.kernelParams = NULL;
    refused(hipGraphAddKernelNode(&node, graph, NULL, 0, &params), hipErrorInvalidValue,
            "parameters, but neither kernelParams nor extra is given");
    params = good;
    params.extra = arguments.pointers;
    expect(hipGraphAddKernelNode(&node, graph, NULL, 0, &params), hipErrorInvalidValue);
    params = good;
    arguments.pointers[4] = NULL;
    expect(hipGraphAddKernelNode(&node, graph, NULL, 0, &params), hipErrorInvalidValue);
    set_arguments(&arguments);
    params.blockDim.y = 0;
    expect(hipGraphAddKernelNode(&node, graph, NULL, 0, &params), hipErrorInvalidValue);
    params = good;
    ok(hipDeviceGetAttribute(&limit, hipDeviceAttributeMaxThreadsPerBlock, 0));
    params.blockDim = (dim3){(unsigned)limit + 1, 1, 1};
    expect(hipGraphAddKernelNode(&node, graph, NULL, 0, &params), hipErrorInvalidConfiguration);
    params = good;
    params.sharedMemBytes = UINT32_MAX;
    expect(hipGraphAddKernelNode(&node, graph, NULL, 0, &params), hipErrorOutOfMemory);
    check(node_count() == 0);
}

static void functions_for_kernel_nodes_refuse_others(void **state)
{
    struct arguments arguments;
    hipKernelNodeParams params = structure_params(&arguments);
    hipLaunchAttributeValue value = {.cooperative = 1};
    hipGraphNode_t node = an_empty(graph), kernel = add_structure();
    (void)state;
    refused(hipGraphKernelNodeGetParams(node, &params), hipErrorInvalidValue,
            "hipGraphKernelNodeGetParams: this is");
    expect(hipGraphKernelNodeGetParams(NULL, &params), hipErrorInvalidValue);
    expect(hipGraphKernelNodeGetParams(kernel, NULL), hipErrorInvalidValue);
    expect(hipGraphKernelNodeSetParams(node, &params), hipErrorInvalidValue);
    expect(hipGraphKernelNodeSetParams(NULL, &params), hipErrorInvalidValue);
    expect(hipGraphKernelNodeSetParams(kernel, NULL), hipErrorInvalidValue);
    expect(hipGraphKernelNodeSetAttribute(node, hipLaunchAttributeCooperative, &value),
           hipErrorInvalidValue);
    expect(hipGraphKernelNodeGetAttribute(node, hipLaunchAttributeCooperative, &value),
           hipErrorInvalidValue);
    expect(hipGraphKernelNodeCopyAttributes(node, kernel), hipErrorInvalidValue);
    expect(hipGraphKernelNodeCopyAttributes(kernel, node), hipErrorInvalidValue);
    expect(hipGraphKernelNodeCopyAttributes(kernel, NULL), hipErrorInvalidValue);
}

static void attributes_of_kernels_are_kept_and_copied(void **state)
{
    struct arguments arguments;
    hipKernelNodeParams params = structure_params(&arguments);
    hipGraphNode_t one = add_structure(), other = add_structure();
    const hipLaunchAttributeValue none = {.pad = {0}},
                                  wrong = {.memSyncDomain = (hipLaunchMemSyncDomain)7},
                                  remote = {.memSyncDomain = hipLaunchMemSyncDomainRemote},
                                  map = {.memSyncDomainMap = {0, 1}};
    hipLaunchAttributeValue value = {.cooperative = 2}, got;
    int least, greatest;
    (void)state;
    ok(hipGraphKernelNodeGetAttribute(one, hipLaunchAttributeCooperative, &got));
    check(got.cooperative == 0);
    ok(hipGraphKernelNodeSetAttribute(one, hipLaunchAttributeCooperative, &value));
    ok(hipDeviceGetStreamPriorityRange(&least, &greatest));
    value.priority = greatest;
    ok(hipGraphKernelNodeSetAttribute(one, hipLaunchAttributePriority, &value));
    ok(hipGraphKernelNodeSetParams(one, &params)); /* which parameters leave as they are */
    ok(hipGraphKernelNodeCopyAttributes(one, other));
    ok(hipGraphKernelNodeGetAttribute(other, hipLaunchAttributeCooperative, &got));
    check(got.cooperative == 2);
    ok(hipGraphKernelNodeGetAttribute(other, hipLaunchAttributePriority, &got));
    check(got.priority == greatest);
    expect(hipGraphKernelNodeSetAttribute(one, hipLaunchAttributeCooperative, NULL),
           hipErrorInvalidValue);
    expect(hipGraphKernelNodeGetAttribute(one, hipLaunchAttributeCooperative, NULL),
           hipErrorInvalidValue);
    expect(hipGraphKernelNodeSetAttribute(one, hipLaunchAttributeSynchronizationPolicy, &value),
           hipErrorInvalidValue);
    expect(hipGraphKernelNodeSetAttribute(one, hipLaunchAttributeClusterDimension, &none),
           hipErrorInvalidClusterSize);
    expect(hipGraphKernelNodeSetAttribute(one, hipLaunchAttributeClusterSchedulingPolicyPreference,
                                          &wrong),
           hipErrorInvalidValue);
    expect(hipGraphKernelNodeSetAttribute(one, hipLaunchAttributeMemSyncDomain, &wrong),
           hipErrorInvalidValue);
    ok(hipGraphKernelNodeSetAttribute(one, hipLaunchAttributeMemSyncDomain, &remote));
    ok(hipGraphKernelNodeGetAttribute(one, hipLaunchAttributeMemSyncDomain, &got));
    check(got.memSyncDomain == hipLaunchMemSyncDomainRemote);
    ok(hipGraphKernelNodeSetAttribute(one, hipLaunchAttributeMemSyncDomainMap, &map));
    ok(hipGraphKernelNodeGetAttribute(one, hipLaunchAttributeMemSyncDomainMap, &got));
    check(got.memSyncDomainMap.default_ == 0 && got.memSyncDomainMap.remote == 1);
    expect(hipGraphKernelNodeGetAttribute(one, (hipLaunchAttributeID)-1, &got),
           hipErrorInvalidValue);
    value.priority = least + 1;
    refused(hipGraphKernelNodeSetAttribute(one, hipLaunchAttributePriority, &value),
            hipErrorInvalidValue, "is not between");
}

static hipError_t set_window(hipGraphNode_t node, void *base, size_t bytes, float ratio,
                             hipAccessProperty miss)
{
    const hipLaunchAttributeValue value = {
        .accessPolicyWindow = {.base_ptr = base,
                               .hitProp = hipAccessPropertyPersisting,
                               .hitRatio = ratio,
                               .missProp = miss,
                               .num_bytes = bytes}};
    return hipGraphKernelNodeSetAttribute(node, hipLaunchAttributeAccessPolicyWindow, &value);
}

static void the_window_of_an_access_policy_is_checked(void **state)
{
    hipGraphNode_t node = add_structure();
    hipLaunchAttributeValue got;
    int limit;
    (void)state;
    ok(hipDeviceGetAttribute(&limit, hipDeviceAttributeAccessPolicyMaxWindowSize, 0));
    refused(set_window(node, &graph, (size_t)limit + 1, 0.5f, hipAccessPropertyNormal),
            hipErrorInvalidValue, "a window of");
    expect(set_window(node, &graph, 0, -0.1f, hipAccessPropertyNormal), hipErrorInvalidValue);
    expect(set_window(node, &graph, 0, 1.1f, hipAccessPropertyNormal), hipErrorInvalidValue);
    expect(set_window(node, &graph, 0, 0.5f, hipAccessPropertyPersisting), hipErrorInvalidValue);
    ok(set_window(node, &graph, (size_t)limit, 0.5f, hipAccessPropertyStreaming));
    if (limit > 0) {
        expect(set_window(node, &graph, 1, 0, hipAccessPropertyNormal), hipErrorInvalidValue);
        expect(set_window(node, NULL, 1, 0.5f, hipAccessPropertyNormal), hipErrorInvalidValue);
    }
    ok(hipGraphKernelNodeGetAttribute(node, hipLaunchAttributeAccessPolicyWindow, &got));
    check(got.accessPolicyWindow.base_ptr == &graph && got.accessPolicyWindow.hitRatio == 0.5f &&
          got.accessPolicyWindow.missProp == hipAccessPropertyStreaming &&
          got.accessPolicyWindow.num_bytes == (size_t)limit);
}

/* ---- copies: rows ----------------------------------------------------------------------- */

enum { BYTES = 64 };

static void copies_of_rows_check_their_parameters(void **state)
{
    char host[BYTES], *device, *locked;
    hipGraphNode_t node;
    (void)state;
    ok(hipMalloc((void **)&device, BYTES));
    ok(hipHostMalloc((void **)&locked, BYTES, 0));
#define ADD(...) hipGraphAddMemcpyNode1D(&node, graph, NULL, 0, __VA_ARGS__)
    expect(ADD(NULL, host, BYTES, hipMemcpyDefault), hipErrorInvalidValue);
    expect(ADD(device, NULL, BYTES, hipMemcpyDefault), hipErrorInvalidValue);
    expect(ADD(device, host, 0, hipMemcpyDefault), hipErrorInvalidValue);
    expect(ADD(device, host, BYTES, (hipMemcpyKind)-1), hipErrorInvalidMemcpyDirection);
    expect(ADD(device, host, BYTES + 1, hipMemcpyHostToDevice), hipErrorInvalidValue);
    expect(ADD(locked, device + 1, BYTES, hipMemcpyDefault), hipErrorInvalidValue);
    refused(ADD(device, host, BYTES, hipMemcpyDeviceToDevice), hipErrorInvalidValue,
            "but the source is not memory of a device");
    refused(ADD(host, device, BYTES, hipMemcpyHostToDevice), hipErrorInvalidValue,
            "but the destination is not memory of a device");
    expect(ADD(host, host + 8, 8, hipMemcpyHostToDevice), hipErrorInvalidValue);
    check(node_count() == 0);
    ok(ADD(device, host, BYTES, hipMemcpyHostToDevice));
    ok(ADD(device, locked, BYTES, hipMemcpyDeviceToDevice)); /* devices can read it */
    ok(ADD(host, host + 8, 8, hipMemcpyHostToHost));
#undef ADD
    expect(hipGraphMemcpyNodeSetParams1D(node, device, device, BYTES, hipMemcpyDefault),
           hipErrorInvalidValue);
    expect(hipGraphMemcpyNodeSetParams1D(NULL, device, host, BYTES, hipMemcpyDefault),
           hipErrorInvalidValue);
    refused(hipGraphMemcpyNodeSetParams1D(an_empty(graph), device, host, 8, hipMemcpyDefault),
            hipErrorInvalidValue, "hipGraphMemcpyNodeSetParams1D: this is");
    ok(hipGraphMemcpyNodeSetParams1D(node, host, device, BYTES, hipMemcpyDeviceToHost));
    ok(hipFree(device));
    ok(hipHostFree(locked));
}

static void a_copy_of_a_row_is_shown_as_a_box(void **state)
{
    char host[BYTES], *device;
    hipGraphNode_t node;
    hipMemcpy3DParms box;
    HIP_MEMCPY3D driver;
    (void)state;
    ok(hipMalloc((void **)&device, BYTES));
    ok(hipGraphAddMemcpyNode1D(&node, graph, NULL, 0, device, host, 48, hipMemcpyHostToDevice));
    ok(hipGraphMemcpyNodeGetParams(node, &box));
    check(box.srcPtr.ptr == host && box.srcPtr.pitch == 48 && box.srcPtr.xsize == 48);
    check(box.dstPtr.ptr == device && box.dstPtr.ysize == 1 && !box.srcArray && !box.dstArray);
    check(box.extent.width == 48 && box.extent.height == 1 && box.extent.depth == 1);
    check(box.kind == hipMemcpyHostToDevice);
    ok(hipDrvGraphMemcpyNodeGetParams(node, &driver));
    check(driver.srcMemoryType == hipMemoryTypeHost && driver.srcHost == host);
    check(driver.dstMemoryType == hipMemoryTypeDevice && driver.dstDevice == device);
    check(driver.WidthInBytes == 48 && driver.Height == 1 && driver.Depth == 1);
    expect(hipGraphMemcpyNodeGetParams(node, NULL), hipErrorInvalidValue);
    expect(hipGraphMemcpyNodeGetParams(NULL, &box), hipErrorInvalidValue);
    expect(hipDrvGraphMemcpyNodeGetParams(node, NULL), hipErrorInvalidValue);
    expect(hipDrvGraphMemcpyNodeGetParams(NULL, &driver), hipErrorInvalidValue);
    ok(hipFree(device));
}

/* ---- copies: variables -------------------------------------------------------------------- */

static void copies_of_variables_check_their_parameters(void **state)
{
    uint32_t host[16], *device;
    hipGraphNode_t node;
    hipMemcpy3DParms box;
    void *address;
    (void)state;
    ok(hipMalloc((void **)&device, sizeof host));
#define TO(...)   hipGraphAddMemcpyNodeToSymbol(&node, graph, NULL, 0, __VA_ARGS__)
#define FROM(...) hipGraphAddMemcpyNodeFromSymbol(&node, graph, NULL, 0, __VA_ARGS__)
    expect(TO(NULL, host, 4, 0, hipMemcpyDefault), hipErrorInvalidSymbol);
    expect(TO(host, host, 4, 0, hipMemcpyDefault), hipErrorInvalidSymbol);
    expect(TO(&table_variable, NULL, 4, 0, hipMemcpyDefault), hipErrorInvalidValue);
    expect(TO(&table_variable, host, 0, 0, hipMemcpyDefault), hipErrorInvalidValue);
    expect(TO(&table_variable, host, 64, 1, hipMemcpyDefault), hipErrorInvalidValue);
    expect(TO(&table_variable, host, 4, SIZE_MAX, hipMemcpyDefault), hipErrorInvalidValue);
    expect(TO(&table_variable, host, 4, 0, hipMemcpyDeviceToHost), hipErrorInvalidMemcpyDirection);
    expect(TO(&table_variable, host, 4, 0, hipMemcpyDeviceToDevice), hipErrorInvalidValue);
    refused(TO(&table_variable, &counter_variable, 4, 0, hipMemcpyDeviceToDevice),
            hipErrorInvalidValue, "both the source and the destination are variables");
    expect(FROM(host, NULL, 4, 0, hipMemcpyDefault), hipErrorInvalidSymbol);
    expect(FROM(NULL, &table_variable, 4, 0, hipMemcpyDefault), hipErrorInvalidValue);
    expect(FROM(host, &table_variable, 65, 0, hipMemcpyDefault), hipErrorInvalidValue);
    expect(FROM(host, &table_variable, 4, 0, hipMemcpyHostToDevice),
           hipErrorInvalidMemcpyDirection);
    expect(FROM(&table_variable, &table_variable, 4, 0, hipMemcpyDefault), hipErrorInvalidValue);
    check(node_count() == 0);
    ok(FROM(host, &table_variable, 64, 0, hipMemcpyDeviceToHost));
    ok(TO(&table_variable, device, 8, 56, hipMemcpyDeviceToDevice));
#undef TO
#undef FROM
    ok(hipGetSymbolAddress(&address, &table_variable));
    ok(hipGraphMemcpyNodeGetParams(node, &box));
    check(box.dstPtr.ptr == (char *)address + 56 && box.srcPtr.ptr == device);
    ok(hipGraphMemcpyNodeSetParamsFromSymbol(node, host, &counter_variable, 4, 0,
                                             hipMemcpyDeviceToHost));
    ok(hipGraphMemcpyNodeSetParamsToSymbol(node, &counter_variable, host, 4, 0,
                                           hipMemcpyHostToDevice));
    expect(hipGraphMemcpyNodeSetParamsToSymbol(NULL, &counter_variable, host, 4, 0,
                                               hipMemcpyHostToDevice),
           hipErrorInvalidValue);
    expect(hipGraphMemcpyNodeSetParamsFromSymbol(node, host, NULL, 4, 0, hipMemcpyDefault),
           hipErrorInvalidSymbol);
    ok(hipFree(device));
}

/* ---- copies: boxes ------------------------------------------------------------------------- */

static void copies_of_boxes_check_their_parameters(void **state)
{
    char host[BYTES];
    hipPitchedPtr device;
    hipGraphNode_t node;
    const hipExtent extent = {8, 4, 2};
    (void)state;
    ok(hipMalloc3D(&device, extent));
    const hipMemcpy3DParms good = {.dstPtr = device,
                                   .srcPtr = {host, 8, 8, 4},
                                   .extent = extent,
                                   .kind = hipMemcpyHostToDevice};
    hipMemcpy3DParms params = good, got;
#define ADD() hipGraphAddMemcpyNode(&node, graph, NULL, 0, &params)
    expect(hipGraphAddMemcpyNode(&node, graph, NULL, 0, NULL), hipErrorInvalidValue);
    params.srcPtr.ptr = NULL;
    expect(ADD(), hipErrorInvalidValue);
    params = good;
    params.srcPtr.pitch = 7;
    expect(ADD(), hipErrorInvalidPitchValue);
    params = good;
    params.dstPos.y = 1;
    expect(ADD(), hipErrorInvalidValue);
    params = good;
    params.dstPos.z = 1;
    expect(ADD(), hipErrorInvalidValue);
    params = good;
    params.kind = (hipMemcpyKind)9;
    expect(ADD(), hipErrorInvalidMemcpyDirection);
    check(node_count() == 0);
    params = good;
    ok(ADD());
    ok(hipGraphMemcpyNodeGetParams(node, &got));
    check(got.dstPtr.ptr == device.ptr && got.dstPtr.xsize == device.xsize &&
          got.extent.depth == 2 && got.kind == hipMemcpyHostToDevice);
    params.extent.height = 0; /* nothing to copy */
    ok(hipGraphMemcpyNodeSetParams(node, &params));
    params.dstPtr.ptr = NULL;
    expect(hipGraphMemcpyNodeSetParams(node, &params), hipErrorInvalidValue);
    expect(hipGraphMemcpyNodeSetParams(NULL, &good), hipErrorInvalidValue);
#undef ADD
    ok(hipFree(device.ptr));
}

static void copies_of_arrays_count_elements(void **state)
{
    const hipChannelFormatDesc format = {32, 0, 0, 0, hipChannelFormatKindSigned};
    char host[BYTES];
    hipArray_t array;
    hipGraphNode_t node;
    HIP_MEMCPY3D driver;
    hipMemcpy3DParms got;
    hipCtx_t context;
    (void)state;
    ok(hipMallocArray(&array, &format, 8, 2, hipArrayDefault));
    hipMemcpy3DParms params = {.dstArray = array,
                               .dstPos = {2, 1, 0},
                               .srcPtr = {host, 24, 24, 1},
                               .extent = {6, 1, 1},
                               .kind = hipMemcpyHostToDevice};
    ok(hipGraphAddMemcpyNode(&node, graph, NULL, 0, &params));
    ok(hipDrvGraphMemcpyNodeGetParams(node, &driver));
    check(driver.dstMemoryType == hipMemoryTypeArray && driver.dstArray == array);
    check(driver.dstXInBytes == 8 && driver.dstY == 1 && driver.WidthInBytes == 24);
    ok(hipCtxGetCurrent(&context));
    ok(hipDrvGraphAddMemcpyNode(&node, graph, NULL, 0, &driver, context));
    ok(hipGraphMemcpyNodeGetParams(node, &got));
    check(got.dstArray == array && got.dstPos.x == 2 && got.dstPos.y == 1 &&
          got.extent.width == 6 && got.srcPtr.ptr == host);
    ok(hipGraphMemcpyNodeSetParams(node, &got));
    params.dstPos.x = 3; /* one element too far */
    expect(hipGraphMemcpyNodeSetParams(node, &params), hipErrorInvalidValue);
    ok(hipFreeArray(array));
    expect(hipGraphMemcpyNodeSetParams(node, &got), hipErrorContextIsDestroyed);
}

static void the_drivers_copies_check_their_parameters(void **state)
{
    char from[BYTES], to[BYTES];
    hipGraphNode_t node;
    hipCtx_t context;
    const HIP_MEMCPY3D good = {.srcMemoryType = hipMemoryTypeHost,
                               .srcHost = from,
                               .dstMemoryType = hipMemoryTypeHost,
                               .dstHost = to,
                               .WidthInBytes = BYTES,
                               .Height = 1,
                               .Depth = 1};
    HIP_MEMCPY3D params = good, got;
    (void)state;
    ok(hipCtxGetCurrent(&context));
#define ADD(context_) hipDrvGraphAddMemcpyNode(&node, graph, NULL, 0, &params, context_)
    expect(ADD(NULL), hipErrorInvalidValue);
    expect(ADD((hipCtx_t)(void *)&params), hipErrorInvalidContext);
    expect(hipDrvGraphAddMemcpyNode(&node, graph, NULL, 0, NULL, context), hipErrorInvalidValue);
    params.srcHost = NULL;
    expect(ADD(context), hipErrorInvalidValue);
    params = good;
    params.dstHost = NULL;
    expect(ADD(context), hipErrorInvalidValue);
    params = good;
    params.dstMemoryType = (hipMemoryType)77;
    expect(ADD(context), hipErrorInvalidValue);
    params.dstMemoryType = hipMemoryTypeArray;
    expect(ADD(context), hipErrorInvalidValue);
    check(node_count() == 0);
    params = good;
    ok(ADD(context));
    params.WidthInBytes = 8;
    ok(hipDrvGraphMemcpyNodeSetParams(node, &params));
    ok(hipDrvGraphMemcpyNodeGetParams(node, &got));
    check(got.srcHost == from && got.dstHost == to && got.WidthInBytes == 8 && got.srcPitch == 0);
    expect(hipDrvGraphMemcpyNodeSetParams(node, NULL), hipErrorInvalidValue);
    expect(hipDrvGraphMemcpyNodeSetParams(NULL, &params), hipErrorInvalidValue);
#undef ADD
}

/* ---- memory operations ---------------------------------------------------------------------- */

static void memory_operations_are_checked_and_copied(void **state)
{
    uint32_t *memory;
    hipGraphNode_t node;
    hipCtx_t context;
    (void)state;
    ok(hipHostMalloc((void **)&memory, 64, 0));
    ok(hipCtxGetCurrent(&context));
    hipStreamBatchMemOpParams operations[2] = {
        {.writeValue = {.operation = hipStreamMemOpWriteValue32, .address = memory, .value = 5}},
        {.waitValue = {.operation = hipStreamMemOpWaitValue64,
                       .address = memory,
                       .value64 = 5,
                       .flags = hipStreamWaitValueEq}}};
    const hipBatchMemOpNodeParams good = {
        .ctx = context, .count = 2, .paramArray = operations, .flags = 0};
    hipBatchMemOpNodeParams params = good, got;
#define ADD() hipGraphAddBatchMemOpNode(&node, graph, NULL, 0, &params)
    expect(hipGraphAddBatchMemOpNode(&node, graph, NULL, 0, NULL), hipErrorInvalidValue);
    params.ctx = (hipCtx_t)(void *)&params;
    refused(ADD(), hipErrorInvalidContext, "is not a context");
    params = good;
    params.count = 0;
    expect(ADD(), hipErrorInvalidValue);
    params.count = 257;
    expect(ADD(), hipErrorInvalidValue);
    params = good;
    params.flags = 1;
    expect(ADD(), hipErrorInvalidValue);
    params = good;
    params.paramArray = NULL;
    expect(ADD(), hipErrorInvalidValue);
    params = good;
    operations[1].operation = hipStreamMemOpBarrier;
    operations[1].memoryBarrier.flags = 2;
    expect(ADD(), hipErrorInvalidValue);
    operations[1].waitValue.address = memory;
    operations[1].waitValue.value64 = 5;
    operations[1].operation = hipStreamMemOpWaitValue64;
    operations[0].writeValue.address = NULL;
    expect(ADD(), hipErrorInvalidValue);
    operations[0].writeValue.address = memory;
    operations[1].waitValue.flags = 4;
    expect(ADD(), hipErrorInvalidValue);
    operations[1].waitValue.flags = hipStreamWaitValueEq;
    check(node_count() == 0);
    ok(ADD());
#undef ADD
    operations[0].writeValue.value = 6;
    ok(hipGraphBatchMemOpNodeGetParams(node, &got));
    check(got.count == 2 && got.ctx == context && got.paramArray != operations);
    check(got.paramArray[0].writeValue.value == 5);
    ok(hipGraphBatchMemOpNodeSetParams(node, &params));
    ok(hipGraphBatchMemOpNodeGetParams(node, &got));
    check(got.paramArray[0].writeValue.value == 6);
    expect(hipGraphBatchMemOpNodeGetParams(node, NULL), hipErrorInvalidValue);
    expect(hipGraphBatchMemOpNodeGetParams(NULL, &got), hipErrorInvalidValue);
    expect(hipGraphBatchMemOpNodeSetParams(node, NULL), hipErrorInvalidValue);
    expect(hipGraphBatchMemOpNodeSetParams(an_empty(graph), &params), hipErrorInvalidValue);
    ok(hipHostFree(memory));
}

/* ---- external semaphores --------------------------------------------------------------------- */

static void nodes_of_external_semaphores_need_semaphores(void **state)
{
    hipExternalSemaphore_t semaphores[1] = {graph}; /* a handle of another type */
    const hipExternalSemaphoreSignalParams signals[1] = {{.flags = 0}};
    const hipExternalSemaphoreWaitParams waits[1] = {{.flags = 0}};
    hipExternalSemaphoreSignalNodeParams signal = {semaphores, signals, 1};
    hipExternalSemaphoreWaitNodeParams wait = {semaphores, waits, 1};
    hipGraphNode_t node, other = an_empty(graph);
    (void)state;
    refused(hipGraphAddExternalSemaphoresSignalNode(&node, graph, NULL, 0, &signal),
            hipErrorInvalidValue, "is not a semaphore; it may have been destroyed");
    refused(hipGraphAddExternalSemaphoresWaitNode(&node, graph, NULL, 0, &wait),
            hipErrorInvalidValue, "is not a semaphore; it may have been destroyed");
    expect(hipGraphAddExternalSemaphoresSignalNode(NULL, graph, NULL, 0, &signal),
           hipErrorInvalidValue);
    expect(hipGraphAddExternalSemaphoresSignalNode(&node, NULL, NULL, 0, &signal),
           hipErrorInvalidValue);
    expect(hipGraphAddExternalSemaphoresWaitNode(&node, graph, NULL, 1, &wait),
           hipErrorInvalidValue);
    expect(hipGraphAddExternalSemaphoresWaitNode(&node, graph, NULL, 0, NULL),
           hipErrorInvalidValue);
    expect(hipGraphExternalSemaphoresSignalNodeGetParams(other, &signal), hipErrorInvalidValue);
    expect(hipGraphExternalSemaphoresSignalNodeSetParams(other, &signal), hipErrorInvalidValue);
    expect(hipGraphExternalSemaphoresWaitNodeGetParams(other, &wait), hipErrorInvalidValue);
    expect(hipGraphExternalSemaphoresWaitNodeSetParams(other, NULL), hipErrorInvalidValue);
    signal.paramsArray = NULL;
    expect(hipGraphAddExternalSemaphoresSignalNode(&node, graph, NULL, 0, &signal),
           hipErrorInvalidValue);
    check(node_count() == 1);
}

/* ---- updates ----------------------------------------------------------------------------------
 */

static hipGraphExec_t instantiate(hipGraph_t of)
{
    hipGraphExec_t exec;
    ok(hipGraphInstantiate(&exec, of, NULL, NULL, 0));
    return exec;
}

/* An executable graph of graph cannot do what other does, whose only node is to blame. */
static void check_not_updated(hipGraphExec_t exec, hipGraph_t other,
                              hipGraphExecUpdateResult wanted, const char *words)
{
    hipGraphExecUpdateResult result = hipGraphExecUpdateSuccess;
    hipGraphNode_t node, blamed = NULL;
    size_t count = 1;
    refused(hipGraphExecUpdate(exec, other, &blamed, &result), hipErrorGraphExecUpdateFailure,
            words);
    check(result == wanted);
    ok(hipGraphGetNodes(other, &node, &count));
    check(blamed == node);
}

static void a_kernel_stays_on_its_device_and_as_cooperative_as_it_is(void **state)
{
    struct arguments arguments;
    const hipLaunchAttributeValue cooperative = {.cooperative = 1};
    hipKernelNodeParams params = structure_params(&arguments);
    hipGraph_t other = new_graph();
    hipGraphNode_t node = add_structure(), another;
    hipGraphExec_t exec = instantiate(graph);
    (void)state;
    ok(hipSetDevice(1));
    ok(hipGraphAddKernelNode(&another, other, NULL, 0, &params));
    ok(hipSetDevice(0));
    check_not_updated(exec, other, hipGraphExecUpdateErrorUnsupportedFunctionChange,
                      "a kernel node of an executable graph runs on device 0");
    ok(hipGraphDestroyNode(another));
    ok(hipGraphAddKernelNode(&another, other, NULL, 0, &params));
    ok(hipGraphKernelNodeSetAttribute(another, hipLaunchAttributeCooperative, &cooperative));
    check_not_updated(exec, other, hipGraphExecUpdateErrorParametersChanged,
                      "a kernel node cannot be made cooperative, or be no longer so");
    ok(hipGraphExecKernelNodeSetParams(exec, node, &params));
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(other));
}

static void a_kernel_goes_with_its_module(void **state)
{
    hipModule_t module;
    hipFunction_t function;
    hipGraphNode_t node;
    hipGraphExec_t exec;
    hipKernelNodeParams params = {.gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}};
    (void)state;
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleGetFunction(&function, module, "empty"));
    params.func = function;
    ok(hipGraphAddKernelNode(&node, graph, NULL, 0, &params));
    ok(hipModuleUnload(module));
    refused(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), hipErrorInvalidDeviceFunction,
            "the kernel of a node is gone: its module was unloaded");
}

static void a_copy_keeps_its_device_its_kind_and_the_kinds_of_memory(void **state)
{
    char host[BYTES], *device, *managed, *elsewhere;
    hipGraph_t other = new_graph();
    hipGraphNode_t node, another;
    (void)state;
    ok(hipMalloc((void **)&device, BYTES));
    ok(hipMallocManaged((void **)&managed, BYTES, hipMemAttachGlobal));
    ok(hipSetDevice(1));
    ok(hipMalloc((void **)&elsewhere, BYTES));
    ok(hipGraphAddMemcpyNode1D(&another, other, NULL, 0, device, host, 8, hipMemcpyDefault));
    ok(hipSetDevice(0));
    ok(hipGraphAddMemcpyNode1D(&node, graph, NULL, 0, device, host, 8, hipMemcpyDefault));
    hipGraphExec_t exec = instantiate(graph);
    check_not_updated(exec, other, hipGraphExecUpdateErrorUnsupportedFunctionChange,
                      "a memcpy node of an executable graph runs on device 0");
#define SET(...) hipGraphExecMemcpyNodeSetParams1D(exec, node, __VA_ARGS__)
    refused(SET(device, host, 8, hipMemcpyHostToDevice), hipErrorInvalidValue,
            "the kind of a memcpy node cannot be changed from");
    refused(SET(managed, host, 8, hipMemcpyDefault), hipErrorInvalidValue,
            "the kind of memory that a memcpy node copies, and its device, cannot be");
    expect(SET(elsewhere, host, 8, hipMemcpyDefault), hipErrorInvalidValue);
    expect(SET(host + 8, host, 8, hipMemcpyDefault), hipErrorInvalidValue);
    ok(hipSetDevice(1)); /* the node's stays as it is */
    ok(SET(device + 8, host + 8, 8, hipMemcpyDefault));
    ok(hipSetDevice(0));
#undef SET
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(other));
    ok(hipFree(device));
    ok(hipFree(managed));
    ok(hipFree(elsewhere));
}

static void memory_operations_keep_their_number_and_what_they_do(void **state)
{
    uint32_t *memory;
    hipGraphNode_t node;
    (void)state;
    ok(hipHostMalloc((void **)&memory, 64, 0));
    hipStreamBatchMemOpParams operations[2] = {
        {.writeValue = {.operation = hipStreamMemOpWriteValue32, .address = memory, .value = 5}},
        {.writeValue = {.operation = hipStreamMemOpWriteValue32, .address = memory, .value = 6}}};
    hipBatchMemOpNodeParams params = {.count = 1, .paramArray = operations};
    ok(hipGraphAddBatchMemOpNode(&node, graph, NULL, 0, &params));
    hipGraphExec_t exec = instantiate(graph);
    params.count = 2;
    refused(hipGraphExecBatchMemOpNodeSetParams(exec, node, &params), hipErrorInvalidValue,
            "the device of a node of memory operations, their number and what each does");
    params.count = 1;
    operations[0].operation = hipStreamMemOpWriteValue64;
    expect(hipGraphExecBatchMemOpNodeSetParams(exec, node, &params), hipErrorInvalidValue);
    operations[0].operation = hipStreamMemOpWriteValue32;
    operations[0].writeValue.value = 9;
    ok(hipGraphExecBatchMemOpNodeSetParams(exec, node, &params));
    ok(hipGraphLaunch(exec, NULL));
    ok(hipDeviceSynchronize());
    check(memory[0] == 9);
    ok(hipGraphExecDestroy(exec));
    ok(hipHostFree(memory));
}

/* ---- several devices ------------------------------------------------------------------------- */

static void copies_between_devices_are_done_in_a_graph(void **state)
{
    uint32_t in[16], out[16], *here, *there;
    hipGraphNode_t up, across, box, down;
    (void)state;
    ok(hipMalloc((void **)&here, sizeof in));
    ok(hipSetDevice(1));
    ok(hipMalloc((void **)&there, sizeof in));
    ok(hipSetDevice(0));
    const hipMemcpy3DParms last_half = {.dstPtr = {there + 8, 8, 8, 4},
                                        .srcPtr = {here + 8, 8, 8, 4},
                                        .extent = {8, 4, 1},
                                        .kind = hipMemcpyDeviceToDevice};
    ok(hipGraphAddMemcpyNode1D(&up, graph, NULL, 0, here, in, 64, hipMemcpyHostToDevice));
    ok(hipGraphAddMemcpyNode1D(&across, graph, &up, 1, there, here, 32, hipMemcpyDeviceToDevice));
    ok(hipGraphAddMemcpyNode(&box, graph, &across, 1, &last_half));
    ok(hipGraphAddMemcpyNode1D(&down, graph, &box, 1, out, there, 64, hipMemcpyDefault));
    hipGraphExec_t exec = instantiate(graph);
    for (uint32_t round = 1; round <= 2; round++) {
        for (uint32_t i = 0; i < 16; i++)
            in[i] = round;
        ok(hipGraphLaunch(exec, NULL));
        ok(hipDeviceSynchronize());
        check_words(out, 16, round);
    }
    ok(hipGraphExecDestroy(exec));
    ok(hipFree(here));
    ok(hipFree(there));
}

static void a_captured_copy_between_devices_is_a_copy_node(void **state)
{
    uint32_t word = 5, got = 0, *here, *there;
    hipStream_t stream;
    hipGraph_t captured;
    hipGraphNode_t nodes[3];
    hipGraphNodeType type;
    size_t count = 3;
    (void)state;
    ok(hipMalloc((void **)&here, 4));
    ok(hipSetDevice(1));
    ok(hipMalloc((void **)&there, 4));
    ok(hipSetDevice(0));
    ok(hipMemcpy(here, &word, 4, hipMemcpyHostToDevice));
    ok(hipStreamCreate(&stream));
    ok(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    ok(hipMemcpyPeerAsync(there, 1, here, 0, 4, stream));
    ok(hipStreamEndCapture(stream, &captured));
    ok(hipGraphGetNodes(captured, nodes, &count));
    check(count == 1);
    ok(hipGraphNodeGetType(nodes[0], &type));
    check(type == hipGraphNodeTypeMemcpy);
    hipGraphExec_t exec = instantiate(captured);
    ok(hipGraphLaunch(exec, stream));
    ok(hipStreamSynchronize(stream));
    ok(hipMemcpy(&got, there, 4, hipMemcpyDeviceToHost));
    check(got == 5);
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(captured));
    ok(hipStreamDestroy(stream));
    ok(hipFree(here));
    ok(hipFree(there));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GRAPH_TEST(a_kernel_node_has_copies_of_its_arguments),
        GRAPH_TEST(a_picture_has_the_symbol_of_a_kernel),
        GRAPH_TEST(a_clone_has_copies_of_its_own),
        GRAPH_TEST(arguments_may_be_in_one_buffer),
        GRAPH_TEST(a_function_of_a_module_is_a_kernel_too),
        GRAPH_TEST(kernel_nodes_check_their_parameters),
        GRAPH_TEST(functions_for_kernel_nodes_refuse_others),
        GRAPH_TEST(attributes_of_kernels_are_kept_and_copied),
        GRAPH_TEST(the_window_of_an_access_policy_is_checked),
        GRAPH_TEST(copies_of_rows_check_their_parameters),
        GRAPH_TEST(a_copy_of_a_row_is_shown_as_a_box),
        GRAPH_TEST(copies_of_variables_check_their_parameters),
        GRAPH_TEST(copies_of_boxes_check_their_parameters),
        GRAPH_TEST(copies_of_arrays_count_elements),
        GRAPH_TEST(the_drivers_copies_check_their_parameters),
        GRAPH_TEST(memory_operations_are_checked_and_copied),
        GRAPH_TEST(nodes_of_external_semaphores_need_semaphores),
        GRAPH_TEST(a_kernel_stays_on_its_device_and_as_cooperative_as_it_is),
        GRAPH_TEST(a_kernel_goes_with_its_module),
        GRAPH_TEST(a_copy_keeps_its_device_its_kind_and_the_kinds_of_memory),
        GRAPH_TEST(memory_operations_keep_their_number_and_what_they_do),
        GRAPH_TEST(copies_between_devices_are_done_in_a_graph),
        GRAPH_TEST(a_captured_copy_between_devices_is_a_copy_node),
    };
    use_fake("80,90");
    setenv("AMD_LOG_LEVEL", "2", 1);
    return run_group("graph_kinds", tests);
}
