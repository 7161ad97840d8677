/* Loads from memory to LDS that bypass registers: MUBUF and FLAT with their LDS bit (gfx9, gfx10),
 * and global_load_lds_* and scratch_load_lds_* of gfx942. A lane's element, extended to a word,
 * goes to M0 + the instruction's offset + 4 bytes for each lane before it. */
#include "amdgpu_access.h"

#include <string.h>

static const struct amdgpu_access accesses[] = {
#define LOAD(name, where, kind, size)                                                              \
    {.id = AMDGPU_ID_##name,                                                                       \
     .space = AMDGPU_SPACE_##where,                                                                \
     .element = AMDGPU_ELEMENT_##kind,                                                             \
     .bytes = size},
#define WITH_BIT(prefix, where)                                                                    \
    LOAD(prefix##_LOAD_U8, where, U8, 1)                                                           \
    LOAD(prefix##_LOAD_I8, where, I8, 1)                                                           \
    LOAD(prefix##_LOAD_U16, where, U16, 2)                                                         \
    LOAD(prefix##_LOAD_I16, where, I16, 2)                                                         \
    LOAD(prefix##_LOAD_B32, where, 32, 4)
#define BY_NAME(prefix, where)                                                                     \
    LOAD(prefix##_LOAD_LDS_UBYTE, where, U8, 1)                                                    \
    LOAD(prefix##_LOAD_LDS_SBYTE, where, I8, 1)                                                    \
    LOAD(prefix##_LOAD_LDS_USHORT, where, U16, 2)                                                  \
    LOAD(prefix##_LOAD_LDS_SSHORT, where, I16, 2)                                                  \
    LOAD(prefix##_LOAD_LDS_DWORD, where, 32, 4)
    WITH_BIT(BUFFER, BUFFER) WITH_BIT(FLAT, FLAT) WITH_BIT(GLOBAL, GLOBAL)
        WITH_BIT(SCRATCH, SCRATCH) BY_NAME(GLOBAL, GLOBAL) BY_NAME(SCRATCH, SCRATCH)
#undef LOAD
#undef WITH_BIT
#undef BY_NAME
};

static const struct amdgpu_op *refuse(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                      unsigned lane, uint32_t at)
{
    struct amdgpu_fault fault = {.kind = at % 4 ? AMDGPU_END_ALIGNMENT : AMDGPU_END_SHARED,
                                 .what = "loads 4 bytes to shared memory",
                                 .has_address = true,
                                 .address = at,
                                 .lane = (int)lane};
    return amdgpu_fail(wave, op, &fault);
}

__attribute__((no_sanitize("thread"))) static uint32_t extended(const struct amdgpu_access *access,
                                                                const unsigned char *from)
{
    uint32_t value = 0;
    memcpy(&value, from, access->bytes);
    switch (access->element) {
    case AMDGPU_ELEMENT_I8:
        return (uint32_t)(int32_t)(int8_t)value;
    case AMDGPU_ELEMENT_I16:
        return (uint32_t)(int32_t)(int16_t)value;
    default:
        return value;
    }
}

static const struct amdgpu_op *run(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    const struct amdgpu_block *block = wave->block;
    uint32_t base = (wave->s[wave->m0] & 0xffff) + (uint32_t)op->inst->offset;
    struct amdgpu_places places;
    if (!amdgpu_exec(wave))
        return amdgpu_next(op);
    if (!amdgpu_access_functions()->translate(wave, op, &places))
        return NULL;
    for (uint64_t left = amdgpu_exec(wave); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint32_t at = base + 4 * lane, value = extended(op->effect, places.where[lane]);
        if (at % 4 || block->lds_size < 4 || at > block->lds_size - 4)
            return refuse(wave, op, lane, at);
        if (!amdgpu_check_lds_write(wave, op, lane, at, sizeof value))
            return NULL;
        memcpy(block->lds + at, &value, sizeof value);
    }
    return amdgpu_next(op);
}

bool amdgpu_emit_to_lds(const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
        if (accesses[i].id == inst->row->id) {
            op->effect = &accesses[i];
            op->run = run;
            return true;
        }
    return false;
}
