/* For programs that run whole kernels: code is emitted when a wave reaches it, so every emitted
 * instruction is executed. The linker redirects calls of emitters to this file (--wrap). */
#include "amdgpu_exec.h"
#include "rows.h"

#define WRAP_LANES(name)                                                                           \
    bool __real_amdgpu_emit_##name(enum amdgpu_isa isa, unsigned lanes,                            \
                                   const struct amdgpu_inst *inst, struct amdgpu_op *op);          \
    bool __wrap_amdgpu_emit_##name(enum amdgpu_isa isa, unsigned lanes,                            \
                                   const struct amdgpu_inst *inst, struct amdgpu_op *op);          \
    bool __wrap_amdgpu_emit_##name(enum amdgpu_isa isa, unsigned lanes,                            \
                                   const struct amdgpu_inst *inst, struct amdgpu_op *op)           \
    {                                                                                              \
        bool emitted = __real_amdgpu_emit_##name(isa, lanes, inst, op);                            \
        if (emitted)                                                                               \
            rows_executed(isa, inst);                                                              \
        return emitted;                                                                            \
    }
WRAP_LANES(scalar)
WRAP_LANES(vector)
WRAP_LANES(memory)
