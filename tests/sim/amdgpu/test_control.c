/* Branches, calls, pages of code, hardware registers, messages and traps, on gfx90a and gfx1100;
 * kernels are in control_code.S. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernel.h"

static struct code *codes[2];
enum { RESULTS = 8 };

static int open_all(void **state)
{
    if (space_open(state))
        return -1;
    codes[0] = code_open("control", "gfx90a");
    codes[1] = code_open("control", "gfx1100");
    return 0;
}

static int close_all(void **state)
{
    code_close(codes[0]);
    code_close(codes[1]);
    return space_close(state);
}

/* Runs one work-item of a kernel that stores its results. */
static struct amdgpu_end try(struct code *code, const char *kernel, uint32_t out[RESULTS])
{
    struct sim_memory *memory = device_memory(4096);
    struct run run = {.grid = {1}};
    struct amdgpu_end end =
        run_kernel(code, kernel, &run, &memory->address, sizeof memory->address);
    memcpy(out, memory->view, RESULTS * 4);
    sim_memory_destroy(memory);
    return end;
}

static void run_stored(struct code *code, const char *kernel, uint32_t out[RESULTS])
{
    assert_int_equal(try(code, kernel, out).kind, AMDGPU_END_OK);
}

/* A kernel that fails, and a part of its report. */
static struct amdgpu_end try_failing(struct code *code, const char *kernel, char *report,
                                     size_t size)
{
    uint32_t out[RESULTS];
    struct capture capture = capture_begin();
    struct amdgpu_end end = try(code, kernel, out);
    capture_end(capture, report, size);
    assert_contains(report, kernel);
    return end;
}

#define EACH(code) for (struct code **code = codes; code < codes + 2; code++)

static void a_branch_backwards_makes_a_loop(void **state)
{
    (void)state;
    uint32_t out[RESULTS];
    EACH(code)
    {
        run_stored(*code, "loop", out);
        assert_int_equal(out[0], 55);
    }
}

static void branches_are_taken_when_their_condition_holds(void **state)
{
    (void)state;
    uint32_t out[RESULTS];
    EACH(code)
    {
        run_stored(*code, "branches", out);
        /* scc 1, scc 0, vccz, vccnz, execnz, execz, always */
        uint32_t taken = 1u << 1 | 1u << 2 | 1u << 4 | 1u << 7 | 1u << 9 | 1u << 10 | 1u << 16;
        assert_int_equal(out[0], taken);
        assert_int_equal(out[1], ~taken & 0x1ffff);
        assert_int_equal(out[2], 0);
    }
}

static void functions_are_called_and_return(void **state)
{
    (void)state;
    uint32_t out[RESULTS];
    EACH(code)
    {
        run_stored(*code, "calls", out);
        assert_int_equal(out[0], 45);
    }
}

static void code_continues_beyond_the_end_of_a_page(void **state)
{
    (void)state;
    uint32_t out[RESULTS];
    EACH(code)
    {
        run_stored(*code, "pages", out);
        assert_int_equal(out[0], 4);
        assert_int_equal(out[1], 0x12345678);
        assert_int_equal(out[2], 3);
    }
}

static void registers_may_be_indexed_by_m0(void **state)
{
    (void)state;
    uint32_t out[RESULTS];
    EACH(code)
    {
        run_stored(*code, "relative", out);
        assert_int_equal(out[0], 0x32);
        assert_int_equal(out[1], 0); /* s0, which was subtracted */
        assert_int_equal(out[2], 0x31);
        assert_int_equal(out[3], 0x32);
        assert_int_equal(out[4], 0x77);
        assert_int_equal(out[6], 0x30);
        assert_int_equal(out[7], 0x31);
    }
}

static void m0_may_index_source_and_destination(void **state)
{
    (void)state;
    uint32_t out[RESULTS];
    run_stored(codes[1], "relative_both", out);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 0x32); /* s30 + 2 to s16 + 1 */
    assert_int_equal(out[2], 0);    /* no such source: s0, which was subtracted */
    assert_int_equal(out[3], 0x30);
}

static void waves_of_32_have_no_lanes_in_the_upper_half_of_exec(void **state)
{
    (void)state;
    uint32_t out[RESULTS];
    run_stored(codes[1], "upper_exec", out);
    assert_int_equal(out[0], 0x3f);
    assert_int_equal(out[1], UINT32_MAX);
}

static void hints_change_nothing(void **state)
{
    (void)state;
    uint32_t out[RESULTS];
    EACH(code)
    {
        run_stored(*code, "hints", out);
        assert_int_equal(out[0], 2); /* SCC was set both times */
        assert_int_equal(out[1], 0);
        assert_int_equal(out[4] | out[5], 0);
    }
}

static void waves_wait_at_a_barrier(void **state)
{
    (void)state;
    EACH(code)
    {
        struct sim_memory *memory = device_memory(4096);
        struct run run = {.grid = {128}, .group = {128}, .lds = 512};
        assert_int_equal(
            run_kernel(*code, "meeting", &run, &memory->address, sizeof memory->address).kind,
            AMDGPU_END_OK);
        for (unsigned i = 0; i < 128; i++) {
            uint32_t got;
            memcpy(&got, memory->view + 4 * i, 4);
            assert_int_equal(got, 2 * (127 - i));
        }
        sim_memory_destroy(memory);
    }
}

/* The word that a kernel of a grid of groups stores at its argument; others: the number of other
 * groups. */
static struct amdgpu_end meet(struct code *code, const char *kernel, const struct run *run,
                              uint32_t others, uint32_t *out, size_t size)
{
    struct sim_memory *memory = device_memory(4096);
    uint64_t arguments[2] = {memory->address, others};
    struct amdgpu_end end = run_kernel(code, kernel, run, arguments, sizeof arguments);
    memcpy(out, memory->view, size);
    sim_memory_destroy(memory);
    return end;
}

static void groups_of_a_cooperative_launch_meet(void **state)
{
    (void)state;
    enum { GROUPS = 70 };
    const struct run run = {.grid = {GROUPS * 128}, .group = {128}, .cooperative = true};
    const struct run alone = {.grid = {128}, .group = {128}, .cooperative = true};
    uint32_t out[GROUPS * 4];
    EACH(code)
    {
        assert_int_equal(meet(*code, "all_meet", &run, GROUPS - 1, out, sizeof out).kind,
                         AMDGPU_END_OK);
        for (unsigned i = 0; i < GROUPS * 3; i++)
            assert_int_equal(out[GROUPS + i], i / GROUPS * 1000 + GROUPS - 1 - i % GROUPS);
        assert_int_equal(meet(*code, "all_meet", &alone, 0, out, sizeof out).kind, AMDGPU_END_OK);
        assert_int_equal(out[3], 2000);
    }
}

static void the_count_of_a_barrier_can_be_initialised(void **state)
{
    (void)state;
    uint32_t out[128];
    EACH(code)
    {
        uint32_t items = code == codes ? 128 : 64; /* two waves */
        struct run run = {.grid = {items}, .group = {items}, .lds = 8, .cooperative = true};
        assert_int_equal(meet(*code, "initialised", &run, 0, out, sizeof out).kind, AMDGPU_END_OK);
        for (unsigned i = 0; i < items; i++)
            assert_int_equal(out[i], 42);
    }
}

static void a_barrier_that_groups_cannot_complete_is_reported(void **state)
{
    (void)state;
    char report[4096];
    uint32_t out[8];
    EACH(code)
    for (unsigned cooperative = 0; cooperative < 2; cooperative++) {
        struct run run = {.grid = {256}, .group = {128}, .cooperative = cooperative};
        struct capture capture = capture_begin();
        struct amdgpu_end end =
            meet(*code, "all_meet", &run, cooperative ? 1000 : 1, out, sizeof out);
        capture_end(capture, report, sizeof report);
        assert_int_equal(end.kind, AMDGPU_END_HUNG);
        assert_contains(report, cooperative ? "waits for more waves than the grid has"
                                            : "resident only in a cooperative launch");
        assert_contains(report, "ds_gws_barrier v8 offset:3 gds");
    }
}

static void groups_that_have_ended_are_not_waited_for(void **state)
{
    (void)state;
    char report[4096];
    uint32_t out[8];
    EACH(code)
    {
        struct run run = {.grid = {4}, .group = {1}, .cooperative = true};
        struct capture capture = capture_begin();
        struct amdgpu_end end = meet(*code, "some_meet", &run, 3, out, sizeof out);
        capture_end(capture, report, sizeof report);
        assert_int_equal(end.kind, AMDGPU_END_HUNG);
        assert_contains(report, "wait at the grid's barrier, and 1 of its 4 blocks have ended");
    }
}

static void mode_is_read_and_written_in_parts(void **state)
{
    (void)state;
    uint32_t out[RESULTS];
    EACH(code)
    {
        run_stored(*code, "modes", out);
        assert_int_equal(out[0] & 0xff, 0xc0); /* denormals of 16 and 64 bits, as by default */
        assert_int_equal(out[1], 0xc);
        assert_int_equal(out[2], 0xc5);
        assert_int_equal(out[3], 0xa5);
        assert_int_equal(out[4], 0xc3);
        assert_int_equal(out[5], 1); /* SCC */
    }
}

static void vector_registers_may_be_indexed_by_m0(void **state)
{
    (void)state;
    uint32_t out[RESULTS];
    run_stored(codes[0], "indexed", out);
    assert_int_equal(out[0], 33); /* v1 + 2 */
    assert_int_equal(out[1], 11); /* v5 + 2 */
    assert_int_equal(out[2], 50); /* no such register: v0 */
    assert_int_equal(out[3], 11); /* off again */
}

static void clocks_advance(void **state)
{
    (void)state;
    uint32_t out[RESULTS];
    uint64_t before = amdgpu_clock();
    run_stored(codes[1], "clock", out);
    uint64_t first = out[0] | (uint64_t)out[1] << 32, second = out[2] | (uint64_t)out[3] << 32;
    assert_true(before <= first && first <= second && second <= amdgpu_clock());
    assert_true(out[4] - (uint32_t)second <= (uint32_t)(amdgpu_clock() - second));
}

static _Atomic(unsigned) interrupts;
static void count_interrupt(uint32_t event)
{
    assert_int_equal(event, 0);
    interrupts++;
}

static void interrupts_are_heard_and_breakpoints_are_passed(void **state)
{
    (void)state;
    uint32_t out[RESULTS];
    amdgpu_on_interrupt(count_interrupt);
    EACH(code)
    {
        interrupts = 0;
        run_stored(*code, "messages", out);
        assert_int_equal(out[0], 1);
        assert_int_equal(interrupts, 2);
    }
    amdgpu_on_interrupt(NULL);
    run_stored(codes[0], "messages", out);
    assert_int_equal(interrupts, 2);
}

static void a_trap_ends_the_kernel(void **state)
{
    (void)state;
    char report[4096];
    EACH(code)
    {
        struct amdgpu_end end = try_failing(*code, "aborts", report, sizeof report);
        assert_int_equal(end.kind, AMDGPU_END_TRAP);
        assert_int_equal(end.trap, 2);
        assert_contains(report, "kernel aborts: aborts (trap 2)\n");
        assert_contains(report, "at aborts+0x20 [0x");
        assert_contains(report, "]: s_trap 2\n");
        assert_contains(report, "by block (0,0,0), wave 0");
        end = try_failing(*code, "traps", report, sizeof report);
        assert_int_equal(end.kind, AMDGPU_END_TRAP);
        assert_int_equal(end.trap, 7);
        assert_contains(report, "traps, trap 7");
    }
}

static void a_handler_is_where_traps_go_and_returns(void **state)
{
    enum { FROM_START = 36 };
    (void)state;
    uint32_t out[RESULTS];
    char report[4096];
    EACH(code)
    {
        struct amdgpu_kernel_descriptor descriptor;
        uint64_t address = code_kernel(*code, "handled");
        memcpy(&descriptor, sim_translate_range(0, address, sizeof descriptor, false),
               sizeof descriptor);
        (*code)->device.trap_handler =
            address + (uint64_t)descriptor.kernel_code_entry_byte_offset + FROM_START;
        struct capture capture = capture_begin();
        run_stored(*code, "handled", out);
        capture_end(capture, report, sizeof report);
        assert_contains(report, "traps, trap 5");
        assert_int_equal(out[0], 5);
        assert_int_equal(out[1], DOORBELL);
        assert_int_equal(out[2], 2);
        assert_int_equal(out[4], 7);
        (*code)->device.trap_handler = 0;
        struct amdgpu_end end = try_failing(*code, "comes_from_nowhere", report, sizeof report);
        assert_int_equal(end.kind, AMDGPU_END_INSTRUCTION);
    }
}

static void a_halted_wave_hangs(void **state)
{
    (void)state;
    char report[4096];
    EACH(code)
    {
        struct amdgpu_end end = try_failing(*code, "halts", report, sizeof report);
        assert_int_equal(end.kind, AMDGPU_END_HUNG);
        assert_contains(report, "block (0,0,0) hangs: 1 of its 1 waves wait");
        assert_contains(report, "wave 0 has halted itself before halts+0x24");
        interrupts = 0;
        amdgpu_on_interrupt(count_interrupt);
        end = try_failing(*code, "halts_and_tells", report, sizeof report);
        amdgpu_on_interrupt(NULL);
        assert_int_equal(end.kind, AMDGPU_END_HUNG);
        assert_contains(report, "wave 0 has halted itself before halts_and_tells+0x24");
        assert_int_equal(interrupts, 1);
    }
}

static void unsupported_instructions_end_the_kernel(void **state)
{
    (void)state;
    static const struct {
        const char *kernel, *what;
    } cases[] = {
        {"unknown", "executes an instruction that this device does not have"},
        {"unknown", "bytes ff ff ff ff"},
        {"no_message", "executes an instruction that is not simulated"},
        {"no_hwreg", "executes an instruction that is not simulated"},
        {"no_hwreg", "s_getreg_b32 s16, hwreg(51)"},
        {"too_many", "uses a register that was not allocated to it"},
        {"too_many", "v200"},
    };
    char report[4096];
    EACH(code)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct amdgpu_end end = try_failing(*code, cases[i].kernel, report, sizeof report);
        assert_int_equal(end.kind, AMDGPU_END_INSTRUCTION);
        assert_true(end.address > (*code)->memory->address);
        assert_contains(report, cases[i].what);
    }
}

static void code_ends_where_it_is_filled_up(void **state)
{
    (void)state;
    char report[4096];
    struct amdgpu_end end = try_failing(codes[1], "past", report, sizeof report);
    assert_int_equal(end.kind, AMDGPU_END_INSTRUCTION);
    assert_contains(report, "runs past the end of its code");
}

static void code_that_is_nowhere_ends_the_kernel(void **state)
{
    (void)state;
    char report[4096];
    EACH(code)
    {
        struct amdgpu_end end = try_failing(*code, "nowhere", report, sizeof report);
        assert_int_equal(end.kind, AMDGPU_END_MEMORY);
        assert_int_equal(end.address, 0x7000);
        assert_contains(report, "fetches an instruction that cannot be read, at address 0x7000");
        end = try_failing(*code, "crooked", report, sizeof report);
        assert_int_equal(end.kind, AMDGPU_END_ALIGNMENT);
        assert_int_equal(end.address % 4, 2);
    }
}

/* A copy of the code in separate memory, cut off after the last page with code. */
static void code_that_ends_with_its_memory_ends_the_kernel(void **state)
{
    (void)state;
    char report[4096];
    EACH(code)
    {
        uint64_t descriptor = code_kernel(*code, "falls"), offset;
        memcpy(&offset, (*code)->memory->view + (descriptor - (*code)->memory->address) + 16, 8);
        uint64_t entry = descriptor + offset;
        size_t size = 4096 + 64;
        struct sim_memory *copy = device_memory(size);
        memcpy(copy->view, (*code)->memory->view + (descriptor - (*code)->memory->address), 64);
        offset = size - 64;
        memcpy(copy->view + 16, &offset, 8);
        memcpy(copy->view + offset, (*code)->memory->view + (entry - (*code)->memory->address), 36);
        for (unsigned at = 36; at < 64; at += 4)
            memcpy(copy->view + offset + at, &(uint32_t){0xbf800000}, 4); /* s_nop */
        struct capture capture = capture_begin();
        struct run run = {.grid = {1}};
        struct amdgpu_end end = run_at(*code, copy->address, &run, "", 0);
        capture_end(capture, report, sizeof report);
        assert_int_equal(end.kind, AMDGPU_END_MEMORY);
        assert_int_equal(end.address, copy->address + size);
        assert_contains(report, "fetches an instruction that cannot be read");
        amdgpu_code_discard(copy->address, copy->size);
        sim_memory_destroy(copy);
    }
}

static void a_kernel_that_never_ends_is_cancelled(void **state)
{
    (void)state;
    struct run run = {.grid = {256}, .group = {64}, .cancel_ms = 20};
    EACH(code)
    assert_int_equal(run_kernel(*code, "forever", &run, "", 0).kind, AMDGPU_END_CANCELLED);
}

static void other_code_in_the_same_place_is_decoded_anew(void **state)
{
    (void)state;
    uint32_t out[RESULTS];
    struct code *code = codes[1];
    uint64_t descriptor = code_kernel(code, "loop"), offset;
    memcpy(&offset, code->memory->view + (descriptor - code->memory->address) + 16, 8);
    unsigned char *entry = code->memory->view + (descriptor + offset - code->memory->address);
    uint32_t old, ten = 0xb002000b; /* s_movk_i32 s2, 11 */
    run_stored(code, "loop", out);
    assert_int_equal(out[0], 55);
    memcpy(&old, entry + 32, 4);
    assert_int_equal(old, 0xb002000a);
    memcpy(entry + 32, &ten, 4);
    run_stored(code, "loop", out);
    assert_int_equal(out[0], 55); /* like instruction caches */
    amdgpu_code_discard(descriptor + offset, 4);
    run_stored(code, "loop", out);
    assert_int_equal(out[0], 66);
    memcpy(entry + 32, &old, 4);
    amdgpu_code_discard(code->memory->address, code->memory->size);
}

/* s_movk_i32 s16, number; s_setpc_b64 s[42:43] */
static uint32_t call_foreign(struct code *code, struct sim_memory *function, uint16_t number)
{
    uint32_t words[2] = {0xb0100000u | number, 0}, out;
    words[1] = code == codes[0] ? 0xbe801d2a : 0xbe80482a;
    memcpy(function->view, words, sizeof words);
    struct sim_memory *memory = device_memory(4096);
    uint64_t arguments[2] = {memory->address, function->address};
    struct run run = {.grid = {1}};
    assert_int_equal(run_kernel(code, "foreign", &run, arguments, sizeof arguments).kind,
                     AMDGPU_END_OK);
    memcpy(&out, memory->view, sizeof out);
    sim_memory_destroy(memory);
    return out;
}

static void functions_may_lie_in_other_memory(void **state)
{
    (void)state;
    EACH(code)
    {
        struct sim_memory *function = device_memory(4096);
        assert_int_equal(call_foreign(*code, function, 41), 42);
        amdgpu_code_discard(function->address, function->size);
        assert_int_equal(call_foreign(*code, function, 98), 99);
        amdgpu_code_discard(function->address, function->size);
        sim_memory_destroy(function);
    }
}

static void freed_memory_takes_its_code_along(void **state)
{
    (void)state;
    char report[4096];
    uint32_t out[RESULTS];
    struct code *code = code_open("control", "gfx90a");
    uint64_t descriptor = code_kernel(code, "loop");
    run_stored(code, "loop", out);
    code_close(code);
    struct capture capture = capture_begin();
    struct run run = {.grid = {1}};
    struct amdgpu_end end = run_at(codes[0], descriptor, &run, "", 0);
    capture_end(capture, report, sizeof report);
    assert_int_equal(end.kind, AMDGPU_END_PACKET);
    assert_contains(report, "cannot be dispatched: its kernel object");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_branch_backwards_makes_a_loop),
        cmocka_unit_test(branches_are_taken_when_their_condition_holds),
        cmocka_unit_test(functions_are_called_and_return),
        cmocka_unit_test(code_continues_beyond_the_end_of_a_page),
        cmocka_unit_test(registers_may_be_indexed_by_m0),
        cmocka_unit_test(m0_may_index_source_and_destination),
        cmocka_unit_test(waves_of_32_have_no_lanes_in_the_upper_half_of_exec),
        cmocka_unit_test(hints_change_nothing),
        cmocka_unit_test(waves_wait_at_a_barrier),
        cmocka_unit_test(groups_of_a_cooperative_launch_meet),
        cmocka_unit_test(the_count_of_a_barrier_can_be_initialised),
        cmocka_unit_test(a_barrier_that_groups_cannot_complete_is_reported),
        cmocka_unit_test(groups_that_have_ended_are_not_waited_for),
        cmocka_unit_test(mode_is_read_and_written_in_parts),
        cmocka_unit_test(vector_registers_may_be_indexed_by_m0),
        cmocka_unit_test(clocks_advance),
        cmocka_unit_test(interrupts_are_heard_and_breakpoints_are_passed),
        cmocka_unit_test(a_trap_ends_the_kernel),
        cmocka_unit_test(a_handler_is_where_traps_go_and_returns),
        cmocka_unit_test(a_halted_wave_hangs),
        cmocka_unit_test(unsupported_instructions_end_the_kernel),
        cmocka_unit_test(code_ends_where_it_is_filled_up),
        cmocka_unit_test(code_that_is_nowhere_ends_the_kernel),
        cmocka_unit_test(code_that_ends_with_its_memory_ends_the_kernel),
        cmocka_unit_test(a_kernel_that_never_ends_is_cancelled),
        cmocka_unit_test(other_code_in_the_same_place_is_decoded_anew),
        cmocka_unit_test(functions_may_lie_in_other_memory),
        cmocka_unit_test(freed_memory_takes_its_code_along),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
