/* The text of a report on a kernel that failed, one line of the log with its continuation lines.
 * A report is the caller's, on its stack: no lock is needed. */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include <stddef.h>

enum { SIM_REPORT_SIZE = 3500 }; /* a line of the log has 4 KiB */

struct sim_report {
    char text[SIM_REPORT_SIZE];
    size_t length; /* 0 at first */
};

/* Appends; what does not fit is cut off. */
void sim_report_add(struct sim_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends the name of a function as ah_demangle has it. */
void sim_report_name(struct sim_report *report, const char *name);
/* Writes the report to the log, whatever its level. */
void sim_report_log(const struct sim_report *report);

#endif
