/* The folder of HSA_MODEL_TOPOLOGY with any content: zero bytes end the properties of one node and
 * begin those of the next; a node without any has no file. */
#include "fuzz.h"

#include <stdio.h>

static FILE *open_properties(const char *path, const char *mode);
#define fopen open_properties
#include "simkmt_sysfs.c"
#undef fopen

#include <stdarg.h>

static const char *text;
static size_t text_size;

/* The properties of a node of that number: its piece of the text. */
static FILE *open_properties(const char *path, const char *mode)
{
    unsigned wanted = 0;
    const char *at = text, *end = text + text_size, *next;
    fuzz_check(sscanf(path, "folder/nodes/%u/properties", &wanted) == 1);
    for (; at < end; at = next + 1, wanted--) {
        next = memchr(at, 0, (size_t)(end - at));
        next = next ? next : end;
        if (wanted == 0)
            return next > at
                       ? fmemopen((void *)at, (size_t)(next - at), mode[0] == 'r' ? "r" : mode)
                       : NULL;
    }
    return NULL;
}

HSAKMT_STATUS simkmt_refuse(HSAKMT_STATUS status, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    fuzz_check(vsnprintf(line, sizeof line, format, arguments) >= 0);
    va_end(arguments);
    return status;
}

/* Those that write are not called. */
struct simkmt simkmt;
HSAKMT_STATUS hsaKmtGetNodeProperties(uint32_t node, HsaNodeProperties *properties)
{
    (void)node, (void)properties;
    __builtin_trap();
}
HSAKMT_STATUS hsaKmtGetNodeMemoryProperties(uint32_t node, uint32_t count,
                                            HsaMemoryProperties *properties)
{
    (void)node, (void)count, (void)properties;
    __builtin_trap();
}
HSAKMT_STATUS hsaKmtGetNodeCacheProperties(uint32_t node, uint32_t processor, uint32_t count,
                                           HsaCacheProperties *properties)
{
    (void)node, (void)processor, (void)count, (void)properties;
    __builtin_trap();
}
HSAKMT_STATUS hsaKmtGetNodeIoLinkProperties(uint32_t node, uint32_t count,
                                            HsaIoLinkProperties *properties)
{
    (void)node, (void)count, (void)properties;
    __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct amdgpu_model *models[SIM_DEVICES_MAX] = {NULL};
    text = (const char *)data;
    text_size = size;
    int count = simkmt_sysfs_read("folder", models);
    fuzz_check(count >= -1 && count <= SIM_DEVICES_MAX);
    for (int i = 0; i < count; i++)
        fuzz_check(models[i] && models[i] == amdgpu_model(models[i]->name));
    return 0;
}
