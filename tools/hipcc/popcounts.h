/* Loops in device code for NVIDIA that count the bits of a word: while (x) { x &= x - 1; n++; }.
 *
 * NVIDIA's compiler makes its instruction for that of them, as LLVM does for other targets. Here the
 * loop is left after one step, which counts all bits, in LLVM's textual IR. Pure: no state, no
 * message. */
#ifndef AH_HIPCC_POPCOUNTS_H
#define AH_HIPCC_POPCOUNTS_H

/* The module with such loops changed, or NULL where it has none. */
const char *ah_popcounts_use(const char *module);

#endif
