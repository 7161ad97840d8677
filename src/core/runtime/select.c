/* Owns the parsing of backend lists, device selectors and visibility lists. */
#include "select.h"
#include "env.h"
#include "log.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SIMULATED_COUNT_MAX = 64 };

static struct ah_backend_request *request_named(struct ah_backend_request *requests, size_t *count,
                                                const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(requests[i].name, name) == 0)
            return &requests[i];
    if (*count == AH_BACKEND_REQUEST_MAX)
        return NULL;
    struct ah_backend_request *request = &requests[(*count)++];
    *request = (struct ah_backend_request){0};
    snprintf(request->name, sizeof request->name, "%s", name);
    return request;
}

static bool append_devices(struct ah_backend_request *request, const char *model, long long count)
{
    size_t used = strlen(request->devices);
    int written = snprintf(request->devices + used, sizeof request->devices - used, "%s%s*%lld",
                           used ? "," : "", model, count);
    if (written > 0 && (size_t)written < sizeof request->devices - used)
        return true;
    request->devices[used] = '\0';
    return false;
}

/* element is changed: it is cut into its parts. */
static bool parse_element(char *element, struct ah_backend_request *requests, size_t *count)
{
    long long devices = 1;
    char *star = strchr(element, '*');
    if (star) {
        *star = '\0';
        if (!ah_parse_integer(star + 1, &devices) || devices < 1 || devices > SIMULATED_COUNT_MAX)
            return false;
    }
    char *colon = strchr(element, ':');
    if (colon)
        *colon = '\0';
    const char *model = colon ? colon + 1 : "";
    if (!*element || strlen(element) >= sizeof requests->name || (colon && !*model))
        return false;
    size_t before = *count;
    struct ah_backend_request *request = request_named(requests, count, element);
    if (!request)
        return false;
    if (!(colon || star) || append_devices(request, *model ? model : "default", devices))
        return true;
    *count = before;
    return false;
}

static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text;
}

size_t ah_select_parse_backends(const char *text, const char *source,
                                struct ah_backend_request out[AH_BACKEND_REQUEST_MAX])
{
    size_t count = 0;
    char *copy = strdup(text), *rest = copy, *element;
    while (rest && (element = strsep(&rest, ","))) {
        element = trimmed(element);
        char shown[64];
        snprintf(shown, sizeof shown, "%s", element);
        if (!parse_element(element, out, &count))
            AH_LOG_NOTICE(AH_LOG_WARNING, "%s: \"%s\" is not name[:model][*count]: ignored", source,
                          shown);
    }
    free(copy);
    return count;
}

void ah_select_format_uuid(const hipUUID *uuid, char out[48])
{
    const unsigned char *b = (const unsigned char *)uuid->bytes;
    bool text = true; /* AMD's driver fills the bytes with 16 hexadecimal digits */
    for (int i = 0; i < 16; i++)
        text = text && isxdigit(b[i]);
    if (text)
        snprintf(out, 48, "GPU-%.16s", uuid->bytes);
    else
        snprintf(out, 48,
                 "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
                 b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
                 b[14], b[15]);
}

void ah_select_format_pci(const struct ah_device_identity *identity, char out[32])
{
    *out = '\0';
    if (identity->pci_domain >= 0 && identity->pci_bus >= 0 && identity->pci_device >= 0)
        snprintf(out, 32, "%04x:%02x:%02x.0", (unsigned)identity->pci_domain,
                 (unsigned)identity->pci_bus, (unsigned)identity->pci_device);
}

static bool matches_uuid(const struct ah_candidate *candidate, const char *text)
{
    char uuid[48];
    ah_select_format_uuid(&candidate->identity->uuid, uuid);
    return strlen(text) > strlen("GPU-") && strncasecmp(uuid, text, strlen(text)) == 0;
}

static bool matches_pci(const struct ah_candidate *candidate, const char *text)
{
    unsigned domain = 0, bus, device, function;
    int end = 0;
    if (text[strspn(text, "0123456789abcdefABCDEF:.")])
        return false;
    if (sscanf(text, "%x:%x:%x.%x%n", &domain, &bus, &device, &function, &end) < 4 || text[end]) {
        domain = 0;
        if (sscanf(text, "%x:%x.%x%n", &bus, &device, &function, &end) < 3 || text[end])
            return false;
    }
    return (int)domain == candidate->identity->pci_domain &&
           (int)bus == candidate->identity->pci_bus &&
           (int)device == candidate->identity->pci_device;
}

static bool matches_driver(const struct ah_candidate *candidate, const char *text)
{
    size_t length = strlen(candidate->driver);
    long long index;
    if (strncmp(text, candidate->driver, length) != 0)
        return false;
    if (text[length] == '\0')
        return true;
    return text[length] == ':' && ah_parse_integer(text + length + 1, &index) &&
           index == candidate->index;
}

static bool matches(const struct ah_candidate *candidate, size_t position, const char *selector)
{
    long long number;
    if (strncmp(selector, "name:", 5) == 0)
        return fnmatch(selector + 5, candidate->identity->name, 0) == 0;
    if (strncasecmp(selector, "GPU-", 4) == 0)
        return matches_uuid(candidate, selector);
    if (ah_parse_integer(selector, &number))
        return number == (long long)position;
    return matches_driver(candidate, selector) || matches_pci(candidate, selector);
}

static bool chosen_already(const size_t *chosen, size_t count, size_t position)
{
    for (size_t i = 0; i < count; i++)
        if (chosen[i] == position)
            return true;
    return false;
}

size_t ah_select_devices(const struct ah_candidate *candidates, size_t count,
                         char *const *selectors, size_t selector_count, size_t *out_chosen)
{
    size_t chosen = 0;
    for (size_t i = 0; selector_count == 0 && i < count; i++)
        out_chosen[chosen++] = i;
    for (size_t s = 0; s < selector_count; s++) {
        bool found = false;
        for (size_t i = 0; i < count; i++) {
            if (!matches(&candidates[i], i, selectors[s]))
                continue;
            found = true;
            if (!chosen_already(out_chosen, chosen, i))
                out_chosen[chosen++] = i;
        }
        if (!found)
            AH_LOG_NOTICE(AH_LOG_WARNING,
                          "configuration: no device matches \"%s\"; where `devices` names none, "
                          "`anyhip info` lists all",
                          selectors[s]);
    }
    return chosen;
}

/* The position that an element of a visibility list names, count when none. */
static size_t visible_position(const struct ah_candidate *candidates, size_t count,
                               const char *element)
{
    long long number;
    if (strncasecmp(element, "GPU-", 4) == 0) {
        for (size_t i = 0; i < count; i++)
            if (matches_uuid(&candidates[i], element))
                return i;
        return count;
    }
    if (!ah_parse_integer(element, &number) || number < 0 || (size_t)number >= count)
        return count;
    return (size_t)number;
}

/* Reports an element that was meant to name a device; -1, an empty element and the word that batch
 * systems write hide all devices. */
static void refuse_visible(const char *variable, const char *element, size_t count)
{
    long long number;
    bool none = !*element || strcmp(element, "NoDevFiles") == 0 ||
                (ah_parse_integer(element, &number) && number < 0);
    if (!none && count > 0)
        AH_LOG_NOTICE(AH_LOG_WARNING,
                      "%s: there is no device \"%s\", so that the list ends before it; devices are "
                      "numbered from 0 to %zu, or named GPU-<uuid>; without %s `anyhip info` lists "
                      "all",
                      variable, element, count - 1, variable);
}

size_t ah_select_visible(const struct ah_candidate *candidates, size_t count, const char *variable,
                         const char *list, size_t *out_chosen)
{
    size_t chosen = 0;
    char *copy = strdup(list), *rest = copy, *element;
    while (rest && (element = strsep(&rest, ","))) {
        size_t position = visible_position(candidates, count, trimmed(element));
        if (position == count) {
            refuse_visible(variable, trimmed(element), count);
            break;
        }
        if (!chosen_already(out_chosen, chosen, position))
            out_chosen[chosen++] = position;
    }
    free(copy);
    return chosen;
}
