/* Reasons in words, for users. */
#ifndef AH_REASON_H
#define AH_REASON_H

/* The caller's to free. NULL: no memory. */
__attribute__((format(printf, 1, 2))) char *ah_reason(const char *format, ...);

#endif
