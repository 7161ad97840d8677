/* Private to jit: what a region's code depends on.
 *
 * Code must not depend on where things are in one process: addresses that a region names (ops,
 * handlers, arguments that are said to be addresses) are numbered, are symbols of the object file,
 * and get their values when that is loaded. The key is the same for regions whose code is the same
 * but for these values. */
#ifndef JIT_KEY_H
#define JIT_KEY_H

#include "wave_flow.h"

/* Addresses in the order in which the region names them, each once. */
struct jit_addresses {
    const void **at;
    unsigned count, room;
    unsigned *buckets; /* by a hash of the address, plus 1; twice as many as room */
};

struct jit_key {
    uint64_t words[2];
};

/* salt: what else code depends on, besides the region and its machine's bitcode. False: no
 * memory. */
bool jit_key_make(const struct wave_region *region, const struct wave_flow *flow, uint64_t salt,
                  struct jit_addresses *out_addresses, struct jit_key *out_key);
void jit_addresses_fini(struct jit_addresses *addresses);

/* A checksum. */
uint64_t jit_hash(const void *bytes, size_t size);

/* The number of an address that is among them. */
unsigned jit_address_number(const struct jit_addresses *addresses, const void *address);

/* The names of their symbols. */
enum { JIT_ADDRESS_NAME = 24 };
void jit_address_name(unsigned number, char out_name[JIT_ADDRESS_NAME]);
/* NULL: it is not the name of one of them. */
const void *jit_address_named(const struct jit_addresses *addresses, const char *name);

#endif
