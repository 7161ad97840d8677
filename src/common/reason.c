/* Owns the formatting of reasons. */
#include "reason.h"

#include <stdarg.h>
#include <stdio.h>

char *ah_reason(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length < 0 ? NULL : text;
}
