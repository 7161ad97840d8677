/* Dispatches: validation of packets and kernel descriptors, the memory of a work-group, the initial
 * values of registers, and the engine that the scheduler drives. */
#include "amdgpu_wave.h"
#include "log.h"
#include "sim_grid.h"
#include "sim_places.h"
#include "sim_options.h"

#include <stdlib.h>
#include <string.h>

enum {
    ITEMS_MAX = 1024,
    REGISTERS_MAX = 256,           /* VGPRs, and AGPRs, that an instruction can name */
    SCRATCH_OF_WAVE_MAX = 8 << 20, /* bytes, as a GPU has it */
    USER_SGPRS_MAX = 32,
};

static struct amdgpu_dispatch *dispatch_of(const struct sim_launch *launch)
{
    return (struct amdgpu_dispatch *)((uintptr_t)launch - offsetof(struct amdgpu_dispatch, launch));
}

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/* ---- a block's memory --------------------------------------------------------------------- */

struct layout {
    size_t waves, items, registers, registers_stride, lds, size;
};

static struct layout layout_of(const struct amdgpu_dispatch *dispatch)
{
    unsigned waves = dispatch->launch.waves_per_block;
    size_t registers = dispatch->vgprs + dispatch->agprs;
    struct layout layout = {.waves = round_up(sizeof(struct amdgpu_block), 64)};
    layout.items = layout.waves + waves * sizeof(struct amdgpu_wave);
    layout.registers = round_up(layout.items + (size_t)waves * dispatch->lanes * 3 * 4, 64);
    layout.registers_stride = round_up(registers * dispatch->lanes * 4, 64);
    layout.lds = layout.registers + waves * layout.registers_stride;
    layout.size = layout.lds + round_up(dispatch->lds_size, 64);
    return layout;
}

/* Acquires a part of the queue's scratch. False: none is left. */
static bool find_scratch(struct amdgpu_block *block, unsigned waves)
{
    struct amdgpu_dispatch *dispatch = block->dispatch;
    const struct amdgpu_scratch_ring *ring = &dispatch->scratch_ring;
    unsigned group;
    if (!amdgpu_scratch_ring_acquire(dispatch, &group))
        return false;
    block->scratch_part = group + 1;
    block->wave_scratch = ring->wave_size;
    block->scratch_address = ring->address;
    block->scratch_first = (ring->first + (uint64_t)group * waves) * ring->wave_size;
    block->scratch =
        sim_translate_range(dispatch->device->device, ring->address + block->scratch_first,
                            waves * ring->wave_size, true);
    return block->scratch;
}

/* False: out of memory. Without scratch, the descriptor points to an address where no memory is. */
static bool make_scratch(struct amdgpu_block *block, unsigned waves)
{
    struct amdgpu_dispatch *dispatch = block->dispatch;
    block->scratch_size = dispatch->scratch_size;
    block->scratch_stride = dispatch->scratch_stride;
    block->wave_scratch = dispatch->lanes * dispatch->scratch_stride;
    block->scratch_address = SIM_LOCAL_WINDOW;
    if (!block->scratch_size)
        return true;
    if (dispatch->scratch_ring.address)
        return find_scratch(block, waves);
    block->scratch_memory = amdgpu_scratch_pool_acquire(
        dispatch->scratch_pool, dispatch->device->device, waves * block->wave_scratch);
    if (!block->scratch_memory)
        return false;
    block->scratch = block->scratch_memory->view;
    block->scratch_address = block->scratch_memory->address;
    return true;
}

static bool make_waits(struct amdgpu_block *block)
{
    block->waits = amdgpu_waits_create(block->wave_count);
    for (unsigned i = 0; block->waits && i < block->wave_count; i++)
        block->waves[i].waits = amdgpu_waits_of(block->waits, i);
    return block->waits;
}

static bool make_block(struct amdgpu_block *block, struct sim_block *sim)
{
    struct amdgpu_dispatch *dispatch = dispatch_of(sim->launch);
    struct layout layout = layout_of(dispatch);
    unsigned char *base = (unsigned char *)block;
    block->dispatch = dispatch;
    block->lds = base + layout.lds;
    block->lds_size = dispatch->lds_size;
    block->waves = (struct amdgpu_wave *)(void *)(base + layout.waves);
    block->items = (uint32_t *)(void *)(base + layout.items);
    block->wave_count = sim->wave_count;
    for (unsigned i = 0; i < sim->wave_count; i++) {
        struct amdgpu_wave *wave = &block->waves[i];
        wave->v = (uint32_t *)(void *)(base + layout.registers + i * layout.registers_stride);
        wave->lanes = dispatch->lanes;
        wave->vgprs = dispatch->vgprs;
        wave->agprs = dispatch->agprs;
        wave->m0 = amdgpu_family_of(dispatch->shape->isa) == AMDGPU_GFX11 ? 125 : 124;
        wave->block = block;
        wave->number = i;
    }
    sim_run_fill_unused(block->lds, block->lds_size);
    if (!make_scratch(block, sim->wave_count))
        return false;
    block->counts = sim_profile_on() ? calloc(1, sizeof *block->counts) : NULL;
    if (sim_profile_on() && !block->counts)
        return false;
    block->checks = amdgpu_checks_on() ? amdgpu_checks_create(block) : NULL;
    if (sim_options()->checks & SIM_CHECK_SYNC && !make_waits(block))
        return false;
    for (unsigned i = 0; i < sim->wave_count; i++) {
        block->waves[i].counts = block->counts;
        block->waves[i].watched = block->counts || block->waits;
    }
    return block->checks || !amdgpu_checks_on();
}

/* ---- initial values of registers ------------------------------------------------------------ */

void amdgpu_block_size(const struct amdgpu_block *block, uint32_t out_size[3])
{
    const struct amdgpu_dispatch *dispatch = block->dispatch;
    const hsa_kernel_dispatch_packet_t *packet = &dispatch->packet;
    const uint32_t grid[3] = {packet->grid_size_x, packet->grid_size_y, packet->grid_size_z};
    for (unsigned i = 0; i < 3; i++) {
        uint32_t left = grid[i] - block->block->index[i] * dispatch->group[i];
        out_size[i] = left < dispatch->group[i] ? left : dispatch->group[i];
    }
}

static bool has_packed_items(enum amdgpu_isa isa)
{
    return isa == AMDGPU_GFX90A || isa == AMDGPU_GFX942 || isa == AMDGPU_GFX1100;
}

/* Devices with architected flat scratch initialise FLAT_SCRATCH themselves. */
static bool has_architected_scratch(enum amdgpu_isa isa)
{
    return isa == AMDGPU_GFX942 || isa == AMDGPU_GFX1100;
}

/* Registers with the ids of a work-item. */
static unsigned item_registers(const struct amdgpu_dispatch *dispatch)
{
    unsigned dimensions = dispatch->descriptor.compute_pgm_rsrc2 >> AMDGPU_RSRC2_WORKITEM_ID & 3;
    return has_packed_items(dispatch->shape->isa) ? 1 : dimensions < 2 ? dimensions + 1 : 3;
}

static void number_wave(const struct amdgpu_block *block, unsigned number, uint32_t *out)
{
    const struct amdgpu_dispatch *dispatch = block->dispatch;
    const uint32_t *size = block->items_of;
    unsigned dimensions = dispatch->descriptor.compute_pgm_rsrc2 >> AMDGPU_RSRC2_WORKITEM_ID & 3;
    unsigned registers = item_registers(dispatch), lanes = dispatch->lanes;
    for (unsigned lane = 0; lane < lanes; lane++) {
        unsigned item = number * lanes + lane;
        uint32_t x = item % size[0], y = item / size[0] % size[1], z = item / size[0] / size[1];
        uint32_t id[3] = {x, dimensions > 0 ? y : 0, dimensions > 1 ? z : 0};
        if (has_packed_items(dispatch->shape->isa))
            id[0] |= id[1] << 10 | id[2] << 20;
        for (unsigned i = 0; i < registers; i++)
            out[i * lanes + lane] = id[i];
    }
}

/* Most blocks are as large as the one before. */
static void number_items(struct amdgpu_block *block, const uint32_t size[3])
{
    size_t stride = (size_t)item_registers(block->dispatch) * block->dispatch->lanes;
    if (memcmp(block->items_of, size, sizeof block->items_of) == 0)
        return;
    memcpy(block->items_of, size, sizeof block->items_of);
    for (unsigned i = 0; i < block->wave_count; i++)
        number_wave(block, i, block->items + i * stride);
}

static void set_items(struct amdgpu_wave *wave)
{
    size_t stride = (size_t)item_registers(wave->block->dispatch) * wave->lanes;
    memcpy(wave->v, wave->block->items + wave->number * stride, stride * sizeof(uint32_t));
}

struct sgprs {
    uint32_t *s;
    unsigned count;
};

static void put(struct sgprs *sgprs, uint32_t value)
{
    if (sgprs->count < USER_SGPRS_MAX)
        sgprs->s[sgprs->count++] = value;
}

static void put64(struct sgprs *sgprs, uint64_t value)
{
    put(sgprs, (uint32_t)value);
    put(sgprs, (uint32_t)(value >> 32));
}

/* A resource descriptor of the group's scratch; each work-item uses its own part of it. */
static void put_scratch_buffer(struct sgprs *sgprs, const struct amdgpu_block *block)
{
    enum { SWIZZLE = 1u << 31, TID_ENABLE = 1 << 23, ELEMENTS_OF_4 = 1 << 19 };
    uint32_t index_stride = block->dispatch->lanes == 64 ? 3 : 2;
    const struct amdgpu_scratch_ring *ring = &block->dispatch->scratch_ring;
    if (ring->address) { /* the runtime leaves the stride to be set for each kernel's waves */
        for (unsigned i = 0; i < 3; i++)
            put(sgprs, ring->descriptor[i]);
        put(sgprs, (ring->descriptor[3] & ~(3u << 21)) | index_stride << 21);
        return;
    }
    put(sgprs, (uint32_t)block->scratch_address);
    put(sgprs, (uint32_t)(block->scratch_address >> 32) | SWIZZLE);
    put(sgprs, UINT32_MAX);
    put(sgprs, TID_ENABLE | index_stride << 21 | ELEMENTS_OF_4);
}

static void set_user_sgprs(struct sgprs *sgprs, const struct amdgpu_block *block)
{
    const struct amdgpu_dispatch *dispatch = block->dispatch;
    unsigned properties = dispatch->descriptor.kernel_code_properties;
    if (properties & AMDGPU_PROPERTY_PRIVATE_SEGMENT_BUFFER)
        put_scratch_buffer(sgprs, block);
    if (properties & AMDGPU_PROPERTY_DISPATCH_PTR)
        put64(sgprs, dispatch->packet_address);
    if (properties & AMDGPU_PROPERTY_QUEUE_PTR)
        put64(sgprs, dispatch->queue_address);
    if (properties & AMDGPU_PROPERTY_KERNARG_SEGMENT_PTR)
        put64(sgprs, (uint64_t)(uintptr_t)dispatch->packet.kernarg_address);
    if (properties & AMDGPU_PROPERTY_DISPATCH_ID)
        put64(sgprs, dispatch->id);
    if (properties & AMDGPU_PROPERTY_FLAT_SCRATCH_INIT)
        put64(sgprs, block->scratch_address);
    if (properties & AMDGPU_PROPERTY_PRIVATE_SEGMENT_SIZE)
        put(sgprs, (uint32_t)dispatch->scratch_size);
}

/* A constant becomes a slow string instruction. */
static const volatile size_t sgprs_size = sizeof(uint32_t[AMDGPU_SREGS]);

/* The SGPRs that all waves of a block begin with. Returns where those that differ follow. */
static struct sgprs set_sgprs_of_block(struct amdgpu_block *block)
{
    const struct amdgpu_dispatch *dispatch = block->dispatch;
    uint32_t rsrc2 = dispatch->descriptor.compute_pgm_rsrc2;
    struct sgprs sgprs = {.s = block->sgprs};
    memset(block->sgprs, 0, sgprs_size);
    set_user_sgprs(&sgprs, block);
    sgprs = (struct sgprs){.s = block->sgprs + dispatch->user_sgprs};
    for (unsigned i = 0; i < 3; i++)
        if (rsrc2 >> (AMDGPU_RSRC2_WORKGROUP_ID_X + i) & 1)
            put(&sgprs, block->block->index[i]);
    return sgprs;
}

/* sgprs: of its block. */
static void set_sgprs(struct amdgpu_wave *wave, struct sgprs sgprs)
{
    const struct amdgpu_block *block = wave->block;
    uint32_t rsrc2 = block->dispatch->descriptor.compute_pgm_rsrc2;
    memcpy(wave->s, block->sgprs, sgprs_size);
    sgprs.s = wave->s + (sgprs.s - block->sgprs);
    if (rsrc2 >> AMDGPU_RSRC2_WORKGROUP_INFO & 1)
        put(&sgprs, (uint32_t)(wave->number == 0) << 31 | wave->number << 6 | block->wave_count);
    if (rsrc2 >> AMDGPU_RSRC2_SCRATCH & 1 && !has_architected_scratch(block->dispatch->shape->isa))
        put(&sgprs, (uint32_t)(block->scratch_first + wave->number * block->wave_scratch));
}

/* The architected scratch base of a queue that provides scratch. */
static void set_flat_scratch(struct amdgpu_wave *wave)
{
    const struct amdgpu_block *block = wave->block;
    uint64_t address = 0;
    if (block->dispatch->scratch_ring.address)
        address = block->scratch_address + block->scratch_first +
                  (uint64_t)wave->number * block->wave_scratch;
    wave->flat_scratch[0] = (uint32_t)address;
    wave->flat_scratch[1] = (uint32_t)(address >> 32);
}

static uint32_t mode_of(const struct amdgpu_dispatch *dispatch)
{
    uint32_t rsrc1 = dispatch->descriptor.compute_pgm_rsrc1;
    uint32_t floats = rsrc1 >> AMDGPU_RSRC1_ROUND_32 & 0xff;
    return floats | (rsrc1 >> AMDGPU_RSRC1_DX10_CLAMP & 1) << 8 |
           (rsrc1 >> AMDGPU_RSRC1_IEEE_MODE & 1) << 9 | (rsrc1 >> AMDGPU_RSRC1_FP16_OVFL & 1) << 23;
}

/* VGPRs that are not initialised keep their old contents. */
static void start_wave(struct amdgpu_wave *wave, const uint32_t size[3], struct sgprs sgprs)
{
    unsigned items = size[0] * size[1] * size[2], first = wave->number * wave->lanes;
    unsigned left = first < items ? items - first : 0;
    set_sgprs(wave, sgprs);
    set_items(wave);
    uint64_t exec = left >= wave->lanes ? amdgpu_all_lanes(wave) : ((uint64_t)1 << left) - 1;
    amdgpu_set_s64(wave, AMDGPU_EXEC, exec);
    wave->scc = 0;
    wave->mode = mode_of(wave->block->dispatch);
    wave->traps = 0;
    wave->privileged = wave->halts = wave->compiled = false;
    set_flat_scratch(wave);
    wave->steps = wave->charged = 0;
    wave->parted = NULL;
    wave->partings = 0;
    wave->gws_turn = 0;
    wave->pause = SIM_WAVE_READY;
    wave->page = NULL;
    wave->loop = wave->old_loop = NULL;
    wave->next = NULL; /* it jumps to the entry when it first runs */
    wave->state = left ? AMDGPU_RUNS : AMDGPU_ENDED;
}

/* ---- the engine -------------------------------------------------------------------- */

static bool begin(struct sim_block *sim, bool fresh)
{
    struct amdgpu_block *block = sim->state;
    uint32_t size[3];
    if (fresh && !make_block(block, sim))
        return false;
    block->block = sim;
    block->arrived = block->ended = 0;
    amdgpu_block_size(block, size);
    number_items(block, size);
    const struct sgprs sgprs = set_sgprs_of_block(block);
    for (unsigned i = 0; i < block->wave_count; i++) {
        start_wave(&block->waves[i], size, sgprs);
        block->ended += block->waves[i].state == AMDGPU_ENDED;
    }
    block->together = !sim_options()->run.deterministic;
    amdgpu_checks_begin(block->checks);
    amdgpu_waits_begin(block->waits, block->wave_count);
    return true;
}

/* Where there is no code, the wave may have entered its trap handler. */
static void begin_code(struct amdgpu_wave *wave)
{
    struct amdgpu_block *block = wave->block;
    const struct amdgpu_emitters *emitters = block->dispatch->shape->emitters;
    if (!block->first && (block->first = amdgpu_goto(wave, block->dispatch->entry)))
        block->page = amdgpu_page_of(block->first);
    if (!block->first)
        return;
    wave->next = block->first;
    wave->page = block->page;
    if (emitters->begin)
        emitters->begin(wave);
}

static enum sim_wave run_wave(struct amdgpu_wave *wave, unsigned budget)
{
    if (!wave->next && wave->state == AMDGPU_RUNS)
        begin_code(wave);
    enum sim_wave outcome = amdgpu_wave_run(wave, budget);
    if (outcome == SIM_WAVE_ENDED)
        amdgpu_report_end(wave);
    return outcome;
}

/* Runs the waves that are READY, as the scheduler would, one after the other, a few times. The
 * scheduler takes over when one of them does more than to go on to a barrier or to its end. */
static bool run_together(struct amdgpu_block *block, unsigned number, unsigned budget)
{
    enum { ROUNDS = 4 };
    unsigned char *states = block->block->waves;
    unsigned wave = number, idle = 0;
    for (unsigned runs = 0; runs < ROUNDS * block->wave_count && block->together; runs++) {
        if (states[wave] == SIM_WAVE_READY) {
            enum sim_wave state = run_wave(&block->waves[wave], budget);
            states[wave] = (unsigned char)state;
            block->together = state == SIM_WAVE_WAITS || state == SIM_WAVE_ENDED;
            if (state == SIM_WAVE_FAILED)
                return false;
            idle = 0;
        } else if (++idle == block->wave_count) {
            break;
        }
        wave = wave + 1 < block->wave_count ? wave + 1 : 0;
    }
    return true;
}

static enum sim_wave run(struct sim_block *sim, unsigned number, unsigned budget)
{
    struct amdgpu_block *block = sim->state;
    if (!block->together)
        return run_wave(&block->waves[number], budget);
    return run_together(block, number, budget) ? (enum sim_wave)sim->waves[number]
                                               : SIM_WAVE_FAILED;
}

static bool stuck(struct sim_block *sim)
{
    amdgpu_report_stuck(sim->state);
    return false;
}

static void fini(struct sim_block *sim)
{
    struct amdgpu_block *block = sim->state;
    if (block->counts)
        sim_profile_add(block->dispatch->profile, block->counts);
    free(block->counts);
    amdgpu_checks_destroy(block->checks);
    free(block->waits);
    amdgpu_scratch_pool_release(block->dispatch->scratch_pool, block->scratch_memory);
    if (block->scratch_part)
        amdgpu_scratch_ring_release(block->dispatch, block->scratch_part - 1);
}

/* The workspace of the grid's barrier (docs/kernel-abi.md); 0: there is none. In code objects of
 * version 5 and later, the hidden arguments follow the kernel's own. */
static uint64_t grid_workspace(const struct amdgpu_dispatch *dispatch)
{
    enum { HIDDEN_SIZE = 256, MULTIGRID_SYNC = 88, WORKSPACE = 48 };
    int device = dispatch->device->device;
    uint64_t at = (uintptr_t)dispatch->packet.kernarg_address, pointer;
    if (dispatch->descriptor.kernarg_size < HIDDEN_SIZE)
        return 0;
    at += dispatch->descriptor.kernarg_size - HIDDEN_SIZE + MULTIGRID_SYNC;
    for (unsigned i = 0; i < 2; i++, at = pointer + WORKSPACE) {
        const unsigned char *from = sim_translate_range(device, at, sizeof pointer, false);
        if (!from)
            return 0;
        memcpy(&pointer, from, sizeof pointer);
        if (!pointer)
            return 0;
    }
    return pointer;
}

static bool grid_hangs(struct sim_launch *launch, uint64_t ended)
{
    struct amdgpu_dispatch *dispatch = dispatch_of(launch);
    if (!dispatch->cooperative)
        return false;
    if (!sim_grid_waits(dispatch->device->device, grid_workspace(dispatch)) &&
        !amdgpu_gws_is_pending(dispatch))
        return false;
    amdgpu_report_grid(dispatch, ended);
    return true;
}

static void introduce(const struct sim_launch *launch, struct sim_report *text)
{
    amdgpu_report_dispatch(dispatch_of(launch), text);
}

/* Threads that are in another branch are not distinguished from those that have ended. */
static void find_threads(const struct sim_block *sim, unsigned number, struct sim_places *places)
{
    const struct amdgpu_block *block = sim->state;
    const struct amdgpu_wave *wave = &block->waves[number];
    struct sim_place place = {.block = sim, .wave = number, .what = wave};
    place.key = (uintptr_t)wave->next + (uint64_t)wave->state;
    place.threads = (unsigned)__builtin_popcountll(amdgpu_exec(wave));
    sim_places_add(places, &place);
}

static void describe(const struct sim_place *place, struct sim_report *text)
{
    amdgpu_report_place(place->what, text);
}

static bool time_out(struct sim_launch *launch)
{
    struct amdgpu_dispatch *dispatch = dispatch_of(launch);
    if (atomic_exchange(&dispatch->failed, true))
        return false;
    dispatch->end.kind = AMDGPU_END_HUNG;
    dispatch->end.address = dispatch->entry;
    return true;
}

static const struct sim_engine engine = {.name = "amdgpu",
                                         .begin = begin,
                                         .run = run,
                                         .stuck = stuck,
                                         .grid_hangs = grid_hangs,
                                         .introduce = introduce,
                                         .find_threads = find_threads,
                                         .describe = describe,
                                         .time_out = time_out,
                                         .fini = fini};

/* ---- validation of the kernel descriptor ---------------------------------------------- */

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static void read_registers(struct amdgpu_dispatch *dispatch)
{
    const struct amdgpu_kernel_descriptor *descriptor = &dispatch->descriptor;
    enum amdgpu_isa isa = dispatch->device->model.isa;
    unsigned units = (descriptor->compute_pgm_rsrc1 >> AMDGPU_RSRC1_VGPRS & 63) + 1;
    unsigned sgprs = (descriptor->compute_pgm_rsrc1 >> AMDGPU_RSRC1_SGPRS & 15) / 2 + 1;
    bool unified = isa == AMDGPU_GFX90A || isa == AMDGPU_GFX942;
    unsigned total = units * (unified || dispatch->lanes == 32 ? 8 : 4);
    unsigned offset = (descriptor->compute_pgm_rsrc3 >> AMDGPU_RSRC3_ACCUM_OFFSET & 63) * 4 + 4;
    unsigned vgprs = unified ? least(offset, total) : total;
    dispatch->vgprs = least(vgprs, REGISTERS_MAX);
    dispatch->agprs = unified                     ? least(total - vgprs, REGISTERS_MAX)
                      : amdgpu_has_own_agprs(isa) ? dispatch->vgprs
                                                  : 0;
    dispatch->sgprs = amdgpu_family_of(isa) == AMDGPU_GFX9 ? sgprs * 16 : 106;
    dispatch->user_sgprs = descriptor->compute_pgm_rsrc2 >> AMDGPU_RSRC2_USER_SGPRS & 31;
}

static bool read_descriptor(struct amdgpu_dispatch *dispatch, struct amdgpu_end *out_end)
{
    uint64_t address = dispatch->packet.kernel_object;
    const unsigned char *at =
        sim_translate_range(dispatch->device->device, address, sizeof dispatch->descriptor, false);
    if (!at)
        return amdgpu_reject_dispatch(
            dispatch, AMDGPU_END_PACKET, address, out_end,
            "its kernel object at 0x%llx is not in memory that the device can read",
            (unsigned long long)address);
    memcpy(&dispatch->descriptor, at, sizeof dispatch->descriptor);
    dispatch->entry = address + (uint64_t)dispatch->descriptor.kernel_code_entry_byte_offset;
    if (dispatch->entry % 4 || !sim_translate(dispatch->device->device, dispatch->entry, 4, false))
        return amdgpu_reject_dispatch(
            dispatch, AMDGPU_END_PACKET, dispatch->entry, out_end,
            "its first instruction, at 0x%llx, is not in memory that the device can read",
            (unsigned long long)dispatch->entry);
    bool gfx9 = amdgpu_family_of(dispatch->device->model.isa) == AMDGPU_GFX9;
    bool narrow = dispatch->descriptor.kernel_code_properties & AMDGPU_PROPERTY_WAVEFRONT_SIZE32;
    if (gfx9 && narrow)
        return amdgpu_reject_dispatch(dispatch, AMDGPU_END_PACKET, address, out_end,
                                      "%s does not support waves of 32 lanes",
                                      dispatch->device->model.name);
    dispatch->lanes = narrow ? 32 : 64;
    read_registers(dispatch);
    return true;
}

/* ---- validation of the packet --------------------------------------------------------- */

static bool set_grid(struct amdgpu_dispatch *dispatch, struct amdgpu_end *out_end)
{
    const hsa_kernel_dispatch_packet_t *packet = &dispatch->packet;
    const uint32_t items[3] = {packet->grid_size_x, packet->grid_size_y, packet->grid_size_z};
    const uint32_t group[3] = {packet->workgroup_size_x, packet->workgroup_size_y,
                               packet->workgroup_size_z};
    uint64_t group_items = 1, groups = 1;
    bool too_many = false;
    for (unsigned i = 0; i < 3; i++) {
        if (items[i] == 0 || group[i] == 0)
            return amdgpu_reject_dispatch(dispatch, AMDGPU_END_PACKET, 0, out_end,
                                          "the grid or the block size is 0");
        dispatch->group[i] = group[i];
        dispatch->launch.grid[i] = items[i] / group[i] + (items[i] % group[i] != 0);
        group_items *= group[i];
        too_many |= __builtin_mul_overflow(groups, dispatch->launch.grid[i], &groups);
    }
    if (group_items > ITEMS_MAX)
        return amdgpu_reject_dispatch(dispatch, AMDGPU_END_PACKET, 0, out_end,
                                      "blocks of %llu threads exceed the limit of %d",
                                      (unsigned long long)group_items, ITEMS_MAX);
    if (too_many || groups > UINT64_MAX / 4)
        return amdgpu_reject_dispatch(dispatch, AMDGPU_END_PACKET, 0, out_end,
                                      "the grid has too many blocks");
    dispatch->items = (unsigned)group_items;
    dispatch->launch.waves_per_block = (dispatch->items + dispatch->lanes - 1) / dispatch->lanes;
    return true;
}

/* A work-item cannot use more of its queue's scratch than there is. */
static void limit_scratch(struct amdgpu_dispatch *dispatch)
{
    size_t limit = dispatch->scratch_ring.wave_size / dispatch->lanes;
    if (dispatch->scratch_size > limit)
        dispatch->scratch_size = limit;
    if (dispatch->scratch_stride > limit)
        dispatch->scratch_stride = limit;
}

static bool set_memory(struct amdgpu_dispatch *dispatch, struct amdgpu_end *out_end)
{
    const hsa_kernel_dispatch_packet_t *packet = &dispatch->packet;
    const struct amdgpu_kernel_descriptor *descriptor = &dispatch->descriptor;
    uint32_t lds = packet->group_segment_size, scratch = packet->private_segment_size;
    if (lds < descriptor->group_segment_fixed_size)
        lds = descriptor->group_segment_fixed_size;
    if (scratch < descriptor->private_segment_fixed_size)
        scratch = descriptor->private_segment_fixed_size;
    if (lds > amdgpu_lds_limit())
        return amdgpu_reject_dispatch(dispatch, AMDGPU_END_PACKET, 0, out_end,
                                      "%u bytes of shared memory exceed the limit of %zu", lds,
                                      amdgpu_lds_limit());
    if ((uint64_t)scratch * dispatch->lanes > SCRATCH_OF_WAVE_MAX)
        return amdgpu_reject_dispatch(dispatch, AMDGPU_END_NO_MEMORY, 0, out_end,
                                      "%u bytes of local memory per thread exceed the limit of %d",
                                      scratch, SCRATCH_OF_WAVE_MAX / (int)dispatch->lanes);
    dispatch->lds_size = lds;
    dispatch->scratch_size = scratch;
    dispatch->scratch_stride = round_up(scratch, 16);
    if (dispatch->scratch_ring.address)
        limit_scratch(dispatch);
    return true;
}

static void limit_to(uint64_t groups, const char *limit, struct amdgpu_dispatch *dispatch)
{
    if (dispatch->occupancy.limit && groups >= dispatch->occupancy.groups)
        return;
    dispatch->occupancy.groups = groups;
    dispatch->occupancy.limit = limit;
}

/* Groups that a compute unit can hold at once; 0: not even one. On gfx10 and later, pairs of units
 * share their groups. */
static uint64_t groups_per_unit(struct amdgpu_dispatch *dispatch)
{
    const struct amdgpu_model *model = &dispatch->device->model;
    unsigned pair = amdgpu_family_of(model->isa) == AMDGPU_GFX9 ? 1 : 2;
    unsigned agprs = amdgpu_has_own_agprs(model->isa) ? 0 : dispatch->agprs;
    size_t registers = round_up(dispatch->vgprs + agprs, model->vgpr_unit);
    if (dispatch->lanes > model->lanes)
        registers *= 2; /* allocated in waves of 32 */
    uint64_t simds = (uint64_t)model->simds_per_unit * pair,
             of_group = dispatch->launch.waves_per_block;
    size_t lds = dispatch->lds_size ? dispatch->lds_size : 1;
    uint64_t by_lds = (uint64_t)AMDGPU_LDS_PER_BLOCK * pair / lds;
    dispatch->occupancy.limit = NULL;
    dispatch->occupancy.waves_max = (unsigned)(model->waves_per_simd * simds);
    dispatch->occupancy.simds = (unsigned)simds;
    limit_to(dispatch->occupancy.waves_max / of_group, "waves", dispatch);
    limit_to(model->vgprs_per_simd / registers * simds / of_group, "registers", dispatch);
    limit_to(by_lds ? by_lds : 1, "shared memory", dispatch); /* ANYHIP_SIM_SHARED allows more */
    return dispatch->occupancy.groups;
}

static bool set_residence(struct amdgpu_dispatch *dispatch, struct amdgpu_end *out_end)
{
    const struct amdgpu_model *model = &dispatch->device->model;
    unsigned pair = amdgpu_family_of(model->isa) == AMDGPU_GFX9 ? 1 : 2;
    unsigned all = dispatch->units ? dispatch->units : model->units;
    uint64_t units = (all + pair - 1) / pair, per_unit = groups_per_unit(dispatch);
    uint64_t groups =
        (uint64_t)dispatch->launch.grid[0] * dispatch->launch.grid[1] * dispatch->launch.grid[2];
    uint64_t resident = units * per_unit;
    if (dispatch->scratch_ring.address) {
        unsigned parts = dispatch->scratch_ring.waves / dispatch->launch.waves_per_block;
        parts = least(parts, AMDGPU_SCRATCH_RING_GROUPS);
        resident = resident < parts ? resident : parts;
    }
    if (per_unit == 0)
        return amdgpu_reject_dispatch(
            dispatch, AMDGPU_END_PACKET, 0, out_end,
            "a block of %u waves with %u VGPRs each does not fit on a compute unit",
            dispatch->launch.waves_per_block, dispatch->vgprs + dispatch->agprs);
    if (dispatch->cooperative && groups > resident)
        return amdgpu_reject_dispatch(
            dispatch, AMDGPU_END_PACKET, 0, out_end,
            "a cooperative launch of %llu blocks exceeds the %llu that can be resident",
            (unsigned long long)groups, (unsigned long long)resident);
    dispatch->launch.resident_max = resident ? resident : 1;
    return true;
}

static bool set_shape(struct amdgpu_dispatch *dispatch, const struct amdgpu_emitters *emitters,
                      struct amdgpu_end *out_end)
{
    struct amdgpu_shape shape = {.device = dispatch->device->device,
                                 .isa = dispatch->device->model.isa,
                                 .lanes = dispatch->lanes,
                                 .vgprs = dispatch->vgprs,
                                 .agprs = dispatch->agprs,
                                 .emitters = emitters};
    dispatch->shape = amdgpu_shape_of(&shape);
    return dispatch->shape || amdgpu_reject_dispatch(dispatch, AMDGPU_END_NO_MEMORY, 0, out_end,
                                                     "out of memory for its decoded code");
}

/* Whether its first instruction is its last one, and nobody counts instructions. */
static bool is_empty(const struct amdgpu_dispatch *dispatch)
{
    struct amdgpu_inst inst;
    const void *code = sim_translate(dispatch->device->device, dispatch->entry, 4, false);
    return !sim_profile_on() && !ah_log_on(AH_LOG_EXTRA, AH_LOG_KERN) &&
           amdgpu_decode(dispatch->shape->isa, dispatch->lanes, code, 4, &inst) == AMDGPU_DECODED &&
           inst.row->id == AMDGPU_ID_S_ENDPGM;
}

/* ---- starting and ending ----------------------------------------------------------- */

static void finish(struct sim_launch *launch, bool failed)
{
    struct amdgpu_dispatch *dispatch = dispatch_of(launch);
    struct amdgpu_end result = dispatch->end;
    if (!failed)
        result = (struct amdgpu_end){.kind = AMDGPU_END_OK};
    else if (!atomic_load(&dispatch->failed))
        result.kind =
            atomic_load(&dispatch->cancelled) ? AMDGPU_END_CANCELLED : AMDGPU_END_NO_MEMORY;
    sim_profile_end(dispatch->profile, failed);
    amdgpu_code_leave();
    dispatch->done(dispatch, &result);
}

bool amdgpu_exec_start(struct amdgpu_dispatch *dispatch, const struct amdgpu_emitters *emitters,
                       struct amdgpu_end *out_end)
{
    dispatch->end = (struct amdgpu_end){.kind = AMDGPU_END_OK};
    atomic_store(&dispatch->failed, false);
    atomic_store(&dispatch->reported, false);
    atomic_store(&dispatch->cancelled, false);
    for (unsigned i = 0; i < AMDGPU_GWS_RESOURCES; i++) {
        atomic_init(&dispatch->gws_states[i], 0);
        atomic_init(&dispatch->gws_counts[i], 0);
    }
    dispatch->launch = (struct sim_launch){.engine = &engine,
                                           .priority = dispatch->priority,
                                           .helped = dispatch->helped,
                                           .done = finish};
    if (!read_descriptor(dispatch, out_end) || !set_grid(dispatch, out_end) ||
        !set_memory(dispatch, out_end) || !set_residence(dispatch, out_end) ||
        !set_shape(dispatch, emitters, out_end))
        return false;
    dispatch->launch.kernel = (const void *)(uintptr_t)dispatch->entry;
    dispatch->launch.is_empty = is_empty(dispatch);
    dispatch->launch.state_size = layout_of(dispatch).size;
    amdgpu_code_enter(dispatch->entry);
    dispatch->profile = sim_profile_on() ? amdgpu_profile_begin(dispatch) : NULL;
    if (sim_run(&dispatch->launch))
        return true;
    sim_profile_end(dispatch->profile, true);
    amdgpu_code_leave();
    *out_end = (struct amdgpu_end){.kind = AMDGPU_END_NO_MEMORY};
    return false;
}

void amdgpu_dispatch_help(struct amdgpu_dispatch *dispatch)
{
    sim_run_help(&dispatch->launch);
}

void amdgpu_dispatch_cancel(struct amdgpu_dispatch *dispatch)
{
    atomic_store(&dispatch->cancelled, true);
    sim_run_cancel(&dispatch->launch);
}
