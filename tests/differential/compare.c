/* Compares two files of record.c: compare A B. Prints one line: launches, arrays
 * that are equal to the bit, arrays whose numbers are within a few units in the
 * last place (read as float or as double, whichever is nearer), and arrays that
 * differ, the first few of them with kernel, place and both values on standard
 * error. Exit code 1 when arrays differ or the programs took different ways. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR_ULPS = 64, SHOWN = 8 };

struct record {
    bool launch;
    char name[512];
    size_t number, size;
    unsigned char *data;
};

/* False at the end. */
static bool read_record(FILE *file, struct record *record)
{
    char line[600];
    if (!fgets(line, sizeof line, file))
        return false;
    free(record->data);
    *record = (struct record){0};
    record->launch = sscanf(line, "launch %511s", record->name) == 1;
    if (record->launch)
        return true;
    if (sscanf(line, "array %zu %zu", &record->number, &record->size) != 2)
        return false;
    record->data = malloc(record->size + 1);
    return record->data && fread(record->data, 1, record->size + 1, file) == record->size + 1;
}

static uint64_t distance(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* Floats in the order of their values, as integers. */
static int64_t ordered32(uint32_t bits)
{
    return bits >> 31 ? -(int64_t)(bits & 0x7fffffff) : (int64_t)bits;
}

static int64_t ordered64(uint64_t bits)
{
    return bits >> 63 ? -(int64_t)(bits & INT64_MAX) : (int64_t)bits;
}

/* The largest distance in units in the last place, UINT64_MAX where one is NaN and
 * the other is not. */
static uint64_t worst32(const struct record *a, const struct record *b)
{
    uint64_t worst = a->size % 4 ? UINT64_MAX : 0;
    for (size_t i = 0; i + 4 <= a->size; i += 4) {
        uint32_t x, y;
        float fx, fy;
        memcpy(&x, a->data + i, 4), memcpy(&y, b->data + i, 4);
        memcpy(&fx, &x, 4), memcpy(&fy, &y, 4);
        if (isnan(fx) && isnan(fy))
            continue;
        uint64_t far = isnan(fx) || isnan(fy) ? UINT64_MAX : distance(ordered32(x), ordered32(y));
        worst = far > worst ? far : worst;
    }
    return worst;
}

static uint64_t worst64(const struct record *a, const struct record *b)
{
    uint64_t worst = a->size % 8 ? UINT64_MAX : 0;
    for (size_t i = 0; i + 8 <= a->size; i += 8) {
        uint64_t x, y;
        double fx, fy;
        memcpy(&x, a->data + i, 8), memcpy(&y, b->data + i, 8);
        memcpy(&fx, &x, 8), memcpy(&fy, &y, 8);
        if (isnan(fx) && isnan(fy))
            continue;
        uint64_t far = isnan(fx) || isnan(fy) ? UINT64_MAX : distance(ordered64(x), ordered64(y));
        worst = far > worst ? far : worst;
    }
    return worst;
}

static void show(const struct record *a, const struct record *b, const char *kernels, uint64_t ulps)
{
    size_t i = 0;
    while (i < a->size && a->data[i] == b->data[i])
        i++;
    i &= ~(size_t)7;
    uint64_t x = 0, y = 0;
    size_t rest = a->size - i < 8 ? a->size - i : 8;
    memcpy(&x, a->data + i, rest), memcpy(&y, b->data + i, rest);
    fprintf(stderr, "  array %zu (%zu bytes) at byte %zu: %016" PRIx64 " and %016" PRIx64,
            a->number, a->size, i, x, y);
    if (ulps != UINT64_MAX)
        fprintf(stderr, ", up to %" PRIu64 " ulp", ulps);
    fprintf(stderr, ", after%s\n", kernels);
}

int main(int argc, char **argv)
{
    FILE *files[2] = {argc == 3 ? fopen(argv[1], "r") : NULL,
                      argc == 3 ? fopen(argv[2], "r") : NULL};
    struct record a = {0}, b = {0};
    size_t launches = 0, equal = 0, near = 0, differ = 0;
    uint64_t near_worst = 0;
    char kernels[2048] = "";
    bool same_way = true;
    if (!files[0] || !files[1])
        return 2;
    for (;;) {
        bool more_a = read_record(files[0], &a), more_b = read_record(files[1], &b);
        if (!more_a || !more_b) {
            same_way = more_a == more_b;
            break;
        }
        if (a.launch != b.launch || strcmp(a.name, b.name) || a.number != b.number ||
            a.size != b.size) {
            same_way = false;
            break;
        }
        if (a.launch) {
            launches++;
            size_t used = strlen(kernels);
            if (strlen(a.name) + used + 2 < sizeof kernels && !strstr(kernels, a.name))
                snprintf(kernels + used, sizeof kernels - used, " %s", a.name);
            continue;
        }
        if (memcmp(a.data, b.data, a.size) == 0) {
            equal++;
        } else {
            uint64_t ulps32 = worst32(&a, &b), ulps64 = worst64(&a, &b);
            uint64_t ulps = ulps32 < ulps64 ? ulps32 : ulps64;
            bool is_near = ulps <= NEAR_ULPS;
            near += is_near, differ += !is_near;
            if (is_near && ulps > near_worst)
                near_worst = ulps;
            if (!is_near && differ <= SHOWN)
                show(&a, &b, kernels, ulps);
        }
        *kernels = '\0';
    }
    printf("%zu launches, %zu arrays equal, %zu within %" PRIu64 " ulp, %zu differ%s\n", launches,
           equal, near, near_worst, differ, same_way ? "" : "; then the two took different ways");
    return differ || !same_way;
}
