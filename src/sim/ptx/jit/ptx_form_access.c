/* Loads and stores in regions. */
#include "ptx_handlers.h"
#include "ptx_region.h"
#include "ptx_wave_access.h"
#include "sim_memory.h"

/* What has functions in the bitcode; those of loads come first. Of what is not known to be one
 * place or a row, the handler finds out more than is worth compiling each time. */
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

void ptx_form_access(const struct ptx_op *op, enum ptx_wave_shape shape, struct ptx_form *out_form)
{
    const struct ptx_access *access = op->extra;
    const struct kind *kind = kind_of(access);
    add_slots(access, out_form);
    out_form->kind = WAVE_HANDLER;
    out_form->plain = true;
    if (!access->address_size)
        shape = PTX_WAVE_ALL_SAME;
    if (!kind || shape == PTX_WAVE_UNKNOWN)
        return;
    out_form->kind = WAVE_ATTEMPT;
    out_form->function = kind->shaped[access->write][shape];
    const uint64_t arguments[PTX_ACCESS_ARGUMENTS] = {
        access->base,
        access->address_size,
        (uint64_t)access->offset + (access->symbol ? access->symbol->address : 0),
        access->slots[0] | (uint64_t)access->slots[1] << 32,
        access->slots[2] | (uint64_t)access->slots[3] << 32,
        [PTX_ACCESS_TABLE] = (uint64_t)(uintptr_t)&sim_space,
    };
    out_form->argument_count = PTX_ACCESS_ARGUMENTS;
    out_form->addresses = UINT64_C(1) << PTX_ACCESS_TABLE;
    for (unsigned i = 0; i < out_form->argument_count; i++)
        out_form->arguments[i] = arguments[i];
}
