/* Owns what `anyhip profile --compare` says: the counts of two profiles, kernel by kernel.
 * Processes are not distinguished, and times do not count. */
#include "listing.h"
#include "profiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 512 };

/* A number of a kernel. */
struct count {
    char *kernel, *name;
    double value;
};

struct counts {
    struct count *items;
    size_t count, capacity;
    bool failed; /* out of memory */
};

static bool grow(struct counts *counts)
{
    if (counts->count < counts->capacity)
        return true;
    size_t capacity = counts->capacity ? 2 * counts->capacity : 256;
    struct count *items = realloc(counts->items, capacity * sizeof *items);
    if (!items)
        return false;
    counts->items = items;
    counts->capacity = capacity;
    return true;
}

static void add(struct counts *counts, const char *kernel, const char *name, double value)
{
    char *kernel_copy = strdup(kernel), *name_copy = strdup(name);
    if (kernel_copy && name_copy && grow(counts)) {
        counts->items[counts->count++] = (struct count){kernel_copy, name_copy, value};
        return;
    }
    counts->failed = true;
    free(kernel_copy);
    free(name_copy);
}

/* What describes the launch is no count, and times differ. */
static bool is_left_out(const char *name)
{
    static const char *const names[] = {"host", "device", "grid", "block", "warp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static void add_numbers(struct counts *counts, const char *kernel, const char *path,
                        const cJSON *object)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        char name[NAME_SIZE];
        if (!item->string || (!*path && is_left_out(item->string)))
            continue;
        snprintf(name, sizeof name, "%s%s%s", path, *path ? "." : "", item->string);
        if (cJSON_IsObject(item))
            add_numbers(counts, kernel, name, item);
        else if (cJSON_IsNumber(item))
            add(counts, kernel, name, item->valuedouble);
    }
}

static void add_kernel(struct counts *counts, const cJSON *kernel)
{
    char name[3 * NAME_SIZE], title[NAME_SIZE], model[NAME_SIZE];
    char *grid = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(kernel, "grid"));
    char *block = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(kernel, "block"));
    ah_listing_printable(title, sizeof title,
                         cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(kernel, "title")));
    ah_listing_printable(model, sizeof model,
                         cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(kernel, "model")));
    snprintf(name, sizeof name, "%s, grid %s, block %s, on simulated %s", title, grid ? grid : "",
             block ? block : "", model);
    add_numbers(counts, name, "", kernel);
    cJSON_free(grid);
    cJSON_free(block);
}

static int order(const void *a, const void *b)
{
    const struct count *left = a, *right = b;
    int kernels = strcmp(left->kernel, right->kernel);
    return kernels ? kernels : strcmp(left->name, right->name);
}

/* What is the same for all launches of a kernel, and not a sum. */
static bool is_sum(const char *name)
{
    size_t length = strlen(name);
    return strncmp(name, "occupancy.", 10) != 0 && strcmp(name, "registers") != 0 &&
           (length < 6 || strcmp(name + length - 6, "_bytes") != 0);
}

/* Sums of one kernel in several processes, or on several devices. */
static void merge(struct counts *counts)
{
    size_t kept = 0;
    for (size_t i = 0; i < counts->count; i++) {
        struct count *item = &counts->items[i], *last = kept ? &counts->items[kept - 1] : NULL;
        if (!last || order(last, item) != 0) {
            counts->items[kept++] = *item;
            continue;
        }
        last->value = is_sum(item->name) ? last->value + item->value : item->value;
        free(item->kernel);
        free(item->name);
    }
    counts->count = kept;
}

static struct counts counts_of(const cJSON *profile)
{
    struct counts counts = {0};
    const cJSON *process, *kernel;
    cJSON_ArrayForEach(process, cJSON_GetObjectItemCaseSensitive(profile, "processes"))
        cJSON_ArrayForEach(kernel, cJSON_GetObjectItemCaseSensitive(process, "kernels"))
            add_kernel(&counts, kernel);
    if (counts.count > 0)
        qsort(counts.items, counts.count, sizeof *counts.items, order);
    merge(&counts);
    return counts;
}

static void free_counts(struct counts *counts)
{
    for (size_t i = 0; i < counts->count; i++) {
        free(counts->items[i].kernel);
        free(counts->items[i].name);
    }
    free(counts->items);
}

/* ---- what is said -------------------------------------------------------------------------------
 */

static bool has_kernel(const struct counts *counts, const char *kernel)
{
    size_t low = 0, high = counts->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int side = strcmp(counts->items[middle].kernel, kernel);
        if (side == 0)
            return true;
        low = side < 0 ? middle + 1 : low;
        high = side < 0 ? high : middle;
    }
    return false;
}

static void print_change(const char *name, double old, double new)
{
    printf("  %-44s %15.0f %15.0f", name, old, new);
    if (old > 0)
        printf("  %+.2f%%", 100 * (new - old) / old);
    putchar('\n');
}

/* Walks both lists, in order of kernels and names. Returns how many numbers differ. */
static size_t print_changes(const struct counts *old, const struct counts *new)
{
    const char *kernel = "";
    size_t changes = 0;
    for (size_t o = 0, n = 0; o < old->count || n < new->count;) {
        const struct count *before = o < old->count ? &old->items[o] : NULL;
        const struct count *after = n < new->count ? &new->items[n] : NULL;
        int side = !before ? 1 : !after ? -1 : order(before, after);
        const char *of = side <= 0 ? before->kernel : after->kernel;
        double was = side <= 0 ? before->value : 0, is = side >= 0 ? after->value : 0;
        const char *name = side <= 0 ? before->name : after->name;
        o += side <= 0;
        n += side >= 0;
        if (was == is)
            continue;
        changes++;
        bool known = has_kernel(old, of) && has_kernel(new, of);
        if (strcmp(kernel, of) != 0)
            printf("%s%s\n", of, known ? "" : has_kernel(new, of) ? ": is new" : ": is gone");
        kernel = of;
        if (known)
            print_change(name, was, is);
    }
    return changes;
}

bool ah_profile_compare(const cJSON *old, const cJSON *new, const char *file)
{
    struct counts before = counts_of(old), after = counts_of(new);
    size_t changes = 1;
    if (before.failed || after.failed)
        fprintf(stderr, "anyhip: out of memory\n");
    else
        changes = print_changes(&before, &after);
    if (changes == 0)
        printf("the same counts as in %s\n", file);
    free_counts(&before);
    free_counts(&after);
    return changes > 0;
}
