/* Waves and instructions without code, decoder or launch, for tests of memory instructions. The
 * executor's functions are replaced below: faults are recorded. Include after cmocka.h, in one file
 * of a program. */
#ifndef TESTS_SIM_AMDGPU_HAND_H
#define TESTS_SIM_AMDGPU_HAND_H

#include "amdgpu_exec.h"
#include "amdgpu_memory.h"
#include "rows.h"
#include "sim_memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HAND_VGPRS = 64, HAND_SCRATCH = 256, HAND_STRIDE = 272, HAND_LDS = 4096 };
#define HAND_SCRATCH_ADDRESS UINT64_C(0x7f4567800000)

struct hand {
    struct amdgpu_device device;
    struct amdgpu_dispatch dispatch;
    struct amdgpu_block block;
    struct amdgpu_wave waves[2];
    _Alignas(64) uint32_t v[2][(HAND_VGPRS + 16) * 64];
    unsigned char lds[HAND_LDS];
    unsigned char scratch[128 * HAND_STRIDE];
    /* the last op's fault */
    bool failed;
    struct amdgpu_fault fault;
    char what[256];
    enum amdgpu_isa isa;
    uint64_t seed;
};
static struct hand hand;

/* ---- the executor --------------------------------------------------------------------- */

const uint32_t *amdgpu_live(struct amdgpu_wave *wave)
{
    uint64_t exec = amdgpu_exec(wave);
    for (unsigned lane = 0; exec != wave->live_for && lane < AMDGPU_LANES_MAX; lane++)
        wave->live[lane] = exec >> lane & 1 ? UINT32_MAX : 0;
    wave->live_for = exec;
    return wave->live;
}

uint64_t amdgpu_scalar(const struct amdgpu_wave *wave, const struct amdgpu_source *source)
{
    if (source->kind == AMDGPU_CONST)
        return source->value;
    if (source->kind != AMDGPU_SREG)
        return 0;
    return source->count > 1 ? amdgpu_s64(wave, source->reg) : wave->s[source->reg];
}

bool amdgpu_source_of(const struct amdgpu_operand *operand, struct amdgpu_source *out_source)
{
    *out_source = (struct amdgpu_source){.kind = operand->kind,
                                         .count = operand->count,
                                         .reg = operand->reg,
                                         .value = operand->value};
    return true;
}

const struct amdgpu_op *amdgpu_fail(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                    const struct amdgpu_fault *fault)
{
    (void)wave;
    (void)op;
    hand.failed = true;
    hand.fault = *fault;
    snprintf(hand.what, sizeof hand.what, "%s", fault->what);
    hand.fault.what = hand.what;
    return NULL;
}

uint64_t amdgpu_address(const struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    (void)wave;
    return 0x1000 + op->offset;
}

const struct amdgpu_op *amdgpu_pause(struct amdgpu_wave *wave, const struct amdgpu_op *next,
                                     enum sim_wave pause)
{
    wave->next = next;
    wave->pause = pause;
    return NULL;
}

uint64_t amdgpu_cycles(const struct amdgpu_wave *wave)
{
    (void)wave;
    return UINT64_C(0x1122334455667788);
}

uint64_t amdgpu_clock(void)
{
    return UINT64_C(0x99aabbccddeeff00);
}

/* ---- a wave --------------------------------------------------------------------------- */

static inline uint32_t hand_random(void)
{
    hand.seed = hand.seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(hand.seed >> 32);
}

static inline struct amdgpu_wave *hand_wave(void)
{
    return &hand.waves[0];
}

static inline uint32_t *hand_v(unsigned reg)
{
    return amdgpu_v(hand_wave(), reg);
}

static inline void hand_exec(uint64_t exec)
{
    amdgpu_set_s64(hand_wave(), AMDGPU_EXEC, hand_wave()->lanes == 64 ? exec : (uint32_t)exec);
}

/* Two waves whose registers, LDS and scratch have distinct contents. */
static inline void hand_begin(enum amdgpu_isa isa, unsigned lanes)
{
    memset(&hand, 0, sizeof hand);
    hand.isa = isa;
    hand.seed = 1;
    hand.dispatch.device = &hand.device;
    hand.dispatch.lanes = lanes;
    hand.block = (struct amdgpu_block){.dispatch = &hand.dispatch,
                                       .lds = hand.lds,
                                       .lds_size = HAND_LDS,
                                       .scratch = hand.scratch,
                                       .scratch_size = HAND_SCRATCH,
                                       .scratch_stride = HAND_STRIDE,
                                       .wave_scratch = lanes * HAND_STRIDE,
                                       .scratch_address = HAND_SCRATCH_ADDRESS,
                                       .wave_count = 2,
                                       .waves = hand.waves};
    for (size_t i = 0; i < sizeof hand.lds; i++)
        hand.lds[i] = (unsigned char)hand_random();
    for (size_t i = 0; i < sizeof hand.scratch; i++)
        hand.scratch[i] = (unsigned char)hand_random();
    for (unsigned w = 0; w < 2; w++) {
        struct amdgpu_wave *wave = &hand.waves[w];
        wave->v = hand.v[w];
        wave->lanes = lanes;
        wave->vgprs = HAND_VGPRS;
        wave->agprs = 16;
        wave->m0 = isa < AMDGPU_GFX1100 ? 124 : 125;
        wave->mode = 0xf0;
        wave->number = w;
        wave->block = &hand.block;
        for (size_t i = 0; i < sizeof hand.v[w] / 4; i++)
            wave->v[i] = hand_random();
        amdgpu_set_s64(wave, AMDGPU_EXEC, amdgpu_all_lanes(wave));
    }
}

/* ---- an instruction ------------------------------------------------------------------- */

static inline const struct amdgpu_row *hand_row(const char *name)
{
    const struct amdgpu_row *row;
    for (size_t i = 0; (row = amdgpu_row_at(i)); i++)
        if (strcmp(row->name, name) == 0 && row->isas >> hand.isa & 1 && row->format >= AMDGPU_SMEM)
            return row;
    return NULL;
}

static inline struct amdgpu_operand hand_vregs(unsigned reg, unsigned count)
{
    return (struct amdgpu_operand){
        .kind = AMDGPU_VREG, .reg = (unsigned short)reg, .count = (unsigned char)count};
}

static inline struct amdgpu_operand hand_sregs(unsigned reg, unsigned count)
{
    return (struct amdgpu_operand){
        .kind = AMDGPU_SREG, .reg = (unsigned short)reg, .count = (unsigned char)count};
}

static inline unsigned hand_registers(unsigned type)
{
    switch (type) {
    case AMDGPU_NOTYPE:
        return 0;
    case AMDGPU_B64:
    case AMDGPU_I64:
    case AMDGPU_U64:
    case AMDGPU_F64:
        return 2;
    case AMDGPU_B96:
        return 3;
    case AMDGPU_B128:
        return 4;
    case AMDGPU_B256:
        return 8;
    case AMDGPU_B512:
        return 16;
    default:
        return 1;
    }
}

/* The registers of the operands of instructions made here. */
enum {
    V_ADDRESS = 2,
    V_DATA = 8,
    V_DATA1 = 12,
    V_DST = 20,
    S_BASE = 8,
    S_OFFSET = 16,
    S_DATA = 20
};

/* An instruction with its operands in the usual places; vector ones have an address of
 * address registers (0: none) and, if base is set, a scalar one. */
static inline struct amdgpu_inst hand_inst(const char *name, unsigned address, bool base)
{
    const struct amdgpu_row *row = hand_row(name);
    if (!row)
        fail_msg("no row %s", name);
    struct amdgpu_inst inst = {.row = row, .format = row->format, .length = 8};
    bool scalar = row->format == AMDGPU_SMEM;
    unsigned dst = hand_registers(row->dst[0]);
    if (dst && (!(row->flags & AMDGPU_ROW_ATOMIC) || row->flags & AMDGPU_ROW_RETURNS))
        inst.dst[0] = scalar ? hand_sregs(S_DATA, dst) : hand_vregs(V_DST, dst);
    if (row->src[0] != AMDGPU_NOTYPE)
        inst.data = scalar ? hand_sregs(S_DATA, hand_registers(row->src[0]))
                           : hand_vregs(V_DATA, hand_registers(row->src[0]));
    if (row->src[1] != AMDGPU_NOTYPE)
        inst.data1 = hand_vregs(V_DATA1, hand_registers(row->src[1]));
    if (address)
        inst.addr = scalar ? hand_sregs(S_BASE, address) : hand_vregs(V_ADDRESS, address);
    if (base)
        inst.saddr = hand_sregs(S_BASE, row->format == AMDGPU_MUBUF ? 4 : 2);
    if (row->format == AMDGPU_MUBUF)
        inst.soffset = (struct amdgpu_operand){.kind = AMDGPU_CONST, .count = 1};
    return inst;
}

/* Emits and runs it on a wave; returns whether the wave continued. An instruction that cannot be
 * emitted fails the test. */
static inline bool hand_run_on(struct amdgpu_wave *wave, struct amdgpu_inst *inst)
{
    struct amdgpu_op ops[4];
    memset(ops, 0, sizeof ops);
    ops[0].length = inst->length;
    ops[0].inst = inst;
    ops[0].offset = 8;
    if (!amdgpu_emit_memory(hand.isa, wave->lanes, inst, &ops[0]))
        fail_msg("%s is refused", inst->row->name);
    assert_non_null(ops[0].run);
    hand.failed = false;
    const struct amdgpu_op *next = ops[0].run(wave, &ops[0]);
    if (next)
        assert_ptr_equal(next, amdgpu_next(&ops[0]));
    assert_int_equal(!next, hand.failed);
    rows_executed(hand.isa, inst);
    return next;
}

static inline bool hand_run(struct amdgpu_inst *inst)
{
    return hand_run_on(hand_wave(), inst);
}

/* ---- memory --------------------------------------------------------------------------- */

static inline int hand_open(void **state)
{
    (void)state;
    size_t bytes[2] = {(size_t)1 << 30, (size_t)1 << 30};
    return sim_space_open(bytes, 2) ? 0 : -1;
}

static inline int hand_close(void **state)
{
    (void)state;
    sim_space_close();
    return 0;
}

static inline struct sim_memory *hand_memory(size_t size)
{
    struct sim_memory *memory = sim_memory_create(SIM_MEMORY_DEVICE, 0, size, 0);
    assert_non_null(memory);
    for (size_t i = 0; i < size; i++)
        memory->view[i] = (unsigned char)hand_random();
    return memory;
}

/* Each lane's 64-bit address. */
static inline void hand_addresses(const uint64_t at[64])
{
    for (unsigned lane = 0; lane < hand_wave()->lanes; lane++) {
        hand_v(V_ADDRESS)[lane] = (uint32_t)at[lane];
        hand_v(V_ADDRESS + 1)[lane] = (uint32_t)(at[lane] >> 32);
    }
}

#endif
