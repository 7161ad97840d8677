/* Owns the loader extension: the addresses of loaded code objects, and their sources. */
#include "simhsa_executable.h"

#include <string.h>
#include <stdlib.h>

/* ---- by address -------------------------------------------------------------------- */

static const struct simhsa_loaded *loaded_at(uint64_t address)
{
    const struct simhsa_loaded *loaded = NULL;
    while ((loaded = simhsa_object_next(SIMHSA_LOADED, loaded)))
        if (address - loaded->memory->address < loaded->memory->size)
            break;
    return loaded;
}

/* The address at which the host reads loaded code. */
hsa_status_t hsa_ven_amd_loader_query_host_address(const void *device_address,
                                                   const void **host_address)
{
    SIMHSA_ENTER();
    if (!device_address || !host_address)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint64_t address = (uintptr_t)device_address;
    simhsa_objects_lock();
    const struct simhsa_loaded *loaded = loaded_at(address);
    if (loaded)
        *host_address = loaded->memory->view + (address - loaded->memory->address);
    simhsa_objects_unlock();
    return loaded ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_ven_amd_loader_query_executable(const void *device_address,
                                                 hsa_executable_t *executable)
{
    SIMHSA_ENTER();
    if (!device_address || !executable)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_objects_lock();
    const struct simhsa_loaded *loaded = loaded_at((uintptr_t)device_address);
    if (loaded)
        executable->handle = loaded->executable->object.handle;
    simhsa_objects_unlock();
    return loaded ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* One segment for each loaded code object. */
hsa_status_t hsa_ven_amd_loader_query_segment_descriptors(
    hsa_ven_amd_loader_segment_descriptor_t *segment_descriptors, size_t *num_segment_descriptors)
{
    size_t count = 0;
    const struct simhsa_loaded *loaded = NULL;
    SIMHSA_ENTER();
    if (!num_segment_descriptors || !segment_descriptors != (*num_segment_descriptors == 0))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_objects_lock();
    while ((loaded = simhsa_object_next(SIMHSA_LOADED, loaded))) {
        if (count < *num_segment_descriptors)
            segment_descriptors[count] = (hsa_ven_amd_loader_segment_descriptor_t){
                .agent = simhsa_agent_handle(loaded->agent),
                .executable = {loaded->executable->object.handle},
                .code_object_storage_type = HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY,
                .code_object_storage_base = loaded->bytes.start,
                .code_object_storage_size = loaded->bytes.size,
                .segment_base = (const void *)(uintptr_t)loaded->memory->address,
                .segment_size = loaded->end,
            };
        count++;
    }
    simhsa_objects_unlock();
    bool enough = !segment_descriptors || count == *num_segment_descriptors;
    *num_segment_descriptors = count;
    return enough ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
}

/* ---- loaded code objects ----------------------------------------------------------- */

/* Handles of objects of a kind that belong to an executable (NULL: all); ended by a 0. */
static uint64_t *collect(enum simhsa_kind kind, const struct simhsa_executable *executable)
{
    size_t count = 0;
    const struct simhsa_object *at = NULL;
    while ((at = simhsa_object_next(kind, at)))
        count++;
    uint64_t *handles = calloc(count + 1, sizeof *handles);
    count = 0;
    while (handles && (at = simhsa_object_next(kind, at)))
        if (!executable ||
            ((const struct simhsa_loaded *)(const void *)at)->executable == executable)
            handles[count++] = at->handle;
    return handles;
}

hsa_status_t hsa_ven_amd_loader_executable_iterate_loaded_code_objects(
    hsa_executable_t executable,
    hsa_status_t (*callback)(hsa_executable_t, hsa_loaded_code_object_t, void *), void *data)
{
    hsa_status_t result = HSA_STATUS_SUCCESS;
    SIMHSA_ENTER();
    if (!callback)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_objects_lock();
    const struct simhsa_executable *found = simhsa_executable_get(executable);
    uint64_t *handles = found ? collect(SIMHSA_LOADED, found) : NULL;
    simhsa_objects_unlock();
    if (!handles)
        return found ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    for (size_t i = 0; handles[i] && result == HSA_STATUS_SUCCESS; i++)
        result = callback(executable, (hsa_loaded_code_object_t){handles[i]}, data);
    free(handles);
    return result;
}

hsa_status_t hsa_ven_amd_loader_iterate_executables(hsa_status_t (*callback)(hsa_executable_t,
                                                                             void *),
                                                    void *data)
{
    hsa_status_t result = HSA_STATUS_SUCCESS;
    SIMHSA_ENTER();
    if (!callback)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_objects_lock();
    uint64_t *handles = collect(SIMHSA_EXECUTABLE, NULL);
    simhsa_objects_unlock();
    if (!handles)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    for (size_t i = 0; handles[i] && result == HSA_STATUS_SUCCESS; i++)
        result = callback((hsa_executable_t){handles[i]}, data);
    free(handles);
    return result;
}

static hsa_status_t info(const struct simhsa_loaded *loaded,
                         hsa_ven_amd_loader_loaded_code_object_info_t attribute, void *value)
{
    switch (attribute) {
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_EXECUTABLE:
        return simhsa_put_long(value, loaded->executable->object.handle);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND:
        return simhsa_put_word(value, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT:
        return simhsa_put_long(value, simhsa_agent_handle(loaded->agent).handle);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE:
        /* Code from files too, which is in memory by now: the URI names the file. */
        return simhsa_put_word(value, HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE:
        return simhsa_put_long(value, (uintptr_t)loaded->bytes.start);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE:
        return simhsa_put_long(value, loaded->bytes.size);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA: /* code objects begin at 0 */
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE:
        return simhsa_put_long(value, loaded->memory->address);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE:
        return simhsa_put_long(value, loaded->end);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH:
        return simhsa_put_word(value, (uint32_t)strlen(loaded->uri));
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI: /* without a zero byte */
        return simhsa_put(value, loaded->uri, strlen(loaded->uri));
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

hsa_status_t hsa_ven_amd_loader_loaded_code_object_get_info(
    hsa_loaded_code_object_t loaded_code_object,
    hsa_ven_amd_loader_loaded_code_object_info_t attribute, void *value)
{
    SIMHSA_ENTER();
    if (!value)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_objects_lock();
    const struct simhsa_loaded *loaded =
        simhsa_object_get(loaded_code_object.handle, SIMHSA_LOADED);
    hsa_status_t result =
        loaded ? info(loaded, attribute, value) : HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    simhsa_objects_unlock();
    return result;
}

/* ---- the table --------------------------------------------------------------------- */

void simhsa_loader_table(unsigned minor, size_t size, void *table)
{
    static void (*const functions[])(void) = {
        (void (*)(void))hsa_ven_amd_loader_query_host_address,
        (void (*)(void))hsa_ven_amd_loader_query_segment_descriptors,
        (void (*)(void))hsa_ven_amd_loader_query_executable,
        (void (*)(void))hsa_ven_amd_loader_executable_iterate_loaded_code_objects,
        (void (*)(void))hsa_ven_amd_loader_loaded_code_object_get_info,
        (void (*)(void))hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size,
        (void (*)(void))hsa_ven_amd_loader_iterate_executables,
    };
    static const unsigned counts[SIMHSA_LOADER_MINOR + 1] = {3, 5, 6, 7}; /* by minor version */
    size_t whole = counts[minor] * sizeof *functions;
    memcpy(table, functions, size == 0 || size > whole ? whole : size);
}
