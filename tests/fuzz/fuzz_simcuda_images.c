/* Images as a program gives them to a simulated CUDA driver: fatbins, cubins and text. The driver's
 * function has no size, as CUDA's has none; the sizes in a fatbin's header are made true here, and
 * what follows is of any content. */
#include "fuzz.h"

#include <stdlib.h>

/* An entry may ask for a gigabyte to unpack into. */
static void *small_malloc(size_t size)
{
    return size <= 1 << 20 ? malloc(size) : NULL;
}

#define malloc small_malloc
#include "simcuda_image.c"
#undef malloc

enum { FATBIN_HEADER = 16 };

/* The driver's own lies in a file with all of its state. */
void simcuda_log_line(struct ptx_log *log, const char *format, ...)
{
    (void)format;
    log->errors++;
}

static bool starts(const uint8_t *data, size_t size, const char *magic)
{
    return size >= 4 && memcmp(data, magic, 4) == 0;
}

static void correct_sizes(uint8_t *data, size_t size)
{
    uint16_t header;
    memcpy(&header, data + 6, sizeof header);
    if (header > size)
        header = FATBIN_HEADER;
    uint64_t rest = size - header;
    memcpy(data + 6, &header, sizeof header);
    memcpy(data + 8, &rest, sizeof rest);
}

static void check_text(const struct simcuda_text *text)
{
    unsigned version, target;
    char last = text->size > 0 ? text->text[text->size - 1] : '\0';
    *(volatile char *)&last = last;
    if (simcuda_image_header(text->text, text->size, &version, &target))
        fuzz_check(version < 100000000 && target < 1000000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct simcuda_text text = {0};
    struct ptx_log log = {0};
    bool fatbin = starts(data, size, "\x50\xed\x55\xba"), elf = starts(data, size, ELFMAG);
    if ((fatbin && size < FATBIN_HEADER) || (elf && size < sizeof(Elf64_Ehdr)) ||
        starts(data, size, "\xb1\x43\x62\x46")) /* holds a pointer */
        return 0;
    uint8_t *copy = malloc(size + 1);
    if (!copy)
        abort();
    memcpy(copy, data, size);
    copy[size] = '\0'; /* of text */
    if (fatbin) {
        correct_sizes(copy, size);
        copy = realloc(copy, size);
    }
    if (simcuda_image_text(copy, 90, &text, &log) == CUDA_SUCCESS)
        check_text(&text);
    else
        fuzz_check(!text.owned);
    free(text.owned);
    free(copy);
    return 0;
}
