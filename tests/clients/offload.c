/* A program of LLVM's offloading library: memory, queues, events and host functions of GPUs that
 * it finds by itself, and kernels of those that it is given code for: offload <folder>. */
#include "check.h"

#include <stdbool.h> /* before the library's header, which wants it */

#include <offload/OffloadAPI.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { COUNT = 10000 };

#define OK(call)                                                                                   \
    do {                                                                                           \
        ol_result_t result = (call);                                                               \
        if (result)                                                                                \
            printf("%s: %s\n", #call, result->Details);                                            \
        CHECK(!result);                                                                            \
    } while (0)

struct devices {
    ol_device_handle_t gpus[8], host;
    size_t count;
};

static bool collect(ol_device_handle_t device, void *data)
{
    struct devices *devices = data;
    ol_device_type_t type;
    OK(olGetDeviceInfo(device, OL_DEVICE_INFO_TYPE, sizeof type, &type));
    if (type == OL_DEVICE_TYPE_HOST)
        devices->host = device;
    else if (devices->count < 8)
        devices->gpus[devices->count++] = device;
    return true;
}

static void note(void *data)
{
    *(volatile int *)data = 1;
}

static void use(const struct devices *devices, ol_device_handle_t gpu)
{
    static uint32_t in[COUNT], out[COUNT];
    char name[256] = "";
    void *memory, *copy, *pinned;
    ol_queue_handle_t first, second;
    ol_event_handle_t filled;
    const uint32_t pattern = 0x01020304;
    int noted = 0;
    OK(olGetDeviceInfo(gpu, OL_DEVICE_INFO_NAME, sizeof name, name));
    printf("using %s\n", name);
    OK(olMemAlloc(gpu, OL_ALLOC_TYPE_DEVICE, sizeof in, &memory));
    OK(olMemAlloc(gpu, OL_ALLOC_TYPE_DEVICE, sizeof in, &copy));
    OK(olMemAlloc(gpu, OL_ALLOC_TYPE_HOST, sizeof in, &pinned));
    OK(olCreateQueue(gpu, &first));
    OK(olCreateQueue(gpu, &second));

    for (uint32_t i = 0; i < COUNT; i++)
        in[i] = i * 2654435761u;
    OK(olMemcpy(first, memory, gpu, in, devices->host, sizeof in));
    OK(olMemcpy(first, copy, gpu, memory, gpu, sizeof in));
    OK(olMemcpy(first, out, devices->host, copy, gpu, sizeof out));
    OK(olSyncQueue(first));
    CHECK(memcmp(in, out, sizeof in) == 0);

    OK(olMemFill(first, memory, sizeof pattern, &pattern, sizeof in));
    OK(olCreateEvent(first, &filled));
    OK(olWaitEvents(second, &filled, 1));
    OK(olMemcpy(second, pinned, devices->host, memory, gpu, sizeof in));
    OK(olLaunchHostFunction(second, note, &noted));
    OK(olSyncQueue(second));
    CHECK(noted == 1);
    for (size_t i = 0; i < COUNT; i++)
        CHECK(((const uint32_t *)pinned)[i] == pattern);

    OK(olDestroyEvent(filled));
    OK(olDestroyQueue(first));
    OK(olDestroyQueue(second));
    OK(olMemFree(memory));
    OK(olMemFree(copy));
    OK(olMemFree(pinned));
}

/* The file <folder>/offload_<name>.co; NULL: there is none. */
static void *read_code(const char *folder, const char *name, size_t *out_size)
{
    char path[1024];
    static char bytes[1 << 20];
    snprintf(path, sizeof path, "%s/offload_%s.co", folder, name);
    FILE *file = fopen(path, "rb");
    *out_size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    return *out_size > 0 ? bytes : NULL;
}

static void launch(const struct devices *devices, ol_device_handle_t gpu, const void *code,
                   size_t code_size)
{
    static uint32_t in[COUNT], out[COUNT];
    ol_program_handle_t program;
    ol_symbol_handle_t kernel;
    ol_queue_handle_t queue;
    struct {
        void *out, *in;
        uint32_t count;
    } arguments = {NULL, NULL, COUNT - 1};
    const ol_kernel_launch_size_args_t shape = {
        .Dimensions = 1, .NumGroups = {(COUNT + 63) / 64, 1, 1}, .GroupSize = {64, 1, 1}};
    OK(olCreateProgram(gpu, code, code_size, &program));
    OK(olGetSymbol(program, "scaled", OL_SYMBOL_KIND_KERNEL, &kernel));
    OK(olCreateQueue(gpu, &queue));
    OK(olMemAlloc(gpu, OL_ALLOC_TYPE_DEVICE, sizeof in, &arguments.in));
    OK(olMemAlloc(gpu, OL_ALLOC_TYPE_DEVICE, sizeof out, &arguments.out));
    for (uint32_t i = 0; i < COUNT; i++) {
        in[i] = i * 2654435761u;
        out[i] = 7;
    }
    OK(olMemcpy(queue, arguments.in, gpu, in, devices->host, sizeof in));
    OK(olMemcpy(queue, arguments.out, gpu, out, devices->host, sizeof out));
    OK(olLaunchKernel(queue, gpu, kernel, &arguments, sizeof arguments, &shape));
    OK(olMemcpy(queue, out, devices->host, arguments.out, gpu, sizeof out));
    OK(olSyncQueue(queue));
    for (uint32_t i = 0; i < COUNT - 1; i++)
        CHECK(out[i] == in[i] * 3);
    CHECK(out[COUNT - 1] == 7);
    OK(olMemFree(arguments.in));
    OK(olMemFree(arguments.out));
    OK(olDestroyQueue(queue));
    OK(olDestroyProgram(program));
    printf("ran a kernel\n");
}

int main(int argc, char **argv)
{
    struct devices devices = {.count = 0};
    OK(olInit());
    OK(olIterateDevices(collect, &devices));
    CHECK(devices.host && devices.count > 0);
    for (size_t i = 0; i < devices.count; i++) {
        char name[256] = "";
        size_t size = 0;
        use(&devices, devices.gpus[i]);
        OK(olGetDeviceInfo(devices.gpus[i], OL_DEVICE_INFO_NAME, sizeof name, name));
        const void *code = argc > 1 ? read_code(argv[1], name, &size) : NULL;
        if (code)
            launch(&devices, devices.gpus[i], code, size);
    }
    OK(olShutDown());
    printf("done\n");
    return EXIT_SUCCESS;
}
