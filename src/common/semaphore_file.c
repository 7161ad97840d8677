/* Owns the files of shared semaphores: their layout, and the order of their words. */
#include "semaphore_file.h"

#include "process.h"

#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int ah_semaphore_create(enum ah_semaphore_kind kind, uint64_t value)
{
    struct ah_semaphore_words words = {.kind = kind, .value = value};
    int file = ah_sealed_file_create("semaphore", sizeof words, false);
    if (file < 0)
        return -1;
    memcpy(words.mark, AH_SEMAPHORE_MARK, sizeof words.mark);
    if (pwrite(file, &words, sizeof words, 0) == (ssize_t)sizeof words)
        return file;
    close(file);
    return -1;
}

struct ah_semaphore_words *ah_semaphore_open(int file, enum ah_semaphore_kind kind)
{
    if (!ah_sealed_file_check(file, sizeof(struct ah_semaphore_words)))
        return NULL;
    struct ah_semaphore_words *semaphore =
        mmap(NULL, sizeof *semaphore, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (semaphore == MAP_FAILED)
        return NULL;
    if (memcmp(semaphore->mark, AH_SEMAPHORE_MARK, sizeof semaphore->mark) == 0 &&
        semaphore->kind == kind)
        return semaphore;
    ah_semaphore_close(semaphore);
    return NULL;
}

void ah_semaphore_close(struct ah_semaphore_words *semaphore)
{
    if (semaphore)
        munmap(semaphore, sizeof *semaphore);
}

static bool raise_to(struct ah_semaphore_words *semaphore, uint64_t value)
{
    uint64_t now = __atomic_load_n(&semaphore->value, __ATOMIC_RELAXED);
    while (now < value)
        if (__atomic_compare_exchange_n(&semaphore->value, &now, value, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
            return true;
    return false;
}

bool ah_semaphore_signal(struct ah_semaphore_words *semaphore, uint64_t value)
{
    bool changed = true;
    if (semaphore->kind == AH_SEMAPHORE_BINARY)
        __atomic_store_n(&semaphore->value, 1, __ATOMIC_RELEASE);
    else
        changed = raise_to(semaphore, value);
    __atomic_fetch_add(&semaphore->turns, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &semaphore->turns, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    return changed;
}

static bool take(struct ah_semaphore_words *semaphore, uint64_t value)
{
    uint64_t signalled = 1;
    if (semaphore->kind == AH_SEMAPHORE_BINARY)
        return __atomic_compare_exchange_n(&semaphore->value, &signalled, 0, false,
                                           __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    return __atomic_load_n(&semaphore->value, __ATOMIC_ACQUIRE) >= value;
}

/* One sleep at most: the caller, who may have another reason to end, comes again. */
bool ah_semaphore_wait(struct ah_semaphore_words *semaphore, uint64_t value, unsigned milliseconds)
{
    struct timespec most = {.tv_sec = milliseconds / 1000,
                            .tv_nsec = (long)(milliseconds % 1000) * 1000000};
    uint32_t turns = __atomic_load_n(&semaphore->turns, __ATOMIC_ACQUIRE);
    if (take(semaphore, value))
        return true;
    syscall(SYS_futex, &semaphore->turns, FUTEX_WAIT, turns, &most, NULL, 0);
    return take(semaphore, value);
}
