/* Sets up the log from the configuration and the environment. */
#include "config.h"
#include "env.h"
#include "log.h"

#include <dlfcn.h>
#include <stdlib.h>

/* Whether AnyHIP's library is loaded, which reads the same settings and reports errors in them. */
static bool another_reports(void)
{
    void *library = dlopen("libanyhip.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (library)
        dlclose(library);
    return library != NULL;
}

static long long setting(const char *variable, long long fallback, bool report)
{
    if (report)
        return ah_env_integer(variable, fallback);
    char *text = ah_env_string(variable);
    long long value = fallback;
    if (text && !ah_parse_integer(text, &value))
        value = fallback;
    free(text);
    return value;
}

/* AMD_LOG_LEVEL_FILE has an effect only if a level is set, as in ROCm. */
void ah_config_set_log(struct ah_config *config, bool report)
{
    char *file = ah_env_path("AMD_LOG_LEVEL_FILE");
    config->log_level = (int)setting("AMD_LOG_LEVEL", config->log_level, report);
    config->log_mask = (int)setting("AMD_LOG_MASK", config->log_mask, report);
    config->log_max_size_mib =
        (size_t)setting("AMD_LOG_LEVEL_SIZE", (long long)config->log_max_size_mib, report);
    if (file && *file) {
        free(config->log_file);
        config->log_file = file;
    } else {
        free(file);
    }
    ah_log_configure(&(struct ah_log_settings){
        .level = config->log_level,
        .mask = config->log_mask,
        .file = config->log_file,
        .max_size_mib = config->log_max_size_mib,
    });
}

void ah_config_set_trace(struct ah_config *config)
{
    char *file = ah_env_path("ANYHIP_TRACE");
    if (file && *file) {
        free(config->trace_file);
        config->trace_file = file;
    } else {
        free(file);
    }
}

void ah_config_start_log(void)
{
    struct ah_config config;
    bool report = !another_reports();
    ah_config_init(&config);
    ah_config_load(&config, report);
    ah_config_set_log(&config, report);
    ah_config_fini(&config);
}
