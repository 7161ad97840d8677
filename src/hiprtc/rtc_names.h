/* Name expressions: how the symbol of "add<float>" or "&counter" is found.
 *
 * A second, quick pass compiles the program with one more variable for each expression,
 * whose initialiser is the expression, to LLVM's text before any optimisation; there the
 * initialiser is the symbol. What demangled names look like plays no part. */
#ifndef AH_RTC_NAMES_H
#define AH_RTC_NAMES_H

#include "rtc_program.h"

#include <stdio.h>

/* Writes lines that go after the source: with `variables` those of the second pass, else lines that
 * only make the templates among the expressions be compiled. */
void ah_rtc_names_write(FILE *out, const struct ah_rtc_program *program, bool variables);

/* Reads the symbols from the second pass's text. HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID: one of
 * them names no symbol; HIPRTC_ERROR_OUT_OF_MEMORY. */
hiprtcResult ah_rtc_names_read(struct ah_rtc_program *program, const char *text);

#endif
