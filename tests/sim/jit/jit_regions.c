#include "jit_regions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint32_t (*function)(struct state *, uint64_t, uint64_t, uint64_t, uint64_t);
enum { EFFECT, ATTEMPT, GUARD, BRANCH };

#define ROW(name, kind, shape) uint32_t name();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
MACHINE_FUNCTIONS(ROW)
#pragma GCC diagnostic pop
#undef ROW

static const struct row {
    const char *name;
    function call;
    int kind;
    const char *shape;
} rows[] = {
#define ROW(name, kind, shape) {#name, (function)(void (*)(void))name, kind, shape},
    MACHINE_FUNCTIONS(ROW)
#undef ROW
};

static const struct row *row_of(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    abort();
}

static uint32_t call(const char *name, struct state *state, const uint64_t *arguments)
{
    return row_of(name)->call(state, arguments[0], arguments[1], arguments[2], arguments[3]);
}

/* ---- the machine -------------------------------------------------------------------- */

static const struct wave_field fields[] = {
    {WAVE_CONSTANT, offsetof(struct state, mask), 4, UINT32_MAX, 0},
    {WAVE_CONSTANT, offsetof(struct state, whole), 1, 1, 0},
    {WAVE_CONSTANT, offsetof(struct state, ones), 4, UINT32_MAX, LANES},
    {WAVE_COPIED, offsetof(struct state, memory), 8, 0, 0},
    {WAVE_KEPT, offsetof(struct state, budget), 8, 0, 0},
};

static void describe(const void *op, const void *data, char *out, size_t size)
{
    (void)data;
    snprintf(out, size, "op %u.%u", ((const struct op *)op)->block, ((const struct op *)op)->index);
}

const struct wave_machine machine_without_bitcode = {
    .name = "test",
    .state_size = offsetof(struct state, calls),
    .frame_field = offsetof(struct state, frame),
    .entry_field = offsetof(struct state, entry),
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .handler_offset = offsetof(struct op, handler),
    .describe = describe,
};

/* What the interpreter does: where an attempt fails, it finds another way. */
static const struct op *handler(struct state *state, const struct op *op)
{
    const struct wave_inst *inst = op->inst;
    const uint64_t *arguments = inst->arguments;
    const char *name = rows[op->row].name;
    state->calls++;
    if (!call(name, state, arguments) && rows[op->row].kind == ATTEMPT) {
        uint32_t *slot = (uint32_t *)(void *)(state->frame + arguments[0]);
        for (unsigned i = 0; i < LANES; i++)
            if (rows[op->row].shape[0] == 'd')
                slot[i] = state->scalars[arguments[1]] * (i + 1);
            else
                state->memory[(state->scalars[arguments[1]] + i) % WORDS] = slot[i];
    }
    state->last = op;
    return op->n && state->calls % 5 == op->n ? op->other : inst->next;
}

/* ---- building -------------------------------------------------------------------------- */

static struct wave_slot slot_of(char shape, uint64_t argument)
{
    if (shape == 's' || shape == 'S')
        return (struct wave_slot){WAVE_STATE,
                                  (uint32_t)(offsetof(struct state, scalars) + 4 * argument), 4};
    return (struct wave_slot){WAVE_FRAME, (uint32_t)argument,
                              shape == 'A' || shape == 'D' ? 256 : 128};
}

/* Reads from the front of the list, writes behind them. */
static void put_slots(struct wave_slot *slots, const char *shape, const uint64_t *arguments,
                      unsigned *out_reads, unsigned *out_writes)
{
    unsigned reads = 0, writes = 0;
    for (unsigned i = 0; shape[i]; i++)
        if (strchr("aAsm", shape[i]))
            slots[reads++] = slot_of(shape[i], arguments[i]);
    for (unsigned i = 0; shape[i]; i++)
        if (strchr("dDSm", shape[i]))
            slots[reads + writes++] = slot_of(shape[i], arguments[i]);
    *out_reads = reads;
    *out_writes = writes;
}

void program_init(struct program *program, const struct wave_machine *machine, unsigned blocks)
{
    memset(program, 0, sizeof *program);
    program->region = (struct wave_region){.machine = machine,
                                           .name = "region of a test",
                                           .frame_size = FRAME_SIZE,
                                           .blocks = program->blocks,
                                           .block_count = blocks};
    for (unsigned b = 0; b < BLOCKS_MAX; b++)
        program->blocks[b].insts = program->insts[b];
    for (unsigned b = 0; b < BLOCKS_MAX; b++)
        for (unsigned n = 0; n <= INSTS_MAX; n++)
            program->ops[b][n] = (struct op){.block = b, .index = n};
}

struct wave_inst *program_add(struct program *program, unsigned b, enum wave_kind kind,
                              const char *name, const uint64_t *arguments)
{
    unsigned n = program->blocks[b].inst_count++, reads, writes;
    if (n >= INSTS_MAX)
        abort();
    const struct row *row = row_of(name);
    struct wave_inst *inst = &program->insts[b][n];
    struct op *op = &program->ops[b][n];
    uint64_t *copy = program->arguments[b][n];
    unsigned count = (unsigned)strlen(row->shape);
    if (count)
        memcpy(copy, arguments, count * sizeof *copy);
    put_slots(program->slots[b][n], row->shape, copy, &reads, &writes);
    *inst = (struct wave_inst){.kind = kind,
                               .function = kind == WAVE_HANDLER ? NULL : row->name,
                               .arguments = copy,
                               .argument_count = count,
                               .op = op,
                               .next = op + 1,
                               .reads = program->slots[b][n],
                               .read_count = reads,
                               .writes = program->slots[b][n] + reads,
                               .write_count = writes};
    *op = (struct op){handler, inst, NULL, b, n, 0, (unsigned)(row - rows)};
    return inst;
}

static struct wave_block *end_block(struct program *program, unsigned b, enum wave_end end)
{
    struct wave_block *block = &program->blocks[b];
    block->end = end;
    block->op = &program->ops[b][block->inst_count];
    return block;
}

void program_jump(struct program *program, unsigned b, unsigned to)
{
    struct wave_block *block = end_block(program, b, WAVE_JUMP);
    block->targets[0] = to;
    block->target_count = 1;
}

void program_branch(struct program *program, unsigned b, const char *name, uint64_t a,
                    unsigned target, unsigned other)
{
    struct wave_block *block = end_block(program, b, WAVE_BRANCH);
    unsigned n = block->inst_count, writes;
    block->function = name;
    program->arguments[b][n][0] = a;
    block->arguments = program->arguments[b][n];
    block->argument_count = (unsigned)strlen(row_of(name)->shape);
    put_slots(program->slots[b][n], row_of(name)->shape, block->arguments, &block->read_count,
              &writes);
    block->reads = program->slots[b][n];
    block->targets[0] = target;
    block->targets[1] = other;
    block->target_count = block->argument_count ? 2 : 1;
}

void program_leave(struct program *program, unsigned b)
{
    end_block(program, b, WAVE_LEAVE);
}

/* ---- at random ------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *seed)
{
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = *seed;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t draw_argument(char shape, uint64_t *seed)
{
    if (strchr("dam", shape))
        return draw(seed) % FRAME_WORDS * 128;
    if (strchr("DA", shape))
        return FRAME_WORDS * 128 + draw(seed) % FRAME_WIDE * 256;
    return shape == 'c' ? draw(seed) % 50 : draw(seed) % SCALARS;
}

static void add_random(struct program *program, unsigned b, uint64_t *seed)
{
    static const enum wave_kind kinds[] = {
        [EFFECT] = WAVE_EFFECT, [ATTEMPT] = WAVE_ATTEMPT, [GUARD] = WAVE_GUARD};
    const struct row *row = &rows[draw(seed) % (sizeof rows / sizeof *rows - 2)];
    uint64_t arguments[4];
    for (unsigned i = 0; row->shape[i]; i++)
        arguments[i] = draw_argument(row->shape[i], seed);
    bool handled = row->kind != GUARD && draw(seed) % 12 == 0;
    enum wave_kind kind = handled ? WAVE_HANDLER : kinds[row->kind];
    struct wave_inst *inst = program_add(program, b, kind, row->name, arguments);
    struct op *op = &program->ops[b][program->blocks[b].inst_count - 1];
    op->n = draw(seed) % 8 == 0 ? (unsigned)(1 + draw(seed) % 4) : 0;
    /* A stop, or another place, where an op of many successors goes on. */
    if (inst->kind == WAVE_HANDLER && draw(seed) % 2)
        op->other = b + 1 < program->region.block_count ? &program->ops[b + 1][0] : NULL;
}

static void end_random(struct program *program, unsigned b, uint64_t *seed)
{
    unsigned count = program->region.block_count;
    unsigned any = (unsigned)(draw(seed) % count), next = b + 1;
    if (next == count)
        program_leave(program, b);
    else if (draw(seed) % 4 == 0)
        program_jump(program, b, next);
    else if (draw(seed) % 6 == 0)
        program_branch(program, b, "branch_always", 0, next, 0);
    else if (draw(seed) % 2)
        program_branch(program, b, "branch_mask", draw(seed) % SCALARS, any, next);
    else
        program_branch(program, b, "branch_mask", draw(seed) % SCALARS, next, any);
}

void program_random(struct program *program, const struct wave_machine *machine, uint64_t seed)
{
    program_init(program, machine, (unsigned)(1 + draw(&seed) % (BLOCKS_MAX - 1)));
    for (unsigned b = 0; b < program->region.block_count; b++) {
        unsigned insts = (unsigned)(draw(&seed) % 16);
        for (unsigned n = 0; n < insts; n++)
            add_random(program, b, &seed);
        end_random(program, b, &seed);
    }
    program->region.entries = program->entries;
    program->region.entry_count = draw(&seed) % 2 ? 1 + (unsigned)(draw(&seed) % ENTRIES_MAX) : 0;
    for (unsigned e = 1; e < program->region.entry_count; e++)
        program->entries[e] = (unsigned)(draw(&seed) % program->region.block_count);
}

/* ---- running --------------------------------------------------------------------------------- */

void world_init(struct world *world, uint64_t seed)
{
    memset(world, 0, sizeof *world);
    struct state *state = &world->state;
    state->frame = world->frame;
    state->mask = UINT32_MAX;
    state->whole = true;
    state->memory = world->memory;
    state->budget = 20 + (int64_t)(draw(&seed) % 30);
    for (unsigned i = 0; i < LANES; i++)
        state->ones[i] = -1;
    for (unsigned i = 0; i < SCALARS; i++)
        state->scalars[i] = (uint32_t)(draw(&seed) % (i % 2 ? UINT32_MAX : WORDS));
    for (unsigned i = 0; i < WORDS; i++)
        world->memory[i] = (uint32_t)draw(&seed);
    for (unsigned i = 0; i < FRAME_SIZE; i++)
        world->frame[i] = (unsigned char)draw(&seed);
}

/* What an op that the region may be left at does: never to be found again by a branch that the
 * interpreter executes, whatever is left of the budget. */
static const struct op *run_end(const struct program *program, struct state *state,
                                const struct wave_block *block, bool until_left)
{
    if (block->end == WAVE_LEAVE)
        return NULL;
    uint32_t way = 0;
    if (block->end == WAVE_BRANCH) {
        way = call(block->function, state, block->arguments);
        if (way >= block->target_count && until_left)
            return NULL;
        if (way >= block->target_count) /* forwards, so that it ends */
            way = block->target_count > 1 && block->targets[1] > block->targets[0];
    }
    return &program->ops[block->targets[way]][0];
}

static const struct op *run_inst(struct state *state, const struct op *op, bool until_left)
{
    const struct wave_inst *inst = op->inst;
    if (inst->kind == WAVE_HANDLER)
        return op->handler(state, op);
    uint32_t result = call(rows[op->row].name, state, inst->arguments);
    if (inst->kind == WAVE_ATTEMPT && !result)
        return op->handler(state, op);
    return inst->kind == WAVE_GUARD && !result && until_left ? NULL : inst->next;
}

const struct op *program_run(const struct program *program, struct state *state,
                             const struct op *op, bool until_left)
{
    for (;;) {
        const struct wave_block *block = &program->blocks[op->block];
        const struct op *next;
        if (op->index < block->inst_count) {
            next = run_inst(state, op, until_left);
            if (until_left && next != op->inst->next)
                return op->inst->kind == WAVE_GUARD ? op : next;
            if (!next && !until_left) /* it goes on after a stop */
                next = op->inst->next;
        } else {
            next = run_end(program, state, block, until_left);
            if (!next && !until_left && block->end == WAVE_LEAVE)
                return op;
        }
        if (!next)
            return op;
        op = next;
    }
}

const char *world_difference(const struct world *a, const struct world *b)
{
    static char text[100];
    for (unsigned i = 0; i < FRAME_SIZE; i++)
        if (a->frame[i] != b->frame[i])
            return snprintf(text, sizeof text, "byte %u of the frame: %02x, %02x", i, a->frame[i],
                            b->frame[i]),
                   text;
    for (unsigned i = 0; i < SCALARS; i++)
        if (a->state.scalars[i] != b->state.scalars[i])
            return snprintf(text, sizeof text, "scalar %u: %x, %x", i, a->state.scalars[i],
                            b->state.scalars[i]),
                   text;
    if (memcmp(a->memory, b->memory, sizeof a->memory) != 0)
        return "memory";
    if (a->state.budget != b->state.budget)
        return snprintf(text, sizeof text, "budget: %lld, %lld", (long long)a->state.budget,
                        (long long)b->state.budget),
               text;
    return a->state.calls != b->state.calls ? "the number of handlers called" : NULL;
}
