/* What a kernel did wrong, in words: the first failure of each launch is reported. */
#include "ptx_warp.h"

#include "sim_memory.h"
#include "sim_places.h"
#include "sim_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CALLS = 8, WAITS_ROOM = 2500 };

/* Whether this is the launch's first failure. */
static bool claim(struct ptx_launch *launch, enum ptx_end end)
{
    int none = PTX_END_OK;
    return atomic_compare_exchange_strong(&launch->end, &none, (int)end);
}

static void add_inst(struct sim_report *text, const struct ptx_function *function,
                     const struct ptx_inst *inst)
{
    sim_report_name(text, function->symbol->name);
    sim_report_add(text, ", PTX line %u: %s", inst->line, inst->opcode);
    for (unsigned i = 0; i < inst->modifier_count; i++)
        sim_report_add(text, ".%s", inst->modifiers[i]);
    const char *file = ptx_file_name(function->module, inst->file);
    if (file && inst->source_line)
        sim_report_add(text, " (%s:%u)", file, inst->source_line);
}

static void add_place(struct sim_report *text, const struct ptx_code *code, const struct ptx_op *op)
{
    const struct ptx_function *function = code->function;
    if (function->inst_count > 0)
        add_inst(text, function, &function->insts[op->inst]);
}

/* The instruction of a module that is on a line of its text. */
static void add_line(struct sim_report *text, const struct ptx_module *module, unsigned line)
{
    for (const struct ptx_function *function = module->functions; function;
         function = function->next)
        for (size_t i = 0; i < function->inst_count; i++)
            if (function->insts[i].line == line) {
                add_inst(text, function, &function->insts[i]);
                return;
            }
    sim_report_add(text, "PTX line %u", line);
}

static void add_number(struct sim_report *text, const struct ptx_launch *launch, unsigned thread)
{
    const unsigned *size = launch->block;
    sim_report_add(text, "thread (%u,%u,%u)", thread % size[0], thread / size[0] % size[1],
                   thread / size[0] / size[1]);
}

static void add_thread(struct sim_report *text, const struct ptx_warp *warp, unsigned lane)
{
    const uint32_t *index = warp->block->sim->index;
    const struct ptx_wave *wave = ptx_wave_of((struct ptx_warp *)(uintptr_t)warp);
    sim_report_add(text, "block (%u,%u,%u), thread (%u,%u,%u)", index[0], index[1], index[2],
                   wave->tid[0][lane], wave->tid[1][lane], wave->tid[2][lane]);
}

static void add_context(struct sim_report *text, const struct ptx_warp *warp,
                        const struct ptx_op *op, unsigned lane)
{
    const struct ptx_frame *frame = warp->fragment->frame;
    sim_report_add(text, "\n    at ");
    add_place(text, frame->code, op);
    for (unsigned i = 0; i < CALLS && frame->caller; i++, frame = frame->caller) {
        sim_report_add(text, "\n    called from ");
        add_place(text, frame->caller->code, frame->call);
    }
    if (frame->caller)
        sim_report_add(text, "\n    %u more calls deep", frame->depth);
    sim_report_add(text, "\n    by ");
    add_thread(text, warp, lane);
}

static void begin_report(struct sim_report *text, const struct ptx_launch *launch)
{
    text->length = 0;
    sim_report_add(text, "kernel ");
    sim_report_name(text, launch->kernel->symbol->name);
    sim_report_add(text, ": ");
}

const struct ptx_op *ptx_fault(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                               enum ptx_end end, const char *format, ...)
{
    char message[400];
    struct sim_report text;
    ptx_wave_of(warp)->stop = PTX_STOP_FAILED;
    if (!claim(warp->launch, end))
        return NULL;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    begin_report(&text, warp->launch);
    sim_report_add(&text, "%s", message);
    add_context(&text, warp, op, lane);
    sim_report_log(&text);
    return NULL;
}

static void describe_window(struct sim_report *text, const struct ptx_warp *warp,
                            enum ptx_space space, uint64_t offset);

const struct ptx_op *ptx_fault_shared(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                                      const char *what, const struct ptx_other *other)
{
    struct sim_report text;
    ptx_wave_of(warp)->stop = PTX_STOP_FAILED;
    if (!claim(warp->launch, PTX_END_TRAP))
        return NULL;
    begin_report(&text, warp->launch);
    sim_report_add(&text, "%s", what);
    add_context(&text, warp, op, lane);
    sim_report_add(&text, "\n    after the %s by ", other->what);
    add_number(&text, warp->launch, other->thread);
    sim_report_add(&text, " at ");
    add_line(&text, warp->launch->kernel->code->function->module, other->line);
    sim_report_add(&text, "\n    ");
    describe_window(&text, warp, PTX_SHARED, other->offset);
    sim_report_log(&text);
    return NULL;
}

/* ---- accesses ---------------------------------------------------------------------------- */

static const char *space_name(enum ptx_space space)
{
    static const char *const names[] = {"register", "generic", "global",   "constant",
                                        "shared",   "local",   "parameter"};
    return names[space];
}

static void describe_window(struct sim_report *text, const struct ptx_warp *warp,
                            enum ptx_space space, uint64_t offset)
{
    if (space == PTX_SHARED)
        sim_report_add(text, "offset %llu of the block's %zu bytes of shared memory",
                       (unsigned long long)offset, warp->shared_size);
    else if (space == PTX_LOCAL)
        sim_report_add(text, "offset %llu of the thread's %zu bytes of local memory",
                       (unsigned long long)offset, warp->local_stride);
    else
        sim_report_add(text, "offset %llu of the kernel's %zu bytes of parameters",
                       (unsigned long long)offset, warp->param_size);
}

static void describe_address(struct sim_report *text, const struct ptx_warp *warp,
                             enum ptx_space space, uint64_t address)
{
    if (space == PTX_SHARED || space == PTX_LOCAL || space == PTX_PARAM) {
        describe_window(text, warp, space, address);
    } else if (address - SIM_SHARED_WINDOW < SIM_WINDOW_SIZE) {
        describe_window(text, warp, PTX_SHARED, address - SIM_SHARED_WINDOW);
    } else if (address - SIM_LOCAL_WINDOW < SIM_WINDOW_SIZE) {
        describe_window(text, warp, PTX_LOCAL, address - SIM_LOCAL_WINDOW);
    } else if (address - SIM_PARAM_WINDOW < SIM_WINDOW_SIZE) {
        describe_window(text, warp, PTX_PARAM, address - SIM_PARAM_WINDOW);
    } else {
        char nearest[256];
        sim_memory_describe(address, nearest, sizeof nearest);
        sim_report_add(text, "%s", nearest);
    }
}

const struct ptx_op *ptx_fault_access(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                                      uint64_t address, size_t size, bool write,
                                      enum ptx_space space)
{
    bool misaligned = size && !(size & (size - 1)) && address % size != 0;
    struct sim_report text;
    ptx_wave_of(warp)->stop = PTX_STOP_FAILED;
    if (!claim(warp->launch, misaligned ? PTX_END_MISALIGNED : PTX_END_ILLEGAL_ADDRESS))
        return NULL;
    begin_report(&text, warp->launch);
    sim_report_add(&text, "%s %s of %zu bytes at %s address 0x%llx",
                   misaligned ? "misaligned" : "illegal", write ? "write" : "read", size,
                   space_name(space), (unsigned long long)address);
    add_context(&text, warp, op, lane);
    sim_report_add(&text, "\n    ");
    describe_address(&text, warp, space, address);
    sim_report_log(&text);
    return NULL;
}

/* ---- what never ends ------------------------------------------------------------------------ */

static void add_wait(struct sim_report *text, const struct ptx_block *block,
                     const struct ptx_fragment *fragment)
{
    const struct ptx_barrier *barrier = &block->barriers[fragment->barrier];
    if (fragment->wait == PTX_WAIT_BARRIER)
        sim_report_add(text, "barrier %u, which expects %u threads, %u arrived", fragment->barrier,
                       barrier->expected ? barrier->expected : block->alive, barrier->arrived);
    else if (fragment->wait == PTX_WAIT_CLUSTER)
        sim_report_add(text, "the cluster's barrier, which expects %u threads, %u arrived",
                       block->alive, block->cluster.arrived);
    else
        sim_report_add(text, "lanes 0x%08x of its warp", fragment->members);
}

/* How many threads of the block wait at op; *out_first: the fragment of the first. */
static unsigned count_waiting(const struct ptx_block *block, const struct ptx_op *op,
                              const struct ptx_fragment **out_first)
{
    unsigned count = 0;
    *out_first = NULL;
    for (unsigned i = 0; i < block->wave_count; i++)
        for (const struct ptx_fragment *f = block->waves[i].warp.fragments; f; f = f->next)
            if (f->op == op) {
                *out_first = *out_first ? *out_first : f;
                count += (unsigned)__builtin_popcount(f->mask);
            }
    return count;
}

/* One line for all that wait where the fragment does. */
static void add_waiting(struct sim_report *text, const struct ptx_block *block,
                        const struct ptx_wave *wave, const struct ptx_fragment *fragment,
                        unsigned count)
{
    sim_report_add(text, "\n    warp %u, lanes 0x%08x", wave->warp.number, fragment->mask);
    unsigned others = count - (unsigned)__builtin_popcount(fragment->mask);
    if (others)
        sim_report_add(text, " and %u other threads", others);
    sim_report_add(text, " wait at ");
    add_place(text, fragment->frame->code, fragment->op);
    sim_report_add(text, " for ");
    add_wait(text, block, fragment);
}

void ptx_report_stuck(struct ptx_block *block)
{
    struct sim_report text;
    unsigned left = 0;
    if (!claim(block->launch, PTX_END_HUNG))
        return;
    begin_report(&text, block->launch);
    sim_report_add(&text, "block (%u,%u,%u) hangs: %u of its %u threads wait and none can continue",
                   block->sim->index[0], block->sim->index[1], block->sim->index[2], block->alive,
                   block->thread_count);
    for (unsigned i = 0; i < block->wave_count; i++)
        for (const struct ptx_fragment *f = block->waves[i].warp.fragments; f; f = f->next) {
            const struct ptx_fragment *first;
            unsigned count = count_waiting(block, f->op, &first);
            if (f == first && text.length < WAITS_ROOM)
                add_waiting(&text, block, &block->waves[i], f, count);
            else if (f == first)
                left += count;
        }
    if (left)
        sim_report_add(&text, "\n    and %u threads wait elsewhere", left);
    sim_report_log(&text);
}

void ptx_report_grid(struct ptx_launch *launch, uint64_t ended)
{
    const uint32_t *grid = launch->run.grid;
    struct sim_report text;
    if (!claim(launch, PTX_END_HUNG))
        return;
    begin_report(&text, launch);
    sim_report_add(
        &text, "hangs: blocks wait at the grid's barrier, and %llu of its %llu blocks have ended",
        (unsigned long long)ended, (unsigned long long)grid[0] * grid[1] * grid[2]);
    sim_report_log(&text);
}

/* ---- launches in progress ------------------------------------------------------------------- */

void ptx_report_launch(const struct ptx_launch *launch, struct sim_report *text)
{
    const uint32_t *grid = launch->run.grid;
    sim_report_add(text, "kernel ");
    sim_report_name(text, launch->kernel->symbol->name);
    sim_report_add(text, ", grid (%u,%u,%u) of blocks (%u,%u,%u),", grid[0], grid[1], grid[2],
                   launch->block[0], launch->block[1], launch->block[2]);
}

void ptx_report_place(const struct sim_place *place, struct sim_report *text)
{
    const struct ptx_block *block = place->block->state;
    const struct ptx_fragment *fragment = place->what;
    sim_report_add(text, "%s", fragment->wait == PTX_WAIT_NONE ? "at " : "wait at ");
    add_place(text, fragment->frame->code, fragment->op);
    if (fragment->wait == PTX_WAIT_NONE)
        return;
    sim_report_add(text, " for ");
    add_wait(text, block, fragment);
}
