/* Joins the rooms: exec runs kernels, with the instructions of alu and memory, and what jit
 * compiles. */
#include "amdgpu_alu.h"
#include "amdgpu_exec.h"
#include "amdgpu_jit.h"
#include "amdgpu_memory.h"

bool amdgpu_dispatch_start(struct amdgpu_dispatch *dispatch, struct amdgpu_end *out_end)
{
    static const struct amdgpu_emitters emitters = {.vector = amdgpu_emit_vector,
                                                    .memory = amdgpu_emit_memory,
                                                    .matrix = amdgpu_emit_matrix,
                                                    .begin = amdgpu_jit_begin,
                                                    .turn = amdgpu_jit_turn,
                                                    .end = amdgpu_jit_end,
                                                    .free = amdgpu_jit_free};
    return amdgpu_exec_start(dispatch, &emitters, out_end);
}
