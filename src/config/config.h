/* The configuration file: found, parsed, checked against the schema, typed.
 *
 * One JSON file (config/anyhip.json shows every key at its default):
 * $ANYHIP_CONFIG, else $XDG_CONFIG_HOME/anyhip/anyhip.json (~/.config), else
 * <sysconfdir>/anyhip/anyhip.json; the first that exists. Environment variables
 * override it; the owner of each variable does that, not this file. */
#ifndef AH_CONFIG_H
#define AH_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

struct ah_config_strings {
    char **items;
    size_t count;
};

enum { AH_CONFIG_DRIVER_COUNT = 4 };

/* The drivers a library path can be configured for, in the order of
 * ah_config.driver_library. */
extern const char *const ah_config_driver_names[AH_CONFIG_DRIVER_COUNT];

/* Values as configured; NULL or empty if the file does not set them. */
struct ah_config {
    char *path;                        /* the file that was read, NULL: none */
    struct ah_config_strings backends; /* "cuda", "simhsa:gfx90a*2", ... in order of preference */
    struct ah_config_strings devices;  /* selectors, in order */
    char *driver_library[AH_CONFIG_DRIVER_COUNT];
    int log_level;
    int log_mask;
    char *log_file;
    size_t log_max_size_mib;
    char *trace_file;
    size_t trace_max_size_mib, trace_buffer_mib;
    char *sim_devices; /* of simulated devices; src/sim/machine/sim_options.h says what they mean */
    char *sim_memory;
    size_t sim_threads;
    char *sim_seed;
    struct ah_config_strings sim_checks;
    size_t sim_units;
    char *sim_shared;
    char *sim_timeout;
    char *sim_progress;
    char *sim_jit;
    char *sim_jit_cache;
    char *sim_llvm;
    struct ah_config_strings sim_faults;
    char *sim_profile;
};

/* What sim_memory, sim_progress and sim_jit mean where they are NULL. */
#define AH_CONFIG_SIM_MEMORY   "16GiB"
#define AH_CONFIG_SIM_PROGRESS "30"
#define AH_CONFIG_SIM_JIT      "on"

/* The defaults, with nothing read. */
void ah_config_init(struct ah_config *config);

/* Reads the configuration file, if there is one. With report, errors in it are
 * written to the log whatever the log level: a malformed file is one error with
 * line and column and leaves all defaults; an unknown key or a value of the
 * wrong type is a warning that names it and leaves that key's default. Of the
 * libraries and parts of them that read the file in a process, one reports. */
void ah_config_load(struct ah_config *config, bool report);

/* As ah_config_load from text already in memory; name is used in messages.
 * Returns false when the text is not JSON (config is then at its defaults). With NULL for name
 * there are no messages. */
bool ah_config_parse(struct ah_config *config, const char *text, size_t size, const char *name);

/* Frees the values; accepts a zeroed struct. */
void ah_config_fini(struct ah_config *config);

/* Reports environment variables that begin with ANYHIP_ and that nothing reads. Not safe against a
 * concurrent setenv, as getenv. */
void ah_config_check_variables(void);

/* The keys of the schema by number: "log.level"; NULL beyond the last. */
const char *ah_config_key(size_t index);

/* Writes the effective values as JSON, to be freed. NULL without memory. */
char *ah_config_print(const struct ah_config *config);

/* Sets up the log of this library as config and the environment say; config gets the environment's
 * values. With report, a variable that does not parse is reported. */
void ah_config_set_log(struct ah_config *config, bool report);

/* config gets the environment's value for the trace file. */
void ah_config_set_trace(struct ah_config *config);

/* Sets up the log of a library beside AnyHIP's own (a simulated driver, ROCTX) as the configuration
 * and the environment say. Both append whole lines to one file; invalid settings are reported only
 * if AnyHIP's own library, which reports them too, is not loaded. */
void ah_config_start_log(void);

#endif
