/* Loads and stores in regions. */
#include "ptx_handlers.h"
#include "ptx_region.h"
#include "ptx_wave_access.h"
#include "sim_memory.h"

/* What has functions in the bitcode for addresses that are known to be one place or a row; those of
 * loads come first. */
struct kind {
    enum ptx_space space;
    uint8_t size, count;
    const char *shaped[2][PTX_WAVE_SHAPES];
};

static const struct kind kinds[] = {
#define SHAPED(name, shape) [PTX_WAVE_##shape] = name #shape
#define SHAPES(name)                                                                               \
    {                                                                                              \
        SHAPED(name, ALL_SAME), SHAPED(name, ALL_ROW), SHAPED(name, HALVES_SAME),                  \
            SHAPED(name, HALVES_ROW)                                                               \
    }
#define KIND(space, size, count)                                                                   \
    {PTX_##space,                                                                                  \
     size,                                                                                         \
     count,                                                                                        \
     {SHAPES("ptx_wave_load_" #space "_" #size "_" #count "_"),                                    \
      SHAPES("ptx_wave_store_" #space "_" #size "_" #count "_")}},
#include "ptx_wave_kinds.def"
#undef KIND
};

static const struct kind *kind_of(const struct ptx_access *access)
{
    enum ptx_space space = access->space == PTX_CONST ? PTX_GLOBAL : access->space;
    for (unsigned i = 0; i < access->count; i++)
        if (access->widths[i] != access->size)
            return NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].space == space && kinds[i].size == access->size &&
            kinds[i].count == access->count)
            return &kinds[i];
    return NULL;
}

/* Of lanes whose addresses are not known. */
struct any {
    enum ptx_space space;
    uint8_t size, count;
    const char *functions[2][2]; /* those of loads come first; the second calls the library */
};

static const struct any anys[] = {
#define NAMES(name)                                                                                \
    {                                                                                              \
        name "_ANY", name "_CALLED"                                                                \
    }
#define ANY(space, size, count)                                                                    \
    {PTX_##space,                                                                                  \
     size,                                                                                         \
     count,                                                                                        \
     {NAMES("ptx_wave_load_" #space "_" #size "_" #count),                                         \
      NAMES("ptx_wave_store_" #space "_" #size "_" #count)}},
#include "ptx_wave_any.def"
#undef ANY
};

static const struct any *any_of(const struct ptx_access *access)
{
    enum ptx_space space = access->space == PTX_CONST ? PTX_GLOBAL : access->space;
    for (unsigned i = 0; i < access->count; i++)
        if (access->widths[i] != access->size &&
            (access->size > 2 || access->widths[i] > 4 || access->widths[i] < 2))
            return NULL;
    for (size_t i = 0; sim_isa() != SIM_ISA_BASE && i < sizeof anys / sizeof *anys; i++)
        if (anys[i].space == space && anys[i].size == access->size &&
            anys[i].count == access->count)
            return &anys[i];
    return NULL;
}

bool ptx_form_is_any(const struct ptx_op *op)
{
    return any_of(op->extra) != NULL;
}

bool ptx_form_is_shaped(const struct ptx_op *op)
{
    return kind_of(op->extra) != NULL;
}

bool ptx_form_is_some(const struct ptx_op *op, enum ptx_wave_shape shape)
{
    const struct ptx_access *access = op->extra;
    bool row = shape == PTX_WAVE_ALL_ROW || shape == PTX_WAVE_HALVES_ROW;
    return sim_isa() != SIM_ISA_BASE && row && access->size >= 4;
}

static void add_slots(const struct ptx_access *access, struct ptx_form *form)
{
    if (access->address_size)
        ptx_form_read(form, access->base, PTX_LANES * access->address_size);
    for (unsigned i = 0; i < access->count; i++) {
        uint32_t size = PTX_LANES * (uint32_t)access->widths[i];
        if (access->write)
            ptx_form_read(form, access->slots[i], size);
        else
            ptx_form_write(form, access->slots[i], size);
    }
}

/* Whether an access is a call. A byte or a half that is inlined takes LLVM 12 to 14 ms, and is
 * executed no faster. */
static bool is_called(const struct ptx_access *access, bool many)
{
    return many || access->size < 4;
}

void ptx_form_access(const struct ptx_op *op, enum ptx_wave_shape shape, bool many,
                     struct ptx_form *out_form)
{
    const struct ptx_access *access = op->extra;
    const struct kind *kind = kind_of(access);
    const struct any *any = any_of(access);
    add_slots(access, out_form);
    out_form->kind = WAVE_HANDLER;
    out_form->plain = true;
    if (!access->address_size && kind)
        shape = PTX_WAVE_ALL_SAME;
    bool known = kind && shape != PTX_WAVE_UNKNOWN;
    if (!known && !any)
        return;
    out_form->kind = WAVE_ATTEMPT;
    out_form->function = known ? kind->shaped[access->write][shape]
                               : any->functions[access->write][is_called(access, many)];
    const uint64_t arguments[PTX_ANY_ARGUMENTS] = {
        access->base,
        access->address_size,
        (uint64_t)access->offset + (access->symbol ? access->symbol->address : 0),
        access->slots[0] | (uint64_t)access->slots[1] << 32,
        access->slots[2] | (uint64_t)access->slots[3] << 32,
        [PTX_ACCESS_TABLE] = (uint64_t)(uintptr_t)&sim_space,
        [PTX_ANY_SPAN] = ptx_span_of(access->line),
        [PTX_ANY_FORM] = access->widths[0] | (access->sign ? PTX_ANY_SIGN : 0) |
                         (access->frame ? PTX_ANY_FRAME : 0),
        [PTX_ANY_GUARD] = PTX_NO_GUARD,
    };
    out_form->argument_count = known ? PTX_ACCESS_ARGUMENTS : PTX_ANY_ARGUMENTS;
    out_form->addresses = UINT64_C(1) << PTX_ACCESS_TABLE;
    for (unsigned i = 0; i < out_form->argument_count; i++)
        out_form->arguments[i] = arguments[i];
}
