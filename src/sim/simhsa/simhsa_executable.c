/* Owns executables: code loaded for agents, from loading to destruction. */
#include "simhsa_executable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- loading ----------------------------------------------------------------------- */

struct definer {
    const struct simhsa_executable *executable;
    const struct simhsa_agent *agent;
    const char *missing; /* the first undefined one */
};

/* The symbol of that name that the agent has, or the program. */
static bool define(void *data, const char *name, uint64_t *out_address)
{
    struct definer *definer = data;
    const struct simhsa_symbol *found =
        simhsa_symbol_find(definer->executable, definer->agent, name);
    if (!found)
        found = simhsa_symbol_find(definer->executable, NULL, name);
    if (found)
        *out_address = found->address;
    else if (!definer->missing)
        definer->missing = name;
    return found != NULL;
}

static void make_uri(struct simhsa_loaded *loaded)
{
    const struct simhsa_bytes *bytes = &loaded->bytes;
    char path[96] = "", link[32];
    if (bytes->file >= 0) {
        snprintf(link, sizeof link, "/proc/thread-self/fd/%d", bytes->file);
        ssize_t length = readlink(link, path, sizeof path - 1);
        path[length > 0 ? length : 0] = '\0';
    }
    if (*path)
        snprintf(loaded->uri, sizeof loaded->uri, "file://%s#offset=%zu&size=%zu", path,
                 bytes->offset, bytes->size);
    else
        snprintf(loaded->uri, sizeof loaded->uri, "memory://%d#offset=0x%llx&size=%zu",
                 (int)getpid(), (unsigned long long)(uintptr_t)bytes->start, bytes->size);
}

static void unload(struct simhsa_loaded *loaded)
{
    amdgpu_symbols_remove(loaded->symbols);
    if (loaded->memory)
        amdgpu_code_discard(loaded->memory->address, loaded->memory->size);
    sim_memory_destroy(loaded->memory);
    simhsa_object_free(loaded);
}

static hsa_status_t add_symbols(struct simhsa_loaded *loaded,
                                const struct amdgpu_code_object *object)
{
    for (size_t i = 0; i < amdgpu_code_object_symbol_count(object); i++) {
        const struct amdgpu_code_symbol *symbol = amdgpu_code_object_symbol(object, i);
        if (!symbol->defined || !(symbol->global || symbol->kernel))
            continue;
        if (simhsa_symbol_find(loaded->executable, loaded->agent, symbol->name)) {
            simhsa_violation("%s is defined twice in one executable", symbol->name);
            return HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED;
        }
        if (!simhsa_symbol_add(loaded->executable, loaded->agent, symbol,
                               loaded->memory->address + symbol->value, false))
            return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    return HSA_STATUS_SUCCESS;
}

/* Loads code into memory of the device, and registers it for reports. */
static hsa_status_t place(struct simhsa_loaded *loaded, const struct amdgpu_code_object *object)
{
    const char *reason = "";
    struct definer definer = {loaded->executable, loaded->agent, NULL};
    size_t span = amdgpu_code_object_span(object);
    loaded->end = amdgpu_code_object_end(object);
    int device = loaded->agent->device;
    if (!sim_fault_allocation(device, span))
        loaded->memory = sim_memory_create(SIM_MEMORY_VARIABLE, device, span, 4096);
    if (!loaded->memory)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    sim_memory_name(loaded->memory, "a code object");
    if (!amdgpu_code_object_load(object, loaded->memory->view, loaded->memory->address, define,
                                 &definer, &reason)) {
        simhsa_violation("a code object cannot be loaded: %s%s%s", reason,
                         definer.missing ? ": " : "", definer.missing ? definer.missing : "");
        return definer.missing ? HSA_STATUS_ERROR_VARIABLE_UNDEFINED
                               : HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    }
    if (sim_memory_tracking)
        sim_memory_wrote(loaded->memory->address, span);
    amdgpu_code_discard(loaded->memory->address, span);
    loaded->symbols =
        amdgpu_symbols_add(loaded->bytes.start, loaded->bytes.size, loaded->memory->address, span);
    return add_symbols(loaded, object);
}

/* Removes the symbols that were added since, which restores the earlier state. */
static void remove_since(struct simhsa_executable *executable, struct simhsa_symbol **since)
{
    while (*since) {
        struct simhsa_symbol *symbol = *since;
        *since = symbol->next;
        free((char *)(uintptr_t)symbol->code.name);
        simhsa_object_free(symbol);
    }
    executable->symbols_end = since;
}

static hsa_status_t load_read(struct simhsa_executable *executable, struct simhsa_agent *agent,
                              const struct amdgpu_code_object *object,
                              const struct simhsa_bytes *bytes, struct simhsa_loaded **out)
{
    if (!amdgpu_code_object_fits(object, &agent->gpu.model)) {
        const char *target = amdgpu_code_object_target(object);
        simhsa_violation("a code object for %s cannot run on %s", target ? target : "?",
                         agent->isa->name);
        return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
    }
    struct simhsa_symbol **since = executable->symbols_end;
    struct simhsa_loaded *loaded = simhsa_object_new(SIMHSA_LOADED, sizeof *loaded);
    if (!loaded)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    loaded->executable = executable;
    loaded->agent = agent;
    loaded->bytes = *bytes;
    loaded->bytes.copy = NULL;
    make_uri(loaded);
    hsa_status_t result = place(loaded, object);
    if (result != HSA_STATUS_SUCCESS) {
        remove_since(executable, since);
        unload(loaded);
        return result;
    }
    *executable->loaded_end = loaded;
    executable->loaded_end = &loaded->next;
    *out = loaded;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t simhsa_load(struct simhsa_executable *executable, struct simhsa_agent *agent,
                         const struct simhsa_bytes *bytes, struct simhsa_loaded **out)
{
    const char *reason = "";
    if (executable->frozen)
        return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
    if (agent->device < 0)
        return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS; /* the CPU executes no code */
    struct amdgpu_code_object *object = amdgpu_code_object_read(bytes->start, bytes->size, &reason);
    if (!object) {
        simhsa_violation("a code object cannot be read: %s", reason);
        return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    }
    hsa_status_t result = load_read(executable, agent, object, bytes, out);
    amdgpu_code_object_destroy(object);
    return result;
}

static hsa_status_t load_from(hsa_executable_t handle, struct simhsa_agent *agent,
                              hsa_code_object_reader_t from, hsa_loaded_code_object_t *out)
{
    struct simhsa_loaded *loaded;
    struct simhsa_executable *executable = simhsa_executable_get(handle);
    if (!executable)
        return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    const struct simhsa_reader *reader = simhsa_object_get(from.handle, SIMHSA_READER);
    if (!reader)
        return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
    hsa_status_t result = simhsa_load(executable, agent, &reader->bytes, &loaded);
    if (result == HSA_STATUS_SUCCESS && out)
        out->handle = loaded->object.handle;
    return result;
}

hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                   hsa_code_object_reader_t code_object_reader,
                                                   const char *options,
                                                   hsa_loaded_code_object_t *loaded_code_object)
{
    SIMHSA_ENTER();
    (void)options;
    simhsa_objects_lock();
    hsa_status_t result =
        load_from(executable, simhsa_agent_get(agent), code_object_reader, loaded_code_object);
    simhsa_objects_unlock();
    return result;
}

/* Code without an agent could contain only data of the program, which no compiler generates. */
hsa_status_t hsa_executable_load_program_code_object(hsa_executable_t executable,
                                                     hsa_code_object_reader_t code_object_reader,
                                                     const char *options,
                                                     hsa_loaded_code_object_t *loaded_code_object)
{
    SIMHSA_ENTER();
    (void)options, (void)loaded_code_object;
    simhsa_objects_lock();
    const struct simhsa_executable *found = simhsa_executable_get(executable);
    const struct simhsa_reader *reader =
        simhsa_object_get(code_object_reader.handle, SIMHSA_READER);
    hsa_status_t result = !found          ? HSA_STATUS_ERROR_INVALID_EXECUTABLE
                          : found->frozen ? HSA_STATUS_ERROR_FROZEN_EXECUTABLE
                          : !reader       ? HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER
                                          : HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    simhsa_objects_unlock();
    simhsa_violation("code objects for the program, without an agent, cannot be loaded");
    return result;
}

hsa_status_t hsa_executable_load_code_object(hsa_executable_t handle, hsa_agent_t agent_handle,
                                             hsa_code_object_t code_object, const char *options)
{
    struct simhsa_loaded *loaded;
    SIMHSA_ENTER();
    (void)options;
    struct simhsa_agent *agent = simhsa_agent_get(agent_handle);
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    simhsa_objects_lock();
    struct simhsa_executable *executable = simhsa_executable_get(handle);
    const struct simhsa_code *code =
        executable ? simhsa_object_get(code_object.handle, SIMHSA_CODE) : NULL;
    hsa_status_t result = code         ? simhsa_load(executable, agent, &code->bytes, &loaded)
                          : executable ? HSA_STATUS_ERROR_INVALID_CODE_OBJECT
                                       : HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    simhsa_objects_unlock();
    return result;
}

/* ---- executables ------------------------------------------------------------------- */

hsa_status_t
hsa_executable_create_alt(hsa_profile_t profile,
                          hsa_default_float_rounding_mode_t default_float_rounding_mode,
                          const char *options, hsa_executable_t *executable)
{
    SIMHSA_ENTER();
    (void)options;
    if (!executable || profile > HSA_PROFILE_FULL ||
        default_float_rounding_mode > HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_objects_lock();
    struct simhsa_executable *made = simhsa_object_new(SIMHSA_EXECUTABLE, sizeof *made);
    if (made) {
        made->profile = profile;
        made->rounding = default_float_rounding_mode;
        made->symbols_end = &made->symbols;
        made->loaded_end = &made->loaded;
        executable->handle = made->object.handle;
    }
    simhsa_objects_unlock();
    return made ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t hsa_executable_create(hsa_profile_t profile, hsa_executable_state_t executable_state,
                                   const char *options, hsa_executable_t *executable)
{
    SIMHSA_ENTER();
    if (executable_state > HSA_EXECUTABLE_STATE_FROZEN)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t result = hsa_executable_create_alt(
        profile, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, options, executable);
    if (result == HSA_STATUS_SUCCESS && executable_state == HSA_EXECUTABLE_STATE_FROZEN)
        result = hsa_executable_freeze(*executable, options);
    return result;
}

static void free_executable(struct simhsa_executable *executable)
{
    remove_since(executable, &executable->symbols);
    while (executable->loaded) {
        struct simhsa_loaded *loaded = executable->loaded;
        executable->loaded = loaded->next;
        unload(loaded);
    }
    simhsa_object_free(executable);
}

hsa_status_t hsa_executable_destroy(hsa_executable_t executable)
{
    SIMHSA_ENTER();
    simhsa_objects_lock();
    struct simhsa_executable *found = simhsa_executable_get(executable);
    if (found)
        free_executable(found);
    simhsa_objects_unlock();
    return found ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_EXECUTABLE;
}

void simhsa_executables_close(void)
{
    struct simhsa_executable *executable;
    simhsa_objects_lock();
    while ((executable = simhsa_object_next(SIMHSA_EXECUTABLE, NULL)))
        free_executable(executable);
    simhsa_objects_unlock();
}

hsa_status_t hsa_executable_freeze(hsa_executable_t executable, const char *options)
{
    SIMHSA_ENTER();
    (void)options;
    simhsa_objects_lock();
    struct simhsa_executable *found = simhsa_executable_get(executable);
    hsa_status_t result = !found          ? HSA_STATUS_ERROR_INVALID_EXECUTABLE
                          : found->frozen ? HSA_STATUS_ERROR_FROZEN_EXECUTABLE
                                          : HSA_STATUS_SUCCESS;
    if (found)
        found->frozen = true;
    simhsa_objects_unlock();
    return result;
}

/* Code that cannot be loaded is rejected when it is added, so an existing executable is valid. */
hsa_status_t hsa_executable_validate(hsa_executable_t executable, uint32_t *result)
{
    SIMHSA_ENTER();
    if (!result)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_objects_lock();
    bool there = simhsa_executable_get(executable) != NULL;
    simhsa_objects_unlock();
    if (!there)
        return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    *result = 0;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_validate_alt(hsa_executable_t executable, const char *options,
                                         uint32_t *result)
{
    SIMHSA_ENTER();
    (void)options;
    return hsa_executable_validate(executable, result);
}

hsa_status_t hsa_executable_get_info(hsa_executable_t executable, hsa_executable_info_t attribute,
                                     void *value)
{
    uint32_t answer = 0;
    SIMHSA_ENTER();
    if (!value)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_objects_lock();
    const struct simhsa_executable *found = simhsa_executable_get(executable);
    hsa_status_t result = found ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    if (found && attribute == HSA_EXECUTABLE_INFO_PROFILE)
        answer = found->profile;
    else if (found && attribute == HSA_EXECUTABLE_INFO_STATE)
        answer = found->frozen ? HSA_EXECUTABLE_STATE_FROZEN : HSA_EXECUTABLE_STATE_UNFROZEN;
    else if (found && attribute == HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE)
        answer = found->rounding;
    else if (found)
        result = HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_objects_unlock();
    if (result == HSA_STATUS_SUCCESS)
        memcpy(value, &answer, sizeof answer);
    return result;
}
