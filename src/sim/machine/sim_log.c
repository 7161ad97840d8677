/* Owns how the log of a simulated driver is set up. */
#include "sim_log.h"

#include "config.h"
#include "env.h"
#include "log.h"

#include <stdlib.h>

void sim_log_start(void)
{
    struct ah_config config;
    ah_config_init(&config);
    ah_config_load(&config);
    char *file = ah_env_path("AMD_LOG_LEVEL_FILE");
    ah_log_configure(&(struct ah_log_settings){
        .level = (int)ah_env_integer("AMD_LOG_LEVEL", config.log_level),
        .mask = (int)ah_env_integer("AMD_LOG_MASK", config.log_mask),
        .file = file && *file ? file : config.log_file,
        .max_size_mib = config.log_max_size_mib,
    });
    free(file);
    ah_config_fini(&config);
}
