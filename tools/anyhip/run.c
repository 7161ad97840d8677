/* Turns the options of `anyhip run` into environment variables, and becomes the program. */
#include "run.h"

#include "command_line.h"
#include "devices.h"
#include "env.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEVICES_SIZE = 1024 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct request {
    char devices[DEVICES_SIZE]; /* as ANYHIP_BACKEND has them; "": no option named one */
    const char *check, *timeout, *level;
};

static const char command[] = "run";

/* ---- options ----------------------------------------------------------------------------------
 */

static bool take_device(void *data, const char *value)
{
    struct request *request = data;
    return ah_devices_add(command, value, request->devices, sizeof request->devices);
}

static bool is_check(void *unused, const char *word)
{
    static const char *const checks[] = {"uninitialised", "uninitialized", "races",
                                         "sync",          "guards",        "all"};
    (void)unused;
    return ah_is_one_of(word, checks, COUNT(checks)) ||
           ah_refuse_word(command, "--check", word, checks, COUNT(checks),
                          "checks are uninitialised, races, sync and guards, or all");
}

static bool take_check(void *data, const char *value)
{
    ((struct request *)data)->check = value;
    return ah_for_each_word(value, is_check, NULL);
}

static bool take_timeout(void *data, const char *value)
{
    uint64_t ns;
    ((struct request *)data)->timeout = value;
    return ah_parse_seconds(value, &ns) ||
           ah_refuse(command, "--timeout takes seconds, such as 10 or 0.5, not \"%s\"", value);
}

static bool take_log(void *data, const char *value)
{
    ((struct request *)data)->level = value;
    return (strlen(value) == 1 && *value >= '0' && *value <= '5') ||
           ah_refuse(command,
                     "--log takes 0 (nothing), 1 (errors), 2 (warnings), 3 (API calls), 4 or 5, "
                     "not \"%s\"",
                     value);
}

static const struct ah_option options[] = {{.name = "--device", .take = take_device},
                                           {.name = "--check", .take = take_check},
                                           {.name = "--timeout", .take = take_timeout},
                                           {.name = "--log", .take = take_log}};

/* ---- starting ------------------------------------------------------------------------------- */

/* Checks and limits of time are those of simulated devices; a GPU would run without them. */
static bool has_simulated(const struct request *request)
{
    const char *devices = *request->devices ? request->devices : getenv("ANYHIP_BACKEND");
    const char *option = request->check ? "--check" : "--timeout";
    if ((!request->check && !request->timeout) || (devices && strstr(devices, "sim")))
        return true;
    return ah_refuse(command,
                     "%s is for simulated devices: name one, as in --device simcuda or --device "
                     "simhsa",
                     option);
}

static bool set(const char *name, const char *value)
{
    if (!value || !*value || setenv(name, value, 1) == 0)
        return true;
    ah_complain(name, "%s", strerror(errno));
    return false;
}

int ah_run(int count, char **arguments)
{
    struct request request = {.devices = ""};
    static const struct ah_starter starter = {command, options, COUNT(options),
                                              "options are --device, --check, --timeout and --log"};
    int program = ah_read_options(&starter, &request, count, arguments);
    if (program < 0 || !has_simulated(&request))
        return AH_EXIT_USAGE;
    if (!set("ANYHIP_BACKEND", request.devices) || !set("ANYHIP_SIM_CHECK", request.check) ||
        !set("ANYHIP_SIM_TIMEOUT", request.timeout) || !set("AMD_LOG_LEVEL", request.level))
        return AH_EXIT_CANNOT_START;
    execvp(arguments[program], arguments + program);
    int error = errno;
    ah_complain(arguments[program], "%s", strerror(error));
    return error == ENOENT ? AH_EXIT_NOT_FOUND : AH_EXIT_CANNOT_START;
}
