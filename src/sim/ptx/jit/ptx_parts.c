/* The lines of a function, and a set of lines for each, forwards until nothing changes. */
#include "ptx_parts.h"
#include "ptx_handlers.h"
#include "ptx_jit.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 8192, BITS = 64 };

struct ptx_parts {
    const struct ptx_code *code;
    const struct ptx_live *live;
    uint32_t *lines;  /* of each op that begins one: its number */
    uint32_t *of;     /* of each op: the line that it is in */
    uint32_t *begins; /* of each line: its first op */
    uint32_t count;
    size_t words;
    uint64_t *sets; /* of each line: those at which others may wait */
    uint64_t *set;  /* that is being made */
    bool *may;      /* of each branch */
    bool changed;
};

/* ---- sets ------------------------------------------------------------------------------------ */

static uint64_t *set_of(const struct ptx_parts *parts, uint32_t line)
{
    return parts->sets + (size_t)line * parts->words;
}

static bool has(const uint64_t *set, uint32_t line)
{
    return set[line / BITS] >> line % BITS & 1;
}

static void put(struct ptx_parts *parts, uint64_t *set, uint32_t line)
{
    parts->changed |= !has(set, line);
    set[line / BITS] |= UINT64_C(1) << line % BITS;
}

static uint32_t next_in(const struct ptx_parts *parts, const uint64_t *set, uint32_t line)
{
    for (; line < parts->count; line = (line / BITS + 1) * BITS) {
        uint64_t left = set[line / BITS] >> line % BITS;
        if (left)
            return line + (uint32_t)__builtin_ctzll(left);
    }
    return PTX_NO_LINE;
}

/* Adds those of a set that come after a line to the set of that line. */
static void add_beyond(struct ptx_parts *parts, uint32_t line, const uint64_t *set)
{
    for (uint32_t k = next_in(parts, set, line + 1); k != PTX_NO_LINE;
         k = next_in(parts, set, k + 1))
        put(parts, set_of(parts, line), k);
}

/* ---- lines ------------------------------------------------------------------------------------
 */

static bool is_branch(const struct ptx_op *op)
{
    return op->run == ptx_run_branch || op->run == ptx_run_branch_back;
}

static bool is_jump(const struct ptx_op *op)
{
    return op->run == ptx_run_jump || op->run == ptx_run_jump_back;
}

static void begin(struct ptx_parts *parts, uint32_t op)
{
    if (op < parts->code->op_count && parts->lines[op] == PTX_NO_LINE) {
        parts->lines[op] = 0;
        parts->count++;
    }
}

static void find_lines(struct ptx_parts *parts)
{
    const struct ptx_code *code = parts->code;
    begin(parts, 0);
    for (uint32_t i = 0; i < code->op_count; i++) {
        const struct ptx_op *op = &code->ops[i];
        if (op->run == ptx_run_join || op->run == ptx_run_region)
            begin(parts, i);
        if (is_jump(op) || is_branch(op)) {
            begin(parts, (uint32_t)(op->target - code->ops));
            begin(parts, i + 1);
        }
        if (op->run == ptx_run_branch_indexed) {
            const struct ptx_targets *targets = op->extra;
            for (unsigned t = 0; t < targets->count; t++)
                begin(parts, (uint32_t)(targets->ops[t] - code->ops));
        }
    }
}

struct place {
    uint32_t order, op;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

static bool number_lines(struct ptx_parts *parts)
{
    const struct ptx_code *code = parts->code;
    struct place *places = malloc((parts->count + 1) * sizeof *places);
    uint32_t count = 0, line = 0;
    if (!places)
        return false;
    for (uint32_t i = 0; i < code->op_count; i++)
        if (parts->lines[i] != PTX_NO_LINE)
            places[count++] = (struct place){code->orders[i], i};
    qsort(places, count, sizeof *places, compare_places);
    for (uint32_t k = 0; k < count; k++) {
        parts->begins[k] = places[k].op;
        parts->lines[places[k].op] = k;
    }
    free(places);
    for (uint32_t i = 0; i < code->op_count; i++)
        parts->of[i] = line = parts->lines[i] != PTX_NO_LINE ? parts->lines[i] : line;
    return true;
}

/* ---- ways ------------------------------------------------------------------------------------
 */

/* Lanes come to a line while others may wait at those of a set. If some wait further behind, these
 * wait there, and the furthest of the others go on. */
static void come(struct ptx_parts *parts, uint32_t line, const uint64_t *set)
{
    add_beyond(parts, line, set);
    for (uint32_t k = next_in(parts, set, 0); k < line; k = next_in(parts, set, k + 1)) {
        add_beyond(parts, k, set);
        put(parts, set_of(parts, k), line);
    }
}

static void part(struct ptx_parts *parts, const struct ptx_op *op, const uint64_t *set)
{
    uint32_t taken = ptx_parts_line(parts, op->target), other = ptx_parts_line(parts, op + 1);
    uint32_t first = taken < other ? taken : other, second = taken < other ? other : taken;
    if (first == second)
        return;
    memcpy(parts->set, set, parts->words * sizeof *set);
    parts->set[second / BITS] |= UINT64_C(1) << second % BITS;
    come(parts, first, parts->set);
}

/* Lanes whose targets differ leave regions. */
static void come_to_all(struct ptx_parts *parts, const struct ptx_targets *targets,
                        const uint64_t *set)
{
    for (unsigned t = 0; t < targets->count; t++)
        come(parts, ptx_parts_line(parts, targets->ops[t]), set);
}

/* From a line's beginning to its end. */
static void walk(struct ptx_parts *parts, uint32_t line)
{
    const struct ptx_op *first = ptx_parts_begin(parts, line), *op = first;
    const struct ptx_op *end = parts->code->ops + parts->code->op_count;
    const uint64_t *set = set_of(parts, line);
    struct ptx_form form;
    for (; op < end; op = op->run == ptx_run_guard ? op->target : op + 1) {
        if (op != first && ptx_parts_line(parts, op) != PTX_NO_LINE) {
            come(parts, ptx_parts_line(parts, op), set);
            return;
        }
        if (op->run == ptx_run_branch_indexed) {
            come_to_all(parts, op->extra, set);
            return;
        }
        if (is_jump(op) || is_branch(op))
            break;
        if (op->run != ptx_run_guard && !ptx_form_of(parts->code, op, &form))
            return; /* regions end here */
    }
    if (op == end)
        return;
    come(parts, ptx_parts_line(parts, op->target), set);
    if (is_jump(op))
        return;
    come(parts, ptx_parts_line(parts, op + 1), set);
    if (ptx_parts_may(parts, op))
        part(parts, op, set);
}

static void solve(struct ptx_parts *parts)
{
    do {
        parts->changed = false;
        for (uint32_t line = 0; line < parts->count; line++)
            walk(parts, line);
    } while (parts->changed);
}

/* ---- interface ------------------------------------------------------------------------------ */

struct ptx_parts *ptx_parts_create(const struct ptx_code *code, const struct ptx_live *live)
{
    struct ptx_parts *parts = calloc(1, sizeof *parts);
    if (!parts)
        return NULL;
    parts->code = code;
    parts->live = live;
    parts->lines = malloc(((size_t)code->op_count + 1) * sizeof(uint32_t));
    parts->of = calloc((size_t)code->op_count + 1, sizeof(uint32_t));
    parts->may = calloc((size_t)code->op_count + 1, sizeof(bool));
    bool fine = parts->lines && parts->of && parts->may;
    if (fine) {
        memset(parts->lines, 0xff, ((size_t)code->op_count + 1) * sizeof(uint32_t));
        find_lines(parts);
        parts->words = parts->count / BITS + 1;
    }
    fine = fine && parts->count <= LINES_MAX;
    if (fine) {
        parts->begins = calloc(parts->count + 1, sizeof(uint32_t));
        parts->sets = calloc((size_t)parts->count * parts->words + 1, sizeof(uint64_t));
        parts->set = calloc(parts->words, sizeof(uint64_t));
    }
    if (fine && parts->begins && parts->sets && parts->set && number_lines(parts))
        return parts;
    ptx_parts_destroy(parts);
    return NULL;
}

void ptx_parts_destroy(struct ptx_parts *parts)
{
    if (!parts)
        return;
    free(parts->lines);
    free(parts->of);
    free(parts->begins);
    free(parts->sets);
    free(parts->set);
    free(parts->may);
    free(parts);
}

bool ptx_parts_grow(struct ptx_parts *parts, const struct ptx_facts *facts)
{
    bool more = false;
    for (uint32_t i = 0; i < parts->code->op_count; i++) {
        const struct ptx_op *op = &parts->code->ops[i];
        if (parts->may[i] || !is_branch(op) || (facts && ptx_facts_uniform(facts, op)))
            continue;
        parts->may[i] = more = true;
    }
    if (more)
        solve(parts);
    return more;
}

bool ptx_parts_may(const struct ptx_parts *parts, const struct ptx_op *branch)
{
    return parts->may[branch - parts->code->ops];
}

uint32_t ptx_parts_line(const struct ptx_parts *parts, const struct ptx_op *op)
{
    return parts->lines[op - parts->code->ops];
}

const struct ptx_op *ptx_parts_begin(const struct ptx_parts *parts, uint32_t line)
{
    return parts->code->ops + parts->begins[line];
}

uint32_t ptx_parts_next(const struct ptx_parts *parts, const struct ptx_op *op, uint32_t line)
{
    return next_in(parts, set_of(parts, parts->of[op - parts->code->ops]), line);
}

bool ptx_parts_reads(const struct ptx_parts *parts, const struct ptx_op *op, uint32_t offset)
{
    for (uint32_t k = ptx_parts_next(parts, op, 0); k != PTX_NO_LINE;
         k = ptx_parts_next(parts, op, k + 1))
        if (!parts->live || ptx_live_at(parts->live, ptx_parts_begin(parts, k), offset))
            return true;
    return false;
}

bool ptx_parts_keeps(const struct ptx_parts *parts, const struct ptx_op *op,
                     const struct ptx_form *form)
{
    if (form->carries && ptx_parts_next(parts, op, 0) != PTX_NO_LINE)
        return true;
    for (unsigned i = 0; i < form->write_count; i++)
        if (ptx_parts_reads(parts, op, form->writes[i].offset))
            return true;
    return false;
}
