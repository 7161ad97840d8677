/* The control flow graph of a function: basic blocks, their successors, and their reverse
 * postorder. The last block is empty: the end of the text. */
#include "ptx_build.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum ending { GOES_ON, BRANCHES, BRANCHES_MANY, LEAVES };

static enum ending ending_of(const struct ptx_inst *inst)
{
    switch (inst->row->emitter) {
    case PTX_EMIT_BRANCH:
        return BRANCHES;
    case PTX_EMIT_BRANCH_INDEXED:
        return BRANCHES_MANY;
    case PTX_EMIT_RETURN:
    case PTX_EMIT_EXIT:
    case PTX_EMIT_TRAP:
        return LEAVES;
    default:
        return GOES_ON;
    }
}

static unsigned target_count(const struct ptx_inst *inst, enum ending ending)
{
    if (ending == BRANCHES_MANY)
        return inst->operands[1].symbol->label_count;
    return ending == BRANCHES ? 1 : 0;
}

static const struct ptx_symbol *target(const struct ptx_inst *inst, enum ending ending, unsigned i)
{
    return ending == BRANCHES_MANY ? inst->operands[1].symbol->labels[i] : inst->operands[0].symbol;
}

/* Marks the first instruction of each block; returns the maximum number of edges. */
static unsigned mark_leaders(const struct ptx_function *function, unsigned *leader)
{
    unsigned edges = 1;
    leader[0] = leader[function->inst_count] = 1;
    for (unsigned i = 0; i < function->inst_count; i++) {
        const struct ptx_inst *inst = &function->insts[i];
        enum ending ending = ending_of(inst);
        unsigned targets = target_count(inst, ending);
        for (unsigned t = 0; t < targets; t++)
            leader[target(inst, ending, t)->index] = 1;
        if (ending != GOES_ON)
            leader[i + 1] = 1;
        edges += targets;
    }
    return edges;
}

static unsigned number_blocks(const struct ptx_function *function, unsigned *block_of)
{
    unsigned count = 0;
    for (unsigned i = 0; i <= function->inst_count; i++) {
        count += block_of[i];
        block_of[i] = count - 1;
    }
    return count;
}

bool ptx_flow_falls(const struct ptx_function *function, const struct ptx_flow_block *block)
{
    if (block->first == block->end)
        return false;
    const struct ptx_inst *last = &function->insts[block->end - 1];
    return ending_of(last) == GOES_ON || last->guard;
}

static void find_edges(struct ptx_flow *flow, const struct ptx_function *function)
{
    unsigned edge = 0;
    for (unsigned b = 0; b < flow->block_count; b++) {
        struct ptx_flow_block *block = &flow->blocks[b];
        block->next_first = edge;
        block->order = UINT_MAX;
        if (block->first == block->end)
            continue;
        const struct ptx_inst *inst = &function->insts[block->end - 1];
        enum ending ending = ending_of(inst);
        if (ptx_flow_falls(function, block))
            flow->next[edge++] = b + 1;
        for (unsigned t = 0; t < target_count(inst, ending); t++) {
            unsigned to = flow->block_of[target(inst, ending, t)->index];
            flow->blocks[to].target = true;
            flow->next[edge++] = to;
        }
        block->next_count = edge - block->next_first;
    }
}

/* Depth first without recursion: functions may have very many blocks. Successors that are later in
 * the text are visited first, so that the resulting order follows the text where possible. */
static bool find_order(struct ptx_flow *flow)
{
    unsigned *stack = malloc(flow->block_count * sizeof *stack);
    unsigned *seen = calloc(flow->block_count, sizeof *seen); /* successors visited, + 1 */
    unsigned depth = 0;
    if (!stack || !seen) {
        free(stack);
        free(seen);
        return false;
    }
    stack[depth++] = 0;
    seen[0] = 1;
    while (depth > 0) {
        const struct ptx_flow_block *block = &flow->blocks[stack[depth - 1]];
        unsigned done = seen[stack[depth - 1]]++ - 1;
        if (done < block->next_count) {
            unsigned next = flow->next[block->next_first + block->next_count - 1 - done];
            if (!seen[next]) {
                seen[next] = 1;
                stack[depth++] = next;
            }
        } else {
            flow->postorder[flow->reached_count++] = stack[--depth];
        }
    }
    for (unsigned i = 0; i < flow->reached_count; i++)
        flow->blocks[flow->postorder[i]].order = flow->reached_count - 1 - i;
    free(stack);
    free(seen);
    return true;
}

bool ptx_flow_init(struct ptx_flow *flow, const struct ptx_function *function)
{
    unsigned count = function->inst_count;
    *flow = (struct ptx_flow){.block_of = calloc(count + 1, sizeof *flow->block_of)};
    if (!flow->block_of)
        return false;
    unsigned edges = mark_leaders(function, flow->block_of);
    flow->block_count = number_blocks(function, flow->block_of);
    flow->blocks = calloc(flow->block_count, sizeof *flow->blocks);
    flow->next = calloc(edges + flow->block_count, sizeof *flow->next);
    flow->postorder = calloc(flow->block_count, sizeof *flow->postorder);
    if (!flow->blocks || !flow->next || !flow->postorder)
        return false;
    for (unsigned i = count; i-- > 0;)
        flow->blocks[flow->block_of[i]].first = i;
    for (unsigned i = 0; i < count; i++)
        flow->blocks[flow->block_of[i]].end = i + 1;
    flow->blocks[flow->block_count - 1].first = flow->blocks[flow->block_count - 1].end = count;
    find_edges(flow, function);
    return find_order(flow);
}

/* Ways to an ancestor in the walk that finds the order, and no others, go against it. */
bool ptx_flow_goes_back(const struct ptx_flow *flow, unsigned from, unsigned to)
{
    unsigned order = flow->blocks[from].order;
    return order != UINT_MAX && flow->blocks[to].order <= order;
}

void ptx_flow_fini(struct ptx_flow *flow)
{
    free(flow->blocks);
    free(flow->block_of);
    free(flow->next);
    free(flow->postorder);
    *flow = (struct ptx_flow){0};
}
