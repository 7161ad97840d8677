/* Owns how a summary looks as JSON. */
#include "listing.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>

enum { SCHEMA = 1 };

static void add_text(cJSON *object, const char *key, const char *text)
{
    char printable[AH_SUMMARY_NAME_MAX + 1];
    ah_listing_printable(printable, sizeof printable, text ? text : "");
    cJSON_AddStringToObject(object, key, printable);
}

static void add_number(cJSON *object, const char *key, uint64_t value)
{
    cJSON_AddNumberToObject(object, key, (double)value);
}

static cJSON *add_object(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    if (object && !cJSON_AddItemToArray(array, object)) {
        cJSON_Delete(object);
        return NULL;
    }
    return object;
}

static void add_row(cJSON *array, const struct ah_summary_row *row)
{
    cJSON *object = add_object(array);
    add_text(object, "name", row->name);
    add_number(object, "count", row->count);
    add_number(object, "total_ns", row->total);
    add_number(object, "mean_ns", row->total / row->count);
    add_number(object, "min_ns", row->min);
    add_number(object, "max_ns", row->max);
    if (row->bytes)
        add_number(object, "bytes", row->bytes);
    if (row->bytes && row->total)
        cJSON_AddNumberToObject(object, "gb_per_s", (double)row->bytes / (double)row->total);
}

static bool add_table(cJSON *object, const char *key, const struct ah_summary *summary,
                      enum ah_summary_kind kind, int device, size_t top)
{
    const struct ah_summary_row **rows;
    cJSON *array = cJSON_AddArrayToObject(object, key);
    size_t count = ah_summary_rows(summary, kind, device, &rows);
    for (size_t i = 0; i < count && i < top; i++)
        add_row(array, rows[i]);
    free(rows);
    return array && rows;
}

static void add_gaps(cJSON *object, const struct ah_summary *summary,
                     const struct ah_summary_device *device, size_t top)
{
    struct ah_gap *gaps;
    cJSON *array = cJSON_AddArrayToObject(object, "gaps");
    size_t count = ah_busy_gaps(&device->busy, top, &gaps);
    for (size_t i = 0; i < count; i++) {
        cJSON *gap = add_object(array);
        add_number(gap, "begin_ns", gaps[i].begin - summary->begin);
        add_number(gap, "length_ns", gaps[i].end - gaps[i].begin);
        add_text(gap, "after", summary->rows[gaps[i].after].name);
        add_text(gap, "before", summary->rows[gaps[i].before].name);
    }
    free(gaps);
}

static bool add_device(cJSON *array, const struct ah_summary *summary, int number, size_t top)
{
    static const struct {
        const char *key;
        enum ah_summary_kind kind;
    } tables[] = {{"kernels", AH_SUMMARY_KERNEL}, {"copies", AH_SUMMARY_COPY},
                  {"fills", AH_SUMMARY_FILL},     {"graphs", AH_SUMMARY_GRAPH},
                  {"others", AH_SUMMARY_OTHER},   {"waits", AH_SUMMARY_WAIT}};
    static const char *const memories[AH_SUMMARY_MEMORIES] = {"memory_device", "memory_managed",
                                                              "memory_host", "memory_graphs",
                                                              "memory_other_processes"};
    const struct ah_summary_device *device = &summary->devices[number];
    cJSON *object = add_object(array);
    add_text(object, "name", device->name);
    add_text(object, "label", device->label);
    add_number(object, "busy_ns", ah_busy_total(&device->busy));
    add_number(object, "span_ns", ah_busy_span(&device->busy));
    add_number(object, "shorter_gaps_unknown_ns", device->busy.unknown);
    for (int i = 0; i < AH_SUMMARY_MEMORIES; i++)
        add_number(object, memories[i], device->memory[i]);
    bool good = object != NULL;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        good = add_table(object, tables[i].key, summary, tables[i].kind, number, top) && good;
    add_gaps(object, summary, device, top);
    return good;
}

static void add_open(cJSON *object, const struct ah_summary *summary, size_t top)
{
    cJSON *array = cJSON_AddArrayToObject(object, "open");
    for (size_t i = 0; i < summary->open_count && i < top; i++) {
        cJSON *open = add_object(array);
        add_text(open, "name", summary->open[i].name);
        add_number(open, "thread", summary->open[i].tid);
        add_number(open, "begin_ns", summary->open[i].begin - summary->begin);
    }
}

static bool fill(cJSON *object, const struct ah_summary *summary, size_t top, bool complete)
{
    bool good = true;
    add_number(object, "schema", SCHEMA);
    add_text(object, "program", summary->program);
    cJSON_AddBoolToObject(object, "complete", complete);
    cJSON_AddBoolToObject(object, "ended", summary->has_end);
    add_number(object, "events", summary->events);
    add_number(object, "left_out", summary->left_out);
    add_number(object, "lost", summary->has_end ? summary->lost : summary->lost_so_far);
    add_number(object, "length_ns",
               summary->end > summary->begin ? summary->end - summary->begin : 0);
    cJSON *devices = cJSON_AddArrayToObject(object, "devices");
    for (int i = 0; i < summary->device_count; i++)
        good = add_device(devices, summary, i, top) && good;
    good = add_table(object, "calls", summary, AH_SUMMARY_CALL, AH_SUMMARY_HOST, top) && good;
    good = add_table(object, "ranges", summary, AH_SUMMARY_RANGE, AH_SUMMARY_HOST, top) && good;
    add_open(object, summary, top);
    return good && devices;
}

bool ah_report_json(const struct ah_summary *summary, size_t top, bool complete)
{
    cJSON *object = cJSON_CreateObject();
    char *text = fill(object, summary, top, complete) ? cJSON_Print(object) : NULL;
    if (text)
        puts(text);
    else
        fputs("anyhip: out of memory\n", stderr);
    cJSON_free(text);
    cJSON_Delete(object);
    return text != NULL;
}
