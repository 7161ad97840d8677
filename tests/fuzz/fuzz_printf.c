/* What kernels print, of any format and with any arguments: a text that ends with a zero byte, then
 * the arguments. As records of AMD's devices, as messages of hostcalls, and as the buffers of
 * NVIDIA's vprintf, whose addresses are places in the input. */
#include "fuzz.h"
#include "hsa_printf.h"
#include "ptx_printf.h"

#include <stdlib.h>
#include <string.h>

struct input {
    const uint8_t *data;
    size_t size;
};

static bool read_input(void *data, uint64_t address, void *out, size_t size)
{
    const struct input *input = data;
    if (address > input->size || size > input->size - address)
        return false;
    memcpy(out, input->data + address, size);
    return true;
}

static void print_ptx(const char *format, struct input input)
{
    struct ptx_printf print = {.read = read_input, .data = &input};
    int count = 0;
    enum ptx_printf_result result = ptx_printf_format(&print, format, 0, &count);
    fuzz_check(print.length <= print.capacity && (print.text || print.length == 0));
    fuzz_check(result == PTX_PRINTF_OK || result == PTX_PRINTF_FAULT);
    fuzz_check(result == PTX_PRINTF_FAULT || count >= 0);
    free(print.text);
}

static FILE *nowhere(void)
{
    static FILE *file;
    if (!file && (file = fopen("/dev/null", "we")))
        setvbuf(file, NULL, _IOFBF, 1 << 16);
    fuzz_check(file);
    return file;
}

/* One record: its size and its control word, then the number of the format and the arguments. */
static void print_record(const char *format, const struct input *arguments)
{
    enum { ID = 1 };
    struct ahhsa_format formats[] = {{ID, (char *)(uintptr_t)format}};
    struct ahhsa_formats table = {.count = 1, .list = formats};
    struct ahhsa_formats *const tables[] = {&table};
    const uint64_t id = ID;
    uint32_t record = (uint32_t)(sizeof id + arguments->size);
    size_t size = 12 + sizeof(uint32_t) + record;
    uint32_t head[3] = {(uint32_t)(size - AHHSA_PRINTF_HEADER), 1 << 20, 0};
    uint32_t control = (record + (uint32_t)sizeof control) << 2 | 2;
    uint8_t *buffer = malloc(size);
    if (!buffer)
        abort();
    memcpy(buffer, head, sizeof head);
    memcpy(buffer + 12, &control, sizeof control);
    memcpy(buffer + 16, &id, sizeof id);
    memcpy(buffer + 24, arguments->data, arguments->size);
    fuzz_check(ahhsa_printf_used(buffer, size) <= size);
    ahhsa_printf_write(buffer, size, tables, 1, nowhere(), nowhere());
    free(buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ahhsa_printed printed = {0};
    const uint8_t *end = memchr(data, '\0', size);
    if (!end || size > 4096)
        return 0;
    struct input arguments = {end + 1, size - (size_t)(end + 1 - data)};
    print_ptx((const char *)data, arguments);
    print_record((const char *)data, &arguments);
    ahhsa_printf_message(data, size, nowhere(), nowhere(), &printed);
    return 0;
}
