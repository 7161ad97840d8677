/* Compares the decoder and the printer with LLVM's disassembler, through the few functions of
 * LLVM-C that this needs. */
#include "llvm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { SHOWN = 40 };

void LLVMInitializeAMDGPUTargetInfo(void);
void LLVMInitializeAMDGPUTargetMC(void);
void LLVMInitializeAMDGPUDisassembler(void);
void *LLVMCreateDisasmCPUFeatures(const char *triple, const char *cpu, const char *features,
                                  void *data, int tag_type, void *get_info, void *look_up);
size_t LLVMDisasmInstruction(void *context, uint8_t *bytes, uint64_t size, uint64_t address,
                             char *out, size_t out_size);
void LLVMDisasmDispose(void *context);

void llvm_start(void)
{
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
}

void *llvm_open(enum amdgpu_isa isa, unsigned lanes)
{
    const char *features = amdgpu_family_of(isa) == AMDGPU_GFX9 ? ""
                           : lanes == 32                        ? "+wavefrontsize32"
                                                                : "+wavefrontsize64";
    return LLVMCreateDisasmCPUFeatures("amdgcn-amd-amdhsa", amdgpu_isa_name(isa), features, NULL, 0,
                                       NULL, NULL);
}

void llvm_close(void *llvm)
{
    LLVMDisasmDispose(llvm);
}

/* Replaces blanks by single spaces, and removes them at both ends. */
static void normalise(char *text)
{
    char *out = text;
    for (const char *at = text; *at; at++) {
        bool blank = *at == ' ' || *at == '\t';
        if (blank && (out == text || out[-1] == ' '))
            continue;
        *out++ = blank ? ' ' : *at;
    }
    while (out > text && out[-1] == ' ')
        out--;
    *out = 0;
}

/* LLVM also prints invalid instructions, with a remark. */
static bool complains(const char *text)
{
    return strstr(text, "/*Inv") || strstr(text, "/* Inv") || strstr(text, "not supported") ||
           strstr(text, "only support") || strstr(text, "Warning") || strstr(text, "v_illegal");
}

static void show(enum amdgpu_isa isa, unsigned lanes, const void *bytes, size_t size)
{
    uint32_t words[3] = {0};
    memcpy(words, bytes, size < sizeof words ? size : sizeof words);
    print_message("%s %u %08x %08x %08x:\n", amdgpu_isa_name(isa), lanes, words[0], words[1],
                  words[2]);
}

size_t llvm_compare(enum amdgpu_isa isa, unsigned lanes, void *llvm, const void *bytes, size_t size,
                    struct llvm_tally *tally)
{
    struct amdgpu_inst inst;
    char theirs[512], ours[512] = "(unknown)";
    size_t length =
        LLVMDisasmInstruction(llvm, (uint8_t *)(uintptr_t)bytes, size, 0, theirs, sizeof theirs);
    if (length == 0 || complains(theirs)) {
        tally->refused++;
        return 0;
    }
    normalise(theirs);
    if (amdgpu_decode(isa, lanes, bytes, size, &inst) == AMDGPU_DECODED)
        amdgpu_print(isa, lanes, &inst, ours, sizeof ours);
    tally->compared++;
    if (inst.length == length && strcmp(ours, theirs) == 0)
        return length;
    if (tally->differ++ < SHOWN) {
        show(isa, lanes, bytes, size);
        print_message("    %s (%u)\n    LLVM: %s (%zu)\n", ours, inst.length, theirs, length);
    }
    return length;
}
