/* The rows of instructions that a program executes, recorded for test_rows.c, which requires each
 * of them to be executed by some test. */
#ifndef TESTS_SIM_AMDGPU_ROWS_H
#define TESTS_SIM_AMDGPU_ROWS_H

#include "amdgpu_inst.h"

/* A test has executed inst, and will check the result. */
void rows_executed(enum amdgpu_isa isa, const struct amdgpu_inst *inst);

#endif
