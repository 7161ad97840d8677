/* Memory and signals that processes share. */
#include "simhsa_test.h"

#include <pthread.h>

enum { SIZE = 100000 };

/* Two processes, each with its own runtime: this one exports, the child attaches. */
static int to_child[2], to_parent[2];

static void take(void)
{
    hsa_amd_ipc_memory_t handle, wrong;
    char go;
    void *memory = NULL, *again = NULL;
    child_check(start_with("gfx90a,gfx1100") == 0);
    child_check(read(to_child[0], &handle, sizeof handle) == (ssize_t)sizeof handle);
    child_check(rt.hsa_amd_ipc_memory_attach(&handle, SIZE + 1, 0, NULL, &memory) ==
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
    memset(&wrong, 0x5a, sizeof wrong);
    child_check(rt.hsa_amd_ipc_memory_attach(&wrong, SIZE, 0, NULL, &memory) ==
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
    child_check(rt.hsa_amd_ipc_memory_attach(&handle, SIZE, 1, here.gpus, &memory) == 0);
    child_check(rt.hsa_amd_ipc_memory_attach(&handle, SIZE, 1, here.gpus, &again) == 0);
    child_check(memory == again);
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    child_check(rt.hsa_amd_pointer_info(memory, &info, NULL, NULL, NULL) == 0);
    child_check(info.type == HSA_EXT_POINTER_TYPE_IPC && info.sizeInBytes == SIZE);
    static unsigned char bytes[SIZE];
    child_check(rt.hsa_memory_copy(bytes, memory, SIZE) == 0);
    for (int i = 0; i < SIZE; i++)
        child_check(bytes[i] == 0x21);
    child_check(rt.hsa_amd_memory_fill(memory, 0x22222222, SIZE / 4) == 0);
    child_check(write(to_parent[1], "x", 1) == 1);
    child_check(read(to_child[0], &go, 1) == 1);
    child_check(rt.hsa_memory_copy(bytes, memory, 1) == 0 && bytes[0] == 0x23);
    child_check(rt.hsa_amd_ipc_memory_detach(memory) == 0);
    child_check(rt.hsa_memory_copy(bytes, memory, 1) == 0);
    child_check(rt.hsa_amd_ipc_memory_detach(memory) == 0);
    child_check(rt.hsa_memory_copy(bytes, memory, 1) != 0);
    child_check(rt.hsa_amd_ipc_memory_detach(memory) == HSA_STATUS_ERROR_INVALID_ARGUMENT);
    child_check(rt.hsa_shut_down() == 0);
}

static void two_processes_see_the_same_memory(void **state)
{
    hsa_amd_ipc_memory_t handle;
    char come;
    int status;
    (void)state;
    assert_int_equal(pipe(to_child), 0);
    assert_int_equal(pipe(to_parent), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(to_child[1]);
        take();
        exit(EXIT_SUCCESS);
    }
    assert_int_equal(start_with("gfx90a,gfx1100"), 0);
    void *memory = allocate(here.memory, SIZE);
    ok(rt.hsa_amd_memory_fill(memory, 0x21212121, SIZE / 4));
    ok(rt.hsa_amd_ipc_memory_create(memory, SIZE, &handle));
    assert_true(all_bytes(memory, SIZE, 0x21));
    assert_int_equal(write(to_child[1], &handle, sizeof handle), sizeof handle);
    close(to_parent[1]);
    assert_int_equal(read(to_parent[0], &come, 1), 1);
    assert_true(all_bytes(memory, SIZE, 0x22));
    ok(rt.hsa_amd_memory_fill(memory, 0x23232323, SIZE / 4));
    assert_int_equal(write(to_child[1], "x", 1), 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    ok(rt.hsa_amd_memory_pool_free(memory));
}

/* The first test has started the runtime. */
static void only_memory_of_devices_is_shared(void **state)
{
    hsa_amd_ipc_memory_t handle;
    int file = -1;
    uint64_t offset = 0;
    (void)state;
    void *host = allocate(here.fine, 4096);
    char *memory = allocate(here.memory, 8192);
    expect(rt.hsa_amd_ipc_memory_create(host, 4096, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_amd_ipc_memory_create(memory + 1, 100, &handle),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_amd_ipc_memory_create(memory, 100, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_amd_ipc_memory_create(NULL, 100, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_amd_memory_fill(memory, 0x33333333, 2048));
    ok(rt.hsa_amd_portable_export_dmabuf(memory + 4096, 4096, &file, &offset));
    assert_int_equal(offset, 4096); /* it is of the whole allocation */
    size_t size = 0;
    void *mapped = NULL;
    uint32_t word = 0;
    ok(rt.hsa_amd_interop_map_buffer(1, &here.gpus[0], file, 0, &size, &mapped, NULL, NULL));
    assert_int_equal(size, 8192);
    ok(rt.hsa_memory_copy(&word, (char *)mapped + offset, sizeof word));
    assert_int_equal(word, 0x33333333);
    ok(rt.hsa_amd_interop_unmap_buffer(mapped));
    expect(rt.hsa_amd_interop_unmap_buffer(mapped), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_amd_interop_map_buffer(1, &here.gpus[0], 0, 0, &size, &mapped, NULL, NULL),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_amd_portable_close_dmabuf(file));
    expect(rt.hsa_amd_portable_close_dmabuf(file), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_amd_portable_export_dmabuf(host, 4096, &file, &offset),
           HSA_STATUS_ERROR_INVALID_AGENT);
    ok(rt.hsa_amd_memory_pool_free(host));
    ok(rt.hsa_amd_memory_pool_free(memory));
}

static void *set_flag(void *flag)
{
    usleep(50000);
    __atomic_store_n((uint32_t *)flag, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* A kernel that ran while its memory is moved would write to the old pages. */
static void memory_moves_between_kernels(void **state)
{
    hsa_queue_t *queue;
    hsa_amd_ipc_memory_t handle;
    pthread_t thread;
    (void)state;
    hsa_executable_t executable = load_kernels(here.gpus[0], "gfx90a");
    hsa_signal_t done = new_signal(1);
    volatile uint32_t *flag = allocate(here.fine, 4096);
    void **arguments = allocate(here.kernarg, 64), *memory = allocate(here.memory, 8192);
    *flag = 0;
    *arguments = (void *)(uintptr_t)flag;
    ok(rt.hsa_queue_create(here.gpus[0], 64, 0, NULL, NULL, 0, 0, &queue));
    dispatch(queue, kernel_of(executable, here.gpus[0], "await.kd"), 1, arguments, done);
    usleep(10000);
    assert_int_equal(pthread_create(&thread, NULL, set_flag, (void *)(uintptr_t)flag), 0);
    ok(rt.hsa_amd_ipc_memory_create(memory, 8192, &handle));
    assert_int_equal(__atomic_load_n(flag, __ATOMIC_ACQUIRE), 1);
    assert_true(wait_for(done));
    rt.hsa_signal_store_relaxed(done, 1);
    dispatch(queue, kernel_of(executable, here.gpus[0], "await.kd"), 1, arguments, done);
    assert_true(wait_for(done)); /* kernels run again */
    pthread_join(thread, NULL);
    ok(rt.hsa_queue_destroy(queue));
    ok(rt.hsa_executable_destroy(executable));
    ok(rt.hsa_signal_destroy(done));
    ok(rt.hsa_amd_memory_pool_free((void *)(uintptr_t)flag));
    ok(rt.hsa_amd_memory_pool_free(arguments));
    ok(rt.hsa_amd_memory_pool_free(memory));
}

static hsa_signal_t new_shared_signal(hsa_signal_value_t value)
{
    hsa_signal_t signal = {0};
    ok(rt.hsa_amd_signal_create(value, 0, NULL, HSA_AMD_SIGNAL_IPC, &signal));
    return signal;
}

static void *count_down(void *signal)
{
    rt.hsa_signal_subtract_screlease(*(hsa_signal_t *)signal, 1);
    return NULL;
}

static void a_signal_can_be_attached_several_times(void **state)
{
    hsa_amd_ipc_signal_t handle;
    hsa_signal_t signal = new_shared_signal(3), first = {0}, second = {0};
    pthread_t thread;
    (void)state;
    ok(rt.hsa_amd_ipc_signal_create(signal, &handle));
    ok(rt.hsa_amd_ipc_signal_attach(&handle, &first));
    ok(rt.hsa_amd_ipc_signal_attach(&handle, &second));
    assert_true(first.handle != second.handle && first.handle != signal.handle);
    rt.hsa_signal_store_screlease(second, 1);
    assert_int_equal(rt.hsa_signal_load_scacquire(signal), 1);
    ok(rt.hsa_signal_destroy(signal)); /* other attachments keep the signal */
    expect(rt.hsa_signal_destroy(signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
    expect(rt.hsa_amd_ipc_signal_attach(&handle, &signal), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    assert_int_equal(pthread_create(&thread, NULL, count_down, &first), 0);
    assert_true(wait_for(second));
    pthread_join(thread, NULL);
    ok(rt.hsa_signal_destroy(first));
    ok(rt.hsa_signal_destroy(second));
}

static void only_signals_made_for_it_are_shared(void **state)
{
    hsa_amd_ipc_signal_t handle;
    hsa_amd_ipc_memory_t of_memory;
    hsa_signal_t signal = new_signal(0), shared = new_shared_signal(0), attached;
    (void)state;
    expect(rt.hsa_amd_ipc_signal_create(signal, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_signal_destroy(signal));
    expect(rt.hsa_amd_ipc_signal_create(signal, &handle), HSA_STATUS_ERROR_INVALID_SIGNAL);
    void *memory = allocate(here.memory, 4096);
    ok(rt.hsa_amd_ipc_memory_create(memory, 4096, &of_memory));
    expect(rt.hsa_amd_ipc_signal_attach(&of_memory, &attached), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_amd_ipc_signal_create(shared, &handle));
    ok(rt.hsa_signal_destroy(shared));
    ok(rt.hsa_amd_memory_pool_free(memory));
}

/* Exactly 1024 can be shared at once; destroying one makes room for another. */
static void at_most_1024_signals_are_shared(void **state)
{
    enum { MOST = 1024 };
    static hsa_signal_t signals[MOST];
    hsa_signal_t more = {0};
    (void)state;
    for (int i = 0; i < MOST; i++)
        signals[i] = new_shared_signal(i);
    expect(rt.hsa_amd_signal_create(0, 0, NULL, HSA_AMD_SIGNAL_IPC, &more),
           HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    ok(rt.hsa_signal_destroy(signals[7]));
    signals[7] = new_shared_signal(7);
    for (int i = 0; i < MOST; i++) {
        assert_int_equal(rt.hsa_signal_load_relaxed(signals[i]), i);
        ok(rt.hsa_signal_destroy(signals[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_processes_see_the_same_memory),
        cmocka_unit_test(only_memory_of_devices_is_shared),
        cmocka_unit_test(memory_moves_between_kernels),
        cmocka_unit_test(a_signal_can_be_attached_several_times),
        cmocka_unit_test(only_signals_made_for_it_are_shared),
        cmocka_unit_test(at_most_1024_signals_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
