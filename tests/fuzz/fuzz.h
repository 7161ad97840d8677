/* A fuzzer's entry, as libFuzzer calls it: data may be anything at all. Without libFuzzer
 * replay.c calls it. */
#ifndef AH_TEST_FUZZ_H
#define AH_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program, which is how a fuzzer says that something is wrong. */
#define fuzz_check(condition) ((condition) ? (void)0 : __builtin_trap())

#endif
