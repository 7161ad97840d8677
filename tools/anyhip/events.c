/* Owns where an event begins and ends; cJSON reads what is in it. */
#include "events.h"

#include <stdlib.h>

enum { BLOCK = 64 << 10 };

void ah_events_init(struct ah_events *events, FILE *file)
{
    *events = (struct ah_events){.file = file};
}

void ah_events_fini(struct ah_events *events)
{
    free(events->text);
    free(events->block);
    events->text = NULL;
    events->block = NULL;
}

static bool fill_block(struct ah_events *events)
{
    if (!events->block)
        events->block = malloc(BLOCK);
    if (!events->block) {
        events->end = AH_EVENTS_NO_MEMORY;
        return false;
    }
    events->used = 0;
    events->filled = fread(events->block, 1, BLOCK, events->file);
    if (events->filled == 0)
        events->end = ferror(events->file) ? AH_EVENTS_UNREADABLE : AH_EVENTS_CUT;
    return events->filled > 0;
}

static int next_byte(struct ah_events *events)
{
    if (events->used == events->filled && !fill_block(events))
        return EOF;
    events->offset++;
    return events->block[events->used++];
}

static bool is_blank(int byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static int next_after_blanks(struct ah_events *events)
{
    int byte;
    do
        byte = next_byte(events);
    while (is_blank(byte));
    return byte;
}

static bool keep(struct ah_events *events, int byte)
{
    if (events->size == AH_EVENT_MAX) {
        events->end = AH_EVENTS_TOO_LONG;
        return false;
    }
    if (events->size == events->room) {
        size_t room = events->room ? 2 * events->room : 4096;
        char *text = realloc(events->text, room);
        if (!text) {
            events->end = AH_EVENTS_NO_MEMORY;
            return false;
        }
        events->text = text;
        events->room = room;
    }
    events->text[events->size++] = (char)byte;
    return true;
}

/* The object whose first brace has been read. False: it has no end. */
static bool read_object(struct ah_events *events)
{
    bool in_text = false, escaped = false;
    int depth = 1;
    events->size = 0;
    if (!keep(events, '{'))
        return false;
    while (depth > 0) {
        int byte = next_byte(events);
        if (byte == EOF || !keep(events, byte))
            return false;
        if (escaped)
            escaped = false;
        else if (in_text && byte == '\\')
            escaped = true;
        else if (byte == '"')
            in_text = !in_text;
        else if (!in_text)
            depth += (byte == '{' || byte == '[') - (byte == '}' || byte == ']');
    }
    return true;
}

/* To where the next event begins. False: there is none. */
static bool find_object(struct ah_events *events)
{
    int byte = events->offset == 0 ? next_after_blanks(events) : '[';
    if (byte != '[') {
        if (byte != EOF)
            events->end = AH_EVENTS_NO_LIST;
        return false;
    }
    byte = next_after_blanks(events);
    if (byte == ',' && events->count > 0)
        byte = next_after_blanks(events);
    if (byte == ']')
        events->end = AH_EVENTS_COMPLETE;
    else if (byte != '{' && byte != EOF)
        events->end = AH_EVENTS_WRONG;
    return byte == '{';
}

cJSON *ah_events_next(struct ah_events *events)
{
    const char *end = NULL;
    if (events->end != AH_EVENTS_MORE || !find_object(events) || !read_object(events))
        return NULL;
    cJSON *event = cJSON_ParseWithLengthOpts(events->text, events->size, &end, false);
    if (event && end == events->text + events->size && cJSON_IsObject(event)) {
        events->count++;
        return event;
    }
    cJSON_Delete(event);
    events->end = AH_EVENTS_WRONG;
    return NULL;
}
