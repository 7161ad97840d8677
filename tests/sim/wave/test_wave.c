/* The description of regions: what is refused, what is printed, which values go in and out. */
#include "jit_regions.h"
#include "support.h"
#include "wave_flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct program program;
static struct wave_machine machine;
static char reason[200];

/* Block 0: a scalar and a row are made; block 1, a loop: the row is added up; block 2: the end. */
static void make_loop(void)
{
    machine = machine_without_bitcode;
    program_init(&program, &machine, 3);
    program_add(&program, 0, WAVE_EFFECT, "spread", (const uint64_t[]){0, 1});
    program_jump(&program, 0, 1);
    program_add(&program, 1, WAVE_ATTEMPT, "load_row", (const uint64_t[]){128, 2});
    program_add(&program, 1, WAVE_EFFECT, "add_u32", (const uint64_t[]){256, 256, 128});
    program_add(&program, 1, WAVE_EFFECT, "mul_u32", (const uint64_t[]){384, 0, 128});
    program_branch(&program, 1, "branch_mask", 3, 1, 2);
    program_leave(&program, 2);
}

static bool sound(void)
{
    return wave_verify(&program.region, reason, sizeof reason);
}

static void a_region_is_printed_by_line(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    make_loop();
    FILE *out = open_memstream(&text, &size);
    wave_print(&program.region, out);
    fclose(out);
    assert_string_equal(text, "region region of a test (test): 2560 bytes of frame\n"
                              "block 0:\n"
                              "  f0:128 = spread(0, 1) of s164:4 ; op 0.0\n"
                              "  jump -> 1 ; op 0.1\n"
                              "block 1:\n"
                              "  f128:128 = attempt load_row(128, 2) of s168:4 ; op 1.0\n"
                              "  f256:128 = add_u32(256, 256, 128) of f256:128, f128:128 ; op 1.1\n"
                              "  f384:128 = mul_u32(384, 0, 128) of f0:128, f128:128 ; op 1.2\n"
                              "  branch branch_mask(3) of s172:4 -> 1, 2 ; op 1.3\n"
                              "block 2:\n"
                              "  leave ; op 2.0\n");
    free(text);
    assert_int_equal(wave_inst_count(&program.region), 4);
}

static void slots_that_are_read_first_go_in(void **state)
{
    (void)state;
    struct wave_slot *slots;
    unsigned count;
    make_loop();
    assert_true(wave_slots_in(&program.region, &slots, &count));
    assert_int_equal(count, 4);
    assert_int_equal(slots[0].offset, 256);
    assert_int_equal(slots[1].base, WAVE_STATE);
    assert_int_equal(slots[3].offset, offsetof(struct state, scalars) + 12);
    free(slots);
    assert_true(wave_slots_out(&program.region, &slots, &count));
    assert_int_equal(count, 4);
    assert_int_equal(slots[0].offset, 0);
    assert_int_equal(slots[3].offset, 384);
    free(slots);
}

static bool nothing_is_live(const void *data, const void *op, const struct wave_slot *slot)
{
    (void)data;
    (void)op;
    (void)slot;
    return false;
}

/* Offsets of the slots that are written back at a point, as text. */
static const char *back(const struct wave_flow *flow, unsigned block, unsigned point)
{
    static char text[200];
    *text = '\0';
    for (unsigned i = 0; i < flow->back[block][point].count; i++)
        sprintf(text + strlen(text), "%u ", flow->slots[flow->back[block][point].slots[i]].offset);
    return text;
}

static void slots_are_written_back_where_they_are_dirty_and_live(void **state)
{
    (void)state;
    struct wave_flow flow;
    make_loop();
    assert_true(wave_flow_init(&flow, &program.region, false));
    /* Slot 128 is overwritten by the attempt, and 384 before the region ends. */
    assert_string_equal(back(&flow, 1, 0), "0 256 ");
    assert_string_equal(back(&flow, 1, 3), "0 128 256 384 ");
    assert_string_equal(back(&flow, 2, 0), "0 128 256 384 ");
    wave_flow_fini(&flow);
    program.region.live = nothing_is_live;
    assert_true(wave_flow_init(&flow, &program.region, false));
    assert_string_equal(back(&flow, 1, 0), "0 256 ");
    assert_string_equal(back(&flow, 2, 0), "");
    wave_flow_fini(&flow);
    assert_true(wave_flow_init(&flow, &program.region, true));
    assert_string_equal(back(&flow, 1, 0), "0 128 256 384 ");
    assert_string_equal(back(&flow, 2, 0), "0 128 256 384 ");
    wave_flow_fini(&flow);
}

/* What it reads and writes is then in place; all else still is not. */
static void a_plain_handler_has_only_what_it_reads_in_place(void **state)
{
    (void)state;
    struct wave_flow flow;
    make_loop();
    struct wave_inst *inst = &program.insts[1][1];
    inst->kind = WAVE_HANDLER;
    inst->function = NULL;
    assert_true(wave_flow_init(&flow, &program.region, false));
    assert_string_equal(back(&flow, 1, 1), "0 128 384 ");
    assert_string_equal(back(&flow, 2, 0), "384 ");
    wave_flow_fini(&flow);
    inst->plain = true;
    assert_true(wave_flow_init(&flow, &program.region, false));
    assert_string_equal(back(&flow, 1, 1), "128 ");
    assert_string_equal(back(&flow, 2, 0), "0 384 ");
    wave_flow_fini(&flow);
}

static void nothing_is_written_back_at_a_branch_that_does_not_leave(void **state)
{
    (void)state;
    struct wave_flow flow;
    make_loop();
    program.blocks[1].stays = true;
    assert_true(wave_flow_init(&flow, &program.region, false));
    assert_string_equal(back(&flow, 1, 3), "");
    assert_string_equal(back(&flow, 2, 0), "0 128 256 384 ");
    wave_flow_fini(&flow);
}

/* Slot 256 is not read behind the op at which the first block leaves, 128 is, and 0 by the op. */
static void what_an_op_and_the_way_back_do_not_read_is_not_written_back(void **state)
{
    (void)state;
    static const unsigned entries[] = {0, 1};
    static const struct wave_slot reads[] = {{WAVE_FRAME, 0, 128}};
    struct wave_flow flow;
    program_init(&program, &machine, 2);
    for (uint64_t slot = 0; slot < 3; slot++)
        program_add(&program, 0, WAVE_EFFECT, "spread", (const uint64_t[]){128 * slot, 1});
    program_leave(&program, 0);
    program_add(&program, 1, WAVE_EFFECT, "add_u32", (const uint64_t[]){256, 128, 128});
    program_add(&program, 1, WAVE_EFFECT, "spread", (const uint64_t[]){0, 1});
    program_leave(&program, 1);
    program.region.entries = entries;
    program.region.entry_count = 2;
    struct wave_block *block = &program.blocks[0];
    block->comes_back = true;
    block->comes_to = 2;
    assert_false(sound());
    assert_non_null(strstr(reason, "comes to 2 of 2 blocks"));
    block->comes_to = 1;
    assert_true(sound());
    assert_true(wave_flow_init(&flow, &program.region, false));
    assert_string_equal(back(&flow, 0, 3), "128 ");
    assert_string_equal(back(&flow, 1, 2), "0 256 ");
    wave_flow_fini(&flow);
    block->reads = reads;
    block->read_count = 1;
    assert_true(sound());
    assert_true(wave_flow_init(&flow, &program.region, false));
    assert_string_equal(back(&flow, 0, 3), "0 128 ");
    wave_flow_fini(&flow);
    assert_true(wave_flow_init(&flow, &program.region, true));
    assert_string_equal(back(&flow, 0, 3), "0 128 256 ");
    wave_flow_fini(&flow);
}

/* The only target of a branch overwrites slot 0: where it leaves, nothing else can follow. */
static void a_target_may_be_all_that_follows(void **state)
{
    (void)state;
    struct wave_flow flow;
    program_init(&program, &machine, 2);
    program_add(&program, 0, WAVE_EFFECT, "spread", (const uint64_t[]){0, 1});
    program_add(&program, 0, WAVE_EFFECT, "spread", (const uint64_t[]){128, 1});
    program_branch(&program, 0, "branch_mask", 0, 1, 1);
    program.blocks[0].target_count = 1;
    program_add(&program, 1, WAVE_EFFECT, "spread", (const uint64_t[]){0, 1});
    program_leave(&program, 1);
    assert_true(wave_flow_init(&flow, &program.region, false));
    assert_string_equal(back(&flow, 0, 2), "0 128 ");
    wave_flow_fini(&flow);
    program.blocks[0].all = true;
    assert_true(wave_flow_init(&flow, &program.region, false));
    assert_string_equal(back(&flow, 0, 2), "128 ");
    wave_flow_fini(&flow);
}

/* A slot that one of two ways writes is loaded, since it is written back after both. */
static void a_slot_that_is_written_on_some_paths_is_loaded(void **state)
{
    (void)state;
    struct wave_flow flow;
    program_init(&program, &machine, 3);
    program_branch(&program, 0, "branch_mask", 0, 1, 2);
    program_add(&program, 1, WAVE_EFFECT, "spread", (const uint64_t[]){512, 1});
    program_jump(&program, 1, 2);
    program_leave(&program, 2);
    assert_true(wave_flow_init(&flow, &program.region, false));
    bool loaded = false;
    for (unsigned i = 0; i < flow.entries[0].count; i++)
        loaded |= flow.slots[flow.entries[0].slots[i]].offset == 512;
    assert_true(loaded);
    wave_flow_fini(&flow);
}

/* Where a region may begin at the loop, too, nothing has written what the first block makes. */
static void an_entry_loads_what_is_needed_from_there_on(void **state)
{
    (void)state;
    static const unsigned entries[] = {0, 1};
    struct wave_flow flow;
    make_loop();
    program.region.entries = entries;
    program.region.entry_count = 2;
    assert_true(sound());
    assert_true(wave_flow_init(&flow, &program.region, false));
    assert_int_equal(flow.entry_count, 2);
    bool loaded[2] = {false, false};
    for (unsigned e = 0; e < 2; e++)
        for (unsigned i = 0; i < flow.entries[e].count; i++)
            loaded[e] |= flow.slots[flow.entries[e].slots[i]].offset == 0;
    assert_false(loaded[0]);
    assert_true(loaded[1]);
    wave_flow_fini(&flow);
}

static void a_block_is_reached_from_any_entry(void **state)
{
    (void)state;
    unsigned entries[] = {0, 1};
    make_loop();
    program_leave(&program, 0);
    program.blocks[0].target_count = 0;
    assert_false(sound());
    program.region.entries = entries;
    program.region.entry_count = 2;
    assert_true(sound());
    entries[1] = 3;
    assert_false(sound());
    assert_string_equal(reason, "entry 1 is in none of 3 blocks");
}

static void each_rule_of_a_region_is_checked(void **state)
{
    (void)state;
    struct wave_inst *inst = &program.insts[1][0];
    make_loop();
    assert_true(sound());
#define REFUSES(change, text)                                                                      \
    make_loop();                                                                                   \
    change;                                                                                        \
    assert_false(sound());                                                                         \
    assert_string_equal(reason, text)
    REFUSES(inst->op = NULL, "block 1, instruction 0: no op");
    REFUSES(inst->next = NULL, "block 1, instruction 0: no op to continue with");
    REFUSES(inst->function = NULL, "block 1, instruction 0: no function");
    REFUSES(inst->kind = WAVE_HANDLER,
            "block 1, instruction 0: a handler with the function load_row");
    REFUSES(inst->kind = 9, "block 1, instruction 0: unknown kind 9");
    REFUSES(inst->argument_count = 65,
            "block 1, instruction 0: load_row has 65 arguments, of 64 at most");
    REFUSES(inst->reads = NULL, "block 1, instruction 0: 1 slots, and no list of them");
    REFUSES(program.slots[1][0][1].size = 64,
            "slots 128:64 and 128:128 of the frame overlap partly");
    REFUSES(program.slots[1][0][1].offset = 2500,
            "block 1, instruction 0: slot 2500:128 is outside of the frame");
    REFUSES(program.slots[1][0][1].size = 0,
            "block 1, instruction 0: slot 128:0 is outside of the frame");
    REFUSES(program.slots[1][0][1].base = 5, "block 1, instruction 0: a slot of unknown base 5");
    REFUSES(program.slots[1][0][0].offset = offsetof(struct state, budget),
            "block 1, instruction 0: slot 152:4 overlaps field 4");
    REFUSES(program.slots[1][0][0].offset = 4,
            "block 1, instruction 0: slot 4:4 overlaps the pointer to the frame");
    REFUSES(program.blocks[1].targets[1] = 3, "block 1: target 3 of 3 blocks");
    REFUSES(program.blocks[1].targets[1] = 1, "block 2: cannot be reached");
    REFUSES(program.blocks[1].target_count = 0, "block 1: 0 targets");
    REFUSES(program.blocks[2].target_count = 1, "block 2: 1 targets");
    REFUSES(program.blocks[2].op = NULL, "block 2: no op where the region is left");
    REFUSES(program.blocks[1].function = "", "block 1: no function");
    REFUSES(program.blocks[0].end = 7, "block 0: unknown end 7");
    REFUSES(program.blocks[0].insts = NULL,
            "block 0, instruction 0: 1 instructions, and no list of them");
    REFUSES(program.region.block_count = 0, "a region without blocks");
    REFUSES(program.region.name = NULL, "a region without a machine or a name");
    REFUSES(machine.frame_field = 4,
            "machine: the pointer to the frame is not in the state: offset 4");
    REFUSES(machine.state_size = 100, "machine: a field outside of the state: field 2");
#undef REFUSES
}

static void fields_that_overlap_are_refused(void **state)
{
    (void)state;
    struct wave_field fields[2] = {{WAVE_KEPT, 16, 8, 0, 0}, {WAVE_COPIED, 20, 8, 0, 0}};
    make_loop();
    machine.fields = fields;
    machine.field_count = 2;
    assert_false(sound());
    assert_string_equal(reason, "machine: a field overlaps another one: field 1");
    fields[1] = (struct wave_field){WAVE_CONSTANT, 24, 3, 0, 0};
    assert_false(sound());
    assert_string_equal(reason, "machine: a constant of another size than 1, 2, 4 and 8: field 1");
    fields[1] = (struct wave_field){WAVE_COPIED, 0, 8, 0, 0};
    assert_false(sound());
    assert_string_equal(reason, "machine: a field overlaps the pointer to the frame: field 1");
}

static void random_regions_are_sound(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        program_random(&program, &machine_without_bitcode, seed);
        if (!sound())
            assert_non_null(strstr(reason, "cannot be reached"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(a_region_is_printed_by_line),
        AH_TEST(slots_that_are_read_first_go_in),
        AH_TEST(slots_are_written_back_where_they_are_dirty_and_live),
        AH_TEST(what_an_op_and_the_way_back_do_not_read_is_not_written_back),
        AH_TEST(a_target_may_be_all_that_follows),
        AH_TEST(a_plain_handler_has_only_what_it_reads_in_place),
        AH_TEST(nothing_is_written_back_at_a_branch_that_does_not_leave),
        AH_TEST(a_slot_that_is_written_on_some_paths_is_loaded),
        AH_TEST(an_entry_loads_what_is_needed_from_there_on),
        AH_TEST(a_block_is_reached_from_any_entry),
        AH_TEST(each_rule_of_a_region_is_checked),
        AH_TEST(fields_that_overlap_are_refused),
        AH_TEST(random_regions_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
