/* Runs the handlers of arithmetic alone, on a warp that is prepared here. Header only. */
#ifndef ALU_LANES_H
#define ALU_LANES_H

#include "alu_inputs.h"
#include "ptx_alu.h"

enum { ALU_SLOT = 256, ALU_SLOT_D = 0, ALU_SLOT_Q = 5 * ALU_SLOT, ALU_FRAME = 6 * ALU_SLOT };

struct alu_warp {
    struct ptx_warp warp;
    unsigned char regs[ALU_FRAME] __attribute__((aligned(64)));
};

static inline void alu_warp_init(struct alu_warp *self, uint32_t mask, bool whole)
{
    memset(self, 0, sizeof *self);
    self->warp.regs = self->regs;
    self->warp.mask = mask;
    self->warp.whole = whole;
    self->warp.alive = whole ? mask : UINT32_MAX;
    for (unsigned i = 0; i < PTX_LANES; ++i)
        self->warp.lanes[i] = mask >> i & 1 ? -1 : 0;
}

/* Bytes of an element of a slot. */
static inline unsigned alu_element(const char *type)
{
    unsigned size = alu_size(type);
    return size < 2 ? 2 : size;
}

static inline void alu_put(struct alu_warp *self, uint32_t slot, const char *type, unsigned lane,
                           uint64_t value)
{
    if (strcmp(type, "pred") == 0) {
        uint32_t *mask = (uint32_t *)(self->regs + slot);
        *mask = (*mask & ~(1u << lane)) | (uint32_t)(value & 1) << lane;
        return;
    }
    memcpy(self->regs + slot + lane * alu_element(type), &value, alu_element(type));
}

static inline uint64_t alu_get(const struct alu_warp *self, uint32_t slot, const char *type,
                               unsigned lane)
{
    uint64_t value = 0;
    if (strcmp(type, "pred") == 0)
        return *(const uint32_t *)(self->regs + slot) >> lane & 1;
    memcpy(&value, self->regs + slot + lane * alu_element(type), alu_element(type));
    return value;
}

/* The instruction's modifiers as the checker finds them. */
static inline uint64_t alu_modifiers(const struct alu_spelling *spelling, struct ptx_inst *out_inst)
{
    static char words[128];
    static const struct {
        const char *name;
        unsigned number;
    } known[] = {
#define X(id, name) {name, PTX_MOD_NUMBER_##id},
        PTX_MODIFIERS(X)
#undef X
    };
    uint64_t mods = 0;
    memset(out_inst, 0, sizeof *out_inst);
    snprintf(words, sizeof words, "%s", spelling->text);
    char *state;
    out_inst->opcode = strtok_r(words, ".", &state);
    for (char *word; (word = strtok_r(NULL, ".", &state));) {
        out_inst->modifiers[out_inst->modifier_count++] = word;
        for (unsigned i = 0; i < PTX_MOD_COUNT; ++i)
            if (strcmp(word, known[i].name) == 0)
                mods |= 1ull << known[i].number;
    }
    return mods;
}

static inline void alu_op_init(const struct alu_spelling *spelling, enum sim_isa isa,
                               struct ptx_op *out_op)
{
    struct ptx_inst inst;
    memset(out_op, 0, sizeof *out_op);
    out_op->mods = alu_modifiers(spelling, &inst);
    out_op->bits = ptx_alu_modifier_bits(&inst) | spelling->immediate;
    if (*inst.opcode == 'v')
        out_op->bits |= ptx_alu_video_bits(&inst);
    if (spelling->second)
        out_op->bits |= 1ull << PTX_ALU_SECOND_SHIFT | (uint64_t)ALU_SLOT_Q << PTX_ALU_SECOND_SLOT;
    out_op->d = ALU_SLOT_D;
    out_op->a = ALU_SLOT;
    out_op->b = 2 * ALU_SLOT;
    out_op->c = 3 * ALU_SLOT;
    out_op->e = 4 * ALU_SLOT;
    out_op->run = ptx_alu_handlers[isa][spelling->row][ptx_alu_is_plain(out_op->mods) ? 0 : 1];
}

/* The result as a device stores it: 8-bit types are in a 16-bit register, whose upper byte is not
 * part of the value. */
static inline uint64_t alu_result(const struct alu_warp *self, const struct alu_spelling *spelling,
                                  unsigned lane)
{
    return alu_get(self, ALU_SLOT_D, spelling->result, lane);
}

/* Applies the spelling to all its lanes: d, and q or the carry. False: the handler did not continue
 * with the next op. */
static inline bool alu_apply(const struct alu_spelling *spelling, enum sim_isa isa, uint64_t *out_d,
                             uint64_t *out_q)
{
    struct alu_warp self;
    struct ptx_op op;
    alu_op_init(spelling, isa, &op);
    for (unsigned first = 0; first < ALU_LANES; first += PTX_LANES) {
        alu_warp_init(&self, UINT32_MAX, true);
        for (unsigned i = 0; i < PTX_LANES; ++i) {
            for (unsigned s = 0; s < spelling->count; ++s)
                alu_put(&self, (s + 1) * ALU_SLOT, spelling->sources[s], i,
                        alu_input(spelling, first + i, s));
            if (alu_takes_carry(spelling))
                self.warp.carry |= (uint32_t)alu_carry_in(spelling, first + i) << i;
        }
        if (op.run(&self.warp, &op) != &op + 1)
            return false;
        for (unsigned i = 0; i < PTX_LANES; ++i) {
            out_d[first + i] = alu_result(&self, spelling, i);
            out_q[first + i] =
                spelling->second ? alu_get(&self, ALU_SLOT_Q, "pred", i) : self.warp.carry >> i & 1;
        }
    }
    return true;
}

#endif
