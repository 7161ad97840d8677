/* Tests memory while threads allocate, register and map, and others read and write. */
#include "space.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 2000 };

static _Atomic(bool) stop;
static _Atomic(uint64_t) shared_address; /* of an allocation that is made and freed repeatedly */
static _Atomic(int) failures;

static void expect(bool good)
{
    if (!good)
        atomic_fetch_add(&failures, 1);
}

/* Accesses memory like a kernel, unsynchronised with other threads. */
__attribute__((no_sanitize("thread"))) static void touch(unsigned char *at)
{
    if (at)
        *(volatile unsigned char *)at = (unsigned char)(*(volatile unsigned char *)at + 1);
}

static void *read_always(void *data)
{
    (void)data;
    while (!atomic_load(&stop)) {
        uint64_t address = atomic_load(&shared_address);
        for (uint64_t at = 0; at < 4096; at += 128)
            touch(sim_translate(0, address + at, 4, true));
        char text[200];
        sim_memory_describe(address, text, sizeof text);
        expect(text[0] != '\0');
    }
    return NULL;
}

static void *allocate(void *data)
{
    uint64_t seed = (uintptr_t)data;
    for (int i = 0; i < ROUNDS; i++) {
        size_t size = 1 + ah_test_random(&seed) % (i % 50 ? 3000 : 3 * MIB);
        struct sim_memory *memory = sim_memory_create(SIM_MEMORY_HEAP, 0, size, 0);
        expect(memory != NULL);
        if (!memory)
            break;
        atomic_store(&shared_address, memory->address);
        expect(sim_translate(0, memory->address + size - 1, 1, true) != NULL);
        expect(sim_translate(0, memory->address + size, 1, true) == NULL);
        expect(sim_translate_range(0, memory->address, size, true) == memory->view);
        expect(sim_memory_find(memory->address) == memory);
        sim_memory_destroy(memory);
    }
    return NULL;
}

static void *register_own(void *data)
{
    static unsigned char bytes[THREADS][4096];
    unsigned char *own = bytes[(uintptr_t)data % THREADS];
    for (int i = 0; i < ROUNDS; i++) {
        struct sim_memory *memory = sim_memory_register(own, sizeof *bytes);
        expect(memory != NULL);
        expect(sim_translate(0, (uintptr_t)own, 8, true) == own);
        expect(sim_translate(1, (uintptr_t)own + 4088, 8, false) == own + 4088);
        expect(sim_translate(1, (uintptr_t)own + 4092, 8, false) == NULL);
        sim_memory_destroy(memory);
        expect(sim_translate(0, (uintptr_t)own, 8, true) == NULL);
    }
    return NULL;
}

/* Registers and unregisters memory below and above memory that stays registered. */
static void *register_around(void *data)
{
    unsigned char *bytes = data;
    for (int i = 0; i < 20 * ROUNDS; i++) {
        struct sim_memory *below = sim_memory_register(bytes, 100);
        struct sim_memory *above = sim_memory_register(bytes + 3000, 100);
        expect(below && above);
        sim_memory_destroy(below);
        sim_memory_destroy(above);
    }
    atomic_store(&stop, true);
    return NULL;
}

static void *map_own(void *data)
{
    (void)data;
    int file = sim_physical_create(0, 65536, 0);
    uint64_t address = sim_address_reserve(65536, 0, 0);
    for (int i = 0; i < ROUNDS; i++) {
        struct sim_memory *memory = sim_memory_map(address, 65536, file, 0, 0);
        expect(memory && sim_translate(0, address, 8, true) == NULL);
        if (!memory)
            break;
        sim_memory_set_access(memory, 0, SIM_ACCESS_READ);
        atomic_store(&shared_address, address);
        expect(sim_translate(0, address, 8, false) == memory->view);
        expect(sim_translate(0, address, 8, true) == NULL);
        sim_memory_set_access(memory, 0, SIM_ACCESS_READ_WRITE);
        expect(sim_translate(0, address, 8, true) == memory->view);
        sim_memory_destroy(memory);
    }
    expect(sim_address_free(address, 65536));
    sim_physical_close(0, 65536, file);
    return NULL;
}

static void *fork_often(void *data)
{
    (void)data;
    for (int i = 0; i < 100; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            struct sim_memory *memory = sim_memory_create(SIM_MEMORY_DEVICE, 1, 100, 0);
            sim_memory_destroy(memory);
            _exit(memory == NULL);
        }
        expect(waitpid(child, &status, 0) == child && status == 0);
    }
    atomic_store(&stop, true);
    return NULL;
}

/* Runs count threads of a kind while others read. */
static void run(void *(*work)(void *), uintptr_t count)
{
    pthread_t readers[2], workers[THREADS];
    atomic_store(&stop, false);
    atomic_store(&failures, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&readers[i], NULL, read_always, NULL);
    for (uintptr_t i = 0; i < count; i++)
        pthread_create(&workers[i], NULL, work, (void *)(i + 1));
    for (uintptr_t i = 0; i < count; i++)
        pthread_join(workers[i], NULL);
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++)
        pthread_join(readers[i], NULL);
    assert_int_equal(atomic_load(&failures), 0);
}

static void threads_allocate_while_others_access(void **state)
{
    (void)state;
    run(allocate, THREADS);
    assert_int_equal(sim_memory_used(0), 0);
}

static void threads_register_while_others_access(void **state)
{
    (void)state;
    run(register_own, THREADS);
}

static void memory_that_stays_registered_is_always_accessible(void **state)
{
    (void)state;
    static unsigned char bytes[4096];
    pthread_t other;
    for (int i = 0; i < 50; i++)
        assert_non_null(sim_memory_register(bytes + 200 + i * 50, 40));
    atomic_store(&stop, false);
    atomic_store(&failures, 0);
    pthread_create(&other, NULL, register_around, bytes);
    for (unsigned i = 0; !atomic_load(&stop); i++) {
        unsigned char *at = bytes + 200 + i % 50 * 50;
        expect(sim_translate(0, (uintptr_t)at + 32, 8, true) == at + 32);
        expect(sim_translate(0, (uintptr_t)at + 40, 1, true) == NULL);
    }
    pthread_join(other, NULL);
    assert_int_equal(atomic_load(&failures), 0);
}

static void threads_map_while_others_access(void **state)
{
    (void)state;
    run(map_own, THREADS);
    assert_int_equal(sim_memory_used(0), 0);
}

static void a_child_finds_no_lock_held(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    return; /* it does not support threads of a child process */
#endif
    pthread_t forker;
    atomic_store(&stop, false);
    atomic_store(&failures, 0);
    pthread_create(&forker, NULL, fork_often, NULL);
    while (!atomic_load(&stop))
        allocate((void *)7);
    pthread_join(forker, NULL);
    assert_int_equal(atomic_load(&failures), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPACE_TEST(threads_allocate_while_others_access),
        SPACE_TEST(threads_register_while_others_access),
        SPACE_TEST(memory_that_stays_registered_is_always_accessible),
        SPACE_TEST(threads_map_while_others_access),
        SPACE_TEST(a_child_finds_no_lock_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
