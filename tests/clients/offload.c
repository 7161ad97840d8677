/* A program of LLVM's offloading library: memory, queues, events and host functions of a GPU
 * that it finds by itself. */
#include <stdbool.h> /* before the library's header, which wants it */

#include <offload/OffloadAPI.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 10000 };

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("FAILED %s:%d: %s\n", __FILE__, __LINE__, #condition);                          \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)
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

int main(void)
{
    struct devices devices = {.count = 0};
    OK(olInit());
    OK(olIterateDevices(collect, &devices));
    CHECK(devices.host && devices.count > 0);
    for (size_t i = 0; i < devices.count; i++)
        use(&devices, devices.gpus[i]);
    OK(olShutDown());
    return EXIT_SUCCESS;
}
