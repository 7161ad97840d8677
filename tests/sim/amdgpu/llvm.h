/* LLVM's disassembler, as a reference. */
#ifndef LLVM_H
#define LLVM_H

#include "amdgpu_inst.h"

struct llvm_tally {
    unsigned long compared, differ, refused; /* refused: LLVM rejects it */
};

void llvm_start(void);
/* Creates a disassembler; NULL: LLVM does not support the target. */
void *llvm_open(enum amdgpu_isa isa, unsigned lanes);
void llvm_close(void *llvm);

/* Decodes and prints the code at bytes with both, and reports differences in text or length.
 * Returns LLVM's length, 0: LLVM rejects the code. */
size_t llvm_compare(enum amdgpu_isa isa, unsigned lanes, void *llvm, const void *bytes, size_t size,
                    struct llvm_tally *tally);

#endif
