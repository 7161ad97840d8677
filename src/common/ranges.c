/* Owns the ordered set of address ranges: a treap, so that it stays balanced
 * for any order of insertions with a few lines of code. */
#include "ranges.h"

/* A size beyond the end of the address space reaches to it. */
static uintptr_t last_byte(uintptr_t start, size_t size)
{
    uintptr_t last = size ? start + (size - 1) : start;
    return last < start ? UINTPTR_MAX : last;
}

static uint32_t next_priority(struct ah_ranges *ranges)
{
    uint32_t x = ranges->seed ? ranges->seed : 0x9e3779b9u;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return ranges->seed = x;
}

/* Splits tree into ranges that start below key and the others. */
static void split(struct ah_range *tree, uintptr_t key, struct ah_range **low,
                  struct ah_range **high)
{
    while (tree) {
        if (tree->start < key) {
            *low = tree;
            low = &tree->child[1];
            tree = tree->child[1];
        } else {
            *high = tree;
            high = &tree->child[0];
            tree = tree->child[0];
        }
    }
    *low = *high = NULL;
}

static struct ah_range *merge(struct ah_range *low, struct ah_range *high)
{
    struct ah_range *root = NULL, **link = &root;
    while (low && high) {
        if (low->priority > high->priority) {
            *link = low;
            link = &low->child[1];
            low = low->child[1];
        } else {
            *link = high;
            link = &high->child[0];
            high = high->child[0];
        }
    }
    *link = low ? low : high;
    return root;
}

struct ah_range *ah_ranges_floor(const struct ah_ranges *ranges, uintptr_t address)
{
    struct ah_range *best = NULL;
    for (struct ah_range *at = ranges->root; at;) {
        if (at->start <= address) {
            best = at;
            at = at->child[1];
        } else {
            at = at->child[0];
        }
    }
    return best;
}

struct ah_range *ah_ranges_above(const struct ah_ranges *ranges, uintptr_t address)
{
    struct ah_range *best = NULL;
    for (struct ah_range *at = ranges->root; at;) {
        if (at->start > address) {
            best = at;
            at = at->child[0];
        } else {
            at = at->child[1];
        }
    }
    return best;
}

struct ah_range *ah_ranges_find(const struct ah_ranges *ranges, uintptr_t address)
{
    struct ah_range *found = ah_ranges_floor(ranges, address);
    return found && address <= last_byte(found->start, found->size) ? found : NULL;
}

bool ah_ranges_overlaps(const struct ah_ranges *ranges, uintptr_t start, size_t size)
{
    const struct ah_range *below = ah_ranges_floor(ranges, last_byte(start, size));
    return below && last_byte(below->start, below->size) >= start;
}

bool ah_ranges_insert(struct ah_ranges *ranges, struct ah_range *node)
{
    struct ah_range *low, *high;
    if (ah_ranges_overlaps(ranges, node->start, node->size))
        return false;
    node->child[0] = node->child[1] = NULL;
    node->priority = next_priority(ranges);
    split(ranges->root, node->start, &low, &high);
    ranges->root = merge(merge(low, node), high);
    ranges->count++;
    return true;
}

void ah_ranges_remove(struct ah_ranges *ranges, struct ah_range *node)
{
    struct ah_range **link = &ranges->root;
    while (*link && *link != node)
        link = &(*link)->child[node->start > (*link)->start];
    if (!*link)
        return;
    *link = merge(node->child[0], node->child[1]);
    ranges->count--;
}
