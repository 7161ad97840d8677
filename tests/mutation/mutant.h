/* What mutated sources include: which mutant is on, and which ones were executed.
 *
 * MUTANT=n in the environment switches mutant n on; without it the program is the original.
 * MUTANTS_REACHED=FILE names a file of one byte per mutant, where each mutant that is evaluated
 * stores a 1. It is shared memory, so that nothing is lost when a process crashes or calls _exit.
 */
#ifndef AH_MUTANT_H
#define AH_MUTANT_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

/* What the optimiser has to say of mutants. */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#pragma GCC diagnostic ignored "-Wnonnull"
#pragma GCC diagnostic ignored "-Wuse-after-free"
#pragma GCC diagnostic ignored "-Wfree-nonheap-object"
#pragma GCC diagnostic ignored "-Wdangling-pointer"

/* One of each for every program or library that has mutated objects. */
__attribute__((weak, visibility("hidden"))) int mutant_on;
__attribute__((weak, visibility("hidden"))) unsigned char mutant_nowhere[MUTANT_COUNT + 1];
__attribute__((weak, visibility("hidden"))) unsigned char *mutant_reached = mutant_nowhere;

static void __attribute__((constructor(101))) mutant_begin(void)
{
    extern int close(int file); /* <unistd.h> has names that the sources use for their own */
    const char *number = getenv("MUTANT"), *path = getenv("MUTANTS_REACHED");
    if (number)
        mutant_on = atoi(number);
    if (!path || mutant_reached != mutant_nowhere)
        return;
    int file = open(path, O_RDWR | O_CLOEXEC);
    void *shared = MAP_FAILED;
    if (file >= 0)
        shared = mmap(NULL, sizeof mutant_nowhere, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    if (shared != MAP_FAILED)
        mutant_reached = shared;
}

__attribute__((no_sanitize("thread"))) static inline _Bool mutant(int number)
{
    mutant_reached[number] = 1;
    return mutant_on == number;
}

#endif
