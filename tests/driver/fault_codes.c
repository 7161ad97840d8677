/* Owns the table of codes, by families of functions, and the rows of failures that need not be
 * reported. The codes are those that the documentation of the CUDA driver API and of the HSA
 * runtime lists for the functions, and for CUDA the errors of earlier work that most functions may
 * return. */
#include "fault_codes.h"
#include "hsa_abi.h"

#include <string.h>

/* The first row whose prefix matches a function is used. Rows end with 0. */
struct family {
    const char *prefix;
    int codes[FAULT_CODES_MAX];
};

enum { /* CUresult */
       INVALID_VALUE = 1,
       OUT_OF_MEMORY = 2,
       NOT_INITIALIZED = 3,
       DEINITIALIZED = 4,
       PROFILER_DISABLED = 5,
       STUB_LIBRARY = 34,
       DEVICE_UNAVAILABLE = 46,
       NO_DEVICE = 100,
       INVALID_DEVICE = 101,
       INVALID_IMAGE = 200,
       INVALID_CONTEXT = 201,
       MAP_FAILED = 205,
       ALREADY_MAPPED = 208,
       NO_BINARY_FOR_GPU = 209,
       ECC_UNCORRECTABLE = 214,
       UNSUPPORTED_LIMIT = 215,
       PEER_ACCESS_UNSUPPORTED = 217,
       INVALID_PTX = 218,
       INVALID_GRAPHICS_CONTEXT = 219,
       OPERATING_SYSTEM = 304,
       INVALID_HANDLE = 400,
       NOT_FOUND = 500,
       ILLEGAL_ADDRESS = 700,
       LAUNCH_OUT_OF_RESOURCES = 701,
       LAUNCH_TIMEOUT = 702,
       PEER_ACCESS_NOT_ENABLED = 705,
       TOO_MANY_PEERS = 711,
       LAUNCH_FAILED = 719,
       NOT_PERMITTED = 800,
       NOT_SUPPORTED = 801,
       SYSTEM_DRIVER_MISMATCH = 803,
       INVALID_CLUSTER_SIZE = 912,
       INVALID_RESOURCE_TYPE = 914,
       INVALID_RESOURCE_CONFIGURATION = 915,
       STREAM_DETACHED = 917,
       UNKNOWN = 999,
};

static const struct family cuda[] = {
    {"anyhip", {INVALID_VALUE}},
    {"cuInit", {NO_DEVICE, INVALID_DEVICE, SYSTEM_DRIVER_MISMATCH, STUB_LIBRARY, UNKNOWN}},
    {"cuDriverGetVersion", {INVALID_VALUE}},
    {"cuGetError", {INVALID_VALUE}},
    {"cuDevicePrimaryCtxRetain",
     {OUT_OF_MEMORY, DEVICE_UNAVAILABLE, INVALID_DEVICE, DEINITIALIZED, UNKNOWN}},
    {"cuDevicePrimaryCtx", {DEINITIALIZED, NOT_INITIALIZED, INVALID_DEVICE, INVALID_CONTEXT}},
    {"cuDeviceGetAttribute", {DEINITIALIZED, NOT_INITIALIZED, INVALID_VALUE, INVALID_DEVICE}},
    {"cuDeviceGetTexture1D", {DEINITIALIZED, NOT_INITIALIZED, INVALID_VALUE, INVALID_DEVICE}},
    {"cuDeviceGetDevResource",
     {DEINITIALIZED, NOT_INITIALIZED, INVALID_VALUE, INVALID_DEVICE, INVALID_RESOURCE_TYPE}},
    {"cuDevSmResource",
     {DEINITIALIZED, NOT_INITIALIZED, INVALID_VALUE, INVALID_DEVICE, INVALID_RESOURCE_TYPE,
      INVALID_RESOURCE_CONFIGURATION}},
    {"cuDevResource",
     {DEINITIALIZED, NOT_INITIALIZED, INVALID_VALUE, INVALID_RESOURCE_TYPE,
      INVALID_RESOURCE_CONFIGURATION}},
    {"cuGreenCtxCreate",
     {DEINITIALIZED, NOT_INITIALIZED, INVALID_VALUE, INVALID_DEVICE, NOT_SUPPORTED, OUT_OF_MEMORY}},
    {"cuGreenCtxStream",
     {DEINITIALIZED, NOT_INITIALIZED, INVALID_CONTEXT, INVALID_VALUE, OUT_OF_MEMORY}},
    {"cuGreenCtx", {DEINITIALIZED, NOT_INITIALIZED, INVALID_CONTEXT}},
    {"cuDevice", {DEINITIALIZED, NOT_INITIALIZED, INVALID_DEVICE, INVALID_CONTEXT}},
    {"cuCtxSynchronize",
     {DEINITIALIZED, INVALID_CONTEXT, ILLEGAL_ADDRESS, LAUNCH_FAILED, LAUNCH_TIMEOUT,
      ECC_UNCORRECTABLE}},
    {"cuCtxEnablePeerAccess",
     {DEINITIALIZED, PEER_ACCESS_UNSUPPORTED, TOO_MANY_PEERS, INVALID_CONTEXT, INVALID_VALUE}},
    {"cuCtxDisablePeerAccess", {DEINITIALIZED, PEER_ACCESS_NOT_ENABLED, INVALID_CONTEXT}},
    {"cuCtxGetLimit", {INVALID_VALUE, UNSUPPORTED_LIMIT}},
    {"cuCtxSetLimit", {INVALID_VALUE, UNSUPPORTED_LIMIT, OUT_OF_MEMORY, INVALID_CONTEXT}},
    {"cuCtx", {DEINITIALIZED, NOT_INITIALIZED, INVALID_CONTEXT, INVALID_VALUE}},
    {"cuProfiler", {INVALID_CONTEXT, PROFILER_DISABLED}},
    {"cuMemcpy",
     {INVALID_VALUE, DEINITIALIZED, INVALID_CONTEXT, ILLEGAL_ADDRESS, LAUNCH_FAILED,
      ECC_UNCORRECTABLE}},
    {"cuMemset", {INVALID_VALUE, DEINITIALIZED, INVALID_CONTEXT, ILLEGAL_ADDRESS, LAUNCH_FAILED}},
    {"cuMemAllocFromPool", {OUT_OF_MEMORY, INVALID_VALUE, INVALID_CONTEXT, NOT_SUPPORTED}},
    {"cuMemAlloc", {OUT_OF_MEMORY, INVALID_VALUE, INVALID_CONTEXT, NOT_SUPPORTED, LAUNCH_FAILED}},
    {"cuMemHostAlloc", {OUT_OF_MEMORY, INVALID_VALUE, INVALID_CONTEXT}},
    {"cuMemHostRegister", {OUT_OF_MEMORY, INVALID_VALUE, NOT_PERMITTED, NOT_SUPPORTED}},
    {"cuMemFree", {INVALID_VALUE, INVALID_CONTEXT, DEINITIALIZED, ILLEGAL_ADDRESS, LAUNCH_FAILED}},
    {"cuMemPoolCreate", {OUT_OF_MEMORY, INVALID_VALUE, NOT_SUPPORTED}},
    {"cuMemPoolExport", {INVALID_VALUE, OUT_OF_MEMORY}},
    {"cuMemPoolImport", {INVALID_VALUE, OUT_OF_MEMORY, NOT_INITIALIZED}},
    {"cuMemPool", {INVALID_VALUE, NOT_INITIALIZED}},
    {"cuMemCreate", {OUT_OF_MEMORY, INVALID_VALUE, INVALID_DEVICE, NOT_PERMITTED, NOT_SUPPORTED}},
    {"cuMemAddressReserve", {OUT_OF_MEMORY, INVALID_VALUE, NOT_PERMITTED, NOT_SUPPORTED}},
    {"cuMemMap", {INVALID_VALUE, OUT_OF_MEMORY, NOT_PERMITTED, NOT_SUPPORTED}},
    {"cuMem", {INVALID_VALUE, DEINITIALIZED, INVALID_CONTEXT, NOT_PERMITTED, NOT_SUPPORTED}},
    {"cuPointer", {DEINITIALIZED, INVALID_CONTEXT, INVALID_VALUE, INVALID_DEVICE}},
    {"cuIpcOpenMem", {INVALID_CONTEXT, MAP_FAILED, TOO_MANY_PEERS, INVALID_HANDLE, INVALID_VALUE}},
    {"cuIpc", {INVALID_CONTEXT, MAP_FAILED, OUT_OF_MEMORY, INVALID_HANDLE, INVALID_VALUE}},
    {"cuArray3DCreate", {OUT_OF_MEMORY, INVALID_VALUE, INVALID_CONTEXT, UNKNOWN}},
    {"cuMipmappedArrayCreate", {OUT_OF_MEMORY, INVALID_VALUE, INVALID_CONTEXT, UNKNOWN}},
    {"cuArray", {INVALID_HANDLE, DEINITIALIZED, INVALID_CONTEXT, UNKNOWN}},
    {"cuMipmapped", {INVALID_HANDLE, DEINITIALIZED, INVALID_CONTEXT, UNKNOWN}},
    {"cuGL", {NO_DEVICE, INVALID_VALUE, INVALID_CONTEXT, INVALID_GRAPHICS_CONTEXT}},
    {"cuGraphicsGL", {INVALID_HANDLE, ALREADY_MAPPED, INVALID_CONTEXT, OPERATING_SYSTEM}},
    {"cuGraphics", {INVALID_HANDLE, DEINITIALIZED, INVALID_CONTEXT, UNKNOWN}},
    {"cuTex", {INVALID_VALUE, DEINITIALIZED, INVALID_CONTEXT}},
    {"cuSurf", {INVALID_VALUE, DEINITIALIZED, INVALID_CONTEXT}},
    {"cuStreamCreate", {OUT_OF_MEMORY, INVALID_VALUE, INVALID_CONTEXT, DEINITIALIZED}},
    {"cuStreamSetAttribute", {INVALID_VALUE, INVALID_HANDLE, STREAM_DETACHED}},
    {"cuStream",
     {INVALID_HANDLE, DEINITIALIZED, INVALID_CONTEXT, ILLEGAL_ADDRESS, LAUNCH_FAILED,
      NOT_SUPPORTED}},
    {"cuLaunchHostFunc", {INVALID_VALUE, OUT_OF_MEMORY, INVALID_HANDLE, NOT_SUPPORTED}},
    {"cuEventCreate", {OUT_OF_MEMORY, INVALID_VALUE, INVALID_CONTEXT}},
    {"cuEvent",
     {INVALID_HANDLE, INVALID_VALUE, DEINITIALIZED, INVALID_CONTEXT, ILLEGAL_ADDRESS,
      LAUNCH_FAILED}},
    {"cuModuleLoad",
     {OUT_OF_MEMORY, INVALID_PTX, NO_BINARY_FOR_GPU, INVALID_IMAGE, INVALID_CONTEXT}},
    {"cuModuleGet", {NOT_FOUND, INVALID_VALUE, INVALID_CONTEXT, DEINITIALIZED}},
    {"cuModule", {INVALID_VALUE, INVALID_CONTEXT, DEINITIALIZED, NOT_PERMITTED}},
    /* INVALID_VALUE: there are no more parameters */
    {"cuFuncGetParamInfo", {INVALID_HANDLE, INVALID_CONTEXT, DEINITIALIZED}},
    {"cuFunc", {INVALID_VALUE, INVALID_HANDLE, INVALID_CONTEXT, DEINITIALIZED}},
    {"cuLaunch",
     {LAUNCH_OUT_OF_RESOURCES, INVALID_VALUE, INVALID_HANDLE, INVALID_IMAGE, LAUNCH_FAILED,
      ILLEGAL_ADDRESS, OUT_OF_MEMORY}},
    {"cuOccupancyMaxActiveClusters",
     {INVALID_VALUE, DEINITIALIZED, INVALID_CONTEXT, INVALID_CLUSTER_SIZE}},
    {"cuGraphDestroy", {INVALID_VALUE, DEINITIALIZED}},
    {"cuGraphExecDestroy", {INVALID_VALUE, DEINITIALIZED}},
    {"cuGraphAddHost", {INVALID_VALUE, DEINITIALIZED, OUT_OF_MEMORY, NOT_SUPPORTED}},
    {"cuGraphAddMemset", {INVALID_VALUE, DEINITIALIZED, OUT_OF_MEMORY, INVALID_CONTEXT}},
    {"cuGraphLaunch", {INVALID_VALUE, DEINITIALIZED, ILLEGAL_ADDRESS, LAUNCH_FAILED}},
    {"cuGraph", {INVALID_VALUE, DEINITIALIZED, OUT_OF_MEMORY}},
    {"cu", {INVALID_VALUE, DEINITIALIZED, INVALID_CONTEXT, OPERATING_SYSTEM}},
};

#define S(name) HSA_STATUS_ERROR_##name
static const struct family hsa[] = {
    {"anyhip", {S(INVALID_ARGUMENT)}},
    {"dispatch",
     {S(MEMORY_FAULT), S(EXCEPTION), S(ILLEGAL_INSTRUCTION), S(MEMORY_APERTURE_VIOLATION),
      S(OUT_OF_RESOURCES)}},
    {"copy", {HSA_STATUS_ERROR}},
    {"hsa_init", {S(OUT_OF_RESOURCES), S(REFCOUNT_OVERFLOW), HSA_STATUS_ERROR}},
    {"hsa_status_string", {S(INVALID_ARGUMENT)}},
    {"hsa_agent_get_info", {S(OUT_OF_RESOURCES), S(INVALID_AGENT), S(INVALID_ARGUMENT)}},
    {"hsa_system_get_info", {HSA_STATUS_ERROR, S(NOT_INITIALIZED), S(INVALID_ARGUMENT)}},
    {"hsa_amd_memory_pool_get_info", {HSA_STATUS_ERROR, S(NOT_INITIALIZED)}},
    {"hsa_amd_agent_memory_pool_get_info", {HSA_STATUS_ERROR, S(NOT_INITIALIZED)}},
    {"hsa_iterate_agents", {S(NOT_INITIALIZED), S(OUT_OF_RESOURCES)}},
    {"hsa_agent_iterate", {S(NOT_INITIALIZED), S(INVALID_AGENT), S(OUT_OF_RESOURCES)}},
    {"hsa_isa_get_info", {S(NOT_INITIALIZED), S(INVALID_ISA), S(INVALID_INDEX)}},
    {"hsa_signal_create", {S(OUT_OF_RESOURCES), S(NOT_INITIALIZED), S(INVALID_ARGUMENT)}},
    {"hsa_signal_destroy", {S(INVALID_SIGNAL), S(NOT_INITIALIZED), S(INVALID_ARGUMENT)}},
    {"hsa_queue_create",
     {S(OUT_OF_RESOURCES), S(INVALID_QUEUE_CREATION), S(INVALID_AGENT), S(INVALID_ARGUMENT)}},
    {"hsa_queue", {S(INVALID_QUEUE), S(NOT_INITIALIZED), S(INVALID_ARGUMENT)}},
    {"hsa_amd_queue", {S(INVALID_QUEUE), S(NOT_INITIALIZED), S(INVALID_ARGUMENT)}},
    {"hsa_amd_profiling", {S(INVALID_SIGNAL), S(NOT_INITIALIZED), S(INVALID_ARGUMENT)}},
    {"hsa_amd_register", {S(OUT_OF_RESOURCES), S(INVALID_ARGUMENT)}},
    {"hsa_amd_memory_pool_allocate",
     {S(OUT_OF_RESOURCES), S(INVALID_ALLOCATION), S(INVALID_MEMORY_POOL), S(INVALID_ARGUMENT)}},
    {"hsa_amd_memory_pool_free", {HSA_STATUS_ERROR, S(NOT_INITIALIZED), S(RESOURCE_FREE)}},
    {"hsa_amd_agents_allow_access", {S(OUT_OF_RESOURCES), S(INVALID_ARGUMENT), HSA_STATUS_ERROR}},
    {"hsa_amd_memory_lock", {S(OUT_OF_RESOURCES), S(INVALID_AGENT), S(INVALID_ARGUMENT)}},
    {"hsa_amd_memory_unlock", {HSA_STATUS_ERROR, S(NOT_INITIALIZED)}},
    {"hsa_memory_copy", {S(INVALID_ARGUMENT), S(NOT_INITIALIZED), HSA_STATUS_ERROR}},
    {"hsa_amd_memory_async_copy",
     {S(OUT_OF_RESOURCES), S(INVALID_AGENT), S(INVALID_SIGNAL), S(INVALID_ARGUMENT)}},
    {"hsa_amd_memory_fill", {S(INVALID_ARGUMENT), S(INVALID_ALLOCATION), HSA_STATUS_ERROR}},
    {"hsa_amd_ipc", {S(OUT_OF_RESOURCES), S(INVALID_ARGUMENT), S(NOT_INITIALIZED)}},
    {"hsa_amd_svm", {S(OUT_OF_RESOURCES), S(INVALID_ARGUMENT), HSA_STATUS_ERROR}},
    {"hsa_amd_portable", {S(OUT_OF_RESOURCES), S(INVALID_AGENT), S(INVALID_ARGUMENT)}},
    {"hsa_amd_vmem", {S(OUT_OF_RESOURCES), S(INVALID_ALLOCATION), S(NOT_INITIALIZED)}},
    {"hsa_ext_image_destroy", {S(NOT_INITIALIZED), S(INVALID_AGENT)}},
    {"hsa_ext_sampler_destroy", {S(NOT_INITIALIZED), S(INVALID_AGENT)}},
    {"hsa_ext", {S(OUT_OF_RESOURCES), S(INVALID_AGENT), S(INVALID_ARGUMENT)}},
    {"hsa_code_object_reader_create", {S(OUT_OF_RESOURCES), S(INVALID_ARGUMENT)}},
    {"hsa_code_object_reader_destroy", {S(NOT_INITIALIZED), S(INVALID_CODE_OBJECT_READER)}},
    {"hsa_executable_create", {S(OUT_OF_RESOURCES), S(INVALID_ARGUMENT)}},
    {"hsa_executable_load",
     {S(OUT_OF_RESOURCES), S(INVALID_CODE_OBJECT), S(INCOMPATIBLE_ARGUMENTS), S(INVALID_AGENT)}},
    {"hsa_executable_freeze",
     {S(OUT_OF_RESOURCES), S(VARIABLE_UNDEFINED), S(FROZEN_EXECUTABLE), S(INVALID_EXECUTABLE)}},
    {"hsa_executable_destroy", {S(NOT_INITIALIZED), S(INVALID_EXECUTABLE)}},
    {"hsa_executable_get_symbol", {S(INVALID_EXECUTABLE), S(INVALID_ARGUMENT)}},
    {"hsa_executable", {S(INVALID_EXECUTABLE), S(INVALID_ARGUMENT), S(NOT_INITIALIZED)}},
    {"hsa_", {HSA_STATUS_ERROR, S(NOT_INITIALIZED), S(INVALID_ARGUMENT)}},
};
#undef S

size_t fault_codes(const char *vendor, const char *function, int out_codes[FAULT_CODES_MAX])
{
    bool of_cuda = strcmp(vendor, "cuda") == 0;
    const struct family *rows = of_cuda ? cuda : hsa;
    size_t count = of_cuda ? sizeof cuda / sizeof *cuda : sizeof hsa / sizeof *hsa, used = 0;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(rows[i].prefix, function, strlen(rows[i].prefix)) != 0)
            continue;
        for (; used < FAULT_CODES_MAX && rows[i].codes[used] != 0; used++)
            out_codes[used] = rows[i].codes[used];
        break;
    }
    return used;
}

/* ---- what need not be told ----------------------------------------------------------------- */

struct quiet {
    const char *function;
    const char *section; /* NULL: in all */
    int code;            /* 0: any */
    const char *why;
};

static const char queried_again[] = "the name of a device is queried again when it is needed";
static const char foreign[] = "memory that the driver says nothing of is the host's";
static const char ahead[] = "functions are loaded ahead where that is possible, or at their launch";
static const char not_the_program[] = "the program's object is destroyed, and the log has the rest";

static const char given_back_later[] = "memory that is not known to be unused is given back later";
static const char requested_again[] = "it is requested again, when unused memory was given back";

static const struct quiet quiets[] = {
    {"cuGetErrorName", NULL, 0, "it names another failure"},
    {"cuGetErrorString", NULL, 0, "it names another failure"},
    {"cuDeviceGetName", "start", 0, queried_again},
    {"cuDeviceGetUuid_v2", "start", 0, queried_again},
    {"cuDeviceGetAttribute", "start", DEINITIALIZED, queried_again},
    {"cuDeviceGetAttribute", "start", NOT_INITIALIZED, queried_again},
    {"cuDeviceGetAttribute", "start", INVALID_DEVICE, queried_again},
    {"cuDeviceGetAttribute", NULL, INVALID_VALUE, "a driver that does not know an attribute"},
    {"cuDeviceGetTexture1DLinearMaxWidth", NULL, INVALID_VALUE, "as an attribute"},
    {"cuDeviceGetAttribute", "textures", 0, "a limit that is not known limits nothing"},
    {"cuFuncLoad", NULL, 0, ahead},
    {"cuModuleGetFunctionCount", NULL, 0, ahead},
    {"cuModuleEnumerateFunctions", NULL, 0, ahead},
    {"cuFuncGetParamInfo", NULL, 0, "arguments whose size is not told are not checked"},
    {"cuPointerGetAttributes", NULL, 0, foreign},
    {"cuCtxGetCurrent", "rows", 0, foreign},
    {"cuCtxGetCurrent", "arrays", 0, foreign},
    {"cuCtxGetCurrent", "sparse arrays", 0, foreign},
    {"cuCtxGetCurrent", "copies", 0, foreign},
    {"cuCtxGetCurrent", "shared pools", 0, foreign},
    {"cuCtxGetCurrent", "launched graphs", 0, foreign},
    {"cuPointerGetAttribute", "launched graphs", 0, foreign},
    {"cuCtxGetCurrent", "captured graphs", 0, foreign},
    {"cuCtxGetCurrent", "graph structure", 0, foreign},
    {"cuCtxGetCurrent", "memory of graphs", 0, given_back_later},
    {"cuEventCreate", "memory of graphs", 0, given_back_later},
    {"cuEventRecord", "memory of graphs", 0, given_back_later},
    {"cuEventQuery", "memory of graphs", 0, given_back_later},
    {"cuEventDestroy_v2", "memory of graphs", 0, not_the_program},
    {"cuMemCreate", "memory of graphs", OUT_OF_MEMORY, requested_again},
    {"cuMemMap", "memory of graphs", OUT_OF_MEMORY, requested_again},
    {"cuMemAddressFree", "memory of graphs", 0, given_back_later},
    {"cuMemHostGetDevicePointer_v2", NULL, 0, "with unified addresses it is the host's"},
    {"cuCtxGetCurrent", "memory", 0, "the address of host memory, as above"},
    {"cuCtxGetCurrent", "fills", 0, "the address of host memory, as above"},
    {"cuCtxGetCurrent", "graphs in lanes", 0, "the address of host memory, as above"},
    {"cuCtxGetCurrent", "streams", 0, "the address of host memory, as above"},
    {"cuArray3DCreate_v2", "arrays", 0, "made again, without what surfaces need"},
    {"cuArray3DCreate_v2", "textures", 0, "made again, without what surfaces need"},
    {"cuMipmappedArrayCreate", NULL, 0, "made again, without what surfaces need"},
    {"cuModuleGetGlobal_v2", NULL, NOT_FOUND, "code need not use all variables of its program"},
    {"cuGraphExecDestroy", NULL, 0, not_the_program},
    {"cuGraphDestroy", NULL, 0, not_the_program},
    {"cuDevicePrimaryCtxRelease_v2", "reset", 0, "the reset that follows ends the context"},
    {"cuDevicePrimaryCtxReset_v2", "reset", DEINITIALIZED, "there is nothing to reset any more"},

    {"allocation", "start", 0, "settings have defaults, and unknown values are requested again"},
    {"allocation", "modules", 0, ahead},
    {"allocation", "libraries", 0, ahead},
    {"allocation", "launches", 0, "it is requested again at once"},
    {"allocation", "pools", 0, "memory is waited for, and requested again"},

    {"allocation", "memory of graphs", 0, requested_again},
    {"hsa_system_get_info", "memory of graphs", 0, "as on a runtime without virtual memory"},
    {"hsa_amd_vmem_address_free", "memory of graphs", 0, given_back_later},
    {"hsa_amd_vmem_handle_create", "memory of graphs", 0, requested_again},
    {"hsa_amd_vmem_map", "memory of graphs", HSA_STATUS_ERROR_OUT_OF_RESOURCES, requested_again},
    {"hsa_amd_vmem_set_access", "memory of graphs", HSA_STATUS_ERROR_OUT_OF_RESOURCES,
     requested_again},
    {"hsa_status_string", NULL, 0, "it names another failure"},
    {"hsa_agent_get_info", NULL, HSA_STATUS_ERROR_INVALID_ARGUMENT,
     "a runtime that does not know an attribute"},
    {"hsa_agent_get_info", "start", 0, queried_again},
    {"hsa_agent_get_info", NULL, 0, "a queue of the usual size is made"},
    {"hsa_system_get_info", NULL, HSA_STATUS_ERROR_INVALID_ARGUMENT,
     "a runtime that does not know an attribute"},
    {"hsa_system_get_info", "start", 0, queried_again},
    {"hsa_amd_memory_pool_get_info", "start", 0, queried_again},
    {"hsa_amd_agent_memory_pool_get_info", "start", 0, queried_again},
    {"hsa_amd_agent_memory_pool_get_info", "peers", 0, "copies go through the host"},
    {"hsa_amd_agent_iterate_memory_pools", "start", 0, queried_again},
    {"hsa_agent_iterate_caches", "start", 0, "a cache whose size is not known has none"},
    {"hsa_signal_create", NULL, 0,
     "signals are made in groups, of which those that are there serve"},
    {"hsa_queue_create", NULL, 0, "streams share queues"},
    {"hsa_queue_destroy", "streams", 0, "the queue is nobody's until the device is reset"},
    {"hsa_queue_destroy", "execution contexts", 0,
     "the queue is nobody's until the device is reset"},
    {"hsa_amd_queue_set_priority", NULL, 0, "a priority changes how soon, not what"},
    {"hsa_amd_profiling_set_profiler_enabled", NULL, 0, "events have no times, which the log says"},
    {"hsa_amd_memory_async_copy_rect", NULL, 0, "the rows are copied one by one"},
    {"hsa_amd_memory_pool_allocate", NULL, 0, "memory of the backend's own is requested again"},
    {"hsa_amd_agents_allow_access", NULL, 0, "memory of the backend's own is requested again"},
    {"hsa_amd_memory_pool_free", "pools", 0, "a pool gives memory back later"},
    {"hsa_executable_get_symbol_by_name", NULL, HSA_STATUS_ERROR_INVALID_SYMBOL_NAME,
     "code need not use all variables of its program"},
    {"copy", "reset", 0, "what fails before a reset is gone with it"},
    {"copy", "peers", 0, "what fails before a reset is gone with it"},
};

/* Nodes that the driver refuses to have in a graph, to change or to switch off. */
static bool is_refused_node(const char *function, int code)
{
    bool of_nodes = strncmp(function, "cuGraphAdd", 10) == 0 ||
                    strncmp(function, "cuGraphInstantiate", 18) == 0 ||
                    strcmp(function, "cuGraphNodeSetEnabled") == 0 ||
                    (strncmp(function, "cuGraphExec", 11) == 0 && strstr(function, "Set"));
    return of_nodes && (code == INVALID_VALUE || code == INVALID_CONTEXT || code == NOT_SUPPORTED);
}

const char *fault_is_quiet(const char *function, const char *section, int code)
{
    if (is_refused_node(function, code))
        return "the work of the nodes is submitted to streams";
    for (size_t i = 0; i < sizeof quiets / sizeof *quiets; i++)
        if (strcmp(quiets[i].function, function) == 0 &&
            (!quiets[i].section || strcmp(quiets[i].section, section) == 0) &&
            (quiets[i].code == 0 || quiets[i].code == code))
            return quiets[i].why;
    return NULL;
}

/* ---- what a driver denies to have ---------------------------------------------------------- */

bool fault_is_denial(const char *function, int code)
{
    static const int codes[] = {INVALID_VALUE,
                                INVALID_CONTEXT,
                                INVALID_HANDLE,
                                DEINITIALIZED,
                                HSA_STATUS_ERROR_INVALID_ARGUMENT,
                                HSA_STATUS_ERROR_INVALID_SIGNAL,
                                HSA_STATUS_ERROR_INVALID_QUEUE,
                                HSA_STATUS_ERROR_INVALID_AGENT,
                                HSA_STATUS_ERROR_INVALID_ALLOCATION,
                                HSA_STATUS_ERROR_INVALID_EXECUTABLE,
                                HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER};
    static const char *const words[] = {
        "Free",    "Destroy", "Unregister", "Release", "Unload", "Close",      "destroy",   "free",
        "release", "unlock",  "unmap",      "Unmap",   "detach", "GetCurrent", "SetCurrent"};
    bool ends = false, denies = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ends |= strstr(function, words[i]) != NULL;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        denies |= codes[i] == code;
    return ends && denies;
}

/* The pool of a stream is trimmed again at the next wait. */
bool fault_is_put_off(const char *function, const char *section)
{
    return strcmp(section, "pools") == 0 && strcmp(function, "hsa_amd_memory_pool_free") == 0;
}

/* ---- what a driver answers for good --------------------------------------------------------- */

bool fault_is_answer(const char *function, int code)
{
    static const struct {
        const char *prefix;
        int code;
    } rows[] = {
        {"cuDeviceGetAttribute", INVALID_VALUE},
        {"cuModuleLoad", INVALID_PTX},
        {"cuModuleLoad", NO_BINARY_FOR_GPU},
        {"cuModuleLoad", INVALID_IMAGE},
        {"hsa_agent_get_info", HSA_STATUS_ERROR_INVALID_ARGUMENT},
        {"hsa_code_object_reader_create", HSA_STATUS_ERROR_INVALID_ARGUMENT},
        {"hsa_executable_create", HSA_STATUS_ERROR_INVALID_ARGUMENT},
        {"hsa_executable_load", HSA_STATUS_ERROR_INVALID_CODE_OBJECT},
        {"hsa_executable_load", HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS},
        {"hsa_executable_get_symbol", HSA_STATUS_ERROR_INVALID_EXECUTABLE},
        {"hsa_executable_freeze", HSA_STATUS_ERROR_VARIABLE_UNDEFINED},
        {"hsa_executable_freeze", HSA_STATUS_ERROR_INVALID_EXECUTABLE},
        {"hsa_executable_freeze", HSA_STATUS_ERROR_FROZEN_EXECUTABLE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code && strncmp(rows[i].prefix, function, strlen(rows[i].prefix)) == 0)
            return true;
    return false;
}

/* ---- what a reset loses -------------------------------------------------------------------- */

bool fault_is_of_reset(const char *function, const char *section)
{
    static const char *const functions[] = {"hsa_queue_destroy", "hsa_amd_memory_pool_free",
                                            "hsa_code_object_reader_destroy",
                                            "hsa_executable_destroy"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(section, "reset") == 0 && strcmp(functions[i], function) == 0)
            return true;
    return false;
}
