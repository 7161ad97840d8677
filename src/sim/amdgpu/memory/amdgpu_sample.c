/* Image instructions with a sampler: coordinates to texels, filters, comparisons, gathers. Weights
 * have 8 bits, as on GPUs. A level of detail decides between magnification and minification, for
 * which a sampler may have two filters, and which levels of an image are read, at most two. */
#include "amdgpu_mimg.h"
#include "sim_half.h"

#include <math.h>

/* For one coordinate: the texels around it, and the weight of the second. */
struct axis {
    int32_t index[2]; /* BORDER: none */
    float weight;
};
enum { BORDER = -1, FAR = 1 << 30 };

struct sample { /* of a lane */
    struct axis axes[3];
    float reference;
    uint32_t result[4];
    unsigned char level; /* and the next, which has level_weight */
    float level_weight;
    bool linear, begun;
};

struct sampling {
    struct amdgpu_view view;
    struct amdgpu_sampler sampler;
    const struct amdgpu_op *op;
    unsigned flags; /* of the row */
    bool integer, unnormalized;
    uint32_t border[4]; /* as a result */
    struct sample samples[AMDGPU_LANES_MAX];
};

/* ---- coordinates ------------------------------------------------------------------------- */

static int32_t mirrored(int32_t index, int32_t size)
{
    int32_t within = index % (2 * size);
    if (within < 0)
        within += 2 * size;
    return within < size ? within : 2 * size - 1 - within;
}

static int32_t clamped(int32_t index, int32_t size)
{
    return index < 0 ? 0 : index >= size ? size - 1 : index;
}

static int32_t place(int32_t index, int32_t size, enum amdgpu_clamp clamp)
{
    int32_t once = index < 0 ? -1 - index : index;
    switch (clamp) {
    case AMDGPU_CLAMP_WRAP:
        return (index % size + size) % size;
    case AMDGPU_CLAMP_MIRROR:
        return mirrored(index, size);
    case AMDGPU_CLAMP_EDGE:
        return clamped(index, size);
    case AMDGPU_CLAMP_MIRROR_ONCE_EDGE:
        return clamped(once, size);
    case AMDGPU_CLAMP_MIRROR_ONCE_HALF_BORDER:
    case AMDGPU_CLAMP_MIRROR_ONCE_BORDER:
        return once < size ? once : BORDER;
    default:
        return index >= 0 && index < size ? index : BORDER;
    }
}

static bool is_half_border(enum amdgpu_clamp clamp)
{
    return clamp == AMDGPU_CLAMP_HALF_BORDER || clamp == AMDGPU_CLAMP_MIRROR_ONCE_HALF_BORDER;
}

/* at: in texels. */
static struct axis axis_of(double at, int32_t size, enum amdgpu_clamp clamp, bool linear,
                           int32_t offset)
{
    struct axis axis = {.weight = 0};
    if (!(at > -FAR))
        at = at <= -FAR ? -FAR : 0; /* NaN becomes 0 */
    if (at > FAR)
        at = FAR;
    if (is_half_border(clamp)) { /* at most the half texel of the border */
        double least = clamp == AMDGPU_CLAMP_HALF_BORDER ? 0 : -size;
        double most = linear ? size : size - 0.5;
        at = at < least ? least : at > most ? most : at;
    }
    if (linear)
        at -= 0.5;
    double whole = floor(at);
    int32_t index = (int32_t)whole + offset;
    if (linear)
        axis.weight = (float)rint((at - whole) * 256) / 256;
    axis.index[0] = place(index, size, clamp);
    axis.index[1] = place(index + 1, size, clamp);
    return axis;
}

static float coordinate(const struct amdgpu_wave *wave, const struct sampling *sampling,
                        unsigned lane, unsigned index)
{
    uint32_t bits = amdgpu_view_body(wave, sampling->op, &sampling->view, lane, index);
    return sampling->op->inst->a16 ? sim_widen_half((uint16_t)bits) : sim_float_of(bits);
}

static int32_t size_of(const struct amdgpu_image *image, unsigned axis)
{
    return (int32_t)(axis == 0 ? image->width : axis == 1 ? image->height : image->depth);
}

static bool is_array(enum amdgpu_dim dim)
{
    return dim == AMDGPU_DIM_1D_ARRAY || dim == AMDGPU_DIM_2D_ARRAY;
}

/* Coordinates that do not select a layer. */
static unsigned axes_of(const struct sampling *sampling)
{
    enum amdgpu_dim dim = sampling->view.dim;
    return amdgpu_dim_coordinates(dim) - is_array(dim);
}

/* Signed, of six bits each. */
static int32_t texel_offset(const struct amdgpu_wave *wave, const struct sampling *sampling,
                            unsigned lane, unsigned axis)
{
    if (!(sampling->flags & AMDGPU_ROW_PICK_OFFSET))
        return 0;
    uint32_t word = amdgpu_view_word(wave, sampling->op, lane, sampling->view.offset);
    return (int32_t)(word >> 8 * axis << 26) >> 26;
}

static void find_axes(const struct amdgpu_wave *wave, struct sampling *sampling, unsigned lane,
                      unsigned level)
{
    const struct amdgpu_image *image = amdgpu_view_level(&sampling->view, level);
    struct sample *sample = &sampling->samples[lane];
    unsigned count = axes_of(sampling);
    for (unsigned i = 0; i < 3; i++)
        sample->axes[i] = (struct axis){{0, 0}, 0};
    for (unsigned i = 0; i < count; i++) {
        double at = (double)coordinate(wave, sampling, lane, i);
        if (!sampling->unnormalized)
            at *= size_of(image, i);
        sample->axes[i] = axis_of(at, size_of(image, i), sampling->sampler.clamp[i], sample->linear,
                                  texel_offset(wave, sampling, lane, i));
    }
    if (is_array(sampling->view.dim)) {
        float layer = rintf(coordinate(wave, sampling, lane, count));
        int32_t most = size_of(image, 2) - 1;
        sample->axes[2].index[0] = !(layer > 0) ? 0 : layer >= (float)most ? most : (int32_t)layer;
    }
}

/* ---- levels ------------------------------------------------------------------------------ */

static float gradient_part(const struct amdgpu_wave *wave, const struct sampling *sampling,
                           unsigned lane, unsigned direction, unsigned axis)
{
    unsigned count = axes_of(sampling), first = sampling->view.gradients;
    if (!sampling->view.half_gradients)
        return sim_float_of(
            amdgpu_view_word(wave, sampling->op, lane, first + direction * count + axis));
    first += direction * ((count + 1) / 2) + axis / 2;
    return sim_widen_half(
        (uint16_t)(amdgpu_view_word(wave, sampling->op, lane, first) >> axis % 2 * 16));
}

/* Differences to neighbouring lanes: four lanes form a 2x2 quad. */
static float difference(const struct amdgpu_wave *wave, const struct sampling *sampling,
                        unsigned lane, unsigned direction, unsigned axis)
{
    unsigned first = lane & ~3u;
    return coordinate(wave, sampling, first + 1 + direction, axis) -
           coordinate(wave, sampling, first, axis);
}

/* The distance in texels between neighbouring pixels, as a power of 2. */
static float computed_lod(const struct amdgpu_wave *wave, const struct sampling *sampling,
                          unsigned lane)
{
    double most = 0;
    for (unsigned direction = 0; direction < 2; direction++) {
        double square = 0;
        for (unsigned i = 0; i < axes_of(sampling); i++) {
            double part = (double)(sampling->flags & AMDGPU_ROW_GRADIENTS
                                       ? gradient_part(wave, sampling, lane, direction, i)
                                       : difference(wave, sampling, lane, direction, i));
            if (!sampling->unnormalized)
                part *= size_of(&sampling->view.image, i);
            square += part * part;
        }
        most = square > most ? square : most;
    }
    return (float)(0.5 * log2(most)); /* -INFINITY if the coordinates do not change */
}

static float word_as_float(const struct amdgpu_wave *wave, const struct sampling *sampling,
                           unsigned lane, unsigned word)
{
    uint32_t bits = amdgpu_view_word(wave, sampling->op, lane, word);
    return sampling->op->inst->a16 ? sim_widen_half((uint16_t)bits) : sim_float_of(bits);
}

static float lod_of(const struct amdgpu_wave *wave, const struct sampling *sampling, unsigned lane)
{
    unsigned last = amdgpu_dim_coordinates(sampling->view.dim);
    const struct amdgpu_sampler *sampler = &sampling->sampler;
    float lod, least = sampler->least_lod;
    if (sampling->flags & AMDGPU_ROW_LEVEL_ZERO)
        return 0;
    lod = sampling->flags & AMDGPU_ROW_LOD ? coordinate(wave, sampling, lane, last)
                                           : computed_lod(wave, sampling, lane);
    lod += sampler->bias;
    if (sampling->flags & AMDGPU_ROW_BIAS)
        lod += word_as_float(wave, sampling, lane, sampling->view.bias);
    if (sampling->flags & AMDGPU_ROW_LOD_CLAMP)
        least = fmaxf(least, coordinate(wave, sampling, lane, last));
    return fmaxf(fminf(lod, sampler->most_lod), least);
}

static bool is_linear(const struct amdgpu_wave *wave, const struct sampling *sampling,
                      unsigned lane)
{
    const struct amdgpu_sampler *sampler = &sampling->sampler;
    if (sampling->flags & AMDGPU_ROW_GATHER)
        return true;
    if (sampling->integer)
        return false;
    if (sampler->magnify_linear == sampler->minify_linear)
        return sampler->magnify_linear;
    return lod_of(wave, sampling, lane) > 0 ? sampler->minify_linear : sampler->magnify_linear;
}

/* The level that a lane reads, or the first of two. */
static void find_levels(const struct amdgpu_wave *wave, struct sampling *sampling, unsigned lane)
{
    struct sample *sample = &sampling->samples[lane];
    float last = (float)(sampling->view.level_count - 1);
    bool several = sampling->view.level_count > 1 && sampling->sampler.levels != AMDGPU_FIRST_LEVEL;
    float lod = several ? lod_of(wave, sampling, lane) : 0;
    lod = lod > last ? last : lod > 0 ? lod : 0;
    bool between = sampling->sampler.levels == AMDGPU_BETWEEN_LEVELS && !sampling->integer &&
                   !(sampling->flags & AMDGPU_ROW_GATHER);
    sample->level = (unsigned char)(between ? lod : lod + 0.5f);
    sample->level_weight = between ? rintf((lod - (float)sample->level) * 256) / 256 : 0;
    if (sample->level_weight == 1) { /* rounded up */
        sample->level++;
        sample->level_weight = 0;
    }
}

/* ---- texels ------------------------------------------------------------------------------ */

static bool compares(unsigned function, float reference, float value)
{
    switch (function) {
    case 1:
        return reference < value;
    case 2:
        return reference == value;
    case 3:
        return reference <= value;
    case 4:
        return reference > value;
    case 5:
        return reference != value;
    case 6:
        return reference >= value;
    default:
        return function == 7;
    }
}

/* The weight of one of the texels around; bit i of tap selects the texel of axis i. */
static float tap_weight(const struct sample *sample, unsigned tap)
{
    float weight = 1;
    for (unsigned i = 0; i < 3; i++)
        weight *= tap >> i & 1 ? sample->axes[i].weight : 1 - sample->axes[i].weight;
    return weight;
}

/* A lane's value of one texel; texel NULL: the border. */
static void tap_result(const struct sampling *sampling, const struct sample *sample,
                       const uint32_t *texel, uint32_t out_result[4])
{
    const struct amdgpu_image *image = &sampling->view.image;
    uint32_t compared[4] = {0};
    if (sampling->flags & AMDGPU_ROW_COMPARE_DEPTH) {
        float value = sim_float_of(texel ? texel[0] : sampling->border[0]);
        compared[0] = sim_bits_of(compares(sampling->sampler.compare, sample->reference, value));
        compared[3] = sim_bits_of(1);
        texel = compared;
    }
    for (unsigned i = 0; i < 4; i++)
        out_result[i] = sampling->border[i];
    if (texel)
        amdgpu_texel_select(image->selects, sampling->integer, texel, out_result);
}

static void add_tap(const struct sampling *sampling, struct sample *sample, float weight,
                    const uint32_t *texel)
{
    uint32_t result[4];
    tap_result(sampling, sample, texel, result);
    for (unsigned i = 0; i < 4; i++) {
        float sum = weight * sim_float_of(result[i]);
        if (sample->begun)
            sum += sim_float_of(sample->result[i]);
        sample->result[i] = weight == 1 ? result[i] : sim_bits_of(sum);
    }
    sample->begun = true;
}

/* The texels of all lanes for one tap in the lane's level or the next; lanes: those with a texel
 * there, which may be the border. False: a fault. */
static bool load_tap(struct amdgpu_wave *wave, const struct sampling *sampling, unsigned tap,
                     unsigned next, uint64_t lanes, struct amdgpu_texels *texels)
{
    texels->valid = 0;
    for (uint64_t left = amdgpu_exec(wave); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        const struct axis *axes = sampling->samples[lane].axes;
        int32_t x = axes[0].index[tap & 1], y = axes[1].index[tap >> 1 & 1];
        int32_t z = axes[2].index[tap >> 2];
        bool inside = lanes >> lane & 1 && x != BORDER && y != BORDER && z != BORDER;
        texels->x[lane] = inside ? (uint32_t)x : 0;
        texels->y[lane] = inside ? (uint32_t)y : 0;
        texels->z[lane] = inside ? (uint32_t)z : 0;
        texels->level[lane] = inside ? (unsigned char)(sampling->samples[lane].level + next) : 0;
        texels->valid |= (uint64_t)inside << lane;
    }
    return amdgpu_texels_load(wave, sampling->op, &sampling->view, texels);
}

/* The lanes with a part in the result from their level (next 0), or from the one after it. */
static uint64_t lanes_at(const struct amdgpu_wave *wave, const struct sampling *sampling,
                         unsigned next)
{
    uint64_t lanes = 0;
    for (uint64_t left = amdgpu_exec(wave); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        lanes |= (uint64_t)(!next || sampling->samples[lane].level_weight > 0) << lane;
    }
    return lanes;
}

static float weight_at(const struct sample *sample, unsigned next, unsigned tap)
{
    return tap_weight(sample, tap) * (next ? sample->level_weight : 1 - sample->level_weight);
}

static bool filter_level(struct amdgpu_wave *wave, struct sampling *sampling, unsigned next,
                         uint64_t all)
{
    struct amdgpu_texels texels;
    for (unsigned tap = 0; tap < 8; tap++) {
        uint64_t lanes = 0;
        for (uint64_t left = all; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            lanes |= (uint64_t)(tap_weight(&sampling->samples[lane], tap) > 0) << lane;
        }
        if (!lanes)
            continue;
        if (!load_tap(wave, sampling, tap, next, lanes, &texels))
            return false;
        for (uint64_t left = lanes; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            struct sample *sample = &sampling->samples[lane];
            add_tap(sampling, sample, weight_at(sample, next, tap),
                    texels.valid >> lane & 1 ? texels.components[lane] : NULL);
        }
    }
    return true;
}

static bool filter(struct amdgpu_wave *wave, struct sampling *sampling)
{
    if (!filter_level(wave, sampling, 0, lanes_at(wave, sampling, 0)))
        return false;
    uint64_t second = lanes_at(wave, sampling, 1);
    for (uint64_t left = second; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        find_axes(wave, sampling, lane, sampling->samples[lane].level + 1u);
    }
    return !second || filter_level(wave, sampling, 1, second);
}

/* One component of each of four texels: below left, below right, above right, above left. */
static bool gather(struct amdgpu_wave *wave, struct sampling *sampling)
{
    static const unsigned char taps[] = {2, 3, 1, 0};
    unsigned component = (unsigned)__builtin_ctz(sampling->op->inst->dmask | 8u);
    struct amdgpu_texels texels;
    for (unsigned i = 0; i < 4; i++) {
        if (!load_tap(wave, sampling, taps[i], 0, UINT64_MAX, &texels))
            return false;
        for (uint64_t left = amdgpu_exec(wave); left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            struct sample *sample = &sampling->samples[lane];
            uint32_t result[4];
            tap_result(sampling, sample, texels.valid >> lane & 1 ? texels.components[lane] : NULL,
                       result);
            sample->result[i] = result[component];
        }
    }
    return true;
}

/* ---- the handler ------------------------------------------------------------------------- */

/* The border's colour, with components selected. */
static void make_border(struct sampling *sampling)
{
    uint32_t one = sampling->integer ? 1 : sim_bits_of(1);
    const unsigned char *selects = sampling->view.image.selects;
    for (unsigned i = 0; i < 4; i++) {
        bool set = sampling->sampler.border == AMDGPU_BORDER_WHITE ||
                   (sampling->sampler.border == AMDGPU_BORDER_BLACK && i == 3);
        bool constant = selects[i] < AMDGPU_SELECT_X;
        sampling->border[i] = (constant ? selects[i] == AMDGPU_SELECT_1 : set) ? one : 0;
    }
}

static bool open_sampling(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                          struct sampling *sampling)
{
    const struct amdgpu_inst *inst = op->inst;
    const char *wrong;
    sampling->op = op;
    sampling->flags = inst->row->flags;
    if (!amdgpu_view_open(wave, op, &sampling->view))
        return false;
    wrong = amdgpu_sampler_decode((enum amdgpu_isa)op->bits, &wave->s[inst->soffset.reg],
                                  &sampling->sampler);
    if (wrong)
        return amdgpu_image_reject(wave, op, "uses a sampler that", wrong);
    sampling->integer = amdgpu_texel_is_integer(sampling->view.image.format);
    sampling->unnormalized = sampling->sampler.unnormalized || inst->unorm;
    make_border(sampling);
    return true;
}

static void begin_lane(const struct amdgpu_wave *wave, struct sampling *sampling, unsigned lane)
{
    struct sample *sample = &sampling->samples[lane];
    sample->begun = false;
    sample->linear = is_linear(wave, sampling, lane);
    if (sampling->flags & AMDGPU_ROW_COMPARE_DEPTH)
        sample->reference =
            sim_float_of(amdgpu_view_word(wave, sampling->op, lane, sampling->view.reference));
    find_levels(wave, sampling, lane);
    find_axes(wave, sampling, lane, sample->level);
}

/* The level that would be used, and the one computed. */
static void write_lod(const struct amdgpu_wave *wave, struct sampling *sampling, unsigned lane)
{
    uint32_t *result = sampling->samples[lane].result;
    float lod = computed_lod(wave, sampling, lane), last = (float)(sampling->view.level_count - 1);
    result[0] = sim_bits_of(lod > last ? last : lod > 0 ? lod : 0);
    result[1] = sim_bits_of(lod);
    result[2] = result[3] = 0;
}

const struct amdgpu_op *amdgpu_run_sample(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    struct sampling sampling;
    bool lod = op->inst->row->id == AMDGPU_ID_IMAGE_GET_LOD;
    bool gathers = op->inst->row->flags & AMDGPU_ROW_GATHER;
    if (!amdgpu_exec(wave))
        return amdgpu_next(op);
    if (!open_sampling(wave, op, &sampling))
        return NULL;
    for (uint64_t left = amdgpu_exec(wave); left; left &= left - 1)
        if (lod)
            write_lod(wave, &sampling, (unsigned)__builtin_ctzll(left));
        else
            begin_lane(wave, &sampling, (unsigned)__builtin_ctzll(left));
    if (!lod && !(gathers ? gather(wave, &sampling) : filter(wave, &sampling)))
        return NULL;
    for (uint64_t left = amdgpu_exec(wave); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        amdgpu_image_write_lane(wave, op, lane, gathers ? 15 : op->inst->dmask, sampling.integer,
                                sampling.samples[lane].result);
    }
    return amdgpu_next(op);
}
