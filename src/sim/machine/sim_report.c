/* The text of reports on kernels. */
#include "sim_report.h"

#include "demangle.h"
#include "log.h"

#include <stdarg.h>
#include <stdio.h>

void sim_report_add(struct sim_report *report, const char *format, ...)
{
    size_t room = sizeof report->text - report->length;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(report->text + report->length, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        report->length += (size_t)length < room - 1 ? (size_t)length : room - 1;
}

void sim_report_name(struct sim_report *report, const char *name)
{
    sim_report_add(report, "%s", ah_demangle(name));
}

void sim_report_log(const struct sim_report *report)
{
    AH_LOG_NOTICE(AH_LOG_ERROR, "%s", report->text);
}
