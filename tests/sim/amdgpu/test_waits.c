/* The check of waits: kernels (waits_code.S) that use registers before loads have written them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernel.h"

static struct code *codes[2];

static int open_all(void **state)
{
    setenv("ANYHIP_SIM_CHECK", "sync", 1);
    if (space_open(state))
        return -1;
    codes[0] = code_open("waits", "gfx90a");
    codes[1] = code_open("waits", "gfx1100");
    return 0;
}

static int close_all(void **state)
{
    code_close(codes[0]);
    code_close(codes[1]);
    return space_close(state);
}

#define EACH(code) for (struct code **code = codes; code < codes + 2; code++)

static struct amdgpu_end try(struct code *code, const char *kernel, char *report, size_t size)
{
    struct sim_memory *memory = device_memory(4096);
    struct run run = {.grid = {1}, .lds = 64};
    struct capture capture = capture_begin();
    struct amdgpu_end end =
        run_kernel(code, kernel, &run, &memory->address, sizeof memory->address);
    capture_end(capture, report, size);
    sim_memory_destroy(memory);
    return end;
}

static void code_that_waits_is_accepted(void **state)
{
    static const char *const kernels[] = {"load_waits",   "first_of_two", "loaded_again",
                                          "scalar_waits", "lds_in_order", "flat_memory",
                                          "around"};
    (void)state;
    EACH(code)
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char report[4096];
        if (try(*code, kernels[i], report, sizeof report).kind != AMDGPU_END_OK)
            fail_msg("%s on %s: %s", kernels[i], (*code)->device.model.name, report);
    }
}

static void missing_waits_are_reported(void **state)
{
    static const struct {
        const char *kernel, *reg, *counter;
    } cases[] = {
        {"load_does_not", "uses v1,", "vmcnt"},
        {"second_of_two", "uses v2,", "vmcnt"},
        {"overwritten", "uses v3,", "vmcnt"},
        {"stored", "uses v1,", "vmcnt"},
        {"scalar_does_not", "uses s6,", "lgkmcnt"},
        {"lds_does_not", "uses v2,", "lgkmcnt"},
        {"scalar_waits_for_one", "uses s6,", "lgkmcnt"},
        {"flat_lds", "uses v6,", "lgkmcnt"},
    };
    (void)state;
    EACH(code)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char report[4096];
        struct amdgpu_end end = try(*code, cases[i].kernel, report, sizeof report);
        assert_int_equal(end.kind, AMDGPU_END_CHECK);
        assert_contains(report, cases[i].kernel);
        assert_contains(report, cases[i].reg);
        assert_contains(report, cases[i].counter);
    }
}

static void stores_count_with_loads_on_gfx9_alone(void **state)
{
    (void)state;
    char report[4096];
    assert_int_equal(try(codes[0], "load_and_store", report, sizeof report).kind, AMDGPU_END_OK);
    assert_int_equal(try(codes[1], "load_and_store", report, sizeof report).kind, AMDGPU_END_CHECK);
    assert_contains(report, "uses v1,");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_that_waits_is_accepted),
        cmocka_unit_test(missing_waits_are_reported),
        cmocka_unit_test(stores_count_with_loads_on_gfx9_alone),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
