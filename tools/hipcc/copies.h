/* Copies of aggregates in device code for NVIDIA.
 *
 * LLVM makes accesses of 8 bytes at most of a copy from memory to memory, also where the alignment
 * (that of float4, say) allows the 16 bytes that one instruction moves, and each load but the first
 * comes after a store, for which it then waits. Here such copies become loads, of 16 bytes where
 * they can be, and then stores, in LLVM's textual IR. Pure: no state, no message. */
#ifndef AH_HIPCC_COPIES_H
#define AH_HIPCC_COPIES_H

/* The module with such copies changed, or NULL where it has none. */
const char *ah_copies_widen(const char *module);

#endif
