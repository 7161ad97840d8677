/* The documented errors of drivers' functions; and which failures need not be reported or leak, and
 * why. */
#ifndef FAULT_CODES_H
#define FAULT_CODES_H

#include <stdbool.h>
#include <stddef.h>

enum { FAULT_CODES_MAX = 12 };

/* The codes of a function of a vendor's driver ("cuda", "hsa"); 0: it returns none. */
size_t fault_codes(const char *vendor, const char *function, int out_codes[FAULT_CODES_MAX]);

/* Why it need not be reported that a call of the function failed with code in a section of the
 * program; NULL: it must be. */
const char *fault_is_quiet(const char *function, const char *section, int code);

/* Whether the failure is that of freeing something which the driver says it does not have: then
 * the library forgets it as well. */
bool fault_is_denial(const char *function, int code);

/* Whether the object that the call was to free is kept and freed later. */
bool fault_is_put_off(const char *function, const char *section);

/* Whether the failure says something about the device or about code which another attempt would
 * not change: the library believes it. */
bool fault_is_answer(const char *function, int code);

/* Whether hipDeviceReset frees objects by this call. A reset continues to its end, and objects that
 * the driver failed to free are lost, which the log says. */
bool fault_is_of_reset(const char *function, const char *section);

#endif
