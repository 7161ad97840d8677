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
/* The key of a thread's text. A _Thread_local one would be part of the static TLS block, of which a
 * process has room for few kilobytes for libraries that are opened later. */
static pthread_key_t text_key;

static void find_demangler(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    void *found = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    for (size_t i = 0; !found && i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        found = library ? dlsym(library, "__cxa_demangle") : NULL;
    }
    /* The C library's function: a destructor of ours might be unloaded when a thread ends. */
    demangle = pthread_key_create(&text_key, free) == 0 ? (demangler *)found : NULL;
}

void ah_demangle_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_demangler);
}

static char *text_of_thread(void)
{
    char *text = pthread_getspecific(text_key);
    if (text)
        return text;
    text = malloc(NAME_SIZE);
    if (text && pthread_setspecific(text_key, text) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

const char *ah_demangle(const char *name)
{
    size_t length = strcspn(name, "+");
    int status;
    ah_demangle_prepare();
    if (!demangle || strncmp(name, "_Z", 2) != 0 || length >= NAME_SIZE)
        return name;
    char *text = text_of_thread();
    if (!text)
        return name;
    memcpy(text, name, length);
    text[length] = '\0';
    char *words = demangle(text, NULL, NULL, &status);
    if (!words)
        return name;
    int size = snprintf(text, NAME_SIZE, "%s%s", words, name + length);
    free(words);
    return size > 0 && size < NAME_SIZE ? text : name;
}
