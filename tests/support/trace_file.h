/* Reads trace files (docs/tracing.md): lists of events in JSON. */
#ifndef AH_TEST_TRACE_FILE_H
#define AH_TEST_TRACE_FILE_H

#include "support.h"

#include <cjson/cJSON.h>

#include <string.h>

/* Where the traces of a test are. */
static inline const char *trace_path(void)
{
    return ah_test_path("trace.json");
}

/* The list in a file, which must be complete: to be freed by cJSON_Delete. */
static inline cJSON *trace_read(const char *path)
{
    const char *end = NULL;
    const char *text = ah_test_read_file(path, &(size_t){0});
    assert_non_null(text);
    cJSON *list = cJSON_ParseWithOpts(text, &end, true);
    assert_non_null(list);
    assert_true(cJSON_IsArray(list));
    return list;
}

/* The same of a process that was killed: a last event that is cut off is left out. */
static inline cJSON *trace_read_left(const char *path)
{
    char *text = ah_test_read_file(path, &(size_t){0}), *last = text;
    assert_non_null(text);
    cJSON *list = cJSON_ParseWithOpts(text, NULL, true);
    for (char *at = text; !list && (at = strstr(at, ",\n{")); at++)
        last = at;
    if (!list && last != text) {
        memcpy(last, "\n]", sizeof "\n]");
        list = cJSON_ParseWithOpts(text, NULL, true);
    }
    assert_non_null(list);
    return list;
}

/* "" where it is missing. */
static inline const char *text_of(const cJSON *event, const char *member)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, member));
    return text ? text : "";
}

static inline double number_of(const cJSON *event, const char *member)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(event, member);
    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

/* 0 where it is missing. */
static inline double number_if_any(const cJSON *event, const char *member)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(event, member);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static inline const cJSON *args_of(const cJSON *event)
{
    return cJSON_GetObjectItemCaseSensitive(event, "args");
}

static inline bool is_event(const cJSON *event, const char *phase, const char *name)
{
    return strcmp(text_of(event, "ph"), phase) == 0 && strcmp(text_of(event, "name"), name) == 0;
}

static inline int count_events(const cJSON *list, const char *phase, const char *name)
{
    int found = 0;
    const cJSON *event;
    cJSON_ArrayForEach(event, list) found += is_event(event, phase, name);
    return found;
}

/* The whole of a call, or the end of one that took so long that its beginning was written before,
 * as may happen to any call on a busy host. */
static inline bool is_call(const cJSON *event, const char *name)
{
    return is_event(event, "X", name) || is_event(event, "E", name);
}

static inline int count_calls(const cJSON *list, const char *name)
{
    return count_events(list, "X", name) + count_events(list, "E", name);
}

/* The first one, which must be there. */
static inline const cJSON *find_event(const cJSON *list, const char *phase, const char *name)
{
    const cJSON *event;
    cJSON_ArrayForEach(event, list) if (is_event(event, phase, name)) return event;
    fail_msg("there is no event %s of phase %s", name, phase);
    return NULL;
}

#endif
