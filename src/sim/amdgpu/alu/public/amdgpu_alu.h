/* The interface of alu: vector arithmetic and matrix products, on registers.
 *
 * alu owns the handlers of VOP1, VOP2, VOPC, VOP3, VOP3P and VOPD instructions and those that move
 * values between lanes. The handlers are compiled once for each instruction set of the host. alu
 * uses isa and exec, and touches nothing but the wave that a handler is given, so it takes no lock.
 * Only amdgpu.c calls it, to hand its emitters to exec. */
#ifndef AMDGPU_ALU_H
#define AMDGPU_ALU_H

#include "amdgpu_exec.h"

/* Emitters; amdgpu_exec.h says what is expected of them. amdgpu_emit_matrix handles only some rows
 * of VOP3P (MFMA, WMMA) and has to be called before amdgpu_emit_vector. */
bool amdgpu_emit_vector(enum amdgpu_isa isa, unsigned lanes, const struct amdgpu_inst *inst,
                        struct amdgpu_op *op);
bool amdgpu_emit_matrix(enum amdgpu_isa isa, const struct amdgpu_inst *inst, struct amdgpu_op *op);

#endif
