/* Owns the configuration file: its search path, its schema, its values. cJSON parses JSON. */
#include "config.h"
#include "env.h"
#include "log.h"
#include "spelling.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ANYHIP_SYSCONFDIR
#define ANYHIP_SYSCONFDIR "/etc"
#endif

enum { FILE_SIZE_MAX = 1 << 20, TRACE_SIZE_MIB = 2048, TRACE_BUFFER_MIB = 8 };

const char *const ah_config_driver_names[AH_CONFIG_DRIVER_COUNT] = {"cuda", "hsa", "simcuda",
                                                                    "simhsa"};

void ah_config_init(struct ah_config *config)
{
    *config = (struct ah_config){
        .log_mask = AH_LOG_DEFAULT_MASK,
        .log_max_size_mib = AH_LOG_DEFAULT_SIZE_MIB,
        .trace_max_size_mib = TRACE_SIZE_MIB,
        .trace_buffer_mib = TRACE_BUFFER_MIB,
    };
}

static void strings_fini(struct ah_config_strings *strings)
{
    for (size_t i = 0; i < strings->count; i++)
        free(strings->items[i]);
    free(strings->items);
    *strings = (struct ah_config_strings){0};
}

void ah_config_fini(struct ah_config *config)
{
    free(config->path);
    strings_fini(&config->backends);
    strings_fini(&config->devices);
    for (int i = 0; i < AH_CONFIG_DRIVER_COUNT; i++)
        free(config->driver_library[i]);
    free(config->log_file);
    free(config->trace_file);
    free(config->sim_devices);
    free(config->sim_memory);
    free(config->sim_seed);
    free(config->sim_timeout);
    free(config->sim_progress);
    strings_fini(&config->sim_checks);
    free(config->sim_shared);
    free(config->sim_jit);
    free(config->sim_jit_cache);
    free(config->sim_llvm);
    strings_fini(&config->sim_faults);
    free(config->sim_profile);
    *config = (struct ah_config){0};
}

/* Readers of one value: each returns whether the value had the right type. */

static bool read_string(const cJSON *value, void *out)
{
    if (!cJSON_IsString(value))
        return false;
    char **text = out;
    free(*text);
    *text = value->valuestring[0] ? strdup(value->valuestring) : NULL;
    return true;
}

// The limits are those of 64-bit integers at most.
static bool whole_number(const cJSON *value, double low, double high)
{
    return cJSON_IsNumber(value) && value->valuedouble >= low && value->valuedouble <= high &&
           (double)(int64_t)value->valuedouble == value->valuedouble;
}

static bool read_level(const cJSON *value, void *out)
{
    if (!whole_number(value, AH_LOG_NONE, AH_LOG_EXTRA))
        return false;
    *(int *)out = (int)value->valuedouble;
    return true;
}

static bool read_mask(const cJSON *value, void *out)
{
    long long mask;
    if (whole_number(value, INT_MIN, UINT_MAX))
        mask = (long long)value->valuedouble;
    else if (!cJSON_IsString(value) || !ah_parse_integer(value->valuestring, &mask) ||
             mask < INT_MIN || mask > UINT_MAX)
        return false;
    *(int *)out = (int)mask;
    return true;
}

static bool read_count(const cJSON *value, void *out)
{
    if (!whole_number(value, 0, 1024))
        return false;
    *(size_t *)out = (size_t)value->valuedouble;
    return true;
}

static bool read_size(const cJSON *value, void *out)
{
    if (!whole_number(value, 0, 1 << 30))
        return false;
    *(size_t *)out = (size_t)value->valuedouble;
    return true;
}

/* A list of strings; with numbers, whole ones count as strings too. */
static bool read_list(const cJSON *value, bool numbers, void *out)
{
    struct ah_config_strings read = {0};
    const cJSON *item;
    if (!cJSON_IsArray(value))
        return false;
    read.items = calloc((size_t)cJSON_GetArraySize(value) + 1, sizeof *read.items);
    if (!read.items)
        return false;
    cJSON_ArrayForEach(item, value)
    {
        char *text = NULL;
        if (cJSON_IsString(item))
            text = strdup(item->valuestring);
        else if (numbers && whole_number(item, 0, INT_MAX) &&
                 asprintf(&text, "%d", item->valueint) < 0)
            text = NULL;
        if (!text) {
            strings_fini(&read);
            return false;
        }
        read.items[read.count++] = text;
    }
    strings_fini(out);
    *(struct ah_config_strings *)out = read;
    return true;
}

static bool read_strings(const cJSON *value, void *out)
{
    return read_list(value, false, out);
}

/* A number means a device by its index. */
static bool read_selectors(const cJSON *value, void *out)
{
    return read_list(value, true, out);
}

/* The schema: every key, how its value is read and where it goes. */
static const struct schema_key {
    const char *path;
    const char *expects;
    bool (*read)(const cJSON *value, void *out);
    size_t offset;
} schema[] = {
#define KEY(path, expects, read, field)                                                            \
    {                                                                                              \
        path, expects, read, offsetof(struct ah_config, field)                                     \
    }
    KEY("backends", "a list of strings", read_strings, backends),
    KEY("devices", "a list of strings or whole numbers", read_selectors, devices),
    KEY("drivers.cuda.library", "a string", read_string, driver_library[0]),
    KEY("drivers.hsa.library", "a string", read_string, driver_library[1]),
    KEY("drivers.simcuda.library", "a string", read_string, driver_library[2]),
    KEY("drivers.simhsa.library", "a string", read_string, driver_library[3]),
    KEY("log.level", "a whole number from 0 to 5", read_level, log_level),
    KEY("log.mask", "a whole number, or one in a string as \"0x1\"", read_mask, log_mask),
    KEY("log.file", "a string", read_string, log_file),
    KEY("log.max_size_mib", "a whole number of MiB", read_size, log_max_size_mib),
    KEY("trace.file", "a string", read_string, trace_file),
    KEY("trace.max_size_mib", "a whole number of MiB", read_size, trace_max_size_mib),
    KEY("trace.buffer_mib", "a whole number of MiB up to 1024", read_count, trace_buffer_mib),
    KEY("sim.devices", "a string", read_string, sim_devices),
    KEY("sim.memory", "a string", read_string, sim_memory),
    KEY("sim.threads", "a whole number up to 1024", read_count, sim_threads),
    KEY("sim.seed", "a string", read_string, sim_seed),
    KEY("sim.checks", "a list of strings", read_strings, sim_checks),
    KEY("sim.units", "a whole number up to 1024", read_count, sim_units),
    KEY("sim.shared", "a string", read_string, sim_shared),
    KEY("sim.timeout", "a string", read_string, sim_timeout),
    KEY("sim.progress", "a string", read_string, sim_progress),
    KEY("sim.jit", "a string", read_string, sim_jit),
    KEY("sim.jit_cache", "a string", read_string, sim_jit_cache),
    KEY("sim.llvm", "a string", read_string, sim_llvm),
    KEY("sim.faults", "a list of strings", read_strings, sim_faults),
    KEY("sim.profile", "a string", read_string, sim_profile),
#undef KEY
};
enum { SCHEMA_COUNT = sizeof schema / sizeof *schema };

const char *ah_config_key(size_t index)
{
    return index < SCHEMA_COUNT ? schema[index].path : NULL;
}

static const struct schema_key *schema_find(const char *path)
{
    for (int i = 0; i < SCHEMA_COUNT; i++)
        if (strcmp(schema[i].path, path) == 0)
            return &schema[i];
    return NULL;
}

static bool schema_has_group(const char *path)
{
    size_t length = strlen(path);
    for (int i = 0; i < SCHEMA_COUNT; i++)
        if (strncmp(schema[i].path, path, length) == 0 && schema[i].path[length] == '.')
            return true;
    return false;
}

static void unknown_key(const char *path, const char *name)
{
    const char *keys[SCHEMA_COUNT];
    for (int i = 0; i < SCHEMA_COUNT; i++)
        keys[i] = schema[i].path;
    const char *nearest = ah_spelling_nearest(path, keys, SCHEMA_COUNT);
    if (nearest && strcmp(nearest, path) != 0) /* it is, where a key has a dot in it */
        AH_LOG_NOTICE(AH_LOG_WARNING, "%s: unknown key \"%s\" is ignored; is \"%s\" meant?", name,
                      path, nearest);
    else
        AH_LOG_NOTICE(AH_LOG_WARNING,
                      "%s: unknown key \"%s\" is ignored; config/README.md lists the keys", name,
                      path);
}

static void read_object(struct ah_config *config, const cJSON *object, const char *prefix,
                        const char *name);

/* path is the item's full one: a key that holds a dot itself is not among them. */
static void read_item(struct ah_config *config, const cJSON *item, const char *path,
                      const char *name)
{
    bool known = !strchr(item->string, '.');
    const struct schema_key *key = known ? schema_find(path) : NULL;
    if (key) {
        if (!key->read(item, (char *)config + key->offset) && name)
            AH_LOG_NOTICE(AH_LOG_WARNING, "%s: \"%s\" must be %s: its default is used", name, path,
                          key->expects);
    } else if (known && schema_has_group(path)) {
        if (cJSON_IsObject(item))
            read_object(config, item, path, name);
        else if (name)
            AH_LOG_NOTICE(AH_LOG_WARNING, "%s: \"%s\" must be an object: defaults are used", name,
                          path);
    } else if (name && strcmp(path, "$schema") != 0) {
        unknown_key(path, name);
    }
}

static void read_object(struct ah_config *config, const cJSON *object, const char *prefix,
                        const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        char path[128]; /* of a known key; a longer one is cut in the message only */
        snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", item->string);
        read_item(config, item, path, name);
    }
}

static void locate(const char *text, const char *at, int *out_line, int *out_column)
{
    *out_line = 1;
    *out_column = 1;
    for (; text < at; text++) {
        if (*text == '\n') {
            ++*out_line;
            *out_column = 1;
        } else {
            ++*out_column;
        }
    }
}

static bool only_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
        at++;
    return at >= end || *at == '\0';
}

bool ah_config_parse(struct ah_config *config, const char *text, size_t size, const char *name)
{
    const char *end = text;
    cJSON *root = cJSON_ParseWithLengthOpts(text, size, &end, false);
    if (root && cJSON_IsObject(root) && only_space(end, text + size)) {
        read_object(config, root, "", name);
        cJSON_Delete(root);
        return true;
    }
    int line, column;
    const char *problem =
        root && !cJSON_IsObject(root) ? "the file must hold one JSON object" : "not valid JSON";
    if (root && !cJSON_IsObject(root))
        end = text;
    locate(text, end, &line, &column);
    if (name)
        AH_LOG_NOTICE(AH_LOG_ERROR, "%s:%d:%d: %s: the defaults are used", name, line, column,
                      problem);
    cJSON_Delete(root);
    return false;
}

/* Reads a whole file into memory. *out_text is NULL with errno set on failure. */
static void read_file(const char *path, char **out_text, size_t *out_size)
{
    FILE *file = fopen(path, "re");
    *out_text = NULL;
    if (!file)
        return;
    char *text = malloc(FILE_SIZE_MAX + 1);
    size_t size = text ? fread(text, 1, FILE_SIZE_MAX + 1, file) : 0;
    int failure = !text                  ? ENOMEM
                  : ferror(file)         ? (errno ? errno : EIO)
                  : size > FILE_SIZE_MAX ? EFBIG
                                         : 0;
    fclose(file);
    if (failure) {
        free(text);
        errno = failure;
        return;
    }
    text[size] = '\0';
    *out_text = text;
    *out_size = size;
}

/* The place of the user's own or the system's file; to be freed. */
static char *standard_path(int which)
{
    char *path = NULL;
    const char *config_home = secure_getenv("XDG_CONFIG_HOME");
    const char *home = secure_getenv("HOME");
    int written = -1;
    if (which == 0 && config_home && *config_home == '/')
        written = asprintf(&path, "%s/anyhip/anyhip.json", config_home);
    else if (which == 0 && home && *home == '/')
        written = asprintf(&path, "%s/.config/anyhip/anyhip.json", home);
    else if (which == 1)
        written = asprintf(&path, "%s/anyhip/anyhip.json", ANYHIP_SYSCONFDIR);
    return written < 0 ? NULL : path;
}

/* Returns whether the search is over: a file was found, valid or not. */
static bool load_from(struct ah_config *config, char *path, bool must_exist, bool report)
{
    char *text;
    size_t size;
    read_file(path, &text, &size);
    if (!text) {
        bool absent = (errno == ENOENT || errno == ENOTDIR) && !must_exist;
        if (!absent && report)
            AH_LOG_NOTICE(AH_LOG_ERROR,
                          "cannot read the configuration %s (%s): the defaults "
                          "are used",
                          path, strerror(errno));
        free(path);
        return !absent;
    }
    if (ah_config_parse(config, text, size, report ? path : NULL))
        config->path = path;
    else
        free(path);
    free(text);
    return true;
}

void ah_config_load(struct ah_config *config, bool report)
{
    char *named = ah_env_path("ANYHIP_CONFIG");
    if (named && *named) {
        load_from(config, named, true, report);
        return;
    }
    free(named);
    for (int which = 0; which < 2; which++) {
        char *path = standard_path(which);
        if (path && load_from(config, path, false, report))
            return;
    }
}

static cJSON *print_strings(const struct ah_config_strings *strings)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < strings->count; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(strings->items[i]));
    return list;
}

static void print_text(cJSON *object, const char *key, const char *text, const char *fallback)
{
    cJSON_AddStringToObject(object, key, text ? text : fallback);
}

static void print_sim(cJSON *sim, const struct ah_config *config)
{
    print_text(sim, "devices", config->sim_devices, "");
    print_text(sim, "memory", config->sim_memory, AH_CONFIG_SIM_MEMORY);
    cJSON_AddNumberToObject(sim, "threads", (double)config->sim_threads);
    print_text(sim, "seed", config->sim_seed, "");
    cJSON_AddItemToObject(sim, "checks", print_strings(&config->sim_checks));
    cJSON_AddNumberToObject(sim, "units", (double)config->sim_units);
    print_text(sim, "shared", config->sim_shared, "");
    print_text(sim, "timeout", config->sim_timeout, "");
    print_text(sim, "progress", config->sim_progress, AH_CONFIG_SIM_PROGRESS);
    print_text(sim, "jit", config->sim_jit, AH_CONFIG_SIM_JIT);
    print_text(sim, "jit_cache", config->sim_jit_cache, "");
    print_text(sim, "llvm", config->sim_llvm, "");
    cJSON_AddItemToObject(sim, "faults", print_strings(&config->sim_faults));
    print_text(sim, "profile", config->sim_profile, "");
}

char *ah_config_print(const struct ah_config *config)
{
    char mask[16];
    snprintf(mask, sizeof mask, "0x%x", (unsigned)config->log_mask);
    cJSON *root = cJSON_CreateObject();
    cJSON_AddItemToObject(root, "backends", print_strings(&config->backends));
    cJSON_AddItemToObject(root, "devices", print_strings(&config->devices));
    cJSON *drivers = cJSON_AddObjectToObject(root, "drivers");
    for (int i = 0; i < AH_CONFIG_DRIVER_COUNT; i++) {
        cJSON *driver = cJSON_AddObjectToObject(drivers, ah_config_driver_names[i]);
        print_text(driver, "library", config->driver_library[i], "");
    }
    cJSON *log = cJSON_AddObjectToObject(root, "log");
    cJSON_AddNumberToObject(log, "level", config->log_level);
    cJSON_AddStringToObject(log, "mask", mask);
    print_text(log, "file", config->log_file, "");
    cJSON_AddNumberToObject(log, "max_size_mib", (double)config->log_max_size_mib);
    cJSON *trace = cJSON_AddObjectToObject(root, "trace");
    print_text(trace, "file", config->trace_file, "");
    cJSON_AddNumberToObject(trace, "max_size_mib", (double)config->trace_max_size_mib);
    cJSON_AddNumberToObject(trace, "buffer_mib", (double)config->trace_buffer_mib);
    print_sim(cJSON_AddObjectToObject(root, "sim"), config);
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    return text;
}
