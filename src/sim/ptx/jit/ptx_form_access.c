/* Loads and stores in regions. */
#include "ptx_handlers.h"
#include "ptx_region.h"
#include "ptx_wave_access.h"
#include "sim_memory.h"

/* What has functions in the bitcode; those of loads come first. */
struct kind {
    enum ptx_space space;
    uint8_t size, count;
    const char *can, *some[2], *shaped[2][PTX_WAVE_SHAPES];
};

static const struct kind kinds[] = {
#define SHAPED(name, shape) [PTX_WAVE_##shape] = name #shape
#define SHAPES(name)                                                                               \
    {                                                                                              \
        SHAPED(name, UNKNOWN), SHAPED(name, ALL_SAME), SHAPED(name, ALL_ROW),                      \
            SHAPED(name, HALVES_SAME), SHAPED(name, HALVES_ROW)                                    \
    }
#define KIND(space, size, count)                                                                   \
    {PTX_##space,                                                                                  \
     size,                                                                                         \
     count,                                                                                        \
     "ptx_wave_can_load_" #space "_" #size "_" #count,                                             \
     {"ptx_wave_some_load_" #space "_" #size "_" #count,                                           \
      "ptx_wave_some_store_" #space "_" #size "_" #count},                                         \
     {SHAPES("ptx_wave_load_" #space "_" #size "_" #count "_"),                                    \
      SHAPES("ptx_wave_store_" #space "_" #size "_" #count "_")}},
#include "ptx_wave_kinds.def"
#undef KIND
};

static const struct kind *kind_of(const struct ptx_access *access)
{
    for (unsigned i = 0; i < access->count; i++)
        if (access->widths[i] != access->size)
            return NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].space == access->space && kinds[i].size == access->size &&
            kinds[i].count == access->count)
            return &kinds[i];
    return NULL;
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

bool ptx_form_access(const struct ptx_op *op, bool some, enum ptx_wave_shape shape,
                     struct ptx_form *out_form)
{
    const struct ptx_access *access = op->extra;
    const struct kind *kind = kind_of(access);
    add_slots(access, out_form);
    out_form->kind = WAVE_HANDLER;
    if (!kind)
        return !some;
    if (!access->address_size)
        shape = PTX_WAVE_ALL_SAME;
    out_form->kind = some ? WAVE_GUARD : WAVE_ATTEMPT;
    out_form->function = some ? kind->some[access->write] : kind->shaped[access->write][shape];
    out_form->can = some && !access->write ? kind->can : NULL;
    const uint64_t arguments[] = {
        access->base,
        access->address_size,
        (uint64_t)access->offset + (access->symbol ? access->symbol->address : 0),
        access->slots[0] | (uint64_t)access->slots[1] << 32,
        access->slots[2] | (uint64_t)access->slots[3] << 32,
        (uint64_t)(uintptr_t)&sim_space,
    };
    out_form->argument_count = sizeof arguments / sizeof *arguments;
    for (unsigned i = 0; i < out_form->argument_count; i++)
        out_form->arguments[i] = arguments[i];
    return true;
}
