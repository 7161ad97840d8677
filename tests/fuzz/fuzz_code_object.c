/* Code objects of any content, as simulated AMD devices read and load them: one that is read has
 * symbols within its span and names that end; one that is not, or that does not load, says why. */
#include "amdgpu_code.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { VIEW_MAX = 1 << 18 };

/* Whoever has a name of an odd length is defined. */
static bool define(void *data, const char *name, uint64_t *out_address)
{
    size_t *asked = data;
    (*asked)++;
    *out_address = UINT64_C(0x600000001000);
    return strlen(name) % 2 == 1;
}

static void check_symbols(const struct amdgpu_code_object *object)
{
    size_t count = amdgpu_code_object_symbol_count(object);
    uint64_t span = amdgpu_code_object_span(object);
    for (size_t i = 0; i < count; i++) {
        const struct amdgpu_code_symbol *symbol = amdgpu_code_object_symbol(object, i);
        size_t length = strlen(symbol->name);
        fuzz_check(symbol->kernel == (length > 3 && strcmp(symbol->name + length - 3, ".kd") == 0));
        fuzz_check(!symbol->defined ||
                   (symbol->value <= span && symbol->size <= span - symbol->value));
        fuzz_check(!symbol->defined || !symbol->kernel ||
                   sizeof symbol->descriptor <= span - symbol->value);
        fuzz_check(!symbol->defined || (symbol->align & (symbol->align - 1)) == 0);
    }
    fuzz_check(!amdgpu_code_object_symbol(object, count));
}

static void check_load(const struct amdgpu_code_object *object)
{
    size_t span = amdgpu_code_object_span(object), asked = 0;
    const char *why = NULL;
    fuzz_check(span % 4096 == 0);
    unsigned char *view = span <= VIEW_MAX ? malloc(span ? span : 1) : NULL;
    if (!view)
        return;
    bool good =
        amdgpu_code_object_load(object, view, UINT64_C(0x700000000000), define, &asked, &why);
    fuzz_check(good == (why == NULL));
    free(view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct amdgpu_model model = {.name = "gfx90a", .sramecc = true};
    const char *why = NULL;
    struct amdgpu_code_object *object = amdgpu_code_object_read(data, size, &why);
    fuzz_check((object == NULL) == (why != NULL));
    if (!object)
        return 0;
    unsigned version = amdgpu_code_object_version(object);
    fuzz_check(version >= 3 && version <= 6);
    if (amdgpu_code_object_fits(object, &model))
        fuzz_check(strcmp(amdgpu_code_object_target(object), model.name) == 0);
    check_symbols(object);
    check_load(object);
    amdgpu_code_object_destroy(object);
    return 0;
}
