/* Reads profiles, and says what is wrong with those that cannot be used. */
#include "profiles.h"

#include "command_line.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 1 << 30 };

/* The text of a file, to be freed, and its end. NULL with errno. */
static char *read_text(const char *name, size_t *out_size)
{
    struct stat about;
    FILE *file = fopen(name, "re");
    char *text = NULL;
    if (!file)
        return NULL;
    if (fstat(fileno(file), &about) == 0 && S_ISDIR(about.st_mode))
        errno = EISDIR;
    else if (about.st_size > FILE_MAX)
        errno = EFBIG;
    else if ((text = malloc((size_t)about.st_size + 1)))
        *out_size = fread(text, 1, (size_t)about.st_size, file);
    if (text && ferror(file)) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static bool is_object_list(const cJSON *list)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list) if (!cJSON_IsObject(item)) return false;
    return cJSON_IsArray(list);
}

static bool is_process(const cJSON *process)
{
    const cJSON *kernel, *kernels = cJSON_GetObjectItemCaseSensitive(process, "kernels");
    cJSON_ArrayForEach(kernel, kernels)
    {
        const cJSON *title = cJSON_GetObjectItemCaseSensitive(kernel, "title");
        const cJSON *model = cJSON_GetObjectItemCaseSensitive(kernel, "model");
        if (!cJSON_IsString(title) || !cJSON_IsString(model))
            return false;
    }
    return is_object_list(kernels);
}

static cJSON *parse(const char *name)
{
    size_t size = 0;
    char *text = read_text(name, &size);
    if (!text)
        return ah_complain(name, "%s", strerror(errno)), NULL;
    cJSON *parsed = cJSON_ParseWithLength(text, size);
    free(text);
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(parsed, "anyhip_profile");
    if (parsed && cJSON_IsNumber(version) && version->valueint == AH_PROFILE_VERSION)
        return parsed;
    if (!parsed)
        ah_complain(name, "it is no profile: it is not JSON");
    else if (!cJSON_IsNumber(version))
        ah_complain(name, "it is no profile: it has no \"anyhip_profile\"");
    else
        ah_complain(name, "it is a profile of version %d; this anyhip reads version %d",
                    version->valueint, AH_PROFILE_VERSION);
    cJSON_Delete(parsed);
    return NULL;
}

cJSON *ah_profile_read(const char *file)
{
    cJSON *profile = parse(file);
    const cJSON *process, *processes = cJSON_GetObjectItemCaseSensitive(profile, "processes");
    bool good = is_object_list(processes);
    if (!profile)
        return NULL;
    cJSON_ArrayForEach(process, processes) good = good && is_process(process);
    if (good)
        return profile;
    cJSON_Delete(profile);
    return ah_complain(file, "it is no profile: \"processes\" or what is in it is missing"), NULL;
}

/* ---- the files of the processes ------------------------------------------------------------ */

static int is_profile(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
}

/* A process that has been killed before it wrote anything leaves an empty file. */
static cJSON *read_process(const char *name)
{
    struct stat about;
    if (stat(name, &about) == 0 && about.st_size == 0)
        return NULL;
    cJSON *process = parse(name);
    if (!process || is_process(process))
        return process;
    cJSON_Delete(process);
    return ah_complain(name, "it is no profile: \"kernels\" or what is in it is missing"), NULL;
}

cJSON *ah_profiles_collect(const char *folder)
{
    struct dirent **entries = NULL;
    cJSON *processes = cJSON_CreateArray();
    int count = scandir(folder, &entries, is_profile, versionsort);
    if (count < 0) {
        cJSON_Delete(processes);
        return ah_complain(folder, "%s", strerror(errno)), NULL;
    }
    for (int i = 0; i < count; i++) {
        char *name = NULL;
        if (asprintf(&name, "%s/%s", folder, entries[i]->d_name) >= 0) {
            cJSON *process = read_process(name);
            if (process)
                cJSON_AddItemToArray(processes, process);
            free(name);
        }
        free(entries[i]);
    }
    free(entries);
    return processes;
}

size_t ah_profile_kernels(const cJSON *profile)
{
    const cJSON *process, *processes = cJSON_GetObjectItemCaseSensitive(profile, "processes");
    size_t count = 0;
    cJSON_ArrayForEach(process, processes) count +=
        (size_t)cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(process, "kernels"));
    return count;
}
