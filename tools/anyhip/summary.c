/* Owns the sums of a trace's events, and what the events mean. */
#include "summary.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 2 * AH_SUMMARY_ROWS_MAX };

static const char others[] = "(others)";

bool ah_summary_init(struct ah_summary *summary)
{
    *summary = (struct ah_summary){.begin = UINT64_MAX};
    summary->places = calloc(PLACES, sizeof *summary->places);
    summary->open = calloc(AH_SUMMARY_OPEN_MAX, sizeof *summary->open);
    return summary->places && summary->open;
}

static void free_open(struct ah_summary_open *open)
{
    free(open->name);
    free(open->id);
}

void ah_summary_fini(struct ah_summary *summary)
{
    for (size_t i = 0; i < summary->row_count; i++)
        free(summary->rows[i].name);
    for (int i = 0; i < summary->device_count; i++) {
        free(summary->devices[i].name);
        free(summary->devices[i].label);
        ah_busy_fini(&summary->devices[i].busy);
    }
    for (size_t i = 0; i < summary->open_count; i++)
        free_open(&summary->open[i]);
    free(summary->rows);
    free(summary->places);
    free(summary->open);
    free(summary->program);
}

/* ---- members of events --------------------------------------------------------------------- */

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static const char *text_of(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(member(object, name));
    return text ? text : "";
}

static bool whole_number(const cJSON *item, double factor, uint64_t *out_value)
{
    static const double MAX = 9e15; /* whole numbers are exact up to here */
    double value = cJSON_IsNumber(item) ? item->valuedouble * factor : -1;
    if (!(value >= 0 && value <= MAX))
        return false;
    *out_value = (uint64_t)(value + 0.5);
    return true;
}

static uint64_t number_of(const cJSON *object, const char *name)
{
    uint64_t value = 0;
    whole_number(member(object, name), 1, &value);
    return value;
}

/* A time, which events have in microseconds. */
static bool time_of(const cJSON *event, const char *name, uint64_t *out_ns)
{
    return whole_number(member(event, name), 1000, out_ns);
}

static void replace(char **text, const char *by)
{
    free(*text);
    *text = strndup(by, AH_SUMMARY_NAME_MAX);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static size_t hash(enum ah_summary_kind kind, int device, const char *name)
{
    uint64_t value = 1469598103934665603u ^ ((uint64_t)kind << 8) ^ (uint64_t)(unsigned)device;
    for (size_t i = 0; name[i] && i < AH_SUMMARY_NAME_MAX; i++)
        value = (value ^ (unsigned char)name[i]) * 1099511628211u;
    return (size_t)(value ^ value >> 32) % PLACES;
}

static bool grow_rows(struct ah_summary *summary)
{
    if (summary->row_count < summary->row_room)
        return true;
    size_t room = summary->row_room ? 2 * summary->row_room : 64;
    struct ah_summary_row *rows = realloc(summary->rows, room * sizeof *rows);
    if (!rows)
        return false;
    summary->rows = rows;
    summary->row_room = room;
    return true;
}

static struct ah_summary_row *add_row(struct ah_summary *summary, enum ah_summary_kind kind,
                                      int device, const char *name)
{
    char *copy = grow_rows(summary) ? strndup(name, AH_SUMMARY_NAME_MAX) : NULL;
    if (!copy)
        return NULL;
    struct ah_summary_row *row = &summary->rows[summary->row_count++];
    *row = (struct ah_summary_row){.kind = kind, .device = device, .name = copy, .min = UINT64_MAX};
    return row;
}

/* The row, which may be new. Names beyond the limit share a row of their kind and device. NULL: out
 * of memory. */
static struct ah_summary_row *find_row(struct ah_summary *summary, enum ah_summary_kind kind,
                                       int device, const char *name)
{
    enum { KEPT = AH_SUMMARY_KINDS * (AH_SUMMARY_DEVICES_MAX + 1) }; /* for "(others)" */
    for (size_t place = hash(kind, device, name);; place = (place + 1) % PLACES) {
        unsigned number = summary->places[place];
        if (number == 0 && summary->row_count >= AH_SUMMARY_ROWS_MAX - KEPT && name != others)
            return find_row(summary, kind, device, others);
        if (number == 0) {
            struct ah_summary_row *added = add_row(summary, kind, device, name);
            summary->places[place] = added ? (unsigned)summary->row_count : 0;
            return added;
        }
        struct ah_summary_row *row = &summary->rows[number - 1];
        if (row->kind == kind && row->device == device &&
            strncmp(row->name, name, AH_SUMMARY_NAME_MAX) == 0)
            return row;
    }
}

static struct ah_summary_row *count(struct ah_summary *summary, enum ah_summary_kind kind,
                                    int device, const char *name, uint64_t ns)
{
    struct ah_summary_row *row = find_row(summary, kind, device, name);
    if (!row) {
        summary->left_out++;
        return NULL;
    }
    row->count++;
    row->total += ns;
    row->min = ns < row->min ? ns : row->min;
    row->max = ns > row->max ? ns : row->max;
    return row;
}

static int by_total(const void *a, const void *b)
{
    const struct ah_summary_row *one = *(const struct ah_summary_row *const *)a;
    const struct ah_summary_row *other = *(const struct ah_summary_row *const *)b;
    if (one->total != other->total)
        return one->total < other->total ? 1 : -1;
    return strcmp(one->name, other->name);
}

size_t ah_summary_rows(const struct ah_summary *summary, enum ah_summary_kind kind, int device,
                       const struct ah_summary_row ***out_rows)
{
    size_t found = 0;
    const struct ah_summary_row **rows = calloc(summary->row_count + 1, sizeof *rows);
    for (size_t i = 0; rows && i < summary->row_count; i++)
        if (summary->rows[i].kind == kind && summary->rows[i].device == device)
            rows[found++] = &summary->rows[i];
    if (rows)
        qsort(rows, found, sizeof *rows, by_total);
    *out_rows = rows;
    return found;
}

/* ---- devices -------------------------------------------------------------------------------- */

/* The number of the device, which may be new. AH_SUMMARY_DEVICES_MAX: there are too many. */
static int find_device(struct ah_summary *summary, uint64_t pid)
{
    int i = 0;
    while (i < summary->device_count && summary->devices[i].pid != pid)
        i++;
    if (i == summary->device_count && i < AH_SUMMARY_DEVICES_MAX)
        summary->devices[summary->device_count++].pid = pid;
    return i;
}

/* False: it is of the host. */
static bool device_kind(const char *category, enum ah_summary_kind *out_kind)
{
    static const struct {
        const char *category;
        enum ah_summary_kind kind;
    } kinds[] = {{"kernel", AH_SUMMARY_KERNEL}, {"copy", AH_SUMMARY_COPY},
                 {"fill", AH_SUMMARY_FILL},     {"graph", AH_SUMMARY_GRAPH},
                 {"wait", AH_SUMMARY_WAIT},     {"host", AH_SUMMARY_WAIT},
                 {"other", AH_SUMMARY_OTHER}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(category, kinds[i].category) == 0) {
            *out_kind = kinds[i].kind;
            return true;
        }
    }
    return false;
}

/* A device that waits, or lets the host work, is idle. The nodes of a graph, where they have
 * times, are events of their own. */
static bool is_busy_with(enum ah_summary_kind kind, const cJSON *event)
{
    return kind != AH_SUMMARY_WAIT &&
           (kind != AH_SUMMARY_GRAPH || number_of(member(event, "args"), "nodes") == 0);
}

static void add_work(struct ah_summary *summary, enum ah_summary_kind kind, const cJSON *event,
                     uint64_t begin, uint64_t ns)
{
    int device = find_device(summary, number_of(event, "pid"));
    if (device == AH_SUMMARY_DEVICES_MAX) {
        summary->left_out++;
        return;
    }
    struct ah_summary_row *row = count(summary, kind, device, text_of(event, "name"), ns);
    if (!row)
        return;
    row->bytes += number_of(member(event, "args"), "bytes");
    struct ah_summary_device *about = &summary->devices[device];
    if (is_busy_with(kind, event) &&
        !ah_busy_add(&about->busy, begin, begin + ns, (unsigned)(row - summary->rows)))
        about->left_out = true;
}

static void add_memory(struct ah_summary *summary, const cJSON *event)
{
    static const char *const members[AH_SUMMARY_MEMORIES] = {"device", "managed", "host", "graphs",
                                                             "other processes"};
    int device = find_device(summary, number_of(event, "pid"));
    for (int i = 0; device < AH_SUMMARY_DEVICES_MAX && i < AH_SUMMARY_MEMORIES; i++) {
        uint64_t bytes = number_of(member(event, "args"), members[i]);
        uint64_t *most = &summary->devices[device].memory[i];
        *most = bytes > *most ? bytes : *most;
    }
}

/* ---- slices of the host -----------------------------------------------------------------------
 */

static bool host_kind(const char *category, enum ah_summary_kind *out_kind)
{
    *out_kind = strcmp(category, "hip") == 0 ? AH_SUMMARY_CALL : AH_SUMMARY_RANGE;
    return *out_kind == AH_SUMMARY_CALL || strcmp(category, "roctx") == 0;
}

static void begin_slice(struct ah_summary *summary, enum ah_summary_kind kind, const cJSON *event,
                        const char *id, uint64_t begin)
{
    if (summary->open_count == AH_SUMMARY_OPEN_MAX) {
        summary->left_out++;
        return;
    }
    struct ah_summary_open open = {
        .kind = kind,
        .pid = number_of(event, "pid"),
        .tid = number_of(event, "tid"),
        .begin = begin,
        .id = id ? strndup(id, AH_SUMMARY_NAME_MAX) : NULL,
        .name = strndup(text_of(event, "name"), AH_SUMMARY_NAME_MAX),
    };
    if (open.name && (!id || open.id)) {
        summary->open[summary->open_count++] = open;
    } else {
        summary->left_out++;
        free_open(&open);
    }
}

static bool begins(const struct ah_summary_open *open, enum ah_summary_kind kind,
                   const cJSON *event, const char *id)
{
    if (open->kind != kind || open->pid != number_of(event, "pid") || !open->id != !id)
        return false;
    return id ? strncmp(open->id, id, AH_SUMMARY_NAME_MAX) == 0
              : open->tid == number_of(event, "tid");
}

static void end_slice(struct ah_summary *summary, enum ah_summary_kind kind, const cJSON *event,
                      const char *id, uint64_t end)
{
    for (size_t i = summary->open_count; i-- > 0;) {
        struct ah_summary_open *open = &summary->open[i];
        if (!begins(open, kind, event, id))
            continue;
        count(summary, kind, AH_SUMMARY_HOST, open->name,
              end > open->begin ? end - open->begin : 0);
        free_open(open);
        memmove(open, open + 1, (summary->open_count - i - 1) * sizeof *open);
        summary->open_count--;
        return;
    }
    summary->left_out++;
}

/* ---- events --------------------------------------------------------------------------------- */

static void add_slice(struct ah_summary *summary, const cJSON *event, uint64_t begin)
{
    enum ah_summary_kind kind;
    const char *category = text_of(event, "cat");
    uint64_t ns;
    if (!time_of(event, "dur", &ns)) {
        summary->left_out++;
        return;
    }
    summary->end = begin + ns > summary->end ? begin + ns : summary->end;
    if (device_kind(category, &kind))
        add_work(summary, kind, event, begin, ns);
    else if (host_kind(category, &kind))
        count(summary, kind, AH_SUMMARY_HOST, text_of(event, "name"), ns);
    else
        summary->left_out++;
}

static void add_metadata(struct ah_summary *summary, const cJSON *event)
{
    const char *name = text_of(event, "name");
    const cJSON *args = member(event, "args");
    const char *text = text_of(args, "name");
    if (strcmp(name, "anyhip_trace") == 0) {
        summary->is_of_anyhip = true;
    } else if (strcmp(name, "anyhip_trace_end") == 0) {
        summary->has_end = true;
        summary->lost += number_of(args, "lost") + number_of(args, "lost_by_devices");
    } else if (strcmp(name, "process_labels") == 0) {
        int device = find_device(summary, number_of(event, "pid"));
        if (device < AH_SUMMARY_DEVICES_MAX)
            replace(&summary->devices[device].label, text_of(args, "labels"));
    } else if (strcmp(name, "process_name") == 0 && strncmp(text, "GPU ", 4) == 0) {
        int device = find_device(summary, number_of(event, "pid"));
        if (device < AH_SUMMARY_DEVICES_MAX)
            replace(&summary->devices[device].name, text);
    } else if (strcmp(name, "process_name") == 0 && !summary->program) {
        replace(&summary->program, text);
    }
}

/* B and E: ranges of a thread; b and e: those with a number of their own. */
static void add_half(struct ah_summary *summary, const cJSON *event, char phase, uint64_t time)
{
    enum ah_summary_kind kind;
    const char *id = phase == 'b' || phase == 'e' ? text_of(event, "id") : NULL;
    if (!host_kind(text_of(event, "cat"), &kind))
        summary->left_out++;
    else if (phase == 'B' || phase == 'b')
        begin_slice(summary, kind, event, id, time);
    else
        end_slice(summary, kind, event, id, time);
}

void ah_summary_add(struct ah_summary *summary, const cJSON *event)
{
    const char *phase = text_of(event, "ph");
    uint64_t time = 0;
    summary->events++;
    if (*phase == 'M') {
        add_metadata(summary, event);
        return;
    }
    if (!*phase || phase[1] || !time_of(event, "ts", &time)) {
        summary->left_out++;
        return;
    }
    summary->begin = time < summary->begin ? time : summary->begin;
    summary->end = time > summary->end ? time : summary->end;
    if (*phase == 'X')
        add_slice(summary, event, time);
    else if (*phase == 'C' && strcmp(text_of(event, "name"), "memory in use") == 0)
        add_memory(summary, event);
    else if (*phase == 'i' && strcmp(text_of(event, "name"), "records lost") == 0)
        summary->lost_so_far = number_of(member(event, "args"), "lost");
    else if (strchr("BEbe", *phase))
        add_half(summary, event, *phase, time);
}
