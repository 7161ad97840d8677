/* Owns signals that processes share: each lies in a page of a file of its own, which others open
 * and map; and their handles. */
#include "process.h"
#include "simhsa_runtime.h"

#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* The contents of the page. */
struct shared {
    amd_signal_t signal;
    uint64_t mark;
};
#define SIGNAL_MARK UINT64_C(0x6c616e6769734841)

/* The contents of a handle. */
struct exported {
    uint32_t mark, pid;
    int32_t file;
    uint32_t unused[3];
    uint64_t file_id;
};
enum { HANDLE_MARK = 0x41484973 };
_Static_assert(sizeof(struct exported) == sizeof(hsa_amd_ipc_signal_t), "a handle has 32 bytes");

/* The pages are contiguous, so that a handle is validated by its index. */
static struct {
    pthread_mutex_t lock;
    unsigned char *pages;
    unsigned next;
    struct {
        struct sim_memory *memory; /* NULL: nothing is mapped there */
        int file;
    } table[SIMHSA_SHARED_MAX];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool simhsa_shared_open(void)
{
    void *pages = mmap(NULL, (size_t)SIMHSA_SHARED_MAX * PAGE, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    all.pages = pages != MAP_FAILED ? pages : NULL;
    return all.pages != NULL;
}

amd_signal_t *simhsa_shared_at(uint32_t index)
{
    return &((struct shared *)(void *)(all.pages + (size_t)index * PAGE))->signal;
}

uint32_t simhsa_shared_index(uint64_t address)
{
    uint64_t offset = address - (uintptr_t)all.pages;
    return offset % PAGE == 0 && offset / PAGE < SIMHSA_SHARED_MAX ? (uint32_t)(offset / PAGE)
                                                                   : SIMHSA_SHARED_MAX;
}

/* ---- mapping ----------------------------------------------------------------------- */

/* Under the lock. SIMHSA_SHARED_MAX: none is left. Pages are reused as late as possible. */
static uint32_t unused_page(void)
{
    for (unsigned tries = 0; tries < SIMHSA_SHARED_MAX; tries++) {
        uint32_t index = all.next++ % SIMHSA_SHARED_MAX;
        if (!all.table[index].memory)
            return index;
    }
    return SIMHSA_SHARED_MAX;
}

/* Under the lock. Memory remains at these addresses: a kernel that still accesses them does no
 * harm. */
static void unmap(uint32_t index)
{
    sim_memory_destroy(all.table[index].memory);
    all.table[index].memory = NULL;
    (void)mmap(all.pages + (size_t)index * PAGE, PAGE, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* Takes ownership of file. SIMHSA_SHARED_MAX: it cannot be mapped. */
static uint32_t map(int file)
{
    if (file < 0)
        return SIMHSA_SHARED_MAX;
    pthread_mutex_lock(&all.lock);
    uint32_t index = unused_page();
    if (index < SIMHSA_SHARED_MAX) {
        void *page = all.pages + (size_t)index * PAGE;
        if (mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == page)
            all.table[index].memory = sim_memory_register(page, PAGE);
        if (!all.table[index].memory) {
            unmap(index);
            index = SIMHSA_SHARED_MAX;
        }
    }
    if (index < SIMHSA_SHARED_MAX)
        all.table[index].file = file;
    else
        close(file);
    pthread_mutex_unlock(&all.lock);
    return index;
}

uint32_t simhsa_shared_new(int64_t value)
{
    uint32_t index = map(ah_sealed_file_create("a simulated signal", PAGE, false));
    if (index == SIMHSA_SHARED_MAX)
        return index;
    struct shared *shared = (struct shared *)(void *)simhsa_shared_at(index);
    amdgpu_signal_init_shared(&shared->signal, value);
    shared->mark = SIGNAL_MARK;
    return index;
}

void simhsa_shared_end(uint32_t index)
{
    pthread_mutex_lock(&all.lock);
    int file = all.table[index].file;
    unmap(index);
    pthread_mutex_unlock(&all.lock);
    close(file);
}

/* ---- handles ----------------------------------------------------------------------- */

hsa_status_t hsa_amd_ipc_signal_create(hsa_signal_t handle, hsa_amd_ipc_signal_t *out)
{
    SIMHSA_ENTER();
    if (!out)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    amd_signal_t *signal = simhsa_signal_retain(handle);
    if (!signal)
        return simhsa_signal_error(handle);
    uint32_t index = simhsa_shared_index(handle.handle);
    if (index < SIMHSA_SHARED_MAX) {
        int file = all.table[index].file; /* as long as the signal is held */
        const struct exported exported = {.mark = HANDLE_MARK,
                                          .pid = (uint32_t)getpid(),
                                          .file = file,
                                          .file_id = ah_sealed_file_id(file)};
        memcpy(out, &exported, sizeof exported);
    }
    simhsa_signal_release(signal);
    return index < SIMHSA_SHARED_MAX ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* Each time that it is attached it is another signal of this process, with the same value. */
hsa_status_t hsa_amd_ipc_signal_attach(const hsa_amd_ipc_signal_t *handle, hsa_signal_t *signal)
{
    struct exported exported;
    SIMHSA_ENTER();
    if (!handle || !signal)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    memcpy(&exported, handle, sizeof exported);
    uint32_t index = SIMHSA_SHARED_MAX;
    if (exported.mark == HANDLE_MARK)
        index = map(ah_sealed_file_open((int)exported.pid, exported.file, exported.file_id, PAGE));
    if (index == SIMHSA_SHARED_MAX)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    struct shared *shared = (struct shared *)(void *)simhsa_shared_at(index);
    if (shared->mark != SIGNAL_MARK) {
        simhsa_shared_end(index);
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    *signal = simhsa_signal_handle(simhsa_signal_enter_shared(index));
    return HSA_STATUS_SUCCESS;
}
