/* Scratch is memory with an address, which is in the resource descriptor that kernels start with;
 * every way to access it accesses the same bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "amdgpu_wave.h"
#include "kernel.h"

enum { GROUPS = 20, ITEMS = 128, WAVE_BYTES = 64 * 112 };

static const char *const models[] = {"gfx900", "gfx90a"};

struct item {
    uint64_t address;
    uint32_t by_aperture, by_address;
};

static void every_way_to_access_scratch_finds_the_same_bytes(void **state)
{
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        struct code *code = code_open("stack", models[m]);
        struct run run = {.grid = {GROUPS * ITEMS}, .group = {ITEMS}};
        struct sim_memory *memory = device_memory(GROUPS * ITEMS * sizeof(struct item));
        assert_int_equal(
            run_kernel(code, "ways", &run, &memory->address, sizeof memory->address).kind,
            AMDGPU_END_OK);
        const struct item *items = (const struct item *)(const void *)memory->view;
        for (uint32_t i = 0; i < GROUPS * ITEMS; i++) {
            uint64_t group = items[i - i % ITEMS].address;
            assert_int_equal(items[i].by_aperture, i % ITEMS);
            assert_int_equal(items[i].by_address, i % ITEMS + 1);
            assert_true(items[i].address - sim_space.base < sim_space.device_size);
            assert_int_equal(items[i].address, group + i % ITEMS / 64 * WAVE_BYTES);
        }
        sim_memory_destroy(memory);
        code_close(code);
    }
}

static void accesses_beyond_scratch_are_faults(void **state)
{
    (void)state;
    char report[4096];
    for (size_t m = 0; m < 2; m++) {
        struct code *code = code_open("stack", models[m]);
        struct sim_memory *memory = device_memory(64);
        struct run run = {.grid = {64}, .group = {64}};
        struct capture capture = capture_begin();
        struct amdgpu_end end =
            run_kernel(code, "beyond", &run, &memory->address, sizeof memory->address);
        capture_end(capture, report, sizeof report);
        assert_int_equal(end.kind, AMDGPU_END_MEMORY);
        assert_non_null(strstr(report, "local memory of a block"));
        sim_memory_destroy(memory);
        code_close(code);
    }
}

static void memory_of_scratch_is_freed(void **state)
{
    (void)state;
    struct code *code = code_open("stack", "gfx90a");
    struct run run = {.grid = {GROUPS * ITEMS}, .group = {ITEMS}};
    struct sim_memory *memory = device_memory(GROUPS * ITEMS * sizeof(struct item));
    size_t used = sim_memory_used(0);
    for (int i = 0; i < 10; i++)
        run_kernel(code, "ways", &run, &memory->address, sizeof memory->address);
    assert_int_equal(sim_memory_used(0), used);
    sim_memory_destroy(memory);
    code_close(code);
}

static void a_queue_keeps_scratch_of_recent_sizes(void **state)
{
    (void)state;
    size_t used = sim_memory_used(0);
    struct amdgpu_scratch_pool *kept = amdgpu_scratch_pool_create();
    struct sim_memory *first = amdgpu_scratch_pool_acquire(kept, 0, 4096);
    struct sim_memory *second = amdgpu_scratch_pool_acquire(kept, 0, 4096);
    assert_true(first && second && first != second);
    amdgpu_scratch_pool_release(kept, first);
    assert_ptr_not_equal(amdgpu_scratch_pool_acquire(kept, 0, 8192), first);
    assert_ptr_equal(amdgpu_scratch_pool_acquire(kept, 0, 4096), first);
    amdgpu_scratch_pool_release(kept, second);
    for (size_t size = 1 << 12; size < 1 << 20; size += 1 << 12) /* more sizes than a queue keeps */
        amdgpu_scratch_pool_release(kept, amdgpu_scratch_pool_acquire(kept, 0, size));
    assert_true(sim_memory_used(0) - used < 70 << 20);
    amdgpu_scratch_pool_release(kept, first);
    amdgpu_scratch_pool_release(kept, NULL);
    assert_null(amdgpu_scratch_pool_acquire(kept, 0, (size_t)1 << 40));
    amdgpu_scratch_pool_destroy(kept);
    assert_int_equal(sim_memory_used(0), used + 8192);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_access_scratch_finds_the_same_bytes),
        cmocka_unit_test(accesses_beyond_scratch_are_faults),
        cmocka_unit_test(memory_of_scratch_is_freed),
        cmocka_unit_test(a_queue_keeps_scratch_of_recent_sizes),
    };
    return cmocka_run_group_tests(tests, space_open, space_close);
}
