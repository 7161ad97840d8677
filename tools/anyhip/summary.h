/* What a trace file amounts to: sums of its events, built event by event. Memory is bounded: there
 * are limits to the different names, the devices and what is open at a time, and what is beyond
 * them is counted as left out. Times are nanoseconds. */
#ifndef AH_ANYHIP_SUMMARY_H
#define AH_ANYHIP_SUMMARY_H

#include "busy.h"

#include <cjson/cJSON.h>

enum ah_summary_kind {
    AH_SUMMARY_CALL,
    AH_SUMMARY_RANGE, /* ROCTX */
    AH_SUMMARY_KERNEL,
    AH_SUMMARY_COPY,
    AH_SUMMARY_FILL,
    AH_SUMMARY_GRAPH,
    AH_SUMMARY_OTHER,
    AH_SUMMARY_WAIT,
    AH_SUMMARY_KINDS
};

/* Which memory is in use, as the file counts it. */
enum ah_summary_memory {
    AH_SUMMARY_OF_DEVICE,
    AH_SUMMARY_MANAGED,
    AH_SUMMARY_OF_HOST,
    AH_SUMMARY_OF_GRAPHS,
    AH_SUMMARY_OF_PROCESSES,
    AH_SUMMARY_MEMORIES
};

enum {
    AH_SUMMARY_HOST = -1, /* in place of a device */
    AH_SUMMARY_DEVICES_MAX = 64,
    AH_SUMMARY_ROWS_MAX = 1 << 16,
    AH_SUMMARY_OPEN_MAX = 4096,
    AH_SUMMARY_NAME_MAX = 512,
};

/* All events of one kind and name. */
struct ah_summary_row {
    enum ah_summary_kind kind;
    int device;
    char *name;
    uint64_t count, total, min, max, bytes;
};

struct ah_summary_device {
    uint64_t pid; /* in place of a process */
    char *name, *label;
    struct ah_busy busy;
    uint64_t memory[AH_SUMMARY_MEMORIES]; /* the most in use */
    bool left_out;                        /* out of memory for its pieces of time */
};

/* A beginning whose end has not come. */
struct ah_summary_open {
    enum ah_summary_kind kind;
    uint64_t pid, tid, begin;
    char *id; /* of a range that may end in another thread, or NULL */
    char *name;
};

struct ah_summary {
    struct ah_summary_row *rows;
    size_t row_count, row_room;
    unsigned *places; /* by hash: number of the row + 1 */
    struct ah_summary_device devices[AH_SUMMARY_DEVICES_MAX];
    int device_count;
    struct ah_summary_open *open;
    size_t open_count;
    char *program;
    uint64_t events, begin, end; /* begin, end: of all that have a time */
    uint64_t left_out;           /* events that could not be used */
    uint64_t lost, lost_so_far;  /* records that the program could not write */
    bool is_of_anyhip, has_end;
};

/* False: out of memory. In any case ah_summary_fini is called at last. */
bool ah_summary_init(struct ah_summary *summary);
void ah_summary_add(struct ah_summary *summary, const cJSON *event);
void ah_summary_fini(struct ah_summary *summary);

/* The rows of a kind and device, those with the greatest total first: *out_rows is for free().
 * Returns how many. */
size_t ah_summary_rows(const struct ah_summary *summary, enum ah_summary_kind kind, int device,
                       const struct ah_summary_row ***out_rows);

#endif
