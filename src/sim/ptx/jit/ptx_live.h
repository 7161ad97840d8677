/* Which slots of a function may still be read, at each op: what a region need not write back. */
#ifndef PTX_LIVE_H
#define PTX_LIVE_H

#include "ptx_exec.h"
#include "wave.h"

struct ptx_live;

/* NULL: the function is too large, or there is no memory: all slots are live. */
struct ptx_live *ptx_live_create(const struct ptx_code *code);
/* The same of slots in which one NaN may still be told from another: what only takes values as
 * numbers does not count as reading them. */
struct ptx_live *ptx_live_create_nans(const struct ptx_code *code);
void ptx_live_destroy(struct ptx_live *live); /* accepts NULL */

/* Whether a lane that goes on at op may read the slot that begins at offset before it writes it. */
bool ptx_live_at(const struct ptx_live *live, const struct ptx_op *op, uint32_t offset);

/* Slots of the function's ops, each once. */
const struct wave_slot *ptx_live_slots(const struct ptx_live *live, unsigned *out_count);

#endif
