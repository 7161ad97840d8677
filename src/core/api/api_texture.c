/* Texture and surface objects: their descriptors are checked here, once for all devices. */
#include "api.h"
#include "api_arguments.h"
#include "texture.h"

#include <stdlib.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    struct ah_texture *first;
} objects = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- which there are -------------------------------------------------------------------- */

static struct ah_texture **find_link(uint64_t object, bool surface)
{
    struct ah_texture **other = NULL;
    for (struct ah_texture **link = &objects.first; *link; link = &(*link)->next)
        if ((*link)->object == object && (*link)->surface == surface) {
            if ((*link)->device == ah_device_current())
                return link;
            other = link;
        }
    return other;
}

bool ah_texture_find(const void *object, bool surface, struct ah_texture *out)
{
    pthread_mutex_lock(&objects.lock);
    struct ah_texture **link = find_link((uintptr_t)object, surface);
    if (link)
        *out = **link;
    pthread_mutex_unlock(&objects.lock);
    return link;
}

static void add(struct ah_texture *texture)
{
    pthread_mutex_lock(&objects.lock);
    texture->next = objects.first;
    objects.first = texture;
    pthread_mutex_unlock(&objects.lock);
}

/* Of several threads that destroy one object, one gets it. */
static struct ah_texture *take(const void *object, bool surface)
{
    pthread_mutex_lock(&objects.lock);
    struct ah_texture **link = find_link((uintptr_t)object, surface);
    struct ah_texture *texture = link ? *link : NULL;
    if (link)
        *link = texture->next;
    pthread_mutex_unlock(&objects.lock);
    return texture;
}

/* After take: error is the driver's result. */
static void end(struct ah_texture *texture, hipError_t error)
{
    if (ah_free_failed(error))
        add(texture);
    else
        free(texture);
}

static void free_of_device(struct ah_device *device)
{
    pthread_mutex_lock(&objects.lock);
    for (struct ah_texture **link = &objects.first; *link;) {
        struct ah_texture *texture = *link;
        if (texture->device != device) {
            link = &texture->next;
            continue;
        }
        *link = texture->next;
        free(texture);
    }
    pthread_mutex_unlock(&objects.lock);
}

const struct ah_dependent ah_texture_dependent = {.device_resets = free_of_device};

/* ---- checks ------------------------------------------------------------------------------ */

static hipError_t refuse(const char *why)
{
    AH_LOG_ERR("texture or surface object: %s", why);
    return hipErrorInvalidValue;
}

static int attribute(struct ah_device *device, hipDeviceAttribute_t which)
{
    int value = 0;
    return device->ops->device_attribute(device->native, which, &value) == hipSuccess ? value : 0;
}

/* A device without images has limits of 0, by which every source would be too large. */
static hipError_t check_support(struct ah_device *device)
{
    int has_images = 0;
    hipError_t error =
        device->ops->device_attribute(device->native, hipDeviceAttributeImageSupport, &has_images);
    if (error != hipSuccess || has_images)
        return error;
    (void)refuse("the device has no images");
    return hipErrorNotSupported;
}

static bool is_aligned(struct ah_device *device, const void *pointer)
{
    int alignment = attribute(device, hipDeviceAttributeTextureAlignment);
    return pointer && (alignment <= 0 || (uintptr_t)pointer % (unsigned)alignment == 0);
}

static hipError_t linear_source(struct ah_device *device, const hipResourceDesc *resource,
                                struct ah_texture_source *out)
{
    size_t most = 0;
    out->kind = AH_SOURCE_LINEAR;
    out->pointer = resource->res.linear.devPtr;
    if (ah_array_format(&resource->res.linear.desc, &out->shape) != hipSuccess)
        return refuse("no texture has elements of that description");
    out->shape.width = resource->res.linear.sizeInBytes / out->shape.element;
    if (!is_aligned(device, out->pointer))
        return refuse("linear memory must begin at a multiple of textureAlignment");
    hipError_t error = device->ops->device_texture_1d_width(device->native, out->shape.format,
                                                            out->shape.channels, &most);
    if (error != hipSuccess)
        return error;
    if (out->shape.width == 0 || out->shape.width > most)
        return refuse("linear memory has no element, or more than textures can have");
    return hipSuccess;
}

static hipError_t pitch_source(struct ah_device *device, const hipResourceDesc *resource,
                               struct ah_texture_source *out)
{
    int alignment = attribute(device, hipDeviceAttributeTexturePitchAlignment);
    out->kind = AH_SOURCE_PITCH;
    out->pointer = resource->res.pitch2D.devPtr;
    out->pitch = resource->res.pitch2D.pitchInBytes;
    if (ah_array_format(&resource->res.pitch2D.desc, &out->shape) != hipSuccess)
        return refuse("no texture has elements of that description");
    out->shape.width = resource->res.pitch2D.width;
    out->shape.height = resource->res.pitch2D.height;
    if (!is_aligned(device, out->pointer))
        return refuse("rows must begin at a multiple of textureAlignment");
    if (out->shape.width == 0 || out->shape.height == 0 ||
        out->shape.width > SIZE_MAX / out->shape.element ||
        out->shape.width * out->shape.element > out->pitch ||
        (alignment > 0 && out->pitch % (unsigned)alignment != 0))
        return refuse("rows must have elements, and a pitch that holds them and is a multiple of "
                      "texturePitchAlignment");
    if (out->shape.width > (size_t)attribute(device, hipDeviceAttributeMaxTexture2DWidth) ||
        out->shape.height > (size_t)attribute(device, hipDeviceAttributeMaxTexture2DHeight))
        return refuse("rows or their number are beyond the device's limits");
    return hipSuccess;
}

static hipError_t read_source(struct ah_device *device, const hipResourceDesc *resource,
                              struct ah_texture_source *out)
{
    struct ah_array *array;
    struct ah_mipmap *mipmap;
    *out = (struct ah_texture_source){0};
    switch ((int)resource->resType) {
    case hipResourceTypeArray:
        if (ah_array_check(resource->res.array.array, &array) != hipSuccess ||
            array->handle.device != device)
            return refuse("the array is not one of the current device");
        out->kind = AH_SOURCE_ARRAY;
        out->array = array->native;
        out->shape = array->shape;
        return hipSuccess;
    case hipResourceTypeMipmappedArray:
        if (ah_mipmap_check(resource->res.mipmap.mipmap, &mipmap) != hipSuccess ||
            mipmap->handle.device != device)
            return refuse("the mipmapped array is not one of the current device");
        out->kind = AH_SOURCE_MIPMAP;
        out->mipmap = mipmap->native;
        out->shape = mipmap->shape;
        return hipSuccess;
    case hipResourceTypeLinear:
        return linear_source(device, resource, out);
    case hipResourceTypePitch2D:
        return pitch_source(device, resource, out);
    default:
        return refuse("no such type of resource");
    }
}

static bool filter_known(int filter)
{
    return filter == hipFilterModePoint || filter == hipFilterModeLinear;
}

/* 1, 2 and 4 channels of each type in turn, then compressed formats. */
static bool view_is_float(enum hipResourceViewFormat format)
{
    return format >= hipResViewFormatHalf1;
}

static bool gives_float(const struct ah_texture_source *source, const hipTextureDesc *settings,
                        const struct hipResourceViewDesc *view)
{
    hipArray_Format format = source->shape.format;
    if (view && view->format != hipResViewFormatNone)
        return view_is_float(view->format) || (settings->readMode == hipReadModeNormalizedFloat &&
                                               view->format < hipResViewFormatUnsignedInt1);
    if (format == HIP_AD_FORMAT_FLOAT || format == HIP_AD_FORMAT_HALF)
        return true;
    return settings->readMode == hipReadModeNormalizedFloat &&
           source->shape.element / source->shape.channels < 4;
}

static hipError_t check_settings(const struct ah_texture_source *source,
                                 const hipTextureDesc *settings,
                                 const struct hipResourceViewDesc *view)
{
    for (int i = 0; i < 3; i++)
        if ((int)settings->addressMode[i] < hipAddressModeWrap ||
            (int)settings->addressMode[i] > hipAddressModeBorder)
            return refuse("no such addressing mode");
    if (!filter_known((int)settings->filterMode) || !filter_known((int)settings->mipmapFilterMode))
        return refuse("no such filter");
    if ((int)settings->readMode != hipReadModeElementType &&
        (int)settings->readMode != hipReadModeNormalizedFloat)
        return refuse("no such way of reading");
    if (source->kind == AH_SOURCE_MIPMAP && !settings->normalizedCoords)
        return refuse("a mipmapped array is read by normalized coordinates");
    if (source->kind != AH_SOURCE_LINEAR && settings->filterMode == hipFilterModeLinear &&
        !gives_float(source, settings, view))
        return refuse("integers cannot be filtered: read them as normalized floats");
    if (view && source->kind != AH_SOURCE_ARRAY && source->kind != AH_SOURCE_MIPMAP)
        return refuse("linear memory has no views");
    return hipSuccess;
}

/* NVIDIA's driver takes a view whose last level is before its first one. */
static hipError_t check_view(const hipResourceDesc *resource,
                             const struct ah_texture_source *source,
                             const struct hipResourceViewDesc *view)
{
    struct ah_mipmap *mipmap;
    unsigned levels = 1;
    bool layered = source->shape.flags & hipArrayLayered;
    if (source->kind == AH_SOURCE_MIPMAP &&
        ah_mipmap_check(resource->res.mipmap.mipmap, &mipmap) == hipSuccess)
        levels = mipmap->levels;
    if (view->firstMipmapLevel > view->lastMipmapLevel || view->lastMipmapLevel >= levels)
        return refuse("a view's levels are not among those of the array");
    if (view->firstLayer > view->lastLayer || (layered && view->lastLayer >= source->shape.depth))
        return refuse("a view's layers are not among those of the array");
    return hipSuccess;
}

/* ---- textures ----------------------------------------------------------------------------- */

/* Linear memory has integer coordinates: modes and filters are ignored. */
static void driver_settings(const struct ah_texture_source *source, const hipTextureDesc *settings,
                            HIP_TEXTURE_DESC *out)
{
    ah_settings_to_driver(settings, out);
    if (source->kind != AH_SOURCE_LINEAR)
        return;
    out->filterMode = HIP_TR_FILTER_MODE_POINT;
    out->mipmapFilterMode = HIP_TR_FILTER_MODE_POINT;
    for (int i = 0; i < 3; i++)
        out->addressMode[i] = HIP_TR_ADDRESS_MODE_CLAMP;
}

hipError_t ah_texture_create(const hipResourceDesc *resource, const hipTextureDesc *settings,
                             const struct hipResourceViewDesc *view, hipTextureObject_t *out)
{
    struct ah_texture_source source;
    HIP_TEXTURE_DESC driver_form;
    HIP_RESOURCE_VIEW_DESC driver_view;
    struct ah_device *device = ah_device_current();
    if (!device)
        return hipErrorNoDevice;
    if (!out || !resource || !settings)
        return refuse("a description is NULL");
    hipError_t error = check_support(device);
    if (error == hipSuccess)
        error = read_source(device, resource, &source);
    if (error == hipSuccess)
        error = check_settings(&source, settings, view);
    if (error == hipSuccess && view)
        error = check_view(resource, &source, view);
    if (error != hipSuccess)
        return error;
    struct ah_texture *texture = calloc(1, sizeof *texture);
    if (!texture)
        return hipErrorOutOfMemory;
    driver_settings(&source, settings, &driver_form);
    if (view)
        ah_view_to_driver(view, &driver_view);
    *texture = (struct ah_texture){.device = device,
                                   .resource = *resource,
                                   .settings = *settings,
                                   .view = view ? *view : (struct hipResourceViewDesc){0},
                                   .has_view = view};
    error = device->ops->texture_create(device->native, &source, &driver_form,
                                        view ? &driver_view : NULL, &texture->object);
    if (error != hipSuccess) {
        free(texture);
        return error;
    }
    *out = (hipTextureObject_t)(uintptr_t)texture->object;
    add(texture);
    return hipSuccess;
}

hipError_t ah_texture_destroy(hipTextureObject_t object)
{
    if (!object)
        return hipSuccess;
    struct ah_texture *texture = take(object, false);
    if (!texture)
        return refuse("there is no such texture object");
    hipError_t error =
        texture->device->ops->texture_destroy(texture->device->native, texture->object);
    end(texture, error);
    return error;
}

hipError_t hipCreateTextureObject(hipTextureObject_t *pTexObject, const hipResourceDesc *pResDesc,
                                  const hipTextureDesc *pTexDesc,
                                  const struct hipResourceViewDesc *pResViewDesc)
{
    AH_ENTER(hipCreateTextureObject);
    return AH_LEAVE(ah_texture_create(pResDesc, pTexDesc, pResViewDesc, pTexObject));
}

static hipError_t create_driver(hipTextureObject_t *out, const HIP_RESOURCE_DESC *resource,
                                const HIP_TEXTURE_DESC *settings,
                                const HIP_RESOURCE_VIEW_DESC *view)
{
    hipResourceDesc runtime_resource;
    hipTextureDesc runtime_settings;
    struct hipResourceViewDesc runtime_view;
    if (!resource || !settings || resource->flags != 0)
        return refuse("a description is NULL, or its flags are not 0");
    hipError_t error = ah_resource_from_driver(resource, &runtime_resource);
    if (error != hipSuccess)
        return error;
    ah_settings_from_driver(settings, &runtime_settings);
    if (view)
        ah_view_from_driver(view, &runtime_view);
    return ah_texture_create(&runtime_resource, &runtime_settings, view ? &runtime_view : NULL,
                             out);
}

hipError_t hipTexObjectCreate(hipTextureObject_t *pTexObject, const HIP_RESOURCE_DESC *pResDesc,
                              const HIP_TEXTURE_DESC *pTexDesc,
                              const HIP_RESOURCE_VIEW_DESC *pResViewDesc)
{
    AH_ENTER(hipTexObjectCreate);
    return AH_LEAVE(create_driver(pTexObject, pResDesc, pTexDesc, pResViewDesc));
}

hipError_t hipDestroyTextureObject(hipTextureObject_t textureObject)
{
    AH_ENTER(hipDestroyTextureObject);
    return AH_LEAVE(ah_texture_destroy(textureObject));
}

hipError_t hipTexObjectDestroy(hipTextureObject_t texObject)
{
    AH_ENTER(hipTexObjectDestroy);
    return AH_LEAVE(ah_texture_destroy(texObject));
}

/* Finds the object whose attribute out gets; hipErrorInvalidValue without either. */
static hipError_t find(const void *out, hipTextureObject_t object, struct ah_texture *texture)
{
    return out && object && ah_texture_find(object, false, texture)
               ? hipSuccess
               : refuse("there is no such texture object, or nowhere to write to");
}

static hipError_t find_view(const void *out, hipTextureObject_t object, struct ah_texture *texture)
{
    hipError_t error = find(out, object, texture);
    return error == hipSuccess && !texture->has_view ? refuse("the texture has no view") : error;
}

hipError_t hipGetTextureObjectResourceDesc(hipResourceDesc *pResDesc,
                                           hipTextureObject_t textureObject)
{
    struct ah_texture texture;
    AH_ENTER(hipGetTextureObjectResourceDesc);
    hipError_t error = find(pResDesc, textureObject, &texture);
    if (error == hipSuccess)
        *pResDesc = texture.resource;
    return AH_LEAVE(error);
}

hipError_t hipGetTextureObjectResourceViewDesc(struct hipResourceViewDesc *pResViewDesc,
                                               hipTextureObject_t textureObject)
{
    struct ah_texture texture;
    AH_ENTER(hipGetTextureObjectResourceViewDesc);
    hipError_t error = find_view(pResViewDesc, textureObject, &texture);
    if (error == hipSuccess)
        *pResViewDesc = texture.view;
    return AH_LEAVE(error);
}

hipError_t hipGetTextureObjectTextureDesc(hipTextureDesc *pTexDesc,
                                          hipTextureObject_t textureObject)
{
    struct ah_texture texture;
    AH_ENTER(hipGetTextureObjectTextureDesc);
    hipError_t error = find(pTexDesc, textureObject, &texture);
    if (error == hipSuccess)
        *pTexDesc = texture.settings;
    return AH_LEAVE(error);
}

hipError_t hipTexObjectGetResourceDesc(HIP_RESOURCE_DESC *pResDesc, hipTextureObject_t texObject)
{
    struct ah_texture texture;
    AH_ENTER(hipTexObjectGetResourceDesc);
    hipError_t error = find(pResDesc, texObject, &texture);
    if (error == hipSuccess)
        ah_resource_to_driver(&texture.resource, pResDesc);
    return AH_LEAVE(error);
}

hipError_t hipTexObjectGetResourceViewDesc(HIP_RESOURCE_VIEW_DESC *pResViewDesc,
                                           hipTextureObject_t texObject)
{
    struct ah_texture texture;
    AH_ENTER(hipTexObjectGetResourceViewDesc);
    hipError_t error = find_view(pResViewDesc, texObject, &texture);
    if (error == hipSuccess)
        ah_view_to_driver(&texture.view, pResViewDesc);
    return AH_LEAVE(error);
}

hipError_t hipTexObjectGetTextureDesc(HIP_TEXTURE_DESC *pTexDesc, hipTextureObject_t texObject)
{
    struct ah_texture texture;
    AH_ENTER(hipTexObjectGetTextureDesc);
    hipError_t error = find(pTexDesc, texObject, &texture);
    if (error == hipSuccess)
        ah_settings_to_driver(&texture.settings, pTexDesc);
    return AH_LEAVE(error);
}

/* ---- surfaces ------------------------------------------------------------------------------ */

static hipError_t create_surface(hipSurfaceObject_t *out, const hipResourceDesc *resource)
{
    struct ah_array *array;
    struct ah_device *device = ah_device_current();
    if (!device)
        return hipErrorNoDevice;
    if (!out || !resource || resource->resType != hipResourceTypeArray)
        return refuse("a surface is made of an array");
    hipError_t error = ah_array_check(resource->res.array.array, &array);
    if (error != hipSuccess)
        return error;
    if (array->handle.device != device)
        return refuse("the array is another device's");
    if (array->shape.flags != hipArrayDefault && !(array->shape.flags & hipArraySurfaceLoadStore))
        return refuse("an array with flags needs hipArraySurfaceLoadStore among them");
    struct ah_texture *surface = calloc(1, sizeof *surface);
    if (!surface)
        return hipErrorOutOfMemory;
    *surface = (struct ah_texture){.device = device, .surface = true, .resource = *resource};
    error =
        device->ops->surface_create(device->native, array->native, &array->shape, &surface->object);
    if (error != hipSuccess) {
        if (error == hipErrorInvalidValue && array->shape.flags == hipArrayDefault)
            AH_LOG_ERR("the array is too large for a surface");
        free(surface);
        return error;
    }
    *out = (hipSurfaceObject_t)(uintptr_t)surface->object;
    add(surface);
    return hipSuccess;
}

hipError_t hipCreateSurfaceObject(hipSurfaceObject_t *pSurfObject, const hipResourceDesc *pResDesc)
{
    AH_ENTER_UNSAFE(hipCreateSurfaceObject);
    return AH_LEAVE(create_surface(pSurfObject, pResDesc));
}

static hipError_t destroy_surface(hipSurfaceObject_t object)
{
    if (!object)
        return hipSuccess;
    struct ah_texture *surface = take(object, true);
    if (!surface)
        return refuse("there is no such surface object");
    hipError_t error =
        surface->device->ops->surface_destroy(surface->device->native, surface->object);
    end(surface, error);
    return error;
}

hipError_t hipDestroySurfaceObject(hipSurfaceObject_t surfaceObject)
{
    AH_ENTER(hipDestroySurfaceObject);
    return AH_LEAVE(destroy_surface(surfaceObject));
}

/* HIP 5 exported these under C++ names, with a type of its own for objects. */
AH_ALIAS(create_surface_5, hipCreateSurfaceObject,
         "_Z22hipCreateSurfaceObjectPP13__hip_surfacePK15hipResourceDesc");
AH_ALIAS(destroy_surface_5, hipDestroySurfaceObject, "_Z23hipDestroySurfaceObjectP13__hip_surface");
