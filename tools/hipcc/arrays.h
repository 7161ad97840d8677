/* The arrays of a thread in device code for NVIDIA.
 *
 * NVIDIA's compiler of PTX keeps an array in registers, although indices are known at run time
 * alone, or accesses several elements at once, if the array is aligned to 16 bytes, as its own
 * compiler aligns each. LLVM aligns an array as its elements. Pure: no state, no message. */
#ifndef AH_HIPCC_ARRAYS_H
#define AH_HIPCC_ARRAYS_H

/* The module, in LLVM's textual form, with its local arrays of 16 bytes or more aligned, or NULL
 * where nothing changes. */
const char *ah_arrays_align(const char *module);

#endif
