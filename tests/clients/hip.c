/* A program of AMD's own HIP (libamdhip64.so.5, whose headers it does without), given a code
 * object for the device that it finds: hip <code object>. */
#include "check.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { COUNT = 64 * 200, GROUPS = COUNT / 64 };
enum { TO_DEVICE = 1, TO_HOST = 2, ON_DEVICE = 3, BY_ADDRESS = 4 }; /* hipMemcpyKind */
enum { INVALID_VALUE = 1, NOT_FOUND = 500 };

int hipInit(unsigned flags);
int hipGetDeviceCount(int *count);
int hipDeviceGetName(char *name, int size, int device);
int hipDeviceTotalMem(size_t *bytes, int device);
int hipMemGetInfo(size_t *free, size_t *total);
int hipDeviceSynchronize(void);
int hipMalloc(void **memory, size_t size);
int hipMallocManaged(void **memory, size_t size, unsigned flags);
int hipHostMalloc(void **memory, size_t size, unsigned flags);
int hipHostGetDevicePointer(void **pointer, void *memory, unsigned flags);
int hipHostRegister(void *memory, size_t size, unsigned flags);
int hipFree(void *memory);
int hipHostFree(void *memory);
int hipMemcpy(void *to, const void *from, size_t size, int kind);
int hipMemcpyAsync(void *to, const void *from, size_t size, int kind, void *stream);
int hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                size_t height, int kind);
int hipMemset(void *memory, int value, size_t size);
int hipMemsetAsync(void *memory, int value, size_t size, void *stream);
int hipMemset2D(void *memory, size_t pitch, int value, size_t width, size_t height);
int hipStreamCreate(void **stream);
int hipStreamDestroy(void *stream);
int hipStreamSynchronize(void *stream);
int hipStreamQuery(void *stream);
int hipStreamWaitEvent(void *stream, void *event, unsigned flags);
int hipStreamAddCallback(void *stream, void (*callback)(void *stream, int status, void *data),
                         void *data, unsigned flags);
int hipEventCreate(void **event);
int hipEventDestroy(void *event);
int hipEventRecord(void *event, void *stream);
int hipEventSynchronize(void *event);
int hipEventQuery(void *event);
int hipEventElapsedTime(float *milliseconds, void *start, void *stop);
int hipModuleLoadData(void **module, const void *image);
int hipModuleUnload(void *module);
int hipModuleGetFunction(void **function, void *module, const char *name);
int hipModuleGetGlobal(void **memory, size_t *size, void *module, const char *name);
int hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                          void *stream, void **arguments, void **extra);
const char *hipGetErrorString(int error);

#define OK(call)                                                                                   \
    do {                                                                                           \
        int error_ = (call);                                                                       \
        if (error_)                                                                                \
            printf("%s: %s\n", #call, hipGetErrorString(error_));                                  \
        CHECK(!error_);                                                                            \
    } while (0)

static uint32_t in[COUNT], out[COUNT];

static void fill(void)
{
    for (uint32_t i = 0; i < COUNT; i++)
        in[i] = i * 2654435761u;
    memset(out, 1, sizeof out);
}

static void *device_memory(size_t size)
{
    void *memory = NULL;
    OK(hipMalloc(&memory, size));
    CHECK(memory);
    return memory;
}

static void devices_say_what_they_are(void)
{
    int count = 0;
    size_t free_bytes = 0, total = 0, same = 0;
    char name[256] = "";
    OK(hipGetDeviceCount(&count));
    CHECK(count == 1);
    OK(hipDeviceGetName(name, sizeof name, 0));
    OK(hipDeviceTotalMem(&total, 0));
    OK(hipMemGetInfo(&free_bytes, &same));
    CHECK(free_bytes > 0 && free_bytes <= total && same == total);
    printf("using %s\n", name);
}

static void copies_bring_bytes(void)
{
    void *first = device_memory(sizeof in), *second = device_memory(sizeof in), *stream;
    fill();
    OK(hipMemcpy(first, in, sizeof in, TO_DEVICE));
    OK(hipMemcpy(second, first, sizeof in, ON_DEVICE));
    OK(hipMemcpy(out, second, sizeof out, TO_HOST));
    CHECK(memcmp(in, out, sizeof in) == 0);
    OK(hipMemset(first, 0x5a, 1001));
    OK(hipMemcpy(out, first, sizeof out, BY_ADDRESS));
    for (size_t i = 0; i < sizeof out; i++)
        CHECK(((unsigned char *)out)[i] == (i < 1001 ? 0x5a : ((unsigned char *)in)[i]));
    OK(hipStreamCreate(&stream));
    OK(hipMemcpyAsync(first, in, sizeof in, TO_DEVICE, stream));
    OK(hipMemsetAsync(first, 0, 40, stream));
    OK(hipMemcpyAsync(second, first, sizeof in, ON_DEVICE, stream));
    OK(hipMemcpyAsync(out, second, sizeof out, TO_HOST, stream));
    OK(hipStreamSynchronize(stream));
    for (uint32_t i = 0; i < COUNT; i++)
        CHECK(out[i] == (i < 10 ? 0 : in[i]));
    OK(hipStreamDestroy(stream));
    OK(hipFree(first));
    OK(hipFree(second));
}

static void rectangles_are_copied(void)
{
    enum { PITCH = 512, WIDTH = 300, HEIGHT = 20 };
    static unsigned char from[HEIGHT * WIDTH], to[HEIGHT][WIDTH + 9];
    unsigned char *memory = device_memory(PITCH * HEIGHT);
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 7);
    OK(hipMemcpy2D(memory, PITCH, from, WIDTH, WIDTH, HEIGHT, TO_DEVICE));
    OK(hipMemset2D(memory + 5 * PITCH, PITCH, 0xee, 100, 2));
    OK(hipMemcpy2D(to, WIDTH + 9, memory, PITCH, WIDTH, HEIGHT, TO_HOST));
    for (unsigned y = 0; y < HEIGHT; y++)
        for (unsigned x = 0; x < WIDTH + 9; x++) {
            bool set = (y == 5 || y == 6) && x < 100;
            unsigned char copied = x < WIDTH ? from[y * WIDTH + x] : 0;
            CHECK(to[y][x] == (set ? 0xee : copied));
        }
    OK(hipFree(memory));
}

/* Groups of 64 work-items. */
static void launch(void *module, const char *name, void **arguments, void *stream)
{
    void *function;
    OK(hipModuleGetFunction(&function, module, name));
    OK(hipModuleLaunchKernel(function, GROUPS, 1, 1, 64, 1, 1, 0, stream, arguments, NULL));
}

static void kernels_run(void *module)
{
    void *from = device_memory(sizeof in), *to = device_memory(sizeof out), *variable, *missing;
    uint32_t count = COUNT - 3, factor = 10;
    size_t size = 0;
    fill();
    OK(hipMemcpy(from, in, sizeof in, TO_DEVICE));
    OK(hipMemcpy(to, out, sizeof out, TO_DEVICE));
    launch(module, "scaled", (void *[]){&to, &from, &count}, NULL);
    OK(hipMemcpy(out, to, sizeof out, TO_HOST));
    for (uint32_t i = 0; i < COUNT; i++)
        CHECK(out[i] == (i < count ? in[i] * 3 : 0x01010101));
    OK(hipModuleGetGlobal(&variable, &size, module, "scale"));
    CHECK(size == sizeof factor);
    OK(hipMemcpy(variable, &factor, sizeof factor, TO_DEVICE));
    launch(module, "scaled", (void *[]){&to, &from, &count}, NULL);
    OK(hipMemcpy(out, to, sizeof out, TO_HOST));
    CHECK(out[77] == in[77] * 10);
    launch(module, "sums", (void *[]){&to, &from}, NULL);
    OK(hipMemcpy(out, to, sizeof out, TO_HOST));
    for (uint32_t i = 0; i < GROUPS; i++) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < 64; k++)
            sum += in[64 * i + k];
        CHECK(out[i] == sum);
    }
    launch(module, "picked", (void *[]){&to, &from}, NULL);
    OK(hipMemcpy(out, to, sizeof out, TO_HOST));
    for (uint32_t i = 0; i < COUNT; i++)
        CHECK(out[i] == in[i] + in[i] % 16 * 13 % 16); /* 13: 5 * 13 is 1 of 16 */
    CHECK(hipModuleGetFunction(&missing, module, "none") == NOT_FOUND);
    OK(hipFree(from));
    OK(hipFree(to));
}

static void note(void *stream, int status, void *data)
{
    (void)stream;
    *(volatile int *)data = status == 0 ? 1 : -1;
}

static void streams_and_events_order_work(void *module)
{
    void *from = device_memory(sizeof in), *to = device_memory(sizeof out), *streams[2];
    void *start, *scaled, *end;
    uint32_t count = COUNT;
    float milliseconds = -1;
    int noted = 0;
    fill();
    for (int i = 0; i < 2; i++)
        OK(hipStreamCreate(&streams[i]));
    OK(hipEventCreate(&start));
    OK(hipEventCreate(&scaled));
    OK(hipEventCreate(&end));
    OK(hipEventRecord(start, streams[0]));
    OK(hipMemcpyAsync(from, in, sizeof in, TO_DEVICE, streams[0]));
    for (int i = 0; i < 20; i++)
        launch(module, "scaled", (void *[]){&to, &from, &count}, streams[0]);
    OK(hipEventRecord(scaled, streams[0]));
    OK(hipStreamWaitEvent(streams[1], scaled, 0));
    launch(module, "scaled", (void *[]){&from, &to, &count}, streams[1]);
    OK(hipMemcpyAsync(out, from, sizeof out, TO_HOST, streams[1]));
    OK(hipStreamAddCallback(streams[1], note, &noted, 0));
    OK(hipEventRecord(end, streams[1]));
    OK(hipEventSynchronize(end));
    OK(hipStreamSynchronize(streams[1]));
    CHECK(noted == 1);
    for (uint32_t i = 0; i < COUNT; i++)
        CHECK(out[i] == in[i] * 100);
    OK(hipEventQuery(scaled));
    OK(hipStreamQuery(streams[0]));
    OK(hipEventElapsedTime(&milliseconds, start, end));
    CHECK(milliseconds > 0 && milliseconds < 60000);
    OK(hipEventDestroy(start));
    OK(hipEventDestroy(scaled));
    OK(hipEventDestroy(end));
    for (int i = 0; i < 2; i++)
        OK(hipStreamDestroy(streams[i]));
    OK(hipFree(from));
    OK(hipFree(to));
}

static void check_scaled(void *module, uint32_t *to, const uint32_t *from, void *to_seen,
                         void *from_seen)
{
    uint32_t count = COUNT;
    launch(module, "scaled", (void *[]){&to_seen, &from_seen, &count}, NULL);
    OK(hipDeviceSynchronize());
    for (uint32_t i = 0; i < COUNT; i++)
        CHECK(to[i] == from[i] * 10);
}

static void kernels_reach_memory_of_the_host(void *module)
{
    void *managed, *pinned, *seen, *own_seen;
    static uint32_t own[COUNT];
    fill();
    OK(hipMallocManaged(&managed, sizeof in, 1));
    OK(hipHostMalloc(&pinned, sizeof in, 0));
    OK(hipHostGetDevicePointer(&seen, pinned, 0));
    memcpy(pinned, in, sizeof in);
    check_scaled(module, managed, pinned, managed, seen);
    OK(hipHostRegister(own, sizeof own, 0)); /* for good: see docs/conformance.md */
    OK(hipHostGetDevicePointer(&own_seen, own, 0));
    check_scaled(module, own, managed, own_seen, managed);
    OK(hipFree(managed));
    OK(hipHostFree(pinned));
}

static void mistakes_are_errors(void)
{
    void *memory = NULL;
    CHECK(hipMalloc(&memory, (size_t)1 << 60) != 0);
    CHECK(hipMalloc(NULL, 100) == INVALID_VALUE);
    CHECK(hipFree(&memory) == INVALID_VALUE);
}

static void *read_code(const char *path)
{
    static _Alignas(4096) char bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    CHECK(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    CHECK(size > 0 && size < sizeof bytes);
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    void *module;
    CHECK(argc == 2);
    OK(hipInit(0));
    devices_say_what_they_are();
    copies_bring_bytes();
    rectangles_are_copied();
    OK(hipModuleLoadData(&module, read_code(argv[1])));
    kernels_run(module);
    streams_and_events_order_work(module);
    kernels_reach_memory_of_the_host(module);
    OK(hipModuleUnload(module));
    mistakes_are_errors();
    printf("done\n");
    return EXIT_SUCCESS;
}
