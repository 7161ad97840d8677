/* Reads the list of events of a trace file one by one, however long it is: memory is needed for one
 * event. */
#ifndef AH_ANYHIP_EVENTS_H
#define AH_ANYHIP_EVENTS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { AH_EVENT_MAX = 1 << 20 }; /* bytes of one event; AnyHIP writes 128 KiB at most */

enum ah_events_end {
    AH_EVENTS_MORE,     /* the end is not reached */
    AH_EVENTS_COMPLETE, /* the list is closed */
    AH_EVENTS_CUT,      /* the file ends before the list does */
    AH_EVENTS_NO_LIST,  /* it does not begin like a list */
    AH_EVENTS_WRONG,    /* there is something that is no event */
    AH_EVENTS_TOO_LONG,
    AH_EVENTS_UNREADABLE, /* errno tells why */
    AH_EVENTS_NO_MEMORY,
};

struct ah_events {
    FILE *file;
    unsigned char *block; /* of the file, of which so many bytes are read and used */
    size_t filled, used;
    char *text; /* of the current event */
    size_t size, room;
    uint64_t offset; /* in the file */
    uint64_t count;  /* of the events so far */
    enum ah_events_end end;
};

/* file stays the caller's. */
void ah_events_init(struct ah_events *events, FILE *file);
void ah_events_fini(struct ah_events *events);

/* The next event, an object, for cJSON_Delete. NULL: events->end tells why there is none. */
cJSON *ah_events_next(struct ah_events *events);

#endif
