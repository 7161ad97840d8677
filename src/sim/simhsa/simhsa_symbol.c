/* Owns symbols of executables: lookup by name, enumeration, and their properties. */
#include "simhsa_executable.h"

#include <stdlib.h>
#include <string.h>

bool simhsa_symbol_add(struct simhsa_executable *executable, struct simhsa_agent *agent,
                       const struct amdgpu_code_symbol *code, uint64_t address, bool external)
{
    struct simhsa_symbol *symbol = simhsa_object_new(SIMHSA_SYMBOL_OF_EXECUTABLE, sizeof *symbol);
    if (!symbol)
        return false;
    symbol->executable = executable;
    symbol->agent = agent;
    symbol->code = *code;
    symbol->code.name = strdup(code->name);
    symbol->address = address;
    symbol->external = external;
    if (!symbol->code.name) {
        simhsa_object_free(symbol);
        return false;
    }
    *executable->symbols_end = symbol;
    executable->symbols_end = &symbol->next;
    return true;
}

struct simhsa_symbol *simhsa_symbol_find(const struct simhsa_executable *executable,
                                         const struct simhsa_agent *agent, const char *name)
{
    struct simhsa_symbol *symbol = executable->symbols;
    while (symbol && (symbol->agent != agent || strcmp(symbol->code.name, name) != 0))
        symbol = symbol->next;
    return symbol;
}

/* ---- by name ----------------------------------------------------------------------- */

static hsa_status_t find(hsa_executable_t handle, const char *name, const hsa_agent_t *agent_handle,
                         hsa_executable_symbol_t *out)
{
    const struct simhsa_agent *agent = agent_handle ? simhsa_agent_get(*agent_handle) : NULL;
    if (!name || !out)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (agent_handle && !agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    simhsa_objects_lock();
    const struct simhsa_executable *executable = simhsa_executable_get(handle);
    const struct simhsa_symbol *symbol =
        executable ? simhsa_symbol_find(executable, agent, name) : NULL;
    if (symbol)
        out->handle = symbol->object.handle;
    simhsa_objects_unlock();
    if (!executable)
        return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    return symbol ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
}

hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t executable, const char *symbol_name,
                                               const hsa_agent_t *agent,
                                               hsa_executable_symbol_t *symbol)
{
    SIMHSA_ENTER();
    return find(executable, symbol_name, agent, symbol);
}

hsa_status_t hsa_executable_get_symbol(hsa_executable_t executable, const char *module_name,
                                       const char *symbol_name, hsa_agent_t agent,
                                       int32_t call_convention, hsa_executable_symbol_t *symbol)
{
    SIMHSA_ENTER();
    if (call_convention != 0 || (module_name && *module_name))
        return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
    return find(executable, symbol_name, agent.handle ? &agent : NULL, symbol);
}

/* ---- one after the other ----------------------------------------------------------- */

enum whose { ALL, OF_AGENT, OF_PROGRAM };

/* Handles of symbols, as many as there are; NULL: no memory or no executable. */
static uint64_t *collect(hsa_executable_t handle, enum whose whose,
                         const struct simhsa_agent *agent, size_t *out_count,
                         hsa_status_t *out_status)
{
    size_t count = 0;
    uint64_t *handles = NULL;
    simhsa_objects_lock();
    const struct simhsa_executable *executable = simhsa_executable_get(handle);
    const struct simhsa_symbol *first = executable ? executable->symbols : NULL;
    for (const struct simhsa_symbol *at = first; at; at = at->next)
        count++;
    if (executable)
        handles = malloc((count + 1) * sizeof *handles);
    count = 0;
    for (const struct simhsa_symbol *at = handles ? first : NULL; at; at = at->next)
        if (whose == ALL || (whose == OF_AGENT ? at->agent == agent : !at->agent))
            handles[count++] = at->object.handle;
    simhsa_objects_unlock();
    *out_count = count;
    *out_status = handles      ? HSA_STATUS_SUCCESS
                  : executable ? HSA_STATUS_ERROR_OUT_OF_RESOURCES
                               : HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    return handles;
}

typedef hsa_status_t (*symbol_visitor)(hsa_executable_t, hsa_executable_symbol_t, void *);
typedef hsa_status_t (*agent_symbol_visitor)(hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t,
                                             void *);

static hsa_status_t iterate(hsa_executable_t executable, enum whose whose, symbol_visitor visit,
                            void *data)
{
    size_t count;
    hsa_status_t result;
    if (!visit)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint64_t *handles = collect(executable, whose, NULL, &count, &result);
    for (size_t i = 0; i < count && result == HSA_STATUS_SUCCESS; i++)
        result = visit(executable, (hsa_executable_symbol_t){handles[i]}, data);
    free(handles);
    return result;
}

hsa_status_t hsa_executable_iterate_symbols(hsa_executable_t executable, symbol_visitor callback,
                                            void *data)
{
    SIMHSA_ENTER();
    return iterate(executable, ALL, callback, data);
}

hsa_status_t hsa_executable_iterate_program_symbols(hsa_executable_t executable,
                                                    symbol_visitor callback, void *data)
{
    SIMHSA_ENTER();
    return iterate(executable, OF_PROGRAM, callback, data);
}

hsa_status_t hsa_executable_iterate_agent_symbols(hsa_executable_t executable, hsa_agent_t agent,
                                                  agent_symbol_visitor callback, void *data)
{
    size_t count;
    hsa_status_t result;
    SIMHSA_ENTER();
    const struct simhsa_agent *of = simhsa_agent_get(agent);
    if (!callback)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!of)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    uint64_t *handles = collect(executable, OF_AGENT, of, &count, &result);
    for (size_t i = 0; i < count && result == HSA_STATUS_SUCCESS; i++)
        result = callback(executable, agent, (hsa_executable_symbol_t){handles[i]}, data);
    free(handles);
    return result;
}

/* ---- what they are ----------------------------------------------------------------- */

static hsa_status_t kernel_info(const struct simhsa_symbol *symbol, int attribute, void *value)
{
    const struct amdgpu_kernel_descriptor *descriptor = &symbol->code.descriptor;
    bool dynamic = descriptor->kernel_code_properties & AMDGPU_PROPERTY_DYNAMIC_STACK;
    switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
        return simhsa_put_word(value, descriptor->kernarg_size);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
        return simhsa_put_word(value, 16);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
        return simhsa_put_word(value, descriptor->group_segment_fixed_size);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
        return simhsa_put_word(value, descriptor->private_segment_fixed_size);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
        return simhsa_put(value, &dynamic, sizeof dynamic);
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

static hsa_status_t variable_info(const struct simhsa_symbol *symbol, int attribute, void *value)
{
    const struct amdgpu_code_symbol *code = &symbol->code;
    switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION:
        return simhsa_put_word(value, symbol->agent ? HSA_VARIABLE_ALLOCATION_AGENT
                                                    : HSA_VARIABLE_ALLOCATION_PROGRAM);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT:
        return simhsa_put_word(value, code->constant ? HSA_VARIABLE_SEGMENT_READONLY
                                                     : HSA_VARIABLE_SEGMENT_GLOBAL);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT:
        return simhsa_put_word(value, (uint32_t)code->align);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE:
        return simhsa_put_word(value, (uint32_t)code->size);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST:
        return simhsa_put(value, &code->constant, sizeof code->constant);
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

static hsa_status_t info(const struct simhsa_symbol *symbol, int attribute, void *value)
{
    const struct amdgpu_code_symbol *code = &symbol->code;
    hsa_agent_t agent = {(uintptr_t)symbol->agent};
    const bool defined = true; /* in its code object, or by the program */
    switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
        return simhsa_put_word(value,
                               code->kernel ? HSA_SYMBOL_KIND_KERNEL : HSA_SYMBOL_KIND_VARIABLE);
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH:
        return simhsa_put_word(value, (uint32_t)strlen(code->name));
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME: /* without a zero byte */
        return simhsa_put(value, code->name, strlen(code->name));
    case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH:
        return simhsa_put_word(value, 0);
    case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME:
        return HSA_STATUS_SUCCESS;                    /* it has no characters */
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS: /* AMD's runtime does not check which it is */
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT:
        return simhsa_put(value, &symbol->address, sizeof symbol->address);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION:
        return simhsa_put_word(value, 0);
    case HSA_EXECUTABLE_SYMBOL_INFO_AGENT:
        return simhsa_put(value, &agent, sizeof agent);
    case HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE:
        return simhsa_put_word(value, code->global ? HSA_SYMBOL_LINKAGE_PROGRAM
                                                   : HSA_SYMBOL_LINKAGE_MODULE);
    case HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION:
        return simhsa_put(value, &defined, sizeof defined);
    default:
        return code->kernel ? kernel_info(symbol, attribute, value)
                            : variable_info(symbol, attribute, value);
    }
}

hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t executable_symbol,
                                            hsa_executable_symbol_info_t attribute, void *value)
{
    SIMHSA_ENTER();
    if (!value)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_objects_lock();
    const struct simhsa_symbol *symbol =
        simhsa_object_get(executable_symbol.handle, SIMHSA_SYMBOL_OF_EXECUTABLE);
    hsa_status_t result =
        symbol ? info(symbol, (int)attribute, value) : HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL;
    simhsa_objects_unlock();
    return result;
}

/* ---- variables that the program defines -------------------------------------------- */

static hsa_status_t define(hsa_executable_t handle, struct simhsa_agent *agent, const char *name,
                           const void *address, bool constant)
{
    const struct amdgpu_code_symbol code = {
        .name = name, .defined = true, .global = true, .constant = constant};
    hsa_status_t result = HSA_STATUS_SUCCESS;
    if (!name)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_objects_lock();
    struct simhsa_executable *executable = simhsa_executable_get(handle);
    if (!executable)
        result = HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    else if (executable->frozen)
        result = HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
    else if (simhsa_symbol_find(executable, agent, name))
        result = HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED;
    else if (!simhsa_symbol_add(executable, agent, &code, (uintptr_t)address, true))
        result = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    simhsa_objects_unlock();
    return result;
}

hsa_status_t hsa_executable_global_variable_define(hsa_executable_t executable,
                                                   const char *variable_name, void *address)
{
    SIMHSA_ENTER();
    return define(executable, NULL, variable_name, address, false);
}

hsa_status_t hsa_executable_agent_global_variable_define(hsa_executable_t executable,
                                                         hsa_agent_t agent,
                                                         const char *variable_name, void *address)
{
    SIMHSA_ENTER();
    struct simhsa_agent *of = simhsa_agent_get(agent);
    return of ? define(executable, of, variable_name, address, false)
              : HSA_STATUS_ERROR_INVALID_AGENT;
}

hsa_status_t hsa_executable_readonly_variable_define(hsa_executable_t executable, hsa_agent_t agent,
                                                     const char *variable_name, void *address)
{
    SIMHSA_ENTER();
    struct simhsa_agent *of = simhsa_agent_get(agent);
    return of ? define(executable, of, variable_name, address, true)
              : HSA_STATUS_ERROR_INVALID_AGENT;
}
