/* A module's memory, which is freed as a whole, and its interned names. */
#ifndef PTX_ARENA_H
#define PTX_ARENA_H

#include "ptx_ir.h"

#include <setjmp.h>

/* An interned name: equal names are the same object, and their text is the same pointer. */
struct ptx_name {
    struct ptx_name *next; /* of the same hash */
    struct ptx_symbol *global;
    struct ptx_binding *binding; /* the innermost, while parsing */
    struct ptx_binding *range;   /* the innermost range of registers: %r<9> */
    uint32_t hash;
    uint32_t length;
    int16_t special; /* enum ptx_special, PTX_SPECIAL_COUNT: none, -1: not looked up */
    char text[];
};

struct ptx_arena {
    struct ptx_chunk *chunks;
    char *at, *end;
    struct ptx_name **names;
    size_t name_count, bucket_count;
    jmp_buf *no_memory; /* where to continue when an allocation fails */
};

/* False: out of memory. */
bool ptx_arena_init(struct ptx_arena *arena);
void ptx_arena_fini(struct ptx_arena *arena);

/* size zeroed bytes, aligned to 16; never NULL: if there is no memory, it jumps to no_memory with
 * 1. */
void *ptx_arena_alloc(struct ptx_arena *arena, size_t size);
struct ptx_name *ptx_arena_name(struct ptx_arena *arena, const char *text, size_t length);
/* The same if it is known, else NULL. */
struct ptx_name *ptx_arena_find(const struct ptx_arena *arena, const char *text, size_t length);

/* The name whose text is the interned text. */
static inline struct ptx_name *ptx_name_of(const char *text)
{
    return (struct ptx_name *)(uintptr_t)(text - offsetof(struct ptx_name, text));
}

#endif
