/* Owns which environment variables of AnyHIP's there are. */
#include "config.h"
#include "log.h"
#include "spelling.h"

#include <string.h>
#include <unistd.h>

static const char *const known[] = {
#define AH_VARIABLE(name) #name,
#include "variables.def"
};
enum { KNOWN_COUNT = sizeof known / sizeof *known };

/* CMake looks for packages with these. */
static bool is_cmakes(const char *name)
{
    return strcmp(name, "ANYHIP_ROOT") == 0 || strcmp(name, "ANYHIP_DIR") == 0;
}

static bool is_known(const char *name)
{
    for (int i = 0; i < KNOWN_COUNT; i++)
        if (strcmp(name, known[i]) == 0)
            return true;
    return is_cmakes(name);
}

static void check(const char *entry)
{
    char name[64];
    const char *equals = strchr(entry, '=');
    size_t length = equals ? (size_t)(equals - entry) : strlen(entry);
    if (strncmp(entry, "ANYHIP_", 7) != 0 || length >= sizeof name)
        return;
    memcpy(name, entry, length);
    name[length] = '\0';
    if (is_known(name))
        return;
    const char *nearest = ah_spelling_nearest(name, known, KNOWN_COUNT);
    if (nearest)
        AH_LOG_NOTICE(AH_LOG_WARNING, "nothing reads the environment variable %s; is %s meant?",
                      name, nearest);
    else
        AH_LOG_NOTICE(AH_LOG_WARNING,
                      "nothing reads the environment variable %s; config/README.md lists those "
                      "that are read",
                      name);
}

void ah_config_check_variables(void)
{
    for (char **entry = environ; entry && *entry; entry++)
        check(*entry);
}
