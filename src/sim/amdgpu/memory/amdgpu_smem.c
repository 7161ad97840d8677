/* SMEM: scalar loads and stores, scalar caches (there are none) and clocks.
 *
 * op: src[0] the SGPRs of the base or of the resource descriptor, src[2] the scalar
 * offset, dst the first SGPR of the data, count how many. */
#include "amdgpu_access.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- one access ----------------------------------------------------------------------- */

static const struct amdgpu_op *refuse(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                      uint64_t address, bool write)
{
    char what[64];
    snprintf(what, sizeof what, "%s %u bytes of global memory", write ? "writes" : "reads",
             op->count * 4u);
    struct amdgpu_fault fault = {.kind = AMDGPU_END_MEMORY,
                                 .what = what,
                                 .has_address = true,
                                 .address = address,
                                 .lane = -1};
    return amdgpu_fail(wave, op, &fault);
}

/* One dword at a time, for accesses of more than one granule. */
__attribute__((no_sanitize("thread"))) static bool copy_words(const struct amdgpu_wave *wave,
                                                              uint64_t address, uint32_t *words,
                                                              unsigned count, bool write)
{
    int device = wave->block->dispatch->device->device;
    for (unsigned i = 0; i < count; i++) {
        unsigned char *where = sim_translate(device, address + 4 * i, 4, write);
        if (!where)
            return false;
        if (write)
            memcpy(where, words + i, 4);
        else
            memcpy(words + i, where, 4);
    }
    return true;
}

static uint64_t address_of(const struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    uint64_t offset = (uint64_t)op->offset_bytes;
    if (op->src[2].kind != AMDGPU_NONE)
        offset += (uint32_t)amdgpu_scalar(wave, &op->src[2]);
    return (amdgpu_s64(wave, op->src[0].reg) + offset) & ~UINT64_C(3);
}

#define LOAD(count)                                                                                \
    __attribute__((no_sanitize("thread"))) static const struct amdgpu_op *load_##count(            \
        struct amdgpu_wave *wave, const struct amdgpu_op *op)                                      \
    {                                                                                              \
        uint64_t address = address_of(wave, op);                                                   \
        unsigned char *where = NULL;                                                               \
        if (address % SIM_GRANULE <= SIM_GRANULE - 4 * count)                                      \
            where =                                                                                \
                sim_translate(wave->block->dispatch->device->device, address, 4 * count, false);   \
        if (where)                                                                                 \
            memcpy(&wave->s[op->dst], where, 4 * count);                                           \
        else if (!copy_words(wave, address, &wave->s[op->dst], count, false))                      \
            return refuse(wave, op, address, false);                                               \
        return amdgpu_next(op);                                                                    \
    }
LOAD(1)
LOAD(2)
LOAD(4)
LOAD(8)
LOAD(16)
#undef LOAD

/* s_scratch_load and s_scratch_store: the scalar offset is of 64 bytes. */
static uint64_t scratch_address(const struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    uint64_t offset = (uint64_t)op->offset_bytes;
    if (op->src[2].kind != AMDGPU_NONE)
        offset += (uint64_t)(uint32_t)amdgpu_scalar(wave, &op->src[2]) * 64;
    return (amdgpu_s64(wave, op->src[0].reg) + offset) & ~UINT64_C(3);
}

static const struct amdgpu_op *load_scratch(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    uint64_t address = scratch_address(wave, op);
    if (!copy_words(wave, address, &wave->s[op->dst], op->count, false))
        return refuse(wave, op, address, false);
    return amdgpu_next(op);
}

static const struct amdgpu_op *store_scratch(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    uint64_t address = scratch_address(wave, op);
    if (!copy_words(wave, address, &wave->s[op->dst], op->count, true))
        return refuse(wave, op, address, true);
    if (sim_memory_tracking)
        sim_memory_wrote(address, op->count * 4u);
    return amdgpu_next(op);
}

/* The result is discarded, but the access is made. */
static const struct amdgpu_op *load_nowhere(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    uint32_t words[16];
    uint64_t address = address_of(wave, op);
    if (!copy_words(wave, address, words, op->count, false))
        return refuse(wave, op, address, false);
    return amdgpu_next(op);
}

static const struct amdgpu_op *store(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    uint64_t address = address_of(wave, op);
    if (!copy_words(wave, address, &wave->s[op->dst], op->count, true))
        return refuse(wave, op, address, true);
    if (sim_memory_tracking)
        sim_memory_wrote(address, op->count * 4u);
    return amdgpu_next(op);
}

/* ---- atomics -------------------------------------------------------------------------- */

/* *old: the old value. */
__attribute__((no_sanitize("thread"))) static bool
change(struct amdgpu_wave *wave, const struct amdgpu_op *op, bool adds, uint64_t *out_old)
{
    uint64_t address = address_of(wave, op), size = op->count * 4u;
    unsigned char *where = NULL;
    if (address % size == 0)
        where = sim_translate(wave->block->dispatch->device->device, address, size, true);
    if (!where)
        return false;
    uint64_t value = size == 8 ? amdgpu_s64(wave, op->dst) : wave->s[op->dst];
    uint64_t *wide = (uint64_t *)(void *)where;
    uint32_t *narrow = (uint32_t *)(void *)where;
    if (size == 8)
        *out_old = adds ? __atomic_fetch_add(wide, value, __ATOMIC_SEQ_CST)
                        : __atomic_exchange_n(wide, value, __ATOMIC_SEQ_CST);
    else
        *out_old = adds ? __atomic_fetch_add(narrow, (uint32_t)value, __ATOMIC_SEQ_CST)
                        : __atomic_exchange_n(narrow, (uint32_t)value, __ATOMIC_SEQ_CST);
    if (sim_memory_tracking)
        sim_memory_wrote(address, size);
    return true;
}

static const struct amdgpu_op *run_atomic(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                          bool adds)
{
    uint64_t old;
    if (!change(wave, op, adds, &old))
        return refuse(wave, op, address_of(wave, op), true);
    if (op->bits && op->count == 2)
        amdgpu_set_s64(wave, op->dst, old);
    else if (op->bits)
        wave->s[op->dst] = (uint32_t)old;
    return amdgpu_next(op);
}

static const struct amdgpu_op *swap(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    return run_atomic(wave, op, false);
}

static const struct amdgpu_op *add(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    return run_atomic(wave, op, true);
}

/* ---- buffers -------------------------------------------------------------------------- */

/* How many dwords of an access are in bounds: those beyond read as 0 and are not written. */
static unsigned in_bounds(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                          uint64_t *out_address)
{
    const uint32_t *word = &wave->s[op->src[0].reg];
    uint64_t offset = (uint64_t)op->offset_bytes;
    if (op->src[2].kind != AMDGPU_NONE)
        offset += (uint32_t)amdgpu_scalar(wave, &op->src[2]);
    offset &= ~UINT64_C(3);
    uint64_t stride = word[1] >> 16 & 0x3fff, size = word[2] * (stride ? stride : 1);
    *out_address = (word[0] | (uint64_t)(word[1] & 0xffff) << 32) + offset;
    if (offset >= size)
        return 0;
    uint64_t words = (size - offset) / 4;
    return words < op->count ? (unsigned)words : op->count;
}

static const struct amdgpu_op *load_buffer(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    uint64_t address;
    uint32_t words[16] = {0};
    unsigned count = in_bounds(wave, op, &address);
    if (!copy_words(wave, address, words, count, false))
        return refuse(wave, op, address, false);
    if (op->dst < AMDGPU_SREGS)
        memcpy(&wave->s[op->dst], words, op->count * 4u);
    return amdgpu_next(op);
}

static const struct amdgpu_op *store_buffer(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    uint64_t address;
    unsigned count = in_bounds(wave, op, &address);
    if (!copy_words(wave, address, &wave->s[op->dst], count, true))
        return refuse(wave, op, address, true);
    if (sim_memory_tracking)
        sim_memory_wrote(address, count * 4u);
    return amdgpu_next(op);
}

/* ---- other instructions ----------------------------------------------------------------- */

static const struct amdgpu_op *nothing(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    (void)wave;
    atomic_signal_fence(memory_order_seq_cst);
    return amdgpu_next(op);
}

static const struct amdgpu_op *cycles(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    amdgpu_set_s64(wave, op->dst, amdgpu_cycles(wave));
    return amdgpu_next(op);
}

static const struct amdgpu_op *real_time(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    (void)wave;
    amdgpu_set_s64(wave, op->dst, amdgpu_clock());
    return amdgpu_next(op);
}

/* ---- emit ----------------------------------------------------------------------------- */

static const struct scalar_row {
    unsigned short id;
    unsigned char count; /* dwords; 0: no access */
    bool write;
    amdgpu_handler run;
} rows[] = {
    {AMDGPU_ID_S_LOAD_B32, 1, false, load_1},
    {AMDGPU_ID_S_LOAD_B64, 2, false, load_2},
    {AMDGPU_ID_S_LOAD_B128, 4, false, load_4},
    {AMDGPU_ID_S_LOAD_B256, 8, false, load_8},
    {AMDGPU_ID_S_LOAD_B512, 16, false, load_16},
    {AMDGPU_ID_S_BUFFER_LOAD_B32, 1, false, load_buffer},
    {AMDGPU_ID_S_BUFFER_LOAD_B64, 2, false, load_buffer},
    {AMDGPU_ID_S_BUFFER_LOAD_B128, 4, false, load_buffer},
    {AMDGPU_ID_S_BUFFER_LOAD_B256, 8, false, load_buffer},
    {AMDGPU_ID_S_BUFFER_LOAD_B512, 16, false, load_buffer},
    {AMDGPU_ID_S_SCRATCH_LOAD_DWORD, 1, false, load_scratch},
    {AMDGPU_ID_S_SCRATCH_LOAD_DWORDX2, 2, false, load_scratch},
    {AMDGPU_ID_S_SCRATCH_LOAD_DWORDX4, 4, false, load_scratch},
    {AMDGPU_ID_S_STORE_DWORD, 1, true, store},
    {AMDGPU_ID_S_STORE_DWORDX2, 2, true, store},
    {AMDGPU_ID_S_STORE_DWORDX4, 4, true, store},
    {AMDGPU_ID_S_BUFFER_STORE_DWORD, 1, true, store_buffer},
    {AMDGPU_ID_S_BUFFER_STORE_DWORDX2, 2, true, store_buffer},
    {AMDGPU_ID_S_BUFFER_STORE_DWORDX4, 4, true, store_buffer},
    {AMDGPU_ID_S_SCRATCH_STORE_DWORD, 1, true, store_scratch},
    {AMDGPU_ID_S_SCRATCH_STORE_DWORDX2, 2, true, store_scratch},
    {AMDGPU_ID_S_SCRATCH_STORE_DWORDX4, 4, true, store_scratch},
    {AMDGPU_ID_S_ATOMIC_SWAP, 1, true, swap},
    {AMDGPU_ID_S_ATOMIC_SWAP_X2, 2, true, swap},
    {AMDGPU_ID_S_ATOMIC_ADD, 1, true, add},
    {AMDGPU_ID_S_ATOMIC_ADD_X2, 2, true, add},
    {AMDGPU_ID_S_MEMTIME, 0, false, cycles},
    {AMDGPU_ID_S_MEMREALTIME, 0, false, real_time},
    {AMDGPU_ID_S_DCACHE_INV, 0, false, nothing},
    {AMDGPU_ID_S_DCACHE_INV_VOL, 0, false, nothing},
    {AMDGPU_ID_S_DCACHE_WB, 0, false, nothing},
    {AMDGPU_ID_S_DCACHE_WB_VOL, 0, false, nothing},
    {AMDGPU_ID_S_DCACHE_DISCARD, 0, false, nothing},
    {AMDGPU_ID_S_DCACHE_DISCARD_X2, 0, false, nothing},
    {AMDGPU_ID_S_ATC_PROBE, 0, false, nothing},
    {AMDGPU_ID_S_ATC_PROBE_BUFFER, 0, false, nothing},
    {AMDGPU_ID_S_GL1_INV, 0, false, nothing},
};

/* The registers of a clock's or a load's result, or of a store's data. False: there are none. */
static bool emit_data(const struct scalar_row *row, const struct amdgpu_inst *inst,
                      struct amdgpu_op *op)
{
    const struct amdgpu_operand *data = row->write ? &inst->data : &inst->dst[0];
    unsigned count = row->count ? row->count : 2;
    op->count = row->count;
    op->dst = data->reg;
    op->bits = inst->glc; /* of atomics: whether they return the old value */
    if (data->kind == AMDGPU_SREG)
        return data->reg + count <= AMDGPU_SREGS;
    if (data->kind != AMDGPU_NULL || row->write)
        return false;
    op->dst = AMDGPU_SREGS; /* discarded */
    if (row->run == cycles || row->run == real_time)
        op->run = nothing;
    else if (row->run != load_buffer)
        op->run = load_nowhere;
    return true;
}

bool amdgpu_emit_smem(const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    const struct scalar_row *row = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !row; i++)
        if (rows[i].id == inst->row->id)
            row = &rows[i];
    if (!row)
        return false;
    op->run = row->run;
    if (row->run == nothing)
        return true;
    if (!emit_data(row, inst, op))
        return false;
    if (!row->count)
        return true;
    op->offset_bytes = inst->offset;
    if (inst->addr.kind != AMDGPU_SREG || !amdgpu_source_of(&inst->addr, &op->src[0]) ||
        !amdgpu_source_of(&inst->soffset, &op->src[2]))
        return false;
    if (op->src[2].kind == AMDGPU_NULL)
        op->src[2].kind = AMDGPU_NONE;
    return true;
}
