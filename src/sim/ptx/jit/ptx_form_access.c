/* Loads and stores in regions. */
#include "ptx_handlers.h"
#include "ptx_region.h"
#include "ptx_wave_access.h"
#include "sim_memory.h"

/* What has functions in the bitcode for addresses that are known to be one place or a row; those of
 * loads come first. */
struct kind {
    enum ptx_space space;
    uint8_t size, count, width; /* width: of an element in its slot */
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
     size,                                                                                         \
     {SHAPES("ptx_wave_load_" #space "_" #size "_" #count "_"),                                    \
      SHAPES("ptx_wave_store_" #space "_" #size "_" #count "_")}},
#define WIDENED(space, size, width)                                                                \
    {PTX_##space,                                                                                  \
     size,                                                                                         \
     1,                                                                                            \
     width,                                                                                        \
     {{SHAPED("ptx_wave_load_" #space "_" #size "_to_" #width "_", ALL_SAME)}}},
#include "ptx_wave_kinds.def"
};

/* The size of all elements in their slots; 0: they have several. */
static unsigned width_of(const struct ptx_access *access)
{
    for (unsigned i = 1; i < access->count; i++)
        if (access->widths[i] != access->widths[0])
            return 0;
    return access->widths[0];
}

static const struct kind *kind_of(const struct ptx_access *access)
{
    enum ptx_space space = access->space == PTX_CONST ? PTX_GLOBAL : access->space;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].space == space && kinds[i].size == access->size &&
            kinds[i].count == access->count && kinds[i].width == width_of(access))
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
#define ROW(space, size, count, inlined)                                                           \
    {PTX_##space,                                                                                  \
     size,                                                                                         \
     count,                                                                                        \
     {{"ptx_wave_load_" #space "_" #size "_" #count inlined,                                       \
       "ptx_wave_load_" #space "_" #size "_" #count "_CALLED"},                                    \
      {"ptx_wave_store_" #space "_" #size "_" #count inlined,                                      \
       "ptx_wave_store_" #space "_" #size "_" #count "_CALLED"}}},
#define ANY(space, size, count)  ROW(space, size, count, "_ANY")
#define CALL(space, size, count) ROW(space, size, count, "_CALLED")
#include "ptx_wave_any.def"
};

static bool has_any_width(const struct ptx_access *access)
{
    const unsigned width = width_of(access);
    if (access->size < 4)
        return width == 2 || width == 4;
    return width == access->size || (access->count == 1 && access->size == 4 && width == 8);
}

static const struct any *any_of(const struct ptx_access *access)
{
    enum ptx_space space = access->space == PTX_CONST ? PTX_GLOBAL : access->space;
    if (sim_isa() == SIM_ISA_BASE || !has_any_width(access))
        return NULL;
    for (size_t i = 0; i < sizeof anys / sizeof *anys; i++)
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
    bool known = kind && kind->shaped[access->write][shape];
    if (!known && !any)
        return;
    out_form->kind = WAVE_ATTEMPT;
    out_form->function =
        known ? kind->shaped[access->write][shape] : any->functions[access->write][many];
    const uint64_t arguments[PTX_ANY_ARGUMENTS] = {
        access->base,
        access->address_size,
        (uint64_t)access->offset + (access->symbol ? access->symbol->address : 0),
        access->slots[0] | (uint64_t)access->slots[1] << 32,
        access->slots[2] | (uint64_t)access->slots[3] << 32,
        [PTX_ACCESS_TABLE] = (uint64_t)(uintptr_t)&sim_space,
        [PTX_ACCESS_HOW] = access->sign && access->widths[0] > access->size ? PTX_ACCESS_SIGNED : 0,
        [PTX_ANY_SPAN] = ptx_span_of(access->line),
        [PTX_ANY_FORM] = access->widths[0] | (access->frame ? PTX_ANY_FRAME : 0),
        [PTX_ANY_GUARD] = PTX_NO_GUARD,
    };
    out_form->argument_count = known ? PTX_ACCESS_ARGUMENTS : PTX_ANY_ARGUMENTS;
    out_form->addresses = UINT64_C(1) << PTX_ACCESS_TABLE;
    for (unsigned i = 0; i < out_form->argument_count; i++)
        out_form->arguments[i] = arguments[i];
}
