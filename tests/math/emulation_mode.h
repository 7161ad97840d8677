// Where emulated approximations lie within their error: at the exact value rounded, at the lowest
// or the highest value that is allowed, or at one of these two by a hash of the exact value.
#ifndef AH_TESTS_MATH_EMULATION_MODE_H
#define AH_TESTS_MATH_EMULATION_MODE_H

enum emulation { nearest, lowest, highest, hashed };

// Set between sweeps only.
extern emulation emulation_mode;

#endif
