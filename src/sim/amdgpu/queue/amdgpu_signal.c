/* Owns signals: their values, and the threads that sleep until one changes.
 *
 * A waiter links itself to the bucket of each of its signals and checks the values once more before
 * it sleeps; a writer changes the value and then checks whether the bucket has waiters. Both orders
 * are sequentially consistent, so at least one of the two sees the other. */
#include "amdgpu_queue.h"
#include "amdgpu_watch.h"
#include "clocks.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BUCKETS = 64, LINKS_ON_STACK = 16 };
enum { LOOKS = 100 }; /* checks of the values before a waiter sleeps: a few microseconds */
enum { LOOK_AGAIN_MIN_NS = 1000000, LOOK_AGAIN_MAX_NS = 64000000 };

/* reserved1: other processes change it, and wake no thread of this one */
enum { SHARED = 0x64726873 };

struct sleeper {
    _Atomic(uint32_t) woken;
};

struct link {
    const amd_signal_t *signal;
    struct sleeper *sleeper;
    struct link *next, **back;
};

struct bucket {
    pthread_mutex_t lock;
    _Atomic(unsigned) count;
    struct link *first;
};

static struct bucket buckets[BUCKETS] = {
    [0 ... BUCKETS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER},
};

/* ---- sleeping and waking ------------------------------------------------------------- */

static struct bucket *bucket_of(const amd_signal_t *signal)
{
    uint64_t hash = (uint64_t)(uintptr_t)signal / sizeof *signal * UINT64_C(0x9e3779b97f4a7c15);
    return &buckets[hash >> 58];
}

static void sleep_for(struct sleeper *sleeper, uint64_t ns)
{
    struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    syscall(SYS_futex, &sleeper->woken, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0);
}

/* Called under the lock of a bucket that the waiter is linked to; otherwise it might not exist any
 * more. */
static void wake(struct sleeper *sleeper)
{
    if (atomic_exchange(&sleeper->woken, 1) == 0)
        syscall(SYS_futex, &sleeper->woken, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* signal NULL: all waiters of the bucket. */
static void wake_bucket(struct bucket *bucket, const amd_signal_t *signal)
{
    if (atomic_load(&bucket->count) == 0)
        return;
    pthread_mutex_lock(&bucket->lock);
    for (struct link *link = bucket->first; link; link = link->next)
        if (!signal || link->signal == signal)
            wake(link->sleeper);
    pthread_mutex_unlock(&bucket->lock);
}

static void changed(const amd_signal_t *signal)
{
    wake_bucket(bucket_of(signal), signal);
}

void amdgpu_signals_changed(void)
{
    for (int i = 0; i < BUCKETS; i++)
        wake_bucket(&buckets[i], NULL);
}

static void join_bucket(struct link *link)
{
    struct bucket *bucket = bucket_of(link->signal);
    pthread_mutex_lock(&bucket->lock);
    link->next = bucket->first;
    link->back = &bucket->first;
    if (link->next)
        link->next->back = &link->next;
    bucket->first = link;
    atomic_fetch_add(&bucket->count, 1);
    pthread_mutex_unlock(&bucket->lock);
}

static void leave_bucket(struct link *link)
{
    struct bucket *bucket = bucket_of(link->signal);
    pthread_mutex_lock(&bucket->lock);
    *link->back = link->next;
    if (link->next)
        link->next->back = link->back;
    atomic_fetch_sub(&bucket->count, 1);
    pthread_mutex_unlock(&bucket->lock);
}

/* ---- values ----------------------------------------------------------------------------- */

void amdgpu_signal_init(amd_signal_t *signal, int64_t value)
{
    memset(signal, 0, sizeof *signal);
    signal->kind = AMD_SIGNAL_KIND_USER;
    /* A kernel that changes a signal with a mailbox stores event_id there and interrupts the host.
     * The mailbox is not read: an interrupt makes all waiters check their signals. */
    signal->event_mailbox_ptr = (uint64_t)(uintptr_t)signal->reserved3;
    __atomic_store_n(&signal->value, value, __ATOMIC_SEQ_CST);
}

void amdgpu_signal_init_shared(amd_signal_t *signal, int64_t value)
{
    memset(signal, 0, sizeof *signal);
    signal->kind = AMD_SIGNAL_KIND_USER;
    signal->reserved1 = SHARED; /* and no mailbox: its address would be of one process */
    __atomic_store_n(&signal->value, value, __ATOMIC_SEQ_CST);
}

int64_t amdgpu_signal_load(const amd_signal_t *signal)
{
    return __atomic_load_n(&signal->value, __ATOMIC_SEQ_CST);
}

void amdgpu_signal_store(amd_signal_t *signal, int64_t value)
{
    __atomic_store_n(&signal->value, value, __ATOMIC_SEQ_CST);
    changed(signal);
}

void amdgpu_signal_add(amd_signal_t *signal, int64_t value)
{
    __atomic_fetch_add(&signal->value, value, __ATOMIC_SEQ_CST);
    changed(signal);
}

int64_t amdgpu_signal_exchange(amd_signal_t *signal, int64_t value)
{
    int64_t old = __atomic_exchange_n(&signal->value, value, __ATOMIC_SEQ_CST);
    changed(signal);
    return old;
}

int64_t amdgpu_signal_cas(amd_signal_t *signal, int64_t expected, int64_t value)
{
    if (__atomic_compare_exchange_n(&signal->value, &expected, value, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST))
        changed(signal);
    return expected;
}

void amdgpu_signal_and(amd_signal_t *signal, int64_t value)
{
    __atomic_fetch_and(&signal->value, value, __ATOMIC_SEQ_CST);
    changed(signal);
}

void amdgpu_signal_or(amd_signal_t *signal, int64_t value)
{
    __atomic_fetch_or(&signal->value, value, __ATOMIC_SEQ_CST);
    changed(signal);
}

void amdgpu_signal_xor(amd_signal_t *signal, int64_t value)
{
    __atomic_fetch_xor(&signal->value, value, __ATOMIC_SEQ_CST);
    changed(signal);
}

bool amdgpu_signal_satisfies(int64_t value, hsa_signal_condition_t condition, int64_t compare)
{
    switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ:
        return value == compare;
    case HSA_SIGNAL_CONDITION_NE:
        return value != compare;
    case HSA_SIGNAL_CONDITION_LT:
        return value < compare;
    case HSA_SIGNAL_CONDITION_GTE:
        return value >= compare;
    }
    return false;
}

/* ---- waiting ----------------------------------------------------------------------- */

static size_t first_met(const struct amdgpu_watch *watch, int64_t *out_value)
{
    size_t i = 0;
    for (; i < watch->count; i++) {
        int64_t mask = watch->masks ? watch->masks[i] : -1;
        *out_value = amdgpu_signal_load(watch->signals[i]);
        if (amdgpu_signal_satisfies(*out_value & mask, watch->conditions[i], watch->compare[i]))
            break;
    }
    return i;
}

static size_t spin(const struct amdgpu_watch *watch, int64_t *out_value)
{
    size_t met = first_met(watch, out_value);
    for (size_t looks = watch->count; looks < LOOKS && met == watch->count; looks += watch->count) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
        met = first_met(watch, out_value);
    }
    return met;
}

static bool has_shared(const struct amdgpu_watch *watch)
{
    for (size_t i = 0; i < watch->count; i++)
        if (watch->signals[i]->reserved1 == SHARED)
            return true;
    return false;
}

/* Sleeps for increasing intervals, since a kernel or a program may write a value without waking
 * anyone. */
static size_t sleep_until(const struct amdgpu_watch *watch, uint64_t end, struct sleeper *sleeper,
                          int64_t *out_value)
{
    uint64_t longest = has_shared(watch) ? LOOK_AGAIN_MIN_NS : LOOK_AGAIN_MAX_NS;
    for (uint64_t piece = LOOK_AGAIN_MIN_NS;; piece *= 2) {
        size_t met = first_met(watch, out_value);
        uint64_t now = ah_clock_now(), left = end > now ? end - now : 0;
        if (met < watch->count || left == 0)
            return met;
        if (piece > longest)
            piece = longest;
        sleep_for(sleeper, left < piece ? left : piece);
        atomic_store(&sleeper->woken, 0); /* before the values are looked at */
    }
}

static size_t sleep_linked(const struct amdgpu_watch *watch, uint64_t end, int64_t *out_value)
{
    struct sleeper sleeper = {0};
    struct link few[LINKS_ON_STACK];
    /* Out of memory: the waiter is not linked, and polls. */
    struct link *links =
        watch->count <= LINKS_ON_STACK ? few : malloc(watch->count * sizeof *links);
    for (size_t i = 0; i < watch->count && links; i++) {
        links[i] = (struct link){.signal = watch->signals[i], .sleeper = &sleeper};
        join_bucket(&links[i]);
    }
    size_t met = sleep_until(watch, end, &sleeper, out_value);
    for (size_t i = 0; i < watch->count && links; i++)
        leave_bucket(&links[i]);
    if (links != few)
        free(links);
    return met;
}

size_t amdgpu_watch_wait(const struct amdgpu_watch *watch, uint64_t timeout_ns, int64_t *out_value)
{
    int64_t value = 0;
    uint64_t start = ah_clock_now();
    uint64_t end = timeout_ns > UINT64_MAX - start ? UINT64_MAX : start + timeout_ns;
    size_t met = timeout_ns > 0 ? spin(watch, &value) : first_met(watch, &value);
    if (met == watch->count && timeout_ns > 0)
        met = sleep_linked(watch, end, &value);
    if (out_value)
        *out_value = value;
    return met;
}

size_t amdgpu_signal_wait(amd_signal_t *const *signals, const hsa_signal_condition_t *conditions,
                          const int64_t *compare, size_t count, uint64_t timeout_ns,
                          int64_t *out_value)
{
    struct amdgpu_watch watch = {signals, conditions, compare, NULL, count};
    return amdgpu_watch_wait(&watch, timeout_ns, out_value);
}
