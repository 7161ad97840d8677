/* Where lanes of a warp may wait while others of it execute.
 *
 * Lanes part at a branch, and the interpreter executes those that are furthest behind first
 * (ptx_warp.c), so that the others wait at the beginnings of lines that are further on. Here is
 * which: for each line, those at which lanes may be waiting while others execute it, and where the
 * warp may go on when it comes to a line while some wait further behind. Lines are numbered in the
 * interpreter's order, so that lanes always wait at lines with higher numbers.
 *
 * A result that no lane that waits will read can be written for all lanes. */
#ifndef PTX_PARTS_H
#define PTX_PARTS_H

#include "ptx_exec.h"
#include "ptx_facts.h"
#include "ptx_live.h"
#include "ptx_region.h"

struct ptx_parts;

enum { PTX_NO_LINE = UINT32_MAX };

/* Lanes part nowhere yet. live: NULL or as long as the parts. NULL: the function is too large, or
 * there is no memory: lanes must part nowhere. */
struct ptx_parts *ptx_parts_create(const struct ptx_code *code, const struct ptx_live *live);
void ptx_parts_destroy(struct ptx_parts *parts); /* accepts NULL */

/* Lanes may part at each branch whose predicate is not known to be the same in all. Returns whether
 * there are more such branches than before. */
bool ptx_parts_grow(struct ptx_parts *parts, const struct ptx_facts *facts);

/* Whether lanes may part at a branch. */
bool ptx_parts_may(const struct ptx_parts *parts, const struct ptx_op *branch);
/* The number of the line that begins at op, or PTX_NO_LINE; and where a line begins. */
uint32_t ptx_parts_line(const struct ptx_parts *parts, const struct ptx_op *op);
const struct ptx_op *ptx_parts_begin(const struct ptx_parts *parts, uint32_t line);
/* The first line from one on at which lanes may wait while others execute op, or PTX_NO_LINE. */
uint32_t ptx_parts_next(const struct ptx_parts *parts, const struct ptx_op *op, uint32_t line);
/* Whether one of them may still read the slot that begins at offset. */
bool ptx_parts_reads(const struct ptx_parts *parts, const struct ptx_op *op, uint32_t offset);
/* Whether what op writes has to leave what waiting lanes have. */
bool ptx_parts_keeps(const struct ptx_parts *parts, const struct ptx_op *op,
                     const struct ptx_form *form);

#endif
