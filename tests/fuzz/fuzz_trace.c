/* What `anyhip trace` reads: a list of events of any content. */
#include "events.h"
#include "fuzz.h"
#include "summary.h"

#include <stdlib.h>

static void check_rows(const struct ah_summary *summary, enum ah_summary_kind kind, int device)
{
    const struct ah_summary_row **rows;
    size_t count = ah_summary_rows(summary, kind, device, &rows);
    for (size_t i = 0; i < count; i++) {
        fuzz_check(rows[i]->count > 0 && rows[i]->min <= rows[i]->max);
        fuzz_check(i == 0 || rows[i]->total <= rows[i - 1]->total);
    }
    free(rows);
}

static void check_gaps(const struct ah_summary *summary, const struct ah_busy *busy)
{
    struct ah_gap *gaps;
    size_t count = ah_busy_gaps(busy, 100, &gaps);
    for (size_t i = 0; i < count; i++) {
        fuzz_check(gaps[i].begin < gaps[i].end);
        fuzz_check(gaps[i].after < summary->row_count && gaps[i].before < summary->row_count);
    }
    fuzz_check(ah_busy_total(busy) <= ah_busy_span(busy));
    free(gaps);
}

static void read_events(FILE *file, struct ah_summary *summary)
{
    struct ah_events events;
    cJSON *event;
    ah_events_init(&events, file);
    while ((event = ah_events_next(&events)) != NULL) {
        ah_summary_add(summary, event);
        cJSON_Delete(event);
    }
    fuzz_check(events.end != AH_EVENTS_MORE && events.count == summary->events);
    ah_events_fini(&events);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ah_summary summary;
    FILE *file = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
    if (!file)
        return 0;
    if (ah_summary_init(&summary))
        read_events(file, &summary);
    for (int kind = 0; kind < AH_SUMMARY_KINDS; kind++)
        for (int device = AH_SUMMARY_HOST; device < summary.device_count; device++)
            check_rows(&summary, (enum ah_summary_kind)kind, device);
    for (int i = 0; i < summary.device_count; i++)
        check_gaps(&summary, &summary.devices[i].busy);
    ah_summary_fini(&summary);
    fclose(file);
    return 0;
}
