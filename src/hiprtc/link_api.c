/* Linking at run time: hipLink*. NVIDIA's driver links its own kinds of input; LLVM code is linked
 * by the compiler, for NVIDIA's devices to PTX that the driver's linker takes with the rest. */
#include "api.h"
#include "api_arguments.h"

#include "bitcode.h"
#include "image.h"
#include "rtc_link.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct ah_link {
    struct ah_handle handle;
    struct ah_rtc_link *compiler;   /* inputs for the compiler */
    struct ah_backend_link *native; /* the driver's; NULL: it has no linker */
    bool any;                       /* an input was added to native */
    void *image;                    /* the result, of native or compiler; NULL: not yet */
    size_t size;
};
_Static_assert(sizeof(struct ah_link) <= AH_HANDLE_SLOT, "a link fits a handle's slot");

static struct ah_link *link_of(hipLinkState_t state)
{
    return ah_handle_is(state, AH_HANDLE_LINK) ? (struct ah_link *)(void *)state : NULL;
}

/* What the compiler's part of a link has run into, which was logged there. */
static hipError_t error_of(hiprtcResult result)
{
    switch ((int)result) {
    case HIPRTC_SUCCESS:
        return hipSuccess;
    case HIPRTC_ERROR_OUT_OF_MEMORY:
        return hipErrorOutOfMemory;
    case HIPRTC_ERROR_INVALID_OPTION:
        return hipErrorInvalidValue;
    case HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE: /* there is no compiler */
        return hipErrorNotSupported;
    default:
        return hipErrorInvalidConfiguration; /* HIP's code for inputs that are not linked */
    }
}

/* ---- options --------------------------------------------------------------------- */

static bool is_compilers(hipJitOption name)
{
    return name == hipJitOptionIRtoISAOptExt || name == hipJitOptionIRtoISAOptCountExt;
}

/* Options of CUDA are for NVIDIA's linker; HIP refuses them for AMD's devices. */
static hipError_t check_options(const struct ah_link *link, unsigned count,
                                const hipJitOption *names)
{
    for (unsigned i = 0; i < count; i++) {
        bool known = names[i] >= 0 && (int)names[i] < hipJitOptionNumOptions && link->native;
        if (known || is_compilers(names[i]))
            continue;
        AH_LOG_ERR("option %d of a link is unknown, or is not one for device %d", (int)names[i],
                   link->handle.device->ordinal);
        return hipErrorInvalidValue;
    }
    return hipSuccess;
}

/* ---- the beginning and the end ---------------------------------------------------- */

/* ends: with a reset of its device. */
static hipError_t destroy(struct ah_link *link, bool ends)
{
    struct ah_device *device = link->handle.device;
    hipError_t error = hipSuccess;
    if (link->native)
        error = device->ops->link_destroy(device->native, link->native, ends);
    if (!ah_free_failed(error) && link->compiler)
        ah_rtc_link_destroy(link->compiler);
    return ah_handle_finish_destroy(link, AH_HANDLE_LINK, error);
}

static hipError_t create_native(struct ah_link *link, unsigned count, const hipJitOption *names,
                                void **values)
{
    struct ah_device *device = link->handle.device;
    hipError_t error =
        device->ops->link_create(device->native, count, names, values, &link->native);
    return error == hipErrorNotSupported ? hipSuccess : error;
}

static hipError_t create(unsigned count, hipJitOption *names, void **values,
                         hipLinkState_t *out_state)
{
    struct ah_device *device = ah_device_current();
    if (!out_state || (count > 0 && (!names || !values)))
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorNoDevice;
    struct ah_link *link = ah_handle_create(AH_HANDLE_LINK, device);
    if (!link)
        return hipErrorOutOfMemory;
    link->compiler = ah_rtc_link_create(device);
    hipError_t error =
        link->compiler ? create_native(link, count, names, values) : hipErrorOutOfMemory;
    if (error == hipSuccess)
        error = check_options(link, count, names);
    if (error == hipSuccess)
        error = error_of(ah_rtc_link_set(link->compiler, count, names, values));
    if (error == hipSuccess) {
        *out_state = (hipLinkState_t)(void *)link;
        return hipSuccess;
    }
    if (ah_handle_retire(link, AH_HANDLE_LINK))
        (void)destroy(link, false);
    return error;
}

hipError_t hipLinkCreate(unsigned int numOptions, hipJitOption *options, void **optionValues,
                         hipLinkState_t *stateOut)
{
    AH_ENTER(hipLinkCreate);
    return AH_LEAVE(create(numOptions, options, optionValues, stateOut));
}

hipError_t hipLinkDestroy(hipLinkState_t state)
{
    AH_ENTER(hipLinkDestroy);
    struct ah_link *link = link_of(state);
    if (!link || !ah_handle_retire(link, AH_HANDLE_LINK))
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(destroy(link, false));
}

/* ---- inputs ---------------------------------------------------------------------- */

/* A bundle of images that are compiled: the one that suits the device best. */
static hipError_t add_bundle(struct ah_link *link, struct ah_link_input *input)
{
    char reason[AH_IMAGE_ERROR_SIZE];
    struct ah_images images;
    const struct ah_image *best = NULL;
    struct ah_device *device = link->handle.device;
    int rank = 0, now;
    if (!ah_images_open(&images, input->data, input->size, reason)) {
        AH_LOG_ERR("%s is not linked: %s", input->name, reason);
        return hipErrorInvalidImage;
    }
    for (size_t i = 0; i < images.count; i++) {
        now = device->ops->device_rank_image(device->native, &images.items[i]);
        best = now > rank ? &images.items[i] : best;
        rank = now > rank ? now : rank;
    }
    hipError_t error = hipErrorNoBinaryForGpu;
    if (best) {
        input->type = best->kind == AH_IMAGE_PTX     ? hipJitInputPtx
                      : best->kind == AH_IMAGE_CUBIN ? hipJitInputCubin
                                                     : hipJitInputFatBinary;
        input->data = best->data;
        input->size = best->size;
        error = device->ops->link_add(device->native, link->native, input);
    } else {
        AH_LOG_ERR("%s has no code for device %d", input->name, device->ordinal);
    }
    ah_images_close(&images);
    return error;
}

static hipError_t add_native(struct ah_link *link, struct ah_link_input *input)
{
    const struct ah_device *device = link->handle.device;
    bool bundle = ah_bitcode_container(input->data, input->size) == AH_CONTAINER_BUNDLE;
    hipError_t error = bundle ? add_bundle(link, input)
                              : device->ops->link_add(device->native, link->native, input);
    link->any |= error == hipSuccess;
    return error;
}

static hipError_t add_to_compiler(struct ah_link *link, const struct ah_link_input *input)
{
    hiprtcResult result =
        ah_rtc_link_set(link->compiler, input->option_count, input->options, input->option_values);
    if (result == HIPRTC_SUCCESS)
        result = ah_rtc_link_takes(input->type)
                     ? ah_rtc_link_add(link->compiler, input->type, input->data, input->size,
                                       input->name)
                     : ah_rtc_link_add_any(link->compiler, input->data, input->size, input->name);
    return error_of(result);
}

static hipError_t add(struct ah_link *link, struct ah_link_input *input)
{
    bool machine_code = input->type == hipJitInputCubin || input->type == hipJitInputPtx ||
                        input->type == hipJitInputNvvm;
    bool objects = input->type == hipJitInputFatBinary || input->type == hipJitInputObject ||
                   input->type == hipJitInputLibrary;
    if (!input->name || !*input->name)
        input->name = "an input of the link";
    if (input->type == hipJitInputSpirv) {
        AH_LOG_ERR("%s is not linked: the compiler has no translator of SPIR-V", input->name);
        return hipErrorNotSupported;
    }
    if (!machine_code && !objects && !ah_rtc_link_takes(input->type)) {
        AH_LOG_ERR("%d is no type of input of a link", (int)input->type);
        return hipErrorInvalidValue;
    }
    if (machine_code && !link->native) {
        AH_LOG_ERR("%s is of a type for NVIDIA's devices, and device %d is none", input->name,
                   link->handle.device->ordinal);
        return hipErrorInvalidValue;
    }
    bool native =
        link->native && (machine_code || (objects && !ah_rtc_link_holds(input->data, input->size)));
    return native ? add_native(link, input) : add_to_compiler(link, input);
}

static hipError_t check_add(const struct ah_link *link, const struct ah_link_input *input)
{
    if (!link)
        return hipErrorInvalidHandle;
    if (input->option_count > 0 && (!input->options || !input->option_values))
        return hipErrorInvalidValue;
    if (link->image) {
        AH_LOG_ERR("a link that is complete takes no inputs");
        return hipErrorInvalidValue;
    }
    return check_options(link, input->option_count, input->options);
}

hipError_t hipLinkAddData(hipLinkState_t state, hipJitInputType type, void *data, size_t size,
                          const char *name, unsigned int numOptions, hipJitOption *options,
                          void **optionValues)
{
    struct ah_link_input input = {type, data, size, name, numOptions, options, optionValues};
    AH_ENTER(hipLinkAddData);
    if (!data || size == 0)
        return AH_LEAVE(hipErrorInvalidImage);
    struct ah_link *link = link_of(state);
    hipError_t error = check_add(link, &input);
    return AH_LEAVE(error == hipSuccess ? add(link, &input) : error);
}

/* The file in memory; NULL after a log line: it cannot be read. */
static void *map_file(const char *path, size_t *out_size)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool usable = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    *out_size = usable ? (size_t)status.st_size : 0;
    void *data = *out_size ? mmap(NULL, *out_size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    if (file >= 0)
        close(file);
    if (data != MAP_FAILED)
        return data;
    AH_LOG_ERR("%s cannot be read for a link, or is empty", path);
    return NULL;
}

static hipError_t add_file(struct ah_link *link, const char *path, struct ah_link_input *input)
{
    void *data = map_file(path, &input->size);
    if (!data)
        return hipErrorInvalidConfiguration; /* HIP's code for it */
    input->data = data;
    size_t size = input->size;
    hipError_t error = add(link, input);
    munmap(data, size);
    return error;
}

hipError_t hipLinkAddFile(hipLinkState_t state, hipJitInputType type, const char *path,
                          unsigned int numOptions, hipJitOption *options, void **optionValues)
{
    struct ah_link_input input = {type, NULL, 0, path, numOptions, options, optionValues};
    AH_ENTER(hipLinkAddFile);
    struct ah_link *link = link_of(state);
    hipError_t error = check_add(link, &input);
    if (error == hipSuccess && (!path || !*path))
        error = hipErrorInvalidValue;
    return AH_LEAVE(error == hipSuccess ? add_file(link, path, &input) : error);
}

/* ---- the result ------------------------------------------------------------------ */

/* Gives the driver's linker the PTX that the compiler makes of its inputs. */
static hipError_t join(struct ah_link *link)
{
    const struct ah_device *device = link->handle.device;
    const struct ah_link_input input = {
        .type = hipJitInputPtx,
        .data = link->compiler->image.data,
        .size = link->compiler->image.size,
        .name = "LLVM code of the link",
    };
    return device->ops->link_add(device->native, link->native, &input);
}

static hipError_t complete(struct ah_link *link)
{
    struct ah_device *device = link->handle.device;
    bool compiled = link->compiler->input_count > 0;
    if (!compiled && !link->any) {
        AH_LOG_ERR("the link has no inputs");
        return hipErrorInvalidConfiguration;
    }
    link->compiler->partial = link->native != NULL;
    hipError_t error = compiled ? error_of(ah_rtc_link_complete(link->compiler)) : hipSuccess;
    if (error == hipSuccess && compiled && link->native)
        error = join(link);
    if (error == hipSuccess && link->native)
        return device->ops->link_complete(device->native, link->native, &link->image, &link->size);
    if (error == hipSuccess) {
        link->image = link->compiler->image.data;
        link->size = link->compiler->image.size;
    }
    return error;
}

hipError_t hipLinkComplete(hipLinkState_t state, void **hipBinOut, size_t *sizeOut)
{
    AH_ENTER(hipLinkComplete);
    struct ah_link *link = link_of(state);
    if (!link || !hipBinOut || !sizeOut)
        return AH_LEAVE(hipErrorInvalidValue);
    hipError_t error = link->image ? hipSuccess : complete(link);
    if (error == hipSuccess) {
        *hipBinOut = link->image;
        *sizeOut = link->size;
    }
    return AH_LEAVE(error);
}

/* ---- resets ---------------------------------------------------------------------- */

static void release(void *handle, void *device)
{
    struct ah_link *link = handle;
    if (link->handle.device == device && ah_handle_retire(link, AH_HANDLE_LINK))
        (void)destroy(link, true);
}

/* A reset of the device would take the driver's link from under ours. */
static void device_resets(struct ah_device *device)
{
    ah_handle_each(AH_HANDLE_LINK, release, device);
}

__attribute__((constructor)) static void add_dependent(void)
{
    static const struct ah_dependent dependent = {.device_resets = device_resets};
    ah_lifetime_add(&dependent);
}
