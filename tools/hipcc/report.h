/* What the driver itself has to say: one line on standard error, as compilers do. */
#ifndef AH_HIPCC_REPORT_H
#define AH_HIPCC_REPORT_H

void ah_report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void ah_report_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void ah_report_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
