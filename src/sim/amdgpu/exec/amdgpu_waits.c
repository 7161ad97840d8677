/* Checks that waves wait for the results of memory instructions before they use them
 * (SIM_CHECK_SYNC): it counts a wave's outstanding instructions as vmcnt and lgkmcnt do, and knows
 * which registers they will write.
 *
 * Loads complete as soon as they are executed, so a missing s_waitcnt has no effect here. Anything
 * uncertain counts as waited for: stores, registers indexed by M0, and registers that an
 * instruction reads without an operand. Source: AMD, instruction set architectures of Vega, CDNA 2
 * and RDNA 3, "Data dependency resolution". */
#include "amdgpu_wave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VM, LGKM, COUNTERS };
enum { VECTOR_REGISTERS = 512 };

/* The event that will write a register: its number in each counter, 0 for none. */
struct pending {
    uint32_t number[COUNTERS];
    uint64_t place; /* the instruction's address */
};

struct amdgpu_waits {
    uint32_t issued[COUNTERS], complete[COUNTERS]; /* numbers of the last events */
    uint32_t scalar; /* number of the last event that may complete out of order: of scalar memory */
    struct pending v[VECTOR_REGISTERS], s[AMDGPU_SREGS];
};

struct amdgpu_waits *amdgpu_waits_create(unsigned waves)
{
    return calloc(waves, sizeof(struct amdgpu_waits));
}

struct amdgpu_waits *amdgpu_waits_of(struct amdgpu_waits *waits, unsigned wave)
{
    return waits ? &waits[wave] : NULL;
}

void amdgpu_waits_begin(struct amdgpu_waits *waits, unsigned waves)
{
    if (waits)
        memset(waits, 0, waves * sizeof *waits);
}

/* ---- counters ------------------------------------------------------------------------- */

/* All events of a counter except the last left ones are complete. */
static void wait_for(struct amdgpu_waits *waits, unsigned counter, uint32_t left)
{
    bool in_order = counter != LGKM || waits->scalar <= waits->complete[LGKM];
    if (waits->issued[counter] > left && (in_order || left == 0) &&
        waits->issued[counter] - left > waits->complete[counter])
        waits->complete[counter] = waits->issued[counter] - left;
}

static void wait_by_fields(struct amdgpu_waits *waits, enum amdgpu_family family, unsigned fields)
{
    bool gfx11 = family == AMDGPU_GFX11;
    wait_for(waits, VM, gfx11 ? fields >> 10 & 0x3f : (fields & 0xf) | (fields >> 14 & 3) << 4);
    wait_for(waits, LGKM,
             gfx11                    ? fields >> 4 & 0x3f
             : family == AMDGPU_GFX10 ? fields >> 8 & 0x3f
                                      : fields >> 8 & 0xf);
}

/* Whether the instruction is a wait. */
static bool waits_itself(struct amdgpu_wave *wave, const struct amdgpu_inst *inst)
{
    switch (inst->row->id) {
    case AMDGPU_ID_S_WAITCNT:
        wait_by_fields(wave->waits, amdgpu_family_of(wave->page->shape->isa), (uint16_t)inst->imm);
        return true;
    case AMDGPU_ID_S_WAITCNT_VMCNT:
        wait_for(wave->waits, VM, inst->imm & 0x3f);
        return true;
    case AMDGPU_ID_S_WAITCNT_LGKMCNT:
        wait_for(wave->waits, LGKM, inst->imm & 0x3f);
        return true;
    default:
        return false;
    }
}

/* ---- registers ------------------------------------------------------------------------ */

static struct pending *pending_of(struct amdgpu_waits *waits, const struct amdgpu_operand *operand)
{
    if (operand->kind == AMDGPU_VREG && operand->reg + operand->count <= VECTOR_REGISTERS)
        return &waits->v[operand->reg];
    if (operand->kind == AMDGPU_SREG && operand->reg + operand->count <= AMDGPU_SREGS)
        return &waits->s[operand->reg];
    return NULL;
}

static bool report(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                   const struct amdgpu_operand *operand, unsigned i, bool vm,
                   const struct pending *pending)
{
    char what[192];
    unsigned reg = operand->reg + i;
    bool accumulation = operand->kind == AMDGPU_VREG && reg >= 256;
    snprintf(what, sizeof what, "uses %c%u, which the code at 0x%llx loads, without waiting for %s",
             operand->kind == AMDGPU_SREG ? 's'
             : accumulation               ? 'a'
                                          : 'v',
             accumulation ? reg - 256 : reg, (unsigned long long)pending->place,
             vm ? "vmcnt" : "lgkmcnt");
    amdgpu_fail(wave, op,
                &(struct amdgpu_fault){.kind = AMDGPU_END_CHECK, .what = what, .lane = -1});
    return false;
}

/* Whether no outstanding event will write an operand's registers. */
static bool is_there(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                     const struct amdgpu_operand *operand)
{
    struct amdgpu_waits *waits = wave->waits;
    const struct pending *pending = pending_of(waits, operand);
    for (unsigned i = 0; pending && i < operand->count; i++) {
        bool vm = pending[i].number[VM] > waits->complete[VM];
        if (vm || pending[i].number[LGKM] > waits->complete[LGKM])
            return report(wave, op, operand, i, vm, &pending[i]);
    }
    return true;
}

static bool are_there(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                      const struct amdgpu_operand *operands, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!is_there(wave, op, &operands[i]))
            return false;
    return true;
}

static bool is_memory(const struct amdgpu_inst *inst)
{
    return inst->row->format == AMDGPU_SMEM ||
           (inst->row->format >= AMDGPU_DS && inst->row->format <= AMDGPU_MIMG);
}

/* A register that is being loaded may be loaded again: results of one kind arrive in order. */
static bool operands_are_there(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    const struct amdgpu_inst *inst = op->inst;
    bool writes = !is_memory(inst);
    return are_there(wave, op, inst->src, AMDGPU_SOURCES) &&
           are_there(wave, op, inst->src_y, AMDGPU_SOURCES) &&
           are_there(wave, op, &inst->addr, 1) && are_there(wave, op, &inst->saddr, 1) &&
           are_there(wave, op, &inst->data, 1) && are_there(wave, op, &inst->data1, 1) &&
           are_there(wave, op, &inst->soffset, 1) &&
           (!writes || (are_there(wave, op, inst->dst, 2) && are_there(wave, op, &inst->dst_y, 1)));
}

/* ---- events --------------------------------------------------------------------------- */

static void note(struct amdgpu_wave *wave, const struct amdgpu_op *op, bool vm, bool lgkm)
{
    struct amdgpu_waits *waits = wave->waits;
    const struct amdgpu_operand *operand = &op->inst->dst[0];
    struct pending *pending = pending_of(waits, operand);
    for (unsigned i = 0; pending && i < operand->count; i++) {
        pending[i].place = amdgpu_address(wave, op);
        pending[i].number[VM] = vm ? waits->issued[VM] : 0;
        pending[i].number[LGKM] = lgkm ? waits->issued[LGKM] : 0;
    }
}

/* Which of its address spaces the live lanes of a FLAT instruction use. */
static void find_spaces(const struct amdgpu_wave *wave, const struct amdgpu_inst *inst,
                        bool *out_memory, bool *out_lds)
{
    *out_memory = *out_lds = false;
    if (inst->addr.kind != AMDGPU_VREG || inst->addr.count < 2)
        return;
    const uint32_t *high = amdgpu_v(wave, inst->addr.reg + 1u);
    for (uint64_t left = amdgpu_exec(wave); left; left &= left - 1) {
        bool lds = high[__builtin_ctzll(left)] == SIM_SHARED_WINDOW >> 32;
        *out_lds |= lds;
        *out_memory |= !lds;
    }
}

static void count_vector_memory(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    const struct amdgpu_inst *inst = op->inst;
    bool gfx9 = amdgpu_family_of(wave->page->shape->isa) == AMDGPU_GFX9;
    bool loads =
        inst->dst[0].kind != AMDGPU_NONE || inst->lds || inst->row->flags & AMDGPU_ROW_TO_LDS;
    bool stores = inst->row->flags & (AMDGPU_ROW_STORE | AMDGPU_ROW_ATOMIC);
    bool memory = true, lds = false;
    if (!loads && !stores) /* cache control */
        return;
    wave->waits->issued[VM] += loads || gfx9; /* later families count stores separately */
    if (inst->row->format == AMDGPU_FLAT) {
        wave->waits->issued[LGKM]++;
        find_spaces(wave, inst, &memory, &lds);
    }
    note(wave, op, memory, lds);
}

static void count(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    const struct amdgpu_inst *inst = op->inst;
    struct amdgpu_waits *waits = wave->waits;
    switch (inst->row->format) {
    case AMDGPU_SMEM:
        if (inst->dst[0].kind == AMDGPU_NONE)
            return;
        waits->scalar = ++waits->issued[LGKM];
        note(wave, op, false, true);
        return;
    case AMDGPU_DS:
        waits->issued[LGKM]++;
        note(wave, op, false, true);
        return;
    case AMDGPU_FLAT:
    case AMDGPU_GLOBAL:
    case AMDGPU_SCRATCH:
    case AMDGPU_MUBUF:
    case AMDGPU_MTBUF:
    case AMDGPU_MIMG:
        count_vector_memory(wave, op);
        return;
    default:
        return;
    }
}

bool amdgpu_waits_check(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    if (!op->inst || waits_itself(wave, op->inst))
        return true;
    if (!operands_are_there(wave, op))
        return false;
    count(wave, op);
    return true;
}
