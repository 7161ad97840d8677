/* Appends lines to a ptx_log: whole lines, as many as fit. */
#include "ptx_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void append(struct ptx_log *log, unsigned line, const char *severity, const char *format,
                   va_list arguments)
{
    char message[512], place[32] = "";
    if (!log->text || log->length >= log->capacity)
        return;
    if (line > 0)
        snprintf(place, sizeof place, "line %u: ", line);
    vsnprintf(message, sizeof message, format, arguments);
    char *end = log->text + log->length;
    size_t room = log->capacity - log->length;
    int length = snprintf(end, room, "%s%s: %s\n", place, severity, message);
    if (length < 0 || (size_t)length >= room) {
        *end = '\0';
        log->capacity = log->length; /* a gap between lines would mislead */
    } else {
        log->length += (size_t)length;
    }
}

void ptx_log_error(struct ptx_log *log, unsigned line, const char *format, ...)
{
    va_list arguments;
    if (!log)
        return;
    log->errors++;
    va_start(arguments, format);
    append(log, line, "error", format, arguments);
    va_end(arguments);
}

void ptx_log_warning(struct ptx_log *log, unsigned line, const char *format, ...)
{
    va_list arguments;
    if (!log)
        return;
    log->warnings++;
    va_start(arguments, format);
    append(log, line, "warning", format, arguments);
    va_end(arguments);
}
