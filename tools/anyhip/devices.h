/* The option --device of the commands that start programs. */
#ifndef ANYHIP_DEVICES_H
#define ANYHIP_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

/* Adds the devices of an option of a command to a list, of at most size bytes, as ANYHIP_BACKEND
 * has it. False: after a message. */
bool ah_devices_add(const char *command, const char *value, char *devices, size_t size);

/* Calls take for each part of a list with commas, until one is refused. */
bool ah_for_each_word(const char *list, bool (*take)(void *data, const char *word), void *data);

bool ah_is_one_of(const char *word, const char *const *words, size_t count);

#endif
