/* Private to backend_cuda: CUPTI, NVIDIA's library for profilers, which reports what devices do
 * with times. There is one in a process, for all devices, and it has one user at a time. */
#ifndef AHCUDA_CUPTI_H
#define AHCUDA_CUPTI_H

#include "cuda_backend.h"
#include "cupti_abi.h"

/* One pointer per row of cupti_symbols.def. */
struct ahcuda_cupti {
#define CUPTI_SYMBOL(need, field, parameters) CUptiResult(*field) parameters;
#include "cupti_symbols.def"
#undef CUPTI_SYMBOL
};

/* What CUPTI reports. Any thread. */
struct ahcuda_cupti_user {
    /* One at a time. Its times are those of ah_clock_now. */
    void (*record)(const CUpti_Activity *record);
    /* An executable graph that the calling thread instantiates has a node of this number, made from
     * that one. */
    void (*cloned)(CUgraphNode from, uint64_t node);
    void (*lost)(uint64_t count); /* of records, at least */
    /* The process ends, and CUPTI with it: no function of it may be called after this one. */
    void (*ending)(void);
};

/* Opens CUPTI and begins to take records, or logs why not and returns NULL. A caller that has begun
 * calls ahcuda_cupti_stop as often, with the same user. */
const struct ahcuda_cupti *ahcuda_cupti_start(struct ah_backend_device *device,
                                              const struct ahcuda_cupti_user *user);
/* After the last of them no record comes any more, CUPTI is left to others, and work costs what it
 * costs without it. */
void ahcuda_cupti_stop(void);

/* Gives the user the records of what is done. */
void ahcuda_cupti_flush(void);

/* Whether a call succeeded; the first failure of those that share said is logged. */
bool ahcuda_cupti_check(_Atomic bool *said, const char *what, CUptiResult result);

#endif
