/* The text of reports on kernels. */
#include "sim_report.h"

#include "log.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* __cxa_demangle of the Itanium C++ ABI, which names of device code follow. */
typedef char *demangler(const char *name, char *buffer, size_t *size, int *status);
static demangler *demangle;

static void find_demangler(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    void *found = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    for (size_t i = 0; !found && i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        found = library ? dlsym(library, "__cxa_demangle") : NULL;
    }
    demangle = (demangler *)found;
}

void sim_report_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_demangler);
}

void sim_report_name(struct sim_report *report, const char *name)
{
    char mangled[1024];
    size_t length = strcspn(name, "+");
    int status;
    sim_report_prepare();
    if (!demangle || strncmp(name, "_Z", 2) != 0 || length >= sizeof mangled) {
        sim_report_add(report, "%s", name);
        return;
    }
    memcpy(mangled, name, length);
    mangled[length] = '\0';
    char *words = demangle(mangled, NULL, NULL, &status);
    sim_report_add(report, "%s%s", words ? words : mangled, name + length);
    free(words);
}

void sim_report_log(const struct sim_report *report)
{
    AH_LOG_NOTICE(AH_LOG_ERROR, "%s", report->text);
}
