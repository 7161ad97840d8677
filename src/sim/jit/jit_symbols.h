/* Private to jit: functions outside of a region's code that it may call. */
#ifndef JIT_SYMBOLS_H
#define JIT_SYMBOLS_H

#include "wave.h"

/* The address of a function of the machine, or of the C library. NULL: it is neither. */
void *jit_symbol(const struct wave_machine *machine, const char *name);

#endif
