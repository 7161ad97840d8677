/* Private to jit: stops threads that compile for good, so that a process can end while LLVM works.
 * LLVM's static objects are destroyed then, and a thread that goes on would use them; a region may
 * take seconds.
 *
 * A thread is stopped by a signal, where it executes code of libLLVM's own: it holds no lock of
 * the C library there, such as malloc's, which the end of the process needs. */
#ifndef JIT_PARK_H
#define JIT_PARK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* The signal, which the threads must not block: one that Linux does not send. */
int jit_park_signal(void);

/* Takes the code that a function of libLLVM is in to be all of libLLVM's. */
void jit_park_in(void (*function)(void));

/* Takes over the signal until jit_park_end(). False: the program has a use for it, or libLLVM's
 * code was not found, or threads cannot be parked here (under ThreadSanitizer, which delays
 * signals). */
bool jit_park_begin(void);
void jit_park_end(void);

/* Sends the signal to a thread, which sets *parked when it is stopped. Returns whether it is: a
 * signal that comes while it executes something else has no effect, and one may not have come yet.
 */
bool jit_park_try(pthread_t thread, atomic_bool *parked);

#endif
