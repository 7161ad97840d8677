/* Slots of registers: liveness, and a linear scan per element size, in which registers that are
 * never live at once share a slot. */
#include "ptx_build.h"

#include <stdlib.h>
#include <string.h>

enum ptx_slot_class ptx_slot_class(enum ptx_type type)
{
    if (type == PTX_PRED)
        return PTX_SLOT_PRED;
    switch (ptx_type_size(type)) {
    case 1:
    case 2:
        return PTX_SLOT_2;
    case 4:
        return PTX_SLOT_4;
    case 8:
        return PTX_SLOT_8;
    default:
        return PTX_SLOT_16;
    }
}

size_t ptx_slot_size(enum ptx_slot_class slot_class)
{
    return slot_class == PTX_SLOT_PRED ? sizeof(uint32_t)
                                       : (size_t)PTX_LANES << (unsigned)slot_class;
}

/* ---- registers of an instruction -------------------------------------------- */

struct visitor {
    void (*visit)(struct visitor *visitor, unsigned number, bool defines);
    const struct ptx_slots *slots;
    const struct ptx_inst *inst;
    unsigned index, block; /* of the instruction */
    struct scan *scan;
};

static unsigned number_of(const struct ptx_slots *slots, const struct ptx_symbol *symbol,
                          unsigned component)
{
    return slots->first[symbol->index] + (component < symbol->vector ? component : 0);
}

static void visit_symbol(struct visitor *visitor, const struct ptx_symbol *symbol,
                         unsigned component, bool defines)
{
    if (symbol && symbol->kind == PTX_REGISTER)
        visitor->visit(visitor, number_of(visitor->slots, symbol, component), defines);
}

static void visit_operand(struct visitor *visitor, const struct ptx_operand *operand, bool defines)
{
    switch (operand->kind) {
    case PTX_OP_REG:
        /* A vector register without a component means all components. */
        for (unsigned i = 1; i < operand->symbol->vector; i++)
            visit_symbol(visitor, operand->symbol, i, defines);
        visit_symbol(visitor, operand->symbol, 0, defines);
        break;
    case PTX_OP_COMPONENT:
        visit_symbol(visitor, operand->symbol, operand->component, defines);
        break;
    case PTX_OP_ADDRESS:
        visit_symbol(visitor, operand->symbol, operand->component, false);
        break;
    case PTX_OP_VECTOR:
    case PTX_OP_LIST:
        for (unsigned i = 0; i < operand->element_count; i++)
            visit_operand(visitor, &operand->elements[i], defines);
        break;
    default:
        break;
    }
    if (operand->pair)
        visit_operand(visitor, operand->pair, defines);
}

/* The list before the name of the function has the results. */
static void visit_call(struct visitor *visitor, bool defines)
{
    bool named = false;
    for (unsigned i = 0; i < visitor->inst->operand_count; i++) {
        const struct ptx_operand *operand = &visitor->inst->operands[i];
        bool result = operand->kind == PTX_OP_LIST && !named;
        named |= operand->kind == PTX_OP_REG || operand->kind == PTX_OP_SYMBOL;
        if (result == defines)
            visit_operand(visitor, operand, result);
    }
}

static void visit_returns(struct visitor *visitor, const struct ptx_function *function)
{
    for (const struct ptx_symbol *s = function->returns; s; s = s->next)
        visit_symbol(visitor, s, 0, false);
}

/* Visits all registers that inst reads (defines: false) or writes. */
static void visit_inst(struct visitor *visitor, const struct ptx_function *function, bool defines)
{
    const struct ptx_inst *inst = visitor->inst;
    struct ptx_operand_rule rule;
    if (inst->guard && !defines)
        visit_symbol(visitor, inst->guard, 0, false);
    if (inst->row->emitter == PTX_EMIT_CALL) {
        visit_call(visitor, defines);
        return;
    }
    if (inst->row->emitter == PTX_EMIT_RETURN && !defines)
        visit_returns(visitor, function);
    for (unsigned i = 0; i < inst->operand_count; i++) {
        bool known = ptx_row_operand(inst->row, i, &rule);
        bool writes = known && rule.destination;
        const struct ptx_operand *operand = &inst->operands[i];
        if (writes == defines || (writes && operand->kind == PTX_OP_ADDRESS))
            visit_operand(visitor, operand, writes);
    }
}

/* ---- liveness ---------------------------------------------------------------------- */

enum { NOWHERE = -1, MANY = -2 };

struct scan {
    const struct ptx_function *function;
    const struct ptx_flow *flow;
    struct ptx_slots *slots;
    int *home;        /* the only block that uses a register, NOWHERE, MANY */
    unsigned *wide;   /* its number among those that are live across blocks, or ~0 */
    unsigned *narrow; /* back */
    unsigned wide_count;
    size_t words; /* of a set of wide registers */
    uint64_t *in, *uses, *kills;
    unsigned *start,
        *end; /* of each register: positions, 2 * instruction for reads, + 1 for writes */
};

static void note_home(struct visitor *visitor, unsigned number, bool defines)
{
    struct scan *scan = visitor->scan;
    int *home = &scan->home[number];
    if (defines && scan->slots->definitions[number] < 2)
        scan->slots->definitions[number]++;
    if (*home == NOWHERE && defines && !visitor->inst->guard)
        *home = (int)visitor->block;
    else if (*home != (int)visitor->block)
        *home = MANY; /* also registers that may be read before they are written */
}

static bool test(const uint64_t *set, unsigned bit)
{
    return set[bit / 64] >> (bit % 64) & 1;
}

static void note_flow(struct visitor *visitor, unsigned number, bool defines)
{
    struct scan *scan = visitor->scan;
    unsigned bit = scan->wide[number];
    if (bit == ~0u)
        return;
    uint64_t *kills = scan->kills + visitor->block * scan->words;
    uint64_t *uses = scan->uses + visitor->block * scan->words;
    if (!defines && !test(kills, bit))
        uses[bit / 64] |= UINT64_C(1) << (bit % 64);
    else if (defines && !visitor->inst->guard)
        kills[bit / 64] |= UINT64_C(1) << (bit % 64);
}

static void extend(struct scan *scan, unsigned number, unsigned position)
{
    if (position < scan->start[number])
        scan->start[number] = position;
    if (scan->start[number] > scan->end[number] || position > scan->end[number])
        scan->end[number] = position;
}

/* Only arithmetic reads all its sources before it writes. */
static void note_range(struct visitor *visitor, unsigned number, bool defines)
{
    bool reuses = visitor->inst->row->kind == PTX_ROW_ALU;
    unsigned position = 2 * visitor->index;
    if (reuses) {
        extend(visitor->scan, number, position + defines);
    } else {
        extend(visitor->scan, number, position);
        extend(visitor->scan, number, position + 1);
    }
}

static void walk(struct scan *scan,
                 void (*visit)(struct visitor *visitor, unsigned number, bool defines))
{
    struct visitor visitor = {.visit = visit, .slots = scan->slots, .scan = scan};
    for (unsigned i = 0; i < scan->function->inst_count; i++) {
        visitor.inst = &scan->function->insts[i];
        visitor.index = i;
        visitor.block = scan->flow->block_of[i];
        visit_inst(&visitor, scan->function, false);
        visit_inst(&visitor, scan->function, true);
    }
    /* The end of the text is a return too. */
    struct ptx_inst end = {
        .opcode = "ret",
        .row = &(struct ptx_row){.kind = PTX_ROW_CONTROL, .emitter = PTX_EMIT_RETURN}};
    visitor.inst = &end;
    visitor.index = scan->function->inst_count;
    visitor.block = scan->flow->block_count - 1;
    visit_returns(&visitor, scan->function);
}

/* Registers that are parameters are written before the first instruction. */
static void note_params(struct scan *scan)
{
    for (const struct ptx_symbol *s = scan->function->params; s; s = s->next)
        if (s->kind == PTX_REGISTER)
            scan->home[number_of(scan->slots, s, 0)] = MANY;
}

static void number_wide(struct scan *scan)
{
    for (unsigned i = 0; i < scan->slots->count; i++) {
        scan->wide[i] = scan->home[i] == MANY ? scan->wide_count : ~0u;
        if (scan->home[i] == MANY)
            scan->narrow[scan->wide_count++] = i;
    }
    scan->words = (scan->wide_count + 63) / 64 + 1;
}

/* in = uses + (out - kills), until nothing changes. */
static bool flow_back(struct scan *scan, unsigned block)
{
    const struct ptx_flow_block *b = &scan->flow->blocks[block];
    bool changed = false;
    for (size_t w = 0; w < scan->words; w++) {
        uint64_t out = 0;
        for (unsigned n = 0; n < b->next_count; n++)
            out |= scan->in[scan->flow->next[b->next_first + n] * scan->words + w];
        size_t at = block * scan->words + w;
        uint64_t in = scan->uses[at] | (out & ~scan->kills[at]);
        changed |= in != scan->in[at];
        scan->in[at] = in;
    }
    return changed;
}

static void extend_all(struct scan *scan, const uint64_t *set, unsigned position)
{
    for (size_t w = 0; w < scan->words; w++)
        for (uint64_t bits = set[w]; bits; bits &= bits - 1)
            extend(scan, scan->narrow[w * 64 + (unsigned)__builtin_ctzll(bits)], position);
}

static void solve(struct scan *scan)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < scan->flow->reached_count; i++)
            changed |= flow_back(scan, scan->flow->postorder[i]);
    }
    for (unsigned b = 0; b < scan->flow->block_count; b++) {
        const struct ptx_flow_block *block = &scan->flow->blocks[b];
        extend_all(scan, scan->in + b * scan->words, 2 * block->first);
        for (unsigned n = 0; n < block->next_count; n++)
            extend_all(scan, scan->in + scan->flow->next[block->next_first + n] * scan->words,
                       2 * block->end - 1);
    }
}

/* ---- the scan ----------------------------------------------------------------------- */

struct free_slots {
    uint32_t *list; /* numbers of slots */
    unsigned count, made, capacity, live, most;
};

struct lines { /* registers by the positions where they become live and dead */
    unsigned *begin, *finish, *next_begin, *next_finish;
};

static bool take(struct free_slots *frees, uint32_t *out_slot)
{
    if (++frees->live > frees->most)
        frees->most = frees->live;
    if (frees->count > 0) {
        *out_slot = frees->list[--frees->count];
        return true;
    }
    *out_slot = frees->made++;
    uint32_t *list = ptx_grow(frees->list, &frees->capacity, frees->made, sizeof *list);
    if (list)
        frees->list = list;
    return list != NULL;
}

static bool sweep(struct scan *scan, struct lines *lines, struct free_slots *frees)
{
    struct ptx_slots *slots = scan->slots;
    unsigned positions = 2 * scan->function->inst_count + 2;
    for (unsigned i = slots->count; i-- > 0;) {
        if (scan->start[i] > scan->end[i])
            continue; /* no instruction uses it */
        lines->next_begin[i] = lines->begin[scan->start[i]];
        lines->begin[scan->start[i]] = i + 1;
        lines->next_finish[i] = lines->finish[scan->end[i] + 1];
        lines->finish[scan->end[i] + 1] = i + 1;
    }
    for (unsigned p = 0; p <= positions; p++) {
        for (unsigned i = lines->finish[p]; i; i = lines->next_finish[i - 1]) {
            struct free_slots *f = &frees[slots->classes[i - 1]];
            f->list[f->count++] = slots->offset[i - 1];
            f->live--;
        }
        for (unsigned i = lines->begin[p]; i; i = lines->next_begin[i - 1])
            if (!take(&frees[slots->classes[i - 1]], &slots->offset[i - 1]))
                return false;
    }
    return true;
}

/* Assigns offsets: predicates first, then by size; each class begins at a multiple of
 * PTX_SLOT_ALIGN. */
static void place(struct ptx_slots *slots, const struct scan *scan, const struct free_slots *frees)
{
    size_t base[PTX_SLOT_CLASSES], size = 0;
    for (unsigned c = 0; c < PTX_SLOT_CLASSES; c++) {
        base[c] = size;
        size += frees[c].made * ptx_slot_size((enum ptx_slot_class)c);
        size = (size + PTX_SLOT_ALIGN - 1) & ~(size_t)(PTX_SLOT_ALIGN - 1);
    }
    for (unsigned i = 0; i < slots->count; i++) {
        size_t one = ptx_slot_size((enum ptx_slot_class)slots->classes[i]);
        bool named = scan->start[i] <= scan->end[i];
        slots->offset[i] =
            named ? (uint32_t)(base[slots->classes[i]] + slots->offset[i] * one) : UINT32_MAX;
    }
    slots->size = size;
    slots->registers = (frees[PTX_SLOT_2].most + 1) / 2 + frees[PTX_SLOT_4].most +
                       2 * frees[PTX_SLOT_8].most + 4 * frees[PTX_SLOT_16].most;
}

static bool assign(struct scan *scan)
{
    struct free_slots frees[PTX_SLOT_CLASSES] = {0};
    size_t positions = 2 * (size_t)scan->function->inst_count + 4, count = scan->slots->count + 1;
    unsigned *memory = calloc(2 * positions + 2 * count, sizeof *memory);
    struct lines lines = {memory, memory + positions, memory + 2 * positions,
                          memory + 2 * positions + count};
    bool fine = memory && sweep(scan, &lines, frees);
    if (fine)
        place(scan->slots, scan, frees);
    for (unsigned c = 0; c < PTX_SLOT_CLASSES; c++)
        free(frees[c].list);
    free(memory);
    return fine;
}

/* ---- a function's slots ------------------------------------------------------------------ */

static void count_register(struct ptx_slots *slots, const struct ptx_symbol *symbol)
{
    if (symbol->kind != PTX_REGISTER)
        return;
    slots->first[symbol->index] = slots->count;
    for (unsigned i = 0; i < (symbol->vector ? symbol->vector : 1); i++)
        slots->classes[slots->count++] = (uint8_t)ptx_slot_class(symbol->type);
}

static bool count_registers(struct ptx_slots *slots, const struct ptx_function *function)
{
    size_t most = 4 * (size_t)function->register_count + 1;
    slots->first = calloc(function->register_count + 1, sizeof *slots->first);
    slots->classes = calloc(most, 1);
    slots->definitions = calloc(most, 1);
    if (!slots->first || !slots->classes || !slots->definitions)
        return false;
    const struct ptx_symbol *lists[] = {function->registers, function->params, function->returns};
    for (unsigned l = 0; l < 3; l++)
        for (const struct ptx_symbol *s = lists[l]; s; s = s->next)
            count_register(slots, s);
    slots->offset = calloc(slots->count + 1, sizeof *slots->offset);
    return slots->offset != NULL;
}

static bool scan_init(struct scan *scan)
{
    size_t count = scan->slots->count + 1;
    scan->home = malloc(count * sizeof *scan->home);
    scan->wide = malloc(count * sizeof *scan->wide);
    scan->narrow = malloc(count * sizeof *scan->narrow);
    scan->start = malloc(count * sizeof *scan->start);
    scan->end = calloc(count, sizeof *scan->end);
    if (!scan->home || !scan->wide || !scan->narrow || !scan->start || !scan->end)
        return false;
    memset(scan->start, 0xff, count * sizeof *scan->start);
    for (size_t i = 0; i < count; i++)
        scan->home[i] = NOWHERE;
    walk(scan, note_home);
    note_params(scan);
    number_wide(scan);
    size_t set = scan->flow->block_count * scan->words;
    scan->in = calloc(3 * set, sizeof *scan->in);
    if (!scan->in)
        return false;
    scan->uses = scan->in + set;
    scan->kills = scan->uses + set;
    return true;
}

static void scan_fini(struct scan *scan)
{
    free(scan->home);
    free(scan->wide);
    free(scan->narrow);
    free(scan->start);
    free(scan->end);
    free(scan->in);
}

bool ptx_slots_init(struct ptx_slots *slots, const struct ptx_function *function,
                    const struct ptx_flow *flow)
{
    *slots = (struct ptx_slots){0};
    struct scan scan = {.function = function, .flow = flow, .slots = slots};
    bool fine = count_registers(slots, function) && scan_init(&scan);
    if (fine) {
        walk(&scan, note_flow);
        walk(&scan, note_range);
        solve(&scan);
        for (const struct ptx_symbol *s = function->params; s; s = s->next)
            if (s->kind == PTX_REGISTER) /* a call writes it even if it is not read */
                extend(&scan, number_of(slots, s, 0), 0);
        fine = assign(&scan);
    }
    scan_fini(&scan);
    return fine;
}

void ptx_slots_fini(struct ptx_slots *slots)
{
    free(slots->first);
    free(slots->offset);
    free(slots->classes);
    free(slots->definitions);
    *slots = (struct ptx_slots){0};
}

unsigned ptx_slots_number(const struct ptx_slots *slots, const struct ptx_symbol *symbol,
                          unsigned component)
{
    return number_of(slots, symbol, component);
}

uint32_t ptx_slots_find(const struct ptx_slots *slots, const struct ptx_symbol *symbol,
                        unsigned component)
{
    return slots->offset[number_of(slots, symbol, component)];
}
