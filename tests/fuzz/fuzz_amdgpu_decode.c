/* Machine code of any content, as simulated AMD devices decode it: an instruction has a row of its
 * instruction set, a length within its bytes, operands of known kinds and a text that ends; it is
 * the same when nothing follows it, and is cut off when bytes of it are missing. */
#include "amdgpu_inst.h"
#include "fuzz.h"

#include <string.h>

enum { TEXT = 256 };

static void check_operand(const struct amdgpu_operand *operand)
{
    fuzz_check(operand->kind <= AMDGPU_POPS_WAVE_ID && operand->type <= AMDGPU_NOTYPE);
}

static void check_inst(enum amdgpu_isa isa, const struct amdgpu_inst *inst)
{
    fuzz_check(inst->row && strlen(inst->row->name) > 0);
    fuzz_check(inst->row->isas >> isa & 1);
    fuzz_check((inst->format == AMDGPU_VOPD) == (inst->row_y != NULL));
    for (int i = 0; i < 2; i++)
        check_operand(&inst->dst[i]);
    for (int i = 0; i < AMDGPU_SOURCES; i++) {
        check_operand(&inst->src[i]);
        check_operand(&inst->src_y[i]);
    }
    check_operand(&inst->addr);
    check_operand(&inst->saddr);
    check_operand(&inst->data);
    check_operand(&inst->soffset);
}

/* Into memory of every size: what does not fit is left out. */
static void check_text(enum amdgpu_isa isa, unsigned lanes, const struct amdgpu_inst *inst)
{
    char whole[TEXT], part[TEXT];
    memset(whole, 'x', sizeof whole);
    amdgpu_print(isa, lanes, inst, whole, sizeof whole);
    size_t length = strnlen(whole, sizeof whole);
    fuzz_check(length > 0 && length < sizeof whole);
    size_t room = 1 + length / 2;
    memset(part, 'x', sizeof part);
    amdgpu_print(isa, lanes, inst, part, room);
    fuzz_check(strnlen(part, room) < room && part[room] == 'x');
}

static void check_sizes(enum amdgpu_isa isa, unsigned lanes, const uint8_t *code,
                        const struct amdgpu_inst *inst)
{
    uint8_t alone[32];
    struct amdgpu_inst again;
    memcpy(alone, code, inst->length); /* on the stack, where a sanitizer sees the end */
    fuzz_check(amdgpu_decode(isa, lanes, alone, inst->length, &again) == AMDGPU_DECODED);
    fuzz_check(again.row == inst->row && again.length == inst->length);
    fuzz_check(amdgpu_decode(isa, lanes, alone, inst->length - 4u, &again) == AMDGPU_CUT_OFF);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    enum amdgpu_isa isa = (enum amdgpu_isa)(data[0] % AMDGPU_ISA_COUNT);
    unsigned lanes = amdgpu_family_of(isa) != AMDGPU_GFX9 && data[0] & 0x80 ? 32 : 64;
    for (size_t at = 1; at < size;) {
        struct amdgpu_inst inst;
        enum amdgpu_decoded decoded = amdgpu_decode(isa, lanes, data + at, size - at, &inst);
        fuzz_check(decoded == AMDGPU_DECODED || decoded == AMDGPU_UNKNOWN ||
                   decoded == AMDGPU_CUT_OFF);
        fuzz_check(decoded != AMDGPU_CUT_OFF || size - at < 24);
        if (decoded == AMDGPU_DECODED) {
            fuzz_check(inst.length % 4 == 0 && inst.length > 0 && inst.length <= 24 &&
                       inst.length <= size - at);
            check_inst(isa, &inst);
            check_text(isa, lanes, &inst);
            check_sizes(isa, lanes, data + at, &inst);
        }
        at += decoded == AMDGPU_DECODED ? inst.length : 4;
    }
    return 0;
}
