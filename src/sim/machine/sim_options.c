/* Owns the reading of what a user sets about simulated devices: first the
 * configuration file, then variables, each of which replaces what the file says. */
#include "sim_options.h"

#include "config.h"
#include "env.h"
#include "log.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A region of a hundred ops takes the compiler as long as the interpreter needs for some hundred
 * thousand. */
enum { THREADS_MAX = 1024, UNITS_MAX = 1024, JIT_THRESHOLD = 200000 };

/* ---- values ------------------------------------------------------------------------- */

bool sim_parse_size(const char *text, size_t *out_size)
{
    static const char letters[] = "kmgt";
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || errno != 0)
        return false;
    while (*end == ' ')
        end++;
    const char *letter = *end ? strchr(letters, tolower((unsigned char)*end)) : NULL;
    unsigned shift = letter ? (unsigned)(letter - letters + 1) * 10 : 0;
    if (letter)
        end += end[1] == 'i' ? 2 : 1;
    if (*end == 'B')
        end++;
    if (*end != '\0' || value > SIZE_MAX >> shift)
        return false;
    *out_size = (size_t)value << shift;
    return true;
}

/* Parsers of one value: each leaves the options alone when the text is wrong. */

static bool parse_devices(const char *text, struct sim_options *options)
{
    if (strlen(text) >= sizeof options->devices)
        return false;
    strcpy(options->devices, text);
    return true;
}

static bool parse_memory(const char *text, struct sim_options *options)
{
    size_t size;
    if (!sim_parse_size(text, &size) || size == 0)
        return false;
    options->memory = size;
    return true;
}

static bool parse_shared(const char *text, struct sim_options *options)
{
    return sim_parse_size(text, &options->shared_per_block);
}

static bool parse_count(const char *text, unsigned most, unsigned *out_count)
{
    long long value;
    if (!ah_parse_integer(text, &value) || value < 0 || value > most)
        return false;
    *out_count = (unsigned)value;
    return true;
}

static bool parse_threads(const char *text, struct sim_options *options)
{
    return parse_count(text, THREADS_MAX, &options->run.threads);
}

static bool parse_units(const char *text, struct sim_options *options)
{
    return parse_count(text, UNITS_MAX, &options->compute_units);
}

static bool parse_seed(const char *text, struct sim_options *options)
{
    long long seed;
    if (!ah_parse_integer(text, &seed))
        return false;
    options->run.seed = (uint64_t)seed;
    options->run.deterministic = true;
    return true;
}

static bool parse_timeout(const char *text, struct sim_options *options)
{
    return ah_parse_seconds(text, &options->run.timeout_ns);
}

static bool parse_progress(const char *text, struct sim_options *options)
{
    return ah_parse_seconds(text, &options->run.progress_ns);
}

/* The check that size bytes of text name; 0: none. */
static unsigned check_of(const char *text, size_t size)
{
    static const struct {
        const char *name;
        unsigned checks;
    } names[] = {
        {"uninitialised", SIM_CHECK_UNINITIALISED},
        {"uninitialized", SIM_CHECK_UNINITIALISED},
        {"races", SIM_CHECK_RACES},
        {"sync", SIM_CHECK_SYNC},
        {"guards", SIM_CHECK_GUARDS},
        {"all", SIM_CHECK_ALL},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == size && strncasecmp(names[i].name, text, size) == 0)
            return names[i].checks;
    return 0;
}

static bool parse_checks(const char *text, struct sim_options *options)
{
    unsigned checks = 0;
    while (*text) {
        size_t size = strcspn(text, ",");
        unsigned check = check_of(text, size);
        if (!check)
            return false;
        checks |= check;
        text += size + (text[size] == ',');
    }
    options->checks = checks;
    return true;
}

static bool parse_faults(const char *text, struct sim_options *options)
{
    if (strlen(text) >= sizeof options->faults)
        return false;
    strcpy(options->faults, text);
    return true;
}

static bool parse_jit(const char *text, struct sim_options *options)
{
    static const char *const names[] = {
        [SIM_JIT_OFF] = "off", [SIM_JIT_ON] = "on", [SIM_JIT_COMPARE] = "compare"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(text, names[i]) == 0) {
            options->jit = (enum sim_jit)i;
            return true;
        }
    return false;
}

static bool parse_threshold(const char *text, struct sim_options *options)
{
    long long value;
    if (!ah_parse_integer(text, &value) || value < 0)
        return false;
    options->jit_threshold = (uint64_t)value;
    return true;
}

static bool parse_jit_threads(const char *text, struct sim_options *options)
{
    return parse_count(text, SIM_JIT_THREADS_MAX, &options->jit_threads);
}

static bool parse_path(const char *text, size_t size, char *out_path)
{
    if (strlen(text) >= size)
        return false;
    strcpy(out_path, text);
    return true;
}

static bool parse_print(const char *text, struct sim_options *options)
{
    return parse_path(text, sizeof options->jit_print, options->jit_print);
}

static bool parse_cache(const char *text, struct sim_options *options)
{
    return parse_path(text, sizeof options->jit_cache, options->jit_cache);
}

static bool parse_llvm(const char *text, struct sim_options *options)
{
    return parse_path(text, sizeof options->llvm, options->llvm);
}

static bool parse_profile(const char *text, struct sim_options *options)
{
    return parse_path(text, sizeof options->profile, options->profile);
}

/* ---- where they come from ----------------------------------------------------------------- */

struct option {
    bool (*parse)(const char *text, struct sim_options *options);
    const char *expects;
};
static const struct option devices = {parse_devices, "a list of models of at most 255 characters"};
static const struct option memory = {parse_memory, "a size such as 512MiB or 16GiB"};
static const struct option threads = {parse_threads, "a whole number up to 1024"};
static const struct option seed = {parse_seed, "a whole number"};
static const struct option checks = {parse_checks,
                                     "a list of uninitialised, races, sync and guards, or all"};
static const struct option units = {parse_units, "a whole number up to 1024"};
static const struct option shared = {parse_shared, "a size such as 48KiB"};
static const struct option timeout = {parse_timeout, "a number of seconds such as 10 or 0.5"};
static const struct option progress = {parse_progress, "a number of seconds such as 10 or 0.5"};
static const struct option jit = {parse_jit, "off, on or compare"};
static const struct option jit_threads = {parse_jit_threads, "a whole number up to 16"};
static const struct option jit_threshold = {parse_threshold, "a whole number"};
static const struct option jit_print = {parse_print, "a path of at most 1023 characters"};
static const struct option jit_cache = {parse_cache, "off, or a path of at most 1023 characters"};
static const struct option llvm = {parse_llvm, "a path of at most 1023 characters"};
static const struct option faults = {parse_faults, "a list of at most 1023 characters"};
static const struct option profile = {parse_profile, "a folder of at most 4095 characters"};

/* Takes an option from text that name gives, which is freed; nothing from NULL or "". */
static void take(struct sim_options *options, const struct option *option, const char *name,
                 char *text)
{
    if (text && *text && !option->parse(text, options))
        AH_LOG_NOTICE(AH_LOG_WARNING, "%s=%s is not %s: ignored", name, text, option->expects);
    free(text);
}

static char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

/* The strings with commas between them. */
static char *join(const struct ah_config_strings *strings)
{
    size_t size = 1;
    for (size_t i = 0; i < strings->count; i++)
        size += strlen(strings->items[i]) + 1;
    char *text = calloc(1, size), *end = text;
    for (size_t i = 0; text && i < strings->count; i++)
        end += sprintf(end, "%s%s", i ? "," : "", strings->items[i]);
    return text;
}

static void take_file(struct sim_options *options)
{
    struct ah_config config;
    ah_config_init(&config);
    ah_config_load(&config, false); /* ah_config_start_log has logged its errors */
    options->run.threads = (unsigned)config.sim_threads;
    options->compute_units = (unsigned)config.sim_units;
    take(options, &devices, "sim.devices", copy(config.sim_devices));
    take(options, &memory, "sim.memory", copy(config.sim_memory));
    take(options, &seed, "sim.seed", copy(config.sim_seed));
    take(options, &checks, "sim.checks", join(&config.sim_checks));
    take(options, &shared, "sim.shared", copy(config.sim_shared));
    take(options, &timeout, "sim.timeout", copy(config.sim_timeout));
    take(options, &progress, "sim.progress", copy(config.sim_progress));
    take(options, &jit, "sim.jit", copy(config.sim_jit));
    take(options, &jit_cache, "sim.jit_cache", copy(config.sim_jit_cache));
    take(options, &llvm, "sim.llvm", copy(config.sim_llvm));
    take(options, &faults, "sim.faults", join(&config.sim_faults));
    take(options, &profile, "sim.profile",
         ah_env_is_privileged() ? NULL : copy(config.sim_profile));
    ah_config_fini(&config);
}

static void take_variables(struct sim_options *options)
{
    take(options, &devices, "ANYHIP_SIM_DEVICES", ah_env_string("ANYHIP_SIM_DEVICES"));
    take(options, &memory, "ANYHIP_SIM_MEMORY", ah_env_string("ANYHIP_SIM_MEMORY"));
    take(options, &threads, "ANYHIP_SIM_THREADS", ah_env_string("ANYHIP_SIM_THREADS"));
    take(options, &seed, "ANYHIP_SIM_SEED", ah_env_string("ANYHIP_SIM_SEED"));
    take(options, &checks, "ANYHIP_SIM_CHECK", ah_env_string("ANYHIP_SIM_CHECK"));
    take(options, &units, "ANYHIP_SIM_UNITS", ah_env_string("ANYHIP_SIM_UNITS"));
    take(options, &shared, "ANYHIP_SIM_SHARED", ah_env_string("ANYHIP_SIM_SHARED"));
    take(options, &timeout, "ANYHIP_SIM_TIMEOUT", ah_env_string("ANYHIP_SIM_TIMEOUT"));
    take(options, &progress, "ANYHIP_SIM_PROGRESS", ah_env_string("ANYHIP_SIM_PROGRESS"));
    take(options, &jit, "ANYHIP_SIM_JIT", ah_env_string("ANYHIP_SIM_JIT"));
    take(options, &jit_threads, "ANYHIP_SIM_JIT_THREADS", ah_env_string("ANYHIP_SIM_JIT_THREADS"));
    take(options, &jit_threshold, "ANYHIP_SIM_JIT_THRESHOLD",
         ah_env_string("ANYHIP_SIM_JIT_THRESHOLD"));
    take(options, &jit_print, "ANYHIP_SIM_JIT_PRINT", ah_env_path("ANYHIP_SIM_JIT_PRINT"));
    take(options, &jit_cache, "ANYHIP_SIM_JIT_CACHE", ah_env_path("ANYHIP_SIM_JIT_CACHE"));
    take(options, &llvm, "ANYHIP_LLVM", ah_env_path("ANYHIP_LLVM"));
    take(options, &faults, "ANYHIP_SIM_FAULTS", ah_env_string("ANYHIP_SIM_FAULTS"));
    take(options, &profile, "ANYHIP_SIM_PROFILE", ah_env_path("ANYHIP_SIM_PROFILE"));
}

void sim_options_read(struct sim_options *out_options)
{
    *out_options = (struct sim_options){.jit_threshold = JIT_THRESHOLD};
    (void)sim_parse_size(AH_CONFIG_SIM_MEMORY, &out_options->memory);
    (void)ah_parse_seconds(AH_CONFIG_SIM_PROGRESS, &out_options->run.progress_ns);
    (void)parse_jit(AH_CONFIG_SIM_JIT, out_options);
    take_file(out_options);
    take_variables(out_options);
    if (out_options->profile[0]) /* the interpreters count */
        out_options->jit = SIM_JIT_OFF;
}

static struct sim_options options_in_force;

static void read_once(void)
{
    sim_options_read(&options_in_force);
}

const struct sim_options *sim_options(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_once);
    return &options_in_force;
}
