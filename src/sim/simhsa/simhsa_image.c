/* Owns images and samplers: their handles, formats and sizes, and the functions that create them.
 * Images are linear, whatever layout a program requests. */
#include "simhsa_image.h"

#include <stdlib.h>
#include <string.h>

/* ---- handles --------------------------------------------------------------------------- */

enum { IMAGES_MAX = 65536, SLOT = 64 };

static struct {
    pthread_mutex_t lock;
    struct sim_memory *memory; /* from which devices read descriptors */
    struct simhsa_image *images;
    unsigned next; /* where to begin the search */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Under the lock. False: no memory. */
static bool have_table(void)
{
    if (!all.images)
        all.images = calloc(IMAGES_MAX, sizeof *all.images);
    if (!all.memory)
        all.memory = sim_memory_create(SIM_MEMORY_HOST, -1, (size_t)IMAGES_MAX * SLOT, 4096);
    return all.images && all.memory;
}

uint64_t simhsa_image_add(const struct simhsa_image *image,
                          const uint32_t words[SIMHSA_IMAGE_HANDLE_WORDS])
{
    uint64_t handle = 0;
    pthread_mutex_lock(&all.lock);
    for (unsigned i = 0; have_table() && i < IMAGES_MAX; i++) {
        unsigned index = (all.next + i) % IMAGES_MAX;
        if (all.images[index].live)
            continue;
        all.images[index] = *image;
        all.images[index].live = true;
        all.next = index + 1;
        handle = all.memory->address + (uint64_t)index * SLOT;
        memcpy(all.memory->view + (size_t)index * SLOT, words, SIMHSA_IMAGE_HANDLE_WORDS * 4);
        if (sim_memory_tracking)
            sim_memory_wrote(handle, SLOT);
        break;
    }
    pthread_mutex_unlock(&all.lock);
    return handle;
}

/* Under the lock; NULL: none. */
static struct simhsa_image *find(uint64_t handle, bool sampler)
{
    uint64_t offset = all.memory && all.images ? handle - all.memory->address : UINT64_MAX;
    if (offset >= (uint64_t)IMAGES_MAX * SLOT || offset % SLOT)
        return NULL;
    struct simhsa_image *image = &all.images[offset / SLOT];
    return image->live && image->sampler == sampler ? image : NULL;
}

bool simhsa_image_get(uint64_t handle, bool sampler, struct simhsa_image *out_image)
{
    pthread_mutex_lock(&all.lock);
    const struct simhsa_image *image = find(handle, sampler);
    if (image)
        *out_image = *image;
    pthread_mutex_unlock(&all.lock);
    return image;
}

bool simhsa_image_remove(uint64_t handle, bool sampler)
{
    pthread_mutex_lock(&all.lock);
    struct simhsa_image *image = find(handle, sampler);
    if (image) {
        image->live = false;
        memset(all.memory->view + (image - all.images) * SLOT, 0, SLOT);
    }
    pthread_mutex_unlock(&all.lock);
    return image;
}

unsigned simhsa_images_left(bool samplers)
{
    unsigned count = 0;
    pthread_mutex_lock(&all.lock);
    for (unsigned i = 0; all.images && i < IMAGES_MAX; i++)
        count += all.images[i].live && all.images[i].sampler == samplers;
    pthread_mutex_unlock(&all.lock);
    return count;
}

void simhsa_images_close(void)
{
    pthread_mutex_lock(&all.lock);
    sim_memory_destroy(all.memory);
    free(all.images);
    all.memory = NULL;
    all.images = NULL;
    all.next = 0;
    pthread_mutex_unlock(&all.lock);
}

/* ---- formats --------------------------------------------------------------------------- */

bool simhsa_has_images(const struct simhsa_agent *agent)
{
    if (agent->device < 0)
        return false;
    switch (agent->gpu.model.isa) { /* gfx942 has none; those of gfx10 are not simulated */
    case AMDGPU_GFX942:
    case AMDGPU_GFX1010:
    case AMDGPU_GFX1030:
        return false;
    default:
        return true;
    }
}

/* The channels of a type: bits of each, and their conversion. Bits 0: see below. */
static const struct {
    unsigned char bits, number;
} types[] = {
    [HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8] = {8, AMDGPU_NUMBER_SNORM},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16] = {16, AMDGPU_NUMBER_SNORM},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8] = {8, AMDGPU_NUMBER_UNORM},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16] = {16, AMDGPU_NUMBER_UNORM},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT24] = {0, 0},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555] = {0, 0},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565] = {0, 0},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_101010] = {0, 0},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8] = {8, AMDGPU_NUMBER_SINT},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16] = {16, AMDGPU_NUMBER_SINT},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT32] = {32, AMDGPU_NUMBER_SINT},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8] = {8, AMDGPU_NUMBER_UINT},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16] = {16, AMDGPU_NUMBER_UINT},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32] = {32, AMDGPU_NUMBER_UINT},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT] = {16, AMDGPU_NUMBER_FLOAT},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT] = {32, AMDGPU_NUMBER_FLOAT},
};
enum { TYPES = sizeof types / sizeof *types };

enum { S0 = AMDGPU_SELECT_0, S1 = AMDGPU_SELECT_1, SX = AMDGPU_SELECT_X, SY, SZ, SW };
enum { /* channel types of an order, besides ANY: those that have bits above */
       ANY = 1,
       ONLY8 = 2,     /* 8 bits alone */
       FRACTIONS = 4, /* no integers, no 32-bit ones but float */
       SRGB = 8,      /* UNORM_INT8, which is then sRGB */
       PACKED = 16,   /* 555, 565, 101010 */
       DEPTH = 32,    /* UNORM_INT16 and float */
};
static const struct {
    unsigned char count, selects[4], types;
} orders[] = {
    [HSA_EXT_IMAGE_CHANNEL_ORDER_A] = {1, {S0, S0, S0, SX}, ANY},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_R] = {1, {SX, S0, S0, S1}, ANY},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_RG] = {2, {SX, SY, S0, S1}, ANY},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_RA] = {2, {SX, S0, S0, SY}, ANY},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_RGB] = {3, {SZ, SY, SX, S1}, PACKED},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA] = {4, {SX, SY, SZ, SW}, ANY},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA] = {4, {SZ, SY, SX, SW}, ONLY8},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_ARGB] = {4, {SY, SZ, SW, SX}, ONLY8},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA] = {4, {SX, SY, SZ, SW}, SRGB},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_INTENSITY] = {1, {SX, SX, SX, SX}, FRACTIONS},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_LUMINANCE] = {1, {SX, SX, SX, S1}, FRACTIONS},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH] = {1, {SX, S0, S0, S0}, DEPTH},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH_STENCIL] = {0},
};
enum { ORDERS = sizeof orders / sizeof *orders };

static struct amdgpu_texel_format packed(unsigned type)
{
    return (struct amdgpu_texel_format){
        type == HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555      ? AMDGPU_PARTS_1_5_5_5
        : type == HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565    ? AMDGPU_PARTS_5_6_5
        : type == HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_101010 ? AMDGPU_PARTS_2_10_10_10
                                                                : AMDGPU_PARTS_NONE,
        AMDGPU_NUMBER_UNORM};
}

static bool has_type(unsigned order, unsigned type)
{
    unsigned bits = types[type].bits, number = types[type].number;
    bool fraction = number == AMDGPU_NUMBER_UNORM || number == AMDGPU_NUMBER_SNORM ||
                    number == AMDGPU_NUMBER_FLOAT;
    switch (orders[order].types) {
    case ANY:
        return bits;
    case ONLY8:
        return bits == 8;
    case FRACTIONS:
        return bits && fraction;
    case SRGB:
        return type == HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8;
    case DEPTH:
        return type == HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16 ||
               type == HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT;
    default: /* PACKED, none */
        return false;
    }
}

static struct amdgpu_texel_format plain(unsigned order, unsigned type)
{
    static const unsigned char parts[3][4] = {
        {AMDGPU_PARTS_8, AMDGPU_PARTS_8_8, 0, AMDGPU_PARTS_8_8_8_8},
        {AMDGPU_PARTS_16, AMDGPU_PARTS_16_16, 0, AMDGPU_PARTS_16_16_16_16},
        {AMDGPU_PARTS_32, AMDGPU_PARTS_32_32, 0, AMDGPU_PARTS_32_32_32_32}};
    if (!has_type(order, type))
        return (struct amdgpu_texel_format){AMDGPU_PARTS_NONE, 0};
    return (struct amdgpu_texel_format){parts[types[type].bits / 16][orders[order].count - 1],
                                        orders[order].types == SRGB ? AMDGPU_NUMBER_SRGB
                                                                    : types[type].number};
}

static bool fits_geometry(hsa_ext_image_geometry_t geometry, unsigned kind)
{
    switch (geometry) {
    case HSA_EXT_IMAGE_GEOMETRY_1DB:
        return kind != SRGB && kind != PACKED;
    case HSA_EXT_IMAGE_GEOMETRY_2DDEPTH:
    case HSA_EXT_IMAGE_GEOMETRY_2DADEPTH:
        return kind == DEPTH;
    default:
        return geometry <= HSA_EXT_IMAGE_GEOMETRY_2DA;
    }
}

struct simhsa_format simhsa_image_format(const struct simhsa_agent *agent,
                                         hsa_ext_image_geometry_t geometry,
                                         const hsa_ext_image_format_t *format)
{
    struct simhsa_format result = {{AMDGPU_PARTS_NONE, 0}, {0}, 0};
    unsigned type = format->channel_type, order = format->channel_order;
    if (type >= TYPES || order >= ORDERS || !simhsa_has_images(agent))
        return result;
    unsigned kind = orders[order].types;
    result.texel = kind == PACKED ? packed(type) : plain(order, type);
    memcpy(result.selects, orders[order].selects, sizeof result.selects);
    if (result.texel.parts == AMDGPU_PARTS_NONE || !fits_geometry(geometry, kind))
        return result;
    result.capability = HSA_EXT_IMAGE_CAPABILITY_READ_ONLY;
    if (kind != SRGB)
        result.capability |= HSA_EXT_IMAGE_CAPABILITY_WRITE_ONLY;
    if (kind != SRGB && kind != DEPTH)
        result.capability |= HSA_EXT_IMAGE_CAPABILITY_READ_WRITE;
    return result;
}

hsa_status_t hsa_ext_image_get_capability(hsa_agent_t handle, hsa_ext_image_geometry_t geometry,
                                          const hsa_ext_image_format_t *format,
                                          uint32_t *capability_mask)
{
    SIMHSA_ENTER();
    const struct simhsa_agent *agent = simhsa_agent_get(handle);
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!format || !capability_mask || (unsigned)geometry > HSA_EXT_IMAGE_GEOMETRY_2DADEPTH)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *capability_mask = simhsa_image_format(agent, geometry, format).capability;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_ext_image_get_capability_with_layout(hsa_agent_t agent,
                                                      hsa_ext_image_geometry_t geometry,
                                                      const hsa_ext_image_format_t *format,
                                                      hsa_ext_image_data_layout_t layout,
                                                      uint32_t *capability_mask)
{
    SIMHSA_ENTER();
    if (layout != HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return hsa_ext_image_get_capability(agent, geometry, format, capability_mask);
}

/* ---- sizes ----------------------------------------------------------------------------- */

void simhsa_image_limits(const struct simhsa_agent *agent, hsa_ext_image_geometry_t geometry,
                         uint32_t out_limits[4])
{
    enum { SIDE = 16384, LAYERS = 8192 };
    static const uint32_t limits[][4] = {
        [HSA_EXT_IMAGE_GEOMETRY_1D] = {SIDE, 1, 1, 1},
        [HSA_EXT_IMAGE_GEOMETRY_2D] = {SIDE, SIDE, 1, 1},
        [HSA_EXT_IMAGE_GEOMETRY_3D] = {SIDE, SIDE, LAYERS, 1},
        [HSA_EXT_IMAGE_GEOMETRY_1DA] = {SIDE, 1, 1, LAYERS},
        [HSA_EXT_IMAGE_GEOMETRY_2DA] = {SIDE, SIDE, 1, LAYERS},
        [HSA_EXT_IMAGE_GEOMETRY_1DB] = {UINT32_MAX, 1, 1, 1},
        [HSA_EXT_IMAGE_GEOMETRY_2DDEPTH] = {SIDE, SIDE, 1, 1},
        [HSA_EXT_IMAGE_GEOMETRY_2DADEPTH] = {SIDE, SIDE, 1, LAYERS},
    };
    memset(out_limits, 0, sizeof limits[0]);
    if (simhsa_has_images(agent))
        memcpy(out_limits, limits[geometry], sizeof limits[0]);
}

static uint32_t at_least_1(size_t value)
{
    return value ? (uint32_t)value : 1;
}

/* The properties of an image that affect its descriptor, without an address. pitches 0: the
 * default. */
static hsa_status_t form_of(const struct simhsa_agent *agent,
                            const hsa_ext_image_descriptor_t *descriptor, size_t row_pitch,
                            size_t slice_pitch, struct amdgpu_image *out_image)
{
    static const unsigned char geometries[] = {AMDGPU_IMAGE_1D,       AMDGPU_IMAGE_2D,
                                               AMDGPU_IMAGE_3D,       AMDGPU_IMAGE_1D_ARRAY,
                                               AMDGPU_IMAGE_2D_ARRAY, 0,
                                               AMDGPU_IMAGE_2D,       AMDGPU_IMAGE_2D_ARRAY};
    uint32_t most[4];
    const hsa_ext_image_descriptor_t *form = descriptor;
    struct simhsa_format format = simhsa_image_format(agent, form->geometry, &form->format);
    if (!format.capability)
        return (hsa_status_t)SIMHSA_IMAGE_FORMAT_UNSUPPORTED;
    simhsa_image_limits(agent, form->geometry, most);
    if (form->width == 0 || form->width > most[0] || form->height > most[1] ||
        form->depth > most[2] || form->array_size > most[3])
        return (hsa_status_t)SIMHSA_IMAGE_SIZE_UNSUPPORTED;
    unsigned bytes = amdgpu_texel_bytes(format.texel);
    bool buffer = form->geometry == HSA_EXT_IMAGE_GEOMETRY_1DB;
    size_t row = buffer ? form->width * bytes : amdgpu_image_pitch((uint32_t)form->width, bytes);
    *out_image = (struct amdgpu_image){
        .type = geometries[form->geometry],
        .format = format.texel,
        .width = (uint32_t)form->width,
        .height = at_least_1(form->height),
        .depth = at_least_1(form->depth > form->array_size ? form->depth : form->array_size),
        .levels = 1,
    };
    memcpy(out_image->selects, format.selects, sizeof format.selects);
    if (row_pitch && !buffer) {
        if (row_pitch < row || row_pitch % AMDGPU_IMAGE_ALIGN || row_pitch % bytes)
            return (hsa_status_t)SIMHSA_IMAGE_PITCH_UNSUPPORTED;
        row = row_pitch;
    }
    out_image->row_pitch = (uint32_t)row;
    out_image->slice_pitch = (uint64_t)row * out_image->height;
    return slice_pitch && !buffer && slice_pitch != out_image->slice_pitch
               ? (hsa_status_t)SIMHSA_IMAGE_PITCH_UNSUPPORTED
               : HSA_STATUS_SUCCESS;
}

static bool is_permission(hsa_access_permission_t permission)
{
    return permission >= HSA_ACCESS_PERMISSION_RO && permission <= HSA_ACCESS_PERMISSION_RW;
}

static hsa_status_t data_info(hsa_agent_t handle, const hsa_ext_image_descriptor_t *descriptor,
                              hsa_access_permission_t permission, size_t row_pitch,
                              size_t slice_pitch, hsa_ext_image_data_info_t *out_info)
{
    const struct simhsa_agent *agent = simhsa_agent_get(handle);
    struct amdgpu_image image;
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!descriptor || !out_info || !is_permission(permission) ||
        (unsigned)descriptor->geometry > HSA_EXT_IMAGE_GEOMETRY_2DADEPTH)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *out_info = (hsa_ext_image_data_info_t){0, 0};
    hsa_status_t status = form_of(agent, descriptor, row_pitch, slice_pitch, &image);
    if (status == HSA_STATUS_SUCCESS)
        *out_info =
            (hsa_ext_image_data_info_t){image.slice_pitch * image.depth, AMDGPU_IMAGE_ALIGN};
    return status;
}

hsa_status_t hsa_ext_image_data_get_info(hsa_agent_t agent,
                                         const hsa_ext_image_descriptor_t *image_descriptor,
                                         hsa_access_permission_t access_permission,
                                         hsa_ext_image_data_info_t *image_data_info)
{
    SIMHSA_ENTER();
    return data_info(agent, image_descriptor, access_permission, 0, 0, image_data_info);
}

static bool is_layout(hsa_ext_image_data_layout_t layout, size_t row_pitch, size_t slice_pitch)
{
    return layout == HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR ||
           (layout == HSA_EXT_IMAGE_DATA_LAYOUT_OPAQUE && !row_pitch && !slice_pitch);
}

hsa_status_t hsa_ext_image_data_get_info_with_layout(
    hsa_agent_t agent, const hsa_ext_image_descriptor_t *image_descriptor,
    hsa_access_permission_t access_permission, hsa_ext_image_data_layout_t image_data_layout,
    size_t image_data_row_pitch, size_t image_data_slice_pitch,
    hsa_ext_image_data_info_t *image_data_info)
{
    SIMHSA_ENTER();
    if (!is_layout(image_data_layout, image_data_row_pitch, image_data_slice_pitch))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return data_info(agent, image_descriptor, access_permission, image_data_row_pitch,
                     image_data_slice_pitch, image_data_info);
}

/* ---- images ---------------------------------------------------------------------------- */

/* The buffer descriptor for instructions: words 0 to 3. */
static void describe_buffer(enum amdgpu_isa isa, const struct amdgpu_image *image, uint32_t *words)
{
    unsigned bytes = amdgpu_texel_bytes(image->format);
    words[0] = (uint32_t)image->address;
    words[1] = (uint32_t)(image->address >> 32) | bytes << 16;
    words[2] = image->width * bytes;
    for (unsigned i = 0; i < 4; i++)
        words[3] |= (uint32_t)image->selects[i] << 3 * i;
    if (amdgpu_family_of(isa) == AMDGPU_GFX9)
        words[3] |= (uint32_t)image->format.number << 12 | (uint32_t)image->format.parts << 15;
    else
        words[3] |= (uint32_t)amdgpu_texel_number(amdgpu_family_of(isa), image->format) << 12;
}

static hsa_status_t make(const struct simhsa_agent *agent,
                         const hsa_ext_image_descriptor_t *descriptor,
                         const struct amdgpu_image *form, const void *data,
                         hsa_ext_image_t *out_image)
{
    struct simhsa_image image = {.agent = agent, .image = *form, .descriptor = *descriptor};
    uint32_t words[SIMHSA_IMAGE_HANDLE_WORDS] = {0};
    enum amdgpu_isa isa = agent->gpu.model.isa;
    image.image.address = (uintptr_t)data;
    if (descriptor->geometry == HSA_EXT_IMAGE_GEOMETRY_1DB)
        describe_buffer(isa, &image.image, words);
    else if (!amdgpu_image_encode(isa, &image.image, words))
        return (hsa_status_t)SIMHSA_IMAGE_PITCH_UNSUPPORTED;
    words[8] = descriptor->format.channel_type;
    words[9] = descriptor->format.channel_order;
    words[10] = (uint32_t)descriptor->width;
    out_image->handle = simhsa_image_add(&image, words);
    return out_image->handle ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

static hsa_status_t create(hsa_agent_t handle, const hsa_ext_image_descriptor_t *descriptor,
                           const void *data, hsa_access_permission_t permission, size_t row_pitch,
                           size_t slice_pitch, hsa_ext_image_t *out_image)
{
    const struct simhsa_agent *agent = simhsa_agent_get(handle);
    struct amdgpu_image image;
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!descriptor || !data || !out_image || !is_permission(permission) ||
        (unsigned)descriptor->geometry > HSA_EXT_IMAGE_GEOMETRY_2DADEPTH ||
        (uintptr_t)data % AMDGPU_IMAGE_ALIGN)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    out_image->handle = 0;
    hsa_status_t status = form_of(agent, descriptor, row_pitch, slice_pitch, &image);
    return status == HSA_STATUS_SUCCESS ? make(agent, descriptor, &image, data, out_image) : status;
}

hsa_status_t hsa_ext_image_create(hsa_agent_t agent,
                                  const hsa_ext_image_descriptor_t *image_descriptor,
                                  const void *image_data, hsa_access_permission_t access_permission,
                                  hsa_ext_image_t *image)
{
    SIMHSA_ENTER();
    return create(agent, image_descriptor, image_data, access_permission, 0, 0, image);
}

hsa_status_t hsa_ext_image_create_with_layout(
    hsa_agent_t agent, const hsa_ext_image_descriptor_t *image_descriptor, const void *image_data,
    hsa_access_permission_t access_permission, hsa_ext_image_data_layout_t image_data_layout,
    size_t image_data_row_pitch, size_t image_data_slice_pitch, hsa_ext_image_t *image)
{
    SIMHSA_ENTER();
    if (!is_layout(image_data_layout, image_data_row_pitch, image_data_slice_pitch))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return create(agent, image_descriptor, image_data, access_permission, image_data_row_pitch,
                  image_data_slice_pitch, image);
}

/* From another driver's description: a descriptor without its address. */
hsa_status_t hsa_amd_image_create(hsa_agent_t agent_handle,
                                  const hsa_ext_image_descriptor_t *image_descriptor,
                                  const hsa_amd_image_descriptor_t *image_layout,
                                  const void *image_data, hsa_access_permission_t access_permission,
                                  hsa_ext_image_t *image)
{
    SIMHSA_ENTER();
    enum { VERSION = 1, VENDOR = 0x1002 };
    const struct simhsa_agent *agent = simhsa_agent_get(agent_handle);
    struct amdgpu_image form;
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!image_descriptor || !image_layout || !image_data || !image ||
        !is_permission(access_permission) || (uintptr_t)image_data % AMDGPU_IMAGE_ALIGN ||
        (unsigned)image_descriptor->geometry > HSA_EXT_IMAGE_GEOMETRY_2DADEPTH)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    image->handle = 0;
    struct simhsa_format format =
        simhsa_image_format(agent, image_descriptor->geometry, &image_descriptor->format);
    if (!format.capability || image_descriptor->geometry == HSA_EXT_IMAGE_GEOMETRY_1DB ||
        image_layout->version != VERSION ||
        image_layout->deviceID != ((uint32_t)VENDOR << 16 | agent->gpu.model.chip_id))
        return (hsa_status_t)SIMHSA_IMAGE_FORMAT_UNSUPPORTED;
    const char *wrong = amdgpu_image_decode(agent->gpu.model.isa, image_layout->data, &form);
    if (!wrong && amdgpu_texel_bytes(form.format) != amdgpu_texel_bytes(format.texel))
        wrong = "has texels of another size than its format";
    if (wrong) {
        simhsa_violation("hsa_amd_image_create: what is described %s", wrong);
        return (hsa_status_t)SIMHSA_IMAGE_FORMAT_UNSUPPORTED;
    }
    form.format = format.texel;
    memcpy(form.selects, format.selects, sizeof form.selects);
    return make(agent, image_descriptor, &form, image_data, image);
}

hsa_status_t hsa_ext_image_destroy(hsa_agent_t agent, hsa_ext_image_t image)
{
    SIMHSA_ENTER();
    if (!simhsa_agent_get(agent))
        return HSA_STATUS_ERROR_INVALID_AGENT;
    return simhsa_image_remove(image.handle, false) ? HSA_STATUS_SUCCESS
                                                    : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* ---- samplers -------------------------------------------------------------------------- */

/* False: the sampler cannot be represented. */
static bool sampler_of(const hsa_ext_sampler_descriptor_v2_t *descriptor,
                       struct amdgpu_sampler *out_sampler)
{
    static const unsigned char clamps[] = {
        [HSA_EXT_SAMPLER_ADDRESSING_MODE_UNDEFINED] = AMDGPU_CLAMP_EDGE,
        [HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE] = AMDGPU_CLAMP_EDGE,
        [HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER] = AMDGPU_CLAMP_BORDER,
        [HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT] = AMDGPU_CLAMP_WRAP,
        [HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT] = AMDGPU_CLAMP_MIRROR,
    };
    bool linear = descriptor->filter_mode == HSA_EXT_SAMPLER_FILTER_MODE_LINEAR;
    *out_sampler = (struct amdgpu_sampler){
        .border = AMDGPU_BORDER_NOTHING,
        .unnormalized = descriptor->coordinate_mode == HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED,
        .magnify_linear = linear,
        .minify_linear = linear,
        .most_lod = 16,
    };
    for (unsigned i = 0; i < 3; i++) {
        if (descriptor->address_modes[i] >= sizeof clamps)
            return false;
        out_sampler->clamp[i] = clamps[descriptor->address_modes[i]];
    }
    return descriptor->filter_mode <= HSA_EXT_SAMPLER_FILTER_MODE_LINEAR &&
           descriptor->coordinate_mode <= HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED;
}

hsa_status_t hsa_ext_sampler_create_v2(hsa_agent_t agent_handle,
                                       const hsa_ext_sampler_descriptor_v2_t *sampler_descriptor,
                                       hsa_ext_sampler_t *sampler)
{
    SIMHSA_ENTER();
    const struct simhsa_agent *agent = simhsa_agent_get(agent_handle);
    struct simhsa_image entry = {.agent = agent, .sampler = true};
    struct amdgpu_sampler form;
    uint32_t words[SIMHSA_IMAGE_HANDLE_WORDS] = {0};
    if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!sampler_descriptor || !sampler || !sampler_of(sampler_descriptor, &form))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!simhsa_has_images(agent))
        return (hsa_status_t)SIMHSA_SAMPLER_UNSUPPORTED;
    amdgpu_sampler_encode(agent->gpu.model.isa, &form, words);
    sampler->handle = simhsa_image_add(&entry, words);
    return sampler->handle ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t hsa_ext_sampler_create(hsa_agent_t agent,
                                    const hsa_ext_sampler_descriptor_t *sampler_descriptor,
                                    hsa_ext_sampler_t *sampler)
{
    SIMHSA_ENTER();
    if (!sampler_descriptor)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_ext_sampler_addressing_mode32_t mode = sampler_descriptor->address_mode;
    hsa_ext_sampler_descriptor_v2_t each = {.coordinate_mode = sampler_descriptor->coordinate_mode,
                                            .filter_mode = sampler_descriptor->filter_mode,
                                            .address_modes = {mode, mode, mode}};
    return hsa_ext_sampler_create_v2(agent, &each, sampler);
}

hsa_status_t hsa_ext_sampler_destroy(hsa_agent_t agent, hsa_ext_sampler_t sampler)
{
    SIMHSA_ENTER();
    if (!simhsa_agent_get(agent))
        return HSA_STATUS_ERROR_INVALID_AGENT;
    return simhsa_image_remove(sampler.handle, true) ? HSA_STATUS_SUCCESS
                                                     : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* ---- the table ------------------------------------------------------------------------- */

void simhsa_image_table(size_t size, void *table)
{
    static void (*const functions[])(void) = {
        (void (*)(void))hsa_ext_image_get_capability,
        (void (*)(void))hsa_ext_image_data_get_info,
        (void (*)(void))hsa_ext_image_create,
        (void (*)(void))hsa_ext_image_destroy,
        (void (*)(void))hsa_ext_image_copy,
        (void (*)(void))hsa_ext_image_import,
        (void (*)(void))hsa_ext_image_export,
        (void (*)(void))hsa_ext_image_clear,
        (void (*)(void))hsa_ext_sampler_create,
        (void (*)(void))hsa_ext_sampler_destroy,
        (void (*)(void))hsa_ext_image_get_capability_with_layout,
        (void (*)(void))hsa_ext_image_data_get_info_with_layout,
        (void (*)(void))hsa_ext_image_create_with_layout,
        (void (*)(void))hsa_ext_sampler_create_v2,
    };
    enum { FIRST_VERSION = 10 };
    size_t whole = size == 0 ? FIRST_VERSION * sizeof *functions : sizeof functions;
    memcpy(table, functions, size == 0 || size > whole ? whole : size);
}
