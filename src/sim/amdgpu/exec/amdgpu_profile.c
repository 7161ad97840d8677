/* Counts the instructions of dispatches that are profiled. What they access is counted by the
 * handlers of memory instructions. */
#include "amdgpu_code.h"
#include "amdgpu_wave.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 1024 };

static void count(struct sim_profile_counts *counts, const struct amdgpu_inst *inst, unsigned lanes)
{
    if (amdgpu_is_of_lanes(inst))
        sim_profile_instruction(counts, inst->kind, lanes);
    else
        counts->executed[inst->kind]++;
    if (inst->row->format == AMDGPU_SOPP)
        counts->branches += !!(inst->row->flags & AMDGPU_ROW_BRANCH);
}

void amdgpu_profile_count(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    if (op->inst)
        count(wave->counts, op->inst, (unsigned)__builtin_popcountll(amdgpu_exec(wave)));
}

/* The lanes of a wave differ at a branch where it leaves some of them behind: the instruction in
 * front of the branch takes those from EXEC. */
static bool splits(const struct amdgpu_inst *inst, uint64_t before, uint64_t after)
{
    return inst->row->flags & (AMDGPU_ROW_EXEC | AMDGPU_ROW_NARROWS) &&
           inst->row->format != AMDGPU_MIMG && after && after != before && !(after & ~before);
}

const struct amdgpu_op *amdgpu_profile_run(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    amdgpu_handler run = __atomic_load_n(&op->run, __ATOMIC_ACQUIRE);
    if (!op->inst)
        return run(wave, op);
    struct sim_profile_counts *counts = wave->counts;
    const struct amdgpu_inst *inst = op->inst;
    uint64_t exec = amdgpu_exec(wave);
    const struct amdgpu_op *next = run(wave, op);
    if (!next && wave->next == op && wave->pause == SIM_WAVE_RESTS)
        return NULL; /* it waits for others, and will be executed again */
    count(counts, inst, (unsigned)__builtin_popcountll(exec));
    counts->divergent += splits(inst, exec, amdgpu_exec(wave));
    return next;
}

/* The kernel's name. AMD's own runtime does not say what it loads: a kernel has a number then, of
 * its descriptor and the beginning of its code, which is the same in every run. */
static void name_kernel(const struct amdgpu_dispatch *dispatch, char out[NAME_SIZE])
{
    enum { CODE = 64 };
    uint32_t number = 2166136261u; /* FNV-1a */
    const unsigned char *descriptor = (const unsigned char *)&dispatch->descriptor;
    const unsigned char *code =
        sim_translate_range(dispatch->device->device, dispatch->entry, CODE, false);
    amdgpu_symbols_name(dispatch->entry, out, NAME_SIZE);
    if (out[0])
        return;
    for (size_t i = 0; i < sizeof dispatch->descriptor; i++)
        number = (number ^ descriptor[i]) * 16777619u;
    for (size_t i = 0; code && i < CODE; i++)
        number = (number ^ code[i]) * 16777619u;
    snprintf(out, NAME_SIZE, "kernel 0x%08x", number);
}

struct sim_profile_launch *amdgpu_profile_begin(const struct amdgpu_dispatch *dispatch)
{
    const struct amdgpu_model *model = &dispatch->device->model;
    char name[NAME_SIZE];
    struct sim_profile_kernel kernel = {.engine = "amdgpu",
                                        .name = name,
                                        .device = dispatch->device->device,
                                        .shared = dispatch->lds_size,
                                        .local = dispatch->scratch_size,
                                        .registers = dispatch->vgprs + dispatch->agprs,
                                        .lanes = dispatch->lanes,
                                        .transaction = model->line_size,
                                        .line = model->line_size,
                                        .warps_per_block = dispatch->launch.waves_per_block,
                                        .blocks_per_unit = (unsigned)dispatch->occupancy.groups,
                                        .warps_per_unit_max = dispatch->occupancy.waves_max,
                                        .simds_per_unit = dispatch->occupancy.simds,
                                        .limit = dispatch->occupancy.limit};
    name_kernel(dispatch, name);
    snprintf(kernel.model, sizeof kernel.model, "%s", model->name);
    memcpy(kernel.grid, dispatch->launch.grid, sizeof kernel.grid);
    memcpy(kernel.block, dispatch->group, sizeof kernel.block);
    return sim_profile_begin(&kernel);
}
