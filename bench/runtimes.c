/* What calls cost on an HSA runtime: this library beside AMD's HIP (libamdhip64.so.5, Debian's
 * libamdhip64-5) and LLVM's offloading library (libLLVMOffload), all on the same simulated
 * device, gfx90a: processor time of the calling thread, in nanoseconds per call, and of a graph of
 * kernels in a line, per node.
 *
 *   bench_runtimes KERNEL DROP_IN LIBRARY     the table
 *   bench_runtimes --of KERNEL LIBRARY        one column: a line of figures
 *
 * KERNEL: a code object of version 4 for gfx90a with a kernel "nothing(void *)"; DROP_IN: the
 * folder that has the simulated HSA runtime under AMD's names, or the simulated kernel driver
 * (libhsakmt.so.1), on which AMD's own HSA runtime is used; LIBRARY: libanyhip.so.
 * A library that is not installed has no column. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 200, ROUNDS = 60, SMALL = 256, SHORT = 10, LONG = 100, LONGEST = 1000 };
enum figure { LAUNCH, RECORD, COPY, GRAPH_SHORT, GRAPH_LONG, GRAPH_LONGEST, FIGURES };
enum { GRAPHS = FIGURES - GRAPH_SHORT };
static const char *const names[FIGURES] = {"launch",
                                           "event record",
                                           "copy of 256 bytes",
                                           "node, graph of 10",
                                           "node, graph of 100",
                                           "node, graph of 1000"};
static const int nodes[GRAPHS] = {SHORT, LONG, LONGEST};

/* A call of a graph is one of each of its nodes. */
static int nodes_of(enum figure figure)
{
    return figure >= GRAPH_SHORT ? nodes[figure - GRAPH_SHORT] : 1;
}

static void *file_contents(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size > 0 && (data = malloc((size_t)size)) != NULL) {
        rewind(file);
        *out_size = fread(data, 1, (size_t)size, file);
    }
    if (file)
        fclose(file);
    return data;
}

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

/* Of a round: many nodes, so that the first launch, which wakes the device, counts for little. */
static int calls_of(enum figure figure)
{
    int nodes_in_all = 10 * CALLS;
    return figure >= GRAPH_SHORT ? nodes_in_all / nodes_of(figure) : CALLS;
}

/* A runtime: what is measured, once, and waiting for all of it. */
struct runtime {
    bool (*call)(void *state, enum figure figure);
    bool (*wait)(void *state);
    void *state;
};

/* The median of rounds: the machine does other things too. */
static double per_call(const struct runtime *runtime, enum figure figure)
{
    double rounds[ROUNDS];
    int calls = calls_of(figure);
    for (int i = 0; i < ROUNDS; i++) {
        double begin = cpu_now();
        for (int k = 0; k < calls; k++)
            if (!runtime->call(runtime->state, figure))
                fail(names[figure], "the call failed");
        rounds[i] = (cpu_now() - begin) / calls / nodes_of(figure);
        if (!runtime->wait(runtime->state))
            fail(names[figure], "waiting failed");
    }
    for (int i = 1; i < ROUNDS; i++) /* insertion sort */
        for (int k = i; k > 0 && rounds[k] < rounds[k - 1]; k--) {
            double t = rounds[k];
            rounds[k] = rounds[k - 1];
            rounds[k - 1] = t;
        }
    return rounds[ROUNDS / 2];
}

/* ---- HIP, whoever implements it -------------------------------------------------------- */

enum { SIZE_OF_GROUP = 64 };

/* hipKernelNodeParams */
struct kernel_node {
    struct {
        unsigned x, y, z;
    } block;
    void **extra;
    void *function;
    struct {
        unsigned x, y, z;
    } grid;
    void **params;
    unsigned shared;
};

#define HIP_FUNCTIONS(F)                                                                           \
    F(hipModuleLoadData, (void **module, const void *image))                                       \
    F(hipModuleGetFunction, (void **function, void *module, const char *name))                     \
    F(hipModuleLaunchKernel,                                                                       \
      (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,            \
       unsigned bz, unsigned shared, void *stream, void **params, void **extra))                   \
    F(hipMalloc, (void **pointer, size_t size))                                                    \
    F(hipHostMalloc, (void **pointer, size_t size, unsigned flags))                                \
    F(hipMemcpyAsync, (void *dst, const void *src, size_t size, int kind, void *stream))           \
    F(hipStreamCreate, (void **stream))                                                            \
    F(hipStreamSynchronize, (void *stream))                                                        \
    F(hipEventCreate, (void **event))                                                              \
    F(hipEventRecord, (void *event, void *stream))                                                 \
    F(hipGraphCreate, (void **graph, unsigned flags))                                              \
    F(hipGraphAddKernelNode, (void **node, void *graph, void *const *before, size_t count,         \
                              const struct kernel_node *kernel))                                   \
    F(hipGraphInstantiate, (void **exec, void *graph, void **node, char *log, size_t size))        \
    F(hipGraphLaunch, (void *exec, void *stream))

static struct hip {
#define F(name, parameters) int(*name) parameters;
    HIP_FUNCTIONS(F)
#undef F
    void *function, *memory, *host, *stream, *event, *graphs[GRAPHS];
} hip;

static bool hip_call(void *state, enum figure figure)
{
    struct hip *h = state;
    void *params[] = {&h->memory};
    switch (figure) {
    case LAUNCH:
        return h->hipModuleLaunchKernel(h->function, 1, 1, 1, 64, 1, 1, 0, h->stream, params,
                                        NULL) == 0;
    case RECORD:
        return h->hipEventRecord(h->event, h->stream) == 0;
    case COPY:
        return h->hipMemcpyAsync(h->memory, h->host, SMALL, 1, h->stream) == 0;
    default:
        return h->hipGraphLaunch(h->graphs[figure - GRAPH_SHORT], h->stream) == 0;
    }
}

/* Each node after the one before. Version 5.2 captures no launches of functions of modules. */
static void *make_graph(int count)
{
    void *graph, *node = NULL, *before, *exec = NULL, *params[] = {&hip.memory};
    struct kernel_node kernel = {.block = {SIZE_OF_GROUP, 1, 1},
                                 .function = hip.function,
                                 .grid = {1, 1, 1},
                                 .params = params};
    bool good = hip.hipGraphCreate(&graph, 0) == 0;
    for (int i = 0; i < count && good; i++) {
        before = node;
        good = hip.hipGraphAddKernelNode(&node, graph, i ? &before : NULL, i ? 1 : 0, &kernel) == 0;
    }
    if (!good || hip.hipGraphInstantiate(&exec, graph, NULL, NULL, 0))
        fail("graph", "it cannot be made");
    return exec;
}

static bool hip_wait(void *state)
{
    struct hip *h = state;
    return h->hipStreamSynchronize(h->stream) == 0;
}

static bool open_hip(const char *library, const void *code, struct runtime *out)
{
    void *module, *handle = dlopen(library, RTLD_NOW);
    if (!handle)
        return false;
#define F(name, parameters) *(void **)&hip.name = dlsym(handle, #name);
    HIP_FUNCTIONS(F)
#undef F
    *out = (struct runtime){hip_call, hip_wait, &hip};
    if (hip.hipModuleLoadData(&module, code) ||
        hip.hipModuleGetFunction(&hip.function, module, "nothing") ||
        hip.hipMalloc(&hip.memory, SMALL) || hip.hipHostMalloc(&hip.host, SMALL, 0) ||
        hip.hipStreamCreate(&hip.stream) || hip.hipEventCreate(&hip.event))
        fail(library, "no device, or it does not run the kernel");
    memset(hip.host, 1, SMALL);
    for (int i = 0; i < GRAPHS; i++)
        hip.graphs[i] = make_graph(nodes[i]);
    return true;
}

/* ---- LLVM's offloading library ------------------------------------------------------------ */

struct launch_size {
    size_t dimensions;
    struct {
        uint32_t x, y, z;
    } groups, group_size;
    size_t shared;
};
#define OL_FUNCTIONS(F)                                                                            \
    F(olInit, (void))                                                                              \
    F(olIterateDevices, (bool (*callback)(void *device, void *data), void *data))                  \
    F(olGetDeviceInfo, (void *device, int what, size_t size, void *value))                         \
    F(olCreateProgram, (void *device, const void *data, size_t size, void **program))              \
    F(olGetSymbol, (void *program, const char *name, int kind, void **symbol))                     \
    F(olMemAlloc, (void *device, int type, size_t size, void **pointer))                           \
    F(olMemcpy,                                                                                    \
      (void *queue, void *dst, void *dst_device, const void *src, void *src_device, size_t size))  \
    F(olCreateQueue, (void *device, void **queue))                                                 \
    F(olSyncQueue, (void *queue))                                                                  \
    F(olCreateEvent, (void *queue, void **event))                                                  \
    F(olDestroyEvent, (void *event))                                                               \
    F(olLaunchKernel, (void *queue, void *device, void *kernel, const void *arguments,             \
                       size_t size, const struct launch_size *launch))

static struct ol {
#define F(name, parameters) const void *(*name)parameters;
    OL_FUNCTIONS(F)
#undef F
    void *device, *host_device, *kernel, *memory, *host, *queue;
} ol;

static bool collect(void *device, void *data)
{
    enum { INFO_TYPE = 0, TYPE_GPU = 2, TYPE_HOST = 4 };
    int type = 0;
    (void)data;
    if (ol.olGetDeviceInfo(device, INFO_TYPE, sizeof type, &type))
        return true;
    if (type == TYPE_HOST)
        ol.host_device = device;
    else if (type == TYPE_GPU && !ol.device)
        ol.device = device;
    return true;
}

static bool ol_call(void *state, enum figure figure)
{
    static const struct launch_size one = {1, {1, 1, 1}, {64, 1, 1}, 0};
    struct ol *o = state;
    void *event;
    switch (figure) {
    case LAUNCH:
        return !o->olLaunchKernel(o->queue, o->device, o->kernel, &o->memory, sizeof o->memory,
                                  &one);
    case RECORD: /* events are made where they are recorded */
        return !o->olCreateEvent(o->queue, &event) && !o->olDestroyEvent(event);
    default:
        return !o->olMemcpy(o->queue, o->memory, o->device, o->host, o->host_device, SMALL);
    }
}

static bool ol_wait(void *state)
{
    struct ol *o = state;
    return !o->olSyncQueue(o->queue);
}

static bool open_ol(const char *library, const void *code, size_t size, struct runtime *out)
{
    enum { HOST = 0, DEVICE = 1, KERNEL = 0 };
    void *program, *handle = dlopen(library, RTLD_NOW);
    if (!handle)
        return false;
#define F(name, parameters) *(void **)&ol.name = dlsym(handle, #name);
    OL_FUNCTIONS(F)
#undef F
    *out = (struct runtime){ol_call, ol_wait, &ol};
    if (ol.olInit() || ol.olIterateDevices(collect, NULL) || !ol.device ||
        ol.olCreateProgram(ol.device, code, size, &program) ||
        ol.olGetSymbol(program, "nothing", KERNEL, &ol.kernel) ||
        ol.olMemAlloc(ol.device, DEVICE, SMALL, &ol.memory) ||
        ol.olMemAlloc(ol.device, HOST, SMALL, &ol.host) || ol.olCreateQueue(ol.device, &ol.queue))
        fail(library, "no device, or it does not run the kernel");
    memset(ol.host, 1, SMALL);
    return true;
}

/* ---- the table ------------------------------------------------------------------------------ */

static int print_column(const char *kernel, const char *library)
{
    struct runtime runtime;
    size_t size = 0;
    void *code = file_contents(kernel, &size);
    if (!code)
        fail(kernel, "cannot be read");
    bool good = strstr(library, "Offload") ? open_ol(library, code, size, &runtime)
                                           : open_hip(library, code, &runtime);
    if (!good)
        return 77;
    enum figure end = strstr(library, "Offload") ? GRAPH_SHORT : FIGURES; /* it has no graphs */
    for (enum figure i = 0; i < end; i++)
        per_call(&runtime, i); /* to be warm */
    for (enum figure i = 0; i < FIGURES; i++)
        printf("%.1f ", i < end ? per_call(&runtime, i) : 0);
    fflush(stdout);
    _exit(EXIT_SUCCESS); /* how it ends is not measured */
}

static bool column(const char *program, const char *kernel, const char *library,
                   double out[FIGURES])
{
    int ends[2], read_all = 0;
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl(program, program, "--of", kernel, library, (char *)NULL);
        _exit(EXIT_FAILURE);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    while (in && read_all < FIGURES && fscanf(in, "%lf", &out[read_all]) == 1)
        read_all++;
    if (in)
        fclose(in);
    waitpid(child, NULL, 0);
    return read_all == FIGURES;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--of") == 0)
        return print_column(argv[2], argv[3]);
    if (argc != 4)
        fail("usage", "bench_runtimes KERNEL DROP_IN LIBRARY");
    const char *const libraries[] = {argv[3], "libamdhip64.so.5", "libLLVMOffload.so.22.1"};
    const char *const titles[] = {"AnyHIP", "AMD HIP 5.2", "liboffload 22"};
    double figures[3][FIGURES];
    bool there[3];
    setenv("LD_LIBRARY_PATH", argv[2], 1);
    char driver[4096];
    snprintf(driver, sizeof driver, "%s/libhsakmt.so.1", argv[2]);
    setenv("ANYHIP_BACKEND", access(driver, F_OK) == 0 ? "hsa" : "simhsa:gfx90a", 1);
    setenv("ANYHIP_SIM_DEVICES", "gfx90a", 1);
    for (int i = 0; i < 3; i++)
        there[i] = column("/proc/self/exe", argv[1], libraries[i], figures[i]);
    printf("%-20s", "ns of CPU per call");
    for (int i = 0; i < 3; i++)
        printf(" %14s", titles[i]);
    printf("\n");
    for (enum figure f = 0; f < FIGURES; f++) {
        printf("%-20s", names[f]);
        for (int i = 0; i < 3; i++)
            if (there[i] && figures[i][f] > 0)
                printf(" %14.0f", figures[i][f]);
            else if (there[i])
                printf(" %14s", "none");
            else
                printf(" %14s", "not installed");
        printf("\n");
    }
    return there[0] ? EXIT_SUCCESS : EXIT_FAILURE;
}
