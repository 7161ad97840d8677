/* The interface of isa: what the bits of AMD's GPUs mean.
 *
 * isa owns the table of instructions (amdgpu_<format>.def), the decoder, the disassembler, and the
 * encodings of image and sampler descriptors and of texels. It does not know what an instruction
 * does, and it depends on no other room. Every other room may call it. All of it is constant data
 * and pure functions: nothing takes a lock, except the index of rows, which is built once. */
#ifndef AMDGPU_ISA_H
#define AMDGPU_ISA_H

#include "amdgpu_image.h"
#include "amdgpu_inst.h"
#include "amdgpu_texel.h"

#endif
