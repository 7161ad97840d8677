/* Owns the keys of regions, and the numbers of the addresses that they name. */
#include "jit_key.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hash {
    uint64_t a, b;
};

struct maker {
    const struct wave_region *region;
    const struct wave_flow *flow;
    struct jit_addresses *addresses;
    struct hash hash;
    bool failed; /* no memory */
};

/* ---- hashes ---------------------------------------------------------------------------------- */

static void add(struct hash *hash, uint64_t word)
{
    hash->a = (hash->a ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    hash->a ^= hash->a >> 32;
    hash->b = (hash->b + word) * UINT64_C(0xc2b2ae3d27d4eb4f);
    hash->b ^= hash->b >> 29;
}

static void add_bytes(struct hash *hash, const void *bytes, size_t size)
{
    const char *at = bytes;
    add(hash, size);
    for (; size >= 8; at += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        add(hash, word);
    }
    uint64_t rest = 0;
    memcpy(&rest, at, size);
    add(hash, rest);
}

static void add_text(struct hash *hash, const char *text)
{
    add_bytes(hash, text ? text : "", text ? strlen(text) : 0);
}

uint64_t jit_hash(const void *bytes, size_t size)
{
    struct hash hash = {1, 2};
    add_bytes(&hash, bytes, size);
    return hash.a ^ hash.b;
}

/* Of the bytes of a bitcode, which is found once for each. */
static uint64_t hash_of_bitcode(const struct wave_bitcode *bitcode)
{
    enum { KNOWN = 8 };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct {
        const unsigned char *bytes;
        uint64_t hash;
    } known[KNOWN];
    unsigned i = 0;
    if (!bitcode)
        return 0;
    pthread_mutex_lock(&lock);
    while (i + 1 < KNOWN && known[i].bytes && known[i].bytes != bitcode->bytes)
        i++;
    if (known[i].bytes != bitcode->bytes) {
        known[i].bytes = bitcode->bytes;
        known[i].hash = jit_hash(bitcode->bytes, (size_t)(bitcode->end - bitcode->bytes));
    }
    uint64_t hash = known[i].hash;
    pthread_mutex_unlock(&lock);
    return hash;
}

/* ---- addresses --------------------------------------------------------------------------- */

static unsigned bucket_of(const struct jit_addresses *addresses, const void *address)
{
    uint64_t hash = (uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    unsigned most = 2 * addresses->room, bucket = (unsigned)(hash % most);
    while (addresses->buckets[bucket] && addresses->at[addresses->buckets[bucket] - 1] != address)
        bucket = (bucket + 1) % most;
    return bucket;
}

static bool grow(struct jit_addresses *addresses)
{
    unsigned room = addresses->room ? 2 * addresses->room : 256;
    const void **at = realloc(addresses->at, room * sizeof *at);
    unsigned *buckets = calloc(2 * (size_t)room, sizeof *buckets);
    if (at)
        addresses->at = at;
    if (!at || !buckets) {
        free(buckets);
        return false;
    }
    free(addresses->buckets);
    addresses->buckets = buckets;
    addresses->room = room;
    for (unsigned i = 0; i < addresses->count; i++)
        buckets[bucket_of(addresses, at[i])] = i + 1;
    return true;
}

static void add_address(struct maker *m, const void *address)
{
    struct jit_addresses *addresses = m->addresses;
    if (m->failed || (addresses->count == addresses->room && !grow(addresses))) {
        m->failed = true;
        return;
    }
    unsigned bucket = bucket_of(addresses, address);
    if (!addresses->buckets[bucket]) {
        addresses->at[addresses->count++] = address;
        addresses->buckets[bucket] = addresses->count;
    }
    add(&m->hash, addresses->buckets[bucket]);
}

unsigned jit_address_number(const struct jit_addresses *addresses, const void *address)
{
    return addresses->buckets[bucket_of(addresses, address)] - 1;
}

void jit_address_name(unsigned number, char out_name[JIT_ADDRESS_NAME])
{
    snprintf(out_name, JIT_ADDRESS_NAME, "anyhip.at.%u", number);
}

const void *jit_address_named(const struct jit_addresses *addresses, const char *name)
{
    char expected[JIT_ADDRESS_NAME];
    unsigned number;
    if (sscanf(name, "anyhip.at.%u", &number) != 1 || number >= addresses->count)
        return NULL;
    jit_address_name(number, expected);
    return strcmp(name, expected) == 0 ? addresses->at[number] : NULL;
}

void jit_addresses_fini(struct jit_addresses *addresses)
{
    free(addresses->at);
    free(addresses->buckets);
    *addresses = (struct jit_addresses){0};
}

/* ---- regions ----------------------------------------------------------------------------- */

static void add_slots(struct maker *m, const struct wave_slot *slots, unsigned count)
{
    add(&m->hash, count);
    for (unsigned i = 0; i < count; i++) {
        add(&m->hash, slots[i].base);
        add(&m->hash, (uint64_t)slots[i].offset << 32 | slots[i].size);
    }
}

static void add_back(struct maker *m, const struct wave_back *back)
{
    add(&m->hash, back->count);
    for (unsigned i = 0; i < back->count; i++)
        add(&m->hash, back->slots[i]);
}

static void add_call(struct maker *m, const char *function, const uint64_t *arguments,
                     unsigned count, uint64_t addresses)
{
    add_text(&m->hash, function);
    add(&m->hash, count);
    add(&m->hash, addresses);
    for (unsigned i = 0; i < count; i++)
        if (wave_is_address(addresses, arguments, i))
            add_address(m, (const void *)(uintptr_t)arguments[i]);
        else
            add(&m->hash, arguments[i]);
}

static void add_inst(struct maker *m, const struct wave_inst *inst)
{
    add(&m->hash, inst->kind * 2 + inst->plain);
    add_call(m, inst->function, inst->arguments, inst->argument_count, inst->addresses);
    add_slots(m, inst->reads, inst->read_count);
    add_slots(m, inst->writes, inst->write_count);
    if (inst->kind == WAVE_EFFECT)
        return;
    add_address(m, inst->op);
    if (inst->kind == WAVE_GUARD)
        return;
    add_address(m, inst->next);
    add_address(m, wave_handler(m->region->machine, inst->op));
}

static void add_block(struct maker *m, unsigned b)
{
    const struct wave_block *block = &m->region->blocks[b];
    add(&m->hash, block->inst_count);
    for (unsigned n = 0; n < block->inst_count; n++) {
        add_inst(m, &block->insts[n]);
        add_back(m, &m->flow->back[b][n]);
    }
    add(&m->hash, block->end * 2 + block->stays);
    if (block->end == WAVE_BRANCH)
        add_call(m, block->function, block->arguments, block->argument_count, block->addresses);
    if (block->end == WAVE_BRANCH)
        add_slots(m, block->reads, block->read_count);
    if (block->end != WAVE_JUMP)
        add_address(m, block->op);
    add_back(m, &m->flow->back[b][block->inst_count]);
    add(&m->hash, block->target_count);
    for (unsigned i = 0; i < block->target_count; i++)
        add(&m->hash, block->targets[i]);
}

static void add_machine(struct maker *m, const struct wave_machine *machine)
{
    add_text(&m->hash, machine->name);
    add(&m->hash, (uint64_t)machine->state_size << 32 | machine->frame_field);
    add(&m->hash, (uint64_t)machine->entry_field << 32 | machine->handler_offset);
    add(&m->hash, hash_of_bitcode(machine->bitcode));
    for (unsigned i = 0; i < machine->field_count; i++) {
        const struct wave_field *field = &machine->fields[i];
        add(&m->hash, field->kind);
        add(&m->hash, (uint64_t)field->offset << 32 | field->size);
        add(&m->hash, field->value);
        add(&m->hash, field->repeat);
    }
}

bool jit_key_make(const struct wave_region *region, const struct wave_flow *flow, uint64_t salt,
                  struct jit_addresses *out_addresses, struct jit_key *out_key)
{
    struct maker m = {
        .region = region, .flow = flow, .addresses = out_addresses, .hash = {salt, ~salt}};
    *out_addresses = (struct jit_addresses){0};
    add_machine(&m, region->machine);
    add(&m.hash, region->frame_size);
    add_slots(&m, flow->slots, flow->slot_count);
    add(&m.hash, region->entry_count);
    for (unsigned e = 0; e < flow->entry_count; e++) {
        add(&m.hash, wave_entry(region, e));
        add_back(&m, &flow->entries[e]);
    }
    add(&m.hash, region->block_count);
    for (unsigned b = 0; b < region->block_count; b++)
        add_block(&m, b);
    *out_key = (struct jit_key){{m.hash.a, m.hash.b}};
    if (m.failed)
        jit_addresses_fini(out_addresses);
    return !m.failed;
}
