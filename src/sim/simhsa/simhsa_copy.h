/* What copies share: moving bytes, and the engines that do so when signals are ready. */
#ifndef SIMHSA_COPY_H
#define SIMHSA_COPY_H

#include "simhsa_runtime.h"

/* One side of a copy: its start, and the distances of rows and slices. */
struct simhsa_side {
    uint64_t address;
    size_t row, slice;
};
struct simhsa_box {
    struct simhsa_side dst, src;
    size_t width, height, depth; /* bytes, rows, slices; all > 0 */
    bool by_host;                /* which can also access memory that no device can */
};
/* Whether both sides exist completely. */
bool simhsa_box_is_good(const struct simhsa_box *box);
/* Moves the bytes. False: some of the memory does not exist any more. */
bool simhsa_box_copy(const struct simhsa_box *box);

/* An engine, which executes copies for one agent in order; the bits of hsa_amd_sdma_engine_id_t. */
enum simhsa_engine { SIMHSA_TO_DEVICE, SIMHSA_TO_HOST, SIMHSA_ON_DEVICE, SIMHSA_ENGINES };

/* Work that depends on signals and completes one. */
struct simhsa_after {
    const hsa_signal_t *signals;
    uint32_t count;
    hsa_signal_t completion;
};
/* Begins when all signals are 0 or less; then the completion signal is decremented, or becomes -1
 * when memory or a signal no longer exists. box NULL: nothing is moved. */
hsa_status_t simhsa_copy_submit(const struct simhsa_agent *agent, enum simhsa_engine engine,
                                const struct simhsa_box *box, const struct simhsa_after *after);
/* Whether signals get timestamps of the copies that begin from now on. */
void simhsa_copies_profile(bool on);
/* Whether an engine is idle. */
bool simhsa_engine_is_idle(const struct simhsa_agent *agent, enum simhsa_engine engine);

#endif
