/* The library in a program that is not linked with it: opened and closed again, and twice at once.
 */
#include "support.h"

#include <hip/hip_runtime_api.h>

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct library {
    void *handle;
    __typeof__(hipMalloc) *malloc;
    __typeof__(hipFree) *free;
    __typeof__(hipMemset) *memset;
    __typeof__(hipMemcpy) *memcpy;
    __typeof__(hipStreamCreate) *stream_create;
    __typeof__(hipStreamDestroy) *stream_destroy;
    __typeof__(hipLaunchHostFunc) *launch_host_function;
    __typeof__(hipStreamSynchronize) *stream_synchronize;
    __typeof__(hipSetDevice) *set_device;
    __typeof__(hipGetLastError) *get_last_error;
};

static bool find_all(struct library *l)
{
#define FIND(field, name) (*(void **)&l->field = dlsym(l->handle, name))
    return l->handle && FIND(malloc, "hipMalloc") && FIND(free, "hipFree") &&
           FIND(memset, "hipMemset") && FIND(memcpy, "hipMemcpy") &&
           FIND(stream_create, "hipStreamCreate") && FIND(stream_destroy, "hipStreamDestroy") &&
           FIND(launch_host_function, "hipLaunchHostFunc") &&
           FIND(stream_synchronize, "hipStreamSynchronize") && FIND(set_device, "hipSetDevice") &&
           FIND(get_last_error, "hipGetLastError");
#undef FIND
}

static void count_call(void *count)
{
    ++*(int *)count;
}

/* Memory, a stream, and a thread of the library's. */
static bool works(const struct library *l)
{
    hipStream_t stream;
    void *memory;
    unsigned char byte = 0;
    int calls = 0;
    return l->malloc(&memory, 4096) == hipSuccess && l->memset(memory, 7, 4096) == hipSuccess &&
           l->memcpy(&byte, memory, 1, hipMemcpyDeviceToHost) == hipSuccess && byte == 7 &&
           l->stream_create(&stream) == hipSuccess &&
           l->launch_host_function(stream, count_call, &calls) == hipSuccess &&
           l->stream_synchronize(stream) == hipSuccess && calls == 1 &&
           l->stream_destroy(stream) == hipSuccess && l->free(memory) == hipSuccess;
}

/* The library's file, or a copy of it in the test's folder with the drivers beside it. */
static const char *library_copy(void)
{
    size_t size;
    char folder[PATH_MAX], *bytes = ah_test_read_file(AH_TEST_LIBRARY, &size);
    snprintf(folder, sizeof folder, "%s", AH_TEST_LIBRARY);
    dirname(folder);
    const char *drivers[] = {"libsimcuda.so.1", "libsimhsa.so.1"};
    for (int i = 0; i < 2; i++)
        (void)symlink(ah_test_print("%s/%s", folder, drivers[i]), ah_test_path(drivers[i]));
    return ah_test_write_file("libcopy.so", bytes, size);
}

/* Runs body in a process of its own; it returns whether all was well, and an alarm ends a hang. */
static void in_a_child(bool (*body)(const char *copy), const char *copy)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(100);
        exit(body(copy) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static bool open_use_and_close(const char *copy)
{
    (void)copy;
    for (int i = 0; i < 3; i++) {
        struct library l = {.handle = dlopen(AH_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL)};
        if (!find_all(&l) || !works(&l) || dlclose(l.handle) != 0)
            return false;
    }
    pid_t child = fork(); /* the library's handler is still there */
    if (child == 0)
        _exit(0);
    int status;
    return waitpid(child, &status, 0) == child && status == 0;
}

static void the_library_may_be_closed_and_opened_again(void **state)
{
    (void)state;
    in_a_child(open_use_and_close, NULL);
}

/* Both have the devices; the current device, the last error and handles are each one's own. */
static bool use_both(struct library *a, struct library *b)
{
    hipStream_t stream;
    if (!find_all(a) || !find_all(b) || a->malloc == b->malloc || !works(a) || !works(b))
        return false;
    if (a->set_device(-1) != hipErrorInvalidDevice || b->get_last_error() != hipSuccess ||
        a->get_last_error() != hipErrorInvalidDevice)
        return false;
    if (a->stream_create(&stream) != hipSuccess || b->stream_destroy(stream) == hipSuccess ||
        a->stream_destroy(stream) != hipSuccess)
        return false;
    return works(a) && works(b) && dlclose(a->handle) == 0 && works(b);
}

static bool use_a_copied_file(const char *copy)
{
    struct library a = {.handle = dlopen(copy, RTLD_NOW | RTLD_LOCAL)};
    struct library b = {.handle = dlopen(AH_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL)};
    return use_both(&a, &b);
}

static void a_copied_file_is_a_library_beside_the_other(void **state)
{
    (void)state;
    in_a_child(use_a_copied_file, library_copy());
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* which do without dlmopen */
static bool use_another_namespace(const char *copy)
{
    (void)copy;
    struct library a = {.handle = dlmopen(LM_ID_NEWLM, AH_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL)};
    struct library b = {.handle = dlopen(AH_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL)};
    if (!a.handle)
        fprintf(stderr, "%s\n", dlerror());
    return use_both(&a, &b);
}

static void another_namespace_has_a_library_of_its_own(void **state)
{
    (void)state;
    in_a_child(use_another_namespace, NULL);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(the_library_may_be_closed_and_opened_again),
        AH_TEST(a_copied_file_is_a_library_beside_the_other),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        AH_TEST(another_namespace_has_a_library_of_its_own),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
