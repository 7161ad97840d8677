/* Owns the functions that allocate, in the place of the C library's, and the set of what the
 * library allocated. */
#include "fault_memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__

void fault_memory_fail(unsigned nth)
{
    (void)nth;
}

bool fault_memory_has_failed(void)
{
    return false;
}

unsigned fault_memory_calls(void)
{
    return 0;
}

unsigned long fault_memory_where(void)
{
    return 0;
}

long fault_memory_live(void)
{
    return 0;
}

#else

enum { SET = 1 << 16 };

static uintptr_t library_base, library_start, library_end;
static unsigned long where;
static _Atomic(unsigned) calls, failing; /* failing: the number of the call that fails, 0: none */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *set[SET]; /* by address; TOMB: something was here */
static long live;
#define TOMB    ((void *)1)

static int (*real_pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

/* ---- whose a call is ----------------------------------------------------------------------- */

static int find_library(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    if (!strstr(info->dlpi_name, "libanyhip.so"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            library_base = info->dlpi_addr;
            library_start = info->dlpi_addr + part->p_vaddr;
            library_end = library_start + part->p_memsz;
        }
    }
    return 1;
}

__attribute__((constructor)) static void find_functions(void)
{
    real_pthread_create = (__typeof__(real_pthread_create))dlsym(RTLD_NEXT, "pthread_create");
    dl_iterate_phdr(find_library, NULL);
}

static bool is_of_library(const void *caller)
{
    return (uintptr_t)caller - library_start < library_end - library_start;
}

/* Counts a call of the library. Whether it fails. */
static bool fails(const void *caller)
{
    if (!is_of_library(caller))
        return false;
    unsigned number = atomic_fetch_add(&calls, 1) + 1;
    if (number != atomic_load(&failing))
        return false;
    where = (unsigned long)((uintptr_t)caller - library_base);
    errno = ENOMEM;
    return true;
}

/* ---- what is there ------------------------------------------------------------------------- */

static void *add(void *memory, const void *caller)
{
    if (!memory || !is_of_library(caller))
        return memory;
    pthread_mutex_lock(&lock);
    size_t at = (uintptr_t)memory / 16 % SET;
    for (size_t tries = 0; set[at] && set[at] != TOMB; at = (at + 1) % SET)
        if (++tries == SET)
            abort();
    set[at] = memory;
    live++;
    pthread_mutex_unlock(&lock);
    return memory;
}

static bool take(const void *memory)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    size_t at = (uintptr_t)memory / 16 % SET;
    for (size_t tries = 0; set[at] && !found && tries < SET; at = (at + 1) % SET, tries++) {
        found = set[at] == memory;
        if (found)
            set[at] = TOMB;
    }
    live -= found;
    pthread_mutex_unlock(&lock);
    return found;
}

/* ---- in the place of the C library's ------------------------------------------------------- */

#define INSTEAD __attribute__((visibility("default")))
#define CALLER  __builtin_return_address(0)

INSTEAD void *malloc(size_t size)
{
    return fails(CALLER) ? NULL : add(__libc_malloc(size), CALLER);
}

INSTEAD void *calloc(size_t count, size_t size)
{
    return fails(CALLER) ? NULL : add(__libc_calloc(count, size), CALLER);
}

INSTEAD void *realloc(void *memory, size_t size)
{
    if (fails(CALLER))
        return NULL;
    bool known = memory && take(memory);
    void *grown = __libc_realloc(memory, size);
    return grown && (known || !memory) ? add(grown, CALLER) : grown;
}

INSTEAD void *reallocarray(void *memory, size_t count, size_t size)
{
    if (fails(CALLER))
        return NULL;
    bool known = memory && take(memory);
    void *grown = size && count > SIZE_MAX / size ? NULL : __libc_realloc(memory, count * size);
    return grown && (known || !memory) ? add(grown, CALLER) : grown;
}

INSTEAD void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(CALLER) ? NULL : add(__libc_memalign(alignment, size), CALLER);
}

INSTEAD int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (fails(CALLER))
        return ENOMEM;
    *out = add(__libc_memalign(alignment, size), CALLER);
    return *out ? 0 : ENOMEM;
}

INSTEAD char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = fails(CALLER) ? NULL : add(__libc_malloc(size), CALLER);
    return copy ? memcpy(copy, text, size) : NULL;
}

INSTEAD char *strndup(const char *text, size_t most)
{
    size_t size = strnlen(text, most);
    char *copy = fails(CALLER) ? NULL : add(__libc_malloc(size + 1), CALLER);
    if (!copy)
        return NULL;
    copy[size] = '\0';
    return memcpy(copy, text, size);
}

INSTEAD void free(void *memory)
{
    if (memory)
        take(memory);
    __libc_free(memory);
}

INSTEAD void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    if (fails(CALLER))
        return MAP_FAILED;
    // Not by dlsym: constructors of libraries call it before those of the program.
    return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}

INSTEAD int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                           void *(*function)(void *), void *data)
{
    return fails(CALLER) ? EAGAIN : real_pthread_create(thread, attributes, function, data);
}

/* ---- for tests ----------------------------------------------------------------------------- */

void fault_memory_fail(unsigned nth)
{
    atomic_store(&failing, nth ? atomic_load(&calls) + nth : 0);
}

bool fault_memory_has_failed(void)
{
    unsigned number = atomic_load(&failing);
    return number > 0 && atomic_load(&calls) >= number;
}

unsigned fault_memory_calls(void)
{
    return atomic_load(&calls);
}

unsigned long fault_memory_where(void)
{
    return where;
}

bool fault_memory_fails(const void *caller)
{
    return fails(caller);
}

void fault_memory_add(void *block, const void *caller)
{
    add(block, caller);
}

long fault_memory_live(void)
{
    pthread_mutex_lock(&lock);
    long count = live;
    pthread_mutex_unlock(&lock);
    return count;
}

#endif
