/* Memory of another process: when the map of allocations knows it, and when the runtime has it
 * back. */
#include "work.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 8192 };

/* ---- the other process ------------------------------------------------------------------ */

static hipIpcMemHandle_t handle;
static int owner_end;
static pid_t owner;

/* Sends the handle of its memory, and keeps it until the other end is closed. */
static void own_memory(int end)
{
    void *memory;
    char byte;
    if (open_two_devices(NULL) != 0 ||
        OPS->memory_alloc(first, SIZE, hipDeviceMallocDefault, &memory) != hipSuccess ||
        OPS->ipc_export_memory(first, memory, &handle) != hipSuccess ||
        write(end, &handle, sizeof handle) != sizeof handle || read(end, &byte, 1) != 0)
        _exit(EXIT_FAILURE);
    _exit(EXIT_SUCCESS);
}

/* Before this process has threads. */
static int start_owner(void)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return -1;
    owner = fork();
    if (owner == 0) {
        close(ends[0]);
        own_memory(ends[1]);
    }
    close(ends[1]);
    owner_end = ends[0];
    return read(owner_end, &handle, sizeof handle) == sizeof handle ? 0 : -1;
}

static int open_devices_after_the_owner(void **state)
{
    return start_owner() == 0 ? open_two_devices(state) : -1;
}

static int end_owner_and_close_devices(void **state)
{
    int status = -1;
    close(owner_end);
    if (waitpid(owner, &status, 0) != owner || status != 0)
        return -1;
    return close_devices(state);
}

/* ---- opening and closing ---------------------------------------------------------------- */

static void *open_memory(void)
{
    void *pointer;
    ok(OPS->ipc_import_memory(first, &handle, hipIpcMemLazyEnablePeerAccess, &pointer));
    return pointer;
}

static bool is_known(const void *pointer)
{
    struct ah_pointer_info info;
    OPS->pointer_info(first, pointer, &info);
    return info.kind == AH_MEMORY_DEVICE && info.base == pointer && info.size >= SIZE;
}

static unsigned opened(void)
{
    struct fakehsa_counts counts;
    fakehsa_count(&counts);
    return counts.opened;
}

struct seen {
    const void *pointer;
    bool called, known;
};

static void look(void *data)
{
    struct seen *seen = data;
    seen->called = true;
    seen->known = is_known(seen->pointer);
}

/* From then on the runtime may give the address to another thread. */
static void closed_memory_is_forgotten_before_the_runtime_has_it_back(void **state)
{
    void *pointer = open_memory();
    struct seen seen = {.pointer = pointer};
    (void)state;
    assert_true(is_known(pointer));
    fakehsa()->hook("hsa_amd_ipc_memory_detach", look, &seen);
    ok(OPS->ipc_close_memory(first, pointer));
    assert_true(seen.called);
    assert_false(seen.known);
    assert_int_equal(opened(), 0);
}

static void memory_is_known_until_it_is_closed_as_often_as_it_was_opened(void **state)
{
    void *pointer = open_memory();
    (void)state;
    assert_ptr_equal(open_memory(), pointer);
    ok(OPS->ipc_close_memory(first, pointer));
    assert_true(is_known(pointer));
    ok(OPS->ipc_close_memory(first, pointer));
    assert_false(is_known(pointer));
    assert_int_equal(OPS->ipc_close_memory(first, pointer), hipErrorInvalidValue);
}

static void memory_that_the_runtime_does_not_take_back_stays_open(void **state)
{
    enum { OUT_OF_RESOURCES = 0x1008 };
    void *pointer = open_memory();
    (void)state;
    for (int times = 1; times <= 2; times++) {
        fakehsa_fail("hsa_amd_ipc_memory_detach", 1, OUT_OF_RESOURCES);
        assert_int_not_equal(OPS->ipc_close_memory(first, pointer), hipSuccess);
        assert_true(is_known(pointer));
        if (times == 1)
            assert_ptr_equal(open_memory(), pointer);
    }
    ok(OPS->ipc_close_memory(first, pointer));
    assert_true(is_known(pointer));
    ok(OPS->ipc_close_memory(first, pointer));
    assert_int_equal(opened(), 0);
}

static void a_reset_closes_memory_as_often_as_it_was_opened(void **state)
{
    void *pointer = open_memory();
    (void)state;
    assert_ptr_equal(open_memory(), pointer);
    assert_int_equal(opened(), 1);
    ok(OPS->device_reset(first));
    assert_int_equal(opened(), 0);
}

static void *open_and_close(void *data)
{
    enum { TIMES = 300 };
    unsigned *unknown = data;
    for (int i = 0; i < TIMES; i++) {
        void *pointer = NULL;
        if (OPS->ipc_import_memory(first, &handle, hipIpcMemLazyEnablePeerAccess, &pointer) !=
                hipSuccess ||
            !is_known(pointer) || OPS->ipc_close_memory(first, pointer) != hipSuccess)
            ++*unknown;
    }
    return NULL;
}

static void threads_open_and_close_the_same_memory(void **state)
{
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    unsigned unknown[THREADS] = {0};
    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, open_and_close, &unknown[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(unknown[i], 0);
    }
    assert_int_equal(opened(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_memory_is_forgotten_before_the_runtime_has_it_back),
        cmocka_unit_test(memory_is_known_until_it_is_closed_as_often_as_it_was_opened),
        cmocka_unit_test(memory_that_the_runtime_does_not_take_back_stays_open),
        cmocka_unit_test(a_reset_closes_memory_as_often_as_it_was_opened),
        cmocka_unit_test(threads_open_and_close_the_same_memory),
    };
    return cmocka_run_group_tests_name("backend_hsa.ipc", tests, open_devices_after_the_owner,
                                       end_owner_and_close_devices);
}
