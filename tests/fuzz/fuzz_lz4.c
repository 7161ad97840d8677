/* Blocks in LZ4's format of any content, into room of any size: the first two bytes. */
#include "fuzz.h"
#include "simcuda_driver.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    size_t capacity = (size_t)data[0] | (size_t)data[1] << 8;
    unsigned char *out = malloc(capacity ? capacity : 1);
    if (!out)
        abort();
    fuzz_check(simcuda_lz4(data + 2, size - 2, out, capacity) <= capacity);
    free(out);
    return 0;
}
