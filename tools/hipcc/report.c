/* Owns the driver's own messages. */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>

static void say(const char *kind, const char *format, va_list args)
{
    fflush(stdout);
    fprintf(stderr, "hipcc: %s: ", kind);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void ah_report_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("error", format, args);
    va_end(args);
}

void ah_report_warning(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("warning", format, args);
    va_end(args);
}

void ah_report_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("note", format, args);
    va_end(args);
}
