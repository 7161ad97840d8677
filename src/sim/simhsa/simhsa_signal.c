/* Owns signals: their memory, which of them are live, and the functions on their values. */
#include "simhsa_runtime.h"

#include <stdlib.h>
#include <string.h>

/* All signals except those that processes share are in one allocation that devices can access, so
 * that a handle is validated by its index and by one word per signal. The words of shared signals
 * follow the others'. */
enum {
    SIGNALS_MAX = 1 << 20,
    RESTING = 1024,          /* free signals before one is reused */
    INTERNAL = 1 << 30,      /* the program cannot destroy it */
    BUSY = 1 << 29,          /* no thread sleeps until it changes: waiters poll it */
    COPIED = 1 << 28,        /* has the times of a copy */
    HOLDS_MASK = COPIED - 1, /* the number of references */
};
#define LIVE (UINT32_C(1) << 31)

static struct {
    pthread_mutex_t lock; /* of all but the words */
    struct sim_memory *memory;
    amd_signal_t *signals;
    _Atomic(uint32_t) *words;
    uint32_t *free; /* a ring of indices, which are reused late */
    uint32_t free_first, free_count, fresh;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

_Static_assert(sizeof(amd_signal_t) == 64, "as kernels know it");

bool simhsa_signals_open(void)
{
    all.memory = sim_memory_create(SIM_MEMORY_HOST, -1, SIGNALS_MAX * sizeof(amd_signal_t), 4096);
    all.words = calloc(SIGNALS_MAX + SIMHSA_SHARED_MAX, sizeof *all.words);
    all.free = calloc(SIGNALS_MAX, sizeof *all.free);
    if (!all.memory || !all.words || !all.free || !simhsa_shared_open())
        return false;
    all.signals = (amd_signal_t *)(void *)all.memory->view;
    return true;
}

/* SIGNALS_MAX + SIMHSA_SHARED_MAX: address is not that of a signal. */
static uint32_t index_at(uint64_t address)
{
    uint64_t offset = address - (uintptr_t)all.signals;
    if (offset / sizeof(amd_signal_t) >= SIGNALS_MAX)
        return SIGNALS_MAX + simhsa_shared_index(address);
    return offset % sizeof(amd_signal_t) == 0 ? (uint32_t)(offset / sizeof(amd_signal_t))
                                              : SIGNALS_MAX + SIMHSA_SHARED_MAX;
}

static uint32_t index_of(const amd_signal_t *signal)
{
    return index_at((uintptr_t)signal);
}

/* SIGNALS_MAX: none left. */
static uint32_t acquire_index(void)
{
    uint32_t index = SIGNALS_MAX;
    pthread_mutex_lock(&all.lock);
    if (all.fresh < SIGNALS_MAX && all.free_count < RESTING) {
        index = all.fresh++;
    } else if (all.free_count > 0) {
        index = all.free[all.free_first];
        all.free_first = (all.free_first + 1) % SIGNALS_MAX;
        all.free_count--;
    }
    pthread_mutex_unlock(&all.lock);
    return index;
}

static void release_index(uint32_t index)
{
    if (index >= SIGNALS_MAX) {
        simhsa_shared_end(index - SIGNALS_MAX);
        return;
    }
    pthread_mutex_lock(&all.lock);
    all.free[(all.free_first + all.free_count++) % SIGNALS_MAX] = index;
    pthread_mutex_unlock(&all.lock);
}

amd_signal_t *simhsa_signal_new(int64_t value, bool internal)
{
    uint32_t index = acquire_index();
    if (index == SIGNALS_MAX)
        return NULL;
    amd_signal_t *signal = &all.signals[index];
    memset(signal, 0, sizeof *signal);
    amdgpu_signal_init(signal, value);
    atomic_store(&all.words[index], LIVE | (internal ? INTERNAL : 0));
    return signal;
}

amd_signal_t *simhsa_signal_enter_shared(uint32_t index)
{
    atomic_store(&all.words[SIGNALS_MAX + index], LIVE | BUSY);
    return simhsa_shared_at(index);
}

static void set_flag(const amd_signal_t *signal, uint32_t flag)
{
    atomic_fetch_or(&all.words[index_of(signal)], flag);
}

static bool has_flag(const amd_signal_t *signal, uint32_t flag)
{
    return atomic_load_explicit(&all.words[index_of(signal)], memory_order_acquire) & flag;
}

bool simhsa_signal_is_busy(const amd_signal_t *signal)
{
    return has_flag(signal, BUSY);
}

bool simhsa_signal_copied(const amd_signal_t *signal)
{
    return has_flag(signal, COPIED);
}

void simhsa_signal_set_copied(const amd_signal_t *signal)
{
    set_flag(signal, COPIED);
}

void simhsa_signal_free(amd_signal_t *signal)
{
    if (!signal)
        return;
    uint32_t before = atomic_fetch_and(&all.words[index_of(signal)], HOLDS_MASK);
    if ((before & HOLDS_MASK) == 0)
        release_index(index_of(signal));
    else
        simhsa_watchers_poll();
}

void simhsa_signals_close(void)
{
    for (uint32_t i = 0; i < all.fresh; i++)
        if (atomic_load(&all.words[i]) & LIVE)
            simhsa_signal_free(&all.signals[i]);
    for (uint32_t i = 0; i < SIMHSA_SHARED_MAX; i++)
        if (atomic_load(&all.words[SIGNALS_MAX + i]) & LIVE)
            simhsa_signal_free(simhsa_shared_at(i));
}

static bool is_programs(uint32_t index)
{
    return (atomic_load(&all.words[index]) & (LIVE | INTERNAL)) == LIVE;
}

unsigned simhsa_signals_left(void)
{
    unsigned count = 0;
    if (!all.words)
        return 0; /* the runtime was never initialised */
    for (uint32_t i = 0; i < all.fresh; i++)
        count += is_programs(i);
    for (uint32_t i = 0; i < SIMHSA_SHARED_MAX; i++)
        count += is_programs(SIGNALS_MAX + i);
    return count;
}

bool simhsa_signal_is_live(const amd_signal_t *signal)
{
    return atomic_load_explicit(&all.words[index_of(signal)], memory_order_acquire) & LIVE;
}

amd_signal_t *simhsa_signal_get(hsa_signal_t handle)
{
    uint32_t index = index_at(handle.handle);
    if (index == SIGNALS_MAX + SIMHSA_SHARED_MAX || !simhsa_is_running())
        return NULL;
    amd_signal_t *signal = (amd_signal_t *)(uintptr_t)handle.handle;
    return simhsa_signal_is_live(signal) ? signal : NULL;
}

amd_signal_t *simhsa_signal_retain(hsa_signal_t handle)
{
    amd_signal_t *signal = simhsa_signal_get(handle);
    uint32_t word = signal ? atomic_load(&all.words[index_of(signal)]) : 0;
    while (word & LIVE)
        if (atomic_compare_exchange_weak(&all.words[index_of(signal)], &word, word + 1))
            return signal;
    return NULL;
}

void simhsa_signal_release(amd_signal_t *signal)
{
    uint32_t before = atomic_fetch_sub(&all.words[index_of(signal)], 1);
    if (before == 1) /* destroyed, and not referenced by any other thread */
        release_index(index_of(signal));
}

/* ---- making them -------------------------------------------------------------------------- */

static bool is_listed(hsa_agent_t agent, const hsa_agent_t *agents, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (agents[i].handle == agent.handle)
            return true;
    return false;
}

/* The choice of AMD's runtime, given the consumers: a signal with an event if the CPU, which
 * sleeps, is one of them; another kind for GPUs only. It does not check whether the agents are
 * valid. */
static hsa_status_t create(hsa_signal_value_t value, uint32_t consumer_count,
                           const hsa_agent_t *consumers, bool busy, hsa_signal_t *out)
{
    if (!out || (consumer_count > 0 && !consumers && !busy))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (uint32_t i = 1; i < consumer_count && !busy; i++)
        if (is_listed(consumers[i], consumers, i))
            return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (consumer_count > 0 && !busy)
        busy = !is_listed(simhsa_agent_handle(simhsa_cpu()), consumers, consumer_count);
    amd_signal_t *signal = simhsa_signal_new(value, false);
    if (!signal)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    if (busy)
        set_flag(signal, BUSY);
    *out = simhsa_signal_handle(signal);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers,
                               const hsa_agent_t *consumers, hsa_signal_t *signal)
{
    SIMHSA_ENTER();
    return create(initial_value, num_consumers, consumers, false, signal);
}

hsa_status_t hsa_amd_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers,
                                   const hsa_agent_t *consumers, uint64_t attributes,
                                   hsa_signal_t *signal)
{
    SIMHSA_ENTER();
    if (!signal || attributes & ~(uint64_t)(HSA_AMD_SIGNAL_AMD_GPU_ONLY | HSA_AMD_SIGNAL_IPC))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (attributes & HSA_AMD_SIGNAL_IPC) {
        uint32_t index = simhsa_shared_new(initial_value);
        if (index == SIMHSA_SHARED_MAX)
            return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
        *signal = simhsa_signal_handle(simhsa_signal_enter_shared(index));
        return HSA_STATUS_SUCCESS;
    }
    return create(initial_value, num_consumers, consumers, attributes & HSA_AMD_SIGNAL_AMD_GPU_ONLY,
                  signal);
}

hsa_status_t hsa_signal_destroy(hsa_signal_t handle)
{
    SIMHSA_ENTER();
    if (handle.handle == 0)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    amd_signal_t *signal = simhsa_signal_get(handle);
    if (!signal || (atomic_load(&all.words[index_of(signal)]) & INTERNAL)) {
        simhsa_violation("hsa_signal_destroy of 0x%llx, which is not a signal of the program",
                         (unsigned long long)handle.handle);
        return HSA_STATUS_ERROR_INVALID_SIGNAL;
    }
    simhsa_signal_free(signal);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t handle,
                                          volatile hsa_signal_value_t **value_ptr)
{
    SIMHSA_ENTER();
    amd_signal_t *signal = simhsa_signal_get(handle);
    if (!value_ptr)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!signal)
        return simhsa_signal_error(handle);
    if (!simhsa_signal_is_busy(signal)) /* a store to it would wake no sleeping thread */
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *value_ptr = &signal->value;
    return HSA_STATUS_SUCCESS;
}

/* ---- values --------------------------------------------------------------------------------- */

/* The signal that a function without a status was called for. */
static amd_signal_t *signal_of(hsa_signal_t handle, const char *what)
{
    amd_signal_t *signal = simhsa_signal_get(handle);
    if (!signal)
        simhsa_violation("%s of 0x%llx, which is not a signal", what,
                         (unsigned long long)handle.handle);
    return signal;
}

static hsa_signal_value_t load(hsa_signal_t handle)
{
    const amd_signal_t *signal = signal_of(handle, "the value");
    return signal ? amdgpu_signal_load(signal) : 0;
}

static void store(hsa_signal_t handle, hsa_signal_value_t value)
{
    amd_signal_t *signal = signal_of(handle, "a store");
    if (signal)
        amdgpu_signal_store(signal, value);
}

static hsa_signal_value_t exchange(hsa_signal_t handle, hsa_signal_value_t value)
{
    amd_signal_t *signal = signal_of(handle, "an exchange");
    return signal ? amdgpu_signal_exchange(signal, value) : 0;
}

static hsa_signal_value_t cas(hsa_signal_t handle, hsa_signal_value_t expected,
                              hsa_signal_value_t value)
{
    amd_signal_t *signal = signal_of(handle, "a compare-and-swap");
    return signal ? amdgpu_signal_cas(signal, expected, value) : 0;
}

static void change(hsa_signal_t handle, void (*how)(amd_signal_t *signal, int64_t value),
                   hsa_signal_value_t value)
{
    amd_signal_t *signal = signal_of(handle, "a change");
    if (signal)
        how(signal, value);
}

hsa_signal_value_t hsa_signal_load_relaxed(hsa_signal_t signal)
{
    return load(signal);
}

hsa_signal_value_t hsa_signal_load_acquire(hsa_signal_t signal)
{
    return load(signal);
}

hsa_signal_value_t hsa_signal_load_scacquire(hsa_signal_t signal)
{
    return load(signal);
}

void hsa_signal_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value)
{
    store(signal, value);
}

void hsa_signal_store_release(hsa_signal_t signal, hsa_signal_value_t value)
{
    store(signal, value);
}

void hsa_signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value)
{
    store(signal, value);
}

/* No thread needs to be woken, but waking one does no harm. */
void hsa_signal_silent_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value)
{
    store(signal, value);
}

void hsa_signal_silent_store_screlease(hsa_signal_t signal, hsa_signal_value_t value)
{
    store(signal, value);
}

#define SIMHSA_ORDER(order)                                                                        \
    hsa_signal_value_t hsa_signal_exchange_##order(hsa_signal_t signal, hsa_signal_value_t value)  \
    {                                                                                              \
        return exchange(signal, value);                                                            \
    }                                                                                              \
    hsa_signal_value_t hsa_signal_cas_##order(hsa_signal_t signal, hsa_signal_value_t expected,    \
                                              hsa_signal_value_t value)                            \
    {                                                                                              \
        return cas(signal, expected, value);                                                       \
    }                                                                                              \
    void hsa_signal_add_##order(hsa_signal_t signal, hsa_signal_value_t value)                     \
    {                                                                                              \
        change(signal, amdgpu_signal_add, value);                                                  \
    }                                                                                              \
    void hsa_signal_subtract_##order(hsa_signal_t signal, hsa_signal_value_t value)                \
    {                                                                                              \
        change(signal, amdgpu_signal_add, (int64_t)(0 - (uint64_t)value));                         \
    }                                                                                              \
    void hsa_signal_and_##order(hsa_signal_t signal, hsa_signal_value_t value)                     \
    {                                                                                              \
        change(signal, amdgpu_signal_and, value);                                                  \
    }                                                                                              \
    void hsa_signal_or_##order(hsa_signal_t signal, hsa_signal_value_t value)                      \
    {                                                                                              \
        change(signal, amdgpu_signal_or, value);                                                   \
    }                                                                                              \
    void hsa_signal_xor_##order(hsa_signal_t signal, hsa_signal_value_t value)                     \
    {                                                                                              \
        change(signal, amdgpu_signal_xor, value);                                                  \
    }
#include "simhsa_orders.def"
#undef SIMHSA_ORDER
