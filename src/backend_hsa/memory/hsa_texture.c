/* Owns textures and surfaces: a handle is the address of device memory with the descriptors of an
 * image and of a sampler, as the runtime creates them, with what the runtime has no functions for
 * added to them: levels, borders and volumes. */
#include "hsa_allocation.h"

#include "hip/texture_types.h"

#include <stdlib.h>
#include <string.h>

struct ahhsa_texture { /* or a surface */
    struct ahhsa_texture *next;
    struct ah_backend_device *device;
    uint32_t *memory; /* of the device */
    hsa_ext_image_t image;
    hsa_ext_sampler_t sampler; /* 0: none */
    bool surface;
};

/* The description of an image. */
struct image {
    hsa_ext_image_descriptor_t descriptor;
    char *memory;
    size_t row_pitch, slice_pitch; /* 0: without padding */
    size_t layer;                  /* bytes from layer to layer, where slice_pitch is 0 */
    unsigned levels, first_level, last_level; /* levels in memory, 0: there are none; those shown */
};

/* ---- formats ---------------------------------------------------------------------------- */

enum { NO_FORMAT = -1 };

/* The channel type of integers and floats. */
static int integer_type(hipArray_Format format)
{
    switch ((int)format) {
    case HIP_AD_FORMAT_UNSIGNED_INT8:
        return HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8;
    case HIP_AD_FORMAT_UNSIGNED_INT16:
        return HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16;
    case HIP_AD_FORMAT_UNSIGNED_INT32:
        return HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32;
    case HIP_AD_FORMAT_SIGNED_INT8:
        return HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8;
    case HIP_AD_FORMAT_SIGNED_INT16:
        return HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16;
    case HIP_AD_FORMAT_SIGNED_INT32:
        return HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT32;
    case HIP_AD_FORMAT_HALF:
        return HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT;
    case HIP_AD_FORMAT_FLOAT:
        return HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT;
    default:
        return NO_FORMAT;
    }
}

/* Integers of 8 and 16 bits are normalised, unless a texture reads integers. */
static int channel_type(hipArray_Format format, bool as_integers)
{
    int type = integer_type(format);
    switch (as_integers ? NO_FORMAT : type) {
    case HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8:
        return HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8;
    case HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16:
        return HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16;
    case HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8:
        return HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8;
    case HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16:
        return HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16;
    default:
        return type;
    }
}

/* sRGB is an order of four channels of 8 bits. False: there is no such format. */
static bool image_format(const struct ah_array_shape *shape, bool as_integers, bool srgb,
                         hsa_ext_image_format_t *out_format)
{
    static const signed char orders[] = {[0] = NO_FORMAT,
                                         [1] = HSA_EXT_IMAGE_CHANNEL_ORDER_R,
                                         [2] = HSA_EXT_IMAGE_CHANNEL_ORDER_RG,
                                         [3] = NO_FORMAT,
                                         [4] = HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA};
    int type = channel_type(shape->format, as_integers);
    int order = shape->channels < sizeof orders ? orders[shape->channels] : NO_FORMAT;
    if (type == NO_FORMAT || order == NO_FORMAT)
        return false;
    if (srgb && type == HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8) {
        if (order != HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA)
            return false;
        order = HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA;
    }
    *out_format = (hsa_ext_image_format_t){(uint32_t)type, (uint32_t)order};
    return true;
}

/* ---- images ----------------------------------------------------------------------------- */

/* HIP's errors for the results of this extension. */
static hipError_t image_error(const struct ah_backend_device *device, const char *function,
                              hsa_status_t status)
{
    enum { FORMAT_UNSUPPORTED = 0x3000, SIZE_UNSUPPORTED, PITCH_UNSUPPORTED, SAMPLER_UNSUPPORTED };
    switch ((int)status) {
    case FORMAT_UNSUPPORTED:
        return ahhsa_refuse(device, function, "the device has no images of that format");
    case SIZE_UNSUPPORTED:
        AH_LOG(AH_LOG_ERROR, AH_LOG_RESOURCE, "%s: the device has no images of that size",
               function);
        return hipErrorInvalidValue;
    case PITCH_UNSUPPORTED:
        AH_LOG(AH_LOG_ERROR, AH_LOG_RESOURCE, "%s: the device has no images with this pitch",
               function);
        return hipErrorInvalidValue;
    case SAMPLER_UNSUPPORTED:
        return ahhsa_refuse(device, function, "the device has no such sampler");
    default:
        return ahhsa_done(device, function, status);
    }
}

static hipError_t check_image_support(struct ah_backend_device *device)
{
    const struct ahhsa_api *api = device->api;
    if (!ahhsa_device_has_images(device))
        return ahhsa_refuse(device, "textures and surfaces", "the device has no images");
    if (!api->hsa_ext_image_create || !api->hsa_ext_image_destroy)
        return ahhsa_missing(device, "hsa_ext_image_create");
    if (!api->hsa_ext_image_create_with_layout)
        return ahhsa_missing(device, "hsa_ext_image_create_with_layout");
    if (!api->hsa_ext_sampler_create_v2 || !api->hsa_ext_sampler_destroy)
        return ahhsa_missing(device, "hsa_ext_sampler_create_v2");
    return hipSuccess;
}

/* Geometry and size of an array. */
static void describe_array(const struct ah_array_shape *shape,
                           hsa_ext_image_descriptor_t *out_descriptor)
{
    bool layered = shape->flags & (hipArrayLayered | hipArrayCubemap);
    out_descriptor->geometry =
        layered         ? shape->height ? HSA_EXT_IMAGE_GEOMETRY_2DA : HSA_EXT_IMAGE_GEOMETRY_1DA
        : shape->depth  ? HSA_EXT_IMAGE_GEOMETRY_3D
        : shape->height ? HSA_EXT_IMAGE_GEOMETRY_2D
                        : HSA_EXT_IMAGE_GEOMETRY_1D;
    out_descriptor->width = shape->width;
    out_descriptor->height = shape->height ? shape->height : 1;
    out_descriptor->depth = layered ? 0 : shape->depth;
    out_descriptor->array_size = layered ? shape->depth ? shape->depth : 1 : 0;
}

/* Levels of an array, whose slices all have the levels that are not shown, too. */
static void describe_levels(const struct ah_backend_mipmap *mipmap, unsigned first, unsigned last,
                            struct image *out_image)
{
    describe_array(&mipmap->shape, &out_image->descriptor);
    out_image->memory = mipmap->memory;
    out_image->row_pitch = mipmap->levels[0].pitch;
    out_image->slice_pitch = 0;
    out_image->layer = mipmap->levels[0].slice;
    out_image->levels = mipmap->level_count;
    out_image->first_level = first;
    out_image->last_level = last;
}

/* The descriptor of the array's own shape is there. */
static void describe_memory(const struct ah_backend_array *array, struct image *out_image)
{
    const hsa_ext_image_descriptor_t *descriptor = &out_image->descriptor;
    if (array->level_of && (descriptor->depth > 0 || descriptor->array_size > 0)) {
        describe_levels(array->level_of, array->level, array->level, out_image);
        return;
    }
    out_image->memory = array->memory;
    out_image->row_pitch = array->pitch;
    out_image->slice_pitch = out_image->layer = array->slice;
    if (array->level_of)
        out_image->slice_pitch = 0;
}

static void describe_source(const struct ah_texture_source *source,
                            const struct ah_array_shape *shape, struct image *out_image)
{
    describe_array(shape, &out_image->descriptor);
    switch (source->kind) {
    case AH_SOURCE_LINEAR:
        out_image->descriptor.geometry = HSA_EXT_IMAGE_GEOMETRY_1DB;
        out_image->memory = source->pointer;
        break;
    case AH_SOURCE_PITCH:
        out_image->memory = source->pointer;
        out_image->row_pitch = source->pitch;
        out_image->slice_pitch = source->pitch * out_image->descriptor.height;
        break;
    case AH_SOURCE_MIPMAP:
        describe_levels(source->mipmap, 0, source->mipmap->level_count - 1, out_image);
        break;
    default:
        describe_memory(source->array, out_image);
    }
}

static hsa_status_t create_linear(struct ah_backend_device *device, const struct image *image,
                                  const hsa_ext_image_descriptor_t *descriptor,
                                  hsa_access_permission_t permission, hsa_ext_image_t *out_image)
{
    return device->api->hsa_ext_image_create_with_layout(
        device->agent, descriptor, image->memory, permission, HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR,
        image->row_pitch, image->slice_pitch, out_image);
}

/* The image as layers of two dimensions, which lie in memory as the slices of a volume do. */
static hsa_ext_image_descriptor_t as_layers(const struct image *image)
{
    hsa_ext_image_descriptor_t descriptor = image->descriptor;
    descriptor.geometry = HSA_EXT_IMAGE_GEOMETRY_2DA;
    descriptor.array_size = descriptor.depth;
    descriptor.depth = 0;
    return descriptor;
}

/* ROCm 7's runtime finds no linear layout for volumes on gfx11: it requests one that can be seen
 * as layers, and its address library leaves the linear one out of those (addrlib/src/gfx11,
 * Gfx11Rsrc3dThinSwModeMask). write_words makes a volume of the layers. */
static hipError_t create_image(struct ah_backend_device *device, const struct image *image,
                               hsa_access_permission_t permission, hsa_ext_image_t *out_image)
{
    const hsa_ext_image_descriptor_t *descriptor = &image->descriptor;
    if (descriptor->geometry == HSA_EXT_IMAGE_GEOMETRY_1DB)
        return image_error(device, "hsa_ext_image_create",
                           device->api->hsa_ext_image_create(device->agent, descriptor,
                                                             image->memory, permission, out_image));
    hsa_status_t status = create_linear(device, image, descriptor, permission, out_image);
    if (status == HSA_STATUS_ERROR && descriptor->geometry == HSA_EXT_IMAGE_GEOMETRY_3D) {
        hsa_ext_image_descriptor_t layers = as_layers(image);
        status = create_linear(device, image, &layers, permission, out_image);
    }
    return image_error(device, "hsa_ext_image_create_with_layout", status);
}

/* ---- views ------------------------------------------------------------------------------ */

/* Sets the format that a view names; false: images do not have it. */
static bool view_format(HIPresourceViewFormat format, struct ah_array_shape *shape)
{
    static const unsigned char channels[] = {1, 2, 4};
    static const int formats[] = {HIP_AD_FORMAT_UNSIGNED_INT8,  HIP_AD_FORMAT_SIGNED_INT8,
                                  HIP_AD_FORMAT_UNSIGNED_INT16, HIP_AD_FORMAT_SIGNED_INT16,
                                  HIP_AD_FORMAT_UNSIGNED_INT32, HIP_AD_FORMAT_SIGNED_INT32,
                                  HIP_AD_FORMAT_HALF,           HIP_AD_FORMAT_FLOAT};
    if (format == HIP_RES_VIEW_FORMAT_NONE)
        return true;
    if (format > HIP_RES_VIEW_FORMAT_FLOAT_4X32)
        return false;
    shape->channels = channels[(format - 1) % 3];
    shape->format = (hipArray_Format)formats[(format - 1) / 3];
    return true;
}

/* False: the image has no such levels. */
static bool choose_levels(const HIP_RESOURCE_VIEW_DESC *view, struct image *image)
{
    unsigned most = image->last_level - image->first_level;
    if (view->firstMipmapLevel > view->lastMipmapLevel || view->lastMipmapLevel > most)
        return false;
    image->last_level = image->first_level + view->lastMipmapLevel;
    image->first_level += view->firstMipmapLevel;
    return true;
}

/* Applies a view to the image. Layers are aligned as images are. */
static hipError_t apply_view(const struct ah_backend_device *device,
                             const HIP_RESOURCE_VIEW_DESC *view, struct ah_array_shape *shape,
                             struct image *image)
{
    hsa_ext_image_descriptor_t *descriptor = &image->descriptor;
    if (!view_format(view->format, shape))
        return ahhsa_refuse(device, "resource view", "images cannot have compressed formats");
    if (!choose_levels(view, image))
        return hipErrorInvalidValue;
    if ((view->width && view->width != descriptor->width) ||
        (view->height && view->height != shape->height))
        return ahhsa_refuse(device, "resource view", "a view must have the size of the image");
    if (descriptor->array_size && (view->firstLayer || view->lastLayer)) {
        if (view->firstLayer > view->lastLayer || view->lastLayer >= descriptor->array_size)
            return hipErrorInvalidValue;
        descriptor->array_size = view->lastLayer - view->firstLayer + 1;
        image->memory += view->firstLayer * image->layer;
    }
    return hipSuccess;
}

/* ---- samplers --------------------------------------------------------------------------- */

/* With coordinates that are not normalized, wrap and mirror clamp to the edge, as in CUDA.
 *  */
static uint32_t address_mode(HIPaddress_mode mode, bool normalized)
{
    switch (mode) {
    case HIP_TR_ADDRESS_MODE_WRAP:
        return normalized ? HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT
                          : HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE;
    case HIP_TR_ADDRESS_MODE_MIRROR:
        return normalized ? HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT
                          : HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE;
    case HIP_TR_ADDRESS_MODE_BORDER:
        return HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER;
    default:
        return HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE;
    }
}

/* The hardware has numbers for three border colours, and the runtime sets that of the first.
 * NO_BORDER: another colour. */
enum border { NOTHING, BLACK, WHITE, NO_BORDER };

static enum border border_of(const HIP_TEXTURE_DESC *settings)
{
    static const float colours[NO_BORDER][4] = {{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1, 1}};
    unsigned border = NOTHING;
    bool used = false;
    for (unsigned i = 0; i < 3; i++)
        used |= settings->addressMode[i] == HIP_TR_ADDRESS_MODE_BORDER;
    while (used && border < NO_BORDER &&
           memcmp(settings->borderColor, colours[border], sizeof colours[0]) != 0)
        border++;
    return (enum border)border;
}

static hipError_t create_sampler(struct ah_backend_device *device, const HIP_TEXTURE_DESC *settings,
                                 hsa_ext_sampler_t *out_sampler)
{
    bool normalized = settings->flags & HIP_TRSF_NORMALIZED_COORDINATES;
    hsa_ext_sampler_descriptor_v2_t descriptor = {
        .coordinate_mode = normalized ? HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED
                                      : HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED,
        .filter_mode = settings->filterMode == HIP_TR_FILTER_MODE_LINEAR
                           ? HSA_EXT_SAMPLER_FILTER_MODE_LINEAR
                           : HSA_EXT_SAMPLER_FILTER_MODE_NEAREST,
    };
    if (border_of(settings) == NO_BORDER)
        return ahhsa_refuse(device, "texture",
                            "the border colour must be 0 0 0 0, 0 0 0 1 or 1 1 1 1");
    for (unsigned i = 0; i < 3; i++)
        descriptor.address_modes[i] = address_mode(settings->addressMode[i], normalized);
    return image_error(
        device, "hsa_ext_sampler_create_v2",
        device->api->hsa_ext_sampler_create_v2(device->agent, &descriptor, out_sampler));
}

/* ---- objects ---------------------------------------------------------------------------- */

/* Frees what the runtime has of the object; may be called again after a failure. */
static hipError_t release_object(struct ahhsa_texture *texture)
{
    struct ah_backend_device *device = texture->device;
    hipError_t error = hipSuccess;
    if (texture->image.handle)
        error = ahhsa_done(device, "hsa_ext_image_destroy",
                           device->api->hsa_ext_image_destroy(device->agent, texture->image));
    if (error != hipSuccess)
        return error;
    texture->image.handle = 0;
    if (texture->sampler.handle)
        error = ahhsa_done(device, "hsa_ext_sampler_destroy",
                           device->api->hsa_ext_sampler_destroy(device->agent, texture->sampler));
    if (error != hipSuccess)
        return error;
    texture->sampler.handle = 0;
    return ahhsa_raw_free(device, texture->memory);
}

static void free_texture(struct ahhsa_texture *texture)
{
    (void)release_object(texture);
    free(texture);
}

/* gfx11's words, into which the runtime writes 0 for levels. */
static void write_levels(const struct image *image, uint32_t *words)
{
    enum { MOST = 1, MOST_SHIFT = 16, SHOWN = 3, FIRST_SHIFT = 12, LAST_SHIFT = 16 };
    words[MOST] |= (uint32_t)(image->levels - 1) << MOST_SHIFT;
    words[SHOWN] |= (uint32_t)image->first_level << FIRST_SHIFT;
    words[SHOWN] |= (uint32_t)image->last_level << LAST_SHIFT;
}

/* In 1/256, as samplers have them; most has some bits. */
static uint32_t fixed_level(float level, uint32_t most)
{
    return level > 0 ? level * 256 < (float)most ? (uint32_t)(level * 256) : most : 0;
}

static void write_level_settings(const HIP_TEXTURE_DESC *settings, uint32_t *words)
{
    enum { LIMITS = 1, MOST_SHIFT = 12, LIMIT = 0xfff, FILTER = 2, FILTER_SHIFT = 26 };
    enum { NEAREST_LEVEL = 1, BETWEEN_LEVELS = 2, BIAS = 2, BIAS_MASK = 0x3fff, BIAS_MOST = 31 };
    float bias = settings->mipmapLevelBias;
    bias = bias > BIAS_MOST ? BIAS_MOST : bias > -BIAS_MOST ? bias : -BIAS_MOST;
    words[LIMITS] &= ~(uint32_t)(LIMIT | LIMIT << MOST_SHIFT);
    words[LIMITS] |= fixed_level(settings->minMipmapLevelClamp, LIMIT);
    words[LIMITS] |= fixed_level(settings->maxMipmapLevelClamp, LIMIT) << MOST_SHIFT;
    words[FILTER] |=
        (uint32_t)(settings->mipmapFilterMode == HIP_TR_FILTER_MODE_LINEAR ? BETWEEN_LEVELS
                                                                           : NEAREST_LEVEL)
        << FILTER_SHIFT;
    words[BIAS] |= (uint32_t)(int32_t)(bias * 256) & BIAS_MASK;
}

/* The runtime's handles point to words that the host can read. Corrections to them: the runtime
 * does not set levels and the border; it counts the bytes of a buffer, of which the device counts
 * elements; and a volume may have been created as layers (create_image). settings NULL: there is no
 * sampler. */
static hipError_t write_words(struct ahhsa_texture *texture, const struct image *image,
                              const HIP_TEXTURE_DESC *settings)
{
    uint32_t words[HIP_TEXTURE_OBJECT_SIZE_DWORD] = {0};
    struct ah_backend_device *device = texture->device;
    void *memory;
    enum { IMAGE_WORDS = 11, SAMPLER_WORDS = 4, RECORDS = 2, BORDER = 3, BORDER_SHIFT = 30 };
    enum { TYPE = 3, TYPE_SHIFT = 28, TYPE_3D = 10 };
    uint32_t *sampler = words + HIP_SAMPLER_OBJECT_OFFSET_DWORD;
    memcpy(words, (const void *)(uintptr_t)texture->image.handle, IMAGE_WORDS * sizeof *words);
    if (image->descriptor.geometry == HSA_EXT_IMAGE_GEOMETRY_1DB)
        words[RECORDS] = (uint32_t)image->descriptor.width;
    if (image->descriptor.geometry == HSA_EXT_IMAGE_GEOMETRY_3D)
        words[TYPE] = (words[TYPE] & ~(UINT32_MAX << TYPE_SHIFT)) | (uint32_t)TYPE_3D << TYPE_SHIFT;
    if (image->levels)
        write_levels(image, words);
    if (settings) {
        memcpy(sampler, (const void *)(uintptr_t)texture->sampler.handle,
               SAMPLER_WORDS * sizeof *sampler);
        sampler[BORDER] |= (uint32_t)border_of(settings) << BORDER_SHIFT;
        if (image->levels)
            write_level_settings(settings, sampler);
    }
    hipError_t error = ahhsa_raw_alloc(device, device->pools.device_coarse, sizeof words, &memory);
    if (error != hipSuccess)
        return error;
    texture->memory = memory;
    return ahhsa_raw_write(device, memory, words, sizeof words);
}

/* settings NULL: a surface. */
static hipError_t create_object(struct ah_backend_device *device, const struct image *image,
                                const HIP_TEXTURE_DESC *settings, uint64_t *out_object)
{
    struct ahhsa_texture *texture = calloc(1, sizeof *texture);
    if (!texture)
        return hipErrorOutOfMemory;
    texture->device = device;
    texture->surface = !settings;
    hipError_t error =
        create_image(device, image, settings ? HSA_ACCESS_PERMISSION_RO : HSA_ACCESS_PERMISSION_RW,
                     &texture->image);
    if (error == hipSuccess && settings)
        error = create_sampler(device, settings, &texture->sampler);
    if (error == hipSuccess)
        error = write_words(texture, image, settings);
    if (error != hipSuccess) {
        free_texture(texture);
        return error;
    }
    ahhsa_lock(device);
    texture->next = device->textures;
    device->textures = texture;
    ahhsa_unlock(device);
    *out_object = (uintptr_t)texture->memory;
    return hipSuccess;
}

static hipError_t destroy(struct ah_backend_device *device, uint64_t object, bool surface)
{
    struct ahhsa_texture **link, *texture;
    hipError_t error = ahhsa_enter(device);
    if (error != hipSuccess)
        return error;
    ahhsa_lock(device);
    for (link = &device->textures; *link; link = &(*link)->next)
        if ((uintptr_t)(*link)->memory == object && (*link)->surface == surface)
            break;
    texture = *link;
    if (texture)
        *link = texture->next;
    ahhsa_unlock(device);
    if (!texture)
        return hipErrorInvalidValue;
    error = release_object(texture);
    if (error == hipSuccess) {
        free(texture);
        return hipSuccess;
    }
    ahhsa_lock(device);
    texture->next = device->textures;
    device->textures = texture;
    ahhsa_unlock(device);
    return error;
}

void ahhsa_textures_destroy(struct ah_backend_device *device)
{
    while (device->textures) {
        struct ahhsa_texture *texture = device->textures;
        device->textures = texture->next;
        free_texture(texture);
    }
}

hipError_t ahhsa_texture_create(struct ah_backend_device *device,
                                const struct ah_texture_source *source,
                                const HIP_TEXTURE_DESC *settings,
                                const HIP_RESOURCE_VIEW_DESC *view, uint64_t *out_object)
{
    struct ah_array_shape shape = source->shape;
    struct image image = {.memory = NULL};
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = check_image_support(device);
    if (error != hipSuccess)
        return error;
    describe_source(source, &shape, &image);
    if (view)
        error = apply_view(device, view, &shape, &image);
    if (error != hipSuccess)
        return error;
    if (!image_format(&shape, settings->flags & HIP_TRSF_READ_AS_INTEGER,
                      settings->flags & HIP_TRSF_SRGB, &image.descriptor.format))
        return ahhsa_refuse(device, "texture", "images cannot have this format");
    return create_object(device, &image, settings, out_object);
}

hipError_t ahhsa_texture_destroy(struct ah_backend_device *device, uint64_t object)
{
    return destroy(device, object, false);
}

hipError_t ahhsa_surface_create(struct ah_backend_device *device, struct ah_backend_array *array,
                                const struct ah_array_shape *shape, uint64_t *out_object)
{
    struct image image = {.memory = NULL};
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = check_image_support(device);
    if (error != hipSuccess)
        return error;
    describe_array(shape, &image.descriptor);
    describe_memory(array, &image);
    if (!image_format(shape, true, false, &image.descriptor.format))
        return ahhsa_refuse(device, "surface", "images cannot have this format");
    return create_object(device, &image, NULL, out_object);
}

hipError_t ahhsa_surface_destroy(struct ah_backend_device *device, uint64_t object)
{
    return destroy(device, object, true);
}
