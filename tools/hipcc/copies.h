/* Copies of aggregates in device code for NVIDIA.
 *
 * LLVM makes accesses of 8 bytes of a copy from memory to memory, also where the alignment (that of
 * float4, say) allows the 16 bytes that one instruction moves. Here such copies become loads and
 * stores of vectors, in LLVM's textual IR. Pure: no state, no message. */
#ifndef AH_HIPCC_COPIES_H
#define AH_HIPCC_COPIES_H

/* The module with such copies widened, or NULL where it has none. */
const char *ah_copies_widen(const char *module);

#endif
