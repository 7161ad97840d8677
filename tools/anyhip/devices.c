/* Owns what --device means. */
#include "devices.h"

#include "command_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct list {
    const char *command;
    char *devices;
    size_t size;
};

static const char *const drivers[] = {"cuda", "hsa", "simcuda", "simhsa"};

bool ah_is_one_of(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

bool ah_for_each_word(const char *list, bool (*take)(void *data, const char *word), void *data)
{
    char *copy = strdup(list), *rest = copy, *word;
    bool good = copy != NULL;
    while (good && (word = strsep(&rest, ",")))
        good = take(data, word);
    free(copy);
    return good;
}

/* "sm_80" and "gfx90a" are short for those of the simulated drivers. */
static bool add_device(void *data, const char *spec)
{
    const struct list *list = data;
    bool cuda = strncmp(spec, "sm_", 3) == 0, amd = strncmp(spec, "gfx", 3) == 0;
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":*"), spec);
    if (!cuda && !amd && !ah_is_one_of(name, drivers, COUNT(drivers)))
        return ah_refuse_word(list->command, "--device", name, drivers, COUNT(drivers),
                              "devices are cuda, hsa, simcuda and simhsa, or a model such as "
                              "sm_80, gfx90a*2, simhsa:gfx1100");
    size_t used = strlen(list->devices), room = list->size - used;
    int size = snprintf(list->devices + used, room, "%s%s%s", used ? "," : "",
                        cuda  ? "simcuda:"
                        : amd ? "simhsa:"
                              : "",
                        spec);
    return (size_t)size < room || ah_refuse(list->command, "--device: the list is too long");
}

bool ah_devices_add(const char *command, const char *value, char *devices, size_t size)
{
    struct list list = {.command = command, .devices = devices, .size = size};
    return ah_for_each_word(value, add_device, &list);
}
