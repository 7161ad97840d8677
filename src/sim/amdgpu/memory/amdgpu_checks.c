/* Checks for reads of uninitialised memory, and for unordered accesses of different waves to LDS.
 * Inaccessible addresses are left to the handler that follows. Scalar loads are not checked:
 * compilers make them wider than necessary. */
#include "amdgpu_mimg.h"
#include "sim_options.h"
#include "sim_shadow.h"

#include <stdio.h>
#include <stdlib.h>

/* The same object under another type. */
static struct sim_shadow *shadow_of(const struct amdgpu_block *block)
{
    return (struct sim_shadow *)block->checks;
}

/* ---- findings ------------------------------------------------------------------------------- */

static bool found(struct amdgpu_wave *wave, const struct amdgpu_op *op, struct amdgpu_fault *fault,
                  const char *what)
{
    fault->kind = AMDGPU_END_CHECK;
    fault->has_address = true;
    fault->what = what;
    amdgpu_fail(wave, op, fault);
    return false;
}

static bool unwritten(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lane,
                      uint64_t address, enum amdgpu_whose whose)
{
    static const char *const names[] = {
        [AMDGPU_OF_DEVICE] = "global", [AMDGPU_OF_BLOCK] = "shared", [AMDGPU_OF_THREAD] = "local"};
    const struct amdgpu_access *access = op->effect;
    struct amdgpu_fault fault = {.address = address, .whose = whose, .lane = (int)lane};
    char what[96];
    snprintf(what, sizeof what, "reads %u bytes of %s memory which nothing has written",
             access->bytes, names[whose]);
    return found(wave, op, &fault, what);
}

static bool races(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lane, bool write,
                  const struct sim_shadow_race *race)
{
    struct amdgpu_fault fault = {.address = race->offset,
                                 .whose = AMDGPU_OF_BLOCK,
                                 .lane = (int)lane,
                                 .other = race->place,
                                 .other_thread = race->thread,
                                 .other_wrote = race->wrote};
    char what[128];
    snprintf(what, sizeof what,
             "races: %s shared memory which another thread %s, with no barrier between",
             write ? "writes" : "reads", race->wrote ? "wrote" : "read");
    return found(wave, op, &fault, what);
}

/* ---- one lane ------------------------------------------------------------------------- */

static bool check_lds(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lane,
                      const struct sim_shadow_access *shadowed)
{
    struct sim_shadow_race race;
    switch (sim_shadow_shared(shadow_of(wave->block), shadowed, &race)) {
    case SIM_SHADOW_UNWRITTEN:
        return unwritten(wave, op, lane, shadowed->offset, AMDGPU_OF_BLOCK);
    case SIM_SHADOW_RACE:
        return races(wave, op, lane, shadowed->write, &race);
    default:
        return true;
    }
}

static bool check_own(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lane,
                      uint64_t address)
{
    const struct amdgpu_access *access = op->effect;
    struct sim_shadow_access shadowed = {.thread = amdgpu_item(wave, lane),
                                         .offset = (uint32_t)address,
                                         .place = amdgpu_address(wave, op),
                                         .size = access->bytes,
                                         .write = access->write,
                                         .atomic = access->atomic};
    if (!wave->block->checks)
        return true;
    if (amdgpu_is_lds(address))
        return check_lds(wave, op, lane, &shadowed);
    return sim_shadow_local(shadow_of(wave->block), &shadowed) == SIM_SHADOW_OK ||
           unwritten(wave, op, lane, shadowed.offset, AMDGPU_OF_THREAD);
}

bool amdgpu_check_lds_write(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lane,
                            uint32_t offset, size_t size)
{
    struct sim_shadow_access shadowed = {.thread = amdgpu_item(wave, lane),
                                         .offset = offset,
                                         .place = amdgpu_address(wave, op),
                                         .size = size,
                                         .write = true};
    return !wave->block->checks || check_lds(wave, op, lane, &shadowed);
}

/* Translates an element, of which each part is in one granule. */
static bool is_there(const struct amdgpu_wave *wave, uint64_t address, unsigned bytes, bool write)
{
    int device = wave->block->dispatch->device->device;
    unsigned part = SIM_GRANULE - (unsigned)(address % SIM_GRANULE);
    if (part >= bytes)
        return sim_translate(device, address, bytes, write);
    return sim_translate(device, address, part, write) &&
           sim_translate(device, address + part, bytes - part, write);
}

static bool check_global(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lane,
                         uint64_t address)
{
    const struct amdgpu_access *access = op->effect;
    if (!sim_memory_tracking || !is_there(wave, address, access->bytes, access->write))
        return true;
    if ((!access->write || access->atomic) && !sim_memory_written(address, access->bytes))
        return unwritten(wave, op, lane, address, AMDGPU_OF_DEVICE);
    if (access->write)
        sim_memory_wrote(address, access->bytes);
    return true;
}

/* A buffer's element that does not exist completely: each byte separately. */
static void note_parts(struct amdgpu_wave *wave, const struct amdgpu_op *op, unsigned lane,
                       const struct amdgpu_places *places)
{
    const struct amdgpu_access *access = op->effect;
    for (unsigned i = 0; access->write && sim_memory_tracking && i < access->bytes; i++) {
        uint64_t address = amdgpu_byte_address(places, lane, i);
        if (places->present[lane] >> i & 1 && is_there(wave, address, 1, true))
            sim_memory_wrote(address, 1);
    }
}

/* ---- the handler ---------------------------------------------------------------------- */

static bool check_places(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                         const struct amdgpu_places *places, uint32_t further)
{
    for (uint64_t left = amdgpu_exec(wave); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t address = places->at[lane];
        if (further) /* DS: the sum has 32 bits */
            address = SIM_SHARED_WINDOW + (uint32_t)(address + further);
        if (places->copied >> lane & 1)
            note_parts(wave, op, lane, places);
        else if (places->windows && (amdgpu_is_lds(address) || amdgpu_is_scratch(address))
                     ? !check_own(wave, op, lane, address)
                     : !check_global(wave, op, lane, address))
            return false;
    }
    return true;
}

static const struct amdgpu_op *check(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    struct amdgpu_places places;
    amdgpu_addresses(wave, op, &places);
    if (wave->counts)
        amdgpu_count_accesses(wave, op, &places);
    if (!amdgpu_checks_on() && !sim_memory_tracking)
        return ((amdgpu_handler)(uintptr_t)op->src[0].value)(wave, op);
    sim_shadow_wave_barrier(shadow_of(wave->block),
                            wave->number); /* the lanes of a wave are in step */
    if (!check_places(wave, op, &places, 0))
        return NULL;
    if (amdgpu_second(op) && !check_places(wave, op, &places, amdgpu_second(op)))
        return NULL;
    return ((amdgpu_handler)(uintptr_t)op->src[0].value)(wave, op);
}

bool amdgpu_check_elements(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                           const struct amdgpu_places *places)
{
    if (!amdgpu_checks_on() && !sim_memory_tracking)
        return true;
    sim_shadow_wave_barrier(shadow_of(wave->block), wave->number);
    return check_places(wave, op, places, 0);
}

void amdgpu_emit_check(struct amdgpu_op *op)
{
    if (!amdgpu_checks_on() && !sim_memory_tracking && !sim_profile_on())
        return;
    op->src[0].value = (uintptr_t)op->run;
    op->run = check;
}
