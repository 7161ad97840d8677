/* Properties of the host and of links between devices. */
#include "amdgpu_device.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void amdgpu_host_name(char *name, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    snprintf(name, size, "CPU");
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file)
        fclose(file);
}

unsigned amdgpu_host_cache_kib(void)
{
    enum { USUAL = 256 };
    long size = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return size > 0 ? (unsigned)(size >> 10) : USUAL;
}

unsigned amdgpu_shader_engines(const struct amdgpu_model *model)
{
    unsigned engines = 4;
    while (model->units % engines != 0)
        engines--;
    return engines;
}

bool amdgpu_has_xgmi(const struct amdgpu_model *model)
{
    return model->isa == AMDGPU_GFX908 || model->isa == AMDGPU_GFX90A ||
           model->isa == AMDGPU_GFX942;
}
