/* Parses lists of devices. */
#include "amdgpu_device.h"

#include "log.h"
#include "sim_memory.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char usual_model[] = "gfx90a";

/* The model that a word names. False: it names none, unless it is one of another vendor's devices,
 * whose *out_model is NULL. */
static bool find_model(const char *word, size_t size, const struct amdgpu_model **out_model)
{
    char name[32];
    if (size == 0 || size >= sizeof name)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)size, word);
    *out_model = amdgpu_model_of_target(strcmp(name, "default") == 0 ? usual_model : name);
    return *out_model || strncmp(name, "sm_", 3) == 0;
}

/* Parses one element, "gfx90a", "default" or "gfx1200|gfx90a", and returns its length; 0: there is
 * no such model. */
static size_t read_model(const char *text, const struct amdgpu_model **out_model)
{
    size_t size = strcspn(text, "*, \t");
    for (size_t at = 0; at < size;) {
        size_t word = strcspn(text + at, "|*, \t");
        if (find_model(text + at, word, out_model))
            return size;
        at += word + 1;
    }
    return 0;
}

void amdgpu_list_refuse(const char *list, const char *at)
{
    char names[256] = "";
    const struct amdgpu_model *model;
    for (size_t i = 0; (model = amdgpu_model_at(i)); i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 model->name);
    AH_LOG_NOTICE(AH_LOG_ERROR,
                  "simulated AMD devices \"%s\": cannot use \"%s\"; at most %d of the models %s, "
                  "or generic targets of theirs, as gfx90a*2,gfx1100",
                  list, at, SIM_DEVICES_MAX, names);
}

int amdgpu_list_read(const char *list, const struct amdgpu_model **out_models)
{
    const char *at = *list ? list : usual_model;
    int count = 0;
    while (*at) {
        const struct amdgpu_model *model = NULL;
        unsigned times = 1;
        int more = 0;
        while (isspace((unsigned char)*at))
            at++;
        size_t used = read_model(at, &model);
        bool good = used > 0;
        if (good && at[used] == '*')
            good = sscanf(at + used, "*%u%n", &times, &more) == 1 && times > 0;
        const char *end = at + used + more;
        if (!good || (*end && *end != ',') || (*end && !end[1]) ||
            times > (unsigned)(SIM_DEVICES_MAX - count)) {
            amdgpu_list_refuse(list, at);
            return -1;
        }
        for (; model && times > 0; times--)
            out_models[count++] = model;
        at = end + (*end == ',');
    }
    return count;
}
