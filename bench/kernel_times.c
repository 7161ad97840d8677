/* kernel_times.so: the time that a program's kernels take on an NVIDIA GPU, whatever compiler and
 * runtime it is from. The driver loads it into a program under CUDA_INJECTION64_PATH, and at the
 * program's end, or at SIGTERM, it writes the file that KERNEL_TIMES names: for each kernel and
 * shape of a launch its launches, nanoseconds in all, least and median, registers, bytes of local,
 * static shared and dynamic shared memory, grid, block and name. Built with NVIDIA's CUPTI. */
#include <cupti.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 4 << 20, SLOTS = 1 << 14 };

struct shape {
    const char *name;
    unsigned registers, local;
    int shared, dynamic, grid[3], block[3];
};

struct kernel {
    struct shape shape;
    uint64_t *times;
    size_t count, space;
};

static struct kernel kernels[SLOTS];
static size_t kernel_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int same(const struct shape *a, const struct shape *b)
{
    return !strcmp(a->name, b->name) && a->registers == b->registers && a->local == b->local &&
           a->shared == b->shared && a->dynamic == b->dynamic &&
           !memcmp(a->grid, b->grid, sizeof(a->grid)) &&
           !memcmp(a->block, b->block, sizeof(a->block));
}

/* Programs that launch in ever new shapes run out of slots; what comes then goes to the last. */
static struct kernel *find(const struct shape *shape)
{
    for (size_t i = kernel_count; i-- > 0;)
        if (same(&kernels[i].shape, shape))
            return &kernels[i];
    if (kernel_count == SLOTS)
        return &kernels[SLOTS - 1];
    struct kernel *fresh = &kernels[kernel_count++];
    fresh->shape = *shape;
    fresh->shape.name = strdup(shape->name);
    return fresh;
}

static void add(const CUpti_ActivityKernel10 *record)
{
    struct shape shape = {
        .name = record->name ? record->name : "?",
        .registers = record->registersPerThread,
        .local = record->localMemoryPerThread,
        .shared = record->staticSharedMemory,
        .dynamic = record->dynamicSharedMemory,
        .grid = {record->gridX, record->gridY, record->gridZ},
        .block = {record->blockX, record->blockY, record->blockZ},
    };
    struct kernel *kernel = find(&shape);
    if (kernel->count == kernel->space) {
        size_t space = kernel->space ? 2 * kernel->space : 16;
        uint64_t *times = realloc(kernel->times, space * sizeof(*times));
        if (!times)
            return;
        kernel->times = times;
        kernel->space = space;
    }
    kernel->times[kernel->count++] = record->end - record->start;
}

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *records)
{
    *buffer = aligned_alloc(8, BUFFER);
    *size = *buffer ? BUFFER : 0;
    *records = 0;
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
                                 size_t valid)
{
    (void)context, (void)stream, (void)size;
    CUpti_Activity *record = NULL;
    pthread_mutex_lock(&lock);
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
        if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
            add((const CUpti_ActivityKernel10 *)record);
    pthread_mutex_unlock(&lock);
    free(buffer);
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void write_kernel(struct kernel *kernel, FILE *file)
{
    const struct shape *s = &kernel->shape;
    unsigned long long total = 0;
    qsort(kernel->times, kernel->count, sizeof(*kernel->times), by_time);
    for (size_t i = 0; i < kernel->count; i++)
        total += kernel->times[i];
    fprintf(file, "%zu\t%llu\t%llu\t%llu\t%u\t%u\t%d\t%d\t%d,%d,%d\t%d,%d,%d\t%s\n", kernel->count,
            total, (unsigned long long)kernel->times[0],
            (unsigned long long)kernel->times[kernel->count / 2], s->registers, s->local, s->shared,
            s->dynamic, s->grid[0], s->grid[1], s->grid[2], s->block[0], s->block[1], s->block[2],
            s->name);
}

static void report(void)
{
    cuptiActivityFlushAll(1);
    const char *path = getenv("KERNEL_TIMES");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < kernel_count; i++)
        if (kernels[i].count)
            write_kernel(&kernels[i], file);
    pthread_mutex_unlock(&lock);
    fclose(file);
}

/* A program that takes too long is ended by SIGTERM. */
static void *report_at_signal(void *set)
{
    int number;
    sigwait(set, &number);
    report();
    _exit(128 + number);
}

static void watch_signal(void)
{
    static sigset_t set;
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (pthread_create(&thread, NULL, report_at_signal, &set) == 0)
        pthread_detach(thread);
}

/* What the driver calls in a library that CUDA_INJECTION64_PATH names. */
__attribute__((visibility("default"))) int InitializeInjection(void)
{
    if (cuptiActivityRegisterCallbacks(give_buffer, take_buffer) != CUPTI_SUCCESS ||
        cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS) {
        fprintf(stderr, "kernel_times: CUPTI refuses\n");
        return 0;
    }
    atexit(report);
    watch_signal();
    return 1;
}
