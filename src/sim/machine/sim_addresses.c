/* Owns the holes of a range of addresses: a treap by address in which each node
 * knows the largest hole below it, so that the next one that fits is found
 * without looking at those that do not. */
#include "sim_addresses.h"

#include <stddef.h>
#include <stdlib.h>

static void update(struct sim_hole *hole)
{
    hole->largest = hole->size;
    for (int i = 0; i < 2; i++)
        if (hole->child[i] && hole->child[i]->largest > hole->largest)
            hole->largest = hole->child[i]->largest;
}

/* Splits tree into holes that start below key and the others. */
static void split(struct sim_hole *tree, uint64_t key, struct sim_hole **out_low,
                  struct sim_hole **out_high)
{
    if (!tree) {
        *out_low = *out_high = NULL;
        return;
    }
    if (tree->start < key) {
        split(tree->child[1], key, &tree->child[1], out_high);
        *out_low = tree;
    } else {
        split(tree->child[0], key, out_low, &tree->child[0]);
        *out_high = tree;
    }
    update(tree);
}

static struct sim_hole *merge(struct sim_hole *low, struct sim_hole *high)
{
    if (!low || !high)
        return low ? low : high;
    bool low_above = low->priority > high->priority;
    struct sim_hole *root = low_above ? low : high;
    if (low_above)
        low->child[1] = merge(low->child[1], high);
    else
        high->child[0] = merge(low, high->child[0]);
    update(root);
    return root;
}

/* The hole changes its place and size, but not its place among the others. */
static void resize(struct sim_hole *tree, struct sim_hole *hole, uint64_t start, uint64_t size)
{
    if (tree != hole) {
        resize(tree->child[hole->start > tree->start], hole, start, size);
    } else {
        hole->start = start;
        hole->size = size;
    }
    update(tree);
}

static struct sim_hole *without(struct sim_hole *tree, const struct sim_hole *hole)
{
    if (tree == hole)
        return merge(tree->child[0], tree->child[1]);
    bool higher = hole->start > tree->start;
    tree->child[higher] = without(tree->child[higher], hole);
    update(tree);
    return tree;
}

static void erase(struct sim_addresses *addresses, struct sim_hole *hole)
{
    addresses->root = without(addresses->root, hole);
    hole->child[0] = addresses->spare;
    addresses->spare = hole;
}

static bool insert(struct sim_addresses *addresses, uint64_t start, uint64_t size)
{
    struct sim_hole *hole = addresses->spare, *low, *high;
    if (hole)
        addresses->spare = hole->child[0];
    else if (!(hole = malloc(sizeof *hole)))
        return false;
    uint32_t x = addresses->seed;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *hole = (struct sim_hole){.start = start, .size = size, .largest = size, .priority = x};
    addresses->seed = x;
    split(addresses->root, start, &low, &high);
    addresses->root = merge(merge(low, hole), high);
    return true;
}

bool sim_addresses_init(struct sim_addresses *addresses, uint64_t start, uint64_t size)
{
    *addresses = (struct sim_addresses){.cursor = start, .seed = 0x9e3779b9u};
    return insert(addresses, start, size);
}

static void destroy(struct sim_hole *tree)
{
    if (!tree)
        return;
    destroy(tree->child[0]);
    destroy(tree->child[1]);
    free(tree);
}

void sim_addresses_fini(struct sim_addresses *addresses)
{
    destroy(addresses->root);
    while (addresses->spare) {
        struct sim_hole *next = addresses->spare->child[0];
        free(addresses->spare);
        addresses->spare = next;
    }
    *addresses = (struct sim_addresses){0};
}

/* The last hole that starts at or below address. */
static struct sim_hole *floor_of(const struct sim_addresses *addresses, uint64_t address)
{
    struct sim_hole *best = NULL;
    for (struct sim_hole *at = addresses->root; at;) {
        if (at->start <= address)
            best = at;
        at = at->child[at->start <= address];
    }
    return best;
}

/* The first hole that starts at or above from and has the size. */
static struct sim_hole *first_fit(struct sim_hole *tree, uint64_t from, uint64_t size)
{
    if (!tree || tree->largest < size)
        return NULL;
    if (tree->start >= from) {
        struct sim_hole *found = first_fit(tree->child[0], from, size);
        if (found)
            return found;
        if (tree->size >= size)
            return tree;
    }
    return first_fit(tree->child[1], from, size);
}

/* Takes [address, address + size) out of the hole that has it. */
static bool carve(struct sim_addresses *addresses, struct sim_hole *hole, uint64_t address,
                  uint64_t size)
{
    uint64_t before = address - hole->start, end = address + size;
    uint64_t after = hole->start + hole->size - end;
    if (!before && !after)
        erase(addresses, hole);
    else if (!before)
        resize(addresses->root, hole, end, after);
    else if (after && !insert(addresses, end, after))
        return false;
    else
        resize(addresses->root, hole, hole->start, before);
    return true;
}

/* Whether size bytes at a multiple of alignment fit into the hole from address from on. */
static bool fits(const struct sim_hole *hole, uint64_t from, uint64_t size, uint64_t alignment,
                 uint64_t *out_address)
{
    uint64_t start = hole->start > from ? hole->start : from;
    uint64_t end = hole->start + hole->size;
    uint64_t address = (start + alignment - 1) & -alignment;
    *out_address = address;
    return address >= start && address < end && end - address >= size;
}

uint64_t sim_addresses_reserve(struct sim_addresses *addresses, uint64_t size, uint64_t alignment)
{
    uint64_t address, roomy = size + alignment - 1; /* fits wherever the hole starts */
    if (roomy < size)
        return 0;
    struct sim_hole *hole = floor_of(addresses, addresses->cursor);
    if (!hole || !fits(hole, addresses->cursor, size, alignment, &address)) {
        hole = first_fit(addresses->root, addresses->cursor, roomy);
        if (!hole)
            hole = first_fit(addresses->root, 0, roomy);
        if (!hole) /* nearly full: one that is aligned already may do */
            hole = first_fit(addresses->root, 0, size);
        if (!hole || !fits(hole, 0, size, alignment, &address))
            return 0;
    }
    if (!carve(addresses, hole, address, size))
        return 0;
    addresses->cursor = address + size;
    return address;
}

bool sim_addresses_reserve_at(struct sim_addresses *addresses, uint64_t address, uint64_t size)
{
    struct sim_hole *hole = floor_of(addresses, address);
    uint64_t at;
    return hole && fits(hole, address, size, 1, &at) && at == address &&
           carve(addresses, hole, address, size);
}

bool sim_addresses_are_free(const struct sim_addresses *addresses, uint64_t address, uint64_t size)
{
    const struct sim_hole *hole = floor_of(addresses, address);
    return hole && hole->start + hole->size >= address + size;
}

void sim_addresses_release(struct sim_addresses *addresses, uint64_t address, uint64_t size)
{
    uint64_t start = address, end = address + size;
    struct sim_hole *below = floor_of(addresses, address), *above = floor_of(addresses, end);
    if (above && above->start != end)
        above = NULL;
    if (below && below->start + below->size != address)
        below = NULL;
    if (above) {
        end += above->size;
        if (below)
            erase(addresses, above);
    }
    if (below)
        start = below->start;
    if (below)
        resize(addresses->root, below, start, end - start);
    else if (above)
        resize(addresses->root, above, start, end - start);
    else
        (void)insert(addresses, start, end - start); /* without memory they are lost */
}
