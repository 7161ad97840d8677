/* The lock of an executable graph, which every launch takes: two atomic operations where nobody
 * waits, a third of what a pthread_mutex_t takes. A thread that waits sleeps. Not recursive; zeros
 * are an unlocked one, and nothing has to be freed. */
#ifndef AH_EXEC_LOCK_H
#define AH_EXEC_LOCK_H

#include <stdatomic.h>

struct ah_exec_lock {
    _Atomic(unsigned) state; /* 0: free; 1: taken; 2: taken, and threads may wait */
};

/* The slow halves. */
void ah_exec_lock_wait(struct ah_exec_lock *lock);
void ah_exec_lock_wake(struct ah_exec_lock *lock);

static inline void ah_exec_lock_take(struct ah_exec_lock *lock)
{
    unsigned expected = 0;
    if (__builtin_expect(!atomic_compare_exchange_strong_explicit(&lock->state, &expected, 1,
                                                                  memory_order_acquire,
                                                                  memory_order_relaxed),
                         0))
        ah_exec_lock_wait(lock);
}

static inline void ah_exec_lock_give(struct ah_exec_lock *lock)
{
    if (__builtin_expect(atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2, 0))
        ah_exec_lock_wake(lock);
}

#endif
