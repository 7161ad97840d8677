/* Properties of every handler of arithmetic: the instruction sets agree, lanes outside of the mask
 * keep their values, and a destination may be a source. Each spelling of the list is tested. */
#include "alu_lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct alu_spelling *spellings;
static unsigned spelling_count;

static int read_spellings(void **state)
{
    (void)state;
    spellings = alu_read_list(ALU_LIST, &spelling_count);
    return spellings && spelling_count > 1000 ? 0 : -1;
}

static int free_spellings(void **state)
{
    (void)state;
    free(spellings);
    return 0;
}

static void fill(struct alu_warp *self, const struct alu_spelling *spelling, unsigned first)
{
    for (unsigned i = 0; i < PTX_LANES; ++i) {
        for (unsigned s = 0; s < spelling->count; ++s)
            alu_put(self, (s + 1) * ALU_SLOT, spelling->sources[s], i,
                    alu_input(spelling, first + i, s));
        if (alu_takes_carry(spelling))
            self->warp.carry |= (uint32_t)alu_carry_in(spelling, first + i) << i;
    }
}

static void run(struct alu_warp *self, const struct alu_spelling *spelling, const struct ptx_op *op)
{
    const struct ptx_op *next = op->run(&self->warp, op);
    if (next != op + 1)
        fail_msg("%s does not go on with the next op", spelling->text);
}

static void instruction_sets_agree(void **state)
{
    (void)state;
    for (unsigned n = 0; n < spelling_count; ++n)
        for (enum sim_isa isa = SIM_ISA_BASE + 1; isa < SIM_ISA_COUNT; ++isa) {
            uint64_t d[2][ALU_LANES], q[2][ALU_LANES];
            if (!sim_isa_has(isa))
                continue;
            assert_true(alu_apply(&spellings[n], SIM_ISA_BASE, d[0], q[0]));
            assert_true(alu_apply(&spellings[n], isa, d[1], q[1]));
            for (unsigned i = 0; i < ALU_LANES; ++i)
                if (d[0][i] != d[1][i] || q[0][i] != q[1][i])
                    fail_msg("%s, lane %u: %llx and with instruction set %u %llx",
                             spellings[n].text, i, (unsigned long long)d[0][i], isa,
                             (unsigned long long)d[1][i]);
        }
}

/* Runs the spelling with some lanes: they have the results that they have when all run, and the
 * others keep their values. */
static void check_mask(const struct alu_spelling *spelling, enum sim_isa isa, uint32_t mask)
{
    static struct alu_warp all, some;
    struct ptx_op op;
    alu_op_init(spelling, isa, &op);
    alu_warp_init(&all, UINT32_MAX, true);
    alu_warp_init(&some, mask, false);
    fill(&all, spelling, 32);
    fill(&some, spelling, 32);
    memset(some.regs + ALU_SLOT_D, 0xa5, ALU_SLOT);
    memset(some.regs + ALU_SLOT_Q, 0xa5, ALU_SLOT);
    uint32_t carry = some.warp.carry;
    struct alu_warp before = some;
    run(&all, spelling, &op);
    run(&some, spelling, &op);
    for (unsigned i = 0; i < PTX_LANES; ++i) {
        const struct alu_warp *wanted = mask >> i & 1 ? &all : &before;
        if (alu_get(&some, ALU_SLOT_D, spelling->result, i) !=
            alu_get(wanted, ALU_SLOT_D, spelling->result, i))
            fail_msg("%s, lane %u of mask %x", spelling->text, i, mask);
        if (spelling->second)
            assert_int_equal(alu_get(&some, ALU_SLOT_Q, "pred", i),
                             alu_get(wanted, ALU_SLOT_Q, "pred", i));
    }
    assert_int_equal(some.warp.carry & ~mask, carry & ~mask);
    assert_int_equal(some.warp.carry & mask, all.warp.carry & mask);
    /* Nothing else was written. */
    assert_memory_equal(some.regs + ALU_SLOT, before.regs + ALU_SLOT, 4 * ALU_SLOT);
}

static void lanes_outside_of_the_mask_keep_their_values(void **state)
{
    (void)state;
    static const uint32_t masks[] = {0x00000001, 0x80000000, 0x0f0f3355, 0xfffffffe, 0};
    for (unsigned n = 0; n < spelling_count; ++n)
        for (enum sim_isa isa = SIM_ISA_BASE; isa < SIM_ISA_COUNT; ++isa)
            for (unsigned m = 0; sim_isa_has(isa) && m < ALU_COUNT(masks); ++m)
                check_mask(&spellings[n], isa, masks[m]);
}

static void a_destination_may_be_a_source(void **state)
{
    (void)state;
    for (unsigned n = 0; n < spelling_count; ++n)
        for (unsigned s = 0; s < spellings[n].count; ++s) {
            const struct alu_spelling *spelling = &spellings[n];
            static struct alu_warp apart, shared;
            struct ptx_op op;
            bool predicate = strcmp(spelling->result, "pred") == 0;
            if (predicate != (strcmp(spelling->sources[s], "pred") == 0) ||
                alu_element(spelling->result) != alu_element(spelling->sources[s]))
                continue;
            alu_op_init(spelling, sim_isa(), &op);
            alu_warp_init(&apart, UINT32_MAX, true);
            alu_warp_init(&shared, UINT32_MAX, true);
            fill(&apart, spelling, 64);
            fill(&shared, spelling, 64);
            run(&apart, spelling, &op);
            op.d = (s + 1) * ALU_SLOT;
            run(&shared, spelling, &op);
            if (memcmp(apart.regs + ALU_SLOT_D, shared.regs + op.d,
                       predicate ? 4 : PTX_LANES * alu_element(spelling->result)) != 0)
                fail_msg("%s into source %u", spelling->text, s);
        }
}

static void the_rounding_mode_of_the_host_is_left_as_it_was(void **state)
{
    (void)state;
    static struct alu_warp self;
    for (unsigned n = 0; n < spelling_count; ++n) {
        struct ptx_op op;
        volatile double one = 1, three = 3, tiny = 0x1p-1060;
        alu_op_init(&spellings[n], sim_isa(), &op);
        alu_warp_init(&self, UINT32_MAX, true);
        run(&self, &spellings[n], &op);
        if (one / three != 0x1.5555555555555p-2 || -one / three != -0x1.5555555555555p-2 ||
            tiny == 0)
            fail_msg("%s leaves another rounding mode", spellings[n].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(lanes_outside_of_the_mask_keep_their_values),
        cmocka_unit_test(a_destination_may_be_a_source),
        cmocka_unit_test(the_rounding_mode_of_the_host_is_left_as_it_was),
    };
    return cmocka_run_group_tests(tests, read_spellings, free_spellings);
}
