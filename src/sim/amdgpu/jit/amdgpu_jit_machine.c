/* What regions of AMDGPU code have in common: the state of a wave, and what ops are called. */
#include "amdgpu_jit_region.h"

#include <stdio.h>
#include <string.h>

/* At the end of a page that has none after it. */
static bool is_pseudo(const struct amdgpu_op *op)
{
    return op->offset / 4 >= AMDGPU_PAGE_WORDS;
}

static void describe_op_text(const void *op, const void *data, char *out, size_t out_size)
{
    const struct amdgpu_op *at = op;
    const struct amdgpu_page *page = amdgpu_page_of(at);
    int length =
        snprintf(out, out_size, "0x%llx: ", (unsigned long long)(page->address + at->offset));
    (void)data;
    if (length > 0 && (size_t)length < out_size && at->inst)
        amdgpu_print(page->shape->isa, page->shape->lanes, at->inst, out + length,
                     out_size - (size_t)length);
}

/* Nothing is when the wave ends. */
static bool is_live(const void *data, const void *op, const struct wave_slot *slot)
{
    const struct amdgpu_op *at = op;
    (void)data;
    (void)slot;
    return is_pseudo(at) || !amdgpu_is_decoded(at) || !at->inst ||
           at->inst->row->id != AMDGPU_ID_S_ENDPGM;
}

#define FIELD(kind_, field, value_)                                                                \
    {                                                                                              \
        .kind = WAVE_##kind_, .offset = offsetof(struct amdgpu_wave, field),                       \
        .size = sizeof((struct amdgpu_wave *)0)->field, .value = value_                            \
    }

static void set_machine(struct amdgpu_region *region, const struct amdgpu_shape *shape)
{
    unsigned m0 = amdgpu_family_of(shape->isa) == AMDGPU_GFX11 ? 125 : 124;
    const struct wave_field fields[] = {
        FIELD(CONSTANT, lanes, shape->lanes),
        FIELD(CONSTANT, vgprs, shape->vgprs),
        FIELD(CONSTANT, m0, m0),
        FIELD(CONSTANT, mode, region->mode),
        FIELD(KEPT, left, 0),
        FIELD(KEPT, loop, 0),
        FIELD(KEPT, page, 0),
        FIELD(COPIED, block, 0),
    };
    struct wave_field *copies = amdgpu_arena_take(&region->arena, sizeof fields);
    if (copies)
        memcpy(copies, fields, sizeof fields);
    region->machine = (struct wave_machine){
        .name = amdgpu_isa_name(shape->isa),
        .state_size = offsetof(struct amdgpu_wave, live),
        .frame_field = offsetof(struct amdgpu_wave, v),
        .entry_field = offsetof(struct amdgpu_wave, entry),
        .fields = copies,
        .field_count = sizeof fields / sizeof *fields,
        .bitcode = sim_amdgpu_bitcode(),
        .handler_offset = offsetof(struct amdgpu_op, run),
        .describe = describe_op_text,
    };
}

void amdgpu_region_describe(struct amdgpu_region *region, const struct amdgpu_op *root)
{
    static const char *const kinds[] = {[AMDGPU_FOR_ALL] = "",
                                        [AMDGPU_FOR_SOME] = ", some lanes",
                                        [AMDGPU_FOR_BOTH] = ", any lanes"};
    const struct amdgpu_shape *shape = amdgpu_page_of(root)->shape;
    enum { LENGTH = 64 };
    char *name = amdgpu_arena_take(&region->arena, LENGTH);
    if (name)
        snprintf(name, LENGTH, "0x%llx%s",
                 (unsigned long long)(amdgpu_page_of(root)->address + root->offset),
                 kinds[region->kind]);
    set_machine(region, shape);
    region->region.machine = &region->machine;
    region->region.name = name;
    region->region.frame_size =
        (shape->vgprs + shape->agprs) * shape->lanes * (uint32_t)sizeof(uint32_t);
    region->region.data = region;
    region->region.live = is_live;
}
