/* Owns the form of messages and of options. */
#include "command_line.h"

#include "spelling.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { OPTIONS_MAX = 8 };

bool ah_refuse(const char *command, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "anyhip: %s ", command);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs("; `anyhip --help` has its options\n", stderr);
    return false;
}

bool ah_refuse_word(const char *command, const char *option, const char *word,
                    const char *const *words, size_t count, const char *valid)
{
    const char *nearest = ah_spelling_nearest(word, words, count);
    return ah_refuse(command, "%s has no \"%s\"%s%s%s: %s", option, word,
                     nearest ? " (did you mean \"" : "", nearest ? nearest : "",
                     nearest ? "\"?)" : "", valid);
}

int ah_complain(const char *what, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "anyhip: %s: ", what);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return 1;
}

static bool refuse_option(const struct ah_starter *command, const char *argument)
{
    const char *names[OPTIONS_MAX];
    size_t count = 0;
    while (count < command->option_count && count < OPTIONS_MAX) {
        names[count] = command->options[count].name;
        count++;
    }
    return ah_refuse_word(command->name, "the command line", argument, names, count,
                          command->valid);
}

/* *at: the option's index, which is moved on. */
static bool take_option(const struct ah_starter *command, void *request, int count,
                        char **arguments, int *at)
{
    const char *argument = arguments[(*at)++];
    size_t length = strcspn(argument, "=");
    for (size_t i = 0; i < command->option_count; i++) {
        const struct ah_option *option = &command->options[i];
        if (strlen(option->name) != length || strncmp(argument, option->name, length) != 0)
            continue;
        if (option->alone)
            return argument[length] ? ah_refuse(command->name, "%s takes no value", option->name)
                                    : option->take(request, NULL);
        if (argument[length])
            return option->take(request, argument + length + 1);
        return *at < count ? option->take(request, arguments[(*at)++])
                           : ah_refuse(command->name, "%s needs a value", argument);
    }
    return refuse_option(command, argument);
}

int ah_read_options(const struct ah_starter *command, void *request, int count, char **arguments)
{
    int at = 0;
    while (at < count && arguments[at][0] == '-') {
        if (strcmp(arguments[at], "--") == 0) {
            at++;
            break;
        }
        if (!take_option(command, request, count, arguments, &at))
            return -1;
    }
    if (at < count)
        return at;
    ah_refuse(command->name, "needs a program");
    return -1;
}
