/* Objects of OpenGL: hipGraphicsGLRegisterBuffer and its kin. */
#include "api.h"
#include "api_arguments.h"
#include "api_shared.h"

#include <hip/hip_gl_interop.h>

#include <stdlib.h>

/* A layer and level of a mapped image that was asked for. */
struct part {
    struct part *next;
    unsigned layer, level;
    struct ah_array *array;
};

/* hipGraphicsResource_t. A call that changes what is mapped makes it BUSY first. */
struct ah_graphics {
    struct ah_handle handle;
    struct ah_backend_graphics *native;
    bool image;
    _Atomic(int) state;
    struct part *parts; /* while it is mapped; guarded by parts_lock */
};
enum state { UNMAPPED, BUSY, MAPPED };

_Static_assert(sizeof(struct ah_graphics) <= AH_HANDLE_SLOT, "struct ah_graphics");

static pthread_mutex_t parts_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- devices ---------------------------------------------------------------------- */

/* The devices of one driver, as HIP counts them. */
static hipError_t devices_of(struct ah_device *device, int list, unsigned capacity, int *out,
                             unsigned *out_count)
{
    int indices[64];
    unsigned count = 0, most = sizeof indices / sizeof *indices;
    hipError_t error = device->ops->gl_devices(device->native, list, most, indices, &count);
    if (error != hipSuccess)
        return error;
    *out_count = 0;
    for (unsigned i = 0; i < count && i < most && *out_count < capacity; i++) {
        const struct ah_device *found = ah_device_of_driver(device->driver, indices[i]);
        if (found)
            out[(*out_count)++] = found->ordinal;
    }
    return *out_count > 0 ? hipSuccess : hipErrorNoDevice;
}

/* The current device's driver is asked first, the others if none of its devices draws. */
static hipError_t gl_devices(unsigned *out_count, int *out, unsigned capacity, int list)
{
    struct ah_device *current = ah_device_current();
    if (list == hipGLDeviceListNextFrame) {
        AH_LOG_ERR("hipGLDeviceListNextFrame: no driver says which device draws the next frame");
        return hipErrorNotSupported;
    }
    if (!out_count || !out || capacity == 0 ||
        (list != hipGLDeviceListAll && list != hipGLDeviceListCurrentFrame))
        return hipErrorInvalidValue;
    if (!current)
        return hipErrorNoDevice;
    hipError_t error = devices_of(current, list, capacity, out, out_count);
    const struct ah_driver *asked = current->driver;
    for (int i = 0; error == hipErrorNoDevice && i < ah_registry.device_count; i++) {
        struct ah_device *device = &ah_registry.devices[i];
        if (device->driver == asked || device->driver == current->driver)
            continue;
        asked = device->driver;
        error = devices_of(device, list, capacity, out, out_count);
    }
    return error;
}

hipError_t hipGLGetDevices(unsigned int *pHipDeviceCount, int *pHipDevices,
                           unsigned int hipDeviceCount, hipGLDeviceList deviceList)
{
    AH_ENTER(hipGLGetDevices);
    return AH_LEAVE(gl_devices(pHipDeviceCount, pHipDevices, hipDeviceCount, (int)deviceList));
}

/* ---- registration ----------------------------------------------------------------- */

static hipError_t register_object(hipGraphicsResource_t *out, unsigned name, bool image,
                                  unsigned target, unsigned flags)
{
    struct ah_backend_graphics *native;
    struct ah_device *device = ah_device_current();
    if (!device)
        return hipErrorNoDevice;
    hipError_t error =
        image ? device->ops->gl_register_image(device->native, name, target, flags, &native)
              : device->ops->gl_register_buffer(device->native, name, flags, &native);
    if (error != hipSuccess)
        return error;
    struct ah_graphics *graphics = ah_handle_create(AH_HANDLE_GRAPHICS, device);
    if (!graphics) {
        device->ops->graphics_unregister(device->native, native);
        return hipErrorOutOfMemory;
    }
    graphics->native = native;
    graphics->image = image;
    *out = (hipGraphicsResource_t)(void *)graphics;
    return hipSuccess;
}

static hipError_t register_buffer(hipGraphicsResource_t *out, unsigned buffer, unsigned flags)
{
    if (!out || buffer == 0 ||
        (flags != hipGraphicsRegisterFlagsNone && flags != hipGraphicsRegisterFlagsReadOnly &&
         flags != hipGraphicsRegisterFlagsWriteDiscard))
        return hipErrorInvalidValue;
    return register_object(out, buffer, false, 0, flags);
}

hipError_t hipGraphicsGLRegisterBuffer(hipGraphicsResource **resource, GLuint buffer,
                                       unsigned int flags)
{
    AH_ENTER_UNSAFE(hipGraphicsGLRegisterBuffer);
    return AH_LEAVE(register_buffer(resource, buffer, flags));
}

static hipError_t register_image(hipGraphicsResource_t *out, unsigned image, unsigned target,
                                 unsigned flags)
{
    unsigned access = hipGraphicsRegisterFlagsReadOnly | hipGraphicsRegisterFlagsWriteDiscard;
    unsigned known =
        access | hipGraphicsRegisterFlagsSurfaceLoadStore | hipGraphicsRegisterFlagsTextureGather;
    if (!out || image == 0 || (flags & ~known) != 0 || (flags & access) == access)
        return hipErrorInvalidValue;
    return register_object(out, image, true, target, flags);
}

hipError_t hipGraphicsGLRegisterImage(hipGraphicsResource **resource, GLuint image, GLenum target,
                                      unsigned int flags)
{
    AH_ENTER_UNSAFE(hipGraphicsGLRegisterImage);
    return AH_LEAVE(register_image(resource, image, target, flags));
}

static hipError_t unregister(hipGraphicsResource_t resource)
{
    struct ah_graphics *graphics = (struct ah_graphics *)(void *)resource;
    int unmapped = UNMAPPED;
    if (!resource)
        return hipErrorInvalidValue;
    if (!ah_handle_is(resource, AH_HANDLE_GRAPHICS))
        return hipErrorInvalidContext;
    if (!atomic_compare_exchange_strong(&graphics->state, &unmapped, BUSY))
        return hipErrorAlreadyMapped;
    if (!ah_handle_retire(graphics, AH_HANDLE_GRAPHICS))
        return hipErrorInvalidContext;
    struct ah_device *device = graphics->handle.device;
    hipError_t error = device->ops->graphics_unregister(device->native, graphics->native);
    if (ah_free_failed(error))
        atomic_store(&graphics->state, UNMAPPED);
    return ah_handle_finish_destroy(graphics, AH_HANDLE_GRAPHICS, error);
}

hipError_t hipGraphicsUnregisterResource(hipGraphicsResource_t resource)
{
    AH_ENTER_UNSAFE(hipGraphicsUnregisterResource);
    return AH_LEAVE(unregister(resource));
}

/* ---- mapping ---------------------------------------------------------------------- */

/* The arrays of an image end when it is unmapped. */
static void end_parts(struct ah_graphics *graphics)
{
    pthread_mutex_lock(&parts_lock);
    while (graphics->parts) {
        struct part *part = graphics->parts;
        graphics->parts = part->next;
        if (ah_handle_retire(part->array, AH_HANDLE_ARRAY))
            ah_handle_destroy(part->array);
        free(part);
    }
    pthread_mutex_unlock(&parts_lock);
}

static void set_state(unsigned count, hipGraphicsResource_t *resources, enum state state)
{
    for (unsigned i = 0; i < count; i++)
        atomic_store(&((struct ah_graphics *)(void *)resources[i])->state, state);
}

/* Makes a resource BUSY that has the state. */
static hipError_t take(hipGraphicsResource_t resource, const struct ah_device *device,
                       enum state from)
{
    struct ah_graphics *graphics = (struct ah_graphics *)(void *)resource;
    int expected = from;
    if (!ah_handle_is(resource, AH_HANDLE_GRAPHICS))
        return hipErrorInvalidHandle;
    if (graphics->handle.device != device) {
        AH_LOG_ERR("a resource that was registered for device %d is used in a stream of device %d",
                   graphics->handle.device->ordinal, device->ordinal);
        return hipErrorInvalidHandle;
    }
    if (!atomic_compare_exchange_strong(&graphics->state, &expected, BUSY))
        return from == UNMAPPED ? hipErrorAlreadyMapped : hipErrorNotMapped;
    return hipSuccess;
}

static hipError_t submit(struct ah_stream *stream, unsigned count, hipGraphicsResource_t *resources,
                         bool map)
{
    struct ah_backend_graphics **natives = malloc(count * sizeof *natives);
    if (!natives)
        return hipErrorOutOfMemory;
    for (unsigned i = 0; i < count; i++)
        natives[i] = ((struct ah_graphics *)(void *)resources[i])->native;
    hipError_t error = ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_GRAPHICS,
                                                              .graphics = {natives, count, map}});
    free(natives);
    return error;
}

/* All of them or none. */
static hipError_t change(unsigned count, hipGraphicsResource_t *resources, hipStream_t handle,
                         enum state from, enum state to)
{
    struct ah_stream *stream;
    unsigned taken = 0;
    hipError_t error = ah_stream_resolve(handle, &stream);
    while (error == hipSuccess && taken < count) {
        error = take(resources[taken], stream->handle.device, from);
        taken += error == hipSuccess;
    }
    if (error == hipSuccess)
        error = submit(stream, count, resources, to == MAPPED);
    for (unsigned i = 0; i < count && error == hipSuccess && to == UNMAPPED; i++)
        end_parts((struct ah_graphics *)(void *)resources[i]);
    set_state(taken, resources, error == hipSuccess ? to : from);
    return error;
}

hipError_t hipGraphicsMapResources(int count, hipGraphicsResource_t *resources, hipStream_t stream)
{
    AH_ENTER(hipGraphicsMapResources);
    if (count <= 0 || !resources)
        return AH_LEAVE(hipErrorInvalidValue);
    return AH_LEAVE(change((unsigned)count, resources, stream, UNMAPPED, MAPPED));
}

hipError_t hipGraphicsUnmapResources(int count, hipGraphicsResource_t *resources,
                                     hipStream_t stream)
{
    AH_ENTER(hipGraphicsUnmapResources);
    if (count <= 0 || !resources)
        return AH_LEAVE(count <= 0 ? hipErrorInvalidValue : hipErrorUnknown);
    return AH_LEAVE(change((unsigned)count, resources, stream, MAPPED, UNMAPPED));
}

/* ---- what is mapped --------------------------------------------------------------- */

static hipError_t mapped(hipGraphicsResource_t resource, bool image,
                         struct ah_graphics **out_graphics)
{
    struct ah_graphics *graphics = (struct ah_graphics *)(void *)resource;
    if (!ah_handle_is(resource, AH_HANDLE_GRAPHICS))
        return hipErrorContextIsDestroyed;
    if (atomic_load(&graphics->state) != MAPPED)
        return hipErrorNotMapped;
    if (graphics->image != image)
        return image ? hipErrorNotMappedAsArray : hipErrorNotMappedAsPointer;
    *out_graphics = graphics;
    return hipSuccess;
}

static hipError_t mapped_pointer(void **out_pointer, size_t *out_size,
                                 hipGraphicsResource_t resource)
{
    struct ah_graphics *graphics;
    void *pointer;
    size_t size;
    hipError_t error = mapped(resource, false, &graphics);
    if (error != hipSuccess)
        return error;
    struct ah_device *device = graphics->handle.device;
    error = device->ops->graphics_pointer(device->native, graphics->native, &pointer, &size);
    if (error == hipSuccess && out_pointer)
        *out_pointer = pointer;
    if (error == hipSuccess && out_size)
        *out_size = size;
    return error;
}

hipError_t hipGraphicsResourceGetMappedPointer(void **devPtr, size_t *size,
                                               hipGraphicsResource_t resource)
{
    AH_ENTER(hipGraphicsResourceGetMappedPointer);
    return AH_LEAVE(mapped_pointer(devPtr, size, resource));
}

/* parts_lock is held. */
static hipError_t make_part(struct ah_graphics *graphics, unsigned layer, unsigned level,
                            struct part **out_part)
{
    struct ah_backend_array *native;
    struct ah_array_shape shape;
    hipChannelFormatDesc description;
    struct ah_device *device = graphics->handle.device;
    hipError_t error = device->ops->graphics_array(device->native, graphics->native, layer, level,
                                                   &native, &shape);
    if (error == hipSuccess)
        error = ah_array_describe(shape.format, shape.channels, &description);
    if (error != hipSuccess)
        return error;
    struct part *part = calloc(1, sizeof *part);
    struct ah_array *array = part ? ah_handle_create(AH_HANDLE_ARRAY, device) : NULL;
    if (!array) {
        free(part);
        return hipErrorOutOfMemory;
    }
    array->native = native;
    array->shape = shape;
    array->description = description;
    array->lent = true;
    *part = (struct part){graphics->parts, layer, level, array};
    graphics->parts = *out_part = part;
    return hipSuccess;
}

static hipError_t mapped_array(hipArray_t *out, hipGraphicsResource_t resource, unsigned layer,
                               unsigned level)
{
    struct ah_graphics *graphics;
    struct part *part;
    hipError_t error = mapped(resource, true, &graphics);
    if (error != hipSuccess)
        return error;
    pthread_mutex_lock(&parts_lock);
    for (part = graphics->parts; part; part = part->next)
        if (part->layer == layer && part->level == level)
            break;
    if (!part)
        error = make_part(graphics, layer, level, &part);
    if (error == hipSuccess && out)
        *out = (hipArray_t)(void *)part->array;
    pthread_mutex_unlock(&parts_lock);
    return error;
}

hipError_t hipGraphicsSubResourceGetMappedArray(hipArray_t *array, hipGraphicsResource_t resource,
                                                unsigned int arrayIndex, unsigned int mipLevel)
{
    AH_ENTER(hipGraphicsSubResourceGetMappedArray);
    return AH_LEAVE(mapped_array(array, resource, arrayIndex, mipLevel));
}

/* ---- resets ----------------------------------------------------------------------- */

static void release(void *handle, void *device)
{
    struct ah_graphics *graphics = handle;
    if (graphics->handle.device != device || !ah_handle_retire(handle, AH_HANDLE_GRAPHICS))
        return;
    end_parts(graphics);
    ah_handle_destroy(handle);
}

static void device_resets(struct ah_device *device)
{
    ah_handle_each(AH_HANDLE_GRAPHICS, release, device);
}

const struct ah_dependent ah_graphics_dependent = {.device_resets = device_resets};
