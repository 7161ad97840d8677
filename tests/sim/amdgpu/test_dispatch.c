/* The initial state of kernels, and how they end: whole kernels in C (dispatch_code.c) for every
 * instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernel.h"
#include "log.h"

static const char *const models[] = {"gfx90a", "gfx1100", "gfx900",  "gfx906",
                                     "gfx908", "gfx942",  "gfx1010", "gfx1030"};
enum { MODELS = sizeof models / sizeof *models };
static struct code *codes[MODELS];

#define EACH(code) for (struct code **code = codes; code < codes + MODELS; code++)

static int open_all(void **state)
{
    if (space_open(state))
        return -1;
    for (unsigned i = 0; i < MODELS; i++)
        codes[i] = code_open("dispatch", models[i]);
    return 0;
}

static int close_all(void **state)
{
    EACH(code)
    code_close(*code);
    return space_close(state);
}

/* Arguments: a pointer and a number. */
struct arguments {
    uint64_t pointer;
    uint32_t number;
};

static struct amdgpu_end run_with(struct code *code, const char *kernel, const struct run *run,
                                  uint64_t pointer, uint32_t number)
{
    struct arguments arguments = {pointer, number};
    return run_kernel(code, kernel, run, &arguments, sizeof arguments);
}

static void run_well(struct code *code, const char *kernel, const struct run *run,
                     const struct sim_memory *memory, uint32_t number)
{
    struct amdgpu_end end = run_with(code, kernel, run, memory->address, number);
    if (end.kind != AMDGPU_END_OK)
        fail_msg("%s on %s: end %d", kernel, code->device.model.name, end.kind);
}

static struct amdgpu_end run_badly(struct code *code, const char *kernel, const struct run *run,
                                   uint64_t pointer, uint32_t number, char *report, size_t size)
{
    struct capture capture = capture_begin();
    struct amdgpu_end end = run_with(code, kernel, run, pointer, number);
    capture_end(capture, report, size);
    return end;
}

/* ---- who is who --------------------------------------------------------------------------- */

static void check_ids(struct code *code, const uint32_t grid[3], const uint32_t group[3])
{
    struct run run = {.grid = {grid[0], grid[1], grid[2]}, .group = {group[0], group[1], group[2]}};
    size_t count = (size_t)grid[0] * grid[1] * grid[2];
    struct sim_memory *memory = device_memory(count * 16);
    run_well(code, "ids", &run, memory, 0);
    for (uint32_t z = 0; z < grid[2]; z++)
        for (uint32_t y = 0; y < grid[1]; y++)
            for (uint32_t x = 0; x < grid[0]; x++) {
                uint32_t at[3] = {x, y, z}, item[3], in[3], left, size[3], got[4];
                for (unsigned i = 0; i < 3; i++) {
                    item[i] = at[i] % group[i];
                    in[i] = at[i] / group[i];
                    left = grid[i] - in[i] * group[i];
                    size[i] = left < group[i] ? left : group[i];
                }
                memcpy(got, memory->view + 16 * (x + (size_t)grid[0] * (y + grid[1] * z)), 16);
                assert_int_equal(got[0], item[0] | item[1] << 10 | item[2] << 20);
                assert_int_equal(got[1], in[0] | in[1] << 10 | in[2] << 20);
                assert_int_equal(got[2], 1);
                uint32_t flat = item[0] + size[0] * (item[1] + size[1] * item[2]);
                unsigned lanes = code->device.model.lanes;
                assert_int_equal(got[3], flat % lanes); /* lanes before it, all alive */
            }
    sim_memory_destroy(memory);
}

static void each_work_item_has_its_ids(void **state)
{
    (void)state;
    EACH(code)
    {
        check_ids(*code, (uint32_t[]){1, 1, 1}, (uint32_t[]){1, 1, 1});
        check_ids(*code, (uint32_t[]){256, 1, 1}, (uint32_t[]){128, 1, 1});
        check_ids(*code, (uint32_t[]){16, 8, 4}, (uint32_t[]){8, 4, 2});
        check_ids(*code, (uint32_t[]){1024, 1, 1}, (uint32_t[]){1024, 1, 1});
        check_ids(*code, (uint32_t[]){2, 2, 512}, (uint32_t[]){1, 2, 512});
    }
}

static void groups_at_the_end_of_the_grid_are_smaller(void **state)
{
    (void)state;
    EACH(code)
    {
        check_ids(*code, (uint32_t[]){100, 1, 1}, (uint32_t[]){64, 1, 1});
        check_ids(*code, (uint32_t[]){5, 1, 1}, (uint32_t[]){64, 1, 1});
        check_ids(*code, (uint32_t[]){19, 7, 5}, (uint32_t[]){8, 4, 3});
        check_ids(*code, (uint32_t[]){33, 9, 1}, (uint32_t[]){32, 8, 1});
    }
}

/* Not even if its grid is the largest there is, which would take minutes group by group. */
static void a_kernel_without_instructions_takes_no_time(void **state)
{
    (void)state;
    EACH(code)
    {
        struct amdgpu_end end = run_with(
            *code, "nothing", &(struct run){.grid = {UINT32_MAX, 4, 1}, .group = {1, 1, 1}}, 0, 0);
        assert_int_equal(end.kind, AMDGPU_END_OK);
    }
}

/* gfx908 has them in a register file of their own, of which the descriptor of a kernel says
 * nothing. */
static void matrices_are_multiplied_in_accumulation_registers(void **state)
{
    static const char *const having[] = {"gfx908", "gfx90a", "gfx942"};
    unsigned seen = 0;
    (void)state;
    EACH(code)
    for (unsigned i = 0; i < sizeof having / sizeof *having; i++) {
        if (strcmp((*code)->device.model.name, having[i]) != 0)
            continue;
        struct run run = {.grid = {64, 1, 1}, .group = {64, 1, 1}};
        struct sim_memory *memory = device_memory(64 * 4 * sizeof(float));
        run_well(*code, "product", &run, memory, 0);
        for (unsigned lane = 0; lane < 64; lane++)
            for (unsigned j = 0; j < 4; j++) {
                float got;
                memcpy(&got, memory->view + (lane * 4 + j) * sizeof got, sizeof got);
                assert_true(got == (float)(4 * (lane % 16) + 96)); /* (0 + 1 + 2 + 3) * 16 */
            }
        sim_memory_destroy(memory);
        seen++;
    }
    assert_int_equal(seen, sizeof having / sizeof *having);
}

static void a_kernel_may_use_every_register(void **state)
{
    (void)state;
    EACH(code)
    {
        struct run run = {.grid = {64, 1, 1}, .group = {64, 1, 1}};
        struct sim_memory *memory = device_memory(64 * 4);
        run_well(*code, "wide", &run, memory, 0);
        for (uint32_t i = 0; i < 64; i++) {
            uint32_t got;
            memcpy(&got, memory->view + (size_t)i * 4, 4);
            assert_int_equal(got, i + 1);
        }
        sim_memory_destroy(memory);
    }
}

static void kernels_of_one_dimension_run_in_one(void **state)
{
    (void)state;
    EACH(code)
    {
        struct run run = {.grid = {1000}, .group = {96}};
        struct sim_memory *memory = device_memory(4000);
        run_well(*code, "line", &run, memory, 0);
        const uint32_t *out = (const uint32_t *)(const void *)memory->view;
        for (uint32_t i = 0; i < 1000; i++)
            assert_int_equal(out[i], i % 96 + i / 96 * 1000);
        sim_memory_destroy(memory);
    }
}

static unsigned long executed(const char *report, const char *wave)
{
    const char *at = strstr(report, wave);
    assert_non_null(at);
    return strtoul(at + strlen(wave), NULL, 10);
}

static void the_log_has_the_number_of_instructions_of_each_wave(void **state)
{
    (void)state;
    EACH(code)
    {
        struct run run = {.grid = {3}, .group = {1}};
        struct sim_memory *memory = device_memory(12);
        char report[2000];
        struct amdgpu_end end;
        ah_log_configure(
            &(struct ah_log_settings){AH_LOG_EXTRA, AH_LOG_KERN, NULL, AH_LOG_DEFAULT_SIZE_MIB});
        struct capture capture = capture_begin();
        end = run_with(*code, "counts", &run, memory->address, 100);
        capture_end(capture, report, sizeof report);
        ah_log_configure(&(struct ah_log_settings){0, 0, NULL, AH_LOG_DEFAULT_SIZE_MIB});
        assert_int_equal(end.kind, AMDGPU_END_OK);
        unsigned long n[3] = {executed(report, "counts: wave 0 of block 0 has executed "),
                              executed(report, "counts: wave 0 of block 1 has executed "),
                              executed(report, "counts: wave 0 of block 2 has executed ")};
        /* block n goes round 100 n times more than the first */
        assert_true(n[0] > 3 && n[1] > n[0] + 100);
        assert_int_equal(n[2] - n[1], n[1] - n[0]);
        sim_memory_destroy(memory);
    }
}

static void kernels_find_queue_and_packet(void **state)
{
    (void)state;
    EACH(code)
    {
        struct run run = {.grid = {1}};
        struct sim_memory *memory = device_memory(64);
        run_well(*code, "queues", &run, memory, 0);
        uint64_t out[2];
        memcpy(out, memory->view, sizeof out);
        assert_true(out[0] == 0x1234567890);
        assert_true(out[1] != 0 && out[1] != memory->address);
        sim_memory_destroy(memory);
    }
}

static void arguments_may_be_preloaded(void **state)
{
    (void)state;
    EACH(code)
    {
        struct run run = {.grid = {70}, .group = {64}};
        struct sim_memory *memory = device_memory(4096);
        struct {
            uint64_t out, a;
            uint32_t b, c;
        } arguments = {memory->address, 5, 6, 7};
        assert_int_equal(run_kernel(*code, "preloaded", &run, &arguments, sizeof arguments).kind,
                         AMDGPU_END_OK);
        const uint32_t *out = (const uint32_t *)(const void *)memory->view;
        for (unsigned i = 0; i < 70; i++)
            assert_int_equal(out[i], 765);
        sim_memory_destroy(memory);
    }
}

/* ---- what LDS begins with ---------------------------------------------------------------- */

static void a_group_finds_what_the_one_before_it_left_in_lds(void **state)
{
    (void)state;
    sim_run_stop();
    sim_run_configure(&(struct sim_run_settings){.threads = 1});
    EACH(code)
    {
        struct run run = {.grid = {192}, .group = {64}};
        struct sim_memory *memory = device_memory(192 * 4);
        run_well(*code, "leaves", &run, memory, 0);
        const uint32_t *out = (const uint32_t *)(const void *)memory->view;
        for (unsigned i = 0; i < 192; i++)
            assert_int_equal(out[i], i < 64 ? 0xfff8dead : i / 64);
        sim_memory_destroy(memory);
    }
    sim_run_stop();
    sim_run_configure(&(struct sim_run_settings){0});
}

/* ---- groups at work -------------------------------------------------------------------------- */

static void work_items_wait_at_barriers(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 32, 33, 64, 100, 256, 1000, 1024};
    EACH(code)
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        uint32_t size = sizes[k];
        struct run run = {.grid = {size * 5}, .group = {size}};
        struct sim_memory *memory = device_memory((size_t)size * 20);
        uint32_t *data = (uint32_t *)(void *)memory->view;
        for (uint32_t i = 0; i < size * 5; i++)
            data[i] = i * 10;
        run_well(*code, "reverse", &run, memory, size);
        for (uint32_t i = 0; i < size * 5; i++)
            assert_int_equal(data[i], (i / size * size + (size - 1 - i % size)) * 10 + 3);
        sim_memory_destroy(memory);
    }
}

static void a_grid_does_not_wait_for_groups_that_have_ended(void **state)
{
    (void)state;
    enum { GROUPS = 5 };
    struct {
        uint32_t groups, leaves;
        unsigned char hidden[256];
    } arguments = {.groups = GROUPS};
    EACH(code)
    for (arguments.leaves = 0; arguments.leaves <= GROUPS; arguments.leaves++) {
        char report[4096];
        struct run run = {.grid = {GROUPS}, .group = {1}, .cooperative = true};
        struct sim_memory *place = device_memory(64), *workspace = device_memory(64);
        memcpy(arguments.hidden + 88, &place->address, 8);
        memcpy(place->view + 48, &workspace->address, 8);
        struct capture capture = capture_begin();
        struct amdgpu_end end =
            run_kernel(*code, "meets_as_a_grid", &run, &arguments, sizeof arguments);
        capture_end(capture, report, sizeof report);
        assert_int_equal(end.kind, arguments.leaves < GROUPS ? AMDGPU_END_HUNG : AMDGPU_END_OK);
        if (arguments.leaves < GROUPS)
            assert_contains(report, "blocks wait at the grid's barrier, and 1 of its 5");
        sim_memory_destroy(place);
        sim_memory_destroy(workspace);
    }
}

static void waves_that_have_ended_are_not_waited_for(void **state)
{
    (void)state;
    EACH(code)
    for (uint32_t stay = 40; stay <= 512; stay += 59) {
        struct run run = {.grid = {512}, .group = {512}};
        struct sim_memory *memory = device_memory(2048);
        run_well(*code, "some_leave", &run, memory, stay);
        const uint32_t *out = (const uint32_t *)(const void *)memory->view;
        for (uint32_t i = 0; i < 512; i++)
            assert_int_equal(out[i], i < stay ? stay - 1 - i : 0);
        sim_memory_destroy(memory);
    }
}

static void private_memory_is_each_work_items_own(void **state)
{
    (void)state;
    EACH(code)
    {
        struct run run = {.grid = {200}, .group = {128}};
        struct sim_memory *memory = device_memory(800);
        run_well(*code, "scratch", &run, memory, 11);
        const uint32_t *out = (const uint32_t *)(const void *)memory->view;
        for (uint32_t me = 0; me < 200; me++) {
            uint32_t mine[64], sum = 0;
            for (uint32_t i = 0; i < 64; i++)
                mine[i * 11 % 64] = me * 100 + i;
            for (uint32_t i = 0; i < 64; i++)
                sum = sum * 3 + mine[(i * 7 + me) % 64];
            assert_int_equal(out[me], sum);
        }
        sim_memory_destroy(memory);
    }
}

static void functions_have_a_stack(void **state)
{
    (void)state;
    static const uint32_t fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    EACH(code)
    {
        struct run run = {.grid = {100}, .group = {50}, .scratch = 4096};
        struct sim_memory *memory = device_memory(400);
        run_well(*code, "recursion", &run, memory, 0);
        const uint32_t *out = (const uint32_t *)(const void *)memory->view;
        for (uint32_t i = 0; i < 100; i++)
            assert_int_equal(out[i], fibonacci[i % 12]);
        sim_memory_destroy(memory);
    }
}

static void functions_are_called_by_pointers(void **state)
{
    (void)state;
    EACH(code)
    {
        struct run run = {.grid = {100}, .group = {50}, .scratch = 1024};
        struct sim_memory *memory = device_memory(400);
        run_well(*code, "pointers", &run, memory, 1);
        const uint32_t *out = (const uint32_t *)(const void *)memory->view;
        for (uint32_t i = 0; i < 100; i++)
            assert_int_equal(out[i], i < 50 ? i * i : 2 * i);
        sim_memory_destroy(memory);
    }
}

static void a_kernel_may_have_many_registers(void **state)
{
    (void)state;
    EACH(code)
    {
        enum { ITEMS = 70, VALUES = 150 };
        struct run run = {.grid = {ITEMS}, .group = {ITEMS}};
        struct sim_memory *memory = device_memory(ITEMS * VALUES * 4);
        float *data = (float *)(void *)memory->view;
        float expected[ITEMS] = {0};
        for (unsigned i = 0; i < ITEMS * VALUES; i++)
            data[i] = (float)(i % 17);
        for (unsigned me = 0; me < ITEMS; me++)
            for (unsigned i = 0; i < VALUES; i++)
                expected[me] += data[me * VALUES + i] * data[me * VALUES + (i * 77 + 13) % VALUES];
        run_well(*code, "many_registers", &run, memory, 0);
        for (unsigned me = 0; me < ITEMS; me++)
            assert_true(data[me * VALUES] == expected[me]); /* whole numbers: exact */
        sim_memory_destroy(memory);
    }
}

/* More groups than threads, which wait for each other. */
static void groups_wait_for_each_other(void **state)
{
    (void)state;
    EACH(code)
    {
        struct run run = {.grid = {64 * 100}, .group = {64}, .cooperative = true};
        struct sim_memory *memory = device_memory(64);
        run_well(*code, "meets", &run, memory, 100);
        assert_int_equal(memory->view[0], 100);
        memory->view[0] = 0;
        run_well(*code, "meets_busily", &run, memory, 100);
        assert_int_equal(memory->view[0], 100);
        sim_memory_destroy(memory);
    }
}

static void groups_take_turns_at_a_lock(void **state)
{
    (void)state;
    EACH(code)
    {
        struct run run = {.grid = {64 * 40}, .group = {64}};
        struct sim_memory *memory = device_memory(64);
        run_well(*code, "locks", &run, memory, 50);
        uint32_t out[2];
        memcpy(out, memory->view, sizeof out);
        assert_int_equal(out[0], 0);
        assert_int_equal(out[1], 2000);
        sim_memory_destroy(memory);
    }
}

static void dynamic_lds_is_what_the_packet_says(void **state)
{
    (void)state;
    char report[4096];
    EACH(code)
    {
        struct run run = {.grid = {1}, .lds = 4096};
        struct sim_memory *memory = device_memory(64);
        run_well(*code, "dynamic", &run, memory, 1023);
        assert_int_equal(memory->view[0], 5);
        struct amdgpu_end end =
            run_badly(*code, "dynamic", &run, memory->address, 1024, report, sizeof report);
        assert_int_equal(end.kind, AMDGPU_END_SHARED);
        assert_contains(report, "offset 4096 of the block's 4096 bytes of shared memory");
        sim_memory_destroy(memory);
    }
}

/* ---- what goes wrong ---------------------------------------------------------------------- */

static void an_abort_is_reported_with_its_line(void **state)
{
    (void)state;
    char report[4096];
    EACH(code)
    {
        struct run run = {.grid = {128}, .group = {64}};
        struct sim_memory *memory = device_memory(64);
        struct amdgpu_end end =
            run_badly(*code, "aborts", &run, memory->address, 0, report, sizeof report);
        assert_int_equal(end.kind, AMDGPU_END_TRAP);
        assert_int_equal(end.trap, 2);
        assert_contains(report, "kernel aborts: aborts (trap 2)");
        assert_contains(report, "dispatch_code.c:");
        assert_contains(report, "block (1,0,0)");
        sim_memory_destroy(memory);
    }
}

/* "(dispatch_code.c:12)", for the line of that file that has text. */
static void find_line(const char *text, char *out, size_t size)
{
    char line[200];
    unsigned number = 1;
    FILE *file = fopen(SOURCE_FOLDER "/dispatch_code.c", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) && !strstr(line, text))
        number++;
    fclose(file);
    snprintf(out, size, "(dispatch_code.c:%u)", number);
}

static void a_write_out_of_bounds_is_reported(void **state)
{
    (void)state;
    char report[4096], line[100];
    find_line("the line that is written", line, sizeof line);
    EACH(code)
    {
        struct run run = {.grid = {512}, .group = {256}};
        struct sim_memory *memory = device_memory(100);
        uint64_t address = memory->address + 100;
        struct amdgpu_end end =
            run_badly(*code, "writes", &run, address, 67, report, sizeof report);
        assert_int_equal(end.kind, AMDGPU_END_MEMORY);
        assert_true(end.address == address);
        assert_contains(report, "kernel writes: ");
        assert_contains(report, "at writes+0x");
        assert_contains(report, "global_store");
        assert_contains(report, line);
        assert_contains(report, "thread (67,0,0)");
        assert_contains(report, "at the end of the 100-byte allocation");
        sim_memory_destroy(memory);
    }
}

static void one_failure_is_reported_for_each_dispatch(void **state)
{
    (void)state;
    char report[16384];
    struct run run = {.grid = {64 * 1000}, .group = {64}};
    run_badly(codes[0], "writes", &run, 8, 0, report, sizeof report);
    const char *first = strstr(report, "kernel writes");
    assert_non_null(first);
    assert_null(strstr(first + 1, "kernel writes"));
}

static void a_kernel_that_waits_indefinitely_can_be_cancelled(void **state)
{
    (void)state;
    EACH(code)
    {
        struct run run = {.grid = {64 * 10}, .group = {64}, .cancel_ms = 20};
        struct sim_memory *memory = device_memory(64);
        struct amdgpu_end end = run_with(*code, "spins", &run, memory->address, 0);
        assert_int_equal(end.kind, AMDGPU_END_CANCELLED);
        sim_memory_destroy(memory);
    }
}

static void packets_that_ask_too_much_are_refused(void **state)
{
    (void)state;
    static const struct {
        struct run run;
        enum amdgpu_end_kind kind;
        const char *why;
    } cases[] = {
        {{.grid = {2048}, .group = {1025}}, AMDGPU_END_PACKET, "1025 threads"},
        {{.grid = {64, 64, 64}, .group = {64, 64, 2}}, AMDGPU_END_PACKET, "8192 threads"},
        {{.grid = {64}, .group = {64}, .lds = 65537},
         AMDGPU_END_PACKET,
         "65537 bytes of shared memory"},
        {{.grid = {64}, .group = {64}, .scratch = 1 << 20},
         AMDGPU_END_NO_MEMORY,
         "1048576 bytes of local memory"},
        {{.grid = {1u << 30}, .group = {64}, .cooperative = true},
         AMDGPU_END_PACKET,
         "cooperative"},
    };
    char report[4096];
    EACH(code)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct amdgpu_end end =
            run_badly(*code, "line", &cases[i].run, 0, 0, report, sizeof report);
        assert_int_equal(end.kind, cases[i].kind);
        assert_contains(report, cases[i].why);
    }
}

static void kernel_objects_that_are_none_are_refused(void **state)
{
    (void)state;
    char report[4096];
    struct sim_memory *memory = device_memory(4096);
    struct run run = {.grid = {64}, .group = {64}};
    const uint64_t objects[] = {0, 64, memory->address + 4064, UINT64_MAX - 10};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        struct capture capture = capture_begin();
        struct amdgpu_end end = run_at(codes[0], objects[i], &run, "", 0);
        capture_end(capture, report, sizeof report);
        assert_int_equal(end.kind, AMDGPU_END_PACKET);
        assert_contains(report, "is not in memory that the device can read");
    }
    memcpy(memory->view + 16, &(int64_t){1 << 20}, 8); /* a descriptor whose code is nowhere */
    struct capture capture = capture_begin();
    struct amdgpu_end end = run_at(codes[0], memory->address, &run, "", 0);
    capture_end(capture, report, sizeof report);
    assert_int_equal(end.kind, AMDGPU_END_PACKET);
    assert_contains(report, "its first instruction, at 0x");
    sim_memory_destroy(memory);
}

/* A generator of its own, for reproducible runs. */
static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) ^ (uint32_t)(*state >> 12);
}

/* Kernels with some bits changed, and kernels of random bytes: they end in some way. */
static void code_that_is_damaged_does_no_harm(void **state)
{
    (void)state;
    static const char *const kernels[] = {"ids", "reverse", "scratch", "pointers", "locks"};
    enum { ROUNDS = 60, CODE = 1024 };
    char report[4096];
    uint64_t random = 1;
    EACH(code)
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t descriptor = code_kernel(*code, kernels[round % 5]);
        unsigned char *view = (*code)->memory->view - (*code)->memory->address + descriptor;
        struct sim_memory *copy = device_memory(4096), *out = device_memory(65536);
        int64_t offset, own = 256;
        memcpy(&offset, view + 16, 8);
        memcpy(copy->view, view, 64);
        memcpy(copy->view + 16, &own, 8);
        memcpy(copy->view + own, view + offset, CODE);
        for (unsigned i = 0; i < CODE; i += 4)
            if (round >= ROUNDS / 2)
                memcpy(copy->view + own + i, &(uint32_t){next_random(&random)}, 4);
        for (unsigned i = 0; i < 8; i++)
            copy->view[own + next_random(&random) % CODE] ^= 1 << next_random(&random) % 8;
        struct run run = {.grid = {192}, .group = {96}, .lds = 4096, .scratch = 1024};
        struct arguments arguments = {out->address, 96};
        struct capture capture = capture_begin();
        run.cancel_ms = 4;
        run_at(*code, copy->address, &run, &arguments, sizeof arguments);
        capture_end(capture, report, sizeof report);
        amdgpu_code_discard(copy->address, copy->size);
        sim_memory_destroy(copy);
        sim_memory_destroy(out);
    }
}

/* ---- models, names and lines -------------------------------------------------------------- */

static void every_model_is_found_by_its_name(void **state)
{
    (void)state;
    const struct amdgpu_model *model;
    size_t count = 0;
    for (; (model = amdgpu_model_at(count)); count++) {
        assert_ptr_equal(amdgpu_model(model->name), model);
        assert_string_equal(model->name, amdgpu_isa_name(model->isa));
    }
    assert_int_equal(count, AMDGPU_ISA_COUNT);
    assert_null(amdgpu_model("gfx9000"));
}

static void names_are_found_by_address(void **state)
{
    (void)state;
    char name[100], line[100];
    EACH(code)
    {
        uint64_t descriptor = code_kernel(*code, "writes");
        int64_t offset;
        memcpy(&offset, (*code)->memory->view + (descriptor - (*code)->memory->address) + 16, 8);
        uint64_t entry = descriptor + (uint64_t)offset;
        amdgpu_symbols_name(entry, name, sizeof name);
        assert_string_equal(name, "writes");
        amdgpu_symbols_name(entry + 4, name, sizeof name);
        assert_string_equal(name, "writes+0x4");
        amdgpu_symbols_line(entry, line, sizeof line);
        assert_int_equal(strncmp(line, "dispatch_code.c:", 16), 0);
        amdgpu_symbols_name(8, name, sizeof name);
        assert_string_equal(name, "");
        amdgpu_symbols_line(8, line, sizeof line);
        assert_string_equal(line, "");
    }
}

#ifdef __SANITIZE_THREAD__ /* one thread reads them, at a fiftieth of its speed */
enum { STEP_OF_DAMAGE = 31 };
#else
enum { STEP_OF_DAMAGE = 1 };
#endif

/* Each byte of the file is changed in turn, and the file cut off: names may be wrong, but nothing
 * crashes. */
static void damaged_files_have_no_names(void **state)
{
    (void)state;
    char name[100], line[200];
    struct code *code = codes[1];
    unsigned char *elf = malloc(code->size);
    for (size_t i = 0; i < code->size; i += i < 4096 ? STEP_OF_DAMAGE : 13 * STEP_OF_DAMAGE) {
        memcpy(elf, code->elf, code->size);
        elf[i] ^= (unsigned char)(0x80 >> i % 8 | (i % 3 ? 0x41 : 0));
        struct amdgpu_symbols *symbols = amdgpu_symbols_add(elf, code->size, 0x1000, 0x10000);
        for (uint64_t address = 0x1000; address < 0x11000; address += 0x1404) {
            amdgpu_symbols_name(address, name, sizeof name);
            amdgpu_symbols_line(address, line, sizeof line);
        }
        amdgpu_symbols_remove(symbols);
    }
    for (size_t size = 0; size < code->size; size += 97) {
        unsigned char *cut = malloc(size ? size : 1);
        memcpy(cut, code->elf, size);
        struct amdgpu_symbols *symbols = amdgpu_symbols_add(cut, size, 0x1000, 0x10000);
        amdgpu_symbols_name(0x5400, name, sizeof name);
        amdgpu_symbols_line(0x5400, line, sizeof line);
        assert_string_equal(name, ""); /* the table of sections is at the file's end */
        amdgpu_symbols_remove(symbols);
        free(cut);
    }
    free(elf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_work_item_has_its_ids),
        cmocka_unit_test(groups_at_the_end_of_the_grid_are_smaller),
        cmocka_unit_test(a_kernel_without_instructions_takes_no_time),
        cmocka_unit_test(matrices_are_multiplied_in_accumulation_registers),
        cmocka_unit_test(a_kernel_may_use_every_register),
        cmocka_unit_test(kernels_of_one_dimension_run_in_one),
        cmocka_unit_test(the_log_has_the_number_of_instructions_of_each_wave),
        cmocka_unit_test(kernels_find_queue_and_packet),
        cmocka_unit_test(arguments_may_be_preloaded),
        cmocka_unit_test(a_group_finds_what_the_one_before_it_left_in_lds),
        cmocka_unit_test(work_items_wait_at_barriers),
        cmocka_unit_test(a_grid_does_not_wait_for_groups_that_have_ended),
        cmocka_unit_test(waves_that_have_ended_are_not_waited_for),
        cmocka_unit_test(private_memory_is_each_work_items_own),
        cmocka_unit_test(functions_have_a_stack),
        cmocka_unit_test(functions_are_called_by_pointers),
        cmocka_unit_test(a_kernel_may_have_many_registers),
        cmocka_unit_test(groups_wait_for_each_other),
        cmocka_unit_test(groups_take_turns_at_a_lock),
        cmocka_unit_test(dynamic_lds_is_what_the_packet_says),
        cmocka_unit_test(an_abort_is_reported_with_its_line),
        cmocka_unit_test(a_write_out_of_bounds_is_reported),
        cmocka_unit_test(one_failure_is_reported_for_each_dispatch),
        cmocka_unit_test(a_kernel_that_waits_indefinitely_can_be_cancelled),
        cmocka_unit_test(packets_that_ask_too_much_are_refused),
        cmocka_unit_test(kernel_objects_that_are_none_are_refused),
        cmocka_unit_test(code_that_is_damaged_does_no_harm),
        cmocka_unit_test(every_model_is_found_by_its_name),
        cmocka_unit_test(names_are_found_by_address),
        cmocka_unit_test(damaged_files_have_no_names),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
