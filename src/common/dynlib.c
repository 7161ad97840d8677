/* Owns dlopen and dlsym for vendors' libraries; knows no vendor. */
#include "dynlib.h"
#include "log.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void remember(struct ah_dynlib *lib, const char *path, const char *error)
{
    struct ah_dynlib_attempt *grown =
        realloc(lib->attempts, (lib->attempt_count + 1) * sizeof *grown);
    if (!grown)
        return;
    lib->attempts = grown;
    grown[lib->attempt_count++] = (struct ah_dynlib_attempt){
        .path = strdup(path),
        .error = error ? strdup(error) : NULL,
    };
}

static char *resolved_path(void *handle, const char *fallback)
{
    struct link_map *map = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name && *map->l_name)
        return strdup(map->l_name);
    return strdup(fallback);
}

bool ah_dynlib_open(struct ah_dynlib *lib, const char *const *candidates)
{
    for (; *candidates; candidates++) {
        void *handle = dlopen(*candidates, RTLD_NOW | RTLD_LOCAL);
        const char *error = handle ? NULL : dlerror();
        remember(lib, *candidates, handle ? NULL : error ? error : "unknown error");
        AH_LOG(AH_LOG_DEBUG, AH_LOG_INIT, "dlopen %s: %s", *candidates, error ? error : "ok");
        if (handle) {
            lib->handle = handle;
            lib->path = resolved_path(handle, *candidates);
            return true;
        }
    }
    return false;
}

static void add_missing(struct ah_dynlib *lib, const char *name)
{
    char *joined = NULL;
    if (asprintf(&joined, "%s%s%s", lib->missing ? lib->missing : "", lib->missing ? ", " : "",
                 name) < 0)
        return;
    free(lib->missing);
    lib->missing = joined;
}

bool ah_dynlib_bind(struct ah_dynlib *lib, const struct ah_dynlib_symbol *symbols, size_t count,
                    void *table)
{
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(lib->handle, symbols[i].name);
        memcpy((char *)table + symbols[i].offset, &address, sizeof address);
        if (address)
            continue;
        AH_LOG(AH_LOG_DEBUG, AH_LOG_INIT, "%s has no %s symbol %s", lib->path,
               symbols[i].need == AH_REQUIRED ? "required" : "optional", symbols[i].name);
        if (symbols[i].need == AH_REQUIRED)
            add_missing(lib, symbols[i].name);
    }
    return lib->missing == NULL;
}

void ah_dynlib_close(struct ah_dynlib *lib)
{
    if (lib->handle)
        dlclose(lib->handle);
    for (size_t i = 0; i < lib->attempt_count; i++) {
        free(lib->attempts[i].path);
        free(lib->attempts[i].error);
    }
    free(lib->attempts);
    free(lib->path);
    free(lib->missing);
    *lib = (struct ah_dynlib){0};
}
