/* Events of the trace file, in the format of Chrome and Perfetto, made from records by the writer's
 * thread alone. Each function appends to out at most AH_TRACE_EVENT_MAX bytes. */
#ifndef AH_TRACE_EVENTS_H
#define AH_TRACE_EVENTS_H

#include "trace.h"
#include "trace_records.h"
#include "trace_text.h"

enum { AH_TRACE_EVENT_MAX = 128 << 10, AH_TRACE_SLICE_NAME_MAX = 400 };

/* ---- pieces of events: trace_events.c --------------------------------------------------- */

/* The number of this process, and of a device in place of one: no process has it. */
unsigned ah_trace_host_pid(void);
unsigned ah_trace_device_pid(int device);

/* ',{"ph":"X","cat":"hip","name":"...","pid":1,"tid":2,"ts":3.000' of a new event, which the caller
 * continues and ends with "}". cat NULL and time 0: it has none. */
void ah_trace_event(struct ah_trace_text *out, const char *phase, const char *cat, const char *name,
                    unsigned pid, unsigned tid, uint64_t time);
/* The name of a process or thread, and its place among others. */
void ah_trace_name_event(struct ah_trace_text *out, const char *what, unsigned pid, unsigned tid,
                         const char *name, unsigned place);

/* ---- the host: trace_events.c ---------------------------------------------------------- */

/* The first and the last event. lost: records; device_lost: of devices' work. */
void ah_trace_write_start(struct ah_trace_text *out);
void ah_trace_write_end(struct ah_trace_text *out, uint64_t lost, uint64_t device_lost);
void ah_trace_write_lost(struct ah_trace_text *out, uint64_t lost);
void ah_trace_write_call(struct ah_trace_text *out, const struct ah_call_record *call);
/* Calls that have lasted long, so that they are seen if they never return. */
void ah_trace_write_open_call(struct ah_trace_text *out, const struct ah_trace_thread *thread);
void ah_trace_write_range(struct ah_trace_text *out, const struct ah_range_record *range);

/* ---- devices: trace_device.c ------------------------------------------------------------- */

void ah_trace_note_command(const struct ah_command_record *command);
void ah_trace_note_name(const struct ah_name_record *name);
void ah_trace_note_graph(const struct ah_graph_record *graph);
void ah_trace_write_device(struct ah_trace_text *out, const struct ah_device_record *record);
void ah_trace_write_memory(struct ah_trace_text *out, const struct ah_memory_record *memory);
/* What is due from time to time: how devices take times. */
void ah_trace_write_methods(struct ah_trace_text *out);
/* A launch of a graph is an event when work behind it is done; this writes the first of those that
 * have had none when the trace ends, or for a second, if there is nothing else to see of them.
 * False: there is none. */
bool ah_trace_write_graph(struct ah_trace_text *out, bool ending);
void ah_trace_device_fini(void);

/* ---- tracks: trace_tracks.c ---------------------------------------------------------------- */

/* A track is a stream's row in the viewer. What overlaps does not fit into one row: the track has
 * more rows for that, and rows of its own for the nodes of graphs. */
enum ah_trace_rows { AH_ROWS_STREAM, AH_ROWS_NODES };

/* The row of something that the device did from begin to end, which is named in out when it is used
 * for the first time. */
unsigned ah_trace_row(struct ah_trace_text *out, const struct ah_trace_stream *stream,
                      enum ah_trace_rows rows, uint64_t begin, uint64_t end);
void ah_trace_tracks_fini(void);

#endif
