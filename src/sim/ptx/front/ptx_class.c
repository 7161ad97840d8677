/* The classes of instructions in profiles: those of the tables' columns, by type and space where a
 * row has several. */
#include "ptx_rows.h"

#include <string.h>

/* Approximations are what a device has a unit of its own for. */
static enum sim_class class_of_alu(const struct ptx_row *row)
{
    struct ptx_operand_rule result;
    if (strstr(row->pattern, ".approx"))
        return SIM_CLASS_SPECIAL;
    if (row->kind_of_alu == SIM_CLASS_F32 && ptx_row_operand(row, 0, &result) &&
        result.type == PTX_F64)
        return SIM_CLASS_F64;
    return row->kind_of_alu;
}

/* The class of an access to the space that the instruction names. */
static enum sim_class class_of_space(const struct ptx_inst *inst, bool store)
{
    static const struct {
        const char *space;
        enum sim_class load, store;
    } classes[] = {{"global", SIM_CLASS_GLOBAL_LOAD, SIM_CLASS_GLOBAL_STORE},
                   {"shared", SIM_CLASS_SHARED_LOAD, SIM_CLASS_SHARED_STORE},
                   {"local", SIM_CLASS_LOCAL_LOAD, SIM_CLASS_LOCAL_STORE},
                   {"const", SIM_CLASS_CONSTANT, SIM_CLASS_CONSTANT},
                   {"param", SIM_CLASS_CONSTANT, SIM_CLASS_CONSTANT}};
    for (unsigned i = 0; i < inst->modifier_count; i++)
        for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
            size_t length = strlen(classes[c].space);
            const char *modifier = inst->modifiers[i];
            if (strncmp(modifier, classes[c].space, length) == 0 &&
                (modifier[length] == '\0' || modifier[length] == ':'))
                return store ? classes[c].store : classes[c].load;
        }
    return store ? SIM_CLASS_GENERIC_STORE : SIM_CLASS_GENERIC_LOAD;
}

enum sim_class ptx_class_of(const struct ptx_inst *inst)
{
    static const enum sim_class classes[PTX_EMITTER_COUNT] = {
#define PTX_EMITTER(id, name, kind) [PTX_EMIT_##id] = SIM_CLASS_##kind,
#include "ptx_emitters.def"
#undef PTX_EMITTER
    };
    if (inst->row->kind == PTX_ROW_ALU)
        return class_of_alu(inst->row);
    if (inst->row->emitter == PTX_EMIT_LOAD || inst->row->emitter == PTX_EMIT_STORE)
        return class_of_space(inst, inst->row->emitter == PTX_EMIT_STORE);
    return classes[inst->row->emitter];
}
