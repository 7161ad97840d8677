/* Owns links: the driver's linker, with the caller's options and a log of our own. */
#include "cuda_backend.h"
#include "archive.h"
#include "image.h"
#include "ptx_names.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_SIZE = 16384, OWN_OPTIONS = 2 };

/* The driver keeps the arrays of options until the link is destroyed. */
struct ah_backend_link {
    CUlinkState state;
    int *names;
    void **values;
    unsigned count; /* of the caller's */
    void ***caller; /* where the result of each goes */
    char error_log[LOG_SIZE];
};

static bool has_result(int name)
{
    return name == hipJitOptionThreadsPerBlock || name == hipJitOptionWallTime ||
           name == hipJitOptionInfoLogBufferSizeBytes ||
           name == hipJitOptionErrorLogBufferSizeBytes;
}

/* Gives the caller what the driver has written to the values. */
static void return_results(const struct ah_backend_link *link)
{
    for (unsigned i = 0; i < link->count; i++)
        if (has_result(link->names[i]))
            *link->caller[i] = link->values[i];
}

/* The caller's options, and a log of errors where it has none. False: no memory. */
static bool keep_options(struct ah_backend_link *link, unsigned count, const hipJitOption *names,
                         void **values, unsigned *out_count)
{
    bool has_log = false;
    link->names = calloc(count + OWN_OPTIONS, sizeof *link->names);
    link->values = calloc(count + OWN_OPTIONS, sizeof *link->values);
    link->caller = calloc(count + 1, sizeof *link->caller);
    if (!link->names || !link->values || !link->caller)
        return false;
    for (unsigned i = 0; i < count; i++) {              /* hipJitOption has CUDA's values to 31 */
        if ((int)names[i] >= hipJitOptionIRtoISAOptExt) /* for a compiler */
            continue;
        link->names[link->count] = (int)names[i];
        link->values[link->count] = values[i];
        link->caller[link->count++] = &values[i];
        has_log |= names[i] == hipJitOptionErrorLogBuffer;
    }
    *out_count = link->count;
    if (has_log)
        return true;
    link->names[link->count] = CU_JIT_ERROR_LOG_BUFFER;
    link->values[link->count] = link->error_log;
    link->names[link->count + 1] = CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
    link->values[link->count + 1] = (void *)(uintptr_t)LOG_SIZE;
    *out_count += OWN_OPTIONS;
    return true;
}

static void free_link(struct ah_backend_link *link)
{
    if (!link)
        return;
    free(link->names);
    free(link->values);
    free(link->caller);
    free(link);
}

hipError_t ahcuda_link_create(struct ah_backend_device *device, unsigned option_count,
                              const hipJitOption *options, void **option_values,
                              struct ah_backend_link **out_link)
{
    unsigned count;
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    struct ah_backend_link *link = calloc(1, sizeof *link);
    if (!link || !keep_options(link, option_count, options, option_values, &count))
        error = hipErrorOutOfMemory;
    if (error == hipSuccess)
        error =
            ahcuda_done(device, "cuLinkCreate",
                        device->api->cuLinkCreate(count, link->names, link->values, &link->state));
    if (error == hipSuccess)
        *out_link = link;
    else
        free_link(link);
    return error;
}

static hipError_t finish(struct ah_backend_device *device, struct ah_backend_link *link,
                         const char *what, CUresult result)
{
    return_results(link);
    link->error_log[LOG_SIZE - 1] = '\0';
    if (result != CUDA_SUCCESS && *link->error_log)
        AH_LOG_ERR("%s:%d does not link: %s", device->backend->name, device->ordinal,
                   link->error_log);
    link->error_log[0] = '\0';
    return ahcuda_done(device, what, result);
}

/* PTX for the driver ends with a NUL, which counts, and has only names that PTX allows. NULL: no
 * memory. */
static char *driver_ptx(const void *data, size_t size, size_t *out_size)
{
    char *copy = NULL;
    size_t fixed;
    size_t length = strnlen(data, size);
    enum ah_ptx_fix fix = ah_ptx_fix_names(data, length, &copy, &fixed);
    if (fix == AH_PTX_FIX_UNCHANGED || fix == AH_PTX_FIX_CLASH)
        copy = strndup(data, length);
    *out_size = copy ? strlen(copy) + 1 : 0;
    return copy;
}

static bool is_truncated_fatbin(const void *data, size_t size)
{
    uint64_t whole;
    return ah_read_fatbin_size(data, size, &whole) && whole > size;
}

static bool is_inside(uint64_t offset, uint64_t length, size_t size)
{
    return offset <= size && length <= size - offset;
}

static bool is_truncated_elf(const void *data, size_t size)
{
    Elf64_Ehdr header;
    Elf64_Shdr section;
    if (size < SELFMAG || memcmp(data, ELFMAG, SELFMAG) != 0)
        return false;
    if (size < sizeof header)
        return true;
    memcpy(&header, data, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof section)
        return false;
    if (!is_inside(header.e_shoff, header.e_shnum * sizeof section, size))
        return true;
    for (size_t i = 0; i < header.e_shnum; i++) {
        memcpy(&section, (const char *)data + header.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
            !is_inside(section.sh_offset, section.sh_size, size))
            return true;
    }
    return false;
}

static bool is_truncated_archive(const void *data, size_t size)
{
    struct ah_archive archive;
    struct ah_member member;
    enum ah_archive_step step = AH_ARCHIVE_END;
    if (!ah_archive_open(&archive, data, size))
        return false;
    while ((step = ah_archive_next(&archive, &member)) == AH_ARCHIVE_MEMBER)
        if (member.data && is_truncated_elf(member.data, member.size))
            return true;
    return step == AH_ARCHIVE_DAMAGED;
}

/* NVIDIA's driver reads past the end of what is truncated (580, seen to crash). NULL: it is whole,
 * as far as that can be seen. */
static const char *truncated(const struct ah_link_input *input)
{
    switch (input->type) {
    case hipJitInputFatBinary:
        return is_truncated_fatbin(input->data, input->size) ? "the CUDA fatbin" : NULL;
    case hipJitInputCubin:
    case hipJitInputObject:
        return is_truncated_elf(input->data, input->size) ? "the ELF file" : NULL;
    case hipJitInputLibrary:
        return is_truncated_archive(input->data, input->size) ? "the archive" : NULL;
    default:
        return NULL;
    }
}

hipError_t ahcuda_link_add(struct ah_backend_device *device, struct ah_backend_link *link,
                           const struct ah_link_input *input)
{
    char *copy = NULL;
    size_t size = input->size;
    void *data = (void *)(uintptr_t)input->data;
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    const char *cut = truncated(input);
    if (cut) {
        AH_LOG_ERR("%s:%d does not link %s: %s is truncated; give it the whole file",
                   device->backend->name, device->ordinal, input->name, cut);
        return hipErrorInvalidImage;
    }
    if (input->type == hipJitInputPtx) {
        data = copy = driver_ptx(input->data, input->size, &size);
        if (!copy)
            return hipErrorOutOfMemory;
    }
    CUresult result = device->api->cuLinkAddData(
        link->state, (int)input->type, data, size, input->name, input->option_count,
        (int *)(uintptr_t)input->options, input->option_values);
    error = finish(device, link, "cuLinkAddData", result);
    free(copy);
    return error;
}

hipError_t ahcuda_link_complete(struct ah_backend_device *device, struct ah_backend_link *link,
                                void **out_image, size_t *out_size)
{
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    return finish(device, link, "cuLinkComplete",
                  device->api->cuLinkComplete(link->state, out_image, out_size));
}

hipError_t ahcuda_link_destroy(struct ah_backend_device *device, struct ah_backend_link *link,
                               bool ends)
{
    hipError_t error = ends ? hipSuccess : ahcuda_enter(device);
    if (error == hipSuccess && !ends)
        error = ahcuda_done(device, "cuLinkDestroy", device->api->cuLinkDestroy(link->state));
    if (error == hipSuccess)
        free_link(link);
    return error;
}
