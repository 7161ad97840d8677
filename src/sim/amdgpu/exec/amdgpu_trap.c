/* Owns the entry of waves into their device's trap handler and their return: the trap registers,
 * the interrupts that the handler sends to the driver, and how a wave ends there.
 *
 * On hardware the kernel driver's first-level handler runs first, for context switches, and passes
 * everything else to the second level, which is code that the runtime has set. This file does what
 * the first level does; the second level is executed like any other code.
 *
 * Source: AMD, instruction set architectures of Vega, CDNA 2 and RDNA 3, "Trap and exception
 * registers"; the interface between the two levels as in the Linux driver's
 * cwsr_trap_handler_gfx9.asm and gfx10.asm. */
#include "amdgpu_wave.h"

enum { /* scalar registers: TTMP0, and those that are set when a handler begins */
       TTMP_PC = 108,
       TTMP_DISPATCH = 114,
       TTMP_GROUP = 116,
       TTMP_WAVE = 119,
       TTMP_STATUS = 120,
       TTMP_DATA = 122,
       TRAP_ID = 16, /* in the upper half of the address; those of the dispatch */
       DISPATCH_MASK = 0x1ffffff,
       WAVE_BITS = 6,
};
enum { /* HW_REG_TRAPSTS */
       TRAPSTS_MEM_VIOL = 1 << 8,
       TRAPSTS_ILLEGAL_INST = 1 << 11,
       TRAPSTS_XNACK_ERROR = 1 << 28,
};
#define PC_MASK     ((UINT64_C(1) << 48) - 1)
#define ADDRESS_END (UINT64_C(1) << 47) /* higher addresses have no memory */

static uint32_t exceptions_of(const struct amdgpu_end *end)
{
    switch (end->kind) {
    case AMDGPU_END_MEMORY:
        return TRAPSTS_MEM_VIOL | (end->address < ADDRESS_END ? (uint32_t)TRAPSTS_XNACK_ERROR : 0);
    case AMDGPU_END_ALIGNMENT:
    case AMDGPU_END_SHARED:
    case AMDGPU_END_SCRATCH:
        return TRAPSTS_MEM_VIOL;
    case AMDGPU_END_INSTRUCTION:
        return TRAPSTS_ILLEGAL_INST;
    default:
        return 0;
    }
}

static uint64_t handler_of(const struct amdgpu_wave *wave)
{
    return atomic_load_explicit(&wave->block->dispatch->device->trap_handler, memory_order_acquire);
}

bool amdgpu_trap_has_handler(const struct amdgpu_wave *wave)
{
    return !wave->privileged && handler_of(wave) != 0;
}

bool amdgpu_trap_is_taken(const struct amdgpu_wave *wave, const struct amdgpu_end *end)
{
    return amdgpu_trap_has_handler(wave) && (end->kind == AMDGPU_END_TRAP || exceptions_of(end));
}

static void set_registers(struct amdgpu_wave *wave, uint64_t address, unsigned trap)
{
    const struct amdgpu_block *block = wave->block;
    uint64_t data = atomic_load_explicit(&block->dispatch->device->trap_data, memory_order_relaxed);
    uint32_t dispatch = (uint32_t)block->dispatch->id & DISPATCH_MASK;
    amdgpu_set_s64(wave, TTMP_PC, (address & PC_MASK) | (uint64_t)trap << (32 + TRAP_ID));
    for (unsigned i = 0; i < 3; i++)
        wave->s[TTMP_GROUP + i] = block->block->index[i];
    wave->s[TTMP_WAVE] = wave->number;
    if (wave->block->dispatch->shape->isa == AMDGPU_GFX942)
        wave->s[TTMP_WAVE] |= dispatch << WAVE_BITS | 1u << 31;
    else
        amdgpu_set_s64(wave, TTMP_DISPATCH, dispatch);
    amdgpu_set_s64(wave, TTMP_STATUS, amdgpu_status(wave));
    amdgpu_set_s64(wave, TTMP_DATA, data);
}

const struct amdgpu_op *amdgpu_trap_enter(struct amdgpu_wave *wave, uint64_t address,
                                          const struct amdgpu_end *end)
{
    set_registers(wave, address, end->kind == AMDGPU_END_TRAP ? end->trap : 0);
    wave->traps |= exceptions_of(end);
    wave->trapped = *end;
    wave->trapped_at = address;
    wave->privileged = true;
    wave->halts = false;
    const struct amdgpu_op *op = amdgpu_goto(wave, handler_of(wave));
    return op ? amdgpu_pause(wave, op, SIM_WAVE_READY) : NULL;
}

void amdgpu_trap_interrupt(struct amdgpu_wave *wave, uint32_t message)
{
    struct amdgpu_dispatch *dispatch = wave->block->dispatch;
    wave->trapped.interrupt_sent = true;
    if (dispatch->trapped)
        dispatch->trapped(dispatch, message);
}

/* A wave that stays halted is useless, since nothing resumes it: the kernel ends. It also ends when
 * an instruction would raise the same exception again. */
const struct amdgpu_op *amdgpu_trap_leave(struct amdgpu_wave *wave, uint64_t target)
{
    bool again = wave->trapped.kind != AMDGPU_END_TRAP && (target & PC_MASK) == wave->trapped_at;
    wave->privileged = false;
    if (!wave->halts && !again)
        return amdgpu_goto(wave, target & PC_MASK);
    wave->state = AMDGPU_FAILED;
    if (!atomic_exchange(&wave->block->dispatch->failed, true))
        wave->block->dispatch->end = wave->trapped;
    return NULL;
}
