/* Owns links: the driver's linker, with the caller's options and a log of our own. */
#include "cuda_backend.h"
#include "image.h"
#include "ptx_names.h"

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

hipError_t ahcuda_link_add(struct ah_backend_device *device, struct ah_backend_link *link,
                           const struct ah_link_input *input)
{
    char *copy = NULL;
    size_t size = input->size;
    void *data = (void *)(uintptr_t)input->data;
    hipError_t error = ahcuda_enter(device);
    if (error != hipSuccess)
        return error;
    /* NVIDIA's driver reads past the end of one (580, seen to crash). */
    if (input->type == hipJitInputFatBinary && is_truncated_fatbin(data, size)) {
        AH_LOG_ERR("%s:%d does not link %s: the CUDA fatbin is truncated; give it the whole file",
                   device->backend->name, device->ordinal, input->name);
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
