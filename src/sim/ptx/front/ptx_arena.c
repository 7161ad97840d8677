/* A module's memory and names. Chunks come from calloc, so that of a large variable that is mostly
 * zero only the pages that are written use memory. */
#include "ptx_arena.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_SIZE = 1 << 18, BUCKETS_FIRST = 1024 };

struct ptx_chunk {
    struct ptx_chunk *next;
    _Alignas(16) char data[];
};

bool ptx_arena_init(struct ptx_arena *arena)
{
    memset(arena, 0, sizeof *arena);
    arena->names = calloc(BUCKETS_FIRST, sizeof *arena->names);
    arena->bucket_count = BUCKETS_FIRST;
    return arena->names;
}

void ptx_arena_fini(struct ptx_arena *arena)
{
    while (arena->chunks) {
        struct ptx_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
    free(arena->names);
}

static struct ptx_chunk *add_chunk(struct ptx_arena *arena, size_t size)
{
    struct ptx_chunk *chunk = NULL;
    if (size <= SIZE_MAX - sizeof *chunk)
        chunk = calloc(1, sizeof *chunk + size);
    if (!chunk)
        longjmp(*arena->no_memory, 1);
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    return chunk;
}

void *ptx_arena_alloc(struct ptx_arena *arena, size_t size)
{
    if (size > CHUNK_SIZE / 4)
        return add_chunk(arena, size)->data;
    size = (size + 15) & ~(size_t)15;
    if ((size_t)(arena->end - arena->at) < size) {
        arena->at = add_chunk(arena, CHUNK_SIZE)->data;
        arena->end = arena->at + CHUNK_SIZE;
    }
    void *result = arena->at;
    arena->at += size;
    return result;
}

/* FNV-1a. */
static uint32_t hash_text(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

static struct ptx_name *find(const struct ptx_arena *arena, const char *text, size_t length,
                             uint32_t hash)
{
    struct ptx_name *name = arena->names[hash & (arena->bucket_count - 1)];
    while (name &&
           (name->hash != hash || name->length != length || memcmp(name->text, text, length) != 0))
        name = name->next;
    return name;
}

struct ptx_name *ptx_arena_find(const struct ptx_arena *arena, const char *text, size_t length)
{
    return find(arena, text, length, hash_text(text, length));
}

/* If there is no memory, the table stays small and lookups become slower. */
static void grow(struct ptx_arena *arena)
{
    size_t count = arena->bucket_count * 4;
    struct ptx_name **names = calloc(count, sizeof *names);
    if (!names)
        return;
    for (size_t i = 0; i < arena->bucket_count; i++) {
        for (struct ptx_name *name = arena->names[i], *next; name; name = next) {
            next = name->next;
            name->next = names[name->hash & (count - 1)];
            names[name->hash & (count - 1)] = name;
        }
    }
    free(arena->names);
    arena->names = names;
    arena->bucket_count = count;
}

struct ptx_name *ptx_arena_name(struct ptx_arena *arena, const char *text, size_t length)
{
    uint32_t hash = hash_text(text, length);
    struct ptx_name *name = find(arena, text, length, hash);
    if (name)
        return name;
    if (arena->name_count++ >= arena->bucket_count)
        grow(arena);
    name = ptx_arena_alloc(arena, sizeof *name + length + 1);
    memcpy(name->text, text, length);
    name->length = (uint32_t)length;
    name->hash = hash;
    name->special = -1;
    name->next = arena->names[hash & (arena->bucket_count - 1)];
    arena->names[hash & (arena->bucket_count - 1)] = name;
    return name;
}
