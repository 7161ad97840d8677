/* Vector instructions while MODE.gpr_idx_en is on (gfx9's s_set_gpr_idx_on): M0 selects which of
 * their registers are indexed. Such an instruction is emitted with the indexed registers and run at
 * once. */
#include "amdgpu_wave.h"

enum { SRC0 = 1 << 12, DST = 1 << 15 }; /* in M0; sources follow each other */
enum { TURN = 64 };                     /* instructions before other waves get a turn */

static bool is_vector(const struct amdgpu_op *op)
{
    switch (op->inst ? op->inst->row->format : AMDGPU_FORMAT_COUNT) {
    case AMDGPU_VOP1:
    case AMDGPU_VOP2:
    case AMDGPU_VOPC:
    case AMDGPU_VOP3:
    case AMDGPU_VOP3P:
        return true;
    default:
        return false;
    }
}

/* False: there is no such register. */
static bool move(const struct amdgpu_wave *wave, struct amdgpu_operand *operand, unsigned by)
{
    if (operand->kind != AMDGPU_VREG || operand->reg >= 256)
        return true;
    operand->reg = (unsigned short)(operand->reg + by);
    return operand->reg + (unsigned)operand->count <= wave->vgprs;
}

/* As in hardware: a source that does not exist reads v0; if the destination does not exist, the
 * instruction does nothing. */
static const struct amdgpu_op *run_moved(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    uint32_t m0 = wave->s[wave->m0];
    struct amdgpu_inst inst = *op->inst;
    const struct amdgpu_shape *shape = wave->page->shape;
    for (unsigned i = 0; i < 3; i++)
        if ((m0 & SRC0 << i) && !move(wave, &inst.src[i], m0 & 0xff))
            inst.src[i].reg = 0;
    if ((m0 & DST) && !move(wave, &inst.dst[0], m0 & 0xff))
        return amdgpu_next(op);
    struct amdgpu_op moved = {.offset = op->offset, .count = op->count, .inst = &inst};
    amdgpu_set_length(&moved, op->length);
    if (!shape->emitters->vector(shape->isa, shape->lanes, &inst, &moved))
        return amdgpu_fail(
            wave, op,
            &(struct amdgpu_fault){.kind = AMDGPU_END_INSTRUCTION,
                                   .what = "cannot be executed with indexed registers",
                                   .lane = -1});
    const struct amdgpu_op *next = moved.run(wave, &moved);
    return next == amdgpu_next(&moved) ? amdgpu_next(op) : next;
}

const struct amdgpu_op *amdgpu_run_indexed(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    if (wave->indexing) /* this loop executes the instruction that enables indexing again */
        return op;
    wave->indexing = true;
    for (unsigned i = 0; op && wave->mode & AMDGPU_MODE_GPR_INDEXING; i++) {
        op = amdgpu_decoded(wave, op);
        if (!op)
            break;
        if (wave->counts && i != TURN)
            amdgpu_profile_count(wave, op);
        if (i == TURN)
            op = amdgpu_pause(wave, op, SIM_WAVE_READY);
        else
            op = is_vector(op) ? run_moved(wave, op)
                               : __atomic_load_n(&op->run, __ATOMIC_ACQUIRE)(wave, op);
    }
    wave->indexing = false;
    return op;
}
