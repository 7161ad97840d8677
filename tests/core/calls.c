/* Makes the HIP calls that its arguments name, in order, and prints what each returned. Linked
 * with the library as a program is; the tests beside it run it where there is no driver. */
#include <hip/anyhip.h>
#include <hip/hip_runtime_api.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *const untouched = (void *)0x5a5a;

static hipError_t count(void)
{
    int devices = 77;
    hipError_t error = hipGetDeviceCount(&devices);
    printf("%d devices, ", devices);
    return error;
}

static hipError_t count_null(void)
{
    return hipGetDeviceCount(NULL);
}
static hipError_t init(void)
{
    return hipInit(0);
}
static hipError_t init_flags(void)
{
    return hipInit(1);
}

static hipError_t allocate(void)
{
    void *pointer = untouched;
    hipError_t error = hipMalloc(&pointer, 64);
    if (pointer != untouched)
        printf("changed, ");
    return error;
}

static hipError_t allocate_null(void)
{
    return hipMalloc(NULL, 64);
}
static hipError_t free_null(void)
{
    return hipFree(NULL);
}
static hipError_t last(void)
{
    return hipGetLastError();
}
static hipError_t peek(void)
{
    return hipPeekAtLastError();
}
static hipError_t extended(void)
{
    return hipExtGetLastError();
}
static hipError_t synchronize(void)
{
    return hipDeviceSynchronize();
}
static hipError_t set_device(void)
{
    return hipSetDevice(0);
}

static hipError_t get_device(void)
{
    int device = 77;
    hipError_t error = hipGetDevice(&device);
    printf("%d, ", device);
    return error;
}

static hipError_t get_device_null(void)
{
    return hipGetDevice(NULL);
}

static hipError_t properties(void)
{
    hipDeviceProp_t found;
    return hipGetDeviceProperties(&found, 0);
}

static hipError_t properties_null(void)
{
    return hipGetDeviceProperties(NULL, 0);
}

static hipError_t stream(void)
{
    hipStream_t made = untouched;
    hipError_t error = hipStreamCreate(&made);
    if (made != untouched)
        printf("changed, ");
    return error;
}

static hipError_t stream_null(void)
{
    return hipStreamCreate(NULL);
}
static hipError_t stream_foreign(void)
{
    return hipStreamSynchronize((hipStream_t)untouched);
}
static hipError_t event_foreign(void)
{
    return hipEventDestroy((hipEvent_t)untouched);
}
static hipError_t event_null(void)
{
    return hipEventCreate(NULL);
}

static hipError_t copy(void)
{
    char from[4] = "abc", to[4] = "";
    return hipMemcpy(to, from, sizeof to, hipMemcpyHostToHost);
}

static hipError_t driver_version(void)
{
    int version;
    return hipDriverGetVersion(&version);
}

static hipError_t runtime_version(void)
{
    int version;
    return hipRuntimeGetVersion(&version);
}

static hipError_t runtime_version_null(void)
{
    return hipRuntimeGetVersion(NULL);
}

static void *ask_last(void *error)
{
    *(hipError_t *)error = hipGetLastError();
    return NULL;
}

static hipError_t last_of_thread(void)
{
    pthread_t thread;
    hipError_t error = hipErrorUnknown;
    pthread_create(&thread, NULL, ask_last, &error);
    pthread_join(thread, NULL);
    return error;
}

static hipError_t report(void)
{
    char *text = NULL;
    hipError_t error = anyhipGetReport(&text);
    printf("%s\n", text ? text : "(null)");
    free(text);
    return error;
}

static void *count_often(void *data)
{
    int devices;
    (void)data;
    for (int i = 0; i < 50; i++)
        (void)hipGetDeviceCount(&devices);
    return NULL;
}

static hipError_t count_in_threads(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, count_often, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return hipSuccess;
}

static hipError_t device_of_stream(void)
{
    printf("%d, ", hipGetStreamDeviceId(NULL));
    return hipSuccess;
}

static hipError_t report_null(void)
{
    return anyhipGetReport(NULL);
}

static hipError_t can_run(void)
{
    static const char ptx[] = ".version 7.0\n.target sm_70\n";
    printf("%d %d %d, ", anyhipDeviceCanRunImage(0, ptx, sizeof ptx),
           anyhipDeviceCanRunImage(-1, ptx, sizeof ptx), anyhipDeviceCanRunImage(0, NULL, 0));
    return hipSuccess;
}

static hipError_t backend(void)
{
    enum anyhipBackend found;
    return anyhipDeviceGetBackend(0, &found, NULL);
}

static const struct call {
    const char *name;
    hipError_t (*make)(void);
} calls[] = {
    {"count", count},
    {"count_null", count_null},
    {"init", init},
    {"init_flags", init_flags},
    {"allocate", allocate},
    {"allocate_null", allocate_null},
    {"free_null", free_null},
    {"last", last},
    {"peek", peek},
    {"extended", extended},
    {"synchronize", synchronize},
    {"set_device", set_device},
    {"get_device", get_device},
    {"get_device_null", get_device_null},
    {"properties", properties},
    {"properties_null", properties_null},
    {"stream", stream},
    {"stream_null", stream_null},
    {"stream_foreign", stream_foreign},
    {"event_foreign", event_foreign},
    {"event_null", event_null},
    {"copy", copy},
    {"driver_version", driver_version},
    {"runtime_version", runtime_version},
    {"runtime_version_null", runtime_version_null},
    {"last_of_thread", last_of_thread},
    {"count_in_threads", count_in_threads},
    {"device_of_stream", device_of_stream},
    {"report", report},
    {"report_null", report_null},
    {"can_run", can_run},
    {"backend", backend},
};

static const struct call *call_named(const char *name)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, name) == 0)
            return &calls[i];
    fprintf(stderr, "there is no call named %s\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        hipError_t error = call_named(argv[i])->make();
        printf("%s\n", hipGetErrorName(error));
    }
    return 0;
}
