/* Owns how the log of a simulated driver is set up. */
#include "sim_log.h"

#include "config.h"
#include "env.h"
#include "log.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

/* AnyHIP's library reads the same settings and says what is wrong with them. */
static bool another_tells(void)
{
    void *library = dlopen("libanyhip.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (library)
        dlclose(library);
    return library != NULL;
}

static int setting(const char *variable, int fallback, bool tell)
{
    char *text = ah_env_string(variable);
    long long value = fallback;
    if (tell)
        value = ah_env_integer(variable, fallback);
    else if (text && !ah_parse_integer(text, &value))
        value = fallback;
    free(text);
    return (int)value;
}

void sim_log_start(void)
{
    struct ah_config config;
    bool tell = !another_tells();
    ah_config_init(&config);
    ah_config_load(&config, tell);
    char *file = ah_env_path("AMD_LOG_LEVEL_FILE");
    ah_log_configure(&(struct ah_log_settings){
        .level = setting("AMD_LOG_LEVEL", config.log_level, tell),
        .mask = setting("AMD_LOG_MASK", config.log_mask, tell),
        .file = file && *file ? file : config.log_file,
        .max_size_mib = config.log_max_size_mib,
    });
    free(file);
    ah_config_fini(&config);
}
