/* Which instruction set of the host simulated arithmetic uses. */
#include "sim_isa.h"

#include "log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static enum sim_isa chosen;

static void choose(void)
{
    static const char *const names[SIM_ISA_COUNT] = {"base", "avx2", "avx512"};
    const char *wanted = getenv("ANYHIP_SIM_ISA");
    enum sim_isa best = SIM_ISAS_COMPILED - 1;
    while (best > SIM_ISA_BASE && !sim_isa_has(best))
        best--;
    chosen = best;
    if (!wanted || !*wanted)
        return;
    for (enum sim_isa isa = SIM_ISA_BASE; isa <= best; ++isa)
        if (strcmp(wanted, names[isa]) == 0) {
            chosen = isa;
            return;
        }
    AH_LOG_WARN("ANYHIP_SIM_ISA=%s: this machine has no such instruction set, using %s", wanted,
                names[best]);
}

enum sim_isa sim_isa(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose);
    return chosen;
}
