/* What a driver does for the end of the process; apart from jit.h, of which it needs nothing. */
#ifndef JIT_EXIT_H
#define JIT_EXIT_H

/* Makes exit() wait for regions that are being compiled, or stop the threads that compile them for
 * good, before it destroys any object of LLVM's. LLVM makes such objects while it compiles, and
 * what atexit() has registered before them is called after their destructors; a thread's own
 * destructors are called before all of them, but only those of the thread that calls exit().
 * Drivers call this where a program initialises them, which the main thread does as a rule; in
 * other threads it does nothing. Cheap to call again. */
void jit_wait_at_exit(void);

#endif
