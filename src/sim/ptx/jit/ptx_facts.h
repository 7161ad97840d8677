/* What is known about the values of a warp's lanes: that they are the same, or in a row, in all
 * lanes or in each half, for launches with blocks of one size.
 *
 * It is known of all lanes, whether they execute or not: regions write a result for all of them
 * unless some that wait need what they have (ptx_parts.h). What the analysis says at an op is true
 * if it was true of the slots in ptx_facts_needed where the warp came in: each way from there to
 * the op is one that the analysis has seen. */
#ifndef PTX_FACTS_H
#define PTX_FACTS_H

#include "ptx_exec.h"
#include "ptx_wave_access.h"

struct ptx_fact {
    uint8_t group; /* lanes of which it is known: 32, 16 (of each half), or 0: nothing is known */
    bool wraps;    /* values may wrap where the row is continued in wider arithmetic */
    bool constant; /* all lanes have value */
    int64_t step;  /* between lanes next to each other */
    uint64_t value;
};

struct ptx_facts;
struct ptx_parts;

/* parts: where lanes may part; NULL: nowhere. NULL: the function is too large, or there is no
 * memory: nothing is known. */
struct ptx_facts *ptx_facts_create(const struct ptx_code *code, const uint32_t block[3],
                                   const struct ptx_parts *parts);
void ptx_facts_destroy(struct ptx_facts *facts); /* accepts NULL */

/* Of an access's addresses. */
enum ptx_wave_shape ptx_facts_shape(const struct ptx_facts *facts, const struct ptx_op *op);

/* Whether facts rely on a load's result being the same in all lanes, also in those that do not
 * execute it: it has to be loaded for all. */
bool ptx_facts_spreads(const struct ptx_facts *facts, const struct ptx_op *load);

/* Whether the predicate of a branch is the same in all lanes. */
bool ptx_facts_uniform(const struct ptx_facts *facts, const struct ptx_op *branch);

/* A slot that no op writes, and its value in all lanes. */
bool ptx_facts_constant(const struct ptx_facts *facts, uint32_t offset, uint64_t *out_value);

/* What is to be checked where a region begins at op. Calls check for each slot. */
struct ptx_checked {
    uint32_t offset, size; /* bytes */
    struct ptx_fact fact;
};
/* Returns how many were written to out, at most most; more: UINT32_MAX. */
unsigned ptx_facts_needed(const struct ptx_facts *facts, const struct ptx_op *op,
                          struct ptx_checked *out, unsigned most);

#endif
