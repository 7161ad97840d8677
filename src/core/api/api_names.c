/* Owns the numbers of the public functions, and their names and those of their arguments by number:
 * what observers of calls ask for. */
#include "api.h"
#include "api_ids.h"

#include <string.h>

static const struct {
    const char *name, *arguments, *types;
} names[] = {
#include "api_names.h"
};

_Static_assert(sizeof names / sizeof *names == AH_API_ID_COUNT, "api_names.h and api_ids.h differ");

/* A name is found by its address, after the first time. Two names of one place only cost time. */
enum { PLACES = 4096 };
static _Atomic(uint64_t)
    known[PLACES]; /* the address in the high bits, the number in the low ones */
enum { ID_BITS = 16 };
_Static_assert(AH_API_ID_COUNT < 1 << ID_BITS, "numbers do not fit");

static int search(const char *name)
{
    for (int i = 0; i < AH_API_ID_COUNT; i++)
        if (strcmp(names[i].name, name) == 0)
            return i;
    return -1;
}

int ah_api_id(const char *name)
{
    uint64_t address = (uint64_t)(uintptr_t)name << ID_BITS;
    _Atomic(uint64_t) *place = &known[((uintptr_t)name >> 2 ^ (uintptr_t)name >> 14) % PLACES];
    uint64_t found = atomic_load_explicit(place, memory_order_relaxed);
    if (found >> ID_BITS == address >> ID_BITS)
        return (int)(found & ((1u << ID_BITS) - 1)) - 1;
    int id = search(name);
    atomic_store_explicit(place, address | (uint64_t)(id + 1), memory_order_relaxed);
    return id;
}

const char *ah_api_name(int id)
{
    return id >= 0 && id < AH_API_ID_COUNT ? names[id].name : NULL;
}

const char *ah_api_argument_names(int id)
{
    return id >= 0 && id < AH_API_ID_COUNT ? names[id].arguments : NULL;
}

const char *ah_api_argument_types(int id)
{
    return id >= 0 && id < AH_API_ID_COUNT ? names[id].types : NULL;
}
