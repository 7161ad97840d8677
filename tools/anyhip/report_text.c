/* Owns how a summary looks as text. */
#include "listing.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 16 };

static const char *const titles[AH_SUMMARY_KINDS] = {
    [AH_SUMMARY_CALL] = "Calls",   [AH_SUMMARY_RANGE] = "Ranges", [AH_SUMMARY_KERNEL] = "kernels",
    [AH_SUMMARY_COPY] = "copies",  [AH_SUMMARY_FILL] = "fills",   [AH_SUMMARY_GRAPH] = "graphs",
    [AH_SUMMARY_OTHER] = "others", [AH_SUMMARY_WAIT] = "waits",
};

/* ---- values -----------------------------------------------------------------------------------
 */

/* Four digits and a unit. */
static const char *scaled(char out[CELL], double value, double step, const char *const *units)
{
    while (value >= 999.95 && units[1]) {
        value /= step;
        units++;
    }
    int decimals = value == 0 ? 0 : value < 9.9995 ? 3 : value < 99.995 ? 2 : 1;
    snprintf(out, CELL, "%.*f %s", decimals, value, *units);
    return out;
}

static const char *duration(char out[CELL], uint64_t ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s", NULL};
    if (ns < 1000) {
        snprintf(out, CELL, "%" PRIu64 " ns", ns);
        return out;
    }
    return scaled(out, (double)ns, 1000, units);
}

static const char *size(char out[CELL], uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", NULL};
    if (bytes < 1000) {
        snprintf(out, CELL, "%" PRIu64 " B", bytes);
        return out;
    }
    return scaled(out, (double)bytes, 1024, units);
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static void print_name(const char *name)
{
    char printable[AH_SUMMARY_NAME_MAX + 1];
    ah_listing_printable(printable, sizeof printable, name ? name : "");
    puts(printable);
}

/* ---- tables -----------------------------------------------------------------------------------
 */

static void print_row(const struct ah_summary_row *row, uint64_t whole, bool has_bytes)
{
    char total[CELL], mean[CELL], min[CELL], max[CELL], bytes[CELL];
    printf("  %5.1f%% %10s %9" PRIu64 " %10s %10s %10s", share(row->total, whole),
           duration(total, row->total), row->count, duration(mean, row->total / row->count),
           duration(min, row->min), duration(max, row->max));
    if (has_bytes)
        printf(" %10s %9.4g", size(bytes, row->bytes),
               row->total ? (double)row->bytes / (double)row->total : 0);
    fputs("  ", stdout);
    print_name(row->name);
}

static bool print_table(const struct ah_summary *summary, enum ah_summary_kind kind, int device,
                        size_t top)
{
    const struct ah_summary_row **rows;
    bool has_bytes = kind == AH_SUMMARY_COPY || kind == AH_SUMMARY_FILL;
    size_t count = ah_summary_rows(summary, kind, device, &rows);
    uint64_t whole = 0;
    for (size_t i = 0; i < count; i++)
        whole += rows[i]->total;
    if (count > 0)
        printf("\n   share      total     count       mean        min        max%s  %s\n",
               has_bytes ? "      bytes      GB/s" : "", titles[kind]);
    for (size_t i = 0; i < count && i < top; i++)
        print_row(rows[i], whole, has_bytes);
    if (count > top)
        printf("  and %zu more\n", count - top);
    free(rows);
    return rows != NULL;
}

/* ---- devices ----------------------------------------------------------------------------------
 */

static void print_gaps(const struct ah_summary *summary, const struct ah_summary_device *device,
                       size_t top)
{
    char text[CELL], when[CELL], name[AH_SUMMARY_NAME_MAX + 1];
    struct ah_gap *gaps;
    size_t count = ah_busy_gaps(&device->busy, top, &gaps);
    if (count > 0)
        puts("\n        idle         at  after, before");
    for (size_t i = 0; i < count; i++) {
        ah_listing_printable(name, sizeof name, summary->rows[gaps[i].after].name);
        printf("  %10s %10s  %s, ", duration(text, gaps[i].end - gaps[i].begin),
               duration(when, gaps[i].begin - summary->begin), name);
        print_name(summary->rows[gaps[i].before].name);
    }
    if (device->busy.unknown)
        printf("  Gaps of up to %s count as busy: there are too many.\n",
               duration(text, device->busy.unknown));
    free(gaps);
}

static void print_memory(const struct ah_summary_device *device)
{
    static const char *const names[AH_SUMMARY_MEMORIES] = {"device", "managed", "host", "graphs",
                                                           "other processes"};
    const char *before = "  memory, at most: ";
    char text[CELL];
    for (int i = 0; i < AH_SUMMARY_MEMORIES; i++) {
        if (device->memory[i]) {
            printf("%s%s %s", before, names[i], size(text, device->memory[i]));
            before = ", ";
        }
    }
    if (*before == ',')
        puts("");
}

static void print_use(const struct ah_summary_device *device)
{
    char busy[CELL], span[CELL];
    uint64_t total = ah_busy_total(&device->busy), whole = ah_busy_span(&device->busy);
    if (whole)
        printf("  busy %s of the %s from its first to its last work, %.1f%%\n",
               duration(busy, total), duration(span, whole), share(total, whole));
    if (device->left_out)
        puts("  There was no memory for all of its work: the time that it was busy is too short.");
    print_memory(device);
}

static bool print_device(const struct ah_summary *summary, int number, size_t top)
{
    const struct ah_summary_device *device = &summary->devices[number];
    puts("");
    print_name(device->name ? device->name : "GPU");
    if (device->label) {
        fputs("  ", stdout);
        print_name(device->label);
    }
    print_use(device);
    for (int kind = AH_SUMMARY_KERNEL; kind < AH_SUMMARY_KINDS; kind++)
        if (!print_table(summary, (enum ah_summary_kind)kind, number, top))
            return false;
    print_gaps(summary, device, top);
    return true;
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static void print_open(const struct ah_summary *summary, size_t top)
{
    char when[CELL];
    size_t found = 0;
    for (size_t i = 0; i < summary->open_count; i++) {
        const struct ah_summary_open *open = &summary->open[i];
        if (found++ == 0)
            puts("\n  Not over at the end of the trace, since");
        if (found > top)
            continue;
        printf("  %10s  ", duration(when, open->begin - summary->begin));
        print_name(open->name);
    }
    if (found > top)
        printf("  and %zu more\n", found - top);
}

static void print_remarks(const struct ah_summary *summary, bool complete)
{
    uint64_t lost = summary->has_end ? summary->lost : summary->lost_so_far;
    if (!summary->has_end && complete)
        puts("  The program had not ended, or ended suddenly.");
    if (lost)
        printf("  %" PRIu64 " records were lost: there was more than could be written.\n", lost);
    if (summary->left_out)
        printf("  %" PRIu64 " events are left out, which are not as AnyHIP writes them or too "
               "many.\n",
               summary->left_out);
}

bool ah_report_text(const struct ah_summary *summary, size_t top, bool complete)
{
    char time[CELL];
    uint64_t length = summary->end > summary->begin ? summary->end - summary->begin : 0;
    bool good = true;
    print_name(summary->program ? summary->program : "a program");
    printf("  %s of trace, %" PRIu64 " events\n", duration(time, length), summary->events);
    print_remarks(summary, complete);
    for (int i = 0; i < summary->device_count; i++)
        good = good && print_device(summary, i, top);
    good = good && print_table(summary, AH_SUMMARY_CALL, AH_SUMMARY_HOST, top) &&
           print_table(summary, AH_SUMMARY_RANGE, AH_SUMMARY_HOST, top);
    print_open(summary, top);
    if (!good)
        fputs("anyhip: out of memory\n", stderr);
    return good;
}
