/* A librocprofiler-register.so.0 for tests: it takes HIP's tables as AMD's does, and puts functions
 * of its own into them, by the places of HIP's public header. Whatever it is called for it prints.
 * PROFILER_ANSWER is what it returns; PROFILER_WRAPS=0: it changes nothing, 2: it removes a
 * function, 3: it counts calls, 4: it takes its functions out again at their first call.
 * PROFILER_CALLS=1: it calls HIP while it is given the table. Compiled with NO_TABLES it takes no
 * tables. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hip/hip_runtime_api.h>

/* Places in HipDispatchTable, bytes */
enum {
    GET_COUNT = 832,
    ERROR_NAME = 864,
    GET_LAST = 880,
    ALLOCATE = 1728,
    STREAM_DEVICE = 3424,
    TABLE_SIZE = 4152
};
enum { COMPILER_TABLE_SIZE = 80 };

enum { NOTHING, WRAP, REMOVE, COUNT_CALLS, TAKE_OUT };
static int number(const char *variable, int otherwise)
{
    const char *value = getenv(variable);
    return value ? atoi(value) : otherwise;
}

static void *hip_table;
static hipError_t (*get_count)(int *count);
static hipError_t (*allocate)(void **pointer, size_t size);
static hipError_t (*get_last)(void);
static const char *(*error_name)(hipError_t error);
static int (*stream_device)(hipStream_t stream);

static hipError_t wrapped_get_count(int *count)
{
    hipError_t error = get_count(count);
    printf("[profiler: hipGetDeviceCount %s] ", error_name(error));
    return error;
}

static hipError_t wrapped_allocate(void **pointer, size_t size)
{
    printf("[profiler: hipMalloc %zu] ", size);
    get_count(&(int){0}); /* another function's original */
    return allocate(pointer, size);
}

static hipError_t wrapped_get_last(void)
{
    printf("[profiler: hipGetLastError] ");
    return get_last();
}

static const char *wrapped_error_name(hipError_t error)
{
    printf("[profiler: hipGetErrorName] ");
    return error_name(error);
}

static int wrapped_stream_device(hipStream_t stream)
{
    printf("[profiler: hipGetStreamDeviceId] ");
    return stream_device(stream);
}

/* The function at a place, which another takes. */
static void wrap(void *table, size_t place, void *original, const void *wrapper)
{
    memcpy(original, (char *)table + place, sizeof(void *));
    memcpy((char *)table + place, wrapper, sizeof(void *));
}

static _Atomic(int) calls;

static hipError_t counted_get_count(int *count)
{
    calls++;
    return get_count(count);
}

__attribute__((destructor)) static void tell_calls(void)
{
    if (calls)
        printf("[profiler: %d calls]\n", calls);
}

static hipError_t get_count_once(int *count)
{
    const void *ignored;
    printf("[profiler: once] ");
    wrap(hip_table, GET_COUNT, &ignored, &get_count);
    return get_count(count);
}

static void wrap_functions(void *table)
{
    hipError_t (*count)(int *) = wrapped_get_count;
    hipError_t (*malloc_)(void **, size_t) = wrapped_allocate;
    hipError_t (*last)(void) = wrapped_get_last;
    const char *(*name)(hipError_t) = wrapped_error_name;
    int (*device)(hipStream_t) = wrapped_stream_device;
    wrap(table, STREAM_DEVICE, &stream_device, &device);
    wrap(table, GET_COUNT, &get_count, &count);
    wrap(table, ALLOCATE, &allocate, &malloc_);
    wrap(table, GET_LAST, &get_last, &last);
    wrap(table, ERROR_NAME, &error_name, &name);
}

/* What becomes of the table. */
static void change(void *table, int how)
{
    static const void *const none;
    hipError_t (*counted)(int *) = counted_get_count, (*taken_out)(int *) = get_count_once;
    const void *ignored;
    hip_table = table;
    if (how == WRAP)
        wrap_functions(table);
    else if (how == REMOVE)
        wrap(table, ALLOCATE, &ignored, &none);
    else if (how == COUNT_CALLS)
        wrap(table, GET_COUNT, &get_count, &counted);
    else if (how == TAKE_OUT)
        wrap(table, GET_COUNT, &get_count, &taken_out);
}

#ifndef NO_TABLES
__attribute__((visibility("default"))) int
rocprofiler_register_library_api_table(const char *name, uint32_t (*import)(void), uint32_t version,
                                       void **tables, uint64_t count, uint64_t *out_id);

int rocprofiler_register_library_api_table(const char *name, uint32_t (*import)(void),
                                           uint32_t version, void **tables, uint64_t count,
                                           uint64_t *out_id)
{
    size_t size = *(size_t *)tables[0];
    bool is_hip = strcmp(name, "hip") == 0;
    printf("[%s %u %u %zu of %zu bytes]\n", name, (unsigned)version, (unsigned)import(),
           (size_t)count, size);
    *out_id = 1;
    if (size != (is_hip ? TABLE_SIZE : COMPILER_TABLE_SIZE))
        return 3;
    if (is_hip)
        change(tables[0], number("PROFILER_WRAPS", WRAP));
    if (is_hip && number("PROFILER_CALLS", 0)) {
        int devices;
        printf("[count: %d]\n", (int)hipGetDeviceCount(&devices));
    }
    return number("PROFILER_ANSWER", 0);
}
#endif
