/* Regions and the interpreter from the same state (ANYHIP_SIM_JIT=compare). */
#ifndef PTX_COMPARE_H
#define PTX_COMPARE_H

#include "ptx_region.h"

/* Executes a region and, from a copy of the state, the interpreter up to the op at which the region
 * was left. Where lanes are, what they may still read, and what either has stored have to be the
 * same; the first difference
 * is an error of the log, with the instruction whose result it is, and *out_differs. The state is
 * then the interpreter's. Returns the op to go on with: op, where nothing has happened, as for a
 * region that does more than can be undone. NULL: an access has failed, which was reported.
 *
 * The interpreter goes first, to know what is stored, then the region, then the interpreter again.
 * What other blocks write meanwhile may look like a difference. */
const struct ptx_op *ptx_compare(struct ptx_warp *warp, const struct ptx_op *op,
                                 const struct ptx_known *known, ptx_handler region,
                                 bool *out_differs);

#endif
