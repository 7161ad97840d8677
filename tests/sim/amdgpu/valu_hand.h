/* Waves and vector instructions without code or launch. The executor's functions are replaced
 * below; faults are counted. Include after cmocka.h, in one file of a program. */
#ifndef TESTS_SIM_AMDGPU_VALU_HAND_H
#define TESTS_SIM_AMDGPU_VALU_HAND_H

#include "amdgpu_valu.h"
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALU_VGPRS = 128, VALU_AGPRS = 8 };

struct valu {
    struct amdgpu_wave wave;
    _Alignas(64) uint32_t v[(VALU_VGPRS + VALU_AGPRS) * 64];
    enum amdgpu_isa isa;
    const struct amdgpu_valu_table *table;
    unsigned faults;
};
static struct valu valu;

/* ---- the executor ---------------------------------------------------------------------- */

const uint32_t *amdgpu_live(struct amdgpu_wave *wave)
{
    uint64_t exec = amdgpu_exec(wave);
    for (unsigned lane = 0; lane < AMDGPU_LANES_MAX; lane++)
        wave->live[lane] = exec >> lane & 1 ? UINT32_MAX : 0;
    wave->live_for = exec;
    return wave->live;
}

uint64_t amdgpu_scalar(const struct amdgpu_wave *wave, const struct amdgpu_source *source)
{
    if (source->kind == AMDGPU_CONST)
        return source->value;
    return source->count > 1 ? amdgpu_s64(wave, source->reg) : wave->s[source->reg];
}

bool amdgpu_source_of(const struct amdgpu_operand *operand, struct amdgpu_source *out_source)
{
    *out_source = (struct amdgpu_source){.kind = operand->kind,
                                         .count = operand->count,
                                         .reg = operand->reg,
                                         .value = operand->value};
    return operand->kind == AMDGPU_SREG || operand->kind == AMDGPU_VREG ||
           operand->kind == AMDGPU_CONST;
}

const struct amdgpu_op *amdgpu_fail(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                    const struct amdgpu_fault *fault)
{
    (void)wave, (void)op, (void)fault;
    valu.faults++;
    return NULL;
}

/* ---- a wave ------------------------------------------------------------------------------- */

static void valu_begin(enum amdgpu_isa isa, unsigned lanes, enum sim_isa host)
{
    memset(&valu, 0, sizeof valu);
    valu.isa = isa;
    valu.table = amdgpu_valu_tables[host];
    valu.wave.v = valu.v;
    valu.wave.lanes = lanes;
    valu.wave.vgprs = VALU_VGPRS;
    valu.wave.agprs = VALU_AGPRS;
    valu.wave.m0 = isa < AMDGPU_GFX1100 ? 124 : 125;
    valu.wave.mode = 0x3f0; /* IEEE, DX10_CLAMP, subnormals */
    amdgpu_set_s64(&valu.wave, AMDGPU_EXEC, amdgpu_all_lanes(&valu.wave));
}

static inline uint64_t valu_get(unsigned reg, unsigned registers, unsigned lane)
{
    const uint32_t *v = valu.v + (size_t)reg * valu.wave.lanes + lane;
    return registers == 2 ? v[0] | (uint64_t)v[valu.wave.lanes] << 32 : v[0];
}
static inline void valu_set(unsigned reg, unsigned registers, unsigned lane, uint64_t value)
{
    uint32_t *v = valu.v + (size_t)reg * valu.wave.lanes + lane;
    v[0] = (uint32_t)value;
    if (registers == 2)
        v[valu.wave.lanes] = (uint32_t)(value >> 32);
}

/* ---- instructions --------------------------------------------------------------------------- */

/* The row of an instruction set that has an effect, one of VOPD if there is no other; NULL: there
 * is none. */
static inline const struct amdgpu_row *valu_row(enum amdgpu_isa isa, unsigned id)
{
    const struct amdgpu_row *row, *component = NULL;
    for (size_t i = 0; (row = amdgpu_row_at(i)); i++) {
        if (row->id != id || !(row->isas >> isa & 1))
            continue;
        if (row->format != AMDGPU_VOPD)
            return row;
        component = row;
    }
    return component;
}

static inline struct amdgpu_operand valu_vreg(unsigned reg, unsigned count)
{
    return (struct amdgpu_operand){
        .kind = AMDGPU_VREG, .count = (unsigned char)count, .reg = (unsigned short)reg};
}
static inline struct amdgpu_operand valu_sreg(unsigned reg, unsigned count)
{
    return (struct amdgpu_operand){
        .kind = AMDGPU_SREG, .count = (unsigned char)count, .reg = (unsigned short)reg};
}
static inline struct amdgpu_operand valu_const(uint64_t value, unsigned count)
{
    return (struct amdgpu_operand){
        .kind = AMDGPU_CONST, .count = (unsigned char)count, .value = value};
}

/* Emits and runs an instruction; false: it has no effect. */
static inline bool valu_run(const struct amdgpu_inst *inst)
{
    struct amdgpu_inst copy = *inst;
    struct amdgpu_op ops[3] = {{.inst = &copy, .length = 8, .step = 2 * sizeof *ops}};
    if (!amdgpu_valu_emit(valu.table, valu.isa, valu.wave.lanes, &copy, &ops[0]))
        return false;
    rows_executed(valu.isa, inst);
    return ops[0].run(&valu.wave, &ops[0]) == &ops[2];
}

#endif
