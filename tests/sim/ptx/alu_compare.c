/* Compares two files of results, of alu_golden.c or alu_direct.c: how many spellings have the same
 * bits, and by how much the others differ.
 *
 *   alu_compare [-v] <list> <expected> <found> [<allowed>]
 *
 * A NaN for another NaN is counted apart. <allowed> has lines "name ulps": how far
 * off a spelling may be ("rcp.approx.f32 1"; a name that ends in * stands for all
 * that begin so; "~3e-7": the difference as f32; "any": not compared; "nan": NaNs may
 * have other bits). The exit status
 * is 1 when something else differs. -v: with the inputs of the first difference. */
#include "alu_inputs.h"

#include <math.h>

struct line {
    char name[128], type[8];
    uint32_t hash;
    bool refused;
    uint64_t values[ALU_LANES];
};

struct file {
    struct line *lines;
    unsigned count;
};

/* ---- reading --------------------------------------------------------------------- */

static void read_values(char *text, struct line *out_line)
{
    bool predicate = strcmp(out_line->type, "pred") == 0;
    for (unsigned i = 0; i < ALU_LANES; ++i)
        if (predicate)
            out_line->values[i] = text[i] == '1';
        else
            out_line->values[i] = strtoull(text, &text, 16);
}

static bool read_line(char *text, struct line *out_line)
{
    int at = 0;
    memset(out_line, 0, sizeof *out_line);
    if (sscanf(text, "%127s %7s %n", out_line->name, out_line->type, &at) < 2 || !at)
        return false;
    out_line->refused = !strcmp(out_line->type, "refused") || !strcmp(out_line->type, "failed:");
    if (strncmp(out_line->type, "refused", 7) == 0)
        out_line->refused = true;
    int more = 0;
    if (out_line->refused)
        return true;
    if (sscanf(text + at, "%x %n", &out_line->hash, &more) < 1)
        return false;
    read_values(text + at + more, out_line);
    return true;
}

static bool read_file(const char *path, struct file *out_file)
{
    static char text[8192];
    FILE *file = fopen(path, "r");
    *out_file = (struct file){0};
    if (!file)
        return false;
    while (fgets(text, sizeof text, file)) {
        if (out_file->count % 256 == 0)
            out_file->lines =
                realloc(out_file->lines, (out_file->count + 256) * sizeof *out_file->lines);
        if (!out_file->lines)
            return false;
        out_file->count += read_line(text, &out_file->lines[out_file->count]);
    }
    fclose(file);
    return true;
}

static const struct line *find(const struct file *file, const char *name)
{
    static unsigned next; /* both files usually have the same order */
    for (unsigned i = 0; i < file->count; ++i, ++next)
        if (strcmp(file->lines[next % file->count].name, name) == 0)
            return &file->lines[next++ % file->count];
    return NULL;
}

/* ---- differences ------------------------------------------------------------------ */

struct format {
    const char *type;
    unsigned bits, mantissa;
};
static const struct format formats[] = {
    {"f16", 16, 10}, {"bf16", 16, 7},   {"f32", 32, 23},
    {"f64", 64, 52}, {"f16x2", 16, 10}, {"bf16x2", 16, 7},
};

static const struct format *format_of(const char *type)
{
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; ++i)
        if (strcmp(formats[i].type, type) == 0)
            return &formats[i];
    return NULL;
}

struct difference {
    unsigned nans, lanes; /* other NaNs; other values */
    uint64_t ulps;        /* at most; UINT64_MAX: not comparable */
    double distance;      /* of f32, at most */
    unsigned first;       /* lane */
};

static bool is_nan(const struct format *format, uint64_t bits)
{
    uint64_t size = bits & ~(1ull << (format->bits - 1));
    uint64_t infinity = ((1ull << (format->bits - 1)) - 1) & ~((1ull << format->mantissa) - 1);
    return size > infinity;
}

/* Floats in order as integers. */
static int64_t order(const struct format *format, uint64_t bits)
{
    uint64_t sign = 1ull << (format->bits - 1);
    return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

static double distance(const struct format *format, uint64_t a, uint64_t b)
{
    float x, y;
    uint32_t low[2] = {(uint32_t)a, (uint32_t)b};
    if (!format || format->mantissa != 23 || is_nan(format, a) || is_nan(format, b))
        return INFINITY;
    memcpy(&x, &low[0], sizeof x);
    memcpy(&y, &low[1], sizeof y);
    return fabs((double)x - (double)y);
}

static void differ(const struct format *format, uint64_t a, uint64_t b, unsigned lane,
                   struct difference *difference)
{
    if (a == b)
        return;
    if (format && is_nan(format, a) && is_nan(format, b)) {
        ++difference->nans;
        return;
    }
    if (difference->lanes++ == 0)
        difference->first = lane;
    difference->distance = fmax(difference->distance, distance(format, a, b));
    uint64_t ulps = UINT64_MAX;
    if (format && !is_nan(format, a) && !is_nan(format, b)) {
        int64_t x = order(format, a), y = order(format, b);
        ulps = x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
        ulps = ulps ? ulps : 1; /* zeros of either sign */
    }
    difference->ulps = ulps > difference->ulps ? ulps : difference->ulps;
}

static struct difference compare(const struct line *a, const struct line *b)
{
    struct difference difference = {0};
    const struct format *format = format_of(a->type);
    bool pair = strstr(a->type, "x2") != NULL;
    for (unsigned i = 0; i < ALU_LANES; ++i) {
        uint64_t x = a->values[i], y = b->values[i];
        if (pair) {
            differ(format, x & 0xffff, y & 0xffff, i, &difference);
            x >>= 16;
            y >>= 16;
        }
        differ(format, x, y, i, &difference);
    }
    return difference;
}

/* ---- what is allowed ------------------------------------------------------------------- */

struct allowed {
    char name[128];
    uint64_t ulps;
    double distance;
    bool nans;
};
static struct allowed allowed[512];
static unsigned allowed_count;

static bool read_allowed(const char *path)
{
    char line[256], amount[32];
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    while (fgets(line, sizeof line, file) && allowed_count < 512) {
        struct allowed *entry = &allowed[allowed_count];
        if (line[0] == '#' || sscanf(line, "%127s %31s", entry->name, amount) != 2)
            continue;
        bool any = strcmp(amount, "any") == 0;
        entry->nans = any || strcmp(amount, "nan") == 0;
        entry->ulps = any ? UINT64_MAX : strtoull(amount, NULL, 0);
        entry->distance = amount[0] == '~' ? strtod(amount + 1, NULL) : 0;
        ++allowed_count;
    }
    fclose(file);
    return true;
}

static bool is_allowed(const char *name, const struct difference *difference)
{
    bool nans = difference->nans == 0, values = difference->lanes == 0;
    for (unsigned i = 0; i < allowed_count; ++i) {
        size_t length = strlen(allowed[i].name);
        bool prefix = length && allowed[i].name[length - 1] == '*';
        if (prefix ? strncmp(name, allowed[i].name, length - 1) : strcmp(name, allowed[i].name))
            continue;
        nans |= allowed[i].nans;
        values |= difference->ulps <= allowed[i].ulps ||
                  (allowed[i].distance > 0 && difference->distance <= allowed[i].distance);
    }
    return nans && values;
}

/* ---- the report ---------------------------------------------------------------------------- */

static void print_first(const struct alu_spelling *list, unsigned count, const struct line *a,
                        const struct line *b, unsigned lane)
{
    for (unsigned i = 0; i < count; ++i) {
        char name[128];
        alu_name(&list[i], name, sizeof name);
        size_t length = strlen(name);
        if (strncmp(a->name, name, length) || (a->name[length] && a->name[length] != '|'))
            continue;
        printf("    lane %u:", lane);
        for (unsigned s = 0; s < list[i].count; ++s)
            printf(" %s %llx", list[i].sources[s],
                   (unsigned long long)alu_input(&list[i], lane, s));
        if (alu_takes_carry(&list[i]))
            printf(" carry %u", alu_carry_in(&list[i], lane));
        break;
    }
    printf(" -> expected %llx found %llx\n", (unsigned long long)a->values[lane],
           (unsigned long long)b->values[lane]);
}

int main(int argc, char **argv)
{
    bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    argc -= verbose;
    argv += verbose;
    unsigned count = 0, same = 0, tolerated = 0, wrong = 0, unmatched = 0, nans = 0;
    struct file expected, found;
    struct alu_spelling *list = argc >= 4 ? alu_read_list(argv[1], &count) : NULL;
    if (!list || !read_file(argv[2], &expected) || !read_file(argv[3], &found) ||
        (argc > 4 && !read_allowed(argv[4]))) {
        fprintf(stderr, "usage: %s [-v] <list> <expected> <found> [<allowed>]\n", argv[0]);
        return 2;
    }
    for (unsigned i = 0; i < expected.count; ++i) {
        const struct line *a = &expected.lines[i], *b = find(&found, a->name);
        if (a->refused) {
            ++unmatched;
            continue;
        }
        if (!b || b->refused || a->hash != b->hash) {
            ++wrong;
            printf("%s: %s\n", a->name, b && !b->refused ? "other inputs" : "not there");
            continue;
        }
        struct difference difference = compare(a, b);
        nans += difference.nans;
        if (!difference.lanes && !difference.nans) {
            ++same;
            continue;
        }
        bool fine = is_allowed(a->name, &difference);
        tolerated += fine;
        wrong += !fine;
        if (fine && !verbose)
            continue;
        printf("%s%s: %u lanes differ", fine ? "(allowed) " : "", a->name, difference.lanes);
        if (difference.lanes && difference.ulps != UINT64_MAX)
            printf(", by %llu ulp at most", (unsigned long long)difference.ulps);
        printf(", %u other NaNs\n", difference.nans);
        if (verbose && difference.lanes)
            print_first(list, count, a, b, difference.first);
    }
    printf("%u results: %u the same, %u as allowed, %u not, %u the first has none for, %u other "
           "NaNs\n",
           expected.count, same, tolerated, wrong, unmatched, nans);
    free(list);
    free(expected.lines);
    free(found.lines);
    return wrong != 0 || same == 0;
}
