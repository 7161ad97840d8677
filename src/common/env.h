/* Environment variables, read one way everywhere.
 *
 * Surrounding quotes are stripped from strings; integers may be decimal, hex
 * (0x) or octal and may be negative; booleans are "true", "yes", "on" or a
 * non-zero number. A value that does not parse counts as unset and is reported
 * once by name. Not safe against a concurrent setenv, as getenv. */
#ifndef AH_ENV_H
#define AH_ENV_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

/* The value without surrounding quotes, to be freed; NULL when unset. An empty
 * value is returned as "". */
char *ah_env_string(const char *name);

/* Whether the program has rights that the user who started it lacks: it is set-user-id or
 * set-group-id, or has file capabilities. */
bool ah_env_is_privileged(void);

/* As ah_env_string, but NULL in such a program: for values that name a file to open, a
 * library to load or a program to run, or are options of one. */
char *ah_env_path(const char *name);

long long ah_env_integer(const char *name, long long fallback);
bool ah_env_bool(const char *name, bool fallback);

/* Parses the whole of text as an integer (decimal, 0x, 0). */
bool ah_parse_integer(const char *text, long long *out_value);
/* Parses the whole of text as seconds, such as "10" and "0.5", with at most nine digits before and
 * after the point. */
bool ah_parse_seconds(const char *text, uint64_t *out_ns);

#endif
