/* Emits the instructions of textures and surfaces. */
#include "ptx_build.h"
#include "ptx_emit.h"

#include <string.h>

static void read_geometry(struct ptx_image_access *access, const struct ptx_inst *inst)
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

/* NULL: out of memory. */
static struct ptx_image_access *create(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    struct ptx_image_access *access = ptx_build_alloc(builder, sizeof *access);
    if (access)
        read_geometry(access, inst);
    return access;
}

static void read_object(struct ptx_builder *builder, struct ptx_image_access *access,
                        const struct ptx_operand *address)
{
    struct ptx_operand base = *address;
    base.kind = PTX_OP_REG;
    if (!base.symbol || base.symbol->kind != PTX_REGISTER ||
        ptx_type_size(base.symbol->type) != 8) {
        ptx_build_error(builder, "simulated devices accept texture and surface objects from "
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
                      struct ptx_image_access *access)
{
    const struct ptx_operand *d = &inst->operands[0];
    for (unsigned i = 0; i < 4; i++)
        access->slots[i] = ptx_build_destination(builder, &d->elements[i], PTX_B32);
    ptx_build_op(builder, handler)->extra = access;
    for (unsigned i = 0; i < 4; i++)
        ptx_build_finish(builder, &d->elements[i], PTX_B32, access->slots[i]);
}

static void emit_texture(struct ptx_builder *builder, const struct ptx_inst *inst,
                         ptx_handler handler)
{
    static const char *const channels[] = {"r", "g", "b", "a"};
    struct ptx_image_access *access = create(builder, inst);
    if (!access)
        return;
    access->whole = strcmp(inst->modifiers[inst->modifier_count - 1], "s32") == 0;
    read_object(builder, access, &inst->operands[1]);
    read_vector(builder, &inst->operands[2], PTX_COORDINATES_MAX, access->at);
    for (unsigned i = 0; i < 4; i++)
        if (ptx_inst_has(inst, channels[i]))
            access->channel = i;
    if (ptx_inst_has(inst, "level")) {
        access->level = PTX_LEVEL_GIVEN;
        access->dx[0] = ptx_build_source(builder, &inst->operands[3], PTX_B32);
    } else if (ptx_inst_has(inst, "grad")) {
        access->level = PTX_LEVEL_GRADIENT;
        read_vector(builder, &inst->operands[3], 3, access->dx);
        read_vector(builder, &inst->operands[4], 3, access->dy);
    }
    if (access->whole && access->level != PTX_LEVEL_BASE)
        ptx_build_error(builder, "simulated devices read levels by .f32 coordinates only");
    emit_quad(builder, inst, handler, access);
}

static void emit_query(struct ptx_builder *builder, const struct ptx_inst *inst, bool surface)
{
    static const char *const queries[] = {"width", "height", "depth", "array_size",
                                          "num_mipmap_levels"};
    struct ptx_image_access *access = create(builder, inst);
    if (!access)
        return;
    for (unsigned i = 0; i < sizeof queries / sizeof *queries; i++)
        if (ptx_inst_has(inst, queries[i]))
            access->query = i;
    access->surface = surface;
    read_object(builder, access, &inst->operands[1]);
    access->slots[0] = ptx_build_destination(builder, &inst->operands[0], PTX_B32);
    ptx_build_op(builder, ptx_run_query_image)->extra = access;
    ptx_build_finish(builder, &inst->operands[0], PTX_B32, access->slots[0]);
}

/* As for loads and stores, a wider register is read and written as a whole. */
static enum ptx_type data_type(const struct ptx_operand *element, enum ptx_type type)
{
    bool is_register = element->kind == PTX_OP_REG || element->kind == PTX_OP_COMPONENT;
    return is_register ? element->symbol->type : type;
}

static void emit_surface(struct ptx_builder *builder, const struct ptx_inst *inst, bool writes)
{
    static const char *const beyond[] = {"trap", "clamp", "zero"};
    const struct ptx_operand *data = &inst->operands[writes ? 2 : 0];
    enum ptx_type types[PTX_VECTOR_MAX];
    struct ptx_access_modifiers modifiers;
    struct ptx_image_access *access = create(builder, inst);
    if (!access)
        return;
    ptx_access_modifiers_read(inst, &modifiers);
    for (unsigned i = 0; i < 3; i++)
        if (ptx_inst_has(inst, beyond[i]))
            access->beyond = (enum ptx_image_beyond)i;
    access->formatted = ptx_inst_has(inst, "p");
    access->count = modifiers.vector;
    access->size = ptx_type_size(modifiers.type);
    read_object(builder, access, &inst->operands[writes ? 0 : 1]);
    read_vector(builder, &inst->operands[writes ? 1 : 2], PTX_COORDINATES_MAX, access->at);
    for (unsigned i = 0; i < access->count; i++) {
        struct ptx_operand element = ptx_vector_element(data, i);
        types[i] = data_type(&element, modifiers.type);
        access->widths[i] = (uint8_t)(ptx_type_size(types[i]) < 2 ? 2 : ptx_type_size(types[i]));
        access->slots[i] = writes ? ptx_build_source(builder, &element, types[i])
                                  : ptx_build_destination(builder, &element, types[i]);
    }
    ptx_build_op(builder, writes ? ptx_run_write_surface : ptx_run_read_surface)->extra = access;
    for (unsigned i = 0; i < access->count && !writes; i++) {
        struct ptx_operand element = ptx_vector_element(data, i);
        ptx_build_finish(builder, &element, types[i], access->slots[i]);
    }
}

void ptx_emit_texture(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    emit_texture(builder, inst, ptx_run_read_texture);
}

void ptx_emit_texture_gather(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    emit_texture(builder, inst, ptx_run_gather_texture);
}

void ptx_emit_texture_query(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    emit_query(builder, inst, false);
}

void ptx_emit_surface_query(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    emit_query(builder, inst, true);
}

void ptx_emit_surface_load(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    emit_surface(builder, inst, false);
}

void ptx_emit_surface_store(struct ptx_builder *builder, const struct ptx_inst *inst)
{
    emit_surface(builder, inst, true);
}
