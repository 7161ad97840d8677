/* Buffers with a data format, from the resource descriptor (MUBUF) or the instruction (MTBUF).
 * Addresses are computed as for other buffers. */
#include "amdgpu_mimg.h"
#include "sim_half.h"

/* The layout of components in registers. */
enum registers { WHOLE, HALVES, UPPER_HALF };

struct typed {
    unsigned short id;
    unsigned char count;     /* components */
    unsigned char registers; /* enum registers */
    bool write;
};

static const struct typed rows[] = {
#define SIZES(name, how, writes)                                                                   \
    {AMDGPU_ID_##name##_X, 1, how, writes}, {AMDGPU_ID_##name##_XY, 2, how, writes},               \
        {AMDGPU_ID_##name##_XYZ, 3, how, writes},                                                  \
    {                                                                                              \
        AMDGPU_ID_##name##_XYZW, 4, how, writes                                                    \
    }
    SIZES(BUFFER_LOAD_FORMAT, WHOLE, false),
    SIZES(BUFFER_STORE_FORMAT, WHOLE, true),
    SIZES(BUFFER_LOAD_D16_FORMAT, HALVES, false),
    SIZES(BUFFER_STORE_D16_FORMAT, HALVES, true),
    SIZES(TBUFFER_LOAD_FORMAT, WHOLE, false),
    SIZES(TBUFFER_STORE_FORMAT, WHOLE, true),
    SIZES(TBUFFER_LOAD_D16_FORMAT, HALVES, false),
    SIZES(TBUFFER_STORE_D16_FORMAT, HALVES, true),
    {AMDGPU_ID_BUFFER_LOAD_D16_HI_FORMAT_X, 1, UPPER_HALF, false},
    {AMDGPU_ID_BUFFER_STORE_D16_HI_FORMAT_X, 1, UPPER_HALF, true},
#undef SIZES
};

static const struct typed *find(unsigned id)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].id == id)
            return &rows[i];
    return NULL;
}

/* ---- formats --------------------------------------------------------------------------- */

static enum amdgpu_family family_of(const struct amdgpu_op *op)
{
    return op->bits & AMDGPU_GFX11_BUFFER   ? AMDGPU_GFX11
           : op->bits & AMDGPU_GFX10_BUFFER ? AMDGPU_GFX10
                                            : AMDGPU_GFX9;
}

/* False: the format is not simulated. */
static bool find_format(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                        struct amdgpu_texel_format *out_format)
{
    const struct amdgpu_inst *inst = op->inst;
    uint32_t word = wave->s[op->src[1].reg + 3];
    enum amdgpu_family family = family_of(op);
    bool own = inst->format == AMDGPU_MTBUF;
    unsigned number = own ? inst->dfmt : word >> 12 & (family == AMDGPU_GFX11 ? 0x3f : 0x7f);
    if (family == AMDGPU_GFX9)
        *out_format =
            (struct amdgpu_texel_format){own ? inst->dfmt : (unsigned char)(word >> 15 & 15),
                                         own ? inst->nfmt : (unsigned char)(word >> 12 & 7)};
    else if (!amdgpu_texel_numbered(family, number, out_format))
        return false;
    return amdgpu_texel_bytes(*out_format);
}

/* MTBUF does not swizzle components. */
static void find_selects(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                         unsigned char out_selects[4])
{
    uint32_t word = wave->s[op->src[1].reg + 3];
    for (unsigned i = 0; i < 4; i++)
        out_selects[i] = op->inst->format == AMDGPU_MTBUF ? (unsigned char)(AMDGPU_SELECT_X + i)
                                                          : word >> 3 * i & 7;
}

/* ---- data ------------------------------------------------------------------------------ */

static void write_components(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                             const struct typed *typed, unsigned lane, bool integer,
                             const uint32_t result[4])
{
    for (unsigned i = 0; i < typed->count; i++) {
        uint32_t *to = &amdgpu_v(wave, op->dst + (typed->registers == WHOLE ? i : i / 2))[lane];
        uint32_t half = integer ? result[i] & 0xffff : sim_narrow_half(sim_float_of(result[i]));
        if (typed->registers == WHOLE)
            *to = result[i];
        else if (typed->registers == UPPER_HALF)
            *to = (*to & 0xffff) | half << 16;
        else
            *to = i % 2 ? *to | half << 16 : half;
    }
}

static void read_components(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                            const struct typed *typed, unsigned lane, enum amdgpu_number number,
                            uint32_t out_result[4])
{
    for (unsigned i = 0; i < 4; i++) {
        out_result[i] = 0;
        if (i >= typed->count)
            continue;
        uint32_t word = amdgpu_v(wave, op->dst1 + (typed->registers == WHOLE ? i : i / 2))[lane];
        uint16_t half = (uint16_t)(typed->registers == UPPER_HALF || i % 2 ? word >> 16 : word);
        out_result[i] = typed->registers == WHOLE      ? word
                        : number == AMDGPU_NUMBER_SINT ? (uint32_t)(int16_t)half
                        : number == AMDGPU_NUMBER_UINT ? half
                                                       : sim_bits_of(sim_widen_half(half));
    }
}

/* ---- the handler ------------------------------------------------------------------------- */

static const struct amdgpu_op *run_typed(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    const struct typed *typed = op->effect;
    struct amdgpu_texel_format format;
    struct amdgpu_access access = {.space = AMDGPU_SPACE_BUFFER, .write = typed->write};
    struct amdgpu_op element = *op;
    struct amdgpu_places places;
    unsigned char selects[4];
    if (!amdgpu_exec(wave))
        return amdgpu_next(op);
    if (!find_format(wave, op, &format))
        return amdgpu_image_reject(wave, op, "uses a buffer that",
                                   "is of a format that is not simulated");
    access.bytes = (unsigned char)amdgpu_texel_bytes(format);
    element.effect = &access;
    find_selects(wave, op, selects);
    amdgpu_addresses(wave, &element, &places);
    if (!amdgpu_check_elements(wave, &element, &places) ||
        !amdgpu_translate_lanes(wave, &element, &places))
        return NULL;
    for (uint64_t left = amdgpu_exec(wave); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        bool integer = amdgpu_texel_is_integer(format);
        uint32_t result[4], components[4];
        unsigned char texel[16];
        if (typed->write) {
            read_components(wave, op, typed, lane, format.number, result);
            amdgpu_texel_unselect(selects, result, components);
            amdgpu_texel_store(format, components, texel);
            amdgpu_element_copy(places.where[lane], texel, access.bytes);
        } else {
            amdgpu_element_copy(texel, places.where[lane], access.bytes);
            amdgpu_texel_load(format, texel, components);
            amdgpu_texel_select(selects, integer, components, result);
            write_components(wave, op, typed, lane, integer, result);
        }
    }
    if (typed->write)
        amdgpu_write_copies(wave, &element, &places);
    return amdgpu_next(op);
}

bool amdgpu_emit_typed(const struct amdgpu_inst *inst, struct amdgpu_op *op)
{
    const struct typed *typed = find(inst->row->id);
    if (!typed)
        return false;
    op->effect = typed;
    op->run = run_typed;
    return true;
}
