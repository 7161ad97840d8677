/* Owns parking threads that compile. */
#include "jit_park.h"

#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static struct {
    uintptr_t begin, end; /* of libLLVM's code */
} code;
static struct sigaction before;

int jit_park_signal(void)
{
    return SIGSTKFLT;
}

/* ---- libLLVM's code -------------------------------------------------------------------------- */

static int find(struct dl_phdr_info *object, size_t size, void *function)
{
    (void)size;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
            (uintptr_t)function - begin < segment->p_memsz) {
            code.begin = begin;
            code.end = begin + segment->p_memsz;
            return 1;
        }
    }
    return 0;
}

void jit_park_in(void (*function)(void))
{
    void *address;
    memcpy(&address, &function, sizeof address);
    dl_iterate_phdr(find, address);
}

/* ---- parking --------------------------------------------------------------------------------- */

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)

static void park(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    uintptr_t at = (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (at < code.begin || at >= code.end)
        return;
    atomic_store((atomic_bool *)info->si_value.sival_ptr, true);
    for (;;)
        pause();
}

bool jit_park_begin(void)
{
    struct sigaction action = {.sa_sigaction = park, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigfillset(&action.sa_mask);
    if (!code.begin || sigaction(jit_park_signal(), NULL, &before) != 0 ||
        before.sa_handler != SIG_DFL)
        return false;
    return sigaction(jit_park_signal(), &action, NULL) == 0;
}

#else

bool jit_park_begin(void)
{
    return false;
}

#endif

void jit_park_end(void)
{
    sigaction(jit_park_signal(), &before, NULL);
}

bool jit_park_try(pthread_t thread, atomic_bool *parked)
{
    const union sigval value = {.sival_ptr = parked};
    return pthread_sigqueue(thread, jit_park_signal(), value) == 0 && atomic_load(parked);
}
