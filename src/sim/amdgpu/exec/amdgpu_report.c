/* Reports of kernels that fail: the first failure of each dispatch is logged. */
#include "amdgpu_code.h"
#include "amdgpu_wave.h"
#include "log.h"
#include "sim_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 400 };

/* ---- code ------------------------------------------------------------------------------ */

static void add_kernel(struct sim_report *text, const struct amdgpu_dispatch *dispatch)
{
    char name[NAME_SIZE];
    amdgpu_symbols_name(dispatch->entry, name, sizeof name);
    sim_report_add(text, "kernel ");
    if (name[0])
        sim_report_name(text, name);
    else
        sim_report_add(text, "at 0x%llx", (unsigned long long)dispatch->entry);
}

static void begin_report(struct sim_report *text, const struct amdgpu_dispatch *dispatch)
{
    text->length = 0;
    add_kernel(text, dispatch);
    sim_report_add(text, ": ");
}

static void add_bytes(struct sim_report *text, int device, uint64_t address)
{
    uint32_t word;
    sim_report_add(text, "bytes");
    for (unsigned i = 0; i < 2; i++) {
        const unsigned char *at = sim_translate(device, address + 4 * i, 4, false);
        if (!at)
            return;
        memcpy(&word, at, 4);
        sim_report_add(text, " %02x %02x %02x %02x", word & 0xff, word >> 8 & 0xff,
                       word >> 16 & 0xff, word >> 24);
    }
}

/* Function and offset. */
static void add_function(struct sim_report *text, uint64_t address)
{
    char name[NAME_SIZE];
    amdgpu_symbols_name(address, name, sizeof name);
    if (name[0]) {
        sim_report_name(text, name);
        sim_report_add(text, " ");
    }
    sim_report_add(text, "[0x%llx]", (unsigned long long)address);
}

static void add_line(struct sim_report *text, uint64_t address)
{
    char line[NAME_SIZE];
    amdgpu_symbols_line(address, line, sizeof line);
    if (line[0])
        sim_report_add(text, " (%s)", line);
}

/* Function and offset, the instruction, and its line where that is known. */
static void add_place(struct sim_report *text, const struct amdgpu_wave *wave,
                      const struct amdgpu_op *op)
{
    const struct amdgpu_shape *shape = wave->block->dispatch->shape;
    uint64_t address = amdgpu_address(wave, op);
    char inst[200];
    add_function(text, address);
    sim_report_add(text, ": ");
    if (amdgpu_is_decoded(op) && op->inst) {
        amdgpu_print(shape->isa, shape->lanes, op->inst, inst, sizeof inst);
        sim_report_add(text, "%s", inst);
    } else {
        add_bytes(text, shape->device, address);
    }
    add_line(text, address);
}

/* ---- which thread ----------------------------------------------------------------------- */

static void add_thread(struct sim_report *text, const struct amdgpu_wave *wave, unsigned number)
{
    uint32_t size[3];
    amdgpu_block_size(wave->block, size);
    sim_report_add(text, "thread (%u,%u,%u)", number % size[0], number / size[0] % size[1],
                   number / size[0] / size[1]);
}

static void add_item(struct sim_report *text, const struct amdgpu_wave *wave, int lane)
{
    const uint32_t *index = wave->block->block->index;
    sim_report_add(text, "block (%u,%u,%u), ", index[0], index[1], index[2]);
    if (lane < 0)
        sim_report_add(text, "wave %u", wave->number);
    else
        add_thread(text, wave, amdgpu_item(wave, (unsigned)lane));
}

/* The access before one that races with it. */
static void add_other(struct sim_report *text, const struct amdgpu_wave *wave,
                      const struct amdgpu_fault *fault)
{
    sim_report_add(text, "\n    after the %s by ", fault->other_wrote ? "write" : "read");
    add_thread(text, wave, fault->other_thread);
    sim_report_add(text, " at ");
    add_function(text, fault->other);
    add_line(text, fault->other);
}

/* ---- which fault ------------------------------------------------------------------------ */

static uint64_t offset_in(uint64_t address, uint64_t window)
{
    return address - window < SIM_WINDOW_SIZE ? address - window : address;
}

static void add_nearest(struct sim_report *text, const struct amdgpu_wave *wave,
                        const struct amdgpu_fault *fault)
{
    const struct amdgpu_block *block = wave->block;
    uint64_t address = fault->address;
    sim_report_add(text, "\n    ");
    if (fault->whose == AMDGPU_OF_BLOCK || address - SIM_SHARED_WINDOW < SIM_WINDOW_SIZE) {
        sim_report_add(text, "offset %llu of the block's %zu bytes of shared memory",
                       (unsigned long long)offset_in(address, SIM_SHARED_WINDOW), block->lds_size);
    } else if (fault->whose == AMDGPU_OF_THREAD || address - SIM_LOCAL_WINDOW < SIM_WINDOW_SIZE) {
        sim_report_add(text, "offset %llu of the thread's %zu bytes of local memory",
                       (unsigned long long)offset_in(address, SIM_LOCAL_WINDOW),
                       block->scratch_size);
    } else {
        char nearest[256];
        sim_memory_describe(address, nearest, sizeof nearest);
        sim_report_add(text, "%s", nearest);
    }
}

static void report(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                   const struct amdgpu_fault *fault)
{
    struct sim_report text;
    begin_report(&text, wave->block->dispatch);
    sim_report_add(&text, "%s%s", wave->privileged ? "in its trap handler " : "", fault->what);
    if (fault->kind == AMDGPU_END_TRAP && fault->address != 2)
        sim_report_add(&text, ", trap %llu", (unsigned long long)fault->address);
    if (fault->has_address && fault->whose == AMDGPU_OF_DEVICE)
        sim_report_add(&text, " at address 0x%llx", (unsigned long long)fault->address);
    if (op) {
        sim_report_add(&text, "\n    at ");
        add_place(&text, wave, op);
    }
    sim_report_add(&text, "\n    by ");
    add_item(&text, wave, fault->lane);
    if (fault->other)
        add_other(&text, wave, fault);
    if (fault->has_address)
        add_nearest(&text, wave, fault);
    sim_report_log(&text);
}

static struct amdgpu_end end_of(const struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                const struct amdgpu_fault *fault)
{
    struct amdgpu_end end = {.kind = fault->kind};
    if (fault->kind == AMDGPU_END_TRAP)
        end.trap = (unsigned)fault->address;
    if (fault->has_address)
        end.address = fault->address;
    else if (op)
        end.address = amdgpu_address(wave, op);
    return end;
}

/* Exceptions that handlers ignore unless there is a debugger. */
static bool is_breakpoint(const struct amdgpu_end *end)
{
    return end->kind == AMDGPU_END_TRAP && end->trap == AMDGPU_TRAP_DEBUG;
}

const struct amdgpu_op *amdgpu_fail(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                    const struct amdgpu_fault *fault)
{
    struct amdgpu_dispatch *dispatch = wave->block->dispatch;
    struct amdgpu_end end = end_of(wave, op, fault);
    if (amdgpu_trap_is_taken(wave, &end)) {
        if (!is_breakpoint(&end) && !atomic_exchange(&dispatch->reported, true))
            report(wave, op, fault);
        return amdgpu_trap_enter(wave, op ? amdgpu_address(wave, op) : end.address, &end);
    }
    wave->state = AMDGPU_FAILED;
    if (atomic_exchange(&dispatch->failed, true))
        return NULL;
    dispatch->end = end;
    if (!atomic_exchange(&dispatch->reported, true) || wave->privileged)
        report(wave, op, fault);
    return NULL;
}

/* ---- hangs ---------------------------------------------------------------------------------- */

void amdgpu_report_stuck(struct amdgpu_block *block)
{
    static const char *const states[] = {[AMDGPU_AT_BARRIER] = "waits at a barrier before",
                                         [AMDGPU_HALTED] = "has halted itself before"};
    struct amdgpu_dispatch *dispatch = block->dispatch;
    const uint32_t *index = block->block->index;
    struct sim_report text;
    if (atomic_exchange(&dispatch->failed, true))
        return;
    dispatch->end.kind = AMDGPU_END_HUNG;
    begin_report(&text, dispatch);
    sim_report_add(&text, "block (%u,%u,%u) hangs: %u of its %u waves wait and none can continue",
                   index[0], index[1], index[2], block->wave_count - block->ended,
                   block->wave_count);
    for (unsigned i = 0; i < block->wave_count; i++) {
        const struct amdgpu_wave *wave = &block->waves[i];
        if (wave->state != AMDGPU_AT_BARRIER && wave->state != AMDGPU_HALTED)
            continue;
        if (!dispatch->end.address)
            dispatch->end.address = amdgpu_address(wave, wave->next);
        sim_report_add(&text, "\n    wave %u %s ", i, states[wave->state]);
        add_place(&text, wave, wave->next);
    }
    sim_report_log(&text);
}

void amdgpu_report_grid(struct amdgpu_dispatch *dispatch, uint64_t ended)
{
    const uint32_t *grid = dispatch->launch.grid;
    struct sim_report text;
    if (atomic_exchange(&dispatch->failed, true))
        return;
    dispatch->end.kind = AMDGPU_END_HUNG;
    dispatch->end.address = dispatch->entry;
    begin_report(&text, dispatch);
    sim_report_add(
        &text, "hangs: blocks wait at the grid's barrier, and %llu of its %llu blocks have ended",
        (unsigned long long)ended, (unsigned long long)grid[0] * grid[1] * grid[2]);
    sim_report_log(&text);
}

/* ---- dispatches in progress -------------------------------------------------------- */

void amdgpu_report_dispatch(const struct amdgpu_dispatch *dispatch, struct sim_report *text)
{
    const uint32_t *grid = dispatch->launch.grid;
    const uint32_t *group = dispatch->group;
    add_kernel(text, dispatch);
    sim_report_add(text, ", grid (%u,%u,%u) of blocks (%u,%u,%u),", grid[0], grid[1], grid[2],
                   group[0], group[1], group[2]);
}

void amdgpu_report_end(const struct amdgpu_wave *wave)
{
    if (!ah_log_on(AH_LOG_EXTRA, AH_LOG_KERN))
        return;
    char name[NAME_SIZE];
    amdgpu_symbols_name(wave->block->dispatch->entry, name, sizeof name);
    AH_LOG(AH_LOG_EXTRA, AH_LOG_KERN, "%s: wave %u of block %llu has executed %llu instructions", name,
           wave->number, (unsigned long long)wave->block->block->number,
           (unsigned long long)wave->steps);
}

void amdgpu_report_place(const struct amdgpu_wave *wave, struct sim_report *text)
{
    static const char *const states[] = {[AMDGPU_AT_BARRIER] = "wait at a barrier before ",
                                         [AMDGPU_HALTED] = "have halted themselves before "};
    bool waits = wave->state == AMDGPU_AT_BARRIER || wave->state == AMDGPU_HALTED;
    if (!wave->next || !wave->page) {
        sim_report_add(text, "about to begin");
        return;
    }
    sim_report_add(text, "%s%s", waits ? states[wave->state] : "at ",
                   wave->privileged ? "(in the trap handler) " : "");
    add_place(text, wave, wave->next);
}

/* ---- dispatches that cannot start -------------------------------------------------- */

bool amdgpu_reject_dispatch(const struct amdgpu_dispatch *dispatch, enum amdgpu_end_kind kind,
                            uint64_t address, struct amdgpu_end *out_end, const char *format, ...)
{
    char message[400];
    struct sim_report text = {.length = 0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    *out_end = (struct amdgpu_end){.kind = kind, .address = address};
    add_kernel(&text, dispatch);
    sim_report_add(&text, " cannot be dispatched: %s", message);
    sim_report_log(&text);
    return false;
}
