/* Textures and surfaces: the lanes' coordinates, and the objects they name. What a texture unit
 * makes of them is sim_texture.c's. */
#include "ptx_memory.h"
#include "sim_bits.h"
#include "sim_memory.h"
#include "sim_texture.h"

#include <string.h>

enum { COORDINATES_MAX = 4 };
enum level { LEVEL_BASE, LEVEL_GIVEN, LEVEL_GRADIENT };
enum beyond { BEYOND_TRAP, BEYOND_CLAMP, BEYOND_ZERO };

/* An instruction, the extra of its op. Slots of elements are as in ptx_access. */
struct image_access {
    uint32_t object; /* slot of the handles */
    int64_t offset;  /* added to them */
    unsigned dimensions;
    bool layered, cube, whole; /* whole: coordinates are integers */
    enum level level;
    enum beyond beyond;
    bool formatted; /* sust.p */
    unsigned channel;
    unsigned query;
    uint32_t at[COORDINATES_MAX], dx[3], dy[3]; /* dx[0]: the level */
    unsigned count, size;                       /* elements of a surface access, bytes of each */
    uint32_t slots[PTX_VECTOR_MAX];
    uint8_t widths[PTX_VECTOR_MAX];
};

static uint32_t word_of(const struct ptx_warp *warp, uint32_t slot, unsigned lane)
{
    return ((const uint32_t *)(const void *)(warp->regs + slot))[lane];
}

static float float_of(const struct ptx_warp *warp, uint32_t slot, unsigned lane)
{
    return sim_float_of(word_of(warp, slot, lane));
}

static uint64_t handle_of(const struct ptx_warp *warp, const struct image_access *access,
                          unsigned lane)
{
    const uint64_t *handles = (const uint64_t *)(const void *)(warp->regs + access->object);
    return handles[lane] + (uint64_t)access->offset;
}

static const struct sim_texture *texture_of(struct ptx_warp *warp, const struct ptx_op *op,
                                            unsigned lane)
{
    uint64_t handle = handle_of(warp, op->extra, lane);
    struct ptx_context *context = warp->launch->context;
    const struct sim_texture *texture = context->texture ? context->texture(context, handle) : NULL;
    if (!texture)
        ptx_fault(warp, op, lane, PTX_END_ILLEGAL_ADDRESS,
                  "%#llx is not a texture object of this device that is still there",
                  (unsigned long long)handle);
    return texture;
}

static const struct sim_image *surface_of(struct ptx_warp *warp, const struct ptx_op *op,
                                          unsigned lane)
{
    uint64_t handle = handle_of(warp, op->extra, lane);
    struct ptx_context *context = warp->launch->context;
    const struct sim_image *image = context->surface ? context->surface(context, handle) : NULL;
    if (!image)
        ptx_fault(warp, op, lane, PTX_END_ILLEGAL_ADDRESS,
                  "%#llx is not a surface object of this device that is still there",
                  (unsigned long long)handle);
    return image;
}

/* ---- textures --------------------------------------------------------------------------- */

static void directions(const struct ptx_warp *warp, const uint32_t slots[3], unsigned lane,
                       float out[3])
{
    for (unsigned i = 0; i < 3; i++)
        out[i] = float_of(warp, slots[i], lane);
}

/* Layers come first and are integers; cubes are layers of faces. */
static void place_of(const struct ptx_warp *warp, const struct image_access *access, unsigned lane,
                     struct sim_place *out)
{
    unsigned first = access->layered;
    *out = (struct sim_place){.dimensions = access->dimensions};
    if (access->layered)
        out->layer = word_of(warp, access->at[0], lane);
    if (access->cube) {
        float direction[3];
        directions(warp, access->at + first, lane, direction);
        out->dimensions = 2;
        out->layer = 6 * out->layer + sim_cube_place(direction, out->at);
        return;
    }
    for (unsigned d = 0; d < access->dimensions; d++)
        out->at[d] = access->whole ? (double)(int32_t)word_of(warp, access->at[first + d], lane)
                                   : (double)float_of(warp, access->at[first + d], lane);
}

static float level_of(const struct ptx_warp *warp, const struct image_access *access,
                      const struct sim_texture *texture, unsigned lane)
{
    float direction[3], dx[3], dy[3], x[3] = {0}, y[3] = {0};
    if (access->level == LEVEL_BASE)
        return 0;
    if (access->level == LEVEL_GIVEN)
        return access->whole ? (float)(int32_t)word_of(warp, access->dx[0], lane)
                             : float_of(warp, access->dx[0], lane);
    directions(warp, access->dx, lane, dx);
    directions(warp, access->dy, lane, dy);
    if (!access->cube)
        return sim_texture_level(texture, access->dimensions, dx, dy);
    directions(warp, access->at + access->layered, lane, direction);
    sim_cube_change(direction, dx, x);
    sim_cube_change(direction, dy, y);
    return sim_texture_level(texture, 2, x, y);
}

static void write_quad(struct ptx_warp *warp, const struct image_access *access, unsigned lane,
                       const uint32_t quad[4])
{
    for (unsigned i = 0; i < 4; i++)
        ((uint32_t *)(void *)(warp->regs + access->slots[i]))[lane] = quad[i];
}

static const struct ptx_op *read_texture(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct image_access *access = op->extra;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const struct sim_texture *texture = texture_of(warp, op, lane);
        struct sim_place place;
        uint32_t quad[4];
        uint64_t address = 0;
        bool good;
        if (!texture)
            return NULL;
        place_of(warp, access, lane, &place);
        if (access->whole)
            good =
                sim_texture_fetch(texture, warp->device, &place, !access->layered, quad, &address);
        else
            good = sim_texture_sample(texture, warp->device, &place,
                                      level_of(warp, access, texture, lane), quad, &address);
        if (!good)
            return ptx_fault_access(warp, op, lane, address, 4, false, PTX_GLOBAL);
        write_quad(warp, access, lane, quad);
    }
    return op + 1;
}

static const struct ptx_op *gather_texture(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct image_access *access = op->extra;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const struct sim_texture *texture = texture_of(warp, op, lane);
        struct sim_place place;
        uint32_t quad[4];
        uint64_t address = 0;
        if (!texture)
            return NULL;
        place_of(warp, access, lane, &place);
        if (!sim_texture_gather(texture, warp->device, &place, access->channel, quad, &address))
            return ptx_fault_access(warp, op, lane, address, 4, false, PTX_GLOBAL);
        write_quad(warp, access, lane, quad);
    }
    return op + 1;
}

enum { QUERY_WIDTH, QUERY_HEIGHT, QUERY_DEPTH, QUERY_LAYERS, QUERY_LEVELS };

static const struct ptx_op *query(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct image_access *access = op->extra;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const struct sim_texture *texture = access->formatted ? NULL : texture_of(warp, op, lane);
        const struct sim_image *image = texture             ? texture->levels
                                        : access->formatted ? surface_of(warp, op, lane)
                                                            : NULL;
        if (!image)
            return NULL;
        unsigned d = access->query == QUERY_LAYERS ? QUERY_DEPTH : access->query;
        ((uint32_t *)(void *)(warp->regs + access->slots[0]))[lane] =
            access->query == QUERY_LEVELS ? (texture ? texture->level_count : 1)
                                          : (uint32_t)image->size[d];
    }
    return op + 1;
}

/* ---- surfaces --------------------------------------------------------------------------- */

/* Where a lane's bytes are; *out_none: nowhere, which reads 0 and writes nothing. NULL without
 * it: reported. */
static unsigned char *surface_place(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                                    bool write, const struct sim_image **out_image, bool *out_none)
{
    const struct image_access *access = op->extra;
    const struct sim_image *image = surface_of(warp, op, lane);
    unsigned first = access->layered, bytes = access->size * access->count;
    *out_none = false;
    *out_image = image;
    if (!image)
        return NULL;
    unsigned element = (unsigned)sim_channel_size(image->type) * image->channels;
    if (access->formatted)
        bytes = element;
    int64_t at[3] = {0}, step[3] = {1, (int64_t)image->row, (int64_t)image->slice}, offset = 0;
    int64_t last[3] = {(int64_t)(image->size[0] * element) - bytes, (int64_t)image->size[1] - 1,
                       (int64_t)image->size[2] - 1};
    for (unsigned d = 0; d < access->dimensions; d++)
        at[d] = (int32_t)word_of(warp, access->at[first + d], lane);
    if (access->layered)
        at[2] = (int32_t)word_of(warp, access->at[0], lane);
    if (access->formatted)
        at[0] *= element;
    for (unsigned d = 0; d < 3; d++) {
        if (at[d] < 0 || at[d] > last[d]) {
            *out_none = access->beyond == BEYOND_ZERO;
            if (access->beyond == BEYOND_TRAP)
                ptx_fault(warp, op, lane, PTX_END_TRAP,
                          "coordinate %u of a surface access is %lld, the last there is %lld", d,
                          (long long)at[d], (long long)last[d]);
            if (access->beyond != BEYOND_CLAMP || last[d] < 0)
                return NULL;
            at[d] = at[d] < 0 ? 0 : last[d];
        }
        offset += at[d] * step[d];
    }
    uint64_t address = image->address + (uint64_t)offset;
    unsigned char *where = at[0] % bytes ? NULL : sim_reach(warp->device, address, bytes, write);
    if (!where)
        ptx_fault_access(warp, op, lane, address, bytes, write, PTX_GLOBAL);
    return where;
}

static const struct ptx_op *read_surface(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct image_access *access = op->extra;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const struct sim_image *image;
        bool none;
        unsigned char *where = surface_place(warp, op, lane, false, &image, &none);
        if (!where && !none)
            return NULL;
        for (unsigned i = 0; i < access->count; i++) {
            unsigned char *slot = warp->regs + access->slots[i] + (size_t)lane * access->widths[i];
            memset(slot, 0, access->widths[i]);
            if (where)
                memcpy(slot, where + i * access->size, access->size);
        }
    }
    return op + 1;
}

static const struct ptx_op *write_surface(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct image_access *access = op->extra;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const struct sim_image *image;
        uint32_t channels[4] = {0};
        bool none;
        unsigned char *where = surface_place(warp, op, lane, true, &image, &none);
        if (!where && !none)
            return NULL;
        for (unsigned i = 0; where && i < access->count; i++) {
            const unsigned char *slot =
                warp->regs + access->slots[i] + (size_t)lane * access->widths[i];
            if (access->formatted && i < 4)
                memcpy(&channels[i], slot, sizeof channels[i]);
            else if (!access->formatted)
                memcpy(where + i * access->size, slot, access->size);
        }
        if (where && access->formatted)
            sim_image_pack(image, channels, where);
    }
    return op + 1;
}

/* ---- translation ------------------------------------------------------------------------ */

static void read_geometry(struct image_access *access, const struct ptx_inst *inst)
{
    static const struct {
        const char *name;
        unsigned dimensions;
        bool layered, cube;
    } geometries[] = {{"1d", 1, false, false}, {"2d", 2, false, false}, {"3d", 3, false, false},
                      {"a1d", 1, true, false}, {"a2d", 2, true, false}, {"cube", 3, false, true},
                      {"acube", 3, true, true}};
    for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++)
        if (ptx_inst_has(inst, geometries[i].name)) {
            access->dimensions = geometries[i].dimensions;
            access->layered = geometries[i].layered;
            access->cube = geometries[i].cube;
        }
}

static void read_object(struct ptx_builder *builder, struct image_access *access,
                        const struct ptx_operand *address)
{
    struct ptx_operand base = *address;
    base.kind = PTX_OP_REG;
    if (!base.symbol || base.symbol->kind != PTX_REGISTER ||
        ptx_type_size(base.symbol->type) != 8) {
        ptx_build_error(builder, "simulated devices take texture and surface objects from "
                                 "registers of 64 bits only");
        return;
    }
    access->offset = address->offset;
    access->object = ptx_build_source(builder, &base, base.symbol->type);
}

static void read_vector(struct ptx_builder *builder, const struct ptx_operand *operand,
                        unsigned most, uint32_t *out_slots)
{
    for (unsigned i = 0; i < most; i++) {
        struct ptx_operand none = {.kind = PTX_OP_INT};
        out_slots[i] = ptx_build_source(
            builder, i < operand->element_count ? &operand->elements[i] : &none, PTX_B32);
    }
}

static void emit_quad(struct ptx_builder *builder, const struct ptx_inst *inst, ptx_handler handler,
                      struct image_access *access)
{
    const struct ptx_operand *d = &inst->operands[0];
    for (unsigned i = 0; i < 4; i++)
        access->slots[i] = ptx_build_destination(builder, &d->elements[i], PTX_B32);
    ptx_build_op(builder, handler)->extra = access;
    for (unsigned i = 0; i < 4; i++)
        ptx_build_finish(builder, &d->elements[i], PTX_B32, access->slots[i]);
}

static void emit_texture(struct ptx_builder *builder, const struct ptx_inst *inst,
                         struct image_access *access)
{
    static const char *const channels[] = {"r", "g", "b", "a"};
    bool gathers = strcmp(inst->opcode, "tld4") == 0;
    access->whole = strcmp(inst->modifiers[inst->modifier_count - 1], "s32") == 0;
    read_object(builder, access, &inst->operands[1]);
    read_vector(builder, &inst->operands[2], COORDINATES_MAX, access->at);
    for (unsigned i = 0; i < 4; i++)
        if (ptx_inst_has(inst, channels[i]))
            access->channel = i;
    if (ptx_inst_has(inst, "level")) {
        access->level = LEVEL_GIVEN;
        access->dx[0] = ptx_build_source(builder, &inst->operands[3], PTX_B32);
    } else if (ptx_inst_has(inst, "grad")) {
        access->level = LEVEL_GRADIENT;
        read_vector(builder, &inst->operands[3], 3, access->dx);
        read_vector(builder, &inst->operands[4], 3, access->dy);
    }
    if (access->whole && access->level != LEVEL_BASE)
        ptx_build_error(builder, "simulated devices read levels by .f32 coordinates only");
    emit_quad(builder, inst, gathers ? gather_texture : read_texture, access);
}

static void emit_query(struct ptx_builder *builder, const struct ptx_inst *inst,
                       struct image_access *access)
{
    static const char *const queries[] = {"width", "height", "depth", "array_size",
                                          "num_mipmap_levels"};
    for (unsigned i = 0; i < sizeof queries / sizeof *queries; i++)
        if (ptx_inst_has(inst, queries[i]))
            access->query = i;
    access->formatted = strcmp(inst->opcode, "suq") == 0;
    read_object(builder, access, &inst->operands[1]);
    access->slots[0] = ptx_build_destination(builder, &inst->operands[0], PTX_B32);
    ptx_build_op(builder, query)->extra = access;
    ptx_build_finish(builder, &inst->operands[0], PTX_B32, access->slots[0]);
}

/* As of a load or store: a wider register is read and written whole. */
static enum ptx_type data_type(const struct ptx_operand *element, enum ptx_type type)
{
    bool is_register = element->kind == PTX_OP_REG || element->kind == PTX_OP_COMPONENT;
    return is_register ? element->symbol->type : type;
}

static void emit_surface(struct ptx_builder *builder, const struct ptx_inst *inst,
                         struct image_access *access)
{
    static const char *const beyond[] = {"trap", "clamp", "zero"};
    bool writes = strcmp(inst->opcode, "sust") == 0;
    const struct ptx_operand *data = &inst->operands[writes ? 2 : 0];
    enum ptx_type types[PTX_VECTOR_MAX];
    struct ptx_words words;
    ptx_words_read(inst, &words);
    for (unsigned i = 0; i < 3; i++)
        if (ptx_inst_has(inst, beyond[i]))
            access->beyond = (enum beyond)i;
    access->formatted = ptx_inst_has(inst, "p");
    access->count = words.vector;
    access->size = ptx_type_size(words.type);
    read_object(builder, access, &inst->operands[writes ? 0 : 1]);
    read_vector(builder, &inst->operands[writes ? 1 : 2], COORDINATES_MAX, access->at);
    for (unsigned i = 0; i < access->count; i++) {
        struct ptx_operand element = ptx_vector_element(data, i);
        types[i] = data_type(&element, words.type);
        access->widths[i] = (uint8_t)(ptx_type_size(types[i]) < 2 ? 2 : ptx_type_size(types[i]));
        access->slots[i] = writes ? ptx_build_source(builder, &element, types[i])
                                  : ptx_build_destination(builder, &element, types[i]);
    }
    ptx_build_op(builder, writes ? write_surface : read_surface)->extra = access;
    for (unsigned i = 0; i < access->count && !writes; i++) {
        struct ptx_operand element = ptx_vector_element(data, i);
        ptx_build_finish(builder, &element, types[i], access->slots[i]);
    }
}

void ptx_emit_image(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct image_access *access = ptx_build_alloc(builder, sizeof *access);
    if (!access)
        return;
    read_geometry(access, inst);
    if (inst->opcode[0] == 't' && strcmp(inst->opcode, "txq") != 0)
        emit_texture(builder, inst, access);
    else if (strcmp(inst->opcode, "txq") == 0 || strcmp(inst->opcode, "suq") == 0)
        emit_query(builder, inst, access);
    else
        emit_surface(builder, inst, access);
}
