/* What the commands share: how they read their options, and how they say what is wrong. */
#ifndef ANYHIP_COMMAND_LINE_H
#define ANYHIP_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* Exit statuses besides 0 and 1; the last two are those of shells. */
enum { AH_EXIT_USAGE = 2, AH_EXIT_CANNOT_START = 126, AH_EXIT_NOT_FOUND = 127 };

/* "anyhip: COMMAND ", what is wrong with the command line, and where help is. Returns false. */
__attribute__((format(printf, 2, 3))) bool ah_refuse(const char *command, const char *format, ...);

/* Refuses a word of an option, with the one of words that may be meant, and valid: which there
 * are, in a sentence. */
bool ah_refuse_word(const char *command, const char *option, const char *word,
                    const char *const *words, size_t count, const char *valid);

/* "anyhip: WHAT: ", and what is wrong with it: a file, a program. Returns 1, the exit status. */
__attribute__((format(printf, 2, 3))) int ah_complain(const char *what, const char *format, ...);

/* "--name value" or "--name=value", or "--name" alone, whose value is NULL then. */
struct ah_option {
    const char *name;
    bool (*take)(void *request, const char *value); /* false: after a message */
    bool alone;
};

/* A command whose options come before a program and its arguments. */
struct ah_starter {
    const char *name;
    const struct ah_option *options;
    size_t option_count;
    const char *valid; /* "options are --this and --that" */
};

/* Reads options up to the program or "--". Returns the index of the program, or -1 after a
 * message. */
int ah_read_options(const struct ah_starter *command, void *request, int count, char **arguments);

#endif
