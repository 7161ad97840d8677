/* Which rows of instructions a program executes: kept for test_rows.c, which wants each of them
 * to be executed by some test. */
#ifndef TESTS_SIM_AMDGPU_ROWS_H
#define TESTS_SIM_AMDGPU_ROWS_H

#include "amdgpu_inst.h"

/* A test ran it, and is about to look at what it did. */
void rows_executed(enum amdgpu_isa isa, const struct amdgpu_inst *inst);

#endif
