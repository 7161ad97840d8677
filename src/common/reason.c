/* Owns the words for why a driver cannot be used. */
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

bool ah_choose_devices(int (*configure)(const char *devices), const char *devices, const char *what,
                       const char *name, char **out_reason)
{
    if (!devices)
        return true;
    if (!configure) {
        *out_reason = ah_reason("the devices \"%s\" were asked for: %s is not a simulated %s, it "
                                "has the devices that it has",
                                devices, name, what);
        return false;
    }
    if (configure(devices) == 0)
        return true;
    *out_reason = ah_reason("there are no simulated devices \"%s\"", devices);
    return false;
}
