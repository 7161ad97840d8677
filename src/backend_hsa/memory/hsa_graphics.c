/* Owns objects of OpenGL as memory of the device. Buffers that Mesa exports are the same memory
 * (hsa_mesa.c). Everything else has a copy on the device: mapping reads the object, and unmapping
 * writes it back, by way of the host. That includes all images, whose layout in OpenGL is the
 * graphics driver's own, and every object of an OpenGL that is not Mesa's, or draws elsewhere. */
#include "hsa_allocation.h"

#include "gl.h"

#include <stdlib.h>

struct ah_backend_graphics {
    struct ah_backend_graphics *next;
    struct ah_backend_device *device;
    struct ah_gl_object gl;
    unsigned flags;
    void *memory;         /* of a buffer */
    void *exported;       /* the start of the mapping that memory is in, NULL: memory is a copy */
    unsigned array_count; /* of an image: levels times layers */
    struct ah_backend_array *arrays[];
};

static hipError_t error_of(enum ah_gl_result result, const char *what)
{
    if (result == AH_GL_DONE)
        return hipSuccess;
    AH_LOG_ERR("%s: %s", what, ah_gl_explain(result));
    switch (result) {
    case AH_GL_NO_CONTEXT:
        return hipErrorInvalidGraphicsContext;
    case AH_GL_OUT_OF_MEMORY:
        return hipErrorOutOfMemory;
    case AH_GL_CHANGED:
        return hipErrorMapFailed;
    case AH_GL_FAILED:
        return hipErrorUnknown;
    default:
        return hipErrorInvalidValue;
    }
}

/* ---- devices ----------------------------------------------------------------------------------
 */

/* An OpenGL that no device draws for is shared by copies, with any device. */
hipError_t ahhsa_gl_devices(struct ah_backend_device *device, int list, unsigned capacity,
                            int *out_indices, unsigned *out_count)
{
    (void)list, (void)capacity;
    if (!ah_gl_has_context())
        return error_of(AH_GL_NO_CONTEXT, "devices of OpenGL");
    struct ah_backend_device *drawing = ahhsa_mesa_device(device->backend);
    out_indices[0] = drawing ? drawing->index : device->index;
    *out_count = 1;
    return hipSuccess;
}

/* ---- registration -----------------------------------------------------------------------------
 */

static struct ah_array_shape shape_of(const struct ah_gl_object *image, unsigned level,
                                      unsigned flags)
{
    unsigned size[3];
    ah_gl_level_size(image, level, size);
    return (struct ah_array_shape){
        .width = size[0],
        .height = size[1],
        .depth = image->target == AH_GL_TEXTURE_3D ? size[2] : 0,
        .format = (hipArray_Format)image->format,
        .channels = image->channels,
        .element = image->element,
        .flags = flags & hipGraphicsRegisterFlagsSurfaceLoadStore ? hipArraySurfaceLoadStore : 0,
    };
}

/* Frees what it has; may be called again after a failure. */
static hipError_t release(struct ah_backend_graphics *graphics)
{
    struct ah_backend_device *device = graphics->device;
    hipError_t error = hipSuccess;
    if (graphics->exported)
        error = ahhsa_mesa_unmap(device, graphics->exported, graphics->memory);
    else if (graphics->memory)
        error = ahhsa_memory_free_internal(device, graphics->memory);
    if (error != hipSuccess)
        return error;
    graphics->memory = graphics->exported = NULL;
    while (graphics->array_count > 0) {
        error = ahhsa_array_destroy(device, graphics->arrays[graphics->array_count - 1]);
        if (error != hipSuccess)
            return error;
        graphics->array_count--;
    }
    return hipSuccess;
}

static hipError_t make_arrays(struct ah_backend_graphics *graphics)
{
    const struct ah_gl_object *gl = &graphics->gl;
    hipError_t error = hipSuccess;
    for (unsigned i = 0; i < gl->levels * gl->layers && error == hipSuccess; i++) {
        struct ah_array_shape shape = shape_of(gl, i / gl->layers, graphics->flags);
        error = ahhsa_array_create(graphics->device, &shape, &graphics->arrays[i]);
        graphics->array_count += error == hipSuccess;
    }
    return error;
}

static hipError_t make_copy(struct ah_backend_graphics *graphics)
{
    struct ah_backend_device *device = graphics->device;
    void *memory;
    hipError_t error =
        ahhsa_raw_alloc(device, device->pools.device_coarse, graphics->gl.size, &memory);
    if (error != hipSuccess)
        return error;
    error = ahhsa_memory_register(device, memory, graphics->gl.size, AH_MEMORY_DEVICE);
    if (error != hipSuccess)
        ahhsa_raw_free(device, memory);
    else
        graphics->memory = memory;
    return error;
}

static hipError_t make_memory(struct ah_backend_graphics *graphics)
{
    if (graphics->gl.target)
        return make_arrays(graphics);
    if (ahhsa_mesa_map(graphics->device, &graphics->gl, &graphics->exported, &graphics->memory))
        return hipSuccess;
    return make_copy(graphics);
}

static hipError_t register_object(struct ah_backend_device *device, const struct ah_gl_object *gl,
                                  unsigned flags, struct ah_backend_graphics **out_graphics)
{
    size_t arrays = gl->target ? (size_t)gl->levels * gl->layers : 0;
    struct ah_backend_graphics *graphics =
        calloc(1, sizeof *graphics + arrays * sizeof(struct ah_backend_array *));
    if (!graphics)
        return hipErrorOutOfMemory;
    graphics->device = device;
    graphics->gl = *gl;
    graphics->flags = flags;
    hipError_t error = make_memory(graphics);
    if (error != hipSuccess) {
        (void)release(graphics);
        free(graphics);
        return error;
    }
    ahhsa_lock(device);
    graphics->next = device->graphics;
    device->graphics = graphics;
    ahhsa_unlock(device);
    *out_graphics = graphics;
    return hipSuccess;
}

hipError_t ahhsa_gl_register_buffer(struct ah_backend_device *device, unsigned buffer,
                                    unsigned flags, struct ah_backend_graphics **out_graphics)
{
    struct ah_gl_object gl;
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = error_of(ah_gl_describe_buffer(buffer, &gl), "a buffer of OpenGL");
    return error == hipSuccess ? register_object(device, &gl, flags, out_graphics) : error;
}

hipError_t ahhsa_gl_register_image(struct ah_backend_device *device, unsigned image,
                                   unsigned target, unsigned flags,
                                   struct ah_backend_graphics **out_graphics)
{
    struct ah_gl_object gl;
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = error_of(ah_gl_describe_image(image, target, &gl), "an image of OpenGL");
    return error == hipSuccess ? register_object(device, &gl, flags, out_graphics) : error;
}

hipError_t ahhsa_graphics_unregister(struct ah_backend_device *device,
                                     struct ah_backend_graphics *graphics)
{
    struct ah_backend_graphics **link;
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = ahhsa_device_drain(device);
    if (error == hipSuccess)
        error = release(graphics);
    if (error != hipSuccess)
        return error;
    ahhsa_lock(device);
    for (link = &device->graphics; *link && *link != graphics; link = &(*link)->next) {
    }
    if (*link)
        *link = graphics->next;
    ahhsa_unlock(device);
    free(graphics);
    return hipSuccess;
}

/* Arrays and memory are freed with those of the device. */
void ahhsa_graphics_destroy(struct ah_backend_device *device)
{
    while (device->graphics) {
        struct ah_backend_graphics *graphics = device->graphics;
        device->graphics = graphics->next;
        if (graphics->exported) {
            (void)ahhsa_mesa_unmap(device, graphics->exported, graphics->memory);
        } else if (graphics->memory) {
            ahhsa_memory_unregister(device, graphics->memory);
            (void)ahhsa_raw_free(device, graphics->memory);
        }
        free(graphics);
    }
}

/* ---- contents ---------------------------------------------------------------------------------
 */

static struct ah_copy_end host_end(char *data, const struct ah_gl_object *gl,
                                   const unsigned size[3])
{
    return (struct ah_copy_end){.kind = AH_END_POINTER,
                                .pointer = data,
                                .pitch = (size_t)size[0] * gl->element,
                                .rows = size[1]};
}

/* A layer of a level, in stream order; host memory may be used when this returns. */
static hipError_t copy_layer(struct ah_backend_graphics *graphics, unsigned index, char *data,
                             bool to_device, struct ah_backend_stream *stream)
{
    unsigned size[3];
    ah_gl_level_size(&graphics->gl, index / graphics->gl.layers, size);
    struct ah_copy_end host = host_end(data, &graphics->gl, size);
    struct ah_copy_end array = {.kind = AH_END_ARRAY, .array = graphics->arrays[index]};
    struct ah_copy_region region = {.dst = to_device ? array : host,
                                    .src = to_device ? host : array,
                                    .width = (size_t)size[0] * graphics->gl.element,
                                    .height = size[1],
                                    .depth = size[2]};
    return ahhsa_copy_region(graphics->device, &region, stream);
}

static hipError_t copy_level(struct ah_backend_graphics *graphics, unsigned level, char *data,
                             bool to_device, struct ah_backend_stream *stream)
{
    const struct ah_gl_object *gl = &graphics->gl;
    size_t part = ah_gl_bytes(gl, level) / gl->layers;
    hipError_t error = to_device
                           ? error_of(ah_gl_read(gl, level, data), "mapping an image of OpenGL")
                           : hipSuccess;
    for (unsigned i = 0; i < gl->layers && error == hipSuccess; i++)
        error = copy_layer(graphics, level * gl->layers + i, data + i * part, to_device, stream);
    if (error == hipSuccess)
        error = ahhsa_stream_synchronize(graphics->device, stream);
    if (error == hipSuccess && !to_device)
        error = error_of(ah_gl_write(gl, level, data), "unmapping an image of OpenGL");
    return error;
}

static hipError_t copy_buffer(struct ah_backend_graphics *graphics, void *data, bool to_device,
                              struct ah_backend_stream *stream)
{
    const struct ah_gl_object *gl = &graphics->gl;
    hipError_t error =
        to_device ? error_of(ah_gl_read(gl, 0, data), "mapping a buffer of OpenGL") : hipSuccess;
    if (error == hipSuccess)
        error = ahhsa_copy_async(graphics->device, to_device ? graphics->memory : data,
                                 to_device ? data : graphics->memory, gl->size, stream);
    if (error == hipSuccess)
        error = ahhsa_stream_synchronize(graphics->device, stream);
    if (error == hipSuccess && !to_device)
        error = error_of(ah_gl_write(gl, 0, data), "unmapping a buffer of OpenGL");
    return error;
}

static hipError_t copy_contents(struct ah_backend_graphics *graphics, bool to_device,
                                struct ah_backend_stream *stream)
{
    unsigned unread =
        to_device ? hipGraphicsRegisterFlagsWriteDiscard : hipGraphicsRegisterFlagsReadOnly;
    hipError_t error = hipSuccess;
    if (graphics->exported || graphics->flags & unread)
        return hipSuccess;
    char *data = malloc(ah_gl_bytes(&graphics->gl, 0));
    if (!data)
        return hipErrorOutOfMemory;
    if (!graphics->gl.target)
        error = copy_buffer(graphics, data, to_device, stream);
    for (unsigned i = 0; graphics->gl.target && i < graphics->gl.levels && error == hipSuccess; i++)
        error = copy_level(graphics, i, data, to_device, stream);
    free(data);
    return error;
}

/* ---- mapping ----------------------------------------------------------------------------------
 */

/* OpenGL is a device or a thread of its own: each side has ended before the other begins. */
hipError_t ahhsa_graphics_map(struct ah_backend_device *device, struct ah_backend_stream *stream,
                              unsigned count, struct ah_backend_graphics *const *graphics)
{
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess)
        error = error_of(ah_gl_finish(), "mapping objects of OpenGL");
    for (unsigned i = 0; i < count && error == hipSuccess; i++)
        error = copy_contents(graphics[i], true, stream);
    return error;
}

hipError_t ahhsa_graphics_unmap(struct ah_backend_device *device, struct ah_backend_stream *stream,
                                unsigned count, struct ah_backend_graphics *const *graphics)
{
    hipError_t error = ahhsa_enter(device);
    if (error == hipSuccess && !ah_gl_has_context())
        error = error_of(AH_GL_NO_CONTEXT, "unmapping objects of OpenGL");
    if (error == hipSuccess)
        error = ahhsa_stream_synchronize(device, stream);
    for (unsigned i = 0; i < count && error == hipSuccess; i++)
        error = copy_contents(graphics[i], false, stream);
    return error;
}

hipError_t ahhsa_graphics_pointer(struct ah_backend_device *device,
                                  struct ah_backend_graphics *graphics, void **out_pointer,
                                  size_t *out_size)
{
    (void)device;
    *out_pointer = graphics->memory;
    *out_size = graphics->gl.size;
    return hipSuccess;
}

hipError_t ahhsa_graphics_array(struct ah_backend_device *device,
                                struct ah_backend_graphics *graphics, unsigned layer,
                                unsigned level, struct ah_backend_array **out_array,
                                struct ah_array_shape *out_shape)
{
    (void)device;
    if (layer >= graphics->gl.layers || level >= graphics->gl.levels)
        return hipErrorInvalidValue;
    *out_array = graphics->arrays[level * graphics->gl.layers + layer];
    *out_shape = shape_of(&graphics->gl, level, graphics->flags);
    return hipSuccess;
}
