/* Owns objects of OpenGL. The process's OpenGL, of whatever kind, is not on a simulated device, so
 * that its objects have copies there: mapping reads the object, and unmapping writes it back. */
#include "gl.h"
#include "simcuda_texture.h"

#include <stdlib.h>
#include <string.h>

struct simcuda_graphics {
    struct simcuda_object object;
    struct ah_gl_object gl;
    unsigned flags;
    bool mapped;
    struct simcuda_memory *memory; /* of a buffer */
    unsigned array_count;          /* of an image: levels times layers */
    struct simcuda_array *arrays[];
};

static CUresult result_of(enum ah_gl_result result, const char *what)
{
    if (result == AH_GL_DONE)
        return CUDA_SUCCESS;
    AH_LOG_ERR("simulated CUDA driver: %s: %s", what, ah_gl_explain(result));
    switch (result) {
    case AH_GL_NO_CONTEXT:
        return CUDA_ERROR_INVALID_GRAPHICS_CONTEXT;
    case AH_GL_OUT_OF_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    case AH_GL_CHANGED:
        return CUDA_ERROR_MAP_FAILED;
    case AH_GL_FAILED:
        return CUDA_ERROR_UNKNOWN;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* ---- devices --------------------------------------------------------------------------------- */

CUresult simcuda_cuGLGetDevices(unsigned *count, CUdevice *devices, unsigned capacity, int list)
{
    struct simcuda_context *context;
    SIMCUDA_ENTER(cuGLGetDevices);
    CUresult result = simcuda_current(&context);
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    if (!count || !devices || capacity == 0 || list < CU_GL_DEVICE_LIST_ALL ||
        list > CU_GL_DEVICE_LIST_NEXT_FRAME)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    if (!ah_gl_has_context())
        return simcuda_leave(result_of(AH_GL_NO_CONTEXT, "cuGLGetDevices"));
    *count = 1;
    devices[0] = context->device->ordinal;
    return simcuda_leave(CUDA_SUCCESS);
}

/* ---- registration ---------------------------------------------------------------------------- */

static void close_array(struct simcuda_array *array)
{
    if (array && array->object.handle)
        simcuda_object_close(&array->object);
    if (array)
        simcuda_object_release(&array->object);
}

/* The memory ends with the handle; the rest when no call waits with it any more. */
static void close_graphics(struct simcuda_graphics *graphics)
{
    if (graphics->memory)
        simcuda_memory_free(graphics->memory);
    for (unsigned i = 0; i < graphics->array_count; i++)
        close_array(graphics->arrays[i]);
    graphics->memory = NULL;
    graphics->array_count = 0;
    simcuda_object_close(&graphics->object);
}

static void close_if_of(struct simcuda_object *object, void *context)
{
    if (object->context == context)
        close_graphics((struct simcuda_graphics *)(void *)object);
}

void simcuda_graphics_end(struct simcuda_context *context)
{
    simcuda_object_each(SIMCUDA_GRAPHICS, close_if_of, context);
}

static CUDA_ARRAY3D_DESCRIPTOR shape_of(const struct ah_gl_object *image, unsigned level,
                                        unsigned flags)
{
    unsigned size[3];
    ah_gl_level_size(image, level, size);
    CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = size[0],
                                     .Height = size[1],
                                     .Depth = image->target == AH_GL_TEXTURE_3D ? size[2] : 0,
                                     .Format = image->format,
                                     .NumChannels = image->channels};
    if (flags & CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST)
        shape.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
    return shape;
}

static CUresult make_arrays(struct simcuda_context *context, struct simcuda_graphics *graphics)
{
    const struct ah_gl_object *gl = &graphics->gl;
    for (unsigned level = 0; level < gl->levels; level++) {
        CUDA_ARRAY3D_DESCRIPTOR shape = shape_of(gl, level, graphics->flags);
        for (unsigned layer = 0; layer < gl->layers; layer++) {
            struct simcuda_array **array = &graphics->arrays[graphics->array_count];
            CUresult result = simcuda_array_new(context, &shape, array);
            if (result != CUDA_SUCCESS)
                return result;
            simcuda_object_retain(&(*array)->object);
            graphics->array_count++;
        }
    }
    return CUDA_SUCCESS;
}

static CUresult register_object(const struct ah_gl_object *gl, unsigned flags,
                                CUgraphicsResource *out)
{
    struct simcuda_context *context;
    CUresult result = simcuda_current(&context);
    size_t arrays = gl->target ? (size_t)gl->levels * gl->layers : 0;
    if (result != CUDA_SUCCESS)
        return result;
    struct simcuda_graphics *graphics = simcuda_object_new(
        SIMCUDA_GRAPHICS, sizeof *graphics + arrays * sizeof(struct simcuda_array *), context);
    if (!graphics)
        return CUDA_ERROR_OUT_OF_MEMORY;
    graphics->gl = *gl;
    graphics->flags = flags;
    result = gl->target ? make_arrays(context, graphics)
                        : simcuda_memory_allocate(context, NULL, SIMCUDA_SHARED, gl->size,
                                                  &graphics->memory);
    if (result == CUDA_SUCCESS)
        *out = (CUgraphicsResource)(uintptr_t)graphics->object.handle;
    else
        close_graphics(graphics);
    return result;
}

CUresult simcuda_cuGraphicsGLRegisterBuffer(CUgraphicsResource *resource, unsigned buffer,
                                            unsigned flags)
{
    struct ah_gl_object gl;
    SIMCUDA_ENTER(cuGraphicsGLRegisterBuffer);
    if (!resource || flags > CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    CUresult result = result_of(ah_gl_describe_buffer(buffer, &gl), "cuGraphicsGLRegisterBuffer");
    return simcuda_leave(result == CUDA_SUCCESS ? register_object(&gl, flags, resource) : result);
}

CUresult simcuda_cuGraphicsGLRegisterImage(CUgraphicsResource *resource, unsigned image,
                                           unsigned target, unsigned flags)
{
    enum { ALL = 15 };
    struct ah_gl_object gl;
    SIMCUDA_ENTER(cuGraphicsGLRegisterImage);
    if (!resource || flags > ALL)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    CUresult result =
        result_of(ah_gl_describe_image(image, target, &gl), "cuGraphicsGLRegisterImage");
    return simcuda_leave(result == CUDA_SUCCESS ? register_object(&gl, flags, resource) : result);
}

static struct simcuda_graphics *graphics_of(CUgraphicsResource resource, const char *what)
{
    return simcuda_object_get(resource, SIMCUDA_GRAPHICS, what);
}

CUresult simcuda_cuGraphicsUnregisterResource(CUgraphicsResource resource)
{
    SIMCUDA_ENTER(cuGraphicsUnregisterResource);
    struct simcuda_graphics *graphics = graphics_of(resource, "cuGraphicsUnregisterResource");
    if (!graphics)
        return simcuda_leave(CUDA_ERROR_INVALID_HANDLE);
    simcuda_object_retain(&graphics->object);
    CUresult result = simcuda_context_wait(graphics->object.context);
    if (graphics->object.handle) /* may have been unregistered meanwhile */
        close_graphics(graphics);
    simcuda_object_release(&graphics->object);
    return simcuda_leave(result);
}

/* ---- contents -------------------------------------------------------------------------------- */

/* Between host memory without padding and the arrays of a level, whose rows have none either. */
static void move_level(const struct simcuda_graphics *graphics, unsigned level, char *data,
                       bool to_device)
{
    size_t part = ah_gl_bytes(&graphics->gl, level) / graphics->gl.layers;
    for (unsigned layer = 0; layer < graphics->gl.layers; layer++, data += part) {
        struct sim_memory *memory = graphics->arrays[level * graphics->gl.layers + layer]->memory;
        if (to_device)
            memcpy(memory->view, data, part);
        else
            memcpy(data, memory->view, part);
        if (to_device && sim_memory_tracking)
            sim_memory_wrote(memory->address, part);
    }
}

static enum ah_gl_result copy_image(const struct simcuda_graphics *graphics, bool to_device)
{
    const struct ah_gl_object *gl = &graphics->gl;
    enum ah_gl_result result = AH_GL_DONE;
    char *data = malloc(ah_gl_bytes(gl, 0));
    if (!data)
        return AH_GL_OUT_OF_MEMORY;
    for (unsigned level = 0; level < gl->levels && result == AH_GL_DONE; level++) {
        if (!to_device)
            move_level(graphics, level, data, false);
        result = to_device ? ah_gl_read(gl, level, data) : ah_gl_write(gl, level, data);
        if (to_device && result == AH_GL_DONE)
            move_level(graphics, level, data, true);
    }
    free(data);
    return result;
}

static enum ah_gl_result copy_buffer(const struct simcuda_graphics *graphics, bool to_device)
{
    void *view = graphics->memory->sim->view;
    if (!to_device)
        return ah_gl_write(&graphics->gl, 0, view);
    enum ah_gl_result result = ah_gl_read(&graphics->gl, 0, view);
    if (result == AH_GL_DONE && sim_memory_tracking)
        sim_memory_wrote(graphics->memory->base, graphics->memory->size);
    return result;
}

static CUresult copy_contents(const struct simcuda_graphics *graphics, bool to_device,
                              const char *what)
{
    unsigned unread =
        to_device ? CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD : CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY;
    if (!ah_gl_has_context())
        return result_of(AH_GL_NO_CONTEXT, what);
    if (graphics->flags & unread)
        return CUDA_SUCCESS;
    return result_of(graphics->gl.target ? copy_image(graphics, to_device)
                                         : copy_buffer(graphics, to_device),
                     what);
}

/* ---- mapping --------------------------------------------------------------------------------- */

/* A resource that is named twice is found by its state. */
static CUresult check(unsigned count, CUgraphicsResource *resources, bool mapped, const char *what)
{
    if (count == 0 || !resources)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        const struct simcuda_graphics *graphics = graphics_of(resources[i], what);
        if (!graphics)
            return CUDA_ERROR_INVALID_HANDLE;
        if (graphics->mapped != mapped)
            return mapped ? CUDA_ERROR_NOT_MAPPED : CUDA_ERROR_ALREADY_MAPPED;
        for (unsigned before = 0; before < i; before++)
            if (resources[before] == resources[i])
                return mapped ? CUDA_ERROR_NOT_MAPPED : CUDA_ERROR_ALREADY_MAPPED;
    }
    return CUDA_SUCCESS;
}

CUresult simcuda_cuGraphicsMapResources(unsigned count, CUgraphicsResource *resources,
                                        CUstream handle)
{
    static const char what[] = "cuGraphicsMapResources";
    struct simcuda_stream *stream;
    SIMCUDA_ENTER(cuGraphicsMapResources);
    CUresult result = simcuda_stream_get(handle, &stream);
    if (result == CUDA_SUCCESS)
        result = check(count, resources, false, what);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = copy_contents(graphics_of(resources[i], what), true, what);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        graphics_of(resources[i], what)->mapped = true;
    return simcuda_leave(result);
}

/* The lock is released while the work of the stream ends. */
static CUresult wait_for(struct simcuda_stream *stream)
{
    struct simcuda_context *context = stream->object.context;
    simcuda_object_retain(&context->object);
    simcuda_stream_wait(stream, stream->queued);
    simcuda_print_flush(context);
    CUresult result = simcuda_context_error(context);
    simcuda_object_release(&context->object);
    return result;
}

CUresult simcuda_cuGraphicsUnmapResources(unsigned count, CUgraphicsResource *resources,
                                          CUstream handle)
{
    static const char what[] = "cuGraphicsUnmapResources";
    struct simcuda_stream *stream;
    SIMCUDA_ENTER(cuGraphicsUnmapResources);
    CUresult result = simcuda_stream_get(handle, &stream);
    if (result == CUDA_SUCCESS)
        result = check(count, resources, true, what);
    if (result == CUDA_SUCCESS)
        result = wait_for(stream);
    if (result == CUDA_SUCCESS)
        result = check(count, resources, true, what);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = copy_contents(graphics_of(resources[i], what), false, what);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        graphics_of(resources[i], what)->mapped = false;
    return simcuda_leave(result);
}

CUresult simcuda_cuGraphicsResourceGetMappedPointer(CUdeviceptr *pointer, size_t *size,
                                                    CUgraphicsResource resource)
{
    SIMCUDA_ENTER(cuGraphicsResourceGetMappedPointer);
    const struct simcuda_graphics *graphics =
        graphics_of(resource, "cuGraphicsResourceGetMappedPointer");
    if (!graphics)
        return simcuda_leave(CUDA_ERROR_INVALID_HANDLE);
    if (!graphics->mapped)
        return simcuda_leave(CUDA_ERROR_NOT_MAPPED);
    if (!graphics->memory)
        return simcuda_leave(CUDA_ERROR_NOT_MAPPED_AS_POINTER);
    if (pointer)
        *pointer = graphics->memory->base;
    if (size)
        *size = graphics->memory->size;
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuGraphicsSubResourceGetMappedArray(CUarray *array, CUgraphicsResource resource,
                                                     unsigned index, unsigned level)
{
    SIMCUDA_ENTER(cuGraphicsSubResourceGetMappedArray);
    const struct simcuda_graphics *graphics =
        graphics_of(resource, "cuGraphicsSubResourceGetMappedArray");
    if (!graphics)
        return simcuda_leave(CUDA_ERROR_INVALID_HANDLE);
    if (!graphics->mapped)
        return simcuda_leave(CUDA_ERROR_NOT_MAPPED);
    if (graphics->memory)
        return simcuda_leave(CUDA_ERROR_NOT_MAPPED_AS_ARRAY);
    if (!array || index >= graphics->gl.layers || level >= graphics->gl.levels)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    *array =
        (CUarray)(uintptr_t)graphics->arrays[level * graphics->gl.layers + index]->object.handle;
    return simcuda_leave(CUDA_SUCCESS);
}
