/* Owns how the log of a library beside AnyHIP's own is set up. */
#include "config.h"
#include "env.h"
#include "log.h"

#include <dlfcn.h>
#include <stdlib.h>

/* AnyHIP's library reads the same settings and says what is wrong with them. */
static bool another_tells(void)
{
    void *library = dlopen("libanyhip.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (library)
        dlclose(library);
    return library != NULL;
}

static long long setting(const char *variable, long long fallback, bool tell)
{
    char *text = ah_env_string(variable);
    long long value = fallback;
    if (tell)
        value = ah_env_integer(variable, fallback);
    else if (text && !ah_parse_integer(text, &value))
        value = fallback;
    free(text);
    return value;
}

void ah_config_start_log(void)
{
    struct ah_config config;
    bool tell = !another_tells();
    ah_config_init(&config);
    ah_config_load(&config, tell);
    char *file = ah_env_path("AMD_LOG_LEVEL_FILE");
    ah_log_configure(&(struct ah_log_settings){
        .level = (int)setting("AMD_LOG_LEVEL", config.log_level, tell),
        .mask = (int)setting("AMD_LOG_MASK", config.log_mask, tell),
        .file = file && *file ? file : config.log_file,
        .max_size_mib =
            (size_t)setting("AMD_LOG_LEVEL_SIZE", (long long)config.log_max_size_mib, tell),
    });
    free(file);
    ah_config_fini(&config);
}
