/* PTX of any content: corrected names are PTX names, and correcting twice changes nothing. */
#include "fuzz.h"
#include "ptx_names.h"

#include <stdlib.h>
#include <string.h>

static void check_name(const uint8_t *data, size_t size)
{
    char name[256], out[512];
    size_t length = size < sizeof name - 1 ? size : sizeof name - 1;
    memcpy(name, data, length);
    name[length] = '\0';
    memset(out, 1, sizeof out);
    for (size_t capacity = 0; capacity <= sizeof out; capacity += 1 + capacity / 2)
        if (ah_ptx_fix_name(name, out, capacity))
            fuzz_check(memchr(out, '\0', capacity) && strcmp(out, name) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *name;
    char *fixed = NULL, *again = NULL;
    size_t fixed_size = 0, again_size = 0, length = 0;
    if (ah_ptx_find_undefined(text, size, &name, &length))
        fuzz_check(name >= text && length > 0 && length <= size &&
                   (size_t)(name - text) <= size - length);
    enum ah_ptx_fix result = ah_ptx_fix_names(text, size, &fixed, &fixed_size);
    fuzz_check((result == AH_PTX_FIX_CHANGED) == (fixed != NULL));
    if (fixed) {
        fuzz_check(fixed_size >= size && fixed[fixed_size] == '\0');
        enum ah_ptx_fix second = ah_ptx_fix_names(fixed, fixed_size, &again, &again_size);
        fuzz_check(second == AH_PTX_FIX_UNCHANGED);
    }
    free(fixed);
    free(again);
    check_name(data, size);
    return 0;
}
