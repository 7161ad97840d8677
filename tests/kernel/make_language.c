/* Makes docs/kernel-language.md from the inventory of HIP's kernel language (language.tsv), the
 * tests that it names and what they gave on each device (results/). A row whose test does not
 * exist, or was not run on a simulated device, is an error: make_language SOURCE > page. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct device {
    const char *name;
    bool simulated;
    const char *title;
} devices[] = {
    {"simcuda", true, "simcuda"},
    {"simhsa-gfx90a", true, "gfx90a"},
    {"simhsa-gfx1100", true, "gfx1100"},
    {"cuda", false, "H100"},
};
enum { device_count = sizeof(devices) / sizeof(devices[0]) };

/* Where a test named "place: sentence" is written down: as text before it and after it. */
static const struct place {
    const char *name, *file, *before, *after;
    bool on_devices;
} special_places[] = {
    {"rules", "tests/kernel/rules.sh", "\ntest_", "()", false},
    {"code", "tests/kernel/code.sh", "\ntest_", "()", false},
    {"hipcc", "tests/hipcc/compile.sh", "\ntest_", "()", false},
};

static const char *root;
static int errors;

struct text {
    char *path, *bytes;
    struct text *next;
};

static char *in_memory(const char *path)
{
    static struct text *known;
    for (struct text *t = known; t; t = t->next)
        if (strcmp(t->path, path) == 0)
            return t->bytes;
    char whole[1024];
    snprintf(whole, sizeof whole, "%s/%s", root, path);
    FILE *file = fopen(whole, "rb");
    struct text *t = malloc(sizeof *t);
    *t = (struct text){strdup(path), NULL, known};
    known = t;
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    t->bytes = calloc(1, (size_t)size + 1);
    if (fread(t->bytes, 1, (size_t)size, file) != (size_t)size)
        exit(2);
    fclose(file);
    return t->bytes;
}

/* What one device gave for a row of its results: program, name, and ok, FAILED, skip or the error
 * that was measured. */
static const char *recorded(const struct device *device, const char *program, const char *name,
                            bool ulp)
{
    static char found[256];
    char path[256], key[512];
    snprintf(path, sizeof path, "tests/kernel/results/%s.tsv", device->name);
    const char *text = in_memory(path);
    snprintf(key, sizeof key, "%s\t%s\t", program, name);
    for (const char *line = text; line && *line;) {
        const char *end = strchr(line, '\n');
        size_t length = end ? (size_t)(end - line) : strlen(line);
        if (strncmp(line, key, strlen(key)) == 0) {
            snprintf(found, sizeof found, "%.*s", (int)(length - strlen(key)), line + strlen(key));
            bool is_test = strcmp(found, "ok") == 0 || strcmp(found, "FAILED") == 0 ||
                           strcmp(found, "skip") == 0;
            if (is_test != ulp)
                return found;
        }
        line = end ? end + 1 : NULL;
    }
    return NULL;
}

struct proof {
    char place[64], sentence[256], program[96];
    bool on_devices;
};

/* Reads "place: sentence" and sees that it is in its source. */
static bool find_proof(char *word, const char *row, struct proof *out_proof)
{
    char *colon = strstr(word, ": ");
    if (!colon) {
        fprintf(stderr, "language.tsv: %s: '%s' is no test\n", row, word);
        return false;
    }
    *colon = 0;
    *out_proof = (struct proof){.on_devices = true};
    snprintf(out_proof->place, sizeof out_proof->place, "%s", word);
    snprintf(out_proof->sentence, sizeof out_proof->sentence, "%s", colon + 2);
    char file[256], needle[512];
    bool api = strncmp(word, "api/", 4) == 0;
    snprintf(file, sizeof file, "tests/%s%s.hip", api ? "" : "kernel/", word);
    snprintf(needle, sizeof needle, "TEST(\"%s\")", out_proof->sentence);
    snprintf(out_proof->program, sizeof out_proof->program, "%s%s", api ? "api_" : "kernel_",
             api ? word + 4 : word);
    for (size_t i = 0; i < sizeof(special_places) / sizeof(special_places[0]); ++i) {
        const struct place *p = &special_places[i];
        if (strcmp(p->name, word) != 0)
            continue;
        snprintf(file, sizeof file, "%s", p->file);
        snprintf(needle, sizeof needle, "%s%s%s", p->before, out_proof->sentence, p->after);
        out_proof->on_devices = p->on_devices;
    }
    const char *source = in_memory(file);
    if (!source || !strstr(source, needle)) {
        fprintf(stderr, "language.tsv: %s: there is no test '%s' in %s\n", row, out_proof->sentence,
                file);
        return false;
    }
    return true;
}

static int read_proofs(const char *row, char *field, struct proof *out_proofs, int room)
{
    int n = 0;
    for (char *word = field; word && n < room;) {
        char *next = strstr(word, " & ");
        if (next)
            *next = 0, next += 3;
        if (find_proof(word, row, &out_proofs[n]))
            ++n;
        else
            ++errors;
        word = next;
    }
    return n;
}

/* A row's result on a device: that of all its tests that are not skipped there. */
static const char *result_of(const struct device *device, const struct proof *proofs, int n)
{
    bool ran = false, checked = false;
    const struct proof *skipped = NULL;
    for (int i = 0; i < n; ++i) {
        if (!proofs[i].on_devices) {
            checked = true;
            continue;
        }
        const char *result = recorded(device, proofs[i].program, proofs[i].sentence, false);
        if (!result && device->simulated) {
            fprintf(stderr, "results/%s.tsv has no '%s' of %s: ./run docs tables\n", device->name,
                    proofs[i].sentence, proofs[i].program);
            ++errors;
        }
        if (!result)
            return "not run";
        if (strcmp(result, "skip") == 0) {
            skipped = &proofs[i];
            continue;
        }
        if (strcmp(result, "ok") != 0)
            return "**fails**";
        ran = true;
    }
    if (skipped && !ran) {
        fprintf(stderr, "%s: '%s' is skipped on %s, and no remark says \"not on %s\"\n",
                skipped->program, skipped->sentence, device->title, device->title);
        ++errors;
    }
    return ran ? "yes" : checked ? "compiled" : "no";
}

/* A remark "not on gfx90a, gfx1100: ..." says that devices lack what the row is about; its test is
 * skipped there. */
static bool lacks(const char *remark, const struct device *device)
{
    static const char start[] = "not on ";
    const char *end = strchr(remark, ':');
    if (strncmp(remark, start, sizeof start - 1) != 0 || !end)
        return false;
    const char *at = strstr(remark, device->title);
    return at && at < end;
}

/* Text for a cell of a table. */
static void cell(const char *text)
{
    for (; *text; ++text)
        printf(*text == '|' ? "\\|" : "%c", *text);
}

static void print_errors(const char *name, char *bounds, const struct proof *proofs, int n)
{
    char host[128];
    snprintf(host, sizeof host, "host:%s", name);
    for (int column = 0; column <= device_count; ++column) {
        const struct device *device = &devices[column < device_count ? column : 0];
        const char *value = NULL;
        for (int i = 0; i < n && !value; ++i)
            value = recorded(device, proofs[i].program, column < device_count ? name : host, true);
        printf(" %s |", value ? value : "");
    }
    char *hip = strchr(bounds, ';');
    if (hip)
        *hip++ = 0;
    printf(" %s | %s |", bounds, hip ? hip : "");
}

struct totals {
    int rows, yes[device_count], absent;
};

/* name, signature, tests, documented error "CUDA;HIP", note */
static void print_row(char *line, bool with_errors, struct totals *totals)
{
    char nothing[] = "", dash[] = "-";
    char *fields[5] = {line, nothing, dash, nothing, nothing};
    int count = 1;
    for (char *tab = line; count < 5 && (tab = strchr(tab, '\t')) != NULL;) {
        *tab++ = 0;
        fields[count++] = tab;
    }
    char bounds[64];
    snprintf(bounds, sizeof bounds, "%s", fields[3]);
    bool absent = strcmp(fields[2], "-") == 0;
    struct proof proofs[8];
    int n = absent ? 0 : read_proofs(fields[0], fields[2], proofs, 8);
    if (absent && !*fields[4]) {
        fprintf(stderr, "language.tsv: %s is absent without a reason\n", fields[0]);
        ++errors;
    }
    ++totals->rows;
    totals->absent += absent;
    printf("| `");
    cell(fields[0]);
    printf("` | %s", *fields[1] ? "`" : "");
    cell(fields[1]);
    printf("%s |", *fields[1] ? "`" : "");
    for (int d = 0; d < device_count; ++d) {
        bool missing = absent || lacks(fields[4], &devices[d]);
        const char *result = missing ? "no" : result_of(&devices[d], proofs, n);
        totals->yes[d] += strcmp(result, "yes") == 0 || strcmp(result, "compiled") == 0;
        printf(" %s |", result);
    }
    if (with_errors)
        print_errors(fields[0], bounds, proofs, n);
    printf(" ");
    for (int i = 0; i < n; ++i)
        printf("%s%s: %s", i ? "; " : "", proofs[i].place, proofs[i].sentence);
    printf(" | ");
    cell(fields[4]);
    printf(" |\n");
}

static void print_heading(const char *title, bool with_errors)
{
    printf("\n## %s\n\n| as documented | signature |", title);
    for (int d = 0; d < device_count; ++d)
        printf(" %s |", devices[d].title);
    for (int d = 0; with_errors && d < device_count; ++d)
        printf(" error %s |", devices[d].title);
    printf("%s test | remark |\n", with_errors ? " host | CUDA says | HIP says |" : "");
    for (int i = 0; i < 4 + device_count + (with_errors ? device_count + 3 : 0); ++i)
        printf("|---");
    printf("|\n");
}

static const char introduction[] =
    "# The kernel language\n\n"
    "What HIP's documents say a kernel or the program around it can use, and the tests that show\n"
    "it, by device. This page is made from tests/kernel/language.tsv and from results of tests\n"
    "(tests/kernel/results) by `./run docs tables`; a test of the build fails when it is not current,\n"
    "when a test that it names does not exist, or when one was not run.\n\n"
    "- **yes**: the test passed there. Simulated devices: simcuda runs PTX of sm_80; gfx90a "
    "(waves\n"
    "  of 64) and gfx1100 (waves of 32) run AMDGPU machine code. H100: NVIDIA's driver.\n"
    "- **compiled**: a rule for the compiler, or the code it makes; tested with every build.\n"
    "- **no**: the remark says why. **not run**: no result was recorded.\n"
    "- **error**: the largest error that the test saw, in units of the last place of the result,\n"
    "  over a dense sweep and edge values (subnormal, infinite, the ends of the range) against a\n"
    "  long double library; beside it what CUDA's and HIP's documents state. Those of CUDA are\n"
    "  for the full range unless said otherwise, those of HIP for the range that HIP tests. Of\n"
    "  fast functions it is the error where it is the largest number, in [-pi, pi], as HIP has "
    "it.\n";

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_language SOURCE\n");
        return 2;
    }
    root = argv[1];
    char *text = in_memory("tests/kernel/language.tsv");
    if (!text) {
        fprintf(stderr, "%s: no tests/kernel/language.tsv\n", root);
        return 2;
    }
    fputs(introduction, stdout);
    struct totals totals = {0};
    bool with_errors = false;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, "== ", 3) == 0) {
            char *option = strstr(line, " (with errors)");
            with_errors = option != NULL;
            if (option)
                *option = 0;
            print_heading(line + 3, with_errors);
        } else if (strncmp(line, "# ", 2) != 0) {
            print_row(line, with_errors, &totals);
        }
    }
    printf("\n%d rows.", totals.rows);
    for (int d = 0; d < device_count; ++d)
        printf(" %s: %d.", devices[d].title, totals.yes[d]);
    printf(" Absent: %d.\n", totals.absent);
    return errors ? 1 : 0;
}
