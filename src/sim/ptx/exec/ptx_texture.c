/* Textures and surfaces: the lanes' coordinates, and the objects they name. What a texture unit
 * makes of them is sim_texture.c's. */
#include "ptx_memory.h"
#include "sim_bits.h"
#include "sim_memory.h"
#include "sim_texture.h"

#include <string.h>

static uint32_t word_of(const struct ptx_warp *warp, uint32_t slot, unsigned lane)
{
    return ((const uint32_t *)(const void *)(warp->regs + slot))[lane];
}

static float float_of(const struct ptx_warp *warp, uint32_t slot, unsigned lane)
{
    return sim_float_of(word_of(warp, slot, lane));
}

static uint64_t handle_of(const struct ptx_warp *warp, const struct ptx_image_access *access,
                          unsigned lane)
{
    const uint64_t *handles = (const uint64_t *)(const void *)(warp->regs + access->object);
    return handles[lane] + (uint64_t)access->offset;
}

static const struct sim_texture *texture_of(struct ptx_warp *warp, const struct ptx_op *op,
                                            unsigned lane)
{
    uint64_t handle = handle_of(warp, op->extra, lane);
    struct ptx_context *context = warp->launch->context;
    const struct sim_texture *texture = context->texture ? context->texture(context, handle) : NULL;
    if (!texture)
        ptx_fault(warp, op, lane, PTX_END_ILLEGAL_ADDRESS,
                  "%#llx is not a texture object of this device that is still there",
                  (unsigned long long)handle);
    return texture;
}

static const struct sim_image *surface_of(struct ptx_warp *warp, const struct ptx_op *op,
                                          unsigned lane)
{
    uint64_t handle = handle_of(warp, op->extra, lane);
    struct ptx_context *context = warp->launch->context;
    const struct sim_image *image = context->surface ? context->surface(context, handle) : NULL;
    if (!image)
        ptx_fault(warp, op, lane, PTX_END_ILLEGAL_ADDRESS,
                  "%#llx is not a surface object of this device that is still there",
                  (unsigned long long)handle);
    return image;
}

/* ---- textures --------------------------------------------------------------------------- */

static void directions(const struct ptx_warp *warp, const uint32_t slots[3], unsigned lane,
                       float out[3])
{
    for (unsigned i = 0; i < 3; i++)
        out[i] = float_of(warp, slots[i], lane);
}

/* Layers come first and are integers; cubes are layers of faces. */
static void place_of(const struct ptx_warp *warp, const struct ptx_image_access *access,
                     unsigned lane, struct sim_place *out)
{
    unsigned first = access->layered;
    *out = (struct sim_place){.dimensions = access->dimensions};
    if (access->layered)
        out->layer = word_of(warp, access->at[0], lane);
    if (access->cube) {
        float direction[3];
        directions(warp, access->at + first, lane, direction);
        out->dimensions = 2;
        out->layer = 6 * out->layer + sim_cube_place(direction, out->at);
        return;
    }
    for (unsigned d = 0; d < access->dimensions; d++)
        out->at[d] = access->whole ? (double)(int32_t)word_of(warp, access->at[first + d], lane)
                                   : (double)float_of(warp, access->at[first + d], lane);
}

static float level_of(const struct ptx_warp *warp, const struct ptx_image_access *access,
                      const struct sim_texture *texture, unsigned lane)
{
    float direction[3], dx[3], dy[3], x[3] = {0}, y[3] = {0};
    if (access->level == PTX_LEVEL_BASE)
        return 0;
    if (access->level == PTX_LEVEL_GIVEN)
        return access->whole ? (float)(int32_t)word_of(warp, access->dx[0], lane)
                             : float_of(warp, access->dx[0], lane);
    directions(warp, access->dx, lane, dx);
    directions(warp, access->dy, lane, dy);
    if (!access->cube)
        return sim_texture_level(texture, access->dimensions, dx, dy);
    directions(warp, access->at + access->layered, lane, direction);
    sim_cube_change(direction, dx, x);
    sim_cube_change(direction, dy, y);
    return sim_texture_level(texture, 2, x, y);
}

static void write_quad(struct ptx_warp *warp, const struct ptx_image_access *access, unsigned lane,
                       const uint32_t quad[4])
{
    for (unsigned i = 0; i < 4; i++)
        ((uint32_t *)(void *)(warp->regs + access->slots[i]))[lane] = quad[i];
}

const struct ptx_op *ptx_run_read_texture(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_image_access *access = op->extra;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const struct sim_texture *texture = texture_of(warp, op, lane);
        struct sim_place place;
        uint32_t quad[4];
        uint64_t address = 0;
        bool good;
        if (!texture)
            return NULL;
        place_of(warp, access, lane, &place);
        if (access->whole)
            good =
                sim_texture_fetch(texture, warp->device, &place, !access->layered, quad, &address);
        else
            good = sim_texture_sample(texture, warp->device, &place,
                                      level_of(warp, access, texture, lane), quad, &address);
        if (!good)
            return ptx_fault_access(warp, op, lane, address, 4, false, PTX_GLOBAL);
        write_quad(warp, access, lane, quad);
    }
    return op + 1;
}

const struct ptx_op *ptx_run_gather_texture(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_image_access *access = op->extra;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const struct sim_texture *texture = texture_of(warp, op, lane);
        struct sim_place place;
        uint32_t quad[4];
        uint64_t address = 0;
        if (!texture)
            return NULL;
        place_of(warp, access, lane, &place);
        if (!sim_texture_gather(texture, warp->device, &place, access->channel, quad, &address))
            return ptx_fault_access(warp, op, lane, address, 4, false, PTX_GLOBAL);
        write_quad(warp, access, lane, quad);
    }
    return op + 1;
}

enum { QUERY_WIDTH, QUERY_HEIGHT, QUERY_DEPTH, QUERY_LAYERS, QUERY_LEVELS };

const struct ptx_op *ptx_run_query_image(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_image_access *access = op->extra;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const struct sim_texture *texture = access->surface ? NULL : texture_of(warp, op, lane);
        const struct sim_image *image = texture           ? texture->levels
                                        : access->surface ? surface_of(warp, op, lane)
                                                          : NULL;
        if (!image)
            return NULL;
        unsigned d = access->query == QUERY_LAYERS ? QUERY_DEPTH : access->query;
        ((uint32_t *)(void *)(warp->regs + access->slots[0]))[lane] =
            access->query == QUERY_LEVELS ? (texture ? texture->level_count : 1)
                                          : (uint32_t)image->size[d];
    }
    return op + 1;
}

/* ---- surfaces --------------------------------------------------------------------------- */

/* Where a lane's bytes are; *out_none: nowhere, which reads 0 and writes nothing. NULL without
 * it: reported. */
static unsigned char *surface_place(struct ptx_warp *warp, const struct ptx_op *op, unsigned lane,
                                    bool write, const struct sim_image **out_image, bool *out_none)
{
    const struct ptx_image_access *access = op->extra;
    const struct sim_image *image = surface_of(warp, op, lane);
    unsigned first = access->layered, bytes = access->size * access->count;
    *out_none = false;
    *out_image = image;
    if (!image)
        return NULL;
    unsigned element = (unsigned)sim_channel_size(image->type) * image->channels;
    if (access->formatted)
        bytes = element;
    int64_t at[3] = {0};
    int64_t last[3] = {(int64_t)(image->size[0] * element) - bytes, (int64_t)image->size[1] - 1,
                       (int64_t)image->size[2] - 1};
    for (unsigned d = 0; d < access->dimensions; d++)
        at[d] = (int32_t)word_of(warp, access->at[first + d], lane);
    if (access->layered)
        at[2] = (int32_t)word_of(warp, access->at[0], lane);
    if (access->formatted)
        at[0] *= element;
    for (unsigned d = 0; d < 3; d++) {
        if (at[d] < 0 || at[d] > last[d]) {
            *out_none = access->beyond == PTX_BEYOND_ZERO;
            if (access->beyond == PTX_BEYOND_TRAP)
                ptx_fault(warp, op, lane, PTX_END_TRAP,
                          "coordinate %u of a surface access is %lld, the last there is %lld", d,
                          (long long)at[d], (long long)last[d]);
            if (access->beyond != PTX_BEYOND_CLAMP || last[d] < 0)
                return NULL;
            at[d] = at[d] < 0 ? 0 : last[d];
        }
    }
    uint64_t address = sim_image_address(image, (uint64_t)at[0], (uint64_t)at[1], (uint64_t)at[2]);
    unsigned char *where =
        at[0] % bytes ? NULL : sim_translate(warp->device, address, bytes, write);
    if (!where)
        ptx_fault_access(warp, op, lane, address, bytes, write, PTX_GLOBAL);
    return where;
}

const struct ptx_op *ptx_run_read_surface(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_image_access *access = op->extra;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const struct sim_image *image;
        bool none;
        unsigned char *where = surface_place(warp, op, lane, false, &image, &none);
        if (!where && !none)
            return NULL;
        for (unsigned i = 0; i < access->count; i++) {
            unsigned char *slot = warp->regs + access->slots[i] + (size_t)lane * access->widths[i];
            memset(slot, 0, access->widths[i]);
            if (where)
                memcpy(slot, where + i * access->size, access->size);
        }
    }
    return op + 1;
}

const struct ptx_op *ptx_run_write_surface(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_image_access *access = op->extra;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const struct sim_image *image;
        uint32_t channels[4] = {0};
        bool none;
        unsigned char *where = surface_place(warp, op, lane, true, &image, &none);
        if (!where && !none)
            return NULL;
        for (unsigned i = 0; where && i < access->count; i++) {
            const unsigned char *slot =
                warp->regs + access->slots[i] + (size_t)lane * access->widths[i];
            if (access->formatted && i < 4)
                memcpy(&channels[i], slot, sizeof channels[i]);
            else if (!access->formatted)
                memcpy(where + i * access->size, slot, access->size);
        }
        if (where && access->formatted)
            sim_image_pack(image, channels, where);
    }
    return op + 1;
}
