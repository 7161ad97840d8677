/* What copies share: bytes that are moved, and the engines that move them after signals. */
#ifndef SIMHSA_COPY_H
#define SIMHSA_COPY_H

#include "simhsa_runtime.h"

/* One side of a copy: where it begins, and from a row and a slice to the next. */
struct simhsa_side {
    uint64_t address;
    size_t row, slice;
};
struct simhsa_box {
    struct simhsa_side dst, src;
    size_t width, height, depth; /* bytes, rows, slices; all > 0 */
    bool by_host;                /* which also reaches memory that no device does */
};
/* Whether all of both sides is there. */
bool simhsa_box_is_good(const struct simhsa_box *box);
/* Moves it. False: something of it is not there any more. */
bool simhsa_box_copy(const struct simhsa_box *box);

/* What does some copies for one agent, in their order; the bits of hsa_amd_sdma_engine_id_t. */
enum simhsa_engine { SIMHSA_TO_DEVICE, SIMHSA_TO_HOST, SIMHSA_ON_DEVICE, SIMHSA_ENGINES };

/* What depends on signals and completes one. */
struct simhsa_after {
    const hsa_signal_t *signals;
    uint32_t count;
    hsa_signal_t completion;
};
/* Begins when all signals are 0 or less; then the completion signal is decremented, or becomes
 * -1 when something is gone. box NULL: nothing is moved. */
hsa_status_t simhsa_copy_submit(const struct simhsa_agent *agent, enum simhsa_engine engine,
                                const struct simhsa_box *box, const struct simhsa_after *after);
/* Whether signals get the times of copies that begin from now on. */
void simhsa_copies_profile(bool on);
/* Whether an engine has nothing to do. */
bool simhsa_engine_is_idle(const struct simhsa_agent *agent, enum simhsa_engine engine);

#endif
