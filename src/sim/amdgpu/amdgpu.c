/* Joins the rooms: exec runs kernels, with the instructions of alu and memory. */
#include "amdgpu_alu.h"
#include "amdgpu_exec.h"
#include "amdgpu_memory.h"

bool amdgpu_dispatch_start(struct amdgpu_dispatch *dispatch, struct amdgpu_end *out_end)
{
    static const struct amdgpu_emitters emitters = {
        .vector = amdgpu_emit_vector, .memory = amdgpu_emit_memory, .matrix = amdgpu_emit_matrix};
    return amdgpu_exec_start(dispatch, &emitters, out_end);
}
