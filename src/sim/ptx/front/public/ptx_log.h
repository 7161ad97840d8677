/* Lines of a ptx_log, as a driver's compiler writes them: "line 12: error: ...". */
#ifndef PTX_LOG_H
#define PTX_LOG_H

#include "ptx.h"

/* Appends one line and counts it. line 0: the message is not about a line. A line that does not fit
 * is omitted, and so are all that follow. log may be NULL. */
void ptx_log_error(struct ptx_log *log, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void ptx_log_warning(struct ptx_log *log, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
