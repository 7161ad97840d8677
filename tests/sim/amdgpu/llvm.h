/* LLVM's disassembler, as another opinion on code. */
#ifndef LLVM_H
#define LLVM_H

#include "amdgpu_inst.h"

struct llvm_tally {
    unsigned long compared, differ, refused; /* refused: LLVM does not take it */
};

void llvm_start(void);
/* A disassembler; NULL: none for this. */
void *llvm_open(enum amdgpu_isa isa, unsigned lanes);
void llvm_close(void *llvm);

/* Decodes and prints what is at bytes with both, and says where they are not of one mind about
 * text or length. Returns the length that LLVM sees, 0: it refuses. */
size_t llvm_compare(enum amdgpu_isa isa, unsigned lanes, void *llvm, const void *bytes, size_t size,
                    struct llvm_tally *tally);

#endif
