/* The anyhip command: reads the command line. Exit status 2 means that it was wrong. */
#include "check.h"
#include "info.h"
#include "inspect.h"
#include "profile.h"
#include "run.h"
#include "spelling.h"
#include "trace.h"

#include <hip/anyhip.h>
#include <hip/hip_version.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USAGE = 2 };

static const char help[] =
    "usage: anyhip COMMAND\n"
    "\n"
    "  info [--json|--quiet]  drivers and why each failed, devices, the configuration in force;\n"
    "                         exit status 0 with at least one device, 1 without\n"
    "  inspect [--json] [--extract FOLDER] [--force] FILE...\n"
    "                         the device images in programs, libraries, objects, archives, "
    "bundles,\n"
    "                         code objects, PTX, cubins and CUDA fatbins: kind, target, size,\n"
    "                         kernels, the GPUs that they are for, and which devices of this\n"
    "                         machine run them; images become files of FOLDER, where --force\n"
    "                         replaces those that are there\n"
    "  check                  a self test of each device: allocate, copy, fill, compare\n"
    "  run [--device SPEC] [--check CHECKS] [--timeout SECONDS] [--log LEVEL] PROGRAM ARGUMENT...\n"
    "                         the program, on these devices (cuda, hsa, simcuda, sm_80, "
    "gfx90a*2),\n"
    "                         with checks of simulated devices (races, all), a limit of the time\n"
    "                         that a kernel of theirs may take, and a log (1 errors to 5)\n"
    "  profile [--device SPEC] [--json] [-o FILE] [--compare FILE] PROGRAM ARGUMENT...\n"
    "                         what the program's kernels do on simulated devices: instructions by\n"
    "                         class, transactions, bank conflicts, divergence, occupancy, time of "
    "the\n"
    "                         host; JSON goes to FILE, and --compare prints what changed since "
    "such "
    "a\n"
    "                         file was written, with exit status 1 if anything did\n"
    "  trace [--json] [--top COUNT] FILE\n"
    "                         what a trace file (ANYHIP_TRACE) amounts to: time per kernel and\n"
    "                         call, copies with their rates, graphs, and the longest times in "
    "which\n"
    "                         a device was idle; COUNT lines each, 0 for all\n"
    "  --version, --help\n";

__attribute__((format(printf, 1, 2))) static int refuse(const char *format, ...)
{
    va_list args;
    fputs("anyhip: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs("; `anyhip --help` lists the commands\n", stderr);
    return USAGE;
}

static int info(int count, char **arguments)
{
    enum ah_info_form form = AH_INFO_TEXT;
    for (int i = 0; i < count; i++) {
        if (strcmp(arguments[i], "--json") == 0)
            form = AH_INFO_JSON;
        else if (strcmp(arguments[i], "--quiet") == 0)
            form = AH_INFO_QUIET;
        else
            return refuse("info has no option \"%s\"", arguments[i]);
    }
    return ah_info(form);
}

/* Reads the options of inspect, and moves the files to the front. -1: after a message. */
static int read_inspect(int count, char **arguments, struct ah_inspection *inspection, bool *json)
{
    bool options = true;
    int files = 0;
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i];
        if (!options || *argument != '-') {
            arguments[files++] = arguments[i];
        } else if (strcmp(argument, "--") == 0) {
            options = false;
        } else if (strcmp(argument, "--json") == 0) {
            *json = true;
        } else if (strcmp(argument, "--force") == 0) {
            inspection->extract.force = true;
        } else if (strcmp(argument, "--extract") == 0) {
            if (++i == count)
                return -refuse("--extract needs a folder");
            inspection->extract.folder = arguments[i];
        } else {
            return -refuse("inspect has no option \"%s\"", argument);
        }
    }
    if (inspection->extract.force && !inspection->extract.folder)
        return -refuse("--force needs --extract");
    return files ? files : -refuse("inspect needs a file");
}

static int inspect(int count, char **arguments)
{
    struct ah_inspection inspection = {0};
    bool good = true, json = false;
    int files = read_inspect(count, arguments, &inspection, &json);
    if (files < 0)
        return USAGE;
    ah_listing_begin(&inspection.listing, json);
    for (int i = 0; i < files; i++)
        good = ah_inspect(&inspection, arguments[i]) && good;
    return ah_listing_end(&inspection.listing) && good ? 0 : 1;
}

static int check(int count, char **arguments)
{
    if (count > 0)
        return refuse("check has no option \"%s\"", arguments[0]);
    return ah_check();
}

static const struct {
    const char *name;
    int (*run)(int count, char **arguments);
} commands[] = {{"info", info},  {"inspect", inspect},    {"check", check},
                {"run", ah_run}, {"profile", ah_profile}, {"trace", ah_trace}};

enum { COMMANDS = sizeof commands / sizeof *commands };

static int refuse_command(const char *word)
{
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    const char *nearest = ah_spelling_nearest(word, names, COMMANDS);
    return refuse("there is no command \"%s\"%s%s%s", word, nearest ? " (did you mean \"" : "",
                  nearest ? nearest : "", nearest ? "\"?)" : "");
}

static int run(int count, char **arguments)
{
    if (count == 0)
        return refuse("no command was given");
    if (strcmp(arguments[0], "--help") == 0 || strcmp(arguments[0], "-h") == 0) {
        fputs(help, stdout);
        return 0;
    }
    if (strcmp(arguments[0], "--version") == 0) {
        printf("anyhip %s, HIP %d.%d.%d\n", anyhipVersion(), HIP_VERSION_MAJOR, HIP_VERSION_MINOR,
               HIP_VERSION_PATCH);
        return 0;
    }
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(arguments[0], commands[i].name) == 0)
            return commands[i].run(count - 1, arguments + 1);
    return refuse_command(arguments[0]);
}

int main(int argc, char **argv)
{
    int status = run(argc - 1, argv + 1);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("anyhip: standard output");
        return 1;
    }
    return status;
}
