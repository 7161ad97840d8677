/* Image instructions without a sampler: loads, stores, atomics and size queries, by texel
 * coordinates. Texels outside of an image read as 0 and are not written; accesses outside of the
 * memory that a descriptor describes are faults. */
#include "amdgpu_mimg.h"
#include "sim_half.h"

#include <stdio.h>

/* ---- elements -------------------------------------------------------------------------- */

const struct amdgpu_access *amdgpu_element_access(unsigned bytes, bool write)
{
    static const struct amdgpu_access accesses[2][17] = {
#define SIZE(size, writes) [size] = {.space = AMDGPU_SPACE_GLOBAL, .bytes = size, .write = writes}
#define SIZES(writes)                                                                              \
    {                                                                                              \
        SIZE(1, writes), SIZE(2, writes), SIZE(4, writes), SIZE(8, writes), SIZE(12, writes),      \
            SIZE(16, writes)                                                                       \
    }
        SIZES(false), SIZES(true)
#undef SIZES
#undef SIZE
    };
    return &accesses[write][bytes];
}

__attribute__((no_sanitize("thread"))) void
amdgpu_element_copy(unsigned char *to, const unsigned char *from, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = from[i];
}

const struct amdgpu_op *amdgpu_image_reject(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                            const char *what, const char *why)
{
    char text[160];
    snprintf(text, sizeof text, "%s %s", what, why);
    return amdgpu_fail(
        wave, op, &(struct amdgpu_fault){.kind = AMDGPU_END_INSTRUCTION, .what = text, .lane = -1});
}

/* ---- the address of an instruction --------------------------------------------------------- */

unsigned amdgpu_dim_coordinates(enum amdgpu_dim dim)
{
    static const unsigned char counts[] = {
        [AMDGPU_DIM_1D] = 1,      [AMDGPU_DIM_2D] = 2,           [AMDGPU_DIM_3D] = 3,
        [AMDGPU_DIM_CUBE] = 3,    [AMDGPU_DIM_1D_ARRAY] = 2,     [AMDGPU_DIM_2D_ARRAY] = 3,
        [AMDGPU_DIM_2D_MSAA] = 3, [AMDGPU_DIM_2D_MSAA_ARRAY] = 4};
    return counts[dim];
}

/* gfx9: from the descriptor; layers of arrays are addressed only when the instruction says so. */
static enum amdgpu_dim dim_of(enum amdgpu_image_type type, bool layers)
{
    switch (type) {
    case AMDGPU_IMAGE_1D:
        return AMDGPU_DIM_1D;
    case AMDGPU_IMAGE_3D:
        return AMDGPU_DIM_3D;
    case AMDGPU_IMAGE_1D_ARRAY:
        return layers ? AMDGPU_DIM_1D_ARRAY : AMDGPU_DIM_1D;
    case AMDGPU_IMAGE_2D_ARRAY:
        return layers ? AMDGPU_DIM_2D_ARRAY : AMDGPU_DIM_2D;
    default:
        return AMDGPU_DIM_2D;
    }
}

static unsigned address_register(const struct amdgpu_inst *inst, unsigned word)
{
    unsigned last = inst->vaddr_count - 1u;
    if (inst->vaddr_count == 0)
        return inst->addr.reg + word;
    return word < last ? inst->vaddr[word] : inst->vaddr[last] + (word - last);
}

uint32_t amdgpu_view_word(const struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lane,
                          unsigned word)
{
    return amdgpu_v(wave, address_register(op->inst, word))[lane];
}

uint32_t amdgpu_view_body(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                          const struct amdgpu_view *view, unsigned lane, unsigned index)
{
    if (!op->inst->a16)
        return amdgpu_view_word(wave, op, lane, view->body + index);
    return amdgpu_view_word(wave, op, lane, view->body + index / 2) >> index % 2 * 16 & 0xffff;
}

static void place_words(const struct amdgpu_op *op, struct amdgpu_view *view)
{
    const struct amdgpu_inst *inst = op->inst;
    unsigned flags = inst->row->flags, word = 0, rest;
    struct amdgpu_row body = *inst->row;
    body.flags &= ~(unsigned)(AMDGPU_ROW_GRADIENTS | AMDGPU_ROW_PICK_OFFSET | AMDGPU_ROW_BIAS |
                              AMDGPU_ROW_COMPARE_DEPTH);
    rest = amdgpu_image_words((enum amdgpu_isa)op->bits, &body, view->dim, inst->a16);
    view->offset = word;
    word += !!(flags & AMDGPU_ROW_PICK_OFFSET);
    view->bias = word;
    word += !!(flags & AMDGPU_ROW_BIAS);
    view->reference = word;
    word += !!(flags & AMDGPU_ROW_COMPARE_DEPTH);
    view->gradients = word;
    view->body =
        amdgpu_image_words((enum amdgpu_isa)op->bits, inst->row, view->dim, inst->a16) - rest;
    view->half_gradients =
        flags & AMDGPU_ROW_GRADIENTS16 ||
        (inst->a16 && amdgpu_family_of((enum amdgpu_isa)op->bits) == AMDGPU_GFX9);
}

static bool has_registers(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                          enum amdgpu_dim dim)
{
    unsigned words =
        amdgpu_image_words((enum amdgpu_isa)op->bits, op->inst->row, dim, op->inst->a16);
    for (unsigned i = 0; i < words; i++)
        if (address_register(op->inst, i) >= wave->vgprs)
            return false;
    return true;
}

/* The first level takes the place of the image with all levels. */
static void open_levels(struct amdgpu_view *view)
{
    view->level_count = 1;
    if (view->image.levels == 1)
        return;
    struct amdgpu_image whole = view->image;
    view->level_count = 1u + whole.last_level - whole.first_level;
    for (unsigned i = 0; i < view->level_count; i++)
        view->levels[i] = amdgpu_image_level(&whole, i);
    view->image = view->levels[0];
}

bool amdgpu_view_open(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                      struct amdgpu_view *out_view)
{
    enum amdgpu_isa isa = (enum amdgpu_isa)op->bits;
    const struct amdgpu_inst *inst = op->inst;
    const char *wrong = amdgpu_image_decode(isa, &wave->s[inst->saddr.reg], &out_view->image);
    if (wrong)
        return amdgpu_image_reject(wave, op, "uses an image that", wrong);
    out_view->dim = amdgpu_family_of(isa) == AMDGPU_GFX9 ? dim_of(out_view->image.type, inst->da)
                                                         : (enum amdgpu_dim)inst->dim;
    if (!has_registers(wave, op, out_view->dim))
        return amdgpu_image_reject(wave, op, "uses a register", "that was not allocated to it");
    place_words(op, out_view);
    open_levels(out_view);
    return true;
}

/* ---- texels ------------------------------------------------------------------------------ */

static bool is_array(enum amdgpu_dim dim)
{
    return dim == AMDGPU_DIM_1D_ARRAY || dim == AMDGPU_DIM_2D_ARRAY;
}

static void find_texels(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                        const struct amdgpu_view *view, struct amdgpu_texels *texels)
{
    unsigned count = amdgpu_dim_coordinates(view->dim);
    texels->valid = 0;
    for (uint64_t left = amdgpu_exec(wave); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint32_t at[3] = {0}, level = 0;
        for (unsigned i = 0; i < count; i++)
            at[i == count - 1 && is_array(view->dim) ? 2 : i] =
                amdgpu_view_body(wave, op, view, lane, i);
        if (op->inst->row->flags & AMDGPU_ROW_LOD)
            level = amdgpu_view_body(wave, op, view, lane, count);
        texels->x[lane] = at[0], texels->y[lane] = at[1], texels->z[lane] = at[2];
        texels->level[lane] = level < view->level_count ? (unsigned char)level : 0;
        const struct amdgpu_image *image = amdgpu_view_level(view, texels->level[lane]);
        if (at[0] < image->width && at[1] < image->height && at[2] < image->depth &&
            level < view->level_count)
            texels->valid |= UINT64_C(1) << lane;
    }
}

/* Translates the addresses of texels; invalid texels use a scratch copy. */
static bool translate_texels(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                             const struct amdgpu_view *view, const struct amdgpu_texels *texels,
                             struct amdgpu_places *places)
{
    unsigned bytes = amdgpu_texel_bytes(view->image.format);
    places->windows = false;
    places->piece = 0;
    places->copied = amdgpu_exec(wave) & ~texels->valid;
    for (uint64_t left = amdgpu_exec(wave); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        bool valid = texels->valid >> lane & 1;
        const struct amdgpu_image *image = amdgpu_view_level(view, valid ? texels->level[lane] : 0);
        places->present[lane] = 0;
        places->at[lane] =
            image->address + (uint64_t)(texels->z[lane] + image->first) * image->slice_pitch +
            (uint64_t)texels->y[lane] * image->row_pitch + (uint64_t)texels->x[lane] * bytes;
    }
    return amdgpu_check_elements(wave, op, places) && amdgpu_translate_lanes(wave, op, places);
}

bool amdgpu_texels_load(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                        const struct amdgpu_view *view, struct amdgpu_texels *texels)
{
    struct amdgpu_op access = *op;
    struct amdgpu_places places;
    unsigned bytes = amdgpu_texel_bytes(view->image.format);
    access.effect = amdgpu_element_access(bytes, false);
    if (!translate_texels(wave, &access, view, texels, &places))
        return false;
    for (uint64_t left = amdgpu_exec(wave) & texels->valid; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        unsigned char texel[16];
        amdgpu_element_copy(texel, places.where[lane], bytes);
        amdgpu_texel_load(view->image.format, texel, texels->components[lane]);
    }
    return true;
}

/* ---- data -------------------------------------------------------------------------------- */

static uint32_t narrow(uint32_t value, bool integer)
{
    return integer ? value & 0xffff : sim_narrow_half(sim_float_of(value));
}

void amdgpu_image_write_lane(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lane,
                             unsigned dmask, bool integer, const uint32_t result[4])
{
    unsigned reg = op->inst->dst[0].reg, count = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (!(dmask >> i & 1))
            continue;
        uint32_t *to = &amdgpu_v(wave, reg + (op->inst->d16 ? count / 2 : count))[lane];
        if (!op->inst->d16)
            *to = result[i];
        else if (count % 2)
            *to |= narrow(result[i], integer) << 16;
        else
            *to = narrow(result[i], integer);
        count++;
    }
}

/* The components that a lane stores; those that dmask leaves out are 0. */
static void read_components(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                            unsigned lane, bool integer, bool has_sign, uint32_t out_result[4])
{
    unsigned reg = op->inst->data.reg, count = 0;
    for (unsigned i = 0; i < 4; i++) {
        out_result[i] = 0;
        if (!(op->inst->dmask >> i & 1))
            continue;
        uint32_t value = amdgpu_v(wave, reg + (op->inst->d16 ? count / 2 : count))[lane];
        if (op->inst->d16) {
            uint16_t half = (uint16_t)(value >> count % 2 * 16);
            value = !integer   ? sim_bits_of(sim_widen_half(half))
                    : has_sign ? (uint32_t)(int16_t)half
                               : half;
        }
        out_result[i] = value;
        count++;
    }
}

/* ---- handlers ---------------------------------------------------------------------------- */

static const struct amdgpu_op *run_load(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    struct amdgpu_view view;
    struct amdgpu_texels texels;
    uint64_t exec = amdgpu_exec(wave);
    if (!exec)
        return amdgpu_next(op);
    if (!amdgpu_view_open(wave, op, &view))
        return NULL;
    find_texels(wave, op, &view, &texels);
    if (!amdgpu_texels_load(wave, op, &view, &texels))
        return NULL;
    for (uint64_t left = exec; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        static const uint32_t nothing[4];
        bool integer = amdgpu_texel_is_integer(view.image.format);
        uint32_t result[4];
        amdgpu_texel_select(view.image.selects, integer,
                            texels.valid >> lane & 1 ? texels.components[lane] : nothing, result);
        amdgpu_image_write_lane(wave, op, lane, op->inst->dmask, integer, result);
    }
    return amdgpu_next(op);
}

static const struct amdgpu_op *run_store(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    struct amdgpu_view view;
    struct amdgpu_texels texels;
    struct amdgpu_op access = *op;
    struct amdgpu_places places;
    if (!amdgpu_exec(wave))
        return amdgpu_next(op);
    if (!amdgpu_view_open(wave, op, &view))
        return NULL;
    unsigned bytes = amdgpu_texel_bytes(view.image.format);
    bool integer = amdgpu_texel_is_integer(view.image.format);
    bool has_sign = view.image.format.number == AMDGPU_NUMBER_SINT;
    access.effect = amdgpu_element_access(bytes, true);
    find_texels(wave, op, &view, &texels);
    if (!translate_texels(wave, &access, &view, &texels, &places))
        return NULL;
    for (uint64_t left = texels.valid; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint32_t result[4], components[4];
        unsigned char texel[16];
        read_components(wave, op, lane, integer, has_sign, result);
        amdgpu_texel_unselect(view.image.selects, result, components);
        amdgpu_texel_store(view.image.format, components, texel);
        amdgpu_element_copy(places.where[lane], texel, bytes);
    }
    amdgpu_write_copies(wave, &access, &places);
    return amdgpu_next(op);
}

static const struct amdgpu_op *run_atomic(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    const struct amdgpu_inst *inst = op->inst;
    const struct amdgpu_access *atomic = op->effect;
    struct amdgpu_view view;
    struct amdgpu_texels texels;
    struct amdgpu_places places;
    uint64_t exec = amdgpu_exec(wave);
    if (!exec)
        return amdgpu_next(op);
    if (!amdgpu_view_open(wave, op, &view))
        return NULL;
    if (amdgpu_texel_bytes(view.image.format) != atomic->bytes)
        return amdgpu_image_reject(wave, op, "updates texels",
                                   "whose size is not that of the operation");
    find_texels(wave, op, &view, &texels);
    if (!translate_texels(wave, op, &view, &texels, &places))
        return NULL;
    amdgpu_atomic_at(wave, op, &places, texels.valid);
    for (uint64_t left = inst->glc ? exec & ~texels.valid : 0; left; left &= left - 1)
        for (unsigned i = 0; i < atomic->bytes / 4u; i++)
            amdgpu_v(wave, inst->data.reg + i)[__builtin_ctzll(left)] = 0;
    return amdgpu_next(op);
}

static const struct amdgpu_op *run_size(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    struct amdgpu_view view;
    if (!amdgpu_exec(wave))
        return amdgpu_next(op);
    if (!amdgpu_view_open(wave, op, &view))
        return NULL;
    for (uint64_t left = amdgpu_exec(wave); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint32_t level = amdgpu_view_body(wave, op, &view, lane, 0);
        bool there = level < view.level_count;
        const struct amdgpu_image *image = amdgpu_view_level(&view, there ? level : 0);
        uint32_t size[4] = {image->width, image->height, image->depth, view.level_count};
        for (unsigned i = 0; !there && i < 3; i++)
            size[i] = 0;
        amdgpu_image_write_lane(wave, op, lane, op->inst->dmask, true, size);
    }
    return amdgpu_next(op);
}

/* ---- emit -------------------------------------------------------------------------------- */

static bool emit_plain(const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    switch (inst->row->id) {
    case AMDGPU_ID_IMAGE_LOAD:
    case AMDGPU_ID_IMAGE_LOAD_MIP:
        op->run = run_load;
        return true;
    case AMDGPU_ID_IMAGE_STORE:
    case AMDGPU_ID_IMAGE_STORE_MIP:
        op->run = run_store;
        return true;
    case AMDGPU_ID_IMAGE_GET_RESINFO:
        op->run = run_size;
        return true;
    default:
        return false;
    }
}

bool amdgpu_emit_image(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    bool cube = inst->dim == AMDGPU_DIM_CUBE || inst->dim >= AMDGPU_DIM_2D_MSAA;
    if (amdgpu_family_of(isa) == AMDGPU_GFX10 || inst->tfe || inst->lwe || inst->r128 || cube)
        return false;
    op->bits = isa;
    if (inst->row->flags & AMDGPU_ROW_SAMPLER) {
        op->run = amdgpu_run_sample;
        return inst->row->id != AMDGPU_ID_IMAGE_GATHER4H;
    }
    if (inst->row->flags & AMDGPU_ROW_ATOMIC) {
        op->run = run_atomic;
        return amdgpu_emit_image_atomic(inst, op);
    }
    return emit_plain(inst, op);
}
