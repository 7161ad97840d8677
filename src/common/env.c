/* Owns how environment values are parsed; knows no variable by name. */
#include "env.h"
#include "log.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>

static char *unquoted(const char *value)
{
    if (!value)
        return NULL;
    size_t length = strlen(value);
    if (length >= 2 && (value[0] == '"' || value[0] == '\'') && value[length - 1] == value[0])
        return strndup(value + 1, length - 2);
    return strdup(value);
}

char *ah_env_string(const char *name)
{
    return unquoted(getenv(name));
}

bool ah_env_is_privileged(void)
{
    return getauxval(AT_SECURE) != 0;
}

char *ah_env_path(const char *name)
{
    return unquoted(secure_getenv(name));
}

bool ah_parse_integer(const char *text, long long *out_value)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 0);
    if (end == text || errno != 0)
        return false;
    while (isspace((unsigned char)*end))
        end++;
    if (*end != '\0')
        return false;
    *out_value = value;
    return true;
}

bool ah_parse_seconds(const char *text, uint64_t *out_ns)
{
    enum { DIGITS = 9 };
    size_t whole = strspn(text, "0123456789"), part = 0;
    uint64_t ns = 0;
    if (text[whole] == '.')
        part = strspn(text + whole + 1, "0123456789");
    if (whole < 1 || whole > DIGITS || part > DIGITS || (text[whole] == '.' && part == 0) ||
        text[whole + (part ? part + 1 : 0)] != '\0')
        return false;
    for (size_t i = 0; i < whole; i++)
        ns = ns * 10 + (uint64_t)(text[i] - '0');
    for (size_t i = 0; i < DIGITS; i++)
        ns = ns * 10 + (i < part ? (uint64_t)(text[whole + 1 + i] - '0') : 0);
    *out_ns = ns;
    return true;
}

long long ah_env_integer(const char *name, long long fallback)
{
    char *text = ah_env_string(name);
    long long value = fallback;
    if (text && *text && !ah_parse_integer(text, &value)) {
        AH_LOG_NOTICE(AH_LOG_WARNING, "%s=%s is not a number: ignored, %lld is used", name, text,
                      fallback);
        value = fallback;
    }
    free(text);
    return value;
}

bool ah_env_bool(const char *name, bool fallback)
{
    static const char *const yes[] = {"true", "yes", "on"};
    static const char *const no[] = {"false", "no", "off"};
    char *text = ah_env_string(name);
    long long number = fallback;
    bool known = !text || !*text || ah_parse_integer(text, &number);
    for (size_t i = 0; !known && i < sizeof yes / sizeof *yes; i++) {
        bool is_yes = strcasecmp(text, yes[i]) == 0;
        known = is_yes || strcasecmp(text, no[i]) == 0;
        number = known ? is_yes : fallback;
    }
    if (!known)
        AH_LOG_NOTICE(AH_LOG_WARNING,
                      "%s=%s is ignored: it has to be 1, true, yes or on, or else 0, false, no or "
                      "off",
                      name, text);
    free(text);
    return number != 0;
}
