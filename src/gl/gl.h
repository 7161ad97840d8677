/* OpenGL of the calling thread: what its context's buffers and images are, and their contents by
 * way of host memory. Knows nothing of GPUs or HIP; links no OpenGL: the functions are those of
 * the libraries that the process has loaded. OpenGL 3.0 or newer, not OpenGL ES, which cannot read
 * textures.
 *
 * Any thread; each works with its own context. Bindings and pixel settings of the context are as
 * before when a function returns, its error flag is clear. */
#ifndef AH_GL_H
#define AH_GL_H

#include <stdbool.h>
#include <stddef.h>

enum ah_gl_result {
    AH_GL_DONE,
    AH_GL_NO_CONTEXT,  /* the thread has none, or it is too old or of OpenGL ES */
    AH_GL_NO_OBJECT,   /* the context has no such object of that target */
    AH_GL_NO_STORAGE,  /* the object has no size */
    AH_GL_UNSUPPORTED, /* a format or target that cannot be shared */
    AH_GL_OUT_OF_MEMORY,
    AH_GL_CHANGED, /* it has another size or format than when it was described */
    AH_GL_FAILED,  /* OpenGL reported an error */
};
/* Words for a message. */
const char *ah_gl_explain(enum ah_gl_result result);

/* Targets of images that can be shared. */
enum {
    AH_GL_TEXTURE_2D = 0x0DE1,
    AH_GL_TEXTURE_3D = 0x806F,
    AH_GL_TEXTURE_RECTANGLE = 0x84F5,
    AH_GL_TEXTURE_CUBE_MAP = 0x8513,
    AH_GL_TEXTURE_2D_ARRAY = 0x8C1A,
    AH_GL_RENDERBUFFER = 0x8D41,
};
bool ah_gl_is_target(unsigned target);

/* A buffer or an image. */
struct ah_gl_object {
    unsigned name, target;         /* target 0: a buffer */
    size_t size;                   /* buffer: bytes */
    unsigned width, height, depth; /* image: texels of level 0; depth 1 unless it is a volume */
    unsigned layers, levels;       /* image: at least 1; faces of a cube are layers */
    int format;                    /* image: CU_AD_FORMAT_*, which are HIP_AD_FORMAT_* too */
    unsigned channels, element;    /* image: 1, 2 or 4; bytes of a texel */
    unsigned pixel_format, pixel_type;
};

/* Whether the thread has a context that can be used. */
bool ah_gl_has_context(void);
enum ah_gl_result ah_gl_describe_buffer(unsigned name, struct ah_gl_object *out);
enum ah_gl_result ah_gl_describe_image(unsigned name, unsigned target, struct ah_gl_object *out);

/* Texels of a level: out_size[0..2] are its width, height and depth. */
void ah_gl_level_size(const struct ah_gl_object *image, unsigned level, unsigned out_size[3]);
/* Bytes of a buffer, or of a level of an image with all its layers. */
size_t ah_gl_bytes(const struct ah_gl_object *object, unsigned level);
/* The contents of a buffer, or of a level: rows, slices and layers one after the other, without
 * padding. The result of everything that the context was told before is in what is read, and
 * everything that it is told later sees what was written. */
enum ah_gl_result ah_gl_read(const struct ah_gl_object *object, unsigned level, void *out);
enum ah_gl_result ah_gl_write(const struct ah_gl_object *object, unsigned level, const void *data);

/* Waits for everything that the context was told. */
enum ah_gl_result ah_gl_finish(void);

/* The address of a function by the lookup of the context's window system, NULL: there is none. */
void *ah_gl_function(const char *name);
/* A function of a library that the process has loaded, NULL: there is none. */
void *ah_gl_library_function(const char *library, const char *name);
/* The thread's EGL display and context, for functions of EGL. False: the context is not EGL's. */
bool ah_gl_egl_context(void **out_display, void **out_context);

#endif
