/* Code objects, their metadata and the buffers that kernels print into, of any content. */
#include "fuzz.h"
#include "hsa_metadata.h"
#include "hsa_printf.h"

#include <string.h>

static void check_kernel(const struct ahhsa_kernel_metadata *kernel)
{
    fuzz_check(kernel->name && kernel->symbol);
    fuzz_check(kernel->explicit_count <= kernel->argument_count);
    for (size_t i = 0; i < kernel->argument_count; i++) {
        const struct ahhsa_argument *argument = &kernel->arguments[i];
        fuzz_check(argument->value < AHHSA_VALUE_UNKNOWN);
        fuzz_check(ahhsa_value_is_hidden(argument->value) == (i >= kernel->explicit_count));
        fuzz_check(argument->offset <= kernel->kernarg_size &&
                   argument->size <= kernel->kernarg_size - argument->offset);
    }
}

/* The formats in the seeds, which the bytes of a buffer may name. */
static struct ahhsa_format formats[] = {
    {0xd3e1b03bc04075f4, (char *)(uintptr_t) "%d %s\n"},
    {0x69d2e011d39bfea9,
     (char *)(uintptr_t) "%s:%u: %s: Assertion `%s' failed in block (%u,%u,%u)"},
};

static void print(const uint8_t *data, size_t size)
{
    static FILE *nowhere;
    static struct ahhsa_formats table = {.count = 2, .list = formats};
    static struct ahhsa_formats *const tables[] = {&table};
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    fuzz_check(nowhere && ahhsa_printf_used(data, size) <= size);
    ahhsa_printf_write(data, size, tables, 1, nowhere, nowhere);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int elf = 0; elf < 2; elf++) {
        struct ahhsa_metadata metadata;
        const char *reason = NULL;
        bool read = elf ? ahhsa_metadata_read(&metadata, data, size, &reason)
                        : ahhsa_metadata_parse(&metadata, data, size, &reason);
        fuzz_check(read || (*reason && !metadata.kernels && metadata.kernel_count == 0));
        for (size_t i = 0; i < metadata.kernel_count; i++)
            check_kernel(&metadata.kernels[i]);
        for (size_t i = 0; metadata.formats && i < metadata.formats->count; i++)
            fuzz_check(metadata.formats->list[i].text);
        ahhsa_metadata_fini(&metadata);
    }
    print(data, size);
    return 0;
}
