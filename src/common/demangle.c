/* Owns the way to the C++ runtime's demangler; device code's names follow the Itanium C++ ABI. */
#include "demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 1024 };

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

void ah_demangle_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_demangler);
}

const char *ah_demangle(const char *name)
{
    static _Thread_local char text[NAME_SIZE];
    size_t length = strcspn(name, "+");
    int status;
    ah_demangle_prepare();
    if (!demangle || strncmp(name, "_Z", 2) != 0 || length >= sizeof text)
        return name;
    memcpy(text, name, length);
    text[length] = '\0';
    char *words = demangle(text, NULL, NULL, &status);
    if (!words)
        return name;
    int size = snprintf(text, sizeof text, "%s%s", words, name + length);
    free(words);
    return size > 0 && (size_t)size < sizeof text ? text : name;
}
