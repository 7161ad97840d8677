/* Owns what tracers look at after the call or the kernel whose it is has ended: file names, names
 * of kernels, and lists of those. A program has few different ones, and they stay. */
#include "tracer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct kept {
    struct kept *next;
    size_t size;
    _Alignas(max_align_t) unsigned char bytes[];
};

enum { LISTS = 1024 };
static struct kept *lists[LISTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct kept **list_of(const unsigned char *bytes, size_t size)
{
    unsigned hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return &lists[hash % LISTS];
}

static const void *keep(struct kept **list, const void *bytes, size_t size)
{
    for (const struct kept *kept = *list; kept; kept = kept->next)
        if (kept->size == size && memcmp(kept->bytes, bytes, size) == 0)
            return kept->bytes;
    struct kept *added = malloc(sizeof *added + size);
    if (!added)
        return NULL;
    memcpy(added->bytes, bytes, size);
    added->size = size;
    added->next = *list;
    *list = added;
    return added->bytes;
}

const void *ah_tracer_keep_bytes(const void *bytes, size_t size)
{
    pthread_mutex_lock(&lock);
    const void *kept = keep(list_of(bytes, size), bytes, size);
    pthread_mutex_unlock(&lock);
    return kept;
}

const char *ah_tracer_keep(const char *text)
{
    return text ? ah_tracer_keep_bytes(text, strlen(text) + 1) : NULL;
}
