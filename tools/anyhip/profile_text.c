/* Owns how a profile looks as text. */
#include "listing.h"
#include "profiles.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 512, CELL = 24 };

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static double number(const cJSON *object, const char *name)
{
    const cJSON *item = member(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static const char *text(const cJSON *object, const char *name, char out[NAME_SIZE])
{
    const char *value = cJSON_GetStringValue(member(object, name));
    ah_listing_printable(out, NAME_SIZE, value ? value : "");
    return out;
}

static double share(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static const char *plural(double count)
{
    return count == 1 ? "" : "s";
}

static const char *size(char out[CELL], double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    unsigned unit = 0;
    for (; bytes >= 9999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        bytes /= 1024;
    snprintf(out, CELL, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
    return out;
}

static const char *dimensions(char out[CELL * 2], const cJSON *list)
{
    double at[3] = {0};
    for (int i = 0; i < 3; i++)
        if (cJSON_IsNumber(cJSON_GetArrayItem(list, i)))
            at[i] = cJSON_GetArrayItem(list, i)->valuedouble;
    snprintf(out, CELL * 2, "(%.0f,%.0f,%.0f)", at[0], at[1], at[2]);
    return out;
}

/* ---- instructions -----------------------------------------------------------------------------
 */

/* "global load" of "global_load". */
static const char *title_of(const char *class, char out[NAME_SIZE])
{
    ah_listing_printable(out, NAME_SIZE, class);
    for (char *at = out; *at; at++)
        if (*at == '_')
            *at = ' ';
    return out;
}

static void print_instructions(const cJSON *kernel)
{
    const cJSON *class, *instructions = member(kernel, "instructions");
    double executed = number(instructions, "executed"), by_lanes = number(instructions, "by_lanes");
    double branches = number(kernel, "branches"), split = number(kernel, "divergent_branches");
    printf("  %-22s %14.0f  %.2f of %.0f lanes active\n", "instructions", executed,
           by_lanes > 0 ? number(instructions, "lanes") / by_lanes : 0, number(kernel, "warp"));
    cJSON_ArrayForEach(class, member(instructions, "classes"))
    {
        double count = number(class, "executed");
        char title[NAME_SIZE];
        printf("    %-20s %14.0f  %5.1f%%\n", title_of(class->string, title), count,
               share(count, executed));
    }
    printf("  %-22s %14.0f  %.0f with lanes that differ, %.1f%%\n", "branches", branches, split,
           share(split, branches));
}

/* ---- memory -------------------------------------------------------------------------------------
 */

static void print_global(const cJSON *memory)
{
    static const char *const names[][2] = {{"global_load", "global load"},
                                           {"global_store", "global store"},
                                           {"global_atomic", "global atomic"}};
    bool any = false;
    for (int i = 0; i < 3; i++) {
        const cJSON *counts = member(memory, names[i][0]);
        char asked[CELL], moved[CELL];
        if (!counts)
            continue;
        if (!any)
            printf("  %-22s %14s %14s %12s %12s %8s\n", "memory", "accesses", "transactions",
                   "asked", "moved", "used");
        any = true;
        printf("    %-20s %14.0f %14.0f %12s %12s %7.1f%%\n", names[i][1],
               number(counts, "accesses"), number(counts, "transactions"),
               size(asked, number(counts, "bytes")), size(moved, number(counts, "bytes_moved")),
               share(number(counts, "bytes_used"), number(counts, "bytes_moved")));
    }
    if (any)
        printf("    %-20s %14s %11.0f B\n", "",
               "a transaction:", number(memory, "transaction_bytes"));
}

static void print_banks(const cJSON *memory)
{
    static const char *const names[][2] = {{"shared_load", "shared load"},
                                           {"shared_store", "shared store"},
                                           {"shared_atomic", "shared atomic"}};
    bool any = false;
    for (int i = 0; i < 3; i++) {
        const cJSON *counts = member(memory, names[i][0]);
        if (!counts)
            continue;
        if (!any)
            printf("  %-22s %14s %14s %12s\n", "banks", "accesses", "passes", "conflicts");
        any = true;
        printf("    %-20s %14.0f %14.0f %12.0f\n", names[i][1], number(counts, "accesses"),
               number(counts, "passes"), number(counts, "conflicts"));
    }
}

static void print_local(const cJSON *memory)
{
    static const char *const names[][2] = {{"local_load", "local load"},
                                           {"local_store", "local store"}};
    for (int i = 0; i < 2; i++) {
        const cJSON *counts = member(memory, names[i][0]);
        char asked[CELL];
        if (counts)
            printf("  %-22s %14.0f accesses, %s\n", names[i][1], number(counts, "accesses"),
                   size(asked, number(counts, "bytes")));
    }
}

/* ---- a kernel
 * ------------------------------------------------------------------------------------ */

static void print_occupancy(const cJSON *kernel)
{
    const cJSON *occupancy = member(kernel, "occupancy");
    double blocks = number(occupancy, "blocks_per_unit"),
           warps = number(occupancy, "warps_per_unit");
    double most = number(occupancy, "warps_per_unit_max"),
           simds = number(occupancy, "simds_per_unit");
    char limit[NAME_SIZE];
    if (!occupancy || blocks == 0)
        return;
    printf("  %-22s %13.1f%%  %.0f of %.0f warps, %.0f block%s", "occupancy", share(warps, most),
           warps, most, blocks, plural(blocks));
    if (simds > 0)
        printf(" (%.1f of %.0f waves on each SIMD)", warps / simds, most / simds);
    printf("; the limit: %s\n", text(occupancy, "limit", limit));
}

static void print_host(const cJSON *kernel)
{
    double seconds = number(member(kernel, "host"), "seconds");
    const cJSON *instructions = member(kernel, "instructions");
    printf("  %-22s %12.3f s", "time of the host", seconds);
    if (seconds > 0)
        printf("  %.1f million instructions of warps a second",
               number(instructions, "executed") / seconds / 1e6);
    putchar('\n');
}

static void print_launches(const cJSON *kernel)
{
    char grid[CELL * 2], block[CELL * 2], shared[CELL];
    double launches = number(kernel, "launches"), failed = number(kernel, "failed");
    double running = launches - number(kernel, "ended");
    printf("  %.0f launch%s of %s blocks of %s threads; %.0f registers, %s of shared memory\n",
           launches, launches == 1 ? "" : "es", dimensions(grid, member(kernel, "grid")),
           dimensions(block, member(kernel, "block")), number(kernel, "registers"),
           size(shared, number(kernel, "shared_bytes")));
    if (failed > 0)
        printf("  %.0f of them failed, and count up to there\n", failed);
    if (running > 0)
        printf("  %.0f of them had not ended, and are not in the counts\n", running);
}

static void print_kernel(const cJSON *kernel)
{
    char title[NAME_SIZE], model[NAME_SIZE];
    const cJSON *memory = member(kernel, "memory");
    printf("\n%s, on simulated %s\n", text(kernel, "title", title), text(kernel, "model", model));
    print_launches(kernel);
    print_instructions(kernel);
    print_global(memory);
    print_banks(memory);
    print_local(memory);
    print_occupancy(kernel);
    print_host(kernel);
}

void ah_profile_print(const cJSON *profile)
{
    const cJSON *process, *kernel, *processes = member(profile, "processes");
    cJSON_ArrayForEach(process, processes)
    {
        char program[NAME_SIZE];
        double lost = number(process, "launches_not_counted");
        printf("%s (%.0f)\n", text(process, "program", program), number(process, "process"));
        if (cJSON_IsFalse(member(process, "complete")))
            puts("  it did not end by itself: work of its last moments may be missing");
        if (lost > 0)
            printf("  %.0f launches are not counted: there was no memory\n", lost);
        cJSON_ArrayForEach(kernel, member(process, "kernels")) print_kernel(kernel);
        if (process->next)
            putchar('\n');
    }
}
