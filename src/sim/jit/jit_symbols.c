/* Owns the functions of the C library that LLVM's code calls by itself, or that bitcode may call.
 */
#include "jit_symbols.h"

#include <math.h>
#include <string.h>

#define ROW(name)                                                                                  \
    {                                                                                              \
#name, (void (*)(void))name                                                                \
    }
static const struct wave_symbol c_library[] = {
    ROW(memcpy), ROW(memmove),    ROW(memset),     ROW(memcmp), ROW(fma),    ROW(fmaf),
    ROW(fmin),   ROW(fminf),      ROW(fmax),       ROW(fmaxf),  ROW(floor),  ROW(floorf),
    ROW(ceil),   ROW(ceilf),      ROW(trunc),      ROW(truncf), ROW(rint),   ROW(rintf),
    ROW(round),  ROW(roundf),     ROW(nearbyint),  ROW(ldexp),  ROW(ldexpf), ROW(frexp),
    ROW(frexpf), ROW(nearbyintf), ROW(roundevenf), ROW(sqrt),   ROW(sqrtf),  ROW(roundeven),
    ROW(exp2),   ROW(exp2f),      ROW(log2),       ROW(log2f),  ROW(sin),    ROW(sinf),
    ROW(cos),    ROW(cosf),       ROW(exp),        ROW(expf),   ROW(log),    ROW(logf),
    ROW(pow),    ROW(powf),       ROW(fmod),       ROW(fmodf),  ROW(tanh),   ROW(tanhf),
    ROW(scalbn), ROW(scalbnf),    ROW(ilogb),      ROW(ilogbf),
};
#undef ROW

static void *find(const struct wave_symbol *symbols, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(symbols[i].name, name) == 0) {
            void *address;
            memcpy(&address, &symbols[i].address, sizeof address);
            return address;
        }
    return NULL;
}

void *jit_symbol(const struct wave_machine *machine, const char *name)
{
    void *address = find(machine->symbols, machine->symbol_count, name);
    return address ? address : find(c_library, sizeof c_library / sizeof *c_library, name);
}
