/* Texture references (deprecated): variables of kernels that describe a texture. The application
 * sets up a variable on the host; a texture object is created from it and written to the variable
 * on the device. */
#include "api.h"
#include "api_arguments.h"
#include "runtime.h"
#include "texture.h"

#include <stdlib.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    struct ah_texture_reference *first;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- which there are ------------------------------------------------------------------- */

static struct ah_texture_reference *find_known(const textureReference *host)
{
    struct ah_texture_reference *reference = known.first;
    while (reference && reference->host != host)
        reference = reference->next;
    return reference;
}

static struct ah_texture_reference *add(textureReference *host)
{
    struct ah_texture_reference *reference = calloc(1, sizeof *reference);
    if (reference) {
        reference->host = host;
        reference->next = known.first;
        known.first = reference;
    }
    return reference;
}

/* hipErrorInvalidTexture: host is neither a module's reference nor the program's. */
static hipError_t find(const textureReference *host, struct ah_texture_reference **out)
{
    bool ours = host && ah_is_texture_reference(host);
    pthread_mutex_lock(&known.lock);
    *out = host ? find_known(host) : NULL;
    if (!*out && ours)
        *out = add((textureReference *)(uintptr_t)host);
    pthread_mutex_unlock(&known.lock);
    if (*out)
        return hipSuccess;
    if (ours)
        return hipErrorOutOfMemory;
    AH_LOG_ERR("%p is not a texture reference of this program or of a module", (const void *)host);
    return hipErrorInvalidTexture;
}

static void free_reference(struct ah_texture_reference *reference)
{
    if (reference->module)
        free(reference->host);
    free(reference->name);
    free(reference);
}

static void free_of_module(const struct ah_module *module)
{
    pthread_mutex_lock(&known.lock);
    for (struct ah_texture_reference **link = &known.first; *link;) {
        struct ah_texture_reference *reference = *link;
        if (reference->module != module) {
            link = &reference->next;
            continue;
        }
        *link = reference->next;
        ah_texture_destroy(reference->host->textureObject);
        free_reference(reference);
    }
    pthread_mutex_unlock(&known.lock);
}

const struct ah_dependent ah_reference_dependent = {.module_ends = free_of_module};

static hipError_t get_reference(textureReference **out, hipModule_t handle, const char *name)
{
    void *address;
    size_t size;
    if (!out || !name || !*name)
        return hipErrorInvalidValue;
    if (!handle || !ah_handle_is(handle, AH_HANDLE_MODULE))
        return hipErrorInvalidResourceHandle;
    struct ah_module *module = (struct ah_module *)(void *)handle;
    struct ah_device *device = module->handle.device;
    hipError_t error =
        device->ops->module_global(device->native, module->native, name, &address, &size);
    if (error != hipSuccess || size != sizeof(textureReference)) {
        AH_LOG_ERR("the module has no texture reference %s", name);
        return error == hipSuccess ? hipErrorNotFound : error;
    }
    pthread_mutex_lock(&known.lock);
    struct ah_texture_reference *reference = known.first;
    while (reference && (reference->module != module || strcmp(reference->name, name) != 0))
        reference = reference->next;
    if (!reference) {
        textureReference *host = calloc(1, sizeof *host);
        char *copy = strdup(name);
        reference = host && copy ? add(host) : NULL;
        if (!reference) {
            pthread_mutex_unlock(&known.lock);
            free(host);
            free(copy);
            return hipErrorOutOfMemory;
        }
        *host = (textureReference){
            .readMode = hipReadModeNormalizedFloat,
            .addressMode = {hipAddressModeClamp, hipAddressModeClamp, hipAddressModeClamp},
            .format = HIP_AD_FORMAT_FLOAT,
            .numChannels = 1};
        reference->module = module;
        reference->name = copy;
        reference->address = address;
    }
    *out = reference->host;
    pthread_mutex_unlock(&known.lock);
    return hipSuccess;
}

hipError_t hipModuleGetTexRef(textureReference **texRef, hipModule_t hmod, const char *name)
{
    AH_ENTER(hipModuleGetTexRef);
    return AH_LEAVE(get_reference(texRef, hmod, name));
}

hipError_t hipGetTextureReference(const textureReference **texref, const void *symbol)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipGetTextureReference);
    if (!texref || !symbol)
        return AH_LEAVE(hipErrorInvalidValue);
    hipError_t error = find(symbol, &reference);
    if (error == hipSuccess)
        *texref = reference->host;
    return AH_LEAVE(error);
}

hipError_t ah_reference_find(bool valid, const textureReference *host,
                             struct ah_texture_reference **out)
{
    hipError_t error = valid ? find(host, out) : hipErrorInvalidValue;
    return error == hipErrorInvalidTexture ? hipErrorInvalidValue : error;
}

/* ---- binding ----------------------------------------------------------------------------- */

static hipError_t unbind(struct ah_texture_reference *reference)
{
    hipError_t error = hipSuccess;
    if (ah_texture_find(reference->host->textureObject, false, &(struct ah_texture){0}))
        error = ah_texture_destroy(reference->host->textureObject);
    reference->host->textureObject = NULL;
    reference->offset = 0;
    return error;
}

/* Copies the host's variable to the device's. */
static hipError_t publish(const struct ah_texture_reference *reference)
{
    void *address = reference->address;
    size_t size = sizeof(textureReference);
    struct ah_device *device = ah_device_current();
    hipError_t error = hipSuccess;
    if (!reference->module)
        error = ah_variable_address(reference->host, device, &address, &size);
    if (error != hipSuccess)
        return error;
    if (size != sizeof(textureReference))
        return hipErrorInvalidTexture;
    return ah_copy(address, reference->host, size, hipMemcpyHostToDevice, NULL, AH_BLOCKING);
}

static void settings_of(const struct ah_texture_reference *reference, hipTextureDesc *out)
{
    const textureReference *host = reference->host;
    *out = (hipTextureDesc){
        .addressMode = {host->addressMode[0], host->addressMode[1], host->addressMode[2]},
        .filterMode = host->filterMode,
        .readMode = host->readMode,
        .sRGB = host->sRGB,
        .normalizedCoords = host->normalized,
        .maxAnisotropy = host->maxAnisotropy,
        .mipmapFilterMode = host->mipmapFilterMode,
        .mipmapLevelBias = host->mipmapLevelBias,
        .minMipmapLevelClamp = host->minMipmapLevelClamp,
        .maxMipmapLevelClamp = host->maxMipmapLevelClamp,
    };
    memcpy(out->borderColor, reference->border, sizeof out->borderColor);
}

/* Unbinds the previous memory, even if binding fails. */
static hipError_t bind(struct ah_texture_reference *reference, const hipResourceDesc *resource,
                       const struct hipResourceViewDesc *view, size_t offset)
{
    hipTextureDesc settings;
    hipError_t error = unbind(reference);
    if (error != hipSuccess)
        return error;
    settings_of(reference, &settings);
    error = ah_texture_create(resource, &settings, view, &reference->host->textureObject);
    if (error == hipSuccess)
        reference->offset = offset;
    hipError_t published = publish(reference);
    return error != hipSuccess ? error : published;
}

hipError_t ah_reference_rebind(struct ah_texture_reference *reference)
{
    struct ah_texture bound;
    if (!ah_texture_find(reference->host->textureObject, false, &bound))
        return hipSuccess;
    return bind(reference, &bound.resource, bound.has_view ? &bound.view : NULL, reference->offset);
}

/* The distance of pointer from the alignment that textures need. */
static hipError_t align(const void *pointer, const size_t *out_offset, size_t *offset)
{
    struct ah_device *device = ah_device_current();
    int alignment = 0;
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = device->ops->device_attribute(
        device->native, hipDeviceAttributeTextureAlignment, &alignment);
    if (error != hipSuccess)
        return error;
    *offset = alignment > 0 ? (uintptr_t)pointer % (unsigned)alignment : 0;
    if (*offset == 0 || out_offset)
        return hipSuccess;
    AH_LOG_ERR("%p is not aligned for textures, and there is nowhere to say by how much", pointer);
    return hipErrorInvalidValue;
}

/* Limits a size to the end of the allocation and to the size of textures. */
static size_t bytes_within(const char *pointer, size_t size, const hipChannelFormatDesc *format)
{
    struct ah_allocation allocation;
    struct ah_array_shape shape;
    struct ah_device *device = ah_device_current();
    size_t most;
    if (ah_memory_find(pointer, &allocation)) {
        size_t left = (size_t)(allocation.range.start + allocation.range.size - (uintptr_t)pointer);
        size = size < left ? size : left;
    }
    if (ah_array_format(format, &shape) == hipSuccess &&
        device->ops->device_texture_1d_width(device->native, shape.format, shape.channels, &most) ==
            hipSuccess &&
        size / shape.element > most)
        size = most * shape.element;
    return size;
}

static hipError_t bind_linear(size_t *out_offset, struct ah_texture_reference *reference,
                              const void *pointer, const hipChannelFormatDesc *format, size_t size)
{
    hipResourceDesc resource = {.resType = hipResourceTypeLinear};
    size_t offset = 0;
    if (!pointer || !format)
        return hipErrorInvalidValue;
    hipError_t error = align(pointer, out_offset, &offset);
    if (error != hipSuccess)
        return error;
    char *start = (char *)(uintptr_t)pointer - offset;
    resource.res.linear.devPtr = start;
    resource.res.linear.desc = *format;
    resource.res.linear.sizeInBytes =
        bytes_within(start, size > SIZE_MAX - offset ? SIZE_MAX : size + offset, format);
    error = bind(reference, &resource, NULL, offset);
    if (error == hipSuccess && out_offset)
        *out_offset = offset;
    return error;
}

static hipError_t bind_pitch(size_t *out_offset, struct ah_texture_reference *reference,
                             const void *pointer, const hipChannelFormatDesc *format, size_t width,
                             size_t height, size_t pitch)
{
    hipResourceDesc resource = {.resType = hipResourceTypePitch2D};
    struct ah_array_shape shape;
    size_t offset = 0;
    if (!pointer || !format || ah_array_format(format, &shape) != hipSuccess)
        return hipErrorInvalidValue;
    hipError_t error = align(pointer, out_offset, &offset);
    if (error != hipSuccess)
        return error;
    resource.res.pitch2D.devPtr = (char *)(uintptr_t)pointer - offset;
    resource.res.pitch2D.desc = *format;
    resource.res.pitch2D.width = width + offset / shape.element;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    error = bind(reference, &resource, NULL, offset);
    if (error == hipSuccess && out_offset)
        *out_offset = offset;
    return error;
}

/* The view of an array as format; NULL: the array has this format. */
static const struct hipResourceViewDesc *view_as(const struct ah_array_shape *shape,
                                                 const hipChannelFormatDesc *format,
                                                 unsigned levels, struct hipResourceViewDesc *view)
{
    static const hipArray_Format types[] = {
        HIP_AD_FORMAT_UNSIGNED_INT8, HIP_AD_FORMAT_SIGNED_INT8,    HIP_AD_FORMAT_UNSIGNED_INT16,
        HIP_AD_FORMAT_SIGNED_INT16,  HIP_AD_FORMAT_UNSIGNED_INT32, HIP_AD_FORMAT_SIGNED_INT32,
        HIP_AD_FORMAT_HALF,          HIP_AD_FORMAT_FLOAT};
    struct ah_array_shape wanted;
    if (!format || ah_array_format(format, &wanted) != hipSuccess ||
        (wanted.format == shape->format && wanted.channels == shape->channels))
        return NULL;
    unsigned type = 0;
    while (types[type] != wanted.format)
        type++;
    bool layers = shape->flags & (hipArrayLayered | hipArrayCubemap);
    *view = (struct hipResourceViewDesc){
        .format = (enum hipResourceViewFormat)(1 + 3 * type + wanted.channels / 2),
        .width = shape->width,
        .height = shape->height,
        .depth = shape->depth,
        .lastMipmapLevel = levels - 1,
        .lastLayer = layers ? (unsigned)shape->depth - 1 : 0,
    };
    return view;
}

static hipError_t bind_array(struct ah_texture_reference *reference, hipArray_const_t handle,
                             const hipChannelFormatDesc *format)
{
    struct ah_array *array;
    struct hipResourceViewDesc view;
    hipResourceDesc resource = {.resType = hipResourceTypeArray};
    hipError_t error = ah_array_check(handle, &array);
    if (error != hipSuccess)
        return error;
    resource.res.array.array = (hipArray_t)(uintptr_t)handle;
    return bind(reference, &resource, view_as(&array->shape, format, 1, &view), 0);
}

static hipError_t bind_mipmap(struct ah_texture_reference *reference,
                              hipMipmappedArray_const_t handle, const hipChannelFormatDesc *format)
{
    struct ah_mipmap *mipmap;
    struct hipResourceViewDesc view;
    hipResourceDesc resource = {.resType = hipResourceTypeMipmappedArray};
    hipError_t error = ah_mipmap_check(handle, &mipmap);
    if (error != hipSuccess)
        return error;
    resource.res.mipmap.mipmap = (hipMipmappedArray_t)(uintptr_t)handle;
    return bind(reference, &resource, view_as(&mipmap->shape, format, mipmap->levels, &view), 0);
}

hipError_t hipBindTexture(size_t *offset, const textureReference *tex, const void *devPtr,
                          const hipChannelFormatDesc *desc, size_t size)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipBindTexture);
    hipError_t error = find(tex, &reference);
    return AH_LEAVE(error == hipSuccess ? bind_linear(offset, reference, devPtr, desc, size)
                                        : error);
}

hipError_t hipBindTexture2D(size_t *offset, const textureReference *tex, const void *devPtr,
                            const hipChannelFormatDesc *desc, size_t width, size_t height,
                            size_t pitch)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipBindTexture2D);
    hipError_t error = find(tex, &reference);
    return AH_LEAVE(error == hipSuccess
                        ? bind_pitch(offset, reference, devPtr, desc, width, height, pitch)
                        : error);
}

hipError_t hipBindTextureToArray(const textureReference *tex, hipArray_const_t array,
                                 const hipChannelFormatDesc *desc)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipBindTextureToArray);
    if (!desc)
        return AH_LEAVE(hipErrorInvalidValue);
    hipError_t error = find(tex, &reference);
    return AH_LEAVE(error == hipSuccess ? bind_array(reference, array, desc) : error);
}

hipError_t hipBindTextureToMipmappedArray(const textureReference *tex,
                                          hipMipmappedArray_const_t mipmappedArray,
                                          const hipChannelFormatDesc *desc)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipBindTextureToMipmappedArray);
    if (!desc)
        return AH_LEAVE(hipErrorInvalidValue);
    hipError_t error = find(tex, &reference);
    return AH_LEAVE(error == hipSuccess ? bind_mipmap(reference, mipmappedArray, desc) : error);
}

hipError_t hipUnbindTexture(const textureReference *tex)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipUnbindTexture);
    hipError_t error = find(tex, &reference);
    return AH_LEAVE(error == hipSuccess ? unbind(reference) : error);
}

hipError_t hipGetTextureAlignmentOffset(size_t *offset, const textureReference *texref)
{
    struct ah_texture_reference *reference;
    AH_ENTER(hipGetTextureAlignmentOffset);
    if (!offset)
        return AH_LEAVE(hipErrorInvalidValue);
    hipError_t error = find(texref, &reference);
    if (error == hipSuccess && !reference->host->textureObject)
        error = hipErrorInvalidTexture;
    if (error == hipSuccess)
        *offset = reference->offset;
    return AH_LEAVE(error);
}

/* ---- the driver API: what is read ---------------------------------------------------------- */

hipError_t hipTexRefSetAddress(size_t *ByteOffset, textureReference *texRef, hipDeviceptr_t dptr,
                               size_t bytes)
{
    struct ah_texture_reference *reference;
    hipChannelFormatDesc format;
    AH_ENTER(hipTexRefSetAddress);
    hipError_t error = ah_reference_find(true, texRef, &reference);
    if (error == hipSuccess)
        error = ah_array_describe(texRef->format, (unsigned)texRef->numChannels, &format);
    return AH_LEAVE(error == hipSuccess ? bind_linear(ByteOffset, reference, dptr, &format, bytes)
                                        : error);
}

hipError_t hipTexRefSetAddress2D(textureReference *texRef, const HIP_ARRAY_DESCRIPTOR *desc,
                                 hipDeviceptr_t dptr, size_t Pitch)
{
    struct ah_texture_reference *reference;
    hipChannelFormatDesc format;
    AH_ENTER(hipTexRefSetAddress2D);
    if (!desc)
        return AH_LEAVE(hipErrorInvalidValue);
    hipError_t error = ah_reference_find(true, texRef, &reference);
    if (error == hipSuccess)
        error = ah_array_describe(desc->Format, desc->NumChannels, &format);
    return AH_LEAVE(error == hipSuccess ? bind_pitch(NULL, reference, dptr, &format, desc->Width,
                                                     desc->Height, Pitch)
                                        : error);
}

static hipError_t set_array(textureReference *host, hipArray_const_t handle, unsigned flags)
{
    struct ah_texture_reference *reference;
    struct ah_array *array;
    if (!handle || flags != HIP_TRSA_OVERRIDE_FORMAT)
        return hipErrorInvalidValue;
    hipError_t error = ah_reference_find(true, host, &reference);
    if (error == hipSuccess)
        error = ah_array_check(handle, &array);
    if (error != hipSuccess)
        return error;
    host->format = array->shape.format;
    host->numChannels = (int)array->shape.channels;
    return bind_array(reference, handle, NULL);
}

hipError_t hipTexRefSetArray(textureReference *tex, hipArray_const_t array, unsigned int flags)
{
    AH_ENTER(hipTexRefSetArray);
    return AH_LEAVE(set_array(tex, array, flags));
}

static hipError_t set_mipmap(textureReference *host, hipMipmappedArray_t handle, unsigned flags)
{
    struct ah_texture_reference *reference;
    struct ah_mipmap *mipmap;
    if (!handle || flags != HIP_TRSA_OVERRIDE_FORMAT)
        return hipErrorInvalidValue;
    hipError_t error = ah_reference_find(true, host, &reference);
    if (error == hipSuccess)
        error = ah_mipmap_check(handle, &mipmap);
    if (error != hipSuccess)
        return error;
    host->format = mipmap->shape.format;
    host->numChannels = (int)mipmap->shape.channels;
    return bind_mipmap(reference, handle, NULL);
}

hipError_t hipTexRefSetMipmappedArray(textureReference *texRef,
                                      struct hipMipmappedArray *mipmappedArray, unsigned int Flags)
{
    AH_ENTER(hipTexRefSetMipmappedArray);
    return AH_LEAVE(set_mipmap(texRef, mipmappedArray, Flags));
}
