/* Turns the options of `anyhip run` into environment variables, and becomes the program. */
#include "run.h"

#include "env.h"
#include "spelling.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USAGE = 2, CANNOT_START = 126, NOT_FOUND = 127, DEVICES_SIZE = 1024 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct request {
    char devices[DEVICES_SIZE]; /* as ANYHIP_BACKEND has them; "": no option named one */
    const char *check, *timeout, *level;
};

static const char *const drivers[] = {"cuda", "hsa", "simcuda", "simhsa"};
static const char *command = "run"; /* whose options are read */

__attribute__((format(printf, 1, 2))) static bool refuse(const char *format, ...)
{
    va_list args;
    fprintf(stderr, "anyhip: %s ", command);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs("; `anyhip --help` has its options\n", stderr);
    return false;
}

/* Refuses a word of an option, with the word that may be meant and those that there are. */
static bool refuse_word(const char *option, const char *word, const char *const *words,
                        size_t count, const char *valid)
{
    const char *nearest = ah_spelling_nearest(word, words, count);
    return refuse("%s has no \"%s\"%s%s%s: %s", option, word, nearest ? " (did you mean \"" : "",
                  nearest ? nearest : "", nearest ? "\"?)" : "", valid);
}

/* ---- values ------------------------------------------------------------------------------------
 */

static bool is_one_of(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

/* Adds one device of a list; "sm_80" and "gfx90a" are short for those of the simulated drivers. */
static bool add_device(struct request *request, const char *spec)
{
    bool cuda = strncmp(spec, "sm_", 3) == 0, amd = strncmp(spec, "gfx", 3) == 0;
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":*"), spec);
    if (!cuda && !amd && !is_one_of(name, drivers, COUNT(drivers)))
        return refuse_word("--device", name, drivers, COUNT(drivers),
                           "devices are cuda, hsa, simcuda and simhsa, or a model such as sm_80, "
                           "gfx90a*2, simhsa:gfx1100");
    size_t used = strlen(request->devices), room = sizeof request->devices - used;
    int size = snprintf(request->devices + used, room, "%s%s%s", used ? "," : "",
                        cuda  ? "simcuda:"
                        : amd ? "simhsa:"
                              : "",
                        spec);
    return (size_t)size < room || refuse("--device: the list is too long");
}

/* Calls take for each part of a list with commas. */
static bool for_each(const char *list, bool (*take)(struct request *request, const char *word),
                     struct request *request)
{
    char *copy = strdup(list), *rest = copy, *word;
    bool good = copy != NULL;
    while (good && (word = strsep(&rest, ",")))
        good = take(request, word);
    free(copy);
    return good;
}

static bool take_device(struct request *request, const char *value)
{
    return for_each(value, add_device, request);
}

bool ah_run_devices(const char *of_command, const char *value, char *devices, size_t size)
{
    struct request request = {.devices = ""};
    command = of_command;
    snprintf(request.devices, sizeof request.devices, "%s", devices);
    if (!take_device(&request, value))
        return false;
    return snprintf(devices, size, "%s", request.devices) < (int)size ||
           refuse("--device: the list is too long");
}

static bool is_check(struct request *request, const char *word)
{
    static const char *const checks[] = {"uninitialised", "uninitialized", "races",
                                         "sync",          "guards",        "all"};
    (void)request;
    return is_one_of(word, checks, COUNT(checks)) ||
           refuse_word("--check", word, checks, COUNT(checks),
                       "checks are uninitialised, races, sync and guards, or all");
}

static bool take_check(struct request *request, const char *value)
{
    request->check = value;
    return for_each(value, is_check, request);
}

static bool take_timeout(struct request *request, const char *value)
{
    uint64_t ns;
    request->timeout = value;
    return ah_parse_seconds(value, &ns) ||
           refuse("--timeout takes seconds, such as 10 or 0.5, not \"%s\"", value);
}

static bool take_log(struct request *request, const char *value)
{
    request->level = value;
    return (strlen(value) == 1 && *value >= '0' && *value <= '5') ||
           refuse("--log takes 0 (nothing), 1 (errors), 2 (warnings), 3 (API calls), 4 or 5, not "
                  "\"%s\"",
                  value);
}

/* ---- the command line ---------------------------------------------------------------------- */

static const struct option {
    const char *name;
    bool (*take)(struct request *request, const char *value);
} options[] = {{"--device", take_device},
               {"--check", take_check},
               {"--timeout", take_timeout},
               {"--log", take_log}};

static bool refuse_option(const char *argument)
{
    const char *names[COUNT(options)];
    for (size_t i = 0; i < COUNT(options); i++)
        names[i] = options[i].name;
    return refuse_word("the command line", argument, names, COUNT(names),
                       "options are --device, --check, --timeout and --log");
}

/* Reads one option, "--name value" or "--name=value". *at: its index, which is moved on. */
static bool take_option(struct request *request, int count, char **arguments, int *at)
{
    const char *argument = arguments[*at];
    size_t length = strcspn(argument, "=");
    for (size_t i = 0; i < COUNT(options); i++) {
        if (strlen(options[i].name) != length || strncmp(argument, options[i].name, length) != 0)
            continue;
        if (argument[length] != '=' && ++*at == count)
            return refuse("%s needs a value", argument);
        ++*at;
        return options[i].take(request,
                               argument[length] ? argument + length + 1 : arguments[*at - 1]);
    }
    return refuse_option(argument);
}

/* Returns the index of the program, or -1. */
static int read_line(struct request *request, int count, char **arguments)
{
    int at = 0;
    while (at < count && arguments[at][0] == '-') {
        if (strcmp(arguments[at], "--") == 0) {
            at++;
            break;
        }
        if (!take_option(request, count, arguments, &at))
            return -1;
    }
    if (at == count) {
        refuse("needs a program");
        return -1;
    }
    return at;
}

/* ---- starting ------------------------------------------------------------------------------- */

/* Checks and limits of time are those of simulated devices; a GPU would run without them. */
static bool has_simulated(const struct request *request)
{
    const char *devices = *request->devices ? request->devices : getenv("ANYHIP_BACKEND");
    const char *option = request->check ? "--check" : "--timeout";
    if ((!request->check && !request->timeout) || (devices && strstr(devices, "sim")))
        return true;
    return refuse("%s is for simulated devices: name one, as in --device simcuda or --device "
                  "simhsa",
                  option);
}

static bool set(const char *name, const char *value)
{
    if (!value || !*value || setenv(name, value, 1) == 0)
        return true;
    fprintf(stderr, "anyhip: %s: %s\n", name, strerror(errno));
    return false;
}

int ah_run(int count, char **arguments)
{
    struct request request = {.devices = ""};
    int program = read_line(&request, count, arguments);
    if (program < 0 || !has_simulated(&request))
        return USAGE;
    if (!set("ANYHIP_BACKEND", request.devices) || !set("ANYHIP_SIM_CHECK", request.check) ||
        !set("ANYHIP_SIM_TIMEOUT", request.timeout) || !set("AMD_LOG_LEVEL", request.level))
        return CANNOT_START;
    execvp(arguments[program], arguments + program);
    int error = errno;
    fprintf(stderr, "anyhip: %s: %s\n", arguments[program], strerror(error));
    return error == ENOENT ? NOT_FOUND : CANNOT_START;
}
