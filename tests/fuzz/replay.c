/* Gives a fuzzer every file of a folder, and changes to them that are the same in every run:
 * CHANGES in all, as many to one file as to another. usage: replay FOLDER [CHANGES] */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MAX_HERE = 1 << 20 };

static uint64_t random_state = 1;

static uint64_t next_random(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* In memory of its own of exactly that size, so that a sanitizer sees where it ends. */
static void give(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* Numbers that arithmetic on sizes stumbles over. */
static void store_number(uint8_t *data, size_t size)
{
    static const uint64_t numbers[] = {0, 1, UINT32_MAX, INT64_MAX, UINT64_MAX, UINT64_MAX - 7};
    uint64_t number = numbers[next_random() % (sizeof numbers / sizeof *numbers)];
    size_t width = (size_t)1 << next_random() % 4;
    if (size >= width)
        memcpy(data + next_random() % (size - width + 1), &number, width);
}

static void change(uint8_t *data, size_t *size)
{
    size_t from = *size > 256 && next_random() % 2 ? 256 : *size; /* headers come first */
    for (uint64_t i = 1 + next_random() % 4; i > 0 && *size > 0; i--) {
        switch (next_random() % 4) {
        case 0:
            data[next_random() % from] ^= (uint8_t)(1u << next_random() % 8);
            break;
        case 1:
            data[next_random() % from] = (uint8_t)next_random();
            break;
        case 2:
            store_number(data, from);
            break;
        default:
            if (next_random() % 4 == 0)
                *size = 1 + next_random() % *size;
            from = from < *size ? from : *size;
        }
    }
}

static size_t replay(const char *path, int changes)
{
    static uint8_t original[SIZE_MAX_HERE], changed[SIZE_MAX_HERE];
    FILE *file = fopen(path, "rbe");
    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(2);
    }
    size_t size = fread(original, 1, sizeof original, file);
    fclose(file);
    give(original, size);
    for (int i = 0; i < changes; i++) {
        size_t changed_size = size;
        memcpy(changed, original, size);
        change(changed, &changed_size);
        give(changed, changed_size);
    }
    return 1;
}

int main(int argc, char **argv)
{
    struct dirent **entries;
    int changes = argc > 2 ? atoi(argv[2]) : 0;
    int count = argc > 1 ? scandir(argv[1], &entries, NULL, alphasort) : -1;
    size_t files = 0;
    int changes_of_each = count > 2 ? changes / (count - 2) + 1 : 0; /* without . and .. */
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            files += replay(path, changes_of_each);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    printf("%zu files\n", files);
    return files > 0 ? 0 : 2;
}
