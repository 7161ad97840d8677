/* Owns the rows of devices' streams. */
#include "trace_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRACKS_MAX = 4096, /* further streams share the last */
    STREAM_ROWS = 4,
    NODE_ROWS = 12,
    ROWS = STREAM_ROWS + NODE_ROWS,
    LEGACY = 1, /* ids of streams */
    OF_A_THREAD = 2,
};

struct track {
    struct ah_trace_stream stream;
    uint64_t end[ROWS]; /* of the latest in the row */
    bool named[ROWS];
};

static struct track **tracks;
static unsigned count, latest;

static bool is_same(const struct ah_trace_stream *a, const struct ah_trace_stream *b)
{
    return a->device == b->device && a->id == b->id && a->thread == b->thread;
}

static struct track *add(const struct ah_trace_stream *stream)
{
    struct track *track = calloc(1, sizeof *track);
    if (!tracks)
        tracks = calloc(TRACKS_MAX, sizeof(struct track *));
    if (!track || !tracks) {
        free(track);
        return NULL;
    }
    track->stream = *stream;
    latest = count;
    return tracks[count++] = track;
}

static struct track *find(const struct ah_trace_stream *stream)
{
    if (count > 0 && is_same(&tracks[latest]->stream, stream))
        return tracks[latest];
    for (unsigned i = 0; i < count; i++) {
        if (is_same(&tracks[i]->stream, stream)) {
            latest = i;
            return tracks[i];
        }
    }
    latest = count - 1;
    return count < TRACKS_MAX ? add(stream) : tracks[count - 1];
}

static void name_row(struct ah_trace_text *out, const struct track *track, unsigned row,
                     unsigned tid)
{
    char name[96];
    int used;
    const struct ah_trace_stream *stream = &track->stream;
    if (stream->id == LEGACY)
        used = snprintf(name, sizeof name, "default stream");
    else if (stream->id == OF_A_THREAD)
        used = snprintf(name, sizeof name, "default stream of thread %u", stream->thread);
    else if (stream->id == 0)
        used = snprintf(name, sizeof name, "streams of graphs");
    else
        used = snprintf(name, sizeof name, "stream %llu", stream->id);
    if (row >= STREAM_ROWS)
        used += snprintf(name + used, sizeof name - (size_t)used, ", nodes of graphs");
    else if (row > 0)
        used += snprintf(name + used, sizeof name - (size_t)used, ", at the same time");
    unsigned among = row >= STREAM_ROWS ? row - STREAM_ROWS : row - (row > 0);
    if (among > 0)
        snprintf(name + used, sizeof name - (size_t)used, " (%u)", among + 1);
    ah_trace_name_event(out, "thread", ah_trace_device_pid(stream->device), tid, name, tid);
}

unsigned ah_trace_row(struct ah_trace_text *out, const struct ah_trace_stream *stream,
                      enum ah_trace_rows rows, uint64_t begin, uint64_t end)
{
    unsigned first = rows == AH_ROWS_NODES ? STREAM_ROWS : 0;
    unsigned last = rows == AH_ROWS_NODES ? ROWS - 1 : STREAM_ROWS - 1;
    struct track *track = find(stream);
    if (!track)
        return 0;
    unsigned row = first;
    while (row < last && track->end[row] > begin)
        row++;
    track->end[row] = end > track->end[row] ? end : track->end[row];
    unsigned tid = (latest + 1) * ROWS + row;
    if (!track->named[row])
        name_row(out, track, row, tid);
    track->named[row] = true;
    return tid;
}

void ah_trace_tracks_fini(void)
{
    for (unsigned i = 0; i < count; i++)
        free(tracks[i]);
    free(tracks);
    tracks = NULL;
    count = latest = 0;
}
