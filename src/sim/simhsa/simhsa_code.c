/* Owns code objects as files: readers, and the code objects of HSA 1.0 with their symbols. */
#include "simhsa_executable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- bytes ---------------------------------------------------------------------------------- */

/* Reads size bytes of a file from offset on; size 0: to its end. */
static hsa_status_t read_file(int file, size_t offset, size_t size, struct simhsa_bytes *out)
{
    struct stat about;
    if (file == -1)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
        return HSA_STATUS_ERROR_INVALID_FILE;
    if ((uint64_t)about.st_size <= offset)
        return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    if (size == 0)
        size = (size_t)about.st_size - offset;
    if (size > (size_t)about.st_size - offset)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *out =
        (struct simhsa_bytes){.size = size, .copy = malloc(size), .file = file, .offset = offset};
    out->start = out->copy;
    if (!out->copy)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(file, (char *)out->copy + done, size - done, (off_t)(offset + done));
        if (got <= 0) {
            free(out->copy);
            return HSA_STATUS_ERROR_INVALID_FILE;
        }
        done += (size_t)got;
    }
    return HSA_STATUS_SUCCESS;
}

/* ---- readers ----------------------------------------------------------------------- */

/* Takes ownership of the copy of bytes. */
static hsa_status_t make_reader(const struct simhsa_bytes *bytes, hsa_code_object_reader_t *out)
{
    simhsa_objects_lock();
    struct simhsa_reader *reader = simhsa_object_new(SIMHSA_READER, sizeof *reader);
    if (reader) {
        reader->bytes = *bytes;
        out->handle = reader->object.handle;
    }
    simhsa_objects_unlock();
    if (!reader)
        free(bytes->copy);
    return reader ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t hsa_code_object_reader_create_from_memory(const void *code_object, size_t size,
                                                       hsa_code_object_reader_t *code_object_reader)
{
    SIMHSA_ENTER();
    if (!code_object || size == 0 || !code_object_reader)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return make_reader(&(struct simhsa_bytes){.start = code_object, .size = size, .file = -1},
                       code_object_reader);
}

hsa_status_t hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size(
    hsa_file_t file, size_t offset, size_t size, hsa_code_object_reader_t *code_object_reader)
{
    struct simhsa_bytes bytes;
    SIMHSA_ENTER();
    if (!code_object_reader)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (size == 0)
        return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    hsa_status_t result = read_file(file, offset, size, &bytes);
    return result == HSA_STATUS_SUCCESS ? make_reader(&bytes, code_object_reader) : result;
}

hsa_status_t hsa_code_object_reader_create_from_file(hsa_file_t file,
                                                     hsa_code_object_reader_t *code_object_reader)
{
    struct simhsa_bytes bytes;
    SIMHSA_ENTER();
    if (!code_object_reader)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t result = read_file(file, 0, 0, &bytes);
    return result == HSA_STATUS_SUCCESS ? make_reader(&bytes, code_object_reader) : result;
}

hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t code_object_reader)
{
    SIMHSA_ENTER();
    simhsa_objects_lock();
    struct simhsa_reader *reader = simhsa_object_get(code_object_reader.handle, SIMHSA_READER);
    if (reader)
        free(reader->bytes.copy);
    simhsa_object_free(reader);
    simhsa_objects_unlock();
    return reader ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
}

/* ---- code objects ------------------------------------------------------------------ */

static void free_code(struct simhsa_code *code)
{
    while (code->symbols) {
        struct simhsa_code_symbol *symbol = code->symbols;
        code->symbols = symbol->next;
        simhsa_object_free(symbol);
    }
    amdgpu_code_object_destroy(code->read);
    free(code->bytes.copy);
    simhsa_object_free(code);
}

static hsa_status_t fill_code(struct simhsa_code *code, const void *bytes, size_t size)
{
    const char *reason = "";
    struct simhsa_code_symbol **end = &code->symbols;
    code->bytes = (struct simhsa_bytes){.size = size, .copy = malloc(size), .file = -1};
    code->bytes.start = code->bytes.copy;
    if (!code->bytes.copy)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    memcpy(code->bytes.copy, bytes, size);
    code->read = amdgpu_code_object_read(code->bytes.copy, size, &reason);
    if (!code->read) {
        simhsa_violation("a code object cannot be read: %s", reason);
        return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    }
    for (size_t i = 0; i < amdgpu_code_object_symbol_count(code->read); i++) {
        *end = simhsa_object_new(SIMHSA_SYMBOL_OF_CODE, sizeof **end);
        if (!*end)
            return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
        (*end)->symbol = amdgpu_code_object_symbol(code->read, i);
        end = &(*end)->next;
    }
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_code_object_deserialize(void *serialized_code_object,
                                         size_t serialized_code_object_size, const char *options,
                                         hsa_code_object_t *code_object)
{
    SIMHSA_ENTER();
    (void)options;
    if (!serialized_code_object || serialized_code_object_size == 0 || !code_object)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_objects_lock();
    struct simhsa_code *code = simhsa_object_new(SIMHSA_CODE, sizeof *code);
    hsa_status_t result = code
                              ? fill_code(code, serialized_code_object, serialized_code_object_size)
                              : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    if (result == HSA_STATUS_SUCCESS)
        code_object->handle = code->object.handle;
    else if (code)
        free_code(code);
    simhsa_objects_unlock();
    return result;
}

hsa_status_t
hsa_code_object_serialize(hsa_code_object_t code_object,
                          hsa_status_t (*alloc_callback)(size_t, hsa_callback_data_t, void **),
                          hsa_callback_data_t callback_data, const char *options,
                          void **serialized_code_object, size_t *serialized_code_object_size)
{
    SIMHSA_ENTER();
    (void)options;
    if (!alloc_callback || !serialized_code_object || !serialized_code_object_size)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_objects_lock();
    const struct simhsa_code *code = simhsa_object_get(code_object.handle, SIMHSA_CODE);
    size_t size = code ? code->bytes.size : 0;
    void *copy = code ? malloc(size) : NULL;
    if (copy)
        memcpy(copy, code->bytes.start, size);
    simhsa_objects_unlock();
    if (!copy)
        return code ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    hsa_status_t result = alloc_callback(size, callback_data, serialized_code_object);
    if (result == HSA_STATUS_SUCCESS && *serialized_code_object) {
        memcpy(*serialized_code_object, copy, size);
        *serialized_code_object_size = size;
    }
    free(copy);
    return result;
}

hsa_status_t hsa_code_object_destroy(hsa_code_object_t code_object)
{
    SIMHSA_ENTER();
    simhsa_objects_lock();
    struct simhsa_code *code = simhsa_object_get(code_object.handle, SIMHSA_CODE);
    if (code)
        free_code(code);
    simhsa_objects_unlock();
    return code ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
}

static hsa_isa_t isa_of(const struct simhsa_code *code)
{
    static const char *const signs[] = {"", "", "-", "+"};
    char name[64];
    const char *sramecc = signs[amdgpu_code_object_sramecc(code->read)];
    const char *xnack = signs[amdgpu_code_object_xnack(code->read)];
    const char *target = amdgpu_code_object_target(code->read);
    snprintf(name, sizeof name, "amdgcn-amd-amdhsa--%s%s%s%s%s", target ? target : "",
             *sramecc ? ":sramecc" : "", sramecc, *xnack ? ":xnack" : "", xnack);
    return (hsa_isa_t){(uintptr_t)simhsa_isa_named(name)};
}

static hsa_status_t code_info(const struct simhsa_code *code, hsa_code_object_info_t attribute,
                              void *value)
{
    char version[64] = "";
    hsa_isa_t isa = isa_of(code);
    switch (attribute) {
    case HSA_CODE_OBJECT_INFO_VERSION:
        snprintf(version, sizeof version, "%u", amdgpu_code_object_version(code->read));
        return simhsa_put(value, version, sizeof version);
    case HSA_CODE_OBJECT_INFO_TYPE:
        return simhsa_put_word(value, HSA_CODE_OBJECT_TYPE_PROGRAM);
    case HSA_CODE_OBJECT_INFO_ISA:
        return simhsa_put(value, &isa, sizeof isa);
    case HSA_CODE_OBJECT_INFO_MACHINE_MODEL:
        return simhsa_put_word(value, HSA_MACHINE_MODEL_LARGE);
    case HSA_CODE_OBJECT_INFO_PROFILE:
        return simhsa_put_word(value, HSA_PROFILE_BASE);
    case HSA_CODE_OBJECT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
        return simhsa_put_word(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

hsa_status_t hsa_code_object_get_info(hsa_code_object_t code_object,
                                      hsa_code_object_info_t attribute, void *value)
{
    SIMHSA_ENTER();
    if (!value)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_objects_lock();
    const struct simhsa_code *code = simhsa_object_get(code_object.handle, SIMHSA_CODE);
    hsa_status_t result =
        code ? code_info(code, attribute, value) : HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    simhsa_objects_unlock();
    return result;
}

/* ---- symbols of code objects ------------------------------------------------------- */

hsa_status_t hsa_code_object_get_symbol(hsa_code_object_t code_object, const char *symbol_name,
                                        hsa_code_symbol_t *symbol)
{
    SIMHSA_ENTER();
    if (!symbol_name || !symbol)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_objects_lock();
    const struct simhsa_code *code = simhsa_object_get(code_object.handle, SIMHSA_CODE);
    const struct simhsa_code_symbol *found = code ? code->symbols : NULL;
    while (found && strcmp(found->symbol->name, symbol_name) != 0)
        found = found->next;
    if (found)
        symbol->handle = found->object.handle;
    simhsa_objects_unlock();
    if (!code)
        return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    return found ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
}

hsa_status_t hsa_code_object_get_symbol_from_name(hsa_code_object_t code_object,
                                                  const char *module_name, const char *symbol_name,
                                                  hsa_code_symbol_t *symbol)
{
    SIMHSA_ENTER();
    if (module_name && *module_name)
        return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
    return hsa_code_object_get_symbol(code_object, symbol_name, symbol);
}

hsa_status_t hsa_code_object_iterate_symbols(hsa_code_object_t code_object,
                                             hsa_status_t (*callback)(hsa_code_object_t,
                                                                      hsa_code_symbol_t, void *),
                                             void *data)
{
    hsa_status_t result = HSA_STATUS_SUCCESS;
    SIMHSA_ENTER();
    if (!callback)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_objects_lock();
    const struct simhsa_code *code = simhsa_object_get(code_object.handle, SIMHSA_CODE);
    size_t count = code ? amdgpu_code_object_symbol_count(code->read) : 0, i = 0;
    uint64_t *handles = calloc(count + 1, sizeof *handles);
    for (const struct simhsa_code_symbol *at = code && handles ? code->symbols : NULL; at;
         at = at->next)
        handles[i++] = at->object.handle;
    simhsa_objects_unlock();
    if (!code || !handles)
        result = code ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    for (size_t at = 0; at < i && result == HSA_STATUS_SUCCESS; at++)
        result = callback(code_object, (hsa_code_symbol_t){handles[at]}, data);
    free(handles);
    return result;
}

static hsa_status_t symbol_info(const struct amdgpu_code_symbol *symbol,
                                hsa_code_symbol_info_t attribute, void *value)
{
    bool yes;
    switch (attribute) {
    case HSA_CODE_SYMBOL_INFO_TYPE:
        return simhsa_put_word(value,
                               symbol->kernel ? HSA_SYMBOL_KIND_KERNEL : HSA_SYMBOL_KIND_VARIABLE);
    case HSA_CODE_SYMBOL_INFO_NAME_LENGTH:
        return simhsa_put_word(value, (uint32_t)strlen(symbol->name));
    case HSA_CODE_SYMBOL_INFO_NAME:
        return simhsa_put(value, symbol->name, strlen(symbol->name));
    case HSA_CODE_SYMBOL_INFO_MODULE_NAME_LENGTH:
        return simhsa_put_word(value, 0);
    case HSA_CODE_SYMBOL_INFO_MODULE_NAME:
        return HSA_STATUS_SUCCESS; /* it has no characters */
    case HSA_CODE_SYMBOL_INFO_LINKAGE:
        return simhsa_put_word(value, symbol->global ? HSA_SYMBOL_LINKAGE_PROGRAM
                                                     : HSA_SYMBOL_LINKAGE_MODULE);
    case HSA_CODE_SYMBOL_INFO_IS_DEFINITION:
        return simhsa_put(value, &symbol->defined, sizeof symbol->defined);
    case HSA_CODE_SYMBOL_INFO_VARIABLE_ALLOCATION:
        return simhsa_put_word(value, HSA_VARIABLE_ALLOCATION_AGENT);
    case HSA_CODE_SYMBOL_INFO_VARIABLE_SEGMENT:
        return simhsa_put_word(value, symbol->constant ? HSA_VARIABLE_SEGMENT_READONLY
                                                       : HSA_VARIABLE_SEGMENT_GLOBAL);
    case HSA_CODE_SYMBOL_INFO_VARIABLE_ALIGNMENT:
        return simhsa_put_word(value, (uint32_t)symbol->align);
    case HSA_CODE_SYMBOL_INFO_VARIABLE_SIZE:
        return simhsa_put_word(value, (uint32_t)symbol->size);
    case HSA_CODE_SYMBOL_INFO_VARIABLE_IS_CONST:
        return simhsa_put(value, &symbol->constant, sizeof symbol->constant);
    case HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
        return simhsa_put_word(value, symbol->descriptor.kernarg_size);
    case HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
        return simhsa_put_word(value, 16);
    case HSA_CODE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
        return simhsa_put_word(value, symbol->descriptor.group_segment_fixed_size);
    case HSA_CODE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
        return simhsa_put_word(value, symbol->descriptor.private_segment_fixed_size);
    case HSA_CODE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
        yes = symbol->descriptor.kernel_code_properties & AMDGPU_PROPERTY_DYNAMIC_STACK;
        return simhsa_put(value, &yes, sizeof yes);
    case HSA_CODE_SYMBOL_INFO_KERNEL_CALL_CONVENTION:
        return simhsa_put_word(value, 0);
    case HSA_CODE_SYMBOL_INFO_KERNEL_WAVEFRONT_SIZE:
        yes = symbol->descriptor.kernel_code_properties & AMDGPU_PROPERTY_WAVEFRONT_SIZE32;
        return simhsa_put_word(value, yes ? 32 : 64);
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

hsa_status_t hsa_code_symbol_get_info(hsa_code_symbol_t code_symbol,
                                      hsa_code_symbol_info_t attribute, void *value)
{
    SIMHSA_ENTER();
    if (!value)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    simhsa_objects_lock();
    const struct simhsa_code_symbol *found =
        simhsa_object_get(code_symbol.handle, SIMHSA_SYMBOL_OF_CODE);
    hsa_status_t result =
        found ? symbol_info(found->symbol, attribute, value) : HSA_STATUS_ERROR_INVALID_CODE_SYMBOL;
    simhsa_objects_unlock();
    return result;
}
