/* Owns the way to the process's OpenGL, and buffers. */
#include "gl_private.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ah_gl_explain(enum ah_gl_result result)
{
    static const char *const words[] = {
        [AH_GL_DONE] = "done",
        [AH_GL_NO_CONTEXT] = "the thread has no context of OpenGL 3.0 or newer",
        [AH_GL_NO_OBJECT] = "the OpenGL context has no such object of that target",
        [AH_GL_NO_STORAGE] = "the OpenGL object has no storage",
        [AH_GL_UNSUPPORTED] = "OpenGL objects of this format or target cannot be shared",
        [AH_GL_OUT_OF_MEMORY] = "out of host memory",
        [AH_GL_CHANGED] = "the OpenGL object has another size or format than when it was "
                          "registered",
        [AH_GL_FAILED] = "OpenGL reported an error",
    };
    return words[result];
}

/* ---- functions --------------------------------------------------------------------------- */

/* A program may have linked the library, or opened it for itself. */
static void *symbol(const char *const *libraries, const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    for (; !found && *libraries; libraries++) {
        void *library = dlopen(*libraries, RTLD_LAZY | RTLD_NOLOAD);
        if (!library)
            continue;
        found = dlsym(library, name);
        dlclose(library); /* one count of those that keep it loaded */
    }
    return found;
}

static const char *const egl_libraries[] = {"libEGL.so.1", "libEGL.so", NULL};
static const char *const glx_libraries[] = {"libGLX.so.0", "libGL.so.1", NULL};

typedef void *(*lookup)(const char *name);

/* How the window system of the thread's context finds functions. NULL: there is no context. */
static lookup current_lookup(void)
{
    void *(*egl)(void), *(*glx)(void);
    *(void **)&egl = symbol(egl_libraries, "eglGetCurrentContext");
    lookup find = NULL;
    if (egl && egl()) {
        *(void **)&find = symbol(egl_libraries, "eglGetProcAddress");
        return find;
    }
    *(void **)&glx = symbol(glx_libraries, "glXGetCurrentContext");
    if (glx && glx())
        *(void **)&find = symbol(glx_libraries, "glXGetProcAddressARB");
    return find;
}

void *ah_gl_function(const char *name)
{
    lookup find = current_lookup();
    return find ? find(name) : NULL;
}

void *ah_gl_library_function(const char *library, const char *name)
{
    return symbol((const char *const[]){library, NULL}, name);
}

bool ah_gl_egl_context(void **out_display, void **out_context)
{
    void *(*context)(void), *(*display)(void);
    *(void **)&context = symbol(egl_libraries, "eglGetCurrentContext");
    *(void **)&display = symbol(egl_libraries, "eglGetCurrentDisplay");
    if (!context || !display)
        return false;
    *out_context = context();
    *out_display = display();
    return *out_context;
}

static bool is_new_enough(const struct gl_api *gl)
{
    const char *version = (const char *)gl->glGetString(GL_VERSION);
    return version && version[0] >= '3' && version[0] <= '9'; /* "OpenGL ES ..." is not */
}

bool gl_open(struct gl_api *out)
{
    static const char *const names[] = {
#define GL_FUNCTION(result, name, parameters) #name,
#include "gl_functions.def"
#undef GL_FUNCTION
    };
    lookup find = current_lookup();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *function = find ? find(names[i]) : NULL;
        if (!function)
            return false;
        memcpy((char *)out + i * sizeof function, &function, sizeof function);
    }
    return is_new_enough(out);
}

enum ah_gl_result ah_gl_finish(void)
{
    struct gl_api gl;
    if (!gl_open(&gl))
        return AH_GL_NO_CONTEXT;
    gl.glFinish();
    return AH_GL_DONE;
}

bool ah_gl_has_context(void)
{
    struct gl_api gl;
    return gl_open(&gl);
}

/* A lost context reports the same error for ever. */
bool gl_failed(const struct gl_api *gl)
{
    unsigned error, most = 64;
    bool failed = false;
    while ((error = gl->glGetError()) != 0 && error != GL_CONTEXT_LOST && --most > 0)
        failed = true;
    return failed || error == GL_CONTEXT_LOST;
}

/* ---- settings of pixels ------------------------------------------------------------------ */

static const struct {
    unsigned short name, plain;
} settings[GL_PIXEL_SETTINGS] = {
    /* of packing: swapped bytes, bits, row length, rows, pixels, alignment, slices */
    {0x0D00, 0},
    {0x0D01, 0},
    {0x0D02, 0},
    {0x0D03, 0},
    {0x0D04, 0},
    {0x0D05, 1},
    {0x806B, 0},
    {0x806C, 0},
    /* the same of unpacking */
    {0x0CF0, 0},
    {0x0CF1, 0},
    {0x0CF2, 0},
    {0x0CF3, 0},
    {0x0CF4, 0},
    {0x0CF5, 1},
    {0x806D, 0},
    {0x806E, 0},
};

void gl_pixels_plain(const struct gl_api *gl, struct gl_pixels *out_before)
{
    for (unsigned i = 0; i < GL_PIXEL_SETTINGS; i++) {
        gl->glGetIntegerv(settings[i].name, &out_before->settings[i]);
        gl->glPixelStorei(settings[i].name, settings[i].plain);
    }
    gl->glGetIntegerv(GL_PIXEL_PACK_BUFFER_BINDING, &out_before->pack_buffer);
    gl->glGetIntegerv(GL_PIXEL_UNPACK_BUFFER_BINDING, &out_before->unpack_buffer);
    gl->glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    gl->glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

void gl_pixels_restore(const struct gl_api *gl, const struct gl_pixels *before)
{
    for (unsigned i = 0; i < GL_PIXEL_SETTINGS; i++)
        gl->glPixelStorei(settings[i].name, before->settings[i]);
    gl->glBindBuffer(GL_PIXEL_PACK_BUFFER, (unsigned)before->pack_buffer);
    gl->glBindBuffer(GL_PIXEL_UNPACK_BUFFER, (unsigned)before->unpack_buffer);
}

/* ---- buffers ----------------------------------------------------------------------------- */

/* Binds the buffer where no drawing sees it. */
static int bind_buffer(const struct gl_api *gl, unsigned name)
{
    int before = 0;
    gl->glGetIntegerv(GL_COPY_READ_BUFFER, &before);
    gl->glBindBuffer(GL_COPY_READ_BUFFER, name);
    return before;
}

enum ah_gl_result ah_gl_describe_buffer(unsigned name, struct ah_gl_object *out)
{
    struct gl_api gl;
    int64_t size = 0;
    if (!gl_open(&gl))
        return AH_GL_NO_CONTEXT;
    (void)gl_failed(&gl);
    if (!gl.glIsBuffer(name))
        return AH_GL_NO_OBJECT;
    int before = bind_buffer(&gl, name);
    gl.glGetBufferParameteri64v(GL_COPY_READ_BUFFER, GL_BUFFER_SIZE, &size);
    gl.glBindBuffer(GL_COPY_READ_BUFFER, (unsigned)before);
    if (gl_failed(&gl))
        return AH_GL_FAILED;
    memset(out, 0, sizeof *out); /* it is compared as bytes */
    out->name = name;
    out->size = (size_t)size;
    out->levels = 1;
    return size > 0 ? AH_GL_DONE : AH_GL_NO_STORAGE;
}

static enum ah_gl_result move_buffer(const struct gl_api *gl, const struct ah_gl_object *buffer,
                                     void *data, bool write)
{
    int before = bind_buffer(gl, buffer->name);
    if (write)
        gl->glBufferSubData(GL_COPY_READ_BUFFER, 0, (intptr_t)buffer->size, data);
    else
        gl->glGetBufferSubData(GL_COPY_READ_BUFFER, 0, (intptr_t)buffer->size, data);
    gl->glBindBuffer(GL_COPY_READ_BUFFER, (unsigned)before);
    return gl_failed(gl) ? AH_GL_FAILED : AH_GL_DONE;
}

/* ---- contents ---------------------------------------------------------------------------- */

size_t ah_gl_bytes(const struct ah_gl_object *object, unsigned level)
{
    unsigned size[3];
    if (!object->target)
        return object->size;
    ah_gl_level_size(object, level, size);
    return (size_t)size[0] * size[1] * size[2] * object->layers * object->element;
}

static enum ah_gl_result move(const struct ah_gl_object *object, unsigned level, void *data,
                              bool write)
{
    struct gl_api gl;
    struct ah_gl_object now;
    if (!gl_open(&gl))
        return AH_GL_NO_CONTEXT;
    enum ah_gl_result result = object->target
                                   ? ah_gl_describe_image(object->name, object->target, &now)
                                   : ah_gl_describe_buffer(object->name, &now);
    if (result != AH_GL_DONE)
        return result;
    if (memcmp(&now, object, sizeof now) != 0)
        return AH_GL_CHANGED;
    return object->target ? gl_image_move(&gl, object, level, data, write)
                          : move_buffer(&gl, object, data, write);
}

enum ah_gl_result ah_gl_read(const struct ah_gl_object *object, unsigned level, void *out)
{
    return move(object, level, out, false);
}

enum ah_gl_result ah_gl_write(const struct ah_gl_object *object, unsigned level, const void *data)
{
    return move(object, level, (void *)(uintptr_t)data, true);
}
