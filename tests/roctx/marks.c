/* Makes the marks and ranges that its arguments name, in order; test_tools.c runs it. */
#include <roctracer/roctx.h>
#include <rocprofiler-sdk-roctx/roctx.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static roctx_range_id_t range;

static void *thread_body(void *unused)
{
    (void)unused;
    roctxRangePush("of a thread");
    roctxRangePop();
    roctxRangeStop(range);
    return NULL;
}

static void use_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, thread_body, NULL) == 0)
        pthread_join(thread, NULL);
}

/* Marks need no HIP; a trace file does. */
static void *hip;
static void load_hip(void)
{
    hip = dlopen(AH_TEST_ANYHIP, RTLD_NOW | RTLD_LOCAL);
    if (!hip)
        printf("%s\n", dlerror());
}

static void call_hip(void)
{
    int count, (*function)(int *) = NULL;
    *(void **)&function = dlsym(hip, "hipGetDeviceCount");
    if (!function || function(&count) != 100) /* hipErrorNoDevice */
        printf("hipGetDeviceCount");
}

static int tell(unsigned domain, uint32_t operation, void *data)
{
    const struct {
        const char *message;
        uint64_t id;
    } *event = data;
    printf("[%u %u %s %llu]", domain, (unsigned)operation,
           event->message ? event->message : "(null)", (unsigned long long)event->id);
    return 0;
}

typedef int tracer(unsigned domain, uint32_t operation, void *data);
void roctxRegisterTracerCallback(tracer *function);

static void run(const char *step)
{
    if (strcmp(step, "mark") == 0)
        roctxMark("a mark");
    else if (strcmp(step, "null") == 0)
        roctxMark(NULL);
    else if (strcmp(step, "push") == 0)
        roctxRangePush("a range");
    else if (strcmp(step, "pop") == 0)
        roctxRangePop();
    else if (strcmp(step, "start") == 0)
        range = roctxRangeStart("across threads");
    else if (strcmp(step, "stop") == 0)
        roctxRangeStop(range);
    else if (strcmp(step, "stop_unknown") == 0)
        roctxRangeStop(range + 1000);
    else if (strcmp(step, "pause") == 0)
        roctxProfilerPause(0);
    else if (strcmp(step, "resume") == 0)
        roctxProfilerResume(0);
    else if (strcmp(step, "name") == 0)
        roctxNameOsThread("worker");
    else if (strcmp(step, "thread") == 0)
        use_thread();
    else if (strcmp(step, "load") == 0)
        load_hip();
    else if (strcmp(step, "call") == 0)
        call_hip();
    else if (strcmp(step, "trace") == 0)
        roctxRegisterTracerCallback(tell);
    else if (strcmp(step, "untrace") == 0)
        roctxRegisterTracerCallback(NULL);
    else
        printf("unknown: %s", step);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        run(argv[i]);
    printf("\n");
    return 0;
}
