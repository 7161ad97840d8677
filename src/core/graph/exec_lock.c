/* Owns the waits for the lock of an executable graph. */
#include "exec_lock.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void ah_exec_lock_wait(struct ah_exec_lock *lock)
{
    while (atomic_exchange_explicit(&lock->state, 2, memory_order_acquire) != 0)
        syscall(SYS_futex, &lock->state, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

void ah_exec_lock_wake(struct ah_exec_lock *lock)
{
    syscall(SYS_futex, &lock->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
