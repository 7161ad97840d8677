/* The table of models, and the devices' clock. */
#include "amdgpu_device.h"

#include <string.h>
#include <time.h>

static const struct amdgpu_model models[] = {
#define MODEL(name_, isa_, product_, lanes_, units_, simds, waves, clock, memory_clock, bus, l1,   \
              l2, l3, chip, xnack_, sramecc_, vgprs, unit, line)                                   \
    {.name = #name_,                                                                               \
     .isa = AMDGPU_##isa_,                                                                         \
     .product = product_,                                                                          \
     .lanes = lanes_,                                                                              \
     .units = units_,                                                                              \
     .simds_per_unit = simds,                                                                      \
     .waves_per_simd = waves,                                                                      \
     .clock_mhz = clock,                                                                           \
     .memory_clock_mhz = memory_clock,                                                             \
     .bus_width = bus,                                                                             \
     .l1_kib = l1,                                                                                 \
     .l2_kib = l2,                                                                                 \
     .l3_kib = l3,                                                                                 \
     .chip_id = chip,                                                                              \
     .xnack = xnack_,                                                                              \
     .sramecc = sramecc_,                                                                          \
     .vgprs_per_simd = vgprs,                                                                      \
     .vgpr_unit = unit,                                                                            \
     .line_size = line},
#include "amdgpu_models.def"
#undef MODEL
};
_Static_assert(sizeof models / sizeof *models == AMDGPU_ISA_COUNT, "a model of each");

const struct amdgpu_model *amdgpu_model_at(size_t index)
{
    return index < sizeof models / sizeof *models ? &models[index] : NULL;
}

const struct amdgpu_model *amdgpu_model(const char *name)
{
    const struct amdgpu_model *model;
    for (size_t i = 0; (model = amdgpu_model_at(i)); i++)
        if (strcmp(model->name, name) == 0)
            return model;
    return NULL;
}

const struct amdgpu_model *amdgpu_model_of_target(const char *target)
{
    static const struct {
        const char *generic, *processor;
    } rows[] = {
#define AMDGPU_GENERIC(generic, processor, version) {generic, processor},
#include "amdgpu_generic.def"
#undef AMDGPU_GENERIC
    };
    const struct amdgpu_model *model = amdgpu_model(target);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !model; i++)
        if (strcmp(rows[i].generic, target) == 0)
            model = amdgpu_model(rows[i].processor);
    return model;
}

uint64_t amdgpu_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 100000000 + (uint64_t)now.tv_nsec / 10;
}
