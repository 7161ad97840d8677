/* Reasons as text, for users. */
#ifndef AH_REASON_H
#define AH_REASON_H

/* To be freed by the caller. NULL: out of memory. */
__attribute__((format(printf, 1, 2))) char *ah_reason(const char *format, ...);

#endif
