/* Emits memory instructions, and handles their rare cases: addresses lane by lane, elements that
 * are not contiguous, inaccessible addresses. Loads and stores themselves are in
 * amdgpu_access.c. */
#include "amdgpu_mimg.h"
#include "sim_isa.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- the host's instruction sets ------------------------------------------------------ */

static const struct amdgpu_access_functions *chosen;

static void choose(void)
{
#define TABLE(isa, name) [SIM_ISA_##isa] = &amdgpu_access_##name,
    static const struct amdgpu_access_functions *const functions[] = {SIM_ISAS(TABLE)};
#undef TABLE
    chosen = functions[sim_isa()];
}

const struct amdgpu_access_functions *amdgpu_access_functions(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose);
    return chosen;
}

/* ---- addresses ------------------------------------------------------------------------ */

static void global_addresses(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                             struct amdgpu_places *places)
{
    bool has_base = op->src[1].kind != AMDGPU_NONE, has_lanes = op->src[0].kind != AMDGPU_NONE;
    uint64_t base = has_base ? amdgpu_s64(wave, op->src[1].reg) : 0;
    base += (uint64_t)op->offset_bytes;
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        uint64_t at = base + (op->bits & AMDGPU_TID ? 4 * lane : 0);
        if (has_lanes)
            at += amdgpu_v(wave, op->src[0].reg)[lane];
        if (has_lanes && !has_base)
            at += (uint64_t)amdgpu_v(wave, op->src[0].reg + 1u)[lane] << 32;
        places->at[lane] = at;
    }
}

static void window_addresses(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                             uint64_t window, uint32_t offset, bool has_lanes,
                             struct amdgpu_places *places)
{
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        uint32_t own = has_lanes ? amdgpu_v(wave, op->src[0].reg)[lane] : 0;
        own += op->bits & AMDGPU_TID ? 4 * lane : 0;
        places->at[lane] = window + (uint32_t)(own + offset);
    }
}

void amdgpu_addresses(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                      struct amdgpu_places *places)
{
    const struct amdgpu_access *access = op->effect;
    bool has_lanes = op->src[0].kind != AMDGPU_NONE;
    uint32_t offset = (uint32_t)op->offset_bytes;
    places->copied = 0;
    places->piece = 0;
    places->windows = access->space != AMDGPU_SPACE_GLOBAL;
    switch (access->space) {
    case AMDGPU_SPACE_LDS:
        offset += op->bits & AMDGPU_TID ? wave->s[wave->m0] & 0xffff : 0;
        window_addresses(wave, op, SIM_SHARED_WINDOW, offset, has_lanes, places);
        break;
    case AMDGPU_SPACE_SCRATCH:
        if (op->src[1].kind != AMDGPU_NONE)
            offset += (uint32_t)amdgpu_scalar(wave, &op->src[1]);
        window_addresses(wave, op, SIM_LOCAL_WINDOW, offset, has_lanes, places);
        break;
    case AMDGPU_SPACE_BUFFER:
        if (amdgpu_buffer_is_scratch(wave, op, &offset))
            window_addresses(wave, op, SIM_LOCAL_WINDOW, offset, op->bits & AMDGPU_OFFEN, places);
        else
            amdgpu_buffer_addresses(wave, op, places);
        break;
    default:
        global_addresses(wave, op, places);
    }
}

/* ---- faults --------------------------------------------------------------------------- */

/* Reports lane's access, which is inaccessible or misaligned. */
static bool refuse(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                   const struct amdgpu_places *places, unsigned lane, bool misaligned)
{
    const struct amdgpu_access *access = op->effect;
    const struct amdgpu_block *block = wave->block;
    const char *does = access->atomic ? "changes" : access->write ? "writes" : "reads";
    char what[128];
    uint64_t address = places->at[lane];
    struct amdgpu_fault fault = {.kind = AMDGPU_END_MEMORY,
                                 .what = what,
                                 .has_address = true,
                                 .address = address,
                                 .lane = (int)lane};
    if (places->windows && amdgpu_is_lds(address)) {
        fault.kind = AMDGPU_END_SHARED;
        fault.whose = AMDGPU_OF_BLOCK;
        fault.address = (uint32_t)address;
        snprintf(what, sizeof what, "%s %u bytes of shared memory (of %zu bytes)", does,
                 access->bytes, block->lds_size);
    } else if (places->windows && amdgpu_is_scratch(address)) {
        fault.kind = AMDGPU_END_SCRATCH;
        fault.whose = AMDGPU_OF_THREAD;
        fault.address = (uint32_t)address;
        snprintf(what, sizeof what, "%s %u bytes of local memory (of %zu bytes)", does,
                 access->bytes, block->scratch_size);
    } else {
        snprintf(what, sizeof what, "%s %u bytes of global memory", does, access->bytes);
    }
    if (misaligned) {
        fault.kind = AMDGPU_END_ALIGNMENT;
        snprintf(what, sizeof what,
                 "updates %u bytes at an address that is not a multiple of that size",
                 access->bytes);
    }
    amdgpu_fail(wave, op, &fault);
    return false;
}

/* ---- lane by lane --------------------------------------------------------------------- */

static unsigned char *within(unsigned char *start, size_t limit, uint64_t offset, unsigned bytes)
{
    return offset < limit && limit - offset >= bytes ? start + offset : NULL;
}

/* Translates the contiguous bytes of a lane; NULL: they are not in one piece of memory. */
static unsigned char *translate_lane(struct amdgpu_wave *wave, unsigned lane, uint64_t address,
                                     unsigned bytes, bool write, bool windows)
{
    const struct amdgpu_block *block = wave->block;
    int device = block->dispatch->device->device;
    if (windows && amdgpu_is_lds(address))
        return within(block->lds, block->lds_size, (uint32_t)address, bytes);
    if (windows && amdgpu_is_scratch(address))
        return within(amdgpu_scratch(wave, lane), block->scratch_size, (uint32_t)address, bytes);
    unsigned part = SIM_GRANULE - (unsigned)(address % SIM_GRANULE);
    if (part >= bytes)
        return sim_translate(device, address, bytes, write);
    unsigned char *start = sim_translate(device, address, part, write);
    if (!start || sim_translate(device, address + part, bytes - part, write) != start + part)
        return NULL;
    return start;
}

/* Copies those bytes that exist. False: some of them are inaccessible. */
__attribute__((no_sanitize("thread"))) static bool copy_lane(struct amdgpu_wave *wave,
                                                             const struct amdgpu_access *access,
                                                             unsigned lane,
                                                             struct amdgpu_places *places)
{
    unsigned char *copy = places->copies[lane];
    memset(copy, 0, sizeof places->copies[lane]);
    for (unsigned i = 0; i < access->bytes; i++) {
        if (!(places->present[lane] >> i & 1))
            continue;
        const unsigned char *byte = translate_lane(wave, lane, amdgpu_byte_address(places, lane, i),
                                                   1, access->write, places->windows);
        if (!byte)
            return false;
        copy[i] = *byte;
    }
    places->where[lane] = copy;
    return true;
}

static bool place_lane(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lane,
                       struct amdgpu_places *places)
{
    const struct amdgpu_access *access = op->effect;
    uint64_t at = places->at[lane];
    if (places->copied >> lane & 1)
        return copy_lane(wave, access, lane, places);
    places->where[lane] =
        translate_lane(wave, lane, at, access->bytes, access->write, places->windows);
    if (places->where[lane] || access->atomic)
        return places->where[lane];
    places->present[lane] = UINT16_MAX; /* in two adjacent allocations? */
    places->copied |= UINT64_C(1) << lane;
    return copy_lane(wave, access, lane, places);
}

bool amdgpu_translate_lanes(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                            struct amdgpu_places *places)
{
    const struct amdgpu_access *access = op->effect;
    for (uint64_t left = amdgpu_exec(wave); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        bool exists = !(places->copied >> lane & 1);
        if (access->atomic && exists && places->at[lane] & (access->bytes - 1u))
            return refuse(wave, op, places, lane, true);
        if (!place_lane(wave, op, lane, places))
            return refuse(wave, op, places, lane, false);
    }
    return true;
}

__attribute__((no_sanitize("thread"))) void amdgpu_write_copies(struct amdgpu_wave *wave,
                                                                const struct amdgpu_op *op,
                                                                struct amdgpu_places *places)
{
    const struct amdgpu_access *access = op->effect;
    for (uint64_t left = amdgpu_exec(wave) & places->copied; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        for (unsigned i = 0; i < access->bytes; i++) {
            unsigned char *byte = NULL;
            if (places->present[lane] >> i & 1)
                byte = translate_lane(wave, lane, amdgpu_byte_address(places, lane, i), 1, true,
                                      places->windows);
            if (byte)
                *byte = places->copies[lane][i];
        }
    }
}

/* ---- caches --------------------------------------------------------------------------- */

/* There are no caches; but later instructions have to see what other threads of the host wrote. */
static const struct amdgpu_op *fence(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    (void)wave;
    atomic_thread_fence(memory_order_seq_cst);
    return amdgpu_next(op);
}

/* Between waves of a block, which all run on one thread. */
static const struct amdgpu_op *fence_block(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    (void)wave;
    atomic_signal_fence(memory_order_seq_cst);
    return amdgpu_next(op);
}

static bool emit_fence(const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    switch (inst->row->id) {
    case AMDGPU_ID_BUFFER_GL0_INV:
        op->run = fence_block;
        return true;
    case AMDGPU_ID_BUFFER_GL1_INV:
    case AMDGPU_ID_BUFFER_INV:
    case AMDGPU_ID_BUFFER_INVL2:
    case AMDGPU_ID_BUFFER_WBINVL1:
    case AMDGPU_ID_BUFFER_WBINVL1_VOL:
    case AMDGPU_ID_BUFFER_WBL2:
        op->run = fence;
        return true;
    default:
        return false;
    }
}

/* ---- rows ----------------------------------------------------------------------------- */

static const struct amdgpu_access accesses[] = {
#define ACCESS(name, kind, size, writes)                                                           \
    [AMDGPU_ID_GLOBAL_##name] = {.id = AMDGPU_ID_GLOBAL_##name,                                    \
                                 .space = AMDGPU_SPACE_GLOBAL,                                     \
                                 .element = AMDGPU_ELEMENT_##kind,                                 \
                                 .bytes = size,                                                    \
                                 .write = writes},
#include "amdgpu_access.def"
#define ACCESS(name, kind, size, writes)                                                           \
    [AMDGPU_ID_FLAT_##name] = {.id = AMDGPU_ID_FLAT_##name,                                        \
                               .space = AMDGPU_SPACE_FLAT,                                         \
                               .element = AMDGPU_ELEMENT_##kind,                                   \
                               .bytes = size,                                                      \
                               .write = writes},
#include "amdgpu_access.def"
#define ACCESS(name, kind, size, writes)                                                           \
    [AMDGPU_ID_SCRATCH_##name] = {.id = AMDGPU_ID_SCRATCH_##name,                                  \
                                  .space = AMDGPU_SPACE_SCRATCH,                                   \
                                  .element = AMDGPU_ELEMENT_##kind,                                \
                                  .bytes = size,                                                   \
                                  .write = writes},
#include "amdgpu_access.def"
#define ACCESS(name, kind, size, writes)                                                           \
    [AMDGPU_ID_BUFFER_##name] = {.id = AMDGPU_ID_BUFFER_##name,                                    \
                                 .space = AMDGPU_SPACE_BUFFER,                                     \
                                 .element = AMDGPU_ELEMENT_##kind,                                 \
                                 .bytes = size,                                                    \
                                 .write = writes},
#include "amdgpu_access.def"
#define ACCESS(name, kind, size, writes, units)                                                    \
    [AMDGPU_ID_DS_##name] = {.id = AMDGPU_ID_DS_##name,                                            \
                             .space = AMDGPU_SPACE_LDS,                                            \
                             .element = AMDGPU_ELEMENT_##kind,                                     \
                             .bytes = size,                                                        \
                             .scale = units,                                                       \
                             .write = writes},
#include "amdgpu_lds.def"
    [AMDGPU_ID_GLOBAL_LOAD_ADDTID_B32] = {.id = AMDGPU_ID_GLOBAL_LOAD_ADDTID_B32,
                                          .space = AMDGPU_SPACE_GLOBAL,
                                          .element = AMDGPU_ELEMENT_32,
                                          .bytes = 4},
    [AMDGPU_ID_GLOBAL_STORE_ADDTID_B32] = {.id = AMDGPU_ID_GLOBAL_STORE_ADDTID_B32,
                                           .space = AMDGPU_SPACE_GLOBAL,
                                           .element = AMDGPU_ELEMENT_32,
                                           .bytes = 4,
                                           .write = true},
};

const struct amdgpu_access *amdgpu_plain_access(unsigned id)
{
    bool exists = id < sizeof accesses / sizeof *accesses && accesses[id].bytes;
    return exists ? &accesses[id] : NULL;
}

static bool adds_lane(unsigned id)
{
    return id == AMDGPU_ID_GLOBAL_LOAD_ADDTID_B32 || id == AMDGPU_ID_GLOBAL_STORE_ADDTID_B32 ||
           id == AMDGPU_ID_DS_LOAD_ADDTID_B32 || id == AMDGPU_ID_DS_STORE_ADDTID_B32;
}

/* ---- emit ----------------------------------------------------------------------------- */

/* The operands that all of these instructions have. False: an operand is invalid. */
static bool emit_operands(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    bool buffer = inst->row->format == AMDGPU_MUBUF || inst->row->format == AMDGPU_MTBUF;
    if (inst->tfe || inst->gds)
        return false;
    if (!amdgpu_source_of(&inst->addr, &op->src[0]) ||
        !amdgpu_source_of(&inst->saddr, &op->src[1]) ||
        !amdgpu_source_of(buffer ? &inst->soffset : &inst->data1, &op->src[2]))
        return false;
    if (op->src[1].kind == AMDGPU_NULL)
        op->src[1].kind = AMDGPU_NONE;
    if (buffer && op->src[1].kind != AMDGPU_SREG)
        return false;
    enum amdgpu_family family = amdgpu_family_of(isa);
    op->dst = inst->dst[0].reg;
    op->dst1 = inst->data.reg;
    op->offset_bytes = inst->offset;
    op->bits = (inst->offen ? AMDGPU_OFFEN : 0) | (inst->idxen ? AMDGPU_IDXEN : 0) |
               (adds_lane(inst->row->id) ? AMDGPU_TID : 0) |
               (family == AMDGPU_GFX10 ? AMDGPU_GFX10_BUFFER : 0) |
               (family == AMDGPU_GFX11 ? AMDGPU_GFX11_BUFFER : 0);
    return true;
}

static bool emit_access(unsigned lanes, const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    const struct amdgpu_access_functions *functions = amdgpu_access_functions();
    const struct amdgpu_access *access = amdgpu_plain_access(inst->row->id);
    if (!access)
        return false;
    op->effect = access;
    if (access->scale) {
        amdgpu_set_offsets(inst, access, op);
        op->run = functions->handler_of_two(access, lanes);
    } else {
        op->run = functions->handler(access, lanes);
    }
    return true;
}

bool amdgpu_emit_memory(enum amdgpu_isa isa, unsigned lanes, const struct amdgpu_inst *inst,
                        struct amdgpu_op *op)
{
    if (inst->row->format == AMDGPU_SMEM)
        return amdgpu_emit_smem(inst, op);
    if (inst->row->format == AMDGPU_MIMG)
        return amdgpu_emit_image(isa, inst, op);
    if (inst->row->format == AMDGPU_MUBUF && emit_fence(inst, op))
        return true;
    if (inst->row->format == AMDGPU_DS &&
        (amdgpu_emit_lanes(isa, lanes, inst, op) || amdgpu_emit_gws(inst, op)))
        return true;
    if (!emit_operands(isa, inst, op))
        return false;
    bool to_lds = inst->lds || inst->row->flags & AMDGPU_ROW_TO_LDS;
    if (!to_lds && amdgpu_emit_typed(inst, op))
        return true;
    if (to_lds ? !amdgpu_emit_to_lds(inst, op)
               : !emit_access(lanes, inst, op) && !amdgpu_emit_atomic(isa, inst, op))
        return false;
    amdgpu_emit_check(op);
    return true;
}
